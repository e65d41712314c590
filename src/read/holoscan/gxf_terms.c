/* SPDX-License-Identifier: Apache-2.0 */
/* When an entity runs: what it waits for, how often it may, and on how many threads. */
#include "read/holoscan/gxf.h"

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
    for (const struct weir_yaml_node *node = list->first; node && weir_evidence_reader_goes_on(&g->t); node = node->next) {
        uint32_t port = weir_gxf_port(g, c, node, WEIR_GXF_INPUT);
        uint32_t count = size ? weir_gxf_number(g, size, "min_sizes") : 0;
        size = size ? size->next : NULL;
        if (port == WEIR_NO_OPERATOR)
            continue;
        g->items[port].term = true;
        g->items[port].min_size = count ? count : g->items[port].min_size;
    }
}

static const char *const policies[] = {
    [WEIR_ARRIVALS_AT_MOST] = "MinTimeBetweenTicks",
    [WEIR_ARRIVALS_CATCH_UP] = "CatchUpMissedTicks",
    [WEIR_ARRIVALS_SKIP] = "NoCatchUpMissedTicks",
};

bool weir_gxf_arrivals(const char *word, enum weir_arrivals *arrivals)
{
    static const enum weir_arrivals numbered[] = {WEIR_ARRIVALS_CATCH_UP, WEIR_ARRIVALS_AT_MOST, WEIR_ARRIVALS_SKIP};
    *arrivals = WEIR_ARRIVALS_CATCH_UP; /* unless said */
    if (word[0] >= '0' && word[0] <= '2' && !word[1]) {
        *arrivals = numbered[word[0] - '0'];
        return true;
    }
    for (unsigned i = 0; i < sizeof policies / sizeof *policies; i++)
        if (policies[i] && strcmp(word, policies[i]) == 0) {
            *arrivals = (enum weir_arrivals)i;
            return true;
        }
    return !*word;
}

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
    char quoted[WEIR_QUOTED];
    if (!weir_gxf_arrivals(word, &entity->arrivals))
        weir_draft_mistake(&g->t.draft, policy ? policy->place : c->node->place,
                           "\"policy\" must be CatchUpMissedTicks, MinTimeBetweenTicks or NoCatchUpMissedTicks, not \"%s\"",
                           weir_quote(word, quoted));
}

int64_t weir_gxf_period(const char *text)
{
    struct weir_decimal value;
    int64_t nanoseconds = 0;
    char number[64];
    size_t bytes = strlen(text);
    if (bytes < 3 || bytes >= sizeof number || strcasecmp(text + bytes - 2, "hz") != 0)
        return weir_decimal_parse(text, &value) == WEIR_DECIMAL_OK && !(value.has_unit && value.unit == WEIR_UNIT_TICK) &&
                       weir_evidence_reader_round(&value, WEIR_UNIT_NS, false, &nanoseconds)
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
    struct weir_evidence_period period = {.op = item->op,
                                          .period = weir_gxf_period(item->period),
                                          .arrivals = item->arrivals,
                                          .at = weir_evidence_reader_at(&g->t, item->period_place)};
    if (period.period == 0)
        weir_draft_mistake(&g->t.draft, item->period_place,
                           "\"recess_period\" must be a time or a rate such as 33ms or 30Hz, not \"%s\"",
                           weir_quote(item->period, quoted));
    else
        weir_evidence_reader_add(&g->t, weir_evidence_add_period(g->t.evidence, &period), item->period_place);
}

/* "check_recession_period_ms", a number of milliseconds. */
static int64_t read_polling(struct weir_gxf *g, const struct weir_gxf_component *c)
{
    const struct weir_yaml_node *node = weir_gxf_value(c->parameters, "check_recession_period_ms");
    struct weir_decimal value;
    int64_t polling;
    if (!node)
        return WEIR_TIME_UNKNOWN;
    if (node->kind == WEIR_YAML_SCALAR && !weir_decimal_parse(node->text, &value) && !value.has_unit &&
        weir_evidence_reader_round(&value, WEIR_UNIT_MS, true, &polling))
        return polling;
    weir_draft_mistake(&g->t.draft, node->place, "\"check_recession_period_ms\" must be a number of milliseconds from 0 on");
    return WEIR_TIME_UNKNOWN;
}

static void read_scheduler(struct weir_gxf *g, const struct weir_gxf_component *c, enum weir_dispatch dispatch)
{
    struct weir_evidence_scheduler scheduler = {
        .dispatch = dispatch, .workers = 1, .polling = WEIR_TIME_UNKNOWN, .at = weir_evidence_reader_at(&g->t, c->node->place)};
    if (dispatch == WEIR_DISPATCH_POLLED)
        scheduler.polling = read_polling(g, c);
    if (dispatch != WEIR_DISPATCH_GREEDY) {
        scheduler.workers = weir_gxf_count(g, c->parameters, "worker_thread_number");
        if (!scheduler.workers)
            weir_evidence_note(g->t.evidence, scheduler.at, "the number of worker threads is not given, and then it is 1");
        scheduler.workers = scheduler.workers ? scheduler.workers : 1;
    }
    weir_evidence_reader_add(&g->t, weir_evidence_add_scheduler(g->t.evidence, &scheduler), c->node->place);
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
    static const char *const schedulers[] = {[WEIR_DISPATCH_GREEDY] = "GreedyScheduler",
                                             [WEIR_DISPATCH_POLLED] = "MultiThreadScheduler",
                                             [WEIR_DISPATCH_EVENTS] = "EventBasedScheduler"};
    if (strcmp(c->type, "MessageAvailableSchedulingTerm") == 0)
        wait_for_port(g, c, "receiver", WEIR_GXF_INPUT);
    else if (strcmp(c->type, "DownstreamReceptiveSchedulingTerm") == 0)
        wait_for_port(g, c, "transmitter", WEIR_GXF_OUTPUT);
    else if (strcmp(c->type, "MultiMessageAvailableSchedulingTerm") == 0)
        wait_for_ports(g, c);
    else if (strcmp(c->type, "PeriodicSchedulingTerm") == 0)
        read_period(g, c);
    else if (is_other_term(c->type))
        weir_evidence_note(g->t.evidence, weir_evidence_reader_at(&g->t, c->node->place), "what a %s waits for is not in the model",
                           weir_quote(c->type, quoted));
    for (unsigned i = 0; i < sizeof schedulers / sizeof *schedulers; i++)
        if (strcmp(c->type, schedulers[i]) == 0)
            read_scheduler(g, c, (enum weir_dispatch)i);
}
