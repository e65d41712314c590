/* SPDX-License-Identifier: Apache-2.0 */
/* A simulation as a timeline. */
#include "answer/schedule.h"
#include "answer/timeline/timeline.h"
#include "base/number.h"
#include "model/pipeline.h"
#include "simulate/machine.h"
#include "simulate/times.h"

#define AHEAD_EXECUTIONS 100000 /* recorded, of all operators */

/* A message that was never read. */
struct loss {
    uint32_t queue;
    int64_t time;
};

/* Times are drawn here, as the simulator would, to know when messages are received: it tells of starts and finishes only. */
struct recording {
    const struct weir_simulation_options *options;
    struct weir_schedule schedule;
    weir_draw *draw; /* NULL: times are given */
    struct weir_dice *dice;
    int64_t last;                                 /* moment that was reported */
    const struct weir_chain_spec *followed;       /* whose data is followed; NULL: none is */
    const struct weir_timeline_followed *message; /* whose journey is shown; NULL: none is */
    struct loss *losses;
    size_t loss_count, loss_room;
    bool failed;
    bool shared; /* operators may share threads: the first that is ready, in the order of the pipeline, is taken at once */
};

/* NULL: beyond those that were asked for, of an operator that does not wait for the others. */
static struct weir_execution *execution_of(struct recording *r, struct weir_operator op, int64_t iteration)
{
    const uint32_t *first = &r->schedule.first[op.index];
    return iteration < first[1] - first[0] ? &r->schedule.executions[first[0] + (size_t)iteration] : NULL;
}

static bool record(void *context, struct weir_operator op, enum weir_moment moment, int64_t iteration, int64_t time)
{
    struct recording *r = context;
    struct weir_execution *e = execution_of(r, op, iteration);
    if (e && moment == WEIR_START)
        e->start = e->received = time;
    else if (e && moment == WEIR_FINISH)
        e->finish = time;
    r->last = e ? time : r->last;
    if (r->options->observe)
        r->options->observe(r->options->context, op, moment, iteration, time);
    return true;
}

/* Asked for after the start is reported. */
static int64_t draw(void *context, struct weir_operator op, enum weir_part part, int64_t iteration)
{
    struct recording *r = context;
    const struct weir_simulation_options *options = r->options;
    int64_t time = r->draw ? r->draw(r->dice, op, part, iteration) : options->given(options->context, op, part, iteration);
    struct weir_execution *e = part == WEIR_PART_TRANSFER ? NULL : execution_of(r, op, iteration);
    int64_t known = time > 0 && time < WEIR_TIME_MAX ? time : 0; /* the simulator complains of the rest */
    if (e && part == WEIR_PART_RECEIVE)
        e->received += known;
    else if (e && part == WEIR_PART_EXECUTION)
        e->sent = e->start + known; /* for now: it is over then on the CPU */
    return time;
}

static int64_t draw_transfer(void *context, struct weir_queue queue, int64_t execution)
{
    struct recording *r = context;
    struct weir_dice *behind = r->dice + weir_pipeline_operator_count(r->schedule.pipeline);
    return r->draw(behind, (struct weir_operator){queue.index}, WEIR_PART_EXECUTION, execution);
}

/* ---- data that is followed ---- */

static void carried(void *context, const struct weir_finish *finish)
{
    struct recording *r = context;
    struct weir_execution *e = execution_of(r, finish->op, finish->execution);
    if (!e || !finish->age_count)
        return;
    e->carries = finish->ages[0].oldest;
    e->since = finish->ages[0].oldest_time;
}

static void lost(void *context, struct weir_queue queue, int64_t time)
{
    struct recording *r = context;
    void *losses = r->losses;
    if (!weir_reserve(&losses, &r->loss_room, r->loss_count + 1, sizeof *r->losses)) {
        r->failed = true;
        return;
    }
    r->losses = losses;
    r->losses[r->loss_count++] = (struct loss){queue.index, time};
}

/* A lane for each queue that loses messages, with the moments. */
static void add_losses(struct weir_timeline *t, const struct recording *r)
{
    const struct weir_pipeline *p = r->schedule.pipeline;
    bool any = false;
    for (uint32_t queue = 0; queue < weir_pipeline_queue_count(p) && r->loss_count; queue++) {
        size_t count = 0;
        for (size_t i = 0; i < r->loss_count; i++) {
            if (r->losses[i].queue != queue || r->losses[i].time > r->last)
                continue;
            if (!any)
                weir_timeline_add_group(t, (struct weir_timeline_group){"lost", "messages that no operator reads", true});
            if (!count++)
                weir_timeline_add_lane(t, (struct weir_timeline_lane){.name = weir_timeline_queue_name(t, p, queue)});
            any = true;
            weir_timeline_add_span(t, (struct weir_timeline_span){.kind = WEIR_SPAN_LOST,
                                                                  .iteration = -1,
                                                                  .from = weir_ticks(r->losses[i].time),
                                                                  .to = weir_ticks(r->losses[i].time),
                                                                  .note = "a message is lost"});
        }
    }
}

/* Leaves out what did not begin, and finds when messages were sent. */
static void settle(struct recording *r)
{
    struct weir_schedule *s = &r->schedule;
    size_t kept = 0, next = 0;
    for (uint32_t op = 0; op < weir_pipeline_operator_count(s->pipeline); op++) {
        const struct weir_launch *launch = weir_pipeline_operator(s->pipeline, (struct weir_operator){op}).launch;
        size_t end = s->first[op + 1];
        for (; next < end; next++) {
            struct weir_execution e = s->executions[next];
            if (e.start < 0)
                continue;
            e.sent = !launch || launch->waits ? e.finish : e.sent > e.received ? e.sent : e.received;
            s->executions[kept++] = e;
        }
        s->first[op + 1] = (uint32_t)kept;
    }
    s->count = kept;
    s->end = r->last;
}

/* The journey of the message that takes longest, the first of several. */
static void add_longest(struct weir_timeline *t, struct recording *r, const uint32_t *lanes)
{
    struct weir_schedule *s = &r->schedule;
    const struct weir_chain_spec *chain = r->message->chain;
    const struct weir_execution *source = weir_schedule_execution(s, chain->from, 0);
    struct weir_witness journey = {.query = {.from = {.op = chain->from, .moment = WEIR_START},
                                             .to = {.op = chain->to, .moment = WEIR_FINISH},
                                             .shift = chain->shift}};
    int64_t longest = -1;
    for (int64_t i = 0; source && i < r->options->iterations; i++) {
        const struct weir_execution *first = weir_schedule_execution(s, chain->from, i),
                                    *last = weir_schedule_execution(s, chain->to, i + chain->shift);
        if (!first || !last || last->finish == WEIR_NOT_YET)
            continue;
        int64_t begin = r->message->period ? source->start + r->message->period * i : first->start;
        if (last->finish - begin <= longest)
            continue;
        longest = last->finish - begin;
        journey.iteration = i;
        s->from = begin;
        s->to = last->finish;
    }
    s->witness = &journey;
    if (longest > 0)
        weir_timeline_add_journey(t, s, lanes);
    s->witness = NULL;
}

/* Executions of an iteration of the pipeline. */
static int64_t firings_of_all(const struct weir_pipeline *pipeline)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < weir_pipeline_operator_count(pipeline); i++)
        sum += weir_pipeline_firings(pipeline, (struct weir_operator){i});
    return sum;
}

/* Iterations that are recorded: where data is followed some operators may be ahead of others. */
static int64_t recorded(const struct recording *r)
{
    int64_t iterations = r->options->iterations, all = iterations * firings_of_all(r->schedule.pipeline);
    int64_t ahead = all ? AHEAD_EXECUTIONS / all : 1;
    ahead = ahead > WEIR_AHEAD_MAX ? WEIR_AHEAD_MAX : ahead;
    return r->followed && ahead > 1 ? ahead * iterations : iterations;
}

static enum weir_status prepare(struct recording *r, struct weir_error *error)
{
    struct weir_schedule *s = &r->schedule;
    uint32_t operators = weir_pipeline_operator_count(s->pipeline);
    int64_t iterations = recorded(r);
    s->count = (size_t)(iterations * firings_of_all(s->pipeline));
    s->executions = weir_array_zeroed(s->count, sizeof *s->executions);
    s->first = weir_array((size_t)operators + 1, sizeof *s->first);
    s->finished = weir_array_zeroed(operators, sizeof *s->finished);
    if (r->draw)
        r->dice = weir_dice_new(s->pipeline, r->options->seed);
    if (!s->executions || !s->first || !s->finished || (r->draw && !r->dice))
        return weir_fail_memory(error);
    s->first[0] = 0;
    for (uint32_t op = 0; op < operators; op++) {
        int64_t count = iterations * weir_pipeline_firings(s->pipeline, (struct weir_operator){op});
        s->first[op + 1] = s->first[op] + (uint32_t)count;
        for (int64_t i = 0; i < count; i++)
            s->executions[s->first[op] + (size_t)i] = (struct weir_execution){
                .op = op, .iteration = i, .messages = 1, .start = -1, .finish = WEIR_NOT_YET, .carries = -1};
    }
    return WEIR_OK;
}

/* Plays it; r->draw is set, or times are given. */
static enum weir_status play(struct recording *r, struct weir_error *error)
{
    const struct weir_pipeline *pipeline = r->schedule.pipeline;
    struct weir_machine_rules rules = {.iterations = r->options->iterations,
                                       .time_of = draw,
                                       .observe = record,
                                       .context = r,
                                       .transfer_of = r->draw ? draw_transfer : NULL};
    const struct weir_machine_crews first = {0};
    const struct weir_age_options ages = {.run = {.seed = r->options->seed, .context = r},
                                          .from = r->followed ? &r->followed->from : NULL,
                                          .from_count = 1,
                                          .carried = carried,
                                          .lost = lost};
    int64_t *begins = NULL;
    bool enough = weir_pipeline_require_enough(pipeline, NULL) == WEIR_OK;
    enum weir_status status = r->shared ? WEIR_OK : weir_pipeline_require_enough(pipeline, error);
    rules.crews = enough ? NULL : &first;
    rules.ages = r->followed ? &ages : NULL;
    if (!status)
        status = prepare(r, error);
    if (!status)
        status = weir_begins_draw(pipeline, r->options->phases, r->options->seed, &begins, error);
    rules.begins = begins;
    if (!status)
        status = weir_machine_run(pipeline, &rules, error);
    if (!status)
        settle(r);
    weir_free(begins);
    return !status && r->failed ? weir_fail_memory(error) : status;
}

static enum weir_status simulate(struct recording r, struct weir_timeline **timeline, struct weir_error *error)
{
    const struct weir_pipeline *pipeline = r.schedule.pipeline;
    const struct weir_simulation_options *options = r.options;
    *timeline = NULL;
    enum weir_status status = weir_pipeline_require_sealed(pipeline, error);
    if (status)
        return status;
    uint32_t operators = weir_pipeline_operator_count(pipeline);
    int64_t executions = firings_of_all(pipeline);
    if (executions < 1 || options->iterations < 1 || options->iterations > WEIR_TIMELINE_EXECUTIONS_MAX / executions)
        return weir_fail(error, WEIR_INVALID,
                         "a trace has at most %d executions, and at least one: not %lld of each of %u operators",
                         WEIR_TIMELINE_EXECUTIONS_MAX, (long long)options->iterations, (unsigned)operators);
    status = weir_times_check(options->iterations, options->times, options->given != NULL, error);
    if (status)
        return status;
    r.draw = weir_dice_draw(options->times);
    struct weir_timeline *t = weir_timeline_new(pipeline);
    uint32_t *lanes = t ? weir_array(operators, sizeof *lanes) : NULL;
    if (!lanes) {
        weir_timeline_free(t);
        return weir_fail_memory(error);
    }
    status = play(&r, error);
    if (!status)
        status = weir_timeline_add_schedule(t, &r.schedule, lanes, error);
    if (!status && r.followed) {
        weir_timeline_add_ageing(t, &r.schedule, lanes, r.followed);
        add_losses(t, &r);
    }
    if (!status && r.message && !r.message->ages)
        add_longest(t, &r, lanes);
    if (!status && r.shared && !weir_pipeline_has_enough_workers(pipeline))
        weir_timeline_add_threads(t, pipeline, lanes);
    const char *name = weir_pipeline_name(pipeline);
    t->title = t->summary = *name ? weir_timeline_text(t, "%s: a simulation", name) : "A simulation";
    t->bar_legend = "an execution";
    t->axis = weir_timeline_text(t, "time in %s", weir_timeline_unit(t));
    weir_free(r.dice);
    weir_free(r.losses);
    weir_free(lanes);
    weir_schedule_free(&r.schedule);
    return weir_timeline_end(t, status, timeline, error);
}

enum weir_status weir_timeline_of_simulation(const struct weir_pipeline *pipeline, const struct weir_simulation_options *options,
                                             struct weir_timeline **timeline, struct weir_error *error)
{
    return simulate((struct recording){.options = options, .schedule = {.pipeline = pipeline}}, timeline, error);
}

enum weir_status weir_timeline_simulate(const struct weir_pipeline *pipeline, const struct weir_simulation_options *options,
                                        const struct weir_timeline_followed *followed, struct weir_timeline **timeline,
                                        struct weir_error *error)
{
    return simulate((struct recording){.options = options,
                                       .schedule = {.pipeline = pipeline},
                                       .shared = true,
                                       .followed = followed && followed->ages ? followed->chain : NULL,
                                       .message = followed},
                    timeline, error);
}
