#include "operator/seams.h"

#include "base/memory.h"
#include "dg/predictor.h"
#include "layout/slots.h"
#include "layout/upload.h"
#include "operator/covariant.h"
#include "operator/curved.h"
#include "operator/exchange.h"
#include "operator/launch.h"
#include "operator/parts.h"
#include "operator/predictor.h"

#include <string.h>

#define STRAIGHT_BEHIND 32 // SEDGE_STRAIGHT_BEHIND of dg_behind.h
#define FRAME_WORDS     12 // as in codegen/kernels/dg/dg_frames.h

// sedge_seam of dg_seams.h.
typedef struct seam_row {
    int32_t from[2]; // a link
    int32_t slot;
    int32_t matrix;
} seam_row;

// ---- the list ----------------------------------------------------------------------------------

// Whether there is a curved element behind a face, or a straight one; neither behind a boundary.
static bool is_behind(const sedge_operator *op, int32_t element, int face, bool curved)
{
    const int32_t neighbour = op->mesh->faces[element][face].neighbour;

    if (neighbour >= 0) return (sedge_mesh_curve(op->mesh, neighbour) >= 0) == curved;
    if (-1 - neighbour >= op->mesh->halo_faces) return false;
    return (op->curved.curved_behind[-1 - neighbour] != 0) == curved;
}

static sedge_status exchange_curved(sedge_operator *op)
{
    const sedge_mesh *const mesh = op->mesh;
    uint8_t *mine = NULL;

    sedge_status status = sedge_allocate(&mine, mesh->halo_faces, sizeof *mine);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(op->comm, status));
    for (int32_t i = 0; i < mesh->halo_faces; i++)
        mine[i] = sedge_mesh_curve(mesh, mesh->trace_faces[i].element) >= 0;
    status = sedge_mesh_exchange(&op->curved.curved_behind, mesh, op->comm, mine, sizeof *mine);
done:
    sedge_release(mine);
    return status;
}

// Returns their number; `list` may be NULL.
static int32_t list_seams(operator_seam *list, const sedge_operator *op)
{
    int32_t count = 0;

    for (int r = 0; r < op->mesh->range_count; r++) {
        const sedge_range *const range = &op->mesh->ranges[r];
        for (int32_t i = 0; i < SEDGE_FACES * range->count && !range->curved; i++) {
            const operator_seam seam = {range->first + i / SEDGE_FACES, i % SEDGE_FACES};
            if (!is_behind(op, seam.element, seam.face, true)) continue;
            if (list != NULL) list[count] = seam;
            count++;
        }
    }
    return count;
}

// Terms of layers do not act in curved elements (sedge_cubature_state_is_covariant).
static sedge_status check_layers(const sedge_operator *op)
{
    for (int r = 0; r < op->mesh->range_count; r++) {
        const sedge_range *const range = &op->mesh->ranges[r];
        for (int32_t e = range->first; e < range->first + range->count && range->curved; e++) {
            for (int i = 0; i < op->problem->term_count; i++) {
                const sedge_term *const term = &op->problem->terms[i];
                if (term->kind->layer == 0 || !term->present[op->mesh->group[e]]) continue;
                return SEDGE_FAIL(SEDGE_ERR_INTERNAL,
                                  "the layers' term '%s' acts in curved elements", term->name);
            }
        }
    }
    return SEDGE_OK;
}

sedge_status operator_seams_create(sedge_operator *op)
{
    if (!sedge_cubature_state_is_covariant(op->problem)) return SEDGE_OK;
    SEDGE_TRY(sedge_comm_agree(op->comm, check_layers(op)));
    SEDGE_TRY(exchange_curved(op));
    const int32_t count = list_seams(NULL, op);
    const sedge_status status = sedge_allocate(&op->curved.seam, count, sizeof *op->curved.seam);
    if (status == SEDGE_OK) op->curved.seams = list_seams(op->curved.seam, op);
    return sedge_comm_agree(op->comm, status);
}

void operator_seams_free(sedge_operator *op)
{
    sedge_release(op->curved.seam);
    sedge_release(op->curved.curved_behind);
}

// The trace slot of the first seam.
static int64_t find_first(const sedge_operator *op)
{
    return operator_traces(op) - op->curved.seams;
}

void operator_seams_link(const sedge_operator *op, int32_t (*links)[2])
{
    const int identity = operator_identity(op->element);
    const int64_t first = find_first(op);

    if (!sedge_cubature_state_is_covariant(op->problem)) return;
    for (int32_t i = 0; i < op->curved.seams; i++) {
        const operator_seam *const seam = &op->curved.seam[i];
        const int64_t slot = sedge_slot(&op->data.slots, seam->element);
        links[slot * SEDGE_FACES + seam->face][0] = (int32_t)(-1 - first - i);
        links[slot * SEDGE_FACES + seam->face][1] = seam->face * 6 + identity;
    }
    for (int32_t e = 0; e < op->mesh->elements; e++) {
        if (sedge_mesh_curve(op->mesh, e) < 0) continue;
        for (int f = 0; f < SEDGE_FACES; f++) {
            if (is_behind(op, e, f, false))
                links[sedge_slot(&op->data.slots, e) * SEDGE_FACES + f][1] += STRAIGHT_BEHIND;
        }
    }
}

// ---- matrices ----------------------------------------------------------------------------------

// A face's tangents, the same two that covariant components have there, at its centre.
static void find_tangents(double tangent[2][3], const sedge_operator *op, int32_t element, int face)
{
    const double third = -1.0 / 3.0;
    const double centre[3] = {face == 3 ? -1.0 : third, face == 1 ? -1.0 : third,
                              face == 0 ? -1.0 : third};
    double own[2][3];
    double c[SEDGE_CURVE_TERMS][3];
    double dx[3][3];

    operator_covariant_across(own, op->element, face * 6 + operator_identity(op->element));
    sedge_mesh_expand(op->mesh, element, c);
    sedge_curve_tangents(c, centre, dx);
    for (int i = 0; i < 6; i++) {
        tangent[i / 3][i % 3] = 0.0;
        for (int j = 0; j < 3; j++) tangent[i / 3][i % 3] += own[i / 3][j] * dx[j][i % 3];
    }
}

// The vectors in the plane of two tangents whose products with these are 1 and 0.
static void find_dual(double dual[2][3], double tangent[2][3])
{
    double product[3] = {0.0, 0.0, 0.0};

    for (int d = 0; d < 3; d++) {
        product[0] += tangent[0][d] * tangent[0][d];
        product[1] += tangent[0][d] * tangent[1][d];
        product[2] += tangent[1][d] * tangent[1][d];
    }
    const double area = product[0] * product[2] - product[1] * product[1];
    for (int d = 0; d < 3; d++) {
        dual[0][d] = (product[2] * tangent[0][d] - product[1] * tangent[1][d]) / area;
        dual[1][d] = (product[0] * tangent[1][d] - product[1] * tangent[0][d]) / area;
    }
}

void operator_seams_spread(double e[3], double across[2][3], const double along[2])
{
    double dual[2][3];

    find_dual(dual, across);
    for (int d = 0; d < 3; d++) e[d] = along[0] * dual[0][d] + along[1] * dual[1][d];
}

// Covariant components with given ones along a face's two tangents.
static void find_covector(double covector[2][3], int face)
{
    static const int component[SEDGE_FACES][2] = {{0, 1}, {0, 2}, {1, 2}, {1, 2}};

    memset(covector, 0, 6 * sizeof(double));
    covector[0][component[face][0]] = 1.0;
    covector[1][component[face][1]] = 1.0;
}

// What is behind a face to the numbers of the own element: first to components along the face's
// tangents, then to a vector or to covariant components with these.
static void find_seam_matrix(double matrix[3][3], const sedge_operator *op, int32_t element,
                             int face, int code, bool curved_behind)
{
    double along[2][3], own[2][3], tangent[2][3];

    find_tangents(tangent, op, element, face);
    if (curved_behind) {
        operator_covariant_across(along, op->element, code);
    } else {
        memcpy(along, tangent, sizeof along);
    }
    if (sedge_mesh_curve(op->mesh, element) >= 0) {
        find_covector(own, face);
    } else {
        find_dual(own, tangent);
    }
    for (int i = 0; i < 9; i++)
        matrix[i / 3][i % 3] = own[0][i / 3] * along[0][i % 3] + own[1][i / 3] * along[1][i % 3];
}

// What is behind a two-sided face, in the state's numbers, to the same of the own element, of each
// vector. What lies along the face is right, the rest is not.
static void find_side_matrix(double matrix[3][3], const sedge_operator *op,
                             const sedge_set_face *side)
{
    const bool curved =
        side->other >= 0 ? sedge_mesh_curve(op->mesh, side->other) >= 0
                         : side->other_slot >= 0 && op->curved.curved_behind[side->other_slot] != 0;

    if (!curved && sedge_mesh_curve(op->mesh, side->element) < 0) {
        for (int i = 0; i < 9; i++) matrix[i / 3][i % 3] = i % 4 == 0 ? 1.0 : 0.0;
        return;
    }
    find_seam_matrix(matrix, op, side->element, side->face,
                     side->other_face * 6 + side->orientation, curved);
}

// Of all seams, then of all sides of named faces.
static sedge_status upload_matrices(sedge_operator *op)
{
    const sedge_mesh *const mesh = op->mesh;
    const int32_t sides = mesh->set_offsets[op->problem->surfaces];
    const int64_t count = (int64_t)op->curved.seams + sides;
    double(*matrix)[3][3] = NULL;

    SEDGE_TRY(sedge_allocate(&matrix, count, sizeof *matrix));
    for (int32_t i = 0; i < op->curved.seams; i++) {
        const operator_seam *const seam = &op->curved.seam[i];
        const sedge_face *const face = &mesh->faces[seam->element][seam->face];
        find_seam_matrix(matrix[i], op, seam->element, seam->face,
                         face->face * 6 + face->orientation, true);
    }
    for (int32_t i = 0; i < sides; i++)
        find_side_matrix(matrix[op->curved.seams + i], op, &mesh->set_faces[i]);
    const sedge_status status =
        sedge_upload_reals(&op->data.seam_matrices, op->device, op->layout.real_bytes,
                           (const double *)matrix, 9 * count);
    sedge_release(matrix);
    return status;
}

// ---- uploads -----------------------------------------------------------------------------------

sedge_status operator_seams_upload(sedge_operator *op, int32_t (*links)[2])
{
    const int64_t first = find_first(op);
    seam_row *list = NULL;
    int32_t count = 0;

    if (!sedge_cubature_state_is_covariant(op->problem)) return SEDGE_OK;
    SEDGE_TRY(sedge_allocate(&list, op->curved.seams, sizeof *list));
    for (int k = 0; k < 2 * op->mesh->levels; k++) {
        const bool remote = k >= op->mesh->levels;
        const int level = k % op->mesh->levels;
        for (int32_t i = 0; i < op->curved.seams; i++) {
            const operator_seam *const seam = &op->curved.seam[i];
            const int64_t slot = sedge_slot(&op->data.slots, seam->element);
            const int32_t *const link = links[slot * SEDGE_FACES + seam->face];
            const int32_t neighbour = op->mesh->faces[seam->element][seam->face].neighbour;
            if ((neighbour < 0) != remote || sedge_mesh_level(op->mesh, seam->element) != level)
                continue;
            list[count++] = (seam_row){{link[0], link[1]}, (int32_t)(first + i), i};
        }
        op->data.seam_end[remote][level] = count;
    }
    SEDGE_TRY(sedge_upload(&op->data.seams, op->device, list, count, sizeof *list));
    return upload_matrices(op);
}

// Whether a curved element's boundary face of this surface needs frames: not where the condition
// leaves vectors whole, as a perfectly conducting wall does. Then covariant components and
// coefficients may stand for fields.
static bool needs_frames(const sedge_problem *problem, int surface)
{
    const sedge_boundary_kind *const kind = problem->boundaries[surface].kind;

    return kind == NULL || !kind->whole_vectors || problem->incident_count > 0;
}

sedge_status operator_frames_upload(sedge_operator *op)
{
    const sedge_mesh *const mesh = op->mesh;
    const sedge_element *const element = op->element;
    const int width = element->face_nodes;
    int32_t *rows = NULL;
    double(*frame)[FRAME_WORDS] = NULL;
    int32_t count = 0;
    sedge_status status;

    if (!sedge_cubature_state_is_covariant(op->problem)) return SEDGE_OK;
    SEDGE_TRY(sedge_allocate(&rows, mesh->boundary_faces, sizeof *rows));
    for (int32_t i = 0; i < mesh->boundary_faces; i++) {
        const sedge_trace_face *const face = &mesh->trace_faces[mesh->halo_faces + i];
        const bool needed =
            sedge_mesh_curve(mesh, face->element) >= 0 && needs_frames(op->problem, face->group);
        rows[i] = needed ? count++ : -1;
    }
    status = sedge_allocate(&frame, (int64_t)count * width, sizeof *frame);
    for (int32_t i = 0; i < mesh->boundary_faces && status == SEDGE_OK; i++) {
        const sedge_trace_face *const face = &mesh->trace_faces[mesh->halo_faces + i];
        double c[SEDGE_CURVE_TERMS][3];
        if (rows[i] < 0) continue;
        sedge_mesh_expand(mesh, face->element, c);
        for (int k = 0; k < width; k++) {
            double *const out = frame[(int64_t)rows[i] * width + k];
            const int node = element->face_node[face->face * width + k];
            const double rst[3] = {element->r[node], element->s[node], element->t[node]};
            double dx[3][3];
            sedge_curve_tangents(c, rst, dx);
            memcpy(out, dx, sizeof dx);
            (void)sedge_mesh_normal(mesh, face->element, face->face, rst, out + 9);
        }
    }
    if (status == SEDGE_OK) {
        status = sedge_upload_reals(&op->faces.frames, op->device, op->layout.real_bytes,
                                    (const double *)frame, (int64_t)count * width * FRAME_WORDS);
    }
    sedge_release(frame);
    if (status != SEDGE_OK) {
        sedge_release(rows);
        return status;
    }
    return sedge_upload(&op->faces.frame_rows, op->device, rows, mesh->boundary_faces,
                        sizeof *rows);
}

int64_t operator_seams_memory(const sedge_problem *problem, const sedge_mesh *mesh,
                              int64_t face_nodes, int64_t real)
{
    const int places = mesh->halo_faces > 0 ? 3 : 1; // as in sedge_operator_memory
    const int64_t slot = places * face_nodes * problem->equation->fields * real;
    int64_t seams = 0;
    int64_t frames = 0;

    if (!sedge_cubature_state_is_covariant(problem) || mesh->global_curved == 0) return 0;
    for (int32_t e = 0; e < mesh->elements; e++) {
        const bool curved = sedge_mesh_curve(mesh, e) >= 0;
        for (int f = 0; f < SEDGE_FACES; f++) {
            const int32_t neighbour = mesh->faces[e][f].neighbour;
            const bool other = neighbour >= 0 ? sedge_mesh_curve(mesh, neighbour) >= 0
                                              : -1 - neighbour < mesh->halo_faces;
            seams += !curved && other;
        }
    }
    for (int32_t i = 0; i < mesh->boundary_faces; i++) {
        const sedge_trace_face *const face = &mesh->trace_faces[mesh->halo_faces + i];
        frames += sedge_mesh_curve(mesh, face->element) >= 0 && needs_frames(problem, face->group);
    }
    return seams * (slot + (int64_t)sizeof(seam_row) + 9 * real + 4) +
           9 * real * mesh->set_offsets[problem->surfaces] +
           frames * face_nodes * FRAME_WORDS * real +
           (int64_t)sizeof(int32_t) * mesh->boundary_faces;
}

// ---- launches ----------------------------------------------------------------------------------

int operator_frames_list(void **arguments, operator_frame_arguments *values,
                         const sedge_operator *op, int64_t first)
{
    if (!sedge_cubature_state_is_covariant(op->problem)) return 0;
    values->rows = sedge_buffer_address(op->faces.frame_rows) + (uint64_t)first * sizeof(int32_t);
    values->frames = sedge_buffer_address(op->faces.frames);
    arguments[0] = &values->rows;
    arguments[1] = &values->frames;
    return 2;
}

sedge_status operator_seams_run(sedge_operator *op, const operator_fields *fields,
                                sedge_stream *stream, bool remote, int from, int to)
{
    const int last = op->mesh->levels - 1;
    const int32_t *const end = op->data.seam_end[remote];
    const int32_t first = from > 0 ? end[from - 1] : remote ? op->data.seam_end[false][last] : 0;
    int64_t points = (int64_t)(end[to] - first) * op->element->face_nodes;
    uint64_t u = sedge_buffer_address(fields->u[0]);
    uint64_t trace = operator_trace_address(op);
    uint64_t seams = 0;
    uint64_t matrices = 0;
    uint64_t tables = sedge_buffer_address(op->faces.maps);
    void *const arguments[] = {&u, &trace, &seams, &matrices, &tables, &points};

    if (op->data.seams == NULL || points == 0) return SEDGE_OK;
    seams = sedge_buffer_address(op->data.seams) + (uint64_t)first * sizeof(seam_row);
    matrices = sedge_buffer_address(op->data.seam_matrices);
    return operator_launch(&op->launcher, KERNEL_SEAMS, stream,
                           (points + SEDGE_TRACE_THREADS - 1) / SEDGE_TRACE_THREADS,
                           SEDGE_TRACE_THREADS, arguments, 6);
}
