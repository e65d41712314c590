/* SPDX-License-Identifier: Apache-2.0 */
/* From what files say to a pipeline. */
#ifndef WEIR_READ_HOLOSCAN_EVIDENCE_BUILD_H
#define WEIR_READ_HOLOSCAN_EVIDENCE_BUILD_H

#include "read/draft.h"
#include "read/holoscan/evidence.h"

/* Shared by the steps of weir_evidence_build. */
struct weir_evidence_building {
    struct weir_evidence *evidence;
    const struct weir_holoscan_options *options;
    struct weir_draft *draft;
    uint32_t *alias; /* by operator of the store: the operator it is */
    uint32_t *made;  /* by operator of the store: that of the draft, or WEIR_NO_OPERATOR */
};

/* Which names of different files are one operator's: "App.camera" in one is "camera" in another. */
void weir_evidence_resolve(struct weir_evidence_building *building);
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
/* Widened by the margin, outwards to whole microseconds, since nobody measures nanoseconds this way; WEIR_TIME_UNKNOWN where that
 * is too long. */
int64_t weir_evidence_widen(int64_t nanoseconds, uint32_t margin_permille, bool up);

/* Makes a pipeline of all that was said, and notes what is missing, contradictory or only estimated. */
enum weir_status weir_evidence_build(struct weir_evidence *evidence, const struct weir_holoscan_options *options,
                                     struct weir_pipeline **pipeline, struct weir_errors *errors);

#endif
