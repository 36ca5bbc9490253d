// The elliptic kernels compiled for CUDA chips, without one: nothing spills.
//
// Without arguments some orders; with "all" every order in both precisions.
#include "codegen/spill_check.h"

#include "elliptic/elliptic.h"

static void check_order(const sedge_device *target, int order, sedge_precision precision)
{
    const sedge_elliptic_options options = {.item_nodes = 0};
    sedge_element *element = NULL;
    sedge_text *text = NULL;
    char name[64];

    (void)snprintf(name, sizeof name, "order %d, %s", order,
                   precision == SEDGE_FP64 ? "fp64" : "fp32");
    CHECK_OK(sedge_element_create(&element, order));
    CHECK_OK(sedge_text_create(&text));
    CHECK_OK(
        sedge_elliptic_text(text, sedge_device_get_info(target), element, precision, &options));
    check_cuda(name, text);
    sedge_text_free(text);
    sedge_element_free(element);
}

int main(int argc, char **argv)
{
    const bool all = argc > 1 && strcmp(argv[1], "all") == 0;
    sedge_device *target = NULL;

    CHECK_OK(sedge_device_create_target(&target, "cuda", "sm_90"));
    for (int order = 1; target != NULL && order <= SEDGE_ELLIPTIC_ORDER_MAX; order++) {
        if (all || order % 3 == 1) check_order(target, order, SEDGE_FP64);
        if (all || order == 8) check_order(target, order, SEDGE_FP32);
    }
    sedge_device_free(target);
    return CHECK_END();
}
