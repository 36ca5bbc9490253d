#define _DEFAULT_SOURCE
#include "vtk_mesh.h"

#include "base/memory.h"
#include "image/image.h"
#include "monitor/output_describe.h"
#include "monitor/output_folder.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define VTK_LAGRANGE_TETRAHEDRON 71
#define GRADED_PATH              "/VTKHDF/CellData/graded"

// ---- the datasets ------------------------------------------------------------------------------

// Where node m of a curved element lies.
static void place_point(double x[3], const sedge_vtk *vtk, int32_t e, int m)
{
    const sedge_lattice *const lattice = vtk->lattice;
    double rst[3];

    for (int a = 0; a < 3; a++) rst[a] = 2.0 * lattice->place[m][a] / lattice->order - 1.0;
    sedge_mesh_place(vtk->context->mesh, e, rst, x);
}

static void fill_points(const sedge_vtk *vtk, const void *from, int64_t first, int64_t count,
                        void *values)
{
    const sedge_lattice *const lattice = vtk->lattice;
    const sedge_mesh *const mesh = vtk->context->mesh;
    double(*const corners)[4][3] = mesh->corners;
    const bool is_wide = ((const sedge_vtk_mesh *)from)->wide;
    double *const wide = values;
    float *const narrow = values;

    for (int64_t e = 0; e < count; e++) {
        const int32_t element = vtk->element[first + e];
        const bool curved = sedge_mesh_curve(mesh, element) >= 0;
        for (int m = 0; m < lattice->nodes; m++) {
            double place[3];
            if (curved) place_point(place, vtk, element, m);
            for (int d = 0; d < 3; d++) {
                const double *const v0 = corners[element][0];
                double x = v0[d];

                for (int a = 0; a < 3; a++) {
                    x += (corners[element][a + 1][d] - v0[d]) * lattice->place[m][a] /
                         lattice->order;
                }
                if (curved) x = place[d];
                if (is_wide) {
                    wide[(e * lattice->nodes + m) * 3 + d] = x;
                } else {
                    narrow[(e * lattice->nodes + m) * 3 + d] = (float)x;
                }
            }
        }
    }
}

static void fill_connectivity(const sedge_vtk *vtk, const void *from, int64_t first, int64_t count,
                              void *values)
{
    const int64_t nodes = vtk->lattice->nodes;
    int64_t *const points = values;

    (void)from;
    for (int64_t i = 0; i < count * nodes; i++) points[i] = first * nodes + i;
}

static void fill_types(const sedge_vtk *vtk, const void *from, int64_t first, int64_t count,
                       void *values)
{
    (void)vtk;
    (void)from;
    (void)first;
    memset(values, VTK_LAGRANGE_TETRAHEDRON, (size_t)count);
}

static void fill_group(const sedge_vtk *vtk, const void *from, int64_t first, int64_t count,
                       void *values)
{
    const sedge_mesh *const mesh = vtk->context->mesh;
    int32_t *const groups = values;

    (void)from;
    for (int64_t i = 0; i < count; i++)
        groups[i] = vtk->material[mesh->group[vtk->element[first + i]]];
}

static void fill_id(const sedge_vtk *vtk, const void *from, int64_t first, int64_t count,
                    void *values)
{
    const sedge_mesh *const mesh = vtk->context->mesh;
    int64_t *const ids = values;

    (void)from;
    for (int64_t i = 0; i < count; i++) ids[i] = mesh->global_ids[vtk->element[first + i]];
}

static void fill_rank(const sedge_vtk *vtk, const void *from, int64_t first, int64_t count,
                      void *values)
{
    int32_t *const ranks = values;

    (void)from;
    (void)first;
    for (int64_t i = 0; i < count; i++) ranks[i] = sedge_comm_rank(vtk->context->comm);
}

// The keys of materials that vary in space in any volume group, each once: how many.
static int list_graded(int key[SEDGE_MAX_MATERIALS], const sedge_deck *deck)
{
    int count = 0;

    for (int k = 0; k < deck->equation->material_count; k++) {
        bool is_graded = false;
        for (int i = 0; i < deck->mesh.grids; i++) is_graded |= deck->grids[i].key == k;
        if (is_graded) key[count++] = k;
    }
    return count;
}

// Is the number `key` of material i a tensor?
static bool is_tensor(const sedge_deck *deck, int i, int key)
{
    for (int t = 0; t < deck->term_count; t++) {
        const char *const tensor = deck->terms[t].kind->tensor;
        if (deck->terms[t].material == i && tensor != NULL &&
            strcmp(tensor, deck->equation->materials[key].name) == 0)
            return true;
    }
    return false;
}

// The number `key` of the material of volume group v, in the deck's units; not a number: a tensor.
static double find_number(const sedge_output_context *context, int v, int key)
{
    const sedge_deck *const deck = context->deck;
    const sedge_equation *const equation = deck->equation;
    const sedge_mesh_groups *const groups = &context->mesh->groups;
    const char *const name = groups->volume_names[groups->volume_owner[v]];
    const int place = sedge_parameters_size(equation->materials, key);
    const double unit = deck->si ? equation->si[equation->materials[key].dimension] : 1.0;
    int graded = 0;

    for (int i = 0; i < deck->mesh.grids; i++) {
        if (strcmp(deck->grids[i].volume, name) != 0) continue;
        if (deck->grids[i].key == key) return groups->volume_values[v][graded] / unit;
        graded++;
    }
    for (int i = 0; i < deck->material_count; i++) {
        if (strcmp(deck->materials[i].name, name) != 0 || is_tensor(deck, i, key)) continue;
        return deck->materials[i].values[place] / unit;
    }
    return (double)NAN;
}

static void fill_graded(const sedge_vtk *vtk, const void *from, int64_t first, int64_t count,
                        void *values)
{
    const sedge_output_context *const context = vtk->context;
    int key[SEDGE_MAX_MATERIALS];
    const int keys = list_graded(key, context->deck);
    float *out = values;

    (void)from;
    for (int64_t i = 0; i < count; i++) {
        const int group = context->mesh->group[vtk->element[first + i]];
        for (int k = 0; k < keys; k++) *out++ = (float)find_number(context, group, key[k]);
    }
}

// The columns of mesh.hdf, links to which make up a field file: how many.
#define MESH_COLUMNS 7
static int mesh_columns(const sedge_vtk_mesh *mesh, const sedge_vtk *vtk,
                        sedge_vtk_column columns[MESH_COLUMNS])
{
    int key[SEDGE_MAX_MATERIALS];
    const int graded = list_graded(key, vtk->context->deck);
    const sedge_h5_type real = mesh->wide ? SEDGE_H5_F64 : SEDGE_H5_F32;
    const int nodes = vtk->lattice->nodes;
    const sedge_vtk_column all[MESH_COLUMNS] = {
        {"/VTKHDF/Points", real, nodes, 3, fill_points},
        {"/VTKHDF/Connectivity", SEDGE_H5_I64, nodes, 1, fill_connectivity},
        {"/VTKHDF/Types", SEDGE_H5_U8, 1, 1, fill_types},
        {"/VTKHDF/CellData/material", SEDGE_H5_I32, 1, 1, fill_group},
        {"/VTKHDF/CellData/element", SEDGE_H5_I64, 1, 1, fill_id},
        {"/VTKHDF/CellData/rank", SEDGE_H5_I32, 1, 1, fill_rank},
        {GRADED_PATH, SEDGE_H5_F32, 1, graded, fill_graded}};

    memcpy(columns, all, sizeof all);
    return graded > 0 ? MESH_COLUMNS : MESH_COLUMNS - 1;
}

// Datasets with one row a piece. They come first in sedge_vtk_mesh.places, then the offsets, then
// the columns.
#define COUNTS 3
_Static_assert(COUNTS + 1 + MESH_COLUMNS == SEDGE_VTK_MESH_SETS, "datasets of mesh.hdf");
static const char *const count_paths[COUNTS] = {"/VTKHDF/NumberOfPoints", "/VTKHDF/NumberOfCells",
                                                "/VTKHDF/NumberOfConnectivityIds"};

static sedge_status describe_mesh(const sedge_vtk *vtk, sedge_h5 *file)
{
    const sedge_output_context *const context = vtk->context;
    const sedge_mesh_groups *const groups = &context->mesh->groups;
    const char **names = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&names, groups->volumes, sizeof *names));
    for (int v = 0; v < groups->volumes; v++) names[vtk->material[v]] = groups->volume_names[v];
    SEDGE_TRY_GOTO(status,
                   sedge_h5_text(file, "/VTKHDF/Points", "units", sedge_output_unit(context, "m")));
    SEDGE_TRY_GOTO(
        status, sedge_h5_texts(file, "/VTKHDF/CellData/material", "names", names, vtk->materials));
    int key[SEDGE_MAX_MATERIALS];
    const char *numbers[SEDGE_MAX_MATERIALS];
    const int graded = list_graded(key, context->deck);
    for (int k = 0; k < graded; k++) numbers[k] = context->deck->equation->materials[key[k]].name;
    if (graded > 0) status = sedge_h5_texts(file, GRADED_PATH, "names", numbers, graded);
done:
    sedge_release(names);
    return status;
}

// ---- the file ----------------------------------------------------------------------------------

// Root: all of mesh.hdf but the values of its datasets.
static sedge_status frame_mesh(const sedge_vtk *vtk, sedge_h5 *file, const void *what)
{
    const sedge_output_context *const context = vtk->context;
    const int64_t pieces = sedge_comm_size(context->comm);
    const int64_t offsets = vtk->elements + pieces;
    const sedge_vtk_mesh *const mesh = what;
    sedge_vtk_column columns[MESH_COLUMNS];

    const int count = mesh_columns(mesh, vtk, columns);
    SEDGE_TRY(sedge_vtk_write_head(vtk, file, "mesh"));
    SEDGE_TRY(sedge_h5_text(file, "/", "partition", mesh->partition));
    for (int i = 0; i < COUNTS; i++)
        SEDGE_TRY(sedge_h5_dataset(file, count_paths[i], SEDGE_H5_I64, 1, &pieces));
    SEDGE_TRY(sedge_h5_dataset(file, "/VTKHDF/Offsets", SEDGE_H5_I64, 1, &offsets));
    for (int i = 0; i < count; i++) SEDGE_TRY(sedge_vtk_make_column(vtk, file, &columns[i]));
    return describe_mesh(vtk, file);
}

// ---- the thread --------------------------------------------------------------------------------

static int64_t type_bytes(sedge_h5_type type)
{
    return type == SEDGE_H5_U8 ? 1 : type == SEDGE_H5_F32 || type == SEDGE_H5_I32 ? 4 : 8;
}

static sedge_status write_column(const sedge_vtk_mesh *mesh, const sedge_write *file,
                                 const sedge_vtk_column *column, int64_t place)
{
    const sedge_vtk *const vtk = mesh->vtk;
    const int64_t values = (int64_t)column->width * column->components; // of an element
    const int64_t step = vtk->block_values / values;
    const int64_t bytes = values * type_bytes(column->type);

    for (int64_t e = 0; e < vtk->own; e += step) {
        const int64_t count = vtk->own - e < step ? vtk->own - e : step;

        column->filler(vtk, mesh, e, count, vtk->block);
        SEDGE_TRY(
            sedge_write_put(file, place + (vtk->first + e) * bytes, vtk->block, count * bytes));
    }
    return SEDGE_OK;
}

// Offsets have one entry more than a piece has elements.
static sedge_status write_offsets(const sedge_vtk_mesh *mesh, const sedge_write *file,
                                  int64_t place)
{
    const sedge_vtk *const vtk = mesh->vtk;
    const int64_t first = vtk->first + sedge_comm_rank(vtk->context->comm);
    const int64_t all = vtk->own + 1;
    const int64_t bytes = sizeof(int64_t);
    int64_t *const offsets = vtk->block;

    for (int64_t e = 0; e < all; e += vtk->block_values) {
        const int64_t count = all - e < vtk->block_values ? all - e : vtk->block_values;

        for (int64_t i = 0; i < count; i++) offsets[i] = (e + i) * vtk->lattice->nodes;
        SEDGE_TRY(sedge_write_put(file, place + (first + e) * bytes, offsets, count * bytes));
    }
    return SEDGE_OK;
}

// This rank's part of mesh.hdf.
static sedge_status fill_mesh(void *of, const sedge_write *file)
{
    const sedge_vtk_mesh *const mesh = of;
    const sedge_vtk *const vtk = mesh->vtk;
    const int64_t points = vtk->own * vtk->lattice->nodes;
    const int64_t counts[COUNTS] = {points, vtk->own, points};
    const int64_t bytes = sizeof(int64_t);
    const int64_t rank = sedge_comm_rank(vtk->context->comm);
    sedge_vtk_column columns[MESH_COLUMNS];

    const int count = mesh_columns(mesh, vtk, columns);
    for (int i = 0; i < COUNTS; i++)
        SEDGE_TRY(sedge_write_put(file, mesh->places[i] + rank * bytes, &counts[i], bytes));
    SEDGE_TRY(write_offsets(mesh, file, mesh->places[COUNTS]));
    for (int i = 0; i < count; i++)
        SEDGE_TRY(write_column(mesh, file, &columns[i], mesh->places[COUNTS + 1 + i]));
    return SEDGE_OK;
}

// ---- links -------------------------------------------------------------------------------------

sedge_status sedge_vtk_mesh_link(const sedge_vtk_mesh *mesh, const sedge_vtk *vtk, sedge_h5 *file)
{
    sedge_vtk_column columns[MESH_COLUMNS];

    const int count = mesh_columns(mesh, vtk, columns);
    for (int i = 0; i < COUNTS; i++)
        SEDGE_TRY(sedge_h5_link(file, count_paths[i], mesh->name, count_paths[i]));
    SEDGE_TRY(sedge_h5_link(file, "/VTKHDF/Offsets", mesh->name, "/VTKHDF/Offsets"));
    for (int i = 0; i < count; i++)
        SEDGE_TRY(sedge_h5_link(file, columns[i].path, mesh->name, columns[i].path));
    return SEDGE_OK;
}

// ---- set-up ------------------------------------------------------------------------------------

// Points are fp32 unless that would move a lattice node by more than a hundredth of the distance to
// the next one, somewhere in the mesh.
static bool needs_wide_points(const sedge_output_context *context)
{
    const sedge_mesh *const mesh = context->mesh;
    double least = HUGE_VAL; // square of an edge
    double reach = 0.0;

    for (int32_t e = 0; e < mesh->elements; e++) {
        for (int a = 0; a < 4; a++) {
            for (int b = a + 1; b < 4; b++) {
                const double *const p = mesh->corners[e][a];
                const double *const q = mesh->corners[e][b];
                double square = 0.0;
                for (int d = 0; d < 3; d++) square += (p[d] - q[d]) * (p[d] - q[d]);
                if (square < least) least = square;
            }
        }
    }
    for (int side = 0; side < 2; side++)
        for (int d = 0; d < 3; d++) reach = fmax(reach, fabs(mesh->bounds[side][d]));
    sedge_comm_min(context->comm, &least, 1);
    return reach * (double)FLT_EPSILON / 2.0 > 0.01 * sqrt(least) / context->element->order ||
           reach > (double)FLT_MAX;
}

// The elements' order over ranks and their graded numbers, as a text: equal in runs whose mesh
// files are interchangeable.
static sedge_status name_partition(char partition[SEDGE_HASH_TEXT], const sedge_vtk *vtk)
{
    const sedge_comm *const comm = vtk->context->comm;
    const int64_t ranks = sedge_comm_size(comm);
    int64_t *ids = NULL;
    float *graded = NULL;
    sedge_hash *all = NULL;
    int key[SEDGE_MAX_MATERIALS];
    const int64_t numbers = vtk->own * list_graded(key, vtk->context->deck);
    sedge_status status = sedge_allocate(&ids, vtk->own, sizeof *ids);

    if (status == SEDGE_OK) status = sedge_allocate(&all, ranks, sizeof *all);
    if (status == SEDGE_OK) status = sedge_allocate(&graded, numbers, sizeof *graded);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    for (int64_t i = 0; i < vtk->own; i++) ids[i] = vtk->context->mesh->global_ids[vtk->element[i]];
    fill_graded(vtk, NULL, 0, vtk->own, graded);
    const void *const fields[2] = {ids, graded};
    const size_t bytes[2] = {(size_t)vtk->own * sizeof *ids, (size_t)numbers * sizeof *graded};
    const sedge_hash mine =
        numbers > 0 ? sedge_hash_fields(fields, bytes, 2) : sedge_hash_bytes(ids, bytes[0]);
    sedge_comm_all_gather(comm, &mine, all, sizeof mine);
    const sedge_hash together = sedge_hash_bytes(all, (size_t)ranks * sizeof *all);
    sedge_hash_print(&together, partition);
done:
    sedge_release(ids);
    sedge_release(graded);
    sedge_release(all);
    return status;
}

// Root: does the file of its name hold the mesh as it lies on the ranks now?
static bool has_partition(const sedge_vtk_mesh *mesh, const sedge_output_context *context)
{
    char path[SEDGE_OUTPUT_PATH];
    char partition[SEDGE_HASH_TEXT];
    sedge_h5 *file = NULL;

    sedge_output_path(path, context, mesh->name);
    if (access(path, F_OK) != 0) return false;
    sedge_status status = sedge_h5_open_read(&file, path);
    if (status == SEDGE_OK) {
        status = sedge_h5_read_text(file, "/", "partition", partition, sizeof partition);
        status = sedge_h5_close(file, status);
    }
    const bool same = status == SEDGE_OK && strcmp(partition, mesh->partition) == 0;
    sedge_error_clear(); // a file that cannot be read is not used
    return same;
}

// Choose the file's name; `*written` if the file is there.
static void choose_name(sedge_vtk_mesh *mesh, bool *written, const sedge_output_context *context,
                        bool in_use)
{
    (void)snprintf(mesh->name, sizeof mesh->name, "mesh.hdf");
    *written = false;
    if (!in_use) return;
    if (sedge_comm_is_root(context->comm)) {
        *written = has_partition(mesh, context);
        if (!*written) {
            (void)snprintf(mesh->name, sizeof mesh->name, "mesh-%.16s.hdf", mesh->partition);
            *written = has_partition(mesh, context);
        }
    }
    sedge_comm_broadcast(context->comm, mesh->name, sizeof mesh->name, 0);
    sedge_comm_broadcast(context->comm, written, sizeof *written, 0);
}

// Begin the file; the writer does the rest.
static sedge_status begin(sedge_vtk_mesh *mesh)
{
    const sedge_vtk *const vtk = mesh->vtk;
    sedge_vtk_column columns[MESH_COLUMNS];
    char paths[SEDGE_VTK_MESH_SETS][SEDGE_VTK_PATH];

    const int count = mesh_columns(mesh, vtk, columns);
    for (int i = 0; i < COUNTS; i++)
        (void)snprintf(paths[i], sizeof paths[i], "%s", count_paths[i]);
    (void)snprintf(paths[COUNTS], sizeof paths[COUNTS], "/VTKHDF/Offsets");
    for (int i = 0; i < count; i++)
        (void)snprintf(paths[COUNTS + 1 + i], sizeof paths[0], "%s", columns[i].path);
    SEDGE_TRY(sedge_vtk_begin(vtk, mesh->name, frame_mesh, mesh, paths, COUNTS + 1 + count,
                              mesh->places));
    mesh->to = (sedge_write){.fill = fill_mesh, .of = mesh};
    sedge_vtk_temporary(mesh->to.path, vtk, mesh->name);
    mesh->waiting = true;
    sedge_writer_add(vtk->context->writer, &mesh->to);
    return SEDGE_OK;
}

sedge_status sedge_vtk_mesh_prepare(sedge_vtk_mesh *mesh, const sedge_vtk *vtk, bool in_use)
{
    bool written = false;

    mesh->vtk = vtk;
    mesh->wide = needs_wide_points(vtk->context);
    SEDGE_TRY(name_partition(mesh->partition, vtk));
    choose_name(mesh, &written, vtk->context, in_use);
    return written ? SEDGE_OK : begin(mesh);
}

sedge_status sedge_vtk_mesh_complete(sedge_vtk_mesh *mesh, bool wait)
{
    if (!mesh->waiting) return SEDGE_OK;
    const sedge_output_context *const context = mesh->vtk->context;
    const bool root = sedge_comm_is_root(context->comm);
    int64_t busy = !wait && !sedge_writer_is_done(context->writer, &mesh->to);

    if (!wait) sedge_comm_max_int(context->comm, &busy, 1);
    if (busy != 0) return SEDGE_OK;
    sedge_status status =
        sedge_comm_agree(context->comm, sedge_writer_finish(context->writer, &mesh->to));
    if (root && status == SEDGE_OK) status = sedge_vtk_publish(mesh->vtk, mesh->name);
    status = sedge_comm_agree(context->comm, status);
    if (status == SEDGE_OK) {
        mesh->waiting = false;
    } else {
        sedge_vtk_mesh_discard(mesh);
    }
    return status;
}

void sedge_vtk_mesh_discard(sedge_vtk_mesh *mesh)
{
    if (mesh->waiting && sedge_comm_is_root(mesh->vtk->context->comm)) (void)unlink(mesh->to.path);
    mesh->waiting = false;
}
