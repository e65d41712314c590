/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/exact/fold.h"

#include "base/alloc.h"

/* Repetitions of up to PERIOD_MAX steps are found, if there are at least COPIES_MIN. */
enum { PERIOD_MAX = 32, COPIES_MIN = 8 };

bool weir_path_append(struct weir_path *path, struct weir_segment segment)
{
    if (segment.step_count == 0)
        return true;
    if (!weir_reserve(&path->segments, &path->capacity, path->count + 1, sizeof *path->segments))
        return false;
    path->segments[path->count++] = segment;
    return true;
}

/* b is a, `shift` iterations later. */
static bool same_step(const struct weir_step *a, const struct weir_step *b, int64_t shift)
{
    return a->op.index == b->op.index && b->iteration - a->iteration == shift && a->part == b->part && a->firing == b->firing &&
           a->queue.index == b->queue.index && a->wait == b->wait && a->counts == b->counts && a->time == b->time;
}

static bool same_steps(const struct weir_step *a, const struct weir_step *b, size_t count, int64_t shift)
{
    for (size_t i = 0; i < count; i++)
        if (!same_step(&a[i], &b[i], shift))
            return false;
    return true;
}

/* How often the first `period` steps occur, one after the other, each `shift` later. */
static size_t copies(const struct weir_step *steps, size_t count, size_t period, int64_t shift)
{
    size_t found = 1;
    while ((found + 1) * period <= count && same_steps(steps + (found - 1) * period, steps + found * period, period, shift))
        found++;
    return found;
}

/* A repeated segment whose steps repeat themselves: the shortest period that divides it. */
static struct weir_segment shorten(struct weir_segment s)
{
    for (size_t period = 1; period <= s.step_count / 2 && period <= PERIOD_MAX; period++) {
        size_t times = s.step_count / period;
        int64_t shift = s.steps[period].iteration - s.steps[0].iteration;
        if (s.step_count % period == 0 && shift * (int64_t)times == s.iterations &&
            copies(s.steps, s.step_count, period, shift) == times)
            return (struct weir_segment){s.steps, period, shift, s.repeat * (int64_t)times};
    }
    return s;
}

/* Puts a segment behind the path, joining it with the last where the one goes on as the other does. */
static bool join(struct weir_path *path, struct weir_segment s)
{
    while (path->count > 0) {
        struct weir_segment *last = &path->segments[path->count - 1];
        if (last->repeat > 1) {
            int64_t after = last->iterations * last->repeat;
            if (s.step_count < last->step_count || !same_steps(last->steps, s.steps, last->step_count, after))
                break;
            if (s.repeat == 1) {
                last->repeat++;
                s.steps += last->step_count;
                s.step_count -= last->step_count;
            } else if (s.step_count == last->step_count && s.iterations == last->iterations) {
                last->repeat += s.repeat;
                return true;
            } else {
                break;
            }
        } else if (s.repeat > 1 && last->step_count >= s.step_count &&
                   same_steps(last->steps + last->step_count - s.step_count, s.steps, s.step_count, s.iterations)) {
            last->step_count -= s.step_count;
            s.steps = last->steps + last->step_count;
            s.repeat++;
            if (last->step_count == 0)
                path->count--;
        } else {
            break;
        }
        if (s.step_count == 0)
            return true;
    }
    return weir_path_append(path, s);
}

/* Writes steps that occur once, folding what repeats among them. */
static bool join_plain(struct weir_path *path, const struct weir_step *steps, size_t count)
{
    size_t plain = 0, i = 0;
    while (i < count) {
        size_t best_period = 0, best_copies = 0;
        for (size_t period = 1; period <= PERIOD_MAX && i + COPIES_MIN * period <= count; period++) {
            size_t found = copies(steps + i, count - i, period, steps[i + period].iteration - steps[i].iteration);
            if (found >= COPIES_MIN && found * period > best_copies * best_period) {
                best_period = period;
                best_copies = found;
            }
        }
        if (!best_period) {
            i++;
            continue;
        }
        int64_t shift = steps[i + best_period].iteration - steps[i].iteration;
        if (!join(path, (struct weir_segment){steps + plain, i - plain, 0, 1}) ||
            !join(path, (struct weir_segment){steps + i, best_period, shift, (int64_t)best_copies}))
            return false;
        i += best_period * best_copies;
        plain = i;
    }
    return join(path, (struct weir_segment){steps + plain, count - plain, 0, 1});
}

/* Takes from the end of `plain` what `repeated`, which follows it, begins with. */
static void draw_back(struct weir_segment *plain, struct weir_segment *repeated)
{
    size_t period = repeated->step_count;
    while (plain->step_count >= period &&
           same_steps(plain->steps + plain->step_count - period, repeated->steps, period, repeated->iterations)) {
        plain->step_count -= period;
        repeated->steps = plain->steps + plain->step_count;
        repeated->repeat++;
    }
}

/* Takes from the beginning of `plain` what `repeated`, which it follows, goes on with. */
static void draw_forward(struct weir_segment *repeated, struct weir_segment *plain)
{
    size_t period = repeated->step_count;
    while (plain->step_count >= period &&
           same_steps(repeated->steps, plain->steps, period, repeated->iterations * repeated->repeat)) {
        plain->steps += period;
        plain->step_count -= period;
        repeated->repeat++;
    }
}

/* Repetitions that are known already come first, so that those found among the steps beside them keep in step with them. */
bool weir_path_fold(const struct weir_path *from, struct weir_path *to)
{
    for (size_t i = 0; i < from->count; i++) {
        struct weir_segment s = from->segments[i], *last = to->count ? &to->segments[to->count - 1] : NULL;
        if (s.repeat > 1) {
            s = shorten(s);
            if (!join(to, s))
                return false;
            continue;
        }
        if (last && last->repeat > 1)
            draw_forward(last, &s);
        struct weir_segment next = {0};
        if (i + 1 < from->count && from->segments[i + 1].repeat > 1)
            next = shorten(from->segments[i + 1]);
        if (next.step_count)
            draw_back(&s, &next);
        if (!join_plain(to, s.steps, s.step_count))
            return false;
        if (next.step_count) {
            if (!join(to, next))
                return false;
            i++;
        }
    }
    return true;
}
