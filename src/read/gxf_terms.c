/* SPDX-License-Identifier: Apache-2.0 */
/* When an entity runs: what it waits for, how often it may, and on how many threads. */
#include "read/gxf.h"

#include <string.h>
#include <strings.h>

/* "receiver" or "transmitter" of a term. */
static void wait_for_port(struct weir_gxf *g, const struct weir_gxf_component *c, const char *key, enum weir_gxf_kind kind)
{
    const struct weir_yaml_node *node = weir_gxf_value(c->parameters, key);
    if (!node) {
        weir_draft_mistake(&g->t.draft, c->node->place, "this scheduling term has no \"%s\"", key);
        return;
    }
    uint32_t port = weir_gxf_port(g, c, node, kind);
    uint32_t size = weir_gxf_count(g, c->parameters, "min_size");
    if (port == WEIR_NO_OPERATOR)
        return;
    g->items[port].term = true;
    if (size)
        g->items[port].min_size = size;
}

/* "receivers" of a term that waits for several ports, with "min_sizes" in the same order. */
static void wait_for_ports(struct weir_gxf *g, const struct weir_gxf_component *c)
{
    struct weir_draft *d = &g->t.draft;
    const struct weir_yaml_node *list = weir_gxf_value(c->parameters, "receivers");
    const struct weir_yaml_node *mode = weir_gxf_value(c->parameters, "sampling_mode");
    const struct weir_yaml_node *sizes = weir_gxf_value(c->parameters, "min_sizes");
    if (!list || list->kind != WEIR_YAML_LIST) {
        weir_draft_mistake(d, list ? list->place : c->node->place, "this scheduling term needs a list of \"receivers\"");
        return;
    }
    bool each = mode && mode->kind == WEIR_YAML_SCALAR && (strcmp(mode->text, "PerReceiver") == 0 || strcmp(mode->text, "1") == 0);
    if (!each && list->first && list->first->next)
        weir_draft_mistake(d, c->node->place,
                           "this term waits for messages at any of its receivers, which weir cannot model (sampling_mode: "
                           "PerReceiver waits at each)");
    const struct weir_yaml_node *size = sizes && sizes->kind == WEIR_YAML_LIST ? sizes->first : NULL;
    for (const struct weir_yaml_node *node = list->first; node && weir_testimony_goes_on(&g->t); node = node->next) {
        uint32_t port = weir_gxf_port(g, c, node, WEIR_GXF_INPUT);
        uint32_t count = size ? weir_gxf_number(g, size, "min_sizes") : 0;
        size = size ? size->next : NULL;
        if (port == WEIR_NO_OPERATOR)
            continue;
        g->items[port].term = true;
        g->items[port].min_size = count ? count : g->items[port].min_size;
    }
}

/* Only one of the policies keeps the period from start to start; the others let an entity that was late start sooner. */
static void read_period(struct weir_gxf *g, const struct weir_gxf_component *c)
{
    const struct weir_yaml_node *period = weir_gxf_value(c->parameters, "recess_period");
    const struct weir_yaml_node *policy = weir_gxf_value(c->parameters, "policy");
    if (c->entity == WEIR_NO_OPERATOR)
        return;
    if (!period || period->kind != WEIR_YAML_SCALAR) {
        weir_draft_mistake(&g->t.draft, period ? period->place : c->node->place,
                           "this scheduling term needs a \"recess_period\" such as 33ms or 30Hz");
        return;
    }
    const char *word = policy && policy->kind == WEIR_YAML_SCALAR ? policy->text : "";
    struct weir_gxf_item *entity = &g->items[c->entity];
    entity->period = period->text;
    entity->period_place = period->place;
    entity->held_back = strcmp(word, "MinTimeBetweenTicks") == 0 || strcmp(word, "1") == 0;
}

/* The nanoseconds of "33ms", "30Hz", or of a number alone, rounded down; 0: it is none. */
static int64_t period_of(const char *text)
{
    struct weir_decimal value;
    int64_t nanoseconds = 0;
    char number[64];
    size_t bytes = strlen(text);
    if (bytes < 3 || bytes >= sizeof number || strcasecmp(text + bytes - 2, "hz") != 0)
        return weir_decimal_parse(text, &value) == WEIR_DECIMAL_OK && !(value.has_unit && value.unit == WEIR_UNIT_TICK) &&
                       weir_testimony_round(&value, WEIR_UNIT_NS, false, &nanoseconds)
                   ? nanoseconds
                   : 0;
    memcpy(number, text, bytes - 2);
    number[bytes - 2] = 0;
    if (weir_decimal_parse(number, &value) || value.has_unit || value.mantissa <= 0)
        return 0;
    weir_wide periods = 1000000000; /* a second in periods of 10^exponent Hz */
    for (; value.exponent < 0 && periods < (weir_wide)WEIR_TIME_MAX * value.mantissa; value.exponent++)
        periods *= 10;
    for (; value.exponent > 0 && periods; value.exponent--)
        periods /= 10;
    weir_wide result = periods / value.mantissa;
    return result < WEIR_TIME_MAX ? (int64_t)result : 0;
}

void weir_gxf_add_period(struct weir_gxf *g, const struct weir_gxf_item *item)
{
    char quoted[WEIR_QUOTED];
    struct weir_evidence_period period = {
        .op = item->op, .period = period_of(item->period), .at = weir_testimony_at(&g->t, item->period_place)};
    weir_quote(item->period, quoted);
    if (period.period == 0)
        weir_draft_mistake(&g->t.draft, item->period_place,
                           "\"recess_period\" must be a time or a rate such as 33ms or 30Hz, not \"%s\"", quoted);
    else if (item->held_back)
        weir_testimony_add(&g->t, weir_evidence_add_period(g->t.evidence, &period), item->period_place);
    else
        weir_evidence_note(g->t.evidence, period.at,
                           "the period of %s is left out: an entity that was late may start again sooner; only the policy "
                           "MinTimeBetweenTicks keeps the period",
                           quoted);
}

/* How many threads there are is for the user to say: the model has a thread for each operator. */
static void note_scheduler(struct weir_gxf *g, const struct weir_gxf_component *c)
{
    uint32_t workers = weir_gxf_count(g, c->parameters, "worker_thread_number");
    struct weir_evidence_place at = weir_testimony_at(&g->t, c->node->place);
    if (strcmp(c->type, "GreedyScheduler") == 0)
        weir_evidence_note(g->t.evidence, at,
                           "the application runs on one thread (greedy scheduler); a model without a platform has "
                           "a thread for each operator");
    else if (workers)
        weir_evidence_note(g->t.evidence, at,
                           "the application has %u worker thread%s; a model without a platform has one for each "
                           "operator",
                           workers, workers > 1 ? "s" : "");
    else
        weir_evidence_note(g->t.evidence, at,
                           "the number of worker threads is not given, and then it is 1; a model without a "
                           "platform has one for each operator");
}

/* Whether something that may keep an entity from running is not in the model. A count ends the run, and changes no latency. */
static bool is_other_term(const char *type)
{
    size_t bytes = strlen(type), ending = strlen("SchedulingTerm");
    return bytes > ending && strcmp(type + bytes - ending, "SchedulingTerm") == 0 && strcmp(type, "CountSchedulingTerm") != 0;
}

void weir_gxf_term(struct weir_gxf *g, const struct weir_gxf_component *c)
{
    char quoted[WEIR_QUOTED];
    static const char *const schedulers[] = {"GreedyScheduler", "MultiThreadScheduler", "EventBasedScheduler"};
    if (strcmp(c->type, "MessageAvailableSchedulingTerm") == 0)
        wait_for_port(g, c, "receiver", WEIR_GXF_INPUT);
    else if (strcmp(c->type, "DownstreamReceptiveSchedulingTerm") == 0)
        wait_for_port(g, c, "transmitter", WEIR_GXF_OUTPUT);
    else if (strcmp(c->type, "MultiMessageAvailableSchedulingTerm") == 0)
        wait_for_ports(g, c);
    else if (strcmp(c->type, "PeriodicSchedulingTerm") == 0)
        read_period(g, c);
    else if (is_other_term(c->type))
        weir_evidence_note(g->t.evidence, weir_testimony_at(&g->t, c->node->place), "what a %s waits for is not in the model",
                           weir_quote(c->type, quoted));
    for (size_t i = 0; i < sizeof schedulers / sizeof *schedulers; i++)
        if (strcmp(c->type, schedulers[i]) == 0)
            note_scheduler(g, c);
}
