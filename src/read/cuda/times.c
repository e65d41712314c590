/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which line of the times is that of a node. The name that says most counts: the node itself, then the symbol, then the plain name
 * of the function, which is all that tells a symbol from what profilers print. Where the plain name does not tell which is meant,
 * the file has to.
 */
#include "read/cuda/cuda.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define OPERATIONS_MAX 256 /* kinds of nodes times directions of copies; there are fewer */

/* What is looked up. Both lists are sorted by plain names; a symbol that is the name of an entry is of no other kernel. */
struct index {
    const struct weir_kernel_entry **entries;
    size_t count;
    const struct weir_cuda_node **kernels; /* then by symbols */
    size_t kernel_count;
    struct operation {
        const char *symbol, *direction;
        const struct weir_kernel_entry *entry;
    } operations[OPERATIONS_MAX]; /* found so far */
    size_t operation_count;
};

static int by_base(const void *a, const void *b)
{
    const struct weir_kernel_entry *const *x = a, *const *y = b;
    int order = strcmp((*x)->base, (*y)->base);
    return order ? order : strcmp((*x)->name, (*y)->name);
}

static int by_base_and_symbol(const void *a, const void *b)
{
    const struct weir_cuda_node *const *x = a, *const *y = b;
    int order = strcmp((*x)->base, (*y)->base);
    if (!order)
        order = strcmp((*x)->symbol, (*y)->symbol);
    return order ? order : *x < *y ? -1 : *x > *y;
}

static bool make_index(const struct weir_cuda *c, struct index *index)
{
    const struct weir_kernel_times *t = &c->times;
    index->entries = weir_array(t->count, sizeof *index->entries);
    index->kernels = weir_array(c->count, sizeof *index->kernels);
    if (!index->entries || !index->kernels)
        return false;
    for (size_t i = 0; i < c->count; i++)
        if (c->nodes[i].kind == WEIR_CUDA_KERNEL && c->nodes[i].base)
            index->kernels[index->kernel_count++] = &c->nodes[i];
    if (index->kernel_count)
        qsort(index->kernels, index->kernel_count, sizeof *index->kernels, by_base_and_symbol);
    for (size_t i = 0; i < t->count; i++)
        if (t->entries[i].base && strncmp(t->entries[i].name, "_Z", 2) != 0)
            index->entries[index->count++] = &t->entries[i];
    if (index->count)
        qsort(index->entries, index->count, sizeof *index->entries, by_base);
    return true;
}

static bool entry_before(const void *entry, const void *base)
{
    return strcmp((*(const struct weir_kernel_entry *const *)entry)->base, base) < 0;
}

/* The first entry of that plain name; index->count when there is none. */
static size_t find_base(const struct index *index, const char *base)
{
    size_t low = weir_count_before(index->entries, index->count, sizeof *index->entries, entry_before, base);
    return low < index->count && strcmp(index->entries[low]->base, base) == 0 ? low : index->count;
}

/* ---- nodes that are no kernels ---- */

static bool same_word(const char *name, const char *word)
{
    return strcasecmp(name, word) == 0;
}

/* "memcpy HtoD", "[CUDA memcpy HtoD]", "[CUDA memcpy Host-to-Device]" of a copy. */
static bool names_direction(const struct weir_cuda_node *node, const char *name)
{
    static const char *const shorts[] = {"HtoD", "DtoH", "DtoD", "HtoH"};
    static const char *const longs[] = {"Host-to-Device", "Device-to-Host", "Device-to-Device", "Host-to-Host"};
    char text[64];
    if (node->kind != WEIR_CUDA_COPY || !node->direction)
        return false;
    snprintf(text, sizeof text, "memcpy %s", node->direction);
    if (same_word(name, text))
        return true;
    snprintf(text, sizeof text, "[CUDA memcpy %s]", node->direction);
    if (same_word(name, text))
        return true;
    for (size_t i = 0; i < sizeof shorts / sizeof *shorts; i++) {
        snprintf(text, sizeof text, "[CUDA memcpy %s]", longs[i]);
        if (strcmp(node->direction, shorts[i]) == 0 && same_word(name, text))
            return true;
    }
    return false;
}

static const struct weir_kernel_entry *search_operation(const struct weir_kernel_times *t, const struct weir_cuda_node *node)
{
    const struct weir_kernel_entry *general = NULL;
    char text[64];
    snprintf(text, sizeof text, "[CUDA %s]", node->symbol);
    for (size_t i = 0; i < t->count; i++) {
        const char *name = t->entries[i].name;
        if (names_direction(node, name))
            return &t->entries[i];
        if (!general && (same_word(name, node->symbol) || same_word(name, text)))
            general = &t->entries[i];
    }
    return general;
}

/* The same, looked for once for each operation. */
static const struct weir_kernel_entry *find_operation(const struct weir_cuda *c, struct index *index,
                                                      const struct weir_cuda_node *node)
{
    const char *direction = node->direction ? node->direction : "";
    for (size_t i = 0; i < index->operation_count; i++)
        if (strcmp(index->operations[i].symbol, node->symbol) == 0 && strcmp(index->operations[i].direction, direction) == 0)
            return index->operations[i].entry;
    const struct weir_kernel_entry *entry = search_operation(&c->times, node);
    if (index->operation_count < OPERATIONS_MAX)
        index->operations[index->operation_count++] = (struct operation){node->symbol, direction, entry};
    return entry;
}

/* ---- kernels ---- */

static bool kernel_before(const void *kernel, const void *node)
{
    return strcmp((*(const struct weir_cuda_node *const *)kernel)->base, ((const struct weir_cuda_node *)node)->base) < 0;
}

static bool kernel_not_behind(const void *kernel, const void *node)
{
    const struct weir_cuda_node *k = *(const struct weir_cuda_node *const *)kernel, *n = node;
    int order = strcmp(k->base, n->base);
    return order < 0 || (order == 0 && strcmp(k->symbol, n->symbol) <= 0);
}

/* A kernel with the same plain name and another symbol; NULL when there is none. */
static const struct weir_cuda_node *find_rival(const struct index *index, const struct weir_cuda_node *node)
{
    const struct weir_cuda_node **kernels = index->kernels;
    size_t behind = weir_count_before(kernels, index->kernel_count, sizeof *kernels, kernel_not_behind, node);
    if (behind < index->kernel_count && strcmp(kernels[behind]->base, node->base) == 0)
        return kernels[behind];
    size_t first = weir_count_before(kernels, index->kernel_count, sizeof *kernels, kernel_before, node);
    return strcmp(kernels[first]->symbol, node->symbol) != 0 ? kernels[first] : NULL;
}

/* By the plain name; false after a mistake. */
static bool find_by_base(struct weir_cuda *c, const struct index *index, struct weir_cuda_node *node)
{
    char first[WEIR_QUOTED], second[WEIR_QUOTED];
    size_t at = node->base ? find_base(index, node->base) : index->count;
    if (at == index->count)
        return true;
    const struct weir_kernel_entry *entry = index->entries[at];
    const struct weir_kernel_entry *next = at + 1 < index->count ? index->entries[at + 1] : NULL;
    if (next && strcmp(next->base, node->base) == 0) {
        weir_draft_mistake(c->dot, node->place,
                           "the times have several kernels of this name, \"%s\" and \"%s\"; name them by their symbols (nsys stats "
                           "--report cuda_gpu_kern_sum:mangled)",
                           weir_quote(entry->name, first), weir_quote(next->name, second));
        return false;
    }
    const struct weir_cuda_node *rival = entry->whole ? NULL : find_rival(index, node);
    if (rival) {
        weir_draft_mistake(c->dot, node->place,
                           "\"%s\" of the times could be this kernel, or %s; name them by their symbols (nsys stats --report "
                           "cuda_gpu_kern_sum:mangled)",
                           weir_quote(entry->name, first), rival->id);
        return false;
    }
    node->entry = entry;
    return true;
}

static bool find_entry(struct weir_cuda *c, struct index *index, struct weir_cuda_node *node)
{
    char number[16];
    snprintf(number, sizeof number, "%u", node->number);
    node->entry = weir_kernel_times_find(&c->times, node->id);
    if (!node->entry && !c->several)
        node->entry = weir_kernel_times_find(&c->times, number);
    if (node->entry)
        return true;
    if (node->kind != WEIR_CUDA_KERNEL) {
        node->entry = find_operation(c, index, node);
        return true;
    }
    node->entry = weir_kernel_times_find(&c->times, node->symbol);
    return node->entry || find_by_base(c, index, node);
}

/* ---- all ---- */

static bool takes_time(const struct weir_cuda_node *node)
{
    return node->kind != WEIR_CUDA_EMPTY && node->kind != WEIR_CUDA_CHILD && node->kind != WEIR_CUDA_UNKNOWN;
}

static int by_symbol(const void *a, const void *b)
{
    const struct weir_cuda_node *const *x = a, *const *y = b;
    int order = strcmp((*x)->symbol, (*y)->symbol);
    return order ? order : *x < *y ? -1 : *x > *y;
}

/* One mistake for all nodes of a symbol. */
static void report_missing(struct weir_cuda *c, const struct weir_cuda_node **missing, size_t count)
{
    char quoted[WEIR_QUOTED], more[48];
    if (count)
        qsort(missing, count, sizeof *missing, by_symbol);
    for (size_t i = 0, end; i < count; i = end) {
        const struct weir_cuda_node *node = missing[i];
        for (end = i + 1; end < count && strcmp(missing[end]->symbol, node->symbol) == 0; end++)
            ;
        *more = 0;
        if (end - i > 1)
            snprintf(more, sizeof more, " (%zu nodes)", end - i);
        weir_draft_mistake(c->dot, node->place, "%s \"%s\" has no time%s: %s", node->kind == WEIR_CUDA_KERNEL ? "kernel" : "node",
                           weir_quote(node->symbol, quoted), more,
                           c->times.path ? "the file of --kernel-times does not name it"
                                         : "give it in a file, with --kernel-times");
    }
}

void weir_cuda_find_times(struct weir_cuda *c)
{
    struct index index = {.entries = NULL};
    const struct weir_cuda_node **missing = weir_array(c->count, sizeof *missing);
    size_t count = 0;
    if (!missing || !make_index(c, &index))
        c->dot->out_of_memory = true;
    for (size_t i = 0; i < c->count && !c->dot->out_of_memory; i++) {
        struct weir_cuda_node *node = &c->nodes[i];
        if (takes_time(node) && find_entry(c, &index, node) && !node->entry)
            missing[count++] = node;
    }
    if (!c->dot->out_of_memory)
        report_missing(c, missing, count);
    weir_free(missing);
    weir_free(index.entries);
    weir_free(index.kernels);
}
