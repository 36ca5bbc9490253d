// A metal film inside the mesh, of any thickness beside the skin depth: fields pass it.
#include "maxwell/maxwell.h"

#include "sheet_face.h"
#include "sheet_loss.h"

#include "wall_fit.h"

extern const char sedge_text_sheet_face_h[];

static double find_loss(const double *mu, const double *mw, const double *n, const double *u,
                        const double *w, const double *p, double omega)
{
    const double complex s = omega * (double complex)_Complex_I;
    double complex impedance[2] = {p[WALL_CONSTANT], p[WALL_CONSTANT + 1]};

    for (int k = 0; k < (int)p[WALL_POLES]; k++) {
        const double *const row = p + WALL_POLE + (ptrdiff_t)3 * k;
        for (int i = 0; i < 2; i++) impedance[i] += row[1 + i] * s / (s + row[0]);
    }
    return maxwell_layer_loss(mu, mw, n, u, w, impedance[0], impedance[1]);
}

const sedge_face_kind sedge_face_film = {
    .equation = "maxwell",
    .kind = {.name = "film",
             .function = "maxwell_film",
             .memory = 6 * WALL_MOST,
             .apply_two_sided_memory = maxwell_film,
             .rate = maxwell_wall_rate,
             .loss_two_sided = find_loss,
             .energy = maxwell_film_energy,
             .derive = maxwell_wall_derive,
             .describe = maxwell_wall_describe,
             .header = "sheet_face.h",
             .header_text = sedge_text_sheet_face_h,
             .parameters = maxwell_wall_parameters,
             .parameter_count = MAXWELL_WALL_PARAMETERS + 1,
             .text = "metal film inside the mesh, whose currents, losses and shielding are right "
                     "over a band, for any thickness beside the skin depth"}};
