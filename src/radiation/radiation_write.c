#include "radiation.h"

#include "base/file.h"
#include "base/memory.h"
#include "io/json.h"
#include "monitor/output_describe.h"
#include "scattering/pattern.h"

#include <math.h>
#include <stdio.h>

#define DEGREE       (3.14159265358979323846 / 180.0)
#define SHOWN_LINES  8 // frequencies in the user's table
#define SHOWN_ANGLES 5

// To 1e-9 degrees: 15, not 14.999999999999998.
static double to_degrees(double angle)
{
    return round(angle / DEGREE * 1e9) / 1e9;
}

// Units of a length and of what is transformed, in those of the deck.
double sedge_radiation_length_unit(const sedge_output_context *context)
{
    return context->deck->si ? 1.0 / context->deck->equation->si[SEDGE_LENGTH] : 1.0;
}

static double area_unit(const sedge_output_context *context)
{
    return sedge_radiation_length_unit(context) * sedge_radiation_length_unit(context);
}

double sedge_radiation_field_unit(const sedge_output_context *context)
{
    return sedge_output_group_factor(context, &context->problem->equation->groups[0]) *
           sedge_deck_time_unit(context->deck) * sedge_radiation_length_unit(context);
}

static double power_unit(const sedge_output_context *context)
{
    const sedge_output_group *const groups = context->problem->equation->groups;
    const double time = sedge_deck_time_unit(context->deck);

    return sedge_output_group_factor(context, &groups[0]) *
           sedge_output_group_factor(context, &groups[1]) * time * time * area_unit(context);
}

static double show_frequency(const sedge_radiation *r, const sedge_output_context *context, int f)
{
    return sedge_deck_frequency(context->deck, r->deck->frequencies.value[f]);
}

// ---- datasets ----------------------------------------------------------------------------------

// What is written: a number for each frequency and direction, or for each frequency (d = 0).
typedef double quantity(const sedge_radiation *r, int f, int64_t d);

// One of a frequency.
#define OF_FREQUENCY(name, value)                                  \
    static double name(const sedge_radiation *r, int f, int64_t d) \
    {                                                              \
        (void)d;                                                   \
        return value;                                              \
    }

static double rcs_theta(const sedge_radiation *r, int f, int64_t d)
{
    double rcs[2];

    sedge_radiation_rcs(r, f, d, rcs);
    return rcs[0];
}

static double rcs_phi(const sedge_radiation *r, int f, int64_t d)
{
    double rcs[2];

    sedge_radiation_rcs(r, f, d, rcs);
    return rcs[1];
}

static double rcs_total(const sedge_radiation *r, int f, int64_t d)
{
    return rcs_theta(r, f, d) + rcs_phi(r, f, d);
}

static double monostatic(const sedge_radiation *r, int f, int64_t d)
{
    return rcs_total(r, f, r->directions + 0 * d);
}

OF_FREQUENCY(scattering, sedge_radiation_scattering(r, f))
OF_FREQUENCY(extinction, sedge_radiation_extinction(r, f))
static const double *exact_of(const sedge_radiation *r, int f, int64_t d)
{
    return r->exact[f * (r->directions + 2) + d];
}

static double exact_theta(const sedge_radiation *r, int f, int64_t d)
{
    return exact_of(r, f, d)[0];
}

static double exact_phi(const sedge_radiation *r, int f, int64_t d)
{
    return exact_of(r, f, d)[1];
}

static double exact_total(const sedge_radiation *r, int f, int64_t d)
{
    return exact_theta(r, f, d) + exact_phi(r, f, d);
}

static double exact_monostatic(const sedge_radiation *r, int f, int64_t d)
{
    return exact_total(r, f, r->directions + 0 * d);
}

OF_FREQUENCY(exact_scattering, r->section[f].scattering)
OF_FREQUENCY(exact_extinction, r->section[f].extinction)
static double axial_ratio(const sedge_radiation *r, int f, int64_t d)
{
    return sedge_pattern_axial_ratio(r->far[f * (r->directions + 2) + d]);
}

OF_FREQUENCY(power, r->power[f])
OF_FREQUENCY(flux, r->flux[f])
OF_FREQUENCY(power_ratio, r->flux[f] != 0.0 ? r->power[f] / r->flux[f] : (double)NAN)
static double greatest_intensity(const sedge_radiation *r, int f, int64_t d)
{
    double most = 0.0;

    (void)d;
    for (int64_t i = 0; i < r->directions; i++)
        most = fmax(most, sedge_radiation_intensity(r, f, i));
    return most;
}

OF_FREQUENCY(input, r->input[f])
OF_FREQUENCY(efficiency, sedge_radiation_efficiency(r, f))
OF_FREQUENCY(incoming, r->incoming[f])
OF_FREQUENCY(total_efficiency, sedge_radiation_total_efficiency(r, f))
typedef struct dataset {
    const char *name;
    quantity *find;
    bool directed; // for each direction
    double (*unit)(const sedge_output_context *context);
    const char *si;
} dataset;

static const dataset of_all[] = {
    {"axial_ratio", axial_ratio, true, NULL, NULL},
    {"flux", flux, false, power_unit, "W s2"},
};
static const dataset of_wave[] = {
    {"rcs_theta", rcs_theta, true, area_unit, "m^2"},
    {"rcs_phi", rcs_phi, true, area_unit, "m^2"},
    {"monostatic", monostatic, false, area_unit, "m^2"},
    {"scattering", scattering, false, area_unit, "m^2"},
    {"extinction", extinction, false, area_unit, "m^2"},
};
static const dataset of_exact[] = {
    {"exact/rcs_theta", exact_theta, true, area_unit, "m^2"},
    {"exact/rcs_phi", exact_phi, true, area_unit, "m^2"},
    {"exact/monostatic", exact_monostatic, false, area_unit, "m^2"},
    {"exact/scattering", exact_scattering, false, area_unit, "m^2"},
    {"exact/extinction", exact_extinction, false, area_unit, "m^2"},
};
static const dataset of_antenna[] = {
    {"directivity", sedge_radiation_directivity, true, NULL, NULL},
    {"power", power, false, power_unit, "W s2"},
};
static const dataset of_mixed[] = {
    {"intensity", sedge_radiation_intensity, true, power_unit, "W s2"},
    {"power", power, false, power_unit, "W s2"},
};
static const dataset of_fed[] = {
    {"gain", sedge_radiation_gain, true, NULL, NULL},
    {"efficiency", efficiency, false, NULL, NULL},
    {"input", input, false, power_unit, "W s2"},
};
static const dataset of_port[] = {
    {"realised_gain", sedge_radiation_realised_gain, true, NULL, NULL},
    {"total_efficiency", total_efficiency, false, NULL, NULL},
    {"incident_power", incoming, false, power_unit, "W s2"},
};
#define COUNT_OF(rows) ((int)(sizeof(rows) / sizeof((rows)[0])))

// Is the power known that comes to the antenna's port?
static bool has_port(const sedge_radiation *r)
{
    return r->fed && r->port != NULL;
}

static sedge_status put_all(const sedge_radiation *r, const sedge_output_context *context,
                            sedge_h5 *file, const char *folder, const dataset *rows, int count)
{
    const int64_t shape[3] = {r->frequencies, r->deck->theta.count, r->deck->phi.count};
    double *values = NULL;
    sedge_status status;

    SEDGE_TRY(sedge_allocate(&values, r->frequencies * r->directions, sizeof *values));
    for (int i = 0; i < count; i++) {
        const dataset *const row = &rows[i];
        const int64_t directions = row->directed ? r->directions : 1;
        const double unit = row->unit != NULL ? row->unit(context) : 1.0;
        char path[256];

        for (int f = 0; f < r->frequencies; f++) {
            for (int64_t d = 0; d < directions; d++)
                values[f * directions + d] = unit * row->find(r, f, d);
        }
        (void)snprintf(path, sizeof path, "%s/%s", folder, row->name);
        SEDGE_TRY_GOTO(
            status, sedge_h5_put(file, path, SEDGE_H5_F64, row->directed ? 3 : 1, shape, values));
        if (row->si == NULL) continue;
        SEDGE_TRY_GOTO(status,
                       sedge_h5_text(file, path, "units", sedge_output_unit(context, row->si)));
    }
    status = SEDGE_OK;
done:
    sedge_release(values);
    return status;
}

sedge_status sedge_radiation_put_angles(sedge_h5 *file, const char *folder, const char *name,
                                        const sedge_deck_angles *angles)
{
    const int64_t count = angles->count;
    double *values = NULL;
    char path[256];

    SEDGE_TRY(sedge_allocate(&values, count, sizeof *values));
    for (int64_t i = 0; i < count; i++)
        values[i] = to_degrees(angles->from + angles->step * (double)i);
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    sedge_status status = sedge_h5_put(file, path, SEDGE_H5_F64, 1, &count, values);
    if (status == SEDGE_OK) status = sedge_h5_text(file, path, "units", "degrees");
    sedge_release(values);
    return status;
}

// R E_theta and R E_phi.
static sedge_status put_fields(const sedge_radiation *r, const sedge_output_context *context,
                               sedge_h5 *file, const char *folder)
{
    const int64_t shape[3] = {r->frequencies, r->deck->theta.count, r->deck->phi.count};
    const char *const names[] = {"E_theta", "E_phi"};
    const double unit = sedge_radiation_field_unit(context);
    double complex *values = NULL;
    sedge_status status;

    SEDGE_TRY(sedge_allocate(&values, r->frequencies * r->directions, sizeof *values));
    for (int c = 0; c < 2; c++) {
        char path[256];

        for (int f = 0; f < r->frequencies; f++) {
            for (int64_t d = 0; d < r->directions; d++) {
                values[f * r->directions + d] = unit * r->far[f * (r->directions + 2) + d][c];
            }
        }
        (void)snprintf(path, sizeof path, "%s/%s", folder, names[c]);
        SEDGE_TRY_GOTO(status, sedge_h5_put(file, path, SEDGE_H5_COMPLEX, 3, shape, values));
        SEDGE_TRY_GOTO(status,
                       sedge_h5_text(file, path, "units", sedge_output_unit(context, "V s")));
    }
    status = SEDGE_OK;
done:
    sedge_release(values);
    return status;
}

sedge_status sedge_radiation_write(const sedge_radiation *radiation,
                                   const sedge_output_context *context, sedge_h5 *file,
                                   const char *folder)
{
    const sedge_radiation *const r = radiation;
    double centre[3];
    char path[256];

    for (int i = 0; i < 3; i++)
        centre[i] = r->deck->centre[i] * sedge_radiation_length_unit(context);
    SEDGE_TRY(sedge_h5_text(file, folder, "surface", r->deck->surface.name));
    SEDGE_TRY(sedge_h5_reals(file, folder, "centre", centre, 3));
    SEDGE_TRY(sedge_radiation_put_angles(file, folder, "theta", &r->deck->theta));
    SEDGE_TRY(sedge_radiation_put_angles(file, folder, "phi", &r->deck->phi));
    SEDGE_TRY(put_fields(r, context, file, folder));
    SEDGE_TRY(put_all(r, context, file, folder, of_all, COUNT_OF(of_all)));
    if (r->fed) SEDGE_TRY(put_all(r, context, file, folder, of_fed, COUNT_OF(of_fed)));
    if (has_port(r)) SEDGE_TRY(put_all(r, context, file, folder, of_port, COUNT_OF(of_port)));
    if (r->antenna) return put_all(r, context, file, folder, of_antenna, COUNT_OF(of_antenna));
    if (!r->incident) return put_all(r, context, file, folder, of_mixed, COUNT_OF(of_mixed));
    SEDGE_TRY(put_all(r, context, file, folder, of_wave, COUNT_OF(of_wave)));
    if (r->exact == NULL) return SEDGE_OK;
    (void)snprintf(path, sizeof path, "%s/exact", folder);
    SEDGE_TRY(sedge_h5_group(file, path));
    return put_all(r, context, file, folder, of_exact, COUNT_OF(of_exact));
}

// ---- the table of all numbers ------------------------------------------------------------------

static sedge_status add_line(const sedge_radiation *r, const sedge_output_context *context,
                             sedge_text *text, int f, int64_t d)
{
    const double complex *const far = r->far[f * (r->directions + 2) + d];
    const double unit = sedge_radiation_field_unit(context);

    SEDGE_TRY(sedge_text_add(
        text, "%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g", show_frequency(r, context, f),
        r->direction[d][0] / DEGREE, r->direction[d][1] / DEGREE, unit * creal(far[0]),
        unit * cimag(far[0]), unit * creal(far[1]), unit * cimag(far[1]), axial_ratio(r, f, d)));
    if (r->antenna) SEDGE_TRY(sedge_text_add(text, ",%.9g", sedge_radiation_directivity(r, f, d)));
    if (r->fed) SEDGE_TRY(sedge_text_add(text, ",%.9g", sedge_radiation_gain(r, f, d)));
    if (has_port(r))
        SEDGE_TRY(sedge_text_add(text, ",%.9g", sedge_radiation_realised_gain(r, f, d)));
    if (!r->incident && !r->antenna) {
        SEDGE_TRY(sedge_text_add(text, ",%.9g",
                                 power_unit(context) * sedge_radiation_intensity(r, f, d)));
    }
    if (!r->incident) return sedge_text_add(text, "\n");
    SEDGE_TRY(sedge_text_add(text, ",%.9g,%.9g", area_unit(context) * rcs_theta(r, f, d),
                             area_unit(context) * rcs_phi(r, f, d)));
    if (r->exact == NULL) return sedge_text_add(text, "\n");
    return sedge_text_add(text, ",%.9g,%.9g\n", area_unit(context) * exact_theta(r, f, d),
                          area_unit(context) * exact_phi(r, f, d));
}

sedge_status sedge_radiation_write_table(const sedge_radiation *radiation,
                                         const sedge_output_context *context, const char *path)
{
    const sedge_radiation *const r = radiation;
    sedge_text *text = NULL;
    sedge_status status;

    SEDGE_TRY(sedge_text_create(&text));
    SEDGE_TRY_GOTO(status,
                   sedge_text_add(text,
                                  "frequency,theta,phi,E_theta_re,E_theta_im,E_phi_re,E_phi_im,"
                                  "axial_ratio%s%s\n",
                                  r->incident   ? ",rcs_theta,rcs_phi"
                                  : has_port(r) ? ",directivity,gain,realised_gain"
                                  : r->fed      ? ",directivity,gain"
                                  : r->antenna  ? ",directivity"
                                                : ",intensity",
                                  r->exact != NULL ? ",exact_rcs_theta,exact_rcs_phi" : ""));
    for (int f = 0; f < r->frequencies; f++) {
        for (int64_t d = 0; d < r->directions; d++)
            SEDGE_TRY_GOTO(status, add_line(r, context, text, f, d));
    }
    status = sedge_file_write(path, sedge_text_get(text), sedge_text_length(text));
done:
    sedge_text_free(text);
    return status;
}

// ---- the report --------------------------------------------------------------------------------

// Line i of the user's table has this frequency.
static int shown_frequency(const sedge_radiation *r, int i, int lines)
{
    return lines > 1 ? (int)((int64_t)i * (r->frequencies - 1) / (lines - 1)) : 0;
}

// Is there one theta, with directions around the z axis? The table is by phi then.
static bool is_around(const sedge_radiation *r)
{
    return r->deck->theta.count == 1 && r->deck->phi.count > 1;
}

// The direction in column i of the user's table.
static int64_t shown_direction(const sedge_radiation *r, int i, int angles)
{
    const int count = is_around(r) ? r->deck->phi.count : r->deck->theta.count;
    const int64_t place = angles > 1 ? (int64_t)i * (count - 1) / (angles - 1) : 0;

    return is_around(r) ? place : place * r->deck->phi.count;
}

// Bistatic cross-sections in decibels of the deck's unit of area, and beside each the exact one.
static sedge_status add_sections(const sedge_radiation *r, const sedge_output_context *context,
                                 sedge_text *text, int f, int angles)
{
    const double unit = area_unit(context);

    for (int i = 0; i < angles; i++) {
        const int64_t d = shown_direction(r, i, angles);

        SEDGE_TRY(sedge_text_add(text, " %8.2f", sedge_pattern_decibel(unit * rcs_total(r, f, d))));
        if (r->exact == NULL) continue;
        SEDGE_TRY(
            sedge_text_add(text, " %8.2f", sedge_pattern_decibel(unit * exact_total(r, f, d))));
    }
    if (r->exact == NULL) return sedge_text_add(text, "\n");
    double difference = 0.0;
    SEDGE_TRY(sedge_radiation_difference(r, f, &difference));
    return sedge_text_add(text, " %8.3f\n", difference);
}

static sedge_status report_sections(const sedge_radiation *r, const sedge_output_context *context,
                                    sedge_text *text)
{
    const bool around = is_around(r);
    const int count = around ? r->deck->phi.count : r->deck->theta.count;
    const int angles = count < SHOWN_ANGLES ? count : SHOWN_ANGLES;
    const int lines = r->frequencies < SHOWN_LINES ? r->frequencies : SHOWN_LINES;

    SEDGE_TRY(sedge_text_add(
        text,
        "  %-22s bistatic cross-section in %s at %s = %g degrees, by %s%s\n"
        "    %12s",
        r->deck->name, context->deck->si ? "dBsm" : "dB", around ? "theta" : "phi",
        (around ? r->deck->theta.from : r->deck->phi.from) / DEGREE, around ? "phi" : "theta",
        r->exact != NULL ? ", each with the exact one" : "", "frequency"));
    for (int i = 0; i < angles; i++) {
        SEDGE_TRY(
            sedge_text_add(text, r->exact != NULL ? " %8g    exact" : " %8g",
                           r->direction[shown_direction(r, i, angles)][around ? 1 : 0] / DEGREE));
    }
    SEDGE_TRY(sedge_text_add(text, "%s\n", r->exact != NULL ? "   rms dB" : ""));
    for (int i = 0; i < lines; i++) {
        const int f = shown_frequency(r, i, lines);

        SEDGE_TRY(sedge_text_add(text, "    %12.6g", show_frequency(r, context, f)));
        SEDGE_TRY(add_sections(r, context, text, f, angles));
    }
    return SEDGE_OK;
}

// Scattering by the flux, extinction by the forward field, and beside each the exact one.
static sedge_status report_powers(const sedge_radiation *r, const sedge_output_context *context,
                                  sedge_text *text)
{
    const int lines = r->frequencies < SHOWN_LINES ? r->frequencies : SHOWN_LINES;
    const double unit = area_unit(context);
    const char *const exact = r->exact != NULL ? "      exact" : "";

    SEDGE_TRY(sedge_text_add(
        text, "  %-22s cross-sections%s\n    %12s  scattering%s  extinction%s\n", r->deck->name,
        context->deck->si ? " in m^2" : "", "frequency", exact, exact));
    for (int i = 0; i < lines; i++) {
        const int f = shown_frequency(r, i, lines);

        SEDGE_TRY(sedge_text_add(text, "    %12.6g %11.5g", show_frequency(r, context, f),
                                 unit * scattering(r, f, 0)));
        if (r->exact != NULL)
            SEDGE_TRY(sedge_text_add(text, " %10.5g", unit * exact_scattering(r, f, 0)));
        SEDGE_TRY(sedge_text_add(text, " %11.5g", unit * extinction(r, f, 0)));
        if (r->exact != NULL)
            SEDGE_TRY(sedge_text_add(text, " %10.5g", unit * exact_extinction(r, f, 0)));
        SEDGE_TRY(sedge_text_add(text, "\n"));
    }
    if (!r->total) return SEDGE_OK;
    return sedge_text_add(text, "    no scattering by flux: the surface has total fields\n");
}

static int64_t find_peak(const sedge_radiation *r, int f)
{
    int64_t peak = 0;

    for (int64_t d = 1; d < r->directions; d++) {
        if (sedge_radiation_directivity(r, f, d) > sedge_radiation_directivity(r, f, peak))
            peak = d;
    }
    return peak;
}

static sedge_status report_directivity(const sedge_radiation *r,
                                       const sedge_output_context *context, sedge_text *text)
{
    const int lines = r->frequencies < SHOWN_LINES ? r->frequencies : SHOWN_LINES;

    SEDGE_TRY(sedge_text_add(text,
                             "  %-22s greatest directivity; power far away over that through the "
                             "surface%s\n    %12s %8s %8s %8s %8s%s%s\n",
                             r->deck->name, r->fed ? ", and over that through its input" : "",
                             "frequency", "dBi", "theta", "phi", "power",
                             r->fed ? "  efficiency gain/dBi" : "",
                             has_port(r) ? "    total realised/dBi" : ""));
    for (int i = 0; i < lines; i++) {
        const int f = shown_frequency(r, i, lines);
        const int64_t d = find_peak(r, f);

        SEDGE_TRY(sedge_text_add(
            text, "    %12.6g %8.3f %8g %8g %8.4f", show_frequency(r, context, f),
            sedge_pattern_decibel(sedge_radiation_directivity(r, f, d)),
            r->direction[d][0] / DEGREE, r->direction[d][1] / DEGREE, power_ratio(r, f, 0)));
        if (r->fed) {
            SEDGE_TRY(sedge_text_add(text, " %11.4f %8.3f", sedge_radiation_efficiency(r, f),
                                     sedge_pattern_decibel(sedge_radiation_gain(r, f, d))));
        }
        if (has_port(r)) {
            SEDGE_TRY(
                sedge_text_add(text, " %8.4f %12.3f", sedge_radiation_total_efficiency(r, f),
                               sedge_pattern_decibel(sedge_radiation_realised_gain(r, f, d))));
        }
        SEDGE_TRY(sedge_text_add(text, "\n"));
    }
    if (!has_port(r)) return SEDGE_OK;
    return sedge_text_add(text, "    total, realised: with what the port reflects\n");
}

// Add a list of numbers, one a frequency.
static void add_list(const sedge_radiation *r, json_t *json, const char *name, quantity *find,
                     double unit)
{
    json_t *const list = json_array();

    for (int f = 0; f < r->frequencies; f++)
        (void)json_array_append_new(list, sedge_json_number(unit * find(r, f, 0)));
    (void)json_object_set_new(json, name, list);
}

OF_FREQUENCY(greatest, sedge_radiation_directivity(r, f, find_peak(r, f)))
OF_FREQUENCY(greatest_gain, sedge_radiation_gain(r, f, find_peak(r, f)))
OF_FREQUENCY(greatest_realised, sedge_radiation_realised_gain(r, f, find_peak(r, f)))
OF_FREQUENCY(peak_theta, to_degrees(r->direction[find_peak(r, f)][0]))
OF_FREQUENCY(peak_phi, to_degrees(r->direction[find_peak(r, f)][1]))
// Waves from several directions, or beside other sources.
static sedge_status report_power(const sedge_radiation *r, const sedge_output_context *context,
                                 sedge_text *text)
{
    const int lines = r->frequencies < SHOWN_LINES ? r->frequencies : SHOWN_LINES;
    const double unit = power_unit(context);

    SEDGE_TRY(sedge_text_add(text,
                             "  %-22s radiated power and greatest intensity (of all sources: "
                             "cross-sections are those of one direction)\n    %12s %11s %11s\n",
                             r->deck->name, "frequency", "power", "intensity"));
    for (int i = 0; i < lines; i++) {
        const int f = shown_frequency(r, i, lines);

        SEDGE_TRY(sedge_text_add(text, "    %12.6g %11.5g %11.5g\n", show_frequency(r, context, f),
                                 unit * r->power[f], unit * greatest_intensity(r, f, 0)));
    }
    return SEDGE_OK;
}

sedge_status sedge_radiation_report(const sedge_radiation *radiation,
                                    const sedge_output_context *context, sedge_text *text,
                                    json_t *json)
{
    const sedge_radiation *const r = radiation;
    json_t *const entry = json_object();
    json_t *const frequencies = json_array();
    const double area = area_unit(context);

    (void)json_object_set_new(json, r->deck->name, entry);
    for (int f = 0; f < r->frequencies; f++)
        (void)json_array_append_new(frequencies, sedge_json_number(show_frequency(r, context, f)));
    (void)json_object_set_new(entry, "frequency", frequencies);
    if (r->antenna) {
        add_list(r, entry, "directivity", greatest, 1.0);
        add_list(r, entry, "theta", peak_theta, 1.0);
        add_list(r, entry, "phi", peak_phi, 1.0);
        add_list(r, entry, "power_ratio", power_ratio, 1.0);
        if (r->fed) {
            add_list(r, entry, "gain", greatest_gain, 1.0);
            add_list(r, entry, "efficiency", efficiency, 1.0);
        }
        if (has_port(r)) {
            add_list(r, entry, "realised_gain", greatest_realised, 1.0);
            add_list(r, entry, "total_efficiency", total_efficiency, 1.0);
        }
        return report_directivity(r, context, text);
    }
    if (!r->incident) {
        add_list(r, entry, "power", power, power_unit(context));
        add_list(r, entry, "intensity", greatest_intensity, power_unit(context));
        return report_power(r, context, text);
    }
    const double *const back = r->direction[r->directions];
    double phi = sin(back[0]) > 1e-9 ? to_degrees(back[1]) : 0.0; // -180 is 180
    if (phi <= -180.0 + 1e-9) phi += 360.0;
    (void)json_object_set_new(
        entry, "backscatter",
        json_pack("{s:f, s:f}", "theta", to_degrees(back[0]), "phi", phi)); // degrees
    add_list(r, entry, "monostatic", monostatic, area);
    add_list(r, entry, "scattering", scattering, area);
    add_list(r, entry, "extinction", extinction, area);
    if (r->exact != NULL) {
        json_t *const differences = json_array();

        add_list(r, entry, "exact_monostatic", exact_monostatic, area);
        add_list(r, entry, "exact_scattering", exact_scattering, area);
        add_list(r, entry, "exact_extinction", exact_extinction, area);
        (void)json_object_set_new(entry, "rms_decibel", differences);
        for (int f = 0; f < r->frequencies; f++) {
            double difference = 0.0;
            SEDGE_TRY(sedge_radiation_difference(r, f, &difference));
            (void)json_array_append_new(differences, sedge_json_number(difference));
        }
    }
    SEDGE_TRY(report_sections(r, context, text));
    return report_powers(r, context, text);
}
