/* SPDX-License-Identifier: Apache-2.0 */
/* Legs in words. */
#include "base/error.h"
#include "engine/async/sample.h"

const char *weir_sample_leg_words(const struct weir_pipeline *p, const struct weir_sample_leg *leg, char text[WEIR_LEG_TEXT])
{
    char from[WEIR_QUOTED], to[WEIR_QUOTED];
    weir_quote(p->operators[leg->from.index].name, from);
    weir_quote(p->operators[leg->to.index].name, to);
    switch (leg->kind) {
    case WEIR_LEG_WAY:
        snprintf(text, WEIR_LEG_TEXT, "from the start of %s to the finish of %s", from, to);
        break;
    case WEIR_LEG_NEWER:
        if (leg->newer == 1)
            snprintf(text, WEIR_LEG_TEXT, "from the start of %s until %s has sent a newer message", from, to);
        else
            snprintf(text, WEIR_LEG_TEXT, "from the start of %s until %s has sent %lld newer messages", from, to,
                     (long long)leg->newer);
        break;
    case WEIR_LEG_QUEUE:
        snprintf(text, WEIR_LEG_TEXT, "in the queue from %s to %s, for %lld execution%s", from, to, (long long)leg->newer,
                 leg->newer == 1 ? "" : "s");
        break;
    case WEIR_LEG_BEGINNING:
        snprintf(text, WEIR_LEG_TEXT, "in the queue from %s to %s, before execution %lld of %s begins", from, to,
                 (long long)leg->newer, to);
        break;
    case WEIR_LEG_ROOM:
        snprintf(text, WEIR_LEG_TEXT, "from the start of %s until %s has taken the message", from, to);
        break;
    }
    return text;
}
