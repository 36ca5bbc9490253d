#include "operator/upload.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "forms/bernstein_products.h"
#include "forms/target.h"
#include "layout/mesh_upload.h"
#include "layout/slots.h"
#include "layout/upload.h"
#include "operator/basis.h"
#include "operator/covariant.h"
#include "operator/curved.h"
#include "operator/parts.h"
#include "operator/predictor.h"
#include "operator/predictor_kernels.h"
#include "operator/program.h"
#include "operator/seams.h"
#include "operator/two_sided.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 8192 }; // elements for one thread

// dx_d/dr_p at 3 d + p, and 1/J (dg_tensor.h).
static void put_jacobian(const sedge_operator *op, void *list, int64_t first, int64_t slot,
                         double corners[4][3], double jacobian)
{
    const int lanes = op->layout.lanes;
    const int64_t base = first + slot / lanes * SEDGE_JACOBIAN_WORDS * lanes + slot % lanes;

    for (int k = 0; k < 9; k++) {
        sedge_real_put(list, op->layout.real_bytes, base + (int64_t)k * lanes,
                       0.5 * (corners[k % 3 + 1][k / 3] - corners[0][k / 3]));
    }
    sedge_real_put(list, op->layout.real_bytes, base + (int64_t)9 * lanes, 1.0 / jacobian);
}

typedef struct geometry_job {
    const sedge_operator *op;
    void *list;
    int64_t jacobians; // where they begin
} geometry_job;

static void put_geometry(void *context, int64_t first, int64_t end)
{
    const geometry_job *const job = context;
    const sedge_operator *const op = job->op;
    const int lanes = op->layout.lanes;

    for (int32_t e = (int32_t)first; e < (int32_t)end; e++) {
        const int64_t slot = sedge_slot(&op->data.slots, e);
        const int64_t base = slot / lanes * SEDGE_GEOMETRY_WORDS;
        sedge_geometry geometry;

        sedge_geometry_compute(&geometry, op->mesh->corners[e]);
        for (int k = 0; k < 16; k++) {
            sedge_real_put(job->list, op->layout.real_bytes, (base + k) * lanes + slot % lanes,
                           k % 4 == 3 ? geometry.face_scale[k / 4] : geometry.normal[k / 4][k % 4]);
        }
        for (int k = 0; k < 9; k++) {
            sedge_real_put(job->list, op->layout.real_bytes, (base + 16 + k) * lanes + slot % lanes,
                           geometry.metric[k / 3][k % 3]);
        }
        if (op->problem->equation->curls) {
            put_jacobian(op, job->list, job->jacobians, slot, op->mesh->corners[e],
                         geometry.jacobian);
        }
    }
}

// sedge_geometry of dg_layout.h, and behind it what dg_tensor.h reads for an equation of curls:
// four times normal and scale, then the metric terms. Empty slots get zeros, so that no flux
// changes anything there; nobody reads what terms do there.
static sedge_status upload_geometry(sedge_operator *op)
{
    const int64_t jacobians = op->data.slots.count * SEDGE_GEOMETRY_WORDS;
    const int64_t more =
        op->problem->equation->curls ? op->data.slots.count * SEDGE_JACOBIAN_WORDS : 0;
    const size_t real = (size_t)op->layout.real_bytes;
    geometry_job job = {.op = op, .jacobians = jacobians};

    SEDGE_TRY(sedge_allocate(&job.list, jacobians + more, real));
    sedge_parallel(op->threads, op->mesh->elements, GRAIN, put_geometry, &job);
    return sedge_upload(&op->data.geometry, op->device, job.list, jacobians + more, real);
}

static void fill_empty_slots(int32_t *material, const sedge_operator *op)
{
    const sedge_mesh *const mesh = op->mesh;
    const int lanes = op->layout.lanes;

    for (int r = 0; r < mesh->range_count; r++) {
        const sedge_range *const range = &mesh->ranges[r];
        const int64_t first = sedge_slots_first(&op->data.slots, range) * lanes;
        const int64_t end = sedge_slots_first(&op->data.slots, range + 1) * lanes;
        for (int64_t slot = first + range->count; slot < end; slot++)
            material[slot] = material[slot / lanes * lanes];
    }
}

// Material numbers of slots, then of what is behind the trace slots. Empty slots, which are
// the last of a SIMD batch, have that of the batch's first: what is computed in them is finite.
static sedge_status upload_numbers(sedge_operator *op)
{
    const sedge_mesh *const mesh = op->mesh;
    const int64_t traces = mesh->halo_faces + mesh->boundary_faces;
    const int64_t all = operator_traces(op);
    int32_t *material = NULL;

    SEDGE_TRY(sedge_allocate(&material, op->data.slots.count + all, sizeof *material));
    for (int32_t e = 0; e < mesh->elements; e++)
        material[sedge_slot(&op->data.slots, e)] = mesh->group[e];
    fill_empty_slots(material, op);
    for (int64_t i = 0; i < traces; i++) {
        const sedge_trace_face *const face = &mesh->trace_faces[i];
        material[op->data.slots.count + i] =
            i < mesh->halo_faces ? face->group : mesh->group[face->element];
    }
    if (!sedge_cubature_state_is_covariant(op->problem))
        operator_two_sided_materials(op, material + op->data.slots.count);
    for (int64_t i = traces; i < all - op->curved.seams; i++) {
        const int32_t other = op->predictor.level_face[i - traces].other;
        material[op->data.slots.count + i] = mesh->group[other];
    }
    for (int32_t i = 0; i < op->curved.seams; i++) {
        const operator_seam *const seam = &op->curved.seam[i];
        const int32_t other = mesh->faces[seam->element][seam->face].neighbour;
        material[op->data.slots.count + all - op->curved.seams + i] =
            other >= 0 ? mesh->group[other] : mesh->trace_faces[-1 - other].group;
    }
    return sedge_upload(&op->data.material, op->device, material, op->data.slots.count + all,
                        sizeof *material);
}

static sedge_status upload_materials(sedge_operator *op)
{
    const int values = op->problem->equation->material_values;
    const int64_t count = (int64_t)op->problem->volumes * values + 1;
    void *list = NULL;

    SEDGE_TRY(sedge_allocate(&list, count, (size_t)op->layout.real_bytes));
    for (int i = 0; i < op->problem->volumes * values; i++) {
        sedge_real_put(list, op->layout.real_bytes, i,
                       op->problem->materials[i / values][i % values]);
    }
    SEDGE_TRY(sedge_upload(&op->materials, op->device, list, count, (size_t)op->layout.real_bytes));
    for (int level = 0; level < SEDGE_LEVELS_MAX; level++)
        op->predictor.materials_at[level] = sedge_buffer_address(op->materials);
    return SEDGE_OK;
}

static sedge_status upload_maps(sedge_operator *op)
{
    const sedge_element *const element = op->element;
    const int width = element->face_nodes;
    int16_t *tables = NULL;

    const int64_t maps = (int64_t)SEDGE_FACE_MAPS * width;
    const int64_t simplices = 4 * (int64_t)(element->nodes - width);
    const int64_t raised = 8 * (int64_t)element->nodes;
    const operator_target target = operator_target_of(op);
    const int64_t series = operator_series_table_entries(&target);
    const int64_t orbits = operator_covariant_table_entries(op);
    const int64_t all = maps + simplices + raised + series + orbits;
    SEDGE_TRY(sedge_allocate(&tables, all, sizeof *tables));
    sedge_fill_face_maps(tables, element);
    operator_bernstein_simplices(tables + maps, element->order);
    operator_bernstein_raised(tables + maps + simplices, element->order);
    operator_series_fill_table(tables + maps + simplices + raised, &target);
    if (orbits > 0) {
        const sedge_status status = operator_covariant_fill_table(
            tables + maps + simplices + raised + series, op, tables + maps);
        if (status != SEDGE_OK) {
            sedge_release(tables);
            return status;
        }
    }
    return sedge_upload(&op->faces.maps, op->device, tables, all, sizeof *tables);
}

// Conditions' kinds and parameters by surface group, then those on the second sides of two-sided
// ones, then a row without a kind; two_sided.c refers to these. In front of the parameters are the
// constants that are not in the programs' sources.
static sedge_status upload_conditions(sedge_operator *op)
{
    const sedge_problem *const problem = op->problem;
    const int surfaces = problem->surfaces;
    const int rows = sedge_problem_is_two_sided(problem) ? 2 * surfaces + 1 : surfaces;
    const int constants = sedge_problem_runtime_constants(problem);
    const int64_t numbers = constants + (int64_t)rows * SEDGE_MAX_VALUES;
    double *parameters = NULL;
    int32_t *kinds = NULL;

    SEDGE_TRY(sedge_allocate(&parameters, numbers, sizeof *parameters));
    memcpy(parameters, problem->constants, (size_t)constants * sizeof *parameters);
    for (int i = 0; i < rows; i++) {
        sedge_problem_side_parameters(parameters + constants + (ptrdiff_t)i * SEDGE_MAX_VALUES,
                                      problem, i % surfaces, i >= surfaces);
    }
    SEDGE_TRY(
        sedge_upload(&op->faces.parameters, op->device, parameters, numbers, sizeof *parameters));

    SEDGE_TRY(sedge_allocate(&kinds, rows, sizeof *kinds));
    for (int i = 0; i < rows; i++) {
        const sedge_boundary_kind *const kind = problem->boundaries[i % surfaces].kind;
        kinds[i] =
            kind == NULL || i == 2 * surfaces ? -1 : sedge_problem_kind_number(problem, kind);
    }
    return sedge_upload(&op->faces.kinds, op->device, kinds, rows, sizeof *kinds);
}

static sedge_status upload_memory_normals(sedge_operator *op, int32_t rows)
{
    const sedge_mesh *const mesh = op->mesh;
    const sedge_element *const element = op->element;
    const int64_t count = (int64_t)rows * element->face_nodes * 3;
    void *list = NULL;
    int64_t at = 0;

    SEDGE_TRY(sedge_allocate(&list, count, (size_t)op->layout.real_bytes));
    for (int32_t i = 0; i < mesh->boundary_faces; i++) {
        const sedge_trace_face *const face = &mesh->trace_faces[mesh->halo_faces + i];
        if (!sedge_problem_has_face_memory(op->problem, face->group)) continue;
        for (int k = 0; k < element->face_nodes; k++) {
            const int node = element->face_node[face->face * element->face_nodes + k];
            const double rst[3] = {element->r[node], element->s[node], element->t[node]};
            double normal[3];

            (void)sedge_mesh_normal(mesh, face->element, face->face, rst, normal);
            for (int d = 0; d < 3; d++)
                sedge_real_put(list, op->layout.real_bytes, at++, normal[d]);
        }
    }
    return sedge_upload(&op->faces.memory_normals, op->device, list, count,
                        (size_t)op->layout.real_bytes);
}

// Rows are in the order of sedge_block_create.
static sedge_status upload_memory_rows(sedge_operator *op)
{
    const sedge_mesh *const mesh = op->mesh;
    int32_t *rows = NULL;
    int32_t count = 0;

    if (sedge_problem_face_memory(op->problem) == 0) return SEDGE_OK;
    SEDGE_TRY(sedge_allocate(&rows, mesh->boundary_faces, sizeof *rows));
    for (int32_t i = 0; i < mesh->boundary_faces; i++) {
        const int group = mesh->trace_faces[mesh->halo_faces + i].group;
        rows[i] = sedge_problem_has_face_memory(op->problem, group) ? count++ : -1;
    }
    SEDGE_TRY(
        sedge_upload(&op->faces.memory, op->device, rows, mesh->boundary_faces, sizeof *rows));
    return op->problem->curved ? upload_memory_normals(op, count) : SEDGE_OK;
}

// Boundary faces: their groups, the places of their nodes, their conditions.
static sedge_status upload_boundary(sedge_operator *op)
{
    const sedge_mesh *const mesh = op->mesh;
    const sedge_element *const element = op->element;
    const int width = element->face_nodes;
    int32_t *group = NULL;
    double *places = NULL;

    SEDGE_TRY(sedge_allocate(&group, mesh->boundary_faces, sizeof *group));
    for (int32_t i = 0; i < mesh->boundary_faces; i++)
        group[i] = mesh->trace_faces[mesh->halo_faces + i].group;
    operator_two_sided_rows(op, group);
    SEDGE_TRY(
        sedge_upload(&op->faces.group, op->device, group, mesh->boundary_faces, sizeof *group));

    SEDGE_TRY(sedge_allocate(&places, (int64_t)mesh->boundary_faces * width * 3, sizeof *places));
    for (int32_t i = 0; i < mesh->boundary_faces; i++) {
        const sedge_trace_face *const face = &mesh->trace_faces[mesh->halo_faces + i];
        for (int k = 0; k < width; k++) {
            const int n = element->face_node[face->face * width + k];
            const double rst[3] = {element->r[n], element->s[n], element->t[n]};
            sedge_mesh_place(mesh, face->element, rst, places + ((int64_t)i * width + k) * 3);
        }
    }
    SEDGE_TRY(sedge_upload(&op->faces.places, op->device, places,
                           (int64_t)mesh->boundary_faces * width * 3, sizeof *places));

    SEDGE_TRY(upload_memory_rows(op));
    SEDGE_TRY(operator_frames_upload(op));
    return upload_conditions(op);
}

sedge_status operator_upload(sedge_operator *op)
{
    SEDGE_TRY(upload_materials(op));
    SEDGE_TRY(operator_curved_create(op));
    SEDGE_TRY(upload_maps(op));
    return upload_boundary(op);
}

// ---- layout ------------------------------------------------------------------------------------

void operator_data_free(operator_data *data)
{
    sedge_buffer *const buffers[] = {data->links,  data->geometry,     data->material,
                                     data->halo,   data->boundary,     data->curves,
                                     data->shapes, data->two_sided,    data->turns,
                                     data->seams,  data->seam_matrices};

    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++) sedge_buffer_free(buffers[i]);
    memset(data, 0, sizeof *data);
}

int64_t operator_fields_bytes(const sedge_operator *op)
{
    return op->data.slots.count * op->layout.nodes_padded * op->problem->equation->fields *
           op->layout.real_bytes;
}

// Tf and its inverse, columns first, for boundary functions, which want nodal values. The nodal
// basis has no use for them.
static sedge_status upload_face_basis(sedge_operator *op)
{
    const int width = op->element->face_nodes;
    const int64_t count = op->layout.basis == SEDGE_NODAL ? 0 : (int64_t)width * width;
    double *list = NULL;

    SEDGE_TRY(sedge_allocate(&list, 2 * count, sizeof *list));
    for (int64_t k = 0; k < count; k++) {
        const int64_t turned = k % width * width + k / width;
        list[turned] = op->bernstein->face_to_nodal[k];
        list[count + turned] = op->bernstein->face_from_nodal[k];
    }
    return sedge_upload(&op->faces.basis, op->device, list, 2 * count, sizeof *list);
}

// What depends on nothing but the basis, unless it is there.
static sedge_status take_basis(sedge_operator *op, sedge_basis basis)
{
    if (op->faces.basis != NULL && op->layout.basis == basis) return SEDGE_OK;
    sedge_buffer_free(op->faces.basis);
    op->faces.basis = NULL;
    op->layout.basis = basis;
    if (basis == SEDGE_BERNSTEIN) SEDGE_TRY(operator_bernstein_need(op));
    SEDGE_TRY(operator_curved_take_basis(op));
    return upload_face_basis(op);
}

static sedge_status upload_links(sedge_operator *op)
{
    const int64_t count = op->data.slots.count * SEDGE_FACES;
    int32_t(*links)[2] = NULL;

    SEDGE_TRY(sedge_make_links(&links, &op->data.slots, op->threads));
    const sedge_status status = operator_seams_upload(op, links);
    if (status != SEDGE_OK) {
        sedge_release(links);
        return status;
    }
    operator_seams_link(op, links);
    return sedge_upload(&op->data.links, op->device, links, count, sizeof *links);
}

sedge_status operator_take_layout(sedge_operator *op, const operator_layout *layout)
{
    const bool same_slots = op->data.links != NULL && op->layout.lanes == layout->lanes;

    if (!same_slots) operator_data_free(&op->data);
    SEDGE_TRY(take_basis(op, layout->basis));
    op->layout = *layout;
    if (op->problem->curved) {
        SEDGE_TRY(operator_curved_choose(&op->curved.config, layout,
                                         sedge_device_get_info(op->device), op->problem,
                                         op->element));
    }
    if (op->problem->integrator->predictor) {
        const operator_target target = operator_target_of(op);
        operator_series_choose(&op->predictor.series, layout, &target);
    }
    op->data.slots = sedge_slots_place(op->mesh, layout->lanes);
    if (same_slots) return SEDGE_OK;
    SEDGE_TRY(upload_geometry(op));
    SEDGE_TRY(operator_curved_take_layout(op));
    SEDGE_TRY(upload_links(op));
    SEDGE_TRY(upload_numbers(op));
    SEDGE_TRY(operator_two_sided_upload(op));
    SEDGE_TRY(sedge_upload_trace_faces(&op->data.boundary, op->device, &op->data.slots,
                                       op->mesh->halo_faces, op->mesh->boundary_faces));
    return sedge_upload_trace_faces(&op->data.halo, op->device, &op->data.slots, 0,
                                    op->mesh->halo_faces);
}

// ---- tables ------------------------------------------------------------------------------------

static sedge_status upload_table(const sedge_operator *op, sedge_buffer **out,
                                 const operator_table *table)
{
    const size_t real = (size_t)op->layout.real_bytes;
    void *list = NULL;

    SEDGE_TRY(sedge_allocate(&list, table->count, real));
    for (int64_t i = 0; i < table->count; i++)
        sedge_real_put(list, op->layout.real_bytes, i, table->values[i]);
    return sedge_upload(out, op->device, list, table->count, real);
}

sedge_status operator_tables_create(operator_tables *tables, const sedge_operator *op)
{
    const operator_target target = operator_target_of(op);
    const operator_form *const form = op->config.form;
    operator_table deriv = {0, NULL};
    operator_table lift = {0, NULL};
    sedge_status status = SEDGE_OK;

    if (form->tables != NULL)
        SEDGE_TRY_GOTO(status, form->tables(&deriv, &lift, &op->config, &op->layout, &target));
    SEDGE_TRY_GOTO(status, upload_table(op, &tables->deriv, &deriv));
    status = upload_table(op, &tables->lift, &lift);
done:
    sedge_release(deriv.values);
    sedge_release(lift.values);
    return status;
}

void operator_tables_free(operator_tables *tables)
{
    sedge_buffer_free(tables->deriv);
    sedge_buffer_free(tables->lift);
    *tables = (operator_tables){NULL, NULL};
}
