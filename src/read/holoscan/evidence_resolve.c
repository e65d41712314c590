/* SPDX-License-Identifier: Apache-2.0 */
/* Names between files. A tracker may put the application's name before that of an operator, "Endoscopy.camera", where the port map
 * has "camera". Two names of different files are one operator's when one is the other behind a dot, and no third one is, too. */
#include "read/holoscan/evidence_build.h"

#include <string.h>

/* The operator that is called as `name` is behind one of its dots, first named by another file. */
static uint32_t shorter_name(const struct weir_evidence *e, uint32_t op)
{
    const struct weir_evidence_operator *o = &e->operators[op];
    for (const char *dot = strchr(o->name, '.'); dot; dot = strchr(dot + 1, '.')) {
        uint32_t other = weir_evidence_find(e, dot + 1, strlen(dot + 1));
        if (other != WEIR_NO_OPERATOR && e->operators[other].at.file != o->at.file)
            return other;
    }
    return WEIR_NO_OPERATOR;
}

void weir_evidence_resolve(struct weir_evidence_building *b)
{
    struct weir_evidence *e = b->evidence;
    uint32_t *longer = b->made; /* not needed yet: by operator, how many longer names it has */
    for (uint32_t i = 0; i < e->operator_count; i++)
        b->alias[i] = i, longer[i] = 0;
    for (uint32_t i = 0; i < e->operator_count; i++) {
        uint32_t other = shorter_name(e, i);
        if (other != WEIR_NO_OPERATOR)
            longer[other]++;
    }
    for (uint32_t i = 0; i < e->operator_count; i++) {
        char quoted[2][WEIR_QUOTED];
        uint32_t other = shorter_name(e, i);
        if (other == WEIR_NO_OPERATOR || b->alias[other] != other || b->alias[i] != i)
            continue;
        if (longer[other] > 1) {
            weir_evidence_note(e, e->operators[i].at, "\"%s\" is not taken for \"%s\": other names end in the same way",
                               weir_quote(e->operators[i].name, quoted[0]), weir_quote(e->operators[other].name, quoted[1]));
            continue;
        }
        bool keep_longer = e->operators[i].by_graph && !e->operators[other].by_graph;
        uint32_t stays = keep_longer ? i : other, goes = keep_longer ? other : i;
        b->alias[goes] = stays;
        e->operators[stays].broadcast |= e->operators[goes].broadcast;
        e->operators[stays].by_graph |= e->operators[goes].by_graph;
        weir_evidence_note(e, e->operators[goes].at, "\"%s\" is taken for \"%s\" of %s",
                           weir_quote(e->operators[goes].name, quoted[0]), weir_quote(e->operators[stays].name, quoted[1]),
                           e->files[e->operators[stays].at.file].path);
    }
    for (uint32_t i = 0; i < e->operator_count; i++) /* an alias of an alias */
        b->alias[i] = b->alias[b->alias[i]];
}
