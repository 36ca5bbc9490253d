// Modes of a guide of several media at one frequency: full vector fields, as a rule with parts of E
// and of H along the guide.
//
// Of a wave exp(-i beta z) let E be E_t + i z f, with a real function f, and let G = H x z. Then
// w = omega mu G is beta E_t + grad f. On each face the covariant components of w are polynomials
// of the order of the section's field, and along edges its component is continuous; f is a function
// of the section, one order higher, so that its gradient is such a w. With B(w, f) the integral of
// w^2 / mu - omega^2 epsilon f^2 and A(w, f) that of (curl w)^2 / mu - omega^2 epsilon (w - grad
// f)^2, A + beta^2 B is stationary. (epsilon may be a tensor: in B it is that along the guide, in A
// that across, and the square is (w - grad f) . epsilon (w - grad f).) These are mixed elements in
// the manner of J.-F. Lee, D.-K. Sun and Z. J. Cendes, IEEE Trans. Microw. Theory Techn. 39 (1991)
// 1262.
#pragma once

#include "port_section.h"

// A medium of which the port's plane is a plane of symmetry. An epsilon has its components along
// the section's axes u and v, and along the guide.
enum { PORT_UU, PORT_UV, PORT_VV, PORT_ALONG, PORT_TENSOR };

typedef struct port_medium {
    double epsilon[PORT_TENSOR], mu;
    // d(omega epsilon) / d omega and d(omega mu) / d omega, by which energies count.
    double epsilon_group[PORT_TENSOR], mu_group;
} port_medium;

// The principal values of epsilon, the last that along the guide.
void port_medium_principal(double out[3], const port_medium *medium);

// The greatest epsilon mu.
double port_medium_greatest(const port_medium *medium);

// The media of a section at an angular frequency, code units.
typedef struct port_media {
    double omega;
    port_medium *face; // [faces]
} port_media;

enum { PORT_MOST_NEAR = 8 };

// A mode and those whose beta^2 are near, as vectors of unknowns: those of w come first in each
// face, then those of f.
typedef struct port_hybrid {
    const port_section *section;
    const port_media *media;
    double greatest; // epsilon mu
    int vectors;     // unknowns of w in a face
    int local;       // and of w and f
    int64_t *of;     // [faces][local] their rows; -1: 0 on a wall
    int64_t rows;
    int guided;    // of modes with a greater beta^2 than the least, if that is less than asked for
    int count;     // 0: the mode asked for is not guided
    double square; // beta^2 of the mode asked for
    int asked;     // its place among the `count` ones
    double squares[PORT_MOST_NEAR]; // [count] beta^2, falling
    double *modes;                  // [count][rows] B of two is 0, of one 1
} port_hybrid;

// What follows from a mode.
typedef struct port_hybrid_numbers {
    double index;     // beta by omega
    double group;     // d beta / d omega
    double impedance; // of the fields that port_hybrid_fields gives
    double slope;     // its relative change by that of omega
    double inside;    // power in the media with the greatest epsilon mu, by all
} port_hybrid_numbers;

// Mode number `number`, from 1 with falling beta^2, of those with beta^2 above `least`, and those
// whose beta^2 differ from its own by no more than the part `near` of it. Keeps `section` and
// `media`. SEDGE_ERR_USAGE: the section has too many faces, or they are too large; the message
// begins with `where`. SEDGE_ERR_COMPUTE, SEDGE_ERR_MEMORY. Clear it in any case.
SEDGE_MUST_USE
sedge_status port_hybrid_find(port_hybrid *out, const port_section *section,
                              const port_media *media, double least, int number, double near,
                              const char *where);
void port_hybrid_clear(const port_hybrid *hybrid);

// E_t and G of the sum of the modes times `parts` [count]. The integrals of E_t squared and of the
// product of both are 1; what is left out of G is the factor 1 / impedance. The coefficients of f
// are put into `along` [faces][section->local], if it is not NULL. SEDGE_ERR_MEMORY.
SEDGE_MUST_USE
sedge_status port_hybrid_fields(port_hybrid_numbers *out, const port_hybrid *hybrid,
                                const double *parts, sedge_surface_field *e, sedge_surface_field *g,
                                double *along);
