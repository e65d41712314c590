/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the answer about a trial share. */
#ifndef WEIR_MEASURE_RUN_REPORT_H
#define WEIR_MEASURE_RUN_REPORT_H

#include "measure/run/trial.h"

static inline struct weir_datum weir_report_count(uint64_t count)
{
    return weir_datum_count(count > INT64_MAX ? INT64_MAX : (int64_t)count);
}

static inline struct weir_datum weir_report_duration(bool known, int64_t ns)
{
    return known ? weir_datum_duration(ns) : weir_datum_null();
}

static inline struct weir_datum weir_report_text(const char *text)
{
    return weir_datum_text(text && *text ? text : NULL);
}

static inline int64_t weir_report_mean(int64_t total, uint64_t count)
{
    return count ? total / (int64_t)count : 0;
}

static inline const char *weir_report_operator(const struct weir_trial *trial, struct weir_operator op)
{
    return weir_pipeline_operator(trial->pipeline, op).name;
}

static inline const char *weir_report_latency(const struct weir_trial *trial, uint32_t index)
{
    struct weir_chain_spec chain = weir_pipeline_chain(trial->pipeline, index);
    const char *text = weir_answer_format(trial->answer, "%s -> %s", weir_report_operator(trial, chain.from),
                                          weir_report_operator(trial, chain.to));
    return text ? text : "";
}

/* Adds a line to a note that goes below a table. */
static inline void weir_report_append(struct weir_trial *trial, const char **note, const char *line)
{
    *note = *note && line ? weir_answer_format(trial->answer, "%s\n%s", *note, line) : line ? line : *note;
}

#endif
