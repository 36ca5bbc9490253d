// What holds for every mesh, checked on any number of ranks.
#pragma once

#include "base/memory.h"
#include "check.h"
#include "mesh/mesh.h"

#include <stdlib.h>

// One side of a halo face as it is sent to the other.
typedef struct halo_side {
    double corners[3][3];
    int8_t face, neighbour_face, orientation;
    int32_t group;
} halo_side;

static inline double largest_extent(const sedge_mesh *mesh)
{
    double extent = 0.0;

    for (int d = 0; d < 3; d++) extent = fmax(extent, mesh->bounds[1][d] - mesh->bounds[0][d]);
    return extent;
}

static inline void face_corners(const sedge_mesh *mesh, int32_t e, int f, double corners[3][3])
{
    for (int i = 0; i < 3; i++)
        memcpy(corners[i], mesh->corners[e][sedge_face_vertices[f][i]], sizeof corners[i]);
}

// Outward area vector of a face.
static inline void area_vector(const sedge_mesh *mesh, int32_t e, int f, double area[3])
{
    double c[3][3];
    double inward = 0.0;

    face_corners(mesh, e, f, c);
    for (int d = 0; d < 3; d++) {
        const int a = (d + 1) % 3, b = (d + 2) % 3;
        area[d] = 0.5 * ((c[1][a] - c[0][a]) * (c[2][b] - c[0][b]) -
                         (c[1][b] - c[0][b]) * (c[2][a] - c[0][a]));
    }
    for (int v = 0; v < 4; v++)
        for (int d = 0; d < 3; d++) inward += area[d] * (mesh->corners[e][v][d] - c[0][d]);
    if (inward > 0.0)
        for (int d = 0; d < 3; d++) area[d] = -area[d];
}

// Corner i of mine is corner perm[i] of theirs, up to one shift by 0 or +-period along each axis.
static inline int corners_agree(double mine[3][3], double theirs[3][3], int orientation,
                                const double period[3], double tolerance)
{
    const int *const to = sedge_face_permutations[orientation];
    int agree = 1;

    for (int d = 0; d < 3; d++) {
        const double shift = theirs[to[0]][d] - mine[0][d];
        agree &= shift == 0.0 || (period[d] > 0.0 && fabs(fabs(shift) - period[d]) <= tolerance);
        for (int i = 1; i < 3; i++)
            agree &= fabs(theirs[to[i]][d] - mine[i][d] - shift) <= tolerance;
    }
    return agree;
}

static inline int is_inverse(int a, int b)
{
    int inverse = 1;

    for (int i = 0; i < 3; i++)
        inverse &= sedge_face_permutations[b][sedge_face_permutations[a][i]] == i;
    return inverse;
}

// Faces between elements of this rank: reciprocal, inverse orientation, the same corners.
static inline void check_local_faces(const sedge_mesh *mesh, const double period[3])
{
    const double tolerance = 1e-6 * largest_extent(mesh); // a small part of an element
    int bad = 0;

    for (int32_t e = 0; e < mesh->elements; e++) {
        for (int f = 0; f < SEDGE_FACES; f++) {
            const sedge_face *const face = &mesh->faces[e][f];
            double mine[3][3];
            double theirs[3][3];
            if (face->neighbour < 0) {
                const int32_t slot = -1 - face->neighbour;
                bad += slot >= mesh->halo_faces + mesh->boundary_faces ||
                       mesh->trace_faces[slot].element != e || mesh->trace_faces[slot].face != f;
                bad += slot < mesh->halo_faces && e < sedge_mesh_interior(mesh);
                bad += slot >= mesh->halo_faces && (face->face != f || face->orientation != 0);
                continue;
            }
            const sedge_face *const back = &mesh->faces[face->neighbour][face->face];
            bad += back->neighbour != e || back->face != f ||
                   !is_inverse(face->orientation, back->orientation);
            face_corners(mesh, e, f, mine);
            face_corners(mesh, face->neighbour, face->face, theirs);
            bad += !corners_agree(mine, theirs, face->orientation, period, tolerance);
        }
    }
    CHECK(bad == 0);
    char *halo;
    CHECK_OK(sedge_allocate(&halo, mesh->elements, 1));
    for (int32_t i = 0; i < mesh->halo_faces; i++) halo[mesh->trace_faces[i].element] = 1;
    for (int32_t e = 0; e < mesh->elements; e++)
        bad += sedge_mesh_range(mesh, e)->halo != (halo[e] == 1);
    CHECK(bad == 0);
    sedge_release(halo);
}

// What the other ranks have in `out` for the halo faces, `bytes` each, into `in`.
static inline void exchange_halo(const sedge_comm *comm, const sedge_mesh *mesh, const void *out,
                                 void *in, int64_t bytes)
{
    int64_t *offsets;
    sedge_exchange *exchange = NULL;

    CHECK_OK(sedge_allocate(&offsets, mesh->peers + 1LL, sizeof *offsets));
    for (int p = 0; p <= mesh->peers; p++) offsets[p] = bytes * mesh->peer_offsets[p];
    CHECK_OK(sedge_exchange_create(&exchange, comm, mesh->peers, mesh->peer_ranks, offsets, offsets,
                                   NULL, out, in));
    sedge_exchange_post_receives(exchange);
    sedge_exchange_start_sends(exchange);
    sedge_exchange_wait(exchange);
    sedge_exchange_free(exchange);
    sedge_release(offsets);
}

// The same for faces shared with other ranks, through the halo plan.
static inline void check_halo_faces(const sedge_comm *comm, const sedge_mesh *mesh,
                                    const double period[3])
{
    const double tolerance = 1e-6 * largest_extent(mesh);
    halo_side *out;
    halo_side *in;
    int bad = 0;

    CHECK_OK(sedge_allocate(&out, mesh->halo_faces, sizeof *out));
    CHECK_OK(sedge_allocate(&in, mesh->halo_faces, sizeof *in));
    for (int32_t i = 0; i < mesh->halo_faces; i++) {
        const sedge_trace_face *const at = &mesh->trace_faces[i];
        const sedge_face *const face = &mesh->faces[at->element][at->face];
        face_corners(mesh, at->element, at->face, out[i].corners);
        out[i].face = (int8_t)at->face;
        out[i].neighbour_face = face->face;
        out[i].orientation = face->orientation;
        out[i].group = mesh->group[at->element];
    }
    CHECK(mesh->peer_offsets[mesh->peers] == mesh->halo_faces);
    exchange_halo(comm, mesh, out, in, sizeof *out);
    for (int32_t i = 0; i < mesh->halo_faces; i++) {
        const sedge_trace_face *const at = &mesh->trace_faces[i];
        if (mesh->faces[at->element][at->face].neighbour != -1 - i) continue; // a linked surface
        bad += in[i].face != out[i].neighbour_face || in[i].neighbour_face != out[i].face;
        bad += !is_inverse(out[i].orientation, in[i].orientation);
        bad += in[i].group != mesh->trace_faces[i].group;
        bad += !corners_agree(out[i].corners, in[i].corners, out[i].orientation, period, tolerance);
    }
    CHECK(bad == 0);
    sedge_release(out);
    sedge_release(in);
}

// Each element id exists once; groups and faces are counted as the groups say.
static inline void check_counts(const sedge_comm *comm, const sedge_mesh *mesh)
{
    const sedge_mesh_groups *const groups = &mesh->groups;
    int64_t *seen;
    int64_t *counts;
    int bad = 0;

    CHECK_OK(sedge_allocate(&seen, mesh->global_elements, sizeof *seen));
    CHECK_OK(sedge_allocate(&counts, groups->volumes + groups->surfaces, sizeof *counts));
    for (int32_t e = 0; e < mesh->elements; e++) {
        seen[mesh->global_ids[e]]++;
        counts[mesh->group[e]]++;
    }
    for (int32_t i = mesh->halo_faces; i < mesh->halo_faces + mesh->boundary_faces; i++)
        counts[groups->volumes + mesh->trace_faces[i].group]++;
    sedge_comm_sum_int(comm, seen, (int)mesh->global_elements);
    sedge_comm_sum_int(comm, counts, groups->volumes + groups->surfaces);
    for (int64_t e = 0; e < mesh->global_elements; e++) bad += seen[e] != 1;
    for (int g = 0; g < groups->volumes; g++) bad += counts[g] != groups->volume_elements[g];
    for (int g = 0; g < groups->surfaces; g++)
        bad += counts[groups->volumes + g] != groups->surface_faces[g];
    CHECK(bad == 0);
    CHECK(mesh->elements > 0);
    sedge_release(seen);
    sedge_release(counts);
}

// Volumes are positive; each element is closed; the boundary is closed where nothing is periodic,
// and the divergence theorem gives the volume from it. 1e-12: rounding of some thousand terms.
static inline void check_volumes(const sedge_comm *comm, const sedge_mesh *mesh, double volume,
                                 bool closed)
{
    const double extent = largest_extent(mesh);
    double sums[5] = {0.0}; // volume, its surface integral, area vector
    int bad = 0;

    for (int32_t e = 0; e < mesh->elements; e++) {
        double total[3] = {0.0, 0.0, 0.0};
        for (int f = 0; f < SEDGE_FACES; f++) {
            double area[3];
            area_vector(mesh, e, f, area);
            for (int d = 0; d < 3; d++) total[d] += area[d];
            if (-1 - mesh->faces[e][f].neighbour < mesh->halo_faces) continue;
            for (int d = 0; d < 3; d++) {
                const double at = mesh->corners[e][sedge_face_vertices[f][0]][d];
                sums[1] += (at - mesh->bounds[0][d]) * area[d] / 3.0;
                sums[2 + d] += area[d];
            }
        }
        for (int d = 0; d < 3; d++) bad += fabs(total[d]) > 1e-14 * extent * extent;
        const double own = sedge_tet_volume(mesh->corners[e]);
        bad += !(own > 0.0);
        sums[0] += own;
    }
    CHECK(bad == 0);
    sedge_comm_sum(comm, sums, 5);
    if (volume > 0.0) CHECK_BOUND(fabs(sums[0] - volume), 1e-12 * volume);
    if (!closed) return;
    CHECK_BOUND(fabs(sums[1] - sums[0]), 1e-12 * extent * extent * extent);
    for (int d = 0; d < 3; d++) CHECK_BOUND(fabs(sums[2 + d]), 1e-12 * extent * extent);
}

// One side of a named face as it is sent to the rank that has the other side.
typedef struct set_side {
    double corners[3][3];
    int32_t group, volume;
    int8_t face, orientation;
    bool second, known;
} set_side;

static inline void fill_set_side(set_side *out, const sedge_mesh *mesh, const sedge_set_face *side)
{
    face_corners(mesh, side->element, side->face, out->corners);
    out->group = side->group;
    out->volume = mesh->group[side->element];
    out->face = (int8_t)side->face;
    out->orientation = side->orientation;
    out->second = side->second;
    out->known = true;
}

// Do two sides know each other, and are they the same face, seen from either side? Those of a
// periodic face are in two surfaces, and both are first.
static inline int sides_agree(const sedge_set_face *mine, const set_side *own,
                              const set_side *other, const double period[3], double tolerance)
{
    const bool is_periodic = own->group != other->group;
    double here[3][3], there[3][3];

    memcpy(here, own->corners, sizeof here);
    memcpy(there, other->corners, sizeof there);
    return other->known && other->face == mine->other_face && other->volume == mine->other_group &&
           is_inverse(own->orientation, other->orientation) &&
           (is_periodic ? !own->second && !other->second : own->second != other->second) &&
           corners_agree(here, there, own->orientation, period, tolerance);
}

// The sides whose other side another rank has, through the halo's slots.
static inline void check_set_halo(const sedge_comm *comm, const sedge_mesh *mesh,
                                  const double period[3])
{
    const double tolerance = 1e-6 * largest_extent(mesh);
    const int32_t count = mesh->set_offsets[mesh->groups.surfaces];
    set_side *out;
    set_side *in;
    int bad = 0;

    CHECK_OK(sedge_allocate(&out, mesh->halo_faces, sizeof *out));
    CHECK_OK(sedge_allocate(&in, mesh->halo_faces, sizeof *in));
    for (int32_t i = 0; i < count; i++) {
        if (mesh->set_faces[i].other_slot < 0) continue;
        fill_set_side(&out[mesh->set_faces[i].other_slot], mesh, &mesh->set_faces[i]);
    }
    exchange_halo(comm, mesh, out, in, sizeof *out);
    for (int32_t i = 0; i < count; i++) {
        const sedge_set_face *const side = &mesh->set_faces[i];
        const int32_t slot = side->other_slot;
        if (slot < 0) continue;
        bad += side->other >= 0 || mesh->trace_faces[slot].element != side->element ||
               mesh->trace_faces[slot].face != side->face ||
               mesh->trace_faces[slot].group != side->other_group;
        bad += !sides_agree(side, &out[slot], &in[slot], period, tolerance);
    }
    CHECK(bad == 0);
    sedge_release(out);
    sedge_release(in);
}

// Face sets: each side once and in its place, both sides of one rank agree, the totals are those of
// the groups, and closed surfaces have as much area on either side.
static inline void check_sets(const sedge_comm *comm, const sedge_mesh *mesh,
                              const double period[3])
{
    const sedge_mesh_groups *const groups = &mesh->groups;
    const double tolerance = 1e-6 * largest_extent(mesh);
    int64_t *volumes;
    int bad = 0;

    for (int32_t i = 0; i < mesh->set_offsets[groups->surfaces]; i++) {
        const sedge_set_face *const side = &mesh->set_faces[i];
        const int32_t neighbour = mesh->faces[side->element][side->face].neighbour;
        bad += i < mesh->set_offsets[side->group] || i >= mesh->set_offsets[side->group + 1];
        bad += side->slot != (neighbour < 0 ? -1 - neighbour : -1);
        bad += side->slot < 0 && side->other != neighbour;
        bad += side->slot >= mesh->halo_faces && mesh->trace_faces[side->slot].group != side->group;
        if (side->other < 0) continue;
        set_side own, other = {.known = false};
        fill_set_side(&own, mesh, side);
        for (int32_t k = 0; k < mesh->set_offsets[groups->surfaces] && !other.known; k++) {
            const sedge_set_face *const at = &mesh->set_faces[k];
            if (at->element == side->other && at->face == side->other_face)
                fill_set_side(&other, mesh, at);
        }
        bad += !sides_agree(side, &own, &other, period, tolerance);
    }
    CHECK(bad == 0);
    check_set_halo(comm, mesh, period);
    CHECK_OK(sedge_allocate(&volumes, 2LL * groups->volumes, sizeof *volumes));
    for (int g = 0; g < groups->surfaces; g++) {
        sedge_surface_measures surface;
        sedge_mesh_measure_surface(&surface, volumes, comm, mesh, g);
        bad += surface.inside !=
               groups->surface_interior_faces[g] + groups->surface_two_sided_faces[g];
        bad += surface.outside != groups->surface_faces[g] - 2 * groups->surface_two_sided_faces[g];
        bad += !(surface.area > 0.0) && surface.inside + surface.outside > 0;
        for (int v = 0; v < groups->volumes; v++) {
            surface.outside -= volumes[v];
            surface.inside -= volumes[groups->volumes + v];
        }
        bad += surface.inside != 0 || surface.outside + groups->surface_interior_faces[g] +
                                              groups->surface_two_sided_faces[g] !=
                                          0;
    }
    CHECK(bad == 0);
    sedge_release(volumes);
}

// All of it. `volume` 0: not known; `period` 0 along the axes that are not periodic.
static inline void check_mesh(const sedge_comm *comm, const sedge_mesh *mesh, double volume,
                              const double period[3])
{
    check_local_faces(mesh, period);
    check_halo_faces(comm, mesh, period);
    check_counts(comm, mesh);
    check_sets(comm, mesh, period);
    check_volumes(comm, mesh, volume, period[0] + period[1] + period[2] == 0.0);
}

static inline int find_group(int count, char (*names)[64], const char *name)
{
    for (int g = 0; g < count; g++)
        if (strcmp(names[g], name) == 0) return g;
    return -1;
}

static inline int64_t volume_count(const sedge_mesh *mesh, const char *name)
{
    const int g = find_group(mesh->groups.volumes, mesh->groups.volume_names, name);

    return g < 0 ? -1 : mesh->groups.volume_elements[g];
}

// Outer and inner faces of a surface group; -1 if there is none.
static inline int64_t outer_count(const sedge_mesh *mesh, const char *name)
{
    const int g = find_group(mesh->groups.surfaces, mesh->groups.surface_names, name);

    return g < 0 ? -1 : mesh->groups.surface_faces[g];
}

static inline int64_t inner_count(const sedge_mesh *mesh, const char *name)
{
    const int g = find_group(mesh->groups.surfaces, mesh->groups.surface_names, name);

    return g < 0 ? -1 : mesh->groups.surface_interior_faces[g];
}
