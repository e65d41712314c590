/* SPDX-License-Identifier: Apache-2.0 */
/* Arrivals at a pool of cores are what the source allows, and all of it; what is refused; memory. */
#include "gang.h"
#include "support/runner.h"

static struct gang_log log_;

/* One operator of cost 1. */
static struct weir_pipeline *fed(struct weir_source_spec source)
{
    struct weir_pipeline *p = gang_new(1);
    gang_feed(p, gang_add(p, "a", 1), source);
    stage_seal(p);
    return p;
}

static void run(const struct weir_pipeline *p, enum weir_edf_arrivals arrivals, uint64_t seed)
{
    gang_run(p, (struct weir_edf_simulation_options){.rounds = 100, .arrivals = arrivals, .seed = seed}, &log_);
    assert_true(log_.arrival_count >= 100 && log_.arrival_count <= GANG_ARRIVALS);
}

TEST(even_ones)
{
    const struct weir_source_spec sources[] = {
        {.period = 10, .phase = 3},
        {.period = 10, .phase = 3, .jitter = 25},
        {.period = 10, .phase = 3, .sporadic = true},
        {.period = 20, .count = 2, .phase = 3, .bursty = true},
    };
    for (size_t i = 0; i < 4; i++) {
        struct weir_pipeline *p = fed(sources[i]);
        run(p, WEIR_EDF_ARRIVALS_EVEN, i);
        for (int64_t j = 0; j < log_.arrival_count; j++)
            assert_int_equal(log_.arrived[j], 3 + 10 * j);
        weir_pipeline_free(p);
    }
}

TEST(jitter)
{
    struct weir_pipeline *p = fed((struct weir_source_spec){.period = 10, .jitter = 25});
    for (enum weir_edf_arrivals mode = WEIR_EDF_ARRIVALS_RANDOM; mode <= WEIR_EDF_ARRIVALS_EXTREME; mode++) {
        int on_time = 0, latest = 0, together = 0, between = 0;
        for (uint64_t seed = 0; seed < 30; seed++) {
            run(p, mode, seed);
            for (int64_t j = 0; j < log_.arrival_count; j++) {
                int64_t late = log_.arrived[j] - 10 * j;
                assert_true(late >= 0 && late <= 25);
                assert_true(j == 0 || log_.arrived[j] >= log_.arrived[j - 1]);
                on_time += late == 0;
                latest += late == 25;
                between += late % 5 != 0;
                together += j > 0 && log_.arrived[j] == log_.arrived[j - 1];
            }
        }
        assert_true(on_time > 0 && latest > 0 && together > 0);
        assert_true((between > 0) == (mode == WEIR_EDF_ARRIVALS_RANDOM));
    }
    weir_pipeline_free(p);
}

TEST(gaps)
{
    struct weir_pipeline *p = fed((struct weir_source_spec){.period = 10, .sporadic = true, .batch = 2});
    for (enum weir_edf_arrivals mode = WEIR_EDF_ARRIVALS_RANDOM; mode <= WEIR_EDF_ARRIVALS_EXTREME; mode++) {
        int close = 0, apart = 0, longest = 0;
        for (uint64_t seed = 0; seed < 30; seed++) {
            run(p, mode, seed);
            for (int64_t j = 1; j < log_.arrival_count; j++) {
                int64_t gap = log_.arrived[j] - log_.arrived[j - 1];
                assert_true(gap >= 20);
                close += gap == 20;
                apart += gap > 20;
                longest += gap == 20 + 8 * 20;
            }
        }
        assert_true(close > 0 && apart > 0);
        assert_true((longest > 0) == (mode == WEIR_EDF_ARRIVALS_EXTREME));
    }
    weir_pipeline_free(p);
}

/* No window of a period sees more than `count` samples: counted sample by sample, each as early as it can have been. */
static void check_bursts(int64_t count, int64_t batch, int *together, int *tight)
{
    int64_t sample[6 * GANG_ARRIVALS];
    for (int64_t k = 1; k <= log_.arrival_count * batch; k++) {
        int64_t before = (k + batch - 1) / batch - 2; /* the batch before that of sample k, from 0 */
        int64_t early = before < 0 ? -1000 * batch : log_.arrived[before];
        if (k > count && sample[k - 1 - count] + 60 > early)
            early = sample[k - 1 - count] + 60;
        sample[k - 1] = early;
        if (k % batch)
            continue;
        assert_true(early <= log_.arrived[k / batch - 1]);
        *tight += k > count && early == log_.arrived[k / batch - 1];
        *together += k > batch && log_.arrived[k / batch - 1] == log_.arrived[k / batch - 2];
        sample[k - 1] = log_.arrived[k / batch - 1];
    }
}

TEST(bursts)
{
    static const int64_t cases[][2] = {{1, 1}, {2, 1}, {6, 1}, {3, 2}, {5, 3}, {4, 2}, {2, 3}, {5, 6}, {1, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t count = cases[i][0], batch = cases[i][1];
        struct weir_pipeline *p = gang_new(1);
        gang_feed(p, gang_add(p, "a", 1),
                  (struct weir_source_spec){.period = 60, .count = count, .bursty = true, .batch = (uint32_t)batch});
        stage_seal(p);
        int together = 0, tight = 0;
        for (uint64_t seed = 0; seed < 20; seed++) {
            run(p, seed % 2 ? WEIR_EDF_ARRIVALS_RANDOM : WEIR_EDF_ARRIVALS_EXTREME, seed);
            if (log_.scale == 1)
                check_bursts(count, batch, &together, &tight);
        }
        assert_true(log_.scale > 1 || tight > 0);
        assert_true(log_.scale > 1 || (together > 0) == (count > batch));
        weir_pipeline_free(p);
    }
}

/* As tight as can be, a burst is worked off at the pace of the releases. */
TEST(releases_of_a_burst)
{
    struct weir_pipeline *p = fed((struct weir_source_spec){.period = 30, .count = 3, .bursty = true});
    int seen = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        gang_run(
            p, (struct weir_edf_simulation_options){.rounds = 3, .late = true, .arrivals = WEIR_EDF_ARRIVALS_EXTREME, .seed = seed},
            &log_);
        if (log_.arrived[0] == 0 && log_.arrived[2] == 0) {
            assert_string_equal(log_.text, "a1 0 0 1, a2 0 10 11, a3 0 20 21");
            seen++;
        }
    }
    assert_true(seen > 0);
    weir_pipeline_free(p);
}

/* ---- what is refused ---- */

TEST(wrong_arguments)
{
    struct weir_pipeline *p = fed((struct weir_source_spec){.period = 10}), *open = gang_new(1);
    struct weir_pipeline *threads = stage_chain(2, (const int64_t[]){1, 2}, 1);
    const struct weir_edf_simulation_options good = {.rounds = 1};
    const struct weir_edf_simulation_options bad[] = {
        {.rounds = 0},
        {.rounds = -1},
        {.rounds = 1, .times = WEIR_TIMES_GIVEN},
        {.rounds = 1, .times = (enum weir_times)77},
        {.rounds = 1, .arrivals = (enum weir_edf_arrivals)3},
        {.rounds = 1, .cores = UINT32_MAX},
    };
    struct weir_error error;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(weir_edf_simulate(p, &bad[i], NULL, &error), WEIR_INVALID);
    assert_int_equal(weir_edf_simulate(p, &good, NULL, NULL), WEIR_OK);
    assert_int_equal(weir_edf_simulate(open, &good, NULL, &error), WEIR_INVALID);
    assert_int_equal(weir_edf_simulate(threads, &good, NULL, &error), WEIR_INVALID);
    weir_pipeline_free(threads);
    weir_pipeline_free(open);
    weir_pipeline_free(p);
}

TEST(no_common_scale)
{
    struct weir_error error;
    struct weir_edf_simulation_options options = {.rounds = 1};
    struct weir_pipeline *p = gang_new(2);
    gang_feed(p, gang_add(p, "a", 1), (struct weir_source_spec){.period = 2000000000, .count = 999999937});
    gang_feed(p, gang_add(p, "b", 1), (struct weir_source_spec){.period = 2000000000, .count = 999999929});
    stage_seal(p);
    assert_int_equal(weir_edf_simulate(p, &options, NULL, &error), WEIR_OVERFLOW);
    weir_pipeline_free(p);
    p = fed((struct weir_source_spec){.period = INT64_C(1) << 55});
    options.rounds = 31;
    assert_int_equal(weir_edf_simulate(p, &options, NULL, NULL), WEIR_OK);
    options.rounds = 32;
    assert_int_equal(weir_edf_simulate(p, &options, NULL, &error), WEIR_OVERFLOW);
    options.rounds = INT64_MAX;
    assert_int_equal(weir_edf_simulate(p, &options, NULL, &error), WEIR_OVERFLOW);
    weir_pipeline_free(p);
    /* Gaps run into the end of time. */
    p = fed((struct weir_source_spec){.period = INT64_C(1) << 55, .sporadic = true});
    options = (struct weir_edf_simulation_options){.rounds = 31, .arrivals = WEIR_EDF_ARRIVALS_EXTREME, .seed = 3};
    assert_int_equal(weir_edf_simulate(p, &options, NULL, &error), WEIR_OVERFLOW);
    weir_pipeline_free(p);
}

static enum weir_status simulate(void *pipeline)
{
    struct weir_edf_simulation_options options = {
        .rounds = 40, .arrivals = WEIR_EDF_ARRIVALS_EXTREME, .times = WEIR_TIMES_WORST, .seed = 2};
    return weir_edf_simulate(pipeline, &options, NULL, NULL);
}

TEST(failing_memory)
{
    struct weir_pipeline *p = gang_new(2);
    struct weir_operator a = gang_add(p, "a", 3), b = gang_add(p, "b", 3);
    gang_feed(p, a, (struct weir_source_spec){.period = 200, .count = 50, .bursty = true});
    gang_queue(p, a, b, (struct weir_queue_spec){.produce = 9, .consume = 9});
    stage_seal(p);
    assert_true(stage_fail_each_allocation(simulate, p) >= 17); /* rings grow, too */
    weir_pipeline_free(p);
}
