#include "additions.h"

#include "whole.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

// Numbers of sedge_mesh_extruded, one after the other.
enum { EXTRUDED_LAYERS, EXTRUDED_SPHERE, EXTRUDED_COUNTS };
typedef struct extruded_lengths {
    double thickness, inner[2][3], centre[3], radius, steepest;
} extruded_lengths;

// Numbers of sedge_mesh_enclosed.
typedef struct enclosed_counts {
    int64_t surface, faces, elements, overlaps, walls;
    int64_t wall[SEDGE_ENCLOSED_WALLS][2]; // surface, periodic
} enclosed_counts;
typedef struct enclosed_lengths {
    double bounds[2][3];
    double wall[SEDGE_ENCLOSED_WALLS][3][3]; // both normals, place
} enclosed_lengths;

#define WORDS(type) ((int64_t)(sizeof(type) / 8))

_Static_assert(sizeof(sedge_mesh_beside) == 12 * sizeof(double), "boxes are stored as numbers");

// ---- writing -----------------------------------------------------------------------------------

static sedge_status write_extruded(sedge_h5 *file, const sedge_mesh_extruded *extruded)
{
    const int64_t counts[EXTRUDED_COUNTS] = {extruded->layers, extruded->sphere};
    const int64_t length = EXTRUDED_COUNTS;
    const int64_t lengths = WORDS(extruded_lengths);
    extruded_lengths out = {.thickness = extruded->thickness,
                            .radius = extruded->radius,
                            .steepest = extruded->steepest};

    memcpy(out.inner, extruded->inner, sizeof out.inner);
    memcpy(out.centre, extruded->centre, sizeof out.centre);
    SEDGE_TRY(sedge_h5_put(file, "/whole/layer_counts", SEDGE_H5_I64, 1, &length, counts));
    return sedge_h5_put(file, "/whole/layer_lengths", SEDGE_H5_F64, 1, &lengths, &out);
}

static void split_enclosed(enclosed_counts *counts, enclosed_lengths *lengths,
                           const sedge_mesh_enclosed *from)
{
    *counts = (enclosed_counts){.surface = from->surface,
                                .faces = from->faces,
                                .elements = from->elements,
                                .overlaps = from->overlaps,
                                .walls = from->walls};
    memset(lengths, 0, sizeof *lengths);
    memcpy(lengths->bounds, from->bounds, sizeof lengths->bounds);
    for (int w = 0; w < from->walls; w++) {
        counts->wall[w][0] = from->wall[w].surface;
        counts->wall[w][1] = from->wall[w].periodic;
        memcpy(lengths->wall[w][0], from->wall[w].normals, sizeof from->wall[w].normals);
        memcpy(lengths->wall[w][2], from->wall[w].place, sizeof from->wall[w].place);
    }
}

static sedge_status write_enclosed(sedge_h5 *file, const sedge_global *global)
{
    const int64_t count_shape[2] = {global->enclosures, WORDS(enclosed_counts)};
    const int64_t length_shape[2] = {global->enclosures, WORDS(enclosed_lengths)};
    const int64_t box_shape[3] = {global->enclosures, global->groups.volumes, 12};
    enclosed_counts counts[SEDGE_ENCLOSURES_MAX];
    enclosed_lengths lengths[SEDGE_ENCLOSURES_MAX];

    for (int i = 0; i < global->enclosures; i++)
        split_enclosed(&counts[i], &lengths[i], &global->enclosed[i]);
    SEDGE_TRY(sedge_h5_put(file, "/whole/enclosed_counts", SEDGE_H5_I64, 2, count_shape, counts));
    SEDGE_TRY(
        sedge_h5_put(file, "/whole/enclosed_lengths", SEDGE_H5_F64, 2, length_shape, lengths));
    return sedge_h5_put(file, "/whole/enclosed_boxes", SEDGE_H5_F64, 3, box_shape,
                        global->enclosed_beside);
}

sedge_status mesh_additions_write(sedge_h5 *file, const sedge_global *global)
{
    const int64_t periods[2] = {global->periods, 3};

    SEDGE_TRY(sedge_h5_put(file, "/whole/periods", SEDGE_H5_F64, 2, periods, global->period));
    SEDGE_TRY(write_extruded(file, &global->extruded));
    return write_enclosed(file, global);
}

// ---- reading -----------------------------------------------------------------------------------

static sedge_status read_extruded(sedge_mesh *mesh, sedge_h5 *file, const char *path)
{
    sedge_mesh_extruded *const extruded = &mesh->extruded;
    const int64_t length = EXTRUDED_COUNTS;
    const int64_t lengths = WORDS(extruded_lengths);
    int64_t counts[EXTRUDED_COUNTS];
    extruded_lengths in;

    SEDGE_TRY(mesh_whole_read(file, path, "/whole/layer_counts", SEDGE_H5_I64, 1, &length, counts));
    SEDGE_TRY(mesh_whole_read(file, path, "/whole/layer_lengths", SEDGE_H5_F64, 1, &lengths, &in));
    if (counts[EXTRUDED_LAYERS] < 0 || counts[EXTRUDED_LAYERS] > 8 || !(in.thickness >= 0.0) ||
        !isfinite(in.thickness) || !(in.radius >= 0.0) || !isfinite(in.radius))
        return mesh_whole_fail(path, "the absorbing layers have no size");
    extruded->layers = (int)counts[EXTRUDED_LAYERS];
    extruded->sphere = counts[EXTRUDED_SPHERE] != 0;
    extruded->thickness = in.thickness;
    extruded->radius = in.radius;
    extruded->steepest = in.steepest;
    memcpy(extruded->inner, in.inner, sizeof in.inner);
    memcpy(extruded->centre, in.centre, sizeof in.centre);
    return SEDGE_OK;
}

static sedge_status join_enclosed(sedge_mesh_enclosed *out, const enclosed_counts *counts,
                                  const enclosed_lengths *lengths, const sedge_mesh *mesh,
                                  const char *path)
{
    const int surfaces = mesh->groups.surfaces;

    if (counts->surface < -1 || counts->surface >= surfaces || counts->walls < 0 ||
        counts->walls > SEDGE_ENCLOSED_WALLS)
        return mesh_whole_fail(path, "a closed surface is in no group, or has too many walls");
    *out = (sedge_mesh_enclosed){.surface = (int)counts->surface,
                                 .faces = counts->faces,
                                 .elements = counts->elements,
                                 .overlaps = (uint32_t)counts->overlaps,
                                 .walls = (int)counts->walls};
    memcpy(out->bounds, lengths->bounds, sizeof out->bounds);
    for (int w = 0; w < out->walls; w++) {
        if (counts->wall[w][0] < 0 || counts->wall[w][0] >= surfaces)
            return mesh_whole_fail(path, "a closed surface ends on an unknown group");
        out->wall[w].surface = (int)counts->wall[w][0];
        out->wall[w].periodic = counts->wall[w][1] != 0;
        memcpy(out->wall[w].normals, lengths->wall[w][0], sizeof out->wall[w].normals);
        memcpy(out->wall[w].place, lengths->wall[w][2], sizeof out->wall[w].place);
    }
    return SEDGE_OK;
}

static sedge_status read_enclosed(sedge_mesh *mesh, sedge_h5 *file, const char *path)
{
    int64_t count_shape[2];
    enclosed_counts counts[SEDGE_ENCLOSURES_MAX];
    enclosed_lengths lengths[SEDGE_ENCLOSURES_MAX];

    SEDGE_TRY(sedge_h5_shape(file, "/whole/enclosed_counts", SEDGE_H5_I64, 2, count_shape));
    if (count_shape[0] > SEDGE_ENCLOSURES_MAX || count_shape[1] != WORDS(enclosed_counts))
        return mesh_whole_fail(path, "it has too many closed surfaces");
    mesh->enclosures = (int)count_shape[0];
    const int64_t length_shape[2] = {mesh->enclosures, WORDS(enclosed_lengths)};
    const int64_t box_shape[3] = {mesh->enclosures, mesh->groups.volumes, 12};
    SEDGE_TRY(sedge_allocate(&mesh->enclosed, mesh->enclosures, sizeof *mesh->enclosed));
    SEDGE_TRY(sedge_allocate(&mesh->enclosed_beside, box_shape[0] * box_shape[1],
                             sizeof *mesh->enclosed_beside));
    SEDGE_TRY(mesh_whole_read(file, path, "/whole/enclosed_counts", SEDGE_H5_I64, 2, count_shape,
                              counts));
    SEDGE_TRY(mesh_whole_read(file, path, "/whole/enclosed_lengths", SEDGE_H5_F64, 2, length_shape,
                              lengths));
    SEDGE_TRY(mesh_whole_read(file, path, "/whole/enclosed_boxes", SEDGE_H5_F64, 3, box_shape,
                              mesh->enclosed_beside));
    for (int i = 0; i < mesh->enclosures; i++)
        SEDGE_TRY(join_enclosed(&mesh->enclosed[i], &counts[i], &lengths[i], mesh, path));
    return SEDGE_OK;
}

sedge_status mesh_additions_read(sedge_mesh *mesh, sedge_h5 *file, const char *path)
{
    int64_t shape[2];

    SEDGE_TRY(sedge_h5_shape(file, "/whole/periods", SEDGE_H5_F64, 2, shape));
    if (shape[0] > 3 + mesh->groups.surfaces || shape[1] != 3)
        return mesh_whole_fail(path, "it has too many periodic surfaces");
    SEDGE_TRY(sedge_allocate(&mesh->period, shape[0], sizeof *mesh->period));
    SEDGE_TRY(mesh_whole_read(file, path, "/whole/periods", SEDGE_H5_F64, 2, shape, mesh->period));
    mesh->periods = (int)shape[0];
    SEDGE_TRY(read_extruded(mesh, file, path));
    return read_enclosed(mesh, file, path);
}
