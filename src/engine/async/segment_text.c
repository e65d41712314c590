/* SPDX-License-Identifier: Apache-2.0 */
/* Segments in words. */
#include "base/error.h"
#include "engine/async/async.h"

const char *weir_async_segment_text(const struct weir_pipeline *p, const struct weir_async_segment *segment,
                                    char text[WEIR_SEGMENT_TEXT])
{
    char from[WEIR_QUOTED], to[WEIR_QUOTED];
    weir_quote(p->operators[segment->from.index].name, from);
    weir_quote(p->operators[segment->to.index].name, to);
    switch (segment->kind) {
    case WEIR_SEGMENT_PATH:
        snprintf(text, WEIR_SEGMENT_TEXT, "from the start of %s to the finish of %s", from, to);
        break;
    case WEIR_SEGMENT_NEWER:
        if (segment->newer == 1)
            snprintf(text, WEIR_SEGMENT_TEXT, "from the start of %s until %s has sent a newer message", from, to);
        else
            snprintf(text, WEIR_SEGMENT_TEXT, "from the start of %s until %s has sent %lld newer messages", from, to,
                     (long long)segment->newer);
        break;
    case WEIR_SEGMENT_QUEUE:
        snprintf(text, WEIR_SEGMENT_TEXT, "in the queue from %s to %s, for %lld execution%s", from, to, (long long)segment->newer,
                 segment->newer == 1 ? "" : "s");
        break;
    case WEIR_SEGMENT_BEGINNING:
        snprintf(text, WEIR_SEGMENT_TEXT, "in the queue from %s to %s, before execution %lld of %s begins", from, to,
                 (long long)segment->newer, to);
        break;
    case WEIR_SEGMENT_ROOM:
        snprintf(text, WEIR_SEGMENT_TEXT, "from the start of %s until %s has taken the message", from, to);
        break;
    }
    return text;
}
