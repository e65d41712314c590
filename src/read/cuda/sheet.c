/* SPDX-License-Identifier: Apache-2.0 */
/* A sheet: which kernels an object has, in what shape and with what arguments they are launched. It becomes lines of a plan. */
#include "read/cuda/sheet.h"

#include "read/yaml/value.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SHEET_BYTES_MAX (UINT64_C(4) << 20)
#define BUFFER_BYTES_MAX (UINT64_C(1) << 40)

struct reader {
    struct weir_draft draft;
    struct weir_gpu_sheet *sheet;
    FILE *out;
    const struct weir_yaml_node *buffers;
};

typedef const struct weir_yaml_node *node;

/* Reports keys that are not among the words. */
static bool check_keys(struct reader *r, node map, const char *what, const char *const *words, size_t count)
{
    char quoted[WEIR_QUOTED], near[WEIR_HINT];
    bool good = true;
    if (map->kind != WEIR_YAML_MAP) {
        weir_draft_mistake(&r->draft, map->place, "%s must be a mapping, not %s", what, weir_yaml_kind_name(map));
        return false;
    }
    for (node key = map->first; key; key = key->next->next) {
        size_t i = 0;
        while (i < count && (key->kind != WEIR_YAML_SCALAR || strcmp(words[i], key->text) != 0))
            i++;
        good &= i < count;
        if (i == count)
            weir_draft_mistake(&r->draft, key->place, "%s has no key \"%s\"%s", what,
                               weir_quote(key->kind == WEIR_YAML_SCALAR ? key->text : "", quoted),
                               key->kind == WEIR_YAML_SCALAR ? weir_hint_word(key->text, words, count, near) : "");
    }
    return good;
}

/* A whole number, with KiB, MiB or GiB behind it where sizes are meant. */
static uint64_t read_size(struct reader *r, node value, const char *what, uint64_t least, uint64_t most)
{
    static const char *const units[] = {"", "KiB", "MiB", "GiB"};
    char quoted[WEIR_QUOTED], *end = quoted;
    bool number = value->kind == WEIR_YAML_SCALAR && *value->text >= '0' && *value->text <= '9';
    errno = 0;
    uint64_t size = number ? strtoull(value->text, &end, 10) : 0;
    unsigned unit = 0;
    while (number && *end == ' ')
        end++;
    while (number && unit < 4 && strcmp(end, units[unit]) != 0)
        unit++;
    if (!number || errno || unit == 4 || size > most >> 10 * unit || (size <<= 10 * unit) < least) {
        weir_draft_mistake(&r->draft, value->place, "%s must be a whole number from %llu to %llu%s, not \"%s\"", what,
                           (unsigned long long)least, (unsigned long long)most,
                           most == BUFFER_BYTES_MAX ? ", as it is or in KiB, MiB or GiB" : "",
                           weir_quote(value->kind == WEIR_YAML_SCALAR ? value->text : weir_yaml_kind_name(value), quoted));
        return least;
    }
    return size;
}

/* The path of a file that the sheet names, from where the program runs. */
static const char *resolve(struct reader *r, node file)
{
    const char *path = file->text;
    if (!weir_text_is_name(path, strlen(path))) {
        weir_draft_mistake(&r->draft, file->place, "this is not the path of a file");
        return "";
    }
    const char *slash = strrchr(r->sheet->path, '/');
    size_t folder = slash && *path != '/' ? (size_t)(slash - r->sheet->path) + 1 : 0, bytes = strlen(path) + 1;
    char *whole = weir_arena_take(&r->sheet->arena, folder + bytes);
    r->draft.out_of_memory |= !whole;
    if (!whole)
        return "";
    memcpy(whole, r->sheet->path, folder);
    memcpy(whole + folder, path, bytes);
    return whole;
}

/* ---- buffers ---- */

static void read_buffer(struct reader *r, node key)
{
    static const char *const keys[] = {"bytes", "fill", "file"}, *const fills[] = {"zeros", "bytes", "floats"};
    node value = key->next, bytes = value, fill = NULL, file = NULL;
    char quoted[WEIR_QUOTED], near[WEIR_HINT];
    size_t kind = 0;
    if (!weir_yaml_name(&r->draft, key, "a buffer"))
        return;
    if (value->kind == WEIR_YAML_MAP) {
        if (!check_keys(r, value, "a buffer", keys, 3))
            return;
        bytes = weir_yaml_find(value, "bytes");
        fill = weir_yaml_find(value, "fill");
        file = weir_yaml_find(value, "file");
    }
    if (!bytes) {
        weir_draft_mistake(&r->draft, value->place, "buffer \"%s\" needs \"bytes\"", weir_quote(key->text, quoted));
        return;
    }
    const char *word = fill ? weir_yaml_text(&r->draft, fill, "fill", "zeros, bytes or floats") : fills[0];
    while (word && kind < 3 && strcmp(word, fills[kind]) != 0)
        kind++;
    if (word && kind == 3)
        weir_draft_mistake(&r->draft, fill->place, "\"fill\" must be zeros, bytes or floats, not \"%s\"%s",
                           weir_quote(word, quoted), weir_hint_word(word, fills, 3, near));
    const char *path = file ? weir_yaml_text(&r->draft, file, "file", "the path of a file") : NULL;
    if (file && fill)
        weir_draft_mistake(&r->draft, file->place, "a buffer has either \"fill\" or \"file\"");
    fprintf(r->out, "buffer %llu %s %s\n", (unsigned long long)read_size(r, bytes, "\"bytes\"", 1, BUFFER_BYTES_MAX),
            path ? "file" : fills[kind % 3], path ? resolve(r, file) : "-");
}

/* ---- kernels ---- */

/* "grid" or "block": one number, or up to three. */
static void read_shape(struct reader *r, node kernel, const char *what, uint64_t most)
{
    node value = weir_yaml_find(kernel, what), item;
    char quoted[16];
    unsigned given = 0;
    snprintf(quoted, sizeof quoted, "\"%s\"", what);
    if (!value) {
        weir_draft_mistake(&r->draft, kernel->place, "a kernel needs \"%s\"", what);
        return;
    }
    bool list = value->kind == WEIR_YAML_LIST;
    for (item = list ? value->first : value; item && given < 3; item = list ? item->next : NULL, given++)
        fprintf(r->out, " %llu", (unsigned long long)read_size(r, item, quoted, 1, most));
    if (item || given == 0)
        weir_draft_mistake(&r->draft, value->place, "\"%s\" needs one to three numbers", what);
    for (; given < 3; given++)
        fputs(" 1", r->out);
}

static void write_hex(struct reader *r, size_t kernel, const void *value, size_t bytes)
{
    const unsigned char *byte = value;
    fprintf(r->out, "argument %zu value ", kernel);
    for (size_t i = 0; i < bytes; i++)
        fprintf(r->out, "%02x", byte[i]);
    fputc('\n', r->out);
}

/* {int: 5}: a number of a type of C. */
static void read_number(struct reader *r, size_t kernel, node map)
{
    static const char *const types[] = {"int", "uint", "long", "ulong", "float", "double"};
    char quoted[WEIR_QUOTED], *end = NULL;
    size_t type = 0;
    if (!check_keys(r, map, "an argument", types, 6) || !map->first || map->first->next->next) {
        weir_draft_mistake(&r->draft, map->place, "an argument must be the name of a buffer, or a number as in {int: 5}");
        return;
    }
    const char *text = weir_yaml_number(&r->draft, map->first->next, map->first->text, "a number");
    while (type < 6 && strcmp(types[type], map->first->text) != 0)
        type++;
    if (!text || type == 6)
        return;
    errno = 0;
    long long whole = type < 4 && type != 3 ? strtoll(text, &end, 0) : 0;
    unsigned long long natural = type == 3 ? strtoull(text, &end, 0) : 0;
    double real = type > 3 ? strtod(text, &end) : 0;
    int32_t small = (int32_t)whole;
    uint32_t unsign = (uint32_t)whole;
    float single = (float)real;
    const struct {
        const void *at;
        size_t bytes;
    } values[] = {{&small, 4}, {&unsign, 4}, {&whole, 8}, {&natural, 8}, {&single, 4}, {&real, 8}};
    bool fits = (type != 0 || whole == small) && (type != 1 || whole == (long long)unsign) && (type != 3 || *text != '-');
    if (errno || end == text || *end || !fits)
        weir_draft_mistake(&r->draft, map->first->next->place, "\"%s\" is not a valid %s in C", weir_quote(text, quoted),
                           types[type]);
    else
        write_hex(r, kernel, values[type].at, values[type].bytes);
}

static void read_argument(struct reader *r, size_t kernel, node argument)
{
    char quoted[WEIR_QUOTED];
    size_t buffer = 0;
    if (argument->kind != WEIR_YAML_SCALAR) {
        read_number(r, kernel, argument);
        return;
    }
    node key = r->buffers ? r->buffers->first : NULL;
    for (; key && (key->kind != WEIR_YAML_SCALAR || strcmp(key->text, argument->text) != 0); key = key->next->next)
        buffer++;
    if (key)
        fprintf(r->out, "argument %zu buffer %zu\n", kernel, buffer);
    else
        weir_draft_mistake(&r->draft, argument->place, "there is no buffer \"%s\"; a number has its type, as in {int: 5}",
                           weir_quote(argument->text, quoted));
}

static bool is_symbol(const char *text)
{
    return *text && text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$.")] == '\0';
}

static void read_kernel(struct reader *r, node key)
{
    static const char *const keys[] = {"entry", "grid", "block", "shared", "arguments", "memory"};
    struct weir_gpu_sheet *sheet = r->sheet;
    node body = key->next;
    char quoted[WEIR_QUOTED];
    if (!weir_yaml_name(&r->draft, key, "a kernel") || !check_keys(r, body, "a kernel", keys, 6))
        return;
    if (weir_gpu_sheet_find(sheet, key->text) < sheet->kernel_count)
        weir_draft_mistake(&r->draft, key->place, "kernel \"%s\" is there twice", weir_quote(key->text, quoted));
    node entry = weir_yaml_find(body, "entry"), shared = weir_yaml_find(body, "shared"),
         arguments = weir_yaml_find(body, "arguments"), memory = weir_yaml_find(body, "memory");
    const char *symbol = entry ? weir_yaml_text(&r->draft, entry, "entry", "the name of a function") : key->text;
    if (symbol && !is_symbol(symbol))
        weir_draft_mistake(&r->draft, entry ? entry->place : key->place, "\"%s\" is not the name of a function%s",
                           weir_quote(symbol, quoted), entry ? "" : "; say which in \"entry\"");
    fputs("kernel", r->out);
    read_shape(r, body, "grid", UINT64_C(2147483647));
    read_shape(r, body, "block", 1024);
    fprintf(r->out, " %llu %s %s\n", (unsigned long long)(shared ? read_size(r, shared, "\"shared\"", 0, 1 << 20) : 0),
            symbol ? symbol : "", key->text);
    if (arguments && weir_yaml_expect(&r->draft, arguments, WEIR_YAML_LIST, "arguments", "a list"))
        for (node item = arguments->first; item; item = item->next)
            read_argument(r, sheet->kernel_count, item);
    sheet->memory[sheet->kernel_count] = memory ? read_size(r, memory, "\"memory\"", 1, BUFFER_BYTES_MAX) : 0;
    sheet->kernels[sheet->kernel_count] = weir_arena_text(&sheet->arena, key->text);
    r->draft.out_of_memory |= !sheet->kernels[sheet->kernel_count++];
}

/* ---- all ---- */

static size_t count_items(node list)
{
    size_t count = 0;
    for (node item = list ? list->first : NULL; item; item = item->next)
        count++;
    return count;
}

static void read_dependencies(struct reader *r, node list)
{
    struct weir_gpu_sheet *sheet = r->sheet;
    if (!weir_yaml_expect(&r->draft, list, WEIR_YAML_LIST, "dependencies", "a list"))
        return;
    for (node item = list->first; item; item = item->next) {
        const char *text = weir_yaml_text(&r->draft, item, "dependencies", "a list of texts such as \"a -> b\"");
        if (text && !(sheet->dependencies[sheet->dependency_count++] = weir_arena_text(&sheet->arena, text)))
            r->draft.out_of_memory = true;
    }
}

static void read_all(struct reader *r, node root)
{
    static const char *const keys[] = {"name", "object", "buffers", "kernels", "dependencies"};
    struct weir_gpu_sheet *sheet = r->sheet;
    if (!root || !check_keys(r, root, "a file of launches", keys, 5)) {
        if (!root && !r->draft.mistakes)
            weir_draft_mistake(&r->draft, (struct weir_place){1, 1}, "expected \"object\" and \"kernels\"");
        return;
    }
    node name = weir_yaml_find(root, "name"), object = weir_yaml_find(root, "object"), kernels = weir_yaml_find(root, "kernels");
    node dependencies = weir_yaml_find(root, "dependencies");
    r->buffers = weir_yaml_find(root, "buffers");
    sheet->kernels = weir_arena_array(&sheet->arena, count_items(kernels) + 1, sizeof *sheet->kernels);
    sheet->memory = weir_arena_array(&sheet->arena, count_items(kernels) + 1, sizeof *sheet->memory);
    sheet->dependencies = weir_arena_array(&sheet->arena, count_items(dependencies) + 1, sizeof *sheet->dependencies);
    if (!sheet->kernels || !sheet->memory || !sheet->dependencies) {
        r->draft.out_of_memory = true;
        return;
    }
    if (!object || !kernels)
        weir_draft_mistake(&r->draft, root->place, "a file of launches needs \"%s\"", object ? "kernels" : "object");
    const char *title = name ? weir_yaml_text(&r->draft, name, "name", "text") : NULL;
    sheet->name = title ? weir_arena_text(&sheet->arena, title) : NULL;
    const char *path = object ? weir_yaml_text(&r->draft, object, "object", "the path of a file") : NULL;
    if (path)
        fprintf(r->out, "object %s\n", resolve(r, object));
    if (r->buffers && weir_yaml_expect(&r->draft, r->buffers, WEIR_YAML_MAP, "buffers", "a mapping from names to sizes"))
        for (node key = r->buffers->first; key; key = key->next->next)
            read_buffer(r, key);
    else
        r->buffers = NULL;
    if (kernels && weir_yaml_expect(&r->draft, kernels, WEIR_YAML_MAP, "kernels", "a mapping from names to launches"))
        for (node key = kernels->first; key && !r->draft.out_of_memory; key = key->next->next)
            read_kernel(r, key);
    if (dependencies)
        read_dependencies(r, dependencies);
    if (kernels && !sheet->kernel_count && !r->draft.mistakes)
        weir_draft_mistake(&r->draft, kernels->place, "there are no kernels");
}

size_t weir_gpu_sheet_find(const struct weir_gpu_sheet *sheet, const char *kernel)
{
    size_t i = 0;
    while (i < sheet->kernel_count && strcmp(sheet->kernels[i], kernel) != 0)
        i++;
    return i;
}

static struct weir_gpu_sheet *open_sheet(const char *path)
{
    struct weir_gpu_sheet *sheet = weir_array_zeroed(1, sizeof *sheet);
    if (sheet && !(sheet->path = weir_arena_text(&sheet->arena, path))) {
        weir_gpu_sheet_free(sheet);
        return NULL;
    }
    return sheet;
}

enum weir_status weir_gpu_sheet_read(const char *path, struct weir_gpu_sheet **sheet, struct weir_errors *errors)
{
    const struct weir_read_options options = {0};
    struct reader r = {.draft = {.file = path, .options = &options, .errors = errors}, .sheet = open_sheet(path)};
    struct weir_arena tree = {0};
    struct weir_file_text text = {0};
    char *lines = NULL;
    size_t bytes = 0;
    enum weir_status status = weir_draft_init(&r.draft) ? WEIR_OK : WEIR_MEMORY;
    *sheet = NULL;
    r.out = open_memstream(&lines, &bytes);
    r.draft.out_of_memory |= !r.sheet || !r.out;
    if (!status && !r.draft.out_of_memory)
        status = weir_draft_read_text(&r.draft, path, SHEET_BYTES_MAX, "launches", &text);
    if (!status && !r.draft.out_of_memory)
        read_all(&r, weir_yaml_parse(&r.draft, &text, &tree, false));
    if (r.out && fclose(r.out))
        r.draft.out_of_memory = true;
    if (!status && !r.draft.mistakes && !r.draft.out_of_memory &&
        !(r.sheet->text = weir_arena_bytes(&r.sheet->arena, lines, bytes)))
        r.draft.out_of_memory = true;
    if (!status && r.draft.mistakes)
        status = WEIR_INVALID;
    free(lines);
    weir_free(text.owned);
    weir_arena_free(&tree);
    r.draft.file = path;
    status = weir_draft_finish(&r.draft, status);
    if (status)
        weir_gpu_sheet_free(r.sheet);
    else
        *sheet = r.sheet;
    return status;
}

void weir_gpu_sheet_free(struct weir_gpu_sheet *sheet)
{
    if (sheet)
        weir_arena_free(&sheet->arena);
    weir_free(sheet);
}
