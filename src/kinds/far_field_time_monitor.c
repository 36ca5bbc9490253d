// far-field-time.h5: far fields over time (scattering/far_time.h) of the surfaces of
// monitors.far-field that have `time`. Written when the run has come to its end.
//
// /NAME/time [times], the time at the distance R less the wave's way from the attribute `centre`;
// theta and phi (degrees); E_theta and E_phi [theta][phi][times], the distance times the field.
#include "dg/monitor_kind.h"

#include "base/file.h"
#include "base/memory.h"
#include "monitor/output_describe.h"
#include "monitor/output_folder.h"
#include "monitor/sampling.h"
#include "radiation/radiation.h"
#include "scattering/far_time.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ENTRY_BYTES 65536 // what describes an entry in the file, beside its numbers

typedef struct time_entry {
    const sedge_deck_far_field *deck;
    sedge_face_points faces;
    sedge_radiation radiation; // the surface, its medium and directions
    sedge_far_time far;
    bool restored;  // goes on from a checkpoint, which has the sample of its step
    double *before; // sums of before a restart, [directions][2][their places]; until a sample comes
} time_entry;

typedef struct time_monitor {
    const sedge_output_context *context;
    int64_t every; // steps between samples
    int count;
    time_entry *entries;         // [count]
    sedge_monitor_array *arrays; // [count]
    int64_t **ids;               // [count][directions]
    int points;                  // of all entries
    sedge_monitor_point *point;  // [points]
    int64_t samples;             // those of before included
} time_monitor;

static void release(void *what)
{
    time_monitor *const monitor = what;

    if (monitor == NULL) return;
    for (int i = 0; i < monitor->count; i++) {
        sedge_far_time_clear(&monitor->entries[i].far);
        sedge_radiation_clear(&monitor->entries[i].radiation);
        sedge_face_points_clear(&monitor->entries[i].faces);
        sedge_release(monitor->entries[i].before);
        sedge_release(monitor->ids[i]);
    }
    sedge_release(monitor->entries);
    sedge_release(monitor->arrays);
    sedge_release(monitor->ids);
    sedge_release(monitor->point);
    sedge_release(monitor);
}

// ---- making ------------------------------------------------------------------------------------

// The array of an entry: all its rows are the first rank's. `old` is what a checkpoint says of it.
static sedge_status make_array(time_monitor *monitor, int i, const json_t *old)
{
    const sedge_output_context *const context = monitor->context;
    time_entry *const entry = &monitor->entries[i];
    sedge_monitor_array *const array = &monitor->arrays[i];
    const bool root = sedge_comm_is_root(context->comm);
    const double interval = json_number_value(json_object_get(old, "interval"));
    const int64_t places = json_integer_value(json_object_get(old, "places"));

    *array = (sedge_monitor_array){.restore = places > 0,
                                   .limit = entry->far.directions,
                                   .count = root ? entry->far.directions : 0,
                                   .ids = monitor->ids[i],
                                   .width = 2 * (places > 0 ? places : entry->far.places)};
    (void)snprintf(array->name, sizeof array->name, "%s", entry->deck->name);
    array->values = entry->far.sums;
    if (places == 0) return SEDGE_OK;
    if (fabs(interval - entry->far.interval) > 1e-9 * interval ||
        json_integer_value(json_object_get(old, "before")) != entry->far.before ||
        json_integer_value(json_object_get(old, "directions")) != entry->far.directions) {
        return SEDGE_FAIL(
            SEDGE_ERR_USAGE,
            "%s:%d: monitors.far-field.%s.time: the run before had another time step, "
            "other directions or another surface, and its sums cannot go on: give the "
            "entry another name, with which it begins here",
            context->deck->path, entry->deck->line, entry->deck->name);
    }
    SEDGE_TRY(sedge_allocate(&entry->before, array->count * array->width, sizeof(double)));
    array->values = entry->before;
    entry->restored = true;
    return SEDGE_OK;
}

static sedge_status create_entry(time_monitor *monitor, const sedge_deck_far_field *deck,
                                 const json_t *memory)
{
    const sedge_output_context *const context = monitor->context;
    const int i = monitor->count++;
    time_entry *const entry = &monitor->entries[i];
    const sedge_radiation *const radiation = &entry->radiation;
    const double interval = context->dt * (double)monitor->every;
    char origin[SEDGE_DECK_ORIGIN];
    char where[SEDGE_DECK_ORIGIN + 128];
    sedge_status status;

    entry->deck = deck;
    sedge_deck_origin(origin, context->deck, "monitors.far-field", deck->name);
    (void)snprintf(where, sizeof where, "%s: monitors.far-field.%s", origin, deck->name);
    SEDGE_TRY(sedge_face_points_create(&entry->faces, context, &deck->surface, where));
    SEDGE_TRY(sedge_radiation_create(&entry->radiation, context, deck, &entry->faces));
    if (context->checks) return SEDGE_OK; // what could be refused was looked at
    SEDGE_TRY(sedge_far_time_create(&entry->far, &radiation->surface, &radiation->medium,
                                    deck->centre, 0.0, interval,
                                    context->steps / monitor->every + 1, radiation->directions,
                                    (const double(*)[2])radiation->direction));
    status = sedge_allocate(&monitor->ids[i], radiation->directions, sizeof **monitor->ids);
    for (int64_t d = 0; d < radiation->directions && status == SEDGE_OK; d++)
        monitor->ids[i][d] = d;
    if (status == SEDGE_OK) status = make_array(monitor, i, json_object_get(memory, deck->name));
    return sedge_comm_agree(context->comm, status);
}

static sedge_status list_points(time_monitor *monitor)
{
    const int nodes = monitor->context->element->nodes;
    sedge_monitor_point *point = NULL;

    for (int i = 0; i < monitor->count; i++)
        monitor->points += monitor->entries[i].faces.sides * monitor->entries[i].faces.side_points;
    SEDGE_TRY(sedge_allocate(&monitor->point, monitor->points, sizeof *monitor->point));
    point = monitor->point;
    for (int i = 0; i < monitor->count; i++) {
        const sedge_face_points *const faces = &monitor->entries[i].faces;
        const int64_t count = (int64_t)faces->sides * faces->side_points;

        for (int64_t k = 0; k < count; k++) {
            *point++ = (sedge_monitor_point){.element = faces->elements[k],
                                             .weights = faces->weights + k * nodes};
        }
    }
    return SEDGE_OK;
}

static sedge_status create(void **out, const sedge_output_context *context,
                           const double *parameters, const json_t *memory)
{
    const sedge_deck *const deck = context->deck;
    const sedge_comm *const comm = context->comm;
    time_monitor *monitor = NULL;
    sedge_status status;

    (void)parameters;
    *out = NULL;
    status = sedge_allocate(&monitor, 1, sizeof *monitor);
    if (status == SEDGE_OK)
        status = sedge_allocate(&monitor->entries, deck->far_field_count, sizeof *monitor->entries);
    if (status == SEDGE_OK)
        status = sedge_allocate(&monitor->arrays, deck->far_field_count, sizeof *monitor->arrays);
    if (status == SEDGE_OK)
        status = sedge_allocate(&monitor->ids, deck->far_field_count, sizeof *monitor->ids);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    monitor->context = context;
    monitor->every = sedge_sampling_time_every(context);
    for (int i = 0; i < deck->far_field_count; i++) {
        if (deck->far_fields[i].time)
            SEDGE_TRY_GOTO(status, create_entry(monitor, &deck->far_fields[i], memory));
    }
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, list_points(monitor)));
    *out = monitor;
    monitor = NULL;
done:
    release(monitor);
    return status;
}

// ---- samples -----------------------------------------------------------------------------------

static bool due(const void *what, int64_t step)
{
    return step % ((const time_monitor *)what)->every == 0;
}

static const sedge_monitor_point *get_points(const void *what, int *count)
{
    const time_monitor *const monitor = what;

    *count = monitor->points;
    return monitor->point;
}

static const sedge_monitor_array *get_arrays(const void *what, int *count)
{
    const time_monitor *const monitor = what;

    *count = monitor->count;
    return monitor->arrays;
}

// The sums of before a restart join those of this run, whose places may be more or fewer.
static void join(time_monitor *monitor)
{
    for (int i = 0; i < monitor->count; i++) {
        time_entry *const entry = &monitor->entries[i];
        sedge_monitor_array *const array = &monitor->arrays[i];
        const int64_t old = array->width / 2;
        const int64_t both = old < entry->far.places ? old : entry->far.places;

        if (entry->before == NULL) continue;
        for (int64_t row = 0; row < 2 * array->count; row++) {
            for (int64_t k = 0; k < both; k++)
                entry->far.sums[row * entry->far.places + k] += entry->before[row * old + k];
        }
        sedge_release(entry->before);
        entry->before = NULL;
        array->restore = false;
        array->width = 2 * entry->far.places;
        array->values = entry->far.sums;
    }
}

static sedge_status receive(void *what, int samples, const int64_t *steps, const double *times,
                            const double *values)
{
    time_monitor *const monitor = what;
    const sedge_equation *const equation = monitor->context->problem->equation;
    const int at[2] = {equation->groups[0].first, equation->groups[1].first};
    const int64_t stride = equation->fields;

    join(monitor);
    for (int s = 0; s < samples; s++) {
        const bool first = steps[s] == monitor->context->first_step;

        for (int i = 0; i < monitor->count; i++) {
            time_entry *const entry = &monitor->entries[i];
            const sedge_face_points *const faces = &entry->faces;

            if (!first || !entry->restored)
                sedge_far_time_add(&entry->far, times[s], values, stride, at);
            values += (int64_t)faces->sides * faces->side_points * stride;
        }
    }
    return SEDGE_OK;
}

static void gather(time_monitor *monitor)
{
    join(monitor);
    for (int i = 0; i < monitor->count; i++)
        sedge_far_time_gather(&monitor->entries[i].far, monitor->context->comm);
}

static sedge_status save(const void *what, json_t *memory)
{
    time_monitor *const monitor = (time_monitor *)(uintptr_t)what; // sums change their rank alone
    int failed = 0;

    gather(monitor);
    for (int i = 0; i < monitor->count; i++) {
        const sedge_far_time *const far = &monitor->entries[i].far;
        json_t *const entry = json_pack("{s:f, s:I, s:I, s:I}", "interval", far->interval, "places",
                                        (json_int_t)far->places, "before", (json_int_t)far->before,
                                        "directions", (json_int_t)far->directions);

        failed |= json_object_set_new(memory, monitor->entries[i].deck->name, entry);
    }
    return failed == 0 ? SEDGE_OK : SEDGE_FAIL(SEDGE_ERR_MEMORY, "far fields: out of memory");
}

// ---- the file ----------------------------------------------------------------------------------

static sedge_status put_fields(const time_entry *entry, const sedge_output_context *context,
                               sedge_h5 *file, const char *folder, double *values)
{
    static const char *const names[] = {"E_theta", "E_phi"};
    const sedge_far_time *const far = &entry->far;
    const int64_t shape[3] = {entry->deck->theta.count, entry->deck->phi.count, far->places};
    const double unit = sedge_output_group_factor(context, &context->problem->equation->groups[0]) *
                        sedge_radiation_length_unit(context);
    char path[256];

    for (int part = 0; part < 2; part++) {
        for (int64_t d = 0; d < far->directions; d++) {
            double *const field = values + d * far->places;

            sedge_far_time_find(far, d, part, field);
            for (int64_t k = 0; k < far->places; k++) field[k] *= unit;
        }
        (void)snprintf(path, sizeof path, "%s/%s", folder, names[part]);
        SEDGE_TRY(sedge_h5_put(file, path, SEDGE_H5_F64, 3, shape, values));
        SEDGE_TRY(sedge_h5_text(file, path, "units", sedge_output_unit(context, "V")));
    }
    for (int64_t k = 0; k < far->places; k++) {
        values[k] = (far->start + (double)(k - far->before) * far->interval) *
                    sedge_deck_time_unit(context->deck);
    }
    (void)snprintf(path, sizeof path, "%s/time", folder);
    SEDGE_TRY(sedge_h5_put(file, path, SEDGE_H5_F64, 1, &far->places, values));
    return sedge_h5_text(file, path, "units", sedge_output_unit(context, "s"));
}

static sedge_status write_entry(const time_entry *entry, const sedge_output_context *context,
                                sedge_h5 *file)
{
    double centre[3];
    double *values = NULL;
    char folder[128];
    sedge_status status;

    (void)snprintf(folder, sizeof folder, "/%s", entry->deck->name);
    for (int i = 0; i < 3; i++)
        centre[i] = entry->deck->centre[i] * sedge_radiation_length_unit(context);
    SEDGE_TRY(sedge_h5_group(file, folder));
    SEDGE_TRY(sedge_h5_text(file, folder, "surface", entry->deck->surface.name));
    SEDGE_TRY(sedge_h5_reals(file, folder, "centre", centre, 3));
    SEDGE_TRY(sedge_radiation_put_angles(file, folder, "theta", &entry->deck->theta));
    SEDGE_TRY(sedge_radiation_put_angles(file, folder, "phi", &entry->deck->phi));
    SEDGE_TRY(sedge_allocate(&values, entry->far.directions * entry->far.places, sizeof *values));
    status = put_fields(entry, context, file, folder, values);
    sedge_release(values);
    return status;
}

// Root.
static sedge_status write_file(const time_monitor *monitor)
{
    const sedge_output_context *const context = monitor->context;
    char path[SEDGE_OUTPUT_PATH];
    char temporary[SEDGE_OUTPUT_PATH + 8];
    double bytes = 0.0;
    sedge_h5 *file = NULL;
    sedge_status status;

    for (int i = 0; i < monitor->count; i++) {
        const sedge_far_time *const far = &monitor->entries[i].far;
        bytes += ENTRY_BYTES + 16.0 * (double)(far->directions * far->places);
    }
    sedge_output_path(path, context, "far-field-time.h5");
    (void)snprintf(temporary, sizeof temporary, "%s.tmp", path);
    status = sedge_h5_create(&file, temporary, (int64_t)bytes);
    if (status == SEDGE_OK) status = sedge_output_describe(file, context, "far fields over time");
    for (int i = 0; i < monitor->count && status == SEDGE_OK; i++)
        status = write_entry(&monitor->entries[i], context, file);
    status = sedge_h5_close(file, status);
    if (status == SEDGE_OK) status = sedge_file_publish(temporary, path);
    if (status != SEDGE_OK) (void)unlink(temporary);
    return status;
}

static sedge_status finish(void *what)
{
    time_monitor *const monitor = what;
    const sedge_comm *const comm = monitor->context->comm;

    gather(monitor);
    return sedge_comm_agree(comm, sedge_comm_is_root(comm) ? write_file(monitor) : SEDGE_OK);
}

static bool requested(const sedge_deck *deck)
{
    for (int i = 0; i < deck->far_field_count; i++)
        if (deck->far_fields[i].time) return true;
    return false;
}

static bool owns(const char *name)
{
    static const char *const plain[] = {"", ".tmp", NULL};

    return sedge_output_is_numbered(name, "far-field-time.h5", "", 0, plain);
}

extern const sedge_monitor_kind sedge_monitor_far_field_time;
const sedge_monitor_kind sedge_monitor_far_field_time = {
    .name = "far-field-time",
    .text = "what a closed surface radiates, over time",
    .requested = requested,
    .create = create,
    .sums = true,
    .checked = true,
    .arrays = get_arrays,
    .due = due,
    .points = get_points,
    .receive = receive,
    .finish = finish,
    .save = save,
    .free = release,
    .owns = owns,
};
