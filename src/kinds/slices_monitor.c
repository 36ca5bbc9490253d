// slices.h5: pictures of plane cuts. Points are the centres of a rectangle's pixels; a point takes
// the value of the element that contains it, not a mean over neighbours; a point outside the mesh
// is not-a-number. Each rank keeps its points' elements and weights, the root assembles and writes.
//
// /time, /step, /slices/NAME/GROUP [snapshots][rows][columns] or [...][3], the coordinate arrays
// beside it.
#include "dg/monitor_kind.h"

#include "base/memory.h"
#include "monitor/output_describe.h"
#include "monitor/output_folder.h"
#include "monitor/sample.h"
#include "monitor/schedule.h"
#include "monitor/series.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SLICE_BYTES 16384 // what describes one slice in its file
#define INSIDE      -1e-9 // least barycentric coordinate of a point that counts as inside

typedef struct plane_slice {
    const sedge_deck_slice *entry; // of the deck
    int axes[2];                   // of columns, of rows
    int64_t shape[2];              // rows, columns
    double step[2];                // along columns, along rows
    int64_t owned;                 // points of this rank
    int32_t *elements;             // [owned]
    double *weights;               // [owned][nodes]
    int64_t *rank_offsets;         // [ranks + 1] windows of `pixels`; root only
    int32_t *pixels;               // root: of all ranks' points, rank by rank; else [owned]
} plane_slice;

typedef struct slices_monitor {
    const sedge_output_context *context;
    int64_t samples;
    int count;
    plane_slice *slices;
} slices_monitor;

static const char axis_names[3][2] = {"x", "y", "z"};

static const char *slice_name(const sedge_deck *deck, int i)
{
    return deck->slices[i].name;
}

static double pixel_centre(const sedge_output_context *context, const plane_slice *slice,
                           int direction, int64_t i)
{
    return context->mesh->bounds[0][slice->axes[direction]] +
           ((double)i + 0.5) * slice->step[direction];
}

// ---- which points are whose --------------------------------------------------------------------

// What one rank finds: of its elements at each pixel, the one with the least global number.
typedef struct found_points {
    int32_t *elements; // [rows * columns], -1: none
    double (*rst)[3];  // [rows * columns]
} found_points;

// The pixels [first, last] whose centres may lie in [low, high].
static void pixel_window(const sedge_output_context *context, const plane_slice *slice,
                         int direction, double low, double high, int64_t window[2])
{
    const double origin = context->mesh->bounds[0][slice->axes[direction]];
    const int64_t count = slice->shape[1 - direction];
    const double first = ceil((low - origin) / slice->step[direction] - 0.5 - 1e-6);
    const double last = floor((high - origin) / slice->step[direction] - 0.5 + 1e-6);

    window[0] = first > 0.0 ? (int64_t)first : 0;
    window[1] = last < (double)(count - 1) ? (int64_t)last : count - 1;
}

// Reference coordinates of a point, by `map` where the element is straight; returns twice the least
// barycentric one.
static double find_inside(const sedge_mesh *mesh, int32_t e, const sedge_geometry *map,
                          const double point[3], double rst[3])
{
    if (sedge_mesh_curve(mesh, e) >= 0) return 2.0 * sedge_mesh_coordinates(mesh, e, point, rst);
    for (int j = 0; j < 3; j++) {
        rst[j] = -1.0;
        for (int d = 0; d < 3; d++)
            rst[j] += map->metric[j][d] * (point[d] - mesh->corners[e][0][d]);
    }
    return fmin(fmin(rst[0] + 1.0, rst[1] + 1.0),
                fmin(rst[2] + 1.0, -1.0 - rst[0] - rst[1] - rst[2]));
}

// Mark the pixels in element e that no element before it in the whole mesh has.
static void mark_element(const sedge_output_context *context, const plane_slice *slice, int32_t e,
                         const found_points *found)
{
    double low[3], high[3], point[3];
    const int64_t *const ids = context->mesh->global_ids;
    int64_t across[2], along[2];
    sedge_geometry map;

    sedge_mesh_box(context->mesh, e, low, high);
    const int normal = slice->entry->axis;
    const double slack = 1e-9 * (high[normal] - low[normal]);
    point[normal] = slice->entry->position;
    if (point[normal] < low[normal] - slack || point[normal] > high[normal] + slack) return;
    sedge_geometry_compute(&map, context->mesh->corners[e]);
    pixel_window(context, slice, 0, low[slice->axes[0]], high[slice->axes[0]], across);
    pixel_window(context, slice, 1, low[slice->axes[1]], high[slice->axes[1]], along);
    for (int64_t row = along[0]; row <= along[1]; row++) {
        point[slice->axes[1]] = pixel_centre(context, slice, 1, row);
        for (int64_t column = across[0]; column <= across[1]; column++) {
            const int64_t pixel = row * slice->shape[1] + column;
            double rst[3];

            const int32_t before = found->elements[pixel];
            if (before >= 0 && ids[before] < ids[e]) continue;
            point[slice->axes[0]] = pixel_centre(context, slice, 0, column);
            if (find_inside(context->mesh, e, &map, point, rst) < 2.0 * INSIDE) continue;
            found->elements[pixel] = e;
            memcpy(found->rst[pixel], rst, sizeof rst);
        }
    }
}

// Keep what this rank owns: of the elements that several ranks found at a point, the one with the
// least global number, the same on any number of ranks. Collective.
static sedge_status keep_owned(const sedge_output_context *context, plane_slice *slice,
                               const found_points *found, int64_t *claims)
{
    const int64_t pixels = slice->shape[0] * slice->shape[1];
    const int64_t *const ids = context->mesh->global_ids;
    const int64_t all = context->mesh->global_elements;
    const int nodes = context->element->nodes;

    for (int64_t i = 0; i < pixels; i++)
        claims[i] = found->elements[i] >= 0 ? all - ids[found->elements[i]] : 0;
    sedge_comm_max_int(context->comm, claims, (int)pixels);
    for (int64_t i = 0; i < pixels; i++) {
        const int32_t e = found->elements[i];
        if (e < 0 || claims[i] != all - ids[e]) found->elements[i] = -1;
        slice->owned += found->elements[i] >= 0;
    }
    SEDGE_TRY(sedge_allocate(&slice->elements, slice->owned, sizeof *slice->elements));
    SEDGE_TRY(sedge_allocate(&slice->pixels, slice->owned, sizeof *slice->pixels));
    SEDGE_TRY(sedge_allocate(&slice->weights, slice->owned * nodes, sizeof *slice->weights));
    int64_t at = 0;
    for (int64_t i = 0; i < pixels; i++) {
        if (found->elements[i] < 0) continue;
        slice->elements[at] = found->elements[i];
        slice->pixels[at] = (int32_t)i;
        SEDGE_TRY(sedge_element_interpolate(context->element, found->rst[i][0], found->rst[i][1],
                                            found->rst[i][2], slice->weights + at * nodes));
        at++;
    }
    return SEDGE_OK;
}

static sedge_status find_points(const sedge_output_context *context, plane_slice *slice)
{
    const int64_t pixels = slice->shape[0] * slice->shape[1];
    sedge_status status;
    found_points found = {0};
    int64_t *claims = NULL;

    status = sedge_allocate(&found.elements, pixels, sizeof *found.elements);
    if (status == SEDGE_OK) status = sedge_allocate(&found.rst, pixels, sizeof *found.rst);
    if (status == SEDGE_OK) status = sedge_allocate(&claims, pixels, sizeof *claims);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(context->comm, status));
    for (int64_t i = 0; i < pixels; i++) found.elements[i] = -1;
    for (int32_t e = 0; e < context->mesh->elements; e++) mark_element(context, slice, e, &found);
    status = keep_owned(context, slice, &found, claims);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(context->comm, status));
done:
    sedge_release(found.elements);
    sedge_release(found.rst);
    sedge_release(claims);
    return status;
}

// Tell the root which pixels each rank will send.
static sedge_status gather_pixels(const sedge_output_context *context, plane_slice *slice)
{
    const sedge_comm *const comm = context->comm;
    const int ranks = sedge_comm_size(comm);
    int32_t *all = NULL;
    sedge_status status = sedge_allocate(&slice->rank_offsets, ranks + 1, sizeof(int64_t));

    SEDGE_TRY(sedge_comm_agree(comm, status));
    sedge_comm_all_gather(comm, &slice->owned, slice->rank_offsets + 1, sizeof slice->owned);
    for (int r = 0; r < ranks; r++) slice->rank_offsets[r + 1] += slice->rank_offsets[r];
    if (sedge_comm_is_root(comm))
        status = sedge_allocate(&all, slice->rank_offsets[ranks], sizeof *all);
    SEDGE_TRY(sedge_comm_agree(comm, status));
    if (all == NULL) { // not the root
        if (slice->owned > 0)
            sedge_comm_send(comm, slice->pixels, (size_t)slice->owned * sizeof *all, 0);
        return SEDGE_OK;
    }
    memcpy(all, slice->pixels, (size_t)slice->owned * sizeof *all);
    for (int r = 1; r < ranks; r++) {
        const int64_t count = slice->rank_offsets[r + 1] - slice->rank_offsets[r];
        if (count > 0)
            sedge_comm_receive(comm, all + slice->rank_offsets[r], (size_t)count * sizeof *all, r);
    }
    sedge_release(slice->pixels);
    slice->pixels = all;
    return SEDGE_OK;
}

// Place the rectangle: the mesh's extents, `resolution` pixels along the longer side.
static sedge_status place_slice(const sedge_output_context *context, plane_slice *slice)
{
    const sedge_deck_slice *const entry = slice->entry;
    const double(*const bounds)[3] = context->mesh->bounds;
    double length[2];

    if (entry->position < bounds[0][entry->axis] || entry->position > bounds[1][entry->axis]) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s:%d: slice '%s' at %s = %g lies outside the mesh, which spans %g to "
                          "%g",
                          context->deck->path, entry->line, entry->name, axis_names[entry->axis],
                          entry->position, bounds[0][entry->axis], bounds[1][entry->axis]);
    }
    slice->axes[0] = entry->axis == 0 ? 1 : 0;
    slice->axes[1] = entry->axis == 2 ? 1 : 2;
    for (int k = 0; k < 2; k++) length[k] = bounds[1][slice->axes[k]] - bounds[0][slice->axes[k]];
    for (int k = 0; k < 2; k++) {
        const double share = length[k] / fmax(length[0], length[1]);
        const double pixels = fmax(1.0, round(share * entry->resolution));

        slice->shape[1 - k] = (int64_t)pixels;
        slice->step[k] = length[k] / pixels;
    }
    if (slice->shape[0] * slice->shape[1] > INT32_MAX) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "%s:%d: slice '%s' has too many points: %lld x %lld",
                          context->deck->path, entry->line, entry->name, (long long)slice->shape[0],
                          (long long)slice->shape[1]);
    }
    return SEDGE_OK;
}

// ---- the file ----------------------------------------------------------------------------------

// The coordinate array of the pixels' columns (direction 0) or rows.
static sedge_status write_axis(const sedge_output_context *context, sedge_h5 *file,
                               const plane_slice *slice, int direction)
{
    const int64_t count = slice->shape[1 - direction];
    char path[256];
    double *centres = NULL;
    sedge_status status;

    (void)snprintf(path, sizeof path, "/slices/%s/%s", slice->entry->name,
                   axis_names[slice->axes[direction]]);
    SEDGE_TRY_GOTO(status, sedge_allocate(&centres, count, sizeof *centres));
    for (int64_t i = 0; i < count; i++) centres[i] = pixel_centre(context, slice, direction, i);
    SEDGE_TRY_GOTO(status, sedge_h5_put(file, path, SEDGE_H5_F64, 1, &count, centres));
    SEDGE_TRY_GOTO(status, sedge_h5_text(file, path, "units", sedge_output_unit(context, "m")));
done:
    sedge_release(centres);
    return status;
}

static sedge_status make_slice_group(const sedge_output_context *context, sedge_h5 *file,
                                     const plane_slice *slice)
{
    const sedge_equation *const equation = context->problem->equation;
    const char *const axes[2] = {axis_names[slice->axes[1]], axis_names[slice->axes[0]]};
    char folder[128];

    (void)snprintf(folder, sizeof folder, "/slices/%s", slice->entry->name);
    SEDGE_TRY(sedge_h5_group(file, folder));
    SEDGE_TRY(sedge_h5_text(file, folder, "normal", axis_names[slice->entry->axis]));
    SEDGE_TRY(sedge_h5_real(file, folder, "position", slice->entry->position));
    SEDGE_TRY(sedge_h5_text(file, folder, "position_units", sedge_output_unit(context, "m")));
    SEDGE_TRY(sedge_h5_texts(file, folder, "axes", axes, 2)); // of rows, of columns
    for (int k = 0; k < 2; k++) SEDGE_TRY(write_axis(context, file, slice, k));
    for (int g = 0; g < equation->group_count; g++) {
        const sedge_output_group *const group = &equation->groups[g];
        const int64_t shape[3] = {slice->shape[0], slice->shape[1], group->count};
        char path[256];

        (void)snprintf(path, sizeof path, "%s/%s", folder, group->name);
        SEDGE_TRY(sedge_h5_series(file, path, SEDGE_H5_F32, group->count > 1 ? 3 : 2, shape, 1));
        SEDGE_TRY(sedge_output_describe_group(file, context, path, group));
    }
    return SEDGE_OK;
}

static sedge_status make_slice_file(const void *what, sedge_h5 *file)
{
    const slices_monitor *const monitor = what;
    const sedge_output_context *const context = monitor->context;

    SEDGE_TRY(sedge_output_describe(file, context, "slices"));
    SEDGE_TRY(sedge_h5_series(file, "/time", SEDGE_H5_F64, 0, NULL, 64));
    SEDGE_TRY(sedge_h5_text(file, "/time", "units", sedge_output_unit(context, "s")));
    SEDGE_TRY(sedge_h5_series(file, "/step", SEDGE_H5_I64, 0, NULL, 64));
    SEDGE_TRY(sedge_h5_group(file, "/slices"));
    for (int i = 0; i < monitor->count; i++)
        SEDGE_TRY(make_slice_group(context, file, &monitor->slices[i]));
    return SEDGE_OK;
}

// Root: make slices.h5 with no snapshot in it, or with those of before.
static sedge_status create_file(const slices_monitor *monitor)
{
    int64_t bytes = 0; // of axes and attributes

    for (int i = 0; i < monitor->count; i++)
        bytes += SLICE_BYTES + 8 * (monitor->slices[i].shape[0] + monitor->slices[i].shape[1]);
    return sedge_series_make(monitor->context, "slices.h5", bytes, monitor->samples,
                             make_slice_file, monitor);
}

static void release(void *what)
{
    slices_monitor *const monitor = what;

    if (monitor == NULL) return;
    for (int i = 0; monitor->slices != NULL && i < monitor->count; i++) {
        sedge_release(monitor->slices[i].elements);
        sedge_release(monitor->slices[i].weights);
        sedge_release(monitor->slices[i].rank_offsets);
        sedge_release(monitor->slices[i].pixels);
    }
    sedge_release(monitor->slices);
    sedge_release(monitor);
}

static sedge_status create(void **out, const sedge_output_context *context,
                           const double *parameters, const struct json_t *memory)
{
    const sedge_deck *const deck = context->deck;
    const sedge_comm *const comm = context->comm;
    slices_monitor *monitor = NULL;
    sedge_status status;

    (void)parameters;
    *out = NULL;
    for (int i = 0; i < deck->slice_count; i++) {
        SEDGE_TRY(sedge_output_check_name(context, "slice", deck->slices[i].line,
                                          deck->slices[i].name, i, slice_name));
    }
    status = sedge_allocate(&monitor, 1, sizeof *monitor);
    if (status == SEDGE_OK)
        status = sedge_allocate(&monitor->slices, deck->slice_count, sizeof *monitor->slices);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    monitor->context = context;
    monitor->count = deck->slice_count;
    SEDGE_TRY_GOTO(status, sedge_series_load(&monitor->samples, memory, "slices"));
    for (int i = 0; i < monitor->count; i++) {
        monitor->slices[i].entry = &deck->slices[i];
        SEDGE_TRY_GOTO(status, place_slice(context, &monitor->slices[i]));
        SEDGE_TRY_GOTO(status, find_points(context, &monitor->slices[i]));
        SEDGE_TRY_GOTO(status, gather_pixels(context, &monitor->slices[i]));
    }
    if (sedge_comm_is_root(comm)) status = create_file(monitor);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    *out = monitor;
    monitor = NULL;
done:
    release(monitor);
    return status;
}

// ---- a snapshot --------------------------------------------------------------------------------

// The fields [owned][fields] at this rank's points, code units.
static void sample_points(const sedge_output_context *context, const plane_slice *slice,
                          const double *u, double *values)
{
    const int fields = context->problem->equation->fields;
    const int nodes = context->element->nodes;

    for (int64_t i = 0; i < slice->owned; i++) {
        const double *const weights = slice->weights + i * nodes;

        for (int f = 0; f < fields; f++) {
            const double *const nodal = u + ((int64_t)slice->elements[i] * fields + f) * nodes;
            double sum = 0.0;

            for (int n = 0; n < nodes; n++) sum += weights[n] * nodal[n];
            values[i * fields + f] = sum;
        }
    }
}

// Root: append one group's picture from all ranks' values [points][fields].
static sedge_status extend_group(const sedge_output_context *context, sedge_h5 *file,
                                 const plane_slice *slice, const sedge_output_group *group,
                                 const double *values, float *picture)
{
    const int fields = context->problem->equation->fields;
    const int64_t pixels = slice->shape[0] * slice->shape[1];
    const int64_t points = slice->rank_offsets[sedge_comm_size(context->comm)];
    const double factor = sedge_output_group_factor(context, group);
    char path[256];

    for (int64_t i = 0; i < pixels * group->count; i++) picture[i] = NAN;
    for (int64_t i = 0; i < points; i++) {
        for (int c = 0; c < group->count; c++) {
            picture[(int64_t)slice->pixels[i] * group->count + c] =
                (float)(factor * values[i * fields + group->first + c]);
        }
    }
    (void)snprintf(path, sizeof path, "/slices/%s/%s", slice->entry->name, group->name);
    return sedge_h5_extend(file, path, SEDGE_H5_F32, 1, picture);
}

// Sample one slice, bring the values to the root and append them there. Collective.
static sedge_status write_slice(const sedge_output_context *context, sedge_h5 *file,
                                const plane_slice *slice, const double *u)
{
    const sedge_comm *const comm = context->comm;
    const sedge_equation *const equation = context->problem->equation;
    const bool root = sedge_comm_is_root(comm);
    const int64_t points = root ? slice->rank_offsets[sedge_comm_size(comm)] : slice->owned;
    const size_t row = (size_t)equation->fields * sizeof(double);
    double *values = NULL;
    float *picture = NULL;
    sedge_status status = sedge_allocate(&values, points * equation->fields, sizeof *values);

    if (root && status == SEDGE_OK)
        status = sedge_allocate(&picture, 3 * slice->shape[0] * slice->shape[1], sizeof *picture);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    sample_points(context, slice, u, values);
    if (!root && slice->owned > 0) sedge_comm_send(comm, values, (size_t)slice->owned * row, 0);
    for (int r = 1; root && r < sedge_comm_size(comm); r++) {
        const int64_t first = slice->rank_offsets[r];
        const int64_t count = slice->rank_offsets[r + 1] - first;

        if (count > 0)
            sedge_comm_receive(comm, values + first * equation->fields, (size_t)count * row, r);
    }
    for (int g = 0; root && status == SEDGE_OK && g < equation->group_count; g++)
        status = extend_group(context, file, slice, &equation->groups[g], values, picture);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
done:
    sedge_release(values);
    sedge_release(picture);
    return status;
}

static sedge_status record(void *what, sedge_sample *sample)
{
    slices_monitor *const monitor = what;
    const sedge_output_context *const context = monitor->context;
    const sedge_comm *const comm = context->comm;
    const bool root = sedge_comm_is_root(comm);
    const int64_t step = sedge_sample_step(sample);
    const double shown = sedge_sample_time(sample) * sedge_deck_time_unit(context->deck);
    const double *u = NULL;
    sedge_h5 *file = NULL;
    sedge_status status = SEDGE_OK;

    SEDGE_TRY(sedge_sample_fields(sample, &u));
    monitor->samples++;
    if (root) {
        const sedge_equation *const equation = context->problem->equation;
        int64_t points = 0;
        char path[SEDGE_OUTPUT_PATH];

        for (int i = 0; i < monitor->count; i++)
            points += monitor->slices[i].shape[0] * monitor->slices[i].shape[1];
        sedge_output_path(path, context, "slices.h5");
        status = sedge_h5_open_series(&file, path, points * equation->fields * 4,
                                      2 + monitor->count * equation->group_count);
    }
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    for (int i = 0; i < monitor->count; i++)
        SEDGE_TRY_GOTO(status, write_slice(context, file, &monitor->slices[i], u));
    if (root) {
        status = sedge_h5_extend(file, "/step", SEDGE_H5_I64, 1, &step);
        if (status == SEDGE_OK) status = sedge_h5_extend(file, "/time", SEDGE_H5_F64, 1, &shown);
        status = sedge_h5_close(file, status);
        file = NULL;
    }
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
done:
    return sedge_h5_close(file, status);
}

static bool requested(const sedge_deck *deck)
{
    return deck->slice_count > 0;
}

static bool due(const void *what, int64_t step)
{
    return sedge_schedule_snapshot(((const slices_monitor *)what)->context, step);
}

static sedge_status save(const void *what, struct json_t *memory)
{
    return sedge_series_save(((const slices_monitor *)what)->samples, memory, "slices");
}

extern const sedge_monitor_kind sedge_monitor_slices;
const sedge_monitor_kind sedge_monitor_slices = {
    .name = "slices",
    .text = "by name: fields on planes, with every snapshot",
    .requested = requested,
    .create = create,
    .due = due,
    .sample = record,
    .last = record,
    .flushes_all = true,
    .save = save,
    .free = release,
};
