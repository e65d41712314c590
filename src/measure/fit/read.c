/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of block,samples,ns[,weight]. Empty lines and those that begin with # do not count; a first line of just these words is a
 * heading; a name with a comma in it stands in double quotes, a quote within it twice. */
#include "base/utf8.h"
#include "measure/fit/fit.h"

#include <string.h>

/* ---- numbers ---- */

static bool parse_number(const char *text, double *number)
{
    struct weir_decimal decimal;
    if (weir_decimal_parse(text, &decimal) != WEIR_DECIMAL_OK || decimal.has_unit)
        return false;
    *number = (double)decimal.mantissa;
    int exponent = decimal.exponent;
    for (; exponent > 0 && *number > 0 && *number <= WEIR_FIT_NUMBER_MAX; exponent--)
        *number *= 10;
    double divisor = 1; /* exact up to 10^22, so that what people write is rounded once */
    for (; exponent < 0 && divisor < 1e300; exponent++)
        divisor *= 10;
    *number /= divisor;
    return *number >= 0 && *number <= WEIR_FIT_NUMBER_MAX;
}

bool weir_fit_parse_samples(const char *text, int64_t *samples)
{
    struct weir_decimal decimal;
    if (weir_decimal_parse(text, &decimal) != WEIR_DECIMAL_OK || decimal.has_unit ||
        !weir_decimal_ticks(&decimal, WEIR_UNIT_TICK, 0, samples))
        return false;
    return *samples >= 1 && *samples <= WEIR_FIT_SAMPLES_MAX;
}

bool weir_fit_parse_ns(const char *text, double *ns)
{
    return parse_number(text, ns);
}

bool weir_fit_parse_weight(const char *text, double *weight)
{
    return parse_number(text, weight) && *weight > 0;
}

/* ---- rows ---- */

void weir_fit_rows_add(struct weir_fit_rows *r, const char *block, const struct weir_fit_sample *sample)
{
    const char *last = r->count ? r->rows[r->count - 1].block : NULL;
    void *rows = r->rows;
    if (last && strcmp(last, block) == 0)
        block = last;
    else
        block = weir_arena_text(&r->draft->arena, block);
    if (!block || !weir_reserve(&rows, &r->capacity, r->count + 1, sizeof *r->rows)) {
        r->draft->out_of_memory = true;
        return;
    }
    r->rows = rows;
    r->rows[r->count] = (struct weir_fit_row){block, r->count, *sample};
    r->count++;
}

/* ---- lines ---- */

enum { FIELDS = 4 };

/* A line in a buffer of its own, cut into fields. */
struct record {
    struct weir_fit_rows *rows;
    uint32_t line;
    char *fields[FIELDS];
    uint32_t columns[FIELDS];
    size_t count; /* of fields, more than FIELDS included */
    bool seen;    /* something has been read: no heading any more */
};

static uint32_t column_of(const char *line, const char *at)
{
    uint32_t column = 1;
    for (; line < at; line++)
        column += weir_utf8_begins(*line);
    return column;
}

static void complain(const struct record *r, size_t field, const char *expected)
{
    char quoted[WEIR_QUOTED];
    weir_draft_mistake(r->rows->draft, (struct weir_place){r->line, r->columns[field]}, "expected %s, not \"%s\"", expected,
                       weir_quote(r->fields[field], quoted));
}

/* Behind the text of a field, at its closing quote where it has quotes; or the end of the line. */
static char *field_end(char *field)
{
    if (*field != '"')
        return field + strcspn(field, ",");
    char *end = field + 1;
    while (*end && (*end != '"' || end[1] == '"'))
        end += 1 + (*end == '"');
    return end;
}

/* Makes the text from field to end a string of its own. */
static char *field_text(char *field, char *end)
{
    if (*field != '"') {
        while (end > field && (end[-1] == ' ' || end[-1] == '\t'))
            end--;
        *end = 0;
        return field;
    }
    char *to = ++field;
    for (char *from = field; from < end; from++) {
        from += *from == '"';
        *to++ = *from;
    }
    *to = 0;
    return field;
}

/* Reports what is wrong; false then. */
static bool cut(struct record *r, char *line)
{
    char *ends[FIELDS];
    r->count = 0;
    for (char *rest = line; rest; r->count++) {
        char *field = rest + strspn(rest, " \t"), *end = field_end(field);
        struct weir_place place = {r->line, column_of(line, field)};
        if (r->count < FIELDS) {
            r->fields[r->count] = field;
            r->columns[r->count] = place.column;
            ends[r->count] = end;
        }
        if (*field == '"' && !*end) {
            weir_draft_mistake(r->rows->draft, place, "this quote is not closed");
            return false;
        }
        rest = *field == '"' ? end + 1 + strspn(end + 1, " \t") : end;
        if (*rest && *rest != ',') {
            weir_draft_mistake(r->rows->draft, place, "something follows a name in quotes");
            return false;
        }
        rest = *rest ? rest + 1 : NULL;
    }
    for (size_t i = 0; i < r->count && i < FIELDS; i++)
        r->fields[i] = field_text(r->fields[i], ends[i]);
    return true;
}

static bool is_heading(const struct record *r)
{
    static const char *const words[FIELDS] = {"block", "samples", "ns", "weight"};
    for (size_t i = 0; i < r->count && i < FIELDS; i++)
        if (strcmp(r->fields[i], words[i]) != 0)
            return false;
    return !r->seen && (r->count == 3 || r->count == 4);
}

static void take_record(struct record *r)
{
    struct weir_fit_sample sample = {.weight = 1};
    if (r->count < 3 || r->count > FIELDS) {
        weir_draft_mistake(r->rows->draft, (struct weir_place){r->line, 1},
                           "expected block,samples,ns or block,samples,ns,weight, but found %zu %s", r->count,
                           r->count == 1 ? "field" : "fields");
        return;
    }
    size_t mistakes = r->rows->draft->mistakes;
    if (!*r->fields[0])
        weir_draft_mistake(r->rows->draft, (struct weir_place){r->line, r->columns[0]}, "a block needs a name");
    if (!weir_fit_parse_samples(r->fields[1], &sample.samples))
        complain(r, 1, "a whole number of samples, from 1 on");
    if (!weir_fit_parse_ns(r->fields[2], &sample.ns))
        complain(r, 2, "a number of nanoseconds");
    if (r->count == 4 && !weir_fit_parse_weight(r->fields[3], &sample.weight))
        complain(r, 3, "a weight above 0: how many executions this is the mean of");
    if (mistakes == r->rows->draft->mistakes)
        weir_fit_rows_add(r->rows, r->fields[0], &sample);
}

static void read_line(struct record *r, char *line)
{
    size_t blank = strspn(line, " \t");
    if (!line[blank] || line[blank] == '#' || !cut(r, line))
        return;
    if (!is_heading(r))
        take_record(r);
    r->seen = true;
}

void weir_fit_read_lines(struct weir_fit_rows *rows, const struct weir_file_text *text)
{
    struct record r = {.rows = rows};
    void *buffer = NULL;
    size_t capacity = 0;
    for (size_t begin = 0, end; begin < text->size && !rows->draft->out_of_memory; begin = end) {
        for (end = begin; end < text->size && text->bytes[end] != '\n' && text->bytes[end] != '\r'; end++)
            ;
        if (!weir_reserve(&buffer, &capacity, end - begin + 1, 1)) {
            rows->draft->out_of_memory = true;
            break;
        }
        memcpy(buffer, text->bytes + begin, end - begin);
        ((char *)buffer)[end - begin] = 0;
        r.line++;
        read_line(&r, buffer);
        end += end + 1 < text->size && text->bytes[end] == '\r' && text->bytes[end + 1] == '\n';
        end += end < text->size;
    }
    weir_resize(buffer, 0);
}
