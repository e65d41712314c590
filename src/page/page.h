/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a report. Each writes a piece of HTML; errors of the stream are looked at once, at the end. */
#ifndef WEIR_PAGE_PAGE_H
#define WEIR_PAGE_PAGE_H

#include "weir.h"

struct weir_page {
    FILE *out;
    const struct weir_report_options *options;
    const struct weir_report_model *model; /* the one that is being written */
    unsigned number;                       /* of it, from 1 */
    bool missed;                           /* a deadline is, or a latency has no bound: so far */
    struct weir_error *error;
};

#define WEIR_PAGE_TIME (WEIR_TIME_TEXT + 8)
/* "33.3 ms": ticks with the unit of the model. */
const char *weir_page_time(const struct weir_page *page, int64_t ticks, char text[WEIR_PAGE_TIME]);
/* The same for a ratio of ticks, rounded up in the third decimal of the unit; "about" stands before one that is rounded. */
const char *weir_page_ratio(const struct weir_page *page, struct weir_ratio ratio, char text[WEIR_PAGE_TIME + 8]);
const char *weir_page_name(const struct weir_page *page, struct weir_operator op);
/* What the model is called: its name, or its file. */
const char *weir_page_title(const struct weir_report_model *model);

/* The verdict: good, bad or unknown; then the words, which end the paragraph. */
void weir_page_verdict(struct weir_page *page, const char *kind, const char *headline);

/* A model whose operators have threads of their own, and one on any other platform: all but the heading. */
enum weir_status weir_page_threads(struct weir_page *page);
enum weir_status weir_page_platform(struct weir_page *page);

/* Parts of both. */
enum weir_status weir_page_drawing(struct weir_page *page, const struct weir_analysis *analysis);
enum weir_status weir_page_source(struct weir_page *page);

/* How long responses took in simulated runs, against the bound: a picture and a sentence. */
enum weir_status weir_page_distribution(struct weir_page *page, const struct weir_latency *latency, size_t index);
/* What the first latency depends on, most promising first. */
enum weir_status weir_page_changes(struct weir_page *page, uint32_t pair);

#endif
