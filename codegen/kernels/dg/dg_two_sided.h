// Outer traces of faces with a two-sided condition: sedge_two_sided makes them from the traces on
// both sides. Only in programs of problems with such a condition; after dg_trace.h, whose rules
// for coefficients of another basis hold here, too.
//
// Curved elements apply a condition without memory themselves (dg_curved.h, dg_covariant.h): their
// trace slots get the other side's trace. The row of such a face has no kind. Not so where their
// state is covariant: there this kernel converts the other side's trace to the own side's numbers
// and applies the condition.
#pragma once

// A face: where its trace is, what is on the other side (a sedge_link, see dg_layout.h), the trace
// slot that is filled, and the row of `parameters` and `kinds`: the surface group; the rows of
// second sides follow those of all groups.
typedef struct sedge_two_sided_face {
    sedge_link own;
    sedge_link other;
    int slot;
    int group;
    int matrix; // only where states are covariant (dg_seams.h)
    int turn;   // only with SEDGE_TURNS: its entry in `turns`; -1: none
} sedge_two_sided_face;

// Between two periodic sides with a phase, in a mesh with twins: the other side's trace is cosine
// times what the face's link says plus sine times what is behind the twin, which is on the same
// face in the same orientation.
typedef struct sedge_turn {
    int other, padding; // as `neighbour` of a link
    double cosine, sine;
} sedge_turn;

#if SEDGE_TURNS
#define SEDGE_TURN_LIST(X) X(const SEDGE_GLOBAL sedge_turn *SEDGE_RESTRICT, turns)
#define SEDGE_TURN(point, face) \
    if ((face).turn >= 0)       \
        turn_other(u, trace, &turns[(face).turn], (face).other.code, i, tables, point);
#else
#define SEDGE_TURN_LIST(X)
#define SEDGE_TURN(point, face)
#endif

#if SEDGE_COVARIANT_STATE
#define SEDGE_SIDE_LIST(X)            X(const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT, matrices)
#define SEDGE_TAKE_OTHER(other, face) take_behind(other, matrices + 9 * (sedge_int64)(face).matrix);
#else
#define SEDGE_SIDE_LIST(X)
#define SEDGE_TAKE_OTHER(other, face)
#endif

// faces     [faces]
// trace     all trace slots [slots][face nodes]: other sides of other ranks are read, outer traces
//           are written
// places, parameters, kinds, face_basis as in SEDGE_BOUNDARY_LIST; places begin at trace slot
//           first_boundary
// slots     number of element slots; in `material` the trace slots' materials follow theirs
#define SEDGE_TWO_SIDED_LIST(X)                                       \
    X(const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, u)              \
    X(SEDGE_GLOBAL sedge_point *, trace)                              \
    X(const SEDGE_GLOBAL sedge_two_sided_face *SEDGE_RESTRICT, faces) \
    X(const SEDGE_GLOBAL double *SEDGE_RESTRICT, places)              \
    X(const SEDGE_GLOBAL double *SEDGE_RESTRICT, parameters)          \
    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, kinds)                  \
    X(const SEDGE_GLOBAL sedge_geometry *SEDGE_RESTRICT, geometry)    \
    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, material)               \
    X(const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT, materials)       \
    X(const SEDGE_GLOBAL short *SEDGE_RESTRICT, tables)               \
    X(const SEDGE_GLOBAL double *SEDGE_RESTRICT, face_basis)          \
    X(const SEDGE_GLOBAL double *SEDGE_RESTRICT, clock)               \
    X(double, delay)                                                  \
    X(double, duration)                                               \
    X(sedge_int64, first_boundary)                                    \
    X(sedge_int64, slots)                                             \
    X(sedge_int64, points)                                            \
    SEDGE_SIDE_LIST(X)                                                \
    SEDGE_TURN_LIST(X)                                                \
    SEDGE_FRAME_LIST(X)                                               \
    SEDGE_FACE_MEMORY_LIST(X)

#define SEDGE_TWO_SIDED_CASE(number, function)                                           \
    case number:                                                                         \
        function(own.f, other.f, m, behind, n, place, time, values, constants, outer.f); \
        break;

SEDGE_FUNCTION sedge_point get_own_side(const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT u,
                                        const sedge_two_sided_face face, int i,
                                        const SEDGE_GLOBAL short *SEDGE_RESTRICT tables)
{
    return get_trace(u, face.own.neighbour, tables[face.own.code * SEDGE_FACE_NODES + i]);
}

#if SEDGE_TURNS
SEDGE_FUNCTION void turn_other(const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT u,
                               const SEDGE_GLOBAL sedge_point *trace,
                               const SEDGE_GLOBAL sedge_turn *turn, int code, int i,
                               const SEDGE_GLOBAL short *SEDGE_RESTRICT tables, sedge_point *other)
{
    const sedge_link behind = {turn->other, code};
    const sedge_point twin = get_linked(u, trace, behind, i, tables);

    SEDGE_EACH (q, SEDGE_FIELDS) {
        other->f[q] = (sedge_real)turn->cosine * other->f[q] + (sedge_real)turn->sine * twin.f[q];
    }
}
#endif

// The other side's trace at node i of the own side.
SEDGE_FUNCTION sedge_point get_other_side(
    const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT u, const SEDGE_GLOBAL sedge_point *trace,
    const sedge_two_sided_face face, int i,
    const SEDGE_GLOBAL short *SEDGE_RESTRICT tables SEDGE_SIDE_LIST(SEDGE_COMMA_PARAMETER)
        SEDGE_TURN_LIST(SEDGE_COMMA_PARAMETER))
{
    sedge_point other = get_linked(u, trace, face.other, i, tables);

    SEDGE_TURN(&other, face)
    SEDGE_TAKE_OTHER(&other, face)
    return other;
}

// What the condition makes of both traces at node i; without a kind the other side's.
SEDGE_FUNCTION sedge_point find_between(sedge_point own, sedge_point other,
                                        const sedge_two_sided_face face, int i, double begin,
                                        double duration,
                                        const SEDGE_GLOBAL double *SEDGE_RESTRICT places,
                                        const SEDGE_GLOBAL double *SEDGE_RESTRICT parameters,
                                        const SEDGE_GLOBAL int *SEDGE_RESTRICT kinds,
                                        const SEDGE_GLOBAL sedge_geometry *SEDGE_RESTRICT geometry,
                                        const SEDGE_GLOBAL int *SEDGE_RESTRICT material,
                                        const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT materials,
                                        sedge_int64 first_boundary,
                                        sedge_int64 slots SEDGE_FRAME_LIST(SEDGE_COMMA_PARAMETER)
                                            SEDGE_FACE_MEMORY_LIST(SEDGE_COMMA_PARAMETER))
{
    SEDGE_TWO_SIDED_CONSTANTS(constants, parameters);
    const int lane = face.own.neighbour % SEDGE_LANES;
    const SEDGE_GLOBAL sedge_face_geometry *const shape =
        &geometry[face.own.neighbour / SEDGE_LANES].face[face.own.code];
    const sedge_int64 at = (face.slot - first_boundary) * SEDGE_FACE_NODES + i;
    sedge_value mv[SEDGE_MATERIAL_VALUES + 1];
    sedge_real m[SEDGE_MATERIAL_VALUES + 1];
    sedge_real behind[SEDGE_MATERIAL_VALUES + 1];
    sedge_real n[3];
    const double times[SEDGE_TIMES] = {SEDGE_TIME_POINTS};
    sedge_point mean = other;
    sedge_point held = other;
    SEDGE_PRIVATE_COPY(double, place, places + 3 * at, 3);
    SEDGE_BOUNDARY_PARAMETERS(values, parameters, face.group);

    get_material(mv, material, materials, face.own.neighbour / SEDGE_LANES);
    for (int j = 0; j < SEDGE_MATERIAL_VALUES; j++) m[j] = SEDGE_LANE(mv[j], lane);
    for (int j = 0; j < SEDGE_MATERIAL_VALUES; j++) {
#if SEDGE_ONE_MEDIUM
        behind[j] = m[j];
#else
        const int neighbour = face.other.neighbour;
        const int id = material[neighbour >= 0 ? neighbour : slots - 1 - neighbour];
        behind[j] = materials[id * SEDGE_MATERIAL_VALUES + j];
#endif
    }
    for (int j = 0; j < 3; j++) n[j] = SEDGE_LANE(shape->n[j], lane);
    SEDGE_ENTER_FRAME(at)
    SEDGE_TO_FIELDS(&own)
    SEDGE_TO_FIELDS(&other)
    for (int q = 0; q < SEDGE_TIMES; q++) {
        const double time = SEDGE_TIME(q, begin, duration);
        sedge_point outer = other;
        switch (kinds[face.group]) {
            SEDGE_TWO_SIDED_CASES(SEDGE_TWO_SIDED_CASE)
            SEDGE_TWO_SIDED_MEMORY_CASES(SEDGE_TWO_SIDED_MEMORY_CASE)
        }
        add_time(&mean, outer, q);
        (void)time;
    }
    SEDGE_FROM_FIELDS(&mean)
    (void)held, (void)lane, (void)constants, (void)m, (void)behind, (void)n, (void)place;
    (void)values, (void)own, (void)slots;
    return mean;
}

#if !SEDGE_CONVERT_FACES
SEDGE_KERNEL(sedge_two_sided, SEDGE_TRACE_THREADS, SEDGE_TWO_SIDED_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_ITEMS (one, 1, k, SEDGE_TRACE_THREADS, SEDGE_TRACE_THREADS) {
            const sedge_int64 at = b * SEDGE_TRACE_THREADS + k + one;
            if (at < points) {
                const sedge_two_sided_face face = faces[at / SEDGE_FACE_NODES];
                const int i = (int)(at % SEDGE_FACE_NODES);
                const sedge_point own = get_own_side(u, face, i, tables);
                const sedge_point other = get_other_side(u, trace, face, i,
                                                         tables SEDGE_SIDE_LIST(SEDGE_COMMA_NAME)
                                                             SEDGE_TURN_LIST(SEDGE_COMMA_NAME));
                trace[(sedge_int64)face.slot * SEDGE_FACE_NODES + i] =
                    find_between(own, other, face, i, clock[0] + delay, duration, places,
                                 parameters, kinds, geometry, material, materials, first_boundary,
                                 slots SEDGE_FRAME_LIST(SEDGE_COMMA_NAME)
                                     SEDGE_FACE_MEMORY_LIST(SEDGE_COMMA_NAME));
            }
        }
    }
    (void)face_basis;
}
#else
SEDGE_KERNEL(sedge_two_sided, SEDGE_TRACE_THREADS, SEDGE_TWO_SIDED_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_SCRATCH(sedge_real, inside, 3 * SEDGE_BLOCK_POINTS * SEDGE_FIELDS);
        SEDGE_BLOCKWIDE sedge_real *const beyond = inside + SEDGE_BLOCK_POINTS * SEDGE_FIELDS;
        SEDGE_BLOCKWIDE sedge_real *const outside = beyond + SEDGE_BLOCK_POINTS * SEDGE_FIELDS;

        SEDGE_ITEMS (f, SEDGE_BLOCK_FACES, i, SEDGE_FACE_NODES, SEDGE_TRACE_THREADS) {
            const sedge_int64 at = b * SEDGE_BLOCK_POINTS + f * SEDGE_FACE_NODES + i;
            if (at < points) {
                const sedge_two_sided_face face = faces[at / SEDGE_FACE_NODES];
                const sedge_point own = get_own_side(u, face, i, tables);
                const sedge_point other = get_other_side(u, trace, face, i,
                                                         tables SEDGE_SIDE_LIST(SEDGE_COMMA_NAME)
                                                             SEDGE_TURN_LIST(SEDGE_COMMA_NAME));
                SEDGE_EACH (q, SEDGE_FIELDS) {
                    inside[(f * SEDGE_FACE_NODES + i) * SEDGE_FIELDS + q] = own.f[q];
                    beyond[(f * SEDGE_FACE_NODES + i) * SEDGE_FIELDS + q] = other.f[q];
                }
            }
        }
        SEDGE_BARRIER();
        SEDGE_ITEMS (f, SEDGE_BLOCK_FACES, i, SEDGE_FACE_NODES, SEDGE_TRACE_THREADS) {
            const sedge_int64 at = b * SEDGE_BLOCK_POINTS + f * SEDGE_FACE_NODES + i;
            if (at < points) {
                const int first = f * SEDGE_FACE_NODES * SEDGE_FIELDS;
                const int nodal =
                    SEDGE_NODAL_FACE(faces[at / SEDGE_FACE_NODES].slot - first_boundary);
                const sedge_point own = convert_face(face_basis, i, inside + first, nodal);
                const sedge_point other = convert_face(face_basis, i, beyond + first, nodal);
                const sedge_point outer = find_between(
                    own, other, faces[at / SEDGE_FACE_NODES], i, clock[0] + delay, duration, places,
                    parameters, kinds, geometry, material, materials, first_boundary,
                    slots SEDGE_FRAME_LIST(SEDGE_COMMA_NAME)
                        SEDGE_FACE_MEMORY_LIST(SEDGE_COMMA_NAME));
                SEDGE_EACH (q, SEDGE_FIELDS)
                    outside[(f * SEDGE_FACE_NODES + i) * SEDGE_FIELDS + q] = outer.f[q];
            }
        }
        SEDGE_BARRIER();
        SEDGE_ITEMS (f, SEDGE_BLOCK_FACES, i, SEDGE_FACE_NODES, SEDGE_TRACE_THREADS) {
            const sedge_int64 at = b * SEDGE_BLOCK_POINTS + f * SEDGE_FACE_NODES + i;
            if (at < points) {
                const sedge_int64 slot = faces[at / SEDGE_FACE_NODES].slot;
                trace[slot * SEDGE_FACE_NODES + i] =
                    convert_face(face_basis + SEDGE_FACE_NODES * SEDGE_FACE_NODES, i,
                                 outside + f * SEDGE_FACE_NODES * SEDGE_FIELDS,
                                 SEDGE_NODAL_FACE(slot - first_boundary));
            }
        }
    }
}
#endif
