/* SPDX-License-Identifier: Apache-2.0 */
#include "base/number.h"
#include "support/stage.h"

#include <stdlib.h>
#include <string.h>

static struct weir_pipeline *make(struct weir_generate_priority_options options)
{
    struct weir_pipeline *p = NULL;
    struct weir_error error = {0};
    enum weir_status status = weir_generate_priority(&options, &p, &error);
    if (status != WEIR_OK)
        fail_msg("seed %llu: %s", (unsigned long long)options.seed, error.message);
    assert_non_null(p);
    assert_true(weir_pipeline_sealed(p));
    assert_int_equal(weir_pipeline_platform(p), WEIR_PLATFORM_PROCESSORS);
    assert_int_equal(weir_pipeline_operator_count(p), options.graphs * options.tasks);
    return p;
}

static struct weir_operator_spec task_at(const struct weir_pipeline *p, uint32_t index)
{
    return weir_pipeline_operator(p, (struct weir_operator){index});
}

/* Options of all kinds, from a number. */
static struct weir_generate_priority_options any(uint64_t seed)
{
    static const uint32_t loads[] = {50, 300, 600, 900, 999};
    return (struct weir_generate_priority_options){.seed = seed,
                                                   .graphs = 1 + (uint32_t)(seed % 3),
                                                   .tasks = 1 + (uint32_t)(seed % 13),
                                                   .processors = 1 + (uint32_t)(seed % 5),
                                                   .load_permille = loads[seed % 5],
                                                   .best_permille = (uint32_t)(seed % 7) * 1000 / 6,
                                                   .jitter_permille = (uint32_t)(seed % 4) * 1000,
                                                   .cyclic = seed % 2 == 1,
                                                   .sporadic = seed % 11 == 0,
                                                   .mixed = seed % 4 >= 2,
                                                   .sized = seed % 8 >= 4};
}

/* Period of every operator: that of the source of its graph, graphs being neighbours. */
static int64_t period_at(const struct weir_pipeline *p, uint32_t index, uint32_t tasks)
{
    for (uint32_t i = 0; i < weir_pipeline_source_count(p); i++) {
        struct weir_source_spec source = weir_pipeline_source(p, i);
        if (source.op.index / tasks == index / tasks)
            return source.period;
    }
    fail_msg("operator %u has no source", index);
    return 0;
}

/* The load of a processor, rounded up to a millionth. */
static int64_t load_of(const struct weir_pipeline *p, uint32_t processor, uint32_t tasks)
{
    weir_wide load = 0;
    for (uint32_t i = 0; i < weir_pipeline_operator_count(p); i++) {
        struct weir_operator_spec spec = task_at(p, i);
        int64_t period = period_at(p, i, tasks);
        if (spec.on.index == processor)
            load += ((weir_wide)spec.worst * 1000000 + period - 1) / period;
    }
    return (int64_t)load;
}

static void check_processor(const struct weir_pipeline *p, uint32_t processor, uint32_t tasks)
{
    struct weir_processor_spec spec = weir_pipeline_processor(p, (struct weir_processor){processor});
    bool slots = spec.sharing == WEIR_TDM || spec.sharing == WEIR_ROUND_ROBIN;
    uint32_t sharers = 0;
    int64_t seen = 0, slot_sum = 0;
    for (uint32_t i = 0; i < weir_pipeline_operator_count(p); i++) {
        struct weir_operator_spec task = task_at(p, i);
        int64_t period = period_at(p, i, tasks);
        if (task.on.index != processor)
            continue;
        sharers++;
        assert_int_equal(task.slot > 0, slots);
        assert_int_equal(task.has_priority, !slots);
        slot_sum += task.slot;
        if (spec.sharing == WEIR_TDM) {
            assert_true((weir_wide)task.worst * spec.frame <= (weir_wide)task.slot * period);
            assert_true(spec.frame <= period);
        }
        if (!slots) /* a permutation */
            seen |= INT64_C(1) << task.priority;
    }
    assert_true(sharers > 0);
    if (!slots)
        assert_int_equal(seen, (INT64_C(2) << sharers) - 2);
    if (spec.sharing == WEIR_TDM)
        assert_true(slot_sum <= spec.frame);
    assert_true(load_of(p, processor, tasks) < 1000000);
}

/* Every task follows its source: sealing has checked it. Beyond that, queues stay within their graph, and what goes backwards has
 * messages and can go round in its period. */
static void check_queues(const struct weir_pipeline *p, const struct weir_generate_priority_options *options)
{
    uint32_t backwards = 0;
    for (uint32_t i = 0; i < weir_pipeline_queue_count(p); i++) {
        struct weir_queue_spec queue = weir_pipeline_queue(p, (struct weir_queue){i});
        assert_int_equal(queue.from.index / options->tasks, queue.to.index / options->tasks);
        assert_int_equal(queue.from.index > queue.to.index, queue.initial > 0);
        backwards += queue.from.index > queue.to.index;
        if (!options->sized)
            assert_true(queue.capacity == WEIR_AUTO);
        else
            assert_true(queue.capacity > queue.initial);
    }
    if (!options->cyclic)
        assert_int_equal(backwards, 0);
}

TEST(systems_are_valid)
{
    uint32_t kinds[4] = {0}, cycles = 0, sized = 0, nonblocking = 0, roots = 0;
    for (uint64_t seed = 0; seed < 1000; seed++) {
        struct weir_generate_priority_options options = any(seed);
        struct weir_pipeline *p = make(options);
        check_queues(p, &options);
        for (uint32_t i = 0; i < weir_pipeline_processor_count(p); i++) {
            check_processor(p, i, options.tasks);
            kinds[weir_pipeline_processor(p, (struct weir_processor){i}).sharing] += options.mixed;
        }
        for (uint32_t i = 0; i < weir_pipeline_queue_count(p); i++) {
            struct weir_queue_spec queue = weir_pipeline_queue(p, (struct weir_queue){i});
            cycles += queue.initial > 0;
            sized += queue.capacity != WEIR_AUTO;
            nonblocking += queue.nonblocking;
        }
        for (uint32_t i = 0; i < weir_pipeline_source_count(p); i++) {
            struct weir_source_spec source = weir_pipeline_source(p, i);
            assert_int_equal(source.sporadic, options.sporadic);
            assert_true(source.jitter <= source.period * options.jitter_permille / 1000);
        }
        roots += weir_pipeline_source_count(p) > options.graphs;
        for (uint32_t i = 0; i < weir_pipeline_operator_count(p); i++)
            assert_int_equal(task_at(p, i).best, task_at(p, i).worst * options.best_permille / 1000);
        weir_pipeline_free(p);
    }
    for (size_t i = 0; i < 4; i++)
        assert_true(kinds[i] > 100); /* of some 1,500 */
    assert_true(cycles > 500 && sized > 500 && nonblocking > 500 && roots > 100);
}

TEST(loads)
{
    for (uint32_t permille = 100; permille <= 900; permille += 200) {
        int64_t sum = 0, low = 1000000, high = 0;
        for (uint64_t seed = 0; seed < 200; seed++) {
            struct weir_pipeline *p = make((struct weir_generate_priority_options){
                .seed = seed, .graphs = 2, .tasks = 8, .processors = 3, .load_permille = permille});
            for (uint32_t i = 0; i < 3; i++) {
                int64_t load = load_of(p, i, 8);
                sum += load;
                low = load < low ? load : low;
                high = load > high ? load : high;
            }
            weir_pipeline_free(p);
        }
        int64_t mean = sum / 600;
        assert_true(mean > permille * 1000 - 15000 && mean < permille * 1000 + 5000);
        assert_true(low < permille * 980 && high > permille * 1000 && high < 1000000);
    }
}

/* Whatever the load, the processors, the jitter: who follows whom stays. */
TEST(shapes_stay)
{
    struct weir_generate_priority_options options = {
        .seed = 5, .graphs = 2, .tasks = 9, .processors = 3, .load_permille = 300, .cyclic = false};
    struct weir_pipeline *a = make(options);
    options.load_permille = 800;
    options.jitter_permille = 2000;
    options.best_permille = 500;
    options.processors = 5;
    options.mixed = options.sporadic = true;
    struct weir_pipeline *b = make(options);
    assert_int_equal(weir_pipeline_queue_count(a), weir_pipeline_queue_count(b));
    for (uint32_t i = 0; i < weir_pipeline_queue_count(a); i++) {
        struct weir_queue_spec x = weir_pipeline_queue(a, (struct weir_queue){i}),
                               y = weir_pipeline_queue(b, (struct weir_queue){i});
        assert_int_equal(x.from.index, y.from.index);
        assert_int_equal(x.to.index, y.to.index);
    }
    assert_int_equal(weir_pipeline_source(a, 0).period, weir_pipeline_source(b, 0).period);
    weir_pipeline_free(a);
    weir_pipeline_free(b);
}

static uint64_t mix(uint64_t sum, int64_t value)
{
    return (sum ^ (uint64_t)value) * UINT64_C(1099511628211);
}

static uint64_t checksum(struct weir_generate_priority_options options)
{
    struct weir_pipeline *p = make(options);
    uint64_t sum = UINT64_C(14695981039346656037);
    for (uint32_t i = 0; i < weir_pipeline_processor_count(p); i++) {
        struct weir_processor_spec spec = weir_pipeline_processor(p, (struct weir_processor){i});
        sum = mix(mix(sum, spec.sharing), spec.frame);
    }
    for (uint32_t i = 0; i < weir_pipeline_operator_count(p); i++) {
        struct weir_operator_spec spec = task_at(p, i);
        sum = mix(mix(mix(mix(mix(sum, spec.best), spec.worst), spec.on.index), spec.priority), spec.slot);
    }
    for (uint32_t i = 0; i < weir_pipeline_queue_count(p); i++) {
        struct weir_queue_spec spec = weir_pipeline_queue(p, (struct weir_queue){i});
        sum = mix(mix(mix(mix(mix(sum, spec.from.index), spec.to.index), spec.initial), spec.capacity), spec.nonblocking);
    }
    for (uint32_t i = 0; i < weir_pipeline_source_count(p); i++) {
        struct weir_source_spec spec = weir_pipeline_source(p, i);
        sum = mix(mix(mix(mix(sum, spec.op.index), spec.period), spec.jitter), spec.sporadic);
    }
    weir_pipeline_free(p);
    return sum;
}

/* Results name their seeds, so what a seed stands for never changes. */
TEST(a_seed_stands_for_one_system)
{
    struct weir_generate_priority_options options = {.seed = 7,
                                                     .graphs = 2,
                                                     .tasks = 8,
                                                     .processors = 3,
                                                     .load_permille = 600,
                                                     .best_permille = 500,
                                                     .jitter_permille = 1500,
                                                     .cyclic = true,
                                                     .sporadic = true,
                                                     .mixed = true,
                                                     .sized = true};
    assert_int_equal(checksum(options), UINT64_C(0xd7ee8f8a49d3dbba));
    options.seed = UINT64_MAX;
    assert_int_equal(checksum(options), UINT64_C(0x720e58d9cbf20734));
    for (uint64_t seed = 0; seed < 100; seed++)
        assert_true(checksum(any(seed)) == checksum(any(seed)) && checksum(any(seed)) != checksum(any(seed + 1)));
}

TEST(large)
{
    struct weir_generate_priority_options options = {.seed = 1,
                                                     .graphs = 1,
                                                     .tasks = 10000,
                                                     .processors = 1024,
                                                     .load_permille = 999,
                                                     .jitter_permille = 1000000,
                                                     .cyclic = true};
    weir_pipeline_free(make(options));
    options = (struct weir_generate_priority_options){
        .seed = 1, .graphs = 10000, .tasks = 1, .processors = 1, .load_permille = 999, .mixed = true, .cyclic = true};
    struct weir_pipeline *p = make(options);
    assert_int_equal(weir_pipeline_queue_count(p), 0);
    weir_pipeline_free(p);
}

TEST(wrong_options)
{
    static const struct weir_generate_priority_options good = {.graphs = 1, .tasks = 1, .processors = 1, .load_permille = 1};
    struct weir_generate_priority_options wrong[10];
    for (size_t i = 0; i < 10; i++)
        wrong[i] = good;
    weir_pipeline_free(make(good));
    wrong[0].graphs = 0;
    wrong[1].tasks = 0;
    wrong[2].processors = 0;
    wrong[3].load_permille = 0;
    wrong[4].load_permille = 1000;
    wrong[5].best_permille = 1001;
    wrong[6].jitter_permille = 1000001;
    wrong[7].tasks = 10001;
    wrong[8].processors = 1025;
    wrong[9].graphs = wrong[9].tasks = UINT32_MAX;
    for (size_t i = 0; i < 10; i++) {
        struct weir_pipeline *p = (struct weir_pipeline *)&p;
        struct weir_error error = {.status = WEIR_OK};
        assert_int_equal(weir_generate_priority(&wrong[i], &p, &error), WEIR_INVALID);
        assert_int_equal(error.status, WEIR_INVALID);
        assert_true(error.message[0]);
        assert_null(p);
    }
}

/* ---- the systems of the paper ---- */

TEST(named_systems)
{
    static const struct {
        const char *name;
        uint32_t tasks, queues, sources, processors, chains;
        int64_t period;
    } expected[] = {{"wlan", 8, 9, 1, 4, 1, 125},
                    {"wlan-two", 16, 18, 2, 8, 2, 125},
                    {"jitter", 3, 2, 1, 2, 1, 10},
                    {"jitter-reversed", 3, 2, 1, 2, 1, 10}};
    assert_int_equal(weir_priority_system_count(), 4);
    assert_null(weir_priority_system_name(4));
    for (size_t i = 0; i < 4; i++) {
        struct weir_pipeline *p = NULL;
        assert_string_equal(weir_priority_system_name(i), expected[i].name);
        assert_int_equal(weir_generate_priority_system(expected[i].name, 0, 0, &p, NULL), WEIR_OK);
        assert_int_equal(weir_pipeline_operator_count(p), expected[i].tasks);
        assert_int_equal(weir_pipeline_queue_count(p), expected[i].queues);
        assert_int_equal(weir_pipeline_source_count(p), expected[i].sources);
        assert_int_equal(weir_pipeline_processor_count(p), expected[i].processors);
        assert_int_equal(weir_pipeline_chain_count(p), expected[i].chains);
        assert_int_equal(weir_pipeline_source(p, 0).period, expected[i].period);
        assert_int_equal(weir_pipeline_source(p, 0).jitter, 0);
        weir_pipeline_free(p);
    }
}

/* A unit of the decoder is half a microsecond. */
TEST(periods_and_jitters)
{
    struct weir_pipeline *p = NULL;
    char text[WEIR_TIME_TEXT];
    assert_int_equal(weir_generate_priority_system("wlan", 16, 33, &p, NULL), WEIR_OK);
    assert_string_equal(weir_time_format(p, weir_pipeline_source(p, 0).period, text), "8");
    assert_string_equal(weir_time_format(p, weir_pipeline_source(p, 0).jitter, text), "16.5");
    assert_string_equal(weir_time_format(p, task_at(p, 1).worst, text), "4");
    weir_pipeline_free(p);
    assert_int_equal(weir_generate_priority_system("jitter", 11, 20, &p, NULL), WEIR_OK);
    assert_int_equal(weir_pipeline_source(p, 0).period, 11);
    assert_int_equal(weir_pipeline_source(p, 0).jitter, 20);
    weir_pipeline_free(p);
}

/* Of the two decoders, DEMAP alone runs at the other's. */
TEST(two_decoders)
{
    struct weir_pipeline *p = NULL;
    struct weir_operator demap[2], deint[2], fft[2];
    assert_int_equal(weir_generate_priority_system("wlan-two", 0, 0, &p, NULL), WEIR_OK);
    for (int i = 0; i < 2; i++) {
        assert_true(weir_pipeline_find(p, i ? "DEMAP_1" : "DEMAP_0", &demap[i]));
        assert_true(weir_pipeline_find(p, i ? "DEINT_1" : "DEINT_0", &deint[i]));
        assert_true(weir_pipeline_find(p, i ? "FFT_1" : "FFT_0", &fft[i]));
    }
    assert_int_equal(task_at(p, demap[0].index).on.index, task_at(p, deint[1].index).on.index);
    assert_int_equal(task_at(p, demap[1].index).on.index, task_at(p, deint[0].index).on.index);
    assert_int_not_equal(task_at(p, demap[0].index).on.index, task_at(p, demap[1].index).on.index);
    assert_int_not_equal(task_at(p, fft[0].index).on.index, task_at(p, fft[1].index).on.index);
    weir_pipeline_free(p);
}

TEST(wrong_systems)
{
    struct weir_error error = {.status = WEIR_OK};
    struct weir_pipeline *p = (struct weir_pipeline *)&p;
    assert_int_equal(weir_generate_priority_system("wlann", 0, 0, &p, &error), WEIR_INVALID);
    assert_null(p);
    assert_string_equal(error.message, "unknown system \"wlann\"; did you mean \"wlan\"?");
    assert_int_equal(weir_generate_priority_system("radar", 0, 0, &p, &error), WEIR_INVALID);
    assert_string_equal(error.message, "unknown system \"radar\"");
    assert_int_equal(weir_generate_priority_system("wlan", -1, 0, &p, &error), WEIR_INVALID);
    assert_int_equal(weir_generate_priority_system("wlan", 0, -1, &p, &error), WEIR_INVALID);
    assert_int_equal(weir_generate_priority_system("wlan", WEIR_TIME_MAX / 5, 0, &p, &error), WEIR_INVALID);
    assert_int_equal(weir_generate_priority_system("jitter", INT64_MAX, 0, &p, &error), WEIR_INVALID);
    assert_null(p);
}

/* ---- memory ---- */

static enum weir_status generate_random(void *context)
{
    struct weir_pipeline *p;
    struct weir_error error = {.status = WEIR_OK};
    enum weir_status status = weir_generate_priority(context, &p, &error);
    assert_int_equal(error.status, status);
    assert_int_equal(p == NULL, status != WEIR_OK);
    weir_pipeline_free(p);
    return status;
}

static enum weir_status generate_named(void *context)
{
    struct weir_pipeline *p;
    struct weir_error error = {.status = WEIR_OK};
    enum weir_status status = weir_generate_priority_system(context, 0, 0, &p, &error);
    assert_int_equal(error.status, status);
    assert_int_equal(p == NULL, status != WEIR_OK);
    weir_pipeline_free(p);
    return status;
}

TEST(failing_memory)
{
    struct weir_generate_priority_options options = any(23);
    char name[] = "wlan-two";
    assert_true(stage_fail_each_allocation(generate_random, &options) > 20);
    assert_true(stage_fail_each_allocation(generate_named, name) > 20);
}
