/* SPDX-License-Identifier: Apache-2.0 */
/* weir generate: generate.c reads the command line and writes the model, the others make the kinds there are. */
#ifndef WEIR_CLI_GENERATE_H
#define WEIR_CLI_GENERATE_H

#include "cli.h"

/* What was given; NULL, 0 and false where nothing was. */
struct weir_generate_request {
    const struct weir_verb *verb;
    uint64_t seed;
    uint64_t nodes, queue;                              /* holoscan */
    const char *density, *best_ratio;                   /* ... */
    uint64_t graphs, tasks, processors;                 /* priority */
    const char *load, *jitter, *best, *system, *period; /* ... */
    bool cyclic, sporadic, mixed, sized;                /* ... */
    uint64_t rate, cores;                               /* flow; with nodes and system */
    bool heavy;                                         /* ... */
    const char *shape, *layers, *edge_probability;      /* gpu */
    uint64_t sms, size, parallelism, average_load;      /* ... */
    bool random_loads;                                  /* ... */
};

/* Complain when they fail; *pipeline is then left alone. */
enum weir_exit weir_generate_holoscan_model(const struct weir_generate_request *request, struct weir_pipeline **pipeline);
enum weir_exit weir_generate_priority_model(const struct weir_generate_request *request, struct weir_pipeline **pipeline);
enum weir_exit weir_generate_gpu_model(const struct weir_generate_request *request, struct weir_pipeline **pipeline);

/* "0.2", ".25", "1": thousandths, with nothing but zeros after the third digit behind the point. False beyond `most`. */
bool weir_permille_parse(const char *text, uint32_t most, uint32_t *permille);

#endif
