/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What happens when, as one value: lanes with spans of time on them, the critical path through them, arrows between spans, levels
 * over time, rulers. Builders make one from a witness, a simulation, execution intervals, a plan of launches or a measured run;
 * render/timeline draws any of them and render/trace writes any of them, without knowing where it came from.
 */
#ifndef WEIR_ANSWER_TIMELINE_H
#define WEIR_ANSWER_TIMELINE_H

#include "answer/answer.h"
#include "base/alloc.h"
#include "base/error.h"
#include "weir.h"

enum weir_span_kind {
    WEIR_SPAN_EXECUTION, /* an execution in the shortest time ... */
    WEIR_SPAN_CRITICAL,  /* ... or at its worst, because the critical path needs it */
    WEIR_SPAN_MEASURED,  /* an execution of a run ... */
    WEIR_SPAN_EXCESS,    /* ... that took longer than its worst case */
    WEIR_SPAN_LAUNCH,    /* a kernel on the SMs ... */
    WEIR_SPAN_PART,      /* ... or a part of one; the last word of the label is its number */
    WEIR_SPAN_WINDOW,    /* when an execution can be under way */
    WEIR_SPAN_EARLIEST,  /* within it: the best time, as early as it can be */
    WEIR_SPAN_LATEST,    /* within it: the worst time, as late as it can end */
    WEIR_SPAN_NEXT,      /* the window of the next iteration */
    WEIR_SPAN_GPU,       /* what of an execution is work on a GPU */
    WEIR_SPAN_DELAY,     /* executions of others that can come before an execution ends; `by` tells in which lane those are */
    WEIR_SPAN_TARDY,     /* what of an execution comes after its deadline */
    WEIR_SPAN_LATENCY,   /* a length between two moments */
    WEIR_SPAN_ENABLED,   /* moments, `from` alone: the latest enabling, */
    WEIR_SPAN_ARRIVAL,   /* the arrival of an input, */
    WEIR_SPAN_DEADLINE,  /* when a latency must be over, and until when it may go on where that is later; look: its state */
    WEIR_SPAN_RELEASE,   /* of an execution, from which its deadline counts */
    WEIR_SPAN_LOST,      /* a message that is never read */
    WEIR_SPAN_KINDS,
};

struct weir_timeline_group {
    const char *name, *note; /* note may be NULL */
    bool heading;            /* the name stands above the lanes in a picture */
};

struct weir_timeline_lane {
    uint32_t group; /* lanes of a group follow each other */
    const char *name;
    const char *details; /* in words, for tooltips and screen readers; may be NULL */
    const char *label;   /* stands behind `label_at`; NULL: none */
    struct weir_ratio label_at;
    uint32_t rows;        /* spans that overlap lie on different ones */
    const char *row_name; /* NULL, or what a row is ("SM"): they are numbered then, and a span covers several */
    uint32_t row_limit;   /* of numbered rows: those that exist; the others are what is needed beyond */
    bool hidden;          /* from pictures, in which another lane shows the same */
    size_t first_span, span_count;
};

struct weir_timeline_span {
    enum weir_span_kind kind;
    uint32_t row, row_count; /* row_count 0 counts as 1 */
    uint32_t look;           /* colour and hatching */
    uint32_t by;             /* 1 + the lane of those that a delay comes from; 0: none */
    bool open;               /* it goes on when the timeline ends */
    int64_t iteration;       /* -1: none */
    struct weir_ratio from, to;
    const char *label;              /* NULL: the iteration */
    const char *note;               /* what else there is to say; may be NULL */
    const struct weir_field *facts; /* what else is known of it */
    size_t fact_count;
};

/* A step of the critical path: it waited, for that reason, until the step before it was over. */
struct weir_timeline_step {
    uint32_t lane, row;
    int64_t iteration;
    struct weir_ratio from, to;
    enum weir_wait wait;
    const char *reason; /* what it waited for, in words; NULL: nothing is known */
    const char *label;  /* of the span that it is; NULL: the lane and the iteration tell */
};

enum weir_leg_kind { WEIR_LEG_RUNNING, WEIR_LEG_WAITING, WEIR_LEG_BLOCKED, WEIR_LEG_UNDER_WAY, WEIR_LEG_KINDS };

/* A leg of the journey of the measured message; each begins where the one before it ends. */
struct weir_timeline_leg {
    enum weir_leg_kind kind;
    uint32_t lane, row;
    int64_t iteration;
    struct weir_ratio from, to;
    const char *text; /* "running in infer", "waiting behind frame 0 in infer" */
};

enum weir_arrow_kind {
    WEIR_ARROW_DATA, /* a message, from its sender to its receiver */
    WEIR_ARROW_ROOM, /* a free slot, from the operator that took a message out of the queue to the one that waited for it and starts
                        then */
};

struct weir_timeline_arrow {
    const char *name;
    size_t from, to; /* spans */
    enum weir_arrow_kind kind;
};

/* A step function: how much there is of something, such as messages in a queue. */
struct weir_timeline_level {
    const char *name, *title; /* name: of its own; title: in words */
    uint32_t lane;            /* WEIR_NO_LANE: not in pictures */
    int64_t capacity, most;   /* capacity 0: without bound */
    size_t first_point, point_count;
};
#define WEIR_NO_LANE UINT32_MAX

struct weir_timeline_point {
    struct weir_ratio at;
    int64_t value;
};

enum weir_ruler_kind { WEIR_RULER_LATENCY, WEIR_RULER_BOUND, WEIR_RULER_LOWER, WEIR_RULER_DEADLINE };

struct weir_timeline_ruler {
    enum weir_ruler_kind kind;
    struct weir_ratio from, to;
    const char *text;
    enum weir_deadline_state state;    /* of a deadline */
    struct weir_ratio over;            /* what comes later than a deadline ends here; denominator 0: nothing does */
    const char *from_event, *to_event; /* what happens at its ends; may be NULL */
    const char *from_mark, *to_mark;   /* the same as names of moments in a trace; may be NULL */
};

/* A moment that concerns all lanes. */
struct weir_timeline_marker {
    struct weir_ratio at;
    const char *label; /* may be NULL */
};

/* Texts belong to the arena, or outlive the timeline. */
struct weir_timeline {
    const char *title, *subtitle, *summary, *axis; /* summary: one line instead of the picture */
    const char *account;                           /* what the latency adds up from; may be NULL */
    const char *iteration_name;                    /* "iteration" or "execution" */
    const char *marker_name, *marker_legend;       /* may be NULL */
    const char *bar_legend; /* what the bars of a run are; NULL: executions at their best time, or measured */
    enum weir_unit unit;
    unsigned digits;              /* a tick is 10^-digits units */
    int64_t origin;               /* what pictures count from */
    struct weir_ratio begin, end; /* what is known */
    struct weir_ratio reach;      /* pictures go as far at least; denominator 0: to the end */
    struct weir_field *facts;     /* what else is known of the whole */
    struct weir_timeline_group *groups;
    struct weir_timeline_lane *lanes;
    struct weir_timeline_span *spans; /* by lane; where they overlap, later ones lie on top */
    struct weir_timeline_step *steps; /* in order of time */
    struct weir_timeline_leg *legs;   /* ... */
    struct weir_timeline_arrow *arrows;
    struct weir_timeline_level *levels;
    struct weir_timeline_point *points;
    struct weir_timeline_ruler *rulers;
    struct weir_timeline_marker *markers;
    size_t fact_count, group_count, lane_count, span_count, step_count, leg_count, arrow_count, level_count, point_count,
        ruler_count, marker_count;
    size_t fact_room, group_room, lane_room, span_room, step_room, leg_room, arrow_room, level_room, point_room, ruler_room,
        marker_room;
    struct weir_arena arena;
    bool failed; /* out of memory while it was made */
};

/* ---- making one: the adding functions never fail; weir_timeline_end() tells ---- */

/* Takes over the name and unit of the pipeline. NULL: out of memory. */
struct weir_timeline *weir_timeline_new(const struct weir_pipeline *pipeline);
/* Hands it out; or frees it, and *out is NULL, where the status is not WEIR_OK or something added did not find room. */
enum weir_status weir_timeline_end(struct weir_timeline *timeline, enum weir_status status, struct weir_timeline **out,
                                   struct weir_error *error);

const char *weir_timeline_text(struct weir_timeline *timeline, const char *format, ...) WEIR_PRINTF(2, 3);
void weir_timeline_add_fact(struct weir_timeline *timeline, const char *key, struct weir_datum value);
/* A copy of the facts, for a span. */
const struct weir_field *weir_timeline_facts(struct weir_timeline *timeline, const struct weir_field *facts, size_t count);
void weir_timeline_add_group(struct weir_timeline *timeline, struct weir_timeline_group group);
void weir_timeline_add_lane(struct weir_timeline *timeline, struct weir_timeline_lane lane); /* to the last group */
void weir_timeline_add_span(struct weir_timeline *timeline, struct weir_timeline_span span); /* to the last lane */
void weir_timeline_add_step(struct weir_timeline *timeline, struct weir_timeline_step step);
void weir_timeline_add_leg(struct weir_timeline *timeline, struct weir_timeline_leg leg);
void weir_timeline_add_arrow(struct weir_timeline *timeline, struct weir_timeline_arrow arrow);
void weir_timeline_add_level(struct weir_timeline *timeline, struct weir_timeline_level level);
void weir_timeline_add_point(struct weir_timeline *timeline, struct weir_timeline_point point); /* to the last level */
void weir_timeline_add_ruler(struct weir_timeline *timeline, struct weir_timeline_ruler ruler);
void weir_timeline_add_marker(struct weir_timeline *timeline, struct weir_timeline_marker marker);
/* Puts spans of the last lane that overlap on different rows, the fewest that do; they are in order of their starts. */
void weir_timeline_pack(struct weir_timeline *timeline);
/* "camera -> infer", with a number behind it where an earlier queue of the pipeline has the same ends. */
const char *weir_timeline_queue_name(struct weir_timeline *timeline, const struct weir_pipeline *pipeline, uint32_t queue);

static inline struct weir_ratio weir_ticks(int64_t ticks)
{
    return (struct weir_ratio){ticks, 1};
}

/* "4.666667", or "4.666667 us": up to six digits behind the point, the rest rounded up or down. Return text. */
const char *weir_timeline_number(const struct weir_timeline *timeline, struct weir_ratio ticks, bool up, char text[WEIR_TIME_TEXT]);
#define WEIR_AMOUNT_TEXT (WEIR_TIME_TEXT + 8)
const char *weir_timeline_amount(const struct weir_timeline *timeline, struct weir_ratio ticks, bool up,
                                 char text[WEIR_AMOUNT_TEXT]);
/* "us", or "ticks". */
const char *weir_timeline_unit(const struct weir_timeline *timeline);
/* "deadline: 60 ms, 15 to spare": how far what is proved lies below it, or above it. */
const char *weir_timeline_deadline(struct weir_timeline *timeline, const struct weir_bound *bound);
/* The unit behind that number: one tick, not one ticks. */
const char *weir_timeline_unit_of(const struct weir_timeline *timeline, const char *number);

/* What the journey adds up from: "44 ms = 32 running + 12 growing old between fuse and plan". */
void weir_timeline_sum_legs(struct weir_timeline *timeline);

/* ---- from what; others are public ---- */

/* How the worst case of a bound happens. WEIR_INVALID where it has no witness, WEIR_OVERFLOW where that is too long to be played.
 */
enum weir_status weir_timeline_of_witness(const struct weir_pipeline *pipeline, const struct weir_bound *bound,
                                          struct weir_timeline **timeline, struct weir_error *error);
/* When executions on shared processors can be under way. bounds: one per latency, judged. */
enum weir_status weir_timeline_of_intervals(const struct weir_priority_analysis *analysis, const struct weir_bound *bounds,
                                            struct weir_timeline **timeline, struct weir_error *error);
/* The launches of a plan over the SMs, where everything takes as long as it can. */
enum weir_status weir_timeline_of_plan(const struct weir_gpu_plan *plan, struct weir_timeline **timeline, struct weir_error *error);

/* A simulation, also where operators share threads: of those that are ready the first of the pipeline is taken, at once. With
 * `followed` the journey of a message of the chain; NULL: none. */
struct weir_timeline_followed {
    const struct weir_chain_spec *chain;
    bool ages;      /* of the oldest data that the chain ends with, and what is lost; else of the message that takes longest, */
    int64_t period; /* ... counted from its arrival at one in each period, from the start of the first; 0: from its own start */
};
enum weir_status weir_timeline_simulate(const struct weir_pipeline *pipeline, const struct weir_simulation_options *options,
                                        const struct weir_timeline_followed *followed, struct weir_timeline **timeline,
                                        struct weir_error *error);
/* A group for each shared processor with the lanes that `add` makes for its operators, the most urgent first (processors.c).
 * lanes[op] tells which lane an operator gets. false: out of memory. */
bool weir_timeline_by_processor(struct weir_timeline *timeline, const struct weir_pipeline *pipeline, uint32_t *lanes,
                                void (*add)(void *context, uint32_t op), void *context);
/* A run on shared processors at worst times, of some inputs of a source with that period. All sources whose phase is unknown begin
 * at 0; iterations are those of each operator. */
enum weir_status weir_timeline_run_processors(const struct weir_pipeline *pipeline, int64_t period, struct weir_timeline **timeline,
                                              struct weir_error *error);
/* Where no worst case is known: a run at worst times, with what is proved beside it, or why nothing is (example.c). */
enum weir_status weir_timeline_of_example(const struct weir_answer *answer, size_t bound, struct weir_timeline **timeline,
                                          struct weir_error *error);
/* The same on a pool of cores (cores.c). */
enum weir_status weir_timeline_of_cores(const struct weir_answer *answer, size_t bound, struct weir_timeline **timeline,
                                        struct weir_error *error);

/* A longer timeline opens nowhere. */
#define WEIR_TIMELINE_EXECUTIONS_MAX 1000000

#endif
