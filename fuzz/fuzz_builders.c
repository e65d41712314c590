/* SPDX-License-Identifier: Apache-2.0 */
/* The builders of pipelines: the bytes decide what a C program asks for, with indices, enumerators and times that no program should
 * ask for among them. What is refused has a message; what can be sealed can be answered, simulated, changed, written, and read
 * again as the same. Start it in a copy of corpus/builders. */
#include "read_once.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

struct draft {
    const uint8_t *bytes;
    size_t left;
    struct weir_pipeline *pipeline;
    enum weir_platform platform;
    uint32_t operators;
    bool slots[2]; /* by processor: where priorities have no meaning, and are not written */
    struct weir_error error;
};

static uint32_t byte(struct draft *d)
{
    if (!d->left)
        return 0;
    d->left--;
    return *d->bytes++;
}

/* One decision in 16. */
static bool seldom(struct draft *d)
{
    return byte(d) >= 240;
}

/* Below `count` nearly always. */
static uint32_t one_of(struct draft *d, uint32_t count)
{
    static const uint32_t odd[] = {UINT32_MAX, 77, UINT32_C(1) << 31, UINT32_C(1) << 20};
    uint32_t value = byte(d);
    return value >= 252 ? odd[value & 3] : count ? value % count : 0;
}

/* Small nearly always. */
static int64_t number(struct draft *d)
{
    static const int64_t odd[] = {-1, INT64_MAX, INT64_MIN, INT64_C(1) << 60};
    uint32_t value = byte(d);
    return value >= 252 ? odd[value & 3] : (int64_t)(value % 32);
}

/* What is refused says why. */
static void told(struct draft *d, enum weir_status status)
{
    if (status && !d->error.message[0])
        abort();
    d->error.message[0] = '\0';
}

static struct weir_operator operator_of(struct draft *d)
{
    return (struct weir_operator){one_of(d, d->operators)};
}

static void set_platform(struct draft *d)
{
    d->platform = (enum weir_platform)one_of(d, 4);
    told(d, weir_pipeline_set_unit(d->pipeline, (enum weir_unit)one_of(d, 5), one_of(d, 4), &d->error));
    told(d, weir_pipeline_set_platform(d->pipeline, d->platform, &d->error));
    if (d->platform == WEIR_PLATFORM_CORES)
        told(d, weir_pipeline_set_cores(d->pipeline, one_of(d, 4), &d->error));
    if (d->platform == WEIR_PLATFORM_GPU) {
        struct weir_gpu_spec gpu = {.sms = one_of(d, 9), .min_time = seldom(d) ? number(d) : 0, .max_concurrent = seldom(d)};
        told(d, weir_pipeline_set_gpu(d->pipeline, &gpu, &d->error));
    }
    if (d->platform == WEIR_PLATFORM_THREADS && byte(d) & 1) {
        struct weir_workers_spec workers = {.dispatch = (enum weir_dispatch)one_of(d, 3), .workers = one_of(d, 4)};
        workers.polling = seldom(d) || workers.dispatch == WEIR_DISPATCH_POLLED ? number(d) : 0;
        told(d, weir_pipeline_set_workers(d->pipeline, &workers, &d->error));
    }
    for (uint32_t i = 0; d->platform == WEIR_PLATFORM_PROCESSORS && i < 2; i++) {
        struct weir_processor_spec processor = {.name = i ? "p1" : "p0", .sharing = (enum weir_sharing)one_of(d, 4)};
        processor.frame = seldom(d) || processor.sharing == WEIR_TDM ? number(d) : 0;
        struct weir_processor made = {0};
        enum weir_status status = weir_pipeline_add_processor(d->pipeline, &processor, &made, &d->error);
        told(d, status);
        if (!status)
            d->slots[made.index] = processor.sharing == WEIR_TDM || processor.sharing == WEIR_ROUND_ROBIN;
    }
}

static void add_operator(struct draft *d, uint32_t i)
{
    char name[16];
    snprintf(name, sizeof name, "o%u", i);
    struct weir_operator_spec spec = {.name = seldom(d) ? seldom(d) ? NULL : "" : name, .worst = number(d)};
    struct weir_launch launch = {0};
    struct weir_gpu_time times[2] = {{.sms = one_of(d, 4), .time = number(d)}, {.sms = one_of(d, 8), .time = number(d)}};
    struct weir_observed observed = {
        .count = one_of(d, 300), .min = number(d), .max = number(d), .from = seldom(d) ? NULL : "times"};
    spec.best = byte(d) & 1 ? spec.worst / 2 : 0;
    if (seldom(d))
        spec.receive_min = number(d), spec.receive_max = number(d);
    spec.reentrant = seldom(d);
    spec.broadcast = seldom(d);
    spec.assumed = seldom(d);
    spec.observed = seldom(d) ? &observed : NULL;
    if (d->platform == WEIR_PLATFORM_PROCESSORS || seldom(d)) {
        spec.mapped = byte(d) & 1;
        spec.on.index = spec.mapped ? one_of(d, 2) : 0;
        spec.has_priority = spec.mapped && !d->slots[spec.on.index & 1];
        spec.priority = spec.has_priority ? (int32_t)one_of(d, 3) : 0;
        spec.slot = seldom(d) ? number(d) : 0;
    }
    if (d->platform == WEIR_PLATFORM_CORES || seldom(d)) {
        spec.has_cost = byte(d) & 1;
        spec.cost_init = spec.has_cost ? number(d) : 0;
        spec.cost_sample = spec.has_cost ? number(d) : 0;
    }
    if (d->platform == WEIR_PLATFORM_GPU || seldom(d)) {
        spec.best = 0;
        spec.splittable = byte(d) & 1;
        spec.granularity = seldom(d) ? number(d) : 0;
        spec.min_time = seldom(d) ? number(d) : 0;
        spec.disturbs = (enum weir_disturbance)one_of(d, 3);
        spec.suffers_read = seldom(d) ? one_of(d, 100) : 0;
        spec.suffers_copy = seldom(d) ? one_of(d, 100) : 0;
        spec.times = times;
        spec.time_count = seldom(d) ? 2 : 0;
    }
    if (d->platform == WEIR_PLATFORM_THREADS && seldom(d)) {
        launch = (struct weir_launch){.best = 0, .worst = number(d), .waits = byte(d) & 1, .stream = seldom(d) ? "s" : NULL};
        launch.after_worst = seldom(d) ? number(d) : 0;
        spec.launch = &launch;
    }
    if (d->platform == WEIR_PLATFORM_THREADS) {
        spec.lane = seldom(d) ? seldom(d) ? "" : "A" : NULL;
        spec.has_start_within = seldom(d);
        spec.start_within = spec.has_start_within ? number(d) : 0;
    }
    told(d, weir_pipeline_add_operator(d->pipeline, &spec, NULL, &d->error));
}

/* From the operator before nearly always. */
static void add_queue(struct draft *d, uint32_t to)
{
    bool threads = d->platform == WEIR_PLATFORM_THREADS, cores = d->platform == WEIR_PLATFORM_CORES;
    struct weir_queue_spec spec = {.from = {to ? to - 1 : 0}, .to = {to}, .capacity = 1 + byte(d) % 3};
    if (!to || byte(d) >= 192) {
        spec.from = operator_of(d), spec.to = operator_of(d);
        if (spec.from.index >= spec.to.index && !seldom(d)) /* no circle */
            spec.from.index = 0, spec.to.index = d->operators - 1;
    }
    if (seldom(d))
        spec.capacity = byte(d) & 1 ? WEIR_UNBOUNDED : one_of(d, 4);
    if (d->platform == WEIR_PLATFORM_GPU)
        spec.capacity = 1; /* it has no meaning there, and is not written */
    spec.initial = seldom(d) ? one_of(d, 3) : 0;
    spec.nonblocking = seldom(d);
    if (spec.nonblocking || seldom(d))
        spec.full = (enum weir_full)one_of(d, 4);
    if (threads || seldom(d)) {
        spec.optional = seldom(d);
        spec.latest = seldom(d);
        if (spec.latest) /* no queue: the capacity has no meaning, and is not written */
            spec.capacity = 1;
        spec.transfer_max = seldom(d) ? number(d) : 0;
        spec.has_within = spec.latest && byte(d) & 1;
        spec.within = spec.has_within ? number(d) : 0;
        spec.missing = spec.latest || seldom(d) ? (enum weir_missing)one_of(d, 3) : WEIR_MISSING_REUSE;
        spec.port = seldom(d) ? "in" : NULL;
    }
    if (cores || seldom(d))
        spec.produce = one_of(d, 4), spec.threshold = seldom(d) ? one_of(d, 4) : 0;
    if (cores || seldom(d))
        spec.consume = one_of(d, 4);
    told(d, weir_pipeline_add_queue(d->pipeline, &spec, NULL, &d->error));
}

static void add_source(struct draft *d, bool first)
{
    struct weir_source_spec spec = {.op = first ? (struct weir_operator){0} : operator_of(d), .period = 10 * number(d)};
    if (seldom(d))
        spec.period = number(d);
    spec.arrivals = d->platform == WEIR_PLATFORM_THREADS ? (enum weir_arrivals)one_of(d, 4)
                    : seldom(d)                          ? WEIR_ARRIVALS_SKIP
                                                         : WEIR_ARRIVALS_EXACT;
    if (d->platform != WEIR_PLATFORM_THREADS || seldom(d)) {
        spec.jitter = seldom(d) ? number(d) : 0;
        spec.sporadic = seldom(d);
        spec.name = seldom(d) ? "feed" : NULL;
    }
    spec.has_phase = seldom(d);
    spec.phase = spec.has_phase ? number(d) : 0;
    spec.phase_max = spec.has_phase && byte(d) & 1 ? number(d) : 0;
    if (d->platform == WEIR_PLATFORM_CORES || seldom(d)) {
        spec.count = seldom(d) ? number(d) : 0;
        spec.bursty = seldom(d);
        spec.batch = seldom(d) ? one_of(d, 4) : 0;
    }
    told(d, weir_pipeline_add_source(d->pipeline, &spec, &d->error));
}

static void add_all(struct draft *d)
{
    set_platform(d);
    d->operators = 1 + byte(d) % 5;
    for (uint32_t i = 0; i < d->operators; i++)
        add_operator(d, i);
    for (uint32_t i = 1; i < d->operators + byte(d) % 3; i++)
        add_queue(d, i < d->operators ? i : 0);
    bool driven = d->platform == WEIR_PLATFORM_PROCESSORS || d->platform == WEIR_PLATFORM_CORES;
    for (uint32_t i = 0, count = d->platform == WEIR_PLATFORM_GPU ? seldom(d) : driven + byte(d) % 2; i < count; i++)
        add_source(d, !i);
    bool offsets = seldom(d); /* of all or none: two that turn out to be the same are read as one */
    for (uint32_t i = 0, count = byte(d) % 3; i < count && d->platform != WEIR_PLATFORM_GPU; i++) {
        struct weir_chain_spec spec = {
            .from = operator_of(d), .to = operator_of(d), .has_deadline = byte(d) & 1, .deadline = number(d)};
        spec.has_shift = offsets;
        spec.shift = spec.has_shift ? number(d) : 0;
        told(d, weir_pipeline_add_chain(d->pipeline, &spec, &d->error));
    }
}

/* A copy, changed in ways that may be refused, is a pipeline, too. */
static void change(struct draft *d)
{
    struct weir_pipeline *copy = weir_pipeline_copy(d->pipeline, &d->error);
    if (!copy)
        return;
    struct weir_operator op = operator_of(d);
    struct weir_operator_spec spec = weir_pipeline_operator(copy, op); /* all 0 if there is none */
    spec.worst = number(d);
    told(d, weir_pipeline_change_operator(copy, op, &spec, &d->error));
    struct weir_queue queue = {one_of(d, weir_pipeline_queue_count(copy))};
    struct weir_queue_spec room = weir_pipeline_queue(copy, queue);
    room.capacity = one_of(d, 5);
    told(d, weir_pipeline_change_queue(copy, queue, &room, &d->error));
    uint32_t number_of_source = one_of(d, weir_pipeline_source_count(copy));
    struct weir_source_spec source = weir_pipeline_source(copy, number_of_source);
    source.period = number(d);
    told(d, weir_pipeline_change_source(copy, number_of_source, &source, &d->error));
    weir_pipeline_free(copy);
}

static void use(struct draft *d)
{
    const struct weir_answer_options options = {.brief = byte(d) & 1, .work_limit = 20000, .memory_limit = 1 << 20, .threads = 1};
    struct weir_answer *answer = NULL;
    told(d, weir_answer_find(d->pipeline, &options, &answer, &d->error));
    weir_answer_free(answer);
    FILE *nowhere = fopen("/dev/null", "w");
    bool writable = false;
    for (int format = 0; nowhere && format <= WEIR_MODEL_FORMATS; format++) {
        enum weir_status status =
            weir_pipeline_write(d->pipeline, (enum weir_model_format)format, one_of(d, 3), nowhere, &d->error);
        told(d, status);
        writable |= !status && format == WEIR_MODEL_YAML;
    }
    if (nowhere)
        fclose(nowhere);
    const struct weir_simulation_options runs = {.iterations = number(d), .times = (enum weir_times)one_of(d, 5), .seed = byte(d)};
    if (runs.iterations < 1000)
        told(d, weir_simulate(d->pipeline, &runs, &d->error));
    if (writable) /* not several arrivals in a period that is no frequency */
        weir_fuzz_read_again(d->pipeline);
    change(d);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct draft d = {.bytes = bytes, .left = size};
    struct weir_errors *errors = weir_errors_new();
    d.pipeline = weir_pipeline_new(&d.error);
    if (errors && d.pipeline) {
        add_all(&d);
        enum weir_status status = weir_pipeline_seal(d.pipeline, "built", errors);
        if (!status != !weir_errors_count(errors))
            abort();
        if (!status)
            use(&d);
    }
    weir_errors_free(errors);
    weir_pipeline_free(d.pipeline);
    return 0;
}
