/* SPDX-License-Identifier: Apache-2.0 */
/* From what files say to a pipeline. */
#ifndef WEIR_READ_HOLOSCAN_EVIDENCE_BUILD_H
#define WEIR_READ_HOLOSCAN_EVIDENCE_BUILD_H

#include "read/holoscan/evidence.h"

/* Shared by the steps of weir_evidence_build. */
struct weir_evidence_building {
    struct weir_evidence *evidence;
    const struct weir_holoscan_options *options;
    struct weir_draft *draft;
    uint32_t *alias; /* by operator of the store: the operator it is */
    uint32_t *made;  /* by operator of the store: that of the draft, or WEIR_NO_OPERATOR */
    bool *untimed;   /* by operator of the draft; NULL: all have times, or are mistakes */
};

/* Whether a file that gives the graph has the operator, under this name. */
static inline bool weir_evidence_is_drawn(const struct weir_evidence_building *building, uint32_t op)
{
    const struct weir_evidence_operator *o = &building->evidence->operators[op];
    const struct weir_evidence_file *file = &building->evidence->files[o->at.file];
    return o->by_graph && file->connects && !file->times_only && building->alias[op] == op;
}
/* Operators, broadcasts and queues. */
void weir_evidence_make_graph(struct weir_evidence_building *building);
/* Times of the operators that are there, with where they came from; and periods. */
void weir_evidence_make_times(struct weir_evidence_building *building);

/* A time of the draft. */
uint32_t weir_evidence_time_of(struct weir_draft *draft, int64_t nanoseconds);
/* Widened by the margin, outwards to whole microseconds, since times are not measured in nanoseconds; WEIR_TIME_UNKNOWN where that
 * is too long. */
int64_t weir_evidence_widen(int64_t nanoseconds, uint32_t margin_permille, bool up);

/* Makes a pipeline of all that was read, and notes what is missing, contradictory or only estimated. */
enum weir_status weir_evidence_build(struct weir_evidence *evidence, const struct weir_holoscan_options *options,
                                     struct weir_pipeline **pipeline, struct weir_errors *errors);

/* ---- between evidence_graph_build.c, which finds the queues there are, and evidence_kinds.c, which knows what each is like ----
 */

struct weir_link {
    const struct weir_evidence_connection *says;
    uint32_t from, to; /* resolved */
    bool graph;        /* not of a file for times only */
    bool kept;
    bool latest, timed; /* what any file says of these ends */
    int64_t transfer_min, transfer_max;
    uint32_t batch;
    bool shared; /* others lead to the same input port */
};

struct weir_linking {
    struct weir_evidence_building *b;
    struct weir_link *links;
    size_t count;
    const struct weir_evidence_port **ports; /* sorted */
    bool ported, observed;                   /* there is a file for the graph with ports; one that was observed */
    uint32_t *fragments;                     /* by operator: a file that is about its fragment, plus one; 0: none */
    bool unsized;                            /* a capacity was not said */
};

static inline int weir_link_compare(size_t a, size_t b)
{
    return (a > b) - (a < b);
}

static inline const char *weir_link_file(const struct weir_linking *l, struct weir_evidence_place at)
{
    return l->b->evidence->files[at.file].path;
}

/* By owner, so that all about one port is together: for qsort. */
int weir_link_by_owner(const void *left, const void *right);
/* Which fragment each operator is of. */
void weir_link_find_fragments(struct weir_linking *linking);
/* The kind of the queue into the broadcast of an output port. */
uint32_t weir_link_to_broadcast(struct weir_linking *linking, const struct weir_link *link);
/* ... from a port, or from its broadcast where it is fanned out, to the receiver. */
uint32_t weir_link_to_receiver(struct weir_linking *linking, const struct weir_link *link, bool fanned);

#endif
