/* SPDX-License-Identifier: Apache-2.0 */
/* A sweep from its texts to its result. */
#include "explore/sweep/sweep.h"

#include "base/error.h"
#include "model/pipeline.h"

#include <string.h>

#define CELLS_MAX (UINT64_C(1) << 25) /* bounds that are kept: about a gigabyte */

void weir_sweep_free(struct weir_sweep *sweep)
{
    struct weir_sweeping *s = (struct weir_sweeping *)sweep;
    if (!s)
        return;
    weir_revision_free(&s->revision);
    weir_pipeline_free(s->plain);
    weir_pipeline_free(s->base);
    weir_free(s->changes);
    weir_free(s->axes);
    weir_free(s->values);
    weir_free(s->points);
    weir_free(s->cells);
    weir_free(s->anomalies);
    weir_free(s);
}

/* Fixed changes, then axes: one list, whose texts are read together. */
static enum weir_status gather(struct weir_sweeping *s, const struct weir_pipeline *pipeline, struct weir_errors *errors)
{
    const struct weir_sweep_options *o = s->options;
    size_t count = o->change_count + o->axis_count;
    s->changes = weir_array(count, sizeof *s->changes);
    if (!s->changes)
        return WEIR_MEMORY;
    if (o->change_count)
        memcpy(s->changes, o->changes, o->change_count * sizeof *s->changes);
    memcpy(s->changes + o->change_count, o->axes, o->axis_count * sizeof *s->changes);
    for (size_t i = o->change_count; i < count; i++)
        s->changes[i].kind = WEIR_CHANGE_SET;
    s->revision = (struct weir_revision){
        .pipeline = pipeline, .changes = s->changes, .count = count, .first_range = o->change_count, .errors = errors};
    return weir_revision_read(&s->revision);
}

/* ---- what does not change from point to point ---- */

/* A point whose pipeline can be: the first, or else the changes alone. */
static enum weir_status make_base(struct weir_sweeping *s)
{
    struct weir_error error = {0};
    enum weir_status status = weir_sweep_build(s, 0, &s->base, &error);
    s->fast = !status;
    if (status == WEIR_INVALID || status == WEIR_OVERFLOW) {
        struct weir_error first = error;
        status = weir_sweep_build(s, WEIR_NO_POINT, &s->base, &error);
        if (status)
            error = first; /* what is wrong with the values says more */
    }
    return status ? weir_revision_fail(&s->revision, NULL, &error) : WEIR_OK;
}

/* Whether an evaluator can have the numbers of every axis. Queues that get no limit, or whose waiting ends, are another graph. */
static bool is_fast(const struct weir_sweeping *s)
{
    const struct weir_revision *r = &s->revision;
    if (s->base->platform != WEIR_PLATFORM_THREADS || !weir_pipeline_has_enough_workers(s->base) ||
        !weir_pipeline_is_plain(s->base) || s->base->firings || weir_pipeline_assumes(s->base))
        return false;
    for (size_t i = 0; i < s->options->axis_count; i++) {
        const struct weir_assignment *a = weir_sweeping_axis(s, i);
        for (size_t j = a->first; j < a->first + a->count; j++) {
            enum weir_key_id id = weir_key_id(r->settings[j].key);
            if (id != WEIR_KEY_TIME && id != WEIR_KEY_BEST && id != WEIR_KEY_WORST && id != WEIR_KEY_CAPACITY &&
                id != WEIR_KEY_PERIOD)
                return false;
        }
    }
    return true;
}

static enum weir_status prepare(struct weir_sweeping *s)
{
    enum weir_status status = weir_revision_make(&s->revision, true, &s->plain);
    if (!status)
        status = make_base(s);
    if (status)
        return status;
    s->sweep.pipeline = s->base;
    s->sweep.latency_count = s->base->platform == WEIR_PLATFORM_GPU ? 1 : s->base->chain_count;
    s->fast = s->fast && is_fast(s);
    if (s->sweep.point_count * (uint64_t)(s->sweep.latency_count + 1) > CELLS_MAX)
        return weir_errors_add(s->revision.errors, WEIR_INVALID, NULL, (struct weir_place){0, 0},
                               "%zu points with %zu latencies each are too many to keep; take larger steps, or measure fewer",
                               s->sweep.point_count, s->sweep.latency_count);
    s->sweep.engine = weir_engine_of(s->base);
    return WEIR_OK;
}

enum weir_status weir_sweep_run(const struct weir_pipeline *pipeline, const struct weir_sweep_options *options,
                                struct weir_sweep **sweep, struct weir_errors *errors)
{
    struct weir_error error = {0};
    const struct weir_place nowhere = {0, 0};
    *sweep = NULL;
    if (!pipeline || !pipeline->sealed || options->axis_count == 0)
        return weir_errors_add(errors, WEIR_INVALID, NULL, nowhere,
                               !pipeline          ? "there is no pipeline"
                               : pipeline->sealed ? "a sweep has at least one axis"
                                                  : "the pipeline is not sealed");
    struct weir_sweeping *s = weir_array_zeroed(1, sizeof *s);
    if (!s)
        return weir_errors_add(errors, WEIR_MEMORY, NULL, nowhere, "out of memory");
    s->options = options;
    enum weir_status status = gather(s, pipeline, errors);
    if (!status)
        status = weir_sweep_lay_out(s);
    if (!status)
        status = prepare(s);
    if (status && status != WEIR_MEMORY && s->revision.found)
        weir_revision_report(&s->revision);
    if (!status) {
        status = weir_sweep_ask(s, &error);
        if (status && status != WEIR_MEMORY)
            weir_errors_add_error(errors, NULL, nowhere, &error);
    }
    if (!status)
        status = weir_sweep_compare(s);
    if (status == WEIR_MEMORY)
        weir_errors_add(errors, WEIR_MEMORY, NULL, nowhere, "out of memory");
    if (status) {
        weir_sweep_free(&s->sweep);
        return status;
    }
    s->sweep.changes = s->changes;
    s->sweep.change_count = options->change_count;
    s->options = NULL; /* the caller's */
    *sweep = &s->sweep;
    return WEIR_OK;
}
