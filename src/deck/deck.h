// The input deck: YAML in, one checked struct out.
//
// libyaml parses; schema tables (one row a key: path, type, unit, range, default, text) check
// types, ranges and unknown keys, print the key tables of input/keys.md and write the resolved
// deck. Keys that depend on the equation come from its own tables (dg/equation.h). Every error
// names file and line, the offending value and what is allowed; an unknown key also the nearest
// known one. Numbers in SI are converted to code units here and nowhere else on the way in.
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "dg/monitor_kind.h"
#include "dg/problem.h"
#include "mesh/mesh.h"
#include "par/comm.h"

#include <stdbool.h>
#include <stdint.h>

// `materials: NAME: {...}` - the deck keys' values of one volume group.
typedef struct sedge_deck_material {
    char name[64];
    int line;
    double values[SEDGE_MAX_MATERIALS];    // in the order of equation->materials, code units
    const sedge_library_material *library; // whose numbers it has; NULL: the deck's own
} sedge_deck_material;

// `materials: NAME: {KIND: {...}}` - a term of one volume group; of a kind with poles the mapping
// may be a list of them.
typedef struct sedge_deck_term {
    const sedge_term_kind *kind;
    int material; // index in `materials`
    int poles;
    double *parameters; // pole by pole
    double tensor[6];   // of a kind with `tensor`: xx, yy, zz, yz, zx, xy
} sedge_deck_term;

// `boundaries: NAME: {type: ..., ...}`. A `periodic` boundary has a partner in place of a kind.
typedef struct sedge_deck_boundary {
    char name[64];
    int line;
    const sedge_boundary_kind *kind; // NULL: periodic
    char partner[64];                // of a periodic group; ""
    double parameters[SEDGE_MAX_VALUES];
    bool symmetry;    // it lies in a plane of symmetry
    char surface[64]; // another entry, whose surface it is on, too; "": it is on its own
} sedge_deck_boundary;

typedef struct sedge_deck_source {
    int line;
    const sedge_source_kind *kind;
    double parameters[SEDGE_MAX_VALUES];
} sedge_deck_source;

typedef struct sedge_deck_probe {
    char name[64];
    int line;
    double position[3];
} sedge_deck_probe;

// A section monitors.NAME of a kind in sedge_monitor_kinds that has parameters.
typedef struct sedge_deck_monitor {
    const sedge_monitor_kind *kind;
    double parameters[SEDGE_MAX_VALUES];
} sedge_deck_monitor;

// A picture plane: samples on a rectangle, normal to one axis.
typedef struct sedge_deck_slice {
    char name[64];
    int line;
    int axis;        // 0, 1, 2: the normal
    double position; // coordinate on that axis
    int resolution;  // samples along the longer side, default 200
} sedge_deck_slice;

// Frequencies of a Fourier transform, code units, ascending.
typedef struct sedge_deck_frequencies {
    int count; // 0: none given
    double *value;
} sedge_deck_frequencies;

typedef enum sedge_spectrum_place {
    SEDGE_SPECTRUM_POINTS,
    SEDGE_SPECTRUM_PLANE,
    SEDGE_SPECTRUM_SURFACE,
    SEDGE_SPECTRUM_GROUPS,
    SEDGE_SPECTRUM_PLACES
} sedge_spectrum_place;

// A surface of the mesh, and which way its normals point.
typedef struct sedge_deck_surface {
    char name[64];
    char out_of[64]; // the volume group that they point out of; ""
    bool away;
    double away_from[3]; // the point that they point away from
    bool own;            // on each side out of its own element
} sedge_deck_surface;

// `monitors: spectra: NAME: {...}` - fields at frequencies. Each place has its own members.
typedef struct sedge_deck_spectrum {
    char name[64];
    int line;
    sedge_spectrum_place place;
    int point_count;
    sedge_deck_probe *points;
    sedge_deck_slice plane; // its name is the spectrum's
    sedge_deck_surface surface;
    int group_count;
    char (*groups)[64];
    bool requested[SEDGE_MAX_FIELDS]; // of the equation's output groups
    sedge_deck_frequencies frequencies;
    int normalise; // by the sources' signal: 1 yes, 0 no, -1 if they have one signal
} sedge_deck_spectrum;

// `monitors: flux: NAME: {...}` - the energy flux through a surface.
typedef struct sedge_deck_flux {
    char name[64];
    int line;
    sedge_deck_surface surface;
    sedge_deck_frequencies frequencies; // none: over time only
} sedge_deck_flux;

// The mass density of a volume group.
typedef struct sedge_deck_mass {
    char group[64];
    double density; // kg/m3
} sedge_deck_mass;

// `monitors: absorption: NAME: {...}` - the power that media absorb.
typedef struct sedge_deck_absorption {
    char name[64];
    int line;
    int group_count; // 0: all volume groups that have losses
    char (*groups)[64];
    int surface_count; // with losses of their own
    char (*surfaces)[64];
    sedge_deck_frequencies frequencies;
    int mass_count; // 0: the absorbed power is not compared with masses
    sedge_deck_mass *masses;
    double grid; // spacing of the points that averages over masses use; 0: by rule
} sedge_deck_absorption;

// Angles: from, from + step, ..., in radians.
typedef struct sedge_deck_angles {
    int count; // at least 1
    double from, step;
} sedge_deck_angles;

// A plane x[axis] = position that stands for mirror images.
typedef struct sedge_deck_image {
    int axis;
    double position;
    bool magnetic; // else an electric conductor
    bool ground;   // nothing is behind it
} sedge_deck_image;

// `monitors: far-field: NAME: {...}` - what a closed surface radiates.
typedef struct sedge_deck_far_field {
    char name[64];
    int line;
    sedge_deck_surface surface;
    double centre[3];
    sedge_deck_angles theta, phi;
    int image_count;
    sedge_deck_image images[3];
    bool time;                // also over time
    bool ffd;                 // also a file NAME.ffd
    sedge_deck_surface input; // around the sources of an antenna; name "": not given
    sedge_deck_frequencies frequencies;
} sedge_deck_far_field;

// `exact: {type: mie, ...}` - a sphere whose scattered fields are known. Layers from inside out.
typedef struct sedge_deck_sphere {
    int line;
    int layers; // 0: not given
    double centre[3];
    double radius[2];
    char material[2][64]; // volume groups; [0] is "" of a conducting core
} sedge_deck_sphere;

// `exact: {type: slab, ...}` - layers whose reflection is known. In rising coordinate.
#define SEDGE_DECK_SLAB_LAYERS 32
typedef struct sedge_deck_slab {
    int line;
    int layers; // 0: not given
    double at;  // where the first one begins, on the axis along which the wave travels
    double thickness[SEDGE_DECK_SLAB_LAYERS];
    char material[SEDGE_DECK_SLAB_LAYERS][64]; // volume groups
} sedge_deck_slab;

typedef struct sedge_deck {
    char *path;   // as given
    char *folder; // of the deck: mesh files are relative to it
    char *title;
    const sedge_equation *equation;
    int order;
    sedge_precision precision;
    bool si;                       // units: si; else normalised
    double flux[SEDGE_MAX_VALUES]; // of equation->flux_keys

    sedge_mesh_options mesh; // strings owned by the deck; file name resolved against `folder`

    double end_time;     // code units; > 0, or 0 when `steps` is given or there is no time
    int64_t steps;       // 0: by end_time
    double stop_energy;  // end when the energy is below this part of its peak; 0: not
    double stop_spectra; // end when spectra change by no more than this part; 0: not
    double cfl;          // 1: the stability limit, see SEDGE_CFL_STABLE; default 0.8
    const sedge_integrator *integrator; // NULL: auto, or an equation without time
    int levels;                         // of local time steps, at most
    double wall;                        // seconds that a run may take; 0: any time; < 0: not given

    double tolerance;   // solver; of an equation without time, as are the next two
    int64_t iterations; // at most
    bool multigrid;     // else no preconditioner

    int material_count; // default for groups not named: an error that names them
    sedge_deck_material *materials;
    int term_count;
    sedge_deck_term *terms;    // all of a kind together, kinds in the order of sedge_term_kinds
    const char **term_volumes; // names of the groups that have terms or a source, for `mesh`
    int boundary_count;
    sedge_deck_boundary *boundaries;
    const sedge_deck_boundary *layer; // the first with a perfectly matched layer; NULL: none
    int copies; // of the mesh by planes of symmetry, itself included; 1 until these are known
    double wave_vector[3]; // code units; of the fields' phase between periodic sides (bloch)
    bool turns;            // it is not zero
    const sedge_initial_kind *initial;
    double initial_parameters[SEDGE_MAX_VALUES];
    bool compare; // initial.compare; default: the kind's `exact`
    int source_count;
    sedge_deck_source *sources;

    int energy_every; // steps between energy samples and checks for blow-up, 1..100; def. 20
    int probe_every;  // steps between probe samples; default 1
    int probe_count;
    sedge_deck_probe *probes;
    int slice_count;
    sedge_deck_slice *slices;
    sedge_deck_frequencies frequencies; // default of spectra, flux, absorption and far fields
    int frequency_every;                // steps between samples of all these; 0: by rule
    double frequency_floor; // of the incident spectrum, by its peak: below it nothing is normalised
    int spectrum_count;
    sedge_deck_spectrum *spectra;
    int flux_count;
    sedge_deck_flux *fluxes;
    int absorption_count;
    sedge_deck_absorption *absorptions;
    int far_field_count;
    sedge_deck_far_field *far_fields;
    sedge_deck_sphere exact; // of exact and slab at most one is given
    sedge_deck_slab slab;
    int monitor_count;
    sedge_deck_monitor *monitors; // of kinds with parameters, in the order of sedge_monitor_kinds

    char *output;         // folder; relative to the working directory
    int snapshots;        // number of field snapshots over the run beside the initial one; 0: none
    bool layers_in_files; // field files have the elements of absorbing layers, too
    int64_t checkpoint_steps; // between checkpoints; of this and the next two at most one is not 0
    double checkpoint_time;   // code units
    double checkpoint_wall;   // seconds
    int checkpoint_keep;      // how many of the newest stay
    char device[16];          // auto, cuda, host, opencl
    char variant[32];         // kernels: auto, or the name of a form
    int kernel_numbers[4]; // kernels: block_elements, item_nodes, lift_nodes, item_fields; 0: not
                           // given
    char tune[16];         // kernels: off, fast, patient; "": not given

    // The reader's own.
    struct deck_node *tree; // the resolved deck (deck_tree.h); strings above point into it
    char *mesh_file;
    struct sedge_image_labels *labels; // image/image.h; NULL: none
    struct sedge_image_grid *grids;    // [mesh.grids]
    sedge_periodic_pair *pairs;
    const char **layer_surfaces;
    const char **layer_volumes;
    const char **two_sided_names;
    sedge_mesh_enclosure *enclosures;
    const char **enclosed_volumes;
    char (*enclosure_origins)[512]; // [enclosures] where the deck names them
} sedge_deck;

// Read `path`, apply the `count` settings "key.sub=value" (as YAML scalars or flow values; they win
// over the file), check. Not collective: the root reads and broadcasts the text, see driver.
// `text` is the file's content. SEDGE_ERR_USAGE on any fault. The caller frees it.
SEDGE_MUST_USE
sedge_status sedge_deck_create(sedge_deck **out, const char *path, const char *text, size_t length,
                               const char *const *settings, int count);
void sedge_deck_free(sedge_deck *deck);

// Make the problem from deck and mesh. Every volume group needs a material, every surface group
// with one-sided faces needs a condition, and every group that the deck names must exist.
// Contradictions are errors. Fails with SEDGE_ERR_USAGE. Not collective. The caller clears
// `problem`.
SEDGE_MUST_USE
sedge_status sedge_deck_problem(sedge_problem *problem, const sedge_deck *deck,
                                const sedge_mesh *mesh);

// Let conditions that depend on the shape of their surfaces see it (sedge_problem_fit), once the
// problem is made. SEDGE_ERR_USAGE with the deck's line. Collective.
SEDGE_MUST_USE
sedge_status sedge_deck_fit(sedge_problem *problem, const sedge_comm *comm, const sedge_deck *deck,
                            const sedge_mesh *mesh);

// The perfectly matched layer on a mesh, code units.
typedef struct sedge_deck_layer {
    bool lossless;       // with the terms of lossless media (sedge_term_kind.lossless)
    double sigma, alpha; // s = 1 + sigma / (alpha + d/dt)
    double reflection;   // at a right angle and high frequencies, of the layer alone
    // The group or source for which it is weaker than by the order, and how far that is, in
    // wavelengths of the lowest frequency of the monitors; NULL and HUGE_VAL: none.
    const char *near;
    double waves;
    bool too_near;            // so near that spectra may be wrong by more than 1 % there
    double speed;             // of the fastest wave in the layer
    double reflection_lowest; // the same at the lowest frequency that it must absorb
} sedge_deck_layer;

// Find the layer of a problem without its terms. `deck` has one. Not collective.
void sedge_deck_find_layer(sedge_deck_layer *out, const sedge_deck *deck, const sedge_mesh *mesh,
                           const sedge_problem *problem);

// The lowest and the highest frequency of the monitors; the highest is 0: they have none.
void sedge_deck_find_band(double band[2], const sedge_deck *deck);

// Append the deck with every default filled in, as YAML that reads back to the same deck. Not
// collective.
SEDGE_MUST_USE
sedge_status sedge_deck_write(sedge_text *out, const sedge_deck *deck);

// Append the Markdown tables of all keys with type, unit, default, range and meaning, equations'
// keys included: the generated part of input/keys.md.
SEDGE_MUST_USE
sedge_status sedge_deck_document(sedge_text *out);

// The file of image i (image/image.h) of those that the deck names; NULL: it has no more than i.
const char *sedge_deck_image_file(const sedge_deck *deck, int i);

// The condition of a surface group; NULL: the deck has none.
const sedge_deck_boundary *sedge_deck_find_boundary(const sedge_deck *deck, const char *name);

// Factors from code units to the deck's units for printing.
double sedge_deck_time_unit(const sedge_deck *deck); // seconds (or 1) per code time
// A frequency of code units in the deck's, rounded to 15 digits in SI units: 5e9 Hz in a deck is
// 5e9 again, which the factor alone may miss by the last bit.
double sedge_deck_frequency(const sedge_deck *deck, double frequency);
// Joules (or 1) per code energy of the mesh, of all its copies by planes of symmetry.
double sedge_deck_energy_unit(const sedge_deck *deck);

// The unit to print after a number: " m" in SI units, "" in normalised ones. The dimension is not
// SEDGE_FIELD.
const char *sedge_deck_unit(const sedge_deck *deck, sedge_dimension dimension);
// The unit to print after an energy: " J" or "".
const char *sedge_deck_energy_suffix(const sedge_deck *deck);
// The origin of the entry `name` in a section such as "boundaries" or "monitors.flux.NAME", with
// which messages begin: "PATH:LINE" or "--set SETTING".
#define SEDGE_DECK_ORIGIN 512
void sedge_deck_origin(char out[SEDGE_DECK_ORIGIN], const sedge_deck *deck, const char *section,
                       const char *name);
// A hint to append to messages about numbers that seem to be in the wrong units.
const char *sedge_deck_question(const sedge_deck *deck);
