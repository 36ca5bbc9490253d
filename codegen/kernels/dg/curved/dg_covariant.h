// The Runge-Kutta stage of curved elements by covariant components, for equations of curls
// (src/dg/cubature.h has the method), where the state has fields and not their covariant components
// (dg_covariant_state.h). Types of dg_layout.h, parameters of dg_curved_parts.h.
//
//   rhs = T^-1 G_n^-T P (-G^T G / J) (V' C B e + L g) + S,  e = G_n^T T u
//
// T takes coefficients of the layout's basis to nodal values and is left out where these are the
// state; G = dx/dr and J = det G come from the 30 coefficients of the element's map at each node
// and point. B takes nodal values to coefficients of the Bernstein basis, where the curls C of the
// reference element, and from_curls, are differences of neighbouring coefficients of order N - 1;
// V' evaluates those at the quadrature points, L lifts to the points, P projects back to nodes.
// g are two numbers for each vector at each face node. Boundary functions are called here, at the
// faces' nodes with the normals there, and so are two-sided conditions, for which trace slots and
// their materials are those of the other side.
//
// T, B, V', L and P work on each component alone and do not change under four permutations of the
// vertices. So numbers are kept by orbits of nodes or points and sign patterns z, where each
// operator is four matrices of a quarter of its size (src/dg/orbits.h). The four faces are images
// of each other. An orbit's four numbers are put together, and taken apart, in registers.
//
//   curves    [curved values][30] of sedge_value: monomial * 3 + coordinate, mesh/mesh.h
//   shapes    [curved slots][30], fp64, for the places of boundary points
//   operators places of the points, nodes and face nodes by orbits [orbits][4][3]; then the
//             operators one after the other, each [columns][z][tiles of SEDGE_CURVED_ROWS
//             rows][rows of the tile], the last tile filled with zeros: B [node orbits][node
//             orbits], V' and L in one [point orbits][lower orbits, then face nodes], P [node
//             orbits][point orbits]; only where the state is no nodal values T [node orbits][node
//             orbits] and T of a face, the same for all z [face nodes][face nodes]. Then, for
//             energies, V [nodes][points], places [points][3] and weights [points]
//   tables    behind those of dg_layout.h and dg_bernstein.h: nodes [node orbits][4], some
//             of them several times; coefficients around the lower ones [lower orbits][4][4]; face
//             nodes [face nodes][4], of face j ^ (j >> 1) at j
//
// A block works on SEDGE_CURVED_BLOCK values. In its memory a row has one component of all fields
// of all values: [z][row][value][field]. An item of a product has SEDGE_CURVED_ROWS rows and
// SEDGE_CURVED_TILE values: it reads rows + values x fields numbers for as many multiply-adds as
// their product. Where SEDGE_CURVED_CODED products are code that has the operators' entries as
// constants (src/forms/covariant_products.c), and a thread finds all rows of a number of a row.
#pragma once

// ---- faces -------------------------------------------------------------------------------------

SEDGE_FUNCTION int has_boundary(sedge_int64 value, int face,
                                const SEDGE_GLOBAL sedge_link *SEDGE_RESTRICT links,
                                sedge_int64 halo_faces, sedge_int64 boundary_end)
{
    int has = 0;

    SEDGE_LANES_LOOP (l) {
        const sedge_int64 slot = -1 - links[(value * SEDGE_LANES + l) * 4 + face].neighbour;
        has |= slot >= halo_faces && slot < boundary_end;
    }
    return has;
}

// The fields behind the face at place j of an orbit, for the lanes of a value that have a boundary
// there, by the boundary functions. e are the covariant components at all nodes.
SEDGE_FUNCTION void
find_outer_fields(SEDGE_BLOCKWIDE sedge_value *behind, const SEDGE_BLOCKWIDE sedge_value *e,
                  const SEDGE_BLOCKWIDE sedge_value *map, int orbit, int j, sedge_int64 value,
                  sedge_int64 curve_value, const SEDGE_GLOBAL sedge_link *SEDGE_RESTRICT links,
                  const SEDGE_GLOBAL int *SEDGE_RESTRICT material,
                  const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT materials,
                  const SEDGE_GLOBAL short *SEDGE_RESTRICT tables,
                  const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT operators,
                  sedge_int64 slots SEDGE_CURVED_BOUNDARY_LIST(SEDGE_COMMA_PARAMETER))
{
    const int face = find_orbit_face(j);

    SEDGE_LANES_LOOP (l) {
        const sedge_int64 slot = -1 - links[(value * SEDGE_LANES + l) * 4 + face].neighbour;
        if (slot >= halo_faces && slot < boundary_end) {
            const SEDGE_GLOBAL sedge_real *const rst =
                operators + SEDGE_FACE_PLACES + 12 * orbit + 3 * j;
            const int node = tables[find_face_node(tables, orbit, j)];
            SEDGE_BLOCKWIDE sedge_value *const outer =
                behind + SEDGE_FACE_ROW(j, orbit) * SEDGE_ROW_WORDS;
            sedge_value m[SEDGE_MATERIAL_VALUES + 1];
            sedge_value mv[SEDGE_MATERIAL_VALUES + 1];
            sedge_value v[SEDGE_FIELDS];
            sedge_value u[SEDGE_FIELDS];
            sedge_value own[SEDGE_FIELDS];
            sedge_value c[32];
            sedge_value x[9];
            sedge_value g[9];
            sedge_value n[3];

            load_map(c, map);
            find_map_tangents(x, c, rst[0], rst[1], rst[2]);
            SEDGE_EACH (f, SEDGE_FIELDS) {
                v[f] = outer[f];
                own[f] = e[node * SEDGE_ROW_WORDS + f];
            }
            take_cartesian(u, x, own);
            (void)turn_tangents(g, x);
            find_normal(n, g, face);
            const sedge_value size = sedge_sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
            SEDGE_EACH (d, 3) n[d] = n[d] / size;
            get_material(m, material, materials, value);
            get_neighbour_material(mv, value, face, links, material, materials, slots);
            apply_boundary(v, u, m, mv, n, l, slot, curve_value * SEDGE_LANES + l,
                           rst SEDGE_CURVED_BOUNDARY_LIST(SEDGE_COMMA_NAME));
            SEDGE_EACH (f, SEDGE_FIELDS) SEDGE_LANE(outer[f], l) = SEDGE_LANE(v[f], l);
        }
    }
}

// The material behind a face, as the numerical flux gets it: the own one where the boundary
// functions had the one behind.
SEDGE_FUNCTION void get_flux_material(sedge_value *mv, const sedge_value *m, sedge_int64 value,
                                      int face, const SEDGE_GLOBAL sedge_link *SEDGE_RESTRICT links,
                                      const SEDGE_GLOBAL int *SEDGE_RESTRICT material,
                                      const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT materials,
                                      sedge_int64 slots, sedge_int64 halo_faces,
                                      sedge_int64 boundary_end)
{
    get_neighbour_material(mv, value, face, links, material, materials, slots);
#ifdef SEDGE_TWO_SIDED_CASES
    SEDGE_LANES_LOOP (l) {
        const sedge_int64 slot = -1 - links[(value * SEDGE_LANES + l) * 4 + face].neighbour;
        if (slot >= halo_faces && slot < boundary_end)
            SEDGE_EACH (i, SEDGE_MATERIAL_VALUES) SEDGE_LANE(mv[i], l) = SEDGE_LANE(m[i], l);
    }
#endif
    (void)m, (void)halo_faces, (void)boundary_end;
}

// The components of g at a node of a face: own are the covariant components there, v the fields
// behind the face.
SEDGE_FUNCTION void find_covariant_jump(sedge_value *jump, const sedge_value *own,
                                        const sedge_value *v, const sedge_value *matrix,
                                        const sedge_value *x, int face)
{
    sedge_value other[SEDGE_FIELDS];
    sedge_value difference[SEDGE_JUMP_WORDS];

    take_covariant(other, x, v);
    SEDGE_EACH (f, SEDGE_FIELDS) other[f] = other[f] - own[f];
    SEDGE_EACH (i, SEDGE_VECTORS) take_along(difference + 2 * i, other + 3 * i, face);
    multiply_jump(jump, matrix, difference, face);
}

// ---- the stage ---------------------------------------------------------------------------------

SEDGE_KERNEL_RESIDENT(sedge_curved, SEDGE_CURVED_THREADS, SEDGE_CURVED_RESIDENT, SEDGE_CURVED_LIST)
{
    SEDGE_SUBSTEP;

    SEDGE_OUTER (b) {
        SEDGE_VALUES_HERE(b);
        SEDGE_SCRATCH(sedge_value, s_p, SEDGE_CURVED_BLOCK * SEDGE_CURVED_SCRATCH);
        SEDGE_BLOCKWIDE sedge_value *const s_q = s_p + SEDGE_Q_AT * SEDGE_ROW_WORDS;
        SEDGE_BLOCKWIDE sedge_value *const s_c = s_p + SEDGE_C_AT * SEDGE_ROW_WORDS;
        SEDGE_BLOCKWIDE sedge_value *const s_e = s_p + SEDGE_E_AT * SEDGE_ROW_WORDS;
        SEDGE_BLOCKWIDE sedge_value *const s_v = s_p + SEDGE_V_AT * SEDGE_ROW_WORDS;
        SEDGE_BLOCKWIDE sedge_value *const s_r = s_p + SEDGE_R_AT * SEDGE_ROW_WORDS;
        SEDGE_BLOCKWIDE sedge_value *const s_x = s_p + SEDGE_MAPS_AT * SEDGE_ROW_WORDS;

        // States, maps, and what is behind the faces. Beyond the last value the last one again, but
        // for the map: whatever these make of it is not written.
#if SEDGE_TARGET_HOST
        for (int i = 0; i < SEDGE_FACE_POINTS; i++) {
            const int j = i / SEDGE_FACE_NODES;
            const int k = i % SEDGE_FACE_NODES;
            get_trace_behind(s_v + SEDGE_FACE_ROW(j, k) * SEDGE_ROW_WORDS, start,
                             find_face_node(tables, k, j), u, trace, links, tables);
        }
#else
        sedge_link link[4];
        int place[SEDGE_TRACE_ROUNDS];
        find_links(link, place, links + start * 4, tables, here);
#endif
#if SEDGE_CURVED_COEFFICIENTS
        SEDGE_EACH_ITEM(o, SEDGE_NODE_ORBITS, e)
        {
            const sedge_int64 from = start + (e < here ? e : here - 1);
            const sedge_four nodes = get_four(tables, SEDGE_NODES_AT, o);
            sedge_value v[SEDGE_ORBIT_WORDS];
            SEDGE_EACH (j, 4) {
                const sedge_state at = *find_state(u, from, nodes.at[j]);
                SEDGE_EACH (f, SEDGE_FIELDS) v[j * SEDGE_FIELDS + f] = at.f[f];
            }
            store_orbit(s_p + o * SEDGE_ROW_WORDS + e * SEDGE_FIELDS, v, SEDGE_NODE_ORBITS);
        }
#endif
#if SEDGE_TARGET_HOST
        for (int i = 0; i < SEDGE_CURVE_WORDS; i++) s_x[i] = curves[curve].c[i];
#else
        copy_maps(s_x, SEDGE_MAP_STRIDE, curves + curve, here);
        copy_traces_behind(s_v, link, place, u, trace, tables);
        SEDGE_COPY_WAIT();
#endif
        SEDGE_BARRIER();

        // The faces' matrices; nodal values.
        SEDGE_EACH_MATRIX(e, face)
        {
            SEDGE_BLOCKWIDE sedge_value *const map = s_x + e * SEDGE_MAP_STRIDE;
            const sedge_int64 value = start + (e < here ? e : here - 1);
            sedge_value m[SEDGE_MATERIAL_VALUES + 1];
            sedge_value mv[SEDGE_MATERIAL_VALUES + 1];
            sedge_value c[32];
            sedge_plane plane;
            get_material(m, material, materials, value);
            get_flux_material(mv, m, value, face, links, material, materials, slots, halo_faces,
                              boundary_end);
            load_map(c, map);
            find_plane(&plane, c, face);
            find_face_matrix(map + SEDGE_FACE_MATRIX + face * SEDGE_JUMP_WORDS * SEDGE_JUMP_WORDS,
                             &plane, m, mv);
            map[SEDGE_HAS_BOUNDARY + face] =
                SEDGE_SPLAT(has_boundary(value, face, links, halo_faces, boundary_end));
        }
#if SEDGE_CURVED_COEFFICIENTS
#if SEDGE_BOTH_AT_ONCE
        SEDGE_PRODUCT(i, SEDGE_FACE_ITEMS + SEDGE_SQUARE_ITEMS,
                      find_nodal(&sum, i, s_p, s_v, operators), put_nodal(s_q, s_e, i, &sum))
#else
        SEDGE_COVARIANT_MULTIPLY(nodal, s_q, SEDGE_NODE_ORBITS, s_p, SEDGE_NODE_ORBITS, 4,
                                 SEDGE_NODE_ORBITS, SEDGE_NODE_ORBITS, SEDGE_COVARIANT_NODAL)
#endif
#endif
        SEDGE_BARRIER();

        // Covariant components at the nodes and their sums over orbits.
        SEDGE_EACH_ITEM(o, SEDGE_NODE_ORBITS, e)
        {
            sedge_value v[SEDGE_ORBIT_WORDS];
            sedge_value c[32];
            const sedge_places places = get_places(operators + SEDGE_NODE_PLACES, o);
            const sedge_four nodes = get_four(tables, SEDGE_NODES_AT, o);
            load_map(c, s_x + e * SEDGE_MAP_STRIDE);
#if SEDGE_CURVED_COEFFICIENTS
            load_orbit(v, s_q + o * SEDGE_ROW_WORDS + e * SEDGE_FIELDS, SEDGE_NODE_ORBITS);
#endif
            SEDGE_EACH (j, 4) {
                const int node = nodes.at[j];
                sedge_value x[9];
                sedge_value at[SEDGE_FIELDS];
#if SEDGE_CURVED_COEFFICIENTS
                SEDGE_EACH (f, SEDGE_FIELDS) at[f] = v[j * SEDGE_FIELDS + f];
#else
                const sedge_state own = *find_state(u, start + (e < here ? e : here - 1), node);
                SEDGE_EACH (f, SEDGE_FIELDS) at[f] = own.f[f];
#endif
                find_tangents(x, c, &places, j);
                take_covariant(v + j * SEDGE_FIELDS, x, at);
                SEDGE_EACH (f, SEDGE_FIELDS)
                    s_c[node * SEDGE_ROW_WORDS + e * SEDGE_FIELDS + f] = v[j * SEDGE_FIELDS + f];
            }
            store_orbit(s_q + o * SEDGE_ROW_WORDS + e * SEDGE_FIELDS, v, SEDGE_NODE_ORBITS);
        }
#if SEDGE_CURVED_COEFFICIENTS && !SEDGE_BOTH_AT_ONCE
        SEDGE_COVARIANT_MULTIPLY(face, s_e + SEDGE_FACE_ROW(0, 0) * SEDGE_ROW_WORDS,
                                 SEDGE_CURVED_SUMMED, s_v + SEDGE_FACE_ROW(0, 0) * SEDGE_ROW_WORDS,
                                 SEDGE_CURVED_SUMMED, 1, SEDGE_FACE_NODES, SEDGE_FACE_NODES,
                                 SEDGE_COVARIANT_FACE)
#endif
        SEDGE_BARRIER();

        // Boundaries; coefficients of the components.
        SEDGE_EACH_VALUE(e)
        {
            const int from = e < here ? e : here - 1;
            sedge_value has[4];
            SEDGE_LOAD_ROW(has, s_x + e * SEDGE_MAP_STRIDE + SEDGE_HAS_BOUNDARY, 4)
            int faces = 0;
            SEDGE_EACH (face, 4) faces |= (SEDGE_LANE(has[face], 0) != SEDGE_R(0.0)) << face;
            SEDGE_ROLLED for (int j = 0; faces != 0 && j < 4; j++)
            {
                if ((faces >> find_orbit_face(j) & 1) == 0) continue;
                SEDGE_EACH_FACE_NODE(k)
                find_outer_fields(s_e + e * SEDGE_FIELDS, s_c + e * SEDGE_FIELDS,
                                  s_x + e * SEDGE_MAP_STRIDE, k, j, start + from, curve + from,
                                  links, material, materials, tables, operators,
                                  slots SEDGE_CURVED_BOUNDARY_LIST(SEDGE_COMMA_NAME));
            }
        }
        SEDGE_COVARIANT_MULTIPLY(coefficients, s_p, SEDGE_NODE_ORBITS, s_q, SEDGE_NODE_ORBITS, 4,
                                 SEDGE_NODE_ORBITS, SEDGE_NODE_ORBITS, SEDGE_COVARIANT_COEFFICIENTS)
        SEDGE_BARRIER();

        // Jumps at face nodes; then coefficients of orbits to all coefficients.
        SEDGE_EACH_ITEM(k, SEDGE_FACE_NODES, e)
        {
            const SEDGE_BLOCKWIDE sedge_value *const map = s_x + e * SEDGE_MAP_STRIDE;
            const sedge_places places = get_places(operators + SEDGE_FACE_PLACES, k);
            const sedge_four nodes = get_four(tables, SEDGE_FACES_AT, k);
            sedge_value v[SEDGE_ORBIT_WORDS];
            sedge_value c[32];
            load_map(c, map);
            SEDGE_EACH (j, 4) {
                const int face = find_orbit_face(j);
                const int node = tables[face * SEDGE_FACE_NODES + nodes.at[j]];
                sedge_value matrix[SEDGE_JUMP_WORDS * SEDGE_JUMP_WORDS];
                sedge_value own[SEDGE_FIELDS];
                sedge_value behind[SEDGE_FIELDS];
                sedge_value x[9];

                SEDGE_LOAD_ROW(matrix,
                               map + SEDGE_FACE_MATRIX + face * SEDGE_JUMP_WORDS * SEDGE_JUMP_WORDS,
                               SEDGE_JUMP_WORDS * SEDGE_JUMP_WORDS)
                SEDGE_EACH (f, SEDGE_FIELDS) {
                    own[f] = s_c[node * SEDGE_ROW_WORDS + e * SEDGE_FIELDS + f];
                    behind[f] = s_e[SEDGE_FACE_ROW(j, k) * SEDGE_ROW_WORDS + e * SEDGE_FIELDS + f];
                }
                find_tangents(x, c, &places, j);
                find_covariant_jump(v + j * SEDGE_FIELDS, own, behind, matrix, x, face);
            }
            store_orbit(s_e + (SEDGE_LOWER_ORBITS + k) * SEDGE_ROW_WORDS + e * SEDGE_FIELDS, v,
                        SEDGE_CURVED_SUMMED);
        }
        SEDGE_BARRIER();
        SEDGE_EACH_ITEM(o, SEDGE_NODE_ORBITS, e)
        {
            const sedge_four nodes = get_four(tables, SEDGE_NODES_AT, o);
            sedge_value v[SEDGE_ORBIT_WORDS];
            load_orbit(v, s_p + o * SEDGE_ROW_WORDS + e * SEDGE_FIELDS, SEDGE_NODE_ORBITS);
            SEDGE_EACH (j, 4)
                SEDGE_EACH (f, SEDGE_FIELDS)
                    s_c[nodes.at[j] * SEDGE_ROW_WORDS + e * SEDGE_FIELDS + f] =
                        v[j * SEDGE_FIELDS + f];
        }
        SEDGE_BARRIER();
        SEDGE_EACH_ITEM(o, SEDGE_LOWER_ORBITS, e)
        {
            sedge_value v[SEDGE_ORBIT_WORDS];
            sedge_value m[SEDGE_MATERIAL_VALUES + 1];
            get_material(m, material, materials, start + (e < here ? e : here - 1));
            SEDGE_EACH (j, 4)
                find_lower_curls(v + j * SEDGE_FIELDS, s_c + e * SEDGE_FIELDS, tables, o, j, m);
            store_orbit(s_e + o * SEDGE_ROW_WORDS + e * SEDGE_FIELDS, v, SEDGE_CURVED_SUMMED);
        }
        SEDGE_BARRIER();

        // Curls and lift at the points, weighed, and back to the nodes.
#if SEDGE_CURVED_CHUNK >= SEDGE_POINT_ORBITS
#if SEDGE_CURVED_CODED
        SEDGE_COVARIANT_MULTIPLY(sum, s_q, SEDGE_POINT_ORBITS, s_e, SEDGE_CURVED_SUMMED, 4,
                                 SEDGE_POINT_ORBITS, SEDGE_CURVED_SUMMED, SEDGE_COVARIANT_SUM)
#else
        SEDGE_ITEMS_1D (i, SEDGE_SUM_ITEMS, SEDGE_CURVED_THREADS) {
            sedge_sums sum;
            find_sums(&sum, i, s_e, SEDGE_CURVED_SUMMED, operators + SEDGE_COVARIANT_SUM, 4,
                      SEDGE_POINT_ORBITS, SEDGE_CURVED_SUMMED);
            put_sums(s_q, i, SEDGE_POINT_ORBITS, SEDGE_POINT_ORBITS, &sum);
        }
#endif
        SEDGE_BARRIER();
        SEDGE_EACH_ITEM(q, SEDGE_POINT_ORBITS, e)
        {
            weigh_orbit(s_q + q * SEDGE_ROW_WORDS + e * SEDGE_FIELDS, s_x + e * SEDGE_MAP_STRIDE,
                        operators, q, SEDGE_POINT_ORBITS);
        }
        SEDGE_BARRIER();
        SEDGE_COVARIANT_MULTIPLY(project, s_r, SEDGE_NODE_ORBITS, s_q, SEDGE_POINT_ORBITS, 4,
                                 SEDGE_NODE_ORBITS, SEDGE_POINT_ORBITS, SEDGE_COVARIANT_PROJECT)
#else // in chunks; each thread adds up its item of the last product
        {
            const int item = SEDGE_THREAD;
            sedge_sums nodes;
            clear_sums(&nodes);
            for (int from = 0; from < SEDGE_POINT_ORBITS; from += SEDGE_CURVED_CHUNK) {
                const int rest = SEDGE_POINT_ORBITS - from;
                const int orbits = rest < SEDGE_CURVED_CHUNK ? rest : SEDGE_CURVED_CHUNK;
                SEDGE_ITEMS_1D (i, SEDGE_SUM_ITEMS, SEDGE_CURVED_THREADS)
                    put_chunk(s_q, i, s_e, operators + SEDGE_COVARIANT_SUM, from, orbits);
                SEDGE_BARRIER();
                SEDGE_EACH_ITEM(o, SEDGE_CURVED_CHUNK, e)
                {
                    if (o < orbits)
                        weigh_orbit(s_q + o * SEDGE_ROW_WORDS + e * SEDGE_FIELDS,
                                    s_x + e * SEDGE_MAP_STRIDE, operators, from + o,
                                    SEDGE_CURVED_CHUNK);
                }
                SEDGE_BARRIER();
                if (item < SEDGE_SQUARE_ITEMS)
                    add_chunk(&nodes, item, s_q, operators + SEDGE_COVARIANT_PROJECT, from, orbits);
                SEDGE_BARRIER();
            }
            if (item < SEDGE_SQUARE_ITEMS)
                put_sums(s_r, item, SEDGE_NODE_ORBITS, SEDGE_NODE_ORBITS, &nodes);
        }
#endif
        SEDGE_BARRIER();

        // Rates of the fields at the nodes, then in the layout's basis, [value][node][field].
        SEDGE_EACH_ITEM(o, SEDGE_NODE_ORBITS, e)
        {
            SEDGE_BLOCKWIDE sedge_value *const at = s_r + o * SEDGE_ROW_WORDS + e * SEDGE_FIELDS;
            sedge_value v[SEDGE_ORBIT_WORDS];
            sedge_value c[32];
            const sedge_places places = get_places(operators + SEDGE_NODE_PLACES, o);
            load_map(c, s_x + e * SEDGE_MAP_STRIDE);
            load_orbit(v, at, SEDGE_NODE_ORBITS);
            SEDGE_EACH (j, 4) {
                sedge_value x[9];
                sedge_value rate[SEDGE_FIELDS];
                find_tangents(x, c, &places, j);
                take_cartesian(rate, x, v + j * SEDGE_FIELDS);
                SEDGE_EACH (f, SEDGE_FIELDS) v[j * SEDGE_FIELDS + f] = rate[f];
            }
#if SEDGE_CURVED_COEFFICIENTS
            store_orbit(at, v, SEDGE_NODE_ORBITS);
#else
            store_rates(s_c + e * SEDGE_WORDS, v, o, tables);
#endif
        }
        SEDGE_BARRIER();
#if SEDGE_CURVED_COEFFICIENTS
        SEDGE_COVARIANT_MULTIPLY(coefficients, s_q, SEDGE_NODE_ORBITS, s_r, SEDGE_NODE_ORBITS, 4,
                                 SEDGE_NODE_ORBITS, SEDGE_NODE_ORBITS, SEDGE_COVARIANT_COEFFICIENTS)
        SEDGE_BARRIER();
        SEDGE_EACH_ITEM(o, SEDGE_NODE_ORBITS, e)
        {
            sedge_value v[SEDGE_ORBIT_WORDS];
            load_orbit(v, s_q + o * SEDGE_ROW_WORDS + e * SEDGE_FIELDS, SEDGE_NODE_ORBITS);
            store_rates(s_c + e * SEDGE_WORDS, v, o, tables);
        }
        SEDGE_BARRIER();
#endif
#ifdef SEDGE_EACH_TERM
        SEDGE_ITEMS (e, SEDGE_CURVED_BLOCK, n, SEDGE_NODES, SEDGE_CURVED_THREADS) {
            if (e < here) {
                SEDGE_BLOCKWIDE sedge_value *const at = s_c + e * SEDGE_WORDS + n * SEDGE_FIELDS;
                const sedge_state own = u[(start + e) * SEDGE_NODES_PADDED + n];
                sedge_value rate[SEDGE_FIELDS];
                SEDGE_EACH (f, SEDGE_FIELDS) rate[f] = at[f];
                add_terms(rate, own.f, start + e, n, material, materials, rk,
                          clock[0] + delay SEDGE_TERMS_LIST(SEDGE_COMMA_NAME));
                SEDGE_EACH (f, SEDGE_FIELDS) at[f] = rate[f];
            }
        }
        SEDGE_BARRIER();
#endif
        SEDGE_UPDATE_LOOP(first_pack)
        {
            const SEDGE_GLOBAL sedge_pack *const u_packs =
                (const SEDGE_GLOBAL sedge_pack *)u[start * SEDGE_NODES_PADDED].f;
            SEDGE_GLOBAL sedge_pack *const next_packs =
                (SEDGE_GLOBAL sedge_pack *)next[start * SEDGE_NODES_PADDED].f;
            SEDGE_GLOBAL sedge_pack *const residual_packs =
                (SEDGE_GLOBAL sedge_pack *)residual[start * SEDGE_NODES_PADDED].f;
            const int packs = SEDGE_STATE_PACKS * here;
            sedge_pack own[SEDGE_UPDATE_ROUNDS];
            sedge_pack before[SEDGE_UPDATE_ROUNDS];
            SEDGE_EACH (i, SEDGE_UPDATE_ROUNDS) { // all loads before the first store
                const int p = SEDGE_UPDATE_ITEM(first_pack, i);
                SEDGE_EACH (w, SEDGE_PACK) before[i].v[w] = SEDGE_SPLAT(0.0);
                if (p < packs) {
                    own[i] = u_packs[p];
                    if (rk.a != SEDGE_R(0.0))
                        before[i] = rk.c != SEDGE_R(0.0) ? next_packs[p] : residual_packs[p];
                }
            }
            SEDGE_EACH (i, SEDGE_UPDATE_ROUNDS) {
                const int p = SEDGE_UPDATE_ITEM(first_pack, i);
                if (p < packs)
                    update_pack(next_packs + p, residual_packs + p, &own[i], &before[i],
                                s_c + p * SEDGE_PACK, rk);
            }
        }
    }
}
