/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/search.h"

#include "gpu/flow.h"
#include "gpu/pilot.h"

/* Tries every policy from the start; the best become the guides of the pilot. */
static bool try_policies(struct weir_gpu_desk *d, struct weir_gpu_record *record, struct weir_gpu_pilot *pilot)
{
    struct weir_gpu_state start;
    int64_t best = WEIR_GPU_NEVER;
    if (!weir_gpu_state_open(d, &start))
        return false;
    bool ok = true;
    pilot->guides[0] = (struct weir_gpu_policy){WEIR_GPU_LEVEL, WEIR_GPU_ALL};
    for (int i = 0; ok && i < 3 * WEIR_GPU_RULES && !weir_gpu_over(d, record); i++) {
        struct weir_gpu_policy policy = {(enum weir_gpu_order)(i / WEIR_GPU_RULES), (enum weir_gpu_rule)(i % WEIR_GPU_RULES)};
        int64_t length;
        weir_gpu_state_copy(d, &start, &d->play);
        d->log.count = 0;
        ok = weir_gpu_play(d, policy, WEIR_GPU_NEVER, &length);
        if (ok && length < best) {
            best = length;
            pilot->guides[0] = policy;
        }
        if (ok && length < record->length) {
            ok = weir_gpu_draft_copy(&d->log, &record->draft);
            record->length = length;
        }
    }
    weir_gpu_state_close(&start);
    static const struct weir_gpu_policy others[] = {{WEIR_GPU_LEVEL, WEIR_GPU_SHORTEST}, {WEIR_GPU_DESCENDANTS, WEIR_GPU_TOP}};
    pilot->guide_count = 1;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].order != pilot->guides[0].order || others[i].rule != pilot->guides[0].rule)
            pilot->guides[pilot->guide_count++] = others[i];
    return ok;
}

/* About 15 ms for two dozen kernels, 4 s for a thousand, and no more than 6 s for any number. */
static uint64_t default_limit(uint32_t count)
{
    uint64_t limit = count < 1000 ? UINT64_C(10000) * count + UINT64_C(40) * count * count : 60000000;
    return limit < 60000000 ? limit : 60000000;
}

static enum weir_status handed_length(const struct weir_gpu_system *s, const struct weir_gpu_draft *draft, int64_t *length)
{
    struct weir_gpu_flow flow;
    enum weir_status status = weir_gpu_flow_make(s, draft, WEIR_GPU_HANDED, &flow);
    *length = flow.length;
    weir_gpu_flow_free(&flow);
    return status;
}

enum weir_status weir_gpu_search(struct weir_gpu_system *system, int64_t lower, struct weir_gpu_draft *best, bool *limited)
{
    struct weir_gpu_desk desk;
    struct weir_gpu_record record = {.length = WEIR_GPU_NEVER};
    struct weir_gpu_pilot pilot = {.desk = &desk, .record = &record, .width = 1, .lengths = 32};
    int64_t given, found;
    *limited = false;
    if (handed_length(system, best, &given) || !weir_gpu_desk_open(system, &desk))
        return WEIR_MEMORY;
    desk.lower = lower;
    desk.limit = system->work_limit ? system->work_limit : default_limit(system->kernels->count);
    bool ok = try_policies(&desk, &record, &pilot);
    for (uint32_t i = 1; ok && i <= 64 && !weir_gpu_over(&desk, &record); i *= 2) {
        pilot.width = i;
        ok = weir_gpu_pilot_run(&pilot);
    }
    ok = ok && handed_length(system, &record.draft, &found) == WEIR_OK;
    if (ok && found < given)
        ok = weir_gpu_draft_copy(&record.draft, best);
    *limited = desk.limited;
    weir_gpu_draft_free(&record.draft);
    weir_gpu_desk_close(&desk);
    return ok ? WEIR_OK : WEIR_MEMORY;
}
