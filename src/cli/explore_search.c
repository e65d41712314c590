/* SPDX-License-Identifier: Apache-2.0 */
/* weir explore --priorities, --mapping, --spacing, --buffers and --batch: searches on shared processors and cores. */
#include "explore.h"

#include <stdlib.h>
#include <string.h>

#define NO_SEED UINT64_MAX /* none given */

struct settings {
    struct weir_explore_common common;
    bool goals[4]; /* by enum weir_explore_goal */
    bool resize, verify;
    const char *processors, *pinned, *source, *within, *latency_limit, *method;
    uint64_t evaluations, starts, seed;
    struct weir_batch_settings batch;
};

/* ---- what the options mean for a model ---- */

/* The lists and numbers that the options point to. */
struct request {
    struct weir_explore_options options;
    struct weir_processor *processors;
    struct weir_operator *pinned;
    struct weir_operator source;
    struct weir_progress progress;
};

static bool find_processor(const struct weir_pipeline *model, const char *name, struct weir_processor *processor)
{
    for (uint32_t i = 0; i < weir_pipeline_processor_count(model); i++) {
        processor->index = i;
        if (strcmp(weir_pipeline_processor(model, *processor).name, name) == 0)
            return true;
    }
    return false;
}

static const char *name_at(const struct weir_pipeline *model, bool processors, uint32_t index)
{
    return processors ? weir_pipeline_processor(model, (struct weir_processor){index}).name
                      : weir_pipeline_operator(model, (struct weir_operator){index}).name;
}

static enum weir_exit complain_name(const struct weir_pipeline *model, bool processors, const char *option, const char *word)
{
    uint32_t count = processors ? weir_pipeline_processor_count(model) : weir_pipeline_operator_count(model);
    const char **names = malloc((count ? count : 1) * sizeof *names);
    for (uint32_t i = 0; names && i < count; i++)
        names[i] = name_at(model, processors, i);
    const char *nearest = names ? weir_nearest(word, names, count) : NULL, *kind = processors ? "processor" : "operator";
    if (nearest)
        weir_complain_usage(&weir_verb_explore, "--%s: there is no %s '%s'; did you mean '%s'?", option, kind, word, nearest);
    else
        weir_complain_usage(&weir_verb_explore, "--%s: there is no %s '%s'", option, kind, word);
    free(names);
    return WEIR_EXIT_USAGE;
}

/* Names between commas, each an operator or a processor; the indices go to a list that has room. */
static enum weir_exit parse_names(const struct weir_pipeline *model, bool processors, const char *option, const char *text,
                                  struct request *request)
{
    char *copy = strdup(text);
    if (!copy)
        return weir_complain_memory();
    enum weir_exit result = WEIR_EXIT_OK;
    for (char *word = copy, *end; word && result == WEIR_EXIT_OK; word = end) {
        end = strchr(word, ',');
        if (end)
            *end++ = 0;
        struct weir_processor processor;
        struct weir_operator op;
        if (processors && find_processor(model, word, &processor))
            request->processors[request->options.processor_count++] = processor;
        else if (!processors && weir_pipeline_find(model, word, &op))
            request->pinned[request->options.pinned_count++] = op;
        else
            result = complain_name(model, processors, option, word);
    }
    free(copy);
    return result;
}

static size_t count_names(const char *text)
{
    size_t count = 1;
    for (; text && *text; text++)
        count += *text == ',';
    return count;
}

/* By the source's name, or by an operator that it feeds. */
static enum weir_exit find_source(const struct weir_pipeline *model, const char *name, struct request *request)
{
    request->options.source = &request->source;
    for (uint32_t i = 0; i < weir_pipeline_source_count(model); i++) {
        struct weir_source_spec source = weir_pipeline_source(model, i);
        request->source = source.op;
        if ((source.name && strcmp(source.name, name) == 0) || strcmp(weir_pipeline_operator(model, source.op).name, name) == 0)
            return WEIR_EXIT_OK;
    }
    return weir_complain_usage(&weir_verb_explore, "--source: there is no source '%s', and none that feeds an operator '%s'", name,
                               name);
}

static enum weir_exit make_request(const struct settings *s, const struct weir_pipeline *model, struct request *r)
{
    r->options = (struct weir_explore_options){.method = s->method ? weir_priority_method_named(s->method) : WEIR_PRIORITY_BEST,
                                               .seed = s->seed == NO_SEED ? 1 : s->seed,
                                               .starts = (uint32_t)s->starts,
                                               .evaluations = s->evaluations,
                                               .threads = (unsigned)s->common.threads,
                                               .verify = s->verify,
                                               .resize = s->resize,
                                               .progress = weir_progress_show,
                                               .context = &r->progress};
    while (!s->goals[r->options.goal])
        r->options.goal++;
    r->processors = malloc(count_names(s->processors) * sizeof *r->processors);
    r->pinned = malloc(count_names(s->pinned) * sizeof *r->pinned);
    if (!r->processors || !r->pinned)
        return weir_complain_memory();
    enum weir_exit result = weir_explore_time(model, "within", s->within, &r->options.within);
    if (result == WEIR_EXIT_OK)
        result = weir_explore_time(model, "latency-limit", s->latency_limit, &r->options.latency_limit);
    if (result == WEIR_EXIT_OK && s->processors)
        result = parse_names(model, true, "processors", s->processors, r);
    if (result == WEIR_EXIT_OK && s->pinned)
        result = parse_names(model, false, "pin", s->pinned, r);
    if (result == WEIR_EXIT_OK && s->source)
        result = find_source(model, s->source, r);
    r->options.processors = s->processors ? r->processors : NULL;
    r->options.pinned = r->pinned;
    return result;
}

/* ---- one model ---- */

static enum weir_exit explore(const struct settings *s, const struct weir_pipeline *model)
{
    struct request request = {.progress = {.what = weir_model_title(model, s->common.path)}};
    struct weir_exploration *exploration = NULL;
    struct weir_answer *answer = NULL;
    struct weir_error error = {0};
    enum weir_exit result = make_request(s, model, &request);
    if (result == WEIR_EXIT_OK) {
        request.options.stop = weir_interrupts_begin();
        enum weir_status status = weir_explore(model, &request.options, &exploration, &error);
        weir_interrupts_end();
        weir_progress_end(&request.progress);
        if (!status)
            status = weir_exploration_answer(model, &request.options, exploration, &answer, &error);
        result =
            weir_explore_tell(&s->common, status, &error,
                              (struct weir_explored){answer, request.progress.what, exploration ? exploration->pipeline : NULL});
    }
    weir_exploration_free(exploration);
    free(request.processors);
    free(request.pinned);
    return result;
}

/* ---- the command line ---- */

enum { BATCH = WEIR_EXPLORE_BUFFERS + 1, GOALS };
static const char *const goal_names[GOALS] = {"priorities", "mapping", "spacing", "buffers", "batch"};

/* An option that is given goes with the goal: `goals` has a bit for each that it goes with. */
struct rule {
    const char *option;
    unsigned goals;
    bool given;
};

static enum weir_exit check_rules(const struct rule *rules, size_t count, unsigned goal)
{
    for (size_t i = 0; i < count; i++) {
        if (!rules[i].given || rules[i].goals >> goal & 1)
            continue;
        unsigned only = 0;
        while (!(rules[i].goals >> only & 1))
            only++;
        if (goal == BATCH)
            return weir_complain_usage(&weir_verb_explore, "--%s does not go with --batch", rules[i].option);
        return weir_complain_usage(&weir_verb_explore, "--%s goes with --%s only%s", rules[i].option, goal_names[only],
                                   rules[i].goals >> BATCH & 1 && only != BATCH ? ", and with --batch" : "");
    }
    return WEIR_EXIT_OK;
}

static enum weir_exit check_options(const struct settings *s, unsigned goal)
{
    enum { MAPPING = 1 << WEIR_EXPLORE_MAPPING, SPACING = 1 << WEIR_EXPLORE_SPACING, BUFFERS = 1 << WEIR_EXPLORE_BUFFERS };
    enum { BATCHES = 1 << BATCH, SEARCHES = BATCHES - 1 };
    const struct weir_batch_settings *b = &s->batch;
    const struct rule rules[] = {
        {"processors", MAPPING, s->processors},
        {"pin", MAPPING, s->pinned},
        {"source", SPACING, s->source},
        {"within", BUFFERS | BATCHES, s->within},
        {"resize", BUFFERS, s->resize},
        {"method", SEARCHES, s->method},
        {"latency-limit", SEARCHES, s->latency_limit},
        {"evaluations", SEARCHES, s->evaluations},
        {"starts", SEARCHES, s->starts},
        {"threads", SEARCHES, s->common.threads},
        {"seed", SEARCHES, s->seed != NO_SEED},
        {"utilization", BATCHES, b->utilization},
        {"merged-init", BATCHES, b->merged_init},
        {"merge", BATCHES, b->merge},
        {"cores", BATCHES, b->cores},
        {"factor-max", BATCHES, b->factor_max},
        {"csv", BATCHES, s->common.csv},
        {"svg", BATCHES, s->common.svg},
    };
    return check_rules(rules, sizeof rules / sizeof *rules, goal);
}

static enum weir_exit check(const struct weir_arguments *arguments, struct settings *s)
{
    unsigned count = s->batch.batching != NULL, goal = BATCH;
    for (unsigned i = 0; i < BATCH; i++) {
        count += s->goals[i];
        goal = s->goals[i] ? i : goal;
    }
    if (count == 0)
        return weir_explore_without_mode(arguments);
    enum weir_exit result = weir_explore_check(arguments, &s->common);
    if (result == WEIR_EXIT_OK && count != 1)
        return weir_complain_usage(arguments->verb,
                                   "one kind of change at a time: --priorities, --mapping, --spacing, --buffers or --batch");
    if (result == WEIR_EXIT_OK)
        result = check_options(s, goal);
    s->batch.within = s->within;
    s->batch.verify = s->verify;
    if (result != WEIR_EXIT_OK || goal == BATCH)
        return result == WEIR_EXIT_OK ? weir_batch_check(&s->batch) : result;
    enum weir_priority_method method = s->method ? weir_priority_method_named(s->method) : WEIR_PRIORITY_BEST;
    if (method == WEIR_PRIORITY_METHODS)
        return weir_complain_usage(arguments->verb, "unknown method '%s'; there are best, PJ0, EI, EI+iBS, EIC and CIX", s->method);
    if (!weir_priority_method_safe(method))
        return weir_complain_usage(arguments->verb,
                                   "the bounds of %s can be exceeded; a search takes best, PJ0, EI, EI+iBS, EIC or CIX",
                                   weir_priority_method_name(method));
    return WEIR_EXIT_OK;
}

static enum weir_exit read_and_explore(const struct settings *s)
{
    struct weir_pipeline *model = NULL;
    enum weir_exit result = weir_explore_read(&s->common, s->within, s->latency_limit, &model);
    if (result == WEIR_EXIT_OK)
        result = s->batch.batching ? weir_batch_run(&s->common, &s->batch, model) : explore(s, model);
    weir_pipeline_free(model);
    return result;
}

static enum weir_exit run(struct weir_arguments *arguments)
{
    struct settings s = {.common.svg_suffix = "-utilization", .seed = NO_SEED};
    const struct weir_option options[] = {
        {.name = "priorities", .kind = WEIR_OPTION_FLAG, .value = &s.goals[WEIR_EXPLORE_PRIORITIES]},
        {.name = "mapping", .kind = WEIR_OPTION_FLAG, .value = &s.goals[WEIR_EXPLORE_MAPPING]},
        {.name = "spacing", .kind = WEIR_OPTION_FLAG, .value = &s.goals[WEIR_EXPLORE_SPACING]},
        {.name = "buffers", .kind = WEIR_OPTION_FLAG, .value = &s.goals[WEIR_EXPLORE_BUFFERS]},
        {.name = "processors", .kind = WEIR_OPTION_TEXT, .value = &s.processors},
        {.name = "pin", .kind = WEIR_OPTION_TEXT, .value = &s.pinned},
        {.name = "source", .kind = WEIR_OPTION_TEXT, .value = &s.source},
        {.name = "within", .kind = WEIR_OPTION_TEXT, .value = &s.within},
        {.name = "resize", .kind = WEIR_OPTION_FLAG, .value = &s.resize},
        {.name = "batch", .kind = WEIR_OPTION_TEXT, .value = &s.batch.batching},
        {.name = "cores", .kind = WEIR_OPTION_NUMBER, .value = &s.batch.cores, .low = 1, .high = 65536},
        {.name = "utilization", .kind = WEIR_OPTION_TEXT, .value = &s.batch.utilization},
        {.name = "merge", .kind = WEIR_OPTION_FLAG, .value = &s.batch.merge},
        {.name = "merged-init", .kind = WEIR_OPTION_TEXT, .value = &s.batch.merged_init},
        {.name = "factor-max", .kind = WEIR_OPTION_NUMBER, .value = &s.batch.factor_max, .low = 1, .high = 1000000000},
        WEIR_EXPLORE_OUTPUT(s.common),
        WEIR_EXPLORE_CSV(s.common),
        WEIR_EXPLORE_SVG(s.common),
        WEIR_EXPLORE_THREADS(s.common),
        WEIR_EXPLORE_JSON(s.common),
        {.name = "method", .kind = WEIR_OPTION_TEXT, .value = &s.method},
        {.name = "latency-limit", .kind = WEIR_OPTION_TEXT, .value = &s.latency_limit},
        {.name = "evaluations", .kind = WEIR_OPTION_NUMBER, .value = &s.evaluations, .low = 1, .high = 1000000000},
        {.name = "starts", .kind = WEIR_OPTION_NUMBER, .value = &s.starts, .low = 1, .high = 1000000},
        {.name = "seed", .kind = WEIR_OPTION_NUMBER, .value = &s.seed, .high = NO_SEED - 1},
        {.name = "verify", .kind = WEIR_OPTION_FLAG, .value = &s.verify},
    };
    if (!weir_options_parse(arguments, options, sizeof options / sizeof *options))
        return WEIR_EXIT_USAGE;
    enum weir_exit result = check(arguments, &s);
    return result == WEIR_EXIT_OK ? read_and_explore(&s) : result;
}

static const char *const names[] = {"priorities", "mapping", "spacing", "buffers", "batch", NULL};
const struct weir_explore_mode weir_mode_search = {names, NULL, run};
