#include "device/opencl/opencl_table.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

typedef struct row_head {
    int32_t name_bytes; // with a NUL
    int32_t signature_bytes;
} row_head;

typedef struct kernel_about {
    opencl_kernel *kernel;
    char name[256];
    int numbers[2 + 2 * SEDGE_KERNEL_ARGUMENTS_MAX]; // threads, count, size and kind of each
    sedge_text *texts;                               // "type\tname\n" of each
} kernel_about;

static sedge_status get_qualifier(const kernel_about *about, uint32_t index, uint32_t *qualifier)
{
    SEDGE_CL(
        clGetKernelArgInfo,
        (about->kernel, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof *qualifier, qualifier, NULL),
        "'%s', parameter %u", about->name, index);
    return SEDGE_OK;
}

static sedge_status get_text(const kernel_about *about, uint32_t index, uint32_t what,
                             char text[256])
{
    text[0] = '\0';
    SEDGE_CL(clGetKernelArgInfo, (about->kernel, index, what, 256, text, NULL),
             "'%s', parameter %u", about->name, index);
    return SEDGE_OK;
}

static sedge_status describe_argument(kernel_about *about, int i)
{
    const uint32_t index = (uint32_t)(SEDGE_CL_FIXED + SEDGE_CL_EACH * i);
    char type[256];
    char name[256];
    char encoded[256]; // "char[SIZE][KIND]*"
    char *end = NULL;

    SEDGE_TRY(get_text(about, index, CL_KERNEL_ARG_TYPE_NAME, type));
    SEDGE_TRY(get_text(about, index, CL_KERNEL_ARG_NAME, name));
    SEDGE_TRY(get_text(about, index + 2, CL_KERNEL_ARG_TYPE_NAME, encoded));
    const char *const size = strchr(encoded, '[');
    const long bytes = size != NULL ? strtol(size + 1, &end, 10) : 0;
    const long kind =
        end != NULL && strncmp(end, "][", 2) == 0 ? strtol(end + 2, NULL, 10) : SEDGE_KIND_UNKNOWN;
    if (bytes < 1 || bytes > INT32_MAX || kind < SEDGE_KIND_POINTER || kind > SEDGE_KIND_OTHER) {
        return SEDGE_FAIL(SEDGE_ERR_DEVICE,
                          "kernel '%s': OpenCL shows the type of parameter %u as '%s', which tells "
                          "no size and kind",
                          about->name, index + 2, encoded);
    }
    about->numbers[2 + 2 * i] = (int)bytes;
    about->numbers[3 + 2 * i] = (int)kind;
    return sedge_text_add(about->texts, "%s\t%s\n", type, name);
}

static sedge_status refuse_form(const kernel_about *about)
{
    return SEDGE_FAIL(SEDGE_ERR_DEVICE,
                      "kernel '%s' has another form than SEDGE_KERNEL gives it "
                      "(codegen/kernels/program/prelude_opencl.h)",
                      about->name);
}

static sedge_status describe(kernel_about *about, const opencl_device *device)
{
    uint32_t parameters = 0;
    uint32_t second = 0;
    size_t threads[3] = {0};

    SEDGE_CL(clGetKernelInfo,
             (about->kernel, CL_KERNEL_FUNCTION_NAME, sizeof about->name, about->name, NULL),
             "a kernel's name");
    SEDGE_CL(clGetKernelInfo,
             (about->kernel, CL_KERNEL_NUM_ARGS, sizeof parameters, &parameters, NULL), "'%s'",
             about->name);
    SEDGE_CL(
        clGetKernelWorkGroupInfo,
        (about->kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof threads, threads, NULL),
        "threads of '%s'", about->name);
    if (parameters >= SEDGE_CL_FIXED) SEDGE_TRY(get_qualifier(about, 1, &second));
    if (second != CL_KERNEL_ARG_ADDRESS_LOCAL ||
        (parameters - SEDGE_CL_FIXED) % SEDGE_CL_EACH != 0 || threads[0] < 1)
        return refuse_form(about);
    const uint32_t count = (parameters - SEDGE_CL_FIXED) / SEDGE_CL_EACH;
    if (count > SEDGE_KERNEL_ARGUMENTS_MAX) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "kernel '%s' has %u parameters; at most %d are possible",
                          about->name, count, SEDGE_KERNEL_ARGUMENTS_MAX);
    }
    about->numbers[0] = (int)threads[0];
    about->numbers[1] = (int)count;
    for (int i = 0; i < (int)count; i++) SEDGE_TRY(describe_argument(about, i));
    return SEDGE_OK;
}

// Append the row of one kernel.
static sedge_status add_kernel(sedge_text *table, opencl_kernel *kernel,
                               const opencl_device *device)
{
    sedge_status status;
    kernel_about about = {.kernel = kernel};

    SEDGE_TRY(sedge_text_create(&about.texts));
    SEDGE_TRY_GOTO(status, describe(&about, device));
    const size_t name = strlen(about.name) + 1;
    const size_t numbers = sizeof(int) * (size_t)(2 + 2 * about.numbers[1]);
    const size_t texts = sedge_text_length(about.texts) + 1;
    const row_head row = {.name_bytes = (int32_t)name,
                          .signature_bytes = (int32_t)(numbers + texts)};
    SEDGE_TRY_GOTO(status, sedge_text_add_bytes(table, (const char *)&row, sizeof row));
    SEDGE_TRY_GOTO(status, sedge_text_add_bytes(table, about.name, name));
    SEDGE_TRY_GOTO(status, sedge_text_add_bytes(table, (const char *)about.numbers, numbers));
    SEDGE_TRY_GOTO(status, sedge_text_add_bytes(table, sedge_text_get(about.texts), texts));
done:
    sedge_text_free(about.texts);
    return status;
}

sedge_status sedge_opencl_table_write(sedge_text *table, const sedge_opencl_state *state,
                                      opencl_program *program, size_t count)
{
    const sedge_opencl_driver *const driver = sedge_opencl_driver_get();
    const double began = sedge_clock();
    opencl_kernel **kernels = NULL;
    sedge_status status;

    if (count == 0) return SEDGE_OK; // OpenCL refuses to list none
    SEDGE_TRY(sedge_allocate(&kernels, (int64_t)count, sizeof(opencl_kernel *)));
    const int code = driver->clCreateKernelsInProgram(program, (uint32_t)count, kernels, NULL);
    status = sedge_opencl_finish(__FILE__, __LINE__, "clCreateKernelsInProgram", code, began,
                                 "%zu kernels", count);
    for (size_t i = 0; i < count; i++) {
        if (status == SEDGE_OK) status = add_kernel(table, kernels[i], state->device);
        if (kernels[i] != NULL) (void)driver->clReleaseKernel(kernels[i]);
    }
    sedge_release(kernels);
    return status;
}

bool sedge_opencl_table_next(sedge_opencl_row *row, const char **table, size_t *bytes)
{
    row_head head;

    if (*bytes < sizeof head) return false;
    memcpy(&head, *table, sizeof head);
    const char *const name = *table + sizeof head;
    const uint64_t size = (uint64_t)head.name_bytes + (uint64_t)head.signature_bytes;
    if (head.name_bytes < 1 || head.signature_bytes < 1 || size > *bytes - sizeof head ||
        name[head.name_bytes - 1] != '\0')
        return false;
    *row = (sedge_opencl_row){.name = name,
                              .signature = name + head.name_bytes,
                              .signature_bytes = (size_t)head.signature_bytes};
    *table = name + size;
    *bytes -= sizeof head + (size_t)size;
    return true;
}
