// What all kinds of ports share, and what is known of a port in a problem.
// The law is in sheets/sheet_face.h.
#pragma once

#include "maxwell/maxwell.h"

#include "maxwell/sheets/shape_fit.h"
#include "maxwell/sheets/sheet_face.h"

#include <complex.h>
#include <stdbool.h>

#define PORT_PI         3.14159265358979323846
#define PORT_MOST_MODES 30.0 // of a family: the greatest number of one that is found

// Parameters of the kinds. All with a resistance have it first.
enum { LUMPED_RESISTANCE, LUMPED_DIRECTION };
enum { COAXIAL_RESISTANCE };
enum { TEM_RESISTANCE, TEM_VOLTAGES };
// Those of ports with a layer behind them begin alike.
enum {
    GUIDE_SHIFT,
    GUIDE_DIRECTION,
    GUIDE_AXIS = GUIDE_DIRECTION + 3,
    GUIDE_M = GUIDE_AXIS + 3,
    GUIDE_N,
    GUIDE_MODE
};
// Of a port with `mode`: number of the last mode with the same cut-off, and wave number at the
// cut-off of the next mode of the family; 0: not known.
enum { FOUND_LAST = PORT_KV, FOUND_NEXT = PORT_SCALE };
enum { LINE_VOLTAGES = GUIDE_DIRECTION + 3 };
// Of a mode-port, with GUIDE_AXIS, too: what port_hybrid_numbers has beside the index, which is
// PORT_INDEX, and the impedance, PORT_LINE; and the field at the outline by its greatest.
enum {
    HYBRID_MODE = GUIDE_AXIS + 3,
    HYBRID_FREQUENCY,
    HYBRID_SLOPE,
    HYBRID_INSIDE,
    HYBRID_RIM,
    HYBRID_GROUP = PORT_SCALE,
    HYBRID_GUIDED = PORT_VOLUME // in place of it: how many modes are guided, at least
};

// The volume group beside the surface, first side. SEDGE_ERR_USAGE: a material beside it is not
// that everywhere where `uniform`, conducts, is dispersive or anisotropic, or a layer.
sedge_status port_fit_medium(int *volume, const sedge_problem *problem, const char *surface,
                             const sedge_surface_shape *shape, bool uniform);

// The law's numbers of a port with the resistance R and the integral F.
void port_set_resistor(double *p, double resistance, double squares);

// The power of the wave that a signal of 1 sends in (sedge_boundary_kind.incident).
double port_incident(const sedge_problem *problem, const double *p, double frequency);

// F of a port's numbers: the integral of its mode's field squared.
double port_squares(const double *p);

// A resistance for `describe`: in ohms where there are hertz.
double port_shown_resistance(double resistance, double hertz);

// The unit normal of a port's plane.
void port_normal(const sedge_boundary *boundary, double normal[3]);

// A direction in the plane: the vector `given`, or, if that is 0, one along x, y or z: of those
// that lie in the plane the one along which the surface is longest. SEDGE_ERR_USAGE: the vector
// does not lie in the plane.
sedge_status port_fit_axis(double u[3], const double given[3], const shape_plane *plane,
                           const char *surface, const sedge_surface_shape *shape);

// Is the kind one of a port, and one that sends a mode along a guide or a line, which goes on
// behind it? Do the numbers belong to such a port of a line?
bool port_is(const sedge_boundary_kind *kind);
bool port_is_guide(const sedge_boundary_kind *kind);
bool port_is_line(const double *p);

// May its cross-section be open, and have several media and conductors inside?
bool port_is_open(const double *p);

// For the tables of all kinds of ports (sedge_boundary_kind): find the field and its numbers if the
// port has no formula, what a signal makes of it, and whether the port is in the right place.
sedge_status port_find_field(const sedge_problem *problem, const sedge_comm *comm,
                             const sedge_mesh *mesh, const char *surface,
                             const sedge_surface_shape *shape, double *p,
                             struct sedge_surface_field **field);
void port_drive(const sedge_boundary *port, const double corners[9], const double x[3],
                const double *mu, const double *mw, const double *n, const double *c, double *v);
sedge_status port_check(const sedge_problem *problem, const sedge_comm *comm,
                        const sedge_mesh *mesh, const sedge_boundary *port);

// May the port be on one surface with the other modes there, in front of it in the problem?
// SEDGE_ERR_USAGE: no. SEDGE_ERR_MEMORY. Collective.
sedge_status port_check_together(const sedge_problem *problem, const sedge_comm *comm,
                                 const sedge_mesh *mesh, const sedge_boundary *port);

// The potentials of the walls of a line's cross-section, voltages [walls], which are 0 before.
// `given` are the numbers of a parameter of the type SEDGE_PARAMETER_WEIGHTS. Where the outline is
// one of conductors, `closed`, all inner ones must have a voltage, and without any the inner one of
// two conductors has 1. SEDGE_ERR_USAGE: they do not fit the conductors; the message begins with
// `where`. Collective.
struct port_section; // port_section.h
sedge_status port_conductors_find(double *voltages, const struct port_section *section,
                                  const sedge_problem *problem, const sedge_comm *comm,
                                  const sedge_mesh *mesh, const double *given, bool closed,
                                  const char *where);

// Is a surface of this kind that of a conductor, at which lines and guides may end? Of NULL: no.
bool port_conducts(const sedge_boundary_kind *kind);

// The edges of a port's faces that lie on conductors, or on magnetic walls where `magnetic`, in an
// order that shape_find_edge knows. The caller releases them. SEDGE_ERR_MEMORY. Collective.
sedge_status port_find_walls(shape_edge **out, int64_t *count, const sedge_problem *problem,
                             const sedge_comm *comm, const sedge_mesh *mesh,
                             const struct sedge_surface_field *field, bool magnetic);

// The field at a place x on a face of the port, whose corners are in ascending order
// (sedge_surface_corners).
void port_field_at(const sedge_boundary *port, const double corners[9], const double x[3],
                   double e[3]);

// The same of the field with which H x normal is multiplied for the port's current, which is
// another one where the profiles of E and of H differ.
void port_other_at(const sedge_boundary *port, const double corners[9], const double x[3],
                   double e[3]);

// Of a guide's mode the cut-off frequency, and at a frequency its wave impedance and its wave
// number along the guide, code units; both are not a number below 1.01 of the cut-off. Of a line
// the first is 0 and the second its impedance.
double port_cutoff(const sedge_problem *problem, const double *p);
double port_impedance(const sedge_problem *problem, const double *p, double frequency);
double port_phase(const sedge_problem *problem, const double *p, double frequency);

// Of a disc of radius 1 the wave number at the cut-off of the mode with m periods around and the
// zero number n; not a number: it is greater than any that a port has.
double port_round_number(int m, int n, bool te);

// The axes U and V in the port's plane of a port of a guide or a line, V = normal x U: U is `given`
// or found by port_fit_axis. SEDGE_ERR_USAGE: that does not lie in the plane, or GUIDE_DIRECTION is
// not across it.
sedge_status port_fit_axes(double *p, const double given[3], const shape_plane *plane,
                           const char *surface, const sedge_surface_shape *shape);
sedge_status port_fit_direction(const double *p, const shape_plane *plane, const char *surface);

// The first parameters of all ports with a layer behind them.
#define PORT_SHIFT_AND_DIRECTION                                                                \
    {.name = "shift",                                                                           \
     .maximum = HUGE_VAL,                                                                       \
     .dimension = SEDGE_LENGTH,                                                                 \
     .text = "by which the plane that S-parameters refer to lies further into the structure"},  \
    {                                                                                           \
        .name = "direction", .type = SEDGE_PARAMETER_VECTOR, .required = true, .nonzero = true, \
        .text = "into the structure, across the port"                                           \
    }

// Of the kinds of TE and TM ports: their functions `fit` and `describe`, and their parameters; and
// the parameters of line-port and mode-port.
sedge_status port_fit_guide(const sedge_problem *problem, const char *surface,
                            const sedge_surface_shape *shape, double *p, int profile);
void port_describe_guide(char text[160], const char *family, const double *p, double hertz);
#define PORT_GUIDE_PARAMETERS 6
extern const sedge_parameter port_guide_parameters[PORT_GUIDE_PARAMETERS];
#define PORT_LINE_PARAMETERS 3
extern const sedge_parameter port_line_parameters[PORT_LINE_PARAMETERS];
#define PORT_MODE_PARAMETERS 5
extern const sedge_parameter port_mode_parameters[PORT_MODE_PARAMETERS];

extern const char sedge_text_sheet_face_h[];

// What the tables of all kinds have alike. The file has `fit` and `describe`.
#define PORT_COMMON                                                                         \
    .fit = fit, .find_field = port_find_field, .check = port_check, .drive = port_drive,    \
    .incident = port_incident, .linear = true, .driven = PORT_SIGNAL, .describe = describe, \
    .header = "sheet_face.h", .header_text = sedge_text_sheet_face_h

// The table of kind `id` of a port with a resistance; the file has `parameters`, too. Where
// `several`, modes of one surface may each have a port.
#define PORT_RESISTOR(id, deck_name, several, words)                                        \
    static const sedge_boundary_kind outside = {PORT_COMMON,                                \
                                                .name = (deck_name),                        \
                                                .function = "maxwell_port_outside",         \
                                                .apply = maxwell_port_outside,              \
                                                .shares = (several),                        \
                                                .parameters = parameters,                   \
                                                .parameter_count =                          \
                                                    sizeof parameters / sizeof *parameters, \
                                                .text = (words)};                           \
    const sedge_face_kind sedge_face_##id = {                                               \
        .equation = "maxwell",                                                              \
        .kind = {PORT_COMMON, .name = (deck_name), .function = "maxwell_port",              \
                 .apply_two_sided = maxwell_port, .outside = &outside, .shares = (several), \
                 .parameters = parameters,                                                  \
                 .parameter_count = sizeof parameters / sizeof *parameters, .text = (words)}}

// The same of a waveguide's modes of the family TE or TM, with its functions.
#define PORT_GUIDE(id, deck_name, family)                                                  \
    static sedge_status fit(const sedge_problem *problem, const char *surface,             \
                            const sedge_surface_shape *shape, double *p)                   \
    {                                                                                      \
        return port_fit_guide(problem, surface, shape, p, PORT_##family);                  \
    }                                                                                      \
    static void describe(char text[160], const double *p, double hertz)                    \
    {                                                                                      \
        port_describe_guide(text, #family, p, hertz);                                      \
    }                                                                                      \
    const sedge_face_kind sedge_face_##id = {                                              \
        .equation = "maxwell",                                                             \
        .kind = {PORT_COMMON, .name = (deck_name), .function = "maxwell_port",             \
                 .apply_two_sided = maxwell_port, .into = GUIDE_DIRECTION, .guided = true, \
                 .shares = true, .parameters = port_guide_parameters,                      \
                 .parameter_count = PORT_GUIDE_PARAMETERS,                                 \
                 .text = "port of a waveguide for one of its modes " #family               \
                         ", on a plane inside the mesh that is all of the guide's "        \
                         "cross-section; behind it the guide goes on and ends in a "       \
                         "perfectly matched layer; sources of type port drive it"}}
