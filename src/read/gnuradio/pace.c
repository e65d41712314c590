/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often sources have samples. A flowgraph keeps time in one place, a device or a throttle, and rates tell what that means for
 * every block that is connected to it: speed(to) * consume(to) = speed(from) * produce(from) on each stream.
 */
#include "read/gnuradio/grc.h"

struct walk {
    struct weir_grc *grc;
    struct weir_groups ends; /* of streams, by block: twice the stream, plus 1 at its end */
    uint32_t *order;         /* blocks as they are reached, part after part */
    bool *reached;
};

static uint32_t block_at(const void *grc, uint32_t end)
{
    const struct weir_grc_stream *stream = &((const struct weir_grc *)grc)->streams[end / 2];
    return end % 2 ? stream->to : stream->from;
}

static struct weir_grc_number whole(uint32_t number)
{
    return (struct weir_grc_number){.numerator = number, .denominator = 1};
}

/* The speed of the other end of a stream; false when it is not known. */
static bool cross(const struct weir_grc *g, uint32_t end, uint32_t *other, struct weir_grc_number *speed)
{
    const struct weir_grc_stream *stream = &g->streams[end / 2];
    const struct weir_grc_block *from = &g->blocks[stream->from], *to = &g->blocks[stream->to];
    bool forward = end % 2 == 0;
    *other = forward ? stream->to : stream->from;
    struct weir_grc_number multiply = whole(forward ? from->produce : to->consume);
    struct weir_grc_number divide = whole(forward ? to->consume : from->produce);
    return from->has_rate && to->has_rate && weir_grc_multiply(forward ? from->speed : to->speed, multiply, speed) &&
           weir_grc_divide(*speed, divide, speed);
}

/* Reaches everything from a block, over streams whose rates are known or over all; returns how many are in `order` then. */
static size_t reach(struct walk *w, uint32_t root, size_t begin, bool all)
{
    struct weir_grc *g = w->grc;
    size_t count = begin;
    w->order[count++] = root;
    w->reached[root] = true;
    if (!all)
        g->blocks[root].speed = whole(1);
    for (size_t i = begin; i < count; i++) {
        for (uint32_t e = w->ends.first[w->order[i]]; e < w->ends.first[w->order[i] + 1]; e++) {
            uint32_t other;
            struct weir_grc_number speed;
            bool known = cross(g, w->ends.item[e], &other, &speed);
            if (w->reached[other] || !(known || all))
                continue;
            w->reached[other] = true;
            w->order[count++] = other;
            if (!all)
                g->blocks[other].speed = speed;
        }
    }
    return count;
}

/* Executions of the root in a second, if this block tells. */
static bool root_frequency(const struct weir_grc_block *block, struct weir_grc_number *frequency)
{
    bool sink_side = block->anchor == WEIR_GRC_PACED || block->anchor == WEIR_GRC_PLAYED;
    return block->anchor != WEIR_GRC_FREE &&
           weir_grc_divide(block->frequency, whole(sink_side ? block->consume : block->produce), frequency) &&
           weir_grc_divide(*frequency, block->speed, frequency);
}

static const struct weir_grc_block *best_anchor(const struct walk *w, size_t begin, size_t end, struct weir_grc_number *frequency)
{
    const struct weir_grc_block *best = NULL;
    for (size_t i = begin; i < end; i++) {
        const struct weir_grc_block *block = &w->grc->blocks[w->order[i]];
        struct weir_grc_number one;
        if (root_frequency(block, &one) && (!best || block->anchor < best->anchor)) {
            best = block;
            *frequency = one;
        }
    }
    return best;
}

static void settle_source(struct weir_grc *g, struct weir_grc_block *block, const struct weir_grc_block *best,
                          struct weir_grc_number root)
{
    char first[WEIR_QUOTED], second[WEIR_QUOTED];
    struct weir_grc_number frequency, own;
    bool known = best && weir_grc_multiply(root, block->speed, &frequency) &&
                 weir_grc_multiply(frequency, whole(block->produce), &frequency);
    if (known && root_frequency(block, &own) && (own.numerator != root.numerator || own.denominator != root.denominator))
        weir_grc_note(g, block->place, "block \"%s\" says another rate than follows from \"%s\"", weir_quote(block->name, first),
                      weir_quote(best->name, second));
    if (block->inputs)
        return;
    if (block->anchor <= WEIR_GRC_DEVICE) { /* it is not to be slowed down */
        block->has_frequency = true;
    } else if (known) {
        block->frequency = frequency;
        block->has_frequency = frequency.numerator > 0;
    }
}

static void settle(struct walk *w, size_t begin, size_t end)
{
    struct weir_grc *g = w->grc;
    char quoted[WEIR_QUOTED];
    struct weir_grc_number root = {0};
    const struct weir_grc_block *best = best_anchor(w, begin, end, &root);
    if (best && best->anchor == WEIR_GRC_NOMINAL)
        weir_grc_note(g, best->place, "nothing holds block \"%s\" to its rate in GNU Radio; it is taken to keep to it",
                      weir_quote(best->name, quoted));
    for (size_t i = begin; i < end; i++)
        settle_source(g, &g->blocks[w->order[i]], best, root);
}

/* Whether something could tell the rate of the sources of a part, were the rates of its blocks known. */
static void hope(struct walk *w, size_t begin, size_t end)
{
    bool anchor = false, unknown = false;
    for (size_t i = begin; i < end; i++) {
        const struct weir_grc_block *block = &w->grc->blocks[w->order[i]];
        anchor |= block->anchor != WEIR_GRC_FREE;
        unknown |= !block->has_rate;
    }
    for (size_t i = begin; i < end; i++)
        w->grc->blocks[w->order[i]].anchored = anchor && unknown;
}

static void walk_all(struct walk *w, bool all)
{
    struct weir_grc *g = w->grc;
    size_t begin = 0;
    for (uint32_t i = 0; i < g->block_count; i++)
        w->reached[i] = !weir_grc_runs(&g->blocks[i]);
    for (uint32_t i = 0; i < g->block_count; i++) {
        if (w->reached[i])
            continue;
        size_t end = reach(w, i, begin, all);
        (all ? hope : settle)(w, begin, end);
        begin = end;
    }
}

void weir_grc_pace(struct weir_grc *g)
{
    struct walk w = {.grc = g};
    w.order = weir_array(g->block_count, sizeof *w.order);
    w.reached = weir_array(g->block_count, sizeof *w.reached);
    if (weir_groups_make(&w.ends, g->block_count, 2 * g->stream_count, block_at, g) && w.order && w.reached) {
        walk_all(&w, true); /* before sources that follow a clock get a frequency */
        walk_all(&w, false);
    } else {
        g->draft->out_of_memory = true;
    }
    weir_groups_free(&w.ends);
    weir_free(w.order);
    weir_free(w.reached);
}
