/* SPDX-License-Identifier: Apache-2.0 */
/* Which two events make a latency. Memory does not depend on the number of iterations. */
#include "answer/simulate/simulation.h"
#include "model/pipeline.h"

#define NO_CHAIN UINT32_MAX

/* A latency that is not complete: minus the time of its beginning, or the time of its end, whichever came first. */
struct weir_flight {
    int64_t sum;
    unsigned seen;
};

static struct weir_flight *flight_at(const struct weir_chain *chain, int64_t iteration)
{
    return &chain->flights[(uint64_t)iteration & (chain->flight_capacity - 1)];
}

static bool make_room(struct weir_chain *chain, int64_t iteration)
{
    size_t needed = (size_t)(iteration - chain->first) + 1, capacity = chain->flight_capacity ? chain->flight_capacity : 16;
    if (needed <= chain->flight_capacity)
        return true;
    while (capacity < needed)
        capacity *= 2;
    struct weir_flight *flights = weir_array_zeroed(capacity, sizeof *flights);
    if (!flights) {
        chain->samples.failed = true;
        return false;
    }
    for (int64_t i = chain->first; i < chain->end; i++)
        flights[(uint64_t)i & (capacity - 1)] = *flight_at(chain, i);
    weir_free(chain->flights);
    chain->flights = flights;
    chain->flight_capacity = capacity;
    return true;
}

static void note(struct weir_chain *chain, int64_t iteration, int64_t signed_time)
{
    if (iteration < chain->first || chain->samples.failed || !make_room(chain, iteration))
        return;
    for (; chain->end <= iteration; chain->end++)
        *flight_at(chain, chain->end) = (struct weir_flight){0, 0};
    struct weir_flight *flight = flight_at(chain, iteration);
    flight->sum += signed_time;
    if (++flight->seen == 2)
        weir_samples_add(&chain->samples, flight->sum);
    while (chain->first < chain->end && flight_at(chain, chain->first)->seen == 2)
        chain->first++;
}

void weir_chain_begin_run(struct weir_chain *chain)
{
    chain->first = chain->end = chain->shift < 0 ? -chain->shift : 0;
}

void weir_chain_note_from(struct weir_chain *chain, int64_t iteration, int64_t time)
{
    note(chain, iteration, -time);
}

void weir_chain_note_to(struct weir_chain *chain, int64_t iteration, int64_t time)
{
    note(chain, iteration - chain->shift, time);
}

void weir_chain_free(struct weir_chain *chain)
{
    weir_samples_free(&chain->samples);
    weir_free(chain->flights);
}

/* ---- the chains at an operator ---- */

/* Lists of chains, through next_from and next_to. */
struct weir_role {
    uint32_t from, to;
    bool arrivals; /* latencies that begin here count from the arrival */
};

bool weir_simulation_assign_roles(struct weir_simulation *s)
{
    const struct weir_pipeline *p = s->pipeline;
    s->roles = weir_answer_take(s->answer, p->operator_count, sizeof *s->roles);
    s->next_from = weir_answer_take(s->answer, p->chain_count, sizeof *s->next_from);
    s->next_to = weir_answer_take(s->answer, p->chain_count, sizeof *s->next_to);
    if (!s->roles || !s->next_from || !s->next_to)
        return false;
    for (size_t i = 0; i < p->operator_count; i++)
        s->roles[i].from = s->roles[i].to = NO_CHAIN;
    for (size_t i = 0; i < p->source_count; i++)
        s->roles[p->sources[i].op.index].arrivals = p->sources[i].arrivals == WEIR_ARRIVALS_EXACT;
    for (uint32_t i = 0; i < p->chain_count; i++) {
        struct weir_role *from = &s->roles[p->chains[i].from.index], *to = &s->roles[p->chains[i].to.index];
        s->next_from[i] = from->from;
        from->from = i;
        s->next_to[i] = to->to;
        to->to = i;
    }
    return true;
}

bool weir_simulation_counts_arrivals(const struct weir_simulation *s, struct weir_operator op)
{
    return s->roles[op.index].arrivals;
}

void weir_simulation_count_event(struct weir_simulation *s, int64_t iteration)
{
    if ((++s->events & 0xffff) || !s->options->progress)
        return;
    int64_t done = s->run * 1000 + (iteration < s->iterations ? iteration * 1000 / s->iterations : 999);
    s->options->progress(s->options->context, (unsigned)(done / s->runs));
}

void weir_simulation_note_from(struct weir_simulation *s, struct weir_operator op, int64_t iteration, int64_t time)
{
    for (uint32_t i = s->roles[op.index].from; i != NO_CHAIN; i = s->next_from[i])
        weir_chain_note_from(&s->chains[i], iteration, time);
    weir_simulation_count_event(s, iteration);
}

void weir_simulation_note_to(struct weir_simulation *s, struct weir_operator op, int64_t iteration, int64_t time)
{
    for (uint32_t i = s->roles[op.index].to; i != NO_CHAIN; i = s->next_to[i])
        weir_chain_note_to(&s->chains[i], iteration, time);
    weir_simulation_count_event(s, iteration);
}
