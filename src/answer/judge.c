/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deadlines, decided once. With d the deadline and W the worst case, of which is known that low <= W (where low is known) and
 * W <= high (where the claim is exact, safe or a bracket, and high is known):
 *
 *     W grows for ever       missed        it is passed sooner or later
 *     low > d                missed        some execution is later
 *     high <= d              met           no execution is later
 *     a safe bound above d   not proved    d may hold: the bound need not be reached
 *     anything else          not decided   a bracket with d inside, no bound, an unsafe number
 *
 * A latency between events that never happen meets every deadline.
 */
#include "answer/answer.h"
#include "base/number.h"
#include "base/word.h"

static bool known(struct weir_ratio end)
{
    return end.denominator > 0;
}

bool weir_bound_holds(const struct weir_bound *bound)
{
    enum weir_claim claim = bound->worst.claim;
    return (claim == WEIR_CLAIM_EXACT || claim == WEIR_CLAIM_SAFE || claim == WEIR_CLAIM_BRACKET) && known(bound->worst.high);
}

enum weir_deadline_state weir_judge(const struct weir_bound *bound)
{
    struct weir_ratio deadline = {bound->deadline, 1};
    const struct weir_quantity *worst = &bound->worst;
    if (!bound->has_deadline)
        return WEIR_DEADLINE_NONE;
    if (worst->claim == WEIR_CLAIM_NONE)
        return WEIR_DEADLINE_MET;
    if (worst->claim == WEIR_CLAIM_UNBOUNDED)
        return WEIR_DEADLINE_MISSED;
    if (worst->claim == WEIR_CLAIM_UNSAFE || worst->claim == WEIR_CLAIM_UNKNOWN)
        return WEIR_DEADLINE_NOT_DECIDED;
    if (known(worst->low) && weir_ratio_compare(worst->low, deadline) > 0)
        return WEIR_DEADLINE_MISSED;
    if (known(worst->high) && weir_ratio_compare(worst->high, deadline) <= 0)
        return WEIR_DEADLINE_MET;
    return worst->claim == WEIR_CLAIM_SAFE ? WEIR_DEADLINE_NOT_PROVED : WEIR_DEADLINE_NOT_DECIDED;
}

enum weir_deadline_state weir_judge_latency(const struct weir_separation *worst, int64_t deadline, int64_t scale)
{
    struct weir_bound bound = {.has_deadline = true, .deadline = deadline, .worst = weir_quantity_of(worst, false)};
    bound.worst.low.denominator *= scale;
    bound.worst.high.denominator *= scale;
    return weir_judge(&bound);
}

static bool is_open(const struct weir_quantity *quantity)
{
    return quantity->claim == WEIR_CLAIM_BRACKET || quantity->claim == WEIR_CLAIM_UNKNOWN;
}

enum weir_verdict weir_bound_verdict(const struct weir_bound *bound)
{
    if (bound->state == WEIR_DEADLINE_MISSED || bound->worst.claim == WEIR_CLAIM_UNBOUNDED)
        return WEIR_VERDICT_BAD;
    if (bound->state == WEIR_DEADLINE_NOT_PROVED || bound->state == WEIR_DEADLINE_NOT_DECIDED || is_open(&bound->worst) ||
        bound->best.claim == WEIR_CLAIM_BRACKET || bound->gap.claim == WEIR_CLAIM_BRACKET)
        return WEIR_VERDICT_OPEN;
    return WEIR_VERDICT_GOOD;
}

void weir_answer_judge(struct weir_answer *answer)
{
    for (size_t i = 0; i < answer->bound_count; i++)
        answer->bounds[i].state = weir_judge(&answer->bounds[i]);
}

enum weir_verdict weir_answer_verdict(const struct weir_answer *answer)
{
    enum weir_verdict verdict = answer->trouble_verdict;
    for (size_t i = 0; i < answer->bound_count; i++) {
        enum weir_verdict one = weir_bound_verdict(&answer->bounds[i]);
        verdict = one > verdict ? one : verdict;
    }
    return verdict;
}

/* How urgent a bound is; of two that are equally so, the one that is later. */
static int urgency(const struct weir_bound *bound)
{
    if (bound->worst.claim == WEIR_CLAIM_UNBOUNDED)
        return 5;
    if (bound->state == WEIR_DEADLINE_MISSED)
        return 4;
    if (bound->state == WEIR_DEADLINE_NOT_PROVED)
        return 3;
    return weir_bound_verdict(bound) == WEIR_VERDICT_OPEN ? 2 : bound->has_deadline ? 1 : 0;
}

/* How far the known end lies behind the deadline; without one, behind the beginning. */
static struct weir_ratio lateness(const struct weir_bound *bound)
{
    struct weir_ratio end = known(bound->worst.high) ? bound->worst.high : bound->worst.low;
    weir_wide late = (weir_wide)end.numerator - (weir_wide)(bound->has_deadline ? bound->deadline : 0) * end.denominator;
    if (!known(end))
        return (struct weir_ratio){0, 1};
    return (struct weir_ratio){late > INT64_MAX ? INT64_MAX : late < INT64_MIN ? INT64_MIN : (int64_t)late, end.denominator};
}

int weir_bound_compare(const struct weir_bound *a, const struct weir_bound *b)
{
    int first = urgency(a), second = urgency(b);
    return first != second ? second - first : -weir_ratio_compare(lateness(a), lateness(b));
}

const struct weir_bound *weir_answer_worst(const struct weir_answer *answer)
{
    const struct weir_bound *worst = NULL;
    for (size_t i = 0; i < answer->bound_count; i++)
        if (!worst || weir_bound_compare(&answer->bounds[i], worst) < 0)
            worst = &answer->bounds[i];
    return worst;
}

const char *weir_claim_name(enum weir_claim claim)
{
    static const char *const names[] = {"none", "exact", "safe", "bracket", "unsafe", "unknown", "unbounded"};
    return WEIR_WORD(names, claim);
}

const char *weir_deadline_state_name(enum weir_deadline_state state)
{
    static const char *const names[] = {"none", "met", "not proved", "not decided", "missed"};
    return WEIR_WORD(names, state);
}
