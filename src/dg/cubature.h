// Reference operators of curved elements: everything at quadrature points, in fp64.
//
// On a curved element J and the cofactors g_jd = J dr_j/dx_d vary. The element does
//
//   M_J u_t = sum_j int (d phi/d r_j) (sum_d g_jd F_d(u)) - int_faces phi sJ n.F*(u, v)
//
// with points exact to degree 2N + 1 inside and 2N + 2 on faces (N of phi, N of u, two of the
// cofactors, of sJ n on a face). For a linear F with constant coefficients these integrals are
// exact, so that the weak form equals the strong one and half their sum, which is skew-symmetric:
// the energy changes by the faces' fluxes only. Those are taken at the same points from both sides,
// with positive weights: a numerical flux that dissipates at a point dissipates. A constant state
// stays: the cofactors' integrals are exact, too, and divergence-free.
//
// M_J^-1 is replaced by M^-1 M_(1/J) M^-1 (Chan, Hewett & Warburton, SISC 39 (2017) A2395), which
// needs J at the points and no matrices of the element; the energy that cannot grow is
// 1/2 w u^T M M_(1/J)^-1 M u. With a constant J all is as on a straight element.
#pragma once

#include "base/error.h"
#include "dg/element.h"
#include "dg/quadrature.h"
#include "mesh/mesh.h"

typedef struct sedge_cubature {
    int nodes;
    int face_nodes;
    sedge_quadrature volume;
    sedge_quadrature face;   // of the triangle: towards the face's vertices 1 and 2
    double (*face_place)[3]; // [4][face.points] r, s, t
    double *values;          // V_q [volume.points][nodes]: nodes to points
    double *weak[3];         // M^-1 D_j^T V_q^T W [nodes][volume.points]
    double *project;         // M^-1 V_q^T W [nodes][volume.points]
    double *trace;           // [face.points][face_nodes]: nodes of a face to its points
    double *lift;            // [nodes][4 face.points]: M^-1 of what is given at faces' points
} sedge_cubature;

// How many points there are, without making anything else. SEDGE_ERR_MEMORY. Not collective, as all
// here.
SEDGE_MUST_USE
sedge_status sedge_cubature_sizes(int *points, int *face_points, int order);

// The coordinates r, s, t of the face quadrature's points on each of the four faces,
// [4][face->points].
void sedge_cubature_place_faces(double (*place)[3], const sedge_quadrature *face);

// Keeps nothing of the element. SEDGE_ERR_MEMORY. The caller frees it.
SEDGE_MUST_USE
sedge_status sedge_cubature_create(sedge_cubature **out, const sedge_element *element);
void sedge_cubature_free(sedge_cubature *cubature);

// J at the volume's points, [volume.points], of any element of the mesh.
void sedge_cubature_jacobian(const sedge_cubature *cubature, const sedge_mesh *mesh,
                             int32_t element, double *jacobian);

// x [nodes] = M^-1 M_(1/J) x; `work` has volume.points entries.
void sedge_cubature_divide(const sedge_cubature *cubature, const double *jacobian, double *x,
                           double *work);

// int J a b over the element of two fields at the nodes, [nodes] each.
double sedge_cubature_product(const sedge_cubature *cubature, const double *jacobian,
                              const double *a, const double *b);
