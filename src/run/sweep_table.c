#include "sweep_table.h"

#include "base/file.h"
#include "io/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MODES 4 // in the table for the user, at most

void sedge_sweep_name(char name[32], int i)
{
    (void)snprintf(name, 32, "%03d", i + 1);
}

bool sedge_sweep_is_done(const char *path)
{
    json_t *const report = json_load_file(path, 0, NULL);
    const json_t *const code = json_object_get(report, "exit_code");
    const bool done = json_is_integer(code) && json_integer_value(code) == 0;

    json_decref(report);
    return done;
}

// ---- sweep.json --------------------------------------------------------------------------------

// The values of a run; one that is not JSON becomes a text.
static json_t *list_values(const sedge_sweep *sweep, int i)
{
    json_t *const values = json_object();

    for (int k = 0; k < sweep->keys; k++) {
        const char *const text = sweep->value[i * sweep->keys + k];
        json_t *const value = json_loads(text, JSON_DECODE_ANY, NULL);

        (void)json_object_set_new(values, sweep->key[k],
                                  value != NULL ? value : sedge_json_text(text));
    }
    return values;
}

sedge_status sedge_sweep_add_row(json_t *rows, const sedge_sweep *sweep, int i)
{
    static const char *const copied[] = {
        "title",  "units",    "elements",          "order",   "steps", "time",
        "energy", "ended_by", "l2_error_relative", "monitors"};
    char path[SEDGE_PATH_BYTES];
    char name[32];

    sedge_sweep_name(name, i);
    (void)snprintf(path, sizeof path, "%.4000s/%s/report.json", sweep->output, name);
    json_t *const report = json_load_file(path, 0, NULL);
    json_t *const row = json_pack("{s:s, s:o}", "folder", name, "values", list_values(sweep, i));
    json_t *const total = json_object_get(json_object_get(report, "wall_seconds"), "total");

    if (report == NULL || row == NULL) {
        json_decref(report);
        json_decref(row);
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "cannot read the report '%s'", path);
    }
    for (size_t c = 0; c < sizeof copied / sizeof copied[0]; c++) {
        json_t *const part = json_object_get(report, copied[c]);
        if (part != NULL) (void)json_object_set(row, copied[c], part);
    }
    if (total != NULL) (void)json_object_set(row, "wall_seconds", total);
    json_decref(report);
    if (json_array_append_new(rows, row) == 0) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_MEMORY, "out of memory for sweep.json");
}

sedge_status sedge_sweep_write(const json_t *rows, const sedge_sweep *sweep, const char *deck,
                               const char *outcome, const char *path)
{
    json_t *const keys = json_array();

    for (int k = 0; k < sweep->keys; k++)
        (void)json_array_append_new(keys, sedge_json_text(sweep->key[k]));
    json_t *const whole =
        json_pack("{s:s, s:o, s:o, s:i, s:o, s:O}", "version", SEDGE_VERSION, "deck",
                  sedge_json_text(deck), "outcome", sedge_json_text(outcome), "runs_requested",
                  sweep->runs, "keys", keys, "runs", rows);

    return sedge_json_write(&whole, 1, path);
}

// ---- the table ---------------------------------------------------------------------------------

int sedge_sweep_column(int column, int columns, int count)
{
    return columns > 1 ? (int)((long long)column * (count - 1) / (columns - 1)) : 0;
}

static void print_values(const sedge_sweep *sweep, int i)
{
    for (int k = 0; k < sweep->keys; k++) printf("  %s", sweep->value[i * sweep->keys + k]);
    printf("\n");
}

static void print_keys(const sedge_sweep *sweep)
{
    for (int k = 0; k < sweep->keys; k++) printf("  %s", sweep->key[k]);
    printf("\n");
}

// What a run's report says of a far field: a list of numbers by frequency, or the direction back to
// the source. NULL: there is none.
static const json_t *shown_list(const json_t *row, const char *field, const char *name)
{
    const json_t *const fields = json_object_get(json_object_get(row, "monitors"), "far-field");

    return json_object_get(json_object_get(fields, field), name);
}

// What a run has at this frequency, in decibels; not-a-number: it has other frequencies.
static double find_decibels(const json_t *row, const char *field, const char *name,
                            double frequency)
{
    const json_t *const frequencies = shown_list(row, field, "frequency");
    const json_t *const list = shown_list(row, field, name);

    for (size_t f = 0; f < json_array_size(frequencies); f++) {
        const json_t *const value = json_array_get(list, f);
        const double here = json_number_value(json_array_get(frequencies, f));

        if (fabs(here - frequency) <= 1e-9 * fabs(frequency) && json_is_number(value))
            return 10.0 * log10(json_number_value(value));
    }
    return (double)NAN;
}

// The direction back to the source of a run's wave, in degrees.
static void print_direction(const json_t *row, const char *field)
{
    static const char *const names[] = {"theta", "phi"};
    const json_t *const back = shown_list(row, field, "backscatter");

    for (int a = 0; a < 2; a++) {
        const json_t *const angle = json_object_get(back, names[a]);
        const double degrees = json_is_number(angle) ? json_number_value(angle) : (double)NAN;

        printf(" %8.2f", fabs(degrees) < 0.005 ? 0.0 : degrees); // not -0.00
    }
}

// One far field in decibels, by run and frequency of the first run.
static void print_far_field(const json_t *rows, const sedge_sweep *sweep, const char *field)
{
    const json_t *const first = json_array_get(rows, 0);
    const json_t *const frequency = shown_list(first, field, "frequency");
    const bool scatters = shown_list(first, field, "monostatic") != NULL;
    const char *const units = json_string_value(json_object_get(first, "units"));
    const bool si = units != NULL && strcmp(units, "si") == 0;
    const int count = (int)json_array_size(frequency);
    const int columns = count < SEDGE_SWEEP_COLUMNS ? count : SEDGE_SWEEP_COLUMNS;

    printf("  %-22s %s, by frequency\n    %12s", field,
           !scatters ? "greatest directivity in dBi"
           : si      ? "monostatic cross-section in dBsm"
                     : "monostatic cross-section in dB",
           "run");
    if (scatters) printf(" %8s %8s", "theta", "phi");
    for (int c = 0; c < columns; c++) {
        const int f = sedge_sweep_column(c, columns, count);
        printf(" %11.5g", json_number_value(json_array_get(frequency, (size_t)f)));
    }
    print_keys(sweep);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *const row = json_array_get(rows, i);

        printf("    %12s", json_string_value(json_object_get(row, "folder")));
        if (scatters) print_direction(row, field);
        for (int c = 0; c < columns; c++) {
            const int f = sedge_sweep_column(c, columns, count);
            const double at = json_number_value(json_array_get(frequency, (size_t)f));
            printf(" %11.3f",
                   find_decibels(row, field, scatters ? "monostatic" : "directivity", at));
        }
        print_values(sweep, (int)i);
    }
}

static const json_t *shown_modes(const json_t *row)
{
    const json_t *const found = json_object_get(json_object_get(row, "monitors"), "resonances");

    return json_object_get(found, "modes");
}

// A quality factor of null is infinite; NULL: a run without this resonance.
static void print_number(const json_t *number, int width, int digits)
{
    if (json_is_number(number)) {
        printf(" %*.*g", width, digits, json_number_value(number));
    } else {
        printf(" %*s", width, number != NULL ? "inf" : "");
    }
}

// The lowest resonances of each run. True: there are some.
static bool print_resonances(const json_t *rows, const sedge_sweep *sweep)
{
    size_t columns = 0;

    for (size_t i = 0; i < json_array_size(rows); i++) {
        const size_t modes = json_array_size(shown_modes(json_array_get(rows, i)));
        columns = modes > columns ? modes : columns;
    }
    if (columns == 0) return false;
    columns = columns < MODES ? columns : MODES;
    printf("  %-22s the lowest ones, and their quality factors\n    %12s", "resonances", "run");
    for (size_t c = 0; c < columns; c++) printf(" %12s %9s", "frequency", "Q");
    print_keys(sweep);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *const row = json_array_get(rows, i);

        printf("    %12s", json_string_value(json_object_get(row, "folder")));
        for (size_t c = 0; c < columns; c++) {
            const json_t *const mode = json_array_get(shown_modes(row), c);

            print_number(json_object_get(mode, "frequency"), 12, 7);
            print_number(json_object_get(mode, "quality"), 9, 4);
        }
        print_values(sweep, (int)i);
    }
    return true;
}

static void print_energies(const json_t *rows, const sedge_sweep *sweep)
{
    printf("    %12s %11s %11s %11s", "run", "steps", "energy", "seconds");
    print_keys(sweep);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *const row = json_array_get(rows, i);
        const json_t *const energy = json_object_get(json_object_get(row, "energy"), "final");

        printf("    %12s %11lld %11.5g %11.2f", json_string_value(json_object_get(row, "folder")),
               (long long)json_integer_value(json_object_get(row, "steps")),
               json_is_number(energy) ? json_number_value(energy) : (double)NAN,
               json_number_value(json_object_get(row, "wall_seconds")));
        print_values(sweep, (int)i);
    }
}

void sedge_sweep_print(const json_t *rows, const sedge_sweep *sweep)
{
    json_t *const monitors = json_object_get(json_array_get(rows, 0), "monitors");
    json_t *const fields = json_object_get(monitors, "far-field");
    const char *name = NULL;
    json_t *field = NULL;
    bool shown = print_resonances(rows, sweep);

    json_object_foreach(fields, name, field)
    {
        if (json_object_get(field, "monostatic") == NULL &&
            json_object_get(field, "directivity") == NULL)
            continue;
        print_far_field(rows, sweep, name);
        shown = true;
    }
    if (!shown) print_energies(rows, sweep);
}
