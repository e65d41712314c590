/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where operators run: "platform", "processors", and what an operator says of its processor. Any of them makes the model one of
 * shared processors or cores, so they are looked at before all else.
 */
#include "read/yaml/value.h"

#include <string.h>
#include <strings.h>

#define SCHEDULERS "fixed-priority, tdm, round-robin, global-edf, event-based, multi-thread or greedy"
#define PROCESSOR_SCHEDULERS "fixed-priority, tdm or round-robin"
#define GLOBAL_EDF "global-edf"

static bool has_slots(enum weir_sharing sharing)
{
    return sharing == WEIR_TDM || sharing == WEIR_ROUND_ROBIN;
}

static const char *scheduler_name(enum weir_sharing sharing)
{
    return sharing == WEIR_TDM ? "tdm" : sharing == WEIR_ROUND_ROBIN ? "round-robin" : "fixed-priority";
}

/* Fixed priorities are preemptive by default. `expected` names the choices. */
static bool read_scheduler(struct weir_draft *d, const struct weir_yaml_node *node, const char *expected,
                           enum weir_sharing *sharing)
{
    static const char *const words[] = {"fixed-priority", "tdm",          "round-robin", GLOBAL_EDF,
                                        "event-based",    "multi-thread", "greedy"};
    static const enum weir_sharing kinds[] = {WEIR_PREEMPTIVE, WEIR_TDM, WEIR_ROUND_ROBIN};
    char quoted[WEIR_QUOTED], near[WEIR_HINT];
    const char *text = weir_yaml_text(d, node, "scheduler", expected);
    if (!text)
        return false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcasecmp(text, words[i]) == 0) {
            *sharing = kinds[i];
            return true;
        }
    size_t known = strcmp(expected, SCHEDULERS) == 0 ? sizeof words / sizeof *words : sizeof kinds / sizeof *kinds + 1;
    weir_quote(text, quoted);
    if (strcasecmp(text, GLOBAL_EDF) == 0)
        weir_draft_mistake(d, node->place,
                           "\"%s\" is the scheduler of a pool of cores (\"platform: {cores: 4}\"), not of a processor", quoted);
    else if (*weir_hint_word(text, words, known, near))
        weir_draft_mistake(d, node->place, "unknown scheduler \"%s\"%s", quoted, near);
    else
        weir_draft_mistake(d, node->place, "unknown scheduler \"%s\"; expected %s", quoted, expected);
    return false;
}

/* ---- "platform" ---- */

static bool is_word(const struct weir_yaml_node *node, const char *word)
{
    return node && node->kind == WEIR_YAML_SCALAR && strcasecmp(node->text, word) == 0;
}

/* Whether it says "cores", or global-edf. */
static bool is_pool(const struct weir_yaml_node *platform)
{
    return weir_yaml_find(platform, "cores") || is_word(weir_yaml_find(platform, "scheduler"), GLOBAL_EDF);
}

static void read_pool(struct weir_draft *d, const struct weir_yaml_node *place, const struct weir_yaml_fields *f)
{
    const struct weir_yaml_node *scheduler = f->of[WEIR_KEY_SCHEDULER];
    enum weir_sharing sharing;
    if (!f->of[WEIR_KEY_CORES] && !d->sharing_bad)
        weir_draft_mistake(d, place->place, "a pool of cores needs \"cores\": how many there are");
    if (!scheduler || is_word(scheduler, GLOBAL_EDF))
        return;
    d->sharing_bad = true;
    if (read_scheduler(d, scheduler, GLOBAL_EDF, &sharing))
        weir_draft_mistake(d, scheduler->place, "\"cores\" makes a pool of cores, whose scheduler is global-edf, not %s",
                           scheduler_name(sharing));
}

/* ---- workers: a scheduler of Holoscan, its threads, and how often it polls ---- */

static int64_t find_dispatch(const struct weir_yaml_node *node)
{
    return node && node->kind == WEIR_YAML_SCALAR ? weir_key_choice(&weir_keys[WEIR_KEY_SCHEDULER], node->text) : -1;
}

static bool is_workers(const struct weir_yaml_node *platform)
{
    return weir_yaml_find(platform, "workers") || weir_yaml_find(platform, "polling") ||
           find_dispatch(weir_yaml_find(platform, "scheduler")) >= 0;
}

static void read_workers(struct weir_draft *d, const struct weir_yaml_node *place, const struct weir_yaml_fields *f, bool good)
{
    const struct weir_yaml_node *scheduler = f->of[WEIR_KEY_SCHEDULER], *polling = f->of[WEIR_KEY_POLLING];
    const struct weir_key *key = &weir_keys[WEIR_KEY_SCHEDULER];
    struct weir_workers_spec *w = &d->platform.workers;
    char quoted[WEIR_QUOTED], near[WEIR_HINT], choices[WEIR_CHOICES_TEXT];
    const char *text = scheduler ? weir_yaml_text(d, scheduler, "scheduler", weir_key_choices(key, choices)) : NULL;
    int64_t dispatch = find_dispatch(scheduler);
    w->place = place->place;
    if (text && dispatch < 0) {
        bool near_one = *weir_hint_word(text, key->words, 3, near);
        weir_draft_mistake(d, scheduler->place, "unknown scheduler of workers \"%s\"%s%s", weir_quote(text, quoted),
                           near_one ? near : "; expected ", near_one ? "" : weir_key_choices(key, choices));
    }
    if (!scheduler)
        weir_draft_mistake(d, place->place, "\"%s\" needs a \"scheduler\": %s", f->of[WEIR_KEY_WORKERS] ? "workers" : "polling",
                           weir_key_choices(key, choices));
    if (dispatch < 0)
        return;
    w->dispatch = (enum weir_dispatch)dispatch;
    if (dispatch == WEIR_DISPATCH_GREEDY) {
        if (good && w->workers > 1)
            weir_draft_mistake(d, f->of[WEIR_KEY_WORKERS]->place, "the greedy scheduler has one thread, not %u workers",
                               w->workers);
        w->workers = 1;
    }
    if (polling && dispatch != WEIR_DISPATCH_POLLED)
        weir_draft_mistake(d, polling->place, "\"polling\" is about multi-thread, but the scheduler is %s", key->words[dispatch]);
    d->polling_unsaid = !polling && dispatch == WEIR_DISPATCH_POLLED;
}

/* What Holoscan does unless told otherwise: check_recession_period_ms. Times without a unit have nothing to do with it. */
void weir_draft_poll(struct weir_draft *d)
{
    static const struct weir_decimal five = {.mantissa = 5, .has_unit = true, .unit = WEIR_UNIT_MS};
    bool units = d->has_unit && d->unit != WEIR_UNIT_TICK;
    if (!d->polling_unsaid)
        return;
    for (size_t i = 0; i < d->time_count && !d->has_unit; i++)
        units |= !d->times[i].bad && d->times[i].value.has_unit && d->times[i].value.unit != WEIR_UNIT_TICK;
    if (units)
        d->platform.workers.polling = weir_draft_decimal(d, &five, d->platform.workers.place);
    else if (!d->unit_bad)
        weir_draft_mistake(d, d->platform.workers.place,
                           "multi-thread polls every 5 ms unless told otherwise, but the model has no unit: give it one, or say "
                           "\"polling\" (0: at once)");
}

/* ---- shared processors ---- */

/* How the processors are shared that say nothing. */
static void read_sharing(struct weir_draft *d, const struct weir_yaml_node *place, const struct weir_yaml_fields *f, bool optional)
{
    const struct weir_yaml_node *preemptive = f->of[WEIR_KEY_PLATFORM_PREEMPTIVE];
    int64_t yes[2] = {1};
    if (f->of[WEIR_KEY_SCHEDULER])
        d->sharing_bad = !read_scheduler(d, f->of[WEIR_KEY_SCHEDULER], SCHEDULERS, &d->sharing);
    else if (f->clean && !optional)
        weir_draft_mistake(d, place->place, "\"platform\" needs \"scheduler\": " SCHEDULERS);
    d->sharing_bad |= !f->clean;
    if (!preemptive || !weir_yaml_value(d, preemptive, &weir_keys[WEIR_KEY_PREEMPTIVE], yes) || d->sharing_bad)
        return;
    if (has_slots(d->sharing))
        weir_draft_mistake(d, preemptive->place, "\"preemptive\" is about fixed priorities, but the scheduler is %s",
                           scheduler_name(d->sharing));
    else if (!yes[0])
        d->sharing = WEIR_NONPREEMPTIVE;
}

static void read_platform(struct weir_draft *d, const struct weir_yaml_node *node, bool optional)
{
    struct weir_yaml_fields f;
    weir_yaml_open(d, node, WEIR_OF_PLATFORM, &f);
    if (node->kind != WEIR_YAML_MAP) {
        d->sharing_bad = true;
        return;
    }
    if (d->gpu) {
        if (f.of[WEIR_KEY_GPU])
            weir_yaml_gpu(d, f.of[WEIR_KEY_GPU]);
        return;
    }
    struct weir_yaml_fields numbers = f;
    numbers.of[WEIR_KEY_SCHEDULER] = NULL; /* read in the words of each platform */
    bool good = weir_yaml_read(d, &numbers, WEIR_OF_PLATFORM, &d->platform);
    d->sharing_bad |= d->pool && (!f.clean || !good);
    if (d->pool)
        read_pool(d, node, &f);
    else if (d->shared)
        read_sharing(d, node, &f, optional);
    else
        read_workers(d, node, &f, good);
}

/* ---- "processors" ---- */

/* The keys must suit the kind of the processor. */
static void check_kind(struct weir_draft *d, const struct weir_processor_spec *p, const struct weir_yaml_fields *f)
{
    char quoted[WEIR_QUOTED];
    const char *name = weir_quote(p->name, quoted), *scheduler = scheduler_name(p->sharing);
    const struct weir_yaml_node *frame = f->of[WEIR_KEY_FRAME], *slot = f->of[WEIR_KEY_PROCESSOR_SLOT];
    if (f->of[WEIR_KEY_PREEMPTIVE] && has_slots(p->sharing))
        weir_draft_mistake(d, f->of[WEIR_KEY_PREEMPTIVE]->place,
                           "\"preemptive\" is about fixed priorities, but processor \"%s\" is %s", name, scheduler);
    if (frame && p->sharing != WEIR_TDM)
        weir_draft_mistake(d, frame->place, "\"frame\" is about tdm, but processor \"%s\" is %s", name, scheduler);
    if (slot && !has_slots(p->sharing))
        weir_draft_mistake(d, slot->place, "\"slot\" is about tdm and round-robin, but processor \"%s\" is %s", name, scheduler);
    if (!frame && p->sharing == WEIR_TDM)
        weir_draft_mistake(d, p->place, "processor \"%s\" needs a \"frame\": the time after which its slots repeat", name);
}

static void read_body(struct weir_draft *d, const struct weir_yaml_node *node, struct weir_draft_processor *p)
{
    struct weir_yaml_fields f;
    enum weir_sharing sharing, *own = &p->spec.sharing;
    int64_t preemptive[2] = {1};
    p->bad |= !weir_yaml_open(d, node, WEIR_OF_PROCESSOR, &f);
    if (f.of[WEIR_KEY_PROCESSOR_SCHEDULER]) {
        bool known = read_scheduler(d, f.of[WEIR_KEY_PROCESSOR_SCHEDULER], PROCESSOR_SCHEDULERS, &sharing);
        p->bad = !known || !f.clean;
        if (known && (has_slots(sharing) || has_slots(*own))) /* otherwise preemptive or not as the platform says */
            *own = sharing;
    }
    if (f.of[WEIR_KEY_PREEMPTIVE] && weir_yaml_value(d, f.of[WEIR_KEY_PREEMPTIVE], &weir_keys[WEIR_KEY_PREEMPTIVE], preemptive) &&
        !has_slots(*own))
        *own = preemptive[0] ? WEIR_PREEMPTIVE : WEIR_NONPREEMPTIVE;
    weir_yaml_read(d, &f, WEIR_OF_PROCESSOR, &p->spec);
    if (f.of[WEIR_KEY_PROCESSOR_SLOT])
        p->slot = weir_yaml_time(d, f.of[WEIR_KEY_PROCESSOR_SLOT], "slot");
    if (!p->bad)
        check_kind(d, &p->spec, &f);
}

/* A name, with the keys of the processor in `body`, or NULL. */
static void read_processor(struct weir_draft *d, const struct weir_yaml_node *name, const struct weir_yaml_node *body)
{
    static const struct weir_yaml_node nothing = {.kind = WEIR_YAML_MAP};
    char quoted[WEIR_QUOTED];
    if (!weir_yaml_name(d, name, "a processor")) {
        d->processors_missing = true;
        return;
    }
    uint32_t number = weir_draft_find_processor(d, name->text);
    if (number != WEIR_NO_PROCESSOR) {
        weir_draft_mistake(d, name->place, "processor \"%s\" is defined twice; the first is in line %u",
                           weir_quote(name->text, quoted), d->processors[number].spec.place.line);
        return;
    }
    number = weir_draft_add_processor(d, name->text, name->place);
    if (number != WEIR_NO_PROCESSOR)
        read_body(d, body && !weir_yaml_is_null(body) ? body : &nothing, &d->processors[number]);
}

static void read_processors(struct weir_draft *d, const struct weir_yaml_node *node)
{
    d->processors_listed = true;
    if (node->kind == WEIR_YAML_LIST) {
        for (const struct weir_yaml_node *item = node->first; item && !d->out_of_memory; item = item->next)
            read_processor(d, item, NULL);
    } else if (weir_yaml_expect(d, node, WEIR_YAML_MAP, "processors", "a mapping from names to processors, or a list of names")) {
        for (const struct weir_yaml_node *key = node->first; key && !d->out_of_memory; key = key->next->next)
            read_processor(d, key, key->next);
    } else {
        d->processors_missing = true;
    }
}

static bool any_mapped(const struct weir_yaml_node *operators)
{
    if (!operators || operators->kind != WEIR_YAML_MAP)
        return false;
    for (const struct weir_yaml_node *name = operators->first; name; name = name->next->next)
        if (weir_yaml_find(name->next, "on"))
            return true;
    return false;
}

void weir_yaml_platform(struct weir_draft *d, const struct weir_yaml_fields *top)
{
    const struct weir_yaml_node *platform = top->of[WEIR_KEY_PLATFORM], *processors = top->of[WEIR_KEY_PROCESSORS];
    bool has_platform = platform && !weir_yaml_is_null(platform), has_processors = processors && !weir_yaml_is_null(processors);
    bool mapped = has_processors || any_mapped(top->of[WEIR_KEY_OPERATORS]);
    d->pool = !d->gpu && has_platform && is_pool(platform);
    bool workers = !d->gpu && !d->pool && has_platform && is_workers(platform);
    d->shared = !d->gpu && !d->pool && !workers && (has_platform || mapped);
    if (has_platform)
        read_platform(d, platform, mapped);
    d->incomplete |= d->sharing_bad; /* what else there is may belong to another platform */
    if (has_processors && d->pool)
        weir_draft_mistake(d, processors->place, "\"processors\" has no meaning on a pool of cores: any core may run any operator");
    else if (has_processors && workers)
        weir_draft_mistake(d, processors->place, "\"processors\" has no meaning with workers: any of them may run any operator");
    else if (has_processors)
        read_processors(d, processors);
}

uint32_t weir_yaml_processor(struct weir_draft *d, const struct weir_yaml_node *node)
{
    char quoted[WEIR_QUOTED], near[WEIR_HINT];
    const char *name = weir_yaml_text(d, node, "on", "the name of a processor");
    if (!name || !weir_draft_check_name_of(d, "a processor", name, node->bytes, node->place))
        return WEIR_NO_PROCESSOR;
    uint32_t number = weir_draft_find_processor(d, name);
    if (number != WEIR_NO_PROCESSOR || d->processors_missing || d->out_of_memory)
        return number;
    if (d->processors_listed) {
        weir_draft_mistake(d, node->place, "\"on\" names unknown processor \"%s\"%s", weir_quote(name, quoted),
                           *weir_draft_hint_processor(d, name, near) ? near : "; \"processors\" does not have it");
        return WEIR_NO_PROCESSOR;
    }
    number = weir_draft_add_processor(d, name, node->place);
    if (number != WEIR_NO_PROCESSOR && !d->sharing_bad && d->sharing == WEIR_TDM)
        weir_draft_mistake(d, node->place, "processor \"%s\" needs a \"frame\": define it in \"processors\"",
                           weir_quote(name, quoted));
    return number;
}
