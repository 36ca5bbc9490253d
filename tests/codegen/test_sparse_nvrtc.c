// The kernels of sparse matrices compiled for CUDA chips, without one: each candidate that a GPU
// would have of some matrices, which are brought into their formats on the host. Nothing spills.
// Each layout in fp64, those in slices in fp32, too, which with SEDGE_TEST_ALL all are: the texts
// differ by the names of types.
#include "sparse_kit.h"

#include "spill_check.h"

static void check_part(const sedge_sparse_store *store, const sedge_sparse_kernel *kernel,
                       const char *name, sedge_sparse_part part)
{
    sedge_text *text = NULL;

    CHECK_OK(sedge_text_create(&text));
    CHECK_OK(sedge_sparse_program_write(text, SEDGE_DEVICE_CUDA, store, kernel, part));
    check_cuda(name, text);
    sedge_text_free(text);
}

// The kernels of each layout whose name begins with `format`.
static void check_matrix(sedge_context *context, const char *name, int64_t size, int real_bytes,
                         int value_bytes, const char *format)
{
    const sedge_device_info info = {
        .kind = SEDGE_DEVICE_CUDA, .threads_block = 1024, .shared_bytes_block = 232448};
    static sedge_sparse_choices choices;
    sedge_sparse_matrix matrix;
    bench_matrix m;
    int layouts = 0;

    CHECK_OK(bench_matrix_make(&m, name, size));
    CHECK_OK(sedge_sparse_matrix_make(&matrix, &m.csr, real_bytes, value_bytes, 1));
    sedge_sparse_choose(&choices, &matrix, &info, false);
    for (int l = 0; l < choices.layouts; l++) {
        const sedge_sparse_layout *const layout = &choices.layout[l];
        sedge_sparse_store *store = NULL;
        if (layout->reason[0] != '\0' || strncmp(layout->name, format, strlen(format)) != 0)
            continue;
        CHECK_OK(sedge_sparse_store_create(&store, context, &matrix, layout, NULL));
        if (store == NULL) continue;
        for (int k = 0; k < choices.kernels; k++) {
            if (choices.kernel[k].layout != l) continue;
            check_part(store, &choices.kernel[k], choices.kernel[k].name, SEDGE_SPARSE_MAIN);
        }
        if (layouts == 0) check_part(store, NULL, "vector work", SEDGE_SPARSE_VECTOR);
        if (store->few + store->many > 0) check_part(store, NULL, "fix", SEDGE_SPARSE_FIX);
        layouts++;
        sedge_sparse_store_free(store);
    }
    CHECK(layouts > 0);
    sedge_sparse_matrix_clear(&matrix);
    bench_matrix_clear(&m);
}

int main(void)
{
    sedge_context *const context = open_context();

    if (context == NULL) return 1;
    check_matrix(context, "rmat", 2048, 8, 8, "");
    check_matrix(context, "7-point", 12, 4, 4, getenv("SEDGE_TEST_ALL") != NULL ? "" : "sell");
    check_matrix(context, "tets", 8, 8, 4, "sell packed");
    check_matrix(context, "arrow", 9000, 4, 4, "adaptive");
    check_matrix(context, "dg-1", 3, 8, 8, "block");
    check_matrix(context, "dg-2", 2, 8, 8, "block");
    sedge_context_free(context);
    return CHECK_END();
}
