/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the published method is unsafe or leaves something: its rounding of widths can ask for more SMs than there are, and its
 * fillers share SMs that are counted once. Here the widths of a group are those of the least T for which
 *
 *     sum over its kernels of ceil(load / T) <= SMs,
 *
 * the best there is, and a filler takes as many SMs as it needs to end within T, from what is left.
 */
#include "engine/gpu/fill.h"

/* How many released kernels that do not fit are looked at for one group: more only in graphs of many thousands. */
enum { MISSES = 4096 };

struct safe {
    struct weir_gpu_filling filling;
    bool segments; /* the last filler of a group may be split */
};

static bool fits(const struct weir_gpu_filling *f, int64_t time)
{
    uint32_t left = f->system->sms;
    for (uint32_t i = 0; i < f->own_count; i++) {
        uint32_t width = weir_gpu_width(f->system, f->own[i], f->left[f->own[i]], time);
        if (width == 0 || width > left)
            return false;
        left -= width;
    }
    return true;
}

/* The least time, in fine ticks, for which the group's own kernels fit side by side. */
static int64_t level(const struct weir_gpu_filling *f)
{
    const struct weir_gpu_system *s = f->system;
    int64_t low = 1, high = 1; /* high fits: every kernel on the fewest SMs it can have */
    for (uint32_t i = 0; i < f->own_count; i++) {
        uint32_t v = f->own[i];
        int64_t left = f->left[v], slow = weir_gpu_time(s, v, left, weir_gpu_fewest(s, v));
        int64_t fast = weir_gpu_time(s, v, left, weir_gpu_widest(s, v, left, s->sms));
        high = slow > high ? slow : high;
        low = fast > low ? fast : low;
    }
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (fits(f, middle))
            high = middle;
        else
            low = middle + 1;
    }
    return high;
}

/* As weir_gpu_time, but rounded down. */
static int64_t time_down(const struct weir_gpu_system *s, uint32_t v, int64_t load, uint32_t sms)
{
    if (s->kernels->kernels[v].times || s->granularity[v] || s->slower[v])
        return weir_gpu_time(s, v, load, sms);
    return load / sms > s->least[v] ? load / sms : s->least[v];
}

/* The longest time of the group lies in a fine tick from `down` to `up`. Whole fillers are measured by `up`, because the load of
 * one can be that of the longest, and it gets as many SMs then; what is cut off from one by `down`, lest it be longer by a hair. */
struct span {
    int64_t down, up;
};

static bool fill(struct safe *safe, struct span span, uint32_t spare)
{
    struct weir_gpu_filling *f = &safe->filling;
    uint32_t rank = 0, misses = 0, launches = f->own_count;
    while (spare && launches < f->system->places && misses < MISSES) {
        uint32_t v = weir_gpu_filling_next(f, &rank);
        if (v == UINT32_MAX)
            break;
        int64_t load = f->left[v];
        uint32_t width = weir_gpu_width(f->system, v, load, span.up);
        if (width == 0 || width > spare) {
            width = spare;
            load = safe->segments ? weir_gpu_fitting(f->system, v, load, spare, span.down) : 0;
        }
        misses += load == 0;
        if (load == 0)
            continue;
        if (!weir_gpu_filling_launch(f, v, load, width))
            return false;
        spare -= width;
        launches++;
    }
    return true;
}

static bool do_group(struct safe *safe)
{
    struct weir_gpu_filling *f = &safe->filling;
    int64_t time = level(f);
    struct span span = {0, 0};
    uint32_t spare = f->system->sms;
    for (uint32_t i = 0; i < f->own_count; i++) {
        uint32_t v = f->own[i], width = weir_gpu_width(f->system, v, f->left[v], time);
        int64_t down = time_down(f->system, v, f->left[v], width), up = weir_gpu_time(f->system, v, f->left[v], width);
        span.down = down > span.down ? down : span.down;
        span.up = up > span.up ? up : span.up;
        if (!weir_gpu_filling_launch(f, v, f->left[v], width))
            return false;
        spare -= width;
    }
    if (!fill(safe, span, spare))
        return false;
    weir_gpu_filling_end(f);
    return true;
}

static enum weir_status make(const struct weir_gpu_system *s, const struct weir_gpu_division *division, bool segments,
                             struct weir_gpu_draft *draft)
{
    struct safe safe = {.segments = segments};
    enum weir_status status = weir_gpu_filling_open(s, division, draft, &safe.filling);
    while (!status && weir_gpu_filling_begin(&safe.filling))
        status = do_group(&safe) ? WEIR_OK : WEIR_MEMORY;
    weir_gpu_filling_close(&safe.filling);
    return status;
}

enum weir_status weir_gpu_safe_draft(const struct weir_gpu_system *s, const struct weir_gpu_division *division,
                                     struct weir_gpu_draft *draft)
{
    struct weir_gpu_draft split = {0};
    enum weir_status status = make(s, division, false, draft);
    if (!status && s->split)
        status = make(s, division, true, &split);
    /* What is left of a kernel that was split may take the least time and more: in parts is not always better. */
    if (!status && s->split && weir_gpu_draft_length(s, &split) < weir_gpu_draft_length(s, draft)) {
        struct weir_gpu_draft whole = *draft;
        *draft = split;
        split = whole;
    }
    weir_gpu_draft_free(&split);
    return status;
}
