/* SPDX-License-Identifier: Apache-2.0 */
/* Whether there is a Z3 for the method smt. It is a library of tens of megabytes, so it is loaded when it is first asked for. */
#ifndef WEIR_BASELINE_SMT_H
#define WEIR_BASELINE_SMT_H

/* NULL when weir_smt_run works; otherwise what is missing, in words. */
const char *weir_smt_missing(void);

#endif
