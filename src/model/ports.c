/* SPDX-License-Identifier: Apache-2.0 */
/* The ways to divide the receivers of assumed broadcasts among ports, and the pipeline of each. */
#include "model/ports.h"

#include "base/error.h"

#include <string.h>

#define NO_PLACE UINT32_MAX

bool weir_pipeline_assumes(const struct weir_pipeline *p)
{
    for (size_t i = 0; i < p->operator_count; i++)
        if (p->operators[i].assumed)
            return true;
    return false;
}

const char *weir_pipeline_assumed(const struct weir_pipeline *p)
{
    size_t i = 0;
    while (!p->operators[i].assumed)
        i++;
    return p->operators[i].name;
}

enum weir_status weir_pipeline_require_ports(const struct weir_pipeline *p, struct weir_error *error)
{
    char name[WEIR_QUOTED];
    if (!weir_pipeline_assumes(p))
        return WEIR_OK;
    return weir_fail(error, WEIR_INVALID,
                     "this needs to know the ports, but \"%s\" is assumed: say whether its receivers have one port or "
                     "one each, with --ports shared or --ports separate where the file is read or converted",
                     weir_quote(weir_pipeline_assumed(p), name));
}

/* ---- what can be assumed ---- */

struct ends {
    uint32_t inputs, outputs;
    bool begun, cascade; /* messages are in its input; it stands behind another that is assumed */
};

static void count_ends(const struct weir_pipeline *p, struct ends *ends)
{
    for (size_t i = 0; i < p->queue_count; i++) {
        const struct weir_queue_spec *q = &p->queues[i];
        ends[q->from.index].outputs++;
        ends[q->to.index].inputs++;
        ends[q->to.index].begun |= q->initial > 0 || q->consume > 1 || weir_queue_is_cut(q);
        ends[q->to.index].cascade |= p->operators[q->from.index].assumed;
    }
}

static bool is_measured(const struct weir_pipeline *p, uint32_t op)
{
    for (size_t i = 0; i < p->chain_count; i++)
        if (p->chains[i].from.index == op || p->chains[i].to.index == op)
            return true;
    for (size_t i = 0; i < p->source_count; i++)
        if (p->sources[i].op.index == op)
            return true;
    return false;
}

void weir_pipeline_check_ports(struct weir_sealing *s)
{
    const struct weir_pipeline *p = s->pipeline;
    if (!weir_pipeline_assumes(p))
        return;
    struct ends *ends = weir_array_zeroed(p->operator_count, sizeof *ends);
    if (!ends) {
        s->status = weir_sealing_memory(s);
        return;
    }
    count_ends(p, ends);
    for (uint32_t i = 0; i < p->operator_count; i++) {
        const struct weir_operator_spec *o = &p->operators[i];
        if (!o->assumed)
            continue;
        if (ends[i].inputs != 1 || ends[i].outputs < 2 || ends[i].begun || ends[i].cascade || o->reentrant || o->launch)
            weir_sealing_mistake(
                s, o->place,
                "operator \"%s\" cannot be assumed: that is for a broadcast, with one input that begins empty, from "
                "an operator that is there, and several receivers",
                o->name);
        else if (is_measured(p, i))
            weir_sealing_mistake(s, o->place, "operator \"%s\" is assumed, so nothing can be measured at it", o->name);
    }
    weir_free(ends);
}

/* ---- one reading after the other ---- */

bool weir_readings_begin(struct weir_readings *r, const struct weir_pipeline *p)
{
    *r = (struct weir_readings){.pipeline = p};
    r->port = weir_arena_array(&r->arena, p->queue_count, sizeof *r->port);
    r->broadcasts = weir_arena_array(&r->arena, p->operator_count, sizeof *r->broadcasts);
    if (r->arena.failed || !weir_links_make(&r->in, p, WEIR_LINKS_IN, &r->arena) ||
        !weir_links_make(&r->out, p, WEIR_LINKS_OUT, &r->arena))
        return false;
    for (uint32_t op = 0; op < p->operator_count; op++)
        if (p->operators[op].assumed)
            r->broadcasts[r->count++] = op;
    return true;
}

void weir_readings_free(struct weir_readings *r)
{
    weir_arena_free(&r->arena);
}

/* The port of receiver `i` of a broadcast. */
static uint32_t *port_of(const struct weir_readings *r, uint32_t op, uint32_t i)
{
    return &r->port[r->out.queue[r->out.first[op] + i]];
}

static uint32_t receivers_of(const struct weir_readings *r, uint32_t op)
{
    return r->out.first[op + 1] - r->out.first[op];
}

/*
 * A port is numbered when its first queue comes: each number is at most one above those before it, so that every division has one
 * list of numbers. The next list adds one to the last number that allows it, and begins anew behind it.
 */
static bool advance(struct weir_readings *r, uint32_t op)
{
    for (uint32_t i = receivers_of(r, op); i-- > 0;) {
        uint32_t *port = port_of(r, op, i);
        bool allowed = false;
        for (uint32_t k = 0; k < i && !allowed; k++)
            allowed = *port_of(r, op, k) >= *port;
        if (allowed) {
            ++*port;
            return true;
        }
        *port = 0;
    }
    return false;
}

bool weir_readings_next(struct weir_readings *r)
{
    for (uint32_t b = 0; b < r->count; b++)
        if (advance(r, r->broadcasts[b]))
            return true;
    return false;
}

void weir_readings_separate(struct weir_readings *r)
{
    for (uint32_t b = 0; b < r->count; b++)
        for (uint32_t i = 0; i < receivers_of(r, r->broadcasts[b]); i++)
            *port_of(r, r->broadcasts[b], i) = i;
}

/* In how many ways so many receivers can be divided: the triangle of Bell's numbers, whose rows begin with the end of the one
 * before and add what stands above. Up to 8 of them; more are beyond all limits. */
static uint64_t divisions(uint32_t receivers)
{
    uint64_t row[9] = {1}, count = 1;
    if (receivers > 8)
        return WEIR_READINGS_MAX + 1;
    for (uint32_t n = 1; n < receivers; n++) {
        uint64_t above = row[0];
        row[0] = row[n - 1];
        for (uint32_t k = 1; k <= n; k++) {
            uint64_t next = row[k];
            row[k] = row[k - 1] + above;
            above = next;
        }
        count = row[n];
    }
    return count;
}

uint32_t weir_readings_count(const struct weir_readings *r)
{
    uint64_t count = 1;
    for (uint32_t b = 0; b < r->count && count <= WEIR_READINGS_MAX; b++)
        count *= divisions(receivers_of(r, r->broadcasts[b]));
    return count > WEIR_READINGS_MAX ? WEIR_READINGS_MAX + 1 : (uint32_t)count;
}

/* ---- its pipeline ---- */

struct making {
    const struct weir_readings *readings;
    const struct weir_pipeline *from;
    struct weir_pipeline *to;
    uint32_t *place;  /* by operator: where it is in the new one; NO_PLACE: it is a broadcast */
    uint32_t *behind; /* by queue: the broadcast of its port; NO_PLACE: that has none */
    struct weir_error *error;
};

/* Of several broadcasts in place of one, those behind the first have a number. */
static enum weir_status add_broadcast(struct making *m, uint32_t op, struct weir_operator *made)
{
    struct weir_operator_spec spec = m->from->operators[op];
    size_t room = strlen(spec.name) + 32;
    char *name = weir_array(room, 1);
    if (!name)
        return weir_fail_memory(m->error);
    snprintf(name, room, "%s", spec.name);
    for (uint32_t number = 2; weir_pipeline_find(m->to, name, NULL) || (number > 2 && weir_pipeline_find(m->from, name, NULL));
         number++)
        snprintf(name, room, "%s.%u", spec.name, number);
    spec.name = name;
    spec.assumed = false;
    spec.broadcast = true;
    enum weir_status status = weir_pipeline_add_operator(m->to, &spec, made, m->error);
    weir_free(name);
    return status;
}

/* One broadcast for each port with several receivers. A port is told by its first receiver. */
static enum weir_status divide(struct making *m, uint32_t op)
{
    const struct weir_readings *r = m->readings;
    uint32_t count = receivers_of(r, op);
    enum weir_status status = WEIR_OK;
    for (uint32_t i = 0, ports = 0; i < count && !status; i++) {
        struct weir_operator made = {NO_PLACE};
        uint32_t port = *port_of(r, op, i), receivers = 0;
        if (port < ports)
            continue;
        ports = port + 1;
        for (uint32_t k = i; k < count; k++)
            receivers += *port_of(r, op, k) == port;
        if (receivers > 1)
            status = add_broadcast(m, op, &made);
        for (uint32_t k = i; k < count; k++)
            if (*port_of(r, op, k) == port)
                m->behind[r->out.queue[r->out.first[op] + k]] = made.index;
    }
    return status;
}

static enum weir_status add_operators(struct making *m)
{
    const struct weir_pipeline *p = m->from;
    enum weir_status status = WEIR_OK;
    for (uint32_t op = 0; op < p->operator_count && !status; op++) {
        struct weir_operator made = {NO_PLACE};
        status = p->operators[op].assumed ? divide(m, op) : weir_pipeline_add_operator(m->to, &p->operators[op], &made, m->error);
        m->place[op] = made.index;
    }
    return status;
}

/* One queue into each broadcast that stands in place of `op`; they were added one after the other. */
static enum weir_status feed(struct making *m, uint32_t op, struct weir_queue_spec spec)
{
    const struct weir_readings *r = m->readings;
    enum weir_status status = WEIR_OK;
    uint32_t last = NO_PLACE;
    for (uint32_t i = 0; i < receivers_of(r, op) && !status; i++) {
        uint32_t behind = m->behind[r->out.queue[r->out.first[op] + i]];
        if (behind == NO_PLACE || (last != NO_PLACE && behind <= last))
            continue;
        last = spec.to.index = behind;
        status = weir_pipeline_add_queue(m->to, &spec, NULL, m->error);
    }
    return status;
}

static enum weir_status add_queues(struct making *m)
{
    const struct weir_pipeline *p = m->from;
    const struct weir_links *in = &m->readings->in;
    enum weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < p->queue_count && !status; i++) {
        struct weir_queue_spec spec = p->queues[i];
        uint32_t from = spec.from.index, to = spec.to.index;
        if (!p->operators[from].assumed)
            spec.from.index = m->place[from];
        else if (m->behind[i] != NO_PLACE)
            spec.from.index = m->behind[i];
        else
            spec.from.index = m->place[p->queues[in->queue[in->first[from]]].from.index];
        spec.to.index = m->place[to];
        status = p->operators[to].assumed ? feed(m, to, spec) : weir_pipeline_add_queue(m->to, &spec, NULL, m->error);
    }
    return status;
}

static enum weir_status add_rest(struct making *m)
{
    const struct weir_pipeline *p = m->from;
    enum weir_status status = WEIR_OK;
    for (size_t i = 0; i < p->source_count && !status; i++) {
        struct weir_source_spec spec = p->sources[i];
        spec.op.index = m->place[spec.op.index];
        status = weir_pipeline_add_source(m->to, &spec, m->error);
    }
    for (size_t i = 0; i < p->chain_count && p->shift_given && !status; i++) {
        struct weir_chain_spec spec = p->chains[i];
        spec.from.index = m->place[spec.from.index];
        spec.to.index = m->place[spec.to.index];
        spec.has_shift = p->shift_given[i];
        status = weir_pipeline_add_chain(m->to, &spec, m->error);
    }
    return status;
}

struct weir_pipeline *weir_readings_make(const struct weir_readings *r, struct weir_error *error)
{
    const struct weir_pipeline *p = r->pipeline;
    struct making m = {.readings = r,
                       .from = p,
                       .to = weir_pipeline_new(error),
                       .place = weir_array(p->operator_count, sizeof *m.place),
                       .behind = weir_array(p->queue_count, sizeof *m.behind),
                       .error = error};
    enum weir_status status = WEIR_MEMORY;
    if (m.to && m.place && m.behind) {
        status = weir_pipeline_copy_head(p, m.to, error);
        status = status ? status : add_operators(&m);
        status = status ? status : add_queues(&m);
        status = status ? status : add_rest(&m);
        status = status ? status : weir_pipeline_seal_alone(m.to, error);
    } else {
        weir_fail_memory(error);
    }
    weir_free(m.place);
    weir_free(m.behind);
    if (status) {
        weir_pipeline_free(m.to);
        m.to = NULL;
    }
    return m.to;
}
