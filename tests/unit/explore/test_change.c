/* SPDX-License-Identifier: Apache-2.0 */
/* Changes in words: what they come to, what is wrong with them, and that they are what an edited model is. */
#include "support/again.h"
#include "support/random/pipeline.h"
#include "support/stage.h"
#include "unit/explore/exploring.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char threads_model[] = "unit: us\n"
                                    "operators:\n"
                                    "  camera: {time: [100, 500]}\n"
                                    "  filter: {time: [10, 20], receive: [0, 5]}\n"
                                    "  \"Depth App.viz\": {time: [0, 331]}\n"
                                    "  \"odd -> name, = and more\": 7\n"
                                    "queues:\n"
                                    "  - camera -> filter\n"
                                    "  - {from: camera, to: filter, capacity: 4, initial: 1}\n"
                                    "  - filter -> Depth App.viz\n"
                                    "  - '\"odd -> name, = and more\" -> Depth App.viz'\n"
                                    "deadlines: [{from: camera, to: Depth App.viz, within: 2ms}]\n";

static const char processors_model[] = "unit: us\n"
                                       "processors: {dsp: {}, cpu: {}, bus: {scheduler: tdm, frame: 10}}\n"
                                       "operators:\n"
                                       "  fft: {time: [3, 4], on: dsp, priority: 3}\n"
                                       "  eq: {time: 2, on: dsp, priority: 1}\n"
                                       "  send: {time: 2, on: bus, slot: 3}\n"
                                       "queue: auto\n"
                                       "queues: [fft -> eq -> send]\n"
                                       "sources: [{name: antenna, operators: [fft], period: 20, jitter: 1}]\n";

static const char cores_model[] = "unit: us\n"
                                  "platform: {cores: 2}\n"
                                  "operators:\n"
                                  "  radio: {cost: {init: 2, per-sample: 0.5}}\n"
                                  "  audio: {time: [1, 4]}\n"
                                  "queues: [{from: radio, to: audio, produce: 2, consume: 4}]\n"
                                  "source: {operator: radio, period: 20}\n";

static const char gpu_model[] = "unit: us\n"
                                "platform: {gpu: {sms: 8, min-time: 1}}\n"
                                "kernels: {a: {load: 20}, b: {load: 30, splittable: true}}\n"
                                "dependencies: [a -> b]\n";

/* The model with one change. */
static struct weir_pipeline *changed_by(const char *model, enum weir_change_kind kind, const char *text)
{
    struct weir_pipeline *p = stage_read(model);
    struct weir_errors *errors = weir_errors_new();
    struct weir_changed changed = {.notes = NULL};
    enum weir_status status = weir_change_apply(p, &(struct weir_change){kind, text, NULL}, 1, &changed, errors);
    if (status)
        fail_msg("%s: %s", text, weir_errors_count(errors) ? weir_errors_at(errors, 0)->message : "no reason");
    weir_pipeline_free(p);
    weir_pipeline_free(changed.before);
    weir_errors_free(errors);
    return changed.after;
}

/* ---- what they come to ---- */

/* A change, and a line of the model that is written afterwards. */
TEST(words_of_the_model)
{
    static const struct {
        const char *model;
        enum weir_change_kind kind;
        const char *text, *line;
    } cases[] = {
        {threads_model, WEIR_CHANGE_SET, "camera.time=[0.2ms, 900]", "camera: {time: [200, 900]}"},
        {threads_model, WEIR_CHANGE_SET, "camera.time=7", "camera: {time: 7}"},
        {threads_model, WEIR_CHANGE_SET, " camera . worst = 30 ", "camera: {time: 30}"},
        {threads_model, WEIR_CHANGE_SET, "camera.best=30.25", "camera: {time: [30.25, 500]}"},
        {threads_model, WEIR_CHANGE_SET, "Depth App.viz.time=5", "\"Depth App.viz\": {time: 5}"},
        {threads_model, WEIR_CHANGE_SET, "\"Depth App.viz\".time=5", "\"Depth App.viz\": {time: 5}"},
        {threads_model, WEIR_CHANGE_SET, "\"odd -> name, = and more\".time=5", "and more\": {time: 5}"},
        {threads_model, WEIR_CHANGE_SET, "filter.receive=[1,2]", "filter: {time: [10, 20], receive: [1, 2]}"},
        {threads_model, WEIR_CHANGE_SET, "camera.time,filter.time=20", "camera: {time: 20}"},
        {threads_model, WEIR_CHANGE_SET, "camera->filter#2.capacity=9", "{from: camera, to: filter, capacity: 9, initial: 1}"},
        {threads_model, WEIR_CHANGE_SET, "camera->filter#1.capacity=9", "{from: camera, to: filter, capacity: 9}"},
        {threads_model, WEIR_CHANGE_SET, "camera -> filter . initial = 1", "{from: camera, to: filter, capacity: 1, initial: 1}"},
        {threads_model, WEIR_CHANGE_SET, "queue.capacity=3", "{from: filter, to: \"Depth App.viz\", capacity: 3}"},
        {threads_model, WEIR_CHANGE_SET, "filter->Depth App.viz.capacity=unbounded", "capacity: unbounded"},
        {threads_model, WEIR_CHANGE_SET, "filter->Depth App.viz.blocking=false", "blocking: false"},
        {threads_model, WEIR_CHANGE_SET, "camera.period=33ms", "{operator: camera, period: 33000}"},
        {threads_model, WEIR_CHANGE_SET, "camera->Depth App.viz.within=3ms", "within: 3000"},
        {threads_model, WEIR_CHANGE_SET, "platform.scheduler=greedy", "scheduler: greedy"},
        {threads_model, WEIR_CHANGE_SET, "platform.workers=2", "workers: 2"},
        {threads_model, WEIR_CHANGE_ADD, "filter -> \"odd -> name, = and more\"", "{from: filter, to: \"odd -> name"},
        {threads_model, WEIR_CHANGE_ADD, "{from: filter, to: Depth App.viz, capacity: 7}", "capacity: 7"},
        {threads_model, WEIR_CHANGE_ADD, "{operator: camera, period: 8ms}", "{operator: camera, period: 8000}"},
        {threads_model, WEIR_CHANGE_ADD, "{from: filter, to: Depth App.viz, within: 9}", "within: 9"},
        {processors_model, WEIR_CHANGE_SET, "eq.priority=-7", "priority: -7"},
        {processors_model, WEIR_CHANGE_SET, "eq.on=cpu", "on: cpu"},
        {processors_model, WEIR_CHANGE_SET, "send.slot=4", "slot: 4"},
        {processors_model, WEIR_CHANGE_SET, "antenna.period=25", "period: 25"},
        {processors_model, WEIR_CHANGE_SET, "fft.jitter=2.5", "jitter: 2.5"},
        {processors_model, WEIR_CHANGE_SET, "bus.frame=12", "frame: 12"},
        {processors_model, WEIR_CHANGE_SET, "dsp.preemptive=false", "preemptive: false"},
        {cores_model, WEIR_CHANGE_SET, "platform.cores=5", "cores: 5"},
        {cores_model, WEIR_CHANGE_SET, "radio.cost.init=3", "init: 3"},
        {cores_model, WEIR_CHANGE_SET, "radio.cost.per-sample=1ns", "per-sample: 0.001"},
        {cores_model, WEIR_CHANGE_SET, "radio->audio.consume=2", "consume: 2"},
        {gpu_model, WEIR_CHANGE_SET, "platform.sms=16", "sms: 16"},
        {gpu_model, WEIR_CHANGE_SET, "b.load=2ms", "b: {load: 2000"},
        {gpu_model, WEIR_CHANGE_SET, "platform.min-time=2", "min-time: 2"},
        {gpu_model, WEIR_CHANGE_ADD, "c: {load: 9}", "c: {load: 9}"},
        {gpu_model, WEIR_CHANGE_REMOVE, "a -> b", "b: {load: 30"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct weir_pipeline *p = changed_by(cases[i].model, cases[i].kind, cases[i].text);
        char *text = write_as(p, WEIR_MODEL_YAML);
        if (!strstr(text, cases[i].line))
            fail_msg("after %s, no %s in\n%s", cases[i].text, cases[i].line, text);
        free(text);
        weir_pipeline_free(p);
    }
}

TEST(removal_says_what_goes)
{
    struct weir_pipeline *p = stage_read(threads_model);
    struct weir_changed changed = {.notes = weir_errors_new()};
    const struct weir_change changes[] = {{WEIR_CHANGE_REMOVE, "filter", NULL}, {WEIR_CHANGE_ADD, "camera -> Depth App.viz", NULL}};
    assert_int_equal(weir_change_apply(p, changes, 2, &changed, NULL), WEIR_OK);
    assert_int_equal(weir_pipeline_operator_count(changed.after), 3);
    assert_int_equal(weir_pipeline_queue_count(changed.after), 2);
    assert_int_equal(weir_pipeline_operator_count(changed.before), 4);
    assert_int_equal(weir_errors_count(changed.notes), 1);
    assert_non_null(strstr(weir_errors_at(changed.notes, 0)->message, "the queue filter -> Depth App.viz"));
    weir_errors_free(changed.notes);
    weir_changed_free(&changed);
    weir_pipeline_free(p);
}

/* Capacity and initial messages together are right in whichever order they are given. */
TEST(only_all_together_counts)
{
    struct weir_pipeline *p = stage_read(threads_model);
    struct weir_changed changed = {.notes = NULL};
    const struct weir_change changes[] = {{WEIR_CHANGE_SET, "camera->filter.initial=6", NULL},
                                          {WEIR_CHANGE_SET, "camera->filter.capacity=6", NULL}};
    assert_int_equal(weir_change_apply(p, changes, 2, &changed, NULL), WEIR_OK);
    assert_int_equal(weir_pipeline_queue(changed.after, (struct weir_queue){0}).initial, 6);
    weir_changed_free(&changed);
    assert_int_equal(weir_change_apply(p, changes, 1, &changed, NULL), WEIR_INVALID);
    assert_null(changed.after);
    weir_pipeline_free(p);
}

/* ---- what is wrong with them ---- */

TEST(mistakes_have_their_column)
{
    static const struct {
        const char *model;
        enum weir_change_kind kind;
        uint32_t column;
        const char *text;
        const char *message;
    } cases[] = {
        {threads_model, WEIR_CHANGE_SET, 1, "camra.time=5", "did you mean \"camera\""},
        {threads_model, WEIR_CHANGE_SET, 8, "camera.tim=5", "did you mean \"time\""},
        {threads_model, WEIR_CHANGE_SET, 13, "camera.time=5 parsec", "unknown unit"},
        {threads_model, WEIR_CHANGE_SET, 13, "camera.time=-5", "must not be negative"},
        {threads_model, WEIR_CHANGE_SET, 13, "camera.time=[1, 2, 3]", ""},
        {threads_model, WEIR_CHANGE_SET, 1, "camera.time=[9, 2]", "best"},
        {threads_model, WEIR_CHANGE_SET, 13, "camera.time=", "a value is missing"},
        {threads_model, WEIR_CHANGE_SET, 13, "camera.time=5:6:1", ""},
        {threads_model, WEIR_CHANGE_SET, 1, "camera.time", "there is no value"},
        {threads_model, WEIR_CHANGE_SET, 1, "camera=5", "what is to change"},
        {threads_model, WEIR_CHANGE_SET, 1, "", "there is no value"},
        {threads_model, WEIR_CHANGE_SET, 1, "=", ""},
        {threads_model, WEIR_CHANGE_SET, 1, ".time=3", "a name is missing"},
        {threads_model, WEIR_CHANGE_SET, 1, "\"camera.time=5", ""},
        {threads_model, WEIR_CHANGE_SET, 13, "camera.time,=5", ""},
        {threads_model, WEIR_CHANGE_SET, 9, "camera->filter#3.capacity=5", "there are 2 queues"},
        {threads_model, WEIR_CHANGE_SET, 9, "camera->filter#0.capacity=5", ""},
        {threads_model, WEIR_CHANGE_SET, 1, "filter->camera.capacity=5", "there is no queue"},
        {threads_model, WEIR_CHANGE_SET, 15, "camera->filter->x.capacity=5", "at most one arrow"},
        {threads_model, WEIR_CHANGE_SET, 25, "camera->filter.capacity=0", "at least 1"},
        {threads_model, WEIR_CHANGE_SET, 25, "camera->filter.capacity=auto", ""},
        {threads_model, WEIR_CHANGE_SET, 25, "camera->filter.capacity=99999999999999999999", "out of range"},
        {threads_model, WEIR_CHANGE_SET, 16, "camera->filter.time=4", "is a key of an operator, not of a queue"},
        {threads_model, WEIR_CHANGE_SET, 8, "camera.capacity=4", "is a key of a queue, and"},
        {threads_model, WEIR_CHANGE_SET, 8, "camera.priority=4", "where operators have threads"},
        {threads_model, WEIR_CHANGE_SET, 13, "camera.time,camera.reentrant=4", "the same kind of value"},
        {threads_model, WEIR_CHANGE_SET, 20, "platform.scheduler=fastest", "must be event-based, multi-thread or greedy"},
        {threads_model, WEIR_CHANGE_SET, 1, "camera.gpu.time=3", "launches no work"},
        {threads_model, WEIR_CHANGE_ADD, 1, "", "expected what would stand in the model"},
        {threads_model, WEIR_CHANGE_ADD, 1, "word", "expected what would stand in the model"},
        {threads_model, WEIR_CHANGE_ADD, 1, "camera: 3", "there is an operator \"camera\" already"},
        {threads_model, WEIR_CHANGE_ADD, 7, "log: {tme: 3}", "did you mean \"time\""},
        {threads_model, WEIR_CHANGE_ADD, 1, "log: {time: 3", ""},
        {threads_model, WEIR_CHANGE_ADD, 11, "camera -> log", "unknown operator \"log\""},
        {threads_model, WEIR_CHANGE_ADD, 28, "{from: camera, to: filter, capacty: 3}", "did you mean \"capacity\""},
        {threads_model, WEIR_CHANGE_ADD, 36, "{from: camera, to: filter, within: soon}", ""},
        {threads_model, WEIR_CHANGE_REMOVE, 1, "camra", "did you mean \"camera\""},
        {threads_model, WEIR_CHANGE_REMOVE, 1, "filter -> camera", "there is no queue"},
        {threads_model, WEIR_CHANGE_REMOVE, 11, "camera -> filter#7", "there are 2 queues"},
        {processors_model, WEIR_CHANGE_SET, 7, "eq.on=cpux", "did you mean \"cpu\""},
        {processors_model, WEIR_CHANGE_SET, 13, "eq.priority=high", "a whole number"},
        {processors_model, WEIR_CHANGE_SET, 13, "eq.priority=99999999999", "it goes from"},
        {processors_model, WEIR_CHANGE_SET, 1, "dsp.frame=3", "is about tdm"},
        {processors_model, WEIR_CHANGE_SET, 5, "dsp.time=3", "is a processor"},
        {cores_model, WEIR_CHANGE_SET, 1, "audio.cost.init=3", "has a time and no cost"},
        {gpu_model, WEIR_CHANGE_SET, 3, "a.time=3", "of kernels on a GPU"},
        {gpu_model, WEIR_CHANGE_ADD, 0, "b -> a", ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct weir_pipeline *p = stage_read(cases[i].model);
        struct weir_errors *errors = weir_errors_new();
        struct weir_changed changed = {.notes = NULL};
        struct weir_change change = {cases[i].kind, cases[i].text, "the option"};
        if (weir_change_apply(p, &change, 1, &changed, errors) != WEIR_INVALID)
            fail_msg("%s is not refused", cases[i].text);
        assert_true(weir_errors_count(errors) > 0);
        const struct weir_error *e = weir_errors_at(errors, 0);
        if (cases[i].column && (e->column != cases[i].column || strcmp(e->file, "the option") != 0))
            fail_msg("%s: %s in column %u, expected %u", cases[i].text, e->message, e->column, cases[i].column);
        if (!strstr(e->message, cases[i].message))
            fail_msg("%s: \"%s\" says nothing of \"%s\"", cases[i].text, e->message, cases[i].message);
        assert_null(changed.before);
        assert_null(changed.after);
        weir_errors_free(errors);
        weir_pipeline_free(p);
    }
}

/* ---- the same as an edited model ---- */

enum { PIPELINES = 400, LINES = 128 };

/* The lines of a model, to be edited. */
struct text {
    char *whole;
    char *lines[LINES];
    size_t count, operators, queues; /* where these keys stand */
};

static void split(struct text *t, char *whole)
{
    *t = (struct text){.whole = whole};
    for (char *line = whole; line && *line && t->count < LINES; t->count++) {
        t->lines[t->count] = line;
        t->operators = strncmp(line, "operators:", 10) == 0 ? t->count : t->operators;
        t->queues = strncmp(line, "queues:", 7) == 0 ? t->count : t->queues;
        line = strchr(line, '\n');
        if (line)
            *line++ = 0;
    }
    assert_true(t->count < LINES);
}

/* Puts `text` in place of what stands behind `key` in a line, up to a comma outside of brackets or a brace. */
static char *with_value(const char *line, const char *key, const char *text)
{
    const char *begin = line ? strstr(line, key) : NULL;
    if (!begin) {
        fail_msg("no \"%s\" in a line", key);
        return NULL;
    }
    begin += strlen(key);
    const char *end = begin;
    for (int depth = 0; *end && (depth || (*end != ',' && *end != '}')); end++)
        depth += (*end == '[') - (*end == ']');
    size_t size = strlen(line) + strlen(text) + 1;
    char *edited = malloc(size);
    snprintf(edited, size, "%.*s%s%s", (int)(begin - line), line, text, end);
    return edited;
}

static struct weir_pipeline *read_edited(const struct text *t, size_t at, const char *line, const char *extra)
{
    char *joined = NULL;
    size_t bytes;
    FILE *out = open_memstream(&joined, &bytes);
    for (size_t i = 0; i < t->count; i++) {
        if (i != at || line)
            fprintf(out, "%s\n", i == at ? line : t->lines[i]);
        if (i == t->operators && extra)
            fprintf(out, "  %s\n", extra);
    }
    fclose(out);
    struct weir_pipeline *p = NULL;
    weir_read_memory(joined, bytes, "edited", NULL, &p, NULL);
    free(joined);
    return p;
}

/* Names tell which latency is which: edits may change the order of operators. */
static void expect_same_answer(const struct weir_pipeline *a, const struct weir_pipeline *b, const char *what)
{
    struct weir_answer_options options = {.brief = true, .work_limit = 200000};
    struct weir_answer *x, *y;
    assert_int_equal(weir_answer_find(a, &options, &x, NULL), WEIR_OK);
    assert_int_equal(weir_answer_find(b, &options, &y, NULL), WEIR_OK);
    assert_int_equal(weir_answer_bound_count(x), weir_answer_bound_count(y));
    for (size_t i = 0; i < weir_answer_bound_count(x); i++) {
        const struct weir_bound *l = weir_answer_bound(x, i), *other = NULL;
        for (size_t j = 0; j < weir_answer_bound_count(y); j++) {
            const struct weir_bound *m = weir_answer_bound(y, j);
            if (strcmp(weir_pipeline_operator(a, l->chain.from).name, weir_pipeline_operator(b, m->chain.from).name) == 0 &&
                strcmp(weir_pipeline_operator(a, l->chain.to).name, weir_pipeline_operator(b, m->chain.to).name) == 0 &&
                l->chain.shift == m->chain.shift)
                other = m;
        }
        if (!other) {
            fail_msg("%s: a latency is missing", what);
            return;
        }
        if (l->worst.claim != other->worst.claim || (weir_bound_holds(l) && l->worst.high.numerator != other->worst.high.numerator))
            fail_msg("%s: %lld, but %lld edited", what, (long long)l->worst.high.numerator, (long long)other->worst.high.numerator);
    }
    struct weir_ratio p = weir_answer_period(x), q = weir_answer_period(y);
    assert_int_equal(p.denominator != 0, q.denominator != 0);
    assert_int_equal(p.numerator * q.denominator, q.numerator * p.denominator);
    weir_answer_free(x);
    weir_answer_free(y);
}

/* Makes the change, and compares with the edited model; both may be no pipeline. */
static bool try_changes(const struct weir_pipeline *p, const struct weir_change *changes, size_t count,
                        struct weir_pipeline *edited)
{
    struct weir_changed changed = {.notes = NULL};
    const char *change = changes[count - 1].text;
    enum weir_status status = weir_change_apply(p, changes, count, &changed, NULL);
    if ((status == WEIR_OK) != (edited != NULL))
        fail_msg("%s: %s, but edited %s", change, status ? "refused" : "made", edited ? "it is a pipeline" : "it is none");
    if (edited)
        expect_same_answer(changed.after, edited, change);
    weir_changed_free(&changed);
    weir_pipeline_free(edited);
    return status == WEIR_OK;
}

static bool try_change(const struct weir_pipeline *p, enum weir_change_kind kind, const char *change, struct weir_pipeline *edited)
{
    return try_changes(p, &(struct weir_change){kind, change, NULL}, 1, edited);
}

/* An operator behind another one. */
static bool try_addition(const struct weir_pipeline *p, const struct text *t, const char *behind)
{
    static const char op[] = "\"new one\": {time: [2, 3.25]}";
    char queue[128], edited[160];
    snprintf(queue, sizeof queue, "{from: %s, to: new one, capacity: 2}", behind);
    snprintf(edited, sizeof edited, "queues:\n  - %s", queue);
    const struct weir_change changes[] = {{WEIR_CHANGE_ADD, op, NULL}, {WEIR_CHANGE_ADD, queue, NULL}};
    return try_changes(p, changes, 2, read_edited(t, t->queues, edited, op));
}

static uint32_t below(struct weir_random *random, uint32_t count)
{
    return (uint32_t)weir_random_between(random, 0, (int64_t)count - 1);
}

TEST(the_same_as_edited)
{
    struct weir_random random;
    weir_random_seed(&random, 20);
    size_t made[4] = {0};
    for (int i = 0; i < PIPELINES; i++) {
        struct weir_pipeline *p = weir_random_pipeline(&random, (enum weir_flavour)(i % WEIR_FLAVOURS));
        struct text t;
        char value[64], change[256];
        split(&t, write_as(p, WEIR_MODEL_YAML));
        uint32_t op = below(&random, weir_pipeline_operator_count(p));
        const char *name = weir_pipeline_operator(p, (struct weir_operator){op}).name;
        int low = (int)below(&random, 9), high = low + (int)below(&random, 9);
        snprintf(value, sizeof value, "[%d, %d.5]", low, high);
        snprintf(change, sizeof change, "%s.time=%s", name, value);
        char *line = with_value(t.lines[t.operators + 1 + op], "time: ", value);
        made[0] += try_change(p, WEIR_CHANGE_SET, change, read_edited(&t, t.operators + 1 + op, line, NULL));
        free(line);
        if (weir_pipeline_queue_count(p)) {
            uint32_t q = below(&random, weir_pipeline_queue_count(p)), number = 1;
            struct weir_queue_spec queue = weir_pipeline_queue(p, (struct weir_queue){q});
            for (uint32_t j = 0; j < q; j++) {
                struct weir_queue_spec other = weir_pipeline_queue(p, (struct weir_queue){j});
                number += other.from.index == queue.from.index && other.to.index == queue.to.index;
            }
            const char *from = weir_pipeline_operator(p, queue.from).name, *to = weir_pipeline_operator(p, queue.to).name;
            snprintf(value, sizeof value, "%d", 1 + (int)below(&random, 5));
            snprintf(change, sizeof change, "%s->%s#%u.capacity=%s", from, to, number, value);
            line = with_value(t.lines[t.queues + 1 + q], "capacity: ", value);
            made[1] += try_change(p, WEIR_CHANGE_SET, change, read_edited(&t, t.queues + 1 + q, line, NULL));
            free(line);
            snprintf(change, sizeof change, "%s -> %s#%u", from, to, number);
            made[2] += try_change(p, WEIR_CHANGE_REMOVE, change, read_edited(&t, t.queues + 1 + q, NULL, NULL));
        }
        if (weir_pipeline_queue_count(p))
            made[3] += try_addition(p, &t, name);
        free(t.whole);
        weir_pipeline_free(p);
    }
    for (int i = 0; i < 4; i++)
        assert_true(made[i] > PIPELINES / 8); /* and not only refused */
}

/* ---- noise ---- */

/* Whatever is written: refused or made, and nothing else. */
TEST(noise_is_no_harm)
{
    static const char *const seeds[] = {"camera.time=[2ms,9ms]",
                                        "camera->filter#2.capacity=3",
                                        "\"Depth App.viz\".worst=1.5",
                                        "log: {time: [1, 2], receive: 1}",
                                        "{from: camera, to: [filter, Depth App.viz]}",
                                        "camera -> \"odd -> name, = and more\"",
                                        "a.time,b.time=1:9:2,[1,2]"};
    static const char bytes[] = "\"\\[]{}:,.=->#' \n\t\303(e9";
    struct weir_pipeline *p = stage_read(threads_model);
    struct weir_random random;
    weir_random_seed(&random, 3);
    for (int i = 0; i < 6000; i++) {
        char text[128];
        struct weir_changed changed = {.notes = NULL};
        struct weir_sweep *sweep = NULL;
        size_t length = (size_t)snprintf(text, sizeof text, "%s", seeds[below(&random, COUNT(seeds))]);
        for (uint32_t edits = 1 + below(&random, 3); edits > 0; edits--)
            text[below(&random, (uint32_t)length)] = bytes[below(&random, sizeof bytes)]; /* the last one ends the text */
        struct weir_change change = {(enum weir_change_kind)below(&random, 3), text, NULL};
        enum weir_status status = weir_change_apply(p, &change, 1, &changed, NULL);
        assert_true(status == WEIR_OK || status == WEIR_INVALID || status == WEIR_OVERFLOW);
        weir_changed_free(&changed);
        struct weir_sweep_options options = {.axes = &change, .axis_count = 1, .points_max = 20, .threads = 1};
        status = weir_sweep_run(p, &options, &sweep, NULL);
        assert_true(status == WEIR_OK || status == WEIR_INVALID || status == WEIR_OVERFLOW);
        weir_sweep_free(sweep);
    }
    weir_pipeline_free(p);
}

/* ---- memory ---- */

static enum weir_status change_all(void *context)
{
    static const struct weir_change changes[] = {{WEIR_CHANGE_REMOVE, "filter", "--remove"},
                                                 {WEIR_CHANGE_ADD, "log: {time: [1, 2.25]}", "--add"},
                                                 {WEIR_CHANGE_ADD, "camera -> [log, Depth App.viz]", "--add"},
                                                 {WEIR_CHANGE_ADD, "{operator: camera, period: 8ms}", "--add"},
                                                 {WEIR_CHANGE_SET, "log.time,camera.time=[1,3]", "--what-if"},
                                                 {WEIR_CHANGE_SET, "queue.capacity=2", "--what-if"}};
    struct weir_changed changed = {.notes = NULL};
    struct weir_answer *answer = NULL;
    enum weir_status status = weir_change_apply(context, changes, COUNT(changes), &changed, NULL);
    if (!status)
        status = weir_what_if(&changed, changes, COUNT(changes), NULL, &answer, NULL);
    status = status ? status : exploring_write(answer);
    weir_changed_free(&changed);
    return status;
}

TEST(memory_that_does_not_suffice)
{
    struct weir_pipeline *p = stage_read(threads_model);
    assert_true(stage_fail_each_allocation(change_all, p) > 50);
    weir_pipeline_free(p);
}
