/* SPDX-License-Identifier: Apache-2.0 */
/* weir simulate --log: a run as the flow tracker of Holoscan would have seen it. */
#include "simulate.h"

static enum weir_exit write_log(struct weir_simulation *s)
{
    struct weir_output output;
    struct weir_error error = {0};
    enum weir_exit result = weir_output_open(&output, s->settings->log);
    if (result != WEIR_EXIT_OK)
        return result;
    enum weir_status status = weir_flow_writer_write(s->log, output.file, &error);
    if (status != WEIR_OK && status != WEIR_IO) /* closing reports what the file did not take */
        result = weir_complain_error(s->title, &error);
    return weir_exit_worse(result, weir_output_close(&output, result == WEIR_EXIT_OK));
}

enum weir_exit weir_simulation_log(struct weir_simulation *s, enum weir_exit (*run)(struct weir_simulation *))
{
    struct weir_error error = {0};
    s->log = weir_flow_writer_new(s->pipeline, &error);
    if (!s->log)
        return weir_complain_error(s->title, &error);
    enum weir_exit result = run(s);
    if (result == WEIR_EXIT_OK)
        result = write_log(s);
    weir_flow_writer_free(s->log);
    s->log = NULL;
    return result;
}
