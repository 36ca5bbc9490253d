// Reference operators of curved elements: everything at quadrature points, in fp64.
//
// Linear equations of curls (Maxwell) without terms that multiply du/dt use covariant components,
// see below. All other equations:
//
// On a curved element J and the cofactors g_jd = J dr_j/dx_d vary. The discrete equation of the
// element is
//
//   M_J u_t = sum_j int (d phi/d r_j) (sum_d g_jd F_d(u)) - int_faces phi sJ n.F*(u, v)
//
// with quadrature exact to degree 2N + 1 inside and 2N + 2 on faces. (phi and u have degree N. The
// cofactors, and sJ n on a face, have degree two; inside, a derivative lowers the degree by one.)
// For a linear F with constant coefficients these integrals are exact. Then the weak form equals
// the strong form and the mean of both, which is skew-symmetric, so the energy changes only by the
// fluxes through faces. Both sides of a face use the same points with positive weights, so a
// numerical flux that dissipates at each point dissipates in sum. A constant state is preserved,
// because the integrals of the divergence-free cofactors are exact, too.
//
// M_J^-1 is replaced by M^-1 M_(1/J) M^-1 (Chan, Hewett & Warburton, SISC 39 (2017) A2395), which
// needs J at the points but no matrices of the element. The energy that cannot grow is 1/2 w u^T M
// M_(1/J)^-1 M u. With a constant J everything is as on a straight element.
//
// Covariant components
//
// A vector field E of a curved element has the covariant components e_j = x_{r_j}.E, where x_{r_j}
// = dx/dr_j are the tangents of the element's map. They, and not E itself, are polynomials of
// degree N. At the nodes e and E determine each other. The host's arrays, and those of the slow
// reference, have E there. A device keeps e, in the layout's basis (operator/basis.h), unless
// a term is no multiple of the identity on each vector (sedge_cubature_state_is_covariant): then it
// keeps E at the nodes as on straight elements, and what reads the state takes E for the polynomial
// through these values.
//
//   w = curl_r e                     per vector, (D_s e_t - D_t e_s, ...): J G^-1 curl E
//   d = from_curls(w) + LIFT g       g^a = s X^a.jump, on faces, see below
//   e' = -P(G^T G / J d)             J and G = dx/dr at the quadrature points; P projects
//
// Derivatives and lift are those of the reference element; integers take the place of metric terms.
// P (1/J) stands for the inverse of a mass matrix with weights (Chan, Hewett & Warburton, SISC 39
// (2017) A2395; Chan, IJNME 113 (2018) 1779). Without walls and with alpha = 0 the sum of e^T M d
// over all vectors and elements is zero to rounding, since it is that of straight elements, so the
// energy 1/2 eps e^T M M_W^-1 M e with W = G^T G / J is constant.
//
// Faces: own and outer fields are taken to covariant components at the face's nodes, and then, with
// the dual tangents X^a of the plane that has the face's tangents X_a at its centre, to vectors in
// that plane, on which the equation's numerical flux works with the plane's normal. X only weights
// what dissipates: the central part of the flux does not depend on it. A matrix that is the same
// on all of the face makes the dissipation provable. The elements on both sides of a face have the
// same plane. Boundary functions work with the true field, place and normal at each node.
#pragma once

#include "base/error.h"
#include "dg/element.h"
#include "dg/problem.h"
#include "dg/quadrature.h"
#include "mesh/mesh.h"

#include <stdbool.h>

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

// The degree of polynomials that the quadrature inside integrates exactly, for the first method.
#define SEDGE_CUBATURE_DEGREE(order) (2 * (order) + 1)

// Do the problem's curved elements use covariant components? The same on all ranks.
bool sedge_cubature_is_covariant(const sedge_problem *problem);

// Does a device keep covariant components, in place of E, as the state of curved elements and as
// the memory of terms there? Only where there are curved elements that use them, where vectors come
// in pairs (kernels move two words at once), and where each term is a multiple of the identity on
// each vector: those with field_triple, and those of absorbing layers, which act in straight
// elements alone. The same on all ranks.
bool sedge_cubature_state_is_covariant(const sedge_problem *problem);

// A vector's values [3][nodes] at the nodes of a curved element whose map has the coefficients c
// (mesh/mesh.h), in place: to its covariant components, or (`back`) from these.
void sedge_cubature_take_covariant(const sedge_element *element, double (*c)[3], double *u,
                                   bool back);

// The degree for the problem's method: 2 N is enough for covariant components, where any rule with
// positive weights that is exact for the mass matrix of the reference element gives a stable
// method.
int sedge_cubature_degree(const sedge_problem *problem, int order);

// The numbers of quadrature points for an order. SEDGE_ERR_MEMORY. No function here is collective.
SEDGE_MUST_USE
sedge_status sedge_cubature_sizes(int *points, int *face_points, int order, int degree);

// The coordinates r, s, t of the face quadrature's points on each of the four faces,
// [4][face->points].
void sedge_cubature_place_faces(double (*place)[3], const sedge_quadrature *face);

// `element` is not kept. SEDGE_ERR_MEMORY. The caller frees the result.
SEDGE_MUST_USE
sedge_status sedge_cubature_create(sedge_cubature **out, const sedge_element *element, int degree);
void sedge_cubature_free(sedge_cubature *cubature);

// J at the volume's points, [volume.points], of any element of the mesh.
void sedge_cubature_jacobian(const sedge_cubature *cubature, const sedge_mesh *mesh,
                             int32_t element, double *jacobian);

// x [nodes] = M^-1 M_(1/J) x; `work` has volume.points entries.
void sedge_cubature_divide(const sedge_cubature *cubature, const double *jacobian, double *x,
                           double *work);

// The integral of J a b over the element, where a and b [nodes] are nodal values.
double sedge_cubature_product(const sedge_cubature *cubature, const double *jacobian,
                              const double *a, const double *b);
