/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a model has to know of a GPU: how many blocks share an SM, how many launches run at once, how long it takes from the end of
 * one to the begin of the next, and how kernels grow faster on more SMs. Prints tables, and at the end a platform for models.
 *
 *   cc -O2 -I src bench/gpu/probe.c -o probe -ldl && ./probe
 *
 * Needs the CUDA driver alone.
 */
#include "level.h"

enum { RUNS_MOST = 20000, BUFFERS = 8 };

static struct {
    unsigned runs;
    int quick, hog;
} settings = {2000, 0, 0};

static struct record *host_records;
static weir_cu_address device_records;
static size_t record_capacity;

/* clocks(out, count): pairs of the device's clock and the SM's cycles, one after the other.
 * hold(open, limit_ns): keeps its SMs until *open is not 0, but not for ever. */
static const char beside_ptx[] = ".version 6.3\n.target sm_70\n.address_size 64\n"
                                 ".visible .entry clocks(.param .u64 out, .param .u64 count)\n{\n"
                                 "  .reg .pred %p<3>;\n  .reg .b32 %r<2>;\n  .reg .b64 %d<6>;\n"
                                 "  mov.u32 %r0, %tid.x;\n  setp.ne.u32 %p0, %r0, 0;\n  @%p0 ret;\n"
                                 "  ld.param.u64 %d0, [out];\n  ld.param.u64 %d1, [count];\n"
                                 "next:\n"
                                 "  mov.u64 %d2, %globaltimer;\n  mov.u64 %d3, %clock64;\n"
                                 "  st.global.u64 [%d0], %d2;\n  st.global.u64 [%d0+8], %d3;\n"
                                 "  add.u64 %d0, %d0, 16;\n  sub.u64 %d1, %d1, 1;\n"
                                 "  setp.ne.u64 %p1, %d1, 0;\n  @%p1 bra next;\n  ret;\n}\n"
                                 ".visible .entry hold(.param .u64 open, .param .u64 limit)\n{\n"
                                 "  .reg .pred %p<4>;\n  .reg .b32 %r<4>;\n  .reg .b64 %d<6>;\n"
                                 "  mov.u32 %r0, %tid.x;\n  setp.ne.u32 %p0, %r0, 0;\n  @%p0 ret;\n"
                                 "  mov.u64 %d0, %globaltimer;\n"
                                 "  ld.param.u64 %d1, [open];\n  ld.param.u64 %d2, [limit];\n"
                                 "held:\n"
                                 "  nanosleep.u32 500000;\n"
                                 "  ld.volatile.global.u32 %r1, [%d1];\n  setp.ne.u32 %p1, %r1, 0;\n  @%p1 ret;\n"
                                 "  mov.u64 %d3, %globaltimer;\n  sub.u64 %d4, %d3, %d0;\n"
                                 "  setp.lt.u64 %p2, %d4, %d2;\n  @%p2 bra held;\n  ret;\n}\n";

static int compare_gaps(const void *left, const void *right)
{
    double a = ((const struct gap *)left)->ns, b = ((const struct gap *)right)->ns;
    return a < b ? -1 : a > b;
}

static void open_device(void)
{
    int number = 0;
    void *memory = NULL;
    weir_cu_handle context = NULL, module = NULL;
    device.limit_s = 20;
    cu_load();
    cu_check(cu.init(0), "starting the driver");
    cu_check(cu.driver_version(&device.version), "asking for the version");
    cu_check(cu.device_get(&number, 0), "looking for the device");
    cu_check(cu.device_name(device.name, (int)sizeof device.name, number), "asking for the name");
    cu_check(cu.device_attribute(&device.sms, WEIR_CU_SMS, number), "counting SMs");
    cu_check(cu.device_attribute(&device.shared, WEIR_CU_SHARED_OPTIN, number), "asking for shared memory");
    cu_check(cu.device_attribute(&device.shared_per_sm, WEIR_CU_SHARED_PER_SM, number), "asking for shared memory");
    cu_check(cu.device_attribute(&device.khz, WEIR_CU_CLOCK_KHZ, number), "asking for the clock");
    cu_check(cu.device_attribute(&device.major, WEIR_CU_MAJOR, number), "asking for the generation");
    cu_check(cu.device_attribute(&device.minor, WEIR_CU_MINOR, number), "asking for the generation");
    cu_check(cu.context_retain(&context, number), "opening the device");
    cu_check(cu.context_set(context), "opening the device");
    cu_check(cu.module_load(&module, kernels_ptx), "loading the kernels");
    cu_check(cu.module_function(&device.spin, module, "spin"), "finding spin");
    cu_check(cu.module_function(&device.gate, module, "gate"), "finding gate");
    cu_check(cu.module_load(&module, beside_ptx), "loading the kernels");
    cu_check(cu.module_function(&device.hold, module, "hold"), "finding hold");
    cu_check(cu.function_set(device.hold, WEIR_CU_FUNCTION_SHARED, device.shared), "asking for shared memory");
    cu_check(cu.module_function(&device.clocks, module, "clocks"), "finding clocks");
    cu_check(cu.function_set(device.spin, WEIR_CU_FUNCTION_SHARED, device.shared), "asking for shared memory");
    cu_check(cu.function_set(device.gate, WEIR_CU_FUNCTION_SHARED, device.shared), "asking for shared memory");
    cu_check(cu.stream_create(&device.stream, 1), "making a stream");
    cu_check(cu.stream_create_priority(&device.hold_stream, 1, -5), "making a stream"); /* the highest there is */
    cu_check(cu.stream_create(&device.same_stream, 1), "making a stream");
    cu_check(cu.host_allocate(&memory, 2 * sizeof(uint32_t), WEIR_CU_HOST_MAPPED), "taking memory for the gate");
    cu_check(cu.host_address(&device.gate_address, memory, 0), "mapping the gate");
    device.gate_open = (volatile uint32_t *)memory;
    device.hold_open = device.gate_open + 1;
    device.hold_address = device.gate_address + sizeof(uint32_t);
    record_capacity = (size_t)BUFFERS * 128 * 256;
    host_records = (struct record *)take_memory(record_capacity, sizeof *host_records);
    cu_check(cu.memory_allocate(&device_records, record_capacity * sizeof *host_records), "taking memory");
}

/* The longest block. */
static double time_spin(unsigned blocks, uint64_t steps, unsigned shared)
{
    uint64_t zero = 0;
    double longest = 0;
    void *arguments[] = {&device_records, &zero, &zero, &zero, &steps};
    cu_check(cu.launch(device.spin, blocks, 1, 1, THREADS, 1, 1, shared, device.stream, arguments, NULL), "launching");
    device_wait();
    cu_check(cu.memory_read(host_records, device_records, blocks * sizeof *host_records), "reading");
    for (unsigned i = 0; i < blocks; i++) {
        double ns = (double)(host_records[i].end_ns - host_records[i].begin_ns);
        longest = ns > longest ? ns : longest;
    }
    return longest;
}

static void warm_up(double seconds)
{
    uint64_t begin = host_now_ns();
    while ((double)(host_now_ns() - begin) < seconds * 1e9)
        time_spin((unsigned)device.sms, 100000, (unsigned)device.shared);
}

static void calibrate(void)
{
    double steps = 1e5, ns = 0;
    warm_up(0.5);
    for (int i = 0; i < 20; i++) {
        double one = time_spin(1, (uint64_t)steps, (unsigned)device.shared);
        ns = one > ns ? one : ns;
    }
    device.ns_per_step = ns / steps;
}

/* ---------------------------------------------------------------- blocks per SM */

static int compare_places(const void *left, const void *right)
{
    const struct record *a = (const struct record *)left, *b = (const struct record *)right;
    if (a->sm != b->sm)
        return a->sm < b->sm ? -1 : 1;
    return a->begin_cycle < b->begin_cycle ? -1 : a->begin_cycle > b->begin_cycle;
}

static void probe_blocks(void)
{
    int most = 0, with_all = 0;
    unsigned blocks = 4 * (unsigned)device.sms, overlapping = 0, sms = 1;
    cu_check(cu.occupancy(&most, device.spin, THREADS, 0), "asking for the blocks per SM");
    cu_check(cu.occupancy(&with_all, device.spin, THREADS, (size_t)device.shared), "asking for the blocks per SM");
    time_spin(blocks, (uint64_t)(2e4 / device.ns_per_step), (unsigned)device.shared);
    qsort(host_records, blocks, sizeof *host_records, compare_places);
    for (unsigned i = 1; i < blocks; i++) {
        if (host_records[i].sm != host_records[i - 1].sm)
            sms++;
        else
            overlapping += host_records[i].begin_cycle < host_records[i - 1].end_cycle;
    }
    printf("\nblocks per SM: %d without shared memory, %d with %d bytes each (an SM has %d)\n", most, with_all, device.shared,
           device.shared_per_sm);
    printf("seen: %u blocks on %u SMs, %u of them beside another on their SM\n", blocks, sms, overlapping);
}

/* ---------------------------------------------------------------- clocks */

static void probe_clocks(void)
{
    enum { SAMPLES = 200000 };
    uint64_t count = SAMPLES, *chains = (uint64_t *)take_memory(2 * SAMPLES, sizeof *chains), step = 0, longest = 0;
    double worst = 0;
    void *arguments[] = {&device_records, &count};
    for (int round = 0; round < 10; round++) {
        cu_check(cu.launch(device.clocks, 1, 1, 1, 32, 1, 1, 0, device.stream, arguments, NULL), "launching");
        device_wait();
        cu_check(cu.memory_read(chains, device_records, 2 * SAMPLES * sizeof *chains), "reading");
        double rate = (double)(chains[2 * SAMPLES - 2] - chains[0]) / (double)(chains[2 * SAMPLES - 1] - chains[1]);
        for (size_t i = 1; i < SAMPLES; i++) {
            uint64_t change = chains[2 * i] - chains[2 * i - 2], a = change, b = step;
            double odd = (double)change - rate * (double)(chains[2 * i + 1] - chains[2 * i - 1]);
            odd = odd < 0 ? -odd : odd;
            worst = odd > worst ? odd : worst;
            longest = change > longest ? change : longest;
            while (b) {
                uint64_t rest = a % b;
                a = b;
                b = rest;
            }
            step = a;
        }
    }
    printf("\nthe device's clock: ticks every %llu ns; against the cycles of an SM it never jumped by more than %.0f ns\n",
           (unsigned long long)step, worst);
    printf("(%d samples, the longest %llu ns after the one before)\n", 10 * SAMPLES, (unsigned long long)longest);
    free(chains);
}

/* ---------------------------------------------------------------- time against SMs */

static void probe_scaling(void)
{
    static const unsigned widths[] = {1, 2, 4, 8, 16, 32, 48, 64, 96, 128, 132, 144, 160};
    double work = 4e6 / device.ns_per_step, one = 0;
    printf("\ntime against SMs, the same work divided among so many blocks (longest of 20 launches):\n%8s %14s %14s\n", "SMs",
           "time us", "SMs x time");
    for (size_t i = 0; i < sizeof widths / sizeof *widths && widths[i] <= (unsigned)device.sms; i++) {
        double longest = 0;
        for (int k = 0; k < 20; k++) {
            double ns = time_spin(widths[i], (uint64_t)(work / widths[i]), (unsigned)device.shared);
            longest = ns > longest ? ns : longest;
        }
        one = i ? one : longest;
        printf("%8u %14.3f %14.5f\n", widths[i], longest / 1e3, longest * widths[i] / one);
    }
}

/* ---------------------------------------------------------------- launches at once */

static unsigned probe_concurrency(void)
{
    unsigned usable = 0;
    printf("\nlaunches at once, each on as many SMs as there are for it, 200 us long, 50 runs:\n%8s %6s %10s %12s\n", "launches",
           "SMs", "together", "skew us");
    for (unsigned width = 1; width <= (unsigned)device.sms;
         width = 2 * width > (unsigned)device.sms && width < (unsigned)device.sms ? (unsigned)device.sms : 2 * width) {
        struct shape shape = {1, width, (unsigned)device.sms / width, BARRIER, 1, 1, (uint64_t)(2e5 / device.ns_per_step), ALONE};
        struct level_graph graph;
        unsigned together = 0;
        double skew = 0;
        level_build(&graph, &shape, device_records);
        for (int run = 0; run < 50; run++) {
            uint64_t last_begin = 0, first_end = UINT64_MAX, first_begin = UINT64_MAX;
            level_launch(&graph);
            device_wait();
            cu_check(cu.memory_read(host_records, device_records, graph.blocks * sizeof *host_records), "reading");
            for (size_t i = 0; i < graph.blocks; i++) {
                const struct record *r = &host_records[i];
                last_begin = r->begin_ns > last_begin ? r->begin_ns : last_begin;
                first_begin = r->begin_ns < first_begin ? r->begin_ns : first_begin;
                first_end = r->end_ns < first_end ? r->end_ns : first_end;
            }
            together += last_begin < first_end;
            skew = (double)(last_begin - first_begin) > skew ? (double)(last_begin - first_begin) : skew;
        }
        if (together == 50)
            usable = width;
        printf("%8u %6u %7u/50 %12.3f\n", width, shape.sms, together, skew / 1e3);
        level_free(&graph);
    }
    return usable;
}

/* ---------------------------------------------------------------- overheads */

/* A way to launch the same graph many times. */
struct trial {
    const char *what;
    struct shape shape;
    unsigned runs, warm;
    unsigned sleep_us; /* before each launch */
    unsigned ahead;    /* graphs launched before the first is waited for; 0: one after the other */
};

struct tally {
    size_t count, above_20, above_100, early, launching;
    double p50, p99, p999, most, call; /* call: the longest that the launch took on the host */
    unsigned worst_run, worst_level;
};

static void sleep_for(unsigned us)
{
    struct timespec time = {us / 1000000, (long)(us % 1000000) * 1000};
    if (us)
        nanosleep(&time, NULL);
}

/* Host time less device time: the gate opens after the host lets it, so the smallest difference seen is nearly that. */
static double clock_offset(void)
{
    struct shape shape = {1, 1, 1, BARRIER, 1, 1, 1, ALONE};
    struct level_graph graph;
    double least = 0;
    level_build(&graph, &shape, device_records);
    for (int i = 0; i < 100; i++) {
        struct host_times times = level_launch(&graph);
        device_wait();
        cu_check(cu.memory_read(host_records, device_records, 2 * sizeof *host_records), "reading");
        double offset = (double)host_records[1].end_ns - (double)times.end;
        least = i == 0 || offset < least ? offset : least;
    }
    level_free(&graph);
    return least;
}

static void tally_gaps(struct gap *gaps, size_t count, struct tally *tally)
{
    for (size_t i = 0; i < count; i++) {
        tally->above_20 += gaps[i].ns > 20e3;
        tally->above_100 += gaps[i].ns > 100e3;
        tally->early += gaps[i].ns > 20e3 && gaps[i].run < 5;
    }
    qsort(gaps, count, sizeof *gaps, compare_gaps);
    tally->count = count;
    tally->p50 = gaps[count / 2].ns;
    tally->p99 = gaps[count - 1 - count / 100].ns;
    tally->p999 = gaps[count - 1 - count / 1000].ns;
    tally->most = gaps[count - 1].ns;
    tally->worst_run = gaps[count - 1].run;
    tally->worst_level = gaps[count - 1].level;
}

/* `ahead` graphs with memory of their own are launched one upon the other. */
static void try_launches(const struct trial *trial, struct tally *tally)
{
    unsigned graphs = trial->ahead ? trial->ahead : 1;
    size_t blocks = (size_t)trial->shape.levels * trial->shape.width * trial->shape.sms + 2, count = 0;
    struct level_graph graph[BUFFERS];
    struct host_times times[BUFFERS];
    struct gap *gaps = (struct gap *)take_memory((size_t)trial->runs * trial->shape.levels, sizeof *gaps);
    double offset = clock_offset();
    memset(tally, 0, sizeof *tally);
    for (unsigned i = 0; i < graphs; i++)
        level_build(&graph[i], &trial->shape, device_records + i * blocks * sizeof *host_records);
    level_hold(&graph[graphs - 1]);
    for (unsigned run = 0; run < trial->warm + trial->runs; run += graphs) {
        sleep_for(trial->sleep_us);
        for (unsigned i = 0; i < graphs; i++)
            times[i] = level_launch(&graph[i]);
        device_wait();
        cu_check(cu.memory_read(host_records, device_records, graphs * blocks * sizeof *host_records), "reading");
        for (unsigned i = 0; i < graphs && run + i >= trial->warm && run + i < trial->warm + trial->runs; i++) {
            size_t more = level_gaps(&graph[i], host_records + i * blocks, run + i - trial->warm, gaps + count);
            for (size_t k = count; k < count + more; k++) /* was the host still at it when the gap ended? */
                tally->launching += gaps[k].ns > 20e3 && (double)gaps[k].until - offset < (double)times[i].end;
            count += more;
            tally->call =
                (double)(times[i].end - times[i].begin) > tally->call ? (double)(times[i].end - times[i].begin) : tally->call;
        }
    }
    level_release();
    tally_gaps(gaps, count, tally);
    for (unsigned i = 0; i < graphs; i++)
        level_free(&graph[i]);
    free(gaps);
}

static void print_trial(const struct trial *trial, const struct tally *t)
{
    static const char *const joints[JOINTS] = {"empty", "chains", "all", "near", "kernel"};
    printf("%-30s %-7s %3ux%3ux%3u %4s %8zu %7.2f %7.2f %8.2f %9.2f %6zu %6zu %6zu %7zu  %5u/%-3u %8.1f\n", trial->what,
           joints[trial->shape.joint], trial->shape.levels, trial->shape.width, trial->shape.sms, trial->shape.gated ? "yes" : "no",
           t->count, t->p50 / 1e3, t->p99 / 1e3, t->p999 / 1e3, t->most / 1e3, t->above_20, t->above_100, t->early, t->launching,
           t->worst_run, t->worst_level, t->call / 1e3);
    fflush(stdout);
}

static void print_trial_head(const char *title)
{
    printf("\n%s\n%-30s %-7s %11s %4s %8s %7s %7s %8s %9s %6s %6s %6s %7s  %9s %8s\n", title, "trial", "joint", "lev x w x m",
           "gate", "gaps", "p50", "p99", "p99.9", "max us", ">20us", ">100us", "first5", "calling", "worst run", "call us");
}

static struct tally run_trial(const struct trial *trial)
{
    struct tally tally;
    try_launches(trial, &tally);
    print_trial(trial, &tally);
    return tally;
}

/* What may be behind long gaps, one thing at a time. */
static void probe_outliers(void)
{
    unsigned n = settings.runs;
    uint64_t s = (uint64_t)(5e3 / device.ns_per_step);
    const struct trial trials[] = {
        {"as it comes", {20, 4, 8, BARRIER, 0, 1, s, ALONE}, n, 50, 0, 0},
        {"gate", {20, 4, 8, BARRIER, 1, 1, s, ALONE}, n, 50, 0, 0},
        {"as it comes, wide", {20, 32, 4, BARRIER, 0, 1, s, ALONE}, n / 4, 50, 0, 0},
        {"gate, wide", {20, 32, 4, BARRIER, 1, 1, s, ALONE}, n / 4, 50, 0, 0},
        {"as it comes, widest", {8, 128, 1, BARRIER, 0, 1, s, ALONE}, n / 8, 50, 0, 0},
        {"gate, widest", {8, 128, 1, BARRIER, 1, 1, s, ALONE}, n / 8, 50, 0, 0},
        {"no warm-up, no upload", {20, 4, 8, BARRIER, 0, 0, s, ALONE}, 200, 0, 0, 0},
        {"no warm-up", {20, 4, 8, BARRIER, 0, 1, s, ALONE}, 200, 0, 0, 0},
        {"no warm-up, no upload, wide", {20, 32, 4, BARRIER, 0, 0, s, ALONE}, 200, 0, 0, 0},
        {"no warm-up, no upload, gate", {20, 32, 4, BARRIER, 1, 0, s, ALONE}, 200, 0, 0, 0},
        {"idle 20 ms before", {20, 4, 8, BARRIER, 0, 1, s, ALONE}, 100, 5, 20000, 0},
        {"idle 20 ms before, gate", {20, 4, 8, BARRIER, 1, 1, s, ALONE}, 100, 5, 20000, 0},
        {"idle 1 ms before, gate", {20, 32, 4, BARRIER, 1, 1, s, ALONE}, 500, 5, 1000, 0},
        {"8 launches ahead", {20, 4, 8, BARRIER, 0, 1, s, ALONE}, n, 48, 0, 8},
        {"8 launches ahead, wide", {8, 32, 4, BARRIER, 0, 1, s, ALONE}, n, 48, 0, 8},
        {"long graph", {120, 4, 8, BARRIER, 0, 1, s, ALONE}, n / 4, 50, 0, 0},
        {"long graph, gate", {120, 4, 8, BARRIER, 1, 1, s, ALONE}, n / 4, 50, 0, 0},
        {"one after the other", {40, 1, 132, BARRIER, 0, 1, s, ALONE}, n, 50, 0, 0},
        {"one after the other, gate", {40, 1, 132, BARRIER, 1, 1, s, ALONE}, n, 50, 0, 0},
        {"chains", {20, 32, 4, CHAINS, 0, 1, s, ALONE}, n, 50, 0, 0},
        {"chains, gate", {20, 32, 4, CHAINS, 1, 1, s, ALONE}, n, 50, 0, 0},
        {"SMs held", {20, 4, 8, ALL, 1, 1, s, HELD}, n, 50, 0, 0},
        {"SMs held, wide", {12, 16, 4, ALL, 1, 1, s, HELD}, n, 50, 0, 0},
        {"SMs held, same priority", {20, 4, 8, ALL, 1, 1, s, HELD_SAME}, n, 50, 0, 0},
        {"SMs held, same priority, wide", {12, 16, 4, ALL, 1, 1, s, HELD_SAME}, 100, 10, 0, 0},
        {"SMs held, looking at the host", {20, 1, 8, CHAINS, 1, 1, s, HELD_LOOKING}, n, 50, 0, 0},
        {"SMs held, looking at the host", {20, 4, 8, ALL, 1, 1, s, HELD_LOOKING}, n, 50, 0, 0},
        {"neighbours", {20, 4, 8, NEIGHBOURS, 0, 1, s, ALONE}, n, 50, 0, 0},
        {"neighbours, gate", {20, 4, 8, NEIGHBOURS, 1, 1, s, ALONE}, n, 50, 0, 0},
        {"neighbours, gate, wide", {20, 32, 4, NEIGHBOURS, 1, 1, s, ALONE}, n, 50, 0, 0},
        {"neighbours, SMs held", {20, 4, 8, NEIGHBOURS, 1, 1, s, HELD}, n, 50, 0, 0},
        {"a kernel as barrier", {20, 4, 8, KERNEL, 0, 1, s, ALONE}, n, 50, 0, 0},
        {"a kernel as barrier, gate", {20, 4, 8, KERNEL, 1, 1, s, ALONE}, n, 50, 0, 0},
        {"a kernel as barrier, wide", {20, 32, 4, KERNEL, 1, 1, s, ALONE}, n, 50, 0, 0},
        {"a kernel as barrier, widest", {8, 128, 1, KERNEL, 1, 1, s, ALONE}, n, 50, 0, 0},
        {"each after each", {20, 8, 8, ALL, 0, 1, s, ALONE}, n, 50, 0, 0},
        {"each after each, gate", {20, 8, 8, ALL, 1, 1, s, ALONE}, n, 50, 0, 0},
        {"no work, gate", {20, 8, 8, BARRIER, 1, 1, 0, ALONE}, n, 50, 0, 0},
        {"100 us each, gate", {20, 8, 8, BARRIER, 1, 1, 20 * s, ALONE}, n / 4, 50, 0, 0},
    };
    print_trial_head("what long gaps come from: the end of a level to the begin of the last block of the next");
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
        struct trial trial = trials[i];
        if (trial.shape.width * trial.shape.sms > (unsigned)device.sms)
            trial.shape.sms = (unsigned)device.sms / trial.shape.width;
        if (trial.shape.sms > 0)
            run_trial(&trial);
    }
}

/* The overhead that a model needs, for so many launches at once. Empty nodes are measured, but not counted: plans are run without
 * them. */
static void probe_overhead(unsigned usable)
{
    static const unsigned widths[] = {1, 2, 4, 8, 16, 32, 64, 128};
    double most[8] = {0};
    size_t count = 0;
    print_trial_head("the overhead of a launch, by how many begin at once (behind the gate)");
    for (; count < 8 && widths[count] <= usable; count++) {
        unsigned w = widths[count], m = (unsigned)device.sms / w;
        for (int joint = BARRIER; joint <= ALL && (joint != ALL || w <= 32); joint++) {
            struct trial trial = {
                joint == BARRIER ? "overhead" : "", {12, w, m, (enum joint)joint, 1, 1, 0, ALONE}, settings.runs, 50, 0, 0};
            trial.shape.steps = (uint64_t)(3e3 / device.ns_per_step);
            struct tally tally = run_trial(&trial);
            if (joint != BARRIER)
                most[count] = tally.most > most[count] ? tally.most : most[count];
        }
    }
    printf("\n# A platform for models of kernels on %s (driver API %d.%d)\n", device.name, device.version / 1000,
           device.version % 1000 / 10);
    printf("# The overhead holds for launches joined by edges; empty nodes take longer.\n");
    printf("unit: us\nplatform:\n  gpu:\n    sms: %d\n", device.sms);
    for (size_t i = 0; i < count; i++)
        printf("    %smax-concurrent: %u\n    %slaunch-overhead: %.2f # the longest seen\n", i + 1 < count ? "# " : "", widths[i],
               i + 1 < count ? "# " : "", most[i] / 1e3 + 0.005);
}

int main(int argc, char **argv)
{
    unsigned usable;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--quick") == 0)
            settings.quick = 1;
        else if (strcmp(argv[i], "--hog") == 0)
            settings.hog = 1;
        else if (strcmp(argv[i], "--runs") == 0 && i + 1 < argc)
            settings.runs = (unsigned)strtoul(argv[++i], NULL, 10);
        else {
            fprintf(stderr,
                    "Usage: %s [--runs N] [--quick] [--hog]\n--quick: only where long gaps come from; --hog: work for 30 s\n",
                    argv[0]);
            return 2;
        }
    }
    if (settings.runs < 8 || settings.runs > RUNS_MOST) {
        fprintf(stderr, "--runs: 8 to %d\n", RUNS_MOST);
        return 2;
    }
    open_device();
    calibrate();
    if (settings.hog) {
        warm_up(30);
        return 0;
    }
    printf("%s, %d SMs, compute capability %d.%d, driver API %d.%d, up to %d MHz; a step of the spinning kernel takes %.4f ns\n",
           device.name, device.sms, device.major, device.minor, device.version / 1000, device.version % 1000 / 10,
           device.khz / 1000, device.ns_per_step);
    if (settings.quick) {
        probe_outliers();
        return 0;
    }
    probe_blocks();
    probe_clocks();
    probe_scaling();
    usable = probe_concurrency();
    probe_outliers();
    probe_overhead(usable);
    return 0;
}
