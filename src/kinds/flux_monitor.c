// flux.h5: the energy flux through surfaces over time, /time and /flux/NAME [samples], the integral
// of n.(E x H) over the quadrature points of faces (monitor/face_points.h); inside the mesh the
// mean of the fluxes on both sides.
//
// flux_spectra.h5: at the frequencies, written when the run has come to its end:
// /flux/NAME/frequency and power [frequencies], the integral of 1/2 Re n.(E x H*) of the fields'
// transforms (monitor/spectrum.h); with a signal also incident, complex, and power_normalised,
// which is power divided by |incident|^2. In a cell of a periodic structure also part, order,
// order_k, order_part and order_E (radiation/floquet.h), and a table for the user.
#include "dg/monitor_kind.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "io/json.h"
#include "monitor/face_points.h"
#include "monitor/output_describe.h"
#include "monitor/output_folder.h"
#include "monitor/sample.h"
#include "monitor/series.h"
#include "monitor/transforms.h"
#include "radiation/floquet.h"

#include <jansson.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ENTRY_BYTES 16384 // what describes an entry in a file, beside its numbers

#define SHOWN_LINES   8 // frequencies in the user's table
#define SHOWN_COLUMNS 6 // surfaces

typedef struct flux_entry {
    const sedge_deck_flux *deck;
    sedge_face_points faces;
    const sedge_spectrum *spectrum; // of the transforms; only where the deck gives frequencies
    double *sides;                  // [sides] flux through each
    sedge_floquet floquet; // when the run has come to its end, of a cell of a periodic structure
} flux_entry;

typedef struct flux_monitor {
    sedge_transforms transforms;
    int64_t samples;
    int count;
    flux_entry *entries; // [count]
} flux_monitor;

static bool has_spectrum(const flux_entry *entry)
{
    return entry->deck->frequencies.count > 0;
}

static uint64_t hash_place(const sedge_deck_flux *deck)
{
    return sedge_hash_quick(0, deck->surface.name, sizeof deck->surface.name);
}

// Watts, or code units, of a unit of power: of fields, or with `seconds` of their transforms,
// through the surface and its mirror images.
static double power_unit(const sedge_output_context *context, bool seconds)
{
    const sedge_output_group *const groups = context->problem->equation->groups;
    const double time = seconds ? sedge_deck_time_unit(context->deck) : 1.0;

    return sedge_output_group_factor(context, &groups[0]) *
           sedge_output_group_factor(context, &groups[1]) * time * time * context->deck->copies;
}

// ---- making ------------------------------------------------------------------------------------

static sedge_status make_file(const void *what, sedge_h5 *file)
{
    const sedge_output_context *const context = what;

    SEDGE_TRY(sedge_output_describe(file, context, "flux"));
    SEDGE_TRY(sedge_h5_series(file, "/time", SEDGE_H5_F64, 0, NULL, 1024));
    SEDGE_TRY(sedge_h5_text(file, "/time", "units", sedge_output_unit(context, "s")));
    SEDGE_TRY(sedge_h5_group(file, "/flux"));
    for (int i = 0; i < context->deck->flux_count; i++) {
        char path[128];

        (void)snprintf(path, sizeof path, "/flux/%s", context->deck->fluxes[i].name);
        SEDGE_TRY(sedge_h5_series(file, path, SEDGE_H5_F64, 0, NULL, 1024));
        SEDGE_TRY(sedge_h5_text(file, path, "units", sedge_output_unit(context, "W")));
    }
    return SEDGE_OK;
}

static void release(void *what)
{
    flux_monitor *const monitor = what;

    if (monitor == NULL) return;
    sedge_transforms_clear(&monitor->transforms);
    for (int i = 0; i < monitor->count; i++) {
        sedge_face_points_clear(&monitor->entries[i].faces);
        sedge_release(monitor->entries[i].sides);
        sedge_floquet_clear(&monitor->entries[i].floquet);
    }
    sedge_release(monitor->entries);
    sedge_release(monitor);
}

static sedge_status create_entry(flux_monitor *monitor, const sedge_deck_flux *deck,
                                 const json_t *memory)
{
    const sedge_output_context *const context = monitor->transforms.context;
    flux_entry *const entry = &monitor->entries[monitor->count];
    const sedge_face_points *const faces = &entry->faces;
    char origin[SEDGE_DECK_ORIGIN];
    char where[SEDGE_DECK_ORIGIN + 128];

    entry->deck = deck;
    entry->spectrum = &monitor->transforms.spectrum[monitor->count++];
    sedge_deck_origin(origin, context->deck, "monitors.flux", deck->name);
    (void)snprintf(where, sizeof where, "%s: monitors.flux.%s", origin, deck->name);
    SEDGE_TRY(sedge_face_points_create(&entry->faces, context, &deck->surface, where));
    SEDGE_TRY(sedge_comm_agree(
        context->comm, sedge_allocate(&entry->sides, entry->faces.sides, sizeof *entry->sides)));
    return sedge_transforms_add_faces(&monitor->transforms,
                                      (sedge_transform_entry){.name = deck->name,
                                                              .line = deck->line,
                                                              .place = hash_place(deck),
                                                              .frequencies = &deck->frequencies},
                                      faces, memory);
}

// The points of all entries, and the file.
static sedge_status complete(flux_monitor *monitor, const json_t *memory)
{
    const sedge_output_context *const context = monitor->transforms.context;

    SEDGE_TRY(sedge_transforms_complete(&monitor->transforms, memory));
    // The file of another folder is new, whatever the sums.
    SEDGE_TRY(sedge_series_load(&monitor->samples, context->continues ? memory : NULL, "flux"));
    if (context->checks || !sedge_comm_is_root(context->comm)) return SEDGE_OK;
    return sedge_series_make(context, "flux.h5", (int64_t)monitor->count * ENTRY_BYTES,
                             monitor->samples, make_file, context);
}

static sedge_status create(void **out, const sedge_output_context *context,
                           const double *parameters, const json_t *memory)
{
    const sedge_deck *const deck = context->deck;
    const sedge_comm *const comm = context->comm;
    flux_monitor *monitor = NULL;
    sedge_status status;

    (void)parameters;
    *out = NULL;
    status = sedge_allocate(&monitor, 1, sizeof *monitor);
    if (status == SEDGE_OK)
        status = sedge_allocate(&monitor->entries, deck->flux_count, sizeof *monitor->entries);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    SEDGE_TRY_GOTO(status,
                   sedge_transforms_create(&monitor->transforms, context, deck->flux_count));
    for (int i = 0; i < deck->flux_count; i++)
        SEDGE_TRY_GOTO(status, create_entry(monitor, &deck->fluxes[i], memory));
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, complete(monitor, memory)));
    *out = monitor;
    monitor = NULL;
done:
    release(monitor);
    return status;
}

static sedge_status save(const void *what, json_t *memory)
{
    const flux_monitor *const monitor = what;

    SEDGE_TRY(sedge_transforms_save(monitor, memory));
    return sedge_series_save(monitor->samples, memory, "flux");
}

// ---- samples -----------------------------------------------------------------------------------

// n.(a x b)
static double triple_product(const double n[3], const double a[3], const double b[3])
{
    return n[0] * (a[1] * b[2] - a[2] * b[1]) + n[1] * (a[2] * b[0] - a[0] * b[2]) +
           n[2] * (a[0] * b[1] - a[1] * b[0]);
}

// The flux through an entry's surface from the fields at its points, of both parts where they have
// two: the same on any number of ranks. Collective.
static double measure(const flux_monitor *monitor, const flux_entry *entry, const double *values)
{
    const sedge_face_points *const faces = &entry->faces;
    const sedge_equation *const equation = monitor->transforms.context->problem->equation;
    const int points = sedge_output_parts(monitor->transforms.context) * faces->side_points;

    for (int32_t s = 0; s < faces->sides; s++) {
        entry->sides[s] = 0.0;
        for (int p = 0; p < points; p++) {
            const int64_t at = (int64_t)s * faces->side_points + p % faces->side_points;
            const double *const u = values + ((int64_t)s * points + p) * equation->fields;

            entry->sides[s] += faces->share[s] * faces->area[at] *
                               triple_product(faces->normal[at], u + equation->groups[0].first,
                                              u + equation->groups[1].first);
        }
    }
    return sedge_sample_sum(monitor->transforms.context->comm, faces->sides, entry->sides);
}

// Root: append the samples of one entry to its series.
static sedge_status append(const flux_monitor *monitor, int samples, const double *times,
                           const double *flux)
{
    const sedge_output_context *const context = monitor->transforms.context;
    const double unit = sedge_deck_time_unit(context->deck);
    const int64_t numbers = (int64_t)samples * (1 + monitor->count);
    char path[SEDGE_OUTPUT_PATH];
    sedge_h5 *file = NULL;
    double *shown = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&shown, samples, sizeof *shown));
    sedge_output_path(path, context, "flux.h5");
    SEDGE_TRY_GOTO(status, sedge_h5_open_series(&file, path, numbers * (int64_t)sizeof *shown,
                                                1 + monitor->count));
    for (int i = 0; i < monitor->count; i++) {
        char name[128];

        (void)snprintf(name, sizeof name, "/flux/%s", monitor->entries[i].deck->name);
        SEDGE_TRY_GOTO(status, sedge_h5_extend(file, name, SEDGE_H5_F64, samples,
                                               flux + (int64_t)i * samples));
    }
    for (int s = 0; s < samples; s++) shown[s] = times[s] * unit;
    status = sedge_h5_extend(file, "/time", SEDGE_H5_F64, samples, shown);
done:
    sedge_release(shown);
    return sedge_h5_close(file, status);
}

static sedge_status receive(void *what, int samples, const int64_t *steps, const double *times,
                            const double *values)
{
    flux_monitor *const monitor = what;
    const sedge_comm *const comm = monitor->transforms.context->comm;
    const int fields = monitor->transforms.context->problem->equation->fields;
    const double unit = power_unit(monitor->transforms.context, false);
    const int64_t stride = (int64_t)monitor->transforms.points * fields; // of a sample
    double *flux = NULL;                                                 // [entries][samples]

    (void)steps;
    SEDGE_TRY(sedge_comm_agree(
        comm, sedge_allocate(&flux, (int64_t)samples * monitor->count, sizeof *flux)));
    for (int i = 0; i < monitor->count; i++) {
        const flux_entry *const entry = &monitor->entries[i];
        const sedge_face_points *const faces = &entry->faces;

        for (int s = 0; s < samples; s++) {
            flux[(int64_t)i * samples + s] = unit * measure(monitor, entry, values + stride * s);
        }
        values += sedge_output_parts(monitor->transforms.context) * (int64_t)faces->sides *
                  faces->side_points * fields;
    }
    monitor->samples += samples;
    const sedge_status status = sedge_comm_agree(
        comm, sedge_comm_is_root(comm) ? append(monitor, samples, times, flux) : SEDGE_OK);
    sedge_release(flux);
    return status;
}

// ---- at the frequencies ------------------------------------------------------------------------

// The flux at frequency k. Collective.
static double measure_at(const flux_monitor *monitor, const flux_entry *entry, int k)
{
    const sedge_face_points *const faces = &entry->faces;
    const int64_t count = entry->deck->frequencies.count;

    for (int32_t s = 0; s < faces->sides; s++) {
        entry->sides[s] = 0.0;
        for (int p = 0; p < faces->side_points; p++) {
            const int64_t at = (int64_t)s * faces->side_points + p;
            double part[2][6]; // real, imaginary; E, H

            for (int c = 0; c < 6; c++) {
                const double *const sums = entry->spectrum->sums + 2 * ((6 * at + c) * count + k);
                part[0][c] = sums[0];
                part[1][c] = sums[1];
            }
            for (int i = 0; i < 2; i++) { // Re E x H* = Re E x Re H + Im E x Im H
                entry->sides[s] += 0.5 * faces->share[s] * faces->area[at] *
                                   triple_product(faces->normal[at], part[i], part[i] + 3);
            }
        }
    }
    return sedge_sample_sum(monitor->transforms.context->comm, faces->sides, entry->sides);
}

// Root: write the spectrum of an entry, `power` [frequencies], which is changed.
static sedge_status write_power(const flux_monitor *monitor, const flux_entry *entry,
                                sedge_h5 *file, double *power)
{
    const sedge_output_context *const context = monitor->transforms.context;
    const int64_t count = entry->deck->frequencies.count;
    const double incident_unit =
        monitor->transforms.sampling.signal_unit * sedge_deck_time_unit(context->deck);
    double peak = 0.0;
    char folder[128];
    char path[160];

    (void)snprintf(folder, sizeof folder, "/flux/%s", entry->deck->name);
    SEDGE_TRY(sedge_h5_group(file, folder));
    SEDGE_TRY(sedge_spectrum_describe(entry->spectrum, context, &monitor->transforms.sampling, file,
                                      folder));
    (void)snprintf(path, sizeof path, "%s/power", folder);
    SEDGE_TRY(sedge_h5_put(file, path, SEDGE_H5_F64, 1, &count, power));
    SEDGE_TRY(sedge_h5_text(file, path, "units", sedge_output_unit(context, "W s2")));
    if (!entry->spectrum->normalised) return SEDGE_OK;
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t k = 0; k < count; k++) {
            const double *const of = entry->spectrum->incident + 2 * k;
            const double size = incident_unit * hypot(of[0], of[1]);

            peak = fmax(peak, size);
            if (pass == 0) continue;
            power[k] = size >= context->deck->frequency_floor * peak ? power[k] / (size * size)
                                                                     : (double)NAN;
        }
    }
    (void)snprintf(path, sizeof path, "%s/power_normalised", folder);
    return sedge_h5_put(file, path, SEDGE_H5_F64, 1, &count, power);
}

// Collective; `file` is the root's.
static sedge_status write_entry(const flux_monitor *monitor, const flux_entry *entry,
                                sedge_h5 *file)
{
    const sedge_comm *const comm = monitor->transforms.context->comm;
    const int count = entry->deck->frequencies.count;
    const double unit = power_unit(monitor->transforms.context, true);
    double *power = NULL;
    sedge_status status = sedge_comm_agree(comm, sedge_allocate(&power, count, sizeof *power));

    for (int k = 0; k < count && status == SEDGE_OK; k++)
        power[k] = unit * measure_at(monitor, entry, k);
    if (status == SEDGE_OK && file != NULL) status = write_power(monitor, entry, file, power);
    if (status == SEDGE_OK && file != NULL) {
        char folder[128];

        (void)snprintf(folder, sizeof folder, "/flux/%s", entry->deck->name);
        status = sedge_floquet_write(&entry->floquet, monitor->transforms.context, file, folder);
    }
    sedge_release(power);
    return sedge_comm_agree(comm, status);
}

static sedge_status write_entries(const void *what, sedge_h5 *file)
{
    const flux_monitor *const monitor = what;
    sedge_status status = file != NULL ? sedge_h5_group(file, "/flux") : SEDGE_OK;

    status = sedge_comm_agree(monitor->transforms.context->comm, status);
    for (int i = 0; i < monitor->count && status == SEDGE_OK; i++) {
        if (has_spectrum(&monitor->entries[i]))
            status = write_entry(monitor, &monitor->entries[i], file);
    }
    return status;
}

// Collective.
static sedge_status find_parts(const flux_monitor *monitor)
{
    const sedge_output_context *const context = monitor->transforms.context;
    sedge_floquet_cell cell;

    if (!sedge_floquet_cell_find(&cell, context)) return SEDGE_OK;
    for (int i = 0; i < monitor->count; i++) {
        flux_entry *const entry = &monitor->entries[i];
        const sedge_deck_frequencies *const frequencies = &entry->deck->frequencies;

        if (!has_spectrum(entry) || !entry->spectrum->normalised) continue;
        const double most = sedge_floquet_wave_number(context, &entry->faces,
                                                      frequencies->value[frequencies->count - 1]);
        SEDGE_TRY(sedge_floquet_find(&entry->floquet, context->comm, &cell, &entry->faces,
                                     entry->spectrum, most, context->deck->frequency_floor));
    }
    return SEDGE_OK;
}

static sedge_status finish(void *what)
{
    const flux_monitor *const monitor = what;

    if (monitor->transforms.array_count == 0) return SEDGE_OK;
    SEDGE_TRY(sedge_comm_agree(monitor->transforms.context->comm,
                               sedge_transforms_fetch(&monitor->transforms)));
    sedge_transforms_join(&monitor->transforms);
    SEDGE_TRY(find_parts(monitor));
    return sedge_transforms_write(&monitor->transforms, "flux_spectra.h5", "flux at frequencies",
                                  (1.0 + monitor->count) * 4.0 * ENTRY_BYTES, write_entries);
}

// ---- report ------------------------------------------------------------------------------------

static double show_frequency(const flux_monitor *monitor, const flux_entry *entry, int k)
{
    return sedge_deck_frequency(monitor->transforms.context->deck,
                                entry->deck->frequencies.value[k]);
}

// The entries whose frequencies are those of the first with parts; `shown`: [monitor->count].
static int list_shown(const flux_monitor *monitor, const flux_entry **shown)
{
    int count = 0;

    for (int i = 0; i < monitor->count; i++) {
        const flux_entry *const entry = &monitor->entries[i];
        const sedge_deck_frequencies *const own = &entry->deck->frequencies;

        if (entry->floquet.part == NULL) continue;
        const sedge_deck_frequencies *const first = count > 0 ? &shown[0]->deck->frequencies : own;
        if (own->count == first->count &&
            memcmp(own->value, first->value, (size_t)own->count * sizeof *own->value) == 0)
            shown[count++] = entry;
    }
    return count;
}

// A column for each of the first `columns` entries; `f`: the frequency's number, -1: the head.
static sedge_status add_line(const flux_monitor *monitor, const flux_entry *const *shown,
                             int columns, int f, sedge_text *text)
{
    if (f < 0) SEDGE_TRY(sedge_text_add(text, "    %12s", "frequency"));
    if (f >= 0) SEDGE_TRY(sedge_text_add(text, "    %12.6g", show_frequency(monitor, shown[0], f)));
    for (int i = 0; i < columns; i++) {
        if (f < 0) SEDGE_TRY(sedge_text_add(text, " %12s", shown[i]->deck->name));
        if (f >= 0) SEDGE_TRY(sedge_text_add(text, " %12.5g", shown[i]->floquet.part[f]));
    }
    return sedge_text_add(text, "\n");
}

static sedge_status add_table(const flux_monitor *monitor, sedge_text *text)
{
    const flux_entry **shown = NULL;
    sedge_status status = sedge_allocate(&shown, monitor->count, sizeof(const flux_entry *));
    const int found = status == SEDGE_OK ? list_shown(monitor, shown) : 0;
    const int columns = found < SHOWN_COLUMNS ? found : SHOWN_COLUMNS;
    const int count = found > 0 ? shown[0]->floquet.frequencies : 0;
    const int lines = count < SHOWN_LINES ? count : SHOWN_LINES;

    if (found > 0) {
        status = sedge_text_add(text,
                                "  %-22s parts of the incident power through the cell, "
                                "along the surfaces' normals\n",
                                "flux");
    }
    for (int line = -1; line < lines && found > 0 && status == SEDGE_OK; line++) {
        const int last = lines > 1 ? lines - 1 : 1;
        const int f = line < 0 ? -1 : (int)((int64_t)line * (count - 1) / last);

        status = add_line(monitor, shown, columns, f, text);
    }
    sedge_release(shown);
    return status;
}

static sedge_status report(const void *what, sedge_text *text, json_t *json)
{
    const flux_monitor *const monitor = what;

    for (int i = 0; i < monitor->count; i++) {
        const flux_entry *const entry = &monitor->entries[i];

        if (entry->floquet.part == NULL) continue;
        json_t *const of = json_object();
        json_t *const frequency = json_array();
        json_t *const part = json_array();
        (void)json_object_set_new(json, entry->deck->name, of);
        (void)json_object_set_new(of, "frequency", frequency);
        (void)json_object_set_new(of, "part", part);
        for (int k = 0; k < entry->floquet.frequencies; k++) {
            (void)json_array_append_new(frequency,
                                        sedge_json_number(show_frequency(monitor, entry, k)));
            (void)json_array_append_new(part, sedge_json_number(entry->floquet.part[k]));
        }
    }
    return add_table(monitor, text);
}

static bool requested(const sedge_deck *deck)
{
    return deck->flux_count > 0;
}

static bool owns(const char *name)
{
    static const char *const plain[] = {"", ".tmp", NULL};
    static const char *const numbered[] = {"", NULL};

    return sedge_output_is_numbered(name, "flux.h5", "", 0, plain) ||
           sedge_output_is_numbered(name, "flux_spectra.h5", "", 0, plain) ||
           sedge_output_is_numbered(name, "flux.h5.before-", "0123456789", 1, numbered);
}

extern const sedge_monitor_kind sedge_monitor_flux;
const sedge_monitor_kind sedge_monitor_flux = {
    .name = "flux",
    .twins = true,
    .text = "by name: energy flux through a surface, over time and at frequencies",
    .requested = requested,
    .create = create,
    SEDGE_TRANSFORMS_IN_TABLE,
    .receive = receive,
    .finish = finish,
    .report = report,
    .save = save,
    .free = release,
    .owns = owns,
};
