/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The automata of uppaal.c for TChecker, which knows neither urgent channels nor functions. That everything starts as soon as it
 * can is the business of a process of its own, Flow: whenever something has ended it goes to a committed location, where no time
 * passes, starts all actors that have their tokens, and leaves when there is none. Start actors are steps of it and no more.
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
    return w->hsdf->nodes[node].role != WEIR_HSDF_START;
}

static const char *name_of(const struct writer *w, uint32_t node, char text[WEIR_HSDF_IDENTIFIER])
{
    return weir_hsdf_identifier(w->hsdf, node, text);
}

/* "q1>=1 && q4>=1": each edge to the node holds a token. */
static void write_ready(const struct writer *w, uint32_t node)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < w->hsdf->edge_count; i++)
        if (w->hsdf->edges[i].head == node)
            fprintf(w->out, "%sq%" PRIu32 ">=1", count++ ? " && " : "", i);
}

/* "q1=q1-1;q4=q4-1" */
static void write_change(const struct writer *w, uint32_t node, bool take, bool more)
{
    for (uint32_t i = 0; i < w->hsdf->edge_count; i++)
        if ((take ? w->hsdf->edges[i].head : w->hsdf->edges[i].tail) == node) {
            fprintf(w->out, "%sq%" PRIu32 "=q%" PRIu32 "%c1", more ? ";" : "", i, i, take ? '-' : '+');
            more = true;
        }
}

static void write_declarations(const struct writer *w)
{
    char name[WEIR_HSDF_IDENTIFIER];
    const struct weir_hsdf *h = w->hsdf;
    FILE *out = w->out;
    fputs("system:weir\n\n# actors start and end\nevent:settle\nevent:exceed\nevent:reach\n", out);
    for (uint32_t i = 0; i < h->node_count; i++) {
        fprintf(out, "event:start_%s\n", name_of(w, i, name));
        if (is_body(w, i))
            fprintf(out, "event:end_%s\n", name);
    }
    fputs("\n# tokens on the edges\n", out);
    for (uint32_t i = 0; i < h->edge_count; i++) {
        char head[WEIR_HSDF_IDENTIFIER];
        const struct weir_hsdf_edge *e = &h->edges[i];
        fprintf(out, "int:1:0:%" PRIu32 ":%" PRIu32 ":q%" PRIu32 " # %s to %s\n", e->bound, e->tokens, i, name_of(w, e->tail, name),
                name_of(w, e->head, head));
    }
}

static void write_flow(const struct writer *w)
{
    char name[WEIR_HSDF_IDENTIFIER];
    FILE *out = w->out;
    fputs("\nprocess:Flow\nlocation:Flow:fire{initial: : committed:}\nlocation:Flow:rest{}\n", out);
    for (uint32_t i = 0; i < w->hsdf->node_count; i++) {
        fprintf(out, "edge:Flow:fire:fire:start_%s{provided: ", name_of(w, i, name));
        write_ready(w, i);
        fputs(" : do: ", out);
        write_change(w, i, true, false);
        if (!is_body(w, i))
            write_change(w, i, false, true);
        fputs("}\n", out);
        if (is_body(w, i))
            fprintf(out, "edge:Flow:rest:fire:end_%s{}\n", name);
    }
    fputs("edge:Flow:fire:rest:settle{provided: ", out);
    for (uint32_t i = 0; i < w->hsdf->node_count; i++) {
        fputs(i ? " && (if " : "(if ", out); /* the language has no "or" */
        write_ready(w, i);
        fputs(" then 1 else 0)==0", out);
    }
    fputs("}\n", out);
}

static void write_bodies(const struct writer *w)
{
    char name[WEIR_HSDF_IDENTIFIER];
    FILE *out = w->out;
    for (uint32_t i = 0; i < w->hsdf->node_count; i++) {
        const struct weir_hsdf_node *node = &w->hsdf->nodes[i];
        if (!is_body(w, i))
            continue;
        name_of(w, i, name);
        fprintf(out, "\nprocess:%s\nclock:1:x%" PRIu32 "\nlocation:%s:idle{initial:}\n", name, i, name);
        fprintf(out, "location:%s:busy{invariant: x%" PRIu32 "<=%" PRId64 "}\n", name, i, node->hi);
        fprintf(out, "edge:%s:idle:busy:start_%s{do: x%" PRIu32 "=0}\n", name, name, i);
        fprintf(out, "edge:%s:busy:idle:end_%s{provided: x%" PRIu32 ">=%" PRId64 " : do: ", name, name, i, node->lo);
        bool silent = true;
        for (uint32_t k = 0; k < w->hsdf->edge_count; k++)
            silent &= w->hsdf->edges[k].tail != i;
        if (silent)
            fputs("nop", out);
        write_change(w, i, false, false);
        fputs("}\n", out);
    }
}

static void write_observer(const struct writer *w)
{
    char from[WEIR_HSDF_IDENTIFIER], to[WEIR_HSDF_IDENTIFIER];
    FILE *out = w->out;
    const struct weir_hsdf_chain *p = &w->chain;
    name_of(w, p->from, from);
    name_of(w, p->to, to);
    fprintf(out, "\n# the latency: from a start of %s to the end of %s that is %" PRId64 " iterations later\n", from, to, p->shift);
    fprintf(out, "process:Latency\nclock:1:y\nint:1:%" PRId64 ":%" PRId64 ":0:gap\n", p->gap_min, p->gap_max);
    fprintf(out, "int:1:0:%" PRId64 ":0:left\n", p->gap_max + p->shift + 1);
    fputs("location:Latency:waiting{initial:}\nlocation:Latency:measuring{}\nlocation:Latency:over{}\n", out);
    fprintf(out, "edge:Latency:waiting:waiting:start_%s{do: gap=gap+1}\n", from);
    fprintf(out, "edge:Latency:waiting:waiting:end_%s{do: gap=gap-1}\n", to);
    fprintf(out, "edge:Latency:waiting:measuring:start_%s{do: left=gap+%" PRId64 ";gap=0;y=0}\n", from, p->shift + 1);
    fprintf(out, "edge:Latency:measuring:measuring:start_%s{}\n", from);
    fprintf(out, "edge:Latency:measuring:measuring:end_%s{provided: left>=2 : do: left=left-1}\n", to);
    fprintf(out, "edge:Latency:measuring:over:end_%s{provided: left==1 : do: left=0}\n", to);
    fprintf(out, "edge:Latency:over:over:start_%s{}\nedge:Latency:over:over:end_%s{}\n", from, to);
    if (!p->known)
        return;
    fputs("location:Latency:late{labels: late}\nlocation:Latency:reached{labels: reached}\n", out);
    fprintf(out, "edge:Latency:measuring:late:exceed{provided: y>%" PRId64 "}\n", p->worst);
    fprintf(out, "edge:Latency:measuring:reached:reach{provided: y>=%" PRId64 "}\n", p->worst);
}

static void write_syncs(const struct writer *w)
{
    char name[WEIR_HSDF_IDENTIFIER];
    fputc('\n', w->out);
    for (uint32_t i = 0; i < w->hsdf->node_count; i++) {
        bool body = is_body(w, i), first = i == w->chain.from, last = i == w->chain.to;
        name_of(w, i, name);
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

enum weir_status weir_write_tchecker(const struct weir_pipeline *pipeline, uint32_t chain, FILE *out, struct weir_error *error)
{
    struct weir_hsdf hsdf;
    struct writer w = {.hsdf = &hsdf, .out = out};
    enum weir_status status = weir_hsdf_build(&hsdf, pipeline, error);
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
    weir_hsdf_free(&hsdf);
    return status;
}
