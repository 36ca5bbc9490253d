// Spheres and boxes as quadrature points, shared out to the ranks in turn, with room for fields.
#pragma once

#include "base/memory.h"
#include "check.h"
#include "scattering/gauss.h"
#include "scattering/near_surface.h"

#define PI          3.14159265358979323846
#define POINTS      28 // of a Gauss rule along an edge or a meridian
#define FREQUENCIES 2

// A surface with room for a box's points and for fields at them.
typedef struct stage {
    sedge_near_surface surface;
    double (*place)[3], (*normal)[3], *weight;
    double complex (*E)[3], (*H)[3]; // [FREQUENCIES][points]
    int64_t offered;                 // to all ranks
} stage;

static void open_stage(stage *s, const sedge_comm *of)
{
    const int64_t most = 6 * POINTS * POINTS;

    *s = (stage){.surface = {.comm = of}};
    CHECK_OK(sedge_allocate(&s->place, most, sizeof *s->place));
    CHECK_OK(sedge_allocate(&s->normal, most, sizeof *s->normal));
    CHECK_OK(sedge_allocate(&s->weight, most, sizeof *s->weight));
    CHECK_OK(sedge_allocate(&s->E, FREQUENCIES * most, sizeof *s->E));
    CHECK_OK(sedge_allocate(&s->H, FREQUENCIES * most, sizeof *s->H));
    s->surface.place = (const double(*)[3])s->place;
    s->surface.normal = (const double(*)[3])s->normal;
    s->surface.weight = s->weight;
}

static void close_stage(stage *s)
{
    sedge_release(s->place);
    sedge_release(s->normal);
    sedge_release(s->weight);
    sedge_release(s->E);
    sedge_release(s->H);
}

// Points go to the ranks in turn.
static void add_point(stage *s, const double x[3], const double n[3], double weight)
{
    const int64_t i = s->surface.points;

    if (s->offered++ % sedge_comm_size(s->surface.comm) != sedge_comm_rank(s->surface.comm)) return;
    memcpy(s->place[i], x, sizeof s->place[i]);
    memcpy(s->normal[i], n, sizeof s->normal[i]);
    s->weight[i] = weight;
    s->surface.points++;
}

static void add_sphere(stage *s, const double centre[3], double radius)
{
    double at[POINTS];
    double weight[POINTS];

    sedge_gauss_legendre(POINTS, at, weight);
    for (int i = 0; i < POINTS; i++) {
        for (int l = 0; l < 2 * POINTS; l++) {
            const double sine = sqrt(1.0 - at[i] * at[i]);
            const double phi = PI * l / POINTS;
            const double n[3] = {sine * cos(phi), sine * sin(phi), at[i]};
            const double x[3] = {centre[0] + radius * n[0], centre[1] + radius * n[1],
                                 centre[2] + radius * n[2]};
            add_point(s, x, n, radius * radius * weight[i] * PI / POINTS);
        }
    }
}

// The faces of the bit set `faces`: 2 axis + (1 for the upper one).
static void add_box(stage *s, const double lower[3], const double upper[3], unsigned faces)
{
    double at[POINTS];
    double weight[POINTS];

    sedge_gauss_legendre(POINTS, at, weight);
    for (int face = 0; face < 6; face++) {
        const int c = face / 2;
        const int a = (c + 1) % 3;
        const int b = (c + 2) % 3;
        if ((faces >> face & 1) == 0) continue;
        for (int q = 0; q < POINTS * POINTS; q++) {
            double n[3] = {0.0, 0.0, 0.0};
            double x[3];
            n[c] = face % 2 == 0 ? -1.0 : 1.0;
            x[c] = face % 2 == 0 ? lower[c] : upper[c];
            x[a] = lower[a] + 0.5 * (1.0 + at[q / POINTS]) * (upper[a] - lower[a]);
            x[b] = lower[b] + 0.5 * (1.0 + at[q % POINTS]) * (upper[b] - lower[b]);
            const double area = 0.25 * (upper[a] - lower[a]) * (upper[b] - lower[b]);
            add_point(s, x, n, area * weight[q / POINTS] * weight[q % POINTS]);
        }
    }
}

// The box of the tests.
static const double lower[3] = {-0.6, -0.5, -0.7};
static const double upper[3] = {0.8, 0.7, 0.5};
