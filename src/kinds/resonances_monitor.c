// resonances.h5: the fields at the deck's probes when the sources have ended, /time and /record
// [samples][probes][fields]; resonances.csv: the resonances in them (resonance/modes.h), a line
// each, with the fields' phasors of exp(+j w t) at the record's first sample. The table is written
// when the run has come to its end.
#include "dg/monitor_kind.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "io/json.h"
#include "monitor/deck_points.h"
#include "monitor/output_describe.h"
#include "monitor/output_folder.h"
#include "monitor/sampling.h"
#include "monitor/series.h"
#include "par/gather.h"
#include "resonance/modes.h"

#include <jansson.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PI          3.14159265358979323846
#define CHUNK_BYTES 65536 // of the record that are stored together
#define FILE_BYTES  65536 // what describes the record

#define SAMPLES_A_PERIOD 3.0  // of the band's highest frequency, at least
#define SAME             1e-9 // times between samples that differ by this part are the same

enum { FROM, TO, START, PARAMETERS };

typedef struct resonances_monitor {
    const sedge_output_context *context;
    double band[2]; // code units, as all here
    double start;   // when the record may begin
    double end;     // what comes later is not looked at
    int every;      // steps between samples
    int64_t samples;
    bool restored; // the record goes on from a checkpoint, which has the sample of its step
    sedge_deck_points points;
    sedge_monitor_point *point; // [points.count]
    sedge_gather gather;        // a row for each probe, whose id is its index in the deck
    sedge_modes modes;          // root, after `finish`
    bool failed;                // root: LAPACK has failed
} resonances_monitor;

static void release(void *what)
{
    resonances_monitor *const monitor = what;

    if (monitor == NULL) return;
    sedge_deck_points_clear(&monitor->points);
    sedge_gather_clear(&monitor->gather);
    sedge_modes_clear(&monitor->modes);
    sedge_release(monitor->point);
    sedge_release(monitor);
}

// ---- what is refused ---------------------------------------------------------------------------

static sedge_status check_deck(const resonances_monitor *monitor)
{
    const sedge_output_context *const context = monitor->context;
    const sedge_deck *const deck = context->deck;
    const char *const hertz = sedge_deck_unit(deck, SEDGE_FREQUENCY);

    if (deck->equation->elliptic != NULL) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "%s: monitors.resonances: %s has no time: remove it",
                          deck->path, deck->equation->name);
    }
    if (deck->probe_count == 0) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s: monitors.resonances: it looks for resonances in the fields at the "
                          "probes, and the deck has none: add monitors.probes.points",
                          deck->path);
    }
    if (!(monitor->band[0] < monitor->band[1])) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s: monitors.resonances: 'from', %.6g%s, must be below 'to', %.6g%s",
                          deck->path, sedge_deck_frequency(deck, monitor->band[0]), hertz,
                          sedge_deck_frequency(deck, monitor->band[1]), hertz);
    }
    return SEDGE_OK;
}

// When the record ends, and whether the run is long enough for one. A run from a checkpoint goes on
// in any case.
static sedge_status find_end(resonances_monitor *monitor)
{
    const sedge_output_context *const context = monitor->context;
    const sedge_deck *const deck = context->deck;
    const double end =
        context->first_time + context->dt * (double)(context->steps - context->first_step);
    const double interval = context->dt * monitor->every;
    const double low = monitor->band[0], high = monitor->band[1];
    const double least = interval * (double)sedge_modes_least(interval, low, high);
    const double begin = fmax(monitor->start, context->first_time);
    const char *const second = sedge_deck_unit(deck, SEDGE_TIME);
    const char *const hertz = sedge_deck_unit(deck, SEDGE_FREQUENCY);
    const double unit = sedge_deck_time_unit(deck);

    monitor->end = begin + interval * (double)sedge_modes_most(interval, low, high);
    if (end - begin >= least || context->first_step > 0) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "%s: monitors.resonances: from %.6g%s to %.6g%s it needs a record of %.4g%s, "
                      "which begins at %.4g%s, and the run ends at %.4g%s: set time.end to %.4g%s "
                      "or more, much more for many digits, or take a wider band",
                      deck->path, sedge_deck_frequency(deck, low), hertz,
                      sedge_deck_frequency(deck, high), hertz, least * unit, second, begin * unit,
                      second, end * unit, second, (begin + least) * unit * 1.01, second);
}

// When the record begins: as soon as the sources have ended, or later where the deck says so.
static sedge_status find_start(resonances_monitor *monitor, double given)
{
    const sedge_output_context *const context = monitor->context;
    const sedge_deck *const deck = context->deck;
    const char *const second = sedge_deck_unit(deck, SEDGE_TIME);
    const double unit = sedge_deck_time_unit(deck);
    double bounds[2][3];
    double quiet = deck->source_count > 0 ? (double)INFINITY : 0.0;

    memcpy(bounds, context->mesh->bounds, sizeof bounds);
    if (deck->equation->quiet != NULL) quiet = deck->equation->quiet(context->problem, bounds);
    monitor->start = given > 0.0 ? given : quiet;
    if (!isfinite(quiet)) {
        return SEDGE_FAIL(
            SEDGE_ERR_USAGE,
            "%s: monitors.resonances: it looks at fields that oscillate by themselves, "
            "and the sources do not end, or a medium has gain: take a pulse",
            deck->path);
    }
    if (monitor->start >= quiet) return SEDGE_OK;
    return SEDGE_FAIL(
        SEDGE_ERR_USAGE,
        "%s: monitors.resonances.start is %.9g%s, but the sources end at %.9g%s: give "
        "a later time, or leave it out",
        deck->path, given * unit, second, quiet * unit, second);
}

// Steps between samples: no frequency of the band is another one's alias. Collective.
static sedge_status find_every(resonances_monitor *monitor)
{
    const sedge_output_context *const context = monitor->context;

    SEDGE_TRY(sedge_sampling_every(&monitor->every, context, monitor->band[1],
                                   "monitors.resonances asks for resonances"));
    const double most = 1.0 / (SAMPLES_A_PERIOD * monitor->band[1] * context->dt);
    monitor->every = (int)fmax(1.0, fmin(monitor->every, floor(most)));
    return SEDGE_OK;
}

// Collective.
static sedge_status plan(resonances_monitor *monitor, const double *parameters)
{
    const sedge_comm *const comm = monitor->context->comm;

    SEDGE_TRY(check_deck(monitor));
    SEDGE_TRY(find_start(monitor, parameters[START]));
    SEDGE_TRY(find_every(monitor));
    SEDGE_TRY(find_end(monitor));
    return sedge_comm_agree(comm, sedge_comm_is_root(comm) ? sedge_modes_prepare() : SEDGE_OK);
}

// ---- making ------------------------------------------------------------------------------------

// This rank's probes. Collective.
static sedge_status find_probes(resonances_monitor *monitor)
{
    const sedge_output_context *const context = monitor->context;

    SEDGE_TRY(sedge_deck_points_find(&monitor->points, context, context->deck->probes,
                                     context->deck->probe_count, "probe"));
    SEDGE_TRY(sedge_deck_points_list(&monitor->point, &monitor->points, context));
    return sedge_gather_create(&monitor->gather, context->comm, monitor->points.count,
                               monitor->points.ids);
}

// The probes that the record is of, in their order.
static void describe_probes(const sedge_deck *deck, char text[SEDGE_HASH_TEXT])
{
    uint64_t sum = 0;

    for (int i = 0; i < deck->probe_count; i++)
        sum = sedge_hash_quick(sum, deck->probes[i].position, sizeof deck->probes[i].position);
    (void)snprintf(text, SEDGE_HASH_TEXT, "%016llx", (unsigned long long)sum);
}

// Numbers in a sample of all probes.
static int64_t count_numbers(const resonances_monitor *monitor)
{
    const sedge_output_context *const context = monitor->context;

    return (int64_t)context->deck->probe_count * context->problem->equation->fields;
}

// The name of a field in its files, such as Ex.
static void name_field(char *name, size_t size, const sedge_equation *equation, int field)
{
    int g = 0;

    while (field >= equation->groups[g].first + equation->groups[g].count) g++;
    const sedge_output_group *const group = &equation->groups[g];
    const char component = (char)(group->count > 1 ? 'x' + field - group->first : '\0');
    (void)snprintf(name, size, "%s%c", group->name, component);
}

// What the record's columns are, and the band.
static sedge_status describe_columns(const resonances_monitor *monitor, sedge_h5 *file)
{
    const sedge_deck *const deck = monitor->context->deck;
    const sedge_equation *const equation = deck->equation;
    const double band[] = {sedge_deck_frequency(deck, monitor->band[0]),
                           sedge_deck_frequency(deck, monitor->band[1])};
    const char *fields[SEDGE_MAX_FIELDS];
    char field[SEDGE_MAX_FIELDS][64];
    const char **names = NULL;

    for (int f = 0; f < equation->fields; f++) {
        name_field(field[f], sizeof field[f], equation, f);
        fields[f] = field[f];
    }
    SEDGE_TRY(sedge_h5_texts(file, "/record", "fields", fields, equation->fields));
    SEDGE_TRY(sedge_h5_reals(file, "/record", "band", band, 2));
    SEDGE_TRY(
        sedge_h5_text(file, "/record", "band_units", sedge_output_unit(monitor->context, "Hz")));
    SEDGE_TRY(sedge_allocate(&names, deck->probe_count, sizeof *names));
    for (int i = 0; i < deck->probe_count; i++) names[i] = deck->probes[i].name;
    const sedge_status status = sedge_h5_texts(file, "/record", "probes", names, deck->probe_count);
    sedge_release(names);
    return status;
}

static sedge_status make_file(const void *what, sedge_h5 *file)
{
    const resonances_monitor *const monitor = what;
    const sedge_output_context *const context = monitor->context;
    const int64_t shape[2] = {context->deck->probe_count, context->problem->equation->fields};
    const int64_t rows = CHUNK_BYTES / (count_numbers(monitor) * (int64_t)sizeof(double));

    SEDGE_TRY(sedge_output_describe(file, context, "record for resonances"));
    SEDGE_TRY(sedge_h5_series(file, "/time", SEDGE_H5_F64, 0, NULL, 1024));
    SEDGE_TRY(sedge_h5_text(file, "/time", "units", sedge_output_unit(context, "s")));
    SEDGE_TRY(sedge_h5_series(file, "/record", SEDGE_H5_F64, 2, shape, rows > 1 ? rows : 1));
    return describe_columns(monitor, file);
}

// Root: the record's file, with what `memory` says that there is of it already.
static sedge_status open_record(resonances_monitor *monitor, const json_t *memory)
{
    const char *const before = json_string_value(json_object_get(memory, "probes"));
    const double interval = json_number_value(json_object_get(memory, "interval"));
    const double now = monitor->context->dt * monitor->every;
    char probes[SEDGE_HASH_TEXT];

    describe_probes(monitor->context->deck, probes);
    if (before != NULL && strcmp(before, probes) == 0 && fabs(interval - now) < SAME * now) {
        SEDGE_TRY(sedge_series_load(&monitor->samples, memory, "resonances"));
        if (monitor->samples > 0) monitor->end = json_number_value(json_object_get(memory, "end"));
    }
    return sedge_series_make(monitor->context, "resonances.h5", FILE_BYTES, monitor->samples,
                             make_file, monitor);
}

static sedge_status create(void **out, const sedge_output_context *context,
                           const double *parameters, const json_t *memory)
{
    const sedge_comm *const comm = context->comm;
    resonances_monitor *monitor = NULL;
    sedge_status status;

    *out = NULL;
    SEDGE_TRY(sedge_comm_agree(comm, sedge_allocate(&monitor, 1, sizeof *monitor)));
    monitor->context = context;
    monitor->band[0] = parameters[FROM];
    monitor->band[1] = parameters[TO];
    SEDGE_TRY_GOTO(status, plan(monitor, parameters));
    if (!context->checks) {
        SEDGE_TRY_GOTO(status, find_probes(monitor));
        if (sedge_comm_is_root(comm)) status = open_record(monitor, memory);
        SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
        sedge_comm_broadcast(comm, &monitor->samples, sizeof monitor->samples, 0);
        sedge_comm_broadcast(comm, &monitor->end, sizeof monitor->end, 0);
        monitor->restored = monitor->samples > 0;
    }
    *out = monitor;
    monitor = NULL;
done:
    release(monitor);
    return status;
}

// ---- samples -----------------------------------------------------------------------------------

static bool due(const void *what, int64_t step)
{
    const resonances_monitor *const monitor = what;
    const sedge_output_context *const context = monitor->context;
    const double time = context->first_time + context->dt * (double)(step - context->first_step);

    return step % monitor->every == 0 && time >= monitor->start * (1.0 - SAME) &&
           time <= monitor->end;
}

static const sedge_monitor_point *get_points(const void *what, int *count)
{
    const resonances_monitor *const monitor = what;

    *count = (int)monitor->points.count;
    return monitor->point;
}

// Deck's value = code value * factor, of a field.
static double field_factor(const sedge_output_context *context, int field)
{
    const sedge_equation *const equation = context->problem->equation;
    int g = 0;

    while (field >= equation->groups[g].first + equation->groups[g].count) g++;
    return sedge_output_group_factor(context, &equation->groups[g]);
}

// Root: append samples, `all` [gather.all][samples][fields].
static sedge_status append(const resonances_monitor *monitor, int samples, const double *times,
                           const double *all)
{
    const sedge_output_context *const context = monitor->context;
    const sedge_gather *const gather = &monitor->gather;
    const int64_t fields = context->problem->equation->fields;
    const int64_t numbers = count_numbers(monitor);
    char path[SEDGE_OUTPUT_PATH];
    double *rows = NULL;
    double *shown = NULL;
    sedge_h5 *file = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&rows, samples * numbers, sizeof *rows));
    SEDGE_TRY_GOTO(status, sedge_allocate(&shown, samples, sizeof *shown));
    for (int f = 0; f < fields; f++) {
        const double factor = field_factor(context, f);
        for (int64_t i = 0; i < gather->all * samples; i++) {
            const int64_t probe = gather->ids[i / samples];
            rows[i % samples * numbers + probe * fields + f] = factor * all[i * fields + f];
        }
    }
    for (int s = 0; s < samples; s++) shown[s] = times[s] * sedge_deck_time_unit(context->deck);
    sedge_output_path(path, context, "resonances.h5");
    SEDGE_TRY_GOTO(status, sedge_h5_open_series(
                               &file, path, samples * (numbers + 1) * (int64_t)sizeof *rows, 2));
    SEDGE_TRY_GOTO(status, sedge_h5_extend(file, "/record", SEDGE_H5_F64, samples, rows));
    status = sedge_h5_extend(file, "/time", SEDGE_H5_F64, samples, shown);
done:
    sedge_release(rows);
    sedge_release(shown);
    return sedge_h5_close(file, status);
}

static sedge_status receive(void *what, int samples, const int64_t *steps, const double *times,
                            const double *values)
{
    resonances_monitor *const monitor = what;
    const sedge_comm *const comm = monitor->context->comm;
    const int64_t fields = monitor->context->problem->equation->fields;
    const int64_t own = monitor->points.count;
    // A run that goes on samples the step at which it begins once more.
    const int skipped = monitor->restored && steps[0] == monitor->context->first_step;
    double *rows = NULL; // [own][samples][fields]
    double *all = NULL;  // [gather.all][samples][fields]

    values += skipped * own * fields;
    samples -= skipped;
    if (samples == 0) return SEDGE_OK;
    monitor->samples += samples;
    sedge_status status = sedge_allocate(&rows, own * samples * fields, sizeof *rows);
    if (status == SEDGE_OK)
        status = sedge_allocate(&all, monitor->gather.all * samples * fields, sizeof *all);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    for (int64_t i = 0; i < own * samples; i++) {
        memcpy(rows + i * fields, values + (i % samples * own + i / samples) * fields,
               (size_t)fields * sizeof *rows);
    }
    sedge_gather_bring(&monitor->gather, comm, rows, (size_t)(samples * fields) * sizeof *rows,
                       all);
    if (sedge_comm_is_root(comm)) status = append(monitor, samples, times + skipped, all);
    status = sedge_comm_agree(comm, status);
done:
    sedge_release(rows);
    sedge_release(all);
    return status;
}

static sedge_status save(const void *what, json_t *memory)
{
    const resonances_monitor *const monitor = what;
    char text[SEDGE_HASH_TEXT];

    describe_probes(monitor->context->deck, text);
    if (json_object_set_new(memory, "probes", json_string(text)) != 0 ||
        json_object_set_new(memory, "interval", json_real(monitor->context->dt * monitor->every)) !=
            0 ||
        json_object_set_new(memory, "end", json_real(monitor->end)) != 0)
        return SEDGE_FAIL(SEDGE_ERR_MEMORY, "resonances: out of memory");
    return sedge_series_save(monitor->samples, memory, "resonances");
}

// ---- the end -----------------------------------------------------------------------------------

// Where the part of the record begins that is looked at: behind the last gap, which runs with other
// decks may leave, and not before the start.
static int64_t find_first(const resonances_monitor *monitor, const double *times)
{
    const double unit = sedge_deck_time_unit(monitor->context->deck);
    const double interval = monitor->context->dt * monitor->every * unit;
    int64_t first = monitor->samples;

    while (first > 0 && times[first - 1] >= monitor->start * (1.0 - SAME) * unit &&
           (first == monitor->samples || times[first] - times[first - 1] < 1.5 * interval))
        first--;
    return first;
}

// Root: what is looked at of the record, in code units.
static sedge_status read_record(const resonances_monitor *monitor, double **values,
                                int64_t *samples)
{
    const sedge_output_context *const context = monitor->context;
    const int fields = context->problem->equation->fields;
    const int64_t numbers = count_numbers(monitor);
    char path[SEDGE_OUTPUT_PATH];
    double *times = NULL;
    sedge_h5 *file = NULL;
    sedge_status status;
    int64_t first = 0;

    sedge_output_path(path, context, "resonances.h5");
    SEDGE_TRY_GOTO(status, sedge_allocate(&times, monitor->samples, sizeof *times));
    SEDGE_TRY_GOTO(status, sedge_h5_open_read(&file, path));
    SEDGE_TRY_GOTO(status, sedge_h5_read(file, "/time", SEDGE_H5_F64, 0, monitor->samples, times));
    first = find_first(monitor, times);
    *samples = monitor->samples - first;
    SEDGE_TRY_GOTO(status, sedge_allocate(values, *samples * numbers, sizeof **values));
    SEDGE_TRY_GOTO(status, sedge_h5_read(file, "/record", SEDGE_H5_F64, first, *samples, *values));
    for (int f = 0; f < fields; f++) {
        const double factor = field_factor(context, f);
        for (int64_t i = f; i < *samples * numbers; i += fields) (*values)[i] /= factor;
    }
done:
    sedge_release(times);
    return sedge_h5_close(file, status);
}

// The quality factor; infinite where nothing decays.
static double find_quality(const sedge_mode *mode)
{
    return mode->decay > 0.0 ? PI * mode->frequency / mode->decay : (double)INFINITY;
}

static double frequency_unit(const sedge_deck *deck)
{
    return sedge_deck_frequency(deck, 1.0);
}

static sedge_status add_header(const resonances_monitor *monitor, sedge_text *text)
{
    const sedge_deck *const deck = monitor->context->deck;
    char field[64];

    SEDGE_TRY(sedge_text_add(text, "frequency,quality,decay_rate,error"));
    for (int i = 0; i < deck->probe_count; i++) {
        for (int f = 0; f < deck->equation->fields; f++) {
            name_field(field, sizeof field, deck->equation, f);
            SEDGE_TRY(sedge_text_add(text, ",%s_%s_re,%s_%s_im", deck->probes[i].name, field,
                                     deck->probes[i].name, field));
        }
    }
    return sedge_text_add(text, "\n");
}

static sedge_status add_row(const resonances_monitor *monitor, sedge_text *text, int m)
{
    const sedge_output_context *const context = monitor->context;
    const sedge_mode *const mode = &monitor->modes.mode[m];
    const double unit = frequency_unit(context->deck);
    const int fields = context->problem->equation->fields;
    const int64_t numbers = count_numbers(monitor);

    SEDGE_TRY(sedge_text_add(text, "%.12g,%.9g,%.9g,%.3g", mode->frequency * unit,
                             find_quality(mode), mode->decay * unit, mode->error * unit));
    for (int64_t i = 0; i < numbers; i++) {
        const double complex value =
            field_factor(context, (int)(i % fields)) * monitor->modes.amplitude[m * numbers + i];
        SEDGE_TRY(sedge_text_add(text, ",%.9g,%.9g", creal(value), cimag(value)));
    }
    return sedge_text_add(text, "\n");
}

// Root.
static sedge_status write_table(const resonances_monitor *monitor)
{
    char path[SEDGE_OUTPUT_PATH];
    sedge_text *text = NULL;
    sedge_status status;

    sedge_output_path(path, monitor->context, "resonances.csv");
    SEDGE_TRY(sedge_text_create(&text));
    SEDGE_TRY_GOTO(status, add_header(monitor, text));
    for (int m = 0; m < monitor->modes.count; m++)
        SEDGE_TRY_GOTO(status, add_row(monitor, text, m));
    status = sedge_file_write(path, sedge_text_get(text), sedge_text_length(text));
done:
    sedge_text_free(text);
    return status;
}

// Root.
static sedge_status find_modes(resonances_monitor *monitor)
{
    sedge_mode_record record = {.records = (int)count_numbers(monitor),
                                .interval = monitor->context->dt * monitor->every};
    double *values = NULL;

    sedge_status status = read_record(monitor, &values, &record.samples);
    record.values = values;
    if (status == SEDGE_OK)
        status = sedge_modes_find(&monitor->modes, &record, monitor->band[0], monitor->band[1]);
    sedge_release(values);
    if (status == SEDGE_ERR_COMPUTE) { // the record is there, and the run is as good without
        sedge_error_clear();
        monitor->failed = true;
        status = SEDGE_OK;
    }
    return status == SEDGE_OK ? write_table(monitor) : status;
}

static sedge_status finish(void *what)
{
    resonances_monitor *const monitor = what;
    const sedge_comm *const comm = monitor->context->comm;

    return sedge_comm_agree(comm, sedge_comm_is_root(comm) ? find_modes(monitor) : SEDGE_OK);
}

static sedge_status report_mode(const resonances_monitor *monitor, const sedge_mode *mode,
                                sedge_text *text, json_t *list)
{
    const double unit = frequency_unit(monitor->context->deck);
    const double quality = find_quality(mode);
    json_t *const entry = json_object();

    (void)json_object_set_new(entry, "frequency", sedge_json_number(mode->frequency * unit));
    (void)json_object_set_new(entry, "quality", sedge_json_number(quality));
    (void)json_object_set_new(entry, "decay_rate", sedge_json_number(mode->decay * unit));
    (void)json_object_set_new(entry, "error", sedge_json_number(mode->error * unit));
    (void)json_array_append_new(list, entry);
    // By this part the quality factor may be off. From a half on only its size is known.
    const double share = mode->decay > 0.0 ? 2.0 * PI * mode->error / mode->decay : 1.0;
    SEDGE_TRY(sedge_text_add(text, "    %16.9g %8.1g", mode->frequency * unit, mode->error * unit));
    if (share < 0.5) return sedge_text_add(text, " %15.6g %8.1g\n", quality, share * quality);
    return sedge_text_add(text, "  above %9.3g\n", 0.5 * mode->frequency / mode->error);
}

static sedge_status report(const void *what, sedge_text *text, json_t *json)
{
    const resonances_monitor *const monitor = what;
    const sedge_output_context *const context = monitor->context;
    const sedge_deck *const deck = context->deck;
    const sedge_modes *const modes = &monitor->modes;
    const double unit = frequency_unit(deck);
    const char *const hertz = sedge_deck_unit(deck, SEDGE_FREQUENCY);
    json_t *const list = json_array();

    (void)json_object_set_new(json, "modes", list);
    if (monitor->failed) {
        return sedge_text_add(text, "resonances: not found, since LAPACK fails on the record, "
                                    "which is in resonances.h5\n");
    }
    if (!(modes->used > 0.0))
        return sedge_text_add(text, "resonances: none, the record is too short or all zero\n");
    SEDGE_TRY(sedge_text_add(text, "resonances from %.6g to %.6g%s, in a record of %.4g%s: %d",
                             monitor->band[0] * unit, monitor->band[1] * unit, hertz,
                             modes->used * sedge_deck_time_unit(deck),
                             sedge_deck_unit(deck, SEDGE_TIME), modes->count));
    if (modes->uncertain > 0) {
        SEDGE_TRY(sedge_text_add(text, "; uncertain, a %s may tell: %d",
                                 modes->whole ? "narrower band" : "longer run", modes->uncertain));
    }
    SEDGE_TRY(sedge_text_add(text, "\n"));
    if (modes->count > 0) {
        SEDGE_TRY(
            sedge_text_add(text, "    %16s    +-    %15s    +-\n", "frequency", "quality factor"));
    }
    for (int m = 0; m < modes->count; m++)
        SEDGE_TRY(report_mode(monitor, &modes->mode[m], text, list));
    return SEDGE_OK;
}

static bool owns(const char *name)
{
    static const char *const plain[] = {"", ".tmp", NULL};
    static const char *const numbered[] = {"", NULL};

    return sedge_output_is_numbered(name, "resonances.h5", "", 0, plain) ||
           sedge_output_is_numbered(name, "resonances.csv", "", 0, numbered) ||
           sedge_output_is_numbered(name, "resonances.h5.before-", "0123456789", 1, numbered);
}

static const sedge_parameter parameters[] = {
    [FROM] = {.name = "from",
              .required = true,
              .positive = true,
              .dimension = SEDGE_FREQUENCY,
              .text = "the lowest frequency of the band"},
    [TO] = {.name = "to",
            .required = true,
            .positive = true,
            .dimension = SEDGE_FREQUENCY,
            .text = "the highest"},
    [START] = {.name = "start",
               .maximum = 1e300,
               .dimension = SEDGE_TIME,
               .text = "when the record begins; 0: when the sources have ended"},
};

extern const sedge_monitor_kind sedge_monitor_resonances;
const sedge_monitor_kind sedge_monitor_resonances = {
    .name = "resonances",
    .twins = true,
    .text =
        "the probes' record when the sources have ended, and in resonances.csv the frequencies and "
        "quality factors of what oscillates there by itself",
    .parameters = parameters,
    .parameter_count = PARAMETERS,
    .create = create,
    .checked = true,
    .due = due,
    .points = get_points,
    .receive = receive,
    .finish = finish,
    .report = report,
    .save = save,
    .free = release,
    .owns = owns,
};
