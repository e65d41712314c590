/* SPDX-License-Identifier: Apache-2.0 */
/* The writers behind weir_pipeline_write, which reports what the stream did not take. Those that measure no latency pass over
 * `pair`. */
#ifndef WEIR_WRITE_FORMATS_H
#define WEIR_WRITE_FORMATS_H

#include "weir.h"

typedef enum weir_status weir_format_writer(const struct weir_pipeline *pipeline, uint32_t pair, FILE *out,
                                            struct weir_error *error);

weir_format_writer weir_write_model_json, weir_write_sdf3, weir_write_uppaal_xml, weir_write_uppaal_text, weir_write_uppaal_queries,
    weir_write_tchecker;

#endif
