/* SPDX-License-Identifier: Apache-2.0 */
/* A pipeline as a model file, YAML or JSON, that reads back as the same pipeline: what the table of keys says of it. */
#include "base/alloc.h"
#include "base/error.h"
#include "format/chains.h"
#include "format/emit.h"
#include "format/formats.h"
#include "model/pipeline.h"
#include "model/schema.h"

#include <errno.h>

/* A name is a key, and the keys of JSON that YAML can tell from text have up to 1024 characters. */
#define JSON_NAME_MAX 500

struct writer {
    struct weir_emit emit;
    const struct weir_pipeline *pipeline;
    struct weir_chain_needs needs;
    bool full; /* JSON: with what holds although it is not said */
};

static unsigned char here(const struct writer *w)
{
    return weir_platform_bit(w->pipeline->platform);
}

static bool has_slots(enum weir_sharing sharing)
{
    return sharing == WEIR_TDM || sharing == WEIR_ROUND_ROBIN;
}

/* ---- what is written ---- */

/* Whether the file has the key: it says something here, and can be read back. */
static bool is_written(const struct writer *w, enum weir_key_id id, const void *spec)
{
    const struct weir_key *key = &weir_keys[id];
    const struct weir_operator_spec *o = spec;
    const struct weir_queue_spec *q = spec;
    const struct weir_source_spec *source = spec;
    const struct weir_processor_spec *p = spec;
    const struct weir_platform_spec *platform = spec;
    bool said = (key->size || key->type == WEIR_VALUE_MAP) && (weir_key_is_said(key, spec) || (w->full && key->shown & here(w)));
    if (!(key->platforms & here(w)))
        return false;
    switch (id) {
    case WEIR_KEY_TIME:
        return !(here(w) == WEIR_ON_POOL && o->has_cost);
    case WEIR_KEY_PRIORITY: /* where it counts, since elsewhere it cannot be read */
        return said && o->mapped && !has_slots(w->pipeline->processors[o->on.index].sharing);
    case WEIR_KEY_SLOT:
        return said && o->mapped;
    case WEIR_KEY_LOAD:
        return !o->time_count;
    case WEIR_KEY_TIMES:
        return o->time_count;
    case WEIR_KEY_TO:
    case WEIR_KEY_SCHEDULER:
        return true;
    case WEIR_KEY_THRESHOLD:
        return w->full || (said && q->threshold != q->consume);
    case WEIR_KEY_CAPACITY: /* a place for the latest message has room for one */
    case WEIR_KEY_BLOCKING:
        return said && !q->latest;
    case WEIR_KEY_RATE:
        return weir_format_needs_rate(w->pipeline, source);
    case WEIR_KEY_PERIOD:
        return !weir_format_needs_rate(w->pipeline, source);
    case WEIR_KEY_SPORADIC:
        return said && !source->bursty;
    case WEIR_KEY_ARRIVALS:
        return said && here(w) == WEIR_ON_THREADS;
    case WEIR_KEY_PROCESSOR_SCHEDULER:
        return w->full || has_slots(p->sharing);
    case WEIR_KEY_PREEMPTIVE:
        return w->full ? !has_slots(p->sharing) : p->sharing == WEIR_NONPREEMPTIVE;
    case WEIR_KEY_FRAME:
        return p->sharing == WEIR_TDM;
    case WEIR_KEY_WORKERS:
        return said && platform->workers.dispatch != WEIR_DISPATCH_GREEDY;
    case WEIR_KEY_POLLING:
        return platform->workers.dispatch == WEIR_DISPATCH_POLLED;
    default:
        return said;
    }
}

/* ---- values ---- */

static const char *operator_name(const struct writer *w, int64_t op)
{
    return w->pipeline->operators[op].name;
}

static void write_table(struct writer *w, const struct weir_operator_spec *spec)
{
    weir_emit_map(&w->emit);
    for (size_t i = 0; i < spec->time_count; i++) {
        char sms[16];
        snprintf(sms, sizeof sms, "%u", spec->times[i].sms);
        weir_emit_key(&w->emit, sms);
        weir_emit_time(&w->emit, spec->times[i].time);
    }
    weir_emit_end(&w->emit);
}

static void write_platform_scheduler(struct writer *w, const struct weir_key *key, const void *spec)
{
    weir_emit_word(&w->emit, here(w) == WEIR_ON_PROCESSORS ? "fixed-priority"
                             : here(w) == WEIR_ON_POOL     ? "global-edf"
                                                           : key->words[weir_key_get(key, spec, 0)]);
}

/* What has code of its own; false: nothing. */
static bool write_other(struct writer *w, enum weir_key_id id, const void *spec)
{
    const struct weir_processor_spec *p = spec;
    char rate[WEIR_RATE_TEXT];
    switch (id) {
    case WEIR_KEY_TIME:
        if (!w->pipeline->untimed || !w->pipeline->untimed[(const struct weir_operator_spec *)spec - w->pipeline->operators])
            return false;
        weir_emit_word(&w->emit, "TODO");
        return true;
    case WEIR_KEY_TIMES:
        write_table(w, spec);
        return true;
    case WEIR_KEY_TO:
        weir_emit_text(&w->emit, operator_name(w, ((const struct weir_queue_spec *)spec)->to.index));
        return true;
    case WEIR_KEY_RATE:
        weir_format_rate(w->pipeline, spec, rate);
        weir_emit_word(&w->emit, rate);
        return true;
    case WEIR_KEY_SCHEDULER:
        write_platform_scheduler(w, &weir_keys[id], spec);
        return true;
    case WEIR_KEY_PROCESSOR_SCHEDULER:
        weir_emit_word(&w->emit, p->sharing == WEIR_TDM           ? "tdm"
                                 : p->sharing == WEIR_ROUND_ROBIN ? "round-robin"
                                                                  : "fixed-priority");
        return true;
    case WEIR_KEY_PREEMPTIVE:
        weir_emit_flag(&w->emit, p->sharing == WEIR_PREEMPTIVE);
        return true;
    default:
        return false;
    }
}

static void write_value(struct writer *w, const struct weir_key *key, const void *spec)
{
    struct weir_emit *e = &w->emit;
    int64_t number = weir_key_get(key, spec, 0);
    switch (key->type) {
    case WEIR_VALUE_TIME:
        weir_emit_time(e, number);
        break;
    case WEIR_VALUE_INTERVAL:
        if (key->has && !weir_key_is_said(key, spec))
            weir_emit_word(e, "unknown");
        else if (key->has && number == weir_key_get(key, spec, 1))
            weir_emit_time(e, number);
        else
            weir_emit_interval(e, number, weir_key_get(key, spec, 1));
        break;
    case WEIR_VALUE_CAPACITY:
        if (number == WEIR_UNBOUNDED || number == WEIR_AUTO)
            weir_emit_word(e, number == WEIR_AUTO ? "auto" : "unbounded");
        else
            weir_emit_integer(e, number);
        break;
    case WEIR_VALUE_FLAG:
        weir_emit_flag(e, number);
        break;
    case WEIR_VALUE_CHOICE:
        weir_emit_word(e, key->words[number]);
        break;
    case WEIR_VALUE_NAME:
        weir_emit_text(e, weir_key_get_name(key, spec));
        break;
    case WEIR_VALUE_OPERATOR:
        weir_emit_text(e, operator_name(w, number));
        break;
    case WEIR_VALUE_PROCESSOR:
        weir_emit_text(e, w->pipeline->processors[number].name);
        break;
    default:
        if (number == 0 && key == &weir_keys[WEIR_KEY_THRESHOLD])
            number = ((const struct weir_queue_spec *)spec)->consume;
        weir_emit_integer(e, number == 0 && key->type == WEIR_VALUE_COUNT ? 1 : number);
        break;
    }
}

/* The keys of an owner, and of the mappings in it. */
static void write_fields(struct writer *w, enum weir_owner owner, const void *spec)
{
    enum weir_key_id id, end;
    for (weir_owner_keys(owner, &id, &end); id < end; id++) {
        const struct weir_key *key = &weir_keys[id];
        if (!weir_key_is_of(key, owner) || !is_written(w, id, spec))
            continue;
        weir_emit_key(&w->emit, key->name);
        if (write_other(w, id, spec))
            continue;
        if (key->type != WEIR_VALUE_MAP) {
            write_value(w, key, spec);
            continue;
        }
        weir_emit_map(&w->emit);
        write_fields(w, key->inside, weir_key_inside(key, spec));
        weir_emit_end(&w->emit);
    }
}

/* ---- sections ---- */

static void write_entry(struct writer *w, const char *name, enum weir_owner owner, const void *spec)
{
    weir_emit_entry(&w->emit, name);
    write_fields(w, owner, spec);
    weir_emit_end(&w->emit);
}

static void write_platform(struct writer *w)
{
    const struct weir_pipeline *p = w->pipeline;
    struct weir_platform_spec spec = weir_platform_spec(p);
    if (here(w) != WEIR_ON_THREADS || spec.workers.dispatch != WEIR_DISPATCH_EVENTS || spec.workers.workers) {
        weir_emit_key(&w->emit, "platform");
        weir_emit_map(&w->emit);
        write_fields(w, WEIR_OF_PLATFORM, &spec);
        weir_emit_end(&w->emit);
    }
    if (here(w) != WEIR_ON_PROCESSORS || (!p->processor_count && !w->emit.is_json))
        return;
    weir_emit_section(&w->emit, "processors", false);
    for (size_t i = 0; i < p->processor_count; i++)
        write_entry(w, p->processors[i].name, WEIR_OF_PROCESSOR, &p->processors[i]);
    weir_emit_section_end(&w->emit);
}

static void write_graph(struct writer *w)
{
    const struct weir_pipeline *p = w->pipeline;
    bool gpu = here(w) == WEIR_ON_GPU;
    weir_emit_section(&w->emit, gpu ? "kernels" : "operators", false);
    for (size_t i = 0; i < p->operator_count; i++)
        write_entry(w, p->operators[i].name, gpu ? WEIR_OF_KERNEL : WEIR_OF_OPERATOR, &p->operators[i]);
    weir_emit_section_end(&w->emit);
    if (!p->queue_count && !w->emit.is_json)
        return;
    weir_emit_section(&w->emit, gpu ? "dependencies" : "queues", true);
    for (size_t i = 0; i < p->queue_count; i++) {
        const struct weir_queue_spec *q = &p->queues[i];
        if (!gpu || !weir_emit_arrow(&w->emit, operator_name(w, q->from.index), operator_name(w, q->to.index)))
            write_entry(w, NULL, gpu ? WEIR_OF_DEPENDENCY : WEIR_OF_QUEUE, q);
    }
    weir_emit_section_end(&w->emit);
}

static void write_sources(struct writer *w)
{
    const struct weir_pipeline *p = w->pipeline;
    if (!p->source_count || here(w) == WEIR_ON_GPU)
        return;
    weir_emit_section(&w->emit, "sources", true);
    for (size_t i = 0; i < p->source_count; i++)
        write_entry(w, NULL, WEIR_OF_SOURCE, &p->sources[i]);
    weir_emit_section_end(&w->emit);
}

/* Those with a deadline, or those without. */
static void write_chains(struct writer *w, bool deadlines)
{
    const struct weir_pipeline *p = w->pipeline;
    size_t count = 0;
    for (size_t i = 0; i < p->chain_count; i++)
        count += p->chains[i].has_deadline == deadlines;
    if (!w->needs.any || (!count && !w->emit.is_json))
        return;
    weir_emit_section(&w->emit, deadlines ? "deadlines" : "measure", true);
    for (size_t i = 0; i < p->chain_count; i++) {
        struct weir_chain_spec spec = p->chains[i];
        spec.has_shift = w->needs.offset[i];
        if (spec.has_deadline == deadlines)
            write_entry(w, NULL, deadlines ? WEIR_OF_DEADLINE : WEIR_OF_MEASURE, &spec);
    }
    weir_emit_section_end(&w->emit);
}

/* ---- the whole ---- */

static enum weir_status check(const struct weir_pipeline *p, const char *format, size_t name_max, struct weir_error *error)
{
    if (!p)
        return weir_fail_missing(error);
    enum weir_status status = weir_format_check_names(p, format, name_max, error);
    status = status ? status : weir_format_check_kernels(p, format, error);
    return status ? status : weir_format_check_sources(p, format, error);
}

static enum weir_status write_model(const struct weir_pipeline *pipeline, bool json, bool full, FILE *out, struct weir_error *error)
{
    struct writer w = {.emit = {.pipeline = pipeline, .is_json = json, .json = {.out = out}}, .pipeline = pipeline, .full = full};
    const char *format = json ? "JSON" : "YAML";
    enum weir_status status = check(pipeline, format, json ? JSON_NAME_MAX : SIZE_MAX, error);
    if (status == WEIR_OK)
        status = weir_chain_needs_find(pipeline, &w.needs, error);
    if (status != WEIR_OK)
        return status;
    errno = 0;
    weir_emit_begin(&w.emit);
    weir_emit_key(&w.emit, "weir");
    weir_emit_integer(&w.emit, 1);
    if (weir_pipeline_name(pipeline)[0]) {
        weir_emit_key(&w.emit, "name");
        weir_emit_text(&w.emit, weir_pipeline_name(pipeline));
    }
    weir_emit_key(&w.emit, "unit");
    weir_emit_word(&w.emit, weir_unit_name(weir_pipeline_unit(pipeline)));
    write_platform(&w);
    write_graph(&w);
    write_sources(&w);
    write_chains(&w, false);
    write_chains(&w, true);
    weir_emit_finish(&w.emit);
    weir_free(w.needs.offset);
    return weir_written(out, json ? "the model as JSON" : "the model as YAML", error);
}

enum weir_status weir_pipeline_write_yaml(const struct weir_pipeline *pipeline, FILE *out, struct weir_error *error)
{
    return write_model(pipeline, false, false, out, error);
}

enum weir_status weir_write_model_json(const struct weir_pipeline *pipeline, uint32_t chain, FILE *out, struct weir_error *error)
{
    (void)chain;
    return write_model(pipeline, true, true, out, error);
}

enum weir_status weir_write_model_brief(const struct weir_pipeline *pipeline, FILE *out, struct weir_error *error)
{
    return write_model(pipeline, true, false, out, error);
}
