/* SPDX-License-Identifier: Apache-2.0 */
/* The worst case as it happens: what is in it, as a timeline, as a trace; models as drawings; whole reports. */
#include "answer/schedule.h"
#include "support/stage.h"
#include "support/svg.h"
#include "support/timeline.h"

#include <stdlib.h>

/* camera 100, infer 100..500, post 100, display 50..400: each queue holds one. */
static struct weir_pipeline *build(void)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    struct weir_operator a = stage_operator(p, "camera", 0, 100), b = stage_operator(p, "infer <&>", 100, 500);
    struct weir_operator c = stage_operator(p, "post", 0, 100), d = stage_operator(p, "display", 50, 400);
    stage_queue(p, a, b, 1, 0);
    stage_queue(p, b, c, 2, 0);
    stage_queue(p, c, d, 1, 0);
    assert_int_equal(weir_pipeline_set_name(p, "A \"name\" & <more>", NULL), WEIR_OK);
    stage_seal(p);
    return p;
}

static struct weir_analysis *analyze(const struct weir_pipeline *p)
{
    struct weir_analysis *a;
    assert_int_equal(weir_analyze(p, NULL, &a, NULL), WEIR_OK);
    return a;
}

typedef enum weir_status writer(const struct weir_analysis *analysis, FILE *out);

static char *text_of(const struct weir_analysis *a, writer *write)
{
    char *text;
    STAGE_WRITTEN(text, write(a, out));
    return text;
}

static enum weir_status write_gantt(const struct weir_analysis *a, FILE *out)
{
    return draw_latency(a, 0, out, NULL);
}

static enum weir_status write_trace(const struct weir_analysis *a, FILE *out)
{
    return trace_latency(a, 0, out, NULL);
}

static enum weir_status write_drawing(const struct weir_analysis *a, FILE *out)
{
    struct weir_answer *answer;
    enum weir_status status = weir_answer_find(a->pipeline, NULL, &answer, NULL);
    status = status ? status : weir_pipeline_write_drawing(a->pipeline, answer, 0, out, NULL);
    weir_answer_free(answer);
    return status;
}

static enum weir_status write_report(const struct weir_analysis *a, FILE *out)
{
    struct weir_report_model model = {.pipeline = a->pipeline};
    return weir_report_write(&model, 1, NULL, out, NULL, NULL);
}

/* ---- what happens ---- */

/* The path's steps follow each other without a gap, up to the end; those that count are marked among the executions. */
static void check_schedule(const struct weir_analysis *a, size_t latency)
{
    struct weir_schedule h = {0};
    const struct weir_latency *l = &a->latencies[latency];
    assert_int_equal(weir_schedule_of_witness(a->pipeline, l->witness, &h, NULL), WEIR_OK);
    assert_int_equal(h.to - h.from, l->worst.value);
    assert_true(h.begin <= h.from && h.end >= h.to && h.begin >= 0);
    assert_true(h.step_count > 0);
    assert_int_equal(h.steps[h.step_count - 1].end, h.to);
    for (size_t i = 0; i < h.step_count; i++) {
        const struct weir_schedule_step *s = &h.steps[i];
        if (i && s->step->wait != WEIR_WAIT_PERIOD)
            assert_int_equal(s->start, h.steps[i - 1].end);
        if (!s->step->counts || s->step->part != WEIR_PART_EXECUTION || s->end <= h.begin)
            continue;
        bool found = false;
        for (size_t k = h.first[s->step->op.index]; k < h.first[s->step->op.index + 1]; k++)
            if (h.executions[k].iteration == s->iteration) {
                found = true;
                assert_true(h.executions[k].worst);
                assert_int_equal(h.executions[k].start, s->start);
                if (h.executions[k].finish != WEIR_NOT_YET)
                    assert_int_equal(h.executions[k].finish, s->end);
            }
        assert_true(found);
    }
    for (uint32_t q = 0; q < weir_pipeline_queue_count(a->pipeline); q++) {
        struct weir_queue_spec spec = weir_pipeline_queue(a->pipeline, (struct weir_queue){q});
        struct weir_schedule_level *levels;
        size_t count;
        assert_int_equal(weir_schedule_levels(&h, (struct weir_queue){q}, &levels, &count, NULL), WEIR_OK);
        assert_true(count > 0);
        for (size_t i = 0; i < count; i++) {
            assert_true(levels[i].messages >= 0);
            assert_true(spec.nonblocking || spec.capacity == WEIR_UNBOUNDED || levels[i].messages <= spec.capacity);
            assert_true(i == 0 || levels[i].time > levels[i - 1].time);
        }
        weir_free(levels);
    }
    weir_schedule_free(&h);
}

TEST(schedules)
{
    struct weir_pipeline *p = build();
    struct weir_analysis *a = analyze(p);
    check_schedule(a, 0);
    weir_analysis_free(a);
    weir_pipeline_free(p);
    for (uint64_t seed = 1; seed <= 150; seed++) {
        struct weir_generate_options options = {.nodes = 2 + (uint32_t)(seed % 9),
                                                .seed = seed,
                                                .density_permille = 300,
                                                .best_permille = (uint32_t)(seed % 4) * 300,
                                                .queue = 1 + (uint32_t)(seed % 3)};
        assert_int_equal(weir_generate_holoscan(&options, &p, NULL), WEIR_OK);
        a = analyze(p);
        check_schedule(a, 0);
        weir_analysis_free(a);
        weir_pipeline_free(p);
    }
}

/* ---- pictures ---- */

TEST(timeline_by_hand)
{
    struct weir_pipeline *p = build();
    struct weir_analysis *a = analyze(p);
    char worst[WEIR_TIME_TEXT], *text = text_of(a, write_gantt), *again = text_of(a, write_gantt);
    assert_string_equal(text, again);
    svg_check_markup(text);
    assert_non_null(strstr(text, "infer &lt;&amp;&gt;"));
    assert_null(strstr(text, "infer <"));
    weir_time_format(p, a->latencies[0].worst.value, worst);
    assert_non_null(strstr(text, worst));
    assert_int_equal(svg_count(text, "class=\"wt-level\""), 3); /* a strip for each queue */
    assert_true(svg_count(text, "data-critical=\"1\"") > 0);
    assert_true(svg_count(text, "class=\"wt-mark\"") > 0);
    free(text);
    free(again);
    struct weir_error error = {0};
    assert_int_equal(draw_latency(a, 1, stdout, &error), WEIR_INVALID);
    weir_analysis_free(a);
    weir_pipeline_free(p);
}

TEST(traces)
{
    struct weir_pipeline *p = build();
    struct weir_analysis *a = analyze(p);
    char *text = text_of(a, write_trace), *simulated = NULL;
    assert_true(svg_count(text, "\"ph\": \"X\"") > 0);
    assert_int_equal(svg_count(text, "\"ph\": \"s\""), svg_count(text, "\"ph\": \"f\"")); /* arrows begin and end */
    assert_int_equal(svg_count(text, "\"thread_name\""), 4 + 1);                          /* and that of the critical path */
    free(text);
    size_t bytes;
    FILE *out = open_memstream(&simulated, &bytes);
    struct weir_simulation_options options = {.iterations = 10, .times = WEIR_TIMES_WORST};
    assert_int_equal(trace_simulation(p, &options, out, NULL), WEIR_OK);
    fclose(out);
    assert_int_equal(svg_count(simulated, "\"ph\": \"X\""), 40);
    assert_int_equal(svg_count(simulated, "\"cat\": \"data\""), 2 * 30); /* both ends of each message of each queue */
    free(simulated);
    options.iterations = INT64_MAX;
    assert_int_equal(trace_simulation(p, &options, stdout, NULL), WEIR_INVALID);
    weir_analysis_free(a);
    weir_pipeline_free(p);
}

TEST(drawings)
{
    if (!weir_drawing_available(NULL))
        skip();
    struct weir_pipeline *p = build();
    struct weir_analysis *a = analyze(p);
    char *text = text_of(a, write_drawing);
    svg_check_markup(text);
    assert_int_equal(svg_count(text, "class=\"wd-operator\""), 4);
    assert_int_equal(svg_count(text, "class=\"wd-queue\""), 3);
    assert_non_null(strstr(text, "wd-frame\" x=")); /* the bottleneck */
    assert_non_null(strstr(text, "100 to 500"));
    free(text);
    weir_analysis_free(a);
    weir_pipeline_free(p);
}

TEST(reports)
{
    struct weir_pipeline *p = build();
    struct weir_analysis *a = analyze(p);
    char *text = text_of(a, write_report), *again = text_of(a, write_report);
    assert_string_equal(text, again);
    assert_int_equal(strncmp(text, "<!doctype html>", 15), 0);
    assert_null(strstr(text, "http://1"));
    assert_null(strstr(text, "https://"));
    assert_null(strstr(text, "src=\""));
    assert_null(strstr(text, "<more>")); /* a name is text wherever it stands */
    assert_non_null(strstr(text, "class=\"verdict good\""));
    assert_non_null(strstr(text, "What to change"));
    assert_non_null(strstr(text, weir_report_live(NULL) ? "id=\"engine\"" : "cannot recompute"));
    free(text);
    free(again);
    assert_int_equal(weir_report_write(NULL, 0, NULL, stdout, NULL, NULL), WEIR_INVALID);
    weir_analysis_free(a);
    weir_pipeline_free(p);
}

/* ---- memory ---- */

struct job {
    struct weir_analysis *analysis;
    writer *write;
};

static enum weir_status run(void *context)
{
    struct job *job = context;
    FILE *out = fopen("/dev/null", "w");
    assert_non_null(out);
    enum weir_status status = job->write(job->analysis, out);
    fclose(out);
    return status;
}

TEST(memory)
{
    static writer *const writers[] = {write_gantt, write_trace};
    struct weir_pipeline *p = build();
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
        struct job job = {analyze(p), writers[i]};
        assert_true(stage_fail_each_allocation(run, &job) > 4);
        weir_analysis_free(job.analysis);
    }
    weir_pipeline_free(p);
}
