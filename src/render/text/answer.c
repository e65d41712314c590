/* SPDX-License-Identifier: Apache-2.0 */
/* Any answer for people: verdict, bounds, facts, how the worst case happens, tables, what can help, what is assumed. */
#include "answer/answer.h"
#include "base/error.h"
#include "base/number.h"
#include "render/text/text.h"

#include <stdlib.h>
#include <string.h>

enum { BOUNDS_MAX = 12, NAMES_MAX = 6, NAMES_TOLD = 12, CELLS = 4, CELL_ROOM = 2 * WEIR_NUMBER_TEXT + 32 };

struct row {
    const struct weir_bound *bound;
    char *name;
    char cells[CELLS][CELL_ROOM];
};

struct sheet {
    const struct weir_answer *answer;
    struct weir_text text;
    const struct weir_bound **order; /* the most urgent first */
    struct row *rows;
    const char *told; /* the reason that stands in the first line; NULL: none */
    enum weir_status *status;
};

static bool known(struct weir_ratio end)
{
    return end.denominator > 0;
}

static const char *amount(const struct sheet *sheet, struct weir_ratio ticks, char buffer[WEIR_NUMBER_TEXT])
{
    return weir_quantity_amount(sheet->answer->pipeline, ticks, buffer);
}

/* ... rounded down: of what is at least so much. */
static const char *amount_down(const struct sheet *sheet, struct weir_ratio ticks, char buffer[WEIR_NUMBER_TEXT])
{
    return weir_quantity_floor(sheet->answer->pipeline, ticks, buffer);
}

/* high - whole, rounded up. */
static struct weir_ratio above(struct weir_ratio high, int64_t whole)
{
    return weir_ratio_above(high, whole);
}

static void describe_chain(const struct sheet *sheet, const struct weir_bound *bound, char *name, size_t room)
{
    if (bound->whole)
        snprintf(name, room, "the whole");
    else
        snprintf(name, room, "%s -> %s", weir_answer_name(sheet->answer, bound->chain.from),
                 weir_answer_name(sheet->answer, bound->chain.to));
}

/* ---- one bound ---- */

/* "worst 12 us", "at most 12 us", "worst 10 to 12 us", "no bound"; words for the exact and for the safe case. */
static void describe(const struct sheet *sheet, const struct weir_quantity *q, const char *exact, const char *safe, char *cell)
{
    char text[WEIR_RANGE_TEXT];
    const char *quantity = weir_quantity_format(sheet->answer->pipeline, q, text);
    cell[0] = 0;
    if (q->claim == WEIR_CLAIM_UNKNOWN)
        snprintf(cell, CELL_ROOM, "no bound found");
    else if (q->claim == WEIR_CLAIM_UNSAFE)
        snprintf(cell, CELL_ROOM, "%s %s, which can be exceeded", exact, quantity);
    else if (q->claim != WEIR_CLAIM_NONE)
        snprintf(cell, CELL_ROOM, "%s %s", q->claim == WEIR_CLAIM_SAFE ? safe : exact, quantity);
}

static void fill_row(const struct sheet *sheet, struct row *row, const struct weir_bound *bound)
{
    char text[WEIR_NUMBER_TEXT];
    int64_t jitter;
    row->bound = bound;
    describe_chain(sheet, bound, row->name,
                   strlen(weir_answer_name(sheet->answer, bound->chain.from)) +
                       strlen(weir_answer_name(sheet->answer, bound->chain.to)) + 16);
    if (bound->worst.claim == WEIR_CLAIM_NONE)
        snprintf(row->cells[0], CELL_ROOM, "worst never");
    else
        describe(sheet, &bound->worst, "worst", "at most", row->cells[0]);
    describe(sheet, &bound->best, "best", "at least", row->cells[1]);
    if (bound->worst.claim == WEIR_CLAIM_EXACT && bound->best.claim == WEIR_CLAIM_EXACT &&
        !__builtin_sub_overflow(bound->worst.high.numerator, bound->best.low.numerator, &jitter))
        snprintf(row->cells[2], CELL_ROOM, "jitter %s", amount(sheet, (struct weir_ratio){jitter, 1}, text));
    describe(sheet, &bound->gap, "gap", "gap at most", row->cells[3]);
}

static void print_deadline(const struct sheet *sheet, const struct weir_bound *bound, size_t indent)
{
    const struct weir_style *style = sheet->text.style;
    const struct weir_quantity *worst = &bound->worst;
    char deadline[WEIR_NUMBER_TEXT], by[WEIR_NUMBER_TEXT];
    FILE *out = sheet->text.out;
    fprintf(out, "  %*s   deadline %s: ", (int)indent, "", weir_amount_format(sheet->answer->pipeline, bound->deadline, deadline));
    switch (bound->state) {
    case WEIR_DEADLINE_NONE:
        break;
    case WEIR_DEADLINE_MET:
        fprintf(out, "%smet%s", style->good, style->plain);
        if (known(worst->high))
            fprintf(out, ", %s to spare", weir_slack_amount(sheet->answer->pipeline, bound->deadline, worst->high, by));
        break;
    case WEIR_DEADLINE_NOT_PROVED:
        fprintf(out, "%snot proved%s: the bound is %s above it", style->bad, style->plain,
                amount(sheet, above(worst->high, bound->deadline), by));
        break;
    case WEIR_DEADLINE_NOT_DECIDED:
        fprintf(out, "%snot decided%s", style->bad, style->plain);
        break;
    case WEIR_DEADLINE_MISSED:
        fprintf(out, "%sMISSED%s", style->bad, style->plain);
        if (known(worst->low))
            fprintf(out, " by %s%s", worst->claim == WEIR_CLAIM_EXACT ? "" : "at least ",
                    amount_down(sheet, above(worst->low, bound->deadline), by));
    }
    fputc('\n', out);
}

static void print_terms(const struct sheet *sheet, const struct weir_bound *bound, size_t indent)
{
    char time[WEIR_NUMBER_TEXT];
    for (size_t i = 0; i < bound->term_count; i++)
        fprintf(sheet->text.out, "  %*s   %s %s\n", (int)indent, "", amount(sheet, bound->terms[i].time, time),
                bound->terms[i].text);
}

/* What the worst case is known to reach at least, and how far the bound lies above it. */
static void print_lower(const struct sheet *sheet, const struct weir_bound *bound, size_t indent)
{
    const struct weir_quantity *worst = &bound->worst;
    char text[WEIR_NUMBER_TEXT];
    bool stated = worst->claim == WEIR_CLAIM_SAFE || worst->claim == WEIR_CLAIM_UNSAFE;
    if (!stated || !known(worst->low) || !known(worst->high))
        return;
    int order = weir_ratio_compare(worst->high, worst->low);
    double high = (double)worst->high.numerator / (double)worst->high.denominator;
    double low = (double)worst->low.numerator / (double)worst->low.denominator, hundredths = 10000 * (high / low - 1);
    fprintf(sheet->text.out, "  %*s   lower bound %s", (int)indent, "", amount_down(sheet, worst->low, text));
    if (order <= 0)
        fputs(order ? ": no plan can keep a smaller number" : ": no smaller bound is possible", sheet->text.out);
    else if (low > 0 && high / low < 1e12)
        fprintf(sheet->text.out, ": %s is within %.2f %% of it", worst->claim == WEIR_CLAIM_SAFE ? "the bound" : "the number",
                (double)((int64_t)hundredths + ((double)(int64_t)hundredths < hundredths)) / 100);
    fputc('\n', sheet->text.out);
}

static void print_rows(const struct sheet *sheet, size_t count)
{
    size_t name_width = 0, widths[CELLS] = {0};
    FILE *out = sheet->text.out;
    for (size_t i = 0; i < count; i++) {
        size_t width = weir_text_columns(sheet->rows[i].name);
        name_width = width > name_width && width <= 60 ? width : name_width;
        for (int c = 0; c < CELLS; c++)
            widths[c] = strlen(sheet->rows[i].cells[c]) > widths[c] ? strlen(sheet->rows[i].cells[c]) : widths[c];
    }
    for (size_t i = 0; i < count; i++) {
        const struct row *row = &sheet->rows[i];
        size_t used = weir_text_columns(row->name), pending = used < name_width ? name_width - used : 0;
        fprintf(out, "  %s", row->name);
        for (int c = 0; c < CELLS; c++) {
            if (row->cells[c][0])
                fprintf(out, "%*s   %s", (int)pending, "", row->cells[c]);
            pending = row->cells[c][0] ? widths[c] - strlen(row->cells[c]) : widths[c] ? pending + widths[c] + 3 : pending;
        }
        fprintf(out, "%s%s\n", row->bound->since ? "   from " : "", row->bound->since ? row->bound->since : "");
        print_terms(sheet, row->bound, name_width);
        print_lower(sheet, row->bound, name_width);
        if (row->bound->has_deadline)
            print_deadline(sheet, row->bound, name_width);
        if (row->bound->why && !(sheet->told && strcmp(sheet->told, row->bound->why) == 0))
            weir_text_words(&sheet->text, row->bound->why, name_width + 5);
    }
}

/* ---- the first line ---- */

static void print_dominant(const struct sheet *sheet, const struct weir_bound *bound)
{
    struct weir_critical_path critical;
    struct weir_operator op;
    int64_t time;
    char text[WEIR_NUMBER_TEXT];
    if (!bound->witness)
        return;
    enum weir_status status = weir_critical_path_make(sheet->answer->pipeline, bound->witness, false, &critical);
    if (status == WEIR_OVERFLOW)
        return;
    if (!status)
        status = weir_critical_path_dominant(sheet->answer->pipeline, &critical, &op, &time);
    if (status)
        *sheet->status = status;
    else if (time)
        fprintf(sheet->text.out, ", %s of it in %s", weir_amount_format(sheet->answer->pipeline, time, text),
                weir_answer_name(sheet->answer, op));
    weir_critical_path_free(&critical);
}

static void print_missed(const struct sheet *sheet, const struct weir_bound *bound, const char *name)
{
    const struct weir_style *style = sheet->text.style;
    char by[WEIR_NUMBER_TEXT], end[WEIR_NUMBER_TEXT];
    bool exact = bound->worst.claim == WEIR_CLAIM_EXACT;
    fprintf(sheet->text.out, "%sDEADLINE MISSED%s by %s%s: %s %s %s%s", style->bad, style->plain, exact ? "" : "at least ",
            amount_down(sheet, above(bound->worst.low, bound->deadline), by), name, exact ? "takes up to" : "can take",
            amount_down(sheet, bound->worst.low, end), exact ? "" : " or more");
    print_dominant(sheet, bound);
}

/* What is wrong with the most urgent bound; false where nothing is. */
static bool print_bad_news(struct sheet *sheet, const char *name)
{
    const struct weir_bound *bound = sheet->order[0];
    const struct weir_style *style = sheet->text.style;
    FILE *out = sheet->text.out;
    char by[WEIR_NUMBER_TEXT], end[WEIR_NUMBER_TEXT], range[CELL_ROOM];
    sheet->told = bound->why;
    if (bound->worst.claim == WEIR_CLAIM_UNBOUNDED)
        fprintf(out, "%sNO BOUND%s: %s: %s", style->bad, style->plain, name, bound->why ? bound->why : "it grows without bound");
    else if (bound->state == WEIR_DEADLINE_MISSED)
        print_missed(sheet, bound, name);
    else if (bound->state == WEIR_DEADLINE_NOT_PROVED)
        fprintf(out, "%sDEADLINE NOT PROVED%s: %s is bounded by %s, %s above it", style->bad, style->plain, name,
                amount(sheet, bound->worst.high, end), amount(sheet, above(bound->worst.high, bound->deadline), by));
    else if (bound->worst.claim == WEIR_CLAIM_UNKNOWN)
        fprintf(out, "%sNO BOUND FOUND%s: %s: %s", style->bad, style->plain, name, bound->why ? bound->why : "none is known");
    else if (bound->state == WEIR_DEADLINE_NOT_DECIDED || weir_bound_verdict(bound) == WEIR_VERDICT_OPEN) {
        describe(sheet, &bound->worst, "worst", "at most", range);
        fprintf(out, "%s%s%s: %s: %s", style->bad, bound->worst.claim == WEIR_CLAIM_UNSAFE ? "NOT DECIDED" : "LIMIT REACHED",
                style->plain, name, range);
        sheet->told = NULL;
    } else {
        sheet->told = NULL;
        return false;
    }
    return true;
}

static void print_first_line(struct sheet *sheet, const char *title)
{
    const struct weir_answer *answer = sheet->answer;
    const struct weir_style *style = sheet->text.style;
    FILE *out = sheet->text.out;
    size_t deadlines = 0;
    for (size_t i = 0; i < answer->bound_count; i++)
        deadlines += answer->bounds[i].has_deadline;
    fprintf(out, "%s%s%s: ", style->bold, title, style->plain);
    bool bad = true;
    enum weir_verdict of_bounds = answer->bound_count ? weir_bound_verdict(sheet->order[0]) : WEIR_VERDICT_GOOD;
    if (answer->trouble && answer->trouble_verdict >= of_bounds) {
        size_t word = strcspn(answer->trouble, ":");
        fprintf(out, "%s%.*s%s%s", style->bad, (int)word, answer->trouble, style->plain, answer->trouble + word);
        sheet->told = answer->trouble + word + strspn(answer->trouble + word, ": ");
    } else {
        bad = answer->bound_count && print_bad_news(sheet, sheet->rows[answer->bound_count].name);
    }
    if (bad)
        fputs("\n  ", out);
    else if (deadlines)
        fprintf(out, "%s%s met%s, ", style->good, deadlines == 1 ? "deadline" : "all deadlines", style->plain);
    const char *scope = answer->scope ? answer->scope : answer->engine->name;
    if (answer->bounds)
        fprintf(out, "%s\n", scope);
    else /* what a search found */
        fprintf(out, "%s%s%s\n", weir_answer_verdict(answer) == WEIR_VERDICT_GOOD ? style->good : style->bad, scope, style->plain);
    if (answer->bounds || answer->lines.count)
        fputc('\n', out);
}

/* ---- throughput ---- */

static struct weir_datum member(const struct weir_datum *record, const char *key)
{
    for (size_t i = 0; i < record->field_count; i++)
        if (strcmp(record->is.fields[i].key, key) == 0)
            return record->is.fields[i].value;
    return (struct weir_datum){.kind = WEIR_DATUM_ABSENT};
}

/* How often that is in a second, rounded down. */
static void print_rate(const struct sheet *sheet, struct weir_ratio period)
{
    double seconds = weir_ratio_seconds(sheet->answer->pipeline, period), rate = 1 / seconds;
    FILE *out = sheet->text.out;
    if (weir_pipeline_unit(sheet->answer->pipeline) == WEIR_UNIT_TICK)
        return;
    if (rate >= 1e15 || rate < 1)
        fprintf(out, " (%.3g per second)", rate);
    else if (rate >= 100)
        fprintf(out, " (%lld per second)", (long long)rate);
    else
        fprintf(out, " (%.2f per second)", (double)(long long)(rate * 100) / 100);
}

static void print_throughput(const struct sheet *sheet)
{
    struct weir_datum throughput = weir_answer_fact(sheet->answer, "throughput");
    struct weir_datum period = member(&throughput, "period"), bottleneck = member(&throughput, "bottleneck");
    struct weir_datum limit = member(&throughput, "limited_by");
    FILE *out = sheet->text.out;
    char text[WEIR_NUMBER_TEXT];
    if (throughput.kind == WEIR_DATUM_ABSENT)
        return;
    if (period.kind != WEIR_DATUM_TIME || period.is.ratio.numerator <= 0) {
        fputs("  nothing limits the throughput\n", out);
        return;
    }
    fprintf(out, "  one frame every %s is guaranteed", amount(sheet, period.is.ratio, text));
    print_rate(sheet, period.is.ratio);
    size_t names = bottleneck.field_count;
    char many[512];
    if (names)
        fputs(names > 1                              ? "\n  bottleneck: the loop of "
              : strcmp(limit.is.text, "period") == 0 ? "; bottleneck: the period of "
                                                     : "; bottleneck: ",
              out);
    size_t shown = sheet->text.full || names <= NAMES_MAX ? names : names <= NAMES_TOLD ? NAMES_MAX : 0;
    for (size_t i = 0; i < shown; i++)
        fprintf(out, "%s%s", i ? ", " : "", bottleneck.is.fields[i].value.is.text);
    if (shown < names && shown)
        fprintf(out, " and %zu more", names - shown);
    else if (shown < names)
        fputs(weir_text_many(sheet->answer->pipeline, &bottleneck, many, sizeof many), out);
    fputc('\n', out);
}

/* ---- all of it ---- */

static int by_urgency(const void *left, const void *right)
{
    const struct weir_bound *const *a = left, *const *b = right;
    int order = weir_bound_compare(*a, *b);
    return order ? order : *a < *b ? -1 : *a > *b; /* they lie in one array: the order of the model */
}

static int by_place(const void *left, const void *right)
{
    const struct row *a = left, *b = right;
    return a->bound < b->bound ? -1 : a->bound > b->bound;
}

/* The most urgent ones when there are many; in the order of the model. */
static void print_bounds(struct sheet *sheet)
{
    size_t count = sheet->answer->bound_count, shown = !sheet->text.full && count > BOUNDS_MAX ? BOUNDS_MAX : count;
    qsort(sheet->rows, shown, sizeof *sheet->rows, by_place);
    print_rows(sheet, shown);
    if (shown < count)
        fprintf(sheet->text.out, "  ... and %zu more, none of them worse (--full lists all)\n", count - shown);
}

static bool make_rows(struct sheet *sheet)
{
    const struct weir_answer *answer = sheet->answer;
    size_t count = answer->bound_count;
    sheet->order = weir_array(count, sizeof(struct weir_bound *));
    sheet->rows = weir_array_zeroed(count + 1, sizeof *sheet->rows);
    if (!sheet->order || !sheet->rows)
        return false;
    for (size_t i = 0; i < count; i++)
        sheet->order[i] = &answer->bounds[i];
    if (count)
        qsort(sheet->order, count, sizeof(struct weir_bound *), by_urgency);
    for (size_t i = 0; i <= count && count; i++) { /* the one behind the last is that of the first line */
        const struct weir_bound *bound = sheet->order[i < count ? i : 0];
        size_t room = strlen(weir_answer_name(answer, bound->chain.from)) + strlen(weir_answer_name(answer, bound->chain.to)) + 16;
        sheet->rows[i].name = weir_array(room, 1);
        if (!sheet->rows[i].name)
            return false;
        fill_row(sheet, &sheet->rows[i], bound);
    }
    return true;
}

static void free_rows(struct sheet *sheet)
{
    for (size_t i = 0; sheet->rows && i <= sheet->answer->bound_count; i++)
        weir_free(sheet->rows[i].name);
    weir_free(sheet->rows);
    weir_free(sheet->order);
}

static void print_rest(const struct sheet *sheet)
{
    const struct weir_answer *answer = sheet->answer;
    const char *const *lines = answer->lines.items, *const *remedies = answer->remedies.items;
    const char *const *notes = answer->notes.items;
    const struct weir_style *style = sheet->text.style;
    bool told = false, verified = answer->bound_count > 0;
    print_throughput(sheet);
    for (size_t i = 0; i < answer->lines.count; i++)
        fprintf(sheet->text.out, *lines[i] ? "  %s\n" : "%s\n", lines[i]);
    for (size_t i = 0; i < answer->bound_count; i++)
        verified &= answer->bounds[i].verified;
    if (verified)
        fprintf(sheet->text.out, "  verified: %s\n",
                answer->bounds[0].witness ? "witness replays to the bound, certificate checked" : "the certificate was checked");
    for (size_t i = 0; i < answer->bound_count && (sheet->text.full || !told); i++)
        if (sheet->order[i]->witness) {
            enum weir_status status = weir_text_path(&sheet->text, sheet->order[i]);
            *sheet->status = status ? status : *sheet->status;
            told = true;
        }
    for (size_t i = 0; i < answer->tables.count; i++)
        weir_text_table(&sheet->text, weir_answer_table(answer, i));
    if (answer->remedies.count)
        fprintf(sheet->text.out, "\n%sWhat can help%s\n", style->bold, style->plain);
    for (size_t i = 0; i < answer->remedies.count; i++)
        fprintf(sheet->text.out, "  %s\n", remedies[i]);
    for (size_t i = 0; i < answer->notes.count; i++) {
        fputc('\n', sheet->text.out);
        weir_text_words(&sheet->text, notes[i], 0);
    }
    if (answer->assumes)
        fprintf(sheet->text.out, "\n%sAssumes %s.%s\n", style->dim, answer->assumes, style->plain);
}

enum weir_status weir_answer_write_text(const struct weir_answer *answer, const struct weir_text_options *options, FILE *out,
                                        struct weir_error *error)
{
    static const struct weir_text_options defaults;
    const struct weir_text_options *o = options ? options : &defaults;
    const char *name = weir_pipeline_name(answer->pipeline), *own = answer->title ? answer->title : name ? name : "the model";
    const char *title = o->title ? o->title : own;
    enum weir_status status = WEIR_OK;
    struct sheet sheet = {.answer = answer,
                          .status = &status,
                          .text = {.out = out,
                                   .pipeline = answer->pipeline,
                                   .full = o->full,
                                   .columns = o->columns,
                                   .style = o->color ? &weir_style_color : &weir_style_none}};
    if (answer->bound_count && answer->bounds[0].observed) {
        weir_text_simulation(&sheet.text, answer, title);
    } else if (make_rows(&sheet)) {
        print_first_line(&sheet, title);
        print_bounds(&sheet);
        print_rest(&sheet);
    } else {
        status = WEIR_MEMORY;
    }
    if (status)
        weir_fail_memory(error);
    else
        status = weir_written(out, "the answer", error);
    free_rows(&sheet);
    return status;
}
