/* SPDX-License-Identifier: Apache-2.0 */
/* Making the certificate of an upper bound: the tables of the search that fails to exceed it. */
#include "base/alloc.h"
#include "base/error.h"
#include "check/exact/labels.h"
#include "check/exact/lines.h"
#include "engine/exact/lines.h"
#include "engine/exact/search.h"
#include "engine/exact/solver.h"

struct weir_certified weir_problem_certified(const struct weir_problem *p, int64_t threshold)
{
    return (struct weir_certified){
        .graph = p->graph,
        .lo = p->lo,
        .reference = p->reference,
        .target = p->target,
        .reference_finish = p->reference_finish,
        .target_finish = p->target_finish,
        .reference_row = p->reference_row,
        .target_row = p->target_row,
        .threshold = threshold,
    };
}

static enum weir_status check(const struct weir_search *s, bool *holds)
{
    struct weir_stretch *stretches = weir_array(s->epoch_count, sizeof *stretches);
    if (!stretches)
        return WEIR_MEMORY;
    for (size_t i = 0; i < s->epoch_count; i++) {
        const struct weir_epoch *e = &s->epochs[i];
        int64_t end = i + 1 < s->epoch_count ? e[1].first : s->row_count;
        stretches[i] = (struct weir_stretch){e->first, end, e->period, e->repeat, e->base};
    }
    struct weir_certificate certificate = {
        .about = weir_problem_certified(&s->problem, s->threshold),
        .window = s->window,
        .label = s->C,
        .best = s->D,
        .origin = s->O,
        .stretches = stretches,
        .stretch_count = s->epoch_count,
    };
    *holds = weir_certificate_check(&certificate);
    weir_free(stretches);
    return WEIR_OK;
}

struct weir_line_certificate weir_lines_certificate(const struct weir_lines *l)
{
    return (struct weir_line_certificate){
        .about = weir_problem_certified(&l->problem, l->threshold),
        .best = {l->best.sorted, l->best.begin},
        .label = {l->label.sorted, l->label.begin},
    };
}

static enum weir_status check_lines(const struct weir_lines *l, bool *holds)
{
    struct weir_line_certificate certificate = weir_lines_certificate(l);
    enum weir_check_verdict verdict = weir_line_certificate_check(&certificate);
    *holds = verdict == WEIR_CHECK_HOLDS;
    return verdict == WEIR_CHECK_NO_MEMORY ? WEIR_MEMORY : WEIR_OK;
}

enum weir_status weir_separation_certify(struct weir_solver *s, const struct weir_query *query, int64_t bound, bool *holds,
                                         struct weir_error *error)
{
    struct weir_problem problem;
    *holds = false;
    enum weir_status status = weir_problem_pose(s, query, &problem, error);
    if (status)
        return status;
    if (bound >= WEIR_NO_THRESHOLD - 1 || bound < -WEIR_NO_THRESHOLD)
        return weir_fail(error, WEIR_INVALID, "the bound is longer than can be represented");
    bool by_lines;
    switch (weir_general_decide(s, &problem, bound + 1, &by_lines)) {
    case WEIR_REACHABLE:
        return WEIR_OK; /* it does not hold */
    case WEIR_UNREACHABLE:
        status = by_lines ? check_lines(s->lines, holds) : check(s->search, holds);
        return status ? weir_fail_memory(error) : WEIR_OK;
    case WEIR_UNDECIDED:
        return weir_fail(error, WEIR_OVERFLOW, "the certificate is too large to be made within the limits");
    case WEIR_OUT_OF_MEMORY:
        break;
    }
    return weir_fail_memory(error);
}
