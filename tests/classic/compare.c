/* SPDX-License-Identifier: Apache-2.0 */
#include "compare.h"

#include "shrink.h"

#include <inttypes.h>
#include <stdio.h>

enum weir_status contestant_run(const struct contestant *self, const struct weir_pipeline *pipeline,
                                struct weir_method_result *result, struct weir_error *error)
{
    return weir_method_run(pipeline, self->method, 0, &self->options, result, error);
}

/* The worst case lies in [lower, upper], as far as the result claims. */
struct claim {
    int64_t lower, upper;
};

static struct claim claim_of(const struct contestant *contestant, const struct weir_method_result *r)
{
    struct claim claim = {INT64_MIN, INT64_MAX};
    if (!r->applicable)
        return claim;
    if (r->outcome == WEIR_BRACKET)
        return (struct claim){r->lower, r->upper};
    if (r->outcome == WEIR_NO_BOUND && r->exact)
        claim.lower = INT64_MAX;
    if (r->outcome != WEIR_EXACT)
        return claim;
    if (r->exact || contestant->reached)
        claim.lower = r->value;
    if (r->exact || r->safe)
        claim.upper = r->value;
    return claim;
}

static bool run_all(struct contest *c, const struct weir_pipeline *pipeline)
{
    for (size_t i = 0; i < c->count; i++) {
        const struct contestant *one = &c->contestants[i];
        struct weir_error error = {.status = WEIR_OK};
        enum weir_status status = one->run(one, pipeline, &c->results[i], &error);
        if (status) {
            snprintf(c->words, sizeof c->words, "%s fails with status %d: %s", one->name, (int)status, error.message);
            return false;
        }
    }
    return true;
}

bool contest_contradicts(struct contest *c, const struct sketch *sketch)
{
    struct weir_pipeline *pipeline = sketch_build(sketch);
    if (!pipeline)
        return false;
    bool ran = run_all(c, pipeline);
    weir_pipeline_free(pipeline);
    if (!ran)
        return true;
    for (size_t i = 0; i < c->count; i++)
        for (size_t k = 0; k < c->count; k++) {
            struct claim a = claim_of(&c->contestants[i], &c->results[i]), b = claim_of(&c->contestants[k], &c->results[k]);
            if (a.lower <= b.upper)
                continue;
            snprintf(c->words, sizeof c->words, "%s says at least %" PRId64 ", %s says at most %" PRId64, c->contestants[i].name,
                     a.lower, c->contestants[k].name, b.upper);
            return true;
        }
    return false;
}

static bool keeps(void *context, const struct sketch *sketch)
{
    return contest_contradicts(context, sketch);
}

bool contest_report(struct contest *c, struct sketch *sketch, uint64_t number, char *path, size_t path_size)
{
    shrink(sketch, keeps, c);
    contest_contradicts(c, sketch); /* the words are of the last graph tried, which was one too small */
    snprintf(path, path_size, "disagreement-%" PRIu64 ".yaml", number);
    struct weir_pipeline *pipeline = sketch_build(sketch);
    FILE *out = fopen(path, "w");
    bool written = pipeline && out && fprintf(out, "# %s\n", c->words) > 0 && !weir_pipeline_write_yaml(pipeline, out, NULL);
    written = (!out || fclose(out) == 0) && written;
    weir_pipeline_free(pipeline);
    return written;
}
