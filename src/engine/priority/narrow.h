/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_ENGINE_PRIORITY_NARROW_H
#define WEIR_ENGINE_PRIORITY_NARROW_H

#include "engine/priority/proof.h"

/* Lowers bounds that hold, in the system with the rooms that are fixed, as far as the rule allows; each step becomes a stage of the
 * proof. It may end at any time, and does at the limit of work. False: out of memory. */
bool weir_priority_narrow(struct weir_priority_system *system, enum weir_priority_rule rule, struct weir_bounds_proof *proof);

#endif
