/* SPDX-License-Identifier: Apache-2.0 */
/* GStreamer: a source, "queue" elements with a limit of buffers alone, which each start a thread, and a sink. Operators between
 * queues are pads linked to each other. A buffer carries its number as its offset. */
#include "run_peers.h"

#include <gst/gst.h>

struct numbers {
    _Alignas(128) guint64 sent;
    _Alignas(128) guint64 seen;
    gboolean lost;
};

static GstPadProbeReturn number(GstPad *pad, GstPadProbeInfo *info, gpointer context)
{
    struct numbers *n = context;
    (void)pad;
    GST_BUFFER_OFFSET(GST_PAD_PROBE_INFO_BUFFER(info)) = ++n->sent;
    return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn check(GstPad *pad, GstPadProbeInfo *info, gpointer context)
{
    struct numbers *n = context;
    (void)pad;
    n->lost = n->lost || GST_BUFFER_OFFSET(GST_PAD_PROBE_INFO_BUFFER(info)) != ++n->seen;
    return GST_PAD_PROBE_OK;
}

static void probe(GstElement *element, const char *name, GstPadProbeCallback callback, struct numbers *n)
{
    GstPad *pad = gst_element_get_static_pad(element, name);
    gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, callback, n, NULL);
    gst_object_unref(pad);
}

/* The pipeline; NULL: an element is missing. */
static GstElement *build(const struct flow *flow, struct numbers *n)
{
    GstElement *pipeline = gst_pipeline_new(NULL), *last = gst_element_factory_make("fakesrc", NULL);
    GstElement *sink = gst_element_factory_make("fakesink", NULL);
    if (!last || !sink)
        return NULL;
    gst_bin_add_many(GST_BIN(pipeline), last, sink, NULL);
    g_object_set(last, "num-buffers", (gint)flow->messages, "sizetype", 1, NULL); /* empty ones */
    g_object_set(sink, "sync", FALSE, "async", FALSE, NULL);
    probe(last, "src", number, n);
    probe(sink, "sink", check, n);
    for (uint32_t i = 1; i < flow->operators; i++) {
        GstElement *queue = gst_element_factory_make("queue", NULL);
        if (!queue)
            return NULL;
        g_object_set(queue, "max-size-buffers", flow->capacity, "max-size-bytes", 0U, "max-size-time", G_GUINT64_CONSTANT(0),
                     "silent", TRUE, NULL);
        gst_bin_add(GST_BIN(pipeline), queue);
        if (!gst_element_link(last, queue))
            return NULL;
        last = queue;
    }
    return gst_element_link(last, sink) ? pipeline : NULL;
}

double run_gstreamer(const struct flow *flow)
{
    struct numbers n = {0};
    gst_init(NULL, NULL);
    GstElement *pipeline = build(flow, &n);
    if (!pipeline)
        return -1;
    gst_element_set_state(pipeline, GST_STATE_PAUSED);
    gst_element_get_state(pipeline, NULL, NULL, GST_CLOCK_TIME_NONE);
    double began = run_clock_ns();
    gst_element_set_state(pipeline, GST_STATE_PLAYING);
    GstBus *bus = gst_element_get_bus(pipeline);
    GstMessage *end = gst_bus_timed_pop_filtered(bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
    double passed = run_clock_ns() - began;
    gboolean failed = GST_MESSAGE_TYPE(end) != GST_MESSAGE_EOS || n.lost || n.seen != (guint64)flow->messages;
    gst_message_unref(end);
    gst_object_unref(bus);
    gst_element_set_state(pipeline, GST_STATE_NULL);
    gst_object_unref(pipeline);
    return failed ? -1 : passed;
}
