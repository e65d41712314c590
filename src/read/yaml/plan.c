/* SPDX-License-Identifier: Apache-2.0 */
/* The time of an operator that launches a graph of kernels: "time: {gpu: FILE}". */
#include "read/yaml/value.h"

void weir_yaml_plan_time(struct weir_draft *d, const struct weir_yaml_node *node, uint32_t times[2])
{
    enum { GPU, METHOD, BEST, DEVICE, PLAN_KEYS };
    static const char *const words[PLAN_KEYS] = {"gpu", "method", "best", "device"};
    static const struct weir_yaml_keys keys = {"a time", words, PLAN_KEYS, NULL};
    const struct weir_yaml_node *values[PLAN_KEYS];
    char quoted[WEIR_QUOTED];
    times[0] = times[1] = weir_draft_bad_time(d, node->place);
    bool clean = weir_yaml_fields(d, node, &keys, values);
    if (clean && !values[GPU])
        weir_draft_mistake(d, node->place, "\"time\" is a time, a list of two, or {gpu: FILE}, where the file has kernels");
    const char *path = values[GPU] ? weir_yaml_text(d, values[GPU], words[GPU], "the path of a file") : NULL;
    const char *text = values[METHOD] ? weir_yaml_text(d, values[METHOD], words[METHOD], "best or safe") : "best";
    enum weir_gpu_method method = text ? weir_gpu_method_named(text) : WEIR_GPU_METHODS;
    if (values[METHOD] && text && method != WEIR_GPU_BEST && method != WEIR_GPU_SAFE) {
        weir_draft_mistake(d, values[METHOD]->place, "\"method\" must be best or safe, whose bounds hold, not \"%s\"",
                           weir_quote(text, quoted));
        text = NULL;
    }
    times[0] = values[BEST] ? weir_yaml_time(d, values[BEST], words[BEST]) : WEIR_NO_TIME;
    const char *device = values[DEVICE] ? weir_yaml_text(d, values[DEVICE], words[DEVICE], "the name of a GPU") : "";
    if (path && text && !d->out_of_memory)
        times[1] = weir_draft_plan_time(d, path, method, values[GPU]->place);
    if (path && text && device && !d->out_of_memory)
        weir_draft_claim_device(d, device, values[GPU]->place);
}
