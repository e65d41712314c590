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
    struct weir_answer *answer;
    if (weir_answer_find(pipeline, NULL, &answer, &error) != WEIR_OK)
        return 1;
    printf("%lld\n", (long long)weir_answer_bound(answer, 0)->worst.high.numerator);
    weir_answer_free(answer);
    weir_pipeline_free(pipeline);
    return 0;
}
