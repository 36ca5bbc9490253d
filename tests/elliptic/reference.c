// The slow reference of kit.h: the formula of elliptic.h in physical space at each quadrature
// point, with the values of both sides of a face. Straight elements are treated like curved ones,
// but for the penalty, which is computed from areas and volumes where both sides are straight.
#include "base/memory.h"
#include "elliptic/elliptic_curved.h"
#include "kit.h"

#include <math.h>
#include <string.h>

typedef struct reference {
    const sedge_element *element;
    const sedge_mesh *mesh;
    const sedge_problem *problem;
    const double *u;
    elliptic_curved *curved;    // its points only
    sedge_elliptic_face *faces; // penalties of faces with a curved side
    double *volume;             // [halo faces] of the element behind; 0: it is curved
    int *partner;               // [6][face points] the same point from behind
    double *values;             // [all points][nodes] nodal functions
    double *traces;             // [elements][4 face points][u, grad u]
    double *behind;             // [halo faces][face points][u, grad u]
    double *slopes;             // [3][nodes] D_j u, or what is integrated against D_j v
    double (*pull)[3];          // [all points] what is integrated against grad v
} reference;

static void clear(reference *ref)
{
    elliptic_curved_free(ref->curved);
    sedge_release(ref->faces);
    sedge_release(ref->volume);
    sedge_release(ref->partner);
    sedge_release(ref->values);
    sedge_release(ref->traces);
    sedge_release(ref->behind);
    sedge_release(ref->slopes);
    sedge_release(ref->pull);
}

// ---- points ------------------------------------------------------------------------------------

static sedge_status find_partners(reference *ref)
{
    const int points = ref->curved->face_points;
    double(*const place)[3] = ref->curved->place + ref->curved->points; // of face 0: r and s

    SEDGE_TRY(sedge_allocate(&ref->partner, (int64_t)6 * points, sizeof *ref->partner));
    for (int k = 0; k < 6 * points; k++) {
        const double *const at = place[k % points];
        const double mine[3] = {-0.5 * (at[0] + at[1]), 0.5 * (1.0 + at[0]), 0.5 * (1.0 + at[1])};
        double theirs[3];
        double least = HUGE_VAL;
        for (int i = 0; i < 3; i++) theirs[sedge_face_permutations[k / points][i]] = mine[i];
        for (int q = 0; q < points; q++) {
            const double distance =
                hypot(place[q][0] + 1.0 - 2.0 * theirs[1], place[q][1] + 1.0 - 2.0 * theirs[2]);
            if (distance < least) ref->partner[k] = q;
            least = fmin(least, distance);
        }
        if (!(least < 1e-10)) {
            return SEDGE_FAIL(SEDGE_ERR_INTERNAL, "points of a face differ from behind by %g",
                              least);
        }
    }
    return SEDGE_OK;
}

static sedge_status open_points(reference *ref)
{
    const int nodes = ref->element->nodes;

    SEDGE_TRY(elliptic_curved_create(&ref->curved, ref->element, false));
    const elliptic_curved *const curved = ref->curved;
    const int64_t around = (int64_t)SEDGE_FACES * curved->face_points * 4;
    SEDGE_TRY(find_partners(ref));
    SEDGE_TRY(sedge_allocate(&ref->values, (int64_t)curved->all * nodes, sizeof(double)));
    SEDGE_TRY(sedge_allocate(&ref->traces, ref->mesh->elements * around, sizeof(double)));
    SEDGE_TRY(sedge_allocate(&ref->behind, (int64_t)ref->mesh->halo_faces * curved->face_points * 4,
                             sizeof(double)));
    SEDGE_TRY(sedge_allocate(&ref->slopes, (int64_t)3 * nodes, sizeof(double)));
    SEDGE_TRY(sedge_allocate(&ref->pull, curved->all, sizeof *ref->pull));
    for (int p = 0; p < curved->all; p++) {
        const double *const at = curved->place[p];
        SEDGE_TRY(sedge_element_interpolate(ref->element, at[0], at[1], at[2],
                                            ref->values + (int64_t)p * nodes));
    }
    return SEDGE_OK;
}

// ---- u and grad u ------------------------------------------------------------------------------

static void differentiate(reference *ref, int32_t e)
{
    const int nodes = ref->element->nodes;

    for (int k = 0; k < 3 * nodes; k++) {
        ref->slopes[k] = 0.0;
        for (int m = 0; m < nodes; m++) {
            ref->slopes[k] += ref->element->derivative[k / nodes][k % nodes * nodes + m] *
                              ref->u[(int64_t)e * nodes + m];
        }
    }
}

// out: u and grad u at point p of the element that ref->slopes is of.
static void evaluate(double out[4], const reference *ref, const elliptic_point *at, int32_t e,
                     int p)
{
    const int nodes = ref->element->nodes;
    const double *const row = ref->values + (int64_t)p * nodes;
    double slope[3] = {0.0, 0.0, 0.0};

    out[0] = 0.0;
    for (int n = 0; n < nodes; n++) {
        out[0] += row[n] * ref->u[(int64_t)e * nodes + n];
        for (int j = 0; j < 3; j++) slope[j] += row[n] * ref->slopes[j * nodes + n];
    }
    for (int d = 0; d < 3; d++) {
        out[1 + d] = 0.0;
        for (int j = 0; j < 3; j++) out[1 + d] += at->cofactor[j][d] * slope[j] / at->jacobian;
    }
}

// Collective.
static sedge_status find_traces(reference *ref, const sedge_comm *comm)
{
    const sedge_mesh *const mesh = ref->mesh;
    const elliptic_curved *const curved = ref->curved;
    const int width = 4 * curved->face_points;
    sedge_status status;
    double *send = NULL;

    for (int32_t e = 0; e < mesh->elements; e++) {
        double map[SEDGE_CURVE_TERMS][3];
        sedge_mesh_expand(mesh, e, map);
        differentiate(ref, e);
        for (int k = 0; k < SEDGE_FACES * curved->face_points; k++) {
            elliptic_point at;
            elliptic_curved_point(&at, curved, map, curved->points + k);
            evaluate(ref->traces + ((int64_t)e * SEDGE_FACES * width + (int64_t)4 * k), ref, &at, e,
                     curved->points + k);
        }
    }
    SEDGE_TRY(sedge_comm_agree(
        comm, sedge_allocate(&send, (int64_t)mesh->halo_faces * width, sizeof *send)));
    for (int32_t i = 0; i < mesh->halo_faces; i++) {
        const sedge_trace_face *const face = &mesh->trace_faces[i];
        memcpy(send + (int64_t)i * width,
               ref->traces + ((int64_t)face->element * SEDGE_FACES + face->face) * width,
               (size_t)width * sizeof *send);
    }
    status = elliptic_exchange(ref->behind, comm, mesh, send, width);
    sedge_release(send);
    return status;
}

// The volume of a straight element, 0 of a curved one.
static double straight_volume(const sedge_mesh *mesh, int32_t e)
{
    return sedge_mesh_curve(mesh, e) >= 0 ? 0.0 : sedge_tet_volume(mesh->corners[e]);
}

// Collective.
static sedge_status find_volumes(reference *ref, const sedge_comm *comm)
{
    const sedge_mesh *const mesh = ref->mesh;
    sedge_status status;
    double *send = NULL;

    status = sedge_allocate(&send, mesh->halo_faces, sizeof *send);
    if (status == SEDGE_OK)
        status = sedge_allocate(&ref->volume, mesh->halo_faces, sizeof *ref->volume);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    for (int32_t i = 0; i < mesh->halo_faces; i++)
        send[i] = straight_volume(mesh, mesh->trace_faces[i].element);
    status = elliptic_exchange(ref->volume, comm, mesh, send, 1);
done:
    sedge_release(send);
    return status;
}

// What lies behind point q of an inner face.
static const double *find_behind(const reference *ref, const sedge_face *face, int q)
{
    const int points = ref->curved->face_points;
    const int64_t p = ref->partner[face->orientation * points + q];

    if (face->neighbour < 0)
        return ref->behind + ((int64_t)(-1 - face->neighbour) * points + p) * 4;
    return ref->traces + (((int64_t)face->neighbour * SEDGE_FACES + face->face) * points + p) * 4;
}

// ---- the form ----------------------------------------------------------------------------------

static double coefficient(const reference *ref, int group)
{
    return ref->problem->equation->elliptic->coefficient(ref->problem->materials[group]);
}

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
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

// tau of a face; `k` is the mean of both sides' coefficients, `surface` sJ.
static double find_tau(const reference *ref, int32_t e, int f, double k, double surface)
{
    const sedge_mesh *const mesh = ref->mesh;
    const int32_t neighbour = mesh->faces[e][f].neighbour;
    const double order = ref->element->order;
    const double own = straight_volume(mesh, e);
    double behind = own;

    if (neighbour >= 0) {
        behind = straight_volume(mesh, neighbour);
    } else if (-1 - neighbour < mesh->halo_faces) {
        behind = ref->volume[-1 - neighbour];
    }
    if (own > 0.0 && behind > 0.0) {
        return ref->problem->constants[0] * k * (order + 1.0) * (order + 3.0) / 3.0 *
               triangle_area(mesh->corners[e], f) / fmin(own, behind);
    }
    const double tau = ref->faces[(int64_t)e * SEDGE_FACES + f].tau;
    return own > 0.0 ? tau : tau / surface;
}

// What point q of face f adds against the test function (value) and its normal derivative (slope).
static void find_face(double *value, double *slope, const reference *ref, const elliptic_point *at,
                      int32_t e, int f, int q)
{
    const sedge_mesh *const mesh = ref->mesh;
    const sedge_face *const face = &mesh->faces[e][f];
    const double *const own =
        ref->traces + (((int64_t)e * SEDGE_FACES + f) * ref->curved->face_points + q) * 4;
    const double k = coefficient(ref, mesh->group[e]);
    const int64_t slot = -1 - (int64_t)face->neighbour;

    if (slot >= mesh->halo_faces) {
        const sedge_condition condition =
            elliptic_condition(mesh, ref->problem, &mesh->trace_faces[slot], at->x, at->normal);
        *value = condition.factor * own[0];
        if (condition.fixed) {
            *value =
                2.0 * find_tau(ref, e, f, k, at->surface) * own[0] - k * dot(at->normal, own + 1);
        }
        *slope = condition.fixed ? -k * own[0] : 0.0;
        return;
    }
    const double *const behind = find_behind(ref, face, q);
    const double other = coefficient(ref, face->neighbour >= 0 ? mesh->group[face->neighbour]
                                                               : mesh->trace_faces[slot].group);
    const double mean = 2.0 / (1.0 / k + 1.0 / other);
    const double tau = find_tau(ref, e, f, mean, at->surface);
    const double jump = own[0] - behind[0];
    *value = -0.5 * mean * (dot(at->normal, own + 1) + dot(at->normal, behind + 1)) + tau * jump;
    *slope = -0.5 * mean * jump;
}

// Sums over the points: of values against v, of ref->pull against grad v; the latter are turned
// into ref->slopes against D_j v at the nodes, and those into sums against v.
static void apply_element(double *r, reference *ref, int32_t e)
{
    const elliptic_curved *const curved = ref->curved;
    const int nodes = ref->element->nodes;
    const double k = coefficient(ref, ref->mesh->group[e]);
    double map[SEDGE_CURVE_TERMS][3];

    sedge_mesh_expand(ref->mesh, e, map);
    for (int n = 0; n < nodes; n++) r[n] = 0.0;
    differentiate(ref, e);
    for (int p = 0; p < curved->all; p++) {
        const double *const row = ref->values + (int64_t)p * nodes;
        elliptic_point at;
        double here[4];
        double value = 0.0;
        double slope = 0.0;
        elliptic_curved_point(&at, curved, map, p);
        if (p < curved->points) {
            evaluate(here, ref, &at, e, p);
            for (int d = 0; d < 3; d++) ref->pull[p][d] = at.weight * at.jacobian * k * here[1 + d];
            continue;
        }
        const int q = p - curved->points;
        find_face(&value, &slope, ref, &at, e, q / curved->face_points, q % curved->face_points);
        for (int n = 0; n < nodes; n++) r[n] += at.weight * at.surface * value * row[n];
        for (int d = 0; d < 3; d++) ref->pull[p][d] = at.weight * at.surface * slope * at.normal[d];
    }
    memset(ref->slopes, 0, (size_t)3 * (size_t)nodes * sizeof(double));
    for (int p = 0; p < curved->all; p++) {
        elliptic_point at;
        elliptic_curved_point(&at, curved, map, p);
        for (int i = 0; i < 3 * nodes; i++) {
            ref->slopes[i] += dot(at.cofactor[i / nodes], ref->pull[p]) / at.jacobian *
                              ref->values[(int64_t)p * nodes + i % nodes];
        }
    }
    for (int i = 0; i < 3 * nodes * nodes; i++) {
        const int m = i / nodes;
        r[i % nodes] +=
            ref->element->derivative[m / nodes][m % nodes * nodes + i % nodes] * ref->slopes[m];
    }
}

sedge_status elliptic_reference(double *r, const elliptic_case *c, const double *u)
{
    const sedge_comm *const comm = c->world->comm;
    reference ref = {.element = c->element, .mesh = c->mesh, .problem = &c->problem, .u = u};
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, open_points(&ref)));
    SEDGE_TRY_GOTO(status,
                   sedge_elliptic_faces(&ref.faces, comm, c->element, c->mesh, &c->problem));
    SEDGE_TRY_GOTO(status, find_volumes(&ref, comm));
    SEDGE_TRY_GOTO(status, find_traces(&ref, comm));
    for (int32_t e = 0; e < c->mesh->elements; e++)
        apply_element(r + (int64_t)e * c->element->nodes, &ref, e);
done:
    clear(&ref);
    return status;
}
