/* SPDX-License-Identifier: Apache-2.0 */
/* One pass over the log. Latencies are kept as a sample of bounded size, with the least and the greatest of all. */
#include "compare.h"

#include <stdlib.h>
#include <string.h>

#define PATHS_MAX 10000
#define KEPT_MAX 100000 /* latencies of a path */
#define KEPT_TOTAL 10000000
#define REPEATED_US 20 /* lines of one message may differ by so much at its end */
#define PROGRESS_LINES 0xffff

/* ---- paths ---- */

static uint64_t hash_path(const struct weir_flow_message *m)
{
    uint64_t hash = m->count;
    for (size_t i = 0; i < m->count; i++)
        hash = (hash ^ m->steps[i].name) * UINT64_C(0x9e3779b97f4a7c15);
    return hash;
}

static bool is_path(const struct weir_compared *p, const struct weir_flow_message *m, uint64_t hash)
{
    if (p->hash != hash || p->count != m->count)
        return false;
    for (size_t i = 0; i < m->count; i++)
        if (p->names[i] != m->steps[i].name)
            return false;
    return true;
}

static struct weir_compared *add_path(struct weir_comparison *c, const struct weir_flow_message *m, uint64_t hash)
{
    uint32_t *names = malloc(m->count * sizeof *names);
    if (!names || !weir_compare_grow(&c->paths, &c->path_capacity, c->path_count + 1, sizeof *c->paths)) {
        free(names);
        return NULL;
    }
    for (size_t i = 0; i < m->count; i++)
        names[i] = m->steps[i].name;
    c->guess = c->path_count;
    struct weir_compared *p = &c->paths[c->path_count++];
    size_t kept = KEPT_TOTAL / c->path_count;
    *p = (struct weir_compared){.names = names, .count = m->count, .hash = hash, .first_receive = -1};
    p->samples.kept_max = kept > KEPT_MAX ? KEPT_MAX : kept;
    weir_compare_bound(c, p);
    return p;
}

/* Paths take turns in the same order, so the one behind the last is tried first. NULL: out of memory, or too many. */
static struct weir_compared *find_path(struct weir_comparison *c, const struct weir_flow_message *m)
{
    uint64_t hash = hash_path(m);
    for (size_t k = 0; k < c->path_count; k++) {
        size_t i = c->guess + 1 + k;
        i -= i >= c->path_count ? c->path_count : 0;
        if (is_path(&c->paths[i], m, hash)) {
            c->guess = i;
            return &c->paths[i];
        }
    }
    if (c->path_count == PATHS_MAX) {
        c->too_many++;
        return NULL;
    }
    struct weir_compared *added = add_path(c, m, hash);
    if (!added)
        c->failed = true;
    return added;
}

/* ---- executions and latencies ---- */

/* The execution of this message that is furthest above its worst case. */
static struct weir_excess look_at_steps(struct weir_comparison *c, const struct weir_flow_message *m)
{
    struct weir_excess most = {.op = WEIR_COMPARE_NOBODY};
    int64_t most_above = 0;
    for (size_t i = 0; i < m->count; i++) {
        const struct weir_flow_step *step = &m->steps[i];
        uint32_t op = c->names[step->name];
        if (op == WEIR_COMPARE_NOBODY || c->reread[step->name] || step->publish < 0)
            continue;
        if (step->publish < step->receive || step->publish - step->receive > INT64_MAX / 2000) {
            c->backwards++;
            continue;
        }
        struct weir_seen *seen = &c->seen[op];
        int64_t took = (step->publish - step->receive) * 1000;
        struct weir_excess now = {op, took, m->record, m->line};
        if (seen->count == 0 || took < seen->min)
            seen->min = took;
        if (seen->count == 0 || took > seen->max)
            seen->max = took, seen->longest = now;
        seen->count++;
        if (!weir_compare_above(took, seen->worst))
            continue;
        seen->exceeded++;
        if (took - seen->worst > most_above)
            most = now, most_above = took - seen->worst;
    }
    return most;
}

static void explain(struct weir_comparison *c, struct weir_compared *p, const struct weir_flow_message *m, struct weir_above now)
{
    p->above_count++;
    size_t at = p->kept;
    while (at > 0 && p->above[at - 1].latency < now.latency)
        at--;
    if (at == WEIR_COMPARE_KEPT)
        return;
    now.before = c->recent;
    now.wait = -1;
    for (size_t i = 1; i < m->count; i++) {
        const struct weir_flow_step *step = &m->steps[i];
        int64_t wait = step[-1].publish < 0 ? -1 : (step->receive - step[-1].publish) * 1000;
        if (wait > now.wait)
            now.wait = wait, now.wait_from = step[-1].name, now.wait_to = step->name;
    }
    p->kept += p->kept < WEIR_COMPARE_KEPT;
    memmove(&p->above[at + 1], &p->above[at], (p->kept - at - 1) * sizeof *p->above);
    p->above[at] = now;
}

static bool take_message(struct weir_comparison *c, const struct weir_flow_message *m)
{
    if (!weir_compare_match_names(c, weir_flow_log_name_count(c->log)))
        return false;
    struct weir_compared *p = find_path(c, m);
    if (!p)
        return !c->failed;
    struct weir_excess own = look_at_steps(c, m);
    int64_t begin = m->steps[0].receive, end = m->steps[m->count - 1].publish;
    bool reread = false;
    for (size_t i = 0; i < m->count; i++)
        reread |= c->reread[m->steps[i].name];
    p->rereads += reread;
    if (reread && !p->aged) {
        /* its age is nothing that the model has */
    } else if (end < 0) {
        p->unfinished++;
    } else if (end < begin || end - begin > INT64_MAX / 2000) {
        c->backwards++;
    } else if (begin == p->first_receive && end <= p->last_publish && p->last_publish - end <= REPEATED_US) {
        p->repeated++;
    } else {
        int64_t latency = (end - begin) * 1000;
        p->first_receive = begin, p->last_publish = end;
        weir_samples_add(&p->samples, latency);
        if (p->in_model && p->bounded && weir_compare_above(latency, p->bound))
            explain(c, p, m, (struct weir_above){.latency = latency, .record = m->record, .line = m->line, .own = own});
    }
    if (own.op != WEIR_COMPARE_NOBODY)
        c->recent = own;
    return !c->failed && !p->samples.failed;
}

static enum weir_exit read_all(struct weir_comparison *c)
{
    struct weir_progress progress = {.what = "reading"};
    struct weir_flow_message message;
    struct weir_error error = {0};
    enum weir_status status;
    bool taken = true;
    for (uint64_t n = 1; !(status = weir_flow_log_next(c->log, &message, &error)) && message.count && taken; n++) {
        taken = take_message(c, &message);
        if ((n & PROGRESS_LINES) == 0)
            weir_progress_show(&progress, weir_flow_log_permille(c->log));
    }
    weir_progress_end(&progress);
    if (status)
        return weir_complain_error(c->log_path, &error);
    if (!taken && c->error.status)
        return weir_complain_error(c->model, &c->error);
    if (!taken) {
        weir_complain("out of memory");
        return WEIR_EXIT_INTERNAL;
    }
    if (weir_flow_log_counts(c->log).messages == 0) {
        weir_complain("%s: there is no path in this log: no line reads (name,receive,publish) -> ...", c->log_path);
        return WEIR_EXIT_INPUT;
    }
    for (size_t i = 0; i < c->path_count; i++)
        weir_samples_sort(&c->paths[i].samples);
    return WEIR_EXIT_OK;
}

/* How long an execution may be seen to take: with work on a GPU that it waits for, no model says. */
static int64_t longest_seen(const struct weir_pipeline *pipeline, uint32_t op)
{
    struct weir_operator_spec spec = weir_pipeline_operator(pipeline, (struct weir_operator){op});
    return spec.launch && spec.launch->waits ? INT64_MAX : weir_compare_ns(pipeline, spec.worst);
}

/* A summary is known by its content; anything else is taken for a log. */
static enum weir_exit open_file(struct weir_comparison *c)
{
    struct weir_error error = {0};
    struct weir_errors *errors = weir_errors_new();
    enum weir_status status = WEIR_OK;
    if (!errors) {
        weir_complain("out of memory");
        return WEIR_EXIT_INTERNAL;
    }
    if (strcmp(c->log_path, "-") != 0)
        status = weir_flow_summary_read(c->log_path, &c->summary, errors);
    enum weir_exit result = status ? weir_complain_errors(errors, status) : WEIR_EXIT_OK;
    weir_errors_free(errors);
    if (result != WEIR_EXIT_OK || c->summary)
        return result;
    c->log = weir_flow_log_open(c->log_path, &error);
    return c->log ? WEIR_EXIT_OK : weir_complain_error(c->log_path, &error);
}

enum weir_exit weir_compare_read(struct weir_comparison *c)
{
    struct weir_error error = {0};
    uint32_t count = weir_pipeline_operator_count(c->pipeline);
    c->recent.op = WEIR_COMPARE_NOBODY;
    c->seen = calloc(count ? count : 1, sizeof *c->seen);
    if (!c->seen) {
        weir_complain("out of memory");
        return WEIR_EXIT_INTERNAL;
    }
    for (uint32_t i = 0; i < count; i++)
        c->seen[i].worst = longest_seen(c->pipeline, i);
    enum weir_exit result = open_file(c);
    if (result != WEIR_EXIT_OK)
        return result;
    if (weir_compare_bounding(c, &error))
        return weir_complain_error(c->model, &error);
    if (c->log)
        return read_all(c);
    if (weir_compare_summary(c))
        return WEIR_EXIT_OK;
    if (c->error.status)
        return weir_complain_error(c->model, &c->error);
    weir_complain("out of memory");
    return WEIR_EXIT_INTERNAL;
}

void weir_compare_free(struct weir_comparison *c)
{
    for (size_t i = 0; i < c->path_count; i++) {
        weir_samples_free(&c->paths[i].samples);
        free(c->paths[i].names);
    }
    free(c->paths);
    free(c->names);
    free(c->reread);
    free(c->texts);
    free(c->seen);
    weir_solver_free(c->bounding.solver);
    weir_analysis_free(c->bounding.rounds);
    weir_workers_analysis_free(c->bounding.workers);
    weir_sample_analysis_free(c->bounding.samples);
    weir_flow_summary_free(c->summary);
    weir_flow_log_close(c->log);
}
