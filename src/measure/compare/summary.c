/* SPDX-License-Identifier: Apache-2.0 */
/* What the tracker printed at the end: of each path the least, mean and greatest latency. */
#include "base/error.h"
#include "measure/compare/compare.h"

#include <string.h>

/* Numbers are printed with six digits: the last of them may have been rounded. */
static int64_t rounding(int64_t printed)
{
    return printed / 200000;
}

static bool intern(struct weir_log_comparison *c, const char *text, size_t *count, uint32_t *name)
{
    for (*name = 0; *name < *count; (*name)++)
        if (strcmp(c->texts[*name], text) == 0)
            return true;
    c->texts[(*count)++] = text;
    return weir_log_comparison_match(c, *count);
}

static bool add_path(struct weir_log_comparison *c, const struct weir_flow_path *said, size_t *names)
{
    struct weir_log_path *p = &c->paths[c->path_count++];
    uint32_t *ids = weir_array(said->count, sizeof *ids);
    *p = (struct weir_log_path){
        .names = ids, .count = said->count, .mean = said->mean, .max_message = said->max_message, .first_receive = -1};
    for (size_t i = 0; ids && i < said->count; i++)
        if (!intern(c, said->names[i], names, &ids[i]))
            return false;
    p->samples.count = said->messages > INT64_MAX ? INT64_MAX : (int64_t)said->messages;
    p->samples.min = said->min;
    p->samples.max = said->max;
    if (ids)
        weir_log_comparison_follow(c, p);
    return ids != NULL;
}

enum weir_status weir_log_comparison_read_summary(struct weir_log_comparison *c, struct weir_error *error)
{
    size_t steps = 0, names = 0;
    for (size_t i = 0; i < c->summary->count; i++)
        steps += c->summary->paths[i].count;
    c->texts = weir_array(steps, sizeof(const char *));
    c->paths = weir_array_zeroed(c->summary->count, sizeof *c->paths);
    if (!c->texts || !c->paths)
        return weir_fail_memory(error);
    for (size_t i = 0; i < c->summary->count; i++)
        if (!add_path(c, &c->summary->paths[i], &names))
            return weir_fail_memory(error);
    enum weir_status status = weir_log_comparison_ask(c, error);
    for (size_t i = 0; i < c->path_count; i++) {
        struct weir_log_path *p = &c->paths[i];
        int64_t least = p->samples.min, most = p->samples.max;
        p->above_count = p->bounded && most >= 0 && weir_log_above(c, most - rounding(most), p->bound);
        p->below_count = least >= 0 && weir_log_below(c, least + rounding(least), p->best);
    }
    return status;
}
