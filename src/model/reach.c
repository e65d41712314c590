/* SPDX-License-Identifier: Apache-2.0 */
/* Which operators begin and end the pipeline, and which are reached at all. */
#include "base/error.h"
#include "model/pipeline.h"

enum { ROOT = WEIR_ENDS_ROOT, LEAF = WEIR_ENDS_LEAF, REACHED = 4, JOINED = 8 };

/* A root has no input, a leaf no output. Where a pipeline is one great loop and has none, queues that begin with messages are
 * taken for the feedback and do not count: the rest has no cycle, so it has both. */
void weir_pipeline_mark_ends(const struct weir_pipeline *p, uint8_t *ends)
{
    int found = 0;
    for (int relaxed = 0; relaxed < 2 && found != (ROOT | LEAF); relaxed++) {
        uint8_t open = (uint8_t)((ROOT | LEAF) & ~found);
        for (size_t i = 0; i < p->operator_count; i++)
            ends[i] |= open;
        for (size_t i = 0; i < p->queue_count; i++) {
            const struct weir_queue_spec *q = &p->queues[i];
            if (q->from.index == q->to.index || (relaxed && q->initial))
                continue;
            ends[q->to.index] &= (uint8_t) ~(open & ROOT);
            ends[q->from.index] &= (uint8_t) ~(open & LEAF);
        }
        for (size_t i = 0; i < p->operator_count; i++)
            found |= ends[i];
    }
    for (size_t i = 0; i < p->source_count; i++)
        ends[p->sources[i].op.index] |= ROOT;
    for (size_t i = 0; i < p->loop_start_count; i++)
        ends[p->loop_starts[i]] |= ROOT;
}

/* Sorted queues: what follows operator o is next[first[o]] .. next[first[o + 1] - 1]; what comes before it, too, if asked for. */
struct neighbours {
    uint32_t *first, *next;
    uint32_t *stack; /* of a search */
};

static bool make_room(const struct weir_pipeline *p, struct neighbours *n, bool both)
{
    n->first = weir_array_zeroed(p->operator_count + 2, sizeof *n->first);
    n->next = weir_array(p->queue_count * (both ? 2 : 1), sizeof *n->next);
    n->stack = weir_array(p->operator_count, sizeof *n->stack);
    return n->first && n->next && n->stack;
}

static void sort_queues(const struct weir_pipeline *p, struct neighbours *n, bool both)
{
    for (size_t i = 0; i < p->queue_count; i++) {
        n->first[p->queues[i].from.index + 2]++;
        n->first[p->queues[i].to.index + 2] += both;
    }
    for (size_t i = 2; i < p->operator_count + 2; i++)
        n->first[i] += n->first[i - 1];
    for (size_t i = 0; i < p->queue_count; i++) {
        uint32_t from = p->queues[i].from.index, to = p->queues[i].to.index;
        n->next[n->first[from + 1]++] = to;
        if (both)
            n->next[n->first[to + 1]++] = from;
    }
}

static void free_neighbours(struct neighbours *n)
{
    weir_free(n->stack);
    weir_free(n->next);
    weir_free(n->first);
}

/* Marks what can be reached from the operators with one of the marks `from`. */
static void flood(const struct weir_pipeline *p, const struct neighbours *n, uint8_t *ends, uint8_t from, uint8_t mark)
{
    size_t depth = 0;
    for (uint32_t o = 0; o < p->operator_count; o++)
        if (ends[o] & from) {
            ends[o] |= mark;
            n->stack[depth++] = o;
        }
    while (depth > 0) {
        uint32_t o = n->stack[--depth];
        for (size_t i = n->first[o]; i < n->first[o + 1]; i++)
            if (!(ends[n->next[i]] & mark)) {
                ends[n->next[i]] |= mark;
                n->stack[depth++] = n->next[i];
            }
    }
}

/* A loop that no root leads to, but that queues join to what a root leads to, is a source of its own: it begins where no empty
 * queue leads to, as a pipeline does that is one great loop. False when out of memory. */
static bool find_loop_starts(struct weir_pipeline *p, uint8_t *ends)
{
    struct neighbours n;
    size_t count = 0;
    bool good = make_room(p, &n, true);
    if (good) {
        sort_queues(p, &n, true);
        flood(p, &n, ends, REACHED, JOINED);
    }
    free_neighbours(&n);
    for (size_t i = 0; i < p->queue_count; i++) {
        const struct weir_queue_spec *q = &p->queues[i];
        if (!q->initial && q->from.index != q->to.index)
            ends[q->to.index] &= (uint8_t)~JOINED;
    }
    for (size_t i = 0; i < p->operator_count; i++)
        count += (ends[i] & JOINED) && !(ends[i] & REACHED);
    if (!good || count == 0)
        return good;
    p->loop_starts = weir_array(count, sizeof *p->loop_starts);
    if (!p->loop_starts)
        return false;
    for (uint32_t i = 0; i < p->operator_count; i++)
        if ((ends[i] & JOINED) && !(ends[i] & REACHED)) {
            p->loop_starts[p->loop_start_count++] = i;
            ends[i] |= ROOT;
        }
    return true;
}

/* Marks every operator that the roots reach. */
static bool mark_reached(struct weir_pipeline *p, bool deadlocked, uint8_t *ends)
{
    struct neighbours n;
    bool good = make_room(p, &n, false), all = true;
    weir_free(p->loop_starts); /* of a try before */
    p->loop_starts = NULL;
    p->loop_start_count = 0;
    if (good) {
        weir_pipeline_mark_ends(p, ends);
        sort_queues(p, &n, false);
        flood(p, &n, ends, ROOT, REACHED);
        for (size_t i = 0; i < p->operator_count; i++)
            all &= (ends[i] & REACHED) != 0;
        if (!all && !deadlocked) {
            good = find_loop_starts(p, ends);
            flood(p, &n, ends, ROOT, REACHED);
        }
    }
    free_neighbours(&n);
    return good;
}

enum weir_status weir_pipeline_check_reach(struct weir_pipeline *p, bool deadlocked, const char *file, struct weir_errors *errors)
{
    struct weir_place nowhere = {0, 0};
    if (p->operator_count == 0)
        return weir_errors_add(errors, WEIR_INVALID, file, nowhere, "the pipeline has no operators");
    uint8_t *ends = weir_array_zeroed(p->operator_count, sizeof *ends);
    uint8_t *joined = weir_array_zeroed(p->operator_count, sizeof *joined);
    enum weir_status status = WEIR_OK;
    if (!ends || !joined || !mark_reached(p, deadlocked, ends)) {
        status = weir_errors_add(errors, WEIR_MEMORY, file, nowhere, "out of memory");
    } else {
        char quoted[WEIR_QUOTED];
        for (size_t i = 0; i < p->queue_count; i++)
            joined[p->queues[i].from.index] = joined[p->queues[i].to.index] = 1;
        for (size_t i = 0; i < p->operator_count; i++) {
            const struct weir_operator_spec *o = &p->operators[i];
            if (p->platform == WEIR_PLATFORM_PROCESSORS)
                break; /* a task graph may be one operator; what its source does not reach, the task set tells */
            if (!joined[i] && p->operator_count > 1)
                status =
                    weir_errors_add(errors, WEIR_INVALID, file, o->place,
                                    "operator \"%s\" is unreachable: no queue leads to it or from it", weir_quote(o->name, quoted));
            else if (!(ends[i] & REACHED) && !deadlocked)
                status = weir_errors_add(errors, WEIR_INVALID, file, o->place,
                                         "operator \"%s\" is unreachable: no source leads to it", weir_quote(o->name, quoted));
        }
    }
    weir_free(joined);
    weir_free(ends);
    return status;
}
