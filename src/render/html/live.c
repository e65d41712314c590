/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine in a page. Compiled to WebAssembly, not into the library: what is exported here is called by assets/live.js. A page
 * has one model; it is built once, changed as sliders move, and copied, sealed and analysed for each question. Text goes in through
 * a buffer, and comes out as a pointer that holds until the next call.
 */
#include "render/timeline/timeline.h"
#include "weir.h"

#include <stdlib.h>
#include <string.h>

#define EXPORT(name) __attribute__((export_name(name), used))

enum { REENTRANT = 1, BROADCAST = 2, ASSUMED = 4 };
enum { NONBLOCKING = 1 };
enum { DEADLINE = 1, SHIFT = 2 };

static struct weir_pipeline *model;  /* not sealed */
static struct weir_pipeline *sealed; /* what was analysed last */
static struct weir_answer *found;    /* ... and what came of it */
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

EXPORT("begin") int live_begin(int unit, unsigned digits)
{
    weir_answer_free(found);
    weir_pipeline_free(sealed);
    weir_pipeline_free(model);
    found = NULL;
    sealed = NULL;
    model = weir_pipeline_new(&error);
    if (!model)
        return WEIR_MEMORY;
    enum weir_status status = weir_pipeline_set_unit(model, (enum weir_unit)unit, digits, &error);
    return (int)(status ? status : weir_pipeline_set_name(model, given ? given : "", &error));
}

EXPORT("workers") int live_workers(int dispatch, uint32_t workers, int64_t polling)
{
    struct weir_workers_spec spec = {.dispatch = (enum weir_dispatch)dispatch, .workers = workers, .polling = polling};
    return (int)weir_pipeline_set_workers(model, &spec, &error);
}

EXPORT("operator") int live_operator(int64_t best, int64_t worst, int64_t receive_min, int64_t receive_max, int flags)
{
    struct weir_operator_spec spec = {.name = given,
                                      .best = best,
                                      .worst = worst,
                                      .receive_min = receive_min,
                                      .receive_max = receive_max,
                                      .reentrant = flags & REENTRANT,
                                      .broadcast = flags & BROADCAST,
                                      .assumed = flags & ASSUMED};
    return (int)weir_pipeline_add_operator(model, &spec, NULL, &error);
}

EXPORT("queue") int live_queue(uint32_t from, uint32_t to, uint32_t capacity, uint32_t initial, int flags)
{
    struct weir_queue_spec spec = {
        .from = {from}, .to = {to}, .capacity = capacity, .initial = initial, .nonblocking = flags & NONBLOCKING};
    return (int)weir_pipeline_add_queue(model, &spec, NULL, &error);
}

EXPORT("source") int live_source(uint32_t op, int64_t period, int arrivals)
{
    struct weir_source_spec spec = {.op = {op}, .period = period, .arrivals = (enum weir_arrivals)arrivals};
    return (int)weir_pipeline_add_source(model, &spec, &error);
}

EXPORT("pair") int live_chain(uint32_t from, uint32_t to, int64_t deadline, int64_t shift, int flags)
{
    struct weir_chain_spec spec = {.from = {from},
                                   .to = {to},
                                   .has_deadline = flags & DEADLINE,
                                   .deadline = deadline,
                                   .has_shift = flags & SHIFT,
                                   .shift = shift};
    return (int)weir_pipeline_add_chain(model, &spec, &error);
}

/* A change that is refused leaves the model as it was. */
EXPORT("set_times") int live_set_times(uint32_t op, int64_t best, int64_t worst)
{
    if (op >= weir_pipeline_operator_count(model))
        return WEIR_INVALID;
    struct weir_operator_spec spec = weir_pipeline_operator(model, (struct weir_operator){op});
    spec.best = best;
    spec.worst = worst;
    spec.receive_max = spec.receive_max < worst ? spec.receive_max : worst;
    spec.receive_min = spec.receive_min < spec.receive_max ? spec.receive_min : spec.receive_max;
    return (int)weir_pipeline_change_operator(model, (struct weir_operator){op}, &spec, &error);
}

EXPORT("set_capacity") int live_set_capacity(uint32_t queue, uint32_t capacity)
{
    if (queue >= weir_pipeline_queue_count(model))
        return WEIR_INVALID;
    struct weir_queue_spec spec = weir_pipeline_queue(model, (struct weir_queue){queue});
    spec.capacity = capacity;
    return (int)weir_pipeline_change_queue(model, (struct weir_queue){queue}, &spec, &error);
}

EXPORT("message") const char *live_message(void)
{
    return error.message;
}

static enum weir_status seal(struct weir_pipeline *pipeline)
{
    struct weir_errors *errors = weir_errors_new();
    enum weir_status status = errors ? weir_pipeline_seal(pipeline, NULL, errors) : WEIR_MEMORY;
    if (status && errors && weir_errors_count(errors))
        error = *weir_errors_at(errors, 0);
    weir_errors_free(errors);
    return status;
}

EXPORT("analyze") int live_analyze(uint64_t work_limit)
{
    struct weir_answer_options options = {.work_limit = work_limit};
    weir_answer_free(found);
    weir_pipeline_free(sealed);
    found = NULL;
    sealed = NULL;
    memset(&error, 0, sizeof error);
    sealed = weir_pipeline_copy(model, &error);
    enum weir_status status = sealed ? seal(sealed) : WEIR_MEMORY;
    if (status) { /* nothing can be said about it */
        weir_pipeline_free(sealed);
        sealed = NULL;
    }
    return (int)(status ? status : weir_answer_find(sealed, &options, &found, &error));
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

EXPORT("gantt") const char *live_gantt(uint32_t latency)
{
    FILE *out = latency < (found ? weir_answer_bound_count(found) : 0) ? begin() : NULL;
    struct weir_timeline *t = NULL;
    enum weir_status status = out ? weir_timeline_of_answer(found, latency, &t, &error) : WEIR_INVALID;
    return finish(out, weir_timeline_finish(status, &t, weir_timeline_write_svg, out, &error));
}

EXPORT("yaml") const char *live_yaml(void)
{
    FILE *out = sealed ? begin() : NULL;
    return finish(out, out ? weir_pipeline_write_yaml(sealed, out, &error) : WEIR_INVALID);
}
