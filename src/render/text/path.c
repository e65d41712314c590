/* SPDX-License-Identifier: Apache-2.0 */
/* The critical path in words: one line per step, what was long before or repeats in one line. */
#include "answer/account.h"
#include "answer/schedule.h"
#include "model/pipeline.h"
#include "render/text/text.h"

#include <string.h>

enum { LINES_MAX = 18, NAME_MAX_COLUMNS = 32 };

struct table {
    const struct weir_text *to;
    const struct weir_witness *witness;
    size_t time_width, name_width, frame_width, takes_width;
};

static const char *name_of(const struct weir_text *text, struct weir_operator op)
{
    return weir_pipeline_operator(text->pipeline, op).name;
}

/* The end of receive() and of the execution is not an event of its own for a reader, nor is the empty work on a GPU of an
 * operator that only passes on what is behind its messages. */
static bool is_told(const struct table *table, const struct weir_critical_path_line *line)
{
    const struct weir_step *step = line->step;
    return !step || (step->part != WEIR_PART_DONE &&
                     (step->part != WEIR_PART_GPU || weir_pipeline_operator(table->to->pipeline, step->op).launch));
}

/* The execution that the latency begins or ends with. */
static int64_t end_frame(const struct table *table, bool last)
{
    const struct weir_witness *witness = table->witness;
    const struct weir_event *event = last ? &witness->query.to : &witness->query.from;
    return weir_critical_path_execution(table->to->pipeline, event->op, witness->iteration + (last ? witness->query.shift : 0),
                                        event->firing);
}

/* A step at which the latency begins to count. */
static bool is_measured_from(const struct table *table, const struct weir_critical_path_line *line)
{
    const struct weir_query *query = &table->witness->query;
    enum weir_part part = query->from.moment == WEIR_ARRIVAL ? WEIR_PART_ARRIVAL : WEIR_PART_EXECUTION;
    return line->step && line->step->op.index == query->from.op.index && line->step->part == part &&
           line->iteration == end_frame(table, false);
}

static void print_time(const struct table *table, int64_t time)
{
    char text[WEIR_TIME_TEXT];
    fprintf(table->to->out, "  %*s  ", (int)table->time_width, weir_time_format(table->to->pipeline, time, text));
}

/* What a step that does not count does. */
static const char *begins(enum weir_part part)
{
    return part == WEIR_PART_ARRIVAL ? "arrives" : part == WEIR_PART_TICK ? "ticks" : "starts";
}

static void print_reason(const struct table *table, const struct weir_critical_path_line *line)
{
    if (!line->before)
        return;
    fputs("  ", table->to->out);
    weir_step_reason(table->to->pipeline, &(struct weir_step_at){line->step, line->iteration},
                     &(struct weir_step_at){line->before, line->before_iteration}, table->to->out);
}

static void print_step(const struct table *table, const struct weir_critical_path_line *line)
{
    const struct weir_style *style = table->to->style;
    const struct weir_step *step = line->step;
    char takes[WEIR_TIME_TEXT];
    bool measured = is_measured_from(table, line);
    print_time(table, line->start);
    weir_text_padded(table->to->out, name_of(table->to, step->op), table->name_width);
    fprintf(table->to->out, "  frame %-*lld  ", (int)table->frame_width, (long long)line->iteration);
    if (step->counts && step->part != WEIR_PART_ARRIVAL && (step->part != WEIR_PART_TICK || step->time > 0))
        fprintf(table->to->out, "takes %*s", (int)table->takes_width, weir_time_format(table->to->pipeline, step->time, takes));
    else
        fprintf(table->to->out, "%-*s", line->before || measured ? (int)table->takes_width + 6 : 0, begins(step->part));
    print_reason(table, line);
    if (measured)
        fprintf(table->to->out, "  %s<- the latency counts from here%s", style->dim, style->plain);
    fputc('\n', table->to->out);
}

static void print_line(const struct table *table, const struct weir_critical_path_line *line)
{
    if (line->step) {
        print_step(table, line);
        return;
    }
    char times[WEIR_COUNT_TEXT], each[WEIR_COUNT_TEXT];
    print_time(table, line->start);
    if (line->steps == 1)
        fputs("the last step repeats", table->to->out);
    else
        fprintf(table->to->out, "the last %zu steps repeat", line->steps);
    fprintf(table->to->out, " %s times more, %s %s%s later each time\n", weir_count_format(line->times, times),
            weir_count_format(line->iterations, each), table->to->pipeline->firings ? "round" : "frame",
            line->iterations == 1 ? "" : "s");
}

/* What is over before the latency begins to count. */
static void print_earlier(const struct table *table, const struct weir_critical_path *critical, size_t count)
{
    int64_t first = INT64_MAX, last = 0, steps = 0;
    for (size_t i = 0; i < count; i++) {
        const struct weir_critical_path_line *line = &critical->lines[i];
        int64_t begin = line->iteration, end = line->iteration;
        if (line->step) {
            steps++;
        } else {
            begin = line[-1].iteration;
            end = begin + line->times * line->iterations * (int64_t)weir_pipeline_firings(table->to->pipeline, line[-1].step->op);
            steps += line->times * (int64_t)line->steps;
        }
        first = begin < first ? begin : first;
        last = end > last ? end : last;
    }
    char steps_text[WEIR_COUNT_TEXT], first_text[WEIR_COUNT_TEXT], last_text[WEIR_COUNT_TEXT];
    fprintf(table->to->out, "  %*s  %s step%s of frame%s %s", (int)table->time_width, "earlier",
            weir_count_format(steps, steps_text), steps == 1 ? "" : "s", first == last ? "" : "s",
            weir_count_format(first, first_text));
    if (first != last)
        fprintf(table->to->out, " to %s", weir_count_format(last, last_text));
    fprintf(table->to->out, " build%s this up\n", steps == 1 ? "s" : "");
}

static void print_measured_start(const struct table *table)
{
    const struct weir_style *style = table->to->style;
    const struct weir_query *query = &table->witness->query;
    print_time(table, 0);
    weir_text_padded(table->to->out, name_of(table->to, query->from.op), table->name_width);
    fprintf(table->to->out, "  frame %-*lld  %-*s  %s<- the latency counts from here%s\n", (int)table->frame_width,
            (long long)end_frame(table, false), (int)table->takes_width + 6,
            query->from.moment == WEIR_ARRIVAL ? "arrives" : "starts", style->dim, style->plain);
}

static size_t max_width(size_t width, size_t other)
{
    return width > other ? width : other;
}

static size_t frame_columns(int64_t iteration)
{
    size_t columns = iteration < 0 ? 2 : 1;
    while (iteration /= 10)
        columns++;
    return columns;
}

static void measure_columns(struct table *table, const struct weir_critical_path *critical, size_t first)
{
    const struct weir_pipeline *pipeline = table->to->pipeline;
    const struct weir_witness *witness = table->witness;
    char text[WEIR_TIME_TEXT];
    table->frame_width = max_width(frame_columns(end_frame(table, false)), frame_columns(end_frame(table, true)));
    table->time_width = max_width(first > 0 ? strlen("earlier") : 1, strlen(weir_time_format(pipeline, witness->separation, text)));
    table->name_width = max_width(weir_text_columns(name_of(table->to, witness->query.from.op)),
                                  weir_text_columns(name_of(table->to, witness->query.to.op)));
    for (size_t i = first; i < critical->count; i++) {
        const struct weir_critical_path_line *line = &critical->lines[i];
        table->time_width = max_width(table->time_width, strlen(weir_time_format(pipeline, line->start, text)));
        if (!line->step)
            continue;
        table->name_width = max_width(table->name_width, weir_text_columns(name_of(table->to, line->step->op)));
        table->takes_width = max_width(table->takes_width, strlen(weir_time_format(pipeline, line->step->time, text)));
        table->frame_width = max_width(table->frame_width, frame_columns(line->iteration));
    }
    if (!table->to->full && table->name_width > NAME_MAX_COLUMNS)
        table->name_width = NAME_MAX_COLUMNS;
}

/* Lines from `first` on; the middle of a long path is only counted. */
static void print_lines(const struct table *table, const struct weir_critical_path *critical, size_t first, bool measured_told)
{
    size_t told = 0, number = 0, folded = 0;
    for (size_t i = first; i < critical->count; i++)
        told += is_told(table, &critical->lines[i]);
    bool fold = !table->to->full && told > LINES_MAX;
    for (size_t i = first; i < critical->count; i++) {
        const struct weir_critical_path_line *line = &critical->lines[i];
        if (!measured_told && line->start >= 0) {
            print_measured_start(table);
            measured_told = true;
        }
        if (!is_told(table, line))
            continue;
        number++;
        if (fold && number > LINES_MAX / 2 && number <= told - (LINES_MAX - LINES_MAX / 2 - 1)) {
            folded++;
            continue;
        }
        if (folded)
            fprintf(table->to->out, "  %*s  ... %zu more steps (--full tells all) ...\n", (int)table->time_width, "", folded);
        folded = 0;
        print_line(table, line);
    }
    if (!measured_told)
        print_measured_start(table);
}

/* Nothing where it cannot be told in a line. */
static enum weir_status print_account(const struct table *table, const struct weir_critical_path *critical)
{
    struct weir_account account;
    bool begun = weir_account_begin(&account, table->to->pipeline, table->witness);
    for (const struct weir_critical_path_line *line = critical->lines; begun && line < critical->lines + critical->count; line++) {
        if (line->step)
            weir_account_add(&account, line->step, line->round, line->start, line->end);
        for (const struct weir_critical_path_line *told = line - line->steps; told < line && line->end > 0; told++)
            if (told->step)
                weir_account_repeat(&account, told->step, told->round, line->iterations, line->times);
    }
    if (begun && weir_account_holds(&account)) {
        fputs("  ", table->to->out);
        weir_account_put(&account, table->to->out);
        fputc('\n', table->to->out);
    }
    weir_account_free(&account);
    return begun ? WEIR_OK : WEIR_MEMORY;
}

enum weir_status weir_text_path(const struct weir_text *text, const struct weir_bound *bound)
{
    const struct weir_style *style = text->style;
    const struct weir_witness *witness = bound->witness;
    const char *unit = weir_unit_name(weir_pipeline_unit(text->pipeline));
    struct table table = {.to = text, .witness = witness, .takes_width = 1};
    struct weir_critical_path critical;
    char count[WEIR_COUNT_TEXT];
    fprintf(text->out, "\n%sHow the worst case happens%s (%s -> %s, frame %s; times in %s%s)\n", style->bold, style->plain,
            name_of(text, bound->chain.from), name_of(text, bound->chain.to), weir_count_format(end_frame(&table, false), count),
            unit, weir_pipeline_unit(text->pipeline) == WEIR_UNIT_TICK ? "s" : "");
    enum weir_status status = weir_critical_path_make(text->pipeline, witness, text->full, &critical);
    if (status) {
        fputs("  too long to print; --json has it as segments\n", text->out);
        return status == WEIR_OVERFLOW ? WEIR_OK : status;
    }
    size_t first = 0;
    bool measured_told = false;
    if (!text->full)
        while (first < critical.count && critical.lines[first].end <= 0 && !is_measured_from(&table, &critical.lines[first]))
            first++;
    for (size_t i = first; i < critical.count; i++)
        measured_told |= is_measured_from(&table, &critical.lines[i]);
    measure_columns(&table, &critical, first);
    status = print_account(&table, &critical);
    if (first > 0)
        print_earlier(&table, &critical, first);
    print_lines(&table, &critical, first, measured_told);
    print_time(&table, witness->separation);
    weir_text_padded(text->out, name_of(text, bound->chain.to), table.name_width);
    fprintf(text->out, "  frame %-*lld  done\n", (int)table.frame_width, (long long)end_frame(&table, true));
    weir_critical_path_free(&critical);
    return status;
}
