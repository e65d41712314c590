/* SPDX-License-Identifier: Apache-2.0 */
/* Reports as text: what stands in them, what cannot be written, memory that fails. tests/browser opens them. */
#include "render/html/live_model.h"
#include "support/stage.h"
#include "weir.h"

#include <stdlib.h>
#include <string.h>

/* ---- help ---- */

static const char *const threads = "unit: ms\noperators:\n  a: {time: [1, 2]}\n  b: {time: [1, 3]}\nqueues:\n  - a -> b\n"
                                   "deadlines:\n  - {from: a, to: b, within: 20}\n";
static const char *const late = "operators:\n  a: {time: [1, 2]}\n  b: {time: [1, 3]}\nqueues:\n  - a -> b\n"
                                "deadlines:\n  - {from: a, to: b, within: 2}\n";
static const char *const overload = "operators:\n  a: {time: [1, 2]}\n  b: {time: [1, 9]}\nqueues:\n  - a -> b\n"
                                    "source: {operator: a, period: 5, arrivals: exact}\n";
static const char *const processors = "platform: {scheduler: fixed-priority}\nprocessors: {cpu: {}}\noperators:\n"
                                      "  a: {time: [1, 2], on: cpu, priority: 1}\n  b: {time: [1, 3], on: cpu, priority: 2}\n"
                                      "queues:\n  - a -> b\nsources:\n  - {operator: a, period: 20, arrivals: exact}\n";
static const char *const cores =
    "unit: us\nplatform: {cores: 2, scheduler: global-edf}\noperators:\n  a: {cost: {init: 2}}\n  b: {cost: {init: 3}}\n"
    "queues:\n  - {from: a, to: b, capacity: auto}\nsources:\n  - {operator: a, rate: 100kHz}\n";
static const char *const gpu = "platform: {gpu: {sms: 4}}\nkernels:\n  a: {load: 2}\n  b: {load: 3}\ndependencies:\n  - a -> b\n";
static const char *const workers = "platform: {scheduler: event-based, workers: 1}\noperators:\n  a: {time: [1, 2]}\n"
                                   "  b: {time: [1, 3]}\nqueues:\n  - a -> b\n";

static const char *const launches =
    "unit: ms\noperators:\n  a: {time: [1, 2], observed: {count: 40, min: 1, max: 1.8, from: flow.log}}\n"
    "  b: {time: [1, 3], gpu: {time: [4, 6], waits: true}}\n  c: 1\n"
    "queues:\n  - {from: a, to: b, consume: 2}\n  - {from: b, to: c, transfer: [1, 2]}\n";
static const char *const cut = "operators:\n  a: {time: [1, 2]}\n  b: {time: [1, 3]}\nqueues:\n  - {from: a, to: b, latest: true}\n"
                               "deadlines:\n  - {from: a, to: b, within: 20}\n";
static const char *const failing = "operators:\n  a: {time: [1, 2]}\n  b: {time: [1, 9]}\nqueues:\n"
                                   "  - {from: a, to: b, blocking: false, full: fault, capacity: 2}\n"
                                   "source: {operator: a, period: 3}\n";

struct request {
    struct weir_report_model models[8];
    size_t count;
    struct weir_report_options options;
    enum weir_verdict verdict;
    char *text; /* the page */
};

static void add(struct request *request, const char *text)
{
    request->models[request->count++].pipeline = stage_read(text);
}

static enum weir_status write(void *context)
{
    struct request *request = context;
    struct weir_error error = {0};
    size_t bytes;
    free(request->text);
    request->text = NULL;
    FILE *out = open_memstream(&request->text, &bytes);
    assert_non_null(out);
    enum weir_status status = weir_report_write(request->models, request->count, &request->options, out, &request->verdict, &error);
    fclose(out);
    if (status)
        assert_int_equal(error.status, status);
    return status;
}

static void clear(struct request *request)
{
    for (size_t i = 0; i < request->count; i++)
        weir_pipeline_free((struct weir_pipeline *)request->models[i].pipeline);
    free(request->text);
}

static void assert_has(const struct request *request, const char *part)
{
    if (!strstr(request->text, part))
        fail_msg("'%s' is not in the page", part);
}

static void assert_lacks(const struct request *request, const char *part)
{
    if (strstr(request->text, part))
        fail_msg("'%s' is in the page", part);
}

/* ---- tests ---- */

TEST(test_refuses)
{
    struct weir_error error;
    struct weir_pipeline *open = weir_pipeline_new(&error);
    struct weir_report_model model = {.pipeline = open};
    assert_int_equal(weir_report_write(NULL, 0, NULL, stderr, NULL, &error), WEIR_INVALID);
    assert_non_null(strstr(error.message, "at least one model"));
    assert_int_equal(weir_report_write(&model, 1, NULL, stderr, NULL, &error), WEIR_INVALID);
    assert_non_null(strstr(error.message, "sealed"));
    weir_pipeline_free(open);
}

TEST(test_verdicts)
{
    static const struct {
        const char *model, *headline;
        enum weir_verdict verdict;
    } cases[] = {
        {threads, "\342\234\223 The deadline is met, always.", WEIR_VERDICT_GOOD},
        {late, "\342\234\227 A deadline is missed.", WEIR_VERDICT_BAD},
        {overload, "\342\234\227 There is no bound.", WEIR_VERDICT_BAD},
        {processors, "\342\234\223 Safe bounds were found.", WEIR_VERDICT_GOOD},
        {cores, "\342\234\223 Safe bounds were found.", WEIR_VERDICT_GOOD},
        {gpu, "\342\234\223 Safe bounds were found.", WEIR_VERDICT_GOOD},
        {workers, "\342\234\223 Safe bounds were found.", WEIR_VERDICT_GOOD},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct request request = {.options = {.runs = 2, .iterations = 5}};
        add(&request, cases[i].model);
        assert_int_equal(write(&request), WEIR_OK);
        assert_has(&request, cases[i].headline);
        assert_int_equal(request.verdict, cases[i].verdict);
        assert_has(&request, "<h3>What this assumes</h3>");
        assert_has(&request, "<h3>The model</h3>");
        assert_lacks(&request, "class=\"summary\"");
        clear(&request);
    }
}

TEST(test_advice)
{
    struct request request = {.options = {.runs = 1, .iterations = 1, .no_live = true}};
    add(&request, overload);
    add(&request, late);
    assert_int_equal(write(&request), WEIR_OK);
    assert_has(&request, "the backlog grows without bound");
    assert_has(&request, "Let inputs of a come less often than every 5;");
    assert_has(&request, "The worst case from a to b has to get shorter by");
    assert_has(&request, "class=\"summary\"");
    assert_lacks(&request, "What if?");
    assert_lacks(&request, "id=\"engine\"");
    clear(&request);
}

/* A change is enough when it is for every deadline of the model, and then it is named with its number. */
TEST(test_enough)
{
    struct request one = {.options = {.runs = 1, .iterations = 1, .no_live = true}}, two = one;
    add(&one, "unit: ms\noperators: {s: 1, a: [2, 9], b: [3, 12]}\nqueues: [s -> a, s -> b]\n"
              "deadlines: [{from: s, to: a, within: 20}, {from: s, to: b, within: 20}]\n");
    add(&two, "unit: ms\noperators: {s: 1, a: [2, 9], b: [3, 12]}\nqueues: [s -> a, s -> b]\n"
              "deadlines: [{from: s, to: a, within: 17}, {from: s, to: b, within: 20}]\n");
    assert_int_equal(write(&one), WEIR_OK);
    assert_int_equal(write(&two), WEIR_OK);
    assert_has(&one, "The worst case from s to b has to get shorter by 4 ms");
    assert_has(&one, "b at most <strong>10 ms</strong> instead of 12 ms: <code>--what-if 'b.time=[3, 10]'</code>");
    assert_has(&two, "it takes several changes");
    assert_has(&two, "<h4>s \342\206\222 b</h4>"); /* which of them a histogram is about */
    assert_lacks(&two, "Each of these alone");
    clear(&one);
    clear(&two);
}

/* Others are spoken of where there are some, a percentage below a tick is a tick, a period is no operator, and markup is markup. */
TEST(what_is_said_is_so)
{
    static const char *const models[] = {
        "operators: {a: 3}\ndeadlines: [{from: a, to: a, within: 2}]\n",
        "operators: {s: 1, a: 9, b: 2, t: 1}\nqueues: [s -> a -> t, s -> b -> t]\nsource: {operator: s, period: 20}\n"
        "deadlines: [{from: s, to: t, within: 10}]\n"};
    struct request one = {.options = {.runs = 1, .iterations = 1, .no_live = true}}, several = one, rates = one;
    add(&one, models[0]);
    add(&several, models[1]);
    assert_int_equal(weir_read_file(WEIR_SOURCE_DIR "/examples/sdf3/h263-decoder.xml", NULL,
                                    (struct weir_pipeline **)&rates.models[rates.count++].pipeline, NULL),
                     WEIR_OK);
    assert_int_equal(write(&one), WEIR_OK);
    assert_int_equal(write(&several), WEIR_OK);
    assert_int_equal(write(&rates), WEIR_OK);
    assert_has(&one, "If one of these gets slower by 1 tick");
    assert_lacks(&one, "others have slack");
    assert_has(&several, "The others have slack.");
    assert_has(&several, "percent faster (at least a tick)");
    assert_has(&several, "The bottleneck is the period of s");
    assert_has(&rates, "<li>");
    assert_lacks(&rates, "&lt;li");
    assert_lacks(&rates, "&lt;strong");
    assert_has(&rates, "332046 ticks per iteration");
    clear(&one);
    clear(&several);
    clear(&rates);
}

/* The words of the terminal as a page has them: code is code, arrows are arrows, a sentence begins with a capital letter, and a
 * column of which nothing is known is not there. */
TEST(words_of_the_terminal)
{
    struct request pool = {.options = {.runs = 1, .iterations = 1, .no_live = true}}, with = pool;
    add(&pool, cores);
    add(&with, "operators: {a: 1, b: {time: [2, 3]}}\nqueues: [a -> b]\nsource: {operator: a, period: 9}\n"
               "deadlines: [{from: a, to: b, within: 10}]\n");
    assert_int_equal(write(&pool), WEIR_OK);
    assert_int_equal(write(&with), WEIR_OK);
    assert_has(&pool, "is released by <code>offset</code> + (j - 1) <code>period</code>");
    assert_lacks(&pool, "`offset`");
    assert_lacks(&pool, " -&gt; ");
    assert_has(&pool, "<p>Utilization: ");
    assert_lacks(&pool, ">at least</th>");
    assert_lacks(&pool, ">slack</th>");
    assert_has(&with,
               ">best case</th><th scope=\"col\" class=\"number\">deadline</th><th scope=\"col\" class=\"number\">slack</th>");
    assert_lacks(&with, "<h4>");
    clear(&pool);
    clear(&with);
}

TEST(test_same_bytes)
{
    struct request one = {.options = {.runs = 3, .iterations = 5, .seed = 7, .title = "A & B"}}, two = one;
    const char *const all[] = {threads, processors, cores, gpu};
    for (size_t i = 0; i < 4; i++) {
        add(&one, all[i]);
        add(&two, all[i]);
    }
    assert_int_equal(write(&one), WEIR_OK);
    assert_int_equal(write(&two), WEIR_OK);
    assert_string_equal(one.text, two.text);
    assert_has(&one, "<title>A &amp; B</title>");
    clear(&one);
    clear(&two);
}

/* No name ends a script, opens an element or becomes an attribute. */
TEST(test_names)
{
    struct request request = {.options = {.runs = 1, .iterations = 1}};
    add(&request, "name: '</script><!--'\noperators:\n  '</script><i x=\"1\">': {time: [1, 2]}\n  '\"onload=\"': {time: [1, 3]}\n"
                  "queues:\n  - {from: '</script><i x=\"1\">', to: '\"onload=\"'}\n");
    request.models[0].path = "<b>.yaml";
    assert_int_equal(write(&request), WEIR_OK);
    assert_lacks(&request, "</script><i");
    assert_lacks(&request, "</script><!");
    assert_lacks(&request, "\"\"onload");
    assert_lacks(&request, "<b>");
    assert_has(&request, "&lt;/script&gt;");
    assert_has(&request, "&lt;b&gt;.yaml");
    clear(&request);
}

/* Each id once, although every picture has the same ones. */
TEST(test_ids)
{
    struct request request = {.options = {.runs = 2, .iterations = 5}};
    const char *const all[] = {threads, processors, gpu, gpu};
    for (size_t i = 0; i < 4; i++)
        add(&request, all[i]);
    assert_int_equal(write(&request), WEIR_OK);
    size_t count = 0;
    for (char *at = strstr(request.text, " id=\""); at; at = strstr(at + 1, " id=\"")) {
        size_t length = strcspn(at + 5, "\"") + 6;
        count++;
        for (char *other = strstr(at + 1, " id=\""); other; other = strstr(other + 1, " id=\""))
            if (strncmp(at, other, length) == 0)
                fail_msg("twice: %.*s", (int)length, at);
    }
    assert_true(count > 20);
    clear(&request);
}

TEST(test_live)
{
    const char *why = "unset";
    struct request request = {.options = {.runs = 1, .iterations = 1}};
    add(&request, threads);
    assert_int_equal(write(&request), WEIR_OK);
    assert_has(&request, "<h3 class=\"live-heading\">What if?</h3>");
    if (weir_report_live(&why)) {
        assert_null(why);
        assert_has(&request, "id=\"engine\" data-packed=\"gzip\">H4sI"); /* how everything that gzip packs begins */
    } else {
        assert_non_null(why);
        assert_has(&request, "This page cannot recompute");
        assert_lacks(&request, "id=\"engine\"");
    }
    assert_true(weir_report_live(NULL) == (why == NULL));
    clear(&request);
}

TEST(test_base64)
{
    static const char *const expected[] = {"", "AA==", "AAE=", "AAEC", "AAEC/w=="};
    const unsigned char bytes[] = {0, 1, 2, 255};
    for (size_t i = 0; i <= sizeof bytes; i++) {
        char *text = NULL;
        size_t length;
        FILE *out = open_memstream(&text, &length);
        weir_live_write_base64(bytes, i, out);
        fclose(out);
        assert_string_equal(text, expected[i]);
        free(text);
    }
}

TEST(test_full_disk)
{
    struct weir_error error;
    struct request request = {.options = {.runs = 1, .iterations = 1}};
    FILE *full = fopen("/dev/full", "w");
    if (!full)
        skip();
    add(&request, threads);
    assert_int_equal(weir_report_write(request.models, 1, NULL, full, NULL, &error), WEIR_IO);
    assert_non_null(strstr(error.message, "cannot write the report"));
    fclose(full);
    full = fopen("/dev/full", "w");
    setvbuf(full, NULL, _IONBF, 0);
    assert_int_equal(weir_editor_write(true, full, &error), WEIR_IO);
    fclose(full);
    clear(&request);
}

TEST(test_memory)
{
    const char *const all[] = {threads, overload, processors, cores, gpu, workers};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct request request = {.options = {.runs = 1, .iterations = 2}};
        add(&request, all[i]);
        assert_true(stage_fail_each_allocation(write, &request) > 5);
        assert_has(&request, "</html>");
        clear(&request);
    }
}

/* Work on a GPU, batches and transfers have sliders too; and where times were taken from is said. */
TEST(beyond_plain_operators)
{
    struct request request = {.options = {.runs = 2}};
    add(&request, launches);
    assert_int_equal(write(&request), WEIR_OK);
    assert_int_equal(request.verdict, WEIR_VERDICT_GOOD);
    assert_has(&request, "The worst case is known exactly.");
    if (weir_report_live(NULL))
        assert_has(&request, "\"key\": \"gpu.time\"");
    assert_has(&request, "Work on a GPU is done in the order of its stream");
    assert_has(&request, "The times of 1 of 3 operators were observed, not proven");
    assert_has(&request, "1 of them was seen fewer than 100 times");
    assert_has(&request, "<td class=\"number\">1.8 ms</td><td class=\"number\">40, few</td><td>flow.log</td>");
    clear(&request);
}

TEST(connections_that_do_not_wait)
{
    struct request request = {0};
    add(&request, cut);
    assert_int_equal(write(&request), WEIR_OK);
    assert_int_equal(request.verdict, WEIR_VERDICT_GOOD);
    assert_has(&request, "The deadline is met, always.");
    assert_has(&request, "How the worst case adds up");
    assert_has(&request, "Connections that do not wait");
    clear(&request);
    request = (struct request){0};
    add(&request, failing);
    assert_int_equal(write(&request), WEIR_OK);
    assert_int_equal(request.verdict, WEIR_VERDICT_BAD);
    assert_has(&request, "CAN FAIL: the queue ");
    clear(&request);
}

/* The largest place of all elements that begin with `what`. */
static double largest(const char *text, const char *what, double (*place)(const char *at))
{
    double most = -1;
    for (const char *at = strstr(text, what); at; at = strstr(at + 1, what)) {
        double here = place(at);
        most = here > most ? here : most;
    }
    return most;
}

static double number_behind(const char *at, const char *key)
{
    const char *found = strstr(at, key);
    assert_non_null(found);
    return strtod(found + strlen(key), NULL);
}

static double right_of(const char *rect)
{
    return number_behind(rect, " x=\"") + number_behind(rect, "width=\"");
}

static double width_of(const char *rect)
{
    return number_behind(rect, "width=\"");
}

static double place_of(const char *line)
{
    return number_behind(line, "d=\"M");
}

TEST(no_bar_beyond_the_bound)
{
    static const char *const models[] = {
        /* one bar alone, at the bound; a short time in a long one; a bound that is no round number; nearly all at the bound */
        "operators:\n  a: 1\n  b: 2\nqueues:\n  - a -> b\n",
        "operators:\n  a: {time: [1, 2]}\n  b: {time: [0, 1000000]}\nqueues:\n  - a -> b\n",
        "unit: us\noperators:\n  a: {time: [0.001, 13.337]}\n  b: {time: [7, 7.001]}\n  c: 0.5\nqueues:\n  - a -> b -> c\n",
        "operators:\n  a: {time: [9, 10]}\n  b: {time: [99, 100]}\nqueues:\n  - {from: a, to: b, capacity: 3}\n"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        for (uint64_t seed = 1; seed <= 5; seed++) {
            struct request request = {.options = {.runs = 20, .iterations = 30, .seed = seed, .no_live = true}};
            add(&request, models[i]);
            assert_int_equal(write(&request), WEIR_OK);
            const char *histogram = strstr(request.text, "Histogram of simulated");
            assert_non_null(histogram);
            double bar = largest(histogram, "<rect class=\"wp0\"", right_of), bound = largest(histogram, "<path d=\"M", place_of);
            if (bar <= 0 || bound <= 0 || bar > bound)
                fail_msg("model %zu, seed %u: a bar ends at %g, the bound is at %g", i, (unsigned)seed, bar, bound);
            double wide = largest(histogram, "<rect class=\"wp0\"", width_of), axis = 70;
            if (wide < 2 || bar - wide < axis)
                fail_msg("model %zu, seed %u: a bar of %g before %g cannot be seen", i, (unsigned)seed, wide, bar);
            clear(&request);
        }
}

TEST(memory_fails_beyond_plain_operators)
{
    struct request request = {.options = {.runs = 1, .iterations = 2}};
    add(&request, launches);
    assert_true(stage_fail_each_allocation(write, &request) > 10);
    clear(&request);
}
