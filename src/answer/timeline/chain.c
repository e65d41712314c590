/* SPDX-License-Identifier: Apache-2.0 */
/* The critical chain of a plan of launches: from the one that ends last back, each time over the last to end of those it waits for.
 */
#include "answer/number.h"
#include "answer/sms.h"
#include "answer/timeline/timeline.h"
#include "base/number.h"

#include <stdlib.h>

#define TOLD 12 /* launches of a chain that are named one by one */

struct chain {
    struct weir_timeline *t;
    const struct weir_gpu_plan *plan;
    const struct weir_sms *sms;
    uint32_t *launches; /* the last first */
    size_t count;
};

static const char *label_of(const struct chain *c, uint32_t launch)
{
    const struct weir_gpu_launch *l = &c->plan->launches[launch];
    const char *name = weir_pipeline_operator(c->plan->pipeline, l->kernel).name;
    return l->parts > 1 ? weir_timeline_text(c->t, "%s %u/%u", name, l->part, l->parts) : name;
}

/* The launch whose end this one waited for, of several the last to end; false: it waited for none. */
static bool find_before(const struct chain *c, uint32_t launch, uint32_t *before)
{
    const struct weir_gpu_launch *l = &c->plan->launches[launch];
    bool found = false;
    for (size_t i = 0; i < l->after_count; i++)
        if (!found || weir_ratio_compare(c->sms->end[l->after[i]], c->sms->end[*before]) > 0) {
            *before = l->after[i];
            found = true;
        }
    return found;
}

static bool is_added(const struct weir_gpu_plan *plan, uint32_t from, uint32_t to)
{
    for (size_t i = 0; i < plan->added_count; i++)
        if (plan->added[i].from == from && plan->added[i].to == to)
            return true;
    return false;
}

static void add_step(const struct chain *c, uint32_t launch, const uint32_t *before)
{
    const struct weir_gpu_launch *l = &c->plan->launches[launch];
    struct weir_timeline_step step = {.lane = (uint32_t)c->t->lane_count - 1,
                                      .iteration = -1,
                                      .from = l->start,
                                      .to = c->sms->end[launch],
                                      .label = label_of(c, launch)};
    const struct weir_sm_range *ranges = &c->sms->ranges[c->sms->first_range[launch]], *widest = ranges;
    for (size_t i = 1; i < c->sms->first_range[launch + 1] - c->sms->first_range[launch]; i++)
        widest = ranges[i].count > widest->count ? &ranges[i] : widest;
    step.row = widest->sm + widest->count * 3 / 4; /* below the label */
    if (before) {
        bool part = c->plan->launches[*before].kernel.index == l->kernel.index, added = is_added(c->plan, *before, launch);
        step.wait = added ? WEIR_WAIT_ORDER : WEIR_WAIT_DATA;
        step.reason = weir_timeline_text(c->t,
                                         part                ? "its part before, %s, had to end"
                                         : !added            ? "needs what %s computes"
                                         : c->plan->barriers ? "its group waits for %s"
                                                             : "takes over SMs from %s",
                                         label_of(c, *before));
    }
    weir_timeline_add_step(c->t, step);
}

static struct weir_ratio length_of(const struct chain *c, size_t i)
{
    return weir_ratio_difference(c->sms->end[c->launches[i]], c->plan->launches[c->launches[i]].start);
}

/* Whether it adds up exactly; *between is what is neither launch then. */
static bool adds_up(const struct chain *c, struct weir_ratio *between)
{
    struct weir_ratio sum = weir_ticks(0);
    for (size_t i = 0; i < c->count; i++)
        sum = weir_ratio_sum(sum, length_of(c, i));
    if (weir_ratio_compare(sum, c->plan->bound) > 0)
        return false;
    *between = weir_ratio_difference(c->plan->bound, sum);
    return weir_ratio_compare(weir_ratio_sum(sum, *between), c->plan->bound) == 0;
}

/* "32 us = a 10 + b 20 + 2 between launches"; in words where there are too many, or numbers are too long for an exact sum. */
static void add_account(const struct chain *c)
{
    char *text = NULL;
    size_t bytes = 0;
    char time[WEIR_AMOUNT_TEXT];
    struct weir_ratio between;
    bool told = adds_up(c, &between) && c->count <= TOLD;
    FILE *out = open_memstream(&text, &bytes);
    if (!out) {
        c->t->failed = true;
        return;
    }
    fprintf(out, "%s = ", weir_timeline_amount(c->t, c->plan->bound, true, time));
    if (!told)
        fprintf(out, "%zu launches, each waiting for the one before it", c->count);
    for (size_t i = c->count; told && i-- > 0;)
        fprintf(out, "%s%s %s", i + 1 < c->count ? " + " : "", label_of(c, c->launches[i]),
                weir_timeline_number(c->t, length_of(c, i), true, time));
    if (told && between.numerator)
        fprintf(out, " + %s before and between launches", weir_timeline_number(c->t, between, true, time));
    c->t->failed |= fclose(out) != 0;
    c->t->account = text ? weir_timeline_text(c->t, "%s", text) : NULL;
    free(text);
}

void weir_timeline_add_chain(struct weir_timeline *t, const struct weir_gpu_plan *plan, const struct weir_sms *sms)
{
    struct chain c = {t, plan, sms, weir_array(plan->launch_count, sizeof *c.launches), 0};
    uint32_t last = 0;
    t->failed |= !c.launches;
    for (uint32_t i = 1; i < plan->launch_count; i++)
        last = weir_ratio_compare(sms->end[i], sms->end[last]) > 0 ? i : last;
    if (c.launches && plan->launch_count)
        for (bool more = true; more; more = find_before(&c, last, &last))
            c.launches[c.count++] = last;
    for (size_t i = c.count; i-- > 0;)
        add_step(&c, c.launches[i], i + 1 < c.count ? &c.launches[i + 1] : NULL);
    if (c.count && weir_ratio_compare(sms->end[c.launches[0]], plan->bound) == 0)
        add_account(&c);
    weir_free(c.launches);
}
