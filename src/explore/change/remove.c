/* SPDX-License-Identifier: Apache-2.0 */
/* What is removed, and what goes with it. */
#include "base/error.h"
#include "explore/change/change.h"
#include "model/pipeline.h"

#include <string.h>

static bool find(struct weir_revision *r, struct weir_piece piece, uint32_t *number, struct weir_operator *op)
{
    char quoted[WEIR_QUOTED], near[WEIR_HINT] = "";
    const char *name = weir_target_name(r, piece, number);
    if (!name)
        return false;
    if (weir_pipeline_find(r->pipeline, name, op) && !r->gone_operators[op->index])
        return true;
    const char **names = weir_array(r->pipeline->operator_count, sizeof *names);
    size_t count = 0;
    for (size_t i = 0; names && i < r->pipeline->operator_count; i++)
        if (!r->gone_operators[i])
            names[count++] = r->pipeline->operators[i].name;
    weir_revision_mistake(r, piece, "there is no operator \"%s\"%s", weir_quote(name, quoted),
                          names ? weir_hint_word(name, names, count, near) : "");
    weir_free(names);
    return false;
}

/* ---- what goes with an operator ---- */

struct notice {
    char text[400];
    size_t used, items, left_out;
};

static void tell(struct notice *n, const char *kind, const char *from, const char *to)
{
    char one[160], first[WEIR_QUOTED], second[WEIR_QUOTED];
    int length =
        to ? snprintf(one, sizeof one, "%s%s %s -> %s", n->items ? ", " : "", kind, weir_quote(from, first), weir_quote(to, second))
           : snprintf(one, sizeof one, "%s%s", n->items ? ", " : "", kind);
    n->items++;
    if (length < 0 || (size_t)length >= sizeof one || n->used + (size_t)length >= sizeof n->text) {
        n->left_out++;
        return;
    }
    memcpy(n->text + n->used, one, (size_t)length + 1);
    n->used += (size_t)length;
}

static const char *name_of(const struct weir_revision *r, struct weir_operator op)
{
    return r->pipeline->operators[op.index].name;
}

static void remove_operator(struct weir_revision *r, size_t change, struct weir_operator op)
{
    const struct weir_pipeline *p = r->pipeline;
    struct notice n = {.used = 0};
    char quoted[WEIR_QUOTED];
    for (size_t i = 0; i < p->queue_count; i++) {
        const struct weir_queue_spec *q = &p->queues[i];
        if (r->gone_queues[i] || (q->from.index != op.index && q->to.index != op.index))
            continue;
        r->gone_queues[i] = 1;
        tell(&n, p->platform == WEIR_PLATFORM_GPU ? "the dependency" : "the queue", name_of(r, q->from), name_of(r, q->to));
    }
    for (size_t i = 0; i < p->source_count; i++)
        if (p->sources[i].op.index == op.index)
            tell(&n, "its source", NULL, NULL);
    for (size_t i = 0; i < p->chain_count && p->shift_given; i++) {
        const struct weir_chain_spec *chain = &p->chains[i];
        bool told = r->gone_operators[chain->from.index] || r->gone_operators[chain->to.index];
        if (!told && (chain->from.index == op.index || chain->to.index == op.index))
            tell(&n, chain->has_deadline ? "the deadline" : "the latency", name_of(r, chain->from), name_of(r, chain->to));
    }
    r->gone_operators[op.index] = 1;
    if (!n.items || !r->notes)
        return;
    char more[48] = "";
    if (n.left_out)
        snprintf(more, sizeof more, " and %zu more", n.left_out);
    weir_errors_add(r->notes, WEIR_OK, r->changes[change].name ? r->changes[change].name : r->changes[change].text,
                    (struct weir_place){0, 0}, "with \"%s\" go %s%s", weir_quote(name_of(r, op), quoted), n.text, more);
}

static void remove_queues(struct weir_revision *r, const struct weir_target *t)
{
    const struct weir_pipeline *p = r->pipeline;
    struct weir_operator from, to;
    uint32_t number = 0, seen = 0, removed = 0;
    bool good = find(r, t->from, NULL, &from);
    good &= find(r, t->to, &number, &to);
    for (size_t i = 0; i < p->queue_count && good; i++) {
        if (p->queues[i].from.index != from.index || p->queues[i].to.index != to.index)
            continue;
        seen++;
        if ((number && seen != number) || r->gone_queues[i])
            continue;
        r->gone_queues[i] = 1;
        removed++;
    }
    if (good && !removed && number && seen)
        weir_revision_mistake(r, t->to, "there %s %u queue%s from \"%s\" to \"%s\", no #%u that is left", seen == 1 ? "is" : "are",
                              seen, seen == 1 ? "" : "s", name_of(r, from), name_of(r, to), number);
    else if (good && !removed)
        weir_revision_mistake(r, t->from, "there is no queue from \"%s\" to \"%s\"", name_of(r, from), name_of(r, to));
}

void weir_revision_remove(struct weir_revision *r, size_t change)
{
    struct weir_target t;
    struct weir_operator op;
    struct weir_piece piece = {change, 0, strlen(r->changes[change].text)};
    if (!weir_target_parse(r, piece, false, &t))
        return;
    if (t.arrow)
        remove_queues(r, &t);
    else if (find(r, t.from, NULL, &op))
        remove_operator(r, change, op);
}
