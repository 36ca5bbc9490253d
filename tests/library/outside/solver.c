// A solver run from an own program, with the installed library only: mesh, element, equation table,
// and arrays beside the words of physics (sedge_real, sedge_sqrt).
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

int main(int argc, char **argv)
{
    sedge_comm *comm = NULL;
    double volume = 0.0, difference = 1.0;
    sedge_status status = sedge_comm_create(&comm, &argc, &argv);

    if (status == SEDGE_OK) status = measure(comm, &volume);
    if (status == SEDGE_OK) status = compare(&difference);
    if (status != SEDGE_OK) fprintf(stderr, "%s\n", sedge_error_message());
    sedge_comm_free(comm);
    if (status != SEDGE_OK) return sedge_status_exit_code(status);
    printf("volume of the unit box: %.17g\n", volume);
    printf("roots by arrays less roots by physics: %.17g\n", difference);
    return fabs(volume - 1.0) < 1e-12 && difference == 0.0 ? 0 : 1; // whole numbers are exact
}
