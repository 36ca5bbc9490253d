// A wall of a good conductor over a band: the impedance sqrt(i omega mu / sigma), as a sum of
// poles.
#include "maxwell/maxwell.h"

#include "sheet_face.h"

#include "wall_fit.h"

#include <math.h>

extern const char sedge_text_sheet_face_h[];

static const sedge_parameter parameters[] = {
    {.name = "conductivity",
     .required = true,
     .positive = true,
     .dimension = SEDGE_CONDUCTIVITY,
     .text = "of the metal"},
    {.name = "mu", .fallback = {1.0}, .positive = true, .text = "relative permeability"},
    {.name = "lowest",
     .maximum = HUGE_VAL,
     .dimension = SEDGE_FREQUENCY,
     .text = "the band in which the impedance is right; 0: as the sources' spectra, down to a "
             "hundredth of `highest`"},
    {.name = "highest",
     .maximum = HUGE_VAL,
     .dimension = SEDGE_FREQUENCY,
     .text = "its other end; 0: the highest frequency of the sources"},
};

static sedge_status derive(const sedge_problem *problem, const char *surface, double *p)
{
    const maxwell_wall_material material = {
        .surface = surface, .conductivity = p[0], .mu = p[1], .lowest = p[2], .highest = p[3]};

    return maxwell_wall_fit(p, problem, &material);
}

const sedge_face_kind sedge_face_conductor = {
    .equation = "maxwell",
    .kind = {.name = "conductor",
             .function = "maxwell_conductor",
             .memory = 3 * WALL_MOST,
             .apply_memory = maxwell_conductor,
             .rate = maxwell_wall_rate,
             .energy = maxwell_wall_energy,
             .derive = derive,
             .describe = maxwell_wall_describe,
             .header = "sheet_face.h",
             .header_text = sedge_text_sheet_face_h,
             .parameters = parameters,
             .parameter_count = sizeof parameters / sizeof *parameters,
             .text = "surface of a good conductor, thicker than the skin depth, whose losses are "
                     "right over a band; inside the mesh each side has its own"}};
