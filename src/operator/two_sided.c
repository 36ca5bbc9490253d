// Faces with two-sided conditions: their list, and the kernel that fills their trace slots.
#include "operator/two_sided.h"

#include "base/memory.h"
#include "layout/slots.h"
#include "layout/upload.h"
#include "operator/exchange.h"
#include "operator/face_memory.h"
#include "operator/fields.h"
#include "operator/launch.h"
#include "operator/parts.h"
#include "operator/program.h"
#include "operator/seams.h"

// sedge_two_sided_face of dg_two_sided.h.
typedef struct two_sided_face {
    int32_t own, own_face;
    int32_t other, other_code;
    int32_t slot;
    int32_t group;
    int32_t matrix;
    int32_t turn; // -1: none
} two_sided_face;

// sedge_turn of dg_two_sided.h.
typedef struct two_sided_turn {
    int32_t other, padding;
    double cosine, sine;
} two_sided_turn;

static bool is_two_sided(const sedge_operator *op, int surface)
{
    const sedge_boundary_kind *const kind = op->problem->boundaries[surface].kind;

    return kind != NULL && sedge_is_two_sided(kind);
}

// The row of the conditions (upload.c) that sedge_two_sided uses: curved elements apply theirs
// themselves unless these have memory.
static int32_t row_of(const sedge_operator *op, const sedge_set_face *side)
{
    const int32_t surfaces = op->problem->surfaces;

    if (!sedge_cubature_state_is_covariant(op->problem) &&
        sedge_mesh_curve(op->mesh, side->element) >= 0 &&
        !sedge_problem_has_face_memory(op->problem, side->group))
        return 2 * surfaces;
    return side->second ? surfaces + side->group : side->group;
}

void operator_two_sided_rows(const sedge_operator *op, int32_t *row)
{
    const sedge_mesh *const mesh = op->mesh;

    for (int s = 0; s < op->problem->surfaces; s++) {
        for (int32_t i = mesh->set_offsets[s]; is_two_sided(op, s) && i < mesh->set_offsets[s + 1];
             i++) {
            const sedge_set_face *const side = &mesh->set_faces[i];
            if (side->second) row[side->slot - mesh->halo_faces] = op->problem->surfaces + s;
        }
    }
}

void operator_two_sided_materials(const sedge_operator *op, int32_t *material)
{
    const sedge_mesh *const mesh = op->mesh;

    for (int s = 0; s < op->problem->surfaces; s++) {
        for (int32_t i = mesh->set_offsets[s]; is_two_sided(op, s) && i < mesh->set_offsets[s + 1];
             i++) {
            const sedge_set_face *const side = &mesh->set_faces[i];
            if (sedge_mesh_curve(mesh, side->element) >= 0)
                material[side->slot] = side->other_group;
        }
    }
}

// Where the other side's trace is: an element slot, or -1 minus a trace slot.
static int32_t place_of(const sedge_operator *op, const sedge_set_face *side)
{
    return side->other < 0 ? -1 - side->other_slot
                           : (int32_t)sedge_slot(&op->data.slots, side->other);
}

static bool is_turned(const sedge_operator *op, const sedge_set_face *side)
{
    return op->problem->boundaries[side->group].kind->turns;
}

// What a side that turns adds.
static two_sided_turn find_turn(const sedge_operator *op, const sedge_set_face *side)
{
    const sedge_set_face *const twin =
        sedge_mesh_find_side(op->mesh, sedge_mesh_twin(side->element), side->face, side->group);
    double p[SEDGE_MAX_VALUES];

    sedge_problem_side_parameters(p, op->problem, side->group, side->second);
    return (two_sided_turn){
        .other = place_of(op, twin), .cosine = p[SEDGE_TURN_COSINE], .sine = p[SEDGE_TURN_SINE]};
}

// Those of a level whose other side is on this rank, or those whose other side is not; returns the
// number.
static int32_t list_faces(two_sided_face *list, two_sided_turn *turns, int32_t *turned,
                          const sedge_operator *op, bool remote, int level)
{
    const sedge_mesh *const mesh = op->mesh;
    int32_t count = 0;

    for (int s = 0; s < op->problem->surfaces; s++) {
        if (!is_two_sided(op, s)) continue;
        for (int32_t i = mesh->set_offsets[s]; i < mesh->set_offsets[s + 1]; i++) {
            const sedge_set_face *const side = &mesh->set_faces[i];
            if ((side->other < 0) != remote) continue;
            if (sedge_mesh_level(mesh, side->element) != level) continue;
            const bool turns_here = is_turned(op, side);
            if (turns_here) turns[*turned] = find_turn(op, side);
            list[count++] =
                (two_sided_face){.own = (int32_t)sedge_slot(&op->data.slots, side->element),
                                 .own_face = side->face,
                                 .other = place_of(op, side),
                                 .other_code = side->other_face * 6 + side->orientation,
                                 .slot = side->slot,
                                 .group = row_of(op, side),
                                 .matrix = op->curved.seams + i,
                                 .turn = turns_here ? (*turned)++ : -1};
        }
    }
    return count;
}

sedge_status operator_two_sided_upload(sedge_operator *op)
{
    two_sided_face *list = NULL;
    two_sided_turn *turns = NULL;
    int32_t count = 0;
    int32_t turned = 0;
    sedge_status status;

    if (!sedge_problem_is_two_sided(op->problem)) return SEDGE_OK;
    const int32_t all = op->mesh->set_offsets[op->problem->surfaces];
    SEDGE_TRY_GOTO(status, sedge_allocate(&list, all + 1LL, sizeof *list));
    SEDGE_TRY_GOTO(status, sedge_allocate(&turns, all + 1LL, sizeof *turns));
    for (int i = 0; i < 2 * op->mesh->levels; i++) {
        const bool remote = i >= op->mesh->levels;
        const int level = i % op->mesh->levels;
        count += list_faces(list + count, turns, &turned, op, remote, level);
        op->data.two_sided_end[remote][level] = count;
    }
    // Of no face one row, which is not read: a buffer is not empty.
    status =
        sedge_upload(&op->data.two_sided, op->device, list, count > 0 ? count : 1, sizeof *list);
    list = NULL; // sedge_upload has released it
    if (status == SEDGE_OK) {
        status = sedge_upload(&op->data.turns, op->device, turns, turned > 0 ? turned : 1,
                              sizeof *turns);
        turns = NULL;
    }
done:
    sedge_release(list);
    sedge_release(turns);
    return status;
}

sedge_status operator_two_sided_run(sedge_operator *op, const operator_fields *fields,
                                    sedge_stream *stream, bool remote, const sedge_stage *stage)
{
    const int last = op->mesh->levels - 1;
    const int32_t *const end = op->data.two_sided_end[remote];
    const int32_t first = stage->level > 0 ? end[stage->level - 1]
                          : remote         ? op->data.two_sided_end[false][last]
                                           : 0;
    const int32_t count = end[stage->level] - first;
    int64_t points = (int64_t)count * op->element->face_nodes;
    int64_t first_boundary = op->mesh->halo_faces;
    int64_t slots = op->data.slots.count;
    uint64_t u = sedge_buffer_address(fields->u[0]);
    uint64_t trace = operator_trace_address(op);
    uint64_t faces = 0;
    uint64_t places = sedge_buffer_address(op->faces.places);
    uint64_t parameters = sedge_buffer_address(op->faces.parameters);
    uint64_t kinds = sedge_buffer_address(op->faces.kinds);
    uint64_t geometry = sedge_buffer_address(op->data.geometry);
    uint64_t material = sedge_buffer_address(op->data.material);
    uint64_t materials = sedge_buffer_address(op->materials);
    uint64_t tables = sedge_buffer_address(op->faces.maps);
    uint64_t face_basis = sedge_buffer_address(op->faces.basis);
    uint64_t clock = sedge_buffer_address(fields->clock);
    double delay = stage->delay;
    double duration = stage->dt;
    uint64_t matrices = 0;
    uint64_t turns = 0;
    operator_frame_arguments frame;
    operator_memory_arguments memory;
    void *arguments[21 + OPERATOR_MEMORY_ARGUMENTS] = {
        &u,        &trace,    &faces,          &places, &parameters, &kinds,
        &geometry, &material, &materials,      &tables, &face_basis, &clock,
        &delay,    &duration, &first_boundary, &slots,  &points};
    int all = 17;
    const int64_t each = operator_boundary_points(op);

    if (count == 0) return SEDGE_OK;
    faces = sedge_buffer_address(op->data.two_sided) + (uint64_t)first * sizeof(two_sided_face);
    if (sedge_cubature_state_is_covariant(op->problem)) {
        matrices = sedge_buffer_address(op->data.seam_matrices);
        arguments[all++] = &matrices;
    }
    if (sedge_problem_turns(op->problem)) {
        turns = sedge_buffer_address(op->data.turns);
        arguments[all++] = &turns;
    }
    all += operator_frames_list(&arguments[all], &frame, op, 0);
    all += operator_memory_list(&arguments[all], &memory, op, fields, stage, 0);
    return operator_launch(&op->launcher, KERNEL_TWO_SIDED, stream, (points + each - 1) / each,
                           SEDGE_TRACE_THREADS, arguments, all);
}
