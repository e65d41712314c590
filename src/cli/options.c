/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"
#include "base/map.h"
#include "cli.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *weir_nearest(const char *word, const char *const *words, size_t count)
{
    size_t limit = 1 + strlen(word) / 3;
    const char *nearest = NULL;
    for (size_t i = 0; i < count; i++) {
        size_t edits = weir_edit_distance(word, words[i]);
        /* A beginning of the word counts as a short way to it. */
        if (word[0] && strncmp(word, words[i], strlen(word)) == 0)
            edits = 1;
        if (edits <= limit) {
            limit = edits - (edits > 0);
            nearest = words[i];
        }
    }
    return nearest;
}

/* One option on the command line: what was written, and the value attached to it, if any. */
struct given {
    const char *text;  /* the whole argument, for messages */
    const char *value; /* NULL: not attached */
};

static bool set_number(const struct weir_arguments *arguments, const struct weir_option *option, const char *text)
{
    uint64_t number = 0;
    bool good = *text != 0;
    for (const char *c = text; *c && good; c++) {
        good = *c >= '0' && *c <= '9' && !__builtin_mul_overflow(number, (uint64_t)10, &number) &&
               !__builtin_add_overflow(number, (uint64_t)(*c - '0'), &number);
    }
    if (!good || number < option->low || number > option->high) {
        weir_complain_usage(arguments->verb, "--%s takes a whole number from %llu to %llu, not '%s'", option->name,
                            (unsigned long long)option->low, (unsigned long long)option->high, text);
        return false;
    }
    *(uint64_t *)option->value = number;
    return true;
}

static bool add_to_list(struct weir_option_list *list, const char *text)
{
    const char **grown = realloc(list->items, (list->count + 1) * sizeof *grown);
    if (!grown) {
        weir_complain("out of memory");
        return false;
    }
    list->items = grown;
    list->items[list->count++] = text;
    return true;
}

/* `next` is where the following argument stands; it is moved on when it is this option's value. */
static bool apply(const struct weir_arguments *arguments, const struct weir_option *option, struct given given, size_t *next)
{
    if (option->kind == WEIR_OPTION_FLAG) {
        if (given.value) {
            weir_complain_usage(arguments->verb, "--%s takes no value, but '%s' gives one", option->name, given.text);
            return false;
        }
        *(bool *)option->value = true;
        return true;
    }
    if (!given.value) {
        if (*next == arguments->count) {
            weir_complain_usage(arguments->verb, "%s needs a value", given.text);
            return false;
        }
        given.value = arguments->items[(*next)++];
    }
    if (option->kind == WEIR_OPTION_NUMBER)
        return set_number(arguments, option, given.value);
    if (option->kind == WEIR_OPTION_LIST)
        return add_to_list(option->value, given.value);
    *(const char **)option->value = given.value;
    return true;
}

static bool unknown(const struct weir_arguments *arguments, const char *text, const struct weir_option *options, size_t count)
{
    enum { MOST = 32 };
    const char *names[MOST] = {"help"}, *nearest = NULL;
    char word[MOST];
    size_t names_count = 1;
    for (size_t i = 0; i < count && names_count < MOST; i++)
        names[names_count++] = options[i].name;
    size_t length = strcspn(text, "=");
    if (text[1] == '-' && length < sizeof word + 2) {
        memcpy(word, text + 2, length - 2);
        word[length - 2] = 0;
        nearest = weir_nearest(word, names, names_count);
    }
    if (nearest)
        weir_complain_usage(arguments->verb, "unknown option '%.*s'; did you mean '--%s'?", (int)length, text, nearest);
    else
        weir_complain_usage(arguments->verb, "unknown option '%.*s'", (int)length, text);
    return false;
}

static bool parse_long(const struct weir_arguments *arguments, const struct weir_option *options, size_t count, size_t *next)
{
    const char *text = arguments->items[*next - 1], *name = text + 2;
    size_t length = strcspn(name, "=");
    for (size_t i = 0; i < count; i++)
        if (strlen(options[i].name) == length && memcmp(options[i].name, name, length) == 0)
            return apply(arguments, &options[i], (struct given){text, name[length] ? name + length + 1 : NULL}, next);
    return unknown(arguments, text, options, count);
}

static bool parse_letters(const struct weir_arguments *arguments, const struct weir_option *options, size_t count, size_t *next)
{
    const char *text = arguments->items[*next - 1];
    for (const char *letter = text + 1; *letter; letter++) {
        const struct weir_option *option = NULL;
        for (size_t i = 0; i < count && !option; i++)
            option = options[i].letter == *letter ? &options[i] : NULL;
        if (!option)
            return unknown(arguments, text, options, count);
        if (option->kind != WEIR_OPTION_FLAG)
            return apply(arguments, option, (struct given){text, letter[1] ? letter + 1 : NULL}, next);
        *(bool *)option->value = true;
    }
    return true;
}

bool weir_options_parse(struct weir_arguments *arguments, const struct weir_option *options, size_t count)
{
    size_t operands = 0;
    for (size_t next = 0; next < arguments->count;) {
        char *text = arguments->items[next++];
        if (text[0] != '-' || !text[1]) {
            arguments->items[operands++] = text;
        } else if (strcmp(text, "--") == 0) {
            while (next < arguments->count)
                arguments->items[operands++] = arguments->items[next++];
        } else if (!(text[1] == '-' ? parse_long : parse_letters)(arguments, options, count, &next)) {
            return false;
        }
    }
    arguments->count = operands;
    return true;
}

char *weir_times_join(const char *time, const char *other)
{
    size_t room = (time ? strlen(time) : 0) + (other ? strlen(other) : 0) + 2;
    char *times = malloc(room);
    if (times)
        snprintf(times, room, "%s%s%s", time ? time : "", time && other ? "," : "", other ? other : "");
    return times;
}

bool weir_files_check(const struct weir_verb *verb, const struct weir_file_option *files, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (files[i].path && strcmp(files[i].path, "-") == 0) {
            weir_complain_usage(verb, "--%s: give a file; standard output is for the answer", files[i].name);
            return false;
        }
        for (size_t j = 0; j < i; j++)
            if (files[i].path && files[j].path && strcmp(files[i].path, files[j].path) == 0) {
                weir_complain_usage(verb, "%s cannot be two files at once", files[i].path);
                return false;
            }
    }
    return true;
}

bool weir_ports_read(const struct weir_verb *verb, const char *text, enum weir_ports *ports)
{
    static const char *const words[] = {
        [WEIR_PORTS_SHARED] = "shared", [WEIR_PORTS_SEPARATE] = "separate", [WEIR_PORTS_UNKNOWN] = "unknown"};
    *ports = WEIR_PORTS_DEFAULT;
    for (int i = WEIR_PORTS_SHARED; text && i <= WEIR_PORTS_UNKNOWN; i++)
        if (strcmp(text, words[i]) == 0)
            *ports = (enum weir_ports)i;
    if (!text || *ports)
        return true;
    weir_complain_usage(verb, "--ports is shared, separate or unknown, not '%s'", text);
    return false;
}

bool weir_queue_fill(const struct weir_verb *verb, const struct weir_queue_options *queues, struct weir_read_options *options)
{
    options->queue = (uint32_t)(queues->all ? queues->all : queues->unsaid);
    options->force_queue = queues->all != 0;
    if (!queues->unsaid || !queues->all)
        return true;
    weir_complain_usage(verb, "--queue and --force-queue exclude each other");
    return false;
}

bool weir_queue_applies(const struct weir_queue_options *queues, const struct weir_pipeline *pipeline, const char *path,
                        struct weir_error *error)
{
    if ((!queues->unsaid && !queues->all) || weir_pipeline_platform(pipeline) != WEIR_PLATFORM_GPU)
        return true;
    snprintf(error->message, sizeof error->message, "--%squeue: %s has kernels on a GPU; dependencies have no capacity",
             queues->all ? "force-" : "", path);
    return false;
}

void weir_kernel_fill(const struct weir_kernel_options *kernels, struct weir_read_options *options)
{
    options->kernel_times = kernels->times;
    options->min_time = kernels->min_time;
    options->launch_overhead = kernels->launch_overhead;
    options->sms = (uint32_t)kernels->sms;
    options->max_concurrent = (uint32_t)kernels->max_concurrent;
}

const char *weir_kernel_option(const struct weir_kernel_options *kernels)
{
    return kernels->sms               ? "sms"
           : kernels->min_time        ? "min-time"
           : kernels->launch_overhead ? "launch-overhead"
           : kernels->max_concurrent  ? "max-concurrent"
           : kernels->times           ? "kernel-times"
                                      : NULL;
}

bool weir_parse_duration(const struct weir_arguments *arguments, const char *option, const char *text, int64_t least, int64_t *ns)
{
    struct weir_error error = {0};
    struct weir_pipeline *nanoseconds = weir_pipeline_new(&error);
    size_t length = strlen(text);
    bool good = length && isalpha((unsigned char)text[length - 1]) && nanoseconds &&
                !weir_pipeline_set_unit(nanoseconds, WEIR_UNIT_NS, 0, &error) && !weir_time_parse(nanoseconds, text, ns, &error) &&
                *ns >= least && *ns < INT64_C(1) << 56;
    weir_pipeline_free(nanoseconds);
    if (!good)
        weir_complain_usage(arguments->verb, "--%s: expected a time with its unit, such as 1ms, not '%s'", option, text);
    return good;
}

bool weir_parse_percent(const char *text, uint32_t most, uint32_t *permille)
{
    char *end;
    unsigned tenth = 0;
    if (!isdigit((unsigned char)*text))
        return false;
    unsigned long percent = strtoul(text, &end, 10);
    if (*end == '.' && isdigit((unsigned char)end[1])) {
        tenth = (unsigned)(end[1] - '0');
        end += 2;
    }
    if (strcmp(end, "%") != 0 || percent > most / 10)
        return false;
    *permille = (uint32_t)percent * 10 + tenth;
    return *permille <= most;
}

/* ---- what is asked, all of it ---- */

static uint64_t mix_file(uint64_t digest, const char *path)
{
    char bytes[1 << 14];
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return digest;
    FILE *file = fopen(path, "rb");
    for (size_t got; file && (got = fread(bytes, 1, sizeof bytes, file)) > 0;)
        digest = weir_digest(digest, bytes, got);
    if (file)
        fclose(file);
    return weir_digest(digest, "file", 4);
}

/* Options with a value that is of no account for what is found. */
static bool is_outward(const char *option)
{
    static const char *const names[] = {"-o", "--output", "--csv", "--svg", "--threads"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(option, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

uint64_t weir_arguments_digest(const struct weir_arguments *arguments)
{
    uint64_t digest = WEIR_DIGEST;
    for (size_t i = 0; i < arguments->count; i++) {
        const char *text = arguments->items[i], *value = text[0] == '-' ? strchr(text, '=') : NULL;
        if (is_outward(text)) {
            i += !value && (text[1] == '-' || !text[2]); /* -oFILE has it within */
            continue;
        }
        if (strcmp(text, "--json") == 0 || strcmp(text, "--full") == 0)
            continue;
        digest = weir_digest(digest, text, strlen(text) + 1);
        digest = mix_file(digest, value ? value + 1 : text);
    }
    return digest;
}
