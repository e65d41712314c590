/* SPDX-License-Identifier: Apache-2.0 */
/* Answers of weir serve without a server: names, files, and requests by whoever means harm. Under the sanitizers, too. */
#include "cli/serve/serve.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>
#include <fcntl.h>
#include <unistd.h>

/* ---- a folder ---- */

static char place[] = "/tmp/weir-serve-XXXXXX";
static struct weir_folder folder = {.descriptor = -1};

static void put(const char *name, const char *text)
{
    int file = openat(folder.descriptor, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
    close(file);
}

static int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(place))
        return -1;
    folder.descriptor = open(place, O_RDONLY | O_DIRECTORY);
    put("a.yaml", "operators: {a: {time: [1, 2]}}\n");
    return symlinkat("a.yaml", folder.descriptor, "link.yaml") || mkdirat(folder.descriptor, "inside.yaml", 0700);
}

static int tear_down(void **state)
{
    static const char *const files[] = {"a.yaml", "link.yaml", "new.yaml"};
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        unlinkat(folder.descriptor, files[i], 0);
    unlinkat(folder.descriptor, "inside.yaml", AT_REMOVEDIR);
    close(folder.descriptor);
    return rmdir(place); /* fails where something is left */
}

/* ---- names ---- */

static void names(void **state)
{
    static const char *const good[] = {"a.yaml", "a.yml", "a.json",       "a.dot",  "a.gv",
                                       "a.xml",  "a.grc", "A-b_c.1.yaml", "-.yaml", "a..yaml"};
    static const char *const bad[] = {"",          ".",         "..",        ".yaml",   "yaml",     "a",         "a.txt",
                                      "a.yaml.",   "a.YAML",    "../a.yaml", "/a.yaml", "a/b.yaml", "a\\b.yaml", "a b.yaml",
                                      "a\n.yaml",  "a.yaml\n",  ".a.yaml",   "..yaml",  "a:b.yaml", "~a.yaml",   "a\303\244.yaml",
                                      "a%2f.yaml", "\177.yaml", "*.yaml"};
    char longest[256];
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(weir_folder_names(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(weir_folder_names(bad[i]));
    for (size_t length = 195; length <= 197; length++) {
        memset(longest, 'a', length);
        memcpy(longest + length, ".yaml", sizeof ".yaml");
        assert_int_equal(weir_folder_names(longest), length <= 195);
    }
}

/* ---- requests ---- */

struct asked {
    const char *method, *path, *name, *match, *body;
    unsigned status;   /* 0: any but 200 */
    unsigned writable; /* ... with --write; 0: the same */
    const char *text;  /* is in the answer; NULL: whatever */
};

/* As the server has it: reports are made by a process of their own. */
static struct weir_reply answer_to(const struct weir_request *request)
{
    struct weir_reply answer;
    struct weir_work *work =
        strcmp(request->path, "/api/report") == 0 && weir_serve_takes_work(request) ? weir_work_start(&folder, request) : NULL;
    if (!work)
        return weir_serve_answer(&folder, request);
    while (!weir_work_go_on(work, &answer))
        usleep(1000);
    weir_work_free(work);
    return answer;
}

static unsigned ask(const struct asked *a, bool writable, const char *text)
{
    const struct weir_request request = {.method = a->method,
                                         .path = a->path,
                                         .name = a->name,
                                         .match = a->match,
                                         .body = a->body ? a->body : "",
                                         .body_bytes = a->body ? strlen(a->body) : 0};
    folder.writable = writable;
    struct weir_reply answer = answer_to(&request);
    assert_non_null(answer.text);
    assert_true(answer.type <= WEIR_ANSWER_HTML);
    if (answer.status == 405)
        assert_non_null(answer.allow);
    if (text) {
        char *whole = calloc(1, answer.bytes + 1);
        memcpy(whole, answer.text, answer.bytes);
        if (!strstr(whole, text))
            fail_msg("%s %s: '%s' is not in %s", a->method, a->path, text, whole);
        free(whole);
    }
    free(answer.text);
    return answer.status;
}

static void requests(void **state)
{
    static const struct asked all[] = {
        {"GET", "/", NULL, NULL, NULL, 200, 0, "<!doctype html>"},
        {"HEAD", "/", NULL, NULL, NULL, 200, 0, NULL},
        {"get", "/", NULL, NULL, NULL, 405, 0, NULL},
        {"", "", NULL, NULL, NULL, 404, 0, NULL},
        {"GET", "/api/models", "../..", NULL, NULL, 200, 0, "[\"a.yaml\"]"},
        {"GET", "/api/model", "a.yaml", NULL, NULL, 200, 0, "operators"},
        {"GET", "/api/model", "link.yaml", NULL, NULL, 404, 0, NULL},
        {"GET", "/api/model", "inside.yaml", NULL, NULL, 404, 0, NULL},
        {"GET", "/api/model", "none.yaml", NULL, NULL, 404, 0, NULL},
        {"GET", "/api/model", NULL, NULL, NULL, 404, 0, NULL},
        {"DELETE", "/api/model", "a.yaml", NULL, NULL, 405, 0, NULL},
        {"PUT", "/api/model", "link.yaml", NULL, "x", 403, 403, NULL},
        {"PUT", "/api/model", "inside.yaml", NULL, "x", 403, 403, NULL},
        {"PUT", "/api/model", "../new.yaml", NULL, "x", 403, 400, NULL},
        {"PUT", "/api/model", NULL, NULL, "x", 403, 400, NULL},
        {"PUT", "/api/model", "a.yaml", "\"0\"", "x", 403, 412, NULL},
        {"PUT", "/api/model", "a.yaml", "", "x", 403, 412, NULL},
        {"PUT", "/api/model", "new.yaml", "\"0\"", "x", 403, 412, NULL},
        {"POST", "/api/analyze", "a.yaml", NULL, "operators: {a: {time: [1, 2]}}", 200, 0, "\"worst\": 2"},
        {"POST", "/api/report", "\" onload=\"x.yaml", NULL, "operators: {a: {time: [1, 2]}}", 200, 0, "</html>"},
        {"POST", "/api/report", "a.dot", NULL, "digraph {a -> b}", 0, 0, NULL},
        {"POST", "/api/analyze", NULL, NULL, NULL, 422, 0, "\"errors\""},
        {"POST", "/api/analyze", NULL, NULL, "operators: {\"a\\\"\\n<\": {time: x}}", 422, 0, "\"line\": 1"},
        {"POST", "/api/analyze", NULL, NULL, "&a [*a, *a]", 422, 0, NULL},
        {"POST", "/api/analyze", NULL, NULL, "unit: us\nplatform: {gpu: {sms: 2}}\noperators: {k: {time: {gpu: /etc/passwd}}}\n",
         422, 0, "\"errors\""},
        {"POST", "/api/analyze", NULL, NULL,
         "platform: {scheduler: event-based, workers: 1}\noperators: {a: {time: [1, 2]}, b: {time: [1, 2]}}\nqueues: [a -> b]\n",
         200, 0, "\"weir\""},
        {"POST", "/api/report", NULL, NULL,
         "platform: {scheduler: event-based, workers: 1}\noperators: {a: {time: [1, 2]}, b: {time: [1, 2]}}\nqueues: [a -> b]\n",
         200, 0, "</html>"},
        {"PUT", "/api/analyze", NULL, NULL, "operators: {a: {time: [1, 2]}}", 405, 0, NULL},
        {"GET", "/api/report", NULL, NULL, NULL, 405, 0, NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (int writable = 0; writable < 2; writable++) {
            unsigned wanted = writable && all[i].writable ? all[i].writable : all[i].status;
            unsigned got = ask(&all[i], writable, all[i].text);
            if (wanted ? got != wanted : got == 200)
                fail_msg("request %zu: status %u, expected %u", i, got, wanted);
        }
}

static void saving(void **state)
{
    size_t bytes;
    char tag[WEIR_FOLDER_TAG], other[WEIR_FOLDER_TAG];
    struct asked fresh = {"PUT", "/api/model", "new.yaml", "", "one", 0, 0, NULL};
    (void)state;
    assert_int_equal(ask(&fresh, true, "saved"), 200);
    assert_int_equal(ask(&fresh, true, NULL), 412);
    weir_folder_tag("one", 3, tag);
    weir_folder_tag("two", 3, other);
    assert_string_not_equal(tag, other);
    fresh.match = tag;
    fresh.body = "two";
    assert_int_equal(ask(&fresh, true, "saved"), 200);
    char *text = weir_folder_read(&folder, "new.yaml", &bytes);
    assert_string_equal(text, "two");
    assert_int_equal(bytes, 3);
    free(text);
    folder.writable = false;
    assert_int_equal(weir_folder_write(&folder, "new.yaml", "x", 1), WEIR_FOLDER_PROTECTED);
}

/* Whoever does not wait for the answer ends the process. */
static void given_up(void **state)
{
    const struct weir_request request = {
        .method = "POST", .path = "/api/report", .body = "operators: {a: {time: 1}}", .body_bytes = 25};
    (void)state;
    for (int i = 0; i < 20; i++) {
        struct weir_reply answer;
        struct weir_work *work = weir_work_start(&folder, &request);
        assert_non_null(work);
        usleep((useconds_t)i * 500);
        if (i % 2 && weir_work_go_on(work, &answer))
            free(answer.text);
        weir_work_free(work);
    }
    weir_work_free(NULL);
}

/* Pieces of models and of noise, one after the other: an answer each time, and JSON where there are mistakes. */
static void noise(void **state)
{
    static const char *const pieces[] = {"operators:\n",
                                         "  a: {time: [1, 2]}\n",
                                         "queues:\n",
                                         "  - a -> b\n",
                                         "\"",
                                         "{",
                                         "}",
                                         "[",
                                         "]",
                                         ": ",
                                         "- ",
                                         "&x ",
                                         "*x ",
                                         "\n",
                                         " ",
                                         "\t",
                                         "#",
                                         "\377",
                                         "weir: 1\n",
                                         "!!binary ",
                                         "|\n",
                                         "9999999999999999999"};
    enum { COUNT = sizeof pieces / sizeof *pieces };
    uint64_t random = 1;
    (void)state;
    for (int round = 0; round < 3000; round++) {
        char body[512];
        size_t used = 0;
        for (int i = 0; i < 12; i++) {
            random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            used += (size_t)snprintf(body + used, sizeof body - used, "%s", pieces[(random >> 33) % COUNT]);
        }
        const struct asked a = {"POST", "/api/analyze", round % 3 ? NULL : "a.json", NULL, body, 0, 0, NULL};
        unsigned status = ask(&a, false, NULL);
        assert_true(status == 200 || status == 422);
    }
}

int serve_group(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),    cmocka_unit_test(requests), cmocka_unit_test(saving),
        cmocka_unit_test(given_up), cmocka_unit_test(noise),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
