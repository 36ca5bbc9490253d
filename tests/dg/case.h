// What tests of the operator need: a box mesh, a problem on it, the reference, and norms.
#pragma once

#include "dg/cubature.h"
#include "dg/reference.h"

typedef struct dg_case_options {
    const sedge_equation *equation;
    int order;
    int cells[3]; // cubes an axis of the unit box, six tets each
    bool periodic;
    double distort;                                      // moves inner vertices by about this much
    void (*box_map)(const double x[3], double moved[3]); // curved elements; NULL: none
    int split_axis;             // -1: one material; else two, which meet in the middle
    const double *materials[2]; // deck values; NULL: the defaults
    const double *flux_keys;
    const char *boundary; // kind of all six sides; NULL if periodic
    const double *boundary_parameters;
    const char *initial;
    const double *initial_parameters;  // all of them; NULL: the defaults
    const double *incident_parameters; // NULL: no incident wave
    const char *point;                 // kind of one point source; NULL: none
    const double *point_parameters;
    const sedge_term_kind *term; // of the last volume group; NULL: none
    const double *term_parameters;
} dg_case_options;

typedef struct dg_case {
    const sedge_comm *comm;
    sedge_element *element;
    sedge_mesh *mesh;
    sedge_problem problem;
    sedge_reference *reference;
    sedge_cubature *cubature; // NULL: nothing is curved
    int64_t values;           // of u
    double *u, *rhs, *exact;
} dg_case;

// One material, upwind, nothing else set.
dg_case_options dg_case_defaults(const sedge_equation *equation, int order, int cells);

// Collective.
SEDGE_MUST_USE
sedge_status dg_case_create(dg_case *out, const sedge_comm *comm, const dg_case_options *options);
void dg_case_clear(dg_case *c);

// u = the initial kind's fields at t.
void dg_case_start(dg_case *c, double t);

// u to `end` in equal steps of at most `cfl` times the stable one. Collective.
SEDGE_MUST_USE
sedge_status dg_case_run(dg_case *c, double end, double cfl);

// sqrt(sum_K J sum_f a_f^T M a_f) over all ranks; b is subtracted if not NULL. Collective.
double dg_case_norm(const dg_case *c, const double *a, const double *b);

// ||u - exact(t)|| / ||exact(t)||. Collective.
double dg_case_error(dg_case *c, double t);

// sum_K J sum_f w_f a_f^T M b_f with the energy's weights: with b = u_t, dW/dt. Collective.
double dg_case_product(const dg_case *c, const double *a, const double *b);

// Independent values in (-1, 1) that depend on the element's global number only.
void dg_case_random(const dg_case *c, double *u);

// The index in `kinds` is not known: look kinds up by name. NULL if there is none.
const sedge_boundary_kind *dg_find_boundary(const sedge_equation *equation, const char *name);
const sedge_initial_kind *dg_find_initial(const sedge_equation *equation, const char *name);
const sedge_source_kind *dg_find_source(const sedge_equation *equation, const char *name);

// The flat array of a table's default values.
void dg_fill_defaults(const sedge_parameter *parameters, int count, double *values);
