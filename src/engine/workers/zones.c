/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/workers/zones.h"

#include <string.h>

static int64_t sum(int64_t a, int64_t b)
{
    int64_t total = a >= WEIR_ZONE_FAR || b >= WEIR_ZONE_FAR ? WEIR_ZONE_FAR : a + b;
    return total < WEIR_ZONE_FAR ? total : WEIR_ZONE_FAR;
}

/* What follows from two limits is a limit. */
static bool close_zone(struct weir_zone *z)
{
    for (int k = 0; k < z->count; k++)
        for (int i = 0; i < z->count; i++)
            for (int j = 0; z->most[i][k] < WEIR_ZONE_FAR && j < z->count; j++) {
                int64_t over = sum(z->most[i][k], z->most[k][j]);
                z->most[i][j] = over < z->most[i][j] ? over : z->most[i][j];
            }
    for (int i = 0; i < z->count; i++)
        if (z->most[i][i] < 0)
            return false;
    return true;
}

void weir_zone_clear(struct weir_zone *z, int count)
{
    memset(z, 0, sizeof *z);
    z->count = count;
}

bool weir_zone_limit(struct weir_zone *z, int i, int j, int64_t most)
{
    if (most >= z->most[i][j])
        return true;
    if (sum(most, z->most[j][i]) < 0)
        return false;
    for (int a = 0; a < z->count; a++) /* all else was closed: what is new leads over this */
        for (int b = 0; z->most[a][i] < WEIR_ZONE_FAR && b < z->count; b++) {
            int64_t over = sum(sum(z->most[a][i], most), z->most[j][b]);
            z->most[a][b] = over < z->most[a][b] ? over : z->most[a][b];
        }
    return true;
}

void weir_zone_pass(struct weir_zone *z, int64_t least, int64_t most)
{
    for (int i = 1; i < z->count; i++) {
        z->most[i][0] = sum(z->most[i][0], most);
        z->most[0][i] = z->most[0][i] >= WEIR_ZONE_FAR ? WEIR_ZONE_FAR : z->most[0][i] - least;
    }
}

void weir_zone_wait(struct weir_zone *z)
{
    for (int i = 1; i < z->count; i++)
        z->most[i][0] = WEIR_ZONE_FAR;
}

void weir_zone_copy(struct weir_zone *z, int clock, int other)
{
    for (int j = 0; j < z->count; j++) {
        z->most[clock][j] = z->most[other][j];
        z->most[j][clock] = z->most[j][other];
    }
    z->most[clock][clock] = z->most[clock][other] = z->most[other][clock] = 0;
}

void weir_zone_turn_back(struct weir_zone *z, int clock, int64_t by)
{
    for (int j = 0; j < z->count; j++) {
        if (j == clock)
            continue;
        z->most[clock][j] = z->most[clock][j] >= WEIR_ZONE_FAR ? WEIR_ZONE_FAR : z->most[clock][j] - by;
        z->most[j][clock] = sum(z->most[j][clock], by);
    }
}

void weir_zone_forget(struct weir_zone *z, int clock, int other, int64_t most)
{
    for (int j = 0; j < z->count; j++)
        z->most[clock][j] = z->most[j][clock] = j == clock ? 0 : WEIR_ZONE_FAR;
    z->most[clock][other] = most;
    z->most[other][clock] = 0;
    close_zone(z);
}

void weir_zone_blur(struct weir_zone *z, int clock, int64_t beyond)
{
    bool blurred = false;
    for (int j = 0; j < z->count; j++) {
        if (j != clock && z->most[clock][j] > beyond && z->most[clock][j] < WEIR_ZONE_FAR)
            blurred = true, z->most[clock][j] = WEIR_ZONE_FAR;
        if (j != clock && z->most[j][clock] < -beyond)
            blurred = true, z->most[j][clock] = -beyond;
    }
    if (blurred)
        close_zone(z);
}

bool weir_zone_holds(const struct weir_zone *z, const struct weir_zone *other)
{
    for (int i = 0; i < z->count; i++)
        for (int j = 0; j < z->count; j++)
            if (other->most[i][j] > z->most[i][j])
                return false;
    return true;
}
