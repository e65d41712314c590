/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The time of an operator that launches a graph of kernels: the bound of the plan for it. The graph stands in a file of its own,
 * which is read and planned here; one that several operators name is planned once.
 */
#include "read/draft.h"

#include <string.h>
#include <sys/stat.h>

#define MEBIBYTE (UINT64_C(1) << 20)

/* The path as it is opened: relative to the folder of the model. NULL: out of memory. */
static const char *resolve(struct weir_draft *d, const char *path)
{
    const char *slash = d->file ? strrchr(d->file, '/') : NULL;
    const char *folder = *path == '/' ? "" : slash ? d->file : "./"; /* so that "-" is a file, too */
    size_t bytes = *path == '/' ? 0 : slash ? (size_t)(slash - d->file) + 1 : 2;
    char *whole = weir_arena_take(&d->arena, bytes + strlen(path) + 1);
    if (!whole) {
        d->out_of_memory = true;
        return NULL;
    }
    memcpy(whole, folder, bytes);
    memcpy(whole + bytes, path, strlen(path) + 1);
    return bytes == 2 && strncmp(whole, "./", 2) == 0 && strcmp(path, "-") != 0 ? whole + 2 : whole;
}

/* The bound in whole ticks of the plan, none of them less than it. */
static struct weir_decimal decimal_of(const struct weir_gpu_plan *plan)
{
    struct weir_ratio bound = plan->bound;
    struct weir_decimal value = {.mantissa = bound.numerator / bound.denominator + (bound.numerator % bound.denominator > 0),
                                 .exponent = -(int)weir_pipeline_digits(plan->pipeline),
                                 .has_unit = true,
                                 .unit = weir_pipeline_unit(plan->pipeline)};
    for (; value.mantissa && value.mantissa % 10 == 0; value.exponent++)
        value.mantissa /= 10;
    if (!value.mantissa)
        value.exponent = 0;
    return value;
}

/* What the model's file should know of a plan that cannot be used. */
static void fail(struct weir_draft *d, struct weir_place place, const char *path, const char *why)
{
    char quoted[WEIR_QUOTED];
    weir_draft_mistake(d, place, "the time cannot be taken from \"%s\": %s", weir_quote(path, quoted), why);
}

static void plan_pipeline(struct weir_draft *d, struct weir_draft_plan *entry, const struct weir_pipeline *pipeline,
                          struct weir_place place)
{
    struct weir_gpu_options options = {.method = entry->method, .verify = true};
    struct weir_gpu_plan *plan = NULL;
    struct weir_error error;
    enum weir_status status = weir_gpu_analyze(pipeline, &options, &plan, &error);
    if (status == WEIR_MEMORY) {
        d->out_of_memory = true;
    } else if (status) {
        fail(d, place, entry->path, error.message);
    } else if (!plan->safe) {
        fail(d, place, entry->path, plan->why);
    } else {
        entry->bound = decimal_of(plan);
        entry->bad = false;
    }
    weir_gpu_plan_free(plan);
}

/* Mistakes of the plan's file are reported with that file's name and places. */
static void read_plan(struct weir_draft *d, struct weir_draft_plan *entry, struct weir_place place)
{
    const struct weir_read_options options = {.no_files = true};
    struct weir_pipeline *pipeline = NULL;
    struct weir_errors *errors = weir_errors_new();
    enum weir_status status = errors ? weir_read_file(entry->path, &options, &pipeline, errors) : WEIR_MEMORY;
    char why[64];
    if (status == WEIR_MEMORY || (status && weir_errors_count(errors) == 0)) {
        d->out_of_memory = true;
    } else if (status == WEIR_IO) {
        fail(d, place, entry->path, weir_errors_at(errors, 0)->message);
    } else if (status) {
        size_t count = weir_errors_count(errors);
        for (size_t i = 0; i < count; i++) {
            const struct weir_error *e = weir_errors_at(errors, i);
            weir_errors_add(d->errors, e->status, e->file, (struct weir_place){e->line, e->column}, "%s", e->message);
        }
        snprintf(why, sizeof why, "it has %zu error%s", count, count == 1 ? "" : "s");
        fail(d, place, entry->path, why);
    } else if (weir_pipeline_platform(pipeline) != WEIR_PLATFORM_GPU) {
        fail(d, place, entry->path, "it is not a graph of kernels (\"platform: {gpu: ...}\")");
    } else {
        plan_pipeline(d, entry, pipeline, place);
    }
    weir_pipeline_free(pipeline);
    weir_errors_free(errors);
}

/* Neither a device nor a pipe, which may never end, and not too large. */
static bool check_file(struct weir_draft *d, const char *path, struct weir_place place)
{
    struct stat about;
    char why[64];
    if (stat(path, &about) != 0)
        return true; /* reading says why */
    if (!S_ISREG(about.st_mode)) {
        fail(d, place, path, "it is no file");
        return false;
    }
    if ((uint64_t)about.st_size > WEIR_PLAN_BYTES_MAX) {
        snprintf(why, sizeof why, "it is too large: the most is %u MiB", (unsigned)(WEIR_PLAN_BYTES_MAX / MEBIBYTE));
        fail(d, place, path, why);
        return false;
    }
    return true;
}

static const struct weir_draft_plan *find(const struct weir_draft *d, const char *path, enum weir_gpu_method method)
{
    for (size_t i = 0; i < d->plan_count; i++)
        if (d->plans[i].method == method && strcmp(d->plans[i].path, path) == 0)
            return &d->plans[i];
    return NULL;
}

static const struct weir_draft_plan *add(struct weir_draft *d, const char *path, enum weir_gpu_method method,
                                         struct weir_place place)
{
    if (d->plan_count == WEIR_PLANS_MAX) {
        weir_draft_mistake(d, place, "too many times come from plans of GPUs: %d files are the most", WEIR_PLANS_MAX);
        return NULL;
    }
    if (!weir_draft_room(d, &d->plans, &d->plan_capacity, d->plan_count, sizeof *d->plans))
        return NULL;
    struct weir_draft_plan *entry = &d->plans[d->plan_count++];
    *entry = (struct weir_draft_plan){.path = path, .method = method, .bad = true};
    if (check_file(d, path, place))
        read_plan(d, entry, place);
    return entry;
}

uint32_t weir_draft_plan_time(struct weir_draft *d, const char *path, enum weir_gpu_method method, struct weir_place place)
{
    const struct weir_draft_plan *entry = NULL;
    if (d->options->no_files) {
        weir_draft_mistake(d, place, "\"gpu\" names a file, and no other files are read here; write the time itself");
    } else if (!*path) {
        weir_draft_mistake(d, place, "\"gpu\" must be the path of a file, but is empty");
    } else {
        const char *whole = resolve(d, path);
        entry = whole ? find(d, whole, method) : NULL;
        if (whole && !entry)
            entry = add(d, whole, method, place);
    }
    return entry && !entry->bad ? weir_draft_decimal(d, &entry->bound, place) : weir_draft_bad_time(d, place);
}

void weir_draft_claim_device(struct weir_draft *d, const char *name, struct weir_place place)
{
    for (size_t i = 0; i < d->device_count; i++)
        if (strcmp(d->devices[i].name, name) == 0) {
            weir_draft_mistake(d, place,
                               "a plan has its GPU to itself, and so has the one in line %u, which may run at the same time; plan "
                               "their kernels together, or say with \"device\" that they run on different GPUs",
                               d->devices[i].place.line);
            return;
        }
    if (d->device_count == WEIR_PLANS_MAX) {
        weir_draft_mistake(d, place, "plans run on too many GPUs: %d are the most", WEIR_PLANS_MAX);
        return;
    }
    name = weir_arena_text(&d->arena, name);
    if (name)
        d->devices[d->device_count++] = (struct weir_draft_device){name, place};
    else
        d->out_of_memory = true;
}
