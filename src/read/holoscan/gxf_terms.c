/* SPDX-License-Identifier: Apache-2.0 */
/* When an entity runs: what it waits for, how often it may, and on how many threads. */
#include "read/holoscan/gxf.h"

#include <string.h>
#include <strings.h>

/* ---- values ---- */

uint32_t weir_gxf_number(struct weir_evidence_reader *t, const struct weir_yaml_node *node, const char *key)
{
    char quoted[WEIR_QUOTED];
    struct weir_decimal value;
    int64_t count;
    if (!node || node->kind == WEIR_YAML_BAD)
        return 0;
    if (node->kind == WEIR_YAML_SCALAR && !weir_decimal_parse(node->text, &value) && !value.has_unit &&
        weir_decimal_ticks(&value, WEIR_UNIT_TICK, 0, &count) && count > 0 && count < INT32_MAX)
        return (uint32_t)count;
    weir_draft_mistake(&t->draft, node->place, "\"%s\" must be a whole number from 1 on, not \"%s\"", key,
                       node->kind == WEIR_YAML_SCALAR ? weir_quote(node->text, quoted) : weir_yaml_kind_name(node));
    return 0;
}

/* A parameter of a component that is such a number. */
static uint32_t count_of(struct weir_gxf *g, const struct weir_gxf_component *c, const char *key)
{
    return weir_gxf_number(g->t, weir_gxf_value(c->parameters, key), key);
}

enum weir_evidence_policy weir_gxf_policy(struct weir_evidence_reader *t, const struct weir_yaml_node *node)
{
    if (!node)
        return WEIR_POLICY_UNKNOWN;
    if (node->kind == WEIR_YAML_SCALAR && node->bytes == 1 && *node->text >= '0' && *node->text <= '2')
        return (enum weir_evidence_policy)(WEIR_POLICY_POP + (*node->text - '0'));
    weir_draft_mistake(&t->draft, node->place, "\"policy\" must be 0 (pop), 1 (reject) or 2 (fault)");
    return WEIR_POLICY_UNKNOWN;
}

enum weir_arrivals weir_gxf_arrivals(struct weir_evidence_reader *t, const struct weir_yaml_node *node)
{
    static const enum weir_arrivals numbered[] = {WEIR_ARRIVALS_CATCH_UP, WEIR_ARRIVALS_AT_MOST, WEIR_ARRIVALS_SKIP};
    static const char *const names[] = {"CatchUpMissedTicks", "MinTimeBetweenTicks", "NoCatchUpMissedTicks"};
    const char *word = node && node->kind == WEIR_YAML_SCALAR ? node->text : "";
    char quoted[WEIR_QUOTED];
    for (int i = 0; i < 3; i++)
        if (strcmp(word, names[i]) == 0 || (word[0] == '0' + i && !word[1]))
            return numbered[i];
    if (*word)
        weir_draft_mistake(&t->draft, node->place,
                           "\"policy\" must be CatchUpMissedTicks, MinTimeBetweenTicks or NoCatchUpMissedTicks, not \"%s\"",
                           weir_quote(word, quoted));
    return WEIR_ARRIVALS_CATCH_UP; /* unless said */
}

const char *weir_gxf_type(const char *name)
{
    const char *last = name;
    for (const char *at = name; (at = strstr(at, "::")); at += 2)
        last = at + 2;
    return last;
}

/* In nanoseconds; 0: it is none. */
static int64_t parse_period(const char *text)
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

void weir_gxf_add_period(struct weir_evidence_reader *t, const struct weir_yaml_node *node, struct weir_evidence_period period)
{
    char quoted[WEIR_QUOTED];
    period.period = parse_period(node->text);
    if (period.period == 0)
        weir_draft_mistake(&t->draft, node->place, "\"recess_period\" must be a time or a rate such as 33ms or 30Hz, not \"%s\"",
                           weir_quote(node->text, quoted));
    else
        weir_evidence_reader_add(t, weir_evidence_add_period(t->evidence, &period), node->place);
}

/* ---- terms ---- */

static void wait_at(struct weir_gxf *g, uint32_t port, uint32_t size)
{
    if (port == WEIR_NO_OPERATOR)
        return;
    g->items[port].term = true;
    if (size)
        g->items[port].port.min_size = size;
}

/* "receiver" or "transmitter" of a term. */
static void wait_for_port(struct weir_gxf *g, const struct weir_gxf_component *c, const char *key, enum weir_gxf_kind kind)
{
    const struct weir_yaml_node *node = weir_gxf_value(c->parameters, key);
    if (!node) {
        weir_draft_mistake(&g->t->draft, c->node->place, "this scheduling term has no \"%s\"", key);
        return;
    }
    uint32_t port = weir_gxf_port(g, c, node, kind);
    wait_at(g, port, count_of(g, c, "min_size"));
}

/* "receivers" of a term that waits for several ports, with "min_sizes" in the same order. */
static void wait_for_ports(struct weir_gxf *g, const struct weir_gxf_component *c)
{
    struct weir_draft *d = &g->t->draft;
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
    for (const struct weir_yaml_node *node = list->first; node && weir_evidence_reader_goes_on(g->t); node = node->next) {
        uint32_t port = weir_gxf_port(g, c, node, WEIR_GXF_INPUT);
        wait_at(g, port, weir_gxf_number(g->t, size, "min_sizes"));
        size = size ? size->next : NULL;
    }
}

static void read_period(struct weir_gxf *g, const struct weir_gxf_component *c)
{
    const struct weir_yaml_node *period = weir_gxf_value(c->parameters, "recess_period");
    if (c->entity == WEIR_NO_OPERATOR)
        return;
    if (!period || period->kind != WEIR_YAML_SCALAR) {
        weir_draft_mistake(&g->t->draft, period ? period->place : c->node->place,
                           "this scheduling term needs a \"recess_period\" such as 33ms or 30Hz");
        return;
    }
    g->items[c->entity].period = period;
    g->items[c->entity].arrivals = weir_gxf_arrivals(g->t, weir_gxf_value(c->parameters, "policy"));
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
    weir_draft_mistake(&g->t->draft, node->place, "\"check_recession_period_ms\" must be a number of milliseconds from 0 on");
    return WEIR_TIME_UNKNOWN;
}

static void read_scheduler(struct weir_gxf *g, const struct weir_gxf_component *c, enum weir_dispatch dispatch)
{
    struct weir_evidence_scheduler scheduler = {
        .dispatch = dispatch, .workers = 1, .polling = WEIR_TIME_UNKNOWN, .at = weir_evidence_reader_at(g->t, c->node->place)};
    if (dispatch == WEIR_DISPATCH_POLLED)
        scheduler.polling = read_polling(g, c);
    if (dispatch != WEIR_DISPATCH_GREEDY) {
        scheduler.workers = count_of(g, c, "worker_thread_number");
        if (!scheduler.workers)
            weir_evidence_note(g->t->evidence, scheduler.at, "the number of worker threads is not given; the default is 1");
        scheduler.workers = scheduler.workers ? scheduler.workers : 1;
    }
    weir_evidence_reader_add(g->t, weir_evidence_add_scheduler(g->t->evidence, &scheduler), c->node->place);
}

/* Whether something that may keep an entity from running is not in the model. A count ends the run, and changes no latency. */
static bool is_other_term(const char *type)
{
    size_t bytes = strlen(type), ending = strlen("SchedulingTerm");
    return bytes > ending && strcmp(type + bytes - ending, "SchedulingTerm") == 0 && strcmp(type, "CountSchedulingTerm") != 0;
}

const char *weir_gxf_refused(const char *type)
{
    static const char *const refused[][2] = {
        {"OrSchedulingTermCombiner", "lets an operator run as soon as one of several terms is ready"},
        {"MessageAvailableFrequencyThrottler", "lets an operator run without messages when some time has passed"},
        {"ExpiringMessageAvailableSchedulingTerm",
         "lets an operator take messages when there are enough, or the oldest has waited long enough"},
        {"Gather", "sends each of the messages that it takes by itself, several in one execution"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (strcmp(type, refused[i][0]) == 0)
            return refused[i][1];
    return NULL;
}

/* It waits for something besides a message, such as work on a GPU that the message came from. */
static void note_term(struct weir_gxf *g, const struct weir_gxf_component *c)
{
    char quoted[WEIR_QUOTED];
    const struct weir_yaml_node *receiver = weir_gxf_value(c->parameters, "receiver");
    weir_evidence_note(
        g->t->evidence, weir_evidence_reader_at(g->t, c->node->place),
        "what the %s waits for is not in the model: if that takes a limited time, add it to the times of the operator",
        weir_quote(c->type, quoted));
    if (receiver)
        wait_at(g, weir_gxf_port(g, c, receiver, WEIR_GXF_INPUT), 0);
}

static void note_threads(struct weir_gxf *g, const struct weir_gxf_component *c)
{
    const struct weir_yaml_node *pinned = weir_gxf_value(c->parameters, "pin_entity");
    char quoted[WEIR_QUOTED];
    if (c->entity == WEIR_NO_OPERATOR || !pinned || pinned->kind != WEIR_YAML_SCALAR || strcasecmp(pinned->text, "true") != 0)
        return;
    weir_evidence_note(g->t->evidence, weir_evidence_reader_at(g->t, c->node->place),
                       "\"%s\" is pinned to a thread, which the model does not have: give it a \"lane\" there",
                       weir_quote(g->t->draft.operators[c->entity].name, quoted));
}

void weir_gxf_term(struct weir_gxf *g, const struct weir_gxf_component *c)
{
    static const char *const schedulers[] = {[WEIR_DISPATCH_GREEDY] = "GreedyScheduler",
                                             [WEIR_DISPATCH_POLLED] = "MultiThreadScheduler",
                                             [WEIR_DISPATCH_EVENTS] = "EventBasedScheduler"};
    const char *refused = weir_gxf_refused(c->type);
    if (refused)
        weir_draft_mistake(&g->t->draft, c->node->place, "%s %s, which weir cannot model", c->type, refused);
    else if (strcmp(c->type, "MessageAvailableSchedulingTerm") == 0)
        wait_for_port(g, c, "receiver", WEIR_GXF_INPUT);
    else if (strcmp(c->type, "DownstreamReceptiveSchedulingTerm") == 0)
        wait_for_port(g, c, "transmitter", WEIR_GXF_OUTPUT);
    else if (strcmp(c->type, "MultiMessageAvailableSchedulingTerm") == 0)
        wait_for_ports(g, c);
    else if (strcmp(c->type, "PeriodicSchedulingTerm") == 0)
        read_period(g, c);
    else if (strcmp(c->type, "CPUThread") == 0)
        note_threads(g, c);
    else if (strcmp(c->type, "Synchronization") == 0)
        weir_evidence_note(g->t->evidence, weir_evidence_reader_at(g->t, c->node->place),
                           "a Synchronization drops messages that have no partner, which is not in the model: bounds hold while "
                           "all have one");
    else if (is_other_term(c->type))
        note_term(g, c);
    for (unsigned i = 0; i < sizeof schedulers / sizeof *schedulers; i++)
        if (strcmp(c->type, schedulers[i]) == 0)
            read_scheduler(g, c, (enum weir_dispatch)i);
}
