/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators, broadcasts and queues. All connections are sorted by their ends first, so that those which several files have stand
 * together: there the files are compared. What is left is sorted by output ports, so that the receivers of a port stand together.
 */
#include "read/holoscan/evidence_build.h"

#include <stdlib.h>
#include <string.h>

static const struct weir_place nowhere = {0, 0};

static int compare_text(const char *a, const char *b)
{
    return !a || !b ? (a != NULL) - (b != NULL) : strcmp(a, b);
}

/* By ends; what has ports first, then by ports, then as given. */
static int by_ends(const void *left, const void *right)
{
    const struct weir_link *a = left, *b = right;
    int order = weir_link_compare(a->from, b->from);
    if (!order)
        order = weir_link_compare(a->to, b->to);
    if (!order)
        order = (int)b->graph - (int)a->graph;
    if (!order)
        order = (int)(b->says->from_port != NULL) - (int)(a->says->from_port != NULL);
    if (!order)
        order = compare_text(a->says->from_port, b->says->from_port);
    if (!order)
        order = compare_text(a->says->to_port, b->says->to_port);
    return order ? order : weir_link_compare((uintptr_t)a->says, (uintptr_t)b->says);
}

/* What is kept first, then by output ports, then as given. */
static int by_port(const void *left, const void *right)
{
    const struct weir_link *a = left, *b = right;
    int order = (int)b->kept - (int)a->kept;
    if (!order)
        order = weir_link_compare(a->from, b->from);
    if (!order)
        order = compare_text(a->says->from_port, b->says->from_port);
    return order ? order : weir_link_compare((uintptr_t)a->says, (uintptr_t)b->says);
}

/* What is kept first, then by input ports, then as given. */
static int by_input(const void *left, const void *right)
{
    const struct weir_link *a = left, *b = right;
    int order = (int)b->kept - (int)a->kept;
    if (!order)
        order = weir_link_compare(a->to, b->to);
    if (!order)
        order = compare_text(a->says->to_port, b->says->to_port);
    return order ? order : weir_link_compare((uintptr_t)a->says, (uintptr_t)b->says);
}

/* ---- comparing files ---- */

/* What is known of the path from one to the other, whoever said it, goes to the links that are kept. */
static void share_transfers(struct weir_link *links, size_t first, size_t end)
{
    struct weir_link all = {0};
    for (size_t i = first; i < end; i++) {
        const struct weir_evidence_connection *c = links[i].says;
        all.latest |= c->latest;
        all.batch = c->batch > all.batch ? c->batch : all.batch;
        if (!c->timed)
            continue;
        all.transfer_min = all.timed && all.transfer_min < c->transfer_min ? all.transfer_min : c->transfer_min;
        all.transfer_max = all.timed && all.transfer_max > c->transfer_max ? all.transfer_max : c->transfer_max;
        all.timed = true;
    }
    for (size_t i = first; i < end; i++) {
        links[i].latest = all.latest;
        links[i].batch = all.batch;
        links[i].timed = all.timed;
        links[i].transfer_min = all.transfer_min;
        links[i].transfer_max = all.transfer_max;
    }
}

/* The links [first, end) join the same two operators. */
static void compare_files(struct weir_linking *l, size_t first, size_t end)
{
    struct weir_evidence *e = l->b->evidence;
    struct weir_link *links = l->links;
    char from[WEIR_QUOTED], to[WEIR_QUOTED];
    bool seen = false;
    share_transfers(links, first, end);
    for (size_t i = first; i < end; i++) {
        const struct weir_evidence_connection *c = links[i].says, *before = i > first ? links[i - 1].says : NULL;
        bool same = before && compare_text(c->from_port, before->from_port) == 0 && compare_text(c->to_port, before->to_port) == 0;
        links[i].kept = links[i].graph && (i == first || (c->from_port && !same));
        seen |= e->files[c->at.file].observed;
    }
    const struct weir_evidence_connection *said = links[first].says;
    weir_quote(e->operators[links[first].from].name, from);
    weir_quote(e->operators[links[first].to].name, to);
    if (!links[first].graph)
        weir_evidence_note(e, said->at, "contradiction: \"%s\" -> \"%s\" is here, but in no file that gives the graph; left out",
                           from, to);
    else if (l->ported && !said->from_port)
        weir_evidence_note(e, said->at, "contradiction: \"%s\" -> \"%s\" is in %s, but not in the file that names ports; kept",
                           from, to, weir_link_file(l, said->at));
    else if (l->observed && !seen)
        weir_evidence_note(e, said->at, "no log has a message that went from \"%s\" to \"%s\"", from, to);
}

/* Several outputs that lead to one input port fill one queue. A port that takes any number of connections has a queue for each, and
 * a name: "receivers:0", "receivers:1". */
static void find_shared_inputs(struct weir_linking *l)
{
    struct weir_evidence *e = l->b->evidence;
    char from[2][WEIR_QUOTED], to[WEIR_QUOTED], port[WEIR_QUOTED];
    if (l->count)
        qsort(l->links, l->count, sizeof *l->links, by_input);
    for (size_t i = 1; i < l->count && l->links[i].kept; i++) {
        struct weir_link *a = &l->links[i - 1], *b = &l->links[i];
        if (a->to != b->to || !a->says->to_port || compare_text(a->says->to_port, b->says->to_port) != 0)
            continue;
        a->shared = b->shared = true;
        weir_evidence_note(e, b->says->at,
                           "\"%s\" and \"%s\" both lead to port \"%s\" of \"%s\": one queue with several producers (port); if "
                           "both see the last free place, one message finds it full",
                           weir_quote(e->operators[a->from].name, from[0]), weir_quote(e->operators[b->from].name, from[1]),
                           weir_quote(b->says->to_port, port), weir_quote(e->operators[b->to].name, to));
    }
}

/* ---- operators ---- */

static void make_operators(struct weir_linking *l)
{
    struct weir_evidence_building *b = l->b;
    struct weir_evidence *e = b->evidence;
    bool connected = false;
    char quoted[WEIR_QUOTED];
    for (size_t i = 0; i < e->operator_count; i++)
        b->made[i] = WEIR_NO_OPERATOR;
    for (size_t i = 0; i < l->count; i++)
        if (l->links[i].kept) {
            b->made[l->links[i].from] = b->made[l->links[i].to] = 0;
            connected = true;
        }
    for (uint32_t i = 0; i < e->operator_count && !b->draft->out_of_memory; i++) {
        const struct weir_evidence_operator *o = &e->operators[i];
        bool alone = weir_evidence_is_drawn(b, i); /* an operator without connections */
        if (b->made[i] == WEIR_NO_OPERATOR && alone && connected)
            weir_evidence_note(e, o->at, "\"%s\" is not connected to anything here, and is left out", weir_quote(o->name, quoted));
        if (b->made[i] == WEIR_NO_OPERATOR && (!alone || connected))
            continue;
        size_t bytes = strlen(o->name);
        b->made[i] = WEIR_NO_OPERATOR;
        if (!weir_draft_check_name(b->draft, o->name, bytes, nowhere))
            continue;
        b->made[i] = weir_draft_add_operator(b->draft, o->name, bytes, nowhere);
        if (b->made[i] != WEIR_NO_OPERATOR)
            b->draft->operators[b->made[i]].broadcast = o->broadcast;
    }
}

/* ---- queues ---- */

/* What a file of job statistics calls the broadcast of a port: it ends in broadcast_OPERATOR_PORT. */
static void claim_broadcast(struct weir_linking *l, const struct weir_link *link, uint32_t broadcast)
{
    struct weir_evidence *e = l->b->evidence;
    char tail[2 * WEIR_EVIDENCE_NAME_MAX + 16];
    size_t bytes = (size_t)snprintf(tail, sizeof tail, "broadcast_%s_%s", e->operators[link->from].name, link->says->from_port);
    for (uint32_t i = 0; i < e->operator_count; i++) {
        size_t length = strlen(e->operators[i].name);
        if (l->b->made[i] == WEIR_NO_OPERATOR && length >= bytes && strcmp(e->operators[i].name + length - bytes, tail) == 0)
            l->b->made[i] = broadcast;
    }
}

/* The entity that job statistics have as the broadcast of some port of an operator, ..._broadcast_OPERATOR_PORT; WEIR_NO_OPERATOR:
 * there is none, or several. */
static uint32_t broadcast_of(const struct weir_linking *l, uint32_t from)
{
    const struct weir_evidence *e = l->b->evidence;
    char part[WEIR_EVIDENCE_NAME_MAX + 16];
    const char *dot = strrchr(e->operators[from].name, '.'); /* trackers may put the application's name before it */
    uint32_t found = WEIR_NO_OPERATOR;
    snprintf(part, sizeof part, "_broadcast_%s_", dot ? dot + 1 : e->operators[from].name);
    for (uint32_t i = 0; i < e->operator_count; i++) {
        if (!e->operators[i].broadcast || l->b->made[i] != WEIR_NO_OPERATOR || !strstr(e->operators[i].name, part))
            continue;
        if (found != WEIR_NO_OPERATOR)
            return WEIR_NO_OPERATOR;
        found = i;
    }
    return found;
}

/* Where no port is known: a broadcast has at least two receivers, so if there are only two, it has both. */
static bool share_port(struct weir_linking *l, size_t first, size_t end)
{
    struct weir_evidence *e = l->b->evidence;
    const struct weir_link *links = &l->links[first];
    char name[WEIR_QUOTED], entity[WEIR_QUOTED];
    if (end - first < 2 || links[0].latest || links[1].latest)
        return false;
    uint32_t broadcast = broadcast_of(l, links->from);
    if (broadcast == WEIR_NO_OPERATOR)
        return false;
    weir_quote(e->operators[links->from].name, name);
    weir_quote(e->operators[broadcast].name, entity);
    if (end - first == 2)
        weir_evidence_note(e, e->operators[broadcast].at,
                           "\"%s\": so both receivers of \"%s\" share a port, and the model has a broadcast", entity, name);
    else
        weir_evidence_note(e, e->operators[broadcast].at,
                           "\"%s\": so some of the %zu receivers of \"%s\" share a port, but not which ones: a port map does",
                           entity, end - first, name);
    return end - first == 2;
}

/* The links [first, end) leave one output port, or are one without. */
static void make_queues(struct weir_linking *l, size_t first, size_t end, bool assumed)
{
    struct weir_draft *d = l->b->draft;
    const struct weir_link *link = &l->links[first];
    uint32_t from = l->b->made[link->from];
    if (from == WEIR_NO_OPERATOR)
        return;
    bool fanned = end - first > 1;
    if (fanned) {
        uint32_t kind = weir_link_to_broadcast(l, link);
        uint32_t broadcast = weir_draft_add_broadcast(d, from, nowhere);
        if (broadcast == WEIR_NO_OPERATOR)
            return;
        weir_draft_add_queue(d, &(struct weir_draft_queue){from, broadcast, kind, nowhere});
        uint32_t entity = link->says->from_port ? WEIR_NO_OPERATOR : broadcast_of(l, link->from);
        if (link->says->from_port)
            claim_broadcast(l, link, broadcast);
        else if (entity != WEIR_NO_OPERATOR)
            l->b->made[entity] = broadcast;
        d->operators[broadcast].assumed = assumed;
        from = broadcast;
    }
    for (; first < end; first++) {
        link = &l->links[first];
        uint32_t to = l->b->made[link->to];
        uint32_t kind = weir_link_to_receiver(l, link, fanned);
        if (to != WEIR_NO_OPERATOR)
            weir_draft_add_queue(d, &(struct weir_draft_queue){from, to, kind, nowhere});
    }
}

static void note_fan_out(struct weir_linking *l, size_t fanned, uint32_t example)
{
    static const char *const taken[] = {[WEIR_PORTS_DEFAULT] = "the broadcast in the model is assumed, and bounds hold for both",
                                        [WEIR_PORTS_SHARED] = "as --ports says, the model has one port",
                                        [WEIR_PORTS_SEPARATE] = "as --ports says, the model has a port for each",
                                        [WEIR_PORTS_UNKNOWN] = "the broadcast in the model is assumed, and bounds hold for both"};
    struct weir_evidence *e = l->b->evidence;
    char quoted[WEIR_QUOTED];
    if (fanned)
        weir_evidence_note(e, e->operators[example].at,
                           "%zu operator%s several receivers (\"%s\" for one), and no file says whether they share a port, behind "
                           "which Holoscan inserts a broadcast, or have one each; %s: give a port map with --from",
                           fanned, fanned == 1 ? " has" : "s have", weir_quote(e->operators[example].name, quoted),
                           taken[l->b->options->ports]);
    if (l->unsized && !l->b->options->queue)
        weir_evidence_note(e, e->operators[0].at,
                           "no file says how many messages %s; the model has Holoscan's default, 1 (--queue N for another)",
                           l->b->draft->queue_count > 1 ? "the queues hold" : "the queue holds");
}

/* The end of the links that leave the port of link `first`; where ports are not known, of those that leave the operator. */
static size_t end_of_port(const struct weir_linking *l, size_t first)
{
    const struct weir_link *link = &l->links[first];
    size_t end = first + 1;
    while (end < l->count && l->links[end].kept && l->links[end].from == link->from &&
           compare_text(l->links[end].says->from_port, link->says->from_port) == 0)
        end++;
    return end;
}

/* The links [first, end) leave one operator, and nothing names a port: those that may share one, and the others. A buffer that
 * keeps the latest message has a port to itself. */
static void guess_ports(struct weir_linking *l, size_t first, size_t end)
{
    size_t shared = first;
    for (size_t i = first; i < end && l->b->options->ports != WEIR_PORTS_SEPARATE; i++)
        if (!l->links[i].latest) {
            struct weir_link link = l->links[i];
            memmove(&l->links[shared + 1], &l->links[shared], (i - shared) * sizeof link);
            l->links[shared++] = link;
        }
    if (shared - first > 1)
        make_queues(l, first, shared, l->b->options->ports != WEIR_PORTS_SHARED);
    else
        shared = first;
    for (; shared < end; shared++)
        make_queues(l, shared, shared + 1, false);
}

/* Nothing stands between the ports of an application of GXF: what a transmitter sends is handed to each of its receivers. */
static bool is_routed(const struct weir_linking *l, const struct weir_link *link)
{
    return l->b->evidence->files[link->says->at.file].format == WEIR_EVIDENCE_GXF;
}

static void make_all_queues(struct weir_linking *l)
{
    size_t fanned = 0;
    uint32_t example = 0;
    for (size_t i = 0, end; i < l->count && l->links[i].kept && !l->b->draft->out_of_memory; i = end) {
        end = end_of_port(l, i);
        if (l->links[i].says->from_port && is_routed(l, &l->links[i])) {
            for (size_t k = i; k < end; k++)
                make_queues(l, k, k + 1, false);
            continue;
        }
        if (l->links[i].says->from_port || share_port(l, i, end)) {
            make_queues(l, i, end, false);
            continue;
        }
        if (end - i > 1 && fanned++ == 0)
            example = l->links[i].from;
        guess_ports(l, i, end);
    }
    note_fan_out(l, fanned, example);
}

static void link_all(struct weir_linking *l)
{
    struct weir_evidence *e = l->b->evidence;
    for (size_t i = 0; i < e->connection_count; i++) {
        const struct weir_evidence_connection *c = &e->connections[i];
        const struct weir_evidence_file *file = &e->files[c->at.file];
        if (c->from == WEIR_NO_OPERATOR || c->to == WEIR_NO_OPERATOR)
            continue;
        l->links[l->count++] =
            (struct weir_link){.says = c, .from = l->b->alias[c->from], .to = l->b->alias[c->to], .graph = !file->times_only};
        l->ported |= !file->times_only && file->ports;
        l->observed |= file->observed;
    }
    for (size_t i = 0; i < e->port_count; i++) {
        e->ports[i].op = l->b->alias[e->ports[i].op];
        l->ports[i] = &e->ports[i];
    }
    if (e->port_count)
        qsort(l->ports, e->port_count, sizeof *l->ports, weir_link_by_owner);
    if (l->count)
        qsort(l->links, l->count, sizeof *l->links, by_ends);
    for (size_t i = 0, end; i < l->count; i = end) {
        for (end = i + 1; end < l->count && l->links[end].from == l->links[i].from && l->links[end].to == l->links[i].to;)
            end++;
        compare_files(l, i, end);
    }
    make_operators(l);
    find_shared_inputs(l);
    weir_link_find_fragments(l);
    if (l->count)
        qsort(l->links, l->count, sizeof *l->links, by_port);
    make_all_queues(l);
}

void weir_evidence_make_graph(struct weir_evidence_building *b)
{
    struct weir_linking l = {.b = b};
    l.links = weir_array(b->evidence->connection_count, sizeof *l.links);
    l.ports = weir_array(b->evidence->port_count, sizeof *l.ports);
    l.fragments = weir_array(b->evidence->operator_count, sizeof *l.fragments);
    if (l.links && l.ports && l.fragments)
        link_all(&l);
    else
        b->draft->out_of_memory = true;
    weir_free(l.links);
    weir_free(l.ports);
    weir_free(l.fragments);
}
