/* SPDX-License-Identifier: Apache-2.0 */
#include "base/heap.h"

#include "base/random.h"
#include "support/runner.h"

#include <stdbool.h>
#include <stdlib.h>

/* ---- items that hold what they are ordered by ---- */

struct job {
    int64_t time;
    uint32_t number;
};

static bool job_before(const void *context, const struct job *a, const struct job *b)
{
    (void)context;
    return a->time < b->time || (a->time == b->time && a->number < b->number);
}

WEIR_HEAP(jobs, struct job, const void *, job_before, WEIR_HEAP_STAYS);

static int by_time(const void *left, const void *right)
{
    const struct job *a = left, *b = right;
    return job_before(NULL, a, b) ? -1 : job_before(NULL, b, a);
}

TEST(what_is_pushed_is_popped_in_order)
{
    enum { MOST = 200 };
    struct weir_random random;
    weir_random_seed(&random, 1);
    for (size_t wanted = 0; wanted <= MOST; wanted++) {
        struct job heap[MOST], list[MOST];
        size_t count = 0;
        for (uint32_t i = 0; i < wanted; i++) {
            list[i] = (struct job){weir_random_between(&random, -3, (int64_t)wanted / 2), i};
            jobs_push(NULL, heap, &count, list[i]);
        }
        qsort(list, wanted, sizeof *list, by_time);
        assert_int_equal(count, wanted);
        for (size_t i = 0; i < wanted; i++)
            assert_int_equal(jobs_pop(NULL, heap, &count).number, list[i].number);
        assert_int_equal(count, 0);
    }
}

/* Pushes and pops in any order, against looking through a list. */
TEST(the_first_is_popped_between_pushes)
{
    enum { MOST = 64 };
    struct job heap[MOST], list[MOST];
    size_t count = 0, listed = 0;
    struct weir_random random;
    weir_random_seed(&random, 2);
    for (uint32_t i = 0; i < 20000; i++) {
        if (count < MOST && (count == 0 || weir_random_between(&random, 0, 1))) {
            struct job job = {weir_random_between(&random, 0, 40), i};
            jobs_push(NULL, heap, &count, job);
            list[listed++] = job;
            continue;
        }
        size_t first = 0;
        for (size_t k = 1; k < listed; k++)
            if (job_before(NULL, &list[k], &list[first]))
                first = k;
        assert_int_equal(jobs_pop(NULL, heap, &count).number, list[first].number);
        list[first] = list[--listed];
        assert_int_equal(count, listed);
    }
}

/* ---- items that are ordered by what the context says, and that know where they stand ---- */

struct board {
    int64_t when[50];
    size_t place[50];
};

static bool sooner(const struct board *board, const uint32_t *a, const uint32_t *b)
{
    return board->when[*a] < board->when[*b];
}

#define NOTE_PLACE(board, who, at) ((board)->place[who] = (at))
WEIR_HEAP(waiting, uint32_t, struct board *, sooner, NOTE_PLACE);

TEST(items_are_moved_when_their_order_changes)
{
    enum { COUNT = 50 };
    struct board board;
    uint32_t heap[COUNT];
    struct weir_random random;
    weir_random_seed(&random, 3);
    for (uint32_t i = 0; i < COUNT; i++) {
        heap[i] = i;
        board.when[i] = weir_random_between(&random, 0, 100);
    }
    for (uint32_t i = COUNT; i-- > 0;)
        waiting_sink(&board, heap, COUNT, i, heap[i]);
    for (int round = 0; round < 5000; round++) {
        uint32_t who = (uint32_t)weir_random_between(&random, 0, COUNT - 1);
        int64_t before = board.when[who];
        board.when[who] = weir_random_between(&random, 0, 100);
        if (board.when[who] < before)
            waiting_rise(&board, heap, board.place[who], who);
        else
            waiting_sink(&board, heap, COUNT, board.place[who], who);
        for (uint32_t i = 0; i < COUNT; i++) {
            assert_int_equal(heap[board.place[i]], i);
            assert_true(i == 0 || board.when[heap[(i - 1) / 2]] <= board.when[heap[i]]);
        }
    }
}
