// sedge_boundary makes the outer traces of boundary faces from the inner ones by the equation's
// boundary functions. Types of dg_layout.h. Where the state is coefficients of another basis,
// traces are, too; a boundary function of which they cannot be the argument gets nodal values
// (SEDGE_CONVERT_FACES).
#pragma once

#ifndef SEDGE_FACE_MEMORY // else dg_face_memory.h has these
#define SEDGE_FACE_MEMORY_LIST(X)
#define SEDGE_BOUNDARY_MEMORY_CASES(X)
#define SEDGE_TWO_SIDED_MEMORY_CASES(X)
#endif

// boundary  [faces] of (slot, face); group [faces]
// trace     at the first boundary face; places [faces][face nodes][3], fp64
// parameters SEDGE_RUNTIME_CONSTANTS constants c, the equation's, then those of the kind through
//           which incident fields enter; then [groups][SEDGE_BOUNDARY_VALUES]; fp64
// kinds     [groups], numbers of SEDGE_BOUNDARY_CASES
// face_basis of coefficients (SEDGE_BERNSTEIN) only: the matrices that make nodal values of a
//           face's coefficients, and the other way, [2][face nodes][face nodes], columns first,
//           fp64
#define SEDGE_BOUNDARY_LIST(X)                                     \
    X(const SEDGE_GLOBAL sedge_state *SEDGE_RESTRICT, u)           \
    X(SEDGE_GLOBAL sedge_point *SEDGE_RESTRICT, trace)             \
    X(const SEDGE_GLOBAL sedge_link *SEDGE_RESTRICT, boundary)     \
    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, group)               \
    X(const SEDGE_GLOBAL double *SEDGE_RESTRICT, places)           \
    X(const SEDGE_GLOBAL double *SEDGE_RESTRICT, parameters)       \
    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, kinds)               \
    X(const SEDGE_GLOBAL sedge_geometry *SEDGE_RESTRICT, geometry) \
    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, material)            \
    X(const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT, materials)    \
    X(const SEDGE_GLOBAL short *SEDGE_RESTRICT, tables)            \
    X(const SEDGE_GLOBAL double *SEDGE_RESTRICT, face_basis)       \
    X(const SEDGE_GLOBAL double *SEDGE_RESTRICT, clock)            \
    X(double, delay)                                               \
    X(double, duration)                                            \
    X(sedge_int64, points)                                         \
    SEDGE_FRAME_LIST(X)                                            \
    SEDGE_FACE_MEMORY_LIST(X)

// Conditions depend on time by their mean over SEDGE_TIMES points of the step from `begin` on, with
// weights whose sum is 1: one at its beginning for Runge-Kutta methods, Gauss points where the
// fields are means (dg_predictor.h). Every condition is affine in the fields then.
#define SEDGE_TIME(q, begin, duration) ((begin) + times[q] * (duration))

// mean += the q-th value.
SEDGE_FUNCTION void add_time(sedge_point *mean, const sedge_point value, int q)
{
    const double weights[SEDGE_TIMES] = {SEDGE_TIME_WEIGHTS};

    SEDGE_EACH (f, SEDGE_FIELDS) {
        const sedge_real part = (sedge_real)weights[q] * value.f[f];
        mean->f[f] = q == 0 ? part : mean->f[f] + part;
    }
}

// c of boundary functions: the equation's, those of the program and those that only memory has.
// Two-sided functions get all of c from memory where incident fields enter through surfaces: the
// equation's constants, then those of the kind through which they enter.
#define SEDGE_BOUNDARY_CONSTANTS(name, parameters) \
    const double name[SEDGE_CONSTANTS + 1] = {     \
        SEDGE_CONSTANT_LIST SEDGE_INCIDENT_LIST(parameters) 0.0}
#if SEDGE_FED
#define SEDGE_TWO_SIDED_CONSTANTS(name, parameters) \
    SEDGE_PRIVATE_COPY(double, name, parameters, SEDGE_RUNTIME_CONSTANTS)
#else
#define SEDGE_TWO_SIDED_CONSTANTS(name, parameters) SEDGE_BOUNDARY_CONSTANTS(name, parameters)
#endif

// p of boundary functions: what the condition of group `which` has.
#define SEDGE_BOUNDARY_PARAMETERS(name, parameters, which)                                     \
    SEDGE_PRIVATE_COPY(double, name,                                                           \
                       (parameters) + SEDGE_RUNTIME_CONSTANTS + (which)*SEDGE_BOUNDARY_VALUES, \
                       SEDGE_BOUNDARY_VALUES)

#define SEDGE_BOUNDARY_CASE(number, function)                           \
    case number:                                                        \
        function(own.f, m, n, place, time, values, constants, outer.f); \
        break;

// What the condition of group `which` makes of the trace `own` at boundary point `at` of a face.
SEDGE_FUNCTION sedge_point find_outer(
    sedge_point own, sedge_int64 at, const sedge_link face, int which, double begin,
    double duration, const SEDGE_GLOBAL double *SEDGE_RESTRICT places,
    const SEDGE_GLOBAL double *SEDGE_RESTRICT parameters,
    const SEDGE_GLOBAL int *SEDGE_RESTRICT kinds,
    const SEDGE_GLOBAL sedge_geometry *SEDGE_RESTRICT geometry,
    const SEDGE_GLOBAL int *SEDGE_RESTRICT material,
    const SEDGE_GLOBAL sedge_real *SEDGE_RESTRICT materials SEDGE_FRAME_LIST(SEDGE_COMMA_PARAMETER)
        SEDGE_FACE_MEMORY_LIST(SEDGE_COMMA_PARAMETER))
{
    SEDGE_BOUNDARY_CONSTANTS(constants, parameters);
    const int lane = face.neighbour % SEDGE_LANES;
    const SEDGE_GLOBAL sedge_face_geometry *const shape =
        &geometry[face.neighbour / SEDGE_LANES].face[face.code];
    sedge_value mv[SEDGE_MATERIAL_VALUES + 1];
    sedge_real m[SEDGE_MATERIAL_VALUES + 1];
    sedge_real n[3];
    const double times[SEDGE_TIMES] = {SEDGE_TIME_POINTS};
    sedge_point mean = own;
    sedge_point held = own;
    SEDGE_PRIVATE_COPY(double, place, places + 3 * at, 3);
    SEDGE_BOUNDARY_PARAMETERS(values, parameters, which);

    get_material(mv, material, materials, face.neighbour / SEDGE_LANES);
    for (int j = 0; j < SEDGE_MATERIAL_VALUES; j++) m[j] = SEDGE_LANE(mv[j], lane);
    for (int j = 0; j < 3; j++) n[j] = SEDGE_LANE(shape->n[j], lane);
    SEDGE_ENTER_FRAME(at)
    SEDGE_TO_FIELDS(&own)
    for (int q = 0; q < SEDGE_TIMES; q++) {
        const double time = SEDGE_TIME(q, begin, duration);
        sedge_point outer = own;
        switch (kinds[which]) {
            SEDGE_BOUNDARY_CASES(SEDGE_BOUNDARY_CASE)
            SEDGE_BOUNDARY_MEMORY_CASES(SEDGE_BOUNDARY_MEMORY_CASE)
        }
        add_time(&mean, outer, q);
        (void)time;
    }
    SEDGE_FROM_FIELDS(&mean)
    (void)held, (void)lane, (void)constants, (void)m, (void)n, (void)place, (void)values;
    return mean;
}

#if !SEDGE_CONVERT_FACES
SEDGE_KERNEL(sedge_boundary, SEDGE_TRACE_THREADS, SEDGE_BOUNDARY_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_ITEMS (one, 1, k, SEDGE_TRACE_THREADS, SEDGE_TRACE_THREADS) {
            const sedge_int64 at = b * SEDGE_TRACE_THREADS + k + one;
            if (at < points) {
                const sedge_link face = boundary[at / SEDGE_FACE_NODES];
                const int i = (int)(at % SEDGE_FACE_NODES);
                const sedge_point own =
                    get_trace(u, face.neighbour, tables[face.code * SEDGE_FACE_NODES + i]);
                trace[at] =
                    find_outer(own, at, face, group[at / SEDGE_FACE_NODES], clock[0] + delay,
                               duration, places, parameters, kinds, geometry, material,
                               materials SEDGE_FRAME_LIST(SEDGE_COMMA_NAME)
                                   SEDGE_FACE_MEMORY_LIST(SEDGE_COMMA_NAME));
            }
        }
    }
    (void)face_basis;
}
#else
// Whole faces of a block: a boundary function wants the value at a node, for which all coefficients
// of the face are needed, and a coefficient of what it gives needs that of all nodes. Sums in fp64:
// coefficients are differences of much larger numbers.
#define SEDGE_BLOCK_FACES  (SEDGE_TRACE_THREADS / SEDGE_FACE_NODES)
#define SEDGE_BLOCK_POINTS (SEDGE_BLOCK_FACES * SEDGE_FACE_NODES)

// Row i of a matrix times the numbers of a face, [face nodes][fields] of the block's memory;
// without `converts` number i itself.
SEDGE_FUNCTION sedge_point convert_face(const SEDGE_GLOBAL double *SEDGE_RESTRICT columns, int i,
                                        const SEDGE_BLOCKWIDE sedge_real *from, int converts)
{
    double sum[SEDGE_FIELDS];
    sedge_point result;

    if (!converts) {
        SEDGE_EACH (q, SEDGE_FIELDS) result.f[q] = from[i * SEDGE_FIELDS + q];
        return result;
    }
    SEDGE_EACH (q, SEDGE_FIELDS) sum[q] = 0.0;
    for (int k = 0; k < SEDGE_FACE_NODES; k++) {
        const double weight = columns[k * SEDGE_FACE_NODES + i];
        SEDGE_EACH (q, SEDGE_FIELDS) sum[q] += weight * (double)from[k * SEDGE_FIELDS + q];
    }
    SEDGE_EACH (q, SEDGE_FIELDS) result.f[q] = (sedge_real)sum[q];
    return result;
}

SEDGE_KERNEL(sedge_boundary, SEDGE_TRACE_THREADS, SEDGE_BOUNDARY_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_SCRATCH(sedge_real, inside, 2 * SEDGE_BLOCK_POINTS * SEDGE_FIELDS);
        SEDGE_BLOCKWIDE sedge_real *const outside = inside + SEDGE_BLOCK_POINTS * SEDGE_FIELDS;

        SEDGE_ITEMS (f, SEDGE_BLOCK_FACES, i, SEDGE_FACE_NODES, SEDGE_TRACE_THREADS) {
            const sedge_int64 at = b * SEDGE_BLOCK_POINTS + f * SEDGE_FACE_NODES + i;
            if (at < points) {
                const sedge_link face = boundary[at / SEDGE_FACE_NODES];
                const sedge_point c =
                    get_trace(u, face.neighbour, tables[face.code * SEDGE_FACE_NODES + i]);
                SEDGE_EACH (q, SEDGE_FIELDS)
                    inside[(f * SEDGE_FACE_NODES + i) * SEDGE_FIELDS + q] = c.f[q];
            }
        }
        SEDGE_BARRIER();
        SEDGE_ITEMS (f, SEDGE_BLOCK_FACES, i, SEDGE_FACE_NODES, SEDGE_TRACE_THREADS) {
            const sedge_int64 at = b * SEDGE_BLOCK_POINTS + f * SEDGE_FACE_NODES + i;
            if (at < points) {
                const sedge_point own =
                    convert_face(face_basis, i, inside + f * SEDGE_FACE_NODES * SEDGE_FIELDS,
                                 SEDGE_NODAL_FACE(at / SEDGE_FACE_NODES));
                const sedge_point outer = find_outer(
                    own, at, boundary[at / SEDGE_FACE_NODES], group[at / SEDGE_FACE_NODES],
                    clock[0] + delay, duration, places, parameters, kinds, geometry, material,
                    materials SEDGE_FRAME_LIST(SEDGE_COMMA_NAME)
                        SEDGE_FACE_MEMORY_LIST(SEDGE_COMMA_NAME));
                SEDGE_EACH (q, SEDGE_FIELDS)
                    outside[(f * SEDGE_FACE_NODES + i) * SEDGE_FIELDS + q] = outer.f[q];
            }
        }
        SEDGE_BARRIER();
        SEDGE_ITEMS (f, SEDGE_BLOCK_FACES, i, SEDGE_FACE_NODES, SEDGE_TRACE_THREADS) {
            const sedge_int64 at = b * SEDGE_BLOCK_POINTS + f * SEDGE_FACE_NODES + i;
            if (at < points)
                trace[at] = convert_face(face_basis + SEDGE_FACE_NODES * SEDGE_FACE_NODES, i,
                                         outside + f * SEDGE_FACE_NODES * SEDGE_FIELDS,
                                         SEDGE_NODAL_FACE(at / SEDGE_FACE_NODES));
        }
    }
}
#endif
