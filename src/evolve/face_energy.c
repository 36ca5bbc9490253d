#include "evolve/face_energy.h"

#include "base/memory.h"
#include "layout/slots.h"
#include "layout/upload.h"
#include "operator/launch.h"
#include "operator/parts.h"

#include <math.h>

// Rows of the memory are those of the operator: the faces with memory in the order of the trace
// faces (upload.c).
static bool has_memory(const sedge_operator *op, int32_t face)
{
    const sedge_mesh *const mesh = op->mesh;

    return sedge_problem_has_face_memory(op->problem,
                                         mesh->trace_faces[mesh->halo_faces + face].group);
}

static sedge_status upload_roots(evolve_face_energy *out, const sedge_operator *op, int32_t rows)
{
    const sedge_mesh *const mesh = op->mesh;
    const sedge_element *const element = op->element;
    const int width = element->face_nodes;
    double *list = NULL;
    double *next;

    SEDGE_TRY(sedge_allocate(&list, (int64_t)rows * width, sizeof *list));
    next = list;
    for (int32_t i = 0; i < mesh->boundary_faces; i++) {
        const sedge_trace_face *const face = &mesh->trace_faces[mesh->halo_faces + i];
        if (!has_memory(op, i)) continue;
        for (int k = 0; k < width; k++) {
            const int node = element->face_node[face->face * width + k];
            const double rst[3] = {element->r[node], element->s[node], element->t[node]};
            double normal[3];
            *next++ = sqrt(sedge_mesh_normal(mesh, face->element, face->face, rst, normal));
        }
    }
    return sedge_upload(&out->roots, op->device, list, (int64_t)rows * width, sizeof *list);
}

// Fills owners and faces; place [elements] has the number of each element's faces.
static void list_faces(int32_t *owners, int32_t *faces, int32_t *place, const sedge_operator *op)
{
    const sedge_mesh *const mesh = op->mesh;
    int32_t first = 0;
    int32_t row = 0;

    for (int32_t e = 0; e < mesh->elements; e++) {
        const int32_t count = place[e];
        place[e] = first;
        if (count == 0) continue;
        *owners++ = (int32_t)sedge_slot(&op->data.slots, e);
        *owners++ = first;
        *owners++ = first += count;
    }
    for (int32_t i = 0; i < mesh->boundary_faces; i++) {
        if (!has_memory(op, i)) continue;
        const sedge_trace_face *const face = &mesh->trace_faces[mesh->halo_faces + i];
        const int64_t at = place[face->element]++;
        faces[2 * at] = row++;
        faces[2 * at + 1] = face->group;
    }
}

static sedge_status upload_faces(evolve_face_energy *out, const sedge_operator *op, int32_t *place,
                                 int32_t rows)
{
    int32_t *owners = NULL;
    int32_t *faces = NULL;
    sedge_status status;

    SEDGE_TRY(sedge_allocate(&owners, 3 * out->elements, sizeof *owners));
    status = sedge_allocate(&faces, 2LL * rows, sizeof *faces);
    if (status != SEDGE_OK) {
        sedge_release(owners);
        return status;
    }
    list_faces(owners, faces, place, op);
    status = sedge_upload(&out->owners, op->device, owners, 3 * out->elements, sizeof *owners);
    if (status != SEDGE_OK) {
        sedge_release(faces);
        return status;
    }
    return sedge_upload(&out->faces, op->device, faces, 2LL * rows, sizeof *faces);
}

static sedge_status upload_numbers(evolve_face_energy *out, const sedge_operator *op)
{
    const sedge_problem *const problem = op->problem;
    const int components = sedge_problem_face_memory(problem);
    const int64_t size = (int64_t)op->element->face_nodes * op->element->face_nodes;
    double weights[SEDGE_MAX_FACE_MEMORY];
    double *list = NULL;

    SEDGE_TRY(sedge_allocate(&list, size, sizeof *list));
    for (int64_t i = 0; i < size; i++) list[i] = op->element->face_mass[i];
    SEDGE_TRY(sedge_upload(&out->mass, op->device, list, size, sizeof *list));
    SEDGE_TRY(sedge_allocate(&list, (int64_t)problem->surfaces * components, sizeof *list));
    for (int s = 0; s < problem->surfaces; s++) {
        (void)sedge_problem_face_energy(weights, problem, s);
        for (int k = 0; k < components; k++) list[s * components + k] = weights[k];
    }
    return sedge_upload(&out->weights, op->device, list, (int64_t)problem->surfaces * components,
                        sizeof *list);
}

sedge_status evolve_face_energy_create(evolve_face_energy *out, const sedge_operator *op)
{
    const sedge_mesh *const mesh = op->mesh;
    int32_t *place = NULL;
    int32_t rows = 0;
    sedge_status status;

    *out = (evolve_face_energy){.elements = 0};
    if (!sedge_problem_stores_face_energy(op->problem)) return SEDGE_OK;
    SEDGE_TRY(sedge_allocate(&place, mesh->elements, sizeof *place));
    for (int32_t i = 0; i < mesh->boundary_faces; i++) {
        if (!has_memory(op, i)) continue;
        const int32_t e = mesh->trace_faces[mesh->halo_faces + i].element;
        out->elements += place[e]++ == 0;
        rows++;
    }
    if (rows > 0) {
        SEDGE_TRY_GOTO(status, upload_faces(out, op, place, rows));
        SEDGE_TRY_GOTO(status, upload_roots(out, op, rows));
    }
    status = upload_numbers(out, op);
done:
    sedge_release(place);
    return status;
}

void evolve_face_energy_clear(evolve_face_energy *of)
{
    sedge_buffer_free(of->mass);
    sedge_buffer_free(of->roots);
    sedge_buffer_free(of->owners);
    sedge_buffer_free(of->faces);
    sedge_buffer_free(of->weights);
    *of = (evolve_face_energy){.elements = 0};
}

sedge_status evolve_face_energy_add(const evolve_face_energy *of, sedge_operator *op,
                                    const operator_fields *fields, const sedge_buffer *energy)
{
    if (of->elements == 0) return SEDGE_OK;
    uint64_t memory = sedge_buffer_address(fields->faces.now);
    uint64_t out = sedge_buffer_address(energy);
    uint64_t mass = sedge_buffer_address(of->mass);
    uint64_t roots = sedge_buffer_address(of->roots);
    uint64_t owners = sedge_buffer_address(of->owners);
    uint64_t faces = sedge_buffer_address(of->faces);
    uint64_t weights = sedge_buffer_address(of->weights);
    int64_t elements = of->elements;
    void *const arguments[] = {&memory, &out, &mass, &roots, &owners, &faces, &weights, &elements};
    const int64_t blocks = (elements + SEDGE_TRACE_THREADS - 1) / SEDGE_TRACE_THREADS;

    return operator_launch(&op->launcher, KERNEL_FACE_ENERGY, op->main, blocks, SEDGE_TRACE_THREADS,
                           arguments, 8);
}
