/* SPDX-License-Identifier: Apache-2.0 */
/* The picture of a plan: no launch begins before the overhead has passed since all it waits for ended, none ends after the bound.
 */
#include "check/flow_big.h"
#include "check/launches_inside.h"

/* Whether a + b + c <= d. Products of the denominators have three limbs, and sums of products four. */
static bool fits(struct weir_ratio a, struct weir_ratio b, int64_t c, struct weir_ratio d)
{
    struct weir_ratio terms[] = {a, b, {c, 1}, d};
    struct weir_big sum;
    weir_big_set(&sum, 0);
    for (unsigned i = 0; i < 4; i++) {
        struct weir_big term;
        weir_big_set(&term, terms[i].numerator);
        for (unsigned j = 0; j < 4; j++)
            if (j != i)
                weir_big_multiply(&term, terms[j].denominator);
        if (i < 3)
            weir_big_add(&sum, &term);
        else
            weir_big_subtract(&sum, &term);
    }
    return sum.negative || sum.count == 0;
}

bool weir_launches_starts_hold(struct weir_launches_work *w)
{
    const struct weir_gpu_launch *all = w->plan->launches;
    struct weir_ratio zero = {0, 1};
    for (uint32_t i = 0; i < w->count; i++) {
        const struct weir_gpu_launch *l = &all[i];
        if (!fits(l->start, l->time, 0, w->plan->bound))
            return weir_launches_refuse(w, "a launch is drawn to end after the bound");
        bool kept = fits(zero, zero, w->gpu.launch_overhead, l->start);
        for (size_t j = 0; kept && j < l->after_count; j++)
            kept = fits(all[l->after[j]].start, all[l->after[j]].time, w->gpu.launch_overhead, l->start);
        if (!kept)
            return weir_launches_refuse(w, "a launch is drawn to begin before it may");
    }
    return true;
}
