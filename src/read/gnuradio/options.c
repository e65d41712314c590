/* SPDX-License-Identifier: Apache-2.0 */
/* What the command line gives that the file does not say: rates, costs, frequencies of sources. */
#include "read/gnuradio/grc.h"

#include "model/pipeline.h"

#include <string.h>

static const struct weir_place nowhere = {0, 0};

struct given {
    const char *option; /* its name: "rate" */
    const char *text;   /* all of it */
    const char *block;
    const char *value;
};

static const char *running_name(const void *grc, uint32_t block)
{
    const struct weir_grc *g = grc;
    return weir_grc_runs(&g->blocks[block]) ? g->blocks[block].name : NULL;
}

/* Takes BLOCK=VALUE apart. */
static bool split(struct weir_grc *g, struct given *given)
{
    char quoted[WEIR_QUOTED];
    const char *sign = strchr(given->text, '=');
    if (!sign || sign == given->text || !sign[1]) {
        weir_draft_mistake(g->draft, nowhere, "--%s takes BLOCK=VALUE, not \"%s\"", given->option, weir_quote(given->text, quoted));
        return false;
    }
    size_t bytes = (size_t)(sign - given->text);
    char *name = weir_arena_take(g->arena, bytes + 1);
    if (!name) {
        g->draft->out_of_memory = true;
        return false;
    }
    memcpy(name, given->text, bytes);
    name[bytes] = 0;
    given->block = name;
    given->value = sign + 1;
    return true;
}

/* The block that is meant; NULL, and reported, when there is none. */
static struct weir_grc_block *block_of(struct weir_grc *g, const struct given *given)
{
    char quoted[WEIR_QUOTED], text[WEIR_HINT];
    uint32_t found = weir_grc_find(g, given->block, strlen(given->block));
    if (found != WEIR_GRC_NONE && weir_grc_runs(&g->blocks[found]))
        return &g->blocks[found];
    if (found != WEIR_GRC_NONE)
        weir_draft_mistake(g->draft, nowhere, "--%s: no stream is connected to block \"%s\"", given->option,
                           weir_quote(given->block, quoted));
    else
        weir_draft_mistake(
            g->draft, nowhere, "--%s: there is no block \"%s\"%s", given->option, weir_quote(given->block, quoted),
            weir_draft_hint(g->draft, given->block, &(struct weir_candidates){g->block_count, running_name, g}, text));
    return NULL;
}

static const char *read_count(const char *text, uint32_t *count)
{
    uint64_t value = 0;
    const char *c = text;
    for (; *c >= '0' && *c <= '9' && value <= WEIR_QUEUE_MAX; c++)
        value = 10 * value + (uint64_t)(*c - '0');
    *count = (uint32_t)value;
    return value >= 1 && value <= WEIR_QUEUE_MAX ? c : NULL;
}

static void give_rate(struct weir_grc *g, const struct given *given)
{
    char quoted[WEIR_QUOTED];
    uint32_t produce, consume = 1;
    struct weir_grc_block *block = block_of(g, given);
    if (!block)
        return;
    const char *rest = read_count(given->value, &produce);
    if (rest && *rest == '/')
        rest = read_count(rest + 1, &consume);
    if (!rest || *rest) {
        weir_draft_mistake(g->draft, nowhere,
                           "--rate takes BLOCK=OUT/IN, samples out and in per execution such as 1/12, not \"%s\"",
                           weir_quote(given->text, quoted));
        return;
    }
    block->produce = produce;
    block->consume = consume;
    block->has_rate = true;
}

static void give_source_rate(struct weir_grc *g, const struct given *given)
{
    char quoted[WEIR_QUOTED];
    struct weir_decimal rate;
    struct weir_grc_block *block = block_of(g, given);
    if (!block || !weir_draft_read_rate(g->draft, given->value, nowhere, "--source-rate", &rate))
        return;
    if (block->inputs) {
        weir_draft_mistake(g->draft, nowhere, "--source-rate: block \"%s\" has inputs; its rate follows from them",
                           weir_quote(block->name, quoted));
        return;
    }
    weir_wide numerator = rate.mantissa, denominator = 1;
    bool good = rate.exponent <= 18 && rate.exponent >= -18;
    for (int i = 0; good && i < rate.exponent; i++)
        numerator *= 10;
    for (int i = 0; good && i > rate.exponent; i--)
        denominator *= 10;
    if (!good || !weir_grc_reduce(numerator, denominator, &block->frequency))
        weir_draft_mistake(g->draft, nowhere, "--source-rate: \"%s\" is out of range", weir_quote(given->value, quoted));
    block->anchor = WEIR_GRC_GIVEN;
}

/* A cost may be given for a block, or for all of a type that have none of their own. */
static void give_cost(struct weir_grc *g, const struct given *given)
{
    char quoted[WEIR_QUOTED];
    const char *comma = strchr(given->value, ',');
    char *init = weir_arena_text(g->arena, given->value);
    if (!init) {
        g->draft->out_of_memory = true;
        return;
    }
    if (!comma) {
        weir_draft_mistake(g->draft, nowhere,
                           "--cost takes BLOCK=INIT,PER-SAMPLE, such as 2.2us,17.3ns; a number without a unit is in ns; not \"%s\"",
                           weir_quote(given->text, quoted));
        return;
    }
    init[comma - given->value] = 0;
    uint32_t found = weir_grc_find(g, given->block, strlen(given->block));
    bool used = false;
    for (uint32_t i = 0; i < g->block_count; i++) {
        struct weir_grc_block *block = &g->blocks[i];
        bool own = i == found;
        if (!weir_grc_runs(block) || !(own || (!block->own_cost && strcmp(block->type, given->block) == 0)))
            continue;
        block->cost_init = init;
        block->cost_sample = comma + 1;
        block->own_cost |= own;
        block->has_cost = used = true;
    }
    if (!used)
        block_of(g, given); /* reports it */
}

static void give(struct weir_grc *g, const char *option, const char *const *texts, size_t count,
                 void (*take)(struct weir_grc *grc, const struct given *given))
{
    for (size_t i = 0; i < count && !g->draft->out_of_memory; i++) {
        struct given given = {.option = option, .text = texts[i]};
        if (split(g, &given))
            take(g, &given);
    }
}

void weir_grc_apply_options(struct weir_grc *g)
{
    const struct weir_read_options *o = g->draft->options;
    give(g, "rate", o->rates, o->rate_count, give_rate);
    give(g, "source-rate", o->source_rates, o->source_rate_count, give_source_rate);
    give(g, "cost", o->costs, o->cost_count, give_cost);
    if (o->costs_path)
        weir_grc_read_costs(g, o->costs_path);
}
