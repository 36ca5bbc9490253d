// A thin layer with magnetic losses inside the mesh: the twin of the resistive sheet.
#include "maxwell/maxwell.h"

#include "sheet_face.h"
#include "sheet_loss.h"

extern const char sedge_text_sheet_face_h[];

static const sedge_parameter parameters[] = {
    {.name = "resistance",
     .required = true,
     .positive = true,
     .dimension = SEDGE_RESISTANCE,
     .text = "the jump of tangential E by the tangential H, which is the same on both sides"},
};

static double find_loss(const double *mu, const double *mw, const double *n, const double *u,
                        const double *w, const double *p, double omega)
{
    (void)omega;
    return maxwell_magnetic_sheet_loss(mu, mw, n, u, w, p[0]);
}

const sedge_face_kind sedge_face_magnetic_sheet = {
    .equation = "maxwell",
    .kind = {.name = "magnetic-sheet",
             .function = "maxwell_magnetic_sheet",
             .apply_two_sided = maxwell_magnetic_sheet,
             .loss_two_sided = find_loss,
             .header = "sheet_face.h",
             .header_text = sedge_text_sheet_face_h,
             .parameters = parameters,
             .parameter_count = sizeof parameters / sizeof *parameters,
             .text = "magnetically lossy sheet inside the mesh, the twin of `sheet`",
             .linear = true}};
