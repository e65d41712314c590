/* SPDX-License-Identifier: Apache-2.0 */
/* SDF3 graphs: what is read, and that the copies of the actors do exactly what the actors do. */
#include "reading.h"
#include "support/oracle/sdf.h"
#include "support/runner.h"

#include <stdlib.h>

/* ---- small ---- */

#define HEAD "<sdf3 type='sdf' version='1.0'><applicationGraph name='app'>"
#define TAIL "</applicationGraph></sdf3>"
#define TIME(actor, time)                                                                                                          \
    "<actorProperties actor='" actor "'><processor type='p' default='true'><executionTime time='" time                             \
    "'/></processor></actorProperties>"

static const char plain[] = HEAD "<sdf name='plain' type='P'>"
                                 "<actor name='a'><port name='o' type='out' rate='1'/><port name='s' type='out' rate='1'/>"
                                 "<port name='t' type='in' rate='1'/></actor>"
                                 "<actor name='b'><port name='i' type='in' rate='1'/></actor>"
                                 "<channel name='ab' srcActor='a' srcPort='o' dstActor='b' dstPort='i' initialTokens='2' size='1'/>"
                                 "<channel name='aa' srcActor='a' srcPort='s' dstActor='a' dstPort='t' initialTokens='1'/>"
                                 "</sdf><sdfProperties>" TIME("a", "5") TIME("b", "2.5") "</sdfProperties>" TAIL;

TEST(operators_and_queues)
{
    struct weir_pipeline *p = reading(plain, NULL);
    assert_string_equal(weir_pipeline_name(p), "plain");
    assert_int_equal(weir_pipeline_unit(p), WEIR_UNIT_TICK);
    assert_int_equal(weir_pipeline_digits(p), 1);
    assert_times(p, "a", 50, 50);
    assert_times(p, "b", 25, 25);
    assert_false(operator_named(p, "a").reentrant); /* its channel to itself */
    assert_true(operator_named(p, "b").reentrant);
    assert_int_equal(weir_pipeline_queue_count(p), 1);
    struct weir_queue_spec queue = assert_queue(p, 0, "a", "b");
    assert_int_equal(queue.initial, 2);
    assert_int_equal(queue.capacity, WEIR_UNBOUNDED); /* "size" is the size of a token */
    assert_int_equal(weir_pipeline_chain_count(p), 1);
    assert_int_equal(weir_pipeline_chain(p, 0).shift, 2);
    weir_pipeline_free(p);
}

/* Of several default processors SDF3 takes the last; one alone needs no mark. */
TEST(default_processors)
{
    struct weir_pipeline *p =
        reading(HEAD "<sdf><actor name='a'/></sdf><sdfProperties><actorProperties actor='a'>"
                     "<processor type='x' default='true'><executionTime time='1'/><memory><stateSize max='9'/></memory></processor>"
                     "<processor type='y'><executionTime time='2'/></processor>"
                     "<processor type='z' default='true'><executionTime time='3'/></processor>"
                     "<processor type='u' default='false'><executionTime time='4'/></processor>"
                     "</actorProperties></sdfProperties>" TAIL,
                NULL);
    assert_times(p, "a", 3, 3);
    weir_pipeline_free(p);
    p = reading(HEAD "<sdf><actor name='a'/></sdf><sdfProperties><actorProperties actor='a'>"
                     "<processor type='x'><executionTime time='7'/></processor></actorProperties></sdfProperties>" TAIL,
                NULL);
    assert_times(p, "a", 7, 7);
    weir_pipeline_free(p);
}

/* Elements of no concern, comments, another encoding's name, entities of XML itself. */
TEST(passed_over)
{
    struct weir_pipeline *p =
        reading("<?xml version='1.0' encoding='ISO-8859-1'?><!-- <sdf> --><!DOCTYPE sdf3 SYSTEM 'no-such.dtd'>\n"
                "<sdf3 type='sdf'><architectureGraph><sdf><actor name='x'/></sdf></architectureGraph><applicationGraph>"
                "<sdf name='\xc3\xa4 &amp; b'><actor name='a &lt; \xc3\xa4'/></sdf>"
                "<sdfProperties><actorProperties actor='a &lt; \xc3\xa4'><processor><executionTime time='1'/></processor>"
                "</actorProperties><graphProperties><timeConstraints><throughput>1</throughput></timeConstraints>"
                "</graphProperties></sdfProperties></applicationGraph><settings type='other'><latency/></settings></sdf3>",
                NULL);
    assert_string_equal(weir_pipeline_name(p), "\xc3\xa4 & b");
    assert_times(p, "a < \xc3\xa4", 1, 1);
    weir_pipeline_free(p);
}

TEST(what_weir_adds)
{
    struct weir_pipeline *p =
        reading(HEAD "<sdf name='x'><actor name='a'><port name='o' type='out' rate='1'/></actor>"
                     "<actor name='b'><port name='i' type='in' rate='1'/></actor>"
                     "<channel name='c' srcActor='a' srcPort='o' dstActor='b' dstPort='i'/></sdf><sdfProperties>" TIME("a", "33300")
                         TIME("b", "4000") "</sdfProperties></applicationGraph><settings type='weir'>"
                                           "<model unit='ms' digits='3'/><interval actor='a' best='100' worst='33300'/>"
                                           "<latency from='a' to='b' offset='-1' within='50000'/></settings></sdf3>",
                NULL);
    char text[WEIR_TIME_TEXT];
    assert_int_equal(weir_pipeline_unit(p), WEIR_UNIT_MS);
    assert_string_equal(weir_time_format(p, operator_named(p, "a").worst, text), "33.3");
    assert_string_equal(weir_time_format(p, operator_named(p, "a").best, text), "0.1");
    assert_string_equal(weir_time_format(p, operator_named(p, "b").best, text), "4");
    struct weir_chain_spec chain = weir_pipeline_chain(p, 0);
    assert_int_equal(chain.shift, -1);
    assert_true(chain.has_deadline);
    assert_string_equal(weir_time_format(p, chain.deadline, text), "50");
    weir_pipeline_free(p);
}

TEST(capacities_cannot_be_forced)
{
    struct weir_read_options options = {.queue = 3};
    struct weir_pipeline *p = reading(plain, NULL);
    assert_int_equal(assert_queue(p, 0, "a", "b").capacity, WEIR_UNBOUNDED);
    weir_pipeline_free(p);
    /* What is asked for is refused, not ignored; and nothing is advised that is refused, too. */
    for (int i = 0; i < 2; i++) {
        struct weir_errors *errors = weir_errors_new();
        options.force_queue = i;
        assert_int_equal(weir_read_memory(plain, strlen(plain), "file", &options, &p, errors), WEIR_INVALID);
        assert_non_null(strstr(weir_errors_at(errors, 0)->message, "channels of an SDF3 graph have"));
        assert_null(strstr(weir_errors_at(errors, 0)->message, "--force-queue"));
        assert_null(p);
        weir_errors_free(errors);
    }
}

/* ---- copies ---- */

struct trace {
    int64_t start[512][32]; /* [operator][iteration] */
};

static void observe(void *context, struct weir_operator op, enum weir_moment moment, int64_t iteration, int64_t time)
{
    struct trace *trace = context;
    if (moment == WEIR_START)
        trace->start[op.index][iteration] = time;
}

static bool is_deadlock(const struct weir_errors *errors)
{
    for (size_t i = 0; i < weir_errors_count(errors); i++)
        if (strstr(weir_errors_at(errors, i)->message, "deadlock"))
            return true;
    return false;
}

enum { ITERATIONS = 12 };

/* Copy k of an actor that runs q times starts iteration i when the actor starts run q*i + k. */
static void compare(const struct weir_pipeline *p, const struct sdf_graph *g, int64_t start[SDF_ACTORS][SDF_RUNS])
{
    static struct trace trace;
    struct weir_simulation_options options = {
        .iterations = ITERATIONS, .times = WEIR_TIMES_WORST, .observe = observe, .context = &trace};
    assert_int_equal(weir_simulate(p, &options, NULL), WEIR_OK);
    for (int a = 0; a < g->actors; a++)
        for (int64_t k = 0; k < g->repetitions[a]; k++) {
            char name[16];
            struct weir_operator op;
            snprintf(name, sizeof name, g->repetitions[a] > 1 ? "%c#%d" : "%c", 'a' + a, (int)k + 1);
            assert_true(weir_pipeline_find(p, name, &op));
            for (int64_t i = 0; i < ITERATIONS; i++)
                assert_int_equal(trace.start[op.index][i], start[a][g->repetitions[a] * i + k]);
        }
}

TEST(random_graphs)
{
    static int64_t start[SDF_ACTORS][SDF_RUNS];
    struct weir_random random;
    int stuck = 0, copied = 0;
    for (uint64_t seed = 0; seed < 3000; seed++) {
        struct sdf_graph graph;
        weir_random_seed(&random, seed);
        sdf_random(&graph, &random);
        char *text = sdf_text(&graph);
        bool runs = sdf_run(&graph, ITERATIONS, start);
        struct weir_errors *errors = weir_errors_new();
        struct weir_pipeline *p = NULL;
        enum weir_status status = weir_read_memory(text, strlen(text), "graph", NULL, &p, errors);
        if (runs != (status == WEIR_OK) || (!runs && !is_deadlock(errors)))
            fail_msg("seed %d: %s\n%s", (int)seed, status ? weir_errors_at(errors, 0)->message : "read, but stuck", text);
        if (runs) {
            copied += weir_pipeline_operator_count(p) > (uint32_t)graph.actors;
            compare(p, &graph, start);
        }
        stuck += !runs;
        weir_pipeline_free(p);
        weir_errors_free(errors);
        free(text);
    }
    assert_true(stuck > 300 && copied > 1000);
}

/* ---- the examples ---- */

static void expect_period(const char *file, const char *to, int64_t numerator)
{
    char path[512];
    snprintf(path, sizeof path, WEIR_SOURCE_DIR "/examples/sdf3/%s", file);
    struct weir_pipeline *p = NULL;
    struct weir_operator op;
    struct weir_ratio period;
    assert_int_equal(weir_read_file(path, NULL, &p, NULL), WEIR_OK);
    assert_true(weir_pipeline_find(p, to, &op));
    assert_int_equal(weir_throughput(p, op, true, &period, NULL, NULL, NULL), WEIR_OK);
    assert_int_equal(period.numerator, numerator);
    assert_int_equal(period.denominator, 1);
    weir_pipeline_free(p);
}

TEST(known_throughput)
{
    expect_period("three-actors.xml", "c", 7);
    expect_period("h263-decoder.xml", "mc", 594 * 559);
    expect_period("sample-rate.xml", "dat#160", 160 * 6);
    expect_period("modem.xml", "out", 16);
    expect_period("echo.xml", "out", 13);
}

/* The time between two runs of c with these buffers, by weir and by counting tokens; 0 when the graph is stuck. */
static int64_t period_with(int64_t ab, int64_t bc)
{
    static int64_t start[SDF_ACTORS][SDF_RUNS];
    struct sdf_graph g = {.actors = 3, .time = {1, 2, 2}, .repetitions = {3, 2, 1}, .channels = 5};
    g.channel[0] = (struct sdf_channel){0, 1, 2, 3, 0, ab};
    g.channel[1] = (struct sdf_channel){1, 2, 1, 2, 0, bc};
    for (int a = 0; a < 3; a++)
        g.channel[2 + a] = (struct sdf_channel){a, a, 1, 1, 1, 0};
    if (!sdf_run(&g, 100, start))
        return 0;
    char *text = sdf_text(&g);
    struct weir_pipeline *p = reading(text, NULL);
    struct weir_operator op;
    struct weir_ratio period;
    assert_true(weir_pipeline_find(p, "c", &op));
    assert_int_equal(weir_throughput(p, op, true, &period, NULL, NULL, NULL), WEIR_OK);
    assert_int_equal(period.denominator, 1);
    assert_int_equal(start[2][99] - start[2][39], 60 * period.numerator);
    weir_pipeline_free(p);
    free(text);
    return period.numerator;
}

/* The published trade-off: how many places in all, however they are shared out, allow which rate. */
TEST(buffers_and_throughput)
{
    static const int64_t known[] = {0, 7, 7, 6, 5, 4, 4}; /* with 5, 6, ... places */
    for (int64_t i = 0; i < 7; i++) {
        int64_t best = 0;
        for (int64_t bc = 1; bc < i + 5; bc++) {
            int64_t period = period_with(i + 5 - bc, bc);
            if (period && (!best || period < best))
                best = period;
        }
        assert_int_equal(best, known[i]);
    }
    assert_int_equal(period_with(0, 0), 4);
}
