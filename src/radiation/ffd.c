#include "ffd.h"

#include "base/file.h"
#include "monitor/output_describe.h"

#include <math.h>

#define DEGREE (3.14159265358979323846 / 180.0)

static sedge_status add_angles(sedge_text *text, const sedge_deck_angles *angles)
{
    const double last = angles->from + angles->step * (double)(angles->count - 1);

    return sedge_text_add(text, "%.12g %.12g %d\n", angles->from / DEGREE, last / DEGREE,
                          angles->count);
}

// By what the transforms at frequency f are divided; 0: the signal is too weak there.
static double complex find_divisor(const sedge_output_context *context,
                                   const sedge_sampling *sampling, const sedge_spectrum *spectrum,
                                   int64_t f)
{
    const double unit = sampling->signal_unit * sedge_deck_time_unit(context->deck);
    const double *const signal = spectrum->incident;
    double peak = 0.0;

    if (!spectrum->normalised) return 1.0;
    for (int64_t k = 0; k < spectrum->frequencies->count; k++)
        peak = fmax(peak, hypot(signal[2 * k], signal[2 * k + 1]));
    if (!(hypot(signal[2 * f], signal[2 * f + 1]) >= context->deck->frequency_floor * peak))
        return 0.0;
    return unit * (signal[2 * f] + (double complex)_Complex_I * signal[2 * f + 1]);
}

static sedge_status add_frequency(const sedge_radiation *r, const sedge_output_context *context,
                                  sedge_text *text, int f, double complex divisor)
{
    const double complex factor = sedge_radiation_field_unit(context) / divisor;
    const double frequency = sedge_deck_frequency(context->deck, r->deck->frequencies.value[f]);

    SEDGE_TRY(sedge_text_add(text, "Frequency %.12g\n", frequency));
    for (int64_t d = 0; d < r->directions; d++) {
        const double complex *const far = r->far[f * (r->directions + 2) + d];

        SEDGE_TRY(sedge_text_add(text, "%.9e %.9e %.9e %.9e\n", creal(factor * far[0]),
                                 cimag(factor * far[0]), creal(factor * far[1]),
                                 cimag(factor * far[1])));
    }
    return SEDGE_OK;
}

sedge_status sedge_radiation_write_ffd(const sedge_radiation *radiation,
                                       const sedge_output_context *context,
                                       const sedge_sampling *sampling,
                                       const sedge_spectrum *spectrum, const char *path)
{
    const sedge_radiation *const r = radiation;
    sedge_text *text = NULL;
    sedge_status status;
    int count = 0;

    for (int f = 0; f < r->frequencies; f++)
        if (cabs(find_divisor(context, sampling, spectrum, f)) > 0.0) count++;
    SEDGE_TRY(sedge_text_create(&text));
    SEDGE_TRY_GOTO(status, add_angles(text, &r->deck->theta));
    SEDGE_TRY_GOTO(status, add_angles(text, &r->deck->phi));
    SEDGE_TRY_GOTO(status, sedge_text_add(text, "Frequencies %d\n", count));
    for (int f = 0; f < r->frequencies; f++) {
        const double complex divisor = find_divisor(context, sampling, spectrum, f);

        if (!(cabs(divisor) > 0.0)) continue;
        SEDGE_TRY_GOTO(status, add_frequency(r, context, text, f, divisor));
    }
    status = sedge_file_write(path, sedge_text_get(text), sedge_text_length(text));
done:
    sedge_text_free(text);
    return status;
}
