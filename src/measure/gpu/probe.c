/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measuring on a device, by its own clock. A kernel is put between marks in one graph, all in one green context, so that the time
 * from mark to mark is that of the kernel and of two gaps between launches. The neighbour is a kernel that runs for a given time on
 * all other SMs and notes when it began and ended: only what lies between counts. It looks at no memory of the host, which would
 * slow down others by far more than any copying.
 */
#include "measure/gpu/probe.h"

#define REPEAT 16       /* kernels in a graph */
#define BLOCKS_PER_SM 2 /* of a neighbour */
#define THREADS 512     /* ... and of each of its blocks */
#define MOST_BYTES ((size_t)512 << 20)
#define VICTIM_UNITS 2
#define LIMIT_S 60.0

/* weir_neighbour(note *notes, from, to, mask, ns): until ns have passed, reads 16 bytes per thread and step from `from` (0:
 * nothing) and writes them to `to` (0: nowhere), round and round within mask + 1 bytes. Notes when it began and ended, its rounds
 * and cycles.
 */
static const char neighbour_ptx[] =
    ".version 6.3\n.target sm_70\n.address_size 64\n"
    ".visible .entry weir_neighbour(.param .u64 notes, .param .u64 from, .param .u64 to, .param .u64 mask, .param .u64 ns)\n{\n"
    "  .reg .pred %p<6>;\n  .reg .b32 %r<32>;\n  .reg .b64 %d<40>;\n"
    "  mov.u64 %d0, %globaltimer;\n  mov.u64 %d1, %clock64;\n"
    "  ld.param.u64 %d2, [from];\n  ld.param.u64 %d3, [to];\n  ld.param.u64 %d4, [mask];\n  ld.param.u64 %d5, [ns];\n"
    "  mov.u32 %r0, %ctaid.x;\n  mov.u32 %r1, %ntid.x;\n  mov.u32 %r2, %tid.x;\n  mov.u32 %r3, %nctaid.x;\n"
    "  mad.lo.u32 %r4, %r0, %r1, %r2;\n  mul.wide.u32 %d6, %r4, 16;\n" /* where this thread begins */
    "  mul.lo.u32 %r5, %r1, %r3;\n  mul.wide.u32 %d7, %r5, 16;\n"      /* how far all threads get in a step */
    "  mov.u64 %d8, 0;\n  mov.u32 %r6, 0;\n"
    "  setp.eq.u64 %p0, %d2, 0;\n  setp.eq.u64 %p1, %d3, 0;\n"
    "again:\n"
    "  @%p0 bra next;\n"
    "  and.b64 %d10, %d6, %d4;\n  add.u64 %d6, %d6, %d7;\n  and.b64 %d11, %d6, %d4;\n  add.u64 %d6, %d6, %d7;\n"
    "  and.b64 %d12, %d6, %d4;\n  add.u64 %d6, %d6, %d7;\n  and.b64 %d13, %d6, %d4;\n  add.u64 %d6, %d6, %d7;\n"
    "  add.u64 %d14, %d2, %d10;\n  add.u64 %d15, %d2, %d11;\n  add.u64 %d16, %d2, %d12;\n  add.u64 %d17, %d2, %d13;\n"
    "  ld.global.cg.v4.u32 {%r8, %r9, %r10, %r11}, [%d14];\n  ld.global.cg.v4.u32 {%r12, %r13, %r14, %r15}, [%d15];\n"
    "  ld.global.cg.v4.u32 {%r16, %r17, %r18, %r19}, [%d16];\n  ld.global.cg.v4.u32 {%r20, %r21, %r22, %r23}, [%d17];\n"
    "  xor.b32 %r6, %r6, %r8;\n  xor.b32 %r6, %r6, %r13;\n  xor.b32 %r6, %r6, %r18;\n  xor.b32 %r6, %r6, %r23;\n"
    "  @%p1 bra next;\n"
    "  add.u64 %d14, %d3, %d10;\n  add.u64 %d15, %d3, %d11;\n  add.u64 %d16, %d3, %d12;\n  add.u64 %d17, %d3, %d13;\n"
    "  st.global.cg.v4.u32 [%d14], {%r8, %r9, %r10, %r11};\n  st.global.cg.v4.u32 [%d15], {%r12, %r13, %r14, %r15};\n"
    "  st.global.cg.v4.u32 [%d16], {%r16, %r17, %r18, %r19};\n  st.global.cg.v4.u32 [%d17], {%r20, %r21, %r22, %r23};\n"
    "next:\n"
    "  add.u64 %d8, %d8, 1;\n"
    "  mov.u64 %d18, %globaltimer;\n  sub.u64 %d19, %d18, %d0;\n  setp.lt.u64 %p2, %d19, %d5;\n"
    "  @%p2 bra again;\n"
    "  bar.sync 0;\n"
    "  ld.param.u64 %d20, [notes];\n  mul.wide.u32 %d21, %r0, 32;\n  add.u64 %d20, %d20, %d21;\n"
    "  setp.eq.u32 %p3, %r6, 305419896;\n" /* so that what was read counts for something */
    "  @%p3 st.global.u64 [%d20+16], %d8;\n"
    "  setp.ne.u32 %p4, %r2, 0;\n  @%p4 ret;\n"
    "  mov.u64 %d22, %clock64;\n  sub.u64 %d22, %d22, %d1;\n  mov.u64 %d18, %globaltimer;\n"
    "  st.global.u64 [%d20], %d0;\n  st.global.u64 [%d20+8], %d18;\n  st.global.u64 [%d20+16], %d8;\n  st.global.u64 [%d20+24], "
    "%d22;\n"
    "  ret;\n}\n";

struct note {
    uint64_t begin, end, rounds, cycles;
};

/* ---- opening ---- */

static size_t power_below(size_t bytes)
{
    size_t power = 1 << 20;
    while (2 * power <= bytes)
        power *= 2;
    return power;
}

static int check(struct weir_gpu_probe *p, weir_cu_result result, const char *what)
{
    return weir_plan_check(&p->plan, result, what);
}

static int take_memory(struct weir_gpu_probe *p)
{
    struct weir_cu *cu = &p->plan.cu;
    size_t unused = 0, all = 0, notes = (size_t)p->plan.sms * BLOCKS_PER_SM * sizeof(struct note);
    int l2 = 0;
    void *mapped = NULL;
    if (check(p, cu->device_attribute(&l2, WEIR_CU_L2_BYTES, p->plan.device), "asking for the L2") ||
        check(p, cu->memory_info(&unused, &all), "asking for the memory"))
        return -1;
    p->memory_bytes = power_below(unused / 8 < MOST_BYTES ? unused / 8 : MOST_BYTES);
    p->l2_bytes = power_below((size_t)l2 / 4);
    if (p->l2_bytes > p->memory_bytes)
        p->l2_bytes = p->memory_bytes;
    for (int i = 0; i < 2; i++)
        if (check(p, cu->memory_allocate(&p->memory[i], p->memory_bytes), "taking memory for neighbours"))
            return -1;
    if (check(p, cu->memory_allocate(&p->notes, 2 * notes), "taking memory for notes") ||
        check(p, cu->memory_allocate(&p->marks, 4096 * sizeof(uint64_t)), "taking memory for marks") ||
        check(p, cu->host_allocate(&mapped, sizeof(uint32_t), WEIR_CU_HOST_MAPPED), "taking memory for the gate") ||
        check(p, cu->host_address(&p->gate, mapped, 0), "mapping the gate"))
        return -1;
    p->gate_open = mapped;
    return 0;
}

/* The parts from `first` on, `count` of them, as a green context. */
static int context_of(struct weir_gpu_probe *p, size_t first, size_t count, struct weir_plan_context *context)
{
    struct weir_plan_context *found = NULL;
    *context = (struct weir_plan_context){.green = NULL};
    if (weir_plan_find_range(&p->plan, first, count, &found) || !found)
        return -1;
    *context = *found;
    return 0;
}

static int find_least(struct weir_gpu_probe *p);

int weir_gpu_probe_open(struct weir_gpu_probe *p, const char *text, int device)
{
    weir_cu_handle library = NULL;
    *p = (struct weir_gpu_probe){.mhz_least = 0};
    if (weir_plan_read(&p->plan, text) || weir_plan_open(&p->plan, device) || weir_plan_load(&p->plan, p->plan.object))
        return -1;
    struct weir_cu *cu = &p->plan.cu;
    if (p->plan.part_count < 2 * VICTIM_UNITS)
        return weir_plan_fail(&p->plan, "the device has %u SMs, which are too few to have neighbours", p->plan.sms);
    if (check(p, cu->library_load(&library, neighbour_ptx, NULL, NULL, 0, NULL, NULL, 0), "loading the neighbours") ||
        check(p, cu->library_kernel(&p->neighbour, library, "weir_neighbour"), "loading the neighbours") ||
        check(p, cu->stream_create(&p->stream, 1), "making a stream") || take_memory(p))
        return -1;
    return find_least(p);
}

void weir_gpu_probe_close(struct weir_gpu_probe *p)
{
    weir_plan_close(&p->plan);
}

/* ---- graphs of marks and kernels ---- */

static int run_gated(struct weir_gpu_probe *p, weir_cu_handle executable)
{
    *p->gate_open = 0;
    __sync_synchronize();
    int failed = check(p, p->plan.cu.graph_launch(executable, p->stream), "launching");
    *p->gate_open = 1;
    __sync_synchronize();
    return failed;
}

static int finish(struct weir_gpu_probe *p, weir_cu_handle graph, weir_cu_handle *executable)
{
    struct weir_cu *cu = &p->plan.cu;
    return check(p, cu->graph_instantiate(executable, graph, 0), "instantiating a graph") ||
                   check(p, cu->graph_upload(*executable, p->stream), "uploading a graph") ||
                   check(p, cu->graph_destroy(graph), "putting a graph away")
               ? -1
               : 0;
}

/* Mark, kernel, mark, kernel ... mark; without a kernel marks alone. */
static int build_chain(struct weir_gpu_probe *p, size_t kernel, weir_cu_handle context, weir_cu_handle *executable)
{
    weir_cu_handle graph = NULL, last = NULL;
    struct weir_plan_node node = {context, &last, 0};
    int failed = check(p, p->plan.cu.graph_create(&graph, 0), "making a graph");
    for (size_t i = 0; !failed && i <= REPEAT; i++) {
        struct weir_plan_mark mark = {p->marks + i * sizeof(uint64_t), i ? 0 : p->gate};
        weir_cu_handle made = NULL;
        failed = weir_plan_add_mark(&p->plan, graph, &node, mark, &made);
        last = made;
        node.count = 1;
        if (!failed && i < REPEAT && kernel < p->plan.kernel_count) {
            failed = weir_plan_add_kernel(&p->plan, graph, &p->plan.kernels[kernel], &node, &made);
            last = made;
        }
    }
    return failed ? -1 : finish(p, graph, executable);
}

static int read_marks(struct weir_gpu_probe *p, size_t count, uint64_t *marks)
{
    return weir_plan_wait(&p->plan, p->stream, LIMIT_S) ||
                   check(p, p->plan.cu.memory_read(marks, p->marks, count * sizeof *marks), "reading marks")
               ? -1
               : 0;
}

static int find_least(struct weir_gpu_probe *p)
{
    struct weir_plan_context context = {.green = NULL};
    weir_cu_handle executable = NULL;
    uint64_t marks[REPEAT + 1];
    p->least_ns = 1e9;
    int failed = context_of(p, 0, 1, &context) || build_chain(p, p->plan.kernel_count, context.context, &executable);
    for (int run = 0; !failed && run < 100; run++) {
        failed = run_gated(p, executable) || read_marks(p, REPEAT + 1, marks);
        for (size_t i = 0; !failed && i < REPEAT; i++)
            if ((double)(marks[i + 1] - marks[i]) < p->least_ns)
                p->least_ns = (double)(marks[i + 1] - marks[i]);
    }
    return failed;
}

int weir_gpu_probe_overhead(struct weir_gpu_probe *p, size_t wide, size_t runs, double *ns)
{
    enum { LEVELS = 8, MOST = 32 };
    weir_cu_handle graph = NULL, executable = NULL, nodes[2][MOST];
    uint64_t marks[LEVELS * MOST];
    int failed = check(p, p->plan.cu.graph_create(&graph, 0), "making a graph");
    wide = wide > MOST ? MOST : wide > p->plan.part_count ? p->plan.part_count : wide;
    *ns = 0;
    for (size_t i = 0; !failed && i < LEVELS * wide; i++) {
        size_t level = i / wide, place = i % wide;
        struct weir_plan_context context = {.green = NULL};
        failed = context_of(p, place, 1, &context);
        struct weir_plan_node node = {context.context, nodes[(level + 1) % 2], level ? wide : 0};
        struct weir_plan_mark mark = {p->marks + i * sizeof(uint64_t), level ? 0 : p->gate};
        if (!failed)
            failed = weir_plan_add_mark(&p->plan, graph, &node, mark, &nodes[level % 2][place]);
    }
    failed = failed || finish(p, graph, &executable);
    for (size_t run = 0; !failed && run < runs; run++) {
        failed = run_gated(p, executable) || read_marks(p, LEVELS * wide, marks);
        for (size_t level = 1; !failed && level < LEVELS; level++) {
            uint64_t end = 0, begin = 0;
            for (size_t i = 0; i < wide; i++) {
                end = marks[(level - 1) * wide + i] > end ? marks[(level - 1) * wide + i] : end;
                begin = marks[level * wide + i] > begin ? marks[level * wide + i] : begin;
            }
            *ns = (double)(begin - end) > *ns ? (double)(begin - end) : *ns;
        }
    }
    return failed;
}

/* ---- neighbours ---- */

struct party {
    weir_cu_handle stream;
    unsigned blocks;
    weir_cu_address notes;
    struct note seen[2048]; /* the first of its blocks */
    uint64_t begin, end;    /* all of them were running */
};

static int open_party(struct weir_gpu_probe *p, size_t first, size_t count, struct party *party)
{
    struct weir_plan_context context = {.green = NULL};
    size_t blocks = count * p->plan.step * BLOCKS_PER_SM;
    party->blocks = (unsigned)(blocks > 2048 ? 2048 : blocks);
    party->notes = p->notes + (first ? 1 : 0) * (size_t)p->plan.sms * BLOCKS_PER_SM * sizeof(struct note);
    return context_of(p, first, count, &context) ||
                   check(p, p->plan.cu.green_stream(&party->stream, context.green, 1, 0), "making a stream")
               ? -1
               : 0;
}

static int start(struct weir_gpu_probe *p, const struct party *party, enum weir_gpu_neighbour does, double ns)
{
    weir_cu_address notes = party->notes, from = does >= WEIR_NEIGHBOUR_L2 ? p->memory[0] : 0;
    weir_cu_address to = does == WEIR_NEIGHBOUR_COPIES ? p->memory[1] : 0;
    uint64_t mask = (does == WEIR_NEIGHBOUR_L2 ? p->l2_bytes : p->memory_bytes) - 1, time = (uint64_t)ns;
    void *arguments[] = {&notes, &from, &to, &mask, &time};
    return check(p, p->plan.cu.launch(p->neighbour, party->blocks, 1, 1, THREADS, 1, 1, 0, party->stream, arguments, NULL),
                 "launching a neighbour");
}

/* Waits for it, and finds out when all of it was there. */
static int end(struct weir_gpu_probe *p, struct party *party)
{
    if (weir_plan_wait(&p->plan, party->stream, LIMIT_S) ||
        check(p, p->plan.cu.memory_read(party->seen, party->notes, party->blocks * sizeof *party->seen), "reading notes"))
        return -1;
    party->begin = 0;
    party->end = UINT64_MAX;
    for (unsigned i = 0; i < party->blocks; i++) {
        const struct note *note = &party->seen[i];
        double mhz = (double)note->cycles * 1e3 / (double)(note->end - note->begin + 1);
        party->begin = note->begin > party->begin ? note->begin : party->begin;
        party->end = note->end < party->end ? note->end : party->end;
        if (note->end - note->begin < 500000)
            continue; /* too short for a clock */
        p->mhz_most = mhz > p->mhz_most ? mhz : p->mhz_most;
        p->mhz_least = p->mhz_least == 0 || mhz < p->mhz_least ? mhz : p->mhz_least;
    }
    return 0;
}

static void sleep_ns(long ns)
{
    struct timespec time = {0, ns};
    nanosleep(&time, NULL);
}

/* ---- a kernel beside a neighbour ---- */

static void take_spans(const struct weir_gpu_probe *p, const uint64_t *marks, const struct party *party, struct weir_gpu_span *span)
{
    for (size_t i = 0; i < REPEAT; i++) {
        double ns = (double)(marks[i + 1] - marks[i]) - 2 * p->least_ns;
        if (party && (marks[i] < party->begin || marks[i + 1] > party->end))
            continue;
        ns = ns > 1 ? ns : 1;
        span->longest_ns = ns > span->longest_ns ? ns : span->longest_ns;
        span->mean_ns = (span->mean_ns * (double)span->count + ns) / (double)(span->count + 1);
        span->count++;
    }
}

int weir_gpu_probe_kernel(struct weir_gpu_probe *p, size_t kernel, size_t units, enum weir_gpu_neighbour does, size_t runs,
                          struct weir_gpu_span *span)
{
    struct weir_plan_context context = {.green = NULL};
    struct party party = {0};
    weir_cu_handle executable = NULL;
    uint64_t marks[REPEAT + 1];
    size_t tries = 0;
    double ns = 3e6; /* that the neighbour runs for: longer where it ended before the kernels */
    *span = (struct weir_gpu_span){0};
    int failed = context_of(p, 0, units, &context) || build_chain(p, kernel, context.context, &executable) ||
                 (does && open_party(p, units, p->plan.part_count - units, &party));
    for (int warm = 0; !failed && warm < 3; warm++)
        failed = run_gated(p, executable) || read_marks(p, REPEAT + 1, marks);
    while (!failed && span->count < runs) {
        size_t before = span->count;
        failed = does && start(p, &party, does, ns);
        if (does)
            sleep_ns(200000); /* it begins long before that; where not, that is seen */
        failed = failed || run_gated(p, executable) || read_marks(p, REPEAT + 1, marks) || (does && end(p, &party));
        if (!failed)
            take_spans(p, marks, does ? &party : NULL, span);
        if (!failed && span->count - before < REPEAT) {
            double needed = (double)(marks[REPEAT] - marks[0]) * 3 + 3e6;
            ns = ns < needed ? needed : ns * 1.5;
            failed = ++tries > 200 + runs ? weir_plan_fail(&p->plan, "a neighbour and a kernel do not run at the same time") : 0;
        }
    }
    if (executable)
        p->plan.cu.executable_destroy(executable);
    return failed ? -1 : 0;
}

/* ---- what a kernel does to others ---- */

static double rate_of(const struct party *party)
{
    double rate = 0;
    for (unsigned i = 0; i < party->blocks; i++)
        rate += (double)party->seen[i].rounds / (double)(party->seen[i].end - party->seen[i].begin + 1);
    return rate;
}

int weir_gpu_probe_rate(struct weir_gpu_probe *p, const struct weir_gpu_victim *victim, double *rate, double *duty)
{
    enum { TIMES = 20 };
    struct party party = {0}, other = {0};
    struct weir_plan_context context = {.green = NULL};
    weir_cu_handle executable = NULL;
    uint64_t marks[REPEAT + 1];
    bool kernel = victim->kernel < p->plan.kernel_count;
    size_t rest = p->plan.part_count - VICTIM_UNITS;
    int failed = open_party(p, 0, VICTIM_UNITS, &party) || open_party(p, VICTIM_UNITS, rest, &other) ||
                 context_of(p, VICTIM_UNITS, rest, &context) ||
                 (kernel && build_chain(p, victim->kernel, context.context, &executable));
    double ns = 2e6, sum = 0;
    *duty = 1;
    if (!failed && kernel) { /* as long as the kernels of a graph take; it is launched once more before and behind */
        failed = run_gated(p, executable) || read_marks(p, REPEAT + 1, marks);
        double all = failed ? 0 : (double)(marks[REPEAT] - marks[0]);
        ns = all > 1e6 ? all : 1e6;
        *duty = failed || all <= 0 ? 1 : (all - 2 * REPEAT * p->least_ns) / all;
        *duty = *duty < 0.2 ? 0.2 : *duty;
    }
    for (int i = 0; !failed && i < TIMES; i++) {
        if (kernel) {
            size_t launches = (size_t)(3 * ns / (double)(marks[REPEAT] - marks[0] + 1)) + 3;
            for (size_t k = 0; !failed && k < launches; k++)
                failed = run_gated(p, executable);
        } else if (victim->beside) {
            failed = start(p, &other, victim->beside, 3 * ns);
        }
        sleep_ns((long)(ns / 2 < 9e8 ? ns / 2 : 9e8));
        failed = failed || start(p, &party, victim->does, ns) || end(p, &party);
        sum += rate_of(&party) / TIMES;
        failed = failed || weir_plan_wait(&p->plan, p->stream, LIMIT_S) || (!kernel && victim->beside && end(p, &other));
    }
    if (executable)
        p->plan.cu.executable_destroy(executable);
    *rate = sum;
    return failed ? -1 : 0;
}
