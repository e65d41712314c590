/* SPDX-License-Identifier: Apache-2.0 */
#include "graph.h"

#include "base/number.h"

#include <stdio.h>
#include <string.h>

const struct weir_gpu_spec graph_six = {.sms = 6, .min_time = 1};

struct weir_pipeline *graph_new(const struct weir_gpu_spec *gpu)
{
    struct weir_pipeline *p = weir_pipeline_new(NULL);
    assert_non_null(p);
    assert_int_equal(weir_pipeline_set_platform(p, WEIR_PLATFORM_GPU, NULL), WEIR_OK);
    assert_int_equal(weir_pipeline_set_gpu(p, gpu, NULL), WEIR_OK);
    return p;
}

void graph_kernel(struct weir_pipeline *p, const struct weir_operator_spec *spec)
{
    struct weir_operator_spec named = *spec;
    char name[24];
    snprintf(name, sizeof name, "v%u", weir_pipeline_operator_count(p) + 1);
    named.name = name;
    assert_int_equal(weir_pipeline_add_operator(p, &named, NULL, NULL), WEIR_OK);
}

void graph_edge(struct weir_pipeline *p, uint32_t from, uint32_t to)
{
    stage_queue(p, (struct weir_operator){from}, (struct weir_operator){to}, 1, 0);
}

struct weir_pipeline *graph_of(const struct weir_gpu_spec *gpu, size_t count, const int64_t *loads, const uint32_t *edges)
{
    struct weir_pipeline *p = graph_new(gpu);
    for (size_t i = 0; i < count; i++)
        graph_kernel(p, &(struct weir_operator_spec){.worst = loads[i], .splittable = true});
    for (; edges && *edges; edges += 2)
        graph_edge(p, edges[0] - 1, edges[1] - 1);
    stage_seal(p);
    return p;
}

struct weir_pipeline *graph_worked(void)
{
    static const int64_t loads[] = {1, 4, 2, 2, 4, 4, 1};
    static const uint32_t edges[] = {1, 2, 1, 3, 1, 4, 3, 5, 4, 5, 4, 6, 2, 7, 5, 7, 6, 7, 0};
    return graph_of(&graph_six, 7, loads, edges);
}

struct weir_gpu_plan *graph_plan_with(const struct weir_pipeline *p, const struct weir_gpu_options *options)
{
    struct weir_gpu_options verified = *options;
    struct weir_gpu_plan *plan;
    struct weir_error error = {0};
    verified.verify = true;
    if (weir_gpu_analyze(p, &verified, &plan, &error) != WEIR_OK)
        fail_msg("%s: %s", weir_gpu_method_name(options->method), error.message);
    assert_int_equal(plan->verified, plan->safe);
    assert_int_equal(plan->safe, plan->why == NULL);
    assert_int_equal(plan->method, options->method);
    assert_true(!plan->safe || weir_ratio_compare(plan->lower, plan->bound) <= 0);
    return plan;
}

struct weir_gpu_plan *graph_plan(const struct weir_pipeline *p, enum weir_gpu_method method)
{
    return graph_plan_with(p, &(struct weir_gpu_options){.method = method});
}

struct weir_ratio graph_bound(const struct weir_pipeline *p, enum weir_gpu_method method)
{
    struct weir_gpu_plan *plan = graph_plan(p, method);
    struct weir_ratio bound = plan->bound;
    weir_gpu_plan_free(plan);
    return bound;
}

void graph_assert_ratio(struct weir_ratio ratio, int64_t numerator, int64_t denominator, const char *what)
{
    if (ratio.numerator != numerator || ratio.denominator != denominator)
        fail_msg("%s is %lld/%lld, not %lld/%lld", what, (long long)ratio.numerator, (long long)ratio.denominator,
                 (long long)numerator, (long long)denominator);
}

/* ---- words ---- */

static void append(char text[GRAPH_TEXT], const char *more)
{
    size_t used = strlen(text);
    snprintf(text + used, GRAPH_TEXT - used, "%s", more);
}

static const char *name(const struct weir_gpu_launch *launch, char text[40])
{
    if (launch->parts > 1)
        snprintf(text, 40, "v%u.%u", launch->kernel.index + 1, launch->part);
    else
        snprintf(text, 40, "v%u", launch->kernel.index + 1);
    return text;
}

const char *graph_text(const struct weir_gpu_plan *plan, char text[GRAPH_TEXT])
{
    char one[40], more[64];
    text[0] = 0;
    for (size_t i = 0; i < plan->launch_count; i++) {
        const struct weir_gpu_launch *launch = &plan->launches[i];
        append(text, i == 0 ? "" : launch->group == launch[-1].group ? " " : " | ");
        snprintf(more, sizeof more, "%sx%u", name(launch, one), launch->sms);
        append(text, more);
    }
    return text;
}

const char *graph_added(const struct weir_gpu_plan *plan, char text[GRAPH_TEXT])
{
    char from[40], to[40], more[96];
    text[0] = 0;
    for (size_t i = 0; i < plan->added_count; i++) {
        snprintf(more, sizeof more, "%s%s>%s", i ? " " : "", name(&plan->launches[plan->added[i].from], from),
                 name(&plan->launches[plan->added[i].to], to));
        append(text, more);
    }
    return text;
}
