// From a mesh file to the meshes of the ranks.
#include "mesh_file.h"

#include "deal.h"
#include "head.h"
#include "parts.h"
#include "request.h"
#include "slice.h"

#include "base/file.h"
#include "base/memory.h"
#include "mesh/global.h"
#include "mesh/local.h"

#include <stdio.h>
#include <string.h>

// Does the file begin as HDF5 files do? A file that cannot be read is left to Gmsh's reader.
static bool begins_as_hdf5(const char *path)
{
    static const char signature[8] = "\x89HDF\r\n\x1a\n";
    char first[sizeof signature] = "";

    if (sedge_file_check(path, SEDGE_ERR_DATA) != SEDGE_OK) {
        sedge_error_clear();
        return false;
    }
    FILE *const file = fopen(path, "rbe");
    if (file == NULL) return false;
    const bool found = fread(first, 1, sizeof first, file) == sizeof first &&
                       memcmp(first, signature, sizeof first) == 0;
    (void)fclose(file);
    return found;
}

// ---- options -----------------------------------------------------------------------------------

static sedge_status check_groupless(const sedge_mesh *mesh, const sedge_mesh_options *options)
{
    const sedge_mesh_groups *const groups = &mesh->groups;
    const double *const x = groups->groupless_place;

    if (groups->groupless_elements > 0 && !options->default_volume) {
        return SEDGE_FAIL(SEDGE_ERR_DATA,
                          "%s: %lld of %lld tetrahedra are in no volume group; put every volume "
                          "into a Physical Volume and import the mesh again, or give tetrahedra "
                          "without a group a material by the deck's key materials.default",
                          options->file, (long long)groups->groupless_elements,
                          (long long)mesh->global_elements);
    }
    if (groups->groupless_faces == 0 || options->default_surface) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_DATA,
                      "%s: %lld outer faces are in no surface group, the first with centre (%.6g, "
                      "%.6g, %.6g); put every outer surface into a Physical Surface and import the "
                      "mesh again, or give faces without a group a condition by the deck's key "
                      "boundaries.default",
                      options->file, (long long)groups->groupless_faces, x[0], x[1], x[2]);
}

// Mark the surface groups that are two-sided surfaces. Their faces inside the mesh are outer faces
// of the elements on both sides.
static sedge_status mark_two_sided(bool **out, sedge_mesh *mesh, const sedge_mesh_options *options)
{
    sedge_mesh_groups *const groups = &mesh->groups;

    SEDGE_TRY(sedge_allocate(out, groups->surfaces, sizeof **out));
    for (int g = 0; g < groups->surfaces; g++) {
        for (int i = 0; i < options->two_sided_surfaces && !(*out)[g]; i++)
            (*out)[g] = strcmp(options->two_sided_surface[i], groups->surface_names[g]) == 0;
        if (!(*out)[g]) continue;
        groups->surface_two_sided_faces[g] = groups->surface_interior_faces[g];
        groups->surface_faces[g] += 2 * groups->surface_interior_faces[g];
        groups->surface_interior_faces[g] = 0;
    }
    return SEDGE_OK;
}

// ---- reading -----------------------------------------------------------------------------------

// What the file says of the whole mesh. Each rank reads it for itself, so that none waits for one
// that fails. `*factor`: by what the file's coordinates are multiplied.
static sedge_status read_whole(sedge_mesh *mesh, double *factor, const sedge_mesh_options *options)
{
    sedge_h5 *file = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_h5_open_read(&file, options->file));
    SEDGE_TRY_GOTO(status, mesh_head_check_format(file, options->file));
    SEDGE_TRY_GOTO(status, mesh_request_compare(factor, file, options));
    SEDGE_TRY_GOTO(status, mesh_head_read(mesh, file, options->file, *factor));
    status = check_groupless(mesh, options);
done:
    return sedge_h5_close(file, status);
}

// Collective.
static sedge_status read_file(sedge_mesh *mesh, mesh_slice *slice,
                              const sedge_mesh_options *options, const sedge_comm *comm)
{
    double factor = 1.0;
    sedge_h5 *file = NULL;

    SEDGE_TRY(sedge_comm_agree(comm, read_whole(mesh, &factor, options)));
    sedge_status status = comm != NULL ? sedge_h5_open_read_shared(&file, options->file, comm)
                                       : sedge_h5_open_read(&file, options->file);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    status = mesh_slice_read(slice, file, options->file, factor, mesh, comm);
done:
    return sedge_comm_agree(comm, sedge_h5_close(file, status));
}

static sedge_status find_parts(int32_t **part, const mesh_slice *slice, const bool *two_sided,
                               const sedge_mesh *mesh, const sedge_mesh_options *options,
                               const sedge_comm *comm)
{
    SEDGE_TRY(sedge_comm_agree(comm, sedge_allocate(part, slice->count, sizeof **part)));
    return mesh_parts_find(*part, slice, two_sided, mesh->global_elements, options->partitioner,
                           comm);
}

static void tell(const sedge_mesh_options *options, const sedge_comm *comm, const char *what,
                 int64_t elements)
{
    if (options->tell != NULL && sedge_comm_is_root(comm)) options->tell(what, elements);
}

// The records of this rank's elements, and the data of the whole mesh in `mesh`.
static sedge_status open_records(sedge_mesh *mesh, sedge_record **records,
                                 double (**middles)[SEDGE_EDGES][3], int32_t *count,
                                 const sedge_mesh_options *options, const sedge_comm *comm)
{
    mesh_slice slice = {.count = 0};
    bool *two_sided = NULL;
    int32_t *part = NULL;
    sedge_status status;

    sedge_stopwatch_begin(options->watch, "mesh: read");
    SEDGE_TRY_GOTO(status, read_file(mesh, &slice, options, comm));
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, mark_two_sided(&two_sided, mesh, options)));
    sedge_stopwatch_begin(options->watch, "mesh: partition");
    if (sedge_comm_size(comm) > 1)
        tell(options, comm, "cutting the mesh into parts", mesh->global_elements);
    SEDGE_TRY_GOTO(status, find_parts(&part, &slice, two_sided, mesh, options, comm));
    sedge_stopwatch_begin(options->watch, "mesh: distribute");
    status = mesh_deal(records, middles, count, &slice, part, two_sided, mesh, options->file, comm);
done:
    mesh_slice_release(&slice);
    sedge_release(two_sided);
    sedge_release(part);
    return status;
}

static sedge_status check_options(const sedge_mesh_options *options)
{
    SEDGE_TRY(sedge_mesh_check_scale(options->scale));
    if (!options->cut_periodic) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "%s: fields with a phase between periodic sides (bloch) need the Gmsh file, "
                      "not what `sedge mesh import` made of it",
                      options->file);
}

static sedge_status open_file(sedge_mesh **out, const sedge_comm *comm,
                              const sedge_mesh_options *options)
{
    sedge_mesh *mesh = NULL;
    sedge_record *records = NULL;
    double(*middles)[SEDGE_EDGES][3] = NULL;
    int32_t count = 0;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, check_options(options)));
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, sedge_allocate(&mesh, 1, sizeof *mesh)));
    SEDGE_TRY_GOTO(status, open_records(mesh, &records, &middles, &count, options, comm));
    tell(options, comm, "numbering elements", mesh->global_elements);
    sedge_stopwatch_begin(options->watch, "mesh: number");
    status = sedge_local_number(mesh, records, middles, count, sedge_comm_rank(comm), options);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    if (mesh->extruded.thickness > 0.0) SEDGE_TRY_GOTO(status, sedge_mesh_find_boxes(mesh, comm));
    *out = mesh;
    mesh = NULL; // now the caller's
done:
    sedge_mesh_free(mesh);
    sedge_release(records);
    sedge_release(middles);
    return status;
}

sedge_status sedge_mesh_open(sedge_mesh **out, const sedge_comm *comm,
                             const sedge_mesh_options *options)
{
    bool is_hdf5 =
        options->file != NULL && sedge_comm_is_root(comm) && begins_as_hdf5(options->file);

    *out = NULL;
    sedge_comm_broadcast(comm, &is_hdf5, sizeof is_hdf5, 0);
    return is_hdf5 ? open_file(out, comm, options) : sedge_mesh_create(out, comm, options);
}
