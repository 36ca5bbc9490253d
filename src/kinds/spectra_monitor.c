// spectra.h5: fields at frequencies, by Fourier transforms that run beside the steps
// (monitor/spectrum.h, monitor/sampling.h). Written when the run has come to its end.
//
// /spectra/NAME/frequency [frequencies], GROUP [frequencies][points][3], complex, in phasors of
// exp(+j w t); with a signal also GROUP_normalised and incident [frequencies]. Of points: positions
// [points][3] and the attribute names. Of a plane: [rows][columns] points and their coordinates. Of
// a surface: positions and normals [points][3] and weights [points] of the quadrature on its faces
// (monitor/face_points.h), the fields the mean of both sides. Of volume groups the fields are in
// files of their own (monitor/spectrum_vtk.h).
#include "dg/monitor_kind.h"

#include "base/file.h"
#include "base/memory.h"
#include "monitor/output_describe.h"
#include "monitor/output_folder.h"
#include "monitor/spectrum_memory.h"
#include "monitor/spectrum_rows.h"
#include "monitor/spectrum_vtk.h"

#include <jansson.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ENTRY_BYTES 65536 // what describes an entry in the file, beside its numbers

typedef struct spectrum_entry {
    const sedge_deck_spectrum *deck;
    sedge_spectrum_rows rows;
    sedge_spectrum spectrum;
} spectrum_entry;

typedef struct spectra_monitor {
    const sedge_output_context *context;
    sedge_sampling sampling;
    bool restored; // some entry goes on with the sums of a checkpoint
    int count;
    spectrum_entry *entries;     // [count]
    sedge_monitor_array *arrays; // [count]
    int points;
    sedge_monitor_point *point; // [points] of all entries, one after the other
} spectra_monitor;

// Its points are all nodes of elements.
static bool is_volume(const spectrum_entry *entry)
{
    return entry->deck->place == SEDGE_SPECTRUM_GROUPS;
}

static const char *entry_name(const sedge_deck *deck, int i)
{
    return deck->spectra[i].name;
}

// ---- going on ----------------------------------------------------------------------------------

static sedge_status load(spectra_monitor *monitor, const json_t *memory)
{
    for (int i = 0; i < monitor->count; i++) {
        spectrum_entry *const entry = &monitor->entries[i];

        SEDGE_TRY(sedge_spectrum_load(&entry->spectrum, monitor->context,
                                      json_object_get(memory, "entries"), entry->deck->name,
                                      entry->deck->line, sedge_spectrum_rows_hash(entry->deck)));
        monitor->restored = monitor->restored || entry->spectrum.restored;
    }
    if (!monitor->restored) return SEDGE_OK;
    return sedge_sampling_compare(&monitor->sampling, monitor->context, memory);
}

static sedge_status save(const void *what, json_t *memory)
{
    const spectra_monitor *const monitor = what;
    json_t *const entries = json_object();

    if (json_object_set_new(memory, "entries", entries) != 0)
        return SEDGE_FAIL(SEDGE_ERR_MEMORY, "out of memory for the monitor 'spectra'");
    for (int i = 0; i < monitor->count; i++) {
        const sedge_deck_spectrum *const deck = monitor->entries[i].deck;
        SEDGE_TRY(sedge_spectrum_fetch(&monitor->entries[i].spectrum));
        SEDGE_TRY(sedge_spectrum_save(&monitor->entries[i].spectrum, entries, deck->name,
                                      sedge_spectrum_rows_hash(deck)));
    }
    return sedge_sampling_save(&monitor->sampling, monitor->context, memory);
}

static const sedge_monitor_array *get_arrays(const void *what, int *count)
{
    const spectra_monitor *const monitor = what;

    *count = monitor->count;
    return monitor->arrays;
}

// ---- making ------------------------------------------------------------------------------------

static void release(void *what)
{
    spectra_monitor *const monitor = what;

    if (monitor == NULL) return;
    for (int i = 0; i < monitor->count; i++) {
        sedge_spectrum_rows_clear(&monitor->entries[i].rows);
        sedge_spectrum_clear(&monitor->entries[i].spectrum);
    }
    sedge_release(monitor->entries);
    sedge_release(monitor->arrays);
    sedge_release(monitor->point);
    sedge_release(monitor);
}

static sedge_status create_entry(spectra_monitor *monitor, const sedge_deck_spectrum *deck)
{
    const sedge_output_context *const context = monitor->context;
    sedge_monitor_array *const array = &monitor->arrays[monitor->count];
    spectrum_entry *const entry = &monitor->entries[monitor->count++];
    const double *const signal = deck->normalise != 0 ? monitor->sampling.signal : NULL;

    const sedge_spectrum_rows *const rows = &entry->rows;

    entry->deck = deck;
    SEDGE_TRY(sedge_spectrum_rows_create(&entry->rows, deck, context));
    SEDGE_TRY(sedge_spectrum_create(&entry->spectrum, context, &deck->frequencies, deck->requested,
                                    signal, rows->count, rows->row_points, rows->ids));
    *array = (sedge_monitor_array){.limit = rows->limit,
                                   .count = rows->count,
                                   .ids = rows->ids,
                                   .width = sedge_spectrum_width(&entry->spectrum),
                                   .values = entry->spectrum.sums};
    (void)snprintf(array->name, sizeof array->name, "%s", deck->name);
    monitor->points += (int)(entry->rows.count * entry->rows.row_points);
    return SEDGE_OK;
}

// The points of an entry, from number `at` on.
static void list_entry(const spectra_monitor *monitor, const spectrum_entry *entry, int at)
{
    const sedge_spectrum_rows *const rows = &entry->rows;
    const int nodes = monitor->context->element->nodes;

    if (is_volume(entry)) {
        for (int32_t e = 0; e < monitor->context->mesh->elements; e++) {
            for (int n = 0; n < nodes && rows->row_of[e] >= 0; n++) {
                monitor->point[at + rows->row_of[e] * nodes + n] =
                    (sedge_monitor_point){.element = e, .node = n};
            }
        }
        return;
    }
    for (int64_t k = 0; k < rows->count * rows->row_points; k++) {
        monitor->point[at + k] = (sedge_monitor_point){.element = rows->elements[k],
                                                       .weights = rows->weights + k * nodes};
    }
}

static sedge_status list_points(spectra_monitor *monitor)
{
    int at = 0;

    SEDGE_TRY(sedge_allocate(&monitor->point, monitor->points, sizeof *monitor->point));
    for (int i = 0; i < monitor->count; i++) {
        const spectrum_entry *const entry = &monitor->entries[i];

        monitor->arrays[i].restore = entry->spectrum.restored;
        list_entry(monitor, entry, at);
        at += (int)(entry->rows.count * entry->rows.row_points);
    }
    return SEDGE_OK;
}

static sedge_status create(void **out, const sedge_output_context *context,
                           const double *parameters, const json_t *memory)
{
    const sedge_deck *const deck = context->deck;
    const sedge_comm *const comm = context->comm;
    spectra_monitor *monitor = NULL;
    sedge_status status;

    (void)parameters;
    *out = NULL;
    for (int i = 0; i < deck->spectrum_count; i++) {
        SEDGE_TRY(sedge_output_check_name(context, "spectrum", deck->spectra[i].line,
                                          deck->spectra[i].name, i, entry_name));
    }
    status = sedge_allocate(&monitor, 1, sizeof *monitor);
    if (status == SEDGE_OK)
        status = sedge_allocate(&monitor->entries, deck->spectrum_count, sizeof *monitor->entries);
    if (status == SEDGE_OK)
        status = sedge_allocate(&monitor->arrays, deck->spectrum_count, sizeof *monitor->arrays);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    monitor->context = context;
    SEDGE_TRY_GOTO(status, sedge_sampling_plan(&monitor->sampling, context));
    for (int i = 0; i < deck->spectrum_count; i++)
        SEDGE_TRY_GOTO(status, create_entry(monitor, &deck->spectra[i]));
    status = load(monitor, memory);
    if (status == SEDGE_OK) status = list_points(monitor);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    *out = monitor;
    monitor = NULL;
done:
    release(monitor);
    return status;
}

static const sedge_monitor_point *get_points(const void *what, int *count)
{
    const spectra_monitor *const monitor = what;

    *count = monitor->points;
    return monitor->point;
}

// ---- samples -----------------------------------------------------------------------------------

static bool due(const void *what, int64_t step)
{
    const spectra_monitor *const monitor = what;

    return sedge_sampling_due(&monitor->sampling, monitor->context, monitor->restored, step);
}

static sedge_status connect(void *what, sedge_point_recorder *recorder)
{
    spectra_monitor *const monitor = what;
    int at = 0;

    for (int i = 0; i < monitor->count; i++) {
        spectrum_entry *const entry = &monitor->entries[i];

        SEDGE_TRY(sedge_spectrum_connect(&entry->spectrum, monitor->context, recorder, at));
        at += (int)(entry->rows.count * entry->rows.row_points);
    }
    return SEDGE_OK;
}

static sedge_status transform(void *what, int samples, const double *times)
{
    spectra_monitor *const monitor = what;
    const double weight = monitor->sampling.every * monitor->context->dt;
    sedge_status status = SEDGE_OK;

    for (int i = 0; i < monitor->count && status == SEDGE_OK; i++)
        status = sedge_spectrum_add(&monitor->entries[i].spectrum, samples, times, weight);
    return sedge_comm_agree(monitor->context->comm, status);
}

// ---- the file ----------------------------------------------------------------------------------

// Root: positions and names of the points.
static sedge_status write_points(const spectrum_entry *entry, const sedge_output_context *context,
                                 sedge_h5 *file, const char *folder)
{
    const int count = entry->deck->point_count;
    const int64_t shape[2] = {count, 3};
    double(*positions)[3] = NULL;
    const char **names = NULL;
    char path[256];
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&positions, count, sizeof *positions));
    SEDGE_TRY_GOTO(status, sedge_allocate(&names, count, sizeof *names));
    for (int i = 0; i < count; i++) {
        memcpy(positions[i], entry->deck->points[i].position, sizeof *positions);
        names[i] = entry->deck->points[i].name;
    }
    (void)snprintf(path, sizeof path, "%s/positions", folder);
    SEDGE_TRY_GOTO(status, sedge_h5_put(file, path, SEDGE_H5_F64, 2, shape, positions));
    SEDGE_TRY_GOTO(status, sedge_h5_text(file, path, "units", sedge_output_unit(context, "m")));
    SEDGE_TRY_GOTO(status, sedge_h5_texts(file, path, "names", names, count));
done:
    sedge_release(positions);
    sedge_release(names);
    return status;
}

// Root: the group of an entry with all that is not a transform.
static sedge_status begin_entry(const spectra_monitor *monitor, const spectrum_entry *entry,
                                sedge_h5 *file, const char *folder)
{
    SEDGE_TRY(sedge_h5_group(file, folder));
    if (entry->deck->place == SEDGE_SPECTRUM_SURFACE)
        return sedge_h5_text(file, folder, "surface", entry->deck->surface.name);
    if (is_volume(entry)) {
        return sedge_spectrum_describe(&entry->spectrum, monitor->context, &monitor->sampling, file,
                                       folder);
    }
    if (entry->deck->place == SEDGE_SPECTRUM_PLANE)
        return sedge_plane_describe(&entry->rows.plane, monitor->context, file, folder);
    return write_points(entry, monitor->context, file, folder);
}

// Root: the points of a surface.
static sedge_status write_faces(const sedge_joined_faces *joined, int64_t points,
                                const sedge_output_context *context, sedge_h5 *file,
                                const char *folder)
{
    const int64_t shape[2] = {points, 3};
    char path[256];

    (void)snprintf(path, sizeof path, "%s/positions", folder);
    SEDGE_TRY(sedge_h5_put(file, path, SEDGE_H5_F64, 2, shape, joined->place));
    SEDGE_TRY(sedge_h5_text(file, path, "units", sedge_output_unit(context, "m")));
    (void)snprintf(path, sizeof path, "%s/normals", folder);
    SEDGE_TRY(sedge_h5_put(file, path, SEDGE_H5_F64, 2, shape, joined->normal));
    (void)snprintf(path, sizeof path, "%s/weights", folder);
    SEDGE_TRY(sedge_h5_put(file, path, SEDGE_H5_F64, 1, shape, joined->area));
    return sedge_h5_text(file, path, "units", sedge_output_unit(context, "m2"));
}

// Write an entry on a surface; `file` is the root's. Collective.
static sedge_status write_surface(const spectra_monitor *monitor, const spectrum_entry *entry,
                                  sedge_h5 *file, const char *folder)
{
    const sedge_output_context *const context = monitor->context;
    sedge_joined_faces joined;
    sedge_status status =
        sedge_face_points_join(&joined, &entry->rows.faces, context->comm, &entry->spectrum.gather);
    const sedge_spectrum_places places = {.rank = 1,
                                          .shape = {joined.faces * entry->rows.row_points, 1},
                                          .target = joined.target,
                                          .share = joined.share};

    if (status == SEDGE_OK && file != NULL)
        status = write_faces(&joined, places.shape[0], context, file, folder);
    status = sedge_comm_agree(context->comm, status);
    if (status == SEDGE_OK) {
        status = sedge_spectrum_write(&entry->spectrum, context, &monitor->sampling,
                                      entry->deck->requested, &places, file, folder);
    }
    sedge_joined_faces_clear(&joined);
    return status;
}

// Write an entry; `file` is the root's. Collective.
static sedge_status write_entry(const spectra_monitor *monitor, const spectrum_entry *entry,
                                sedge_h5 *file)
{
    const sedge_output_context *const context = monitor->context;
    sedge_spectrum_places places = {.rank = 1, .shape = {entry->deck->point_count, 1}};
    sedge_status status = SEDGE_OK;
    char folder[128];

    (void)snprintf(folder, sizeof folder, "/spectra/%s", entry->deck->name);
    if (entry->deck->place == SEDGE_SPECTRUM_PLANE) {
        places.rank = 2;
        memcpy(places.shape, entry->rows.plane.shape, sizeof places.shape);
    }
    if (file != NULL) status = begin_entry(monitor, entry, file, folder);
    SEDGE_TRY(sedge_comm_agree(context->comm, status));
    if (is_volume(entry)) {
        return sedge_spectrum_write_vtk(&entry->spectrum, context, &monitor->sampling,
                                        entry->deck->requested, entry->deck->name,
                                        entry->rows.row_of);
    }
    if (entry->deck->place == SEDGE_SPECTRUM_SURFACE)
        return write_surface(monitor, entry, file, folder);
    return sedge_spectrum_write(&entry->spectrum, context, &monitor->sampling,
                                entry->deck->requested, &places, file, folder);
}

// Root: make the file with what is the same for all entries.
static sedge_status make_file(const spectra_monitor *monitor, sedge_h5 **file, const char *path)
{
    double bytes = ENTRY_BYTES * (double)(1 + monitor->count);

    for (int i = 0; i < monitor->count; i++) {
        const spectrum_entry *const entry = &monitor->entries[i];
        if (is_volume(entry)) continue;
        bytes += 16.0 * (double)(entry->spectrum.gather.all + 1) *
                 (double)sedge_spectrum_width(&entry->spectrum);
    }
    SEDGE_TRY(sedge_h5_create(file, path, (int64_t)bytes));
    SEDGE_TRY(sedge_output_describe(*file, monitor->context, "spectra"));
    SEDGE_TRY(sedge_h5_text(*file, "/", "phasor", "exp(+jwt)"));
    return sedge_h5_group(*file, "/spectra");
}

static sedge_status finish(void *what)
{
    const spectra_monitor *const monitor = what;
    const sedge_comm *const comm = monitor->context->comm;
    const bool root = sedge_comm_is_root(comm);
    char path[SEDGE_OUTPUT_PATH];
    char temporary[SEDGE_OUTPUT_PATH + 8];
    sedge_h5 *file = NULL;
    sedge_status status = SEDGE_OK;

    sedge_output_path(path, monitor->context, "spectra.h5");
    (void)snprintf(temporary, sizeof temporary, "%s.tmp", path);
    for (int i = 0; i < monitor->count && status == SEDGE_OK; i++)
        status = sedge_spectrum_fetch(&monitor->entries[i].spectrum);
    if (root && status == SEDGE_OK) status = make_file(monitor, &file, temporary);
    status = sedge_comm_agree(comm, status);
    for (int i = 0; i < monitor->count && status == SEDGE_OK; i++)
        status = write_entry(monitor, &monitor->entries[i], file);
    status = sedge_h5_close(file, status);
    if (root && status == SEDGE_OK) status = sedge_file_publish(temporary, path);
    if (root && status != SEDGE_OK) (void)unlink(temporary);
    return sedge_comm_agree(comm, status);
}

static bool requested(const sedge_deck *deck)
{
    return deck->spectrum_count > 0;
}

static bool owns(const char *name)
{
    static const char *const plain[] = {"", ".tmp", NULL};

    return sedge_output_is_numbered(name, "spectra.h5", "", 0, plain) ||
           sedge_spectrum_owns_vtk(name);
}

extern const sedge_monitor_kind sedge_monitor_spectra;
const sedge_monitor_kind sedge_monitor_spectra = {
    .name = "spectra",
    .text = "by name: fields at frequencies, by a Fourier transform that runs beside the steps",
    .requested = requested,
    .create = create,
    .sums = true,
    .arrays = get_arrays,
    .due = due,
    .points = get_points,
    .connect = connect,
    .transform = transform,
    .finish = finish,
    .save = save,
    .free = release,
    .owns = owns,
};
