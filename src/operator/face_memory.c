#include "operator/face_memory.h"

#include "operator/parts.h"

int operator_memory_list(void **arguments, operator_memory_arguments *values,
                         const sedge_operator *op, const operator_fields *fields,
                         const sedge_stage *stage, int64_t first)
{
    if (fields->faces.now == NULL) return 0;
    *values = (operator_memory_arguments){
        .rows = sedge_buffer_address(op->faces.memory) + (uint64_t)first * sizeof(int32_t),
        .now = sedge_buffer_address(fields->faces.now),
        .residual = sedge_buffer_address(fields->faces.residual),
        .a = operator_scalar(op, stage->a),
        .b = operator_scalar(op, stage->b),
        .dt = operator_scalar(op, stage->dt),
    };
    arguments[0] = &values->rows;
    arguments[1] = &values->now;
    arguments[2] = &values->residual;
    arguments[3] = &values->a;
    arguments[4] = &values->b;
    arguments[5] = &values->dt;
    if (op->faces.memory_normals == NULL) return OPERATOR_MEMORY_ARGUMENTS - 1;
    values->normals = sedge_buffer_address(op->faces.memory_normals);
    arguments[6] = &values->normals;
    return OPERATOR_MEMORY_ARGUMENTS;
}
