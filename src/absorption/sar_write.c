#include "sar.h"

#include "base/memory.h"
#include "base/text.h"
#include "io/json.h"
#include "monitor/output_describe.h"

#include <jansson.h>

#include <math.h>
#include <stdio.h>

#define SHOWN_LINES 8 // frequencies in the user's table

// From code units to those of the deck at frequency k.
static double find_factor(const sedge_sar *sar, const sedge_spectrum *spectrum, double signal_unit,
                          int k)
{
    const sedge_absorption_kind kind =
        spectrum->normalised ? SEDGE_ABSORBED_NORMALISED : SEDGE_ABSORBED_POWER;

    return sedge_absorption_factor(sar->absorption, spectrum, kind, signal_unit, k) /
           sar->absorption->context->deck->copies;
}

static const char *find_unit(const sedge_spectrum *spectrum)
{
    return spectrum->normalised ? "W/kg" : "W s2/kg";
}

// ---- the file ----------------------------------------------------------------------------------

// What is being written.
typedef struct sar_writer {
    const sedge_sar *sar;
    const sedge_spectrum *spectrum;
    double signal_unit;
    sedge_h5 *file;
    const char *folder;
    double *room; // [groups + 1][frequencies]
} sar_writer;

// A dataset NAME of `rows` rows of rates [rows][frequencies].
static sedge_status put_rates(const sar_writer *writer, const char *name, int rows,
                              const double *rates)
{
    const int count = writer->spectrum->frequencies->count;
    const int64_t shape[2] = {rows > 1 ? rows : count, count};
    char path[256];

    for (int i = 0; i < rows * count; i++) {
        writer->room[i] =
            rates[i] * find_factor(writer->sar, writer->spectrum, writer->signal_unit, i % count);
    }
    (void)snprintf(path, sizeof path, "%s/%s", writer->folder, name);
    SEDGE_TRY(
        sedge_h5_put(writer->file, path, SEDGE_H5_F64, rows > 1 ? 2 : 1, shape, writer->room));
    return sedge_h5_text(writer->file, path, "units", find_unit(writer->spectrum));
}

// The datasets sar_NAME [frequencies] and sar_NAME_place [frequencies][3].
static sedge_status put_largest(const sar_writer *writer, const char *name,
                                const sedge_sar_largest *largest)
{
    const int64_t shape[2] = {writer->spectrum->frequencies->count, 3};
    char dataset[64];
    char path[256];

    (void)snprintf(dataset, sizeof dataset, "sar_%s", name);
    SEDGE_TRY(put_rates(writer, dataset, 1, largest->value));
    (void)snprintf(path, sizeof path, "%s/%s_place", writer->folder, dataset);
    SEDGE_TRY(sedge_h5_put(writer->file, path, SEDGE_H5_F64, 2, shape, largest->place));
    return sedge_h5_text(writer->file, path, "units", "m");
}

sedge_status sedge_sar_write(const sedge_sar *sar, const sedge_spectrum *spectrum,
                             double signal_unit, sedge_h5 *file, const char *folder)
{
    const sedge_absorption *const absorption = sar->absorption;
    const int groups = absorption->groups + 1;
    sar_writer writer = {.sar = sar,
                         .spectrum = spectrum,
                         .signal_unit = signal_unit,
                         .file = file,
                         .folder = folder};
    sedge_status status;

    SEDGE_TRY_GOTO(status,
                   sedge_allocate(&writer.room, (int64_t)groups * spectrum->frequencies->count,
                                  sizeof *writer.room));
    SEDGE_TRY_GOTO(status, put_rates(&writer, "sar_mean", groups, sar->mean));
    SEDGE_TRY_GOTO(status, put_largest(&writer, "element", &sar->element));
    for (int m = 0; m < SEDGE_SAR_MASSES; m++)
        SEDGE_TRY_GOTO(status, put_largest(&writer, sedge_sar_names[m], &sar->average[m]));
    SEDGE_TRY_GOTO(status, sedge_h5_reals(file, folder, "mass_density", absorption->mass_density,
                                          absorption->groups));
    SEDGE_TRY_GOTO(
        status, sedge_h5_real(file, folder, "mass", sar->mass * absorption->context->deck->copies));
    status = sedge_h5_real(file, folder, "sar_grid", sar->spacing);
done:
    sedge_release(writer.room);
    return status;
}

// ---- the report --------------------------------------------------------------------------------

static json_t *list_rates(const sedge_sar *sar, const sedge_spectrum *spectrum, double signal_unit,
                          const double *rates)
{
    json_t *const list = json_array();

    for (int k = 0; k < spectrum->frequencies->count; k++) {
        const double factor = find_factor(sar, spectrum, signal_unit, k);
        (void)json_array_append_new(list, sedge_json_number(factor * rates[k]));
    }
    return list;
}

static json_t *list_largest(const sedge_sar *sar, const sedge_spectrum *spectrum,
                            double signal_unit, const sedge_sar_largest *largest)
{
    json_t *const of = json_object();
    json_t *const places = json_array();

    (void)json_object_set_new(of, "largest",
                              list_rates(sar, spectrum, signal_unit, largest->value));
    (void)json_object_set_new(of, "place", places);
    for (int k = 0; k < spectrum->frequencies->count; k++) {
        json_t *const place = json_array();
        for (int d = 0; d < 3; d++)
            (void)json_array_append_new(place, sedge_json_number(largest->place[k][d]));
        (void)json_array_append_new(places, place);
    }
    return of;
}

static void add_numbers(const sedge_sar *sar, const sedge_spectrum *spectrum, double signal_unit,
                        json_t *json)
{
    const sedge_absorption *const absorption = sar->absorption;
    const ptrdiff_t count = spectrum->frequencies->count;
    json_t *const of = json_object();
    json_t *const groups = json_object();

    (void)json_object_set_new(json, "sar", of);
    (void)json_object_set_new(of, "unit", sedge_json_text(find_unit(spectrum)));
    (void)json_object_set_new(of, "mass",
                              sedge_json_number(sar->mass * absorption->context->deck->copies));
    (void)json_object_set_new(of, "grid", sedge_json_number(sar->spacing));
    (void)json_object_set_new(
        of, "mean", list_rates(sar, spectrum, signal_unit, sar->mean + absorption->groups * count));
    (void)json_object_set_new(of, "groups", groups);
    for (int g = 0; g < absorption->groups; g++) {
        const char *const name =
            absorption->context->mesh->groups.volume_names[absorption->volume[g]];
        if (!(absorption->mass_density[g] > 0.0)) continue;
        (void)json_object_set_new(groups, name,
                                  list_rates(sar, spectrum, signal_unit, sar->mean + g * count));
    }
    (void)json_object_set_new(of, "element",
                              list_largest(sar, spectrum, signal_unit, &sar->element));
    for (int m = 0; m < SEDGE_SAR_MASSES; m++) {
        json_t *const average = list_largest(sar, spectrum, signal_unit, &sar->average[m]);
        (void)json_object_set_new(average, "uncovered", sedge_json_number(sar->uncovered[m]));
        (void)json_object_set_new(of, sedge_sar_names[m], average);
    }
}

sedge_status sedge_sar_report(const sedge_sar *sar, const sedge_spectrum *spectrum,
                              double signal_unit, sedge_text *text, json_t *json)
{
    const sedge_absorption *const absorption = sar->absorption;
    const int count = spectrum->frequencies->count;
    const int lines = count < SHOWN_LINES ? count : SHOWN_LINES;
    const double *const mean = sar->mean + (ptrdiff_t)absorption->groups * count;

    add_numbers(sar, spectrum, signal_unit, json);
    SEDGE_TRY(sedge_text_add(
        text,
        "  %-22s SAR in %s%s: the mean of %.4g kg, and the largest of an element, over 1 g, over "
        "10 g\n    %12s %12s %12s %12s %12s\n",
        absorption->deck->name, find_unit(spectrum),
        spectrum->normalised ? ", for sources of amplitude 1" : ", of the fields' transforms",
        sar->mass * absorption->context->deck->copies, "frequency", "mean", "element", "1 g",
        "10 g"));
    for (int line = 0; line < lines; line++) {
        const int k = (int)((int64_t)line * (count - 1) / (lines > 1 ? lines - 1 : 1));
        const double factor = find_factor(sar, spectrum, signal_unit, k);

        SEDGE_TRY(sedge_text_add(
            text, "    %12.6g %12.5g %12.5g %12.5g %12.5g\n",
            sedge_deck_frequency(absorption->context->deck, spectrum->frequencies->value[k]),
            factor * mean[k], factor * sar->element.value[k], factor * sar->average[0].value[k],
            factor * sar->average[1].value[k]));
    }
    return SEDGE_OK;
}
