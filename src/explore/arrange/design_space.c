/* SPDX-License-Identifier: Apache-2.0 */
#include "explore/arrange/design_space.h"

#include "base/error.h"
#include "base/number.h"
#include "model/pipeline.h"

#include <string.h>

/*
 * Input k passes the regulator at o(k) = max over j <= k of r(j) + (k - j) T, where r(j) is its arrival: in order, so r(j) <= r(k),
 * and within its jitter, so r(j) - r(k) <= J - (k - j) P. Hence it is held for at most the largest m T + min(0, J - m P), m >= 0.
 * With T <= P that grows up to m = floor(J / P), the inputs of one burst, and falls from the next m on.
 */
int64_t weir_spacing_delay(int64_t period, int64_t jitter, int64_t spacing)
{
    weir_wide burst = jitter / period, next = burst + 1;
    weir_wide held = burst * spacing, after = jitter - next * (period - spacing);
    return (int64_t)(after > held ? after : held);
}

bool weir_source_same(const struct weir_pipeline *p, uint32_t a, uint32_t b)
{
    const char *x = p->sources[a].name, *y = p->sources[b].name;
    return a == b || (x && y && strcmp(x, y) == 0);
}

bool weir_source_begins(const struct weir_pipeline *p, uint32_t source, uint32_t chain)
{
    for (uint32_t i = 0; i < p->source_count; i++)
        if (p->sources[i].op.index == p->chains[chain].from.index && weir_source_same(p, source, i))
            return true;
    return false;
}

static enum weir_status change_source(const struct weir_pipeline *model, struct weir_pipeline *p, uint32_t source, int64_t spacing,
                                      struct weir_error *error)
{
    int64_t delay = weir_spacing_delay(model->sources[source].period, model->sources[source].jitter, spacing);
    for (uint32_t i = 0; i < p->source_count; i++) {
        struct weir_source_spec spec = p->sources[i];
        if (!weir_source_same(model, source, i))
            continue;
        spec.period = spacing;
        spec.jitter = 0;
        spec.sporadic = true;
        spec.has_phase = false;
        spec.phase = spec.phase_max = 0;
        enum weir_status status = weir_pipeline_change_source(p, i, &spec, error);
        if (status)
            return status;
    }
    /* A copy has the chains that were given, in their order, or none. */
    for (uint32_t i = 0; i < p->chain_count; i++)
        if (p->chains[i].has_deadline && weir_source_begins(model, source, i))
            p->chains[i].deadline = p->chains[i].deadline > delay ? p->chains[i].deadline - delay : 0;
    return WEIR_OK;
}

static enum weir_status change(const struct weir_pipeline *model, struct weir_pipeline *p, struct weir_variable variable,
                               int64_t value, struct weir_error *error)
{
    struct weir_operator op = {variable.index};
    switch (variable.kind) {
    case WEIR_VARIABLE_PROCESSOR: {
        struct weir_operator_spec spec = p->operators[op.index];
        spec.mapped = true;
        spec.on.index = (uint32_t)value;
        return weir_pipeline_change_operator(p, op, &spec, error);
    }
    case WEIR_VARIABLE_PRIORITY: {
        struct weir_operator_spec spec = p->operators[op.index];
        spec.has_priority = true;
        spec.priority = (int32_t)value;
        return weir_pipeline_change_operator(p, op, &spec, error);
    }
    case WEIR_VARIABLE_CAPACITY: {
        struct weir_queue_spec spec = p->queues[variable.index];
        spec.capacity = (uint32_t)value;
        return weir_pipeline_change_queue(p, (struct weir_queue){variable.index}, &spec, error);
    }
    case WEIR_VARIABLE_SPACING:
        break;
    }
    return change_source(model, p, variable.index, value, error);
}

enum weir_status weir_design_space_apply(const struct weir_design_space *space, const int64_t *point,
                                         struct weir_pipeline **pipeline, struct weir_error *error)
{
    struct weir_error cause = {0};
    *pipeline = NULL;
    struct weir_pipeline *p = weir_pipeline_copy(space->model, &cause);
    if (!p)
        return weir_fail(error, cause.status, "%s", cause.message);
    enum weir_status status = WEIR_OK;
    for (size_t i = 0; i < space->count && !status; i++)
        if (point[i] != WEIR_UNCHANGED)
            status = change(space->model, p, space->variables[i], point[i], &cause);
    if (!status) {
        status = weir_pipeline_seal(p, NULL, NULL);
        if (status)
            snprintf(cause.message, sizeof cause.message, status == WEIR_MEMORY ? "out of memory" : "the changed model cannot be");
    }
    if (status) {
        weir_pipeline_free(p);
        return weir_fail(error, status, "%s", cause.message);
    }
    *pipeline = p;
    return WEIR_OK;
}
