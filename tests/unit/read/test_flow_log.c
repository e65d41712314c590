/* SPDX-License-Identifier: Apache-2.0 */
/* Logs of the flow tracker: those of simulated runs, and those that nobody should write. */
#include "support/flow_log.h"
#include "support/refuse.h"
#include "support/runner.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- line by line ---- */

static struct weir_flow_log *open_text(const char *text, size_t bytes)
{
    struct weir_error error = {0};
    struct weir_flow_log *log = weir_flow_log_open_memory(text, bytes, &error);
    assert_non_null(log);
    return log;
}

static size_t next_count(struct weir_flow_log *log, struct weir_flow_message *message)
{
    struct weir_error error = {0};
    assert_int_equal(weir_flow_log_next(log, message, &error), WEIR_OK);
    return message->count;
}

TEST(names_hold_anything)
{
    static const char text[] = "7: \r\n"
                               "(Depth App.replayer,10,25) -> (conv(2,3),30,-1) -> (a,b -> c,40,52) \r\n"
                               "\r\n"
                               "(\xc3\xa9t\xc3\xa9,1,2)\n";
    struct weir_flow_message m;
    struct weir_flow_log *log = open_text(text, sizeof text - 1);
    assert_int_equal(next_count(log, &m), 3);
    assert_int_equal(m.record, 7);
    assert_int_equal(m.line, 2);
    assert_string_equal(weir_flow_log_name(log, m.steps[0].name), "Depth App.replayer");
    assert_string_equal(weir_flow_log_name(log, m.steps[1].name), "conv(2,3)");
    assert_string_equal(weir_flow_log_name(log, m.steps[2].name), "a,b -> c");
    assert_int_equal(m.steps[0].receive, 10);
    assert_int_equal(m.steps[0].publish, 25);
    assert_int_equal(m.steps[1].publish, -1);
    assert_int_equal(m.steps[2].publish, 52);
    assert_int_equal(next_count(log, &m), 1);
    assert_int_equal(m.line, 4);
    assert_int_equal(next_count(log, &m), 0);
    assert_int_equal(weir_flow_log_counts(log).unreadable, 0);
    assert_false(weir_flow_log_counts(log).truncated);
    weir_flow_log_close(log);
}

TEST(what_is_no_line_is_left_out)
{
    static const char *const lines[] = {
        "(a,1,2) -> ",
        "(a,1,2) ->",
        "(a,1,2) (b,1,2)",
        "(,1,2)",
        "(a,1)",
        "(a,x,2)",
        "(a,1,2",
        "(a,-1,2)",
        "hello",
        "1",
        "-1:",
        "(\x01,1,2)",
        "(\xff,1,2)",
        "(a,1234567890123456789,2)",
        "(a,,2)",
        "1: 2",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char text[128];
        struct weir_flow_message m;
        int bytes = snprintf(text, sizeof text, "(a,1,2)\n%s\n(a,3,4)\n", lines[i]);
        struct weir_flow_log *log = open_text(text, (size_t)bytes);
        assert_int_equal(next_count(log, &m), 1);
        assert_int_equal(next_count(log, &m), 1);
        if (m.steps[0].receive != 3)
            fail_msg("this was read: %s", lines[i]);
        assert_int_equal(next_count(log, &m), 0);
        assert_int_equal(weir_flow_log_counts(log).unreadable, 1);
        assert_int_equal(weir_flow_log_counts(log).first_unreadable, 2);
        weir_flow_log_close(log);
    }
}

/* A path that ends early would make a leaf of an operator that is none. */
TEST(the_last_line_needs_its_end)
{
    static const char text[] = "1:\n(a,1,2) -> (b,3,4)\n\n2:\n(a,5,6)";
    for (size_t bytes = 0; bytes < sizeof text; bytes++) {
        struct weir_flow_message m;
        struct weir_flow_log *log = open_text(text, bytes);
        size_t messages = 0;
        while (next_count(log, &m)) {
            assert_int_equal(m.count, 2);
            messages++;
        }
        assert_int_equal(messages, bytes >= 22);
        assert_int_equal(weir_flow_log_counts(log).truncated, bytes > 0 && text[bytes - 1] != '\n');
        weir_flow_log_close(log);
    }
}

/* ---- files ---- */

struct file {
    char path[64];
    FILE *stream;
};

static struct file make_file(void)
{
    struct file f = {.path = "/tmp/weir-flow-XXXXXX"};
    int descriptor = mkstemp(f.path);
    assert_true(descriptor >= 0);
    f.stream = fdopen(descriptor, "w+");
    assert_non_null(f.stream);
    return f;
}

static void drop_file(struct file *f)
{
    fclose(f->stream);
    unlink(f->path);
}

TEST(a_million_lines)
{
    struct file f = make_file();
    struct weir_error error = {0};
    struct weir_flow_message m;
    uint64_t lines = 0;
    for (int i = 0; i < 333333; i++, lines += 3)
        fprintf(f.stream, "%d:\n(camera,%d,%d) -> (display one,%d,%d) \n\n", i, i * 10, i * 10 + 3, i * 10 + 4, i * 10 + 9);
    for (int i = 0; i < 3000000; i++) /* longer than what is held of a file */
        fputc('(', f.stream);
    fputs("\n(camera,1,2)\n", f.stream);
    fflush(f.stream);
    struct weir_flow_log *log = weir_flow_log_open(f.path, &error);
    assert_non_null(log);
    uint64_t messages = 0;
    while (next_count(log, &m)) {
        if (m.count == 2)
            assert_int_equal(m.steps[1].publish - m.steps[0].receive, 9);
        messages++;
    }
    struct weir_flow_counts counts = weir_flow_log_counts(log);
    assert_int_equal(messages, 333334);
    assert_int_equal(counts.lines, lines + 2);
    assert_int_equal(counts.unreadable, 1);
    assert_int_equal(counts.first_unreadable, lines + 1);
    assert_int_equal(weir_flow_log_name_count(log), 2);
    assert_int_equal(weir_flow_log_permille(log), 1000);
    weir_flow_log_close(log);
    drop_file(&f);
}

/* ---- models of simulated runs ---- */

/* Times of the recovered model in microseconds. */
static int64_t in_us(const struct weir_pipeline *p, int64_t ticks)
{
    assert_int_equal(weir_pipeline_unit(p), WEIR_UNIT_MS);
    assert_true(weir_pipeline_digits(p) <= 3);
    for (unsigned digits = weir_pipeline_digits(p); digits < 3; digits++)
        ticks *= 10;
    return ticks;
}

static struct weir_pipeline *recover(const char *path, struct weir_errors *notes)
{
    struct weir_holoscan_file file = {.path = path};
    struct weir_holoscan_options options = {.files = &file, .file_count = 1, .notes = notes, .ports = WEIR_PORTS_SEPARATE};
    struct weir_errors *errors = weir_errors_new();
    struct weir_pipeline *pipeline;
    enum weir_status status = weir_holoscan_read(&options, &pipeline, errors);
    if (status)
        fail_msg("%s", weir_errors_at(errors, 0)->message);
    weir_errors_free(errors);
    return pipeline;
}

static struct weir_operator find_operator(const struct weir_pipeline *p, const char *prefix, const char *name)
{
    char whole[256];
    struct weir_operator op;
    snprintf(whole, sizeof whole, "%s%s", prefix ? prefix : "", name);
    if (!weir_pipeline_find(p, whole, &op))
        fail_msg("%s is missing", whole);
    return op;
}

static void assert_same_graph(const struct weir_pipeline *a, const struct weir_pipeline *b, const char *prefix)
{
    assert_int_equal(weir_pipeline_operator_count(a), weir_pipeline_operator_count(b));
    assert_int_equal(weir_pipeline_queue_count(a), weir_pipeline_queue_count(b));
    for (uint32_t i = 0; i < weir_pipeline_queue_count(a); i++) {
        struct weir_queue_spec q = weir_pipeline_queue(a, (struct weir_queue){i});
        struct weir_operator from = find_operator(b, prefix, weir_pipeline_operator(a, q.from).name);
        struct weir_operator to = find_operator(b, prefix, weir_pipeline_operator(a, q.to).name);
        uint32_t found = 0;
        for (uint32_t k = 0; k < weir_pipeline_queue_count(b); k++) {
            struct weir_queue_spec other = weir_pipeline_queue(b, (struct weir_queue){k});
            found += other.from.index == from.index && other.to.index == to.index && other.capacity == q.capacity;
        }
        assert_int_equal(found, 1);
    }
}

static int64_t bound_of(const struct weir_analysis *analysis, struct weir_operator from, struct weir_operator to)
{
    for (size_t i = 0; i < analysis->latency_count; i++)
        if (analysis->latencies[i].chain.from.index == from.index && analysis->latencies[i].chain.to.index == to.index) {
            assert_int_equal(analysis->latencies[i].worst.outcome, WEIR_EXACT);
            return analysis->latencies[i].worst.value;
        }
    fail_msg("a pair is missing");
    return 0;
}

/* The run is one of the recovered model, whose times are within those of the simulated one: so its bound lies between the two. */
static void go_round(const struct weir_pipeline *pipeline, struct weir_test_log *log)
{
    struct file f = make_file();
    struct weir_analysis *before, *after;
    assert_true(weir_test_log_write(pipeline, log, f.stream));
    struct weir_errors *notes = weir_errors_new();
    struct weir_pipeline *again = recover(f.path, notes);
    assert_same_graph(pipeline, again, log->prefix);
    for (uint32_t i = 0; i < weir_pipeline_operator_count(pipeline); i++) {
        struct weir_operator_spec was = weir_pipeline_operator(pipeline, (struct weir_operator){i});
        struct weir_operator_spec is = weir_pipeline_operator(again, find_operator(again, log->prefix, was.name));
        assert_int_equal(in_us(again, is.best), log->min[i]);
        assert_int_equal(in_us(again, is.worst), log->max[i]);
        assert_non_null(is.observed);
        uint64_t executions = (uint64_t)(log->iterations - (log->cut ? 1 : 0));
        assert_true(is.observed->count == executions || (log->min[i] == 0 && is.observed->count < executions));
        assert_int_equal(is.observed->min, is.best);
        assert_int_equal(is.observed->max, is.worst);
    }
    assert_int_equal(weir_analyze(pipeline, NULL, &before, NULL), WEIR_OK);
    assert_int_equal(weir_analyze(again, NULL, &after, NULL), WEIR_OK);
    for (uint32_t i = 0; i < weir_pipeline_chain_count(pipeline); i++) {
        struct weir_chain_spec chain = weir_pipeline_chain(pipeline, i);
        int64_t bound =
            in_us(again, bound_of(after, find_operator(again, log->prefix, weir_pipeline_operator(pipeline, chain.from).name),
                                  find_operator(again, log->prefix, weir_pipeline_operator(pipeline, chain.to).name)));
        assert_true(log->latency[i] <= bound || log->cut);
        assert_true(bound <= before->latencies[i].worst.value);
    }
    weir_analysis_free(before);
    weir_analysis_free(after);
    weir_pipeline_free(again);
    weir_errors_free(notes);
    free(log->min);
    free(log->max);
    free(log->latency);
    drop_file(&f);
}

TEST(applications_come_back)
{
    for (size_t i = 0; i < weir_application_count(); i++)
        for (uint64_t seed = 1; seed <= 8; seed++) {
            struct weir_application_options options = {
                .queue = 1, .random_times = true, .seed = seed, .best_permille = (uint32_t)(seed % 3) * 400};
            struct weir_pipeline *p;
            assert_int_equal(weir_generate_application(weir_application_name(i), &options, &p, NULL), WEIR_OK);
            struct weir_test_log log = {.iterations = 150,
                                        .times = seed % 2 ? WEIR_TIMES_RANDOM : WEIR_TIMES_BANG_BANG,
                                        .seed = seed,
                                        .prefix = seed == 3 ? "Depth App. " : NULL,
                                        .crlf = seed % 4 == 1,
                                        .twice = seed % 5 == 2,
                                        .garbage = seed > 4,
                                        .cut = seed == 6};
            go_round(p, &log);
            weir_pipeline_free(p);
        }
}

static struct weir_pipeline *two_by_two(void)
{
    static const char model[] = "weir: 1\noperators:\n  a: {time: [3, 9]}\n  b: {time: [1, 20]}\n  c.d: {time: [5, 6]}\n"
                                "  x: {time: [2, 30]}\n  y z: {time: 4}\nqueues:\n  - a -> c.d\n  - b -> c.d\n"
                                "  - c.d -> x\n  - {from: c.d, to: y z}\n  - b -> x\n";
    struct weir_pipeline *p;
    assert_int_equal(weir_read_memory(model, sizeof model - 1, "model", NULL, &p, NULL), WEIR_OK);
    return p;
}

TEST(several_roots_and_leaves)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct weir_pipeline *p = two_by_two();
        struct weir_test_log log = {.iterations = 200, .times = WEIR_TIMES_RANDOM, .seed = seed, .twice = seed % 2};
        go_round(p, &log);
        weir_pipeline_free(p);
    }
}

/* ---- what is made of them ---- */

static struct weir_pipeline *read_text(const char *text, size_t bytes, uint32_t margin, struct weir_errors *notes,
                                       struct weir_errors *errors)
{
    struct file f = make_file();
    fwrite(text, 1, bytes, f.stream);
    fflush(f.stream);
    struct weir_holoscan_file file = {.path = f.path};
    struct weir_holoscan_options options = {.files = &file, .file_count = 1, .margin_permille = margin, .notes = notes};
    struct weir_pipeline *p;
    enum weir_status status = weir_holoscan_read(&options, &p, errors);
    assert_int_equal(status == WEIR_OK, p != NULL);
    assert_int_equal(status == WEIR_OK, weir_errors_count(errors) == 0);
    drop_file(&f);
    return p;
}

static bool said(const struct weir_errors *errors, const char *words)
{
    for (size_t i = 0; i < weir_errors_count(errors); i++)
        if (strstr(weir_errors_at(errors, i)->message, words))
            return true;
    return false;
}

/* Two inputs, two outputs: one execution, from the first receive to the last publish, whatever the paths say. */
TEST(an_execution_is_seen_on_several_paths)
{
    static const char text[] = "1:\n(a,0,10) -> (m,20,70) -> (x,80,90)\n(b,0,12) -> (m,30,70) -> (x,80,90)\n"
                               "(a,0,10) -> (m,20,75) -> (x,85,90)\n\n"
                               "2:\n(a,0,10) -> (m,20,75) -> (y,90,93)\n\n"
                               "3:\n(a,100,110) -> (m,120,-1) -> (x,180,200)\n(a_old,0,10) -> (x,180,200)\n"
                               "(a,200,190) -> (x,200,230)\n";
    struct weir_errors *notes = weir_errors_new(), *errors = weir_errors_new();
    struct weir_pipeline *p = read_text(text, sizeof text - 1, 0, notes, errors);
    assert_non_null(p);
    assert_int_equal(weir_pipeline_operator_count(p), 6);
    assert_true(weir_pipeline_operator(p, find_operator(p, NULL, "m.broadcast")).assumed); /* a to x keeps the latest */
    struct weir_operator_spec m = weir_pipeline_operator(p, find_operator(p, NULL, "m"));
    assert_int_equal(in_us(p, m.best), 55);
    assert_int_equal(in_us(p, m.worst), 55);
    assert_int_equal(m.observed->count, 1);
    struct weir_operator_spec x = weir_pipeline_operator(p, find_operator(p, NULL, "x"));
    assert_int_equal(in_us(p, x.best), 10);
    assert_int_equal(in_us(p, x.worst), 30);
    assert_int_equal(weir_pipeline_operator(p, find_operator(p, NULL, "a")).observed->count, 2);
    assert_true(said(notes, "async buffer"));
    assert_true(said(notes, "(-1)"));
    assert_true(said(notes, "clock"));
    assert_true(said(notes, "several receivers"));
    assert_true(said(notes, "from receive() to emit()"));
    assert_true(said(notes, "too small a sample"));
    weir_pipeline_free(p);
    weir_errors_free(notes);
    weir_errors_free(errors);
}

TEST(a_margin_widens)
{
    static const char text[] = "1:\n(a,0,1001) -> (b,2000,2500)\n2:\n(a,3000,3501) -> (b,4000,4100)\n";
    struct weir_errors *errors = weir_errors_new();
    struct weir_pipeline *p = read_text(text, sizeof text - 1, 200, NULL, errors);
    struct weir_operator_spec a = weir_pipeline_operator(p, find_operator(p, NULL, "a"));
    assert_int_equal(in_us(p, a.best), 400);   /* 501 * 0.8 = 400.8 */
    assert_int_equal(in_us(p, a.worst), 1202); /* 1001 * 1.2 = 1201.2 */
    assert_int_equal(in_us(p, a.observed->min), 501);
    assert_int_equal(in_us(p, a.observed->max), 1001);
    weir_pipeline_free(p);
    weir_errors_free(errors);
}

TEST(nonsense_is_refused)
{
    static const char binary[] = "1:\n\0\x01\x02(((((\xff\n)\n(a,1,2)\0\n";
    static const struct {
        const char *text;
        size_t bytes;
    } files[] = {{"", 0},
                 {"\n\n\n", 3},
                 {"1:\n\n2:\n", 7},
                 {binary, sizeof binary - 1},
                 {"1:\n(a,1,2) -> (b,3,4)", 21},
                 {"1:\n(a,1,2) -> (b,3,4) -> (a,5,6)\n", 33}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct weir_errors *errors = weir_errors_new();
        struct weir_pipeline *p = read_text(files[i].text, files[i].bytes, 0, NULL, errors);
        assert_null(p);
        weir_errors_free(errors);
    }
}

/* ---- memory ---- */

/* Refuses one allocation more each time, until none is wanted; then the pipeline is looked at. */
static void read_with_little_memory(const char *path, uint32_t skip_last, void (*expect)(const struct weir_pipeline *))
{
    struct weir_holoscan_file file = {.path = path};
    struct refuse memory = {0};
    enum weir_status status = WEIR_MEMORY;
    while (status != WEIR_OK) {
        assert_true(refuse_next(&memory));
        struct weir_pipeline *p;
        struct weir_holoscan_options options = {.files = &file, .file_count = 1, .skip_last = skip_last, .skeleton = skip_last > 0};
        status = weir_holoscan_read(&options, &p, NULL);
        if (status != WEIR_OK)
            assert_int_equal(status, WEIR_MEMORY);
        else if (expect)
            expect(p);
        weir_pipeline_free(p);
        refuse_end();
        assert_int_equal(memory.live, 0);
    }
}

static void expect_greedy(const struct weir_pipeline *p)
{
    assert_int_equal(weir_pipeline_operator_count(p), 2);
    assert_int_equal(weir_pipeline_workers(p).dispatch, WEIR_DISPATCH_GREEDY);
}

TEST(each_allocation_may_fail)
{
    static const char text[] = "1:\n(App.a,0,10) -> (App.m,20,70) -> (App.x,80,90)\n(b,0,12) -> (App.m,30,70) -> (App.x,80,90)\n\n";
    struct file f = make_file();
    fputs(text, f.stream);
    fflush(f.stream);
    for (uint32_t skip_last = 0; skip_last < 3; skip_last++)
        read_with_little_memory(f.path, skip_last, NULL);
    drop_file(&f);
}

/* As weir-holoscan leaves it, with a file that is not known. */
TEST(a_folder_and_little_memory)
{
    static const struct {
        const char *name, *text;
    } files[] = {
        {"scheduler.yaml", "name: s\ncomponents:\n  - type: nvidia::gxf::GreedyScheduler\n"},
        {"notes.txt", "hello\n"},
        {"flow.log", "1:\n(a,0,10) -> (b,20,70)\n\n"},
        {"descriptions.yaml",
         "id: -1\nname: a\nfragment: \"\"\nconditions:\n  - gxf_typename: x::PeriodicSchedulingTerm\n    args: "
         "[{name: recess_period, value: 5000000}]\nresources: []\nspec: ~\nid: -1\nname: a\nfragment: "
         "\"\"\nconditions: [{gxf_typename: x::PeriodicSchedulingTerm}]\nresources: []\nspec: ~\n"},
    };
    char folder[] = "/tmp/weir-test-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i].name);
        FILE *stream = fopen(path, "w");
        assert_non_null(stream);
        fputs(files[i].text, stream);
        fclose(stream);
    }
    read_with_little_memory(folder, 0, expect_greedy);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i].name);
        unlink(path);
    }
    assert_int_equal(rmdir(folder), 0);
}

TEST(several_files_and_little_memory)
{
    static const char *const texts[] = {
        "output_to_input:\n  camera.out: [filter.in]\n",
        "output_to_input:\n  filter.out: [screen.in, keep.in]\n",
        "output_to_input:\n  left.filter.out: [right.filter.in]\n",
        "id: -1\nname: filter\nfragment: right\nconditions: [{gxf_typename: CountSchedulingTerm}]\nresources: []\nspec:\n"
        "  inputs: [{name: in, connector: {args: [{name: capacity, value: 3}]}}]\n",
        "1:\n(left.camera,0,10) -> (left.filter,10,20) -> (right.filter,25,35) -> (right.screen,35,36)\n"
        "(left.camera,0,10) -> (left.filter,10,20) -> (right.filter,25,35) -> (right.keep,35,37)\n",
    };
    static const char *const fragments[] = {"left", "right", NULL, NULL, NULL};
    struct file f[5];
    struct weir_holoscan_file files[5];
    for (size_t i = 0; i < 5; i++) {
        f[i] = make_file();
        fputs(texts[i], f[i].stream);
        fflush(f[i].stream);
        files[i] = (struct weir_holoscan_file){.path = f[i].path, .fragment = fragments[i], .times_only = i == 4};
    }
    struct weir_holoscan_options options = {.files = files, .file_count = 5};
    struct refuse memory = {0};
    enum weir_status status = WEIR_MEMORY;
    while (status != WEIR_OK) {
        assert_true(refuse_next(&memory));
        struct weir_pipeline *p;
        status = weir_holoscan_read(&options, &p, NULL);
        if (status == WEIR_OK) {
            assert_int_equal(weir_pipeline_operator_count(p), 6); /* with the broadcast */
            bool transferred = false;
            for (uint32_t i = 0; i < weir_pipeline_queue_count(p); i++) {
                struct weir_queue_spec q = weir_pipeline_queue(p, (struct weir_queue){i});
                if (q.transfer_max) {
                    transferred = true;
                    assert_int_equal(in_us(p, q.transfer_max), 5);
                    assert_int_equal(q.capacity, 3);
                }
            }
            assert_true(transferred);
        } else {
            assert_int_equal(status, WEIR_MEMORY);
        }
        weir_pipeline_free(p);
        refuse_end();
        assert_int_equal(memory.live, 0);
    }
    for (size_t i = 0; i < 5; i++)
        drop_file(&f[i]);
}

TEST(a_printed_summary)
{
    static const char text[] = "Data Flow Tracking Results:\nTotal paths: 2\n\nPath 1: a,b b,c\nNumber of messages: 980\n"
                               "Max Latency Message No: 3\nMax end-to-end Latency (ms): 23.4\nAvg end-to-end Latency (ms): 9.1\n"
                               "Min end-to-end Latency (ms): 7.25\n\nPath 2: a,c\nNo messages tracked for this path.\n";
    struct file f = make_file();
    struct weir_flow_summary *summary = NULL;
    fputs(text, f.stream);
    fflush(f.stream);
    struct refuse memory = {0};
    enum weir_status status = WEIR_MEMORY;
    while (status != WEIR_OK) {
        assert_true(refuse_next(&memory));
        status = weir_flow_summary_read(f.path, &summary, NULL);
        if (status != WEIR_OK) {
            assert_int_equal(status, WEIR_MEMORY);
            assert_null(summary);
            assert_int_equal(memory.live, 0);
        }
    }
    assert_non_null(summary);
    assert_int_equal(summary->count, 2);
    assert_int_equal(summary->paths[0].count, 3);
    assert_string_equal(summary->paths[0].names[1], "b b");
    assert_int_equal(summary->paths[0].messages, 980);
    assert_int_equal(summary->paths[0].max, 23400000);
    assert_int_equal(summary->paths[0].mean, 9100000);
    assert_int_equal(summary->paths[0].min, 7250000);
    assert_int_equal(summary->paths[0].max_message, 3);
    assert_int_equal(summary->paths[1].max, -1);
    assert_int_equal(summary->paths[1].messages, 0);
    weir_flow_summary_free(summary);
    refuse_end();
    assert_int_equal(memory.live, 0);
    drop_file(&f);
}
