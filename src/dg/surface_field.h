// A vector field on the faces of a flat surface of the whole mesh, the same on all ranks: on each
// face the gradient of a function, which is a polynomial of the place on the triangle that is
// mapped to the face, or that gradient turned in the plane. Or any vectors whose products with the
// slopes of the map are such polynomials, in place of derivatives. Faces may have curved edges.
#pragma once

#include "dg/equation.h"

#include <stdint.h>

typedef struct sedge_surface_field {
    int order;            // of the polynomials' derivatives
    int64_t faces;        // ascending by their corners
    double (*corners)[9]; // [faces] in ascending order: sedge_surface_corners
    double (*middles)[9]; // [faces] nodes of the edges from corner 0 to 1, from 0 to 2, from 1 to 2
    double normal[3];     // the field is the cross product of this with the gradient; 0: the latter
    double (*values)[2];  // [faces][sedge_triangle_count(order)] derivatives by lambda_1 and
                          // lambda_2, as coefficients of the Bernstein basis, numbered as
                          // sedge_triangle_index does
    struct sedge_surface_field *other; // a second field on the same faces, or NULL
} sedge_surface_field;

// Zero everywhere, on the faces of a surface, whose corners may be in any order. SEDGE_ERR_MEMORY.
// The caller frees it.
SEDGE_MUST_USE
sedge_status sedge_surface_field_create(sedge_surface_field **out, int order,
                                        const sedge_surface_shape *shape);
void sedge_surface_field_free(sedge_surface_field *field);

// The corners of a face in ascending order of x, then of y, then of z.
void sedge_surface_corners(double out[9], const double a[3], const double b[3], const double c[3]);

// The number of the face with these corners, in ascending order; -1: there is none.
int64_t sedge_surface_field_find(const sedge_surface_field *field, const double corners[9]);

// The place on a face of the point with these lambda on the triangle, and its derivatives by
// lambda_1 and lambda_2.
void sedge_surface_field_map(const sedge_surface_field *field, int64_t face, const double shares[3],
                             double x[3], double slopes[2][3]);

// The field there, and at the place x.
void sedge_surface_field_value(const sedge_surface_field *field, int64_t face,
                               const double shares[3], double out[3]);
void sedge_surface_field_at(const sedge_surface_field *field, int64_t face, const double x[3],
                            double out[3]);

// The Bernstein basis on a triangle: how many polynomials of the order there are, and the number of
//   order! / (a! b! c!) lambda_0^a lambda_1^b lambda_2^c,  a = order - b - c.
int sedge_triangle_count(int order);
int sedge_triangle_index(int order, int b, int c);
