// spectra.h5: fields at frequencies, by Fourier transforms that run beside the steps
// (monitor/spectrum.h, monitor/sampling.h). Written when the run has come to its end.
//
// /spectra/NAME/frequency [frequencies], GROUP [frequencies][points][3], complex, in phasors of
// exp(+j w t); with a signal also GROUP_normalised and incident [frequencies]. Of points: positions
// [points][3] and the attribute names, and with `exact` in the deck the group exact, which has
// GROUP_normalised of the known solution and error [frequencies][points], relative to it; of a slab
// also reflectance and transmittance [frequencies], and power [frequencies][points], which is what
// the run has for them. Of a plane:
// [rows][columns] points and their coordinates. Of a surface: positions and normals [points][3] and
// weights [points] of the quadrature on its faces (monitor/face_points.h), the fields the mean of
// both sides. All these ParaView opens by spectrum_NAME.xmf (monitor/spectrum_xdmf.h). Of volume
// groups the fields are in files of their own (monitor/spectrum_vtk.h). Of fields with a real and
// an imaginary part all transforms are those of real + i imaginary part (sedge_spectrum_join).
#include "dg/monitor_kind.h"

#include "base/memory.h"
#include "monitor/output_describe.h"
#include "monitor/output_folder.h"
#include "monitor/spectrum_rows.h"
#include "monitor/spectrum_vtk.h"
#include "monitor/spectrum_xdmf.h"
#include "monitor/transforms.h"
#include "radiation/near_exact.h"

#include <jansson.h>

#include <stdio.h>
#include <string.h>

#define ENTRY_BYTES 65536 // what describes an entry in the file, beside its numbers

typedef struct spectrum_entry {
    const sedge_deck_spectrum *deck;
    sedge_spectrum_rows rows;
    const sedge_spectrum *spectrum; // of the transforms
    sedge_near_exact *exact;        // NULL: not compared with
    sedge_spectrum_xdmf xdmf;       // not of volume groups; root
} spectrum_entry;

typedef struct spectra_monitor {
    sedge_transforms transforms;
    int count;
    spectrum_entry *entries; // [count]
} spectra_monitor;

// Its points are all nodes of elements.
static bool is_volume(const spectrum_entry *entry)
{
    return entry->deck->place == SEDGE_SPECTRUM_GROUPS;
}

// Are its fields known, too?
static bool is_compared(const sedge_deck *deck, const sedge_deck_spectrum *spectrum)
{
    return (deck->exact.layers > 0 || deck->slab.layers > 0) &&
           spectrum->place == SEDGE_SPECTRUM_POINTS && spectrum->normalise != 0;
}

// ---- making ------------------------------------------------------------------------------------

static void release(void *what)
{
    spectra_monitor *const monitor = what;

    if (monitor == NULL) return;
    sedge_transforms_clear(&monitor->transforms);
    for (int i = 0; i < monitor->count; i++) {
        sedge_spectrum_rows_clear(&monitor->entries[i].rows);
        sedge_near_exact_free(monitor->entries[i].exact);
    }
    sedge_release(monitor->entries);
    sedge_release(monitor);
}

static sedge_status create_entry(spectra_monitor *monitor, const sedge_deck_spectrum *deck,
                                 const json_t *memory)
{
    spectrum_entry *const entry = &monitor->entries[monitor->count];
    const sedge_spectrum_rows *const rows = &entry->rows;

    entry->deck = deck;
    entry->spectrum = &monitor->transforms.spectrum[monitor->count++];
    SEDGE_TRY(sedge_spectrum_rows_create(&entry->rows, deck, monitor->transforms.context));
    if (is_compared(monitor->transforms.context->deck, deck)) {
        if (monitor->transforms.sampling.signals > 0 &&
            monitor->transforms.sampling.signal == NULL) {
            return SEDGE_FAIL(SEDGE_ERR_USAGE,
                              "%s:%d: exact: the fields of monitors.spectra.%s are compared in "
                              "units of the sources' signal, and the sources have several: set "
                              "its 'normalise' to none",
                              monitor->transforms.context->deck->path, deck->line, deck->name);
        }
        SEDGE_TRY(sedge_near_exact_create(&entry->exact, monitor->transforms.context, deck));
    }
    return sedge_transforms_add(&monitor->transforms,
                                &(sedge_transform_entry){.name = deck->name,
                                                         .line = deck->line,
                                                         .place = sedge_spectrum_rows_hash(deck),
                                                         .frequencies = &deck->frequencies,
                                                         .requested = deck->requested,
                                                         .normalise = deck->normalise != 0,
                                                         .limit = rows->limit,
                                                         .rows = rows->count,
                                                         .row_points = rows->row_points,
                                                         .ids = rows->ids,
                                                         .elements = rows->elements,
                                                         .weights = rows->weights},
                                memory);
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
    status = sedge_allocate(&monitor, 1, sizeof *monitor);
    if (status == SEDGE_OK)
        status = sedge_allocate(&monitor->entries, deck->spectrum_count, sizeof *monitor->entries);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    SEDGE_TRY_GOTO(status,
                   sedge_transforms_create(&monitor->transforms, context, deck->spectrum_count));
    for (int i = 0; i < deck->spectrum_count; i++)
        SEDGE_TRY_GOTO(status, create_entry(monitor, &deck->spectra[i], memory));
    SEDGE_TRY_GOTO(status,
                   sedge_comm_agree(comm, sedge_transforms_complete(&monitor->transforms, memory)));
    *out = monitor;
    monitor = NULL;
done:
    release(monitor);
    return status;
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
        return sedge_spectrum_describe(entry->spectrum, monitor->transforms.context,
                                       &monitor->transforms.sampling, file, folder);
    }
    if (entry->deck->place == SEDGE_SPECTRUM_PLANE)
        return sedge_plane_describe(&entry->rows.plane, monitor->transforms.context, file, folder);
    return write_points(entry, monitor->transforms.context, file, folder);
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

// Root: what the file for ParaView will say of an entry with so many points.
static sedge_status find_xdmf(spectrum_entry *entry, const sedge_output_context *context,
                              int64_t points, sedge_h5 *file, const char *folder)
{
    const sedge_deck_spectrum *const deck = entry->deck;

    entry->xdmf = (sedge_spectrum_xdmf){
        .name = deck->name,
        .frequencies = &deck->frequencies,
        .requested = deck->requested,
        .plane = deck->place == SEDGE_SPECTRUM_PLANE ? &entry->rows.plane : NULL,
        .points = points,
        .normals = deck->place == SEDGE_SPECTRUM_SURFACE,
        .normalised = entry->spectrum->normalised};
    return sedge_spectrum_xdmf_find(&entry->xdmf, context, file, folder);
}

// Write an entry on a surface; `file` is the root's. Collective.
static sedge_status write_surface(const spectra_monitor *monitor, spectrum_entry *entry,
                                  sedge_h5 *file, const char *folder)
{
    const sedge_output_context *const context = monitor->transforms.context;
    sedge_joined_faces joined;
    sedge_status status = sedge_face_points_join(&joined, &entry->rows.faces, context->comm,
                                                 &entry->spectrum->gather);
    const sedge_spectrum_places places = {.rank = 1,
                                          .shape = {joined.faces * entry->rows.row_points, 1},
                                          .target = joined.target,
                                          .share = joined.share};

    if (status == SEDGE_OK && file != NULL)
        status = write_faces(&joined, places.shape[0], context, file, folder);
    status = sedge_comm_agree(context->comm, status);
    if (status == SEDGE_OK) {
        status = sedge_spectrum_write(entry->spectrum, context, &monitor->transforms.sampling,
                                      entry->deck->requested, &places, file, folder);
    }
    if (status == SEDGE_OK && file != NULL)
        status = find_xdmf(entry, context, places.shape[0], file, folder);
    status = sedge_comm_agree(context->comm, status);
    sedge_joined_faces_clear(&joined);
    return status;
}

// Write an entry; `file` is the root's. Collective.
static sedge_status write_entry(const spectra_monitor *monitor, spectrum_entry *entry,
                                sedge_h5 *file)
{
    const sedge_output_context *const context = monitor->transforms.context;
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
        return sedge_spectrum_write_vtk(entry->spectrum, context, &monitor->transforms.sampling,
                                        entry->deck->requested, entry->deck->name,
                                        entry->rows.row_of);
    }
    if (entry->deck->place == SEDGE_SPECTRUM_SURFACE)
        return write_surface(monitor, entry, file, folder);
    SEDGE_TRY(sedge_spectrum_write(entry->spectrum, context, &monitor->transforms.sampling,
                                   entry->deck->requested, &places, file, folder));
    if (file != NULL) {
        const int64_t points = places.shape[0] * (places.rank > 1 ? places.shape[1] : 1);
        status = find_xdmf(entry, context, points, file, folder);
    }
    if (entry->exact != NULL && file != NULL && status == SEDGE_OK) {
        status = sedge_near_exact_write(entry->exact, monitor->transforms.sampling.signal_unit,
                                        file, folder);
    }
    return sedge_comm_agree(context->comm, status);
}

static sedge_status write_entries(const void *what, sedge_h5 *file)
{
    const spectra_monitor *const monitor = what;
    sedge_status status = file != NULL ? sedge_h5_group(file, "/spectra") : SEDGE_OK;

    status = sedge_comm_agree(monitor->transforms.context->comm, status);
    for (int i = 0; i < monitor->count && status == SEDGE_OK; i++)
        status = write_entry(monitor, &monitor->entries[i], file);
    return status;
}

static sedge_status finish(void *what)
{
    const spectra_monitor *const monitor = what;
    double bytes = ENTRY_BYTES * (double)(1 + monitor->count);

    SEDGE_TRY(sedge_comm_agree(monitor->transforms.context->comm,
                               sedge_transforms_fetch(&monitor->transforms)));
    sedge_transforms_join(&monitor->transforms);
    for (int i = 0; i < monitor->count; i++) {
        const spectrum_entry *const entry = &monitor->entries[i];
        if (entry->exact != NULL)
            SEDGE_TRY(sedge_near_exact_find(entry->exact, entry->spectrum, entry->rows.ids));
        if (is_volume(entry)) continue;
        bytes += 16.0 * (double)(entry->spectrum->gather.all + 1) *
                 (double)sedge_spectrum_width(entry->spectrum) / entry->spectrum->parts;
    }
    const sedge_output_context *const context = monitor->transforms.context;
    SEDGE_TRY(sedge_transforms_write(&monitor->transforms, "spectra.h5", "spectra", bytes,
                                     write_entries));
    sedge_status status = SEDGE_OK;
    for (int i = 0; i < monitor->count && sedge_comm_is_root(context->comm); i++) {
        const spectrum_entry *const entry = &monitor->entries[i];
        if (status == SEDGE_OK && !is_volume(entry))
            status = sedge_spectrum_xdmf_write(&entry->xdmf, context);
    }
    return sedge_comm_agree(context->comm, status);
}

static sedge_status report(const void *what, sedge_text *text, json_t *json)
{
    const spectra_monitor *const monitor = what;

    for (int i = 0; i < monitor->count; i++) {
        if (monitor->entries[i].exact != NULL)
            SEDGE_TRY(sedge_near_exact_report(monitor->entries[i].exact, text, json));
    }
    return SEDGE_OK;
}

static bool requested(const sedge_deck *deck)
{
    return deck->spectrum_count > 0;
}

static bool owns(const char *name)
{
    static const char *const plain[] = {"", ".tmp", NULL};

    return sedge_output_is_numbered(name, "spectra.h5", "", 0, plain) ||
           sedge_spectrum_owns_vtk(name) || sedge_spectrum_owns_xdmf(name);
}

extern const sedge_monitor_kind sedge_monitor_spectra;
const sedge_monitor_kind sedge_monitor_spectra = {
    .name = "spectra",
    .twins = true,
    .text = "by name: fields at frequencies, by a Fourier transform that runs beside the steps",
    .requested = requested,
    .create = create,
    SEDGE_TRANSFORMS_IN_TABLE,
    .finish = finish,
    .report = report,
    .save = sedge_transforms_save,
    .free = release,
    .owns = owns,
};
