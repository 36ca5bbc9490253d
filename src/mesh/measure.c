#include "mesh.h"

#include "base/memory.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { WORST_ROOM = 8 };

// A sum that keeps its rounding error (two-sum of Knuth).
typedef struct long_sum {
    double high, low;
} long_sum;

static void add(long_sum *sum, double term)
{
    const double next = sum->high + term;
    const double part = next - sum->high;

    sum->low += (sum->high - (next - part)) + (term - part);
    sum->high = next;
}

static bool is_worse(const sedge_bad_element *a, const sedge_bad_element *b)
{
    return a->quality != b->quality ? a->quality < b->quality : a->global_id < b->global_id;
}

// Insert into a list kept worst first.
static void keep_worst(sedge_bad_element *list, int *count, const sedge_bad_element *element)
{
    int at = *count;

    if (at == WORST_ROOM && !is_worse(element, &list[at - 1])) return;
    if (at < WORST_ROOM) {
        ++*count;
    } else {
        at--;
    }
    for (; at > 0 && is_worse(element, &list[at - 1]); at--) list[at] = list[at - 1];
    list[at] = *element;
}

static void measure_edges(double corners[4][3], double *least, double *greatest)
{
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < i; j++) {
            double square = 0.0;
            for (int d = 0; d < 3; d++) {
                const double step = corners[i][d] - corners[j][d];
                square += step * step;
            }
            *least = fmin(*least, sqrt(square));
            *greatest = fmax(*greatest, sqrt(square));
        }
    }
}

static sedge_status gather_worst(sedge_mesh_quality *out, const sedge_comm *comm)
{
    struct {
        int64_t count;
        sedge_bad_element list[WORST_ROOM];
    } mine, *all;
    const int ranks = sedge_comm_size(comm);

    memset(&mine, 0, sizeof mine);
    mine.count = out->worst_count;
    memcpy(mine.list, out->worst, sizeof mine.list);
    const sedge_status status = sedge_allocate(&all, ranks, sizeof *all);
    SEDGE_TRY(sedge_comm_agree(comm, status));
    sedge_comm_all_gather(comm, &mine, all, sizeof mine);
    out->worst_count = 0;
    for (int r = 0; r < ranks; r++) {
        for (int i = 0; i < all[r].count; i++)
            keep_worst(out->worst, &out->worst_count, &all[r].list[i]);
    }
    sedge_release(all);
    return SEDGE_OK;
}

// Elements of all ranks whose quality is `least`, but for rounding.
static int64_t count_alike(const sedge_comm *comm, const sedge_mesh *mesh, double least)
{
    int64_t count = 0;

    for (int32_t e = 0; e < mesh->elements; e++)
        count += sedge_tet_quality(mesh->corners[e]) <= least * (1.0 + 1e-9);
    sedge_comm_sum_int(comm, &count, 1);
    return count;
}

sedge_status sedge_mesh_measure(sedge_mesh_quality *out, const sedge_comm *comm,
                                const sedge_mesh *mesh)
{
    long_sum volume = {0.0, 0.0};
    long_sum quality = {0.0, 0.0};
    double least[3] = {DBL_MAX, DBL_MAX, DBL_MAX}; // inradius, edge, quality
    double greatest[2] = {0.0, 0.0};               // inradius, edge

    memset(out, 0, sizeof *out);
    for (int32_t e = 0; e < mesh->elements; e++) {
        double(*const corners)[3] = mesh->corners[e];
        sedge_bad_element element = {.global_id = mesh->global_ids[e], .group = mesh->group[e]};
        element.quality = sedge_tet_quality(corners);
        element.inradius = sedge_mesh_inradius(mesh, e);
        for (int v = 0; v < 4; v++)
            for (int d = 0; d < 3; d++) element.centroid[d] += 0.25 * corners[v][d];
        keep_worst(out->worst, &out->worst_count, &element);
        add(&volume, sedge_mesh_volume(mesh, e));
        add(&quality, element.quality);
        least[0] = fmin(least[0], element.inradius);
        greatest[0] = fmax(greatest[0], element.inradius);
        measure_edges(corners, &least[1], &greatest[1]);
        least[2] = fmin(least[2], element.quality);
        const int bin = (int)(10.0 * element.quality);
        out->quality_histogram[bin > 9 ? 9 : bin]++;
    }
    sedge_comm_min(comm, least, 3);
    sedge_comm_max(comm, greatest, 2);
    sedge_comm_sum_int(comm, out->quality_histogram, 10);
    int64_t counts[3] = {mesh->halo_faces, mesh->elements, -(int64_t)mesh->elements};
    sedge_comm_max_int(comm, counts, 3);
    out->volume = sedge_comm_sum_exact(comm, volume.high, volume.low);
    out->quality_mean =
        sedge_comm_sum_exact(comm, quality.high, quality.low) / (double)mesh->global_elements;
    out->inradius_min = least[0];
    out->inradius_max = greatest[0];
    out->edge_min = least[1];
    out->edge_max = greatest[1];
    out->quality_min = least[2];
    out->worst_alike = count_alike(comm, mesh, least[2]);
    out->halo_faces_max = counts[0];
    out->elements_max = counts[1];
    out->elements_min = -counts[2];
    return gather_worst(out, comm);
}

sedge_status sedge_mesh_measure_groups(double *volumes, const sedge_comm *comm,
                                       const sedge_mesh *mesh)
{
    long_sum *sums = NULL;

    const sedge_status status = sedge_allocate(&sums, mesh->groups.volumes, sizeof *sums);
    SEDGE_TRY(sedge_comm_agree(comm, status));
    for (int32_t e = 0; e < mesh->elements; e++)
        add(&sums[mesh->group[e]], sedge_mesh_volume(mesh, e));
    for (int g = 0; g < mesh->groups.volumes; g++)
        volumes[g] = sedge_comm_sum_exact(comm, sums[g].high, sums[g].low);
    sedge_release(sums);
    return SEDGE_OK;
}

// The area of a face: a rule of degree five (Strang and Fix), exact for straight elements. The
// normal of sedge_curve_normal is relative to a reference face of area 2.
static double measure_face(const sedge_mesh *mesh, int32_t element, int face)
{
    static const double place[2] = {0.4701420641051151, 0.1012865073234563};
    static const double weight[3] = {0.225, 0.1323941527885062, 0.1259391805448271};
    static const double vertex[4][3] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
    double c[SEDGE_CURVE_TERMS][3];
    double area = 0.0;

    sedge_mesh_expand(mesh, element, c);
    for (int q = 0; q < 7; q++) {
        const double a = q == 0 ? 1.0 / 3.0 : place[(q - 1) / 3];
        double rst[3] = {0.0, 0.0, 0.0};
        double dx[3][3], cofactor[3][3], n[3];
        for (int i = 0; i < 3; i++) {
            const double b = q > 0 && i == (q - 1) % 3 ? 1.0 - 2.0 * a : a;
            for (int d = 0; d < 3; d++) rst[d] += b * vertex[sedge_face_vertices[face][i]][d];
        }
        sedge_curve_tangents(c, rst, dx);
        sedge_curve_cofactors(dx, cofactor);
        sedge_curve_normal(cofactor, face, n);
        area += 2.0 * weight[(q + 2) / 3] * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    }
    return area;
}

void sedge_mesh_measure_surface(sedge_surface_measures *out, int64_t *volumes,
                                const sedge_comm *comm, const sedge_mesh *mesh, int surface)
{
    const int groups = mesh->groups.volumes;
    long_sum area = {0.0, 0.0};
    int64_t counts[2] = {0, 0}; // outside, inside

    memset(volumes, 0, 2 * (size_t)groups * sizeof *volumes);
    for (int32_t i = mesh->set_offsets[surface]; i < mesh->set_offsets[surface + 1]; i++) {
        const sedge_set_face *const side = &mesh->set_faces[i];
        if (side->second) continue;
        counts[side->other_group >= 0]++;
        volumes[mesh->group[side->element]]++;
        if (side->other_group >= 0) volumes[groups + side->other_group]++;
        add(&area, measure_face(mesh, side->element, side->face));
    }
    sedge_comm_sum_int(comm, counts, 2);
    sedge_comm_sum_int(comm, volumes, 2 * groups);
    out->outside = counts[0];
    out->inside = counts[1];
    out->area = sedge_comm_sum_exact(comm, area.high, area.low);
}
