// Numbers of one direction's far field (R E_theta, R E_phi; far_field.h): radar cross-section,
// gain, polarisation. Phasors exp(+j w t), peak values. All functions are for one process.
#pragma once

#include <complex.h>

// Bistatic radar cross-section 4 pi |R E|^2 / |E_incident|^2, an area: rcs[0] of E_theta, rcs[1] of
// E_phi. `incident` is |E_incident|^2, with all components.
void sedge_pattern_rcs(const double complex far[2], double incident, double rcs[2]);

// 10 log10(value): an area in m^2 to dBsm, a gain to dBi. -infinity for 0.
double sedge_pattern_decibel(double value);

// Radiation intensity |R E|^2 / (2 impedance), power per solid angle; `impedance` of the medium, >
// 0.
double sedge_pattern_intensity(const double complex far[2], double impedance);

// 4 pi intensity / power: the directivity if `power` is the radiated one, the gain if it is the
// accepted one, the realised gain if it is the incident one.
double sedge_pattern_gain(const double complex far[2], double impedance, double power);

// Right-handed (IEEE: thumb along the direction, field turns with the fingers) and left-handed
// component: (E_theta + j E_phi) / sqrt2 and (E_theta - j E_phi) / sqrt2.
void sedge_pattern_circular(const double complex far[2], double complex circular[2]);

// Major over minor axis of the polarisation ellipse, (|R| + |L|) / ||R| - |L||, 1 circular,
// infinite for linear polarisation (to rounding), not-a-number without a field.
double sedge_pattern_axial_ratio(const double complex far[2]);
