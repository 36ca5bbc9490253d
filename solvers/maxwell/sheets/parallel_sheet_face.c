// A sheet of a resistor, an inductor and a capacitor side by side: 1 / R + 1 / (i omega L) + i
// omega C.
#include "circuit_sheet.h"

extern const char sedge_text_sheet_face_h[];

static const sedge_parameter parameters[] = {
    CIRCUIT_KEYS("per square, of the resistor; 0: there is none",
                 "per square, of the inductor; 0: there is none",
                 "per square, of the capacitor; 0: there is none")};

// With the greatest Y + Y' of the two sides where it discharges the capacitor, and the least that
// the own side knows of where it charges the inductor.
static double find_rate(const double *m, const double *p)
{
    const double l = p[CIRCUIT_INDUCTANCE];
    const double c = p[CIRCUIT_CAPACITANCE];
    const double conductance = p[CIRCUIT_RESISTANCE] > 0.0 ? 1.0 / p[CIRCUIT_RESISTANCE] : 0.0;

    if (!(c > 0.0)) return 1.0 / (l * (m[MAXWELL_Y] + conductance));
    return circuit_rate((2.0 * m[MAXWELL_Y] + conductance) / c, l > 0.0 ? 1.0 / (l * c) : 0.0);
}

static double find_loss(const double *mu, const double *mw, const double *n, const double *u,
                        const double *w, const double *p, double omega)
{
    double complex admittance = omega * p[CIRCUIT_CAPACITANCE] * (double complex)_Complex_I;

    if (p[CIRCUIT_RESISTANCE] > 0.0) admittance += 1.0 / p[CIRCUIT_RESISTANCE];
    if (p[CIRCUIT_INDUCTANCE] > 0.0)
        admittance -= (double complex)_Complex_I / (omega * p[CIRCUIT_INDUCTANCE]);
    return maxwell_sheet_loss(mu, mw, n, u, w, admittance);
}

// Each side knows the current and the voltage, and has half of the energy.
static void find_energy(const double *p, double *weights)
{
    for (int i = 0; i < 3; i++) {
        weights[i] = 0.5 * p[CIRCUIT_INDUCTANCE];
        weights[3 + i] = 0.5 * p[CIRCUIT_CAPACITANCE];
    }
}

CIRCUIT_SHEET(parallel_sheet, "parallel-sheet",
              "sheet inside the mesh with the admittance 1 / resistance + 1 / (i omega "
              "inductance) + i omega capacitance per square, such as a mesh of wires with patches");
