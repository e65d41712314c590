/* SPDX-License-Identifier: Apache-2.0 */
/* The journey of the measured message in a picture: as a ribbon above the lanes, with times, and through the lanes below the bars.
 */
#include "base/number.h"
#include "render/timeline/svg.h"

#include <string.h>

#define HEIGHT 22.0
#define ASIDE 3.0 /* half the width of the ribbon from lane to lane */

static const char *const classes[WEIR_LEG_KINDS] = {"wt-running", "wt-waiting", "wt-blocked", "wt-under-way"};

static const char *length_of(const struct weir_timeline_picture *p, const struct weir_timeline_leg *leg,
                             char text[WEIR_AMOUNT_TEXT])
{
    return weir_timeline_amount(p->timeline, weir_ticks(leg->to.numerator - leg->from.numerator), true, text);
}

static void put_words(const struct weir_timeline_picture *p, const struct weir_timeline_leg *leg)
{
    char amount[WEIR_AMOUNT_TEXT], number[24];
    snprintf(number, sizeof number, "%lld", (long long)leg->iteration);
    weir_svg_put(p->out, "<g class=\"$\"><title>Frame $: $, $</title>", classes[leg->kind], number, leg->text,
                 length_of(p, leg, amount));
}

/* The longest text that fits: what it does and how long, its name and how long, how long. */
static void put_label(const struct weir_timeline_picture *p, const struct weir_timeline_leg *leg, const double box[4])
{
    char amount[WEIR_AMOUNT_TEXT], whole[320], named[320];
    length_of(p, leg, amount);
    snprintf(whole, sizeof whole, "%s, %s", leg->text, amount);
    snprintf(named, sizeof named, "%s %s", p->timeline->lanes[leg->lane].name, amount);
    const char *const texts[] = {whole, named, amount};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (6.7 * weir_label_columns(texts[i]) + 6 <= box[2]) {
            weir_svg_put(p->out, "<text class=\"wp-text $\" text-anchor=\"middle\" x=\"@\" y=\"@\">$</text>",
                         leg->kind == WEIR_LEG_RUNNING ? "wt-on" : "wt-in", box[0] + box[2] / 2, box[1] + box[3] / 2 + 4, texts[i]);
            return;
        }
}

double weir_picture_journey_height(const struct weir_timeline_picture *p)
{
    return p->timeline->leg_count ? HEIGHT + 10 : 0;
}

void weir_picture_put_journey(const struct weir_timeline_picture *p, double y)
{
    const struct weir_timeline *t = p->timeline;
    char number[24];
    if (!t->leg_count)
        return;
    snprintf(number, sizeof number, "%lld", (long long)t->legs[0].iteration);
    weir_svg_put(p->out, "<text class=\"wp-text\" x=\"@\" y=\"@\">frame $</text>\n", WEIR_PICTURE_MARGIN + 4, y + HEIGHT / 2 + 4,
                 number);
    for (size_t i = 0; i < t->leg_count; i++) {
        const struct weir_timeline_leg *leg = &t->legs[i];
        double from = weir_picture_place(p, leg->from), to = weir_picture_place(p, leg->to);
        const double box[] = {from, y, to - from, HEIGHT};
        put_words(p, leg);
        weir_picture_put_rect(p, "wt-leg", box);
        fputs("/>", p->out);
        put_label(p, leg, box);
        fputs("</g>\n", p->out);
    }
}

/* Below the bars: where the message is, and down to the lane where it is next. */
void weir_picture_put_ribbon(const struct weir_timeline_picture *p)
{
    const struct weir_timeline *t = p->timeline;
    for (size_t i = 0; i < t->leg_count; i++) {
        const struct weir_timeline_leg *leg = &t->legs[i];
        double from = weir_picture_place(p, leg->from), to = weir_picture_place(p, leg->to);
        double y = weir_picture_row(p, leg->lane, leg->row);
        bool waits = leg->kind == WEIR_LEG_WAITING; /* a bar may lie on it: of the message that it waits behind */
        const double box[] = {from, y - (waits ? 4 : 2), to - from, p->bar + (waits ? 7 : 4)};
        if (i && leg[-1].lane != leg->lane) {
            double above = weir_picture_row(p, leg[-1].lane, leg[-1].row), top = above < y ? above : y, low = above < y ? y : above;
            weir_picture_put_rect(p, "wt-ribbon", (const double[]){from - ASIDE, top - 2, 2 * ASIDE, low - top + p->bar + 4});
            fputs("/>", p->out);
        }
        put_words(p, leg);
        weir_picture_put_rect(p, leg->kind == WEIR_LEG_RUNNING ? "wt-ribbon" : "wt-leg", box);
        fputs("/>", p->out);
        if (leg->kind != WEIR_LEG_RUNNING && !waits)
            put_label(p, leg, box);
        fputs("</g>\n", p->out);
    }
}
