/* SPDX-License-Identifier: Apache-2.0 */
/* Sources. On shared processors, one may feed several operators; on a pool of cores, samples may come at a rate. */
#include "read/yaml/value.h"

#include <string.h>
#include <strings.h>

static const char *platform_words(const struct weir_draft *d)
{
    return d->pool ? "a pool of cores" : "shared processors";
}

/* Where operators share processors or cores, inputs arrive exactly once per period. */
static void check_arrivals(struct weir_draft *d, const struct weir_yaml_node *node, struct weir_source_spec *source)
{
    if (node && source->arrivals == WEIR_ARRIVALS_AT_MOST)
        weir_draft_mistake(d, node->place,
                           "on %s inputs arrive exactly once per period; for a least distance, give \"sporadic: true\"",
                           platform_words(d));
    else if (node && source->arrivals != WEIR_ARRIVALS_EXACT)
        weir_draft_mistake(d, node->place, "on %s inputs arrive exactly once per period; \"%s\" is for operators with threads",
                           platform_words(d), weir_keys[WEIR_KEY_ARRIVALS].words[source->arrivals]);
    source->arrivals = WEIR_ARRIVALS_EXACT;
}

static void read_rate(struct weir_draft *d, const struct weir_yaml_node *node, struct weir_draft_source *source)
{
    const char *text = weir_yaml_text(d, node, "rate", "a frequency such as 576kHz");
    source->has_rate = text && weir_draft_read_rate(d, text, node->place, "rate", &source->rate);
    source->rate_place = node->place;
    source->bad |= !source->has_rate;
}

/* What must not be said at once. */
static void check_pool(struct weir_draft *d, const struct weir_yaml_fields *f, const struct weir_source_spec *source)
{
    const struct weir_yaml_node *rate = f->of[WEIR_KEY_RATE], *period = f->of[WEIR_KEY_PERIOD], *jitter = f->of[WEIR_KEY_JITTER];
    if (rate && period)
        weir_draft_mistake(d, period->place, "a source has either \"period\" or \"rate\"");
    if (source->bursty && rate)
        weir_draft_mistake(d, f->of[WEIR_KEY_BURST]->place,
                           "\"burst\" counts arrivals in any window of a \"period\"; give that, not \"rate\"");
    if (source->bursty && source->sporadic)
        weir_draft_mistake(d, f->of[WEIR_KEY_SPORADIC]->place,
                           "a source is either sporadic or bursty: with \"burst\" arrivals need not be apart");
    if (jitter && (source->bursty || source->sporadic))
        weir_draft_mistake(d, jitter->place, "\"jitter\" is how late even arrivals are, but these are %s",
                           source->bursty ? "bursty" : "sporadic");
}

/* One entry for each operator that it feeds. */
static void add_fed(struct weir_draft *d, const struct weir_yaml_fields *f, struct weir_draft_source *source)
{
    const struct weir_yaml_node *list = f->of[WEIR_KEY_SOURCE_OPERATORS], *one = f->of[WEIR_KEY_SOURCE_OPERATOR];
    if (list && one)
        weir_draft_mistake(d, list->place, "a source has either \"operator\" or \"operators\"");
    if (!list || one) {
        d->incomplete |= source->spec.op.index == WEIR_NO_OPERATOR;
        weir_draft_add_source(d, source);
        return;
    }
    bool good = weir_yaml_expect(d, list, WEIR_YAML_LIST, "operators", "a list of operators");
    if (good && !list->first)
        weir_draft_mistake(d, list->place, "\"operators\" is empty: a source feeds at least one operator");
    d->incomplete |= !good || !list->first;
    for (const struct weir_yaml_node *item = good ? list->first : NULL; item && !d->out_of_memory; item = item->next) {
        source->spec.op.index = weir_yaml_operator(d, item, "operators");
        source->spec.place = item->place;
        d->incomplete |= source->spec.op.index == WEIR_NO_OPERATOR;
        weir_draft_add_source(d, source);
    }
}

void weir_yaml_source(struct weir_draft *d, const struct weir_yaml_node *node)
{
    struct weir_yaml_fields f;
    bool clean = weir_yaml_open(d, node, WEIR_OF_SOURCE, &f);
    const struct weir_yaml_node *phase = f.of[WEIR_KEY_PHASE], *arrivals = f.of[WEIR_KEY_ARRIVALS];
    if (!clean && (node->kind != WEIR_YAML_MAP || weir_yaml_is_null(node))) {
        d->incomplete = true;
        return;
    }
    if (clean && !f.of[WEIR_KEY_SOURCE_OPERATOR] && !f.of[WEIR_KEY_SOURCE_OPERATORS])
        weir_draft_mistake(d, node->place,
                           d->shared ? "a source needs \"operator\" or \"operators\"" : "a source needs \"operator\"");
    if (clean && !f.of[WEIR_KEY_PERIOD] && !f.of[WEIR_KEY_RATE])
        weir_draft_mistake(d, node->place, d->pool ? "a source needs \"period\" or \"rate\"" : "a source needs \"period\"");
    if (phase && !d->pool && phase->kind == WEIR_YAML_SCALAR && strcasecmp(phase->text, "unknown") == 0)
        f.of[WEIR_KEY_PHASE] = NULL;
    if (phase && !weir_draft_threads(d) && !weir_yaml_expect(d, phase, WEIR_YAML_SCALAR, "phase", "a time or \"unknown\""))
        f.of[WEIR_KEY_PHASE] = NULL;
    struct weir_draft_source source = {.spec = {.op = {WEIR_NO_OPERATOR}, .place = node->place}, .entry = d->entry_count++};
    if (!f.of[WEIR_KEY_PERIOD])
        source.spec.period = weir_draft_bad_time(d, node->place);
    bool good = weir_yaml_read(d, &f, WEIR_OF_SOURCE, &source.spec);
    bool known =
        arrivals && arrivals->kind == WEIR_YAML_SCALAR && weir_key_choice(&weir_keys[WEIR_KEY_ARRIVALS], arrivals->text) >= 0;
    if (!weir_draft_threads(d))
        check_arrivals(d, known ? arrivals : NULL, &source.spec);
    if (d->pool) {
        source.bad = !clean || !good; /* what is unknown may be what it goes by */
        if (f.of[WEIR_KEY_RATE])
            read_rate(d, f.of[WEIR_KEY_RATE], &source);
        check_pool(d, &f, &source.spec);
    }
    add_fed(d, &f, &source);
}
