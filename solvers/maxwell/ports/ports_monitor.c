// ports.h5: voltage and current of each port over time, /time and /NAME/voltage and /NAME/current
// [samples]. Where one port alone is driven, ports.csv: the S-parameters that follow from them, a
// line for each frequency and port; of a deck with one port also ports.s1p. They are written when
// the run has come to its end.
//
// The waves of a port with the impedance Z are a = (V + Z I) / (2 sqrt(Z)), which enters the
// structure, and b = (V - Z I) / (2 sqrt(Z)), which leaves it; S_ij = b_i / a_j where port j alone
// is driven (Kurokawa 1965). V and I are those of port_meter.h.
#include "port_fit.h"
#include "port_meter.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "dg/monitor_kind.h"
#include "io/json.h"
#include "monitor/output_describe.h"
#include "monitor/output_folder.h"
#include "monitor/sampling.h"
#include "monitor/series.h"
#include "network/table.h"
#include "network/touchstone.h"

#include <jansson.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PI          3.14159265358979323846
#define ENTRY_BYTES 16384 // what describes a port in the file
#define TAIL        0.025 // of the run: its end, in which voltages should be nothing
#define LOUD        1e-3  // of their largest; a warning above
#define FAINT       1e-6  // of the largest of all ports: rounding
#define PLACES      32    // in the band, at which the signal's spectrum is looked at
#define SURPLUS     1.05  // of the power that enters: more does not leave a passive structure
#define RETURN      0.3   // of a wave that leaves: more does not come back from a layer
#define QUIET       1e-2  // of the wave that drives: not judged below
#define SAME_STEP   0.05  // by how much a run may change the time step of the run before

enum { FROM, TO, COUNT, PARAMETERS };

typedef struct port {
    const char *name;
    const sedge_boundary *boundary;
    int surface;
    port_meter *meter;
    // Largest voltages: of the whole run, and of its last two parts (begin_part).
    double largest, last, current;
} port;

typedef struct ports_monitor {
    const sedge_output_context *context;
    double band[2];
    int frequencies;
    int every; // steps between samples
    int count;
    port *ports;
    int driven; // the port that the one source drives; -1: there are other sources, or none
    int64_t samples;
    int64_t part;  // the step at which the last part of the run begins
    bool restored; // the sums have the sample of the step at which the run begins
    int points;
    sedge_monitor_point *point; // [points]
    // Root, sum of samples times exp(-j w t): [ports][frequencies][PORT_SERIES][real, imaginary].
    double *sums;
    int64_t *ids; // [count]
    sedge_monitor_array array;
    // Root, after `finish`, [frequencies][ports]: waves that leave and waves that enter by the wave
    // that drives; not a number: not known.
    double complex *s, *incident;
} ports_monitor;

static void release(void *what)
{
    ports_monitor *const monitor = what;

    if (monitor == NULL) return;
    for (int i = 0; i < monitor->count && monitor->ports != NULL; i++)
        port_meter_free(monitor->ports[i].meter);
    sedge_release(monitor->ports);
    sedge_release(monitor->point);
    sedge_release(monitor->sums);
    sedge_release(monitor->ids);
    sedge_release(monitor->s);
    sedge_release(monitor->incident);
    sedge_release(monitor);
}

static double frequency_at(const ports_monitor *monitor, int k)
{
    const double *const band = monitor->band;

    return monitor->frequencies > 1 ? band[0] + (band[1] - band[0]) * k / (monitor->frequencies - 1)
                                    : band[0];
}

// ---- what is refused ---------------------------------------------------------------------------

static int find_surface(const sedge_mesh *mesh, const char *name)
{
    int s = 0;

    while (s < mesh->groups.surfaces && strcmp(mesh->groups.surface_names[s], name) != 0) s++;
    return s < mesh->groups.surfaces ? s : -1;
}

// The deck's ports, in its order.
static void list_ports(ports_monitor *monitor)
{
    const sedge_output_context *const context = monitor->context;
    const sedge_problem *const problem = context->problem;

    monitor->driven = -1;
    for (int i = 0; i < context->deck->boundary_count; i++) {
        const char *const name = context->deck->boundaries[i].name;
        const int s = find_surface(context->mesh, name);
        if (s < 0 || !port_is(problem->boundaries[s].kind)) continue;
        for (int k = 0; k < problem->surface_source_count; k++)
            if (problem->surface_sources[k].surface == s) monitor->driven = monitor->count;
        monitor->ports[monitor->count++] =
            (port){.name = name, .boundary = &problem->boundaries[s], .surface = s};
    }
    if (context->deck->source_count != 1) monitor->driven = -1;
}

static sedge_status check_deck(const ports_monitor *monitor)
{
    const sedge_output_context *const context = monitor->context;
    const sedge_deck *const deck = context->deck;
    const char *const hertz = sedge_deck_unit(deck, SEDGE_FREQUENCY);

    if (monitor->count == 0) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s: monitors.ports: no surface in `boundaries` is a port (types "
                          "lumped-port, coaxial-port, te-port, tm-port)",
                          deck->path);
    }
    if (context->problem->incident_count > 0 && sedge_problem_feeds(context->problem) == NULL) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s: monitors.ports: the fields are the scattered ones, and voltages are "
                          "those of the total ones: let the wave enter by a surface of type "
                          "total-field around the ports",
                          deck->path);
    }
    if (!(monitor->band[0] <= monitor->band[1])) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s: monitors.ports: 'from', %.6g%s, must not be above 'to', %.6g%s",
                          deck->path, sedge_deck_frequency(deck, monitor->band[0]), hertz,
                          sedge_deck_frequency(deck, monitor->band[1]), hertz);
    }
    if (monitor->frequencies > 1 && !(monitor->band[0] < monitor->band[1])) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s: monitors.ports: 'from' and 'to' are the same frequency, and 'count' "
                          "is %d: it must be 1 then",
                          deck->path, monitor->frequencies);
    }
    for (int i = 0; i < monitor->count; i++) {
        if (port_parts(monitor->ports[i].boundary) == deck->copies) continue;
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s: monitors.ports: the mesh is one of %d parts that are mirror images, "
                          "and the port '%s' has %d of its own: there would be several such ports; "
                          "each plane of symmetry must cut each port, which is a lumped one, or "
                          "model the whole structure",
                          deck->path, deck->copies, monitor->ports[i].name,
                          port_parts(monitor->ports[i].boundary));
    }
    if (context->first_step > 0 && !monitor->restored) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s: monitors.ports: S-parameters need the whole run, and the run before "
                          "had no such monitor, or other ports or frequencies, or drove another "
                          "port: begin anew",
                          deck->path);
    }
    return SEDGE_OK;
}

// Fields that follow from one signal, which ends.
static sedge_status check_fields(const ports_monitor *monitor)
{
    const sedge_output_context *const context = monitor->context;
    const double *const driven =
        monitor->driven >= 0 ? monitor->ports[monitor->driven].boundary->parameters : NULL;

    if (driven == NULL) return SEDGE_OK;
    if (!context->problem->initial->zero) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s: monitors.ports: S-parameters are those of a driven port alone, and "
                          "the run begins with fields (initial, of type '%s'): leave them out",
                          context->deck->path, context->problem->initial->name);
    }
    if (sedge_signal_kind_of(driven + PORT_SIGNAL)->end != NULL) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "%s: monitors.ports: S-parameters need a signal that ends, such as a "
                      "gaussian, and sources.0.signal does not",
                      context->deck->path);
}

// A port's name is that of a group beside the dataset "time".
static sedge_status check_names(const ports_monitor *monitor)
{
    for (int i = 0; i < monitor->count; i++) {
        const char *const name = monitor->ports[i].name;

        if (strchr(name, '/') == NULL && strcmp(name, ".") != 0 && strcmp(name, "time") != 0)
            continue;
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s: monitors.ports: ports.h5 has a group for each port, whose name must "
                          "not be 'time' or '.' or have a '/': give the surface '%s' another name",
                          monitor->context->deck->path, name);
    }
    return SEDGE_OK;
}

// A guide's port is of use above its cut-off only.
static sedge_status check_cutoffs(const ports_monitor *monitor)
{
    const sedge_output_context *const context = monitor->context;
    const sedge_deck *const deck = context->deck;
    const char *const hertz = sedge_deck_unit(deck, SEDGE_FREQUENCY);

    for (int i = 0; i < monitor->count; i++) {
        const port *const one = &monitor->ports[i];
        if (!port_is_guide(one->boundary->kind)) continue;
        const double cutoff = port_cutoff(context->problem, one->boundary->parameters);
        if (monitor->band[1] > 1.01 * cutoff) continue;
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s: monitors.ports: all frequencies up to %.6g%s are below 1.01 of the "
                          "cut-off %.6g%s of the mode of the port '%s', which then carries no "
                          "power",
                          deck->path, sedge_deck_frequency(deck, monitor->band[1]), hertz,
                          sedge_deck_frequency(deck, cutoff), hertz, one->name);
    }
    return SEDGE_OK;
}

// The source must send something in the band: the rest is noise, divided by noise.
static sedge_status check_band(const ports_monitor *monitor)
{
    const sedge_deck *const deck = monitor->context->deck;
    const char *const hertz = sedge_deck_unit(deck, SEDGE_FREQUENCY);
    double most = 0.0;

    if (monitor->driven < 0) return SEDGE_OK;
    const double *const signal = monitor->ports[monitor->driven].boundary->parameters + PORT_SIGNAL;
    for (int i = 0; i <= PLACES && most < deck->frequency_floor; i++) {
        const double frequency =
            monitor->band[0] + (monitor->band[1] - monitor->band[0]) * i / PLACES;
        most = fmax(most, sedge_signal_part(signal, frequency, HUGE_VAL));
    }
    if (most >= deck->frequency_floor) return SEDGE_OK;
    return SEDGE_FAIL(
        SEDGE_ERR_USAGE,
        "%s: monitors.ports: from %.6g%s to %.6g%s the spectrum of the source's signal "
        "is at most %.2g of its peak, so that there is nothing to measure: let "
        "sources.0.signal cover these frequencies",
        deck->path, sedge_deck_frequency(deck, monitor->band[0]), hertz,
        sedge_deck_frequency(deck, monitor->band[1]), hertz, most);
}

// The plane that S-parameters refer to lies in the mesh.
static sedge_status check_shift(const ports_monitor *monitor, const port *one)
{
    const sedge_output_context *const context = monitor->context;
    const double *const p = one->boundary->parameters;
    const double *const into = p + GUIDE_DIRECTION;
    const double(*const bounds)[3] = context->mesh->bounds;
    double most = 0.0, square = 0.0;

    for (int d = 0; d < 3; d++) {
        most += fmax(into[d] * (bounds[0][d] - p[PORT_ORIGIN + d]),
                     into[d] * (bounds[1][d] - p[PORT_ORIGIN + d]));
        square += into[d] * into[d];
    }
    most /= sqrt(square);
    if (p[GUIDE_SHIFT] <= most) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "%s: boundaries.%s: shift %.6g moves the port's plane out of the mesh, which "
                      "ends %.6g from the port; %s",
                      context->deck->path, one->name, p[GUIDE_SHIFT], most,
                      sedge_deck_question(context->deck));
}

// Collective.
static sedge_status check_place(const ports_monitor *monitor, const port *one)
{
    const sedge_output_context *const context = monitor->context;
    const sedge_problem *const problem = context->problem;
    const char *const path = context->deck->path;

    if (strcmp(one->boundary->kind->name, "lumped-port") == 0)
        return port_check_ends(problem, context->comm, context->mesh, one->surface, path);
    if (!port_is_guide(one->boundary->kind)) return SEDGE_OK;
    SEDGE_TRY(check_shift(monitor, one));
    SEDGE_TRY(port_check_rim(problem, context->comm, context->mesh, one->surface, path));
    return port_check_direction(problem, context->comm, context->mesh, one->surface, path);
}

// ---- making ------------------------------------------------------------------------------------

// What the sums are of: frequencies, the driven port, and ports with their names, types and keys.
static void describe_sums(const ports_monitor *monitor, char text[SEDGE_HASH_TEXT])
{
    const sedge_deck *const deck = monitor->context->deck;
    uint64_t sum = sedge_hash_quick(0, monitor->band, sizeof monitor->band);

    sum = sedge_hash_quick(sum, &monitor->frequencies, sizeof monitor->frequencies);
    sum = sedge_hash_quick(sum, &monitor->driven, sizeof monitor->driven);
    for (int i = 0; i < deck->boundary_count; i++) {
        const sedge_deck_boundary *const one = &deck->boundaries[i];
        if (!port_is(one->kind)) continue;
        const int numbers =
            sedge_parameters_size(one->kind->parameters, one->kind->parameter_count);

        sum = sedge_hash_quick(sum, one->name, strlen(one->name) + 1);
        sum = sedge_hash_quick(sum, one->kind->name, strlen(one->kind->name) + 1);
        sum = sedge_hash_quick(sum, one->parameters, (size_t)numbers * sizeof *one->parameters);
    }
    (void)snprintf(text, SEDGE_HASH_TEXT, "%016llx", (unsigned long long)sum);
}

// All points of all ports, one port after the other.
static sedge_status list_points(ports_monitor *monitor)
{
    int64_t count = 0;

    for (int i = 0; i < monitor->count; i++)
        count += port_meter_points(monitor->ports[i].meter, NULL);
    SEDGE_TRY(sedge_allocate(&monitor->point, count, sizeof *monitor->point));
    for (int i = 0; i < monitor->count; i++) {
        monitor->points +=
            (int)port_meter_points(monitor->ports[i].meter, monitor->point + monitor->points);
    }
    return SEDGE_OK;
}

// The sums, which checkpoints have, a row for each port. Root holds them.
static sedge_status make_sums(ports_monitor *monitor)
{
    const int64_t rows = sedge_comm_is_root(monitor->context->comm) ? monitor->count : 0;
    const int64_t width = (int64_t)monitor->frequencies * PORT_SERIES * 2;

    SEDGE_TRY(sedge_allocate(&monitor->sums, rows * width, sizeof *monitor->sums));
    SEDGE_TRY(sedge_allocate(&monitor->ids, rows, sizeof *monitor->ids));
    for (int64_t i = 0; i < rows; i++) monitor->ids[i] = i;
    monitor->array = (sedge_monitor_array){.name = "ports",
                                           .restore = monitor->restored,
                                           .limit = monitor->count,
                                           .count = rows,
                                           .ids = monitor->ids,
                                           .width = width,
                                           .values = monitor->sums};
    return SEDGE_OK;
}

static sedge_status make_file(const void *what, sedge_h5 *file)
{
    static const char *const names[PORT_SERIES] = {"voltage", "current"};
    static const char *const units[PORT_SERIES] = {"V", "A"};
    const ports_monitor *const monitor = what;
    char path[160];

    SEDGE_TRY(sedge_output_describe(file, monitor->context, "voltages and currents of ports"));
    SEDGE_TRY(sedge_h5_series(file, "/time", SEDGE_H5_F64, 0, NULL, 1024));
    SEDGE_TRY(sedge_h5_text(file, "/time", "units", sedge_output_unit(monitor->context, "s")));
    for (int i = 0; i < monitor->count; i++) {
        (void)snprintf(path, sizeof path, "/%s", monitor->ports[i].name);
        SEDGE_TRY(sedge_h5_group(file, path));
        for (int k = 0; k < PORT_SERIES; k++) {
            (void)snprintf(path, sizeof path, "/%s/%s", monitor->ports[i].name, names[k]);
            SEDGE_TRY(sedge_h5_series(file, path, SEDGE_H5_F64, 0, NULL, 1024));
            SEDGE_TRY(
                sedge_h5_text(file, path, "units", sedge_output_unit(monitor->context, units[k])));
        }
    }
    return SEDGE_OK;
}

// What the run before left. Collective.
static sedge_status load(ports_monitor *monitor, const json_t *memory)
{
    const sedge_output_context *const context = monitor->context;
    const char *const before = json_string_value(json_object_get(memory, "sums"));
    char now[SEDGE_HASH_TEXT];

    describe_sums(monitor, now);
    monitor->restored = before != NULL && strcmp(before, now) == 0;
    monitor->part = json_integer_value(json_object_get(memory, "part"));
    for (int i = 0; i < monitor->count && monitor->restored; i++) {
        const json_t *const list = json_array_get(json_object_get(memory, "largest"), (size_t)i);
        port *const one = &monitor->ports[i];

        one->largest = json_number_value(json_array_get(list, 0));
        one->last = json_number_value(json_array_get(list, 1));
        one->current = json_number_value(json_array_get(list, 2));
    }
    return sedge_series_load(&monitor->samples, context->continues ? memory : NULL, "ports");
}

// Find the steps between samples: those of the run before where this one goes on, as sums are of
// equal intervals. Collective.
static sedge_status choose_every(ports_monitor *monitor, const json_t *memory)
{
    const sedge_output_context *const context = monitor->context;
    const sedge_deck *const deck = context->deck;
    const int every = (int)json_integer_value(json_object_get(memory, "every"));
    const double before = json_number_value(json_object_get(memory, "dt"));

    SEDGE_TRY(sedge_sampling_every(&monitor->every, context, monitor->band[1],
                                   "monitors.ports asks for S-parameters"));
    if (!monitor->restored) return SEDGE_OK;
    if (every < 1 || fabs(before / context->dt - 1.0) > SAME_STEP) {
        const double unit = sedge_deck_time_unit(deck);
        const char *const second = sedge_deck_unit(deck, SEDGE_TIME);

        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s: monitors.ports: S-parameters need the same time step in the whole "
                          "run, and it was %.6g%s in the run before and is %.6g%s now: keep it, or "
                          "begin anew",
                          deck->path, before * unit, second, context->dt * unit, second);
    }
    monitor->every = every;
    return SEDGE_OK;
}

static sedge_status create(void **out, const sedge_output_context *context,
                           const double *parameters, const json_t *memory)
{
    const sedge_comm *const comm = context->comm;
    ports_monitor *monitor = NULL;
    sedge_status status;

    *out = NULL;
    status = sedge_allocate(&monitor, 1, sizeof *monitor);
    if (status == SEDGE_OK) {
        monitor->context = context;
        status = sedge_allocate(&monitor->ports, context->deck->boundary_count + 1,
                                sizeof *monitor->ports);
    }
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    monitor->band[0] = parameters[FROM];
    monitor->band[1] = parameters[TO];
    monitor->frequencies = (int)parameters[COUNT];
    list_ports(monitor);
    SEDGE_TRY_GOTO(status, load(monitor, memory));
    SEDGE_TRY_GOTO(status, check_deck(monitor));
    SEDGE_TRY_GOTO(status, check_fields(monitor));
    SEDGE_TRY_GOTO(status, check_names(monitor));
    SEDGE_TRY_GOTO(status, check_cutoffs(monitor));
    SEDGE_TRY_GOTO(status, check_band(monitor));
    for (int i = 0; i < monitor->count; i++)
        SEDGE_TRY_GOTO(status, check_place(monitor, &monitor->ports[i]));
    SEDGE_TRY_GOTO(status, choose_every(monitor, memory));
    for (int i = 0; i < monitor->count && !context->checks; i++) {
        SEDGE_TRY_GOTO(status, port_meter_create(&monitor->ports[i].meter, context,
                                                 monitor->ports[i].surface));
    }
    if (!context->checks) {
        status = list_points(monitor);
        if (status == SEDGE_OK) status = make_sums(monitor);
        if (status == SEDGE_OK && sedge_comm_is_root(comm)) {
            status = sedge_series_make(context, "ports.h5", (int64_t)monitor->count * ENTRY_BYTES,
                                       monitor->samples, make_file, monitor);
        }
        SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    }
    *out = monitor;
    monitor = NULL;
done:
    release(monitor);
    return status;
}

static const sedge_monitor_array *get_arrays(const void *what, int *count)
{
    const ports_monitor *const monitor = what;

    *count = 1;
    return &monitor->array;
}

static sedge_status save(const void *what, json_t *memory)
{
    const ports_monitor *const monitor = what;
    json_t *const largest = json_array();
    char text[SEDGE_HASH_TEXT];
    int failed = 0;

    describe_sums(monitor, text);
    for (int i = 0; i < monitor->count; i++) {
        const port *const one = &monitor->ports[i];
        failed |= json_array_append_new(
            largest, json_pack("[f, f, f]", one->largest, one->last, one->current));
    }
    failed |= json_object_set_new(memory, "largest", largest);
    failed |= json_object_set_new(memory, "part", json_integer(monitor->part));
    failed |= json_object_set_new(memory, "sums", json_string(text));
    failed |= json_object_set_new(memory, "every", json_integer(monitor->every));
    failed |= json_object_set_new(memory, "dt", json_real(monitor->context->dt));
    if (failed != 0) return SEDGE_FAIL(SEDGE_ERR_MEMORY, "ports: out of memory");
    return sedge_series_save(monitor->samples, memory, "ports");
}

// ---- samples -----------------------------------------------------------------------------------

static bool due(const void *what, int64_t step)
{
    const ports_monitor *const monitor = what;
    const sedge_output_context *const context = monitor->context;

    return step % monitor->every == 0 && !(monitor->restored && step == context->first_step);
}

static const sedge_monitor_point *get_points(const void *what, int *count)
{
    const ports_monitor *const monitor = what;

    *count = monitor->points;
    return monitor->point;
}

// Deck's value = code value * factor, of a voltage and of a current.
static double series_unit(const ports_monitor *monitor, int k)
{
    const double *const si = monitor->context->deck->equation->si;

    if (!monitor->context->deck->si) return 1.0;
    return k == PORT_VOLTAGE ? 1.0 / si[SEDGE_VOLTAGE] : si[SEDGE_RESISTANCE] / si[SEDGE_VOLTAGE];
}

// Root: append samples, values [ports][PORT_SERIES][samples].
static sedge_status append(const ports_monitor *monitor, int samples, const double *times,
                           const double *values)
{
    static const char *const names[PORT_SERIES] = {"voltage", "current"};
    const sedge_output_context *const context = monitor->context;
    const int series = 1 + PORT_SERIES * monitor->count;
    char path[SEDGE_OUTPUT_PATH];
    double *shown = NULL;
    sedge_h5 *file = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&shown, samples, sizeof *shown));
    sedge_output_path(path, context, "ports.h5");
    SEDGE_TRY_GOTO(status, sedge_h5_open_series(&file, path,
                                                (int64_t)samples * series * (int64_t)sizeof *shown,
                                                series));
    for (int i = 0; i < PORT_SERIES * monitor->count; i++) {
        const double *const from = values + (int64_t)i * samples;
        char name[160];

        (void)snprintf(name, sizeof name, "/%s/%s", monitor->ports[i / PORT_SERIES].name,
                       names[i % PORT_SERIES]);
        for (int s = 0; s < samples; s++)
            shown[s] = from[s] * series_unit(monitor, i % PORT_SERIES);
        SEDGE_TRY_GOTO(status, sedge_h5_extend(file, name, SEDGE_H5_F64, samples, shown));
    }
    for (int s = 0; s < samples; s++) shown[s] = times[s] * sedge_deck_time_unit(context->deck);
    status = sedge_h5_extend(file, "/time", SEDGE_H5_F64, samples, shown);
done:
    sedge_release(shown);
    return sedge_h5_close(file, status);
}

// Root: add a sample to the sums.
static void add(const ports_monitor *monitor, double time, const double *values, int64_t stride)
{
    const double interval = monitor->context->dt * monitor->every;

    for (int k = 0; k < monitor->frequencies; k++) {
        const double phase = 2.0 * PI * frequency_at(monitor, k) * time;
        const double factor[2] = {interval * cos(phase), -interval * sin(phase)};
        for (int i = 0; i < PORT_SERIES * monitor->count; i++) {
            double *const sum =
                monitor->sums +
                2 * (((int64_t)(i / PORT_SERIES) * monitor->frequencies + k) * PORT_SERIES +
                     i % PORT_SERIES);
            sum[0] += values[i * stride] * factor[0];
            sum[1] += values[i * stride] * factor[1];
        }
    }
}

// Begin a part of the run at this step if the part before has TAIL of the steps until now. The last
// two parts are then the end of the run, however long it is.
static void begin_part(ports_monitor *monitor, int64_t step)
{
    if ((double)monitor->part > (1.0 - TAIL) * (double)step) return;
    monitor->part = step;
    for (int i = 0; i < monitor->count; i++) {
        port *const one = &monitor->ports[i];

        one->last = one->current;
        one->current = 0.0;
    }
}

static sedge_status receive(void *what, int samples, const int64_t *steps, const double *times,
                            const double *values)
{
    ports_monitor *const monitor = what;
    const sedge_comm *const comm = monitor->context->comm;
    const int64_t stride = (int64_t)6 * monitor->points;
    double *all = NULL; // [ports][PORT_SERIES][samples]

    SEDGE_TRY(sedge_comm_agree(
        comm, sedge_allocate(&all, (int64_t)PORT_SERIES * monitor->count * samples, sizeof *all)));
    for (int s = 0; s < samples; s++) {
        const double *u = values + stride * s;

        begin_part(monitor, steps[s]);
        for (int i = 0; i < monitor->count; i++) {
            port *const one = &monitor->ports[i];
            double pair[PORT_SERIES];

            port_meter_read(pair, one->meter, times[s], u);
            for (int k = 0; k < PORT_SERIES; k++)
                all[((int64_t)i * PORT_SERIES + k) * samples + s] = pair[k];
            one->largest = fmax(one->largest, fabs(pair[PORT_VOLTAGE]));
            one->current = fmax(one->current, fabs(pair[PORT_VOLTAGE]));
            u += 6 * port_meter_points(one->meter, NULL);
        }
        if (sedge_comm_is_root(comm)) add(monitor, times[s], all + s, samples);
    }
    monitor->samples += samples;
    const sedge_status status = sedge_comm_agree(
        comm, sedge_comm_is_root(comm) ? append(monitor, samples, times, all) : SEDGE_OK);
    sedge_release(all);
    return status;
}

// ---- the end -----------------------------------------------------------------------------------

// The impedance of a port; not a number: its mode carries no power.
static double impedance_at(const ports_monitor *monitor, const port *one, double frequency)
{
    const double *const p = one->boundary->parameters;

    return port_is_guide(one->boundary->kind)
               ? port_impedance(monitor->context->problem, p, frequency)
               : 1.0 / (p[PORT_CONDUCTANCE] * p[PORT_SQUARES]);
}

// The waves that enter the structure, [0], and leave it, [1], at frequency k.
static void find_waves(double complex waves[2], const ports_monitor *monitor, int i, int k)
{
    const port *const one = &monitor->ports[i];
    const double *const sum =
        monitor->sums + 2 * ((int64_t)i * monitor->frequencies + k) * PORT_SERIES;
    const double frequency = frequency_at(monitor, k);
    const double z = impedance_at(monitor, one, frequency);
    const double complex v = sum[0] + sum[1] * (double complex)_Complex_I;
    const double complex current = sum[2] + sum[3] * (double complex)_Complex_I;
    double complex turn = 1.0;

    if (port_is_guide(one->boundary->kind)) {
        const double *const p = one->boundary->parameters;
        turn = cexp((double complex)_Complex_I *
                    port_phase(monitor->context->problem, p, frequency) * p[GUIDE_SHIFT]);
    }
    waves[0] = (v + z * current) / (2.0 * sqrt(z)) / turn;
    waves[1] = (v - z * current) / (2.0 * sqrt(z)) * turn;
}

// Root: the waves at the ports by the wave that drives, [frequencies][ports], those that leave and
// those that enter. Frequencies that the source lacks have none.
static void find_parameters(ports_monitor *monitor)
{
    const double floor = monitor->context->deck->frequency_floor;
    double complex driving[2], waves[2];
    double peak = 0.0;

    for (int k = 0; k < monitor->frequencies; k++) {
        find_waves(driving, monitor, monitor->driven, k);
        peak = fmax(peak, cabs(driving[0]));
    }
    for (int k = 0; k < monitor->frequencies; k++) {
        find_waves(driving, monitor, monitor->driven, k);
        const bool known = cabs(driving[0]) >= floor * peak;
        for (int i = 0; i < monitor->count; i++) {
            const int64_t at = (int64_t)k * monitor->count + i;
            find_waves(waves, monitor, i, k);
            monitor->incident[at] = known ? waves[0] / driving[0] : (double)NAN;
            monitor->s[at] = known ? waves[1] / driving[0] : (double)NAN;
        }
    }
}

static double shown_frequency(const ports_monitor *monitor, int k)
{
    return sedge_deck_frequency(monitor->context->deck, frequency_at(monitor, k));
}

// The reference of a port, in the deck's units; 0: its mode's own impedance.
static double shown_reference(const ports_monitor *monitor, const port *one)
{
    const double *const p = one->boundary->parameters;

    if (port_is_guide(one->boundary->kind)) return 0.0;
    return sedge_problem_shown(monitor->context->problem, SEDGE_RESISTANCE,
                               1.0 / (p[PORT_CONDUCTANCE] * p[PORT_SQUARES]));
}

static sedge_status write_table(const ports_monitor *monitor, const sedge_network *network)
{
    char path[SEDGE_OUTPUT_PATH];
    sedge_text *text = NULL;
    sedge_status status;

    sedge_output_path(path, monitor->context, "ports.csv");
    SEDGE_TRY(sedge_text_create(&text));
    SEDGE_TRY_GOTO(status, sedge_network_table_begin(text, ""));
    SEDGE_TRY_GOTO(status, sedge_network_table_add(text, network, ""));
    status = sedge_file_write(path, sedge_text_get(text), sedge_text_length(text));
done:
    sedge_text_free(text);
    return status;
}

// Root: the files, with the matrix s [frequencies][ports][ports], of which one column is known.
static sedge_status write_files(const ports_monitor *monitor, double complex *s, double *frequency,
                                sedge_network_port *ports)
{
    const int n = monitor->count;
    const sedge_network network = {.si = monitor->context->deck->si,
                                   .ports = n,
                                   .frequencies = monitor->frequencies,
                                   .port = ports,
                                   .frequency = frequency,
                                   .s = s};
    char path[SEDGE_OUTPUT_PATH];
    int left_out = 0;

    for (int i = 0; i < n; i++) {
        const port *const one = &monitor->ports[i];
        ports[i] = (sedge_network_port){one->name, shown_reference(monitor, one)};
    }
    for (int k = 0; k < monitor->frequencies; k++) {
        frequency[k] = shown_frequency(monitor, k);
        for (int i = 0; i < n * n; i++) {
            s[(int64_t)k * n * n + i] =
                i % n == monitor->driven ? monitor->s[(int64_t)k * n + i / n] : (double complex)NAN;
        }
    }
    SEDGE_TRY(write_table(monitor, &network));
    if (n > 1) return SEDGE_OK;
    sedge_output_path(path, monitor->context, "ports.s1p");
    return sedge_touchstone_write(&left_out, path, &network, NULL);
}

// Root.
static sedge_status write_all(ports_monitor *monitor)
{
    const int64_t n = monitor->count, frequencies = monitor->frequencies;
    double complex *s = NULL;
    double *frequency = NULL;
    sedge_network_port *ports = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&monitor->s, frequencies * n, sizeof *monitor->s));
    SEDGE_TRY_GOTO(status,
                   sedge_allocate(&monitor->incident, frequencies * n, sizeof *monitor->incident));
    SEDGE_TRY_GOTO(status, sedge_allocate(&s, frequencies * n * n, sizeof *s));
    SEDGE_TRY_GOTO(status, sedge_allocate(&frequency, frequencies, sizeof *frequency));
    SEDGE_TRY_GOTO(status, sedge_allocate(&ports, n, sizeof *ports));
    find_parameters(monitor);
    status = write_files(monitor, s, frequency, ports);
done:
    sedge_release(s);
    sedge_release(frequency);
    sedge_release(ports);
    return status;
}

static sedge_status finish(void *what)
{
    ports_monitor *const monitor = what;
    const sedge_comm *const comm = monitor->context->comm;

    if (monitor->driven < 0) return SEDGE_OK;
    return sedge_comm_agree(comm, sedge_comm_is_root(comm) ? write_all(monitor) : SEDGE_OK);
}

// A number, or null for what is not known.
static json_t *json_of(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static sedge_status report_table(const ports_monitor *monitor, sedge_text *text)
{
    const char *const hertz = sedge_deck_unit(monitor->context->deck, SEDGE_FREQUENCY);
    const int rows = monitor->frequencies < 11 ? monitor->frequencies : 11;

    SEDGE_TRY(sedge_text_add(
        text, "ports: |S| in dB of what '%s' sends, by frequency%s%s\n    %14s",
        monitor->ports[monitor->driven].name, hertz[0] != '\0' ? " in" : "", hertz, ""));
    for (int i = 0; i < monitor->count; i++)
        SEDGE_TRY(sedge_text_add(text, " %14s", monitor->ports[i].name));
    SEDGE_TRY(sedge_text_add(text, "\n"));
    for (int r = 0; r < rows; r++) {
        const int k = rows > 1 ? (int)((int64_t)r * (monitor->frequencies - 1) / (rows - 1)) : 0;
        SEDGE_TRY(sedge_text_add(text, "    %14.6g", shown_frequency(monitor, k)));
        for (int i = 0; i < monitor->count; i++) {
            const double size = cabs(monitor->s[(int64_t)k * monitor->count + i]);
            SEDGE_TRY(isnan(size) ? sedge_text_add(text, " %14s", "-")
                                  : sedge_text_add(text, " %14.3f", 20.0 * log10(size)));
        }
        SEDGE_TRY(sedge_text_add(text, "\n"));
    }
    return SEDGE_OK;
}

// Numbers of port i by frequency, as lists of real and of imaginary parts.
static void report_list(json_t *out, const ports_monitor *monitor, const double complex *values,
                        int i)
{
    json_t *const re = json_array();
    json_t *const im = json_array();

    for (int k = 0; k < monitor->frequencies; k++) {
        const double complex value = values[(int64_t)k * monitor->count + i];
        (void)json_array_append_new(re, json_of(creal(value)));
        (void)json_array_append_new(im, json_of(cimag(value)));
    }
    (void)json_object_set_new(out, "real", re);
    (void)json_object_set_new(out, "imaginary", im);
}

// S_ij, and of a port of a waveguide that is not driven what comes back from the layer behind it.
static json_t *report_port(const ports_monitor *monitor, int i)
{
    const port *const one = &monitor->ports[i];
    const double reference = shown_reference(monitor, one);
    json_t *const entry =
        json_pack("{s:s, s:s, s:o}", "name", one->name, "type", one->boundary->kind->name,
                  "reference", reference > 0.0 ? json_real(reference) : json_null());

    report_list(entry, monitor, monitor->s, i);
    if (i == monitor->driven || !port_is_guide(one->boundary->kind)) return entry;
    json_t *const incident = json_object();
    report_list(incident, monitor, monitor->incident, i);
    (void)json_object_set_new(entry, "incident", incident);
    return entry;
}

// Transforms of voltage and current, where there are no S-parameters.
static json_t *report_phasors(const ports_monitor *monitor, int i)
{
    static const char *const names[PORT_SERIES] = {"voltage", "current"};
    const port *const one = &monitor->ports[i];
    const double seconds = sedge_deck_time_unit(monitor->context->deck);
    json_t *const entry =
        json_pack("{s:s, s:s}", "name", one->name, "type", one->boundary->kind->name);

    for (int k = 0; k < PORT_SERIES; k++) {
        const double unit = series_unit(monitor, k) * seconds;
        json_t *const parts[2] = {json_array(), json_array()};

        for (int f = 0; f < 2 * monitor->frequencies; f++) {
            const double *const sum =
                monitor->sums + 2 * (((int64_t)i * monitor->frequencies + f / 2) * PORT_SERIES + k);
            (void)json_array_append_new(parts[f % 2], json_of(unit * sum[f % 2]));
        }
        (void)json_object_set_new(entry, names[k],
                                  json_pack("{s:o, s:o}", "real", parts[0], "imaginary", parts[1]));
    }
    return entry;
}

// The power, as far fields have it (of transforms), that comes with the driving wave, and the part
// of it that the driven port accepts.
static void report_power(json_t *json, const ports_monitor *monitor)
{
    const double seconds = sedge_deck_time_unit(monitor->context->deck);
    const double unit =
        series_unit(monitor, PORT_VOLTAGE) * series_unit(monitor, PORT_CURRENT) * seconds * seconds;
    json_t *const incident = json_array();
    json_t *const accepted = json_array();

    for (int k = 0; k < monitor->frequencies; k++) {
        double complex waves[2];
        find_waves(waves, monitor, monitor->driven, k);
        const double enters = 0.5 * unit * creal(waves[0] * conj(waves[0]));
        const double leaves = 0.5 * unit * creal(waves[1] * conj(waves[1]));
        (void)json_array_append_new(incident, json_of(enters));
        (void)json_array_append_new(accepted, json_of(enters - leaves));
    }
    (void)json_object_set_new(json, "incident_power", incident);
    (void)json_object_set_new(json, "accepted_power", accepted);
}

// Warn where the run ended too early.
static sedge_status report_end(const ports_monitor *monitor, sedge_text *text)
{
    double loudest = 0.0, worst = 0.0;

    for (int i = 0; i < monitor->count; i++) loudest = fmax(loudest, monitor->ports[i].largest);
    for (int i = 0; i < monitor->count; i++) {
        const port *const one = &monitor->ports[i];

        if (one->largest > FAINT * loudest)
            worst = fmax(worst, fmax(one->last, one->current) / one->largest);
    }
    if (worst <= LOUD) return SEDGE_OK;
    return sedge_text_add(text,
                          "  warning: at the end of the run a port's voltage was still %.2g of its "
                          "largest: let it run longer, or S-parameters have ripples\n",
                          worst);
}

// Warn where more power leaves than enters.
static sedge_status report_surplus(const ports_monitor *monitor, sedge_text *text)
{
    const char *const hertz = sedge_deck_unit(monitor->context->deck, SEDGE_FREQUENCY);
    double most = 0.0;
    int worst = 0;

    for (int k = 0; k < monitor->frequencies; k++) {
        double sum = 0.0;
        for (int i = 0; i < monitor->count; i++) {
            const double size = cabs(monitor->s[(int64_t)k * monitor->count + i]);
            sum += isfinite(size) ? size * size : 0.0;
        }
        if (sum > most) worst = k;
        most = fmax(most, sum);
    }
    if (most <= SURPLUS) return SEDGE_OK;
    return sedge_text_add(
        text,
        "  warning: at %.6g%s ports send out %.3g times the power that '%s' sends in: does the "
        "signal "
        "cover the band, do directions point into the structure, is a layer behind each port of a "
        "waveguide, and is the mesh fine enough?\n",
        shown_frequency(monitor, worst), hertz, most, monitor->ports[monitor->driven].name);
}

// Warn of ports that waves come back to from behind, at most of the frequencies.
static sedge_status report_returns(const ports_monitor *monitor, sedge_text *text)
{
    for (int i = 0; i < monitor->count; i++) {
        const port *const one = &monitor->ports[i];
        int known = 0, back = 0;

        if (i == monitor->driven || !port_is_guide(one->boundary->kind)) continue;
        for (int k = 0; k < monitor->frequencies; k++) {
            const int64_t at = (int64_t)k * monitor->count + i;
            const double leaves = cabs(monitor->s[at]), enters = cabs(monitor->incident[at]);
            if (!(leaves > QUIET || enters > QUIET)) continue;
            known++;
            if (enters > RETURN * leaves) back++;
        }
        if (2 * back <= known) continue;
        SEDGE_TRY(sedge_text_add(
            text,
            "  warning: what leaves through '%s' comes back from behind, and S-parameters of one "
            "run "
            "are wrong by it: its direction must point into the structure, and the guide behind it "
            "must end in a surface of type pml\n",
            one->name));
    }
    return SEDGE_OK;
}

static sedge_status report(const void *what, sedge_text *text, json_t *json)
{
    const ports_monitor *const monitor = what;
    json_t *const frequencies = json_array();
    json_t *const list = json_array();
    const bool alone = monitor->driven >= 0;

    (void)json_object_set_new(
        json, "driven", alone ? json_string(monitor->ports[monitor->driven].name) : json_null());
    (void)json_object_set_new(json, "frequency", frequencies);
    (void)json_object_set_new(json, "ports", list);
    if (alone) report_power(json, monitor);
    for (int k = 0; k < monitor->frequencies; k++)
        (void)json_array_append_new(frequencies, json_of(shown_frequency(monitor, k)));
    for (int i = 0; i < monitor->count; i++) {
        (void)json_array_append_new(list,
                                    alone ? report_port(monitor, i) : report_phasors(monitor, i));
    }
    SEDGE_TRY(alone
                  ? report_table(monitor, text)
                  : sedge_text_add(text, "ports: voltages and currents, but no S-parameters, which "
                                         "need a port driven by the deck's only source\n"));
    if (alone) {
        SEDGE_TRY(report_surplus(monitor, text));
        SEDGE_TRY(report_returns(monitor, text));
    }
    return report_end(monitor, text);
}

static bool owns(const char *name)
{
    static const char *const plain[] = {"", ".tmp", NULL};
    static const char *const numbered[] = {"", NULL};

    return sedge_output_is_numbered(name, "ports.h5", "", 0, plain) ||
           sedge_output_is_numbered(name, "ports.csv", "", 0, numbered) ||
           sedge_output_is_numbered(name, "ports.s1p", "", 0, numbered) ||
           sedge_output_is_numbered(name, "ports.h5.before-", "0123456789", 1, numbered);
}

static const sedge_parameter parameters[] = {
    [FROM] = {.name = "from",
              .required = true,
              .positive = true,
              .dimension = SEDGE_FREQUENCY,
              .text = "the lowest frequency"},
    [TO] = {.name = "to",
            .required = true,
            .positive = true,
            .dimension = SEDGE_FREQUENCY,
            .text = "the highest"},
    [COUNT] = {.name = "count",
               .type = SEDGE_PARAMETER_INTEGER,
               .fallback = {101.0},
               .minimum = 1.0,
               .maximum = 100000.0,
               .text = "of frequencies, in equal steps"},
};

const sedge_monitor_kind sedge_monitor_ports = {
    .name = "ports",
    .text = "voltages and currents of the ports over time, and in ports.csv the S-parameters of "
            "the port that a source drives",
    .parameters = parameters,
    .parameter_count = PARAMETERS,
    .create = create,
    .sums = true,
    .checked = true,
    .arrays = get_arrays,
    .due = due,
    .points = get_points,
    .receive = receive,
    .finish = finish,
    .report = report,
    .save = save,
    .free = release,
    .owns = owns,
};
