/* SPDX-License-Identifier: Apache-2.0 */
/* How long executions are to take. Each operator draws from its own random numbers, on its own thread. */
#include "base/error.h"
#include "measure/run/run.h"

enum mood { COIN, ALWAYS_BEST, ALWAYS_WORST };
#define MOOD_DOUBLINGS 8 /* a mood lasts for up to 2^0 .. 2^8 executions */

static int64_t draw_bang_bang(struct weir_times_source *t, int64_t low, int64_t high)
{
    if (t->mood_left == 0) {
        t->mood = (uint32_t)weir_random_between(&t->random, COIN, ALWAYS_WORST);
        t->mood_left = weir_random_between(&t->random, 1, INT64_C(1) << weir_random_between(&t->random, 0, MOOD_DOUBLINGS));
    }
    t->mood_left--;
    if (t->mood == COIN)
        return weir_random_next(&t->random) >> 63 ? high : low;
    return t->mood == ALWAYS_BEST ? low : high;
}

/* Whether a step of the witness that counts is this execution, in one of its repetitions. */
static bool marked(const struct weir_operator_thread *s, bool receive, int64_t execution)
{
    int64_t round = execution / s->repetitions;
    for (size_t i = 0; i < s->times.mark_count; i++) {
        const struct weir_mark *m = &s->times.marks[i];
        int64_t later = round - m->iteration;
        if (m->receive != receive || later < 0 || m->firing != (uint32_t)(execution % s->repetitions))
            continue;
        if (later == 0 || (m->apart > 0 && later % m->apart == 0 && later / m->apart < m->repeat))
            return true;
    }
    return false;
}

int64_t weir_times_draw(struct weir_operator_thread *s, enum weir_part part, int64_t execution)
{
    const struct weir_run_options *options = &s->run->options;
    struct weir_times_source *t = &s->times;
    bool receive = part == WEIR_PART_RECEIVE;
    int64_t low = receive ? t->receive_min : t->best, high = receive ? t->receive_max : t->worst;
    switch (options->times) {
    case WEIR_TIMES_BEST:
        return low;
    case WEIR_TIMES_WORST:
        return high;
    case WEIR_TIMES_BANG_BANG:
        return low == high ? low : draw_bang_bang(t, low, high);
    case WEIR_TIMES_GIVEN:
        if (options->witness)
            return marked(s, receive, execution) ? high : t->zero_best ? 0 : low;
        return options->given(options->context, (struct weir_operator){s->index}, part, execution);
    case WEIR_TIMES_RANDOM:
        break;
    }
    return low == high ? low : weir_random_between(&t->random, low, high);
}

static bool counts(const struct weir_step *step)
{
    return step->counts && (step->part == WEIR_PART_EXECUTION || step->part == WEIR_PART_RECEIVE);
}

static enum weir_status check_witness(const struct weir_run *run, const struct weir_witness *witness, struct weir_error *error)
{
    for (size_t i = 0; i < witness->segment_count; i++) {
        const struct weir_segment *segment = &witness->segments[i];
        for (size_t k = 0; k < segment->step_count; k++)
            if (segment->steps[k].op.index >= run->thread_count)
                return weir_fail(error, WEIR_INVALID, "the witness is about operators that the pipeline does not have");
    }
    return WEIR_OK;
}

/* Sorts the steps that count by operator. */
static enum weir_status read_witness(struct weir_run *run, struct weir_error *error)
{
    const struct weir_witness *witness = run->options.witness;
    enum weir_status status = check_witness(run, witness, error);
    if (status)
        return status;
    for (int filling = 0; filling < 2; filling++) {
        for (uint32_t i = 0; i < run->thread_count && filling; i++) {
            struct weir_times_source *t = &run->threads[i].times;
            t->marks = weir_arena_take(&run->arena, t->mark_count * sizeof *t->marks + 1);
            if (!t->marks)
                return weir_fail_memory(error);
            t->mark_count = 0;
        }
        for (size_t i = 0; i < witness->segment_count; i++) {
            const struct weir_segment *segment = &witness->segments[i];
            for (size_t k = 0; k < segment->step_count; k++) {
                const struct weir_step *step = &segment->steps[k];
                struct weir_times_source *t = &run->threads[step->op.index].times;
                if (!counts(step))
                    continue;
                if (filling)
                    ((struct weir_mark *)(uintptr_t)t->marks)[t->mark_count] =
                        (struct weir_mark){.iteration = step->iteration,
                                           .apart = segment->iterations,
                                           .repeat = segment->repeat,
                                           .firing = step->firing,
                                           .receive = step->part == WEIR_PART_RECEIVE};
                t->mark_count++;
            }
        }
    }
    return WEIR_OK;
}

enum weir_status weir_times_prepare(struct weir_run *run, struct weir_error *error)
{
    const struct weir_run_options *options = &run->options;
    struct weir_random seeds;
    weir_random_seed(&seeds, options->seed);
    if (options->times == WEIR_TIMES_GIVEN && !options->given && !options->witness)
        return weir_fail(error, WEIR_INVALID,
                         "times are to be given, but there is neither a function nor a witness that gives them");
    for (uint32_t i = 0; i < run->thread_count; i++) {
        struct weir_operator_spec spec = weir_pipeline_operator(run->pipeline, (struct weir_operator){i});
        struct weir_times_source *t = &run->threads[i].times;
        t->best = spec.best, t->worst = spec.worst;
        t->receive_min = spec.receive_min, t->receive_max = spec.receive_max;
        weir_random_seed(&t->random, weir_random_next(&seeds));
        t->zero_best = options->witness && options->witness->query.assume_zero_best;
    }
    return options->times == WEIR_TIMES_GIVEN && options->witness ? read_witness(run, error) : WEIR_OK;
}
