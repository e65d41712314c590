/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_ENGINE_PRIORITY_LOAD_H
#define WEIR_ENGINE_PRIORITY_LOAD_H

#include "engine/priority/system.h"

/* WEIR_PRIORITY_CONVERGED when no processor is asked for more than it has; otherwise the reason says which. */
enum weir_priority_outcome weir_load_check(struct weir_priority_system *system);

#endif
