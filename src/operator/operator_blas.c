// The stage by cuBLAS: fluxes of some elements, one product with all operators, update; then the
// next elements (codegen/kernels/dg/dg_blas.h).
#include "operator/operator_internal.h"

#define BLAS_THREADS 128 // as in dg_blas.h

bool operator_has_blas(const sedge_device_info *info)
{
    return sedge_traits_of(info->kind)->vendor_libraries || info->random_order;
}

sedge_status operator_blas_need(sedge_operator *op)
{
    return op->blas != NULL ? SEDGE_OK : sedge_blas_create(&op->blas, op->device);
}

// Rows filled up to whole packs.
static int fill_up(const operator_layout *layout, int words)
{
    return (words + layout->pack - 1) / layout->pack * layout->pack;
}

void operator_blas_derive(operator_cut *cut, const operator_layout *layout,
                          const sedge_element *element)
{
    cut->threads = BLAS_THREADS;
    cut->flux_words = fill_up(layout, 3 * element->nodes + SEDGE_FACES * element->face_nodes);
    cut->rate_words = fill_up(layout, element->nodes);
    cut->tiles = cut->lift_tiles = element->nodes;
    cut->deriv_width = cut->lift_width = 16 / layout->real_bytes;
    cut->scratch_words = 0;
    cut->scratch_bytes = 0;
}

// The operators [fluxes][rates], with the signs that they have in a right-hand side; and room for
// the fluxes, zero where rows are filled up, and for the rates.
sedge_status operator_blas_tables(operator_tables *tables, const sedge_operator *op)
{
    const sedge_element *const element = op->element;
    const operator_cut *const cut = &op->cut;
    const int nodes = element->nodes;
    const int points = SEDGE_FACES * element->face_nodes;
    const int64_t real = op->layout.real_bytes;
    const int64_t count = (int64_t)cut->flux_words * cut->rate_words;
    const int64_t rows = (int64_t)cut->block * op->problem->equation->fields;
    void *list = NULL;

    SEDGE_TRY(sedge_allocate(&list, count, (size_t)real));
    for (int n = 0; n < nodes; n++) {
        for (int m = 0; m < 3 * nodes; m++) {
            operator_put(op, list, (int64_t)m * cut->rate_words + n,
                         -element->derivative[m / nodes][n * nodes + m % nodes]);
        }
        for (int k = 0; k < points; k++) {
            operator_put(op, list, (int64_t)(3 * nodes + k) * cut->rate_words + n,
                         -element->lift[n * points + k]);
        }
    }
    sedge_status status = sedge_buffer_create(&tables->deriv, op->device, count * real);
    if (status == SEDGE_OK)
        status = sedge_buffer_upload(tables->deriv, 0, list, count * real, NULL);
    sedge_release(list);
    SEDGE_TRY(status);
    SEDGE_TRY(sedge_buffer_create(&tables->lift, op->device, rows * cut->flux_words * real));
    return sedge_buffer_create(&tables->rates, op->device, rows * cut->rate_words * real);
}

// ---- one part ----------------------------------------------------------------------------------

static sedge_status make_fluxes(sedge_operator *op, sedge_stream *stream, int64_t first,
                                int64_t count)
{
    const int64_t items =
        count * (op->element->nodes + SEDGE_FACES * (int64_t)op->element->face_nodes);
    uint64_t u = sedge_buffer_address(op->data.u[0]);
    uint64_t fluxes = sedge_buffer_address(op->tables.lift);
    uint64_t trace = sedge_buffer_address(op->trace);
    uint64_t links = sedge_buffer_address(op->data.links);
    uint64_t geometry = sedge_buffer_address(op->data.geometry);
    uint64_t material = sedge_buffer_address(op->data.material);
    uint64_t materials = sedge_buffer_address(op->materials);
    uint64_t tables = sedge_buffer_address(op->maps);
    int64_t slots = op->layout.slots;
    void *const arguments[] = {&u,         &fluxes, &trace, &links, &geometry, &material,
                               &materials, &tables, &first, &count, &slots};

    return operator_launch(op, KERNEL_FLUXES, stream, (items + BLAS_THREADS - 1) / BLAS_THREADS,
                           BLAS_THREADS, arguments, (int)(sizeof arguments / sizeof arguments[0]));
}

static sedge_status multiply(sedge_operator *op, sedge_stream *stream, int64_t count)
{
    const operator_cut *const cut = &op->cut;
    operator_timing *timing;

    SEDGE_TRY(operator_begin_timing(&timing, op, KERNEL_PRODUCT, stream));
    SEDGE_TRY(sedge_blas_multiply(
        op->blas, stream, op->layout.real_bytes == 8, (int)count * op->problem->equation->fields,
        cut->rate_words, cut->flux_words, sedge_buffer_address(op->tables.lift),
        sedge_buffer_address(op->tables.deriv), sedge_buffer_address(op->tables.rates)));
    return operator_end_timing(op, timing, KERNEL_PRODUCT, stream);
}

static sedge_status update(sedge_operator *op, sedge_stream *stream, int64_t first, int64_t count,
                           const sedge_stage *stage)
{
    const int64_t items = count * op->element->nodes;
    uint64_t u = sedge_buffer_address(op->data.u[0]);
    uint64_t next = sedge_buffer_address(op->data.u[1]);
    uint64_t residual = sedge_buffer_address(op->data.residual);
    uint64_t rates = sedge_buffer_address(op->tables.rates);
    uint64_t material = sedge_buffer_address(op->data.material);
    uint64_t materials = sedge_buffer_address(op->materials);
    operator_real a = operator_scalar(op, stage->a);
    operator_real b = operator_scalar(op, stage->b);
    operator_real step = operator_scalar(op, stage->dt);
    void *const arguments[] = {&u,     &next,  &residual, &rates, &material, &materials,
                               &first, &count, &a,        &b,     &step};

    return operator_launch(op, KERNEL_UPDATE, stream, (items + BLAS_THREADS - 1) / BLAS_THREADS,
                           BLAS_THREADS, arguments, (int)(sizeof arguments / sizeof arguments[0]));
}

sedge_status operator_blas_run(sedge_operator *op, sedge_stream *stream, int64_t first,
                               int64_t count, const sedge_stage *stage)
{
    for (int64_t done = 0; done < count; done += op->cut.block) {
        const int64_t left = count - done;
        const int64_t part = left < op->cut.block ? left : op->cut.block;
        SEDGE_TRY(make_fluxes(op, stream, first + done, part));
        SEDGE_TRY(multiply(op, stream, part));
        SEDGE_TRY(update(op, stream, first + done, part, stage));
    }
    return SEDGE_OK;
}

void operator_blas_count(const sedge_operator *op, operator_kernel kernel, double elements,
                         double *bytes, double *flops)
{
    const double rows = elements * op->problem->equation->fields;
    const double fluxes = rows * op->cut.flux_words * op->layout.real_bytes;
    const double rates = rows * op->cut.rate_words * op->layout.real_bytes;

    if (kernel == KERNEL_FLUXES) {
        *bytes = rates + fluxes + elements * (SEDGE_GEOMETRY_WORDS * op->layout.real_bytes + 32.0);
    } else if (kernel == KERNEL_PRODUCT) {
        *bytes = fluxes + rates;
        *flops = 2.0 * rows * op->cut.flux_words * op->cut.rate_words;
    } else {
        *bytes = 5.0 * rates;
    }
}
