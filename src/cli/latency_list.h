/* SPDX-License-Identifier: Apache-2.0 */
/* Latencies of analyses whose bounds are exact, safe or unknown, as lines: those of workers and of connections that do not wait. */
#ifndef WEIR_CLI_LATENCY_LIST_H
#define WEIR_CLI_LATENCY_LIST_H

#include "analyze.h"

struct weir_listed_latency {
    struct weir_pair_spec pair;
    bool known; /* false: there is no bound, and `why` says what stands in the way */
    bool exact; /* worst and best are reached */
    bool deadline_met;
    bool has_best;
    int64_t worst, best;
    const char *why;
};

struct weir_latency_list {
    const struct weir_pipeline *pipeline;
    const void *analysis;
    size_t count;
    bool full; /* all of them, however many */
    struct weir_listed_latency (*at)(const void *analysis, size_t index);
    /* What else is said of one, at the end of its line and in lines of their own below it. NULL: nothing. */
    void (*print_aside)(const struct weir_latency_list *list, size_t index);
    void (*print_below)(const struct weir_latency_list *list, size_t index, size_t indent);
};

/* Gives a pair without a deadline this one. False when it has its own. */
bool weir_pair_add_deadline(struct weir_pair_spec *pair, int64_t deadline);

bool weir_latency_list_misses(const struct weir_latency_list *list); /* some deadline */
enum weir_exit weir_latency_list_exit(const struct weir_latency_list *list);

enum weir_list_summary {
    WEIR_SUMMARY_EMPTY, /* no deadlines, and nothing printed */
    WEIR_SUMMARY_MET,
    WEIR_SUMMARY_BAD, /* a deadline is missed, or a bound unknown */
};
/* Prints the most urgent of all that the latencies say, without a newline. */
enum weir_list_summary weir_latency_list_sum_up(const struct weir_latency_list *list);
/* Their lines and an empty one; those that miss their deadline or have no bound come first. */
void weir_latency_list_print(const struct weir_latency_list *list);

#endif
