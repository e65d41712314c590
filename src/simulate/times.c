/* SPDX-License-Identifier: Apache-2.0 */
#include "simulate/times.h"

#include "base/alloc.h"
#include "base/error.h"

enum mood { COIN, ALWAYS_BEST, ALWAYS_WORST };

/* A mood lasts for up to 2^0 .. 2^PHASE_DOUBLINGS executions, every power as likely as the others. */
#define PHASE_DOUBLINGS 8

struct weir_dice *weir_dice_new(const struct weir_pipeline *pipeline, uint64_t seed)
{
    uint32_t count = weir_pipeline_operator_count(pipeline), queues = weir_pipeline_queue_count(pipeline);
    struct weir_dice *dice = weir_array_zeroed((size_t)count + queues, sizeof *dice);
    if (!dice)
        return NULL;
    struct weir_random seeds;
    weir_random_seed(&seeds, seed);
    for (uint32_t i = 0; i < count; i++) {
        struct weir_operator_spec spec = weir_pipeline_operator(pipeline, (struct weir_operator){i});
        weir_random_seed(&dice[i].random, weir_random_next(&seeds));
        dice[i].execution = (struct weir_die){.low = spec.best, .high = spec.worst};
        dice[i].receive = (struct weir_die){.low = spec.receive_min, .high = spec.receive_max};
        if (spec.launch) {
            dice[i].gpu = (struct weir_die){.low = spec.launch->best, .high = spec.launch->worst};
            dice[i].after = (struct weir_die){.low = spec.launch->after_best, .high = spec.launch->after_worst};
        }
    }
    for (uint32_t i = 0; i < queues; i++) {
        struct weir_queue_spec spec = weir_pipeline_queue(pipeline, (struct weir_queue){i});
        if (spec.transfer_max == 0)
            continue;
        weir_random_seed(&dice[(size_t)count + i].random, weir_random_next(&seeds));
        dice[(size_t)count + i].execution = (struct weir_die){.low = spec.transfer_min, .high = spec.transfer_max};
    }
    return dice;
}

static struct weir_die *die_of(struct weir_dice *dice, enum weir_part part)
{
    switch (part) {
    case WEIR_PART_RECEIVE:
        return &dice->receive;
    case WEIR_PART_GPU:
        return &dice->gpu;
    case WEIR_PART_AFTER:
        return &dice->after;
    default:
        return &dice->execution;
    }
}

static int64_t draw_random(void *dice, struct weir_operator op, enum weir_part part, int64_t iteration)
{
    (void)iteration;
    struct weir_dice *mine = (struct weir_dice *)dice + op.index;
    const struct weir_die *die = die_of(mine, part);
    return die->low == die->high ? die->low : weir_random_between(&mine->random, die->low, die->high);
}

static int64_t draw_best(void *dice, struct weir_operator op, enum weir_part part, int64_t iteration)
{
    (void)iteration;
    return die_of((struct weir_dice *)dice + op.index, part)->low;
}

static int64_t draw_worst(void *dice, struct weir_operator op, enum weir_part part, int64_t iteration)
{
    (void)iteration;
    return die_of((struct weir_dice *)dice + op.index, part)->high;
}

/* Best or worst. A part alternates between three moods, each of random length: a coin per execution, always best, always
 * worst. The long stretches are what fills queues: a latency that builds up over many iterations needs one operator slow and
 * another fast for as long. */
static int64_t draw_bang_bang(void *dice, struct weir_operator op, enum weir_part part, int64_t iteration)
{
    (void)iteration;
    struct weir_dice *mine = (struct weir_dice *)dice + op.index;
    struct weir_die *die = die_of(mine, part);
    if (die->low == die->high)
        return die->low;
    if (die->left == 0) {
        die->mood = (uint32_t)weir_random_between(&mine->random, COIN, ALWAYS_WORST);
        die->left = weir_random_between(&mine->random, 1, INT64_C(1) << weir_random_between(&mine->random, 0, PHASE_DOUBLINGS));
    }
    die->left--;
    if (die->mood == COIN)
        return weir_random_next(&mine->random) >> 63 ? die->high : die->low;
    return die->mood == ALWAYS_BEST ? die->low : die->high;
}

weir_draw *weir_dice_draw(enum weir_times times)
{
    static weir_draw *const draws[] = {[WEIR_TIMES_RANDOM] = draw_random,
                                       [WEIR_TIMES_BEST] = draw_best,
                                       [WEIR_TIMES_WORST] = draw_worst,
                                       [WEIR_TIMES_BANG_BANG] = draw_bang_bang,
                                       [WEIR_TIMES_GIVEN] = NULL};
    return draws[times];
}

enum weir_status weir_times_check(int64_t iterations, enum weir_times times, bool given, struct weir_error *error)
{
    if (iterations < 1)
        return weir_fail(error, WEIR_INVALID, "a simulation has at least one iteration");
    if ((unsigned)times > WEIR_TIMES_GIVEN)
        return weir_fail(error, WEIR_INVALID, "unknown kind of times: %d", (int)times);
    if (times == WEIR_TIMES_GIVEN && !given)
        return weir_fail(error, WEIR_INVALID, "WEIR_TIMES_GIVEN needs a function that gives the times");
    return WEIR_OK;
}
