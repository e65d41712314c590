/* SPDX-License-Identifier: Apache-2.0 */
/* Between the run over events (lines.c) and what is done at each of them (lines_look.c). */
#ifndef WEIR_ENGINE_EXACT_LINES_INSIDE_H
#define WEIR_ENGINE_EXACT_LINES_INSIDE_H

#include "engine/exact/lines.h"

/* Looking at an actor in a row. */
struct weir_look {
    uint32_t actor;
    int64_t row;
    int64_t time;           /* its own: best or worst */
    int64_t before;         /* what its line came to in the row before */
    bool base, base_finish; /* a path ends here: at its finish, or at its start */
    int64_t until;          /* the row in which it is to be looked at again */
};

static inline void weir_look_until(struct weir_look *look, int64_t row)
{
    look->until = row < look->until ? row : look->until;
}

static inline struct weir_label_line weir_hot_at(const struct weir_label_piece *piece, int64_t row)
{
    return WEIR_ALIVE(piece->hot.value)
               ? (struct weir_label_line){piece->hot.value + piece->hot.slope * (row - piece->row), piece->hot.slope}
               : (struct weir_label_line){WEIR_DEAD, 0};
}

struct weir_label_line weir_line_at(const struct weir_label_piece *piece, int64_t row);
/* The row in which `low`, which is not above it in `row`, exceeds `high`; INT64_MAX: never. */
int64_t weir_line_overtakes(struct weir_label_line low, struct weir_label_line high, int64_t row);
/* The piece of the actor in the row, going on from the cursor; NULL: there is nothing yet. */
const struct weir_label_piece *weir_track_advance(const struct weir_track *track, uint32_t actor, uint32_t *cursor, int64_t row);
void weir_lines_bundle(struct weir_lines *lines, struct weir_track *track, const struct weir_look *look, bool finish,
                       struct weir_bundle *bundle);
/* How long the line of the bundle goes on, now that the actor's own is known. */
void weir_bundle_settle(struct weir_bundle *bundle, struct weir_label_line own, struct weir_look *look);
/* The slope that the line has had twice, where it was looked at in row after row. */
void weir_lines_trust(const struct weir_track *track, const struct weir_look *look, struct weir_label_line *line);
/* Adds the piece where it differs from the line so far, and comes back when it ends. False: out of memory. */
bool weir_lines_keep(struct weir_lines *lines, struct weir_track *track, const struct weir_look *look,
                     struct weir_label_piece *piece);
bool weir_lines_push(struct weir_lines *lines, int64_t row, uint32_t actor);

/* ---- lines_look.c ---- */

bool weir_lines_look_best(struct weir_lines *lines, uint32_t actor, int64_t row);
bool weir_lines_look_label(struct weir_lines *lines, uint32_t actor, int64_t row);
/* No event is left: what rises does so for ever. */
void weir_lines_close(struct weir_lines *lines);

#endif
