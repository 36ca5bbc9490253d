// Graphene below the frequencies of interband transitions: a sheet whose electrons have the
// relaxation time tau and the Drude weight
//   D = e^2 k T / (pi hbar^2) (F / (k T) + 2 ln(1 + exp(-F / (k T)))), conductance D tau,
// with F the Fermi level (Kubo formula; Hanson, J. Appl. Phys. 103, 064302, 2008).
#include "maxwell/maxwell.h"

#include "sheet_face.h"

#include "drude_sheet.h"

#include <math.h>

extern const char sedge_text_sheet_face_h[];

static const sedge_parameter parameters[] = {
    {.name = "fermi-level", .required = true, .positive = true, .text = "in electronvolts"},
    {.name = "relaxation-time",
     .required = true,
     .positive = true,
     .dimension = SEDGE_TIME,
     .text = "of the electrons"},
    {.name = "temperature", .fallback = {300.0}, .positive = true, .text = "in kelvins"},
};

// Code units have the metre as the unit of length (maxwell.c).
static sedge_status derive(const sedge_problem *problem, const char *surface, double *p)
{
    const double charge = 1.602176634e-19; // C
    const double boltzmann = 1.380649e-23; // J/K
    const double hbar = 1.054571817e-34;   // J s
    const double pi = 3.14159265358979323846;
    const double *const si = problem->equation->si;
    const double thermal = boltzmann * p[2]; // J
    const double level = p[0] * charge / thermal;
    const double weight =
        charge * charge * thermal / (pi * hbar * hbar) * (level + 2.0 * log1p(exp(-level)));

    p[DRUDE_TIME] = p[1];
    p[DRUDE_RESISTANCE] = si[SEDGE_RESISTANCE] / (weight * p[1] / si[SEDGE_TIME]);
    (void)surface;
    return SEDGE_OK;
}

DRUDE_SHEET(graphene, "graphene",
            "graphene inside the mesh, below the frequencies of interband transitions; in "
            "normalised units the unit of length is the metre");
