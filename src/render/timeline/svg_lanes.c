/* SPDX-License-Identifier: Apache-2.0 */
/* The lanes of a picture: which and where, their names and headings, the levels below. */
#include "render/timeline/svg.h"

#define MARGIN WEIR_PICTURE_MARGIN
#define NAME_COLUMNS 28
#define MANY 24           /* lanes, from which on they are narrow */
#define FEW 8             /* lanes, up to which none is folded */
#define LANES_MAX 400     /* where there is no critical path */
#define FOLD 24.0         /* the line that counts the others */
#define NAMED 40          /* of them, in the tooltip */
#define PATH_LANES 2000   /* lanes on the critical path */
#define HEADING 26.0      /* the line with the name of a group */
#define ROW_LARGE 34.0    /* height of a numbered row, when there are few */
#define ROW_SMALL 4.6     /* ... when there are many */
#define NUMBERED 400.0    /* what few of them fill */
#define LABEL 96.0        /* room behind the lanes for what is written there, ... */
#define LETTER 7.2        /* ... or more where it is longer */
#define NUMBERED_MAX 1500 /* what many fill at most, however thin they get */

/* ---- which, and where ---- */

/* All lanes; or, where there are more than a few, those of the critical path, and the others are counted. */
static enum weir_status choose_lanes(struct weir_timeline_picture *p, struct weir_error *error)
{
    const struct weir_timeline *t = p->timeline;
    uint32_t hidden = 0;
    for (size_t i = 0; i < t->step_count; i++) {
        p->shown += !p->lanes[t->steps[i].lane].shown;
        p->lanes[t->steps[i].lane].shown = true;
    }
    for (size_t i = 0; i < t->leg_count; i++) {
        p->shown += !p->lanes[t->legs[i].lane].shown;
        p->lanes[t->legs[i].lane].shown = true;
    }
    for (size_t i = 0; i < t->lane_count && t->leg_count; i++) { /* threads, and what is lost, are no operators */
        bool apart = t->groups[t->lanes[i].group].heading && !t->lanes[i].hidden && !p->lanes[i].shown && !t->step_count;
        p->shown += apart;
        p->lanes[i].shown |= apart;
    }
    if (p->shown > PATH_LANES)
        return weir_fail(error, WEIR_OVERFLOW, "the worst case goes through %u operators, which are too many for a picture",
                         (unsigned)p->shown);
    for (size_t i = 0; i < t->lane_count; i++)
        hidden += t->lanes[i].hidden && !p->lanes[i].shown;
    uint32_t off = (uint32_t)t->lane_count - hidden - p->shown;
    bool folds = p->shown && off > 1 && p->shown + off > FEW;
    for (size_t i = 0; i < t->lane_count && !folds; i++) {
        if (t->lanes[i].hidden || p->lanes[i].shown || p->shown >= LANES_MAX)
            continue;
        p->lanes[i].shown = true;
        p->shown++;
    }
    p->left_out = (uint32_t)t->lane_count - hidden - p->shown;
    return WEIR_OK;
}

/* "+47 others", and their names. */
static void put_others(const struct weir_timeline_picture *p)
{
    const struct weir_timeline *t = p->timeline;
    unsigned named = 0;
    if (!p->left_out)
        return;
    weir_svg_put(p->out, "<g class=\"wt-others\"><title>");
    for (size_t i = 0; i < t->lane_count && named < NAMED; i++)
        if (!p->lanes[i].shown && !t->lanes[i].hidden)
            weir_svg_put(p->out, "$$", named++ ? ", " : "", t->lanes[i].name);
    weir_svg_put(p->out, "$</title>", named < p->left_out ? " ..." : "");
    weir_svg_put(p->out, "<text class=\"wp-text wp-faint\" x=\"@\" y=\"@\">+% other$</text></g>\n", MARGIN + 4, p->bottom - 8,
                 p->left_out, p->left_out == 1 ? "" : "s");
}

/* Puts the level among the fullest of its lane. */
static void add_level(struct weir_timeline_picture *p, size_t index)
{
    const struct weir_timeline_level *levels = p->timeline->levels;
    if (levels[index].lane == WEIR_NO_LANE || !p->lanes[levels[index].lane].shown)
        return;
    struct weir_picture_lane *lane = &p->lanes[levels[index].lane];
    unsigned at = lane->level_count;
    while (at > 0 && levels[lane->levels[at - 1]].most < levels[index].most)
        at--;
    if (at == p->levels_max)
        return;
    lane->level_count += lane->level_count < p->levels_max;
    for (unsigned i = lane->level_count - 1; i > at; i--)
        lane->levels[i] = lane->levels[i - 1];
    lane->levels[at] = index;
}

static void size_lane(struct weir_timeline_picture *p, size_t index)
{
    const struct weir_timeline_lane *lane = &p->timeline->lanes[index];
    struct weir_picture_lane *place = &p->lanes[index];
    if (lane->row_name) {
        double rows = lane->rows, row = NUMBERED / rows;
        row = row > ROW_LARGE ? ROW_LARGE : row < ROW_SMALL ? ROW_SMALL : row;
        place->row = row * rows > NUMBERED_MAX ? NUMBERED_MAX / rows : row;
        place->rows = lane->rows;
        place->height = place->row * rows;
        return;
    }
    bool ghosts = false;
    for (size_t i = 0; i < lane->span_count; i++)
        ghosts |= p->timeline->spans[lane->first_span + i].kind == WEIR_SPAN_NEXT;
    place->rows = lane->rows < WEIR_PICTURE_ROWS ? lane->rows : WEIR_PICTURE_ROWS;
    place->row = p->bar + 2;
    place->height =
        6 + place->row * place->rows + (place->level_count ? (p->strip + 1) * place->level_count : 0) + (ghosts ? 4 : 0);
}

enum weir_status weir_picture_place_lanes(struct weir_timeline_picture *p, struct weir_error *error)
{
    const struct weir_timeline *t = p->timeline;
    double names = 0, behind = 10;
    enum weir_status status = choose_lanes(p, error);
    if (status)
        return status;
    p->small = p->shown > MANY;
    p->levels_max = p->small ? 2 : WEIR_PICTURE_LEVELS;
    p->bar = p->small ? 14 : 18;
    p->strip = p->small ? 4 : 6;
    for (size_t i = 0; i < t->level_count; i++)
        add_level(p, i);
    uint32_t group = UINT32_MAX;
    p->bottom = p->top;
    for (size_t i = 0; i < t->lane_count; i++) {
        const struct weir_timeline_lane *lane = &t->lanes[i];
        if (!p->lanes[i].shown)
            continue;
        size_lane(p, i);
        p->bottom += lane->group != group && t->groups[lane->group].heading ? HEADING : 0;
        group = lane->group;
        p->lanes[i].top = p->bottom;
        p->lanes[i].first = p->bottom + (lane->row_name ? 0 : 4);
        p->bottom += p->lanes[i].height;
        unsigned columns = weir_label_columns(lane->name);
        double width = (p->small ? 6.2 : 7.2) * (columns < NAME_COLUMNS ? columns : NAME_COLUMNS) + (lane->row_name ? 24 : 0) +
                       (t->groups[group].heading ? 4 : 0);
        names = width > names ? width : names;
        double label = lane->label ? 14 + LETTER * weir_label_columns(lane->label) : 0;
        behind = label > 0 && label < LABEL ? LABEL : label > behind ? label : behind;
    }
    p->bottom += p->left_out ? FOLD : 0;
    p->x.from = MARGIN + names + 14;
    p->x.to = p->width - MARGIN - (behind < p->width / 3 ? behind : p->width / 3);
    return WEIR_OK;
}

double weir_picture_row(const struct weir_timeline_picture *p, uint32_t lane, uint32_t row)
{
    const struct weir_picture_lane *place = &p->lanes[lane];
    return place->first + place->row * (row < place->rows ? row : place->rows - 1);
}

/* Every row has a number where there is room; otherwise every 2nd, 5th, 10th ... */
static void put_numbers(const struct weir_timeline_picture *p, uint32_t index)
{
    static const uint32_t factors[] = {2, 5, 10};
    const struct weir_timeline_lane *lane = &p->timeline->lanes[index];
    const struct weir_picture_lane *place = &p->lanes[index];
    uint32_t step = 1;
    for (uint32_t power = 1, i = 0; place->row * step < 13 && step < lane->row_limit; i++) {
        step = power * factors[i % 3];
        power = i % 3 == 2 ? power * 10 : power;
    }
    for (uint32_t row = 0; row < lane->row_limit; row += step)
        weir_svg_put(p->out, "<text class=\"wp-text wp-faint\" text-anchor=\"end\" x=\"@\" y=\"@\">%</text>\n", p->x.from - 8,
                     place->top + place->row * (row + 0.5) + 4, row);
    double limit = place->top + place->row * lane->row_limit;
    if (lane->rows > lane->row_limit) {
        weir_picture_put_rect(p, "wt-absent", (const double[]){MARGIN, limit, p->width - 2 * MARGIN, p->bottom - limit});
        weir_svg_put(
            p->out,
            "/>\n<text class=\"wp-text wt-bad\" x=\"@\" y=\"@\"><title>What lies below this line has no $: it would have to "
            "wait</title>no $</text>\n",
            MARGIN, limit + 14, lane->row_name, lane->row_name);
    }
    weir_picture_put_rect(p, "wp-frame", (const double[]){p->x.from, place->top, p->x.to - p->x.from, limit - place->top});
    fputs("/>\n", p->out);
}

/* ---- levels ---- */

/* An area whose height is the share of the capacity, or of the most there was where it has none. */
static void put_level(const struct weir_timeline_picture *p, const struct weir_timeline_level *level, double y)
{
    const struct weir_timeline *t = p->timeline;
    double all = level->capacity ? (double)level->capacity : level->most ? (double)level->most : 1.0;
    double bottom = y + p->strip, share = 0, last = p->x.from;
    char most[24], room[40] = " at once";
    snprintf(most, sizeof most, "%lld", (long long)level->most);
    if (level->capacity)
        snprintf(room, sizeof room, " of %lld at once", (long long)level->capacity);
    weir_svg_put(p->out, "<g class=\"wt-level\"><title>$: at most $$</title>", level->name, most, room);
    weir_picture_put_rect(p, "wt-room", (const double[]){p->x.from, y, weir_picture_place(p, t->end) - p->x.from, p->strip});
    fputs("/>", p->out);
    if (level->most > 0) {
        weir_svg_put(p->out, "<path class=\"wt-full\" d=\"M@ @", p->x.from, bottom);
        for (size_t i = 0; i < level->point_count; i++) {
            const struct weir_timeline_point *point = &t->points[level->first_point + i];
            double x = weir_picture_place(p, point->at), now = (double)point->value / all;
            now = now < 0 ? 0 : now > 1 ? 1 : now;
            if (i > 0 && x - last < 0.4 && now <= share) /* of what cannot be told apart the highest */
                continue;
            last = x;
            share = now;
            weir_svg_put(p->out, "H@V@", x, bottom - share * p->strip);
        }
        weir_svg_put(p->out, "H@V@Z\"/>", weir_picture_place(p, t->end), bottom);
    }
    fputs("</g>\n", p->out);
}

/* ---- lanes ---- */

/* Spans that are not executions, in a lane of one row. */
static void put_items(const struct weir_timeline_picture *p, uint32_t index)
{
    const struct weir_timeline_lane *lane = &p->timeline->lanes[index];
    for (size_t i = 0; i < lane->span_count; i++) {
        const struct weir_timeline_span *span = &p->timeline->spans[lane->first_span + i];
        double from = weir_picture_place(p, span->from), to = weir_picture_place(p, span->to);
        if (!weir_picture_shows(p, span))
            continue;
        if (span->kind == WEIR_SPAN_DELAY)
            weir_picture_put_delay(p, index, span);
        else if (span->kind > WEIR_SPAN_EXCESS && (span->kind != WEIR_SPAN_GPU || to - from > 0.5))
            weir_picture_put_shape(p, span, from, to, (const double[]){weir_picture_row(p, index, span->row), p->bar});
    }
}

static void put_lane(const struct weir_timeline_picture *p, uint32_t index)
{
    const struct weir_timeline_lane *lane = &p->timeline->lanes[index];
    const struct weir_picture_lane *place = &p->lanes[index];
    double row = !lane->row_name ? p->bar : place->row > 24 ? place->row : 24; /* below the name of the markers */
    double middle = place->first + row / 2 + (p->small ? 3.2 : 4);
    weir_svg_put(p->out, "<g><title>$</title><text class=\"wp-text$\" x=\"@\" y=\"@\">", lane->details ? lane->details : lane->name,
                 p->small ? " wt-small" : "", MARGIN + (p->timeline->groups[lane->group].heading ? 8 : 4), middle);
    weir_label_put(p->out, lane->name, NAME_COLUMNS);
    fputs("</text>", p->out);
    bool executions = lane->span_count && p->timeline->spans[lane->first_span].kind <= WEIR_SPAN_EXCESS;
    if (!executions && !lane->row_name)
        put_items(p, index);
    if (lane->label)
        weir_svg_put(p->out, "<text class=\"wp-text\" x=\"@\" y=\"@\">$</text>", weir_picture_place(p, lane->label_at) + 6, middle,
                     lane->label);
    fputs("</g>\n", p->out);
    for (unsigned i = 0; i < place->level_count; i++)
        put_level(p, &p->timeline->levels[place->levels[i]], place->first + place->row * place->rows + (p->strip + 1) * i);
    if (lane->row_name) {
        put_numbers(p, index);
        weir_picture_put_blocks(p, index);
        return;
    }
    weir_picture_put_executions(p, index);
    if (executions) /* on top of them */
        put_items(p, index);
}

/* Bands tell lanes apart, or groups where those have headings. */
static void put_band(const struct weir_timeline_picture *p, unsigned number, double top, double height)
{
    if (number % 2)
        return;
    weir_picture_put_rect(p, "wt-band", (const double[]){MARGIN, top, p->width - 2 * MARGIN, height});
    fputs("/>\n", p->out);
}

static void put_heading(const struct weir_timeline_picture *p, size_t first, unsigned number)
{
    const struct weir_timeline *t = p->timeline;
    const struct weir_timeline_group *group = &t->groups[t->lanes[first].group];
    double top = p->lanes[first].top - HEADING, bottom = top;
    for (size_t i = first; i < t->lane_count && t->lanes[i].group == t->lanes[first].group; i++)
        bottom = p->lanes[i].shown ? p->lanes[i].top + p->lanes[i].height : bottom;
    put_band(p, number, top, bottom - top);
    weir_svg_put(p->out,
                 "<path class=\"wt-rule\" d=\"M@ @H@\"/>\n<text class=\"wp-text\" x=\"@\" y=\"@\"><tspan class=\"wt-name\">",
                 MARGIN, top, p->width - MARGIN, MARGIN, top + 17);
    weir_label_put(p->out, group->name, NAME_COLUMNS);
    fputs("</tspan>", p->out);
    if (group->note)
        weir_svg_put(p->out, "<tspan class=\"wp-faint\" dx=\"8\">$</tspan>", group->note);
    fputs("</text>\n", p->out);
}

void weir_picture_put_lanes(const struct weir_timeline_picture *p)
{
    const struct weir_timeline *t = p->timeline;
    unsigned bands = 0;
    uint32_t group = UINT32_MAX;
    for (uint32_t i = 0; i < t->lane_count; i++) {
        if (!p->lanes[i].shown)
            continue;
        if (t->groups[t->lanes[i].group].heading && t->lanes[i].group != group)
            put_heading(p, i, bands++);
        else if (!t->groups[t->lanes[i].group].heading && !t->lanes[i].row_name)
            put_band(p, bands++, p->lanes[i].top, p->lanes[i].height);
        group = t->lanes[i].group;
        put_lane(p, i);
    }
    put_others(p);
    if (group != UINT32_MAX && t->groups[group].heading)
        weir_svg_put(p->out, "<path class=\"wt-rule\" d=\"M@ @H@\"/>\n", MARGIN, p->bottom, p->width - MARGIN);
}
