// Measures of one tetrahedron, the check that all of them have a volume of one sign, and the
// measures of a whole mesh: extent, quality, areas.
#include "global.h"

#include "base/memory.h"
#include "base/parallel.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { GRAIN = 8192 }; // elements for one thread

static void subtract(const double a[3], const double b[3], double out[3])
{
    for (int d = 0; d < 3; d++) out[d] = a[d] - b[d];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Edges from vertex 0.
static void find_edges(double corners[4][3], double edges[3][3])
{
    for (int i = 0; i < 3; i++) subtract(corners[i + 1], corners[0], edges[i]);
}

double sedge_tet_volume(double corners[4][3])
{
    double edges[3][3];
    double normal[3];

    find_edges(corners, edges);
    cross(edges[1], edges[2], normal);
    return dot(edges[0], normal) / 6.0;
}

// The sum of the faces' areas, and the largest of them.
static double find_surface(double corners[4][3], double *largest)
{
    double sum = 0.0;

    *largest = 0.0;
    for (int f = 0; f < SEDGE_FACES; f++) {
        const int *const v = sedge_face_vertices[f];
        double a[3];
        double b[3];
        double normal[3];
        subtract(corners[v[1]], corners[v[0]], a);
        subtract(corners[v[2]], corners[v[0]], b);
        cross(a, b, normal);
        const double area = 0.5 * sqrt(dot(normal, normal));
        sum += area;
        *largest = fmax(*largest, area);
    }
    return sum;
}

double sedge_longest_edge(double corners[4][3])
{
    double longest = 0.0;

    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < i; j++) {
            double edge[3];
            subtract(corners[i], corners[j], edge);
            const double square = dot(edge, edge);
            if (square > longest) longest = square;
        }
    }
    return sqrt(longest);
}

// In a unit near the longest edge, so that no product of edges leaves the range of numbers. It is a
// power of two, which rounds nothing; returns its exponent.
static int scale(double corners[4][3], double scaled[4][3])
{
    int exponent;

    (void)frexp(sedge_longest_edge(corners), &exponent);
    const double unit = ldexp(1.0, -exponent);
    for (int v = 0; v < 4; v++)
        for (int d = 0; d < 3; d++) scaled[v][d] = corners[v][d] * unit;
    return exponent;
}

double sedge_tet_inradius(double corners[4][3])
{
    double scaled[4][3];
    double largest;
    const int exponent = scale(corners, scaled);
    const double area = find_surface(scaled, &largest);

    return area > 0.0 ? ldexp(3.0 * fabs(sedge_tet_volume(scaled)) / area, exponent) : 0.0;
}

double sedge_tet_height(double corners[4][3])
{
    double scaled[4][3];
    double largest;
    const int exponent = scale(corners, scaled);

    (void)find_surface(scaled, &largest);
    return largest > 0.0 ? ldexp(3.0 * fabs(sedge_tet_volume(scaled)) / largest, exponent) : 0.0;
}

// With R = |a^2 (b x c) + b^2 (c x a) + c^2 (a x b)| / (12 V) and r = 3 V / S, 3 r / R has no
// division by V.
double sedge_tet_quality(double corners[4][3])
{
    double scaled[4][3];
    double e[3][3];
    double sum[3] = {0.0, 0.0, 0.0};
    double largest;

    (void)scale(corners, scaled);
    find_edges(scaled, e);
    for (int i = 0; i < 3; i++) {
        double normal[3];
        cross(e[(i + 1) % 3], e[(i + 2) % 3], normal);
        for (int d = 0; d < 3; d++) sum[d] += dot(e[i], e[i]) * normal[d];
    }
    const double volume = sedge_tet_volume(scaled);
    const double below = find_surface(scaled, &largest) * sqrt(dot(sum, sum));
    return below > 0.0 ? 108.0 * volume * volume / below : 0.0;
}

// Volume, or 0 where it cannot be told from 0: flat to 1e-10 of the longest edge cubed, or to the
// rounding of coordinates of this size.
static double find_sign(double corners[4][3])
{
    const double volume = sedge_tet_volume(corners);
    const double edge = sedge_longest_edge(corners);
    double size = 0.0;

    for (int i = 0; i < 4; i++)
        for (int d = 0; d < 3; d++) size = fmax(size, fabs(corners[i][d]));
    const double noise = edge * edge * (1e-10 * edge + 8.0 * DBL_EPSILON * size);
    return fabs(volume) > noise ? volume : 0.0;
}

static void gather_corners(const sedge_global *mesh, int32_t element, double corners[4][3])
{
    for (int v = 0; v < 4; v++)
        memcpy(corners[v], mesh->points[mesh->cells[element][v]], sizeof corners[v]);
}

// Vertices 0 and 1 are exchanged.
static void swap_middles(double middles[SEDGE_EDGES][3])
{
    static const int partners[2][2] = {{1, 2}, {3, 4}};

    for (int p = 0; p < 2; p++) {
        double *const a = middles[partners[p][0]];
        double *const b = middles[partners[p][1]];
        for (int d = 0; d < 3; d++) {
            const double swap = a[d];
            a[d] = b[d];
            b[d] = swap;
        }
    }
}

typedef struct sign_job {
    const sedge_global *mesh;
    int8_t *signs; // [elements] of their volumes
} sign_job;

static void find_signs(void *context, int64_t first, int64_t end)
{
    const sign_job *const job = context;

    for (int64_t e = first; e < end; e++) {
        double corners[4][3];
        gather_corners(job->mesh, (int32_t)e, corners);
        const double volume = find_sign(corners);
        job->signs[e] = (int8_t)((volume > 0.0) - (volume < 0.0));
    }
}

static sedge_status check_signs(const sedge_global *mesh, const int8_t *signs, int64_t *negatives)
{
    char place[SEDGE_PLACE_TEXT];
    int64_t negative = 0;
    int32_t first[2] = {-1, -1}; // first element of positive and of negative volume

    for (int32_t e = 0; e < mesh->elements; e++) {
        if (signs[e] == 0) {
            double corners[4][3];
            gather_corners(mesh, e, corners);
            sedge_global_describe(mesh, e, place);
            return SEDGE_FAIL(SEDGE_ERR_DATA, "%s: %s has no volume: %.3g with edges up to %.3g",
                              mesh->name, place, sedge_tet_volume(corners),
                              sedge_longest_edge(corners));
        }
        const int minus = signs[e] < 0;
        negative += minus;
        if (first[minus] < 0) first[minus] = e;
    }
    if (negative > 0 && negative < mesh->elements) {
        const int minority = negative * 2 <= mesh->elements;
        const int64_t count = minority ? negative : mesh->elements - negative;
        sedge_global_describe(mesh, first[minority], place);
        return SEDGE_FAIL(SEDGE_ERR_DATA,
                          "%s: %lld of %d elements are inverted, the first is %s; an "
                          "optimisation of curved elements may leave such: make them smaller there",
                          mesh->name, (long long)count, mesh->elements, place);
    }
    *negatives = negative;
    return SEDGE_OK;
}

sedge_status sedge_global_orient(sedge_global *mesh)
{
    sign_job job = {.mesh = mesh};
    int64_t negative = 0;

    SEDGE_TRY(sedge_allocate(&job.signs, mesh->elements, sizeof *job.signs));
    sedge_parallel(mesh->threads, mesh->elements, GRAIN, find_signs, &job);
    const sedge_status status = check_signs(mesh, job.signs, &negative);
    sedge_release(job.signs);
    SEDGE_TRY(status);
    for (int32_t e = 0; e < mesh->elements && negative > 0; e++) {
        const int32_t swap = mesh->cells[e][0];
        mesh->cells[e][0] = mesh->cells[e][1];
        mesh->cells[e][1] = swap;
        if (mesh->middles != NULL) swap_middles(mesh->middles[e]);
    }
    return SEDGE_OK;
}

// ---- a whole mesh ------------------------------------------------------------------------------

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

    for (int32_t e = 0; e < mesh->elements; e += sedge_mesh_copies(mesh))
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
    for (int32_t e = 0; e < mesh->elements; e += sedge_mesh_copies(mesh)) {
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
    out->volume = sedge_comm_sum_exact(comm, volume.high, volume.low);
    out->quality_mean = sedge_comm_sum_exact(comm, quality.high, quality.low) *
                        sedge_mesh_copies(mesh) / (double)mesh->global_elements;
    out->inradius_min = least[0];
    out->inradius_max = greatest[0];
    out->edge_min = least[1];
    out->edge_max = greatest[1];
    out->quality_min = least[2];
    out->worst_alike = count_alike(comm, mesh, least[2]);
    return gather_worst(out, comm);
}

sedge_status sedge_mesh_measure_groups(double *volumes, const sedge_comm *comm,
                                       const sedge_mesh *mesh)
{
    long_sum *sums = NULL;

    const sedge_status status = sedge_allocate(&sums, mesh->groups.volumes, sizeof *sums);
    SEDGE_TRY(sedge_comm_agree(comm, status));
    for (int32_t e = 0; e < mesh->elements; e += sedge_mesh_copies(mesh))
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

void sedge_mesh_extend_box(double box[6], const sedge_mesh *mesh, int32_t element, int face)
{
    for (int i = 0; i < 3; i++) {
        for (int k = i; k < 3; k++) {
            const int ends[2] = {sedge_face_vertices[face][i], sedge_face_vertices[face][k]};
            double rst[3] = {-1.0, -1.0, -1.0};
            double x[3];

            for (int v = 0; v < 2; v++) // vertex v is at 1 on axis v - 1
                if (ends[v] > 0) rst[ends[v] - 1] += 1.0;
            sedge_mesh_place(mesh, element, rst, x);
            for (int d = 0; d < 3; d++) {
                box[d] = fmax(box[d], -x[d]);
                box[3 + d] = fmax(box[3 + d], x[d]);
            }
        }
    }
}

sedge_status sedge_mesh_find_boxes(sedge_mesh *mesh, const sedge_comm *comm)
{
    const int volumes = mesh->groups.volumes;
    const int count = volumes + mesh->groups.surfaces;

    SEDGE_TRY(sedge_comm_agree(comm, sedge_allocate(&mesh->boxes, count, sizeof *mesh->boxes)));
    for (int g = 0; g < count; g++)
        for (int i = 0; i < 6; i++) mesh->boxes[g][i] = -HUGE_VAL;
    for (int32_t e = 0; e < mesh->elements; e++) {
        double *const box = mesh->boxes[mesh->group[e]];
        for (int v = 0; v < 4; v++) {
            for (int d = 0; d < 3; d++) {
                box[d] = fmax(box[d], -mesh->corners[e][v][d]);
                box[3 + d] = fmax(box[3 + d], mesh->corners[e][v][d]);
            }
        }
    }
    for (int s = 0; s < mesh->groups.surfaces; s++) {
        for (int32_t i = mesh->set_offsets[s]; i < mesh->set_offsets[s + 1]; i++) {
            const sedge_set_face *const side = &mesh->set_faces[i];
            sedge_mesh_extend_box(mesh->boxes[volumes + s], mesh, side->element, side->face);
        }
    }
    sedge_comm_max(comm, mesh->boxes[0], 6 * count);
    return SEDGE_OK;
}

bool sedge_mesh_lies_in(const sedge_mesh *mesh, const sedge_comm *comm, int surface, int axis,
                        double place, double slack)
{
    int64_t found = 0;

    for (int32_t i = mesh->set_offsets[surface]; i < mesh->set_offsets[surface + 1]; i++) {
        const sedge_set_face *const side = &mesh->set_faces[i];
        double box[6];

        for (int k = 0; k < 6; k++) box[k] = -HUGE_VAL;
        sedge_mesh_extend_box(box, mesh, side->element, side->face);
        if (side->other_group < 0 && fabs(box[3 + axis] - place) <= slack &&
            fabs(box[axis] + place) <= slack)
            found = 1;
    }
    sedge_comm_max_int(comm, &found, 1);
    return found != 0;
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
        if (side->second || sedge_mesh_copy(mesh, side->element) > 0) continue;
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
