/* SPDX-License-Identifier: Apache-2.0 */
/* ask MODEL [LIMIT]: what the C API answers, as `agree` reads it: FROM, TO, deadline state and bound, with tabs between them. The
 * bound is in ticks, a fraction, with the unit's ticks after it: none where there is none. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <weir.h>

static void print_bound(const struct weir_pipeline *pipeline, const struct weir_bound *bound)
{
    if (bound->whole)
        printf("\t\t");
    else
        printf("%s\t%s\t", weir_pipeline_operator(pipeline, bound->chain.from).name,
               weir_pipeline_operator(pipeline, bound->chain.to).name);
    printf("%s\t", weir_deadline_state_name(bound->state));
    if (!weir_bound_holds(bound)) {
        printf("none\n");
        return;
    }
    int64_t unit = 1;
    for (unsigned i = 0; i < weir_pipeline_digits(pipeline); i++)
        unit *= 10;
    printf("%" PRId64 "/%" PRId64 "/%" PRId64 "\n", bound->worst.high.numerator, bound->worst.high.denominator, unit);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    struct weir_errors *errors = weir_errors_new();
    struct weir_pipeline *pipeline = NULL;
    struct weir_answer *answer = NULL;
    struct weir_error error = {0};
    struct weir_answer_options options = {.work_limit = argc > 2 ? strtoull(argv[2], NULL, 10) : 0};
    int status = 3;
    if (!errors || weir_read_file(argv[1], NULL, &pipeline, errors)) {
        fprintf(stderr, "%s cannot be read\n", argv[1]);
    } else if (weir_answer_find(pipeline, &options, &answer, &error)) {
        fprintf(stderr, "%s\n", error.message);
    } else {
        status = 0;
        for (size_t i = 0; i < weir_answer_bound_count(answer); i++)
            print_bound(pipeline, weir_answer_bound(answer, i));
    }
    weir_answer_free(answer);
    weir_pipeline_free(pipeline);
    weir_errors_free(errors);
    return status;
}
