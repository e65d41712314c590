/* SPDX-License-Identifier: Apache-2.0 */
/* Models from what a Holoscan application leaves behind. */
#ifndef WEIR_CLI_HOLOSCAN_H
#define WEIR_CLI_HOLOSCAN_H

#include "cli.h"

/* Zero-initialise. */
struct weir_holoscan_arguments {
    struct weir_option_list from, times;
    const char *margin; /* "20%"; NULL: none */
};
/* What is wrong with them beside `operands` models, or NULL. */
const char *weir_holoscan_usage(const struct weir_holoscan_arguments *arguments, size_t operands);
/* Makes the model, and prints what is wrong and what there is to note. `queue` may be 0. */
enum weir_exit weir_holoscan_load(const struct weir_holoscan_arguments *arguments, uint32_t queue, struct weir_pipeline **pipeline);
void weir_holoscan_free(struct weir_holoscan_arguments *arguments);

#endif
