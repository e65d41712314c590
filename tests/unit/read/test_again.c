/* SPDX-License-Identifier: Apache-2.0 */
/* What is written is read as the same, in both formats. */
#include "reading.h"
#include "support/runner.h"

#include <stdlib.h>

typedef enum weir_status write_function(const struct weir_pipeline *pipeline, FILE *out, struct weir_error *error);

static struct weir_pipeline *again(const struct weir_pipeline *pipeline, write_function *write)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    assert_int_equal(write(pipeline, out, NULL), WEIR_OK);
    fclose(out);
    struct weir_pipeline *read = reading(text, NULL);
    free(text);
    return read;
}

static void assert_same(const struct weir_pipeline *a, const struct weir_pipeline *b)
{
    assert_string_equal(weir_pipeline_name(a), weir_pipeline_name(b));
    assert_int_equal(weir_pipeline_unit(a), weir_pipeline_unit(b));
    assert_int_equal(weir_pipeline_digits(a), weir_pipeline_digits(b));
    assert_int_equal(weir_pipeline_operator_count(a), weir_pipeline_operator_count(b));
    assert_int_equal(weir_pipeline_queue_count(a), weir_pipeline_queue_count(b));
    for (uint32_t i = 0; i < weir_pipeline_operator_count(a); i++) {
        struct weir_operator_spec x = weir_pipeline_operator(a, (struct weir_operator){i});
        assert_string_equal(x.name, weir_pipeline_operator(b, (struct weir_operator){i}).name);
        assert_times(b, x.name, x.best, x.worst);
    }
    for (uint32_t i = 0; i < weir_pipeline_queue_count(a); i++) {
        struct weir_queue_spec x = weir_pipeline_queue(a, (struct weir_queue){i}),
                               y = weir_pipeline_queue(b, (struct weir_queue){i});
        assert_int_equal(x.from.index, y.from.index);
        assert_int_equal(x.to.index, y.to.index);
        assert_int_equal(x.capacity, y.capacity);
        assert_int_equal(x.initial, y.initial);
        assert_int_equal(x.nonblocking, y.nonblocking);
    }
}

static void check_both(struct weir_pipeline *p)
{
    struct weir_pipeline *yaml = again(p, weir_pipeline_write_yaml), *dot = again(p, weir_pipeline_write_dot);
    assert_same(p, yaml);
    assert_same(p, dot);
    weir_pipeline_free(yaml);
    weir_pipeline_free(dot);
    weir_pipeline_free(p);
}

TEST(generated_pipelines)
{
    for (uint32_t seed = 0; seed < 300; seed++) {
        struct weir_generate_options options = {
            .nodes = 2 + seed % 29, .seed = seed, .density_permille = 200, .best_permille = seed % 4 * 300, .queue = seed % 5};
        struct weir_pipeline *p = NULL;
        assert_int_equal(weir_generate_holoscan(&options, &p, NULL), WEIR_OK);
        check_both(p);
    }
}

TEST(odd_names_and_numbers)
{
    check_both(reading(
        "unit: s\nname: 'a \"b\" c'\n"
        "operators: {'say \"hi\"': 0.000000001, 'x -> y': [0, 1.5], 'node': 3, 'a\\b': 4ms, 5: 1us, '- z': 1, 'true': 2, '~': 3,\n"
        "  '\xe5\x9b\xbe #1': 7, 'graph: {a}': 8}\n"
        "queues:\n"
        "  - {from: 'say \"hi\"', to: x -> y, capacity: unbounded}\n"
        "  - {from: x -> y, to: [node, 'a\\b', 5], capacity: 3, initial: 2}\n"
        "  - {from: node, to: '- z', blocking: false}\n"
        "  - '- z -> \xe5\x9b\xbe #1 -> graph: {a} -> true -> ~'\n",
        NULL));
}
