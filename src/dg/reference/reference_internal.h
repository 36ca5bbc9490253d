// Inside the slow reference: its state, and the functions that its files call from each other.
// Other code includes dg/reference.h only.
#pragma once

#include "dg/cubature.h"
#include "dg/element.h"
#include "dg/problem.h"
#include "mesh/mesh.h"
#include "par/comm.h"

typedef struct sedge_reference sedge_reference;

// A point source whose element is on this rank.
typedef struct local_point {
    int32_t element;
    double fields[SEDGE_MAX_FIELDS]; // weights of the fields
    const double *signal;
} local_point;

// A term of the problem on this rank, with its memory.
typedef struct reference_term {
    const sedge_term *term;
    int32_t elements; // that have it
    int32_t *element; // [elements] ascending
    int64_t values;   // of each of the next three, [elements][memory][nodes]
    double *memory;   // w
    double *residual; // of a step; of an exponential term beside a predictor what it keeps of the
                      // fields from before the prediction, in the first three components
    double *rate;     // dw/dt, of the last right-hand side; of an exponential term the residual of
                      // the fields after the last stage, in the first three components
} reference_term;

struct sedge_reference {
    const sedge_comm *comm;
    const sedge_element *element;
    const sedge_mesh *mesh;
    const sedge_problem *problem;
    sedge_geometry *geometry; // [elements], of the straight ones
    sedge_cubature *cubature; // NULL: no element of this rank is curved

    double *send, *receive; // [halo_faces][fields][face_nodes], in the sender's order of face nodes
    sedge_exchange *exchange;
    const double *halo; // other ranks' traces: received, or given by the caller
    bool closed;        // the traces behind all faces are the element's own (dg/predictor.h)
    const sedge_boundary *driven; // whose source alone acts, with a signal of 1; NULL: signals act
    struct reference_ader *ader;  // reference_ader.c; NULL: no step by a predictor was made

    int points;
    local_point *point;
    double *point_shape; // [points][nodes]: (V V^T l(x0)) / J

    reference_term *terms; // [problem->term_count]; NULL: a reference alone
    double *seen; // [elements][fields][nodes] what drives laws at nodes; NULL: the fields do

    // Memory of boundary faces, each [boundary_faces][sedge_problem_face_memory][face_nodes]; NULL:
    // the problem has none, or a reference alone, for which memory is zero.
    double *face_memory;
    double *face_residual; // of a step
    double *face_rate;     // of the last right-hand side

    double *flux;     // [3][nodes][fields] of one element
    double *jump;     // [4 face_nodes][fields] of one element
    double *residual; // [elements][fields][nodes], of a step
    double *rhs;      // the same

    // Of one curved element.
    double *at_points; // [volume points][3][fields]
    double *at_faces;  // [4 face points][fields]
    double *jacobian;  // [volume points]
    double *work;      // [volume points]
    // The same in covariant components.
    double *covariant; // [fields][nodes]
    double *density;   // [nodes][fields] J du_t/dt, contravariant
};

// ---- reference.c -------------------------------------------------------------------------------

// sum[k] += weight[l] rows[l][k] over all l < count, in their order; rows [count][fields].
void reference_add_rows(double *sum, const double *weight, const double *rows, int count,
                        int fields);

// Write the neighbour's trace at node i of face f into v; returns the neighbour's material. f is
// not a boundary face.
const double *reference_neighbour(const sedge_reference *reference, int32_t e, int f, int i,
                                  const double *all, double *v);

// The same of the other side of a face with a two-sided condition, at node i of the own side.
const double *reference_other_side(const sedge_reference *reference, const sedge_set_face *side,
                                   int i, const double *all, double *v);

// The outer state v at node i of a boundary face, u inside; what its memory does there.
void reference_apply_boundary(const sedge_reference *reference, int32_t slot, int i, double t,
                              const double *all, const double *u, double *v);

// The outer state v at the place x of a boundary face in place of that of reference_apply_boundary,
// for a reference with a surface that is `driven`: fields are 0. `normal` points outward.
void reference_drive(const sedge_reference *reference, int32_t slot, const double x[3],
                     const double normal[3], double *v);

// The trace slot of a boundary face; -1: the face is not a boundary face.
int32_t reference_boundary_slot(const sedge_reference *reference, int32_t e, int f);

// The size of an array [elements][fields][nodes].
int64_t reference_count(const sedge_reference *reference);

// rhs = L u in all elements (dg/predictor.h), and the rates of the terms' memory. Not collective.
void reference_local(sedge_reference *reference, const double *u, double *rhs);

// rhs [fields][nodes], the part of it that derivatives have in element e, with the terms' matrices.
void reference_local_slopes(sedge_reference *reference, int32_t e, const double *u, double *rhs);

// ---- reference_ader.c --------------------------------------------------------------------------

// As sedge_reference_step, for integrators with `predictor`.
SEDGE_MUST_USE
sedge_status reference_ader_step(sedge_reference *reference, double *u, double t, double dt);
void reference_ader_free(sedge_reference *reference);

// ---- reference_curved.c ------------------------------------------------------------------------

SEDGE_MUST_USE
sedge_status reference_curved_create(sedge_reference *reference);
void reference_curved_free(sedge_reference *reference);

// rhs = -div F(u) in the curved element e, faces included (dg/cubature.h).
void reference_curved_rhs(sedge_reference *reference, int32_t e, const double *all, double t,
                          double *rhs);

// The same in covariant components (dg/cubature.h).
void reference_covariant_rhs(sedge_reference *reference, int32_t e, const double *all, double t,
                             double *rhs);

// The same without faces, and with a metric that is linear between the element's vertices
// (dg/predictor.h).
void reference_linear_rhs(sedge_reference *reference, int32_t e, const double *all, double *rhs);

// sedge_cubature_take_covariant in the curved element e.
void reference_take_covariant(const sedge_reference *reference, int32_t e, double *u, bool back);

// 1/2 sum_d weights[d] int J E_d^2 in the curved element e of a vector with the nodal values
// u [3][nodes], whose covariant components are polynomials.
double reference_covariant_energy(const sedge_reference *reference, int32_t e, const double *u,
                                  const double weights[3]);

// ---- reference_terms.c -------------------------------------------------------------------------

SEDGE_MUST_USE
sedge_status reference_terms_create(sedge_reference *reference);
void reference_terms_free(sedge_reference *reference);

// Numbers of the memory of this rank's boundary faces.
int64_t reference_face_memory(const sedge_reference *reference);

// What the equation's source and most terms get in place of u (sedge_term_kind.drive).
const double *reference_terms_drive(sedge_reference *reference, const double *u);

// Add the terms' du/dt at time t to rhs, and store the rates dw/dt of their memory. `seen` is from
// reference_terms_drive.
void reference_terms_add(sedge_reference *reference, const double *u, const double *seen, double t,
                         double *rhs);

// After stage `s` of a step of dt: the exponential updates of u and of the terms' memory.
void reference_terms_exponential(sedge_reference *reference, double *u, int s, double dt);

// The exponential updates in elements of level `level`, whose steps take dt, before the prediction
// or `after` the stage.
void reference_terms_step(sedge_reference *reference, double *u, bool after, int level, double dt);

// Add the energy of the memory of terms and faces to `energy` [elements].
void reference_terms_energy(const sedge_reference *reference, double *energy);

// Advance the memory of terms and faces by one stage, with the rates of the last right-hand side:
//   residual = a residual + dt rate,  memory = memory + b residual.
void reference_terms_stage(sedge_reference *reference, double a, double b, double dt);
