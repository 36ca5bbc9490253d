#include "slice.h"

#include "whole.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

// ---- layout ------------------------------------------------------------------------------------

void mesh_slice_columns(mesh_column columns[MESH_COLUMNS], const mesh_slice *slice,
                        int64_t elements)
{
    const int64_t n = elements;
    const mesh_column all[MESH_COLUMNS] = {
        {"/elements/number", SEDGE_H5_I64, 1, {n}, slice->number},
        {"/elements/group", SEDGE_H5_I32, 1, {n}, slice->group},
        {"/elements/corners", SEDGE_H5_F64, 3, {n, 4, 3}, slice->corners},
        {"/elements/neighbour", SEDGE_H5_I64, 2, {n, SEDGE_FACES}, slice->neighbour},
        {"/elements/surface", SEDGE_H5_I32, 2, {n, SEDGE_FACES}, slice->surface},
        {"/elements/behind", SEDGE_H5_U8, 3, {n, SEDGE_FACES, BEHIND}, slice->behind},
        {"/elements/curve", SEDGE_H5_I64, 1, {n}, slice->curve},
    };

    memcpy(columns, all, sizeof all);
}

sedge_status mesh_slice_allocate(mesh_slice *slice, int32_t count)
{
    slice->count = count;
    SEDGE_TRY(sedge_allocate(&slice->number, count, sizeof *slice->number));
    SEDGE_TRY(sedge_allocate(&slice->group, count, sizeof *slice->group));
    SEDGE_TRY(sedge_allocate(&slice->corners, count, sizeof *slice->corners));
    SEDGE_TRY(sedge_allocate(&slice->neighbour, count, sizeof *slice->neighbour));
    SEDGE_TRY(sedge_allocate(&slice->surface, count, sizeof *slice->surface));
    SEDGE_TRY(sedge_allocate(&slice->behind, count, sizeof *slice->behind));
    return sedge_allocate(&slice->curve, count, sizeof *slice->curve);
}

void mesh_slice_release(mesh_slice *slice)
{
    sedge_release(slice->number);
    sedge_release(slice->group);
    sedge_release(slice->corners);
    sedge_release(slice->neighbour);
    sedge_release(slice->surface);
    sedge_release(slice->behind);
    sedge_release(slice->curve);
    sedge_release(slice->middles);
    sedge_release(slice->planes);
    *slice = (mesh_slice){.count = 0};
}

int64_t mesh_slice_first(int64_t elements, int rank, int ranks)
{
    return elements / ranks * rank + elements % ranks * rank / ranks;
}

int mesh_slice_home(int64_t elements, int64_t row, int ranks)
{
    int rank = (int)((double)row / (double)elements * ranks);

    if (rank >= ranks) rank = ranks - 1;
    while (rank > 0 && row < mesh_slice_first(elements, rank, ranks)) rank--;
    while (row >= mesh_slice_first(elements, rank + 1, ranks)) rank++;
    return rank;
}

// ---- checks of one rank ------------------------------------------------------------------------

static const char *find_face_fault(const mesh_slice *s, int32_t i, int f, const sedge_mesh *mesh)
{
    const int64_t neighbour = s->neighbour[i][f];
    const int32_t surface = s->surface[i][f];
    const uint8_t *const behind = s->behind[i][f];

    if (neighbour < -1 || neighbour >= mesh->global_elements) return "a neighbour is out of range";
    if (neighbour == s->first + i && mesh->periods == 0) return "an element is its own neighbour";
    if (surface < -1 || surface >= mesh->groups.surfaces) return "a surface group is out of range";
    if (neighbour < 0 && surface < 0) return "an outer face is in no surface group";
    if (behind[BEHIND_FACE] >= SEDGE_FACES) return "a neighbour's face is out of range";
    if (behind[BEHIND_ORIENTATION] >= 6) return "an orientation is out of range";
    if (behind[BEHIND_SECOND] > 1) return "a side is neither the first nor the second";
    return NULL;
}

static const char *find_fault(const mesh_slice *s, int32_t i, const sedge_mesh *mesh)
{
    for (int v = 0; v < 4; v++) {
        for (int d = 0; d < 3; d++)
            if (!isfinite(s->corners[i][v][d])) return "a coordinate is not a number";
    }
    if (!(sedge_tet_volume(s->corners[i]) > 0.0)) return "an element has no positive volume";
    if (s->number[i] < 0 || s->number[i] >= mesh->global_elements)
        return "the number of an element is out of range";
    if (s->group[i] < 0 || s->group[i] >= mesh->groups.volumes)
        return "a volume group is out of range";
    for (int f = 0; f < SEDGE_FACES; f++) {
        const char *const fault = find_face_fault(s, i, f, mesh);
        if (fault != NULL) return fault;
    }
    return NULL;
}

// Curved elements have consecutive rows of middles.
static const char *count_curved(mesh_slice *s, int32_t *at, const sedge_mesh *mesh)
{
    for (*at = 0; *at < s->count; ++*at) {
        const int64_t row = s->curve[*at];
        if (row == -1) continue;
        if (s->curved == 0) s->first_curve = row;
        if (row < 0 || row >= mesh->global_curved || row != s->first_curve + s->curved)
            return "a row of middles is out of range";
        s->curved++;
    }
    return NULL;
}

static sedge_status check_slice(mesh_slice *s, const char *path, const sedge_mesh *mesh)
{
    int32_t i = 0;
    const char *fault = count_curved(s, &i, mesh);

    for (int32_t j = 0; j < s->count && fault == NULL; j++) {
        fault = find_fault(s, j, mesh);
        i = j;
    }
    if (fault == NULL) return SEDGE_OK;
    return mesh_whole_fail(path, "%s (row %lld of /elements)", fault, (long long)s->first + i);
}

// ---- reading -----------------------------------------------------------------------------------

// Collective.
static sedge_status read_column(sedge_h5 *file, const char *path, const mesh_column *column,
                                int64_t first, int64_t rows, const sedge_comm *comm)
{
    SEDGE_TRY(sedge_comm_agree(comm, mesh_whole_check(file, path, column->path, column->type,
                                                      column->rank, column->shape)));
    return sedge_comm_agree(
        comm, sedge_h5_read(file, column->path, column->type, first, rows, column->data));
}

// The nodes of straight edges are in the middle, to the bit, also after scaling.
static sedge_status scale_slice(mesh_slice *s, const char *path, double scale)
{
    for (int32_t i = 0; i < s->count; i++) {
        double(*const x)[3] = s->corners[i];
        double(*const middle)[3] =
            s->curve[i] >= 0 ? s->middles[s->curve[i] - s->first_curve] : NULL;
        for (int k = 0; k < SEDGE_EDGES && middle != NULL; k++) {
            const double *const a = x[sedge_edge_vertices[k][0]];
            const double *const b = x[sedge_edge_vertices[k][1]];
            for (int d = 0; d < 3; d++) {
                const bool straight = middle[k][d] == 0.5 * (a[d] + b[d]);
                middle[k][d] =
                    straight ? 0.5 * (a[d] * scale + b[d] * scale) : middle[k][d] * scale;
                if (isfinite(middle[k][d])) continue;
                return mesh_whole_fail(path, "a coordinate is not a number (row %lld of %s)",
                                       (long long)s->curve[i], MESH_MIDDLES);
            }
        }
        for (int v = 0; v < 4; v++)
            for (int d = 0; d < 3; d++) x[v][d] *= scale;
    }
    return SEDGE_OK;
}

static sedge_status read_middles(mesh_slice *s, sedge_h5 *file, const char *path,
                                 const sedge_mesh *mesh, const sedge_comm *comm)
{
    int64_t curved = s->curved;
    const sedge_status status = sedge_allocate(&s->middles, s->curved, sizeof *s->middles);

    SEDGE_TRY(sedge_comm_agree(comm, status));
    sedge_comm_sum_int(comm, &curved, 1);
    if (curved != mesh->global_curved) {
        return mesh_whole_fail(path, "%lld of its elements are curved, and %lld are expected",
                               (long long)curved, (long long)mesh->global_curved);
    }
    if (curved == 0) return SEDGE_OK;
    const mesh_column column = {
        MESH_MIDDLES, SEDGE_H5_F64, 3, {curved, SEDGE_EDGES, 3}, s->middles};
    return read_column(file, path, &column, s->first_curve, s->curved, comm);
}

static sedge_status read_planes(mesh_slice *s, sedge_h5 *file, const char *path,
                                const sedge_mesh *mesh, const sedge_comm *comm)
{
    if (!(mesh->extruded.radius > 0.0)) return SEDGE_OK;
    SEDGE_TRY(sedge_comm_agree(comm, sedge_allocate(&s->planes, s->count, sizeof *s->planes)));
    const mesh_column column = {
        MESH_PLANES, SEDGE_H5_F64, 2, {mesh->global_elements, 3}, s->planes};
    return read_column(file, path, &column, s->first, s->count, comm);
}

sedge_status mesh_slice_read(mesh_slice *slice, sedge_h5 *file, const char *path, double scale,
                             const sedge_mesh *mesh, const sedge_comm *comm)
{
    const int64_t elements = mesh->global_elements;
    const int rank = sedge_comm_rank(comm);
    const int ranks = sedge_comm_size(comm);
    mesh_column columns[MESH_COLUMNS];

    slice->first = mesh_slice_first(elements, rank, ranks);
    const int64_t count = mesh_slice_first(elements, rank + 1, ranks) - slice->first;
    sedge_status status =
        count <= INT32_MAX
            ? mesh_slice_allocate(slice, (int32_t)count)
            : SEDGE_FAIL(SEDGE_ERR_USAGE, "%lld elements are too many for %d ranks: use more",
                         (long long)elements, ranks);
    SEDGE_TRY(sedge_comm_agree(comm, status));
    mesh_slice_columns(columns, slice, elements);
    for (int c = 0; c < MESH_COLUMNS; c++)
        SEDGE_TRY(read_column(file, path, &columns[c], slice->first, count, comm));
    SEDGE_TRY(sedge_comm_agree(comm, check_slice(slice, path, mesh)));
    SEDGE_TRY(read_middles(slice, file, path, mesh, comm));
    SEDGE_TRY(read_planes(slice, file, path, mesh, comm));
    return sedge_comm_agree(comm, scale_slice(slice, path, scale));
}
