/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tokens. Launches under way together wait for none of each other. Cut the plan between all that at least one of them waits for,
 * and the rest: every token they hold crosses the cut, no launch hands on more than it took over, and what one took over came from
 * its own side; so no more cross the cut than there were at the beginning.
 */
#include "check/launches_inside.h"

struct held {
    uint64_t sms, places;
};

static bool add(struct held *held, const struct weir_gpu_token *token)
{
    return !__builtin_add_overflow(held->sms, token->sms, &held->sms) &&
           !__builtin_add_overflow(held->places, token->places, &held->places);
}

static bool token_holds(struct weir_launches_work *w, const struct weir_gpu_token *token, struct held *taken, struct held *handed)
{
    if (token->to >= w->count)
        return weir_launches_refuse(w, "a token is for no launch");
    const struct weir_gpu_launch *to = &w->plan->launches[token->to];
    if (token->from != WEIR_GPU_BEGIN && weir_launches_find(to, token->from) == to->after_count)
        return weir_launches_refuse(w, "a token is from a launch that its taker does not wait for");
    if (token->places && w->gpu.max_concurrent == 0)
        return weir_launches_refuse(w, "a token has places, and the model none");
    struct held *from = &handed[token->from == WEIR_GPU_BEGIN ? w->count : token->from];
    return (add(from, token) && add(&taken[token->to], token)) ||
           weir_launches_refuse(w, "tokens are more than can be represented");
}

bool weir_launches_tokens_hold(struct weir_launches_work *w)
{
    const struct weir_gpu_plan *p = w->plan;
    struct held *taken = weir_array_zeroed((size_t)w->count + 1, sizeof *taken);
    struct held *handed = weir_array_zeroed((size_t)w->count + 1, sizeof *handed);
    bool holds = (taken && handed) || weir_launches_no_memory(w);
    for (size_t i = 0; holds && i < p->token_count; i++)
        holds = token_holds(w, &p->tokens[i], taken, handed);
    if (holds) {
        for (uint32_t i = 0; holds && i < w->count; i++)
            if (taken[i].sms < p->launches[i].sms)
                holds = weir_launches_refuse(w, "a launch takes over fewer SMs than it uses");
            else if (taken[i].places == 0 && w->gpu.max_concurrent)
                holds = weir_launches_refuse(w, "a launch takes over no place");
            else if (handed[i].sms > taken[i].sms || handed[i].places > taken[i].places)
                holds = weir_launches_refuse(w, "a launch hands on more than it took over");
        if (holds && (handed[w->count].sms > p->sms || handed[w->count].places > w->gpu.max_concurrent))
            holds = weir_launches_refuse(w, "more is handed out at the beginning than there is");
    }
    weir_free(taken);
    weir_free(handed);
    return holds;
}
