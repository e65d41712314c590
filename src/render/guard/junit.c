/* SPDX-License-Identifier: Apache-2.0 */
/* Test cases of JUnit: a suite for each model, a case for each latency. No times of day or machine are in it. */
#include "base/error.h"
#include "base/utf8.h"
#include "format/xml.h"
#include "render/guard/guard.h"

/* Text as an attribute or an element; what XML cannot hold becomes U+FFFD. */
static void write_text(FILE *out, const char *text)
{
    while (*text) {
        char one[8] = {0};
        uint32_t code;
        size_t bytes = weir_utf8_next(text, &code);
        for (size_t i = 0; i < bytes; i++)
            one[i] = text[i];
        weir_xml_text(out, code != WEIR_UTF8_INVALID && weir_xml_holds(one) ? one : "\xef\xbf\xbd");
        text += bytes;
    }
}

static void write_attribute(FILE *out, const char *name, const char *text)
{
    fprintf(out, " %s=\"", name);
    write_text(out, text);
    fputs("\"", out);
}

static void write_element(FILE *out, const char *name, enum weir_guard_rule rule, const struct weir_guard_finding *f)
{
    fprintf(out, "      <%s", name);
    write_attribute(out, "message", f->message);
    if (rule != WEIR_RULE_CHANGED)
        write_attribute(out, "type", weir_guard_rule_name(rule));
    fputs(">", out);
    weir_guard_sentence(out, f, write_text);
    fprintf(out, "</%s>\n", name);
}

static void write_case(FILE *out, const struct weir_guard_model *model, const struct weir_guard_finding *f)
{
    enum weir_guard_rule rule = weir_guard_rule_of(f);
    fputs("    <testcase", out);
    write_attribute(out, "classname", model->file);
    write_attribute(out, "name", f->latency);
    write_attribute(out, "file", model->file);
    if (f->place.line)
        fprintf(out, " line=\"%u\"", f->place.line);
    fputs(">\n", out);
    if (f->verdict != WEIR_VERDICT_GOOD)
        write_element(out, "failure", rule, f);
    else if (f->change == WEIR_GUARD_GONE)
        write_element(out, "skipped", WEIR_RULE_CHANGED, f);
    else {
        fputs("      <system-out>", out);
        weir_guard_sentence(out, f, write_text);
        fputs("</system-out>\n", out);
    }
    fputs("    </testcase>\n", out);
}

/* What is wrong with the model as a whole. */
static void write_whole(FILE *out, const struct weir_guard_model *model)
{
    size_t line, column;
    const char *words = weir_guard_model_words(model, &line, &column), *element = model->errors ? "error" : "failure";
    fputs("    <testcase", out);
    write_attribute(out, "classname", model->file);
    write_attribute(out, "name", "the model");
    write_attribute(out, "file", model->file);
    if (line)
        fprintf(out, " line=\"%zu\"", line);
    fprintf(out, ">\n      <%s", element);
    write_attribute(out, "message", words);
    write_attribute(out, "type", weir_guard_rule_name(WEIR_RULE_MODEL));
    fputs(">", out);
    for (size_t i = 0; i < weir_errors_count(model->errors); i++) {
        const struct weir_error *e = weir_errors_at(model->errors, i);
        fprintf(out, "%u:%u: ", e->line, e->column);
        write_text(out, e->message);
        fputs("\n", out);
    }
    if (!model->errors)
        write_text(out, words);
    fprintf(out, "</%s>\n    </testcase>\n", element);
}

struct counts {
    size_t tests, failures, errors, skipped;
};

static struct counts count(const struct weir_guard_model *model)
{
    bool whole = weir_guard_model_fails(model);
    struct counts c = {.tests = model->finding_count + whole, .failures = whole && !model->errors, .errors = model->errors != NULL};
    for (size_t i = 0; i < model->finding_count; i++) {
        const struct weir_guard_finding *f = &model->findings[i];
        c.failures += f->verdict != WEIR_VERDICT_GOOD;
        c.skipped += f->verdict == WEIR_VERDICT_GOOD && f->change == WEIR_GUARD_GONE;
    }
    return c;
}

enum weir_status weir_guard_write_junit(const struct weir_guard *guard, FILE *out, struct weir_error *error)
{
    struct counts all = {0};
    for (size_t i = 0; i < weir_guard_count(guard); i++) {
        struct counts c = count(weir_guard_at(guard, i));
        all.tests += c.tests, all.failures += c.failures, all.errors += c.errors, all.skipped += c.skipped;
    }
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", out);
    fprintf(out, "<testsuites name=\"weir check\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\">\n", all.tests,
            all.failures, all.errors, all.skipped);
    for (size_t i = 0; i < weir_guard_count(guard); i++) {
        const struct weir_guard_model *model = weir_guard_at(guard, i);
        struct counts c = count(model);
        fputs("  <testsuite", out);
        write_attribute(out, "name", model->file);
        fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\">\n", c.tests, c.failures, c.errors, c.skipped);
        if (weir_guard_model_fails(model))
            write_whole(out, model);
        for (size_t k = 0; k < model->finding_count; k++)
            write_case(out, model, &model->findings[k]);
        fputs("  </testsuite>\n", out);
    }
    fputs("</testsuites>\n", out);
    return weir_written(out, "the test cases", error);
}
