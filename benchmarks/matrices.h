// Test matrices of known kinds, made from formulas: for tests and benchmarks of sparse products.
#pragma once

#include "sparse/sparse.h"

typedef struct bench_matrix {
    sedge_csr csr; // of the arrays below
    int64_t *offsets;
    int32_t *columns;
    double *values;
} bench_matrix;

// Names: "7-point", "27-point" (size^3 points of a grid), "tets" (P1 on
// size^3 nodes, Kuhn's tetrahedra, nodes along a Morton curve; size a power of two), "shuffled"
// (the same, nodes in random order), "banded" (size rows, random columns near the diagonal), "rmat"
// (size a power of two, 8 entries a row on average, few rows with very many), "arrow" (diagonal,
// first row and column), "dg-1", "dg-2" (dense blocks of 4 and 10 rows, 6 size^3 tetrahedra and
// their neighbours). SEDGE_ERR_USAGE for another one. Values are random in [-1, 1) with 24 bits,
// those of the grids -1 and their number. The caller clears it.
SEDGE_MUST_USE
sedge_status bench_matrix_make(bench_matrix *matrix, const char *name, int64_t size);
void bench_matrix_clear(bench_matrix *matrix);

// In [-1, 1), 24 bits: exact as a float; the same in every run.
double bench_number(int64_t i);
