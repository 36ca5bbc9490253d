// ports.h5: voltage and current of each port over time, /time and /NAME/voltage and /NAME/current
// [samples]. Where one port alone is driven, ports.csv: the S-parameters that follow from them, a
// line for each frequency and port; of a deck with one port also ports.s1p. They are written when
// the run has come to its end.
#include "ports.h"

#include "base/hash.h"
#include "base/memory.h"
#include "dg/monitor_kind.h"
#include "dg/surface_field.h"
#include "monitor/output_describe.h"
#include "monitor/output_folder.h"
#include "monitor/sampling.h"
#include "monitor/series.h"
#include "monitor/settling.h"

#include <jansson.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PI          3.14159265358979323846
#define ENTRY_BYTES 16384 // what describes a port in the file
#define TAIL        0.025 // of the run: its end, in which voltages should be nothing
#define SAME_STEP   0.05  // by how much a run may change the time step of the run before

enum { FROM, TO, COUNT, PARAMETERS };

static void release(void *what)
{
    ports_monitor *const monitor = what;

    if (monitor == NULL) return;
    for (int i = 0; i < monitor->count && monitor->ports != NULL; i++)
        port_meter_free(monitor->ports[i].meter);
    sedge_release(monitor->ports);
    sedge_release(monitor->point);
    sedge_release(monitor->pairs);
    sedge_release(monitor->separation);
    sedge_release(monitor->sums);
    sedge_release(monitor->ids);
    ports_settling_free(monitor);
    sedge_release(monitor->s);
    sedge_release(monitor->incident);
    sedge_release(monitor);
}

// ---- making ------------------------------------------------------------------------------------

// The port of that name; NULL: there is none.
static const sedge_boundary *find_port(const sedge_problem *problem, const char *name)
{
    for (int i = 0; i < problem->surfaces + problem->further_count; i++) {
        const sedge_boundary *const one = sedge_problem_condition(problem, i);
        if (port_is(one->kind) && strcmp(one->name, name) == 0) return one;
    }
    return NULL;
}

// The deck's ports, in its order.
static void list_ports(ports_monitor *monitor)
{
    const sedge_output_context *const context = monitor->context;
    const sedge_problem *const problem = context->problem;

    monitor->driven = -1;
    for (int i = 0; i < context->deck->boundary_count; i++) {
        const char *const name = context->deck->boundaries[i].name;
        const sedge_boundary *const found = find_port(problem, name);
        if (found == NULL) continue;
        for (int k = 0; k < problem->surface_source_count; k++)
            if (problem->surface_sources[k].boundary == found) monitor->driven = monitor->count;
        monitor->ports[monitor->count++] = (port){.name = name, .boundary = found};
    }
    if (context->deck->source_count != 1) monitor->driven = -1;
}

// What a port is, whichever of the deck's ways of saying so was taken.
static uint64_t describe_port(uint64_t sum, const port *one)
{
    const double *const p = one->boundary->parameters;
    double numbers[PORT_VOLUME - PORT_PROFILE + 2] = {0.0};
    const sedge_surface_field *const field = one->boundary->field;
    double normal[3], along = 0.0;

    for (int i = PORT_PROFILE; i < PORT_VOLUME; i++)
        numbers[i - PORT_PROFILE] = p[i] + 0.0; // -0 becomes 0
    if (port_is_guide(one->boundary->kind)) {
        port_normal(one->boundary, normal);
        for (int d = 0; d < 3; d++) along += p[GUIDE_DIRECTION + d] * normal[d];
        numbers[PORT_VOLUME - PORT_PROFILE] = copysign(1.0, along);
        numbers[PORT_VOLUME - PORT_PROFILE + 1] = p[GUIDE_SHIFT];
    }
    if (field != NULL) {
        const int64_t values = field->faces * sedge_triangle_count(field->order);
        sum = sedge_hash_quick(sum, field->values, (size_t)values * sizeof *field->values);
    }
    sum = sedge_hash_quick(sum, one->name, strlen(one->name) + 1);
    return sedge_hash_quick(sum, numbers, sizeof numbers);
}

// What the sums are of: frequencies, the driven port, and ports.
static void describe_sums(const ports_monitor *monitor, char text[SEDGE_HASH_TEXT])
{
    uint64_t sum = sedge_hash_quick(0, monitor->band, sizeof monitor->band);

    sum = sedge_hash_quick(sum, &monitor->frequencies, sizeof monitor->frequencies);
    sum = sedge_hash_quick(sum, &monitor->driven, sizeof monitor->driven);
    for (int i = 0; i < monitor->count; i++) sum = describe_port(sum, &monitor->ports[i]);
    (void)snprintf(text, SEDGE_HASH_TEXT, "%016llx", (unsigned long long)sum);
}

// The first port on the surface of port i.
static int find_first(const ports_monitor *monitor, int i)
{
    int first = 0;

    while (monitor->ports[first].boundary->surface != monitor->ports[i].boundary->surface) first++;
    return first;
}

// All points of all surfaces with ports, one after the other.
static sedge_status list_points(ports_monitor *monitor)
{
    int64_t count = 0;

    for (int i = 0; i < monitor->count; i++)
        if (find_first(monitor, i) == i) count += port_meter_points(monitor->ports[i].meter, NULL);
    SEDGE_TRY(sedge_allocate(&monitor->point, count, sizeof *monitor->point));
    for (int i = 0; i < monitor->count; i++) {
        port *const one = &monitor->ports[i];
        const int first = find_first(monitor, i);

        one->first = first < i ? monitor->ports[first].first : monitor->points;
        if (first == i)
            monitor->points += (int)port_meter_points(one->meter, monitor->point + one->first);
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
    if (monitor->driven >= 0) {
        const int64_t all = rows * monitor->frequencies;
        SEDGE_TRY(sedge_allocate(&monitor->s, all, sizeof *monitor->s));
        SEDGE_TRY(sedge_allocate(&monitor->incident, all, sizeof *monitor->incident));
    }
    for (int64_t i = 0; i < rows; i++) monitor->ids[i] = i;
    monitor->array[monitor->arrays++] = (sedge_monitor_array){.name = "ports",
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
        one->given = json_number_value(json_array_get(list, 3));
        one->passed = json_number_value(json_array_get(list, 4));
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
    SEDGE_TRY_GOTO(status, ports_check(monitor));
    SEDGE_TRY_GOTO(status, choose_every(monitor, memory));
    for (int i = 0; i < monitor->count && !context->checks; i++) {
        SEDGE_TRY_GOTO(status, port_meter_create(&monitor->ports[i].meter, context,
                                                 monitor->ports[i].boundary));
    }
    if (!context->checks) {
        SEDGE_TRY_GOTO(status, ports_separation_create(monitor));
        status = list_points(monitor);
        if (status == SEDGE_OK) status = make_sums(monitor);
        if (status == SEDGE_OK && sedge_comm_is_root(comm)) {
            status = sedge_series_make(context, "ports.h5", (int64_t)monitor->count * ENTRY_BYTES,
                                       monitor->samples, make_file, monitor);
        }
        SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
        SEDGE_TRY_GOTO(status, ports_settling_create(monitor, memory));
    }
    *out = monitor;
    monitor = NULL;
done:
    release(monitor);
    return status;
}

// A port's points, for each of which there are weights, the modes, factors, the place, the normal,
// the area, the element and its entry in `points`.
static void find_needs(sedge_monitor_needs *out, const sedge_output_context *context,
                       const double *parameters)
{
    const sedge_problem *const problem = context->problem;
    const double each = 8.0 * context->element->nodes + 48.0 + 16.0 + 48.0 + 8.0 + 4.0 +
                        (double)sizeof(sedge_monitor_point);

    out->highest = parameters[TO];
    for (int i = 0; i < problem->surfaces + problem->further_count; i++) {
        const sedge_boundary *const one = sedge_problem_condition(problem, i);
        if (!port_is(one->kind)) continue;
        const double points =
            sedge_sampling_face_points(context, context->mesh->groups.surface_names[one->surface]);
        if (i < problem->surfaces) out->points += points;
        out->host_bytes += points * each + 16.0 * PORT_SERIES * parameters[COUNT]; // sums
    }
}

static const sedge_monitor_array *get_arrays(const void *what, int *count)
{
    const ports_monitor *const monitor = what;

    *count = monitor->arrays;
    return monitor->array;
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
        failed |=
            json_array_append_new(largest, json_pack("[f, f, f, f, f]", one->largest, one->last,
                                                     one->current, one->given, one->passed));
    }
    failed |= json_object_set_new(memory, "largest", largest);
    failed |= json_object_set_new(memory, "part", json_integer(monitor->part));
    failed |= json_object_set_new(memory, "sums", json_string(text));
    failed |= json_object_set_new(memory, "every", json_integer(monitor->every));
    failed |= json_object_set_new(memory, "dt", json_real(monitor->context->dt));
    if (failed != 0) return SEDGE_FAIL(SEDGE_ERR_MEMORY, "ports: out of memory");
    if (monitor->context->deck->stop_spectra > 0.0)
        SEDGE_TRY(sedge_settling_save(monitor->settling, memory, "settling"));
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
        for (int s = 0; s < samples; s++) shown[s] = from[s] * ports_unit(monitor, i % PORT_SERIES);
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
        const double phase = 2.0 * PI * ports_frequency(monitor, k) * time;
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
        begin_part(monitor, steps[s]);
        for (int i = 0; i < monitor->count; i++) {
            port_meter_read(monitor->pairs[i], monitor->ports[i].meter, times[s],
                            values + stride * s + 6 * monitor->ports[i].first);
        }
        ports_separate(monitor);
        for (int i = 0; i < monitor->count; i++) {
            port *const one = &monitor->ports[i];
            const double *const pair = monitor->pairs[i];

            for (int k = 0; k < PORT_SERIES; k++)
                all[((int64_t)i * PORT_SERIES + k) * samples + s] = pair[k];
            one->largest = fmax(one->largest, fabs(pair[PORT_VOLTAGE]));
            one->current = fmax(one->current, fabs(pair[PORT_VOLTAGE]));
            if (port_is_guide(one->boundary->kind)) continue;
            const double given = pair[PORT_VOLTAGE] * pair[PORT_CURRENT];
            const double passed = port_meter_flux(one->meter, values + stride * s + 6 * one->first);
            if (!isfinite(given) || !isfinite(passed)) continue; // checkpoints have finite numbers
            one->given += given;
            one->passed += passed;
        }
        if (sedge_comm_is_root(comm)) add(monitor, times[s], all + s, samples);
    }
    monitor->samples += samples;
    const sedge_status status = sedge_comm_agree(
        comm, sedge_comm_is_root(comm) ? append(monitor, samples, times, all) : SEDGE_OK);
    sedge_release(all);
    return status;
}

static sedge_status finish(void *what)
{
    ports_monitor *const monitor = what;
    const sedge_comm *const comm = monitor->context->comm;

    if (monitor->driven < 0) return SEDGE_OK;
    return sedge_comm_agree(comm, sedge_comm_is_root(comm) ? ports_write(monitor) : SEDGE_OK);
}

static sedge_status report(const void *what, sedge_text *text, json_t *json)
{
    return ports_report(what, text, json);
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
    .find_needs = find_needs,
    .arrays = get_arrays,
    .due = due,
    .points = get_points,
    .receive = receive,
    .compare = ports_compare,
    .finish = finish,
    .report = report,
    .save = save,
    .free = release,
    .owns = owns,
};
