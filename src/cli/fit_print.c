/* SPDX-License-Identifier: Apache-2.0 */
/* Fits as a table, as JSON, as CSV, and as costs for a model. */
#include "fit.h"

#include "analyze.h"

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

void weir_fits_print(const struct weir_fits *fits)
{
    const struct weir_style *style = weir_style_of(stdout);
    size_t name = strlen("block"), init = strlen("init ns (95 %)"), slope = strlen("ns per sample (95 %)");
    char a[INTERVAL], b[INTERVAL], above[NUMBER];
    for (size_t i = 0; i < fits->count; i++) {
        const struct weir_fit *f = &fits->fits[i];
        size_t lengths[] = {weir_text_columns(f->block), strlen(format_interval(f->init, f->init_low, f->init_high, a)),
                            strlen(format_interval(f->per_sample, f->per_sample_low, f->per_sample_high, b))};
        name = lengths[0] > name ? lengths[0] : name;
        init = lengths[1] > init ? lengths[1] : init;
        slope = lengths[2] > slope ? lengths[2] : slope;
    }
    name = name > 40 ? 40 : name;
    printf("%s%-*s  %6s  %-*s  %-*s  %6s  %s%s\n", style->bold, (int)name, "block", "count", (int)init, "init ns (95 %)",
           (int)slope, "ns per sample (95 %)", "r2", "above all", style->plain);
    for (size_t i = 0; i < fits->count; i++) {
        const struct weir_fit *f = &fits->fits[i];
        weir_print_padded(f->block, name);
        printf("  %6zu  %-*s  %-*s  %6.4f  ", f->count, (int)init, format_interval(f->init, f->init_low, f->init_high, a),
               (int)slope, format_interval(f->per_sample, f->per_sample_low, f->per_sample_high, b), f->r2);
        printf("%s + ", format_up(f->safe_init, above));
        printf("%s n\n", format_up(f->safe_per_sample, above));
    }
    for (size_t i = 0; i < fits->count; i++)
        if (fits->fits[i].warning)
            printf("%s%s:%s %s\n", style->bad, fits->fits[i].block, style->plain, fits->fits[i].warning);
}

/* ---- for programs ---- */

static void put_number(FILE *out, const char *key, double value)
{
    if (isfinite(value))
        fprintf(out, ", \"%s\": %.17g", key, value);
    else
        fprintf(out, ", \"%s\": null", key);
}

void weir_fits_write_json(const struct weir_fits *fits, FILE *out)
{
    fputs("{\n  \"unit\": \"ns\",\n  \"fits\": [", out);
    for (size_t i = 0; i < fits->count; i++) {
        const struct weir_fit *f = &fits->fits[i];
        fputs(i ? ",\n    {\"block\": " : "\n    {\"block\": ", out);
        weir_print_json_text(out, f->block);
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
            weir_print_json_text(out, f->warning);
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

void weir_fits_write_csv(const struct weir_fits *fits, FILE *out)
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

void weir_fits_write_costs(const struct weir_fits *fits, bool typical, FILE *out)
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
