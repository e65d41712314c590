/* SPDX-License-Identifier: Apache-2.0 */
/* A critical path in one line: "camera > detect (busy) x 3 > screen", so that two of them can be compared by eye. */
#include "answer/answer.h"

#include <string.h>

#define STEPS_MAX 24 /* more are counted, not named */

struct line {
    const struct weir_pipeline *pipeline;
    char *text; /* NULL: only measure */
    size_t used;
    size_t steps, left_out;
    const struct weir_step *last; /* NULL: none */
    size_t again;                 /* how often it came once more */
};

static void put(struct line *line, const char *text)
{
    size_t length = strlen(text);
    if (line->text)
        memcpy(line->text + line->used, text, length + 1);
    line->used += length;
}

static const char *wait_word(enum weir_wait wait)
{
    switch (wait) {
    case WEIR_WAIT_BUSY:
        return " (busy)";
    case WEIR_WAIT_BACKPRESSURE:
        return " (room)";
    case WEIR_WAIT_PERIOD:
        return " (period)";
    case WEIR_WAIT_ORDER:
        return " (turn)";
    case WEIR_WAIT_NONE:
    case WEIR_WAIT_DATA:
        break;
    }
    return "";
}

static const char *part_word(enum weir_part part)
{
    return part == WEIR_PART_GPU ? " on its GPU" : part == WEIR_PART_TRANSFER ? " gets a message" : "";
}

/* Parts that only help to model an execution are not told; nor are two parts of one execution told as two. */
static bool is_told(const struct line *line, const struct weir_step *step)
{
    if (step->part == WEIR_PART_GPU || step->part == WEIR_PART_TRANSFER)
        return true;
    if (step->part != WEIR_PART_EXECUTION)
        return false;
    return !line->last || line->last->op.index != step->op.index || step->wait != WEIR_WAIT_DATA;
}

static bool is_again(const struct line *line, const struct weir_step *step)
{
    const struct weir_step *last = line->last;
    return last && last->op.index == step->op.index && last->part == step->part && last->wait == step->wait;
}

static void put_again(struct line *line)
{
    char times[32];
    if (line->again) {
        snprintf(times, sizeof times, " x %zu", line->again + 1);
        put(line, times);
    }
    line->again = 0;
}

static void put_step(struct line *line, const struct weir_step *step)
{
    if (!is_told(line, step))
        return;
    if (line->steps && line->steps <= STEPS_MAX && is_again(line, step)) {
        line->again++;
        return;
    }
    line->last = step;
    if (line->steps++ >= STEPS_MAX) {
        line->left_out++;
        return;
    }
    put_again(line);
    put(line, line->steps > 1 ? " > " : "");
    put(line, weir_pipeline_operator(line->pipeline, step->op).name);
    put(line, part_word(step->part));
    put(line, wait_word(step->wait));
}

static void put_all(struct line *line, const struct weir_witness *witness)
{
    char more[96];
    for (size_t i = 0; i < witness->segment_count; i++) {
        const struct weir_segment *segment = &witness->segments[i];
        size_t before = line->steps;
        for (size_t j = 0; j < segment->step_count; j++)
            put_step(line, &segment->steps[j]);
        put_again(line);
        if (segment->repeat > 1 && line->steps > before && line->steps <= STEPS_MAX) {
            snprintf(more, sizeof more, " (the last %zu, %lld times)", line->steps - before, (long long)segment->repeat);
            put(line, more);
        }
    }
    if (line->left_out) {
        snprintf(more, sizeof more, " > and %zu more", line->left_out);
        put(line, more);
    }
}

bool weir_witness_words(const struct weir_pipeline *pipeline, const struct weir_witness *witness, struct weir_arena *arena,
                        const char **words)
{
    struct line line = {.pipeline = pipeline};
    put_all(&line, witness);
    char *text = weir_arena_take(arena, line.used + 1);
    *words = text;
    if (!text)
        return false;
    *text = 0;
    line = (struct line){.pipeline = pipeline, .text = text};
    put_all(&line, witness);
    return true;
}
