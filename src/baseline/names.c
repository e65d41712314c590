/* SPDX-License-Identifier: Apache-2.0 */
/* What the methods are called, and which of them this build has. */
#include "baseline/classic.h"
#include "baseline/smt.h"

const char *weir_method_name(enum weir_method method)
{
    static const char *const names[WEIR_METHODS] = {[WEIR_METHOD_EXACT] = "exact",
                                                    [WEIR_METHOD_TGDFS] = "tgdfs",
                                                    [WEIR_METHOD_RTSS24] = "rtss24",
                                                    [WEIR_METHOD_STATESPACE] = "statespace",
                                                    [WEIR_METHOD_SMT] = "smt"};
    return (unsigned)method < WEIR_METHODS ? names[method] : "unknown";
}

bool weir_method_available(enum weir_method method, const char **why)
{
    const char *missing = NULL;
    if ((unsigned)method >= WEIR_METHODS)
        missing = "there is no such method";
    if (method == WEIR_METHOD_SMT)
        missing = weir_smt_missing();
    if (why)
        *why = missing;
    return !missing;
}
