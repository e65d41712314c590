/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weir: how late can a streaming pipeline be?
 *
 * The one header to include. The shape of every use:
 *
 *     build or read a pipeline -> seal it -> weir_answer_find -> free everything
 *
 * What is declared here is stable (docs/reference/abi.md). The rest, which may change with any version, is included where
 * WEIR_EXPERIMENTAL is defined before; or include its header from weir/ by itself.
 *
 * Time is an int64_t count of ticks. A pipeline says what a tick is: 10^digits ticks make one of its
 * units (ns, us, ms, s, or the dimensionless "tick"). weir_time_format() prints ticks as that unit.
 *
 * Functions return a status; the details are in the last parameter, which may be NULL. The library
 * never prints, exits or aborts because of its input. A sealed pipeline is immutable: any number of
 * threads may use it at once, each with its own solver. Nothing else is safe to share.
 */
#ifndef WEIR_H
#define WEIR_H

#include "weir/answer.h"
#include "weir/base.h"
#include "weir/model_file.h"
#include "weir/pipeline.h"
#include "weir/render.h"
#include "weir/run.h"
#include "weir/separation.h"
#include "weir/simulate.h"
#include "weir/trial.h"

#ifdef WEIR_EXPERIMENTAL
#include "weir/age.h"
#include "weir/analyze.h"
#include "weir/answer_simulate.h"
#include "weir/async.h"
#include "weir/baselines.h"
#include "weir/change.h"
#include "weir/edf.h"
#include "weir/evaluate.h"
#include "weir/explore.h"
#include "weir/generate.h"
#include "weir/gpu.h"
#include "weir/guard.h"
#include "weir/holoscan.h"
#include "weir/interrupt.h"
#include "weir/margins.h"
#include "weir/measure.h"
#include "weir/partition.h"
#include "weir/plot.h"
#include "weir/priority.h"
#include "weir/ranks.h"
#include "weir/sensitivity.h"
#include "weir/sizing.h"
#include "weir/sweep.h"
#include "weir/workers.h"
#endif

#endif
