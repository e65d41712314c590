/* SPDX-License-Identifier: Apache-2.0 */
/* The writers behind weir_pipeline_write, which reports what the stream did not take. Those that measure no latency pass over
 * `chain`. */
#ifndef WEIR_FORMAT_FORMATS_H
#define WEIR_FORMAT_FORMATS_H

#include "weir.h"

typedef enum weir_status weir_format_writer(const struct weir_pipeline *pipeline, uint32_t chain, FILE *out,
                                            struct weir_error *error);

weir_format_writer weir_write_model_json, weir_write_sdf3, weir_write_uppaal_xml, weir_write_uppaal_text, weir_write_uppaal_queries,
    weir_write_tchecker;

/* The model as JSON with no more than YAML has: what follows from another value is not said, so that it follows a change of that.
 */
enum weir_status weir_write_model_brief(const struct weir_pipeline *pipeline, FILE *out, struct weir_error *error);

/* Fails when the operators run where `format` cannot say: it holds the platforms up to `most`. */
enum weir_status weir_format_check_platform(const struct weir_pipeline *pipeline, const char *format, enum weir_platform most,
                                            struct weir_error *error);
/* Fails when a name is not text that `format` can hold; one that is a key has at most so many bytes. */
enum weir_status weir_format_check_names(const struct weir_pipeline *pipeline, const char *format, size_t most,
                                         struct weir_error *error);
/* Fails when a source on a pool of cores has arrivals that `format` has no words for. */
enum weir_status weir_format_check_sources(const struct weir_pipeline *pipeline, const char *format, struct weir_error *error);

/* Fails when a pipeline on a GPU says what `format` has no words for. */
enum weir_status weir_format_check_kernels(const struct weir_pipeline *pipeline, const char *format, struct weir_error *error);

/* The words of a model file: "pop", "reject", "fault"; "at-most", "exact", "catch-up", "skip". */
const char *weir_format_full(enum weir_full full);
const char *weir_format_arrivals(enum weir_arrivals arrivals);

/* How often samples arrive at a source on a pool of cores, as a frequency: "44.1kHz". False where no decimal number that can be
 * read says it, or where there are no seconds. */
#define WEIR_RATE_TEXT 64
bool weir_format_rate(const struct weir_pipeline *pipeline, const struct weir_source_spec *source, char text[WEIR_RATE_TEXT]);
/* Whether that is how the source has to be described: it has several even arrivals in a period. */
bool weir_format_needs_rate(const struct weir_pipeline *pipeline, const struct weir_source_spec *source);

#endif
