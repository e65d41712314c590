/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/explore/exploring.h"

struct weir_pipeline *exploring_random(uint64_t seed, uint32_t graphs, uint32_t tasks, uint32_t processors)
{
    struct weir_generate_priority_options options = {.seed = seed,
                                                     .graphs = graphs,
                                                     .tasks = tasks,
                                                     .processors = processors,
                                                     .load_permille = 500,
                                                     .best_permille = 500,
                                                     .jitter_permille = 300};
    struct weir_pipeline *pipeline = NULL;
    struct weir_error error = {.message = ""};
    if (weir_generate_priority(&options, &pipeline, &error))
        fail_msg("%s", error.message);
    return pipeline;
}

struct weir_exploration *exploring_run(const struct weir_pipeline *model, const struct weir_explore_options *options)
{
    struct weir_exploration *exploration = NULL;
    struct weir_error error = {.message = ""};
    if (weir_explore(model, options, &exploration, &error))
        fail_msg("%s", error.message);
    assert_non_null(exploration->before);
    assert_ptr_equal(exploration->before->pipeline, model);
    assert_int_equal(exploration->pipeline != NULL, exploration->after != NULL);
    assert_false(exploration->complete && exploration->interrupted);
    return exploration;
}

struct weir_priority_analysis *exploring_analyze(const struct weir_pipeline *pipeline, enum weir_priority_method method)
{
    struct weir_priority_options options = {.method = method};
    struct weir_priority_analysis *analysis = NULL;
    struct weir_error error = {.message = ""};
    if (weir_priority_analyze(pipeline, &options, &analysis, &error))
        fail_msg("%s", error.message);
    return analysis;
}

static int64_t period_of(const struct weir_pipeline *model)
{
    return weir_pipeline_source(model, 0).period;
}

/* Only for models whose sources all have the same period, or whose pairs all have deadlines. */
struct exploring_worth exploring_worth(const struct weir_pipeline *model, const struct weir_priority_analysis *analysis)
{
    struct exploring_worth worth = {.missing = analysis->outcome != WEIR_PRIORITY_CONVERGED};
    for (size_t i = 0; i < analysis->latency_count && !worth.missing; i++) {
        const struct weir_priority_latency *latency = &analysis->latencies[i];
        struct weir_chain_spec chain = weir_pipeline_chain(model, (uint32_t)i);
        worth.missed += chain.has_deadline && latency->worst > chain.deadline;
        worth.relative += (latency->worst << 30) / (chain.has_deadline ? chain.deadline : period_of(model));
    }
    return worth;
}

int exploring_compare(struct exploring_worth a, struct exploring_worth b)
{
    if (a.missing != b.missing)
        return a.missing - b.missing;
    if (a.missed != b.missed)
        return a.missed < b.missed ? -1 : 1;
    return a.relative < b.relative ? -1 : a.relative > b.relative;
}

/* ---- all orders ---- */

static struct exploring_worth worth_of(const struct weir_pipeline *model, const int32_t *priority, enum weir_priority_method method)
{
    struct weir_pipeline *copy = weir_pipeline_copy(model, NULL);
    assert_non_null(copy);
    for (uint32_t i = 0; i < weir_pipeline_operator_count(model); i++) {
        struct weir_operator_spec spec = weir_pipeline_operator(model, (struct weir_operator){i});
        spec.has_priority = true;
        spec.priority = priority[i];
        assert_int_equal(weir_pipeline_change_operator(copy, (struct weir_operator){i}, &spec, NULL), WEIR_OK);
    }
    assert_int_equal(weir_pipeline_seal(copy, NULL, NULL), WEIR_OK);
    struct weir_priority_analysis *analysis = exploring_analyze(copy, method);
    struct exploring_worth worth = exploring_worth(model, analysis);
    weir_priority_analysis_free(analysis);
    weir_pipeline_free(copy);
    return worth;
}

static bool next_permutation(int32_t *list, uint32_t count)
{
    uint32_t i = count - 1, j = count - 1;
    while (i > 0 && list[i - 1] > list[i])
        i--;
    if (i == 0)
        return false;
    while (list[j] < list[i - 1])
        j--;
    int32_t swap = list[i - 1];
    list[i - 1] = list[j];
    list[j] = swap;
    for (uint32_t x = i, y = count - 1; x < y; x++, y--) {
        swap = list[x];
        list[x] = list[y];
        list[y] = swap;
    }
    return true;
}

/* One order of all operators decides about every processor; most are tried more than once. */
struct exploring_worth exploring_best_order(const struct weir_pipeline *model, enum weir_priority_method method)
{
    int32_t priority[STAGE_OPERATORS];
    uint32_t count = weir_pipeline_operator_count(model);
    assert_true(count <= STAGE_OPERATORS);
    for (uint32_t i = 0; i < count; i++)
        priority[i] = (int32_t)i;
    struct exploring_worth best = worth_of(model, priority, method);
    while (next_permutation(priority, count)) {
        struct exploring_worth worth = worth_of(model, priority, method);
        if (exploring_compare(worth, best) < 0)
            best = worth;
    }
    return best;
}

/* ---- all capacities ---- */

static bool keeps(const struct weir_pipeline *model, const uint32_t *capacity, enum weir_priority_method method, int64_t within)
{
    struct weir_pipeline *copy = weir_pipeline_copy(model, NULL);
    assert_non_null(copy);
    bool kept = true;
    for (uint32_t i = 0; i < weir_pipeline_queue_count(model) && kept; i++) {
        struct weir_queue_spec spec = weir_pipeline_queue(model, (struct weir_queue){i});
        if (spec.capacity == WEIR_AUTO)
            spec.capacity = capacity[i];
        kept = weir_pipeline_change_queue(copy, (struct weir_queue){i}, &spec, NULL) == WEIR_OK;
    }
    kept = kept && weir_pipeline_seal(copy, NULL, NULL) == WEIR_OK;
    if (kept) {
        struct weir_priority_analysis *analysis = exploring_analyze(copy, method);
        kept = analysis->outcome == WEIR_PRIORITY_CONVERGED;
        for (size_t i = 0; i < analysis->latency_count && kept; i++) {
            const struct weir_priority_latency *l = &analysis->latencies[i];
            kept = l->bounded && (!within || l->worst <= within) && (!l->chain.has_deadline || l->worst <= l->chain.deadline);
        }
        weir_priority_analysis_free(analysis);
    }
    weir_pipeline_free(copy);
    return kept;
}

int64_t exploring_best_total(const struct weir_pipeline *model, enum weir_priority_method method, uint32_t most, int64_t within)
{
    uint32_t capacity[STAGE_OPERATORS], queues = weir_pipeline_queue_count(model);
    int64_t best = -1;
    bool more = true;
    assert_true(queues <= STAGE_OPERATORS);
    for (uint32_t i = 0; i < queues; i++)
        capacity[i] = 1;
    while (more) {
        int64_t total = 0;
        for (uint32_t i = 0; i < queues; i++)
            total += weir_pipeline_queue(model, (struct weir_queue){i}).capacity == WEIR_AUTO ? capacity[i] : 0;
        if ((best < 0 || total < best) && keeps(model, capacity, method, within))
            best = total;
        more = false;
        for (uint32_t i = 0; i < queues && !more; i++) {
            bool sized = weir_pipeline_queue(model, (struct weir_queue){i}).capacity == WEIR_AUTO;
            more = sized && capacity[i] < most;
            capacity[i] = more ? capacity[i] + 1 : 1;
        }
    }
    return best;
}

void exploring_assert_same(const struct weir_exploration *a, const struct weir_exploration *b)
{
    assert_int_equal(a->evaluations, b->evaluations);
    assert_int_equal(a->complete, b->complete);
    assert_int_equal(a->interrupted, b->interrupted);
    assert_int_equal(a->spacing, b->spacing);
    assert_int_equal(a->delay, b->delay);
    assert_int_equal(a->source, b->source);
    assert_int_equal(a->total, b->total);
    assert_int_equal(a->total_least, b->total_least);
    assert_int_equal(a->pipeline != NULL, b->pipeline != NULL);
    for (uint32_t i = 0; a->pipeline && i < weir_pipeline_operator_count(a->pipeline); i++) {
        struct weir_operator_spec x = weir_pipeline_operator(a->pipeline, (struct weir_operator){i});
        struct weir_operator_spec y = weir_pipeline_operator(b->pipeline, (struct weir_operator){i});
        assert_int_equal(x.on.index, y.on.index);
        assert_int_equal(x.priority, y.priority);
    }
    for (uint32_t i = 0; a->pipeline && i < weir_pipeline_queue_count(a->pipeline); i++)
        assert_int_equal(weir_pipeline_queue(a->pipeline, (struct weir_queue){i}).capacity,
                         weir_pipeline_queue(b->pipeline, (struct weir_queue){i}).capacity);
}

enum weir_status exploring_write(struct weir_answer *answer)
{
    FILE *out = fopen("/dev/null", "w");
    assert_non_null(out);
    enum weir_status status = weir_answer_write_text(answer, NULL, out, NULL);
    status = status ? status : weir_answer_write_json(answer, out, NULL);
    status = status ? status : weir_answer_write_csv(answer, NULL, out, NULL);
    for (size_t i = 0; i < weir_answer_chart_count(answer) && !status; i++)
        status = weir_answer_write_chart(answer, i, out, NULL);
    fclose(out);
    weir_answer_free(answer);
    return status;
}
