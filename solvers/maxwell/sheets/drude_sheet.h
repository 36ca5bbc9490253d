// What the kinds with the law maxwell_drude_sheet share.
#pragma once

#include "maxwell/maxwell.h"

#include "sheet_face.h"
#include "sheet_loss.h"

// The current falls by 1 / tau by itself, and the field that it makes, at most Z on one side,
// drives it back.
static double drude_sheet_rate(const double *m, const double *p)
{
    return (1.0 + m[MAXWELL_Z] / p[DRUDE_RESISTANCE]) / p[DRUDE_TIME];
}

// The current j flows in the inductance R tau; each side of the sheet knows j and has half of its
// energy.
static void drude_sheet_energy(const double *p, double *weights)
{
    for (int i = 0; i < 3; i++) weights[i] = 0.5 * p[DRUDE_RESISTANCE] * p[DRUDE_TIME];
}

static double drude_sheet_loss(const double *mu, const double *mw, const double *n, const double *u,
                               const double *w, const double *p, double omega)
{
    const double complex turn = omega * p[DRUDE_TIME] * (double complex)_Complex_I;

    return maxwell_sheet_loss(mu, mw, n, u, w, 1.0 / (p[DRUDE_RESISTANCE] * (1.0 + turn)));
}

// The table of kind `id`; the file has `parameters` and `derive`.
#define DRUDE_SHEET(id, deck_name, words)                                   \
    const sedge_face_kind sedge_face_##id = {                               \
        .equation = "maxwell",                                              \
        .kind = {.name = (deck_name),                                       \
                 .function = "maxwell_drude_sheet",                         \
                 .memory = 3,                                               \
                 .apply_two_sided_memory = maxwell_drude_sheet,             \
                 .rate = drude_sheet_rate,                                  \
                 .loss_two_sided = drude_sheet_loss,                        \
                 .energy = drude_sheet_energy,                              \
                 .derive = derive,                                          \
                 .header = "sheet_face.h",                                  \
                 .header_text = sedge_text_sheet_face_h,                    \
                 .parameters = parameters,                                  \
                 .parameter_count = sizeof parameters / sizeof *parameters, \
                 .text = (words)}}
