#include "orbits.h"

#include "base/memory.h"

#include <math.h>
#include <stdbool.h>

#define SAME 1e-9 // in reference coordinates; points that differ are much farther apart

static void find_lambda(double lambda[4], const double place[3])
{
    lambda[0] = -0.5 * (1.0 + place[0] + place[1] + place[2]);
    for (int d = 0; d < 3; d++) lambda[d + 1] = 0.5 * (1.0 + place[d]);
}

void sedge_orbits_map(double out[3], const double place[3], int j)
{
    double lambda[4];

    find_lambda(lambda, place);
    for (int d = 0; d < 3; d++) out[d] = 2.0 * lambda[(d + 1) ^ j] - 1.0;
}

// The permutation g_j with vertex j in place of 0 must keep pattern z: sign(z, j) = 1.
int sedge_orbits_partner(int z)
{
    static const int partner[SEDGE_ORBIT_POINTS] = {1, 2, 1, 3};

    return partner[z];
}

void sedge_orbits_reflect(double out[3], const double place[3], int z)
{
    const int partner = sedge_orbits_partner(z);
    double lambda[4];

    find_lambda(lambda, place);
    for (int d = 0; d < 3; d++) out[d] = 2.0 * lambda[d + 1 == partner ? 0 : d + 1] - 1.0;
}

int sedge_orbits_face(int j)
{
    return j ^ (j >> 1);
}

int sedge_orbits_repeats(const sedge_orbits *orbits, int orbit)
{
    int repeats = 0;

    for (int j = 0; j < SEDGE_ORBIT_POINTS; j++)
        repeats += orbits->member[orbit][j] == orbits->member[orbit][0];
    return repeats;
}

static int find_point(double (*place)[3], int points, const double at[3])
{
    for (int p = 0; p < points; p++) {
        if (fabs(place[p][0] - at[0]) < SAME && fabs(place[p][1] - at[1]) < SAME &&
            fabs(place[p][2] - at[2]) < SAME)
            return p;
    }
    return -1;
}

static double sign(int z, int j)
{
    const int both = z & j;

    return ((both ^ (both >> 1)) & 1) != 0 ? -1.0 : 1.0;
}

sedge_orbit_image sedge_orbits_find(const sedge_orbits *orbits, int point, int z)
{
    int at = 0;

    while (orbits->member[at / SEDGE_ORBIT_POINTS][at % SEDGE_ORBIT_POINTS] != point) at++;
    return (sedge_orbit_image){at / SEDGE_ORBIT_POINTS, (int)sign(z, at % SEDGE_ORBIT_POINTS)};
}

static sedge_status find_images(sedge_orbits *out, double (*place)[3], int points)
{
    SEDGE_TRY(sedge_allocate(&out->image, out->count, sizeof *out->image));
    for (int i = 0; i < out->count * SEDGE_ORBIT_POINTS; i++) {
        const int o = i / SEDGE_ORBIT_POINTS;
        const int z = i % SEDGE_ORBIT_POINTS;
        double reflected[3];

        sedge_orbits_reflect(reflected, place[out->member[o][0]], z);
        const int point = find_point(place, points, reflected);
        if (point < 0) {
            sedge_release(out->image);
            out->image = NULL;
            return SEDGE_OK;
        }
        out->image[o][z] = sedge_orbits_find(out, point, z);
    }
    return SEDGE_OK;
}

sedge_status sedge_orbits_create(sedge_orbits *out, double (*place)[3], int points)
{
    sedge_status status;

    *out = (sedge_orbits){0};
    SEDGE_TRY(sedge_allocate(&out->member, points, sizeof *out->member));
    for (int p = 0; p < points; p++) {
        int *const member = out->member[out->count];
        bool is_first = true;

        for (int j = 0; j < SEDGE_ORBIT_POINTS; j++) {
            double image[3];
            sedge_orbits_map(image, place[p], j);
            member[j] = find_point(place, points, image);
            if (member[j] < 0) {
                sedge_orbits_clear(out);
                return SEDGE_FAIL(SEDGE_ERR_INTERNAL, "%d points are not symmetric", points);
            }
            is_first = is_first && member[j] >= p;
        }
        out->count += is_first;
    }
    status = find_images(out, place, points);
    if (status != SEDGE_OK) sedge_orbits_clear(out);
    return status;
}

void sedge_orbits_clear(sedge_orbits *orbits)
{
    sedge_release(orbits->member);
    sedge_release(orbits->image);
    *orbits = (sedge_orbits){0};
}

void sedge_orbits_reduce(double *out, const double *a, int width, const sedge_orbits *rows,
                         const sedge_orbits *columns)
{
    for (int z = 0; z < SEDGE_ORBIT_POINTS; z++) {
        for (int q = 0; q < rows->count; q++) {
            const double *const row = a + (int64_t)rows->member[q][0] * width;
            for (int o = 0; o < columns->count; o++) {
                double sum = 0.0;
                for (int j = 0; j < SEDGE_ORBIT_POINTS; j++)
                    sum += sign(z, j) * row[columns->member[o][j]];
                *out++ = sum / (SEDGE_ORBIT_POINTS * sedge_orbits_repeats(columns, o));
            }
        }
    }
}
