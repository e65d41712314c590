/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs of kernels: "gpu" of the platform, "kernels" and the "defaults" for them. */
#include "read/yaml/value.h"

#include "model/kernels.h"
#include "model/pipeline.h"

#include <string.h>

static const struct weir_yaml_node *find(const struct weir_yaml_node *map, const char *name)
{
    for (const struct weir_yaml_node *key = map && map->kind == WEIR_YAML_MAP ? map->first : NULL; key; key = key->next->next)
        if (key->kind == WEIR_YAML_SCALAR && strcmp(key->text, name) == 0)
            return key->next;
    return NULL;
}

bool weir_yaml_is_gpu(const struct weir_yaml_node *root)
{
    const struct weir_yaml_node *platform = find(root, "platform");
    return find(platform, "gpu") || (find(root, "kernels") && !platform && !find(root, "operators"));
}

void weir_yaml_gpu(struct weir_draft *d, const struct weir_yaml_node *node)
{
    enum { SMS, MIN_TIME, LAUNCH_OVERHEAD, MAX_CONCURRENT, DEADLINE, KEYS };
    static const char *const names[KEYS] = {"sms", "min-time", "launch-overhead", "max-concurrent", "deadline"};
    static const struct weir_yaml_keys keys = {"the GPU", names, KEYS, NULL};
    static const struct weir_draft_count sms = {"sms", "SMs", WEIR_SMS_MAX},
                                         launches = {"max-concurrent", "launches", WEIR_QUEUE_MAX};
    const struct weir_yaml_node *values[KEYS];
    d->gpu_place = node->place;
    if (!weir_yaml_expect(d, node, WEIR_YAML_MAP, "gpu", "a mapping such as {sms: 132}"))
        return;
    bool clean = weir_yaml_fields(d, node, &keys, values);
    if (values[SMS])
        weir_yaml_count(d, values[SMS], &sms, &d->sms);
    else if (clean && !d->options->sms)
        weir_draft_mistake(d, node->place, "a GPU needs \"sms\": how many it has");
    if (values[MAX_CONCURRENT])
        weir_yaml_count(d, values[MAX_CONCURRENT], &launches, &d->max_concurrent);
    if (values[MIN_TIME])
        d->min_time = weir_yaml_time(d, values[MIN_TIME], names[MIN_TIME]);
    if (values[LAUNCH_OVERHEAD])
        d->launch_overhead = weir_yaml_time(d, values[LAUNCH_OVERHEAD], names[LAUNCH_OVERHEAD]);
    if (values[DEADLINE])
        d->gpu_deadline = weir_yaml_time(d, values[DEADLINE], names[DEADLINE]);
}

/* ---- "kernels" ---- */

enum { SPLITTABLE, GRANULARITY, MIN_TIME, LOAD, TIMES, KEYS };
static const char *const names[KEYS] = {"splittable", "granularity", "min-time", "load", "times"};

/* What a kernel says, or the defaults say for it. */
static void read_limits(struct weir_draft *d, const struct weir_yaml_node *const *values, struct weir_draft_kernel *kernel)
{
    if (values[SPLITTABLE]) {
        const char *text = weir_yaml_number(d, values[SPLITTABLE], names[SPLITTABLE], "true or false");
        if (text)
            weir_draft_read_boolean(d, text, values[SPLITTABLE]->place, names[SPLITTABLE], &kernel->splittable);
    }
    if (values[GRANULARITY])
        kernel->granularity = weir_yaml_time(d, values[GRANULARITY], names[GRANULARITY]);
    if (values[MIN_TIME])
        kernel->min_time = weir_yaml_time(d, values[MIN_TIME], names[MIN_TIME]);
}

/* "times": from SMs to times. */
static void read_table(struct weir_draft *d, const struct weir_yaml_node *node, uint32_t op)
{
    static const struct weir_draft_count count = {"times", "SMs", WEIR_SMS_MAX};
    uint32_t before = 0;
    bool good = weir_yaml_expect(d, node, WEIR_YAML_MAP, "times", "a mapping from SMs to times, such as {1: 40, 2: 21}");
    if (good && !node->first) {
        weir_draft_mistake(d, node->place, "\"times\" is empty: on how many SMs does the kernel run?");
        good = false;
    }
    for (const struct weir_yaml_node *key = good ? node->first : NULL; key && !d->out_of_memory; key = key->next->next) {
        struct weir_draft_width width = {0};
        const char *text = weir_yaml_text(d, key, "times", "a whole number of SMs"); /* in quotes in JSON, as keys are */
        bool known = text && weir_draft_read_count(d, text, key->place, &count, &width.sms);
        width.time = weir_yaml_time(d, key->next, "times");
        if (known && width.sms == before)
            weir_draft_mistake(d, key->place, "\"times\" has %u SMs twice", width.sms);
        else if (known && width.sms < before)
            weir_draft_mistake(d, key->place, "\"times\" goes from few SMs to many, but %u stands behind %u", width.sms, before);
        before = known && width.sms > before ? width.sms : before;
        if (known)
            weir_draft_add_width(d, op, width);
    }
}

/* What a table has no room for. */
static void check_table(struct weir_draft *d, const struct weir_yaml_node *const *values, uint32_t op)
{
    char quoted[WEIR_QUOTED];
    const char *name = weir_quote(d->operators[op].name, quoted);
    struct weir_draft_kernel *k = &d->kernels[op];
    if (values[LOAD])
        weir_draft_mistake(d, values[LOAD]->place, "kernel \"%s\" has both \"load\" and \"times\"; either says what it takes",
                           name);
    if (values[SPLITTABLE] && k->splittable)
        weir_draft_mistake(d, values[SPLITTABLE]->place,
                           "kernel \"%s\" has \"times\", so it cannot be split: the time of a part is not known", name);
    for (int i = GRANULARITY; i <= MIN_TIME; i++)
        if (values[i])
            weir_draft_mistake(d, values[i]->place, "kernel \"%s\" has \"times\", which say all: \"%s\" has no meaning", name,
                               names[i]);
    k->load = k->granularity = k->min_time = WEIR_NO_TIME;
    k->splittable = false;
}

static void read_body(struct weir_draft *d, const struct weir_yaml_node *node, uint32_t op,
                      const struct weir_draft_kernel *defaults)
{
    static const struct weir_yaml_keys keys = {"a kernel", names, KEYS, NULL};
    const struct weir_yaml_node *values[KEYS] = {NULL};
    char quoted[WEIR_QUOTED];
    struct weir_draft_kernel kernel = *defaults;
    kernel.first_width = d->kernels[op].first_width;
    bool clean = true;
    if (node->kind == WEIR_YAML_MAP)
        clean = weir_yaml_fields(d, node, &keys, values);
    else
        values[LOAD] = node;
    if (weir_yaml_is_null(node) || (clean && !values[LOAD] && !values[TIMES])) {
        weir_draft_mistake(d, node->place, "kernel \"%s\" has neither \"load\" nor \"times\"",
                           weir_quote(d->operators[op].name, quoted));
        values[LOAD] = NULL;
    }
    read_limits(d, values, &kernel);
    if (values[LOAD])
        kernel.load = weir_yaml_time(d, values[LOAD], names[LOAD]);
    d->kernels[op] = kernel;
    if (!values[TIMES])
        return;
    check_table(d, values, op);
    read_table(d, values[TIMES], op);
}

static void read_kernel(struct weir_draft *d, const struct weir_yaml_node *key, const struct weir_draft_kernel *defaults)
{
    char quoted[WEIR_QUOTED];
    if (!weir_yaml_expect_item(d, key, WEIR_YAML_SCALAR, "the name of a kernel", "text") ||
        !weir_draft_check_name_of(d, "a kernel", key->text, key->bytes, key->place)) {
        d->names_missing = true;
        return;
    }
    uint32_t op = weir_draft_find(d, key->text, key->bytes);
    if (op != WEIR_NO_OPERATOR) {
        weir_draft_mistake(d, key->place, "kernel \"%s\" is defined twice; the first is in line %u", weir_quote(key->text, quoted),
                           d->operators[op].place.line);
        return;
    }
    op = weir_draft_add_kernel(d, key->text, key->bytes, key->place);
    if (op != WEIR_NO_OPERATOR)
        read_body(d, key->next, op, defaults);
}

static struct weir_draft_kernel read_defaults(struct weir_draft *d, const struct weir_yaml_node *node)
{
    static const struct weir_yaml_keys keys = {"the defaults", names, MIN_TIME + 1, NULL};
    const struct weir_yaml_node *values[KEYS] = {NULL};
    struct weir_draft_kernel defaults = {0};
    if (!node || weir_yaml_is_null(node) ||
        !weir_yaml_expect(d, node, WEIR_YAML_MAP, "defaults", "a mapping such as {splittable: true}"))
        return defaults;
    weir_yaml_fields(d, node, &keys, values);
    read_limits(d, values, &defaults);
    if (!d->times[defaults.min_time].bad && d->times[defaults.min_time].value.mantissa == 0)
        defaults.min_time = WEIR_NO_TIME; /* the platform's */
    return defaults;
}

void weir_yaml_kernels(struct weir_draft *d, const struct weir_yaml_node *map, const struct weir_yaml_node *defaults)
{
    struct weir_draft_kernel all = read_defaults(d, defaults);
    d->names_missing = map->kind != WEIR_YAML_MAP || !map->first;
    if (map->kind == WEIR_YAML_MAP && !map->first)
        weir_draft_mistake(d, map->place, "\"kernels\" is empty: a graph has at least one kernel");
    else if (weir_yaml_expect(d, map, WEIR_YAML_MAP, "kernels", "a mapping from names to loads"))
        for (const struct weir_yaml_node *key = map->first; key && !d->out_of_memory; key = key->next->next)
            read_kernel(d, key, &all);
}
