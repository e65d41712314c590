/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dataflow graph of a pipeline as SDF3's XML. SDF3 has one time per actor: the worst one. What it has no place for - the best
 * times, the unit, the latencies - stands in <settings type="weir">, which SDF3 passes over and weir reads.
 */
#include "base/alloc.h"
#include "base/error.h"
#include "base/sorted.h"
#include "format/formats.h"
#include "format/hsdf.h"
#include "format/xml.h"
#include "model/pipeline.h"

#include <inttypes.h>
#include <string.h>

struct writer {
    const struct weir_hsdf *hsdf;
    FILE *out;
    struct weir_hsdf_name name;
    struct weir_groups ends; /* of edges, by node: leaving ones as 2 * edge, entering ones as 2 * edge + 1 */
    bool failed;
};

static void write_name(struct writer *w, uint32_t node)
{
    const char *name = weir_hsdf_name(w->hsdf, node, &w->name);
    w->failed |= !name;
    if (name)
        weir_xml_text(w->out, name);
}

static uint32_t node_at(const void *hsdf, uint32_t end)
{
    const struct weir_hsdf_edge *edge = &((const struct weir_hsdf *)hsdf)->edges[end / 2];
    return end % 2 ? edge->head : edge->tail;
}

/* SDF3 counts the runs of an actor in those of any other, so there has to be a path. */
static enum weir_status check_joined(struct writer *w, struct weir_error *error)
{
    const struct weir_hsdf *h = w->hsdf;
    char one[WEIR_QUOTED], other[WEIR_QUOTED];
    uint32_t *stack = weir_array(h->node_count, sizeof *stack), depth = 0, lost = 0;
    uint8_t *seen = weir_array_zeroed(h->node_count, sizeof *seen);
    w->failed |= !stack || !seen;
    if (!w->failed)
        seen[0] = 1, stack[depth++] = 0;
    while (depth) {
        uint32_t node = stack[--depth];
        for (uint32_t k = w->ends.first[node]; k < w->ends.first[node + 1]; k++) {
            const struct weir_hsdf_edge *e = &h->edges[w->ends.item[k] / 2];
            uint32_t next = e->tail == node ? e->head : e->tail;
            if (!seen[next])
                seen[next] = 1, stack[depth++] = next;
        }
    }
    while (!w->failed && lost < h->node_count && seen[lost])
        lost++;
    bool joined = w->failed || lost == h->node_count;
    weir_free(seen);
    weir_free(stack);
    if (joined)
        return WEIR_OK;
    return weir_fail(error, WEIR_INVALID, "no queues join \"%s\" to \"%s\": a graph of SDF3 is in one piece",
                     weir_quote(h->pipeline->operators[h->nodes[0].op].name, one),
                     weir_quote(h->pipeline->operators[h->nodes[lost].op].name, other));
}

static void write_graph(struct writer *w, const char *title)
{
    const struct weir_hsdf *h = w->hsdf;
    FILE *out = w->out;
    fputs("    <sdf name=\"", out);
    weir_xml_text(out, title);
    fputs("\" type=\"G\">\n", out);
    for (uint32_t i = 0; i < h->node_count; i++) {
        fputs("      <actor name=\"", out);
        write_name(w, i);
        fprintf(out, "\" type=\"A%" PRIu32 "\">\n", i);
        for (uint32_t k = w->ends.first[i]; k < w->ends.first[i + 1]; k++) {
            bool in = w->ends.item[k] % 2;
            const struct weir_hsdf_edge *e = &h->edges[w->ends.item[k] / 2];
            fprintf(out, "        <port name=\"%s%" PRIu32 "\" type=\"%s\" rate=\"%" PRIu32 "\"/>\n", in ? "i" : "o",
                    w->ends.item[k] / 2, in ? "in" : "out", in ? e->consume : e->produce);
        }
        fputs("      </actor>\n", out);
    }
    for (uint32_t i = 0; i < h->edge_count; i++) {
        const struct weir_hsdf_edge *e = &h->edges[i];
        fprintf(out, "      <channel name=\"c%" PRIu32 "\" srcActor=\"", i);
        write_name(w, e->tail);
        fprintf(out, "\" srcPort=\"o%" PRIu32 "\" dstActor=\"", i);
        write_name(w, e->head);
        fprintf(out, "\" dstPort=\"i%" PRIu32 "\"", i);
        if (e->tokens)
            fprintf(out, " initialTokens=\"%" PRIu32 "\"", e->tokens);
        fputs("/>\n", out);
    }
    fputs("    </sdf>\n", out);
}

static void write_properties(struct writer *w)
{
    FILE *out = w->out;
    fputs("    <sdfProperties>\n", out);
    for (uint32_t i = 0; i < w->hsdf->node_count; i++) {
        fputs("      <actorProperties actor=\"", out);
        write_name(w, i);
        fprintf(out,
                "\">\n        <processor type=\"cpu\" default=\"true\">\n          <executionTime time=\"%" PRId64
                "\"/>\n        </processor>\n      </actorProperties>\n",
                w->hsdf->nodes[i].hi);
    }
    fputs("    </sdfProperties>\n", out);
}

/* Of each run in a round, where there are several: to which run of which iteration it leads. */
static void write_latency(struct writer *w, uint32_t index)
{
    const struct weir_chain_spec *spec = &w->hsdf->pipeline->chains[index];
    struct weir_hsdf_chain chain;
    w->failed |= weir_hsdf_find_chain(w->hsdf, index, &chain, NULL) != WEIR_OK;
    for (uint32_t k = 0; k < chain.from_firings && !w->failed; k++) {
        int64_t runs = chain.to_firings, iteration = runs > 1 ? chain.target[k] / runs : chain.target[k];
        fputs("    <latency from=\"", w->out);
        write_name(w, chain.from);
        if (chain.from_firings > 1)
            fprintf(w->out, "\" fromRun=\"%" PRIu32, k + 1);
        fputs("\" to=\"", w->out);
        write_name(w, chain.to);
        if (runs > 1)
            fprintf(w->out, "\" toRun=\"%" PRId64, chain.target[k] % runs + 1);
        fprintf(w->out, "\" offset=\"%" PRId64 "\"", iteration);
        if (spec->has_deadline)
            fprintf(w->out, " within=\"%" PRId64 "\"", spec->deadline);
        fputs("/>\n", w->out);
    }
    weir_hsdf_chain_free(&chain);
}

static void write_settings(struct writer *w)
{
    const struct weir_hsdf *h = w->hsdf;
    const struct weir_pipeline *p = h->pipeline;
    FILE *out = w->out;
    fprintf(out, "  <settings type=\"weir\">\n    <model unit=\"%s\" digits=\"%u\"/>\n", weir_unit_name(p->unit), p->digits);
    for (uint32_t i = 0; i < h->node_count; i++) {
        if (h->nodes[i].lo == h->nodes[i].hi)
            continue;
        fputs("    <interval actor=\"", out);
        write_name(w, i);
        fprintf(out, "\" best=\"%" PRId64 "\" worst=\"%" PRId64 "\"/>\n", h->nodes[i].lo, h->nodes[i].hi);
    }
    for (uint32_t i = 0; i < p->chain_count && !w->failed; i++)
        write_latency(w, i);
    fputs("  </settings>\n", out);
}

static enum weir_status check(const struct weir_pipeline *p, struct weir_error *error)
{
    char quoted[WEIR_QUOTED];
    if (!weir_xml_holds(p->name))
        return weir_fail(error, WEIR_INVALID, "the name of the pipeline is not text that XML can hold");
    for (size_t i = 0; i < p->operator_count; i++) {
        const struct weir_operator_spec *o = &p->operators[i];
        if (!weir_xml_holds(o->name))
            return weir_fail(error, WEIR_INVALID, "operator \"%s\" has a name that XML cannot hold", weir_quote(o->name, quoted));
        if (o->reentrant && o->receive_max)
            return weir_fail(
                error, WEIR_INVALID,
                "operator \"%s\" is reentrant and receives late: its iterations may end in any order, which SDF3 has no "
                "way to say",
                weir_quote(o->name, quoted));
    }
    return WEIR_OK;
}

/* Who reads the file numbers the runs of an actor, "a#1", "a#2": no operator may have such a name. */
static enum weir_status check_copies(struct writer *w, struct weir_error *error)
{
    char one[WEIR_QUOTED], other[WEIR_QUOTED];
    const struct weir_pipeline *p = w->hsdf->pipeline;
    for (size_t o = 0; o < p->operator_count; o++) {
        const char *taken = p->operators[o].name, *mark = strrchr(taken, '#');
        size_t bytes = mark ? (size_t)(mark - taken) : 0;
        for (uint32_t i = 0; i < w->hsdf->node_count && mark && p->firings && !w->failed; i++) {
            const char *name = weir_hsdf_name(w->hsdf, i, &w->name);
            w->failed |= !name;
            if (name && weir_hsdf_firings(w->hsdf, w->hsdf->nodes[i].group) > 1 && strlen(name) == bytes &&
                memcmp(name, taken, bytes) == 0)
                return weir_fail(error, WEIR_INVALID,
                                 "operator \"%s\" has a name that a run of \"%s\" gets when SDF3 is read: give it another",
                                 weir_quote(taken, one), weir_quote(name, other));
        }
    }
    return WEIR_OK;
}

enum weir_status weir_write_sdf3(const struct weir_pipeline *pipeline, uint32_t chain, FILE *out, struct weir_error *error)
{
    struct weir_hsdf hsdf;
    struct writer w = {.hsdf = &hsdf, .out = out};
    (void)chain;
    enum weir_status status = weir_hsdf_build(&hsdf, pipeline, error);
    if (!status)
        status = check(pipeline, error);
    if (!status && !weir_groups_make(&w.ends, hsdf.node_count, 2 * (size_t)hsdf.edge_count, node_at, &hsdf))
        w.failed = true;
    if (!status && !w.failed)
        status = check_joined(&w, error);
    if (!status && !w.failed)
        status = check_copies(&w, error);
    if (!status && !w.failed) {
        const char *title = pipeline->name[0] ? pipeline->name : "pipeline";
        fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<sdf3 type=\"sdf\" version=\"1.0\">\n  <applicationGraph name=\"", out);
        weir_xml_text(out, title);
        fputs("\">\n", out);
        write_graph(&w, pipeline->name);
        write_properties(&w);
        fputs("  </applicationGraph>\n", out);
        write_settings(&w);
        fputs("</sdf3>\n", out);
    }
    weir_free(w.name.text);
    weir_groups_free(&w.ends);
    weir_hsdf_free(&hsdf);
    return w.failed ? weir_fail_memory(error) : status;
}
