/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Flowgraphs of GNU Radio Companion (.grc). The file says which blocks there are and how they are connected, but neither how many
 * samples a block makes of how many, nor what it costs: the first is looked up by the type of the block where that settles it, the
 * rest has to be given. What comes of it is a pipeline on a pool of cores, or a list of what must still be given.
 */
#ifndef WEIR_READ_GNURADIO_GRC_H
#define WEIR_READ_GNURADIO_GRC_H

#include "read/yaml/tree.h"

#define WEIR_GRC_NONE UINT32_MAX
#define WEIR_GRC_BYTES_MAX (UINT64_C(1) << 26) /* a flowgraph */

/* ---- numbers ---- */

/* What an expression comes to, exactly: numerator / denominator in lowest terms, the denominator positive, both below 2^62. */
struct weir_grc_number {
    int64_t numerator, denominator;
    bool real;    /* a float in Python, not an int */
    bool rounded; /* what Python computes may differ in the last digit */
};

enum weir_grc_answer { WEIR_GRC_KNOWN, WEIR_GRC_UNKNOWN, WEIR_GRC_NEEDS };

/* What names stand for: WEIR_GRC_NEEDS when that is still to be found out. */
struct weir_grc_scope {
    enum weir_grc_answer (*look_up)(void *context, const char *name, size_t bytes, struct weir_grc_number *number);
    void *context;
};
/* Numbers, names, + - * / // % **, parentheses, int() and float(). Anything else is unknown. */
enum weir_grc_answer weir_grc_evaluate(const char *text, const struct weir_grc_scope *scope, struct weir_grc_number *number);
/* False when the result has too many digits. */
bool weir_grc_multiply(struct weir_grc_number a, struct weir_grc_number b, struct weir_grc_number *product);
bool weir_grc_divide(struct weir_grc_number a, struct weir_grc_number b, struct weir_grc_number *quotient);
bool weir_grc_reduce(weir_wide numerator, weir_wide denominator, struct weir_grc_number *number);

/* ---- the flowgraph ---- */

enum weir_grc_state { WEIR_GRC_ENABLED, WEIR_GRC_DISABLED, WEIR_GRC_BYPASSED };

/* How the value of a variable stands. */
enum weir_grc_progress { WEIR_GRC_NEW, WEIR_GRC_ACTIVE, WEIR_GRC_DONE };

/* Where a frequency comes from: the further down, the less it is worth. */
enum weir_grc_anchor {
    WEIR_GRC_GIVEN,   /* on the command line */
    WEIR_GRC_DEVICE,  /* a source that samples something */
    WEIR_GRC_PACED,   /* a throttle */
    WEIR_GRC_PLAYED,  /* a sink that plays at a fixed frequency */
    WEIR_GRC_NOMINAL, /* a computed signal; nothing holds GNU Radio to it */
    WEIR_GRC_FREE,    /* none */
};

struct weir_grc_block {
    const char *name, *type;
    const struct weir_yaml_node *parameters; /* NULL: none */
    struct weir_place place;
    enum weir_grc_state state;
    bool variable;
    enum weir_grc_progress progress; /* of a variable */
    enum weir_grc_answer answer;
    struct weir_grc_number value;

    uint32_t inputs, outputs; /* streams at it, once connections are resolved */
    bool messages;            /* some of its connections carry messages */
    bool padded;              /* it feeds a pad, which is no block when the flowgraph runs */
    bool has_rate;
    uint32_t produce, consume;           /* an execution's, of each stream; 1 and 1 where there is nothing to know */
    bool has_cost, own_cost;             /* own: it was given for this block, not for its type */
    const char *cost_init, *cost_sample; /* times */
    enum weir_grc_anchor anchor;         /* what it says itself */
    struct weir_grc_number frequency;    /* ... of its samples, in Hz; then that of the source */
    bool has_frequency;                  /* a source whose frequency is settled */
    bool anchored;                       /* something around it tells how often it runs, or would, were all rates known */
    struct weir_grc_number speed;        /* executions for each one of the first block of its part */
};

/* A stream. Virtual and bypassed blocks are joined through. */
struct weir_grc_stream {
    uint32_t from, to;
    struct weir_place place;
};

/* A connection of the file. */
struct weir_grc_wire {
    uint32_t from, to;
    const char *from_port, *to_port;
    struct weir_place place;
};

struct weir_grc {
    struct weir_draft *draft;
    struct weir_arena *arena;
    struct weir_place options_place;
    struct weir_grc_block *blocks;
    size_t block_count, block_capacity;
    struct weir_names names; /* of blocks */
    uint32_t *stack;         /* variables whose value is being found, each waiting for the next */
    struct weir_grc_wire *wires;
    size_t wire_count, wire_capacity;
    struct weir_grc_stream *streams;
    size_t stream_count, stream_capacity;
};

/* Something the user should know that is no mistake. */
void weir_grc_note(const struct weir_grc *grc, struct weir_place place, const char *format, ...) WEIR_PRINTF(3, 4);
/* Whether it is in the model. */
static inline bool weir_grc_runs(const struct weir_grc_block *block)
{
    return block->inputs > 0 || block->outputs > 0 || block->padded;
}
/* The last value of a key that is text, NULL when there is none. */
const struct weir_yaml_node *weir_grc_field(const struct weir_yaml_node *map, const char *key);
const char *weir_grc_parameter(const struct weir_grc_block *block, const char *key);
/* WEIR_GRC_NONE when there is none of that name. */
uint32_t weir_grc_find(const struct weir_grc *grc, const char *name, size_t bytes);
/* Makes the index of names; those of disabled blocks give way. Two blocks of one name are reported. */
bool weir_grc_index(struct weir_grc *grc);

/* Finds the value of every variable; one that depends on itself is reported. */
void weir_grc_solve(struct weir_grc *grc);
/* After that: the value of a parameter. */
bool weir_grc_value(struct weir_grc *grc, const char *text, struct weir_grc_number *number);

/* From wires to streams. */
void weir_grc_connect(struct weir_grc *grc);

/* What its type and parameters tell about the rates of a block, and about the frequency of its samples. */
void weir_grc_look_up(struct weir_grc *grc, struct weir_grc_block *block);

/* What the command line gives. */
void weir_grc_apply_options(struct weir_grc *grc);
/* Costs from a file, for blocks that have none yet. */
void weir_grc_read_costs(struct weir_grc *grc, const char *path);
/* The frequency of every source, as far as it follows from anything. */
void weir_grc_pace(struct weir_grc *grc);
/* Reports what is missing, or fills in the draft. */
void weir_grc_finish(struct weir_grc *grc);

#endif
