// The stage of dg_stage.h in the Bernstein-Bezier basis, by sparse operators (SEDGE_LINEAR only).
//
// A derivative's coefficients of order N - 1 are differences of four coefficients; raised to order
// N they reach four coefficients again. The lift of a face is a sparse product within the face and,
// layer by layer away from it, means of three neighbouring coefficients (Chan & Warburton, SIAM J.
// Sci. Comput. 39 (2017) A628). These products are generated code, which
// src/forms/bernstein_products.c writes, all entries and places constants:
//
//   bernstein_raise_P(acc, s)     acc[n] = sum of s at the coefficients of order N - 1 around n
//   bernstein_lift_P_K(acc, s)    acc[n] += LIFT s, face K's columns; s points to all faces' jumps
//   bernstein_find(acc, w, s, P)  what both make of the coefficients w and the jumps s, in slice P;
//                                 only where there are several slices
//   bernstein_put(to, acc, P)     copies the sums of slice P to the field's words of an element
//
// acc is one field of one element, in registers. Where all of an element's sums fit into them there
// is one slice, P = 0, and acc has SEDGE_NODES words. Else each of SEDGE_SLICES slices has the
// coefficients alpha of some layers alpha_3, SEDGE_SLICE_SUMS at most; acc[n] is its n-th one.
//
// On a GPU a warp has SEDGE_GROUP_ELEMENTS elements, an item one field of one of them; SEDGE_PARTS
// warps share a group. With slices each warp has one of them. Without, the first of two warps takes
// volume and half of the faces, the second the other half, and their sums are added. Nothing is
// shared among warps but the block's memory. Strides there are such that items of a warp meet
// different banks. States and geometry come in by one bulk copy each, neighbours' traces by
// asynchronous ones of as many bytes as they are aligned to. Meanwhile the L2 cache is asked for
// what the block reads last, residuals and the memory of terms, and for what a block half a wave
// later reads first.
#pragma once

#ifdef SEDGE_EACH_TERM
// -change = what the terms make of du/dt = -change at SEDGE_TERM_NODES coefficients from n on,
// whose fields are `own`.
SEDGE_FUNCTION void take_terms(SEDGE_BLOCKWIDE sedge_value *change, const sedge_value *own,
                               sedge_int64 value, int n,
                               const SEDGE_GLOBAL int *SEDGE_RESTRICT material,
                               const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT materials,
                               const sedge_substep rk,
                               double t SEDGE_TERMS_LIST(SEDGE_COMMA_PARAMETER))
{
    sedge_value rate[SEDGE_TERM_NODES * SEDGE_FIELDS];

#ifdef SEDGE_EACH_MULTIPLY
    SEDGE_EACH (w, SEDGE_TERM_NODES * SEDGE_FIELDS) rate[w] = -change[w];
#else
    SEDGE_EACH (w, SEDGE_TERM_NODES * SEDGE_FIELDS) rate[w] = SEDGE_SPLAT(0.0);
#endif
    add_terms(rate, own, value, n, material, materials, rk, t SEDGE_TERMS_LIST(SEDGE_COMMA_NAME));
#ifdef SEDGE_EACH_MULTIPLY
    SEDGE_EACH (w, SEDGE_TERM_NODES * SEDGE_FIELDS) change[w] = -rate[w];
#else
    SEDGE_EACH (w, SEDGE_TERM_NODES * SEDGE_FIELDS) change[w] = change[w] - rate[w];
#endif
}
#endif

#if SEDGE_TARGET_HOST

// Ask for SEDGE_NODES words of two arrays that will be written.
SEDGE_FUNCTION void ask(const sedge_value *one, const sedge_value *other)
{
    for (int w = 0; w < SEDGE_NODES; w++) {
        __builtin_prefetch(one + w, 1);
        __builtin_prefetch(other + w, 1);
    }
}

// One value: field after field, and while these are computed residual and next state come in.
SEDGE_KERNEL(sedge_stage, SEDGE_THREADS, SEDGE_STAGE_LIST)
{
    SEDGE_SUBSTEP;

    SEDGE_OUTER (b) {
        const sedge_int64 value = first + b;
        const sedge_value *const s_u = u[value * SEDGE_NODES_PADDED].f;
        sedge_value *const s_r = residual[value * SEDGE_NODES_PADDED].f;
        sedge_value *const s_n = next[value * SEDGE_NODES_PADDED].f;
        const sedge_value *const s_b = rk.c != SEDGE_R(0.0) ? s_n : s_r;
        SEDGE_SCRATCH(sedge_value, s_f, SEDGE_SCRATCH_WORDS);
        sedge_value *const s_w = s_f + SEDGE_FACE_POINTS * SEDGE_FIELDS;
        sedge_value *const change = s_w + SEDGE_LOWER_NODES * SEDGE_FIELDS;

        find_jumps(s_f, s_u, geometry + value, value, u, trace, links, material, materials, tables,
                   slots);
        for (int i = 0; i < SEDGE_LOWER_NODES; i++)
            find_lower(s_w + i * SEDGE_FIELDS, s_u, i, value, geometry + value, material, materials,
                       tables);
        for (int f = 0; f < SEDGE_FIELDS; f++) {
            sedge_value acc[SEDGE_NODES];
            ask(s_r + f * SEDGE_NODES, s_n + f * SEDGE_NODES); // a part of all fields
            bernstein_raise_0(acc, s_w + f);
            bernstein_lift_0_0(acc, s_f + f);
            bernstein_lift_0_1(acc, s_f + f);
            bernstein_lift_0_2(acc, s_f + f);
            bernstein_lift_0_3(acc, s_f + f);
            for (int n = 0; n < SEDGE_NODES; n++) change[n * SEDGE_FIELDS + f] = acc[n];
        }
#ifdef SEDGE_EACH_TERM
        for (int n = 0; n < SEDGE_NODES; n++)
            take_terms(change + n * SEDGE_FIELDS, s_u + n * SEDGE_FIELDS, value, n, material,
                       materials, rk, clock[0] + delay SEDGE_TERMS_LIST(SEDGE_COMMA_NAME));
#endif
        for (int w = 0; w < SEDGE_NODES * SEDGE_FIELDS; w++) {
            const sedge_value old = s_u[w]; // a load behind the store would wait for it
            sedge_value r = -rk.dt * change[w];
            if (rk.a != SEDGE_R(0.0)) r = r + carry(rk, old, s_b[w]);
            if (rk.keep != 0) s_r[w] = r;
            if (rk.b != SEDGE_R(0.0)) s_n[w] = old + rk.b * r;
        }
    }
    (void)deriv, (void)lift, (void)count;
}

#else

// Two neighbouring words.
typedef struct SEDGE_ALIGN(SEDGE_PAIR_BYTES) sedge_pair {
    sedge_real v[2];
} sedge_pair;

#define SEDGE_PAIRS           (SEDGE_NODES_PADDED * SEDGE_FIELDS / 2)              // of an element
#define SEDGE_TRACES_AT       (SEDGE_BLOCK * (SEDGE_WORDS + SEDGE_GEOMETRY_WORDS)) // s_f behind s_u
#define SEDGE_PIECES          (SEDGE_FIELDS * SEDGE_PAIR_BYTES / 2 / SEDGE_STATE_ALIGN)

// Does the first of two warps put its sums where the second still reads the jumps of its faces?
#define SEDGE_SUMS_MEET_JUMPS (SEDGE_PARTS > 1 && SEDGE_NODES > 2 * SEDGE_FACE_NODES)

// A block's work comes in units of `items` items, `units` an element: all of it, or a face. A round
// takes whole units where that needs no more rounds, or an eighth more with whole elements: then an
// item has the same place in all of its units, and what depends on it alone is found once.
#define SEDGE_FLAT_ROUNDS(units, items) \
    ((SEDGE_BLOCK * (units) * (items) + SEDGE_THREADS - 1) / SEDGE_THREADS)
#define SEDGE_UNITS(items) (SEDGE_THREADS / (items) > 0 ? SEDGE_THREADS / (items) : 1)
#define SEDGE_WHOLE_ROUNDS(units, items) \
    ((SEDGE_BLOCK * (units) + SEDGE_UNITS(items) - 1) / SEDGE_UNITS(items))
#define SEDGE_IS_WHOLE(units, items)                                     \
    ((items) <= SEDGE_THREADS && 8 * SEDGE_WHOLE_ROUNDS(units, items) <= \
                                     ((units) == 1 ? 9 : 8) * SEDGE_FLAT_ROUNDS(units, items))
#define SEDGE_UNIT_ROUNDS(units, items)                              \
    (SEDGE_IS_WHOLE(units, items) ? SEDGE_WHOLE_ROUNDS(units, items) \
                                  : SEDGE_FLAT_ROUNDS(units, items))

// Traces: elements if they may be whole, else faces.
#define SEDGE_POINT_UNITS  (SEDGE_IS_WHOLE(1, SEDGE_FACE_POINTS) ? 1 : 4)
#define SEDGE_POINT_ITEMS  (SEDGE_FACE_POINTS / SEDGE_POINT_UNITS)
#define SEDGE_POINT_ROUNDS SEDGE_UNIT_ROUNDS(SEDGE_POINT_UNITS, SEDGE_POINT_ITEMS)
// Whether traces of neighbours in the block are read where they lie: it takes a register a round.
#define SEDGE_NEAR         (SEDGE_POINT_ROUNDS <= 7)
#define SEDGE_PAIR_ROUNDS  SEDGE_UNIT_ROUNDS(1, SEDGE_PAIRS)
// Terms: SEDGE_TERM_NODES coefficients an item, of which the last may be padding.
#define SEDGE_TERM_ITEMS   ((SEDGE_NODES + SEDGE_TERM_NODES - 1) / SEDGE_TERM_NODES)
// Of the last: this many at once, whose loads are on their way together.
#define SEDGE_PAIR_CHUNK \
    (SEDGE_PAIR_ROUNDS * SEDGE_PAIR_BYTES <= 80 || SEDGE_PAIR_ROUNDS < 8 ? SEDGE_PAIR_ROUNDS : 8)

// An item of a round.
typedef struct sedge_item {
    int unit;
    int place;  // in the unit
    int number; // among the items of all units
    int is_one; // 0: this thread has none in this round
} sedge_item;

// The item of this thread in a round, of a block that has `here` elements.
SEDGE_FUNCTION sedge_item find_item(int round, int units, int items, int here)
{
    const int whole = SEDGE_IS_WHOLE(units, items);
    const int step = whole ? SEDGE_UNITS(items) * items : SEDGE_THREADS;
    sedge_item item;

    item.number = SEDGE_THREAD + round * step;
    item.unit = whole ? SEDGE_THREAD / items + round * SEDGE_UNITS(items) : item.number / items;
    item.place = whole ? SEDGE_THREAD % items : item.number % items;
    item.is_one = item.unit < here * units && (!whole || SEDGE_THREAD < step);
    return item;
}

// The same of traces; an item's element; and its place among this element's face points.
SEDGE_FUNCTION sedge_item find_point(int round, int here)
{
    return find_item(round, SEDGE_POINT_UNITS, SEDGE_POINT_ITEMS, here);
}
SEDGE_FUNCTION int element_of_point(sedge_item item)
{
    return SEDGE_POINT_UNITS == 1 ? item.unit : item.unit / 4;
}
SEDGE_FUNCTION int place_of_point(sedge_item item)
{
    return SEDGE_POINT_UNITS == 1 ? item.place : item.unit % 4 * SEDGE_FACE_NODES + item.place;
}

// States and geometry of values [start, start + left) into the block's memory: begun here, there
// after wait_for_bulk.
#if SEDGE_BULK
SEDGE_FUNCTION void copy_states(sedge_value *s_u, const sedge_state *u, sedge_geometry *s_x,
                                const sedge_geometry *geometry, sedge_int64 start, sedge_int64 left,
                                sedge_uint64 *arrived)
{
    const unsigned here = (unsigned)(left < SEDGE_BLOCK ? left : SEDGE_BLOCK);
    const unsigned states = here * SEDGE_NODES_PADDED * (unsigned)sizeof(sedge_state);
    const unsigned shapes = here * (unsigned)sizeof(sedge_geometry);

    if (SEDGE_THREAD == 0) {
        expect_bulk(arrived, states + shapes);
        copy_bulk(s_u, u + start * SEDGE_NODES_PADDED, states, arrived);
        copy_bulk(s_x, geometry + start, shapes, arrived);
    }
    SEDGE_BARRIER();
}
#else
SEDGE_FUNCTION void copy_states(SEDGE_BLOCKWIDE sedge_value *s_u,
                                const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT u,
                                SEDGE_BLOCKWIDE sedge_geometry *s_x,
                                const SEDGE_GLOBAL sedge_geometry *SEDGE_RESTRICT geometry,
                                sedge_int64 start, sedge_int64 left)
{
    const SEDGE_GLOBAL sedge_value *const words = u[start * SEDGE_NODES_PADDED].f;

    SEDGE_ITEMS (e, SEDGE_BLOCK, p, SEDGE_WORDS / SEDGE_PACK, SEDGE_THREADS) {
        if (e < left)
            SEDGE_COPY_PACK(s_u + e * SEDGE_WORDS + p * SEDGE_PACK,
                            words + e * SEDGE_WORDS + p * SEDGE_PACK);
    }
    SEDGE_ITEMS (e, SEDGE_BLOCK, p, SEDGE_GEOMETRY_WORDS / SEDGE_PACK, SEDGE_THREADS) {
        if (e < left)
            SEDGE_COPY_PACK((SEDGE_BLOCKWIDE sedge_value *)(s_x + e) + p * SEDGE_PACK,
                            (const SEDGE_GLOBAL sedge_value *)(geometry + start + e) +
                                p * SEDGE_PACK);
    }
}
#endif

// The neighbours' traces into s_f, where their jumps will be: begun here. Links first, all at once.
// Neighbours in the block are there already: place[] are words from the block's first state to each
// trace, in s_f or among the states.
SEDGE_FUNCTION void copy_traces(int *place, SEDGE_BLOCKWIDE sedge_value *s_f,
                                const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT u,
                                const SEDGE_GLOBAL sedge_point *SEDGE_RESTRICT trace,
                                const SEDGE_GLOBAL sedge_link *SEDGE_RESTRICT links,
                                const SEDGE_GLOBAL short *SEDGE_RESTRICT tables, sedge_int64 start,
                                int here)
{
    const SEDGE_GLOBAL sedge_link *const own = links + start * 4;
    sedge_link link[SEDGE_POINT_ROUNDS];
    int node[SEDGE_POINT_ROUNDS];

    SEDGE_EACH (round, SEDGE_POINT_ROUNDS) {
        const sedge_item item = find_point(round, here);
        if (item.is_one)
            link[round] = own[SEDGE_POINT_UNITS == 1 ? item.unit * 4 + item.place / SEDGE_FACE_NODES
                                                     : item.unit];
    }
    SEDGE_EACH (round, SEDGE_POINT_ROUNDS) {
        const sedge_item item = find_point(round, here);
        if (item.is_one)
            node[round] = find_node_behind(link[round], item.place % SEDGE_FACE_NODES, tables);
    }
    SEDGE_EACH (round, SEDGE_POINT_ROUNDS) {
        const sedge_item item = find_point(round, here);
        if (item.is_one) {
            const int near = link[round].neighbour - (int)start;
            const int is_near = SEDGE_NEAR && near >= 0 && near < here;
            const SEDGE_GLOBAL sedge_value *const from =
                find_trace(link[round], node[round], u, trace);
            const int to =
                element_of_point(item) * SEDGE_JUMP_STRIDE + place_of_point(item) * SEDGE_FIELDS;
            place[round] =
                is_near ? near * SEDGE_WORDS + node[round] * SEDGE_FIELDS : SEDGE_TRACES_AT + to;
            if (!is_near)
                SEDGE_EACH (i, SEDGE_PIECES)
                    copy_piece(s_f + to + i * SEDGE_FIELDS / SEDGE_PIECES,
                               from + i * SEDGE_FIELDS / SEDGE_PIECES);
        }
    }
}

#if SEDGE_SLICES == 1
// Volume and faces; of two parts the first takes the volume and half of the faces.
SEDGE_FUNCTION void find_products(sedge_value *acc, const SEDGE_BLOCKWIDE sedge_value *s_w,
                                  const SEDGE_BLOCKWIDE sedge_value *s_f, int part)
{
    if (part == 0) {
        bernstein_raise_0(acc, s_w);
        bernstein_lift_0_0(acc, s_f);
        bernstein_lift_0_1(acc, s_f);
    }
#if SEDGE_PARTS == 2
    if (part == 1)
        SEDGE_EACH (n, SEDGE_NODES) acc[n] = SEDGE_R(0.0);
#endif
    if (part == SEDGE_PARTS - 1) {
        bernstein_lift_0_2(acc, s_f);
        bernstein_lift_0_3(acc, s_f);
    }
}
#endif

// Pairs of the residual, or of the state before, from round `chunk` on; 0 where they are not
// wanted.
SEDGE_FUNCTION void read_before(sedge_pair *before,
                                const SEDGE_GLOBAL sedge_value *SEDGE_RESTRICT words, int chunk,
                                int here, sedge_real rk_a)
{
    SEDGE_EACH (i, SEDGE_PAIR_CHUNK) {
        const sedge_item item = find_item(chunk + i, 1, SEDGE_PAIRS, here);
        before[i].v[0] = before[i].v[1] = SEDGE_R(0.0);
        if (item.is_one && rk_a != SEDGE_R(0.0))
            before[i] = *(const SEDGE_GLOBAL sedge_pair *)(words + 2 * item.number);
    }
}

SEDGE_KERNEL_RESIDENT(sedge_stage, SEDGE_THREADS, SEDGE_RESIDENT, SEDGE_STAGE_LIST)
{
    SEDGE_SUBSTEP;

    SEDGE_OUTER (b) {
        const sedge_int64 start = first + b * SEDGE_BLOCK;
        const sedge_int64 left = count - b * SEDGE_BLOCK;
        const int here = (int)(left < SEDGE_BLOCK ? left : SEDGE_BLOCK);
        SEDGE_SCRATCH(sedge_value, s_u, SEDGE_SCRATCH_WORDS);
        SEDGE_BLOCKWIDE sedge_geometry *const s_x =
            (SEDGE_BLOCKWIDE sedge_geometry *)(s_u + SEDGE_BLOCK * SEDGE_WORDS);
        SEDGE_BLOCKWIDE sedge_value *const s_f = s_u + SEDGE_TRACES_AT;
        SEDGE_BLOCKWIDE sedge_value *const s_w = s_f + SEDGE_BLOCK * SEDGE_JUMP_STRIDE;
        int place[SEDGE_POINT_ROUNDS];
        const int lane = SEDGE_THREAD % 32;
        const int part = SEDGE_THREAD / 32 % SEDGE_PARTS;
        const int mine =
            SEDGE_THREAD / 32 / SEDGE_PARTS * SEDGE_GROUP_ELEMENTS + lane / SEDGE_FIELDS;
        const int field = lane % SEDGE_FIELDS;
        const int is_mine = lane / SEDGE_FIELDS < SEDGE_GROUP_ELEMENTS && mine < here;

#if SEDGE_BULK
        SEDGE_SHARED(sedge_uint64, arrived, 1);
        copy_states(s_u, u, s_x, geometry, start, left, arrived);
#else
        copy_states(s_u, u, s_x, geometry, start, left);
        SEDGE_COPY_NEXT();
#endif
        copy_traces(place, s_f, u, trace, links, tables, start, here);
        SEDGE_GLOBAL sedge_state *const carried = rk.c != SEDGE_R(0.0) ? next : residual;
#if SEDGE_BULK
        if (SEDGE_THREAD == 0 && rk.a != SEDGE_R(0.0))
            ask(carried + start * SEDGE_NODES_PADDED,
                (unsigned)(left < SEDGE_BLOCK ? left : SEDGE_BLOCK) * SEDGE_NODES_PADDED *
                    (unsigned)sizeof(sedge_state));
        if (SEDGE_THREAD == 0 && left >= (SEDGE_AHEAD + 1) * (sedge_int64)SEDGE_BLOCK) {
            const sedge_int64 later = start + SEDGE_AHEAD * SEDGE_BLOCK;
            ask_states(u, geometry, later, SEDGE_BLOCK);
            ask(links + later * 4, SEDGE_BLOCK * 4 * (unsigned)sizeof(sedge_link));
        }
        wait_for_bulk(arrived);
#else
        SEDGE_COPY_WAIT_FIRST();
#endif
        SEDGE_BARRIER();
#if SEDGE_BULK && defined SEDGE_EACH_TERM && !defined SEDGE_TERMS_PREDICTED
        // Not at the block's begin, where the L2 cache has much else to do.
        const int last = SEDGE_THREADS - 1 - SEDGE_THREAD;
        if (last < here)
            ask_terms(start + last, rk.a == SEDGE_R(0.0)   ? 0
                                    : rk.c == SEDGE_R(0.0) ? 1
                                                           : 2 SEDGE_TERMS_LIST(SEDGE_COMMA_NAME));
#endif
        for (int round = 0; round < SEDGE_UNIT_ROUNDS(1, SEDGE_LOWER_NODES); round++) {
            const sedge_item item = find_item(round, 1, SEDGE_LOWER_NODES, here);
            const int e = item.unit;
            if (item.is_one) {
                sedge_state w;
                find_lower(w.f, s_u + e * SEDGE_WORDS, item.place, start + e, s_x + e, material,
                           materials, tables);
                *(SEDGE_BLOCKWIDE sedge_state *)(s_w + e * SEDGE_LOWER_STRIDE +
                                                 item.place * SEDGE_FIELDS) = w;
            }
        }
        SEDGE_COPY_WAIT(); // no barrier: an item reads only the traces that it has copied itself
        const int own_node = tables[find_point(0, here).place]; // of whole elements
#if SEDGE_NEAR
        SEDGE_EACH (round, SEDGE_POINT_ROUNDS) {
#else // not unrolled: the code outgrows what the instructions' cache holds soon enough
        for (int round = 0; round < SEDGE_POINT_ROUNDS; round++) {
#endif
            const sedge_item item = find_point(round, here);
            const int e = element_of_point(item);
            const int k = place_of_point(item);
            if (item.is_one) {
#if SEDGE_NEAR
                const int from = place[round];
#else
                const int from = SEDGE_TRACES_AT + e * SEDGE_JUMP_STRIDE + k * SEDGE_FIELDS;
#endif
                const sedge_state other = *(const SEDGE_BLOCKWIDE sedge_state *)(s_u + from);
                find_jump(s_f + e * SEDGE_JUMP_STRIDE, s_u + e * SEDGE_WORDS, other.f, s_x + e,
                          start + e, k, SEDGE_POINT_UNITS == 1 ? own_node : tables[k], links,
                          material, materials, slots);
            }
        }
        SEDGE_BARRIER();

        sedge_value acc[SEDGE_SLICE_SUMS];
        SEDGE_BLOCKWIDE sedge_value *const sums = s_f + mine * SEDGE_JUMP_STRIDE + field;
#if SEDGE_SLICES > 1
        if (is_mine) bernstein_find(acc, s_w + mine * SEDGE_LOWER_STRIDE + field, sums, part);
        SEDGE_BARRIER();
        if (is_mine) bernstein_put(sums, acc, part);
        SEDGE_BARRIER();
#else
        if (is_mine) find_products(acc, s_w + mine * SEDGE_LOWER_STRIDE + field, sums, part);
        SEDGE_EACH (turn, SEDGE_PARTS) {
            if (turn > 0 || SEDGE_SUMS_MEET_JUMPS) SEDGE_BARRIER();
            if (is_mine && part == turn) {
                SEDGE_EACH (n, SEDGE_NODES)
                    sums[n * SEDGE_FIELDS] = turn == 0 ? acc[n] : sums[n * SEDGE_FIELDS] + acc[n];
            }
        }
        SEDGE_BARRIER();
#endif
#ifdef SEDGE_EACH_TERM
        for (int round = 0; round < SEDGE_UNIT_ROUNDS(1, SEDGE_TERM_ITEMS); round++) {
            const sedge_item item = find_item(round, 1, SEDGE_TERM_ITEMS, here);
            const int e = item.unit;
            const int n = item.place * SEDGE_TERM_NODES;
            if (item.is_one) {
                sedge_value own[SEDGE_TERM_NODES * SEDGE_FIELDS];
                SEDGE_EACH (i, SEDGE_TERM_NODES) {
                    const sedge_state at_node =
                        *(const SEDGE_BLOCKWIDE sedge_state *)(s_u + e * SEDGE_WORDS +
                                                               (n + i) * SEDGE_FIELDS);
                    SEDGE_EACH (f, SEDGE_FIELDS) own[i * SEDGE_FIELDS + f] = at_node.f[f];
                }
                take_terms(s_f + e * SEDGE_JUMP_STRIDE + n * SEDGE_FIELDS, own, start + e, n,
                           material, materials, rk,
                           clock[0] + delay SEDGE_TERMS_LIST(SEDGE_COMMA_NAME));
            }
        }
        SEDGE_BARRIER();
#endif
        SEDGE_GLOBAL sedge_value *const words_n = next[start * SEDGE_NODES_PADDED].f;
        SEDGE_GLOBAL sedge_value *const words_r = residual[start * SEDGE_NODES_PADDED].f;
        const SEDGE_GLOBAL sedge_value *const words_b = carried[start * SEDGE_NODES_PADDED].f;
        for (int chunk = 0; chunk < SEDGE_PAIR_ROUNDS; chunk += SEDGE_PAIR_CHUNK) {
            sedge_pair before[SEDGE_PAIR_CHUNK];
            read_before(before, words_b, chunk, here, rk.a);
            SEDGE_EACH (i, SEDGE_PAIR_CHUNK) {
                const sedge_item item = find_item(chunk + i, 1, SEDGE_PAIRS, here);
                const int at = item.number;
                const int w = item.place * 2;
                const int sum = item.unit * SEDGE_JUMP_STRIDE;
                if (item.is_one) {
                    const sedge_pair own = *(const SEDGE_BLOCKWIDE sedge_pair *)(s_u + 2 * at);
                    sedge_pair change = {{SEDGE_R(0.0), SEDGE_R(0.0)}};
                    sedge_pair after;

                    if (w < SEDGE_NODES * SEDGE_FIELDS)
                        change = *(const SEDGE_BLOCKWIDE sedge_pair *)(s_f + sum + w);
                    if (w + 1 >= SEDGE_NODES * SEDGE_FIELDS) change.v[1] = SEDGE_R(0.0);
                    SEDGE_EACH (k, 2) {
                        before[i].v[k] = carry(rk, own.v[k], before[i].v[k]) - rk.dt * change.v[k];
                        after.v[k] = own.v[k] + rk.b * before[i].v[k];
                    }
                    if (rk.keep != 0) *(SEDGE_GLOBAL sedge_pair *)(words_r + 2 * at) = before[i];
                    if (rk.b != SEDGE_R(0.0))
                        *(SEDGE_GLOBAL sedge_pair *)(words_n + 2 * at) = after;
                }
            }
        }
    }
    (void)deriv, (void)lift;
}
#endif
