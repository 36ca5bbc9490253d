// The fused stage where div F is made of curls, taken in the reference element: with the covariant
// components h_p = sum_d dx_d/dr_p u_d of each vector,
//   (curl u)_d = 1/J sum_p dx_d/dr_p (D_{p+1} h_{p+2} - D_{p+2} h_{p+1}),
// two products a component instead of three, and a third of the sums (the Piola transformation: the
// curl of a covariant field is a contravariant one). Types, layout and the rest of dg_stage.h.
//
// In the block's memory h takes the place of u, which comes a second time, from a cache, when the
// products are done; on the host, where fields stay where they are, h is behind the jumps.
// Jacobians: [values][SEDGE_JACOBIAN_WORDS], dx_d/dr_p at 3 d + p, then 1/J; behind the geometry.
//
// Where jumps lie in their faces (SEDGE_TANGENTIAL), their contravariant components are lifted, j^p
// = sum_d dr_p/dx_d j_d. On a face where r_p = -1 the normal is that of r_p, and j^p = 0; on the
// one where r + s + t = -1 the three have no sum: two products a vector instead of three, and the
// way back is taken once a node.
#pragma once

#define SEDGE_JACOBIAN_WORDS 12

#if SEDGE_CURLS && SEDGE_STAGE

SEDGE_FUNCTION const SEDGE_GLOBAL sedge_value *
find_jacobians(const SEDGE_GLOBAL sedge_geometry *SEDGE_RESTRICT geometry, sedge_int64 slots)
{
    return (const SEDGE_GLOBAL sedge_value *)(geometry + slots / SEDGE_LANES);
}

#if !SEDGE_TARGET_HOST
// Jacobians in the place of metrics.
SEDGE_FUNCTION void copy_jacobians(SEDGE_BLOCKWIDE sedge_geometry *SEDGE_RESTRICT to,
                                   const SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT from,
                                   sedge_int64 start, sedge_int64 left)
{
    SEDGE_ITEMS (e, SEDGE_BLOCK, p, SEDGE_JACOBIAN_WORDS / SEDGE_PACK, SEDGE_THREADS) {
        if (e < left)
            SEDGE_COPY_PACK(to[e].metric + p * SEDGE_PACK,
                            from + (start + e) * SEDGE_JACOBIAN_WORDS + p * SEDGE_PACK);
    }
}
#endif

// Covariant components of the vectors at one node; g: the Jacobian. May be done in place.
SEDGE_FUNCTION void make_covariant(SEDGE_BLOCKWIDE sedge_value *to,
                                   const SEDGE_BLOCKWIDE sedge_value *from,
                                   const SEDGE_BLOCKWIDE sedge_value *g)
{
    SEDGE_EACH (v, SEDGE_FIELDS / 3) {
        sedge_value x[3];
        SEDGE_EACH (d, 3) x[d] = from[3 * v + d];
        SEDGE_EACH (p, 3) to[3 * v + p] = g[p] * x[0] + g[3 + p] * x[1] + g[6 + p] * x[2];
    }
}

#if SEDGE_TANGENTIAL
// The components of the jump at face point k that are lifted; g: the Jacobian and 1/J, or on the
// host the metric.
SEDGE_FUNCTION void put_tangential(SEDGE_BLOCKWIDE sedge_value *SEDGE_RESTRICT s_f,
                                   const sedge_value *jump, const SEDGE_BLOCKWIDE sedge_value *g,
                                   int k)
{
    const int face = k / SEDGE_FACE_NODES;
    const int point = face * SEDGE_FACE_ROWS + k % SEDGE_FACE_NODES;
    SEDGE_BLOCKWIDE sedge_value *const to = s_f + point * SEDGE_JUMP_FIELDS;

    SEDGE_EACH (v, SEDGE_FIELDS / 3) {
        sedge_value part[3];
        SEDGE_EACH (p, 3) {
#if SEDGE_TARGET_HOST
            part[p] = g[3 * p] * jump[3 * v] + g[3 * p + 1] * jump[3 * v + 1] +
                      g[3 * p + 2] * jump[3 * v + 2];
#else
            const int a = (p + 1) % 3, b = (p + 2) % 3; // dr_p/dx is 1/J dx/dr_a x dx/dr_b
            part[p] = SEDGE_SPLAT(0.0);
            SEDGE_EACH (d, 3) {
                const int y = (d + 1) % 3 * 3, z = (d + 2) % 3 * 3;
                part[p] += (g[y + a] * g[z + b] - g[z + a] * g[y + b]) * jump[3 * v + d];
            }
            part[p] = part[p] * g[9];
#endif
        }
        to[2 * v] = face == 3 ? part[1] : part[0];
        to[2 * v + 1] = face % 2 == 0 ? part[1] : part[2];
    }
}

#if !SEDGE_TARGET_HOST
// Zeros behind each face's last point: they are multiplied, too.
SEDGE_FUNCTION void clear_faces(SEDGE_BLOCKWIDE sedge_value *SEDGE_RESTRICT s_f)
{
    enum { LEFT = (SEDGE_FACE_ROWS - SEDGE_FACE_NODES) * SEDGE_JUMP_FIELDS };

    for (int i = SEDGE_THREAD; i < SEDGE_BLOCK * 4 * LEFT; i += SEDGE_THREADS) {
        const int face = i / LEFT % 4; // LEFT may be 0: then there is no i
        s_f[i / LEFT / 4 * SEDGE_FACE_STRIDE +
            (face * SEDGE_FACE_ROWS + SEDGE_FACE_NODES) * SEDGE_JUMP_FIELDS + i % LEFT] =
            SEDGE_SPLAT(0.0);
    }
}
#endif

#if !SEDGE_TENSOR

// a += LIFT times what is lifted of the vectors' components `one` and `two` of a face.
SEDGE_FUNCTION void lift_face(sedge_value (*SEDGE_RESTRICT a)[SEDGE_LIFT_BLOCK],
                              const SEDGE_BLOCKWIDE sedge_value *SEDGE_RESTRICT words, int face,
                              int one, int two, int tile,
                              const SEDGE_GLOBAL sedge_lift *SEDGE_RESTRICT lift)
{
    enum { WIDTH = SEDGE_LIFT_BLOCK / 3 * 2, GROUPS = SEDGE_FACE_ROWS / SEDGE_GROUP };

    for (int k = face * GROUPS; k < (face + 1) * GROUPS; k++) {
        SEDGE_LOCAL_COPY(sedge_lift, op, &lift[k * SEDGE_LIFT_TILES + tile]);
        sedge_value q[SEDGE_GROUP * WIDTH];

#if SEDGE_PACK > 1
        SEDGE_EACH (p, SEDGE_GROUP * WIDTH / SEDGE_PACK) {
            const sedge_pack pack =
                ((const SEDGE_BLOCKWIDE sedge_pack *)(words +
                                                      k * SEDGE_GROUP * SEDGE_JUMP_FIELDS))[p];
            SEDGE_EACH (i, SEDGE_PACK) q[p * SEDGE_PACK + i] = pack.v[i];
        }
#else
        SEDGE_EACH (w, WIDTH) q[w] = words[k * SEDGE_JUMP_FIELDS + w];
#endif
        SEDGE_EACH (p, SEDGE_GROUP)
            SEDGE_EACH (i, SEDGE_LIFT_TN)
                SEDGE_EACH (v, SEDGE_LIFT_BLOCK / 3) {
                    const sedge_real weight = op->w[p * SEDGE_LIFT_TN + i];
                    a[i][3 * v + one] += weight * q[p * WIDTH + 2 * v];
                    a[i][3 * v + two] += weight * q[p * WIDTH + 2 * v + 1];
                }
    }
}

// sum = LIFT times the jumps at the tile's SEDGE_LIFT_TN nodes; g: the Jacobian. The third face is
// the one without a coordinate of its own.
SEDGE_FUNCTION void lift_tangential(sedge_value *SEDGE_RESTRICT sum,
                                    const SEDGE_BLOCKWIDE sedge_value *SEDGE_RESTRICT words,
                                    int tile, const SEDGE_BLOCKWIDE sedge_value *SEDGE_RESTRICT g,
                                    const SEDGE_GLOBAL sedge_lift *SEDGE_RESTRICT lift)
{
    SEDGE_EACH (part, SEDGE_FIELDS / SEDGE_LIFT_BLOCK) {
        const SEDGE_BLOCKWIDE sedge_value *const from = words + part * (SEDGE_LIFT_BLOCK / 3 * 2);
        sedge_value a[SEDGE_LIFT_TN][SEDGE_LIFT_BLOCK];

        SEDGE_EACH (i, SEDGE_LIFT_TN)
            SEDGE_EACH (f, SEDGE_LIFT_BLOCK) a[i][f] = SEDGE_SPLAT(0.0);
        lift_face(a, from, 2, 0, 1, tile, lift);
        SEDGE_EACH (i, SEDGE_LIFT_TN)
            SEDGE_EACH (v, SEDGE_LIFT_BLOCK / 3) a[i][3 * v + 2] = -a[i][3 * v] - a[i][3 * v + 1];
        lift_face(a, from, 0, 0, 1, tile, lift);
        lift_face(a, from, 1, 0, 2, tile, lift);
        lift_face(a, from, 3, 1, 2, tile, lift);
        SEDGE_EACH (i, SEDGE_LIFT_TN)
            SEDGE_EACH (f, SEDGE_LIFT_BLOCK) {
                const int v = f / 3 * 3;
                const SEDGE_BLOCKWIDE sedge_value *const row = g + f % 3 * 3;
                sum[i * SEDGE_FIELDS + part * SEDGE_LIFT_BLOCK + f] =
                    row[0] * a[i][v] + row[1] * a[i][v + 1] + row[2] * a[i][v + 2];
            }
    }
}
#endif // SEDGE_TENSOR
#endif // SEDGE_TANGENTIAL

#if !SEDGE_TENSOR

// -div F at the tile's nodes, from the element's covariant components. On a GPU all vectors are
// taken at once, on the host one after the other.
SEDGE_FUNCTION void find_curls(sedge_value *SEDGE_RESTRICT sum,
                               const SEDGE_BLOCKWIDE sedge_value *SEDGE_RESTRICT words, int tile,
                               sedge_int64 value,
                               const SEDGE_BLOCKWIDE sedge_value *SEDGE_RESTRICT g,
                               const SEDGE_GLOBAL int *SEDGE_RESTRICT material,
                               const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT materials,
                               const SEDGE_GLOBAL sedge_deriv *SEDGE_RESTRICT deriv)
{
    const double constants[SEDGE_CONSTANTS + 1] = {SEDGE_CONSTANT_LIST 0.0};
    sedge_value m[SEDGE_MATERIAL_VALUES + 1];

    get_material(m, material, materials, value);
    SEDGE_EACH (part, SEDGE_FIELDS / SEDGE_FIELD_BLOCK) {
        sedge_value d[SEDGE_TN][SEDGE_FIELD_BLOCK];

        SEDGE_EACH (i, SEDGE_TN)
            SEDGE_EACH (f, SEDGE_FIELD_BLOCK) d[i][f] = SEDGE_SPLAT(0.0);
        for (int n = 0; n < SEDGE_NODES_PADDED / SEDGE_GROUP; n++) {
            SEDGE_LOCAL_COPY(sedge_deriv, op, &deriv[n * SEDGE_TILES + tile]);
            sedge_value q[SEDGE_GROUP * SEDGE_FIELD_BLOCK];

            fetch(q, words + n * SEDGE_GROUP * SEDGE_FIELDS + part * SEDGE_FIELD_BLOCK);
            SEDGE_EACH (k, SEDGE_GROUP)
                SEDGE_EACH (i, SEDGE_TN)
                    SEDGE_EACH (f, SEDGE_FIELD_BLOCK) {
                        const int v = k * SEDGE_FIELD_BLOCK + f / 3 * 3;
                        const int at = (k * SEDGE_TN + i) * 3;
                        d[i][f] += op->w[at + (f + 1) % 3] * q[v + (f + 2) % 3];
                        d[i][f] -= op->w[at + (f + 2) % 3] * q[v + (f + 1) % 3];
                    }
        }
        SEDGE_EACH (i, SEDGE_TN)
            SEDGE_EACH (f, SEDGE_FIELD_BLOCK) {
                const int v = f / 3 * 3;
                sum[i * SEDGE_FIELDS + part * SEDGE_FIELD_BLOCK + f] =
                    (g[f % 3 * 3] * d[i][v] + g[f % 3 * 3 + 1] * d[i][v + 1] +
                     g[f % 3 * 3 + 2] * d[i][v + 2]) *
                    g[9];
            }
    }
    SEDGE_EACH (i, SEDGE_TN) {
        sedge_value flow[SEDGE_FIELDS];
        SEDGE_FROM_CURLS(sum + i * SEDGE_FIELDS, m, constants, flow);
        SEDGE_EACH (f, SEDGE_FIELDS) sum[i * SEDGE_FIELDS + f] = -flow[f];
    }
}

// sum -= S(u) at the lift tile's nodes, `words` the element's fields.
SEDGE_FUNCTION void subtract_source(sedge_value *SEDGE_RESTRICT sum,
                                    const SEDGE_BLOCKWIDE sedge_value *SEDGE_RESTRICT words,
                                    int tile, sedge_int64 value,
                                    const SEDGE_GLOBAL int *SEDGE_RESTRICT material,
                                    const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT materials)
{
#if SEDGE_HAS_SOURCE
    const double constants[SEDGE_CONSTANTS + 1] = {SEDGE_CONSTANT_LIST 0.0};
    sedge_value m[SEDGE_MATERIAL_VALUES + 1];

    get_material(m, material, materials, value);
    SEDGE_EACH (i, SEDGE_LIFT_TN) {
        const int n = tile * SEDGE_LIFT_TN + i;
        if (n < SEDGE_NODES) {
            sedge_value own[SEDGE_FIELDS];
            sedge_value source[SEDGE_FIELDS];
            SEDGE_EACH (f, SEDGE_FIELDS) {
                own[f] = words[n * SEDGE_FIELDS + f];
                source[f] = SEDGE_SPLAT(0.0);
            }
            SEDGE_SOURCE(own, m, constants, source);
            SEDGE_EACH (f, SEDGE_FIELDS)
                sum[i * SEDGE_FIELDS + f] = sum[i * SEDGE_FIELDS + f] - source[f];
        }
    }
#else
    (void)sum, (void)words, (void)tile, (void)value, (void)material, (void)materials;
#endif
}

// Where the Jacobian of the block's value e is.
#if SEDGE_TARGET_HOST
#define SEDGE_JACOBIAN(e) (find_jacobians(geometry, slots) + (start + (e)) * SEDGE_JACOBIAN_WORDS)
#else
#define SEDGE_JACOBIAN(e) (s_x[e].metric)
#endif

SEDGE_KERNEL_RESIDENT(sedge_stage, SEDGE_THREADS, SEDGE_RESIDENT, SEDGE_STAGE_LIST)
{
    SEDGE_OUTER (b) {
        const sedge_int64 start = first + b * SEDGE_BLOCK;
        const sedge_int64 left = count - b * SEDGE_BLOCK;
        SEDGE_SCRATCH(sedge_value, scratch, SEDGE_SCRATCH_WORDS);
        SEDGE_BLOCK_STATES(scratch);

#if SEDGE_TARGET_HOST
        sedge_value *const s_h = s_f + SEDGE_FACE_STRIDE;

        find_jumps(s_f, s_u, s_x, start, u, trace, links, material, materials, tables, slots);
        for (int n = 0; n < SEDGE_NODES; n++)
            make_covariant(s_h + n * SEDGE_FIELDS, s_u + n * SEDGE_FIELDS, SEDGE_JACOBIAN(0));
        (void)left;
#else
        SEDGE_BLOCKWIDE sedge_value *const s_h = s_u;

        copy_geometry(s_x, geometry, start, left);
        copy_jacobians(s_x, find_jacobians(geometry, slots), start, left);
        copy_in(s_u, u, start, left);
        if (rk_a != SEDGE_R(0.0)) copy_in(s_r, residual, start, left);
#if SEDGE_TANGENTIAL
        clear_faces(s_f);
#endif
        SEDGE_BLOCK_TRACES(other)
        SEDGE_COPY_WAIT();
        SEDGE_BARRIER();
        SEDGE_BLOCK_JUMPS(other)
        SEDGE_BARRIER();
        SEDGE_ITEMS (e, SEDGE_BLOCK, n, SEDGE_NODES, SEDGE_THREADS) {
            SEDGE_BLOCKWIDE sedge_value *const at = s_u + e * SEDGE_STRIDE + n * SEDGE_FIELDS;
            if (e < left) make_covariant(at, at, SEDGE_JACOBIAN(e));
        }
        SEDGE_BARRIER();
#endif
        SEDGE_ITEMS (tile, SEDGE_TILES, e, SEDGE_BLOCK, SEDGE_THREADS) {
            if (e < left) {
                sedge_value sum[SEDGE_TN * SEDGE_FIELDS];
                find_curls(sum, s_h + e * SEDGE_STRIDE, tile, start + e, SEDGE_JACOBIAN(e),
                           material, materials, deriv);
                add_volume(s_r + e * SEDGE_STRIDE, s_r + e * SEDGE_STRIDE, sum, tile, rk_a, dt);
            }
        }
        SEDGE_BARRIER();
#if !SEDGE_TARGET_HOST
        copy_in(s_u, u, start, left);
        SEDGE_COPY_WAIT();
        SEDGE_BARRIER();
#endif
        SEDGE_ITEMS (tile, SEDGE_LIFT_TILES, e, SEDGE_BLOCK, SEDGE_THREADS) {
            if (e < left) {
                sedge_value sum[SEDGE_LIFT_TN * SEDGE_FIELDS];
#if SEDGE_TANGENTIAL
                lift_tangential(sum, s_f + e * SEDGE_FACE_STRIDE, tile, SEDGE_JACOBIAN(e), lift);
#else
                find_lift(sum, s_f + e * SEDGE_FACE_STRIDE, tile, lift);
#endif
                subtract_source(sum, s_u + e * SEDGE_STRIDE, tile, start + e, material, materials);
                add_surface(s_n + e * SEDGE_STRIDE, s_u + e * SEDGE_STRIDE, s_r + e * SEDGE_STRIDE,
                            sum, tile, rk_b, dt);
            }
        }
#if !SEDGE_TARGET_HOST
        SEDGE_BARRIER();
        copy_out(next, s_u, start, left);
        copy_out(residual, s_r, start, left);
#endif
    }
}
#endif // SEDGE_TENSOR
#endif // SEDGE_CURLS
