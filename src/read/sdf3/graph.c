/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Channels join ports, and the rates of their ports say how often actors run: a channel whose producer writes p tokens and whose
 * consumer reads c of them stays as full as it is from iteration to iteration if
 *
 *     repetitions(producer) * p = repetitions(consumer) * c
 *
 * The smallest such numbers of a connected graph are found by following channels from any actor, as fractions of its own.
 */
#include "read/sdf3/sdf3.h"

#include <inttypes.h>
#include <string.h>

/* ---- names ---- */

static uint32_t hash(uint32_t scope, const char *text)
{
    return weir_hash_pair(scope, weir_hash_bytes(text, strlen(text)));
}

uint32_t weir_sdf3_find(const struct weir_sdf3 *s, uint32_t scope, const char *text)
{
    struct weir_map_cursor probe = weir_map_begin(&s->names.index, hash(scope, text));
    while (weir_map_next(&s->names.index, &probe)) {
        const struct weir_sdf3_name *entry = &s->names.entries[probe.value];
        if (entry->scope == scope && strcmp(entry->text, text) == 0)
            return entry->value;
    }
    return WEIR_SDF3_NONE;
}

void weir_sdf3_name(struct weir_sdf3 *s, uint32_t scope, const char *text, uint32_t value)
{
    struct weir_sdf3_names *names = &s->names;
    if (!weir_draft_room(s->draft, &names->entries, &names->capacity, names->count, sizeof *names->entries))
        return;
    if (names->count >= UINT32_MAX / 4 || !weir_map_add(&names->index, hash(scope, text), (uint32_t)names->count)) {
        s->draft->out_of_memory = true;
        return;
    }
    names->entries[names->count++] = (struct weir_sdf3_name){text, scope, value};
}

static const char *actor_name(const void *sdf3, uint32_t actor)
{
    return ((const struct weir_sdf3 *)sdf3)->actors[actor].name;
}

const char *weir_sdf3_hint(struct weir_sdf3 *s, const char *name, char text[WEIR_HINT])
{
    return weir_draft_hint(s->draft, name, &(struct weir_candidates){s->actor_count, actor_name, s}, text);
}

uint32_t weir_sdf3_actor(struct weir_sdf3 *s, const struct weir_sdf3_text *name)
{
    char quoted[WEIR_QUOTED], near[WEIR_HINT];
    uint32_t actor = weir_sdf3_find(s, WEIR_SDF3_ACTORS, name->text);
    if (actor == WEIR_SDF3_NONE)
        weir_draft_mistake(s->draft, name->place, "there is no actor \"%s\"%s", weir_quote(name->text, quoted),
                           weir_sdf3_hint(s, name->text, near));
    return actor;
}

/* ---- joining ---- */

static bool known_actor(struct weir_sdf3 *s, const struct weir_sdf3_text *name, uint32_t *actor)
{
    *actor = name->text ? weir_sdf3_actor(s, name) : WEIR_SDF3_NONE;
    return *actor != WEIR_SDF3_NONE;
}

/* The rate of the port at one end of a channel; 1 where it is a mistake. */
static uint32_t join(struct weir_sdf3 *s, uint32_t actor, const struct weir_sdf3_text *name, bool out)
{
    char port[WEIR_QUOTED], quoted[WEIR_QUOTED];
    uint32_t number = name->text ? weir_sdf3_find(s, actor, name->text) : WEIR_SDF3_NONE;
    if (!name->text)
        return 1;
    weir_quote(name->text, port);
    weir_quote(s->actors[actor].name, quoted);
    if (number == WEIR_SDF3_NONE) {
        weir_draft_mistake(s->draft, name->place, "actor \"%s\" has no port \"%s\"", quoted, port);
        return 1;
    }
    struct weir_sdf3_port *p = &s->ports[number];
    if (p->out != out)
        weir_draft_mistake(s->draft, name->place, "port \"%s\" of actor \"%s\" is of type \"%s\": a channel %s", port, quoted,
                           out ? "in" : "out", out ? "begins at an output" : "ends at an input");
    else if (p->used)
        weir_draft_mistake(s->draft, name->place, "port \"%s\" of actor \"%s\" has a channel already", port, quoted);
    p->used = true;
    return p->rate;
}

void weir_sdf3_resolve(struct weir_sdf3 *s)
{
    for (size_t i = 0; i < s->channel_count; i++) {
        struct weir_sdf3_channel *c = &s->channels[i];
        if (known_actor(s, &c->source, &c->from))
            c->produce = join(s, c->from, &c->source_port, true);
        if (known_actor(s, &c->target, &c->to))
            c->consume = join(s, c->to, &c->target_port, false);
        if (c->bounded && c->size < c->initial)
            weir_draft_mistake(s->draft, c->size_place, "%" PRIu32 " initial tokens do not fit a buffer of %" PRIu32, c->initial,
                               c->size);
    }
    for (size_t i = 0; i < s->actor_count; i++) {
        const struct weir_sdf3_actor *a = &s->actors[i];
        char quoted[WEIR_QUOTED];
        weir_quote(a->name, quoted);
        if (a->told)
            continue;
        if (!a->time.text && !a->worst.text)
            weir_draft_mistake(s->draft, a->place, "actor \"%s\" has no execution time%s", quoted,
                               a->chosen ? " on its default processor" : "");
        else if (!a->chosen && a->processors > 1)
            weir_draft_mistake(s->draft, a->place, "actor \"%s\" has %" PRIu32 " processors, and none is the default", quoted,
                               a->processors);
    }
}

/* ---- repetitions ---- */

struct fraction {
    uint64_t over, under; /* under 0: not known yet */
};

struct balance {
    struct weir_sdf3 *sdf3;
    struct fraction *share;  /* by actor: of the first actor of its part of the graph */
    struct weir_groups ends; /* of channels, by actor: twice the channel, plus 1 at its target */
    uint32_t *part;          /* the actors of a part, in the order in which they are met */
    uint64_t copies;
    bool gave_up; /* numbers do not fit, so nothing more can be said */
};

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    return (uint64_t)weir_wide_divisor(a, b);
}

/* share * up / down; false when that does not fit. */
static bool scale(struct fraction share, uint32_t up, uint32_t down, struct fraction *result)
{
    uint64_t shared = common_divisor(up, down);
    uint64_t u = up / shared, d = down / shared;
    uint64_t left = common_divisor(share.over, d), right = common_divisor(u, share.under);
    return !__builtin_mul_overflow(share.over / left, u / right, &result->over) &&
           !__builtin_mul_overflow(share.under / right, d / left, &result->under);
}

static void fail_copies(struct weir_sdf3 *s, uint32_t actor)
{
    char quoted[WEIR_QUOTED];
    weir_draft_mistake(s->draft, s->actors[actor].place,
                       "one iteration of this graph is too long: with actor \"%s\" it has more than %d runs of actors",
                       weir_quote(s->actors[actor].name, quoted), WEIR_SDF3_COPIES_MAX);
}

static void fail_channel(const struct balance *b, const struct weir_sdf3_channel *c)
{
    char name[WEIR_QUOTED], from[WEIR_QUOTED], to[WEIR_QUOTED];
    const struct weir_sdf3 *s = b->sdf3;
    weir_draft_mistake(s->draft, c->place,
                       "channel \"%s\" is inconsistent: \"%s\" writes %" PRIu32 " and \"%s\" reads %" PRIu32
                       " tokens at a time, so that it fills up or runs dry at the rates the other channels ask for",
                       weir_quote(c->name, name), weir_quote(s->actors[c->from].name, from), c->produce,
                       weir_quote(s->actors[c->to].name, to), c->consume);
}

/* Looks at one channel of `actor`, and meets the actor at its other end if that is new. */
static bool follow(struct balance *b, uint32_t actor, const struct weir_sdf3_channel *c, uint32_t *met)
{
    bool forward = c->from == actor;
    uint32_t other = forward ? c->to : c->from;
    struct fraction share;
    if (!scale(b->share[actor], forward ? c->produce : c->consume, forward ? c->consume : c->produce, &share)) {
        fail_copies(b->sdf3, other);
        b->gave_up = true;
        return false;
    }
    if (!b->share[other].under) {
        b->share[other] = share;
        b->part[(*met)++] = other;
    } else if (forward && (b->share[other].over != share.over || b->share[other].under != share.under)) {
        fail_channel(b, c); /* each channel is looked at forward once */
        return false;
    }
    return true;
}

/* Whole numbers out of the shares of a part. */
static bool repeat_part(struct balance *b, uint32_t met)
{
    struct weir_sdf3 *s = b->sdf3;
    uint64_t multiple = 1, divisor = 0;
    for (uint32_t i = 0; i < met; i++) {
        uint64_t under = b->share[b->part[i]].under;
        if (__builtin_mul_overflow(multiple, under / common_divisor(multiple, under), &multiple)) {
            fail_copies(s, b->part[i]);
            return false;
        }
    }
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < met; i++) {
            const struct fraction *share = &b->share[b->part[i]];
            uint64_t count;
            /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): whatever was met has a share */
            bool fits = !__builtin_mul_overflow(share->over, multiple / share->under, &count);
            if (fits && pass == 0) {
                divisor = common_divisor(count, divisor);
                continue;
            }
            if (!fits || (b->copies += count / divisor) > WEIR_SDF3_COPIES_MAX) {
                fail_copies(s, b->part[i]);
                return false;
            }
            s->actors[b->part[i]].repetitions = (uint32_t)(count / divisor);
        }
    return true;
}

static void balance_all(struct balance *b)
{
    struct weir_sdf3 *s = b->sdf3;
    for (uint32_t root = 0; root < s->actor_count && !b->gave_up; root++) {
        uint32_t met = 1;
        bool good = true;
        if (b->share[root].under)
            continue;
        b->share[root] = (struct fraction){1, 1};
        b->part[0] = root;
        for (uint32_t i = 0; i < met; i++) {
            uint32_t actor = b->part[i];
            for (uint32_t k = b->ends.first[actor]; k < b->ends.first[actor + 1] && !b->gave_up; k++)
                good &= follow(b, actor, &s->channels[b->ends.item[k] / 2], &met);
        }
        if (good)
            repeat_part(b, met);
    }
}

/* The actor at an end of a channel; one to itself is listed once. */
static uint32_t actor_at(const void *sdf3, uint32_t end)
{
    const struct weir_sdf3_channel *c = &((const struct weir_sdf3 *)sdf3)->channels[end / 2];
    return end % 2 == 0 ? c->from : c->to == c->from ? UINT32_MAX : c->to;
}

void weir_sdf3_balance(struct weir_sdf3 *s)
{
    struct balance b = {.sdf3 = s};
    b.share = weir_array_zeroed(s->actor_count, sizeof *b.share);
    b.part = weir_array(s->actor_count, sizeof *b.part);
    if (weir_groups_make(&b.ends, s->actor_count, 2 * s->channel_count, actor_at, s) && b.share && b.part)
        balance_all(&b);
    else
        s->draft->out_of_memory = true;
    s->homogeneous = b.copies == s->actor_count;
    weir_free(b.part);
    weir_groups_free(&b.ends);
    weir_free(b.share);
}
