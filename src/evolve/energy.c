#include "evolve/energy.h"

#include "base/memory.h"
#include "dg/response.h"
#include "evolve/face_energy.h"
#include "layout/slots.h"
#include "layout/upload.h"
#include "operator/curved.h"
#include "operator/fields.h"
#include "operator/launch.h"
#include "operator/parts.h"
#include "operator/program.h"

struct evolve_energy {
    sedge_operator *op;
    sedge_buffer *mass;          // [nodes][nodes] of the layout's basis
    sedge_buffer *half_jacobian; // [slots] J / 2; 0 in curved elements, which the kernels of their
                                 // own count
    sedge_buffer *weights;       // [materials][fields] of squares; or [fields][fields]
    sedge_buffer *memory[SEDGE_MAX_KINDS + 1]; // of the operator's terms, [volumes][components] of
                                               // squares; NULL: the energy is not known
    evolve_face_energy faces;                  // of the memory of boundary faces
    sedge_buffer *counts;                      // [slots] as the sum's kernel reads them
    sedge_buffer *slots[2];                    // [slots] energies: measured last, and kept
    int now;                                   // the former
    sedge_buffer *sums;                        // [blocks][3]
    double *sums_here;                         // the same, pinned
    int64_t blocks, each;                      // of the sum: their number, the slots of one
    int batches;                               // that a block measures
    sedge_event *summed;                       // `sums_here` has them
};

#define SUM_BLOCKS 128 // blocks of the sum at most
#define SUM_SLOTS  512 // slots of a block at least

static sedge_status upload_mass(evolve_energy *energy)
{
    const sedge_operator *const op = energy->op;
    const bool nodal = op->layout.basis == SEDGE_NODAL;
    const int64_t nodes = op->element->nodes;

    return sedge_upload_reals(&energy->mass, op->device, op->layout.real_bytes,
                              nodal ? op->element->mass : op->bernstein->mass, nodes * nodes);
}

static sedge_status upload_half_jacobian(evolve_energy *energy)
{
    const sedge_operator *const op = energy->op;
    double *list = NULL;

    SEDGE_TRY(sedge_allocate(&list, op->data.slots.count, sizeof *list));
    for (int32_t e = 0; e < op->mesh->elements; e++) {
        const double volume = sedge_tet_volume(op->mesh->corners[e]);
        const bool curved = sedge_mesh_curve(op->mesh, e) >= 0;
        list[sedge_slot(&op->data.slots, e)] = curved ? 0.0 : 3.0 * volume / 8.0;
    }
    return sedge_upload(&energy->half_jacobian, op->device, list, op->data.slots.count,
                        sizeof *list);
}

static sedge_status upload_weights(evolve_energy *energy)
{
    const sedge_problem *const problem = energy->op->problem;
    const bool matrix = sedge_response_multiplies(problem);
    const int fields = problem->equation->fields;
    const int64_t count = matrix ? (int64_t)fields * fields : fields;
    double *list = NULL;

    SEDGE_TRY(sedge_allocate(&list, problem->volumes * count, sizeof *list));
    for (int i = 0; i < problem->volumes; i++) {
        if (matrix) {
            sedge_response_energy(list + i * count, problem, i);
        } else {
            problem->equation->energy(problem->materials[i], list + i * count);
        }
    }
    return sedge_upload(&energy->weights, energy->op->device, list, problem->volumes * count,
                        sizeof *list);
}

// Of the i-th of the operator's terms.
static sedge_status upload_memory_weights(evolve_energy *energy, int i)
{
    const sedge_problem *const problem = energy->op->problem;
    const sedge_term *const term = energy->op->terms.term[i].term.term;
    const int64_t components = energy->op->terms.term[i].term.memory;
    double *list = NULL;

    if (term == NULL || !sedge_term_stores_energy(term)) return SEDGE_OK;
    SEDGE_TRY(sedge_allocate(&list, problem->volumes * components, sizeof *list));
    for (int v = 0; v < problem->volumes; v++) {
        for (int p = 0; p < term->poles && term->present[v]; p++) {
            double *const weights = list + v * components + (ptrdiff_t)p * term->kind->memory;
            sedge_term_energy(weights, problem, term, v, p);
        }
    }
    return sedge_upload(&energy->memory[i], energy->op->device, list, problem->volumes * components,
                        sizeof *list);
}

static sedge_status upload_counts(evolve_energy *energy)
{
    const sedge_operator *const op = energy->op;
    int32_t *list = NULL;

    SEDGE_TRY(sedge_allocate(&list, op->data.slots.count, sizeof *list));
    for (int32_t e = 0; e < op->mesh->elements; e++)
        list[sedge_slot(&op->data.slots, e)] = sedge_mesh_in_layer(op->mesh, e) ? 2 : 1;
    return sedge_upload(&energy->counts, op->device, list, op->data.slots.count, sizeof *list);
}

static sedge_status make_buffers(evolve_energy *energy)
{
    const sedge_operator *const op = energy->op;

    SEDGE_TRY(upload_mass(energy));
    SEDGE_TRY(upload_half_jacobian(energy));
    SEDGE_TRY(upload_weights(energy));
    for (int i = 0; i < op->terms.count; i++) SEDGE_TRY(upload_memory_weights(energy, i));
    SEDGE_TRY(evolve_face_energy_create(&energy->faces, op));
    SEDGE_TRY(upload_counts(energy));
    for (int i = 0; i < 2; i++) {
        SEDGE_TRY(sedge_buffer_create(&energy->slots[i], op->device,
                                      op->data.slots.count * (int64_t)sizeof(double)));
    }
    energy->each = op->data.slots.count / SUM_BLOCKS + 1;
    if (energy->each < SUM_SLOTS) energy->each = SUM_SLOTS;
    energy->blocks = (op->data.slots.count + energy->each - 1) / energy->each;
    const int64_t bytes = 3 * energy->blocks * (int64_t)sizeof(double);
    SEDGE_TRY(sedge_buffer_create(&energy->sums, op->device, bytes));
    SEDGE_TRY(sedge_pinned_allocate(&energy->sums_here, op->device, bytes));
    return sedge_event_create(&energy->summed, op->device);
}

sedge_status evolve_energy_create(evolve_energy **out, sedge_operator *op)
{
    evolve_energy *energy = NULL;

    *out = NULL;
    SEDGE_TRY(sedge_allocate(&energy, 1, sizeof *energy));
    energy->op = op;
    const operator_target target = operator_target_of(op);
    energy->batches = operator_energy_choose(&target).each;
    const sedge_status status = make_buffers(energy);
    if (status == SEDGE_OK) {
        *out = energy;
    } else {
        evolve_energy_free(energy);
    }
    return status;
}

void evolve_energy_free(evolve_energy *energy)
{
    if (energy == NULL) return;
    sedge_buffer_free(energy->mass);
    sedge_buffer_free(energy->half_jacobian);
    sedge_buffer_free(energy->weights);
    for (int i = 0; i < energy->op->terms.count; i++) sedge_buffer_free(energy->memory[i]);
    evolve_face_energy_clear(&energy->faces);
    sedge_buffer_free(energy->counts);
    for (int i = 0; i < 2; i++) sedge_buffer_free(energy->slots[i]);
    sedge_buffer_free(energy->sums);
    sedge_pinned_release(energy->op->device, energy->sums_here);
    sedge_event_free(energy->summed);
    sedge_release(energy);
}

static int64_t count_blocks(const evolve_energy *energy)
{
    return (energy->op->data.slots.batches + energy->batches - 1) / energy->batches;
}

// All elements as if they were straight, then the curved ones.
static sedge_status launch(const evolve_energy *energy, const operator_fields *fields)
{
    sedge_operator *const op = energy->op;
    uint64_t u = sedge_buffer_address(fields->u[0]);
    uint64_t out = sedge_buffer_address(energy->slots[energy->now]);
    uint64_t mass = sedge_buffer_address(energy->mass);
    uint64_t half_jacobian = sedge_buffer_address(energy->half_jacobian);
    uint64_t material = sedge_buffer_address(op->data.material);
    uint64_t weights = sedge_buffer_address(energy->weights);
    int64_t batches = op->data.slots.batches;
    void *const arguments[] = {&u, &out, &mass, &half_jacobian, &material, &weights, &batches};

    SEDGE_TRY(operator_launch(&op->launcher, KERNEL_ENERGY, op->main, count_blocks(energy),
                              SEDGE_MONITOR_THREADS, arguments, 7));
    return operator_run_curved_energy(op, fields, energy->weights, energy->slots[energy->now]);
}

// Add the energy of the i-th term's memory.
static sedge_status launch_memory(const evolve_energy *energy, const operator_fields *fields, int i)
{
    sedge_operator *const op = energy->op;
    const operator_device_term *const term = &op->terms.term[i];
    uint64_t w = sedge_buffer_address(fields->memory[i].now);
    uint64_t out = sedge_buffer_address(energy->slots[energy->now]);
    uint64_t mass = sedge_buffer_address(energy->mass);
    uint64_t half_jacobian = sedge_buffer_address(energy->half_jacobian);
    uint64_t material = sedge_buffer_address(op->data.material);
    uint64_t places = sedge_buffer_address(term->on_device);
    uint64_t weights = sedge_buffer_address(energy->memory[i]);
    int64_t components = term->term.memory;
    int64_t batches = op->data.slots.batches;
    void *const arguments[] = {&w,      &out,     &mass,       &half_jacobian, &material,
                               &places, &weights, &components, &batches};

    SEDGE_TRY(operator_launch(&op->launcher, KERNEL_MEMORY_ENERGY, op->main, count_blocks(energy),
                              SEDGE_MONITOR_THREADS, arguments, 9));
    return operator_run_curved_memory_energy(op, term, &fields->memory[i], energy->memory[i],
                                             energy->slots[energy->now]);
}

static sedge_status launch_sum(const evolve_energy *energy)
{
    sedge_operator *const op = energy->op;
    uint64_t energies = sedge_buffer_address(energy->slots[energy->now]);
    uint64_t counts = sedge_buffer_address(energy->counts);
    uint64_t sums = sedge_buffer_address(energy->sums);
    int64_t slots = op->data.slots.count;
    int64_t each = energy->each;
    void *const arguments[] = {&energies, &counts, &sums, &slots, &each};

    return operator_launch(&op->launcher, KERNEL_ENERGY_SUM, op->main, energy->blocks,
                           SEDGE_MONITOR_THREADS, arguments, 5);
}

sedge_status evolve_energy_begin(const evolve_energy *energy, const operator_fields *fields)
{
    const sedge_operator *const op = energy->op;

    SEDGE_TRY(launch(energy, fields));
    for (int i = 0; i < op->terms.count; i++)
        if (energy->memory[i] != NULL) SEDGE_TRY(launch_memory(energy, fields, i));
    SEDGE_TRY(
        evolve_face_energy_add(&energy->faces, energy->op, fields, energy->slots[energy->now]));
    SEDGE_TRY(launch_sum(energy));
    SEDGE_TRY(sedge_buffer_download(energy->sums, 0, energy->sums_here,
                                    3 * energy->blocks * (int64_t)sizeof(double), op->main));
    return sedge_event_record(energy->summed, op->main);
}

sedge_status evolve_energy_end(const evolve_energy *energy, sedge_energy_sum *sum)
{
    *sum = (sedge_energy_sum){0};
    SEDGE_TRY(sedge_event_wait(energy->summed));
    for (int64_t b = 0; b < energy->blocks; b++) { // two-sum, as in the kernel
        const double *const block = energy->sums_here + 3 * b;
        const double next = sum->high + block[0];
        const double part = next - sum->high;

        sum->low += (sum->high - (next - part)) + (block[0] - part) + block[1];
        sum->high = next;
        sum->wrong += (int64_t)block[2];
    }
    return SEDGE_OK;
}

void evolve_energy_keep(evolve_energy *energy)
{
    energy->now = 1 - energy->now;
}

sedge_status evolve_energy_get(const evolve_energy *energy, bool kept, double *values)
{
    const sedge_operator *const op = energy->op;
    const sedge_buffer *const from = energy->slots[kept ? 1 - energy->now : energy->now];
    sedge_status status;
    double *slots = NULL;

    SEDGE_TRY(sedge_allocate(&slots, op->data.slots.count, sizeof *slots));
    SEDGE_TRY_GOTO(status, sedge_event_wait(energy->summed));
    SEDGE_TRY_GOTO(
        status,
        sedge_buffer_download(from, 0, slots, op->data.slots.count * (int64_t)sizeof *slots, NULL));
    for (int32_t e = 0; e < op->mesh->elements; e++)
        values[e] = slots[sedge_slot(&op->data.slots, e)];
done:
    sedge_release(slots);
    return status;
}
