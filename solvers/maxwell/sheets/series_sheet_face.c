// A sheet of a resistor, an inductor and a capacitor in series: R + i omega L + 1 / (i omega C).
#include "circuit_sheet.h"

extern const char sedge_text_sheet_face_h[];

static const sedge_parameter parameters[] = {
    CIRCUIT_KEYS("per square, of the resistor", "per square, of the inductor; 0: there is none",
                 "per square, of the capacitor; 0: there is none")};

// With the least Y + Y' that the own side knows of where it is the drag of the inductor, and the
// greatest of the two sides where it charges the capacitor.
static double find_rate(const double *m, const double *p)
{
    const double l = p[CIRCUIT_INDUCTANCE];
    const double c = p[CIRCUIT_CAPACITANCE];
    const double y = 2.0 * m[MAXWELL_Y];

    if (!(l > 0.0)) return y / (c * (1.0 + p[CIRCUIT_RESISTANCE] * y));
    return circuit_rate((p[CIRCUIT_RESISTANCE] + m[MAXWELL_Z]) / l, c > 0.0 ? 1.0 / (l * c) : 0.0);
}

static double find_loss(const double *mu, const double *mw, const double *n, const double *u,
                        const double *w, const double *p, double omega)
{
    double complex impedance =
        p[CIRCUIT_RESISTANCE] + omega * p[CIRCUIT_INDUCTANCE] * (double complex)_Complex_I;

    if (p[CIRCUIT_CAPACITANCE] > 0.0)
        impedance -= (double complex)_Complex_I / (omega * p[CIRCUIT_CAPACITANCE]);
    return maxwell_sheet_loss(mu, mw, n, u, w, 1.0 / impedance);
}

// Each side knows the current and the voltage, and has half of the energy.
static void find_energy(const double *p, double *weights)
{
    for (int i = 0; i < 3; i++) {
        weights[i] = 0.5 * p[CIRCUIT_INDUCTANCE];
        weights[3 + i] = 0.5 * p[CIRCUIT_CAPACITANCE];
    }
}

CIRCUIT_SHEET(series_sheet, "series-sheet",
              "sheet inside the mesh with the impedance resistance + i omega inductance + 1 / (i "
              "omega capacitance) per square, such as a grid of strips with gaps");
