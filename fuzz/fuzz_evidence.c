/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a Holoscan application but the flow log: performance graphs, summaries, port maps, applications of GXF, job
 * statistics and descriptions of operators, whichever the bytes look like; and all of them when they look like none, so that no
 * reader depends on having been picked. Start it in a copy of corpus/evidence, with evidence.dict. */
#include "read/evidence.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

typedef enum weir_status reader(struct weir_evidence *, uint32_t, const char *, size_t, struct weir_errors *);

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
            demand(e->paths[i].operators[k] < e->operator_count);
    }
    for (size_t i = 0; i < e->period_count; i++)
        demand(e->periods[i].op < e->operator_count && e->periods[i].period > 0 && e->periods[i].period < WEIR_TIME_MAX);
    for (size_t i = 0; i < e->scheduler_count; i++)
        demand(e->schedulers[i].workers > 0 && e->schedulers[i].polling >= WEIR_TIME_UNKNOWN &&
               e->schedulers[i].polling < WEIR_TIME_MAX);
}

/* Mistakes and WEIR_INVALID come together, and mistakes in the order of the file. */
static void read_once(reader *read, const char *bytes, size_t size)
{
    struct weir_evidence e = {.notes = weir_errors_new()};
    struct weir_errors *errors = weir_errors_new();
    uint32_t line = 0;
    demand(errors && e.notes);
    uint32_t file = weir_evidence_add_file(&e, "fuzz", false);
    enum weir_status status = read(&e, file, bytes, size, errors);
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
    static reader *const readers[] = {
        [WEIR_EVIDENCE_SUMMARY] = weir_evidence_read_summary,
        [WEIR_EVIDENCE_PERF_GRAPH] = weir_evidence_read_perf_graph,
        [WEIR_EVIDENCE_PORT_MAP] = weir_evidence_read_port_map,
        [WEIR_EVIDENCE_GXF] = weir_evidence_read_gxf,
        [WEIR_EVIDENCE_JOB_STATISTICS] = weir_evidence_read_job_statistics,
        [WEIR_EVIDENCE_DESCRIPTION] = weir_evidence_read_description,
    };
    const char *bytes = (const char *)data;
    size_t sniffed = size < WEIR_EVIDENCE_SNIFF ? size : WEIR_EVIDENCE_SNIFF;
    enum weir_evidence_format format = weir_evidence_format_of(bytes, sniffed);
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        if (readers[i] && (format == i || format == WEIR_EVIDENCE_NONE))
            read_once(readers[i], bytes, size);
    return 0;
}
