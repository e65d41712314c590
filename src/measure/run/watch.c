/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread that called weir_trial_run looks about some twenty times in a second, also for its own sake: a look that comes late
 * although a CPU was free shows that the whole program was stopped. Where the control group has a quota, it notes when the group
 * was held back. What the host of a virtual machine took is known for the whole run alone, by the hundredth of a second.
 */
#include "base/alloc.h"
#include "base/error.h"
#include "measure/run/schedstat.h"
#include "measure/run/trial.h"
#include "measure/run/wait.h"

#include <unistd.h>

#define LOOK_NS 50000000
#define LOOKS_SHOWN 4    /* one in so many is for the caller's `watch` */
#define LATE_NS 10000000 /* not worth a word below it */

static void note(struct weir_trial *trial, const struct weir_watch *watch)
{
    bool late = watch->woke - watch->due - watch->starved > LATE_NS;
    if (!late && watch->throttled <= 0)
        return;
    if (trial->watch_count == trial->watch_room) {
        size_t room = trial->watch_room ? 2 * trial->watch_room : 64;
        struct weir_watch *grown = weir_resize(trial->watches, room * sizeof *grown);
        trial->out_of_memory = trial->out_of_memory || !grown;
        if (!grown)
            return;
        trial->watches = grown;
        trial->watch_room = room;
    }
    trial->watches[trial->watch_count++] = *watch;
}

enum weir_status weir_trial_watch(struct weir_trial *trial, struct weir_error *error)
{
    const struct weir_trial_options *o = &trial->options;
    enum weir_status status = WEIR_OK;
    bool ended = false;
    int file = weir_schedstat_open();
    int64_t began = weir_clock_now(), starved = weir_schedstat_starved(file);
    int64_t throttled = weir_quota_throttled(&trial->quota), stolen = weir_schedstat_stolen("/proc/stat");
    for (int64_t looks = 0; !ended; looks++) {
        struct weir_watch watch = {.due = weir_clock_now() + LOOK_NS};
        if (o->watch && looks % LOOKS_SHOWN == 0)
            o->watch(o->context, trial, weir_clock_now() - began);
        status = weir_run_wait(trial->run, LOOK_NS, &ended, error);
        int64_t starved_now = weir_schedstat_starved(file), throttled_now = weir_quota_throttled(&trial->quota);
        watch.woke = weir_clock_now();
        watch.starved = starved_now - starved;
        watch.throttled = throttled_now - throttled;
        starved = starved_now;
        throttled = throttled_now;
        note(trial, &watch);
    }
    if (stolen >= 0)
        trial->stolen = weir_schedstat_stolen("/proc/stat") - stolen;
    if (file >= 0)
        close(file);
    return status;
}

int64_t weir_trial_throttled(const struct weir_trial *trial, int64_t from, int64_t to, int64_t starved)
{
    int64_t held = 0;
    for (size_t i = 0; i < trial->watch_count && held < starved; i++) {
        const struct weir_watch *w = &trial->watches[i];
        if (w->woke >= from && w->due - LOOK_NS <= to)
            held += w->throttled;
    }
    return held < starved ? held : starved;
}
