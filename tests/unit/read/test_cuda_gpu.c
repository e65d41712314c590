/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs that CUDA writes, as CUDA 13 wrote them on an H200, and their times from CSV files. */
#include "read/cuda/kernel_times.h"
#include "reading.h"
#include "support/refuse.h"

#include <stdlib.h>
#include <unistd.h>

#define SAMPLES WEIR_SOURCE_DIR "/fuzz/corpus/cuda"

static char times_path[] = "/tmp/weir-kernel-times-XXXXXX";

static void write_times(const char *text)
{
    FILE *file = fopen(times_path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static const struct weir_read_options with_times = {.sms = 132, .kernel_times = times_path};

static char *mistakes_of(const struct weir_errors *errors)
{
    static char found[16384];
    *found = 0;
    for (size_t i = 0; i < weir_errors_count(errors); i++) {
        const struct weir_error *e = weir_errors_at(errors, i);
        size_t used = strlen(found);
        snprintf(found + used, sizeof found - used, "%s%u:%u: %s\n", strcmp(e->file, times_path) == 0 ? "csv:" : "", e->line,
                 e->column, e->message);
    }
    return found;
}

static struct weir_pipeline *read_sample(const char *name, const struct weir_read_options *options)
{
    char path[4096];
    struct weir_errors *errors = weir_errors_new();
    struct weir_pipeline *p = NULL;
    snprintf(path, sizeof path, SAMPLES "/%s", name);
    if (weir_read_file(path, options, &p, errors))
        fail_msg("%s:\n%s", name, mistakes_of(errors));
    weir_errors_free(errors);
    return p;
}

static void expect_mistakes(const char *text, const struct weir_read_options *options, const char *expected)
{
    struct weir_errors *errors = weir_errors_new();
    struct weir_pipeline *p = NULL;
    assert_int_equal(weir_read_memory(text, strlen(text), "graph.dot", options, &p, errors), WEIR_INVALID);
    assert_null(p);
    assert_string_equal(mistakes_of(errors), expected);
    weir_errors_free(errors);
}

static void assert_table(const struct weir_pipeline *p, const char *name, const struct weir_gpu_time *times, size_t count)
{
    struct weir_operator_spec spec = operator_named(p, name);
    assert_int_equal(spec.time_count, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(spec.times[i].sms, times[i].sms);
        assert_int_equal(spec.times[i].time, times[i].time);
    }
}

#define TABLE(...)                                                                                                                 \
    (const struct weir_gpu_time[]){__VA_ARGS__}, sizeof((struct weir_gpu_time[]){__VA_ARGS__}) / sizeof(struct weir_gpu_time)

/* ---- what CUDA wrote ---- */

#define ALL_TIMES                                                                                                                  \
    "kernel,sms,time_us\nscale,1,40\nscale,2,21\n_Z6reduceIfLi32EEvPT_PKS0_,132,5\n_Z6reduceIdLi16EEvPT_PKS0_,132,6.5us\n"         \
    "net::conv2d,64,12\nmemcpy,1,3\n[CUDA memset],1,2\nhost,1,4\n\"void reduce<float, (int)7>(T1 *, const T1 *)\",3,4\n"

static void captured_in_every_way(void **state)
{
    (void)state;
    static const char *const names[] = {"captured.dot", "captured_handles.dot", "captured_params.dot", "captured_verbose.dot"};
    static const char *const ends[][2] = {{"memcpy#0", "scale#1"}, {"scale#1", "reduce#2"},     {"scale#1", "reduce#3"},
                                          {"reduce#2", "host"},    {"reduce#3", "net::conv2d"}, {"net::conv2d", "memset"},
                                          {"memset", "host"},      {"host", "scale#7"},         {"scale#7", "memcpy#8"}};
    write_times(ALL_TIMES);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct weir_pipeline *p = read_sample(names[i], &with_times);
        assert_int_equal(weir_pipeline_platform(p), WEIR_PLATFORM_GPU);
        assert_int_equal(weir_pipeline_gpu(p).sms, 132);
        assert_int_equal(weir_pipeline_unit(p), WEIR_UNIT_US);
        assert_int_equal(weir_pipeline_digits(p), 1);
        assert_int_equal(weir_pipeline_operator_count(p), 9);
        assert_int_equal(weir_pipeline_queue_count(p), 9);
        for (uint32_t k = 0; k < 9; k++)
            assert_queue(p, k, ends[k][0], ends[k][1]);
        assert_table(p, "scale#1", TABLE({1, 400}, {2, 210}));
        assert_table(p, "scale#7", TABLE({1, 400}, {2, 210}));
        assert_table(p, "reduce#2", TABLE({132, 50}));
        assert_table(p, "reduce#3", TABLE({132, 65}));
        assert_table(p, "memset", TABLE({1, 20}));
        weir_pipeline_free(p);
    }
}

/* The empty node and the event are gone; the graph within stands where its node was. */
static void graph_within_a_graph(void **state)
{
    (void)state;
    static const char *const names[] = {"built.dot", "built_verbose.dot"};
    write_times(ALL_TIMES);
    for (size_t i = 0; i < 2; i++) {
        struct weir_pipeline *p = read_sample(names[i], &with_times);
        assert_int_equal(weir_pipeline_operator_count(p), 4);
        assert_int_equal(weir_pipeline_queue_count(p), 3);
        assert_queue(p, 0, "scale#3.2", "scale#3.4");
        assert_queue(p, 1, "scale#4.0", "reduce");
        assert_queue(p, 2, "reduce", "scale#3.4");
        weir_pipeline_free(p);
    }
}

/* The summary of Nsight Systems: the longest time, on as many SMs as there are blocks. */
static void times_of_the_profiler(void **state)
{
    (void)state;
    write_times("Generating SQLite file report1.sqlite from report1.nsys-rep\r\n\r\n"
                "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\r\n"
                "50.1,123456,10,12345.6,12000,11000,14000,33.3,\"scale(float *, float, int)\"\r\n"
                "20.1,123456,10,12345.6,12000,11000,24000,33.3,\"void net::conv2d<float, double>(T1 *, T2 *, int)\"\r\n"
                "10.1,123456,10,12345.6,12000,11000,8000,33.3,_Z6reduceIfLi32EEvPT_PKS0_\r\n"
                "10.1,123456,10,12345.6,12000,11000,8500,33.3,_Z6reduceIfLi32EEvPT_PKS0_\r\n"
                "10.1,123456,10,12345.6,12000,11000,9000.0001,33.3,_Z6reduceIdLi16EEvPT_PKS0_\r\n"
                "1,1,1,1,1,1,700,0,[CUDA memcpy Host-to-Device]\r\n1,1,1,1,1,1,800,0,[CUDA memcpy Device-to-Host]\r\n"
                "1,1,1,1,1,1,900,0,[CUDA memset]\r\n1,1,1,1,1,1,0,0,host\r\n");
    struct weir_pipeline *p = read_sample("captured_verbose.dot", &with_times);
    assert_int_equal(weir_pipeline_digits(p), 6); /* of us: rounded up to ps */
    assert_int_equal(weir_pipeline_operator_count(p), 8);
    assert_table(p, "scale#1", TABLE({132, 14000000}));
    assert_table(p, "scale#7", TABLE({1, 14000000}));
    assert_table(p, "reduce#2", TABLE({132, 8500000}));
    assert_table(p, "reduce#3", TABLE({132, 9000001}));
    assert_table(p, "net::conv2d", TABLE({64, 24000000}));
    assert_table(p, "memcpy#0", TABLE({1, 700000}));
    assert_table(p, "memcpy#8", TABLE({1, 800000}));
    assert_queue(p, 3, "reduce#2", "scale#7"); /* the host function takes no time, and is gone */
    weir_pipeline_free(p);
}

/* A line per launch: Nsight Systems' trace; Nsight Compute's raw page, with units in a line of their own, here in us. */
static void times_of_launches(void **state)
{
    (void)state;
    static const char *const files[] = {
        "Start (ns),Duration (ns),CorrId,GrdX,Device,Ctx,Strm,Name\n1,13000,5,132,H200,1,7,\"scale(float *, float, int)\"\n"
        "2,14000,5,132,H200,1,7,\"scale(float *, float, int)\"\n3,24000,1,1,H200,1,7,net::conv2d\n4,8500,1,1,H200,1,7,reduce\n"
        "5,700,,,H200,1,7,memcpy\n6,900,,,H200,1,7,memset\n7,0,,,,,,host\n",
        "==PROF== Connected to process 1\n\"ID\",\"Kernel Name\",\"Grid "
        "Size\",\"gpu__time_duration.sum\"\n\"\",\"\",\"\",\"UNIT\"\n"
        "\"0\",\"scale(float *, float, int)\",\"(132, 1, 1)\",\"14\"\n\"1\",\"scale(float *, float, int)\",\"(132, 1, 1)\",\"13\"\n"
        "\"2\",\"net::conv2d\",\"(64, 1, 1)\",\"24\"\n\"3\",\"reduce\",\"(1, 1, 1)\",\"8.5\"\n\"4\",\"memcpy\",\"\",\"0.7\"\n"
        "\"5\",\"memset\",\"\",\"0.9\"\n\"6\",\"host\",\"\",\"0\"\n"};
    for (int i = 0; i < 3; i++) {
        char text[1024];
        const char *unit = strstr(files[i > 0], "UNIT");
        if (unit)
            snprintf(text, sizeof text, "%.*s%s%s", (int)(unit - files[1]), files[1], i == 1 ? "us" : "usecond", unit + 4);
        write_times(unit ? text : files[0]);
        struct weir_pipeline *p = read_sample("captured_verbose.dot", &with_times);
        assert_int_equal(weir_pipeline_digits(p), 1);
        assert_table(p, "scale#1", TABLE({132, 140}));
        assert_table(p, "net::conv2d", TABLE({64, 240}));
        assert_table(p, "reduce#2", TABLE({132, 85}));
        assert_table(p, "memcpy#0", TABLE({1, 7}));
        weir_pipeline_free(p);
    }
}

static void loads(void **state)
{
    (void)state;
    write_times("\xef\xbb\xbf"
                "kernel, load (us), splittable, granularity, min_time_ns\n\"scale\",40,true,250ns,1500\n"
                "reduce,8,,,\n\"net::conv2d\" , 1ms , no, ,\n# a comment\n\ngraph_2_node_0,3\n8,4\nmemset,2\nhost,0\nother,1\n");
    struct weir_pipeline *p = read_sample("captured.dot", &with_times);
    struct weir_operator_spec scale = operator_named(p, "scale#7");
    assert_int_equal(weir_pipeline_digits(p), 2);
    assert_int_equal(scale.worst, 4000);
    assert_true(scale.splittable);
    assert_int_equal(scale.granularity, 25);
    assert_int_equal(scale.min_time, 150);
    assert_int_equal(operator_named(p, "reduce#2").worst, 800);
    assert_int_equal(operator_named(p, "reduce#3").worst, 800);
    assert_int_equal(operator_named(p, "net::conv2d").worst, 100000);
    assert_false(operator_named(p, "net::conv2d").splittable);
    assert_int_equal(operator_named(p, "memcpy#0").worst, 300);
    assert_int_equal(operator_named(p, "memcpy#8").worst, 400);
    weir_pipeline_free(p);
}

static void more_options(void **state)
{
    (void)state;
    write_times(ALL_TIMES);
    struct weir_read_options options = with_times;
    options.min_time = "2", options.launch_overhead = "1800ns", options.max_concurrent = 32;
    struct weir_pipeline *p = read_sample("captured.dot", &options);
    struct weir_gpu_spec gpu = weir_pipeline_gpu(p);
    assert_int_equal(gpu.min_time, 20);
    assert_int_equal(gpu.launch_overhead, 18);
    assert_int_equal(gpu.max_concurrent, 32);
    weir_pipeline_free(p);
}

/* ---- mistakes of graphs ---- */

#define HEAD "digraph dot {\nsubgraph cluster_1 {\nlabel=\"graph_1\" graph[style=\"dashed\"];\n"
#define KERNEL(number, symbol) "\"graph_1_node_" number "\"[shape=\"octagon\" label=\"" number "\n" symbol "\n\"];\n"
#define BOX(number, word) "\"graph_1_node_" number "\"[shape=\"rectangle\" label=\"" number "\n" word "\n\"];\n"
#define TAIL "}\n}\n"

static void graphs_that_are_wrong(void **state)
{
    (void)state;
    write_times("kernel,time_us,sms\na,1,1\nb,1,1\nhost,1,1\n");
    expect_mistakes(HEAD KERNEL("0", "a") TAIL, NULL,
                    "0:0: CUDA does not write how many SMs the GPU has: give --sms\n"
                    "4:1: kernel \"a\" has no time: give it in a file, with --kernel-times\n");
    expect_mistakes(HEAD KERNEL("0", "c") KERNEL("1", "c") BOX("2", "MEMCPY") KERNEL("3", "a") TAIL, &with_times,
                    "4:1: kernel \"c\" has no time (2 nodes): the file of --kernel-times does not name it\n"
                    "10:1: node \"memcpy\" has no time: the file of --kernel-times does not name it\n");
    expect_mistakes(HEAD KERNEL("0", "a") KERNEL("1", "b") "\"graph_1_node_0\" -> \"graph_1_node_1\" -> \"graph_1_node_0\"\n" TAIL,
                    &with_times, "10:21: this dependency closes a cycle: graph_1_node_0 -> graph_1_node_1 -> graph_1_node_0\n");
    expect_mistakes(HEAD KERNEL("0", "a") "\"graph_1_node_0\" -> \"graph_1_node_7\" -> strange;\n" TAIL, &with_times,
                    "7:21: node \"graph_1_node_7\" has no label that says what it is\n7:41: \"strange\" is not a node of CUDA, "
                    "such as \"graph_1_node_0\"\n");
    expect_mistakes(HEAD BOX("0", "CONDITIONAL") BOX("1", "NEW_KIND") "\"graph_1_node_2\"[label=\"\"];\n" TAIL, &with_times,
                    "4:1: node \"graph_1_node_0\" is conditional: how often what it holds runs is not known\n"
                    "7:1: the label of node \"graph_1_node_1\" is not that of a kernel, a copy or the like\n"
                    "10:1: the name of a kernel is empty\n");
    expect_mistakes(HEAD BOX("0", "graph_1") TAIL, &with_times, "4:1: kernel \"graph_1_node_0\" cannot depend on itself\n");
    expect_mistakes(HEAD BOX("0", "graph_2") BOX("1", "graph_2") "\"graph_2_node_0\"[shape=\"octagon\" label=\"0\na\n\"];\n" TAIL,
                    &with_times, "7:1: graph_2 is launched by two nodes; the first is graph_1_node_0\n");
    expect_mistakes(HEAD BOX("0", "EMPTY") BOX("1", "EVENT_RECORD") TAIL, &with_times, "1:1: no node of this graph takes time\n");
    expect_mistakes(HEAD KERNEL("0", "a") "\"graph_1_node_1\"[label=\"1\n", &with_times, "7:24: a string is not closed\n");
    write_times("kernel,time_us\na,1\n");
    expect_mistakes(HEAD KERNEL("0", "a") TAIL, &with_times,
                    "4:1: the graph does not say how many blocks kernel \"a\" has: write it with cudaGraphDebugDotFlagsVerbose or "
                    "KernelNodeParams, or give \"sms\" in the file of times\n");
}

/* A graph without nodes between two kernels, and one with two nodes beside each other. */
static void graphs_within(void **state)
{
    (void)state;
    write_times("kernel,time_us,sms\na,1,1\nb,1,1\nc,1,1\nd,1,1\n");
    struct weir_pipeline *p = reading(
        HEAD KERNEL("0", "a") BOX("1", "graph_2") KERNEL("2", "b")
            BOX("3", "graph_3") "\"graph_1_node_0\" -> \"graph_1_node_1\" -> \"graph_1_node_2\";\n\"graph_1_node_3\" -> "
                                "\"graph_1_node_2\"\n}\n"
                                "subgraph cluster_3 {\nlabel=\"graph_3\"\n\"graph_3_node_0\"[shape=\"octagon\" label=\"0\nc\n\"];\n"
                                "\"graph_3_node_1\"[shape=\"octagon\" label=\"1\nd\n\"];\n" TAIL,
        &with_times);
    assert_int_equal(weir_pipeline_queue_count(p), 3);
    assert_queue(p, 0, "a", "b");
    assert_queue(p, 1, "c", "b");
    assert_queue(p, 2, "d", "b");
    weir_pipeline_free(p);
}

/* What looks like it is not always CUDA's. */
static void told_apart(void **state)
{
    (void)state;
    struct weir_pipeline *p = reading("digraph { \"graph_1_node_0\" [WCET=3]; \"graph_1_node_0\" -> b; b [WCET=4] }", NULL);
    assert_int_equal(weir_pipeline_platform(p), WEIR_PLATFORM_THREADS);
    weir_pipeline_free(p);
}

/* ---- names ---- */

static void plain_names(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"scale", "scale"},
        {"_Z5scalePffi", "scale"},
        {"_ZL5scalePffi", "scale"},
        {"_Z6reduceIfLi32EEvPT_PKS0_", "reduce"},
        {"_ZN3net6conv2dIfdEEvPT_PT0_i", "net::conv2d"},
        {"_ZN3netL6conv2dEv", "net::conv2d"},
        {"_ZN12_GLOBAL__N_15scaleEv", "(anonymous namespace)::scale"},
        {"_ZN3FooIiLb1EE3barEv", "Foo::bar"},
        {"_ZNSt6vectorIiSaIiEE4pushEv", "std::vector::push"},
        {"_ZN2at6native13reduce_kernelILi128ELi4ENS0_8ReduceOpIfNS0_14func_wrapperIfEEjfLi4EEEEEvT1_", "at::native::reduce_kernel"},
        {"_Z1fILN3net4KindE3EEvv", NULL},
        {"_ZN3net6conv2d", NULL},
        {"_Z", NULL},
        {"_Z999a", NULL},
        {"_ZN3FooclEv", NULL},
        {"scale(float *, float, int)", "scale"},
        {"void reduce<float, (int)32>(T1 *, const T1 *)", "reduce"},
        {"void net::conv2d<float, net::pair<int, (bool)1>>(T1 *)", "net::conv2d"},
        {"(anonymous namespace)::scale(int)", "(anonymous namespace)::scale"},
        {"void Foo<int, (bool)1>::bar()", "Foo::bar"},
        {"a>b", NULL},
        {"a<b", NULL},
        {"<int>", NULL},
        {"ampere_sgemm_128x64_nn", "ampere_sgemm_128x64_nn"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_draft draft = {0};
        struct weir_arena arena = {0};
        const char *base = weir_kernel_base(&draft, &arena, cases[i][0]);
        if (!base != !cases[i][1] || (base && strcmp(base, cases[i][1]) != 0))
            fail_msg("%s is %s", cases[i][0], base ? base : "not clear");
        weir_arena_free(&arena);
    }
}

/* Where the plain name does not tell which kernel is meant, nobody guesses. */
static void unclear_names(void **state)
{
    (void)state;
    static const char two[] = HEAD KERNEL("0", "_Z6reduceIfLi32EEvPT_PKS0_") KERNEL("1", "_Z6reduceIdLi16EEvPT_PKS0_") TAIL;
    static const char one[] = HEAD KERNEL("0", "_Z6reduceIfLi32EEvPT_PKS0_") TAIL;
    write_times("kernel,sms,time_us\n\"void reduce<float, 32>(T1 *)\",1,5\n");
    struct weir_pipeline *p = reading(one, &with_times);
    assert_table(p, "reduce", TABLE({1, 5}));
    weir_pipeline_free(p);
    expect_mistakes(
        two, &with_times,
        "4:1: \"void reduce<float, 32>(T1 *)\" of the times could be this kernel, or graph_1_node_1; name them by their "
        "symbols (nsys stats --report cuda_gpu_kern_sum:mangled)\n"
        "7:1: \"void reduce<float, 32>(T1 *)\" of the times could be this kernel, or graph_1_node_0; name them by their "
        "symbols (nsys stats --report cuda_gpu_kern_sum:mangled)\n");
    write_times("kernel,sms,time_us\n\"void reduce<float, 32>(T1 *)\",1,5\n\"void reduce<double, 16>(T1 *)\",1,6\n");
    expect_mistakes(one, &with_times,
                    "4:1: the times have several kernels of this name, \"void reduce<double, 16>(T1 *)\" and \"void reduce<float, "
                    "32>(T1 *)\"; name them by their symbols (nsys stats --report cuda_gpu_kern_sum:mangled)\n");
    write_times("kernel,sms,time_us\nreduce,1,5\n_Z6reduceIdLi16EEvPT_PKS0_,1,6\ngraph_1_node_0,1,7\n");
    p = reading(two, &with_times);
    assert_table(p, "reduce#0", TABLE({1, 7}));
    assert_table(p, "reduce#1", TABLE({1, 6}));
    weir_pipeline_free(p);
}

/* ---- mistakes of times ---- */

static void times_that_are_wrong(void **state)
{
    (void)state;
    static const char graph[] = HEAD KERNEL("0", "a") TAIL;
    static const char *const cases[][2] = {
        {"a,1,5\n",
         "csv:1:1: expected a heading: kernel,sms,time or kernel,load, or that of nsys stats --report cuda_gpu_kern_sum\n"},
        {"kernel,sms\na,1\n", "csv:1:1: the heading has neither \"time\" nor \"load\"\n"},
        {"sms,time\n1,5us\n", "csv:1:1: the heading has no column \"kernel\"\n"},
        {"kernel,smss,time\n", "csv:1:8: unknown column \"smss\"; did you mean \"sms\"?\n"},
        {"kernel,colour,time\n", "csv:1:8: unknown column \"colour\"; expected kernel, sms and time, or kernel and load\n"},
        {"kernel,time,time_us\n", "csv:1:13: column \"time\" is there twice\n"},
        {"kernel,time (weeks)\n", "csv:1:8: column \"time (weeks)\" has an unknown unit; expected ns, us, ms or s\n"},
        {"kernel,sms (us),time\n", "csv:1:8: column \"sms (us)\" has an unknown unit; expected ns, us, ms or s\n"},
        {"kernel,time,splittable\n", "csv:1:1: \"splittable\", \"granularity\" and \"min-time\" belong to a \"load\"\n"},
        {"kernel,sms,time\na,1,5\n", "csv:2:5: \"5\" has no unit: write one behind it, or in the heading: time_us\n"},
        {"kernel,sms,time\na,1,5 weeks\n", "csv:2:5: \"5 weeks\" has an unknown unit; expected ns, us, ms or s\n"},
        {"kernel,sms,time\na,1,5tick\n", "csv:2:5: \"5tick\" has an unknown unit; expected ns, us, ms or s\n"},
        {"kernel,sms,time_us\na,1,-5\n", "csv:2:5: \"time\" must not be negative, but is -5\n"},
        {"kernel,sms,time_us\na,1,fast\n", "csv:2:5: \"time\" must be a number such as 5, 4.25 or 33.3us, not \"fast\"\n"},
        {"kernel,sms,time_us\na,1,123456789012345678901\n",
         "csv:2:5: \"123456789012345678901\" is out of range: it has more digits than can be represented\n"},
        {"kernel,sms,time_us\na,0,5\n", "csv:2:3: \"sms\" must be at least 1\n"},
        {"kernel,sms,time_us\na,-1,5\n", "csv:2:3: \"sms\" must be a whole number of SMs from 1 on, not \"-1\"\n"},
        {"kernel,sms,time_us\na,70000,5\n", "csv:2:3: \"sms\" is out of range: at most 65536 SMs\n"},
        {"kernel,sms,time_us\n,1,5\n", "csv:2:1: this line names no kernel\n"},
        {"kernel,sms,time_us\na,1\n", "csv:2:1: this line has neither a \"time\" nor a \"load\"\n"},
        {"kernel,load_us,time_us\na,1,5\n", "csv:2:1: a line has a \"time\" or a \"load\", not both\n"},
        {"kernel,load_us,sms\na,1,5\n", "csv:2:1: a \"load\" is the time on one SM: this line needs no \"sms\"\n"},
        {"kernel,load_us,time_us,splittable\na,,5,yes\n",
         "csv:2:1: \"splittable\", \"granularity\" and \"min-time\" belong to a \"load\", but this line has a \"time\"\n"},
        {"kernel,load_us,splittable\na,5,maybe\n", "csv:2:5: \"splittable\" must be true or false, not \"maybe\"\n"},
        {"kernel,sms,time_us\nf<a, b>(int),1,5\n",
         "csv:2:16: this line has more fields than the heading; a name with commas must be in quotes\n"},
        {"kernel,sms,time_us\n\"a,1,5\n", "csv:2:1: a quote is not closed\n"},
        {"kernel,sms,time_us\n\"a\"b,1,5\n", "csv:2:4: expected a comma after the quote; a quote within quotes is written twice\n"},
        {"kernel,sms,time_us\na,1,5\na,1,6\n", "csv:3:1: kernel \"a\" has two times on as many SMs; the first is in line 2\n"},
        {"kernel,sms,time_us\na,,5\na,1,6\n", "csv:3:1: kernel \"a\" has a line with \"sms\" and one without\n"},
        {"kernel,load_us\na,5\na,6\n", "csv:3:1: kernel \"a\" is given twice; a kernel with a load has one line\n"},
        {"kernel,sms,time_us\na,1,\xff\n", "csv:2:5: this is not UTF-8 text: the byte 0xff does not belong here\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_times(cases[i][0]);
        expect_mistakes(graph, &with_times, cases[i][1]);
    }
    write_times("");
    expect_mistakes(graph, &with_times,
                    "csv:1:1: expected a heading: kernel,sms,time or kernel,load, or that of nsys stats --report "
                    "cuda_gpu_kern_sum\n");
    struct weir_read_options missing = with_times;
    missing.kernel_times = "/no/such/times.csv";
    expect_mistakes(graph, &missing, "0:0: cannot read this file: No such file or directory\n");
    write_times("kernel,sms,time_us\na,1,5\na,4,0\n");
    expect_mistakes(graph, &with_times, "4:1: kernel \"a\" takes no time on 4 SMs; every kernel takes time\n");
    write_times("kernel,sms,time_us\na,200,5\n");
    expect_mistakes(graph, &with_times, "4:1: kernel \"a\" needs at least 200 SMs, but there are only 132\n");
}

/* ---- memory ---- */

static void without_memory(void **state)
{
    (void)state;
    static const char *const names[] = {"built_verbose.dot", "captured.dot", "captured_params.dot"};
    write_times(ALL_TIMES);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct refuse memory = {0};
        char path[4096];
        snprintf(path, sizeof path, SAMPLES "/%s", names[i]);
        while (refuse_next(&memory)) {
            struct weir_pipeline *p = NULL;
            enum weir_status status = weir_read_file(path, &with_times, &p, NULL);
            assert_int_equal(status == WEIR_OK, p != NULL);
            weir_pipeline_free(p);
            refuse_end();
            if (memory.live || (status != WEIR_OK && status != WEIR_MEMORY))
                fail_msg("%s: status %d, %ld blocks left when allocation %ld fails", names[i], (int)status, memory.live,
                         memory.number);
        }
    }
}

static int begin(void **state)
{
    (void)state;
    int descriptor = mkstemp(times_path);
    return descriptor < 0 ? -1 : close(descriptor);
}

static int end(void **state)
{
    (void)state;
    return unlink(times_path);
}

int cuda_gpu_group(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(captured_in_every_way),
        cmocka_unit_test(graph_within_a_graph),
        cmocka_unit_test(times_of_the_profiler),
        cmocka_unit_test(times_of_launches),
        cmocka_unit_test(loads),
        cmocka_unit_test(more_options),
        cmocka_unit_test(graphs_that_are_wrong),
        cmocka_unit_test(graphs_within),
        cmocka_unit_test(told_apart),
        cmocka_unit_test(plain_names),
        cmocka_unit_test(unclear_names),
        cmocka_unit_test(times_that_are_wrong),
        cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
