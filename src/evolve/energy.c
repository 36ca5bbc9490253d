#include "evolve/energy.h"

#include "operator/operator_internal.h"

sedge_status evolve_energy(sedge_operator *op, const operator_fields *fields, double *energy)
{
    uint64_t u = sedge_buffer_address(fields->u[0]);
    uint64_t out = sedge_buffer_address(op->data.energy);
    uint64_t mass = sedge_buffer_address(op->mass);
    uint64_t half_jacobian = sedge_buffer_address(op->data.half_jacobian);
    uint64_t material = sedge_buffer_address(op->data.material);
    uint64_t weights = sedge_buffer_address(op->energy_weights);
    void *const arguments[] = {&u, &out, &mass, &half_jacobian, &material, &weights};
    sedge_status status;
    double *slots = NULL;

    SEDGE_TRY(sedge_allocate(&slots, op->layout.slots, sizeof *slots));
    SEDGE_TRY_GOTO(status, operator_launch(&op->launcher, KERNEL_ENERGY, op->main,
                                           op->layout.values, SEDGE_MONITOR_THREADS, arguments, 6));
    SEDGE_TRY_GOTO(status, operator_run_curved_energy(op, fields));
    SEDGE_TRY_GOTO(status, sedge_stream_wait(op->main));
    SEDGE_TRY_GOTO(status, sedge_buffer_download(op->data.energy, 0, slots,
                                                 op->layout.slots * (int64_t)sizeof *slots, NULL));
    for (int32_t e = 0; e < op->mesh->elements; e++) energy[e] = slots[operator_slot(op, e)];
done:
    sedge_release(slots);
    return status;
}
