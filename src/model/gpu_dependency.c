/* SPDX-License-Identifier: Apache-2.0 */
/* Work on a GPU that follows messages: it was launched by an operator that does not wait for it, and whoever launches work on what
 * it makes has that work wait, through any number of operators that only hand messages on. */
#include "base/error.h"
#include "model/links.h"
#include "model/lower.h"

struct flood {
    const struct weir_pipeline *pipeline;
    uint8_t *behind;
    uint32_t *stack;
};

/* Marks, from the operators that have the mark, along their queues what launches nothing itself. */
static void spread(const struct flood *f, const struct weir_links *links, uint8_t mark)
{
    const struct weir_pipeline *p = f->pipeline;
    size_t depth = 0;
    for (uint32_t o = 0; o < p->operator_count; o++)
        if (f->behind[o] & mark)
            f->stack[depth++] = o;
    while (depth > 0) {
        uint32_t o = f->stack[--depth];
        for (uint32_t i = links->first[o]; i < links->first[o + 1]; i++) {
            const struct weir_queue_spec *q = &p->queues[links->queue[i]];
            uint32_t other = q->from.index == o ? q->to.index : q->from.index;
            if (p->operators[other].launch || (f->behind[other] & mark))
                continue;
            f->behind[other] |= mark;
            f->stack[depth++] = other;
        }
    }
}

static enum weir_status check_cuts(const struct flood *f, const char *file, struct weir_errors *errors)
{
    const struct weir_pipeline *p = f->pipeline;
    enum weir_status status = WEIR_OK;
    char from[WEIR_QUOTED], to[WEIR_QUOTED];
    for (size_t i = 0; i < p->queue_count; i++) {
        const struct weir_queue_spec *q = &p->queues[i];
        if (weir_queue_is_cut(q) && (f->behind[q->from.index] & WEIR_TRAILS) && (f->behind[q->to.index] & WEIR_NEEDS))
            status =
                weir_errors_add(errors, WEIR_INVALID, file, q->place,
                                "there may be work on a GPU behind the messages from \"%s\" to \"%s\" that other work waits "
                                "for: that is known only where each message is waited for",
                                weir_quote(p->operators[q->from.index].name, from), weir_quote(p->operators[q->to.index].name, to));
    }
    return status;
}

enum weir_status weir_gpu_dependency_find(struct weir_lowering *l, const char *file, struct weir_errors *errors)
{
    const struct weir_pipeline *p = l->pipeline;
    bool any = false;
    for (size_t o = 0; o < p->operator_count; o++)
        any |= p->operators[o].launch && !p->operators[o].launch->waits;
    if (!any)
        return WEIR_OK;
    struct weir_links out = {0}, in = {0};
    l->behind = weir_array_zeroed(p->operator_count, sizeof *l->behind);
    struct flood f = {p, l->behind, weir_array(p->operator_count, sizeof *f.stack)};
    enum weir_status status;
    if (!f.behind || !f.stack || !weir_links_make(&out, p, WEIR_LINKS_OUT) || !weir_links_make(&in, p, WEIR_LINKS_IN)) {
        status = weir_errors_add(errors, WEIR_MEMORY, file, (struct weir_place){0, 0}, "out of memory");
    } else {
        for (size_t o = 0; o < p->operator_count; o++)
            if (p->operators[o].launch)
                f.behind[o] = p->operators[o].launch->waits ? WEIR_NEEDS : WEIR_TRAILS | WEIR_NEEDS;
        spread(&f, &out, WEIR_TRAILS);
        spread(&f, &in, WEIR_NEEDS);
        status = check_cuts(&f, file, errors);
    }
    weir_links_free(&out);
    weir_links_free(&in);
    weir_free(f.stack);
    return status;
}
