/* SPDX-License-Identifier: Apache-2.0 */
/* What a caller can get wrong: an index that is none, no pipeline at all, one that is not sealed. Where there is an error to return
 * it is returned, and where there is none the value says that there is nothing; nobody crashes. */
#include "support/stage.h"

#include <stdio.h>
#include <string.h>

static FILE *sink;

/* ---- no pipeline, and one that is not sealed ---- */

#define ASK(name, ...)                                                                                                             \
    static enum weir_status name(const struct weir_pipeline *p, struct weir_error *e)                                              \
    {                                                                                                                              \
        __VA_ARGS__                                                                                                                \
    }

ASK(answer, struct weir_answer *a; return weir_answer_find(p, NULL, &a, e);)
ASK(answer_simulate, struct weir_answer *a; return weir_answer_simulate(p, NULL, &a, e);)
ASK(analyze, struct weir_analysis *a; return weir_analyze(p, NULL, &a, e);)
ASK(solver, return weir_solver_new(p, e) ? WEIR_OK : WEIR_INVALID;)
ASK(throughput, struct weir_ratio r; return weir_throughput(p, (struct weir_operator){0}, true, &r, NULL, NULL, e);)
ASK(simulate, return weir_simulate(p, &(struct weir_simulation_options){.iterations = 1}, e);)
ASK(ages, return weir_simulate_ages(p, &(struct weir_age_options){.run = {.iterations = 1}}, NULL, e);)
ASK(replay, struct weir_witness w = {.iteration = 0}; int64_t s; return weir_witness_replay(p, &w, &s, e);)
ASK(priority, struct weir_priority_analysis *a; return weir_priority_analyze(p, NULL, &a, e);)
ASK(processors, return weir_processors_simulate(p, &(struct weir_processors_options){.iterations = 1}, e);)
ASK(edf, struct weir_edf_analysis *a; return weir_edf_analyze(p, NULL, &a, e);)
ASK(cores, return weir_edf_simulate(p, &(struct weir_edf_simulation_options){.rounds = 1}, NULL, e);)
ASK(batch, struct weir_pipeline *b; return weir_pipeline_batch(p, WEIR_BATCH_UNIFORM, 1, &b, e);)
ASK(merge, struct weir_pipeline *m; return weir_pipeline_merge(p, (struct weir_operator){0}, (struct weir_operator){1}, 0, &m, e);)
ASK(batches, struct weir_batch_exploration *x; return weir_batch_explore(p, &(struct weir_batch_options){.cores = 1}, &x, e);)
ASK(gpu, struct weir_gpu_plan *g; return weir_gpu_analyze(p, NULL, &g, e);)
ASK(workers, struct weir_workers_analysis *a; return weir_workers_analyze(p, NULL, &a, e);)
ASK(workers_run, return weir_workers_simulate(p, &(struct weir_workers_simulation){.iterations = 1}, e);)
ASK(sample, struct weir_async_analysis *a; return weir_async_analyze(p, NULL, &a, e);)
ASK(explore, struct weir_exploration *x; return weir_explore(p, &(struct weir_explore_options){.starts = 1}, &x, e);)
ASK(size, struct weir_sizing *s; return weir_size_queues(p, &(struct weir_sizing_options){.most = 1}, &s, e);)
ASK(front, struct weir_front *f; return weir_front_find(p, &(struct weir_sizing_options){.most = 1}, &f, e);)
ASK(margins, struct weir_margins *m; return weir_margins_find(p, 0, NULL, &m, e);)
ASK(scaling, struct weir_scaling s; return weir_scaling_find(p, NULL, &s, e);)
ASK(pacing, struct weir_pacing s; return weir_pacing_find(p, 0, NULL, &s, e);)
ASK(sensitivity, struct weir_sensitivity *s; return weir_sensitivity_find(p, 0, NULL, &s, e);)
ASK(method, struct weir_method_result r; return weir_method_run(p, WEIR_METHOD_TGDFS, 0, NULL, &r, e);)
ASK(partition, struct weir_partition *x; return weir_partition_find(p, &(struct weir_partition_options){.sms = 1}, &x, e);)
ASK(evaluator, return weir_evaluator_new(p, e) ? WEIR_OK : WEIR_INVALID;)
ASK(log_writer, return weir_flow_writer_new(p, e) ? WEIR_OK : WEIR_INVALID;)
ASK(run, struct weir_run *r; return weir_run_new(p, NULL, &r, e);)
ASK(execute, struct weir_run *r; return weir_run_execute(p, NULL, &r, e);)
ASK(timeline, struct weir_timeline *t;
    return weir_timeline_of_simulation(p, &(struct weir_simulation_options){.iterations = 1}, &t, e);)
ASK(report, struct weir_report_model m = {.pipeline = p}; return weir_report_write(&m, 1, NULL, sink, NULL, e);)
ASK(write_uppaal, return weir_pipeline_write(p, WEIR_MODEL_UPPAAL, 0, sink, e);)
ASK(write_sdf3, return weir_pipeline_write(p, WEIR_MODEL_SDF3, 0, sink, e);)

static const struct {
    const char *name;
    enum weir_status (*ask)(const struct weir_pipeline *pipeline, struct weir_error *error);
} need_sealed[] = {
    {"answer", answer},
    {"answer_simulate", answer_simulate},
    {"analyze", analyze},
    {"solver", solver},
    {"throughput", throughput},
    {"simulate", simulate},
    {"ages", ages},
    {"replay", replay},
    {"priority", priority},
    {"processors", processors},
    {"edf", edf},
    {"cores", cores},
    {"batch", batch},
    {"merge", merge},
    {"batches", batches},
    {"gpu", gpu},
    {"workers", workers},
    {"workers_run", workers_run},
    {"sample", sample},
    {"explore", explore},
    {"size", size},
    {"front", front},
    {"margins", margins},
    {"scaling", scaling},
    {"pacing", pacing},
    {"sensitivity", sensitivity},
    {"method", method},
    {"partition", partition},
    {"evaluator", evaluator},
    {"log_writer", log_writer},
    {"run", run},
    {"execute", execute},
    {"timeline", timeline},
    {"report", report},
    {"write_uppaal", write_uppaal},
    {"write_sdf3", write_sdf3},
};

static void assert_refused(const char *name, enum weir_status status, const struct weir_error *error)
{
    if (status != WEIR_INVALID || error->status != WEIR_INVALID || !*error->message)
        fail_msg("%s: status %d, error %d \"%s\"", name, (int)status, (int)error->status, error->message);
}

static struct weir_pipeline *unsealed(void)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    assert_non_null(p);
    struct weir_operator a = stage_operator(p, "a", 1, 2), b = stage_operator(p, "b", 1, 2);
    stage_queue(p, a, b, 1, 0);
    stage_period(p, a, 10, WEIR_ARRIVALS_AT_MOST);
    return p;
}

static void pipelines_that_cannot_be_asked(void **state)
{
    (void)state;
    struct weir_pipeline *p = unsealed();
    for (size_t i = 0; i < sizeof need_sealed / sizeof *need_sealed; i++) {
        struct weir_error error = {.status = WEIR_OK};
        assert_refused(need_sealed[i].name, need_sealed[i].ask(NULL, &error), &error);
        error = (struct weir_error){.status = WEIR_OK};
        assert_refused(need_sealed[i].name, need_sealed[i].ask(p, &error), &error);
        need_sealed[i].ask(NULL, NULL);
        need_sealed[i].ask(p, NULL);
    }
    weir_pipeline_free(p);
}

static void nothing_to_build_on(void **state)
{
    const struct weir_operator_spec op = {.name = "a"};
    const struct weir_queue_spec queue = {.capacity = 1};
    const struct weir_source_spec source = {.period = 1};
    const struct weir_chain_spec chain = {.shift = 0};
    int64_t ticks;
    (void)state;
    assert_int_equal(weir_pipeline_set_name(NULL, "a", NULL), WEIR_INVALID);
    assert_int_equal(weir_pipeline_set_unit(NULL, WEIR_UNIT_MS, 0, NULL), WEIR_INVALID);
    assert_int_equal(weir_pipeline_set_platform(NULL, WEIR_PLATFORM_GPU, NULL), WEIR_INVALID);
    assert_int_equal(weir_pipeline_set_cores(NULL, 1, NULL), WEIR_INVALID);
    assert_int_equal(weir_pipeline_set_latency_limit(NULL, 1, NULL), WEIR_INVALID);
    assert_int_equal(weir_pipeline_set_deadline(NULL, 1, NULL), WEIR_INVALID);
    assert_int_equal(weir_pipeline_set_workers(NULL, &(struct weir_workers_spec){.workers = 1}, NULL), WEIR_INVALID);
    assert_int_equal(weir_pipeline_set_gpu(NULL, &(struct weir_gpu_spec){.sms = 1}, NULL), WEIR_INVALID);
    assert_int_equal(weir_pipeline_add_processor(NULL, &(struct weir_processor_spec){.name = "p"}, NULL, NULL), WEIR_INVALID);
    assert_int_equal(weir_pipeline_add_operator(NULL, &op, NULL, NULL), WEIR_INVALID);
    assert_int_equal(weir_pipeline_add_queue(NULL, &queue, NULL, NULL), WEIR_INVALID);
    assert_int_equal(weir_pipeline_add_source(NULL, &source, NULL), WEIR_INVALID);
    assert_int_equal(weir_pipeline_add_chain(NULL, &chain, NULL), WEIR_INVALID);
    assert_int_equal(weir_pipeline_seal(NULL, NULL, NULL), WEIR_INVALID);
    assert_null(weir_pipeline_copy(NULL, NULL));
    assert_int_equal(weir_time_parse(NULL, "1", &ticks, NULL), WEIR_INVALID);
    assert_int_equal(weir_pipeline_write_yaml(NULL, sink, NULL), WEIR_INVALID);
    assert_int_equal(weir_pipeline_write_dot(NULL, sink, NULL), WEIR_INVALID);
    assert_int_equal(weir_pipeline_write(NULL, WEIR_MODEL_JSON, 0, sink, NULL), WEIR_INVALID);
    assert_int_equal(weir_pipeline_write_drawing(NULL, NULL, 0, sink, NULL), WEIR_INVALID);
    assert_int_equal(weir_change_apply(NULL, NULL, 0, &(struct weir_changed){.notes = NULL}, NULL), WEIR_INVALID);
}

/* ---- an index that is none ---- */

static const uint32_t wrong[] = {2, 3, 1000, UINT32_MAX}; /* there are two operators, and one of everything else */

static void of_pipelines(void **state)
{
    struct weir_pipeline *p = unsealed();
    const struct weir_operator_spec spec = {.name = "a"};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const struct weir_operator op = {wrong[i]};
        const struct weir_queue queue = {wrong[i]};
        assert_int_equal(weir_pipeline_change_operator(p, op, &spec, NULL), WEIR_INVALID);
        assert_int_equal(weir_pipeline_change_queue(p, queue, &(struct weir_queue_spec){.capacity = 1}, NULL), WEIR_INVALID);
        assert_int_equal(weir_pipeline_change_source(p, wrong[i], &(struct weir_source_spec){.period = 1}, NULL), WEIR_INVALID);
        assert_int_equal(weir_pipeline_add_queue(p, &(struct weir_queue_spec){.from = op, .capacity = 1}, NULL, NULL),
                         WEIR_INVALID);
        assert_int_equal(weir_pipeline_add_queue(p, &(struct weir_queue_spec){.to = op, .capacity = 1}, NULL, NULL), WEIR_INVALID);
        assert_int_equal(weir_pipeline_add_source(p, &(struct weir_source_spec){.op = op, .period = 1}, NULL), WEIR_INVALID);
        assert_int_equal(weir_pipeline_add_chain(p, &(struct weir_chain_spec){.from = op}, NULL), WEIR_INVALID);
        assert_int_equal(weir_pipeline_add_chain(p, &(struct weir_chain_spec){.to = op}, NULL), WEIR_INVALID);
    }
    stage_seal(p);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_null(weir_pipeline_operator(p, (struct weir_operator){wrong[i]}).name);
        assert_int_equal(weir_pipeline_queue(p, (struct weir_queue){wrong[i]}).capacity, 0);
        assert_int_equal(weir_pipeline_source(p, wrong[i]).period, 0);
        assert_int_equal(weir_pipeline_chain(p, wrong[i]).to.index, 0);
        assert_null(weir_pipeline_processor(p, (struct weir_processor){wrong[i]}).name);
        assert_int_equal(weir_pipeline_firings(p, (struct weir_operator){wrong[i]}), 1);
    }
    weir_pipeline_free(p);
}

static void of_questions(void **state)
{
    struct weir_pipeline *p = unsealed();
    (void)state;
    stage_seal(p);
    struct weir_solver *solver = weir_solver_new(p, NULL);
    assert_non_null(solver);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const struct weir_operator op = {wrong[i]};
        const struct weir_query from = {.from = {.op = op}, .to = {.moment = WEIR_FINISH}}, to = {.to = {.op = op}};
        struct weir_separation separation;
        struct weir_witness *witness = NULL;
        struct weir_ratio period;
        bool holds;
        assert_int_equal(weir_separation_worst(solver, &from, &separation, NULL), WEIR_INVALID);
        assert_int_equal(weir_separation_worst(solver, &to, &separation, NULL), WEIR_INVALID);
        assert_int_equal(weir_separation_witness(solver, &to, &witness, NULL), WEIR_INVALID);
        assert_int_equal(weir_separation_certify(solver, &from, 1, &holds, NULL), WEIR_INVALID);
        assert_int_equal(weir_throughput(p, op, true, &period, NULL, NULL, NULL), WEIR_INVALID);
        assert_int_equal(weir_pipeline_write(p, WEIR_MODEL_UPPAAL, wrong[i], sink, NULL), WEIR_INVALID);
        struct weir_margins *margins;
        struct weir_pacing pacing;
        struct weir_sensitivity *sensitivity;
        struct weir_method_result result;
        assert_int_equal(weir_margins_find(p, wrong[i], NULL, &margins, NULL), WEIR_INVALID);
        assert_int_equal(weir_pacing_find(p, wrong[i], NULL, &pacing, NULL), WEIR_INVALID);
        assert_int_equal(weir_sensitivity_find(p, wrong[i], NULL, &sensitivity, NULL), WEIR_INVALID);
        assert_int_equal(weir_method_run(p, WEIR_METHOD_TGDFS, wrong[i], NULL, &result, NULL), WEIR_INVALID);
    }
    weir_solver_free(solver);
    weir_pipeline_free(p);
}

static void of_answers(void **state)
{
    struct weir_pipeline *p = unsealed();
    struct weir_answer *found;
    struct weir_timeline *timeline;
    struct weir_errors *errors = weir_errors_new();
    (void)state;
    stage_seal(p);
    assert_int_equal(weir_answer_find(p, NULL, &found, NULL), WEIR_OK);
    assert_null(weir_answer_bound(found, 1));
    assert_null(weir_answer_bound(found, SIZE_MAX));
    assert_null(weir_answer_table(found, weir_answer_table_count(found)));
    assert_null(weir_answer_table(found, SIZE_MAX));
    assert_int_equal(weir_answer_fact(found, "no such key").kind, WEIR_DATUM_ABSENT);
    assert_int_equal(weir_answer_write_csv(found, "no such table", sink, NULL), WEIR_INVALID);
    for (size_t bound = 1; bound; bound = bound == 1 ? SIZE_MAX : 0) {
        assert_int_equal(weir_answer_write_svg(found, bound, sink, NULL), WEIR_INVALID);
        assert_int_equal(weir_answer_write_trace(found, bound, sink, NULL), WEIR_INVALID);
        assert_int_equal(weir_answer_write_chart(found, bound, sink, NULL), WEIR_INVALID);
        assert_int_equal(weir_timeline_of_answer(found, bound, &timeline, NULL), WEIR_INVALID);
    }
    assert_null(weir_errors_at(errors, 0));
    assert_null(weir_errors_at(NULL, 0));
    assert_null(weir_application_name(SIZE_MAX));
    assert_null(weir_priority_system_name(SIZE_MAX));
    weir_errors_free(errors);
    weir_answer_free(found);
    weir_pipeline_free(p);
}

static void of_runs(void **state)
{
    struct weir_pipeline *p = unsealed();
    struct weir_run *r;
    (void)state;
    stage_seal(p);
    const struct weir_run_options options = {.iterations = 3, .measure = true, .records = 2, .tick_ns = 1000};
    assert_int_equal(weir_run_new(p, &options, &r, NULL), WEIR_OK);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(weir_run_bind(r, (struct weir_operator){wrong[i]}, NULL, NULL, NULL), WEIR_INVALID);
        assert_int_equal(weir_run_discard(r, (struct weir_queue){wrong[i]}, NULL, NULL, NULL), WEIR_INVALID);
    }
    assert_int_equal(weir_run_start(r, NULL), WEIR_OK);
    assert_int_equal(weir_run_wait(r, -1, NULL, NULL), WEIR_OK);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const struct weir_operator op = {wrong[i]};
        const struct weir_queue queue = {wrong[i]};
        assert_int_equal(weir_run_operator(r, op).executions, 0);
        assert_int_equal(weir_run_chain(r, wrong[i]).count, 0);
        assert_int_equal(weir_run_queue(r, queue).sent, 0);
        assert_int_equal(weir_run_record_count(r, op), 0);
        assert_int_equal(weir_run_record_at(r, op, 0).execution, -1);
        assert_int_equal(weir_run_record_at(r, (struct weir_operator){0}, wrong[i]).execution, -1);
        assert_int_equal(weir_run_taken(r, queue, 0), -2);
        assert_true(weir_run_latency(r, wrong[i], 0) == INT64_MIN);
        assert_true(weir_run_latency(r, 0, wrong[i]) == INT64_MIN);
        assert_int_equal(weir_run_cause_of(r, op, 0).execution, -1);
        assert_int_equal(weir_run_cause_of(r, (struct weir_operator){0}, wrong[i]).execution, -1);
    }
    assert_int_equal(weir_run_record_at(r, (struct weir_operator){0}, SIZE_MAX).execution, -1);
    weir_run_free(r);
    weir_pipeline_free(p);
}

static void of_evaluators(void **state)
{
    struct weir_pipeline *p = unsealed();
    int64_t counts[2];
    bool exact;
    (void)state;
    stage_seal(p);
    struct weir_evaluator *e = weir_evaluator_new(p, NULL);
    assert_non_null(e);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const struct weir_operator op = {wrong[i]};
        const struct weir_queue queue = {wrong[i]};
        struct weir_separation separation;
        assert_int_equal(weir_evaluator_set_times(e, op, 0, 1, NULL), WEIR_INVALID);
        assert_int_equal(weir_evaluator_set_work(e, op, 0, 1, NULL), WEIR_INVALID);
        assert_int_equal(weir_evaluator_set_capacity(e, queue, 1, NULL), WEIR_INVALID);
        assert_int_equal(weir_evaluator_set_period(e, wrong[i], 1, NULL), WEIR_INVALID);
        assert_int_equal(weir_evaluator_best(e, op), 0);
        assert_int_equal(weir_evaluator_worst(e, op), 0);
        assert_int_equal(weir_evaluator_capacity(e, queue), 0);
        assert_int_equal(weir_evaluator_period(e, wrong[i]), 0);
        assert_int_equal(weir_evaluator_latency(e, wrong[i], &separation, NULL), WEIR_INVALID);
        assert_int_equal(weir_evaluator_gradient(e, wrong[i], counts, &exact, NULL), WEIR_INVALID);
    }
    weir_evaluator_free(e);
    weir_pipeline_free(p);
}

/* A file of times knows operators only once it is bound to a pipeline. */
static void of_times_files(void **state)
{
    const char *path = "misuse-times.csv";
    FILE *out = fopen(path, "w");
    struct weir_pipeline *p = unsealed();
    struct weir_errors *errors = weir_errors_new();
    (void)state;
    stage_seal(p);
    assert_non_null(out);
    assert_true(fprintf(out, "%s,0,1\n", weir_pipeline_operator(p, (struct weir_operator){0}).name) > 0);
    assert_int_equal(fclose(out), 0);
    struct weir_times_file *file = weir_times_file_read(path, errors);
    assert_non_null(file);
    assert_int_equal(weir_times_file_given(file, (struct weir_operator){0}, 0), -1);
    assert_int_equal(weir_times_file_bind(file, p, 0, errors), WEIR_OK);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(weir_times_file_given(file, (struct weir_operator){wrong[i]}, 0), -1);
    assert_int_equal(weir_times_file_given(file, (struct weir_operator){0}, 0), 1);
    weir_times_file_free(file);
    weir_errors_free(errors);
    weir_pipeline_free(p);
    assert_int_equal(remove(path), 0);
}

static int open_sink(void **state)
{
    (void)state;
    return !(sink = tmpfile());
}

static int close_sink(void **state)
{
    (void)state;
    return fclose(sink);
}

int misuse_group(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pipelines_that_cannot_be_asked),
        cmocka_unit_test(nothing_to_build_on),
        cmocka_unit_test(of_pipelines),
        cmocka_unit_test(of_questions),
        cmocka_unit_test(of_answers),
        cmocka_unit_test(of_runs),
        cmocka_unit_test(of_evaluators),
        cmocka_unit_test(of_times_files),
    };
    return cmocka_run_group_tests(tests, open_sink, close_sink);
}
