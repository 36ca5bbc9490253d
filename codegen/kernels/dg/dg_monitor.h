// What happens beside the stages: point sources, energy, probes, fields for files. Types of
// dg_layout.h.
#pragma once

// A point source, added after the stage; one block for each SIMD batch on which it acts. `values`
// [blocks] are the batches' indices. `weights` [blocks][nodes] is what the source adds to u_t for
// the signal g = 1; it is zero in lanes that the source does not reach.
//   residual += dt g weights,  next += b dt g weights
//
// Where the stage has kept no residual, nobody reads that sum: the next stage finds the source in
// `next`.
#define SEDGE_POINT_LIST(X)                                    \
    X(SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, next)          \
    X(SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, residual)      \
    X(const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, weights) \
    X(const SEDGE_GLOBAL sedge_int64 *SEDGE_RESTRICT, values)  \
    X(const SEDGE_GLOBAL double *SEDGE_RESTRICT, signal)       \
    X(const SEDGE_GLOBAL double *SEDGE_RESTRICT, clock)        \
    X(double, delay)                                           \
    X(double, dt)                                              \
    X(sedge_real, rk_b)

SEDGE_KERNEL(sedge_point_source, SEDGE_MONITOR_THREADS, SEDGE_POINT_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_ITEMS (one, 1, n, SEDGE_NODES, SEDGE_MONITOR_THREADS) {
            const sedge_int64 at = values[b] * SEDGE_NODES_PADDED + n + one;
            SEDGE_PRIVATE_COPY(double, numbers, signal, SEDGE_SIGNAL_VALUES);
            const sedge_real amount = (sedge_real)(dt * sedge_signal(numbers, clock[0] + delay));
            SEDGE_EACH (f, SEDGE_FIELDS) {
                const sedge_value change = amount * weights[b * SEDGE_NODES + n].f[f];
                residual[at].f[f] += change;
                next[at].f[f] += rk_b * change;
            }
        }
    }
}

// energy [values][SEDGE_LANES] = 1/2 J sum_f w_f u_f^T M u_f in fp64; mass [nodes][nodes];
// half_jacobian [slots] = J / 2; energy_weights [materials][fields], with SEDGE_ENERGY_MATRIX
// [materials][fields][fields]: w_fg u_f^T M u_g.
#define SEDGE_ENERGY_LIST(X)                                     \
    X(const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, u)         \
    X(SEDGE_GLOBAL double *SEDGE_RESTRICT, energy)               \
    X(const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT, mass)       \
    X(const SEDGE_GLOBAL double *SEDGE_RESTRICT, half_jacobian)  \
    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, material)          \
    X(const SEDGE_GLOBAL double *SEDGE_RESTRICT, energy_weights) \
    X(sedge_int64, values)

// u_n (M u)_n of each field, weighted and summed over the nodes of one item, first, first + rows,
// ..., of one value: a lane each. On GPUs an item has some four nodes, so that it uses a word of
// the mass matrix, and of the state, more than once. The row M u is summed in the run's precision:
// in fp32 an energy has six to seven digits.
SEDGE_FUNCTION void add_node_energy(double *sum, const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT u,
                                    sedge_int64 value, int first,
                                    const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT mass,
                                    const SEDGE_GLOBAL int *SEDGE_RESTRICT material,
                                    const SEDGE_GLOBAL double *SEDGE_RESTRICT energy_weights)
{
    sedge_value row[SEDGE_ENERGY_TILE * SEDGE_FIELDS];

    SEDGE_EACH (f, SEDGE_ENERGY_TILE * SEDGE_FIELDS) row[f] = SEDGE_SPLAT(0.0);
    for (int m = 0; m < SEDGE_NODES; m++) {
        SEDGE_LOCAL_COPY(sedge_state, there, u + value * SEDGE_NODES_PADDED + m);
        SEDGE_EACH (k, SEDGE_ENERGY_TILE) {
            const sedge_real weight = mass[m * SEDGE_NODES + SEDGE_ENERGY_NODE(first, k)];
            SEDGE_EACH (f, SEDGE_FIELDS) row[k * SEDGE_FIELDS + f] += weight * there->f[f];
        }
    }
    SEDGE_LANES_LOOP (l) {
#if !SEDGE_ONE_VOLUME
        const SEDGE_GLOBAL double *const w =
            energy_weights + material[value * SEDGE_LANES + l] * SEDGE_ENERGY_WEIGHTS;
#else
        const SEDGE_GLOBAL double *const w = energy_weights;
#endif
        SEDGE_EACH (k, SEDGE_ENERGY_TILE) {
            if (first + k * SEDGE_ENERGY_ROWS < SEDGE_NODES) {
                const SEDGE_GLOBAL sedge_state *const own =
                    u + value * SEDGE_NODES_PADDED + first + k * SEDGE_ENERGY_ROWS;
                const sedge_value *const of = row + k * SEDGE_FIELDS;
#ifdef SEDGE_ENERGY_MATRIX
                SEDGE_EACH (f, SEDGE_FIELDS)
                    SEDGE_EACH (g, SEDGE_FIELDS)
                        sum[l] += w[f * SEDGE_FIELDS + g] * (double)SEDGE_LANE(own->f[f], l) *
                                  (double)SEDGE_LANE(of[g], l);
#else
                SEDGE_EACH (f, SEDGE_FIELDS)
                    sum[l] +=
                        w[f] * (double)SEDGE_LANE(own->f[f], l) * (double)SEDGE_LANE(of[f], l);
#endif
            }
        }
    }
    (void)material;
}

SEDGE_KERNEL(sedge_energy, SEDGE_MONITOR_THREADS, SEDGE_ENERGY_LIST)
{
    SEDGE_OUTER (b) {
#if !SEDGE_TARGET_HOST
        SEDGE_SHARED(double, parts, SEDGE_MONITOR_THREADS);
        SEDGE_ITEMS_1D (item, SEDGE_ENERGY_EACH * SEDGE_ENERGY_ROWS, SEDGE_MONITOR_THREADS) {
            const sedge_int64 value = b * SEDGE_ENERGY_EACH + item / SEDGE_ENERGY_ROWS;
            double mine = 0.0;
            if (value < values)
                add_node_energy(&mine, u, value, item % SEDGE_ENERGY_ROWS, mass, material,
                                energy_weights);
            parts[item] = mine;
        }
        SEDGE_BARRIER();
        SEDGE_ITEMS_1D (e, SEDGE_ENERGY_EACH, SEDGE_MONITOR_THREADS) {
            const sedge_int64 value = b * SEDGE_ENERGY_EACH + e;
            double total = 0.0;
            for (int k = 0; k < SEDGE_ENERGY_ROWS; k++) total += parts[e * SEDGE_ENERGY_ROWS + k];
            if (value < values) energy[value] = half_jacobian[value] * total;
        }
#else
        double total[SEDGE_LANES] = {0.0};
        for (int n = 0; n < SEDGE_NODES; n++)
            add_node_energy(total, u, b, n, mass, material, energy_weights);
        SEDGE_LANES_LOOP (l)
            energy[b * SEDGE_LANES + l] = half_jacobian[b * SEDGE_LANES + l] * total[l];
        (void)values;
#endif
    }
}

// The sum of energies [slots] as two numbers whose sum has twice the digits of fp64, so that the
// order does not show in the rounded sum; and how many are not finite. Of a slot's energy, `counts`
// [slots] tells: 0 it is nobody's, 1 it is summed, 2 it is only checked. parts [blocks][3]; a block
// has `each` slots.
#define SEDGE_ENERGY_SUM_LIST(X)                           \
    X(const SEDGE_GLOBAL double *SEDGE_RESTRICT, energies) \
    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, counts)      \
    X(SEDGE_GLOBAL double *SEDGE_RESTRICT, block_sums)     \
    X(sedge_int64, slots)                                  \
    X(sedge_int64, each)

// sum[0] + sum[1] gains x, of which no digit is lost (Knuth's two-sum).
SEDGE_FUNCTION void add_exactly(double *sum, double x)
{
    const double next = sum[0] + x;
    const double part = next - sum[0];

    sum[1] += (sum[0] - (next - part)) + (x - part);
    sum[0] = next;
}

SEDGE_FUNCTION void add_energy(double *sum, double energy, int count)
{
    if (count == 1) add_exactly(sum, energy);
    if (count != 0 && !(energy - energy == 0.0)) sum[2] += 1.0;
}

SEDGE_KERNEL(sedge_energy_sum, SEDGE_MONITOR_THREADS, SEDGE_ENERGY_SUM_LIST)
{
    SEDGE_OUTER (b) {
        const sedge_int64 begin = b * each;
        const sedge_int64 end = begin + each < slots ? begin + each : slots;
        double mine[3] = {0.0, 0.0, 0.0};
#if !SEDGE_TARGET_HOST
        SEDGE_SHARED(double, parts, 3 * SEDGE_MONITOR_THREADS);
        for (sedge_int64 s = begin + SEDGE_THREAD; s < end; s += SEDGE_MONITOR_THREADS)
            add_energy(mine, energies[s], counts[s]);
        SEDGE_EACH (i, 3) parts[3 * SEDGE_THREAD + i] = mine[i];
        SEDGE_BARRIER();
        if (SEDGE_THREAD == 0) {
            for (int k = 1; k < SEDGE_MONITOR_THREADS; k++) {
                add_exactly(mine, parts[3 * k]);
                mine[1] += parts[3 * k + 1];
                mine[2] += parts[3 * k + 2];
            }
            SEDGE_EACH (i, 3) block_sums[3 * b + i] = mine[i];
        }
#else
        for (sedge_int64 s = begin; s < end; s++) add_energy(mine, energies[s], counts[s]);
        SEDGE_EACH (i, 3) block_sums[3 * b + i] = mine[i];
#endif
    }
}

// samples [probes][fields] of one moment; of each probe its slot, and its row of weights
// [rows][nodes], fp64. An item has one value of `values`, on the host all of a probe: their sums do
// not wait for each other. Where curved elements have covariant components, probe_matrices [probes]
// is -1, or the place in matrices [][3][3] of what takes these to vectors at the probe
// (src/operator/basis.h).
#if SEDGE_TARGET_HOST
#define SEDGE_PROBE_FIELDS SEDGE_FIELDS
#else
#define SEDGE_PROBE_FIELDS 1
#endif

#ifdef SEDGE_COVARIANT_STATE
#define SEDGE_PROBE_MATRIX_LIST(X)                            \
    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, probe_matrices) \
    X(const SEDGE_GLOBAL double *SEDGE_RESTRICT, matrices)

// The fields from `first` on of an item, from the covariant components of their vectors.
#define SEDGE_PROBE_READS (SEDGE_TARGET_HOST ? SEDGE_FIELDS : 3)

SEDGE_FUNCTION void probe_covariant(double *sum, const SEDGE_GLOBAL sedge_state *p, int lane,
                                    int first, const SEDGE_GLOBAL double *w,
                                    const SEDGE_GLOBAL double *matrix)
{
    const int begin = first / SEDGE_PROBE_READS * SEDGE_PROBE_READS;
    double e[SEDGE_PROBE_READS] = {0.0};

    for (int n = 0; n < SEDGE_NODES; n++) {
        SEDGE_EACH (f, SEDGE_PROBE_READS)
            e[f] += w[n] * (double)SEDGE_LANE(p[n].f[begin + f], lane);
    }
    SEDGE_EACH (f, SEDGE_PROBE_FIELDS) {
        const int d = (first + f) % 3;
        const int vector = first + f - begin - d;
        sum[f] = matrix[3 * d] * e[vector] + matrix[3 * d + 1] * e[vector + 1] +
                 matrix[3 * d + 2] * e[vector + 2];
    }
}
#else
#define SEDGE_PROBE_MATRIX_LIST(X)
#endif

#define SEDGE_PROBE_LIST(X)                                \
    X(const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, u)   \
    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, probe_slots) \
    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, probe_rows)  \
    X(const SEDGE_GLOBAL double *SEDGE_RESTRICT, weights)  \
    X(SEDGE_GLOBAL double *SEDGE_RESTRICT, samples)        \
    X(sedge_int64, values)                                 \
    SEDGE_PROBE_MATRIX_LIST(X)

SEDGE_KERNEL(sedge_probe, SEDGE_MONITOR_THREADS, SEDGE_PROBE_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_ITEMS (one, 1, k, SEDGE_MONITOR_THREADS, SEDGE_MONITOR_THREADS) {
            const sedge_int64 at = (b * SEDGE_MONITOR_THREADS + k + one) * SEDGE_PROBE_FIELDS;
            if (at < values) {
                const int first = (int)(at % SEDGE_FIELDS);
                const sedge_int64 probe = at / SEDGE_FIELDS;
                const int slot = probe_slots[probe];
                const SEDGE_GLOBAL double *const w =
                    weights + (sedge_int64)probe_rows[probe] * SEDGE_NODES;
                const SEDGE_GLOBAL sedge_state *const p =
                    u + (sedge_int64)(slot / SEDGE_LANES) * SEDGE_NODES_PADDED;
                double sum[SEDGE_PROBE_FIELDS] = {0.0};
#ifdef SEDGE_COVARIANT_STATE
                const int matrix = probe_matrices[probe];
                if (matrix >= 0)
                    probe_covariant(sum, p, slot % SEDGE_LANES, first, w,
                                    matrices + 9 * (sedge_int64)matrix);
                const int nodes = matrix >= 0 ? 0 : SEDGE_NODES;
#else
                const int nodes = SEDGE_NODES;
#endif
                for (int n = 0; n < nodes; n++) {
                    SEDGE_EACH (f, SEDGE_PROBE_FIELDS)
                        sum[f] += w[n] * (double)SEDGE_LANE(p[n].f[first + f], slot % SEDGE_LANES);
                }
                SEDGE_EACH (f, SEDGE_PROBE_FIELDS) samples[at + f] = sum[f];
            }
        }
    }
}

// The fields as a file holds them (dg/field_layout.h): fp32 `values` at nodes of the file's own, of
// the elements in `places` [slots], which is the element's number in the file, or -1. The sums over
// nodes are fp64, with weights [element's nodes][file's nodes] of the state's basis. Field f begins
// at first[f] (-1: it is left out), with stride[f] numbers from node to node. Where curved elements
// have covariant components, curve_batches [SIMD batches] is -1 or the batch's number among curved
// ones, and node_places are r, s, t of the file's nodes.
#ifdef SEDGE_COVARIANT_STATE
#define SEDGE_SNAPSHOT_CURVE_LIST(X)                          \
    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, curve_batches)  \
    X(const SEDGE_GLOBAL sedge_curve *SEDGE_RESTRICT, curves) \
    X(const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT, node_places)
#else
#define SEDGE_SNAPSHOT_CURVE_LIST(X)
#endif

#define SEDGE_SNAPSHOT_LIST(X)                                \
    X(const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, u)      \
    X(SEDGE_GLOBAL float *SEDGE_RESTRICT, values)             \
    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, places)         \
    X(const SEDGE_GLOBAL double *SEDGE_RESTRICT, weights)     \
    X(const SEDGE_GLOBAL sedge_int64 *SEDGE_RESTRICT, first)  \
    X(const SEDGE_GLOBAL sedge_int64 *SEDGE_RESTRICT, stride) \
    X(const SEDGE_GLOBAL double *SEDGE_RESTRICT, factor)      \
    SEDGE_SNAPSHOT_CURVE_LIST(X)

SEDGE_KERNEL(sedge_snapshot, SEDGE_MONITOR_THREADS, SEDGE_SNAPSHOT_LIST)
{
    SEDGE_OUTER (value) {
        SEDGE_ITEMS (one, 1, k, SEDGE_NODES, SEDGE_MONITOR_THREADS) {
            const int m = k + one;
            double sum[SEDGE_FIELDS][SEDGE_LANES] = {{0.0}};

            for (int n = 0; n < SEDGE_NODES; n++) {
                const double w = weights[n * SEDGE_NODES + m];
                const sedge_state own = u[value * SEDGE_NODES_PADDED + n];
                SEDGE_EACH (f, SEDGE_FIELDS)
                    SEDGE_LANES_LOOP (l) sum[f][l] += w * (double)SEDGE_LANE(own.f[f], l);
            }
#ifdef SEDGE_COVARIANT_STATE
            if (curve_batches[value] >= 0) {
                sedge_value g[9];
                const sedge_value jacobian =
                    find_cofactors(g, &curves[curve_batches[value]], node_places + 3 * m);
                SEDGE_EACH (f, SEDGE_FIELDS / 3) {
                    SEDGE_LANES_LOOP (l) {
                        const double e[3] = {sum[3 * f][l], sum[3 * f + 1][l], sum[3 * f + 2][l]};
                        SEDGE_EACH (d, 3)
                            sum[3 * f + d][l] = ((double)SEDGE_LANE(g[d], l) * e[0] +
                                                 (double)SEDGE_LANE(g[3 + d], l) * e[1] +
                                                 (double)SEDGE_LANE(g[6 + d], l) * e[2]) /
                                                (double)SEDGE_LANE(jacobian, l);
                    }
                }
            }
#endif
            SEDGE_LANES_LOOP (l) {
                const int place = places[value * SEDGE_LANES + l];
                if (place >= 0) {
                    SEDGE_EACH (f, SEDGE_FIELDS) {
                        const sedge_int64 at =
                            first[f] + ((sedge_int64)place * SEDGE_NODES + m) * stride[f];
                        if (first[f] >= 0) values[at] = (float)(factor[f] * sum[f][l]);
                    }
                }
            }
        }
    }
}
