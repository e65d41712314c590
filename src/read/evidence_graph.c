/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HoloHub's performance graphs as evidence. The times of nodes are those between receive() and publish(); those of edges include
 * waiting, and are passed over.
 */
#include "read/dot.h"
#include "read/testimony.h"

#include <string.h>

/* A time of the draft in nanoseconds; WEIR_TIME_UNKNOWN when there is none. */
static int64_t known_time(struct weir_testimony *t, uint32_t number, bool up)
{
    struct weir_draft_time *time = &t->draft.times[number];
    int64_t nanoseconds;
    if (number == WEIR_NO_TIME || time->bad)
        return WEIR_TIME_UNKNOWN;
    if (!time->value.has_unit || time->value.unit == WEIR_UNIT_TICK)
        weir_draft_mistake(&t->draft, time->place, "this time has no unit; expected one of ns, us, ms and s behind it");
    else if (!weir_testimony_round(&time->value, WEIR_UNIT_MS, up, &nanoseconds))
        weir_draft_mistake(&t->draft, time->place, "this time is out of range");
    else
        return nanoseconds;
    return WEIR_TIME_UNKNOWN;
}

static void add_node(struct weir_testimony *t, struct weir_dot_parser *p, uint32_t node, uint64_t count)
{
    char quoted[WEIR_QUOTED];
    const struct weir_draft_operator *o = &t->draft.operators[node];
    const struct weir_dot_node *n = &p->nodes[node];
    struct weir_place place = n->label ? n->label_place : o->place;
    struct weir_evidence_time time = {.span = WEIR_SPAN_PORTS, .count = count, .at = weir_testimony_at(t, place)};
    time.op = weir_testimony_operator(t, o->name, strlen(o->name), o->place);
    weir_dot_measure(p, node);
    if (time.op == WEIR_NOBODY || t->draft.out_of_memory)
        return;
    time.min = known_time(t, n->best, false);
    time.max = known_time(t, n->worst, true);
    if (time.max != WEIR_TIME_UNKNOWN && time.min > time.max)
        weir_draft_mistake(&t->draft, place, "the minimum of \"%s\" is above its maximum", weir_quote(o->name, quoted));
    else if (time.max != WEIR_TIME_UNKNOWN)
        weir_testimony_add(t, weir_evidence_add_time(t->evidence, &time), place);
}

static void add_edge(struct weir_testimony *t, const struct weir_draft_queue *q)
{
    const struct weir_draft_operator *from = &t->draft.operators[q->from], *to = &t->draft.operators[q->to];
    struct weir_evidence_connection connection = {
        .from = weir_evidence_find_in(t->evidence, t->file, from->name, strlen(from->name)),
        .to = weir_evidence_find_in(t->evidence, t->file, to->name, strlen(to->name)),
        .at = weir_testimony_at(t, q->place),
    };
    if (connection.from != WEIR_NOBODY && connection.to != WEIR_NOBODY)
        weir_testimony_add(t, weir_evidence_connect(t->evidence, &connection), q->place);
}

enum weir_status weir_evidence_read_perf_graph(struct weir_evidence *evidence, uint32_t file, const char *bytes, size_t size,
                                               struct weir_errors *errors)
{
    struct weir_testimony t;
    if (!weir_testimony_begin(&t, evidence, file, (struct weir_testimony_bytes){bytes, size}, errors))
        return weir_testimony_end(&t);
    struct weir_dot_parser p = {.lexer = {.draft = &t.draft, .text = &t.text}, .draft = &t.draft, .measured = true};
    evidence->files[file].connects = evidence->files[file].observed = true;
    weir_dot_parse(&p);
    if (!t.draft.mistakes && !t.draft.out_of_memory && t.draft.operator_count == 0)
        weir_draft_mistake(&t.draft, (struct weir_place){1, 1}, "this graph has no nodes");
    uint64_t count = weir_dot_messages(&p);
    for (uint32_t i = 0; i < t.draft.operator_count && weir_testimony_goes_on(&t); i++)
        add_node(&t, &p, i, count);
    for (size_t i = 0; i < t.draft.queue_count && weir_testimony_goes_on(&t); i++)
        add_edge(&t, weir_draft_queue(&t.draft, i));
    weir_dot_free(&p);
    return weir_testimony_end(&t);
}
