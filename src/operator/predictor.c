#include "operator/predictor.h"

#include "base/memory.h"
#include "dg/exponential.h"
#include "dg/predictor.h"
#include "forms/bernstein_products.h"
#include "forms/series_products.h"
#include "layout/mesh_upload.h"
#include "layout/upload.h"
#include "operator/basis.h"
#include "operator/curved.h"
#include "operator/fields.h"
#include "operator/launch.h"
#include "operator/parts.h"
#include "operator/predictor_kernels.h"
#include "operator/scalar.h"

#include <math.h>
#include <string.h>

// ---- creation ----------------------------------------------------------------------------------

int64_t operator_traces(const sedge_operator *op)
{
    return (int64_t)op->mesh->halo_faces + op->mesh->boundary_faces + op->predictor.level_faces +
           op->curved.seams;
}

// The boundary faces of a level follow each other, since they lie in the order of the elements.
static void list_boundary(operator_predictor *predictor, const sedge_mesh *mesh)
{
    for (int32_t i = 0; i < mesh->boundary_faces; i++) {
        const int32_t element = mesh->trace_faces[mesh->halo_faces + i].element;
        const sedge_range *const range = sedge_mesh_range(mesh, element);
        const int halo = range->halo, curved = range->curved;
        if (predictor->boundary[halo][curved][range->level].count++ == 0)
            predictor->boundary[halo][curved][range->level].first = i;
    }
}

sedge_status operator_predictor_create(sedge_operator *op)
{
    operator_predictor *const predictor = &op->predictor;
    const sedge_mesh *const mesh = op->mesh;

    SEDGE_TRY(sedge_list_level_faces(&predictor->level_face, &predictor->level_faces, mesh));
    for (int64_t i = 0; i < predictor->level_faces; i++) {
        const sedge_level_face *const face = &predictor->level_face[i];
        const int lesser = face->behind > 0 ? face->level : face->level - 1;
        for (int level = lesser; level < SEDGE_LEVELS_MAX; level++) predictor->pair_faces[level]++;
    }
    list_boundary(predictor, mesh);
    return SEDGE_OK;
}

void operator_predictor_clear(operator_predictor *predictor)
{
    sedge_release(predictor->level_face);
    sedge_release(predictor->run);
    sedge_buffer_free(predictor->step_faces);
    sedge_buffer_free(predictor->step_halo);
    sedge_buffer_free(predictor->closed);
    sedge_buffer_free(predictor->damping);
    sedge_buffer_free(predictor->halves);
    sedge_buffer_free(predictor->slope_damping);
    sedge_buffer_free(predictor->nodes);
    sedge_buffer_free(predictor->materials);
    for (int i = 0; i <= SEDGE_MAX_KINDS; i++) {
        sedge_buffer_free(predictor->bracket[i].places);
        for (int k = 0; k < 2; k++) sedge_buffer_free(predictor->bracket[i].w[k]);
    }
    *predictor = (operator_predictor){.runs = 0};
}

static bool continues(const operator_predictor_run *last, const operator_predictor_run *next)
{
    return last->first + last->count == next->first && last->level == next->level &&
           last->finer == next->finer && last->terms == next->terms && last->varies == next->varies;
}

static sedge_status list_runs(sedge_operator *op)
{
    const sedge_mesh *const mesh = op->mesh;
    operator_predictor *const predictor = &op->predictor;

    SEDGE_TRY(sedge_allocate(&predictor->run, mesh->range_count, sizeof *predictor->run));
    for (int r = 0; r < mesh->range_count; r++) {
        const sedge_range *const range = &mesh->ranges[r];
        const int64_t first = sedge_slots_first(&op->data.slots, range);
        const operator_predictor_run run = {
            .first = first,
            .count = sedge_slots_first(&op->data.slots, range + 1) - first,
            .level = range->level,
            .finer = range->finer,
            .terms = operator_terms_act(&op->terms, first),
            .varies =
                range->count > 0 && sedge_problem_varies(op->problem, mesh->group[range->first])};
        if (range->curved) continue;
        if (predictor->runs > 0 && continues(&predictor->run[predictor->runs - 1], &run)) {
            predictor->run[predictor->runs - 1].count += run.count;
        } else {
            predictor->run[predictor->runs++] = run;
        }
    }
    return SEDGE_OK;
}

// sedge_step_face of dg_predictor.h.
typedef struct step_face {
    int32_t slot, face, level, behind;
} step_face;

static sedge_status upload_faces(sedge_operator *op)
{
    const sedge_mesh *const mesh = op->mesh;
    operator_predictor *const predictor = &op->predictor;
    step_face *list = NULL;

    SEDGE_TRY(sedge_allocate(&list, predictor->level_faces, sizeof *list));
    for (int64_t i = 0; i < predictor->level_faces; i++) {
        const sedge_level_face *const face = &predictor->level_face[i];
        list[i] = (step_face){(int32_t)sedge_slot(&op->data.slots, face->other), face->other_face,
                              face->level, face->behind};
    }
    SEDGE_TRY(sedge_upload(&predictor->step_faces, op->device, list, predictor->level_faces,
                           sizeof *list));
    SEDGE_TRY(sedge_allocate(&list, mesh->halo_faces, sizeof *list));
    for (int32_t i = 0; i < mesh->halo_faces; i++) {
        const sedge_trace_face *const face = &mesh->trace_faces[i];
        const int level = sedge_mesh_level(mesh, face->element);
        const int behind = mesh->halo_level != NULL ? mesh->halo_level[i] : 0;
        list[i] = (step_face){(int32_t)sedge_slot(&op->data.slots, face->element), face->face,
                              level, behind - level};
    }
    return sedge_upload(&predictor->step_halo, op->device, list, mesh->halo_faces, sizeof *list);
}

// The matrix that damps derivatives in elements with terms (dg_predict.h).
static sedge_status upload_damping(sedge_operator *op)
{
    const int nodes = op->element->nodes - op->element->face_nodes;
    const int width = operator_round_up(nodes, OPERATOR_DAMP_ROWS);
    double *rows = NULL;

    SEDGE_TRY(sedge_allocate(&rows, (int64_t)nodes * width, sizeof *rows));
    operator_series_damping(rows, op->element->order, width);
    const sedge_status status =
        sedge_upload_reals(&op->predictor.slope_damping, op->device, op->layout.real_bytes, rows,
                           (int64_t)nodes * width);
    sedge_release(rows);
    return status;
}

// N E S, then N V E S (dg_predict_nodes.h), with S = `slopes`, of order N - 1; all [from][to].
static void raise_slopes(double *out, const sedge_operator *op, const double *slopes,
                         const int16_t *raised)
{
    const int n = op->element->nodes;
    const int lower = n - op->element->face_nodes;

    for (int from = 0; from < lower; from++) {
        double *const up = out + (ptrdiff_t)from * n;
        double *const at = out + (ptrdiff_t)(lower + from) * n;
        for (int i = 0; i < n; i++) {
            up[i] = 0.0;
            for (int d = 0; d < 4; d++)
                up[i] += raised[8 * i + 4 + d] * slopes[from * lower + raised[8 * i + d]];
        }
        for (int i = 0; i < n; i++) {
            at[i] = 0.0;
            for (int k = 0; k < n; k++) at[i] += op->bernstein->to_nodal[i * n + k] * up[k];
        }
    }
}

static void fill_nodes(double *out, const sedge_operator *op, double *slopes, const int16_t *raised)
{
    const int n = op->element->nodes;
    const int lower = n - op->element->face_nodes;
    double weights[SEDGE_PREDICTOR_LOWERINGS + 1];

    for (int from = 0; from < n; from++) {
        for (int to = 0; to < n; to++) {
            out[from * n + to] = op->bernstein->to_nodal[to * n + from];
            out[(n + from) * n + to] = op->bernstein->from_nodal[to * n + from];
        }
    }
    out += (ptrdiff_t)2 * n * n;
    for (int i = 0; i < lower * lower; i++) slopes[i] = i % (lower + 1) == 0 ? 1.0 : 0.0;
    raise_slopes(out, op, slopes, raised);
    if (sedge_predictor_lowerings(op->element->order, weights) > 0)
        operator_series_damping(slopes, op->element->order, lower);
    raise_slopes(out + (ptrdiff_t)2 * lower * n, op, slopes, raised);
}

// The matrices of dg_predict_nodes.h.
static sedge_status upload_nodes(sedge_operator *op)
{
    const int64_t n = op->element->nodes;
    const int64_t lower = n - op->element->face_nodes;
    const int64_t count = (2 * n + 4 * lower) * n;
    double *rows = NULL, *slopes = NULL;
    int16_t *raised = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, operator_bernstein_need(op));
    SEDGE_TRY_GOTO(status, sedge_allocate(&rows, count, sizeof *rows));
    SEDGE_TRY_GOTO(status, sedge_allocate(&slopes, lower * lower, sizeof *slopes));
    SEDGE_TRY_GOTO(status, sedge_allocate(&raised, 8 * n, sizeof *raised));
    operator_bernstein_raised(raised, op->element->order);
    fill_nodes(rows, op, slopes, raised);
    status =
        sedge_upload_reals(&op->predictor.nodes, op->device, op->layout.real_bytes, rows, count);
done:
    sedge_release(rows);
    sedge_release(slopes);
    sedge_release(raised);
    return status;
}

static sedge_status place_terms_kernels(sedge_operator *op)
{
    const operator_target target = {sedge_device_get_info(op->device), op->problem, op->element};
    const int64_t word = (int64_t)op->layout.real_bytes * op->layout.lanes;
    operator_predictor_config config;
    operator_nodes_config nodes;

    if (operator_predicts_terms(op->problem)) {
        operator_predictor_choose(&config, &op->layout, &target);
        if (config.dense) SEDGE_TRY(upload_damping(op));
        SEDGE_TRY(sedge_kernel_set_scratch(op->launcher.kernel[KERNEL_PREDICT_TERMS],
                                           config.scratch_words * word));
    }
    if (!sedge_problem_varies(op->problem, -1)) return SEDGE_OK;
    operator_nodes_choose(&nodes, &op->layout, &target);
    SEDGE_TRY(upload_nodes(op));
    return sedge_kernel_set_scratch(op->launcher.kernel[KERNEL_PREDICT_NODES],
                                    nodes.scratch_words * word);
}

sedge_status operator_predictor_place(sedge_operator *op)
{
    if (!op->problem->integrator->predictor) return SEDGE_OK;
    SEDGE_TRY(operator_curved_place_predictor(op));
    SEDGE_TRY(list_runs(op));
    SEDGE_TRY(upload_faces(op));
    return operator_terms_staged(op->problem) ? place_terms_kernels(op) : SEDGE_OK;
}

sedge_status operator_predictor_prepare(sedge_operator *op, double dt)
{
    const sedge_problem *const problem = op->problem;
    const int values = problem->equation->material_values;
    const int levels = op->mesh->levels;
    const int64_t count = (int64_t)levels * problem->volumes * values;
    double *list = NULL;

    if (!sedge_problem_slows(problem)) return SEDGE_OK;
    SEDGE_TRY(sedge_allocate(&list, count, sizeof *list));
    for (int64_t i = 0; i < count; i += values) {
        const int64_t row = i / values;
        double m[SEDGE_MAX_MATERIALS];
        sedge_exponential_materials(m, problem, (int)(row % problem->volumes),
                                    ldexp(dt, (int)(row / problem->volumes)));
        memcpy(list + i, m, (size_t)values * sizeof *m);
    }
    sedge_buffer_free(op->predictor.materials);
    op->predictor.materials = NULL;
    const sedge_status status = sedge_upload_reals(&op->predictor.materials, op->device,
                                                   op->layout.real_bytes, list, count);
    sedge_release(list);
    SEDGE_TRY(status);
    for (int level = 0; level < levels; level++) {
        op->predictor.materials_at[level] =
            sedge_buffer_address(op->predictor.materials) +
            (uint64_t)(level * count / levels * op->layout.real_bytes);
    }
    return SEDGE_OK;
}

// ---- launches ----------------------------------------------------------------------------------

// Elements without terms.
static sedge_status predict_series(sedge_operator *op, const operator_fields *fields,
                                   const operator_predictor_run *run, sedge_stream *stream,
                                   double dt)
{
    const operator_series_config *const config = &op->predictor.series;
    uint64_t u = sedge_buffer_address(fields->u[0]);
    uint64_t mean = sedge_buffer_address(fields->residual);
    uint64_t half = sedge_buffer_address(fields->u[1]);
    uint64_t geometry = sedge_buffer_address(op->data.geometry);
    uint64_t material = sedge_buffer_address(op->data.material);
    uint64_t materials = op->predictor.materials_at[run->level];
    uint64_t tables = sedge_buffer_address(op->faces.maps);
    int64_t first = run->first, count = run->count;
    int halves = run->finer;
    operator_real step = operator_scalar(op, dt);
    void *const arguments[] = {&u,      &mean,  &half,  &geometry, &material, &materials,
                               &tables, &first, &count, &halves,   &step};

    return operator_launch(&op->launcher, KERNEL_PREDICT, stream,
                           (1 + halves) * ((count + config->block - 1) / config->block),
                           config->threads, arguments, sizeof arguments / sizeof arguments[0]);
}

bool operator_series_predicts(const sedge_operator *op, const sedge_range *range)
{
    return !range->curved && range->count > 0 &&
           sedge_predictor_is_plain(op->problem, op->mesh->group[range->first]);
}

int64_t operator_series_elements(const sedge_operator *op)
{
    int64_t count = 0;

    for (int r = 0; r < op->mesh->range_count; r++) {
        const sedge_range *const range = &op->mesh->ranges[r];
        if (operator_series_predicts(op, range)) count += range->count;
    }
    return count;
}

double operator_series_bytes(const sedge_operator *op)
{
    const double words = 2.0 * op->problem->equation->fields * op->element->nodes + 9.0;

    return (double)operator_series_elements(op) * words * op->layout.real_bytes;
}

sedge_status operator_predict_all_series(sedge_operator *op, const operator_fields *fields,
                                         sedge_stream *stream, bool halves, double dt)
{
    operator_predictor_run run = {.finer = halves};

    for (int r = 0; r < op->mesh->range_count; r++) {
        const sedge_range *const range = &op->mesh->ranges[r];
        const int64_t first = sedge_slots_first(&op->data.slots, range);
        if (!operator_series_predicts(op, range)) continue;
        if (first != run.first + run.count) {
            SEDGE_TRY(predict_series(op, fields, &run, stream, dt));
            run.first = first;
            run.count = 0;
        }
        run.count += sedge_slots_first(&op->data.slots, range + 1) - first;
    }
    return predict_series(op, fields, &run, stream, dt);
}

// Elements with terms: means over `dt` to `mean`; `updates`: terms act on the state.
static sedge_status predict_terms(sedge_operator *op, const operator_fields *fields,
                                  const operator_predictor_run *run, sedge_stream *stream,
                                  const sedge_buffer *to, bool updates, double dt)
{
    const operator_target target = {sedge_device_get_info(op->device), op->problem, op->element};
    const operator_kernel kernel = run->varies ? KERNEL_PREDICT_NODES : KERNEL_PREDICT_TERMS;
    operator_predictor_config config;
    operator_nodes_config nodes;
    uint64_t u = sedge_buffer_address(fields->u[0]);
    uint64_t mean = sedge_buffer_address(to);
    uint64_t geometry = sedge_buffer_address(op->data.geometry);
    uint64_t material = sedge_buffer_address(op->data.material);
    uint64_t materials = op->predictor.materials_at[run->level];
    uint64_t full = sedge_buffer_address(op->materials);
    uint64_t tables = sedge_buffer_address(op->faces.maps);
    const sedge_buffer *const rows =
        run->varies ? op->predictor.nodes : op->predictor.slope_damping;
    uint64_t damping = rows != NULL ? sedge_buffer_address(rows) : 0;
    int64_t first = run->first, count = run->count;
    int update = updates;
    operator_real step = operator_scalar(op, dt);
    operator_terms_arguments terms;
    void *arguments[12 + SEDGE_TERMS_ARGUMENTS] = {&u,         &mean,  &geometry, &material,
                                                   &materials, &full,  &tables,   &damping,
                                                   &first,     &count, &update,   &step};
    int all = 12;

    operator_predictor_choose(&config, &op->layout, &target);
    operator_nodes_choose(&nodes, &op->layout, &target);
    const int block = run->varies ? nodes.block : config.block;
    const int threads = run->varies ? nodes.threads : config.threads;
    operator_terms_list(&terms, &op->terms, fields->memory, false);
    for (int i = 0; i < terms.count; i++) arguments[all++] = &terms.value[i];
    return operator_launch(&op->launcher, kernel, stream, (count + block - 1) / block, threads,
                           arguments, all);
}

// The mean over the first half before the terms act.
static sedge_status predict_run(sedge_operator *op, const operator_fields *fields,
                                const operator_predictor_run *run, sedge_stream *stream, double dt)
{
    if (!run->terms) return predict_series(op, fields, run, stream, dt);
    if (run->finer)
        SEDGE_TRY(predict_terms(op, fields, run, stream, fields->u[1], false, 0.5 * dt));
    return predict_terms(op, fields, run, stream, fields->residual, true, dt);
}

sedge_status operator_predict(sedge_operator *op, const operator_fields *fields, int started,
                              double dt)
{
    sedge_fan *const fan = &op->events.main;
    sedge_stream *stream;

    SEDGE_TRY(sedge_fan_open(fan, op->main, op->launcher.sampling));
    for (int i = 0; i < 2 * (started + 1); i++) {
        const int level = started - i / 2;
        if (op->data.slots.level[i % 2][true][level].count == 0) continue;
        SEDGE_TRY(sedge_fan_pick(fan, &stream));
        SEDGE_TRY(operator_predict_curved(op, fields, stream, i % 2 == 1, level, ldexp(dt, level)));
    }
    for (int i = op->predictor.runs - 1; i >= 0; i--) {
        const operator_predictor_run *const run = &op->predictor.run[i];
        if (run->level > started) continue;
        const double step = ldexp(dt, run->level);
        SEDGE_TRY(sedge_fan_pick(fan, &stream));
        SEDGE_TRY(predict_run(op, fields, run, stream, step));
    }
    return sedge_fan_close(fan);
}
