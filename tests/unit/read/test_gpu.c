/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs of kernels in model files: what is read, what options say in its place, and that what is written is read as the same. */
#include "base/random.h"
#include "reading.h"
#include "support/runner.h"
#include "support/stage.h"

#include <stdlib.h>

#define WORKED WEIR_SOURCE_DIR "/examples/gpu/worked-example.yaml"

static struct weir_pipeline *read_path(const char *path, const struct weir_read_options *options)
{
    struct weir_errors *errors = weir_errors_new();
    struct weir_pipeline *pipeline = NULL;
    if (weir_read_file(path, options, &pipeline, errors))
        fail_msg("%s", weir_errors_at(errors, 0)->message);
    weir_errors_free(errors);
    return pipeline;
}

/* The one mistake that there is. */
static void expect_mistake(const char *text, const struct weir_read_options *options, const char *message)
{
    struct weir_errors *errors = weir_errors_new();
    struct weir_pipeline *pipeline = NULL;
    assert_int_equal(weir_read_memory(text, strlen(text), "model", options, &pipeline, errors), WEIR_INVALID);
    assert_null(pipeline);
    assert_int_equal(weir_errors_count(errors), 1);
    assert_string_equal(weir_errors_at(errors, 0)->message, message);
    weir_errors_free(errors);
}

/* ---- reading ---- */

TEST(worked_example)
{
    static const char *const ends[][2] = {{"v1", "v2"}, {"v1", "v3"}, {"v1", "v4"}, {"v3", "v5"}, {"v4", "v5"},
                                          {"v4", "v6"}, {"v2", "v7"}, {"v5", "v7"}, {"v6", "v7"}};
    static const int64_t loads[] = {1, 4, 2, 2, 4, 4, 1};
    struct weir_pipeline *p = read_path(WORKED, NULL);
    assert_int_equal(weir_pipeline_platform(p), WEIR_PLATFORM_GPU);
    assert_string_equal(weir_pipeline_name(p), "Worked example");
    struct weir_gpu_spec gpu = weir_pipeline_gpu(p);
    assert_int_equal(gpu.sms, 6);
    assert_int_equal(gpu.min_time, 1);
    assert_int_equal(gpu.launch_overhead, 0);
    assert_int_equal(gpu.max_concurrent, 0);
    assert_int_equal(gpu.deadline, 0);
    assert_int_equal(gpu.place.line, 4);
    assert_int_equal(weir_pipeline_operator_count(p), 7);
    for (uint32_t i = 0; i < 7; i++) {
        struct weir_operator_spec spec = weir_pipeline_operator(p, (struct weir_operator){i});
        assert_int_equal(spec.best, 0);
        assert_int_equal(spec.worst, loads[i]);
        assert_true(spec.splittable);
        assert_int_equal(spec.time_count, 0);
    }
    assert_int_equal(weir_pipeline_queue_count(p), 9);
    for (uint32_t i = 0; i < 9; i++)
        assert_queue(p, i, ends[i][0], ends[i][1]);
    weir_pipeline_free(p);
}

TEST(everything)
{
    struct weir_pipeline *p =
        reading("unit: us\n"
                "platform: {gpu: {sms: 132, min-time: 1.5, launch-overhead: 500ns, max-concurrent: 128, deadline: 2ms}}\n"
                "defaults: {splittable: true, granularity: 0.25, min-time: 2}\n"
                "kernels:\n"
                "  plain: 40\n"
                "  own: {load: 1ms, splittable: false, granularity: 0, min-time: 3}\n"
                "  table: {times: {1: 40, 2: 21, 132: 11.5}}\n"
                "dependencies:\n  - plain -> [own, table]\n  - {from: own, to: [table]}\n  - plain -> own -> table\n",
                NULL);
    struct weir_gpu_spec gpu = weir_pipeline_gpu(p);
    assert_int_equal(weir_pipeline_digits(p), 2);
    assert_int_equal(gpu.min_time, 150);
    assert_int_equal(gpu.launch_overhead, 50);
    assert_int_equal(gpu.max_concurrent, 128);
    assert_int_equal(gpu.deadline, 200000);
    struct weir_operator_spec plain = operator_named(p, "plain"), own = operator_named(p, "own");
    assert_int_equal(plain.worst, 4000);
    assert_true(plain.splittable);
    assert_int_equal(plain.granularity, 25);
    assert_int_equal(plain.min_time, 200);
    assert_int_equal(own.worst, 100000);
    assert_false(own.splittable);
    assert_int_equal(own.granularity, 0);
    assert_int_equal(own.min_time, 300);
    struct weir_operator_spec table = operator_named(p, "table");
    assert_false(table.splittable);
    assert_int_equal(table.granularity, 0);
    assert_int_equal(table.min_time, 0);
    assert_int_equal(table.time_count, 3);
    assert_int_equal(table.times[2].sms, 132);
    assert_int_equal(table.times[2].time, 1150);
    assert_int_equal(table.worst, 4000);
    assert_int_equal(weir_pipeline_queue_count(p), 5);
    weir_pipeline_free(p);
}

TEST(defaults_of_zero)
{
    struct weir_pipeline *p = reading("platform: {gpu: {sms: 2, min-time: 3}}\n"
                                      "defaults: {min-time: 0, granularity: 0, splittable: no}\nkernels: {a: 5}\ndependencies:\n",
                                      NULL);
    assert_int_equal(operator_named(p, "a").min_time, 0); /* the platform's */
    assert_false(operator_named(p, "a").splittable);
    weir_pipeline_free(p);
}

/* ---- options ---- */

TEST(options_beat_the_file)
{
    static const char text[] = "unit: us\nplatform: {gpu: {sms: 8, min-time: 1}}\nkernels: {a: 5}\n";
    const struct weir_read_options options = {.sms = 16, .max_concurrent = 4, .min_time = "250ns", .launch_overhead = "1.5"};
    struct weir_pipeline *p = reading(text, &options);
    struct weir_gpu_spec gpu = weir_pipeline_gpu(p);
    assert_int_equal(gpu.sms, 16);
    assert_int_equal(gpu.max_concurrent, 4);
    assert_int_equal(weir_pipeline_digits(p), 2);
    assert_int_equal(gpu.min_time, 25);
    assert_int_equal(gpu.launch_overhead, 150);
    weir_pipeline_free(p);
    p = reading("platform: {gpu: {min-time: 1}}\nkernels: {a: 5}\n", &(struct weir_read_options){.sms = 3});
    assert_int_equal(weir_pipeline_gpu(p).sms, 3);
    weir_pipeline_free(p);
}

TEST(options_that_do_not_fit)
{
    static const char kernels[] = "platform: {gpu: {sms: 8}}\nkernels: {a: 5}\n", operators[] = "operators: {a: 5}\n";
    expect_mistake(operators, &(struct weir_read_options){.sms = 3},
                   "--sms, --min-time, --launch-overhead and --max-concurrent are for graphs of kernels");
    expect_mistake(operators, &(struct weir_read_options){.min_time = "3"},
                   "--sms, --min-time, --launch-overhead and --max-concurrent are for graphs of kernels");
    expect_mistake(kernels, &(struct weir_read_options){.sms = 65537}, "\"--sms\" is out of range: at most 65536 SMs");
    expect_mistake(kernels, &(struct weir_read_options){.min_time = "soon"},
                   "\"--min-time\" must be a number such as 5, 4.25 or 33.3ms, not \"soon\"");
    expect_mistake(kernels, &(struct weir_read_options){.launch_overhead = "-1"},
                   "\"--launch-overhead\" must not be negative, but is -1");
    expect_mistake(kernels, &(struct weir_read_options){.launch_overhead = "1us"},
                   "a time in us cannot be converted to the model's unit, tick");
    expect_mistake(kernels, &(struct weir_read_options){.kernel_times = "/no/such/file"},
                   "--kernel-times is for the graphs that cudaGraphDebugDotPrint writes");
    expect_mistake("platform: {gpu: {sms: 8}}\nkernels: {a: {times: {4: 2, 8: 1}}}\n", &(struct weir_read_options){.sms = 3},
                   "kernel \"a\" needs at least 4 SMs, but there are only 3");
}

/* ---- written and read again ---- */

static char *write_text(const struct weir_pipeline *p, enum weir_model_format format)
{
    char *text;
    STAGE_WRITTEN(text, weir_pipeline_write(p, format, 0, out, NULL));
    return text;
}

static void assert_same_kernel(const struct weir_operator_spec *x, const struct weir_operator_spec *y)
{
    assert_string_equal(x->name, y->name);
    assert_int_equal(x->best, y->best);
    assert_int_equal(x->worst, y->worst);
    assert_int_equal(x->splittable, y->splittable);
    assert_int_equal(x->granularity, y->granularity);
    assert_int_equal(x->min_time, y->min_time);
    assert_int_equal(x->time_count, y->time_count);
    for (size_t i = 0; i < x->time_count; i++) {
        assert_int_equal(x->times[i].sms, y->times[i].sms);
        assert_int_equal(x->times[i].time, y->times[i].time);
    }
}

static void assert_same(const struct weir_pipeline *a, const struct weir_pipeline *b)
{
    struct weir_gpu_spec x = weir_pipeline_gpu(a), y = weir_pipeline_gpu(b);
    assert_string_equal(weir_pipeline_name(a), weir_pipeline_name(b));
    assert_int_equal(weir_pipeline_unit(a), weir_pipeline_unit(b));
    assert_int_equal(weir_pipeline_digits(a), weir_pipeline_digits(b));
    assert_int_equal(x.sms, y.sms);
    assert_int_equal(x.min_time, y.min_time);
    assert_int_equal(x.launch_overhead, y.launch_overhead);
    assert_int_equal(x.max_concurrent, y.max_concurrent);
    assert_int_equal(x.deadline, y.deadline);
    assert_int_equal(weir_pipeline_operator_count(a), weir_pipeline_operator_count(b));
    assert_int_equal(weir_pipeline_queue_count(a), weir_pipeline_queue_count(b));
    for (uint32_t i = 0; i < weir_pipeline_operator_count(a); i++) {
        struct weir_operator_spec left = weir_pipeline_operator(a, (struct weir_operator){i});
        struct weir_operator_spec right = weir_pipeline_operator(b, (struct weir_operator){i});
        assert_same_kernel(&left, &right);
    }
    for (uint32_t i = 0; i < weir_pipeline_queue_count(a); i++) {
        struct weir_queue_spec left = weir_pipeline_queue(a, (struct weir_queue){i});
        struct weir_queue_spec right = weir_pipeline_queue(b, (struct weir_queue){i});
        assert_int_equal(left.from.index, right.from.index);
        assert_int_equal(left.to.index, right.to.index);
    }
}

static void check_again(struct weir_pipeline *p)
{
    static const enum weir_model_format formats[] = {WEIR_MODEL_YAML, WEIR_MODEL_JSON};
    for (size_t i = 0; i < 2; i++) {
        char *text = write_text(p, formats[i]);
        struct weir_pipeline *again = reading(text, NULL);
        assert_same(p, again);
        char *twice = write_text(again, formats[i]);
        assert_string_equal(text, twice);
        weir_pipeline_free(again);
        free(text);
        free(twice);
    }
    weir_pipeline_free(p);
}

TEST(examples_again)
{
    check_again(read_path(WORKED, NULL));
    check_again(read_path(WEIR_SOURCE_DIR "/examples/gpu/vision.yaml", NULL));
    check_again(reading("name: '\xe5\x9b\xbe'\nunit: ns\nplatform: {gpu: {sms: 1}}\n"
                        "kernels: {'a -> b': 1, '12': 2, 'void f<int, 3>(float *)': 3, true: 0.5, 'x:y': 4, '- z': 5}\n"
                        "dependencies:\n  - '\"a -> b\" -> 12 -> void f<int, 3>(float *)'\n  - {from: true, to: ['x:y', '- z']}\n",
                        NULL));
}

static uint32_t below(struct weir_random *random, uint32_t bound)
{
    return (uint32_t)weir_random_between(random, 0, bound - 1);
}

/* A graph with something of everything. */
static struct weir_pipeline *draw(struct weir_random *random)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    uint32_t count = 1 + below(random, 12);
    struct weir_gpu_spec gpu = {.sms = 4 + below(random, 200),
                                .min_time = below(random, 3),
                                .launch_overhead = below(random, 3),
                                .max_concurrent = below(random, 5),
                                .deadline = below(random, 2) * INT64_C(1000)};
    assert_int_equal(weir_pipeline_set_unit(p, (enum weir_unit)below(random, 5), 0, NULL), WEIR_OK);
    assert_int_equal(weir_pipeline_set_platform(p, WEIR_PLATFORM_GPU, NULL), WEIR_OK);
    assert_int_equal(weir_pipeline_set_gpu(p, &gpu, NULL), WEIR_OK);
    for (uint32_t i = 0; i < count; i++) {
        struct weir_gpu_time times[4];
        char name[16];
        snprintf(name, sizeof name, i % 3 ? "k%u" : "kernel %u", i);
        struct weir_operator_spec spec = {.name = name};
        if (below(random, 3) == 0) {
            spec.time_count = 1 + below(random, 4);
            for (size_t k = 0; k < spec.time_count; k++)
                times[k] = (struct weir_gpu_time){1 + (uint32_t)k * 3, 1 + below(random, 100)};
            spec.times = times;
        } else {
            spec.worst = 1 + below(random, 1000);
            spec.splittable = below(random, 2);
            spec.granularity = below(random, 4);
            spec.min_time = below(random, 4);
        }
        assert_int_equal(weir_pipeline_add_operator(p, &spec, NULL, NULL), WEIR_OK);
        for (uint32_t j = 0; j < i; j++)
            if (below(random, 3) == 0) {
                struct weir_queue_spec queue = {.from = {j}, .to = {i}, .capacity = 1};
                assert_int_equal(weir_pipeline_add_queue(p, &queue, NULL, NULL), WEIR_OK);
            }
    }
    assert_int_equal(weir_pipeline_seal(p, NULL, NULL), WEIR_OK);
    return p;
}

TEST(random_graphs_again)
{
    struct weir_random random;
    weir_random_seed(&random, 7);
    for (int i = 0; i < 300; i++)
        check_again(draw(&random));
}

TEST(formats_that_cannot)
{
    struct weir_pipeline *p = read_path(WORKED, NULL);
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    struct weir_error error;
    assert_int_equal(weir_pipeline_write_dot(p, out, &error), WEIR_INVALID);
    assert_string_equal(error.message, "this is a graph of kernels of a GPU: DOT cannot hold that; YAML and JSON can");
    for (int format = WEIR_MODEL_DOT; format < WEIR_MODEL_FORMATS; format++)
        assert_int_equal(weir_pipeline_write(p, (enum weir_model_format)format, 0, out, NULL), WEIR_INVALID);
    fclose(out);
    assert_int_equal(bytes, 0);
    free(text);
    weir_pipeline_free(p);
}
