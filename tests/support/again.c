/* SPDX-License-Identifier: Apache-2.0 */
#include "support/again.h"

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
