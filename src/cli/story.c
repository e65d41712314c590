/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The critical path with its times.
 *
 * Every step of a critical path starts exactly when the step before it lets it: at that step's end if the step counts, at its
 * start if it does not (making room is a matter of starting), one period after it if the wait is for a period. So the times
 * follow from the path alone, counted backwards from the end, which lies `separation` after the event that is measured from.
 */
#include "analyze.h"

#include <stdlib.h>

enum { TOLD_REPEATS = 3, STEPS_MAX = 1000000 };

static int64_t period_of(const struct weir_pipeline *pipeline, struct weir_operator op)
{
    for (uint32_t i = 0; i < weir_pipeline_source_count(pipeline); i++) {
        struct weir_source_spec source = weir_pipeline_source(pipeline, i);
        if (source.op.index == op.index)
            return source.period;
    }
    return 0;
}

/* From the start of the step before `step` to its own start, less what the step before takes itself. */
static int64_t delay_before(const struct weir_pipeline *pipeline, const struct weir_step *step)
{
    return step->wait == WEIR_WAIT_PERIOD ? period_of(pipeline, step->op) : 0;
}

/* One repetition of the segment, from the end of what is before it to its end. -1 when that cannot be counted. */
static int64_t duration_of(const struct weir_pipeline *pipeline, const struct weir_segment *segment)
{
    int64_t sum = 0;
    for (size_t i = 0; i < segment->step_count; i++) {
        const struct weir_step *step = &segment->steps[i];
        if (__builtin_add_overflow(sum, delay_before(pipeline, step), &sum) ||
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

struct teller {
    const struct weir_pipeline *pipeline;
    const struct weir_witness *witness;
    struct weir_story *story;
    size_t capacity;
    int64_t now;
};

static bool add_line(struct teller *teller, struct weir_story_line line)
{
    struct weir_story *story = teller->story;
    if (story->count == teller->capacity) {
        size_t capacity = teller->capacity ? teller->capacity * 2 : 64;
        struct weir_story_line *lines = realloc(story->lines, capacity * sizeof *lines);
        if (!lines)
            return false;
        story->lines = lines;
        teller->capacity = capacity;
    }
    story->lines[story->count++] = line;
    return true;
}

static bool tell_once(struct teller *teller, const struct weir_segment *segment, int64_t repetition)
{
    for (size_t i = 0; i < segment->step_count; i++) {
        const struct weir_step *step = &segment->steps[i];
        struct weir_story_line line = {.kind = WEIR_STORY_STEP, .step = step, .segment = segment};
        line.iteration = step->iteration + repetition * segment->iterations;
        if (i > 0) {
            line.before = step - 1;
            line.before_iteration = line.before->iteration + repetition * segment->iterations;
        } else if (repetition > 0) {
            line.before = &segment->steps[segment->step_count - 1];
            line.before_iteration = line.before->iteration + (repetition - 1) * segment->iterations;
        } else if (segment != teller->witness->segments && segment[-1].step_count) {
            const struct weir_segment *previous = segment - 1;
            line.before = &previous->steps[previous->step_count - 1];
            line.before_iteration = line.before->iteration + (previous->repeat - 1) * previous->iterations;
        }
        line.start = teller->now + delay_before(teller->pipeline, step);
        line.end = teller->now = line.start + (step->counts ? step->time : 0);
        if (!add_line(teller, line))
            return false;
    }
    return true;
}

static bool tell_segment(struct teller *teller, const struct weir_segment *segment, bool all)
{
    bool whole = segment->repeat <= TOLD_REPEATS || (all && segment->repeat <= STEPS_MAX / (int64_t)segment->step_count);
    int64_t told = whole ? segment->repeat : 1;
    for (int64_t k = 0; k < told; k++)
        if (!tell_once(teller, segment, k))
            return false;
    if (whole)
        return true;
    struct weir_story_line line = {.kind = WEIR_STORY_REPEAT, .segment = segment, .times = segment->repeat - 1};
    line.start = teller->now;
    line.end = teller->now += line.times * duration_of(teller->pipeline, segment);
    return add_line(teller, line);
}

bool weir_story_tell(const struct weir_pipeline *pipeline, const struct weir_witness *witness, bool all, struct weir_story *story)
{
    struct teller teller = {.pipeline = pipeline, .witness = witness, .story = story};
    *story = (struct weir_story){0};
    if (!find_beginning(pipeline, witness, &teller.now))
        return false;
    for (size_t i = 0; i < witness->segment_count; i++)
        if (witness->segments[i].step_count && !tell_segment(&teller, &witness->segments[i], all)) {
            weir_story_free(story);
            return false;
        }
    return true;
}

void weir_story_free(struct weir_story *story)
{
    free(story->lines);
    *story = (struct weir_story){0};
}

static void add_share(int64_t *shares, const struct weir_step *step, int64_t time)
{
    if (step->counts)
        shares[step->op.index] += time;
}

/* Only what lies after the start of the measured message counts. */
static void share_out(const struct weir_pipeline *pipeline, const struct weir_story *story, int64_t *shares)
{
    for (size_t i = 0; i < story->count; i++) {
        const struct weir_story_line *line = &story->lines[i];
        if (line->end <= 0)
            continue;
        if (line->kind == WEIR_STORY_STEP) {
            add_share(shares, line->step, line->start < 0 ? line->end : line->end - line->start);
            continue;
        }
        int64_t once = duration_of(pipeline, line->segment), times = line->times;
        if (line->start < 0 && once > 0)
            times = line->end / once;
        for (size_t k = 0; k < line->segment->step_count; k++)
            add_share(shares, &line->segment->steps[k], times * line->segment->steps[k].time);
    }
}

bool weir_story_culprit(const struct weir_pipeline *pipeline, const struct weir_story *story, struct weir_operator *op,
                        int64_t *time)
{
    uint32_t count = weir_pipeline_operator_count(pipeline);
    int64_t *shares = calloc(count ? count : 1, sizeof *shares);
    *time = 0;
    if (!shares)
        return false;
    share_out(pipeline, story, shares);
    for (uint32_t i = 0; i < count; i++)
        if (shares[i] > *time) {
            *time = shares[i];
            op->index = i;
        }
    free(shares);
    return *time > 0;
}
