/* SPDX-License-Identifier: Apache-2.0 */
/* Response times of simulated runs as a histogram, with the bound beside it. */
#include "answer/distribution.h"
#include "base/error.h"
#include "base/number.h"
#include "render/html/page.h"
#include "render/plot/plot.h"

#include <inttypes.h>
#include <string.h>

#define RUNS 200
#define ITERATIONS 50
#define WORK_MAX INT64_C(20000000) /* executions, and messages in queues, of all runs: some seconds */
#define WIDTH 620.0
#define HEIGHT 248.0
#define LEFT 70.0
#define RIGHT 24.0
#define TOP 48.0
#define BOTTOM 198.0
#define BINS 60
#define NEAR 130.0    /* of two lines: the words of one would reach the other */
#define NARROWEST 3.0 /* pixels of a bar */
#define LETTER 7.0
#define DIGIT 11.0 /* on a narrow screen, where they are larger */

struct sampling {
    const struct weir_chain_spec *chain;
    enum weir_moment from;
    int64_t iterations, shift;
    int64_t *begun; /* by iteration of `from`; negative: not yet */
    struct weir_samples samples;
    struct weir_distribution seen;
};

static void observe(void *context, struct weir_operator op, enum weir_moment moment, int64_t iteration, int64_t time)
{
    struct sampling *s = context;
    if (op.index == s->chain->from.index && moment == s->from)
        s->begun[iteration] = time;
    int64_t begun = iteration - s->shift;
    if (op.index == s->chain->to.index && moment == WEIR_FINISH && begun >= 0 && begun < s->iterations && s->begun[begun] >= 0)
        weir_samples_add(&s->samples, time - s->begun[begun]);
}

/* A third of the runs each: any times, the extremes at random, all at their worst (one is enough). */
static enum weir_status sample(struct weir_page *page, struct sampling *s, uint32_t runs)
{
    for (uint32_t run = 0; run < runs; run++) {
        struct weir_simulation_options options = {.iterations = s->iterations,
                                                  .times = run == 0       ? WEIR_TIMES_WORST
                                                           : run % 2 == 0 ? WEIR_TIMES_RANDOM
                                                                          : WEIR_TIMES_BANG_BANG,
                                                  .seed = page->options->seed + run,
                                                  .observe = observe,
                                                  .context = s};
        weir_page_progress(page, 700 + 100 * run / runs);
        for (int64_t i = 0; i < s->iterations; i++)
            s->begun[i] = -1;
        enum weir_status status = weir_simulate(page->model->pipeline, &options, page->error);
        if (status || s->samples.failed)
            return status ? status : weir_fail_memory(page->error);
    }
    return WEIR_OK;
}

/* Nothing that was seen lies beyond it: the histogram ends there. Denominator 0: there is none. */
static struct weir_ratio end_of(const struct weir_bound *bound)
{
    enum weir_claim claim = bound->worst.claim;
    bool holds = claim == WEIR_CLAIM_EXACT || claim == WEIR_CLAIM_SAFE || claim == WEIR_CLAIM_BRACKET;
    return holds ? bound->worst.high : (struct weir_ratio){0, 0};
}

/* ---- the picture ---- */

static double in_units(const struct weir_page *page, struct weir_ratio ticks)
{
    double unit = 1;
    for (unsigned i = 0; i < weir_pipeline_digits(page->model->pipeline); i++)
        unit *= 10;
    return (double)ticks.numerator / (double)ticks.denominator / unit;
}

static void put_bars(struct weir_page *page, const struct weir_distribution *seen, const struct weir_axis *x)
{
    int64_t fullest = 1;
    for (size_t i = 0; i < seen->bin_count; i++)
        fullest = seen->bins[i].count > fullest ? seen->bins[i].count : fullest;
    weir_svg_put(page->out, "<text class=\"wp-text wp-faint\" text-anchor=\"end\" x=\"@\" y=\"@\">%</text>\n", x->from - 6,
                 TOP + 10, (unsigned)fullest);
    weir_svg_put(page->out, "<text class=\"wp-text wp-faint\" text-anchor=\"end\" x=\"@\" y=\"@\">0</text>\n", x->from - 6, BOTTOM);
    weir_svg_put(page->out, "<text class=\"wp-text wp-faint\" x=\"12\" y=\"@\">responses</text>\n", TOP - 37); /* above all lines */
    for (size_t i = 0; i < seen->bin_count; i++) {
        const struct weir_bin *bin = &seen->bins[i];
        double from = weir_axis_place(x, in_units(page, bin->from)), to = weir_axis_place(x, in_units(page, bin->to));
        double height = (BOTTOM - TOP - 6) * (double)bin->count / (double)fullest;
        if (!bin->count)
            continue;
        height = height < 1.5 ? 1.5 : height;                 /* rare is not never */
        from = from > to - NARROWEST ? to - NARROWEST : from; /* a narrow one grows away from the bound */
        weir_svg_put(page->out,
                     "<rect class=\"wp0\" x=\"@\" y=\"@\" width=\"@\" height=\"@\"><title>% of % responses</title></rect>\n",
                     from + 0.5, BOTTOM - height, to - from - 1, height, (unsigned)bin->count, (unsigned)seen->kept);
    }
}

/* As many of its numbers as there is room for. */
static void put_scale(struct weir_page *page, const struct weir_axis *x)
{
    struct weir_tick ticks[WEIR_TICKS_MAX];
    size_t count = weir_axis_ticks(x, ticks);
    double taken = 0;
    for (size_t i = 0; i < count; i++) {
        double at = weir_axis_place(x, ticks[i].value), half = DIGIT / 2 * (double)strlen(ticks[i].text);
        bool edge = at + half > WIDTH - 2;
        double middle = edge ? WIDTH - 2 - half : at;
        weir_svg_put(page->out, "<path class=\"$\" d=\"M@ @V@\"/>", ticks[i].text[0] ? "wp-grid" : "wp-minor", at, TOP, BOTTOM);
        if (!ticks[i].text[0] || middle - half < taken)
            continue;
        weir_svg_put(page->out, "<text class=\"wp-text wp-faint\" text-anchor=\"$\" x=\"@\" y=\"@\">$</text>\n",
                     edge ? "end" : "middle", edge ? WIDTH - 2 : at, BOTTOM + 16, ticks[i].text);
        taken = middle + half + 8;
    }
}

/* Of a bound, and dashed of a deadline: their words stand above each other, beside both lines where those are close together. */
static void put_line(struct weir_page *page, double place, double other, const char *label, bool right, bool dashed)
{
    double beside = place - other > NEAR || other - place > NEAR ? place : right == (place < other) ? place : other;
    weir_svg_put(page->out, "<path d=\"M@ @V@\" class=\"wh-line$\"/>", place, dashed ? TOP - 18 : TOP - 36, BOTTOM,
                 dashed ? " wh-dashed" : "");
    weir_svg_put(page->out, "<text class=\"wp-text\" text-anchor=\"$\" x=\"@\" y=\"@\">$</text>\n", right ? "end" : "start",
                 right ? beside - 6 : beside + 6, dashed ? TOP - 5 : TOP - 23, label);
}

static void put_lines(struct weir_page *page, const struct weir_axis *x, const struct weir_chain_spec *chain, struct weir_ratio end)
{
    char time[WEIR_PAGE_TIME], words[WEIR_PAGE_TIME + 40];
    double limit = weir_axis_place(x, in_units(page, (struct weir_ratio){chain->deadline, 1}));
    double bound = end.denominator ? weir_axis_place(x, in_units(page, end)) : limit;
    double last = chain->has_deadline && limit > bound ? limit : bound;
    bool right = last > (x->from + x->to) / 2;
    if (end.denominator) {
        snprintf(words, sizeof words, "bound %s", weir_page_ratio(page, end, time));
        put_line(page, bound, chain->has_deadline ? limit : bound, words, right, false);
    }
    if (chain->has_deadline) {
        snprintf(words, sizeof words, "deadline %s", weir_page_time(page, chain->deadline, time));
        put_line(page, limit, bound, words, right && limit - 6 > LETTER * (double)strlen(words), true);
    }
}

static void put_histogram(struct weir_page *page, const struct sampling *s, const struct weir_bound *bound)
{
    const struct weir_chain_spec *chain = s->chain;
    struct weir_ratio end = end_of(bound), high = s->seen.bins[s->seen.bin_count - 1].to, deadline = {chain->deadline, 1};
    if (chain->has_deadline && weir_ratio_compare(deadline, high) > 0)
        high = deadline;
    struct weir_axis x = {.spec = {NULL, false, WEIR_PLOT_NUMBERS}};
    double low = in_units(page, s->seen.bins[0].from), highest = in_units(page, high), least = in_units(page, deadline);
    low = chain->has_deadline && least < low ? least : low;
    weir_axis_fit(&x, low < highest ? low : highest - 1, highest, false); /* where all are the same, before them is some room */
    x.from = LEFT;
    x.to = WIDTH - RIGHT;
    weir_svg_put(page->out,
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 @ @\" width=\"@\" height=\"@\" role=\"img\" "
                 "aria-label=\"Histogram of simulated response times from $ to $\">\n",
                 WIDTH, HEIGHT, WIDTH, HEIGHT, weir_page_name(page, chain->from), weir_page_name(page, chain->to));
    weir_svg_styles(page->out);
    fputs("<style>.wh-line{stroke:#1f2328;stroke-width:1.8;fill:none} .wh-dashed{stroke-dasharray:6 4} "
          "@media screen and (prefers-color-scheme:dark){.wh-line{stroke:#e6e8eb}}</style>\n",
          page->out);
    put_scale(page, &x);
    put_bars(page, &s->seen, &x);
    weir_svg_put(page->out, "<path class=\"wp-frame\" d=\"M@ @H@\"/>", LEFT, BOTTOM, WIDTH - RIGHT);
    enum weir_unit unit = weir_pipeline_unit(page->model->pipeline);
    weir_svg_put(page->out, "<text class=\"wp-text\" text-anchor=\"middle\" x=\"@\" y=\"@\">response time in $</text>\n",
                 (LEFT + WIDTH - RIGHT) / 2, BOTTOM + 36, unit == WEIR_UNIT_TICK ? "ticks" : weir_unit_name(unit));
    put_lines(page, &x, chain, end);
    fputs("</svg>\n", page->out);
}

struct histogram {
    const struct weir_page *page;
    const struct sampling *sampling;
    const struct weir_bound *bound;
};

static enum weir_status write_histogram(const struct weir_picture *picture, FILE *out, struct weir_error *error)
{
    (void)error;
    const struct histogram *h = picture->subject;
    struct weir_page page = *h->page;
    page.out = out;
    put_histogram(&page, h->sampling, h->bound);
    return WEIR_OK;
}

static void put_words(struct weir_page *page, const struct sampling *s, const struct weir_bound *bound, uint32_t runs)
{
    char largest[WEIR_PAGE_TIME], median[WEIR_PAGE_TIME], limit[WEIR_PAGE_TIME], seed[24];
    snprintf(seed, sizeof seed, "%" PRIu64, page->options->seed);
    weir_page_time(page, s->seen.max.numerator, largest);
    weir_page_time(page, s->seen.median.numerator, median);
    weir_svg_put(page->out, "<p>% simulated runs of % iterations (seed $), % responses: the median took $, the longest $.", runs,
                 (unsigned)s->iterations, seed, (unsigned)s->seen.count, median, largest);
    struct weir_ratio end = end_of(bound);
    const char *words =
        bound->worst.claim != WEIR_CLAIM_EXACT ? " None can take longer than the bound, $.</p>\n"
        : s->seen.max.numerator < end.numerator
            ? " None came near enough to show the worst case, $: simulation finds what is usual, not what is possible.</p>\n"
            : " That is the worst case itself, $.</p>\n";
    if (end.denominator)
        weir_svg_put(page->out, words, weir_page_ratio(page, end, limit));
    else
        fputs("</p>\n", page->out);
}

enum weir_status weir_page_distribution(struct weir_page *page, const struct weir_bound *bound, size_t index)
{
    const struct weir_pipeline *p = page->model->pipeline;
    int64_t work = (int64_t)weir_pipeline_operator_count(p) + weir_pipeline_queue_count(p); /* of an iteration */
    struct sampling s = {.chain = &bound->chain, .from = WEIR_START, .shift = bound->chain.shift};
    uint32_t runs = page->options->runs ? page->options->runs : RUNS;
    s.iterations = page->options->iterations ? page->options->iterations : ITERATIONS;
    if (s.iterations > WORK_MAX / work)
        s.iterations = WORK_MAX / work > 0 ? WORK_MAX / work : 1;
    if (runs > WORK_MAX / (work * s.iterations))
        runs = (uint32_t)(WORK_MAX / (work * s.iterations));
    runs = runs ? runs : 1;
    for (uint32_t i = 0; i < weir_pipeline_source_count(p); i++) {
        struct weir_source_spec source = weir_pipeline_source(p, i);
        if (source.op.index == s.chain->from.index && source.arrivals == WEIR_ARRIVALS_EXACT)
            s.from = WEIR_ARRIVAL;
    }
    struct weir_arena arena = {0};
    struct weir_ratio none = {0, 0};
    s.samples.bins_max = BINS;
    s.samples.kept_max = (size_t)runs * (size_t)s.iterations;
    s.begun = weir_array((size_t)s.iterations, sizeof *s.begun);
    enum weir_status status = s.begun ? sample(page, &s, runs) : weir_fail_memory(page->error);
    if (!status && !weir_samples_describe(&s.samples, none, end_of(bound), &arena, &s.seen))
        status = weir_fail_memory(page->error);
    if (!status && s.seen.bin_count) {
        weir_svg_put(page->out,
                     "<figure class=\"wide scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Simulated response times\" "
                     "id=\"distribution-%-%\">\n",
                     page->number, (unsigned)index + 1);
        struct histogram histogram = {page, &s, bound};
        status = weir_page_picture(page, &(struct weir_picture){.subject = &histogram, .kind = "", .write = write_histogram});
        fputs("</figure>\n", page->out);
        put_words(page, &s, bound, runs);
    }
    weir_free(s.begun);
    weir_samples_free(&s.samples);
    weir_arena_free(&arena);
    return status;
}
