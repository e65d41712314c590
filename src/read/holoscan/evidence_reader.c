/* SPDX-License-Identifier: Apache-2.0 */
#include "read/holoscan/evidence_reader.h"

#include <string.h>

bool weir_evidence_reader_begin(struct weir_evidence_reader *t, struct weir_evidence *evidence, uint32_t file,
                                struct weir_evidence_reader_bytes bytes, struct weir_errors *errors)
{
    *t = (struct weir_evidence_reader){.evidence = evidence, .file = file, .errors = errors};
    t->text = (struct weir_text){.bytes = bytes.bytes, .size = bytes.size};
    t->own = weir_errors_new();
    t->draft.file = evidence->files[file].path;
    t->draft.errors = t->own;
    t->draft.options = &t->options;
    weir_draft_init(&t->draft);
    t->draft.out_of_memory |= !t->own;
    if (t->draft.out_of_memory)
        return false;
    if (bytes.size > WEIR_EVIDENCE_BYTES_MAX) {
        weir_draft_mistake(&t->draft, (struct weir_place){0, 0}, "this file is too large: the most is %u MiB",
                           (unsigned)(WEIR_EVIDENCE_BYTES_MAX >> 20));
        return false;
    }
    return weir_text_check(&t->draft, &t->text);
}

enum weir_status weir_evidence_reader_end(struct weir_evidence_reader *t)
{
    enum weir_status status = t->draft.mistakes ? WEIR_INVALID : WEIR_OK;
    weir_errors_sort(t->own);
    for (size_t i = 0; t->own && i < weir_errors_count(t->own); i++) {
        const struct weir_error *e = weir_errors_at(t->own, i);
        weir_errors_add_error(t->errors, t->draft.file, (struct weir_place){e->line, e->column}, e);
    }
    if (t->draft.out_of_memory || t->evidence->out_of_memory) {
        t->evidence->out_of_memory = true;
        status = weir_errors_add(t->errors, WEIR_MEMORY, t->draft.file, (struct weir_place){0, 0}, "out of memory");
    }
    weir_errors_free(t->own);
    weir_draft_free(&t->draft);
    weir_arena_free(&t->arena);
    return status;
}

struct weir_evidence_place weir_evidence_reader_at(const struct weir_evidence_reader *t, struct weir_place place)
{
    return (struct weir_evidence_place){.file = t->file, .line = place.line};
}

/* What the store does not take is said once; the file is then given up. */
static void report_full(struct weir_evidence_reader *t, struct weir_place place)
{
    if (weir_evidence_reader_goes_on(t))
        weir_draft_mistake(&t->draft, place, "there are more than %d operators or connections, which is more than is read",
                           WEIR_EVIDENCE_MAX);
    t->full = true;
}

void weir_evidence_reader_add(struct weir_evidence_reader *t, bool added, struct weir_place place)
{
    if (!added)
        report_full(t, place);
}

uint32_t weir_evidence_reader_operator(struct weir_evidence_reader *t, const char *name, size_t bytes, struct weir_place place)
{
    if (!weir_evidence_reader_goes_on(t) || !weir_draft_check_name(&t->draft, name, bytes, place))
        return WEIR_NO_OPERATOR;
    if (bytes > WEIR_EVIDENCE_NAME_MAX) {
        weir_draft_mistake(&t->draft, place, "the name of an operator has %zu bytes; %d are the most", bytes,
                           WEIR_EVIDENCE_NAME_MAX);
        return WEIR_NO_OPERATOR;
    }
    uint32_t op = weir_evidence_operator(t->evidence, name, bytes, weir_evidence_reader_at(t, place));
    if (op == WEIR_NO_OPERATOR)
        report_full(t, place);
    return op;
}

bool weir_evidence_reader_check_port(struct weir_evidence_reader *t, const char *port, struct weir_place place)
{
    size_t bytes = strlen(port);
    if (!weir_draft_check_name_of(&t->draft, "a port", port, bytes, place))
        return false;
    if (bytes > WEIR_EVIDENCE_NAME_MAX)
        weir_draft_mistake(&t->draft, place, "the name of a port has %zu bytes; %d are the most", bytes, WEIR_EVIDENCE_NAME_MAX);
    return bytes <= WEIR_EVIDENCE_NAME_MAX;
}

bool weir_evidence_reader_round(const struct weir_decimal *value, enum weir_unit unit, bool up, int64_t *nanoseconds)
{
    const int nano = weir_unit_exponent(WEIR_UNIT_NS);
    int64_t whole = value->mantissa;
    int shift = value->exponent + weir_unit_exponent(value->has_unit ? value->unit : unit) - nano;
    bool rest = false;
    if (whole < 0)
        return false;
    for (; shift < 0 && whole; shift++) {
        rest |= whole % 10 != 0;
        whole /= 10;
    }
    for (; shift > 0 && whole; shift--)
        if (!weir_multiply(whole, 10, &whole))
            return false;
    *nanoseconds = whole + (up && rest);
    return *nanoseconds < WEIR_TIME_MAX;
}

bool weir_evidence_reader_time(struct weir_evidence_reader *t, const char *text, struct weir_place place, const char *what,
                               struct weir_decimal *value)
{
    char quoted[WEIR_QUOTED];
    enum weir_decimal_fault fault = weir_decimal_parse(text, value);
    weir_quote(text, quoted);
    if (fault == WEIR_DECIMAL_RANGE)
        weir_draft_mistake(&t->draft, place, "%s is out of range: \"%s\" has more digits than can be kept", what, quoted);
    else if (fault || (value->has_unit && value->unit == WEIR_UNIT_TICK))
        weir_draft_mistake(&t->draft, place, "%s must be a number, not \"%s\"", what, quoted);
    return fault == WEIR_DECIMAL_OK && !(value->has_unit && value->unit == WEIR_UNIT_TICK);
}
