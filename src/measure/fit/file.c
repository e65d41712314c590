/* SPDX-License-Identifier: Apache-2.0 */
/* From a file to fits: its bytes, its observations, block by block. */
#include "measure/fit/fit.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What is asked of observations before a fit is trusted. */
enum { COUNT_MIN = 5, SIZES_MIN = 3, SPAN_MIN = 4 };
#define R2_MIN 0.8

struct owner {
    struct weir_fits fits; /* first: freeing begins from it */
    struct weir_arena arena;
};

/* ---- the bytes ---- */

static enum weir_status fail_io(struct weir_draft *d, int code)
{
    char reason[128];
    if (strerror_r(code, reason, sizeof reason) != 0)
        snprintf(reason, sizeof reason, "error %d", code);
    return weir_errors_add(d->errors, WEIR_IO, d->file, (struct weir_place){0, 0}, "cannot read this file: %s", reason);
}

/* Ends early at a NUL, behind which nothing is read anyway. */
static enum weir_status load(struct weir_draft *d, int descriptor, void **bytes, size_t *size)
{
    size_t capacity = 0;
    for (;;) {
        if (*size > WEIR_READ_YAML_BYTES_MAX)
            return weir_errors_add(d->errors, WEIR_INVALID, d->file, (struct weir_place){0, 0},
                                   "this file is too large: the most is %u MiB", (unsigned)(WEIR_READ_YAML_BYTES_MAX >> 20));
        if (!weir_reserve(bytes, &capacity, *size + 4096, 1)) {
            d->out_of_memory = true;
            return WEIR_OK;
        }
        char *end = (char *)*bytes + *size;
        ssize_t got = read(descriptor, end, capacity - *size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail_io(d, errno);
        *size += (size_t)got;
        if (got == 0 || memchr(end, 0, (size_t)got))
            return WEIR_OK;
    }
}

static void read_rows(struct weir_fit_rows *rows, struct weir_file_text *text)
{
    struct weir_draft *d = rows->draft;
    if (!weir_text_check(d, text))
        return;
    size_t first = 0;
    while (first < text->size && strchr(" \t\r\n", text->bytes[first]))
        first++;
    if (first < text->size && text->bytes[first] == '{')
        weir_fit_read_json(rows, text);
    else
        weir_fit_read_lines(rows, text);
    if (rows->count == 0 && d->mistakes == 0 && !d->out_of_memory)
        weir_draft_mistake(d, (struct weir_place){1, 1}, "there are no observations here: expected lines of block,samples,ns");
}

static enum weir_status read_file(const char *path, struct weir_fit_rows *rows)
{
    struct weir_draft *d = rows->draft;
    bool standard = strcmp(path, "-") == 0;
    void *bytes = NULL;
    struct weir_file_text text = {0};
    int descriptor = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return fail_io(d, errno);
    enum weir_status status = load(d, descriptor, &bytes, &text.size);
    if (status == WEIR_OK && !d->out_of_memory) {
        text.bytes = bytes;
        read_rows(rows, &text);
    }
    weir_resize(bytes, 0);
    if (!standard)
        close(descriptor);
    return status;
}

/* ---- blocks ---- */

static int by_block(const void *left, const void *right)
{
    const struct weir_fit_row *a = left, *b = right;
    int order = a->block == b->block ? 0 : strcmp(a->block, b->block);
    return order ? order : a->order < b->order ? -1 : a->order > b->order;
}

static int by_samples(const void *left, const void *right)
{
    const struct weir_fit_sample *a = left, *b = right;
    return a->samples < b->samples ? -1 : a->samples > b->samples;
}

/* The rows of one block lie together; the blocks are wanted in the order of the file. */
struct block {
    const struct weir_fit_row *rows;
    size_t count;
};

static int by_order(const void *left, const void *right)
{
    const struct block *a = left, *b = right;
    return a->rows->order < b->rows->order ? -1 : a->rows->order > b->rows->order;
}

static bool warn(struct weir_arena *arena, struct weir_fit *fit, const char *format, ...) WEIR_PRINTF(3, 4);
static bool warn(struct weir_arena *arena, struct weir_fit *fit, const char *format, ...)
{
    char text[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fit->warning = weir_arena_text(arena, text);
    return fit->warning != NULL;
}

/* The first thing to mind, if there is one. */
static bool judge(struct weir_arena *arena, const struct weir_fit_sample *sorted, struct weir_fit *fit)
{
    size_t sizes = 1, n = fit->count;
    for (size_t i = 1; i < n; i++)
        sizes += sorted[i].samples != sorted[i - 1].samples;
    if (sizes == 1)
        return warn(arena, fit, "all observations are of one size: all of the cost is taken to be per sample");
    if (n < COUNT_MIN)
        return warn(arena, fit, "%zu observations are too few: %d are the least to trust a fit", n, (int)COUNT_MIN);
    if (sizes < SIZES_MIN)
        return warn(arena, fit, "%zu sizes are too few: %d are the least to see whether the cost is linear", sizes, (int)SIZES_MIN);
    if (sorted[n - 1].samples / SPAN_MIN < sorted[0].samples)
        return warn(arena, fit, "the sizes lie close together, from %lld to %lld samples: let the largest be %d times the smallest",
                    (long long)sorted[0].samples, (long long)sorted[n - 1].samples, (int)SPAN_MIN);
    if (fit->r2 < R2_MIN)
        return warn(arena, fit, "a line explains only %d %% of what was measured: the cost is not linear, or was disturbed",
                    (int)(100 * fit->r2));
    fit->trusted = true;
    return true;
}

static bool fit_block(struct owner *owner, const struct block *block, struct weir_fit *fit)
{
    size_t n = block->count;
    struct weir_fit_sample *kept = weir_arena_take(&owner->arena, n * sizeof *kept), *sorted = weir_array(n, sizeof *sorted);
    *fit = (struct weir_fit){.block = weir_arena_text(&owner->arena, block->rows->block), .count = n, .observations = kept};
    bool good = kept && sorted && fit->block;
    if (good) {
        for (size_t i = 0; i < n; i++)
            sorted[i] = kept[i] = block->rows[i].sample;
        qsort(sorted, n, sizeof *sorted, by_samples);
        good = weir_fit_line(sorted, n, fit) && weir_fit_envelope(sorted, n, fit) && judge(&owner->arena, sorted, fit);
    }
    weir_resize(sorted, 0);
    return good;
}

static size_t find_blocks(struct weir_fit_rows *rows, struct block *blocks)
{
    size_t count = 0;
    assert(rows->rows); /* a file without observations is a mistake */
    qsort(rows->rows, rows->count, sizeof *rows->rows, by_block);
    for (size_t i = 0; i < rows->count; i++) {
        const struct weir_fit_row *row = &rows->rows[i];
        if (count && strcmp(blocks[count - 1].rows->block, row->block) == 0)
            blocks[count - 1].count++;
        else
            blocks[count++] = (struct block){row, 1};
    }
    qsort(blocks, count, sizeof *blocks, by_order);
    return count;
}

static bool fit_rows(struct weir_fit_rows *rows, struct weir_fits **result)
{
    struct owner *owner = weir_array_zeroed(1, sizeof *owner);
    struct block *blocks = weir_array(rows->count, sizeof *blocks);
    size_t count = blocks ? find_blocks(rows, blocks) : 0;
    struct weir_fit *fits = owner && blocks ? weir_arena_take(&owner->arena, count * sizeof *fits) : NULL;
    bool good = fits != NULL;
    for (size_t i = 0; good && i < count; i++)
        good = fit_block(owner, &blocks[i], &fits[i]);
    weir_resize(blocks, 0);
    if (!good) {
        if (owner)
            weir_fits_free(&owner->fits);
        return false;
    }
    owner->fits = (struct weir_fits){fits, count};
    *result = &owner->fits;
    return true;
}

enum weir_status weir_fit_file(const char *path, struct weir_fits **fits, struct weir_errors *errors)
{
    static const struct weir_read_options options = {0};
    struct weir_draft draft = {.file = strcmp(path, "-") == 0 ? "<stdin>" : path, .options = &options, .errors = errors};
    struct weir_fit_rows rows = {.draft = &draft};
    enum weir_status status = WEIR_OK;
    *fits = NULL;
    if (weir_draft_init(&draft))
        status = read_file(path, &rows);
    if (status == WEIR_OK && !draft.out_of_memory && draft.mistakes)
        status = WEIR_INVALID;
    if (status == WEIR_OK && !draft.out_of_memory && !fit_rows(&rows, fits))
        draft.out_of_memory = true;
    if (draft.out_of_memory)
        status = weir_errors_add(errors, WEIR_MEMORY, draft.file, (struct weir_place){0, 0}, "out of memory");
    weir_errors_sort(errors);
    weir_resize(rows.rows, 0);
    weir_draft_free(&draft);
    return status;
}

void weir_fits_free(struct weir_fits *fits)
{
    if (!fits)
        return;
    struct owner *owner = (struct owner *)fits;
    weir_arena_free(&owner->arena);
    weir_resize(owner, 0);
}
