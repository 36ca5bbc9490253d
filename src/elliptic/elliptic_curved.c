#include "elliptic_curved.h"

#include "base/memory.h"
#include "dg/cubature.h"
#include "dg/dense.h"

#include <math.h>
#include <string.h>

static const int pairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};

// ---- points and operators ----------------------------------------------------------------------

static sedge_status place_points(elliptic_curved *curved, int order)
{
    sedge_status status;
    sedge_quadrature volume = {0};
    sedge_quadrature face = {0};

    SEDGE_TRY_GOTO(status, sedge_quadrature_tet(&volume, 2 * order + 1));
    SEDGE_TRY_GOTO(status, sedge_quadrature_triangle(&face, 2 * order + 2));
    curved->points = volume.points;
    curved->face_points = face.points;
    curved->all = volume.points + SEDGE_FACES * face.points;
    SEDGE_TRY_GOTO(status, sedge_allocate(&curved->place, curved->all, sizeof *curved->place));
    SEDGE_TRY_GOTO(status, sedge_allocate(&curved->weight, curved->all, sizeof(double)));
    for (int p = 0; p < curved->all; p++) {
        if (p < volume.points) {
            memcpy(curved->place[p], volume.place[p], sizeof *curved->place);
            curved->weight[p] = volume.weight[p];
        } else {
            curved->weight[p] = face.weight[(p - volume.points) % face.points];
        }
    }
    sedge_cubature_place_faces(curved->place + volume.points, &face);
    status = SEDGE_OK;
done:
    sedge_quadrature_clear(&volume);
    sedge_quadrature_clear(&face);
    return status;
}

static sedge_status make_slopes(elliptic_curved *curved, const sedge_element *element)
{
    const int nodes = element->nodes;
    const int64_t count = (int64_t)curved->all * nodes;
    double *one = NULL;

    SEDGE_TRY(sedge_allocate(&curved->values, count, sizeof(double)));
    SEDGE_TRY(sedge_allocate(&curved->slopes, 3 * count, sizeof(double)));
    for (int p = 0; p < curved->all; p++) {
        const double *const at = curved->place[p];
        SEDGE_TRY(sedge_element_interpolate(element, at[0], at[1], at[2],
                                            curved->values + (int64_t)p * nodes));
    }
    SEDGE_TRY(sedge_allocate(&one, count, sizeof(double)));
    for (int j = 0; j < 3; j++) {
        sedge_dense_multiply(one, curved->values, false, element->derivative[j], false, curved->all,
                             nodes, nodes);
        for (int64_t i = 0; i < count; i++) curved->slopes[3 * i + j] = one[i];
    }
    sedge_release(one);
    return SEDGE_OK;
}

double elliptic_curved_trace(const elliptic_curved *curved, const sedge_element *element, int p,
                             int i)
{
    return curved->values[(int64_t)(curved->points + p) * curved->nodes + element->face_node[i]];
}

static sedge_status make_projection(elliptic_curved *curved, const sedge_element *element)
{
    const int nf = element->face_nodes;
    sedge_status status;
    double *inverse = NULL;

    SEDGE_TRY_GOTO(status, sedge_allocate(&curved->project, (int64_t)curved->face_points * nf,
                                          sizeof(double)));
    SEDGE_TRY_GOTO(status, sedge_allocate(&inverse, (int64_t)nf * nf, sizeof(double)));
    SEDGE_TRY_GOTO(status, sedge_dense_invert(inverse, element->face_mass, nf));
    for (int p = 0; p < curved->face_points; p++) {
        for (int k = 0; k < nf; k++) {
            double sum = 0.0;
            for (int i = 0; i < nf; i++)
                sum += inverse[k * nf + i] * elliptic_curved_trace(curved, element, p, i);
            curved->project[(int64_t)p * nf + k] = curved->weight[curved->points + p] * sum;
        }
    }
done:
    sedge_release(inverse);
    return status;
}

sedge_status elliptic_curved_create(elliptic_curved **out, const sedge_element *element,
                                    bool operators)
{
    sedge_status status;
    elliptic_curved *curved = NULL;

    *out = NULL;
    SEDGE_TRY_GOTO(status, sedge_allocate(&curved, 1, sizeof *curved));
    curved->nodes = element->nodes;
    curved->face_nodes = element->face_nodes;
    SEDGE_TRY_GOTO(status, place_points(curved, element->order));
    if (operators) {
        SEDGE_TRY_GOTO(status, make_slopes(curved, element));
        SEDGE_TRY_GOTO(status, make_projection(curved, element));
    }
    *out = curved;
    curved = NULL;
done:
    elliptic_curved_free(curved);
    return status;
}

void elliptic_curved_free(elliptic_curved *curved)
{
    if (curved == NULL) return;
    sedge_release(curved->place);
    sedge_release(curved->weight);
    sedge_release(curved->values);
    sedge_release(curved->slopes);
    sedge_release(curved->project);
    sedge_release(curved);
}

// ---- one point ---------------------------------------------------------------------------------

void elliptic_curved_point(elliptic_point *out, const elliptic_curved *curved,
                           double map[SEDGE_CURVE_TERMS][3], int p)
{
    double dx[3][3];

    sedge_curve_place(map, curved->place[p], out->x);
    sedge_curve_tangents(map, curved->place[p], dx);
    out->jacobian = sedge_curve_cofactors(dx, out->cofactor);
    out->weight = curved->weight[p];
    out->surface = 0.0;
    memset(out->normal, 0, sizeof out->normal);
    if (p < curved->points) return;
    sedge_curve_normal(out->cofactor, (p - curved->points) / curved->face_points, out->normal);
    for (int d = 0; d < 3; d++) out->surface += out->normal[d] * out->normal[d];
    out->surface = sqrt(out->surface);
    for (int d = 0; d < 3; d++) out->normal[d] /= out->surface;
}

void elliptic_curved_gradient(double gradient[3], const elliptic_curved *curved,
                              const elliptic_point *at, int p, const double *u)
{
    const double *const row = curved->slopes + (int64_t)p * curved->nodes * 3;
    double slope[3] = {0.0, 0.0, 0.0};

    for (int n = 0; n < curved->nodes; n++)
        for (int j = 0; j < 3; j++) slope[j] += row[3 * n + j] * u[n];
    for (int d = 0; d < 3; d++) {
        gradient[d] = (at->cofactor[0][d] * slope[0] + at->cofactor[1][d] * slope[1] +
                       at->cofactor[2][d] * slope[2]) /
                      at->jacobian;
    }
}

// J grad r_j . grad r_k there.
static void find_metric(double metric[6], const elliptic_point *at)
{
    for (int i = 0; i < 6; i++) {
        const double *const a = at->cofactor[pairs[i][0]];
        const double *const b = at->cofactor[pairs[i][1]];
        metric[i] = (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) / at->jacobian;
    }
}

// ---- one element -------------------------------------------------------------------------------

// The mean of J grad r_j . grad r_k over the element: rr, ss, tt, rs, rt, st.
static void find_mean(double mean[6], const elliptic_curved *curved,
                      double map[SEDGE_CURVE_TERMS][3])
{
    for (int i = 0; i < 6; i++) mean[i] = 0.0;
    for (int p = 0; p < curved->points; p++) {
        elliptic_point at;
        double metric[6];
        elliptic_curved_point(&at, curved, map, p);
        find_metric(metric, &at);
        for (int i = 0; i < 6; i++) mean[i] += 0.75 * at.weight * metric[i]; // the volume is 4/3
    }
}

// The mean of sJ over a face.
static double find_surface(const elliptic_curved *curved, double map[SEDGE_CURVE_TERMS][3],
                           int face)
{
    double mean = 0.0;

    for (int p = 0; p < curved->face_points; p++) {
        elliptic_point at;
        elliptic_curved_point(&at, curved, map, curved->points + face * curved->face_points + p);
        mean += 0.5 * at.weight * at.surface; // the area is 2
    }
    return mean;
}

// The inverse of Cholesky's factor of a symmetric matrix, lower: l A l^T = 1.
static void factor(double l[3][3], const double a[6])
{
    const double l00 = sqrt(a[0]);
    const double l10 = a[3] / l00;
    const double l20 = a[4] / l00;
    const double l11 = sqrt(a[1] - l10 * l10);
    const double l21 = (a[5] - l20 * l10) / l11;
    const double l22 = sqrt(a[2] - l20 * l20 - l21 * l21);

    memset(l, 0, 3 * sizeof *l);
    l[0][0] = 1.0 / l00;
    l[1][1] = 1.0 / l11;
    l[2][2] = 1.0 / l22;
    l[1][0] = -l10 * l[0][0] / l11;
    l[2][1] = -l21 * l[1][1] / l22;
    l[2][0] = -(l20 * l[0][0] + l21 * l[1][0]) / l22;
}

// The least and the largest eigenvalue of l A l^T, by the formula for symmetric matrices of three
// rows.
static void find_range(double range[2], double l[3][3], const double a[6])
{
    const double full[3][3] = {{a[0], a[3], a[4]}, {a[3], a[1], a[5]}, {a[4], a[5], a[2]}};
    double b[3][3];
    double square = 0.0;

    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            b[i][j] = 0.0;
            for (int k = 0; k < 9; k++) b[i][j] += l[i][k / 3] * full[k / 3][k % 3] * l[j][k % 3];
        }
    }
    const double mean = (b[0][0] + b[1][1] + b[2][2]) / 3.0;
    for (int i = 0; i < 3; i++) {
        b[i][i] -= mean;
        for (int j = 0; j < 3; j++) square += b[i][j] * b[i][j];
    }
    const double size = sqrt(square / 6.0);
    range[0] = range[1] = mean;
    if (!(size > 1e-15 * mean)) return; // a multiple of the mean metric
    const double determinant = b[0][0] * (b[1][1] * b[2][2] - b[1][2] * b[2][1]) -
                               b[0][1] * (b[1][0] * b[2][2] - b[1][2] * b[2][0]) +
                               b[0][2] * (b[1][0] * b[2][1] - b[1][1] * b[2][0]);
    const double cosine = fmax(-1.0, fmin(1.0, 0.5 * determinant / (size * size * size)));
    const double angle = acos(cosine) / 3.0;
    range[0] = mean + 2.0 * size * cos(angle + 2.0943951023931954923); // 2 pi / 3
    range[1] = mean + 2.0 * size * cos(angle);
}

void elliptic_curved_penalty(double penalty[SEDGE_FACES], const elliptic_curved *curved,
                             double map[SEDGE_CURVE_TERMS][3])
{
    double mean[6];
    double l[3][3];
    double across[SEDGE_FACES] = {0.0}; // n.Gn
    double most[SEDGE_FACES] = {0.0};
    double least = HUGE_VAL;

    find_mean(mean, curved, map);
    factor(l, mean);
    for (int p = 0; p < curved->all; p++) {
        elliptic_point at;
        double metric[6];
        double range[2];
        elliptic_curved_point(&at, curved, map, p);
        find_metric(metric, &at);
        find_range(range, l, metric);
        if (p < curved->points) {
            least = fmin(least, range[0]);
        } else {
            const int f = (p - curved->points) / curved->face_points;
            across[f] = fmax(across[f], at.surface * at.surface / at.jacobian);
            most[f] = fmax(most[f], range[1]);
        }
    }
    const double mean_across[SEDGE_FACES] = {
        mean[2], mean[1], mean[0] + mean[1] + mean[2] + 2.0 * (mean[3] + mean[4] + mean[5]),
        mean[0]};
    for (int f = 0; f < SEDGE_FACES; f++)
        penalty[f] = 1.5 * fmax(across[f] * most[f] / least, mean_across[f]);
}

void elliptic_curved_means(double metric[6], double surface[SEDGE_FACES],
                           const elliptic_curved *curved, double map[SEDGE_CURVE_TERMS][3])
{
    find_mean(metric, curved, map);
    for (int f = 0; f < SEDGE_FACES; f++) surface[f] = find_surface(curved, map, f);
}
