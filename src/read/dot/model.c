/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes are operators, edges are queues (docs/reference/formats.md). */
#include "read/dot/dot.h"

#include <inttypes.h>
#include <string.h>

/* ---- nodes ---- */

uint32_t weir_dot_node(struct weir_dot_parser *p, const struct weir_dot_token *name)
{
    struct weir_draft *d = p->draft;
    uint32_t op = weir_draft_find(d, name->text, name->bytes);
    if (op != WEIR_NO_OPERATOR)
        return op;
    if (!weir_draft_check_name(d, name->text, name->bytes, name->place)) {
        d->incomplete = true;
        return WEIR_NO_OPERATOR;
    }
    if (!weir_draft_room(d, &p->nodes, &p->node_capacity, d->operator_count, sizeof *p->nodes))
        return WEIR_NO_OPERATOR;
    op = weir_draft_add_operator(d, name->text, name->bytes, name->place);
    if (op == WEIR_NO_OPERATOR)
        return op;
    const struct weir_dot_attributes *a = &p->scopes[p->depth - 1].node;
    p->nodes[op] = (struct weir_dot_node){
        .worst = a->worst,
        .best = a->best,
        .period = a->period,
        .has_arrivals = weir_dot_gives(a, WEIR_KEY_ARRIVALS),
        .reentrant = a->reentrant,
        .assumed = a->assumed,
        .arrivals = a->arrivals,
        .arrivals_place = a->arrivals_place,
    };
    return op;
}

struct own_time {
    uint32_t *time;
    bool *own;
    const char *name;
};

static void describe_time(struct weir_dot_parser *p, uint32_t node, struct own_time mine, uint32_t said)
{
    struct weir_draft *d = p->draft;
    char quoted[WEIR_QUOTED];
    if (said == WEIR_NO_TIME)
        return;
    if (*mine.own)
        weir_draft_mistake(d, d->times[said].place, "operator \"%s\" is given a %s twice; the first is in line %u",
                           weir_quote(d->operators[node].name, quoted), mine.name, d->times[*mine.time].place.line);
    else
        *mine.time = said;
    *mine.own = true;
}

void weir_dot_describe(struct weir_dot_parser *p, uint32_t node, const struct weir_dot_attributes *a)
{
    struct weir_dot_node *n = &p->nodes[node];
    n->label_place = a->label ? a->label_place : n->label_place;
    n->label = a->label ? a->label : n->label;
    n->shape = a->shape ? a->shape : n->shape;
    describe_time(p, node, (struct own_time){&n->worst, &n->own_worst, "WCET"}, a->worst);
    describe_time(p, node, (struct own_time){&n->best, &n->own_best, "BCET"}, a->best);
    describe_time(p, node, (struct own_time){&n->period, &n->own_period, "period"}, a->period);
    if (weir_dot_gives(a, WEIR_KEY_REENTRANT))
        n->reentrant = a->reentrant;
    if (weir_dot_gives(a, WEIR_KEY_ASSUMED))
        n->assumed = a->assumed;
    if (weir_dot_gives(a, WEIR_KEY_ARRIVALS)) {
        n->has_arrivals = true;
        n->arrivals = a->arrivals;
        n->arrivals_place = a->arrivals_place;
    }
}

static const char *timed_name(const void *parser, uint32_t op)
{
    const struct weir_dot_parser *p = parser;
    return p->nodes[op].worst != WEIR_NO_TIME ? p->draft->operators[op].name : NULL;
}

static void finish_node(struct weir_dot_parser *p, uint32_t op)
{
    struct weir_draft *d = p->draft;
    char quoted[WEIR_QUOTED], near[WEIR_HINT];
    const struct weir_dot_node *n = &p->nodes[op];
    if (p->measured && weir_dot_measure(p, op))
        weir_draft_observe(
            d, op,
            &(struct weir_observed){
                .count = p->messages, .min = n->best, .max = n->worst, .from = d->file && *d->file ? d->file : "labels"});
    uint32_t worst = n->worst;
    weir_quote(d->operators[op].name, quoted);
    if (n->worst == WEIR_NO_TIME) {
        if (n->best != WEIR_NO_TIME)
            weir_draft_mistake(d, d->times[n->best].place, "operator \"%s\" has a BCET but no WCET", quoted);
        else if (!d->incomplete)
            weir_draft_mistake(
                d, d->operators[op].place, "operator \"%s\" has no WCET%s", quoted,
                weir_draft_hint(d, d->operators[op].name, &(struct weir_candidates){d->operator_count, timed_name, p}, near));
        worst = weir_draft_bad_time(d, d->operators[op].place);
    }
    if (n->period != WEIR_NO_TIME)
        weir_draft_add_source(
            d, &(struct weir_draft_source){
                   .spec = {.op = {op}, .period = n->period, .arrivals = n->arrivals, .place = d->times[n->period].place}});
    else if (n->has_arrivals)
        weir_draft_mistake(d, n->arrivals_place, "operator \"%s\" has \"arrivals\" but no \"period\"", quoted);
    d->operators[op].worst = worst;
    d->operators[op].best = n->best;
    d->operators[op].reentrant = n->reentrant;
    d->operators[op].assumed = n->assumed;
}

/* The response-time tools take each edge for a queue, and so does weir where the graph does not say that it means that. */
static void note_ports(struct weir_draft *d)
{
    struct weir_groups groups = {0};
    char quoted[WEIR_QUOTED];
    if (!d->options->notes || d->mistakes || !d->queue_count)
        return;
    d->out_of_memory |= !weir_draft_group_queues(d, &groups);
    for (uint32_t op = 0; op < d->operator_count && !d->out_of_memory; op++)
        if (groups.first[op + 1] - groups.first[op] > 1) {
            weir_errors_add(
                d->options->notes, WEIR_OK, d->file, d->operators[op].place,
                "each edge of \"%s\" is read as a port of its own, as the response-time tools do; where one port feeds "
                "several receivers, Holoscan inserts a broadcast and the bound can be larger: --ports unknown holds for both",
                weir_quote(d->operators[op].name, quoted));
            break;
        }
    weir_groups_free(&groups);
}

void weir_dot_finish(struct weir_dot_parser *p)
{
    struct weir_draft *d = p->draft;
    if (d->operator_count == 0 && !d->incomplete)
        weir_draft_mistake(d, (struct weir_place){1, 1}, "this graph has no nodes: a pipeline has at least one operator");
    p->messages = p->measured ? weir_dot_messages(p) : 0;
    for (uint32_t op = 0; op < d->operator_count && !d->out_of_memory; op++)
        finish_node(p, op);
    if (p->gpu_place.line && d->options->notes)
        weir_errors_add(d->options->notes, WEIR_OK, d->file, p->gpu_place,
                        "types of nodes are not read: work on a GPU is taken for an operator with a thread and a queue of its own, "
                        "which it is not; in a YAML model say it with \"gpu\" of the operator that launches it");
    if (p->separate)
        return;
    if (p->measured || d->options->ports != WEIR_PORTS_DEFAULT)
        weir_draft_fan_out(d);
    else
        note_ports(d);
}

/* ---- edges ---- */

/* In a strict graph an edge exists once; what is given for it again is for the same edge. */
static bool seen_before(struct weir_dot_parser *p, const struct weir_draft_queue *queue, const struct weir_dot_attributes *a)
{
    struct weir_draft_queue *old = NULL;
    struct weir_map_cursor probe = weir_map_begin(&p->edges, weir_hash_pair(queue->from, queue->to));
    while (!old && weir_map_next(&p->edges, &probe)) {
        struct weir_draft_queue *other = weir_draft_queue(p->draft, probe.value);
        old = other->from == queue->from && other->to == queue->to ? other : NULL;
    }
    if (!old) {
        size_t number = p->draft->queue_count;
        p->draft->out_of_memory |= number >= UINT32_MAX / 2 || !weir_map_add(&p->edges, probe.hash, (uint32_t)number);
        return p->draft->out_of_memory;
    }
    if (a->given & WEIR_DOT_GIVES_QUEUE)
        old->kind = queue->kind;
    return true;
}

/* Leaves each node in an end once. */
static void make_set(struct weir_dot_parser *p, struct weir_dot_end *end)
{
    if (end->count == 0) /* there may be no list yet */
        return;
    uint32_t *ids = p->ids + end->first;
    size_t kept = 0;
    p->stamp++;
    for (size_t i = 0; i < end->count; i++) {
        struct weir_dot_node *node = &p->nodes[ids[i]];
        if (node->stamp != p->stamp)
            ids[kept++] = ids[i];
        node->stamp = p->stamp;
    }
    end->count = kept;
}

void weir_dot_join(struct weir_dot_parser *p, struct weir_dot_end *from, struct weir_dot_end *to,
                   const struct weir_dot_attributes *a)
{
    struct weir_draft *d = p->draft;
    struct weir_dot_attributes all = p->scopes[p->depth - 1].edge;
    weir_dot_merge(&all, a);
    if (from->subgraph)
        make_set(p, from);
    if (to->subgraph)
        make_set(p, to);
    if (from->subgraph || to->subgraph) {
        uint64_t product = (uint64_t)from->count * to->count; /* each is below 2^31, the size of a file */
        if (product > WEIR_DOT_PRODUCT_MAX - p->products) {
            weir_draft_mistake(d, from->place,
                               "the subgraphs that are joined here make too many queues: %" PRIu64 " are the most in a file",
                               WEIR_DOT_PRODUCT_MAX);
            d->incomplete = true;
            return;
        }
        p->products += product;
    }
    struct weir_draft_queue queue = {.kind = weir_draft_kind(d, &all.kind), .place = from->place};
    for (size_t i = 0; i < from->count; i++)
        for (size_t j = 0; j < to->count && !d->out_of_memory; j++) {
            queue.from = p->ids[from->first + i];
            queue.to = p->ids[to->first + j];
            if (!p->strict || !seen_before(p, &queue, a))
                weir_draft_add_queue(d, &queue);
        }
}
