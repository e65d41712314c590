/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In a burst, the first input is as late as can be, and all whose nominal moments have passed by then arrive with it. Latest after
 * the burst the source is back at its nominal moments: inputs follow each other as closely as they ever do.
 */
#include "simulate/processors_releases.h"

#include "base/number.h"

/* Inputs between two bursts, at most. */
#define PAUSE 5
/* A sporadic source rests for this many periods at most. */
#define REST 4

void weir_release_die_new(struct weir_release_die *die, const struct weir_source_spec *source, enum weir_releases mode,
                          int64_t iterations, uint64_t seed)
{
    *die = (struct weir_release_die){
        .mode = mode, .period = source->period, .jitter = source->jitter, .sporadic = source->sporadic, .burst = -1};
    weir_random_seed(&die->random, seed);
    if (mode == WEIR_RELEASES_BURST)
        die->quiet = weir_random_between(&die->random, 0, PAUSE);
    if (mode == WEIR_RELEASES_QUIET) {
        die->quiet = iterations / 2;
        die->once = true;
    }
}

static int64_t draw_spread(struct weir_release_die *die)
{
    struct weir_random *r = &die->random;
    if (!die->sporadic || die->mode == WEIR_RELEASES_NOMINAL || die->mode == WEIR_RELEASES_LATE || die->mode == WEIR_RELEASES_QUIET)
        return 0;
    int64_t rest = die->period > WEIR_TIME_MAX / REST ? WEIR_TIME_MAX : REST * die->period;
    switch (weir_random_between(r, 0, 7)) {
    case 0:
        return weir_random_between(r, 0, die->period);
    case 1:
        return weir_random_between(r, 0, rest);
    case 2:
        return weir_random_between(r, 0, 1 + die->period / 8);
    default:
        return 0;
    }
}

static int64_t draw_burst(struct weir_release_die *die)
{
    if (die->burst >= die->nominal)
        return die->burst - die->nominal;
    if (die->burst >= 0) { /* over */
        die->burst = -1;
        die->quiet = die->once ? INT64_MAX : weir_random_between(&die->random, 0, PAUSE);
    }
    if (die->quiet > 0) {
        die->quiet--;
        return 0;
    }
    die->burst = die->nominal + die->jitter;
    return die->jitter;
}

struct weir_release weir_release_draw(struct weir_release_die *die)
{
    struct weir_release release = {0, 0};
    if (die->drawn) {
        release.spread = draw_spread(die);
        if (!weir_add(die->nominal, die->period + release.spread, &die->nominal) || die->nominal > INT64_MAX / 2)
            die->nominal = INT64_MAX / 2; /* such a simulation ends in an overflow before this matters */
    }
    die->drawn = true;
    switch (die->mode) {
    case WEIR_RELEASES_LATE:
        release.offset = die->jitter;
        break;
    case WEIR_RELEASES_RANDOM:
        release.offset = weir_random_between(&die->random, 0, die->jitter);
        break;
    case WEIR_RELEASES_EXTREME:
        release.offset = weir_random_next(&die->random) >> 63 ? die->jitter : 0;
        break;
    case WEIR_RELEASES_BURST:
    case WEIR_RELEASES_QUIET:
        release.offset = draw_burst(die);
        break;
    case WEIR_RELEASES_NOMINAL:
    case WEIR_RELEASES_GIVEN:
        break;
    }
    return release;
}
