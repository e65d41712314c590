/* SPDX-License-Identifier: Apache-2.0 */
/* Sources that skip the ticks that they miss: which of them miss none (docs/concepts/async.md, section 3). */
#include "base/error.h"
#include "engine/async/async.h"

enum weir_status weir_async_keep_ticks(struct weir_sampler *s)
{
    const struct weir_pipeline *p = s->pipeline;
    s->kept = weir_arena_array(&s->scratch, p->source_count, sizeof *s->kept);
    if (s->scratch.failed)
        return weir_fail_memory(s->error);
    for (size_t i = 0; i < p->source_count; i++)
        s->kept[i] = p->sources[i].arrivals == WEIR_ARRIVALS_SKIP;
    return WEIR_OK;
}

/* Whether every start is before the next tick, in the part in which none of them is missed. */
static enum weir_status is_kept(struct weir_sampler *s, const struct weir_source_spec *source, bool *kept)
{
    uint32_t op = source->op.index;
    struct weir_async_part *part = &s->parts[s->part_of[op]];
    *kept = weir_async_is_whole(part);
    if (!*kept)
        return WEIR_OK;
    struct weir_operator local = {s->local_of[op]};
    struct weir_span span = {
        .from = {.op = local, .moment = WEIR_ARRIVAL}, .to = {.op = local, .moment = WEIR_START}, .via = WEIR_NO_INDEX};
    struct weir_known known;
    enum weir_status status = weir_async_span(s, part, &span, &known);
    *kept = !status && known.known && known.value < source->period;
    return status;
}

enum weir_status weir_async_test_ticks(struct weir_sampler *s, bool *any)
{
    enum weir_status status = WEIR_OK;
    *any = false;
    for (size_t i = 0; i < s->pipeline->source_count && !status; i++) {
        bool kept;
        if (!s->kept[i])
            continue;
        status = is_kept(s, &s->pipeline->sources[i], &kept);
        s->kept[i] = kept;
        *any |= !status && !kept;
    }
    return status;
}
