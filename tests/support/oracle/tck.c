/* SPDX-License-Identifier: Apache-2.0 */
#include "support/oracle/tck.h"

#include "support/oracle/visit.h"

#include <assert.h>
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROCESSES = 96, LOCATIONS = 32, EDGES = 4096, VARIABLES = 512, EVENTS = 512, SYNCS = 512, PARTS = 4, NAME = 96 };

struct location {
    char name[NAME];
    bool initial, committed, late, reached;
    const char *invariant;
};

struct process {
    char name[NAME];
    struct location locations[LOCATIONS];
    int location_count;
};

struct variable {
    char name[NAME];
    bool clock;
    int low, high, first;
};

struct edge {
    int process, from, to, event;
    const char *provided, *statements;
};

struct sync {
    int count;
    int process[PARTS], event[PARTS];
};

struct network {
    struct process processes[PROCESSES];
    int process_count;
    struct variable variables[VARIABLES];
    int variable_count;
    char events[EVENTS][NAME];
    int event_count;
    struct edge edges[EDGES];
    int edge_count;
    struct sync syncs[SYNCS];
    int sync_count;
    int largest; /* constant */
    int *state;  /* that expressions are about */
    struct tck_answer *answer;
};

static void complain(struct network *n, const char *what, const char *where)
{
    if (!n->answer->complaint[0])
        snprintf(n->answer->complaint, sizeof n->answer->complaint, "%s: %.100s", what, where);
}

/* ---- names ---- */

static int find_process(struct network *n, const char *name)
{
    for (int i = 0; i < n->process_count; i++)
        if (strcmp(n->processes[i].name, name) == 0)
            return i;
    complain(n, "no such process", name);
    return 0;
}

static int find_location(struct network *n, int process, const char *name)
{
    struct process *p = &n->processes[process];
    for (int i = 0; i < p->location_count; i++)
        if (strcmp(p->locations[i].name, name) == 0)
            return i;
    complain(n, "no such location", name);
    return 0;
}

static int find_event(struct network *n, const char *name)
{
    for (int i = 0; i < n->event_count; i++)
        if (strcmp(n->events[i], name) == 0)
            return i;
    complain(n, "no such event", name);
    return 0;
}

static int find_variable(struct network *n, const char *name, size_t length)
{
    for (int i = 0; i < n->variable_count; i++)
        if (strlen(n->variables[i].name) == length && memcmp(n->variables[i].name, name, length) == 0)
            return i;
    complain(n, "no such variable", name);
    return 0;
}

/* ---- expressions, by the grammar of the documentation ---- */

static void skip(const char **s)
{
    while (**s == ' ')
        (*s)++;
}

static bool accept(const char **s, const char *word)
{
    skip(s);
    size_t length = strlen(word);
    if (strncmp(*s, word, length) != 0)
        return false;
    *s += length;
    return true;
}

static int expression(struct network *n, const char **s);

static int term(struct network *n, const char **s);

static int factor(struct network *n, const char **s)
{
    skip(s);
    if (accept(s, "(if ")) {
        int condition = expression(n, s), yes, no;
        if (!accept(s, "then"))
            complain(n, "expected then", *s);
        yes = term(n, s);
        if (!accept(s, "else"))
            complain(n, "expected else", *s);
        no = term(n, s);
        if (!accept(s, ")"))
            complain(n, "expected )", *s);
        return condition ? yes : no;
    }
    if (isdigit((unsigned char)**s)) {
        char *end;
        long value = strtol(*s, &end, 10);
        *s = end;
        if (value > n->largest)
            n->largest = (int)value;
        return (int)value;
    }
    const char *begin = *s;
    while (isalnum((unsigned char)**s) || **s == '_')
        (*s)++;
    if (*s == begin) {
        complain(n, "expected a term", *s);
        return 0;
    }
    return n->state[n->process_count + find_variable(n, begin, (size_t)(*s - begin))];
}

static int term(struct network *n, const char **s)
{
    int value = factor(n, s);
    for (;;) {
        if (accept(s, "+"))
            value += factor(n, s);
        else if (accept(s, "-"))
            value -= factor(n, s);
        else
            return value;
    }
}

static int expression(struct network *n, const char **s)
{
    int all = 1;
    do {
        int left = term(n, s);
        if (accept(s, "=="))
            all &= left == term(n, s);
        else if (accept(s, "<="))
            all &= left <= term(n, s);
        else if (accept(s, ">="))
            all &= left >= term(n, s);
        else if (accept(s, "<"))
            all &= left < term(n, s);
        else if (accept(s, ">"))
            all &= left > term(n, s);
        else
            complain(n, "expected a comparison", *s);
    } while (accept(s, "&&"));
    return all;
}

static bool holds(struct network *n, const char *text, int *state)
{
    if (!text)
        return true;
    n->state = state;
    bool value = expression(n, &text);
    skip(&text);
    if (*text)
        complain(n, "something behind an expression", text);
    return value;
}

/* False when a variable would leave its range. */
static bool execute(struct network *n, const char *text, int *state)
{
    bool good = true;
    n->state = state;
    while (text && *text) {
        skip(&text);
        if (!accept(&text, "nop")) {
            const char *begin = text;
            while (isalnum((unsigned char)*text) || *text == '_')
                text++;
            int v = find_variable(n, begin, (size_t)(text - begin));
            if (!accept(&text, "="))
                complain(n, "expected =", text);
            int value = term(n, &text);
            good &= n->variables[v].clock || (value >= n->variables[v].low && value <= n->variables[v].high);
            state[n->process_count + v] = value;
        }
        if (!accept(&text, ";"))
            break;
    }
    if (text && *text)
        complain(n, "something behind a statement", text);
    return good;
}

/* ---- reading ---- */

/* The value of an attribute in "{a: x : b: y}", or NULL. Cuts the text up. */
static const char *attribute(char *attributes, const char *key)
{
    size_t length = strlen(key);
    for (char *at = attributes; at && *at;) {
        while (*at == ' ')
            at++;
        char *colon = strchr(at, ':');
        if (!colon)
            return NULL;
        char *end = strstr(colon + 1, " : ");
        if ((size_t)(colon - at) == length && memcmp(at, key, length) == 0) {
            char *value = strndup(colon + 1, end ? (size_t)(end - colon - 1) : strlen(colon + 1));
            assert(value);
            return value;
        }
        at = end ? end + 3 : NULL;
    }
    return NULL;
}

static void add_location(struct network *n, char *process, char *name, char *attributes)
{
    struct process *p = &n->processes[find_process(n, process)];
    assert(p->location_count < LOCATIONS);
    struct location *l = &p->locations[p->location_count++];
    snprintf(l->name, sizeof l->name, "%s", name);
    const char *labels = attribute(attributes, "labels"), *initial = attribute(attributes, "initial");
    const char *committed = attribute(attributes, "committed");
    l->initial = initial != NULL;
    l->committed = committed != NULL;
    l->late = labels && strstr(labels, "late");
    l->reached = labels && strstr(labels, "reached");
    l->invariant = attribute(attributes, "invariant");
    free((char *)labels);
    free((char *)initial);
    free((char *)committed);
}

static void add_sync(struct network *n, char *rest)
{
    assert(n->sync_count < SYNCS);
    struct sync *sync = &n->syncs[n->sync_count++];
    for (char *part = strtok(rest, ":"); part; part = strtok(NULL, ":")) {
        char *at = strchr(part, '@');
        assert(at && sync->count < PARTS);
        *at = 0;
        sync->process[sync->count] = find_process(n, part);
        sync->event[sync->count++] = find_event(n, at + 1);
    }
    if (sync->count < 2)
        complain(n, "a sync of one", rest);
}

static void add_line(struct network *n, char *line)
{
    char *fields[8] = {NULL}, *attributes = strchr(line, '{');
    int count = 0;
    if (attributes) {
        *attributes++ = 0;
        assert(strchr(attributes, '}'));
        *strchr(attributes, '}') = 0;
    }
    char *keyword = line, *rest = strchr(line, ':');
    assert(rest);
    *rest++ = 0;
    if (strcmp(keyword, "sync") == 0) {
        add_sync(n, rest);
        return;
    }
    for (char *field = strtok(rest, ":"); field && count < 8; field = strtok(NULL, ":"))
        fields[count++] = field;
    if (strcmp(keyword, "process") == 0) {
        assert(n->process_count < PROCESSES);
        snprintf(n->processes[n->process_count++].name, NAME, "%s", fields[0]);
    } else if (strcmp(keyword, "event") == 0) {
        assert(n->event_count < EVENTS);
        snprintf(n->events[n->event_count++], NAME, "%s", fields[0]);
    } else if (strcmp(keyword, "clock") == 0 || strcmp(keyword, "int") == 0) {
        bool clock = keyword[0] == 'c';
        assert(n->variable_count < VARIABLES);
        struct variable *v = &n->variables[n->variable_count++];
        *v = (struct variable){.clock = clock};
        snprintf(v->name, NAME, "%s", clock ? fields[1] : fields[4]);
        if (!clock)
            v->low = atoi(fields[1]), v->high = atoi(fields[2]), v->first = atoi(fields[3]);
        if (v->first < v->low || v->first > v->high)
            complain(n, "begins out of its range", v->name);
    } else if (strcmp(keyword, "location") == 0) {
        add_location(n, fields[0], fields[1], attributes);
    } else if (strcmp(keyword, "edge") == 0) {
        assert(n->edge_count < EDGES);
        struct edge *e = &n->edges[n->edge_count++];
        e->process = find_process(n, fields[0]);
        e->from = find_location(n, e->process, fields[1]);
        e->to = find_location(n, e->process, fields[2]);
        e->event = find_event(n, fields[3]);
        e->provided = attribute(attributes, "provided");
        e->statements = attribute(attributes, "do");
    } else if (strcmp(keyword, "system") != 0) {
        complain(n, "unknown declaration", keyword);
    }
}

static void read_network(struct network *n, const char *text)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        char *line = strndup(text, length);
        assert(line);
        text += length + (text[length] != 0);
        line[strcspn(line, "#")] = 0;
        for (size_t end = strlen(line); end > 0 && line[end - 1] == ' ';)
            line[--end] = 0;
        if (*line)
            add_line(n, line);
        free(line);
    }
}

/* ---- visiting ---- */

static const struct location *location_of(const struct network *n, const int *state, int process)
{
    return &n->processes[process].locations[state[process]];
}

static bool invariants_hold(struct network *n, int *state)
{
    for (int p = 0; p < n->process_count; p++)
        if (!holds(n, location_of(n, state, p)->invariant, state))
            return false;
    return true;
}

/* Takes the edges together, if their guards allow it. Returns whether it did. */
static bool take(struct visit *v, const int *state, const struct edge *const *edges, int count)
{
    struct network *n = v->network;
    int next[PROCESSES + VARIABLES];
    memcpy(next, state, v->width * sizeof *next);
    bool committed = false, moves = false;
    for (int p = 0; p < n->process_count; p++)
        committed |= location_of(n, state, p)->committed;
    for (int i = 0; i < count; i++) {
        moves |= location_of(n, state, edges[i]->process)->committed;
        if (!holds(n, edges[i]->provided, next))
            return false;
    }
    if (committed && !moves)
        return false;
    for (int i = 0; i < count; i++) {
        if (!execute(n, edges[i]->statements, next)) {
            n->answer->overflow = true;
            return false;
        }
        next[edges[i]->process] = edges[i]->to;
    }
    if (!invariants_hold(n, next))
        return false;
    visit(v, next);
    return true;
}

/* All choices of an edge for each part of the sync, from part `part` on. */
static bool take_sync(struct visit *v, const int *state, const struct sync *sync, int part, const struct edge **edges)
{
    struct network *n = v->network;
    if (part == sync->count)
        return take(v, state, edges, part);
    bool any = false;
    for (int i = 0; i < n->edge_count; i++) {
        const struct edge *e = &n->edges[i];
        if (e->process != sync->process[part] || e->event != sync->event[part] || e->from != state[e->process])
            continue;
        edges[part] = e;
        any |= take_sync(v, state, sync, part + 1, edges);
    }
    return any;
}

static bool is_synchronous(const struct network *n, const struct edge *e)
{
    for (int i = 0; i < n->sync_count; i++)
        for (int k = 0; k < n->syncs[i].count; k++)
            if (n->syncs[i].process[k] == e->process && n->syncs[i].event[k] == e->event)
                return true;
    return false;
}

static bool pass_time(struct visit *v, const int *state)
{
    struct network *n = v->network;
    int next[PROCESSES + VARIABLES];
    memcpy(next, state, v->width * sizeof *next);
    for (int p = 0; p < n->process_count; p++)
        if (location_of(n, state, p)->committed)
            return false;
    for (int i = 0; i < n->variable_count; i++)
        if (n->variables[i].clock && next[n->process_count + i] <= n->largest) /* beyond, all are alike */
            next[n->process_count + i]++;
    if (!invariants_hold(n, next))
        return false;
    visit(v, next);
    return true;
}

static void go_on(struct visit *v, const int *state)
{
    struct network *n = v->network;
    bool any = false, labelled = false;
    for (int p = 0; p < n->process_count; p++) {
        n->answer->late |= location_of(n, state, p)->late;
        n->answer->reached |= location_of(n, state, p)->reached;
        labelled |= location_of(n, state, p)->late || location_of(n, state, p)->reached;
    }
    if (labelled)
        return;
    const struct edge *edges[PARTS];
    for (int i = 0; i < n->sync_count; i++)
        any |= take_sync(v, state, &n->syncs[i], 0, edges);
    for (int i = 0; i < n->edge_count; i++) {
        edges[0] = &n->edges[i];
        if (edges[0]->from == state[edges[0]->process] && !is_synchronous(n, edges[0]))
            any |= take(v, state, edges, 1);
    }
    any |= pass_time(v, state);
    n->answer->stuck |= !any;
}

static void explore(struct network *n, size_t limit)
{
    struct visit v = {.network = n, .width = (size_t)(n->process_count + n->variable_count), .limit = limit, .index_size = 1};
    while (v.index_size < 2 * limit)
        v.index_size *= 2;
    v.states = malloc(limit * v.width * sizeof *v.states);
    v.index = calloc(v.index_size, sizeof *v.index);
    assert(v.states && v.index);
    int first[PROCESSES + VARIABLES] = {0}, state[PROCESSES + VARIABLES];
    for (int p = 0; p < n->process_count; p++)
        for (int l = 0; l < n->processes[p].location_count; l++)
            if (n->processes[p].locations[l].initial)
                first[p] = l;
    for (int i = 0; i < n->variable_count; i++)
        first[n->process_count + i] = n->variables[i].first;
    for (int i = 0; i < n->edge_count; i++) /* learns the largest constant */
        holds(n, n->edges[i].provided, first);
    for (int p = 0; p < n->process_count; p++)
        for (int l = 0; l < n->processes[p].location_count; l++)
            holds(n, n->processes[p].locations[l].invariant, first);
    visit(&v, first);
    for (size_t i = 0; i < v.count && !n->answer->complaint[0]; i++) {
        memcpy(state, v.states + i * v.width, v.width * sizeof *state);
        go_on(&v, state);
    }
    n->answer->states = v.count;
    n->answer->finished = v.count < limit;
    free(v.index);
    free(v.states);
}

void tck_explore(const char *text, size_t limit, struct tck_answer *answer)
{
    struct network *n = calloc(1, sizeof *n);
    assert(n);
    *answer = (struct tck_answer){.finished = false};
    n->answer = answer;
    read_network(n, text);
    if (!answer->complaint[0])
        explore(n, limit);
    for (int i = 0; i < n->edge_count; i++) {
        free((char *)n->edges[i].provided);
        free((char *)n->edges[i].statements);
    }
    for (int p = 0; p < n->process_count; p++)
        for (int l = 0; l < n->processes[p].location_count; l++)
            free((char *)n->processes[p].locations[l].invariant);
    free(n);
}
