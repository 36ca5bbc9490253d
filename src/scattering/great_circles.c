#include "great_circles.h"

#include "base/memory.h"
#include "base/parallel.h"

#include "riccati.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define PI        3.14159265358979323846
#define TOLERANCE 1e-10
#define SAME      1e-12 // radians between equal angles

enum { GRAIN = 1 << 14 }; // products that take as long as a thread's start

// A caller's direction on its great circle.
typedef struct sedge_turned {
    double theta, phi; // phi from 0 to pi
    double sign;       // of the components there to the caller's
    int64_t index;     // the caller's
} sedge_turned;

// turned[first .. first + count - 1] have one phi, to SAME.
typedef struct sedge_circle {
    int64_t first, count;
    int64_t axis; // the first of its own axes; not with `whole`
} sedge_circle;

// ---- the degree --------------------------------------------------------------------------------

// The least degree L after which the sum of (2 n + 1) |j_n(size)|, in which a plane wave's error is
// at most, is below the tolerance.
static sedge_status find_degree(int *degree, double size)
{
    const double least = TOLERANCE * fmin(1.0, size) * fmin(1.0, size);
    const int terms = (int)(ceil(size) + 10.0 * cbrt(size)) + 20;
    sedge_riccati riccati;
    double rest = 0.0;

    SEDGE_TRY(sedge_riccati_create(&riccati, terms));
    sedge_riccati_fill(&riccati, size);
    for (*degree = terms; *degree > 1; --*degree) {
        const double size_of = cabs(riccati.psi[*degree]) * exp(riccati.psi_scale[*degree]) / size;

        rest += (2.0 * *degree + 1.0) * size_of;
        if (!(rest < least)) break;
    }
    sedge_riccati_clear(&riccati);
    return SEDGE_OK;
}

// ---- choosing axes -----------------------------------------------------------------------------

static sedge_turned turn(const double direction[2], int64_t index)
{
    const double turns = floor(direction[1] / PI + SAME);
    const double odd = fabs(turns - 2.0 * floor(0.5 * turns));
    const double sign = odd > 0.5 ? -1.0 : 1.0;

    return (sedge_turned){sign * direction[0], direction[1] - PI * turns, sign, index};
}

static int compare(const void *left, const void *right)
{
    const sedge_turned *const a = left;
    const sedge_turned *const b = right;

    if (a->phi < b->phi || a->phi > b->phi) return a->phi < b->phi ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

static void list_circles(sedge_circles *c)
{
    c->circles = 0;
    for (int64_t d = 0; d < c->directions; d++) {
        const double before =
            d > 0 ? c->turned[c->circle[c->circles - 1].first].phi : -(double)INFINITY;

        if (c->turned[d].phi - before > SAME) c->circle[c->circles++].first = d;
        c->circle[c->circles - 1].count = d + 1 - c->circle[c->circles - 1].first;
    }
}

static bool is_sampled(const sedge_circles *c, const sedge_circle *circle)
{
    return circle->count > c->degree + 1;
}

static void count_axes(sedge_circles *c)
{
    const int64_t samples = c->degree + 1;

    c->axes = 0;
    for (int64_t i = 0; i < c->circles; i++) {
        c->circle[i].axis = c->axes;
        c->axes += is_sampled(c, &c->circle[i]) ? samples : c->circle[i].count;
    }
    c->whole = samples * samples < c->axes;
    if (c->whole) c->axes = samples * samples;
}

static void set_axes(const sedge_circles *c)
{
    const int samples = c->degree + 1;

    for (int64_t a = 0; a < c->axes && c->whole; a++) {
        const int64_t row = a / samples;
        const int64_t column = a % samples;

        c->axis[a][0] = PI * (double)column / samples;
        c->axis[a][1] = PI * (double)row / samples;
    }
    for (int64_t i = 0; i < c->circles && !c->whole; i++) {
        const sedge_circle *const circle = &c->circle[i];
        const sedge_turned *const turned = &c->turned[circle->first];
        const bool sampled = is_sampled(c, circle);

        for (int64_t k = 0; k < (sampled ? samples : circle->count); k++) {
            c->axis[circle->axis + k][0] = sampled ? PI * (double)k / samples : turned[k].theta;
            c->axis[circle->axis + k][1] = sampled ? turned->phi : turned[k].phi;
        }
    }
}

sedge_status sedge_circles_create(sedge_circles *out, double size, int64_t directions,
                                  const double (*direction)[2])
{
    int degree;

    *out = (sedge_circles){.directions = directions};
    SEDGE_TRY(find_degree(&degree, size));
    out->degree = degree + 1;
    SEDGE_TRY(sedge_allocate(&out->turned, directions, sizeof *out->turned));
    SEDGE_TRY(sedge_allocate(&out->circle, directions, sizeof *out->circle));
    for (int64_t d = 0; d < directions; d++) out->turned[d] = turn(direction[d], d);
    qsort(out->turned, (size_t)directions, sizeof *out->turned, compare);
    list_circles(out);
    count_axes(out);
    SEDGE_TRY(sedge_allocate(&out->axis, out->axes, sizeof *out->axis));
    set_axes(out);
    const int values = 2 * out->degree + 2;
    SEDGE_TRY(sedge_allocate(&out->half, values, sizeof *out->half));
    for (int i = 0; i < values; i++) {
        out->half[i][0] = cos(PI * i / values);
        out->half[i][1] = sin(PI * i / values);
    }
    return SEDGE_OK;
}

void sedge_circles_clear(const sedge_circles *circles)
{
    sedge_release(circles->turned);
    sedge_release(circles->circle);
    sedge_release(circles->axis);
    sedge_release(circles->half);
}

// ---- between the values on a circle ------------------------------------------------------------

// The weights of the N = 2 D + 2 values at angles 2 pi i / N: (-1)^i cot((angle - 2 pi i / N) / 2)
// over their sum (Henrici, Numerische Mathematik 33 (1979) 225). Rounding in a large one cancels.
static void find_weights(const sedge_circles *c, double angle, double *weight)
{
    const int values = 2 * c->degree + 2;
    const double cosine = cos(0.5 * angle);
    const double sine = sin(0.5 * angle);
    double sum = 0.0;

    for (int i = 0; i < values; i++) {
        const double below = sine * c->half[i][0] - cosine * c->half[i][1];

        if (!(fabs(below) > 0.0)) {
            memset(weight, 0, (size_t)values * sizeof *weight);
            weight[i] = 1.0;
            return;
        }
        weight[i] = (cosine * c->half[i][0] + sine * c->half[i][1]) / below;
        if (i % 2 == 1) weight[i] = -weight[i];
        sum += weight[i];
    }
    for (int i = 0; i < values; i++) weight[i] /= sum;
}

// The values [2 D + 2][2] on a great circle of the grid on the whole sphere.
static void find_between(const sedge_circles *c, double phi, const double complex (*known)[2][2],
                         double *weight, double complex (*value)[2])
{
    const int samples = c->degree + 1;

    find_weights(c, phi, weight);
    memset(value, 0, (size_t)(2 * samples) * sizeof *value);
    for (int j = 0; j < samples; j++) {
        for (int i = 0; i < 2 * samples; i++) {
            const int across = (2 * samples - i) % (2 * samples); // beyond the pole, phi + pi
            const double complex *const here =
                known[(int64_t)j * samples + i % samples][i / samples];
            const double complex *const there =
                known[(int64_t)j * samples + across % samples][across / samples];

            for (int k = 0; k < 2; k++)
                value[i][k] += weight[j] * here[k] - weight[j + samples] * there[k];
        }
    }
}

// The caller's directions of a circle with these values.
static void fill_circle(const sedge_circles *c, const sedge_circle *circle,
                        const double complex (*value)[2], double *weight, double complex (*far)[2])
{
    for (int64_t d = circle->first; d < circle->first + circle->count; d++) {
        const sedge_turned *const turned = &c->turned[d];
        double complex sum[2] = {0.0, 0.0};

        find_weights(c, turned->theta, weight);
        for (int i = 0; i < 2 * c->degree + 2; i++)
            for (int k = 0; k < 2; k++) sum[k] += weight[i] * value[i][k];
        for (int k = 0; k < 2; k++) far[turned->index][k] = turned->sign * sum[k];
    }
}

typedef struct fill_job {
    const sedge_circles *circles;
    const double complex (*known)[2][2];
    double complex (*far)[2];
    atomic_bool failed; // a thread has no memory
} fill_job;

// The caller's directions of a circle. value and weight [2 D + 2] are room.
static void find_circle(const fill_job *job, const sedge_circle *circle, double complex (*value)[2],
                        double *weight)
{
    const sedge_circles *const c = job->circles;
    const int samples = c->degree + 1;
    const double complex(*const own)[2][2] = job->known + circle->axis;

    if (c->whole) {
        find_between(c, c->turned[circle->first].phi, job->known, weight, value);
    } else if (is_sampled(c, circle)) {
        for (int k = 0; k < 2 * samples; k++)
            memcpy(value[k], own[k % samples][k / samples], sizeof *value);
    } else {
        for (int64_t k = 0; k < circle->count; k++) {
            const sedge_turned *const turned = &c->turned[circle->first + k];
            for (int p = 0; p < 2; p++) job->far[turned->index][p] = turned->sign * own[k][0][p];
        }
        return;
    }
    fill_circle(c, circle, (const double complex(*)[2])value, weight, job->far);
}

static void find_some(void *context, int64_t first, int64_t end)
{
    fill_job *const job = context;
    const int64_t values = 2 * (int64_t)job->circles->degree + 2;
    double complex(*value)[2] = NULL;
    double *weight = NULL;

    sedge_status status = sedge_allocate(&value, values, sizeof *value);
    if (status == SEDGE_OK) status = sedge_allocate(&weight, values, sizeof *weight);
    if (status != SEDGE_OK) atomic_store(&job->failed, true);
    for (int64_t i = first; i < end && status == SEDGE_OK; i++)
        find_circle(job, &job->circles->circle[i], value, weight);
    sedge_release(value);
    sedge_release(weight);
}

sedge_status sedge_circles_fill(const sedge_circles *circles, int threads,
                                const double complex (*known)[2][2], double complex (*far)[2])
{
    const int64_t values = 2 * (int64_t)circles->degree + 2;
    const int64_t each = circles->directions / (circles->circles > 0 ? circles->circles : 1) + 1;
    const int64_t products = values * (each + (circles->whole ? values : 0)); // of a circle
    fill_job job = {.circles = circles, .known = known, .far = far};

    atomic_init(&job.failed, false);
    sedge_parallel(threads, circles->circles, GRAIN / products + 1, find_some, &job);
    if (!atomic_load(&job.failed)) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_MEMORY, "out of memory for the values on a circle of directions");
}
