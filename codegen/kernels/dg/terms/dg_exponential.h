// The exponential update of a stiff term (src/dg/exponential.h): after each stage and its point
// sources, three components of the field and the term's memory at each node. Types of dg_layout.h.
// The code does not depend on the term: a kernel is launched for each such term.
#pragma once

// With y = (F, w) before the stage, r the residual after it and r' that before it, for each of
// three components: y_i = sum_k numbers_ik y_k + numbers_in r + numbers_i(n+1) (r - a r'). The
// field goes to `next`, in place of what the stage wrote there.
//
//   w         [places][n - 1][3][SEDGE_NODES_PADDED]
//   before    [places][3][SEDGE_NODES_PADDED] r', not read if a = 0
//   material  [slots] volume groups
//   places    [SIMD batches] the batch's place in w, or -1 where it does not have the term
//   numbers   [volume groups][n][n + 2], n <= SEDGE_EXPONENTIAL_SIZE, the most of the
//             problem's terms
#define SEDGE_EXPONENTIAL_LIST(X)                               \
    X(const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, u)        \
    X(SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, next)           \
    X(const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, residual) \
    X(SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT, w)              \
    X(SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT, before)         \
    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, material)         \
    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, places)           \
    X(const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT, numbers)   \
    X(int, first_field)                                         \
    X(int, size)                                                \
    X(sedge_int64, batches)                                     \
    X(sedge_real, rk_a)

// Row i of the numbers, a lane each: those of y, filled up, then the last two.
SEDGE_FUNCTION void get_row(sedge_value *row, int i, int size, sedge_int64 batch,
                            const SEDGE_GLOBAL int *SEDGE_RESTRICT material,
                            const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT numbers)
{
    SEDGE_LANES_LOOP (l) {
        const SEDGE_GLOBAL sedge_real *const of =
            numbers + (material[batch * SEDGE_LANES + l] * size + i) * (size + 2);
        SEDGE_EACH (k, SEDGE_EXPONENTIAL_SIZE)
            SEDGE_LANE(row[k], l) = k < size ? of[k] : SEDGE_R(0.0);
        SEDGE_EACH (k, 2) SEDGE_LANE(row[SEDGE_EXPONENTIAL_SIZE + k], l) = of[size + k];
    }
}

SEDGE_KERNEL(sedge_exponential, SEDGE_MONITOR_THREADS, SEDGE_EXPONENTIAL_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_ITEMS (one, 1, i, SEDGE_MONITOR_THREADS, SEDGE_MONITOR_THREADS) {
            // Neighbouring items have neighbouring words of the state.
            const sedge_int64 item = b * SEDGE_MONITOR_THREADS + i + one;
            const sedge_int64 batch = item / (3 * SEDGE_NODES);
            const int n = (int)(item % (3 * SEDGE_NODES)) / 3;
            const int axis = (int)(item % 3);
            const int place = batch < batches ? places[batch] : -1;
            if (place >= 0) {
                const sedge_int64 at = batch * SEDGE_NODES_PADDED + n;
                const int f = first_field + axis;
                const sedge_int64 word = ((sedge_int64)place * 3 + axis) * SEDGE_NODES_PADDED + n;
                const sedge_int64 memory =
                    ((sedge_int64)place * (size - 1) * 3 + axis) * SEDGE_NODES_PADDED + n;
                sedge_value y[SEDGE_EXPONENTIAL_SIZE];
                sedge_value row[SEDGE_EXPONENTIAL_SIZE + 2];
                const sedge_value r = residual[at].f[f];
                sedge_value rate = r;
                if (rk_a != SEDGE_R(0.0)) rate = r - rk_a * before[word];
                before[word] = r;
                y[0] = u[at].f[f];
                SEDGE_EACH (k, SEDGE_EXPONENTIAL_SIZE)
                    if (k > 0)
                        y[k] = k < size ? w[memory + (k - 1) * 3 * SEDGE_NODES_PADDED]
                                        : SEDGE_SPLAT(SEDGE_R(0.0));
                for (int k = 0; k < size; k++) {
                    get_row(row, k, size, batch, material, numbers);
                    sedge_value sum =
                        row[SEDGE_EXPONENTIAL_SIZE] * r + row[SEDGE_EXPONENTIAL_SIZE + 1] * rate;
                    SEDGE_EACH (j, SEDGE_EXPONENTIAL_SIZE) sum = sum + row[j] * y[j];
                    if (k == 0) {
                        next[at].f[f] = sum;
                    } else {
                        w[memory + (k - 1) * 3 * SEDGE_NODES_PADDED] = sum;
                    }
                }
            }
        }
    }
}
