/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data Flow Tracking logs, line by line: for each execution of a leaf a counter, "17:", and one line for each path that led to it,
 * "(name,receive,publish) -> (name,receive,publish)". One pass over the file in blocks; the memory depends on the names, not on the
 * length. weir/holoscan.h has what is handed out.
 */
#ifndef WEIR_READ_HOLOSCAN_FLOW_LOG_H
#define WEIR_READ_HOLOSCAN_FLOW_LOG_H

#include "read/holoscan/evidence.h"
#include "read/holoscan/flow_jumps.h"

/* Puts what the log says into the store, as file number `file`. */
struct weir_flow_reading {
    const char *path;
    const char *bytes; /* the log itself, in memory; NULL: it is in the file at `path` */
    size_t size;
    void (*progress)(void *context, unsigned permille); /* may be NULL */
    void *context;
    struct weir_errors *errors;
};
enum weir_status weir_flow_log_gather(struct weir_evidence *evidence, uint32_t file, const struct weir_flow_reading *reading);

#endif
