/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plan for kernels of an object: the lines that tools/gpu/weir_gpu_plan.h reads, as they are or in a program. Each launch gets
 * certain SMs, in parts of sm-step, so that it can have a green context. Which, the tokens of the plan say: a launch has parts that
 * launches before it have handed on. By section 4 of docs/concepts/gpu.md those under way together hold different tokens, so their
 * green contexts share no SM.
 */
#include "format/cuda.h"
#include "read/cuda/sheet.h"

#include "base/error.h"
#include "base/number.h"
#include "model/kernels.h"
#include "model/pipeline.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct writer {
    const struct weir_gpu_plan *plan;
    const struct weir_kernels *kernels;
    const struct weir_gpu_sheet *sheet; /* NULL: the application has the kernels */
    FILE *out;
    struct weir_arena arena;
    uint32_t step, units;
    uint8_t *free_units; /* by launch, the beginning behind the last: which parts it has to hand on */
    uint8_t *held;       /* by launch: which it runs on */
};

static enum weir_status check(const struct writer *w, struct weir_error *error)
{
    const struct weir_gpu_plan *plan = w->plan;
    char quoted[WEIR_QUOTED];
    if (!plan->safe)
        return weir_fail(error, WEIR_INVALID, "only a safe plan says which SMs a launch has: use the method best or safe");
    for (size_t i = 0; i < plan->launch_count; i++) {
        const char *name = weir_pipeline_operator(plan->pipeline, plan->launches[i].kernel).name;
        if (plan->launches[i].parts > 1)
            return weir_fail(error, WEIR_INVALID, "kernel \"%s\" is launched in parts, which needs a kernel of its own: --no-split",
                             weir_quote(name, quoted));
        if (w->sheet && weir_gpu_sheet_find(w->sheet, name) == w->sheet->kernel_count)
            return weir_fail(error, WEIR_INVALID, "kernel \"%s\" of the model is not among the launches of %s",
                             weir_quote(name, quoted), w->sheet->path);
    }
    for (size_t i = 0; i < plan->token_count; i++)
        if (plan->tokens[i].sms % w->step)
            return weir_fail(error, WEIR_INTERNAL, "SMs are handed on in parts that no green context has");
    return WEIR_OK;
}

/* ---- which SMs ---- */

static void assign(struct writer *w)
{
    const struct weir_gpu_plan *plan = w->plan;
    memset(w->free_units + plan->launch_count * w->units, 1, w->units);
    for (size_t v = 0; v < plan->launch_count; v++) {
        uint8_t *mine = w->free_units + v * w->units;
        uint32_t wanted = plan->launches[v].sms / w->step;
        for (size_t i = 0; i < plan->token_count; i++) {
            const struct weir_gpu_token *token = &plan->tokens[i];
            uint8_t *from = w->free_units + (token->from == WEIR_GPU_BEGIN ? plan->launch_count : token->from) * w->units;
            for (uint32_t unit = 0, left = token->to == v ? token->sms / w->step : 0; left && unit < w->units; unit++)
                if (from[unit]) {
                    from[unit] = 0;
                    mine[unit] = 1;
                    left--;
                }
        }
        for (uint32_t unit = 0; wanted && unit < w->units; unit++)
            if (mine[unit]) {
                w->held[v * w->units + unit] = 1;
                wanted--;
            }
    }
}

/* ---- lines ---- */

/* In nanoseconds, rounded up; a tick without a unit is 10 us, as in programs that spin. */
static double ns_up(const struct writer *w, struct weir_ratio ticks)
{
    enum weir_unit unit = weir_pipeline_unit(w->plan->pipeline);
    int exponent = (unit == WEIR_UNIT_TICK ? 4 : 9 + weir_unit_exponent(unit)) - (int)weir_pipeline_digits(w->plan->pipeline);
    double ns = (double)ticks.numerator / (double)ticks.denominator;
    for (; exponent > 0; exponent--)
        ns *= 10;
    for (; exponent < 0; exponent++)
        ns /= 10;
    return weir_gpu_round_up(ns * 1000 - 1e-6) / 1000;
}

static void write_units(const struct writer *w, size_t launch)
{
    const uint8_t *held = w->held + launch * w->units;
    const char *comma = " ";
    for (uint32_t unit = 0; unit < w->units; unit++) {
        uint32_t first = unit;
        if (!held[unit])
            continue;
        while (unit + 1 < w->units && held[unit + 1])
            unit++;
        if (first == unit)
            fprintf(w->out, "%s%" PRIu32, comma, first);
        else
            fprintf(w->out, "%s%" PRIu32 "-%" PRIu32, comma, first, unit);
        comma = ",";
    }
}

static void write_launch(const struct writer *w, size_t i)
{
    const struct weir_gpu_plan *plan = w->plan;
    const struct weir_gpu_launch *launch = &plan->launches[i];
    const struct weir_kernels *k = w->kernels;
    uint32_t v = launch->kernel.index, needs = 0;
    size_t kernel = v;
    if (w->sheet)
        kernel = weir_gpu_sheet_find(w->sheet, weir_pipeline_operator(plan->pipeline, launch->kernel).name);
    fprintf(w->out, "launch %zu %" PRIu32 " %.3f", kernel, launch->sms, ns_up(w, launch->time));
    write_units(w, i);
    for (size_t j = 0; j < launch->after_count; j++)
        fprintf(w->out, "%c%" PRIu32, j ? ',' : ' ', launch->after[j]);
    fputs(launch->after_count ? "" : " -", w->out);
    for (size_t u = 0; u < i; u++)
        for (uint32_t j = k->first_before[v]; j < k->first_before[v + 1]; j++)
            if (plan->launches[u].kernel.index == k->before[j])
                fprintf(w->out, "%c%zu", needs++ ? ',' : ' ', u);
    fputs(needs ? "\n" : " -\n", w->out);
}

static void write_lines(const struct writer *w)
{
    const struct weir_gpu_plan *plan = w->plan;
    const char *title = weir_pipeline_name(plan->pipeline);
    fprintf(w->out, "weir-gpu-plan 1\n# Planned by weir %s with the method %s.\ntitle %s\n", weir_version(),
            weir_gpu_method_name(plan->method), title && *title && !strchr(title, '\n') ? title : "plan");
    fprintf(w->out, "sms %" PRIu32 " step %" PRIu32 "\nbound-ns %.3f overhead-ns %.3f\n", w->units * w->step, w->step,
            ns_up(w, plan->bound), ns_up(w, (struct weir_ratio){w->kernels->gpu.launch_overhead, 1}));
    if (w->sheet)
        fputs(w->sheet->text, w->out);
    for (uint32_t v = 0; !w->sheet && v < w->kernels->count; v++)
        fprintf(w->out, "kernel 1 1 1 1 1 1 0 - %s\n", weir_pipeline_operator(plan->pipeline, (struct weir_operator){v}).name);
    fputs("# launch KERNEL SMS NS PARTS WAITS-FOR DEPENDS-ON\n", w->out);
    for (size_t i = 0; i < plan->launch_count; i++)
        write_launch(w, i);
}

/* ---- a program ---- */

static void write_text(FILE *out, const char *const *lines)
{
    for (; *lines; lines++)
        fputs(*lines, out);
}

static void write_literals(FILE *out, const char *text, size_t bytes)
{
    fputs("\nstatic const char *const plan_lines[] = {\n    \"", out);
    for (size_t i = 0; i < bytes; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '\n')
            fputs(i + 1 < bytes ? "\\n\",\n    \"" : "\\n\",\n", out);
        else if (c < 0x20 || c >= 0x7f || c == '"' || c == '\\' || c == '?')
            fprintf(out, "\\%03o", c);
        else
            fputc(c, out);
    }
    fputs("    NULL};\n\n", out);
}

static enum weir_status write_program(struct writer *w, FILE *out, struct weir_error *error)
{
    char *text = NULL;
    size_t bytes = 0;
    w->out = open_memstream(&text, &bytes);
    if (!w->out)
        return weir_fail_memory(error);
    write_lines(w);
    bool failed = ferror(w->out) != 0;
    failed |= fclose(w->out) != 0;
    if (!failed) {
        fputs("/* SPDX-License-Identifier: Apache-2.0 */\n"
              "/*\n * Kernels of an object as weir planned them, each in a green context of its SMs.\n *\n"
              " * Build:  nvcc -O2 plan.cu -o plan -ldl, or: cc -O2 plan.c -o plan -ldl\n"
              " * Run:    ./plan --runs 1000\n */\n"
              "#if !defined(_POSIX_C_SOURCE) && !defined(__cplusplus)\n#define _POSIX_C_SOURCE 200809L\n#endif\n",
              out);
        write_text(out, weir_cuda_gpu_driver);
        write_text(out, weir_cuda_gpu_plan_file);
        write_text(out, weir_cuda_gpu_plan);
        write_literals(out, text, bytes);
        write_text(out, weir_cuda_own);
    }
    free(text);
    return failed ? weir_fail_memory(error) : weir_written(out, "the program", error);
}

enum weir_status weir_gpu_write_launches(const struct weir_gpu_plan *plan, const struct weir_gpu_sheet *sheet,
                                         enum weir_gpu_program program, FILE *out, struct weir_error *error)
{
    struct writer w = {.plan = plan, .kernels = plan->pipeline->kernels, .sheet = sheet, .out = out};
    w.step = w.kernels->gpu.sm_step;
    w.units = plan->sms / w.step;
    if (!sheet && program != WEIR_GPU_PLAN)
        return weir_fail(error, WEIR_INVALID, "a program with kernels of an object needs to know how they are launched");
    enum weir_status status = check(&w, error);
    if (status)
        return status;
    w.free_units = weir_arena_array(&w.arena, (plan->launch_count + 1) * w.units, sizeof *w.free_units);
    w.held = weir_arena_array(&w.arena, plan->launch_count * w.units + 1, sizeof *w.held);
    if (w.arena.failed) {
        weir_arena_free(&w.arena);
        return weir_fail_memory(error);
    }
    assign(&w);
    errno = 0;
    if (program == WEIR_GPU_PLAN) {
        write_lines(&w);
        status = weir_written(out, "the plan", error);
    } else {
        status = write_program(&w, out, error);
    }
    weir_arena_free(&w.arena);
    return status;
}
