/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs kernels as `weir convert MODEL -o FILE.plan` planned them: a CUDA graph in which each kernel is launched in a green context
 * with the SMs that the plan gives it. This header is all there is to it: it needs NVIDIA's driver (12.5 or newer) at run time and
 * -ldl, and nothing of weir. C99 or C++, and beside the CUDA runtime, whose context it uses.
 *
 *     struct weir_plan plan;
 *     weir_cu_handle graph;                                  // a CUgraphExec
 *     if (weir_plan_read_file(&plan, "app.plan") || weir_plan_open(&plan, 0) ||
 *         weir_plan_set(&plan, "debayer", &work) || ... ||   // a kernel of the application: or all of them from an object,
 *         weir_plan_load(&plan, "kernels.cubin") ||          // with the shapes and arguments that the plan has
 *         weir_plan_build(&plan, &graph))
 *         fprintf(stderr, "%s\n", plan.error);
 *     plan.cu.graph_launch(graph, stream);
 *
 * Every function returns 0, or -1 with the reason in plan.error. What the bound of the plan rests on: kernels are those that were
 * measured, nothing else uses the GPU, and none of them launches others.
 */
#ifndef WEIR_GPU_PLAN_H
#define WEIR_GPU_PLAN_H

#include "weir_gpu_plan_file.h"

/* ---------------------------------------------------------------- the device */

/* The device in parts of `step` SMs. */
WEIR_GPU_CALL int weir_plan_divide(struct weir_plan *plan)
{
    struct weir_cu_resource all;
    unsigned wanted, count = 0, flags = 0;
    memset(&all, 0, sizeof all);
    if (weir_plan_check(plan, plan->cu.device_resource(plan->device, &all, WEIR_CU_RESOURCE_SM), "asking for the SMs"))
        return -1;
    plan->device_sms = all.of.sm.sms;
    if (!plan->step)
        plan->step = all.of.sm.aligned > all.of.sm.least ? all.of.sm.aligned : all.of.sm.least;
    if (!plan->sms) {
        flags = plan->step < all.of.sm.least || plan->step % all.of.sm.aligned ? WEIR_CU_SPLIT_SINGLE : 0;
        if (weir_plan_check(plan, plan->cu.resource_split(NULL, &count, &all, NULL, flags, plan->step), "dividing the SMs"))
            return -1;
        plan->sms = count * plan->step;
        flags = 0;
    }
    wanted = plan->sms / plan->step;
    if (wanted == 0 || all.of.sm.sms < plan->sms)
        return weir_plan_fail(plan, "the plan is for %u SMs, and the device has %u", plan->sms, all.of.sm.sms);
    plan->parts = (struct weir_cu_resource *)calloc(wanted + 1, sizeof *plan->parts);
    if (!plan->parts)
        return weir_plan_fail(plan, "out of memory");
    for (; flags <= WEIR_CU_SPLIT_SINGLE; flags++) {
        count = wanted;
        if (plan->cu.resource_split(plan->parts, &count, &all, NULL, flags, plan->step) == 0 && count == wanted &&
            plan->parts[0].of.sm.sms == plan->step)
            break;
    }
    if (flags > WEIR_CU_SPLIT_SINGLE)
        return weir_plan_fail(plan,
                              "the device cannot be divided into %u parts of %u SMs: a green context has at least %u, in "
                              "steps of %u",
                              wanted, plan->step, all.of.sm.least, all.of.sm.aligned);
    plan->part_count = wanted;
    return 0;
}

/* The green context with these parts, made when it is first asked for. */
WEIR_GPU_CALL int weir_plan_find_context(struct weir_plan *plan, struct weir_plan_list units, struct weir_plan_context **result)
{
    struct weir_plan_context made;
    weir_cu_handle description = NULL;
    struct weir_cu_resource *parts;
    for (size_t i = 0; i < plan->context_count; i++) {
        const struct weir_plan_list *other = &plan->contexts[i].units;
        if (other->count == units.count &&
            memcmp(plan->numbers + other->first, plan->numbers + units.first, units.count * sizeof *plan->numbers) == 0) {
            *result = &plan->contexts[i];
            return 0;
        }
    }
    memset(&made, 0, sizeof made);
    made.units = units;
    parts = (struct weir_cu_resource *)calloc(units.count + 1, sizeof *parts);
    if (!parts || weir_plan_room(plan, &plan->contexts, plan->context_count, sizeof made)) {
        free(parts);
        return weir_plan_fail(plan, "out of memory");
    }
    for (size_t i = 0; i < units.count; i++)
        parts[i] = plan->parts[plan->numbers[units.first + i]];
    int failed = weir_plan_check(plan, plan->cu.resource_describe(&description, parts, (unsigned)units.count), "choosing SMs") ||
                 weir_plan_check(plan, plan->cu.green_create(&made.green, description, plan->device, WEIR_CU_GREEN_DEFAULT),
                                 "making a green context") ||
                 weir_plan_check(plan, plan->cu.green_context(&made.context, made.green), "making a green context");
    free(parts);
    if (failed)
        return -1;
    plan->contexts[plan->context_count] = made;
    *result = &plan->contexts[plan->context_count++];
    return 0;
}

/* ... and the one with the parts from `first` on, `count` of them. */
WEIR_GPU_CALL int weir_plan_find_range(struct weir_plan *plan, size_t first, size_t count, struct weir_plan_context **result)
{
    struct weir_plan_list units;
    size_t contexts = plan->context_count;
    units.first = plan->number_count;
    units.count = count;
    for (size_t i = 0; i < count; i++) {
        if (weir_plan_room(plan, &plan->numbers, plan->number_count, sizeof *plan->numbers))
            return -1;
        plan->numbers[plan->number_count++] = (unsigned)(first + i);
    }
    if (weir_plan_find_context(plan, units, result))
        return -1;
    if (plan->context_count == contexts)
        plan->number_count = units.first; /* it was there */
    return 0;
}

WEIR_GPU_CALL int weir_plan_fill(struct weir_plan *plan, struct weir_plan_buffer *buffer)
{
    size_t bytes = buffer->bytes, got = bytes;
    uint64_t random = UINT64_C(88172645463325252) + bytes;
    int failed;
    char *text = strcmp(buffer->fill, "file") == 0 ? weir_plan_slurp(plan, buffer->file, &got) : (char *)calloc(1, bytes + 8);
    if (!text)
        return plan->error[0] ? -1 : weir_plan_fail(plan, "out of memory");
    if (got < bytes) {
        free(text);
        return weir_plan_fail(plan, "%.300s has %zu bytes, and the buffer %zu", buffer->file, got, bytes);
    }
    for (size_t i = 0; (buffer->fill[0] == 'b' || buffer->fill[1] == 'l') && i + 4 <= bytes; i += 4) {
        float value;
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        value = (float)(random >> 40) / 16777216.0F;
        memcpy(text + i, buffer->fill[0] == 'b' ? (void *)&random : (void *)&value, 4);
    }
    failed = weir_plan_check(plan, plan->cu.memory_allocate(&buffer->address, bytes), "taking memory for a buffer") ||
             weir_plan_check(plan, plan->cu.memory_write(buffer->address, text, bytes), "filling a buffer");
    free(text);
    return failed;
}

/* Opens the device, divides it as the plan does and fills the buffers of the plan. */
WEIR_GPU_CALL int weir_plan_open(struct weir_plan *plan, int ordinal)
{
    weir_cu_handle context = NULL;
    int version = 0;
    if (weir_cu_open(&plan->cu, plan->error, sizeof plan->error) || weir_plan_check(plan, plan->cu.init(0), "starting the driver"))
        return -1;
    if (!weir_cu_is_new(&plan->cu)) {
        plan->cu.driver_version(&version);
        return weir_plan_fail(plan, "the driver is for CUDA %d.%d, and green contexts need 12.5", version / 1000,
                              version % 1000 / 10);
    }
    if (weir_plan_check(plan, plan->cu.device_get(&plan->device, ordinal), "looking for the device") ||
        weir_plan_check(plan, plan->cu.context_retain(&context, plan->device), "opening the device") ||
        weir_plan_check(plan, plan->cu.context_set(context), "opening the device") || weir_plan_divide(plan))
        return -1;
    for (size_t i = 0; i < plan->buffer_count; i++)
        if (weir_plan_fill(plan, &plan->buffers[i]))
            return -1;
    plan->opened = 1;
    return 0;
}

/* ---------------------------------------------------------------- kernels */

WEIR_GPU_CALL uint64_t weir_plan_field(const char *at, unsigned bytes)
{
    uint64_t value = 0;
    memcpy(&value, at, bytes); /* devices of NVIDIA are on hosts that store the least byte first */
    return value;
}

WEIR_GPU_CALL int weir_plan_load_image(struct weir_plan *plan, const void *image, const char *path)
{
    weir_cu_handle library = NULL;
    if (weir_plan_room(plan, &plan->libraries, plan->library_count, sizeof library) ||
        weir_plan_check(plan, plan->cu.library_load(&library, image, NULL, NULL, 0, NULL, NULL, 0), path))
        return -1;
    plan->libraries[plan->library_count++] = library;
    return 0;
}

/* What nvcc puts into an object, a shared object or a program: the section .nv_fatbin, with one image after the other. */
WEIR_GPU_CALL int weir_plan_load_host(struct weir_plan *plan, const char *elf, size_t bytes, const char *path)
{
    const uint64_t magic = 0xBA55ED50U;
    uint64_t table = weir_plan_field(elf + 40, 8), size = weir_plan_field(elf + 58, 2), count = weir_plan_field(elf + 60, 2);
    uint64_t names = weir_plan_field(elf + 62, 2), before = plan->library_count;
    if (size < 64 || table > bytes || count * size > bytes - table || names >= count)
        return weir_plan_fail(plan, "%.300s: not an ELF file that can be read", path);
    names = weir_plan_field(elf + table + names * size + 24, 8);
    for (uint64_t i = 0; i < count; i++) {
        const char *section = elf + table + i * size;
        uint64_t name = names + weir_plan_field(section, 4), at = weir_plan_field(section + 24, 8);
        uint64_t end = at + weir_plan_field(section + 32, 8);
        if (name > bytes || bytes - name < 12 || memcmp(elf + name, ".nv_fatbin", 11) != 0 || at > end || end > bytes)
            continue;
        while (end - at >= 16) {
            uint64_t all = weir_plan_field(elf + at + 6, 2) + weir_plan_field(elf + at + 8, 8);
            if (weir_plan_field(elf + at, 4) != magic || all < 16 || all > end - at) {
                at += 8;
                continue;
            }
            if (weir_plan_load_image(plan, elf + at, path))
                return -1;
            at += (all + 7) / 8 * 8;
            if (at > end)
                break;
        }
    }
    return plan->library_count > before ? 0 : weir_plan_fail(plan, "%.300s holds no device code", path);
}

/* `_Z7debayerPKfPf` is a `debayer`. */
WEIR_GPU_CALL int weir_plan_is_mangled(const char *symbol, const char *name)
{
    size_t length = strlen(name);
    char *end;
    return strncmp(symbol, "_Z", 2) == 0 && strtoul(symbol + 2, &end, 10) == length && strncmp(end, name, length) == 0;
}

/* By its symbol, or by its plain name where only one has that. */
WEIR_GPU_CALL int weir_plan_find(struct weir_plan *plan, struct weir_plan_kernel *kernel, const char *path)
{
    char known[200] = "";
    unsigned found = 0;
    for (size_t i = 0; i < plan->library_count; i++)
        if (plan->cu.library_kernel(&kernel->kernel, plan->libraries[i], kernel->entry) == 0)
            return 0;
    kernel->kernel = NULL;
    for (size_t i = 0; plan->cu.library_kernels && plan->cu.kernel_name && i < plan->library_count; i++) {
        unsigned count = 0;
        plan->cu.library_count(&count, plan->libraries[i]);
        weir_cu_handle *all = (weir_cu_handle *)calloc(count + 1, sizeof *all);
        if (all && plan->cu.library_kernels(all, count, plan->libraries[i]) != 0)
            count = 0;
        for (unsigned k = 0; all && k < count; k++) {
            const char *symbol = "";
            size_t used = strlen(known);
            plan->cu.kernel_name(&symbol, all[k]);
            if (weir_plan_is_mangled(symbol, kernel->entry)) {
                kernel->kernel = all[k];
                found++;
            }
            snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", symbol);
        }
        free(all);
    }
    if (found > 1)
        return weir_plan_fail(plan, "kernel \"%.80s\": \"%.80s\" is ambiguous in %.100s, which has %s: give the symbol",
                              kernel->name, kernel->entry, path, known);
    if (!found)
        return weir_plan_fail(plan, "kernel \"%.80s\": %.100s has no \"%.80s\"%s%s", kernel->name, path, kernel->entry,
                              *known ? "; it has " : "", known);
    return 0;
}

/* As many arguments as it takes, each of the right size. */
WEIR_GPU_CALL int weir_plan_check_arguments(struct weir_plan *plan, const struct weir_plan_kernel *kernel)
{
    const weir_cu_result none = 1; /* there is no such parameter; any other answer says nothing */
    weir_cu_result result = 0;
    size_t index = 0, offset = 0, bytes = 0;
    for (size_t k = 0; plan->cu.kernel_parameter && result == 0 && k < plan->argument_count; k++) {
        const struct weir_plan_argument *a = &plan->arguments[k];
        if (&plan->kernels[a->kernel] != kernel)
            continue;
        result = plan->cu.kernel_parameter(kernel->kernel, index++, &offset, &bytes);
        if (result == none)
            return weir_plan_fail(plan, "kernel \"%.100s\" takes %zu argument%s, and %zu are given", kernel->name, index - 1,
                                  index == 2 ? "" : "s", kernel->argument_count);
        if (result == 0 && bytes != a->bytes)
            return weir_plan_fail(plan, "kernel \"%.100s\": argument %zu has %zu bytes, and %u are given", kernel->name, index,
                                  bytes, a->bytes);
    }
    if (plan->cu.kernel_parameter && result == 0 && plan->cu.kernel_parameter(kernel->kernel, index, &offset, &bytes) == 0)
        return weir_plan_fail(plan, "kernel \"%.100s\" takes more than the %zu argument%s given", kernel->name, index,
                              index == 1 ? "" : "s");
    return 0;
}

WEIR_GPU_CALL int weir_plan_claim_shared(struct weir_plan *plan, const struct weir_plan_kernel *kernel)
{
    if (kernel->shared <= 48 * 1024)
        return 0;
    return weir_plan_check(plan, plan->cu.kernel_set(WEIR_CU_FUNCTION_SHARED, (int)kernel->shared, kernel->kernel, plan->device),
                           kernel->name);
}

/* All kernels that the application has not set, from a cubin, PTX, a fatbin, or whatever nvcc has put device code into. */
WEIR_GPU_CALL int weir_plan_load(struct weir_plan *plan, const char *path)
{
    size_t bytes = 0;
    int failed;
    char *image = weir_plan_slurp(plan, path, &bytes);
    if (!image)
        return -1;
    if (bytes >= 64 && memcmp(image, "\177ELF", 4) == 0 && weir_plan_field(image + 18, 2) != 190) /* 190: of a GPU */
        failed = weir_plan_load_host(plan, image, bytes, path);
    else
        failed = weir_plan_load_image(plan, image, path);
    free(image);
    for (size_t i = 0; !failed && i < plan->kernel_count; i++) {
        struct weir_plan_kernel *kernel = &plan->kernels[i];
        if (!kernel->kernel)
            failed = weir_plan_find(plan, kernel, path) || weir_plan_check_arguments(plan, kernel) ||
                     weir_plan_claim_shared(plan, kernel);
    }
    return failed ? -1 : 0;
}

/* A kernel of the application for the one of the plan with that name. */
WEIR_GPU_CALL int weir_plan_set(struct weir_plan *plan, const char *name, const struct weir_plan_work *work)
{
    for (size_t i = 0; i < plan->kernel_count; i++) {
        struct weir_plan_kernel *kernel = &plan->kernels[i];
        if (strcmp(kernel->name, name) != 0)
            continue;
        if (kernel->own)
            free(kernel->arguments);
        kernel->own = 0;
        kernel->kernel = work->kernel;
        kernel->arguments = work->arguments;
        kernel->shared = work->shared;
        memcpy(kernel->grid, work->grid, sizeof kernel->grid);
        memcpy(kernel->block, work->block, sizeof kernel->block);
        return weir_plan_claim_shared(plan, kernel);
    }
    return weir_plan_fail(plan, "the plan has no kernel \"%.300s\"", name);
}

/* ---------------------------------------------------------------- the graph */

struct weir_plan_node {
    weir_cu_handle context; /* NULL: that which is current, with all SMs */
    const weir_cu_handle *after;
    size_t count;
};

WEIR_GPU_CALL int weir_plan_add_kernel(struct weir_plan *plan, weir_cu_handle graph, const struct weir_plan_kernel *kernel,
                                       const struct weir_plan_node *node, weir_cu_handle *made)
{
    struct weir_cu_node p;
    memset(&p, 0, sizeof p);
    p.kernel = kernel->kernel;
    p.context = node->context;
    p.grid_x = kernel->grid[0], p.grid_y = kernel->grid[1], p.grid_z = kernel->grid[2];
    p.block_x = kernel->block[0], p.block_y = kernel->block[1], p.block_z = kernel->block[2];
    p.shared = kernel->shared;
    p.arguments = kernel->arguments;
    if (!p.kernel)
        return weir_plan_fail(plan, "kernel \"%.300s\" of the plan was neither set nor loaded", kernel->name);
    return weir_plan_check(plan, plan->cu.graph_kernel_in(made, graph, node->after, node->count, &p), kernel->name);
}

/* Adds the launches of the plan to a graph, where what waits for nothing waits for `first` (may be NULL); nodes[launch_count] are
 * theirs. Without `green` each launch has all SMs of the plan, and waits only for what the model says: the graph that there would
 * be without a plan. */
WEIR_GPU_CALL int weir_plan_add(struct weir_plan *plan, weir_cu_handle graph, weir_cu_handle first, int green,
                                weir_cu_handle *nodes)
{
    weir_cu_handle *after = (weir_cu_handle *)calloc(plan->launch_count + 1, sizeof *after);
    struct weir_plan_context *context = NULL;
    int failed = after ? 0 : weir_plan_fail(plan, "out of memory");
    if (!failed && !green && plan->device_sms >= plan->sms + plan->step) /* more than what no part could be made of */
        failed = weir_plan_find_range(plan, 0, plan->part_count, &context);
    for (size_t i = 0; !failed && i < plan->launch_count; i++) {
        const struct weir_plan_launch *launch = &plan->launches[i];
        const struct weir_plan_list *waits = green ? &launch->after : &launch->needs;
        struct weir_plan_node node;
        memset(&node, 0, sizeof node);
        for (; node.count < waits->count; node.count++)
            after[node.count] = nodes[plan->numbers[waits->first + node.count]];
        if (!node.count && first)
            after[node.count++] = first;
        if (green)
            failed = weir_plan_find_context(plan, launch->units, &context);
        node.after = after;
        node.context = context ? context->context : NULL;
        if (!failed)
            failed = weir_plan_add_kernel(plan, graph, &plan->kernels[launch->kernel], &node, &nodes[i]);
    }
    free(after);
    return failed;
}

/* An executable graph of the plan and nothing else: a CUgraphExec. */
WEIR_GPU_CALL int weir_plan_build(struct weir_plan *plan, weir_cu_handle *executable)
{
    weir_cu_handle graph = NULL, *nodes = (weir_cu_handle *)calloc(plan->launch_count + 1, sizeof *nodes);
    int failed = !nodes ? weir_plan_fail(plan, "out of memory")
                        : weir_plan_check(plan, plan->cu.graph_create(&graph, 0), "making a graph") ||
                              weir_plan_add(plan, graph, NULL, 1, nodes) ||
                              weir_plan_check(plan, plan->cu.graph_instantiate(executable, graph, 0), "instantiating the graph");
    if (graph)
        plan->cu.graph_destroy(graph);
    free(nodes);
    return failed ? -1 : 0;
}

/* A node of one thread that notes the device's clock, in nanoseconds, at an address: to see from the device how long it takes from
 * one to the other. Where `gate` is not 0 it waits, for 2 s at most, until the host has written there: so that all of a graph is on
 * the device before it begins. */
struct weir_plan_mark {
    weir_cu_address at, gate;
};

WEIR_GPU_CALL int weir_plan_add_mark(struct weir_plan *plan, weir_cu_handle graph, const struct weir_plan_node *node,
                                     struct weir_plan_mark where, weir_cu_handle *made)
{
    static const char ptx[] = ".version 6.3\n.target sm_70\n.address_size 64\n"
                              ".visible .entry weir_mark(.param .u64 at, .param .u64 gate)\n{\n"
                              "  .reg .pred %p<4>;\n  .reg .b32 %r<2>;\n  .reg .b64 %d<8>;\n"
                              "  ld.param.u64 %d0, [at];\n  ld.param.u64 %d1, [gate];\n  mov.u64 %d2, %globaltimer;\n"
                              "  setp.eq.u64 %p0, %d1, 0;\n  @%p0 bra done;\n"
                              "wait:\n"
                              "  ld.volatile.global.u32 %r0, [%d1];\n  setp.ne.u32 %p1, %r0, 0;\n  @%p1 bra done;\n"
                              "  mov.u64 %d3, %globaltimer;\n  sub.u64 %d4, %d3, %d2;\n  setp.lt.u64 %p2, %d4, 2000000000;\n"
                              "  @%p2 bra wait;\n"
                              "done:\n"
                              "  mov.u64 %d5, %globaltimer;\n  st.global.u64 [%d0], %d5;\n"
                              "  ret;\n}\n";
    weir_cu_handle library = NULL;
    void *arguments[2];
    struct weir_plan_kernel mark;
    memset(&mark, 0, sizeof mark);
    arguments[0] = &where.at;
    arguments[1] = &where.gate;
    if (!plan->mark &&
        (weir_plan_check(plan, plan->cu.library_load(&library, ptx, NULL, NULL, 0, NULL, NULL, 0), "loading marks") ||
         weir_plan_check(plan, plan->cu.library_kernel(&plan->mark, library, "weir_mark"), "loading marks")))
        return -1;
    mark.name = "mark";
    mark.kernel = plan->mark;
    mark.grid[0] = mark.grid[1] = mark.grid[2] = mark.block[0] = mark.block[1] = mark.block[2] = 1;
    mark.arguments = arguments;
    return weir_plan_add_kernel(plan, graph, &mark, node, made);
}

/* Waits for a stream, but not for ever. */
WEIR_GPU_CALL int weir_plan_wait(struct weir_plan *plan, weir_cu_handle stream, double limit_s)
{
    weir_cu_result result;
    time_t begin = time(NULL);
    while ((result = plan->cu.stream_query(stream)) == WEIR_CU_NOT_READY)
        if (difftime(time(NULL), begin) > limit_s)
            return weir_plan_fail(plan, "the device has not finished after %.0f s", limit_s);
    return weir_plan_check(plan, result, "running");
}

/* Frees what the plan holds on the host. Graphs, contexts and buffers stay until the process ends. */
WEIR_GPU_CALL void weir_plan_close(struct weir_plan *plan)
{
    for (size_t i = 0; i < plan->kernel_count; i++)
        if (plan->kernels[i].own)
            free(plan->kernels[i].arguments);
    free(plan->text);
    free(plan->buffers);
    free(plan->arguments);
    free(plan->kernels);
    free(plan->launches);
    free(plan->contexts);
    free(plan->libraries);
    free(plan->numbers);
    free(plan->parts);
    memset(plan, 0, sizeof *plan);
}

#endif
