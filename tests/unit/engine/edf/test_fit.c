/* SPDX-License-Identifier: Apache-2.0 */
/* Costs from measurements: what is read, what is found in it, what is refused. */
#include "base/random.h"
#include "support/refuse.h"
#include "weir.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- files ---- */

static char path[64];

static int make_file(void **state)
{
    (void)state;
    strcpy(path, "/tmp/weir-fit-XXXXXX");
    int descriptor = mkstemp(path);
    return descriptor < 0 ? -1 : close(descriptor);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

static void write_bytes(const char *text, size_t size)
{
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(text, 1, size, out), size);
    assert_int_equal(fclose(out), 0);
}

static struct weir_fits *fit_text(const char *text)
{
    struct weir_fits *fits = NULL;
    struct weir_errors *errors = weir_errors_new();
    write_bytes(text, strlen(text));
    enum weir_status status = weir_fit_file(path, &fits, errors);
    if (status != WEIR_OK)
        fail_msg("%s", weir_errors_at(errors, 0)->message);
    weir_errors_free(errors);
    return fits;
}

static void refuse(const char *text, uint32_t line, uint32_t column, const char *message)
{
    struct weir_fits *fits = NULL;
    struct weir_errors *errors = weir_errors_new();
    write_bytes(text, strlen(text));
    assert_int_equal(weir_fit_file(path, &fits, errors), WEIR_INVALID);
    assert_null(fits);
    const struct weir_error *e = weir_errors_at(errors, 0);
    if (e->line != line || e->column != column || !strstr(e->message, message))
        fail_msg("%u:%u: %s; expected %u:%u: ... %s", e->line, e->column, e->message, line, column, message);
    weir_errors_free(errors);
    assert_int_equal(weir_fit_file(path, &fits, NULL), WEIR_INVALID);
}

static void near(double got, double wanted, double share)
{
    double off = got > wanted ? got - wanted : wanted - got;
    if (!(off <= share * wanted))
        fail_msg("%.10g is not within %g of %.10g", got, share, wanted);
}

/* ---- reading ---- */

static void lines_are_read(void **state)
{
    (void)state;
    struct weir_fits *fits = fit_text("block,samples,ns,weight\n"
                                      "# a comment\n"
                                      "b,1,110\r\n"
                                      "\n"
                                      "  \"a, \"\"x\"\"\" , 10 , 2e1 , 2.5\r"
                                      "b,2,120,4\n"
                                      "b,5,150\n"
                                      "b,9,190\n"
                                      "b,3,130");
    assert_int_equal(fits->count, 2);
    assert_string_equal(fits->fits[0].block, "b");
    assert_string_equal(fits->fits[1].block, "a, \"x\"");
    assert_int_equal(fits->fits[0].count, 5);
    assert_int_equal(fits->fits[0].observations[2].samples, 5);
    assert_true(fits->fits[0].observations[1].weight == 4 && fits->fits[0].observations[0].weight == 1);
    assert_true(fits->fits[1].observations[0].ns == 20 && fits->fits[1].observations[0].weight == 2.5);
    assert_true(fits->fits[0].trusted && !fits->fits[0].warning);
    near(fits->fits[0].init, 100, 1e-9);
    near(fits->fits[0].per_sample, 10, 1e-9);
    near(fits->fits[0].safe_init, 100, 1e-9);
    near(fits->fits[0].r2, 1, 1e-9);
    assert_false(fits->fits[1].trusted);
    assert_non_null(strstr(fits->fits[1].warning, "one size"));
    near(fits->fits[1].safe_init + 10 * fits->fits[1].safe_per_sample, 20, 1e-9);
    weir_fits_free(fits);
}

static void counters_are_read(void **state)
{
    (void)state;
    struct weir_fits *fits =
        fit_text("{\"clock\": \"thread\", \"blocks\": [{\"name\": \"a\", \"observations\": [\n"
                 "{\"samples\": 10, \"ns\": 1100.5, \"calls\": 3}, {\"ns\": 2100.5, \"samples\": 20, \"weight\": 7}]},\n"
                 "{\"name\": \"b\", \"observations\": []}, {\"name\": \"c\", \"observations\": [{\"samples\": 1, \"ns\": 0}]}]}");
    assert_int_equal(fits->count, 2);
    assert_string_equal(fits->fits[1].block, "c");
    near(fits->fits[0].init, 100.5, 1e-9);
    near(fits->fits[0].per_sample, 100, 1e-9);
    assert_true(fits->fits[0].observations[1].weight == 7);
    assert_non_null(strstr(fits->fits[0].warning, "2 observations"));
    assert_true(fits->fits[1].init == 0 && fits->fits[1].per_sample == 0);
    weir_fits_free(fits);
}

static void mistakes_have_places(void **state)
{
    (void)state;
    refuse("", 1, 1, "no observations");
    refuse("block,samples,ns\n", 1, 1, "no observations");
    refuse("a,1,2\nblock,samples,ns\n", 2, 7, "\"samples\"");
    refuse("a,1\n", 1, 1, "found 2 fields");
    refuse("a,1,2,3,4\n", 1, 1, "found 5 fields");
    refuse("a,0,2\n", 1, 3, "\"0\"");
    refuse("a,1.5,2\n", 1, 3, "\"1.5\"");
    refuse("a,99999999999999999999,2\n", 1, 3, "whole number");
    refuse("\xc3\xbc , 1, nan\n", 1, 8, "\"nan\"");
    refuse("a,1,2ns\n", 1, 5, "\"2ns\"");
    refuse("a,1,1e300\n", 1, 5, "nanoseconds");
    refuse("a,1,0x10\n", 1, 5, "nanoseconds");
    refuse("a,1,2,0\n", 1, 7, "weight");
    refuse("a,1,2,-0.5\n", 1, 7, "weight");
    refuse("\"\"\"x\",1,-2\n", 1, 9, "\"-2\"");
    refuse(",1,2\n", 1, 1, "name");
    refuse("a,1,2\n  \"b,1,2\n", 2, 3, "not closed");
    refuse("\"b\"c,1,2\n", 1, 1, "follows");
    refuse("a,1,\x01\n", 1, 5, "control character");
    refuse("{}", 1, 1, "\"blocks\"");
    refuse("{\"blocks\": 3}", 1, 12, "list");
    refuse("{\"blocks\": [{\"observations\": []}]}", 1, 13, "\"name\"");
    refuse("{\"blocks\": [{\"name\": \"x\\ny\", \"observations\": []}]}", 1, 22, "one line");
    refuse("{\"blocks\": [{\"name\": \"x\", \"observations\": [{\"samples\": 1, \"samples\": 2, \"ns\": 3}]}]}", 1, 59, "second");
    refuse("{\"blocks\": [", 2, 1, "YAML");
    struct weir_fits *fits;
    assert_int_equal(weir_fit_file("/nonexistent/file", &fits, NULL), WEIR_IO);
    assert_int_equal(weir_fit_file("/", &fits, NULL), WEIR_IO);
    write_bytes("a,1,2\n\0", 7);
    assert_int_equal(weir_fit_file(path, &fits, NULL), WEIR_INVALID);
}

/* ---- finding ---- */

static double uniform(struct weir_random *random)
{
    return (double)weir_random_between(random, 0, 1 << 30) / (double)(1 << 30);
}

/* About normal, of deviation 1. */
static double noise(struct weir_random *random)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += uniform(random);
    return sum;
}

struct plan {
    double init, slope, spread, bad;
    int per_size;
};

static void write_plan(struct weir_random *random, const struct plan *plan)
{
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    for (int size = 8; size <= 8192; size *= 2)
        for (int i = 0; i < plan->per_size; i++) {
            double ns = (plan->init + plan->slope * size) * (1 + plan->spread * noise(random));
            if (uniform(random) < plan->bad)
                ns *= 1.5 + 20 * uniform(random);
            fprintf(out, "x,%d,%.3f\n", size, ns > 0 ? ns : 0);
        }
    assert_int_equal(fclose(out), 0);
}

static double excess(const struct weir_fit *fit, double init, double slope)
{
    double sum = 0;
    for (size_t i = 0; i < fit->count; i++)
        sum += init + slope * (double)fit->observations[i].samples - fit->observations[i].ns;
    return sum;
}

static bool above_all(const struct weir_fit *fit, double init, double slope)
{
    for (size_t i = 0; i < fit->count; i++)
        if (init + slope * (double)fit->observations[i].samples < fit->observations[i].ns)
            return false;
    return true;
}

/* No line through two observations, through one and the origin, or level, that is above all is closer to them. */
static void check_envelope(const struct weir_fit *fit)
{
    assert_true(fit->safe_init >= 0 && fit->safe_per_sample >= 0);
    assert_true(above_all(fit, fit->safe_init, fit->safe_per_sample));
    double own = excess(fit, fit->safe_init, fit->safe_per_sample);
    for (size_t i = 0; i < fit->count; i++) {
        const struct weir_fit_sample *a = &fit->observations[i];
        for (size_t j = 0; j <= i; j++) {
            const struct weir_fit_sample *b = &fit->observations[j];
            double lines[3][2] = {{a->ns, 0}, {0, a->ns / (double)a->samples}, {-1, 0}};
            if (a->samples != b->samples) {
                lines[2][1] = (a->ns - b->ns) / (double)(a->samples - b->samples);
                lines[2][0] = a->ns - lines[2][1] * (double)a->samples;
            }
            for (int k = 0; k < 3; k++) {
                double init = lines[k][0] * (1 + 1e-12), slope = lines[k][1] * (1 + 1e-12);
                if (init >= 0 && slope >= 0 && above_all(fit, init, slope) && excess(fit, init, slope) < own - 1e-6 * (own + 1))
                    fail_msg("%g + %g c is closer than %g + %g c", init, slope, fit->safe_init, fit->safe_per_sample);
            }
        }
    }
}

static struct weir_fits *fit_path(void)
{
    struct weir_fits *fits = NULL;
    assert_int_equal(weir_fit_file(path, &fits, NULL), WEIR_OK);
    assert_int_equal(fits->count, 1);
    return fits;
}

static void planted_costs_are_found(void **state)
{
    (void)state;
    struct weir_random random;
    int inside = 0, rounds = 200;
    weir_random_seed(&random, 7);
    for (int round = 0; round < rounds; round++) {
        struct plan plan = {.init = 500 + 5000 * uniform(&random), .slope = 0.5 + 30 * uniform(&random), .spread = 0.03};
        plan.bad = round % 2 ? 0.2 : 0;
        plan.per_size = round % 3 ? 8 : 4;
        write_plan(&random, &plan);
        struct weir_fits *fits = fit_path();
        const struct weir_fit *fit = fits->fits;
        near(fit->init, plan.init, 0.2);
        near(fit->per_sample, plan.slope, 0.1);
        assert_true(fit->init_low <= fit->init && fit->init <= fit->init_high);
        inside += fit->per_sample_low <= plan.slope && plan.slope <= fit->per_sample_high;
        inside += fit->init_low <= plan.init && plan.init <= fit->init_high;
        assert_true(fit->trusted);
        weir_fits_free(fits);
    }
    if (inside < 2 * rounds * 88 / 100)
        fail_msg("only %d of %d are inside their intervals", inside, 2 * rounds);
}

static void envelope_is_above_all_and_close(void **state)
{
    (void)state;
    struct weir_random random;
    weir_random_seed(&random, 11);
    for (int round = 0; round < 100; round++) {
        FILE *out = fopen(path, "w");
        assert_non_null(out);
        int count = (int)weir_random_between(&random, 1, 25), kind = round % 3;
        for (int i = 0; i < count; i++) {
            double size = (double)weir_random_between(&random, 1, round % 2 ? 8 : 10000);
            double ns = kind == 0 ? 1e6 * uniform(&random) : kind == 1 ? size * size : 1e6 / size;
            fprintf(out, "x,%.0f,%.6f\n", size, ns);
        }
        assert_int_equal(fclose(out), 0);
        struct weir_fits *fits = fit_path();
        check_envelope(fits->fits);
        assert_true(fits->fits[0].init >= 0 && fits->fits[0].per_sample >= 0);
        weir_fits_free(fits);
    }
}

static void doubtful_fits_are_told(void **state)
{
    (void)state;
    static const struct {
        const char *text, *warning;
    } files[] = {{"x,1,10\nx,2,20\nx,8,80\nx,9,90\n", "4 observations"},
                 {"x,1,10\nx,8,20\nx,8,20\nx,8,20\nx,1,10\n", "2 sizes"},
                 {"x,10,10\nx,11,20\nx,12,20\nx,13,20\nx,14,10\n", "close together"},
                 {"x,1,50\nx,10,3\nx,100,90\nx,200,1\nx,400,60\nx,800,9\n", "explains only"}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct weir_fits *fits = fit_text(files[i].text);
        assert_false(fits->fits[0].trusted);
        if (!strstr(fits->fits[0].warning, files[i].warning))
            fail_msg("%s, not %s", fits->fits[0].warning, files[i].warning);
        weir_fits_free(fits);
    }
}

/* ---- memory ---- */

static void each_allocation_may_fail(void **state)
{
    (void)state;
    static const char *const texts[] = {"a,1,2\nb,1,2\na,2,3\n",
                                        "{\"blocks\": [{\"name\": \"a\", \"observations\": [{\"samples\": 1, \"ns\": 2}]}]}"};
    for (size_t i = 0; i < 2; i++) {
        struct refuse memory = {0};
        write_bytes(texts[i], strlen(texts[i]));
        while (refuse_next(&memory)) {
            struct weir_fits *fits;
            enum weir_status status = weir_fit_file(path, &fits, NULL);
            weir_fits_free(fits);
            refuse_end();
            assert_int_equal(status, memory.refused ? WEIR_MEMORY : WEIR_OK);
            assert_int_equal(memory.live, 0);
        }
        assert_true(memory.asked > 5);
    }
}

int fit_group(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_read),           cmocka_unit_test(counters_are_read),
        cmocka_unit_test(mistakes_have_places),     cmocka_unit_test(planted_costs_are_found),
        cmocka_unit_test(doubtful_fits_are_told),   cmocka_unit_test(envelope_is_above_all_and_close),
        cmocka_unit_test(each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
