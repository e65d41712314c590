/* SPDX-License-Identifier: Apache-2.0 */
/* What can be wrong with a model once all definitions are there, and times are ticks. */
#include "read/draft.h"

/* low <= high, unless one of them was reported already. */
static bool in_order(const struct weir_draft *d, int64_t low, int64_t high)
{
    const struct weir_draft_time *a = &d->times[low], *b = &d->times[high];
    return (a->bad && low != WEIR_NO_TIME) || (b->bad && high != WEIR_NO_TIME) || a->ticks <= b->ticks;
}

static void check_operators(struct weir_draft *d, unsigned digits)
{
    char quoted[WEIR_QUOTED], low[WEIR_TIME_TEXT], high[WEIR_TIME_TEXT];
    for (uint32_t i = 0; i < d->operator_count; i++) {
        const struct weir_operator_spec o = weir_draft_operator(d, i);
        const struct weir_draft_time *best = &d->times[o.best], *worst = &d->times[o.worst];
        const struct weir_draft_time *first = &d->times[o.receive_min], *last = &d->times[o.receive_max];
        weir_quote(o.name, quoted);
        if (!in_order(d, o.best, o.worst))
            weir_draft_mistake(d, best->place, "operator \"%s\" has a best case of %s, above its worst case of %s", quoted,
                               weir_decimal_format(best->ticks, digits, low), weir_decimal_format(worst->ticks, digits, high));
        if (!in_order(d, o.receive_min, o.receive_max))
            weir_draft_mistake(d, first->place, "operator \"%s\" receives after %s at the earliest, but after %s at the latest",
                               quoted, weir_decimal_format(first->ticks, digits, low),
                               weir_decimal_format(last->ticks, digits, high));
        else if (!in_order(d, o.receive_max, o.worst))
            weir_draft_mistake(d, last->place, "operator \"%s\" receives after %s, but takes no longer than %s", quoted,
                               weir_decimal_format(last->ticks, digits, low), weir_decimal_format(worst->ticks, digits, high));
    }
}

/* A second period of an operator is taken out, so that only this mistake is made of it. */
static void check_sources(struct weir_draft *d)
{
    char quoted[WEIR_QUOTED];
    struct weir_place *given = weir_array_zeroed(d->operator_count, sizeof *given);
    if (!given) {
        d->out_of_memory = true;
        return;
    }
    for (size_t i = 0; i < d->source_count; i++) {
        struct weir_source_spec *s = &d->sources[i].spec;
        const struct weir_draft_time *period = &d->times[s->period];
        bool told = d->shared && i > 0 && d->sources[i - 1].spec.period == s->period; /* of the same entry */
        if (!period->bad && period->ticks == 0 && !told)
            weir_draft_mistake(d, period->place, "\"period\" must be longer than 0");
        if (s->op.index == WEIR_NO_OPERATOR)
            continue;
        if (given[s->op.index].line) {
            weir_draft_mistake(d, s->place, "operator \"%s\" is given a period twice; the first is in line %u",
                               weir_quote(d->operators[s->op.index].name, quoted), given[s->op.index].line);
            s->op.index = WEIR_NO_OPERATOR;
        } else {
            given[s->op.index] = s->place;
        }
    }
    weir_free(given);
}

uint32_t weir_draft_capacity(const struct weir_draft *d, const struct weir_queue_spec *kind)
{
    uint32_t asked = d->options->queue, least = weir_draft_threads(d) && kind->consume > 1 ? kind->consume : 1;
    if (kind->latest)
        return 1;
    if (kind->capacity && !d->options->force_queue)
        return kind->capacity;
    if (asked || (d->queue && !d->options->force_queue))
        asked = asked ? asked : d->queue;
    else
        asked = d->pool ? WEIR_AUTO : 1;
    return asked < least ? least : asked; /* fewer messages than are taken at once never arrive */
}

/* A capacity that was asked for is never passed over in silence: where every queue gives its own it is refused, where some do they
 * are counted. */
static void check_asked_capacity(struct weir_draft *d)
{
    struct weir_place nowhere = {0, 0};
    size_t own = 0;
    for (size_t i = 0; i < d->kind_count; i++)
        own += d->kinds[i].spec.capacity != 0;
    if (!d->options->queue || d->options->force_queue || !own)
        return;
    if (own == d->kind_count)
        weir_draft_mistake(d, nowhere, "a capacity of %u was asked for, but %s", d->options->queue,
                           d->queues_kept ? "channels of an SDF3 graph have their own, or none, and no option changes that"
                                          : "every queue of the model gives its own; --force-queue changes them");
    else if (d->options->notes)
        weir_errors_add(d->options->notes, WEIR_OK, d->file, nowhere,
                        "some queues keep the capacity that the model gives them; --force-queue changes them, too");
}

static void check_kinds(struct weir_draft *d)
{
    check_asked_capacity(d);
    for (size_t i = 0; i < d->kind_count; i++) {
        struct weir_draft_kind *k = &d->kinds[i];
        k->spec.capacity = weir_draft_capacity(d, &k->spec);
        if (k->bad || k->spec.initial <= k->spec.capacity)
            continue;
        weir_draft_mistake(d, k->initial_place, "%u initial messages do not fit a queue of capacity %u", k->spec.initial,
                           k->spec.capacity);
        k->bad = true;
    }
    for (size_t i = 0; i < d->kind_count && !weir_draft_threads(d); i++)
        d->incomplete |= d->kinds[i].bad; /* its messages and rates tell which operators follow the source, and how often */
}

/* ---- threads: work on GPUs, and transfers ---- */

/* Reports an interval whose least is above its most. `what` is how the message begins: "the work of operator \"x\" ...". */
static void check_order(struct weir_draft *d, enum weir_key_id id, const void *spec, unsigned digits, const char *what)
{
    int64_t least = weir_key_get(&weir_keys[id], spec, 0), most = weir_key_get(&weir_keys[id], spec, 1);
    char below[WEIR_TIME_TEXT], above[WEIR_TIME_TEXT];
    if (!in_order(d, least, most))
        weir_draft_mistake(d, d->times[least].place, "%s takes %s at least, above the %s that it takes at most", what,
                           weir_decimal_format(d->times[least].ticks, digits, below),
                           weir_decimal_format(d->times[most].ticks, digits, above));
}

/* The bound of a plan holds where it has the SMs to itself. */
static void check_plans(struct weir_draft *d, uint32_t op)
{
    char quoted[WEIR_QUOTED];
    for (size_t i = 0; i < d->device_count; i++)
        if (!*d->devices[i].name) {
            weir_draft_mistake(d, d->rests[d->operators[op].rest - 1].launch_place,
                               "operator \"%s\" launches work, but the plan in line %u has the GPU to itself; if that is another "
                               "GPU, give the plan a \"device\"",
                               weir_quote(d->operators[op].name, quoted), d->devices[i].place.line);
            return;
        }
}

static void check_threads(struct weir_draft *d, unsigned digits)
{
    char quoted[WEIR_QUOTED], what[WEIR_QUOTED + 64];
    for (uint32_t op = 0; op < d->operator_count; op++) {
        const struct weir_operator_spec o = weir_draft_operator(d, op);
        if (!o.launch)
            continue;
        weir_quote(o.name, quoted);
        snprintf(what, sizeof what, "the work of operator \"%s\" on the GPU", quoted);
        check_order(d, WEIR_KEY_LAUNCH_TIME, o.launch, digits, what);
        snprintf(what, sizeof what, "what operator \"%s\" does after its work on the GPU", quoted);
        check_order(d, WEIR_KEY_LAUNCH_AFTER, o.launch, digits, what);
        if (o.reentrant)
            weir_draft_mistake(d, d->rests[d->operators[op].rest - 1].launch_place,
                               "operator \"%s\" is reentrant and launches work on a GPU: the order of the launches is not known",
                               quoted);
        check_plans(d, op);
    }
    for (size_t i = 0; i < d->kind_count; i++)
        check_order(d, WEIR_KEY_TRANSFER, &d->kinds[i].spec, digits, "a transfer");
    for (size_t i = 0; i < d->source_count; i++) {
        const struct weir_source_spec *s = &d->sources[i].spec;
        char low[WEIR_TIME_TEXT], high[WEIR_TIME_TEXT];
        if (!in_order(d, s->phase, s->phase_max))
            weir_draft_mistake(d, d->times[s->phase].place, "a source begins at %s at the earliest, but at %s at the latest",
                               weir_decimal_format(d->times[s->phase].ticks, digits, low),
                               weir_decimal_format(d->times[s->phase_max].ticks, digits, high));
    }
}

/* ---- shared processors ---- */

static void check_positive(struct weir_draft *d, int64_t time, const char *what)
{
    if (weir_draft_is_zero(d, time))
        weir_draft_mistake(d, d->times[time].place, "\"%s\" must be longer than 0", what);
}

static void check_processors(struct weir_draft *d)
{
    char quoted[WEIR_QUOTED];
    if (!d->shared)
        return;
    check_positive(d, d->platform.latency_limit, "latency-limit");
    for (size_t i = 0; i < d->processor_count; i++) {
        check_positive(d, d->processors[i].spec.frame, "frame");
        check_positive(d, d->processors[i].slot, "slot");
    }
    for (uint32_t i = 0; i < d->operator_count; i++) {
        const struct weir_operator_spec o = weir_draft_operator(d, i);
        check_positive(d, o.slot, "slot");
        if (weir_draft_is_zero(d, o.worst))
            weir_draft_mistake(d, d->times[o.worst].place,
                               "operator \"%s\" takes no time; on shared processors a worst case must be longer than 0",
                               weir_quote(o.name, quoted));
    }
}

/* ---- a pool of cores ---- */

/* mantissa * 10^exponent arrivals in 10^second ticks, in lowest terms. */
static bool count_arrivals(struct weir_draft_source *s, int second)
{
    weir_wide count = s->rate.mantissa, period = 1;
    int zeros = second - s->rate.exponent;
    if (zeros < -18 || zeros > 37)
        return false;
    for (; zeros > 0; zeros--)
        period *= 10;
    for (; zeros < 0; zeros++)
        count *= 10;
    struct weir_ratio rate;
    if (!weir_ratio_make(count, period, WEIR_TIME_MAX, &rate))
        return false;
    s->spec.count = rate.numerator;
    s->rate_ticks = rate.denominator;
    return true;
}

static void check_rate(struct weir_draft *d, struct weir_draft_source *s, unsigned digits)
{
    int second = -weir_unit_exponent(d->unit);
    if (d->unit_bad) {
        s->bad = true;
    } else if (d->unit == WEIR_UNIT_TICK) {
        weir_draft_mistake(d, s->rate_place, "a rate counts seconds, but the model's unit is tick: give the model a unit of time%s",
                           d->has_unit ? "" : ", or write units behind its times");
        s->bad = true;
    } else if (!count_arrivals(s, second) || !count_arrivals(s, second + (int)digits)) { /* whatever finer times there are */
        weir_draft_mistake(d, s->rate_place,
                           "this rate is out of range: it cannot be represented in the ticks that this model needs");
        s->bad = true;
    }
}

static void check_pool(struct weir_draft *d, unsigned digits)
{
    for (size_t i = 0; i < d->source_count && d->pool; i++) {
        struct weir_draft_source *s = &d->sources[i];
        const struct weir_draft_time *period = &d->times[s->spec.period];
        if (s->has_rate)
            check_rate(d, s, digits);
        else
            s->bad |= period->bad || period->ticks == 0;
        d->incomplete |= s->bad;
    }
}

void weir_draft_check_added(struct weir_draft *d, unsigned digits)
{
    check_threads(d, digits);
    check_pool(d, digits);
}

void weir_draft_check(struct weir_draft *d, unsigned digits)
{
    check_operators(d, digits);
    check_sources(d);
    check_kinds(d);
    weir_draft_check_observed(d);
    check_processors(d);
    weir_draft_check_added(d, digits);
}
