// Every choice of the tuned examples for NVIDIA GPUs that are not here: it compiles, and the
// filters spill nothing. What the matrix product's larger tiles spill when two blocks are to fit
// into a multiprocessor is outside their inner loop: little. SEDGE_TEST_REGISTERS prints the
// registers.
#include "spill_check.h"

#include "codegen/cache.h"
#include "codegen/examples/filters_text.h"
#include "codegen/examples/multiply_text.h"

#define SPILL_MOST 16 // bytes of a thread

static void check_multiply(const char *name, const sedge_text *text)
{
    sedge_text *log = NULL;
    void *binary = NULL;
    size_t length = 0;

    CHECK_OK(sedge_text_create(&log));
    CHECK_OK(sedge_nvrtc_compile(sedge_text_get(text), "sm_90", &binary, &length, log));
    const sedge_program_resources takes = sedge_cache_resources(sedge_text_get(log));
    CHECK(takes.registers > 0 && takes.spilled >= 0);
    CHECK_BOUND(takes.spilled, SPILL_MOST);
    if (getenv("SEDGE_TEST_REGISTERS") != NULL) {
        (void)printf("%-20s %d registers, %d bytes spilled\n", name, takes.registers,
                     takes.spilled);
    }
    sedge_release(binary);
    sedge_text_free(log);
}

static void test_choices(const example_template *of, const int *problem, int first)
{
    for (int c = 0; c < of->count; c++) {
        sedge_text *text = NULL;
        int number[EXAMPLE_NUMBERS];

        for (int i = 0; i < EXAMPLE_NUMBERS; i++)
            number[i] = problem != NULL && i >= first ? problem[i] : of->choices[c].number[i];
        CHECK_OK(sedge_text_create(&text));
        CHECK_OK(example_write(text, of, number, SEDGE_DEVICE_CUDA));
        CHECK(of->threads(number) <= 1024 && of->shared_bytes(number) <= 48 << 10);
        if (of == &multiply_template) {
            check_multiply(of->choices[c].name, text);
        } else {
            check_cuda(of->choices[c].name, text);
        }
        sedge_text_free(text);
    }
}

int main(void)
{
    const int problem[EXAMPLE_NUMBERS] = {[SIZE] = 7, [FILTERS] = 16, [SIDE] = 256};

    test_choices(&multiply_template, NULL, 0);
    test_choices(&filters_template, problem, SIZE);
    return CHECK_END();
}
