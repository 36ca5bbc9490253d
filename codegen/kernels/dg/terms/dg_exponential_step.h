// The exponential update of a stiff term in a step with a prediction (src/dg/exponential.h), before
// the prediction or after the stage: three components of the field and the term's memory at each
// node. Types of dg_layout.h. The code does not depend on the term: a kernel is launched once
// for each such term and level of the time step.
#pragma once

// With y = (F, w) for each of three components F of the field: before the prediction
// y_i = sum_k numbers_ik y_k for i < n, and rest = sum_k numbers_nk y_k; after the stage
// x = y_0 + rest, y_0 = numbers_(n+1)0 x, and numbers_(n+1)i x is added to y_i for i > 0.
//
//   w           [places][n - 1][3][SEDGE_NODES_PADDED]
//   rest        [places][3][SEDGE_NODES_PADDED]
//   material    [slots] the volume group of each element
//   places      [SIMD batches] the batch's place in w and rest
//   list        [count] SIMD batches that have the term
//   numbers     [volume groups][n + 2][n] of the level's step
//   first_field the first of the three components of the field
//   size        n, at most SEDGE_EXPONENTIAL_SIZE, the most of the problem's terms
//   after       0: before the prediction; else after the stage
#define SEDGE_EXPONENTIAL_STEP_LIST(X)                        \
    X(SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, u)            \
    X(SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT, w)            \
    X(SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT, rest)         \
    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, material)       \
    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, places)         \
    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, list)           \
    X(const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT, numbers) \
    X(int, first_field)                                       \
    X(int, size)                                              \
    X(int, after)                                             \
    X(sedge_int64, count)

// Row i of the numbers, a lane each.
SEDGE_FUNCTION void get_step_row(sedge_value *row, int i, int size, sedge_int64 batch,
                                 const SEDGE_GLOBAL int *SEDGE_RESTRICT material,
                                 const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT numbers)
{
    SEDGE_LANES_LOOP (l) {
        const SEDGE_GLOBAL sedge_real *const of =
            numbers + (material[batch * SEDGE_LANES + l] * (size + 2) + i) * size;
        SEDGE_EACH (k, SEDGE_EXPONENTIAL_SIZE)
            SEDGE_LANE(row[k], l) = k < size ? of[k] : SEDGE_R(0.0);
    }
}

SEDGE_KERNEL(sedge_exponential_step, SEDGE_MONITOR_THREADS, SEDGE_EXPONENTIAL_STEP_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_ITEMS (one, 1, i, SEDGE_MONITOR_THREADS, SEDGE_MONITOR_THREADS) {
            // Neighbouring items have neighbouring words of the state.
            const sedge_int64 item = b * SEDGE_MONITOR_THREADS + i + one;
            const int n = (int)(item % (3 * SEDGE_NODES)) / 3;
            const int axis = (int)(item % 3);
            if (item < count * 3 * SEDGE_NODES) {
                const sedge_int64 batch = list[item / (3 * SEDGE_NODES)];
                const sedge_int64 at = batch * SEDGE_NODES_PADDED + n;
                const sedge_int64 place = places[batch];
                const sedge_int64 kept = (place * 3 + axis) * SEDGE_NODES_PADDED + n;
                const sedge_int64 memory = (place * (size - 1) * 3 + axis) * SEDGE_NODES_PADDED + n;
                const int f = first_field + axis;
                sedge_value row[SEDGE_EXPONENTIAL_SIZE];
                sedge_value y[SEDGE_EXPONENTIAL_SIZE];
                y[0] = u[at].f[f];
                SEDGE_EACH (k, SEDGE_EXPONENTIAL_SIZE)
                    if (k > 0)
                        y[k] = k < size ? w[memory + (k - 1) * 3 * SEDGE_NODES_PADDED]
                                        : SEDGE_SPLAT(SEDGE_R(0.0));
                if (after != 0) {
                    const sedge_value x = y[0] + rest[kept];
                    get_step_row(row, size + 1, size, batch, material, numbers);
                    u[at].f[f] = row[0] * x;
                    SEDGE_EACH (k, SEDGE_EXPONENTIAL_SIZE)
                        if (k > 0 && k < size)
                            w[memory + (k - 1) * 3 * SEDGE_NODES_PADDED] = y[k] + row[k] * x;
                } else {
                    for (int k = 0; k <= size; k++) {
                        get_step_row(row, k, size, batch, material, numbers);
                        sedge_value sum = row[0] * y[0];
                        SEDGE_EACH (j, SEDGE_EXPONENTIAL_SIZE)
                            if (j > 0) sum = sum + row[j] * y[j];
                        if (k == 0) {
                            u[at].f[f] = sum;
                        } else if (k == size) {
                            rest[kept] = sum;
                        } else {
                            w[memory + (k - 1) * 3 * SEDGE_NODES_PADDED] = sum;
                        }
                    }
                }
            }
        }
    }
}
