/* SPDX-License-Identifier: Apache-2.0 */
/* What a sweep found: a table of points, where bounds are best, anomalies; for programs every point; a chart over the first axis.
 */
#include "explore/result.h"
#include "answer/number.h"
#include "base/number.h"
#include "explore/sweep/sweep.h"
#include "model/pipeline.h"

#include <string.h>

enum { ROWS_MAX = 40, COLUMNS_MAX = 10, LATENCIES_MAX = 3, LINES_MAX = 16, ANOMALIES_MAX = 12 };

static const char *const states[] = {
    [WEIR_SWEEP_OPEN] = "open", [WEIR_SWEEP_DONE] = "done", [WEIR_SWEEP_IMPOSSIBLE] = "impossible"};

/* ---- one bound ---- */

/* The bound of a latency at a point, as far as a sweep keeps it; latency_count: the period. */
static struct weir_bound bound_at(const struct weir_sweep *w, size_t point, size_t latency)
{
    struct weir_bound bound = {.whole = w->pipeline->platform == WEIR_PLATFORM_GPU};
    if (latency == w->latency_count) {
        struct weir_ratio period = w->points[point].period;
        bound.worst = period.denominator ? weir_quantity_exact(period) : (struct weir_quantity){.claim = WEIR_CLAIM_NONE};
        return bound;
    }
    const struct weir_sweep_cell *cell = &w->cells[point * w->latency_count + latency];
    bound.worst = (struct weir_quantity){.claim = cell->claim, .high = cell->worst};
    bound.state = cell->state;
    if (bound.whole) {
        bound.has_deadline = w->pipeline->gpu.deadline > 0;
        bound.deadline = w->pipeline->gpu.deadline;
    } else {
        bound.chain = w->pipeline->chains[latency];
        bound.has_deadline = bound.chain.has_deadline;
        bound.deadline = bound.chain.deadline;
    }
    return bound;
}

static const char *title_of(struct weir_answer *answer, const struct weir_sweep *w, size_t latency)
{
    if (latency == w->latency_count)
        return "one result at least every";
    struct weir_bound bound = bound_at(w, 0, latency);
    return weir_result_chain(answer, w->pipeline, &bound);
}

static struct weir_datum worst_at(const struct weir_sweep *w, size_t point, size_t latency)
{
    struct weir_bound bound = bound_at(w, point, latency);
    if (w->points[point].state != WEIR_SWEEP_DONE)
        return weir_datum_unknown(w->points[point].state == WEIR_SWEEP_OPEN ? "?" : "-");
    return latency == w->latency_count && !weir_bound_holds(&bound) ? weir_datum_null() : weir_result_worst(&bound);
}

static bool has_period(const struct weir_sweep *w)
{
    for (size_t i = 0; i < w->point_count; i++)
        if (w->points[i].period.denominator)
            return true;
    return false;
}

static bool has_deadlines(const struct weir_sweep *w)
{
    bool any = false;
    for (size_t i = 0; i < w->latency_count; i++)
        any |= bound_at(w, 0, i).has_deadline;
    return any;
}

/* "viz.time=3 us, a->b.capacity=2" */
static const char *where(struct weir_answer *answer, const struct weir_sweep *w, size_t point)
{
    const char *text = "", *unit = weir_unit_name(weir_pipeline_unit(w->pipeline));
    bool timed = weir_pipeline_unit(w->pipeline) != WEIR_UNIT_TICK;
    for (size_t i = 0; i < w->axis_count && text; i++) {
        const struct weir_sweep_axis *axis = &w->axes[i];
        bool time = axis->values == WEIR_SWEEP_TIMES && timed;
        text = weir_answer_format(answer, "%s%s%s=%s%s%s", text, i ? ", " : "", axis->label,
                                  axis->texts[weir_sweep_value(w, point, i)], time ? " " : "", time ? unit : "");
    }
    return text;
}

/* ---- tables for people ---- */

/* The k-th of `shown` rows of a table that has `all`: from the first to the last, evenly. */
static size_t spread(size_t k, size_t shown, size_t all)
{
    return shown < all ? k * (all - 1) / (shown - 1) : k;
}

static const char *note_hidden(struct weir_answer *answer, size_t shown, size_t all, size_t latencies)
{
    const char *rows =
        shown < all ? weir_answer_format(answer, "and %zu between these (--full prints all, --csv FILE keeps them)", all - shown)
                    : NULL;
    if (!latencies)
        return rows;
    return weir_answer_format(answer, "%s%sand %zu latencies more in each (--csv FILE has all)", rows ? rows : "",
                              rows ? "\n  " : "", latencies);
}

/* With a mark where the deadline is not met. */
static struct weir_datum marked_at(struct weir_answer *answer, const struct weir_sweep *w, size_t point, size_t latency)
{
    char text[WEIR_NUMBER_TEXT];
    struct weir_datum value = worst_at(w, point, latency);
    if (value.kind != WEIR_DATUM_TIME || bound_at(w, point, latency).state <= WEIR_DEADLINE_MET)
        return value;
    return weir_datum_text(weir_answer_format(answer, "%s !", weir_ratio_time(w->pipeline, value.is.ratio, text)));
}

/* Rows by the first axis, columns by the second: of one latency. */
static void add_matrix(struct weir_answer *answer, const struct weir_sweep *w, size_t latency, bool full)
{
    const struct weir_sweep_axis *rows = &w->axes[0], *columns = &w->axes[1];
    struct weir_column *heads = weir_answer_take(answer, columns->count + 1, sizeof *heads);
    size_t shown = full || rows->count <= ROWS_MAX ? rows->count : ROWS_MAX;
    struct weir_table_builder builder;
    if (!heads)
        return;
    heads[0].title = rows->label;
    for (size_t j = 0; j < columns->count; j++)
        heads[j + 1].title = columns->texts[j];
    weir_table_begin(&builder, answer, NULL, heads, columns->count + 1);
    for (size_t k = 0; k < shown; k++) {
        size_t i = spread(k, shown, rows->count);
        weir_table_cell(&builder, weir_datum_text(rows->texts[i]));
        for (size_t j = 0; j < columns->count; j++)
            weir_table_cell(&builder, marked_at(answer, w, i * columns->count + j, latency));
    }
    const char *title =
        weir_answer_format(answer, "%s: %s%s; down: %s, across: %s", title_of(answer, w, latency),
                           strcmp(w->engine, "exact") == 0 ? "exact" : "at most",
                           latency < w->latency_count && bound_at(w, 0, latency).has_deadline ? ", !: deadline not met" : "",
                           rows->label, columns->label);
    weir_answer_add_table(&builder, title, note_hidden(answer, shown, rows->count, 0));
}

/* The worst of all latencies' states. */
static struct weir_datum state_at(const struct weir_sweep *w, size_t point)
{
    enum weir_deadline_state worst = WEIR_DEADLINE_NONE;
    if (w->points[point].state != WEIR_SWEEP_DONE)
        return weir_datum_absent();
    for (size_t i = 0; i < w->latency_count; i++) {
        enum weir_deadline_state state = w->cells[point * w->latency_count + i].state;
        worst = state > worst ? state : worst;
    }
    return weir_datum_text(weir_deadline_state_name(worst));
}

/* A row for each point, or for some: the axes, then latencies, the period and what becomes of deadlines. `csv`: all there is. */
static void add_rows(struct weir_answer *answer, const struct weir_sweep *w, bool csv, bool full)
{
    size_t latencies = csv || full || w->latency_count < LATENCIES_MAX ? w->latency_count : LATENCIES_MAX;
    size_t shown = csv || full || w->point_count <= ROWS_MAX ? w->point_count : ROWS_MAX, at = 0;
    bool period = csv || has_period(w), deadlines = !csv && has_deadlines(w);
    struct weir_column *heads = weir_answer_take(answer, w->axis_count + latencies + 3, sizeof *heads);
    struct weir_table_builder builder;
    if (!heads)
        return;
    for (size_t i = 0; i < w->axis_count; i++)
        heads[at++].title = w->axes[i].label;
    for (size_t j = 0; j < latencies; j++)
        heads[at++].title = title_of(answer, w, j);
    if (period)
        heads[at++].title = "period";
    if (deadlines || csv)
        heads[at++].title = csv ? "met" : "deadlines";
    if (csv)
        heads[at++].title = "state";
    weir_table_begin(&builder, answer, NULL, heads, at);
    for (size_t k = 0; k < shown; k++) {
        size_t p = spread(k, shown, w->point_count);
        const struct weir_sweep_point *point = &w->points[p];
        for (size_t i = 0; i < w->axis_count; i++)
            weir_table_cell(&builder, weir_datum_text(w->axes[i].texts[weir_sweep_value(w, p, i)]));
        for (size_t j = 0; j < latencies + period; j++)
            weir_table_cell(&builder, worst_at(w, p, j < latencies ? j : w->latency_count));
        if (deadlines)
            weir_table_cell(&builder, state_at(w, p));
        if (csv) {
            weir_table_cell(&builder, weir_datum_if(point->state == WEIR_SWEEP_DONE, weir_datum_flag(point->met)));
            weir_table_cell(&builder, weir_datum_text(states[point->state]));
        }
    }
    const char *title = strcmp(w->engine, "exact") == 0 ? "Points: exact" : "Points: at most";
    weir_answer_add_table(&builder, csv ? NULL : title, note_hidden(answer, shown, w->point_count, w->latency_count - latencies));
    answer->csv = csv ? answer->tables.count : answer->csv;
}

/* ---- what is found in them ---- */

static void add_extremes(struct weir_answer *answer, const struct weir_sweep *w)
{
    static const struct weir_column columns[] = {{NULL, "latency"}, {NULL, "from"}, {NULL, "to"}, {NULL, "at"}};
    struct weir_table_builder builder;
    weir_table_begin(&builder, answer, NULL, columns, sizeof columns / sizeof *columns);
    for (size_t j = 0; j < w->latency_count && j < LATENCIES_MAX; j++) {
        size_t low = SIZE_MAX, high = SIZE_MAX;
        for (size_t p = 0; p < w->point_count; p++) {
            struct weir_bound bound = bound_at(w, p, j);
            const struct weir_sweep_cell *cells = w->cells;
            if (w->points[p].state != WEIR_SWEEP_DONE || !weir_bound_holds(&bound))
                continue;
            struct weir_ratio worst = bound.worst.high;
            low = low == SIZE_MAX || weir_ratio_compare(worst, cells[low * w->latency_count + j].worst) < 0 ? p : low;
            high = high == SIZE_MAX || weir_ratio_compare(worst, cells[high * w->latency_count + j].worst) > 0 ? p : high;
        }
        if (low == SIZE_MAX)
            continue;
        weir_table_cell(&builder, weir_datum_text(title_of(answer, w, j)));
        weir_table_cell(&builder, worst_at(w, low, j));
        weir_table_cell(&builder, worst_at(w, high, j));
        weir_table_cell(&builder,
                        weir_datum_text(weir_answer_format(answer, "%s; %s", where(answer, w, low), where(answer, w, high))));
    }
    weir_answer_add_table(&builder, "Smallest and largest", NULL);
}

static void add_anomalies(struct weir_answer *answer, const struct weir_sweep *w)
{
    static const struct weir_column columns[] = {{"latency", NULL}, {"axis", NULL},    {"count", "times"}, {"from", NULL},
                                                 {"to", NULL},      {NULL, "latency"}, {NULL, "what"},     {NULL, "before"},
                                                 {NULL, "after"},   {NULL, "at"}};
    struct weir_table_builder builder;
    weir_table_begin(&builder, answer, "anomalies", columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < w->anomaly_count; i++) {
        const struct weir_sweep_anomaly *a = &w->anomalies[i];
        weir_table_cell(&builder, weir_datum_if(a->latency < w->latency_count, weir_datum_count((int64_t)a->latency)));
        weir_table_cell(&builder, weir_datum_count((int64_t)a->axis));
        weir_table_cell(&builder, weir_datum_count((int64_t)a->count));
        weir_table_cell(&builder, weir_datum_count((int64_t)a->from));
        weir_table_cell(&builder, weir_datum_count((int64_t)a->to));
        weir_table_cell(&builder, weir_datum_text(title_of(answer, w, a->latency)));
        weir_table_cell(&builder, weir_datum_text(weir_answer_format(
                                      answer, "%s of %s", w->axes[a->axis].better > 0 ? "more" : "less", w->axes[a->axis].label)));
        weir_table_cell(&builder, worst_at(w, a->from, a->latency));
        weir_table_cell(&builder, worst_at(w, a->to, a->latency));
        weir_table_cell(&builder,
                        weir_datum_text(weir_answer_format(answer, "%s; %s", where(answer, w, a->from), where(answer, w, a->to))));
    }
    weir_answer_add_table(&builder,
                          strcmp(w->engine, "exact") == 0
                              ? "Timing anomalies: what should help makes it worse; the largest of each"
                              : "Anomalies of the bounds: what should help makes them worse; the largest of each",
                          NULL);
}

/* ---- for programs ---- */

static void add_axes(struct weir_answer *answer, const struct weir_sweep *w)
{
    static const char *const kinds[] = {[WEIR_SWEEP_TIMES] = "time", [WEIR_SWEEP_COUNTS] = "count", [WEIR_SWEEP_WORDS] = "word"};
    static const struct weir_column columns[] = {{"target", NULL}, {"kind", NULL}, {"values", NULL}};
    struct weir_table_builder builder;
    weir_table_begin(&builder, answer, "axes", columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < w->axis_count; i++) {
        struct weir_record values = {.answer = answer};
        for (size_t j = 0; j < w->axes[i].count; j++)
            weir_record_add(&values, NULL, weir_datum_text(w->axes[i].texts[j]));
        weir_table_cell(&builder, weir_datum_text(w->axes[i].label));
        weir_table_cell(&builder, weir_datum_text(kinds[w->axes[i].values]));
        weir_table_cell(&builder, weir_record_datum(&values));
    }
    weir_answer_add_table(&builder, NULL, NULL);
}

static void add_latencies(struct weir_answer *answer, const struct weir_sweep *w)
{
    static const struct weir_column columns[] = {{"from", NULL}, {"to", NULL}, {"deadline", NULL}};
    struct weir_table_builder builder;
    weir_table_begin(&builder, answer, "latency", columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < w->latency_count; i++) {
        struct weir_bound b = bound_at(w, 0, i);
        weir_table_cell(&builder, b.whole ? weir_datum_absent() : weir_datum_text(weir_answer_name(answer, b.chain.from)));
        weir_table_cell(&builder, b.whole ? weir_datum_absent() : weir_datum_text(weir_answer_name(answer, b.chain.to)));
        weir_table_cell(&builder, b.has_deadline ? weir_datum_time(b.deadline) : weir_datum_absent());
    }
    weir_answer_add_table(&builder, NULL, NULL);
}

static void add_points(struct weir_answer *answer, const struct weir_sweep *w)
{
    static const struct weir_column columns[] = {{"at", NULL}, {"state", NULL}, {"worst", NULL}, {"period", NULL}, {"met", NULL}};
    struct weir_table_builder builder;
    weir_table_begin(&builder, answer, "points", columns, sizeof columns / sizeof *columns);
    for (size_t p = 0; p < w->point_count; p++) {
        const struct weir_sweep_point *point = &w->points[p];
        struct weir_record at = {.answer = answer}, worst = {.answer = answer};
        bool done = point->state == WEIR_SWEEP_DONE;
        for (size_t i = 0; i < w->axis_count; i++)
            weir_record_add(&at, NULL, weir_datum_count((int64_t)weir_sweep_value(w, p, i)));
        for (size_t i = 0; done && i < w->latency_count; i++)
            weir_record_add(&worst, NULL, worst_at(w, p, i));
        weir_table_cell(&builder, weir_record_datum(&at));
        weir_table_cell(&builder, weir_datum_text(states[point->state]));
        weir_table_cell(&builder, done ? weir_record_datum(&worst) : weir_datum_absent());
        weir_table_cell(&builder, done && point->period.denominator ? weir_datum_ratio(point->period) : weir_datum_absent());
        weir_table_cell(&builder, done ? weir_datum_flag(point->met) : weir_datum_absent());
    }
    weir_answer_add_table(&builder, NULL, NULL);
}

/* ---- the chart: a line for each latency or, with a second axis, for its values ---- */

static struct weir_datum x_of(const struct weir_sweep *w, size_t value)
{
    const struct weir_sweep_axis *axis = &w->axes[0];
    if (axis->values == WEIR_SWEEP_TIMES)
        return weir_datum_time(axis->numbers[value]);
    bool numbered = axis->values != WEIR_SWEEP_WORDS && axis->numbers[value] < WEIR_AUTO;
    return weir_datum_count(numbered ? axis->numbers[value] : (int64_t)value);
}

/* The points of a latency along the first axis, the others being as at `point`. */
static void add_line(struct weir_answer *answer, struct weir_chart *chart, const struct weir_sweep *w, size_t point, size_t latency)
{
    size_t stride = w->point_count / w->axes[0].count;
    for (size_t i = 0; i < w->axes[0].count; i++) {
        size_t p = i * stride + point;
        struct weir_bound bound = bound_at(w, p, latency);
        if (w->points[p].state == WEIR_SWEEP_DONE && weir_bound_holds(&bound))
            weir_chart_point(answer, chart, x_of(w, i), weir_datum_ratio(bound.worst.high));
    }
}

/* The latency that is drawn where there is a second axis: the first that has a deadline, or else the first. */
static size_t chosen(const struct weir_sweep *w)
{
    for (size_t i = 0; i < w->latency_count; i++)
        if (bound_at(w, 0, i).has_deadline)
            return i;
    return 0;
}

static void draw(struct weir_answer *answer, struct weir_chart *chart, const struct weir_sweep *w)
{
    for (size_t i = 0; w->axis_count == 1 && i < w->latency_count && i < LINES_MAX; i++) {
        weir_chart_begin_series(answer, chart, title_of(answer, w, i), false);
        add_line(answer, chart, w, 0, i);
    }
    size_t values = w->axis_count > 1 ? w->axes[1].count : 0, lines = values < LINES_MAX ? values : LINES_MAX;
    for (size_t i = 0; i < lines; i++) { /* of too many, some from the first to the last */
        size_t value = lines == 1 ? 0 : i * (values - 1) / (lines - 1);
        weir_chart_begin_series(answer, chart, weir_answer_format(answer, "%s=%s", w->axes[1].label, w->axes[1].texts[value]),
                                false);
        add_line(answer, chart, w, value * (w->point_count / w->axes[0].count / values), chosen(w));
    }
    struct weir_bound bound = w->latency_count ? bound_at(w, 0, chosen(w)) : (struct weir_bound){0};
    if (!bound.has_deadline || (w->axis_count == 1 && w->latency_count > 1))
        return;
    weir_chart_begin_series(answer, chart, "deadline", true);
    weir_chart_point(answer, chart, x_of(w, 0), weir_datum_time(bound.deadline));
    weir_chart_point(answer, chart, x_of(w, w->axes[0].count - 1), weir_datum_time(bound.deadline));
}

static void add_chart(struct weir_answer *answer, const struct weir_sweep *w)
{
    const char *subtitle = w->axis_count > 1 && w->latency_count ? title_of(answer, w, chosen(w)) : NULL;
    for (size_t i = 2; i < w->axis_count && subtitle; i++)
        subtitle = weir_answer_format(answer, "%s; %s=%s", subtitle, w->axes[i].label, w->axes[i].texts[0]);
    bool many = w->axis_count > 1 && w->axes[1].count > LINES_MAX;
    struct weir_chart chart = {.title = weir_answer_format(answer, "worst latency against %s", w->axes[0].label),
                               .subtitle = subtitle,
                               .note = many ? "only some of the values of the second sweep are drawn"
                                            : "points that are missing have no bound",
                               .x_label = w->axes[0].label,
                               .y_label = strcmp(w->engine, "exact") == 0 ? "worst latency" : "worst latency, at most",
                               .x_times = w->axes[0].values == WEIR_SWEEP_TIMES,
                               .y_times = true};
    struct weir_chart *added = weir_answer_add_chart(answer, &chart);
    if (added)
        draw(answer, added, w);
}

/* ---- all of it ---- */

/* Whether every deadline is met at the point, and every latency has a bound. */
static bool is_good(const struct weir_sweep *w, size_t point)
{
    bool good = w->points[point].state == WEIR_SWEEP_DONE && w->points[point].met;
    for (size_t j = 0; j < w->latency_count && good; j++) {
        enum weir_claim claim = w->cells[point * w->latency_count + j].claim;
        good = claim != WEIR_CLAIM_UNBOUNDED && claim != WEIR_CLAIM_UNKNOWN;
    }
    return good;
}

static void add_headline(struct weir_answer *answer, const struct weir_sweep *w)
{
    size_t met = 0, impossible = 0, good = 0;
    for (size_t i = 0; i < w->point_count; i++) {
        met += w->points[i].state == WEIR_SWEEP_DONE && w->points[i].met;
        impossible += w->points[i].state == WEIR_SWEEP_IMPOSSIBLE;
        good += is_good(w, i);
    }
    const char *points = weir_result_count(answer, (int64_t)w->point_count);
    answer->scope = has_deadlines(w) ? weir_answer_format(answer, "%s points; deadlines met at %s of them", points,
                                                          weir_result_count(answer, (int64_t)met))
                                     : weir_answer_format(answer, "%s points", points);
    answer->trouble_verdict = good ? WEIR_VERDICT_GOOD : w->done < w->point_count ? WEIR_VERDICT_OPEN : WEIR_VERDICT_BAD;
    for (size_t i = 0; i < w->change_count; i++)
        weir_answer_line(answer, "with %s", w->changes[i].name ? w->changes[i].name : w->changes[i].text);
    if (w->done < w->point_count)
        weir_answer_line(answer, "stopped: %s of them are done", weir_result_count(answer, (int64_t)w->done));
    if (impossible)
        weir_answer_line(answer, "%s of them are not valid pipelines: a deadlock, or values that do not go together",
                         weir_result_count(answer, (int64_t)impossible));
}

enum weir_status weir_sweep_answer(const struct weir_sweep *w, bool full, struct weir_answer **answer, struct weir_error *error)
{
    struct weir_answer *a = weir_answer_new(w->pipeline, error);
    bool matrix = w->axis_count == 2 && w->axes[1].count <= COLUMNS_MAX && w->latency_count <= LATENCIES_MAX;
    if (a) {
        weir_answer_add_fact(a, "goal", weir_datum_text("sweep"));
        weir_answer_add_fact(a, "interrupted", weir_datum_flag(w->done < w->point_count));
        add_headline(a, w);
        for (size_t i = 0; matrix && i < w->latency_count + has_period(w); i++)
            add_matrix(a, w, i, full);
        if (!matrix)
            add_rows(a, w, false, full);
        add_extremes(a, w);
        add_axes(a, w);
        add_latencies(a, w);
        add_points(a, w);
        add_anomalies(a, w);
        add_rows(a, w, true, true);
        add_chart(a, w);
    }
    return weir_answer_keep(a, a ? WEIR_OK : WEIR_MEMORY, answer, error);
}
