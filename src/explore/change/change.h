/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A revision: the changes to one pipeline while they are read and made. All that is written in them is read by the readers of the
 * model file, into a draft that knows the operators and processors of the pipeline by name; so words, units and messages are the
 * same. Places in the draft are those of all texts one below the other; they are separated at the end.
 */
#ifndef WEIR_EXPLORE_CHANGE_CHANGE_H
#define WEIR_EXPLORE_CHANGE_CHANGE_H

#include "read/yaml/value.h"

/* numbers: ticks, a count, 0 or 1, an index, an enumerator; of an interval both ends, else the first alone. */
struct weir_value {
    uint32_t times[2]; /* of the draft, until the tick is chosen */
    int64_t numbers[2];
};

/* One value, or those of a range. */
struct weir_item {
    bool range;
    struct weir_value first, last, step;
    struct weir_place place;
    const char *text;
};

/* One target of an assignment. */
struct weir_setting {
    const struct weir_key *key;
    const char *name;   /* of the key, as it was written: "cost.init" */
    uint32_t from, to;  /* an operator, processor or source; a queue's or a chain's ends. WEIR_NO_OPERATOR: all queues */
    uint32_t number;    /* of parallel queues, from 1; 0: all */
    const char *target; /* as it was written, without the key */
    struct weir_place place;
};

/* TARGET.KEY,TARGET.KEY=VALUES */
struct weir_assignment {
    size_t change;       /* which text */
    size_t first, count; /* settings */
    const char *label;   /* what stands before the = */
    struct weir_item *items;
    size_t item_count, item_capacity;
};

struct weir_revision {
    const struct weir_pipeline *pipeline;
    const struct weir_change *changes;
    size_t count;
    size_t first_range; /* from this one on, assignments may have many values */
    struct weir_errors *notes, *errors;

    struct weir_errors *found; /* by place in all texts */
    struct weir_read_options reading;
    struct weir_draft draft;
    struct weir_arena arena;
    uint32_t *lines; /* by change, its first; one more behind the last */

    uint8_t *gone_operators, *gone_queues; /* removed, by index in the pipeline */
    uint32_t *renumbered;                  /* operators, by index in the pipeline */
    size_t kept_operators;

    struct weir_setting *settings;
    size_t setting_count, setting_capacity;
    struct weir_assignment *assignments;
    size_t assignment_count, assignment_capacity;

    unsigned digits; /* of the new tick */
    int64_t scale;   /* new ticks in an old one */
};

/* Reads all changes. WEIR_INVALID when there is a mistake. Free the revision in any case. */
enum weir_status weir_revision_read(struct weir_revision *revision);
void weir_revision_free(struct weir_revision *revision);
/* Tells the mistakes and, where all is read, the notes, to the lists of the caller. */
void weir_revision_report(struct weir_revision *revision);

/* A pipeline on the new tick, not sealed: as it was, or with what is removed and added. NULL: the error says why. */
struct weir_pipeline *weir_revision_build(const struct weir_revision *revision, bool changed, struct weir_error *error);
/* Puts a value in place; nothing is checked yet. */
enum weir_status weir_setting_apply(const struct weir_setting *setting, const struct weir_value *value,
                                    struct weir_pipeline *pipeline, struct weir_error *error);
/* ... and checked, once all are in place: of each assignment the value that is given; NULL: it is ignored. */
struct weir_revision_wrong {
    const struct weir_setting *setting;
    struct weir_error error;
};
typedef const struct weir_value *weir_value_of(const void *context, const struct weir_assignment *assignment);
enum weir_status weir_revision_set(const struct weir_revision *revision, struct weir_pipeline *pipeline, weir_value_of *value_of,
                                   const void *context, struct weir_revision_wrong *wrong);
/* Builds, and sets what is no range; not sealed, freed by the caller in any case. Tells what is wrong to revision->found. */
enum weir_status weir_revision_make(struct weir_revision *revision, bool changed, struct weir_pipeline **pipeline);
/* Tells an error to revision->found, unless memory has run out; setting NULL: of the whole. Its status. */
enum weir_status weir_revision_fail(struct weir_revision *revision, const struct weir_setting *setting,
                                    const struct weir_error *error);
/* What a setting has put in place is something that a pipeline can have, whatever the rest of it is. */
enum weir_status weir_setting_check(const struct weir_setting *setting, const struct weir_pipeline *pipeline,
                                    struct weir_error *error);
/* Whether a queue is one that the setting is about. `rank`: how many queues between the same ends stand before it. */
bool weir_setting_has_queue(const struct weir_setting *setting, const struct weir_queue_spec *queue, uint32_t rank);

/* ---- parts of reading ---- */

/* A part of the text of a change. */
struct weir_piece {
    size_t change, begin, end;
};
struct weir_place weir_piece_place(const struct weir_revision *revision, struct weir_piece piece);
/* Without space at both ends. */
struct weir_piece weir_piece_trim(const struct weir_revision *revision, struct weir_piece piece);
/* Its text, in the arena; NULL: out of memory. */
const char *weir_piece_text(struct weir_revision *revision, struct weir_piece piece);
/* As YAML, every place being that in the texts; NULL: nothing there, or a mistake that is reported. */
struct weir_yaml_node *weir_piece_parse(struct weir_revision *revision, struct weir_piece piece);
void weir_revision_mistake(struct weir_revision *revision, struct weir_piece piece, const char *format, ...) WEIR_PRINTF(3, 4);

/* TARGET or A->B or A->B#2, maybe with .KEY behind it. */
struct weir_target {
    struct weir_piece from, to, key; /* `to` and `key` may be empty */
    bool arrow, has_key;
};
/* False when it is reported to be none. */
bool weir_target_parse(struct weir_revision *revision, struct weir_piece piece, bool with_key, struct weir_target *target);
/* A name without its quotes, in the arena; `number` (may be NULL) gets what stands behind # where the name has no quotes and none
 * of the operators of the pipeline is called that. NULL: reported, or out of memory. */
const char *weir_target_name(struct weir_revision *revision, struct weir_piece piece, uint32_t *number);

/* TARGET.KEY,...=VALUE */
void weir_revision_assign(struct weir_revision *revision, size_t change);
/* A value of that key, from a piece; reported when it is none. */
bool weir_value_read(struct weir_revision *revision, struct weir_piece piece, const struct weir_key *key, struct weir_value *value);
/* Items of an assignment: one, or where ranges are asked for, lists and ranges. */
void weir_values_read(struct weir_revision *revision, struct weir_piece piece, const struct weir_key *key,
                      struct weir_assignment *assignment);
void weir_revision_add(struct weir_revision *revision, size_t change);
void weir_revision_remove(struct weir_revision *revision, size_t change);

/* What has a key, as a target says it: what is in "cost" or "gpu" of an operator is the operator's, a kernel is one, and so on. */
enum weir_owner weir_key_target(const struct weir_key *key);
/* The key of that name that such a target has and that can be set, "time" or "cost.init"; NULL: none. */
const struct weir_key *weir_key_find(const char *name, enum weir_owner target);
/* Any key of that name; NULL: none. */
const struct weir_key *weir_key_named(const char *name);
/* "" or "; did you mean ...?" */
const char *weir_key_hint(const char *name, char text[WEIR_HINT]);

#endif
