/* SPDX-License-Identifier: Apache-2.0 */
#include "answer/answer.h"
#include "answers.h"

#include <stdlib.h>
#include <string.h>

struct answer {
    const struct weir_workers_analysis *analysis;
    bool *spoken_of; /* by latency */
};

static void check_line(const struct line *line, void *context)
{
    static const char *const kinds[] = {"exactly", "at-most", "unknown"};
    const struct answer *answer = context;
    int i;
    uint32_t chain = line_chain(line, answer->analysis->pipeline, 1, &i);
    const struct weir_workers_latency *l = &answer->analysis->latencies[chain];
    answer->spoken_of[chain] = true;
    if (line_says(line, 0, "deadline")) {
        static const enum weir_claim claims[] = {WEIR_CLAIM_EXACT, WEIR_CLAIM_SAFE, WEIR_CLAIM_UNKNOWN};
        struct weir_bound bound = {.has_deadline = l->chain.has_deadline, .deadline = l->chain.deadline};
        weir_bound_set(&bound, claims[l->outcome], l->worst, NULL);
        const char *state = weir_deadline_state_name(weir_judge(&bound));
        if (strcmp(line_word(line, i), state) != 0)
            COMPLAIN(line, "the state of the deadline is: %s", state);
        return;
    }
    if (!line_says(line, 0, kinds[l->outcome]))
        COMPLAIN(line, "the latency is %s", kinds[l->outcome]);
    for (; i < line->count; i += 2) {
        if (line_says(line, i, "worst"))
            line_compare_time(line, answer->analysis->pipeline, i + 1, l->worst);
        else if (line_says(line, i, "best"))
            line_compare_time(line, answer->analysis->pipeline, i + 1, l->best);
        else if (line_says(line, i, "chain"))
            line_compare_time(line, answer->analysis->pipeline, i + 1, l->sequence);
        else
            COMPLAIN(line, "what is \"%s\"?", line->word[i]);
    }
}

void check_workers(const char *name, const char *path, const struct weir_pipeline *pipeline)
{
    struct answer answer = {0};
    struct weir_workers_analysis *a;
    struct weir_error error;
    if (weir_workers_analyze(pipeline, NULL, &a, &error))
        fail_msg("%s: %s", name, error.message);
    answer.analysis = a;
    lines_check_latencies(name, path, pipeline, check_line, &answer, &answer.spoken_of);
    weir_workers_analysis_free(a);
}
