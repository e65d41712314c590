/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs of kernels: "gpu" of the platform, "kernels" and the "defaults" for them. */
#include "read/yaml/value.h"

#include "model/kernels.h"

bool weir_yaml_is_gpu(const struct weir_yaml_node *root)
{
    const struct weir_yaml_node *platform = weir_yaml_find(root, "platform");
    return weir_yaml_find(platform, "gpu") || (weir_yaml_find(root, "kernels") && !platform && !weir_yaml_find(root, "operators"));
}

void weir_yaml_gpu(struct weir_draft *d, const struct weir_yaml_node *node)
{
    struct weir_yaml_fields f;
    d->platform.gpu.place = node->place;
    if (weir_yaml_open(d, node, WEIR_OF_GPU, &f) && !f.of[WEIR_KEY_SMS] && !d->options->sms)
        weir_draft_mistake(d, node->place, "a GPU needs \"sms\": how many it has");
    weir_yaml_read(d, &f, WEIR_OF_GPU, &d->platform);
}

/* "times": from SMs to times. */
static void read_table(struct weir_draft *d, const struct weir_yaml_node *node, uint32_t op)
{
    static const struct weir_key count = {.name = "times", .type = WEIR_VALUE_COUNT, .of = "SMs", .most = WEIR_SMS_MAX};
    uint32_t before = 0;
    bool good = weir_yaml_expect(d, node, WEIR_YAML_MAP, "times", "a mapping from SMs to times, such as {1: 40, 2: 21}");
    if (good && !node->first) {
        weir_draft_mistake(d, node->place, "\"times\" is empty: on how many SMs does the kernel run?");
        good = false;
    }
    for (const struct weir_yaml_node *key = good ? node->first : NULL; key && !d->out_of_memory; key = key->next->next) {
        int64_t sms = 0;
        const char *text = weir_yaml_text(d, key, "times", "a whole number of SMs"); /* in quotes in JSON, as keys are */
        bool known = text && weir_draft_read(d, text, key->place, &count, &sms);
        struct weir_gpu_time width = {.sms = (uint32_t)sms, .time = weir_yaml_time(d, key->next, "times")};
        if (known && width.sms == before)
            weir_draft_mistake(d, key->place, "\"times\" has %u SMs twice", width.sms);
        else if (known && width.sms < before)
            weir_draft_mistake(d, key->place, "\"times\" goes from few SMs to many, but %u comes after %u", width.sms, before);
        before = known && width.sms > before ? width.sms : before;
        if (known)
            weir_draft_add_width(d, op, width);
    }
}

/* What a table has no room for. */
static void check_table(struct weir_draft *d, const struct weir_yaml_fields *f, struct weir_operator_spec *k)
{
    char quoted[WEIR_QUOTED];
    const char *name = weir_quote(k->name, quoted);
    if (f->of[WEIR_KEY_LOAD])
        weir_draft_mistake(d, f->of[WEIR_KEY_LOAD]->place,
                           "kernel \"%s\" has both \"load\" and \"times\"; either says what it takes", name);
    if (f->of[WEIR_KEY_SPLITTABLE] && k->splittable)
        weir_draft_mistake(d, f->of[WEIR_KEY_SPLITTABLE]->place,
                           "kernel \"%s\" has \"times\", so it cannot be split: the time of a part is not known", name);
    for (enum weir_key_id id = WEIR_KEY_GRANULARITY; id <= WEIR_KEY_MIN_TIME; id++)
        if (f->of[id])
            weir_draft_mistake(d, f->of[id]->place, "kernel \"%s\" has \"times\", which say all: \"%s\" has no meaning", name,
                               weir_keys[id].name);
    k->worst = k->granularity = k->min_time = WEIR_NO_TIME;
    k->splittable = false;
}

void weir_yaml_kernel_body(struct weir_draft *d, const struct weir_yaml_node *node, uint32_t op,
                           const struct weir_operator_spec *defaults)
{
    struct weir_yaml_fields f;
    char quoted[WEIR_QUOTED];
    struct weir_operator_spec kernel = *defaults;
    kernel.name = d->operators[op].name;
    kernel.place = d->operators[op].place;
    weir_yaml_open(d, node, WEIR_OF_KERNEL, &f);
    if (node->kind != WEIR_YAML_MAP) {
        f.clean = true;
        f.of[WEIR_KEY_LOAD] = node;
    }
    if (weir_yaml_is_null(node) || (f.clean && !f.of[WEIR_KEY_LOAD] && !f.of[WEIR_KEY_TIMES])) {
        weir_draft_mistake(d, node->place, "kernel \"%s\" has neither \"load\" nor \"times\"", weir_quote(kernel.name, quoted));
        f.of[WEIR_KEY_LOAD] = NULL;
    }
    weir_yaml_read(d, &f, WEIR_OF_KERNEL, &kernel);
    if (f.of[WEIR_KEY_TIMES])
        check_table(d, &f, &kernel);
    weir_draft_set_operator(d, op, &kernel);
    if (f.of[WEIR_KEY_TIMES])
        read_table(d, f.of[WEIR_KEY_TIMES], op);
}

void weir_yaml_kernels(struct weir_draft *d, const struct weir_yaml_node *map, const struct weir_yaml_node *defaults)
{
    struct weir_yaml_fields f;
    struct weir_operator_spec all = {0};
    if (defaults && !weir_yaml_is_null(defaults)) {
        weir_yaml_open(d, defaults, WEIR_OF_DEFAULTS, &f);
        weir_yaml_read(d, &f, WEIR_OF_DEFAULTS, &all);
        if (!d->times[all.min_time].bad && d->times[all.min_time].value.mantissa == 0)
            all.min_time = WEIR_NO_TIME; /* the platform's */
    }
    weir_yaml_define_all(d, map, &all);
}
