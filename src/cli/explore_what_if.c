/* SPDX-License-Identifier: Apache-2.0 */
/* weir explore --what-if, --add, --remove: a model before and after changes. */
#include "explore_what_if.h"

#include <stdlib.h>
#include <string.h>

static const char help[] =
    "What if: weir explore MODEL [--what-if CHANGE]... [--add PART]... [--remove PART]... [OPTION...]\n"
    "\n"
    "The model before and after, side by side: bounds, deadlines, throughput, critical paths. On every platform. What is\n"
    "removed goes first, then comes what is added, then what is set.\n"
    "\n"
    "  --what-if CHANGE   TARGET.KEY=VALUE, in the words of the model file; A.KEY,B.KEY=VALUE sets both. A TARGET is an\n"
    "                     operator, A->B (the queues from A to B), A->B#2 (the second of them), queue (all of them), the\n"
    "                     name of a source, a processor or platform. Further keys: best, worst; A->B.within, a deadline\n"
    "  --add PART         an operator ('filter: {time: [1ms, 2ms]}'), a queue ('a -> b'), a source, a deadline\n"
    "  --remove PART      an operator with all that hangs on it, or A->B, or A->B#2\n"
    "  --verify           check the certificates of the bounds before and after\n"
    "  -o, --output OUT   the changed model; --json for programs\n"
    "\n"
    "  weir explore ultrasound.yaml --what-if 'holoviz.time=[2ms,9ms]' --what-if 'infer->scale.capacity=3'\n"
    "  weir explore ultrasound.yaml --add 'denoise: {time: [1ms, 2ms]}' --add 'replayer -> denoise -> infer'\n"
    "\n"
    "Exit status: as of the changed model.\n";

/* ---- the changes of the command line ---- */

void weir_changes_free(struct weir_change_list *list)
{
    for (size_t i = 0; list->changes && i < list->count; i++)
        free((void *)list->changes[i].name);
    free(list->changes);
    *list = (struct weir_change_list){0};
}

/* "--what-if 'camera.time=5ms'" */
static char *name_change(const char *option, const char *text)
{
    size_t size = strlen(option) + strlen(text) + sizeof "-- ''";
    char *name = malloc(size);
    if (name)
        snprintf(name, size, "--%s '%s'", option, text);
    return name;
}

bool weir_changes_add(struct weir_change_list *list, enum weir_change_kind kind, const char *option,
                      const struct weir_option_list *texts)
{
    struct weir_change *grown = realloc(list->changes, (list->count + texts->count + 1) * sizeof *grown);
    bool good = grown;
    list->changes = grown ? grown : list->changes;
    for (size_t i = 0; i < texts->count && good; i++) {
        char *name = name_change(option, texts->items[i]);
        list->changes[list->count++] = (struct weir_change){.kind = kind, .text = texts->items[i], .name = name};
        good = name;
    }
    if (!good)
        weir_complain("out of memory");
    return good;
}

bool weir_changes_make(const struct weir_option_list lists[3], struct weir_change_list *list)
{
    return weir_changes_add(list, WEIR_CHANGE_REMOVE, "remove", &lists[WEIR_CHANGE_REMOVE]) &&
           weir_changes_add(list, WEIR_CHANGE_ADD, "add", &lists[WEIR_CHANGE_ADD]) &&
           weir_changes_add(list, WEIR_CHANGE_SET, "what-if", &lists[WEIR_CHANGE_SET]);
}

void weir_changes_complain(const struct weir_pipeline *model, const char *path, const struct weir_errors *errors)
{
    const struct weir_style *style = weir_style_of(stderr);
    size_t count = weir_errors_count(errors);
    for (size_t i = 0; i < count; i++) {
        const struct weir_error *error = weir_errors_at(errors, i);
        fprintf(stderr, "%sweir explore:%s ", style->bad, style->plain);
        if (!error->file[0])
            fprintf(stderr, "%s, changed: ", weir_model_title(model, path));
        else if (error->line > 1)
            fprintf(stderr, "%s: line %u, column %u: ", error->file, error->line, error->column);
        else if (error->column)
            fprintf(stderr, "%s: column %u: ", error->file, error->column);
        else
            fprintf(stderr, "%s: ", error->file);
        fprintf(stderr, "%s\n", error->message);
    }
}

void weir_changes_note(const struct weir_errors *notes)
{
    for (size_t i = 0; i < weir_errors_count(notes); i++)
        fprintf(stderr, "note: %s\n", weir_errors_at(notes, i)->message);
}

/* ---- */

enum weir_exit weir_verdicts_exit(const struct weir_verdicts *verdicts)
{
    enum weir_exit result = WEIR_EXIT_OK;
    for (size_t i = 0; i < verdicts->latency_count; i++) {
        const struct weir_verdict_latency *l = &verdicts->latencies[i];
        bool undecided = l->certainty == WEIR_CERTAIN_UNKNOWN;
        bool missed = l->certainty == WEIR_CERTAIN_UNBOUNDED || (!l->met && !undecided);
        result = weir_exit_worse(result, missed ? WEIR_EXIT_MISSED : undecided ? WEIR_EXIT_BRACKET : WEIR_EXIT_OK);
    }
    return result;
}

struct settings {
    struct weir_explore_common common;
    struct weir_option_list lists[3]; /* by enum weir_change_kind */
    bool verify;
};

static enum weir_exit find(const struct settings *s, const struct weir_pipeline *pipeline, struct weir_verdicts **verdicts)
{
    struct weir_progress progress = {.what = weir_model_title(pipeline, s->common.path)};
    struct weir_verdict_options options = {.verify = s->verify, .progress = weir_progress_show, .context = &progress};
    struct weir_error error = {0};
    enum weir_status status = weir_verdict_find(pipeline, &options, verdicts, &error);
    weir_progress_end(&progress);
    return status == WEIR_OK ? WEIR_EXIT_OK : weir_complain_error(s->common.path, &error);
}

static enum weir_exit compare(const struct settings *s, const struct weir_change_list *list, const struct weir_changed *changed)
{
    struct weir_what_if what = {.changes = list->changes,
                                .count = list->count,
                                .changed = changed,
                                .title = weir_model_title(changed->before, s->common.path)};
    struct weir_verdicts *before = NULL, *after = NULL;
    enum weir_exit result = find(s, changed->before, &before);
    if (result == WEIR_EXIT_OK)
        result = find(s, changed->after, &after);
    if (result == WEIR_EXIT_OK && s->common.out)
        result = weir_explore_write_model(&s->common, changed->after);
    if (result == WEIR_EXIT_OK) {
        what.before = before;
        what.after = after;
        what.out = s->common.out;
        (s->common.json ? weir_what_if_print_json : weir_what_if_print)(&what);
        result = weir_verdicts_exit(after);
    }
    weir_verdicts_free(before);
    weir_verdicts_free(after);
    return result;
}

static enum weir_exit change(const struct settings *s, const struct weir_pipeline *model)
{
    struct weir_change_list list = {0};
    struct weir_errors *errors = weir_errors_new(), *notes = weir_errors_new();
    struct weir_changed changed = {.notes = notes};
    enum weir_exit result = WEIR_EXIT_INTERNAL;
    if (!weir_changes_make(s->lists, &list))
        ; /* said so */
    else if (!errors || !notes)
        weir_complain("out of memory");
    else {
        enum weir_status status = weir_change_apply(model, list.changes, list.count, &changed, errors);
        weir_changes_complain(model, s->common.path, errors);
        weir_changes_note(notes);
        if (status == WEIR_OK)
            result = compare(s, &list, &changed);
        else
            result = status == WEIR_MEMORY || status == WEIR_INTERNAL ? WEIR_EXIT_INTERNAL : WEIR_EXIT_USAGE;
    }
    weir_changed_free(&changed);
    weir_errors_free(errors);
    weir_errors_free(notes);
    weir_changes_free(&list);
    return result;
}

static enum weir_exit run(struct weir_arguments *arguments)
{
    struct settings s = {.verify = false};
    const struct weir_option options[] = {
        WEIR_EXPLORE_OUTPUT(s.common),
        WEIR_EXPLORE_JSON(s.common),
        {.name = "what-if", .kind = WEIR_OPTION_LIST, .value = &s.lists[WEIR_CHANGE_SET]},
        {.name = "add", .kind = WEIR_OPTION_LIST, .value = &s.lists[WEIR_CHANGE_ADD]},
        {.name = "remove", .kind = WEIR_OPTION_LIST, .value = &s.lists[WEIR_CHANGE_REMOVE]},
        {.name = "verify", .kind = WEIR_OPTION_FLAG, .value = &s.verify},
    };
    struct weir_pipeline *model = NULL;
    enum weir_exit result = WEIR_EXIT_USAGE;
    if (weir_options_parse(arguments, options, sizeof options / sizeof *options))
        result = weir_explore_check(arguments, &s.common);
    if (result == WEIR_EXIT_OK)
        result = weir_model_read(s.common.path, NULL, &model);
    if (result == WEIR_EXIT_OK)
        result = change(&s, model);
    weir_pipeline_free(model);
    for (int i = 0; i < 3; i++)
        free((void *)s.lists[i].items);
    return result;
}

static const char *const names[] = {"what-if", "add", "remove", NULL};
const struct weir_explore_mode weir_mode_what_if = {names, help, run};
