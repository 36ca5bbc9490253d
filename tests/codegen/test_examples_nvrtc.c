// Every choice of the tuned examples for NVIDIA GPUs that are not here: it compiles, and the
// filters spill nothing. What the matrix product's larger tiles spill when two blocks are to fit
// into a multiprocessor is outside their inner loop: little.
#include "spill_check.h"

#include "codegen/examples/filters_text.h"
#include "codegen/examples/multiply_text.h"

#define STACK_MOST 48 // bytes of a thread

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
        check_cuda_stack(of->choices[c].name, text, of == &multiply_template ? STACK_MOST : 0);
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
