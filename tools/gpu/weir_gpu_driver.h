/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interface of NVIDIA's driver, as far as plans need it: declared here and found at run time, so that what includes this
 * compiles where no CUDA is installed, and links with nothing but -ldl. C99 or C++.
 */
#ifndef WEIR_GPU_DRIVER_H
#define WEIR_GPU_DRIVER_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#if defined(__GNUC__)
#define WEIR_GPU_CALL __attribute__((unused)) static inline
#else
#define WEIR_GPU_CALL static inline
#endif

typedef int weir_cu_result;
typedef void *weir_cu_handle;
typedef uint64_t weir_cu_address;

/* CUDA_KERNEL_NODE_PARAMS. `kernel` and `context` count where `function` is NULL, and only for graph_kernel_in. */
struct weir_cu_node {
    weir_cu_handle function;
    unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, shared;
    void **arguments, **extra;
    weir_cu_handle kernel, context;
};

/* CUdevResource, of SMs. */
struct weir_cu_resource {
    int type;
    unsigned char inside[92];
    union {
        struct {
            unsigned sms, least, aligned; /* how many; the fewest that can be had, and in which steps */
        } sm;
        uint64_t oversize[6];
    } of;
};

enum {
    WEIR_CU_CLOCK_KHZ = 13, /* attributes of devices */
    WEIR_CU_SMS = 16,
    WEIR_CU_L2_BYTES = 38,
    WEIR_CU_MAJOR = 75,
    WEIR_CU_MINOR = 76,
    WEIR_CU_SHARED_PER_SM = 81,
    WEIR_CU_SHARED_OPTIN = 97,
    WEIR_CU_FUNCTION_SHARED = 8, /* an attribute of functions: the most dynamic shared memory */
    WEIR_CU_NOT_READY = 600,
    WEIR_CU_HOST_MAPPED = 2,
    WEIR_CU_RESOURCE_SM = 1,
    WEIR_CU_SPLIT_SINGLE = 1, /* SMs one by one, whatever cluster they are of */
    WEIR_CU_GREEN_DEFAULT = 1,
};

/* EACH(name, symbol, parameters) for what every driver since 11.4 has. */
#define WEIR_CU_OLD(EACH)                                                                                                          \
    EACH(init, cuInit, (unsigned flags))                                                                                           \
    EACH(device_get, cuDeviceGet, (int *device, int ordinal))                                                                      \
    EACH(device_name, cuDeviceGetName, (char *name, int bytes, int device))                                                        \
    EACH(device_attribute, cuDeviceGetAttribute, (int *value, int attribute, int device))                                          \
    EACH(driver_version, cuDriverGetVersion, (int *version))                                                                       \
    EACH(context_retain, cuDevicePrimaryCtxRetain, (weir_cu_handle * context, int device))                                         \
    EACH(context_set, cuCtxSetCurrent, (weir_cu_handle context))                                                                   \
    EACH(module_load, cuModuleLoadData, (weir_cu_handle * module, const void *image))                                              \
    EACH(module_function, cuModuleGetFunction, (weir_cu_handle * function, weir_cu_handle module, const char *name))               \
    EACH(function_set, cuFuncSetAttribute, (weir_cu_handle function, int attribute, int value))                                    \
    EACH(occupancy, cuOccupancyMaxActiveBlocksPerMultiprocessor,                                                                   \
         (int *blocks, weir_cu_handle function, int threads, size_t shared))                                                       \
    EACH(memory_allocate, cuMemAlloc_v2, (weir_cu_address * address, size_t bytes))                                                \
    EACH(memory_read, cuMemcpyDtoH_v2, (void *to, weir_cu_address from, size_t bytes))                                             \
    EACH(host_allocate, cuMemHostAlloc, (void **memory, size_t bytes, unsigned flags))                                             \
    EACH(host_address, cuMemHostGetDevicePointer_v2, (weir_cu_address * address, void *memory, unsigned flags))                    \
    EACH(stream_create, cuStreamCreate, (weir_cu_handle * stream, unsigned flags))                                                 \
    EACH(stream_create_priority, cuStreamCreateWithPriority, (weir_cu_handle * stream, unsigned flags, int priority))              \
    EACH(stream_query, cuStreamQuery, (weir_cu_handle stream))                                                                     \
    EACH(launch, cuLaunchKernel,                                                                                                   \
         (weir_cu_handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,          \
          unsigned block_z, unsigned shared, weir_cu_handle stream, void **arguments, void **extra))                               \
    EACH(graph_create, cuGraphCreate, (weir_cu_handle * graph, unsigned flags))                                                    \
    EACH(graph_kernel, cuGraphAddKernelNode,                                                                                       \
         (weir_cu_handle * node, weir_cu_handle graph, const weir_cu_handle *after, size_t count,                                  \
          const struct weir_cu_node *parameters))                                                                                  \
    EACH(graph_empty, cuGraphAddEmptyNode,                                                                                         \
         (weir_cu_handle * node, weir_cu_handle graph, const weir_cu_handle *after, size_t count))                                 \
    EACH(graph_instantiate, cuGraphInstantiateWithFlags,                                                                           \
         (weir_cu_handle * executable, weir_cu_handle graph, unsigned long long flags))                                            \
    EACH(graph_upload, cuGraphUpload, (weir_cu_handle executable, weir_cu_handle stream))                                          \
    EACH(graph_launch, cuGraphLaunch, (weir_cu_handle executable, weir_cu_handle stream))                                          \
    EACH(graph_destroy, cuGraphDestroy, (weir_cu_handle graph))                                                                    \
    EACH(executable_destroy, cuGraphExecDestroy, (weir_cu_handle executable))                                                      \
    EACH(error_name, cuGetErrorName, (weir_cu_result result, const char **name))

/* ... and for what came with green contexts, in 12.4; NULL where the driver is older. */
#define WEIR_CU_NEW(EACH)                                                                                                          \
    EACH(memory_write, cuMemcpyHtoD_v2, (weir_cu_address to, const void *from, size_t bytes))                                      \
    EACH(memory_free, cuMemFree_v2, (weir_cu_address address))                                                                     \
    EACH(memory_info, cuMemGetInfo_v2, (size_t * unused, size_t * all))                                                            \
    EACH(library_load, cuLibraryLoadData,                                                                                          \
         (weir_cu_handle * library, const void *image, int *jit, void **jit_values, unsigned jit_count, int *option,               \
          void **option_values, unsigned option_count))                                                                            \
    EACH(library_kernel, cuLibraryGetKernel, (weir_cu_handle * kernel, weir_cu_handle library, const char *name))                  \
    EACH(library_count, cuLibraryGetKernelCount, (unsigned *count, weir_cu_handle library))                                        \
    EACH(library_kernels, cuLibraryEnumerateKernels, (weir_cu_handle * kernels, unsigned count, weir_cu_handle library))           \
    EACH(kernel_name, cuKernelGetName, (const char **name, weir_cu_handle kernel))                                                 \
    EACH(kernel_set, cuKernelSetAttribute, (int attribute, int value, weir_cu_handle kernel, int device))                          \
    EACH(kernel_parameter, cuKernelGetParamInfo, (weir_cu_handle kernel, size_t index, size_t * offset, size_t * bytes))           \
    EACH(graph_kernel_in, cuGraphAddKernelNode_v2,                                                                                 \
         (weir_cu_handle * node, weir_cu_handle graph, const weir_cu_handle *after, size_t count,                                  \
          const struct weir_cu_node *parameters))                                                                                  \
    EACH(device_resource, cuDeviceGetDevResource, (int device, struct weir_cu_resource *resource, int type))                       \
    EACH(resource_split, cuDevSmResourceSplitByCount,                                                                              \
         (struct weir_cu_resource * groups, unsigned *count, const struct weir_cu_resource *input, struct weir_cu_resource *rest,  \
          unsigned flags, unsigned least))                                                                                         \
    EACH(resource_describe, cuDevResourceGenerateDesc,                                                                             \
         (weir_cu_handle * description, struct weir_cu_resource * resources, unsigned count))                                      \
    EACH(green_create, cuGreenCtxCreate, (weir_cu_handle * green, weir_cu_handle description, int device, unsigned flags))         \
    EACH(green_context, cuCtxFromGreenCtx, (weir_cu_handle * context, weir_cu_handle green))                                       \
    EACH(green_stream, cuGreenCtxStreamCreate, (weir_cu_handle * stream, weir_cu_handle green, unsigned flags, int priority))

#define WEIR_CU_FIELD(name, symbol, parameters) weir_cu_result(*name) parameters;
struct weir_cu {
    WEIR_CU_OLD(WEIR_CU_FIELD)
    WEIR_CU_NEW(WEIR_CU_FIELD)
};
#undef WEIR_CU_FIELD

/* 0, or -1 with the reason in `error`. */
WEIR_GPU_CALL int weir_cu_open(struct weir_cu *cu, char *error, size_t bytes)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW), *found;
    const char *missing = NULL;
    if (!library) {
        snprintf(error, bytes, "there is no CUDA driver here: %s", dlerror());
        return -1;
    }
#define WEIR_CU_FIND(name, symbol, parameters)                                                                                     \
    found = dlsym(library, #symbol);                                                                                               \
    memcpy(&cu->name, &found, sizeof found);                                                                                       \
    missing = found ? missing : #symbol;
    WEIR_CU_NEW(WEIR_CU_FIND)
    missing = NULL;
    WEIR_CU_OLD(WEIR_CU_FIND)
#undef WEIR_CU_FIND
    if (missing)
        snprintf(error, bytes, "the CUDA driver has no %s; 11.4 or newer is needed", missing);
    return missing ? -1 : 0;
}

/* Whether it knows green contexts. */
WEIR_GPU_CALL int weir_cu_is_new(const struct weir_cu *cu)
{
    return cu->green_stream && cu->green_create && cu->resource_split && cu->graph_kernel_in && cu->library_load;
}

/* 0 if all is well; -1 with what the driver says in `error`. */
WEIR_GPU_CALL int weir_cu_failed(const struct weir_cu *cu, weir_cu_result result, const char *what, char error[512])
{
    const char *name = NULL;
    if (result == 0)
        return 0;
    if (cu->error_name)
        cu->error_name(result, &name);
    snprintf(error, 512, "%.300s: the driver says %s (%d)", what, name ? name : "error", result);
    return -1;
}

#endif
