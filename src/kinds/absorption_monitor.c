// absorption.h5: the power that media absorb at frequencies (absorption/absorption.h), by Fourier
// transforms of the fields at the nodes of their elements that run beside the steps. Written when
// the run has come to its end.
//
// /NAME/frequency [frequencies]; power [groups + surfaces + 1][frequencies], whose last row is the
// sum, and whose attribute `groups` has the names; where there are such, power_normalised, for
// sources of amplitude 1, cross_section, over the intensity of the incident wave, and part, of the
// incident power on the cell of a periodic structure; group_volume [groups + 1]. Of elements, in
// the order of their numbers in the mesh: element, group, volume [elements], place [elements][3],
// the middle, and density [frequencies][elements], the mean of the absorbed power's density; with
// one signal also density_normalised. With mass densities (absorption/sar.h) sar
// [frequencies][elements], sar_mean [groups + 1][frequencies], sar_element, sar_1g and sar_10g
// [frequencies], the largest ones, and their places sar_element_place and so on. For ParaView
// densities are in files of their own.
#include "dg/monitor_kind.h"

#include "absorption/absorption.h"
#include "absorption/sar.h"
#include "base/hash.h"
#include "base/memory.h"
#include "monitor/output_folder.h"
#include "monitor/transforms.h"

#include <jansson.h>

#include <stdio.h>
#include <string.h>

#define ENTRY_BYTES 65536 // what describes an entry in the file, beside its numbers

typedef struct absorption_monitor {
    sedge_transforms transforms;
    int count;
    sedge_absorption *entries; // [count]
    sedge_sar *rates;          // [count] of entries with mass densities
    int *surfaces;             // [count] numbers of the first transforms of entries' surfaces
} absorption_monitor;

// ---- making ------------------------------------------------------------------------------------

static void release(void *what)
{
    absorption_monitor *const monitor = what;

    if (monitor == NULL) return;
    sedge_transforms_clear(&monitor->transforms);
    for (int i = 0; i < monitor->count; i++) {
        sedge_absorption_clear(&monitor->entries[i]);
        sedge_sar_clear(&monitor->rates[i]);
    }
    sedge_release(monitor->entries);
    sedge_release(monitor->rates);
    sedge_release(monitor->surfaces);
    sedge_release(monitor);
}

// A number for the elements of the entry, and for the fields that are transformed there.
static uint64_t hash_place(const sedge_absorption *entry)
{
    const sedge_mesh_groups *const groups = &entry->context->mesh->groups;
    uint64_t sum = sedge_hash_quick(0, entry->requested, sizeof entry->requested);

    for (int g = 0; g < entry->groups; g++) {
        sum = sedge_hash_quick(sum, groups->volume_names[entry->volume[g]],
                               sizeof *groups->volume_names);
    }
    return sum;
}

static sedge_status create_entry(absorption_monitor *monitor, const sedge_deck_absorption *deck,
                                 const json_t *memory)
{
    const sedge_output_context *const context = monitor->transforms.context;
    sedge_absorption *const entry = &monitor->entries[monitor->count];
    sedge_sar *const rates = &monitor->rates[monitor->count++];

    SEDGE_TRY(sedge_absorption_create(entry, context, deck));
    if (entry->mass_density != NULL) SEDGE_TRY(sedge_sar_create(rates, entry));
    return sedge_transforms_add(&monitor->transforms,
                                &(sedge_transform_entry){.name = deck->name,
                                                         .line = deck->line,
                                                         .place = hash_place(entry),
                                                         .frequencies = &deck->frequencies,
                                                         .requested = entry->requested,
                                                         .normalise = true,
                                                         .limit = context->mesh->global_elements,
                                                         .rows = entry->rows,
                                                         .row_points = context->element->nodes,
                                                         .ids = entry->ids,
                                                         .elements = entry->elements},
                                memory);
}

// The transforms on an entry's surfaces.
static sedge_status add_surfaces(absorption_monitor *monitor, int i, const json_t *memory)
{
    const sedge_absorption *const entry = &monitor->entries[i];

    monitor->surfaces[i] = monitor->transforms.count;
    for (int k = 0; k < entry->surfaces; k++) {
        const sedge_absorption_surface *const surface = &entry->surface[k];

        SEDGE_TRY(sedge_transforms_add_faces(
            &monitor->transforms,
            (sedge_transform_entry){.name = surface->transform_name,
                                    .line = entry->deck->line,
                                    .place =
                                        sedge_hash_quick(0, surface->name, strlen(surface->name)),
                                    .frequencies = &entry->deck->frequencies},
            &surface->faces, memory));
    }
    return SEDGE_OK;
}

static sedge_status create(void **out, const sedge_output_context *context,
                           const double *parameters, const json_t *memory)
{
    const sedge_deck *const deck = context->deck;
    const sedge_comm *const comm = context->comm;
    const int count = deck->absorption_count;
    absorption_monitor *monitor = NULL;
    int transforms = count;
    sedge_status status;

    for (int i = 0; i < count; i++) transforms += deck->absorptions[i].surface_count;
    (void)parameters;
    *out = NULL;
    status = sedge_allocate(&monitor, 1, sizeof *monitor);
    if (status == SEDGE_OK)
        status = sedge_allocate(&monitor->entries, count, sizeof *monitor->entries);
    if (status == SEDGE_OK) status = sedge_allocate(&monitor->rates, count, sizeof *monitor->rates);
    if (status == SEDGE_OK)
        status = sedge_allocate(&monitor->surfaces, count, sizeof *monitor->surfaces);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    SEDGE_TRY_GOTO(status, sedge_transforms_create(&monitor->transforms, context, transforms));
    for (int i = 0; i < count; i++)
        SEDGE_TRY_GOTO(status, create_entry(monitor, &deck->absorptions[i], memory));
    for (int i = 0; i < count; i++) SEDGE_TRY_GOTO(status, add_surfaces(monitor, i, memory));
    SEDGE_TRY_GOTO(status,
                   sedge_comm_agree(comm, sedge_transforms_complete(&monitor->transforms, memory)));
    *out = monitor;
    monitor = NULL;
done:
    release(monitor);
    return status;
}

// ---- the files ---------------------------------------------------------------------------------

static sedge_status write_entry(const absorption_monitor *monitor, int i, sedge_h5 *file)
{
    const sedge_output_context *const context = monitor->transforms.context;
    const sedge_sampling *const sampling = &monitor->transforms.sampling;
    const sedge_spectrum *const spectrum = &monitor->transforms.spectrum[i];
    sedge_status status = SEDGE_OK;
    char folder[128];

    (void)snprintf(folder, sizeof folder, "/%s", monitor->entries[i].deck->name);
    if (file != NULL) status = sedge_h5_group(file, folder);
    if (file != NULL && status == SEDGE_OK)
        status = sedge_spectrum_describe(spectrum, context, sampling, file, folder);
    if (file != NULL && status == SEDGE_OK && monitor->entries[i].mass_density != NULL) {
        status = sedge_sar_write(&monitor->rates[i], spectrum, sampling->signal_unit, file, folder);
    }
    SEDGE_TRY(sedge_comm_agree(context->comm, status));
    return sedge_absorption_write(&monitor->entries[i], spectrum, sampling->signal_unit, file,
                                  folder);
}

static sedge_status write_entries(const void *what, sedge_h5 *file)
{
    const absorption_monitor *const monitor = what;

    for (int i = 0; i < monitor->count; i++) SEDGE_TRY(write_entry(monitor, i, file));
    return SEDGE_OK;
}

static sedge_status finish(void *what)
{
    absorption_monitor *const monitor = what;
    const sedge_comm *const comm = monitor->transforms.context->comm;
    double bytes = 0.0;

    SEDGE_TRY(sedge_comm_agree(comm, sedge_transforms_fetch(&monitor->transforms)));
    for (int i = 0; i < monitor->count; i++) {
        const sedge_spectrum *const spectrum = &monitor->transforms.spectrum[i];

        SEDGE_TRY(sedge_absorption_find(&monitor->entries[i], spectrum,
                                        monitor->transforms.spectrum + monitor->surfaces[i]));
        if (monitor->entries[i].mass_density != NULL)
            SEDGE_TRY(sedge_sar_find(&monitor->rates[i], spectrum));
        bytes += ENTRY_BYTES +
                 8.0 * (double)spectrum->gather.all * (6.0 + 3.0 * spectrum->frequencies->count);
    }
    SEDGE_TRY(sedge_transforms_write(&monitor->transforms, "absorption.h5", "absorbed power", bytes,
                                     write_entries));
    for (int i = 0; i < monitor->count; i++) {
        SEDGE_TRY(sedge_absorption_write_vtk(&monitor->entries[i], &monitor->transforms.spectrum[i],
                                             monitor->transforms.sampling.signal_unit));
    }
    return SEDGE_OK;
}

static sedge_status report(const void *what, sedge_text *text, json_t *json)
{
    const absorption_monitor *const monitor = what;

    const double signal_unit = monitor->transforms.sampling.signal_unit;

    for (int i = 0; i < monitor->count; i++) {
        const sedge_absorption *const entry = &monitor->entries[i];
        const sedge_spectrum *const spectrum = &monitor->transforms.spectrum[i];

        SEDGE_TRY(sedge_absorption_report(entry, spectrum, signal_unit, text, json));
        if (entry->mass_density == NULL) continue;
        SEDGE_TRY(sedge_sar_report(&monitor->rates[i], spectrum, signal_unit, text,
                                   json_object_get(json, entry->deck->name)));
    }
    return SEDGE_OK;
}

static bool requested(const sedge_deck *deck)
{
    return deck->absorption_count > 0;
}

static bool owns(const char *name)
{
    static const char *const plain[] = {"", ".tmp", NULL};

    return sedge_output_is_numbered(name, "absorption.h5", "", 0, plain) ||
           sedge_absorption_owns_vtk(name);
}

extern const sedge_monitor_kind sedge_monitor_absorption;
const sedge_monitor_kind sedge_monitor_absorption = {
    .name = "absorption",
    .text = "by name: the power that media absorb at frequencies, by volume group and element",
    .requested = requested,
    .create = create,
    SEDGE_TRANSFORMS_IN_TABLE,
    .finish = finish,
    .report = report,
    .save = sedge_transforms_save,
    .free = release,
    .owns = owns,
};
