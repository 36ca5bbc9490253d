#include "opencl_program.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_SCRATCH 16 // OpenCL takes no local memory of 0 bytes

// What sedge_device_compile gives: this, a row for each kernel, the driver's binary. A program that
// comes from a binary does not tell what its kernels take.
#define IMAGE_MAGIC "sedge opencl 1\n"

typedef struct image_header {
    char magic[16];
    int32_t kernels;
    int32_t row_bytes;
} image_header;

typedef struct image_kernel {
    char name[124];
    int32_t count;                             // of arguments
    int32_t bytes[SEDGE_KERNEL_ARGUMENTS_MAX]; // of each; 0: a pointer into device memory
} image_kernel;

typedef struct opencl_entry {
    image_kernel about;
    opencl_kernel *kernel; // NULL until asked for
    int threads;           // of a block; 0: any
} opencl_entry;

typedef struct opencl_module {
    opencl_program *program;
    int count;
    opencl_entry *entries;
} opencl_module;

enum { FIXED = 2, EACH = 3 }; // parameters before the arguments, and of each argument

// ---- what kernels take -------------------------------------------------------------------------

static sedge_status get_qualifier(opencl_kernel *kernel, const char *name, uint32_t index,
                                  uint32_t *qualifier)
{
    SEDGE_CL(clGetKernelArgInfo,
             (kernel, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof *qualifier, qualifier, NULL),
             "'%s', parameter %u", name, index);
    return SEDGE_OK;
}

static sedge_status describe_argument(image_kernel *row, opencl_kernel *kernel, int i)
{
    const uint32_t index = (uint32_t)(FIXED + EACH * i);
    uint32_t qualifier = 0;
    char type[256] = ""; // of the third: "char[8]*"

    SEDGE_TRY(get_qualifier(kernel, row->name, index, &qualifier));
    if (qualifier == CL_KERNEL_ARG_ADDRESS_LOCAL) {
        return SEDGE_FAIL(SEDGE_ERR_DEVICE,
                          "kernel '%s', argument %d: a pointer to block memory cannot be given",
                          row->name, i);
    }
    SEDGE_CL(clGetKernelArgInfo,
             (kernel, index + 2, CL_KERNEL_ARG_TYPE_NAME, sizeof type, type, NULL),
             "'%s', parameter %u", row->name, index + 2);
    const char *const size = strchr(type, '[');
    const long bytes = size != NULL ? strtol(size + 1, NULL, 10) : 0;
    if (bytes < 1 || bytes > INT32_MAX) {
        return SEDGE_FAIL(SEDGE_ERR_DEVICE,
                          "kernel '%s', argument %d: the driver shows the type of its size as '%s'",
                          row->name, i, type);
    }
    row->bytes[i] = qualifier == CL_KERNEL_ARG_ADDRESS_PRIVATE ? (int32_t)bytes : 0;
    return SEDGE_OK;
}

static sedge_status describe_kernel(image_kernel *row, opencl_kernel *kernel)
{
    uint32_t parameters = 0;
    uint32_t second = 0;
    size_t length = 0;

    SEDGE_CL(clGetKernelInfo, (kernel, CL_KERNEL_FUNCTION_NAME, 0, NULL, &length), "a name");
    if (length > sizeof row->name) {
        return SEDGE_FAIL(SEDGE_ERR_DEVICE,
                          "a kernel's name has %zu characters; at most %zu are possible",
                          length - 1, sizeof row->name - 1);
    }
    SEDGE_CL(clGetKernelInfo, (kernel, CL_KERNEL_FUNCTION_NAME, sizeof row->name, row->name, NULL),
             "a name");
    SEDGE_CL(clGetKernelInfo, (kernel, CL_KERNEL_NUM_ARGS, sizeof parameters, &parameters, NULL),
             "'%s'", row->name);
    if (parameters >= FIXED) SEDGE_TRY(get_qualifier(kernel, row->name, 1, &second));
    if (second != CL_KERNEL_ARG_ADDRESS_LOCAL || (parameters - FIXED) % EACH != 0) {
        return SEDGE_FAIL(SEDGE_ERR_DEVICE,
                          "kernel '%s' has not the parameters of SEDGE_KERNEL "
                          "(codegen/kernels/prelude_opencl.h)",
                          row->name);
    }
    row->count = (int32_t)((parameters - FIXED) / EACH);
    if (row->count > SEDGE_KERNEL_ARGUMENTS_MAX) {
        return SEDGE_FAIL(SEDGE_ERR_DEVICE, "kernel '%s' has %d arguments; at most %d are possible",
                          row->name, row->count, SEDGE_KERNEL_ARGUMENTS_MAX);
    }
    for (int i = 0; i < row->count; i++) SEDGE_TRY(describe_argument(row, kernel, i));
    return SEDGE_OK;
}

static sedge_status describe_all(image_kernel *rows, opencl_program *program, size_t count)
{
    const sedge_opencl_driver *const driver = sedge_opencl_driver_get();
    opencl_kernel **kernels = NULL;
    sedge_status status;

    SEDGE_TRY(sedge_allocate(&kernels, (int64_t)count, sizeof(opencl_kernel *)));
    status = sedge_opencl_finish(
        __FILE__, __LINE__, "clCreateKernelsInProgram",
        driver->clCreateKernelsInProgram(program, (uint32_t)count, kernels, NULL), sedge_clock(),
        "%zu kernels", count);
    for (size_t i = 0; i < count; i++) {
        if (status == SEDGE_OK) status = describe_kernel(&rows[i], kernels[i]);
        if (kernels[i] != NULL) (void)driver->clReleaseKernel(kernels[i]);
    }
    sedge_release(kernels);
    return status;
}

// ---- compiling ---------------------------------------------------------------------------------

static const char basic_options[] = "-cl-std=CL1.2 -cl-kernel-arg-info";

static sedge_status make_program(const sedge_opencl_state *state, opencl_program **program,
                                 const char *source)
{
    SEDGE_CL_MAKE(*program, clCreateProgramWithSource,
                  (state->context, 1, &source, NULL, &sedge_code), "%zu bytes", strlen(source));
    return SEDGE_OK;
}

// Multiplication and addition may be contracted, as on the other devices: OpenCL's default.
sedge_status sedge_opencl_options(const sedge_opencl_state *state, sedge_text *out)
{
    const sedge_opencl_driver *const driver = sedge_opencl_driver_get();
    opencl_program *trial = NULL;

    SEDGE_TRY(sedge_text_add(out, "%s", basic_options));
    if (!sedge_debug_wanted()) return SEDGE_OK;
    // Not in the specification, and yet most compilers take it.
    SEDGE_TRY(make_program(state, &trial, "__kernel void trial(long n) {}\n"));
    const bool accepted =
        driver->clBuildProgram(trial, 1, &state->device, "-g", NULL, NULL) == CL_SUCCESS;
    (void)driver->clReleaseProgram(trial);
    return accepted ? sedge_text_add(out, " -g") : SEDGE_OK;
}

static sedge_status get_log(const sedge_opencl_state *state, opencl_program *program, char **log)
{
    size_t size = 0;

    *log = NULL;
    SEDGE_CL(clGetProgramBuildInfo, (program, state->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size),
             "log");
    SEDGE_TRY(sedge_allocate(log, (int64_t)size + 1, 1));
    SEDGE_CL(clGetProgramBuildInfo,
             (program, state->device, CL_PROGRAM_BUILD_LOG, size, *log, NULL), "log");
    return SEDGE_OK;
}

static sedge_status build(const sedge_device *device, opencl_program *program, const char *name,
                          sedge_text *log)
{
    const sedge_opencl_driver *const driver = sedge_opencl_driver_get();
    const sedge_opencl_state *const state = device->state;
    const char *const options = sedge_device_compile_options(device);
    const double began = sedge_clock();
    sedge_status status;
    char *printed = NULL;

    const int code = driver->clBuildProgram(program, 1, &state->device, options, NULL, NULL);
    if (driver->trace) sedge_trace("clBuildProgram", began, "%s", name != NULL ? name : "source");
    SEDGE_TRY_GOTO(status, get_log(state, program, &printed));
    if (log != NULL) SEDGE_TRY_GOTO(status, sedge_text_add(log, "%s", printed));
    if (code != CL_SUCCESS && printed[0] != '\0') {
        status = sedge_compile_failure(
            state->has_fp64 ? "OpenCL" : "OpenCL (this device does not compute in fp64)", name,
            printed);
    } else {
        status = sedge_opencl_finish(__FILE__, __LINE__, "clBuildProgram", code, began, "'%s'",
                                     name != NULL ? name : "source");
    }
done:
    sedge_release(printed);
    return status;
}

static sedge_status make_image(opencl_program *program, void **out, size_t *length)
{
    sedge_status status;
    size_t kernels = 0;
    size_t binary = 0;
    unsigned char *image = NULL;

    SEDGE_CL(clGetProgramInfo, (program, CL_PROGRAM_NUM_KERNELS, sizeof kernels, &kernels, NULL),
             "kernels");
    SEDGE_CL(clGetProgramInfo, (program, CL_PROGRAM_BINARY_SIZES, sizeof binary, &binary, NULL),
             "size of the binary");
    const size_t rows = kernels * sizeof(image_kernel);
    const size_t bytes = sizeof(image_header) + rows + binary;
    SEDGE_TRY(sedge_allocate(&image, (int64_t)bytes, 1));
    const image_header header = {.magic = IMAGE_MAGIC,
                                 .kernels = (int32_t)kernels,
                                 .row_bytes = (int32_t)sizeof(image_kernel)};
    memcpy(image, &header, sizeof header);
    image_kernel *const first = (image_kernel *)(void *)(image + sizeof header);
    SEDGE_TRY_GOTO(status, describe_all(first, program, kernels));
    unsigned char *place = image + sizeof header + rows;
    SEDGE_TRY_GOTO(status, sedge_opencl_finish(__FILE__, __LINE__, "clGetProgramInfo",
                                               sedge_opencl_driver_get()->clGetProgramInfo(
                                                   program, CL_PROGRAM_BINARIES, sizeof place,
                                                   (void *)&place, NULL),
                                               sedge_clock(), "binary of %zu bytes", binary));
    *out = image;
    *length = bytes;
    image = NULL;
done:
    sedge_release(image);
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
    SEDGE_TRY_GOTO(status, build(device, program, keep_name, log));
    SEDGE_TRY_GOTO(status, make_image(program, out, length));
done:
    (void)sedge_opencl_driver_get()->clReleaseProgram(program);
    return status;
}

// ---- modules -----------------------------------------------------------------------------------

static sedge_status check_image(const void *binary, size_t length, image_header *header)
{
    const bool has_header = length >= sizeof *header;

    if (has_header) memcpy(header, binary, sizeof *header);
    if (!has_header || memcmp(header->magic, IMAGE_MAGIC, sizeof header->magic) != 0 ||
        header->row_bytes != (int32_t)sizeof(image_kernel) || header->kernels < 0 ||
        (uint64_t)header->kernels > (length - sizeof *header) / sizeof(image_kernel)) {
        return SEDGE_FAIL(SEDGE_ERR_DEVICE,
                          "these %zu bytes are not a program that the opencl device has compiled",
                          length);
    }
    return SEDGE_OK;
}

static sedge_status load_program(const sedge_device *device, opencl_program **program,
                                 const unsigned char *binary, size_t length)
{
    const sedge_opencl_state *const state = device->state;
    int loaded = CL_SUCCESS;

    SEDGE_CL_MAKE(*program, clCreateProgramWithBinary,
                  (state->context, 1, &state->device, &length, &binary, &loaded, &sedge_code),
                  "%zu bytes", length);
    SEDGE_CL(clBuildProgram,
             (*program, 1, &state->device, sedge_device_compile_options(device), NULL, NULL),
             "binary of %zu bytes", length);
    return SEDGE_OK;
}

sedge_status sedge_opencl_module_load(sedge_device *device, void **module, const void *binary,
                                      size_t length)
{
    sedge_status status;
    const unsigned char *const bytes = binary;
    opencl_module *loaded = NULL;
    image_header header;

    SEDGE_TRY(check_image(binary, length, &header));
    const size_t start = sizeof header + (size_t)header.kernels * sizeof(image_kernel);
    SEDGE_TRY(sedge_allocate(&loaded, 1, sizeof *loaded));
    SEDGE_TRY_GOTO(status,
                   sedge_allocate(&loaded->entries, header.kernels, sizeof *loaded->entries));
    loaded->count = header.kernels;
    for (int i = 0; i < loaded->count; i++) {
        memcpy(&loaded->entries[i].about, bytes + sizeof header + (size_t)i * sizeof(image_kernel),
               sizeof(image_kernel));
    }
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
                               "'%s', argument %d of %zu bytes", entry->about.name, argument, size);
}

static sedge_status make_kernel(const sedge_opencl_state *state, opencl_module *module,
                                opencl_entry *entry)
{
    const int64_t no_offset = 0;
    size_t sizes[3] = {0};

    SEDGE_CL_MAKE(entry->kernel, clCreateKernel, (module->program, entry->about.name, &sedge_code),
                  "'%s'", entry->about.name);
    SEDGE_CL(clGetKernelWorkGroupInfo,
             (entry->kernel, state->device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof sizes, sizes,
              NULL),
             "threads of '%s'", entry->about.name);
    entry->threads = (int)sizes[0];
    SEDGE_TRY(set_parameter(entry, 1, LEAST_SCRATCH, NULL, -1));
    for (int i = 0; i < entry->about.count; i++) {
        const int at = FIXED + EACH * i;
        SEDGE_TRY(set_parameter(entry, at + 1, sizeof no_offset, &no_offset, i));
        SEDGE_TRY(set_parameter(entry, at + 2, sizeof(opencl_memory *), NULL, i));
    }
    return SEDGE_OK;
}

// Sizes, and which are pointers; names and other kinds are not in the driver's binary.
static sedge_status set_signature(sedge_kernel *kernel, const opencl_entry *entry)
{
    const image_kernel *const about = &entry->about;

    SEDGE_TRY(sedge_signature_set(kernel, about->bytes, about->count));
    for (int i = 0; i < about->count; i++) {
        const bool is_pointer = about->bytes[i] == 0;
        kernel->parameters[i].kind = is_pointer ? SEDGE_KIND_POINTER : SEDGE_KIND_VALUE;
        if (is_pointer) kernel->parameters[i].bytes = (int)sizeof(uint64_t);
    }
    kernel->signature.threads = entry->threads;
    return SEDGE_OK;
}

sedge_status sedge_opencl_module_get(sedge_device *device, sedge_kernel *kernel, void *module)
{
    opencl_module *const mine = module;
    opencl_entry *found = NULL;

    for (int i = 0; i < mine->count && found == NULL; i++)
        if (strcmp(mine->entries[i].about.name, kernel->name) == 0) found = &mine->entries[i];
    if (found == NULL)
        return SEDGE_FAIL(SEDGE_ERR_DEVICE, "the program has no kernel '%s'", kernel->name);
    SEDGE_TRY(make_kernel(device->state, mine, found));
    kernel->function = found;
    return set_signature(kernel, found);
}

static sedge_status get_kernel_number(const sedge_opencl_state *state, const opencl_entry *entry,
                                      uint32_t what, int64_t *number)
{
    SEDGE_CL(clGetKernelWorkGroupInfo,
             (entry->kernel, state->device, what, sizeof *number, number, NULL),
             "number %#x of '%s'", what, entry->about.name);
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
             "most threads of '%s'", entry->about.name);
    out->max_threads = (int)most;
    return SEDGE_OK;
}

sedge_status sedge_opencl_set_scratch(sedge_device *device, sedge_kernel *kernel, int64_t bytes)
{
    if (bytes < 0 || bytes > device->info.shared_bytes_block) {
        return SEDGE_FAIL(
            SEDGE_ERR_DEVICE,
            "kernel '%s' wants %lld bytes of shared memory a block: 0..%lld are possible",
            kernel->name, (long long)bytes, (long long)device->info.shared_bytes_block);
    }
    kernel->scratch = (int)bytes;
    return set_parameter(kernel->function, 1, bytes > LEAST_SCRATCH ? (size_t)bytes : LEAST_SCRATCH,
                         NULL, -1);
}

static sedge_status set_pointer(const sedge_opencl_state *state, const opencl_entry *entry, int i,
                                const void *value)
{
    const int at = FIXED + EACH * i;
    int64_t offset = 0;
    uint64_t address;

    memcpy(&address, value, sizeof address);
    if (address == 0) return set_parameter(entry, at, sizeof(opencl_memory *), NULL, i);
    const sedge_opencl_buffer *const buffer = sedge_opencl_buffer_find(state, address);
    if (buffer == NULL) {
        return SEDGE_FAIL(SEDGE_ERR_INTERNAL,
                          "kernel '%s', argument %d: the address %#llx lies in no buffer",
                          entry->about.name, i, (unsigned long long)address);
    }
    offset = (int64_t)(address - buffer->address);
    SEDGE_TRY(set_parameter(entry, at, sizeof(opencl_memory *), &buffer->memory, i));
    return set_parameter(entry, at + 1, sizeof offset, &offset, i);
}

sedge_status sedge_opencl_enqueue(sedge_device *device, const sedge_kernel *kernel,
                                  opencl_queue *queue, int64_t blocks, int threads,
                                  void *const *arguments, int count)
{
    const opencl_entry *const entry = kernel->function;

    if (threads < 1 || (entry->threads > 0 && threads != entry->threads) ||
        (uint64_t)blocks > SIZE_MAX / (size_t)threads) {
        return SEDGE_FAIL(SEDGE_ERR_INTERNAL,
                          "kernel '%s' cannot run %lld blocks of %d threads; its blocks have %d",
                          kernel->name, (long long)blocks, threads, entry->threads);
    }
    SEDGE_TRY(set_parameter(entry, 0, sizeof blocks, &blocks, -1));
    for (int i = 0; i < count; i++) {
        const int32_t bytes = entry->about.bytes[i];
        if (bytes == 0) {
            SEDGE_TRY(set_pointer(device->state, entry, i, arguments[i]));
        } else {
            SEDGE_TRY(set_parameter(entry, FIXED + EACH * i, (size_t)bytes, arguments[i], i));
        }
    }
    const size_t local = (size_t)threads;
    const size_t global = (size_t)blocks * local;
    SEDGE_CL(clEnqueueNDRangeKernel,
             (queue, entry->kernel, 1, NULL, &global, &local, 0, NULL, NULL),
             "'%s', %lld blocks of %d threads", kernel->name, (long long)blocks, threads);
    return SEDGE_OK;
}
