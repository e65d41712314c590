/* SPDX-License-Identifier: Apache-2.0 */
#include "base/number.h"
#include "model/pipeline.h"
#include "simulate/machine_inside.h"

#include <string.h>

static bool can_lose(const struct weir_queue_spec *spec)
{
    return spec->nonblocking && spec->full != WEIR_FULL_NEVER && !spec->latest;
}

/* Of the queues that lead to a port the first. */
static bool is_cut(const struct weir_queue_spec *spec, uint32_t queue, uint32_t first)
{
    return spec->latest || spec->optional || (spec->port ? first == queue : can_lose(spec));
}

static struct weir_operator_spec operator_at(const struct weir_pipeline *pipeline, uint32_t op)
{
    return weir_pipeline_operator(pipeline, (struct weir_operator){op});
}

/* Streams are numbered by the first operator that uses them. Those with a name are few. */
static uint32_t stream_of(const struct weir_pipeline *pipeline, uint32_t op, const struct weir_launch *launch)
{
    for (uint32_t i = 0; launch->stream && i < op; i++) {
        const struct weir_launch *other = operator_at(pipeline, i).launch;
        if (other && other->stream && strcmp(other->stream, launch->stream) == 0)
            return i;
    }
    return op;
}

static void read_threads(struct weir_machine *m, const struct weir_pipeline *pipeline)
{
    for (uint32_t i = 0; i < m->thread_count; i++) {
        struct weir_operator_spec spec = operator_at(pipeline, i);
        struct weir_machine_thread *s = &m->threads[i];
        s->late = spec.receive_max > 0;
        s->reentrant = spec.reentrant;
        s->flights = spec.reentrant ? NULL : &s->own;
        s->flight_capacity = spec.reentrant ? 0 : 1;
        s->launches = spec.launch != NULL;
        s->waits = spec.launch && spec.launch->waits;
        s->stream = spec.launch ? stream_of(pipeline, i, spec.launch) : i;
        s->begin = m->rules->begins ? m->rules->begins[i] : 0;
        if (!weir_multiply(m->rules->iterations, weir_pipeline_firings(pipeline, (struct weir_operator){i}), &s->goal))
            m->status = WEIR_OVERFLOW;
        int64_t ahead = m->cut ? WEIR_AHEAD_MAX : 1;
        /* One more than the last that starts, so that inputs do not arrive for ever at an operator that cannot. */
        s->limit = !m->cut && !m->crews ? s->goal : s->goal < INT64_MAX / ahead ? s->goal * ahead + 1 : INT64_MAX;
    }
    for (uint32_t i = 0; i < weir_pipeline_source_count(pipeline); i++) {
        struct weir_source_spec spec = weir_pipeline_source(pipeline, i);
        struct weir_machine_thread *s = &m->threads[spec.op.index];
        s->period = spec.period;
        s->arrivals = (uint8_t)spec.arrivals;
    }
}

/* Of a queue that was read: the others have no capacity yet. */
static uint32_t place_of(const struct weir_machine *m, uint32_t queue)
{
    uint32_t place = 0;
    while (m->more[place].queue != queue || !m->channels[place].capacity)
        place++;
    return place;
}

/* `first`: of the queues that lead to the same port. */
static void read_channel(struct weir_machine *m, uint32_t place, uint32_t queue, uint32_t first, const struct weir_queue_spec *spec)
{
    bool endless = spec->nonblocking || spec->capacity == WEIR_UNBOUNDED || spec->latest || spec->port;
    m->channels[place] = (struct weir_machine_channel){.messages = spec->latest ? 0 : spec->initial,
                                                       .occupied = spec->latest ? 0 : spec->initial,
                                                       .capacity = endless ? INT64_MAX : spec->capacity,
                                                       .need = spec->optional || spec->latest ? 0
                                                               : spec->consume                ? spec->consume
                                                                                              : 1,
                                                       .from = spec->from.index,
                                                       .to = spec->to.index};
    bool cut = is_cut(spec, queue, first);
    if (m->more)
        m->more[place] = (struct weir_channel_more){.value = {.provenance = WEIR_NO_PROVENANCE},
                                                    .room = spec->capacity,
                                                    .queue = queue,
                                                    .segment = cut ? m->segments++ : 0,
                                                    .full = (uint8_t)(can_lose(spec) || spec->port ? spec->full : WEIR_FULL_NEVER),
                                                    .line = place,
                                                    .shared = spec->port,
                                                    .looks = spec->port && !spec->nonblocking,
                                                    .optional = spec->optional,
                                                    .latest = spec->latest,
                                                    .has_within = spec->has_within,
                                                    .missing = (uint8_t)spec->missing,
                                                    .within = spec->within,
                                                    .transfer = spec->transfer_max > 0};
    if (m->more && first != queue)
        m->more[place].line = place_of(m, first);
}

/* Sorts the queues by producer, and their numbers by consumer (a counting sort each). */
static void read_channels(struct weir_machine *m, const struct weir_pipeline *pipeline)
{
    for (uint32_t i = 0; i < m->channel_count; i++) {
        struct weir_queue_spec spec = weir_pipeline_queue(pipeline, (struct weir_queue){i});
        m->threads[spec.from.index].end_out++;
        m->threads[spec.to.index].end_in += weir_pipeline_port(pipeline, i) == i;
    }
    uint32_t out = 0, in = 0;
    for (uint32_t i = 0; i < m->thread_count; i++) {
        struct weir_machine_thread *s = &m->threads[i];
        uint32_t outs = s->end_out, ins = s->end_in;
        s->first_out = s->end_out = out;
        s->first_in = s->end_in = in;
        out += outs;
        in += ins;
    }
    for (uint32_t i = 0; i < m->channel_count; i++) {
        struct weir_queue_spec spec = weir_pipeline_queue(pipeline, (struct weir_queue){i});
        uint32_t place = m->threads[spec.from.index].end_out++, first = weir_pipeline_port(pipeline, i);
        read_channel(m, place, i, first, &spec);
        if (first == i)
            m->inputs[m->threads[spec.to.index].end_in++] = place;
    }
}

/* Everything that can start at time 0 becomes ready. */
static void begin(struct weir_machine *m)
{
    for (uint32_t i = 0; i < m->channel_count; i++) {
        const struct weir_machine_channel *c = &m->channels[i];
        m->threads[c->to].missing += c->messages < c->need && (!m->more || m->more[i].line == i);
        m->threads[c->from].missing += c->occupied == c->capacity;
    }
    m->unfinished = m->thread_count;
    for (uint32_t i = 0; i < m->thread_count && !m->status; i++) {
        struct weir_machine_thread *s = &m->threads[i];
        if (s->period && s->arrivals == WEIR_ARRIVALS_EXACT) {
            s->missing++;
            weir_machine_push(m, s->begin, (struct weir_machine_moment){.op = i, .kind = WEIR_MACHINE_ARRIVAL});
        } else if (s->begin) {
            s->missing++;
            weir_machine_push(m, s->begin, (struct weir_machine_moment){.op = i, .kind = WEIR_MACHINE_PERIOD});
        }
        if (!s->missing)
            weir_machine_make_ready(m, i);
    }
}

/* Whether messages have to be told apart. */
static bool look(struct weir_machine *m, const struct weir_pipeline *pipeline)
{
    bool apart = m->hold.from_count > 0;
    m->hold.segments = m->segments = 1;
    for (uint32_t i = 0; i < m->channel_count; i++) {
        struct weir_queue_spec spec = weir_pipeline_queue(pipeline, (struct weir_queue){i});
        m->hold.segments += is_cut(&spec, i, weir_pipeline_port(pipeline, i));
        apart |= spec.transfer_max > 0;
    }
    m->cut = m->hold.segments > 1;
    for (uint32_t i = 0; i < m->thread_count && !apart; i++)
        apart = operator_at(pipeline, i).launch != NULL;
    return apart || m->cut;
}

static bool allocate(struct weir_machine *m, bool apart)
{
    m->threads = weir_arena_array(&m->arena, m->thread_count, sizeof *m->threads);
    m->channels = weir_arena_array(&m->arena, m->channel_count, sizeof *m->channels);
    m->inputs = weir_arena_array(&m->arena, m->channel_count, sizeof *m->inputs);
    m->ready = weir_arena_array(&m->arena, m->thread_count, sizeof *m->ready);
    if (apart) {
        m->more = weir_arena_array(&m->arena, m->channel_count, sizeof *m->more);
        m->streams = weir_arena_array(&m->arena, m->thread_count, sizeof *m->streams);
    }
    if (m->ties == WEIR_TIES_RANKED)
        m->ranks = weir_arena_array(&m->arena, m->thread_count, 2 * sizeof *m->ranks);
    return !m->arena.failed;
}

enum weir_status weir_machine_build(struct weir_machine *m, const struct weir_pipeline *pipeline)
{
    const struct weir_age_options *ages = m->rules->ages;
    m->thread_count = weir_pipeline_operator_count(pipeline);
    m->channel_count = weir_pipeline_queue_count(pipeline);
    if (ages) {
        m->ties = ages->ties;
        m->hold.from = ages->from;
        m->hold.from_count = ages->from_count;
        weir_random_seed(&m->random, ages->run.seed);
    } else if (m->rules->crews && m->rules->crews->seed) {
        m->ties = WEIR_TIES_RANDOM;
        weir_random_seed(&m->random, m->rules->crews->seed);
    }
    if (!allocate(m, look(m, pipeline)))
        return WEIR_MEMORY;
    for (size_t i = 0; m->ranks && i < 2 * (size_t)m->thread_count; i++)
        m->ranks[i] = (uint32_t)weir_random_next(&m->random);
    if (m->rules->crews && !weir_crews_new(m, pipeline))
        return m->status = WEIR_MEMORY;
    read_threads(m, pipeline);
    read_channels(m, pipeline);
    if (!weir_rounds_new(m))
        return m->status = WEIR_MEMORY;
    begin(m);
    return m->status;
}

void weir_machine_free(struct weir_machine *m)
{
    for (uint32_t i = 0; m->threads && i < m->thread_count; i++)
        if (m->threads[i].reentrant)
            weir_free(m->threads[i].flights);
    for (uint32_t i = 0; m->more && i < m->channel_count; i++) {
        weir_line_free(&m->more[i].waiting);
        weir_line_free(&m->more[i].under_way);
        weir_line_free(&m->more[i].claimed);
    }
    weir_provenance_free(&m->hold);
    weir_rounds_free(m->rounds);
    weir_free(m->heap);
    weir_arena_free(&m->arena);
}
