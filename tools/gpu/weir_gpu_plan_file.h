/* SPDX-License-Identifier: Apache-2.0 */
/* A plan, and how it is read from a file. Part of weir_gpu_plan.h. */
#ifndef WEIR_GPU_PLAN_FILE_H
#define WEIR_GPU_PLAN_FILE_H

#include "weir_gpu_driver.h"

#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

struct weir_plan_list {
    size_t first, count; /* in numbers[] */
};

struct weir_plan_buffer {
    size_t bytes;
    char fill[8]; /* zeros, bytes (random), floats (from 0 to 1), file */
    const char *file;
    weir_cu_address address;
};

struct weir_plan_argument {
    unsigned kernel, bytes;
    int buffer; /* -1: a value */
    unsigned char value[16];
};

struct weir_plan_kernel {
    const char *name, *entry;
    unsigned grid[3], block[3], shared;
    size_t argument_count;
    void **arguments;      /* owned where it is `own` */
    weir_cu_handle kernel; /* a CUkernel; NULL: not given yet */
    int own;
};

struct weir_plan_launch {
    unsigned kernel, sms;
    double time_ns;                            /* at most, beside whatever the plan has beside it */
    struct weir_plan_list units, after, needs; /* parts of the device; launches it waits for, and those the model says */
};

struct weir_plan_context {
    struct weir_plan_list units;
    weir_cu_handle green, context;
};

struct weir_plan {
    struct weir_cu cu;
    int device, opened;
    char error[512];
    char *text, *title, *object;
    unsigned sms, step; /* the SMs of the plan, in parts of `step`; both 0: of the device, as it can be divided */
    unsigned device_sms;
    double bound_ns, overhead_ns;
    struct weir_plan_buffer *buffers;
    struct weir_plan_argument *arguments;
    struct weir_plan_kernel *kernels;
    struct weir_plan_launch *launches;
    struct weir_plan_context *contexts;
    weir_cu_handle *libraries;
    unsigned *numbers;
    struct weir_cu_resource *parts;
    size_t buffer_count, argument_count, kernel_count, launch_count, context_count, library_count, number_count, part_count;
    weir_cu_handle mark;
};

/* What an application launches: a CUkernel (cudaGetKernel, cuLibraryGetKernel), and how. */
struct weir_plan_work {
    weir_cu_handle kernel;
    unsigned grid[3], block[3], shared;
    void **arguments; /* must stay until the graph is built */
};

WEIR_GPU_CALL int weir_plan_fail(struct weir_plan *plan, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(plan->error, sizeof plan->error, format, values);
    va_end(values);
    return -1;
}

WEIR_GPU_CALL int weir_plan_check(struct weir_plan *plan, weir_cu_result result, const char *what)
{
    return weir_cu_failed(&plan->cu, result, what, plan->error);
}

/* Room for one more; arrays grow when their count is a power of two. */
WEIR_GPU_CALL int weir_plan_room(struct weir_plan *plan, void *array, size_t count, size_t size)
{
    void *old, *grown;
    memcpy(&old, array, sizeof old);
    if (count & (count - 1))
        return 0;
    grown = realloc(old, (count ? 2 * count : 1) * size);
    if (!grown)
        return weir_plan_fail(plan, "out of memory");
    memcpy(array, &grown, sizeof grown);
    return 0;
}

/* ---------------------------------------------------------------- reading */

/* "0-7,9", or "-" for none; every number below `limit`. Moves *text behind it. */
WEIR_GPU_CALL int weir_plan_read_list(struct weir_plan *plan, char **text, size_t limit, struct weir_plan_list *list)
{
    char *at = *text;
    list->first = plan->number_count;
    list->count = 0;
    while (*at == ' ')
        at++;
    if (*at == '-') {
        *text = at + 1;
        return 0;
    }
    for (;; at++) {
        unsigned long low = strtoul(at, &at, 10), high = *at == '-' ? strtoul(at + 1, &at, 10) : low;
        if (high >= limit || low > high)
            return -1;
        for (; low <= high; low++, list->count++) {
            if (weir_plan_room(plan, &plan->numbers, plan->number_count, sizeof *plan->numbers))
                return -1;
            plan->numbers[plan->number_count++] = (unsigned)low;
        }
        if (*at != ',')
            break;
    }
    *text = at;
    return 0;
}

WEIR_GPU_CALL int weir_plan_read_launch(struct weir_plan *plan, char *line)
{
    struct weir_plan_launch launch;
    int used = 0;
    memset(&launch, 0, sizeof launch);
    if (sscanf(line, "%u %u %lf%n", &launch.kernel, &launch.sms, &launch.time_ns, &used) != 3 || plan->step == 0 ||
        launch.kernel >= plan->kernel_count || weir_plan_room(plan, &plan->launches, plan->launch_count, sizeof launch))
        return -1;
    line += used;
    if (weir_plan_read_list(plan, &line, plan->sms / plan->step, &launch.units) ||
        weir_plan_read_list(plan, &line, plan->launch_count, &launch.after) ||
        weir_plan_read_list(plan, &line, plan->launch_count, &launch.needs) || launch.units.count * plan->step != launch.sms)
        return -1;
    plan->launches[plan->launch_count++] = launch;
    return 0;
}

WEIR_GPU_CALL int weir_plan_read_kernel(struct weir_plan *plan, char *line)
{
    struct weir_plan_kernel kernel;
    int entry = 0, entry_end = 0, name = 0;
    memset(&kernel, 0, sizeof kernel);
    if (sscanf(line, "%u %u %u %u %u %u %u %n%*s%n %n", &kernel.grid[0], &kernel.grid[1], &kernel.grid[2], &kernel.block[0],
               &kernel.block[1], &kernel.block[2], &kernel.shared, &entry, &entry_end, &name) != 7 ||
        !name || !line[name] || weir_plan_room(plan, &plan->kernels, plan->kernel_count, sizeof kernel))
        return -1;
    line[entry_end] = '\0';
    kernel.entry = line + entry;
    kernel.name = line + name;
    plan->kernels[plan->kernel_count++] = kernel;
    return 0;
}

WEIR_GPU_CALL int weir_plan_read_argument(struct weir_plan *plan, char *line)
{
    struct weir_plan_argument argument;
    char kind[8];
    int used = 0;
    memset(&argument, 0, sizeof argument);
    if (sscanf(line, "%u %7s %n", &argument.kernel, kind, &used) != 2 || argument.kernel >= plan->kernel_count ||
        weir_plan_room(plan, &plan->arguments, plan->argument_count, sizeof argument))
        return -1;
    if (strcmp(kind, "buffer") == 0) {
        argument.buffer = atoi(line + used);
        argument.bytes = sizeof(weir_cu_address);
        if (argument.buffer < 0 || (size_t)argument.buffer >= plan->buffer_count)
            return -1;
    } else {
        argument.buffer = -1;
        for (const char *hex = line + used; hex[0] && hex[1] && argument.bytes < sizeof argument.value; hex += 2) {
            char digits[3] = {hex[0], hex[1], '\0'};
            argument.value[argument.bytes++] = (unsigned char)strtoul(digits, NULL, 16);
        }
    }
    plan->kernels[argument.kernel].argument_count++;
    plan->arguments[plan->argument_count++] = argument;
    return 0;
}

WEIR_GPU_CALL int weir_plan_read_buffer(struct weir_plan *plan, char *line)
{
    struct weir_plan_buffer buffer;
    unsigned long long bytes;
    int used = 0;
    memset(&buffer, 0, sizeof buffer);
    if (sscanf(line, "%llu %7s %n", &bytes, buffer.fill, &used) != 2 || bytes == 0 ||
        weir_plan_room(plan, &plan->buffers, plan->buffer_count, sizeof buffer))
        return -1;
    buffer.bytes = (size_t)bytes;
    buffer.file = line + used;
    plan->buffers[plan->buffer_count++] = buffer;
    return 0;
}

WEIR_GPU_CALL int weir_plan_read_line(struct weir_plan *plan, char *line)
{
    char *value = strchr(line, ' ');
    if (!*line || *line == '#')
        return 0;
    if (!value)
        return -1;
    *value++ = '\0';
    if (strcmp(line, "title") == 0)
        plan->title = value;
    else if (strcmp(line, "object") == 0)
        plan->object = value;
    else if (strcmp(line, "sms") == 0)
        return sscanf(value, "%u step %u", &plan->sms, &plan->step) == 2 && plan->sms < 65536 && (plan->step || !plan->sms) ? 0
                                                                                                                            : -1;
    else if (strcmp(line, "bound-ns") == 0)
        return sscanf(value, "%lf overhead-ns %lf", &plan->bound_ns, &plan->overhead_ns) == 2 ? 0 : -1;
    else if (strcmp(line, "buffer") == 0)
        return weir_plan_read_buffer(plan, value);
    else if (strcmp(line, "kernel") == 0)
        return weir_plan_read_kernel(plan, value);
    else if (strcmp(line, "argument") == 0)
        return weir_plan_read_argument(plan, value);
    else if (strcmp(line, "launch") == 0)
        return weir_plan_read_launch(plan, value);
    else
        return -1;
    return 0;
}

/* A plan from its text. */
WEIR_GPU_CALL int weir_plan_read(struct weir_plan *plan, const char *text)
{
    static const char head[] = "weir-gpu-plan 1";
    size_t bytes = strlen(text) + 1;
    unsigned number = 0;
    char *line, *end;
    memset(plan, 0, sizeof *plan);
    plan->text = (char *)malloc(bytes);
    if (!plan->text)
        return weir_plan_fail(plan, "out of memory");
    memcpy(plan->text, text, bytes);
    for (line = plan->text; line; line = end) {
        end = strchr(line, '\n');
        if (end)
            *end++ = '\0';
        if (++number == 1 ? strcmp(line, head) != 0 : weir_plan_read_line(plan, line) != 0)
            return plan->error[0] ? -1 : weir_plan_fail(plan, "line %u of the plan is not one of a \"%s\" file", number, head);
    }
    for (size_t i = 0, next = 0; i < plan->kernel_count; i++) {
        struct weir_plan_kernel *kernel = &plan->kernels[i];
        kernel->own = 1;
        kernel->arguments = (void **)calloc(kernel->argument_count + 1, sizeof(void *));
        if (!kernel->arguments)
            return weir_plan_fail(plan, "out of memory");
        next = 0;
        for (size_t k = 0; k < plan->argument_count; k++) {
            struct weir_plan_argument *a = &plan->arguments[k];
            if (a->kernel == i)
                kernel->arguments[next++] = a->buffer < 0 ? (void *)a->value : (void *)&plan->buffers[a->buffer].address;
        }
    }
    return 0;
}

/* A whole file, with a NUL behind it; NULL when it cannot be read. */
WEIR_GPU_CALL char *weir_plan_slurp(struct weir_plan *plan, const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL, *grown;
    size_t capacity = 0, got = 1;
    for (*bytes = 0; file && got; *bytes += got) {
        if (*bytes + 1 >= capacity) {
            capacity = capacity ? 2 * capacity : 65536;
            grown = (char *)realloc(text, capacity);
            if (!grown)
                break;
            text = grown;
        }
        got = fread(text + *bytes, 1, capacity - 1 - *bytes, file);
    }
    if (!file || got || ferror(file)) {
        weir_plan_fail(plan, "cannot read %.300s", path);
        free(text);
        text = NULL;
    }
    if (text)
        text[*bytes] = '\0';
    if (file)
        fclose(file);
    return text;
}

WEIR_GPU_CALL int weir_plan_read_file(struct weir_plan *plan, const char *path)
{
    size_t bytes;
    int result;
    memset(plan, 0, sizeof *plan);
    char *text = weir_plan_slurp(plan, path, &bytes);
    if (!text)
        return -1;
    result = weir_plan_read(plan, text);
    free(text);
    return result;
}

#endif
