/* SPDX-License-Identifier: Apache-2.0 */
/* In place of smt.c and smt_z3.c where Z3's header was not there to build them. */
#include "baseline/classic.h"

const char *weir_smt_missing(void)
{
    return "built without Z3: install libz3-dev and build again";
}

enum weir_status weir_smt_run(const struct weir_pipeline *pipeline, uint32_t chain, const struct weir_method_options *options,
                              struct weir_method_result *result, struct weir_error *error)
{
    (void)pipeline, (void)chain, (void)options, (void)result;
    return weir_fail(error, WEIR_INVALID, "%s", weir_smt_missing());
}
