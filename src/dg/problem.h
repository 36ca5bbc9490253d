// A problem: an equation together with the choices of one run (materials, boundaries, sources,
// order, precision), in code units.
//
// The deck's reader fills it; the operator and the reference read it. Plain data, no pointers into
// the deck.
#pragma once

#include "base/error.h"
#include "dg/equation.h"
#include "dg/signal.h"
#include "dg/term_kind.h"
#include "mesh/mesh.h"
#include "par/comm.h"
#include "time/integrator.h"

#include <stdint.h>

typedef enum sedge_precision { SEDGE_FP32, SEDGE_FP64 } sedge_precision;

// Bytes of a real number: 4 or 8.
int sedge_real_bytes(sedge_precision precision);

#define SEDGE_ORDER_MIN 1
#define SEDGE_ORDER_MAX 10

typedef struct sedge_boundary {
    const sedge_boundary_kind *kind;
    char name[64];                       // of the deck's entry
    int surface;                         // group
    double parameters[SEDGE_MAX_VALUES]; // the kind's, then what its function `derive` adds
    struct sedge_surface_field *field;   // from its function `find_field`; NULL: it has none
} sedge_boundary;

typedef struct sedge_point_source {
    const sedge_source_kind *kind;
    double position[3];
    double signal[SEDGE_SIGNAL_VALUES];
    double parameters[SEDGE_MAX_VALUES]; // all of the kind's, position and signal included
    int mirrored;                        // bit d: it lies in a plane of symmetry across axis d
} sedge_point_source;

typedef struct sedge_incident {
    const sedge_source_kind *kind;
    double parameters[SEDGE_MAX_VALUES];
} sedge_incident;

// A plane of symmetry across an axis: what lies on its other side is the mesh's mirror image.
typedef struct sedge_mirror_plane {
    sedge_mirror kind; // SEDGE_MIRROR_NONE: there is none
    double position;
} sedge_mirror_plane;

// A source that drives a condition, whose parameters hold its signal.
typedef struct sedge_surface_source {
    const sedge_source_kind *kind;
    const sedge_boundary *boundary; // the problem's
    double parameters[SEDGE_MAX_VALUES];
} sedge_surface_source;

// A kind of term with a number of poles, and the volume groups that have it.
typedef struct sedge_term {
    const sedge_term_kind *kind;
    int poles;                  // of each of these groups; 1 for a kind without poles
    char name[SEDGE_TERM_NAME]; // of its memory: "debye", with more poles "debye-2"
    bool exponential;           // it is not in stages and predictions (dg/exponential.h)
    bool *present;              // [volumes]
    double *parameters;         // [volumes][poles][numbers], code units; see sedge_term_pole
} sedge_term;

typedef struct sedge_problem {
    const sedge_equation *equation;
    int order;
    sedge_precision precision;
    const sedge_integrator *integrator; // of the steps; at first sedge_integrator_lsrk45

    bool si;     // messages are in SI units
    bool curved; // the mesh has curved elements: their kernels are in the program

    int volumes;                              // volume groups of the mesh
    double (*materials)[SEDGE_MAX_MATERIALS]; // [volumes][material_values] what m holds
    int surfaces;                             // surface groups of the mesh
    sedge_boundary *boundaries;               // [surfaces]; kind NULL: no one-sided face has it
    int further_count; // further conditions of surfaces (sedge_boundary_kind.shares)
    sedge_boundary *further;
    double constants[SEDGE_MAX_VALUES + SEDGE_MAX_FED]; // what c holds
    int fed_count; // constants behind those of the equation, see sedge_boundary_kind.feed
    int incident_count;
    sedge_incident incidents[SEDGE_MAX_INCIDENTS];
    const sedge_initial_kind *initial;
    double initial_parameters[SEDGE_MAX_VALUES];
    double initial_twin[SEDGE_MAX_VALUES]; // of the second copy, where the problem turns
    double wave_vector[3];                 // zero: fields are the same on periodic sides
    bool compare;                          // errors against the initial kind's exact solution
    int point_source_count;
    sedge_point_source *point_sources; // [point_source_count]
    int surface_source_count;
    sedge_surface_source *surface_sources; // [surface_source_count]
    sedge_mirror_plane mirrors[3];         // across x, y, z; session/symmetry.h
    int term_count;
    sedge_term *terms; // [term_count] each kind and number of poles once, kind by kind
} sedge_problem;

// Allocate zeroed arrays for `volumes` and `surfaces` groups and `point_sources` sources, and set
// all other members to zero or to their defaults. Keeps `equation`. SEDGE_ERR_MEMORY. The caller
// releases with sedge_problem_clear.
SEDGE_MUST_USE
sedge_status sedge_problem_init(sedge_problem *problem, const sedge_equation *equation, int volumes,
                                int surfaces, int point_sources);
void sedge_problem_clear(sedge_problem *problem);

// Condition i of surfaces + further_count: those of the surface groups, then the further ones.
sedge_boundary *sedge_problem_condition(const sedge_problem *problem, int i);

// The sources of a problem, one after the other: incident fields, those at points, those of
// surfaces. `kind` is NULL behind the last one.
typedef struct sedge_any_source {
    const sedge_source_kind *kind;
    const double *parameters; // all of the kind's
} sedge_any_source;
sedge_any_source sedge_problem_source(const sedge_problem *problem, int i);

// What the initial kind gives in copy 0 or 1 of a mesh with twins, and in 0 of others: u at the
// place x and time t, where the material is m.
void sedge_problem_start(const sedge_problem *problem, int copy, const double x[3], double t,
                         const double *m, double *u);

// The signal in the parameters of a source, and, unless `dimension` is NULL, that of its amplitude;
// NULL: the source has none.
const double *sedge_source_signal(const sedge_source_kind *kind, const double *parameters,
                                  sedge_dimension *dimension);

// For messages: a number in code units in those of the user, and the unit to print after it, such
// as " Hz"; "" without SI units.
double sedge_problem_shown(const sedge_problem *problem, sedge_dimension dimension, double value);
const char *sedge_problem_unit(const sedge_problem *problem, sedge_dimension dimension);

// 1 if all volume groups have the same material values, so that kernels need not read them; else
// the number of volume groups, of many the next power of two, and at least 2 where predictions have
// other values (sedge_problem_slows). Terms may differ either way.
int sedge_problem_media(const sedge_problem *problem);

// Add a term with `poles` poles (1 for a kind without) to volume group `volume`: as many parameters
// as the kind's list takes, for each pole. All calls for one kind follow each other; kinds come in
// the order of sedge_term_kinds. SEDGE_ERR_MEMORY; SEDGE_ERR_USAGE if the groups have too many
// different terms.
SEDGE_MUST_USE
sedge_status sedge_problem_add_term(sedge_problem *problem, const sedge_term_kind *kind, int poles,
                                    int volume, const double *parameters);

// Components of a term's memory at a node, those of them that are unknowns (all but the frame of a
// radial layer), and numbers of its parameters, over all poles.
int sedge_term_memory(const sedge_term *term);
int sedge_term_unknowns(const sedge_term *term);

// Does the term's law differ from node to node, by the frame of a radial layer? Then coefficients
// may not stand in place of nodal values: a device always has nodal values of its memory, whatever
// basis the state has.
bool sedge_term_varies(const sedge_term *term);

// Is any term exponential (dg/exponential.h)? Such terms are not in kernels of stages and
// predictions.
bool sedge_problem_exponential(const sedge_problem *problem);

// Do predictions see other materials than stages, beside exponential terms
// (sedge_exponential_materials)?
bool sedge_problem_slows(const sedge_problem *problem);

// Whether Runge-Kutta stages may find residuals from states (sedge_stage.found): not with a
// predictor, whose stage has the state in place of the residual, nor beside exponential terms.
bool sedge_problem_finds(const sedge_problem *problem);
int sedge_term_parameters(const sedge_term *term);

// The numbers of one pole of a term in a volume group: as many as the kind's list takes, zero where
// the group does not have the term. Those of the next pole follow. Borrowed.
const double *sedge_term_pole(const sedge_term *term, int volume, int pole);

// Is the energy of the term's memory known? Else the kind does not tell (sedge_term_kind.energy),
// or the term has no memory.
bool sedge_term_stores_energy(const sedge_term *term);

// The energy density of one pole's memory w of such a term in a volume group that has the term is
// 1/2 sum_k weights_k w_k^2: sets weights [kind->memory].
void sedge_term_energy(double weights[SEDGE_MAX_MEMORY], const sedge_problem *problem,
                       const sedge_term *term, int volume, int pole);

// The same of the memory of a surface's faces, on an area: sets weights [SEDGE_MAX_FACE_MEMORY], 0
// behind the kind's own memory. False: the surface's faces have none, or the kind does not tell
// (sedge_boundary_kind.energy).
bool sedge_problem_face_energy(double weights[SEDGE_MAX_FACE_MEMORY], const sedge_problem *problem,
                               int surface);

// Have faces of the problem memory whose energy is known?
bool sedge_problem_stores_face_energy(const sedge_problem *problem);

// Does no term of a medium and no face add to the energy of the fields and of the memory of terms
// and faces? Absorbing layers do not count: outside of them the fields are those of open space,
// which takes energy away.
bool sedge_problem_is_passive(const sedge_problem *problem);

// Has the problem absorbing layers?
bool sedge_problem_has_layers(const sedge_problem *problem);

// Has volume group `volume` any term?
bool sedge_problem_has_term(const sedge_problem *problem, int volume);

// The same of terms that are not exponential.
bool sedge_problem_has_staged_term(const sedge_problem *problem, int volume);

// Has volume group `volume` (-1: any) a term that differs from node to node?
bool sedge_problem_varies(const sedge_problem *problem, int volume);

// Does the equation's source act in volume group `volume`? -1: in any.
bool sedge_problem_has_source(const sedge_problem *problem, int volume);

// The number by which kernels know a boundary kind: its index in the equation's table. A face kind
// is in no table; its number follows from the first surface that has it.
int sedge_problem_kind_number(const sedge_problem *problem, const sedge_boundary_kind *kind);

// Is there a surface with a two-sided kind?
bool sedge_problem_is_two_sided(const sedge_problem *problem);

// Is there a surface with a kind that turns? Then the mesh has twins.
bool sedge_problem_turns(const sedge_problem *problem);

// The most components of memory that a surface's kind has; 0: no face of the problem has memory.
int sedge_problem_face_memory(const sedge_problem *problem);

// Have the faces of a surface group memory? False if there is no group of this number.
bool sedge_problem_has_face_memory(const sedge_problem *problem, int surface);

// Call `derive` of the boundary kinds that have it (sedge_boundary_kind). Materials, boundaries,
// initial state and sources are set before. SEDGE_ERR_USAGE as `derive`; `*surface` is then the
// surface group. The same on all ranks, not collective.
SEDGE_MUST_USE
sedge_status sedge_problem_derive(sedge_problem *problem, const sedge_mesh *mesh, int *surface);

// The largest time step with cfl 1 that the memory of this rank's faces of a surface group allows;
// HUGE_VAL: any.
double sedge_problem_memory_step(const sedge_problem *problem, const sedge_mesh *mesh, int surface);

// Call `fit` and `find_field`, then `check` of the boundary kinds that have them, once `derive` was
// called. SEDGE_ERR_USAGE as they do; `*at` is then the condition. Collective.
SEDGE_MUST_USE
sedge_status sedge_problem_fit(sedge_problem *problem, const sedge_comm *comm,
                               const sedge_mesh *mesh, const sedge_boundary **at);

// The corners of the faces of a surface group of the whole mesh, each face once, on every rank.
// SEDGE_ERR_MEMORY. The caller releases them. Collective.
SEDGE_MUST_USE
sedge_status sedge_surface_triangles(double (**out)[9], int64_t *count, const sedge_comm *comm,
                                     const sedge_mesh *mesh, int surface);

// The kind of a surface through which incident fields enter; NULL: there is none.
const sedge_boundary_kind *sedge_problem_feeds(const sedge_problem *problem);

// How many numbers of c lie in the device's memory in front of the conditions' parameters: all of
// them if there is an incident field, those that are part of kernels' sources, too; else none.
int sedge_problem_runtime_constants(const sedge_problem *problem);

// How many of the equation's constants are part of kernels' sources, the first ones: all but
// `incident_constants` of the equation if boundary functions add an incident field by themselves.
int sedge_problem_text_constants(const sedge_problem *problem);

// Set the constants of the kind through which incident fields enter, if there is one. Materials,
// terms, boundaries and incident fields are set before. SEDGE_ERR_USAGE if there is no incident
// field, if its surfaces are not enclosures of the mesh options or have a layer beside them, and if
// the material beside them is not the same everywhere, conducts or has terms. The same on all
// ranks, not collective.
SEDGE_MUST_USE
sedge_status sedge_problem_feed(sedge_problem *problem, const sedge_mesh *mesh);

// What p holds on one side of surface `surface`: its parameters, with `feed` the side, and of a
// kind that turns the sine of the side's copy.
void sedge_problem_side_parameters(double p[SEDGE_MAX_VALUES], const sedge_problem *problem,
                                   int surface, bool second);

// Check this rank's faces with two-sided kinds: each must have another side, which the mesh options
// link (linked_surfaces in sedge_mesh_options). SEDGE_ERR_USAGE. Not collective.
SEDGE_MUST_USE
sedge_status sedge_problem_check_sides(const sedge_problem *problem, const sedge_mesh *mesh);

// The largest time step of this rank's elements for `cfl`, where cfl 1 is about the stability
// limit:
//   dt = cfl S min_K 1 / (c_K / (C_N min(R r_in(K), F h_min(K))) + decay_K / 4.6)
// with decay_K the sum of the source's |decay| and the rates of terms in the element that are not
// exponential and the integrator's `oscillation` times the root of the sum of their squared
// oscillations, with 0.89 of the first summand's step where a predictor meets exponential terms,
// and with S = 1, R = 1 and F = 0.36 for lsrk45, and the integrator's `stability`, `radius` and
// `height` for others, C_N = sedge_stable_number(N) (measured on regular cells, upwind, N
// = 1..8; 8.4 * 1.5 /
// ((N+1)(N+3)) above), r_in the inscribed radius and h_min the least height; for a curved element
// both are lower bounds (sedge_mesh_inradius, sedge_mesh_height). The bound by h_min is for flat
// elements: there r_in approaches h_min / 2, but the stable step is only 0.7 times as large as that
// radius suggests. In regular elements r_in is below 0.3 h_min, and the bound has no effect. Sets
// the element that limits dt. Not collective. Every shape of straight elements that was tried is
// stable up to cfl 0.87 or more (tests/stability.md, "The limit of the time step"), and so are
// curved ones but where they are bent far more than a mesh should have them (a hill half as high as
// wide: 0.78 at order 5, 0.68 at order 8); SEDGE_CFL_STABLE is below 0.87. The memory of faces
// limits dt by itself: dt <= cfl S 4.6 / rate (sedge_boundary_kind.rate).
#define SEDGE_CFL_STABLE 0.85
double sedge_problem_time_step(const sedge_problem *problem, const sedge_mesh *mesh, double cfl,
                               int threads, int32_t *element);

// Check the rates of all terms in the mesh's volume groups: they must be finite numbers of at least
// 0. SEDGE_ERR_USAGE names kind, group and value. Call this before the time step is computed, which
// would ignore elements whose rate is not a number. The same on all ranks, not collective.
SEDGE_MUST_USE
sedge_status sedge_problem_check_rates(const sedge_problem *problem, const sedge_mesh *mesh);

// The largest time step that the source and the terms of a volume group would allow by themselves,
// by the formula above with cfl 1; HUGE_VAL: any.
double sedge_problem_decay_step(const sedge_problem *problem, int volume);

// The same for one of its terms, as if it were not exponential.
double sedge_term_step(const sedge_problem *problem, const sedge_term *term, int volume);

// 1/dt of one element by the formula above with cfl 1. The element's local CFL number is dt times
// this rate.
double sedge_problem_rate(const sedge_problem *problem, const sedge_mesh *mesh, int32_t element);

// The same of all elements of this rank, rates [elements]; that which the memory of their faces
// allows counts, too. By `threads` threads. Not collective.
void sedge_problem_rates(double *rates, const sedge_problem *problem, const sedge_mesh *mesh,
                         int threads);

// The fraction of sedge_problem_rate that is due to the source and the terms in the element, 0 to
// 1.
double sedge_problem_decay_part(const sedge_problem *problem, const sedge_mesh *mesh,
                                int32_t element);

// The stability number C_N of order N.
double sedge_stable_number(int order);

// The lowest and the highest frequency in the spectra of the signals of sources and initial fields
// (sedge_signal_kind), in cycles per code time; both 0: none known. Not collective.
void sedge_problem_band(double band[2], const sedge_problem *problem);

// The highest frequency of the signals of sources and initial fields, in cycles per code time; 0:
// none known. For a pulse it is the frequency above which the spectrum is below about a hundredth
// of its peak. Not collective.
double sedge_problem_frequency(const sedge_problem *problem);
