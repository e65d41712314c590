/* SPDX-License-Identifier: Apache-2.0 */
/* TARGET.KEY=VALUE: which operator, queue, source, latency, processor is meant. */
#include "explore/change/change.h"
#include "model/pipeline.h"

#include <string.h>

#define WORDS "expected TARGET.KEY=VALUE, such as camera.time=[2ms,9ms] or a->b.capacity=3"

/* ---- what has a key ---- */

static const char *owner_words(const struct weir_key *key)
{
    return weir_owner_words[weir_key_target(key)].words;
}

static const char *platform_words(const struct weir_pipeline *p)
{
    static const char *const words[] = {[WEIR_PLATFORM_THREADS] = "where operators have threads",
                                        [WEIR_PLATFORM_PROCESSORS] = "on shared processors",
                                        [WEIR_PLATFORM_CORES] = "on a pool of cores",
                                        [WEIR_PLATFORM_GPU] = "of kernels on a GPU"};
    return words[p->platform];
}

/* An operator, or else a source by its name. */
static bool find_source(struct weir_revision *r, const char *name, uint32_t *op)
{
    const struct weir_pipeline *p = r->pipeline;
    for (size_t i = 0; i < p->source_count; i++)
        if (p->sources[i].name && strcmp(p->sources[i].name, name) == 0 && !r->gone_operators[p->sources[i].op.index]) {
            *op = r->renumbered[p->sources[i].op.index];
            return true;
        }
    return false;
}

static bool find_owner(struct weir_revision *r, const struct weir_target *t, const char *name, struct weir_setting *s)
{
    struct weir_draft *d = &r->draft;
    const char *key = s->name;
    s->from = weir_draft_find(d, name, strlen(name));
    if (s->from != WEIR_NO_OPERATOR) {
        const struct weir_key *of_operator = weir_key_find(key, WEIR_OF_OPERATOR);
        const struct weir_key *better = of_operator ? of_operator : weir_key_find(key, WEIR_OF_SOURCE);
        if (better) {
            s->key = better;
            return true;
        }
    }
    const struct weir_key *of_platform = strcmp(name, "platform") == 0 ? weir_key_find(key, WEIR_OF_PLATFORM) : NULL;
    const struct weir_key *of_queue = strcmp(name, "queue") == 0 ? weir_key_find(key, WEIR_OF_QUEUE) : NULL;
    uint32_t processor = weir_draft_find_processor(d, name);
    const struct weir_key *of_processor = processor != WEIR_NO_PROCESSOR ? weir_key_find(key, WEIR_OF_PROCESSOR) : NULL;
    const struct weir_key *of_source = weir_key_find(key, WEIR_OF_SOURCE);
    if (of_platform || of_queue || of_processor) {
        s->from = of_processor ? processor : WEIR_NO_OPERATOR;
        s->key = of_platform ? of_platform : of_queue ? of_queue : of_processor;
        return true;
    }
    if (of_source && find_source(r, name, &s->from)) {
        s->key = of_source;
        return true;
    }
    char quoted[WEIR_QUOTED], near[WEIR_HINT];
    bool known = s->from != WEIR_NO_OPERATOR || processor != WEIR_NO_PROCESSOR || strcmp(name, "platform") == 0;
    if (known)
        weir_revision_mistake(r, t->key, "\"%s\" is a key of %s, and \"%s\" is %s", key, owner_words(s->key),
                              weir_quote(name, quoted),
                              s->from != WEIR_NO_OPERATOR      ? "an operator"
                              : processor != WEIR_NO_PROCESSOR ? "a processor"
                                                               : "the platform");
    else
        weir_revision_mistake(r, t->from, "there is no operator \"%s\"%s", weir_quote(name, quoted),
                              weir_draft_hint_operator(d, name, near));
    return false;
}

/* ---- A->B ---- */

static bool find_end(struct weir_revision *r, struct weir_piece piece, uint32_t *number, uint32_t *op)
{
    char quoted[WEIR_QUOTED], near[WEIR_HINT];
    const char *name = weir_target_name(r, piece, number);
    *op = name ? weir_draft_find(&r->draft, name, strlen(name)) : WEIR_NO_OPERATOR;
    if (name && *op == WEIR_NO_OPERATOR && !r->draft.out_of_memory)
        weir_revision_mistake(r, piece, "there is no operator \"%s\"%s", weir_quote(name, quoted),
                              weir_draft_hint_operator(&r->draft, name, near));
    return *op != WEIR_NO_OPERATOR;
}

/* Queues between these ends: those of the pipeline that are kept, and those that are added. */
static uint32_t count_queues(const struct weir_revision *r, uint32_t from, uint32_t to)
{
    const struct weir_pipeline *p = r->pipeline;
    uint32_t count = 0;
    for (size_t i = 0; i < p->queue_count; i++)
        count += !r->gone_queues[i] && r->renumbered[p->queues[i].from.index] == from && r->renumbered[p->queues[i].to.index] == to;
    for (size_t i = 0; i < r->draft.queue_count; i++) {
        const struct weir_draft_queue *q = weir_draft_queue(&r->draft, i);
        count += q->from == from && q->to == to;
    }
    return count;
}

/* A port with several targets has an operator of its own between them. */
static void complain_queue(struct weir_revision *r, const struct weir_target *t, const struct weir_setting *s)
{
    const struct weir_pipeline *p = r->pipeline;
    const char *from = r->draft.operators[s->from].name, *to = r->draft.operators[s->to].name, *between = NULL;
    char first[WEIR_QUOTED], second[WEIR_QUOTED], third[WEIR_QUOTED];
    for (uint32_t i = 0; i < p->operator_count && !between; i++)
        if (p->operators[i].broadcast && !r->gone_operators[i] && count_queues(r, s->from, r->renumbered[i]) &&
            count_queues(r, r->renumbered[i], s->to))
            between = p->operators[i].name;
    weir_quote(from, first), weir_quote(to, second);
    if (between)
        weir_revision_mistake(r, t->from,
                              "there is no queue from \"%s\" to \"%s\", but one to \"%s\", which copies, and one from it", first,
                              second, weir_quote(between, third));
    else
        weir_revision_mistake(r, t->from, "there is no queue from \"%s\" to \"%s\"", first, second);
}

static bool find_queue(struct weir_revision *r, const struct weir_target *t, struct weir_setting *s)
{
    const char *key = s->name;
    const struct weir_key *of_queue = weir_key_find(key, WEIR_OF_QUEUE), *of_chain = weir_key_find(key, WEIR_OF_DEADLINE);
    if (!of_queue && !of_chain) {
        weir_revision_mistake(r, t->key, "\"%s\" is a key of %s, not of a queue", key, owner_words(s->key));
        return false;
    }
    s->key = of_queue ? of_queue : of_chain;
    bool good = find_end(r, t->from, NULL, &s->from);
    good &= find_end(r, t->to, &s->number, &s->to);
    if (!good || !of_queue)
        return good;
    uint32_t count = count_queues(r, s->from, s->to);
    if (count == 0)
        complain_queue(r, t, s);
    else if (s->number > count)
        weir_revision_mistake(r, t->to, "there %s %u queue%s from \"%s\" to \"%s\", no #%u", count == 1 ? "is" : "are", count,
                              count == 1 ? "" : "s", r->draft.operators[s->from].name, r->draft.operators[s->to].name, s->number);
    return count && s->number <= count;
}

/* ---- */

static bool read_setting(struct weir_revision *r, struct weir_piece piece, struct weir_setting *s)
{
    struct weir_target t;
    char quoted[WEIR_QUOTED], near[WEIR_HINT];
    if (!weir_target_parse(r, piece, true, &t))
        return false;
    const char *key = t.has_key ? weir_piece_text(r, t.key) : NULL;
    if (!key) {
        if (!r->draft.out_of_memory)
            weir_revision_mistake(r, weir_piece_trim(r, piece), "what is to change there? " WORDS);
        return false;
    }
    *s = (struct weir_setting){.key = weir_key_named(key), .name = key, .place = weir_piece_place(r, weir_piece_trim(r, piece))};
    if (!s->key) {
        weir_revision_mistake(r, t.key, "nothing has a \"%s\"%s", weir_quote(key, quoted), weir_key_hint(key, near));
        return false;
    }
    struct weir_piece whole = {piece.change, t.from.begin, t.arrow ? t.to.end : t.from.end};
    s->target = weir_piece_text(r, whole);
    const char *name = t.arrow ? NULL : weir_target_name(r, t.from, NULL);
    if (r->draft.out_of_memory || !(t.arrow ? find_queue(r, &t, s) : name && find_owner(r, &t, name, s)))
        return false;
    if (!(s->key->platforms & weir_platform_bit(r->pipeline->platform))) {
        weir_revision_mistake(r, t.key, "\"%s\" is not a key of %s %s", s->name, owner_words(s->key), platform_words(r->pipeline));
        return false;
    }
    return true;
}

/* Where one of the marks stands first, outside of names in quotes. */
static size_t find_mark(const char *text, size_t begin, size_t end, char mark)
{
    bool quoted = false;
    for (size_t i = begin; i < end; i++) {
        if (quoted && text[i] == '\\' && i + 1 < end)
            i++;
        else if (text[i] == '"')
            quoted = !quoted;
        else if (text[i] == mark && !quoted)
            return i;
    }
    return end;
}

void weir_revision_assign(struct weir_revision *r, size_t change)
{
    struct weir_draft *d = &r->draft;
    const char *text = r->changes[change].text;
    size_t length = strlen(text), equals = find_mark(text, 0, length, '='), mistakes = d->mistakes;
    struct weir_assignment a = {.change = change, .first = r->setting_count};
    if (equals == length) {
        weir_revision_mistake(r, (struct weir_piece){change, 0, length}, "there is no value: " WORDS);
        return;
    }
    a.label = weir_piece_text(r, weir_piece_trim(r, (struct weir_piece){change, 0, equals}));
    for (size_t begin = 0; begin <= equals && !d->out_of_memory;) {
        size_t end = find_mark(text, begin, equals, ',');
        struct weir_piece piece = {change, begin, end};
        struct weir_setting s;
        if (read_setting(r, piece, &s)) {
            const struct weir_key *first = a.count ? r->settings[a.first].key : s.key;
            if (first->type != s.key->type)
                weir_revision_mistake(r, weir_piece_trim(r, piece), "\"%s\" and \"%s\" do not have the same kind of value",
                                      first->name, s.key->name);
            else if (weir_draft_room(d, &r->settings, &r->setting_capacity, r->setting_count, sizeof s)) {
                r->settings[r->setting_count++] = s;
                a.count++;
            }
        }
        begin = end + 1;
    }
    if (a.count && d->mistakes == mistakes)
        weir_values_read(r, (struct weir_piece){change, equals + 1, length}, r->settings[a.first].key, &a);
    if (weir_draft_room(d, &r->assignments, &r->assignment_capacity, r->assignment_count, sizeof a))
        r->assignments[r->assignment_count++] = a;
    else
        weir_free(a.items);
}
