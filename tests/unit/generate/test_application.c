/* SPDX-License-Identifier: Apache-2.0 */
#include "support/stage.h"

#include <string.h>

static struct weir_pipeline *make(const char *name, struct weir_application_options options)
{
    struct weir_pipeline *p = NULL;
    assert_int_equal(weir_generate_application(name, &options, &p, NULL), WEIR_OK);
    assert_non_null(p);
    assert_true(weir_pipeline_sealed(p));
    return p;
}

static struct weir_pipeline *example(const char *name)
{
    struct weir_pipeline *p = NULL;
    char path[512];
    bool chain = strcmp(name, "endoscopy-out-of-body") == 0; /* the others: as published, and as connected in their sources */
    snprintf(path, sizeof path, "%s/examples/%s%s.yaml", WEIR_SOURCE_DIR, chain ? "" : "published/", name);
    assert_int_equal(weir_read_file(path, NULL, &p, NULL), WEIR_OK);
    return p;
}

static void check_same(const struct weir_pipeline *a, const struct weir_pipeline *b)
{
    assert_string_equal(weir_pipeline_name(a), weir_pipeline_name(b));
    assert_int_equal(weir_pipeline_unit(a), weir_pipeline_unit(b));
    assert_int_equal(weir_pipeline_digits(a), weir_pipeline_digits(b));
    assert_int_equal(weir_pipeline_operator_count(a), weir_pipeline_operator_count(b));
    assert_int_equal(weir_pipeline_queue_count(a), weir_pipeline_queue_count(b));
    assert_int_equal(weir_pipeline_chain_count(a), 1);
    assert_int_equal(weir_pipeline_chain_count(b), 1);
    for (uint32_t i = 0; i < weir_pipeline_operator_count(a); i++) {
        struct weir_operator_spec left = weir_pipeline_operator(a, (struct weir_operator){i});
        struct weir_operator_spec right = weir_pipeline_operator(b, (struct weir_operator){i});
        assert_string_equal(left.name, right.name);
        assert_int_equal(left.best, right.best);
        assert_int_equal(left.worst, right.worst);
        assert_int_equal(left.receive_max, right.receive_max);
        assert_int_equal(left.reentrant, right.reentrant);
    }
    for (uint32_t i = 0; i < weir_pipeline_queue_count(a); i++) {
        struct weir_queue_spec left = weir_pipeline_queue(a, (struct weir_queue){i});
        struct weir_queue_spec right = weir_pipeline_queue(b, (struct weir_queue){i});
        assert_int_equal(left.from.index, right.from.index);
        assert_int_equal(left.to.index, right.to.index);
        assert_int_equal(left.capacity, right.capacity);
        assert_int_equal(left.initial, right.initial);
        assert_int_equal(left.nonblocking, right.nonblocking);
    }
}

TEST(the_examples_are_the_same)
{
    assert_int_equal(weir_application_count(), 8);
    assert_null(weir_application_name(8));
    for (size_t i = 0; i < weir_application_count(); i++) {
        struct weir_pipeline *made = NULL, *read = example(weir_application_name(i));
        assert_int_equal(weir_generate_application(weir_application_name(i), NULL, &made, NULL), WEIR_OK);
        check_same(made, read);
        weir_pipeline_free(made);
        weir_pipeline_free(read);
    }
}

TEST(options)
{
    struct weir_pipeline *p = make("multi-ai-ultrasound", (struct weir_application_options){.queue = 10, .best_permille = 500});
    assert_int_equal(weir_pipeline_queue(p, (struct weir_queue){10}).capacity, 10);
    assert_int_equal(weir_pipeline_operator(p, (struct weir_operator){0}).best, 54); /* of 109 */
    weir_pipeline_free(p);
}

TEST(random_times)
{
    int64_t low = 1000, high = 100, sum = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct weir_pipeline *p =
            make("multi-ai-ultrasound", (struct weir_application_options){.random_times = true, .seed = seed});
        struct weir_pipeline *again =
            make("multi-ai-ultrasound", (struct weir_application_options){.random_times = true, .seed = seed});
        check_same(p, again);
        for (uint32_t i = 0; i < 9; i++) {
            int64_t worst = weir_pipeline_operator(p, (struct weir_operator){i}).worst;
            low = worst < low ? worst : low;
            high = worst > high ? worst : high;
            sum += worst;
        }
        weir_pipeline_free(p);
        weir_pipeline_free(again);
    }
    assert_true(low >= 100 && low < 105 && high <= 1000 && high > 995);
    assert_true(sum / 1800 > 530 && sum / 1800 < 570);
}

TEST(wrong)
{
    struct weir_error error = {.status = WEIR_OK};
    struct weir_pipeline *p = (struct weir_pipeline *)&p;
    assert_int_equal(weir_generate_application("multi-ai-ultrasund", NULL, &p, &error), WEIR_INVALID);
    assert_null(p);
    assert_non_null(strstr(error.message, "did you mean \"multi-ai-ultrasound\"?"));
    assert_int_equal(weir_generate_application("radar", NULL, &p, &error), WEIR_INVALID);
    assert_string_equal(error.message, "unknown application \"radar\"");
    struct weir_application_options slow = {.best_permille = 1001};
    assert_int_equal(weir_generate_application("multi-ai-ultrasound", &slow, &p, &error), WEIR_INVALID);
    struct weir_application_options deep = {.queue = UINT32_C(1) << 31};
    assert_int_equal(weir_generate_application("multi-ai-ultrasound", &deep, &p, &error), WEIR_INVALID);
    assert_null(p);
}

static enum weir_status generate(void *context)
{
    struct weir_pipeline *p;
    struct weir_error error = {.status = WEIR_OK};
    enum weir_status status = weir_generate_application(context, NULL, &p, &error);
    assert_int_equal(error.status, status);
    assert_int_equal(p == NULL, status != WEIR_OK);
    weir_pipeline_free(p);
    return status;
}

TEST(failing_memory)
{
    char name[] = "multi-ai-ultrasound";
    assert_true(stage_fail_each_allocation(generate, name) > 10);
}
