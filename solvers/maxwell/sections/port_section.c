#include "port_section.h"

#include "base/memory.h"
#include "dg/quadrature.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// ---- corners and edges -------------------------------------------------------------------------

// Corner `at` of all faces' corners.
typedef struct corner {
    double x[3];
    int64_t at;
} corner;

// Edge `at` of all faces' edges, between the vertices a < b. Edge k of a face is between its
// corners edge_corners[k], which ascend.
typedef struct edge {
    int64_t a, b, at;
} edge;

static const int edge_corners[3][2] = {{0, 1}, {0, 2}, {1, 2}};

static int compare_corners(const void *a, const void *b)
{
    const double *const one = ((const corner *)a)->x;
    const double *const other = ((const corner *)b)->x;

    for (int d = 0; d < 3; d++)
        if (one[d] < other[d] || one[d] > other[d]) return one[d] < other[d] ? -1 : 1;
    return 0;
}

static int compare_edges(const void *a, const void *b)
{
    const edge *const one = a;
    const edge *const other = b;

    if (one->a != other->a) return one->a < other->a ? -1 : 1;
    return (one->b > other->b) - (one->b < other->b);
}

// What the faces have in common. Vertices ascend as their places do.
typedef struct topology {
    int64_t vertices, edges;
    int64_t *vertex; // [faces][3]
    int64_t *edge;   // [faces][3]
    int64_t *ends;   // [edges][2]
    bool *rim;       // [edges] it has one face
    bool *wall;      // [edges] it is on a conductor
    int64_t *group;  // [vertices] of union and find
} topology;

// Without what the section takes over.
static void clear_topology(const topology *t)
{
    sedge_release(t->vertex);
    sedge_release(t->ends);
    sedge_release(t->group);
}

static sedge_status number_vertices(topology *t, const sedge_surface_field *field)
{
    const int64_t count = 3 * field->faces;
    corner *corners = NULL;

    SEDGE_TRY(sedge_allocate(&corners, count, sizeof *corners));
    for (int64_t i = 0; i < count; i++) {
        memcpy(corners[i].x, field->corners[i / 3] + i % 3 * 3, sizeof corners[i].x);
        corners[i].at = i;
    }
    qsort(corners, (size_t)count, sizeof *corners, compare_corners);
    for (int64_t i = 0; i < count; i++) {
        if (i == 0 || compare_corners(&corners[i - 1], &corners[i]) != 0) t->vertices++;
        t->vertex[corners[i].at] = t->vertices - 1;
    }
    sedge_release(corners);
    return SEDGE_OK;
}

static sedge_status number_edges(topology *t, int64_t faces)
{
    const int64_t count = 3 * faces;
    edge *edges = NULL;

    SEDGE_TRY(sedge_allocate(&edges, count, sizeof *edges));
    for (int64_t i = 0; i < count; i++) {
        const int64_t *const vertex = t->vertex + i / 3 * 3;
        const int *const ends = edge_corners[i % 3];
        edges[i] = (edge){vertex[ends[0]], vertex[ends[1]], i};
    }
    qsort(edges, (size_t)count, sizeof *edges, compare_edges);
    for (int64_t i = 0; i < count; i++) {
        const bool first = i == 0 || compare_edges(&edges[i - 1], &edges[i]) != 0;
        if (first) t->edges++;
        t->edge[edges[i].at] = t->edges - 1;
        t->rim[t->edges - 1] = first;
        t->ends[2 * (t->edges - 1)] = edges[i].a;
        t->ends[2 * (t->edges - 1) + 1] = edges[i].b;
    }
    sedge_release(edges);
    return SEDGE_OK;
}

static sedge_status find_topology(topology *t, const sedge_surface_field *field)
{
    const int64_t count = 3 * field->faces;

    SEDGE_TRY(sedge_allocate(&t->vertex, count, sizeof *t->vertex));
    SEDGE_TRY(sedge_allocate(&t->edge, count, sizeof *t->edge));
    SEDGE_TRY(sedge_allocate(&t->ends, 2 * count, sizeof *t->ends));
    SEDGE_TRY(sedge_allocate(&t->rim, count, sizeof *t->rim));
    SEDGE_TRY(sedge_allocate(&t->wall, count, sizeof *t->wall));
    SEDGE_TRY(sedge_allocate(&t->group, count, sizeof *t->group));
    SEDGE_TRY(number_vertices(t, field));
    return number_edges(t, field->faces);
}

static int64_t find_group(const topology *t, int64_t vertex)
{
    while (t->group[vertex] != vertex) {
        t->group[vertex] = t->group[t->group[vertex]];
        vertex = t->group[vertex];
    }
    return vertex;
}

// Which edges are on conductors.
static void mark_walls(const topology *t, const sedge_surface_field *field, const shape_edge *walls,
                       int64_t count)
{
    for (int64_t i = 0; i < 3 * field->faces; i++) {
        const double *const corners = field->corners[i / 3];
        const int *const ends = edge_corners[i % 3];
        const int64_t e = t->edge[i];

        t->wall[e] = walls == NULL ? t->rim[e]
                                   : shape_find_edge(walls, count, corners + (ptrdiff_t)3 * ends[0],
                                                     corners + (ptrdiff_t)3 * ends[1]) >= 0;
    }
}

// Join vertices by edges, those of walls alone or all. A group is known by its least vertex.
static void join(const topology *t, bool walls)
{
    for (int64_t v = 0; v < t->vertices; v++) t->group[v] = v;
    for (int64_t e = 0; e < t->edges; e++) {
        const int64_t a = find_group(t, t->ends[2 * e]), b = find_group(t, t->ends[2 * e + 1]);
        if (walls && !t->wall[e]) continue;
        t->group[a > b ? a : b] = a > b ? b : a;
    }
}

// ---- unknowns ----------------------------------------------------------------------------------

void port_section_exponents(int out[3], int order, int k)
{
    int b = 0;

    while (k > order - b) k -= order + 1 - b++;
    out[0] = order - b - k;
    out[1] = b;
    out[2] = k;
}

// Its unknown: those of vertices come first, then those of edges, then those inside of faces.
static int64_t find_unknown(const topology *t, int64_t face, int order, int k)
{
    const int64_t *const vertex = t->vertex + 3 * face, *const edge_of = t->edge + 3 * face;
    const int64_t inside = (int64_t)(order - 1) * (order - 2) / 2;
    int at[3];

    port_section_exponents(at, order, k);
    for (int v = 0; v < 3; v++)
        if (at[v] == order) return vertex[v];
    for (int e = 0; e < 3; e++) {
        if (at[3 - edge_corners[e][0] - edge_corners[e][1]] > 0) continue;
        return t->vertices + edge_of[e] * (order - 1) + at[edge_corners[e][1]] - 1;
    }
    return t->vertices + t->edges * (order - 1) + face * inside +
           sedge_triangle_index(order - 3, at[1] - 1, at[2] - 1);
}

static void find_place(double out[2], const port_section *s, const double x[3])
{
    for (int c = 0; c < 2; c++) out[c] = dot(s->axes[c], x);
}

static int compare_ranked(const void *a, const void *b)
{
    const port_ranked *const one = a;
    const port_ranked *const other = b;

    if (one->place < other->place || one->place > other->place)
        return one->place < other->place ? -1 : 1;
    return (one->unknown > other->unknown) - (one->unknown < other->unknown);
}

void port_section_rank(port_ranked *rows, int64_t count)
{
    qsort(rows, (size_t)count, sizeof *rows, compare_ranked);
}

// Number the unknowns along the longer side.
static sedge_status rank_unknowns(port_section *s)
{
    const int64_t count = s->field->faces * s->local;
    port_ranked *rows = NULL;
    int64_t *rank = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&rows, s->unknowns, sizeof *rows));
    SEDGE_TRY_GOTO(status, sedge_allocate(&rank, s->unknowns, sizeof *rank));
    for (int64_t i = 0; i < count; i++) {
        double place = 0.0;
        int at[3];

        port_section_exponents(at, s->order, (int)(i % s->local));
        for (int v = 0; v < 3; v++) {
            place +=
                at[v] * dot(s->axes[s->longer], s->field->corners[i / s->local] + (ptrdiff_t)3 * v);
        }
        rows[s->of[i]] = (port_ranked){place, s->of[i]};
    }
    port_section_rank(rows, s->unknowns);
    for (int64_t i = 0; i < s->unknowns; i++) rank[rows[i].unknown] = i;
    for (int64_t i = 0; i < count; i++) s->of[i] = rank[s->of[i]];
done:
    sedge_release(rows);
    sedge_release(rank);
    return status;
}

// Number the walls. The least vertex of all is on the outer one of closed walls, which so has the
// number 0.
static sedge_status find_walls(port_section *s, const topology *t)
{
    int64_t *number = NULL; // [vertices] of the wall whose least vertex it is, from 1

    SEDGE_TRY(sedge_allocate(&number, t->vertices, sizeof *number));
    join(t, true);
    for (int64_t i = 0; i < s->unknowns; i++) s->wall[i] = -1;
    for (int64_t e = 0; e < t->edges; e++) {
        if (t->wall[e]) number[find_group(t, t->ends[2 * e])] = 1;
    }
    for (int64_t v = 0; v < t->vertices; v++)
        if (number[v] > 0) number[v] = ++s->walls;
    for (int64_t i = 0; i < s->field->faces * s->local; i++) {
        int at[3];
        port_section_exponents(at, s->order, (int)(i % s->local));
        for (int e = 0; e < 3; e++) {
            const int64_t one = t->edge[i / s->local * 3 + e];
            if (!t->wall[one] || at[3 - edge_corners[e][0] - edge_corners[e][1]] > 0) continue;
            s->wall[s->of[i]] = (int)number[find_group(t, t->ends[2 * one])] - 1;
        }
    }
    sedge_release(number);
    return SEDGE_OK;
}

// In a corner where the outline touches itself, more than two of its edges meet.
static sedge_status find_touch(port_section *s, const topology *t)
{
    int64_t *meet = NULL; // [vertices] edges of the outline

    SEDGE_TRY(sedge_allocate(&meet, t->vertices, sizeof *meet));
    for (int64_t i = 0; i < 2 * t->edges; i++) meet[t->ends[i]] += t->rim[i / 2];
    for (int64_t i = 0; i < 3 * s->field->faces; i++) {
        if (meet[t->vertex[i]] <= 2) continue;
        memcpy(s->touch, s->field->corners[i / 3] + i % 3 * 3, sizeof s->touch);
        s->pinched = true;
    }
    sedge_release(meet);
    return SEDGE_OK;
}

// Area, its centre and the longer side.
static void measure(port_section *s)
{
    double low[2] = {HUGE_VAL, HUGE_VAL}, high[2] = {-HUGE_VAL, -HUGE_VAL};

    for (int64_t f = 0; f < s->field->faces; f++) {
        for (int v = 0; v < 3; v++) {
            double at[2];

            find_place(at, s, s->field->corners[f] + (ptrdiff_t)3 * v);
            for (int c = 0; c < 2; c++) {
                low[c] = fmin(low[c], at[c]);
                high[c] = fmax(high[c], at[c]);
            }
        }
        for (int q = 0; q < s->points; q++) {
            double at[2], slopes[2][2];
            const double weight = port_section_map(s, f, q, at, slopes);

            s->area += weight;
            for (int c = 0; c < 2; c++) s->middle[c] += weight * at[c];
        }
    }
    for (int c = 0; c < 2; c++) s->middle[c] /= s->area;
    s->longer = high[1] - low[1] > high[0] - low[0];
    s->size = high[s->longer] - low[s->longer];
}

// ---- integrals on a face -----------------------------------------------------------------------

// The polynomial of the basis with these exponents; 0 if one is below 0.
static double find_value(const int at[3], const double shares[3])
{
    double out = 1.0;
    int k = 0;

    for (int v = 0; v < 3; v++) {
        if (at[v] < 0) return 0.0;
        for (int i = 1; i <= at[v]; i++) out *= shares[v] * ++k / i;
    }
    return out;
}

void port_section_basis(int order, const double shares[3], double *value, double *slope)
{
    const int local = sedge_triangle_count(order);

    for (int k = 0; k < local; k++) {
        double by[3];
        int at[3];

        port_section_exponents(at, order, k);
        value[k] = find_value(at, shares);
        for (int v = 0; v < 3; v++) {
            const int below[3] = {at[0] - (v == 0), at[1] - (v == 1), at[2] - (v == 2)};
            by[v] = order * find_value(below, shares);
        }
        for (int c = 0; c < 2; c++) slope[c * local + k] = by[c + 1] - by[0];
    }
}

static sedge_status fill_rule(port_section *s)
{
    const int degree = 2 * s->order + 2;
    sedge_quadrature rule = {0};
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_quadrature_triangle(&rule, degree < SEDGE_QUADRATURE_FACE_DEGREE
                                                                ? degree
                                                                : SEDGE_QUADRATURE_FACE_DEGREE));
    const int64_t count = (int64_t)rule.points * s->local;
    s->points = rule.points;
    SEDGE_TRY_GOTO(status, sedge_allocate(&s->shares, 3LL * rule.points, sizeof *s->shares));
    SEDGE_TRY_GOTO(status, sedge_allocate(&s->weight, rule.points, sizeof *s->weight));
    SEDGE_TRY_GOTO(status, sedge_allocate(&s->value, count, sizeof *s->value));
    SEDGE_TRY_GOTO(status, sedge_allocate(&s->slope, 2 * count, sizeof *s->slope));
    for (int q = 0; q < s->points; q++) {
        double *const shares = s->shares + (ptrdiff_t)3 * q;

        shares[1] = 0.5 * (1.0 + rule.place[q][0]);
        shares[2] = 0.5 * (1.0 + rule.place[q][1]);
        shares[0] = 1.0 - shares[1] - shares[2];
        s->weight[q] = 0.25 * rule.weight[q];
        port_section_basis(s->order, shares, s->value + (int64_t)q * s->local,
                           s->slope + 2LL * q * s->local);
    }
done:
    sedge_quadrature_clear(&rule);
    return status;
}

double port_section_map(const port_section *section, int64_t face, int point, double place[2],
                        double slopes[2][2])
{
    double x[3], by[2][3];

    sedge_surface_field_map(section->field, face, section->shares + (ptrdiff_t)3 * point, x, by);
    find_place(place, section, x);
    for (int c = 0; c < 2; c++) find_place(slopes[c], section, by[c]);
    return section->weight[point] * fabs(slopes[0][0] * slopes[1][1] - slopes[0][1] * slopes[1][0]);
}

// The wall on which corner v of a face is.
static int wall_of(const port_section *section, int64_t face, int v)
{
    for (int k = 0; k < section->local; k++) {
        int at[3];

        port_section_exponents(at, section->order, k);
        if (at[v] == section->order) return section->wall[section->of[face * section->local + k]];
    }
    return -1;
}

int port_section_wall(const port_section *section, const double x[3])
{
    for (int64_t i = 0; i < 3 * section->field->faces; i++) {
        const double *const place = section->field->corners[i / 3] + i % 3 * 3;

        bool same = true;

        for (int d = 0; d < 3; d++) same = same && !(place[d] < x[d]) && !(place[d] > x[d]);
        if (same) return wall_of(section, i / 3, (int)(i % 3));
    }
    return -1;
}

const double *port_section_corner(const port_section *section, int wall)
{
    for (int64_t i = 0; i < 3 * section->field->faces; i++) {
        if (wall_of(section, i / 3, (int)(i % 3)) == wall)
            return section->field->corners[i / 3] + i % 3 * 3;
    }
    return NULL;
}

void port_section_matrices(const port_section *section, int64_t face, double *slopes, double *mass)
{
    const int local = section->local;

    for (int k = 0; k < local * local; k++) slopes[k] = mass[k] = 0.0;
    for (int q = 0; q < section->points; q++) {
        const double *const value = section->value + (int64_t)q * local;
        const double *const first = section->slope + 2LL * q * local, *const second = first + local;
        double place[2], t[2][2];
        const double weight = port_section_map(section, face, q, place, t);
        const double epsilon = section->epsilon != NULL ? section->epsilon[face] : 1.0;
        const double determinant = t[0][0] * t[1][1] - t[0][1] * t[1][0];
        const double unit = epsilon * weight / (determinant * determinant);
        // The inverse of the slopes' products.
        const double aa = unit * (t[1][0] * t[1][0] + t[1][1] * t[1][1]);
        const double ab = -unit * (t[0][0] * t[1][0] + t[0][1] * t[1][1]);
        const double bb = unit * (t[0][0] * t[0][0] + t[0][1] * t[0][1]);

        for (int k = 0; k < local; k++) {
            const double of_value = weight * value[k];
            const double of_first = aa * first[k] + ab * second[k];
            const double of_second = ab * first[k] + bb * second[k];
            for (int l = 0; l < local; l++) {
                slopes[k * local + l] += of_first * first[l] + of_second * second[l];
                mass[k * local + l] += of_value * value[l];
            }
        }
    }
}

sedge_status port_section_energy(double *out, const port_section *section, const double *x)
{
    const int local = section->local, square = local * local;
    double *matrices = NULL, sum = 0.0;

    SEDGE_TRY(sedge_allocate(&matrices, 2LL * square, sizeof *matrices));
    for (int64_t f = 0; f < section->field->faces; f++) {
        const int64_t *const of = section->of + f * local;

        port_section_matrices(section, f, matrices, matrices + square);
        for (int k = 0; k < square; k++) sum += matrices[k] * x[of[k / local]] * x[of[k % local]];
    }
    sedge_release(matrices);
    *out = sum;
    return SEDGE_OK;
}

void port_section_slope(const port_section *section, const double *x, double factor,
                        sedge_surface_field *field)
{
    const int order = section->order;
    const int count = sedge_triangle_count(field->order);

    for (int64_t i = 0; i < field->faces * count; i++) {
        const int64_t *const of = section->of + i / count * section->local;
        double by[3];
        int at[3];

        port_section_exponents(at, field->order, (int)(i % count));
        for (int v = 0; v < 3; v++)
            by[v] = order * x[of[sedge_triangle_index(order, at[1] + (v == 1), at[2] + (v == 2))]];
        for (int c = 0; c < 2; c++) field->values[i][c] += factor * (by[c + 1] - by[0]);
    }
}

// ---- creation ----------------------------------------------------------------------------------

static sedge_status fill(port_section *s, topology *t, const shape_edge *walls, int64_t wall_count)
{
    const int64_t count = s->field->faces * s->local;

    SEDGE_TRY(find_topology(t, s->field));
    mark_walls(t, s->field, walls, wall_count);
    s->unknowns = t->vertices + t->edges * (s->order - 1) +
                  s->field->faces * (int64_t)(s->order - 1) * (s->order - 2) / 2;
    SEDGE_TRY(sedge_allocate(&s->of, count, sizeof *s->of));
    SEDGE_TRY(sedge_allocate(&s->wall, s->unknowns, sizeof *s->wall));
    SEDGE_TRY(fill_rule(s));
    for (int64_t i = 0; i < count; i++)
        s->of[i] = find_unknown(t, i / s->local, s->order, (int)(i % s->local));
    measure(s);
    SEDGE_TRY(rank_unknowns(s));
    SEDGE_TRY(find_walls(s, t));
    SEDGE_TRY(find_touch(s, t));
    join(t, false);
    for (int64_t v = 0; v < t->vertices; v++) s->parts += t->group[v] == v;
    return SEDGE_OK;
}

sedge_status port_section_create(port_section *out, const sedge_surface_field *field,
                                 const double u[3], const double v[3], const shape_edge *walls,
                                 int64_t wall_count)
{
    topology t = {0};

    *out = (port_section){
        .field = field, .order = field->order + 1, .local = sedge_triangle_count(field->order + 1)};
    memcpy(out->axes[0], u, sizeof out->axes[0]);
    memcpy(out->axes[1], v, sizeof out->axes[1]);
    const sedge_status status = fill(out, &t, walls, wall_count);
    out->edges = t.edges;
    out->edge = t.edge;
    out->wall_edge = t.wall;
    out->rim_edge = t.rim;
    clear_topology(&t);
    return status;
}

void port_section_clear(const port_section *section)
{
    sedge_release(section->of);
    sedge_release(section->wall);
    sedge_release(section->edge);
    sedge_release(section->wall_edge);
    sedge_release(section->rim_edge);
    sedge_release(section->shares);
    sedge_release(section->weight);
    sedge_release(section->value);
    sedge_release(section->slope);
}
