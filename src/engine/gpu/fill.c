/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/gpu/fill.h"

#include "base/alloc.h"

#include <string.h>

enum weir_status weir_gpu_filling_open(const struct weir_gpu_system *s, const struct weir_gpu_division *division,
                                       struct weir_gpu_draft *draft, struct weir_gpu_filling *f)
{
    const struct weir_kernels *k = s->kernels;
    *f = (struct weir_gpu_filling){.system = s, .division = division, .draft = draft, .released.limit = k->count};
    draft->count = draft->groups = 0;
    f->left = weir_arena_array(&f->arena, k->count, sizeof *f->left);
    f->waiting = weir_arena_array(&f->arena, k->count, sizeof *f->waiting);
    f->step = weir_arena_array(&f->arena, k->count, sizeof *f->step);
    f->own = weir_arena_array(&f->arena, k->count, sizeof *f->own);
    f->released.words = weir_arena_array(&f->arena, weir_gpu_rankset_words(k->count), sizeof *f->released.words);
    if (f->arena.failed) {
        weir_gpu_filling_close(f);
        return WEIR_MEMORY;
    }
    memcpy(f->left, s->load, k->count * sizeof *f->left);
    for (uint32_t v = 0; v < k->count; v++) {
        f->waiting[v] = k->first_before[v + 1] - k->first_before[v];
        if (f->waiting[v] == 0)
            weir_gpu_rankset_add(&f->released, division->rank[v]);
    }
    return WEIR_OK;
}

void weir_gpu_filling_close(struct weir_gpu_filling *f)
{
    weir_arena_free(&f->arena);
    *f = (struct weir_gpu_filling){0};
}

bool weir_gpu_filling_begin(struct weir_gpu_filling *f)
{
    const struct weir_gpu_division *d = f->division;
    uint32_t sms = 0;
    f->own_count = 0;
    while (f->own_count == 0 && f->next_group < d->groups) {
        uint32_t i = f->next_member, end = d->first[f->next_group + 1];
        for (; i < end; i++) {
            uint32_t v = d->members[i], need = weir_gpu_fewest(f->system, v);
            if (f->left[v] == 0)
                continue;
            if (f->own_count == f->system->places || need > f->system->sms - sms)
                break;
            sms += need;
            f->own[f->own_count++] = v;
            f->step[v] = f->group + 1;
        }
        f->next_member = i;
        f->next_group += i == end;
    }
    return f->own_count > 0;
}

bool weir_gpu_filling_launch(struct weir_gpu_filling *f, uint32_t v, int64_t load, uint32_t sms)
{
    f->left[v] -= load;
    return weir_gpu_draft_add(f->draft, &(struct weir_gpu_piece){.kernel = v, .sms = sms, .group = f->group, .load = load});
}

uint32_t weir_gpu_filling_next(struct weir_gpu_filling *f, uint32_t *rank)
{
    uint32_t r = *rank;
    while ((r = weir_gpu_rankset_next(&f->released, r)) < f->released.limit && f->step[f->division->ranked[r]] == f->group + 1)
        r++;
    *rank = r + 1;
    return r < f->released.limit ? f->division->ranked[r] : UINT32_MAX;
}

void weir_gpu_filling_end(struct weir_gpu_filling *f)
{
    const struct weir_kernels *k = f->system->kernels;
    size_t first = f->draft->count;
    while (first && f->draft->pieces[first - 1].group == f->group)
        first--;
    for (size_t i = first; i < f->draft->count; i++) {
        uint32_t v = f->draft->pieces[i].kernel;
        if (f->left[v])
            continue;
        weir_gpu_rankset_remove(&f->released, f->division->rank[v]);
        for (uint32_t j = k->first_dependent[v]; j < k->first_dependent[v + 1]; j++)
            if (--f->waiting[k->dependents[j]] == 0)
                weir_gpu_rankset_add(&f->released, f->division->rank[k->dependents[j]]);
    }
    f->group++;
}
