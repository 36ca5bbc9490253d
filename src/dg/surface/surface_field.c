#include "dg/surface_field.h"

#include "base/memory.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS  20
#define SETTLED 1e-14 // change of lambda

static int compare_numbers(const double *a, const double *b, int count)
{
    for (int i = 0; i < count; i++)
        if (a[i] < b[i] || a[i] > b[i]) return a[i] < b[i] ? -1 : 1;
    return 0;
}

void sedge_surface_corners(double out[9], const double a[3], const double b[3], const double c[3])
{
    const double *order[3] = {a, b, c};

    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < 2 - pass; i++) {
            const double *const first = order[i];
            if (compare_numbers(first, order[i + 1], 3) <= 0) continue;
            order[i] = order[i + 1];
            order[i + 1] = first;
        }
    }
    for (int i = 0; i < 3; i++) memcpy(out + (ptrdiff_t)3 * i, order[i], 3 * sizeof *out);
}

int sedge_triangle_count(int order)
{
    return (order + 1) * (order + 2) / 2;
}

// Rows of one b each, whose lengths fall from order + 1 to 1.
int sedge_triangle_index(int order, int b, int c)
{
    return b * (2 * order + 3 - b) / 2 + c;
}

// A face in any order.
typedef struct row {
    double corners[9];
    double middles[9];
} row;

// Of rows.
static int compare_rows(const void *a, const void *b)
{
    return compare_numbers(((const row *)a)->corners, ((const row *)b)->corners, 9);
}

// The number of the corner of `sorted` that is corner k of `corners`.
static int find_corner(const double sorted[9], const double corners[9], int k)
{
    int v = 0;

    while (v < 2 && compare_numbers(sorted + (ptrdiff_t)3 * v, corners + (ptrdiff_t)3 * k, 3) != 0)
        v++;
    return v;
}

static void fill_row(row *out, const sedge_surface_shape *shape, int64_t i)
{
    static const int ends[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    const double *const corners = shape->triangles[i];

    sedge_surface_corners(out->corners, corners, corners + 3, corners + 6);
    for (int e = 0; e < 3; e++) {
        const int first = find_corner(out->corners, corners, ends[e][0]);
        const int second = find_corner(out->corners, corners, ends[e][1]);
        double *const middle = out->middles + (ptrdiff_t)3 * (first + second - 1);

        for (int d = 0; d < 3; d++) {
            const double mean = 0.5 * (out->corners[3 * first + d] + out->corners[3 * second + d]);
            middle[d] = shape->middles != NULL ? shape->middles[i][3 * e + d] : mean;
        }
    }
}

static sedge_status fill(sedge_surface_field *field, const sedge_surface_shape *shape)
{
    const int64_t faces = field->faces;
    row *rows = NULL;

    SEDGE_TRY(sedge_allocate(&field->corners, faces, sizeof *field->corners));
    SEDGE_TRY(sedge_allocate(&field->middles, faces, sizeof *field->middles));
    SEDGE_TRY(sedge_allocate(&field->values, faces * sedge_triangle_count(field->order),
                             sizeof *field->values));
    SEDGE_TRY(sedge_allocate(&rows, faces, sizeof *rows));
    for (int64_t i = 0; i < faces; i++) fill_row(&rows[i], shape, i);
    qsort(rows, (size_t)faces, sizeof *rows, compare_rows);
    for (int64_t i = 0; i < faces; i++) {
        memcpy(field->corners[i], rows[i].corners, sizeof rows[i].corners);
        memcpy(field->middles[i], rows[i].middles, sizeof rows[i].middles);
    }
    sedge_release(rows);
    return SEDGE_OK;
}

sedge_status sedge_surface_field_create(sedge_surface_field **out, int order,
                                        const sedge_surface_shape *shape)
{
    sedge_surface_field *field = NULL;
    sedge_status status;

    *out = NULL;
    SEDGE_TRY(sedge_allocate(&field, 1, sizeof *field));
    field->order = order;
    field->faces = shape->count;
    SEDGE_TRY_GOTO(status, fill(field, shape));
    *out = field;
    field = NULL;
done:
    sedge_surface_field_free(field);
    return status;
}

void sedge_surface_field_free(sedge_surface_field *field)
{
    if (field == NULL) return;
    sedge_surface_field_free(field->other);
    sedge_release(field->corners);
    sedge_release(field->middles);
    sedge_release(field->values);
    sedge_release(field);
}

int64_t sedge_surface_field_find(const sedge_surface_field *field, const double corners[9])
{
    int64_t first = 0, behind = field->faces;

    while (first < behind) {
        const int64_t middle = first + (behind - first) / 2;
        const int order = compare_numbers(field->corners[middle], corners, 9);

        if (order == 0) return middle;
        if (order < 0) first = middle + 1;
        if (order > 0) behind = middle;
    }
    return -1;
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

void sedge_surface_field_map(const sedge_surface_field *field, int64_t face, const double shares[3],
                             double x[3], double slopes[2][3])
{
    const double *const c = field->corners[face], *const m = field->middles[face];
    const double *const l = shares;

    for (int d = 0; d < 3; d++) {
        const double first = m[d], second = m[3 + d], third = m[6 + d];
        // By lambda_0, lambda_1 and lambda_2, as if each could change alone.
        const double by[3] = {(4.0 * l[0] - 1.0) * c[d] + 4.0 * (first * l[1] + second * l[2]),
                              (4.0 * l[1] - 1.0) * c[3 + d] + 4.0 * (first * l[0] + third * l[2]),
                              (4.0 * l[2] - 1.0) * c[6 + d] + 4.0 * (second * l[0] + third * l[1])};

        x[d] = 4.0 * (first * l[0] * l[1] + second * l[0] * l[2] + third * l[1] * l[2]);
        for (int v = 0; v < 3; v++) x[d] += l[v] * (2.0 * l[v] - 1.0) * c[3 * v + d];
        for (int k = 0; k < 2; k++) slopes[k][d] = by[k + 1] - by[0];
    }
}

// The vector a[0] slopes[0] + a[1] slopes[1] whose products with the slopes are `products`.
static void solve(double a[2], double slopes[2][3], const double products[2])
{
    const double aa = dot(slopes[0], slopes[0]), ab = dot(slopes[0], slopes[1]);
    const double bb = dot(slopes[1], slopes[1]);
    const double determinant = aa * bb - ab * ab;

    a[0] = (bb * products[0] - ab * products[1]) / determinant;
    a[1] = (aa * products[1] - ab * products[0]) / determinant;
}

// The lambda of what is nearest to a place on a face, by Newton's method.
static void find_shares(double shares[3], const sedge_surface_field *field, int64_t face,
                        const double place[3])
{
    for (int v = 0; v < 3; v++) shares[v] = 1.0 / 3.0;
    for (int round = 0; round < ROUNDS; round++) {
        double x[3], slopes[2][3], off[3], products[2], step[2];

        sedge_surface_field_map(field, face, shares, x, slopes);
        for (int d = 0; d < 3; d++) off[d] = place[d] - x[d];
        for (int k = 0; k < 2; k++) products[k] = dot(slopes[k], off);
        solve(step, slopes, products);
        for (int k = 0; k < 2; k++) shares[k + 1] += step[k];
        shares[0] = 1.0 - shares[1] - shares[2];
        if (fabs(step[0]) + fabs(step[1]) < SETTLED) return;
    }
}

// The derivatives by lambda_1 and lambda_2.
static void find_derivatives(double out[2], const sedge_surface_field *field, int64_t face,
                             const double shares[3])
{
    const int order = field->order;
    const double(*const values)[2] =
        (const double(*)[2])(field->values + face * sedge_triangle_count(order));
    double choices = 1.0, of_b = 1.0; // order! / (b! (order - b)!), lambda_1^b

    out[0] = out[1] = 0.0;
    for (int b = 0; b <= order; b++) {
        const int rest = order - b;
        double sum[2] = {0.0, 0.0}, factor = 1.0; // rest! / (c! a!) lambda_2^c
        for (int c = 0; c <= rest; c++) {         // the scheme of Horner by lambda_0
            const double *const value = values[sedge_triangle_index(order, b, c)];
            for (int k = 0; k < 2; k++) sum[k] = sum[k] * shares[0] + factor * value[k];
            factor *= shares[2] * (double)(rest - c) / (double)(c + 1);
        }
        for (int k = 0; k < 2; k++) out[k] += choices * of_b * sum[k];
        choices *= (double)rest / (double)(b + 1);
        of_b *= shares[1];
    }
}

void sedge_surface_field_value(const sedge_surface_field *field, int64_t face,
                               const double shares[3], double out[3])
{
    const double *const n = field->normal;
    double derivatives[2], x[3], slopes[2][3], parts[2];

    find_derivatives(derivatives, field, face, shares);
    sedge_surface_field_map(field, face, shares, x, slopes);
    solve(parts, slopes, derivatives);
    for (int d = 0; d < 3; d++) out[d] = x[d] = parts[0] * slopes[0][d] + parts[1] * slopes[1][d];
    for (int d = 0; d < 3 && dot(n, n) > 0.0; d++)
        out[d] = n[(d + 1) % 3] * x[(d + 2) % 3] - n[(d + 2) % 3] * x[(d + 1) % 3];
}

void sedge_surface_field_at(const sedge_surface_field *field, int64_t face, const double x[3],
                            double out[3])
{
    double shares[3];

    find_shares(shares, field, face, x);
    sedge_surface_field_value(field, face, shares, out);
}
