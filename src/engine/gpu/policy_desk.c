/* SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"
#include "engine/gpu/search.h"

#include <string.h>

/* ---- states ---- */

bool weir_gpu_state_open(const struct weir_gpu_desk *d, struct weir_gpu_state *s)
{
    const struct weir_kernels *k = d->system->kernels;
    *s = (struct weir_gpu_state){.left = k->count};
    s->ready = weir_arena_array(&s->arena, k->count, sizeof *s->ready);
    s->waits = weir_arena_array(&s->arena, k->count, sizeof *s->waits);
    s->rest = weir_arena_array(&s->arena, k->count, sizeof *s->rest);
    if (s->arena.failed) {
        weir_gpu_state_close(s);
        return false;
    }
    for (uint32_t v = 0; v < k->count; v++) {
        s->waits[v] = k->first_before[v + 1] - k->first_before[v];
        s->rest[v] = d->system->load[v];
        s->area += d->area[v];
        if (s->waits[v] == 0)
            s->ready[s->ready_count++] = v;
    }
    return true;
}

void weir_gpu_state_copy(const struct weir_gpu_desk *d, const struct weir_gpu_state *from, struct weir_gpu_state *to)
{
    uint32_t count = d->system->kernels->count, *ready = to->ready, *waits = to->waits;
    int64_t *rest = to->rest;
    struct weir_arena arena = to->arena;
    *to = *from;
    to->arena = arena;
    to->ready = ready;
    to->waits = waits;
    to->rest = rest;
    memcpy(to->ready, from->ready, from->ready_count * sizeof *to->ready);
    memcpy(to->waits, from->waits, count * sizeof *to->waits);
    memcpy(to->rest, from->rest, count * sizeof *to->rest);
}

void weir_gpu_state_close(struct weir_gpu_state *s)
{
    weir_arena_free(&s->arena);
    *s = (struct weir_gpu_state){0};
}

/* ---- marks ---- */

bool weir_gpu_mark_open(const struct weir_gpu_desk *d, struct weir_gpu_mark *mark)
{
    mark->ready = weir_array(d->system->kernels->count, sizeof *mark->ready);
    return mark->ready != NULL;
}

void weir_gpu_mark_close(struct weir_gpu_mark *mark)
{
    weir_free(mark->ready);
    mark->ready = NULL;
}

void weir_gpu_mark_set(struct weir_gpu_mark *mark, const struct weir_gpu_state *s)
{
    mark->state = *s;
    memcpy(mark->ready, s->ready, s->ready_count * sizeof *s->ready);
}

void weir_gpu_mark_return(const struct weir_gpu_desk *d, const struct weir_gpu_mark *mark, const struct weir_gpu_draft *log,
                          struct weir_gpu_state *s)
{
    const struct weir_kernels *k = d->system->kernels;
    for (size_t i = log->count; i-- > 0;) {
        uint32_t v = log->pieces[i].kernel;
        if (s->rest[v] == 0)
            for (uint32_t j = k->first_dependent[v]; j < k->first_dependent[v + 1]; j++)
                s->waits[k->dependents[j]]++;
        s->rest[v] += log->pieces[i].load;
    }
    *s = mark->state;
    memcpy(s->ready, mark->ready, s->ready_count * sizeof *s->ready);
}

/* ---- what does not change ---- */

/* Saturates: it only ever steers a search. */
static int64_t least_area(const struct weir_gpu_system *s, uint32_t v)
{
    const struct weir_kernel *k = &s->kernels->kernels[v];
    if (!k->times)
        return s->load[v] > s->least[v] ? s->load[v] : s->least[v];
    int64_t best = INT64_MAX, area;
    for (uint32_t i = 0; i < k->time_count && k->times[i].sms <= s->sms; i++)
        if (k->times[i].sms % s->step == 0 &&
            !__builtin_mul_overflow(k->times[i].time * s->scale, (int64_t)k->times[i].sms, &area) && area < best)
            best = area;
    return best;
}

#define FAR_BEHIND 16384 /* kernels; beyond, the square of their number is too much */

/* The load of all that is behind each kernel. Sixty-four of them are followed back at a time: bit b of reached[v] says that the
 * b-th is behind v. */
static void add_loads_behind(const struct weir_gpu_system *s, uint64_t *reached, int64_t *sum)
{
    const struct weir_kernels *k = s->kernels;
    for (uint32_t base = 0; base < k->count; base += 64)
        for (uint32_t i = k->count; i-- > 0;) {
            uint32_t v = k->order[i];
            uint64_t bits = 0;
            for (uint32_t j = k->first_dependent[v]; j < k->first_dependent[v + 1]; j++) {
                uint32_t w = k->dependents[j];
                bits |= reached[w];
                if (w >= base && w - base < 64)
                    bits |= UINT64_C(1) << (w - base);
            }
            reached[v] = bits;
            for (; bits; bits &= bits - 1)
                sum[v] += s->load[base + (uint32_t)__builtin_ctzll(bits)];
        }
}

static bool weigh(struct weir_gpu_desk *d)
{
    const struct weir_gpu_system *s = d->system;
    uint32_t count = s->kernels->count;
    if (count <= FAR_BEHIND) {
        uint64_t *reached = weir_array_zeroed(count, sizeof *reached);
        if (!reached)
            return false;
        add_loads_behind(s, reached, d->weight);
        weir_free(reached);
    }
    for (uint32_t v = 0; v < count; v++)
        d->weight[v] = s->tail[v] + d->weight[v] / s->sms;
    return true;
}

bool weir_gpu_desk_open(struct weir_gpu_system *system, struct weir_gpu_desk *d)
{
    uint32_t count = system->kernels->count;
    *d = (struct weir_gpu_desk){.system = system};
    d->area = weir_arena_array(&d->arena, count, sizeof *d->area);
    d->weight = weir_arena_array(&d->arena, count, sizeof *d->weight);
    d->rank = weir_arena_array(&d->arena, count, sizeof *d->rank);
    d->buffer = weir_arena_array(&d->arena, count, sizeof *d->buffer);
    d->group = weir_arena_array(&d->arena, count, sizeof *d->group);
    for (uint32_t v = 0; v < count && !d->arena.failed; v++)
        d->area[v] = least_area(system, v);
    if (!d->arena.failed && weigh(d))
        return true;
    weir_gpu_desk_close(d);
    return false;
}

void weir_gpu_desk_close(struct weir_gpu_desk *d)
{
    weir_arena_free(&d->arena);
    weir_gpu_draft_free(&d->log);
    *d = (struct weir_gpu_desk){0};
}
