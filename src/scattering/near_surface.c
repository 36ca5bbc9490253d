#include "near_surface.h"

#include <math.h>

#define TOLERANCE 1e-6 // relative

static sedge_status check_planes(const sedge_near_surface *surface)
{
    bool taken[3] = {false};

    if (surface->planes < 0 || surface->planes > SEDGE_IMAGE_PLANES) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "%d image planes are outside 0..%d", surface->planes,
                          SEDGE_IMAGE_PLANES);
    }
    for (int p = 0; p < surface->planes; p++) {
        const sedge_image_plane *const plane = &surface->plane[p];
        if (plane->axis < 0 || plane->axis > 2) {
            return SEDGE_FAIL(SEDGE_ERR_USAGE, "axis %d of an image plane is outside 0..2",
                              plane->axis);
        }
        if (!isfinite(plane->position))
            return SEDGE_FAIL(SEDGE_ERR_USAGE, "an image plane is at %g", plane->position);
        if (taken[plane->axis]) {
            return SEDGE_FAIL(SEDGE_ERR_USAGE,
                              "two image planes are perpendicular to %c; at most one is possible",
                              'x' + plane->axis);
        }
        taken[plane->axis] = true;
    }
    return SEDGE_OK;
}

// Set `side` of each plane.
static sedge_status find_sides(sedge_near_surface *surface)
{
    double most[SEDGE_IMAGE_PLANES][2]; // farthest above and below the plane
    double inside = 0.0;                // area in a plane
    const double size = sqrt(surface->area);

    for (int p = 0; p < surface->planes; p++) most[p][0] = most[p][1] = 0.0;
    for (int64_t i = 0; i < surface->points; i++) {
        for (int p = 0; p < surface->planes; p++) {
            const int axis = surface->plane[p].axis;
            const double height = surface->place[i][axis] - surface->plane[p].position;
            most[p][0] = fmax(most[p][0], height);
            most[p][1] = fmax(most[p][1], -height);
            if (fabs(height) <= TOLERANCE * size && fabs(surface->normal[i][axis]) > 0.99)
                inside += surface->weight[i];
        }
    }
    sedge_comm_max(surface->comm, &most[0][0], 2 * surface->planes);
    sedge_comm_sum(surface->comm, &inside, 1);
    for (int p = 0; p < surface->planes; p++) {
        const sedge_image_plane *const plane = &surface->plane[p];
        if (fmin(most[p][0], most[p][1]) > TOLERANCE * size) {
            return SEDGE_FAIL(
                SEDGE_ERR_USAGE,
                "the near-field surface crosses the image plane %c = %g: it reaches %g above and "
                "%g below it",
                'x' + plane->axis, plane->position, most[p][0], most[p][1]);
        }
        surface->side[p] = most[p][0] > most[p][1] ? 1.0 : -1.0;
    }
    if (inside > 0.0) {
        return SEDGE_FAIL(
            SEDGE_ERR_USAGE,
            "an area %g of the near-field surface lies in an image plane; there the surface "
            "must be open",
            inside);
    }
    return SEDGE_OK;
}

// int n_j dS in moment[3], int (x_i - centre_i) n_j dS in moment[i].
static void find_moments(const sedge_near_surface *surface, const double centre[3],
                         double moment[4][3])
{
    for (int64_t p = 0; p < surface->points; p++) {
        const double weight = surface->weight[p];
        for (int j = 0; j < 3; j++) {
            const double n = weight * surface->normal[p][j];
            moment[3][j] += n;
            for (int i = 0; i < 3; i++) moment[i][j] += (surface->place[p][i] - centre[i]) * n;
        }
    }
    sedge_comm_sum(surface->comm, &moment[0][0], 12);
}

static sedge_status check_closed(const sedge_near_surface *surface, const double centre[3])
{
    const double area = surface->area;
    double moment[4][3] = {{0.0}};
    bool mirrored[3] = {false};

    for (int p = 0; p < surface->planes; p++) mirrored[surface->plane[p].axis] = true;
    find_moments(surface, centre, moment);
    const double volume = (moment[0][0] + moment[1][1] + moment[2][2]) / 3.0;
    for (int j = 0; j < 3; j++) {
        if (!mirrored[j] && !(fabs(moment[3][j]) <= TOLERANCE * area)) {
            return SEDGE_FAIL(
                SEDGE_ERR_USAGE,
                "the near-field surface is not closed: its normals' integral along %c is %g "
                "of its area, must be 0: a body passes through it, or a part of it is missing",
                'x' + j, moment[3][j] / area);
        }
        for (int i = 0; i < 3; i++) {
            if (i != j && (mirrored[i] || mirrored[j])) continue; // the images cancel it
            const double wanted = i == j ? volume : 0.0;
            if (!(fabs(moment[i][j] - wanted) <= TOLERANCE * area * sqrt(area))) {
                return SEDGE_FAIL(
                    SEDGE_ERR_USAGE,
                    "the near-field surface is not closed: int %c n_%c dS is %g, must be %g",
                    'x' + i, 'x' + j, moment[i][j], wanted);
            }
        }
    }
    if (!(volume > 0.0)) {
        return SEDGE_FAIL(
            SEDGE_ERR_USAGE,
            "the near-field surface encloses a volume of %g: its normals must point outward",
            volume);
    }
    return SEDGE_OK;
}

// The middle of the box around the surface and its images, and the greatest distance from it.
static void find_sphere(sedge_near_surface *surface)
{
    sedge_near_surface *const s = surface;
    double bounds[6]; // -least, most
    double square = 0.0;

    for (int i = 0; i < 6; i++) bounds[i] = -HUGE_VAL;
    for (int64_t p = 0; p < s->points; p++) {
        for (int i = 0; i < 3; i++) {
            bounds[i] = fmax(bounds[i], -s->place[p][i]);
            bounds[3 + i] = fmax(bounds[3 + i], s->place[p][i]);
        }
    }
    sedge_comm_max(s->comm, bounds, 6);
    for (int i = 0; i < 3; i++) s->middle[i] = 0.5 * (bounds[3 + i] - bounds[i]);
    for (int p = 0; p < s->planes; p++) s->middle[s->plane[p].axis] = s->plane[p].position;
    for (int64_t p = 0; p < s->points; p++) {
        double sum = 0.0;
        for (int i = 0; i < 3; i++) {
            const double apart = s->place[p][i] - s->middle[i]; // an image is as far away
            sum += apart * apart;
        }
        square = fmax(square, sum);
    }
    sedge_comm_max(s->comm, &square, 1);
    s->radius = sqrt(square);
}

sedge_status sedge_near_surface_check(sedge_near_surface *surface)
{
    double sums[5] = {0.0}; // area, area times place, normals that are not of unit length
    double centre[3];

    SEDGE_TRY(sedge_comm_agree(surface->comm, check_planes(surface)));
    for (int64_t p = 0; p < surface->points; p++) {
        double square = 0.0;
        sums[0] += surface->weight[p];
        for (int i = 0; i < 3; i++) {
            sums[1 + i] += surface->weight[p] * surface->place[p][i];
            square += surface->normal[p][i] * surface->normal[p][i];
        }
        if (!(fabs(square - 1.0) <= TOLERANCE)) sums[4] += 1.0;
    }
    sedge_comm_sum(surface->comm, sums, 5);
    if (sums[4] > 0.0) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%g normals of the near-field surface are not of unit length", sums[4]);
    }
    if (!(sums[0] > 0.0 && isfinite(sums[0]))) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "the near-field surface has area %g, must be positive",
                          sums[0]);
    }
    surface->area = sums[0];
    find_sphere(surface);
    SEDGE_TRY(find_sides(surface));
    for (int i = 0; i < 3; i++) centre[i] = sums[1 + i] / sums[0];
    for (int p = 0; p < surface->planes; p++)
        centre[surface->plane[p].axis] = surface->plane[p].position;
    return check_closed(surface, centre);
}

double sedge_near_surface_power(const sedge_near_surface *surface, const double complex (*E)[3],
                                const double complex (*H)[3])
{
    double power = 0.0;

    for (int64_t p = 0; p < surface->points; p++) {
        for (int i = 0; i < 3; i++) {
            const int a = (i + 1) % 3;
            const int b = (i + 2) % 3;
            const double flux = creal(E[p][a] * conj(H[p][b]) - E[p][b] * conj(H[p][a]));
            power += 0.5 * surface->weight[p] * surface->normal[p][i] * flux;
        }
    }
    for (int p = 0; p < surface->planes; p++)
        if (!surface->plane[p].ground) power *= 2.0;
    sedge_comm_sum(surface->comm, &power, 1);
    return power;
}
