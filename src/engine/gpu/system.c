/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/gpu/system.h"

#include "base/error.h"
#include "base/number.h"
#include "model/pipeline.h"

#include <string.h>

/* Everything together, at its slowest. Each part is below 2^60, and so is the sum in ticks (weir_kernels_seal). */
static int64_t longest_sum(const struct weir_kernels *k)
{
    int64_t sum = 0;
    for (uint32_t v = 0; v < k->count; v++)
        sum += k->kernels[v].longest + k->gpu.launch_overhead;
    return sum;
}

/* The finest of a few scales with many divisors, the number of SMs among them, for which sums have room to spare. */
static int64_t choose_scale(const struct weir_kernels *k, uint32_t sms)
{
    static const int64_t scales[] = {720720, 55440, 5040, 720, 60, 12, 2, 1};
    int64_t room = (INT64_MAX / 4) / (longest_sum(k) + 1);
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        int64_t scale = scales[i] * (sms / weir_greatest_divisor(scales[i], sms));
        if (scale <= room)
            return scale;
    }
    return 1;
}

/* With neighbours, rounded up. */
static int64_t with_neighbours(const struct weir_gpu_system *s, uint32_t kernel, int64_t alone)
{
    int64_t percent = 100 + (int64_t)s->slower[kernel], product;
    if (percent == 100)
        return alone;
    if (alone >= 0 && weir_multiply(alone, percent, &product) && product <= INT64_MAX - 99) /* divided sooner than what is wide */
        return (product + 99) / 100;
    return (int64_t)(((weir_wide)alone * percent + 99) / 100);
}

/* The longest that takes at most `time` with neighbours. */
static int64_t without_neighbours(const struct weir_gpu_system *s, uint32_t kernel, int64_t time)
{
    int64_t percent = 100 + (int64_t)s->slower[kernel], product;
    if (percent == 100)
        return time;
    return weir_multiply(time, 100, &product) ? product / percent : (int64_t)((weir_wide)time * 100 / percent);
}

uint32_t weir_gpu_fewest(const struct weir_gpu_system *s, uint32_t kernel)
{
    const struct weir_kernel *k = &s->kernels->kernels[kernel];
    uint32_t i = 0;
    while (i + 1 < k->time_count && k->times[i].sms % s->step)
        i++;
    return k->times ? k->times[i].sms : s->step;
}

int64_t weir_gpu_time(const struct weir_gpu_system *s, uint32_t kernel, int64_t load, uint32_t sms)
{
    const struct weir_kernel *k = &s->kernels->kernels[kernel];
    if (k->times) {
        for (uint32_t i = 0; i < k->time_count && k->times[i].sms <= sms; i++)
            if (k->times[i].sms == sms && sms % s->step == 0)
                return with_neighbours(s, kernel, k->times[i].time * s->scale);
        return WEIR_GPU_NEVER;
    }
    int64_t grain = s->granularity[kernel];
    int64_t time = grain ? grain * weir_ceil_divide(weir_ceil_divide(load, grain), sms) : weir_ceil_divide(load, sms);
    return with_neighbours(s, kernel, time > s->least[kernel] ? time : s->least[kernel]);
}

uint32_t weir_gpu_width(const struct weir_gpu_system *s, uint32_t kernel, int64_t load, int64_t time)
{
    const struct weir_kernel *k = &s->kernels->kernels[kernel];
    time = without_neighbours(s, kernel, time);
    if (k->times) {
        for (uint32_t i = 0; i < k->time_count && k->times[i].sms <= s->sms; i++)
            if (k->times[i].sms % s->step == 0 && k->times[i].time * s->scale <= time)
                return k->times[i].sms;
        return 0;
    }
    if (time < s->least[kernel])
        return 0;
    int64_t grain = s->granularity[kernel];
    if (grain && time < grain)
        return 0;
    int64_t width = grain ? weir_ceil_divide(weir_ceil_divide(load, grain), time / grain) : weir_ceil_divide(load, time);
    if (s->step > 1)
        width = weir_ceil_divide(width, s->step) * s->step;
    return width <= s->sms ? (uint32_t)width : 0;
}

uint32_t weir_gpu_widest(const struct weir_gpu_system *s, uint32_t kernel, int64_t load, uint32_t most)
{
    const struct weir_kernel *k = &s->kernels->kernels[kernel];
    if (k->times) {
        uint32_t best = 0;
        int64_t time = INT64_MAX;
        for (uint32_t i = 0; i < k->time_count && k->times[i].sms <= most; i++)
            if (k->times[i].sms % s->step == 0 && k->times[i].time < time) {
                time = k->times[i].time;
                best = k->times[i].sms;
            }
        return best;
    }
    return weir_gpu_width(s, kernel, load, weir_gpu_time(s, kernel, load, most));
}

bool weir_gpu_splittable(const struct weir_gpu_system *s, uint32_t kernel)
{
    return s->split && s->kernels->kernels[kernel].splittable;
}

int64_t weir_gpu_fitting(const struct weir_gpu_system *s, uint32_t kernel, int64_t load, uint32_t sms, int64_t time)
{
    if (weir_gpu_time(s, kernel, load, sms) <= time)
        return load;
    time = without_neighbours(s, kernel, time);
    if (!weir_gpu_splittable(s, kernel) || time < s->least[kernel])
        return 0;
    int64_t grain = s->granularity[kernel], each = grain ? time / grain * grain : time;
    weir_wide most = (weir_wide)each * sms;
    return most < load ? (int64_t)most : load;
}

/* ---- opening ---- */

static void find_chains(struct weir_gpu_system *s)
{
    const struct weir_kernels *k = s->kernels;
    for (uint32_t i = 0; i < k->count; i++) {
        uint32_t v = k->order[i];
        for (uint32_t j = k->first_before[v]; j < k->first_before[v + 1]; j++) {
            int64_t end = s->head[k->before[j]] + s->fastest[k->before[j]] + s->overhead;
            s->head[v] = end > s->head[v] ? end : s->head[v];
        }
    }
    for (uint32_t i = k->count; i-- > 0;) {
        uint32_t v = k->order[i];
        for (uint32_t j = k->first_dependent[v]; j < k->first_dependent[v + 1]; j++) {
            int64_t rest = s->tail[k->dependents[j]] + s->fastest[k->dependents[j]] + s->overhead;
            s->tail[v] = rest > s->tail[v] ? rest : s->tail[v];
        }
    }
}

/* Of a part of a kernel. On all SMs the whole takes several times as long. */
static int64_t least_share(const struct weir_gpu_system *s, int64_t load)
{
    enum { SHARES = 16 };
    int64_t share = load / s->sms / SHARES;
    return share > 1 ? share : 1;
}

/* Whole granules where there are any. */
static int64_t shortest_step(const struct weir_gpu_system *s, uint32_t v)
{
    int64_t share = least_share(s, s->load[v]), time = s->least[v] > share ? s->least[v] : share, grain = s->granularity[v];
    return grain ? weir_ceil_divide(time, grain) * grain : time;
}

static enum weir_status fill(struct weir_gpu_system *s, struct weir_error *error)
{
    const struct weir_kernels *k = s->kernels;
    char quoted[WEIR_QUOTED];
    for (uint32_t v = 0; v < k->count; v++) {
        const struct weir_kernel *kernel = &k->kernels[v];
        s->load[v] = kernel->load * s->scale;
        s->least[v] = kernel->min_time ? kernel->min_time * s->scale : least_share(s, s->load[v]);
        s->granularity[v] = kernel->granularity * s->scale;
        s->shortest[v] = shortest_step(s, v);
        uint32_t widest = weir_gpu_widest(s, v, s->load[v], s->sms);
        if (widest == 0)
            return weir_fail(error, WEIR_INVALID, "kernel \"%s\" needs more than %u SMs, whichever entry of its table is taken",
                             weir_quote(s->pipeline->operators[v].name, quoted), s->sms);
        s->fastest[v] = weir_gpu_time(s, v, s->load[v], widest);
    }
    find_chains(s);
    return WEIR_OK;
}

enum weir_status weir_gpu_system_open(const struct weir_pipeline *pipeline, const struct weir_gpu_options *options,
                                      struct weir_gpu_system *s, struct weir_error *error)
{
    const struct weir_kernels *k = pipeline->kernels;
    *s = (struct weir_gpu_system){
        .pipeline = pipeline,
        .kernels = k,
        .sms = options->sms ? options->sms : k->gpu.sms,
        .step = k->gpu.sm_step,
        .places = k->gpu.max_concurrent ? k->gpu.max_concurrent : UINT32_MAX,
        .split = !options->no_split,
        .work_limit = options->work_limit,
        .progress = options->progress,
        .context = options->context,
    };
    if (s->sms > WEIR_SMS_MAX)
        return weir_fail(error, WEIR_INVALID, "a GPU has 1 to %d SMs", WEIR_SMS_MAX);
    s->sms -= s->sms % s->step;
    if (s->sms == 0)
        return weir_fail(error, WEIR_INVALID, "there are fewer SMs than \"sm-step\": no launch could have any");
    s->scale = choose_scale(k, s->sms);
    s->overhead = k->gpu.launch_overhead * s->scale;
    int64_t **const arrays[] = {&s->load, &s->least, &s->granularity, &s->shortest, &s->fastest, &s->head, &s->tail};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        *arrays[i] = weir_arena_array(&s->arena, k->count, sizeof **arrays[i]);
    s->slower = weir_arena_array(&s->arena, k->count, sizeof *s->slower);
    enum weir_status status = s->arena.failed ? weir_fail_memory(error) : fill(s, error);
    if (status)
        weir_gpu_system_close(s);
    return status;
}

void weir_gpu_system_close(struct weir_gpu_system *s)
{
    weir_arena_free(&s->arena);
    *s = (struct weir_gpu_system){0};
}

/* ---- drafts ---- */

bool weir_gpu_draft_add(struct weir_gpu_draft *draft, const struct weir_gpu_piece *piece)
{
    if (!weir_reserve(&draft->pieces, &draft->capacity, draft->count + 1, sizeof *draft->pieces))
        return false;
    draft->pieces[draft->count++] = *piece;
    draft->groups = piece->group + 1;
    return true;
}

bool weir_gpu_draft_copy(const struct weir_gpu_draft *from, struct weir_gpu_draft *to)
{
    if (!weir_reserve(&to->pieces, &to->capacity, from->count, sizeof *to->pieces))
        return false;
    if (from->count)
        memcpy(to->pieces, from->pieces, from->count * sizeof *to->pieces);
    to->count = from->count;
    to->groups = from->groups;
    return true;
}

void weir_gpu_draft_free(struct weir_gpu_draft *draft)
{
    weir_free(draft->pieces);
    *draft = (struct weir_gpu_draft){0};
}

int64_t weir_gpu_draft_length(const struct weir_gpu_system *s, const struct weir_gpu_draft *draft)
{
    int64_t length = 0;
    for (size_t i = 0; i < draft->count;) {
        int64_t longest = 0;
        for (uint32_t group = draft->pieces[i].group; i < draft->count && draft->pieces[i].group == group; i++) {
            const struct weir_gpu_piece *piece = &draft->pieces[i];
            int64_t time = weir_gpu_time(s, piece->kernel, piece->load, piece->sms);
            longest = time > longest ? time : longest;
        }
        length += s->overhead + longest;
    }
    return length;
}
