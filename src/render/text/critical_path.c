/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The critical path with its times.
 *
 * Every step of a critical path starts exactly when the step before it lets it: at that step's end if the step counts, at its
 * start if it does not (making room is a matter of starting), one period after it if the wait is for a period to pass. So the times
 * follow from the path alone, counted backwards from the end, which lies `separation` after the event that is measured from.
 */
#include "answer/schedule.h"
#include "base/alloc.h"
#include "render/text/text.h"

/* Limits: repetitions printed one by one; steps in all; lines needed to look for patterns; their length. */
enum { TOLD_REPEATS = 3, STEPS_MAX = 1000000, LINES_MANY = 12, PATTERN_MAX = 24 };

/* One repetition of the segment, from the end of what is before it to its end. -1 when that cannot be counted. */
static int64_t duration_of(const struct weir_pipeline *pipeline, const struct weir_segment *segment)
{
    int64_t sum = 0;
    for (size_t i = 0; i < segment->step_count; i++) {
        const struct weir_step *step = &segment->steps[i];
        if (__builtin_add_overflow(sum, weir_step_delay(pipeline, step), &sum) ||
            __builtin_add_overflow(sum, step->counts ? step->time : 0, &sum))
            return -1;
    }
    return sum;
}

/* When the path begins, given when it ends; then every time on it can be counted, too. */
static bool find_beginning(const struct weir_pipeline *pipeline, const struct weir_witness *witness, int64_t *now)
{
    *now = witness->separation;
    for (size_t i = 0; i < witness->segment_count; i++) {
        int64_t once = duration_of(pipeline, &witness->segments[i]), whole;
        if (once < 0 || __builtin_mul_overflow(once, witness->segments[i].repeat, &whole) ||
            __builtin_sub_overflow(*now, whole, now))
            return false;
    }
    return true;
}

int64_t weir_critical_path_execution(const struct weir_pipeline *pipeline, struct weir_operator op, int64_t round, uint32_t firing)
{
    return round * (int64_t)weir_pipeline_firings(pipeline, op) + firing;
}

/* A message under way is that of an execution of its producer. */
static int64_t execution_of(const struct weir_pipeline *pipeline, const struct weir_step *step, int64_t round)
{
    bool under_way = step->part == WEIR_PART_TRANSFER;
    return weir_critical_path_execution(pipeline, under_way ? weir_pipeline_queue(pipeline, step->queue).from : step->op, round,
                                        step->firing);
}

struct teller {
    const struct weir_pipeline *pipeline;
    const struct weir_witness *witness;
    bool all;
    struct weir_critical_path *critical;
    size_t capacity;
    int64_t now;
};

static bool add_line(struct teller *teller, struct weir_critical_path_line line)
{
    struct weir_critical_path *critical = teller->critical;
    void *lines = critical->lines;
    if (!weir_reserve(&lines, &teller->capacity, critical->count + 1, sizeof line))
        return false;
    critical->lines = lines;
    critical->lines[critical->count++] = line;
    return true;
}

static bool tell_once(struct teller *teller, const struct weir_segment *segment, int64_t repetition)
{
    for (size_t i = 0; i < segment->step_count; i++) {
        const struct weir_step *step = &segment->steps[i];
        struct weir_critical_path_line line = {.step = step};
        line.round = step->iteration + repetition * segment->iterations;
        line.iteration = execution_of(teller->pipeline, step, line.round);
        if (i > 0) {
            line.before = step - 1;
            line.before_round = line.before->iteration + repetition * segment->iterations;
        } else if (repetition > 0) {
            line.before = &segment->steps[segment->step_count - 1];
            line.before_round = line.before->iteration + (repetition - 1) * segment->iterations;
        } else if (segment != teller->witness->segments && segment[-1].step_count) {
            const struct weir_segment *previous = segment - 1;
            line.before = &previous->steps[previous->step_count - 1];
            line.before_round = line.before->iteration + (previous->repeat - 1) * previous->iterations;
        }
        if (line.before)
            line.before_iteration = execution_of(teller->pipeline, line.before, line.before_round);
        line.start = teller->now + weir_step_delay(teller->pipeline, step);
        line.end = teller->now = line.start + (step->counts ? step->time : 0);
        if (!add_line(teller, line))
            return false;
    }
    return true;
}

static bool tell_repetitions(struct teller *teller, const struct weir_segment *segment, int64_t from, int64_t count)
{
    bool whole = count <= TOLD_REPEATS || (teller->all && count <= STEPS_MAX / (int64_t)segment->step_count);
    int64_t begun = teller->now;
    for (int64_t k = 0; k < (whole ? count : 1); k++)
        if (!tell_once(teller, segment, from + k))
            return false;
    if (whole)
        return true;
    struct weir_critical_path_line line = {.steps = segment->step_count, .times = count - 1, .iterations = segment->iterations};
    line.start = teller->now;
    line.end = teller->now += line.times * (teller->now - begun);
    return add_line(teller, line);
}

/* What is over when the latency begins to count is kept apart from the rest. */
static bool tell_segment(struct teller *teller, const struct weir_segment *segment)
{
    int64_t once = duration_of(teller->pipeline, segment), early = 0;
    if (once > 0 && teller->now < 0)
        early = -teller->now / once < segment->repeat ? -teller->now / once : segment->repeat;
    return tell_repetitions(teller, segment, 0, early) && tell_repetitions(teller, segment, early, segment->repeat - early);
}

/* Is b the same as a, some iterations later? *later is that number, and 0 when it is not known yet. */
static bool is_echo(const struct weir_critical_path_line *a, const struct weir_critical_path_line *b, int64_t *later)
{
    if (!a->step || !b->step || !a->before || !b->before)
        return false;
    if (*later == 0)
        *later = b->round - a->round;
    return a->step->firing == b->step->firing && a->before->firing == b->before->firing && a->step->op.index == b->step->op.index &&
           a->step->part == b->step->part && a->step->wait == b->step->wait && a->step->queue.index == b->step->queue.index &&
           a->step->counts == b->step->counts && a->step->time == b->step->time && a->end - a->start == b->end - b->start &&
           a->before->op.index == b->before->op.index && b->round - a->round == *later &&
           b->before_round - a->before_round == *later;
}

/* How often the `length` lines at `at` happen one after another, up to `end`. */
static size_t count_echoes(const struct weir_critical_path_line *lines, size_t at, size_t length, size_t end)
{
    int64_t later = 0;
    size_t next = at + length;
    while (next < end && is_echo(&lines[next - length], &lines[next], &later) && later > 0)
        next++;
    return (next - at) / length;
}

/* Replaces what repeats among the lines [from, end) by a line that says so; `into` is where the result goes, its end is
 * returned. The result is never longer, so it can go into the same array. */
static size_t fold(struct weir_critical_path_line *lines, size_t from, size_t end, size_t into)
{
    while (from < end) {
        size_t length = 1, times = 1;
        for (; length <= PATTERN_MAX && from + length < end; length++)
            if ((times = count_echoes(lines, from, length, end)) > TOLD_REPEATS)
                break;
        if (times <= TOLD_REPEATS) {
            lines[into++] = lines[from++];
            continue;
        }
        const struct weir_critical_path_line *second = &lines[from + length], *last = &lines[from + times * length - 1];
        struct weir_critical_path_line repeat = {
            .steps = length, .times = (int64_t)times - 1, .start = second->start, .end = last->end};
        repeat.iterations = second->round - lines[from].round;
        for (size_t i = 0; i < length; i++)
            lines[into++] = lines[from + i];
        lines[into++] = repeat;
        from += times * length;
    }
    return into;
}

enum weir_status weir_critical_path_make(const struct weir_pipeline *pipeline, const struct weir_witness *witness, bool all,
                                         struct weir_critical_path *critical)
{
    struct teller teller = {.pipeline = pipeline, .witness = witness, .all = all, .critical = critical};
    *critical = (struct weir_critical_path){0};
    if (!find_beginning(pipeline, witness, &teller.now))
        return WEIR_OVERFLOW;
    for (size_t i = 0; i < witness->segment_count; i++)
        if (witness->segments[i].step_count && !tell_segment(&teller, &witness->segments[i])) {
            weir_critical_path_free(critical);
            return WEIR_MEMORY;
        }
    size_t early = 0;
    while (early < critical->count && critical->lines[early].end <= 0)
        early++;
    if (!all && critical->count - early > LINES_MANY)
        critical->count = fold(critical->lines, early, critical->count, early);
    return WEIR_OK;
}

void weir_critical_path_free(struct weir_critical_path *critical)
{
    weir_free(critical->lines);
    *critical = (struct weir_critical_path){0};
}

static void add_share(int64_t *shares, const struct weir_step *step, int64_t time)
{
    if (step && step->counts)
        shares[step->op.index] += time;
}

/* Only what lies after the start of the measured message counts. */
static void share_out(const struct weir_critical_path *critical, int64_t *shares)
{
    for (size_t i = 0; i < critical->count; i++) {
        const struct weir_critical_path_line *line = &critical->lines[i];
        if (line->end <= 0)
            continue;
        add_share(shares, line->step, line->start < 0 ? line->end : line->end - line->start);
        for (const struct weir_critical_path_line *told = line - line->steps; told < line; told++) /* none where this is a step */
            if (told->step)
                add_share(shares, told->step, line->times * told->step->time);
    }
}

enum weir_status weir_critical_path_dominant(const struct weir_pipeline *pipeline, const struct weir_critical_path *critical,
                                             struct weir_operator *op, int64_t *time)
{
    uint32_t count = weir_pipeline_operator_count(pipeline);
    int64_t *shares = weir_array_zeroed(count, sizeof *shares);
    *time = 0;
    if (!shares)
        return WEIR_MEMORY;
    share_out(critical, shares);
    for (uint32_t i = 0; i < count; i++)
        if (shares[i] > *time) {
            *time = shares[i];
            op->index = i;
        }
    weir_free(shares);
    return WEIR_OK;
}
