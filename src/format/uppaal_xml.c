/* SPDX-License-Identifier: Apache-2.0 */
/* The automata of uppaal.c as UPPAAL's XML, and as its older textual format. */
#include "base/error.h"
#include "format/formats.h"
#include "format/uppaal.h"
#include "format/xml.h"

/* ---- XML ---- */

static void label(FILE *out, const char *kind, const char *text, int x, int y)
{
    if (!text)
        return;
    fprintf(out, "      <label kind=\"%s\" x=\"%d\" y=\"%d\">", kind, x, y);
    weir_xml_text(out, text);
    fputs("</label>\n", out);
}

/* Ids of locations are unique in the whole file. */
static void write_template(const struct weir_uppaal *u, int number)
{
    const struct weir_uppaal_template *t = &weir_uppaal_templates[number];
    FILE *out = u->out;
    fprintf(out, "  <template>\n    <name>%s</name>\n", t->name);
    if (t->parameters)
        fprintf(out, "    <parameter>%s</parameter>\n", t->parameters);
    if (t->declaration)
        fprintf(out, "    <declaration>%s</declaration>\n", t->declaration);
    for (int i = 0; i < t->location_count; i++) {
        const struct weir_uppaal_location *l = &t->locations[i];
        fprintf(out, "    <location id=\"id%d\" x=\"%d\" y=\"%d\">\n      <name x=\"%d\" y=\"%d\">%s</name>\n", 10 * number + i,
                l->x, l->y, l->x - 20, l->y + 16, l->name);
        label(out, "invariant", l->invariant, l->x - 20, l->y + 33);
        fputs("    </location>\n", out);
    }
    fprintf(out, "    <init ref=\"id%d\"/>\n", 10 * number);
    for (int i = 0; i < t->edge_count; i++) {
        const struct weir_uppaal_edge *e = &t->edges[i];
        int x = (t->locations[e->from].x + t->locations[e->to].x) / 2 - 60, y = -80 - 80 * i; /* one above the other */
        fprintf(out, "    <transition>\n      <source ref=\"id%d\"/>\n      <target ref=\"id%d\"/>\n", 10 * number + e->from,
                10 * number + e->to);
        label(out, "guard", e->guard, x, y);
        label(out, "synchronisation", e->channel, x, y + 17);
        label(out, "assignment", e->update, x, y + 34);
        if (e->from == e->to)
            fprintf(out, "      <nail x=\"%d\" y=\"%d\"/>\n      <nail x=\"%d\" y=\"%d\"/>\n", t->locations[e->from].x - 30, y,
                    t->locations[e->from].x + 30, y);
        fputs("    </transition>\n", out);
    }
    fputs("  </template>\n", out);
}

static void write_xml(const struct weir_uppaal *u)
{
    fputs("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
          "<!DOCTYPE nta PUBLIC '-//Uppaal Team//DTD Flat System 1.1//EN' "
          "'http://www.it.uu.se/research/group/darts/uppaal/flat-1_1.dtd'>\n<nta>\n  <declaration>",
          u->out);
    weir_uppaal_declare(u);
    fputs("</declaration>\n", u->out);
    for (int i = 0; i < WEIR_UPPAAL_TEMPLATES; i++)
        write_template(u, i);
    fputs("  <system>", u->out);
    weir_uppaal_instantiate(u);
    fputs("</system>\n</nta>\n", u->out);
}

/* ---- text ---- */

static void write_process(const struct weir_uppaal *u, const struct weir_uppaal_template *t)
{
    FILE *out = u->out;
    fprintf(out, "\nprocess %s(%s)\n{\n", t->name, t->parameters ? t->parameters : "");
    if (t->declaration)
        fprintf(out, "%s\n", t->declaration);
    fputs("state\n", out);
    for (int i = 0; i < t->location_count; i++) {
        const struct weir_uppaal_location *l = &t->locations[i];
        fprintf(out, "    %s", l->name);
        if (l->invariant)
            fprintf(out, " { %s }", l->invariant);
        fputs(i + 1 < t->location_count ? ",\n" : ";\n", out);
    }
    fprintf(out, "init %s;\ntrans\n", t->locations[0].name);
    for (int i = 0; i < t->edge_count; i++) {
        const struct weir_uppaal_edge *e = &t->edges[i];
        fprintf(out, "    %s -> %s {", t->locations[e->from].name, t->locations[e->to].name);
        if (e->guard)
            fprintf(out, " guard %s;", e->guard);
        if (e->channel)
            fprintf(out, " sync %s;", e->channel);
        if (e->update)
            fprintf(out, " assign %s;", e->update);
        fputs(i + 1 < t->edge_count ? " },\n" : " };\n", out);
    }
    fputs("}\n", out);
}

static void write_text(const struct weir_uppaal *u)
{
    weir_uppaal_declare(u);
    for (int i = 0; i < WEIR_UPPAAL_TEMPLATES; i++)
        write_process(u, &weir_uppaal_templates[i]);
    fputc('\n', u->out);
    weir_uppaal_instantiate(u);
}

static enum weir_status write_model(const struct weir_pipeline *pipeline, uint32_t chain, FILE *out, bool xml,
                                    struct weir_error *error)
{
    struct weir_hsdf hsdf;
    struct weir_uppaal u = {.hsdf = &hsdf, .out = out, .xml = xml};
    enum weir_status status = weir_hsdf_build(&hsdf, pipeline, error);
    if (!status)
        status = weir_hsdf_bound(&hsdf, chain, &u.chain, "UPPAAL", error);
    if (!status)
        (xml ? write_xml : write_text)(&u);
    weir_hsdf_free(&hsdf);
    return status;
}

enum weir_status weir_write_uppaal_xml(const struct weir_pipeline *pipeline, uint32_t chain, FILE *out, struct weir_error *error)
{
    return write_model(pipeline, chain, out, true, error);
}

enum weir_status weir_write_uppaal_text(const struct weir_pipeline *pipeline, uint32_t chain, FILE *out, struct weir_error *error)
{
    return write_model(pipeline, chain, out, false, error);
}
