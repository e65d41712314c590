/* SPDX-License-Identifier: Apache-2.0 */
#include "semantics_plan.h"

#include "semantics_watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int64_t planned_time(void *context, struct weir_operator op, enum weir_part part, int64_t execution)
{
    struct planned *c = context;
    int64_t low, high;
    watch_range(c->pipeline, op, part, &low, &high);
    uint64_t dice = (c->seed + (uint64_t)execution * 8 + op.index + 1) * UINT64_C(0x9e3779b97f4a7c15);
    if (op.index != 1)
        return dice >> 63 ? high : low + (int64_t)(dice >> 8) % (high - low + 1);
    struct weir_gpu_simulation_options options = {
        .dispatch = (enum weir_gpu_dispatch)(execution % WEIR_GPU_DISPATCHES), .times = c->times, .seed = dice};
    struct weir_ratio makespan;
    if (weir_gpu_simulate(c->plan, &options, &makespan, NULL)) {
        c->failed = true;
        return 0;
    }
    int64_t ticks = makespan.numerator;
    for (unsigned i = 0; i < weir_pipeline_digits(c->pipeline); i++)
        ticks *= 10;
    return ticks / makespan.denominator + (ticks % makespan.denominator > 0);
}

/* Both files are in a folder of their own, so that the path is read as a user would write it. */
struct weir_pipeline *planned_read(const struct weir_pipeline *graph, struct weir_random *random, struct weir_error *error)
{
    char folder[] = "/tmp/weir-semantics-XXXXXX", plan[64], model[64];
    if (!mkdtemp(folder))
        return NULL;
    snprintf(plan, sizeof plan, "%s/plan.yaml", folder);
    snprintf(model, sizeof model, "%s/model.yaml", folder);
    struct weir_pipeline *pipeline = NULL;
    struct weir_errors *errors = weir_errors_new();
    FILE *out = fopen(plan, "w"), *text = fopen(model, "w");
    bool written = out && text && !weir_pipeline_write_yaml(graph, out, error);
    if (text)
        fprintf(text,
                "unit: %s\noperators: {a: [1, %d], b: {time: {gpu: plan.yaml, device: other}}, c: {time: [0, %d], gpu: {time: [2, "
                "%d]}}}\n"
                "queues: [a -> b, {from: b, to: c, capacity: %d, consume: %d}]\n",
                weir_unit_name(weir_pipeline_unit(graph)), (int)weir_random_between(random, 1, 30),
                (int)weir_random_between(random, 0, 60), (int)weir_random_between(random, 2, 60),
                (int)weir_random_between(random, 2, 3), (int)weir_random_between(random, 1, 2));
    written = out && fclose(out) == 0 && written;
    written = text && fclose(text) == 0 && written;
    if (written && weir_read_file(model, NULL, &pipeline, errors))
        *error = *weir_errors_at(errors, 0);
    weir_errors_free(errors);
    unlink(plan);
    unlink(model);
    rmdir(folder);
    return pipeline;
}
