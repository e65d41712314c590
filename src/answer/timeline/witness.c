/* SPDX-License-Identifier: Apache-2.0 */
/* How the worst case of a latency happens: its witness, played, with the critical path and the latency as a ruler. */
#include "answer/account.h"
#include "answer/schedule.h"
#include "answer/timeline/timeline.h"
#include "base/number.h"
#include "model/pipeline.h"

#include <stdlib.h>

/* The execution that the step belongs to may have ended before the timeline begins: it is on the first row then. */
static uint32_t row_of(const struct weir_timeline *t, const struct weir_schedule *s, uint32_t lane,
                       const struct weir_schedule_step *step)
{
    const struct weir_execution *e = weir_schedule_execution(s, step->step->op, step->iteration);
    return e ? t->spans[t->lanes[lane].first_span + (size_t)(e - s->executions) - s->first[e->op]].row : 0;
}

/* What it waited for; NULL for the first that is shown. */
static const char *reason_of(struct weir_timeline *t, const struct weir_schedule *s, size_t index)
{
    const struct weir_schedule_step *now = &s->steps[index];
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = index ? open_memstream(&text, &bytes) : NULL;
    if (!out) {
        t->failed |= index > 0;
        return NULL;
    }
    weir_step_reason(s->pipeline, &(struct weir_step_at){now->step, now->iteration},
                     &(struct weir_step_at){now[-1].step, now[-1].iteration}, out);
    t->failed |= fclose(out) != 0;
    const char *kept = t->failed ? NULL : weir_timeline_text(t, "%s", text);
    free(text);
    return kept;
}

static void add_path(struct weir_timeline *t, const struct weir_schedule *s, const uint32_t *lanes)
{
    for (size_t i = 0; i < s->step_count && !t->failed; i++) {
        const struct weir_schedule_step *step = &s->steps[i];
        uint32_t lane = lanes[step->step->op.index];
        weir_timeline_add_step(t, (struct weir_timeline_step){.lane = lane,
                                                              .row = row_of(t, s, lane, step),
                                                              .iteration = step->iteration,
                                                              .from = weir_ticks(step->start),
                                                              .to = weir_ticks(step->end),
                                                              .wait = step->step->wait,
                                                              .reason = reason_of(t, s, i)});
    }
}

static const char *event_text(struct weir_timeline *t, const struct weir_pipeline *pipeline, struct weir_operator op,
                              enum weir_moment moment)
{
    static const char *const words[] = {[WEIR_START] = "starts", [WEIR_FINISH] = "is done", [WEIR_ARRIVAL] = "gets its input"};
    return weir_timeline_text(t, "%s %s", weir_pipeline_operator(pipeline, op).name, words[moment]);
}

/* The deadline widens the picture where it is not much farther than the end. */
static void add_rulers(struct weir_timeline *t, const struct weir_schedule *s, const struct weir_bound *bound)
{
    char latency[WEIR_TIME_TEXT], text[WEIR_TIME_TEXT], by[WEIR_TIME_TEXT];
    const struct weir_query *query = &s->witness->query;
    int64_t deadline;
    weir_decimal_format(s->to - s->from, t->digits, latency);
    weir_timeline_add_ruler(
        t, (struct weir_timeline_ruler){.kind = WEIR_RULER_LATENCY,
                                        .from = weir_ticks(s->from),
                                        .to = weir_ticks(s->to),
                                        .text = weir_timeline_text(t, "%s %s", latency, weir_timeline_unit_of(t, latency)),
                                        .from_event = event_text(t, s->pipeline, query->from.op, query->from.moment),
                                        .to_event = event_text(t, s->pipeline, query->to.op, query->to.moment),
                                        .from_mark = "the latency begins",
                                        .to_mark = "the latency ends"});
    if (!bound->has_deadline || !weir_add(s->from, bound->deadline, &deadline))
        return;
    bool late = s->to > deadline;
    weir_decimal_format(bound->deadline, t->digits, text);
    weir_decimal_format(late ? s->to - deadline : deadline - s->to, t->digits, by);
    weir_timeline_add_ruler(
        t, (struct weir_timeline_ruler){
               .kind = WEIR_RULER_DEADLINE,
               .from = weir_ticks(s->from),
               .to = weir_ticks(deadline),
               .state = late ? WEIR_DEADLINE_MISSED : bound->state,
               .over = late ? weir_ticks(s->to) : (struct weir_ratio){0, 0},
               .text = weir_timeline_text(t, late ? "deadline: %s %s, missed by %s" : "deadline: %s %s, %s to spare", text,
                                          weir_timeline_unit_of(t, text), by),
               .to_mark = "deadline"});
    if (deadline > s->end && deadline - s->end <= (s->end - s->begin) / 3)
        t->reach = weir_ticks(deadline);
}

static void add_titles(struct weir_timeline *t, const struct weir_schedule *s, const struct weir_chain_spec *chain)
{
    char worst[WEIR_TIME_TEXT];
    const char *name = weir_pipeline_name(s->pipeline), *unit;
    const char *from = weir_pipeline_operator(s->pipeline, chain->from).name,
               *to = weir_pipeline_operator(s->pipeline, chain->to).name;
    unit = weir_timeline_unit_of(t, weir_decimal_format(s->to - s->from, t->digits, worst));
    t->title =
        weir_timeline_text(t, "%s%s%s \342\206\222 %s: the worst case, %s %s", name, *name ? ": " : "", from, to, worst, unit);
    t->summary = weir_timeline_text(t, "Timeline of the worst case from %s to %s: %s %s", from, to, worst, unit);
    t->subtitle = s->cut ? "A colour is an iteration; its number and its time are in the bar. What led to this begins earlier."
                         : "A colour is an iteration; its number and its time are in the bar.";
    t->axis = weir_timeline_text(t, "time in %s, from where the latency counts", weir_timeline_unit(t));
    weir_timeline_add_fact(t, "worst", weir_datum_time(s->to - s->from));
}

/* How long the message runs while the critical path, whose parts are summed, goes through the execution of another one:
 * " (2 of the waiting while it runs in camera)". */
static const char *hidden_part(struct weir_timeline *t, const struct weir_schedule *s)
{
    const struct weir_query *query = &s->witness->query;
    int64_t hidden = 0, first = s->witness->iteration, last = first + query->shift;
    uint32_t lane = WEIR_NO_LANE, lanes = 0;
    char text[WEIR_TIME_TEXT];
    for (size_t i = 0; i < t->leg_count; i++)
        for (size_t k = 0; t->legs[i].kind == WEIR_LEG_RUNNING && k < s->step_count; k++) {
            const struct weir_schedule_step *step = &s->steps[k];
            int64_t from = t->legs[i].from.numerator, to = t->legs[i].to.numerator;
            from = step->start > from ? step->start : from;
            to = step->end < to ? step->end : to;
            if (from >= to || (step->iteration >= first && step->iteration <= last))
                continue;
            hidden += to - from;
            lanes += lane != t->legs[i].lane;
            lane = t->legs[i].lane;
        }
    if (!hidden)
        return "";
    weir_decimal_format(hidden, t->digits, text);
    return weir_timeline_text(t, " (%s of the waiting while it runs%s%s)", text, lanes == 1 ? " in " : "",
                              lanes == 1 ? t->lanes[lane].name : "");
}

/* The worst case as a sum, above the lanes: of what the critical path goes through, or of the journey where an operator executes
 * several times in an iteration. */
static enum weir_status add_account(struct weir_timeline *t, const struct weir_schedule *s, struct weir_error *error)
{
    if (s->pipeline->firings && t->leg_count)
        weir_timeline_sum_legs(t);
    if (s->pipeline->firings)
        return WEIR_OK;
    struct weir_account account;
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    bool good = weir_account_begin(&account, s->pipeline, s->witness) && out;
    for (size_t i = 0; good && i < s->step_count; i++)
        weir_account_add(&account, s->steps[i].step, s->steps[i].iteration, s->steps[i].start - s->from, s->steps[i].end - s->from);
    bool told = good && weir_account_holds(&account);
    if (told)
        weir_account_put(&account, out);
    good &= out && fclose(out) == 0;
    if (good && told)
        t->account = weir_timeline_text(t, "%s%s", text, hidden_part(t, s));
    weir_account_free(&account);
    free(text);
    return good ? WEIR_OK : weir_fail_memory(error);
}

enum weir_status weir_timeline_of_witness(const struct weir_pipeline *pipeline, const struct weir_bound *bound,
                                          struct weir_timeline **timeline, struct weir_error *error)
{
    struct weir_schedule s = {0};
    *timeline = NULL;
    if (!bound->witness)
        return weir_fail(error, WEIR_INVALID, "there is no worst case to show: the latency has no witness");
    struct weir_timeline *t = weir_timeline_new(pipeline);
    uint32_t *lanes = t ? weir_array(weir_pipeline_operator_count(pipeline), sizeof *lanes) : NULL;
    if (!lanes) {
        weir_timeline_free(t);
        return weir_fail_memory(error);
    }
    enum weir_status status = weir_schedule_of_witness(pipeline, bound->witness, &s, error);
    if (!status)
        status = weir_timeline_add_schedule(t, &s, lanes, error);
    if (!status) {
        t->origin = s.from;
        add_path(t, &s, lanes);
        weir_timeline_add_journey(t, &s, lanes);
        add_titles(t, &s, &bound->chain);
        add_rulers(t, &s, bound);
        status = add_account(t, &s, error);
    }
    weir_free(lanes);
    weir_schedule_free(&s);
    return weir_timeline_end(t, status, timeline, error);
}
