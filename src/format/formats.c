/* SPDX-License-Identifier: Apache-2.0 */
#include "format/formats.h"

#include "base/error.h"
#include "base/number.h"
#include "base/utf8.h"
#include "model/pipeline.h"
#include "model/schema.h"

#include <errno.h>
#include <string.h>

static enum weir_status write_yaml(const struct weir_pipeline *pipeline, uint32_t chain, FILE *out, struct weir_error *error)
{
    (void)chain;
    return weir_pipeline_write_yaml(pipeline, out, error);
}

static enum weir_status write_dot(const struct weir_pipeline *pipeline, uint32_t chain, FILE *out, struct weir_error *error)
{
    (void)chain;
    return weir_pipeline_write_dot(pipeline, out, error);
}

/* Where several endings fit, the longest does. */
static const struct format {
    const char *name;
    const char *endings[2];
    weir_format_writer *write;
    bool measures;       /* one latency */
    const char *threads; /* the format's own name where it holds threads alone; else NULL */
} formats[WEIR_MODEL_FORMATS] = {
    [WEIR_MODEL_YAML] = {"yaml", {".yaml", ".yml"}, write_yaml, false, NULL},
    [WEIR_MODEL_JSON] = {"json", {".json", NULL}, weir_write_model_json, false, NULL},
    [WEIR_MODEL_DOT] = {"dot", {".dot", ".gv"}, write_dot, false, "DOT"},
    [WEIR_MODEL_SDF3] = {"sdf3", {".sdf3.xml", ".sdf3"}, weir_write_sdf3, false, "SDF3"},
    [WEIR_MODEL_UPPAAL] = {"uppaal", {".xml", NULL}, weir_write_uppaal_xml, true, "UPPAAL"},
    [WEIR_MODEL_XTA] = {"xta", {".xta", NULL}, weir_write_uppaal_text, true, "UPPAAL"},
    [WEIR_MODEL_UPPAAL_QUERIES] = {"uppaal-queries", {".q", NULL}, weir_write_uppaal_queries, true, "UPPAAL"},
    [WEIR_MODEL_TCHECKER] = {"tchecker", {".tck", NULL}, weir_write_tchecker, true, "TChecker"},
};

enum weir_status weir_format_check_platform(const struct weir_pipeline *pipeline, const char *format, enum weir_platform most,
                                            struct weir_error *error)
{
    if (!pipeline)
        return weir_fail_missing(error);
    if (weir_pipeline_platform(pipeline) == WEIR_PLATFORM_THREADS && !weir_pipeline_has_enough_workers(pipeline))
        return weir_fail(error, WEIR_INVALID, "the operators share workers: %s cannot hold that; YAML and JSON can", format);
    if (weir_pipeline_platform(pipeline) <= most)
        return WEIR_OK;
    if (weir_pipeline_platform(pipeline) == WEIR_PLATFORM_PROCESSORS)
        return weir_fail(error, WEIR_INVALID, "the operators share processors: %s cannot hold that; YAML and JSON can", format);
    if (weir_pipeline_platform(pipeline) == WEIR_PLATFORM_GPU)
        return weir_fail(error, WEIR_INVALID, "this is a graph of kernels of a GPU: %s cannot hold that; YAML and JSON can",
                         format);
    return weir_fail(error, WEIR_INVALID, "the operators run on a pool of cores: %s cannot hold that; YAML and JSON can", format);
}

/* A name that is given, as a value. */
static enum weir_status check_value(const char *what, const char *name, const char *format, struct weir_error *error)
{
    char quoted[WEIR_QUOTED];
    return !name || (*name && weir_utf8_is_text(name))
               ? WEIR_OK
               : weir_fail(error, WEIR_INVALID, "%s \"%s\" has a name that is empty or not UTF-8 text: %s cannot hold it", what,
                           weir_quote(name, quoted), format);
}

static enum weir_status check_key(const char *what, const char *name, const char *format, size_t most, struct weir_error *error)
{
    char quoted[WEIR_QUOTED];
    if (!weir_utf8_is_text(name))
        return weir_fail(error, WEIR_INVALID, "%s \"%s\" has a name that is not UTF-8 text: %s cannot hold it", what,
                         weir_quote(name, quoted), format);
    if (strlen(name) > most)
        return weir_fail(error, WEIR_INVALID, "%s \"%s\" has a name too long to be read back as a key of %s", what,
                         weir_quote(name, quoted), format);
    return WEIR_OK;
}

enum weir_status weir_format_check_names(const struct weir_pipeline *p, const char *format, size_t most, struct weir_error *error)
{
    enum weir_status status = WEIR_OK;
    for (size_t i = 0; i < p->operator_count && !status; i++)
        status = check_key("operator", p->operators[i].name, format, most, error);
    if (!status && !weir_utf8_is_text(weir_pipeline_name(p)))
        return weir_fail(error, WEIR_INVALID, "the name of the pipeline is not UTF-8 text: %s cannot hold it", format);
    for (size_t i = 0; i < p->processor_count && !status; i++)
        status = check_key("processor", p->processors[i].name, format, most, error);
    for (size_t i = 0; i < p->source_count && !status; i++)
        status = check_value("source", p->sources[i].name, format, error);
    for (size_t i = 0; i < p->operator_count && !status; i++)
        status = p->operators[i].launch ? check_value("stream", p->operators[i].launch->stream, format, error) : WEIR_OK;
    return status;
}

/* ---- rates ---- */

bool weir_format_needs_rate(const struct weir_pipeline *pipeline, const struct weir_source_spec *source)
{
    return weir_pipeline_platform(pipeline) == WEIR_PLATFORM_CORES && source->count > 1 && !source->bursty;
}

/* Takes all factors of `prime` out of *number and says how many there were. */
static int take_factors(int64_t *number, int64_t prime)
{
    int count = 0;
    for (; *number % prime == 0; *number /= prime)
        count++;
    return count;
}

/* count / period as *mantissa * 10^*exponent; false when its digits have no end, or are too many. */
static bool find_decimal(struct weir_ratio rate, int64_t *mantissa, int *exponent)
{
    rate = weir_ratio_reduce(rate);
    int twos = take_factors(&rate.denominator, 2), fives = take_factors(&rate.denominator, 5);
    *mantissa = rate.numerator;
    *exponent = twos > fives ? -twos : -fives;
    for (int i = twos; i < fives; i++)
        if (!weir_multiply(*mantissa, 2, mantissa))
            return false;
    for (int i = fives; i < twos; i++)
        if (!weir_multiply(*mantissa, 5, mantissa))
            return false;
    *exponent += take_factors(mantissa, 10);
    return rate.denominator == 1;
}

/* Whether a reader can count the arrivals in one unit of time, in lowest terms; it wants to, however fine its tick. */
static bool can_be_counted(const struct weir_source_spec *source, unsigned digits)
{
    weir_wide arrivals = source->count;
    for (; digits > 0; digits--)
        arrivals *= 10;
    return arrivals / weir_wide_divisor(arrivals, source->period) < WEIR_TIME_MAX;
}

bool weir_format_rate(const struct weir_pipeline *pipeline, const struct weir_source_spec *source, char text[WEIR_RATE_TEXT])
{
    static const char *const units[] = {"Hz", "kHz", "MHz", "GHz"};
    char number[WEIR_TIME_TEXT];
    int64_t mantissa;
    int exponent, digits = 0;
    if (weir_pipeline_unit(pipeline) == WEIR_UNIT_TICK || !can_be_counted(source, weir_pipeline_digits(pipeline)) ||
        !find_decimal((struct weir_ratio){source->count, source->period}, &mantissa, &exponent))
        return false;
    exponent += (int)weir_pipeline_digits(pipeline) - weir_unit_exponent(weir_pipeline_unit(pipeline)); /* in Hz, not per tick */
    for (int64_t rest = mantissa; rest; rest /= 10)
        digits++;
    int unit = digits + exponent > 9 ? 3 : digits + exponent > 6 ? 2 : digits + exponent > 3 ? 1 : 0;
    exponent -= 3 * unit;
    for (; exponent > 0 && exponent < 3 && weir_multiply(mantissa, 10, &mantissa); exponent--) /* 250, not 25e1 */
        ;
    weir_decimal_format(mantissa, exponent < 0 && exponent >= -18 ? (unsigned)-exponent : 0, number);
    if (exponent <= 0 && exponent >= -18)
        snprintf(text, WEIR_RATE_TEXT, "%s%s", number, units[unit]);
    else
        snprintf(text, WEIR_RATE_TEXT, "%se%d%s", number, exponent, units[unit]);
    return true;
}

enum weir_status weir_format_check_sources(const struct weir_pipeline *pipeline, const char *format, struct weir_error *error)
{
    char quoted[WEIR_QUOTED], rate[WEIR_RATE_TEXT];
    for (uint32_t i = 0; i < weir_pipeline_source_count(pipeline); i++) {
        struct weir_source_spec spec = weir_pipeline_source(pipeline, i);
        const char *name = weir_pipeline_operator(pipeline, spec.op).name;
        if (weir_format_needs_rate(pipeline, &spec) && !weir_format_rate(pipeline, &spec, rate))
            return weir_fail(
                error, WEIR_INVALID,
                "the source of operator \"%s\" has several arrivals in a period, which is not a frequency: %s cannot hold it",
                weir_quote(name, quoted), format);
        if (weir_pipeline_platform(pipeline) == WEIR_PLATFORM_CORES &&
            ((spec.bursty && spec.count > WEIR_QUEUE_MAX) || spec.batch > WEIR_QUEUE_MAX))
            return weir_fail(error, WEIR_INVALID, "the source of operator \"%s\" has bursts or batches too large for %s",
                             weir_quote(name, quoted), format);
    }
    return WEIR_OK;
}

/* Sealing finds the rest; but a graph may be written before. */
enum weir_status weir_format_check_kernels(const struct weir_pipeline *pipeline, const char *format, struct weir_error *error)
{
    if (weir_pipeline_platform(pipeline) != WEIR_PLATFORM_GPU)
        return WEIR_OK;
    if (weir_pipeline_gpu(pipeline).max_concurrent > WEIR_QUEUE_MAX)
        return weir_fail(error, WEIR_INVALID, "the GPU may have more launches under way than %s can say", format);
    if (weir_pipeline_source_count(pipeline) || weir_pipeline_chain_count(pipeline) || weir_pipeline_processor_count(pipeline))
        return weir_fail(error, WEIR_INVALID, "a graph of kernels has no sources, latencies or processors: %s cannot hold that",
                         format);
    return WEIR_OK;
}

/* ---- words ---- */

const char *weir_format_full(enum weir_full full)
{
    return full == WEIR_FULL_NEVER ? "never" : weir_keys[WEIR_KEY_FULL].words[full];
}

const char *weir_format_arrivals(enum weir_arrivals arrivals)
{
    return weir_keys[WEIR_KEY_ARRIVALS].words[arrivals];
}

/* ---- formats ---- */

const char *weir_model_format_name(enum weir_model_format format)
{
    return (unsigned)format < WEIR_MODEL_FORMATS ? formats[format].name : NULL;
}

enum weir_model_format weir_model_format_named(const char *name)
{
    int format = 0;
    while (format < WEIR_MODEL_FORMATS && strcmp(formats[format].name, name) != 0)
        format++;
    return (enum weir_model_format)format;
}

enum weir_model_format weir_model_format_of(const char *path)
{
    size_t length = strlen(path), longest = 0;
    enum weir_model_format found = WEIR_MODEL_FORMATS;
    for (int i = 0; i < WEIR_MODEL_FORMATS; i++)
        for (int k = 0; k < 2 && formats[i].endings[k]; k++) {
            size_t tail = strlen(formats[i].endings[k]);
            if (length > tail && tail > longest && strcmp(path + length - tail, formats[i].endings[k]) == 0) {
                longest = tail;
                found = (enum weir_model_format)i;
            }
        }
    return found;
}

/* What tokens cannot say: each message is waited for by the next. */
static enum weir_status check_actors(const struct weir_pipeline *p, const struct format *format, struct weir_error *error)
{
    const char *what = NULL;
    for (size_t i = 0; i < p->queue_count; i++)
        if (weir_queue_is_cut(&p->queues[i]))
            what = "some messages are not waited for, or may be lost";
    for (size_t i = 0; i < p->source_count; i++)
        if (p->sources[i].arrivals == WEIR_ARRIVALS_SKIP)
            what = "a source has ticks that are skipped";
    if (p->phases && !what)
        what = "sources begin at times of their own, or unknown ones (\"phase: 0\" says that they do not)";
    return what ? weir_fail(error, WEIR_INVALID, "%s: %s cannot hold that; YAML and JSON can", what, format->threads) : WEIR_OK;
}

static enum weir_status check_inputs(const struct weir_pipeline *p, struct weir_error *error)
{
    for (size_t i = 0; i < p->queue_count; i++)
        if (p->queues[i].port)
            return weir_fail(error, WEIR_INVALID, "several operators send to one port: DOT cannot hold that; YAML and JSON can");
    return WEIR_OK;
}

enum weir_status weir_pipeline_write(const struct weir_pipeline *pipeline, enum weir_model_format format, uint32_t chain, FILE *out,
                                     struct weir_error *error)
{
    if (format >= WEIR_MODEL_FORMATS)
        return weir_fail(error, WEIR_INVALID, "unknown format: %d", (int)format);
    if (!pipeline)
        return weir_fail_missing(error);
    if (formats[format].measures && chain >= weir_pipeline_chain_count(pipeline))
        return weir_fail(error, WEIR_INVALID, "there is no latency number %u: the pipeline has %u", chain + 1,
                         weir_pipeline_chain_count(pipeline));
    enum weir_status status = WEIR_OK;
    if (formats[format].threads && pipeline->untimed)
        return weir_fail(error, WEIR_INVALID, "times of operators are missing: %s cannot hold that; YAML and JSON can (time: TODO)",
                         formats[format].threads);
    if (formats[format].threads)
        status = weir_format_check_platform(pipeline, formats[format].threads, WEIR_PLATFORM_THREADS, error);
    if (!status && formats[format].threads && format != WEIR_MODEL_DOT)
        status = weir_pipeline_require_ports(pipeline, error);
    if (!status && formats[format].threads && format != WEIR_MODEL_DOT)
        status = check_actors(pipeline, &formats[format], error);
    if (!status && format == WEIR_MODEL_DOT)
        status = check_inputs(pipeline, error);
    errno = 0;
    if (!status)
        status = formats[format].write(pipeline, chain, out, error);
    return status ? status : weir_written(out, "the model", error);
}
