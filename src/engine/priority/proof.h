/* SPDX-License-Identifier: Apache-2.0 */
/* Certificates in the making. */
#ifndef WEIR_ENGINE_PRIORITY_PROOF_H
#define WEIR_ENGINE_PRIORITY_PROOF_H

#include "engine/priority/system.h"

/* Without stages, for the rooms that the system has fixed; queues that do not block get what their size is. NULL: out of memory. */
struct weir_bounds_proof *weir_proof_new(const struct weir_priority_system *system);
/* Appends these bounds; false when out of memory. */
bool weir_proof_add(struct weir_bounds_proof *proof, bool base, enum weir_priority_rule rule, const int64_t *enable,
                    const int64_t *finish);
/* Rooms of queues that are left to the analysis and do not block, by the bounds of the system. */
void weir_proof_set_rooms(struct weir_bounds_proof *proof, const struct weir_priority_system *system);

#endif
