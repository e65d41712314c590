/* SPDX-License-Identifier: Apache-2.0 */
/* Programs for a GPU, from plans made by hand: the tables say what the plan does, and no name can get out of its quotes. That they
 * compile is tested where there are compilers (tests/cli/formats/cuda.sh). */
#include "support/stage.h"

#include <stdlib.h>
#include <string.h>

static const char *const odd_names[] = {"plain", "a */ int x; /*", "q\"uo\\te?\?/\n", "\xc3\xa4\xff",
                                        "a very long name, longer than any that is kept"};
#define KERNELS (sizeof odd_names / sizeof *odd_names)

struct scene {
    struct weir_pipeline *pipeline;
    struct weir_gpu_launch launches[KERNELS + 1];
    uint32_t after[KERNELS + 1][2];
    struct weir_gpu_plan plan;
};

/* Kernel 0 in two parts, then all others at once. */
static void scene_open(struct scene *s, enum weir_unit unit, int64_t overhead)
{
    *s = (struct scene){.pipeline = weir_pipeline_new(NULL)};
    struct weir_pipeline *p = s->pipeline;
    struct weir_gpu_spec gpu = {.sms = 16, .min_time = 1, .launch_overhead = overhead};
    assert_int_equal(weir_pipeline_set_name(p, "hand */ made", NULL), WEIR_OK);
    assert_int_equal(weir_pipeline_set_unit(p, unit, 1, NULL), WEIR_OK);
    assert_int_equal(weir_pipeline_set_platform(p, WEIR_PLATFORM_GPU, NULL), WEIR_OK);
    assert_int_equal(weir_pipeline_set_gpu(p, &gpu, NULL), WEIR_OK);
    for (uint32_t i = 0; i < KERNELS; i++) {
        struct weir_operator_spec spec = {.name = odd_names[i], .worst = 10 + i, .splittable = true, .granularity = i == 4 ? 2 : 0};
        struct weir_operator op;
        assert_int_equal(weir_pipeline_add_operator(p, &spec, &op, NULL), WEIR_OK);
        if (i > 0)
            stage_queue(p, (struct weir_operator){0}, op, 1, 0);
    }
    stage_seal(p);
    for (uint32_t i = 0; i <= KERNELS; i++) {
        uint32_t kernel = i < 2 ? 0 : i - 1;
        s->after[i][0] = i < 2 ? 0 : 1;
        s->launches[i] = (struct weir_gpu_launch){.kernel = {kernel},
                                                  .part = i < 2 ? i + 1 : 1,
                                                  .parts = i < 2 ? 2 : 1,
                                                  .group = i < 2 ? i : 2,
                                                  .sms = i < 2 ? 16 : 4,
                                                  .load = {i == 0   ? 22
                                                           : i == 1 ? 8
                                                                    : 3 * (10 + kernel),
                                                           3},
                                                  .time = {7, 3},
                                                  .after = s->after[i],
                                                  .after_count = i > 0};
    }
    s->plan = (struct weir_gpu_plan){.pipeline = p,
                                     .method = WEIR_GPU_BEST,
                                     .sms = 16,
                                     .bound = {7, 1},
                                     .lower = {20, 3},
                                     .safe = true,
                                     .launches = s->launches,
                                     .launch_count = KERNELS + 1,
                                     .group_count = 3};
}

static char *scene_write(const struct scene *s, enum weir_gpu_program program)
{
    char *text = NULL;
    size_t bytes = 0;
    struct weir_error error = {0};
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    if (weir_gpu_write_program(&s->plan, program, out, &error))
        fail_msg("%s", error.message);
    fclose(out);
    assert_int_equal(strlen(text), bytes);
    return text;
}

static void expect(const char *text, const char *wanted)
{
    if (!strstr(text, wanted))
        fail_msg("%s\nis not in\n%.6000s", wanted, text);
}

static void expect_not(const char *text, const char *unwanted)
{
    if (strstr(text, unwanted))
        fail_msg("%s\nis in the program", unwanted);
}

static void scene_close(struct scene *s, char *text)
{
    weir_pipeline_free(s->pipeline);
    free(text);
}

static void tables(void **state)
{
    struct scene s;
    (void)state;
    scene_open(&s, WEIR_UNIT_US, 0);
    char *text = scene_write(&s, WEIR_GPU_C);
    expect(text, "    KERNELS = 5,\n    LAUNCHES = 6,\n    GROUPS = 3,\n    PLAN_SMS = 16,\n    BLOCKS = 48,");
    expect(text, "    BARRIERS = 0,");
    expect(text, "    OVERHEADS = 0,");
    expect(text, "plan_bound = {INT64_C(7), INT64_C(1)};");
    expect(text, "static double tick_ns = 1e2;\n"); /* 0.1 us */
    expect(text, "    {0, 1, 2, 0, 16, {INT64_C(22), INT64_C(3)}, {INT64_C(7), INT64_C(3)}, 0, 0, 0},\n"
                 "    {0, 2, 2, 1, 16, {INT64_C(8), INT64_C(3)}, {INT64_C(7), INT64_C(3)}, 0, 1, 16},\n"
                 "    {1, 1, 1, 2, 4, {INT64_C(33), INT64_C(3)}, {INT64_C(7), INT64_C(3)}, 1, 1, 32},\n");
    expect(text, "after_of[] = {\n    0, /* 1 */\n    1, /* 2 */\n    1, /* 3 */\n");
    expect(text, "plan_why = NULL;");
    scene_close(&s, text);
}

/* A barrier waits for whole groups, so no launch is named. */
static void barriers(void **state)
{
    struct scene s;
    (void)state;
    scene_open(&s, WEIR_UNIT_TICK, 2);
    s.plan.barriers = true;
    s.plan.method = WEIR_GPU_SAFE;
    char *text = scene_write(&s, WEIR_GPU_CUDA);
    expect(text, "    BARRIERS = 1,");
    expect(text, "after_of[] = {\n    0};");
    expect(text, "#define OVERHEAD INT64_C(2)");
    expect(text, "static double tick_ns = 1e3;"); /* no unit: 10 us are ten ticks */
    expect(text, "plan_method[] = \"safe\"");
    scene_close(&s, text);
}

static void unsafe(void **state)
{
    struct scene s;
    (void)state;
    scene_open(&s, WEIR_UNIT_US, 0);
    s.plan.method = WEIR_GPU_GREEDY;
    s.plan.safe = false;
    s.plan.why = "who knows?";
    char *text = scene_write(&s, WEIR_GPU_C);
    expect(text, "plan_why = \"who knows\\077\";");
    expect(text, "    OVERHEADS = 6,"); /* a sum, not a chain */
    scene_close(&s, text);
}

static void names(void **state)
{
    struct scene s;
    (void)state;
    scene_open(&s, WEIR_UNIT_US, 0);
    for (int program = 0; program < 2; program++) {
        char *text = scene_write(&s, (enum weir_gpu_program)program);
        expect(text, " * hand _/ made: 6 launches on 16 SMs");
        expect(text, "{\"a */ int x; /*\", INT64_C(11)");
        expect(text, "{\"q\\042uo\\134te\\077\\077/\\012\", INT64_C(12)");
        expect(text, "{\"\\303\\244\\377\", INT64_C(13)");
        expect(text, "kernel_1_a____int_x____");
        expect(text, "kernel_4_a_very_long_name__longer_than_any_that_i");
        free(text);
    }
    char *cuda = scene_write(&s, WEIR_GPU_CUDA);
    expect(cuda, "/* a _/ int x; /_ */\n__device__ static uint32_t work_of_kernel_1_");
    expect(cuda, "/* q\"uo_te__/_ */");
    expect(cuda, "/* \xc3\xa4_ */");
    expect_not(cuda, "dlopen");
    char *c = scene_write(&s, WEIR_GPU_C);
    expect_not(c, "__device__");
    expect_not(c, "cudaGraph");
    expect(c, "dlopen(\"libcuda.so.1\"");
    free(c);
    scene_close(&s, cuda);
}

/* What both must do, whatever else changes: the claims of the plan rest on it. */
static void promises(void **state)
{
    struct scene s;
    (void)state;
    scene_open(&s, WEIR_UNIT_US, 0);
    for (int program = 0; program < 2; program++) {
        char *text = scene_write(&s, (enum weir_gpu_program)program);
        expect(text, "if (blocks != 1)");
        expect(text, "if (device.sms < PLAN_SMS)");
        expect(text, program == WEIR_GPU_CUDA ? "cudaFuncAttributeMaxDynamicSharedMemorySize" : "CU_FUNCTION_SHARED");
        expect(text, program == WEIR_GPU_CUDA ? "cudaGraphAddEmptyNode" : "cu.graph_empty");
        expect_not(text, "rogrammaticStream");
        expect_not(text, "SPDX-License-Identifier: Apache-2.0 */\n/* SPDX");
        free(text);
    }
    scene_close(&s, NULL);
}

static void failures(void **state)
{
    struct scene s;
    struct weir_error error = {0};
    (void)state;
    scene_open(&s, WEIR_UNIT_US, 0);
    FILE *full = fopen("/dev/full", "w");
    assert_non_null(full);
    setvbuf(full, NULL, _IONBF, 0);
    assert_int_equal(weir_gpu_write_program(&s.plan, WEIR_GPU_C, full, &error), WEIR_IO);
    fclose(full);
    FILE *nowhere = fopen("/dev/null", "w");
    assert_int_equal(weir_gpu_write_program(&s.plan, (enum weir_gpu_program)7, nowhere, &error), WEIR_INVALID);
    s.plan.launch_count = 0;
    assert_int_equal(weir_gpu_write_program(&s.plan, WEIR_GPU_C, nowhere, &error), WEIR_INVALID);
    fclose(nowhere);
    scene_close(&s, NULL);
}

int cuda_group(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables), cmocka_unit_test(barriers), cmocka_unit_test(unsafe),
        cmocka_unit_test(names),  cmocka_unit_test(promises), cmocka_unit_test(failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
