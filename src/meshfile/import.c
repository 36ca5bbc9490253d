// From a Gmsh file to a mesh file, on rank 0.
#include "mesh_file.h"

#include "head.h"
#include "request.h"
#include "slice.h"

#include "base/file.h"
#include "base/memory.h"
#include "mesh/global.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK = 1 << 16 }; // elements that are written at once

typedef struct import_job {
    const sedge_global *global;
    const sedge_mesh_options *request;
    int32_t *order; // [elements] the element in each row of the file
    int32_t *row;   // [elements] the row of each element
} import_job;

static sedge_status order_elements(import_job *job)
{
    const sedge_global *const global = job->global;
    sedge_hilbert_place *list;

    SEDGE_TRY(sedge_allocate(&job->order, global->elements, sizeof *job->order));
    SEDGE_TRY(sedge_allocate(&job->row, global->elements, sizeof *job->row));
    SEDGE_TRY(sedge_allocate(&list, global->elements, sizeof *list));
    const sedge_status status = sedge_global_order(list, global);
    for (int32_t i = 0; i < global->elements && status == SEDGE_OK; i++) {
        job->order[i] = list[i].element;
        job->row[list[i].element] = i;
    }
    sedge_release(list);
    return status;
}

// ---- rows --------------------------------------------------------------------------------------

static void fill_faces(mesh_slice *slice, int32_t i, const import_job *job)
{
    const sedge_global *const global = job->global;
    const int32_t e = job->order[slice->first + i];

    for (int f = 0; f < SEDGE_FACES; f++) {
        const sedge_face *const face = &global->faces[e][f];
        const int32_t n = face->neighbour;
        slice->neighbour[i][f] = n >= 0 ? job->row[n] : -1;
        slice->surface[i][f] = n >= 0 ? -1 : -1 - n;
        slice->behind[i][f][BEHIND_FACE] = (uint8_t)face->face;
        slice->behind[i][f][BEHIND_ORIENTATION] = (uint8_t)face->orientation;
        slice->behind[i][f][BEHIND_SECOND] = 0;
    }
    for (int64_t k = sedge_global_first_side(global, e);
         k < global->sides && global->side[k].element == e; k++) {
        const sedge_global_side *const side = &global->side[k];
        slice->neighbour[i][side->face] = job->row[side->other]; // also behind a two-sided surface
        slice->surface[i][side->face] = side->group;
        slice->behind[i][side->face][BEHIND_FACE] = (uint8_t)side->other_face;
        slice->behind[i][side->face][BEHIND_ORIENTATION] = (uint8_t)side->orientation;
        slice->behind[i][side->face][BEHIND_SECOND] = side->second;
    }
}

// The rows from slice->first on. first_curve and curved count those of the slices before.
static void fill_slice(mesh_slice *slice, const import_job *job)
{
    const sedge_global *const global = job->global;

    slice->first_curve += slice->curved;
    slice->curved = 0;
    for (int32_t i = 0; i < slice->count; i++) {
        const int32_t e = job->order[slice->first + i];
        slice->number[i] = e;
        slice->group[i] = global->group[e];
        for (int v = 0; v < 4; v++) {
            memcpy(slice->corners[i][v], global->points[global->cells[e][v]],
                   sizeof slice->corners[i][v]);
        }
        if (global->planes != NULL)
            memcpy(slice->planes[i], global->planes[e], sizeof slice->planes[i]);
        fill_faces(slice, i, job);
        slice->curve[i] = -1;
        if (global->global_curved == 0 || !global->curved[e]) continue;
        memcpy(slice->middles[slice->curved], global->middles[e], sizeof *slice->middles);
        slice->curve[i] = slice->first_curve + slice->curved++;
    }
}

static sedge_status write_slice(sedge_h5 *file, const mesh_slice *slice, int64_t elements)
{
    mesh_column columns[MESH_COLUMNS];

    mesh_slice_columns(columns, slice, elements);
    for (int c = 0; c < MESH_COLUMNS; c++) {
        SEDGE_TRY(sedge_h5_write(file, columns[c].path, columns[c].type, slice->first, slice->count,
                                 columns[c].data));
    }
    if (slice->planes != NULL) {
        SEDGE_TRY(sedge_h5_write(file, MESH_PLANES, SEDGE_H5_F64, slice->first, slice->count,
                                 slice->planes));
    }
    if (slice->curved == 0) return SEDGE_OK;
    return sedge_h5_write(file, MESH_MIDDLES, SEDGE_H5_F64, slice->first_curve, slice->curved,
                          slice->middles);
}

static sedge_status write_rows(sedge_h5 *file, mesh_slice *slice, const import_job *job)
{
    const int32_t elements = job->global->elements;

    SEDGE_TRY(mesh_slice_allocate(slice, CHUNK));
    SEDGE_TRY(sedge_allocate(&slice->middles, CHUNK, sizeof *slice->middles));
    if (job->global->planes != NULL)
        SEDGE_TRY(sedge_allocate(&slice->planes, CHUNK, sizeof *slice->planes));
    for (int32_t first = 0; first < elements; first += CHUNK) {
        slice->first = first;
        slice->count = elements - first < CHUNK ? elements - first : CHUNK;
        fill_slice(slice, job);
        SEDGE_TRY(write_slice(file, slice, elements));
    }
    return SEDGE_OK;
}

// ---- the file ----------------------------------------------------------------------------------

static sedge_status make_datasets(sedge_h5 *file, const sedge_global *global)
{
    const int64_t middles[3] = {global->global_curved, SEDGE_EDGES, 3};
    const int64_t planes[2] = {global->elements, 3};
    const mesh_slice none = {.count = 0};
    mesh_column columns[MESH_COLUMNS];

    SEDGE_TRY(sedge_h5_group(file, "/elements"));
    SEDGE_TRY(sedge_h5_group(file, "/edges"));
    mesh_slice_columns(columns, &none, global->elements);
    for (int c = 0; c < MESH_COLUMNS; c++) {
        SEDGE_TRY(sedge_h5_dataset(file, columns[c].path, columns[c].type, columns[c].rank,
                                   columns[c].shape));
    }
    if (global->planes != NULL)
        SEDGE_TRY(sedge_h5_dataset(file, MESH_PLANES, SEDGE_H5_F64, 2, planes));
    return sedge_h5_dataset(file, MESH_MIDDLES, SEDGE_H5_F64, 3, middles);
}

static sedge_status write_datasets(sedge_h5 *file, const import_job *job, const sedge_mesh *mesh)
{
    mesh_slice slice = {.count = 0};
    sedge_status status;

    SEDGE_TRY_GOTO(status, mesh_head_write(file, mesh, job->global));
    SEDGE_TRY_GOTO(status, mesh_request_write(file, job->request));
    SEDGE_TRY_GOTO(status, make_datasets(file, job->global));
    status = write_rows(file, &slice, job);
done:
    mesh_slice_release(&slice);
    return status;
}

// About the bytes of the file, to refuse a full disk at once.
static int64_t estimate_bytes(const sedge_global *global)
{
    const int64_t element = 8 + 4 + 96 + 32 + 16 + 12 + 8 + 24;
    const int64_t groups = (int64_t)global->groups.volumes + global->groups.surfaces;

    return global->elements * element +
           global->global_curved * (int64_t)sizeof(double[SEDGE_EDGES][3]) + groups * 128 + 65536;
}

static sedge_status write_file(const char *path, const import_job *job, const sedge_mesh *mesh)
{
    char temporary[SEDGE_PATH_BYTES];
    sedge_h5 *file = NULL;

    SEDGE_TRY(sedge_file_temporary(temporary, path));
    sedge_status status = sedge_h5_create(&file, temporary, estimate_bytes(job->global));
    if (status == SEDGE_OK) {
        status = sedge_h5_close(file, write_datasets(file, job, mesh));
        if (status == SEDGE_OK) status = sedge_file_publish(temporary, path);
    }
    if (status != SEDGE_OK) (void)unlink(temporary);
    return status;
}

static sedge_status check_places(const char *path, const sedge_mesh_options *options)
{
    if (sedge_file_is_same(path, options->file)) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "'%s' is the mesh that is read; choose another name for the new file",
                          path);
    }
    return sedge_file_try(path);
}

// Count the faces of two-sided surfaces as those of other surfaces inside the mesh; a run counts
// them again.
static void join_two_sided(sedge_mesh_groups *groups)
{
    for (int g = 0; g < groups->surfaces; g++) {
        const int64_t faces = groups->surface_two_sided_faces[g];
        groups->surface_faces[g] -= 2 * faces;
        groups->surface_interior_faces[g] += faces;
        groups->surface_two_sided_faces[g] = 0;
    }
}

static sedge_status import_file(const char *path, const sedge_mesh_options *options)
{
    const sedge_mesh_options request = mesh_request_choose(options);
    sedge_global global;
    import_job job = {.global = &global, .request = &request};
    sedge_mesh mesh = {.global_elements = 0}; // its data of the whole mesh
    sedge_status status;

    sedge_global_start(&global, options->file);
    global.threads = options->threads;
    SEDGE_TRY_GOTO(status, check_places(path, options));
    SEDGE_TRY_GOTO(status, sedge_global_build(&global, &request));
    SEDGE_TRY_GOTO(status, sedge_global_summarise(&mesh, &global));
    join_two_sided(&global.groups);
    SEDGE_TRY_GOTO(status, order_elements(&job));
    status = write_file(path, &job, &mesh);
done:
    sedge_release(job.order);
    sedge_release(job.row);
    sedge_global_release(&global);
    return status;
}

sedge_status sedge_mesh_import(const sedge_comm *comm, const char *path,
                               const sedge_mesh_options *options)
{
    return sedge_comm_agree(comm, sedge_comm_is_root(comm) ? import_file(path, options) : SEDGE_OK);
}
