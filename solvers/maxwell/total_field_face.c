// A closed surface through which plane waves enter: total fields inside, scattered fields outside.
#include "maxwell.h"

#include "total_field_face.h"

#include <math.h>
#include <string.h>

extern const char sedge_text_total_field_face_h[];

static void set_wave(double *wave, const double *p, const double *m)
{
    const double *const k = p + WAVE_DIRECTION;
    const double *const e = p + WAVE_POLARISATION;
    const double length = sqrt(k[0] * k[0] + k[1] * k[1] + k[2] * k[2]);
    const double speed = sqrt(m[MAXWELL_INVERSE_EPSILON] * m[MAXWELL_INVERSE_MU]);

    for (int i = 0; i < 3; i++) {
        const double h = k[(i + 1) % 3] * e[(i + 2) % 3] - k[(i + 2) % 3] * e[(i + 1) % 3];
        wave[TOTAL_FIELD_SLOWNESS + i] = k[i] / (length * speed);
        wave[TOTAL_FIELD_ORIGIN + i] = p[WAVE_ORIGIN + i];
        wave[TOTAL_FIELD_E + i] = e[i];
        wave[TOTAL_FIELD_H + i] = m[MAXWELL_Y] * h / length;
    }
    memcpy(wave + TOTAL_FIELD_SIGNAL, p + WAVE_SIGNAL, SEDGE_SIGNAL_VALUES * sizeof *wave);
}

enum { SAMPLES = 1000000 };
#define LIMIT 1e-5 // of the amplitude, that may have passed

// At time 0 no wave may have reached the box around the surface: what has passed would be missing.
// The signal at the box's first corner is that of all times until it is there.
static sedge_status check_start(const double *wave, int number, double bounds[2][3])
{
    const double *const signal = wave + TOTAL_FIELD_SIGNAL;
    double early = 0.0; // the time since the wave was at the first corner
    double most = 0.0;
    double most_ever = fabs(signal[1]);

    for (int d = 0; d < 3; d++) {
        const double s = wave[TOTAL_FIELD_SLOWNESS + d];
        early -= s * (bounds[s > 0.0 ? 0 : 1][d] - wave[TOTAL_FIELD_ORIGIN + d]);
    }
    // Ten samples in a period of the highest frequency; of a signal that repeats for so long that
    // they are too many, the first.
    const double step = 0.1 / sedge_signal_kind_of(signal)->frequency(signal);
    for (int i = 0; early > 0.0 && i < SAMPLES && (i - 1) * step < early; i++)
        most = fmax(most, fabs(sedge_signal(signal, fmin(i * step, early))));
    if (most <= LIMIT * most_ever) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "the plane wave %d has reached the total-field surface before the run starts "
                      "(its signal was up to %.2g of its amplitude there): begin it later by at "
                      "least %.6g (code units of time), by its delay or by an origin further back",
                      number, most / most_ever, early);
}

static sedge_status feed(const sedge_problem *problem, const double *m, double bounds[2][3],
                         double *c, int *count)
{
    double *wave = c + 1;

    c[0] = problem->incident_count;
    for (int i = 0; i < problem->incident_count; i++) {
        set_wave(wave, problem->incidents[i].parameters, m);
        SEDGE_TRY(check_start(wave, i, bounds));
        wave += TOTAL_FIELD_VALUES;
    }
    *count = (int)(wave - c);
    return SEDGE_OK;
}

const sedge_face_kind sedge_face_total_field = {
    .equation = "maxwell",
    .kind = {.name = "total-field",
             .function = "maxwell_total_field",
             .apply_two_sided = maxwell_total_field,
             .header = "total_field_face.h",
             .header_text = sedge_text_total_field_face_h,
             .text = "closed surface inside the mesh through which all plane-wave sources enter: "
                     "inside it the fields are the total ones, outside the scattered ones",
             .feed = feed}};
