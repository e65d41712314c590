/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The keys of the model file, as one table (schema.def): what has a key, what its value is, where it is kept, on which platforms
 * it has a meaning, what holds when it is missing. The readers, the writers, changes, platform checks, the reference page, the JSON
 * Schema and the equality of two pipelines all follow it.
 */
#ifndef WEIR_MODEL_SCHEMA_H
#define WEIR_MODEL_SCHEMA_H

#include "weir.h"

/* Where a key may stand. */
enum {
    WEIR_ON_THREADS = 1,
    WEIR_ON_PROCESSORS = 2,
    WEIR_ON_POOL = 4,
    WEIR_ON_GPU = 8,
    WEIR_ON_OPERATORS = 7, /* all but a GPU, which has kernels */
    WEIR_ON_ALL = 15
};

/* What the model says of where operators run, apart from processors: one mapping of the file. */
struct weir_platform_spec {
    uint32_t cores;
    int64_t latency_limit;
    struct weir_workers_spec workers;
    struct weir_gpu_spec gpu;
};

enum weir_value_type {
    WEIR_VALUE_OTHER,    /* read and written by code of its own */
    WEIR_VALUE_MAP,      /* a mapping: the keys of `inside` */
    WEIR_VALUE_TIME,     /* int64_t */
    WEIR_VALUE_INTERVAL, /* int64_t[2], the least and the most */
    WEIR_VALUE_COUNT,    /* a whole number from 1 to `most` */
    WEIR_VALUE_NUMBER,   /* ... from 0 */
    WEIR_VALUE_INTEGER,  /* ... from -`most`, or one less where nothing is counted */
    WEIR_VALUE_CAPACITY, /* a count, "unbounded", or where operators share processors or cores "auto" */
    WEIR_VALUE_FLAG,     /* bool */
    WEIR_VALUE_CHOICE,   /* an enumerator: one of `words`, by value */
    WEIR_VALUE_NAME,     /* const char *, NULL when it is not given */
    WEIR_VALUE_OPERATOR, /* the index of one that is defined */
    WEIR_VALUE_PROCESSOR,
};

/* What has keys. */
enum weir_owner {
#define WEIR_OWNER(id, ...) WEIR_OF_##id,
#define WEIR_KEY(id, ...)
#include "model/schema.def"
    WEIR_OF_DEFAULTS,   /* some of the keys of a kernel */
    WEIR_OF_DEPENDENCY, /* ... of a queue */
    WEIR_OF_MEASURE,    /* ... of a deadline */
    WEIR_OWNERS
};

/* Keys are numbered in the order of the table, those of an owner side by side. */
enum weir_key_id {
#define WEIR_OWNER(id, ...) WEIR_FIRST_##id, WEIR_BEFORE_##id = WEIR_FIRST_##id - 1,
#define WEIR_KEY(id, ...) WEIR_KEY_##id,
#include "model/schema.def"
    WEIR_KEY_COUNT
};

struct weir_key {
    const char *name;
    enum weir_owner owner;
    enum weir_value_type type;
    enum weir_owner inside; /* WEIR_VALUE_MAP */
    unsigned also;          /* other owners that have it, as 1 << owner */
    unsigned char platforms;
    unsigned char shown; /* platforms on which JSON has it even where it says nothing new */
    /* Where the value is, in the structure of the owner, and whether it is there; a pointer for WEIR_VALUE_MAP. `size` 0: read and
     * written by code of its own; a mapping has the structure of its owner. `has` 0: said when it is not `usual`. */
    unsigned short offset, has;
    unsigned char size;
    bool inverted; /* a flag that is kept the other way round */
    bool alias;    /* another key has the same field */
    bool required; /* the mapping is none without it */
    bool settable; /* by weir explore --what-if and in sweeps */
    /* What makes a pipeline better, as one would expect: +1 more of it, -1 less of it, 0 not known. */
    signed char better;
    int64_t usual;  /* what it is when it is not said; a count below it says nothing either. WEIR_NEVER_USUAL: always said */
    const char *of; /* what is counted ("samples"), named ("a stream"), or expected in place of a time */
    uint64_t most;
    const char *const *words; /* WEIR_VALUE_CHOICE; NULL behind the last, "" where an enumerator has no word */
    /* Why it has no meaning: on shared processors, on a pool of cores, on a GPU. */
    const char *not_shared, *not_pool, *not_gpu;
    const char *hint;    /* behind the message that a required key is missing */
    const char *text;    /* documentation: the value */
    const char *missing; /* ... what holds when it is missing; NULL: nothing to say */
    const char *json;    /* WEIR_VALUE_OTHER: its JSON Schema */
};
#define WEIR_NEVER_USUAL INT64_MIN

extern const struct weir_key weir_keys[WEIR_KEY_COUNT];
static inline enum weir_key_id weir_key_id(const struct weir_key *key)
{
    return (enum weir_key_id)(key - weir_keys);
}

struct weir_owner_words {
    const char *id;       /* "operator" */
    const char *words;    /* "an operator" */
    const char *subject;  /* how a message begins that its value is no mapping: "\"cost\"" */
    const char *expected; /* ... and what it says instead: "a mapping such as {init: 2us}" */
    const char *prefix;   /* of its keys in changes: "cost." */
};
extern const struct weir_owner_words weir_owner_words[WEIR_OWNERS];

/* Why a key cannot be given on a platform that does not have it: "has no meaning on a GPU: ..." or "needs a GPU: ...". Returns
 * `text`. */
#define WEIR_MISPLACED 160
const char *weir_key_misplaced(const struct weir_key *key, unsigned char platform, char text[WEIR_MISPLACED]);

/* The keys of an owner: those from *first up to but not *end for which weir_key_is_of says yes. */
void weir_owner_keys(enum weir_owner owner, enum weir_key_id *first, enum weir_key_id *end);
static inline bool weir_key_is_of(const struct weir_key *key, enum weir_owner owner)
{
    return key->owner == owner || (key->also >> owner & 1);
}
unsigned char weir_platform_bit(enum weir_platform platform);

/* ---- values ---- */

/* The value as a number; of an interval the end 0 or 1. Of a name, whether there is one. `spec` is the structure of the owner. */
int64_t weir_key_get(const struct weir_key *key, const void *spec, int end);
/* Puts numbers in place (two of an interval), and says that they are there. */
void weir_key_set(const struct weir_key *key, void *spec, const int64_t numbers[2]);
const char *weir_key_get_name(const struct weir_key *key, const void *spec);
void weir_key_set_name(const struct weir_key *key, void *spec, const char *name);
/* Whether the structure says something for the key: it is there, and not what it would be anyway. */
bool weir_key_is_said(const struct weir_key *key, const void *spec);
/* The structure of the mapping behind the key, NULL where there is none. */
const void *weir_key_inside(const struct weir_key *key, const void *spec);
/* The enumerator of a word, in any case; -1: none. */
int64_t weir_key_choice(const struct weir_key *key, const char *word);
/* "a, b or c" */
#define WEIR_CHOICES_TEXT 96
const char *weir_key_choices(const struct weir_key *key, char text[WEIR_CHOICES_TEXT]);

/* ---- all values of a structure ---- */

/* What becomes of a time. */
typedef int64_t weir_time_map(void *context, const struct weir_key *key, int64_t time);
/* Each time of the structure, apart from those in mappings that have a structure of their own. */
void weir_spec_map_times(enum weir_owner owner, void *spec, weir_time_map *map, void *context);
/* ... of an operator or kernel, with all that it points to. */
struct weir_operator_copy {
    struct weir_operator_spec spec; /* points into this copy */
    struct weir_observed observed;
    struct weir_launch launch;
    struct weir_gpu_time *table; /* the caller frees it; NULL when there is none */
};
/* False: out of memory. */
bool weir_operator_map_times(const struct weir_operator_spec *from, struct weir_operator_copy *copy, weir_time_map *map,
                             void *context);
/* Whether every value but times, names and indices of the two is the same. */
bool weir_spec_same(enum weir_owner owner, const void *a, const void *b);

struct weir_platform_spec weir_platform_spec(const struct weir_pipeline *pipeline);

#endif
