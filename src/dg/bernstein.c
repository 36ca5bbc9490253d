#include "bernstein.h"

#include "base/memory.h"
#include "mesh/mesh.h"

#include "dense.h"

#include <math.h>
#include <string.h>

#define ROWS  3 // of a conversion at once,
#define STRIP 8 // and numbers of each: in the registers of any processor

static const char *const basis_names[] = {[SEDGE_NODAL] = "nodal",
                                          [SEDGE_BERNSTEIN] = "bernstein",
                                          [SEDGE_NODAL_COVARIANT] = "nodal-covariant",
                                          [SEDGE_BERNSTEIN_COVARIANT] = "bernstein-covariant"};

const char *sedge_basis_name(sedge_basis basis)
{
    return basis_names[basis];
}

bool sedge_basis_parse(sedge_basis *out, const char *name)
{
    for (int b = SEDGE_NODAL; b <= SEDGE_BERNSTEIN_COVARIANT; b++) {
        if (strcmp(name, basis_names[b]) != 0) continue;
        *out = (sedge_basis)b;
        return true;
    }
    return false;
}

// ---- numbers -----------------------------------------------------------------------------------

// Of a triangle's lattice: rows of order + 1, order, ... points come before row j2.
static int face_number(int order, int j1, int j2)
{
    return j2 * (2 * order + 3 - j2) / 2 + j1;
}

int sedge_bernstein_number(int order, int i, int j, int k)
{
    int before = 0; // points of the layers below k, each a triangle of order - layer

    for (int layer = 0; layer < k; layer++) before += (order - layer + 1) * (order - layer + 2) / 2;
    return before + face_number(order - k, i, j);
}

static void number_all(sedge_bernstein *basis)
{
    const int N = basis->order;
    int n = 0;

    for (int k = 0; k <= N; k++) {
        for (int j = 0; j <= N - k; j++) {
            for (int i = 0; i <= N - j - k; i++) {
                const int alpha[4] = {N - i - j - k, i, j, k};
                memcpy(basis->index[n++], alpha, sizeof alpha);
            }
        }
    }
    n = 0;
    for (int j = 0; j <= N; j++) {
        for (int i = 0; i <= N - j; i++) {
            const int alpha[3] = {N - i - j, i, j};
            memcpy(basis->face_index[n++], alpha, sizeof alpha);
        }
    }
}

static double binomial(int n, int k)
{
    double value = 1.0;

    for (int i = 1; i <= k; i++) value = value * (n - k + i) / i; // whole at each step
    return value;
}

// N!/(alpha!) lambda^alpha of `vertices` barycentric coordinates.
static double evaluate(int order, const int *alpha, const double *lambda, int vertices)
{
    double value = 1.0;
    int left = order;

    for (int v = 0; v < vertices; v++) {
        value *= binomial(left, alpha[v]);
        for (int i = 0; i < alpha[v]; i++) value *= lambda[v];
        left -= alpha[v];
    }
    return value;
}

// ---- T -----------------------------------------------------------------------------------------

// Barycentric coordinates of a node; of its own faces' opposite vertices exactly 0.
static void get_lambda(const sedge_bernstein *basis, const sedge_element *element, int node,
                       double lambda[4])
{
    lambda[1] = 0.5 * (1.0 + element->r[node]);
    lambda[2] = 0.5 * (1.0 + element->s[node]);
    lambda[3] = 0.5 * (1.0 + element->t[node]);
    lambda[0] = basis->index[node][0] == 0 ? 0.0 : 1.0 - lambda[1] - lambda[2] - lambda[3];
}

static sedge_status build_conversions(sedge_bernstein *basis, const sedge_element *element)
{
    const int n = basis->nodes;
    const int nf = basis->face_nodes;
    double lambda[4];

    for (int i = 0; i < n; i++) {
        get_lambda(basis, element, i, lambda);
        for (int k = 0; k < n; k++)
            basis->to_nodal[i * n + k] = evaluate(basis->order, basis->index[k], lambda, 4);
    }
    for (int i = 0; i < nf; i++) { // face 0: the first nodes, of which lambda_3 is 0
        get_lambda(basis, element, i, lambda);
        for (int k = 0; k < nf; k++) {
            basis->face_to_nodal[i * nf + k] =
                evaluate(basis->order, basis->face_index[k], lambda, 3);
        }
    }
    SEDGE_TRY(sedge_dense_invert(basis->from_nodal, basis->to_nodal, n));
    SEDGE_TRY(sedge_dense_invert(basis->face_from_nodal, basis->face_to_nodal, nf));
    for (int i = 0; i < n; i++) {
        double sum = 0.0;
        for (int k = 0; k < n; k++) {
            basis->columns[SEDGE_NODAL][k * basis->stride + i] = basis->to_nodal[i * n + k];
            basis->columns[SEDGE_BERNSTEIN][k * basis->stride + i] = basis->from_nodal[i * n + k];
            sum += fabs(basis->from_nodal[i * n + k]);
        }
        basis->norm = fmax(basis->norm, sum);
    }
    return SEDGE_OK;
}

// ---- operators ---------------------------------------------------------------------------------

// d/dr_a B_alpha = N/2 (B_(alpha - e_a) - B_(alpha - e_0)) of order N - 1; raised to order N again,
// the derivative's coefficient beta is
//   sum_j beta_j / 2 (c_(beta - e_j + e_a) - c_(beta - e_j + e_0)).
static void build_derivatives(sedge_bernstein *basis)
{
    const int n = basis->nodes;

    for (int a = 1; a <= 3; a++) {
        double *const D = basis->derivative[a - 1];
        for (int b = 0; b < n; b++) {
            for (int j = 0; j < 4; j++) {
                const double part = 0.5 * basis->index[b][j];
                int plus[4], minus[4];
                if (basis->index[b][j] == 0) continue;
                memcpy(plus, basis->index[b], sizeof plus);
                plus[j]--;
                memcpy(minus, plus, sizeof minus);
                plus[a]++;
                minus[0]++;
                D[b * n + sedge_bernstein_number(basis->order, plus[1], plus[2], plus[3])] += part;
                D[b * n + sedge_bernstein_number(basis->order, minus[1], minus[2], minus[3])] -=
                    part;
            }
        }
    }
}

// The integral of B_alpha B_beta = prod_v C(alpha_v + beta_v, alpha_v) / C(2N, N) B_(alpha + beta),
// each B of order 2N having the same share of the volume 4/3.
static void build_mass(sedge_bernstein *basis)
{
    const int n = basis->nodes;
    const int N = basis->order;
    const double share = 4.0 / 3.0 / (binomial(2 * N, N) * binomial(2 * N + 3, 3));

    for (int a = 0; a < n; a++) {
        for (int b = 0; b < n; b++) {
            double product = share;
            for (int v = 0; v < 4; v++)
                product *= binomial(basis->index[a][v] + basis->index[b][v], basis->index[a][v]);
            basis->mass[a * n + b] = product;
        }
    }
}

// The rows of one layer of coefficients, l steps off a face, are a lattice of order N - l: those of
// layer 0 are 1/2 (N+1)^2 E^T E, E raising from N to N + 1 on the face; those of the next are those
// before, times E^T from N - l to N - l + 1. In the lift they are multiplied by
// (-1)^l C(N, l) / (1 + l) (Chan & Warburton, section 4.2; Tf takes the place of their nodes).
static void first_layer(const sedge_bernstein *basis, double *rows)
{
    const int nf = basis->face_nodes;

    for (int g = 0; g < nf; g++) {
        for (int up = 0; up < 3; up++) {
            for (int down = 0; down < 3; down++) {
                int to[3];
                memcpy(to, basis->face_index[g], sizeof to);
                to[up]++;
                to[down]--;
                if (to[down] < 0) continue;
                rows[g * nf + face_number(basis->order, to[1], to[2])] +=
                    0.5 * (basis->face_index[g][up] + 1) * (to[down] + 1);
            }
        }
    }
}

// `next` of order m - 1 from `rows` of order m.
static void next_layer(const sedge_bernstein *basis, double *next, const double *rows, int m)
{
    const int nf = basis->face_nodes;

    for (int j2 = 0; j2 < m; j2++) {
        for (int j1 = 0; j1 < m - j2; j1++) {
            const int gamma[3] = {m - 1 - j1 - j2, j1, j2};
            for (int k = 0; k < nf; k++) {
                double sum = 0.0;
                for (int j = 0; j < 3; j++) {
                    sum += (gamma[j] + 1.0) *
                           rows[face_number(m, j1 + (j == 1), j2 + (j == 2)) * nf + k];
                }
                next[face_number(m - 1, j1, j2) * nf + k] = sum / m;
            }
        }
    }
}

// Put a layer's rows into the lift of all four faces.
static void place_layer(sedge_bernstein *basis, const double *rows, int layer)
{
    const int nf = basis->face_nodes;
    const int N = basis->order;
    const double factor = (layer % 2 == 0 ? 1.0 : -1.0) * binomial(N, layer) / (1.0 + layer);

    for (int f = 0; f < SEDGE_FACES; f++) {
        const int *const vertex = sedge_face_vertices[f];
        const int opposite = 6 - vertex[0] - vertex[1] - vertex[2];
        for (int n = 0; n < basis->nodes; n++) {
            const int *const alpha = basis->index[n];
            if (alpha[opposite] != layer) continue;
            const double *const row =
                rows + (int64_t)face_number(N - layer, alpha[vertex[1]], alpha[vertex[2]]) * nf;
            for (int k = 0; k < nf; k++)
                basis->lift[(n * SEDGE_FACES + f) * nf + k] = factor * row[k];
        }
    }
}

static sedge_status build_lift(sedge_bernstein *basis)
{
    const int64_t size = (int64_t)basis->face_nodes * basis->face_nodes;
    double *rows[2] = {NULL, NULL};
    sedge_status status;

    for (int i = 0; i < 2; i++)
        SEDGE_TRY_GOTO(status, sedge_allocate(&rows[i], size, sizeof(double)));
    first_layer(basis, rows[0]);
    for (int layer = 0; layer <= basis->order; layer++) {
        place_layer(basis, rows[layer % 2], layer);
        if (layer < basis->order)
            next_layer(basis, rows[(layer + 1) % 2], rows[layer % 2], basis->order - layer);
    }
done:
    sedge_release(rows[0]);
    sedge_release(rows[1]);
    return status;
}

// ---- all of it ---------------------------------------------------------------------------------

static sedge_status allocate_arrays(sedge_bernstein *basis)
{
    const int64_t n = basis->nodes;
    const int64_t nf = basis->face_nodes;

    SEDGE_TRY(sedge_allocate(&basis->index, n, sizeof *basis->index));
    SEDGE_TRY(sedge_allocate(&basis->face_index, nf, sizeof *basis->face_index));
    SEDGE_TRY(sedge_allocate(&basis->to_nodal, n * n, sizeof(double)));
    SEDGE_TRY(sedge_allocate(&basis->from_nodal, n * n, sizeof(double)));
    SEDGE_TRY(sedge_allocate(&basis->face_to_nodal, nf * nf, sizeof(double)));
    SEDGE_TRY(sedge_allocate(&basis->face_from_nodal, nf * nf, sizeof(double)));
    for (int j = 0; j < 3; j++)
        SEDGE_TRY(sedge_allocate(&basis->derivative[j], n * n, sizeof(double)));
    SEDGE_TRY(sedge_allocate(&basis->lift, n * 4 * nf, sizeof(double)));
    SEDGE_TRY(sedge_allocate(&basis->mass, n * n, sizeof(double)));
    for (int b = 0; b < 2; b++)
        SEDGE_TRY(sedge_allocate(&basis->columns[b], n * basis->stride, sizeof(double)));
    return SEDGE_OK;
}

sedge_status sedge_bernstein_create(sedge_bernstein **out, const sedge_element *element)
{
    sedge_status status;
    sedge_bernstein *basis = NULL;

    *out = NULL;
    SEDGE_TRY_GOTO(status, sedge_allocate(&basis, 1, sizeof *basis));
    basis->order = element->order;
    basis->nodes = element->nodes;
    basis->face_nodes = element->face_nodes;
    basis->stride = (basis->nodes + STRIP - 1) / STRIP * STRIP;
    SEDGE_TRY_GOTO(status, allocate_arrays(basis));
    number_all(basis);
    SEDGE_TRY_GOTO(status, build_conversions(basis, element));
    build_derivatives(basis);
    build_mass(basis);
    SEDGE_TRY_GOTO(status, build_lift(basis));
    *out = basis;
    basis = NULL;
done:
    sedge_bernstein_free(basis);
    return status;
}

void sedge_bernstein_free(sedge_bernstein *basis)
{
    if (basis == NULL) return;
    sedge_release(basis->index);
    sedge_release(basis->face_index);
    sedge_release(basis->to_nodal);
    sedge_release(basis->from_nodal);
    sedge_release(basis->face_to_nodal);
    sedge_release(basis->face_from_nodal);
    for (int j = 0; j < 3; j++) sedge_release(basis->derivative[j]);
    sedge_release(basis->lift);
    sedge_release(basis->mass);
    for (int b = 0; b < 2; b++) sedge_release(basis->columns[b]);
    sedge_release(basis);
}

// STRIP numbers of up to ROWS rows: sums stay in registers.
static void convert_strip(double *out, const double *in, const double *columns, int stride, int n,
                          int rows, int first)
{
    const int width = n - first < STRIP ? n - first : STRIP;
    double sum[ROWS][STRIP] = {{0.0}};

    for (int k = 0; k < n; k++) {
        const double *const column = columns + (int64_t)k * stride + first;
        for (int row = 0; row < ROWS; row++) {
            const double value = in[(row < rows ? row : 0) * n + k];
            for (int i = 0; i < STRIP; i++) sum[row][i] += value * column[i];
        }
    }
    for (int row = 0; row < rows; row++)
        memcpy(out + (int64_t)row * n + first, sum[row], (size_t)width * sizeof *out);
}

static bool is_zero(const double *in, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (in[i] != 0.0) return false; // not-a-number, too
    return true;
}

void sedge_bernstein_convert(const sedge_bernstein *basis, sedge_basis to, double *out,
                             const double *in, int64_t rows)
{
    const int n = basis->nodes;

    for (int64_t row = 0; row < rows; row += ROWS) {
        const int count = rows - row < ROWS ? (int)(rows - row) : ROWS;
        if (is_zero(in + row * n, (int64_t)count * n)) { // most fields at the start of many runs
            memset(out + row * n, 0, (size_t)(count * n) * sizeof *out);
            continue;
        }
        for (int first = 0; first < n; first += STRIP) {
            convert_strip(out + row * n, in + row * n, basis->columns[to], basis->stride, n, count,
                          first);
        }
    }
}
