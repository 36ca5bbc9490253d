// A solver run from an own program, with the installed library only: mesh, element, equation table.
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

int main(int argc, char **argv)
{
    sedge_comm *comm = NULL;
    double volume = 0.0;
    sedge_status status = sedge_comm_create(&comm, &argc, &argv);

    if (status == SEDGE_OK) status = measure(comm, &volume);
    if (status != SEDGE_OK) fprintf(stderr, "%s\n", sedge_error_message());
    sedge_comm_free(comm);
    if (status != SEDGE_OK) return sedge_status_exit_code(status);
    printf("volume of the unit box: %.17g\n", volume);
    return fabs(volume - 1.0) < 1e-12 ? 0 : 1;
}
