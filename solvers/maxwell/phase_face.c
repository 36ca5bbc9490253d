// Periodic sides between whose fields there is a phase: the medium goes on behind them.
#include "maxwell/maxwell.h"

#include "phase_face.h"

extern const char sedge_text_phase_face_h[];

const sedge_face_kind sedge_face_phase = {
    .equation = "maxwell",
    .kind = {.name = "phase",
             .function = "maxwell_phase",
             .apply_two_sided = maxwell_phase,
             .header = "phase_face.h",
             .header_text = sedge_text_phase_face_h,
             .text = "periodic, with a phase between the fields of its two sides",
             .turns = true,
             .linear = true}};
