/* SPDX-License-Identifier: Apache-2.0 */
/* What each file of a Holoscan application says, and what is wrong with bad ones. */
#include "read/evidence.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct heard {
    struct weir_evidence evidence;
    struct weir_errors *errors;
    enum weir_status status;
};

static enum weir_status read_as(enum weir_evidence_format format, struct heard *h, const char *text)
{
    struct weir_evidence *e = &h->evidence;
    size_t size = strlen(text);
    switch (format) {
    case WEIR_EVIDENCE_SUMMARY:
        return weir_evidence_read_summary(e, 0, text, size, h->errors);
    case WEIR_EVIDENCE_PERF_GRAPH:
        return weir_evidence_read_perf_graph(e, 0, text, size, h->errors);
    case WEIR_EVIDENCE_PORT_MAP:
        return weir_evidence_read_port_map(e, 0, text, size, h->errors);
    case WEIR_EVIDENCE_GXF:
        return weir_evidence_read_gxf(e, 0, text, size, h->errors);
    case WEIR_EVIDENCE_JOB_STATISTICS:
        return weir_evidence_read_job_statistics(e, 0, text, size, h->errors);
    case WEIR_EVIDENCE_DESCRIPTION:
        return weir_evidence_read_description(e, 0, text, size, h->errors);
    case WEIR_EVIDENCE_NONE:
    case WEIR_EVIDENCE_FLOW_LOG:
        break;
    }
    fail_msg("no such reader");
    return WEIR_INTERNAL;
}

/* Reads text whose format is told by its content, which must be the expected one. */
static struct heard hear(enum weir_evidence_format format, const char *text)
{
    struct heard h = {.errors = weir_errors_new()};
    assert_non_null(h.errors);
    h.evidence.notes = weir_errors_new();
    assert_int_equal(weir_evidence_format_of(text, strlen(text)), format);
    assert_int_equal(weir_evidence_add_file(&h.evidence, "file", false), 0);
    h.status = read_as(format, &h, text);
    return h;
}

static void forget(struct heard *h)
{
    weir_errors_free(h->evidence.notes);
    weir_errors_free(h->errors);
    weir_evidence_free(&h->evidence);
}

static struct heard hear_well(enum weir_evidence_format format, const char *text)
{
    struct heard h = hear(format, text);
    if (h.status)
        fail_msg("%u:%u: %s", weir_errors_at(h.errors, 0)->line, weir_errors_at(h.errors, 0)->column,
                 weir_errors_at(h.errors, 0)->message);
    assert_int_equal(weir_errors_count(h.errors), 0);
    return h;
}

/* The only mistakes, "line:column: message" each in a line. */
static void assert_refused(enum weir_evidence_format format, const char *text, const char *expected)
{
    struct heard h = hear(format, text);
    char found[4096] = "";
    for (size_t i = 0; i < weir_errors_count(h.errors); i++) {
        const struct weir_error *e = weir_errors_at(h.errors, i);
        assert_string_equal(e->file, "file");
        size_t used = strlen(found);
        snprintf(found + used, sizeof found - used, "%s%u:%u: %s", i ? "\n" : "", e->line, e->column, e->message);
    }
    assert_string_equal(found, expected);
    assert_int_equal(h.status, WEIR_INVALID);
    forget(&h);
}

static const char *name_of(const struct heard *h, uint32_t op)
{
    return h->evidence.operators[op].name;
}

static void assert_time(const struct heard *h, size_t i, const char *name, int64_t min, int64_t max)
{
    assert_true(i < h->evidence.time_count);
    assert_string_equal(name_of(h, h->evidence.times[i].op), name);
    assert_int_equal(h->evidence.times[i].min, min);
    assert_int_equal(h->evidence.times[i].max, max);
}

/* "from.port -> to.port", or without ports where there are none. */
static void assert_connections(const struct heard *h, const char *expected)
{
    char found[2048] = "";
    for (size_t i = 0; i < h->evidence.connection_count; i++) {
        const struct weir_evidence_connection *c = &h->evidence.connections[i];
        size_t used = strlen(found);
        snprintf(found + used, sizeof found - used, "%s%s%s%s -> %s%s%s", i ? "; " : "", name_of(h, c->from),
                 c->from_port ? "." : "", c->from_port ? c->from_port : "", name_of(h, c->to), c->to_port ? "." : "",
                 c->to_port ? c->to_port : "");
    }
    assert_string_equal(found, expected);
}

static void assert_note(const struct heard *h, size_t i, const char *part)
{
    assert_true(i < weir_errors_count(h->evidence.notes));
    const char *message = weir_errors_at(h->evidence.notes, i)->message;
    if (!strstr(message, part))
        fail_msg("\"%s\" is not in \"%s\"", part, message);
}

/* ---- formats ---- */

static void formats_by_content(void **state)
{
    (void)state;
    static const struct {
        enum weir_evidence_format format;
        const char *text;
    } files[] = {
        {WEIR_EVIDENCE_NONE, ""},
        {WEIR_EVIDENCE_NONE, "\xef\xbb\xbf"},
        {WEIR_EVIDENCE_NONE, "operators: {a: 1}"},
        {WEIR_EVIDENCE_NONE, "digraph { a [WCET=1] }"},
        {WEIR_EVIDENCE_NONE, "digraph { a [label=\"the max: 5\"] }"},
        {WEIR_EVIDENCE_NONE, "{\"entities\": []}"},
        {WEIR_EVIDENCE_NONE, "components: []"},
        {WEIR_EVIDENCE_NONE, "12: text"},
        {WEIR_EVIDENCE_FLOW_LOG, "1:\n(a,1,2) -> (b,3,4) \n"},
        {WEIR_EVIDENCE_FLOW_LOG, "\n\n12:"},
        {WEIR_EVIDENCE_FLOW_LOG, "021112852) -> (b,3,4)\n(a,1,2) -> (b,3,4)\n"},
        {WEIR_EVIDENCE_SUMMARY, "some output\nData Flow Tracking Results:\n"},
        {WEIR_EVIDENCE_PERF_GRAPH, "digraph { a [label=\"a\\navg: 1\\nmax: 2\"] }"},
        {WEIR_EVIDENCE_PERF_GRAPH, "\xef\xbb\xbf"
                                   "digraph { a [label=\"a\navg: 1\nmax: 2\"] }"},
        {WEIR_EVIDENCE_PORT_MAP, "input_to_output:\n"},
        {WEIR_EVIDENCE_PORT_MAP, "# the map\noutput_to_input: {}"},
        {WEIR_EVIDENCE_GXF, "%YAML 1.2\n---\nname: a\ncomponents:\n- type: nvidia::gxf::Clock\n"},
        {WEIR_EVIDENCE_DESCRIPTION, "id: -1\nname: a\nresources:\n  []\nspec: ~"},
        {WEIR_EVIDENCE_NONE, "name: a\nspec: ~\n"},
        {WEIR_EVIDENCE_JOB_STATISTICS, " [{\"execution_time_max_ms\": 1}]"},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (weir_evidence_format_of(files[i].text, strlen(files[i].text)) != files[i].format)
            fail_msg("%s", files[i].text);
}

/* ---- performance graphs ---- */

static void a_performance_graph(void **state)
{
    (void)state;
    struct heard h = hear_well(
        WEIR_EVIDENCE_PERF_GRAPH,
        "digraph G {\nlabel=\"Application Performance Graph (latency in ms)\\n        Number of messages at sink: 1140\";\n"
        "\"Depth App.replayer\" [color=black, penwidth=1.0, label=\"Depth App.replayer\\navg: 23.58\\nmin: 2.49\\nmax: 28.14\"];\n"
        "viz [label=\"viz\navg: 3\nmax: 0.0000001\"];\nquiet;\n"
        "\"Depth App.replayer\" -> viz [label=\"avg: 7.20\\nmin: 3.95\\nmax: 7.90\"];\nviz -> quiet\n}");
    assert_int_equal(h.evidence.operator_count, 3);
    assert_int_equal(h.evidence.time_count, 2);
    assert_time(&h, 0, "Depth App.replayer", 2490000, 28140000);
    assert_time(&h, 1, "viz", WEIR_TIME_UNKNOWN, 1); /* a nanosecond is the least, and greatest times are rounded up */
    assert_int_equal(h.evidence.times[0].count, 1140);
    assert_int_equal(h.evidence.times[0].span, WEIR_SPAN_PORTS);
    assert_int_equal(h.evidence.times[0].at.line, 3);
    assert_connections(&h, "Depth App.replayer -> viz; viz -> quiet");
    assert_true(h.evidence.files[0].connects && h.evidence.files[0].observed && !h.evidence.files[0].ports);
    forget(&h);
}

static void bad_performance_graphs(void **state)
{
    (void)state;
    assert_refused(WEIR_EVIDENCE_PERF_GRAPH, "digraph {\na [label=\"a\\nmax: nan\"];\nb [label=\"b\\nmin: -1\\nmax: 3\"]\n}",
                   "2:10: the maximum in this label must be a number of milliseconds from 0 on, not \"nan\"\n"
                   "3:10: the minimum in this label must be a number of milliseconds from 0 on, not \"-1\"");
    assert_refused(WEIR_EVIDENCE_PERF_GRAPH, "digraph {\na [label=\"a\\nmin: 3\\nmax: 2\"]\n}",
                   "2:10: the minimum of \"a\" is above its maximum");
    assert_refused(WEIR_EVIDENCE_PERF_GRAPH, "digraph {\na [label=\"a\\nmax: 1e30\"] b [WCET=5]\n}",
                   "2:10: this time is out of range\n2:34: this time has no unit; expected one of ns, us, ms and s behind it");
    assert_refused(WEIR_EVIDENCE_PERF_GRAPH, "digraph {\na [label=\"a\\nmax: 1\"",
                   "2:21: expected an attribute or \"]\", found the end of the file");
    assert_refused(WEIR_EVIDENCE_PERF_GRAPH, "digraph { label=\"\\nmax: 2\" }", "1:1: this graph has no nodes");
}

/* ---- summaries ---- */

static void a_summary(void **state)
{
    (void)state;
    struct heard h =
        hear_well(WEIR_EVIDENCE_SUMMARY, "[info] Path 9: not this\r\nData Flow Tracking Results:\r\n"
                                         "Total paths: 3\r\n\r\nPath 1: My App.replayer,convert,viz \r\n"
                                         "Number of messages: 663\r\nMin Latency Message No: 249\r\n"
                                         "Min end-to-end Latency (ms): 1.8680009\r\n"
                                         "Avg end-to-end Latency (ms): 2.15161\r\nMax Latency Message No: 371\r\n"
                                         "[warning] something else\r\n"
                                         "Max end-to-end Latency (ms): 4.1900001\r\n\r\n"
                                         "Path 2: My App.replayer,viz\r\nMax end-to-end Latency (ms): 1.5e1\r\n\r\n"
                                         "Path 3: My App.replayer,convert\r\nNo messages tracked for this path.\r\n\r\n"
                                         "Number of source messages [format: source operator->transmitter name: ...]:\r\n"
                                         "My App.replayer->output: 683\r\nNumber of messages: x\r\n");
    assert_int_equal(h.evidence.path_count, 3);
    const struct weir_evidence_path *p = h.evidence.paths;
    assert_int_equal(p[0].count, 3);
    assert_string_equal(name_of(&h, p[0].operators[0]), "My App.replayer");
    assert_string_equal(name_of(&h, p[0].operators[2]), "viz");
    assert_int_equal(p[0].messages, 663);
    assert_int_equal(p[0].min, 1868000); /* least times are rounded down, greatest up */
    assert_int_equal(p[0].max, 4190001);
    assert_int_equal(p[0].at.line, 5);
    assert_int_equal(p[1].messages, 0);
    assert_int_equal(p[1].min, WEIR_TIME_UNKNOWN);
    assert_int_equal(p[1].max, 15000000);
    assert_int_equal(p[2].max, WEIR_TIME_UNKNOWN);
    assert_connections(&h, "My App.replayer -> convert; convert -> viz; My App.replayer -> viz");
    assert_int_equal(h.evidence.time_count, 0);
    assert_int_equal(weir_errors_count(h.evidence.notes), 0);
    forget(&h);
}

static void a_summary_that_is_cut_off(void **state)
{
    (void)state;
    struct heard h = hear_well(WEIR_EVIDENCE_SUMMARY, "Data Flow Tracking Results:\nTotal paths: 2\nPath 1: a,b\nNumber of mess");
    assert_int_equal(h.evidence.path_count, 1);
    assert_note(&h, 0, "announces 2 paths, but has 1");
    forget(&h);
}

static void bad_summaries(void **state)
{
    (void)state;
    assert_refused(
        WEIR_EVIDENCE_SUMMARY,
        "Data Flow Tracking Results:\nPath 1: a,,b\nPath 2: \xc3\xa9,b\nNumber of messages: -4\n"
        "Max end-to-end Latency (ms): inf\nPath 3: a,b\nMin end-to-end Latency (ms): -3\n",
        "2:11: the name of an operator is empty\n4:21: the number of messages must be a whole number from 0 on, not \"-4\"\n"
        "5:30: this latency must be a number, not \"inf\"\n7:30: this latency is negative");
    assert_refused(WEIR_EVIDENCE_SUMMARY,
                   "Data Flow Tracking Results:\nPath 1: a,b\nMax end-to-end Latency (ms): 1\nMin end-to-end Latency (ms): 2\n",
                   "2:1: the least latency of this path is above its greatest");
    assert_refused(WEIR_EVIDENCE_SUMMARY, "Data Flow Tracking Results:\nPath 1:\n", "2:8: the name of an operator is empty");
}

/* ---- port maps ---- */

static void a_port_map(void **state)
{
    (void)state;
    struct heard h = hear_well(WEIR_EVIDENCE_PORT_MAP, "input_to_output:\n  fork.in:\n    - My App.tx.out\n  rx.receivers:0:\n"
                                                       "    - fork.out\n    - My App.tx.out\n"
                                                       "output_to_input:\n  My App.tx.out:\n    - fork.in\n    - rx.receivers:0\n"
                                                       "  fork.out:\n    - rx.receivers:0\n  lonely.out:\n    []\n");
    assert_connections(&h, "My App.tx.out -> fork.in; fork.out -> rx.receivers:0; My App.tx.out -> rx.receivers:0");
    assert_int_equal(weir_errors_count(h.evidence.notes), 0);
    assert_int_equal(h.evidence.connections[0].at.line, 3);
    assert_true(h.evidence.files[0].connects && h.evidence.files[0].ports && !h.evidence.files[0].observed);
    forget(&h);
}

static void half_a_port_map(void **state)
{
    (void)state;
    struct heard h = hear_well(WEIR_EVIDENCE_PORT_MAP, "output_to_input:\n  a.out: [b.in, c.in]\n  b.out: c.other\n");
    assert_connections(&h, "a.out -> b.in; a.out -> c.in; b.out -> c.other");
    assert_int_equal(weir_errors_count(h.evidence.notes), 0);
    forget(&h);
}

static void maps_that_disagree(void **state)
{
    (void)state;
    struct heard h = hear_well(WEIR_EVIDENCE_PORT_MAP,
                               "input_to_output: {b.in: [a.out], c.in: [a.out]}\noutput_to_input:\n  a.out: [b.in, d.in]\n");
    assert_connections(&h, "a.out -> b.in; a.out -> c.in; a.out -> d.in");
    assert_int_equal(weir_errors_count(h.evidence.notes), 2);
    assert_note(&h, 0, "that \"a.out\" feeds \"c.in\" stands only in \"input_to_output\"");
    assert_note(&h, 1, "that \"a.out\" feeds \"d.in\" stands only in \"output_to_input\"");
    forget(&h);
}

static void bad_port_maps(void **state)
{
    (void)state;
    assert_refused(WEIR_EVIDENCE_PORT_MAP,
                   "output_to_input:\n  a: [b.in, c.in]\n  b.out: [c, [d]]\n  c.out: {d: e}\n  .x: [b.in]\n",
                   "2:3: expected a port, \"OPERATOR.PORT\", not \"a\"\n3:11: expected a port, \"OPERATOR.PORT\", not \"c\"\n"
                   "4:10: expected a list of ports, not a mapping\n5:3: expected a port, \"OPERATOR.PORT\", not \".x\"");
    assert_refused(WEIR_EVIDENCE_PORT_MAP, "output_to_input: []\n",
                   "1:18: \"output_to_input\" must be a mapping from ports to lists of ports, not a list");
    assert_refused(WEIR_EVIDENCE_PORT_MAP, "output_to_input:\n\ta.b: c\n",
                   "2:1: a tab cannot stand here; YAML is indented with spaces");
    assert_refused(WEIR_EVIDENCE_PORT_MAP, "input_to_output:\ninput_to_output:\n", "2:1: \"input_to_output\" is given twice");
}

/* ---- applications of GXF ---- */

#define TX(name)                                                                                                                   \
    "---\nname: " name "\ncomponents:\n- name: signal\n  type: nvidia::gxf::DoubleBufferTransmitter\n"                             \
    "- type: nvidia::gxf::DownstreamReceptiveSchedulingTerm\n  parameters:\n    transmitter: signal\n    min_size: 1\n"
#define RX(name)                                                                                                                   \
    "---\nname: " name                                                                                                             \
    "\ncomponents:\n- name: signal\n  type: nvidia::gxf::DoubleBufferReceiver\n  parameters:\n    capacity: 4\n"                   \
    "    policy: 0\n- type: nvidia::gxf::MessageAvailableSchedulingTerm\n  parameters:\n    receiver: signal\n    min_size: 2\n"
#define CONNECTION(from, to)                                                                                                       \
    "---\ncomponents:\n- type: nvidia::gxf::Connection\n  parameters:\n    source: " from "\n    target: " to "\n"

static void an_application(void **state)
{
    (void)state;
    struct heard h = hear_well(
        WEIR_EVIDENCE_GXF,
        "%YAML 1.2\n" CONNECTION("tx/signal", "rx/signal") TX("tx")
            RX("rx") "- name: bare\n  type: nvidia::gxf::DoubleBufferReceiver\n" CONNECTION(
                "tx/signal", "rx/bare") "---\nname: clocks\ncomponents:\n- name: clock\n  type: nvidia::gxf::RealtimeClock\n"
                                        "- type: nvidia::gxf::EventBasedScheduler\n  parameters:\n    worker_thread_number: 3\n");
    assert_connections(&h, "tx.signal -> rx.signal; tx.signal -> rx.bare");
    assert_int_equal(h.evidence.operator_count, 2); /* what is not connected is no operator */
    assert_int_equal(h.evidence.port_count, 3);
    const struct weir_evidence_port *p = h.evidence.ports;
    assert_true(p[0].output && !p[0].unconditional && p[0].min_size == 1 && p[0].capacity == 0);
    assert_true(!p[1].output && !p[1].unconditional && p[1].min_size == 2 && p[1].capacity == 4);
    assert_int_equal(p[1].policy, WEIR_POLICY_POP);
    assert_true(!p[2].output && p[2].unconditional && p[2].policy == WEIR_POLICY_UNKNOWN);
    assert_string_equal(p[2].port, "bare");
    assert_int_equal(h.evidence.scheduler_count, 1);
    assert_int_equal(h.evidence.schedulers[0].dispatch, WEIR_DISPATCH_EVENTS);
    assert_int_equal(h.evidence.schedulers[0].workers, 3);
    forget(&h);
}

static void schedulers_of_an_application(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum weir_dispatch dispatch;
        uint32_t workers;
        int64_t polling;
    } schedulers[] = {
        {"GreedyScheduler\n  parameters: {clock: clock}\n", WEIR_DISPATCH_GREEDY, 1, WEIR_TIME_UNKNOWN},
        {"MultiThreadScheduler\n", WEIR_DISPATCH_POLLED, 1, WEIR_TIME_UNKNOWN},
        {"MultiThreadScheduler\n  parameters: {worker_thread_number: 4, check_recession_period_ms: 0.25}\n", WEIR_DISPATCH_POLLED,
         4, 250000},
        {"EventBasedScheduler\n  parameters: {worker_thread_number: 7}\n", WEIR_DISPATCH_EVENTS, 7, WEIR_TIME_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof schedulers / sizeof *schedulers; i++) {
        char text[2048];
        snprintf(text, sizeof text, "%s%s%s", TX("tx") RX("rx") CONNECTION("tx/signal", "rx/signal"),
                 "---\ncomponents:\n- type: nvidia::gxf::", schedulers[i].text);
        struct heard h = hear_well(WEIR_EVIDENCE_GXF, text);
        assert_int_equal(h.evidence.scheduler_count, 1);
        assert_int_equal(h.evidence.schedulers[0].dispatch, schedulers[i].dispatch);
        assert_int_equal(h.evidence.schedulers[0].workers, schedulers[i].workers);
        assert_int_equal(h.evidence.schedulers[0].polling, schedulers[i].polling);
        forget(&h);
    }
}

static void periods_of_an_application(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t period;
        enum weir_arrivals arrivals;
    } periods[] = {
        {"recess_period: 30Hz\n    policy: MinTimeBetweenTicks", 33333333, WEIR_ARRIVALS_AT_MOST},
        {"recess_period: 33ms\n    policy: 1", 33000000, WEIR_ARRIVALS_AT_MOST},
        {"recess_period: 1500\n    policy: 0", 1500, WEIR_ARRIVALS_CATCH_UP},
        {"recess_period: 0.5hz\n    policy: 2", 2000000000, WEIR_ARRIVALS_SKIP},
        {"recess_period: 30Hz", 33333333, WEIR_ARRIVALS_CATCH_UP},
        {"recess_period: 30Hz\n    policy: NoCatchUpMissedTicks", 33333333, WEIR_ARRIVALS_SKIP},
    };
    for (size_t i = 0; i < sizeof periods / sizeof *periods; i++) {
        char text[2048];
        snprintf(text, sizeof text, "%s%s    %s\n%s", TX("tx"), "- type: nvidia::gxf::PeriodicSchedulingTerm\n  parameters:\n",
                 periods[i].text, RX("rx") CONNECTION("tx/signal", "rx/signal"));
        struct heard h = hear_well(WEIR_EVIDENCE_GXF, text);
        assert_int_equal(h.evidence.period_count, 1);
        assert_int_equal(h.evidence.periods[0].period, periods[i].period);
        assert_int_equal(h.evidence.periods[0].arrivals, periods[i].arrivals);
        forget(&h);
    }
}

static void broadcasts_and_other_terms(void **state)
{
    (void)state;
    struct heard h =
        hear_well(WEIR_EVIDENCE_GXF,
                  TX("tx") "---\nname: fan\ncomponents:\n- {name: in, type: nvidia::gxf::DoubleBufferReceiver}\n"
                           "- {name: side, type: nvidia::gxf::DoubleBufferReceiver}\n"
                           "- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}\n- {type: nvidia::gxf::Broadcast}\n"
                           "- type: nvidia::gxf::MultiMessageAvailableSchedulingTerm\n  parameters:\n"
                           "    {receivers: [in, fan/side], sampling_mode: PerReceiver, min_sizes: [1, 3]}\n"
                           "- {type: nvidia::gxf::BooleanSchedulingTerm}\n- {type: nvidia::gxf::CountSchedulingTerm}\n" RX("rx")
                               CONNECTION("tx/signal", "fan/in") CONNECTION("fan/out", "rx/signal"));
    uint32_t fan = weir_evidence_find(&h.evidence, "fan", 3);
    assert_true(fan != WEIR_NOBODY && h.evidence.operators[fan].broadcast);
    assert_false(h.evidence.operators[weir_evidence_find(&h.evidence, "tx", 2)].broadcast);
    assert_int_equal(h.evidence.port_count, 5);
    assert_true(h.evidence.ports[1].min_size == 1 && !h.evidence.ports[1].unconditional);
    assert_true(h.evidence.ports[2].min_size == 3 && !h.evidence.ports[2].unconditional);
    assert_true(h.evidence.ports[3].output && h.evidence.ports[3].unconditional);
    assert_int_equal(weir_errors_count(h.evidence.notes), 1);
    assert_note(&h, 0, "what a BooleanSchedulingTerm waits for is not in the model");
    forget(&h);
}

static void bad_applications(void **state)
{
    (void)state;
    assert_refused(WEIR_EVIDENCE_GXF, TX("camera") RX("viewer") CONNECTION("camra/signal", "viewer/signal"),
                   "26:13: there is no entity \"camra\"; did you mean \"camera\"?");
    assert_refused(WEIR_EVIDENCE_GXF, TX("tx") RX("rx") CONNECTION("rx/signal", "tx/other"),
                   "26:13: entity \"rx\" has no transmitter \"signal\"\n27:13: entity \"tx\" has no receiver \"other\"");
    assert_refused(WEIR_EVIDENCE_GXF, TX("tx") TX("tx") CONNECTION("tx", "tx/x"),
                   "11:7: entity \"tx\" is given twice; the first is in line 2\n"
                   "17:18: expected \"ENTITY/PORT\", not \"signal\"\n23:13: expected \"ENTITY/PORT\", not \"tx\"\n"
                   "24:13: entity \"tx\" has no receiver \"x\"");
    assert_refused(WEIR_EVIDENCE_GXF,
                   TX("tx") "- name: signal\n  type: x::Receiver\n  parameters: {capacity: 0, policy: 3}\n- [a]\n- {name: b}\n",
                   "10:9: port \"signal\" is given twice; the first is in line 4\n"
                   "12:26: \"capacity\" must be a whole number from 1 on, not \"0\"\n"
                   "12:37: \"policy\" must be 0 (pop), 1 (reject) or 2 (fault)\n13:3: a component must be a mapping, not a list\n"
                   "14:3: a component needs a \"type\"");
    assert_refused(WEIR_EVIDENCE_GXF, TX("tx"), "1:1: this application has no connections (nvidia::gxf::Connection)");
    assert_refused(WEIR_EVIDENCE_GXF,
                   TX("tx") "- {type: a::Broadcast, parameters: {mode: 1}}\n"
                            "- {name: in, type: a::Receiver}\n- {name: on, type: a::Receiver}\n"
                            "- {type: a::MultiMessageAvailableSchedulingTerm, parameters: {receivers: [in, on]}}\n",
                   "10:43: this broadcast feeds its outputs by turns, which weir cannot model\n"
                   "13:3: this term waits for messages at any of its receivers, which weir cannot model (sampling_mode: "
                   "PerReceiver waits at each)");
    assert_refused(WEIR_EVIDENCE_GXF, "components:\n- type: nvidia::gxf::Subgraph\n- type: a::Connection\n",
                   "2:3: subgraphs in other files are not read: put their entities into this file\n"
                   "3:3: a connection needs a \"source\" and a \"target\"");
}

/* ---- descriptions ---- */

#define DESCRIBED(name, inputs, outputs, conditions)                                                                               \
    "id: -1\nname: " name "\nfragment: \"\"\nargs:\n  []\ntype: kNative\nconditions:\n" conditions                                 \
    "resources:\n  []\nspec:\n  fragment: \"\"\n  params:\n    []\n  inputs:\n" inputs "  outputs:\n" outputs

static void described_operators(void **state)
{
    (void)state;
    struct heard h = hear_well(
        WEIR_EVIDENCE_DESCRIPTION,
        DESCRIBED("tx", "    []\n",
                  "    - name: out\n      io_type: kOutput\n      typeinfo_name: N8holoscan3gxf6EntityE\n"
                  "      connector_type: kDefault\n      conditions:\n        - type: kNone\n"
                  "    - name: fast\n      io_type: kOutput\n      connector_type: kAsyncBuffer\n      conditions:\n        []\n",
                  "  - id: -1\n    name: periodic\n    fragment: \"\"\n    args:\n      - name: recess_period\n        type: "
                  "std::string\n"
                  "        value: 20ms\n      - name: policy\n        type: YAML::Node\n        value: NoCatchUpMissedTicks\n"
                  "    gxf_typename: nvidia::gxf::PeriodicSchedulingTerm\n"
                  "  - id: -1\n    name: count\n    gxf_typename: nvidia::gxf::CountSchedulingTerm\n"
                  "  - id: -1\n    name: go\n    gxf_typename: nvidia::gxf::BooleanSchedulingTerm\n")
            DESCRIBED(
                "rx",
                "    - name: in\n      io_type: kInput\n      connector_type: kDoubleBuffer\n      connector:\n        id: -1\n"
                "        name: receiver\n        args:\n          - name: capacity\n            type: int32_t\n            value: "
                "6\n"
                "          - name: policy\n            type: int32_t\n            value: 1\n"
                "        gxf_typename: nvidia::gxf::DoubleBufferReceiver\n      conditions:\n"
                "        - id: -1\n          name: available\n          args:\n            - name: min_size\n              type: "
                "uint64_t\n"
                "              value: 5\n          type: kMessageAvailable\n",
                "    []\n",
                "  - id: -1\n    name: periodic\n    args:\n      []\n"
                "    gxf_typename: nvidia::gxf::PeriodicSchedulingTerm\n"));
    const struct weir_evidence_port *p = h.evidence.ports;
    assert_int_equal(h.evidence.operator_count, 2);
    assert_int_equal(h.evidence.connection_count, 0);
    assert_int_equal(h.evidence.port_count, 3);
    assert_string_equal(name_of(&h, p[0].op), "tx");
    assert_true(p[0].output && p[0].unconditional && !p[0].latest && !p[0].capacity);
    assert_true(p[1].output && !p[1].unconditional && p[1].latest);
    assert_string_equal(name_of(&h, p[2].op), "rx");
    assert_string_equal(p[2].port, "in");
    assert_true(!p[2].output && !p[2].unconditional && p[2].capacity == 6 && p[2].min_size == 5);
    assert_int_equal(p[2].policy, WEIR_POLICY_REJECT);
    assert_int_equal(h.evidence.period_count, 1);
    assert_int_equal(h.evidence.periods[0].period, 20000000);
    assert_int_equal(h.evidence.periods[0].arrivals, WEIR_ARRIVALS_SKIP);
    assert_int_equal(weir_errors_count(h.evidence.notes), 2);
    assert_note(&h, 0, "what \"tx\" waits for by \"BooleanSchedulingTerm\"");
    assert_note(&h, 1, "its period is not described");
    forget(&h);
}

static void bad_descriptions(void **state)
{
    (void)state;
    assert_refused(WEIR_EVIDENCE_DESCRIPTION, "name: \nresources: []\nspec: ~\n",
                   "1:1: expected the description of an operator, with a \"name\"");
    assert_refused(WEIR_EVIDENCE_DESCRIPTION,
                   DESCRIBED("a",
                             "    - name: in\n      connector:\n        args:\n          - {name: capacity, value: many}\n"
                             "          - {name: policy, value: 3}\n",
                             "    []\n",
                             "  - gxf_typename: nvidia::gxf::PeriodicSchedulingTerm\n"
                             "    args: [{name: recess_period, value: often}, {name: policy, value: Never}]\n"),
                   "9:41: \"recess_period\" must be a time or a rate such as 33ms or 30Hz, not \"often\"\n"
                   "9:71: \"policy\" must be CatchUpMissedTicks, MinTimeBetweenTicks or NoCatchUpMissedTicks, not \"Never\"\n"
                   "20:37: \"capacity\" must be a whole number from 1 on, not \"many\"\n"
                   "21:35: \"policy\" must be 0 (pop), 1 (reject) or 2 (fault)");
}

/* ---- fragments ---- */

static void operators_of_a_fragment(void **state)
{
    (void)state;
    struct weir_evidence e = {0};
    uint32_t left = weir_evidence_add_file(&e, "left", false), all = weir_evidence_add_file(&e, "all", false);
    weir_evidence_set_fragment(&e, left, "left");
    uint32_t a = weir_evidence_operator(&e, "a", 1, (struct weir_evidence_place){left, 1});
    assert_string_equal(e.operators[a].name, "left.a");
    assert_int_equal(weir_evidence_operator(&e, "left.a", 6, (struct weir_evidence_place){left, 2}), a);
    assert_int_equal(weir_evidence_operator(&e, "left.a", 6, (struct weir_evidence_place){all, 1}), a);
    assert_int_equal(weir_evidence_find_in(&e, left, "a", 1), a);
    assert_int_equal(weir_evidence_find_in(&e, all, "a", 1), WEIR_NOBODY);
    uint32_t b = weir_evidence_operator(&e, "leftover", 8, (struct weir_evidence_place){left, 3});
    assert_string_equal(e.operators[b].name, "left.leftover");
    assert_int_equal(weir_evidence_operator(&e, "", 0, (struct weir_evidence_place){left, 4}), WEIR_NOBODY);
    weir_evidence_free(&e);
}

/* ---- job statistics ---- */

static void statistics(void **state)
{
    (void)state;
    struct heard h =
        hear_well(WEIR_EVIDENCE_JOB_STATISTICS,
                  "{\n  \"codelets\": [{\"name\": \"tx\", \"entity\": [{\"codelet_name\": \"c\", \"count\": 9, "
                  "\"execution_time_max_ms\": 99}]}],\n"
                  "  \"entities\": [\n"
                  "    {\"count\": 1000, \"execution_time_90_ms\": 1.5, \"execution_time_max_ms\": 2.12345, "
                  "\"execution_time_median_ms\": 0.0013,\n"
                  "     \"name\": \"tx\"},\n"
                  "    {\"count\": 1000, \"execution_time_max_ms\": 1e-05, \"name\": \"_holoscan_broadcast_tx_out\"},\n"
                  "    {\"count\": 5, \"execution_time_max_ms\": -21474.83648, \"name\": \"slow\"},\n"
                  "    {\"count\": 0, \"execution_time_max_ms\": 0.0, \"name\": \"idle\"}\n  ]\n}\n");
    assert_int_equal(h.evidence.time_count, 2);
    assert_time(&h, 0, "tx", WEIR_TIME_UNKNOWN, 2123450);
    assert_time(&h, 1, "_holoscan_broadcast_tx_out", WEIR_TIME_UNKNOWN, 10);
    assert_int_equal(h.evidence.times[0].span, WEIR_SPAN_EXECUTION);
    assert_int_equal(h.evidence.times[0].count, 1000);
    assert_false(h.evidence.operators[h.evidence.times[0].op].broadcast);
    assert_true(h.evidence.operators[h.evidence.times[1].op].broadcast);
    assert_int_equal(weir_errors_count(h.evidence.notes), 2);
    assert_note(&h, 0, "GXF cannot write more than 21474 ms");
    assert_note(&h, 1, "\"idle\" has not run");
    assert_true(!h.evidence.files[0].connects && h.evidence.files[0].observed);
    forget(&h);
}

static void bad_statistics(void **state)
{
    (void)state;
    assert_refused(WEIR_EVIDENCE_JOB_STATISTICS,
                   "{\"entities\": [\n{\"count\": 1.5, \"execution_time_max_ms\": 2, \"name\": \"a\"},\n"
                   "{\"count\": 1, \"execution_time_max_ms\": null, \"name\": \"a\"},\n{\"count\": 1, \"name\": [1]},\n7,\n"
                   "{\"count\": 1, \"execution_time_max_ms\": 1e40, \"name\": \"a\"}]}",
                   "2:11: \"count\" must be a whole number from 0 on, not \"1.5\"\n"
                   "3:39: \"execution_time_max_ms\" must be a number, not \"null\"\n"
                   "4:1: this entity has no \"execution_time_max_ms\"\n4:22: \"name\" must be text or a number, not a list\n"
                   "5:1: an entity must be a mapping, not text\n6:39: \"execution_time_max_ms\" is out of range");
    assert_refused(WEIR_EVIDENCE_JOB_STATISTICS, "{\"codelets\": [{\"execution_time_max_ms\": 1}]}",
                   "1:1: expected a list of \"entities\"");
    assert_refused(WEIR_EVIDENCE_JOB_STATISTICS, "{\"entities\": [{\"execution_time_max_ms\": 1,",
                   "2:1: this is not YAML: did not find expected node content while parsing a flow node that begins in line 2");
}

/* ---- all of them ---- */

static void what_is_no_text(void **state)
{
    (void)state;
    for (int format = WEIR_EVIDENCE_SUMMARY; format <= WEIR_EVIDENCE_JOB_STATISTICS; format++) {
        struct heard h = {.errors = weir_errors_new()};
        weir_evidence_add_file(&h.evidence, "file", false);
        h.status = read_as((enum weir_evidence_format)format, &h, "a\xff");
        assert_int_equal(h.status, WEIR_INVALID);
        assert_int_equal(weir_errors_count(h.errors), 1);
        assert_int_equal(weir_errors_at(h.errors, 0)->column, 2);
        forget(&h);
    }
}

struct ledger {
    long live, asked, refused;
};

static void *ledger_resize(void *context, void *old, size_t bytes)
{
    struct ledger *ledger = context;
    if (bytes == 0) {
        ledger->live -= old != NULL;
        free(old);
        return NULL;
    }
    if (ledger->asked++ == ledger->refused)
        return NULL;
    void *block = realloc(old, bytes);
    ledger->live += block && !old;
    return block;
}

/* Each allocation is refused once: what is read is then out of memory, or as good as ever, and nothing is left behind. */
static void refuse_each(enum weir_evidence_format format, const char *text)
{
    struct ledger ledger = {.refused = -1};
    do {
        ledger = (struct ledger){.refused = ledger.refused + 1};
        weir_set_allocator(&(struct weir_allocator){ledger_resize, &ledger});
        struct heard h = {.status = WEIR_MEMORY};
        weir_evidence_add_file(&h.evidence, "file", false);
        if (!h.evidence.out_of_memory)
            h.status = read_as(format, &h, text);
        bool refused = h.evidence.out_of_memory;
        weir_evidence_free(&h.evidence);
        weir_set_allocator(NULL);
        assert_int_equal(h.status == WEIR_MEMORY, refused);
        assert_int_equal(ledger.live, 0);
    } while (ledger.asked > ledger.refused);
}

static void short_of_memory(void **state)
{
    (void)state;
    refuse_each(WEIR_EVIDENCE_SUMMARY, "Data Flow Tracking Results:\nTotal paths: 3\nPath 1: a,b,c\nPath 2: a,c\n");
    refuse_each(WEIR_EVIDENCE_PERF_GRAPH,
                "digraph {label=\"\\nNumber of messages at sink: 3\" a [label=\"a\\nmax: 3\"] a -> {b c}}");
    refuse_each(WEIR_EVIDENCE_PORT_MAP, "input_to_output: {b.in: [a.out, c.out]}\noutput_to_input: {a.out: [b.in, d.in]}");
    refuse_each(WEIR_EVIDENCE_GXF, TX("tx") RX("rx") CONNECTION("tx/signal", "rx/signal"));
    refuse_each(WEIR_EVIDENCE_DESCRIPTION, DESCRIBED("a", "    - name: in\n", "    []\n", "  []\n"));
    refuse_each(WEIR_EVIDENCE_DESCRIPTION, "name: a\nfragment: f\nresources: []\nspec: ~\nconditions: [{name: x}]\n");
    refuse_each(WEIR_EVIDENCE_JOB_STATISTICS, "[{count: 3, name: a, execution_time_max_ms: 3}, {count: 0, name: b, "
                                              "execution_time_max_ms: 3}, 7]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_by_content),
        cmocka_unit_test(a_performance_graph),
        cmocka_unit_test(bad_performance_graphs),
        cmocka_unit_test(a_summary),
        cmocka_unit_test(a_summary_that_is_cut_off),
        cmocka_unit_test(bad_summaries),
        cmocka_unit_test(a_port_map),
        cmocka_unit_test(half_a_port_map),
        cmocka_unit_test(maps_that_disagree),
        cmocka_unit_test(bad_port_maps),
        cmocka_unit_test(an_application),
        cmocka_unit_test(schedulers_of_an_application),
        cmocka_unit_test(periods_of_an_application),
        cmocka_unit_test(described_operators),
        cmocka_unit_test(bad_descriptions),
        cmocka_unit_test(operators_of_a_fragment),
        cmocka_unit_test(broadcasts_and_other_terms),
        cmocka_unit_test(bad_applications),
        cmocka_unit_test(statistics),
        cmocka_unit_test(bad_statistics),
        cmocka_unit_test(what_is_no_text),
        cmocka_unit_test(short_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
