/* SPDX-License-Identifier: Apache-2.0 */
/* Flowgraphs of GNU Radio: expressions, joined blocks, rates by type, and what has to be given. */
#include "read/gnuradio/grc.h"
#include "reading.h"
#include "support/refuse.h"
#include "support/runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- expressions ---- */

static enum weir_grc_answer names(void *context, const char *name, size_t bytes, struct weir_grc_number *number)
{
    (void)context;
    if (bytes == 4 && memcmp(name, "rate", 4) == 0) {
        *number = (struct weir_grc_number){.numerator = 32000, .denominator = 1};
        return WEIR_GRC_KNOWN;
    }
    return bytes == 5 && memcmp(name, "later", 5) == 0 ? WEIR_GRC_NEEDS : WEIR_GRC_UNKNOWN;
}

/* "n", "n/d", "unknown" or "needs". */
static void assert_expression(const char *text, const char *expected)
{
    struct weir_grc_scope scope = {names, NULL};
    struct weir_grc_number number;
    char found[64] = "unknown";
    enum weir_grc_answer answer = weir_grc_evaluate(text, &scope, &number);
    if (answer == WEIR_GRC_NEEDS)
        snprintf(found, sizeof found, "needs");
    else if (answer == WEIR_GRC_KNOWN && number.denominator == 1)
        snprintf(found, sizeof found, "%lld", (long long)number.numerator);
    else if (answer == WEIR_GRC_KNOWN)
        snprintf(found, sizeof found, "%lld/%lld", (long long)number.numerator, (long long)number.denominator);
    if (strcmp(found, expected) != 0)
        fail_msg("%s is %s, expected %s", text, found, expected);
}

TEST(computes)
{
    static const char *const cases[][2] = {
        {"12", "12"},
        {"1e6", "1000000"},
        {"44.1e3", "44100"},
        {"0.5", "1/2"},
        {".5", "1/2"},
        {"5.", "5"},
        {"5.e2", "500"},
        {"2E-1", "1/5"},
        {"0", "0"},
        {"1+2*3", "7"},
        {"(1+2)*3", "9"},
        {" ( ( 4 ) ) ", "4"},
        {"10-4-3", "3"},
        {"100/10/5", "2"},
        {"7/2", "7/2"},
        {"7//2", "3"},
        {"-7//2", "-4"},
        {"7//-2", "-4"},
        {"-7%3", "2"},
        {"7%-3", "-2"},
        {"7.5%2", "3/2"},
        {"2**10", "1024"},
        {"2**3**2", "512"},
        {"-2**2", "-4"},
        {"2**-2", "1/4"},
        {"4**0", "1"},
        {"--3", "3"},
        {"+-+3", "-3"},
        {"2*-3", "-6"},
        {"int(7/2)", "3"},
        {"int(-7/2)", "-3"},
        {"float(3)/2", "3/2"},
        {"int( rate / 4 )", "8000"},
        {"int(rate)//7", "4571"},
        {"rate*12", "384000"},
        {"1e6/3", "1000000/3"},
        {"later", "needs"},
        {"rate+later", "needs"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_expression(cases[i][0], cases[i][1]);
}

TEST(knows_what_it_does_not_know)
{
    static const char *const cases[] = {
        "",
        " ",
        "x",
        "rate.x",
        "len(rate)",
        "'text'",
        "[1,2]",
        "1,2",
        "0x10",
        "1_000",
        "1j",
        "007",
        "1 2",
        "(1",
        "1)",
        "()",
        "1+",
        "*2",
        "1/0",
        "1//0",
        "1%0",
        "0**-1",
        "2**0.5",
        "2**1000",
        "int",
        "int(",
        "int()",
        "rate[0]",
        "a if b else c",
        "1e400",
        "1<2",
        "1==1",
        "9e18*9",
        "rate(2)",
        "float('1')",
        "1.2.3",
        "2***3",
        "1e",
        /* Python rounds these: 28, or 0.3 - 3 * 0.1 below 0 */
        "int(0.29*100)",
        "(0.3-0.2)//0.1",
        "int(1/3*3)",
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_expression(cases[i], "unknown");
    assert_expression("int(0.29*101)", "29"); /* far from the next whole number */
}

/* Deep or long text ends, and uses no C stack. */
TEST(survives_depth)
{
    static const char characters[] = "(-+";
    char *text = malloc(200001);
    assert_non_null(text);
    for (size_t i = 0; i < 3; i++) {
        memset(text, characters[i], 200000);
        text[200000] = 0;
        assert_expression(text, "unknown");
    }
    for (size_t i = 0; i < 100000; i++)
        memcpy(text + 2 * i, "1+", 2);
    text[199999] = 0;
    assert_expression(text, "unknown");
    free(text);
}

/* ---- flowgraphs ---- */

#define BEGIN "options: {parameters: {id: test}}\nblocks:\n"
static const char *const costs[] = {"s=10,0", "t=10,1", "e=10,1"};

/* For the source "s", the throttle "t" and the sink "e". */
static struct weir_read_options with_costs(void)
{
    return (struct weir_read_options){.cores = 2, .costs = costs, .cost_count = 3};
}

/* The mistakes of a flowgraph, one to a line. */
static void assert_mistakes(const char *text, const struct weir_read_options *options, const char *expected)
{
    struct weir_errors *errors = weir_errors_new();
    struct weir_pipeline *pipeline;
    char found[4096] = "";
    size_t used = 0;
    assert_int_equal(weir_read_memory(text, strlen(text), "model", options, &pipeline, errors), WEIR_INVALID);
    assert_null(pipeline);
    for (size_t i = 0; i < weir_errors_count(errors); i++)
        used += (size_t)snprintf(found + used, sizeof found - used, "%u: %s\n", weir_errors_at(errors, i)->line,
                                 weir_errors_at(errors, i)->message);
    assert_string_equal(found, expected);
    weir_errors_free(errors);
}

TEST(joins_bypassed_and_virtual_blocks)
{
    struct weir_read_options options = {
        .cores = 2, .costs = (const char *const[]){"s=1,0", "t=1,1", "a=1,1", "b=1,1"}, .cost_count = 4};
    struct weir_pipeline *p = reading(BEGIN "- {name: s, id: blocks_null_source}\n"
                                            "- {name: t, id: blocks_throttle, parameters: {samples_per_second: 1e3}}\n"
                                            "- {name: bypassed, id: fir_filter_xxx, states: {state: bypassed}}\n"
                                            "- {name: again, id: fir_filter_xxx, states: {state: bypassed}}\n"
                                            "- {name: off, id: blocks_file_sink, states: {state: disabled}}\n"
                                            "- {name: in, id: virtual_sink, parameters: {stream_id: x}}\n"
                                            "- {name: out, id: virtual_source, parameters: {stream_id: x}}\n"
                                            "- {name: a, id: blocks_null_sink}\n"
                                            "- {name: b, id: blocks_null_sink, states: {state: true}}\n"
                                            "connections:\n"
                                            "- [s, '0', t, '0']\n"
                                            "- [t, '0', bypassed, '0']\n"
                                            "- [bypassed, '0', in, '0']\n"
                                            "- [bypassed, '0', off, '0']\n"
                                            "- [out, '0', again, '0']\n"
                                            "- [again, '0', a, '0']\n"
                                            "- {src_blk_id: out, src_port_id: '0', snk_blk_id: b, snk_port_id: '0', params: {}}\n",
                                      &options);
    assert_int_equal(weir_pipeline_operator_count(p), 4);
    assert_int_equal(weir_pipeline_queue_count(p), 3);
    assert_queue(p, 0, "s", "t");
    assert_queue(p, 1, "t", "a");
    assert_queue(p, 2, "t", "b");
    assert_int_equal(weir_pipeline_platform(p), WEIR_PLATFORM_CORES);
    assert_int_equal(weir_pipeline_cores(p), 2);
    assert_string_equal(weir_pipeline_name(p), "test");
    weir_pipeline_free(p);
}

/* The rates of a block of that type between a source and a sink. */
static void assert_rate(const char *type, const char *parameters, uint32_t produce, uint32_t consume)
{
    static const char *const all[] = {"s=10,1", "mid=10,1", "e=10,1"};
    struct weir_read_options options = {.cores = 1, .costs = all, .cost_count = 3};
    char text[1024];
    snprintf(text, sizeof text,
             BEGIN "- {name: n, id: variable, parameters: {value: 3 * 4}}\n"
                   "- {name: s, id: audio_source, parameters: {samp_rate: 48e3}}\n"
                   "- {name: mid, id: %s, parameters: {%s}}\n"
                   "- {name: e, id: blocks_null_sink}\n"
                   "connections: [[s, '0', mid, '0'], [mid, '0', e, '0']]\n",
             type, parameters);
    if (produce == 0) {
        char expected[512];
        snprintf(expected, sizeof expected, "5: block \"mid\" (%s): rate not known; give --rate mid=OUT/IN\n", type);
        assert_mistakes(text, &options, expected);
        return;
    }
    struct weir_pipeline *p = reading(text, &options);
    assert_int_equal(assert_queue(p, 0, "s", "mid").consume, consume);
    assert_int_equal(assert_queue(p, 1, "mid", "e").produce, produce);
    weir_pipeline_free(p);
}

TEST(knows_rates)
{
    assert_rate("fir_filter_xxx", "decim: n", 1, 12);
    assert_rate("fir_filter_xxx", "decim: len(taps)", 0, 0);
    assert_rate("fir_filter_xxx", "decim: 2.5", 0, 0);
    assert_rate("fir_filter_xxx", "decim: -1", 0, 0);
    assert_rate("fir_filter_xxx", "decim: 2**40", 0, 0);
    assert_rate("fir_filter_xxx", "", 0, 0);
    assert_rate("interp_fir_filter_xxx", "interp: 2*n", 24, 1);
    assert_rate("low_pass_filter", "type: fir_filter_ccf, decim: 4, interp: 7", 1, 4);
    assert_rate("low_pass_filter", "type: interp_fir_filter_ccf, decim: 4, interp: 7", 7, 1);
    assert_rate("rational_resampler_xxx", "interp: 24, decim: 36", 2, 3);
    assert_rate("pfb_arb_resampler_xxx", "rrate: 48/44.1", 160, 147);
    assert_rate("blocks_keep_one_in_n", "n: n", 1, 12);
    assert_rate("blocks_keep_m_in_n", "m: 2, n: 4", 2, 4);
    assert_rate("blocks_stream_to_vector", "num_items: 1024", 1, 1024);
    assert_rate("blocks_vector_to_stream", "num_items: 1024", 1024, 1);
    assert_rate("blocks_interleave", "num_streams: 3, blocksize: 2", 6, 2);
    assert_rate("blocks_repack_bits_bb", "k: 8, l: 1, len_tag_key: '\"\"'", 8, 1);
    assert_rate("blocks_repack_bits_bb", "k: 8, l: 1, len_tag_key: packet", 0, 0);
    assert_rate("analog_nbfm_rx", "audio_rate: 48000, quad_rate: 576000", 1, 12);
    assert_rate("analog_wfm_rcv", "audio_decimation: 10", 1, 10);
    assert_rate("analog_pwr_squelch_xx", "gate: 'False'", 1, 1);
    assert_rate("analog_pwr_squelch_xx", "gate: 'True'", 0, 0);
    assert_rate("blocks_head", "num_items: 1000", 1, 1);
    assert_rate("blocks_add_xx", "", 1, 1);
    assert_rate("vocoder_ulaw_encode_sb", "", 1, 1);
    assert_rate("analog_agc2_xx", "", 1, 1);
    assert_rate("nobody_knows", "", 0, 0);
}

TEST(takes_given_rates)
{
    static const char *const rates[] = {"mid=4/3", "s=2"};
    static const char *const source_rates[] = {"s=44.1kHz"};
    static const char *const all[] = {"t=10us,5ns", "s=1,1", "t2=0.5,0.001", "mid=7us,1"};
    struct weir_read_options options = {.cores = 3,
                                        .rates = rates,
                                        .rate_count = 2,
                                        .source_rates = source_rates,
                                        .source_rate_count = 1,
                                        .costs = all,
                                        .cost_count = 4};
    struct weir_pipeline *p = reading(BEGIN "- {name: s, id: t}\n- {name: mid, id: t}\n- {name: e, id: t}\n- {name: f, id: t2}\n"
                                            "connections: [[s, '0', mid, '0'], [mid, '1', e, '0'], [mid, '0', f, '0']]\n",
                                      &options);
    struct weir_queue_spec first = assert_queue(p, 0, "s", "mid"), second = assert_queue(p, 1, "mid", "e");
    assert_int_equal(first.produce, 2);
    assert_int_equal(first.consume, 3);
    assert_int_equal(second.produce, 4);
    assert_int_equal(second.consume, 1);
    /* A tick is 0.001 ns. What is given for a block counts before what is given for its type. */
    assert_int_equal(operator_named(p, "s").cost_init, 1000);
    assert_int_equal(operator_named(p, "mid").cost_init, 7000000);
    assert_int_equal(operator_named(p, "e").cost_init, 10000000);
    assert_int_equal(operator_named(p, "e").cost_sample, 5000);
    assert_int_equal(operator_named(p, "f").cost_sample, 1);
    struct weir_source_spec source = weir_pipeline_source(p, 0);
    assert_int_equal(source.batch, 2); /* both samples of an execution */
    assert_true(source.count * INT64_C(1000000000000) == source.period * INT64_C(44100));
    weir_pipeline_free(p);
}

static void assert_source(const char *blocks, const char *connections, int64_t hertz, const char *note)
{
    struct weir_read_options options = {.cores = 1, .costs = (const char *const[]){"s=9,1", "e=9,1", "t=9,1"}};
    options.cost_count = strstr(blocks, "throttle") ? 3 : 2;
    char text[2048];
    options.notes = weir_errors_new();
    snprintf(text, sizeof text, BEGIN "%sconnections: [%s]\n", blocks, connections);
    struct weir_pipeline *p = reading(text, &options);
    struct weir_source_spec source = weir_pipeline_source(p, 0);
    assert_true((weir_wide)source.count * INT64_C(1000000000) == (weir_wide)source.period * hertz); /* a tick is 1 ns */
    assert_int_equal(weir_errors_count(options.notes), note ? 1 : 0);
    if (note)
        assert_string_equal(weir_errors_at(options.notes, 0)->message, note);
    weir_errors_free(options.notes);
    weir_pipeline_free(p);
}

#define SOURCE "- {name: s, id: blocks_null_source}\n"
#define THROTTLE "- {name: t, id: blocks_throttle, parameters: {samples_per_second: 6000}}\n"
#define SIGNAL "- {name: s, id: analog_sig_source_x, parameters: {samp_rate: 500}}\n"
#define DECIMATE "- {name: d, id: blocks_keep_one_in_n, parameters: {n: 5}}\n"
#define END "- {name: e, id: blocks_null_sink}\n"

TEST(finds_the_rate_of_sources)
{
    assert_source(SOURCE THROTTLE END, "[s, '0', t, '0'], [t, '0', e, '0']", 6000, NULL);
    assert_source(SIGNAL END, "[s, '0', e, '0']", 500,
                  "nothing holds block \"s\" to its rate in GNU Radio; it is taken to keep to it");
    assert_source(SIGNAL THROTTLE END, "[s, '0', t, '0'], [t, '0', e, '0']", 6000,
                  "block \"s\" says another rate than follows from \"t\"");
}

TEST(finds_rates_through_decimation)
{
    static const char *const all[] = {"s=10,0", "d=10,1", "e=10,1"};
    struct weir_read_options options = {.cores = 1, .costs = all, .cost_count = 3};
    struct weir_pipeline *p = reading(BEGIN SOURCE DECIMATE "- {name: e, id: audio_sink, parameters: {samp_rate: 8e3}}\n"
                                                            "connections: [[s, '0', d, '0'], [d, '0', e, '0']]\n",
                                      &options);
    struct weir_source_spec source = weir_pipeline_source(p, 0);
    assert_true(source.count * INT64_C(1000000000) == source.period * INT64_C(40000));
    weir_pipeline_free(p);
    /* 1000/3 Hz is no decimal number: 1000 in 3 s. */
    p = reading(BEGIN SOURCE "- {name: e, id: audio_sink, parameters: {samp_rate: 1e3/3}}\nconnections: [[s, '0', e, '0']]\n",
                &(struct weir_read_options){.cores = 1, .costs = (const char *const[]){"s=10,0", "e=10,1"}, .cost_count = 2});
    source = weir_pipeline_source(p, 0);
    assert_true(source.count * INT64_C(3000000000) == source.period * INT64_C(1000));
    weir_pipeline_free(p);
}

TEST(leaves_messages_and_lone_blocks_out)
{
    struct weir_read_options options = with_costs();
    options.notes = weir_errors_new();
    struct weir_pipeline *p =
        reading(BEGIN SOURCE THROTTLE END
                "- {name: strobe, id: blocks_message_strobe}\n"
                "- {name: lone, id: blocks_file_sink}\n"
                "- {name: import_0, id: import}\n"
                "- {name: pad, id: pad_sink}\n"
                "connections: [[s, '0', t, '0'], [t, '0', e, '0'], [strobe, strobe, t, in], [t, '0', pad, '0']]\n",
                &options);
    assert_int_equal(weir_pipeline_operator_count(p), 3);
    assert_int_equal(weir_pipeline_queue_count(p), 2);
    assert_int_equal(weir_errors_count(options.notes), 2);
    assert_string_equal(weir_errors_at(options.notes, 0)->message,
                        "connections that carry messages are left out: 1, the first of them here");
    assert_string_equal(weir_errors_at(options.notes, 1)->message,
                        "block \"lone\" (blocks_file_sink) is left out: no stream is connected to it");
    weir_errors_free(options.notes);
    weir_pipeline_free(p);
}

TEST(reads_several_parts)
{
    struct weir_read_options options = {
        .cores = 2, .costs = (const char *const[]){"s=1,0", "e=1,1", "s2=1,1", "t2=1,1"}, .cost_count = 4};
    struct weir_pipeline *p = reading(BEGIN SIGNAL END "- {name: s2, id: blocks_null_source}\n"
                                                       "- {name: t2, id: blocks_throttle, parameters: {samples_per_second: 100}}\n"
                                                       "connections: [[s, '0', e, '0'], [s2, '0', t2, '0']]\n",
                                      &options);
    assert_int_equal(weir_pipeline_source_count(p), 2);
    assert_int_equal(weir_pipeline_chain_count(p), 2);
    weir_pipeline_free(p);
}

TEST(reports_wrong_options)
{
    static const char text[] = BEGIN SOURCE THROTTLE END "connections: [[s, '0', t, '0'], [t, '0', e, '0']]\n";
    struct weir_read_options options = with_costs();
    static const struct {
        const char *rate, *source_rate, *cost, *expected;
    } cases[] = {
        {"x=1/2", NULL, NULL, "0: --rate: there is no block \"x\"\n"},
        {"t=0/2", NULL, NULL, "0: --rate takes BLOCK=OUT/IN, samples out and in per execution such as 1/12, not \"t=0/2\"\n"},
        {"t=1/2x", NULL, NULL, "0: --rate takes BLOCK=OUT/IN, samples out and in per execution such as 1/12, not \"t=1/2x\"\n"},
        {"t=1/99999999999999999999", NULL, NULL,
         "0: --rate takes BLOCK=OUT/IN, samples out and in per execution such as 1/12, not \"t=1/99999999999999999999\"\n"},
        {"t", NULL, NULL, "0: --rate takes BLOCK=VALUE, not \"t\"\n"},
        {"=1", NULL, NULL, "0: --rate takes BLOCK=VALUE, not \"=1\"\n"},
        {NULL, "t=5kHz", NULL, "0: --source-rate: block \"t\" has inputs; its rate follows from them\n"},
        {NULL, "s=5", NULL, "0: \"5\" has no unit; expected Hz, kHz, MHz or GHz after the number\n"},
        {NULL, "s=5e30Hz", NULL, "0: --source-rate: \"5e30Hz\" is out of range\n"},
        {NULL, NULL, "t=5",
         "0: --cost takes BLOCK=INIT,PER-SAMPLE, such as 2.2us,17.3ns; a number without a unit is in ns; not \"t=5\"\n"},
        {NULL, NULL, "t=-5,1", "4: \"--cost\" must not be negative, but is -5ns\n"},
        {NULL, NULL, "t=5 apples,1", "4: \"5 apples\" has an unknown unit; expected ns, us, ms, s or tick\n"},
        {NULL, NULL, "nosuch=5,1", "0: --cost: there is no block \"nosuch\"\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *some[] = {costs[0], costs[1], costs[2], cases[i].cost};
        options.rates = &cases[i].rate;
        options.rate_count = cases[i].rate != NULL;
        options.source_rates = &cases[i].source_rate;
        options.source_rate_count = cases[i].source_rate != NULL;
        options.costs = some;
        options.cost_count = cases[i].cost ? 4 : 3;
        assert_mistakes(text, &options, cases[i].expected);
    }
}

/* Variables that wait for each other in a long chain, and blocks joined in one. */
TEST(follows_long_chains)
{
    enum { LONG = 5000 };
    struct weir_read_options options = with_costs();
    char *text = malloc(LONG * 300), *end = text;
    assert_non_null(text);
    end += sprintf(end, BEGIN SOURCE END "- {name: t, id: blocks_throttle, parameters: {samples_per_second: v0}}\n");
    for (int i = 0; i < LONG; i++) {
        end += sprintf(end, "- {name: v%d, id: variable, parameters: {value: v%d}}\n", i, i + 1);
        end += sprintf(end, "- {name: b%d, id: x, states: {state: bypassed}}\n", i);
    }
    end += sprintf(end, "- {name: v%d, id: variable, parameters: {value: 6000}}\n", LONG);
    end += sprintf(end, "connections:\n- [s, '0', t, '0']\n- [t, '0', b0, '0']\n- [b%d, '0', e, '0']\n", LONG - 1);
    for (int i = 1; i < LONG; i++)
        end += sprintf(end, "- [b%d, '0', b%d, '0']\n", i - 1, i);
    struct weir_pipeline *p = reading(text, &options);
    assert_queue(p, 1, "t", "e");
    assert_true(weir_pipeline_source(p, 0).count * INT64_C(1000000000) == weir_pipeline_source(p, 0).period * INT64_C(6000));
    weir_pipeline_free(p);
    free(text);
}

/* ---- memory ---- */

/* Without some allocation there is no pipeline, or the right one, and nothing is left behind. */
TEST(refuses_each_allocation)
{
    static const char text[] =
        BEGIN SOURCE THROTTLE END "- {name: v, id: virtual_sink, parameters: {stream_id: x}}\n"
                                  "- {name: w, id: virtual_source, parameters: {stream_id: x}}\n"
                                  "- {name: f, id: nobody}\n"
                                  "connections: [[s, '0', t, '0'], [t, '0', v, '0'], [w, '0', f, '0'], [f, '0', e, '0']]\n";
    char path[] = "/tmp/weir-costs-XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    FILE *file = fdopen(descriptor, "w");
    assert_non_null(file);
    fputs("block,init_ns,per_sample_ns\n\"f\",1.23456789,2\n", file);
    fclose(file);
    struct weir_read_options options = with_costs();
    options.rates = (const char *const[]){"f=3/2"};
    options.rate_count = 1;
    options.source_rates = (const char *const[]){"s=6kHz"};
    options.source_rate_count = 1;
    options.costs_path = path;
    struct refuse memory = {0};
    enum weir_status status = WEIR_MEMORY;
    while (refuse_next(&memory)) {
        struct weir_pipeline *pipeline = NULL;
        status = weir_read_memory(text, strlen(text), "model", &options, &pipeline, NULL);
        assert_true(status == WEIR_OK || status == WEIR_MEMORY);
        if (pipeline)
            assert_int_equal(operator_named(pipeline, "f").cost_init, 1235); /* a tick is 0.001 ns */
        assert_true(!pipeline == (status != WEIR_OK));
        weir_pipeline_free(pipeline);
        refuse_end();
        assert_int_equal(memory.live, 0);
    }
    assert_int_equal(status, WEIR_OK);
    assert_true(memory.asked > 20);
    remove(path);
}
