/* SPDX-License-Identifier: Apache-2.0 */
#include "support/again.h"

#include "support/same.h"

#include <stdlib.h>
#include <string.h>

char *write_as(const struct weir_pipeline *p, enum weir_model_format format)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    struct weir_error error = {0};
    if (weir_pipeline_write(p, format, 0, out, &error) != WEIR_OK)
        fail_msg("%s", error.message);
    fclose(out);
    return text;
}

struct weir_pipeline *read_back(const char *text)
{
    struct weir_pipeline *pipeline = NULL;
    struct weir_errors *errors = weir_errors_new();
    if (weir_read_memory(text, strlen(text), "written", NULL, &pipeline, errors) != WEIR_OK)
        fail_msg("line %u: %s\n%s", weir_errors_at(errors, 0)->line, weir_errors_at(errors, 0)->message, text);
    weir_errors_free(errors);
    return pipeline;
}

void expect_time(const struct weir_pipeline *a, int64_t left, const struct weir_pipeline *b, int64_t right)
{
    char one[WEIR_TIME_TEXT], two[WEIR_TIME_TEXT];
    assert_string_equal(weir_time_format(a, left, one), weir_time_format(b, right, two));
}

void expect_returns(const struct weir_pipeline *p, enum weir_model_format format)
{
    char *text = write_as(p, format);
    struct weir_pipeline *again = read_back(text);
    const char *difference = find_difference(p, again, format);
    if (difference)
        fail_msg("%s\n%s", difference, text);
    char *twice = write_as(again, format);
    if (format != WEIR_MODEL_DOT) /* which says in comments what it does not hold, and that is gone */
        assert_string_equal(text, twice);
    weir_pipeline_free(again);
    free(twice);
    free(text);
}

void expect_refusal(struct weir_pipeline *p, enum weir_model_format format, const char *words)
{
    struct weir_error error = {0};
    FILE *out = fopen("/dev/null", "w");
    assert_int_equal(weir_pipeline_write(p, format, 0, out, &error), WEIR_INVALID);
    if (!strstr(error.message, words))
        fail_msg("\"%s\" is not in \"%s\"", words, error.message);
    fclose(out);
    weir_pipeline_free(p);
}

struct writing {
    const struct weir_pipeline *pipeline;
    enum weir_model_format format;
};

static enum weir_status write_and_forget(void *context)
{
    const struct writing *w = context;
    FILE *out = fopen("/dev/null", "w");
    enum weir_status status = weir_pipeline_write(w->pipeline, w->format, 0, out, NULL);
    fclose(out);
    return status;
}

void expect_memory_refused(struct weir_pipeline *p, enum weir_model_format format)
{
    assert_true(stage_fail_each_allocation(write_and_forget, &(struct writing){p, format}) > 0);
    weir_pipeline_free(p);
}

void expect_parts(struct weir_pipeline *p, enum weir_model_format format, const char *const *parts)
{
    char *text = write_as(p, format);
    for (; *parts; parts++)
        if (!strstr(text, *parts))
            fail_msg("%s is not in\n%s", *parts, text);
    free(text);
    weir_pipeline_free(p);
}

void expect_text(struct weir_pipeline *p, enum weir_model_format format, const char *expected)
{
    char *text = write_as(p, format);
    assert_string_equal(text, expected);
    free(text);
    expect_returns(p, format);
    if (format == WEIR_MODEL_YAML)
        expect_returns(p, WEIR_MODEL_JSON);
    weir_pipeline_free(p);
}

void add_any_chains(struct weir_pipeline *pipeline, struct weir_random *random, uint32_t count, int64_t most)
{
    for (int64_t i = weir_random_between(random, 0, most); i > 0 && count > 1; i--) {
        struct weir_chain_spec spec = {.from = {(uint32_t)weir_random_between(random, 0, count - 1)},
                                       .to = {(uint32_t)weir_random_between(random, 0, count - 1)},
                                       .has_deadline = weir_random_between(random, 0, 1),
                                       .has_shift = true};
        spec.deadline = spec.has_deadline ? weir_random_between(random, 0, 9999) : 0;
        spec.shift = weir_random_between(random, -3, 3);
        assert_int_equal(weir_pipeline_add_chain(pipeline, &spec, NULL), WEIR_OK);
    }
}

void expect_any_return(struct weir_pipeline *(*draw)(struct weir_random *random), uint64_t seed, int count,
                       enum weir_model_format one, enum weir_model_format other)
{
    struct weir_random random;
    int sealed = 0;
    weir_random_seed(&random, seed);
    for (int i = 0; i < count; i++) {
        struct weir_pipeline *p = draw(&random);
        if (weir_pipeline_seal(p, NULL, NULL) == WEIR_OK) {
            expect_returns(p, one);
            expect_returns(p, other);
            sealed++;
        }
        weir_pipeline_free(p);
    }
    assert_true(sealed > 1000);
}
