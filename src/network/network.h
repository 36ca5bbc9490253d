// S-parameters of a structure with several ports, over frequency.
//
// S_ij = b_i / a_j: the wave that leaves at port i, over the wave that enters at port j, all other
// ports being matched. Waves are power waves, a = (V + Z I) / (2 sqrt(Z)), b = (V - Z I) / (2
// sqrt(Z)), with I into the structure: |a|^2 / 2 is the power that enters. Z is the port's
// reference: a resistance, or the wave impedance of a waveguide's mode, which changes with
// frequency. Phases are those of exp(+j omega t): the phase of S_21 falls with frequency.
#pragma once

#include "base/error.h"

#include <complex.h>
#include <stdbool.h>

typedef struct sedge_network_port {
    const char *name;
    double reference; // Z; 0: the wave impedance of the port's own mode
} sedge_network_port;

typedef struct sedge_network {
    bool si; // in Hz and ohms, otherwise in code units
    int ports;
    int frequencies;
    const sedge_network_port *port; // [ports]
    const double *frequency;        // [frequencies]
    const double complex *s;        // [frequencies][ports][ports] S_ij; not-a-number: not valid
} sedge_network;

// Are all entries valid at frequency number `f`?
bool sedge_network_is_valid(const sedge_network *network, int f);

// The largest |S_ij - S_ji| at frequency number `f`: 0 if the structure is reciprocal.
// Not-a-number where an entry is not valid.
double sedge_network_asymmetry(const sedge_network *network, int f);

// The sum of |S_ij|^2 over i at frequency number `f`: the part of the power entering at port j that
// leaves through the ports, 1 if nothing is lost. Not-a-number where an entry is not valid.
double sedge_network_power(const sedge_network *network, int f, int j);

// The matrix S of b = S a, from waves `b` [ports][ports] that leave and waves `a` that enter, in
// column j those of run j; so ports need not be matched. S takes the place of `b`; `a` is
// destroyed.
void sedge_network_divide(double complex *b, double complex *a, int ports);

// Change the references of the matrix `s` [ports][ports], at one frequency, from `before` to
// `after` [ports], which are > 0; 0 in both: the port keeps what it has. Any `s` will do, but one
// that belongs to no impedances after the change becomes infinite or not-a-number.
// SEDGE_ERR_MEMORY.
SEDGE_MUST_USE
sedge_status sedge_network_renormalise(double complex *s, int ports, const double *before,
                                       const double *after);
