/* SPDX-License-Identifier: Apache-2.0 */
/* What the readers of evidence have in common: one file on its way into the store. */
#ifndef WEIR_READ_HOLOSCAN_EVIDENCE_READER_H
#define WEIR_READ_HOLOSCAN_EVIDENCE_READER_H

#include "read/draft.h"
#include "read/holoscan/evidence.h"
#include "read/text.h"
#include "read/yaml/tree.h"

#define WEIR_EVIDENCE_BYTES_MAX (UINT64_C(1) << 26) /* a file that is held in memory */

struct weir_evidence_reader {
    struct weir_draft draft; /* takes mistakes; its names are the reader's to use */
    struct weir_read_options options;
    struct weir_evidence *evidence;
    uint32_t file;
    struct weir_text text;
    struct weir_arena arena;    /* of a tree */
    struct weir_errors *own;    /* mistakes, until they are in the order of the file */
    struct weir_errors *errors; /* the caller's */
    bool full;                  /* there is more than the store takes, and that was said */
};

struct weir_evidence_reader_bytes {
    const char *bytes;
    size_t size;
};

/* False when the bytes are no text, too many, or memory is short: then only weir_evidence_reader_end is left to call. */
bool weir_evidence_reader_begin(struct weir_evidence_reader *reader, struct weir_evidence *evidence, uint32_t file,
                                struct weir_evidence_reader_bytes bytes, struct weir_errors *errors);
/* Hands the mistakes on, in the order of the file, and frees. */
enum weir_status weir_evidence_reader_end(struct weir_evidence_reader *reader);
/* Whether to go on. */
static inline bool weir_evidence_reader_goes_on(const struct weir_evidence_reader *reader)
{
    return !reader->draft.out_of_memory && !reader->evidence->out_of_memory && !reader->full;
}

struct weir_evidence_place weir_evidence_reader_at(const struct weir_evidence_reader *reader, struct weir_place place);
/* The operator of that name. WEIR_NO_OPERATOR: it cannot be one, or there are too many, which is reported; or memory is short. */
uint32_t weir_evidence_reader_operator(struct weir_evidence_reader *reader, const char *name, size_t bytes,
                                       struct weir_place place);
/* `added` is what the store says; reports that it is full. */
void weir_evidence_reader_add(struct weir_evidence_reader *reader, bool added, struct weir_place place);
/* The name of a port, which is reported when it cannot be one. */
bool weir_evidence_reader_check_port(struct weir_evidence_reader *reader, const char *port, struct weir_place place);

/* In nanoseconds, rounded down or up; false when it is negative or too large. */
bool weir_evidence_reader_round(const struct weir_decimal *value, enum weir_unit unit, bool up, int64_t *nanoseconds);
/* A number from 0 on in that unit, unless it has its own; reported when it is none. `what` says of what: "the latency". */
bool weir_evidence_reader_time(struct weir_evidence_reader *reader, const char *text, struct weir_place place, const char *what,
                               struct weir_decimal *value);

#endif
