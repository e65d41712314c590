/* SPDX-License-Identifier: Apache-2.0 */
/* What if: changes to a pipeline, in the words of the model file.
 * Experimental: may change with any version; weir.h includes it where WEIR_EXPERIMENTAL is defined. */
#ifndef WEIR_CHANGE_H
#define WEIR_CHANGE_H

#include "weir/answer.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * docs/reference/explore.md has the words. WEIR_CHANGE_SET is TARGET.KEY=VALUE, with further targets before a comma each, where a
 * target is an operator, the name of a source, A->B (every queue from A to B), A->B#2 (the second), "queue" (all of them), a
 * processor or "platform"; the keys and values are those of the model file, besides "best" and "worst" of an operator and "within"
 * of A->B. WEIR_CHANGE_ADD is what would stand in the model: an item of "operators" or "queues", a source, a deadline.
 * WEIR_CHANGE_REMOVE is an operator, A->B or A->B#2. Names that hold dots are fine; those with "->", "," or "=" stand in double
 * quotes.
 */
enum weir_change_kind { WEIR_CHANGE_SET, WEIR_CHANGE_ADD, WEIR_CHANGE_REMOVE };

struct weir_change {
    enum weir_change_kind kind;
    const char *text;
    const char *name; /* what mistakes in it call it, as the file of the error; NULL: its text */
};

struct weir_changed {
    struct weir_errors *notes; /* set by the caller: gets what went with what was removed; NULL: not wanted */
    /* Both sealed, on the same tick, which is as fine as the changes need. */
    struct weir_pipeline *before; /* as it was */
    struct weir_pipeline *after;
};

/*
 * Removes, then adds, then sets, each in the order given; the result is that of a model file changed by hand. An operator that is
 * removed takes its queues, sources and latencies with it. An added queue that gives no capacity holds one message; on a pool of
 * cores it is left to the analysis. A period for an operator without one makes it a source. Every mistake is added to errors (may
 * be NULL), with the column in its text; WEIR_INVALID then, and nothing to free.
 */
WEIR_API enum weir_status weir_change_apply(const struct weir_pipeline *pipeline, const struct weir_change *changes, size_t count,
                                            struct weir_changed *changed, struct weir_errors *errors);
WEIR_API void weir_changed_free(struct weir_changed *changed); /* both pipelines */

/* What both say, side by side: bounds, deadlines, throughput, critical paths; for weir_answer_write_text and the like. It comes to
 * what the changed pipeline comes to. The pipelines must live on; changes and options may be NULL. Caller frees. */
WEIR_API enum weir_status weir_what_if(const struct weir_changed *changed, const struct weir_change *changes, size_t count,
                                       const struct weir_answer_options *options, struct weir_answer **answer,
                                       struct weir_error *error);

#ifdef __cplusplus
}
#endif
#endif
