/* SPDX-License-Identifier: Apache-2.0 */
/* From a graph of CUDA to kernels of a model. */
#include "read/cuda/cuda.h"

#include "model/kernels.h"

#include <stdlib.h>
#include <string.h>

#define NODE_PREFIX "\"graph_"

/* ---- is it one? ---- */

/* Behind "graph_1_node_7" (without a quote); NULL where it is something else. The numbers may be NULL. */
static const char *read_id(const char *text, const char *end, uint32_t *graph, uint32_t *node)
{
    static const char *const parts[] = {"graph_", "_node_"};
    uint32_t *numbers[] = {graph, node};
    for (int i = 0; i < 2; i++) {
        size_t bytes = strlen(parts[i]), digits = 0;
        uint32_t number = 0;
        if ((size_t)(end - text) <= bytes || memcmp(text, parts[i], bytes) != 0)
            return NULL;
        for (text += bytes; text < end && *text >= '0' && *text <= '9' && digits < 10; text++, digits++)
            number = number * 10 + (uint32_t)(*text - '0');
        if (digits == 0 || digits > 9)
            return NULL;
        if (numbers[i])
            *numbers[i] = number;
    }
    return text;
}

bool weir_text_is_cuda(const struct weir_file_text *text)
{
    const char *end = text->bytes + text->size;
    const char *at = weir_text_find(text->bytes, end, "subgraph cluster_");
    while (at && (at = weir_text_find(at, end, NODE_PREFIX))) {
        const char *behind = read_id(++at, end, NULL, NULL);
        if (behind && end - behind >= 2 && *behind == '"' && strchr(" [", behind[1]))
            return weir_text_find(behind, end, "label=") != NULL;
    }
    return false;
}

/* ---- nodes ---- */

static void read_node(struct weir_cuda *c, const struct weir_dot_parser *p, uint32_t op)
{
    const struct weir_draft_operator *o = &c->dot->operators[op];
    struct weir_cuda_node *node = &c->nodes[op];
    char quoted[WEIR_QUOTED];
    const char *end = o->name + strlen(o->name);
    *node = (struct weir_cuda_node){.kind = WEIR_CUDA_UNKNOWN, .id = o->name, .symbol = "", .place = o->place};
    weir_quote(o->name, quoted);
    if (read_id(o->name, end, &node->graph, &node->number) != end) {
        weir_draft_mistake(c->dot, o->place, "\"%s\" is not a node of CUDA, such as \"graph_1_node_0\"", quoted);
        return;
    }
    if (!p->nodes[op].label) {
        weir_draft_mistake(c->dot, o->place, "node \"%s\" has no label that says what it is", quoted);
        return;
    }
    weir_cuda_read_label(c, node, p->nodes[op].label, p->nodes[op].shape);
    if (c->dot->out_of_memory)
        return;
    if (node->kind != WEIR_CUDA_UNKNOWN) {
        weir_draft_check_name_of(c->dot, "a kernel", node->symbol, strlen(node->symbol), o->place);
        return;
    }
    if (strcmp(node->symbol, "conditional") == 0)
        weir_draft_mistake(c->dot, o->place, "node \"%s\" is conditional: how often what it holds runs is not known", quoted);
    else
        weir_draft_mistake(c->dot, o->place, "the label of node \"%s\" is not that of a kernel, a copy or the like", quoted);
}

/* ---- kernels ---- */

/* How many SMs the node is measured on unless given: one for each block, as far as they go. */
static uint32_t usual_width(const struct weir_cuda *c, const struct weir_cuda_node *node)
{
    uint32_t sms = c->draft->options->sms;
    if (node->kind != WEIR_CUDA_KERNEL)
        return 1;
    return node->blocks < sms ? (uint32_t)node->blocks : sms;
}

/* The name of a node among the kernels: that of the function where it is the only one, with the number of the node where not. */
static const char *choose_name(struct weir_cuda *c, const struct weir_cuda_node *node, bool only)
{
    const char *base = node->base ? node->base : node->symbol;
    size_t room = strlen(base) + strlen(node->id) + 32;
    char *name = weir_arena_take(&c->draft->arena, room);
    if (!name) {
        c->draft->out_of_memory = true;
        return NULL;
    }
    if (only)
        snprintf(name, room, "%s", base);
    else if (c->several)
        snprintf(name, room, "%s#%u.%u", base, node->graph, node->number);
    else
        snprintf(name, room, "%s#%u", base, node->number);
    for (unsigned i = 2; weir_draft_find(c->draft, name, strlen(name)) != WEIR_NO_OPERATOR; i++)
        snprintf(name, room, "%s#%s%u", base, node->id, i);
    return name;
}

static void add_table(struct weir_cuda *c, const struct weir_cuda_node *node)
{
    struct weir_draft *d = c->draft;
    const struct weir_kernel_entry *e = node->entry;
    for (size_t i = 0; i < e->count && !d->out_of_memory && !d->too_many_widths; i++) {
        const struct weir_kernel_width *w = &c->times.widths[e->first + i];
        struct weir_gpu_time width = {.sms = w->sms ? w->sms : usual_width(c, node)};
        width.time = weir_draft_decimal(d, &w->time, node->place);
        weir_draft_add_width(d, node->op, width);
    }
}

static void add_kernel(struct weir_cuda *c, struct weir_cuda_node *node, bool only)
{
    struct weir_draft *d = c->draft;
    const struct weir_kernel_entry *e = node->entry;
    const char *name = choose_name(c, node, only);
    node->op = name ? weir_draft_add_operator(d, name, strlen(name), node->place) : WEIR_NO_OPERATOR;
    if (node->op == WEIR_NO_OPERATOR)
        return;
    add_table(c, node);
    uint32_t load = e->has_load ? weir_draft_decimal(d, &e->load, node->place) : WEIR_NO_TIME;
    uint32_t granularity = e->has_granularity ? weir_draft_decimal(d, &e->granularity, node->place) : WEIR_NO_TIME;
    uint32_t least = e->has_min_time ? weir_draft_decimal(d, &e->min_time, node->place) : WEIR_NO_TIME;
    struct weir_operator_spec k = weir_draft_operator(d, node->op);
    k.worst = load;
    k.granularity = granularity;
    k.min_time = least;
    k.splittable = e->splittable;
    weir_draft_set_operator(d, node->op, &k);
}

/* A time of 0 says that the node takes none. */
static bool is_nothing(const struct weir_cuda *c, const struct weir_cuda_node *node)
{
    const struct weir_kernel_entry *e = node->entry;
    return !e || (e->has_load ? e->load.mantissa == 0 : e->count == 1 && c->times.widths[e->first].time.mantissa == 0);
}

static const char *shown_name(const struct weir_cuda_node *node)
{
    return node->base ? node->base : node->symbol;
}

static int by_shown_name(const void *a, const void *b)
{
    const struct weir_cuda_node *const *x = a, *const *y = b;
    int order = strcmp(shown_name(*x), shown_name(*y));
    return order ? order : *x < *y ? -1 : *x > *y;
}

/* Marks in only[] the nodes whose name no other has. */
static bool find_only(const struct weir_cuda *c, bool *only)
{
    const struct weir_cuda_node **sorted = weir_array(c->count, sizeof *sorted);
    size_t count = 0;
    if (!sorted)
        return false;
    for (size_t i = 0; i < c->count; i++)
        if (c->nodes[i].kept)
            sorted[count++] = &c->nodes[i];
    if (count)
        qsort(sorted, count, sizeof *sorted, by_shown_name);
    for (size_t i = 0; i < count; i++)
        only[sorted[i] - c->nodes] = (i == 0 || strcmp(shown_name(sorted[i - 1]), shown_name(sorted[i])) != 0) &&
                                     (i + 1 == count || strcmp(shown_name(sorted[i + 1]), shown_name(sorted[i])) != 0);
    weir_free(sorted);
    return true;
}

static void check_node(struct weir_cuda *c, const struct weir_cuda_node *node)
{
    const struct weir_kernel_entry *e = node->entry;
    char quoted[WEIR_QUOTED];
    if (e->has_load || c->times.widths[e->first].sms || usual_width(c, node))
        return;
    weir_draft_mistake(c->draft, node->place,
                       "the graph does not say how many blocks kernel \"%s\" has: write it with cudaGraphDebugDotFlagsVerbose or "
                       "KernelNodeParams, or give \"sms\" in the file of times",
                       weir_quote(node->symbol, quoted));
}

static void make_kernels(struct weir_cuda *c)
{
    struct weir_draft *d = c->draft;
    bool *only = weir_array_zeroed(c->count, sizeof *only);
    size_t kept = 0;
    for (size_t i = 0; i < c->count; i++) {
        c->nodes[i].kept = !is_nothing(c, &c->nodes[i]);
        kept += c->nodes[i].kept;
    }
    if (!only || !find_only(c, only))
        d->out_of_memory = true;
    if (kept == 0)
        weir_draft_mistake(d, (struct weir_place){1, 1}, "no node of this graph takes time");
    for (size_t i = 0; i < c->count && !d->out_of_memory; i++)
        if (c->nodes[i].kept) {
            check_node(c, &c->nodes[i]);
            add_kernel(c, &c->nodes[i], only[i]);
        }
    weir_free(only);
    if (!d->out_of_memory)
        weir_cuda_add_dependencies(c);
}

/* ---- the file ---- */

/* Everything that is looked for in the file's own graph; only then kernels are made. */
static void read_graph(struct weir_cuda *c, const struct weir_dot_parser *p)
{
    struct weir_draft *dot = c->dot;
    const struct weir_read_options *options = c->draft->options;
    if (dot->operator_count == 0)
        weir_draft_mistake(dot, (struct weir_place){1, 1}, "this graph has no nodes");
    c->nodes = weir_array_zeroed(2 * dot->operator_count, sizeof *c->nodes);
    if (!c->nodes) {
        dot->out_of_memory = true;
        return;
    }
    c->count = dot->operator_count;
    for (uint32_t i = 0; i < c->count && !dot->out_of_memory; i++)
        read_node(c, p, i);
    if (!options->sms)
        weir_draft_mistake(dot, (struct weir_place){0, 0}, "CUDA does not write how many SMs the GPU has: give --sms");
    if (dot->mistakes == 0 && !dot->out_of_memory)
        weir_cuda_join_graphs(c);
    if (dot->mistakes == 0 && !dot->out_of_memory)
        weir_draft_check_cycles(dot);
    if (options->kernel_times && !dot->out_of_memory)
        weir_kernel_times_read(&c->times, options->kernel_times);
    if (!c->times.path || dot->mistakes == 0)
        weir_cuda_find_times(c);
}

void weir_read_cuda(struct weir_draft *d, const struct weir_file_text *text)
{
    struct weir_draft dot = {.file = d->file, .options = d->options, .errors = d->errors};
    struct weir_dot_parser p = {.lexer = {.draft = &dot, .text = text}, .draft = &dot, .cuda = true};
    struct weir_cuda c = {.draft = d, .dot = &dot, .times = {.draft = &dot}};
    weir_draft_init(&dot);
    d->gpu = true;
    d->has_unit = true;
    d->unit = WEIR_UNIT_US;
    d->platform.gpu.place = (struct weir_place){1, 1};
    if (!dot.out_of_memory)
        weir_dot_parse(&p);
    if (!dot.out_of_memory && !dot.incomplete)
        read_graph(&c, &p);
    if (!dot.out_of_memory && dot.mistakes == 0)
        make_kernels(&c);
    d->mistakes += dot.mistakes;
    d->out_of_memory |= dot.out_of_memory;
    weir_kernel_times_free(&c.times);
    weir_free(c.nodes);
    weir_dot_free(&p);
    weir_draft_free(&dot);
}
