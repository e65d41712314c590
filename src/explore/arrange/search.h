/* SPDX-License-Identifier: Apache-2.0 */
/* Between weir_explore and the searches, one for each kind of change. */
#ifndef WEIR_EXPLORE_ARRANGE_SEARCH_H
#define WEIR_EXPLORE_ARRANGE_SEARCH_H

#include "explore/arrange/score.h"

#define WEIR_NOTE_TEXT 512

/* One exploration at work. */
struct weir_arrange_search {
    const struct weir_pipeline *model;
    const struct weir_explore_options *options; /* with no 0 left that stands for a default */
    struct weir_priority_options analysis;
    struct weir_candidate *before;   /* about the model */
    struct weir_exploration *result; /* evaluations, complete and interrupted, and the fields of each goal, are the search's */
    char *note;                      /* WEIR_NOTE_TEXT bytes, empty */
};

/* What was found best so far. */
struct weir_best {
    int64_t *point; /* room for one, the caller's */
    struct weir_score score;
    bool any;
};
void weir_best_offer(struct weir_best *best, const int64_t *point, size_t width, const struct weir_score *score);

/* A scorer for this search, with the evaluations that are left. */
struct weir_scorer weir_search_scorer(const struct weir_arrange_search *search, const struct weir_design_space *space,
                                      struct weir_judge judge);
/* Takes over what the scorer has to say about itself. */
void weir_search_end(struct weir_arrange_search *search, const struct weir_scorer *scorer, bool complete);

/* Each sets result->pipeline when it has found something better than the model. */
enum weir_status weir_search_arrangement(struct weir_arrange_search *search, struct weir_error *error);
enum weir_status weir_search_spacing(struct weir_arrange_search *search, struct weir_error *error);
enum weir_status weir_search_buffers(struct weir_arrange_search *search, struct weir_error *error);

#endif
