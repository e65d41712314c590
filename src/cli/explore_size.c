/* SPDX-License-Identifier: Apache-2.0 */
/* weir explore --size-queues: the smallest queues that keep limits; --pareto: what deeper ones are good for. */
#include "explore.h"

#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Queues: weir explore MODEL --size-queues [--within T] [--period T] [OPTION...]\n        weir explore MODEL --pareto "
    "[OPTION...]\n\nThe fewest slots in queues that keep every deadline, with a proof that fewer do not; it is not assumed that "
    "deeper\nqueues make latencies longer, or shorter. --pareto: every good trade-off of latency, period and slots. Models "
    "whose\noperators have threads of their own.\n\n  --within T         a limit on every latency, besides its deadline\n  "
    "--period T         at worst times, a result at least this often\n  --queues A->B,...  size these only; A->B#2 is the second "
    "from A to B. Unless given, all that have a capacity and make\n                     their producer wait\n  --weight A->B=N    "
    "a slot there counts N times, such as the bytes of a message (default 1); may be repeated\n  --most N           slots in a "
    "queue (default 64)\n  --pareto           no other capacities are as good in latency, period and slots, and better in one. The "
    "latency is\n                     the longest; deadlines are not required\n  -o, --output OUT   the model with these queues; "
    "not with --pareto\n  --csv FILE         the table; --svg FILE, with --pareto, a plot\n  --threads N        default one per "
    "core; the answer is the same for any number\n  --json             JSON output\n\n  weir explore ultrasound.yaml "
    "--size-queues --within 50ms --period 33ms -o sized.yaml\n  weir explore ultrasound.yaml --pareto --most 8 --svg "
    "front.svg\n\nExit status: 0 there are such queues (--pareto: some that keep every deadline); 1 there are none; 4 interrupted "
    "before\nany were found.\n";

struct settings {
    struct weir_explore_common common;
    struct weir_option_list queues, weights;
    const char *within, *period;
    uint64_t most;
    bool size, pareto;
};

/* ---- queues by name ---- */

static enum weir_exit read_queues(const struct settings *s, const struct weir_pipeline *model, bool *sized, bool *marked)
{
    uint32_t count = weir_pipeline_queue_count(model);
    for (size_t i = 0; i < s->queues.count; i++)
        for (const char *at = s->queues.items[i]; at;) {
            const char *end = strchr(at, ',');
            size_t length = end ? (size_t)(end - at) : strlen(at);
            if (!weir_queues_named(model, at, length, marked))
                return weir_complain_usage(&weir_verb_explore, "--queues: the model has no queue '%.*s'; write A->B",
                                           (int)(length < 200 ? length : 200), at);
            for (uint32_t q = 0; q < count; q++)
                sized[q] |= marked[q];
            at = end ? end + 1 : NULL;
        }
    return WEIR_EXIT_OK;
}

static enum weir_exit read_weights(const struct settings *s, const struct weir_pipeline *model, int64_t *weights, bool *marked)
{
    uint32_t count = weir_pipeline_queue_count(model);
    for (uint32_t q = 0; q < count; q++)
        weights[q] = 1;
    for (size_t i = 0; i < s->weights.count; i++) {
        const char *text = s->weights.items[i], *equals = strrchr(text, '=');
        const char *number = equals ? equals + 1 + strspn(equals + 1, " ") : "";
        size_t digits = strspn(number, "0123456789");
        long long weight = digits <= 15 && !number[digits] ? strtoll(number, NULL, 10) : 0;
        if (weight < 1)
            return weir_complain_usage(&weir_verb_explore, "--weight is A->B=N, N being a number from 1 on, not '%.200s'", text);
        if (!weir_queues_named(model, text, (size_t)(equals - text), marked))
            return weir_complain_usage(&weir_verb_explore, "--weight: the model has no queue '%.*s'; write A->B",
                                       (int)(equals - text < 200 ? equals - text : 200), text);
        for (uint32_t q = 0; q < count; q++)
            weights[q] = marked[q] ? weight : weights[q];
    }
    return WEIR_EXIT_OK;
}

/* ---- */

static enum weir_exit search(const struct settings *s, const struct weir_pipeline *model, struct weir_sizing_options *options)
{
    struct weir_progress progress = {.what = weir_model_title(model, s->common.path)};
    struct weir_sizing *sizing = NULL;
    struct weir_front *front = NULL;
    struct weir_answer *answer = NULL;
    struct weir_error error = {0};
    options->stop = weir_interrupts_begin();
    options->progress = weir_progress_show;
    options->context = &progress;
    enum weir_status status =
        s->pareto ? weir_front_find(model, options, &front, &error) : weir_size_queues(model, options, &sizing, &error);
    weir_interrupts_end();
    weir_progress_end(&progress);
    if (!status)
        status = s->pareto ? weir_front_answer(model, options, front, &answer, &error)
                           : weir_sizing_answer(model, options, sizing, &answer, &error);
    enum weir_exit result = weir_explore_tell(&s->common, status, &error,
                                              (struct weir_explored){answer, progress.what, sizing ? sizing->pipeline : NULL});
    weir_sizing_free(sizing);
    weir_front_free(front);
    return result;
}

/* Without any limit the answer would be 1 place everywhere. */
static enum weir_exit check_limits(const struct settings *s, const struct weir_pipeline *model)
{
    bool limited = s->within || s->period || s->pareto;
    for (uint32_t i = 0; i < weir_pipeline_chain_count(model); i++)
        limited |= weir_pipeline_chain(model, i).has_deadline;
    return limited ? WEIR_EXIT_OK
                   : weir_complain_usage(&weir_verb_explore, "--size-queues needs --within, --period or a model with deadlines");
}

static enum weir_exit ask(const struct settings *s, const struct weir_pipeline *model)
{
    uint32_t count = weir_pipeline_queue_count(model);
    bool *sized = calloc((size_t)count + 1, sizeof *sized), *marked = calloc((size_t)count + 1, sizeof *marked);
    int64_t *weights = calloc((size_t)count + 1, sizeof *weights);
    struct weir_sizing_options options = {.sized = s->queues.count ? sized : NULL,
                                          .weights = s->weights.count ? weights : NULL,
                                          .most = (uint32_t)s->most,
                                          .threads = (unsigned)s->common.threads};
    enum weir_exit result = WEIR_EXIT_INTERNAL;
    if (sized && marked && weights)
        result = weir_explore_time(model, "within", s->within, &options.within);
    else
        weir_complain("out of memory");
    if (result == WEIR_EXIT_OK)
        result = weir_explore_time(model, "period", s->period, &options.period);
    if (result == WEIR_EXIT_OK)
        result = check_limits(s, model);
    if (result == WEIR_EXIT_OK)
        result = read_queues(s, model, sized, marked);
    if (result == WEIR_EXIT_OK)
        result = read_weights(s, model, weights, marked);
    if (result == WEIR_EXIT_OK)
        result = search(s, model, &options);
    free(sized);
    free(marked);
    free(weights);
    return result;
}

static enum weir_exit run(struct weir_arguments *arguments)
{
    struct settings s = {.most = 0};
    struct weir_pipeline *model = NULL;
    const struct weir_option options[] = {
        WEIR_EXPLORE_OUTPUT(s.common),
        WEIR_EXPLORE_CSV(s.common),
        WEIR_EXPLORE_SVG(s.common),
        WEIR_EXPLORE_JSON(s.common),
        WEIR_EXPLORE_THREADS(s.common),
        {.name = "size-queues", .kind = WEIR_OPTION_FLAG, .value = &s.size},
        {.name = "pareto", .kind = WEIR_OPTION_FLAG, .value = &s.pareto},
        {.name = "within", .kind = WEIR_OPTION_TEXT, .value = &s.within},
        {.name = "period", .kind = WEIR_OPTION_TEXT, .value = &s.period},
        {.name = "queues", .kind = WEIR_OPTION_LIST, .value = &s.queues},
        {.name = "weight", .kind = WEIR_OPTION_LIST, .value = &s.weights},
        {.name = "most", .kind = WEIR_OPTION_NUMBER, .value = &s.most, .low = 1, .high = 1000000},
    };
    enum weir_exit result = WEIR_EXIT_USAGE;
    if (weir_options_parse(arguments, options, sizeof options / sizeof *options))
        result = weir_explore_check(arguments, &s.common);
    if (result == WEIR_EXIT_OK && s.pareto && s.common.out)
        result = weir_complain_usage(arguments->verb, "-o goes with --size-queues alone: --pareto has many models");
    if (result == WEIR_EXIT_OK && !s.pareto && s.common.svg)
        result = weir_complain_usage(arguments->verb, "--svg goes with --pareto");
    if (result == WEIR_EXIT_OK)
        result = weir_explore_read(&s.common, s.within, s.period, &model);
    if (result == WEIR_EXIT_OK)
        result = ask(&s, model);
    weir_pipeline_free(model);
    free((void *)s.queues.items);
    free((void *)s.weights.items);
    return result;
}

static const char *const names[] = {"size-queues", "pareto", NULL};
const struct weir_explore_mode weir_mode_size = {names, help, run};
