#include "operator/fields.h"

sedge_status operator_fields_create(operator_fields *fields, sedge_device *device, int64_t bytes)
{
    *fields = (operator_fields){.residual = NULL};
    SEDGE_TRY(sedge_buffer_create(&fields->u[0], device, bytes));
    SEDGE_TRY(sedge_buffer_create(&fields->u[1], device, bytes));
    SEDGE_TRY(sedge_buffer_create(&fields->residual, device, bytes));
    return sedge_buffer_create(&fields->clock, device, sizeof(double));
}

void operator_fields_clear(operator_fields *fields)
{
    sedge_buffer_free(fields->u[0]);
    sedge_buffer_free(fields->u[1]);
    sedge_buffer_free(fields->residual);
    sedge_buffer_free(fields->clock);
    *fields = (operator_fields){.residual = NULL};
}

void operator_fields_swap(operator_fields *fields)
{
    sedge_buffer *const swap = fields->u[0];

    fields->u[0] = fields->u[1];
    fields->u[1] = swap;
}
