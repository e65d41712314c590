/* SPDX-License-Identifier: Apache-2.0 */
/* What a page says about one model, part by part: verdict, latencies, tables, what can be changed, what is assumed. It knows
 * answers, and no engine. Compiled to WebAssembly, too: a page says it of a model that was changed in the same words. */
#include "answer/answer.h"
#include "base/error.h"
#include "base/number.h"
#include "model/flow.h"
#include "model/pipeline.h"
#include "render/html/page.h"
#include "render/plot/plot.h"
#include "render/text/text.h"

#include <string.h>

#define DISTRIBUTIONS_MAX 3
#define REACHED_RUNS 20
#define REACHED_WORK 400000 /* executions and messages that it may simulate */
#define TERMS_MAX 6         /* latencies whose terms are listed */
#define NAMES_MAX 12        /* of a loop; of more only how many, and the slowest */

static bool known(struct weir_ratio end)
{
    return end.denominator > 0;
}

const char *weir_page_end(const struct weir_page *page, const struct weir_bound *bound, bool last)
{
    return bound->whole ? (last ? "the end of the last" : "the first launch")
                        : weir_page_name(page, last ? bound->chain.to : bound->chain.from);
}

static const char *quantity_text(const struct weir_page *page, const struct weir_quantity *q, char text[WEIR_PAGE_RANGE])
{
    char low[WEIR_PAGE_TIME], high[WEIR_PAGE_TIME];
    switch (q->claim) {
    case WEIR_CLAIM_NONE:
        return "\342\200\223";
    case WEIR_CLAIM_UNBOUNDED:
        return "no bound";
    case WEIR_CLAIM_UNKNOWN:
        return "no bound found";
    case WEIR_CLAIM_BRACKET:
        snprintf(text, WEIR_PAGE_RANGE, "%s to %s", known(q->low) ? weir_page_ratio(page, q->low, low) : "?",
                 known(q->high) ? weir_page_ratio(page, q->high, high) : "?");
        return text;
    case WEIR_CLAIM_EXACT:
    case WEIR_CLAIM_SAFE:
    case WEIR_CLAIM_UNSAFE:
        break;
    }
    return weir_page_ratio(page, known(q->high) ? q->high : q->low, text);
}

/* ---- the verdict ---- */

static const char *headline(const struct weir_answer *answer, const struct weir_bound *worst)
{
    size_t deadlines = 0, alike = 0;
    for (size_t i = 0; i < answer->bound_count; i++) {
        deadlines += answer->bounds[i].has_deadline;
        alike += worst && answer->bounds[i].state == worst->state;
    }
    if (!worst)
        return "There are no latencies.";
    if (worst->worst.claim == WEIR_CLAIM_UNBOUNDED)
        return "There is no bound.";
    if (worst->state == WEIR_DEADLINE_MISSED)
        return alike == 1 ? "A deadline is missed." : "Deadlines are missed.";
    if (worst->state == WEIR_DEADLINE_NOT_PROVED)
        return alike == 1 ? "A deadline is not proved: the bound lies above it."
                          : "Deadlines are not proved: the bounds lie above them.";
    if (worst->worst.claim == WEIR_CLAIM_UNKNOWN)
        return "No bound was found.";
    if (worst->worst.claim == WEIR_CLAIM_UNSAFE)
        return "The number can be exceeded: it is not a bound.";
    if (worst->state == WEIR_DEADLINE_NOT_DECIDED)
        return "A limit was reached before the deadline was decided.";
    if (weir_bound_verdict(worst) == WEIR_VERDICT_OPEN)
        return "A limit was reached: the worst case lies in a bracket.";
    if (deadlines)
        return deadlines == 1 ? "The deadline is met, always." : "Every deadline is met, always.";
    return worst->worst.claim == WEIR_CLAIM_EXACT ? "The worst case is known exactly." : "Safe bounds were found.";
}

/* How many iterations a run may have: a few at least, where one of them is not too long for that; 0: none. */
static int64_t choose_iterations(const struct weir_pipeline *p)
{
    weir_wide size = (weir_wide)(p->operator_count + p->queue_count) << WEIR_ROUND_BITS;
    int64_t fewest = 20;
    if (p->flow && !weir_flow_round(p->flow, &size))
        return 0;
    if (p->flow)
        fewest = size > ((weir_wide)REACHED_WORK / REACHED_RUNS << WEIR_ROUND_BITS) ? 0 : 2;
    int64_t iterations = (int64_t)(((weir_wide)REACHED_WORK << WEIR_ROUND_BITS) / (REACHED_RUNS * size));
    return iterations < fewest ? fewest : iterations > 500 ? 500 : iterations;
}

/* Where a safe bound lies above the deadline: how far simulated runs get. Few runs, since this stands before everything else. */
static void put_reached(struct weir_page *page, const struct weir_answer *answer, size_t index)
{
    char time[WEIR_PAGE_TIME];
    const char *engine = weir_engine_of(answer->pipeline);
    struct weir_simulate_options options = {.seed = page->options->seed, .runs = REACHED_RUNS};
    if (strcmp(engine, "gpu") != 0 && (options.iterations = choose_iterations(answer->pipeline)) == 0)
        return;
    if (strcmp(engine, "fixed-priority") == 0)
        options.search = options.iterations <= 20 ? 1 : 40; /* runs that climb towards late executions */
    struct weir_answer *seen = NULL;
    struct weir_error refused;
    if (weir_answer_simulate(answer->pipeline, &options, &seen, &refused)) /* what cannot be simulated has a verdict all the same */
        return;
    const struct weir_distribution *observed = index < seen->bound_count ? seen->bounds[index].observed : NULL;
    if (observed && observed->max.denominator)
        weir_svg_put(page->out,
                     weir_ratio_compare(observed->max, (struct weir_ratio){answer->bounds[index].deadline, 1}) > 0
                         ? " A simulated run took $: it can be missed."
                         : " The longest of some simulated runs took $.",
                     weir_page_ratio(page, observed->max, time));
    weir_answer_free(seen);
}

/* Sentences, each in an element. */
static void put_each(struct weir_page *page, const struct weir_answer_list *list, const char *element)
{
    const char *const *sentences = list->items;
    for (size_t i = 0; i < list->count; i++) {
        weir_svg_put(page->out, "<$>", element);
        weir_page_sentence(page, sentences[i]);
        size_t length = strlen(sentences[i]);
        fputs(length && strchr(".!?:", sentences[i][length - 1]) ? "" : ".", page->out);
        weir_svg_put(page->out, "</$>\n", element);
    }
}

/* A sentence about the latency that decides. */
static void put_sentence(struct weir_page *page, const struct weir_answer *answer, const struct weir_bound *bound)
{
    char text[WEIR_PAGE_RANGE], deadline[WEIR_PAGE_TIME], lower[WEIR_PAGE_TIME];
    const char *worst = quantity_text(page, &bound->worst, text);
    weir_svg_put(page->out, " From $ to $ ", weir_page_end(page, bound, false), weir_page_end(page, bound, true));
    if (bound->worst.claim == WEIR_CLAIM_UNBOUNDED)
        fputs("no time is enough for every message", page->out);
    else if (bound->worst.claim == WEIR_CLAIM_NONE)
        fputs("it never happens", page->out);
    else if (bound->worst.claim == WEIR_CLAIM_UNKNOWN)
        fputs("no bound is known", page->out);
    else if (bound->worst.claim == WEIR_CLAIM_BRACKET)
        weir_svg_put(page->out, "the worst case is <strong class=\"bound\">$</strong>", worst);
    else if (bound->worst.claim == WEIR_CLAIM_UNSAFE)
        weir_svg_put(page->out, "the method says <strong class=\"bound\">$</strong>", worst);
    else if (bound->state == WEIR_DEADLINE_MISSED && bound->worst.claim == WEIR_CLAIM_SAFE)
        weir_svg_put(page->out, "it can take $ or more, and takes at most <strong class=\"bound\">$</strong>",
                     weir_quantity_floor(page->model->pipeline, bound->worst.low, lower), worst);
    else if (bound->state == WEIR_DEADLINE_MISSED)
        weir_svg_put(page->out, "it can take <strong class=\"bound\">$</strong>", worst);
    else
        weir_svg_put(page->out, "it takes at most <strong class=\"bound\">$</strong>$", worst,
                     bound->worst.claim == WEIR_CLAIM_EXACT ? ", and there is an execution that takes so long" : "");
    if (bound->has_deadline)
        weir_svg_put(page->out, "; the deadline is $", weir_page_time(page, bound->deadline, deadline));
    fputs(".", page->out);
    if (bound->state == WEIR_DEADLINE_NOT_PROVED)
        put_reached(page, answer, (size_t)(bound - answer->bounds));
    fputs("</p>\n", page->out);
    weir_svg_put(page->out, "<p class=\"why\"$>", bound->why ? "" : " hidden");
    weir_page_sentence(page, bound->why ? bound->why : "");
    fputs(bound->why ? ".</p>\n" : "</p>\n", page->out);
    page->answer.bound = *bound;
    page->answer.has_bound = true;
    snprintf(page->answer.worst, sizeof page->answer.worst, "%s", worst);
}

static void put_verdict(struct weir_page *page, const struct weir_answer *answer, const struct weir_bound *worst)
{
    static const char *const kinds[] = {[WEIR_VERDICT_GOOD] = "good", [WEIR_VERDICT_OPEN] = "unknown", [WEIR_VERDICT_BAD] = "bad"};
    enum weir_verdict verdict = weir_answer_verdict(answer);
    page->verdict = verdict > page->verdict ? verdict : page->verdict;
    page->answer.platform = answer->platform ? answer->platform : "";
    if (answer->trouble && !(worst && worst->why)) /* it is in words below otherwise */
        weir_svg_put(page->out, "<p class=\"verdict $\"><strong>$</strong></p>\n", kinds[answer->trouble_verdict], answer->trouble);
    weir_page_verdict(page, kinds[worst ? weir_bound_verdict(worst) : verdict], headline(answer, worst));
    page->answer.kind = kinds[verdict];
    if (worst)
        put_sentence(page, answer, worst);
    else
        fputs("</p>\n", page->out);
    put_each(page, &answer->lines, "p");
}

/* ---- latencies ---- */

static const char *state_text(enum weir_deadline_state state)
{
    switch (state) {
    case WEIR_DEADLINE_NONE:
        return "no deadline";
    case WEIR_DEADLINE_MET:
        return "\342\234\223 met";
    case WEIR_DEADLINE_NOT_PROVED:
        return "? not proved";
    case WEIR_DEADLINE_NOT_DECIDED:
        return "? not decided";
    case WEIR_DEADLINE_MISSED:
        break;
    }
    return "\342\234\227 missed";
}

/* Which columns have something in them. */
struct columns {
    bool lower, best, deadline;
};

/* What a safe bound cannot fall below is known. */
static bool has_lower(const struct weir_bound *bound)
{
    bool stated = bound->worst.claim == WEIR_CLAIM_SAFE || bound->worst.claim == WEIR_CLAIM_UNSAFE;
    return stated && known(bound->worst.low) && known(bound->worst.high);
}

static const char *lower_text(const struct weir_page *page, const struct weir_bound *bound, char text[WEIR_PAGE_TIME])
{
    return has_lower(bound) ? weir_quantity_floor(page->model->pipeline, bound->worst.low, text) : "\342\200\223";
}

static void put_bound(struct weir_page *page, const struct weir_bound *bound, size_t index, struct columns shown)
{
    char worst[WEIR_PAGE_RANGE], best[WEIR_PAGE_RANGE], deadline[WEIR_PAGE_TIME], slack[WEIR_PAGE_TIME], lower[WEIR_PAGE_TIME];
    bool spare = bound->has_deadline && known(bound->worst.high);
    weir_svg_put(page->out, "<tr data-pair=\"%\"><th scope=\"row\">$ \342\206\222 $</th><td class=\"number live-worst\">$</td>",
                 (unsigned)index, weir_page_end(page, bound, false), weir_page_end(page, bound, true),
                 bound->worst.claim == WEIR_CLAIM_NONE ? "never happens" : quantity_text(page, &bound->worst, worst));
    if (shown.lower)
        weir_svg_put(page->out, "<td class=\"number\">$</td>", lower_text(page, bound, lower));
    if (shown.best)
        weir_svg_put(page->out, "<td class=\"number live-best\">$</td>", quantity_text(page, &bound->best, best));
    if (shown.deadline)
        weir_svg_put(page->out,
                     "<td class=\"number\">$</td><td class=\"number live-slack\">$</td><td class=\"live-verdict\">$</td>",
                     bound->has_deadline ? weir_page_time(page, bound->deadline, deadline) : "\342\200\223",
                     spare ? weir_slack_amount(page->model->pipeline, bound->deadline, bound->worst.high, slack) : "\342\200\223",
                     state_text(bound->state));
    fputs("</tr>\n", page->out);
}

/* Of very many latencies those that are in trouble first. */
static void put_bounds(struct weir_page *page, const struct weir_answer *answer)
{
    size_t shown = 0;
    bool many = answer->bound_count > WEIR_PAGE_ROWS, exact = true;
    struct columns columns = {false, false, false};
    for (size_t i = 0; i < answer->bound_count; i++) {
        exact &= answer->bounds[i].worst.claim != WEIR_CLAIM_SAFE;
        columns.lower |= has_lower(&answer->bounds[i]);
        columns.best |= answer->bounds[i].best.claim != WEIR_CLAIM_NONE;
        columns.deadline |= answer->bounds[i].has_deadline;
    }
    weir_svg_put(page->out,
                 "<h3>Latencies</h3>\n<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Latencies\">"
                 "<table class=\"pairs\"><thead><tr><th scope=\"col\">from \342\206\222 to</th>"
                 "<th scope=\"col\" class=\"number\">$</th>",
                 exact ? "worst case" : "at most");
    if (columns.lower)
        fputs("<th scope=\"col\" class=\"number\">lower bound</th>", page->out);
    if (columns.best)
        weir_svg_put(page->out, "<th scope=\"col\" class=\"number\">$</th>", exact ? "best case" : "at least");
    fputs(columns.deadline ? "<th scope=\"col\" class=\"number\">deadline</th><th scope=\"col\" class=\"number\">slack</th>"
                             "<th scope=\"col\">verdict</th></tr></thead><tbody>\n"
                           : "</tr></thead><tbody>\n",
          page->out);
    for (int round = many ? 0 : 1; round < 2; round++)
        for (size_t i = 0; i < answer->bound_count && shown < WEIR_PAGE_ROWS; i++)
            if (!many || (weir_bound_verdict(&answer->bounds[i]) == WEIR_VERDICT_GOOD) == (round == 1)) {
                put_bound(page, &answer->bounds[i], i, columns);
                shown++;
            }
    fputs("</tbody></table></div>\n", page->out);
    if (many)
        weir_svg_put(page->out, "<p>% of % latencies, those in trouble first. weir analyze --json has them all.</p>\n",
                     WEIR_PAGE_ROWS, (unsigned)answer->bound_count);
}

static void put_terms(struct weir_page *page, const struct weir_answer *answer)
{
    size_t told = 0;
    char time[WEIR_PAGE_TIME];
    for (size_t i = 0; i < answer->bound_count && told < TERMS_MAX; i++) {
        const struct weir_bound *bound = &answer->bounds[i];
        if (!bound->term_count)
            continue;
        if (!told++)
            fputs("<h3>How the worst case adds up</h3>\n", page->out);
        weir_svg_put(page->out, "<p>$ \342\206\222 $: $</p>\n<ol>\n", weir_page_end(page, bound, false),
                     weir_page_end(page, bound, true),
                     bound->worst.claim == WEIR_CLAIM_EXACT ? "this is reached." : "no latency is longer; it need not be reached.");
        for (size_t k = 0; k < bound->term_count; k++)
            weir_svg_put(page->out, "<li>$: $</li>\n", bound->terms[k].text, weir_page_ratio(page, bound->terms[k].time, time));
        fputs("</ol>\n", page->out);
    }
}

/* ---- throughput and tables ---- */

static const struct weir_datum *member(const struct weir_datum *record, const char *key)
{
    for (size_t i = 0; i < record->field_count; i++)
        if (strcmp(record->is.fields[i].key, key) == 0)
            return &record->is.fields[i].value;
    return NULL;
}

static void put_throughput(struct weir_page *page, const struct weir_answer *answer)
{
    struct weir_datum throughput = weir_answer_fact(answer, "throughput");
    char worst[WEIR_PAGE_TIME], best[WEIR_PAGE_TIME];
    if (throughput.kind != WEIR_DATUM_RECORD)
        return;
    const struct weir_datum *period = member(&throughput, "period"), *fastest = member(&throughput, "best_period");
    const struct weir_datum *bottleneck = member(&throughput, "bottleneck"), *limit = member(&throughput, "limited_by");
    if (!period || !fastest || !bottleneck || !limit)
        return;
    weir_svg_put(page->out, "<h3>Throughput</h3>\n<p class=\"throughput\">One result every <strong>$</strong> is guaranteed",
                 weir_page_ratio(page, period->is.ratio, worst));
    if (weir_ratio_compare(fastest->is.ratio, period->is.ratio) < 0 && fastest->is.ratio.numerator > 0)
        weir_svg_put(page->out, "; if everything takes its best time, there is one every $",
                     weir_page_ratio(page, fastest->is.ratio, best));
    fputs(".", page->out);
    char many[512];
    bool all = bottleneck->field_count <= NAMES_MAX;
    if (!all)
        weir_svg_put(page->out, " The bottleneck is the loop of $",
                     weir_text_many(answer->pipeline, bottleneck, many, sizeof many));
    for (size_t i = 0; i < bottleneck->field_count && all; i++)
        weir_svg_put(page->out, "$$",
                     i                                       ? ", "
                     : bottleneck->field_count > 1           ? " The bottleneck is the loop of "
                     : strcmp(limit->is.text, "period") == 0 ? " The bottleneck is the period of "
                                                             : " The bottleneck is ",
                     bottleneck->is.fields[i].value.is.text);
    fputs(bottleneck->field_count ? ".</p>\n" : "</p>\n", page->out);
}

/* What a run of it came to. */
static void put_run(struct weir_page *page, const struct weir_answer *run)
{
    const char *const *lines = run->lines.items;
    fputs("<div class=\"as-given\">\n<h3>What was measured</h3>\n", page->out);
    if (run->trouble)
        weir_svg_put(page->out, "<p class=\"verdict bad\"><strong>$</strong></p>\n", run->trouble);
    weir_svg_put(page->out, "<p>$</p>\n", run->scope);
    for (size_t i = 0; i < run->lines.count; i++)
        weir_svg_put(page->out, "<p>$</p>\n", lines[i]);
    for (size_t i = 0; i < run->tables.count; i++)
        weir_page_table(page, weir_answer_table(run, i));
    fputs("</div>\n", page->out);
    page->verdict = weir_answer_verdict(run) > page->verdict ? weir_answer_verdict(run) : page->verdict;
}

static enum weir_status put_distributions(struct weir_page *page, const struct weir_answer *answer)
{
    bool any = false;
    enum weir_status status = WEIR_OK;
    for (size_t i = 0; i < answer->bound_count && i < DISTRIBUTIONS_MAX && !status; i++) {
        const struct weir_bound *bound = &answer->bounds[i];
        if (bound->worst.claim == WEIR_CLAIM_NONE || weir_pipeline_firings(answer->pipeline, bound->chain.from) > 1 ||
            weir_pipeline_firings(answer->pipeline, bound->chain.to) >
                1) /* of which executions are one another's is not told there */
            continue;
        if (!any)
            fputs("<div class=\"as-given\">\n<h3>What simulation shows</h3>\n", page->out);
        any = true;
        if (answer->bound_count > 1)
            weir_svg_put(page->out, "<h4>$ \342\206\222 $</h4>\n", weir_page_end(page, bound, false),
                         weir_page_end(page, bound, true));
        status = weir_page_distribution(page, bound, i);
    }
    if (any)
        fputs("</div>\n", page->out);
    return status;
}

/* ---- all of it ---- */

static void put_assumptions(struct weir_page *page, const struct weir_answer *answer)
{
    size_t verified = 0, replayed = 0;
    for (size_t i = 0; i < answer->bound_count; i++) {
        verified += answer->bounds[i].verified;
        replayed += answer->bounds[i].witness != NULL;
    }
    if (answer->remedies.count)
        fputs("<h3>What to change</h3>\n<ul>\n", page->out);
    put_each(page, &answer->remedies, "li");
    fputs(answer->remedies.count ? "</ul>\n<h3>What this assumes</h3>\n<ul>\n" : "<h3>What this assumes</h3>\n<ul>\n", page->out);
    put_each(page, &answer->assumptions, "li");
    fputs("</ul>\n", page->out);
    if (verified && verified == answer->bound_count)
        fputs(replayed
                  ? "<p>Checked: each worst case was played through and came to the same time, and a certificate that none takes "
                    "longer was checked by code that shares nothing with the analysis.</p>\n"
                  : "<p>Checked: the certificate of each bound was checked by code that shares nothing with the analysis.</p>\n",
              page->out);
}

/* ---- parts ---- */

/* Scripts put another in place of a part. */
static void begin_part(struct weir_page *page, const char *name)
{
    weir_svg_put(page->out, "<div data-part=\"$\">\n", name);
}

static void end_part(struct weir_page *page)
{
    fputs("</div>\n", page->out);
}

void weir_page_head(struct weir_page *page, const struct weir_answer *answer)
{
    begin_part(page, "verdict");
    put_verdict(page, answer, weir_answer_worst(answer));
    end_part(page);
    if (page->model->run)
        put_run(page, page->model->run);
    begin_part(page, "latencies");
    put_bounds(page, answer);
    end_part(page);
}

/* Over the timeline. */
void weir_page_happens(struct weir_page *page, const struct weir_answer *answer)
{
    const struct weir_bound *worst = weir_answer_worst(answer);
    weir_svg_put(page->out, "<h3 data-part=\"happens\">$</h3>\n",
                 !worst                                       ? "When operators run"
                 : worst->worst.claim == WEIR_CLAIM_UNBOUNDED ? "Why there is no bound"
                 : worst->witness                             ? "How the worst case happens"
                                                              : "When operators run");
}

void weir_page_figures(struct weir_page *page, const struct weir_answer *answer)
{
    begin_part(page, "terms");
    put_terms(page, answer);
    end_part(page);
    begin_part(page, "throughput");
    put_throughput(page, answer);
    end_part(page);
    begin_part(page, "tables");
    for (size_t i = 0; i < answer->tables.count; i++)
        weir_page_table(page, weir_answer_table(answer, i));
    end_part(page);
}

enum weir_status weir_page_advice(struct weir_page *page, const struct weir_answer *answer)
{
    const struct weir_bound *worst = weir_answer_worst(answer);
    bool threads = weir_pipeline_require_threads(answer->pipeline, NULL) == WEIR_OK; /* what simulation and changes are about */
    begin_part(page, "simulation");
    enum weir_status status = threads ? put_distributions(page, answer) : WEIR_OK;
    end_part(page);
    begin_part(page, "changes");
    if (!status && threads && worst)
        status = weir_page_changes(page, worst, (uint32_t)(worst - answer->bounds));
    end_part(page);
    begin_part(page, "assumptions");
    put_assumptions(page, answer);
    end_part(page);
    return status;
}
