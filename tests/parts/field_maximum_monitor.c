// A monitor of the tests: the largest magnitude of the equation's first output group at a node,
// with its place, every few steps; and the largest of the whole run so far. It needs no other file.
//
// field_maximum.h5: /step, /value, /place [samples][3], /largest, /time. Of equal values the one in
// the element with the lowest number counts, on any number of ranks.
#include "dg/monitor_kind.h"

#include "base/memory.h"
#include "io/h5.h"
#include "monitor/output_describe.h"
#include "monitor/output_folder.h"
#include "monitor/sample.h"
#include "monitor/series.h"

#include <jansson.h>

#include <math.h>

typedef struct field_maximum {
    const sedge_output_context *context;
    int64_t every, samples;
    double largest; // so far, code units
} field_maximum;

typedef struct maximum {
    double value; // code units
    double place[3];
    int64_t element; // number in the mesh file
} maximum;

static sedge_status make_file(const void *what, sedge_h5 *file)
{
    static const int64_t three = 3;

    SEDGE_TRY(sedge_output_describe(file, what, "field maximum"));
    SEDGE_TRY(sedge_h5_series(file, "/step", SEDGE_H5_I64, 0, NULL, 64));
    SEDGE_TRY(sedge_h5_series(file, "/value", SEDGE_H5_F64, 0, NULL, 64));
    SEDGE_TRY(sedge_h5_series(file, "/place", SEDGE_H5_F64, 1, &three, 64));
    SEDGE_TRY(sedge_h5_series(file, "/largest", SEDGE_H5_F64, 0, NULL, 64));
    return sedge_h5_series(file, "/time", SEDGE_H5_F64, 0, NULL, 64);
}

static sedge_status create(void **out, const sedge_output_context *context,
                           const double *parameters, const json_t *memory)
{
    field_maximum *monitor = NULL;
    sedge_status status = sedge_allocate(&monitor, 1, sizeof *monitor);

    *out = NULL;
    if (status == SEDGE_OK) {
        monitor->context = context;
        monitor->every = (int64_t)parameters[0];
        monitor->largest = json_number_value(json_object_get(memory, "largest"));
        status = sedge_series_load(&monitor->samples, memory, "field_maximum");
        if (status == SEDGE_OK && sedge_comm_is_root(context->comm)) {
            status = sedge_series_make(context, "field_maximum.h5", 0, monitor->samples, make_file,
                                       context);
        }
    }
    status = sedge_comm_agree(context->comm, status);
    if (status == SEDGE_OK) {
        *out = monitor;
    } else {
        sedge_release(monitor);
    }
    return status;
}

static bool due(const void *what, int64_t step)
{
    return step % ((const field_maximum *)what)->every == 0;
}

static bool is_before(const maximum *one, const maximum *other)
{
    return one->value > other->value ||
           (one->value == other->value && one->element < other->element);
}

// Of this rank's elements; element INT64_MAX: it has none.
static maximum find_own(const sedge_output_context *context, const double *u)
{
    const sedge_output_group *const group = &context->problem->equation->groups[0];
    const sedge_element *const element = context->element;
    const int fields = context->problem->equation->fields;
    maximum best = {.value = -1.0, .element = INT64_MAX};

    for (int32_t e = 0; e < context->mesh->elements; e++) {
        const double *const of_group = u + ((int64_t)e * fields + group->first) * element->nodes;

        for (int n = 0; n < element->nodes; n++) {
            maximum here = {.element = context->mesh->global_ids[e]};
            double sum = 0.0;

            for (int c = 0; c < group->count; c++)
                sum += of_group[c * element->nodes + n] * of_group[c * element->nodes + n];
            here.value = sqrt(sum);
            if (!is_before(&here, &best)) continue;
            sedge_geometry_map(context->mesh->corners[e], element->r[n], element->s[n],
                               element->t[n], here.place);
            best = here;
        }
    }
    return best;
}

// Root: one more row of each series.
static sedge_status append(const field_maximum *monitor, const maximum *best,
                           const sedge_sample *sample)
{
    const sedge_output_context *const context = monitor->context;
    const double factor =
        sedge_output_group_factor(context, &context->problem->equation->groups[0]);
    const double value = best->value * factor;
    const double largest = monitor->largest * factor;
    const int64_t step = sedge_sample_step(sample);
    const double shown = sedge_sample_time(sample) * sedge_deck_time_unit(context->deck);
    char path[SEDGE_OUTPUT_PATH];
    sedge_h5 *file = NULL;

    sedge_output_path(path, context, "field_maximum.h5");
    SEDGE_TRY(sedge_h5_open_series(&file, path, 64, 5));
    sedge_status status = sedge_h5_extend(file, "/step", SEDGE_H5_I64, 1, &step);
    if (status == SEDGE_OK) status = sedge_h5_extend(file, "/value", SEDGE_H5_F64, 1, &value);
    if (status == SEDGE_OK) status = sedge_h5_extend(file, "/place", SEDGE_H5_F64, 1, best->place);
    if (status == SEDGE_OK) status = sedge_h5_extend(file, "/largest", SEDGE_H5_F64, 1, &largest);
    if (status == SEDGE_OK) status = sedge_h5_extend(file, "/time", SEDGE_H5_F64, 1, &shown);
    return sedge_h5_close(file, status);
}

static sedge_status record(void *what, sedge_sample *sample)
{
    field_maximum *const monitor = what;
    const sedge_output_context *const context = monitor->context;
    const sedge_comm *const comm = context->comm;
    const double *u;
    maximum *all = NULL;

    SEDGE_TRY(sedge_sample_fields(sample, &u));
    const maximum own = find_own(context, u);
    SEDGE_TRY(sedge_comm_agree(comm, sedge_allocate(&all, sedge_comm_size(comm), sizeof *all)));
    sedge_comm_all_gather(comm, &own, all, sizeof own);
    maximum best = all[0];
    for (int r = 1; r < sedge_comm_size(comm); r++)
        if (is_before(&all[r], &best)) best = all[r];
    sedge_release(all);
    monitor->largest = fmax(monitor->largest, best.value);
    monitor->samples++;
    return sedge_comm_agree(comm,
                            sedge_comm_is_root(comm) ? append(monitor, &best, sample) : SEDGE_OK);
}

static sedge_status save(const void *what, json_t *memory)
{
    const field_maximum *const monitor = what;

    if (json_object_set_new(memory, "largest", json_real(monitor->largest)) != 0)
        return SEDGE_FAIL(SEDGE_ERR_COMPUTE, "the largest field is not a number");
    return sedge_series_save(monitor->samples, memory, "field_maximum");
}

static void release(void *what)
{
    sedge_release(what);
}

static const sedge_parameter parameters[] = {{.name = "every",
                                              .type = SEDGE_PARAMETER_INTEGER,
                                              .fallback = {1.0},
                                              .minimum = 1.0,
                                              .maximum = 1e9,
                                              .text = "steps between samples"}};

extern const sedge_monitor_kind sedge_monitor_field_maximum;
const sedge_monitor_kind sedge_monitor_field_maximum = {
    .name = "field_maximum",
    .text = "the largest magnitude of the first group of fields, with its place",
    .parameters = parameters,
    .parameter_count = 1,
    .create = create,
    .due = due,
    .sample = record,
    .save = save,
    .free = release,
};
