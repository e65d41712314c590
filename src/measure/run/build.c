/* SPDX-License-Identifier: Apache-2.0 */
/* From the words of the pipeline to threads and channels. */
#include "base/error.h"
#include "measure/run/run.h"
#include "measure/run/shared.h"

#include <string.h>

#define MEMORY_BYTES ((size_t)4 << 20)
#define NS_MAX (INT64_C(1) << 56) /* real times stay below two years, so that moments can be added to */

static const char *name_of(const struct weir_run *run, uint32_t op, char text[WEIR_QUOTED])
{
    return weir_quote(weir_pipeline_operator(run->pipeline, (struct weir_operator){op}).name, text);
}

void *weir_run_lines(struct weir_run *run, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX / 2)
        return NULL;
    bytes = (bytes + WEIR_RUN_LINE) / WEIR_RUN_LINE * WEIR_RUN_LINE;
    unsigned char *block = weir_arena_take(&run->arena, bytes + WEIR_RUN_LINE);
    if (!block)
        return NULL;
    block += WEIR_RUN_LINE - (uintptr_t)block % WEIR_RUN_LINE;
    return memset(block, 0, bytes);
}

/* ---- times of the model as real ones ---- */

static enum weir_status read_scale(struct weir_run *run, struct weir_error *error)
{
    const struct weir_run_options *options = &run->options;
    static const int64_t unit_ns[] = {
        [WEIR_UNIT_NS] = 1, [WEIR_UNIT_US] = 1000, [WEIR_UNIT_MS] = 1000000, [WEIR_UNIT_S] = 1000000000};
    enum weir_unit unit = weir_pipeline_unit(run->pipeline);
    struct weir_ratio scale = options->scale.denominator ? options->scale : (struct weir_ratio){1, 1};
    int64_t ns = unit == WEIR_UNIT_TICK ? options->tick_ns : unit_ns[unit];
    if (ns < 0 || (ns == 0 && options->work != WEIR_RUN_NOTHING))
        return weir_fail(error, WEIR_INVALID, "the times of the model have no unit: how long is a tick?");
    if (scale.numerator <= 0 || scale.denominator <= 0 || scale.numerator > INT32_MAX || scale.denominator > INT32_MAX)
        return weir_fail(error, WEIR_INVALID, "the scale of real times must be a ratio of positive numbers below 2^31");
    if (ns == 0)
        ns = 1; /* of no consequence */
    run->ns_numerator = (weir_wide)ns * scale.numerator;
    run->ns_denominator = scale.denominator;
    for (unsigned i = 0; i < weir_pipeline_digits(run->pipeline); i++)
        run->ns_denominator *= 10;
    return WEIR_OK;
}

int64_t weir_run_ns(const struct weir_run *run, int64_t ticks)
{
    weir_wide ns = ((weir_wide)ticks * run->ns_numerator + run->ns_denominator / 2) / run->ns_denominator;
    return ns > NS_MAX ? NS_MAX : (int64_t)ns;
}

int64_t weir_run_ticks(const struct weir_run *run, int64_t ns, bool up)
{
    weir_wide scaled = (weir_wide)ns * run->ns_denominator, ticks = scaled / run->ns_numerator;
    if (up && scaled % run->ns_numerator > 0)
        ticks++;
    if (!up && scaled % run->ns_numerator < 0)
        ticks--;
    return ticks > INT64_MAX ? INT64_MAX : ticks < INT64_MIN ? INT64_MIN : (int64_t)ticks;
}

/* ---- channels ---- */

static enum weir_status read_channel(struct weir_run *run, uint32_t index, struct weir_error *error)
{
    struct weir_queue_spec spec = weir_pipeline_queue(run->pipeline, (struct weir_queue){index});
    struct weir_channel *c = &run->channels[index];
    char from[WEIR_QUOTED], to[WEIR_QUOTED];
    bool endless =
        spec.capacity == WEIR_UNBOUNDED || spec.capacity == WEIR_AUTO || (spec.nonblocking && spec.full == WEIR_FULL_NEVER);
    c->index = index;
    c->shared = run->shared;
    c->from = spec.from.index;
    c->to = spec.to.index;
    c->produce = spec.produce ? spec.produce : 1;
    c->consume = spec.consume ? spec.consume : 1;
    c->threshold = spec.threshold ? spec.threshold : c->consume;
    c->initial = spec.initial;
    c->capacity = endless ? UINT64_MAX : spec.capacity;
    c->full = spec.full;
    c->waits = !endless && !spec.nonblocking && !spec.latest;
    c->required = !spec.optional && !spec.latest;
    c->pops = !endless && spec.nonblocking && spec.full == WEIR_FULL_POP;
    c->irregular = !c->required || (!endless && spec.nonblocking);
    c->transfer_min = weir_run_ns(run, spec.transfer_min);
    c->transfer_max = weir_run_ns(run, spec.transfer_max);
    c->due_tag = c->sender_tag = c->origin_tag = -1;
    if (c->pops)
        c->kind = WEIR_CHANNEL_LOCKED;
    if (spec.latest) {
        c->kind = WEIR_CHANNEL_LATEST;
        c->capacity = 1;
        c->pops = false;
    }
    if (spec.port)
        return weir_fail(error, WEIR_INVALID, "queue %s -> %s: a port that several operators send to cannot be executed",
                         name_of(run, c->from, from), name_of(run, c->to, to));
    if (spec.transfer_max > 0 && c->irregular)
        return weir_fail(error, WEIR_INVALID,
                         "queue %s -> %s: a transfer to an operator that does not wait for the message cannot be executed",
                         name_of(run, c->from, from), name_of(run, c->to, to));
    if (c->kind != WEIR_CHANNEL_LATEST && (c->threshold > c->capacity || c->produce > c->capacity))
        return weir_fail(error, WEIR_INVALID, "queue %s -> %s: a capacity of %llu can never hold the %llu that are moved at once",
                         name_of(run, c->from, from), name_of(run, c->to, to), (unsigned long long)c->capacity,
                         (unsigned long long)(c->threshold > c->produce ? c->threshold : c->produce));
    run->lossy = run->lossy || c->irregular;
    return WEIR_OK;
}

/* Tags of a send: when it is due, who sent it (where that cannot be counted), the origins it carries. */
static void lay_out_tags(struct weir_run *run)
{
    run->segments = 1;
    for (uint32_t i = 0; i < run->channel_count; i++)
        run->channels[i].segment = run->channels[i].irregular ? run->segments++ : 0;
    for (uint32_t i = 0; i < run->channel_count; i++) {
        struct weir_channel *c = &run->channels[i];
        c->segments = run->segments;
        if (c->transfer_max > 0)
            c->due_tag = (int)c->tag_count++;
        if (c->irregular && run->options.measure)
            c->sender_tag = (int)c->tag_count++;
        if (run->origin_count > 0) {
            c->origin_tag = (int)c->tag_count;
            c->tag_count += 2 * run->origin_count * run->segments;
        }
    }
}

/* ---- threads ---- */

static enum weir_status read_operator(struct weir_run *run, uint32_t index, struct weir_error *error)
{
    struct weir_operator_spec spec = weir_pipeline_operator(run->pipeline, (struct weir_operator){index});
    struct weir_operator_thread *s = &run->threads[index];
    char name[WEIR_QUOTED];
    s->run = run;
    s->index = index;
    s->origin = -1;
    s->late = spec.receive_max > 0;
    s->worst_ns = weir_run_ns(run, spec.worst);
    if (spec.launch)
        return weir_fail(error, WEIR_INVALID, "operator \"%s\" launches work on a GPU, which cannot be executed",
                         name_of(run, index, name));
    if (spec.reentrant)
        return weir_fail(error, WEIR_INVALID,
                         "operator \"%s\" is reentrant: with one thread for each operator, executions of one do not overlap",
                         name_of(run, index, name));
    if (s->worst_ns >= NS_MAX)
        return weir_fail(error, WEIR_OVERFLOW, "operator \"%s\" would run for years", name_of(run, index, name));
    if (run->options.threads)
        s->wanted = run->options.threads[index];
    if (s->wanted.cpu_count > 0) {
        s->cpus = weir_arena_take(&run->arena, s->wanted.cpu_count * sizeof *s->cpus);
        if (!s->cpus)
            return weir_fail_memory(error);
        memcpy(s->cpus, s->wanted.cpus, s->wanted.cpu_count * sizeof *s->cpus);
    }
    s->wanted.cpus = s->cpus;
    return WEIR_OK;
}

static void read_source(struct weir_run *run, uint32_t index)
{
    struct weir_source_spec spec = weir_pipeline_source(run->pipeline, index);
    enum weir_platform platform = weir_pipeline_platform(run->pipeline);
    struct weir_release *release = &run->threads[spec.op.index].release;
    int64_t count = spec.count ? spec.count : 1, batch = spec.batch ? spec.batch : 1;
    weir_wide period = weir_run_ns(run, spec.period);
    release->period = (period > 0 ? period : 1) * batch;
    release->divisor = count;
    release->phase = spec.has_phase ? weir_run_ns(run, spec.phase) : 0;
    release->jitter = weir_run_ns(run, spec.jitter);
    release->arrivals = platform != WEIR_PLATFORM_THREADS || spec.arrivals == WEIR_ARRIVALS_EXACT;
    release->gathering = (int64_t)(period * (batch - 1) / count);
    if (platform == WEIR_PLATFORM_THREADS && spec.arrivals == WEIR_ARRIVALS_AT_MOST)
        release->kind = WEIR_RELEASE_AT_MOST;
    else if (platform == WEIR_PLATFORM_THREADS && spec.arrivals == WEIR_ARRIVALS_SKIP)
        release->kind = WEIR_RELEASE_SKIP;
    else
        release->kind = WEIR_RELEASE_FIXED;
}

/* Each operator thread's channels, in the order of the pipeline. */
static enum weir_status connect(struct weir_run *run, struct weir_error *error)
{
    for (uint32_t i = 0; i < run->channel_count; i++) {
        run->threads[run->channels[i].from].output_count++;
        run->threads[run->channels[i].to].input_count++;
    }
    for (uint32_t i = 0; i < run->thread_count; i++) {
        struct weir_operator_thread *s = &run->threads[i];
        size_t in = s->input_count, out = s->output_count;
        s->inputs = weir_run_lines(run, in, sizeof *s->inputs);
        s->outputs = weir_run_lines(run, out, sizeof *s->outputs);
        s->takings = weir_run_lines(run, in, sizeof *s->takings);
        s->call_inputs = weir_run_lines(run, in, sizeof *s->call_inputs);
        s->call_outputs = weir_run_lines(run, out, sizeof *s->call_outputs);
        if (!s->inputs || !s->outputs || !s->takings || !s->call_inputs || !s->call_outputs)
            return weir_fail_memory(error);
        s->input_count = s->output_count = 0;
    }
    for (uint32_t i = 0; i < run->channel_count; i++) {
        struct weir_channel *c = &run->channels[i];
        struct weir_operator_thread *from = &run->threads[c->from], *to = &run->threads[c->to];
        from->outputs[from->output_count++] = c;
        to->inputs[to->input_count++] = c;
    }
    return WEIR_OK;
}

/* Zeroed, and where lines of the caches begin. *block is what is to be freed. */
static void *aligned(const struct weir_run *run, size_t count, size_t size, void **block)
{
    unsigned char *bytes = *block = weir_shared_array(run->shared, count + 1, size);
    size_t over = (uintptr_t)bytes % WEIR_RUN_LINE;
    return bytes ? bytes + (over ? WEIR_RUN_LINE - over : 0) : NULL;
}

enum weir_status weir_run_build(struct weir_run *run, struct weir_error *error)
{
    enum weir_status status = read_scale(run, error);
    if (run->options.memory_bytes == 0)
        run->options.memory_bytes = MEMORY_BYTES;
    run->thread_count = weir_pipeline_operator_count(run->pipeline);
    run->channel_count = weir_pipeline_queue_count(run->pipeline);
    run->threads = aligned(run, run->thread_count, sizeof *run->threads, &run->thread_block);
    run->channels = aligned(run, run->channel_count, sizeof *run->channels, &run->channel_block);
    if (!run->threads || !run->channels)
        return weir_fail_memory(error);
    for (uint32_t i = 0; i < run->thread_count && !status; i++)
        status = read_operator(run, i, error);
    for (uint32_t i = 0; i < run->channel_count && !status; i++)
        status = read_channel(run, i, error);
    for (uint32_t i = 0; i < weir_pipeline_source_count(run->pipeline) && !status; i++)
        read_source(run, i);
    if (!status)
        status = weir_processes_check(run, error);
    if (!status)
        status = connect(run, error);
    if (!status)
        status = weir_run_count(run, error);
    if (!status)
        status = weir_times_prepare(run, error);
    if (!status && run->options.measure)
        status = weir_run_gauge(run, error);
    if (!status)
        lay_out_tags(run);
    return status;
}
