/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One execution of a task set, played as the model's words say (docs/concepts/shared-processors.md, section 13), and what it shows.
 * A plan is a number: it says how long executions take, when inputs arrive, and where frames begin, always within what the task set
 * allows. Plan 0: all take their worst times, and everything begins together. Of most plans all executions of a task take the same
 * time, and inputs come on time after a while; such an execution repeats itself, or does so but for more and more that waits.
 */
#ifndef WEIR_CHECK_PRIORITY_EXECUTION_H
#define WEIR_CHECK_PRIORITY_EXECUTION_H

#include "base/alloc.h"
#include "base/sorted.h"
#include "model/taskset.h"

enum weir_execution_end {
    WEIR_EXECUTION_OPEN,  /* it shows nothing, or was not followed for long enough */
    WEIR_EXECUTION_GROWS, /* it repeats itself for ever, but that some tasks are further behind their source each time */
    WEIR_EXECUTION_FILLS, /* the same, as long as there is room in queue `edge`, whose room is not limited here but will be */
    WEIR_EXECUTION_LOSES, /* queue `edge`, which does not block, has no place for a message */
};

/* What a queue holds at a moment. Its consumer waits while that is `low` or less, its producer while it is `full` or more. */
struct weir_played_edge {
    uint32_t from, to; /* a source: the number behind the last task */
    int64_t messages, low, full;
    int64_t least; /* the fewest messages since the mark */
};

struct weir_played_execution {
    struct weir_arena arena;
    const struct weir_taskset *set;
    /* To be set before it is played: by edge, the free slots of queues that block; WEIR_UNBOUNDED, or a number. */
    uint32_t *room;
    int64_t
        *fed_from; /* by edge: from then on `to` must not wait for its messages, or the execution shows nothing; INT64_MAX: may */
    uint64_t plan, work; /* work: how much it may take, in looks at a task or an edge */
    /* Everything happens as early as it can: a task that is ready runs, in its slot where it has one, and waits neither for others
     * on its processor nor for queues that may lose messages or get more free slots. In no execution of the same plan does anything
     * end earlier. */
    bool alone;

    /* What it shows. */
    int64_t *places; /* by edge that blocks: with this many free slots or more everything happens in the same way */
    int64_t *behind; /* by task: GROWS: how many more of its iterations are late in each round; otherwise 0 */
    size_t edge;
    int64_t step, round; /* FILLS: so many messages more after each round, the first of which has ended at `round` */

    /* While it is played. What may run changes where inputs come and executions end: only that is looked at again. */
    int times, releases;           /* of the plan */
    int64_t now, boundary, period; /* period: of everything but the backlog; 0: too long to be waited for */
    int64_t settled;               /* inputs are on time from then on; INT64_MAX: never */
    int64_t fed_first;             /* the least of `fed_from` */
    int64_t *time, *done, *left;   /* by task: of executions that are all alike; ended; of the current one, -1: not begun */
    uint32_t *blocked;             /* by task: how many queues it waits for; 0: it is ready */
    uint8_t *chosen, *changed;     /* by task; one more than there are: sources */
    uint32_t *changes, *starts;    /* tasks whose queues have changed; those that start now */
    uint32_t change_count, start_count;
    int64_t *offset;                 /* by task on a TDM processor: of its slot */
    int64_t *arrived, *next, *phase; /* by graph */
    uint32_t *turn;                  /* by processor: the task whose turn it is, or which runs */
    int64_t *used;                   /* ... round robin */
    uint8_t *stale;                  /* ... one of its tasks has changed */
    struct weir_played_edge *edges;  /* by edge */
    struct weir_groups ends, inputs,
        held; /* by task: 2 * edge, + 1 where it is the consumer; by graph: edges; by processor: tasks */
    /* The mark: the state some rounds ago. */
    int64_t marked, *mark_done, *mark_left, *mark_used, *mark_arrived;
    uint8_t *mark_chosen;
    uint32_t *mark_turn;
};

/* False when out of memory; to be closed nevertheless. */
bool weir_execution_open(struct weir_played_execution *execution, const struct weir_taskset *set);
void weir_execution_close(struct weir_played_execution *execution);

/* False: what is played shows nothing. It does not repeat itself, and no message can be lost. */
bool weir_execution_shows(struct weir_played_execution *execution);
enum weir_execution_end weir_execution_play(struct weir_played_execution *execution);

/* Of the plan: how long an execution takes, and how long after its nominal moment an input comes, if none before it is later. */
int64_t weir_execution_time(const struct weir_played_execution *execution, uint32_t task, int64_t iteration);
int64_t weir_execution_delay(const struct weir_played_execution *execution, uint32_t graph, int64_t input);

#endif
