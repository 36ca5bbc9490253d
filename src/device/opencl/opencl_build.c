#include "device/opencl/opencl_program.h"

#include "base/memory.h"
#include "device/limit.h"
#include "device/opencl/opencl_log.h"
#include "device/opencl/opencl_table.h"
#include "device/opencl_environment.h"

#include <string.h>

#define LEAST_SCRATCH 16 // OpenCL takes no local memory of 0 bytes

// What sedge_device_compile gives: this, then the table of kernels, then the driver's binary.
#define IMAGE_MAGIC "sedge opencl 1\n"

typedef struct image_header {
    char magic[16];
    int32_t kernels;
    int32_t table_bytes;
} image_header;

typedef struct opencl_entry {
    sedge_opencl_row row;  // of the module's table
    opencl_kernel *kernel; // NULL until asked for
    bool launched;         // at least once: OpenCL has read the environment for it
} opencl_entry;

typedef struct opencl_module {
    opencl_program *program;
    int count;
    opencl_entry *entries;
    char *table;
} opencl_module;

// ---- compiling ---------------------------------------------------------------------------------

static const char basic_options[] = "-cl-std=CL1.2 -cl-kernel-arg-info";

static sedge_status make_program(const sedge_opencl_state *state, opencl_program **program,
                                 const char *source)
{
    SEDGE_CL_MAKE(*program, clCreateProgramWithSource,
                  (state->context, 1, &source, NULL, &sedge_code), "%zu bytes", strlen(source));
    return SEDGE_OK;
}

// What a compiler at work reads and writes.
typedef struct build_call {
    opencl_program *program;
    opencl_device *device;
    char *options;
    int code;
} build_call;

// Of a program with errors PoCL's clang writes "1 error generated." to stderr, whatever it is
// asked: PoCL takes no -fno-caret-diagnostics, which would stop it, and turning stderr away
// meanwhile would also hide what other threads say. The messages themselves are in the program's
// log.
static void build_now(void *argument)
{
    build_call *const call = argument;

    call->code = sedge_opencl_driver_get()->clBuildProgram(call->program, 1, &call->device,
                                                           call->options, NULL, NULL);
}

// clBuildProgram within its time; `*code` is what it gives. `*program` is NULL afterwards where it
// still works on it.
static sedge_status run_build(int *code, const sedge_opencl_state *state, opencl_program **program,
                              const char *options)
{
    build_call *call = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&call, 1, sizeof *call));
    *call = (build_call){.program = *program, .device = state->device};
    SEDGE_TRY_GOTO(status, sedge_allocate(&call->options, (int64_t)strlen(options) + 1, 1));
    memcpy(call->options, options, strlen(options) + 1);
    status = sedge_limit_run("OpenCL's compiler", build_now, call);
    if (status != SEDGE_OK) {
        *program = NULL;
        return status;
    }
    *code = call->code;
done:
    if (call != NULL) sedge_release(call->options);
    sedge_release(call);
    return status;
}

// Multiplication and addition may be contracted, as on the other devices: OpenCL's default.
sedge_status sedge_opencl_options(const sedge_opencl_state *state, sedge_text *out)
{
    opencl_program *trial = NULL;
    int code = CL_SUCCESS;

    SEDGE_TRY(sedge_text_add(out, "%s", basic_options));
    if (state->has_exact_division)
        SEDGE_TRY(sedge_text_add(out, " -cl-fp32-correctly-rounded-divide-sqrt"));
    if (!sedge_debug_requested()) return SEDGE_OK;
    // Not in the specification, and yet most compilers take it.
    SEDGE_TRY(make_program(state, &trial, "__kernel void trial(long n) {}\n"));
    const sedge_status status = run_build(&code, state, &trial, "-g");
    if (trial != NULL) (void)sedge_opencl_driver_get()->clReleaseProgram(trial);
    SEDGE_TRY(status);
    return code == CL_SUCCESS ? sedge_text_add(out, " -g") : SEDGE_OK;
}

static sedge_status build(const sedge_device *device, opencl_program **work, const char *source,
                          const char *name, sedge_text *log)
{
    const sedge_opencl_state *const state = device->state;
    const char *const options = sedge_device_compile_options(device);
    const double began = sedge_clock();
    sedge_status status;
    sedge_text *printed = NULL;
    int code;

    SEDGE_TRY(run_build(&code, state, work, options));
    opencl_program *const program = *work;
    const sedge_status built = sedge_opencl_finish(__FILE__, __LINE__, "clBuildProgram", code,
                                                   began, "%s", name != NULL ? name : "source");
    if (built != SEDGE_OK && code != CL_BUILD_PROGRAM_FAILURE) return built;
    SEDGE_TRY(sedge_text_create(&printed));
    SEDGE_TRY_GOTO(status, sedge_opencl_log_read(printed, state, program, source));
    if (log != NULL) SEDGE_TRY_GOTO(status, sedge_text_add(log, "%s", sedge_text_get(printed)));
    status = built;
    if (built != SEDGE_OK && sedge_text_length(printed) > 0) {
        status = sedge_compile_failure(
            state->has_fp64 ? "OpenCL" : "OpenCL (this device does not compute in fp64)", name,
            sedge_text_get(printed));
    }
done:
    sedge_text_free(printed);
    return status;
}

static sedge_status get_binary(opencl_program *program, unsigned char *place, size_t bytes)
{
    SEDGE_CL(clGetProgramInfo, (program, CL_PROGRAM_BINARIES, sizeof place, (void *)&place, NULL),
             "binary of %zu bytes", bytes);
    return SEDGE_OK;
}

static sedge_status fill_image(const sedge_opencl_state *state, opencl_program *program,
                               sedge_text *table, void **out, size_t *length)
{
    sedge_status status;
    size_t kernels = 0;
    size_t binary = 0;
    unsigned char *image = NULL;

    SEDGE_CL(clGetProgramInfo, (program, CL_PROGRAM_NUM_KERNELS, sizeof kernels, &kernels, NULL),
             "kernels");
    SEDGE_TRY(sedge_opencl_table_write(table, state, program, kernels));
    SEDGE_CL(clGetProgramInfo, (program, CL_PROGRAM_BINARY_SIZES, sizeof binary, &binary, NULL),
             "size of the binary");
    const size_t rows = sedge_text_length(table);
    const image_header header = {
        .magic = IMAGE_MAGIC, .kernels = (int32_t)kernels, .table_bytes = (int32_t)rows};
    SEDGE_TRY(sedge_allocate(&image, (int64_t)(sizeof header + rows + binary), 1));
    memcpy(image, &header, sizeof header);
    memcpy(image + sizeof header, sedge_text_get(table), rows);
    SEDGE_TRY_GOTO(status, get_binary(program, image + sizeof header + rows, binary));
    *out = image;
    *length = sizeof header + rows + binary;
    image = NULL;
done:
    sedge_release(image);
    return status;
}

static sedge_status make_image(const sedge_opencl_state *state, opencl_program *program, void **out,
                               size_t *length)
{
    sedge_text *table = NULL;

    SEDGE_TRY(sedge_text_create(&table));
    const sedge_status status = fill_image(state, program, table, out, length);
    sedge_text_free(table);
    return status;
}

sedge_status sedge_opencl_compile(sedge_device *device, const char *source, const char *arch,
                                  const char *keep_name, void **out, size_t *length,
                                  sedge_text *log)
{
    sedge_status status;
    opencl_program *program = NULL;

    if (arch != NULL) {
        return SEDGE_FAIL(SEDGE_ERR_INTERNAL,
                          "the opencl device compiles for itself only, not for '%s'", arch);
    }
    SEDGE_TRY(sedge_keep_source(source, keep_name, "cl"));
    SEDGE_TRY(make_program(device->state, &program, source));
    SEDGE_TRY_GOTO(status, sedge_opencl_environment_begin());
    status = build(device, &program, source, keep_name, log);
    if (status == SEDGE_OK) status = make_image(device->state, program, out, length);
    // Not while an abandoned compiler reads the environment.
    if (program != NULL) sedge_opencl_environment_end();
done:
    if (program != NULL) {
        SEDGE_CL_QUIETLY(clReleaseProgram, (program), "'%s'",
                         keep_name != NULL ? keep_name : "source");
    }
    return status;
}

// ---- modules -----------------------------------------------------------------------------------

static sedge_status refuse_image(size_t length)
{
    return SEDGE_FAIL(SEDGE_ERR_DEVICE,
                      "these %zu bytes are not a program that the opencl device has compiled",
                      length);
}

// Let the entries point at the table's rows; false where it ends too early.
static bool read_table(opencl_module *module, size_t bytes)
{
    const char *at = module->table;

    for (int i = 0; i < module->count; i++)
        if (!sedge_opencl_table_next(&module->entries[i].row, &at, &bytes)) return false;
    return true;
}

static sedge_status load_program(const sedge_device *device, opencl_program **program,
                                 const unsigned char *binary, size_t length)
{
    const sedge_opencl_state *const state = device->state;
    int loaded = CL_SUCCESS;

    SEDGE_CL_MAKE(*program, clCreateProgramWithBinary,
                  (state->context, 1, &state->device, &length, &binary, &loaded, &sedge_code),
                  "%zu bytes", length);
    const double began = sedge_clock();
    int code;
    SEDGE_TRY(run_build(&code, state, program, ""));
    return sedge_opencl_finish(__FILE__, __LINE__, "clBuildProgram", code, began,
                               "binary of %zu bytes", length);
}

sedge_status sedge_opencl_module_load(sedge_device *device, void **module, const void *binary,
                                      size_t length)
{
    sedge_status status;
    const unsigned char *const bytes = binary;
    opencl_module *loaded = NULL;
    image_header header = {.magic = ""};

    if (length >= sizeof header) memcpy(&header, binary, sizeof header);
    if (memcmp(header.magic, IMAGE_MAGIC, sizeof header.magic) != 0 || header.kernels < 0 ||
        header.table_bytes < 0 || (size_t)header.table_bytes > length - sizeof header)
        return refuse_image(length);
    const size_t rows = (size_t)header.table_bytes;
    const size_t start = sizeof header + rows;
    SEDGE_TRY(sedge_allocate(&loaded, 1, sizeof *loaded));
    SEDGE_TRY_GOTO(status,
                   sedge_allocate(&loaded->entries, header.kernels, sizeof *loaded->entries));
    loaded->count = header.kernels;
    SEDGE_TRY_GOTO(status, sedge_allocate(&loaded->table, header.table_bytes, 1));
    memcpy(loaded->table, bytes + sizeof header, rows);
    if (!read_table(loaded, rows)) SEDGE_TRY_GOTO(status, refuse_image(length));
    SEDGE_TRY_GOTO(status, load_program(device, &loaded->program, bytes + start, length - start));
    *module = loaded;
    loaded = NULL;
done:
    if (loaded != NULL) sedge_opencl_module_free(device, loaded);
    return status;
}

void sedge_opencl_module_free(sedge_device *device, void *module)
{
    const sedge_opencl_driver *const driver = sedge_opencl_driver_get();
    opencl_module *const mine = module;

    (void)device;
    for (int i = 0; i < mine->count; i++) {
        if (mine->entries[i].kernel != NULL) (void)driver->clReleaseKernel(mine->entries[i].kernel);
    }
    if (mine->program != NULL) (void)driver->clReleaseProgram(mine->program);
    sedge_release(mine->table);
    sedge_release(mine->entries);
    sedge_release(mine);
}

// ---- kernels -----------------------------------------------------------------------------------

// Not traced when it goes well: a launch is one line.
static sedge_status set_parameter(const opencl_entry *entry, int index, size_t size,
                                  const void *value, int argument)
{
    const int code =
        sedge_opencl_driver_get()->clSetKernelArg(entry->kernel, (uint32_t)index, size, value);

    if (code == CL_SUCCESS) return SEDGE_OK;
    return sedge_opencl_finish(__FILE__, __LINE__, "clSetKernelArg", code, sedge_clock(),
                               "'%s', argument %d of %zu bytes", entry->row.name, argument + 1,
                               size);
}

static sedge_status set_first_parameters(const opencl_entry *entry, int count)
{
    const int64_t no_offset = 0;

    SEDGE_TRY(set_parameter(entry, 1, LEAST_SCRATCH, NULL, -1));
    for (int i = 0; i < count; i++) {
        const int at = SEDGE_CL_FIXED + SEDGE_CL_EACH * i;
        SEDGE_TRY(set_parameter(entry, at + 1, sizeof no_offset, &no_offset, i));
        SEDGE_TRY(set_parameter(entry, at + 2, sizeof(opencl_memory *), NULL, i));
    }
    return SEDGE_OK;
}

// A kernel that lacks parameters is none: the next one who asks gets the same failure.
static sedge_status make_kernel(opencl_program *program, opencl_entry *entry, int count)
{
    SEDGE_CL_MAKE(entry->kernel, clCreateKernel, (program, entry->row.name, &sedge_code), "'%s'",
                  entry->row.name);
    const sedge_status status = set_first_parameters(entry, count);
    if (status == SEDGE_OK) return SEDGE_OK;
    (void)sedge_opencl_driver_get()->clReleaseKernel(entry->kernel);
    entry->kernel = NULL;
    return status;
}

sedge_status sedge_opencl_module_get(sedge_device *device, sedge_kernel *kernel, void *module)
{
    opencl_module *const mine = module;
    opencl_entry *found = NULL;

    (void)device;
    for (int i = 0; i < mine->count && found == NULL; i++)
        if (strcmp(mine->entries[i].row.name, kernel->name) == 0) found = &mine->entries[i];
    if (found == NULL)
        return SEDGE_FAIL(SEDGE_ERR_DEVICE, "the program has no kernel '%s'", kernel->name);
    SEDGE_TRY(sedge_signature_read(kernel, found->row.signature, found->row.signature_bytes));
    if (found->kernel == NULL)
        SEDGE_TRY(make_kernel(mine->program, found, kernel->signature.count));
    kernel->function = found;
    return SEDGE_OK;
}

static sedge_status get_kernel_number(const sedge_opencl_state *state, const opencl_entry *entry,
                                      uint32_t what, int64_t *number)
{
    SEDGE_CL(clGetKernelWorkGroupInfo,
             (entry->kernel, state->device, what, sizeof *number, number, NULL),
             "number %#x of '%s'", what, entry->row.name);
    return SEDGE_OK;
}

sedge_status sedge_opencl_inspect(sedge_device *device, sedge_kernel_info *out,
                                  const sedge_kernel *kernel, int threads)
{
    const sedge_opencl_state *const state = device->state;
    const opencl_entry *const entry = kernel->function;
    size_t most = 0;

    (void)threads;
    SEDGE_TRY(get_kernel_number(state, entry, CL_KERNEL_LOCAL_MEM_SIZE, &out->shared_bytes));
    SEDGE_TRY(get_kernel_number(state, entry, CL_KERNEL_PRIVATE_MEM_SIZE, &out->local_bytes));
    SEDGE_CL(clGetKernelWorkGroupInfo,
             (entry->kernel, state->device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL),
             "most threads of '%s'", entry->row.name);
    out->max_threads = (int)most;
    return SEDGE_OK;
}

// What a kernel has of its own (SEDGE_SHARED) differs by program: it and the scratch must fit
// together. Some drivers count the scratch in the kernel's number; it is set to the least before
// asking.
static sedge_status check_scratch(const sedge_opencl_state *state, const sedge_kernel *kernel,
                                  int64_t bytes)
{
    int64_t own = 0;

    SEDGE_TRY(set_parameter(kernel->function, 1, LEAST_SCRATCH, NULL, -1));
    SEDGE_TRY(get_kernel_number(state, kernel->function, CL_KERNEL_LOCAL_MEM_SIZE, &own));
    if (bytes <= state->local_bytes - own) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_DEVICE,
                      "kernel '%s' wants %lld bytes of shared memory a block beside %lld of its "
                      "own: the device has %lld",
                      kernel->name, (long long)bytes, (long long)own,
                      (long long)state->local_bytes);
}

sedge_status sedge_opencl_set_scratch(sedge_device *device, sedge_kernel *kernel, int64_t bytes)
{
    if (bytes < 0 || bytes > device->info.shared_bytes_block) {
        return SEDGE_FAIL(
            SEDGE_ERR_DEVICE,
            "kernel '%s' wants %lld bytes of shared memory a block: 0..%lld are possible",
            kernel->name, (long long)bytes, (long long)device->info.shared_bytes_block);
    }
    if (bytes > LEAST_SCRATCH) SEDGE_TRY(check_scratch(device->state, kernel, bytes));
    kernel->scratch = (int)bytes;
    return set_parameter(kernel->function, 1, bytes > LEAST_SCRATCH ? (size_t)bytes : LEAST_SCRATCH,
                         NULL, -1);
}

static sedge_status set_pointer(sedge_opencl_state *state, const opencl_entry *entry, int i,
                                const void *value)
{
    const int at = SEDGE_CL_FIXED + SEDGE_CL_EACH * i;
    sedge_opencl_buffer buffer;
    int64_t offset = 0;
    uint64_t address;

    memcpy(&address, value, sizeof address);
    if (address == 0) { // and no offset: that of an earlier launch would be added to it
        SEDGE_TRY(set_parameter(entry, at, sizeof(opencl_memory *), NULL, i));
        return set_parameter(entry, at + 1, sizeof offset, &offset, i);
    }
    if (!sedge_opencl_buffer_find(&buffer, state, address)) {
        return SEDGE_FAIL(SEDGE_ERR_INTERNAL,
                          "kernel '%s', argument %d: the address %#llx lies in no buffer",
                          entry->row.name, i + 1, (unsigned long long)address);
    }
    offset = (int64_t)(address - buffer.address);
    SEDGE_TRY(set_parameter(entry, at, sizeof(opencl_memory *), &buffer.memory, i));
    return set_parameter(entry, at + 1, sizeof offset, &offset, i);
}

static sedge_status launch_entry(const sedge_kernel *kernel, opencl_queue *queue, int64_t blocks,
                                 int threads, int count)
{
    const opencl_entry *const entry = kernel->function;
    const size_t local = (size_t)threads;
    const size_t global = (size_t)blocks * local;

    SEDGE_CL(clEnqueueNDRangeKernel,
             (queue, entry->kernel, 1, NULL, &global, &local, 0, NULL, NULL),
             "'%s', %lld blocks of %d threads, %d bytes of shared memory, %d arguments, queue %p",
             kernel->name, (long long)blocks, threads, kernel->scratch, count, (void *)queue);
    return SEDGE_OK;
}

// PoCL compiles a kernel when it first runs, in a thread of its own that reads the environment:
// wait for it.
static sedge_status launch_first(const sedge_kernel *kernel, opencl_queue *queue, int64_t blocks,
                                 int threads, int count)
{
    SEDGE_TRY(launch_entry(kernel, queue, blocks, threads, count));
    SEDGE_CL(clFinish, (queue), "queue %p", (void *)queue);
    return SEDGE_OK;
}

sedge_status sedge_opencl_enqueue(sedge_device *device, const sedge_kernel *kernel,
                                  opencl_queue *queue, int64_t blocks, int threads,
                                  void *const *arguments, int count)
{
    opencl_entry *const entry = kernel->function;
    const sedge_signature *const signature = &kernel->signature;

    if (threads != signature->threads || (uint64_t)blocks > SIZE_MAX / (size_t)threads) {
        return SEDGE_FAIL(SEDGE_ERR_INTERNAL,
                          "kernel '%s' cannot run %lld blocks of %d threads; its blocks have %d",
                          kernel->name, (long long)blocks, threads, signature->threads);
    }
    SEDGE_TRY(set_parameter(entry, 0, sizeof blocks, &blocks, -1));
    for (int i = 0; i < count; i++) {
        const sedge_kernel_parameter *const parameter = &signature->parameters[i];
        if (parameter->kind == SEDGE_KIND_POINTER) {
            SEDGE_TRY(set_pointer(device->state, entry, i, arguments[i]));
        } else {
            SEDGE_TRY(set_parameter(entry, SEDGE_CL_FIXED + SEDGE_CL_EACH * i,
                                    (size_t)parameter->bytes, arguments[i], i));
        }
    }
    if (entry->launched) return launch_entry(kernel, queue, blocks, threads, count);
    SEDGE_TRY(sedge_opencl_environment_begin());
    const sedge_status status = launch_first(kernel, queue, blocks, threads, count);
    sedge_opencl_environment_end();
    entry->launched = status == SEDGE_OK;
    return status;
}
