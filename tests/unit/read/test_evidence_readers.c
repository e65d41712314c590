/* SPDX-License-Identifier: Apache-2.0 */
/* What logs, graphs, maps and statistics of a Holoscan application say, and what is wrong with bad ones. */
#include "hearing.h"
#include "support/runner.h"

/* ---- formats ---- */

TEST(formats_by_content)
{
    static const struct {
        enum weir_evidence_format format;
        const char *text;
    } files[] = {
        {WEIR_EVIDENCE_NONE, ""},
        {WEIR_EVIDENCE_NONE, "\xef\xbb\xbf"},
        {WEIR_EVIDENCE_NONE, "operators: {a: 1}"},
        {WEIR_EVIDENCE_NONE, "digraph { a [label=\"WCET\"] }"},
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
        {WEIR_EVIDENCE_PERF_GRAPH, "digraph { a [WCET=1] }"},
        {WEIR_EVIDENCE_PERF_GRAPH, "digraph { WC; a [b=1, WCET = 1] }"},
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

TEST(a_performance_graph)
{
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

/* Not seen, but said, and of whole executions. */
TEST(a_graph_with_worst_cases)
{
    struct heard h = hear_well(WEIR_EVIDENCE_PERF_GRAPH,
                               "digraph { unit=us; A [WCET=200]; B [WCET=300, BCET=0.1ms]; C [WCET=0]; A -> B; A -> C; }");
    assert_int_equal(h.evidence.time_count, 3);
    assert_time(&h, 0, "A", WEIR_TIME_UNKNOWN, 200000);
    assert_time(&h, 1, "B", 100000, 300000);
    assert_time(&h, 2, "C", WEIR_TIME_UNKNOWN, 0);
    assert_int_equal(h.evidence.times[0].count, 0);
    assert_int_equal(h.evidence.times[0].span, WEIR_SPAN_EXECUTION);
    assert_connections(&h, "A -> B; A -> C");
    assert_true(h.evidence.files[0].connects && !h.evidence.files[0].observed);
    assert_int_equal(weir_errors_count(h.evidence.notes), 0);
    forget(&h);
    static const char *const more[] = {"queue=2;", "B [period=5us];", "B -> C [latest=true];", "B -> C [consume=2];"};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        char text[200];
        snprintf(text, sizeof text, "digraph { A [WCET=2us]; A -> B; B [WCET=1us]; C [WCET=1us]; %s }", more[i]);
        h = hear_well(WEIR_EVIDENCE_PERF_GRAPH, text);
        assert_note(&h, 0, "not its queues and periods");
        forget(&h);
    }
}

TEST(bad_performance_graphs)
{
    assert_refused(WEIR_EVIDENCE_PERF_GRAPH, "digraph {\na [label=\"a\\nmax: nan\"];\nb [label=\"b\\nmin: -1\\nmax: 3\"]\n}",
                   "2:10: the maximum in this label must be a number of milliseconds from 0 on, not \"nan\"\n"
                   "3:10: the minimum in this label must be a number of milliseconds from 0 on, not \"-1\"");
    assert_refused(WEIR_EVIDENCE_PERF_GRAPH, "digraph {\na [label=\"a\\nmin: 3\\nmax: 2\"]\n}",
                   "2:10: the minimum of \"a\" is above its maximum");
    assert_refused(WEIR_EVIDENCE_PERF_GRAPH, "digraph {\na [label=\"a\\nmax: 1e30\"] b [WCET=5]\n}",
                   "2:10: this time is out of range\n2:34: this time has no unit, as those of an application have: write one into "
                   "the graph, as in unit=us;");
    assert_refused(WEIR_EVIDENCE_PERF_GRAPH, "digraph {\na [label=\"a\\nmax: 1\"",
                   "2:21: expected an attribute or \"]\", found the end of the file");
    assert_refused(WEIR_EVIDENCE_PERF_GRAPH, "digraph { label=\"\\nmax: 2\" }", "1:1: this graph has no nodes");
}

/* ---- summaries ---- */

TEST(a_summary)
{
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
    const struct weir_flow_path *p = h.evidence.paths;
    assert_int_equal(p[0].count, 3);
    assert_string_equal(p[0].names[0], "My App.replayer");
    assert_string_equal(p[0].names[2], "viz");
    assert_int_equal(p[0].messages, 663);
    assert_int_equal(p[0].min, 1868000); /* least times are rounded down, greatest up */
    assert_int_equal(p[0].max, 4190001);
    assert_int_equal(p[0].line, 5);
    assert_int_equal(p[1].messages, 0);
    assert_int_equal(p[1].min, WEIR_TIME_UNKNOWN);
    assert_int_equal(p[1].max, 15000000);
    assert_int_equal(p[2].max, WEIR_TIME_UNKNOWN);
    assert_connections(&h, "My App.replayer -> convert; convert -> viz; My App.replayer -> viz");
    assert_int_equal(h.evidence.time_count, 0);
    assert_int_equal(weir_errors_count(h.evidence.notes), 0);
    forget(&h);
}

TEST(a_summary_that_is_cut_off)
{
    struct heard h = hear_well(WEIR_EVIDENCE_SUMMARY, "Data Flow Tracking Results:\nTotal paths: 2\nPath 1: a,b\nNumber of mess");
    assert_int_equal(h.evidence.path_count, 1);
    assert_note(&h, 0, "announces 2 paths, but has 1");
    forget(&h);
}

TEST(bad_summaries)
{
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

TEST(a_port_map)
{
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

TEST(half_a_port_map)
{
    struct heard h = hear_well(WEIR_EVIDENCE_PORT_MAP, "output_to_input:\n  a.out: [b.in, c.in]\n  b.out: c.other\n");
    assert_connections(&h, "a.out -> b.in; a.out -> c.in; b.out -> c.other");
    assert_int_equal(weir_errors_count(h.evidence.notes), 0);
    forget(&h);
}

TEST(maps_that_disagree)
{
    struct heard h = hear_well(WEIR_EVIDENCE_PORT_MAP,
                               "input_to_output: {b.in: [a.out], c.in: [a.out]}\noutput_to_input:\n  a.out: [b.in, d.in]\n");
    assert_connections(&h, "a.out -> b.in; a.out -> c.in; a.out -> d.in");
    assert_int_equal(weir_errors_count(h.evidence.notes), 2);
    assert_note(&h, 0, "that \"a.out\" feeds \"c.in\" appears only in \"input_to_output\"");
    assert_note(&h, 1, "that \"a.out\" feeds \"d.in\" appears only in \"output_to_input\"");
    forget(&h);
}

TEST(bad_port_maps)
{
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

/* ---- fragments ---- */

TEST(operators_of_a_fragment)
{
    struct weir_evidence e = {0};
    uint32_t left = weir_evidence_add_file(&e, "left", false), all = weir_evidence_add_file(&e, "all", false);
    weir_evidence_set_fragment(&e, left, "left");
    uint32_t a = weir_evidence_operator(&e, "a", 1, (struct weir_evidence_place){left, 1});
    assert_string_equal(e.operators[a].name, "left.a");
    assert_int_equal(weir_evidence_operator(&e, "left.a", 6, (struct weir_evidence_place){left, 2}), a);
    assert_int_equal(weir_evidence_operator(&e, "left.a", 6, (struct weir_evidence_place){all, 1}), a);
    assert_int_equal(weir_evidence_find_in(&e, left, "a", 1), a);
    assert_int_equal(weir_evidence_find_in(&e, all, "a", 1), WEIR_NO_OPERATOR);
    uint32_t b = weir_evidence_operator(&e, "leftover", 8, (struct weir_evidence_place){left, 3});
    assert_string_equal(e.operators[b].name, "left.leftover");
    assert_int_equal(weir_evidence_operator(&e, "", 0, (struct weir_evidence_place){left, 4}), WEIR_NO_OPERATOR);
    weir_evidence_free(&e);
}

/* ---- job statistics ---- */

TEST(statistics)
{
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

TEST(bad_statistics)
{
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

TEST(what_is_no_text)
{
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

TEST(short_of_memory)
{
    refuse_each(WEIR_EVIDENCE_SUMMARY, "Data Flow Tracking Results:\nTotal paths: 3\nPath 1: a,b,c\nPath 2: a,c\n");
    refuse_each(WEIR_EVIDENCE_PERF_GRAPH,
                "digraph {label=\"\\nNumber of messages at sink: 3\" a [label=\"a\\nmax: 3\"] a -> {b c}}");
    refuse_each(WEIR_EVIDENCE_PORT_MAP, "input_to_output: {b.in: [a.out, c.out]}\noutput_to_input: {a.out: [b.in, d.in]}");
    refuse_each(WEIR_EVIDENCE_JOB_STATISTICS, "[{count: 3, name: a, execution_time_max_ms: 3}, {count: 0, name: b, "
                                              "execution_time_max_ms: 3}, 7]");
}
