/* SPDX-License-Identifier: Apache-2.0 */
/* What the ports at both ends of a connection make of a queue, and what the fragments do. */
#include "read/holoscan/evidence_build.h"

#include "model/pipeline.h"

#include <stdlib.h>
#include <string.h>

static const struct weir_place nowhere = {0, 0};

/* ---- ports ---- */

static int compare_ports(const struct weir_evidence_port *a, const struct weir_evidence_port *b)
{
    int order = weir_link_compare(a->op, b->op);
    if (!order)
        order = (int)a->output - (int)b->output;
    return order ? order : strcmp(a->port, b->port);
}

int weir_link_by_owner(const void *left, const void *right)
{
    const struct weir_evidence_port *a = *(const struct weir_evidence_port *const *)left;
    const struct weir_evidence_port *b = *(const struct weir_evidence_port *const *)right;
    int order = compare_ports(a, b);
    return order ? order : weir_link_compare((uintptr_t)a, (uintptr_t)b);
}

static int find_owner(const void *left, const void *right)
{
    return compare_ports(left, *(const struct weir_evidence_port *const *)right);
}

/* All that the files have about a port; contradictions are noted, and the first counts. */
static struct weir_evidence_port port_of(struct weir_linking *l, uint32_t op, const char *name, bool output)
{
    struct weir_evidence *e = l->b->evidence;
    struct weir_evidence_port all = {.op = op, .port = name, .output = output};
    if (!name || !e->port_count)
        return all;
    const struct weir_evidence_port **found = bsearch(&all, l->ports, e->port_count, sizeof *l->ports, find_owner);
    if (!found)
        return all;
    while (found > l->ports && compare_ports(found[-1], &all) == 0)
        found--;
    for (; found < l->ports + e->port_count && compare_ports(*found, &all) == 0; found++) {
        const struct weir_evidence_port *p = *found;
        char quoted[2][WEIR_QUOTED];
        if (all.capacity && p->capacity && all.capacity != p->capacity)
            weir_evidence_note(e, p->at, "contradiction: port \"%s\" of \"%s\" holds %u messages, but %u in %s, which is used",
                               weir_quote(name, quoted[0]), weir_quote(e->operators[op].name, quoted[1]), p->capacity, all.capacity,
                               weir_link_file(l, all.at));
        if (!all.capacity)
            all.capacity = p->capacity, all.at = p->at;
        all.min_size = p->min_size > all.min_size ? p->min_size : all.min_size;
        all.unconditional |= p->unconditional;
        all.latest |= p->latest;
        all.policy = all.policy ? all.policy : p->policy;
    }
    return all;
}

static enum weir_full full_of(enum weir_evidence_policy policy)
{
    return policy == WEIR_POLICY_POP ? WEIR_FULL_POP : policy == WEIR_POLICY_REJECT ? WEIR_FULL_REJECT : WEIR_FULL_FAULT;
}

/* A producer that waits for `places` free slots and takes one waits as long as for one in a queue that is shorter by the others.
 */
static void wait_for_places(struct weir_linking *l, const struct weir_evidence_port *out, struct weir_queue_spec *kind)
{
    char name[WEIR_QUOTED], port[WEIR_QUOTED];
    uint32_t capacity = kind->capacity ? kind->capacity : l->b->options->queue ? l->b->options->queue : 1;
    if (out->min_size <= 1 || kind->nonblocking)
        return;
    if (out->min_size > capacity)
        weir_draft_mistake(l->b->draft, nowhere, "\"%s\" waits for %u slots at port \"%s\", but the queue behind it has %u (%s)",
                           weir_quote(l->b->evidence->operators[out->op].name, name), out->min_size, weir_quote(out->port, port),
                           capacity, weir_link_file(l, out->at));
    else
        kind->capacity = capacity - out->min_size + 1;
}

/* What the ports at both ends make of a queue. */
static struct weir_queue_spec join_ports(struct weir_linking *l, const struct weir_evidence_port *out,
                                         const struct weir_evidence_port *in)
{
    struct weir_evidence *e = l->b->evidence;
    struct weir_queue_spec kind = {.capacity = in->capacity, .nonblocking = out->unconditional, .optional = in->unconditional};
    char name[WEIR_QUOTED], port[WEIR_QUOTED];
    weir_quote(e->operators[in->op].name, name);
    weir_quote(in->port ? in->port : "", port);
    if (in->latest || out->latest)
        return (struct weir_queue_spec){.latest = true};
    l->unsized |= !in->capacity && in->min_size <= 1;
    if (in->min_size > 1 && !kind.optional) {
        kind.consume = in->min_size;
        kind.capacity = in->capacity ? in->capacity : in->min_size;
        weir_evidence_note(e, in->at, "\"%s\" waits for %u messages at port \"%s\"; the model has it take that many at once", name,
                           in->min_size, port);
    }
    if (kind.nonblocking) {
        kind.full = full_of(in->policy);
        if (!in->policy)
            weir_evidence_note(e, out->at,
                               "nobody waits for room at port \"%s\" of \"%s\", and no file says what happens to a message that "
                               "finds none; the model has Holoscan's default (full: fault)",
                               port, name);
    }
    wait_for_places(l, out, &kind);
    return kind;
}

/* ---- fragments ---- */

/* A name of the fragment with the longest name that fits. */
void weir_link_find_fragments(struct weir_linking *l)
{
    const struct weir_evidence *e = l->b->evidence;
    for (size_t op = 0; op < e->operator_count; op++) {
        size_t longest = 0;
        l->fragments[op] = 0;
        for (uint32_t f = 0; f < e->file_count; f++) {
            const char *fragment = e->files[f].fragment, *name = e->operators[op].name;
            size_t bytes = fragment ? strlen(fragment) : 0;
            if (bytes > longest && strncmp(name, fragment, bytes) == 0 && name[bytes] == '.')
                longest = bytes, l->fragments[op] = f + 1;
        }
    }
}

static bool are_apart(const struct weir_linking *l, const struct weir_link *link)
{
    const struct weir_evidence_file *files = l->b->evidence->files;
    uint32_t left = l->fragments[link->from], right = l->fragments[link->to];
    return left && right && left != right && strcmp(files[left - 1].fragment, files[right - 1].fragment) != 0;
}

/* Between fragments messages go over UCX, and the sender does not know whether there is room at the receiver. */
static void send_anyway(struct weir_linking *l, const struct weir_link *link, enum weir_evidence_policy policy,
                        struct weir_queue_spec *kind)
{
    char from[WEIR_QUOTED], to[WEIR_QUOTED];
    weir_quote(l->b->evidence->operators[link->from].name, from);
    weir_quote(l->b->evidence->operators[link->to].name, to);
    if (kind->nonblocking)
        return;
    if (kind->consume > 1) {
        weir_evidence_note(
            l->b->evidence, link->says->at,
            "over UCX \"%s\" does not wait for room at \"%s\", another fragment; the model has it wait, since \"%s\" "
            "takes several messages at once",
            from, to, to);
        return;
    }
    kind->nonblocking = true;
    kind->full = full_of(policy);
    weir_evidence_note(l->b->evidence, link->says->at,
                       "over UCX \"%s\" does not wait for room at \"%s\", another fragment: the model has blocking: false, and for "
                       "a message that finds none %s",
                       from, to, policy ? "the policy of the port (full)" : "Holoscan's default (full: fault)");
}

/*
 * From emit() at one operator to receive() at the other a message is transferred, waits in the queue, and waits for the rest of the
 * producer's compute(): the transfer of each message took no longer than that, and how much less is not known. So the greatest seen
 * is a worst case as good as any that was observed, and the best case is 0.
 */
static void add_transfer(struct weir_linking *l, const struct weir_link *link, struct weir_queue_spec *kind)
{
    struct weir_evidence *e = l->b->evidence;
    char from[WEIR_QUOTED], to[WEIR_QUOTED], least[WEIR_TIME_TEXT], most[WEIR_TIME_TEXT];
    weir_quote(e->operators[link->from].name, from);
    weir_quote(e->operators[link->to].name, to);
    if (!link->timed) {
        weir_evidence_note(e, link->says->at,
                           "\"%s\" and \"%s\" are in different fragments, and no log says how long a message is in transit: the "
                           "model has no transfer, which is too short",
                           from, to);
        return;
    }
    int64_t longest = weir_evidence_widen(link->transfer_max > 0 ? link->transfer_max : 0, l->b->options->margin_permille, true);
    if (longest == WEIR_TIME_UNKNOWN)
        longest = link->transfer_max;
    kind->transfer_max = weir_evidence_time_of(l->b->draft, longest);
    weir_evidence_note(e, link->says->at,
                       "from \"%s\" to \"%s\", another fragment, messages were in transit for %s to %s ms, waiting included: no "
                       "transfer took longer, so the model has the longest (transfer), which may count waiting twice%s",
                       from, to, weir_decimal_format(link->transfer_min, 6, least),
                       weir_decimal_format(link->transfer_max, 6, most),
                       link->transfer_min < 0 ? "; some arrived before they were sent, so the clocks of the fragments differ" : "");
}

/* ---- the kinds of queues ---- */

/* Into the broadcast of an output port. */
uint32_t weir_link_to_broadcast(struct weir_linking *l, const struct weir_link *link)
{
    struct weir_evidence_port out = port_of(l, link->from, link->says->from_port, true);
    struct weir_evidence_port in = {.op = link->from, .policy = WEIR_POLICY_FAULT, .capacity = out.capacity};
    char name[WEIR_QUOTED];
    if (out.latest)
        weir_draft_mistake(l->b->draft, nowhere,
                           "an output port of \"%s\" is an async buffer with several receivers, which is not possible",
                           weir_quote(l->b->evidence->operators[link->from].name, name));
    out.latest = false;
    struct weir_queue_spec kind = join_ports(l, &out, &in);
    return weir_draft_kind(l->b->draft, &(struct weir_draft_kind){.spec = kind});
}

/* One queue with several producers: what of it is not modelled is a mistake. */
static void share_input(struct weir_linking *l, const struct weir_link *link, const struct weir_evidence_port *in,
                        struct weir_queue_spec *kind)
{
    struct weir_draft *d = l->b->draft;
    const char *what = kind->latest         ? "an async buffer"
                       : kind->optional     ? "one that nobody waits for (ConditionType.NONE)"
                       : kind->consume > 1  ? "one of which several messages are taken at once"
                       : are_apart(l, link) ? "one in another fragment"
                                            : NULL;
    char port[WEIR_QUOTED], to[WEIR_QUOTED];
    if (what) {
        weir_errors_add(d->errors, WEIR_INVALID, weir_link_file(l, link->says->at),
                        (struct weir_place){(uint32_t)link->says->at.line, link->says->at.line ? 1 : 0},
                        "several operators lead to port \"%s\" of \"%s\", %s: such a queue with several producers is not modelled; "
                        "give each an input port of its own, as those of a port for any number of receivers are",
                        weir_quote(link->says->to_port, port), weir_quote(l->b->evidence->operators[link->to].name, to), what);
        d->mistakes++;
        return;
    }
    kind->full = full_of(in->policy);
    kind->port = weir_arena_text(&d->arena, link->says->to_port);
    d->out_of_memory |= !kind->port;
}

/* A batch is waited for, and its messages are not lost; else it is a mistake. */
static void check_batch(struct weir_linking *l, const struct weir_link *link, struct weir_queue_spec *kind)
{
    struct weir_draft *d = l->b->draft;
    char port[WEIR_QUOTED], to[WEIR_QUOTED];
    if (kind->consume <= 1 || !weir_queue_is_cut(kind))
        return;
    weir_errors_add(d->errors, WEIR_INVALID, weir_link_file(l, link->says->at),
                    (struct weir_place){(uint32_t)link->says->at.line, link->says->at.line ? 1 : 0},
                    "\"%s\" takes %u messages at once at port \"%s\", and %s: that is not modelled",
                    weir_quote(l->b->evidence->operators[link->to].name, to), kind->consume, weir_quote(link->says->to_port, port),
                    kind->latest     ? "reads the latest there"
                    : kind->optional ? "does not wait for them (ConditionType.NONE)"
                                     : "nobody waits for room there, so that one may be lost");
    kind->consume = 1; /* one mistake is enough */
    d->mistakes++;
}

/* From a port, or from its broadcast where it is fanned out, to the receiver. */
uint32_t weir_link_to_receiver(struct weir_linking *l, const struct weir_link *link, bool fanned)
{
    struct weir_evidence_port in = port_of(l, link->to, link->says->to_port, false), out = {.op = link->from};
    if (!fanned)
        out = port_of(l, link->from, link->says->from_port, true);
    in.latest |= link->latest;
    struct weir_queue_spec kind = join_ports(l, &out, &in);
    if (link->batch && !in.min_size && !kind.optional && !kind.latest) { /* a file that says it of the port knows better */
        kind.consume = link->batch;
        if (kind.capacity && kind.capacity < link->batch)
            kind.capacity = link->batch;
    }
    if (link->shared)
        share_input(l, link, &in, &kind);
    else if (are_apart(l, link)) {
        if (!kind.latest)
            send_anyway(l, link, in.policy, &kind);
        add_transfer(l, link, &kind);
    }
    if (!link->shared)
        check_batch(l, link, &kind);
    return weir_draft_kind(l->b->draft, &(struct weir_draft_kind){.spec = kind});
}
