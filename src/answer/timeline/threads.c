/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The threads that operators share, as lanes of their own: what runs on which of them. Workers are alike, so an execution stands on
 * the first that is free; operators of one lane of the model have a thread together.
 */
#include "answer/schedule.h"
#include "answer/timeline/timeline.h"
#include "base/alloc.h"
#include "base/number.h"
#include "model/pipeline.h"

#include <stdlib.h>

#define WORKERS_MAX 64 /* shown */

struct threads {
    struct weir_timeline *t;
    const struct weir_pipeline *pipeline;
    const uint32_t *lanes; /* by operator: of the timeline */
    struct weir_timeline_span *spans;
    size_t count;
};

static int by_start(const void *left, const void *right)
{
    const struct weir_timeline_span *a = left, *b = right;
    int order = weir_ratio_compare(a->from, b->from);
    order = order ? order : weir_ratio_compare(a->to, b->to);
    return order ? order : a->by < b->by ? -1 : a->by > b->by;
}

/* All executions of the operators that are in that lane of the model, in order of time. */
static void gather(struct threads *s, uint32_t lane)
{
    s->count = 0;
    for (uint32_t op = 0; op < s->pipeline->operator_count; op++) {
        const struct weir_timeline_lane *own = &s->t->lanes[s->lanes[op]];
        if ((s->pipeline->lanes ? s->pipeline->lanes[op] : WEIR_NO_LANE) != lane)
            continue;
        for (size_t i = 0; i < own->span_count; i++) {
            struct weir_timeline_span span = s->t->spans[own->first_span + i];
            if (span.kind > WEIR_SPAN_EXCESS)
                continue;
            span.label = weir_timeline_text(s->t, "%s %lld", own->name, (long long)span.iteration);
            span.row = 0;
            span.by = op; /* so that they have an order */
            s->spans[s->count++] = span;
        }
    }
    if (s->count)
        qsort(s->spans, s->count, sizeof *s->spans, by_start);
}

/* The executions, each on the first of so many threads that is free. */
static void add_pool(struct threads *s, uint32_t workers, const char *name)
{
    struct weir_ratio free[WORKERS_MAX] = {{0, 0}};
    for (size_t i = 0; i < s->count; i++) {
        uint32_t worker = 0;
        while (worker + 1 < workers && free[worker].denominator && weir_ratio_compare(free[worker], s->spans[i].from) > 0)
            worker++;
        free[worker] = s->spans[i].to;
        s->spans[i].row = worker;
    }
    for (uint32_t worker = 0; worker < workers; worker++) {
        weir_timeline_add_lane(
            s->t, (struct weir_timeline_lane){.name = workers > 1 ? weir_timeline_text(s->t, "%s %u", name, worker + 1) : name});
        for (size_t i = 0; i < s->count; i++) {
            struct weir_timeline_span span = s->spans[i];
            if (span.row != worker)
                continue;
            span.row = span.by = 0;
            weir_timeline_add_span(s->t, span);
        }
    }
}

void weir_timeline_add_threads(struct weir_timeline *t, const struct weir_pipeline *p, const uint32_t *lanes)
{
    uint32_t workers = p->workers.dispatch == WEIR_DISPATCH_GREEDY ? 1 : p->workers.workers;
    struct threads s = {t, p, lanes, weir_array(t->span_count, sizeof *s.spans), 0};
    t->failed |= !s.spans;
    if (s.spans && !t->failed && workers <= WORKERS_MAX) {
        weir_timeline_add_group(t, (struct weir_timeline_group){"threads", "what runs on which", true});
        for (uint32_t lane = 0; lane < p->lane_count; lane++) {
            const char *name = NULL;
            for (size_t op = 0; op < p->operator_count && !name; op++)
                name = p->lanes[op] == lane ? p->operators[op].lane : NULL;
            gather(&s, lane);
            add_pool(&s, 1, weir_timeline_text(t, "lane %s", name ? name : ""));
        }
        if (workers) {
            gather(&s, WEIR_NO_LANE);
            add_pool(&s, workers, "worker");
        }
    }
    weir_free(s.spans);
}
