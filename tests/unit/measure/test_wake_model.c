/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The protocol of src/measure/run/wait.h, tried out in full: one thread publishes two indices, two threads sleep for one of them
 * each, as short programs on a machine that reorders what no rule orders. An instruction may be executed before an earlier one
 * unless there is a fence between them, the earlier one acquires, the later one releases, or both name the same variable. Reads may
 * be made before the condition is known that decides whether a fence precedes them; if it turns out that one does, they are made
 * again. A membarrier is done for one other thread at
 * a time, at a moment when what that thread has executed is the beginning of its program. Memory is one for all, as on x86 and
 * ARMv8. Wrong protocols must be found out by the same search.
 */
#include "support/stage.h"

#include "support/runner.h"

#include <string.h>

enum variable { INDEX_A, INDEX_B, WORD_A, WORD_B, FENCES, SETTLED, VARIABLES };
enum kind { LOAD, ACQUIRE, STORE, RELEASE, FENCE, BARRIER }; /* BARRIER: of the thread `variable`, by another one */
enum { ALWAYS = -1, THREADS = 3, PROGRAM = 10 };

struct instruction {
    enum kind kind;
    uint8_t variable;
    int8_t condition; /* an earlier load of the same program, or ALWAYS */
    bool wants;       /* what it must have read */
};

struct program {
    struct instruction code[PROGRAM];
    int length;
};

/* What has been executed, and read, by thread and instruction: bits. */
struct machine {
    uint16_t done[THREADS], read[THREADS];
    uint8_t memory;
};

enum fault { NONE, NO_PUBLISHER_FENCE, NO_SLEEPER_FENCE, NO_BARRIER, SETTLED_EARLY, FLAG_FIRST, FAULTS };

static struct program programs[THREADS];

static int add(struct program *p, enum kind kind, unsigned variable, int condition, bool wants)
{
    p->code[p->length] = (struct instruction){kind, (uint8_t)variable, (int8_t)condition, wants};
    return p->length++;
}

static int publish(struct program *p, enum variable index, enum variable word, enum fault fault)
{
    int flag;
    if (fault == FLAG_FIRST)
        flag = add(p, LOAD, FENCES, ALWAYS, false);
    add(p, RELEASE, index, ALWAYS, false);
    if (fault != FLAG_FIRST)
        flag = add(p, LOAD, FENCES, ALWAYS, false);
    if (fault != NO_PUBLISHER_FENCE)
        add(p, FENCE, 0, flag, true);
    return add(p, LOAD, word, ALWAYS, false);
}

/* With the index last. `flips`: it finds that sleeps are not rare. */
static void go_to_sleep(struct program *p, int self, enum fault fault, bool flips)
{
    add(p, STORE, self == 1 ? WORD_A : WORD_B, ALWAYS, false);
    if (fault != NO_SLEEPER_FENCE)
        add(p, FENCE, 0, ALWAYS, false);
    int settled = add(p, ACQUIRE, SETTLED, ALWAYS, false);
    if (flips)
        add(p, RELEASE, FENCES, settled, false);
    int settles = add(p, ACQUIRE, FENCES, settled, false);
    if (fault == SETTLED_EARLY)
        add(p, RELEASE, SETTLED, settles, true);
    for (int other = 0; other < THREADS && fault != NO_BARRIER; other++)
        if (other != self)
            add(p, BARRIER, (unsigned)other, settled, false);
    if (fault != SETTLED_EARLY)
        add(p, RELEASE, SETTLED, settles, true);
    add(p, LOAD, self == 1 ? INDEX_A : INDEX_B, ALWAYS, false);
}

static bool has(uint16_t bits, int i)
{
    return bits >> i & 1;
}

/* Whether instruction i is known to be skipped, or to be executed; neither: its condition is not known yet. */
static bool applies(const struct machine *m, int thread, int i, bool wanted)
{
    const struct instruction *each = &programs[thread].code[i];
    if (each->condition == ALWAYS)
        return wanted;
    return has(m->done[thread], each->condition) && (has(m->read[thread], each->condition) == each->wants) == wanted;
}

static bool is_load(const struct instruction *each)
{
    return each->kind == LOAD || each->kind == ACQUIRE;
}

/* Whether `later` has to wait for `i`, which has not been executed. */
static bool precedes(const struct machine *m, int thread, int i, int later)
{
    const struct instruction *a = &programs[thread].code[i], *b = &programs[thread].code[later];
    if (applies(m, thread, i, false))
        return false;
    if (!is_load(b)) /* writes either release or are first */
        return true;
    if (a->kind == FENCE || a->kind == BARRIER)
        return applies(m, thread, i, true);
    return a->kind == ACQUIRE || a->variable == b->variable;
}

static bool ready(const struct machine *m, int thread, int i)
{
    const struct instruction *each = &programs[thread].code[i];
    if (has(m->done[thread], i) || (!is_load(each) && !applies(m, thread, i, true)) || applies(m, thread, i, false))
        return false;
    for (int k = 0; k < i; k++)
        if (!has(m->done[thread], k) && precedes(m, thread, k, i))
            return false;
    if (each->kind == BARRIER) { /* bits from the lowest on, those that are skipped aside */
        bool end = false;
        for (int k = 0; k < programs[each->variable].length; k++) {
            bool done = has(m->done[each->variable], k);
            if (done && end)
                return false;
            end = end || (!done && !applies(m, each->variable, k, false));
        }
    }
    return true;
}

static struct machine execute(struct machine m, int thread, int i)
{
    const struct program *p = &programs[thread];
    const struct instruction *each = &p->code[i];
    m.done[thread] |= (uint16_t)(1U << i);
    if (each->kind == STORE || each->kind == RELEASE)
        m.memory |= (uint8_t)(1U << each->variable);
    if (!is_load(each) || !(m.memory >> each->variable & 1))
        return m;
    m.read[thread] |= (uint16_t)(1U << i);
    for (int k = i + 1; k < p->length; k++)
        if (p->code[k].kind == FENCE && p->code[k].condition == i && p->code[k].wants)
            for (int later = k + 1; later < p->length; later++) /* what was read too early */
                if (is_load(&p->code[later])) {
                    m.done[thread] &= (uint16_t) ~(1U << later);
                    m.read[thread] &= (uint16_t) ~(1U << later);
                }
    return m;
}

#define SEEN (1U << 20)
static struct machine seen[SEEN];
static bool used[SEEN];
static unsigned states;

static bool is_new(const struct machine *m)
{
    uint64_t key = m->memory;
    for (int i = 0; i < THREADS; i++)
        key = (key * 0x9e3779b97f4a7c15U + m->done[i]) * 0x9e3779b97f4a7c15U + m->read[i];
    for (uint64_t at = key >> 40;; at++) {
        at %= SEEN;
        if (!used[at]) {
            used[at] = true;
            seen[at] = *m;
            return ++states < SEEN / 2;
        }
        if (!memcmp(seen[at].done, m->done, sizeof m->done) && !memcmp(seen[at].read, m->read, sizeof m->read) &&
            seen[at].memory == m->memory)
            return false;
    }
}

/* At the end: it read that the index is not there, and the publisher that it does not wait. */
static bool asleep(const struct machine *m, int thread, int look)
{
    return !has(m->read[thread], programs[thread].length - 1) && !has(m->read[0], look);
}

static bool loses(const int looks[2])
{
    static struct machine stack[SEEN];
    unsigned depth = 0;
    memset(used, 0, sizeof used);
    states = 0;
    struct machine first = {.memory = 0};
    is_new(&first);
    stack[depth++] = first;
    while (depth > 0) {
        struct machine m = stack[--depth];
        bool over = true;
        for (int t = 0; t < THREADS; t++)
            for (int i = 0; i < programs[t].length; i++)
                if (ready(&m, t, i)) {
                    struct machine next = execute(m, t, i);
                    over = false;
                    if (is_new(&next))
                        stack[depth++] = next;
                }
        if (over && (asleep(&m, 1, looks[0]) || asleep(&m, 2, looks[1])))
            return true;
    }
    assert_true(states < SEEN / 2); /* all of them have been looked at */
    return false;
}

/* Which of both sleepers finds that sleeps are not rare: bits. */
static bool can_lose(enum fault fault, unsigned flips)
{
    int looks[2];
    memset(programs, 0, sizeof programs);
    looks[0] = publish(&programs[0], INDEX_A, WORD_A, fault);
    looks[1] = publish(&programs[0], INDEX_B, WORD_B, fault);
    go_to_sleep(&programs[1], 1, fault, flips & 1);
    go_to_sleep(&programs[2], 2, fault, flips & 2);
    return loses(looks);
}

static void no_wake_up_is_lost(void **state)
{
    (void)state;
    for (unsigned flips = 0; flips < 4; flips++) {
        assert_false(can_lose(NONE, flips));
        assert_true(states > 1000);
    }
}

static void every_part_is_needed(void **state)
{
    (void)state;
    for (int fault = NO_PUBLISHER_FENCE; fault < FAULTS; fault++) {
        bool lost = false;
        for (unsigned flips = 0; flips < 4; flips++)
            lost = lost || can_lose((enum fault)fault, flips);
        if (!lost)
            fail_msg("fault %d goes unnoticed", fault);
    }
}

int wake_model_group(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_wake_up_is_lost), cmocka_unit_test(every_part_is_needed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
