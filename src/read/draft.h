/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a reader has understood of a file, before it is a pipeline. A file may use a name before it defines it, and the tick is
 * known only when every time has been seen; so the readers collect definitions here, and weir_draft_seal turns them into a
 * pipeline. Mistakes are reported on the way and never stop a reader.
 *
 * Running out of memory is remembered in out_of_memory: the calls that follow do nothing, and the readers look at it in their
 * loops, so that no call needs its own check.
 */
#ifndef WEIR_READ_DRAFT_H
#define WEIR_READ_DRAFT_H

#include "base/alloc.h"
#include "base/error.h"
#include "base/map.h"
#include "base/number.h"
#include "base/sorted.h"
#include "model/schema.h"

/* Stated limits; docs/reference/model.md and formats.md name them. */
#define WEIR_READ_BYTES_MAX (UINT64_C(1) << 31)      /* a file */
#define WEIR_READ_YAML_BYTES_MAX (UINT64_C(1) << 28) /* a YAML file, whose tree is held in memory */
#define WEIR_READ_CHAINS_MAX 10000                   /* latencies asked for */
#define WEIR_READ_WIDTHS_MAX (UINT64_C(1) << 22)     /* entries of the tables of all kernels */

#define WEIR_NO_OPERATOR UINT32_MAX
#define WEIR_NO_PROCESSOR UINT32_MAX
/* Times are referred to by number, so that one default can serve many operators; this one is 0 and was not written. */
#define WEIR_NO_TIME 0

struct weir_draft_time {
    struct weir_decimal value;
    int64_t ticks;
    struct weir_place place;
    bool bad; /* reported already; counts as 0 */
};

/*
 * The structures of weir.h as they are read: until the tick is chosen, each time in them is the number of a time, WEIR_NO_TIME
 * where none was given. Latencies are those structures themselves.
 */

/* An operator. Files may have millions, and most say nothing but their times: what else some say stands apart. */
struct weir_draft_operator {
    const char *name;
    struct weir_place place;
    uint32_t best, worst; /* times */
    uint32_t ports;       /* of its outputs, those fanned out so far */
    uint32_t rest;        /* what else there is: its number, plus one; 0: nothing */
    bool reentrant, broadcast, assumed;
};

struct weir_draft_rest {
    struct weir_operator_spec spec; /* but for what the operator has itself */
    struct weir_place launch_place; /* of "gpu" */
    size_t first_width;             /* of the table of a kernel, which has spec.time_count */
};

struct weir_draft_processor {
    struct weir_processor_spec spec;
    uint32_t slot; /* a time, for operators that give none */
    bool bad;      /* how it is shared is not known, and reported */
};

/* What queues have in common, so that a queue itself is small. */
struct weir_draft_kind {
    struct weir_queue_spec spec;     /* capacity 0: the default */
    bool bad;                        /* reported already; capacity and initial messages count as enough */
    struct weir_place initial_place; /* where `initial` was given; 0 when it was not */
};

struct weir_draft_queue {
    uint32_t from, to, kind; /* two operators, and the keys of the queue */
    struct weir_place place;
};

struct weir_draft_source {
    struct weir_source_spec spec; /* op.index WEIR_NO_OPERATOR: an unknown one, and reported */
    uint32_t entry;               /* of the file; those of one entry are one source */
    bool has_rate;                /* in place of the period */
    struct weir_decimal rate;     /* in Hz, above 0 */
    struct weir_place rate_place;
    bool bad;           /* how often it has arrivals is not known, and reported */
    int64_t rate_ticks; /* once times are ticks: spec.count arrivals in so many */
};

#define WEIR_PLANS_MAX 64                       /* in one model */
#define WEIR_PLAN_BYTES_MAX (UINT64_C(4) << 20) /* of each file */

/* A GPU, and where the plan that has it to itself is named. */
struct weir_draft_device {
    const char *name;
    struct weir_place place;
};

#define WEIR_DRAFT_CHUNK 65536 /* queues in a chunk */
#define WEIR_DRAFT_RECENT 256  /* kinds remembered */

struct weir_draft {
    const char *file;
    const struct weir_read_options *options; /* not NULL */
    struct weir_errors *errors;              /* may be NULL */
    size_t mistakes;
    bool out_of_memory;
    bool incomplete;    /* operators or queues may be missing because of a mistake; what follows from that is not reported */
    bool names_missing; /* so many that an unknown name is no mistake of its own */
    uint32_t suggestions_left;

    struct weir_arena arena; /* names */
    const char *name;        /* NULL: none */
    bool has_unit, unit_bad;
    enum weir_unit unit;
    uint32_t queue;   /* the model's own default capacity; 0: none */
    bool queues_kept; /* no option changes the capacity of a queue */

    bool gpu;                  /* operators are kernels of a GPU, queues are dependencies */
    bool too_many_widths;      /* reported already */
    bool shared;               /* operators share processors */
    bool pool;                 /* ... or run on a pool of cores */
    bool processors_listed;    /* the file names all there are; otherwise one comes into being where it is first named */
    enum weir_sharing sharing; /* of processors that say nothing */
    bool sharing_bad;          /* ... which is not known, and reported */
    bool polling_unsaid;       /* how often workers poll: as Holoscan then */
    bool processors_missing;   /* because of a mistake: an unknown name is then none of its own */
    bool too_many_chains;
    struct weir_platform_spec platform;

    struct weir_draft_time *times;
    size_t time_count, time_capacity;
    struct weir_draft_operator *operators;
    size_t operator_count, operator_capacity;
    struct weir_names names; /* of operators */
    struct weir_draft_rest *rests;
    size_t rest_count, rest_capacity;
    struct weir_gpu_time *widths; /* of the tables of kernels */
    size_t width_count, width_capacity;
    struct weir_draft_plan *plans; /* that operators take their times from */
    size_t plan_count, plan_capacity;
    struct weir_draft_device devices[WEIR_PLANS_MAX]; /* that plans run on */
    size_t device_count;
    struct weir_draft_processor *processors;
    size_t processor_count, processor_capacity;
    struct weir_names processor_names;
    struct weir_draft_kind *kinds;
    size_t kind_count, kind_capacity;
    uint32_t last_kind;                 /* asked for */
    uint32_t entry_count;               /* of sources */
    uint32_t recent[WEIR_DRAFT_RECENT]; /* by hash: kind + 1, or 0 */
    struct weir_draft_queue **chunks;
    size_t chunk_capacity;
    size_t queue_count;
    struct weir_draft_source *sources;
    size_t source_count, source_capacity;
    struct weir_chain_spec *chains;
    size_t chain_count, chain_capacity;
};

/* file, options and errors are set by the caller, everything else is zero. */
bool weir_draft_init(struct weir_draft *draft);
void weir_draft_free(struct weir_draft *draft);

/* Makes room for one more element in the array that `array` points to; false when out of memory, now or before. */
bool weir_draft_room(struct weir_draft *draft, void *array, size_t *capacity, size_t count, size_t size);
/* Reports a mistake of the file. */
void weir_draft_mistake(struct weir_draft *draft, struct weir_place place, const char *format, ...) WEIR_PRINTF(3, 4);

/* ---- names ---- */

/* WEIR_NO_OPERATOR when there is none of that name. */
uint32_t weir_draft_find(const struct weir_draft *draft, const char *name, size_t bytes);
/* The new operator, its place and times to be filled in; WEIR_NO_OPERATOR when out of memory. The name must be new. */
uint32_t weir_draft_add_operator(struct weir_draft *draft, const char *name, size_t bytes, struct weir_place place);
/* All of an operator as one structure, and the same the other way round. */
struct weir_operator_spec weir_draft_operator(const struct weir_draft *draft, uint32_t op);
void weir_draft_set_operator(struct weir_draft *draft, uint32_t op, const struct weir_operator_spec *spec);
/* The place for what else it says, made now if there is none; NULL when out of memory. Good until the next is made. */
struct weir_draft_rest *weir_draft_rest(struct weir_draft *draft, uint32_t op);
/* Reports the name of an operator that is empty or holds control characters; false then. */
bool weir_draft_check_name(struct weir_draft *draft, const char *name, size_t bytes, struct weir_place place);
/* The same of something else: "a processor". */
bool weir_draft_check_name_of(struct weir_draft *draft, const char *what, const char *name, size_t bytes, struct weir_place place);
/* "" or "; did you mean "NAME"?" with the nearest of the candidates. */
#define WEIR_HINT (WEIR_QUOTED + 24)
struct weir_candidates {
    size_t count;
    const char *(*name)(const void *context, uint32_t number); /* NULL: not this one */
    const void *context;
};
const char *weir_draft_hint(struct weir_draft *draft, const char *name, const struct weir_candidates *candidates,
                            char text[WEIR_HINT]);
const char *weir_draft_hint_operator(struct weir_draft *draft, const char *name, char text[WEIR_HINT]);
const char *weir_draft_hint_processor(struct weir_draft *draft, const char *name, char text[WEIR_HINT]);
/* The same from a list of words. */
const char *weir_hint_word(const char *word, const char *const *words, size_t count, char text[WEIR_HINT]);

/* NAME.broadcast, NAME.broadcast2 ..., for another fanned-out port of `from`; as weir_draft_add_operator. */
uint32_t weir_draft_add_broadcast(struct weir_draft *draft, uint32_t from, struct weir_place place);

/* ---- observations ---- */

/* What was seen of an operator; copied. */
void weir_draft_observe(struct weir_draft *draft, uint32_t op, const struct weir_observed *observed);
/* Once times are ticks: reports observations that cannot be, and notes what is only estimated. */
void weir_draft_check_observed(struct weir_draft *draft);

/* ---- times ---- */

/* Reads a time; `what` names it in messages. A time that is no time is reported and counts as 0. */
uint32_t weir_draft_time(struct weir_draft *draft, const char *text, struct weir_place place, const char *what);
/* A time that is known. */
uint32_t weir_draft_decimal(struct weir_draft *draft, const struct weir_decimal *value, struct weir_place place);
/* A time that could not be read and was reported by the caller. */
uint32_t weir_draft_bad_time(struct weir_draft *draft, struct weir_place place);
/* Reports an unknown unit; false then. */
bool weir_draft_set_unit(struct weir_draft *draft, const char *text, struct weir_place place);
/* Once times are ticks: those of a time. A weir_time_map whose context points to a pointer to the draft. */
int64_t weir_draft_ticks(void *draft, const struct weir_key *key, int64_t time);
/* ... whether a time was read, and is 0. */
static inline bool weir_draft_is_zero(const struct weir_draft *draft, int64_t time)
{
    return !draft->times[time].bad && draft->times[time].ticks == 0; /* WEIR_NO_TIME is bad */
}
/* Once all times are there: chooses the tick and converts every time to it. Returns the digits of the tick. */
unsigned weir_draft_choose_tick(struct weir_draft *draft);

/* ---- processors ---- */

/* WEIR_NO_PROCESSOR when there is none of that name. */
uint32_t weir_draft_find_processor(const struct weir_draft *draft, const char *name);
/* The new processor, shared as those are that say nothing; WEIR_NO_PROCESSOR when there are too many, which is reported once, or no
 * memory. The name must be new. */
uint32_t weir_draft_add_processor(struct weir_draft *draft, const char *name, struct weir_place place);

/* ---- workers ---- */

/* Before times become ticks: how often the scheduler polls where the file does not say. */
void weir_draft_poll(struct weir_draft *draft);

/* ---- a pool of cores ---- */

/* Whether operators have threads of their own. */
static inline bool weir_draft_threads(const struct weir_draft *draft)
{
    return !draft->shared && !draft->pool && !draft->gpu;
}
/* Reads a frequency, "44.1kHz"; false when it is none, which is reported. `what` is the key. */
bool weir_draft_read_rate(struct weir_draft *draft, const char *text, struct weir_place place, const char *what,
                          struct weir_decimal *rate);

/* ---- kernels of a GPU ---- */

/* An entry of the table of the kernel that was added last. */
void weir_draft_add_width(struct weir_draft *draft, uint32_t op, struct weir_gpu_time width);
/* Before times are ticks: what the options say in place of the file. */
void weir_draft_take_gpu_options(struct weir_draft *draft);
/* Once times are ticks: all that can be wrong with a graph of kernels. */
void weir_draft_check_kernels(struct weir_draft *draft);

/* Reports each dependency that closes a cycle. */
void weir_draft_check_cycles(struct weir_draft *draft);

/* ---- times from the plans of GPUs ---- */

struct weir_draft_plan {
    const char *path;
    enum weir_gpu_method method;
    bool bad; /* reported already */
    struct weir_decimal bound;
};

/* The bound of the plan for the graph of kernels in that file, as a time of `place`; reported when there is none. The path is
 * relative to the model's file. */
uint32_t weir_draft_plan_time(struct weir_draft *draft, const char *path, enum weir_gpu_method method, struct weir_place place);
/* A plan has the SMs of its GPU to itself, so two of them on one GPU, which may run at the same time, are a mistake. "" is the GPU
 * of models that have one. */
void weir_draft_claim_device(struct weir_draft *draft, const char *name, struct weir_place place);

/* ---- values that are no times ---- */

/* Reads a count, number, integer, capacity, flag or choice of that key; false when it is none, which is reported. */
bool weir_draft_read(struct weir_draft *draft, const char *text, struct weir_place place, const struct weir_key *key,
                     int64_t *number);

/* ---- queues ---- */

/* The number of such a kind. */
uint32_t weir_draft_kind(struct weir_draft *draft, const struct weir_draft_kind *kind);
void weir_draft_add_queue(struct weir_draft *draft, const struct weir_draft_queue *queue);
/* The capacity of queues of that kind, given or not. */
uint32_t weir_draft_capacity(const struct weir_draft *draft, const struct weir_queue_spec *kind);
struct weir_draft_queue *weir_draft_queue(const struct weir_draft *draft, size_t number);
/* All of them by the operator they come from. */
bool weir_draft_group_queues(const struct weir_draft *draft, struct weir_groups *groups);

/* ---- sources and latencies ---- */

void weir_draft_add_source(struct weir_draft *draft, const struct weir_draft_source *source);
/* Gives a name to each entry that feeds several operators and has none. */
void weir_draft_name_sources(struct weir_draft *draft);
void weir_draft_add_chain(struct weir_draft *draft, const struct weir_chain_spec *chain);

/* ---- ports (ports.c) ---- */

/* Puts a broadcast behind each operator with several receivers, unless ports are separate: where the file names no ports. */
void weir_draft_fan_out(struct weir_draft *draft);
/* What the options say of broadcasts that are assumed: before the pipeline is built, and after. */
void weir_draft_settle_ports(struct weir_draft *draft);
enum weir_status weir_draft_separate_ports(const struct weir_draft *draft, struct weir_pipeline **pipeline);

/* ---- the end ---- */

/* Once times are ticks of 10^-digits units: all that can be wrong with a model, and rates become ticks. Graphs of kernels have
 * weir_draft_check_kernels. */
void weir_draft_check(struct weir_draft *draft, unsigned digits);
/* ... of it what can be said of operators, queues and sources that are added to a pipeline. */
void weir_draft_check_added(struct weir_draft *draft, unsigned digits);
/* Checks what needs all definitions, builds and seals. The draft's queues are given up on the way. */
enum weir_status weir_draft_seal(struct weir_draft *draft, struct weir_pipeline **pipeline);

/* Sorts the mistakes, adds that memory ran out where it did, and frees the draft; what is to be returned then. */
enum weir_status weir_draft_finish(struct weir_draft *draft, enum weir_status status);

/* ---- the readers ---- */

struct weir_file_text;
void weir_read_yaml(struct weir_draft *draft, const struct weir_file_text *text);
void weir_read_dot(struct weir_draft *draft, const struct weir_file_text *text);
void weir_read_cuda(struct weir_draft *draft, const struct weir_file_text *text);
void weir_read_sdf3(struct weir_draft *draft, const struct weir_file_text *text);
void weir_read_grc(struct weir_draft *draft, const struct weir_file_text *text);

/* Whether DOT looks like that of CUDA. */
bool weir_text_is_cuda(const struct weir_file_text *text);

/* All of a file, the caller's to free; "-" is standard input. On failure errors says why. */
enum weir_status weir_read_bytes(const char *path, struct weir_errors *errors, char **bytes, size_t *size);

#endif
