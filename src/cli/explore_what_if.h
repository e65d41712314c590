/* SPDX-License-Identifier: Apache-2.0 */
/* Between weir explore --what-if, and --sweep, and what they print. */
#ifndef WEIR_CLI_EXPLORE_WHAT_IF_H
#define WEIR_CLI_EXPLORE_WHAT_IF_H

#include "analyze.h"
#include "explore.h"

/* What the options --what-if, --add and --remove ask for. Zero-initialise. */
struct weir_change_list {
    struct weir_change *changes;
    size_t count;
};
/* From the lists by enum weir_change_kind, in the order in which they are made. False, with the message printed, when out of
 * memory. */
bool weir_changes_make(const struct weir_option_list lists[3], struct weir_change_list *list);
bool weir_changes_add(struct weir_change_list *list, enum weir_change_kind kind, const char *option,
                      const struct weir_option_list *texts);
void weir_changes_free(struct weir_change_list *list);
/* One line per mistake, with its option and column. */
void weir_changes_complain(const struct weir_pipeline *model, const char *path, const struct weir_errors *errors);
/* What should be known, on stderr. */
void weir_changes_note(const struct weir_errors *notes);
/* What bounds come to. */
enum weir_exit weir_verdicts_exit(const struct weir_verdicts *verdicts);

struct weir_what_if {
    const struct weir_change *changes;
    size_t count;
    const struct weir_changed *changed;
    const struct weir_verdicts *before, *after;
    const char *title;
    const char *out; /* where the changed model was written; NULL: nowhere */
};
void weir_what_if_print(const struct weir_what_if *what);
void weir_what_if_print_json(const struct weir_what_if *what);

/* ---- numbers of any engine (explore_verdict.c) ---- */

/* "880 us", "no bound" (it grows for ever), "not known", "none". */
const char *weir_verdict_format(const struct weir_pipeline *pipeline, const struct weir_verdict_latency *latency,
                                char text[WEIR_AMOUNT_TEXT]);
/* The same for JSON and CSV: a number in the model's unit, or `nothing`. */
const char *weir_verdict_number(const struct weir_pipeline *pipeline, const struct weir_verdict_latency *latency,
                                const char *nothing, char text[WEIR_AMOUNT_TEXT]);
/* A member of an object, without a comma or newline around it: an array of their ends, bounds and whether those are kept. */
void weir_verdicts_print_json(const struct weir_verdicts *verdicts, const char *key);
/* A time that may be negative, in the model's unit: exact, or rounded up in the last of some digits. Without, and with the unit's
 * name. */
const char *weir_signed_time(const struct weir_pipeline *pipeline, struct weir_ratio ticks, char text[WEIR_AMOUNT_TEXT]);
const char *weir_signed_amount(const struct weir_pipeline *pipeline, struct weir_ratio ticks, char text[WEIR_AMOUNT_TEXT]);
/* "camera -> screen", or "everything" on a GPU; text holds `size` bytes. */
const char *weir_verdict_title(const struct weir_pipeline *pipeline, const struct weir_verdict_latency *latency, char *text,
                               size_t size);
/* Which latency after goes with that one before: the same names; NULL: none. */
const struct weir_verdict_latency *weir_verdict_same(const struct weir_verdicts *in, const struct weir_pipeline *pipeline,
                                                     const struct weir_verdict_latency *latency);

#endif
