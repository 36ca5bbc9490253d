// A wall of a good conductor over a band: the impedance sqrt(i omega mu / sigma), as a sum of
// poles.
#include "maxwell/maxwell.h"

#include "sheet_face.h"

#include "wall_fit.h"

#include <complex.h>

extern const char sedge_text_sheet_face_h[];

static double find_loss(const double *m, const double *n, const double *re, const double *im,
                        const double *p, double omega)
{
    const double complex s = omega * (double complex)_Complex_I;
    double complex impedance = p[WALL_CONSTANT];

    for (int k = 0; k < (int)p[WALL_POLES]; k++) {
        const double *const row = p + WALL_POLE + (ptrdiff_t)3 * k;
        impedance += row[1] * s / (s + row[0]);
    }
    return maxwell_wall_loss(m, n, re, im, creal(impedance), cimag(impedance));
}

const sedge_face_kind sedge_face_conductor = {
    .equation = "maxwell",
    .kind = {.name = "conductor",
             .function = "maxwell_conductor",
             .memory = 3 * WALL_MOST,
             .apply_memory = maxwell_conductor,
             .rate = maxwell_wall_rate,
             .loss = find_loss,
             .energy = maxwell_wall_energy,
             .derive = maxwell_wall_derive,
             .describe = maxwell_wall_describe,
             .header = "sheet_face.h",
             .header_text = sedge_text_sheet_face_h,
             .parameters = maxwell_wall_parameters,
             .parameter_count = MAXWELL_WALL_PARAMETERS,
             .text = "surface of a good conductor, thicker than the skin depth, whose losses are "
                     "right over a band; inside the mesh each side has its own"}};
