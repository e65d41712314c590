/* SPDX-License-Identifier: Apache-2.0 */
/* The graphs that CUDA writes, with times for the kernels of the corpus. Start it in a copy of corpus/cuda, with cuda.dict. */
#include "read_once.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* The path of the times, written once. */
static const char *times_path(void)
{
    static const char text[] = "kernel,sms,time_us,load_us,splittable\n"
                               "scale,1,40,,\nscale,2,21,,\n_Z6reduceIfLi32EEvPT_PKS0_,132,5,,\nreduce,,6.5,,\n"
                               "net::conv2d,,,700,true\nmemcpy,1,3,,\nmemset,,2ns,,\nhost,1,0,,\n0,,1,,\n1,,2,,\n";
    static char path[32];
    FILE *file = *path ? NULL : tmpfile();
    if (file) {
        if (fwrite(text, 1, sizeof text - 1, file) != sizeof text - 1 || fflush(file) != 0)
            abort();
        snprintf(path, sizeof path, "/dev/fd/%d", fileno(file));
    }
    return path;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const struct weir_read_options options = {.sms = 132, .kernel_times = times_path(), .launch_overhead = "1.5us"};
    weir_fuzz_read(bytes, size, &options);
    return 0;
}
