/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The job statistics of GXF, as JSON: how often each entity ran, and how long at most. That is all of an execution, so it is the
 * better worst case than what a flow log shows; there is no best case. The median is not read: GXF writes it in seconds under a
 * key that says milliseconds, and it is not needed. Codelets are parts of entities, and are ignored.
 *
 * GXF rounds through an int of hundred-thousandths, so that it cannot write what is longer than 21474 ms: that comes out negative.
 */
#include "read/holoscan/evidence.h"
#include "read/yaml/tree.h"

#include <string.h>

#define BROADCAST "_broadcast_" /* in the name of an entity that Holoscan puts behind a port with several receivers */

/* The value of a key that an entity must have, as text. */
static const char *text_of(struct weir_evidence_reader *t, const struct weir_yaml_node *entity, const char *name,
                           const struct weir_yaml_node **value)
{
    *value = weir_yaml_find(entity, name);
    if (!*value)
        weir_draft_mistake(&t->draft, entity->place, "this entity has no \"%s\"", name);
    else if ((*value)->kind != WEIR_YAML_SCALAR)
        weir_draft_mistake(&t->draft, (*value)->place, "\"%s\" must be text or a number, not %s", name,
                           weir_yaml_kind_name(*value));
    return *value && (*value)->kind == WEIR_YAML_SCALAR ? (*value)->text : NULL;
}

static bool read_count(struct weir_evidence_reader *t, const struct weir_yaml_node *node, uint64_t *count)
{
    char quoted[WEIR_QUOTED];
    struct weir_decimal value;
    int64_t ticks;
    if (weir_decimal_parse(node->text, &value) || value.has_unit || !weir_decimal_ticks(&value, WEIR_UNIT_TICK, 0, &ticks) ||
        ticks < 0) {
        weir_draft_mistake(&t->draft, node->place, "\"count\" must be a whole number from 0 on, not \"%s\"",
                           weir_quote(node->text, quoted));
        return false;
    }
    *count = (uint64_t)ticks;
    return true;
}

static void read_longest(struct weir_evidence_reader *t, const struct weir_yaml_node *node, struct weir_evidence_time *time)
{
    struct weir_decimal value;
    if (!weir_evidence_reader_time(t, node->text, node->place, "\"execution_time_max_ms\"", &value))
        return;
    if (value.mantissa < 0)
        weir_evidence_note(t->evidence, time->at,
                           "the longest execution is negative: GXF cannot write more than 21474 ms; this time is left out");
    else if (!weir_evidence_reader_round(&value, WEIR_UNIT_MS, true, &time->max))
        weir_draft_mistake(&t->draft, node->place, "\"execution_time_max_ms\" is out of range");
    else
        weir_evidence_reader_add(t, weir_evidence_add_time(t->evidence, time), node->place);
}

static void read_entity(struct weir_evidence_reader *t, const struct weir_yaml_node *entity)
{
    const struct weir_yaml_node *name, *count, *longest;
    char quoted[WEIR_QUOTED];
    if (entity->kind != WEIR_YAML_MAP) {
        weir_draft_mistake(&t->draft, entity->place, "an entity must be a mapping, not %s", weir_yaml_kind_name(entity));
        return;
    }
    bool named = text_of(t, entity, "name", &name), counted = text_of(t, entity, "count", &count);
    bool timed = text_of(t, entity, "execution_time_max_ms", &longest);
    if (!named || !counted || !timed)
        return;
    struct weir_evidence_time time = {.span = WEIR_SPAN_EXECUTION,
                                      .min = WEIR_TIME_UNKNOWN,
                                      .max = WEIR_TIME_UNKNOWN,
                                      .at = weir_evidence_reader_at(t, longest->place)};
    if (!read_count(t, count, &time.count))
        return;
    time.op = weir_evidence_reader_operator(t, name->text, name->bytes, name->place);
    if (time.op == WEIR_NO_OPERATOR)
        return;
    if (strstr(name->text, BROADCAST))
        t->evidence->operators[time.op].broadcast = true;
    if (time.count == 0)
        weir_evidence_note(t->evidence, weir_evidence_reader_at(t, name->place), "\"%s\" has not run, so its time is not known",
                           weir_quote(name->text, quoted));
    else
        read_longest(t, longest, &time);
}

void weir_evidence_read_job_statistics(struct weir_evidence_reader *t)
{
    struct weir_draft *d = &t->draft;
    const struct weir_yaml_node *root = weir_yaml_parse(d, &t->text, &t->arena, false);
    if (d->mistakes || d->out_of_memory)
        return;
    const struct weir_yaml_node *list = root && root->kind == WEIR_YAML_MAP ? weir_yaml_find(root, "entities") : root;
    if (list && weir_yaml_is_null(list))
        list = NULL; /* no statistics of entities were asked for */
    if (!list || list->kind != WEIR_YAML_LIST) {
        weir_draft_mistake(d, list ? list->place : (struct weir_place){1, 1}, "expected a list of \"entities\"");
        return;
    }
    for (const struct weir_yaml_node *entity = list->first; entity && weir_evidence_reader_goes_on(t); entity = entity->next)
        read_entity(t, entity);
}
