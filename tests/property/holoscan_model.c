/* SPDX-License-Identifier: Apache-2.0 */
#include "holoscan_model.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_port(FILE *out, const struct sdk_port *port)
{
    static const char *const policies[] = {"pop", "reject", "fault"}, *const missing[] = {"reuse", "skip", "fail"};
    fprintf(out, "  - {from: o%d, to: ", port->from);
    for (int k = 0; k < port->targets; k++)
        fprintf(out, "%s%so%d", port->targets > 1 && k == 0 ? "[" : "", k ? ", " : "", port->to[k]);
    fprintf(out, "%s", port->targets > 1 ? "]" : "");
    if (port->async)
        fprintf(out, ", latest: true, within: %" PRId64 ", missing: %s", port->within, missing[port->missing]);
    else
        fprintf(out, ", capacity: %d%s", port->capacity, port->input_none ? ", optional: true" : "");
    if (port->batch > 1)
        fprintf(out, ", consume: %d", port->batch);
    if (port->output_none)
        fprintf(out, ", blocking: false");
    if (port->output_none || port->shared)
        fprintf(out, ", full: %s", policies[port->policy]);
    if (port->shared)
        fprintf(out, ", port: in");
    fprintf(out, "}\n");
}

static void write_operator(FILE *out, const struct sdk_operator *op, int o)
{
    fprintf(out, "  o%d: {time: [%" PRId64 ", %" PRId64 "]", o, op->best, op->worst);
    if (op->lane)
        fprintf(out, ", lane: l%d", op->lane);
    if (op->start_within >= 0)
        fprintf(out, ", start-within: %" PRId64, op->start_within);
    fprintf(out, "}\n");
}

void holoscan_write(const struct sdk_app *app, char *text, size_t size)
{
    static const char *const arrivals[] = {"", "at-most", "catch-up", "skip"};
    bool sources = false;
    memset(text, 0, size);
    FILE *out = fmemopen(text, size - 1, "w");
    if (!out)
        abort();
    fprintf(out, "operators:\n");
    for (int o = 0; o < app->operator_count; o++)
        write_operator(out, &app->operators[o], o);
    fprintf(out, "queues:\n");
    for (int i = 0; i < app->port_count; i++)
        write_port(out, &app->ports[i]);
    for (int o = 0; o < app->operator_count; o++) {
        const struct sdk_operator *op = &app->operators[o];
        if (op->ticks == SDK_NO_TICKS)
            continue;
        fprintf(out, "%s  - {operator: o%d, period: %" PRId64 ", arrivals: %s}\n", sources ? "" : "sources:\n", o, op->period,
                arrivals[op->ticks]);
        sources = true;
    }
    if (app->scheduler == SDK_GREEDY)
        fprintf(out, "platform: {scheduler: greedy}\n");
    else if (app->scheduler == SDK_EVENT_BASED)
        fprintf(out, "platform: {scheduler: event-based, workers: %d}\n", app->workers);
    else if (app->scheduler == SDK_MULTI_THREAD)
        fprintf(out, "platform: {scheduler: multi-thread, workers: %d, polling: %" PRId64 "}\n", app->workers, app->polling);
    fclose(out);
}
