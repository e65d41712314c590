/* SPDX-License-Identifier: Apache-2.0 */
/* Models against what they were: which latency got worse, and which change of the model did it.
 * Experimental: may change with any version; weir.h includes it where WEIR_EXPERIMENTAL is defined. */
#ifndef WEIR_GUARD_H
#define WEIR_GUARD_H

#include "weir/answer.h"
#include "weir/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What became of a latency, the better first. docs/guide/ci.md has the rules. */
enum weir_guard_change {
    WEIR_GUARD_SAME,
    WEIR_GUARD_BETTER,
    WEIR_GUARD_WITHIN, /* worse, but within the tolerance */
    WEIR_GUARD_NEW,    /* not in the baseline */
    WEIR_GUARD_GONE,   /* only in the baseline */
    WEIR_GUARD_OPEN,   /* a limit was reached: it cannot be told */
    WEIR_GUARD_WORSE,
};
enum { WEIR_GUARD_CHANGES = WEIR_GUARD_WORSE + 1 };
WEIR_API const char *weir_guard_change_name(enum weir_guard_change change); /* "same", "better", "within", "new", ... */

enum weir_guard_role {
    WEIR_GUARD_ALONE,  /* the change alone makes the latency worse */
    WEIR_GUARD_NEEDED, /* it does so with others, and not without this one */
    WEIR_GUARD_PART,   /* alone it makes it worse by less than the tolerance */
};
enum { WEIR_GUARD_ROLES = WEIR_GUARD_PART + 1 };
WEIR_API const char *weir_guard_role_name(enum weir_guard_role role); /* "alone", "needed", "part" */

/* One change of the model. */
struct weir_guard_cause {
    const char *what;   /* "operator detect: time [20, 30] -> [20, 40]" */
    const char *effect; /* "alone 105 ms", "without it 95 ms" */
    enum weir_guard_role role;
    struct weir_place place; /* in the model of today; line 0: nothing of it is left there */
};

/* One latency. */
struct weir_guard_finding {
    enum weir_guard_change change;
    enum weir_verdict verdict;
    const char *latency;        /* "camera -> display" */
    const char *before, *after; /* "95 ms", "at most 95 ms", "no bound"; NULL: there is none */
    const char *message;        /* a sentence for people, without the latency */
    const char *because;        /* how the causes go together, or why none is known; NULL: nothing got worse */
    const struct weir_guard_cause *causes;
    size_t cause_count;
    struct weir_place place; /* of the first cause, or else of the latency; line 0: not known */
};

/* One model, or one that is only in the baseline. */
struct weir_guard_model {
    const char *file;
    const char *name;              /* what to call it */
    enum weir_guard_change change; /* WEIR_GUARD_NEW and _GONE are about the model; else the worst of the findings */
    enum weir_verdict verdict;
    const struct weir_answer *answer; /* all of it, as text and JSON; NULL where the model cannot be read */
    const struct weir_errors *errors; /* ... because of these; else NULL */
    const struct weir_guard_finding *findings;
    size_t finding_count;
};

struct weir_guard_options {
    const char *tolerance;              /* "2%", "1.5ms", or a number in the unit of the model; NULL: none */
    bool strict;                        /* latencies and models that are new or gone are failures as well */
    bool updates;                       /* the baseline will be rewritten: no advice to do so */
    struct weir_answer_options answers; /* how answers are found; `brief` is ignored */
};

struct weir_guard;
/* WEIR_INVALID where the tolerance is none. */
WEIR_API enum weir_status weir_guard_tolerance_check(const char *tolerance, struct weir_error *error);
/* With the baseline of that path; NULL: an empty one. The texts of the options are copied. Caller frees. */
WEIR_API enum weir_status weir_guard_open(const char *baseline, const struct weir_guard_options *options, struct weir_guard **guard,
                                          struct weir_errors *errors);
WEIR_API void weir_guard_free(struct weir_guard *guard); /* NULL is fine */

/* Holds a model against the baseline, in which `file` names it. The pipeline is the guard's from here on, in any case. */
WEIR_API enum weir_status weir_guard_check(struct weir_guard *guard, const char *file, struct weir_pipeline *pipeline,
                                           struct weir_error *error);
/* ... that cannot be read. The errors are the guard's from here on. */
WEIR_API enum weir_status weir_guard_refuse(struct weir_guard *guard, const char *file, struct weir_errors *errors);
/* When all have been: adds those that are only in the baseline. */
WEIR_API enum weir_status weir_guard_finish(struct weir_guard *guard, struct weir_error *error);

WEIR_API size_t weir_guard_count(const struct weir_guard *guard);
WEIR_API const struct weir_guard_model *weir_guard_at(const struct weir_guard *guard, size_t index); /* NULL beyond the last */

/* A baseline of the models that were held against this one, sorted by file: the same models give the same bytes. */
WEIR_API enum weir_status weir_guard_write(const struct weir_guard *guard, FILE *out, struct weir_error *error);
/* A summary for a pull request; test cases of JUnit; results of SARIF 2.1.0; annotations of GitHub's workflow commands. */
WEIR_API enum weir_status weir_guard_write_markdown(const struct weir_guard *guard, FILE *out, struct weir_error *error);
WEIR_API enum weir_status weir_guard_write_junit(const struct weir_guard *guard, FILE *out, struct weir_error *error);
WEIR_API enum weir_status weir_guard_write_sarif(const struct weir_guard *guard, FILE *out, struct weir_error *error);
WEIR_API enum weir_status weir_guard_write_annotations(const struct weir_guard *guard, FILE *out, struct weir_error *error);

#ifdef __cplusplus
}
#endif
#endif
