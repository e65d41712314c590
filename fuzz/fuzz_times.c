/* SPDX-License-Identifier: Apache-2.0 */
/* The times of kernels as CSV, for a graph of CUDA. Start it in a copy of corpus/times, with times.dict. */
#include "read_once.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const char graph[] = "digraph dot {\nsubgraph cluster_2 {\n"
                            "\"graph_2_node_0\"[shape=\"trapezium\"label=\"0\nMEMCPY\n(HtoD,16)\n\"];\n"
                            "\"graph_2_node_1\"[shape=\"octagon\" label=\"1\n_Z5scalePffi\n\\<\\<\\<64,128,0\\>\\>\\>\"];\n"
                            "\"graph_2_node_2\"[shape=\"octagon\" label=\"2\n_Z6reduceIfLi32EEvPT_PKS0_\n\"];\n"
                            "\"graph_2_node_3\"[shape=\"rectangle\" label=\"3\nEMPTY\n\"];\n"
                            "\"graph_2_node_0\" -> \"graph_2_node_1\" -> \"graph_2_node_3\" -> \"graph_2_node_2\";\n}\n}\n";

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char path[32];
    weir_fuzz_put_file(0, bytes, size, path);
    const struct weir_read_options options = {.sms = 132, .kernel_times = path};
    weir_fuzz_read((const uint8_t *)graph, sizeof graph - 1, &options);
    return 0;
}
