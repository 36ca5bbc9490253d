// A sheet whose conductance falls with the frequency, 1 / (R (1 + i omega tau)).
#include "maxwell/maxwell.h"

#include "sheet_face.h"

#include "drude_sheet.h"

extern const char sedge_text_sheet_face_h[];

static const sedge_parameter parameters[] = {
    {.name = "resistance",
     .required = true,
     .positive = true,
     .dimension = SEDGE_RESISTANCE,
     .text = "per square, at low frequencies"},
    {.name = "relaxation-time",
     .required = true,
     .positive = true,
     .dimension = SEDGE_TIME,
     .text = "of the current: inductance per square by resistance"},
};

static sedge_status derive(const sedge_problem *problem, const char *surface, double *p)
{
    p[DRUDE_RESISTANCE] = p[0];
    p[DRUDE_TIME] = p[1];
    (void)problem, (void)surface;
    return SEDGE_OK;
}

DRUDE_SHEET(drude_sheet, "drude-sheet",
            "sheet inside the mesh with a resistance and an inductance: its conductance is 1 / "
            "(resistance (1 + i omega relaxation-time))");
