// The solver's kernels as NVIDIA GPUs get them, compiled without one: nothing in local memory.
#include "../codegen/spill_check.h"
#include "linear/krylov_solver.h"

static void test_solver(int real_bytes, krylov_kind kind, int with)
{
    sedge_text *text = NULL;

    CHECK_OK(sedge_text_create(&text));
    CHECK_OK(sedge_krylov_kernels_write(text, SEDGE_DEVICE_CUDA, real_bytes, kind, with));
    check_cuda("krylov", text);
    sedge_text_free(text);
}

static void test_matrix(const char *real)
{
    const sedge_source source = {"codegen/kernels/linear/matrix.h", NULL};
    char constants[96];
    sedge_text *text = NULL;

    (void)snprintf(constants, sizeof constants, "#define MATRIX_REAL %s\n#define MATRIX_BLOCK 7\n",
                   real);
    const sedge_program_options options = {
        .name = "matrix", .constants = constants, .sources = &source, .count = 1};
    CHECK_OK(sedge_text_create(&text));
    CHECK_OK(sedge_program_write(text, SEDGE_DEVICE_CUDA, &options));
    check_cuda("matrix", text);
    sedge_text_free(text);
}

int main(void)
{
    test_solver(8, KRYLOV_DIAGONAL, KRYLOV_WITH_SINGLE | KRYLOV_WITH_KEEP | KRYLOV_WITH_CHEBYSHEV);
    test_solver(4, KRYLOV_NONE, KRYLOV_WITH_KEEP);
    test_matrix("double");
    return CHECK_END();
}
