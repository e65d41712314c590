/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The automata of uppaal.c for TChecker, which knows neither urgent channels nor functions. That everything starts as soon as it
 * can is the business of a process of its own, Flow: whenever something has ended it goes to a committed location, where no time
 * passes, starts all actors that have their tokens, and leaves when there is none. Start actors are steps of it and no more.
 *
 * An actor whose runs may overlap has a process for each of them, its lanes, which take turns: `in` is the lane that starts next.
 * What has ended waits (`over`) until `out` says that it is its turn to put its tokens, another step of Flow.
 *
 * The observer has two more locations: `late` is reached if a latency is longer than the worst case, `reached` if one is as long.
 */
#include "base/error.h"
#include "format/formats.h"
#include "format/hsdf.h"
#include "model/pipeline.h"

#include <inttypes.h>

struct writer {
    const struct weir_hsdf *hsdf;
    struct weir_hsdf_chain chain;
    FILE *out;
};

static bool is_body(const struct writer *w, uint32_t node)
{
    return !weir_hsdf_is_step(w->hsdf, &w->chain, node);
}

/* 0: its runs never overlap. */
static uint32_t lanes_of(const struct writer *w, uint32_t node)
{
    return is_body(w, node) && w->hsdf->nodes[node].lanes > 1 ? w->hsdf->nodes[node].lanes : 0;
}

static const char *name_of(const struct writer *w, uint32_t node, char text[WEIR_HSDF_IDENTIFIER])
{
    return weir_hsdf_identifier(w->hsdf, node, text);
}

/* Of one lane of a node, which is a process; or of one without lanes. */
struct lane {
    uint32_t node, number;
    char name[WEIR_HSDF_IDENTIFIER + 16];
};

static bool next_lane(const struct writer *w, struct lane *lane, bool begin)
{
    char name[WEIR_HSDF_IDENTIFIER];
    uint32_t lanes = lanes_of(w, lane->node);
    lane->number = begin ? 0 : lane->number + 1;
    if (lanes)
        snprintf(lane->name, sizeof lane->name, "%s_%" PRIu32, name_of(w, lane->node, name), lane->number + 1);
    else
        snprintf(lane->name, sizeof lane->name, "%s", name_of(w, lane->node, name));
    return lane->number < (lanes ? lanes : 1);
}

/* "q1>=1 && q4>=1": each edge to the node holds its tokens. */
static void write_ready(const struct writer *w, uint32_t node)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < w->hsdf->edge_count; i++)
        if (w->hsdf->edges[i].head == node)
            fprintf(w->out, "%sq%" PRIu32 ">=%" PRIu32, count++ ? " && " : "", i, w->hsdf->edges[i].consume);
    if (!count)
        fputs("1==1", w->out);
}

/* "q1=q1-1;q4=q4-1" */
static void write_change(const struct writer *w, uint32_t node, bool take, bool more)
{
    for (uint32_t i = 0; i < w->hsdf->edge_count; i++) {
        const struct weir_hsdf_edge *e = &w->hsdf->edges[i];
        if ((take ? e->head : e->tail) != node)
            continue;
        fprintf(w->out, "%sq%" PRIu32 "=q%" PRIu32 "%c%" PRIu32, more ? ";" : "", i, i, take ? '-' : '+',
                take ? e->consume : e->produce);
        more = true;
    }
    if (!more)
        fputs("nop", w->out);
}

/* "in7=(if in7==1 then 0 else in7+1)": the turn of the next lane. */
static void write_turn(const struct writer *w, const char *turn, uint32_t node)
{
    fprintf(w->out, "%s%" PRIu32 "=(if %s%" PRIu32 "==%" PRIu32 " then 0 else %s%" PRIu32 "+1)", turn, node, turn, node,
            lanes_of(w, node) - 1, turn, node);
}

static void write_declarations(const struct writer *w)
{
    char name[WEIR_HSDF_IDENTIFIER];
    const struct weir_hsdf *h = w->hsdf;
    FILE *out = w->out;
    fputs("system:weir\n\n# actors start and end\nevent:settle\nevent:exceed\nevent:reach\n", out);
    for (struct lane lane = {.node = 0}; lane.node < h->node_count; lane.node++) {
        for (bool more = next_lane(w, &lane, true); more; more = next_lane(w, &lane, false)) {
            fprintf(out, "event:start_%s\n", lane.name);
            if (is_body(w, lane.node))
                fprintf(out, "event:end_%s\n", lane.name);
        }
        if (lanes_of(w, lane.node))
            fprintf(out, "event:put_%s\n", name_of(w, lane.node, name));
    }
    fputs("\n# tokens on the edges\n", out);
    for (uint32_t i = 0; i < h->edge_count; i++) {
        char head[WEIR_HSDF_IDENTIFIER];
        const struct weir_hsdf_edge *e = &h->edges[i];
        fprintf(out, "int:1:0:%" PRIu32 ":%" PRIu32 ":q%" PRIu32 " # %s to %s\n", e->bound, e->tokens, i, name_of(w, e->tail, name),
                name_of(w, e->head, head));
    }
    for (uint32_t i = 0; i < h->node_count; i++) {
        if (!lanes_of(w, i))
            continue;
        fprintf(out, "\n# runs of %s that overlap\nint:1:0:%" PRIu32 ":0:in%" PRIu32 "\nint:1:0:%" PRIu32 ":0:out%" PRIu32 "\n",
                name_of(w, i, name), lanes_of(w, i) - 1, i, lanes_of(w, i) - 1, i);
        for (uint32_t k = 0; k < lanes_of(w, i); k++)
            fprintf(out, "int:1:0:1:0:over%" PRIu32 "_%" PRIu32 "\n", i, k);
    }
}

/* The steps of Flow that are about one node. */
static void write_steps(const struct writer *w, uint32_t node)
{
    char name[WEIR_HSDF_IDENTIFIER];
    FILE *out = w->out;
    struct lane lane = {.node = node};
    uint32_t lanes = lanes_of(w, node);
    for (bool more = next_lane(w, &lane, true); more; more = next_lane(w, &lane, false)) {
        fprintf(out, "edge:Flow:fire:fire:start_%s{provided: ", lane.name);
        write_ready(w, node);
        if (lanes)
            fprintf(out, " && in%" PRIu32 "==%" PRIu32, node, lane.number);
        fputs(" : do: ", out);
        if (lanes) {
            write_turn(w, "in", node);
            write_change(w, node, true, true);
        } else {
            write_change(w, node, true, false);
        }
        if (!is_body(w, node))
            write_change(w, node, false, true);
        fputs("}\n", out);
        if (is_body(w, node))
            fprintf(out, "edge:Flow:rest:fire:end_%s{}\n", lane.name);
        if (!lanes)
            continue;
        fprintf(out, "edge:Flow:fire:fire:put_%s{provided: out%" PRIu32 "==%" PRIu32 " && over%" PRIu32 "_%" PRIu32 "==1 : do: ",
                name_of(w, node, name), node, lane.number, node, lane.number);
        fprintf(out, "over%" PRIu32 "_%" PRIu32 "=0;", node, lane.number);
        write_turn(w, "out", node);
        write_change(w, node, false, true);
        fputs("}\n", out);
    }
}

static void write_flow(const struct writer *w)
{
    FILE *out = w->out;
    fputs("\nprocess:Flow\nlocation:Flow:fire{initial: : committed:}\nlocation:Flow:rest{}\n", out);
    for (uint32_t i = 0; i < w->hsdf->node_count; i++)
        write_steps(w, i);
    fputs("edge:Flow:fire:rest:settle{provided: ", out);
    for (uint32_t i = 0; i < w->hsdf->node_count; i++) {
        fputs(i ? " && (if " : "(if ", out); /* the language has no "or" */
        write_ready(w, i);
        fputs(" then 1 else 0)==0", out);
        for (uint32_t k = 0; k < lanes_of(w, i); k++)
            fprintf(out, " && (if out%" PRIu32 "==%" PRIu32 " && over%" PRIu32 "_%" PRIu32 "==1 then 1 else 0)==0", i, k, i, k);
    }
    fputs("}\n", out);
}

static void write_body(const struct writer *w, const struct lane *lane)
{
    FILE *out = w->out;
    const struct weir_hsdf_node *node = &w->hsdf->nodes[lane->node];
    const char *name = lane->name;
    char clock[32];
    snprintf(clock, sizeof clock, lanes_of(w, lane->node) ? "x%" PRIu32 "_%" PRIu32 : "x%" PRIu32, lane->node, lane->number);
    fprintf(out, "\nprocess:%s\nclock:1:%s\nlocation:%s:idle{initial:}\n", name, clock, name);
    fprintf(out, "location:%s:busy{invariant: %s<=%" PRId64 "}\n", name, clock, node->hi);
    fprintf(out, "edge:%s:idle:busy:start_%s{do: %s=0}\n", name, name, clock);
    fprintf(out, "edge:%s:busy:idle:end_%s{provided: %s>=%" PRId64 " : do: ", name, name, clock, node->lo);
    if (lanes_of(w, lane->node))
        fprintf(out, "over%" PRIu32 "_%" PRIu32 "=1", lane->node, lane->number);
    else
        write_change(w, lane->node, false, false);
    fputs("}\n", out);
}

static void write_bodies(const struct writer *w)
{
    for (struct lane lane = {.node = 0}; lane.node < w->hsdf->node_count; lane.node++)
        for (bool more = is_body(w, lane.node) && next_lane(w, &lane, true); more; more = next_lane(w, &lane, false))
            write_body(w, &lane);
}

/* ---- the observer ---- */

/* Whether ends of `to` come in another order than they are counted in: then its starts are counted, up to the one whose end it is.
 */
static bool counts_starts(const struct writer *w)
{
    return lanes_of(w, w->chain.to) > 0;
}

/* An operator that overlaps itself, from its start to its own end: there is nothing to count. */
static bool measures_itself(const struct writer *w)
{
    return counts_starts(w) && w->chain.from == w->chain.to;
}

/* A start of `from`, whichever it is in its round, that is ignored (`measure` false) or measured from. */
static void write_begin(const struct writer *w, bool measure)
{
    const struct weir_hsdf_chain *c = &w->chain;
    struct lane from = {.node = c->from};
    for (bool more = next_lane(w, &from, true); more; more = next_lane(w, &from, false))
        for (uint32_t k = 0; k < c->from_firings; k++) {
            bool last = k + 1 == c->from_firings, turns = c->from_firings > 1;
            fprintf(w->out, "edge:Latency:waiting:%s:start_%s{", measure ? "measuring" : "waiting", from.name);
            if (turns)
                fprintf(w->out, "provided: turn==%" PRIu32 " : ", k);
            if (measure)
                fprintf(w->out, "do: left=gap+%" PRId64 ";gap=0%s;y=0}\n", c->target[k] + 1, turns ? ";turn=0" : "");
            else if (!turns)
                fprintf(w->out, "do: gap=gap+%" PRIu32 "}\n", c->to_firings);
            else if (last)
                fprintf(w->out, "do: gap=gap+%" PRIu32 ";turn=0}\n", c->to_firings);
            else
                fprintf(w->out, "do: turn=%" PRIu32 "}\n", k + 1);
        }
}

/* The starts of `from` change nothing in a location. */
static void write_loops(const struct writer *w, const char *location)
{
    struct lane from = {.node = w->chain.from};
    for (bool more = next_lane(w, &from, true); more; more = next_lane(w, &from, false))
        fprintf(w->out, "edge:Latency:%s:%s:start_%s{}\n", location, location, from.name);
}

/* Counts starts of `to`, lane by lane. */
static void write_starts(const struct writer *w, bool itself)
{
    FILE *out = w->out;
    struct lane lane = {.node = w->chain.to};
    for (bool more = next_lane(w, &lane, true); more; more = next_lane(w, &lane, false)) {
        const char *name = lane.name;
        char ending[32];
        snprintf(ending, sizeof ending, "ending_%" PRIu32, lane.number);
        fprintf(out, "location:Latency:%s{}\n", ending);
        if (!itself)
            write_loops(w, ending);
        if (itself) {
            fprintf(out, "edge:Latency:waiting:waiting:start_%s{}\n", name);
            fprintf(out, "edge:Latency:waiting:ending_%" PRIu32 ":start_%s{do: y=0}\n", lane.number, name);
        } else {
            fprintf(out, "edge:Latency:waiting:waiting:start_%s{do: gap=gap-1}\n", name);
            fprintf(out, "edge:Latency:measuring:measuring:start_%s{provided: left>=2 : do: left=left-1}\n", name);
            fprintf(out, "edge:Latency:measuring:ending_%" PRIu32 ":start_%s{provided: left==1 : do: left=0}\n", lane.number, name);
            fprintf(out, "edge:Latency:measuring:measuring:end_%s{}\n", name);
        }
        fprintf(out, "edge:Latency:waiting:waiting:end_%s{}\nedge:Latency:over:over:start_%s{}\nedge:Latency:over:over:end_%s{}\n",
                name, name, name);
    }
    struct lane other = {.node = w->chain.to};
    for (bool one = next_lane(w, &lane, true); one; one = next_lane(w, &lane, false))
        for (bool two = next_lane(w, &other, true); two; two = next_lane(w, &other, false)) {
            fprintf(out, "edge:Latency:ending_%" PRIu32 ":ending_%" PRIu32 ":start_%s{}\n", lane.number, lane.number, other.name);
            fprintf(out, "edge:Latency:ending_%" PRIu32 ":%s", lane.number, lane.number == other.number ? "over" : "ending_");
            if (lane.number != other.number)
                fprintf(out, "%" PRIu32, lane.number);
            fprintf(out, ":end_%s{}\n", other.name);
        }
}

static void write_labels(const struct writer *w)
{
    FILE *out = w->out;
    fputs("location:Latency:late{labels: late}\nlocation:Latency:reached{labels: reached}\n", out);
    for (uint32_t k = 0; k < (counts_starts(w) ? 1 + lanes_of(w, w->chain.to) : 1); k++) {
        char from[32] = "measuring";
        if (k > 0)
            snprintf(from, sizeof from, "ending_%" PRIu32, k - 1);
        fprintf(out, "edge:Latency:%s:late:exceed{provided: y>%" PRId64 "}\n", from, w->chain.worst);
        fprintf(out, "edge:Latency:%s:reached:reach{provided: y>=%" PRId64 "}\n", from, w->chain.worst);
    }
}

static void write_observer(const struct writer *w)
{
    char from[WEIR_HSDF_IDENTIFIER], to[WEIR_HSDF_IDENTIFIER];
    FILE *out = w->out;
    const struct weir_hsdf_chain *p = &w->chain;
    name_of(w, p->from, from);
    name_of(w, p->to, to);
    if (w->hsdf->pipeline->firings)
        fprintf(out, "\n# the latency: from a start of %s to the end of %s that takes what it sends\n", from, to);
    else
        fprintf(out, "\n# the latency: from a start of %s to the end of %s that is %" PRId64 " iterations later\n", from, to,
                p->target[0]);
    fprintf(out, "process:Latency\nclock:1:y\nint:1:%" PRId64 ":%" PRId64 ":0:gap\n", p->gap_min, p->gap_max);
    fprintf(out, "int:1:0:%" PRId64 ":0:left\n", p->gap_max + p->target_max + 1);
    if (p->from_firings > 1)
        fprintf(out, "int:1:0:%" PRIu32 ":0:turn\n", p->from_firings - 1);
    fputs("location:Latency:waiting{initial:}\nlocation:Latency:measuring{}\nlocation:Latency:over{}\n", out);
    if (!measures_itself(w))
        write_begin(w, false);
    if (!counts_starts(w))
        fprintf(out, "edge:Latency:waiting:waiting:end_%s{do: gap=gap-1}\n", to);
    if (!measures_itself(w)) {
        write_begin(w, true);
        write_loops(w, "measuring");
    }
    if (counts_starts(w)) {
        write_starts(w, measures_itself(w));
    } else {
        fprintf(out, "edge:Latency:measuring:measuring:end_%s{provided: left>=2 : do: left=left-1}\n", to);
        fprintf(out, "edge:Latency:measuring:over:end_%s{provided: left==1 : do: left=0}\n", to);
    }
    if (!measures_itself(w))
        write_loops(w, "over");
    if (!counts_starts(w))
        fprintf(out, "edge:Latency:over:over:end_%s{}\n", to);
    if (p->known)
        write_labels(w);
}

static void write_syncs(const struct writer *w)
{
    fputc('\n', w->out);
    for (struct lane lane = {.node = 0}; lane.node < w->hsdf->node_count; lane.node++) {
        uint32_t i = lane.node;
        bool body = is_body(w, i), last = i == w->chain.to, first = i == w->chain.from || (last && lanes_of(w, i));
        for (bool more = next_lane(w, &lane, true); more; more = next_lane(w, &lane, false)) {
            const char *name = lane.name;
            if (body || first)
                fprintf(w->out, "sync:Flow@start_%s", name);
            if (body)
                fprintf(w->out, ":%s@start_%s", name, name);
            if (first)
                fprintf(w->out, ":Latency@start_%s", name);
            if (body || first)
                fputc('\n', w->out);
            if (body)
                fprintf(w->out, "sync:Flow@end_%s:%s@end_%s", name, name, name);
            if (last)
                fprintf(w->out, ":Latency@end_%s", name);
            if (body)
                fputc('\n', w->out);
        }
    }
}

enum weir_status weir_write_tchecker(const struct weir_pipeline *pipeline, uint32_t chain, FILE *out, struct weir_error *error)
{
    struct weir_hsdf hsdf;
    struct writer w = {.hsdf = &hsdf, .out = out};
    enum weir_status status = weir_hsdf_build(&hsdf, pipeline, error);
    if (!status)
        status = weir_hsdf_find_chain(&hsdf, chain, &w.chain, error);
    if (!status)
        status = weir_hsdf_bound(&hsdf, chain, &w.chain, "TChecker", error);
    if (!status) {
        if (w.chain.known)
            fputs("# tck-reach -a reach -l late FILE says REACHABLE false: no latency is longer than the worst case.\n"
                  "# tck-reach -a reach -l reached FILE says REACHABLE true: one is as long.\n",
                  out);
        fputs("# Times are ticks.\n", out);
        write_declarations(&w);
        write_flow(&w);
        write_bodies(&w);
        write_observer(&w);
        write_syncs(&w);
    }
    weir_hsdf_chain_free(&w.chain);
    weir_hsdf_free(&hsdf);
    return status;
}
