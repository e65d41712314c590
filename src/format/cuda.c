/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plan as a program. What depends on the plan is written here, as tables; the rest is the same for all (write/cuda): a graph of
 * the launches, with a node for each, in which no block ever shares an SM, so that the device can only do what the plan says. The
 * program checks that, on what the blocks noted.
 *
 * Names of kernels are any text. In the program they stand in string literals and in comments, so they are written such that they
 * end neither.
 */
#include "format/cuda.h"

#include "base/error.h"
#include "base/number.h"
#include "base/utf8.h"
#include "model/kernels.h"
#include "model/pipeline.h"

#include <errno.h>
#include <inttypes.h>

struct writer {
    const struct weir_gpu_plan *plan;
    const struct weir_kernels *kernels;
    FILE *out;
};

static void write_text(const struct writer *w, const char *const *lines)
{
    fputc('\n', w->out);
    for (; *lines; lines++)
        fputs(*lines, w->out);
}

/* A string literal. Other characters than the plainest are octal, which ends after three digits; so there are no trigraphs. */
static void write_literal(const struct writer *w, const char *text)
{
    fputc('"', w->out);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c < 0x20 || c >= 0x7f || c == '"' || c == '\\' || c == '?')
            fprintf(w->out, "\\%03o", c);
        else
            fputc(c, w->out);
    }
    fputc('"', w->out);
}

/* In a comment: one line, and nothing that could end it. */
static void write_remark(const struct writer *w, const char *text)
{
    size_t bytes;
    for (; *text; text += bytes) {
        uint32_t code;
        bytes = weir_utf8_next(text, &code);
        if (code == WEIR_UTF8_INVALID || code < 0x20 || code == 0x7f || code == '*' || code == '\\' || code == '?')
            fputc('_', w->out);
        else
            fwrite(text, 1, bytes, w->out);
    }
}

/* kernel_3_blur: the number makes it one of a kind. */
static void write_identifier(const struct writer *w, uint32_t kernel)
{
    const char *name = weir_pipeline_operator(w->plan->pipeline, (struct weir_operator){kernel}).name;
    fprintf(w->out, "kernel_%" PRIu32 "_", kernel);
    for (size_t i = 0; name[i] && i < 40; i++) {
        char c = name[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        fputc(plain ? c : '_', w->out);
    }
}

static const char *name_of(const struct writer *w, uint32_t kernel)
{
    return weir_pipeline_operator(w->plan->pipeline, (struct weir_operator){kernel}).name;
}

static const char *title_of(const struct writer *w)
{
    const char *name = weir_pipeline_name(w->plan->pipeline);
    return name && *name ? name : "plan";
}

static void write_ratio(const struct writer *w, struct weir_ratio ratio)
{
    fprintf(w->out, "{INT64_C(%" PRId64 "), INT64_C(%" PRId64 ")}", ratio.numerator, ratio.denominator);
}

static void write_head(const struct writer *w, enum weir_gpu_program program)
{
    const struct weir_gpu_plan *plan = w->plan;
    FILE *out = w->out;
    fputs("/* SPDX-License-Identifier: Apache-2.0 */\n/*\n * ", out);
    write_remark(w, title_of(w));
    fprintf(out, ": %zu launches on %" PRIu32 " SMs, planned by weir %s with the method %s.\n *\n", plan->launch_count, plan->sms,
            weir_version(), weir_gpu_method_name(plan->method));
    if (program == WEIR_GPU_CUDA)
        fputs(" * Build:  nvcc -O2 -arch=native plan.cu -o plan\n", out);
    else
        fputs(" * Build:  cc -O2 plan.c -o plan -ldl\n", out);
    fputs(" * Run:    ./plan --runs 1000\n *\n"
          " * Each kernel spins for its load. Put your own work in its place: ",
          out);
    if (program == WEIR_GPU_CUDA)
        fputs("look for \"your work\".\n", out);
    else
        fputs("give --module a file with entries called as in\n * kernel_entries[], with the parameters of spin().\n", out);
    fputs(" * Launches may not be given programmatic dependencies (which let one begin before another has ended), nor less shared\n"
          " * memory: the bound rests on both.\n */\n",
          out);
}

/* Bounds that are no chain of launches: how many overheads come on top, when the model has none. */
static size_t count_overheads(const struct weir_gpu_plan *plan)
{
    if (plan->method == WEIR_GPU_BEST || plan->method == WEIR_GPU_SAFE)
        return 0;
    return plan->method == WEIR_GPU_PAPER ? plan->group_count : plan->launch_count;
}

/* How long a tick is; where the model has no unit of time, one of its own is 10 us, which spins long enough to be measured. */
static void write_tick(const struct writer *w)
{
    enum weir_unit unit = weir_pipeline_unit(w->plan->pipeline);
    int exponent = unit == WEIR_UNIT_TICK ? 4 : 9 + weir_unit_exponent(unit);
    fprintf(w->out, "static double tick_ns = 1e%d;%s\n", exponent - (int)weir_pipeline_digits(w->plan->pipeline),
            unit == WEIR_UNIT_TICK ? " /* as good as any: the model says no unit */" : "");
}

static void write_kernels(const struct writer *w)
{
    FILE *out = w->out;
    fputs("\nstatic const struct kernel kernels[KERNELS] = {\n", out);
    for (uint32_t i = 0; i < w->kernels->count; i++) {
        const struct weir_kernel *kernel = &w->kernels->kernels[i];
        fputs("    {", out);
        write_literal(w, name_of(w, i));
        fprintf(out, ", INT64_C(%" PRId64 "), INT64_C(%" PRId64 "), INT64_C(%" PRId64 "), %d},\n", kernel->load, kernel->min_time,
                kernel->granularity, kernel->times != NULL);
    }
    fputs("};\n", out);
}

static void write_launches(const struct writer *w)
{
    const struct weir_gpu_plan *plan = w->plan;
    FILE *out = w->out;
    size_t first_after = 0, first_block = 0;
    fputs("\n/* kernel, part, of how many, group, SMs, load, time, the launches it waits for, its first block */\n"
          "static const struct launch launches[LAUNCHES] = {\n",
          out);
    for (size_t i = 0; i < plan->launch_count; i++) {
        const struct weir_gpu_launch *launch = &plan->launches[i];
        size_t after = plan->barriers ? 0 : launch->after_count;
        fprintf(out, "    {%" PRIu32 ", %" PRIu32 ", %" PRIu32 ", %" PRIu32 ", %" PRIu32 ", ", launch->kernel.index, launch->part,
                launch->parts, launch->group, launch->sms);
        write_ratio(w, launch->load);
        fputs(", ", out);
        write_ratio(w, launch->time);
        fprintf(out, ", %zu, %zu, %zu},\n", first_after, after, first_block);
        first_after += after;
        first_block += launch->sms;
    }
    fputs("};\n\nstatic const uint32_t after_of[] = {\n", out);
    for (size_t i = 0; i < plan->launch_count && !plan->barriers; i++) {
        const struct weir_gpu_launch *launch = &plan->launches[i];
        for (size_t k = 0; k < launch->after_count; k++)
            fprintf(out, "%s%" PRIu32 ",", k ? " " : "    ", launch->after[k]);
        if (launch->after_count)
            fprintf(out, " /* %zu */\n", i);
    }
    fputs("    0};\n", out);
}

static void write_plan(const struct writer *w)
{
    const struct weir_gpu_plan *plan = w->plan;
    FILE *out = w->out;
    size_t blocks = 0;
    for (size_t i = 0; i < plan->launch_count; i++)
        blocks += plan->launches[i].sms;
    fprintf(out,
            "\nenum {\n    KERNELS = %" PRIu32 ",\n    LAUNCHES = %zu,\n    GROUPS = %" PRIu32 ",\n    PLAN_SMS = %" PRIu32
            ",\n    BLOCKS = %zu, /* of all launches */\n    BARRIERS = %d, /* each group waits for all of the one before */\n"
            "    OVERHEADS = %zu, /* 0: the bound is the longest chain of launches */\n};\n",
            w->kernels->count, plan->launch_count, plan->group_count, plan->sms, blocks, plan->barriers, count_overheads(plan));
    fprintf(out, "#define OVERHEAD INT64_C(%" PRId64 ") /* of a launch, in the model; the bound holds it */\n",
            w->kernels->gpu.launch_overhead);
    fputs("static const char plan_name[] = ", out);
    write_literal(w, title_of(w));
    fputs(", plan_method[] = ", out);
    write_literal(w, weir_gpu_method_name(plan->method));
    fputs(";\nstatic const char *const plan_why = ", out);
    if (plan->why)
        write_literal(w, plan->why);
    else
        fputs("NULL", out);
    fputs("; /* what can break the bound; NULL: nothing */\nstatic const struct ratio plan_bound = ", out);
    write_ratio(w, plan->bound);
    fputs(";\n", out);
    write_tick(w);
    write_kernels(w);
    write_launches(w);
}

/* Where the user's own work goes. */
static void write_hooks(const struct writer *w)
{
    FILE *out = w->out;
    fputs("\n/* ---------------------------------------------------------------- your work */\n\n"
          "/* A launch does the steps work.lo .. work.hi - 1 of its kernel, on gridDim.x blocks. Put your own work in place of\n"
          " * spin(work); it must be done when the block ends, and take any number of blocks. */\n",
          out);
    for (uint32_t i = 0; i < w->kernels->count; i++) {
        fputs("\n/* ", out);
        write_remark(w, name_of(w, i));
        fputs(" */\n__device__ static uint32_t work_of_", out);
        write_identifier(w, i);
        fputs("(struct work work)\n{\n    return spin(work); /* your work */\n}\nWORK(", out);
        write_identifier(w, i);
        fputs(", work_of_", out);
        write_identifier(w, i);
        fputs(")\n", out);
    }
    fputs("\nstatic const void *const kernel_functions[KERNELS] = {\n", out);
    for (uint32_t i = 0; i < w->kernels->count; i++) {
        fputs("    (const void *)", out);
        write_identifier(w, i);
        fputs(",\n", out);
    }
    fputs("};\n", out);
}

static void write_entries(const struct writer *w)
{
    FILE *out = w->out;
    fputs("\n/* What the entries of a module with your work are called. */\nstatic const char *const kernel_entries[KERNELS] = {\n",
          out);
    for (uint32_t i = 0; i < w->kernels->count; i++) {
        fputs("    \"", out);
        write_identifier(w, i);
        fputs("\",\n", out);
    }
    fputs("};\n", out);
}

enum weir_status weir_gpu_write_program(const struct weir_gpu_plan *plan, enum weir_gpu_program program, FILE *out,
                                        struct weir_error *error)
{
    struct writer w = {.plan = plan, .kernels = plan->pipeline->kernels, .out = out};
    uint64_t blocks = 0;
    for (size_t i = 0; i < plan->launch_count; i++)
        blocks += plan->launches[i].sms;
    if (program != WEIR_GPU_CUDA && program != WEIR_GPU_C)
        return weir_fail(error, WEIR_INVALID, "unknown kind of program: %d", (int)program);
    if (plan->launch_count == 0 || blocks > INT32_MAX / 64)
        return weir_fail(error, WEIR_INVALID, "a plan of %zu launches and %" PRIu64 " blocks is too large for a program",
                         plan->launch_count, blocks);
    errno = 0;
    write_head(&w, program);
    write_text(&w, weir_cuda_base);
    write_plan(&w);
    write_text(&w, weir_cuda_options);
    write_text(&w, weir_cuda_records);
    if (program == WEIR_GPU_CUDA) {
        write_text(&w, weir_cuda_kernels_cuda);
        write_hooks(&w);
        write_text(&w, weir_cuda_device_runtime);
    } else {
        write_text(&w, weir_cuda_gpu_driver);
        write_text(&w, weir_cuda_driver);
        write_text(&w, weir_cuda_kernels_ptx);
        write_entries(&w);
        write_text(&w, weir_cuda_device_driver);
    }
    write_text(&w, weir_cuda_check);
    write_text(&w, weir_cuda_measure);
    write_text(&w, weir_cuda_main);
    return weir_written(out, "the program", error);
}
