/* SPDX-License-Identifier: Apache-2.0 */
#include "support/oracle/sdf.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- random graphs ---- */

static int64_t divisor(int64_t a, int64_t b)
{
    return b ? divisor(b, a % b) : a;
}

static void join(struct sdf_graph *g, struct weir_random *r, int from, int to)
{
    int64_t a = g->repetitions[from], b = g->repetitions[to], shared = divisor(a, b);
    int64_t times = weir_random_between(r, 1, 4) == 1 ? 2 : 1;
    struct sdf_channel c = {from, to, times * b / shared, times * a / shared, 0, 0};
    bool back = from >= to;
    if (back || weir_random_between(r, 1, 5) == 1)
        c.initial = weir_random_between(r, back ? 1 : 0, 2 * c.consume + c.produce);
    if (weir_random_between(r, 1, 4) == 1)
        c.size = c.initial + weir_random_between(r, 1, 2 * (c.produce + c.consume));
    g->channel[g->channels++] = c;
}

void sdf_random(struct sdf_graph *g, struct weir_random *r)
{
    *g = (struct sdf_graph){.actors = (int)weir_random_between(r, 1, 5)};
    int64_t shared = 0;
    for (int i = 0; i < g->actors; i++) {
        g->repetitions[i] = weir_random_between(r, 1, 6);
        g->time[i] = weir_random_between(r, 0, 9);
        shared = divisor(g->repetitions[i], shared);
    }
    for (int i = 0; i < g->actors; i++)
        g->repetitions[i] /= shared;
    for (int i = 1; i < g->actors; i++) { /* either way round, so that there are several beginnings and ends */
        int other = (int)weir_random_between(r, 0, i - 1);
        bool turned = weir_random_between(r, 1, 4) == 1;
        join(g, r, turned ? i : other, turned ? other : i);
    }
    for (int64_t more = weir_random_between(r, 0, 3); more > 0; more--)
        join(g, r, (int)weir_random_between(r, 0, g->actors - 1), (int)weir_random_between(r, 0, g->actors - 1));
    for (int i = 0; i < g->actors; i++)
        if (weir_random_between(r, 1, 2) == 1)
            g->channel[g->channels++] = (struct sdf_channel){i, i, 1, 1, weir_random_between(r, 1, 2), 0};
}

/* ---- as a file ---- */

char *sdf_text(const struct sdf_graph *g)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    assert(out);
    fputs("<?xml version=\"1.0\"?>\n<sdf3 type=\"sdf\" version=\"1.0\">\n<applicationGraph name=\"g\">\n<sdf name=\"g\" "
          "type=\"G\">\n",
          out);
    for (int a = 0; a < g->actors; a++) {
        fprintf(out, "<actor name=\"%c\" type=\"%c\">\n", 'a' + a, 'A' + a);
        for (int c = 0; c < g->channels; c++) {
            if (g->channel[c].from == a)
                fprintf(out, "  <port name=\"o%d\" type=\"out\" rate=\"%" PRId64 "\"/>\n", c, g->channel[c].produce);
            if (g->channel[c].to == a)
                fprintf(out, "  <port name=\"i%d\" type=\"in\" rate=\"%" PRId64 "\"/>\n", c, g->channel[c].consume);
        }
        fputs("</actor>\n", out);
    }
    for (int c = 0; c < g->channels; c++)
        fprintf(out,
                "<channel name=\"c%d\" srcActor=\"%c\" srcPort=\"o%d\" dstActor=\"%c\" dstPort=\"i%d\" initialTokens=\"%" PRId64
                "\"/>\n",
                c, 'a' + g->channel[c].from, c, 'a' + g->channel[c].to, c, g->channel[c].initial);
    fputs("</sdf>\n<sdfProperties>\n", out);
    for (int a = 0; a < g->actors; a++)
        fprintf(out,
                "<actorProperties actor=\"%c\"><processor type=\"p\" default=\"true\"><executionTime time=\"%" PRId64
                "\"/></processor></actorProperties>\n",
                'a' + a, g->time[a]);
    for (int c = 0; c < g->channels; c++)
        if (g->channel[c].size)
            fprintf(out, "<channelProperties channel=\"c%d\"><bufferSize sz=\"%" PRId64 "\"/></channelProperties>\n", c,
                    g->channel[c].size);
    fputs("</sdfProperties>\n</applicationGraph>\n</sdf3>\n", out);
    fclose(out);
    return text;
}

/* ---- running ---- */

struct running {
    const struct sdf_graph *graph;
    int64_t tokens[SDF_CHANNELS], room[SDF_CHANNELS]; /* room: places not taken by a token, nor by one that is read or to come */
    int64_t begun[SDF_ACTORS], ended[SDF_ACTORS];
    int64_t now;
};

static bool can_begin(const struct running *r, int actor, int64_t runs)
{
    bool can = r->begun[actor] < runs;
    for (int c = 0; c < r->graph->channels; c++) {
        const struct sdf_channel *channel = &r->graph->channel[c];
        if (channel->to == actor)
            can &= r->tokens[c] >= channel->consume;
        if (channel->from == actor && channel->size)
            can &= r->room[c] >= channel->produce;
    }
    return can;
}

static void begin(struct running *r, int actor)
{
    for (int c = 0; c < r->graph->channels; c++) {
        const struct sdf_channel *channel = &r->graph->channel[c];
        if (channel->to == actor)
            r->tokens[c] -= channel->consume;
        if (channel->from == actor)
            r->room[c] -= channel->produce;
    }
    r->begun[actor]++;
}

static void end(struct running *r, int actor)
{
    for (int c = 0; c < r->graph->channels; c++) {
        const struct sdf_channel *channel = &r->graph->channel[c];
        if (channel->from == actor)
            r->tokens[c] += channel->produce;
        if (channel->to == actor)
            r->room[c] += channel->consume;
    }
    r->ended[actor]++;
}

bool sdf_run(const struct sdf_graph *g, int64_t iterations, int64_t start[SDF_ACTORS][SDF_RUNS])
{
    struct running r = {.graph = g};
    for (int c = 0; c < g->channels; c++) {
        r.tokens[c] = g->channel[c].initial;
        r.room[c] = g->channel[c].size - g->channel[c].initial;
    }
    for (;;) {
        bool moved = true;
        while (moved) { /* everything that happens now */
            moved = false;
            for (int a = 0; a < g->actors; a++) {
                while (r.ended[a] < r.begun[a] && start[a][r.ended[a]] + g->time[a] <= r.now) {
                    end(&r, a);
                    moved = true;
                }
                while (can_begin(&r, a, iterations * g->repetitions[a])) {
                    assert(r.begun[a] < SDF_RUNS);
                    start[a][r.begun[a]] = r.now;
                    begin(&r, a);
                    moved = true;
                }
            }
        }
        int64_t next = INT64_MAX;
        for (int a = 0; a < g->actors; a++)
            if (r.ended[a] < r.begun[a] && start[a][r.ended[a]] + g->time[a] < next)
                next = start[a][r.ended[a]] + g->time[a];
        if (next == INT64_MAX)
            break;
        r.now = next;
    }
    for (int a = 0; a < g->actors; a++)
        if (r.begun[a] < iterations * g->repetitions[a])
            return false;
    return true;
}
