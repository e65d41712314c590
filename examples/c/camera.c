/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A camera program on weir: five operators that work on pictures, one every 10 ms. A rehearsal of 300 pictures measures them; the
 * times become those of the model, with a margin; then as many pictures as the command line says are held against its bound, and
 * what is late is told why. As root it runs under SCHED_FIFO, otherwise as Linux allows.
 *
 *     cc -std=c17 -O2 camera.c $(pkg-config --cflags --libs weir) -o camera && sudo ./camera 10000
 */
#include <stdlib.h>
#include <weir.h>

enum { WIDTH = 320, PIXELS = 320 * 240 };
static struct frame {
    unsigned char raw[PIXELS], soft[PIXELS], edges[PIXELS], moving[PIXELS], marked[PIXELS], shown[PIXELS];
} last; /* what motion saw last */

/* An operator gets a frame, does something with each pixel, and sends the frame on to whoever comes next. Nobody frees it. */
#define OPERATOR(name, message, ...)                                                                                               \
    static int name(void *context, const struct weir_run_call *call)                                                               \
    {                                                                                                                              \
        struct frame *f = message;                                                                                                 \
        for (int i = WIDTH; i < PIXELS; i++)                                                                                       \
            __VA_ARGS__;                                                                                                           \
        return context ? 1 : weir_run_send(call, f);                                                                               \
    }
OPERATOR(blur, weir_run_message(call), f->raw[i] = i / 40 * 97 + 8 * call->execution, f->soft[i] = (f->raw[i] + f->raw[i - 1]) / 2)
OPERATOR(edges, weir_run_message_from(call, "blur"), f->edges[i] = abs(f->soft[i] - f->soft[i - WIDTH]) > 40)
OPERATOR(motion, weir_run_message_from(call, "blur"), f->moving[i] = abs(f->soft[i] - last.soft[i]) > 5, last.soft[i] = f->soft[i])
OPERATOR(fuse, weir_run_message_from(call, "edges"), f->marked[i] = f->edges[i] && f->moving[i])
OPERATOR(show, weir_run_message_from(call, "fuse"), f->shown[i] = f->marked[i] ? 255 : f->raw[i])

int main(int argc, char **argv)
{
    const char text[] =
        "{unit: us, operators: {blur: 999, edges: 999, motion: 999, fuse: 999, show: 999}, source: {operator: blur, "
        "period: 10000}, queues: [blur -> edges, blur -> motion, edges -> fuse, motion -> fuse, fuse -> show]}";
    struct weir_trial_function f[] = {
        {"blur", blur, NULL}, {"edges", edges, NULL}, {"motion", motion, NULL}, {"fuse", fuse, NULL}, {"show", show, NULL}};
    struct weir_trial_options how = {.functions = f, .function_count = 5, .policy = WEIR_RUN_FIFO, .title = "camera"};
    how.run = (struct weir_run_options){.iterations = argc > 1 ? atoll(argv[1]) : 10000, .message_bytes = sizeof(struct frame)};
    struct weir_trial_times times = {.iterations = 300, .tail = 1000000, .margin_permille = 200, .wake_ups = true};
    struct weir_pipeline *p = NULL;
    struct weir_trial *t = NULL;
    struct weir_error e = {.message = ""};
    bool bad = weir_read_memory(text, sizeof text - 1, "text", NULL, &p, NULL) || weir_trial_rehearse(p, &how, &times, &t, &e) ||
               weir_trial_run(t, &e) || weir_answer_write_text(weir_trial_answer(t), NULL, stdout, &e) ||
               weir_answer_verdict(weir_trial_answer(t)) != WEIR_VERDICT_GOOD;
    fputs(e.message, stderr);
    weir_trial_free(t);
    weir_pipeline_free(p);
    return bad;
}
