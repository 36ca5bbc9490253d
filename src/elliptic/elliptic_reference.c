#include "elliptic.h"

#include "base/memory.h"

#include <math.h>

// Everything by the formula in physical space, with nothing of what the kernels are given.
typedef struct reference {
    const sedge_element *element;
    const sedge_mesh *mesh;
    const sedge_problem *problem;
    const double *u;
    double *gradient; // [elements][3][nodes]
    double *behind;   // [halo faces][face nodes][u, ux, uy, uz], then the element's volume
} reference;

// Both sides of one face.
typedef struct sides {
    const double *normal;
    double area, slope; // slope: the larger area / volume
    double own, other;  // k
} sides;

// out = sum_j metric[j][d] D_j u, or its transpose applied to u, added.
static void add_slope(double *out, const sedge_element *element, const sedge_geometry *geometry,
                      int d, bool transposed, const double *u)
{
    const int nodes = element->nodes;

    for (int j = 0; j < 3; j++) {
        for (int n = 0; n < nodes; n++) {
            for (int m = 0; m < nodes; m++) {
                const double weight =
                    element->derivative[j][transposed ? m * nodes + n : n * nodes + m];
                out[n] += geometry->metric[j][d] * weight * u[m];
            }
        }
    }
}

static int halo_width(const sedge_element *element)
{
    return 4 * element->face_nodes + 1;
}

// Differentiate everywhere, and learn what lies behind the halo faces. Collective.
static sedge_status prepare(reference *ref, const sedge_comm *comm)
{
    const sedge_mesh *const mesh = ref->mesh;
    const sedge_element *const element = ref->element;
    const int nodes = element->nodes;
    const int width = halo_width(element);
    sedge_status status;
    double *send = NULL;

    status = sedge_allocate(&ref->gradient, (int64_t)mesh->elements * 3 * nodes, sizeof(double));
    if (status == SEDGE_OK)
        status = sedge_allocate(&ref->behind, (int64_t)mesh->halo_faces * width, sizeof(double));
    if (status == SEDGE_OK)
        status = sedge_allocate(&send, (int64_t)mesh->halo_faces * width, sizeof(double));
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    for (int32_t e = 0; e < mesh->elements; e++) {
        sedge_geometry geometry;
        sedge_geometry_compute(&geometry, mesh->corners[e]);
        for (int d = 0; d < 3; d++) {
            add_slope(ref->gradient + ((int64_t)e * 3 + d) * nodes, element, &geometry, d, false,
                      ref->u + (int64_t)e * nodes);
        }
    }
    for (int32_t i = 0; i < mesh->halo_faces; i++) {
        const sedge_trace_face *const face = &mesh->trace_faces[i];
        double *const to = send + (int64_t)i * width;
        for (int k = 0; k < element->face_nodes; k++) {
            const int n = element->face_node[face->face * element->face_nodes + k];
            double *const at = to + (int64_t)4 * k;
            at[0] = ref->u[(int64_t)face->element * nodes + n];
            for (int d = 0; d < 3; d++)
                at[1 + d] = ref->gradient[((int64_t)face->element * 3 + d) * nodes + n];
        }
        to[width - 1] = sedge_tet_volume(mesh->corners[face->element]);
    }
    status = elliptic_exchange(ref->behind, comm, mesh, send, width);
done:
    sedge_release(send);
    return status;
}

static double triangle_area(double corners[4][3], int f)
{
    const int *const v = sedge_face_vertices[f];
    double a[3];
    double b[3];
    double square = 0.0;

    for (int d = 0; d < 3; d++) {
        a[d] = corners[v[1]][d] - corners[v[0]][d];
        b[d] = corners[v[2]][d] - corners[v[0]][d];
    }
    for (int d = 0; d < 3; d++) {
        const double c = a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3];
        square += c * c;
    }
    return 0.5 * sqrt(square);
}

static double coefficient(const reference *ref, int group)
{
    return ref->problem->equation->elliptic->coefficient(ref->problem->materials[group]);
}

// u and grad u behind point k of an inner face.
static void get_behind(double out[4], const reference *ref, const sedge_face *face, int k)
{
    const sedge_element *const element = ref->element;
    const int nf = element->face_nodes;
    const int point = element->permuted[face->orientation * nf + k];

    if (face->neighbour < 0) {
        const double *const from = ref->behind +
                                   (int64_t)(-1 - face->neighbour) * halo_width(element) +
                                   (int64_t)4 * point;
        for (int i = 0; i < 4; i++) out[i] = from[i];
        return;
    }
    const int n = element->face_node[face->face * nf + point];
    out[0] = ref->u[(int64_t)face->neighbour * element->nodes + n];
    for (int d = 0; d < 3; d++)
        out[1 + d] = ref->gradient[((int64_t)face->neighbour * 3 + d) * element->nodes + n];
}

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// What face point k adds against the test function (value) and its normal derivative (slope).
static void inner_point(double *value, double *slope, const reference *ref, const sides *side,
                        const double own[4], const double behind[4])
{
    const int order = ref->element->order;
    const double mean = 2.0 / (1.0 / side->own + 1.0 / side->other);
    const double tau =
        ref->problem->constants[0] * mean * (order + 1) * (order + 3) / 3.0 * side->slope;
    const double jump = own[0] - behind[0];

    *value =
        -0.5 * mean * (dot(side->normal, own + 1) + dot(side->normal, behind + 1)) + tau * jump;
    *slope = -0.5 * mean * jump;
}

static void outer_point(double *value, double *slope, const reference *ref, const sides *side,
                        const sedge_condition *condition, const double own[4])
{
    const int order = ref->element->order;
    const double tau = 2.0 * ref->problem->constants[0] * side->own * (order + 1) * (order + 3) /
                       3.0 * side->slope;

    *value = condition->fixed ? tau * own[0] - side->own * dot(side->normal, own + 1)
                              : condition->factor * own[0];
    *slope = condition->fixed ? -side->own * own[0] : 0.0;
}

static void describe_sides(sides *out, const reference *ref, const sedge_geometry *geometry,
                           int32_t e, int f)
{
    const sedge_mesh *const mesh = ref->mesh;
    const int32_t neighbour = mesh->faces[e][f].neighbour;
    double volume = sedge_tet_volume(mesh->corners[e]);

    out->normal = geometry->normal[f];
    out->area = triangle_area(mesh->corners[e], f);
    out->own = coefficient(ref, mesh->group[e]);
    out->other = out->own;
    if (neighbour >= 0) {
        out->other = coefficient(ref, mesh->group[neighbour]);
        volume = fmin(volume, sedge_tet_volume(mesh->corners[neighbour]));
    } else if (-1 - neighbour < mesh->halo_faces) {
        const int64_t slot = -1 - neighbour;
        out->other = coefficient(ref, mesh->trace_faces[slot].group);
        volume = fmin(volume, ref->behind[(slot + 1) * halo_width(ref->element) - 1]);
    }
    out->slope = out->area / volume;
}

// Add the integrals over face f of element e to `values` (against the nodal functions) and
// `slopes` (against their normal derivatives), both [nodes].
static void add_face(double *values, double *slopes, const reference *ref,
                     const sedge_geometry *geometry, int32_t e, int f)
{
    const sedge_mesh *const mesh = ref->mesh;
    const sedge_element *const element = ref->element;
    const sedge_face *const face = &mesh->faces[e][f];
    const int nf = element->face_nodes;
    const int64_t slot = -1 - (int64_t)face->neighbour;
    sides side;

    describe_sides(&side, ref, geometry, e, f);
    for (int k = 0; k < nf; k++) {
        const int n = element->face_node[f * nf + k];
        double own[4] = {ref->u[(int64_t)e * element->nodes + n], 0.0, 0.0, 0.0};
        double behind[4];
        double value = 0.0;
        double slope = 0.0;

        for (int d = 0; d < 3; d++)
            own[1 + d] = ref->gradient[((int64_t)e * 3 + d) * element->nodes + n];
        if (slot >= mesh->halo_faces) {
            double x[3];
            sedge_geometry_map(mesh->corners[e], element->r[n], element->s[n], element->t[n], x);
            const sedge_condition condition =
                elliptic_condition(mesh, ref->problem, &mesh->trace_faces[slot], x, side.normal);
            outer_point(&value, &slope, ref, &side, &condition, own);
        } else {
            get_behind(behind, ref, face, k);
            inner_point(&value, &slope, ref, &side, own, behind);
        }
        for (int i = 0; i < nf; i++) { // the reference triangle's area is 2
            const double weight = 0.5 * side.area * element->face_mass[i * nf + k];
            values[element->face_node[f * nf + i]] += weight * value;
            slopes[element->face_node[f * nf + i]] += weight * slope;
        }
    }
}

// `work` [2][nodes].
static void apply_element(double *r, const reference *ref, int32_t e, double *work)
{
    const sedge_element *const element = ref->element;
    const int nodes = element->nodes;
    const double k = coefficient(ref, ref->mesh->group[e]);
    sedge_geometry geometry;

    sedge_geometry_compute(&geometry, ref->mesh->corners[e]);
    for (int n = 0; n < nodes; n++) r[n] = 0.0;
    for (int d = 0; d < 3; d++) { // k J D_d^T M D_d u
        const double *const slope = ref->gradient + ((int64_t)e * 3 + d) * nodes;
        for (int n = 0; n < nodes; n++) {
            work[n] = 0.0;
            for (int m = 0; m < nodes; m++)
                work[n] += k * geometry.jacobian * element->mass[n * nodes + m] * slope[m];
        }
        add_slope(r, element, &geometry, d, true, work);
    }
    for (int f = 0; f < SEDGE_FACES; f++) {
        double *const slopes = work;
        double *const one = work + nodes;
        for (int n = 0; n < nodes; n++) slopes[n] = 0.0;
        add_face(r, slopes, ref, &geometry, e, f);
        for (int d = 0; d < 3; d++) {
            for (int n = 0; n < nodes; n++) one[n] = geometry.normal[f][d] * slopes[n];
            add_slope(r, element, &geometry, d, true, one);
        }
    }
}

sedge_status sedge_elliptic_reference(double *r, const sedge_comm *comm,
                                      const sedge_element *element, const sedge_mesh *mesh,
                                      const sedge_problem *problem, const double *u)
{
    reference ref = {.element = element, .mesh = mesh, .problem = problem, .u = u};
    sedge_status status;
    double *work = NULL;

    if (mesh->global_curved > 0)
        return sedge_elliptic_reference_points(r, comm, element, mesh, problem, u);
    status = sedge_allocate(&work, 2 * (int64_t)element->nodes, sizeof *work);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    SEDGE_TRY_GOTO(status, prepare(&ref, comm));
    for (int32_t e = 0; e < mesh->elements; e++)
        apply_element(r + (int64_t)e * element->nodes, &ref, e, work);
done:
    sedge_release(work);
    sedge_release(ref.gradient);
    sedge_release(ref.behind);
    return status;
}
