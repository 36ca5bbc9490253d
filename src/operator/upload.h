// The device buffers that kernels read beside the fields. Some depend on the layout, some on the
// kernel configuration, some on neither.
#pragma once

#include "operator/parts.h"

// Make and fill the buffers that depend on neither layout nor configuration.
SEDGE_MUST_USE
sedge_status operator_upload(sedge_operator *op);

// Take a layout and make its buffers, instead of those before.
SEDGE_MUST_USE
sedge_status operator_take_layout(sedge_operator *op, const operator_layout *layout);
void operator_data_free(operator_data *data);

// Bytes of each of the fields in the present layout.
int64_t operator_fields_bytes(const sedge_operator *op);

// The operators for op->config.
SEDGE_MUST_USE
sedge_status operator_tables_create(operator_tables *tables, const sedge_operator *op);
void operator_tables_free(operator_tables *tables);
