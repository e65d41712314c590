/* SPDX-License-Identifier: Apache-2.0 */
/* The part of Z3's C interface that is used, as a table of functions found at run time. */
#ifndef WEIR_BASELINE_SMT_Z3_H
#define WEIR_BASELINE_SMT_Z3_H

#include <stdbool.h>
#include <stdint.h>
#include <z3.h>

#define WEIR_Z3_FUNCTIONS(EACH)                                                                                                    \
    EACH(mk_config)                                                                                                                \
    EACH(del_config)                                                                                                               \
    EACH(mk_context)                                                                                                               \
    EACH(del_context)                                                                                                              \
    EACH(set_error_handler)                                                                                                        \
    EACH(get_error_code)                                                                                                           \
    EACH(get_error_msg)                                                                                                            \
    EACH(mk_int_sort)                                                                                                              \
    EACH(mk_fresh_const)                                                                                                           \
    EACH(mk_int64)                                                                                                                 \
    EACH(mk_add)                                                                                                                   \
    EACH(mk_sub)                                                                                                                   \
    EACH(mk_le)                                                                                                                    \
    EACH(mk_ge)                                                                                                                    \
    EACH(mk_eq)                                                                                                                    \
    EACH(mk_or)                                                                                                                    \
    EACH(mk_string_symbol)                                                                                                         \
    EACH(mk_params)                                                                                                                \
    EACH(params_inc_ref)                                                                                                           \
    EACH(params_dec_ref)                                                                                                           \
    EACH(params_set_uint)                                                                                                          \
    EACH(mk_simple_solver)                                                                                                         \
    EACH(solver_inc_ref)                                                                                                           \
    EACH(solver_dec_ref)                                                                                                           \
    EACH(solver_set_params)                                                                                                        \
    EACH(solver_assert)                                                                                                            \
    EACH(solver_push)                                                                                                              \
    EACH(solver_pop)                                                                                                               \
    EACH(solver_check)                                                                                                             \
    EACH(solver_get_model)                                                                                                         \
    EACH(model_inc_ref)                                                                                                            \
    EACH(model_dec_ref)                                                                                                            \
    EACH(model_eval)                                                                                                               \
    EACH(get_numeral_int64)

#define WEIR_Z3_MEMBER(name) __typeof__(Z3_##name) *(name);

struct weir_z3 {
    WEIR_Z3_FUNCTIONS(WEIR_Z3_MEMBER)
};

/* Loads the library the first time; it stays until the process ends. NULL when there is none. Any thread may call it. */
const struct weir_z3 *weir_z3_load(void);

#endif
