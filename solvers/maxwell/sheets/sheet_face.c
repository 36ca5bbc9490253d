// A resistive sheet inside the mesh: reflects -Z / (Z + 2 R) and lets 2 R / (Z + 2 R) pass where
// the medium is the same on both sides.
#include "maxwell/maxwell.h"

#include "sheet_face.h"
#include "sheet_loss.h"

#include <math.h>

extern const char sedge_text_sheet_face_h[];

static const sedge_parameter parameters[] = {
    {.name = "resistance",
     .maximum = HUGE_VAL,
     .dimension = SEDGE_RESISTANCE,
     .text = "per square: tangential E by the current in the sheet; 0: 1 / (conductivity "
             "thickness)"},
    {.name = "conductivity",
     .maximum = HUGE_VAL,
     .dimension = SEDGE_CONDUCTIVITY,
     .text = "of a layer; with `thickness`, in place of `resistance`"},
    {.name = "thickness",
     .maximum = HUGE_VAL,
     .dimension = SEDGE_LENGTH,
     .text = "of that layer, below its skin depth"},
};

#define PI 3.14159265358979323846

static sedge_status derive(const sedge_problem *problem, const char *surface, double *p)
{
    const double conductance = p[1] * p[2];
    // Of a layer of vacuum's mu; a skin depth is sqrt(2 / (omega sigma)).
    const double depths = p[2] * sqrt(PI * sedge_problem_frequency(problem) * p[1]);

    if ((p[0] > 0.0) == (conductance > 0.0) || (p[0] > 0.0 && p[1] + p[2] > 0.0)) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "boundaries.%s: a sheet needs either 'resistance' or both 'conductivity' "
                          "and 'thickness', above 0; a perfect conductor has the type pec",
                          surface);
    }
    if (depths > 1.0) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "boundaries.%s: the sheet is %.3g skin depths thick at the sources' "
                          "highest frequency, so that its current is not the same all through it; "
                          "take the type film",
                          surface, depths);
    }
    p[SHEET_RESISTANCE] = p[0] > 0.0 ? p[0] : 1.0 / conductance;
    return SEDGE_OK;
}

static double find_loss(const double *mu, const double *mw, const double *n, const double *u,
                        const double *w, const double *p, double omega)
{
    (void)omega;
    return maxwell_sheet_loss(mu, mw, n, u, w, 1.0 / p[SHEET_RESISTANCE]);
}

const sedge_face_kind sedge_face_sheet = {
    .equation = "maxwell",
    .kind = {.name = "sheet",
             .function = "maxwell_sheet",
             .apply_two_sided = maxwell_sheet,
             .loss_two_sided = find_loss,
             .derive = derive,
             .header = "sheet_face.h",
             .header_text = sedge_text_sheet_face_h,
             .parameters = parameters,
             .parameter_count = sizeof parameters / sizeof *parameters,
             .text = "resistive or conductive sheet inside the mesh, thinner than the skin depth",
             .linear = true}};
