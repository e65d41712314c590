/* SPDX-License-Identifier: Apache-2.0 */
/* One method on its own, as published: bounds, then capacities where sizing did not choose them on the way. */
#include "engine/priority/method.h"

static const struct {
    enum weir_priority_rule rule;
    bool sizing;
} methods[WEIR_PRIORITY_METHODS] = {
    [WEIR_PRIORITY_BEST] = {WEIR_PRIORITY_RULE_BEST, false}, [WEIR_PRIORITY_PJ0] = {WEIR_PRIORITY_RULE_PJ0, false},
    [WEIR_PRIORITY_PJ] = {WEIR_PRIORITY_RULE_PJ, false},     [WEIR_PRIORITY_PJ_IBS] = {WEIR_PRIORITY_RULE_PJ, true},
    [WEIR_PRIORITY_EI] = {WEIR_PRIORITY_RULE_EI, false},     [WEIR_PRIORITY_EI_IBS] = {WEIR_PRIORITY_RULE_EI, true},
    [WEIR_PRIORITY_EIC] = {WEIR_PRIORITY_RULE_EIC, false},   [WEIR_PRIORITY_CIX] = {WEIR_PRIORITY_RULE_CIX, false},
};

enum weir_status weir_method_single(struct weir_method_run *run, enum weir_priority_method method)
{
    struct weir_priority_system *s = run->system;
    run->variant = weir_priority_method_name(method);
    run->rule = methods[method].rule;
    run->outcome = weir_priority_loop(s, run->rule, methods[method].sizing);
    if (run->outcome == WEIR_PRIORITY_CONVERGED && !weir_priority_fix_rooms(s))
        run->outcome = s->reason.outcome = WEIR_PRIORITY_LIMIT;
    if (run->outcome == WEIR_PRIORITY_CONVERGED && !weir_priority_keeps_all(s))
        run->outcome = s->reason.outcome = WEIR_PRIORITY_VIOLATED;
    if (run->outcome != WEIR_PRIORITY_CONVERGED || !weir_priority_method_safe(method))
        return WEIR_OK;
    run->proof = weir_proof_new(s);
    if (!run->proof || !weir_proof_add(run->proof, true, run->rule, s->enable, s->finish))
        return WEIR_MEMORY;
    weir_proof_set_rooms(run->proof, s);
    return WEIR_OK;
}
