/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A model out of measurements. A kernel's time on so many SMs is the longest that was seen, alone or beside one that stays within
 * L2, which counts as doing nothing; the percent that it suffers are the most over all numbers of SMs. What it does to others is
 * found out in the same way: on two kinds of victims, one that reads from L2 and one that reads from memory. It does nothing if
 * neither is slowed by more than a percent, it reads if neither is slowed by more than a neighbour slows it that does nothing but
 * read, and copies else.
 */
#include "measure/gpu/probe.h"
#include "read/cuda/sheet.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

#define WIDTHS_MAX 512
#define VICTIMS 2
#define TOLERANCE 1.01 /* what counts as nothing */
#define AT_ONCE 8      /* launches for which the overhead is measured: it grows with them */

struct width {
    uint32_t sms;
    size_t units;
};

/* What was found of a kernel. */
struct finding {
    double *times, *means;  /* by width, ns; the mean alone */
    unsigned read, copy;    /* percent */
    double slowed[VICTIMS]; /* by it */
    const char *disturbs;
    bool beyond; /* it slows others down by more than copying does */
};

struct profile {
    const struct weir_gpu_sheet *sheet;
    struct weir_gpu_profile_options options;
    struct weir_gpu_probe probe;
    struct weir_arena arena;
    struct width widths[WIDTHS_MAX];
    size_t width_count;
    struct finding *findings;
    double slowed[VICTIMS][WEIR_NEIGHBOURS]; /* by neighbours */
    double alone[VICTIMS];
    double overhead_ns;
    size_t at_once; /* launches that may be under way for it to hold; 0: as many as can be */
};

static void say(const struct profile *p, const char *kernel, const char *what)
{
    char text[256];
    snprintf(text, sizeof text, "%s%s%s", kernel, *kernel ? ": " : "", what);
    if (p->options.progress)
        p->options.progress(p->options.context, text);
}

/* ---- before ---- */

static enum weir_status choose_widths(struct profile *p, struct weir_error *error)
{
    const struct weir_plan *plan = &p->probe.plan;
    for (size_t i = 0; i < p->options.width_count; i++) {
        uint32_t sms = p->options.widths[i];
        if (sms == 0 || sms % plan->step || sms > plan->sms || p->width_count == WIDTHS_MAX)
            return weir_fail(error, WEIR_INVALID, "there cannot be %u SMs: the device has %u, in steps of %u", sms, plan->sms,
                             plan->step);
        p->widths[p->width_count++] = (struct width){sms, sms / plan->step};
    }
    for (uint32_t sms = plan->step; !p->options.width_count && sms < plan->sms; sms *= 2)
        p->widths[p->width_count++] = (struct width){sms, sms / plan->step};
    if (!p->options.width_count)
        p->widths[p->width_count++] = (struct width){plan->sms, plan->part_count};
    return WEIR_OK;
}

static enum weir_status open_probe(struct profile *p, struct weir_error *error)
{
    size_t bytes = strlen(p->sheet->text) + 64;
    char *text = weir_arena_take(&p->arena, bytes);
    if (!text)
        return weir_fail_memory(error);
    snprintf(text, bytes, "weir-gpu-plan 1\nsms 0 step %u\n%s", p->options.step, p->sheet->text);
    if (weir_gpu_probe_open(&p->probe, text, p->options.device))
        return weir_fail(error, WEIR_IO, "%s", p->probe.plan.error);
    p->findings = weir_arena_array(&p->arena, p->sheet->kernel_count, sizeof *p->findings);
    for (size_t i = 0; p->findings && i < p->sheet->kernel_count; i++) {
        p->findings[i].times = weir_arena_array(&p->arena, WIDTHS_MAX, sizeof(double));
        p->findings[i].means = weir_arena_array(&p->arena, WIDTHS_MAX, sizeof(double));
    }
    return p->arena.failed ? weir_fail_memory(error) : choose_widths(p, error);
}

/* ---- measuring ---- */

static unsigned percent_up(double beside, double alone)
{
    double percent = weir_gpu_round_up((beside / alone - 1) * 100 - 1e-6);
    return percent > 0 ? (unsigned)percent : 0;
}

static int measure_width(struct profile *p, size_t kernel, size_t width)
{
    struct finding *f = &p->findings[kernel];
    const struct width *w = &p->widths[width];
    double longest[WEIR_NEIGHBOURS] = {0};
    size_t runs = p->options.runs ? p->options.runs : 1000;
    bool all = w->units == p->probe.plan.part_count; /* nobody is beside it */
    for (int does = WEIR_NEIGHBOUR_NONE; does < (all ? WEIR_NEIGHBOUR_IDLE : WEIR_NEIGHBOURS); does++) {
        struct weir_gpu_span span;
        if (does == WEIR_NEIGHBOUR_IDLE)
            continue; /* for clocks and victims alone */
        if (weir_gpu_probe_kernel(&p->probe, kernel, w->units, (enum weir_gpu_neighbour)does, runs, &span))
            return -1;
        longest[does] = span.longest_ns;
        if (!does)
            f->means[width] = span.mean_ns;
    }
    double alone = longest[0] > longest[WEIR_NEIGHBOUR_L2] ? longest[0] : longest[WEIR_NEIGHBOUR_L2];
    unsigned read = all ? 0 : percent_up(longest[WEIR_NEIGHBOUR_READS], alone);
    unsigned copy = all ? 0 : percent_up(longest[WEIR_NEIGHBOUR_COPIES], alone);
    f->times[width] = alone * (100 + p->options.margin) / 100;
    f->read = read > f->read ? read : f->read;
    f->copy = copy > f->copy ? copy : f->copy;
    f->copy = f->read > f->copy ? f->read : f->copy;
    return 0;
}

static const enum weir_gpu_neighbour victims[VICTIMS] = {WEIR_NEIGHBOUR_L2, WEIR_NEIGHBOUR_READS};

/* How much the victims are slowed by neighbours that do nothing else. */
static int measure_victims(struct profile *p)
{
    for (int v = 0; v < VICTIMS; v++) {
        struct weir_gpu_victim victim = {victims[v], WEIR_NEIGHBOUR_NONE, p->sheet->kernel_count};
        double rate = 0, duty = 1;
        if (weir_gpu_probe_rate(&p->probe, &victim, &p->alone[v], &duty))
            return -1;
        for (int does = WEIR_NEIGHBOUR_IDLE; does < WEIR_NEIGHBOURS; does++) {
            victim.beside = (enum weir_gpu_neighbour)does;
            if (weir_gpu_probe_rate(&p->probe, &victim, &rate, &duty))
                return -1;
            p->slowed[v][does] = rate > 0 ? p->alone[v] / rate : 1;
        }
    }
    return 0;
}

/* Slower than nothing, than reading, than copying? A kernel that has gaps between its launches disturbs only in between. */
static int measure_disturbance(struct profile *p, size_t kernel)
{
    struct finding *f = &p->findings[kernel];
    bool none = true, read = true, copy = true;
    for (int v = 0; v < VICTIMS; v++) {
        struct weir_gpu_victim victim = {victims[v], WEIR_NEIGHBOUR_NONE, kernel};
        double rate = 0, duty = 1, by_read = p->slowed[v][WEIR_NEIGHBOUR_READS], by_copy = p->slowed[v][WEIR_NEIGHBOUR_COPIES];
        if (weir_gpu_probe_rate(&p->probe, &victim, &rate, &duty))
            return -1;
        double slowed = rate > 0 ? 1 + (p->alone[v] / rate - 1) / duty : 1;
        f->slowed[v] = slowed;
        none &= slowed <= TOLERANCE;
        read &= slowed <= TOLERANCE || slowed <= TOLERANCE * by_read;
        copy &= slowed <= TOLERANCE || slowed <= 1.05 * (by_copy > by_read ? by_copy : by_read);
    }
    f->disturbs = none ? "none" : read ? "read" : "copy";
    f->beyond = !copy;
    return 0;
}

static int measure_all(struct profile *p)
{
    size_t kernels = p->sheet->kernel_count, most = kernels < p->probe.plan.part_count ? kernels : p->probe.plan.part_count;
    p->at_once = most > AT_ONCE ? AT_ONCE : 0;
    say(p, "", "gaps between launches, and what neighbours do to each other");
    if (weir_gpu_probe_overhead(&p->probe, p->at_once ? p->at_once : most, 500, &p->overhead_ns) || measure_victims(p))
        return -1;
    for (size_t i = 0; i < kernels; i++) {
        for (size_t w = 0; w < p->width_count; w++) {
            char what[32];
            snprintf(what, sizeof what, "on %u SMs", p->widths[w].sms);
            say(p, p->sheet->kernels[i], what);
            if (measure_width(p, i, w))
                return -1;
        }
        if (measure_disturbance(p, i))
            return -1;
    }
    return 0;
}

/* ---- the model ---- */

static void write_quoted(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++)
        fprintf(out, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    fputc('"', out);
}

/* In microseconds, rounded up to a nanosecond. */
static double us_up(double ns)
{
    return weir_gpu_round_up(ns - 1e-6) / 1e3;
}

static void write_remarks(const struct profile *p, FILE *out)
{
    const struct weir_gpu_probe *probe = &p->probe;
    char name[256] = "";
    int version = 0;
    unsigned runs = p->options.runs ? p->options.runs : 1000;
    probe->plan.cu.device_name(name, (int)sizeof name, probe->plan.device);
    probe->plan.cu.driver_version(&version);
    fprintf(out, "# Measured by weir %s on %s, driver for CUDA %d.%d, the SMs at %.0f to %.0f MHz.\n", weir_version(), name,
            version / 1000, version % 1000 / 10, probe->mhz_least, probe->mhz_most);
    fprintf(out, "# The longest of %u runs each, and %u %% more; with 95 %% confidence no more than one run in %u is longer.\n",
            runs, p->options.margin, runs / 3 ? runs / 3 : 1);
    fprintf(out,
            "# Neighbours on all other SMs slow down a victim that reads from L2 / memory: within L2 x%.2f / x%.2f,\n"
            "# reading x%.2f / x%.2f, copying x%.2f / x%.2f.\n",
            p->slowed[0][WEIR_NEIGHBOUR_L2], p->slowed[1][WEIR_NEIGHBOUR_L2], p->slowed[0][WEIR_NEIGHBOUR_READS],
            p->slowed[1][WEIR_NEIGHBOUR_READS], p->slowed[0][WEIR_NEIGHBOUR_COPIES], p->slowed[1][WEIR_NEIGHBOUR_COPIES]);
    if (probe->mhz_least < 0.99 * probe->mhz_most)
        fputs("# The clocks changed meanwhile: lock them (nvidia-smi -lgc) and measure again.\n", out);
}

static void write_model(const struct profile *p, FILE *out)
{
    const struct weir_gpu_sheet *sheet = p->sheet;
    write_remarks(p, out);
    if (sheet->name) {
        fputs("name: ", out);
        write_quoted(out, sheet->name);
        fputc('\n', out);
    }
    fprintf(out, "unit: us\nplatform: {gpu: {sms: %u, sm-step: %u, launch-overhead: %.3f", p->probe.plan.sms, p->probe.plan.step,
            us_up(p->overhead_ns));
    if (p->at_once)
        fprintf(out, ", max-concurrent: %zu", p->at_once);
    fputs("}}\nkernels:\n", out);
    for (size_t i = 0; i < sheet->kernel_count; i++) {
        const struct finding *f = &p->findings[i];
        fprintf(out, "  # slows down victims in L2 / memory x%.2f / x%.2f%s\n  ", f->slowed[0], f->slowed[1],
                f->beyond ? ": MORE THAN COPYING DOES; what the others suffer from it is not covered" : "");
        write_quoted(out, sheet->kernels[i]);
        fputs(":\n    times: {", out);
        for (size_t w = 0; w < p->width_count; w++)
            fprintf(out, "%s%u: %.3f", w ? ", " : "", p->widths[w].sms, us_up(f->times[w]));
        if (sheet->memory[i])
            fputs("}\n    # memory, in GB/s: {", out); /* bytes per ns */
        for (size_t w = 0; sheet->memory[i] && w < p->width_count; w++)
            fprintf(out, "%s%u: %.1f", w ? ", " : "", p->widths[w].sms, (double)sheet->memory[i] / f->means[w]);
        fprintf(out, "}\n    disturbs: %s\n    suffers-read: %u\n    suffers-copy: %u\n", f->disturbs, f->read, f->copy);
    }
    if (sheet->dependency_count)
        fputs("dependencies:\n", out);
    for (size_t i = 0; i < sheet->dependency_count; i++) {
        fputs("  - ", out);
        write_quoted(out, sheet->dependencies[i]);
        fputc('\n', out);
    }
}

enum weir_status weir_gpu_profile(const struct weir_gpu_sheet *sheet, const struct weir_gpu_profile_options *options, FILE *out,
                                  struct weir_error *error)
{
    struct profile *p = weir_array_zeroed(1, sizeof *p);
    if (!p)
        return weir_fail_memory(error);
    p->sheet = sheet;
    p->options = *options;
    enum weir_status status = open_probe(p, error);
    if (!status && measure_all(p))
        status = weir_fail(error, WEIR_IO, "%s", p->probe.plan.error);
    if (!status) {
        write_model(p, out);
        status = weir_written(out, "the model", error);
    }
    weir_gpu_probe_close(&p->probe);
    weir_arena_free(&p->arena);
    weir_free(p);
    return status;
}
