/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where operators run: "platform", "processors", and what an operator says of its processor. Any of them makes the model one of
 * shared processors or cores, so they are looked at before all else.
 */
#include "read/yaml/value.h"

#include "model/pipeline.h"

#include <stdlib.h>
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

/* Fixed priorities are preemptive until something else is said. `expected` names what there is to choose from. */
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

static bool read_preemptive(struct weir_draft *d, const struct weir_yaml_node *node, bool *preemptive)
{
    const char *text = weir_yaml_number(d, node, "preemptive", "true or false");
    return text && weir_draft_read_boolean(d, text, node->place, "preemptive", preemptive);
}

/* ---- "platform" ---- */

/* Whether it says "cores", or global-edf. */
static bool is_pool(const struct weir_yaml_node *platform)
{
    for (const struct weir_yaml_node *key = platform->kind == WEIR_YAML_MAP ? platform->first : NULL; key; key = key->next->next) {
        const struct weir_yaml_node *value = key->next;
        if (key->kind != WEIR_YAML_SCALAR)
            continue;
        if (strcmp(key->text, "cores") == 0 ||
            (strcmp(key->text, "scheduler") == 0 && value->kind == WEIR_YAML_SCALAR && strcasecmp(value->text, GLOBAL_EDF) == 0))
            return true;
    }
    return false;
}

/* What a pool of cores says: either node may be NULL, but not both. */
static void read_pool(struct weir_draft *d, const struct weir_yaml_node *place, const struct weir_yaml_node *scheduler,
                      const struct weir_yaml_node *cores)
{
    static const struct weir_draft_count count = {"cores", "cores", WEIR_CORES_MAX};
    enum weir_sharing sharing;
    if (cores)
        d->sharing_bad |= !weir_yaml_count(d, cores, &count, &d->cores);
    else if (!d->sharing_bad)
        weir_draft_mistake(d, place->place, "a pool of cores needs \"cores\": how many there are");
    if (!scheduler || (scheduler->kind == WEIR_YAML_SCALAR && strcasecmp(scheduler->text, GLOBAL_EDF) == 0))
        return;
    d->sharing_bad = true;
    if (read_scheduler(d, scheduler, GLOBAL_EDF, &sharing))
        weir_draft_mistake(d, scheduler->place, "\"cores\" makes a pool of cores, whose scheduler is global-edf, not %s",
                           scheduler_name(sharing));
}

static void read_platform(struct weir_draft *d, const struct weir_yaml_node *node, bool optional)
{
    enum { SCHEDULER, PREEMPTIVE, LATENCY_LIMIT, CORES, GPU, WORKERS, POLLING, KEYS };
    static const char *const names[KEYS] = {"scheduler", "preemptive", "latency-limit", "cores", "gpu", "workers", "polling"};
    static const unsigned char platforms[KEYS] = {WEIR_ON_OPERATORS, WEIR_ON_PROCESSORS, WEIR_ON_PROCESSORS, WEIR_ON_POOL,
                                                  WEIR_ON_GPU,       WEIR_ON_THREADS,    WEIR_ON_THREADS};
    static const struct weir_yaml_keys keys = {"the platform", names, KEYS, platforms};
    const struct weir_yaml_node *values[KEYS];
    bool preemptive = true;
    if (!weir_yaml_expect(d, node, WEIR_YAML_MAP, "platform", "a mapping with \"scheduler\", \"cores\" or \"gpu\"")) {
        d->sharing_bad = true;
        return;
    }
    bool clean = weir_yaml_fields(d, node, &keys, values);
    if (d->gpu) {
        if (values[GPU])
            weir_yaml_gpu(d, values[GPU]);
        return;
    }
    if (d->pool) {
        d->sharing_bad |= !clean;
        read_pool(d, node, values[SCHEDULER], values[CORES]);
        return;
    }
    if (!d->shared) {
        weir_yaml_workers(d, node, (const struct weir_yaml_node *const[]){values[SCHEDULER], values[WORKERS], values[POLLING]});
        return;
    }
    if (values[SCHEDULER])
        d->sharing_bad = !read_scheduler(d, values[SCHEDULER], SCHEDULERS, &d->sharing);
    else if (clean && !optional)
        weir_draft_mistake(d, node->place, "\"platform\" needs \"scheduler\": " SCHEDULERS);
    d->sharing_bad |= !clean;
    if (values[PREEMPTIVE] && read_preemptive(d, values[PREEMPTIVE], &preemptive) && !d->sharing_bad) {
        if (has_slots(d->sharing))
            weir_draft_mistake(d, values[PREEMPTIVE]->place, "\"preemptive\" is about fixed priorities, but the scheduler is %s",
                               scheduler_name(d->sharing));
        else if (!preemptive)
            d->sharing = WEIR_NONPREEMPTIVE;
    }
    if (values[LATENCY_LIMIT])
        d->latency_limit = weir_yaml_time(d, values[LATENCY_LIMIT], "latency-limit");
}

/* ---- "processors" ---- */

enum { SCHEDULER, PREEMPTIVE, FRAME, SLOT, KEYS };

/* What is said must be of the kind of the processor. */
static void check_kind(struct weir_draft *d, const struct weir_draft_processor *p, const struct weir_yaml_node *const *values)
{
    char quoted[WEIR_QUOTED];
    const char *name = weir_quote(p->name, quoted), *scheduler = scheduler_name(p->sharing);
    if (values[PREEMPTIVE] && has_slots(p->sharing))
        weir_draft_mistake(d, values[PREEMPTIVE]->place, "\"preemptive\" is about fixed priorities, but processor \"%s\" is %s",
                           name, scheduler);
    if (values[FRAME] && p->sharing != WEIR_TDM)
        weir_draft_mistake(d, values[FRAME]->place, "\"frame\" is about tdm, but processor \"%s\" is %s", name, scheduler);
    if (values[SLOT] && !has_slots(p->sharing))
        weir_draft_mistake(d, values[SLOT]->place, "\"slot\" is about tdm and round-robin, but processor \"%s\" is %s", name,
                           scheduler);
    if (!values[FRAME] && p->sharing == WEIR_TDM)
        weir_draft_mistake(d, p->place, "processor \"%s\" needs a \"frame\": the time after which its slots come again", name);
}

static void read_body(struct weir_draft *d, const struct weir_yaml_node *node, uint32_t number)
{
    static const char *const names[KEYS] = {"scheduler", "preemptive", "frame", "slot"};
    static const struct weir_yaml_keys keys = {"a processor", names, KEYS, NULL};
    const struct weir_yaml_node *values[KEYS] = {NULL};
    struct weir_draft_processor *p = &d->processors[number];
    bool preemptive = true, clean = true;
    if (!weir_yaml_is_null(node)) {
        if (!weir_yaml_expect_item(d, node, WEIR_YAML_MAP, "a processor", "a mapping, such as {scheduler: tdm, frame: 10}")) {
            p->bad = true;
            return;
        }
        clean = weir_yaml_fields(d, node, &keys, values);
    }
    if (values[SCHEDULER]) {
        enum weir_sharing sharing;
        p->bad = !read_scheduler(d, values[SCHEDULER], PROCESSOR_SCHEDULERS, &sharing);
        if (!p->bad && (has_slots(sharing) || has_slots(p->sharing))) /* otherwise preemptive or not as the platform says */
            p->sharing = sharing;
    }
    if (values[PREEMPTIVE]) {
        bool known = read_preemptive(d, values[PREEMPTIVE], &preemptive);
        if (known && !has_slots(p->sharing))
            p->sharing = preemptive ? WEIR_PREEMPTIVE : WEIR_NONPREEMPTIVE;
    }
    if (values[FRAME])
        p->frame = weir_yaml_time(d, values[FRAME], "frame");
    if (values[SLOT])
        p->slot = weir_yaml_time(d, values[SLOT], "slot");
    p->bad |= !clean;
    if (!p->bad)
        check_kind(d, p, values);
}

/* A name, with `body` what is said of the processor, or NULL. */
static void read_processor(struct weir_draft *d, const struct weir_yaml_node *name, const struct weir_yaml_node *body)
{
    static const struct weir_yaml_node nothing = {.text = "", .kind = WEIR_YAML_SCALAR};
    char quoted[WEIR_QUOTED];
    if (!weir_yaml_expect_item(d, name, WEIR_YAML_SCALAR, "the name of a processor", "text") ||
        !weir_draft_check_name_of(d, "a processor", name->text, name->bytes, name->place)) {
        d->processors_missing = true;
        return;
    }
    uint32_t number = weir_draft_find_processor(d, name->text);
    if (number != WEIR_NO_PROCESSOR) {
        weir_draft_mistake(d, name->place, "processor \"%s\" is defined twice; the first is in line %u",
                           weir_quote(name->text, quoted), d->processors[number].place.line);
        return;
    }
    number = weir_draft_add_processor(d, name->text, name->place);
    if (number != WEIR_NO_PROCESSOR)
        read_body(d, body ? body : &nothing, number);
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
        for (const struct weir_yaml_node *key = name->next->kind == WEIR_YAML_MAP ? name->next->first : NULL; key;
             key = key->next->next)
            if (key->kind == WEIR_YAML_SCALAR && strcmp(key->text, "on") == 0)
                return true;
    return false;
}

void weir_yaml_platform(struct weir_draft *d, const struct weir_yaml_node *platform, const struct weir_yaml_node *processors,
                        const struct weir_yaml_node *operators)
{
    bool has_platform = platform && !weir_yaml_is_null(platform), has_processors = processors && !weir_yaml_is_null(processors);
    bool mapped = has_processors || any_mapped(operators);
    d->pool = !d->gpu && has_platform && is_pool(platform);
    bool workers = !d->gpu && !d->pool && has_platform && weir_yaml_is_workers(platform);
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

/* ---- operators ---- */

static uint32_t find_processor(struct weir_draft *d, const struct weir_yaml_node *node)
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

static bool read_priority(struct weir_draft *d, const struct weir_yaml_node *node, int32_t *priority)
{
    char quoted[WEIR_QUOTED];
    const char *text = weir_yaml_number(d, node, "priority", "a whole number");
    if (!text)
        return false;
    const char *digits = text + (*text == '-' || *text == '+');
    size_t length = strlen(digits);
    if (length == 0 || strspn(digits, "0123456789") != length) {
        weir_draft_mistake(d, node->place, "\"priority\" must be a whole number, not \"%s\"", weir_quote(text, quoted));
        return false;
    }
    long long value = length > 18 ? INT64_MAX : strtoll(text, NULL, 10);
    if (value > INT32_MAX || value < INT32_MIN) {
        weir_draft_mistake(d, node->place, "\"priority\" is out of range: it goes from %d to %d", INT32_MIN, INT32_MAX);
        return false;
    }
    *priority = (int32_t)value;
    return true;
}

void weir_yaml_operator_mapping(struct weir_draft *d, uint32_t op, const struct weir_yaml_node *on,
                                const struct weir_yaml_node *priority, const struct weir_yaml_node *slot)
{
    char name[WEIR_QUOTED], processor[WEIR_QUOTED];
    uint32_t number = on ? find_processor(d, on) : WEIR_NO_PROCESSOR;
    struct weir_draft_operator *o = &d->operators[op];
    o->on = number == WEIR_NO_PROCESSOR ? 0 : number + 1;
    if (priority)
        o->has_priority = read_priority(d, priority, &o->priority);
    if (slot)
        o->slot = weir_yaml_time(d, slot, "slot");
    weir_quote(o->name, name);
    if (!on && slot)
        weir_draft_mistake(d, slot->place, "operator \"%s\" has a \"slot\", but no processor: it needs \"on\"", name);
    if (!on && priority)
        weir_draft_mistake(d, priority->place, "operator \"%s\" has a \"priority\", but no processor: it needs \"on\"", name);
    if (number == WEIR_NO_PROCESSOR || d->processors[number].bad)
        return;
    const struct weir_draft_processor *p = &d->processors[number];
    weir_quote(p->name, processor);
    if (slot && !has_slots(p->sharing))
        weir_draft_mistake(d, slot->place, "operator \"%s\" has a \"slot\", but processor \"%s\" goes by priorities", name,
                           processor);
    if (priority && has_slots(p->sharing))
        weir_draft_mistake(d, priority->place, "operator \"%s\" has a \"priority\", but processor \"%s\" goes by slots", name,
                           processor);
}
