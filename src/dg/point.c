#include "point.h"

#include "base/memory.h"
#include "dg/quadrature.h"

#include <math.h>
#include <string.h>

#define RADIUS      0.5 // of a ball, in longest edges
#define DEGREE_MAX  7
#define TERMS_MAX   120   // polynomials in three variables up to that degree
#define HOLDS       -1e-9 // the least barycentric coordinate in an element that holds a point
#define LEAST_PIVOT 1e-11 // relative: what is below is rounding
#define FIXED_POINT 0x1p61

// Where entry (i, j), j <= i, of a symmetric matrix is; packed(n, 0) is the size of one of n rows.
static int packed(int i, int j)
{
    return i * (i + 1) / 2 + j;
}

// A point of quadrature in a ball: its place relative to the centre over the radius, and its number
// in the rule.
typedef struct sample {
    double y[3];
    double weight; // of the integral over the unit ball, times (1 - y^2)^2
    int number;
} sample;

typedef struct spread {
    const sedge_comm *comm;
    const sedge_element *element;
    const sedge_mesh *mesh;
    const sedge_problem *problem;
    sedge_points *out;
    int degree;
    int terms;
    sedge_quadrature rule;
    double *modes;  // [rule.points][nodes]
    sample *sample; // [rule.points], of one ball in one element
    int64_t walls;
    double (*wall)[3][3]; // [walls][vertex][x,y,z] the triangles that hide points, of all ranks
    int64_t *gram;        // [point_source_count][terms (terms + 1) / 2]
} spread;

// ---- balls -------------------------------------------------------------------------------------

static bool meets(double low[3], double high[3], const double *centre, double radius)
{
    for (int d = 0; d < 3; d++)
        if (centre[d] < low[d] - radius || centre[d] > high[d] + radius) return false;
    return true;
}

bool sedge_point_is_in(const sedge_mesh *mesh, int32_t e, const double *point)
{
    double rst[3];

    return sedge_mesh_coordinates(mesh, e, point, rst) >= HOLDS;
}

// Half the longest edge of the elements that hold each source.
static sedge_status find_radii(const spread *s)
{
    const int count = s->problem->point_source_count;
    double *const radius = s->out->radius;

    for (int32_t e = 0; e < s->mesh->elements; e++) {
        const double size = sedge_longest_edge(s->mesh->corners[e]);
        double low[3], high[3];
        sedge_mesh_box(s->mesh, e, low, high);
        for (int i = 0; i < count; i++) {
            const double *const x = s->problem->point_sources[i].position;
            if (meets(low, high, x, 1e-6 * size) && sedge_point_is_in(s->mesh, e, x))
                radius[i] = fmax(radius[i], RADIUS * size);
        }
    }
    sedge_comm_max(s->comm, radius, count);
    for (int i = 0; i < count; i++) {
        const sedge_point_source *const source = &s->problem->point_sources[i];
        if (radius[i] > 0.0) continue;
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "%s source at (%g, %g, %g) lies outside the mesh",
                          source->kind->name, source->position[0], source->position[1],
                          source->position[2]);
    }
    return SEDGE_OK;
}

// ---- walls -------------------------------------------------------------------------------------

// Are two volume groups of one medium, with the same terms?
static bool is_same_medium(const sedge_problem *problem, int one, int other)
{
    const double *const m = problem->materials[one];
    const double *const n = problem->materials[other];

    for (int i = 0; i < SEDGE_MAX_MATERIALS; i++)
        if (m[i] != n[i]) return false;
    for (int i = 0; i < problem->term_count; i++) {
        const sedge_term *const term = &problem->terms[i];
        const double *const p = sedge_term_pole(term, one, 0);
        const double *const q = sedge_term_pole(term, other, 0);
        if (term->present[one] != term->present[other]) return false;
        for (int k = 0; k < sedge_term_parameters(term); k++)
            if (p[k] != q[k]) return false;
    }
    return true;
}

// Whether light stops at face f of element e: at a boundary, or where another material begins.
static bool is_wall(const spread *s, int32_t e, int f)
{
    const sedge_mesh *const mesh = s->mesh;
    const int32_t neighbour = mesh->faces[e][f].neighbour;
    const int32_t slot = -1 - neighbour;

    if (neighbour < 0 && slot >= mesh->halo_faces) return true;
    const int other = neighbour >= 0 ? mesh->group[neighbour] : mesh->trace_faces[slot].group;
    return !is_same_medium(s->problem, mesh->group[e], other);
}

// The four triangles between the vertices and the middles of the edges of a face; on a straight one
// they are the face.
static void cut_face(const sedge_mesh *mesh, int32_t e, int f, double triangles[4][3][3])
{
    static const double reference[4][3] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
    static const int ends[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {2, 0}};
    static const int corner[4][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}, {3, 4, 5}};
    double place[6][3];

    for (int i = 0; i < 6; i++) {
        const double *const a = reference[sedge_face_vertices[f][ends[i][0]]];
        const double *const b = reference[sedge_face_vertices[f][ends[i][1]]];
        const double rst[3] = {0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]), 0.5 * (a[2] + b[2])};
        sedge_mesh_place(mesh, e, rst, place[i]);
    }
    for (int k = 0; k < 4; k++)
        for (int v = 0; v < 3; v++) memcpy(triangles[k][v], place[corner[k][v]], sizeof *place);
}

static bool is_near_source(const spread *s, int32_t e)
{
    double low[3], high[3];

    sedge_mesh_box(s->mesh, e, low, high);
    for (int i = 0; i < s->problem->point_source_count; i++)
        if (meets(low, high, s->problem->point_sources[i].position, s->out->radius[i])) return true;
    return false;
}

// The walls of this rank near sources, written to `wall` unless that is NULL; returns how many.
static int64_t list_walls(const spread *s, double (*wall)[3][3])
{
    int64_t count = 0;

    for (int32_t e = 0; e < s->mesh->elements; e++) {
        if (!is_near_source(s, e)) continue;
        for (int f = 0; f < SEDGE_FACES; f++) {
            if (!is_wall(s, e, f)) continue;
            if (wall != NULL) cut_face(s->mesh, e, f, wall + count);
            count += 4;
        }
    }
    return count;
}

// Every rank gets all walls; those with fewer fill up with triangles that hide nothing.
static sedge_status gather_walls(spread *s)
{
    const int ranks = sedge_comm_size(s->comm);
    double(*mine)[3][3] = NULL;
    int64_t most = list_walls(s, NULL);

    sedge_comm_max_int(s->comm, &most, 1);
    if (most == 0) return SEDGE_OK;
    sedge_status status = sedge_allocate(&mine, most, sizeof *mine);
    if (status == SEDGE_OK) status = sedge_allocate(&s->wall, most * ranks, sizeof *s->wall);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(s->comm, status));
    (void)list_walls(s, mine);
    sedge_comm_all_gather(s->comm, mine, s->wall, (size_t)most * sizeof *mine);
    s->walls = most * ranks;
done:
    sedge_release(mine);
    return status;
}

static void cross(double out[3], const double a[3], const double b[3])
{
    for (int d = 0; d < 3; d++)
        out[d] = a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Whether the segment from `from` to `from` + d crosses a triangle (Moeller and Trumbore).
static bool passes(double triangle[3][3], const double from[3], const double d[3])
{
    const double margin = 1e-9;
    double a[3], b[3], c[3], p[3], q[3];

    for (int k = 0; k < 3; k++) {
        a[k] = triangle[1][k] - triangle[0][k];
        b[k] = triangle[2][k] - triangle[0][k];
        c[k] = from[k] - triangle[0][k];
    }
    cross(p, d, b);
    cross(q, c, a);
    const double scale = dot(a, p);
    if (scale == 0.0) return false;
    const double u = dot(c, p) / scale;
    const double v = dot(d, q) / scale;
    const double t = dot(b, q) / scale;
    return u >= -margin && v >= -margin && u + v <= 1.0 + margin && t > margin && t < 1.0 - margin;
}

// ---- quadrature --------------------------------------------------------------------------------

// Whether walls are between the centre of source i and the middle of element e, which does not hold
// it. Walls are faces of elements, so that an element is on one side of each.
static bool is_hidden(const spread *s, int i, int32_t e)
{
    static const double middle[3] = {-0.5, -0.5, -0.5};
    const double *const centre = s->problem->point_sources[i].position;
    double x[3];

    if (s->walls == 0 || sedge_point_is_in(s->mesh, e, centre)) return false;
    sedge_mesh_place(s->mesh, e, middle, x);
    for (int k = 0; k < 3; k++) x[k] -= centre[k];
    for (int64_t w = 0; w < s->walls; w++)
        if (passes(s->wall[w], centre, x)) return true;
    return false;
}

// Collect the points of element e in the ball of source i; none if the element is not visible from
// the source. Returns how many.
static int take_samples(const spread *s, int i, int32_t e)
{
    const double *const centre = s->problem->point_sources[i].position;
    const double radius = s->out->radius[i];
    double c[SEDGE_CURVE_TERMS][3];
    int count = 0;

    if (is_hidden(s, i, e)) return 0;
    sedge_mesh_expand(s->mesh, e, c);
    for (int q = 0; q < s->rule.points; q++) {
        sample *const to = &s->sample[count];
        double x[3], dx[3][3], cofactor[3][3];

        sedge_curve_place(c, s->rule.place[q], x);
        for (int k = 0; k < 3; k++) to->y[k] = (x[k] - centre[k]) / radius;
        const double inside = 1.0 - dot(to->y, to->y);
        if (inside <= 0.0) continue;
        sedge_curve_tangents(c, s->rule.place[q], dx);
        const double jacobian = sedge_curve_cofactors(dx, cofactor);
        to->weight = s->rule.weight[q] * jacobian / (radius * radius * radius) * inside * inside;
        to->number = q;
        count++;
    }
    return count;
}

// All products of powers of y up to a degree, those of lower degree first; returns how many.
static int find_terms(int degree, const double y[3], double *terms)
{
    int count = 0;

    terms[count++] = 1.0;
    // Those of degree n are x times all of degree n - 1, y times those without x, and z^n.
    for (int n = 1, last = 0; n <= degree; n++) {
        const int first = last;
        last = count;
        for (int k = first; k < last; k++) terms[count++] = y[0] * terms[k];
        for (int k = last - n; k < last; k++) terms[count++] = y[1] * terms[k];
        terms[count++] = y[2] * terms[last - 1];
    }
    return count;
}

// Add the integrals of the products of two terms over element e. They are summed as integers, so
// that the sum over all ranks does not depend on the order.
static void add_gram(const spread *s, int count, int64_t *gram)
{
    double sum[TERMS_MAX * (TERMS_MAX + 1) / 2] = {0.0};
    double terms[TERMS_MAX] = {0.0};

    for (int k = 0; k < count; k++) {
        (void)find_terms(s->degree, s->sample[k].y, terms);
        for (int i = 0; i < s->terms; i++) {
            const double factor = s->sample[k].weight * terms[i];
            for (int j = 0; j <= i; j++) sum[packed(i, j)] += factor * terms[j];
        }
    }
    for (int i = 0; i < packed(s->terms, 0); i++) gram[i] += (int64_t)llrint(sum[i] * FIXED_POINT);
}

// ---- densities ---------------------------------------------------------------------------------

// The integrals over the whole ball of one that planes of symmetry through its centre cut, one
// across each axis d with bit d of `mirrored`: in the image products have the same integral, or,
// with an odd power of the coordinate, minus that.
static void add_images(const spread *s, int mirrored, double *gram)
{
    for (int d = 0; d < 3; d++) {
        const double y[3] = {d == 0 ? -1.0 : 1.0, d == 1 ? -1.0 : 1.0, d == 2 ? -1.0 : 1.0};
        double sign[TERMS_MAX] = {0.0};

        if ((mirrored >> d & 1) == 0) continue;
        (void)find_terms(s->degree, y, sign);
        for (int i = 0; i < s->terms; i++)
            for (int j = 0; j <= i; j++) gram[packed(i, j)] *= 1.0 + sign[i] * sign[j];
    }
}

// The Cholesky factor L of G. Returns the number of terms: if the points in the ball do not
// determine all terms, only those up to a lower degree are used.
static int factorise(const spread *s, const double *gram, double *l)
{
    int complete = 0;

    for (int i = 0, degree = 0; i < s->terms; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = gram[packed(i, j)];
            const double least = LEAST_PIVOT * sum;
            for (int k = 0; k < j; k++) sum -= l[packed(i, k)] * l[packed(j, k)];
            if (j == i && !(sum > least)) return complete;
            l[packed(i, j)] = j < i ? sum / l[packed(j, j)] : sqrt(sum);
        }
        if (i + 1 < (degree + 1) * (degree + 2) * (degree + 3) / 6) continue;
        degree++;
        complete = i + 1;
    }
    return complete;
}

// The coefficients of q: G q = the terms at the centre, which are 1, 0, 0, ... Returns their
// number.
static int find_density(const spread *s, int source, double q[TERMS_MAX])
{
    const int size = packed(s->terms, 0);
    const int64_t *const sums = s->gram + (int64_t)source * size;
    double gram[TERMS_MAX * (TERMS_MAX + 1) / 2] = {0.0};
    double l[TERMS_MAX * (TERMS_MAX + 1) / 2] = {0.0};

    for (int i = 0; i < size; i++) gram[i] = (double)sums[i] / FIXED_POINT;
    add_images(s, s->problem->point_sources[source].mirrored, gram);
    const int n = factorise(s, gram, l);

    for (int i = 0; i < n; i++) {
        q[i] = i == 0 ? 1.0 : 0.0;
        for (int k = 0; k < i; k++) q[i] -= l[packed(i, k)] * q[k];
        q[i] /= l[packed(i, i)];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) q[i] -= l[packed(k, i)] * q[k];
        q[i] /= l[packed(i, i)];
    }
    return n;
}

// modes += int d psi over the element of `count` samples; returns int |d|.
static double add_modes(const spread *s, int count, const double *q, int n, double *modes)
{
    const int nodes = s->element->nodes;
    double size = 0.0;

    for (int k = 0; k < count; k++) {
        const double *const psi = s->modes + (int64_t)s->sample[k].number * nodes;
        double terms[TERMS_MAX];
        double density = 0.0;
        (void)find_terms(s->degree, s->sample[k].y, terms);
        for (int i = 0; i < n; i++) density += q[i] * terms[i];
        density *= s->sample[k].weight;
        for (int m = 0; m < nodes; m++) modes[m] += density * psi[m];
        size += fabs(density);
    }
    return size;
}

// The elements of this rank that meet some source's ball, in the order of sources; written to
// `share` unless that is NULL. Returns how many.
static int list_shares(const spread *s, sedge_point_share *share)
{
    int count = 0;

    for (int i = 0; i < s->problem->point_source_count; i++) {
        const double *const centre = s->problem->point_sources[i].position;
        for (int32_t e = 0; e < s->mesh->elements; e++) {
            double low[3], high[3];
            if (sedge_mesh_copy(s->mesh, e) > 0) continue; // a source's moment is real
            sedge_mesh_box(s->mesh, e, low, high);
            if (!meets(low, high, centre, s->out->radius[i])) continue;
            if (share != NULL) share[count] = (sedge_point_share){i, e};
            count++;
        }
    }
    return count;
}

// Compute the density of each source and its integrals in the listed elements. Elements without
// points in the ball are removed from the list. Collective.
static void fill_shares(spread *s, int listed)
{
    const int sources = s->problem->point_source_count;
    const int size = packed(s->terms, 0);
    sedge_points *const out = s->out;
    double q[TERMS_MAX];
    int n = 0;

    for (int k = 0; k < listed; k++) {
        const sedge_point_share share = out->share[k];
        const int samples = take_samples(s, share.source, share.element);
        if (samples == 0) continue;
        add_gram(s, samples, s->gram + (int64_t)share.source * size);
        out->share[out->count++] = share;
    }
    sedge_comm_sum_int(s->comm, s->gram, sources * size);
    for (int k = 0; k < out->count; k++) {
        const sedge_point_share share = out->share[k];
        if (k == 0 || share.source != out->share[k - 1].source)
            n = find_density(s, share.source, q);
        out->weight[share.source] += add_modes(s, take_samples(s, share.source, share.element), q,
                                               n, out->modes + (int64_t)k * s->element->nodes);
    }
    sedge_comm_sum(s->comm, out->weight, sources);
}

static sedge_status spread_sources(spread *s)
{
    const int nodes = s->element->nodes;
    const int listed = list_shares(s, NULL);
    sedge_points *const out = s->out;
    sedge_status status = sedge_allocate(&out->share, listed, sizeof *out->share);

    if (status == SEDGE_OK)
        status = sedge_allocate(&out->modes, (int64_t)listed * nodes, sizeof *out->modes);
    if (status == SEDGE_OK) {
        status =
            sedge_allocate(&s->gram, (int64_t)s->problem->point_source_count * packed(s->terms, 0),
                           sizeof *s->gram);
    }
    SEDGE_TRY(sedge_comm_agree(s->comm, status));
    (void)list_shares(s, out->share);
    fill_shares(s, listed);
    return SEDGE_OK;
}

// The rule of quadrature with the modes at its points, and room. Not collective.
static sedge_status prepare(spread *s)
{
    const int order = s->element->order;
    const int nodes = s->element->nodes;
    const int count = s->problem->point_source_count;

    SEDGE_TRY(sedge_allocate(&s->out->radius, count, sizeof *s->out->radius));
    SEDGE_TRY(sedge_allocate(&s->out->weight, count, sizeof *s->out->weight));
    SEDGE_TRY(sedge_quadrature_tet(&s->rule, order < 6 ? 12 : 2 * order));
    SEDGE_TRY(sedge_allocate(&s->sample, s->rule.points, sizeof *s->sample));
    SEDGE_TRY(sedge_allocate(&s->modes, (int64_t)s->rule.points * nodes, sizeof *s->modes));
    for (int i = 0; i < s->rule.points; i++) {
        const double *const rst = s->rule.place[i];
        sedge_element_modes(s->element, rst[0], rst[1], rst[2], s->modes + (int64_t)i * nodes);
    }
    s->degree = (order | 1) < DEGREE_MAX ? order | 1 : DEGREE_MAX;
    s->terms = (s->degree + 1) * (s->degree + 2) * (s->degree + 3) / 6;
    return SEDGE_OK;
}

sedge_status sedge_points_create(sedge_points *out, const sedge_comm *comm,
                                 const sedge_element *element, const sedge_mesh *mesh,
                                 const sedge_problem *problem)
{
    spread s = {comm, element, mesh, problem, .out = out};
    sedge_status status;

    *out = (sedge_points){0};
    if (problem->point_source_count == 0) return SEDGE_OK;
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, prepare(&s)));
    SEDGE_TRY_GOTO(status, find_radii(&s));
    SEDGE_TRY_GOTO(status, gather_walls(&s));
    SEDGE_TRY_GOTO(status, spread_sources(&s));
done:
    sedge_quadrature_clear(&s.rule);
    sedge_release(s.sample);
    sedge_release(s.modes);
    sedge_release(s.wall);
    sedge_release(s.gram);
    if (status != SEDGE_OK) sedge_points_clear(out);
    return status;
}

void sedge_points_clear(sedge_points *points)
{
    sedge_release(points->share);
    sedge_release(points->modes);
    sedge_release(points->radius);
    sedge_release(points->weight);
    *points = (sedge_points){0};
}
