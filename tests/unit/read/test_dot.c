/* SPDX-License-Identifier: Apache-2.0 */
/* What a DOT graph says. What it must not say is in tests/bad. */
#include "reading.h"
#include "support/runner.h"

TEST(the_papers_form)
{
    struct weir_pipeline *p =
        reading("digraph G {\n    A [BCET=100, WCET=200];\n    B [WCET=300];\n\n    A -> B [queue=2];\n}", NULL);
    assert_string_equal(weir_pipeline_name(p), "G");
    assert_int_equal(weir_pipeline_unit(p), WEIR_UNIT_TICK);
    assert_times(p, "A", 100, 200);
    assert_times(p, "B", 0, 300); /* no best case: 0, as in the papers */
    struct weir_queue_spec q = assert_queue(p, 0, "A", "B");
    assert_int_equal(q.capacity, 2);
    assert_int_equal(q.place.line, 5);
    assert_int_equal(q.place.column, 5);
    weir_pipeline_free(p);
}

TEST(attributes_in_any_case)
{
    struct weir_pipeline *p = reading("DiGraph { a [wCeT=\" 4.25ms \"; color=red, Best=1us] b [WORST=3ms shape=\"box\"][label=x];\n"
                                      "a:out -> b:in:n [QUEUE=unbounded, Initial=2, BLOCKING=False, weight=3]; UNIT=ms }",
                                      NULL);
    assert_int_equal(weir_pipeline_unit(p), WEIR_UNIT_MS);
    assert_times(p, "a", 1, 4250);
    assert_times(p, "b", 0, 3000);
    struct weir_queue_spec q = assert_queue(p, 0, "a", "b");
    assert_int_equal(q.capacity, WEIR_UNBOUNDED);
    assert_int_equal(q.initial, 2);
    assert_true(q.nonblocking);
    weir_pipeline_free(p);
}

TEST(defaults_follow_the_scope)
{
    struct weir_pipeline *p = reading("digraph { early [WCET=1]; node [WCET=5, BCET=2]; a; edge [queue=3];\n"
                                      "subgraph cluster_x { label=\"x\"; node [WCET=7]; edge [queue=4, initial=1]; b; a -> b }\n"
                                      "c [WCET=9]; early -> a; a -> c [queue=6]; b -> c }",
                                      NULL);
    assert_times(p, "early", 0, 1);
    assert_times(p, "a", 2, 5);
    assert_times(p, "b", 2, 7);
    assert_times(p, "c", 2, 9);
    assert_int_equal(assert_queue(p, 0, "a", "b").capacity, 4);
    assert_int_equal(assert_queue(p, 0, "a", "b").initial, 1);
    assert_int_equal(assert_queue(p, 1, "early", "a").capacity, 3);
    assert_int_equal(assert_queue(p, 2, "a", "c").capacity, 6);
    assert_int_equal(assert_queue(p, 3, "b", "c").capacity, 3);
    weir_pipeline_free(p);
}

TEST(default_capacities)
{
    const char *text = "digraph { graph [queue=4]; node [WCET=1]; a -> b; b -> c [capacity=5]; subgraph { queue=9 } }";
    struct weir_pipeline *p = reading(text, NULL);
    assert_int_equal(assert_queue(p, 0, "a", "b").capacity, 4);
    assert_int_equal(assert_queue(p, 1, "b", "c").capacity, 5);
    weir_pipeline_free(p);
    p = reading(text, &(struct weir_read_options){.queue = 7});
    assert_int_equal(assert_queue(p, 0, "a", "b").capacity, 7);
    assert_int_equal(assert_queue(p, 1, "b", "c").capacity, 5);
    weir_pipeline_free(p);
    p = reading(text, &(struct weir_read_options){.queue = 7, .force_queue = true});
    assert_int_equal(assert_queue(p, 1, "b", "c").capacity, 7);
    weir_pipeline_free(p);
}

TEST(chains_and_subgraphs)
{
    struct weir_pipeline *p =
        reading("digraph { node [WCET=1] a -> {b c; b} -> subgraph x { d -> { e } } -> f [queue=2] {{g} g a} -> h }", NULL);
    static const char *const expected[][2] = {{"d", "e"}, {"a", "b"}, {"a", "c"}, {"b", "d"}, {"b", "e"}, {"c", "d"},
                                              {"c", "e"}, {"d", "f"}, {"e", "f"}, {"g", "h"}, {"a", "h"}};
    assert_int_equal(weir_pipeline_queue_count(p), sizeof expected / sizeof *expected);
    for (uint32_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_int_equal(assert_queue(p, i, expected[i][0], expected[i][1]).capacity, i >= 1 && i <= 8 ? 2 : 1);
    weir_pipeline_free(p);
}

TEST(edges_twice)
{
    struct weir_pipeline *p = reading("digraph { node [WCET=1] a -> b; a -> b [queue=7]; a -> b }", NULL);
    assert_int_equal(weir_pipeline_queue_count(p), 3);
    weir_pipeline_free(p);
    p = reading("strict digraph { node [WCET=1] a -> b; a -> b [queue=7]; a -> b; {a b} -> c; a -> c }", NULL);
    assert_int_equal(weir_pipeline_queue_count(p), 3);
    assert_int_equal(assert_queue(p, 0, "a", "b").capacity, 7);
    assert_queue(p, 1, "a", "c");
    assert_queue(p, 2, "b", "c");
    weir_pipeline_free(p);
}

TEST(strict_with_many_edges)
{
    static char text[200000];
    size_t used = (size_t)snprintf(text, sizeof text, "strict digraph { node [WCET=1]\n");
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 4000; i++)
            used += (size_t)snprintf(text + used, sizeof text - used, "n%d -> n%d\n", i / 50, 80 + i % 50);
    snprintf(text + used, sizeof text - used, "}");
    struct weir_pipeline *p = reading(text, NULL);
    assert_int_equal(weir_pipeline_queue_count(p), 4000);
    assert_queue(p, 3999, "n79", "n129");
    weir_pipeline_free(p);
}

TEST(strings_of_all_kinds)
{
    struct weir_pipeline *p =
        reading("/* first\n */ digraph \"my \" + // name\n \"graph\" {\n"
                "# a line of the preprocessor\n"
                "\"say \\\"hi\\\"\" [WCET=1]; \"back\\slash\\\\\" [WCET=2]; \"long \\\nname\" [WCET=3]\n"
                "\"a\" +\n /* comment */ \"\\\"b\" + \"c\" [WCET=4, label=<<b>x</b> \"]>];\n"
                "_x1 [WCET=5]; \xe5\x9b\xbe [WCET=6]; <html> [WCET=7]; 3.14 [WCET=8]; -2 [WCET=9]; \"node\" [WCET=10]\n"
                "\"say \\\"hi\\\"\" -> \"back\\slash\\\\\" -> \"long name\" -> \"a\\\"bc\" -> _x1 -> \xe5\x9b\xbe -> html\n"
                "\xe5\x9b\xbe -> 3.14 -> -2 -> \"node\" }",
                NULL);
    assert_string_equal(weir_pipeline_name(p), "my graph");
    assert_int_equal(weir_pipeline_operator_count(p), 10);
    static const char *const names[] = {
        "say \"hi\"", "back\\slash\\\\", "long name", "a\"bc", "_x1", "\xe5\x9b\xbe", "html", "3.14", "-2", "node"};
    for (int i = 0; i < 10; i++)
        assert_times(p, names[i], 0, i + 1);
    struct weir_queue_spec q = assert_queue(p, 6, "\xe5\x9b\xbe", "3.14");
    assert_int_equal(q.place.line, 11);
    assert_int_equal(q.place.column, 1);
    assert_int_equal(assert_queue(p, 7, "3.14", "-2").place.column, 6); /* characters, not bytes */
    weir_pipeline_free(p);
}

TEST(strings_over_line_ends)
{
    struct weir_pipeline *p =
        reading("digraph { \"a\\\r\nb\" [WCET=1]; \"a\\\rb\" -> c; c [WCET=2, label=\"two\r\nlines\"] }", NULL);
    assert_int_equal(weir_pipeline_operator_count(p), 2);
    assert_queue(p, 0, "ab", "c");
    assert_int_equal(assert_queue(p, 0, "ab", "c").place.line, 2);
    weir_pipeline_free(p);
}

TEST(reentrant_operators)
{
    struct weir_pipeline *p =
        reading("digraph { node [WCET=1, reentrant=true]; a; b [Reentrant=false]; { node [reentrant=no] c } a -> b -> c }", NULL);
    assert_true(operator_named(p, "a").reentrant);
    assert_false(operator_named(p, "b").reentrant);
    assert_false(operator_named(p, "c").reentrant);
    weir_pipeline_free(p);
}

TEST(sources)
{
    struct weir_pipeline *p =
        reading("digraph { unit=us; a [WCET=5, period=10]; b [WCET=5 period=2ms arrivals=exact]; c [WCET=0]; {a b} -> c }", NULL);
    assert_int_equal(weir_pipeline_source_count(p), 2);
    assert_int_equal(weir_pipeline_source(p, 0).period, 10);
    assert_int_equal(weir_pipeline_source(p, 0).arrivals, WEIR_ARRIVALS_AT_MOST);
    assert_int_equal(weir_pipeline_source(p, 1).period, 2000);
    assert_int_equal(weir_pipeline_source(p, 1).arrivals, WEIR_ARRIVALS_EXACT);
    weir_pipeline_free(p);
}

/* What HoloHub's app_perf_graph.py writes has no WCET; the attribute may be added behind. */
TEST(a_graph_made_for_drawing)
{
    struct weir_pipeline *p =
        reading("digraph G {\nlabel=\"Application Performance Graph (latency in ms)\\n\";\nrankdir=LR;\n"
                "\"App.replayer\" [color=black, penwidth=1.0, label=\"App.replayer\\nmax: 28.14\", WCET=28.14];\n"
                "\"App.viz\" [fillcolor=\"#ff0000\", WCET=4];\n"
                "\"App.replayer\" -> \"App.viz\" [label=\"avg: 7.20\\nmax: 7.90\"];\n}\n",
                NULL);
    assert_times(p, "App.replayer", 0, 2814);
    assert_times(p, "App.viz", 0, 400);
    weir_pipeline_free(p);
}

TEST(times_in_labels)
{
    struct weir_pipeline *p =
        reading("digraph G {\nlabel=\"Application Performance Graph (latency in ms)\\n  Number of messages at sink: 1140\";\n"
                "\"Depth App.replayer\" [label=\"Depth App.replayer\\navg: 23.58\\nmin: 2.49\\nmax: 28.14\"];\n"
                "viz [label=\"max: 1\navg: 3\nmax: 8.1 \"] own [WCET=7ms, label=\"own\\lmin: 1\\lmax: 2\\l\"]\n"
                "\"Depth App.replayer\" -> viz [label=\"avg: 7.20\\nmax: 7.90\"]; viz -> own }",
                NULL);
    assert_int_equal(weir_pipeline_unit(p), WEIR_UNIT_MS);
    assert_int_equal(weir_pipeline_digits(p), 2);
    assert_times(p, "Depth App.replayer", 249, 2814);
    assert_times(p, "viz", 0, 810); /* no minimum: 0; the first line is the name */
    assert_times(p, "own", 0, 700); /* a WCET counts */
    const struct weir_observed *seen = operator_named(p, "Depth App.replayer").observed;
    assert_non_null(seen);
    assert_int_equal(seen->count, 1140);
    assert_int_equal(seen->min, 249);
    assert_int_equal(seen->max, 2814);
    assert_int_equal(operator_named(p, "viz").observed->min, -1);
    assert_null(operator_named(p, "own").observed);
    assert_int_equal(assert_queue(p, 0, "Depth App.replayer", "viz").capacity, 1);
    weir_pipeline_free(p);
}
