// A resistive sheet inside the mesh: reflects -Z / (Z + 2 R) and lets 2 R / (Z + 2 R) pass where
// the medium is the same on both sides.
#include "dg/equation.h"

#include "maxwell/maxwell_physics.h"

#include "resistive_face.h"

extern const char sedge_text_resistive_face_h[];

static const sedge_parameter parameters[] = {
    {.name = "resistance",
     .required = true,
     .positive = true,
     .dimension = SEDGE_RESISTANCE,
     .text = "surface resistance: tangential E = resistance times the surface current"},
};

const sedge_face_kind sedge_face_resistive = {
    .equation = "maxwell",
    .kind = {.name = "resistive",
             .function = "resistive_sheet",
             .apply_two_sided = resistive_sheet,
             .header = "resistive_face.h",
             .header_text = sedge_text_resistive_face_h,
             .parameters = parameters,
             .parameter_count = 1,
             .text = "thin sheet with a surface resistance, inside the mesh",
             .linear = true}};
