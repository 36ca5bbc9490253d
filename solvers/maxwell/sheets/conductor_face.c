// A wall of a good conductor over a band: the impedance sqrt(i omega mu / sigma), as a sum of
// poles.
#include "maxwell/maxwell.h"

#include "sheet_face.h"

#include "wall_fit.h"

extern const char sedge_text_sheet_face_h[];

const sedge_face_kind sedge_face_conductor = {
    .equation = "maxwell",
    .kind = {.name = "conductor",
             .function = "maxwell_conductor",
             .memory = 3 * WALL_MOST,
             .apply_memory = maxwell_conductor,
             .rate = maxwell_wall_rate,
             .energy = maxwell_wall_energy,
             .derive = maxwell_wall_derive,
             .describe = maxwell_wall_describe,
             .header = "sheet_face.h",
             .header_text = sedge_text_sheet_face_h,
             .parameters = maxwell_wall_parameters,
             .parameter_count = MAXWELL_WALL_PARAMETERS,
             .text = "surface of a good conductor, thicker than the skin depth, whose losses are "
                     "right over a band; inside the mesh each side has its own"}};
