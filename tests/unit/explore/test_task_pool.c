/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks by many threads, and by several processes that talk over sockets. */
#include "base/alloc.h"
#include "base/task_pool.h"
#include "support/stage.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define TASKS 5000
#define RANKS_MAX 4

struct result {
    uint64_t square;
    uint32_t skipped;
};

struct lesson {
    uint64_t least;
};

struct setting {
    uint64_t fails; /* the task that fails, and every hundredth after it; UINT64_MAX: none */
    bool *stop;
    uint64_t stop_at; /* this task does it; UINT64_MAX: every one */
    bool slow;
};

static uint64_t value_of(uint64_t task)
{
    return (task * 2654435761u) % 100003;
}

static enum weir_status enter(const void *context, void **scratch, struct weir_error *error)
{
    (void)context;
    (void)error;
    *scratch = malloc(16);
    return *scratch ? WEIR_OK : WEIR_MEMORY;
}

static enum weir_status perform(void *scratch, const void *context, uint64_t task, const void *hint, void *result,
                                struct weir_error *error)
{
    const struct setting *s = context;
    const struct lesson *lesson = hint;
    struct result *r = result;
    memset(scratch, 1, 16);
    if (task >= s->fails && (task - s->fails) % 100 == 0) {
        error->status = WEIR_OVERFLOW;
        snprintf(error->message, sizeof error->message, "task %llu", (unsigned long long)task);
        return WEIR_OVERFLOW;
    }
    if (s->slow)
        usleep(2000);
    if (s->stop && (task == s->stop_at || s->stop_at == UINT64_MAX))
        __atomic_store_n(s->stop, true, __ATOMIC_RELAXED);
    r->square = value_of(task);
    r->skipped = r->square > lesson->least;
    return WEIR_OK;
}

static void learn(const void *context, const void *result, void *hint)
{
    (void)context;
    const struct result *r = result;
    struct lesson *lesson = hint;
    if (r->square < lesson->least)
        lesson->least = r->square;
}

static struct result results[TASKS];
static uint8_t done[TASKS];
static struct lesson lesson;

static enum weir_status run(const struct setting *setting, unsigned threads, struct weir_error *error)
{
    lesson = (struct lesson){UINT64_MAX};
    memset(results, 0xff, sizeof results);
    struct weir_task_pool_work work = {.count = TASKS,
                                       .result_size = sizeof(struct result),
                                       .hint_size = sizeof lesson,
                                       .hint = &lesson,
                                       .context = setting,
                                       .enter = enter,
                                       .leave = free,
                                       .perform = perform,
                                       .learn = learn};
    struct weir_task_pool_options options = {.threads = threads, .stop = setting->stop};
    return weir_task_pool_run(&work, &options, results, done, error);
}

static bool all_right(void)
{
    uint64_t least = UINT64_MAX;
    bool right = true;
    for (uint64_t task = 0; task < TASKS; task++) {
        right &= done[task] == 1 && results[task].square == value_of(task);
        least = value_of(task) < least ? value_of(task) : least;
    }
    return right && lesson.least == least;
}

TEST(test_threads)
{
    const struct setting plain = {.fails = UINT64_MAX};
    for (unsigned threads = 1; threads <= 8; threads++) {
        struct weir_error error = {0};
        assert_int_equal(run(&plain, threads, &error), WEIR_OK);
        assert_true(all_right());
    }
}

/* The first failure in the order of the tasks, however many threads meet how many. */
TEST(test_failure)
{
    const struct setting failing = {.fails = 777};
    for (unsigned threads = 1; threads <= 8; threads++) {
        struct weir_error error = {0};
        assert_int_equal(run(&failing, threads, &error), WEIR_OVERFLOW);
        assert_string_equal(error.message, "task 777");
    }
}

TEST(test_stop)
{
    bool stop = false;
    const struct setting stopping = {.fails = UINT64_MAX, .stop = &stop, .stop_at = 1000};
    struct weir_error error = {0};
    assert_int_equal(run(&stopping, 3, &error), WEIR_OK);
    assert_true(done[1000] && done[0] && !done[TASKS - 1]);
    for (uint64_t task = 0; task < TASKS; task++)
        assert_true(!done[task] || results[task].square == value_of(task));
}

/* ---- processes: rank r and rank 0 share the socket pair r ---- */

struct line {
    int ends[RANKS_MAX][2];
    unsigned rank, count;
};

static int socket_to(const struct line *line, unsigned other)
{
    return line->rank == 0 ? line->ends[other][0] : line->ends[line->rank][1];
}

static int send_to(void *context, unsigned to, const void *bytes, size_t size)
{
    return send(socket_to(context, to), bytes, size, MSG_NOSIGNAL) == (ssize_t)size ? 0 : 1;
}

static int receive_any(void *context, unsigned *from, void *bytes, size_t room, size_t *size)
{
    struct line *line = context;
    struct pollfd polls[RANKS_MAX];
    unsigned ranks[RANKS_MAX], count = 0;
    for (unsigned r = line->rank == 0 ? 1 : 0; r < (line->rank == 0 ? line->count : 1); r++) {
        ranks[count] = r;
        polls[count++] = (struct pollfd){.fd = socket_to(line, r), .events = POLLIN};
    }
    *size = 0;
    if (poll(polls, count, 5) < 0)
        return 1;
    for (unsigned i = 0; i < count; i++)
        if (polls[i].revents & (POLLIN | POLLHUP)) {
            ssize_t got = recv(polls[i].fd, bytes, room, 0);
            *from = ranks[i];
            *size = got > 0 ? (size_t)got : 0;
            return got > 0 ? 0 : 1;
        }
    return 0;
}

static int broadcast(void *context, void *bytes, size_t size)
{
    struct line *line = context;
    for (size_t at = 0, part; at < size; at += part) { /* a packet holds so much */
        part = size - at < 32768 ? size - at : 32768;
        for (unsigned r = 1; line->rank == 0 && r < line->count; r++)
            if (send(socket_to(line, r), (char *)bytes + at, part, MSG_NOSIGNAL) != (ssize_t)part)
                return 1;
        if (line->rank > 0 && recv(socket_to(line, 0), (char *)bytes + at, part, 0) != (ssize_t)part)
            return 1;
    }
    return 0;
}

/* Runs `act` in a process per rank; the result is whether all of them ended with 0. `dies`: this rank ends at once. */
static bool in_ranks(unsigned count, unsigned dies, bool (*act)(unsigned rank))
{
    struct line line = {.count = count};
    pid_t children[RANKS_MAX];
    for (unsigned r = 1; r < count; r++)
        assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, line.ends[r]), 0);
    for (unsigned r = 0; r < count; r++) {
        children[r] = fork();
        assert_true(children[r] >= 0);
        if (children[r] == 0) {
            line.rank = r;
            for (unsigned other = 1; other < count; other++) {
                if (r != 0)
                    close(line.ends[other][0]);
                if (r != other)
                    close(line.ends[other][1]);
            }
            if (r == dies)
                _exit(0);
            const struct weir_ranks ranks = {r, count, send_to, receive_any, broadcast, &line};
            weir_set_ranks(&ranks);
            _exit(act(r) ? 0 : 1);
        }
    }
    for (unsigned r = 1; r < count; r++) {
        close(line.ends[r][0]);
        close(line.ends[r][1]);
    }
    bool good = true;
    for (unsigned r = 0; r < count; r++) {
        int status;
        assert_int_equal(waitpid(children[r], &status, 0), children[r]);
        good &= WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }
    return good;
}

static bool act_plain(unsigned rank)
{
    const struct setting plain = {.fails = UINT64_MAX};
    struct weir_error error = {0};
    for (int again = 0; again < 3; again++)
        if (run(&plain, 1 + rank % 2, &error) || !all_right())
            return false;
    return true;
}

static bool act_failing(unsigned rank)
{
    const struct setting failing = {.fails = 777};
    struct weir_error error = {0};
    return run(&failing, 1 + rank, &error) == WEIR_OVERFLOW && strcmp(error.message, "task 777") == 0;
}

static bool act_with_the_dead(unsigned rank)
{
    (void)rank;
    const struct setting plain = {.fails = UINT64_MAX};
    struct weir_error error = {0};
    return run(&plain, 1, &error) == WEIR_IO;
}

/* ---- results of any size ---- */

enum { LONG_TASKS = 40 };

struct long_result {
    struct weir_task_pool_tail tail;
    uint64_t task;
};

/* Up to some hundred thousand bytes, none at all for some. */
static uint64_t length_of(uint64_t task)
{
    return task % 3 == 0 ? 0 : value_of(task) * 3;
}

static enum weir_status perform_long(void *scratch, const void *context, uint64_t task, const void *hint, void *result,
                                     struct weir_error *error)
{
    (void)scratch;
    (void)context;
    (void)hint;
    (void)error;
    struct long_result *r = result;
    r->task = task;
    if (!length_of(task))
        return WEIR_OK;
    r->tail = (struct weir_task_pool_tail){weir_array(length_of(task), 1), length_of(task)};
    if (!r->tail.bytes)
        return WEIR_MEMORY;
    memset(r->tail.bytes, (int)task, r->tail.size);
    return WEIR_OK;
}

static bool run_long(unsigned threads)
{
    struct weir_task_pool_work work = {
        .count = LONG_TASKS, .result_size = sizeof(struct long_result), .tails = true, .perform = perform_long};
    struct weir_task_pool_options options = {.threads = threads};
    struct long_result long_results[LONG_TASKS];
    uint8_t marks[LONG_TASKS];
    bool right = weir_task_pool_run(&work, &options, long_results, marks, NULL) == WEIR_OK;
    for (uint64_t task = 0; task < LONG_TASKS; task++) {
        const struct long_result *r = &long_results[task];
        right &= marks[task] && r->task == task && r->tail.size == length_of(task);
        for (uint64_t i = 0; right && i < r->tail.size; i++)
            right &= ((const unsigned char *)r->tail.bytes)[i] == task;
        weir_free(r->tail.bytes);
    }
    return right;
}

static bool act_long(unsigned rank)
{
    return run_long(1 + rank) && run_long(1);
}

TEST(test_tails)
{
    for (unsigned threads = 1; threads <= 4; threads++)
        assert_true(run_long(threads));
    for (unsigned count = 2; count <= RANKS_MAX; count++)
        assert_true(in_ranks(count, UINT32_MAX, act_long));
}

/* Rank 0 is stopped: it keeps what it has and leaves the others, which learn that from whoever connects them. */
static bool act_stopped(unsigned rank)
{
    bool stop = false;
    const struct setting stopping = {
        .fails = UINT64_MAX, .stop = rank == 0 ? &stop : NULL, .stop_at = UINT64_MAX, .slow = rank > 0};
    struct weir_error error = {0};
    if (rank > 0)
        return run(&stopping, 1, &error) == WEIR_IO;
    if (run(&stopping, 1, &error) || !stop)
        return false;
    bool all = true;
    for (uint64_t task = 0; task < TASKS; task++)
        all &= done[task] && results[task].square == value_of(task);
    /* And goes on alone. */
    const struct setting plain = {.fails = UINT64_MAX};
    return !all && run(&plain, 2, &error) == WEIR_OK && all_right();
}

static bool act_otherwise(unsigned rank)
{
    const struct setting plain = {.fails = UINT64_MAX};
    struct weir_error error = {0};
    return rank == 0 ? run(&plain, 1, &error) == WEIR_IO : !run_long(1);
}

TEST(test_stopped_ranks)
{
    for (unsigned count = 2; count <= RANKS_MAX; count++)
        assert_true(in_ranks(count, UINT32_MAX, act_stopped));
}

/* Processes that come to different searches do not mix them up. */
TEST(test_different_searches)
{
    assert_true(in_ranks(2, UINT32_MAX, act_otherwise));
}

TEST(test_ranks)
{
    for (unsigned count = 1; count <= RANKS_MAX; count++) {
        assert_true(in_ranks(count, UINT32_MAX, act_plain));
        assert_true(in_ranks(count, UINT32_MAX, act_failing));
    }
}

/* One that is gone is an error for those that wait for it, never an answer without its part. */
TEST(test_dead_rank)
{
    assert_true(in_ranks(2, 1, act_with_the_dead));
    assert_true(in_ranks(2, 0, act_with_the_dead));
}
