/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of keys, included by schema.h and schema.c with WEIR_OWNER and WEIR_KEY defined, which it undefines. To add a key, add
 * its row below its owner: the file is then read and written with it, and the reference has it. What uses it is the engine's.
 *
 * Rows stand in the order in which keys are written.
 */
/* clang-format off */
WEIR_OWNER(TOP, .id = "model", .words = "the model")
WEIR_KEY(VERSION, TOP, "weir", .platforms = ALL, .text = "`1`, the version of this format", .missing = "1",
         .json = "{\"const\": 1}")
WEIR_KEY(NAME, TOP, "name", .platforms = ALL, .text = "one line of text", .missing = "the model has no name",
         .json = "{\"type\": \"string\"}")
WEIR_KEY(UNIT, TOP, "unit", .platforms = ALL, .text = "`ns`, `us` (or `µs`), `ms`, `s` or `tick`: of times without a unit",
         .missing = "the finest unit that a time has; `tick` when none has one",
         .json = "{\"enum\": [\"ns\", \"us\", \"\\u00b5s\", \"\\u03bcs\", \"ms\", \"s\", \"tick\"]}")
WEIR_KEY(PLATFORM, TOP, "platform", .type = WEIR_VALUE_MAP, .inside = WEIR_OF_PLATFORM, .platforms = ALL,
         .text = "where operators run: a [platform](#platforms)", .missing = "each operator has a thread of its own")
WEIR_KEY(PROCESSORS, TOP, "processors", .platforms = OPERATORS, .not_gpu = "kernels run on its SMs",
         .text = "a mapping from names to [processors](#shared-processors), or a list of names",
         .missing = "those that operators name",
         .json = "{\"anyOf\": [{\"type\": \"array\", \"items\": {\"type\": \"string\"}}, "
                 "{\"type\": [\"object\", \"null\"], \"additionalProperties\": {\"anyOf\": [{\"$ref\": \"#/$defs/processor\"}, "
                 "{\"type\": \"null\"}]}}]}")
WEIR_KEY(OPERATORS, TOP, "operators", .platforms = OPERATORS, .not_gpu = "what runs there stands in \"kernels\"",
         .text = "a mapping from names to [operators](#operators); at least one", .missing = "a mistake",
         .json = "{\"type\": \"object\", \"minProperties\": 1, \"additionalProperties\": {\"anyOf\": "
                 "[{\"$ref\": \"#/$defs/interval\"}, {\"$ref\": \"#/$defs/operator\"}]}}")
WEIR_KEY(QUEUES, TOP, "queues", .platforms = OPERATORS, .not_gpu = "what waits for what stands in \"dependencies\"",
         .text = "a list of [queues](#queues)", .missing = "none",
         .json = "{\"type\": [\"array\", \"null\"], \"items\": {\"anyOf\": [{\"type\": \"string\", \"pattern\": \"->\"}, "
                 "{\"$ref\": \"#/$defs/queue\"}]}}")
WEIR_KEY(QUEUE, TOP, "queue", .type = WEIR_VALUE_CAPACITY, .platforms = OPERATORS, .most = WEIR_QUEUE_MAX,
         .not_gpu = "dependencies hold no messages",
         .text = "the capacity of queues that give none: a whole number from 1 on, `unbounded`, or where operators share processors "
                 "or cores `auto`",
         .missing = "1; on a pool of cores `auto`")
WEIR_KEY(SOURCE, TOP, "source", .platforms = OPERATORS, .not_gpu = "a graph of kernels runs once, when it is launched",
         .text = "a [source](#sources)", .missing = "operators without input run as often as they can",
         .json = "{\"anyOf\": [{\"$ref\": \"#/$defs/source\"}, {\"type\": \"null\"}]}")
WEIR_KEY(SOURCES, TOP, "sources", .platforms = OPERATORS, .not_gpu = "a graph of kernels runs once, when it is launched",
         .text = "a list of sources", .missing = "none",
         .json = "{\"type\": [\"array\", \"null\"], \"items\": {\"$ref\": \"#/$defs/source\"}}")
WEIR_KEY(DEADLINES, TOP, "deadlines", .platforms = OPERATORS,
         .not_gpu = "the whole graph has one, \"platform: {gpu: {deadline: ...}}\"",
         .text = "a list of [deadlines](#latencies)", .missing = "none",
         .json = "{\"type\": [\"array\", \"null\"], \"items\": {\"$ref\": \"#/$defs/deadline\"}}")
WEIR_KEY(MEASURE, TOP, "measure", .platforms = OPERATORS, .not_gpu = "the whole graph is measured",
         .text = "a list of [latencies](#latencies) to report",
         .missing = "the deadlines, or without those every source with every end",
         .json = "{\"type\": [\"array\", \"null\"], \"items\": {\"$ref\": \"#/$defs/measure\"}}")
WEIR_KEY(KERNELS, TOP, "kernels", .platforms = GPU, .text = "a mapping from names to [kernels](#kernels-on-a-gpu); at least one",
         .missing = "a mistake",
         .json = "{\"type\": \"object\", \"minProperties\": 1, \"additionalProperties\": {\"anyOf\": "
                 "[{\"$ref\": \"#/$defs/time\"}, {\"$ref\": \"#/$defs/kernel\"}]}}")
WEIR_KEY(DEPENDENCIES, TOP, "dependencies", .platforms = GPU, .text = "a list of dependencies, written as [queues](#queues) are",
         .missing = "none",
         .json = "{\"type\": [\"array\", \"null\"], \"items\": {\"anyOf\": [{\"type\": \"string\", \"pattern\": \"->\"}, "
                 "{\"$ref\": \"#/$defs/dependency\"}]}}")
WEIR_KEY(DEFAULTS, TOP, "defaults", .platforms = GPU, .text = "`splittable`, `granularity` and `min-time` of kernels that do not say",
         .missing = "none", .json = "{\"anyOf\": [{\"$ref\": \"#/$defs/defaults\"}, {\"type\": \"null\"}]}")

WEIR_OWNER(PLATFORM, .id = "platform", .words = "the platform", .subject = "\"platform\"",
           .expected = "a mapping with \"scheduler\", \"cores\" or \"gpu\"")
WEIR_KEY(CORES, PLATFORM, "cores", .type = WEIR_VALUE_COUNT, FIELD(weir_platform_spec, cores), .platforms = POOL,
         .usual = WEIR_NEVER_USUAL, .of = "cores", .most = WEIR_CORES_MAX, .settable = true, .better = 1,
         .not_gpu = "kernels run on its SMs", .text = "how many cores there are: a whole number from 1 to 65536",
         .missing = "a mistake")
WEIR_KEY(SCHEDULER, PLATFORM, "scheduler", .type = WEIR_VALUE_CHOICE, FIELD(weir_platform_spec, workers.dispatch),
         .platforms = OPERATORS, .words = dispatch_words, .settable = true,
         .json = "{\"enum\": [\"event-based\", \"multi-thread\", \"greedy\", \"fixed-priority\", \"tdm\", \"round-robin\", "
                 "\"global-edf\"]}",
         .not_gpu = "the hardware takes whichever block is ready",
         .text = "with workers `event-based`, `multi-thread` or `greedy`; of processors that say nothing `fixed-priority`, `tdm` or "
                 "`round-robin`; of a pool of cores `global-edf`",
         .missing = "a thread for each operator; `fixed-priority`, where `processors` or `on` say that processors are shared; "
                    "`global-edf`, where `cores` is given")
WEIR_KEY(WORKERS, PLATFORM, "workers", .type = WEIR_VALUE_COUNT, FIELD(weir_platform_spec, workers.workers), .platforms = THREADS,
         .of = "workers", .most = WEIR_WORKERS_MAX, .settable = true, .better = 1,
         .not_pool = "its cores are what operators wait for", .not_gpu = "the hardware takes whichever block is ready",
         .text = "how many threads, 1 to 65536; `greedy` has one", .missing = "one for each operator")
WEIR_KEY(POLLING, PLATFORM, "polling", .type = WEIR_VALUE_TIME, FIELD(weir_platform_spec, workers.polling), .platforms = THREADS,
         .usual = WEIR_NEVER_USUAL, .settable = true, .better = -1, .not_pool = "a core is taken at once",
         .not_gpu = "the hardware takes whichever block is ready",
         .text = "with `multi-thread`: a ready operator is seen at most this late; 0: at once",
         .missing = "5 ms; must be given where the model has no unit")
WEIR_KEY(PLATFORM_PREEMPTIVE, PLATFORM, "preemptive", .platforms = PROCESSORS, .not_pool = "global-edf always preempts",
         .not_gpu = "the hardware takes whichever block is ready", .json = "{\"type\": \"boolean\"}",
         .text = "of processors that say nothing. `false`: with fixed priorities, what has begun is finished first",
         .missing = "`true`")
WEIR_KEY(LATENCY_LIMIT, PLATFORM, "latency-limit", .type = WEIR_VALUE_TIME, FIELD(weir_platform_spec, latency_limit),
         .platforms = PROCESSORS, .settable = true, .not_pool = "its bounds need no search that could be cut off",
         .not_gpu = "the whole graph has a deadline",
         .text = "a time longer than 0. An analysis that comes to a later one gives up", .missing = "a multiple of the periods")
WEIR_KEY(GPU, PLATFORM, "gpu", .type = WEIR_VALUE_MAP, .inside = WEIR_OF_GPU, .platforms = GPU,
         .not_pool = "it is for operators with threads", .text = "the GPU that kernels run on", .missing = "none")

WEIR_OWNER(GPU, .id = "gpu", .words = "the GPU", .subject = "\"gpu\"", .expected = "a mapping such as {sms: 132}")
WEIR_KEY(SMS, GPU, "sms", .type = WEIR_VALUE_COUNT, FIELD(weir_platform_spec, gpu.sms), .platforms = GPU, .of = "SMs",
         .most = WEIR_SMS_MAX, .settable = true, .better = 1,
         .text = "how many SMs there are: a whole number from 1 to 65536", .missing = "a mistake, unless `--sms` says it")
WEIR_KEY(GPU_MIN_TIME, GPU, "min-time", .type = WEIR_VALUE_TIME, FIELD(weir_platform_spec, gpu.min_time), .platforms = GPU,
         .settable = true, .better = -1, .text = "no launch is shorter, however many SMs it has", .missing = "0")
WEIR_KEY(LAUNCH_OVERHEAD, GPU, "launch-overhead", .type = WEIR_VALUE_TIME, FIELD(weir_platform_spec, gpu.launch_overhead),
         .platforms = GPU, .settable = true, .better = -1,
         .text = "a launch begins at most this long after all that it waits for has ended", .missing = "0")
WEIR_KEY(MAX_CONCURRENT, GPU, "max-concurrent", .type = WEIR_VALUE_COUNT, FIELD(weir_platform_spec, gpu.max_concurrent),
         .platforms = GPU, .of = "launches", .most = WEIR_QUEUE_MAX, .settable = true, .better = 1,
         .text = "how many launches may be under way at once: a whole number from 1 on", .missing = "any number")
WEIR_KEY(GPU_DEADLINE, GPU, "deadline", .type = WEIR_VALUE_TIME, FIELD(weir_platform_spec, gpu.deadline), .platforms = GPU,
         .settable = true, .text = "when all of it has to be done; longer than 0", .missing = "none")

WEIR_OWNER(PROCESSOR, .id = "processor", .words = "a processor", .subject = "a processor",
           .expected = "a mapping, such as {scheduler: tdm, frame: 10}")
WEIR_KEY(PROCESSOR_SCHEDULER, PROCESSOR, "scheduler", .platforms = PROCESSORS, .text = "`fixed-priority`, `tdm` or `round-robin`",
         .missing = "what `platform` says", .json = "{\"enum\": [\"fixed-priority\", \"tdm\", \"round-robin\"]}")
WEIR_KEY(PREEMPTIVE, PROCESSOR, "preemptive", .type = WEIR_VALUE_FLAG, .platforms = PROCESSORS,
         .settable = true, .text = "with fixed priorities. `false`: what has begun is finished first",
         .missing = "what `platform` says")
WEIR_KEY(FRAME, PROCESSOR, "frame", .type = WEIR_VALUE_TIME, FIELD(weir_processor_spec, frame), .platforms = PROCESSORS,
         .settable = true, .text = "with `tdm`: the time after which the slots come again; at least all of them together",
         .missing = "a mistake")
WEIR_KEY(PROCESSOR_SLOT, PROCESSOR, "slot", .platforms = PROCESSORS,
         .text = "with `tdm` and `round-robin`: the slot of operators that give none", .missing = "each gives its own",
         .json = "{\"$ref\": \"#/$defs/time\"}")

WEIR_OWNER(OPERATOR, .id = "operator", .words = "an operator")
WEIR_KEY(TIME, OPERATOR, "time", .type = WEIR_VALUE_INTERVAL, FIELD(weir_operator_spec, best), .platforms = OPERATORS,
         .usual = WEIR_NEVER_USUAL, .settable = true, .better = -1,
         .text = "how long one execution takes: `[best, worst]`, or one number when it always takes exactly that long; or "
                 "`{gpu: FILE}`, [the bound of a plan](#operators-that-launch-kernels)",
         .missing = "a mistake; on a pool of cores `cost`",
         .json = "{\"anyOf\": [{\"$ref\": \"#/$defs/interval\"}, {\"$ref\": \"#/$defs/plan\"}]}")
WEIR_KEY(COST, OPERATOR, "cost", .type = WEIR_VALUE_MAP, .inside = WEIR_OF_COST, .has = offsetof(struct weir_operator_spec, has_cost),
         .platforms = POOL, .text = "in the place of `time`: what an execution takes at most", .missing = "`time`")
WEIR_KEY(RECEIVE, OPERATOR, "receive", .type = WEIR_VALUE_INTERVAL, FIELD(weir_operator_spec, receive_min), .platforms = THREADS,
         .settable = true, .better = -1, .not_shared = "input is held to the end",
         .not_pool = "an execution takes its samples as a whole",
         .text = "how long after its start the operator takes its inputs out of their queues: `[least, most]` or one number; at most "
                 "the worst time",
         .missing = "0: at its start")
WEIR_KEY(ON, OPERATOR, "on", .type = WEIR_VALUE_PROCESSOR, FIELD(weir_operator_spec, on),
         .has = offsetof(struct weir_operator_spec, mapped), .platforms = PROCESSORS, .settable = true,
         .not_pool = "any core may run any operator", .text = "its processor", .missing = "it has one of its own")
WEIR_KEY(PRIORITY, OPERATOR, "priority", .type = WEIR_VALUE_INTEGER, FIELD(weir_operator_spec, priority),
         .has = offsetof(struct weir_operator_spec, has_priority), .platforms = PROCESSORS, .most = INT32_MAX,
         .settable = true, .not_pool = "executions go by their deadlines",
         .text = "with fixed priorities: a whole number, from -2147483648 to 2147483647. **Larger is more urgent**; of equal ones any "
                 "may run first",
         .missing = "a mistake, unless it is alone on its processor")
WEIR_KEY(SLOT, OPERATOR, "slot", .type = WEIR_VALUE_TIME, FIELD(weir_operator_spec, slot), .platforms = PROCESSORS, .settable = true,
         .not_pool = "executions go by their deadlines", .text = "with `tdm` and `round-robin`: how long its turn is",
         .missing = "the processor's `slot`")
WEIR_KEY(LAUNCH, OPERATOR, "gpu", .type = WEIR_VALUE_MAP, .inside = WEIR_OF_LAUNCH, FIELD(weir_operator_spec, launch),
         .platforms = THREADS, .not_pool = "it is for operators with threads",
         .text = "[work on a GPU](#work-on-a-gpu) that each execution launches", .missing = "none")
WEIR_KEY(OBSERVED, OPERATOR, "observed", .type = WEIR_VALUE_MAP, .inside = WEIR_OF_OBSERVED, FIELD(weir_operator_spec, observed),
         .platforms = OPERATORS, .text = "[where the time was taken from](#observed-times); no answer depends on it",
         .missing = "nothing")
WEIR_KEY(REENTRANT, OPERATOR, "reentrant", .type = WEIR_VALUE_FLAG, FIELD(weir_operator_spec, reentrant), .platforms = THREADS,
         .settable = true, .not_shared = "one execution runs at a time", .not_pool = "one execution of an operator runs at a time",
         .text = "`true`: the operator may begin an execution while earlier ones are still running", .missing = "`false`")

WEIR_OWNER(COST, .id = "cost", .words = "a cost", .subject = "\"cost\"",
           .expected = "a mapping such as {init: 2us, per-sample: 17ns}", .prefix = "cost.")
WEIR_KEY(COST_INIT, COST, "init", .type = WEIR_VALUE_TIME, FIELD(weir_operator_spec, cost_init), .platforms = POOL, .shown = POOL,
         .usual = WEIR_NEVER_USUAL, .settable = true, .better = -1, .text = "what each execution takes",
         .missing = "0; one of the two is needed")
WEIR_KEY(COST_SAMPLE, COST, "per-sample", .type = WEIR_VALUE_TIME, FIELD(weir_operator_spec, cost_sample), .platforms = POOL,
         .usual = WEIR_NEVER_USUAL, .settable = true, .better = -1,
         .text = "what it takes for each sample beside that. Where it reads from several queues, the one it consumes most of counts; a "
                 "source counts its `batch`",
         .missing = "0")

WEIR_OWNER(LAUNCH, .id = "launch", .words = "the work on a GPU", .subject = "\"gpu\"",
           .expected = "a mapping such as {time: [5, 9], waits: true}", .prefix = "gpu.")
WEIR_KEY(LAUNCH_TIME, LAUNCH, "time", .type = WEIR_VALUE_INTERVAL, FIELD(weir_launch, best), .platforms = THREADS,
         .usual = WEIR_NEVER_USUAL, .required = true, .hint = ": how long it takes", .settable = true, .better = -1,
         .text = "how long the work takes: `[least, most]` or one number", .missing = "a mistake")
WEIR_KEY(LAUNCH_WAITS, LAUNCH, "waits", .type = WEIR_VALUE_FLAG, FIELD(weir_launch, waits), .platforms = THREADS, .shown = THREADS,
         .text = "`true`: the operator waits for it to be over, and only then sends its messages",
         .missing = "`false`: it sends them, and may start again, as soon as it has launched")
WEIR_KEY(LAUNCH_AFTER, LAUNCH, "after", .type = WEIR_VALUE_INTERVAL, FIELD(weir_launch, after_best), .platforms = THREADS,
         .settable = true, .better = -1,
         .text = "what it does once the work is over: `[least, most]` or one number; only with `waits: true`", .missing = "0")
WEIR_KEY(LAUNCH_STREAM, LAUNCH, "stream", .type = WEIR_VALUE_NAME, FIELD(weir_launch, stream), .platforms = THREADS, .of = "a stream",
         .text = "a name; operators that name the same one share a stream", .missing = "a stream of its own")

WEIR_OWNER(OBSERVED, .id = "observed", .words = "an observation", .subject = "\"observed\"",
           .expected = "a mapping with \"max\" and \"from\"")
WEIR_KEY(OBSERVED_COUNT, OBSERVED, "count", .type = WEIR_VALUE_COUNT, FIELD(weir_observed, count), .platforms = OPERATORS,
         .of = "executions", .most = UINT64_C(999999999999999999), .text = "how many executions were seen", .missing = "not known")
WEIR_KEY(OBSERVED_MIN, OBSERVED, "min", .type = WEIR_VALUE_TIME, FIELD(weir_observed, min), .platforms = OPERATORS, .usual = -1,
         .text = "the least time seen", .missing = "not known")
WEIR_KEY(OBSERVED_MAX, OBSERVED, "max", .type = WEIR_VALUE_TIME, FIELD(weir_observed, max), .platforms = OPERATORS,
         .usual = WEIR_NEVER_USUAL, .required = true, .text = "the greatest time seen", .missing = "a mistake")
WEIR_KEY(OBSERVED_FROM, OBSERVED, "from", .type = WEIR_VALUE_NAME, FIELD(weir_observed, from), .platforms = OPERATORS,
         .required = true, .of = "a file", .text = "the file that says so", .missing = "a mistake")

WEIR_OWNER(PLAN, .id = "plan", .words = "a time")
WEIR_KEY(PLAN_GPU, PLAN, "gpu", .platforms = OPERATORS, .json = "{\"type\": \"string\"}", .required = true,
         .text = "the path of the file, from the folder of the model on", .missing = "a mistake")
WEIR_KEY(PLAN_METHOD, PLAN, "method", .platforms = OPERATORS, .json = "{\"enum\": [\"best\", \"safe\"]}",
         .text = "how it is planned: `best` or `safe`, whose bounds hold", .missing = "`best`")
WEIR_KEY(PLAN_BEST, PLAN, "best", .platforms = OPERATORS, .json = "{\"$ref\": \"#/$defs/time\"}", .text = "the best case, a time",
         .missing = "0")
WEIR_KEY(PLAN_DEVICE, PLAN, "device", .platforms = OPERATORS, .json = "{\"type\": \"string\"}",
         .text = "a name for the GPU it runs on", .missing = "the only one")

/* The ends of an operator's time, for changes alone. */
WEIR_OWNER(ENDS, .id = "", .words = "an operator")
WEIR_KEY(BEST, ENDS, "best", .type = WEIR_VALUE_TIME, FIELD(weir_operator_spec, best), .alias = true, .platforms = OPERATORS,
         .settable = true, .better = -1)
WEIR_KEY(WORST, ENDS, "worst", .type = WEIR_VALUE_TIME, FIELD(weir_operator_spec, worst), .alias = true, .platforms = OPERATORS,
         .settable = true, .better = -1)

WEIR_OWNER(KERNEL, .id = "kernel", .words = "a kernel")
WEIR_KEY(TIMES, KERNEL, "times", .platforms = GPU,
         .text = "in the place of `load`: on how many SMs it was measured to take how long, `{1: 40, 2: 21, 4: 11}`, from few SMs to "
                 "many. It then runs on one of these numbers of SMs, and takes at most that time; numbers above `sms` are passed over",
         .missing = "`load`",
         .json = "{\"type\": \"object\", \"minProperties\": 1, \"propertyNames\": {\"pattern\": \"^[0-9]+$\"}, "
                 "\"additionalProperties\": {\"$ref\": \"#/$defs/time\"}}")
WEIR_KEY(LOAD, KERNEL, "load", .type = WEIR_VALUE_TIME, FIELD(weir_operator_spec, worst), .alias = true, .platforms = GPU,
         .usual = WEIR_NEVER_USUAL, .settable = true, .better = -1,
         .text = "the time it takes on one SM, longer than 0. A kernel that is only a number is its load", .missing = "`times`")
WEIR_KEY(SPLITTABLE, KERNEL, "splittable", .type = WEIR_VALUE_FLAG, FIELD(weir_operator_spec, splittable),
         .also = 1u << WEIR_OF_DEFAULTS, .platforms = GPU, .shown = GPU, .settable = true, .better = 1,
         .text = "`true`: it can be launched in parts, one after the other, each doing a share of the load. It needs an argument for "
                 "the range of its work. Not with `times`",
         .missing = "what `defaults` says, or `false`")
WEIR_KEY(GRANULARITY, KERNEL, "granularity", .type = WEIR_VALUE_TIME, FIELD(weir_operator_spec, granularity),
         .also = 1u << WEIR_OF_DEFAULTS, .platforms = GPU, .settable = true, .better = -1,
         .text = "the load of one block of it, which no two SMs can share; 0: the load can be divided at will. Not with `times`",
         .missing = "what `defaults` says, or 0")
WEIR_KEY(MIN_TIME, KERNEL, "min-time", .type = WEIR_VALUE_TIME, FIELD(weir_operator_spec, min_time),
         .also = 1u << WEIR_OF_DEFAULTS, .platforms = GPU, .settable = true, .better = -1,
         .text = "in the place of that of the GPU; longer than 0. Not with `times`", .missing = "what `defaults` says, or that of the GPU")

WEIR_OWNER(QUEUE, .id = "queue", .words = "a queue", .subject = "a queue", .expected = "\"a -> b\" or a mapping")
WEIR_KEY(FROM, QUEUE, "from", .type = WEIR_VALUE_OPERATOR, FIELD(weir_queue_spec, from), .also = 1u << WEIR_OF_DEPENDENCY,
         .platforms = ALL, .usual = WEIR_NEVER_USUAL, .required = true, .text = "the operator that fills the queue",
         .missing = "a mistake")
WEIR_KEY(TO, QUEUE, "to", .platforms = ALL, .required = true, .also = 1u << WEIR_OF_DEPENDENCY,
         .text = "the operator that empties it, or a list of them", .missing = "a mistake",
         .json = "{\"anyOf\": [{\"type\": \"string\"}, {\"type\": \"array\", \"minItems\": 1, \"items\": {\"type\": \"string\"}}]}")
WEIR_KEY(BROADCAST, QUEUE, "broadcast", .platforms = THREADS, .not_shared = "each target has a queue of its own",
         .not_pool = "each target has a queue of its own",
         .text = "what the inserted operator is like, when `to` is a list: as in [operators](#operators)",
         .missing = "it takes no time",
         .json = "{\"anyOf\": [{\"$ref\": \"#/$defs/interval\"}, {\"$ref\": \"#/$defs/operator\"}]}")
WEIR_KEY(PRODUCE, QUEUE, "produce", .type = WEIR_VALUE_COUNT, FIELD(weir_queue_spec, produce), .platforms = POOL, .shown = POOL,
         .usual = 1, .of = "samples", .most = WEIR_QUEUE_MAX, .settable = true,
         .text = "how many samples an execution of `from` appends, at its end", .missing = "1")
WEIR_KEY(CONSUME, QUEUE, "consume", .type = WEIR_VALUE_COUNT, FIELD(weir_queue_spec, consume), .platforms = POOL | THREADS,
         .shown = POOL, .usual = 1, .of = "samples", .most = WEIR_QUEUE_MAX, .settable = true,
         .text = "how many messages an execution of `to` takes at once; on a pool of cores at its end. `capacity` is at least as many",
         .missing = "1")
WEIR_KEY(THRESHOLD, QUEUE, "threshold", .type = WEIR_VALUE_COUNT, FIELD(weir_queue_spec, threshold), .platforms = POOL, .shown = POOL,
         .usual = 1, .of = "samples", .most = WEIR_QUEUE_MAX, .settable = true,
         .text = "how many samples must be there for an execution of `to` to begin; at least `consume`", .missing = "`consume`")
WEIR_KEY(CAPACITY, QUEUE, "capacity", .type = WEIR_VALUE_CAPACITY, FIELD(weir_queue_spec, capacity), .platforms = OPERATORS,
         .usual = WEIR_NEVER_USUAL, .most = WEIR_QUEUE_MAX, .settable = true, .better = 1,
         .text = "how many messages fit, those it begins with included: a whole number from 1 on, `unbounded`, or where operators "
                 "share processors or cores `auto`, which leaves it to the analysis",
         .missing = "`queue` at the top")
WEIR_KEY(INITIAL, QUEUE, "initial", .type = WEIR_VALUE_NUMBER, FIELD(weir_queue_spec, initial), .platforms = OPERATORS,
         .of = "messages", .most = WEIR_QUEUE_MAX, .settable = true,
         .text = "how many messages are in it at the beginning; at most the capacity", .missing = "0")
WEIR_KEY(BLOCKING, QUEUE, "blocking", .type = WEIR_VALUE_FLAG, FIELD(weir_queue_spec, nonblocking), .inverted = true,
         .platforms = THREADS | PROCESSORS, .usual = 1, .settable = true,
         .not_pool = "the analysis makes queues so large that nobody waits", .text = "`false`: the producer never waits for room",
         .missing = "`true`")
WEIR_KEY(FULL, QUEUE, "full", .type = WEIR_VALUE_CHOICE, FIELD(weir_queue_spec, full), .platforms = THREADS, .words = full_words,
         .settable = true, .not_pool = "the analysis makes queues so large that nobody waits",
         .text = "with `blocking: false`: what happens to a message that finds the queue full. `pop`: the oldest in it is lost; "
                 "`reject`: the new one is; `fault`: the application fails",
         .missing = "the queue holds them all, whatever its capacity")
WEIR_KEY(OPTIONAL, QUEUE, "optional", .type = WEIR_VALUE_FLAG, FIELD(weir_queue_spec, optional), .platforms = THREADS,
         .settable = true, .not_pool = "an execution begins when its samples are there",
         .text = "`true`: `to` never waits for a message here; an execution takes one if there is one", .missing = "`false`")
WEIR_KEY(LATEST, QUEUE, "latest", .type = WEIR_VALUE_FLAG, FIELD(weir_queue_spec, latest), .platforms = THREADS, .settable = true,
         .not_pool = "an execution begins when its samples are there",
         .text = "`true`: no queue, but a place for the latest message: nobody waits, and it is read again until there is a newer one",
         .missing = "`false`")
WEIR_KEY(TRANSFER, QUEUE, "transfer", .type = WEIR_VALUE_INTERVAL, FIELD(weir_queue_spec, transfer_min), .platforms = THREADS,
         .settable = true, .better = -1, .not_pool = "it is for operators with threads",
         .text = "how long a message is under way from one to the other, as between fragments: `[least, most]` or one number",
         .missing = "0")

WEIR_OWNER(SOURCE, .id = "source", .words = "a source", .subject = "a source",
           .expected = "a mapping with \"operator\" and \"period\"")
WEIR_KEY(SOURCE_OPERATOR, SOURCE, "operator", .type = WEIR_VALUE_OPERATOR, FIELD(weir_source_spec, op), .platforms = OPERATORS,
         .usual = WEIR_NEVER_USUAL, .text = "the operator that it feeds", .missing = "a mistake; on shared processors `operators`")
WEIR_KEY(SOURCE_OPERATORS, SOURCE, "operators", .platforms = PROCESSORS, .not_pool = "a source feeds one operator",
         .text = "a list of them; all get input *n* at the same moment", .missing = "`operator`",
         .json = "{\"type\": \"array\", \"minItems\": 1, \"items\": {\"type\": \"string\"}}")
WEIR_KEY(RATE, SOURCE, "rate", .platforms = POOL,
         .text = "how many samples arrive in a second, evenly: a number with `Hz`, `kHz`, `MHz` or `GHz` behind it, such as `44.1kHz`. "
                 "It is kept exactly. It needs seconds: with `unit: tick` it is a mistake",
         .missing = "`period`", .json = "{\"type\": \"string\", \"pattern\": \"[kMG]?Hz$\"}")
WEIR_KEY(PERIOD, SOURCE, "period", .type = WEIR_VALUE_TIME, FIELD(weir_source_spec, period), .platforms = OPERATORS,
         .usual = WEIR_NEVER_USUAL, .settable = true, .better = 1,
         .text = "from one start, or arrival, to the next: a time longer than 0", .missing = "a mistake; on a pool of cores `rate`")
WEIR_KEY(BURST, SOURCE, "burst", .type = WEIR_VALUE_COUNT, FIELD(weir_source_spec, count),
         .has = offsetof(struct weir_source_spec, bursty), .platforms = POOL, .of = "arrivals", .most = WEIR_QUEUE_MAX,
         .text = "with `period`: arrivals are not even, but at most this many are in any window of a period",
         .missing = "arrivals are even")
WEIR_KEY(BATCH, SOURCE, "batch", .type = WEIR_VALUE_COUNT, FIELD(weir_source_spec, batch), .platforms = POOL, .shown = POOL,
         .usual = 1, .of = "samples", .most = WEIR_QUEUE_MAX, .settable = true,
         .text = "how many samples one execution of the operator handles", .missing = "1")
WEIR_KEY(SOURCE_NAME, SOURCE, "name", .type = WEIR_VALUE_NAME, FIELD(weir_source_spec, name), .platforms = PROCESSORS,
         .of = "a source", .not_pool = "a name joins what one source feeds, and here that is one operator",
         .text = "text. Sources of the same name are one, and say the same of it",
         .missing = "none, or where it feeds several `source`, `source 2` ...")
WEIR_KEY(JITTER, SOURCE, "jitter", .type = WEIR_VALUE_TIME, FIELD(weir_source_spec, jitter), .platforms = PROCESSORS | POOL,
         .shown = PROCESSORS, .settable = true, .better = -1,
         .text = "how much later than its nominal moment an input may arrive. Inputs stay in order; the jitter may be longer than the "
                 "period",
         .missing = "0")
WEIR_KEY(PHASE, SOURCE, "phase", .type = WEIR_VALUE_TIME, FIELD(weir_source_spec, phase),
         .has = offsetof(struct weir_source_spec, has_phase), .platforms = PROCESSORS | POOL, .shown = PROCESSORS, .settable = true,
         .of = "a time or \"unknown\"",
         .text = "when the first input arrives, for simulations; bounds hold for every phase. A time, or on shared processors "
                 "`unknown`. With a `batch`, when the first batch is full",
         .missing = "`unknown`; on a pool of cores 0",
         .json = "{\"anyOf\": [{\"$ref\": \"#/$defs/time\"}, {\"const\": \"unknown\"}]}")
WEIR_KEY(SPORADIC, SOURCE, "sporadic", .type = WEIR_VALUE_FLAG, FIELD(weir_source_spec, sporadic), .platforms = PROCESSORS | POOL,
         .shown = PROCESSORS | POOL, .settable = true,
         .text = "`true`: the period is only the least time between two nominal moments", .missing = "`false`")
WEIR_KEY(ARRIVALS, SOURCE, "arrivals", .type = WEIR_VALUE_CHOICE, FIELD(weir_source_spec, arrivals), .platforms = OPERATORS,
         .shown = THREADS, .words = arrivals_words, .settable = true,
         .text = "`at-most`: it starts at most once per period. `exact`: inputs arrive exactly once per period and wait; latencies "
                 "count from the arrival. `catch-up`: start *n* is not before *n* periods, and what is missed is made up for. `skip`: "
                 "at most one start from each multiple of the period to the next",
         .missing = "`at-most`; `exact` where operators share processors or cores, which have no other")

WEIR_OWNER(DEADLINE, .id = "deadline", .words = "a deadline", .subject = "a deadline",
           .expected = "a mapping with \"from\", \"to\" and \"within\"")
WEIR_KEY(CHAIN_FROM, DEADLINE, "from", .type = WEIR_VALUE_OPERATOR, FIELD(weir_pair_spec, from), .also = 1u << WEIR_OF_MEASURE,
         .platforms = OPERATORS, .usual = WEIR_NEVER_USUAL, .required = true, .text = "the operator whose start it counts from",
         .missing = "a mistake")
WEIR_KEY(CHAIN_TO, DEADLINE, "to", .type = WEIR_VALUE_OPERATOR, FIELD(weir_pair_spec, to), .also = 1u << WEIR_OF_MEASURE,
         .platforms = OPERATORS, .usual = WEIR_NEVER_USUAL, .required = true, .text = "the operator whose finish ends it",
         .missing = "a mistake")
WEIR_KEY(WITHIN, DEADLINE, "within", .type = WEIR_VALUE_TIME, FIELD(weir_pair_spec, deadline),
         .has = offsetof(struct weir_pair_spec, has_deadline), .platforms = OPERATORS, .required = true, .settable = true,
         .text = "`deadlines` only: the latest time that is still good", .missing = "a mistake")
WEIR_KEY(OFFSET, DEADLINE, "offset", .type = WEIR_VALUE_INTEGER, FIELD(weir_pair_spec, shift),
         .has = offsetof(struct weir_pair_spec, has_shift), .also = 1u << WEIR_OF_MEASURE, .platforms = OPERATORS, .of = "iterations",
         .most = UINT64_C(1) << 30,
         .text = "how many iterations later `to` handles what `from` began; may be negative",
         .missing = "weir counts the initial messages on the way")
/* clang-format on */
#undef WEIR_OWNER
#undef WEIR_KEY
