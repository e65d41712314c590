/* SPDX-License-Identifier: Apache-2.0 */
/* What the answers of all searches have in common (answer/answer.h): bounds before and after, names, amounts, headlines. */
#ifndef WEIR_EXPLORE_RESULT_H
#define WEIR_EXPLORE_RESULT_H

#include "answer/answer.h"

/* "880 us", in the arena; "-" where the denominator is 0. May be negative. */
const char *weir_result_amount(struct weir_answer *answer, struct weir_ratio ticks);
const char *weir_result_time(struct weir_answer *answer, int64_t ticks);
/* "1,234" */
const char *weir_result_count(struct weir_answer *answer, int64_t count);
/* "camera -> screen" of the pipeline that the bound is about; "the whole". */
const char *weir_result_chain(struct weir_answer *answer, const struct weir_pipeline *pipeline, const struct weir_bound *bound);
/* "a -> b"; the second of several queues from a to b is "a -> b#2". */
const char *weir_result_queue(struct weir_answer *answer, const struct weir_pipeline *pipeline, uint32_t queue);

/* The bound as a number; people read "no bound" or "not known" where there is none. */
struct weir_datum weir_result_worst(const struct weir_bound *bound);
/* Whether a deadline is met: null where that is not decided. */
struct weir_datum weir_result_met(enum weir_deadline_state state);

/* "all deadlines met", "1 deadline missed, 2 not proved", "no bound for 2 latencies", "no deadlines". */
const char *weir_result_deadlines(struct weir_answer *answer, const struct weir_bound *bounds, size_t count);

/* One latency before and after; either may be missing. */
struct weir_result_chain {
    const struct weir_bound *before, *after;
};
/* The same latency in another answer; NULL: it has none. `pipeline` is that of the bound. Of several between the same operators the
 * one that counts the same iterations, or else the first. */
const struct weir_bound *weir_result_find(const struct weir_answer *in, const struct weir_pipeline *pipeline,
                                          const struct weir_bound *bound);
/* Of two answers: those there are after, in their order, then those that went. NULL when out of memory. */
struct weir_result_chain *weir_result_chains(struct weir_answer *answer, const struct weir_answer *before,
                                             const struct weir_answer *after, size_t *count);
/* A table for people: the bounds before and after, what lies between them, deadlines. Either answer may be NULL for its bounds'
 * pipeline being that of `answer`. */
struct weir_result_table {
    const struct weir_pipeline *before, *after;
    const struct weir_result_chain *chains;
    size_t count;
    const char *title, *note;
    bool with_best;
};
void weir_result_add_table(struct weir_answer *answer, const struct weir_result_table *table);
/* What the engines say of a model before and after a search. */
struct weir_result_pair {
    struct weir_answer *before, *after;
};
enum weir_status weir_result_ask(const struct weir_pipeline *before, const struct weir_pipeline *after,
                                 const struct weir_answer_options *options, struct weir_result_pair *pair,
                                 struct weir_error *error);
void weir_result_pair_free(struct weir_result_pair *pair);
/* The worst latencies of both: a table for people, arrays for programs, the verdict. note: NULL for none. */
void weir_result_add_pair(struct weir_answer *answer, const struct weir_result_pair *pair, const char *note);

/* Adds names of operators to a record, as "from" and "to". */
void weir_result_add_ends(struct weir_record *record, const struct weir_pipeline *pipeline, struct weir_operator from,
                          struct weir_operator to);
/* Whether an interrupt was asked for. */
static inline bool weir_result_stopped(const bool *stop)
{
    return stop && __atomic_load_n(stop, __ATOMIC_RELAXED);
}

#endif
