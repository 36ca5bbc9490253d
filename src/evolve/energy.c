#include "evolve/energy.h"

#include "base/memory.h"
#include "layout/slots.h"
#include "layout/upload.h"
#include "operator/curved.h"
#include "operator/fields.h"
#include "operator/launch.h"
#include "operator/parts.h"

struct evolve_energy {
    sedge_operator *op;
    sedge_buffer *mass;          // [nodes][nodes] of the layout's basis
    sedge_buffer *half_jacobian; // [slots] J / 2
    sedge_buffer *weights;       // [materials][fields] of each field's square
    sedge_buffer *slots;         // [slots] the result
};

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
    for (int32_t e = 0; e < op->mesh->elements; e++)
        list[sedge_slot(&op->data.slots, e)] = 3.0 * sedge_tet_volume(op->mesh->corners[e]) / 8.0;
    return sedge_upload(&energy->half_jacobian, op->device, list, op->data.slots.count,
                        sizeof *list);
}

static sedge_status upload_weights(evolve_energy *energy)
{
    const sedge_problem *const problem = energy->op->problem;
    const int fields = problem->equation->fields;
    double *list = NULL;

    SEDGE_TRY(sedge_allocate(&list, (int64_t)problem->volumes * fields, sizeof *list));
    for (int i = 0; i < problem->volumes; i++)
        problem->equation->energy(problem->materials[i], list + (size_t)i * (size_t)fields);
    return sedge_upload(&energy->weights, energy->op->device, list,
                        (int64_t)problem->volumes * fields, sizeof *list);
}

static sedge_status make_buffers(evolve_energy *energy)
{
    const sedge_operator *const op = energy->op;

    SEDGE_TRY(upload_mass(energy));
    SEDGE_TRY(upload_half_jacobian(energy));
    SEDGE_TRY(upload_weights(energy));
    return sedge_buffer_create(&energy->slots, op->device,
                               op->data.slots.count * (int64_t)sizeof(double));
}

sedge_status evolve_energy_create(evolve_energy **out, sedge_operator *op)
{
    evolve_energy *energy = NULL;

    *out = NULL;
    SEDGE_TRY(sedge_allocate(&energy, 1, sizeof *energy));
    energy->op = op;
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
    sedge_buffer_free(energy->slots);
    sedge_release(energy);
}

// All elements as if they were straight, then the curved ones.
static sedge_status launch(const evolve_energy *energy, const operator_fields *fields)
{
    sedge_operator *const op = energy->op;
    uint64_t u = sedge_buffer_address(fields->u[0]);
    uint64_t out = sedge_buffer_address(energy->slots);
    uint64_t mass = sedge_buffer_address(energy->mass);
    uint64_t half_jacobian = sedge_buffer_address(energy->half_jacobian);
    uint64_t material = sedge_buffer_address(op->data.material);
    uint64_t weights = sedge_buffer_address(energy->weights);
    void *const arguments[] = {&u, &out, &mass, &half_jacobian, &material, &weights};

    SEDGE_TRY(operator_launch(&op->launcher, KERNEL_ENERGY, op->main, op->data.slots.batches,
                              SEDGE_MONITOR_THREADS, arguments, 6));
    return operator_run_curved_energy(op, fields, energy->weights, energy->slots);
}

sedge_status evolve_energy_measure(const evolve_energy *energy, const operator_fields *fields,
                                   double *values)
{
    const sedge_operator *const op = energy->op;
    sedge_status status;
    double *slots = NULL;

    SEDGE_TRY(sedge_allocate(&slots, op->data.slots.count, sizeof *slots));
    SEDGE_TRY_GOTO(status, launch(energy, fields));
    SEDGE_TRY_GOTO(status, sedge_stream_wait(op->main));
    SEDGE_TRY_GOTO(status,
                   sedge_buffer_download(energy->slots, 0, slots,
                                         op->data.slots.count * (int64_t)sizeof *slots, NULL));
    for (int32_t e = 0; e < op->mesh->elements; e++)
        values[e] = slots[sedge_slot(&op->data.slots, e)];
done:
    sedge_release(slots);
    return status;
}
