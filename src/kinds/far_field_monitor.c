// far-field.h5: far fields of closed surfaces, by Fourier transforms of the fields on them that run
// beside the steps. Written when the run has come to its end.
//
// /NAME/frequency [frequencies], theta and phi (degrees), E_theta and E_phi
// [frequencies][theta][phi], complex, in phasors of exp(+j w t): the distance times the transform
// of the field, without exp(-j k R), about the attribute `centre`; axial_ratio, and flux
// [frequencies], the power through the surface. With plane waves of one direction as the sources
// rcs_theta and rcs_phi [frequencies][theta][phi], monostatic, scattering and extinction
// [frequencies]; the same in the group `exact` where the deck has `exact`; and incident
// [frequencies] if they have one signal. With other plane waves intensity
// [frequencies][theta][phi] and power [frequencies], which is radiated. Without any plane wave
// directivity [frequencies][theta][phi] and power [frequencies], which is radiated; with `input`
// also gain, as directivity, and input, the accepted power, and efficiency [frequencies]; where
// that is a port, also realised_gain, as gain, and incident_power and
// total_efficiency [frequencies].
// far-field_NAME.csv has the same, a line for each frequency and direction, and far-field_NAME.ffd
// the fields in the format of HFSS (radiation/ffd.h), where the deck asks for it.
#include "dg/monitor_kind.h"

#include "base/hash.h"
#include "base/memory.h"
#include "monitor/output_describe.h"
#include "monitor/output_folder.h"
#include "monitor/transforms.h"
#include "radiation/closed_surface.h"
#include "radiation/ffd.h"
#include "radiation/radiation.h"

#include <stdio.h>
#include <string.h>

#define ENTRY_BYTES 65536 // what describes an entry in the file, beside its numbers

typedef struct far_field_entry {
    const sedge_deck_far_field *deck;
    sedge_face_points faces;
    sedge_radiation radiation;
    int surface; // number of the surface's transform
    int input;   // of that of the surface `input`; -1: none
    char input_name[80];
    sedge_face_points input_faces;
    sedge_near_surface input_surface;
    double *input_weight;
} far_field_entry;

typedef struct far_field_monitor {
    sedge_transforms transforms;
    int count;
    far_field_entry *entries; // [count]
} far_field_monitor;

static void release(void *what)
{
    far_field_monitor *const monitor = what;

    if (monitor == NULL) return;
    sedge_transforms_clear(&monitor->transforms);
    for (int i = 0; i < monitor->count; i++) {
        sedge_radiation_clear(&monitor->entries[i].radiation);
        sedge_face_points_clear(&monitor->entries[i].faces);
        sedge_face_points_clear(&monitor->entries[i].input_faces);
        sedge_release(monitor->entries[i].input_weight);
    }
    sedge_release(monitor->entries);
    sedge_release(monitor);
}

// The transform on a surface.
static sedge_status add_transform(far_field_monitor *monitor, const sedge_deck_far_field *deck,
                                  const char *name, const sedge_deck_surface *surface,
                                  const sedge_face_points *faces, const json_t *memory)
{

    return sedge_transforms_add_faces(
        &monitor->transforms,
        (sedge_transform_entry){.name = name,
                                .line = deck->line,
                                .place = sedge_hash_quick(0, surface->name, sizeof surface->name),
                                .frequencies = &deck->frequencies},
        faces, memory);
}

// The condition of the surface, if a source drives it, such as a port; else NULL.
static const sedge_boundary *find_driven(const sedge_output_context *context, const char *name)
{
    const sedge_problem *const problem = context->problem;

    for (int i = 0; i < problem->surface_source_count; i++) {
        const sedge_boundary *const driven = problem->surface_sources[i].boundary;
        if (strcmp(context->mesh->groups.surface_names[driven->surface], name) == 0) return driven;
    }
    return NULL;
}

// The port that alone feeds an antenna.
static sedge_status create_driven(far_field_entry *entry, const sedge_output_context *context,
                                  const sedge_boundary *port, const char *where)
{
    sedge_deck_surface surface = entry->deck->input;

    if (context->deck->source_count > 1) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s: '%s' is driven by a source, and the deck has other sources, too: "
                          "the power that it gives is not all that the antenna accepts; keep one "
                          "source, or name a closed surface around all of them",
                          where, surface.name);
    }
    if (port->kind->incident != NULL) entry->radiation.port = port;
    surface.own = true;
    SEDGE_TRY(sedge_face_points_create(&entry->input_faces, context, &surface, where));
    return sedge_driven_surface_create(&entry->input_surface, &entry->input_weight, context,
                                       surface.name, &entry->input_faces);
}

// The surface through which an antenna accepts its power.
static sedge_status create_input(far_field_monitor *monitor, far_field_entry *entry,
                                 const json_t *memory)
{
    const sedge_output_context *const context = monitor->transforms.context;
    const sedge_deck_far_field *const deck = entry->deck;
    const sedge_boundary *const port = find_driven(context, deck->input.name);
    char origin[SEDGE_DECK_ORIGIN];
    char where[SEDGE_DECK_ORIGIN + 128];

    sedge_deck_origin(origin, context->deck, "monitors.far-field", deck->name);
    (void)snprintf(where, sizeof where, "%s: monitors.far-field.%s.input", origin, deck->name);
    (void)snprintf(entry->input_name, sizeof entry->input_name, "%s/input", deck->name);
    if (port != NULL) {
        SEDGE_TRY(create_driven(entry, context, port, where));
    } else {
        SEDGE_TRY(sedge_face_points_create(&entry->input_faces, context, &deck->input, where));
        SEDGE_TRY(sedge_closed_surface_create(&entry->input_surface, &entry->input_weight, context,
                                              deck, deck->input.name, &entry->input_faces, where));
        SEDGE_TRY(
            sedge_radiation_check_input(&entry->radiation, context, &entry->input_faces, where));
    }
    entry->input = monitor->transforms.count;
    return add_transform(monitor, deck, entry->input_name, &deck->input, &entry->input_faces,
                         memory);
}

static sedge_status create_entry(far_field_monitor *monitor, const sedge_deck_far_field *deck,
                                 const json_t *memory)
{
    const sedge_output_context *const context = monitor->transforms.context;
    far_field_entry *const entry = &monitor->entries[monitor->count++];
    sedge_face_points *const faces = &entry->faces;
    char origin[SEDGE_DECK_ORIGIN];
    char where[SEDGE_DECK_ORIGIN + 128];

    entry->deck = deck;
    sedge_deck_origin(origin, context->deck, "monitors.far-field", deck->name);
    (void)snprintf(where, sizeof where, "%s: monitors.far-field.%s", origin, deck->name);
    SEDGE_TRY(sedge_face_points_create(faces, context, &deck->surface, where));
    SEDGE_TRY(sedge_radiation_create(&entry->radiation, context, deck, faces));
    if (entry->radiation.incident &&
        monitor->transforms.sampling.signals != context->deck->source_count)
        return SEDGE_FAIL(SEDGE_ERR_INTERNAL, "a plane wave without a signal");
    entry->surface = monitor->transforms.count;
    SEDGE_TRY(add_transform(monitor, deck, deck->name, &deck->surface, faces, memory));
    entry->input = -1;
    return deck->input.name[0] != '\0' ? create_input(monitor, entry, memory) : SEDGE_OK;
}

static sedge_status create(void **out, const sedge_output_context *context,
                           const double *parameters, const json_t *memory)
{
    const sedge_deck *const deck = context->deck;
    const sedge_comm *const comm = context->comm;
    far_field_monitor *monitor = NULL;
    sedge_status status;

    (void)parameters;
    *out = NULL;
    status = sedge_allocate(&monitor, 1, sizeof *monitor);
    if (status == SEDGE_OK)
        status = sedge_allocate(&monitor->entries, deck->far_field_count, sizeof *monitor->entries);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    SEDGE_TRY_GOTO(
        status, sedge_transforms_create(&monitor->transforms, context, 2 * deck->far_field_count));
    for (int i = 0; i < deck->far_field_count; i++)
        SEDGE_TRY_GOTO(status, create_entry(monitor, &deck->far_fields[i], memory));
    SEDGE_TRY_GOTO(status,
                   sedge_comm_agree(comm, sedge_transforms_complete(&monitor->transforms, memory)));
    *out = monitor;
    monitor = NULL;
done:
    release(monitor);
    return status;
}

// ---- the files ----------------------------------------------------------------------------------

// Root: the files' part of one entry.
static sedge_status write_entry(const far_field_monitor *monitor, int i, sedge_h5 *file)
{
    const sedge_output_context *const context = monitor->transforms.context;
    const far_field_entry *const entry = &monitor->entries[i];
    char folder[128];
    char name[128];
    char path[SEDGE_OUTPUT_PATH];

    (void)snprintf(folder, sizeof folder, "/%s", entry->deck->name);
    (void)snprintf(name, sizeof name, "far-field_%s.csv", entry->deck->name);
    SEDGE_TRY(sedge_h5_group(file, folder));
    SEDGE_TRY(sedge_spectrum_describe(&monitor->transforms.spectrum[entry->surface], context,
                                      &monitor->transforms.sampling, file, folder));
    SEDGE_TRY(sedge_radiation_write(&entry->radiation, context, file, folder));
    sedge_output_path(path, context, name);
    SEDGE_TRY(sedge_radiation_write_table(&entry->radiation, context, path));
    if (!entry->deck->ffd) return SEDGE_OK;
    (void)snprintf(name, sizeof name, "far-field_%s.ffd", entry->deck->name);
    sedge_output_path(path, context, name);
    return sedge_radiation_write_ffd(&entry->radiation, context, &monitor->transforms.sampling,
                                     &monitor->transforms.spectrum[entry->surface], path);
}

static sedge_status write_entries(const void *what, sedge_h5 *file)
{
    const far_field_monitor *const monitor = what;
    sedge_status status = SEDGE_OK;

    for (int i = 0; i < monitor->count && file != NULL && status == SEDGE_OK; i++)
        status = write_entry(monitor, i, file);
    return sedge_comm_agree(monitor->transforms.context->comm, status);
}

static sedge_status finish(void *what)
{
    far_field_monitor *const monitor = what;
    const sedge_output_context *const context = monitor->transforms.context;
    double bytes = ENTRY_BYTES;

    SEDGE_TRY(sedge_comm_agree(context->comm, sedge_transforms_fetch(&monitor->transforms)));
    for (int i = 0; i < monitor->count; i++) {
        far_field_entry *const entry = &monitor->entries[i];
        sedge_radiation *const radiation = &entry->radiation;
        const sedge_spectrum *const surface = &monitor->transforms.spectrum[entry->surface];

        SEDGE_TRY(sedge_radiation_find(radiation, context, surface));
        if (entry->input >= 0) {
            const sedge_spectrum *const input = &monitor->transforms.spectrum[entry->input];

            // Both sums begin at the same step, unless the run goes on from one without `input`.
            if (input->begin == surface->begin) {
                SEDGE_TRY(
                    sedge_radiation_find_input(radiation, context, input, &entry->input_surface));
            }
        }
        bytes += ENTRY_BYTES + 100.0 * (double)radiation->directions * radiation->frequencies;
    }
    return sedge_transforms_write(&monitor->transforms, "far-field.h5", "far fields", bytes,
                                  write_entries);
}

static sedge_status report(const void *what, sedge_text *text, json_t *json)
{
    const far_field_monitor *const monitor = what;

    for (int i = 0; i < monitor->count; i++) {
        SEDGE_TRY(sedge_radiation_report(&monitor->entries[i].radiation,
                                         monitor->transforms.context, text, json));
    }
    return SEDGE_OK;
}

static bool requested(const sedge_deck *deck)
{
    return deck->far_field_count > 0;
}

static bool owns(const char *name)
{
    static const char *const plain[] = {"", ".tmp", NULL};
    static const char *const table[] = {".csv", ".ffd", NULL};
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";

    return sedge_output_is_numbered(name, "far-field.h5", "", 0, plain) ||
           sedge_output_is_numbered(name, "far-field_", letters, 1, table);
}

extern const sedge_monitor_kind sedge_monitor_far_field;
const sedge_monitor_kind sedge_monitor_far_field = {
    .name = "far-field",
    .text = "by name: what a closed surface radiates, and radar cross-sections",
    .requested = requested,
    .create = create,
    SEDGE_TRANSFORMS_IN_TABLE,
    .finish = finish,
    .report = report,
    .save = sedge_transforms_save,
    .free = release,
    .owns = owns,
};
