/* SPDX-License-Identifier: Apache-2.0 */
/* The bounds of any engine, as text. */
#include "explore_what_if.h"

#include <string.h>

const char *weir_signed_time(const struct weir_pipeline *pipeline, struct weir_ratio ticks, char text[WEIR_AMOUNT_TEXT])
{
    if (ticks.denominator == 1)
        return weir_time_format(pipeline, ticks.numerator, text);
    if (ticks.numerator >= 0)
        return weir_ratio_time(pipeline, ticks, text);
    text[0] = '-';
    char rest[WEIR_AMOUNT_TEXT];
    ticks.numerator = -ticks.numerator;
    snprintf(text + 1, WEIR_AMOUNT_TEXT - 1, "%s", weir_ratio_time(pipeline, ticks, rest));
    return text;
}

const char *weir_signed_amount(const struct weir_pipeline *pipeline, struct weir_ratio ticks, char text[WEIR_AMOUNT_TEXT])
{
    char number[WEIR_AMOUNT_TEXT];
    enum weir_unit unit = weir_pipeline_unit(pipeline);
    snprintf(text, WEIR_AMOUNT_TEXT, "%.47s%s%s", weir_signed_time(pipeline, ticks, number), unit == WEIR_UNIT_TICK ? "" : " ",
             unit == WEIR_UNIT_TICK ? "" : weir_unit_name(unit));
    return text;
}

const char *weir_verdict_format(const struct weir_pipeline *pipeline, const struct weir_verdict_latency *latency,
                                char text[WEIR_AMOUNT_TEXT])
{
    if (weir_verdict_bounded(latency))
        return weir_signed_amount(pipeline, latency->worst, text);
    return latency->certainty == WEIR_CERTAIN_UNBOUNDED ? "no bound"
           : latency->certainty == WEIR_CERTAIN_NONE    ? "none"
                                                        : "not known";
}

const char *weir_verdict_number(const struct weir_pipeline *pipeline, const struct weir_verdict_latency *latency,
                                const char *nothing, char text[WEIR_AMOUNT_TEXT])
{
    return weir_verdict_bounded(latency) ? weir_signed_time(pipeline, latency->worst, text) : nothing;
}

void weir_verdicts_print_json(const struct weir_verdicts *verdicts, const char *key)
{
    char number[WEIR_AMOUNT_TEXT];
    printf("  \"%s\": [", key);
    for (size_t i = 0; i < verdicts->latency_count; i++) {
        const struct weir_verdict_latency *l = &verdicts->latencies[i];
        printf("%s\n    {\"from\": ", i ? "," : "");
        weir_print_json_text(stdout, weir_pipeline_operator(verdicts->pipeline, l->pair.from).name);
        fputs(", \"to\": ", stdout);
        weir_print_json_text(stdout, weir_pipeline_operator(verdicts->pipeline, l->pair.to).name);
        printf(", \"worst\": %s, \"met\": %s}", weir_verdict_number(verdicts->pipeline, l, "null", number),
               l->met ? "true" : "false");
    }
    printf("\n  ]");
}

const char *weir_verdict_title(const struct weir_pipeline *pipeline, const struct weir_verdict_latency *latency, char *text,
                               size_t size)
{
    if (latency->whole)
        return "all of it";
    snprintf(text, size, "%.100s -> %.100s", weir_pipeline_operator(pipeline, latency->pair.from).name,
             weir_pipeline_operator(pipeline, latency->pair.to).name);
    return text;
}

static bool same_name(const struct weir_pipeline *a, struct weir_operator x, const struct weir_pipeline *b, struct weir_operator y)
{
    return strcmp(weir_pipeline_operator(a, x).name, weir_pipeline_operator(b, y).name) == 0;
}

/* Of several between the same operators the one that counts the same iterations, or else the first. */
const struct weir_verdict_latency *weir_verdict_same(const struct weir_verdicts *in, const struct weir_pipeline *pipeline,
                                                     const struct weir_verdict_latency *latency)
{
    const struct weir_verdict_latency *found = NULL;
    for (size_t i = 0; i < in->latency_count; i++) {
        const struct weir_verdict_latency *l = &in->latencies[i];
        if (l->whole && latency->whole)
            return l;
        if (l->whole || latency->whole || !same_name(in->pipeline, l->pair.from, pipeline, latency->pair.from) ||
            !same_name(in->pipeline, l->pair.to, pipeline, latency->pair.to))
            continue;
        if (l->pair.has_shift == latency->pair.has_shift && l->pair.shift == latency->pair.shift)
            return l;
        found = found ? found : l;
    }
    return found;
}
