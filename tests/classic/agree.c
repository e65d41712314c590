/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Methods agree wherever more than one is exact: random graphs of the papers' kind, small enough for all of them.
 *
 *     agree COUNT [SEED]      says what it compared; exit status 1 on the first contradiction, which is shrunk and saved
 */
#include "compare.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Not rtss24: it measures from another moment. */
enum { EXACT, TGDFS, STATESPACE, SMT, METHODS };

static const struct contestant contestants[METHODS] = {
    [EXACT] = {.name = "exact", .run = contestant_run, .method = WEIR_METHOD_EXACT},
    [TGDFS] = {.name = "tgdfs", .run = contestant_run, .method = WEIR_METHOD_TGDFS, .options = {.limit = 100000}},
    [STATESPACE] = {.name = "statespace", .run = contestant_run, .method = WEIR_METHOD_STATESPACE, .options = {.limit = 20000}},
    [SMT] = {.name = "smt", .reached = true, .run = contestant_run, .method = WEIR_METHOD_SMT, .options = {.horizon = 5}},
};

struct tally {
    uint64_t exact[METHODS], brackets[METHODS]; /* by method: how often */
    uint64_t horizon_enough;                    /* smt reaches the exact value */
};

/* Most graphs are small, so that the state space is, and Z3, which takes a hundred times as long as the rest, sees only a few. */
static struct sketch_shape shape_of(uint64_t seed, struct weir_random *random)
{
    static const int64_t scales[] = {3, 12, 1000};
    return (struct sketch_shape){.operators = (uint32_t)weir_random_between(random, 2, seed % 10 ? 7 : SKETCH_OPERATORS),
                                 .worst_max = scales[weir_random_between(random, 0, 2)],
                                 .zero_best = seed % 2,
                                 .capacity_max = (uint32_t)weir_random_between(random, 1, 3)};
}

static void count(struct tally *tally, const struct contest *contest)
{
    const struct weir_method_result *r = contest->results;
    for (size_t i = 0; i < contest->count; i++) {
        tally->exact[i] += r[i].applicable && r[i].outcome == WEIR_EXACT && (r[i].exact || i == SMT);
        tally->brackets[i] += r[i].applicable && r[i].outcome == WEIR_BRACKET;
    }
    tally->horizon_enough += contest->count > SMT && r[SMT].value == r[EXACT].value;
}

static bool try_seed(uint64_t seed, bool with_smt, struct tally *tally)
{
    struct weir_random random;
    struct sketch sketch;
    struct contest contest = {.contestants = contestants, .count = SMT};
    weir_random_seed(&random, seed);
    struct sketch_shape shape = shape_of(seed, &random);
    if (with_smt && seed % 8 < 2) {
        contest.count = METHODS;
        shape.operators = 2 + shape.operators % 4;
    }
    sketch_draw(&sketch, &shape, &random);
    if (!contest_contradicts(&contest, &sketch)) {
        count(tally, &contest);
        return true;
    }
    char path[64];
    printf("seed %" PRIu64 ": %s\n", seed, contest.words);
    bool saved = contest_report(&contest, &sketch, seed, path, sizeof path);
    printf("shrunk to %u operators: %s%s%s\n", sketch.operator_count, contest.words, saved ? "; saved as " : "", saved ? path : "");
    return false;
}

int main(int argc, char **argv)
{
    uint64_t graphs = argc > 1 ? strtoull(argv[1], NULL, 10) : 2000, first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    struct tally tally = {0};
    const char *why = NULL;
    bool with_smt = weir_method_available(WEIR_METHOD_SMT, &why);
    for (uint64_t seed = first; seed < first + graphs; seed++)
        if (!try_seed(seed, with_smt, &tally))
            return 1;
    printf("%" PRIu64 " graphs\n", graphs);
    for (size_t i = 0; i < METHODS; i++)
        printf("  %-10s  %" PRIu64 " values, %" PRIu64 " brackets\n", contestants[i].name, tally.exact[i], tally.brackets[i]);
    if (with_smt)
        printf("  the horizon of smt was enough for %" PRIu64 "\n", tally.horizon_enough);
    else
        printf("  without smt: %s\n", why);
    bool seen = tally.exact[EXACT] == graphs && tally.exact[TGDFS] * 3 > graphs && tally.exact[STATESPACE] * 3 > graphs * 2 &&
                (!with_smt || tally.horizon_enough * 10 > graphs);
    if (!seen)
        printf("the campaign did not see what it is for\n");
    return !seen;
}
