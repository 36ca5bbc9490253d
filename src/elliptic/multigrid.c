#include "multigrid.h"

#include "base/file.h"
#include "base/memory.h"
#include "dg/dense.h"
#include "elliptic_state.h"
#include "layout/upload.h"
#include "linear/amg.h"
#include "linear/chebyshev.h"
#include "vertices_matrix.h"

#include <string.h>

#define BLOCK_WORDS    24  // sedge_block_entry of dg_elliptic_level.h
#define LEVEL_THREADS  128 // as there
#define LANCZOS_STEPS  10
#define LANCZOS_MARGIN 1.1

// One order. The finest borrows its operator, and its residual and result are the caller's.
typedef struct mg_level {
    sedge_element *element; // NULL: borrowed with the operator
    sedge_elliptic *op;
    sedge_buffer *blocks;
    sedge_buffer *transfer;          // to the order below
    sedge_buffer *residual, *result; // of coarser levels
    const sedge_buffer *right;       // that, or the caller's
    sedge_buffer *work, *change;
    double largest;
} mg_level;

struct sedge_multigrid {
    const sedge_comm *comm;
    sedge_context *context;
    sedge_multigrid_options options;
    int levels;
    mg_level level[SEDGE_ELLIPTIC_ORDER_MAX]; // finest first

    sedge_vertices *vertices;
    sedge_amg *amg;
    sedge_buffer *corner_offsets, *corners, *corner_vertex; // between order 1 and the vertices
    sedge_buffer *vertex_values;
    double *host_values; // pinned, [vertices here]
    double *host_result; // [own vertices]
    double setup_seconds;
};

sedge_multigrid_options sedge_multigrid_defaults(void)
{
    return (sedge_multigrid_options){.degree = 2, .ratio = 6.0};
}

// ---- blocks ------------------------------------------------------------------------------------

// out[n * BLOCK_WORDS + place] = factor a[n] for all entries.
static void put_matrix(double *list, const double *a, int nodes, int place, bool transposed)
{
    for (int i = 0; i < nodes; i++) {
        for (int m = 0; m < nodes; m++) {
            list[(int64_t)(i * nodes + m) * BLOCK_WORDS + place] +=
                transposed ? a[m * nodes + i] : a[i * nodes + m];
        }
    }
}

// K_jk = D_j^T M D_k. `work` [2][nodes][nodes].
static void put_stiffness(double *list, const sedge_element *element, double *work)
{
    static const int pairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    const int nodes = element->nodes;
    double *const product = work + (int64_t)nodes * nodes;

    for (int k = 0; k < 6; k++) {
        sedge_dense_multiply(work, element->mass, false, element->derivative[pairs[k][1]], false,
                             nodes, nodes, nodes);
        sedge_dense_multiply(product, element->derivative[pairs[k][0]], true, work, false, nodes,
                             nodes, nodes);
        put_matrix(list, product, nodes, k, false);
        if (k >= 3) put_matrix(list, product, nodes, k, true);
    }
}

// E M_f D_k, made symmetric, and E M_f E^T, of each face. `work` [2][nodes][nodes].
static void put_faces(double *list, const sedge_element *element, double *work)
{
    const int nodes = element->nodes;
    const int nf = element->face_nodes;
    double *const product = work + (int64_t)nodes * nodes;

    for (int f = 0; f < SEDGE_FACES; f++) {
        memset(work, 0, (size_t)nodes * (size_t)nodes * sizeof *work);
        for (int i = 0; i < nf; i++) {
            for (int m = 0; m < nf; m++) {
                work[element->face_node[f * nf + i] * nodes + element->face_node[f * nf + m]] =
                    element->face_mass[i * nf + m];
            }
        }
        put_matrix(list, work, nodes, 18 + f, false);
        for (int k = 0; k < 3; k++) {
            sedge_dense_multiply(product, work, false, element->derivative[k], false, nodes, nodes,
                                 nodes);
            put_matrix(list, product, nodes, 6 + 3 * f + k, false);
            put_matrix(list, product, nodes, 6 + 3 * f + k, true);
        }
    }
}

static sedge_status make_blocks(mg_level *level)
{
    sedge_elliptic *const op = level->op;
    const int64_t size = (int64_t)op->element->nodes * op->element->nodes;
    sedge_status status;
    double *list = NULL;
    double *work = NULL;
    sedge_buffer *entries = NULL;

    SEDGE_TRY_GOTO(status, sedge_allocate(&list, size * BLOCK_WORDS, sizeof *list));
    SEDGE_TRY_GOTO(status, sedge_allocate(&work, 2 * size, sizeof *work));
    put_stiffness(list, op->element, work);
    put_faces(list, op->element, work);
    SEDGE_TRY_GOTO(status, sedge_upload_reals(&entries, op->device, op->config.real_bytes, list,
                                              size * BLOCK_WORDS));
    SEDGE_TRY_GOTO(status,
                   sedge_buffer_create(&level->blocks, op->device,
                                       op->slots.count * size * op->config.real_bytes + 16));
    SEDGE_TRY_GOTO(status,
                   SEDGE_LAUNCH(op->kernel[ELLIPTIC_BLOCKS], NULL, op->slots.batches,
                                sedge_buffer_argument(level->blocks),
                                sedge_buffer_argument(op->geometry),
                                sedge_buffer_argument(op->links), sedge_buffer_argument(entries),
                                sedge_int64_argument(op->mesh->halo_faces)));
done:
    sedge_buffer_free(entries);
    sedge_release(work);
    sedge_release(list);
    return status;
}

// ---- smoothing ---------------------------------------------------------------------------------

static int64_t smooth_blocks(const sedge_elliptic *op)
{
    return (op->slots.batches + op->config.smooth_block - 1) / op->config.smooth_block;
}

// change = keep change + step B r; x = change, or x + change.
static sedge_status run_smooth(const mg_level *level, sedge_stream *stream, const sedge_buffer *r,
                               sedge_buffer *x, double keep, double step, bool fresh)
{
    const sedge_elliptic *const op = level->op;

    return SEDGE_LAUNCH(op->kernel[ELLIPTIC_SMOOTH], stream, smooth_blocks(op),
                        sedge_buffer_argument(level->blocks), sedge_buffer_argument(r),
                        sedge_buffer_argument(level->change), sedge_buffer_argument(x),
                        sedge_int64_argument(op->slots.batches), elliptic_real(op, keep),
                        elliptic_real(op, step), sedge_int32_argument(fresh));
}

// Block-Jacobi itself, for the estimate of the largest eigenvalue.
static sedge_status apply_blocks(void *context, sedge_stream *stream, const sedge_buffer *r,
                                 sedge_buffer *z)
{
    return run_smooth(context, stream, r, z, 0.0, 1.0, true);
}

// Chebyshev's iteration for A x = r over the blocks, from 0 (fresh) or from x.
static sedge_status smooth(const sedge_multigrid *mg, const mg_level *level, sedge_stream *stream,
                           const sedge_buffer *r, sedge_buffer *x, bool fresh)
{
    const double high = level->largest;
    const double low = high / mg->options.ratio;
    const double centre = 0.5 * (high + low);
    const double half = 0.5 * (high - low);
    double rho = half / centre;

    for (int k = 0; k < mg->options.degree; k++) {
        const bool first = k == 0;
        const sedge_buffer *residual = r;
        if (!first || !fresh) {
            SEDGE_TRY(sedge_elliptic_residual(level->op, stream, r, x, level->work));
            residual = level->work;
        }
        const double next = first ? rho : 1.0 / (2.0 * centre / half - rho);
        SEDGE_TRY(run_smooth(level, stream, residual, x, first ? 0.0 : next * rho,
                             first ? 1.0 / centre : 2.0 * next / half, first && fresh));
        rho = next;
    }
    return SEDGE_OK;
}

// ---- the vertices ------------------------------------------------------------------------------

// The entries of order 1's vectors by vertex.
static sedge_status make_corner_lists(sedge_multigrid *mg)
{
    const sedge_elliptic *const op = mg->level[mg->levels - 1].op;
    const sedge_vertices_view view = sedge_vertices_get(mg->vertices);
    const int64_t corners = 4 * (int64_t)op->mesh->elements;
    const int64_t rows = sedge_elliptic_rows(op);
    sedge_status status;
    int64_t *offsets = NULL;
    int64_t *list = NULL;
    int32_t *vertex = NULL;

    SEDGE_TRY_GOTO(status, sedge_allocate(&offsets, view.count + 2, sizeof *offsets));
    SEDGE_TRY_GOTO(status, sedge_allocate(&list, corners + 1, sizeof *list));
    SEDGE_TRY_GOTO(status, sedge_allocate(&vertex, rows + 1, sizeof *vertex));
    for (int64_t i = 0; i < rows; i++) vertex[i] = -1;
    for (int64_t i = 0; i < corners; i++) offsets[view.corner[i] + 2]++;
    for (int32_t v = 0; v < view.count; v++) offsets[v + 2] += offsets[v + 1];
    for (int64_t i = 0; i < corners; i++) { // node v of order 1 is vertex v
        const int64_t at = elliptic_index(op, (int32_t)(i / 4), (int)(i % 4));
        list[offsets[view.corner[i] + 1]++] = at;
        vertex[at] = view.corner[i];
    }
    status =
        sedge_upload(&mg->corner_offsets, op->device, offsets, view.count + 2, sizeof *offsets);
    offsets = NULL;
    if (status == SEDGE_OK) {
        status = sedge_upload(&mg->corners, op->device, list, corners + 1, sizeof *list);
        list = NULL;
    }
    if (status == SEDGE_OK) {
        status = sedge_upload(&mg->corner_vertex, op->device, vertex, rows + 1, sizeof *vertex);
        vertex = NULL;
    }
done:
    sedge_release(offsets);
    sedge_release(list);
    sedge_release(vertex);
    return status;
}

static sedge_status make_vertex_buffers(sedge_multigrid *mg)
{
    const sedge_vertices_view view = sedge_vertices_get(mg->vertices);
    const int64_t bytes = view.count * (int64_t)sizeof(double);

    SEDGE_TRY(make_corner_lists(mg));
    SEDGE_TRY(
        sedge_buffer_create(&mg->vertex_values, sedge_context_device(mg->context), bytes + 16));
    SEDGE_TRY(
        sedge_pinned_allocate(&mg->host_values, sedge_context_device(mg->context), bytes + 16));
    return sedge_allocate(&mg->host_result, view.owned, sizeof *mg->host_result);
}

// Add alpha e e^T for the first vertex: where constants are the null space, the matrix becomes
// definite, and its inverse, of sums that are zero, is A's but for a constant. (GAMG factors a
// coarsest matrix, which must not be singular.)
static void pin_first_vertex(sedge_matrix *matrix)
{
    if (matrix->first > 0 || matrix->rows == 0) return;
    for (int64_t k = 0; k < matrix->offsets[1]; k++)
        if (matrix->columns[k] == 0) matrix->values[k] *= 2.0;
}

// Collective.
static sedge_status make_vertices(sedge_multigrid *mg, const sedge_mesh *mesh,
                                  const sedge_problem *problem)
{
    sedge_status status;
    sedge_matrix *matrix = NULL;

    SEDGE_TRY_GOTO(status, sedge_vertices_create(&mg->vertices, mg->comm, mesh));
    SEDGE_TRY_GOTO(status, sedge_vertices_matrix(&matrix, mg->vertices, mg->comm, mesh, problem));
    if (!sedge_elliptic_is_fixed(mg->comm, mesh, problem)) pin_first_vertex(matrix);
    SEDGE_TRY_GOTO(status, sedge_amg_create(&mg->amg, mg->comm, matrix));
    SEDGE_TRY_GOTO(status, sedge_comm_agree(mg->comm, make_vertex_buffers(mg)));
done:
    sedge_matrix_free(matrix);
    return status;
}

// result += P AMG(P^T r) of order 1.
static sedge_status run_vertices(sedge_multigrid *mg, sedge_stream *stream, const sedge_buffer *r,
                                 sedge_buffer *result)
{
    const sedge_elliptic *const op = mg->level[mg->levels - 1].op;
    const sedge_vertices_view view = sedge_vertices_get(mg->vertices);
    const int64_t bytes = view.count * (int64_t)sizeof(double);
    const int64_t rows = sedge_elliptic_rows(op);

    SEDGE_TRY(SEDGE_LAUNCH(op->kernel[ELLIPTIC_RESTRICT], stream,
                           (view.count + LEVEL_THREADS - 1) / LEVEL_THREADS,
                           sedge_buffer_argument(r), sedge_buffer_argument(mg->vertex_values),
                           sedge_buffer_argument(mg->corner_offsets),
                           sedge_buffer_argument(mg->corners), sedge_int64_argument(view.count)));
    SEDGE_TRY(sedge_buffer_download(mg->vertex_values, 0, mg->host_values, bytes, stream));
    SEDGE_TRY(sedge_stream_wait(stream));
    sedge_vertices_sum(mg->vertices, mg->host_values);
    SEDGE_TRY(sedge_amg_apply(mg->amg, mg->host_values, mg->host_result));
    memcpy(mg->host_values, mg->host_result, (size_t)view.owned * sizeof(double));
    sedge_vertices_spread(mg->vertices, mg->host_values);
    SEDGE_TRY(sedge_buffer_upload(mg->vertex_values, 0, mg->host_values, bytes, stream));
    return SEDGE_LAUNCH(op->kernel[ELLIPTIC_PROLONG], stream,
                        (rows + LEVEL_THREADS - 1) / LEVEL_THREADS, sedge_buffer_argument(result),
                        sedge_buffer_argument(mg->vertex_values),
                        sedge_buffer_argument(mg->corner_vertex), sedge_int64_argument(rows));
}

// ---- the cycle ---------------------------------------------------------------------------------

static sedge_status run_transfer(const mg_level *level, elliptic_kernel kernel,
                                 sedge_stream *stream, const sedge_buffer *from, sedge_buffer *to)
{
    return SEDGE_LAUNCH(level->op->kernel[kernel], stream, smooth_blocks(level->op),
                        sedge_buffer_argument(from), sedge_buffer_argument(to),
                        sedge_buffer_argument(level->transfer),
                        sedge_int64_argument(level->op->slots.batches));
}

static sedge_status go_down(sedge_multigrid *mg, int k, sedge_stream *stream)
{
    const mg_level *const level = &mg->level[k];

    SEDGE_TRY(smooth(mg, level, stream, level->right, level->result, true));
    SEDGE_TRY(sedge_elliptic_residual(level->op, stream, level->right, level->result, level->work));
    if (k + 1 == mg->levels) return run_vertices(mg, stream, level->work, level->result);
    return run_transfer(level, ELLIPTIC_RESTRICT, stream, level->work, mg->level[k + 1].residual);
}

static sedge_status go_up(sedge_multigrid *mg, int k, sedge_stream *stream)
{
    const mg_level *const level = &mg->level[k];

    if (k + 1 < mg->levels) {
        SEDGE_TRY(
            run_transfer(level, ELLIPTIC_PROLONG, stream, mg->level[k + 1].result, level->result));
    }
    return smooth(mg, level, stream, level->right, level->result, false);
}

static sedge_status run_cycle(sedge_multigrid *mg, sedge_stream *stream)
{
    for (int k = 0; k < mg->levels; k++) SEDGE_TRY(go_down(mg, k, stream));
    for (int k = mg->levels - 1; k >= 0; k--) SEDGE_TRY(go_up(mg, k, stream));
    return SEDGE_OK;
}

sedge_status sedge_multigrid_apply(sedge_multigrid *multigrid, sedge_stream *stream,
                                   const sedge_buffer *r, sedge_buffer *z)
{
    mg_level *const finest = &multigrid->level[0];

    finest->right = r;
    finest->result = z;
    const sedge_status status = run_cycle(multigrid, stream);
    finest->right = NULL;
    finest->result = NULL;
    return status;
}

static sedge_status apply_preconditioner(void *context, sedge_stream *stream, const sedge_buffer *r,
                                         sedge_buffer *z)
{
    return sedge_multigrid_apply(context, stream, r, z);
}

sedge_krylov_preconditioner sedge_multigrid_as_preconditioner(sedge_multigrid *multigrid)
{
    return (sedge_krylov_preconditioner){
        .context = multigrid, .apply = apply_preconditioner, .waits = true};
}

// ---- creation ----------------------------------------------------------------------------------

// Values of the Lagrange functions of the order below at this order's nodes.
static sedge_status make_transfer(mg_level *level)
{
    const sedge_element *const element = level->op->element;
    const int coarse_nodes = level->op->config.coarse_nodes;
    sedge_status status;
    sedge_element *coarse = NULL;
    double *list = NULL;

    SEDGE_TRY_GOTO(status, sedge_element_create(&coarse, element->order - 1));
    SEDGE_TRY_GOTO(status,
                   sedge_allocate(&list, (int64_t)element->nodes * coarse_nodes, sizeof *list));
    for (int n = 0; n < element->nodes; n++) {
        SEDGE_TRY_GOTO(status,
                       sedge_element_interpolate(coarse, element->r[n], element->s[n],
                                                 element->t[n], list + (int64_t)n * coarse_nodes));
    }
    SEDGE_TRY_GOTO(status, sedge_upload_reals(&level->transfer, level->op->device,
                                              level->op->config.real_bytes, list,
                                              (int64_t)element->nodes * coarse_nodes));
done:
    sedge_release(list);
    sedge_element_free(coarse);
    return status;
}

static sedge_status make_level_buffers(mg_level *level, bool finest)
{
    SEDGE_TRY(sedge_elliptic_vector(&level->work, level->op));
    SEDGE_TRY(sedge_elliptic_vector(&level->change, level->op));
    if (!finest) {
        SEDGE_TRY(sedge_elliptic_vector(&level->residual, level->op));
        SEDGE_TRY(sedge_elliptic_vector(&level->result, level->op));
        level->right = level->residual;
    }
    if (level->op->config.coarse_nodes > 0) SEDGE_TRY(make_transfer(level));
    return make_blocks(level);
}

// Pseudo-random numbers by the mesh's, the same on any number of ranks; 0 in empty slots, whose
// reference elements have nothing to do with the mesh.
static sedge_status make_start(sedge_buffer **out, const sedge_elliptic *op)
{
    const int nodes = op->element->nodes;
    const int64_t elements = op->mesh->elements;
    sedge_status status;
    double *u = NULL;

    SEDGE_TRY_GOTO(status, sedge_elliptic_vector(out, op));
    SEDGE_TRY_GOTO(status, sedge_allocate(&u, elements * nodes, sizeof *u));
    for (int64_t i = 0; i < elements * nodes; i++)
        u[i] = sedge_krylov_random(op->mesh->global_ids[i / nodes] * nodes + i % nodes);
    status = sedge_elliptic_upload(op, *out, u);
done:
    sedge_release(u);
    return status;
}

// The largest eigenvalue of the blocks' inverse times A. It is near 2. Collective.
static sedge_status estimate(sedge_multigrid *mg, mg_level *level)
{
    const sedge_krylov_operator operator= sedge_elliptic_as_operator(level->op);
    const sedge_krylov_preconditioner inner = {.context = level, .apply = apply_blocks};
    sedge_buffer *start = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_comm_agree(mg->comm, make_start(&start, level->op)));
    SEDGE_TRY_GOTO(status, sedge_krylov_largest(&level->largest, mg->context, mg->comm,
                                                level->op->config.real_bytes,
                                                sedge_elliptic_rows(level->op), &operator, & inner,
                                                start, LANCZOS_STEPS));
    level->largest *= LANCZOS_MARGIN;
done:
    sedge_buffer_free(start);
    return status;
}

// Collective.
static sedge_status make_level(sedge_multigrid *mg, int k, const sedge_mesh *mesh,
                               const sedge_problem *problem, sedge_elliptic *finest)
{
    const sedge_elliptic_options options = {.item_nodes = 0};
    mg_level *const level = &mg->level[k];

    level->op = finest;
    if (k > 0) {
        SEDGE_TRY(sedge_comm_agree(
            mg->comm, sedge_element_create(&level->element, finest->element->order - k)));
        SEDGE_TRY(sedge_elliptic_create(&level->op, mg->comm, mg->context, level->element, mesh,
                                        problem, &options));
    }
    SEDGE_TRY(sedge_comm_agree(mg->comm, make_level_buffers(level, k == 0)));
    return estimate(mg, level);
}

sedge_status sedge_multigrid_create(sedge_multigrid **out, const sedge_comm *comm,
                                    sedge_context *context, const sedge_mesh *mesh,
                                    const sedge_problem *problem, sedge_elliptic *finest,
                                    const sedge_multigrid_options *options)
{
    const double began = sedge_clock();
    sedge_status status;
    sedge_multigrid *mg = NULL;

    *out = NULL;
    if (options->degree < 1 || !(options->ratio > 1.0)) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "multigrid of degree %d and ratio %g: the degree is at least 1, the "
                          "ratio above 1",
                          options->degree, options->ratio);
    }
    SEDGE_TRY(sedge_comm_agree(comm, sedge_allocate(&mg, 1, sizeof *mg)));
    mg->comm = comm;
    mg->context = context;
    mg->options = *options;
    mg->levels = finest->element->order;
    for (int k = 0; k < mg->levels; k++)
        SEDGE_TRY_GOTO(status, make_level(mg, k, mesh, problem, finest));
    SEDGE_TRY_GOTO(status, make_vertices(mg, mesh, problem));
    mg->setup_seconds = sedge_clock() - began;
    *out = mg;
    mg = NULL;
done:
    sedge_multigrid_free(mg);
    return status;
}

void sedge_multigrid_free(sedge_multigrid *multigrid)
{
    if (multigrid == NULL) return;
    sedge_buffer *const shared[] = {multigrid->corner_offsets, multigrid->corners,
                                    multigrid->corner_vertex, multigrid->vertex_values};

    // What failed before stays the message: a wait that fails too has nothing to add.
    (void)!sedge_stream_wait(sedge_context_stream(multigrid->context));
    sedge_amg_free(multigrid->amg);
    sedge_vertices_free(multigrid->vertices);
    for (size_t i = 0; i < sizeof shared / sizeof shared[0]; i++) sedge_buffer_free(shared[i]);
    sedge_pinned_release(sedge_context_device(multigrid->context), multigrid->host_values);
    sedge_release(multigrid->host_result);
    for (int k = 0; k < multigrid->levels; k++) {
        mg_level *const level = &multigrid->level[k];
        sedge_buffer *const buffers[] = {level->blocks, level->transfer, level->residual,
                                         level->result, level->work,     level->change};
        for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
            sedge_buffer_free(buffers[i]);
        if (k > 0) sedge_elliptic_free(level->op);
        sedge_element_free(level->element);
    }
    sedge_release(multigrid);
}

sedge_multigrid_info sedge_multigrid_get_info(const sedge_multigrid *multigrid)
{
    const sedge_amg_counts amg = sedge_amg_get_counts(multigrid->amg);
    sedge_multigrid_info info = {.levels = multigrid->levels,
                                 .vertices = sedge_vertices_get(multigrid->vertices).size,
                                 .amg_levels = amg.levels,
                                 .setup_seconds = multigrid->setup_seconds,
                                 .amg_seconds = amg.seconds};

    for (int k = 0; k < multigrid->levels; k++) {
        info.largest[k] = multigrid->level[k].largest;
        info.block_bytes += (double)sedge_buffer_bytes(multigrid->level[k].blocks);
    }
    return info;
}

int64_t sedge_multigrid_memory(int order, sedge_precision precision, int64_t elements)
{
    const int64_t real = sedge_real_bytes(precision);
    int64_t words = 0;

    for (int n = 1; n <= order; n++) {
        const int64_t nodes = (int64_t)(n + 1) * (n + 2) * (n + 3) / 6;
        const int64_t points = 2 * (int64_t)(n + 1) * (n + 2);
        words += nodes * nodes + 4 * nodes + points + 16;
    }
    return elements * (words * real + (int64_t)order * 32);
}
