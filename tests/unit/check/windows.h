/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When windows on a pool of cores close: docs/concepts/pool-of-cores.md, section 3, said once more in the plainest way, every
 * moment at which a window can begin, every execution, every distance on a grid, one by one. For trees of operators.
 */
#ifndef WEIR_TESTS_WINDOWS_H
#define WEIR_TESTS_WINDOWS_H

#include <stdbool.h>
#include <stdint.h>

enum { WINDOWS_NODES = 7 };

struct windows_node {
    int64_t e, p, r;         /* cost, period, the least response that is claimed */
    int64_t claim;           /* of its window; 0: none */
    int64_t o, early, ahead; /* behind a source that is not even, o is counted from the release there */
    uint32_t part, group;
    int parent; /* -1: a source */
    bool even;
    bool cut;          /* initial samples are enough for an execution, so that it need not wait for its parent */
    bool idle;         /* not even: there are executions that need no arrival ... */
    int64_t line;      /* ... by this line */
    int64_t high, low; /* not even: what phi is at most, and at least */
    int64_t held, source;
    int64_t gap;           /* to its parent */
    int64_t anew, carried; /* in the window that is looked at */
};

struct windows {
    struct windows_node n[WINDOWS_NODES];
    uint32_t count;
    int64_t cores;
    int64_t turns[WINDOWS_NODES];
};

/* Whether all windows that are claimed close; `more`: with somewhat more of them than need be. */
bool windows_close(struct windows *o, bool more);
/* Whether the two never run at the same time. */
bool windows_are_apart(const struct windows *o, uint32_t i, uint32_t k);

#endif
