/* SPDX-License-Identifier: Apache-2.0 */
/* What the rows of the table of engines (answer/find.c) have for `simulate`. */
#ifndef WEIR_ANSWER_SIMULATE_ENGINES_H
#define WEIR_ANSWER_SIMULATE_ENGINES_H

#include "answer/simulate/simulation.h"

enum weir_status weir_simulate_threads(struct weir_simulation *s, struct weir_error *error);
enum weir_status weir_simulate_workers(struct weir_simulation *s, struct weir_error *error);
enum weir_status weir_simulate_priority(struct weir_simulation *s, struct weir_error *error);
enum weir_status weir_simulate_edf(struct weir_simulation *s, struct weir_error *error);
enum weir_status weir_simulate_gpu(struct weir_simulation *s, struct weir_error *error);

#endif
