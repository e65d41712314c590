/* SPDX-License-Identifier: Apache-2.0 */
#include "sketch.h"

#include <assert.h>

static int64_t draw_best(int64_t worst, struct weir_random *random)
{
    switch (weir_random_between(random, 0, 3)) {
    case 0:
        return 0;
    case 1:
        return worst;
    default:
        return weir_random_between(random, 0, worst);
    }
}

void sketch_draw(struct sketch *sketch, const struct sketch_shape *shape, struct weir_random *random)
{
    struct weir_generate_options options = {.nodes = shape->operators, .seed = weir_random_next(random), .density_permille = 200};
    struct weir_pipeline *pipeline;
    enum weir_status status = weir_generate_holoscan(&options, &pipeline, NULL);
    assert(!status && shape->operators <= SKETCH_OPERATORS);
    *sketch = (struct sketch){.operator_count = shape->operators, .queue_count = weir_pipeline_queue_count(pipeline)};
    for (uint32_t i = 0; i < sketch->operator_count; i++) {
        int64_t worst = weir_random_between(random, 0, shape->worst_max);
        sketch->operators[i] = (struct sketch_operator){
            .name = (char)('A' + i), .best = shape->zero_best ? 0 : draw_best(worst, random), .worst = worst};
    }
    for (uint32_t i = 0; i < sketch->queue_count; i++) {
        struct weir_queue_spec spec = weir_pipeline_queue(pipeline, (struct weir_queue){i});
        sketch->queues[i] =
            (struct sketch_queue){spec.from.index, spec.to.index, (uint32_t)weir_random_between(random, 1, shape->capacity_max)};
    }
    weir_pipeline_free(pipeline);
}

struct weir_pipeline *sketch_build(const struct sketch *sketch)
{
    struct weir_pipeline *pipeline = weir_pipeline_new(NULL);
    enum weir_status status = pipeline ? WEIR_OK : WEIR_MEMORY;
    for (uint32_t i = 0; i < sketch->operator_count && !status; i++) {
        const struct sketch_operator *op = &sketch->operators[i];
        struct weir_operator_spec spec = {.name = (char[]){op->name, 0}, .best = op->best, .worst = op->worst};
        status = weir_pipeline_add_operator(pipeline, &spec, NULL, NULL);
    }
    for (uint32_t i = 0; i < sketch->queue_count && !status; i++) {
        const struct sketch_queue *queue = &sketch->queues[i];
        struct weir_queue_spec spec = {.from = {queue->from}, .to = {queue->to}, .capacity = queue->capacity};
        status = weir_pipeline_add_queue(pipeline, &spec, NULL, NULL);
    }
    if (!status)
        status = weir_pipeline_seal(pipeline, NULL, NULL);
    if (!status)
        return pipeline;
    weir_pipeline_free(pipeline);
    return NULL;
}
