/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of operators with threads of their own only: work on a GPU, and queues at which somebody does not wait. */
#include "read/yaml/value.h"

#include "model/pipeline.h"

#include <string.h>
#include <strings.h>

/* ---- work on a GPU ---- */

static void read_stream(struct weir_draft *d, const struct weir_yaml_node *node, struct weir_draft_launch *launch)
{
    const char *text = weir_yaml_text(d, node, "stream", "the name of a stream");
    if (!text || !weir_draft_check_name_of(d, "a stream", text, node->bytes, node->place))
        return;
    launch->stream = weir_arena_text(&d->arena, text);
    d->out_of_memory |= !launch->stream;
}

void weir_yaml_operator_launch(struct weir_draft *d, uint32_t op, const struct weir_yaml_node *node)
{
    enum { TIME, WAITS, AFTER, STREAM, KEYS };
    static const char *const names[KEYS] = {"time", "waits", "after", "stream"};
    static const struct weir_yaml_keys keys = {"the work on a GPU", names, KEYS, NULL};
    const struct weir_yaml_node *values[KEYS];
    struct weir_draft_launch *launch = weir_arena_take(&d->arena, sizeof *launch);
    if (!launch) {
        d->out_of_memory = true;
        return;
    }
    *launch = (struct weir_draft_launch){.place = node->place};
    d->operators[op].launch = launch;
    if (!weir_yaml_expect(d, node, WEIR_YAML_MAP, "gpu", "a mapping such as {time: [5, 9], waits: true}"))
        return;
    bool clean = weir_yaml_fields(d, node, &keys, values);
    if (values[TIME])
        weir_yaml_interval(d, values[TIME], "time", launch->time);
    else if (clean)
        weir_draft_mistake(d, node->place, "the work on a GPU needs \"time\": how long it takes");
    const char *text = values[WAITS] ? weir_yaml_number(d, values[WAITS], "waits", "true or false") : NULL;
    bool known = !values[WAITS] || (text && weir_draft_read_boolean(d, text, values[WAITS]->place, "waits", &launch->waits));
    if (values[AFTER]) {
        weir_yaml_interval(d, values[AFTER], "after", launch->after);
        if (known && clean && !launch->waits)
            weir_draft_mistake(d, values[AFTER]->place,
                               "\"after\" is what an operator does once its work on the GPU is over; it needs \"waits: true\"");
    }
    if (values[STREAM])
        read_stream(d, values[STREAM], launch);
}

/* ---- queues ---- */

/* true or false; false too when it is neither, which is reported. */
static bool read_flag(struct weir_draft *d, const struct weir_yaml_node *node, const char *what, struct weir_draft_kind *kind)
{
    bool value = false;
    const char *text = node ? weir_yaml_number(d, node, what, "true or false") : NULL;
    kind->bad |= node && (!text || !weir_draft_read_boolean(d, text, node->place, what, &value));
    return value;
}

static void read_full(struct weir_draft *d, const struct weir_yaml_node *node, struct weir_draft_kind *kind)
{
    const char *text = weir_yaml_text(d, node, "full", "pop, reject or fault");
    if (!text || !weir_draft_read_full(d, text, node->place, &kind->full))
        kind->bad = true;
    else if (!kind->nonblocking && !kind->bad) {
        weir_draft_mistake(d, node->place,
                           "\"full\" is what happens when the producer does not wait for room; it needs \"blocking: false\"");
        kind->bad = true;
    }
}

/* A place for the latest message has nothing of a queue. */
static void check_latest(struct weir_draft *d, const struct weir_yaml_waits *w, struct weir_draft_kind *kind)
{
    const struct weir_yaml_node *const others[] = {w->capacity, w->initial, w->blocking, w->full, w->optional, w->consume};
    static const char *const names[] = {"capacity", "initial", "blocking", "full", "optional", "consume"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i]) {
            weir_draft_mistake(d, others[i]->place,
                               "\"%s\" has no meaning with \"latest\": there is no queue but one message, and nobody waits",
                               names[i]);
            kind->bad = true;
        }
}

void weir_yaml_queue_waits(struct weir_draft *d, const struct weir_yaml_waits *w, struct weir_draft_kind *kind)
{
    static const struct weir_draft_count count = {"consume", "messages", WEIR_QUEUE_MAX};
    if (w->consume)
        kind->bad |= !weir_yaml_count(d, w->consume, &count, &kind->consume);
    if (w->full)
        read_full(d, w->full, kind);
    kind->optional = read_flag(d, w->optional, "optional", kind);
    kind->latest = read_flag(d, w->latest, "latest", kind);
    if (w->transfer)
        weir_yaml_interval(d, w->transfer, "transfer", kind->transfer);
    if (kind->bad)
        return;
    if (kind->latest)
        check_latest(d, w, kind);
    if (w->consume && kind->optional && kind->consume > 1) {
        weir_draft_mistake(d, w->consume->place,
                           "\"consume\" has no meaning with \"optional\": an execution takes one message if there is one");
        kind->bad = true;
    }
    if (w->transfer && (kind->latest || kind->optional || kind->full != WEIR_FULL_NEVER)) {
        weir_draft_mistake(d, w->transfer->place,
                           "\"transfer\" needs a queue without \"latest\", \"optional\" and \"full\": each message is waited for");
        kind->bad = true;
    }
    if (w->capacity && kind->capacity < kind->consume) {
        weir_draft_mistake(d, w->capacity->place, "\"capacity\" is %u, below \"consume\": there are never %u messages to take",
                           kind->capacity, kind->consume);
        kind->bad = true;
    }
}
