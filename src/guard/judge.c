/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What became of a latency. With B the bound of the baseline, N that of today and T the tolerance:
 *
 *     B holds, N does not            worse     the bound is lost
 *     N is a bracket from l to h     worse where l > B + T, open where h is not known or above that, or where B was exact
 *     N > B + T                      worse
 *     B was exact, N is safe alone   worse     nobody knows any more whether it is reached
 *     the deadline: a worse state    worse     open where a limit was reached
 *     B < N <= B + T                 within
 *     N < B, or of a better kind     better
 *
 * A deadline that is missed is a failure even where it was missed before; so is one that is not proved or not decided, with the
 * milder verdict. A latency without a bound fails where it is new or had one.
 */
#include "guard/guard.h"

#include "answer/number.h"
#include "base/error.h"
#include "model/pipeline.h"

#include <string.h>

#define LIMIT ((weir_wide)1 << 62)

/* ---- the tolerance ---- */

enum weir_status weir_tolerance_parse(const char *text, struct weir_tolerance *tolerance, struct weir_error *error)
{
    char number[64];
    *tolerance = (struct weir_tolerance){0};
    if (!text)
        return WEIR_OK;
    size_t length = strlen(text);
    tolerance->given = true;
    tolerance->percent = length > 0 && text[length - 1] == '%';
    length -= tolerance->percent;
    if (length >= sizeof number)
        return weir_fail(error, WEIR_INVALID, "a tolerance is a percentage such as 2%% or a time such as 1.5ms");
    memcpy(number, text, length);
    number[length] = 0;
    enum weir_decimal_fault fault = weir_decimal_parse(number, &tolerance->value);
    if (fault || (tolerance->percent && tolerance->value.has_unit) || tolerance->value.mantissa < 0)
        return weir_fail(error, WEIR_INVALID, "a tolerance is a percentage such as 2%% or a time such as 1.5ms, and not negative");
    return WEIR_OK;
}

static bool power(int exponent, weir_wide *result)
{
    *result = 1;
    if (exponent < 0 || exponent > 36)
        return false;
    for (; exponent > 0; exponent--)
        *result *= 10;
    return true;
}

/* mantissa * 10^exponent */
static bool make_decimal(int64_t mantissa, int exponent, struct weir_ratio *ratio)
{
    weir_wide scale;
    if (mantissa == 0) {
        *ratio = (struct weir_ratio){0, 1};
        return true;
    }
    if (!power(exponent < 0 ? -exponent : exponent, &scale) || (exponent > 18 && mantissa))
        return false;
    return exponent < 0 ? weir_ratio_make(mantissa, scale, LIMIT, ratio) : weir_ratio_make(mantissa * scale, 1, LIMIT, ratio);
}

/* How much worse a bound may be; false where that cannot be counted. */
static bool allowance(const struct weir_tolerance *t, const struct weir_pipeline *p, struct weir_ratio before,
                      struct weir_ratio *allowed)
{
    struct weir_ratio share;
    *allowed = (struct weir_ratio){0, 1};
    if (!t->given)
        return true;
    if (t->percent) {
        weir_wide size = before.numerator < 0 ? -(weir_wide)before.numerator : before.numerator;
        return make_decimal(t->value.mantissa, t->value.exponent - 2, &share) && share.numerator < INT64_C(1) << 40 &&
               weir_ratio_make(size * share.numerator, (weir_wide)before.denominator * share.denominator, LIMIT, allowed);
    }
    int exponent = t->value.exponent + (int)p->digits;
    if (t->value.has_unit && t->value.unit != WEIR_UNIT_TICK && p->unit != WEIR_UNIT_TICK)
        exponent += weir_unit_exponent(t->value.unit) - weir_unit_exponent(p->unit);
    else if (t->value.has_unit && t->value.unit != p->unit)
        return false;
    return make_decimal(t->value.mantissa, exponent, allowed);
}

/* Whether `now` is above `before` by more than the tolerance. */
static bool is_beyond(const struct weir_guard *guard, const struct weir_pipeline *p, struct weir_ratio before,
                      struct weir_ratio now)
{
    struct weir_ratio allowed, most;
    if (weir_ratio_compare(now, before) <= 0)
        return false;
    weir_wide n = 0, d = 1;
    if (allowance(&guard->tolerance, p, before, &allowed)) {
        n = (weir_wide)before.numerator * allowed.denominator + (weir_wide)allowed.numerator * before.denominator;
        d = (weir_wide)before.denominator * allowed.denominator;
        if (weir_ratio_make(n, d, LIMIT, &most))
            return weir_ratio_compare(now, most) > 0;
    }
    return true; /* a tolerance that cannot be counted tolerates nothing */
}

/* ---- ticks ---- */

bool weir_guard_scale(const struct weir_pipeline *from, const struct weir_pipeline *to, struct weir_ratio *ticks)
{
    bool timeless = from->unit == WEIR_UNIT_TICK;
    int exponent = (int)to->digits - (int)from->digits;
    weir_wide scale;
    if (timeless != (to->unit == WEIR_UNIT_TICK))
        return false;
    if (!timeless)
        exponent += weir_unit_exponent(from->unit) - weir_unit_exponent(to->unit);
    if (ticks->denominator == 0)
        return true;
    if (!power(exponent < 0 ? -exponent : exponent, &scale) || scale > LIMIT)
        return false;
    weir_wide n = ticks->numerator, d = ticks->denominator;
    return exponent < 0 ? weir_ratio_make(n, d * scale, LIMIT, ticks) : weir_ratio_make(n * scale, d, LIMIT, ticks);
}

bool weir_guard_scale_bound(const struct weir_pipeline *from, const struct weir_pipeline *to, struct weir_bound *bound)
{
    struct weir_ratio deadline = {bound->deadline, 1};
    if (!weir_guard_scale(from, to, &bound->worst.low) || !weir_guard_scale(from, to, &bound->worst.high) ||
        !weir_guard_scale(from, to, &deadline))
        return false;
    bound->has_deadline &= deadline.denominator == 1; /* else the tick of today is too coarse to say it */
    bound->deadline = bound->has_deadline ? deadline.numerator : 0;
    return true;
}

/* ---- words ---- */

const char *weir_guard_words(struct weir_answer *answer, const struct weir_bound *bound)
{
    const struct weir_quantity *worst = &bound->worst;
    bool low = worst->low.denominator > 0;
    if (worst->claim == WEIR_CLAIM_BRACKET)
        return weir_answer_format(answer, "%s to %s", low ? weir_result_amount(answer, worst->low) : "0",
                                  worst->high.denominator ? weir_result_amount(answer, worst->high) : "?");
    if (worst->claim == WEIR_CLAIM_UNSAFE)
        return weir_answer_format(answer, "%s, which can be exceeded", weir_result_amount(answer, worst->high));
    if (!weir_bound_holds(bound))
        return weir_result_worst(bound).is.text;
    return weir_answer_format(answer, "%s%s", worst->claim == WEIR_CLAIM_SAFE ? "at most " : "",
                              weir_result_amount(answer, worst->high));
}

/* ", +10 ms (+10.6 %)" */
static const char *difference(struct weir_answer *answer, struct weir_ratio before, struct weir_ratio now)
{
    char text[WEIR_NUMBER_TEXT];
    struct weir_ratio by, share;
    int order = weir_ratio_compare(now, before);
    weir_wide n = (weir_wide)now.numerator * before.denominator - (weir_wide)before.numerator * now.denominator;
    if (order == 0 || !weir_ratio_make(n, (weir_wide)now.denominator * before.denominator, LIMIT, &by))
        return "";
    const char *sign = order > 0 ? "+" : "-";
    struct weir_ratio size = {order > 0 ? by.numerator : -by.numerator, by.denominator};
    const char *amount = weir_result_amount(answer, size);
    if (before.numerator <= 0 || !weir_ratio_make((weir_wide)size.numerator * before.denominator,
                                                  (weir_wide)size.denominator * before.numerator, LIMIT, &share))
        return weir_answer_format(answer, ", %s%s", sign, amount);
    return weir_answer_format(answer, ", %s%s (%s%s)", sign, amount, sign, weir_ratio_percent(share, text));
}

static void say(struct weir_answer *answer, struct weir_guard_judgement *j, enum weir_guard_change change, const char *words)
{
    if (!words)
        return;
    j->change = change > j->change ? change : j->change;
    j->message = j->message ? weir_answer_format(answer, "%s; %s", j->message, words) : words;
}

/* ---- the rules ---- */

static enum weir_verdict verdict_of(const struct weir_result_chain *chain)
{
    const struct weir_bound *b = chain->before, *a = chain->after;
    if (!a)
        return WEIR_VERDICT_GOOD;
    if (a->state == WEIR_DEADLINE_MISSED)
        return WEIR_VERDICT_BAD;
    if (a->state == WEIR_DEADLINE_NOT_PROVED || a->state == WEIR_DEADLINE_NOT_DECIDED)
        return WEIR_VERDICT_OPEN;
    if (b && !weir_bound_holds(b)) /* what it had not before it need not have now */
        return WEIR_VERDICT_GOOD;
    return a->worst.claim == WEIR_CLAIM_UNBOUNDED ? WEIR_VERDICT_BAD
           : weir_bound_holds(a) || a->worst.claim == WEIR_CLAIM_NONE
               ? (a->worst.claim == WEIR_CLAIM_BRACKET && !b ? WEIR_VERDICT_OPEN : WEIR_VERDICT_GOOD)
               : WEIR_VERDICT_OPEN;
}

static void judge_bracket(const struct weir_guard *guard, struct weir_answer *answer, const struct weir_result_chain *chain,
                          struct weir_guard_judgement *j)
{
    const struct weir_quantity *b = &chain->before->worst, *a = &chain->after->worst;
    bool above = a->low.denominator && is_beyond(guard, answer->pipeline, b->high, a->low);
    bool below = a->high.denominator && !is_beyond(guard, answer->pipeline, b->high, a->high);
    const char *was = weir_guard_words(answer, chain->before), *is = weir_guard_words(answer, chain->after);
    if (above)
        say(answer, j, WEIR_GUARD_WORSE, weir_answer_format(answer, "worst case %s -> %s", was, is));
    else if (!below || b->claim == WEIR_CLAIM_EXACT)
        say(answer, j, WEIR_GUARD_OPEN, weir_answer_format(answer, "worst case %s -> %s: a limit was reached", was, is));
}

static void judge_worst(const struct weir_guard *guard, struct weir_answer *answer, const struct weir_result_chain *chain,
                        struct weir_guard_judgement *j)
{
    const struct weir_quantity *b = &chain->before->worst, *a = &chain->after->worst;
    bool held = weir_bound_holds(chain->before), holds = weir_bound_holds(chain->after);
    if (a->claim == WEIR_CLAIM_BRACKET && held) {
        judge_bracket(guard, answer, chain, j);
        return;
    }
    const char *was = weir_guard_words(answer, chain->before), *is = weir_guard_words(answer, chain->after);
    const char *words = weir_answer_format(answer, "worst case %s -> %s", was, is);
    if (held && !holds && a->claim != WEIR_CLAIM_NONE)
        say(answer, j, WEIR_GUARD_WORSE, weir_answer_format(answer, "%s: the bound is lost", words));
    else if (!held && holds)
        say(answer, j, WEIR_GUARD_BETTER, words);
    else if (a->claim == WEIR_CLAIM_UNBOUNDED && b->claim == WEIR_CLAIM_UNKNOWN)
        say(answer, j, WEIR_GUARD_WORSE, words);
    if (!held || !holds)
        return;
    int order = weir_ratio_compare(a->high, b->high);
    if (order)
        say(answer, j,
            order < 0                                              ? WEIR_GUARD_BETTER
            : is_beyond(guard, answer->pipeline, b->high, a->high) ? WEIR_GUARD_WORSE
                                                                   : WEIR_GUARD_WITHIN,
            weir_answer_format(answer, "%s%s", words, difference(answer, b->high, a->high)));
    if (b->claim == WEIR_CLAIM_EXACT && a->claim == WEIR_CLAIM_SAFE)
        say(answer, j, WEIR_GUARD_WORSE, "it was exact and is now only a safe bound");
    else if (b->claim != WEIR_CLAIM_EXACT && a->claim == WEIR_CLAIM_EXACT)
        say(answer, j, WEIR_GUARD_BETTER, "it is exact now");
}

static void judge_deadline(struct weir_answer *answer, const struct weir_result_chain *chain, struct weir_guard_judgement *j)
{
    static const int ranks[] = {[WEIR_DEADLINE_NONE] = 0,
                                [WEIR_DEADLINE_MET] = 0,
                                [WEIR_DEADLINE_NOT_PROVED] = 1,
                                [WEIR_DEADLINE_NOT_DECIDED] = 1,
                                [WEIR_DEADLINE_MISSED] = 2};
    const struct weir_bound *b = chain->before, *a = chain->after;
    bool limited = a->state == WEIR_DEADLINE_NOT_DECIDED && a->worst.claim == WEIR_CLAIM_BRACKET;
    const char *deadline = a->has_deadline ? weir_result_time(answer, a->deadline) : "";
    if (ranks[a->state] > ranks[b->state])
        say(answer, j, limited ? WEIR_GUARD_OPEN : WEIR_GUARD_WORSE,
            weir_answer_format(answer, "its deadline of %s is %s", deadline, weir_deadline_state_name(a->state)));
    else if (ranks[a->state] && ranks[a->state] == ranks[b->state])
        say(answer, j, WEIR_GUARD_SAME,
            weir_answer_format(answer, "its deadline of %s is %s, as in the baseline", deadline,
                               weir_deadline_state_name(a->state)));
    else if (ranks[a->state] < ranks[b->state] && a->has_deadline)
        say(answer, j, WEIR_GUARD_BETTER,
            weir_answer_format(answer, "its deadline of %s is %s", deadline, weir_deadline_state_name(a->state)));
    if (b->state != WEIR_DEADLINE_NONE && a->state == WEIR_DEADLINE_NONE)
        say(answer, j, WEIR_GUARD_SAME, "its deadline is gone");
}

struct weir_guard_judgement weir_guard_judge(const struct weir_guard *guard, struct weir_answer *answer,
                                             const struct weir_result_chain *chain)
{
    struct weir_guard_judgement j = {.verdict = verdict_of(chain)};
    if (!chain->before || !chain->after) {
        bool new = !chain->before;
        j.change = new ? WEIR_GUARD_NEW : WEIR_GUARD_GONE;
        j.message = new ? weir_answer_format(answer, "new, worst case %s%s", weir_guard_words(answer, chain->after),
                                             chain->after->state == WEIR_DEADLINE_NONE
                                                 ? ""
                                                 : weir_answer_format(answer, ", its deadline is %s",
                                                                      weir_deadline_state_name(chain->after->state)))
                        : "gone: it is only in the baseline";
        if (guard->options.strict)
            j.verdict = WEIR_VERDICT_BAD;
        return j;
    }
    judge_worst(guard, answer, chain, &j);
    judge_deadline(answer, chain, &j);
    enum weir_verdict by_change = j.change == WEIR_GUARD_WORSE  ? WEIR_VERDICT_BAD
                                  : j.change == WEIR_GUARD_OPEN ? WEIR_VERDICT_OPEN
                                                                : WEIR_VERDICT_GOOD;
    j.verdict = by_change > j.verdict ? by_change : j.verdict;
    if (!j.message)
        j.message = weir_answer_format(answer, "worst case %s", weir_guard_words(answer, chain->after));
    return j;
}
