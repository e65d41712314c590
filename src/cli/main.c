/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
#include "render/json/report.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static const struct weir_verb *const verbs[] = {&weir_verb_analyze, &weir_verb_simulate, &weir_verb_convert, &weir_verb_generate,
                                                &weir_verb_explore, &weir_verb_fit,      &weir_verb_bench,   &weir_verb_report,
                                                &weir_verb_serve,   &weir_verb_compare,  &weir_verb_run,     &weir_verb_check,
                                                &weir_verb_gpu};
enum { VERB_COUNT = sizeof verbs / sizeof *verbs };

static void print_help(FILE *out)
{
    fputs("weir: how late can a streaming pipeline be?\n\n"
          "Usage: weir VERB [OPTION...] [OPERAND...]\n\n",
          out);
    for (size_t i = 0; i < VERB_COUNT; i++)
        fprintf(out, "  %-10s %s\n", verbs[i]->name, verbs[i]->summary);
    fputs("\n"
          "  weir VERB --help   what a verb does and takes\n"
          "  weir help PAGE     a page such as docs/concepts/assumptions.md; docs lists the pages, examples the examples\n"
          "  weir --version     the version of weir\n"
          "  weir --schema X    the JSON Schema of a model file (model) or of --json (answer); keys: model keys as Markdown\n"
          "\n"
          "Examples:\n"
          "  weir analyze camera.yaml\n"
          "  weir analyze camera.yaml --deadline 33ms --json\n"
          "  weir simulate camera.yaml --runs 1000\n"
          "  weir convert camera.dot -o camera.yaml\n"
          "\n"
          "Exit status: 0 every deadline is met, or none is given; 1 a deadline is missed or a latency has no bound;\n"
          "2 wrong usage; 3 bad input; 4 a deadline is not proved (a safe bound is above it) or not decided (no bound, or a\n"
          "bracket); 70 a bug in weir, or out of memory; 74 the output could not be written.\n",
          out);
}

static const struct weir_verb *find_verb(const char *name)
{
    for (size_t i = 0; i < VERB_COUNT; i++)
        if (strcmp(verbs[i]->name, name) == 0)
            return verbs[i];
    return NULL;
}

static enum weir_exit unknown_verb(const char *word)
{
    const char *names[VERB_COUNT + 1];
    for (size_t i = 0; i < VERB_COUNT; i++)
        names[i] = verbs[i]->name;
    names[VERB_COUNT] = "help";
    if (word[0] != '-' && (strpbrk(word, "./") || access(word, R_OK) == 0))
        return weir_complain_usage(NULL, "unknown verb '%s'; for a model: weir analyze %s", word, word);
    const char *kind = word[0] == '-' ? "option" : "verb", *nearest = weir_nearest(word, names, VERB_COUNT + 1);
    if (nearest)
        return weir_complain_usage(NULL, "unknown %s '%s'; did you mean '%s'?", kind, word, nearest);
    return weir_complain_usage(NULL, "unknown %s '%s'", kind, word);
}

static enum weir_exit unknown_page(const char *word)
{
    char path[WEIR_DOCUMENT_PATH];
    if (strchr(word, '/') || strcmp(word, "docs") == 0 || strcmp(word, "examples") == 0)
        return weir_complain_usage(NULL,
                                   weir_document_find("docs", path) ? "there is no page '%s'; 'weir help docs' lists them"
                                                                    : "the documentation is not installed: '%s'",
                                   word);
    return unknown_verb(word);
}

static enum weir_exit help(char **items, size_t count)
{
    if (count == 0) {
        print_help(stdout);
        return WEIR_EXIT_OK;
    }
    const struct weir_verb *verb = find_verb(items[0]);
    if (!verb)
        return weir_document_print(items[0], stdout) ? WEIR_EXIT_OK : unknown_page(items[0]);
    fputs(verb->help, stdout);
    if (verb->more)
        fputs(verb->more, stdout);
    if (verb == &weir_verb_explore)
        weir_explore_help(stdout);
    return WEIR_EXIT_OK;
}

static bool asks_for_help(char **items, size_t count)
{
    for (size_t i = 0; i < count && strcmp(items[i], "--") != 0; i++)
        if (strcmp(items[i], "--help") == 0 || strcmp(items[i], "-h") == 0)
            return true;
    return false;
}

static enum weir_exit print_schema(char **items, size_t count)
{
    static const struct {
        const char *word;
        enum weir_status (*write)(FILE *out, struct weir_error *error);
    } schemas[] = {{"model", weir_model_write_schema}, {"answer", weir_answer_write_schema}, {"keys", weir_model_write_reference}};
    struct weir_error error = {0};
    for (size_t i = 0; i < sizeof schemas / sizeof *schemas && count == 1; i++)
        if (strcmp(items[0], schemas[i].word) == 0) {
            if (!schemas[i].write(stdout, &error))
                return WEIR_EXIT_OK;
            weir_complain("%s", error.message);
            return WEIR_EXIT_OUTPUT;
        }
    return weir_complain_usage(NULL, "--schema needs one word: model, answer or keys");
}

static enum weir_exit dispatch(char **items, size_t count)
{
    if (count == 0) {
        fputs("Usage: weir VERB [OPTION...] [OPERAND...]\n"
              "Try 'weir --help', or 'weir analyze MODEL' to begin.\n",
              stderr);
        return WEIR_EXIT_USAGE;
    }
    const char *word = items[0];
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
        printf("weir %s\n", weir_version());
        return WEIR_EXIT_OK;
    }
    if (strcmp(word, "--schema") == 0)
        return print_schema(items + 1, count - 1);
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0)
        return help(items + 1, count - 1);
    const struct weir_verb *verb = find_verb(word);
    if (!verb)
        return unknown_verb(word);
    if (asks_for_help(items + 1, count - 1))
        return help(items, 1);
    struct weir_arguments arguments = {verb, items + 1, count - 1};
    return verb->run(&arguments);
}

/* A file that is opened must not become stdout because stdout was closed. Opened the wrong way round, so that using it fails. */
static void keep_descriptors_taken(void)
{
    for (int descriptor = 0; descriptor <= 2; descriptor++)
        if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF)
            (void)!open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int main(int argc, char **argv)
{
    keep_descriptors_taken();
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is a write that fails */
    signal(SIGPIPE, SIG_IGN); /* a reader that went away is reported below */
    enum weir_exit status = dispatch(argv + 1, argc > 0 ? (size_t)argc - 1 : 0);
    errno = 0;
    if (fflush(stdout) != 0 || ferror(stdout)) {
        weir_complain("cannot write the answer: %s", errno ? strerror(errno) : "write error");
        status = weir_exit_worse(status, WEIR_EXIT_OUTPUT);
    }
    return (int)status;
}
