/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a timeline shows is what happens: on random pipelines of every kind, the executions, the queues and the critical path of a
 * witness against a simulation with the times that the witness asks for, and the picture against those.
 */
#include "answer/schedule.h"
#include "answer/timeline/timeline.h"
#include "base/alloc.h"
#include "support/random/pipeline.h"
#include "support/stage.h"
#include "support/svg.h"
#include "support/timeline.h"

#include <stdio.h>
#include <stdlib.h>

enum { PIPELINES = 1500, ITERATIONS_MAX = 400, BEYOND = 64 };

/* ---- the simulation ---- */

struct mark {
    uint32_t op;
    enum weir_part part;
    int64_t iteration;
};

struct world {
    const struct weir_pipeline *pipeline;
    const struct weir_witness *witness;
    struct mark *marks; /* what is at its worst, sorted */
    size_t mark_count;
    int64_t iterations;
    int64_t *start, *finish, *received; /* by operator and iteration */
};

static int64_t *at(int64_t *list, const struct world *w, uint32_t op, int64_t iteration)
{
    return &list[(int64_t)op * w->iterations + iteration];
}

static int by_mark(const void *a, const void *b)
{
    const struct mark *x = a, *y = b;
    if (x->op != y->op)
        return x->op < y->op ? -1 : 1;
    if (x->part != y->part)
        return x->part < y->part ? -1 : 1;
    return (x->iteration > y->iteration) - (x->iteration < y->iteration);
}

/* The witness, step by step. */
static void read_marks(struct world *w)
{
    for (int pass = 0; pass < 2; pass++) {
        size_t count = 0;
        for (size_t s = 0; s < w->witness->segment_count; s++)
            for (int64_t round = 0; round < w->witness->segments[s].repeat; round++)
                for (size_t i = 0; i < w->witness->segments[s].step_count; i++) {
                    const struct weir_step *step = &w->witness->segments[s].steps[i];
                    if (!step->counts)
                        continue;
                    if (pass)
                        w->marks[count] =
                            (struct mark){step->op.index, step->part, step->iteration + round * w->witness->segments[s].iterations};
                    count++;
                }
        if (!pass)
            w->marks = malloc((count + 1) * sizeof *w->marks);
        w->mark_count = count;
    }
    qsort(w->marks, w->mark_count, sizeof *w->marks, by_mark);
}

static bool is_marked(const struct world *w, uint32_t op, enum weir_part part, int64_t iteration)
{
    struct mark key = {op, part, iteration};
    return w->mark_count && bsearch(&key, w->marks, w->mark_count, sizeof key, by_mark);
}

static int64_t give(void *context, struct weir_operator op, enum weir_part part, int64_t iteration)
{
    struct world *w = context;
    struct weir_operator_spec spec = weir_pipeline_operator(w->pipeline, op);
    bool marked = is_marked(w, op.index, part, iteration);
    if (part == WEIR_PART_EXECUTION)
        return marked ? spec.worst : spec.best;
    int64_t time = marked ? spec.receive_max : spec.receive_min;
    *at(w->received, w, op.index, iteration) += time;
    return time;
}

static void see(void *context, struct weir_operator op, enum weir_moment moment, int64_t iteration, int64_t time)
{
    struct world *w = context;
    if (moment == WEIR_START)
        *at(w->start, w, op.index, iteration) = *at(w->received, w, op.index, iteration) = time;
    else if (moment == WEIR_FINISH)
        *at(w->finish, w, op.index, iteration) = time;
}

static void simulate(struct world *w)
{
    uint32_t operators = weir_pipeline_operator_count(w->pipeline);
    int64_t shift = w->witness->query.shift;
    w->iterations = w->witness->iteration + (shift > 0 ? shift : 0) + 1 + BEYOND;
    read_marks(w);
    w->start = calloc((size_t)w->iterations * operators, sizeof *w->start);
    w->finish = calloc((size_t)w->iterations * operators, sizeof *w->finish);
    w->received = calloc((size_t)w->iterations * operators, sizeof *w->received);
    struct weir_simulation_options options = {
        .iterations = w->iterations, .times = WEIR_TIMES_GIVEN, .given = give, .observe = see, .context = w};
    assert_int_equal(weir_simulate(w->pipeline, &options, NULL), WEIR_OK);
}

static void end_world(struct world *w)
{
    free(w->marks);
    free(w->start);
    free(w->finish);
    free(w->received);
}

/* ---- executions ---- */

static void check_executions(struct world *w, const struct weir_schedule *h)
{
    for (uint32_t op = 0; op < weir_pipeline_operator_count(w->pipeline); op++) {
        int64_t next = 0;
        while (next < w->iterations && *at(w->finish, w, op, next) <= h->begin && *at(w->start, w, op, next) < h->begin)
            next++;
        for (size_t i = h->first[op]; i < h->first[op + 1]; i++, next++) {
            const struct weir_execution *e = &h->executions[i];
            assert_int_equal(e->op, op);
            assert_int_equal(e->iteration, next);
            assert_int_equal(e->messages, 1);
            assert_int_equal(e->start, *at(w->start, w, op, next));
            assert_int_equal(e->received, *at(w->received, w, op, next));
            if (e->finish != WEIR_NOT_YET)
                assert_int_equal(e->finish, *at(w->finish, w, op, next));
            else
                assert_true(*at(w->finish, w, op, next) >= h->end);
            assert_int_equal(e->worst, is_marked(w, op, WEIR_PART_EXECUTION, next));
            assert_int_equal(e->late, is_marked(w, op, WEIR_PART_RECEIVE, next));
        }
        assert_true(next == w->iterations || *at(w->start, w, op, next) >= h->end); /* none is missing */
    }
}

/* ---- queues ---- */

/* How many of an operator's iterations have sent, or received, by a moment: each waits for those before it. */
static int64_t count_until(struct world *w, int64_t *times, uint32_t op, int64_t moment)
{
    int64_t count = 0;
    while (count < w->iterations && *at(times, w, op, count) <= moment)
        count++;
    return count;
}

static void check_queue(struct world *w, const struct weir_schedule *h, uint32_t queue)
{
    struct weir_queue_spec q = weir_pipeline_queue(w->pipeline, (struct weir_queue){queue});
    struct weir_schedule_level *levels;
    size_t count;
    assert_int_equal(weir_schedule_levels(h, (struct weir_queue){queue}, &levels, &count, NULL), WEIR_OK);
    assert_true(count > 0 && levels[0].time == h->begin);
    for (size_t i = 0; i < count; i++) {
        assert_true(i == 0 || levels[i].time > levels[i - 1].time);
        assert_true(levels[i].messages >= 0);
        assert_true(q.nonblocking || q.capacity == WEIR_UNBOUNDED || levels[i].messages <= q.capacity);
        if (levels[i].time == h->end) /* not all of that moment is seen */
            continue;
        int64_t sent = count_until(w, w->finish, q.from.index, levels[i].time);
        int64_t taken = count_until(w, w->received, q.to.index, levels[i].time);
        assert_int_equal(levels[i].messages, q.initial + sent - taken);
        int64_t until = i + 1 < count ? levels[i + 1].time : h->end; /* no change is missing */
        if (until > levels[i].time) {
            assert_int_equal(sent, count_until(w, w->finish, q.from.index, until - 1));
            assert_int_equal(taken, count_until(w, w->received, q.to.index, until - 1));
        }
    }
    weir_free(levels);
}

/* ---- the critical path ---- */

/* A queue that is why a step waits for the one before it. */
static bool explains(const struct world *w, const struct weir_schedule_step *before, const struct weir_schedule_step *s)
{
    bool data = s->step->wait == WEIR_WAIT_DATA;
    int64_t later = s->iteration - before->iteration;
    for (uint32_t i = 0; i < weir_pipeline_queue_count(w->pipeline); i++) {
        struct weir_queue_spec q = weir_pipeline_queue(w->pipeline, (struct weir_queue){i});
        uint32_t first = data ? q.from.index : q.to.index, second = data ? q.to.index : q.from.index;
        if (first == before->step->op.index && second == s->step->op.index &&
            later == (data ? (int64_t)q.initial : (int64_t)q.capacity - q.initial))
            return true;
    }
    return false;
}

static void check_path(struct world *w, const struct weir_schedule *h)
{
    assert_true(h->step_count > 0);
    assert_int_equal(h->steps[h->step_count - 1].end, h->to);
    for (size_t i = 0; i < h->step_count; i++) {
        const struct weir_schedule_step *s = &h->steps[i], *before = i ? s - 1 : NULL;
        bool execution = s->step->part == WEIR_PART_EXECUTION, timed = execution || s->step->part == WEIR_PART_RECEIVE;
        assert_true(s->end >= h->begin && s->start <= s->end);
        if (timed)
            assert_int_equal(s->start, *at(w->start, w, s->step->op.index, s->iteration));
        if (!before)
            continue;
        assert_true(s->iteration >= before->iteration);
        if (s->step->wait == WEIR_WAIT_PERIOD)
            assert_true(s->start > before->end);
        else
            assert_int_equal(s->start, before->end);
        if (s->step->wait == WEIR_WAIT_DATA || s->step->wait == WEIR_WAIT_BACKPRESSURE)
            assert_true(before->step->op.index == s->step->op.index || explains(w, before, s));
        if (s->step->wait == WEIR_WAIT_BUSY)
            assert_int_equal(s->step->op.index, before->step->op.index);
    }
}

/* ---- the timeline ---- */

/* Its spans are the executions; those that overlap lie on different rows; steps lie on the spans that they belong to. */
static void check_timeline(const struct weir_schedule *h, const struct weir_analysis *a, size_t latency)
{
    struct weir_timeline *t;
    size_t executions = 0;
    assert_int_equal(timeline_of_latency(a, latency, &t, NULL), WEIR_OK);
    assert_int_equal(t->lane_count, weir_pipeline_operator_count(a->pipeline));
    assert_int_equal(t->step_count, h->step_count);
    for (size_t lane = 0; lane < t->lane_count; lane++)
        for (size_t i = 0; i < t->lanes[lane].span_count; i++) {
            const struct weir_timeline_span *spans = &t->spans[t->lanes[lane].first_span];
            executions++;
            assert_true(spans[i].row < t->lanes[lane].rows);
            for (size_t k = 0; k < i; k++)
                assert_true(spans[k].row != spans[i].row || spans[k].to.numerator <= spans[i].from.numerator);
        }
    assert_int_equal(executions, h->count);
    for (size_t i = 0; i < t->step_count; i++) {
        const struct weir_timeline_lane *lane = &t->lanes[t->steps[i].lane];
        assert_string_equal(lane->name, weir_pipeline_operator(a->pipeline, h->steps[i].step->op).name);
        for (size_t k = lane->first_span; k < lane->first_span + lane->span_count; k++)
            assert_true(t->spans[k].iteration != t->steps[i].iteration || t->spans[k].row == t->steps[i].row);
    }
    weir_timeline_free(t);
}

/* ---- the picture ---- */

static double number_after(const char *text, const char *key)
{
    const char *found = strstr(text, key);
    assert_non_null(found);
    return strtod(found + strlen(key), NULL);
}

static void check_frame(const char *svg)
{
    double width = number_after(svg, "viewBox=\"0 0 "), height = number_after(svg, "\" height=\"");
    assert_true(width == 1120);
    for (const char *at_ = svg; (at_ = strstr(at_, "<rect class=\"w")); at_++) {
        if (strncmp(at_, "<rect class=\"wp-back", 20) == 0 || !strstr(at_, " x=\""))
            continue;
        const char *end = strchr(at_, '>');
        char part[400];
        assert_true(end && (size_t)(end - at_) < sizeof part);
        memcpy(part, at_, (size_t)(end - at_));
        part[end - at_] = 0;
        if (!strstr(part, " x=\""))
            continue; /* a tile of a hatching */
        double x = number_after(part, " x=\""), y = number_after(part, " y=\"");
        assert_true(x >= 0 && x + number_after(part, " width=\"") <= width);
        assert_true(y >= 0 && y + number_after(part, " height=\"") <= height);
    }
    for (const char *at_ = svg; (at_ = strstr(at_, "<text class=\"")); at_++) {
        double x = number_after(at_, " x=\""), y = number_after(at_, " y=\"");
        assert_true(x >= 0 && x <= width && y >= 0 && y <= height);
    }
}

/* What the bars say of themselves. Operators are named o0, o1 ... */
static void check_bars(struct world *w, const struct weir_schedule *h, const char *svg)
{
    char text[WEIR_TIME_TEXT], wanted[WEIR_TIME_TEXT + 24];
    size_t bars = 0;
    for (const char *bar = svg; (bar = strstr(bar, "<g class=\"wt-run\"")); bar++, bars++) {
        uint32_t op = (uint32_t)number_after(bar, "data-operator=\"o");
        int64_t iteration = (int64_t)number_after(bar, "data-iteration=\"");
        snprintf(wanted, sizeof wanted, "data-start=\"%s\"",
                 weir_time_format(w->pipeline, *at(w->start, w, op, iteration) - h->from, text));
        const char *start = strstr(bar, "data-start=");
        assert_int_equal(strncmp(start, wanted, strlen(wanted)), 0);
        bool critical = is_marked(w, op, WEIR_PART_EXECUTION, iteration) || is_marked(w, op, WEIR_PART_RECEIVE, iteration);
        assert_int_equal(number_after(bar, "data-critical=\""), critical);
    }
    assert_true(bars > 0);
}

static void check_picture(struct world *w, const struct weir_schedule *h, const struct weir_analysis *a, size_t latency)
{
    char *svg;
    STAGE_WRITTEN(svg, draw_latency(a, latency, out, NULL));
    svg_check_markup(svg);
    check_frame(svg);
    check_bars(w, h, svg);
    free(svg);
}

/* ---- all of it ---- */

static size_t check_latency(const struct weir_analysis *a, size_t latency)
{
    const struct weir_latency *l = &a->latencies[latency];
    struct weir_schedule h = {0};
    struct world w = {.pipeline = a->pipeline, .witness = l->witness};
    if (!l->witness || l->witness->iteration > ITERATIONS_MAX)
        return 0;
    assert_int_equal(weir_schedule_of_witness(a->pipeline, l->witness, &h, NULL), WEIR_OK);
    simulate(&w);
    assert_int_equal(h.to - h.from, l->worst.value);
    assert_true(h.begin >= 0 && h.begin <= h.from && h.begin <= h.to);
    assert_int_equal(h.end, h.from > h.to ? h.from : h.to);
    check_executions(&w, &h);
    for (uint32_t i = 0; i < weir_pipeline_queue_count(a->pipeline); i++)
        check_queue(&w, &h, i);
    check_path(&w, &h);
    check_timeline(&h, a, latency);
    check_picture(&w, &h, a, latency);
    weir_schedule_free(&h);
    end_world(&w);
    return 1;
}

static void pictures_are_true(void **state)
{
    (void)state;
    size_t checked = 0;
    for (uint64_t seed = 1; seed <= PIPELINES; seed++) {
        struct weir_random random;
        struct weir_analysis *a;
        struct weir_analyze_options options = {.work_limit = 1000000};
        weir_random_seed(&random, seed);
        struct weir_pipeline *p = weir_random_pipeline(&random, (enum weir_flavour)(seed % WEIR_FLAVOURS));
        assert_non_null(p);
        assert_int_equal(weir_analyze(p, &options, &a, NULL), WEIR_OK);
        for (size_t i = 0; i < a->latency_count && i < 3; i++)
            checked += check_latency(a, i);
        weir_analysis_free(a);
        weir_pipeline_free(p);
    }
    assert_true(checked > PIPELINES);
}

int schedule_group(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pictures_are_true)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
