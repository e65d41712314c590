/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All ways to share out `more` places among the queues. A queue gets its share after the ones before it; where the rest, given to
 * every queue behind it at once, leaves no latency possible even without any waiting for processors, no way that begins so is worth
 * an analysis. Nothing else is left out: a latency may well rise with a capacity.
 */
#include "explore/arrange/buffers.h"

#include "model/pipeline.h"

#define NODES_MAX UINT64_C(20000000)

static void set_capacity(struct weir_buffers *b, size_t variable, int64_t extra)
{
    b->capacity[b->space.variables[variable].index] = (uint32_t)(b->least[variable] + extra);
}

/* Whether the shares of the first `fixed` queues may stand, with `rest` places for the others. */
static bool possible(struct weir_buffers *b, size_t fixed, int64_t rest)
{
    for (size_t i = 0; i < b->space.count; i++)
        set_capacity(b, i, i < fixed ? b->extra[i] : rest);
    b->nodes++;
    return weir_relaxation_possible(b->relaxation, b->capacity);
}

static enum weir_status evaluate(struct weir_buffers *b, size_t count, struct weir_error *error)
{
    struct weir_score scores[WEIR_TEAM_LIST];
    size_t done, width = b->space.count;
    enum weir_status status = weir_team_evaluate(b->team, b->list, count, scores, &done, error);
    for (size_t i = 0; i < done && !status; i++)
        if (scores[i].part[0] == WEIR_BUFFERS_KEPT)
            weir_best_offer(&b->best, b->list + i * width, width, &scores[i]);
    return status;
}

enum weir_status weir_buffers_level(struct weir_buffers *b, int64_t more, struct weir_error *error)
{
    size_t count = 0, depth = 0, width = b->space.count;
    int64_t rest = more; /* what the queues before `depth` have left */
    enum weir_status status = WEIR_OK;
    b->extra[0] = -1;
    for (;;) {
        bool last = depth + 1 == width;
        int64_t share = last ? (b->extra[depth] < 0 ? rest : rest + 1) : b->extra[depth] + 1;
        if (share > rest) { /* all shares of this queue are through */
            if (depth == 0)
                break;
            rest += b->extra[--depth];
            continue;
        }
        b->extra[depth] = share;
        if (b->nodes >= NODES_MAX || ((b->nodes & 1023) == 0 && weir_team_stopped(b->team))) {
            b->exhausted = true;
            return WEIR_OK;
        }
        if (!possible(b, depth + 1, rest - share))
            continue;
        if (!last) {
            rest -= share;
            b->extra[++depth] = -1;
            continue;
        }
        for (size_t i = 0; i < width; i++)
            b->list[count * width + i] = b->least[i] + b->extra[i];
        if (++count == WEIR_TEAM_LIST) {
            status = evaluate(b, count, error);
            count = 0;
            if (status || weir_team_ended(b->team))
                return status;
        }
    }
    return count ? evaluate(b, count, error) : status;
}
