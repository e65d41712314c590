/* SPDX-License-Identifier: Apache-2.0 */
/* Drawing plans and changing them. */
#include "base/number.h"
#include "simulate/search.h"
#include "simulate/times.h"

/* ---- drawing ---- */

struct recipe {
    enum weir_times times;
    enum weir_releases releases;
    bool together; /* phases are 0 */
    bool fixed;    /* each operator is always at its best or always at its worst */
};

static struct recipe draw_recipe(struct weir_random *random)
{
    static const enum weir_times times[] = {WEIR_TIMES_WORST,     WEIR_TIMES_WORST,     WEIR_TIMES_RANDOM,
                                            WEIR_TIMES_BANG_BANG, WEIR_TIMES_BANG_BANG, WEIR_TIMES_BEST};
    static const enum weir_releases releases[] = {WEIR_RELEASES_NOMINAL, WEIR_RELEASES_LATE,    WEIR_RELEASES_RANDOM,
                                                  WEIR_RELEASES_EXTREME, WEIR_RELEASES_EXTREME, WEIR_RELEASES_BURST,
                                                  WEIR_RELEASES_BURST,   WEIR_RELEASES_QUIET};
    return (struct recipe){.times = times[weir_random_between(random, 0, 5)],
                           .releases = releases[weir_random_between(random, 0, 7)],
                           .together = weir_random_between(random, 0, 3) == 0,
                           .fixed = weir_random_between(random, 0, 5) == 0};
}

static void draw_times(const struct weir_processors_search *s, struct weir_plan *plan, const struct recipe *recipe,
                       struct weir_dice *dice)
{
    weir_draw *draw = weir_dice_draw(recipe->times);
    for (uint32_t i = 0; i < s->operator_count; i++) {
        struct weir_operator op = {i};
        bool slow = weir_random_next(&dice[i].random) >> 63;
        for (int64_t n = 0; n < s->iterations; n++) {
            int64_t *time = &plan->times[i * s->iterations + n];
            *time = !recipe->fixed ? draw(dice, op, WEIR_PART_EXECUTION, n) : slow ? s->worst[i] : s->best[i];
        }
    }
}

static int64_t draw_phase(const struct weir_processors_search *s, uint32_t source, struct weir_random *random)
{
    return s->sources[source].has_phase ? s->sources[source].phase : weir_random_between(random, 0, s->sources[source].period - 1);
}

static void draw_releases(const struct weir_processors_search *s, struct weir_plan *plan, const struct recipe *recipe,
                          struct weir_random *random)
{
    for (uint32_t i = 0; i < s->source_count; i++) {
        struct weir_release_die die;
        weir_release_die_new(&die, &s->sources[i], recipe->releases, s->iterations, weir_random_next(random));
        for (int64_t n = 0; n < s->iterations; n++) {
            struct weir_drawn_release release = weir_release_draw(&die);
            plan->offsets[i * s->iterations + n] = release.offset;
            plan->spreads[i * s->iterations + n] = release.spread;
        }
        plan->phases[i] = draw_phase(s, i, random);
        if (recipe->together && !s->sources[i].has_phase)
            plan->phases[i] = 0;
    }
}

static int64_t draw_frame(const struct weir_processors_search *s, uint32_t processor, struct weir_random *random)
{
    return s->shared[processor].sharing == WEIR_TDM ? weir_random_between(random, 0, s->shared[processor].frame - 1) : 0;
}

enum weir_status weir_plan_draw(const struct weir_processors_search *s, struct weir_plan *plan, uint64_t seed)
{
    struct weir_random random;
    weir_random_seed(&random, seed);
    struct recipe recipe = draw_recipe(&random);
    struct weir_dice *dice = weir_dice_new(s->pipeline, weir_random_next(&random));
    if (!dice)
        return WEIR_MEMORY;
    draw_times(s, plan, &recipe, dice);
    weir_free(dice);
    draw_releases(s, plan, &recipe, &random);
    for (uint32_t i = 0; i < s->processor_count; i++)
        plan->frames[i] = draw_frame(s, i, &random);
    *plan->order = (int64_t)(weir_random_next(&random) >> 1);
    return WEIR_OK;
}

/* ---- changing ---- */

struct change {
    struct weir_processors_search *s;
    struct weir_plan *plan;
    const struct weir_search_chain *chain;
    const struct weir_worst *worst;
};

static int64_t roll(struct change *c, int64_t low, int64_t high)
{
    return weir_random_between(&c->s->random, low, high);
}

/* Iterations first .. last of a source's operators, not far before the finish that was late. */
static void near(struct change *c, uint32_t source, int64_t *first, int64_t *last)
{
    const struct weir_source_spec *spec = &c->s->sources[source];
    int64_t end = c->s->iterations - 1, shift = c->chain->spec.shift;
    int64_t at = source == c->chain->source ? c->worst->iteration + (shift > 0 ? shift : 0)
                                            : (c->worst->time - c->plan->phases[source]) / spec->period;
    at += 1 - roll(c, 0, (INT64_C(1) << roll(c, 0, 4)));
    *last = at < 0 ? 0 : at > end ? end : at;
    *first = *last - roll(c, 0, (INT64_C(1) << roll(c, 0, 3)));
    *first = *first < 0 ? 0 : *first;
}

static void change_time(struct change *c)
{
    struct weir_processors_search *s = c->s;
    uint32_t op = (uint32_t)roll(c, 0, s->operator_count - 1);
    int64_t first, last, kind = roll(c, 0, 7), low = s->best[op], high = s->worst[op];
    near(c, weir_processors_source(s->processors, (struct weir_operator){op}), &first, &last);
    if (kind > 1)
        first = last; /* one; otherwise a stretch */
    for (int64_t n = first; n <= last; n++) {
        int64_t *time = &c->plan->times[op * s->iterations + n];
        if (kind == 7)
            *time = roll(c, low, high);
        else if (kind > 1)
            *time = *time == high ? low : high;
        else
            *time = kind ? high : low;
    }
}

/* All that can arrive with input `last`, do. */
static void gather(struct change *c, uint32_t source, int64_t last)
{
    const struct weir_source_spec *spec = &c->s->sources[source];
    int64_t *offset = &c->plan->offsets[source * c->s->iterations], *spread = &c->plan->spreads[source * c->s->iterations];
    int64_t wait = offset[last];
    for (int64_t n = last; n > 0; n--) {
        wait = wait > WEIR_TIME_MAX ? wait : wait + spec->period + spread[n];
        if (wait > spec->jitter)
            return;
        offset[n - 1] = wait;
    }
}

static void change_arrivals(struct change *c, uint32_t source)
{
    const struct weir_source_spec *spec = &c->s->sources[source];
    int64_t first, last, kind = roll(c, 0, 5);
    near(c, source, &first, &last);
    int64_t *offset = &c->plan->offsets[source * c->s->iterations];
    switch (kind) {
    case 0:
        offset[last] = roll(c, 0, spec->jitter);
        break;
    case 1:
        offset[last] = offset[last] ? 0 : spec->jitter;
        break;
    case 2:
    case 3:
        if (kind == 3)
            offset[last] = roll(c, 0, spec->jitter < spec->period ? spec->jitter : spec->period);
        gather(c, source, last);
        break;
    default:
        for (int64_t n = first; n <= last; n++)
            offset[n] = kind == 4 ? 0 : spec->jitter;
    }
}

static void change_spread(struct change *c, uint32_t source)
{
    int64_t first, last, kind = roll(c, 0, 3), period = c->s->sources[source].period;
    near(c, source, &first, &last);
    int64_t *spread = &c->plan->spreads[source * c->s->iterations];
    if (kind > 1) {
        spread[last] = roll(c, 0, kind == 2 ? period : 2 + period / 16);
        return;
    }
    for (int64_t n = kind ? first : last; n <= last; n++)
        spread[n] = 0;
}

static int64_t nudge(struct change *c, int64_t value, int64_t period)
{
    int64_t most = period / 8 + 1, by = roll(c, -most, most);
    value = (value + by) % period;
    return value < 0 ? value + period : value;
}

/* Moves the phase of one of two sources so that operators of both, on the same processor, were enabled at the same moment if
 * nothing else changed. */
static void align(struct change *c)
{
    struct weir_processors_search *s = c->s;
    uint32_t a = (uint32_t)roll(c, 0, s->operator_count - 1), b = a;
    uint32_t source = weir_processors_source(s->processors, (struct weir_operator){a}), other = source;
    for (int i = 0; i < 16 && (other == source || s->on[a] != s->on[b]); i++) {
        b = (uint32_t)roll(c, 0, s->operator_count - 1);
        other = weir_processors_source(s->processors, (struct weir_operator){b});
    }
    if (other == source || s->on[a] != s->on[b] || s->sources[other].has_phase)
        return;
    int64_t first, n, m, period = s->sources[other].period;
    near(c, source, &first, &n);
    near(c, other, &first, &m);
    int64_t by = (s->sighting.enable[a * s->iterations + n] - s->sighting.enable[b * s->iterations + m]) % period;
    c->plan->phases[other] = ((c->plan->phases[other] + by) % period + period) % period;
}

static void change_source(struct change *c)
{
    uint32_t source = (uint32_t)roll(c, 0, c->s->source_count - 1);
    const struct weir_source_spec *spec = &c->s->sources[source];
    int64_t kind = roll(c, 0, 3);
    if (kind == 0 && !spec->has_phase)
        c->plan->phases[source] = draw_phase(c->s, source, &c->s->random);
    else if (kind == 1 && !spec->has_phase)
        c->plan->phases[source] = nudge(c, c->plan->phases[source], spec->period);
    else if (spec->sporadic && roll(c, 0, 1))
        change_spread(c, source);
    else if (spec->jitter > 0)
        change_arrivals(c, source);
}

static void change_processor(struct change *c)
{
    if (c->s->processor_count == 0)
        return;
    uint32_t processor = (uint32_t)roll(c, 0, c->s->processor_count - 1);
    if (c->s->shared[processor].sharing != WEIR_TDM)
        *c->plan->order = (int64_t)(weir_random_next(&c->s->random) >> 1);
    else if (roll(c, 0, 1))
        c->plan->frames[processor] = draw_frame(c->s, processor, &c->s->random);
    else
        c->plan->frames[processor] = nudge(c, c->plan->frames[processor], c->s->shared[processor].frame);
}

void weir_plan_change(struct weir_processors_search *s, struct weir_plan *plan, const struct weir_search_chain *chain,
                      const struct weir_worst *worst)
{
    struct change c = {s, plan, chain, worst};
    do {
        int64_t kind = roll(&c, 0, 9);
        if (kind < 5)
            change_time(&c);
        else if (kind == 5 && s->source_count > 1)
            align(&c);
        else if (kind < 9)
            change_source(&c);
        else
            change_processor(&c);
    } while (roll(&c, 0, 2));
}
