// The state, into the device's layout, precision and basis, and out of it.
#include "dg/operator_internal.h"

#include <string.h>

sedge_status operator_bernstein_need(sedge_operator *op)
{
    return op->bernstein != NULL ? SEDGE_OK : sedge_bernstein_create(&op->bernstein, op->element);
}

void operator_convert(const sedge_operator *op, sedge_basis to, sedge_basis from, double *values,
                      double *work, int64_t rows)
{
    if (to == from) return;
    memcpy(work, values, (size_t)(rows * op->element->nodes) * sizeof *work);
    sedge_bernstein_convert(op->bernstein, to, values, work, rows);
}

sedge_basis sedge_operator_basis(const sedge_operator *op)
{
    return op->layout.basis;
}

// One element's fields, twice: to convert them.
typedef struct element_rows {
    double *values; // [fields][nodes]
    double *work;
    void *state; // all of this rank, as on the device
} element_rows;

static sedge_status make_rows(element_rows *rows, sedge_operator *op, sedge_basis other)
{
    const int64_t fields = op->problem->equation->fields;

    memset(rows, 0, sizeof *rows);
    if (other != op->layout.basis) SEDGE_TRY(operator_bernstein_need(op));
    SEDGE_TRY(sedge_allocate(&rows->values, 2 * fields * op->element->nodes, sizeof(double)));
    rows->work = rows->values + fields * op->element->nodes;
    return sedge_allocate(&rows->state, op->layout.slots * fields * op->layout.nodes_padded,
                          (size_t)op->layout.real_bytes);
}

static void release_rows(const element_rows *rows)
{
    sedge_release(rows->values);
    sedge_release(rows->state);
}

// One element's values into the state, and out of it; as operator_index says, without its divisions
// for each of them.
static void put_rows(const sedge_operator *op, void *state, int64_t slot, const double *values)
{
    const int64_t lanes = op->layout.lanes;
    const int fields = op->problem->equation->fields;
    const int nodes = op->element->nodes;
    const int64_t first = operator_index(op, slot, 0, 0);

    for (int n = 0; n < nodes; n++) {
        for (int f = 0; f < fields; f++) {
            const int64_t at = first + (int64_t)(n * fields + f) * lanes;
            operator_put(op, state, at, values[f * nodes + n]);
        }
    }
}

static void fetch_rows(const sedge_operator *op, const void *state, int64_t slot, double *values)
{
    const int64_t lanes = op->layout.lanes;
    const int fields = op->problem->equation->fields;
    const int nodes = op->element->nodes;
    const int64_t first = operator_index(op, slot, 0, 0);

    for (int n = 0; n < nodes; n++) {
        for (int f = 0; f < fields; f++) {
            const int64_t at = first + (int64_t)(n * fields + f) * lanes;
            values[f * nodes + n] = operator_fetch(op, state, at);
        }
    }
}

sedge_status sedge_operator_set_in(sedge_operator *op, sedge_basis basis, const double *u)
{
    const int fields = op->problem->equation->fields;
    const int nodes = op->element->nodes;
    element_rows rows;
    sedge_status status;

    SEDGE_TRY_GOTO(status, make_rows(&rows, op, basis));
    for (int32_t e = 0; e < op->mesh->elements; e++) {
        const int64_t slot = operator_slot(op, e);
        memcpy(rows.values, u + (int64_t)e * fields * nodes,
               (size_t)(fields * nodes) * sizeof *rows.values);
        operator_convert(op, op->layout.basis, basis, rows.values, rows.work, fields);
        put_rows(op, rows.state, slot, rows.values);
    }
    SEDGE_TRY_GOTO(status, sedge_operator_wait(op));
    status =
        sedge_buffer_upload(op->data.u[0], 0, rows.state, sedge_buffer_bytes(op->data.u[0]), NULL);
done:
    release_rows(&rows);
    return status;
}

sedge_status sedge_operator_get_in(sedge_operator *op, sedge_basis basis, double *u)
{
    const int fields = op->problem->equation->fields;
    const int nodes = op->element->nodes;
    element_rows rows;
    sedge_status status;

    SEDGE_TRY_GOTO(status, make_rows(&rows, op, basis));
    SEDGE_TRY_GOTO(status, sedge_operator_wait(op));
    SEDGE_TRY_GOTO(status, sedge_buffer_download(op->data.u[0], 0, rows.state,
                                                 sedge_buffer_bytes(op->data.u[0]), NULL));
    for (int32_t e = 0; e < op->mesh->elements; e++) {
        const int64_t slot = operator_slot(op, e);
        double *const values = u + (int64_t)e * fields * nodes;
        fetch_rows(op, rows.state, slot, values);
        operator_convert(op, basis, op->layout.basis, values, rows.work, fields);
    }
done:
    release_rows(&rows);
    return status;
}

sedge_status sedge_operator_set(sedge_operator *op, const double *u)
{
    return sedge_operator_set_in(op, SEDGE_NODAL, u);
}

sedge_status sedge_operator_get(sedge_operator *op, double *u)
{
    return sedge_operator_get_in(op, SEDGE_NODAL, u);
}
