/* SPDX-License-Identifier: Apache-2.0 */
/* What a user of the installed library writes: two operators, one queue, one question. */
#include <stdio.h>
#include <weir.h>

int main(void)
{
    struct weir_error error = {0};
    struct weir_pipeline *pipeline = weir_pipeline_new(&error);
    struct weir_operator camera, display;
    weir_pipeline_add_operator(pipeline, &(struct weir_operator_spec){.name = "camera", .best = 1, .worst = 2}, &camera, &error);
    weir_pipeline_add_operator(pipeline, &(struct weir_operator_spec){.name = "display", .best = 3, .worst = 4}, &display, &error);
    weir_pipeline_add_queue(pipeline, &(struct weir_queue_spec){.from = camera, .to = display, .capacity = 1}, NULL, &error);
    if (weir_pipeline_seal(pipeline, NULL, NULL) != WEIR_OK)
        return 1;
    struct weir_solver *solver = weir_solver_new(pipeline, &error);
    struct weir_query query = {.from = {.op = camera, .moment = WEIR_START}, .to = {.op = display, .moment = WEIR_FINISH}};
    struct weir_separation worst;
    if (weir_separation_worst(solver, &query, &worst, &error) != WEIR_OK)
        return 1;
    printf("%lld\n", (long long)worst.value);
    weir_solver_free(solver);
    weir_pipeline_free(pipeline);
    return 0;
}
