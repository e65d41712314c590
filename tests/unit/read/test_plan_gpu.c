/* SPDX-License-Identifier: Apache-2.0 */
/* Operators whose time is the bound of a plan for a GPU: units, paths, methods, and plans that cannot be used. */
#include "reading.h"
#include "support/refuse.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/weir-plans-XXXXXX";

static const char *path_of(const char *name)
{
    static char path[2][PATH_MAX];
    static int turn;
    turn = !turn;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(path_of(name), "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static struct weir_pipeline *read_model(const char *text, const struct weir_read_options *options)
{
    write_file("model.yaml", text);
    struct weir_errors *errors = weir_errors_new();
    struct weir_pipeline *p = NULL;
    if (weir_read_file(path_of("model.yaml"), options, &p, errors))
        fail_msg("%s: %s", weir_errors_at(errors, 0)->file, weir_errors_at(errors, 0)->message);
    weir_errors_free(errors);
    return p;
}

/* Each mistake as FILE:LINE:COLUMN: MESSAGE, the folder left out. */
static void expect_mistakes(const char *text, const struct weir_read_options *options, const char *expected)
{
    char found[4096] = "";
    struct weir_errors *errors = weir_errors_new();
    struct weir_pipeline *p = NULL;
    write_file("model.yaml", text);
    assert_int_equal(weir_read_file(path_of("model.yaml"), options, &p, errors), WEIR_INVALID);
    assert_null(p);
    for (size_t i = 0; i < weir_errors_count(errors); i++) {
        const struct weir_error *e = weir_errors_at(errors, i);
        const char *file = strrchr(e->file, '/'), *message = e->message, *name = strstr(message, folder);
        size_t used = strlen(found);
        snprintf(found + used, sizeof found - used, "%s:%u:%u: ", file ? file + 1 : e->file, e->line, e->column);
        used = strlen(found);
        if (name)
            snprintf(found + used, sizeof found - used, "%.*s%s\n", (int)(name - message), message, name + strlen(folder) + 1);
        else
            snprintf(found + used, sizeof found - used, "%s\n", message);
    }
    weir_errors_free(errors);
    assert_string_equal(found, expected);
}

#define GRAPH                                                                                                                      \
    "kernels: {v1: 1, v2: 4, v3: 2, v4: 2, v5: 4, v6: 4, v7: 1}\n"                                                                 \
    "dependencies: [v1 -> v2, v1 -> v3, v1 -> v4, v3 -> v5, v4 -> v5, v4 -> v6, v2 -> v7, v5 -> v7, v6 -> v7]\n"
#define WORKED "platform: {gpu: {sms: 6, min-time: 1}}\ndefaults: {splittable: true}\n" GRAPH

static void bound_of_a_plan(void **state)
{
    (void)state;
    write_file("plan.yaml", WORKED);
    struct weir_pipeline *p =
        read_model("operators: {a: 1, b: {time: {gpu: plan.yaml}}, c: {time: {gpu: plan.yaml, best: 2.5, device: two}},\n"
                   "  d: {time: {gpu: plan.yaml, method: safe, best: 5, device: three}}}\n"
                   "queues: [a -> b -> c -> d]\n",
                   NULL);
    assert_int_equal(weir_pipeline_platform(p), WEIR_PLATFORM_THREADS);
    assert_times(p, "b", 0, 50);
    assert_times(p, "c", 25, 50);
    assert_times(p, "d", 50, 50);
    weir_pipeline_free(p);
}

static void unit_of_a_plan(void **state)
{
    (void)state;
    write_file("plan.yaml", "unit: us\n" WORKED);
    struct weir_pipeline *p = read_model("unit: ms\noperators: {a: 1, b: {time: {gpu: plan.yaml}}}\nqueues: [a -> b]\n", NULL);
    assert_int_equal(weir_pipeline_digits(p), 3);
    assert_times(p, "b", 0, 5);
    weir_pipeline_free(p);
    p = read_model("unit: ns\noperators: {a: 1, b: {time: {gpu: plan.yaml}}}\nqueues: [a -> b]\n", NULL);
    assert_times(p, "b", 0, 5000);
    weir_pipeline_free(p);
}

/* 10 over 4 SMs is 2.5, and no whole tick of the plan is nearer than 3. */
static void rounded_up_to_ticks(void **state)
{
    (void)state;
    write_file("plan.yaml", "unit: us\nplatform: {gpu: {sms: 4}}\nkernels: {a: 10}\n");
    struct weir_pipeline *p = read_model("unit: us\noperators: {a: 1, b: {time: {gpu: plan.yaml}}}\nqueues: [a -> b]\n", NULL);
    assert_times(p, "b", 0, 3);
    weir_pipeline_free(p);
}

static void other_platforms(void **state)
{
    (void)state;
    write_file("plan.yaml", WORKED);
    struct weir_pipeline *p = read_model("platform: {scheduler: fixed-priority}\nprocessors: [dsp]\n"
                                         "operators: {a: {time: 1, on: dsp, priority: 1}, b: {time: {gpu: plan.yaml}}}\n"
                                         "queues: [a -> b]\nsource: {operator: a, period: 20}\n",
                                         NULL);
    assert_times(p, "b", 0, 5);
    weir_pipeline_free(p);
    p = read_model("platform: {cores: 2}\noperators: {a: 1, b: {time: {gpu: plan.yaml}}}\nqueues: [a -> b]\n"
                   "source: {operator: a, period: 20}\n",
                   NULL);
    assert_times(p, "b", 0, 5);
    weir_pipeline_free(p);
}

static void paths(void **state)
{
    (void)state;
    char text[PATH_MAX + 128];
    assert_int_equal(mkdir(path_of("more"), 0700), 0);
    write_file("more/plan.yaml", WORKED);
    struct weir_pipeline *p =
        read_model("operators: {a: 1, b: {time: {gpu: more/plan.yaml}}, c: {time: {gpu: ./more/../more/plan.yaml, device: b}}}\n"
                   "queues: [a -> b -> c]\n",
                   NULL);
    assert_times(p, "c", 0, 5);
    weir_pipeline_free(p);
    snprintf(text, sizeof text, "operators: {a: 1, b: {time: {gpu: '%s'}}}\nqueues: [a -> b]\n", path_of("more/plan.yaml"));
    p = reading(text, NULL);
    assert_times(p, "b", 0, 5);
    weir_pipeline_free(p);
    unlink(path_of("more/plan.yaml"));
    rmdir(path_of("more"));
}

static void written_as_numbers(void **state)
{
    (void)state;
    char *text = NULL;
    size_t bytes = 0;
    write_file("plan.yaml", WORKED);
    struct weir_pipeline *p = read_model("operators: {a: 1, b: {time: {gpu: plan.yaml}}}\nqueues: [a -> b]\n", NULL);
    FILE *out = open_memstream(&text, &bytes);
    assert_int_equal(weir_pipeline_write_yaml(p, out, NULL), WEIR_OK);
    fclose(out);
    assert_non_null(strstr(text, "  b: {time: [0, 5]}\n"));
    struct weir_pipeline *again = reading(text, &(struct weir_read_options){.no_files = true});
    assert_times(again, "b", 0, 5);
    weir_pipeline_free(again);
    weir_pipeline_free(p);
    free(text);
}

#define ONE "operators:\n  a: {time: {gpu: plan.yaml}}\n"
#define TWO ONE "  b: {time: {gpu: plan.yaml, device: b}}\nqueues: [a -> b]\n"

static void plans_that_cannot_be_used(void **state)
{
    (void)state;
    unlink(path_of("plan.yaml"));
    expect_mistakes(ONE, NULL,
                    "model.yaml:2:19: the time cannot be taken from \"plan.yaml\": cannot read this file: No such file or "
                    "directory\n");
    expect_mistakes(ONE, &(struct weir_read_options){.no_files = true},
                    "model.yaml:2:19: \"gpu\" names a file, and no other files are read here; write the time itself\n");
    write_file("plan.yaml", "operators: {a: 1}\n");
    expect_mistakes(
        ONE, NULL,
        "model.yaml:2:19: the time cannot be taken from \"plan.yaml\": it is not a graph of kernels (\"platform: {gpu: ...}\")\n");
    write_file("plan.yaml", "platform: {gpu: {sms: 0}}\nkernels: {a: 1,\n  b: {lode: 2}}\n");
    expect_mistakes(TWO, NULL,
                    "plan.yaml:1:23: \"sms\" must be at least 1\n"
                    "model.yaml:2:19: the time cannot be taken from \"plan.yaml\": it has 2 errors\n"
                    "plan.yaml:3:7: unknown key \"lode\" in a kernel; did you mean \"load\"?\n");
    write_file("plan.yaml", "platform: {gpu: {sms: 2}}\nkernels: {a: 1}\n");
    expect_mistakes("unit: ms\n" ONE, NULL, "model.yaml:3:19: a time in tick cannot be converted to the model's unit, ms\n");
    expect_mistakes("operators:\n  a: {time: {gpu: plan.yaml, best: 7}}\n", NULL,
                    "model.yaml:2:36: operator \"a\" has a best case of 7, above its worst case of 1\n");
    expect_mistakes(ONE "  b: {time: {gpu: plan.yaml}}\nqueues: [a -> b]\n", NULL,
                    "model.yaml:3:19: a plan has its GPU to itself, and so has the one in line 2, which may run at the same time; "
                    "plan their kernels together, or say with \"device\" that they run on different GPUs\n");
    expect_mistakes("operators:\n  a: {time: {gpu: plan.yaml}, reentrant: true}\n", NULL,
                    "model.yaml:2:42: operator \"a\" is reentrant, but its plan has the GPU to itself: one execution runs at a "
                    "time\n");
    write_file("plan.yaml", ONE); /* names itself */
    expect_mistakes(ONE, NULL,
                    "plan.yaml:2:19: \"gpu\" names a file, and no other files are read here; write the time itself\n"
                    "model.yaml:2:19: the time cannot be taken from \"plan.yaml\": it has 1 error\n");
}

/* Barriers between two groups of 8,200 are more than a plan may have. */
static void plans_that_cannot_be_made(void **state)
{
    (void)state;
    enum { WIDE = 8200, LINE = 40 };
    static char text[2 * WIDE * LINE];
    int at = snprintf(text, sizeof text, "platform: {gpu: {sms: 8200, min-time: 1}}\nkernels:\n");
    for (int i = 0; i < WIDE; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, "  a%d: 1\n  b%d: 1\n", i, i);
    at += snprintf(text + at, sizeof text - (size_t)at, "dependencies:\n");
    for (int i = 0; i < WIDE; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, "  - a%d -> b%d\n", i, i);
    struct weir_errors *errors = weir_errors_new();
    struct weir_pipeline *p = NULL;
    write_file("plan.yaml", text);
    write_file("model.yaml", "operators: {a: {time: {gpu: plan.yaml, method: safe}}}\n");
    assert_int_equal(weir_read_file(path_of("model.yaml"), NULL, &p, errors), WEIR_INVALID);
    assert_int_equal(weir_errors_count(errors), 1);
    assert_non_null(strstr(weir_errors_at(errors, 0)->message, "plan.yaml\": the plan would have more than"));
    weir_errors_free(errors);
}

static void limits(void **state)
{
    (void)state;
    static char large[5 << 20];
    char text[8192] = "operators:\n", *end = text + strlen(text);
    memset(large, '#', sizeof large - 1);
    write_file("plan.yaml", large);
    expect_mistakes(ONE, NULL,
                    "model.yaml:2:19: the time cannot be taken from \"plan.yaml\": it is too large: the most is 4 MiB\n");
    write_file("plan.yaml", WORKED);
    for (int i = 0; i < 65; i++) { /* the same file by other names */
        end += sprintf(end, "  o%d: {time: {gpu: \"", i);
        for (int k = 0; k < i; k++)
            end += sprintf(end, "/");
        end += sprintf(end, "%s\", device: g%d}}\n", i ? "dev/null" : "plan.yaml", i);
    }
    struct weir_errors *errors = weir_errors_new();
    struct weir_pipeline *p = NULL;
    write_file("model.yaml", text);
    assert_int_equal(weir_read_file(path_of("model.yaml"), NULL, &p, errors), WEIR_INVALID);
    bool found = false;
    for (size_t i = 0; i < weir_errors_count(errors); i++)
        found |= strcmp(weir_errors_at(errors, i)->message, "too many times come from plans of GPUs: 64 files are the most") == 0;
    assert_true(found);
    weir_errors_free(errors);
}

/* ---- memory ---- */

static void refuse_each(enum weir_status usual)
{
    struct refuse memory = {0};
    while (refuse_next(&memory)) {
        struct weir_pipeline *p = NULL;
        enum weir_status status = weir_read_file(path_of("model.yaml"), NULL, &p, NULL);
        assert_int_equal(status == WEIR_OK, p != NULL);
        weir_pipeline_free(p);
        refuse_end();
        if (memory.live || (status != usual && status != WEIR_MEMORY))
            fail_msg("status %d, %ld blocks left when allocation %ld fails", (int)status, memory.live, memory.number);
    }
}

static void without_memory(void **state)
{
    (void)state;
    write_file("model.yaml", "operators: {a: {time: {gpu: plan.yaml}}, b: {time: {gpu: plan.yaml, method: safe, device: b}}}\n"
                             "queues: [a -> b]\n");
    write_file("plan.yaml", "platform: {gpu: {sms: 2}}\nkernels: {a: 1, b: 2}\ndependencies: [a -> b]\n");
    refuse_each(WEIR_OK);
    write_file("plan.yaml", "platform: {gpu: {sms: 2}}\nkernels: {a: 1, b: -2}\ndependencies: [a -> c]\n");
    refuse_each(WEIR_INVALID);
}

static int begin(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    unlink(path_of("model.yaml"));
    unlink(path_of("plan.yaml"));
    return rmdir(folder);
}

int plan_gpu_group(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bound_of_a_plan),
        cmocka_unit_test(unit_of_a_plan),
        cmocka_unit_test(rounded_up_to_ticks),
        cmocka_unit_test(other_platforms),
        cmocka_unit_test(paths),
        cmocka_unit_test(written_as_numbers),
        cmocka_unit_test(plans_that_cannot_be_used),
        cmocka_unit_test(plans_that_cannot_be_made),
        cmocka_unit_test(limits),
        cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
