/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calling thread shares out the points of a list to all threads, itself among them, and waits for the last. What a search does
 * next depends on the scores alone, and they on the points alone: the result is the same for any number of threads.
 */
#include "explore/team.h"

#include "base/alloc.h"
#include "base/error.h"
#include "explore/arrange/score_cache.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#define THREADS_MAX 256

struct item {
    size_t index; /* in the list */
    bool done;
    enum weir_status status;
};

struct weir_team {
    struct weir_team_options options;
    struct weir_score_cache memo;
    uint64_t evaluations;
    bool ended;
    unsigned reached;

    /* The list at work. Threads take the next item, and touch nothing but it and its score. */
    const int64_t *points;
    struct weir_score *scores;
    struct item *items;
    size_t item_count, item_capacity, next;
    struct weir_error error; /* of the first item that failed */
    size_t error_item;

    pthread_mutex_t lock;
    pthread_cond_t begin, end;
    uint64_t round;   /* how many lists there were; a new one is what threads wait for */
    unsigned working; /* threads that have not finished with the list */
    bool leave;
    unsigned thread_count; /* besides the calling one */
    pthread_t threads[THREADS_MAX];
};

static bool asked_to_stop(const struct weir_team *team)
{
    return team->options.stop && __atomic_load_n(team->options.stop, __ATOMIC_RELAXED);
}

static void show_progress(struct weir_team *team, size_t fresh)
{
    const struct weir_team_options *o = &team->options;
    uint64_t done = team->evaluations + fresh, permille = done >= o->evaluations ? 1000 : done * 1000 / o->evaluations;
    if (o->progress)
        o->progress(o->context, permille > team->reached ? (unsigned)permille : team->reached);
}

void weir_team_reached(struct weir_team *team, unsigned permille)
{
    team->reached = permille > 1000 ? 1000 : permille;
    show_progress(team, 0);
}

/* ---- one point ---- */

static enum weir_status evaluate(const struct weir_team *team, const int64_t *point, struct weir_score *score,
                                 struct weir_error *error)
{
    struct weir_pipeline *pipeline;
    struct weir_candidate *answer = NULL, impossible = {.kind = WEIR_CANDIDATE_IMPOSSIBLE};
    enum weir_status status = weir_design_space_apply(team->options.space, point, &pipeline, error);
    if (!status)
        status = weir_candidate_ask(team->options.analysis, pipeline, &answer, error);
    else if (status == WEIR_INVALID)
        status = WEIR_OK;
    if (!status)
        team->options.judge.score(team->options.judge.context, point, answer ? answer : &impossible, score);
    weir_free(answer);
    weir_pipeline_free(pipeline);
    return status;
}

/* Takes items until there are none. `first`: this is the calling thread, which shows how far it is. */
static void work(struct weir_team *team, bool first)
{
    size_t width = team->options.space->count;
    for (;;) {
        size_t at = __atomic_fetch_add(&team->next, 1, __ATOMIC_RELAXED);
        if (at >= team->item_count || asked_to_stop(team))
            return;
        struct item *item = &team->items[at];
        struct weir_error error = {0};
        item->status = evaluate(team, team->points + item->index * width, &team->scores[item->index], &error);
        item->done = true;
        if (item->status) {
            pthread_mutex_lock(&team->lock);
            if (at < team->error_item) {
                team->error_item = at;
                team->error = error;
            }
            pthread_mutex_unlock(&team->lock);
        }
        if (first)
            show_progress(team, at + 1);
    }
}

static void *serve(void *context)
{
    struct weir_team *team = context;
    uint64_t round = 0;
    pthread_mutex_lock(&team->lock);
    for (;;) {
        while (team->round == round && !team->leave)
            pthread_cond_wait(&team->begin, &team->lock);
        if (team->leave)
            break;
        round = team->round;
        pthread_mutex_unlock(&team->lock);
        work(team, false);
        pthread_mutex_lock(&team->lock);
        if (--team->working == 0)
            pthread_cond_signal(&team->end);
    }
    pthread_mutex_unlock(&team->lock);
    return NULL;
}

/* ---- a list ---- */

static void run_list(struct weir_team *team)
{
    team->next = 0;
    team->error_item = SIZE_MAX;
    if (team->thread_count && team->item_count > 1) {
        pthread_mutex_lock(&team->lock);
        team->working = team->thread_count;
        team->round++;
        pthread_cond_broadcast(&team->begin);
        pthread_mutex_unlock(&team->lock);
    }
    work(team, true);
    pthread_mutex_lock(&team->lock);
    while (team->working)
        pthread_cond_wait(&team->end, &team->lock);
    pthread_mutex_unlock(&team->lock);
}

/* The points without a score yet, as many as may still be evaluated; *count becomes the number of points before the first that may
 * not. False when out of memory. */
static bool collect(struct weir_team *team, const int64_t *points, size_t *count, struct weir_score *scores)
{
    size_t width = team->options.space->count;
    void *items = team->items;
    bool good = weir_reserve(&items, &team->item_capacity, *count, sizeof *team->items);
    team->items = items;
    team->item_count = 0;
    for (size_t i = 0; i < *count && good; i++) {
        const struct weir_score *known = weir_score_cache_find(&team->memo, points + i * width);
        if (known) {
            scores[i] = *known;
        } else if (team->item_count < weir_team_left(team)) {
            team->items[team->item_count++] = (struct item){.index = i};
        } else {
            *count = i;
            team->ended = true;
        }
    }
    return good;
}

enum weir_status weir_team_evaluate(struct weir_team *team, const int64_t *points, size_t count, struct weir_score *scores,
                                    size_t *done, struct weir_error *error)
{
    size_t width = team->options.space->count;
    *done = 0;
    if (!collect(team, points, &count, scores))
        return weir_fail_memory(error);
    team->points = points;
    team->scores = scores;
    run_list(team);
    *done = count;
    for (size_t i = 0; i < team->item_count; i++) {
        const struct item *item = &team->items[i];
        if (!item->done) {
            team->ended = true;
            *done = item->index < *done ? item->index : *done;
            continue;
        }
        team->evaluations++;
        if (item->status)
            return weir_fail(error, item->status, "%s", team->error.message);
        if (!weir_score_cache_add(&team->memo, points + item->index * width, &scores[item->index]))
            return weir_fail_memory(error);
    }
    show_progress(team, 0);
    return WEIR_OK;
}

bool weir_team_ended(const struct weir_team *team)
{
    return team->ended;
}

bool weir_team_stopped(struct weir_team *team)
{
    team->ended |= asked_to_stop(team);
    return team->ended;
}

uint64_t weir_team_evaluations(const struct weir_team *team)
{
    return team->evaluations;
}

uint64_t weir_team_left(const struct weir_team *team)
{
    return team->options.evaluations - team->evaluations;
}

/* ---- coming and going ---- */

static unsigned thread_count(unsigned asked)
{
    long cores = asked ? (long)asked : sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores > THREADS_MAX ? THREADS_MAX : (unsigned)cores;
}

struct weir_team *weir_team_new(const struct weir_team_options *options, struct weir_error *error)
{
    struct weir_team *team = weir_array_zeroed(1, sizeof *team);
    if (!team) {
        weir_fail_memory(error);
        return NULL;
    }
    team->options = *options;
    team->memo.width = options->space->count;
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->begin, NULL);
    pthread_cond_init(&team->end, NULL);
    /* Threads that cannot be had are done without. */
    for (unsigned wanted = thread_count(options->threads) - 1; team->thread_count < wanted; team->thread_count++)
        if (pthread_create(&team->threads[team->thread_count], NULL, serve, team))
            break;
    return team;
}

void weir_team_free(struct weir_team *team)
{
    if (!team)
        return;
    pthread_mutex_lock(&team->lock);
    team->leave = true;
    pthread_cond_broadcast(&team->begin);
    pthread_mutex_unlock(&team->lock);
    for (unsigned i = 0; i < team->thread_count; i++)
        pthread_join(team->threads[i], NULL);
    pthread_cond_destroy(&team->end);
    pthread_cond_destroy(&team->begin);
    pthread_mutex_destroy(&team->lock);
    weir_score_cache_free(&team->memo);
    weir_free(team->items);
    weir_free(team);
}
