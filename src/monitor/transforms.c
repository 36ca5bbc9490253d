#include "transforms.h"

#include "base/file.h"
#include "base/memory.h"
#include "monitor/output_describe.h"
#include "monitor/output_folder.h"
#include "monitor/spectrum_memory.h"

#include <jansson.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

sedge_status sedge_transforms_create(sedge_transforms *out, const sedge_output_context *context,
                                     int entries)
{
    *out = (sedge_transforms){.context = context};
    sedge_status status = sedge_allocate(&out->entry, entries, sizeof *out->entry);
    if (status == SEDGE_OK) status = sedge_allocate(&out->spectrum, entries, sizeof *out->spectrum);
    if (status == SEDGE_OK) status = sedge_allocate(&out->settling, entries, sizeof *out->settling);
    if (status == SEDGE_OK)
        status = sedge_allocate(&out->arrays, 2LL * entries, sizeof *out->arrays);
    SEDGE_TRY(sedge_comm_agree(context->comm, status));
    return sedge_sampling_plan(&out->sampling, context);
}

void sedge_transforms_clear(sedge_transforms *transforms)
{
    for (int i = 0; i < transforms->count; i++) {
        sedge_spectrum_clear(&transforms->spectrum[i]);
        sedge_settling_clear(&transforms->settling[i]);
    }
    sedge_release(transforms->entry);
    sedge_release(transforms->spectrum);
    sedge_release(transforms->settling);
    sedge_release(transforms->arrays);
    sedge_release(transforms->point);
}

static bool has_sums(const sedge_transform_entry *entry)
{
    return entry->frequencies->count > 0;
}

// Parts of the fields: points of a row, then the same in the twins of its elements.
static int count_row(const sedge_transforms *transforms, const sedge_transform_entry *entry)
{
    return sedge_output_parts(transforms->context) * entry->row_points;
}

static int count_points(const sedge_transforms *transforms, const sedge_transform_entry *entry)
{
    return (int)(entry->rows * count_row(transforms, entry));
}

// An array of the last entry for checkpoints: as many numbers as its sums.
static void add_array(sedge_transforms *transforms, const sedge_transform_entry *entry,
                      const char *ending, bool restore, double *values)
{
    const sedge_spectrum *const spectrum = &transforms->spectrum[transforms->count - 1];
    sedge_monitor_array *const array = &transforms->arrays[transforms->array_count++];

    *array = (sedge_monitor_array){.restore = restore,
                                   .limit = entry->limit,
                                   .count = entry->rows,
                                   .ids = entry->ids,
                                   .width = sedge_spectrum_width(spectrum),
                                   .values = values};
    (void)snprintf(array->name, sizeof array->name, "%s%s", entry->name, ending);
}

sedge_status sedge_transforms_add(sedge_transforms *transforms, const sedge_transform_entry *entry,
                                  const json_t *memory)
{
    const sedge_output_context *const context = transforms->context;
    sedge_spectrum *const spectrum = &transforms->spectrum[transforms->count];
    sedge_settling *const settling = &transforms->settling[transforms->count];

    transforms->entry[transforms->count++] = *entry;
    transforms->points += count_points(transforms, entry);
    if (!has_sums(entry)) return SEDGE_OK;
    SEDGE_TRY(sedge_spectrum_create(spectrum, context, entry->frequencies, entry->requested,
                                    entry->normalise ? &transforms->sampling : NULL, entry->rows,
                                    entry->row_points, entry->ids));
    SEDGE_TRY(sedge_comm_agree(
        context->comm, sedge_spectrum_load(spectrum, context, json_object_get(memory, "entries"),
                                           entry->name, entry->line, entry->place)));
    transforms->restored = transforms->restored || spectrum->restored;
    add_array(transforms, entry, "", spectrum->restored, spectrum->sums);
    if (context->checks || context->deck->stop_spectra <= 0.0) return SEDGE_OK;
    const int frequencies = entry->frequencies->count;
    SEDGE_TRY(sedge_settling_create(
        settling, context, entry->rows * sedge_spectrum_width(spectrum) / (2LL * frequencies),
        frequencies, spectrum->restored, json_object_get(memory, "settling"), entry->name));
    add_array(transforms, entry, "/before", settling->restored, settling->before);
    return SEDGE_OK;
}

sedge_status sedge_transforms_add_faces(sedge_transforms *transforms, sedge_transform_entry entry,
                                        const sedge_face_points *faces, const json_t *memory)
{
    static const bool both[SEDGE_MAX_FIELDS] = {true, true};

    entry.requested = both;
    entry.normalise = true;
    entry.limit = faces->limit;
    entry.rows = faces->sides;
    entry.row_points = faces->side_points;
    entry.ids = faces->ids;
    entry.elements = faces->elements;
    entry.weights = faces->weights;
    return sedge_transforms_add(transforms, &entry, memory);
}

sedge_status sedge_transforms_complete(sedge_transforms *transforms, const json_t *memory)
{
    const sedge_output_context *const context = transforms->context;
    const int nodes = context->element->nodes;
    sedge_monitor_point *point;

    if (transforms->restored)
        SEDGE_TRY(sedge_sampling_compare(&transforms->sampling, context, memory));
    if (context->checks) return SEDGE_OK; // nothing is sampled
    SEDGE_TRY(sedge_allocate(&transforms->point, transforms->points, sizeof *transforms->point));
    point = transforms->point;
    for (int i = 0; i < transforms->count; i++) {
        const sedge_transform_entry *const entry = &transforms->entry[i];

        for (int of = 0; of < count_points(transforms, entry); of++, point++) {
            const int in_row = of % count_row(transforms, entry);
            const int row = of / count_row(transforms, entry);
            const int k = row * entry->row_points + in_row % entry->row_points;

            point->element = entry->elements[entry->weights != NULL ? k : k / nodes];
            if (in_row >= entry->row_points) point->element = sedge_mesh_twin(point->element);
            if (entry->weights != NULL) {
                point->weights = entry->weights + (int64_t)k * nodes;
            } else {
                point->node = k % nodes;
            }
        }
    }
    return SEDGE_OK;
}

sedge_status sedge_transforms_fetch(const sedge_transforms *transforms)
{
    for (int i = 0; i < transforms->count; i++) {
        if (has_sums(&transforms->entry[i]))
            SEDGE_TRY(sedge_spectrum_fetch(&transforms->spectrum[i]));
    }
    return SEDGE_OK;
}

void sedge_transforms_join(const sedge_transforms *transforms)
{
    for (int i = 0; i < transforms->count; i++)
        if (has_sums(&transforms->entry[i])) sedge_spectrum_join(&transforms->spectrum[i]);
}

static sedge_status begin_file(const sedge_transforms *transforms, sedge_h5 **file,
                               const char *path, const char *text, double bytes)
{
    SEDGE_TRY(sedge_h5_create(file, path, (int64_t)bytes));
    SEDGE_TRY(sedge_output_describe(*file, transforms->context, text));
    return sedge_h5_text(*file, "/", "phasor", "exp(+jwt)");
}

sedge_status sedge_transforms_write(const sedge_transforms *transforms, const char *name,
                                    const char *text, double bytes,
                                    sedge_status (*write)(const void *monitor, sedge_h5 *file))
{
    const sedge_comm *const comm = transforms->context->comm;
    const bool root = sedge_comm_is_root(comm);
    char path[SEDGE_OUTPUT_PATH];
    char temporary[SEDGE_OUTPUT_PATH + 8];
    sedge_h5 *file = NULL;
    sedge_status status = SEDGE_OK;

    sedge_output_path(path, transforms->context, name);
    (void)snprintf(temporary, sizeof temporary, "%s.tmp", path);
    if (root) status = begin_file(transforms, &file, temporary, text, bytes);
    status = sedge_comm_agree(comm, status);
    if (status == SEDGE_OK) status = write(transforms, file);
    status = sedge_h5_close(file, status);
    if (root && status == SEDGE_OK) status = sedge_file_publish(temporary, path);
    if (root && status != SEDGE_OK) (void)unlink(temporary);
    return sedge_comm_agree(comm, status);
}

// ---- for the monitor's table -------------------------------------------------------------------

const sedge_monitor_point *sedge_transforms_points(const void *monitor, int *count)
{
    const sedge_transforms *const transforms = monitor;

    *count = transforms->points;
    return transforms->point;
}

const sedge_monitor_array *sedge_transforms_arrays(const void *monitor, int *count)
{
    const sedge_transforms *const transforms = monitor;

    *count = transforms->array_count;
    return transforms->arrays;
}

bool sedge_transforms_due(const void *monitor, int64_t step)
{
    const sedge_transforms *const transforms = monitor;

    return sedge_sampling_due(&transforms->sampling, transforms->context, transforms->restored,
                              step);
}

sedge_status sedge_transforms_connect(void *monitor, sedge_point_recorder *recorder)
{
    sedge_transforms *const transforms = monitor;
    int at = 0;

    for (int i = 0; i < transforms->count; i++) {
        const sedge_transform_entry *const entry = &transforms->entry[i];

        if (has_sums(entry)) {
            SEDGE_TRY(sedge_spectrum_connect(&transforms->spectrum[i], transforms->context,
                                             recorder, at));
        }
        at += count_points(transforms, entry);
    }
    return SEDGE_OK;
}

sedge_status sedge_transforms_transform(void *monitor, int samples, const double *times)
{
    sedge_transforms *const transforms = monitor;
    const double weight = transforms->sampling.every * transforms->context->dt;
    sedge_status status = SEDGE_OK;

    for (int i = 0; i < transforms->count && status == SEDGE_OK; i++) {
        if (has_sums(&transforms->entry[i]))
            status = sedge_spectrum_add(&transforms->spectrum[i], samples, times, weight);
    }
    return sedge_comm_agree(transforms->context->comm, status);
}

sedge_status sedge_transforms_compare(void *monitor, int64_t window, bool measure, double *remains)
{
    const sedge_transforms *const transforms = monitor;

    *remains = 0.0;
    if (measure) {
        SEDGE_TRY(sedge_comm_agree(transforms->context->comm, sedge_transforms_fetch(transforms)));
    }
    for (int i = 0; i < transforms->count; i++) {
        sedge_settling *const settling = &transforms->settling[i];

        if (!has_sums(&transforms->entry[i])) continue;
        if (measure) {
            SEDGE_TRY(sedge_settling_measure(settling, transforms->context,
                                             transforms->spectrum[i].sums, window));
        }
        *remains = fmax(*remains, fmax(settling->remains[0], settling->remains[1]));
    }
    return SEDGE_OK;
}

sedge_status sedge_transforms_save(const void *monitor, json_t *memory)
{
    const sedge_transforms *const transforms = monitor;
    const bool settles = transforms->context->deck->stop_spectra > 0.0;
    json_t *const entries = json_object();
    json_t *const settling = json_object();

    if (json_object_set_new(memory, "entries", entries) != 0 ||
        json_object_set_new(memory, "settling", settling) != 0)
        return SEDGE_FAIL(SEDGE_ERR_MEMORY, "out of memory for a monitor's transforms");
    SEDGE_TRY(sedge_transforms_fetch(transforms));
    for (int i = 0; i < transforms->count; i++) {
        const sedge_transform_entry *const entry = &transforms->entry[i];

        if (!has_sums(entry)) continue;
        SEDGE_TRY(
            sedge_spectrum_save(&transforms->spectrum[i], entries, entry->name, entry->place));
        if (!settles) continue;
        SEDGE_TRY(sedge_settling_save(&transforms->settling[i], settling, entry->name));
    }
    return sedge_sampling_save(&transforms->sampling, transforms->context, memory);
}
