// A vector field on the faces of a flat surface of the whole mesh, the same on all ranks: on each
// face polynomials, which need not be continuous from face to face.
#pragma once

#include "base/error.h"

#include <stdint.h>

typedef struct sedge_surface_field {
    int order;            // of the polynomials
    int64_t faces;        // ascending by their corners
    double (*corners)[9]; // [faces] in ascending order: sedge_surface_corners
    double (*values)[3];  // [faces][sedge_triangle_count(order)] coefficients of the Bernstein
                          // basis, numbered as sedge_triangle_index does
} sedge_surface_field;

// Zero everywhere, on the faces with these corners, each of which may be in any order.
// SEDGE_ERR_MEMORY. The caller frees it.
SEDGE_MUST_USE
sedge_status sedge_surface_field_create(sedge_surface_field **out, int order, int64_t faces,
                                        const double (*corners)[9]);
void sedge_surface_field_free(sedge_surface_field *field);

// The corners of a face in ascending order of x, then of y, then of z.
void sedge_surface_corners(double out[9], const double a[3], const double b[3], const double c[3]);

// The number of the face with these corners, in ascending order; -1: there is none.
int64_t sedge_surface_field_find(const sedge_surface_field *field, const double corners[9]);

// The field at the place x on a face.
void sedge_surface_field_at(const sedge_surface_field *field, int64_t face, const double x[3],
                            double out[3]);

// The Bernstein basis on a triangle: how many polynomials of the order there are, and the number of
//   order! / (a! b! c!) lambda_0^a lambda_1^b lambda_2^c,  a = order - b - c.
int sedge_triangle_count(int order);
int sedge_triangle_index(int order, int b, int c);
