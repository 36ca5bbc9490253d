#include "port_whole.h"

#include "maxwell/sheets/shape_fit.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

#define FLAT 1e-6 // of the surface's size: the digits of mesh files

void port_whole_mirror(double out[3], const double x[3], const sedge_problem *problem, int mask,
                       double size)
{
    for (int d = 0; d < 3; d++) {
        const double from = x[d] - problem->mirrors[d].position;
        const bool moves = (mask >> d & 1) != 0 && fabs(from) > FLAT * size;
        out[d] = moves ? problem->mirrors[d].position - from : x[d];
    }
}

// The greatest extent of the surface along an axis.
static double find_size(const sedge_surface_shape *shape)
{
    double size = 0.0;

    for (int d = 0; d < 3; d++) {
        const double axis[3] = {d == 0, d == 1, d == 2};
        double extent[2];

        shape_find_extent(axis, shape, extent);
        size = fmax(size, extent[1] - extent[0]);
    }
    return size;
}

int port_whole_mask(const sedge_problem *problem)
{
    int mask = 0;

    for (int d = 0; d < 3; d++)
        if (problem->mirrors[d].kind != SEDGE_MIRROR_NONE) mask |= 1 << d;
    return mask;
}

int port_whole_parts(const sedge_problem *problem)
{
    const int mask = port_whole_mask(problem);

    return 1 << ((mask & 1) + (mask >> 1 & 1) + (mask >> 2));
}

sedge_status port_whole_check(const sedge_problem *problem, const char *surface, int parts)
{
    const int copies = port_whole_parts(problem);

    if (parts == copies) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "boundaries.%s: the mesh is one of %d parts that are mirror images, and the "
                      "port '%s' has %d of its own: there would be several such ports; each plane "
                      "of symmetry must cut each port, or model the whole structure",
                      surface, copies, surface, parts);
}

// How many parts the surface has about the planes of symmetry on which it ends.
static int count_parts(const sedge_problem *problem, const sedge_surface_shape *shape, double size)
{
    int parts = 1;

    for (int d = 0; d < 3; d++) {
        const sedge_mirror_plane *const mirror = &problem->mirrors[d];
        const double axis[3] = {d == 0, d == 1, d == 2};
        double extent[2];

        if (mirror->kind == SEDGE_MIRROR_NONE) continue;
        shape_find_extent(axis, shape, extent);
        const double off =
            fmin(fabs(extent[0] - mirror->position), fabs(extent[1] - mirror->position));
        if (off <= FLAT * size && extent[1] - extent[0] > FLAT * size) parts *= 2;
    }
    return parts;
}

sedge_status port_whole_create(port_whole *out, const sedge_problem *problem, const char *surface,
                               const sedge_surface_shape *shape)
{
    const double size = find_size(shape);
    const int mask = port_whole_mask(problem);
    const int64_t count = port_whole_parts(problem) * shape->count;
    int64_t at = 0;

    *out = (port_whole){.triangles = NULL};
    SEDGE_TRY(port_whole_check(problem, surface, count_parts(problem, shape, size)));
    SEDGE_TRY(sedge_allocate(&out->triangles, count, sizeof *out->triangles));
    SEDGE_TRY(sedge_allocate(&out->volumes, count, sizeof *out->volumes));
    SEDGE_TRY(sedge_allocate(&out->middles, count, sizeof *out->middles));
    for (int part = 0; part < 8; part++) {
        if ((part & mask) != part) continue;
        for (int64_t i = 0; i < shape->count; i++, at++) {
            for (int k = 0; k < 9; k += 3) {
                port_whole_mirror(out->triangles[at] + k, shape->triangles[i] + k, problem, part,
                                  size);
                if (shape->middles != NULL) {
                    port_whole_mirror(out->middles[at] + k, shape->middles[i] + k, problem, part,
                                      size);
                }
            }
            memcpy(out->volumes[at], shape->volumes[i], sizeof *out->volumes);
        }
    }
    out->shape = (sedge_surface_shape){
        count, (const double(*)[9])out->triangles, (const int(*)[2])out->volumes,
        shape->middles != NULL ? (const double(*)[9])out->middles : NULL};
    return SEDGE_OK;
}

void port_whole_clear(const port_whole *whole)
{
    sedge_release(whole->triangles);
    sedge_release(whole->volumes);
    sedge_release(whole->middles);
}
