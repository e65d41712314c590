/* SPDX-License-Identifier: Apache-2.0 */
/* Between the verb `analyze` and its option --method. */
#ifndef WEIR_CLI_METHOD_H
#define WEIR_CLI_METHOD_H

#include "cli.h"

struct weir_method_settings {
    const char *name;                   /* as given; NULL: none */
    enum weir_method method;            /* WEIR_METHODS: it is one for other platforms only */
    enum weir_priority_method priority; /* WEIR_PRIORITY_METHODS: it is none for shared processors */
    enum weir_gpu_method gpu;           /* WEIR_GPU_METHODS: it is none for a GPU */
    bool all;                           /* for a GPU: all of them */
    const char *expressions;            /* a file, or NULL */
    uint64_t limit, horizon, megabytes, seconds;
};

/* Finds the method by its name and checks the options that go with it; prints what is wrong. */
enum weir_exit weir_method_check(struct weir_method_settings *settings, const struct weir_verb *verb);
/* Whether the method, if one is given, is for models of this platform; otherwise *error says which ones are. */
bool weir_method_applies(const struct weir_method_settings *settings, enum weir_platform platform, struct weir_error *error);

#endif
