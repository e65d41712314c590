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

#endif
