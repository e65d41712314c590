/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a report. Each writes a piece of HTML; errors of the stream are looked at once, at the end. */
#ifndef WEIR_RENDER_HTML_PAGE_H
#define WEIR_RENDER_HTML_PAGE_H

#include "answer/answer.h"
#include "answer/number.h"
#include "weir.h"

#define WEIR_PAGE_TIME WEIR_NUMBER_TEXT
#define WEIR_PAGE_RANGE (2 * WEIR_PAGE_TIME + 16)
#define WEIR_PAGE_ROWS 200 /* of a table; of more only how many there are */

/* What the table above several models says about one of them. */
struct weir_page_answer {
    const char *kind;     /* good, bad or unknown */
    const char *headline; /* of the verdict */
    const char *platform; /* in words */
    bool has_bound;
    struct weir_bound bound;     /* the one that decides the verdict */
    char worst[WEIR_PAGE_RANGE]; /* of it, or of the whole */
};

struct weir_page {
    FILE *out;
    const struct weir_report_options *options;
    const struct weir_report_model *model; /* the one that is being written */
    unsigned number;                       /* of it, from 1 */
    size_t count;                          /* of all models */
    unsigned pictures;                     /* so far: each has ids of its own */
    enum weir_verdict verdict;             /* of all models so far */
    struct weir_page_answer answer;        /* about the model */
    struct weir_error *error;
};

/* ---- text (text.c) ---- */

/* "33.3 ms": ticks with the unit of the model. */
const char *weir_page_time(const struct weir_page *page, int64_t ticks, char text[WEIR_PAGE_TIME]);
/* The same for a ratio of ticks, rounded up. */
const char *weir_page_ratio(const struct weir_page *page, struct weir_ratio ratio, char text[WEIR_PAGE_TIME]);
const char *weir_page_name(const struct weir_page *page, struct weir_operator op);
/* What the model is called: its name, or its file. */
const char *weir_page_title(const struct weir_report_model *model);
/* What the terminal says, with what stands between ` as code and arrows as such; a sentence begins with a capital letter here. */
void weir_page_words(struct weir_page *page, const char *words);
void weir_page_sentence(struct weir_page *page, const char *words);
/* How much of the model is done. */
void weir_page_progress(const struct weir_page *page, unsigned permille);
/* Begins the paragraph of the verdict: good, bad or unknown, and a headline that outlives the page. */
void weir_page_verdict(struct weir_page *page, const char *kind, const char *headline);

/* ---- pictures (picture.c) ---- */

struct weir_picture {
    const void *subject; /* what is drawn: an analysis, a plan */
    size_t index;        /* and which latency of it */
    const char *label;   /* of the frame that it zooms in; NULL: without a frame */
    const char *kind;    /* class of the figure */
    enum weir_status (*write)(const struct weir_picture *picture, FILE *out, struct weir_error *error);
};
/* Its ids become those of this picture alone. What cannot be drawn is said in its place. */
enum weir_status weir_page_picture(struct weir_page *page, const struct weir_picture *picture);
/* What happens in the worst case of a bound; hidden at first, or shown. */
enum weir_status weir_page_timeline(struct weir_page *page, const struct weir_answer *answer, size_t bound, bool hidden);
/* The pipeline, with its heading, and the critical path of a bound. */
enum weir_status weir_page_drawing(struct weir_page *page, const struct weir_answer *answer, size_t bound);

/* ---- models ---- */

/* All about the model but its heading (model.c). */
enum weir_status weir_page_model(struct weir_page *page);
/* In parts that scripts can put others in place of (answer.c): verdict and latencies; the heading of the timeline; what latencies
 * add up from, throughput, tables;
 * simulated runs, what to change, what is assumed. */
void weir_page_head(struct weir_page *page, const struct weir_answer *answer);
void weir_page_happens(struct weir_page *page, const struct weir_answer *answer);
void weir_page_figures(struct weir_page *page, const struct weir_answer *answer);
enum weir_status weir_page_advice(struct weir_page *page, const struct weir_answer *answer);
/* Any table of an answer: what the terminal shows of it (table.c). */
void weir_page_table(struct weir_page *page, const struct weir_table *table);
/* What a bound begins, or ends, with. */
const char *weir_page_end(const struct weir_page *page, const struct weir_bound *bound, bool last);
/* What was seen of the operators, where times were observed. */
void weir_page_observed(struct weir_page *page);
/* The model itself, as YAML. */
enum weir_status weir_page_source(struct weir_page *page);
/* How long responses took in simulated runs, against the bound: a picture and a sentence. */
enum weir_status weir_page_distribution(struct weir_page *page, const struct weir_bound *bound, size_t index);
/* What the latency depends on, most promising first; or what would give it a bound. */
enum weir_status weir_page_changes(struct weir_page *page, const struct weir_bound *bound, uint32_t chain);

#endif
