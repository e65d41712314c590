/* SPDX-License-Identifier: Apache-2.0 */
/* What an operator is: its time, or cost, where it runs, the work that it launches. */
#include "read/yaml/value.h"

#include <string.h>

static bool has_key(const struct weir_yaml_node *map, const char *key)
{
    for (const struct weir_yaml_node *name = map->first; name; name = name->next->next)
        if (name->kind == WEIR_YAML_SCALAR && strcmp(name->text, key) == 0)
            return true;
    return false;
}

/* "time: {gpu: FILE}": the bound of a plan. */
static void read_plan(struct weir_draft *d, const struct weir_yaml_node *node, struct weir_operator_spec *spec)
{
    struct weir_yaml_fields f;
    char quoted[WEIR_QUOTED];
    if (!has_key(node, "gpu") && (has_key(node, "worst") || has_key(node, "max"))) {
        weir_draft_mistake(d, node->place,
                           "\"time\" is written as a list of best and worst case, such as [20, 30], not as a mapping");
        spec->worst = weir_draft_bad_time(d, node->place);
        return;
    }
    bool clean = weir_yaml_open(d, node, WEIR_OF_PLAN, &f);
    const struct weir_yaml_node *gpu = f.of[WEIR_KEY_PLAN_GPU], *named = f.of[WEIR_KEY_PLAN_METHOD];
    const struct weir_yaml_node *best = f.of[WEIR_KEY_PLAN_BEST], *on = f.of[WEIR_KEY_PLAN_DEVICE];
    if (clean && !gpu)
        weir_draft_mistake(d, node->place, "\"time\" is a time, a list of two, or {gpu: FILE}, where the file has kernels");
    const char *path = gpu ? weir_yaml_text(d, gpu, "gpu", "the path of a file") : NULL;
    const char *text = named ? weir_yaml_text(d, named, "method", "best or safe") : "best";
    enum weir_gpu_method method = text ? weir_gpu_method_named(text) : WEIR_GPU_METHODS;
    if (named && text && method != WEIR_GPU_BEST && method != WEIR_GPU_SAFE) {
        weir_draft_mistake(d, named->place, "\"method\" must be best or safe, whose bounds hold, not \"%s\"",
                           weir_quote(text, quoted));
        text = NULL;
    }
    spec->best = best ? weir_yaml_time(d, best, "best") : WEIR_NO_TIME;
    const char *device = on ? weir_yaml_text(d, on, "device", "the name of a GPU") : "";
    spec->worst =
        path && text && !d->out_of_memory ? weir_draft_plan_time(d, path, method, gpu->place) : weir_draft_bad_time(d, node->place);
    if (path && text && device && !d->out_of_memory)
        weir_draft_claim_device(d, device, gpu->place);
}

static void read_cost(struct weir_draft *d, uint32_t op, const struct weir_yaml_node *node)
{
    struct weir_yaml_fields f;
    struct weir_operator_spec cost = {0};
    if (weir_yaml_open(d, node, WEIR_OF_COST, &f) && !f.of[WEIR_KEY_COST_INIT] && !f.of[WEIR_KEY_COST_SAMPLE])
        weir_draft_mistake(d, node->place, "\"cost\" needs \"init\", \"per-sample\" or both");
    weir_yaml_read(d, &f, WEIR_OF_COST, &cost);
    struct weir_draft_rest *rest = weir_draft_rest(d, op);
    if (!rest)
        return;
    rest->spec.has_cost = true;
    rest->spec.cost_init = cost.cost_init;
    rest->spec.cost_sample = cost.cost_sample;
}

static void read_launch(struct weir_draft *d, uint32_t op, const struct weir_yaml_node *node)
{
    struct weir_yaml_fields f;
    struct weir_launch *launch = weir_arena_take(&d->arena, sizeof *launch);
    struct weir_draft_rest *rest = launch ? weir_draft_rest(d, op) : NULL;
    if (!rest) {
        d->out_of_memory = true;
        return;
    }
    *launch = (struct weir_launch){0};
    rest->spec.launch = launch;
    rest->launch_place = node->place;
    weir_yaml_open(d, node, WEIR_OF_LAUNCH, &f);
    weir_yaml_require(d, node, WEIR_OF_LAUNCH, &f);
    bool good = weir_yaml_read(d, &f, WEIR_OF_LAUNCH, launch);
    if (f.of[WEIR_KEY_LAUNCH_AFTER] && good && f.clean && !launch->waits)
        weir_draft_mistake(d, f.of[WEIR_KEY_LAUNCH_AFTER]->place,
                           "\"after\" is what an operator does once its work on the GPU is over; it needs \"waits: true\"");
}

/* What its processor makes of "priority" and "slot". */
static void check_mapping(struct weir_draft *d, const struct weir_operator_spec *o, const struct weir_yaml_fields *f)
{
    const struct weir_yaml_node *on = f->of[WEIR_KEY_ON];
    const struct weir_draft_processor *p = o->mapped ? &d->processors[o->on.index] : NULL;
    char name[WEIR_QUOTED], processor[WEIR_QUOTED] = "";
    if ((on && (!p || p->bad)) || (!f->of[WEIR_KEY_PRIORITY] && !f->of[WEIR_KEY_SLOT]))
        return;
    weir_quote(o->name, name);
    if (p)
        weir_quote(p->spec.name, processor);
    for (enum weir_key_id id = WEIR_KEY_PRIORITY; id <= WEIR_KEY_SLOT; id++) {
        bool slots = p && (p->spec.sharing == WEIR_TDM || p->spec.sharing == WEIR_ROUND_ROBIN);
        if (f->of[id] && !on)
            weir_draft_mistake(d, f->of[id]->place, "operator \"%s\" has a \"%s\", but no processor: it needs \"on\"", name,
                               weir_keys[id].name);
        else if (f->of[id] && slots != (id == WEIR_KEY_SLOT))
            weir_draft_mistake(d, f->of[id]->place, "operator \"%s\" has a \"%s\", but processor \"%s\" uses %s", name,
                               weir_keys[id].name, processor, slots ? "slots" : "priorities");
    }
}

/* What is missing, or said in two ways. */
static void check_time(struct weir_draft *d, const struct weir_yaml_node *node, struct weir_yaml_fields *f,
                       const struct weir_operator_spec *o)
{
    char quoted[WEIR_QUOTED];
    const struct weir_yaml_node *cost = f->of[WEIR_KEY_COST];
    if (weir_yaml_is_null(node) || (f->clean && !f->of[WEIR_KEY_TIME] && !cost)) {
        weir_draft_mistake(d, node->place,
                           d->pool ? "operator \"%s\" has neither \"time\" nor \"cost\"" : "operator \"%s\" has no \"time\"",
                           weir_quote(o->name, quoted));
        f->of[WEIR_KEY_TIME] = NULL;
    }
    if (f->of[WEIR_KEY_TIME] && cost)
        weir_draft_mistake(d, cost->place, "operator \"%s\" has both \"time\" and \"cost\"; either says what an execution takes",
                           weir_quote(o->name, quoted));
}

void weir_yaml_operator_body(struct weir_draft *d, const struct weir_yaml_node *node, uint32_t op)
{
    struct weir_yaml_fields f;
    char quoted[WEIR_QUOTED];
    weir_yaml_open(d, node, WEIR_OF_OPERATOR, &f);
    if (node->kind != WEIR_YAML_MAP) {
        f.clean = true;
        f.of[WEIR_KEY_TIME] = node;
    }
    struct weir_operator_spec spec = weir_draft_operator(d, op);
    check_time(d, node, &f, &spec);
    const struct weir_yaml_node *time = f.of[WEIR_KEY_TIME];
    bool plan = time && time->kind == WEIR_YAML_MAP;
    if (plan) {
        read_plan(d, time, &spec);
        f.of[WEIR_KEY_TIME] = NULL;
    } else if (!time && !f.of[WEIR_KEY_COST]) {
        spec.best = spec.worst = weir_draft_bad_time(d, node->place);
    }
    weir_yaml_read(d, &f, WEIR_OF_OPERATOR, &spec);
    if (spec.reentrant && plan)
        weir_draft_mistake(d, f.of[WEIR_KEY_REENTRANT]->place,
                           "operator \"%s\" is reentrant, but its plan has the GPU to itself: one execution runs at a time",
                           weir_quote(spec.name, quoted));
    if (spec.reentrant && spec.lane)
        weir_draft_mistake(d, f.of[WEIR_KEY_LANE]->place,
                           "operator \"%s\" is reentrant: it cannot be in a lane, where one execution runs at a time",
                           weir_quote(spec.name, quoted));
    weir_draft_set_operator(d, op, &spec);
    if (f.of[WEIR_KEY_COST] && d->pool)
        read_cost(d, op, f.of[WEIR_KEY_COST]);
    if (f.of[WEIR_KEY_OBSERVED])
        weir_yaml_operator_observed(d, op, f.of[WEIR_KEY_OBSERVED]);
    if (f.of[WEIR_KEY_LAUNCH])
        read_launch(d, op, f.of[WEIR_KEY_LAUNCH]);
    if (d->shared)
        check_mapping(d, &spec, &f);
}

/* ---- names ---- */

void weir_yaml_define(struct weir_draft *d, const struct weir_yaml_node *key, const struct weir_operator_spec *defaults)
{
    char quoted[WEIR_QUOTED];
    if (!weir_yaml_name(d, key, weir_owner_words[d->gpu ? WEIR_OF_KERNEL : WEIR_OF_OPERATOR].words)) {
        d->incomplete |= !d->gpu;
        d->names_missing = true;
        return;
    }
    uint32_t op = weir_draft_find(d, key->text, key->bytes);
    if (op != WEIR_NO_OPERATOR) {
        weir_quote(key->text, quoted);
        if (d->operators[op].place.line)
            weir_draft_mistake(d, key->place, "%s \"%s\" is defined twice; the first is in line %u", d->gpu ? "kernel" : "operator",
                               quoted, d->operators[op].place.line);
        else /* of a pipeline that is changed */
            weir_draft_mistake(d, key->place, "there is an operator \"%s\" already; remove it first, or set what it is", quoted);
        return;
    }
    op = weir_draft_add_operator(d, key->text, key->bytes, key->place);
    if (op == WEIR_NO_OPERATOR)
        return;
    if (d->gpu)
        weir_yaml_kernel_body(d, key->next, op, defaults);
    else
        weir_yaml_operator_body(d, key->next, op);
}

void weir_yaml_define_all(struct weir_draft *d, const struct weir_yaml_node *map, const struct weir_operator_spec *defaults)
{
    bool empty = map->kind == WEIR_YAML_MAP && !map->first;
    d->names_missing = map->kind != WEIR_YAML_MAP || empty;
    if (empty)
        weir_draft_mistake(d, map->place,
                           d->gpu ? "\"kernels\" is empty: a graph has at least one kernel"
                                  : "\"operators\" is empty: a model has at least one operator");
    else if (weir_yaml_expect(d, map, WEIR_YAML_MAP, d->gpu ? "kernels" : "operators",
                              d->gpu ? "a mapping from names to loads" : "a mapping from names to times"))
        for (const struct weir_yaml_node *key = map->first; key && !d->out_of_memory; key = key->next->next)
            weir_yaml_define(d, key, defaults);
}
