/* SPDX-License-Identifier: Apache-2.0 */
/* Every format: what can be read back has the same answers, and the automata measure the worst case to the tick. */
#include "support/again.h"
#include "support/oracle/tck.h"
#include "support/random/pipeline.h"

#include <expat.h>
#include <stdlib.h>
#include <string.h>

static enum weir_status try_write(const struct weir_pipeline *p, enum weir_model_format format, uint32_t chain, char **text,
                                  struct weir_error *error)
{
    size_t bytes = 0;
    *text = NULL;
    FILE *out = open_memstream(text, &bytes);
    assert_non_null(out);
    enum weir_status status = weir_pipeline_write(p, format, chain, out, error);
    fclose(out);
    return status;
}

/* ---- the same answers ---- */

static struct weir_query query_of(const struct weir_pipeline *p, uint32_t index, bool back)
{
    struct weir_chain_spec chain = weir_pipeline_chain(p, index);
    struct weir_query query = {
        .from = {.op = chain.from, .moment = WEIR_START}, .to = {.op = chain.to, .moment = WEIR_FINISH}, .shift = chain.shift};
    for (uint32_t i = 0; i < weir_pipeline_source_count(p); i++) {
        struct weir_source_spec source = weir_pipeline_source(p, i);
        if (source.op.index == chain.from.index && source.arrivals == WEIR_ARRIVALS_EXACT)
            query.from.moment = WEIR_ARRIVAL;
    }
    if (back)
        query = (struct weir_query){.from = query.to, .to = query.from, .shift = -query.shift};
    return query;
}

static void expect_answers(const struct weir_pipeline *p, const struct weir_pipeline *q, const char *text)
{
    struct weir_solver *one = weir_solver_new(p, NULL), *two = weir_solver_new(q, NULL);
    assert_int_equal(weir_pipeline_chain_count(p), weir_pipeline_chain_count(q));
    assert_int_equal(weir_pipeline_digits(p), weir_pipeline_digits(q));
    for (uint32_t i = 0; i < weir_pipeline_chain_count(p); i++)
        for (int back = 0; back < 2; back++) {
            struct weir_query here = query_of(p, i, back), there = query_of(q, i, back);
            struct weir_separation a, b;
            assert_int_equal(weir_separation_worst(one, &here, &a, NULL), WEIR_OK);
            assert_int_equal(weir_separation_worst(two, &there, &b, NULL), WEIR_OK);
            if (a.outcome != b.outcome || (a.outcome == WEIR_EXACT && a.value != b.value))
                fail_msg("latency %u: %d %ld, written %d %ld\n%s", i, (int)a.outcome, (long)a.value, (int)b.outcome, (long)b.value,
                         text);
            struct weir_ratio slow, again;
            struct weir_operator to = weir_pipeline_chain(p, i).to, copy = weir_pipeline_chain(q, i).to;
            assert_int_equal(weir_throughput(p, to, !back, &slow, NULL, NULL, NULL), WEIR_OK);
            assert_int_equal(weir_throughput(q, copy, !back, &again, NULL, NULL, NULL), WEIR_OK);
            assert_int_equal(slow.numerator, again.numerator);
            assert_int_equal(slow.denominator, again.denominator);
        }
    weir_solver_free(one);
    weir_solver_free(two);
}

/* Of which a format says why it cannot hold it. */
static bool holds(const struct weir_pipeline *p, enum weir_model_format format)
{
    for (uint32_t i = 0; i < weir_pipeline_source_count(p); i++)
        if (format == WEIR_MODEL_DOT && weir_pipeline_source(p, i).has_phase)
            return false;
    for (uint32_t i = 0; i < weir_pipeline_operator_count(p); i++) {
        struct weir_operator_spec spec = weir_pipeline_operator(p, (struct weir_operator){i});
        if (format == WEIR_MODEL_DOT ? spec.receive_max > 0 : format == WEIR_MODEL_SDF3 && spec.reentrant && spec.receive_max > 0)
            return false;
    }
    return true;
}

/* By spreading marks along the queues until nothing changes. */
static bool in_pieces(const struct weir_pipeline *p)
{
    bool seen[STAGE_OPERATORS] = {true}, changed = true, all = true;
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < weir_pipeline_queue_count(p); i++) {
            struct weir_queue_spec q = weir_pipeline_queue(p, (struct weir_queue){i});
            changed |= seen[q.from.index] != seen[q.to.index];
            seen[q.from.index] = seen[q.to.index] = seen[q.from.index] || seen[q.to.index];
        }
    }
    for (uint32_t i = 0; i < weir_pipeline_operator_count(p); i++)
        all &= seen[i];
    return !all;
}

TEST(random_pipelines_return)
{
    int written[WEIR_MODEL_SDF3 + 1] = {0};
    for (uint64_t seed = 1; seed <= 1200; seed++) {
        struct weir_random random;
        weir_random_seed(&random, seed);
        struct weir_pipeline *p = weir_random_pipeline(&random, (enum weir_flavour)(seed % WEIR_FLAVOURS));
        for (int format = 0; format <= WEIR_MODEL_SDF3; format++) {
            if (!holds(p, (enum weir_model_format)format) || (format == WEIR_MODEL_SDF3 && in_pieces(p)))
                continue;
            char *text = write_as(p, (enum weir_model_format)format);
            struct weir_pipeline *again = read_back(text);
            expect_answers(p, again, text);
            written[format]++;
            weir_pipeline_free(again);
            free(text);
        }
        weir_pipeline_free(p);
    }
    for (int format = 0; format <= WEIR_MODEL_SDF3; format++)
        assert_true(written[format] > 800);
}

/* Units, fractions of them, deadlines, offsets, and names that need quoting or are taken. */
static struct weir_pipeline *particular(void)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    weir_pipeline_set_name(p, "a \"b\" <c> & \xc3\xa4 'd'", NULL);
    weir_pipeline_set_unit(p, WEIR_UNIT_MS, 2, NULL);
    struct weir_operator a = stage_operator(p, "a<\"&'", 100, 250), b = stage_operator(p, "b", 0, 333), c;
    struct weir_operator_spec late = {.name = "b.start", .best = 50, .worst = 70, .receive_min = 10, .receive_max = 60};
    assert_int_equal(weir_pipeline_add_operator(p, &late, &c, NULL), WEIR_OK);
    stage_queue(p, a, b, 2, 1);
    stage_queue(p, b, c, 1, 0);
    stage_period(p, a, 512, WEIR_ARRIVALS_EXACT);
    struct weir_chain_spec deadline = {.from = a, .to = c, .has_deadline = true, .deadline = 5000};
    struct weir_chain_spec offset = {.from = b, .to = c, .has_shift = true, .shift = 1};
    assert_int_equal(weir_pipeline_add_chain(p, &deadline, NULL), WEIR_OK);
    assert_int_equal(weir_pipeline_add_chain(p, &offset, NULL), WEIR_OK);
    stage_seal(p);
    return p;
}

TEST(everything_returns)
{
    struct weir_pipeline *p = particular();
    char *text = write_as(p, WEIR_MODEL_SDF3);
    struct weir_pipeline *again = read_back(text);
    expect_answers(p, again, text);
    assert_string_equal(weir_pipeline_name(p), weir_pipeline_name(again));
    assert_int_equal(weir_pipeline_unit(again), WEIR_UNIT_MS);
    assert_true(weir_pipeline_chain(again, 0).has_deadline);
    assert_int_equal(weir_pipeline_chain(again, 0).deadline, 5000);
    weir_pipeline_free(again);
    free(text);
    text = write_as(p, WEIR_MODEL_JSON);
    again = read_back(text);
    assert_int_equal(weir_pipeline_chain_count(again), 2); /* in whichever order */
    bool first = weir_pipeline_chain(again, 0).has_deadline;
    assert_int_equal(weir_pipeline_chain(again, first ? 1 : 0).shift, 1);
    assert_int_equal(weir_pipeline_chain(again, first ? 0 : 1).deadline, 5000);
    weir_pipeline_free(again);
    free(text);
    weir_pipeline_free(p);
}

/* ---- automata ---- */

static void expect_exact(const struct weir_pipeline *p, size_t limit, int *finished)
{
    char *text;
    struct weir_error error = {0};
    struct tck_answer answer;
    enum weir_status status = try_write(p, WEIR_MODEL_TCHECKER, 0, &text, &error);
    assert_int_equal(status, WEIR_OK);
    tck_explore(text, limit, &answer);
    if (answer.complaint[0] || answer.late || answer.overflow || answer.stuck || (answer.finished && !answer.reached))
        fail_msg("%s late %d reached %d overflow %d stuck %d, %zu states\n%s", answer.complaint, answer.late, answer.reached,
                 answer.overflow, answer.stuck, answer.states, text);
    *finished += answer.finished;
    free(text);
}

static struct weir_pipeline *small(struct weir_random *r)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    uint32_t n = (uint32_t)weir_random_between(r, 1, 3);
    for (uint32_t i = 0; i < n; i++) {
        char name[2] = {(char)('a' + i), 0};
        struct weir_operator_spec spec = {.name = name, .worst = weir_random_between(r, 0, 4)};
        spec.best = weir_random_between(r, 0, spec.worst);
        if (weir_random_between(r, 1, 6) == 1) {
            spec.receive_max = weir_random_between(r, 0, spec.worst);
            spec.receive_min = weir_random_between(r, 0, spec.receive_max);
        }
        assert_int_equal(weir_pipeline_add_operator(p, &spec, NULL, NULL), WEIR_OK);
        if (i > 0)
            stage_queue(p, (struct weir_operator){(uint32_t)weir_random_between(r, 0, i - 1)}, (struct weir_operator){i},
                        (uint32_t)weir_random_between(r, 1, 2), weir_random_between(r, 1, 4) == 1);
    }
    if (n > 1 && weir_random_between(r, 1, 3) == 1)
        stage_queue(p, (struct weir_operator){n - 1}, (struct weir_operator){0}, 2, 1 + (uint32_t)weir_random_between(r, 0, 1));
    if (weir_random_between(r, 1, 3) == 1)
        stage_period(p, (struct weir_operator){0}, weir_random_between(r, 1, 6),
                     weir_random_between(r, 0, 1) ? WEIR_ARRIVALS_EXACT : WEIR_ARRIVALS_AT_MOST);
    if (weir_pipeline_seal(p, NULL, NULL) == WEIR_OK)
        return p;
    weir_pipeline_free(p);
    return NULL;
}

/* A model checker of its own kind says what weir says: the worst case is reached and not exceeded. */
TEST(automata_measure_the_worst_case)
{
    int finished = 0, tried = 0;
    for (uint64_t seed = 1; seed <= 120; seed++) {
        struct weir_random random;
        weir_random_seed(&random, seed);
        struct weir_pipeline *p = small(&random);
        if (!p)
            continue;
        struct weir_query query = query_of(p, 0, false);
        struct weir_solver *solver = weir_solver_new(p, NULL);
        struct weir_separation worst;
        assert_int_equal(weir_separation_worst(solver, &query, &worst, NULL), WEIR_OK);
        weir_solver_free(solver);
        if (worst.outcome == WEIR_EXACT && worst.value <= 30) {
            tried++;
            expect_exact(p, 60000, &finished);
        }
        weir_pipeline_free(p);
    }
    assert_true(tried > 60 && finished > 40);
}

/* Work in a shared stream waits for what was launched before it, which no message says. */
TEST(shared_streams)
{
    struct weir_pipeline *p = read_back("operators: {b: {time: 1, gpu: {time: 1, waits: true, stream: s}},\n"
                                        "  c: {time: 1, gpu: {time: 9, stream: s}}, d: 1}\n"
                                        "queues: [b -> c -> d, b -> d]\n");
    char *text = write_as(p, WEIR_MODEL_SDF3);
    struct weir_pipeline *again = read_back(text);
    expect_answers(p, again, text);
    int finished = 0;
    expect_exact(p, 100000, &finished);
    assert_int_equal(finished, 1);
    weir_pipeline_free(again);
    free(text);
    weir_pipeline_free(p);
}

/* ---- XML ---- */

struct labels {
    char text[200][128]; /* of <label>, <name>, <parameter>: what a template is made of */
    int count;
    bool inside;
};

static void XMLCALL open_element(void *context, const XML_Char *name, const XML_Char **attributes)
{
    struct labels *l = context;
    (void)attributes;
    l->inside = strcmp(name, "label") == 0 || strcmp(name, "parameter") == 0;
    if (l->inside && l->count < 200)
        l->text[l->count++][0] = 0;
}

static void XMLCALL close_element(void *context, const XML_Char *name)
{
    (void)name;
    ((struct labels *)context)->inside = false;
}

static void XMLCALL characters(void *context, const XML_Char *text, int length)
{
    struct labels *l = context;
    if (l->inside)
        strncat(l->text[l->count - 1], text, (size_t)length);
}

static void parse_xml(const char *text, struct labels *labels)
{
    XML_Parser parser = XML_ParserCreate(NULL);
    *labels = (struct labels){.count = 0};
    XML_SetUserData(parser, labels);
    XML_SetElementHandler(parser, open_element, close_element);
    XML_SetCharacterDataHandler(parser, characters);
    if (XML_Parse(parser, text, (int)strlen(text), 1) != XML_STATUS_OK)
        fail_msg("line %d: %s\n%s", (int)XML_GetCurrentLineNumber(parser), XML_ErrorString(XML_GetErrorCode(parser)), text);
    XML_ParserFree(parser);
}

/* The XML is well-formed, and says in its labels what the textual format says. */
TEST(both_formats_of_uppaal)
{
    static struct labels labels;
    struct weir_pipeline *p = particular();
    char *xml = write_as(p, WEIR_MODEL_UPPAAL), *text = write_as(p, WEIR_MODEL_XTA);
    parse_xml(xml, &labels);
    assert_true(labels.count >= 15);
    for (int i = 0; i < labels.count; i++)
        if (!strstr(text, labels.text[i]))
            fail_msg("\"%s\" is not in the textual format", labels.text[i]);
    assert_non_null(strstr(text, "process Observer()"));
    assert_non_null(strstr(text, "\nsystem "));
    int braces = 0;
    for (const char *c = text; *c; c++) {
        braces += (*c == '{') - (*c == '}');
        assert_true(braces >= 0);
    }
    assert_int_equal(braces, 0);
    free(xml);
    free(text);
    xml = write_as(p, WEIR_MODEL_SDF3);
    parse_xml(xml, &labels);
    free(xml);
    weir_pipeline_free(p);
}

TEST(queries)
{
    struct weir_pipeline *p = stage_chain(3, (const int64_t[]){2, 3, 4}, 1);
    char *text = write_as(p, WEIR_MODEL_UPPAAL_QUERIES);
    assert_string_equal(text, "/*\nNo latency is longer: satisfied.\n*/\nA[] Latency.measuring imply Latency.y <= 12\n\n"
                              "/*\nOne is as long: not satisfied.\n*/\nA[] Latency.measuring imply Latency.y < 12\n\n"
                              "/*\nThe longest.\n*/\nsup{Latency.measuring}: Latency.y\n");
    free(text);
    weir_pipeline_free(p);
}

/* ---- what does not fit ---- */

static void refuses(const struct weir_pipeline *p, enum weir_model_format format, uint32_t chain, const char *why)
{
    char *text;
    struct weir_error error = {0};
    assert_int_equal(try_write(p, format, chain, &text, &error), WEIR_INVALID);
    if (!strstr(error.message, why))
        fail_msg("\"%s\", not \"%s\"", error.message, why);
    assert_string_equal(text, "");
    free(text);
}

TEST(what_does_not_fit)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    struct weir_operator a = stage_operator(p, "a", 1, 2), b = stage_operator(p, "b", 1, 2);
    stage_queue(p, a, b, WEIR_UNBOUNDED, 0);
    refuses(p, WEIR_MODEL_SDF3, 0, "has to be sealed");
    refuses(p, WEIR_MODEL_FORMATS, 0, "unknown format");
    refuses(p, WEIR_MODEL_XTA, 0, "no latency number 1");
    stage_seal(p);
    refuses(p, WEIR_MODEL_XTA, 1, "no latency number 2");
    refuses(p, WEIR_MODEL_XTA, 0, "nothing limits how far \"a\" gets ahead of \"b\"");
    refuses(p, WEIR_MODEL_TCHECKER, 0, "TChecker needs a finite number of states");
    weir_pipeline_free(p);

    p = weir_pipeline_new(NULL);
    struct weir_operator_spec spec = {.name = "twice", .best = 1, .worst = 2, .reentrant = true};
    assert_int_equal(weir_pipeline_add_operator(p, &spec, &a, NULL), WEIR_OK);
    stage_seal(p);
    refuses(p, WEIR_MODEL_UPPAAL, 0, "nothing limits how often operator \"twice\" overlaps itself");
    weir_pipeline_free(p);

    p = weir_pipeline_new(NULL);
    assert_int_equal(weir_pipeline_add_operator(p, &spec, &a, NULL), WEIR_OK);
    stage_queue(p, a, a, WEIR_UNBOUNDED, 2);
    struct weir_chain_spec later = {.from = a, .to = a, .has_shift = true, .shift = 2};
    assert_int_equal(weir_pipeline_add_chain(p, &later, NULL), WEIR_OK);
    stage_seal(p);
    refuses(p, WEIR_MODEL_TCHECKER, 0, "leads to another of its own iterations");
    weir_pipeline_free(p);

    p = weir_pipeline_new(NULL);
    stage_operator(p, "slow", 0, INT64_C(1) << 31);
    stage_seal(p);
    refuses(p, WEIR_MODEL_UPPAAL, 0, "too long for UPPAAL");
    weir_pipeline_free(p);

    p = weir_pipeline_new(NULL);
    a = stage_operator(p, "a", 5, 5);
    stage_period(p, a, 4, WEIR_ARRIVALS_EXACT);
    stage_seal(p);
    refuses(p, WEIR_MODEL_UPPAAL, 0, "inputs of \"a\" may pile up without bound");
    weir_pipeline_free(p);

    p = weir_pipeline_new(NULL);
    a = stage_operator(p, "a", 5, 5), b = stage_operator(p, "b", 5, 5);
    struct weir_operator c = stage_operator(p, "c", 5, 5), d = stage_operator(p, "d", 5, 5);
    stage_queue(p, a, b, 1, 0);
    stage_queue(p, c, d, 1, 0);
    stage_seal(p);
    refuses(p, WEIR_MODEL_SDF3, 0, "no queues join \"a\" to \"c\"");
    weir_pipeline_free(p);

    p = weir_pipeline_new(NULL);
    stage_operator(p, "\xef\xbf\xbf", 5, 5);
    stage_seal(p);
    refuses(p, WEIR_MODEL_SDF3, 0, "XML cannot hold");
    weir_pipeline_free(p);

    p = weir_pipeline_new(NULL);
    spec = (struct weir_operator_spec){.name = "a", .best = 1, .worst = 2, .receive_max = 1, .reentrant = true};
    assert_int_equal(weir_pipeline_add_operator(p, &spec, &a, NULL), WEIR_OK);
    stage_seal(p);
    refuses(p, WEIR_MODEL_SDF3, 0, "reentrant and receives late");
    weir_pipeline_free(p);

    p = read_back("operators: {a: 1, b: 1, a#2: 1}\nqueues: [{from: a, to: b, capacity: 2, consume: 2}, b -> a#2]\n");
    refuses(p, WEIR_MODEL_SDF3, 0, "operator \"a#2\" has a name that a run of \"a\" gets");
    weir_pipeline_free(p);
}

/* What overlaps, and overtakes; what is read several messages at once; messages under way; ticks that are caught up with. */
TEST(more_than_one_at_a_time)
{
    static const char *const models[] = {
        "operators: {a: {time: [1, 4], reentrant: true}, b: [0, 2]}\nqueues: [{from: a, to: b, capacity: 2}]\n",
        "operators: {a: 1, b: {time: [0, 3], reentrant: true}}\nqueues: [{from: a, to: b, capacity: 2}, {from: b, to: a, initial: "
        "2, "
        "capacity: 3}]\n",
        "operators: {a: {time: [1, 3], reentrant: true}}\nqueues: [{from: a, to: a, initial: 2, capacity: 3}]\n",
        "operators: {a: [0, 2], b: [1, 3], c: [1, 2]}\nqueues: [{from: a, to: b, capacity: 3, consume: 2}, {from: b, to: c, "
        "capacity: 2}]\n",
        "operators: {a: [0, 1], b: [1, 2]}\nqueues: [{from: a, to: b, capacity: 2, consume: 2, initial: 1, transfer: [0, 1]}]\n",
        "operators: {a: [0, 1], b: [0, 2]}\nqueues: [{from: a, to: b, capacity: 3, transfer: [1, 4]}, {from: a, to: b, transfer: "
        "1}]\n",
        "operators: {a: [1, 3], b: 2}\nqueues: [{from: a, to: b, capacity: 2}]\nsource: {operator: a, period: 4, arrivals: "
        "catch-up}\n",
    };
    int finished = 0;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        struct weir_pipeline *p = read_back(models[i]);
        expect_exact(p, 200000, &finished);
        char *text = write_as(p, WEIR_MODEL_SDF3);
        struct weir_pipeline *again = read_back(text);
        assert_true(weir_pipeline_chain_count(again) >= weir_pipeline_chain_count(p));
        weir_pipeline_free(again);
        free(text);
        weir_pipeline_free(p);
    }
    assert_int_equal(finished, sizeof models / sizeof *models);
}

/* An operator that is reentrant in name only: a queue to itself holds one message. */
TEST(one_at_a_time_after_all)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    struct weir_operator a;
    struct weir_operator_spec spec = {.name = "a", .best = 1, .worst = 2, .reentrant = true};
    assert_int_equal(weir_pipeline_add_operator(p, &spec, &a, NULL), WEIR_OK);
    stage_queue(p, a, a, WEIR_UNBOUNDED, 1);
    stage_seal(p);
    int finished = 0;
    expect_exact(p, 1000, &finished);
    assert_int_equal(finished, 1);
    weir_pipeline_free(p);
}

static enum weir_status write_all(void *context)
{
    for (int format = 0; format < WEIR_MODEL_FORMATS; format++) {
        char *text = NULL;
        enum weir_status status = try_write(context, (enum weir_model_format)format, 0, &text, NULL);
        free(text);
        if (status)
            return status;
    }
    return WEIR_OK;
}

TEST(memory_fails)
{
    struct weir_pipeline *p = particular();
    assert_true(stage_fail_each_allocation(write_all, p) > 30);
    weir_pipeline_free(p);
    p = read_back("operators: {a: [0, 2], b: {time: [1, 3], reentrant: true}, c: [1, 2]}\n"
                  "queues: [{from: a, to: b, capacity: 3, consume: 2}, {from: b, to: c, capacity: 2}]\n"
                  "source: {operator: a, period: 9, arrivals: catch-up}\n");
    assert_true(stage_fail_each_allocation(write_all, p) > 30);
    weir_pipeline_free(p);
}

TEST(names_and_endings)
{
    for (int i = 0; i < WEIR_MODEL_FORMATS; i++)
        assert_int_equal(weir_model_format_named(weir_model_format_name((enum weir_model_format)i)), i);
    assert_int_equal(weir_model_format_named("svg"), WEIR_MODEL_FORMATS);
    assert_int_equal(weir_model_format_of("a.xml"), WEIR_MODEL_UPPAAL);
    assert_int_equal(weir_model_format_of("a.sdf3.xml"), WEIR_MODEL_SDF3);
    assert_int_equal(weir_model_format_of("dir.yaml/a.tck"), WEIR_MODEL_TCHECKER);
    assert_int_equal(weir_model_format_of("a.gv"), WEIR_MODEL_DOT);
    assert_int_equal(weir_model_format_of(".yaml"), WEIR_MODEL_FORMATS);
    assert_int_equal(weir_model_format_of("a.xmls"), WEIR_MODEL_FORMATS);
}
