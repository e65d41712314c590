/* SPDX-License-Identifier: Apache-2.0 */
#include "render/html/live_model.h"

#include "model/pipeline.h"
#include "render/html/assets.h"

#include <inttypes.h>

bool weir_report_live(const char **why)
{
    bool live = weir_asset_live_wasm_size > 0;
    if (why)
        *why = live ? NULL : WEIR_LIVE_MISSING;
    return live;
}

/* Everything but plain letters is escaped, so that no name can end the script that it stands in. */
static void write_text(const char *text, FILE *out)
{
    fputc('"', out);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c < 0x20 || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&')
            fprintf(out, "\\u%04x", c);
        else
            fputc(c, out);
    }
    fputc('"', out);
}

static void write_operators(const struct weir_pipeline *p, FILE *out)
{
    fputs("\"operators\":[", out);
    for (size_t i = 0; i < p->operator_count; i++) {
        const struct weir_operator_spec *o = &p->operators[i];
        fprintf(out, "%s\n{\"name\":", i ? "," : "");
        write_text(o->name, out);
        fprintf(out,
                ",\"best\":\"%" PRId64 "\",\"worst\":\"%" PRId64 "\",\"receive\":[\"%" PRId64 "\",\"%" PRId64 "\"],\"flags\":%d}",
                o->best, o->worst, o->receive_min, o->receive_max, o->reentrant + 2 * o->broadcast + 4 * o->assumed);
    }
    fputs("],\n", out);
}

static void write_queues(const struct weir_pipeline *p, FILE *out)
{
    fputs("\"queues\":[", out);
    for (size_t i = 0; i < p->queue_count; i++) {
        const struct weir_queue_spec *q = &p->queues[i];
        fprintf(out, "%s\n{\"from\":%u,\"to\":%u,\"capacity\":%u,\"initial\":%u,\"flags\":%d}", i ? "," : "", q->from.index,
                q->to.index, q->capacity, q->initial, q->nonblocking);
    }
    fputs("],\n", out);
}

static void write_sources(const struct weir_pipeline *p, FILE *out)
{
    fputs("\"sources\":[", out);
    for (size_t i = 0; i < p->source_count; i++)
        fprintf(out, "%s\n{\"operator\":%u,\"period\":\"%" PRId64 "\",\"arrivals\":%d}", i ? "," : "", p->sources[i].op.index,
                p->sources[i].period, (int)p->sources[i].arrivals);
    fputs("],\n", out);
}

/* Those that were given; the others come again when the copy in the page is sealed. */
static void write_chains(const struct weir_pipeline *p, FILE *out)
{
    fputs("\"pairs\":[", out);
    for (size_t i = 0; i < p->chain_count && p->shift_given; i++) {
        const struct weir_chain_spec *s = &p->chains[i];
        fprintf(out, "%s\n{\"from\":%u,\"to\":%u,\"deadline\":\"%" PRId64 "\",\"shift\":\"%" PRId64 "\",\"flags\":%d}",
                i ? "," : "", s->from.index, s->to.index, s->deadline, s->shift, s->has_deadline + 2 * (p->shift_given[i] != 0));
    }
    fputs("]", out);
}

void weir_live_write_model(const struct weir_pipeline *p, FILE *out)
{
    fputs("{\"name\":", out);
    write_text(p->name, out);
    fprintf(out, ",\"unit\":%d,\"unitName\":\"%s\",\"digits\":%u,\n", (int)p->unit, weir_unit_name(p->unit), p->digits);
    struct weir_workers_spec workers = weir_pipeline_workers(p);
    fprintf(out, "\"workers\":[%d,%u,\"%" PRId64 "\"],\n", (int)workers.dispatch, workers.workers, workers.polling);
    write_operators(p, out);
    write_queues(p, out);
    write_sources(p, out);
    write_chains(p, out);
    fputs("}", out);
}

void weir_live_write_base64(const unsigned char *bytes, size_t count, FILE *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < count; i += 3) {
        size_t left = count - i;
        uint32_t three = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) | (left > 2 ? bytes[i + 2] : 0);
        fputc(digits[three >> 18], out);
        fputc(digits[three >> 12 & 63], out);
        fputc(left > 1 ? digits[three >> 6 & 63] : '=', out);
        fputc(left > 2 ? digits[three & 63] : '=', out);
    }
}
