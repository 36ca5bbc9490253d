// Curved elements on the device: their operators, maps and kernels
// (codegen/kernels/dg/curved/dg_curved.h).
#include "operator/curved.h"

#include "base/memory.h"
#include "dg/cubature.h"
#include "dg/dense.h"
#include "dg/predictor.h"
#include "forms/covariant_products.h"
#include "layout/curved_block.h"
#include "layout/slots.h"
#include "layout/upload.h"
#include "operator/basis.h"
#include "operator/covariant.h"
#include "operator/exchange.h"
#include "operator/fields.h"
#include "operator/launch.h"
#include "operator/parts.h"
#include "operator/scalar.h"

#include <stdio.h>
#include <string.h>

#define CURVE_WORDS 30 // as in codegen/kernels/dg/curved/dg_curve.h

static int largest(int a, int b)
{
    return a > b ? a : b;
}

// ---- sizes -------------------------------------------------------------------------------------

sedge_status operator_curved_choose(operator_curved_config *config, const operator_layout *layout,
                                    const sedge_device_info *info, const sedge_problem *problem,
                                    const sedge_element *element)
{
    const int fields = problem->equation->fields;
    const int nodes = element->nodes;
    sedge_curved_block block;

    memset(config, 0, sizeof *config); // the text has all numbers, and either way leaves some out
    if (sedge_cubature_is_covariant(problem))
        return operator_covariant_choose(config, layout, info, problem, element);
    config->tile = 1;
    SEDGE_TRY(sedge_cubature_sizes(&config->points, &config->face_points, element->order,
                                   SEDGE_CUBATURE_DEGREE(element->order)));
    const int around = SEDGE_FACES * (element->face_nodes + config->face_points);
    config->chunk = largest(1, around / 3);
    if (config->chunk > config->points) config->chunk = config->points;
    // Faces; or three fluxes at the points of a chunk; or sums and what they are divided into.
    const int work = largest(largest(around, 3 * config->chunk), nodes + config->chunk);
    config->scratch_words = (nodes + work) * fields;
    SEDGE_TRY(sedge_curved_block_choose(&block, info, element,
                                        (int64_t)config->scratch_words * layout->lanes *
                                            layout->real_bytes));
    config->block = block.batches;
    config->threads = block.threads;
    config->scratch_bytes = block.bytes;
    return SEDGE_OK;
}

sedge_status operator_curved_list(operator_curved_config list[SEDGE_FAMILY_CANDIDATES], int *count,
                                  const operator_layout *layout, const sedge_device_info *info,
                                  const sedge_problem *problem, const sedge_element *element)
{
    *count = 1;
    if (!sedge_cubature_state_is_covariant(problem))
        return operator_curved_choose(&list[0], layout, info, problem, element);
    return operator_covariant_list(list, count, layout, info, problem, element);
}

void operator_curved_name(char name[SEDGE_CONFIG_NAME], const operator_curved_config *config)
{
    const int length = snprintf(name, SEDGE_CONFIG_NAME, "curved b%d t%d r%d w%d", config->block,
                                config->threads, config->resident / config->threads, config->twos);

    if (config->coded == 0) {
        (void)snprintf(name + length, (size_t)(SEDGE_CONFIG_NAME - length), " a%d k%d",
                       config->ahead, config->tile);
    }
}

// ---- what the kernels read ---------------------------------------------------------------------

// In the order of dg_curved.h.
static void write_operators(operator_writer *w, const sedge_cubature *cubature)
{
    const int nodes = cubature->nodes;
    const int points = cubature->volume.points;
    const int all = SEDGE_FACES * cubature->face.points;

    operator_write_turned(w, cubature->values, points, nodes);
    for (int q = 0; q < points; q++) {
        for (int i = 0; i < 3 * nodes; i++)
            operator_write_real(w, cubature->weak[i % 3][(int64_t)(i / 3) * points + q]);
    }
    operator_write_turned(w, cubature->project, nodes, points);
    operator_write_turned(w, cubature->trace, cubature->face.points, cubature->face_nodes);
    operator_write_turned(w, cubature->lift, nodes, all);
    operator_write_places(w, cubature->volume.place, points);
    operator_write_places(w, cubature->face_place, all);
    for (int q = 0; q < points; q++) operator_write_real(w, cubature->volume.weight[q]);
}

sedge_status operator_curved_create(sedge_operator *op)
{
    if (sedge_mesh_curved(op->mesh) == 0) return SEDGE_OK;
    return sedge_cubature_create(&op->curved.cubature, op->element,
                                 sedge_cubature_degree(op->problem, op->element->order));
}

// The operators of coefficients in place of nodal values: fields are taken to the points through
// their values at the nodes, and what comes back is turned into coefficients. `own` is a copy whose
// matrices lie in `memory`, to be released.
static sedge_status turn_operators(sedge_cubature *own, double **memory, const sedge_operator *op)
{
    const sedge_cubature *const from = op->curved.cubature;
    const sedge_bernstein *const basis = op->bernstein;
    const int nodes = from->nodes;
    const int width = from->face_nodes;
    const int points = from->volume.points;
    const int face_points = from->face.points;
    const int all = SEDGE_FACES * face_points;
    const int64_t inside = (int64_t)nodes * points;

    *own = *from;
    SEDGE_TRY(sedge_allocate(
        memory, 5 * inside + (int64_t)face_points * width + (int64_t)nodes * all, sizeof **memory));
    double *at = *memory;
    sedge_dense_multiply(own->values = at, from->values, false, basis->to_nodal, false, points,
                         nodes, nodes);
    at += inside;
    for (int j = 0; j < 3; j++, at += inside) {
        sedge_dense_multiply(own->weak[j] = at, basis->from_nodal, false, from->weak[j], false,
                             nodes, nodes, points);
    }
    sedge_dense_multiply(own->project = at, basis->from_nodal, false, from->project, false, nodes,
                         nodes, points);
    at += inside;
    sedge_dense_multiply(own->trace = at, from->trace, false, basis->face_to_nodal, false,
                         face_points, width, width);
    at += (int64_t)face_points * width;
    sedge_dense_multiply(own->lift = at, basis->from_nodal, false, from->lift, false, nodes, nodes,
                         all);
    return SEDGE_OK;
}

sedge_status operator_curved_take_basis(sedge_operator *op)
{
    const sedge_cubature *const cubature = op->curved.cubature;
    operator_writer w = {.real_bytes = op->layout.real_bytes};
    sedge_cubature turned;
    double *memory = NULL;

    sedge_buffer_free(op->curved.operators);
    op->curved.operators = NULL;
    if (cubature == NULL) return SEDGE_OK;
    if (sedge_cubature_is_covariant(op->problem)) return operator_covariant_take_basis(op);
    const bool nodal = op->layout.basis == SEDGE_NODAL;
    const int64_t nodes = op->element->nodes;
    const int64_t points = cubature->volume.points;
    const int64_t face_points = cubature->face.points;
    const int64_t count = points * (5 * nodes + 4) + face_points * op->element->face_nodes +
                          SEDGE_FACES * face_points * (nodes + 3);
    if (!nodal) SEDGE_TRY(turn_operators(&turned, &memory, op));
    const sedge_status status = sedge_allocate(&w.list, count, (size_t)op->layout.real_bytes);
    if (status == SEDGE_OK) write_operators(&w, nodal ? cubature : &turned);
    sedge_release(memory);
    SEDGE_TRY(status);
    return sedge_upload(&op->curved.operators, op->device, w.list, count,
                        (size_t)op->layout.real_bytes);
}

sedge_status operator_curved_take_layout(sedge_operator *op)
{
    const sedge_slots *const at = &op->data.slots;
    const int64_t slots = at->curved_batches * at->lanes;
    double(*shapes)[CURVE_WORDS] = NULL;

    if (slots == 0) return SEDGE_OK;
    SEDGE_TRY(sedge_allocate(&shapes, slots, sizeof *shapes));
    for (int64_t slot = 0; slot < slots; slot++) // empty ones have a volume: x = r, y = s, z = t
        for (int d = 0; d < 3; d++) shapes[slot][3 + 4 * d] = 1.0;
    for (int32_t e = 0; e < op->mesh->elements; e++) {
        double c[SEDGE_CURVE_TERMS][3];
        if (sedge_mesh_curve(op->mesh, e) < 0) continue;
        sedge_mesh_expand(op->mesh, e, c);
        memcpy(shapes[sedge_curved_slot(at, e)], c, sizeof c);
    }
    const sedge_status status =
        sedge_upload_words(&op->data.curves, op->device, op->layout.real_bytes,
                           (const double *)shapes, slots, CURVE_WORDS, at->lanes);
    if (status != SEDGE_OK) {
        sedge_release(shapes);
        return status;
    }
    return sedge_upload(&op->data.shapes, op->device, shapes, slots, sizeof *shapes);
}

void operator_curved_free(sedge_operator *op)
{
    sedge_buffer_free(op->curved.operators);
    sedge_cubature_free(op->curved.cubature);
}

// ---- launches ----------------------------------------------------------------------------------

// What one SIMD batch has of a term's memory.
static int64_t count_batch_bytes(const sedge_operator *op, const operator_device_term *term)
{
    return (int64_t)term->term.memory * op->layout.nodes_padded * op->layout.lanes *
           op->layout.real_bytes;
}

// Where the memory of curved elements of term i begins in a buffer, which has the memory of all
// elements or is a bracket.
static uint64_t find_curved_memory(const sedge_operator *op, int i, const sedge_buffer *buffer,
                                   bool halo)
{
    const operator_bracket *const bracket = &op->predictor.bracket[i];
    const bool is_bracket = buffer == bracket->w[0] || buffer == bracket->w[1];
    const int64_t before = !is_bracket ? bracket->first[halo] : halo ? bracket->count[0] : 0;

    if (buffer == NULL) return 0;
    return sedge_buffer_address(buffer) +
           (uint64_t)(before * count_batch_bytes(op, &op->terms.term[i]));
}

// Terms as arguments of the kernel. With a predictor those with memory count places among curved
// elements, in which brackets have their numbers.
static void list_terms(operator_terms_arguments *arguments, const sedge_operator *op,
                       const operator_fields *fields, const sedge_stage *stage, bool halo)
{
    uint64_t *next = arguments->value;

    operator_terms_list(arguments, &op->terms, fields->memory, stage->turned);
    if (!op->problem->integrator->predictor) return;
    for (int i = 0; i < op->terms.count; i++) {
        const operator_term_memory *const memory = &fields->memory[i];
        uint64_t *const value = next;
        if (!operator_term_is_staged(&op->terms.term[i].term)) continue;
        next += SEDGE_TERM_ARGUMENTS;
        if (op->predictor.bracket[i].places == NULL) continue;
        value[0] = sedge_buffer_address(op->predictor.bracket[i].places);
        value[1] = find_curved_memory(op, i, memory->now, halo);
        value[2] = find_curved_memory(op, i, memory->other, halo);
        value[3] = find_curved_memory(op, i, memory->residual, halo);
    }
}

// What an element's stage has: the links to the traces behind its faces, which are its own where it
// predicts by itself (dg/predictor.h), and where the materials are.
typedef struct stage_data {
    const sedge_buffer *links;
    uint64_t materials;
} stage_data;

// A stage in curved elements, with halo faces or without.
static sedge_status run_curved(sedge_operator *op, const operator_fields *fields,
                               sedge_stream *stream, bool halo, sedge_span span,
                               const sedge_stage *stage, stage_data data)
{
    const operator_curved_config *const config = &op->curved.config;

    if (span.count == 0) return SEDGE_OK;
    int64_t first_curve = span.first_curve;
    uint64_t u = sedge_buffer_address(fields->u[0]);
    uint64_t next = sedge_buffer_address(fields->u[1]);
    uint64_t residual = sedge_buffer_address(fields->residual);
    uint64_t trace = operator_trace_address(op);
    uint64_t links = sedge_buffer_address(data.links);
    uint64_t curves = sedge_buffer_address(op->data.curves);
    uint64_t material = sedge_buffer_address(op->data.material);
    uint64_t operators = sedge_buffer_address(op->curved.operators);
    uint64_t tables = sedge_buffer_address(op->faces.maps);
    uint64_t shapes = sedge_buffer_address(op->data.shapes);
    uint64_t group = sedge_buffer_address(op->faces.group);
    uint64_t parameters = sedge_buffer_address(op->faces.parameters);
    uint64_t kinds = sedge_buffer_address(op->faces.kinds);
    int64_t halo_faces = op->mesh->halo_faces;
    int64_t boundary_end = halo_faces + op->mesh->boundary_faces;
    int64_t slots = op->data.slots.count;
    operator_real a = operator_scalar(op, stage->a);
    operator_real b = operator_scalar(op, stage->b);
    uint64_t clock = sedge_buffer_address(fields->clock);
    double delay = stage->delay;
    double duration = stage->dt;
    operator_real step = operator_scalar(op, stage->dt);
    operator_real found = operator_scalar(op, stage->found);
    int keep = !stage->drops;
    int back = stage->back;
    operator_terms_arguments terms;
    void *arguments[29 + SEDGE_TERMS_ARGUMENTS] = {
        &u,          &next,           &residual,    &trace,        &links,  &curves,
        &material,   &data.materials, &operators,   &tables,       &shapes, &group,
        &parameters, &kinds,          &halo_faces,  &boundary_end, &clock,  &delay,
        &duration,   &span.first,     &first_curve, &span.count,   &slots,  &a,
        &b,          &found,          &step,        &keep,         &back};
    int count = 29;

    list_terms(&terms, op, fields, stage, halo);
    for (int i = 0; i < terms.count; i++) arguments[count++] = &terms.value[i];
    return operator_launch(&op->launcher, KERNEL_CURVED, stream,
                           (span.count + config->block - 1) / config->block, config->threads,
                           arguments, count);
}

static stage_data get_data(const sedge_operator *op)
{
    return (stage_data){op->data.links, sedge_buffer_address(op->materials)};
}

sedge_status operator_run_curved(sedge_operator *op, const operator_fields *fields,
                                 sedge_stream *stream, bool halo, const sedge_stage *stage)
{
    return run_curved(op, fields, stream, halo, op->data.slots.level[halo][true][stage->level],
                      stage, get_data(op));
}

sedge_status operator_run_all_curved(sedge_operator *op, const operator_fields *fields,
                                     sedge_stream *stream, const sedge_stage *stage)
{
    for (int halo = 0; halo < 2; halo++) {
        SEDGE_TRY(run_curved(op, fields, stream, halo == 1, op->data.slots.span[halo == 1][true],
                             stage, get_data(op)));
    }
    return SEDGE_OK;
}

sedge_status operator_run_curved_energy(sedge_operator *op, const operator_fields *fields,
                                        const sedge_buffer *energy_weights,
                                        const sedge_buffer *slots)
{
    uint64_t u = sedge_buffer_address(fields->u[0]);
    uint64_t energy = sedge_buffer_address(slots);
    uint64_t material = sedge_buffer_address(op->data.material);
    uint64_t weights = sedge_buffer_address(energy_weights);

    for (int halo = 0; halo < 2; halo++) {
        sedge_span span = op->data.slots.span[halo == 1][true];
        if (span.count == 0) continue;
        int64_t first_curve = span.first_curve;
        uint64_t curves = sedge_buffer_address(op->data.curves);
        uint64_t operators = sedge_buffer_address(op->curved.operators);
        void *const arguments[] = {&u,       &energy,     &curves,      &operators, &material,
                                   &weights, &span.first, &first_curve, &span.count};
        SEDGE_TRY(operator_launch(&op->launcher, KERNEL_CURVED_ENERGY, op->main,
                                  (span.count + SEDGE_TRACE_THREADS - 1) / SEDGE_TRACE_THREADS,
                                  SEDGE_TRACE_THREADS, arguments,
                                  (int)(sizeof arguments / sizeof arguments[0])));
    }
    return SEDGE_OK;
}

sedge_status operator_run_curved_memory_energy(sedge_operator *op, const operator_device_term *term,
                                               const operator_term_memory *memory,
                                               const sedge_buffer *memory_weights,
                                               const sedge_buffer *slots)
{
    uint64_t w = sedge_buffer_address(memory->now);
    uint64_t energy = sedge_buffer_address(slots);
    uint64_t material = sedge_buffer_address(op->data.material);
    uint64_t places = sedge_buffer_address(term->on_device);
    uint64_t weights = sedge_buffer_address(memory_weights);
    int64_t components = term->term.memory;

    for (int halo = 0; halo < 2; halo++) {
        sedge_span span = op->data.slots.span[halo == 1][true];
        if (span.count == 0) continue;
        int64_t first_curve = span.first_curve;
        uint64_t curves = sedge_buffer_address(op->data.curves);
        uint64_t operators = sedge_buffer_address(op->curved.operators);
        void *const arguments[] = {&w,          &energy,      &curves,    &operators,
                                   &material,   &places,      &weights,   &components,
                                   &span.first, &first_curve, &span.count};
        SEDGE_TRY(operator_launch(&op->launcher, KERNEL_CURVED_MEMORY_ENERGY, op->main,
                                  (span.count + SEDGE_TRACE_THREADS - 1) / SEDGE_TRACE_THREADS,
                                  SEDGE_TRACE_THREADS, arguments,
                                  (int)(sizeof arguments / sizeof arguments[0])));
    }
    return SEDGE_OK;
}

// Products with the operators; 30 words of the map, and the states as on straight elements.
void operator_curved_count(const sedge_operator *op, double *bytes, double *flops)
{
    const double elements = sedge_mesh_curved(op->mesh);
    const double nodes = op->element->nodes;
    const double width = op->element->face_nodes;
    const double fields = op->problem->equation->fields;
    const double points = op->curved.config.points;
    const double around = (double)SEDGE_FACES * op->curved.config.face_points;

    if (sedge_cubature_is_covariant(op->problem)) {
        operator_covariant_count(op, bytes, flops);
        return;
    }
    *bytes = elements * ((operator_states(op->problem) * fields * nodes + CURVE_WORDS) *
                             op->layout.real_bytes +
                         32.0);
    *flops = elements * (2.0 * fields * (6.0 * points * nodes + around * (2.0 * width + nodes)) +
                         points * (130.0 + 15.0 * fields) +
                         around * (99.0 + op->problem->equation->face_flops));
}

// ---- prediction --------------------------------------------------------------------------------

// Whether a range's elements predict by dg_covariant_predict.h: those without terms and sources.
// Ranges have either such elements or others.
static bool predicts_plain(const sedge_operator *op, const sedge_range *range)
{
    return operator_products_predict(op->problem, op->layout.basis) &&
           !operator_terms_act(&op->terms, sedge_slots_first(&op->data.slots, range));
}

// Batches of a range whose elements predict by passes and have finer neighbours; else 0.
static int64_t count_halves(const sedge_operator *op, const sedge_range *range)
{
    if (!range->curved || !range->finer || predicts_plain(op, range)) return 0;
    return sedge_slots_first(&op->data.slots, range + 1) -
           sedge_slots_first(&op->data.slots, range);
}

static sedge_status create_halves(sedge_operator *op)
{
    const int64_t batch_bytes = (int64_t)op->layout.nodes_padded * op->problem->equation->fields *
                                op->layout.lanes * op->layout.real_bytes;
    int64_t batches = 0;

    for (int r = 0; r < op->mesh->range_count; r++)
        batches += count_halves(op, &op->mesh->ranges[r]);
    if (batches == 0) return SEDGE_OK;
    return sedge_buffer_create(&op->predictor.halves, op->device, batches * batch_bytes);
}

// Whether some curved elements predict by passes.
static bool has_passes(const sedge_operator *op)
{
    for (int r = 0; r < op->mesh->range_count; r++) {
        const sedge_range *const range = &op->mesh->ranges[r];
        if (range->curved && !predicts_plain(op, range)) return true;
    }
    return false;
}

// The orientation in which a face meets itself node by node.
int operator_identity(const sedge_element *element)
{
    for (int o = 0; o < 6; o++) {
        int same = 0;
        for (int i = 0; i < element->face_nodes; i++)
            same += element->permuted[o * element->face_nodes + i] == i;
        if (same == element->face_nodes) return o;
    }
    return -1;
}

static sedge_status upload_closed(sedge_operator *op)
{
    const int64_t slots = op->data.slots.count;
    const int orientation = operator_identity(op->element);
    int32_t(*links)[2] = NULL;

    if (orientation < 0) return SEDGE_FAIL(SEDGE_ERR_INTERNAL, "no orientation meets itself");
    SEDGE_TRY(sedge_allocate(&links, slots * SEDGE_FACES, sizeof *links));
    for (int64_t i = 0; i < slots * SEDGE_FACES; i++) {
        links[i][0] = (int32_t)(i / SEDGE_FACES);
        links[i][1] = (int32_t)(i % SEDGE_FACES) * 6 + orientation;
    }
    return sedge_upload(&op->predictor.closed, op->device, links, slots * SEDGE_FACES,
                        sizeof *links);
}

// Q / f_1, [from][to] of the state's coefficients.
static sedge_status upload_damping(sedge_operator *op)
{
    const sedge_element *const element = op->element;
    const int64_t n = element->nodes;
    double weights[SEDGE_PREDICTOR_LOWERINGS + 1];
    double *rows = NULL, *matrix = NULL;
    sedge_status status;

    if (sedge_predictor_lowerings(element->order, weights) == 0) return SEDGE_OK;
    SEDGE_TRY(operator_bernstein_need(op));
    SEDGE_TRY_GOTO(status, sedge_allocate(&rows, n * n, sizeof *rows));
    SEDGE_TRY_GOTO(status, sedge_allocate(&matrix, n * n, sizeof *matrix));
    operator_damping_build(matrix, element, op->bernstein, rows);
    for (int64_t i = 0; i < n * n; i++) rows[i] = matrix[i % n * n + i / n];
    status =
        sedge_upload_reals(&op->predictor.damping, op->device, op->layout.real_bytes, rows, n * n);
done:
    sedge_release(rows);
    sedge_release(matrix);
    return status;
}

static sedge_status create_bracket(sedge_operator *op, operator_bracket *bracket,
                                   const operator_device_term *term)
{
    const int64_t batches = op->data.slots.batches;
    int32_t *places = NULL;

    if (term->term.memory == 0) return SEDGE_OK;
    SEDGE_TRY(sedge_allocate(&places, batches, sizeof *places));
    for (int64_t b = 0; b < batches; b++) places[b] = -1;
    for (int halo = 0; halo < 2; halo++) {
        const sedge_span *const span = &op->data.slots.span[halo][true];
        for (int64_t b = span->first; b < span->first + span->count; b++) {
            if (term->places[b] < 0) continue;
            if (bracket->count[halo] == 0) bracket->first[halo] = term->places[b];
            places[b] = (int32_t)bracket->count[halo]++;
        }
    }
    const int64_t all = bracket->count[0] + bracket->count[1];
    if (all == 0) {
        sedge_release(places);
        return SEDGE_OK;
    }
    SEDGE_TRY(sedge_upload(&bracket->places, op->device, places, batches, sizeof *places));
    for (int k = 0; k < 2; k++) {
        SEDGE_TRY(
            sedge_buffer_create(&bracket->w[k], op->device, all * count_batch_bytes(op, term)));
    }
    return SEDGE_OK;
}

sedge_status operator_curved_place_predictor(sedge_operator *op)
{
    if (!has_passes(op)) return SEDGE_OK;
    SEDGE_TRY(create_halves(op));
    SEDGE_TRY(upload_closed(op));
    for (int i = 0; i < op->terms.count; i++) {
        if (operator_term_is_staged(&op->terms.term[i].term))
            SEDGE_TRY(create_bracket(op, &op->predictor.bracket[i], &op->terms.term[i]));
    }
    return upload_damping(op);
}

// Batches [first, first + count) of `from` to those from `to_first` on of `to`.
static sedge_status copy_states(sedge_operator *op, sedge_stream *stream, sedge_buffer *to,
                                int64_t to_first, const sedge_buffer *from, int64_t first,
                                int64_t count)
{
    uint64_t source = sedge_buffer_address(from);
    uint64_t target = sedge_buffer_address(to);
    const int64_t nodes = count * op->layout.nodes_padded;
    void *const arguments[] = {&source, &target, &first, &to_first, &count};

    return operator_launch(&op->launcher, KERNEL_COPY_STATES, stream,
                           (nodes + SEDGE_TRACE_THREADS - 1) / SEDGE_TRACE_THREADS,
                           SEDGE_TRACE_THREADS, arguments, 5);
}

// mean = bracket + Q (bracket - u) / f_1 (dg/predictor.h).
static sedge_status damp_curved(sedge_operator *op, const operator_fields *fields,
                                const sedge_buffer *from, const sedge_buffer *to,
                                sedge_stream *stream, const sedge_span *span)
{
    uint64_t u = sedge_buffer_address(fields->u[0]);
    uint64_t bracket = sedge_buffer_address(from);
    uint64_t mean = sedge_buffer_address(to);
    uint64_t damping = sedge_buffer_address(op->predictor.damping);
    int64_t first = span->first;
    void *const arguments[] = {&u, &bracket, &mean, &damping, &first};

    return operator_launch(&op->launcher, KERNEL_DAMP_CURVED, stream, span->count,
                           SEDGE_TRACE_THREADS, arguments, 5);
}

// The memory that a bracket of the prediction reads and writes (dg_term.h): it adds to that before
// the step, with which the first one begins.
static void turn_brackets(operator_term_memory memory[SEDGE_MAX_KINDS + 1],
                          const sedge_operator *op, const operator_fields *fields, int k, int first)
{
    for (int i = 0; i < op->terms.count; i++) {
        sedge_buffer *const before = fields->memory[i].now;
        sedge_buffer *const *const both = op->predictor.bracket[i].w;
        memory[i] = (operator_term_memory){.now = k == first ? before : both[k % 2],
                                           .other = before,
                                           .residual = both[(k + 1) % 2]};
    }
}

// Consecutive ranges whose elements predict by dg_covariant_predict.h. The last `halves` SIMD
// batches have finer neighbours: of a level these ranges come last (sedge_mesh.ranges).
typedef struct plain_run {
    sedge_span span;
    int64_t halves;
} plain_run;

// The means of such a run over `dt` from the step's beginning, and of its last batches over the
// first half of it.
static sedge_status predict_plain(sedge_operator *op, const operator_fields *fields,
                                  sedge_stream *stream, const plain_run *run, int level, double dt)
{
    const operator_curved_config *const config = &op->curved.config;
    const int order = op->element->order;
    int powers = sedge_predictor_terms(order, true);
    uint64_t u = sedge_buffer_address(fields->u[0]);
    uint64_t mean = sedge_buffer_address(fields->residual);
    uint64_t half = sedge_buffer_address(fields->u[1]);
    uint64_t curves = sedge_buffer_address(op->data.curves);
    uint64_t material = sedge_buffer_address(op->data.material);
    uint64_t materials = op->predictor.materials_at[level];
    uint64_t operators = sedge_buffer_address(op->curved.operators);
    uint64_t tables = sedge_buffer_address(op->faces.maps);
    int64_t first = run->span.first, first_curve = run->span.first_curve;
    int64_t count = run->span.count, halves = run->halves;
    operator_real step[SEDGE_PREDICTOR_POWERS];
    void *const arguments[] = {&u,         &mean,    &half,    &curves,      &material, &materials,
                               &operators, &tables,  &first,   &first_curve, &count,    &halves,
                               &step[0],   &step[1], &step[2], &powers};

    if (count == 0) return SEDGE_OK;
    for (int k = 0; k < SEDGE_PREDICTOR_POWERS; k++)
        step[k] = operator_scalar(op, k < powers ? dt * sedge_predictor_factor(order, k + 1) : 0.0);
    const int64_t blocks = (count + config->block - 1) / config->block;
    const int64_t more = (halves + config->block - 1) / config->block;
    return operator_launch(&op->launcher, KERNEL_PREDICT_CURVED, stream, blocks + more,
                           config->threads, arguments, sizeof arguments / sizeof arguments[0]);
}

// The SIMD batches of a curved range.
static sedge_span find_span(const sedge_operator *op, const sedge_range *range)
{
    const sedge_span *const all = &op->data.slots.level[range->halo][true][range->level];
    const int64_t first = sedge_slots_first(&op->data.slots, range);

    return (sedge_span){.first = first,
                        .count = sedge_slots_first(&op->data.slots, range + 1) - first,
                        .first_curve = all->first_curve + first - all->first};
}

// The mean over `dt` from the step's beginning into both[0], by passes; both[1] is overwritten.
static sedge_status predict_span(sedge_operator *op, const operator_fields *fields,
                                 sedge_buffer *const both[2], sedge_stream *stream,
                                 const sedge_range *range, double dt)
{
    const int order = op->element->order;
    const int terms = sedge_predictor_terms(order, true);
    const bool damps = op->predictor.damping != NULL;
    const sedge_span span = find_span(op, range);
    const stage_data data = {op->predictor.closed, op->predictor.materials_at[range->level]};
    sedge_buffer *from = fields->u[0];
    operator_term_memory memory[SEDGE_MAX_KINDS + 1] = {{.now = NULL}};

    for (int k = terms; k > 0; k--) {
        operator_fields now = *fields;
        const sedge_stage stage = {.a = 1.0, .dt = dt * sedge_predictor_factor(order, k)};
        turn_brackets(memory, op, fields, k, terms);
        now.memory = memory;
        now.u[0] = now.u[1] = from; // b is 0
        now.residual = both[(damps ? k : k - 1) % 2];
        SEDGE_TRY(copy_states(op, stream, now.residual, span.first, fields->u[0], span.first,
                              span.count));
        SEDGE_TRY(run_curved(op, &now, stream, range->halo, span, &stage, data));
        from = now.residual;
    }
    return damps ? damp_curved(op, fields, from, both[0], stream, &span) : SEDGE_OK;
}

// A range whose elements predict by passes, with the memory of `halves` from batch `place` on.
static sedge_status predict_range(sedge_operator *op, const operator_fields *fields,
                                  sedge_stream *stream, const sedge_range *range, int64_t place,
                                  double dt)
{
    const sedge_span span = find_span(op, range);
    sedge_buffer *const mean = fields->residual, *const half = fields->u[1];
    sedge_buffer *const halves = op->predictor.halves;

    if (range->finer) { // the brackets of the whole step need the place of `half`
        SEDGE_TRY(
            predict_span(op, fields, (sedge_buffer *const[]){half, mean}, stream, range, 0.5 * dt));
        SEDGE_TRY(copy_states(op, stream, halves, place, half, span.first, span.count));
    }
    SEDGE_TRY(predict_span(op, fields, (sedge_buffer *const[]){mean, half}, stream, range, dt));
    if (!range->finer) return SEDGE_OK;
    return copy_states(op, stream, half, span.first, halves, place, span.count);
}

sedge_status operator_predict_curved(sedge_operator *op, const operator_fields *fields,
                                     sedge_stream *stream, bool halo, int level, double dt)
{
    plain_run run = {.halves = 0};
    int64_t place = 0;

    for (int r = 0; r < op->mesh->range_count; r++) {
        const sedge_range *const range = &op->mesh->ranges[r];
        const int64_t own_place = place;
        place += count_halves(op, range);
        if (!range->curved || range->halo != halo || range->level != level) continue;
        if (predicts_plain(op, range)) {
            const sedge_span span = find_span(op, range);
            if (run.span.count == 0) run.span = (sedge_span){span.first, 0, span.first_curve};
            run.span.count += span.count;
            if (range->finer) run.halves += span.count;
            continue;
        }
        SEDGE_TRY(predict_plain(op, fields, stream, &run, level, dt));
        run = (plain_run){.halves = 0};
        SEDGE_TRY(predict_range(op, fields, stream, range, own_place, dt));
    }
    return predict_plain(op, fields, stream, &run, level, dt);
}

sedge_status operator_predict_all_curved(sedge_operator *op, const operator_fields *fields,
                                         sedge_stream *stream, double dt)
{
    if (sedge_mesh_curved(op->mesh) == 0) return SEDGE_OK;
    if (!operator_products_predict(op->problem, op->layout.basis)) return SEDGE_OK;
    for (int level = 0; level < op->mesh->levels; level++) {
        SEDGE_TRY(operator_predict_curved(op, fields, stream, true, level, dt));
        SEDGE_TRY(operator_predict_curved(op, fields, stream, false, level, dt));
    }
    return SEDGE_OK;
}
