// NVRTC without a GPU: code for several chips, the log's resources, messages with file and line.
#define _DEFAULT_SOURCE // setenv
#include "base/memory.h"
#include "check.h"
#include "device/device.h"

static const char saxpy[] =
    "extern \"C\" __global__ void saxpy(long long blocks, double s, const double *x, double *y)\n"
    "{\n"
    "    __shared__ double tile[64];\n"
    "    tile[threadIdx.x % 64] = x[blockIdx.x * blockDim.x + threadIdx.x];\n"
    "    __syncthreads();\n"
    "    y[blockIdx.x * blockDim.x + threadIdx.x] += 0x1.8p+0 * s * tile[63 - threadIdx.x % 64];\n"
    "}\n";

static void test_binary(const char *arch)
{
    void *binary = NULL;
    size_t length = 0;
    sedge_text *log = NULL;

    CHECK_OK(sedge_text_create(&log));
    CHECK_OK(sedge_nvrtc_compile(saxpy, arch, &binary, &length, log));
    CHECK(length > 64 && binary != NULL && memcmp(binary, "\177ELF", 4) == 0);
    CHECK(strstr(sedge_text_get(log), "registers") != NULL);
    CHECK(strstr(sedge_text_get(log), "512 bytes smem") != NULL);
    CHECK(strstr(sedge_text_get(log), "spill stores") != NULL);
    sedge_release(binary);
    sedge_text_free(log);
}

static void test_messages(void)
{
    void *binary = NULL;
    size_t length = 0;
    sedge_text *log = NULL;

    CHECK_OK(sedge_text_create(&log));
    CHECK_FAILS(sedge_nvrtc_compile("#line 7 \"codegen/kernels/flux.h\"\n__global__ void f()\n"
                                    "{ undeclared_thing = 1; }\n",
                                    "sm_90", &binary, &length, log),
                SEDGE_ERR_DEVICE, "codegen/kernels/flux.h(8): error");
    CHECK(strstr(sedge_error_message(), "undeclared_thing") != NULL);
    CHECK(strstr(sedge_text_get(log), "undeclared_thing") != NULL);
    CHECK_FAILS(sedge_nvrtc_compile(saxpy, "sm_12345", &binary, &length, NULL), SEDGE_ERR_DEVICE,
                "gpu-architecture");
    CHECK_FAILS(sedge_nvrtc_compile(saxpy, "hopper", &binary, &length, NULL), SEDGE_ERR_DEVICE,
                "'hopper' is not of the form sm_90 or compute_90");
    CHECK(binary == NULL && length == 0);
    sedge_text_free(log);
}

static void test_intermediate_form(void)
{
    void *binary = NULL;
    size_t length = 0;

    CHECK_OK(sedge_nvrtc_compile(saxpy, "compute_80", &binary, &length, NULL));
    CHECK(binary != NULL && strstr(binary, ".target sm_80") != NULL);
    CHECK(binary != NULL && ((const char *)binary)[length - 1] == '\0');
    sedge_release(binary);
}

int main(void)
{
    test_binary("sm_80");
    test_binary("sm_90");
    test_messages();
    test_intermediate_form();
    return CHECK_END();
}
