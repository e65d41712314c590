/* SPDX-License-Identifier: Apache-2.0 */
/* Reading models from files and writing them. Stable: docs/reference/abi.md. */
#ifndef WEIR_MODEL_FILE_H
#define WEIR_MODEL_FILE_H

#include <stdio.h>

#include "weir/pipeline.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether the receivers of an operator share one port, if a file does not say. */
enum weir_ports {
    WEIR_PORTS_DEFAULT,  /* as usual for the format: separate for graphs with WCET, otherwise unknown */
    WEIR_PORTS_SHARED,   /* one port, with a broadcast behind it */
    WEIR_PORTS_SEPARATE, /* one each */
    WEIR_PORTS_UNKNOWN,  /* a broadcast that is assumed: answers hold for both */
};

struct weir_read_options {
    uint32_t queue;          /* capacity of queues that give none; 0: 1 */
    bool force_queue;        /* ... and of those that give one, too */
    const char *extra_times; /* comma-separated times that will be asked of the model ("33.3ms,5"): its tick is made fine
                              * enough to hold them; NULL: none */
    const char *deadline;    /* "33.3ms": for every latency, instead of those of the model; NULL: not given */
    /* Flowgraphs of GNU Radio: what their files do not contain. */
    uint32_t cores;                  /* of the pool that they run on; 0: not given */
    const char *const *rates;        /* "BLOCK=OUT/IN": samples out and in per execution */
    const char *const *source_rates; /* "BLOCK=576kHz" */
    const char *const *costs;        /* "BLOCK=INIT,PER-SAMPLE": times, in ns without a unit; BLOCK may be a type of blocks */
    size_t rate_count, source_rate_count, cost_count;
    const char *costs_path;    /* a file of costs for all other blocks; NULL: none */
    struct weir_errors *notes; /* receives remarks that are not errors, such as what was left out; NULL: not wanted */
    /* Graphs of kernels: override the model, and supply what the graphs that CUDA writes do not contain. */
    const char *kernel_times;               /* a CSV file of the times of kernels; CUDA's graphs only; NULL: none */
    uint32_t sms, max_concurrent;           /* 0: not given */
    const char *min_time, *launch_overhead; /* "1.5us"; NULL: not given */
    bool no_files;                          /* read no file that a model names (`time: {gpu: FILE}`): for untrusted models */
    enum weir_ports ports;                  /* of broadcasts that are assumed, and of graphs */
};

/* Reads and seals a model: YAML (so JSON too), DOT, SDF3, a flowgraph of GNU Radio or a graph that CUDA wrote
 * (cudaGraphDebugDotPrint), told apart by their content. "-" is standard input. On failure *pipeline is NULL and errors has
 * every mistake. */
WEIR_API enum weir_status weir_read_file(const char *path, const struct weir_read_options *options, struct weir_pipeline **pipeline,
                                         struct weir_errors *errors);
/* The same from memory; `file` is its name in messages. */
WEIR_API enum weir_status weir_read_memory(const char *text, size_t bytes, const char *file,
                                           const struct weir_read_options *options, struct weir_pipeline **pipeline,
                                           struct weir_errors *errors);

/* ---------------------------------------------------------------- writing */

WEIR_API enum weir_status weir_pipeline_write_yaml(const struct weir_pipeline *pipeline, FILE *out, struct weir_error *error);
WEIR_API enum weir_status weir_pipeline_write_dot(const struct weir_pipeline *pipeline, FILE *out, struct weir_error *error);

/* Every key that a model file can have: as a JSON Schema (draft 2020-12), and as the tables of docs/reference/model.md. */
WEIR_API enum weir_status weir_model_write_schema(FILE *out, struct weir_error *error);
WEIR_API enum weir_status weir_model_write_reference(FILE *out, struct weir_error *error);

/* See docs/reference/formats.md for what each of them can express. The first four can be read back. */
enum weir_model_format {
    WEIR_MODEL_YAML,
    WEIR_MODEL_JSON, /* the model file as JSON */
    WEIR_MODEL_DOT,
    WEIR_MODEL_SDF3,           /* a homogeneous dataflow graph */
    WEIR_MODEL_UPPAAL,         /* timed automata, as XML */
    WEIR_MODEL_XTA,            /* ... as text */
    WEIR_MODEL_UPPAAL_QUERIES, /* queries for either */
    WEIR_MODEL_TCHECKER,
    WEIR_MODEL_FORMATS, /* the number of formats */
};
WEIR_API const char *weir_model_format_name(enum weir_model_format format); /* "yaml", "json", "dot", "sdf3", "uppaal" ... */
/* WEIR_MODEL_FORMATS if there is no such name, or no format with the extension of the path. */
WEIR_API enum weir_model_format weir_model_format_named(const char *name);
WEIR_API enum weir_model_format weir_model_format_of(const char *path);
/* Formats for model checkers measure one latency, that of chain `chain`; other formats ignore it. WEIR_INVALID if the format cannot
 * express the pipeline. All but YAML and DOT need it sealed. */
WEIR_API enum weir_status weir_pipeline_write(const struct weir_pipeline *pipeline, enum weir_model_format format, uint32_t chain,
                                              FILE *out, struct weir_error *error);

#ifdef __cplusplus
}
#endif
#endif
