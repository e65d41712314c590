/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Models against what they were. A baseline (baseline.c, record.c) has for each model what its latencies were and the model itself,
 * so that, when a latency got worse (judge.c), the differences between the two models (difference.c) can be made one by one to see
 * which of them does it (cause.c). Differences are those of the model files: both models are written as JSON in the one way that
 * the writer has, so that every key of the schema takes part, and a model with some of the differences is a file again (variant.c).
 */
#ifndef WEIR_GUARD_GATE_H
#define WEIR_GUARD_GATE_H

#include "answer/answer.h"
#include "base/json.h"
#include "base/number.h"
#include "explore/result.h"
#include "read/yaml/tree.h"

/* ---- the baseline (baseline.c) ---- */

/* A model as it was. Its bounds are in its own ticks. */
struct weir_guard_record {
    const char *file;
    struct weir_pipeline *pipeline;
    struct weir_bound *bounds;
    size_t bound_count;
    bool held; /* against a model of today, or against one that cannot be read */
};

struct weir_tolerance {
    bool given, percent;
    struct weir_decimal value; /* of a percentage: the number before the sign */
};

/* What became of a model. */
struct weir_guard_entry {
    struct weir_guard_model model;
    struct weir_guard_record *record; /* NULL: it is new */
    struct weir_pipeline *pipeline;   /* of today; NULL: gone, or not read */
    struct weir_answer *today;        /* its answer */
    struct weir_answer *answer;       /* to fill */
    struct weir_errors *errors;
};

struct weir_guard {
    struct weir_arena arena; /* of the baseline, and names of files */
    struct weir_guard_options options;
    struct weir_tolerance tolerance;
    const char *version; /* of the weir that wrote the baseline */
    struct weir_guard_record *records;
    size_t record_count, record_capacity;
    struct weir_guard_entry *entries;
    size_t entry_count, entry_capacity;
};

enum weir_status weir_tolerance_parse(const char *text, struct weir_tolerance *tolerance, struct weir_error *error);
enum weir_status weir_baseline_read(struct weir_guard *guard, const char *path, struct weir_errors *errors);

/* ---- bounds (judge.c) ---- */

/* Ticks of one pipeline as ticks of another; false where these have no seconds in common, or it does not fit. */
bool weir_guard_scale(const struct weir_pipeline *from, const struct weir_pipeline *to, struct weir_ratio *ticks);
/* A bound of one pipeline in the ticks of another. */
bool weir_guard_scale_bound(const struct weir_pipeline *from, const struct weir_pipeline *to, struct weir_bound *bound);

/* Two bounds in the same ticks, those of the answer. */
struct weir_guard_judgement {
    enum weir_guard_change change;
    enum weir_verdict verdict;
    const char *message; /* in the arena of the answer */
};
struct weir_guard_judgement weir_guard_judge(const struct weir_guard *guard, struct weir_answer *answer,
                                             const struct weir_result_chain *chain);
/* "95 ms", "at most 95 ms", "90 ms to 95 ms", "no bound". */
const char *weir_guard_words(struct weir_answer *answer, const struct weir_bound *bound);

/* ---- differences (difference.c) ---- */

enum { WEIR_BEFORE, WEIR_AFTER, WEIR_SIDES };

/* An operator, queue, latency ..., or a key of the platform, as it stands in both model files. */
struct weir_guard_part {
    const char *section;                            /* "operators"; "platform.gpu" */
    const char *name;                               /* "detect", "a -> b", "a -> b#2", "workers" */
    const char *ends[2];                            /* operators that it is about; NULL: none */
    const struct weir_yaml_node *nodes[WEIR_SIDES]; /* NULL: not there */
    const char *texts[WEIR_SIDES];                  /* as JSON in one line */
    uint32_t group;                                 /* of parts that differ; UINT32_MAX: it does not */
};

struct weir_guard_difference {
    struct weir_arena arena;
    struct weir_guard_part *parts;
    size_t part_count, part_capacity;
    uint32_t *order[WEIR_SIDES]; /* parts as they stand there, then the others */
    size_t group_count;          /* parts that can only differ together are of one group: an operator and its queues */
    bool same;                   /* the files are the same, to the byte */
    bool out_of_memory;
};

enum weir_status weir_difference_find(struct weir_guard_difference *difference, const struct weir_pipeline *before,
                                      const struct weir_pipeline *after, struct weir_error *error);
void weir_difference_free(struct weir_guard_difference *difference);
/* "operator detect: time [20, 30] -> [20, 40]", of all parts of a group, in the arena of the answer. */
const char *weir_difference_words(const struct weir_guard_difference *difference, uint32_t group, struct weir_answer *answer);
/* Where it stands in the pipeline of today; line 0: nowhere. */
struct weir_place weir_difference_place(const struct weir_guard_difference *difference, uint32_t group,
                                        const struct weir_pipeline *today);

/* ---- model files (variant.c) ---- */

/* A value as JSON; the first `blocks` levels have a line for each entry. */
void weir_node_write(struct weir_json *json, const struct weir_yaml_node *node, unsigned blocks);
/* The tree of the model file, in the arena; NULL: the error says why. */
const struct weir_yaml_node *weir_model_tree(const struct weir_pipeline *pipeline, struct weir_arena *arena,
                                             struct weir_error *error);
/* What the writer writes, as text in the arena. */
typedef void weir_text_writer(struct weir_json *json, const void *context);
const char *weir_text_make(struct weir_arena *arena, weir_text_writer *writer, const void *context);
/* The model of one side with the group as it is on the other; NULL where that is no model that can be read. */
enum weir_status weir_variant_read(const struct weir_guard_difference *difference, int side, uint32_t group,
                                   struct weir_pipeline **pipeline);

/* ---- causes (cause.c) and the answer (tell.c) ---- */

/* What there is to know of each latency: `findings` and `chains` go together. */
struct weir_guard_work {
    struct weir_guard *guard;
    struct weir_guard_entry *entry;
    struct weir_guard_finding *findings;
    struct weir_result_chain *chains;
    size_t count;
};
enum weir_status weir_guard_find_causes(const struct weir_guard_work *work, struct weir_error *error);
void weir_guard_tell(const struct weir_guard_work *work);

#endif
