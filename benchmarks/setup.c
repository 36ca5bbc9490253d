#include "setup.h"

#include "problem.h"

#include "base/file.h"
#include "base/memory.h"

#include <stdio.h>

#define SETUP_ELEMENTS 1000000

// What one rank reports.
typedef struct setup_row {
    double mesh_seconds;
    double element_seconds; // reference element and problem
    double operator_seconds;
    int64_t mesh_peak; // bytes of resident memory at most until the mesh was there
    int64_t peak;
    int64_t device_bytes;
    int64_t elements;
    int64_t halo_faces;
} setup_row;

static sedge_status measure(setup_row *row, const sedge_comm *comm, sedge_device *device,
                            sedge_cache *cache, const bench_options *options)
{
    const int64_t wanted = options->element_count > 0 ? options->elements[0]
                           : options->quick           ? SETUP_ELEMENTS / 100
                                                      : SETUP_ELEMENTS;
    sedge_status status;
    sedge_mesh *mesh = NULL;
    sedge_element *element = NULL;
    sedge_operator *op = NULL;
    sedge_problem problem = {0};

    sedge_comm_barrier(comm);
    const double start = sedge_clock();
    SEDGE_TRY_GOTO(status, bench_mesh_create(&mesh, comm, options->mesh, bench_cells(wanted),
                                             options->numbering, options->boundary_last));
    const double meshed = sedge_clock();
    row->mesh_peak = sedge_memory_peak();
    status = sedge_element_create(&element, options->orders[0]);
    if (status == SEDGE_OK)
        status = bench_problem_init(&problem, mesh, options->orders[0], options->precisions[0]);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    const double posed = sedge_clock();
    SEDGE_TRY_GOTO(status, sedge_operator_create(&op, comm, device, cache, element, mesh, &problem,
                                                 &options->kernels));
    row->mesh_seconds = meshed - start;
    row->element_seconds = posed - meshed;
    row->operator_seconds = sedge_clock() - posed;
    row->peak = sedge_memory_peak();
    row->device_bytes = sedge_device_memory_peak(device);
    row->elements = mesh->elements;
    row->halo_faces = mesh->halo_faces;
done:
    sedge_operator_free(op);
    sedge_problem_clear(&problem);
    sedge_element_free(element);
    sedge_mesh_free(mesh);
    return status;
}

sedge_status bench_setup(const sedge_comm *comm, sedge_device *device, sedge_cache *cache,
                         const bench_options *options)
{
    const int ranks = sedge_comm_size(comm);
    const double mib = 1048576.0;
    setup_row mine = {0};
    setup_row *rows = NULL;

    SEDGE_TRY(measure(&mine, comm, device, cache, options));
    SEDGE_TRY(sedge_comm_agree(comm, sedge_allocate(&rows, ranks, sizeof *rows)));
    sedge_comm_all_gather(comm, &mine, rows, sizeof mine);
    if (sedge_comm_is_root(comm)) {
        printf("\nset-up of %s, order %d, %s\n", options->mesh != NULL ? options->mesh : "a box",
               options->orders[0], options->precisions[0] == SEDGE_FP64 ? "fp64" : "fp32");
        printf("%5s %9s %9s %9s %9s %10s %13s %10s %11s\n", "rank", "tets", "halo", "mesh s",
               "problem s", "operator s", "mesh peak MiB", "peak MiB", "buffers MiB");
        for (int r = 0; r < ranks; r++) {
            printf("%5d %9lld %9lld %9.2f %9.2f %10.2f %13.0f %10.0f %11.0f\n", r,
                   (long long)rows[r].elements, (long long)rows[r].halo_faces, rows[r].mesh_seconds,
                   rows[r].element_seconds, rows[r].operator_seconds,
                   (double)rows[r].mesh_peak / mib, (double)rows[r].peak / mib,
                   (double)rows[r].device_bytes / mib);
        }
    }
    sedge_release(rows);
    return SEDGE_OK;
}
