#include "sar_cubes.h"

#include "base/memory.h"

#include <math.h>

#define OUTSIDE  0.1  // of a valid cube's volume may be no tissue, at most
#define ACCURACY 1e-9 // of a cube's mass
#define ROUNDING 1e-9 // of cells: what lies nearer to a face of the grid is on it

// ---- sums --------------------------------------------------------------------------------------

static int64_t sum_place(const sedge_cubes *cubes, int64_t i, int64_t j, int64_t k)
{
    return (i * (cubes->count[1] + 1) + j) * (cubes->count[2] + 1) + k;
}

static void find_cell(const sedge_cubes *cubes, int64_t i, int64_t at[3])
{
    at[2] = i % cubes->count[2];
    at[1] = i / cubes->count[2] % cubes->count[1];
    at[0] = i / (cubes->count[2] * cubes->count[1]);
}

static int64_t count_sums(const sedge_cubes *cubes)
{
    return sum_place(cubes, cubes->count[0], cubes->count[1], cubes->count[2]) + 1;
}

// `sums` has the values of cells at the place behind each, and gets their sums along each axis.
static void accumulate(const sedge_cubes *cubes, double *sums)
{
    const int64_t *const n = cubes->count;

    for (int64_t i = 1; i <= n[0]; i++) {
        for (int64_t j = 1; j <= n[1]; j++) {
            double row = 0.0;
            for (int64_t k = 1; k <= n[2]; k++) {
                double *const here = &sums[sum_place(cubes, i, j, k)];
                row += *here;
                *here = row + sums[sum_place(cubes, i, j - 1, k)];
            }
        }
        for (int64_t j = 1; j <= n[1]; j++) {
            for (int64_t k = 1; k <= n[2]; k++)
                sums[sum_place(cubes, i, j, k)] += sums[sum_place(cubes, i - 1, j, k)];
        }
    }
}

sedge_status sedge_cubes_sum(double **sums, const sedge_cubes *cubes, const double *values)
{
    int64_t at[3];

    SEDGE_TRY(sedge_allocate(sums, count_sums(cubes), sizeof **sums));
    for (int64_t i = 0; i < cubes->cells; i++) {
        find_cell(cubes, i, at);
        (*sums)[sum_place(cubes, at[0] + 1, at[1] + 1, at[2] + 1)] = values[i];
    }
    accumulate(cubes, *sums);
    return SEDGE_OK;
}

sedge_status sedge_cubes_create(sedge_cubes *out, const int64_t count[3], const double *mass)
{
    double *tissue = NULL;
    sedge_status status;

    *out = (sedge_cubes){.count = {count[0], count[1], count[2]},
                         .cells = count[0] * count[1] * count[2]};
    SEDGE_TRY(sedge_allocate(&tissue, out->cells, sizeof *tissue));
    for (int64_t i = 0; i < out->cells; i++) tissue[i] = mass[i] > 0.0 ? 1.0 : 0.0;
    status = sedge_cubes_sum(&out->tissue, out, tissue);
    sedge_release(tissue);
    if (status == SEDGE_OK) status = sedge_cubes_sum(&out->mass, out, mass);
    if (status == SEDGE_OK) out->total = out->mass[count_sums(out) - 1] * (1.0 + ROUNDING);
    return status;
}

void sedge_cubes_clear(const sedge_cubes *cubes)
{
    sedge_release(cubes->tissue);
    sedge_release(cubes->mass);
}

// Sums up to a place between cells: linear along each axis, as the cells' values are even.
static double sum_up_to(const sedge_cubes *cubes, const double *sums, const double x[3])
{
    int64_t first[3];
    double part[3];
    double sum = 0.0;

    for (int d = 0; d < 3; d++) {
        const double at = fmin(fmax(x[d], 0.0), (double)cubes->count[d]);
        first[d] = (int64_t)at < cubes->count[d] ? (int64_t)at : cubes->count[d] - 1;
        part[d] = at - (double)first[d];
    }
    for (int c = 0; c < 8; c++) {
        const double weight = (c & 1 ? part[0] : 1.0 - part[0]) *
                              (c & 2 ? part[1] : 1.0 - part[1]) * (c & 4 ? part[2] : 1.0 - part[2]);
        sum += weight * sums[sum_place(cubes, first[0] + (c & 1), first[1] + (c >> 1 & 1),
                                       first[2] + (c >> 2))];
    }
    return sum;
}

double sedge_cubes_within(const sedge_cubes *cubes, const double *sums, double box[2][3])
{
    double sum = 0.0;

    for (int c = 0; c < 8; c++) {
        const double corner[3] = {box[c & 1][0], box[c >> 1 & 1][1], box[c >> 2][2]};
        const int lows = !(c & 1) + !(c & 2) + !(c & 4);
        sum += (lows % 2 == 0 ? 1.0 : -1.0) * sum_up_to(cubes, sums, corner);
    }
    return sum;
}

// ---- cubes -------------------------------------------------------------------------------------

void sedge_cubes_around(const sedge_cubes *cubes, int64_t i, double half, double box[2][3])
{
    int64_t at[3];

    find_cell(cubes, i, at);
    for (int d = 0; d < 3; d++) {
        box[0][d] = (double)at[d] + 0.5 - half;
        box[1][d] = (double)at[d] + 0.5 + half;
    }
}

void sedge_cubes_from(const sedge_cubes *cubes, int64_t i, int direction, double side,
                      double box[2][3])
{
    const int axis = direction / 2;
    const bool high = direction % 2 == 1; // its face is the high one: it grows towards low places
    int64_t at[3];

    sedge_cubes_around(cubes, i, 0.5 * side, box);
    find_cell(cubes, i, at);
    box[0][axis] = high ? (double)at[axis] + 1.0 - side : (double)at[axis];
    box[1][axis] = high ? (double)at[axis] + 1.0 : (double)at[axis] + side;
}

// A cube that grows: around a cell, or from a face.
static double mass_of(const sedge_cubes *cubes, int64_t i, int direction, double side,
                      double box[2][3])
{
    if (direction < 0) sedge_cubes_around(cubes, i, 0.5 * side, box);
    if (direction >= 0) sedge_cubes_from(cubes, i, direction, side, box);
    return sedge_cubes_within(cubes, cubes->mass, box);
}

// Two sides between which the one with the mass lies, and by how much their masses are off.
typedef struct bracket {
    double low, high;
    double below, above;
} bracket;

// Find sides around the one with the mass, from `guess` on in steps that double. False: the mass is
// never reached.
static bool find_bracket(bracket *out, const sedge_cubes *cubes, int64_t i, int direction,
                         double mass, double guess)
{
    const double most = 2.0 * (double)(cubes->count[0] + cubes->count[1] + cubes->count[2]);
    double box[2][3];
    double step = 1.0;
    double side = guess;
    double value = mass_of(cubes, i, direction, side, box) - mass;

    *out = (bracket){.high = side, .below = -mass, .above = value};
    while (value < 0.0 && side <= most) {
        out->low = side;
        out->below = value;
        side += step;
        step *= 2.0;
        value = mass_of(cubes, i, direction, side, box) - mass;
        out->high = side;
        out->above = value;
    }
    if (value < 0.0 || out->low > 0.0) return value >= 0.0;
    while (out->above > ACCURACY * mass && side > step) { // it may be far too large
        side -= step;
        step *= 2.0;
        value = mass_of(cubes, i, direction, side, box) - mass;
        if (value < 0.0) {
            out->low = side;
            out->below = value;
            return true;
        }
        out->high = side;
        out->above = value;
    }
    return true;
}

// The side with the mass, by the rule of false position with halved ends (Illinois); 0: the mass is
// never reached.
static double find_side(const sedge_cubes *cubes, int64_t i, int direction, double mass,
                        double guess)
{
    double box[2][3];
    bracket at;

    if (cubes->total < mass || !find_bracket(&at, cubes, i, direction, mass, guess)) return 0.0;
    for (int side = 0, step = 0; step < 200 && at.above > ACCURACY * mass; step++) {
        const double middle = (at.low * at.above - at.high * at.below) / (at.above - at.below);
        const double value = mass_of(cubes, i, direction, middle, box) - mass;

        if (fabs(value) <= ACCURACY * mass) return middle;
        if (value > 0.0) {
            at.high = middle;
            at.above = value;
            if (side == 1) at.below *= 0.5;
            side = 1;
        } else {
            at.low = middle;
            at.below = value;
            if (side == -1) at.above *= 0.5;
            side = -1;
        }
    }
    return at.high;
}

// Lies a face of the cube wholly outside of tissue? A face lies in the cells that it bounds.
static bool is_bare(const sedge_cubes *cubes, double box[2][3])
{
    for (int face = 0; face < 6; face++) {
        const int axis = face / 2;
        const int end = face % 2;
        double slice[2][3];
        double cell = floor(box[end][axis] + (end == 0 ? ROUNDING : -ROUNDING));

        for (int c = 0; c < 6; c++) slice[c / 3][c % 3] = box[c / 3][c % 3];
        slice[0][axis] = cell;
        slice[1][axis] = cell + 1.0;
        if (!(sedge_cubes_within(cubes, cubes->tissue, slice) > ROUNDING)) return true;
    }
    return false;
}

static bool has_tissue(const sedge_cubes *cubes, int64_t i)
{
    double box[2][3];

    sedge_cubes_around(cubes, i, 0.5, box);
    return sedge_cubes_within(cubes, cubes->tissue, box) > 0.5;
}

double sedge_cubes_grow(const sedge_cubes *cubes, int64_t i, double mass, double guess)
{
    double box[2][3];

    if (!has_tissue(cubes, i)) return 0.0;
    const double side = find_side(cubes, i, -1, mass, guess > 0.0 ? 2.0 * guess : 1.0);
    if (!(side > 0.0)) return 0.0;
    sedge_cubes_around(cubes, i, 0.5 * side, box);
    const double tissue = sedge_cubes_within(cubes, cubes->tissue, box);
    if (tissue < (1.0 - OUTSIDE) * side * side * side * (1.0 - ROUNDING)) return 0.0;
    return is_bare(cubes, box) ? 0.0 : 0.5 * side;
}

double sedge_cubes_grow_from(const sedge_cubes *cubes, int64_t i, int direction, double mass)
{
    return find_side(cubes, i, direction, mass, 1.0);
}

sedge_status sedge_cubes_cover(const sedge_cubes *cubes, const double *half, bool *covered)
{
    double *changes = NULL; // of the number of cubes, at their corners

    SEDGE_TRY(sedge_allocate(&changes, count_sums(cubes), sizeof *changes));
    for (int64_t i = 0; i < cubes->cells; i++) {
        double box[2][3];
        int64_t end[2][3];

        if (!(half[i] > 0.0)) continue;
        sedge_cubes_around(cubes, i, half[i], box);
        for (int d = 0; d < 3; d++) { // cells that lie in the box
            const double most = (double)cubes->count[d];
            end[0][d] = (int64_t)fmax(ceil(box[0][d] - ROUNDING), 0.0);
            end[1][d] = (int64_t)fmin(floor(box[1][d] + ROUNDING), most);
        }
        for (int c = 0; c < 8; c++) {
            const int highs = (c & 1) + (c >> 1 & 1) + (c >> 2);
            const int64_t at[3] = {end[c & 1][0], end[c >> 1 & 1][1], end[c >> 2][2]};
            if (at[0] < cubes->count[0] && at[1] < cubes->count[1] && at[2] < cubes->count[2]) {
                changes[sum_place(cubes, at[0] + 1, at[1] + 1, at[2] + 1)] +=
                    highs % 2 == 0 ? 1.0 : -1.0;
            }
        }
    }
    accumulate(cubes, changes);
    for (int64_t i = 0; i < cubes->cells; i++) {
        int64_t at[3];

        find_cell(cubes, i, at);
        covered[i] = changes[sum_place(cubes, at[0] + 1, at[1] + 1, at[2] + 1)] > 0.5;
    }
    sedge_release(changes);
    return SEDGE_OK;
}
