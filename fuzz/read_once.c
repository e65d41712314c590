/* SPDX-License-Identifier: Apache-2.0 */
#include "read_once.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void demand(bool what)
{
    if (!what)
        abort();
}

static void check_errors(const struct weir_errors *errors)
{
    uint32_t line = 0, column = 0;
    for (size_t i = 0; i < weir_errors_count(errors); i++) {
        const struct weir_error *e = weir_errors_at(errors, i);
        demand(e->status != WEIR_OK && e->status != WEIR_INTERNAL && e->message[0]);
        if (e->line == 0)
            continue; /* of the file as a whole */
        demand(e->column > 0);
        demand(e->line > line || (e->line == line && e->column >= column));
        line = e->line;
        column = e->column;
    }
}

static void compare_time(const struct weir_pipeline *a, int64_t x, const struct weir_pipeline *b, int64_t y)
{
    char left[WEIR_TIME_TEXT], right[WEIR_TIME_TEXT];
    demand(strcmp(weir_time_format(a, x, left), weir_time_format(b, y, right)) == 0);
}

static uint32_t or_one(uint32_t value)
{
    return value ? value : 1;
}

/* What is only said of a pool of cores. */
static void compare_pool(const struct weir_pipeline *a, const struct weir_pipeline *b)
{
    demand(weir_pipeline_cores(a) == weir_pipeline_cores(b));
    for (uint32_t i = 0; i < weir_pipeline_operator_count(a); i++) {
        struct weir_operator_spec x = weir_pipeline_operator(a, (struct weir_operator){i});
        struct weir_operator_spec y = weir_pipeline_operator(b, (struct weir_operator){i});
        demand(x.has_cost == y.has_cost);
        compare_time(a, x.cost_init, b, y.cost_init);
        compare_time(a, x.cost_sample, b, y.cost_sample);
    }
    for (uint32_t i = 0; i < weir_pipeline_queue_count(a); i++) {
        struct weir_queue_spec x = weir_pipeline_queue(a, (struct weir_queue){i});
        struct weir_queue_spec y = weir_pipeline_queue(b, (struct weir_queue){i});
        demand(or_one(x.produce) == or_one(y.produce) && or_one(x.consume) == or_one(y.consume));
        demand((x.threshold ? x.threshold : or_one(x.consume)) == (y.threshold ? y.threshold : or_one(y.consume)));
    }
    for (uint32_t i = 0; i < weir_pipeline_source_count(a); i++) {
        struct weir_source_spec x = weir_pipeline_source(a, i), y = weir_pipeline_source(b, i);
        demand(x.bursty == y.bursty && or_one(x.batch) == or_one(y.batch));
        if (weir_pipeline_digits(a) != weir_pipeline_digits(b))
            continue; /* a rate is then in other terms */
        __extension__ typedef __int128 wide;
        int64_t left = x.count ? x.count : 1, right = y.count ? y.count : 1;
        demand((wide)left * y.period == (wide)right * x.period); /* even arrivals: 16 in 10 s are 8 in 5 s */
        demand(x.bursty == y.bursty && (!x.bursty || left == right));
    }
}

/* What is only said of a GPU. */
static void compare_kernels(const struct weir_pipeline *a, const struct weir_pipeline *b)
{
    struct weir_gpu_spec left = weir_pipeline_gpu(a), right = weir_pipeline_gpu(b);
    demand(left.sms == right.sms && left.max_concurrent == right.max_concurrent);
    compare_time(a, left.min_time, b, right.min_time);
    compare_time(a, left.launch_overhead, b, right.launch_overhead);
    compare_time(a, left.deadline, b, right.deadline);
    for (uint32_t i = 0; i < weir_pipeline_operator_count(a); i++) {
        struct weir_operator_spec x = weir_pipeline_operator(a, (struct weir_operator){i});
        struct weir_operator_spec y = weir_pipeline_operator(b, (struct weir_operator){i});
        demand(x.splittable == y.splittable && x.time_count == y.time_count);
        compare_time(a, x.granularity, b, y.granularity);
        compare_time(a, x.min_time, b, y.min_time);
        for (size_t k = 0; k < x.time_count; k++) {
            demand(x.times[k].sms == y.times[k].sms);
            compare_time(a, x.times[k].time, b, y.times[k].time);
        }
    }
}

/* What is only said where processors or cores are shared. */
static void compare_shared(const struct weir_pipeline *a, const struct weir_pipeline *b)
{
    demand(weir_pipeline_platform(a) == weir_pipeline_platform(b));
    demand(weir_pipeline_processor_count(a) == weir_pipeline_processor_count(b));
    compare_time(a, weir_pipeline_latency_limit(a), b, weir_pipeline_latency_limit(b));
    for (uint32_t i = 0; i < weir_pipeline_processor_count(a); i++) {
        struct weir_processor_spec x = weir_pipeline_processor(a, (struct weir_processor){i});
        struct weir_processor_spec y = weir_pipeline_processor(b, (struct weir_processor){i});
        demand(strcmp(x.name, y.name) == 0 && x.sharing == y.sharing);
        compare_time(a, x.frame, b, y.frame);
    }
    for (uint32_t i = 0; i < weir_pipeline_operator_count(a); i++) {
        struct weir_operator_spec x = weir_pipeline_operator(a, (struct weir_operator){i});
        struct weir_operator_spec y = weir_pipeline_operator(b, (struct weir_operator){i});
        demand(x.mapped == y.mapped && x.on.index == y.on.index && x.has_priority == y.has_priority && x.priority == y.priority);
        compare_time(a, x.slot, b, y.slot);
    }
    for (uint32_t i = 0; i < weir_pipeline_source_count(a); i++) {
        struct weir_source_spec x = weir_pipeline_source(a, i), y = weir_pipeline_source(b, i);
        demand(x.op.index == y.op.index && !x.name == !y.name && (!x.name || strcmp(x.name, y.name) == 0));
        demand(x.sporadic == y.sporadic && x.has_phase == y.has_phase && x.arrivals == y.arrivals);
        if (weir_pipeline_platform(a) != WEIR_PLATFORM_CORES)
            compare_time(a, x.period, b, y.period);
        compare_time(a, x.jitter, b, y.jitter);
        compare_time(a, x.phase, b, y.phase);
    }
}

static void compare(const struct weir_pipeline *a, const struct weir_pipeline *b)
{
    demand(strcmp(weir_pipeline_name(a), weir_pipeline_name(b)) == 0);
    demand(weir_pipeline_unit(a) == weir_pipeline_unit(b));
    demand(weir_pipeline_operator_count(a) == weir_pipeline_operator_count(b));
    demand(weir_pipeline_queue_count(a) == weir_pipeline_queue_count(b));
    demand(weir_pipeline_source_count(a) == weir_pipeline_source_count(b));
    demand(weir_pipeline_chain_count(a) == weir_pipeline_chain_count(b));
    for (uint32_t i = 0; i < weir_pipeline_operator_count(a); i++) {
        struct weir_operator_spec x = weir_pipeline_operator(a, (struct weir_operator){i});
        struct weir_operator_spec y = weir_pipeline_operator(b, (struct weir_operator){i});
        demand(strcmp(x.name, y.name) == 0 && x.reentrant == y.reentrant);
        compare_time(a, x.best, b, y.best);
        compare_time(a, x.worst, b, y.worst);
        compare_time(a, x.receive_max, b, y.receive_max);
    }
    for (uint32_t i = 0; i < weir_pipeline_queue_count(a); i++) {
        struct weir_queue_spec x = weir_pipeline_queue(a, (struct weir_queue){i});
        struct weir_queue_spec y = weir_pipeline_queue(b, (struct weir_queue){i});
        demand(x.from.index == y.from.index && x.to.index == y.to.index);
        demand(x.capacity == y.capacity && x.initial == y.initial && x.nonblocking == y.nonblocking);
    }
}

void weir_fuzz_read_again(const struct weir_pipeline *pipeline)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    demand(out != NULL);
    demand(weir_pipeline_write_yaml(pipeline, out, NULL) == WEIR_OK);
    fclose(out);
    struct weir_pipeline *again = NULL;
    demand(weir_read_memory(text, bytes, "again", NULL, &again, NULL) == WEIR_OK);
    compare(pipeline, again);
    compare_shared(pipeline, again);
    if (weir_pipeline_platform(pipeline) == WEIR_PLATFORM_CORES)
        compare_pool(pipeline, again);
    if (weir_pipeline_platform(pipeline) == WEIR_PLATFORM_GPU)
        compare_kernels(pipeline, again);
    weir_pipeline_free(again);
    free(text);
}

void weir_fuzz_put_file(size_t number, const void *bytes, size_t size, char path[32])
{
    static FILE *files[WEIR_FUZZ_FILES];
    if (!files[number])
        files[number] = tmpfile();
    demand(files[number] && ftruncate(fileno(files[number]), 0) == 0);
    demand(pwrite(fileno(files[number]), bytes, size, 0) == (ssize_t)size);
    snprintf(path, 32, "/dev/fd/%d", fileno(files[number]));
}

void weir_fuzz_read(const uint8_t *bytes, size_t size, const struct weir_read_options *options)
{
    struct weir_errors *errors = weir_errors_new();
    struct weir_pipeline *pipeline = NULL;
    demand(errors != NULL);
    enum weir_status status = weir_read_memory((const char *)bytes, size, "fuzz", options, &pipeline, errors);
    demand((status == WEIR_OK) == (pipeline != NULL));
    demand((status == WEIR_OK) == (weir_errors_count(errors) == 0));
    check_errors(errors);
    weir_errors_free(errors);
    if (pipeline)
        weir_fuzz_read_again(pipeline);
    weir_pipeline_free(pipeline);
}
