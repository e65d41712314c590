/* SPDX-License-Identifier: Apache-2.0 */
/* What the methods are called, and which of them this build has. */
#include "classic/classic.h"

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
#ifndef WEIR_HAVE_Z3
    if (method == WEIR_METHOD_SMT)
        missing = "this build of weir has no Z3: install libz3-dev and build again";
#endif
    if (why)
        *why = missing;
    return !missing;
}
