/* SPDX-License-Identifier: Apache-2.0 */
#include "support/flow_log.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define EPOCH INT64_C(1685129021000000)

struct run {
    const struct weir_pipeline *pipeline;
    struct weir_test_log *log;
    FILE *out;
    uint32_t operators;
    int64_t *start, *finish; /* by operator and iteration */
    uint32_t *way, *next;    /* from the leaf back to a root; the queue to try next at each step */
    uint64_t record;
};

static void observe(void *context, struct weir_operator op, enum weir_moment moment, int64_t iteration, int64_t time)
{
    struct run *r = context;
    int64_t *moments = moment == WEIR_START ? r->start : moment == WEIR_FINISH ? r->finish : NULL;
    if (moments)
        moments[op.index * r->log->iterations + iteration] = time;
}

static void write_line(struct run *r, size_t length, int64_t iteration)
{
    const char *prefix = r->log->prefix ? r->log->prefix : "";
    for (size_t i = length; i-- > 0;) {
        size_t at = (size_t)(r->way[i] * r->log->iterations + iteration);
        fprintf(r->out, "%s(%s%s,%" PRId64 ",%" PRId64 ")", i + 1 < length ? " -> " : "", prefix,
                weir_pipeline_operator(r->pipeline, (struct weir_operator){r->way[i]}).name, EPOCH + r->start[at],
                EPOCH + r->finish[at]);
    }
    bool last = r->log->cut && iteration + 1 == r->log->iterations;
    fputs(last ? "" : r->log->crlf ? " \r\n" : " \n", r->out);
    r->log->lines++;
}

/* All paths from roots to the leaf, by trying the queues that lead to each operator in turn. */
static void write_ways(struct run *r, uint32_t leaf, int64_t iteration)
{
    size_t length = 1;
    r->way[0] = leaf;
    r->next[0] = 0;
    bool extended = false;
    while (length > 0) {
        uint32_t at = r->way[length - 1], queues = weir_pipeline_queue_count(r->pipeline), q = r->next[length - 1];
        while (q < queues && weir_pipeline_queue(r->pipeline, (struct weir_queue){q}).to.index != at)
            q++;
        if (q < queues) {
            r->next[length - 1] = q + 1;
            r->way[length] = weir_pipeline_queue(r->pipeline, (struct weir_queue){q}).from.index;
            r->next[length++] = 0;
            extended = true;
            continue;
        }
        if (extended || length == 1) { /* a root: nothing leads to it */
            bool root = true;
            for (uint32_t i = 0; i < queues && root; i++)
                root = weir_pipeline_queue(r->pipeline, (struct weir_queue){i}).to.index != at;
            for (int copies = 0; root && copies < (r->log->twice ? 2 : 1); copies++)
                write_line(r, length, iteration);
        }
        extended = false;
        length--;
    }
}

static void write_records(struct run *r)
{
    const char *end = r->log->crlf ? "\r\n" : "\n";
    for (int64_t i = 0; i < r->log->iterations; i++)
        for (uint32_t op = 0; op < r->operators; op++) {
            bool leaf = true;
            for (uint32_t q = 0; q < weir_pipeline_queue_count(r->pipeline) && leaf; q++)
                leaf = weir_pipeline_queue(r->pipeline, (struct weir_queue){q}).from.index != op;
            if (!leaf)
                continue;
            fprintf(r->out, "%" PRIu64 ":%s", ++r->record, end);
            if (r->log->garbage && r->record % 7 == 3)
                fprintf(r->out, "(half,16851290%s\x01\xff\xfe ->%s(a,1,2) -> %s", end, end, end);
            write_ways(r, op, i);
            if (!r->log->cut || i + 1 < r->log->iterations)
                fputs(end, r->out);
        }
}

static void measure(struct run *r)
{
    struct weir_test_log *log = r->log;
    for (uint32_t op = 0; op < r->operators; op++)
        for (int64_t i = 0; i < log->iterations - (log->cut ? 1 : 0); i++) {
            int64_t took = r->finish[op * log->iterations + i] - r->start[op * log->iterations + i];
            log->min[op] = i == 0 || took < log->min[op] ? took : log->min[op];
            log->max[op] = i == 0 || took > log->max[op] ? took : log->max[op];
        }
    for (uint32_t p = 0; p < weir_pipeline_chain_count(r->pipeline); p++) {
        struct weir_chain_spec chain = weir_pipeline_chain(r->pipeline, p);
        for (int64_t i = 0; i < log->iterations; i++) {
            int64_t took = r->finish[chain.to.index * log->iterations + i] - r->start[chain.from.index * log->iterations + i];
            log->latency[p] = took > log->latency[p] ? took : log->latency[p];
        }
    }
}

bool weir_test_log_write(const struct weir_pipeline *pipeline, struct weir_test_log *log, FILE *out)
{
    struct run r = {.pipeline = pipeline, .log = log, .out = out, .operators = weir_pipeline_operator_count(pipeline)};
    size_t events = (size_t)(r.operators * log->iterations);
    r.start = calloc(events, sizeof *r.start);
    r.finish = calloc(events, sizeof *r.finish);
    r.way = calloc(r.operators + 1, sizeof *r.way);
    r.next = calloc(r.operators + 1, sizeof *r.next);
    log->min = calloc(r.operators, sizeof *log->min);
    log->max = calloc(r.operators, sizeof *log->max);
    log->latency = calloc(weir_pipeline_chain_count(pipeline), sizeof *log->latency);
    struct weir_simulation_options options = {
        .iterations = log->iterations, .times = log->times, .seed = log->seed, .observe = observe, .context = &r};
    bool fine = r.start && r.finish && r.way && r.next && log->min && log->max && log->latency &&
                weir_simulate(pipeline, &options, NULL) == WEIR_OK;
    if (fine) {
        write_records(&r);
        measure(&r);
    }
    free(r.start);
    free(r.finish);
    free(r.way);
    free(r.next);
    return fine && fflush(out) == 0 && !ferror(out);
}
