/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expressions of parameters, which are Python's, computed exactly. Operators wait on a stack of their own instead of the C stack,
 * so that no text is nested too deep.
 *
 * Python rounds floats, and int(0.29 * 100) is 28 there. A number remembers whether it may have been rounded; where the nearest
 * whole number then decides, the answer is that it is not known.
 */
#include "read/gnuradio/grc.h"

#include <ctype.h>
#include <string.h>

#define LARGEST (INT64_C(1) << 62)
#define EXACT_REAL (INT64_C(1) << 53) /* whole numbers up to this are floats */
#define STACK 64
#define TOKENS_MAX 512

/* ---- numbers ---- */

bool weir_grc_reduce(weir_wide numerator, weir_wide denominator, struct weir_grc_number *number)
{
    if (denominator == 0)
        return false;
    struct weir_ratio ratio;
    if (!weir_ratio_make(denominator < 0 ? -numerator : numerator, denominator < 0 ? -denominator : denominator, LARGEST, &ratio))
        return false;
    number->numerator = ratio.numerator;
    number->denominator = ratio.denominator;
    return true;
}

/* A float that holds the number as it is. */
static bool representable(const struct weir_grc_number *n)
{
    bool power = (n->denominator & (n->denominator - 1)) == 0;
    return power && n->numerator <= EXACT_REAL && n->numerator >= -EXACT_REAL;
}

static bool combined(struct weir_grc_number a, struct weir_grc_number b, bool real, struct weir_grc_number *result)
{
    result->real = a.real || b.real || real;
    result->rounded = a.rounded || b.rounded || (result->real && !representable(result));
    return true;
}

bool weir_grc_multiply(struct weir_grc_number a, struct weir_grc_number b, struct weir_grc_number *product)
{
    return weir_grc_reduce((weir_wide)a.numerator * b.numerator, (weir_wide)a.denominator * b.denominator, product) &&
           combined(a, b, false, product);
}

bool weir_grc_divide(struct weir_grc_number a, struct weir_grc_number b, struct weir_grc_number *quotient)
{
    return weir_grc_reduce((weir_wide)a.numerator * b.denominator, (weir_wide)a.denominator * b.numerator, quotient) &&
           combined(a, b, true, quotient);
}

static bool add(struct weir_grc_number a, struct weir_grc_number b, struct weir_grc_number *sum)
{
    weir_wide left = (weir_wide)a.numerator * b.denominator, right = (weir_wide)b.numerator * a.denominator;
    return weir_grc_reduce(left + right, (weir_wide)a.denominator * b.denominator, sum) && combined(a, b, false, sum);
}

static struct weir_grc_number negative(struct weir_grc_number a)
{
    a.numerator = -a.numerator;
    return a;
}

/* Whether the whole number below is that of the exact value, although it may have been rounded. */
static bool settled(const struct weir_grc_number *n)
{
    const int64_t far = INT64_C(1) << 20; /* from the next whole number, in comparison with the last digit of a float */
    return !n->rounded || (n->denominator > 1 && n->denominator < far && n->numerator / n->denominator < far &&
                           n->numerator / n->denominator > -far);
}

static bool floor_divide(struct weir_grc_number a, struct weir_grc_number b, struct weir_grc_number *result)
{
    struct weir_grc_number quotient;
    if (!weir_grc_divide(a, b, &quotient))
        return false;
    quotient.rounded = a.rounded || b.rounded; /* Python divides exactly here, then rounds */
    if (!settled(&quotient))
        return false;
    int64_t whole = quotient.numerator / quotient.denominator;
    whole -= quotient.numerator % quotient.denominator < 0;
    *result = (struct weir_grc_number){.numerator = whole, .denominator = 1, .real = a.real || b.real};
    return !result->real || representable(result);
}

static bool modulo(struct weir_grc_number a, struct weir_grc_number b, struct weir_grc_number *result)
{
    struct weir_grc_number whole, product;
    return floor_divide(a, b, &whole) && weir_grc_multiply(whole, b, &product) && add(a, negative(product), result);
}

static bool power(struct weir_grc_number a, struct weir_grc_number b, struct weir_grc_number *result)
{
    struct weir_grc_number one = {.numerator = 1, .denominator = 1};
    *result = one;
    if (b.denominator != 1 || b.numerator > 62 || b.numerator < -62 || b.rounded)
        return false;
    for (int64_t i = 0; i < (b.numerator < 0 ? -b.numerator : b.numerator); i++)
        if (!weir_grc_multiply(*result, a, result))
            return false;
    if (b.numerator < 0)
        return weir_grc_divide(one, *result, result);
    return combined(*result, b, false, result);
}

static bool to_int(struct weir_grc_number a, struct weir_grc_number *result)
{
    if (!settled(&a))
        return false;
    *result = (struct weir_grc_number){.numerator = a.numerator / a.denominator, .denominator = 1};
    return true;
}

/* ---- operators ---- */

/* Those that open a parenthesis first, then by how tightly they bind. */
enum operation { OPEN, OPEN_INT, OPEN_FLOAT, ADD, SUBTRACT, MULTIPLY, DIVIDE, FLOOR, MODULO, NEGATIVE, POSITIVE, POWER };

static int tightness(enum operation operation)
{
    static const int levels[] = {0, 0, 0, 1, 1, 2, 2, 2, 2, 3, 3, 4};
    return levels[operation];
}

struct evaluation {
    const char *next;
    const struct weir_grc_scope *scope;
    struct weir_grc_number numbers[STACK];
    enum operation operations[STACK];
    size_t number_count, operation_count;
    enum weir_grc_answer answer; /* why it ended */
};

static bool push_number(struct evaluation *e, struct weir_grc_number number)
{
    if (e->number_count == STACK)
        return false;
    e->numbers[e->number_count++] = number;
    return true;
}

static bool push_operation(struct evaluation *e, enum operation operation)
{
    if (e->operation_count == STACK)
        return false;
    e->operations[e->operation_count++] = operation;
    return true;
}

static bool apply(struct evaluation *e)
{
    enum operation operation = e->operations[--e->operation_count];
    struct weir_grc_number *top = &e->numbers[e->number_count - 1];
    if (operation == NEGATIVE)
        *top = negative(*top);
    if (operation == NEGATIVE || operation == POSITIVE)
        return true;
    struct weir_grc_number b = *top, *result = top - 1, a = *result;
    e->number_count--;
    switch (operation) {
    case ADD:
        return add(a, b, result);
    case SUBTRACT:
        return add(a, negative(b), result);
    case MULTIPLY:
        return weir_grc_multiply(a, b, result);
    case DIVIDE:
        return weir_grc_divide(a, b, result);
    case FLOOR:
        return floor_divide(a, b, result);
    case MODULO:
        return modulo(a, b, result);
    default:
        return power(a, b, result);
    }
}

/* What binds at least as tightly comes first; powers bind from the right. */
static bool infix(struct evaluation *e, enum operation operation)
{
    int level = tightness(operation) + (operation == POWER);
    while (e->operation_count && tightness(e->operations[e->operation_count - 1]) >= level)
        if (!apply(e))
            return false;
    return push_operation(e, operation);
}

static bool close_parenthesis(struct evaluation *e)
{
    while (e->operation_count && tightness(e->operations[e->operation_count - 1]) > 0)
        if (!apply(e))
            return false;
    if (!e->operation_count)
        return false;
    struct weir_grc_number *top = &e->numbers[e->number_count - 1];
    switch (e->operations[--e->operation_count]) {
    case OPEN_INT:
        return to_int(*top, top);
    case OPEN_FLOAT:
        top->real = true;
        return combined(*top, *top, true, top);
    default:
        return true;
    }
}

/* ---- reading ---- */

static bool word_character(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static bool read_number(struct evaluation *e)
{
    char text[64];
    const char *begin = e->next, *end = begin + strspn(begin, "0123456789");
    if (*end == '.')
        end += 1 + strspn(end + 1, "0123456789");
    if (*end == 'e' || *end == 'E') {
        const char *digits = end + 1 + (end[1] == '+' || end[1] == '-');
        end = isdigit((unsigned char)*digits) ? digits + strspn(digits, "0123456789") : end;
    }
    size_t bytes = (size_t)(end - begin);
    bool zero = bytes > 1 && *begin == '0' && strspn(begin, "0") < strspn(begin, "0123456789") && !memchr(begin, '.', bytes);
    if (bytes >= sizeof text || word_character(*end) || *end == '.' || zero)
        return false; /* 0x10, 1_000, 1j, 007 */
    /* "5." and ".5" are numbers of Python */
    snprintf(text, sizeof text, "%s%.*s", *begin == '.' ? "0" : "", (int)bytes, begin);
    char *dot = strchr(text, '.');
    if (dot && !isdigit((unsigned char)dot[1]))
        memmove(dot, dot + 1, strlen(dot));
    struct weir_decimal decimal;
    if (weir_decimal_parse(text, &decimal) != WEIR_DECIMAL_OK || decimal.exponent > 18 || decimal.exponent < -18)
        return false;
    weir_wide numerator = decimal.mantissa, denominator = 1;
    for (int i = 0; i < decimal.exponent; i++)
        numerator *= 10;
    for (int i = 0; i > decimal.exponent; i--)
        denominator *= 10;
    struct weir_grc_number number = {.real = memchr(begin, '.', bytes) || memchr(begin, 'e', bytes) || memchr(begin, 'E', bytes)};
    if (!weir_grc_reduce(numerator, denominator, &number))
        return false;
    number.rounded = number.real && !representable(&number);
    e->next = end;
    return push_number(e, number);
}

static bool read_word(struct evaluation *e)
{
    const char *begin = e->next, *end = begin;
    while (word_character(*end))
        end++;
    size_t bytes = (size_t)(end - begin);
    const char *after = end + strspn(end, " \t\r\n");
    e->next = after;
    if (*after == '(') {
        e->next = after + 1;
        if (bytes == 3 && memcmp(begin, "int", 3) == 0)
            return push_operation(e, OPEN_INT);
        return bytes == 5 && memcmp(begin, "float", 5) == 0 && push_operation(e, OPEN_FLOAT);
    }
    if (*after == '.' || *after == '[')
        return false;
    struct weir_grc_number number;
    e->answer = e->scope->look_up(e->scope->context, begin, bytes, &number);
    return e->answer == WEIR_GRC_KNOWN && push_number(e, number);
}

/* Up to the end of an operand, or of what opens or precedes one. *operand: whether it was one. */
static bool read_operand(struct evaluation *e, bool *operand)
{
    char c = *e->next;
    *operand = false;
    if (c == '(' || c == '-' || c == '+') {
        e->next++;
        return push_operation(e, c == '(' ? OPEN : c == '-' ? NEGATIVE : POSITIVE);
    }
    if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)e->next[1]))) {
        *operand = true;
        return read_number(e);
    }
    if (!word_character(c))
        return false;
    size_t numbers = e->number_count;
    bool good = read_word(e);
    *operand = e->number_count > numbers;
    return good;
}

static bool read_operator(struct evaluation *e, bool *operand)
{
    static const char characters[] = "+-*/%";
    static const enum operation single[] = {ADD, SUBTRACT, MULTIPLY, DIVIDE, MODULO};
    char c = *e->next++;
    *operand = true;
    if (c == ')')
        return close_parenthesis(e);
    *operand = false;
    if ((c == '*' || c == '/') && *e->next == c) {
        e->next++;
        return infix(e, c == '*' ? POWER : FLOOR);
    }
    const char *found = strchr(characters, c);
    return found && infix(e, single[found - characters]);
}

enum weir_grc_answer weir_grc_evaluate(const char *text, const struct weir_grc_scope *scope, struct weir_grc_number *number)
{
    struct evaluation e = {.next = text, .scope = scope, .answer = WEIR_GRC_KNOWN};
    bool operand = false; /* the last thing read was one */
    size_t tokens = 0;
    for (e.next += strspn(e.next, " \t\r\n"); *e.next; e.next += strspn(e.next, " \t\r\n")) {
        bool good = ++tokens <= TOKENS_MAX && (operand ? read_operator(&e, &operand) : read_operand(&e, &operand));
        if (!good)
            return e.answer == WEIR_GRC_NEEDS ? WEIR_GRC_NEEDS : WEIR_GRC_UNKNOWN;
    }
    while (operand && e.operation_count) {
        bool open = tightness(e.operations[e.operation_count - 1]) == 0;
        if (open || !apply(&e))
            return WEIR_GRC_UNKNOWN;
    }
    if (!operand)
        return WEIR_GRC_UNKNOWN;
    *number = e.numbers[0];
    return WEIR_GRC_KNOWN;
}
