/* SPDX-License-Identifier: Apache-2.0 */
/* What is said on a pool of cores only: costs, rates, and how samples arrive. */
#include "read/yaml/value.h"

#include "model/pipeline.h"

bool weir_yaml_count(struct weir_draft *d, const struct weir_yaml_node *node, const struct weir_draft_count *count, uint32_t *value)
{
    char expected[64];
    snprintf(expected, sizeof expected, "a whole number of %s", count->of);
    const char *text = weir_yaml_number(d, node, count->what, expected);
    return text && weir_draft_read_count(d, text, node->place, count, value);
}

void weir_yaml_operator_cost(struct weir_draft *d, uint32_t op, const struct weir_yaml_node *node)
{
    enum { INIT, PER_SAMPLE, KEYS };
    static const char *const names[KEYS] = {"init", "per-sample"};
    static const struct weir_yaml_keys keys = {"a cost", names, KEYS, NULL};
    const struct weir_yaml_node *values[KEYS];
    d->operators[op].has_cost = true;
    if (!weir_yaml_expect(d, node, WEIR_YAML_MAP, "cost", "a mapping such as {init: 2us, per-sample: 17ns}"))
        return;
    bool clean = weir_yaml_fields(d, node, &keys, values);
    if (clean && !values[INIT] && !values[PER_SAMPLE])
        weir_draft_mistake(d, node->place, "\"cost\" needs \"init\", \"per-sample\" or both");
    uint32_t init = values[INIT] ? weir_yaml_time(d, values[INIT], "init") : WEIR_NO_TIME;
    uint32_t sample = values[PER_SAMPLE] ? weir_yaml_time(d, values[PER_SAMPLE], "per-sample") : WEIR_NO_TIME;
    d->operators[op].cost_init = init;
    d->operators[op].cost_sample = sample;
}

void weir_yaml_queue_rates(struct weir_draft *d, const struct weir_yaml_node *const nodes[3], struct weir_draft_kind *kind)
{
    static const struct weir_draft_count counts[] = {
        {"produce", "samples", WEIR_QUEUE_MAX}, {"consume", "samples", WEIR_QUEUE_MAX}, {"threshold", "samples", WEIR_QUEUE_MAX}};
    uint32_t *values[] = {&kind->produce, &kind->consume, &kind->threshold};
    bool good = true;
    for (int i = 0; i < 3; i++)
        if (nodes[i])
            good &= weir_yaml_count(d, nodes[i], &counts[i], values[i]);
    uint32_t consume = kind->consume ? kind->consume : 1;
    if (good && nodes[2] && kind->threshold < consume) {
        weir_draft_mistake(d, nodes[2]->place, "\"threshold\" is %u, below \"consume\": an execution cannot take %u samples of %u",
                           kind->threshold, consume, kind->threshold);
        good = false;
    }
    kind->bad |= !good;
}

void weir_yaml_source_rates(struct weir_draft *d, const struct weir_yaml_node *const nodes[3], struct weir_draft_source *source)
{
    enum { RATE, BURST, BATCH };
    static const struct weir_draft_count burst = {"burst", "arrivals", WEIR_QUEUE_MAX},
                                         batch = {"batch", "samples", WEIR_QUEUE_MAX};
    if (nodes[RATE]) {
        const char *text = weir_yaml_text(d, nodes[RATE], "rate", "a frequency such as 576kHz");
        source->has_rate = text && weir_draft_read_rate(d, text, nodes[RATE]->place, "rate", &source->rate);
        source->rate_place = nodes[RATE]->place;
        source->bad |= !source->has_rate;
    }
    if (nodes[BURST])
        source->bad |= !weir_yaml_count(d, nodes[BURST], &burst, &source->burst);
    if (nodes[BATCH])
        source->bad |= !weir_yaml_count(d, nodes[BATCH], &batch, &source->batch);
}
