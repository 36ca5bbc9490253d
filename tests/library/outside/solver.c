// A solver run from an own program, with the installed library only: mesh, element, equation table,
// arrays beside the words of physics (sedge_real, sedge_sqrt), and conjugate gradients with an
// operator of one's own.
#include <sedge/solver.h>

#include <math.h>
#include <stdio.h>

static sedge_status measure(sedge_comm *comm, double *volume)
{
    sedge_mesh_options options = sedge_mesh_defaults();
    sedge_mesh *mesh = NULL;
    sedge_status status;

    options.box_cells[0] = options.box_cells[1] = options.box_cells[2] = 3;
    SEDGE_TRY(sedge_mesh_create(&mesh, comm, &options));
    *volume = 0.0;
    for (int e = 0; e < mesh->elements; e++) *volume += sedge_tet_volume(mesh->corners[e]);
    status = sedge_equation_find("maxwell") != NULL ? SEDGE_OK : SEDGE_ERR_INTERNAL;
    sedge_mesh_free(mesh);
    return status;
}

// sqrt(2 x) of x = 0, 2, 8, 18, ... by arrays, summed, less the same by the words of physics.
static sedge_status compare(double *difference)
{
    sedge_context *context = NULL;
    sedge_array *x = NULL, *root = NULL, *total = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_context_open(&context, "host"));
    SEDGE_TRY_GOTO(status, sedge_array_vector(&x, context, SEDGE_FLOAT64, 100));
    SEDGE_TRY_GOTO(status, sedge_array_range(x, 0.0, 1.0));
    SEDGE_TRY_GOTO(status,
                   sedge_array_evaluate(
                       &root, sedge_square_root(sedge_multiply(
                                  sedge_number(2.0),
                                  sedge_multiply(sedge_number(2.0), sedge_square(sedge_use(x)))))));
    SEDGE_TRY_GOTO(status, sedge_array_reduce(&total, SEDGE_SUM, sedge_use(root), SEDGE_ALL_AXES));
    SEDGE_TRY_GOTO(status, sedge_array_number(total, difference));
    for (int i = 0; i < 100; i++) {
        const sedge_real value = SEDGE_R(2.0) * i * i;
        *difference -= sedge_sqrt(SEDGE_R(2.0) * value);
    }
done:
    sedge_array_free(total);
    sedge_array_free(root);
    sedge_array_free(x);
    sedge_context_free(context);
    return status;
}

// ---- a matrix-free operator
// -----------------------------------------------------------------------

enum { UNKNOWNS = 500 };

// y[i] = (1 + i) x[i], with no matrix anywhere.
static sedge_status apply(void *user, sedge_stream *stream, const sedge_buffer *x, sedge_buffer *y)
{
    sedge_context *const context = user;
    const int64_t count = UNKNOWNS;
    sedge_array *from = NULL, *to = NULL;
    sedge_status status;

    (void)stream; // arrays use the context's, which is the solver's
    SEDGE_TRY_GOTO(status, sedge_array_wrap(&from, context, SEDGE_FLOAT64, 1, &count,
                                            (sedge_buffer *)(uintptr_t)x, 0));
    SEDGE_TRY_GOTO(status, sedge_array_wrap(&to, context, SEDGE_FLOAT64, 1, &count, y, 0));
    const sedge_operand operands[] = {SEDGE_OUT("y", to), SEDGE_IN("x", from)};
    status =
        sedge_elementwise(context, "outside.c", NULL, "y = (1.0 + (double)i) * x;", 2, operands);
done:
    sedge_array_free(from);
    sedge_array_free(to);
    return status;
}

// Solve it for a right-hand side whose solution is ones; *error: the largest of the differences.
static sedge_status solve(double *error)
{
    const int64_t bytes = UNKNOWNS * (int64_t)sizeof(double);
    sedge_krylov_options options = sedge_krylov_defaults();
    sedge_krylov_operator op = {.apply = apply};
    sedge_krylov_result result;
    double values[UNKNOWNS] = {0.0};
    sedge_context *context = NULL;
    sedge_krylov *krylov = NULL;
    sedge_buffer *b = NULL, *x = NULL;
    sedge_status status;

    options.tolerance = 1e-11;
    SEDGE_TRY_GOTO(status, sedge_context_open(&context, "host"));
    op.context = context;
    SEDGE_TRY_GOTO(status, sedge_buffer_create(&b, sedge_context_device(context), bytes));
    SEDGE_TRY_GOTO(status, sedge_buffer_create(&x, sedge_context_device(context), bytes));
    SEDGE_TRY_GOTO(status, sedge_buffer_upload(x, 0, values, bytes, NULL));
    for (int i = 0; i < UNKNOWNS; i++) values[i] = 1.0 + i;
    SEDGE_TRY_GOTO(status, sedge_buffer_upload(b, 0, values, bytes, NULL));
    SEDGE_TRY_GOTO(status,
                   sedge_krylov_create(&krylov, context, NULL, 8, UNKNOWNS, &op, NULL, &options));
    SEDGE_TRY_GOTO(status, sedge_krylov_solve(&result, krylov, b, x));
    SEDGE_TRY_GOTO(status, sedge_buffer_download(x, 0, values, bytes, NULL));
    *error = result.reason == SEDGE_KRYLOV_CONVERGED ? 0.0 : INFINITY;
    for (int i = 0; i < UNKNOWNS; i++) *error = fmax(*error, fabs(values[i] - 1.0));
    printf("conjugate gradients without a matrix: %s after %lld iterations\n",
           sedge_krylov_reason_name(result.reason), (long long)result.iterations);
done:
    sedge_krylov_free(krylov);
    sedge_buffer_free(x);
    sedge_buffer_free(b);
    sedge_context_free(context);
    return status;
}

int main(void)
{
    sedge_comm *comm = NULL;
    double volume = 0.0, difference = 1.0, error = 1.0;
    sedge_status status = sedge_comm_create(&comm, NULL);

    if (status == SEDGE_OK) status = measure(comm, &volume);
    if (status == SEDGE_OK) status = compare(&difference);
    if (status == SEDGE_OK) status = solve(&error);
    if (status != SEDGE_OK) fprintf(stderr, "%s\n", sedge_error_message());
    sedge_comm_free(comm);
    if (status != SEDGE_OK) return sedge_status_exit_code(status);
    printf("volume of the unit box: %.17g\n", volume);
    printf("roots by arrays less roots by physics: %.17g\n", difference);
    printf("largest error: %g\n", error);
    // Whole numbers are exact. The residual is 1e-11 of ||b||, which is about 6500, and the least
    // eigenvalue 1.
    return fabs(volume - 1.0) < 1e-12 && difference == 0.0 && error < 1e-7 ? 0 : 1;
}
