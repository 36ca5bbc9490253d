#include "far_time.h"

#include "base/memory.h"
#include "base/parallel.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

enum { WIDTH = 4 }; // places that a sample reaches

static double find_slowness(const sedge_far_time *far)
{
    return sqrt(far->medium.epsilon * far->medium.mu);
}

// The greatest distance of a point or its image from the centre, a bound. Collective.
static double find_reach(const sedge_near_surface *surface, const double centre[3])
{
    double most = 0.0;

    for (int64_t p = 0; p < surface->points; p++) {
        const double *const x = surface->place[p];
        most = fmax(most, hypot(hypot(x[0] - centre[0], x[1] - centre[1]), x[2] - centre[2]));
    }
    for (int i = 0; i < surface->planes; i++)
        most += 2.0 * fabs(surface->plane[i].position - centre[surface->plane[i].axis]);
    sedge_comm_max(surface->comm, &most, 1);
    return most;
}

sedge_status sedge_far_time_create(sedge_far_time *out, const sedge_near_surface *surface,
                                   const sedge_far_medium *medium, const double centre[3],
                                   double start, double interval, int64_t samples,
                                   int64_t directions, const double (*direction)[2])
{
    *out = (sedge_far_time){.surface = surface,
                            .medium = *medium,
                            .start = start,
                            .interval = interval,
                            .directions = directions,
                            .direction = direction};
    memcpy(out->centre, centre, sizeof out->centre);
    out->before =
        (int64_t)ceil(find_slowness(out) * find_reach(surface, centre) / interval) + WIDTH;
    out->places = samples + 2 * out->before;
    sedge_status status = sedge_allocate(&out->sums, 2 * directions * out->places, sizeof(double));
    if (status == SEDGE_OK)
        status = sedge_allocate(&out->currents, 6 * surface->points, sizeof(double));
    return sedge_comm_agree(surface->comm, status);
}

void sedge_far_time_clear(sedge_far_time *far)
{
    sedge_release(far->sums);
    sedge_release(far->currents);
    far->sums = far->currents = NULL;
}

// ---- samples -----------------------------------------------------------------------------------

// What the currents of an image, or of the surface itself (`mask` 0), add to L and N in a
// direction.
typedef struct view {
    double way[3]; // the path of a point at x is way.(x - centre) + path
    double path;
    double part[2][6]; // by J and M: of -(L_phi + eta N_theta), of L_theta - eta N_phi
} view;

static void set_view(view *out, const sedge_far_time *far, const double direction[2], unsigned mask)
{
    const double st = sin(direction[0]);
    const double ct = cos(direction[0]);
    const double sp = sin(direction[1]);
    const double cp = cos(direction[1]);
    const double theta[3] = {ct * cp, ct * sp, -st};
    const double phi[3] = {-sp, cp, 0.0};
    const double impedance = sqrt(far->medium.mu / far->medium.epsilon);

    *out = (view){.way = {st * cp, st * sp, ct}};
    for (int i = 0; i < 3; i++) {
        double sign = 1.0; // of J; M has the opposite one with each image

        for (int p = 0; p < far->surface->planes; p++) {
            const sedge_image_plane *const plane = &far->surface->plane[p];
            if ((mask >> p & 1) != 0) sign *= (i == plane->axis) == plane->magnetic ? -1.0 : 1.0;
        }
        double twin = sign;
        for (int p = 0; p < far->surface->planes; p++)
            if ((mask >> p & 1) != 0) twin = -twin;
        out->part[0][i] = -impedance * theta[i] * sign;
        out->part[0][3 + i] = -phi[i] * twin;
        out->part[1][i] = -impedance * phi[i] * sign;
        out->part[1][3 + i] = theta[i] * twin;
    }
    for (int p = 0; p < far->surface->planes; p++) {
        const sedge_image_plane *const plane = &far->surface->plane[p];
        if ((mask >> p & 1) == 0) continue;
        out->path += 2.0 * out->way[plane->axis] * (plane->position - far->centre[plane->axis]);
        out->way[plane->axis] = -out->way[plane->axis];
    }
}

// Weights of four neighbouring samples at the distance s, 0 to 1, behind the second one.
static void find_weights(double s, double weight[WIDTH])
{
    weight[0] = -s * (s - 1.0) * (s - 2.0) / 6.0;
    weight[1] = (s + 1.0) * (s - 1.0) * (s - 2.0) / 2.0;
    weight[2] = -(s + 1.0) * s * (s - 2.0) / 2.0;
    weight[3] = (s + 1.0) * s * (s - 1.0) / 6.0;
}

typedef struct sample {
    const sedge_far_time *far;
    double time;
} sample;

static void add_view(const sample *of, const view *seen, double *sums)
{
    const sedge_far_time *const far = of->far;
    const double slowness = find_slowness(far);
    const double now = (of->time - far->start) / far->interval + (double)far->before;

    for (int64_t p = 0; p < far->surface->points; p++) {
        const double *const x = far->surface->place[p];
        const double *const current = far->currents + 6 * p;
        double path = seen->path;
        double value[2] = {0.0, 0.0};
        double weight[WIDTH];

        for (int i = 0; i < 3; i++) path += seen->way[i] * (x[i] - far->centre[i]);
        for (int c = 0; c < 6; c++) {
            value[0] += seen->part[0][c] * current[c];
            value[1] += seen->part[1][c] * current[c];
        }
        // The place k of the far field needs the sample at k + path: this one, at the distance of
        // place - k from it, has the weight that the cubic through four samples gives it.
        const double place = now - slowness * path / far->interval;
        const double floor_of = floor(place);
        const int64_t first = (int64_t)floor_of - 1;
        find_weights(place - floor_of, weight);
        if (first < 0 || first + WIDTH > far->places) continue; // beyond all samples
        for (int k = 0; k < WIDTH; k++) {
            sums[first + k] += weight[k] * value[0];
            sums[far->places + first + k] += weight[k] * value[1];
        }
    }
}

static bool is_behind(const sedge_near_surface *s, const double r[3])
{
    for (int p = 0; p < s->planes; p++)
        if (s->plane[p].ground && s->side[p] * r[s->plane[p].axis] < -1e-12) return true;
    return false;
}

static void add_directions(void *context, int64_t begin, int64_t end)
{
    const sample *const of = context;
    const sedge_far_time *const far = of->far;

    for (int64_t d = begin; d < end; d++) {
        for (unsigned mask = 0; mask < 1u << far->surface->planes; mask++) {
            view seen;

            set_view(&seen, far, far->direction[d], mask);
            if (mask == 0 && is_behind(far->surface, seen.way)) break;
            add_view(of, &seen, far->sums + 2 * d * far->places);
        }
    }
}

void sedge_far_time_add(sedge_far_time *far, double time, const double *values, int64_t stride,
                        const int at[2])
{
    const sedge_near_surface *const surface = far->surface;
    sample of = {far, time};

    for (int64_t p = 0; p < surface->points; p++) {
        const double *const n = surface->normal[p];
        const double *const E = values + p * stride + at[0];
        const double *const H = values + p * stride + at[1];

        for (int i = 0; i < 3; i++) {
            const int a = (i + 1) % 3;
            const int b = (i + 2) % 3;
            far->currents[6 * p + i] = surface->weight[p] * (n[a] * H[b] - n[b] * H[a]);
            far->currents[6 * p + 3 + i] = surface->weight[p] * (n[b] * E[a] - n[a] * E[b]);
        }
    }
    sedge_parallel(surface->threads, far->directions, 4096 / (surface->points + 1) + 1,
                   add_directions, &of);
    far->samples++;
}

// ---- results -----------------------------------------------------------------------------------

void sedge_far_time_gather(sedge_far_time *far, const sedge_comm *comm)
{
    const int64_t count = 2 * far->directions * far->places;
    const int64_t most = 1 << 24;

    for (int64_t first = 0; first < count; first += most)
        sedge_comm_sum(comm, far->sums + first, (int)(count - first < most ? count - first : most));
    for (int64_t i = 0; i < count && !sedge_comm_is_root(comm); i++) far->sums[i] = 0.0;
}

void sedge_far_time_find(const sedge_far_time *far, int64_t direction, int part, double *field)
{
    const double *const sums = far->sums + (2 * direction + part) * far->places;
    const double factor = find_slowness(far) / (4.0 * PI * 12.0 * far->interval);

    for (int64_t k = 0; k < far->places; k++) {
        field[k] = 0.0;
        if (k < 2 || k + 2 >= far->places) continue;
        field[k] = factor * (8.0 * (sums[k + 1] - sums[k - 1]) - (sums[k + 2] - sums[k - 2]));
    }
}
