/* SPDX-License-Identifier: Apache-2.0 */
/* The file as blocks and wires; at the end, a draft of the pipeline or a list of what is missing. */
#include "read/gnuradio/grc.h"

#include "model/pipeline.h"

#include <stdarg.h>
#include <string.h>

void weir_grc_note(const struct weir_grc *g, struct weir_place place, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    weir_errors_add_list(g->draft->options->notes, WEIR_OK, g->draft->file, place, format, arguments);
    va_end(arguments);
}

/* ---- blocks ---- */

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* A probe changes its value while the flowgraph runs; what the file says of it tells nothing. */
static bool is_variable(const char *type)
{
    return strcmp(type, "parameter") == 0 || (begins(type, "variable") && strcmp(type, "variable_function_probe") != 0);
}

static enum weir_grc_state state_of(const struct weir_yaml_node *block)
{
    const struct weir_yaml_node *state = weir_grc_field(weir_grc_field(block, "states"), "state");
    if (!state || state->kind != WEIR_YAML_SCALAR)
        return WEIR_GRC_ENABLED;
    if (strcmp(state->text, "disabled") == 0)
        return WEIR_GRC_DISABLED;
    return strcmp(state->text, "bypassed") == 0 ? WEIR_GRC_BYPASSED : WEIR_GRC_ENABLED; /* old files have "true" */
}

static const char *text_of(struct weir_draft *d, const struct weir_yaml_node *map, const char *key, const char *what)
{
    const struct weir_yaml_node *node = weir_grc_field(map, key);
    if (node && node->kind == WEIR_YAML_SCALAR && node->bytes)
        return node->text;
    weir_draft_mistake(d, node ? node->place : map->place, "%s needs \"%s\", which is a name", what, key);
    return NULL;
}

static void read_block(struct weir_grc *g, const struct weir_yaml_node *node)
{
    struct weir_draft *d = g->draft;
    if (node->kind != WEIR_YAML_MAP) {
        weir_draft_mistake(d, node->place, "a block is a mapping with \"name\" and \"id\", not %s", weir_yaml_kind_name(node));
        return;
    }
    const char *name = text_of(d, node, "name", "a block"), *type = text_of(d, node, "id", "a block");
    if (!name || !type || !weir_draft_check_name_of(d, "a block", name, strlen(name), node->place) ||
        !weir_draft_room(d, &g->blocks, &g->block_capacity, g->block_count, sizeof *g->blocks))
        return;
    struct weir_grc_block block = {.name = name,
                                   .type = type,
                                   .parameters = weir_grc_field(node, "parameters"),
                                   .place = node->place,
                                   .state = state_of(node)};
    block.variable = is_variable(type) && block.state != WEIR_GRC_DISABLED;
    g->blocks[g->block_count++] = block;
}

/* ---- connections ---- */

/* The four parts of a connection, in their order: a list, or since file format 2 a mapping. */
static bool parts_of(struct weir_draft *d, const struct weir_yaml_node *node, const struct weir_yaml_node *parts[4])
{
    static const char *const keys[4] = {"src_blk_id", "src_port_id", "snk_blk_id", "snk_port_id"};
    size_t count = 0;
    bool good = node->kind == WEIR_YAML_LIST || node->kind == WEIR_YAML_MAP;
    if (node->kind == WEIR_YAML_MAP)
        for (; count < 4; count++)
            parts[count] = weir_grc_field(node, keys[count]);
    else
        for (const struct weir_yaml_node *part = good ? node->first : NULL; part && count <= 4; part = part->next, count++)
            if (count < 4)
                parts[count] = part;
    good &= count == 4;
    for (size_t i = 0; i < 4 && good; i++)
        good = parts[i] && parts[i]->kind == WEIR_YAML_SCALAR;
    if (!good)
        weir_draft_mistake(d, node->place, "a connection is a list of a block, a port of it, another block and a port of that");
    return good;
}

static void read_connection(struct weir_grc *g, const struct weir_yaml_node *node)
{
    struct weir_draft *d = g->draft;
    const struct weir_yaml_node *parts[4];
    uint32_t ends[2];
    char quoted[WEIR_QUOTED];
    if (!parts_of(d, node, parts))
        return;
    for (int i = 0; i < 2; i++) {
        const struct weir_yaml_node *name = parts[2 * i];
        ends[i] = weir_grc_find(g, name->text, name->bytes);
        if (ends[i] == WEIR_GRC_NONE)
            weir_draft_mistake(d, name->place, "this connection %s block \"%s\", which is not in the file",
                               i ? "leads to" : "begins at", weir_quote(name->text, quoted));
    }
    if (ends[0] == WEIR_GRC_NONE || ends[1] == WEIR_GRC_NONE || g->blocks[ends[0]].state == WEIR_GRC_DISABLED ||
        g->blocks[ends[1]].state == WEIR_GRC_DISABLED)
        return;
    if (weir_draft_room(d, &g->wires, &g->wire_capacity, g->wire_count, sizeof *g->wires))
        g->wires[g->wire_count++] = (struct weir_grc_wire){
            .from = ends[0], .to = ends[1], .from_port = parts[1]->text, .to_port = parts[3]->text, .place = node->place};
}

/* ---- the end ---- */

/* Says which blocks are not in the model although they look as if they should be. */
static void note_left_out(const struct weir_grc *g)
{
    static const char *const silent[] = {"variable", "parameter",  "import",   "note",      "pad_sink",    "snippet",
                                         "options",  "epy_module", "virtual_", "qtgui_tab", "json_config", "yaml_config"};
    char quoted[WEIR_QUOTED], type[WEIR_QUOTED];
    for (size_t i = 0; i < g->block_count; i++) {
        const struct weir_grc_block *block = &g->blocks[i];
        bool quiet = weir_grc_runs(block) || block->messages || block->state != WEIR_GRC_ENABLED;
        for (size_t k = 0; k < sizeof silent / sizeof *silent && !quiet; k++)
            quiet = begins(block->type, silent[k]);
        if (!quiet)
            weir_grc_note(g, block->place, "block \"%s\" (%s) is left out: no stream is connected to it",
                          weir_quote(block->name, quoted), weir_quote(block->type, type));
    }
}

static bool report_missing(const struct weir_grc *g, const struct weir_grc_block *block)
{
    char name[WEIR_QUOTED], type[WEIR_QUOTED];
    const bool lacks[3] = {!block->has_rate, block->inputs == 0 && !block->has_frequency && !block->anchored, !block->has_cost};
    static const char *const words[3] = {"rate", "source rate", "cost"};
    static const char *const options[3] = {"rate", "source-rate", "cost"};
    static const char *const values[3] = {"OUT/IN", "FREQUENCY", "INIT,PER-SAMPLE"};
    char what[64] = "", how[3 * WEIR_QUOTED + 96] = "";
    size_t said = 0, shown = 0;
    weir_quote(block->name, name);
    for (int i = 0; i < 3; i++) {
        if (!lacks[i])
            continue;
        said += (size_t)snprintf(what + said, sizeof what - said, "%s%s", said ? " and " : "", words[i]);
        shown += (size_t)snprintf(how + shown, sizeof how - shown, " --%s %s=%s", options[i], name, values[i]);
    }
    if (said)
        weir_draft_mistake(g->draft, block->place, "block \"%s\" (%s): %s not known; give%s", name, weir_quote(block->type, type),
                           what, how);
    return said > 0;
}

/* Times of costs without a unit are in ns. */
static uint32_t cost_time(struct weir_grc *g, const struct weir_grc_block *block, const char *text)
{
    char with_unit[64];
    struct weir_decimal value;
    bool plain = weir_decimal_parse(text, &value) == WEIR_DECIMAL_OK && !value.has_unit;
    if (plain && strlen(text) + 3 <= sizeof with_unit) {
        snprintf(with_unit, sizeof with_unit, "%sns", text);
        text = with_unit;
    }
    return weir_draft_time(g->draft, text, block->place, "--cost");
}

/* As a rate where that is a decimal number, and as so many in a whole number of seconds where it is not. */
static void add_source(struct weir_grc *g, const struct weir_grc_block *block, uint32_t op)
{
    struct weir_draft *d = g->draft;
    struct weir_draft_source source = {.spec = {.op = {op}, .place = block->place, .arrivals = WEIR_ARRIVALS_EXACT},
                                       .rate_place = block->place};
    source.entry = d->entry_count++;
    source.spec.batch = block->produce > 1 ? block->produce : 0;
    int64_t numerator = block->frequency.numerator, denominator = block->frequency.denominator;
    int exponent = 0;
    for (int64_t scaled; denominator > 1 && exponent > -15 && weir_multiply(numerator, 10, &scaled); exponent--) {
        struct weir_grc_number number;
        if (!weir_grc_reduce(scaled, denominator, &number))
            break;
        numerator = number.numerator, denominator = number.denominator;
    }
    source.has_rate = denominator == 1;
    if (source.has_rate) {
        for (; numerator % 10 == 0; numerator /= 10)
            exponent++;
        source.rate = (struct weir_decimal){.mantissa = numerator, .exponent = exponent};
        source.spec.period = weir_draft_bad_time(d, block->place);
    } else {
        char text[32];
        snprintf(text, sizeof text, "%llds", (long long)block->frequency.denominator);
        source.spec.period = weir_draft_time(d, text, block->place, "period");
        source.spec.count = block->frequency.numerator;
    }
    weir_draft_add_source(d, &source);
}

static void fill_in(struct weir_grc *g)
{
    struct weir_draft *d = g->draft;
    uint32_t *operators = weir_array(g->block_count, sizeof *operators);
    d->out_of_memory |= !operators;
    for (size_t i = 0; i < g->block_count && !d->out_of_memory; i++) {
        const struct weir_grc_block *block = &g->blocks[i];
        operators[i] = WEIR_NO_OPERATOR;
        if (!weir_grc_runs(block))
            continue;
        uint32_t op = weir_draft_add_operator(d, block->name, strlen(block->name), block->place);
        if (op == WEIR_NO_OPERATOR)
            break;
        operators[i] = op;
        uint32_t init = cost_time(g, block, block->cost_init), sample = cost_time(g, block, block->cost_sample);
        struct weir_operator_spec spec = weir_draft_operator(d, op);
        spec.has_cost = true;
        spec.cost_init = init;
        spec.cost_sample = sample;
        weir_draft_set_operator(d, op, &spec);
        if (block->inputs == 0)
            add_source(g, block, op);
    }
    for (size_t i = 0; i < g->stream_count && !d->out_of_memory; i++) {
        const struct weir_grc_stream *stream = &g->streams[i];
        struct weir_draft_kind kind = {
            .spec = {.produce = g->blocks[stream->from].produce, .consume = g->blocks[stream->to].consume}};
        struct weir_draft_queue queue = {.from = operators[stream->from], .to = operators[stream->to], .place = stream->place};
        queue.kind = weir_draft_kind(d, &kind);
        weir_draft_add_queue(d, &queue);
    }
    weir_free(operators);
}

void weir_grc_finish(struct weir_grc *g)
{
    struct weir_draft *d = g->draft;
    bool missing = false, streams = false;
    note_left_out(g);
    for (size_t i = 0; i < g->block_count; i++) {
        const struct weir_grc_block *block = &g->blocks[i];
        if (!weir_grc_runs(block))
            continue;
        streams = true;
        missing |= report_missing(g, block);
    }
    if (!streams && !d->mistakes)
        weir_draft_mistake(d, g->options_place, "no stream is connected in this flowgraph");
    d->pool = true;
    d->platform.cores = d->options->cores;
    if (streams && !d->platform.cores)
        weir_draft_mistake(d, g->options_place,
                           "the number of cores is not known (weir analyze and weir convert take it); give --cores N");
    if (d->platform.cores > WEIR_CORES_MAX)
        weir_draft_mistake(d, (struct weir_place){0, 0}, "a platform has 1 to %d cores", WEIR_CORES_MAX);
    if (d->mistakes || missing || d->out_of_memory)
        return;
    d->has_unit = true;
    d->unit = WEIR_UNIT_US;
    fill_in(g);
}

static bool expect_list(struct weir_draft *d, const struct weir_yaml_node *root, const char *key,
                        const struct weir_yaml_node **list)
{
    *list = weir_grc_field(root, key);
    if (*list && ((*list)->kind == WEIR_YAML_LIST || weir_yaml_is_null(*list)))
        return true;
    weir_draft_mistake(d, *list ? (*list)->place : root->place, "a flowgraph needs \"%s\", which is a list", key);
    return false;
}

static void read_root(struct weir_grc *g, const struct weir_yaml_node *root)
{
    struct weir_draft *d = g->draft;
    const struct weir_yaml_node *blocks, *connections, *options = weir_grc_field(root, "options");
    g->options_place = options ? options->place : root->place;
    bool good = expect_list(d, root, "blocks", &blocks);
    good &= expect_list(d, root, "connections", &connections);
    if (!good)
        return;
    const struct weir_yaml_node *id = weir_grc_field(weir_grc_field(options, "parameters"), "id");
    if (id && id->kind == WEIR_YAML_SCALAR && id->bytes) {
        d->name = weir_arena_text(&d->arena, id->text);
        d->out_of_memory |= !d->name;
    }
    bool listed = blocks->kind == WEIR_YAML_LIST;
    for (const struct weir_yaml_node *node = listed ? blocks->first : NULL; node && !d->out_of_memory; node = node->next)
        read_block(g, node);
    if (d->out_of_memory || !weir_grc_index(g))
        return;
    weir_grc_solve(g);
    listed = connections->kind == WEIR_YAML_LIST;
    for (const struct weir_yaml_node *node = listed ? connections->first : NULL; node && !d->out_of_memory; node = node->next)
        read_connection(g, node);
    if (!d->out_of_memory)
        weir_grc_connect(g);
    for (size_t i = 0; i < g->block_count && !d->out_of_memory; i++)
        weir_grc_look_up(g, &g->blocks[i]);
    if (!d->out_of_memory)
        weir_grc_apply_options(g);
    if (!d->out_of_memory)
        weir_grc_pace(g);
    if (!d->out_of_memory)
        weir_grc_finish(g);
}

void weir_read_grc(struct weir_draft *d, const struct weir_file_text *text)
{
    struct weir_arena arena = {0};
    struct weir_grc g = {.draft = d, .arena = &arena};
    const struct weir_yaml_node *root = weir_yaml_parse(d, text, &arena, false);
    if (root && root->kind == WEIR_YAML_MAP)
        read_root(&g, root);
    else if (root)
        weir_draft_mistake(d, root->place, "a flowgraph is a mapping, not %s", weir_yaml_kind_name(root));
    weir_free(g.blocks);
    weir_names_free(&g.names);
    weir_free(g.stack);
    weir_free(g.wires);
    weir_free(g.streams);
    weir_arena_free(&arena);
}
