// A metal film inside the mesh, of any thickness beside the skin depth: fields pass it.
#include "maxwell/maxwell.h"

#include "sheet_face.h"

#include "wall_fit.h"

extern const char sedge_text_sheet_face_h[];

const sedge_face_kind sedge_face_film = {
    .equation = "maxwell",
    .kind = {.name = "film",
             .function = "maxwell_film",
             .memory = 6 * WALL_MOST,
             .apply_two_sided_memory = maxwell_film,
             .rate = maxwell_wall_rate,
             .energy = maxwell_film_energy,
             .derive = maxwell_wall_derive,
             .describe = maxwell_wall_describe,
             .header = "sheet_face.h",
             .header_text = sedge_text_sheet_face_h,
             .parameters = maxwell_wall_parameters,
             .parameter_count = MAXWELL_WALL_PARAMETERS + 1,
             .text = "metal film inside the mesh, whose currents, losses and shielding are right "
                     "over a band, for any thickness beside the skin depth"}};
