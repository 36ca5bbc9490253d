// A wall with a given rational impedance, R + sum_k R_k i f / (i f + f_k): the resistor R, in
// series with resistors R_k that have inductors R_k / (2 pi f_k) beside them. The law is that of
// maxwell_conductor, with these numbers in place of a fit.
#include "maxwell/maxwell.h"

#include "sheet_face.h"

#include "wall_fit.h"

#include <math.h>
#include <stdio.h>

#define PI    3.14159265358979323846
#define TERMS 3

extern const char sedge_text_sheet_face_h[];

enum { CONSTANT, RESISTANCES, FREQUENCIES = RESISTANCES + TERMS };
_Static_assert(FREQUENCIES + TERMS <= WALL_POLE + 1,
               "numbers of the deck before those of the wall");

static const sedge_parameter parameters[] = {
    {.name = "resistance",
     .maximum = HUGE_VAL,
     .dimension = SEDGE_RESISTANCE,
     .text = "R, the impedance at low frequencies"},
    {.name = "resistances",
     .type = SEDGE_PARAMETER_VECTOR,
     .required = true,
     .maximum = HUGE_VAL,
     .dimension = SEDGE_RESISTANCE,
     .text = "R_1, R_2, R_3, what terms add at high frequencies; 0: there is no such term"},
    {.name = "frequencies",
     .type = SEDGE_PARAMETER_VECTOR,
     .required = true,
     .maximum = HUGE_VAL,
     .dimension = SEDGE_FREQUENCY,
     .text = "f_1, f_2, f_3, where terms are half as large; of a term with resistance 0 any"},
};

// The terms in the order of their frequencies: the rate of a wall is that of its last pole.
static sedge_status derive(const sedge_problem *problem, const char *surface, double *p)
{
    double resistance[TERMS], frequency[TERMS];
    const double constant = p[CONSTANT];
    int count = 0;

    (void)problem;
    for (int k = 0; k < TERMS; k++) {
        int at = count;

        if (!(p[RESISTANCES + k] > 0.0)) continue;
        if (!(p[FREQUENCIES + k] > 0.0)) {
            return SEDGE_FAIL(SEDGE_ERR_USAGE,
                              "boundaries.%s: term %d has a resistance, and its frequency is 0: it "
                              "would be a resistor alone, part of 'resistance'",
                              surface, k + 1);
        }
        for (; at > 0 && frequency[at - 1] > p[FREQUENCIES + k]; at--) {
            resistance[at] = resistance[at - 1];
            frequency[at] = frequency[at - 1];
        }
        resistance[at] = p[RESISTANCES + k];
        frequency[at] = p[FREQUENCIES + k];
        count++;
    }
    if (count == 0) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "boundaries.%s: no term has a resistance; a wall with a real impedance "
                          "has the type impedance",
                          surface);
    }
    for (int i = WALL_POLES; i < SEDGE_MAX_VALUES; i++) p[i] = 0.0;
    p[WALL_POLES] = count;
    p[WALL_CONSTANT] = constant;
    for (int k = 0; k < count; k++) {
        p[WALL_POLE + 3 * k] = 2.0 * PI * frequency[k];
        p[WALL_POLE + 3 * k + 1] = resistance[k];
    }
    return SEDGE_OK;
}

static void describe(char text[160], const double *p, double hertz)
{
    (void)hertz;
    (void)snprintf(text, 160, "impedance of %d term%s", (int)p[WALL_POLES],
                   p[WALL_POLES] > 1.0 ? "s" : "");
}

const sedge_face_kind sedge_face_rational = {
    .equation = "maxwell",
    .kind = {.name = "rational",
             .function = "maxwell_conductor",
             .memory = 3 * WALL_MOST,
             .apply_memory = maxwell_conductor,
             .rate = maxwell_wall_rate,
             .energy = maxwell_wall_energy,
             .derive = derive,
             .describe = describe,
             .header = "sheet_face.h",
             .header_text = sedge_text_sheet_face_h,
             .parameters = parameters,
             .parameter_count = sizeof parameters / sizeof *parameters,
             .text = "wall with the impedance R + sum of R_k i f / (i f + f_k) at the frequency f; "
                     "inside the mesh each side has its own"}};
