/* SPDX-License-Identifier: Apache-2.0 */
#include "check/big.h"

#include <string.h>

__extension__ typedef unsigned __int128 natural;

void weir_big_set(struct weir_big *a, int64_t value)
{
    a->limb[0] = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    a->count = value != 0;
    a->negative = value < 0;
    a->lost = false;
}

void weir_big_copy(struct weir_big *a, const struct weir_big *b)
{
    a->count = b->count;
    a->negative = b->negative;
    a->lost = b->lost;
    memcpy(a->limb, b->limb, b->count * sizeof *b->limb);
}

static int compare_sizes(const struct weir_big *a, const struct weir_big *b)
{
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    for (unsigned i = a->count; i-- > 0;)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

static void push(struct weir_big *a, uint64_t limb)
{
    if (limb && a->count == WEIR_BIG_LIMBS)
        a->lost = true;
    else if (limb)
        a->limb[a->count++] = limb;
}

static void add_size(struct weir_big *a, const struct weir_big *b)
{
    uint64_t carry = 0;
    while (a->count < b->count)
        a->limb[a->count++] = 0;
    for (unsigned i = 0; i < a->count; i++) {
        natural sum = (natural)a->limb[i] + (i < b->count ? b->limb[i] : 0) + carry;
        a->limb[i] = (uint64_t)sum;
        carry = (uint64_t)(sum >> 64);
    }
    push(a, carry);
}

/* The smaller size from the larger. */
static void take_size(struct weir_big *a, const struct weir_big *larger, const struct weir_big *smaller)
{
    uint64_t borrow = 0;
    unsigned count = larger->count;
    for (unsigned i = 0; i < count; i++) {
        natural less = (natural)(i < smaller->count ? smaller->limb[i] : 0) + borrow;
        uint64_t from = larger->limb[i];
        a->limb[i] = from - (uint64_t)less;
        borrow = less > from;
    }
    while (count > 0 && a->limb[count - 1] == 0)
        count--;
    a->count = (uint16_t)count;
}

static void add_signed(struct weir_big *a, const struct weir_big *b, bool negative)
{
    a->lost = a->lost || b->lost;
    if (a->lost || b->count == 0)
        return;
    if (a->count == 0)
        a->negative = negative;
    if (a->negative == negative) {
        add_size(a, b);
        return;
    }
    int order = compare_sizes(a, b);
    take_size(a, order < 0 ? b : a, order < 0 ? a : b);
    a->negative = order == 0 ? false : order < 0 ? negative : !negative;
}

void weir_big_add(struct weir_big *a, const struct weir_big *b)
{
    add_signed(a, b, b->negative);
}

void weir_big_subtract(struct weir_big *a, const struct weir_big *b)
{
    add_signed(a, b, !b->negative);
}

void weir_big_multiply(struct weir_big *a, int64_t factor)
{
    uint64_t size = factor < 0 ? 0 - (uint64_t)factor : (uint64_t)factor, carry = 0;
    if (size == 0) {
        a->count = 0;
        a->negative = false;
        return;
    }
    for (unsigned i = 0; i < a->count; i++) {
        natural product = (natural)a->limb[i] * size + carry;
        a->limb[i] = (uint64_t)product;
        carry = (uint64_t)(product >> 64);
    }
    push(a, carry);
    if (factor < 0 && a->count)
        a->negative = !a->negative;
}

int64_t weir_big_divide(struct weir_big *a, int64_t divisor)
{
    uint64_t rest = 0, by = (uint64_t)divisor;
    for (unsigned i = a->count; i-- > 0;) {
        natural part = ((natural)rest << 64) + a->limb[i];
        a->limb[i] = (uint64_t)(part / by);
        rest = (uint64_t)(part % by);
    }
    while (a->count > 0 && a->limb[a->count - 1] == 0)
        a->count--;
    return (int64_t)rest;
}

int weir_big_compare(const struct weir_big *a, const struct weir_big *b)
{
    if (a->negative != b->negative)
        return a->negative ? -1 : 1;
    return a->negative ? compare_sizes(b, a) : compare_sizes(a, b);
}
