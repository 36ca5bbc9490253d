#include "plane.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "monitor/output_describe.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { GRAIN = 256 }; // pixels whose weights take as long as a thread's start

static const char axis_names[3][2] = {"x", "y", "z"};

static double find_centre(const sedge_output_context *context, const sedge_plane *plane,
                          int direction, int64_t i)
{
    return sedge_mesh_inner_bounds(context->mesh)[0][plane->axes[direction]] +
           ((double)i + 0.5) * plane->step[direction];
}

// ---- which points are whose --------------------------------------------------------------------

// What one rank finds: of its elements at each pixel, the one with the least global number.
typedef struct found_points {
    int32_t *elements; // [rows * columns], -1: none
    double (*rst)[3];  // [rows * columns]
} found_points;

// The pixels [first, last] whose centres may lie in [low, high].
static void pixel_window(const sedge_output_context *context, const sedge_plane *plane,
                         int direction, double low, double high, int64_t window[2])
{
    const double origin = sedge_mesh_inner_bounds(context->mesh)[0][plane->axes[direction]];
    const int64_t count = plane->shape[1 - direction];
    const double first = ceil((low - origin) / plane->step[direction] - 0.5 - 1e-6);
    const double last = floor((high - origin) / plane->step[direction] - 0.5 + 1e-6);

    window[0] = first > 0.0 ? (int64_t)first : 0;
    window[1] = last < (double)(count - 1) ? (int64_t)last : count - 1;
}

double sedge_plane_find_inside(const sedge_mesh *mesh, int32_t e, const sedge_geometry *map,
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
static void mark_element(const sedge_output_context *context, const sedge_plane *plane, int32_t e,
                         const found_points *found)
{
    double low[3], high[3], point[3];
    const int64_t *const ids = context->mesh->global_ids;
    int64_t across[2], along[2];
    sedge_geometry map;

    sedge_mesh_box(context->mesh, e, low, high);
    const int normal = plane->entry->axis;
    const double slack = 1e-9 * (high[normal] - low[normal]);
    point[normal] = plane->entry->position;
    if (point[normal] < low[normal] - slack || point[normal] > high[normal] + slack) return;
    sedge_geometry_compute(&map, context->mesh->corners[e]);
    pixel_window(context, plane, 0, low[plane->axes[0]], high[plane->axes[0]], across);
    pixel_window(context, plane, 1, low[plane->axes[1]], high[plane->axes[1]], along);
    for (int64_t row = along[0]; row <= along[1]; row++) {
        point[plane->axes[1]] = find_centre(context, plane, 1, row);
        for (int64_t column = across[0]; column <= across[1]; column++) {
            const int64_t pixel = row * plane->shape[1] + column;
            double rst[3];

            const int32_t before = found->elements[pixel];
            if (before >= 0 && ids[before] < ids[e]) continue;
            point[plane->axes[0]] = find_centre(context, plane, 0, column);
            if (sedge_plane_find_inside(context->mesh, e, &map, point, rst) < SEDGE_PLANE_INSIDE)
                continue;
            found->elements[pixel] = e;
            memcpy(found->rst[pixel], rst, sizeof rst);
        }
    }
}

typedef struct weight_job {
    const sedge_element *element;
    const sedge_plane *plane;
    const found_points *found;
    atomic_bool failed;
} weight_job;

static void find_weights(void *context, int64_t first, int64_t end)
{
    weight_job *const job = context;
    const int nodes = job->element->nodes;

    for (int64_t i = first; i < end; i++) {
        const double *const rst = job->found->rst[job->plane->pixels[i]];

        if (sedge_element_interpolate(job->element, rst[0], rst[1], rst[2],
                                      job->plane->weights + i * nodes) != SEDGE_OK)
            atomic_store(&job->failed, true);
    }
}

// Keep what this rank owns: of the elements that several ranks found at a point, the one with the
// least global number, the same on any number of ranks. Collective.
static sedge_status keep_owned(const sedge_output_context *context, sedge_plane *plane,
                               const found_points *found, int64_t *claims)
{
    const int64_t pixels = plane->shape[0] * plane->shape[1];
    const int64_t *const ids = context->mesh->global_ids;
    const int64_t all = context->mesh->global_elements;
    const int nodes = context->element->nodes;

    for (int64_t i = 0; i < pixels; i++)
        claims[i] = found->elements[i] >= 0 ? all - ids[found->elements[i]] : 0;
    sedge_comm_max_int(context->comm, claims, (int)pixels);
    for (int64_t i = 0; i < pixels; i++) {
        const int32_t e = found->elements[i];
        if (e < 0 || claims[i] != all - ids[e]) found->elements[i] = -1;
        plane->owned += found->elements[i] >= 0;
    }
    SEDGE_TRY(sedge_allocate(&plane->elements, plane->owned, sizeof *plane->elements));
    SEDGE_TRY(sedge_allocate(&plane->pixels, plane->owned, sizeof *plane->pixels));
    SEDGE_TRY(sedge_allocate(&plane->weights, plane->owned * nodes, sizeof *plane->weights));
    weight_job job = {.element = context->element, .plane = plane, .found = found};
    int64_t at = 0;
    for (int64_t i = 0; i < pixels; i++) {
        if (found->elements[i] < 0) continue;
        plane->elements[at] = found->elements[i];
        plane->pixels[at++] = i;
    }
    sedge_parallel(context->threads, plane->owned, GRAIN, find_weights, &job);
    return atomic_load(&job.failed)
               ? SEDGE_FAIL(SEDGE_ERR_INTERNAL, "a pixel of '%s' has no place in its element",
                            plane->entry->name)
               : SEDGE_OK;
}

static sedge_status find_points(const sedge_output_context *context, sedge_plane *plane)
{
    const int64_t pixels = plane->shape[0] * plane->shape[1];
    sedge_status status;
    found_points found = {0};
    int64_t *claims = NULL;

    status = sedge_allocate(&found.elements, pixels, sizeof *found.elements);
    if (status == SEDGE_OK) status = sedge_allocate(&found.rst, pixels, sizeof *found.rst);
    if (status == SEDGE_OK) status = sedge_allocate(&claims, pixels, sizeof *claims);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(context->comm, status));
    for (int64_t i = 0; i < pixels; i++) found.elements[i] = -1;
    for (int32_t e = 0; e < context->mesh->elements; e++)
        if (!sedge_mesh_in_layer(context->mesh, e)) mark_element(context, plane, e, &found);
    status = keep_owned(context, plane, &found, claims);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(context->comm, status));
done:
    sedge_release(found.elements);
    sedge_release(found.rst);
    sedge_release(claims);
    return status;
}

// Place the rectangle: the mesh's extents without layers, `resolution` pixels along the longer
// side.
static sedge_status place_slice(const sedge_output_context *context, sedge_plane *plane)
{
    const sedge_deck_slice *const entry = plane->entry;
    const double(*const bounds)[3] = sedge_mesh_inner_bounds(context->mesh);
    double length[2];

    if (entry->position < bounds[0][entry->axis] || entry->position > bounds[1][entry->axis]) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s:%d: plane '%s' at %s = %g lies outside the mesh, which spans %g to "
                          "%g",
                          context->deck->path, entry->line, entry->name, axis_names[entry->axis],
                          entry->position, bounds[0][entry->axis], bounds[1][entry->axis]);
    }
    plane->axes[0] = entry->axis == 0 ? 1 : 0;
    plane->axes[1] = entry->axis == 2 ? 1 : 2;
    for (int k = 0; k < 2; k++) length[k] = bounds[1][plane->axes[k]] - bounds[0][plane->axes[k]];
    for (int k = 0; k < 2; k++) {
        const double share = length[k] / fmax(length[0], length[1]);
        const double pixels = fmax(1.0, round(share * entry->resolution));

        plane->shape[1 - k] = (int64_t)pixels;
        plane->step[k] = length[k] / pixels;
    }
    if (plane->shape[0] * plane->shape[1] > INT32_MAX) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "%s:%d: plane '%s' has too many points: %lld x %lld",
                          context->deck->path, entry->line, entry->name, (long long)plane->shape[0],
                          (long long)plane->shape[1]);
    }
    return SEDGE_OK;
}

sedge_status sedge_plane_create(sedge_plane *out, const sedge_output_context *context,
                                const sedge_deck_slice *entry)
{
    *out = (sedge_plane){.entry = entry};
    SEDGE_TRY(place_slice(context, out));
    return find_points(context, out);
}

void sedge_plane_clear(const sedge_plane *plane)
{
    sedge_release(plane->elements);
    sedge_release(plane->weights);
    sedge_release(plane->pixels);
}

// The coordinate array of the pixels' columns (direction 0) or rows.
static sedge_status write_axis(const sedge_output_context *context, sedge_h5 *file,
                               const sedge_plane *plane, const char *folder, int direction)
{
    const int64_t count = plane->shape[1 - direction];
    char path[256];
    double *centres = NULL;
    sedge_status status;

    (void)snprintf(path, sizeof path, "%s/%s", folder, axis_names[plane->axes[direction]]);
    SEDGE_TRY_GOTO(status, sedge_allocate(&centres, count, sizeof *centres));
    for (int64_t i = 0; i < count; i++) centres[i] = find_centre(context, plane, direction, i);
    SEDGE_TRY_GOTO(status, sedge_h5_put(file, path, SEDGE_H5_F64, 1, &count, centres));
    SEDGE_TRY_GOTO(status, sedge_h5_text(file, path, "units", sedge_output_unit(context, "m")));
done:
    sedge_release(centres);
    return status;
}

sedge_status sedge_plane_describe(const sedge_plane *plane, const sedge_output_context *context,
                                  sedge_h5 *file, const char *folder)
{
    const char *const axes[2] = {axis_names[plane->axes[1]], axis_names[plane->axes[0]]};

    SEDGE_TRY(sedge_h5_text(file, folder, "normal", axis_names[plane->entry->axis]));
    SEDGE_TRY(sedge_h5_real(file, folder, "position", plane->entry->position));
    SEDGE_TRY(sedge_h5_text(file, folder, "position_units", sedge_output_unit(context, "m")));
    SEDGE_TRY(sedge_h5_texts(file, folder, "axes", axes, 2)); // of rows, of columns
    for (int k = 0; k < 2; k++) SEDGE_TRY(write_axis(context, file, plane, folder, k));
    return SEDGE_OK;
}
