/* SPDX-License-Identifier: Apache-2.0 */
/* Asks a published analysis, and the exact engine the same question. */
#include "answer/beside.h"

#include "answer/answer.h"
#include "base/error.h"
#include "model/pipeline.h"

#include <string.h>
#include <time.h>

static const struct weir_engine methods[WEIR_METHODS] = {[WEIR_METHOD_EXACT] = {.name = "exact"},
                                                         [WEIR_METHOD_TGDFS] = {.name = "tgdfs"},
                                                         [WEIR_METHOD_RTSS24] = {.name = "rtss24"},
                                                         [WEIR_METHOD_STATESPACE] = {.name = "statespace"},
                                                         [WEIR_METHOD_SMT] = {.name = "smt"}};

/* Where the latencies of a chain begin that the method measures. */
enum since { SINCE_START, SINCE_ARRIVAL, SINCE_QUEUE };

struct row {
    struct weir_chain_spec chain;
    enum since since;
    struct weir_method_result result;
    struct weir_separation exact; /* measured from the same moment as the result */
};

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* ---- asking ---- */

static enum since since_of(const struct weir_pipeline *p, enum weir_method method, const struct row *row)
{
    if (method == WEIR_METHOD_RTSS24 && row->result.applicable)
        return SINCE_QUEUE;
    for (size_t i = 0; i < p->source_count; i++)
        if (p->sources[i].op.index == row->chain.from.index && p->sources[i].arrivals == WEIR_ARRIVALS_EXACT)
            return SINCE_ARRIVAL;
    return SINCE_START;
}

/* The source's queue, of 1, is entered when the source starts one iteration earlier. */
static enum weir_status ask_exact(const struct weir_pipeline *pipeline, struct row *row, struct weir_error *error)
{
    struct weir_query query = {.from = {row->chain.from, row->since == SINCE_ARRIVAL ? WEIR_ARRIVAL : WEIR_START, 0},
                               .to = {.op = row->chain.to, .moment = WEIR_FINISH},
                               .shift = row->chain.shift + (row->since == SINCE_QUEUE)};
    struct weir_solver *solver = weir_solver_new(pipeline, error);
    if (!solver)
        return weir_pipeline_require_threads(pipeline, NULL) ? WEIR_INVALID : WEIR_MEMORY;
    enum weir_status status = weir_separation_worst(solver, &query, &row->exact, error);
    weir_solver_free(solver);
    return status;
}

/* What a method promises must be so; a finite horizon cannot exceed what no execution does. */
static bool agrees(enum weir_method method, const struct row *row)
{
    const struct weir_method_result *r = &row->result;
    if (!r->applicable || row->exact.outcome != WEIR_EXACT)
        return true;
    int64_t truth = row->exact.value;
    if (r->outcome == WEIR_BRACKET)
        return r->lower <= truth && (!r->safe || truth <= r->upper);
    if (r->outcome != WEIR_EXACT)
        return method == WEIR_METHOD_SMT;
    return (!r->safe || r->value >= truth) && (!r->exact || r->value == truth) && (method != WEIR_METHOD_SMT || r->value <= truth);
}

/* ---- the table ---- */

static void add_end(struct weir_table_builder *table, bool known, int64_t ticks, bool rounds_down)
{
    struct weir_datum value = weir_datum_if(known, weir_datum_time(ticks));
    value.rounds_down = rounds_down;
    weir_table_cell(table, value);
}

/* The worst case, or the upper end of a bracket; and its lower end where it is one. */
static void add_worst(struct weir_table_builder *table, const struct weir_separation *s)
{
    bool bracket = s->outcome == WEIR_BRACKET;
    add_end(table, s->outcome == WEIR_EXACT || (bracket && s->upper != INT64_MAX), bracket ? s->upper : s->value, false);
    if (bracket)
        add_end(table, s->lower != INT64_MIN, s->lower, true);
    else
        weir_table_cell(table, (struct weir_datum){0});
}

/* How far the method's number lies from the exact one. */
static struct weir_datum difference(const struct row *row)
{
    if (!row->result.applicable || row->result.outcome != WEIR_EXACT || row->exact.outcome != WEIR_EXACT || row->exact.value <= 0)
        return (struct weir_datum){0};
    return weir_datum_share((struct weir_ratio){row->result.value - row->exact.value, row->exact.value});
}

static const char *promise_of(const struct weir_method_result *result)
{
    return !result->applicable                ? "not covered"
           : result->outcome == WEIR_BRACKET  ? "limit reached"
           : result->outcome == WEIR_NO_BOUND ? "no bound"
           : result->exact                    ? "safe and exact"
           : result->safe                     ? "safe"
                                              : "no guarantee";
}

static const struct weir_column *columns_of(struct weir_answer *answer, enum weir_method method, size_t *count)
{
    enum { WORST = 5, COUNT = 7 };
    static const struct weir_column columns[] = {{"from", "from"},
                                                 {"to", "to"},
                                                 {"shift", NULL},
                                                 {"method", NULL},
                                                 {"applicable", NULL},
                                                 {"worst", "worst"},
                                                 {"worst_lower", "at least"},
                                                 {"count", NULL},
                                                 {"safe", NULL},
                                                 {"exact", NULL},
                                                 {"exact_worst", "exact"},
                                                 {"exact_worst_lower", "at least"},
                                                 {NULL, "difference"},
                                                 {"since", "since"},
                                                 {NULL, "promise"},
                                                 {"note", NULL}};
    struct weir_column *own = weir_answer_take(answer, sizeof columns / sizeof *columns, sizeof *own);
    *count = sizeof columns / sizeof *columns;
    if (!own)
        return columns;
    memcpy(own, columns, sizeof columns);
    own[WORST].title = answer->engine->name;
    own[COUNT].title = method == WEIR_METHOD_TGDFS ? "expressions" : method == WEIR_METHOD_STATESPACE ? "states" : NULL;
    return own;
}

static void add_row(struct weir_table_builder *table, const struct row *row)
{
    static const char *const moments[] = {[SINCE_START] = "start", [SINCE_ARRIVAL] = "arrival", [SINCE_QUEUE] = "queue"};
    struct weir_answer *answer = table->answer;
    const struct weir_method_result *result = &row->result;
    struct weir_separation own = {
        .outcome = result->outcome, .value = result->value, .lower = result->lower, .upper = result->upper};
    if (!result->applicable)
        own.outcome = WEIR_NO_EVENTS;
    weir_table_cell(table, weir_datum_text(weir_answer_name(answer, row->chain.from)),
                    weir_datum_text(weir_answer_name(answer, row->chain.to)), weir_datum_count(row->chain.shift),
                    weir_datum_text(answer->engine->name), weir_datum_flag(result->applicable));
    add_worst(table, &own);
    weir_table_cell(table, weir_datum_count((int64_t)result->count), weir_datum_flag(result->safe), weir_datum_flag(result->exact));
    add_worst(table, &row->exact);
    weir_table_cell(table, difference(row), weir_datum_text(moments[row->since]), weir_datum_text(promise_of(result)),
                    weir_datum_text(weir_answer_format(answer, "%s", result->note)));
}

/* ---- all of it ---- */

/* A bracket, or that there is no bound, is the news; the worse of them. */
static void add_trouble(struct weir_answer *answer, const struct row *row)
{
    bool endless = row->result.outcome == WEIR_NO_BOUND, bracket = row->result.outcome == WEIR_BRACKET;
    if (!row->result.applicable || !(endless || bracket) ||
        (answer->trouble && (bracket || answer->trouble_verdict == WEIR_VERDICT_BAD)))
        return;
    answer->trouble_verdict = endless ? WEIR_VERDICT_BAD : WEIR_VERDICT_OPEN;
    answer->trouble = weir_answer_format(answer, "%s: %s -> %s", endless ? "NO BOUND" : "LIMIT REACHED",
                                         weir_answer_name(answer, row->chain.from), weir_answer_name(answer, row->chain.to));
}

static enum weir_status ask(const struct weir_answer *answer, uint32_t index, struct weir_beside *beside, struct row *row,
                            struct weir_error *error)
{
    const struct weir_pipeline *p = answer->pipeline;
    int64_t begun = now_ns();
    *row = (struct row){.chain = p->chains[index]};
    enum weir_status status = weir_method_run(p, beside->method, index, &beside->options, &row->result, error);
    int64_t between = now_ns();
    row->since = since_of(p, beside->method, row);
    if (!status)
        status = ask_exact(p, row, error);
    beside->method_ns += between - begun;
    beside->exact_ns += now_ns() - between;
    if (status)
        return status;
    if (!agrees(beside->method, row))
        return weir_fail(error, WEIR_INTERNAL, "%.100s -> %.100s: the method %s contradicts the exact analysis",
                         weir_answer_name(answer, row->chain.from), weir_answer_name(answer, row->chain.to), answer->engine->name);
    if (!row->result.applicable && !beside->uncovered++) {
        beside->first = row->chain;
        snprintf(beside->note, sizeof beside->note, "%s", row->result.note);
    }
    return WEIR_OK;
}

/* The note on the first latency that is covered is below the table; the others' notes are in the JSON. */
static enum weir_status fill(struct weir_answer *answer, struct weir_beside *beside, struct weir_error *error)
{
    struct weir_table_builder table;
    struct row row;
    char note[sizeof row.result.note] = "";
    size_t columns;
    const struct weir_column *head = columns_of(answer, beside->method, &columns);
    weir_table_begin(&table, answer, "latency", head, columns);
    for (uint32_t i = 0; i < answer->pipeline->chain_count; i++) {
        enum weir_status status = ask(answer, i, beside, &row, error);
        if (status)
            return status;
        add_row(&table, &row);
        add_trouble(answer, &row);
        if (!note[0] && row.result.applicable)
            snprintf(note, sizeof note, "%s", row.result.note);
    }
    weir_answer_scope(answer, ", %s beside exact", answer->engine->name);
    weir_answer_add_table(&table, "Latencies", note[0] ? note : NULL);
    answer->assumes = "what the method assumes; see docs/reference/methods.md";
    return answer->out_of_memory ? weir_fail_memory(error) : WEIR_OK;
}

enum weir_status weir_answer_beside(const struct weir_pipeline *pipeline, struct weir_beside *beside, struct weir_answer **answer,
                                    struct weir_error *error)
{
    *answer = NULL;
    enum weir_status known = weir_pipeline_require_ports(pipeline, error);
    if (known)
        return known;
    struct weir_answer *a = weir_array_zeroed(1, sizeof *a);
    if (!a)
        return weir_fail_memory(error);
    a->pipeline = pipeline;
    a->engine = &methods[beside->method];
    enum weir_status status = fill(a, beside, error);
    if (status)
        weir_answer_free(a);
    else
        *answer = a;
    return status;
}
