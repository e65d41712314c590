/* SPDX-License-Identifier: Apache-2.0 */
/* What the tracker printed at the end: of each path the least, mean and greatest latency. */
#include "compare.h"

#include <stdlib.h>
#include <string.h>

/* Numbers are printed with six digits: the last of them may have been rounded up. */
static int64_t least_meant(int64_t printed)
{
    return printed - printed / 200000;
}

static bool intern(struct weir_comparison *c, const char *text, size_t *count, uint32_t *name)
{
    for (*name = 0; *name < *count; (*name)++)
        if (strcmp(c->texts[*name], text) == 0)
            return true;
    c->texts[(*count)++] = text;
    return weir_compare_match_names(c, *count);
}

static bool add_path(struct weir_comparison *c, const struct weir_flow_path *said, size_t *names)
{
    uint32_t *ids = malloc(said->count * sizeof *ids);
    if (!ids || !weir_compare_grow(&c->paths, &c->path_capacity, c->path_count + 1, sizeof *c->paths)) {
        free(ids);
        return false;
    }
    struct weir_compared *p = &c->paths[c->path_count++];
    *p = (struct weir_compared){
        .names = ids, .count = said->count, .mean = said->mean, .max_message = said->max_message, .first_receive = -1};
    for (size_t i = 0; i < said->count; i++)
        if (!intern(c, said->names[i], names, &ids[i]))
            return false;
    p->samples.count = said->messages > INT64_MAX ? INT64_MAX : (int64_t)said->messages;
    p->samples.min = said->min;
    p->samples.max = said->max;
    weir_compare_bound(c, p);
    p->above_count = p->in_model && p->bounded && said->max >= 0 && weir_compare_above(least_meant(said->max), p->bound);
    return !c->failed;
}

bool weir_compare_summary(struct weir_comparison *c)
{
    size_t steps = 1, names = 0;
    for (size_t i = 0; i < c->summary->count; i++)
        steps += c->summary->paths[i].count;
    c->texts = calloc(steps, sizeof *c->texts);
    for (size_t i = 0; c->texts && i < c->summary->count; i++)
        if (!add_path(c, &c->summary->paths[i], &names))
            return false;
    return c->texts != NULL;
}
