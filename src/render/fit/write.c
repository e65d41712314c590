/* SPDX-License-Identifier: Apache-2.0 */
/* Fits for people, as JSON, as CSV, and as costs for a model. */
#include "answer/answer.h"
#include "base/error.h"
#include "base/json.h"
#include "render/text/text.h"

#include <math.h> /* isfinite */
#include <string.h>

enum { NUMBER = 32, INTERVAL = 112 };

/* Nanoseconds to four digits, without an exponent. */
static const char *format_ns(double ns, char text[NUMBER])
{
    int digits = ns >= 1000 ? 0 : ns >= 100 ? 1 : ns >= 10 ? 2 : 3;
    snprintf(text, NUMBER, "%.*f", digits, ns);
    return text;
}

static const char *format_interval(double value, double low, double high, char text[INTERVAL])
{
    char v[NUMBER], l[NUMBER], h[NUMBER];
    if (isfinite(high))
        snprintf(text, INTERVAL, "%s (%s to %s)", format_ns(value, v), format_ns(low, l), format_ns(high, h));
    else
        snprintf(text, INTERVAL, "%s (unknown)", format_ns(value, v));
    return text;
}

/* In picoseconds, rounded up. */
static int64_t picoseconds(double ns)
{
    int64_t ps = (int64_t)(ns * 1000);
    while ((double)ps / 1000 < ns)
        ps++;
    return ps;
}

static const char *format_up(double ns, char text[NUMBER])
{
    int64_t ps = picoseconds(ns);
    snprintf(text, NUMBER, "%lld.%03d", (long long)(ps / 1000), (int)(ps % 1000));
    return text;
}

/* ---- for people ---- */

static enum weir_status write_text(const struct weir_fits *fits, FILE *out, struct weir_error *error)
{
    static const struct weir_column columns[] = {
        {NULL, "block"}, {NULL, "count"},    {NULL, "init ns (95 %)"}, {NULL, "ns per sample (95 %)"},
        {NULL, "r2"},    {NULL, "above all"}};
    struct weir_answer answer = {0};
    struct weir_table_builder table;
    struct weir_pipeline *nothing = weir_pipeline_new(error);
    char one[INTERVAL], other[INTERVAL];
    if (!nothing)
        return weir_fail_memory(error);
    weir_table_begin(&table, &answer, NULL, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < fits->count; i++) {
        const struct weir_fit *f = &fits->fits[i];
        weir_table_cell(
            &table, weir_datum_text(f->block), weir_datum_count((int64_t)f->count),
            weir_datum_text(weir_answer_format(&answer, "%s", format_interval(f->init, f->init_low, f->init_high, one))),
            weir_datum_text(
                weir_answer_format(&answer, "%s", format_interval(f->per_sample, f->per_sample_low, f->per_sample_high, one))),
            weir_datum_text(weir_answer_format(&answer, "%.4f", f->r2)),
            weir_datum_text(
                weir_answer_format(&answer, "%s + %s n", format_up(f->safe_init, one), format_up(f->safe_per_sample, other))));
    }
    const char *note = NULL;
    for (size_t i = 0; i < fits->count; i++)
        if (fits->fits[i].warning)
            note = weir_answer_format(&answer, "%s%s%s: %s", note ? note : "", note ? "\n" : "", fits->fits[i].block,
                                      fits->fits[i].warning);
    weir_answer_add_table(&table, "Costs", note);
    struct weir_text text = {.out = out, .pipeline = nothing, .style = &weir_style_none, .full = true};
    if (!answer.out_of_memory)
        fprintf(out, "%zu block%s fitted\n", fits->count, fits->count == 1 ? "" : "s");
    if (!answer.out_of_memory)
        weir_text_table(&text, weir_answer_table(&answer, 0));
    enum weir_status status = answer.out_of_memory ? weir_fail_memory(error) : WEIR_OK;
    weir_free(answer.tables.items);
    weir_arena_free(&answer.arena);
    weir_pipeline_free(nothing);
    return status;
}

/* ---- for programs ---- */

static void put_number(FILE *out, const char *key, double value)
{
    if (isfinite(value))
        fprintf(out, ", \"%s\": %.17g", key, value);
    else
        fprintf(out, ", \"%s\": null", key);
}

static void write_json(const struct weir_fits *fits, FILE *out)
{
    fputs("{\n  \"unit\": \"ns\",\n  \"fits\": [", out);
    for (size_t i = 0; i < fits->count; i++) {
        const struct weir_fit *f = &fits->fits[i];
        fputs(i ? ",\n    {\"block\": " : "\n    {\"block\": ", out);
        weir_json_quote(out, f->block);
        fprintf(out, ", \"observations\": %zu", f->count);
        put_number(out, "init", f->init);
        put_number(out, "init_low", f->init_low);
        put_number(out, "init_high", f->init_high);
        put_number(out, "per_sample", f->per_sample);
        put_number(out, "per_sample_low", f->per_sample_low);
        put_number(out, "per_sample_high", f->per_sample_high);
        put_number(out, "r2", f->r2);
        put_number(out, "safe_init", f->safe_init);
        put_number(out, "safe_per_sample", f->safe_per_sample);
        fprintf(out, ", \"trusted\": %s", f->trusted ? "true" : "false");
        if (f->warning) {
            fputs(", \"warning\": ", out);
            weir_json_quote(out, f->warning);
        }
        fputs("}", out);
    }
    fputs("\n  ]\n}\n", out);
}

static void put_name(FILE *out, const char *name)
{
    if (!strpbrk(name, ",\"") && *name != '#' && *name != ' ' && name[strlen(name) - 1] != ' ') {
        fputs(name, out);
        return;
    }
    putc('"', out);
    for (; *name; name++) {
        if (*name == '"')
            putc('"', out);
        putc(*name, out);
    }
    putc('"', out);
}

static void put_cell(FILE *out, double value)
{
    if (isfinite(value))
        fprintf(out, ",%.17g", value);
    else
        putc(',', out);
}

static void write_csv(const struct weir_fits *fits, FILE *out)
{
    fputs("block,observations,init_ns,init_low_ns,init_high_ns,per_sample_ns,per_sample_low_ns,per_sample_high_ns,r2,"
          "safe_init_ns,safe_per_sample_ns,trusted\n",
          out);
    for (size_t i = 0; i < fits->count; i++) {
        const struct weir_fit *f = &fits->fits[i];
        const double values[] = {f->init, f->init_low,  f->init_high,      f->per_sample, f->per_sample_low, f->per_sample_high,
                                 f->r2,   f->safe_init, f->safe_per_sample};
        put_name(out, f->block);
        fprintf(out, ",%zu", f->count);
        for (size_t j = 0; j < sizeof values / sizeof *values; j++)
            put_cell(out, values[j]);
        fprintf(out, ",%s\n", f->trusted ? "true" : "false");
    }
}

static void write_costs(const struct weir_fits *fits, bool typical, FILE *out)
{
    char text[NUMBER];
    fputs("block,init_ns,per_sample_ns\n", out);
    for (size_t i = 0; i < fits->count; i++) {
        const struct weir_fit *f = &fits->fits[i];
        put_name(out, f->block);
        fprintf(out, ",%s", format_up(typical ? f->init : f->safe_init, text));
        fprintf(out, ",%s\n", format_up(typical ? f->per_sample : f->safe_per_sample, text));
    }
}

enum weir_status weir_fits_write(const struct weir_fits *fits, enum weir_fits_form form, FILE *out, struct weir_error *error)
{
    enum weir_status status = WEIR_OK;
    switch (form) {
    case WEIR_FITS_TEXT:
        status = write_text(fits, out, error);
        break;
    case WEIR_FITS_JSON:
        write_json(fits, out);
        break;
    case WEIR_FITS_CSV:
        write_csv(fits, out);
        break;
    case WEIR_FITS_COSTS:
    case WEIR_FITS_TYPICAL_COSTS:
        write_costs(fits, form == WEIR_FITS_TYPICAL_COSTS, out);
    }
    return status ? status : weir_written(out, "the fits", error);
}
