#include "dg/surface_field.h"

#include "base/memory.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static int compare_numbers(const double *a, const double *b, int count)
{
    for (int i = 0; i < count; i++)
        if (a[i] < b[i] || a[i] > b[i]) return a[i] < b[i] ? -1 : 1;
    return 0;
}

static int compare_corners(const void *a, const void *b)
{
    return compare_numbers(a, b, 9);
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

sedge_status sedge_surface_field_create(sedge_surface_field **out, int order, int64_t faces,
                                        const double (*corners)[9])
{
    sedge_surface_field *field = NULL;
    sedge_status status;

    *out = NULL;
    SEDGE_TRY(sedge_allocate(&field, 1, sizeof *field));
    field->order = order;
    field->faces = faces;
    SEDGE_TRY_GOTO(status, sedge_allocate(&field->corners, faces, sizeof *field->corners));
    SEDGE_TRY_GOTO(status, sedge_allocate(&field->values, faces * sedge_triangle_count(order),
                                          sizeof *field->values));
    for (int64_t i = 0; i < faces; i++)
        sedge_surface_corners(field->corners[i], corners[i], corners[i] + 3, corners[i] + 6);
    qsort(field->corners, (size_t)faces, sizeof *field->corners, compare_corners);
    *out = field;
    field = NULL;
done:
    sedge_surface_field_free(field);
    return status;
}

void sedge_surface_field_free(sedge_surface_field *field)
{
    if (field == NULL) return;
    sedge_release(field->corners);
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

// The barycentric coordinates of what is nearest to x in the plane of a face.
static void find_shares(double shares[3], const double *corners, const double x[3])
{
    double a[3], b[3], r[3];

    for (int d = 0; d < 3; d++) {
        a[d] = corners[3 + d] - corners[d];
        b[d] = corners[6 + d] - corners[d];
        r[d] = x[d] - corners[d];
    }
    const double aa = dot(a, a), ab = dot(a, b), bb = dot(b, b);
    const double determinant = aa * bb - ab * ab;
    shares[1] = (bb * dot(a, r) - ab * dot(b, r)) / determinant;
    shares[2] = (aa * dot(b, r) - ab * dot(a, r)) / determinant;
    shares[0] = 1.0 - shares[1] - shares[2];
}

void sedge_surface_field_at(const sedge_surface_field *field, int64_t face, const double x[3],
                            double out[3])
{
    const int order = field->order;
    const double(*const values)[3] =
        (const double(*)[3])(field->values + face * sedge_triangle_count(order));
    double shares[3], choices = 1.0, of_b = 1.0; // order! / (b! (order - b)!), lambda_1^b

    find_shares(shares, field->corners[face], x);
    for (int d = 0; d < 3; d++) out[d] = 0.0;
    for (int b = 0; b <= order; b++) {
        const int rest = order - b;
        double row[3] = {0.0, 0.0, 0.0}, factor = 1.0; // rest! / (c! a!) lambda_2^c
        for (int c = 0; c <= rest; c++) {              // the scheme of Horner by lambda_0
            const double *const value = values[sedge_triangle_index(order, b, c)];
            for (int d = 0; d < 3; d++) row[d] = row[d] * shares[0] + factor * value[d];
            factor *= shares[2] * (double)(rest - c) / (double)(c + 1);
        }
        for (int d = 0; d < 3; d++) out[d] += choices * of_b * row[d];
        choices *= (double)rest / (double)(b + 1);
        of_b *= shares[1];
    }
}
