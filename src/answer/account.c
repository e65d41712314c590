/* SPDX-License-Identifier: Apache-2.0 */
#include "answer/account.h"

#include "answer/number.h"
#include "answer/schedule.h"
#include "base/alloc.h"
#include "model/pipeline.h"

enum { WAITS_TOLD = 2 };

struct weir_account_wait {
    int64_t time, first, last; /* first, last: iterations */
};

bool weir_account_begin(struct weir_account *a, const struct weir_pipeline *pipeline, const struct weir_witness *witness)
{
    *a = (struct weir_account){.pipeline = pipeline, .witness = witness};
    int64_t end = witness->iteration + witness->query.shift;
    a->first = end < witness->iteration ? end : witness->iteration;
    a->last = end < witness->iteration ? witness->iteration : end;
    return (a->waits = weir_array_zeroed(weir_pipeline_operator_count(pipeline), sizeof *a->waits)) != NULL;
}

void weir_account_free(struct weir_account *a)
{
    weir_free(a->waits);
    a->waits = NULL;
}

static void add_wait(struct weir_account_wait *wait, int64_t iteration, int64_t time)
{
    if (!wait->time || iteration < wait->first)
        wait->first = iteration;
    if (!wait->time || iteration > wait->last)
        wait->last = iteration;
    wait->time += time;
}

static void add_time(struct weir_account *a, const struct weir_step *step, int64_t iteration, int64_t time)
{
    if (time <= 0)
        return;
    if (step->part == WEIR_PART_TICK)
        a->ticks += time;
    else if (iteration < a->first || iteration > a->last)
        add_wait(&a->waits[step->op.index], iteration, time);
    else if (step->part == WEIR_PART_TRANSFER)
        a->under_way += time;
    else
        a->running += time;
}

void weir_account_add(struct weir_account *a, const struct weir_step *step, int64_t iteration, int64_t start, int64_t end)
{
    int64_t tick = start - weir_step_delay(a->pipeline, step); /* before that it waited for its tick */
    if (start > 0)
        a->ticks += start - (tick > 0 ? tick : 0);
    if (end > 0)
        add_time(a, step, iteration, end - (start > 0 ? start : 0));
}

/* Own iterations come last. */
void weir_account_repeat(struct weir_account *a, const struct weir_step *step, int64_t iteration, int64_t later, int64_t times)
{
    int64_t last = iteration + times * later, own = 0;
    a->ticks += times * weir_step_delay(a->pipeline, step);
    if (!step->counts)
        return;
    for (; own < times && last >= a->first && last <= a->last; own++, last -= later)
        add_time(a, step, last, step->time);
    if (own < times) {
        add_time(a, step, iteration + later, step->time);
        add_time(a, step, last, (times - own - 1) * step->time);
    }
}

/* The operator with the longest wait below `most`, or after it in the model with the same; false: none is left. */
static bool next_wait(const struct weir_account *a, int64_t *most, uint32_t *op)
{
    int64_t time = 0;
    uint32_t found = 0;
    for (uint32_t i = 0; i < weir_pipeline_operator_count(a->pipeline); i++) {
        bool left = a->waits[i].time < *most || (a->waits[i].time == *most && i > *op);
        if (left && a->waits[i].time > time) {
            time = a->waits[i].time;
            found = i;
        }
    }
    *most = time;
    *op = found;
    return time > 0;
}

static void put_wait(const struct weir_account *a, uint32_t op, FILE *out)
{
    const struct weir_account_wait *wait = &a->waits[op];
    fprintf(out, " frame%s %lld", wait->last > wait->first ? "s" : "", (long long)wait->first);
    if (wait->last > wait->first)
        fprintf(out, " to %lld", (long long)wait->last);
    fprintf(out, " in %s", weir_pipeline_operator(a->pipeline, (struct weir_operator){op}).name);
}

/* Returns whether there is such a part: the first one has nothing in front of it. */
static bool put_part(const struct weir_account *a, int64_t time, const char *words, bool first, FILE *out)
{
    char text[WEIR_TIME_TEXT];
    if (time <= 0)
        return false;
    fprintf(out, "%s%s %s", first ? "" : " + ", weir_time_format(a->pipeline, time, text), words);
    return true;
}

static int64_t sum_waits(const struct weir_account *a)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < weir_pipeline_operator_count(a->pipeline); i++)
        sum += a->waits[i].time;
    return sum;
}

bool weir_account_holds(const struct weir_account *a)
{
    int64_t waits = sum_waits(a) + a->ticks;
    return !a->pipeline->firings && waits > 0 && waits + a->under_way + a->running == a->witness->separation;
}

void weir_account_put(const struct weir_account *a, FILE *out)
{
    int64_t waits = sum_waits(a), most = INT64_MAX;
    char text[WEIR_AMOUNT_TEXT];
    uint32_t op = 0;
    fprintf(out, "%s = ", weir_amount_format(a->pipeline, a->witness->separation, text));
    bool first = !put_part(a, a->running, "running", true, out);
    first &= !put_part(a, a->under_way, "on the way between operators", first, out);
    first &= !put_part(a, a->ticks, "waiting for a period to pass", first, out);
    for (int i = 0; i < WAITS_TOLD && next_wait(a, &most, &op); i++) {
        first &= !put_part(a, most, i ? "behind" : "waiting behind", first, out);
        put_wait(a, op, out);
        waits -= most;
    }
    put_part(a, waits, "behind other executions", first, out);
}
