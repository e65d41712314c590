/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times of operators. The greatest that any file saw is the worst case, the least the best. From receive() to emit() is less than
 * compute() takes: as a best case that is safe, as a worst case it is not, which is noted unless a file has whole executions.
 */
#include "read/holoscan/evidence_build.h"

#include "model/pipeline.h"

#include <inttypes.h>
#include <string.h>

#define FROM_MAX 256

/* What all files say of one operator. */
struct summary {
    uint64_t counts[WEIR_EVIDENCE_FORMATS]; /* by kind of file */
    int64_t min, max;                       /* WEIR_TIME_UNKNOWN: nobody said */
    int64_t ports, execution, rare, upper;
    bool heavy;
    struct weir_evidence_place ports_at, execution_at;
    char from[FROM_MAX];
};

static const struct weir_place nowhere = {0, 0};

static void name_file(struct summary *s, const char *path)
{
    size_t used = strlen(s->from);
    const char *base = strrchr(path, '/');
    base = base && base[1] ? base + 1 : path;
    size_t bytes = strlen(base);
    const char *found = strstr(s->from, base);
    bool there = found && (found == s->from || found[-1] == ' ') && (found[bytes] == 0 || found[bytes] == ',');
    if (!there && used + bytes + 3 < sizeof s->from)
        snprintf(s->from + used, sizeof s->from - used, "%s%s", used ? ", " : "", base);
}

static void add(struct summary *s, const struct weir_evidence *e, const struct weir_evidence_time *t)
{
    if (t->max == WEIR_TIME_UNKNOWN && t->min == WEIR_TIME_UNKNOWN)
        return;
    s->counts[e->files[t->at.file].format] += t->count;
    if (t->min != WEIR_TIME_UNKNOWN && (s->min == WEIR_TIME_UNKNOWN || t->min < s->min))
        s->min = t->min;
    if (t->max > s->max)
        s->max = t->max;
    if (t->span == WEIR_SPAN_PORTS && t->max > s->ports)
        s->ports = t->max, s->ports_at = t->at;
    if (t->span == WEIR_SPAN_EXECUTION && t->max > s->execution)
        s->execution = t->max, s->execution_at = t->at;
    s->rare = t->rare > s->rare ? t->rare : s->rare;
    s->upper = t->upper > s->upper ? t->upper : s->upper;
    s->heavy |= t->heavy;
    name_file(s, e->files[t->at.file].path);
}

/* Files of one kind are of different runs, a log and statistics may well be of the same: those executions count once. */
static uint64_t count_of(const struct summary *s)
{
    uint64_t most = 0;
    for (size_t i = 0; i < WEIR_EVIDENCE_FORMATS; i++)
        most = s->counts[i] > most ? s->counts[i] : most;
    return most;
}

/* ---- as times of the draft ---- */

uint32_t weir_evidence_time_of(struct weir_draft *d, int64_t ns)
{
    struct weir_decimal value = {.mantissa = ns, .exponent = ns ? -9 : 0, .has_unit = true, .unit = WEIR_UNIT_S};
    while (value.mantissa && value.mantissa % 10 == 0)
        value.mantissa /= 10, value.exponent++;
    return weir_draft_decimal(d, &value, nowhere);
}

int64_t weir_evidence_widen(int64_t ns, uint32_t permille, bool up)
{
    weir_wide product = (weir_wide)ns * (up ? 1000 + (int64_t)permille : permille > 1000 ? 0 : 1000 - (int64_t)permille);
    const weir_wide step = permille ? 1000 * 1000 : 1000; /* a microsecond, in thousandths of nanoseconds */
    weir_wide rounded = up ? (product + step - 1) / step * step : product / step * step;
    rounded /= 1000;
    return rounded >= WEIR_TIME_MAX ? WEIR_TIME_UNKNOWN : (int64_t)rounded;
}

/* The longest seen in any file, or what the tail of a log says, if that is asked for. */
static int64_t worst_of(const struct summary *s)
{
    return s->upper > s->max ? s->upper : s->max;
}

static void take_times(struct weir_evidence_building *b, uint32_t op, const struct summary *s)
{
    struct weir_draft *d = b->draft;
    uint32_t margin = b->options->margin_permille;
    uint32_t best = weir_evidence_time_of(d, s->min == WEIR_TIME_UNKNOWN ? 0 : weir_evidence_widen(s->min, margin, false));
    int64_t longest = weir_evidence_widen(worst_of(s), margin, true);
    char quoted[WEIR_QUOTED];
    if (b->options->tail && !s->upper) {
        weir_draft_mistake(
            d, nowhere,
            "no log has enough executions of operator \"%s\" for an estimate of its tail: 80 are needed, and %" PRIu64 " were seen",
            weir_quote(d->operators[op].name, quoted), count_of(s));
        return;
    }
    if (longest == WEIR_TIME_UNKNOWN) {
        weir_draft_mistake(d, nowhere, "operator \"%s\" takes longer than can be represented",
                           weir_quote(d->operators[op].name, quoted));
        return;
    }
    uint32_t worst = weir_evidence_time_of(d, longest);
    struct weir_observed observed = {
        .count = count_of(s), .max = weir_evidence_time_of(d, s->max), .tail = b->options->tail, .from = s->from};
    if (s->min != WEIR_TIME_UNKNOWN)
        observed.min = weir_evidence_time_of(d, s->min);
    d->operators[op].best = best;
    d->operators[op].worst = worst;
    weir_draft_observe(d, op, &observed);
}

/* ---- what is to be said about them ---- */

struct remarks {
    size_t ports_only, without_least, beyond, heavy, tails;
    uint32_t ports_example, least_example, beyond_example, heavy_example; /* operators of the draft */
    uint64_t fewest;                                                      /* executions that a tail rests on */
    int64_t rare, worst, margin; /* of beyond_example, which needs the greatest margin, in percent */
    struct weir_evidence_place ports_at;
};

static void compare_spans(struct weir_evidence_building *b, uint32_t op, const struct summary *s)
{
    struct weir_evidence *e = b->evidence;
    char quoted[WEIR_QUOTED], inside[WEIR_TIME_TEXT], whole[WEIR_TIME_TEXT];
    if (s->execution == WEIR_TIME_UNKNOWN || s->ports <= s->execution)
        return;
    weir_evidence_note(
        e, s->ports_at,
        "contradiction: \"%s\" took %s ms from receive() to emit(), but %s says that no execution took more than %s ms; "
        "the greater is used",
        weir_quote(b->draft->operators[op].name, quoted), weir_decimal_format(s->ports, 6, inside),
        e->files[s->execution_at.file].path, weir_decimal_format(s->execution, 6, whole));
}

static void remark(struct remarks *r, uint32_t op, const struct summary *s)
{
    if (s->execution == WEIR_TIME_UNKNOWN && r->ports_only++ == 0)
        r->ports_example = op, r->ports_at = s->ports_at;
    if (s->min == WEIR_TIME_UNKNOWN && r->without_least++ == 0)
        r->least_example = op;
    if (s->heavy && r->heavy++ == 0)
        r->heavy_example = op;
    if (s->upper && (r->tails++ == 0 || count_of(s) < r->fewest))
        r->fewest = count_of(s);
}

/* Where one execution in a million may take longer than the worst case. */
static void remark_tail(struct remarks *r, uint32_t op, const struct summary *s, uint32_t margin_permille)
{
    int64_t worst = weir_evidence_widen(s->max, margin_permille, true);
    if (worst == WEIR_TIME_UNKNOWN || s->rare <= worst || s->max <= 0)
        return;
    weir_wide percent = ((weir_wide)(s->rare - s->max) * 100 + s->max - 1) / s->max;
    r->beyond++;
    if (percent > r->margin) {
        r->beyond_example = op, r->rare = s->rare, r->worst = worst;
        r->margin = percent > 1000 ? 1001 : (int64_t)percent;
    }
}

static void note_tail(struct weir_evidence_building *b, const struct remarks *r)
{
    char quoted[WEIR_QUOTED], rare[WEIR_TIME_TEXT], worst[WEIR_TIME_TEXT], margin[64] = "; no --margin covers that";
    if (!r->beyond || b->options->tail)
        return;
    if (r->margin <= 1000)
        snprintf(margin, sizeof margin, "; --margin %d%% covers that", (int)r->margin);
    weir_evidence_note(
        b->evidence, (struct weir_evidence_place){r->ports_at.file, 0},
        "the longest times observed are not the longest possible: if their tail continues as it is, one execution in a million of "
        "\"%s\" takes more than %s ms, where the model has %s ms (%zu operator%s like that)%s",
        weir_quote(b->draft->operators[r->beyond_example].name, quoted), weir_decimal_format(r->rare / 1000, 3, rare),
        weir_decimal_format(r->worst, 6, worst), r->beyond, r->beyond == 1 ? " is" : "s are", margin);
}

static void note_remarks(struct weir_evidence_building *b, const struct remarks *r)
{
    char quoted[WEIR_QUOTED];
    const struct weir_evidence_place all = {r->ports_at.file, 0};
    if (r->tails)
        weir_evidence_note(
            b->evidence, all,
            "the worst cases of %zu operator%s are estimates: with 95 %% confidence no more than one execution in %" PRIu64
            " takes longer, if executions are alike and independent and their tail is no heavier than exponential; each rests "
            "on at most the 23 longest of %" PRIu64 " or more executions",
            r->tails, r->tails == 1 ? "" : "s", b->options->tail, r->fewest);
    if (r->heavy)
        weir_evidence_note(b->evidence, all,
                           "the tail of %zu operator%s (\"%s\" for one) looks heavier than exponential: the estimate is too small "
                           "there; look at what happened in the longest executions",
                           r->heavy, r->heavy == 1 ? "" : "s", weir_quote(b->draft->operators[r->heavy_example].name, quoted));
    if (r->ports_only)
        weir_evidence_note(
            b->evidence, all,
            "the times of %zu operator%s (\"%s\" for one) are from receive() to emit(), which leaves out the rest of "
            "compute(): their worst cases are too small by that; add job statistics with --times, or a --margin",
            r->ports_only, r->ports_only == 1 ? "" : "s", weir_quote(b->draft->operators[r->ports_example].name, quoted));
    if (r->without_least)
        weir_evidence_note(
            b->evidence, all, "no file has a least time of %zu operator%s (\"%s\" for one): the best case is 0, which is safe",
            r->without_least, r->without_least == 1 ? "" : "s", weir_quote(b->draft->operators[r->least_example].name, quoted));
}

/* ---- all of them ---- */

/* The operator of the draft that an operator of the store is, if any. */
static uint32_t made_of(const struct weir_evidence_building *b, uint32_t op)
{
    uint32_t made = b->made[op];
    return made != WEIR_NO_OPERATOR ? made : b->made[b->alias[op]];
}

static void note_strangers(struct weir_evidence_building *b)
{
    struct weir_evidence *e = b->evidence;
    char quoted[WEIR_QUOTED];
    for (uint32_t i = 0; i < e->operator_count; i++)
        if (e->operators[i].last_time && !weir_evidence_is_drawn(b, i) && made_of(b, i) == WEIR_NO_OPERATOR)
            weir_evidence_note(e, e->operators[i].at, "\"%s\" has times, but no file that gives the graph has it; left out",
                               weir_quote(e->operators[i].name, quoted));
}

/* What is said twice counts once; of two that differ, the first. */
static bool said_before(struct weir_evidence_building *b, size_t number, uint32_t op)
{
    struct weir_evidence *e = b->evidence;
    const struct weir_evidence_period *mine = &e->periods[number];
    char quoted[WEIR_QUOTED];
    for (size_t i = 0; i < number; i++) {
        const struct weir_evidence_period *other = &e->periods[i];
        if (made_of(b, other->op) != op)
            continue;
        if (other->period != mine->period || other->arrivals != mine->arrivals)
            weir_evidence_note(e, mine->at, "contradiction: \"%s\" has another periodic condition in %s, which is used",
                               weir_quote(b->draft->operators[op].name, quoted), e->files[other->at.file].path);
        return true;
    }
    return false;
}

static void make_periods(struct weir_evidence_building *b)
{
    struct weir_evidence *e = b->evidence;
    struct weir_draft *d = b->draft;
    for (size_t i = 0; i < e->period_count && !d->out_of_memory; i++) {
        uint32_t op = made_of(b, e->periods[i].op);
        if (op == WEIR_NO_OPERATOR || said_before(b, i, op))
            continue;
        weir_draft_add_source(d, &(struct weir_draft_source){.spec = {.op = {op},
                                                                      .period = weir_evidence_time_of(d, e->periods[i].period),
                                                                      .arrivals = e->periods[i].arrivals},
                                                             .entry = d->entry_count++});
    }
}

/* One scheduler for all of the application. */
static void make_workers(struct weir_evidence_building *b)
{
    struct weir_evidence *e = b->evidence;
    struct weir_draft *d = b->draft;
    const struct weir_evidence_scheduler *first = e->scheduler_count ? &e->schedulers[0] : NULL;
    for (size_t i = 0; i < e->file_count; i++)
        if (e->files[i].fragment) {
            weir_evidence_note(
                e, first ? first->at : e->operators[0].at,
                "each fragment has workers of its own, which the model cannot describe: it has a thread for each operator");
            return;
        }
    if (!first) {
        weir_evidence_note(
            e, e->operators[0].at,
            "no file says which scheduler runs the application, so the model gives each operator a thread of its own; Holoscan's "
            "default, the greedy scheduler, runs all operators on one thread, with a different bound: if the application "
            "uses it, add \"platform: {scheduler: greedy}\" to the model");
        return;
    }
    for (size_t i = 1; i < e->scheduler_count; i++) {
        const struct weir_evidence_scheduler *other = &e->schedulers[i];
        if (other->dispatch != first->dispatch || other->workers != first->workers || other->polling != first->polling)
            weir_evidence_note(e, other->at, "contradiction: another scheduler than in %s, which is used",
                               e->files[first->at.file].path);
    }
    d->platform.workers.dispatch = first->dispatch;
    d->platform.workers.workers = first->workers < WEIR_WORKERS_MAX ? first->workers : WEIR_WORKERS_MAX;
    d->polling_unsaid = first->dispatch == WEIR_DISPATCH_POLLED && first->polling == WEIR_TIME_UNKNOWN;
    if (first->dispatch == WEIR_DISPATCH_POLLED && !d->polling_unsaid)
        d->platform.workers.polling = weir_evidence_time_of(d, first->polling);
}

static void leave_open(struct weir_evidence_building *b, uint32_t op)
{
    struct weir_draft *d = b->draft;
    char quoted[WEIR_QUOTED];
    if (!b->untimed)
        b->untimed = weir_array_zeroed(d->operator_count, sizeof *b->untimed);
    if (b->untimed)
        b->untimed[op] = true;
    d->out_of_memory |= !b->untimed;
    weir_evidence_note(b->evidence, b->evidence->operators[0].at,
                       "no file has a time of operator \"%s\": the model has \"time: TODO\", to be filled in before it is analysed",
                       weir_quote(d->operators[op].name, quoted));
}

void weir_evidence_make_times(struct weir_evidence_building *b)
{
    struct weir_evidence *e = b->evidence;
    struct weir_draft *d = b->draft;
    struct remarks remarks = {0};
    char quoted[WEIR_QUOTED];
    struct summary *all = weir_array_zeroed(d->operator_count, sizeof *all);
    if (!all) {
        d->out_of_memory = true;
        return;
    }
    for (size_t i = 0; i < d->operator_count; i++)
        all[i].min = all[i].max = all[i].ports = all[i].execution = WEIR_TIME_UNKNOWN;
    for (size_t i = 0; i < e->time_count; i++) {
        uint32_t op = made_of(b, e->times[i].op);
        if (op != WEIR_NO_OPERATOR)
            add(&all[op], e, &e->times[i]);
    }
    for (uint32_t op = 0; op < d->operator_count && !d->out_of_memory; op++) {
        if (all[op].max != WEIR_TIME_UNKNOWN) {
            take_times(b, op, &all[op]);
            compare_spans(b, op, &all[op]);
            remark(&remarks, op, &all[op]);
            remark_tail(&remarks, op, &all[op], b->options->margin_permille);
        } else if (!d->operators[op].broadcast && b->options->skeleton) {
            leave_open(b, op);
        } else if (!d->operators[op].broadcast) {
            weir_draft_mistake(d, nowhere, "operator \"%s\" is in the graph, but no file has a time of it",
                               weir_quote(d->operators[op].name, quoted));
        }
    }
    weir_free(all);
    note_remarks(b, &remarks);
    note_tail(b, &remarks);
    note_strangers(b);
    make_periods(b);
    make_workers(b);
}
