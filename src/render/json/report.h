/* SPDX-License-Identifier: Apache-2.0 */
/* What the answers of all engines share as JSON. A value that is not known is null. */
#ifndef WEIR_RENDER_JSON_REPORT_H
#define WEIR_RENDER_JSON_REPORT_H

#include "base/json.h"

struct weir_report {
    struct weir_json json;
    const struct weir_pipeline *pipeline;
    unsigned digits;
};

/* Opens the object of a model: its version, name, unit and engine. */
void weir_report_begin(struct weir_report *report, const struct weir_pipeline *pipeline, const char *title, const char *engine,
                       FILE *out);
/* Closes it with a newline. */
enum weir_status weir_report_end(struct weir_report *report, struct weir_error *error);

void weir_report_time(struct weir_report *report, const char *key, bool known, int64_t ticks);
void weir_report_text(struct weir_report *report, const char *key, const char *text);
void weir_report_bool(struct weir_report *report, const char *key, bool value);
void weir_report_integer(struct weir_report *report, const char *key, int64_t value);
/* The keys that name a latency. */
void weir_report_chain(struct weir_report *report, const struct weir_chain_spec *chain);
const char *weir_report_operator(const struct weir_report *report, struct weir_operator op);

/* The key with its value; nothing where the value is absent. Times are in the model's unit, exact or rounded up in the sixth
 * decimal (lower bounds: down). */
void weir_report_datum(struct weir_report *report, const char *key, const struct weir_datum *value);
/* The key with an array that has an object for each row. */
void weir_report_table(struct weir_report *report, const struct weir_table *table);

/* The key "witness" with an execution that reaches a bound. */
void weir_report_witness(struct weir_report *report, const struct weir_witness *witness);
/* By enum weir_wait and enum weir_part. */
extern const char *const weir_wait_words[], *const weir_part_words[];

/* The JSON Schema of all that --json prints, from schema.def. */
enum weir_status weir_answer_write_schema(FILE *out, struct weir_error *error);

#endif
