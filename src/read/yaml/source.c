/* SPDX-License-Identifier: Apache-2.0 */
/* Sources. On shared processors, one may feed several operators; on a pool of cores, samples may come at a rate. */
#include "read/yaml/value.h"

#include <string.h>
#include <strings.h>

enum { OPERATOR, PERIOD, ARRIVALS, OPERATORS, NAME, JITTER, PHASE, SPORADIC, RATE, BURST, BATCH, KEYS };

static void read_arrivals(struct weir_draft *d, const struct weir_yaml_node *node, struct weir_draft_source *source)
{
    const char *text = weir_yaml_text(d, node, "arrivals", "at-most, exact, catch-up or skip");
    if (!text || !weir_draft_read_arrivals(d, text, node->place, &source->arrivals) || weir_draft_threads(d))
        return;
    if (source->arrivals == WEIR_ARRIVALS_AT_MOST)
        weir_draft_mistake(d, node->place,
                           "on %s inputs arrive exactly once per period; for a least distance, give \"sporadic: true\"",
                           d->pool ? "a pool of cores" : "shared processors");
    if (source->arrivals == WEIR_ARRIVALS_CATCH_UP || source->arrivals == WEIR_ARRIVALS_SKIP)
        weir_draft_mistake(d, node->place, "on %s inputs arrive exactly once per period; \"%s\" is for operators with threads",
                           d->pool ? "a pool of cores" : "shared processors",
                           source->arrivals == WEIR_ARRIVALS_SKIP ? "skip" : "catch-up");
    source->arrivals = WEIR_ARRIVALS_EXACT;
}

/* What a source says where operators share processors or cores. */
static void read_inputs(struct weir_draft *d, const struct weir_yaml_node *const *values, struct weir_draft_source *source)
{
    const struct weir_yaml_node *node = values[NAME];
    source->arrivals = WEIR_ARRIVALS_EXACT;
    const char *text = node ? weir_yaml_text(d, node, "name", "text") : NULL;
    if (text && weir_draft_check_name_of(d, "a source", text, node->bytes, node->place)) {
        source->name = weir_arena_text(&d->arena, text);
        d->out_of_memory |= !source->name;
    }
    if (values[JITTER])
        source->jitter = weir_yaml_time(d, values[JITTER], "jitter");
    node = values[PHASE];
    if (node && (d->pool || node->kind != WEIR_YAML_SCALAR || strcasecmp(node->text, "unknown") != 0)) {
        text = weir_yaml_text(d, node, "phase", d->pool ? "a time" : "a time or \"unknown\"");
        source->phase = text ? weir_draft_time(d, text, node->place, "phase") : weir_draft_bad_time(d, node->place);
    }
    node = values[SPORADIC];
    text = node ? weir_yaml_number(d, node, "sporadic", "true or false") : NULL;
    if (text)
        weir_draft_read_boolean(d, text, node->place, "sporadic", &source->sporadic);
}

/* What must not be said at once. */
static void check_pool(struct weir_draft *d, const struct weir_yaml_node *const *values, const struct weir_draft_source *source)
{
    if (values[RATE] && values[PERIOD])
        weir_draft_mistake(d, values[PERIOD]->place, "a source has either \"period\" or \"rate\"");
    if (source->burst && values[RATE])
        weir_draft_mistake(d, values[BURST]->place,
                           "\"burst\" counts arrivals in any window of a \"period\"; give that, not \"rate\"");
    if (source->burst && source->sporadic)
        weir_draft_mistake(d, values[SPORADIC]->place,
                           "a source is either sporadic or bursty: with \"burst\" arrivals need not be apart");
    if (values[JITTER] && (source->burst || source->sporadic))
        weir_draft_mistake(d, values[JITTER]->place, "\"jitter\" is how late even arrivals are, but these are %s",
                           source->burst ? "bursty" : "sporadic");
}

/* One entry for each operator that it feeds. */
static void add_fed(struct weir_draft *d, const struct weir_yaml_node *const *values, struct weir_draft_source *source)
{
    const struct weir_yaml_node *list = values[OPERATORS];
    if (list && values[OPERATOR])
        weir_draft_mistake(d, list->place, "a source has either \"operator\" or \"operators\"");
    if (!list || values[OPERATOR]) {
        if (values[OPERATOR])
            source->op = weir_yaml_operator(d, values[OPERATOR], "operator");
        d->incomplete |= source->op == WEIR_NO_OPERATOR;
        weir_draft_add_source(d, source);
        return;
    }
    bool good = weir_yaml_expect(d, list, WEIR_YAML_LIST, "operators", "a list of operators");
    if (good && !list->first)
        weir_draft_mistake(d, list->place, "\"operators\" is empty: a source feeds at least one operator");
    d->incomplete |= !good || !list->first;
    for (const struct weir_yaml_node *item = good ? list->first : NULL; item && !d->out_of_memory; item = item->next) {
        source->op = weir_yaml_operator(d, item, "operators");
        source->place = item->place;
        d->incomplete |= source->op == WEIR_NO_OPERATOR;
        weir_draft_add_source(d, source);
    }
}

void weir_yaml_source(struct weir_draft *d, const struct weir_yaml_node *node)
{
    static const char *const names[KEYS] = {"operator", "period",   "arrivals", "operators", "name", "jitter",
                                            "phase",    "sporadic", "rate",     "burst",     "batch"};
    static const unsigned char platforms[KEYS] = {WEIR_ON_ALL,
                                                  WEIR_ON_ALL,
                                                  WEIR_ON_ALL,
                                                  WEIR_ON_PROCESSORS,
                                                  WEIR_ON_PROCESSORS,
                                                  WEIR_ON_PROCESSORS | WEIR_ON_POOL,
                                                  WEIR_ON_PROCESSORS | WEIR_ON_POOL,
                                                  WEIR_ON_PROCESSORS | WEIR_ON_POOL,
                                                  WEIR_ON_POOL,
                                                  WEIR_ON_POOL,
                                                  WEIR_ON_POOL};
    static const struct weir_yaml_keys keys = {"a source", names, KEYS, platforms};
    const struct weir_yaml_node *values[KEYS];
    if (!weir_yaml_expect_item(d, node, WEIR_YAML_MAP, "a source", "a mapping with \"operator\" and \"period\"")) {
        d->incomplete = true;
        return;
    }
    bool clean = weir_yaml_fields(d, node, &keys, values);
    if (clean && !values[OPERATOR] && !values[OPERATORS])
        weir_draft_mistake(d, node->place,
                           d->shared ? "a source needs \"operator\" or \"operators\"" : "a source needs \"operator\"");
    if (clean && !values[PERIOD] && !values[RATE])
        weir_draft_mistake(d, node->place, d->pool ? "a source needs \"period\" or \"rate\"" : "a source needs \"period\"");
    struct weir_draft_source source = {.op = WEIR_NO_OPERATOR, .place = node->place, .entry = d->entry_count++};
    source.period = values[PERIOD] ? weir_yaml_time(d, values[PERIOD], "period") : weir_draft_bad_time(d, node->place);
    if (!weir_draft_threads(d))
        read_inputs(d, values, &source);
    if (d->pool) {
        weir_yaml_source_rates(d, values + RATE, &source);
        check_pool(d, values, &source);
        source.bad |= !clean; /* what is unknown may be what it goes by */
    }
    if (values[ARRIVALS])
        read_arrivals(d, values[ARRIVALS], &source);
    add_fed(d, values, &source);
}
