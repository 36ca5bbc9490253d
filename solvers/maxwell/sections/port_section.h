// The cross-section of a waveguide or of a line as a space of functions: continuous, on each face
// of the port polynomials of the place on a triangle that is mapped to the face.
//
// Coefficients are those of the Bernstein basis of each face (dg/surface_field.h). Unknowns
// are numbered along the longer side of the cross-section, so that those of one face are near to
// each other.
#pragma once

#include "dg/surface_field.h"
#include "maxwell/sheets/shape_fit.h"

#include <stdbool.h>

typedef struct port_section {
    const sedge_surface_field *field; // its faces
    double axes[2][3];                // unit vectors in the plane
    double middle[2];                 // coordinates along the axes, of the area's centre
    double area;
    double size; // of the longer side
    int longer;  // the axis along which it is
    int order;   // of the functions
    int local;   // coefficients of a face
    int64_t unknowns;
    int64_t *of; // [faces][local] their unknowns
    int *wall;   // [unknowns] on which wall it is, from 0; -1: on none
    int64_t edges;
    int64_t *edge;   // [faces][3] those between the corners 0 and 1, 0 and 2, 1 and 2
    bool *wall_edge; // [edges] it is on a wall
    bool *rim_edge;  // [edges] it bounds the section
    int walls;       // lines of conductors; of closed ones that bound the section 0 is the outer
    int parts;       // that have no corner in common
    double touch[3]; // if `pinched`: a corner in which its outline touches itself
    bool pinched;
    const double *epsilon; // [faces] by which slopes count; NULL: 1. Borrowed
    // At the places of a rule of quadrature on the triangle:
    int points;
    double *shares; // [points][3] lambda
    double *weight; // [points] of an area of 1/2
    double *value;  // [points][local] of the basis
    double *slope;  // [points][2][local] its derivatives by lambda_1 and lambda_2
} port_section;

// Of functions one order higher than `field`, which must outlive it. `u` and `v` are the axes. On
// conductors are the edges `walls`, as port_find_conductors has them; NULL: all that bound the
// cross-section, and no others. SEDGE_ERR_MEMORY. Clear it in any case.
SEDGE_MUST_USE
sedge_status port_section_create(port_section *out, const sedge_surface_field *field,
                                 const double u[3], const double v[3], const shape_edge *walls,
                                 int64_t wall_count);
void port_section_clear(const port_section *section);

// Something by its place along a side.
typedef struct port_ranked {
    double place;
    int64_t unknown;
} port_ranked;

// Sort by places, then by unknowns.
void port_section_rank(port_ranked *rows, int64_t count);

// The basis of an order at a place on the triangle: value [local], and its derivatives by lambda_1
// and lambda_2, slope [2][local].
void port_section_basis(int order, const double shares[3], double *value, double *slope);

// The exponents of lambda_0, lambda_1, lambda_2 of number k of that basis.
void port_section_exponents(int out[3], int order, int k);

// The wall on which the corner of a face at the place x is; -1: on none, or no face has a corner
// there.
int port_section_wall(const port_section *section, const double x[3]);

// A corner on a wall. Borrowed.
const double *port_section_corner(const port_section *section, int wall);

// The parts that a face has in the integrals of epsilon grad f . grad g and of f g, both
// [local][local].
void port_section_matrices(const port_section *section, int64_t face, double *slopes, double *mass);

// At a place of the rule on a face: its coordinates along the axes, their derivatives by lambda_1
// and lambda_2, and the weight of the place in integrals over the face.
double port_section_map(const port_section *section, int64_t face, int point, double place[2],
                        double slopes[2][2]);

// The integral of epsilon |grad f|^2 of the function with the coefficients x [unknowns].
// SEDGE_ERR_MEMORY.
SEDGE_MUST_USE
sedge_status port_section_energy(double *out, const port_section *section, const double *x);

// Add factor times f, with the coefficients x [unknowns], to the function of which `field`, with
// the same faces, has the gradient.
void port_section_slope(const port_section *section, const double *x, double factor,
                        sedge_surface_field *field);
