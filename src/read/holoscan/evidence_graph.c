/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Graphs with times as evidence. In HoloHub's performance graphs those of nodes are between receive() and publish(); those of edges
 * include waiting, and are ignored. A WCET is of a whole execution.
 */
#include "read/dot/dot.h"
#include "read/holoscan/evidence.h"

#include <string.h>

/* A time of the draft in nanoseconds; WEIR_TIME_UNKNOWN when there is none. */
static int64_t known_time(struct weir_evidence_reader *t, uint32_t number, bool up)
{
    const struct weir_draft *d = &t->draft;
    struct weir_draft_time *time = &t->draft.times[number];
    int64_t nanoseconds;
    if (number == WEIR_NO_TIME || time->bad)
        return WEIR_TIME_UNKNOWN;
    enum weir_unit unit = time->value.has_unit ? time->value.unit : d->has_unit ? d->unit : WEIR_UNIT_TICK;
    if (unit == WEIR_UNIT_TICK && time->value.mantissa)
        weir_draft_mistake(&t->draft, time->place,
                           "this time has no unit, as those of an application have: write one into the graph, as in unit=us;");
    else if (!weir_evidence_reader_round(&time->value, unit == WEIR_UNIT_TICK ? WEIR_UNIT_MS : unit, up, &nanoseconds))
        weir_draft_mistake(&t->draft, time->place, "this time is out of range");
    else
        return nanoseconds;
    return WEIR_TIME_UNKNOWN;
}

static void add_node(struct weir_evidence_reader *t, struct weir_dot_parser *p, uint32_t node, uint64_t count)
{
    char quoted[WEIR_QUOTED];
    const struct weir_draft_operator *o = &t->draft.operators[node];
    const struct weir_dot_node *n = &p->nodes[node];
    struct weir_place place = n->label ? n->label_place : o->place;
    struct weir_evidence_time time = {.span = WEIR_SPAN_PORTS, .count = count, .at = weir_evidence_reader_at(t, place)};
    if (n->worst != WEIR_NO_TIME) {
        time.span = WEIR_SPAN_EXECUTION;
        time.count = 0;
    }
    time.op = weir_evidence_reader_operator(t, o->name, strlen(o->name), o->place);
    weir_dot_measure(p, node);
    if (time.op == WEIR_NO_OPERATOR || t->draft.out_of_memory)
        return;
    time.min = known_time(t, n->best, false);
    time.max = known_time(t, n->worst, true);
    if (time.max != WEIR_TIME_UNKNOWN && time.min > time.max)
        weir_draft_mistake(&t->draft, place, "the minimum of \"%s\" is above its maximum", weir_quote(o->name, quoted));
    else if (time.max != WEIR_TIME_UNKNOWN)
        weir_evidence_reader_add(t, weir_evidence_add_time(t->evidence, &time), place);
}

static void add_edge(struct weir_evidence_reader *t, const struct weir_draft_queue *q)
{
    const struct weir_draft_operator *from = &t->draft.operators[q->from], *to = &t->draft.operators[q->to];
    struct weir_evidence_connection connection = {
        .from = weir_evidence_find_in(t->evidence, t->file, from->name, strlen(from->name)),
        .to = weir_evidence_find_in(t->evidence, t->file, to->name, strlen(to->name)),
        .at = weir_evidence_reader_at(t, q->place),
    };
    if (connection.from != WEIR_NO_OPERATOR && connection.to != WEIR_NO_OPERATOR)
        weir_evidence_reader_add(t, weir_evidence_connect(t->evidence, &connection), q->place);
}

/* Queues and periods are attributes of weir's own. Other files say them otherwise: which would count? */
static void note_rest(struct weir_evidence_reader *t, const struct weir_dot_parser *p)
{
    const struct weir_draft *d = &t->draft;
    bool more = d->queue != 0;
    for (size_t i = 0; i < d->kind_count && !more; i++) {
        const struct weir_queue_spec *k = &d->kinds[i].spec;
        more = k->capacity || k->initial || k->nonblocking || k->consume || k->optional || k->latest || k->full;
    }
    for (size_t i = 0; i < d->operator_count && !more; i++)
        more = p->nodes[i].period != WEIR_NO_TIME || p->nodes[i].reentrant;
    if (more)
        weir_evidence_note(t->evidence, (struct weir_evidence_place){t->file, 0},
                           "only the times and connections of this graph are read, not its queues and periods; read as a model, "
                           "without --from, it keeps them");
}

void weir_evidence_read_perf_graph(struct weir_evidence_reader *t)
{
    struct weir_draft *d = &t->draft;
    struct weir_dot_parser p = {.lexer = {.draft = d, .text = &t->text}, .draft = d, .measured = weir_text_is_measured(&t->text)};
    t->evidence->files[t->file].observed = p.measured;
    weir_dot_parse(&p);
    if (!d->mistakes && !d->out_of_memory && d->operator_count == 0)
        weir_draft_mistake(d, (struct weir_place){1, 1}, "this graph has no nodes");
    uint64_t count = weir_dot_messages(&p);
    for (uint32_t i = 0; i < d->operator_count && weir_evidence_reader_goes_on(t); i++)
        add_node(t, &p, i, count);
    for (size_t i = 0; i < d->queue_count && weir_evidence_reader_goes_on(t); i++)
        add_edge(t, weir_draft_queue(d, i));
    if (weir_evidence_reader_goes_on(t))
        note_rest(t, &p);
    weir_dot_free(&p);
}
