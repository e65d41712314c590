/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engines in a page. Compiled to WebAssembly, not into the library: what is exported here is called by assets/live.js. A page
 * reads its model once; a question is a list of changes in the words of `weir explore --what-if`, and what comes out is what the
 * program prints for the model so changed. Text goes in through a buffer, and comes out as a pointer that holds until the next
 * call.
 */
#include "render/html/live_layout.h"
#include "render/html/page.h"
#include "render/timeline/timeline.h"
#include "weir.h"

#include <stdlib.h>
#include <string.h>

#define EXPORT(name) __attribute__((export_name(name), used))
#define CHANGES_MAX 4096

static struct weir_pipeline *model; /* as it is given */
static struct weir_changed changed; /* ... and as it was asked about last */
static struct weir_answer *found;   /* what came of it */
static struct weir_change changes[CHANGES_MAX];
static size_t change_count;
static struct weir_error error;
static char *given; /* text from the page */
static size_t given_size;
static char *text; /* for the page */
static size_t text_bytes;

/* Debian's 128-bit division was compiled with a stack protector, which its wasi-libc does not have. */
/* NOLINTBEGIN(bugprone-reserved-identifier) */
__attribute__((weak)) uintptr_t __stack_chk_guard = 0x5bd1e995;
__attribute__((weak, noreturn)) void __stack_chk_fail(void);
__attribute__((weak, noreturn)) void __stack_chk_fail(void)
{
    __builtin_trap();
}
/* NOLINTEND(bugprone-reserved-identifier) */

/* Where the page writes `bytes` of text and a 0. */
EXPORT("given") char *live_given(size_t bytes)
{
    if (bytes >= given_size) {
        char *grown = realloc(given, bytes + 1);
        if (!grown)
            return NULL;
        given = grown;
        given_size = bytes + 1;
    }
    return given;
}

EXPORT("message") const char *live_message(void)
{
    return error.message;
}

static enum weir_status failed(struct weir_errors *errors, enum weir_status status)
{
    memset(&error, 0, sizeof error);
    if (status && errors && weir_errors_count(errors))
        error = *weir_errors_at(errors, 0);
    weir_errors_free(errors);
    return status;
}

static void forget(void)
{
    weir_answer_free(found);
    weir_changed_free(&changed);
    found = NULL;
    changed = (struct weir_changed){0};
}

/* The model, as JSON. */
EXPORT("read") int live_read(size_t bytes)
{
    struct weir_errors *errors = weir_errors_new();
    forget();
    weir_pipeline_free(model);
    model = NULL;
    return (int)failed(errors, errors ? weir_read_memory(given, bytes, "model", NULL, &model, errors) : WEIR_MEMORY);
}

EXPORT("clear") void live_clear(void)
{
    while (change_count > 0)
        free((char *)changes[--change_count].text);
}

/* TARGET.KEY=VALUE */
EXPORT("change") int live_change(void)
{
    char *copy = change_count < CHANGES_MAX && given ? strdup(given) : NULL;
    if (!copy)
        return WEIR_MEMORY;
    changes[change_count++] = (struct weir_change){.kind = WEIR_CHANGE_SET, .text = copy};
    return WEIR_OK;
}

/* With the changes since `clear`; without any, the model as it is. */
EXPORT("analyze") int live_analyze(uint64_t work_limit)
{
    struct weir_answer_options options = {.work_limit = work_limit};
    struct weir_errors *errors = weir_errors_new();
    forget();
    enum weir_status status = !errors        ? WEIR_MEMORY
                              : change_count ? weir_change_apply(model, changes, change_count, &changed, errors)
                                             : WEIR_OK;
    status = failed(errors, status);
    return (int)(status ? status : weir_answer_find(change_count ? changed.after : model, &options, &found, &error));
}

/* Each answer is written to memory; NULL where that fails, with the reason in the message. */
static const char *finish(FILE *out, enum weir_status status)
{
    bool written = out && fclose(out) == 0;
    return written && !status ? text : NULL;
}

static FILE *begin(void)
{
    free(text);
    text = NULL;
    return open_memstream(&text, &text_bytes);
}

/* What `weir analyze --json` prints. */
EXPORT("json") const char *live_json(void)
{
    FILE *out = found ? begin() : NULL;
    return finish(out, out ? weir_answer_write_json(found, out, &error) : WEIR_INVALID);
}

static const char *timeline(uint32_t latency, weir_timeline_writer *write)
{
    FILE *out = latency < (found ? weir_answer_bound_count(found) : 0) ? begin() : NULL;
    struct weir_timeline *t = NULL;
    enum weir_status status = out ? weir_timeline_of_answer(found, latency, &t, &error) : WEIR_INVALID;
    return finish(out, weir_timeline_finish(status, &t, write, out, &error));
}

/* What `weir analyze --gantt` writes. */
EXPORT("gantt") const char *live_gantt(uint32_t latency)
{
    return timeline(latency, weir_timeline_write_svg);
}

/* ... and `--trace`. */
EXPORT("trace") const char *live_trace(uint32_t latency)
{
    if (found && strcmp(weir_engine_of(found->pipeline), "fixed-priority") == 0) {
        snprintf(error.message, sizeof error.message, "there is no single run to trace");
        return NULL;
    }
    return timeline(latency, weir_timeline_write_trace);
}

/* What the page draws. */
EXPORT("timeline") const char *live_timeline(uint32_t latency)
{
    return timeline(latency, weir_timeline_write_json);
}

/* The latency that decides the verdict. */
EXPORT("worst") uint32_t live_worst(void)
{
    const struct weir_bound *worst = found ? weir_answer_worst(found) : NULL;
    return worst ? (uint32_t)(worst - found->bounds) : 0;
}

/* The drawing of the changed model: its words and marks, without places, unless it is an overview. */
EXPORT("drawing") const char *live_drawing(int crowded)
{
    FILE *out = found ? begin() : NULL;
    weir_live_layout_crowded = crowded != 0;
    return finish(out, out ? weir_pipeline_write_drawing(found->pipeline, found, live_worst(), out, &error) : WEIR_INVALID);
}

EXPORT("yaml") const char *live_yaml(void)
{
    const struct weir_pipeline *asked = change_count ? changed.after : model;
    FILE *out = asked ? begin() : NULL;
    return finish(out, out ? weir_pipeline_write_yaml(asked, out, &error) : WEIR_INVALID);
}

/* What the page says of the model, in its own words: at once, or (`later`) what takes longer. */
EXPORT("parts") const char *live_parts(int later, uint32_t runs, uint32_t iterations, uint64_t seed, uint64_t work_limit)
{
    struct weir_report_options options = {.runs = runs, .iterations = iterations, .seed = seed, .work_limit = work_limit};
    struct weir_report_model about = {.pipeline = change_count ? changed.after : model};
    struct weir_page page = {.options = &options, .model = &about, .number = 1, .pictures = 1000, .error = &error};
    page.out = found ? begin() : NULL;
    if (!page.out)
        return NULL;
    enum weir_status status = WEIR_OK;
    if (later) {
        status = weir_page_advice(&page, found);
    } else {
        weir_page_head(&page, found);
        weir_page_happens(&page, found);
        weir_page_figures(&page, found);
    }
    return finish(page.out, status);
}

/* Of the changed model, without more than the bounds: 0 good, 1 open, 2 bad, -1 no model. */
EXPORT("verdict") int live_verdict(uint64_t work_limit)
{
    struct weir_answer_options options = {.work_limit = work_limit, .brief = true};
    struct weir_errors *errors = weir_errors_new();
    forget();
    enum weir_status status = errors ? weir_change_apply(model, changes, change_count, &changed, errors) : WEIR_MEMORY;
    status = failed(errors, status);
    if (status || weir_answer_find(changed.after, &options, &found, &error))
        return -1;
    return (int)weir_answer_verdict(found);
}

/* The bound that decides, in units; -1: there is none. */
EXPORT("decides") double live_decides(void)
{
    const struct weir_bound *worst = found ? weir_answer_worst(found) : NULL;
    double unit = 1;
    if (!worst || worst->worst.high.denominator <= 0)
        return -1;
    for (unsigned i = 0; i < weir_pipeline_digits(found->pipeline); i++)
        unit *= 10;
    return (double)worst->worst.high.numerator / (double)worst->worst.high.denominator / unit;
}
