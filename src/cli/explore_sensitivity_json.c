/* SPDX-License-Identifier: Apache-2.0 */
/* What weir explore --sensitivity writes for programs: docs/reference/explore.md. */
#include "explore_sensitivity.h"

#include <string.h>

static const char *const outcomes[] = {"exact", "unbounded", "bracket", "deadlock"};
static const char *const knobs[] = {"worst", "best", "capacity"};

static const char *number_of(const struct weir_pipeline *p, const struct weir_margin *m, int64_t value, char text[WEIR_TIME_TEXT])
{
    if (m->knob != WEIR_KNOB_CAPACITY)
        return weir_time_format(p, value, text);
    if (value < 0)
        return "null";
    snprintf(text, WEIR_TIME_TEXT, "%lld", (long long)value);
    return text;
}

static const char *latency_of(const struct weir_pipeline *p, const struct weir_separation *s, char text[WEIR_TIME_TEXT])
{
    return s->outcome == WEIR_EXACT ? weir_time_format(p, s->value, text) : "null";
}

static void print_target(const struct weir_pipeline *p, const struct weir_margin *m)
{
    if (m->knob != WEIR_KNOB_CAPACITY) {
        fputs("\"operator\": ", stdout);
        weir_print_json_text(stdout, weir_pipeline_operator(p, (struct weir_operator){m->index}).name);
        return;
    }
    struct weir_queue_spec queue = weir_pipeline_queue(p, (struct weir_queue){m->index});
    printf("\"queue\": %u, \"from\": ", m->index);
    weir_print_json_text(stdout, weir_pipeline_operator(p, queue.from).name);
    fputs(", \"to\": ", stdout);
    weir_print_json_text(stdout, weir_pipeline_operator(p, queue.to).name);
}

static void print_margin(const struct weir_pipeline *p, const struct weir_margin *m)
{
    char a[WEIR_TIME_TEXT], b[WEIR_TIME_TEXT];
    printf("\n      {\"number\": \"%s\", ", knobs[m->knob]);
    print_target(p, m);
    printf(", \"now\": %s, \"low\": %s", number_of(p, m, m->now, a), number_of(p, m, m->low, b));
    printf(", \"high\": %s,\n       \"less\": {\"at\": %s", number_of(p, m, m->high, a), number_of(p, m, m->less, b));
    printf(", \"worst\": %s}, \"more\": {\"at\": %s", latency_of(p, &m->at_less, a), number_of(p, m, m->more, b));
    printf(", \"worst\": %s},\n       \"matters\": %s, \"proved\": %s", latency_of(p, &m->at_more, a), m->flat ? "false" : "true",
           m->proved ? "true" : "false");
    if (m->knob == WEIR_KNOB_CAPACITY)
        printf(", \"settled\": %s", m->settled ? "true" : "false");
    if (m->has_limit)
        printf(", \"limit\": %s", m->limit < 0 ? "null" : number_of(p, m, m->limit, a));
    fputs(",\n       \"bends\": [", stdout);
    for (size_t i = 0; i < m->vertex_count; i++) {
        const struct weir_vertex *v = &m->vertices[i];
        printf("%s{\"at\": %s, \"worst\": %s, \"outcome\": \"%s\"", i ? ", " : "", number_of(p, m, v->at, a),
               latency_of(p, &v->latency, b), outcomes[v->latency.outcome]);
        if (i + 1 < m->vertex_count)
            printf(", \"proof\": \"%s\"", weir_proof_name(v->proof));
        fputc('}', stdout);
    }
    fputs("]}", stdout);
}

void weir_sensitivities_print_json(const struct weir_sensitivities *f)
{
    const struct weir_pipeline *p = f->model;
    char text[WEIR_TIME_TEXT];
    bool complete = !f->stopped;
    fputs("{\n  \"weir\": 1,\n  \"model\": ", stdout);
    weir_print_json_text(stdout, f->title);
    printf(",\n  \"unit\": \"%s\",\n  \"sensitivity\": [", weir_unit_name(weir_pipeline_unit(p)));
    for (size_t i = 0; i < f->count; i++) {
        const struct weir_margins *margins = f->margins[i];
        struct weir_pair_spec pair = weir_pipeline_pair(p, margins->pair);
        complete &= margins->complete;
        printf("%s\n    {\"from\": ", i ? "," : "");
        weir_print_json_text(stdout, weir_pipeline_operator(p, pair.from).name);
        fputs(", \"to\": ", stdout);
        weir_print_json_text(stdout, weir_pipeline_operator(p, pair.to).name);
        printf(", \"worst\": %s, \"outcome\": \"%s\"", latency_of(p, &margins->now, text), outcomes[margins->now.outcome]);
        if (pair.has_deadline)
            printf(", \"deadline\": %s", weir_time_format(p, pair.deadline, text));
        fputs(",\n     \"numbers\": [", stdout);
        for (size_t k = 0, printed = 0; k < margins->count; k++)
            if (margins->items[k].vertex_count) {
                fputs(printed++ ? "," : "", stdout);
                print_margin(p, &margins->items[k]);
            }
        fputs("\n     ]}", stdout);
    }
    printf("\n  ],\n  \"complete\": %s\n}\n", complete ? "true" : "false");
}

/* A field with quotes where it needs them. */
static void put_field(FILE *out, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

enum weir_status weir_sensitivities_write_csv(const void *found, FILE *out, struct weir_error *error)
{
    const struct weir_sensitivities *f = found;
    (void)error;
    fputs("from,to,number,of,at,worst,outcome,proof\n", out);
    for (size_t i = 0; i < f->count; i++) {
        const struct weir_margins *margins = f->margins[i];
        struct weir_pair_spec pair = weir_pipeline_pair(f->model, margins->pair);
        for (size_t k = 0; k < margins->count; k++)
            for (size_t v = 0; v < margins->items[k].vertex_count; v++) {
                const struct weir_margin *m = &margins->items[k];
                const struct weir_vertex *vertex = &m->vertices[v];
                char name[WEIR_KNOB_TEXT], at[WEIR_TIME_TEXT], worst[WEIR_TIME_TEXT];
                put_field(out, weir_pipeline_operator(f->model, pair.from).name);
                fputc(',', out);
                put_field(out, weir_pipeline_operator(f->model, pair.to).name);
                fprintf(out, ",%s,", knobs[m->knob]);
                put_field(out, m->knob == WEIR_KNOB_CAPACITY
                                   ? weir_knob_name(f->model, m, name)
                                   : weir_pipeline_operator(f->model, (struct weir_operator){m->index}).name);
                fprintf(out, ",%s,%s,%s,%s\n", number_of(f->model, m, vertex->at, at),
                        vertex->latency.outcome == WEIR_EXACT ? latency_of(f->model, &vertex->latency, worst) : "",
                        outcomes[vertex->latency.outcome], v + 1 < m->vertex_count ? weir_proof_name(vertex->proof) : "");
            }
    }
    return WEIR_OK;
}
