/* SPDX-License-Identifier: Apache-2.0 */
/* weir generate gpu: random graphs of kernels, and those of a few algorithms. */
#include "generate.h"

#include <string.h>

static bool find_shape(const struct weir_generate_request *r, enum weir_gpu_shape *shape)
{
    const char *names[WEIR_GPU_SHAPES];
    *shape = WEIR_GPU_RANDOM;
    if (!r->shape)
        return true;
    for (int i = 0; i < WEIR_GPU_SHAPES; i++) {
        names[i] = weir_gpu_shape_name((enum weir_gpu_shape)i);
        if (strcmp(r->shape, names[i]) == 0) {
            *shape = (enum weir_gpu_shape)i;
            return true;
        }
    }
    const char *nearest = weir_nearest(r->shape, names, WEIR_GPU_SHAPES);
    weir_complain_usage(r->verb, "--shape: expected random, gaussian, laplace or stencil, not '%s'%s%s%s", r->shape,
                        nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
    return false;
}

/* At most six digits, and the rest of the text behind them; NULL where there is no number. */
static const char *parse_count(const char *text, uint32_t *count)
{
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 6)
        return NULL;
    *count = 0;
    for (size_t i = 0; i < digits; i++)
        *count = *count * 10 + (uint32_t)(text[i] - '0');
    return text + digits;
}

/* "5..8", or "6" for 6..6. */
static bool parse_layers(const char *text, struct weir_generate_gpu_options *options)
{
    const char *rest = parse_count(text, &options->layers_min);
    options->layers_max = options->layers_min;
    if (rest && strncmp(rest, "..", 2) == 0)
        rest = parse_count(rest + 2, &options->layers_max);
    return rest && !*rest && options->layers_min >= 2 && options->layers_min <= options->layers_max;
}

/* An option that the shape has no use for, or NULL. */
static const char *useless_option(const struct weir_generate_request *r, enum weir_gpu_shape shape)
{
    if (shape == WEIR_GPU_RANDOM)
        return r->size ? "size" : r->random_loads ? "random-loads" : NULL;
    return r->layers ? "layers" : r->parallelism ? "parallelism" : r->edge_probability ? "edge-probability" : NULL;
}

enum weir_exit weir_generate_gpu_model(const struct weir_generate_request *r, struct weir_pipeline **pipeline)
{
    struct weir_error error = {0};
    struct weir_generate_gpu_options options = {.seed = r->seed,
                                                .sms = (uint32_t)r->sms,
                                                .size = (uint32_t)r->size,
                                                .parallelism = (uint32_t)r->parallelism,
                                                .average = (uint32_t)r->average_load,
                                                .random_loads = r->random_loads};
    if (!find_shape(r, &options.shape))
        return WEIR_EXIT_USAGE;
    const char *useless = useless_option(r, options.shape);
    if (useless)
        return weir_complain_usage(r->verb, "--%s is not an option of --shape %s", useless, weir_gpu_shape_name(options.shape));
    if (r->layers && !parse_layers(r->layers, &options))
        return weir_complain_usage(r->verb, "--layers: expected numbers of at least 2 such as 5..8, not '%s'", r->layers);
    if (r->edge_probability &&
        (!weir_permille_parse(r->edge_probability, 1000, &options.edge_permille) || options.edge_permille == 0))
        return weir_complain_usage(r->verb, "--edge-probability: expected a number from 0.001 to 1 such as 0.2, not '%s'",
                                   r->edge_probability);
    enum weir_status status = weir_generate_gpu(&options, pipeline, &error);
    if (status == WEIR_INVALID)
        return weir_complain_usage(r->verb, "%s", error.message);
    return status ? weir_complain_error(NULL, &error) : WEIR_EXIT_OK;
}
