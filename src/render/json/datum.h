/* SPDX-License-Identifier: Apache-2.0 */
/* Values and tables of an answer as JSON. */
#ifndef WEIR_RENDER_JSON_DATUM_H
#define WEIR_RENDER_JSON_DATUM_H

#include "render/json/report.h"

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
