/* SPDX-License-Identifier: Apache-2.0 */
/* The values of each axis, and how many points they make. */
#include "base/error.h"
#include "base/number.h"
#include "explore/sweep/sweep.h"

#define POINTS_MAX 1000000

const struct weir_assignment *weir_sweeping_axis(const struct weir_sweeping *s, size_t axis)
{
    const struct weir_revision *r = &s->revision;
    for (size_t i = 0; i < r->assignment_count; i++)
        if (r->assignments[i].change == s->options->change_count + axis)
            return &r->assignments[i];
    return NULL;
}

static const struct weir_key *key_of(const struct weir_sweeping *s, const struct weir_assignment *a)
{
    return s->revision.settings[a->first].key;
}

static enum weir_sweep_values values_of(const struct weir_key *key)
{
    switch (key->type) {
    case WEIR_VALUE_INTERVAL:
    case WEIR_VALUE_TIME:
        return WEIR_SWEEP_TIMES;
    case WEIR_VALUE_COUNT:
    case WEIR_VALUE_NUMBER:
    case WEIR_VALUE_INTEGER:
    case WEIR_VALUE_CAPACITY:
        return WEIR_SWEEP_COUNTS;
    default:
        return WEIR_SWEEP_WORDS;
    }
}

/* ---- ranges ---- */

static bool is_word(const struct weir_key *key, int64_t number)
{
    return key->type == WEIR_VALUE_CAPACITY && (number == WEIR_UNBOUNDED || number == WEIR_AUTO);
}

/* How many values it has; 0: none, which is reported. */
static uint64_t count_values(struct weir_sweeping *s, const struct weir_item *item, const struct weir_key *key)
{
    int64_t low = item->first.numbers[0], high = item->last.numbers[0], step = item->step.numbers[0];
    struct weir_draft *d = &s->revision.draft;
    if (!item->range)
        return 1;
    if (key->type == WEIR_VALUE_INTERVAL && (low != item->first.numbers[1] || high != item->last.numbers[1]))
        weir_draft_mistake(d, item->place, "a range goes from one time to another; for both ends, set \"best\" and \"worst\"");
    else if (is_word(key, low) || is_word(key, high))
        weir_draft_mistake(d, item->place, "a range goes from one number to another");
    else if (step <= 0)
        weir_draft_mistake(d, item->place, "the step of a range must be longer than 0");
    else if (low > high)
        weir_draft_mistake(d, item->place, "this range is empty: it begins above its end");
    else
        return (uint64_t)(high - low) / (uint64_t)step + 1;
    return 0;
}

/* ---- texts ---- */

static const char *format_value(struct weir_sweeping *s, const struct weir_item *item, const struct weir_key *key,
                                const struct weir_value *value)
{
    char text[2 * WEIR_TIME_TEXT + 8], low[WEIR_TIME_TEXT], high[WEIR_TIME_TEXT];
    unsigned digits = s->revision.digits;
    const char *first = weir_decimal_format(value->numbers[0], digits, low);
    if (values_of(key) == WEIR_SWEEP_WORDS || is_word(key, value->numbers[0]))
        return item->text;
    if (values_of(key) == WEIR_SWEEP_COUNTS)
        snprintf(text, sizeof text, "%lld", (long long)value->numbers[0]);
    else if (key->type == WEIR_VALUE_INTERVAL && value->numbers[0] != value->numbers[1])
        snprintf(text, sizeof text, "[%s, %s]", first, weir_decimal_format(value->numbers[1], digits, high));
    else
        snprintf(text, sizeof text, "%s", first);
    return weir_arena_text(&s->revision.arena, text);
}

/* ---- one axis ---- */

static bool fill_axis(struct weir_sweeping *s, size_t axis, const struct weir_assignment *a)
{
    struct weir_sweep_axis *x = &s->axes[axis];
    const struct weir_key *key = key_of(s, a);
    int64_t *numbers = weir_arena_take(&s->revision.arena, x->count * sizeof *numbers);
    const char **texts = weir_arena_take(&s->revision.arena, x->count * sizeof *texts);
    struct weir_value *values = weir_arena_take(&s->revision.arena, x->count * sizeof *values);
    size_t at = 0;
    x->numbers = numbers;
    x->texts = texts;
    s->values[axis] = values;
    if (!numbers || !texts || !values)
        return false;
    for (size_t i = 0; i < a->item_count; i++) {
        const struct weir_item *item = &a->items[i];
        struct weir_value value = item->first;
        for (uint64_t left = count_values(s, item, key); left > 0; left--, at++) {
            values[at] = value;
            texts[at] = format_value(s, item, key, &value);
            numbers[at] = value.numbers[key->type == WEIR_VALUE_INTERVAL];
            if (!texts[at])
                return false;
            for (int end = 0; end < 2 && left > 1; end++)
                value.numbers[end] += item->step.numbers[0];
        }
    }
    return true;
}

static uint64_t most_points(const struct weir_sweeping *s)
{
    return s->options->points_max ? s->options->points_max : POINTS_MAX;
}

/* The number of values of each axis, and of points. 0: reported. */
static uint64_t count_points(struct weir_sweeping *s)
{
    uint64_t points = 1, most = most_points(s);
    struct weir_draft *d = &s->revision.draft;
    for (size_t i = 0; i < s->options->axis_count; i++) {
        const struct weir_assignment *a = weir_sweeping_axis(s, i);
        uint64_t values = 0;
        for (size_t j = 0; j < a->item_count; j++) {
            uint64_t some = count_values(s, &a->items[j], key_of(s, a));
            if (!some)
                return 0;
            values += some < most ? some : most + 1;
        }
        if (!values)
            return 0;
        points = values > most / points ? most + 1 : points * values;
        if (points > most) {
            struct weir_place place = {s->revision.lines[a->change], 1};
            weir_draft_mistake(d, place, "too many points: %llu are the most; take larger steps, or raise the limit",
                               (unsigned long long)most);
            return 0;
        }
        s->axes[i] = (struct weir_sweep_axis){
            .label = a->label, .values = values_of(key_of(s, a)), .count = (size_t)values, .better = key_of(s, a)->better};
    }
    return points;
}

enum weir_status weir_sweep_lay_out(struct weir_sweeping *s)
{
    size_t axes = s->options->axis_count;
    s->axes = weir_array_zeroed(axes, sizeof *s->axes);
    s->values = weir_array_zeroed(axes, sizeof *s->values);
    if (!s->axes || !s->values)
        return WEIR_MEMORY;
    uint64_t points = count_points(s);
    if (!points)
        return WEIR_INVALID;
    for (size_t i = 0; i < axes; i++)
        if (!fill_axis(s, i, weir_sweeping_axis(s, i)))
            return WEIR_MEMORY;
    s->sweep.axes = s->axes;
    s->sweep.axis_count = axes;
    s->sweep.point_count = (size_t)points;
    return WEIR_OK;
}

size_t weir_sweep_value(const struct weir_sweep *sweep, size_t point, size_t axis)
{
    for (size_t i = sweep->axis_count; i-- > axis + 1;)
        point /= sweep->axes[i].count;
    return point % sweep->axes[axis].count;
}
