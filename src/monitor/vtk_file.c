#define _DEFAULT_SOURCE
#include "vtk_file.h"

#include "base/file.h"
#include "base/memory.h"
#include "monitor/output_describe.h"
#include "monitor/output_folder.h"

#include <stdio.h>
#include <unistd.h>

// Values of a dataset that are converted and written at once, or one element's.
#define BLOCK_VALUES (1 << 23)

#define FRAME_BYTES 65536 // what describes a file, without its values

static void number_materials(sedge_vtk *vtk, const sedge_mesh_groups *groups)
{
    for (int v = 0; v < groups->volumes; v++) {
        if (!sedge_mesh_same_group(groups, v, v - 1)) vtk->materials++;
        vtk->material[v] = vtk->materials - 1;
    }
}

sedge_status sedge_vtk_prepare(sedge_vtk *vtk, const sedge_output_context *context)
{
    const sedge_comm *const comm = context->comm;
    const sedge_mesh *const mesh = context->mesh;

    vtk->context = context;
    SEDGE_TRY(sedge_comm_agree(
        comm, sedge_allocate(&vtk->element, mesh->elements, sizeof *vtk->element)));
    SEDGE_TRY(sedge_comm_agree(
        comm, sedge_allocate(&vtk->material, mesh->groups.volumes, sizeof *vtk->material)));
    number_materials(vtk, &mesh->groups);
    for (int32_t e = 0; e < mesh->elements; e++) {
        if (sedge_mesh_in_layer(mesh, e) && !context->deck->layers_in_files) continue;
        if (sedge_mesh_copy(mesh, e) == 0) vtk->element[vtk->own++] = e;
    }
    for (int64_t i = 0; mesh->twins && i < vtk->own; i++)
        vtk->element[vtk->own + i] = sedge_mesh_twin(vtk->element[i]);
    vtk->elements = vtk->own;
    vtk->most = vtk->own;
    sedge_comm_sum_int(comm, &vtk->elements, 1);
    sedge_comm_max_int(comm, &vtk->most, 1);
    vtk->first = sedge_comm_scan(comm, vtk->own);
    const int64_t all = vtk->most * context->element->nodes * 3;
    vtk->block_values = all < BLOCK_VALUES ? (all > 0 ? all : 1) : BLOCK_VALUES;
    SEDGE_TRY(sedge_comm_agree(comm, sedge_allocate(&vtk->block, vtk->block_values, 8)));
    return sedge_comm_agree(comm, sedge_lattice_create(&vtk->lattice, context->element));
}

void sedge_vtk_clear(sedge_vtk *vtk)
{
    sedge_lattice_free(vtk->lattice);
    sedge_release(vtk->element);
    sedge_release(vtk->material);
    sedge_release(vtk->block);
    *vtk = (sedge_vtk){.context = NULL};
}

sedge_status sedge_vtk_make_column(const sedge_vtk *vtk, sedge_h5 *file,
                                   const sedge_vtk_column *column)
{
    const int64_t shape[2] = {vtk->elements * column->width, column->components};

    return sedge_h5_dataset(file, column->path, column->type, column->components > 1 ? 2 : 1,
                            shape);
}

sedge_status sedge_vtk_fill_column(const sedge_vtk *vtk, sedge_h5 *file,
                                   const sedge_vtk_column *column, const void *from)
{
    const int64_t own = vtk->own;
    const int64_t width = column->width;
    const int64_t step = vtk->block_values / (width * column->components);

    for (int64_t e = 0; e < vtk->most; e += step) {
        const int64_t left = own > e ? own - e : 0;
        const int64_t count = left < step ? left : step;

        if (count > 0) column->filler(vtk, from, e, count, vtk->block);
        SEDGE_TRY(
            sedge_comm_agree(vtk->context->comm,
                             sedge_h5_write(file, column->path, column->type,
                                            (vtk->first + e) * width, count * width, vtk->block)));
    }
    return SEDGE_OK;
}

sedge_status sedge_vtk_write_head(const sedge_vtk *vtk, sedge_h5 *file, const char *content)
{
    static const int64_t version[2] = {1, 0};

    SEDGE_TRY(sedge_output_describe(file, vtk->context, content));
    SEDGE_TRY(sedge_h5_group(file, "/VTKHDF"));
    SEDGE_TRY(sedge_h5_integers(file, "/VTKHDF", "Version", version, 2));
    SEDGE_TRY(sedge_h5_ascii(file, "/VTKHDF", "Type", "UnstructuredGrid"));
    SEDGE_TRY(sedge_h5_group(file, "/VTKHDF/PointData"));
    return sedge_h5_group(file, "/VTKHDF/CellData");
}

// Root: the file with everything but values. `places` [count] of the datasets `paths`.
static sedge_status write_frame(const sedge_vtk *vtk, const char *path, sedge_vtk_writer *frame,
                                const void *what, char (*paths)[SEDGE_VTK_PATH], int count,
                                int64_t *places)
{
    sedge_h5 *file = NULL;

    SEDGE_TRY(sedge_h5_create(&file, path, FRAME_BYTES));
    sedge_status status = frame(vtk, file, what);
    for (int i = 0; i < count && status == SEDGE_OK; i++)
        status = sedge_h5_place(file, paths[i], &places[i]);
    return sedge_h5_close(file, status);
}

void sedge_vtk_temporary(char path[SEDGE_OUTPUT_PATH + 8], const sedge_vtk *vtk, const char *name)
{
    char whole[SEDGE_OUTPUT_PATH];

    sedge_output_path(whole, vtk->context, name);
    (void)snprintf(path, SEDGE_OUTPUT_PATH + 8, "%s.tmp", whole);
}

sedge_status sedge_vtk_begin(const sedge_vtk *vtk, const char *name, sedge_vtk_writer *frame,
                             const void *what, char (*paths)[SEDGE_VTK_PATH], int count,
                             int64_t *places)
{
    const sedge_comm *const comm = vtk->context->comm;
    const bool root = sedge_comm_is_root(comm);
    char temporary[SEDGE_OUTPUT_PATH + 8];
    sedge_status status = SEDGE_OK;

    sedge_vtk_temporary(temporary, vtk, name);
    if (root) status = write_frame(vtk, temporary, frame, what, paths, count, places);
    if (root && status != SEDGE_OK) (void)unlink(temporary);
    SEDGE_TRY(sedge_comm_agree(comm, status));
    sedge_comm_broadcast(comm, places, (size_t)count * sizeof *places, 0);
    return SEDGE_OK;
}

sedge_status sedge_vtk_publish(const sedge_vtk *vtk, const char *name)
{
    char path[SEDGE_OUTPUT_PATH];
    char temporary[SEDGE_OUTPUT_PATH + 8];

    sedge_output_path(path, vtk->context, name);
    sedge_vtk_temporary(temporary, vtk, name);
    return sedge_file_publish(temporary, path);
}

sedge_status sedge_vtk_write(const sedge_vtk *vtk, const char *name, sedge_vtk_writer *frame,
                             sedge_vtk_writer *values, const void *what)
{
    const sedge_comm *const comm = vtk->context->comm;
    const bool root = sedge_comm_is_root(comm);
    char temporary[SEDGE_OUTPUT_PATH + 8];
    sedge_h5 *file = NULL;
    sedge_status status;

    SEDGE_TRY(sedge_vtk_begin(vtk, name, frame, what, NULL, 0, NULL));
    sedge_vtk_temporary(temporary, vtk, name);
    status = sedge_comm_agree(comm, root ? sedge_h5_reserve(temporary) : SEDGE_OK);
    if (status == SEDGE_OK)
        status = sedge_comm_agree(comm, sedge_h5_open_shared(&file, temporary, comm));
    if (status == SEDGE_OK) status = values(vtk, file, what);
    status = sedge_comm_agree(comm, sedge_h5_close(file, status));
    if (status == SEDGE_OK && root) status = sedge_vtk_publish(vtk, name);
    status = sedge_comm_agree(comm, status);
    if (root && status != SEDGE_OK) (void)unlink(temporary);
    return status;
}
