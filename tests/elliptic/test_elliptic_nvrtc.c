// The elliptic kernels compiled for CUDA chips, without one: next to nothing spills.
//
// Without arguments some orders; with "all" every order in both precisions.
#include "codegen/spill_check.h"

#include "elliptic/elliptic.h"

// Bytes a thread outside registers, some addresses: where that many threads and unrolled loops were
// the fastest. (Loops of matrix products by twos spill nothing and were up to 22 % slower on an
// H200.)
#define STACK_MOST 48

static void check_order(const sedge_device *target, int order, sedge_precision precision,
                        bool curved, const sedge_elliptic_options *config)
{
    sedge_element *element = NULL;
    sedge_text *text = NULL;
    char name[64];
    char program[64];

    (void)snprintf(name, sizeof name, "order %d, %s%s%s", order,
                   precision == SEDGE_FP64 ? "fp64" : "fp32", config->matrix ? ", matrix" : "",
                   curved ? ", curved" : "");
    CHECK_OK(sedge_element_create(&element, order));
    CHECK_OK(sedge_text_create(&text));
    CHECK_OK(sedge_elliptic_text(text, program, sedge_device_get_info(target), element, precision,
                                 curved, config));
    check_cuda_stack(name, text, STACK_MOST);
    sedge_text_free(text);
    sedge_element_free(element);
}

int main(int argc, char **argv)
{
    const bool all = argc > 1 && strcmp(argv[1], "all") == 0;
    const sedge_elliptic_options rule = {.item_nodes = 0};
    // Of either form, whichever the rule takes.
    const sedge_elliptic_options items = {
        .item_nodes = 3, .weak_nodes = 4, .item_elements = 2, .block_elements = 8, .resident = 256};
    const sedge_elliptic_options units = {.matrix = true,
                                          .item_nodes = 8,
                                          .weak_nodes = 16,
                                          .item_elements = 16,
                                          .block_elements = 16,
                                          .resident = 256};
    sedge_device *target = NULL;

    CHECK_OK(sedge_device_create_target(&target, "cuda", "sm_90"));
    for (int order = 1; target != NULL && order <= SEDGE_ELLIPTIC_ORDER_MAX; order++) {
        if (all || order % 3 == 1) check_order(target, order, SEDGE_FP64, false, &rule);
        if (all || order == 8) check_order(target, order, SEDGE_FP32, false, &rule);
        if (all || order == 2) check_order(target, order, SEDGE_FP64, false, &items);
        if (all || order == 3) check_order(target, order, SEDGE_FP64, false, &units);
        if (all || order == 2 || order == 5) check_order(target, order, SEDGE_FP64, true, &rule);
        if (all || order == 3) check_order(target, order, SEDGE_FP32, true, &rule);
    }
    sedge_device_free(target);
    return CHECK_END();
}
