/* SPDX-License-Identifier: Apache-2.0 */
/* Certificates to tamper with: real ones, copied out of a search, and what they claim row by row. */
#ifndef WEIR_TESTS_FORGE_H
#define WEIR_TESTS_FORGE_H

#include "check/exact/labels.h"
#include "engine/exact/search.h"
#include "engine/exact/solver.h"
#include "support/stage.h"

enum forge_table { FORGE_LABEL, FORGE_BEST, FORGE_ORIGIN, FORGE_TABLES };

struct forge {
    struct weir_pipeline *pipeline;
    struct weir_query query;
    int64_t worst;   /* the exact separation; the certificate says that worst + 1 is not reached */
    int64_t n, rows; /* entries of a row, rows stored */
    int64_t *honest[FORGE_TABLES], *table[FORGE_TABLES];
    struct weir_stretch *honest_stretches, *stretches;
    struct weir_certificate honest_certificate, certificate; /* the second of `table` and `stretches` */
};

/* Reads the model and searches for more than the worst case, which is not there. Events as in asking.h. */
void forge_make(struct forge *forge, const char *model, const char *from, const char *to, int64_t shift);
void forge_free(struct forge *forge);
/* Undoes all tampering. */
void forge_restore(struct forge *forge);

bool forge_alive(int64_t value);
size_t forge_entries(const struct forge *forge, enum forge_table table);

/* What a certificate claims of a row of the endless table, repetitions written out; WEIR_NOTHING beyond its end. */
int64_t forge_claim(const struct forge *forge, bool honest, enum forge_table table, int64_t row, int64_t actor);

/* Asserts of an accepted certificate that nothing it claims in the first rows is more than the truth, which is what the search
 * found: labels no shorter, bests and origins no longer. */
void forge_assert_true(const struct forge *forge, int64_t rows);

#endif
