/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Labels of nodes. Without details they are lines: the number of the node, then its kind, or of a kernel its symbol; more lines may
 * follow, such as handles and the grid. With details those of kernels, copies and sets are records of Graphviz, "{KERNEL | {ID | 7
 * (topoId: 1) | SYMBOL\<\<\<GRID,BLOCK,BYTES\>\>\>} | ...}", in which a backslash stands before each character that would end a
 * field.
 */
#include "read/cuda/cuda.h"

#include <string.h>

static const struct word {
    const char *word;
    enum weir_cuda_kind kind;
    const char *name;
} words[] = {
    {"KERNEL", WEIR_CUDA_KERNEL, NULL},
    {"MEMCPY", WEIR_CUDA_COPY, "memcpy"},
    {"MEMSET", WEIR_CUDA_SET, "memset"},
    {"EMPTY", WEIR_CUDA_EMPTY, "empty"},
    {"EVENT_RECORD", WEIR_CUDA_EMPTY, "event-record"},
    {"EVENT_WAIT", WEIR_CUDA_OTHER, "event-wait"},
    {"WAIT_EVENT", WEIR_CUDA_OTHER, "event-wait"},
    {"HOST", WEIR_CUDA_OTHER, "host"},
    {"MEM_ALLOC", WEIR_CUDA_OTHER, "mem-alloc"},
    {"MEM_FREE", WEIR_CUDA_OTHER, "mem-free"},
    {"BATCH_MEM_OP", WEIR_CUDA_OTHER, "batch-mem-op"},
    {"EXT_SEMAS_SIGNAL", WEIR_CUDA_OTHER, "semaphores-signal"},
    {"EXT_SEMAS_WAIT", WEIR_CUDA_OTHER, "semaphores-wait"},
    {"CONDITIONAL", WEIR_CUDA_UNKNOWN, "conditional"},
};

/* From `text` on, without what is not part of a value. */
static const char *skip_blank(const char *text)
{
    return text + strspn(text, " \t\r\n");
}

/* Copies `bytes` of text without the backslashes and the space around it; NULL when out of memory. */
static const char *plain(struct weir_cuda *c, const char *text, size_t bytes)
{
    char *copy = weir_arena_take(&c->dot->arena, bytes + 1);
    size_t used = 0;
    if (!copy) {
        c->dot->out_of_memory = true;
        return NULL;
    }
    for (size_t i = 0; i < bytes; i++) {
        if (text[i] == '\\' && i + 1 < bytes)
            i++;
        if (used || !strchr(" \t\r\n", text[i]))
            copy[used++] = text[i];
    }
    while (used && strchr(" \t\r\n", copy[used - 1]))
        used--;
    copy[used] = 0;
    return copy;
}

/* How far a field of a record goes: to "|", "{" or "}" without a backslash before it. */
static size_t field_bytes(const char *text)
{
    size_t i = 0;
    while (text[i] && !strchr("|{}", text[i]))
        i += text[i] == '\\' && text[i + 1] ? 2 : 1;
    return i;
}

/* The blocks of a grid: "1024", or "\{16,16,2\}"; 0 when there is none that can be counted. */
static uint64_t count_blocks(const char *text)
{
    uint64_t blocks = 1;
    bool braces = strncmp(text, "\\{", 2) == 0;
    for (text += braces ? 2 : 0;; text++) {
        uint64_t side = 0;
        size_t digits = strspn(text, "0123456789");
        for (size_t i = 0; i < digits && i < 11; i++)
            side = side * 10 + (uint64_t)(text[i] - '0');
        if (digits == 0 || digits > 10 || __builtin_mul_overflow(blocks, side, &blocks))
            return 0;
        text += digits;
        if (!braces || *text != ',')
            break;
    }
    return *text == (braces ? '\\' : ',') ? blocks : 0;
}

/* The number behind "graph_" where that is all; UINT32_MAX: it is not. */
static uint32_t graph_number(const char *text)
{
    uint32_t number = 0;
    size_t digits = strncmp(text, "graph_", 6) == 0 ? strspn(text + 6, "0123456789") : 0;
    if (digits == 0 || digits > 9 || text[6 + digits])
        return UINT32_MAX;
    for (size_t i = 0; i < digits; i++)
        number = number * 10 + (uint32_t)(text[6 + i] - '0');
    return number;
}

/* "HtoD", from "(HtoD,1048576)" or "{kind | HtoD (HOST PINNED to DEVICE)}". */
static void read_direction(struct weir_cuda *c, struct weir_cuda_node *node, const char *label)
{
    const char *to = strstr(label, "to");
    for (; to; to = strstr(to + 1, "to"))
        if (to > label && strchr("HDA", to[-1]) && to[2] && strchr("HDA", to[2])) {
            node->direction = plain(c, to - 1, 4);
            return;
        }
}

static void set_kind(struct weir_cuda *c, struct weir_cuda_node *node, const char *word, bool kernel)
{
    node->kind = WEIR_CUDA_UNKNOWN;
    node->symbol = word;
    if (kernel) {
        node->kind = WEIR_CUDA_KERNEL;
        node->base = weir_kernel_base(c->dot, &c->dot->arena, word);
        return;
    }
    if (graph_number(word) != UINT32_MAX) {
        node->kind = WEIR_CUDA_CHILD;
        node->child = graph_number(word);
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(word, words[i].word) == 0 && words[i].name) {
            node->kind = words[i].kind;
            node->symbol = words[i].name;
        }
}

/* "{KERNEL | {ID | 7 (topoId: 1) | SYMBOL..."; "{\nMEMCPY\n| ..." */
static void read_record(struct weir_cuda *c, struct weir_cuda_node *node, const char *label)
{
    const char *text = skip_blank(label + 1);
    const char *word = plain(c, text, field_bytes(text));
    if (!word)
        return;
    if (strcmp(word, "KERNEL") != 0) {
        set_kind(c, node, word, false);
        return;
    }
    const char *id = strstr(text, "{ID");
    for (int i = 0; id && i < 2; i++) {
        id = strchr(id, '|');
        id = id ? id + 1 : NULL;
    }
    size_t bytes = id ? field_bytes(id) : 0;
    const char *launch = id ? strstr(id, "\\<\\<\\<") : NULL;
    if (launch && (size_t)(launch - id) < bytes)
        bytes = (size_t)(launch - id);
    const char *symbol = plain(c, id ? id : "", bytes);
    if (symbol)
        set_kind(c, node, symbol, true);
}

void weir_cuda_read_label(struct weir_cuda *c, struct weir_cuda_node *node, const char *label, const char *shape)
{
    const char *text = skip_blank(label);
    if (*text == '{') {
        read_record(c, node, text);
    } else {
        const char *line = strchr(text, '\n');
        line = line ? skip_blank(line) : "";
        const char *word = plain(c, line, strcspn(line, "\n"));
        bool bold = shape && strcmp(shape, "octagon") == 0;
        bool known = word && !shape && graph_number(word) == UINT32_MAX;
        for (size_t i = 0; known && i < sizeof words / sizeof *words; i++)
            known = strcmp(word, words[i].word) != 0;
        if (word)
            set_kind(c, node, word, bold || known);
    }
    if (c->dot->out_of_memory)
        return;
    const char *launch = strstr(text, "\\<\\<\\<");
    if (node->kind == WEIR_CUDA_KERNEL && launch)
        node->blocks = count_blocks(launch + 6);
    if (node->kind == WEIR_CUDA_COPY)
        read_direction(c, node, text);
}
