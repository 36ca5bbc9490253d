// Equations as data: u_t + div F(u) = S(u) is a table and a small header of C.
//
// A solver's folder contains `<name>_physics.h`, written in the words of dg/physics.h, and a .c
// file that includes it and defines `const sedge_equation sedge_equation_<name>`. CMake finds the
// folder, embeds the header's text and lists the table; no other file needs to be changed. The slow
// reference is compiled from the header by the host compiler; codegen writes the kernels from the
// same header.
//
// Functions of the header. u has `fields` entries, m the `material_values` of the element, c the
// equation's constants (fp64; cast what enters arithmetic with sedge_value to sedge_real), n the
// outward unit normal of the own element.
//
//   void <name>_flux(const sedge_value *u, const sedge_value *m, const double *c,
//                    sedge_value *fx, sedge_value *fy, sedge_value *fz)
//     the physical flux F_x(u), F_y(u), F_z(u), each `fields` entries.
//   void <name>_surface(const sedge_value *u, const sedge_value *v, const sedge_value *mu,
//                       const sedge_value *mv, const sedge_value *n, const double *c,
//                       sedge_value *jump)
//     n.(F* - F(u)) of own trace u and neighbour's trace v; it is subtracted, lifted, from u_t.
//   void <name>_from_curls(const sedge_value *curl, const sedge_value *m, const double *c,
//                          sedge_value *divergence)
//     div F from the curls of the vectors of u: `fields` entries each. Only where `curls` is set.
//     It gives sums of whole vectors times numbers, so that components in any coordinates will do.
//   void <name>_source(const sedge_value *u, const sedge_value *m, const double *c, sedge_value *s)
//     adds S(u) to s. Only where `source` is not NULL.
//   void <boundary>(const sedge_real *u, const sedge_real *m, const sedge_real *n, const double *x,
//                   double t, const double *p, const double *c, sedge_real *v)
//     the trace v that <name>_surface gets as the neighbour's at a boundary face; p are the
//     parameters of the surface group's condition.
//   void <boundary>(const sedge_real *u, const sedge_real *w, const sedge_real *mu,
//                   const sedge_real *mw, const sedge_real *n, const double *x, double t,
//                   const double *p, const double *c, sedge_real *v)
//     of a two-sided kind, on a surface inside the mesh: w is the trace on the other side, mw the
//     material there. <name>_surface gets v with the material mu.
//   Both get two more arguments before v and behind it where the kind has memory:
//                   const sedge_real *memory, sedge_real *v, sedge_real *rate
//     the unknowns of the face node, and what the function sets, their rates of change.
//
// All quantities in code units (see sedge_dimension).
//
// An entry of the tables below is required unless its comment says "optional"; an optional entry
// may be NULL, 0 or false. Lists may be empty (count 0) unless their comment says otherwise.
// sedge_equation_check names a missing entry.
#pragma once

#include "base/error.h"
#include "dg/physics.h"

#include <stdbool.h>
#include <stdint.h>

#define SEDGE_MAX_FIELDS      16
#define SEDGE_MAX_MATERIALS   16  // material values an element
#define SEDGE_MAX_VALUES      36  // numbers of one kind's parameters; constants of an equation
#define SEDGE_MAX_INCIDENTS   8   // incident fields of a problem
#define SEDGE_MAX_FED         480 // constants of a kind with `feed`
#define SEDGE_MAX_FACE_MEMORY 48  // components of a boundary kind's memory
#define SEDGE_MAX_WEIGHTS     4   // surfaces that a parameter names
#define SEDGE_MAX_KINDS       63  // of boundaries, initial fields, sources

struct sedge_comm;
struct sedge_mesh;
struct sedge_problem;
struct sedge_surface_field; // dg/surface_field.h
struct sedge_boundary;      // dg/problem.h

// The shape of a surface group of the whole mesh, the same on any number of ranks.
typedef struct sedge_surface_shape {
    int64_t count;
    const double (*triangles)[9]; // [count] corners of its faces; each face once
    const int (*volumes)[2];      // [count] volume groups beside it; -1: the mesh ends there
    // [count] nodes of the edges from corner 0 to 1, from 0 to 2 and from 1 to 2, which are curves
    // of second order. NULL: all edges are straight.
    const double (*middles)[9];
} sedge_surface_shape;

// The physical dimension of a number. It selects the factor between SI and code units: code value =
// SI value * equation->si[dimension].
typedef enum sedge_dimension {
    SEDGE_DIMENSIONLESS,
    SEDGE_LENGTH,
    SEDGE_TIME,
    SEDGE_FREQUENCY,
    SEDGE_VELOCITY,
    SEDGE_CONDUCTIVITY,
    SEDGE_RESISTANCE,
    SEDGE_INDUCTANCE,
    SEDGE_CAPACITANCE,
    SEDGE_FIELD,          // the first field's unit (electric field)
    SEDGE_CURRENT_MOMENT, // current times length
    SEDGE_VOLTAGE,        // the first field times length
    SEDGE_DIMENSIONS
} sedge_dimension;

// The SI unit to print after a number: " m". "" for a field, whose unit depends on the equation.
const char *sedge_dimension_suffix(sedge_dimension dimension);

typedef enum sedge_parameter_type {
    SEDGE_PARAMETER_REAL,     // 1 number
    SEDGE_PARAMETER_INTEGER,  // 1 whole number
    SEDGE_PARAMETER_VECTOR,   // 3 numbers
    SEDGE_PARAMETER_INTEGERS, // 3 whole numbers
    // Numbers by the names of surfaces with a condition: SEDGE_MAX_WEIGHTS pairs, each the number
    // of an entry in the deck's `boundaries`, in a problem that of the surface group, from 1, and
    // the number given for it. Pairs without a surface are 0.
    SEDGE_PARAMETER_WEIGHTS,
    SEDGE_PARAMETER_SIGNAL, // SEDGE_SIGNAL_VALUES numbers; its amplitude has `dimension`
    SEDGE_PARAMETER_SURFACE // the name of a surface with a condition: 1 number, that of its entry
                            // in the deck's `boundaries`, from 0
} sedge_parameter_type;

// One key of the deck. Its numbers go, in table order, into a flat array of doubles. All entries
// but name and text are optional.
typedef struct sedge_parameter {
    const char *name;
    sedge_parameter_type type;
    bool required;
    double fallback[3]; // when not required and absent; signals and surfaces are required
    double minimum;     // allowed range, inclusive; equal bounds: no limit
    double maximum;
    bool positive; // must also be > 0
    bool nonzero;  // a vector that must not be zero
    bool tensor;   // a material's number for which decks may give a symmetric tensor: a term kind
                   // with this name as `tensor` has its law
    sedge_dimension dimension;
    const char *text; // what it means, for input/keys.md
} sedge_parameter;

// How many numbers one parameter, and a whole list of parameters, take in the flat array.
int sedge_parameter_size(const sedge_parameter *parameter);
int sedge_parameters_size(const sedge_parameter *parameters, int count);

// A flat wall on which surfaces end that incident fields enter through.
typedef struct sedge_background_wall {
    int surface;
    const char *name;
    double normal[3];
    double place[3];
} sedge_background_wall;
#define SEDGE_BACKGROUND_WALLS 16

// The medium that incident fields come from, and where they enter the mesh.
typedef struct sedge_background {
    const double *m[2];  // materials: below a plane and above it; [1] NULL: [0] everywhere
    int axis;            // of the plane's normal
    double place;        // the plane's coordinate
    double bounds[2][3]; // least and greatest coordinates of what the surfaces enclose
    int walls;
    sedge_background_wall wall[SEDGE_BACKGROUND_WALLS];
} sedge_background;

// Which fields a flat surface of a kind reflects as a mirror does: those whose electric field is
// across the surface there, or in it.
typedef enum sedge_mirror {
    SEDGE_MIRROR_NONE,
    SEDGE_MIRROR_ELECTRIC,
    SEDGE_MIRROR_MAGNETIC
} sedge_mirror;

// A kind of boundary condition. A one-sided kind computes the outer trace from the element's own
// trace. A two-sided kind, for surfaces inside the mesh, computes it from the traces on both sides.
typedef struct sedge_boundary_kind {
    const char *name; // in the deck: "pec"
    // The function's name in the header, "maxwell_pec". Optional for an elliptic equation, which
    // uses `condition` instead.
    const char *function;
    void (*apply)(const double *u, const double *m, const double *n, const double *x, double t,
                  const double *p, const double *c, double *v); // the same, for the reference
    const sedge_parameter *parameters; // may be an empty list, here as in all kinds
    int parameter_count;
    const char *text;
    // Optional: where no field is incident and no source drives the surface, v is an affine
    // function of u that is the same everywhere on a flat face. Then coefficients of any basis may
    // be used in place of nodal values of u.
    bool linear;
    // Optional, of a linear one-sided kind; it matters where the equation has `curls`: where no
    // field is incident, v has each vector of u as it is or turned round, whatever the other
    // arguments are. Then covariant components may be used in place of vectors.
    bool whole_vectors;
    // Of a two-sided kind, in place of `apply`. NULL: the kind is one-sided.
    void (*apply_two_sided)(const double *u, const double *w, const double *mu, const double *mw,
                            const double *n, const double *x, double t, const double *p,
                            const double *c, double *v);
    // Optional: components of the kind's memory, 1..SEDGE_MAX_FACE_MEMORY. Memory is further
    // unknowns at each face node with an equation of their own, such as the delayed part of a
    // wall's current. They are zero at the start of a run, take part in each stage of the
    // integrator, and are in checkpoints. Both sides of a surface inside the mesh have memory of
    // their own; that of a two-sided kind is the same on both but for signs. One of these two
    // functions stands in place of `apply` or `apply_two_sided`, and `linear` is not set. v and
    // rate are linear in u, w and memory together, and do not depend on t, or the integrator ader
    // is wrong beside it.
    int memory;
    void (*apply_memory)(const double *u, const double *m, const double *n, const double *x,
                         double t, const double *p, const double *c, const double *memory,
                         double *v, double *rate);
    void (*apply_two_sided_memory)(const double *u, const double *w, const double *mu,
                                   const double *mw, const double *n, const double *x, double t,
                                   const double *p, const double *c, const double *memory,
                                   double *v, double *rate);
    // Required with memory: the fastest rate of change that the memory causes, 1/time; the time
    // step resolves it. m is the material of the own side.
    double (*rate)(const double *m, const double *p);
    // Optional, with memory: the kind is passive. It adds no energy to that of the fields and its
    // memory together; the memory's energy on an area is 1/2 sum_k weights_k w_k^2, on each side of
    // a surface inside the mesh. Sets weights [memory]. NULL: not known.
    void (*energy)(const double *p, double *weights);
    // Optional: makes the deck's numbers p [SEDGE_MAX_VALUES] those of the law, behind the kind's
    // parameters or in their place, once the problem's sources and materials are known. `surface`
    // is the name of the surface, for messages. SEDGE_ERR_USAGE for parameters that do not fit each
    // other.
    sedge_status (*derive)(const struct sedge_problem *problem, const char *surface, double *p);
    // Optional: makes numbers p of the law from the shape of the surface, once `derive` was called.
    // SEDGE_ERR_USAGE for a surface that does not suit the kind.
    sedge_status (*fit)(const struct sedge_problem *problem, const char *surface,
                        const sedge_surface_shape *shape, double *p);
    // Optional, beside `fit`: a field on the surface, for which p has no room, once `fit` was
    // called; it may set numbers of p. NULL: this surface has none. It belongs to the problem.
    // Failures are those of `fit`, SEDGE_ERR_COMPUTE and SEDGE_ERR_MEMORY. Collective.
    sedge_status (*find_field)(const struct sedge_problem *problem, const struct sedge_comm *comm,
                               const struct sedge_mesh *mesh, const char *surface,
                               const sedge_surface_shape *shape, double *p,
                               struct sedge_surface_field **field);
    // Optional: does the surface suit the kind where it lies in the mesh? Called once the shapes of
    // all surfaces were seen. SEDGE_ERR_USAGE: it does not. Collective.
    sedge_status (*check)(const struct sedge_problem *problem, const struct sedge_comm *comm,
                          const struct sedge_mesh *mesh, const struct sedge_boundary *boundary);
    // Required with find_field: what a signal of 1 adds to v at the place x of a face with these
    // corners (sedge_surface_corners). mw is NULL on the outside of the mesh. Where the surface has
    // a field, a signal acts by this function alone (dg/surface_source.h): the function of the kind
    // must leave it out.
    void (*drive)(const struct sedge_boundary *boundary, const double corners[9], const double x[3],
                  const double *mu, const double *mw, const double *n, const double *c, double *v);
    // Optional, with driven: only a source of the same name drives it, and in a problem with a wave
    // vector k the signal is times exp(-i k.x).
    bool phased;
    // Optional, with `drive`: a surface may have further conditions of kinds with the same list of
    // parameters. Their functions are not called, which must be that of the first one but for its
    // signal: they only drive the surface, and `check` is called for them, too.
    bool shares;
    // Optional: the kind can be driven by a source of type SEDGE_SOURCE_SURFACE, whose signal is
    // put into p at this place, behind the kind's parameters; without a source it is all 0.
    int driven;
    // Optional, of a two-sided kind: the one-sided kind, with the same parameters, that stands for
    // it on surfaces that lie on the outside of the mesh.
    const struct sedge_boundary_kind *outside;
    // Optional, of a one-sided kind: the mean power that an area of the surface takes from fields
    // exp(i omega t) whose values in the element beside it are re + i im [fields], without those of
    // an incident wave. m is the material there, n the normal out of the element.
    double (*loss)(const double *m, const double *n, const double *re, const double *im,
                   const double *p, double omega);
    // Optional, of a two-sided kind: the same from the fields on both sides. u [2][fields] are the
    // real and the imaginary parts in the element with the material mu that n points out of, w and
    // mw those on the other side. The power does not depend on which side is which.
    double (*loss_two_sided)(const double *mu, const double *mw, const double *n, const double *u,
                             const double *w, const double *p, double omega);
    // Optional, with driven: the power of the wave that a sinusoidal signal with the peak value 1
    // sends in, of the whole surface, code units; not-a-number: none. For realised gain.
    double (*incident)(const struct sedge_problem *problem, const double *p, double frequency);
    // Optional, with derive or fit: words for `sedge check` about what it found, such as the error
    // of a fit. Frequencies in hertz are those in code units times `hertz`; 0: the deck has code
    // units.
    void (*describe)(char text[160], const double *p, double hertz);
    sedge_mirror mirror; // optional: flat surfaces may be planes of symmetry
    bool absorbs;        // optional: waves leave the mesh through it, all but for small reflections
    // Optional: it sends waves both ways along a guide or a line. This is the place in p, not the
    // first, of a vector into the structure. Behind the surface the guide goes straight on, and all
    // that is there is lost. And: below a cut-off its fields do not travel.
    int into;
    bool guided;
    // Optional: a perfectly matched layer. The mesh gets layers of elements outside of the surface
    // (sedge_mesh_extrusion) with the equation's terms of layers (sedge_term_kind.layer), and the
    // condition holds behind them. The parameters are layers, thickness, reflection and frequency,
    // each 0 for a default (deck/deck_layers.c).
    bool layers;
    // Optional, of a two-sided kind: its surfaces must be closed or end on walls, and all incident
    // fields of the problem enter the mesh through them. p has one number behind the kind's
    // parameters: 1 on the enclosed side, -1 on the other. Sets constants of the kind, at most
    // SEDGE_MAX_FED, which follow those of the equation in c, and checks that incident fields
    // satisfy the conditions of the walls. Kernels get these constants at run time; their number is
    // part of the text. The equation's own constants are set as if there were no incident field.
    sedge_status (*feed)(const struct sedge_problem *problem, const sedge_background *background,
                         double *c, int *count);
    // Optional, of a two-sided kind with `linear` that no deck names: it stands on periodic sides
    // between whose fields there is a phase, in a mesh with twins (mesh/mesh.h). w is
    // p[0] a + p[1] b then, with the other side's trace a in the own copy and b in the other copy.
    // p is that of the first copy; in the second one p[1] has the other sign.
    bool turns;
    const char *header;      // optional: the header with the function, if it is not the equation's
    const char *header_text; // required with header: its text
} sedge_boundary_kind;

enum { SEDGE_TURN_COSINE, SEDGE_TURN_SINE }; // in p of a kind that turns

// Is the kind for surfaces inside the mesh, with the traces of both sides?
bool sedge_is_two_sided(const sedge_boundary_kind *kind);

// A boundary kind that is defined in a file of its own, NAME_face.c, and not in the equation's
// table (src/kinds/README.md).
typedef struct sedge_face_kind {
    const char *equation; // its name
    sedge_boundary_kind kind;
} sedge_face_kind;

// All face kinds of this program, NULL-terminated; made by CMake.
extern const sedge_face_kind *const sedge_face_kinds[];

// The wave vector k of a plane wave, whose fields depend on x through k.x alone. Returns true if
// the wave is periodic: k is then in cycles per length, and the fields repeat when k.x grows by 1.
// Returns false if only the direction of k is meaningful.
typedef bool (*sedge_wave)(const double *p, double *k);

// Two such functions. Both take k from the first three parameters.
bool sedge_turns(const double *p, double *k);   // returns true
bool sedge_heading(const double *p, double *k); // returns false

typedef struct sedge_initial_kind {
    const char *name; // "zero", "cavity-mode"
    // The fields u at x and t; m of the element there, p the kind's parameters.
    void (*apply)(const double *x, double t, const double *m, const double *p, const double *c,
                  double *u);
    bool exact; // optional: apply gives the exact solution at all t, if the boundaries fit: errors
                // are reported
    const sedge_parameter *parameters;
    int parameter_count;
    const char *text;
    sedge_wave wave; // NULL: no plane wave
    // Optional: makes the deck's numbers p [SEDGE_MAX_VALUES], of a wave that is the same on
    // periodic sides, those of one that is exp(-i k.r) times such a wave; k in radians per length.
    // Copy 0 is its real part, copy 1 its imaginary part.
    void (*turn)(const double k[3], int copy, double *p);
    bool zero; // apply gives 0 everywhere: a run need not call it, as fresh states are 0
} sedge_initial_kind;

typedef enum sedge_source_type {
    SEDGE_SOURCE_POINT,    // S(x, t) = weights * signal(t) * delta(x - position)
    SEDGE_SOURCE_INCIDENT, // an incident field that boundary functions use, through the constants
    SEDGE_SOURCE_BALL,     // elliptic equations: a total amount at a point or spread over a ball
    SEDGE_SOURCE_SURFACE // a signal that a surface's condition follows (sedge_boundary_kind.driven)
} sedge_source_type;

typedef struct sedge_source_kind {
    const char *name; // "dipole", "plane-wave"
    // The equation's name, of a kind in a file of its own, NAME_source.c (src/kinds/README.md); in
    // an equation's table it is not read. Incident fields stand in tables alone: the equation's
    // `constants` and kinds with `feed` know their parameters.
    const char *equation;
    sedge_source_type type;
    // Point: parameters must begin with position (vector) and signal. Sets weights[f] of every
    // field f of the equation, those that are 0, too. p: the kind's parameters; m: of the element
    // there. NULL for all other types.
    // Ball: parameters must begin with position, amount, radius (0: a point).
    // Surface: parameters are surface and signal.
    void (*point)(const double *p, const double *m, double *weights);
    const sedge_parameter *parameters;
    int parameter_count;
    const char *text;
    sedge_wave wave; // of an incident field that is a plane wave; else NULL
} sedge_source_kind;

// All source kinds of this program in files of their own, NULL-terminated; made by CMake.
extern const sedge_source_kind *const sedge_source_kinds[];

// Does a source lie at a place, which comes first in its parameters?
bool sedge_has_place(const sedge_source_kind *kind);

// The condition of a boundary at one place: u = value, or k du/dn + factor u = value.
typedef struct sedge_condition {
    bool fixed;
    double factor; // >= 0; the same on all of a surface group
    double value;
} sedge_condition;

#define SEDGE_ELLIPTIC_ORDER_MAX 8

// An elliptic equation, -div(k grad u) = f for the first of its four fields; the other three are
// -grad u, for output. Its table has no flux, surface, source, speed and decay. Its initial kinds
// are known solutions; "zero" means that none is known. `energy` is not used: the energy is 1/2 k
// |grad u|^2. Its sources are of type SEDGE_SOURCE_BALL.
typedef struct sedge_elliptic_equation {
    double (*coefficient)(const double *m); // k > 0 of a material
    // f at x, without the sources in a ball
    double (*source)(const struct sedge_problem *problem, const double *m, const double *x);
    void (*condition)(sedge_condition *out, const struct sedge_problem *problem, int surface,
                      const double *m, const double *x, const double *n);
} sedge_elliptic_equation;

// A group of fields that belong together in output: "E" = fields 0..2.
typedef struct sedge_output_group {
    const char *name;
    int first;
    int count;           // 1 or 3
    const char *unit_si; // optional: no unit
    double si;           // SI value = code value * si
} sedge_output_group;

// One key of a named material: a key of materials with a number, or a term with the parameters of
// its kind in their order. Several entries of a term are its poles.
typedef struct sedge_library_entry {
    const char *key; // NULL: the list ends
    double values[4];
} sedge_library_entry;

// A named material, `materials: {GROUP: {library: NAME}}`. Numbers are in SI units.
typedef struct sedge_library_material {
    const char *name;       // NULL: the list ends
    const char *range;      // where it holds
    double lowest, highest; // the same, Hz
    const char *text;       // where it comes from
    const sedge_library_entry *entries;
} sedge_library_material;

// A key of materials.NAME whose mapping of parameters stands for other keys and terms: the deck's
// reader puts them in its place.
#define SEDGE_MAX_SHORTHAND 16 // entries
typedef struct sedge_shorthand {
    const char *name; // NULL: the list ends
    const sedge_parameter *parameters;
    int parameter_count;
    const char *text;
    const char *of;             // a key of materials, which must be a number, not a tensor
    const char *const *without; // keys and terms that contradict it, NULL-terminated
    // Set entries [SEDGE_MAX_SHORTHAND + 1], ended by a NULL key, from the number `of` and the
    // parameters p; all in code units. False: `message` says why there are none.
    bool (*expand)(sedge_library_entry *entries, double of, const double *p, char message[256]);
} sedge_shorthand;

// What contradicts something else in a problem, and the entry of the deck that the message names.
typedef enum sedge_deck_place {
    SEDGE_AT_MATERIAL, // of volume group `index`
    SEDGE_AT_BOUNDARY, // of surface group `index`
    SEDGE_AT_INCIDENT, // number `index` of the problem's incident fields
    SEDGE_AT_POINT_SOURCE,
    SEDGE_AT_INITIAL
} sedge_deck_place;
typedef struct sedge_contradiction {
    const char *text; // NULL: none
    sedge_deck_place place;
    int index;
} sedge_contradiction;

typedef struct sedge_equation {
    const char *name;
    const char *text;        // one sentence
    const char *header;      // the header's name, for compilers' messages: "maxwell_physics.h"
    const char *header_text; // its text: SEDGE_EQUATION_HEADER(maxwell) declares it
    int fields;
    const char *const *field_names;
    // Three optional properties. F and F* are linear in u, S is affine in u, and all three are the
    // same everywhere in an element. Then u may be differentiated before F is applied, and
    // coefficients of any basis may be used in place of nodal values of u.
    bool linear;
    bool curls;      // u consists of 3-vectors, and div F is a function of their curls alone; S
                     // takes each vector times a number
    bool tangential; // with curls: the jump of each vector lies in the face, whatever its
                     // arguments; where F is linear, it depends on the difference v - u alone
    bool poynting;   // optional: energy flows along the cross product of the first two groups below
    const sedge_output_group *groups; // at least one
    int group_count;

    // Materials: deck keys, by volume group; `derive` makes the `material_values` that m holds. It
    // is optional where there are neither keys nor values.
    const sedge_parameter *materials;
    int material_count;
    int material_values;
    void (*derive)(const double *deck, double *m);

    const sedge_library_material *library; // optional; for an equation with SI units
    const sedge_shorthand *shorthands;     // optional: keys of materials that stand for others

    // Keys of the deck's `flux` section. `constants` computes the constants c from them and from
    // the parameters of the incident source (NULL: there is none). It is optional if the equation
    // has no flux keys, no constants and no incident source kind.
    const sedge_parameter *flux_keys;
    int flux_key_count;
    int constant_count;
    // Optional: how many constants at the end of c describe the incident field; without one their
    // values are 0. Boundary functions alone read them. Where boundary functions add the incident
    // field themselves, kernels read these from memory, and the others are part of their sources:
    // so runs that differ in them alone have the same programs.
    int incident_constants;
    void (*constants)(const double *flux_keys, const double *incident, double *c);

    // flux and surface, and speed and energy below, are required for an equation with time and not
    // used for one without.
    void (*flux)(const double *u, const double *m, const double *c, double *fx, double *fy,
                 double *fz);
    void (*surface)(const double *u, const double *v, const double *mu, const double *mv,
                    const double *n, const double *c, double *jump);
    void (*source)(const double *u, const double *m, const double *c, double *s); // optional
    bool (*has_source)(const double *m); // optional: is S non-zero there? NULL: if source is set

    const sedge_elliptic_equation *elliptic; // optional; NULL: an equation with time

    // Floating-point operations of one stage, for reports of speed (a multiply-add counts as two):
    // for each node of an element, without the derivatives, and for each node of a face. Optional;
    // 0: not counted.
    double node_flops;
    double face_flops;

    double (*speed)(const double *m, const double *c); // the fastest wave
    double (*decay)(const double *m); // optional: fastest decay rate of S, < 0: it grows; NULL: 0
    void (*energy)(const double *m, double *weights); // energy density = 1/2 sum_f weights_f u_f^2
    // Optional; without it stiff poles stay in the stages of integrators with `predictor`. Makes m
    // what it would be if flux and source changed the fields first to first + 2 at `factor` times
    // their rates. What only surfaces read may stay.
    void (*slow)(double *m, int first, double factor);
    // Optional. The refractive index n - i k of a plane wave exp(i (omega t - (n - i k) omega x /
    // c)) in a medium whose source and terms turn i omega u_f into slowing_f i omega u_f; not a
    // number if the factors differ within a vector.
    double _Complex (*index)(const double *m, const double _Complex *slowing);
    // Optional. The same where `slowing` is a matrix [fields][fields], for the two waves that
    // travel along `axis` (0 to 2), the one with the larger |index| first. Energy goes along the
    // axis: n is below 0 where waves run backwards.
    void (*indices)(const double *m, const double _Complex *slowing, int axis,
                    double _Complex indices[2]);

    const sedge_boundary_kind *boundaries;
    int boundary_count;
    const sedge_initial_kind *initials; // at least one
    int initial_count;
    const sedge_source_kind *sources;
    int source_count;

    // Optional. Check what no single key can: contradictions between materials, boundaries and
    // sources. `problem` is the assembled problem (dg/problem.h).
    sedge_contradiction (*contradiction)(const struct sedge_problem *problem);

    // Optional. The time after which the energy cannot grow, because all sources have ended and
    // materials and boundaries add no energy; infinite if the energy may always grow. `bounds`:
    // least and greatest coordinates of the mesh. NULL: infinite.
    double (*quiet)(const struct sedge_problem *problem, double bounds[2][3]);

    const double *si; // [SEDGE_DIMENSIONS] code = SI * si[dimension]; optional; NULL: no SI units
    double energy_si; // joules per unit of code energy (lengths in metres); required with si
} sedge_equation;

// List the boundary kinds of an equation: first those of its table, then those of sedge_face_kinds.
// Returns their number, which may exceed SEDGE_MAX_KINDS; `kinds` gets the first SEDGE_MAX_KINDS.
// Kinds that turn are not among them.
int sedge_boundary_kinds(const sedge_boundary_kind *kinds[SEDGE_MAX_KINDS],
                         const sedge_equation *equation);

// The kind of the equation that turns; NULL: it has none.
const sedge_boundary_kind *sedge_turning_kind(const sedge_equation *equation);

// The same for the kinds of sources: those of the table, then those of sedge_source_kinds.
int sedge_source_kinds_of(const sedge_source_kind *kinds[SEDGE_MAX_KINDS],
                          const sedge_equation *equation);

// Does the source act in a material of the values m?
bool sedge_equation_has_source(const sedge_equation *equation, const double *m);

// Check that the table is complete. SEDGE_ERR_USAGE names the equation and the entry that is
// missing or wrong. Code that reads a deck or prints its keys calls this first; all other code
// relies on it. Not collective.
SEDGE_MUST_USE
sedge_status sedge_equation_check(const sedge_equation *equation);

// Declare the embedded text of solvers/<name>/<name>_physics.h: sedge_text_<name>_physics_h.
#define SEDGE_EQUATION_HEADER(name) extern const char sedge_text_##name##_physics_h[]

// All equations of this program, NULL-terminated; made by CMake from the folders under solvers/.
extern const sedge_equation *const sedge_equations[];

// By name; NULL if there is none. A constant of the program.
const sedge_equation *sedge_equation_find(const char *name);
