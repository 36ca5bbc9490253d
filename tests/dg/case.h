// What tests of the operator need: a mesh, a problem on it, the reference, and norms.
#pragma once

#include "dg/cubature.h"
#include "dg/reference.h"

// A term of one volume group; those of the same kind follow each other. Rows of the same kind and
// group are its poles.
typedef struct dg_term {
    const sedge_term_kind *kind;
    const char *volume;
    double parameters[6];
} dg_term;

// The condition of one surface group; parameters are those of its kind, deck values.
typedef struct dg_wall {
    const char *surface;
    const char *kind;
    double parameter;
} dg_wall;

// All parameters are deck values; NULL: the kind's defaults.
typedef struct dg_case_options {
    const sedge_equation *equation;
    int order;
    sedge_precision precision;

    const char *file; // in meshes/; NULL: a box
    bool straight;    // curved elements of the file lose their edges' nodes
    bool boundary_last;
    bool classes; // the volume groups "above" and "domain" lie in ranges of their own; else those
                  // of terms and of a source do
    int cells[3]; // cubes an axis of the unit box, six tets each
    bool periodic;
    const char *levels;        // of the time step, a digit for each cube along x; NULL: one for all
    double distort;            // moves inner vertices by about this much
    void (*move)(double x[3]); // moves the box's corners; NULL: none
    void (*box_map)(const double x[3], double moved[3]); // curved elements; NULL: none
    sedge_mesh_extrusion extrude;                        // layers on the box or the file's mesh
    const sedge_mesh_enclosure *enclosure;               // a closed, two-sided surface; NULL: none
    const sedge_boundary_kind *enclosure_kind;
    const double *enclosure_parameters; // NULL: the kind's defaults
    int split_axis; // -1: one material, "domain"; else "below" and "above", which meet in the
                    // middle

    const double *materials[2]; // the second for "above" or "right"
    const double *flux_keys;
    const sedge_integrator *integrator; // NULL: lsrk45
    const dg_term *terms;               // ends with kind NULL; may be NULL
    double exponential;   // above 0: stiff terms may be exponential, with steps of this cfl
    const dg_wall *walls; // ends with surface NULL; may be NULL
    const char *wall;     // kind of all other surfaces; NULL: none
    const sedge_boundary_kind
        *wall_kind;                // in place of `wall`: one that is not in the equation's table
    const double *wall_parameters; // of `wall`
    const char *initial;           // NULL: "zero" where there is such a kind
    const double *initial_parameters;
    const double *incident; // all parameters of a plane wave; NULL: none
    int incidents;          // such waves behind each other; 0 stands for 1
    const double *dipole;   // all parameters of a dipole; NULL: none
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

// A box of `cells` cubes an axis, fp64, one material, upwind, nothing else set.
dg_case_options dg_case_defaults(const sedge_equation *equation, int order, int cells);

// Collective.
SEDGE_MUST_USE
sedge_status dg_case_create(dg_case *out, const sedge_comm *comm, const dg_case_options *options);
void dg_case_clear(dg_case *c);

// The mesh of these options alone; `equation` and what belongs to it are not used. Collective.
SEDGE_MUST_USE
sedge_status dg_case_mesh(sedge_mesh **out, const sedge_comm *comm, const dg_case_options *options);

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
