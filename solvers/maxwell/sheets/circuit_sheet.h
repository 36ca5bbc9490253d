// What the kinds with the laws maxwell_series_sheet and maxwell_parallel_sheet share.
#pragma once

#include "maxwell/maxwell.h"

#include "shape_fit.h"
#include "sheet_face.h"
#include "sheet_loss.h"

#include <math.h>

// The decay a and the angular frequency w of an oscillator: no eigenvalue is larger. The stages
// allow 0.7 times as much for what swings as for what decays.
static double circuit_rate(double decay, double square)
{
    return 0.5 * decay + sqrt(0.25 * decay * decay + 2.0 * square);
}

static const char circuit_direction[] =
    "[0, 0, 0]: a sheet. Else the surface is a rectangle between two conductors, from one to the "
    "other along this vector, and the numbers are those of a component there, not per square";

// The keys of the deck; the texts say what 0 means.
#define CIRCUIT_KEYS(of_resistance, of_inductance, of_capacitance) \
    {.name = "resistance",                                         \
     .maximum = HUGE_VAL,                                          \
     .dimension = SEDGE_RESISTANCE,                                \
     .text = (of_resistance)},                                     \
        {.name = "inductance",                                     \
         .maximum = HUGE_VAL,                                      \
         .dimension = SEDGE_INDUCTANCE,                            \
         .text = (of_inductance)},                                 \
        {.name = "capacitance",                                    \
         .maximum = HUGE_VAL,                                      \
         .dimension = SEDGE_CAPACITANCE,                           \
         .text = (of_capacitance)},                                \
        {.name = "direction", .type = SEDGE_PARAMETER_VECTOR, .text = circuit_direction},

// One of inductor and capacitor there is.
static sedge_status derive(const sedge_problem *problem, const char *surface, double *p)
{
    (void)problem;
    if (p[CIRCUIT_INDUCTANCE] > 0.0 || p[CIRCUIT_CAPACITANCE] > 0.0) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "boundaries.%s: the sheet has neither 'inductance' nor 'capacitance'; one "
                      "with a resistance alone has the type sheet",
                      surface);
}

// A component between two conductors: a width w and a length l have w / l squares side by side.
static sedge_status fit(const sedge_problem *problem, const char *surface,
                        const sedge_surface_shape *shape, double *p)
{
    const double *const d = p + CIRCUIT_DIRECTION;
    shape_gap gap;

    if (!(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] > 0.0)) return SEDGE_OK;
    SEDGE_TRY(shape_fit_gap(&gap, problem, d, surface, shape));
    p[CIRCUIT_RESISTANCE] *= gap.width / gap.length;
    p[CIRCUIT_INDUCTANCE] *= gap.width / gap.length;
    p[CIRCUIT_CAPACITANCE] *= gap.length / gap.width;
    return SEDGE_OK;
}

// The table of kind `id`; the file has `parameters`, `find_rate`, `find_loss` and `find_energy`.
#define CIRCUIT_SHEET(id, deck_name, words)                                 \
    const sedge_face_kind sedge_face_##id = {                               \
        .equation = "maxwell",                                              \
        .kind = {.name = (deck_name),                                       \
                 .function = "maxwell_" #id,                                \
                 .memory = 6,                                               \
                 .apply_two_sided_memory = maxwell_##id,                    \
                 .rate = find_rate,                                         \
                 .loss_two_sided = find_loss,                               \
                 .energy = find_energy,                                     \
                 .derive = derive,                                          \
                 .fit = fit,                                                \
                 .header = "sheet_face.h",                                  \
                 .header_text = sedge_text_sheet_face_h,                    \
                 .parameters = parameters,                                  \
                 .parameter_count = sizeof parameters / sizeof *parameters, \
                 .text = (words)}}
