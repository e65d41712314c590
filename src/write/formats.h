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

/* Fails when the operators run where `format` cannot say: it holds the platforms up to `most`. */
enum weir_status weir_format_check_platform(const struct weir_pipeline *pipeline, const char *format, enum weir_platform most,
                                            struct weir_error *error);
/* Fails when the name of a processor or a source is not text that `format` can hold; a key has at most key_max bytes. */
enum weir_status weir_format_check_names(const struct weir_pipeline *pipeline, const char *format, size_t key_max,
                                         struct weir_error *error);

#endif
