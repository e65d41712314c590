/* SPDX-License-Identifier: Apache-2.0 */
/* ask MODEL [LIMIT]: what the C API answers, as `agree` reads it: FROM, TO, deadline state and bound, with tabs between them. The
 * bound is in ticks, a fraction, with the unit's ticks after it: none where there is none. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <weir.h>
#include <weir/verdict.h>

static const char *state_of(const struct weir_verdict_latency *latency)
{
    if (!latency->has_deadline)
        return "none";
    return latency->met ? "met" : latency->certainty == WEIR_CERTAIN_UNKNOWN ? "not decided" : "missed";
}

static void print_latency(const struct weir_pipeline *pipeline, const struct weir_verdict_latency *latency)
{
    if (latency->whole)
        printf("\t\t");
    else
        printf("%s\t%s\t", weir_pipeline_operator(pipeline, latency->pair.from).name,
               weir_pipeline_operator(pipeline, latency->pair.to).name);
    printf("%s\t", state_of(latency));
    if (!weir_verdict_bounded(latency)) {
        printf("none\n");
        return;
    }
    int64_t unit = 1;
    for (unsigned i = 0; i < weir_pipeline_digits(pipeline); i++)
        unit *= 10;
    printf("%" PRId64 "/%" PRId64 "/%" PRId64 "\n", latency->worst.numerator, latency->worst.denominator, unit);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    struct weir_errors *errors = weir_errors_new();
    struct weir_pipeline *pipeline = NULL;
    struct weir_verdicts *verdicts = NULL;
    struct weir_error error = {0};
    struct weir_verdict_options options = {.work_limit = argc > 2 ? strtoull(argv[2], NULL, 10) : 0};
    int status = 3;
    if (!errors || weir_read_file(argv[1], NULL, &pipeline, errors)) {
        fprintf(stderr, "%s cannot be read\n", argv[1]);
    } else if (weir_verdict_find(pipeline, &options, &verdicts, &error)) {
        fprintf(stderr, "%s\n", error.message);
    } else {
        status = 0;
        for (size_t i = 0; i < verdicts->latency_count; i++)
            print_latency(pipeline, &verdicts->latencies[i]);
    }
    weir_verdicts_free(verdicts);
    weir_pipeline_free(pipeline);
    weir_errors_free(errors);
    return status;
}
