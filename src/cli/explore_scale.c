/* SPDX-License-Identifier: Apache-2.0 */
/* weir explore --scale and --assign-period: how slow all operators may become, and how fast inputs may come. */
#include "analyze.h"
#include "explore.h"

#include <stdlib.h>
#include <string.h>

static const char scale_help[] =
    "Scaling: weir explore MODEL --scale [OPTION...]\n"
    "\n"
    "The largest factor by which all worst cases can grow at once with every deadline kept (the critical scaling factor),\n"
    "as an exact fraction; below 1 where a deadline is missed. Best cases, periods and capacities stay as they are. Models\n"
    "whose operators have threads of their own, with deadlines.\n"
    "\n"
    "  --limit N          work of each search, as of weir analyze\n"
    "  --json             for programs\n"
    "\n"
    "  weir explore ultrasound.yaml --scale\n"
    "\n"
    "Exit status: 0 the factor is at least 1; 1 it is below, or there is none; 4 it is not known which.\n";

static const char period_help[] =
    "Periods: weir explore MODEL --assign-period [OPTION...]\n"
    "\n"
    "The shortest period of a source with every deadline kept, to the tick. A shorter period need not be worse, so none is\n"
    "passed over without proof. An operator without inputs that has no period is taken as a source that may be given one.\n"
    "\n"
    "  --source NAME      of this operator; unless given, of each source in turn, the others as they are\n"
    "  --limit N          work of each search, as of weir analyze\n"
    "  -o, --output OUT   the model with that period; needs --source where there are several. --json for programs\n"
    "\n"
    "  weir explore ultrasound.yaml --assign-period -o paced.yaml\n"
    "\n"
    "Exit status: 0 there is such a period; 1 there is none; 4 it is a bracket.\n";

struct settings {
    struct weir_explore_common common;
    const char *source;
    uint64_t limit;
};

static const char *const outcomes[] = {"exact", "none", "no-end", "bracket"};

static enum weir_exit exit_of(enum weir_margin_outcome outcome)
{
    return outcome == WEIR_MARGIN_NONE ? WEIR_EXIT_MISSED : outcome == WEIR_MARGIN_BRACKET ? WEIR_EXIT_BRACKET : WEIR_EXIT_OK;
}

static const char *from_of(const struct weir_pipeline *p, uint32_t pair)
{
    return weir_pipeline_operator(p, weir_pipeline_pair(p, pair).from).name;
}

static const char *to_of(const struct weir_pipeline *p, uint32_t pair)
{
    return weir_pipeline_operator(p, weir_pipeline_pair(p, pair).to).name;
}

static void print_json_pair(const struct weir_pipeline *p, uint32_t pair)
{
    fputs(", \"from\": ", stdout);
    weir_print_json_text(stdout, from_of(p, pair));
    fputs(", \"to\": ", stdout);
    weir_print_json_text(stdout, to_of(p, pair));
}

static void print_json_head(const struct weir_pipeline *p, const char *path)
{
    fputs("{\n  \"weir\": 1,\n  \"model\": ", stdout);
    weir_print_json_text(stdout, weir_model_title(p, path));
    printf(",\n  \"unit\": \"%s\",\n", weir_unit_name(weir_pipeline_unit(p)));
}

/* ---- scaling ---- */

enum { DIGITS = 9, FACTOR_TEXT = 80 };

/* "1.5625", or "1.333333333...": the digits are those of the value, none is rounded up. */
static const char *decimal_of(struct weir_ratio ratio, char text[FACTOR_TEXT])
{
    uint64_t d = (uint64_t)ratio.denominator, rest = (uint64_t)ratio.numerator % d;
    int length = snprintf(text, FACTOR_TEXT, "%llu", (unsigned long long)((uint64_t)ratio.numerator / d));
    for (int i = 0; i < DIGITS && rest; i++) {
        if (i == 0)
            text[length++] = '.';
        rest *= 10; /* denominators are below 2^60 */
        text[length++] = (char)('0' + rest / d);
        rest %= d;
    }
    snprintf(text + length, (size_t)(FACTOR_TEXT - length), "%s", rest ? "..." : "");
    return text;
}

static void print_scaling(const struct weir_pipeline *p, const struct weir_scaling *s)
{
    char number[FACTOR_TEXT], other[FACTOR_TEXT];
    switch (s->outcome) {
    case WEIR_MARGIN_EXACT:
        if (s->factor.denominator == 1)
            printf("  all worst cases times %lld, and no more\n", (long long)s->factor.numerator);
        else
            printf("  all worst cases times %lld/%lld = %s, and no more\n", (long long)s->factor.numerator,
                   (long long)s->factor.denominator, decimal_of(s->factor, number));
        printf("  beyond that %s -> %s misses its deadline\n", from_of(p, s->pair), to_of(p, s->pair));
        break;
    case WEIR_MARGIN_NONE:
        printf("  none: %s -> %s misses its deadline however short the worst cases are\n", from_of(p, s->pair), to_of(p, s->pair));
        break;
    case WEIR_MARGIN_NO_END:
        printf("  worst cases do not break a deadline, up to %lld times as long as they are\n", (long long)s->lower.numerator);
        break;
    case WEIR_MARGIN_BRACKET:
        printf("  at least %lld/%lld = %s", (long long)s->lower.numerator, (long long)s->lower.denominator,
               decimal_of(s->lower, number));
        if (s->upper.denominator)
            printf(", less than %s, where %s -> %s misses its deadline", decimal_of(s->upper, other), from_of(p, s->pair),
                   to_of(p, s->pair));
        printf("\n");
        break;
    }
}

static void print_json_ratio(const char *key, struct weir_ratio ratio)
{
    printf(", \"%s\": ", key);
    if (ratio.denominator)
        printf("{\"numerator\": %lld, \"denominator\": %lld}", (long long)ratio.numerator, (long long)ratio.denominator);
    else
        fputs("null", stdout);
}

static void print_scaling_json(const struct weir_pipeline *p, const char *path, const struct weir_scaling *s)
{
    print_json_head(p, path);
    printf("  \"scale\": {\"outcome\": \"%s\"", outcomes[s->outcome]);
    if (s->outcome == WEIR_MARGIN_EXACT)
        print_json_ratio("factor", s->factor);
    if (s->outcome == WEIR_MARGIN_BRACKET || s->outcome == WEIR_MARGIN_NO_END)
        print_json_ratio("lower", s->lower);
    if (s->outcome == WEIR_MARGIN_BRACKET)
        print_json_ratio("upper", s->upper);
    if (s->outcome == WEIR_MARGIN_EXACT || s->outcome == WEIR_MARGIN_NONE)
        print_json_pair(p, s->pair);
    printf(", \"searches\": %llu}\n}\n", (unsigned long long)s->searches);
}

static enum weir_exit scale(const struct settings *s, const struct weir_pipeline *model)
{
    struct weir_margins_options options = {.work_limit = s->limit};
    struct weir_scaling answer;
    struct weir_error error = {0};
    const struct weir_style *style = weir_style_of(stdout);
    options.stop = weir_interrupts_begin();
    enum weir_status status = weir_scaling_find(model, &options, &answer, &error);
    weir_interrupts_end();
    if (status)
        return weir_complain_error(s->common.path, &error);
    if (s->common.json) {
        print_scaling_json(model, s->common.path, &answer);
    } else {
        printf("%s%s%s   the critical scaling factor\n", style->bold, weir_model_title(model, s->common.path), style->plain);
        print_scaling(model, &answer);
    }
    if (answer.outcome == WEIR_MARGIN_EXACT)
        return answer.factor.numerator < answer.factor.denominator ? WEIR_EXIT_MISSED : WEIR_EXIT_OK;
    if (answer.lower.numerator >= answer.lower.denominator) /* kept as it is */
        return WEIR_EXIT_OK;
    bool missed = answer.upper.denominator && answer.upper.numerator <= answer.upper.denominator;
    return missed ? WEIR_EXIT_MISSED : exit_of(answer.outcome);
}

static enum weir_exit run_scale(struct weir_arguments *arguments)
{
    struct settings s = {.limit = 0};
    bool asked;
    const struct weir_option options[] = {
        WEIR_EXPLORE_JSON(s.common),
        {.name = "scale", .kind = WEIR_OPTION_FLAG, .value = &asked},
        {.name = "limit", .kind = WEIR_OPTION_NUMBER, .value = &s.limit, .low = 1, .high = UINT64_MAX - 1},
    };
    struct weir_pipeline *model = NULL;
    enum weir_exit result = WEIR_EXIT_USAGE;
    if (weir_options_parse(arguments, options, sizeof options / sizeof *options))
        result = weir_explore_check(arguments, &s.common);
    if (result == WEIR_EXIT_OK)
        result = weir_model_read(s.common.path, NULL, &model);
    if (result == WEIR_EXIT_OK)
        result = scale(&s, model);
    weir_pipeline_free(model);
    return result;
}

static const char *const scale_names[] = {"scale", NULL};
const struct weir_explore_mode weir_mode_scale = {scale_names, scale_help, run_scale};

/* ---- periods ---- */

static bool has_input(const struct weir_pipeline *p, uint32_t op)
{
    for (uint32_t i = 0; i < weir_pipeline_queue_count(p); i++)
        if (weir_pipeline_queue(p, (struct weir_queue){i}).to.index == op)
            return true;
    return false;
}

static bool has_period(const struct weir_pipeline *p, uint32_t op)
{
    for (uint32_t i = 0; i < weir_pipeline_source_count(p); i++)
        if (weir_pipeline_source(p, i).op.index == op)
            return true;
    return false;
}

/* The model with a period for every operator that begins it, or for the one that is named; sealed. */
static enum weir_exit with_sources(const struct settings *s, const struct weir_pipeline *model, struct weir_pipeline **paced)
{
    struct weir_error error = {0};
    struct weir_errors *errors = weir_errors_new();
    struct weir_operator named;
    *paced = NULL;
    if (s->source && !weir_pipeline_find(model, s->source, &named)) {
        weir_errors_free(errors);
        return weir_complain_usage(&weir_verb_explore, "--source: there is no operator '%s'", s->source);
    }
    struct weir_pipeline *copy = weir_pipeline_copy(model, &error);
    enum weir_status status = copy && errors ? WEIR_OK : WEIR_MEMORY;
    for (uint32_t i = 0; i < weir_pipeline_operator_count(model) && !status; i++) {
        bool wanted = s->source ? i == named.index : !has_input(model, i);
        if (wanted && !has_period(model, i))
            status = weir_pipeline_add_source(copy, &(struct weir_source_spec){.op = {i}, .period = 1}, &error);
    }
    if (!status && weir_pipeline_seal(copy, s->common.path, errors) != WEIR_OK) {
        weir_errors_free(errors);
        weir_pipeline_free(copy);
        return weir_complain_usage(&weir_verb_explore, "the model cannot be given such a period");
    }
    weir_errors_free(errors);
    if (status) {
        weir_pipeline_free(copy);
        return error.status ? weir_complain_error(s->common.path, &error) : WEIR_EXIT_INTERNAL;
    }
    *paced = copy;
    return WEIR_EXIT_OK;
}

/* A source that is new has a period of a tick meanwhile, which says nothing about the model: those of others are taken back. */
static void print_pacing(const struct weir_pipeline *p, uint32_t source, const struct weir_pacing *a)
{
    char number[WEIR_AMOUNT_TEXT], other[WEIR_AMOUNT_TEXT];
    const char *name = weir_pipeline_operator(p, weir_pipeline_source(p, source).op).name;
    switch (a->outcome) {
    case WEIR_MARGIN_NONE:
        printf("  %s: none; %s -> %s misses its deadline however far apart inputs are\n", name, from_of(p, a->pair),
               to_of(p, a->pair));
        break;
    case WEIR_MARGIN_BRACKET:
        printf("  %s: at least %s", name, weir_amount_format(p, a->lower, number));
        if (a->upper >= 0)
            printf(", at most %s", weir_amount_format(p, a->upper, other));
        printf("; a limit was reached\n");
        break;
    default:
        if (a->pair == UINT32_MAX)
            printf("  %s: any; every deadline is kept even where the next input is always there\n", name);
        else
            printf("  %s: every %s; anything shorter breaks the deadline of %s -> %s\n", name,
                   weir_amount_format(p, a->period, number), from_of(p, a->pair), to_of(p, a->pair));
    }
}

static void print_pacing_json(const struct weir_pipeline *p, uint32_t source, const struct weir_pacing *a)
{
    char number[WEIR_TIME_TEXT];
    fputs("\n    {\"source\": ", stdout);
    weir_print_json_text(stdout, weir_pipeline_operator(p, weir_pipeline_source(p, source).op).name);
    printf(", \"outcome\": \"%s\"", outcomes[a->outcome]);
    if (a->outcome == WEIR_MARGIN_EXACT)
        printf(", \"period\": %s", weir_time_format(p, a->period, number));
    if (a->outcome == WEIR_MARGIN_BRACKET) {
        printf(", \"lower\": %s", weir_time_format(p, a->lower, number));
        printf(", \"upper\": %s", a->upper >= 0 ? weir_time_format(p, a->upper, number) : "null");
    }
    if (a->pair != UINT32_MAX)
        print_json_pair(p, a->pair);
    printf(", \"searches\": %llu}", (unsigned long long)a->searches);
}

static enum weir_exit write_paced(const struct settings *s, const struct weir_pipeline *paced, uint32_t source, int64_t period)
{
    struct weir_error error = {0};
    struct weir_pipeline *copy = weir_pipeline_copy(paced, &error);
    struct weir_source_spec spec = weir_pipeline_source(paced, source);
    spec.period = period;
    enum weir_exit result = WEIR_EXIT_INTERNAL;
    if (copy && weir_pipeline_change_source(copy, source, &spec, &error) == WEIR_OK &&
        weir_pipeline_seal(copy, NULL, NULL) == WEIR_OK)
        result = weir_explore_write_model(&s->common, copy);
    weir_pipeline_free(copy);
    return result;
}

/* One source; `first`: nothing is printed yet. */
static enum weir_exit pace_one(const struct settings *s, const struct weir_pipeline *paced, uint32_t source, bool first)
{
    struct weir_progress progress = {.what = weir_model_title(paced, s->common.path)};
    struct weir_margins_options options = {.work_limit = s->limit, .progress = weir_progress_show, .context = &progress};
    struct weir_pacing answer;
    struct weir_error error = {0};
    options.stop = weir_interrupts_begin();
    enum weir_status status = weir_pacing_find(paced, source, &options, &answer, &error);
    weir_interrupts_end();
    weir_progress_end(&progress);
    if (status)
        return weir_complain_error(s->common.path, &error);
    if (s->common.json) {
        if (!first)
            fputc(',', stdout);
        print_pacing_json(paced, source, &answer);
    } else {
        print_pacing(paced, source, &answer);
    }
    enum weir_exit result = exit_of(answer.outcome);
    if (s->common.out && answer.outcome == WEIR_MARGIN_EXACT)
        result = weir_exit_worse(result, write_paced(s, paced, source, answer.period));
    return result;
}

static bool chosen(const struct settings *s, const struct weir_pipeline *paced, uint32_t source)
{
    return !s->source || strcmp(weir_pipeline_operator(paced, weir_pipeline_source(paced, source).op).name, s->source) == 0;
}

static enum weir_exit pace(const struct settings *s, const struct weir_pipeline *model)
{
    const struct weir_style *style = weir_style_of(stdout);
    struct weir_pipeline *paced;
    enum weir_exit result = with_sources(s, model, &paced);
    if (result != WEIR_EXIT_OK)
        return result;
    uint32_t count = weir_pipeline_source_count(paced), done = 0;
    bool several = !s->source && count > 1;
    if (several && weir_pipeline_source_count(model) < count)
        result = weir_complain_usage(&weir_verb_explore, "several operators begin the model; say which one with --source");
    else if (several && s->common.out)
        result = weir_complain_usage(&weir_verb_explore, "-o needs --source where there are several sources");
    if (result == WEIR_EXIT_OK && s->common.json) {
        print_json_head(model, s->common.path);
        fputs("  \"periods\": [", stdout);
    } else if (result == WEIR_EXIT_OK) {
        printf("%s%s%s   the shortest period with every deadline kept\n", style->bold, weir_model_title(model, s->common.path),
               style->plain);
    }
    for (uint32_t i = 0; i < count && result != WEIR_EXIT_USAGE && result != WEIR_EXIT_INPUT; i++)
        if (chosen(s, paced, i))
            result = weir_exit_worse(result, pace_one(s, paced, i, done++ == 0));
    if (s->common.json && result != WEIR_EXIT_USAGE)
        fputs("\n  ]\n}\n", stdout);
    weir_pipeline_free(paced);
    return result;
}

static enum weir_exit run_period(struct weir_arguments *arguments)
{
    struct settings s = {.limit = 0};
    bool asked;
    const struct weir_option options[] = {
        WEIR_EXPLORE_OUTPUT(s.common),
        WEIR_EXPLORE_JSON(s.common),
        {.name = "assign-period", .kind = WEIR_OPTION_FLAG, .value = &asked},
        {.name = "source", .kind = WEIR_OPTION_TEXT, .value = &s.source},
        {.name = "limit", .kind = WEIR_OPTION_NUMBER, .value = &s.limit, .low = 1, .high = UINT64_MAX - 1},
    };
    struct weir_pipeline *model = NULL;
    enum weir_exit result = WEIR_EXIT_USAGE;
    if (weir_options_parse(arguments, options, sizeof options / sizeof *options))
        result = weir_explore_check(arguments, &s.common);
    if (result == WEIR_EXIT_OK)
        result = weir_model_read(s.common.path, NULL, &model);
    if (result == WEIR_EXIT_OK)
        result = pace(&s, model);
    weir_pipeline_free(model);
    return result;
}

static const char *const period_names[] = {"assign-period", NULL};
const struct weir_explore_mode weir_mode_period = {period_names, period_help, run_period};
