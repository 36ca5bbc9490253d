// Averages over cubes of a mass: the specific absorption rate (SAR) over 1 g and 10 g of tissue.
//
// Mass and power lie on a grid of cubic cells, spread evenly over each. As in IEC/IEEE 62704-1, a
// cube is centred at each cell with tissue, along the grid's axes, with the size at which it has
// the mass; cells that it cuts count in part. It is valid if at most a tenth of its volume is not
// tissue and none of its faces lies wholly outside of tissue. A cell that no valid cube encloses,
// such as at an edge or a thin end, has a cube with the middle of one face at the cell instead: of
// six directions those count whose cube is at most 5 % larger than the smallest one, and the
// largest rate of these. Cells that a valid cube cuts are not enclosed: if they were, the largest
// rate would depend on where the grid's cells lie in the tissue.
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct sedge_cubes {
    int64_t count[3]; // of cells
    int64_t cells;
    double *tissue; // [count + 1 of each axis] sums over all cells before: cells with tissue
    double *mass;   // the same of mass
    double total;   // mass
} sedge_cubes;

// Take the mass [x][y][z] of cells, 0 or more: 0 where there is no tissue. SEDGE_ERR_MEMORY. Clear
// it in any case. No function here is collective.
SEDGE_MUST_USE
sedge_status sedge_cubes_create(sedge_cubes *out, const int64_t count[3], const double *mass);
void sedge_cubes_clear(const sedge_cubes *cubes);

// Replace `values` [cells] by sums: sums [count + 1 of each axis]. SEDGE_ERR_MEMORY.
SEDGE_MUST_USE
sedge_status sedge_cubes_sum(double **sums, const sedge_cubes *cubes, const double *values);

// The half side, in cells, of the cube with `mass` around cell `i`; 0: the cell has no tissue, all
// tissue has less mass, or the cube is not valid. `guess`: a half side to begin with, such as a
// neighbour's; 0: none.
double sedge_cubes_grow(const sedge_cubes *cubes, int64_t i, double mass, double guess);

// The side of the cube with `mass` whose face `direction` (0, 1: low, high of x; and so on) has its
// middle at the outer side of cell `i`; 0: it never has that mass.
double sedge_cubes_grow_from(const sedge_cubes *cubes, int64_t i, int direction, double mass);

// The corners, in cells, of the cube of sedge_cubes_grow with the half side `half`, or of
// sedge_cubes_grow_from with the side `side`.
void sedge_cubes_around(const sedge_cubes *cubes, int64_t i, double half, double box[2][3]);
void sedge_cubes_from(const sedge_cubes *cubes, int64_t i, int direction, double side,
                      double box[2][3]);

// What lies in a box, by sums over cells.
double sedge_cubes_within(const sedge_cubes *cubes, const double *sums, double box[2][3]);

// Mark the cells that valid cubes enclose: covered [cells], from the half sides [cells] of
// all cells. SEDGE_ERR_MEMORY.
SEDGE_MUST_USE
sedge_status sedge_cubes_cover(const sedge_cubes *cubes, const double *half, bool *covered);
