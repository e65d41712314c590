/* SPDX-License-Identifier: Apache-2.0 */
/* What can be set, and of what. */
#include "explore/change/change.h"
#include "model/kernels.h"
#include "model/pipeline.h"

#include <string.h>

#define THREADS WEIR_ON_THREADS
#define PROCESSORS WEIR_ON_PROCESSORS
#define POOL WEIR_ON_POOL
#define GPU WEIR_ON_GPU

static const struct weir_key keys[] = {
    {"time", WEIR_KEY_TIME, WEIR_OF_OPERATOR, WEIR_VALUE_INTERVAL, WEIR_ON_OPERATORS, -1, NULL, 0},
    {"best", WEIR_KEY_BEST, WEIR_OF_OPERATOR, WEIR_VALUE_TIME, WEIR_ON_OPERATORS, -1, NULL, 0},
    {"worst", WEIR_KEY_WORST, WEIR_OF_OPERATOR, WEIR_VALUE_TIME, WEIR_ON_OPERATORS, -1, NULL, 0},
    {"receive", WEIR_KEY_RECEIVE, WEIR_OF_OPERATOR, WEIR_VALUE_INTERVAL, THREADS, -1, NULL, 0},
    {"reentrant", WEIR_KEY_REENTRANT, WEIR_OF_OPERATOR, WEIR_VALUE_BOOLEAN, THREADS, 0, NULL, 0},
    {"on", WEIR_KEY_ON, WEIR_OF_OPERATOR, WEIR_VALUE_PROCESSOR, PROCESSORS, 0, NULL, 0},
    {"priority", WEIR_KEY_PRIORITY, WEIR_OF_OPERATOR, WEIR_VALUE_INTEGER, PROCESSORS, 0, NULL, 0},
    {"slot", WEIR_KEY_SLOT, WEIR_OF_OPERATOR, WEIR_VALUE_TIME, PROCESSORS, 0, NULL, 0},
    {"cost.init", WEIR_KEY_COST_INIT, WEIR_OF_OPERATOR, WEIR_VALUE_TIME, POOL, -1, NULL, 0},
    {"cost.per-sample", WEIR_KEY_COST_SAMPLE, WEIR_OF_OPERATOR, WEIR_VALUE_TIME, POOL, -1, NULL, 0},
    {"gpu.time", WEIR_KEY_LAUNCH, WEIR_OF_OPERATOR, WEIR_VALUE_INTERVAL, THREADS, -1, NULL, 0},
    {"gpu.after", WEIR_KEY_LAUNCH_AFTER, WEIR_OF_OPERATOR, WEIR_VALUE_INTERVAL, THREADS, -1, NULL, 0},
    {"load", WEIR_KEY_LOAD, WEIR_OF_OPERATOR, WEIR_VALUE_TIME, GPU, -1, NULL, 0},
    {"granularity", WEIR_KEY_GRANULARITY, WEIR_OF_OPERATOR, WEIR_VALUE_TIME, GPU, -1, NULL, 0},
    {"min-time", WEIR_KEY_MIN_TIME, WEIR_OF_OPERATOR, WEIR_VALUE_TIME, GPU, -1, NULL, 0},
    {"splittable", WEIR_KEY_SPLITTABLE, WEIR_OF_OPERATOR, WEIR_VALUE_BOOLEAN, GPU, 1, NULL, 0},
    {"period", WEIR_KEY_PERIOD, WEIR_OF_SOURCE, WEIR_VALUE_TIME, WEIR_ON_OPERATORS, 1, NULL, 0},
    {"arrivals", WEIR_KEY_ARRIVALS, WEIR_OF_SOURCE, WEIR_VALUE_ARRIVALS, THREADS, 0, NULL, 0},
    {"jitter", WEIR_KEY_JITTER, WEIR_OF_SOURCE, WEIR_VALUE_TIME, PROCESSORS | POOL, -1, NULL, 0},
    {"sporadic", WEIR_KEY_SPORADIC, WEIR_OF_SOURCE, WEIR_VALUE_BOOLEAN, PROCESSORS | POOL, 0, NULL, 0},
    {"phase", WEIR_KEY_PHASE, WEIR_OF_SOURCE, WEIR_VALUE_TIME, PROCESSORS | POOL, 0, NULL, 0},
    {"batch", WEIR_KEY_BATCH, WEIR_OF_SOURCE, WEIR_VALUE_COUNT, POOL, 0, "samples", WEIR_QUEUE_MAX},
    {"capacity", WEIR_KEY_CAPACITY, WEIR_OF_QUEUE, WEIR_VALUE_CAPACITY, WEIR_ON_OPERATORS, 1, NULL, 0},
    {"initial", WEIR_KEY_INITIAL, WEIR_OF_QUEUE, WEIR_VALUE_NUMBER, WEIR_ON_OPERATORS, 0, NULL, 0},
    {"blocking", WEIR_KEY_BLOCKING, WEIR_OF_QUEUE, WEIR_VALUE_BOOLEAN, WEIR_ON_OPERATORS, 0, NULL, 0},
    {"produce", WEIR_KEY_PRODUCE, WEIR_OF_QUEUE, WEIR_VALUE_COUNT, POOL, 0, "samples", WEIR_QUEUE_MAX},
    {"consume", WEIR_KEY_CONSUME, WEIR_OF_QUEUE, WEIR_VALUE_COUNT, POOL | THREADS, 0, "samples", WEIR_QUEUE_MAX},
    {"threshold", WEIR_KEY_THRESHOLD, WEIR_OF_QUEUE, WEIR_VALUE_COUNT, POOL, 0, "samples", WEIR_QUEUE_MAX},
    {"full", WEIR_KEY_FULL, WEIR_OF_QUEUE, WEIR_VALUE_FULL, THREADS, 0, NULL, 0},
    {"optional", WEIR_KEY_OPTIONAL, WEIR_OF_QUEUE, WEIR_VALUE_BOOLEAN, THREADS, 0, NULL, 0},
    {"latest", WEIR_KEY_LATEST, WEIR_OF_QUEUE, WEIR_VALUE_BOOLEAN, THREADS, 0, NULL, 0},
    {"transfer", WEIR_KEY_TRANSFER, WEIR_OF_QUEUE, WEIR_VALUE_INTERVAL, THREADS, -1, NULL, 0},
    {"within", WEIR_KEY_WITHIN, WEIR_OF_PAIR, WEIR_VALUE_TIME, WEIR_ON_OPERATORS, 0, NULL, 0},
    {"frame", WEIR_KEY_FRAME, WEIR_OF_PROCESSOR, WEIR_VALUE_TIME, PROCESSORS, 0, NULL, 0},
    {"preemptive", WEIR_KEY_PREEMPTIVE, WEIR_OF_PROCESSOR, WEIR_VALUE_BOOLEAN, PROCESSORS, 0, NULL, 0},
    {"scheduler", WEIR_KEY_SCHEDULER, WEIR_OF_PLATFORM, WEIR_VALUE_SCHEDULER, THREADS, 0, NULL, 0},
    {"workers", WEIR_KEY_WORKERS, WEIR_OF_PLATFORM, WEIR_VALUE_COUNT, THREADS, 1, "workers", WEIR_WORKERS_MAX},
    {"polling", WEIR_KEY_POLLING, WEIR_OF_PLATFORM, WEIR_VALUE_TIME, THREADS, -1, NULL, 0},
    {"cores", WEIR_KEY_CORES, WEIR_OF_PLATFORM, WEIR_VALUE_COUNT, POOL, 1, "cores", WEIR_CORES_MAX},
    {"latency-limit", WEIR_KEY_LATENCY_LIMIT, WEIR_OF_PLATFORM, WEIR_VALUE_TIME, PROCESSORS, 0, NULL, 0},
    {"sms", WEIR_KEY_SMS, WEIR_OF_PLATFORM, WEIR_VALUE_COUNT, GPU, 1, "SMs", WEIR_SMS_MAX},
    {"min-time", WEIR_KEY_LEAST_TIME, WEIR_OF_PLATFORM, WEIR_VALUE_TIME, GPU, -1, NULL, 0},
    {"launch-overhead", WEIR_KEY_LAUNCH_OVERHEAD, WEIR_OF_PLATFORM, WEIR_VALUE_TIME, GPU, -1, NULL, 0},
    {"max-concurrent", WEIR_KEY_MAX_CONCURRENT, WEIR_OF_PLATFORM, WEIR_VALUE_COUNT, GPU, 1, "launches", WEIR_QUEUE_MAX},
    {"deadline", WEIR_KEY_DEADLINE, WEIR_OF_PLATFORM, WEIR_VALUE_TIME, GPU, 0, NULL, 0},
};
#define KEY_COUNT (sizeof keys / sizeof *keys)

const struct weir_key *weir_key_find(const char *name, enum weir_owner owner)
{
    for (size_t i = 0; i < KEY_COUNT; i++)
        if (keys[i].owner == owner && strcmp(keys[i].name, name) == 0)
            return &keys[i];
    return NULL;
}

const struct weir_key *weir_key_named(const char *name)
{
    for (size_t i = 0; i < KEY_COUNT; i++)
        if (strcmp(keys[i].name, name) == 0)
            return &keys[i];
    return NULL;
}

const char *weir_key_hint(const char *name, char text[WEIR_HINT])
{
    const char *names[KEY_COUNT];
    for (size_t i = 0; i < KEY_COUNT; i++)
        names[i] = keys[i].name;
    return weir_hint_word(name, names, KEY_COUNT, text);
}

unsigned char weir_platform_bit(const struct weir_pipeline *pipeline)
{
    static const unsigned char bits[] = {[WEIR_PLATFORM_THREADS] = THREADS,
                                         [WEIR_PLATFORM_PROCESSORS] = PROCESSORS,
                                         [WEIR_PLATFORM_CORES] = POOL,
                                         [WEIR_PLATFORM_GPU] = GPU};
    return bits[pipeline->platform];
}
