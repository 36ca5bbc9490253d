// A structure that repeats itself along two directions, in a plane wave that meets it at a right
// angle, or in waves of a wave vector k along it from a sheet of current: which part of the
// incident power passes through a surface, and how the fields on a plane are a sum of waves, the
// diffraction orders (Floquet's theorem).
//
// A cell between periodic sides has the translations a_1 and a_2. With b_1 and b_2, a_i.b_j = 2 pi
// if i = j, else 0, the field at a frequency (exp(+j w t)) on a plane n.x = constant is
//
//   E(x) = sum over m1, m2 of E_m exp(-j K_m.x),   K_m = k + m1 b_1 + m2 b_2,
//   E_m = 1/A int E(x) exp(+j K_m.x) dA
//
// with A the area of the cell, and the power through the plane is the sum over the orders of
// A/2 Re n.(E_m x H_m*). An order with |K_m| > w / c decays away from the structure and carries
// none.
#pragma once

#include "monitor/face_points.h"
#include "monitor/spectrum.h"

#include <complex.h>

#define SEDGE_FLOQUET_ORDERS 121 // at most: those of the smallest |K_m|

// The cell, and the wave, which travels along `normal`.
typedef struct sedge_floquet_cell {
    double normal[3]; // unit
    double area;
    double reciprocal[2][3]; // b_1, b_2
    double wave_vector[3];   // k along the cell
    // Power through the cell of the wave, where its signal is 1, code units: that of what is across
    // the plane of incidence by the cosine of the angle to the normal, plus that of what is in it
    // times the cosine. Straight on it is the sum.
    double incident[2];
    double slowness; // of the medium that it comes from: |k| / slowness is the lowest w
} sedge_floquet_cell;

// The part of the incident power through a surface, and the orders if it is a plane.
typedef struct sedge_floquet {
    int frequencies;
    double
        *part; // [frequencies] along the surface's normals; NULL: it does not cross the cell once
    int orders;
    int (*order)[2]; // [orders] m1, m2 of those that travel at the highest frequency, by |K_m|
    double (*wave_vector)[3];   // [orders] K_m, code units
    double *order_part;         // [orders][frequencies]
    double complex (*field)[3]; // [orders][frequencies] E_m for an incident signal of 1
} sedge_floquet;

// The area and b_1, b_2 of the cell with the translations a_1 and a_2, `period` [2], and the normal
// along a_1 x a_2.
void sedge_floquet_set_periods(sedge_floquet_cell *cell, double (*period)[3]);

// Whether the run is one of such a structure: the mesh is periodic along two directions, and a flat
// sheet of current across the cell, of type wave-sheet, drives the fields, or fields are fed in
// through a surface, all sources are plane waves along the normal of the cell whose power
// does not depend on the frequency by their origins, and the medium that they come from is
// lossless, without memory. The same on all ranks. Collective.
bool sedge_floquet_cell_find(sedge_floquet_cell *out, const sedge_output_context *context);

// From the transforms of E and H at the points of a surface, which are on the host: nothing if the
// surface does not cross the cell once, `part` alone if it does and is no plane. `wave_number`: the
// largest |K_m| of an order that travels; 0: (0, 0) alone. Numbers are not-a-number at frequencies
// where the incident signal is below `floor` of its peak. The same on any number of ranks. Clear
// it in any case. Collective.
SEDGE_MUST_USE
sedge_status sedge_floquet_find(sedge_floquet *out, const sedge_comm *comm,
                                const sedge_floquet_cell *cell, const sedge_face_points *faces,
                                const sedge_spectrum *spectrum, double wave_number, double floor);
void sedge_floquet_clear(const sedge_floquet *floquet);

// The largest wavenumber at a frequency (code units) in the media beside a surface, without their
// memory: for sedge_floquet_find. Collective.
double sedge_floquet_wave_number(const sedge_output_context *context,
                                 const sedge_face_points *faces, double frequency);

// Write what there is into the group `folder` of a file: `part` [frequencies], `order` [orders][2],
// `order_k` [orders][3], the wave vectors, `order_part` [orders][frequencies], `order_E`
// [orders][frequencies][3], complex. Root.
SEDGE_MUST_USE
sedge_status sedge_floquet_write(const sedge_floquet *floquet, const sedge_output_context *context,
                                 sedge_h5 *file, const char *folder);
