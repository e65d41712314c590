/* SPDX-License-Identifier: Apache-2.0 */
/* How much the queues have to hold: those whose size the analysis chose, for people; all of them, for programs. */
#include "answer/answer.h"
#include "answer/number.h"

static const struct weir_column columns[] = {{"from", NULL},     {"to", NULL},     {"input", NULL},
                                             {"capacity", NULL}, {"chosen", NULL}, {NULL, ""}};

struct ends {
    const char *from, *to;
};

static struct ends ends_of(const struct weir_answer *answer, const struct weir_buffer *buffer)
{
    if (buffer->input) {
        struct weir_source_spec source = weir_pipeline_source(answer->pipeline, buffer->index);
        return (struct ends){source.name ? source.name : "source", weir_answer_name(answer, source.op)};
    }
    struct weir_queue_spec queue = weir_pipeline_queue(answer->pipeline, (struct weir_queue){buffer->index});
    return (struct ends){weir_answer_name(answer, queue.from), weir_answer_name(answer, queue.to)};
}

static void add_buffer(struct weir_table_builder *table, const struct weir_buffer *buffer)
{
    struct weir_answer *answer = table->answer;
    struct ends ends = ends_of(answer, buffer);
    struct weir_datum absent = {.kind = WEIR_DATUM_ABSENT};
    bool grows = buffer->capacity == WEIR_UNBOUNDED;
    char number[WEIR_COUNT_TEXT];
    weir_table_cell(table, weir_datum_text(ends.from), weir_datum_text(ends.to), buffer->input ? weir_datum_flag(true) : absent,
                    weir_datum_if(!grows, weir_datum_count(buffer->capacity)), weir_datum_flag(buffer->chosen),
                    buffer->chosen
                        ? weir_datum_text(weir_answer_format(answer, "%s -> %s: %s", ends.from, ends.to,
                                                             grows ? "any number" : weir_count_format(buffer->capacity, number)))
                        : absent);
}

/* "Buffers: room for 12 messages in all; chosen by the analysis:" */
static const char *title_of(struct weir_answer *answer, const struct weir_buffers *buffers, size_t growing, size_t chosen)
{
    char total[WEIR_COUNT_TEXT];
    const char *grow = growing == 0 ? ""
                       : growing == 1
                           ? "1 queue grows without limit while another source is silent"
                           : weir_answer_format(answer, "%zu queues grow without limit while another source is silent", growing);
    const char *room =
        growing == buffers->count
            ? ""
            : weir_answer_format(answer, "%sroom for %s %s%s in all", growing ? "; in the others, " : "",
                                 weir_count_format(buffers->total, total), buffers->what, buffers->total == 1 ? "" : "s");
    return weir_answer_format(answer, "Buffers: %s%s%s", grow ? grow : "", room ? room : "",
                              chosen ? "; chosen by the analysis:" : ", all as the model says");
}

void weir_answer_buffers(struct weir_answer *answer, const struct weir_buffers *buffers, const char *note)
{
    struct weir_table_builder table;
    size_t growing = 0, chosen = 0;
    weir_table_begin(&table, answer, "buffers", columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < buffers->count; i++) {
        add_buffer(&table, &buffers->items[i]);
        growing += buffers->items[i].capacity == WEIR_UNBOUNDED;
        chosen += buffers->items[i].chosen;
    }
    weir_answer_add_table(&table, buffers->count ? title_of(answer, buffers, growing, chosen) : NULL, note);
    weir_answer_add_fact(answer, "buffer_total", weir_datum_if(buffers->known && growing == 0, weir_datum_count(buffers->total)));
}
