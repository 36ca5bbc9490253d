#include "element.h"

#include "base/memory.h"

#include "dense.h"
#include "mesh/mesh.h"
#include "modes.h"
#include "nodes.h"

#include <math.h>

#define NODES_MAX 286 // (N+1)(N+2)(N+3)/6 at N = 10

static sedge_status allocate_arrays(sedge_element *element)
{
    const int64_t n = element->nodes;
    const int64_t nf = element->face_nodes;

    SEDGE_TRY(sedge_allocate(&element->r, n, sizeof(double)));
    SEDGE_TRY(sedge_allocate(&element->s, n, sizeof(double)));
    SEDGE_TRY(sedge_allocate(&element->t, n, sizeof(double)));
    SEDGE_TRY(sedge_allocate(&element->vandermonde, n * n, sizeof(double)));
    SEDGE_TRY(sedge_allocate(&element->inverse, n * n, sizeof(double)));
    SEDGE_TRY(sedge_allocate(&element->mass, n * n, sizeof(double)));
    for (int j = 0; j < 3; j++) {
        SEDGE_TRY(sedge_allocate(&element->derivative[j], n * n, sizeof(double)));
        SEDGE_TRY(sedge_allocate(&element->weak[j], n * n, sizeof(double)));
    }
    SEDGE_TRY(sedge_allocate(&element->lift, n * 4 * nf, sizeof(double)));
    SEDGE_TRY(sedge_allocate(&element->face_node, 4 * nf, sizeof(int)));
    SEDGE_TRY(sedge_allocate(&element->permuted, 6 * nf, sizeof(int)));
    SEDGE_TRY(sedge_allocate(&element->face_mass, nf * nf, sizeof(double)));
    return SEDGE_OK;
}

// V, V^-1, M and the strong and weak derivatives.
static sedge_status build_volume(sedge_element *element)
{
    const int n = element->nodes;
    double *V = element->vandermonde;
    double *inverse = element->inverse;
    double *gradient[3] = {NULL, NULL, NULL}; // V_r, V_s, V_t
    double *half = NULL;                      // V (V^-1 V_r)^T
    double *product = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&half, (int64_t)n * n, sizeof(double)));
    SEDGE_TRY_GOTO(status, sedge_allocate(&product, (int64_t)n * n, sizeof(double)));
    for (int j = 0; j < 3; j++)
        SEDGE_TRY_GOTO(status, sedge_allocate(&gradient[j], (int64_t)n * n, sizeof(double)));
    for (int i = 0; i < n; i++) {
        const double r = element->r[i], s = element->s[i], t = element->t[i];
        const int64_t row = (int64_t)i * n;
        sedge_modes_tet(element->order, r, s, t, V + row);
        sedge_modes_tet_gradient(element->order, r, s, t, gradient[0] + row, gradient[1] + row,
                                 gradient[2] + row);
    }
    SEDGE_TRY_GOTO(status, sedge_dense_invert(inverse, V, n));
    sedge_dense_multiply(element->mass, inverse, true, inverse, false, n, n, n);
    for (int j = 0; j < 3; j++) {
        sedge_dense_multiply(element->derivative[j], gradient[j], false, inverse, false, n, n, n);
        // (V V_r^T)(V V^T)^-1 = V (V^-1 V_r)^T V^-1
        sedge_dense_multiply(product, inverse, false, gradient[j], false, n, n, n);
        sedge_dense_multiply(half, V, false, product, true, n, n, n);
        sedge_dense_multiply(element->weak[j], half, false, inverse, false, n, n, n);
    }
done:
    for (int j = 0; j < 3; j++) sedge_release(gradient[j]);
    sedge_release(product);
    sedge_release(half);
    return status;
}

// Nodes on face f lie where one coordinate combination is -1. They keep the volume's order, which
// runs fastest from the face's vertex 0 to its vertex 1 and slowest to vertex 2.
static void find_face_nodes(sedge_element *element)
{
    int count[4] = {0, 0, 0, 0};
    const int nf = element->face_nodes;

    for (int i = 0; i < element->nodes; i++) {
        const double r = element->r[i], s = element->s[i], t = element->t[i];
        const double on[4] = {t, s, r + s + t, r};
        for (int f = 0; f < 4; f++)
            if (fabs(on[f] + 1.0) < 1e-9) element->face_node[f * nf + count[f]++] = i;
    }
}

// Face node i has barycentric indices L[i] with respect to the face's vertices, each 0..N. My
// vertex v is the neighbour's vertex permutation[v], so L'[permutation[v]] = L[v].
static void build_permutations(sedge_element *element)
{
    const int order = element->order;

    for (int o = 0; o < 6; o++) {
        int node = 0;
        for (int k = 0; k <= order; k++) {
            for (int j = 0; j <= order - k; j++) {
                const int mine[3] = {order - j - k, j, k};
                int theirs[3];
                for (int v = 0; v < 3; v++) theirs[sedge_face_permutations[o][v]] = mine[v];
                // Rows before theirs[2] hold order+1, order, ... nodes.
                const int row = theirs[2] * (2 * order + 3 - theirs[2]) / 2;
                element->permuted[o * element->face_nodes + node++] = row + theirs[1];
            }
        }
    }
}

// The mass matrix of the face's nodes and LIFT = V V^T E, E its copies for the four faces.
static sedge_status build_faces(sedge_element *element)
{
    const int n = element->nodes;
    const int nf = element->face_nodes;
    const double *V = element->vandermonde;
    double *faceV = NULL;
    double *inverse = NULL;
    double *scattered = NULL; // E [nodes][4 face_nodes]
    double *modal = NULL;     // V^T E
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&faceV, (int64_t)nf * nf, sizeof(double)));
    SEDGE_TRY_GOTO(status, sedge_allocate(&inverse, (int64_t)nf * nf, sizeof(double)));
    SEDGE_TRY_GOTO(status, sedge_allocate(&scattered, (int64_t)n * 4 * nf, sizeof(double)));
    SEDGE_TRY_GOTO(status, sedge_allocate(&modal, (int64_t)n * 4 * nf, sizeof(double)));
    for (int i = 0; i < nf; i++) {
        const int node = element->face_node[i]; // face 0: t = -1, so (r,s) are its coordinates
        sedge_modes_triangle(element->order, element->r[node], element->s[node],
                             faceV + (int64_t)i * nf);
    }
    SEDGE_TRY_GOTO(status, sedge_dense_invert(inverse, faceV, nf));
    sedge_dense_multiply(element->face_mass, inverse, true, inverse, false, nf, nf, nf);
    for (int f = 0; f < 4; f++) {
        for (int i = 0; i < nf; i++) {
            for (int j = 0; j < nf; j++) {
                scattered[element->face_node[f * nf + i] * 4 * nf + f * nf + j] =
                    element->face_mass[i * nf + j];
            }
        }
    }
    sedge_dense_multiply(modal, V, true, scattered, false, n, n, 4 * nf);
    sedge_dense_multiply(element->lift, V, false, modal, false, n, n, 4 * nf);
done:
    sedge_release(modal);
    sedge_release(scattered);
    sedge_release(inverse);
    sedge_release(faceV);
    return status;
}

sedge_status sedge_element_create(sedge_element **out, int order)
{
    sedge_status status;
    sedge_element *element = NULL;

    *out = NULL;
    if (order < 1 || order > 10)
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "order %d is outside 1..10", order);
    SEDGE_TRY_GOTO(status, sedge_allocate(&element, 1, sizeof *element));
    element->order = order;
    element->nodes = (order + 1) * (order + 2) * (order + 3) / 6;
    element->face_nodes = (order + 1) * (order + 2) / 2;
    SEDGE_TRY_GOTO(status, allocate_arrays(element));
    sedge_nodes_compute(order, element->r, element->s, element->t);
    SEDGE_TRY_GOTO(status, build_volume(element));
    find_face_nodes(element);
    build_permutations(element);
    SEDGE_TRY_GOTO(status, build_faces(element));
    *out = element;
    element = NULL;
done:
    sedge_element_free(element);
    return status;
}

void sedge_element_free(sedge_element *element)
{
    if (element == NULL) return;
    sedge_release(element->r);
    sedge_release(element->s);
    sedge_release(element->t);
    sedge_release(element->vandermonde);
    sedge_release(element->inverse);
    sedge_release(element->mass);
    for (int j = 0; j < 3; j++) {
        sedge_release(element->derivative[j]);
        sedge_release(element->weak[j]);
    }
    sedge_release(element->lift);
    sedge_release(element->face_node);
    sedge_release(element->permuted);
    sedge_release(element->face_mass);
    sedge_release(element);
}

void sedge_element_modes(const sedge_element *element, double r, double s, double t, double *modes)
{
    sedge_modes_tet(element->order, r, s, t, modes);
}

sedge_status sedge_element_interpolate(const sedge_element *element, double r, double s, double t,
                                       double *weights)
{
    const int n = element->nodes;
    double modes[NODES_MAX];

    if (!isfinite(r) || !isfinite(s) || !isfinite(t))
        return SEDGE_FAIL(SEDGE_ERR_INTERNAL, "(%g, %g, %g) is no place in the element", r, s, t);
    sedge_modes_tet(element->order, r, s, t, modes);
    sedge_dense_multiply(weights, modes, false, element->inverse, false, 1, n, n);
    return SEDGE_OK;
}

void sedge_element_place(const sedge_element *element, const double *weights, int64_t stride,
                         double rst[3])
{
    rst[0] = rst[1] = rst[2] = 0.0;
    for (int n = 0; n < element->nodes; n++) {
        const double weight = weights[n * stride];
        rst[0] += weight * element->r[n];
        rst[1] += weight * element->s[n];
        rst[2] += weight * element->t[n];
    }
}
