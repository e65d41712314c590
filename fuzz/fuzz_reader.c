/* SPDX-License-Identifier: Apache-2.0 */
/* One reader of a file of a Holoscan application, that of WEIR_FUZZ_FORMAT: a target for each. Whether the bytes look like
 * its format does not matter, so that no reader depends on having been picked. */
#include "read/holoscan/evidence.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void demand(bool what)
{
    if (!what)
        abort();
}

static void check_time(int64_t min, int64_t max)
{
    demand(min >= WEIR_TIME_UNKNOWN && min < WEIR_TIME_MAX && max >= WEIR_TIME_UNKNOWN && max < WEIR_TIME_MAX);
    demand(min == WEIR_TIME_UNKNOWN || max == WEIR_TIME_UNKNOWN || min <= max);
}

/* What is in the store is about operators that are there, in numbers that can be worked with. */
static void check_store(const struct weir_evidence *e)
{
    for (size_t i = 0; i < e->operator_count; i++)
        demand(weir_evidence_find(e, e->operators[i].name, __builtin_strlen(e->operators[i].name)) == i);
    for (size_t i = 0; i < e->time_count; i++) {
        demand(e->times[i].op < e->operator_count && e->times[i].max != WEIR_TIME_UNKNOWN);
        check_time(e->times[i].min, e->times[i].max);
    }
    for (size_t i = 0; i < e->connection_count; i++)
        demand(e->connections[i].from < e->operator_count && e->connections[i].to < e->operator_count);
    for (size_t i = 0; i < e->port_count; i++)
        demand(e->ports[i].op < e->operator_count && e->ports[i].port[0]);
    for (size_t i = 0; i < e->path_count; i++) {
        demand(e->paths[i].count > 0);
        check_time(e->paths[i].min, e->paths[i].max);
        for (size_t k = 0; k < e->paths[i].count; k++)
            demand(weir_evidence_find(e, e->paths[i].names[k], __builtin_strlen(e->paths[i].names[k])) < e->operator_count);
    }
    for (size_t i = 0; i < e->period_count; i++)
        demand(e->periods[i].op < e->operator_count && e->periods[i].period > 0 && e->periods[i].period < WEIR_TIME_MAX);
    for (size_t i = 0; i < e->scheduler_count; i++)
        demand(e->schedulers[i].workers > 0 && e->schedulers[i].polling >= WEIR_TIME_UNKNOWN &&
               e->schedulers[i].polling < WEIR_TIME_MAX);
}

/* Mistakes and WEIR_INVALID come together, and mistakes in the order of the file. */
static void read_once(const char *bytes, size_t size)
{
    struct weir_evidence e = {.notes = weir_errors_new()};
    struct weir_errors *errors = weir_errors_new();
    uint32_t line = 0;
    demand(errors && e.notes);
    uint32_t file = weir_evidence_add_file(&e, "fuzz", false);
    e.files[file].format = WEIR_FUZZ_FORMAT;
    enum weir_status status = weir_evidence_read(&e, file, bytes, size, errors);
    demand(status == WEIR_OK || status == WEIR_INVALID);
    demand((status == WEIR_OK) == (weir_errors_count(errors) == 0));
    for (size_t i = 0; i < weir_errors_count(errors); i++) {
        const struct weir_error *mistake = weir_errors_at(errors, i);
        demand(mistake->message[0] && (mistake->line == 0 || (mistake->column > 0 && mistake->line >= line)));
        line = mistake->line ? mistake->line : line;
    }
    check_store(&e);
    weir_errors_free(errors);
    weir_errors_free(e.notes);
    weir_evidence_free(&e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *bytes = (const char *)data;
    weir_evidence_format_of(bytes, size < WEIR_EVIDENCE_SNIFF ? size : WEIR_EVIDENCE_SNIFF);
    read_once(bytes, size);
    return 0;
}
