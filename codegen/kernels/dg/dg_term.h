// A term (src/dg/term_kind.h): what it adds to du/dt at the nodes of some elements, and its memory
// w. Runs after a stage, at one node an item. Types of dg_layout.h. A program has this text once
// for each term, each time behind other constants:
//
//   SEDGE_TERM             the kernel's name
//   SEDGE_TERM_LOCAL       the function that sets du and dw
//   SEDGE_TERM_MEMORY      components of w
//   SEDGE_TERM_PARAMETERS  numbers p of a volume group
//
// The stage has set next = u + b residual. With du and dw from u and w before the stage:
//
//   residual += dt du;             next = u + b residual
//   w_residual = a w_residual + dt dw;  w += b w_residual
//
//   batches        [count] indices of the SIMD batches with elements that have the term
//   lanes          [count] bit l is set if the element in lane l has it, all 32 bits if all have:
//                  nothing changes in the others
//   w, w_residual  [count][SEDGE_NODES_PADDED][SEDGE_TERM_MEMORY]; w_residual is not read if a = 0
//   material       [slots] volume groups
//   parameters     [volume groups][SEDGE_TERM_PARAMETERS]
#ifndef SEDGE_TERM_THREADS
#define SEDGE_TERM_THREADS 128

#define SEDGE_TERM_LIST(X)                                       \
    X(const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, u)         \
    X(SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, next)            \
    X(SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, residual)        \
    X(SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT, w)               \
    X(SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT, w_residual)      \
    X(const SEDGE_GLOBAL sedge_int64 *SEDGE_RESTRICT, batches)   \
    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, lanes)             \
    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, material)          \
    X(const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT, materials)  \
    X(const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT, parameters) \
    X(const SEDGE_GLOBAL double *SEDGE_RESTRICT, clock)          \
    X(double, delay)                                             \
    X(sedge_int64, count)                                        \
    X(sedge_real, rk_a)                                          \
    X(sedge_real, rk_b)                                          \
    X(sedge_real, dt)

// The name is expanded before it becomes part of others.
#define SEDGE_TERM_KERNEL(name) SEDGE_KERNEL(name, SEDGE_TERM_THREADS, SEDGE_TERM_LIST)

// *to = value in the lanes that have the term.
SEDGE_FUNCTION void store_lanes(SEDGE_GLOBAL sedge_value *to, sedge_value value, int lanes)
{
#if SEDGE_LANES > 1
    if (lanes != -1) {
        SEDGE_LANES_LOOP (l)
            if (!(lanes >> l & 1)) SEDGE_LANE(value, l) = SEDGE_LANE(*to, l);
    }
#endif
    *to = value;
    (void)lanes;
}
#endif

SEDGE_TERM_KERNEL(SEDGE_TERM)
{
    SEDGE_OUTER (b) {
        SEDGE_ITEMS_1D (i, SEDGE_TERM_THREADS, SEDGE_TERM_THREADS) {
            const sedge_int64 item = b * SEDGE_TERM_THREADS + i;
            const sedge_int64 place = item / SEDGE_NODES;
            if (place < count) {
                const double constants[SEDGE_CONSTANTS + 1] = {SEDGE_CONSTANT_LIST 0.0};
                const sedge_int64 batch = batches[place];
                const int n = (int)(item % SEDGE_NODES);
                const sedge_int64 at = batch * SEDGE_NODES_PADDED + n;
                const sedge_int64 memory_at = (place * SEDGE_NODES_PADDED + n) * SEDGE_TERM_MEMORY;
                sedge_value own[SEDGE_FIELDS];
                sedge_value du[SEDGE_FIELDS];
                sedge_value memory[SEDGE_TERM_MEMORY + 1];
                sedge_value dw[SEDGE_TERM_MEMORY + 1];
                sedge_value m[SEDGE_MATERIAL_VALUES + 1];
                sedge_value p[SEDGE_TERM_PARAMETERS + 1];

                SEDGE_EACH (f, SEDGE_FIELDS) own[f] = u[at].f[f];
                SEDGE_EACH (k, SEDGE_TERM_MEMORY) memory[k] = w[memory_at + k];
                get_material(m, material, materials, batch);
                SEDGE_LANES_LOOP (l) {
                    const int group = material[batch * SEDGE_LANES + l];
                    SEDGE_EACH (k, SEDGE_TERM_PARAMETERS)
                        SEDGE_LANE(p[k], l) = parameters[group * SEDGE_TERM_PARAMETERS + k];
                    (void)group;
                }
                SEDGE_TERM_LOCAL(own, memory, m, p, constants, clock[0] + delay, du, dw);
                SEDGE_EACH (f, SEDGE_FIELDS) {
                    const sedge_value change = residual[at].f[f] + dt * du[f];
                    store_lanes(&residual[at].f[f], change, lanes[place]);
                    store_lanes(&next[at].f[f], own[f] + rk_b * change, lanes[place]);
                }
                SEDGE_EACH (k, SEDGE_TERM_MEMORY) {
                    sedge_value change = dt * dw[k];
                    if (rk_a != SEDGE_R(0.0)) change = change + rk_a * w_residual[memory_at + k];
                    store_lanes(&w_residual[memory_at + k], change, lanes[place]);
                    store_lanes(&w[memory_at + k], memory[k] + rk_b * change, lanes[place]);
                }
            }
        }
    }
}
