/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a report. Each writes a piece of HTML; errors of the stream are looked at once, at the end. */
#ifndef WEIR_RENDER_HTML_PAGE_H
#define WEIR_RENDER_HTML_PAGE_H

#include "weir.h"

#define WEIR_PAGE_TIME (WEIR_TIME_TEXT + 8)
#define WEIR_PAGE_RANGE (2 * WEIR_PAGE_TIME + 16)

/* What the table above several models says about one of them. */
struct weir_page_answer {
    const char *kind;     /* good, bad or unknown */
    const char *headline; /* of the verdict */
    const char *platform; /* in words */
    bool has_pair;
    struct weir_pair_spec pair;  /* the latency that decides the verdict */
    char worst[WEIR_PAGE_RANGE]; /* of it, or of the whole */
};

struct weir_page {
    FILE *out;
    const struct weir_report_options *options;
    const struct weir_report_model *model; /* the one that is being written */
    unsigned number;                       /* of it, from 1 */
    unsigned pictures;                     /* so far: each has ids of its own */
    bool missed;                           /* a deadline is, or may be, or a latency has no bound: so far */
    struct weir_page_answer answer;        /* about the model */
    struct weir_error *error;
};

/* ---- words (words.c) ---- */

/* "33.3 ms": ticks with the unit of the model. */
const char *weir_page_time(const struct weir_page *page, int64_t ticks, char text[WEIR_PAGE_TIME]);
/* The same for a ratio of ticks, rounded up where it has more digits than ticks and thousandths have; then with "about". */
const char *weir_page_ratio(const struct weir_page *page, struct weir_ratio ratio, char text[WEIR_PAGE_TIME + 8]);
const char *weir_page_name(const struct weir_page *page, struct weir_operator op);
/* What the model is called: its name, or its file. */
const char *weir_page_title(const struct weir_report_model *model);
/* Begins the paragraph of the verdict: good, bad or unknown, and a headline that outlives the page. */
void weir_page_verdict(struct weir_page *page, const char *kind, const char *headline);

/* ---- pictures (picture.c) ---- */

struct weir_picture {
    const void *subject; /* what is drawn: an analysis, a plan */
    size_t index;        /* and which latency of it */
    const char *label;   /* of the frame that it zooms in; NULL: without a frame */
    const char *kind;    /* classes of the figure; "timeline hidden" is not shown at first */
    enum weir_status (*write)(const struct weir_picture *picture, FILE *out, struct weir_error *error);
};
/* Its ids become those of this picture alone. What cannot be drawn is said in its place. */
enum weir_status weir_page_picture(struct weir_page *page, const struct weir_picture *picture);
/* The pipeline, with its heading, and the critical path of a latency. analysis may be NULL. */
enum weir_status weir_page_drawing(struct weir_page *page, const struct weir_analysis *analysis, size_t latency);

/* ---- safe bounds (latencies.c) ---- */

struct weir_page_latency {
    struct weir_pair_spec pair;
    bool bounded, met;
    char worst[WEIR_PAGE_TIME + 8]; /* when bounded */
};
/* The latencies of an analysis; take has the i-th. */
struct weir_page_list {
    const void *analysis;
    size_t count;
    void (*take)(const struct weir_page *page, const void *analysis, size_t i, struct weir_page_latency *latency);
};
/* The verdict, and why there is no bound (NULL: there is one). */
void weir_page_put_verdict(struct weir_page *page, const struct weir_page_list *list, const char *why);
void weir_page_put_latencies(struct weir_page *page, const struct weir_page_list *list);
/* How much room each queue needs, where the model left that to the analysis. */
void weir_page_put_buffers(struct weir_page *page, const struct weir_buffer *buffers, size_t count);

/* ---- models ---- */

/* Whether each operator has a thread of its own, or finds one at once. */
bool weir_page_has_threads(const struct weir_pipeline *pipeline);

/* A model whose operators have threads of their own, and one on any other platform: all but the heading. */
enum weir_status weir_page_threads(struct weir_page *page);
enum weir_status weir_page_platform(struct weir_page *page);
/* ... and one with threads in which some messages are not waited for, or may be lost. */
enum weir_status weir_page_sample(struct weir_page *page);

/* What was seen of the operators, where times were observed. */
void weir_page_observed(struct weir_page *page);
/* The model itself, as YAML. */
enum weir_status weir_page_source(struct weir_page *page);
/* How long responses took in simulated runs, against the bound: a picture and a sentence. */
enum weir_status weir_page_distribution(struct weir_page *page, const struct weir_latency *latency, size_t index);
/* What the latency depends on, most promising first; or what would give it a bound. */
enum weir_status weir_page_changes(struct weir_page *page, const struct weir_latency *latency, uint32_t pair);

#endif
