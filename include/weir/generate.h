/* SPDX-License-Identifier: Apache-2.0 */
/* Random pipelines, and the published ones.
 * Experimental: may change with any version; weir.h includes it where WEIR_EXPERIMENTAL is defined. */
#ifndef WEIR_GENERATE_H
#define WEIR_GENERATE_H

#include "weir/pipeline.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The random applications of the Holoscan papers: worst cases uniform in [100, 1000], extra queues with probability
 * density_permille / 1000, best case = worst * best_permille / 1000. Same seed, same pipeline. */
struct weir_generate_options {
    uint32_t nodes; /* >= 2 */
    uint64_t seed;
    uint32_t density_permille; /* the papers: 200 */
    uint32_t best_permille;    /* the papers: 0 */
    uint32_t queue;            /* capacity of every queue; 0: 1 */
};
WEIR_API enum weir_status weir_generate_holoscan(const struct weir_generate_options *options, struct weir_pipeline **pipeline,
                                                 struct weir_error *error);

/* The eight HoloHub applications of the papers, A to H in their tables. As published: examples/, and
 * where their sources connect them otherwise examples/published/. Names as there: "multi-ai-ultrasound" ... */
WEIR_API size_t weir_application_count(void);
WEIR_API const char *weir_application_name(size_t index); /* NULL beyond the last */

struct weir_application_options {
    uint32_t queue; /* capacity of every queue; 0: 1 */
    /* Worst cases uniform in [100, 1000], from the seed; otherwise those of the published evaluation. */
    bool random_times;
    uint64_t seed;
    uint32_t best_permille; /* best case = worst * best_permille / 1000 */
};
/* options may be NULL. */
WEIR_API enum weir_status weir_generate_application(const char *name, const struct weir_application_options *options,
                                                    struct weir_pipeline **pipeline, struct weir_error *error);

#ifdef __cplusplus
}
#endif
#endif
