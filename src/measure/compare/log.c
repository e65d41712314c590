/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One pass over a log. Latencies are kept as a sample of bounded size, with the least and the greatest of all. Messages of a path
 * whose bound is not known yet are held back, and with them all that follow, so that the bounds of many paths are asked for at
 * once: for most logs, once.
 */
#include "base/error.h"
#include "measure/compare/compare.h"

#include <string.h>

#define PATHS_MAX 10000
#define KEPT_MAX 100000 /* latencies of a path */
#define KEPT_TOTAL 10000000
#define HELD_STEPS_MAX 100000
#define REPEATED_US 20 /* lines of one message may differ by so much at its end */
#define PROGRESS_LINES 0xffff
#define NO_PATH SIZE_MAX

/* ---- paths ---- */

static uint64_t hash_path(const struct weir_flow_message *m)
{
    uint64_t hash = m->count;
    for (size_t i = 0; i < m->count; i++)
        hash = (hash ^ m->steps[i].name) * UINT64_C(0x9e3779b97f4a7c15);
    return hash;
}

static bool is_path(const struct weir_log_path *p, const struct weir_flow_message *m, uint64_t hash)
{
    if (p->hash != hash || p->count != m->count)
        return false;
    for (size_t i = 0; i < m->count; i++)
        if (p->names[i] != m->steps[i].name)
            return false;
    return true;
}

static bool add_path(struct weir_log_comparison *c, const struct weir_flow_message *m, uint64_t hash)
{
    void *paths = c->paths;
    uint32_t *names = weir_array(m->count, sizeof *names);
    bool room = names && weir_reserve(&paths, &c->path_capacity, c->path_count + 1, sizeof *c->paths);
    c->paths = paths;
    if (!room) {
        weir_free(names);
        return false;
    }
    for (size_t i = 0; i < m->count; i++)
        names[i] = m->steps[i].name;
    struct weir_log_path *p = &c->paths[c->path_count++];
    size_t kept = KEPT_TOTAL / c->path_count;
    *p = (struct weir_log_path){.names = names, .count = m->count, .hash = hash, .first_receive = -1};
    p->samples.kept_max = kept > KEPT_MAX ? KEPT_MAX : kept;
    weir_log_comparison_follow(c, p);
    return true;
}

/* Paths take turns in the same order, so the one behind the last is tried first. *found is NO_PATH when there are too many. */
static bool find_path(struct weir_log_comparison *c, const struct weir_flow_message *m, size_t *found)
{
    uint64_t hash = hash_path(m);
    for (size_t k = 0; k < c->path_count; k++) {
        size_t i = c->guess + 1 + k;
        i -= i >= c->path_count ? c->path_count : 0;
        if (is_path(&c->paths[i], m, hash)) {
            c->guess = *found = i;
            return true;
        }
    }
    *found = NO_PATH;
    if (c->path_count == PATHS_MAX) {
        c->too_many++;
        return true;
    }
    c->guess = *found = c->path_count;
    return add_path(c, m, hash);
}

/* ---- executions and latencies ---- */

/* The execution of this message that is furthest above its worst case. */
static struct weir_excess look_at_steps(struct weir_log_comparison *c, const struct weir_flow_message *m)
{
    struct weir_excess most = {.op = WEIR_LOG_NO_OPERATOR};
    int64_t most_above = 0;
    for (size_t i = 0; i < m->count; i++) {
        const struct weir_flow_step *step = &m->steps[i];
        uint32_t op = c->names[step->name];
        if (op == WEIR_LOG_NO_OPERATOR || c->reread[step->name] || step->publish < 0)
            continue;
        if (step->publish < step->receive || step->publish - step->receive > INT64_MAX / 2000) {
            c->backwards++;
            continue;
        }
        if (weir_flow_jumped(&c->jumps, step->receive, step->publish))
            continue;
        struct weir_log_times *times = &c->times[op];
        int64_t took = (step->publish - step->receive) * 1000;
        struct weir_excess now = {op, took, m->record, m->line};
        if (times->count == 0 || took < times->min)
            times->min = took;
        if (times->count == 0 || took > times->max)
            times->max = took, times->longest = now;
        times->count++;
        if (!weir_log_above(c, took, times->worst))
            continue;
        times->exceeded++;
        if (took - times->worst > most_above)
            most = now, most_above = took - times->worst;
    }
    return most;
}

static void explain(struct weir_log_comparison *c, struct weir_log_path *p, const struct weir_flow_message *m,
                    struct weir_above now)
{
    p->above_count++;
    p->above_early += p->skip.first == 0 && p->samples.count <= WEIR_LOG_EARLY;
    size_t at = p->above_kept;
    while (at > 0 && p->above[at - 1].latency < now.latency)
        at--;
    if (at == WEIR_ABOVE_KEPT)
        return;
    now.before = c->recent;
    now.wait = -1;
    for (size_t i = 1; i < m->count; i++) {
        const struct weir_flow_step *step = &m->steps[i];
        int64_t wait = step[-1].publish < 0 ? -1 : (step->receive - step[-1].publish) * 1000;
        if (wait > now.wait)
            now.wait = wait, now.wait_from = step[-1].name, now.wait_to = step->name;
    }
    p->above_kept += p->above_kept < WEIR_ABOVE_KEPT;
    memmove(&p->above[at + 1], &p->above[at], (p->above_kept - at - 1) * sizeof *p->above);
    p->above[at] = now;
}

static bool take_message(struct weir_log_comparison *c, const struct weir_flow_message *m, size_t path)
{
    struct weir_log_path *p = &c->paths[path];
    struct weir_excess own = look_at_steps(c, m);
    int64_t begin = m->steps[0].receive, end = m->steps[m->count - 1].publish;
    bool reread = false;
    for (size_t i = 0; i < m->count; i++)
        reread |= c->reread[m->steps[i].name];
    p->rereads += reread;
    if (reread && !p->aged) {
        /* the model has no such age */
    } else if (end < 0) {
        p->unfinished++;
    } else if (end < begin || end - begin > INT64_MAX / 2000) {
        c->backwards++;
    } else if (weir_flow_jumped(&c->jumps, begin, end)) {
        c->jumped++;
    } else if (begin == p->first_receive && end <= p->last_publish && p->last_publish - end <= REPEATED_US) {
        p->repeated++;
    } else {
        int64_t latency = (end - begin) * 1000;
        p->first_receive = begin, p->last_publish = end;
        if (p->samples.count == 0 || latency < p->samples.min)
            p->least_record = m->record, p->least_line = m->line;
        weir_samples_add(&p->samples, latency);
        p->below_count += weir_log_below(c, latency, p->best);
        if (p->bounded && weir_log_above(c, latency, p->bound))
            explain(c, p, m, (struct weir_above){.latency = latency, .record = m->record, .line = m->line, .own = own});
    }
    if (own.op != WEIR_LOG_NO_OPERATOR)
        c->recent = own;
    return !p->samples.failed;
}

/* ---- start-up and end ---- */

/* The messages of a path but for the first and the last: as each may be one of the last, it is looked at when so many have come
 * after it. */
static bool pass_message(struct weir_log_comparison *c, const struct weir_flow_message *m, size_t path)
{
    struct weir_log_path *p = &c->paths[path];
    if (p->seen == 0 && p->held >= c->skip.least)
        p->skip = c->skip;
    uint32_t last = p->skip.last;
    uint64_t number = p->seen++;
    if (number < p->skip.first) {
        p->left_out++;
        return true;
    }
    if (last == 0)
        return take_message(c, m, path);
    if (!p->late) {
        p->late = weir_array(last, sizeof *p->late);
        p->late_steps = weir_array((size_t)last * p->count, sizeof *p->late_steps);
        if (!p->late || !p->late_steps)
            return false;
    }
    number -= p->skip.first;
    struct weir_held_message *slot = &p->late[number % last];
    struct weir_flow_step *steps = p->late_steps + number % last * p->count;
    struct weir_flow_message before = {.record = slot->record, .line = slot->line, .steps = steps, .count = p->count};
    if (number >= last && !take_message(c, &before, path))
        return false;
    *slot = (struct weir_held_message){.record = m->record, .line = m->line};
    memcpy(steps, m->steps, p->count * sizeof *steps);
    return true;
}

/* ---- messages that wait for bounds ---- */

static bool hold(struct weir_log_comparison *c, const struct weir_flow_message *m, size_t path)
{
    void *held = c->held, *steps = c->steps;
    bool room = weir_reserve(&held, &c->held_capacity, c->held_count + 1, sizeof *c->held);
    c->held = held;
    room = room && weir_reserve(&steps, &c->step_capacity, c->step_count + m->count, sizeof *c->steps);
    c->steps = steps;
    if (!room)
        return false;
    c->paths[path].held++;
    c->held[c->held_count++] = (struct weir_held_message){m->record, m->line, c->step_count, m->count, path};
    memcpy(c->steps + c->step_count, m->steps, m->count * sizeof *m->steps);
    c->step_count += m->count;
    return true;
}

static enum weir_status release(struct weir_log_comparison *c, struct weir_error *error)
{
    enum weir_status status = weir_log_comparison_ask(c, error);
    for (size_t i = 0; i < c->held_count && !status; i++) {
        const struct weir_held_message *held = &c->held[i];
        struct weir_flow_message m = {
            .record = held->record, .line = held->line, .steps = c->steps + held->first, .count = held->count};
        if (!pass_message(c, &m, held->path))
            status = weir_fail_memory(error);
    }
    c->held_count = c->step_count = 0;
    return status;
}

static enum weir_status take(struct weir_log_comparison *c, const struct weir_flow_message *m, struct weir_error *error)
{
    size_t path;
    if (!weir_log_comparison_match(c, weir_flow_log_name_count(c->log)) || !find_path(c, m, &path))
        return weir_fail_memory(error);
    if (path == NO_PATH)
        return WEIR_OK;
    if (!c->held_count && c->paths[path].asked)
        return pass_message(c, m, path) ? WEIR_OK : weir_fail_memory(error);
    if (!hold(c, m, path))
        return weir_fail_memory(error);
    return c->step_count < HELD_STEPS_MAX ? WEIR_OK : release(c, error);
}

enum weir_status weir_log_comparison_read_log(struct weir_log_comparison *c, struct weir_error *error)
{
    struct weir_flow_message message;
    enum weir_status status = WEIR_OK;
    for (uint64_t n = 1; !status; n++) {
        status = weir_flow_log_next(c->log, &message, error);
        if (status || !message.count)
            break;
        status = take(c, &message, error);
        if ((n & PROGRESS_LINES) == 0 && c->options->progress)
            c->options->progress(c->options->context, weir_flow_log_permille(c->log));
    }
    if (status)
        return status;
    if (weir_flow_log_counts(c->log).messages == 0)
        return weir_fail(error, WEIR_INVALID, "there is no path in this log: no line reads (name,receive,publish) -> ...");
    status = release(c, error);
    if (!c->again)
        weir_flow_log_find_jumps(c->log, &c->jumps);
    for (size_t i = 0; i < c->path_count; i++) {
        struct weir_log_path *p = &c->paths[i];
        uint64_t after_first = p->seen - p->left_out;
        p->left_out += after_first < p->skip.last ? after_first : p->skip.last;
    }
    return status;
}
