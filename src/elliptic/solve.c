#include "solve.h"

#include "base/file.h"
#include "base/memory.h"
#include "elliptic_results_curved.h"
#include "parts.h"

#include <math.h>
#include <string.h>

typedef struct solve_state {
    const sedge_comm *comm;
    sedge_context *context;
    const sedge_element *element;
    const sedge_mesh *mesh;
    const sedge_problem *problem;
    sedge_elliptic *op;
    sedge_multigrid *multigrid;
    sedge_krylov *krylov;
    sedge_buffer *b, *x;
    double *host_b;
} solve_state;

sedge_elliptic_solve_options sedge_elliptic_solve_defaults(sedge_precision precision)
{
    return (sedge_elliptic_solve_options){.tolerance = precision == SEDGE_FP64 ? 1e-8 : 1e-5,
                                          .iterations = 1000,
                                          .preconditioner = SEDGE_ELLIPTIC_MULTIGRID,
                                          .multigrid = sedge_multigrid_defaults()};
}

// ---- where nothing fixes u ---------------------------------------------------------------------

// What the integrals of an element's nodal functions are found by.
typedef struct integrals {
    const sedge_mesh *mesh;
    int nodes;
    double *reference;       // [nodes] of the reference element; their sum is 4/3
    double *own;             // [nodes] of one element
    elliptic_curved *curved; // NULL: nothing is curved
} integrals;

static void close_integrals(integrals *in)
{
    sedge_release(in->reference);
    sedge_release(in->own);
    elliptic_curved_free(in->curved);
}

static sedge_status open_integrals(integrals *in, const solve_state *s)
{
    const sedge_element *const element = s->element;
    const int nodes = element->nodes;

    *in = (integrals){.mesh = s->mesh, .nodes = nodes};
    SEDGE_TRY(sedge_allocate(&in->reference, nodes, sizeof(double)));
    SEDGE_TRY(sedge_allocate(&in->own, nodes, sizeof(double)));
    for (int n = 0; n < nodes; n++)
        for (int m = 0; m < nodes; m++) in->reference[n] += element->mass[n * nodes + m];
    if (s->mesh->global_curved > 0) return elliptic_curved_create(&in->curved, element, true);
    return SEDGE_OK;
}

// in->own of element e; returns its volume.
static double find_integrals(integrals *in, int32_t e)
{
    if (sedge_mesh_curve(in->mesh, e) >= 0)
        return elliptic_curved_integrals(in->own, in->curved, in->mesh, e);
    const double volume = sedge_tet_volume(in->mesh->corners[e]);
    for (int n = 0; n < in->nodes; n++) in->own[n] = 0.75 * volume * in->reference[n];
    return volume;
}

// Where balancing has left nothing but rounding of what there was, by absolute values, the
// right-hand side is zero. Collective.
static void drop_rounding(double *b, const solve_state *s, double before)
{
    const int64_t values = (int64_t)s->mesh->elements * s->element->nodes;
    double left = 0.0;

    for (int64_t i = 0; i < values; i++) left += fabs(b[i]);
    sedge_comm_sum(s->comm, &left, 1);
    if (left <= 1e-12 * before) memset(b, 0, (size_t)values * sizeof *b);
}

// Take from b what keeps it from being in A's range: the same density everywhere. `*imbalance` is
// what it added up to, by absolute values. Collective.
static sedge_status balance(double *b, double *imbalance, const solve_state *s)
{
    const int nodes = s->element->nodes;
    double sums[3] = {0.0, 0.0, 0.0}; // b, |b|, volume
    sedge_status status;
    integrals in;

    SEDGE_TRY_GOTO(status, sedge_comm_agree(s->comm, open_integrals(&in, s)));
    for (int32_t e = 0; e < s->mesh->elements; e++) {
        for (int n = 0; n < nodes; n++) {
            sums[0] += b[(int64_t)e * nodes + n];
            sums[1] += fabs(b[(int64_t)e * nodes + n]);
        }
        sums[2] += find_integrals(&in, e);
    }
    sedge_comm_sum(s->comm, sums, 3);
    for (int32_t e = 0; e < s->mesh->elements; e++) {
        (void)find_integrals(&in, e);
        for (int n = 0; n < nodes; n++) b[(int64_t)e * nodes + n] -= sums[0] / sums[2] * in.own[n];
    }
    *imbalance = sums[1] > 0.0 ? fabs(sums[0]) / sums[1] : 0.0;
    drop_rounding(b, s, sums[1]);
done:
    close_integrals(&in);
    return status;
}

// u minus its mean. Collective.
static sedge_status remove_mean(double *u, const solve_state *s)
{
    const int nodes = s->element->nodes;
    double sums[2] = {0.0, 0.0};
    sedge_status status;
    integrals in;

    SEDGE_TRY_GOTO(status, sedge_comm_agree(s->comm, open_integrals(&in, s)));
    for (int32_t e = 0; e < s->mesh->elements; e++) {
        sums[1] += find_integrals(&in, e);
        for (int n = 0; n < nodes; n++) sums[0] += in.own[n] * u[(int64_t)e * nodes + n];
    }
    sedge_comm_sum(s->comm, sums, 2);
    for (int64_t i = 0; i < (int64_t)s->mesh->elements * nodes; i++) u[i] -= sums[0] / sums[1];
done:
    close_integrals(&in);
    return status;
}

// ---- the solve ---------------------------------------------------------------------------------

static sedge_status make_vectors(solve_state *s, const double *u)
{
    SEDGE_TRY(sedge_elliptic_vector(&s->b, s->op));
    SEDGE_TRY(sedge_elliptic_vector(&s->x, s->op));
    SEDGE_TRY(sedge_elliptic_upload(s->op, s->b, s->host_b));
    return sedge_elliptic_upload(s->op, s->x, u);
}

// Collective.
static sedge_status set_up(solve_state *s, const double *u, sedge_elliptic_result *result,
                           const sedge_elliptic_solve_options *options)
{
    const int64_t values = (int64_t)s->mesh->elements * s->element->nodes;
    sedge_krylov_options krylov = sedge_krylov_defaults();
    sedge_krylov_preconditioner preconditioner = {.context = NULL};

    SEDGE_TRY(sedge_elliptic_check_parts(s->comm, s->mesh, s->problem));
    result->singular = !sedge_elliptic_is_fixed(s->comm, s->mesh, s->problem);
    SEDGE_TRY(sedge_comm_agree(s->comm, sedge_allocate(&s->host_b, values, sizeof(double))));
    SEDGE_TRY(sedge_elliptic_right_hand_side(s->host_b, s->comm, s->element, s->mesh, s->problem));
    if (result->singular) SEDGE_TRY(balance(s->host_b, &result->imbalance, s));
    SEDGE_TRY(sedge_elliptic_create(&s->op, s->comm, s->context, s->element, s->mesh, s->problem,
                                    &options->kernels));
    SEDGE_TRY(sedge_comm_agree(s->comm, make_vectors(s, u)));
    if (options->preconditioner == SEDGE_ELLIPTIC_MULTIGRID) {
        SEDGE_TRY(sedge_multigrid_create(&s->multigrid, s->comm, s->context, s->mesh, s->problem,
                                         s->op, &options->multigrid));
        preconditioner = sedge_multigrid_as_preconditioner(s->multigrid);
    }
    const sedge_krylov_operator op = sedge_elliptic_as_operator(s->op);
    krylov.tolerance = options->tolerance;
    krylov.iterations = options->iterations;
    krylov.progress = options->progress;
    krylov.progress_context = options->progress_context;
    if (s->multigrid != NULL) krylov.form = SEDGE_KRYLOV_STANDARD;
    return sedge_krylov_create(&s->krylov, s->context, s->comm, sedge_elliptic_real_bytes(s->op),
                               sedge_elliptic_rows(s->op), &op, &preconditioner, &krylov);
}

static void tear_down(solve_state *s)
{
    sedge_krylov_free(s->krylov);
    sedge_multigrid_free(s->multigrid);
    sedge_buffer_free(s->b);
    sedge_buffer_free(s->x);
    sedge_elliptic_free(s->op);
    sedge_release(s->host_b);
}

sedge_status sedge_elliptic_solve(double *u, sedge_elliptic_result *result, const sedge_comm *comm,
                                  sedge_context *context, const sedge_element *element,
                                  const sedge_mesh *mesh, const sedge_problem *problem,
                                  const sedge_elliptic_solve_options *options)
{
    solve_state s = {
        .comm = comm, .context = context, .element = element, .mesh = mesh, .problem = problem};
    const double began = sedge_clock();
    sedge_status status;

    memset(result, 0, sizeof *result);
    SEDGE_TRY_GOTO(status, set_up(&s, u, result, options));
    const double ready = sedge_clock();
    SEDGE_TRY_GOTO(status, sedge_krylov_solve(&result->krylov, s.krylov, s.b, s.x));
    result->krylov.history = NULL; // the solver's, which goes
    result->krylov.history_count = 0;
    result->solve_seconds = sedge_clock() - ready;
    result->setup_seconds = ready - began;
    result->unknowns = mesh->global_elements * element->nodes;
    sedge_elliptic_get_cost(s.op, &result->cost);
    if (s.multigrid != NULL) result->multigrid = sedge_multigrid_get_info(s.multigrid);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, sedge_elliptic_download(s.op, s.x, u)));
    if (result->singular) SEDGE_TRY_GOTO(status, remove_mean(u, &s));
done:
    tear_down(&s);
    return status;
}

// ---- programs ----------------------------------------------------------------------------------

static sedge_status add_order(sedge_text *out, char name[SEDGE_ELLIPTIC_NAME],
                              const sedge_device_info *info, int order, sedge_precision precision,
                              bool curved, const sedge_elliptic_options *config)
{
    sedge_element *element = NULL;

    SEDGE_TRY(sedge_element_create(&element, order));
    const sedge_status status =
        sedge_elliptic_text(out, name, info, element, precision, curved, config);
    sedge_element_free(element);
    return status;
}

sedge_status sedge_elliptic_solve_texts(sedge_text *out[SEDGE_ELLIPTIC_TEXTS],
                                        char name[SEDGE_ELLIPTIC_TEXTS][SEDGE_ELLIPTIC_NAME],
                                        int *count, const sedge_device_info *info, int order,
                                        sedge_precision precision, bool curved,
                                        const sedge_elliptic_solve_options *options)
{
    static const sedge_elliptic_options rule = {.item_nodes = 0};
    const bool multigrid = options->preconditioner == SEDGE_ELLIPTIC_MULTIGRID;
    const int real_bytes = sedge_real_bytes(precision);

    *count = 0;
    if (order > SEDGE_ELLIPTIC_ORDER_MAX) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "order %d: an equation without time is solved at orders 1 to %d", order,
                          SEDGE_ELLIPTIC_ORDER_MAX);
    }
    for (int k = order; k >= (multigrid ? 1 : order); k--) {
        SEDGE_TRY(sedge_text_create(&out[*count]));
        const int at = (*count)++;
        SEDGE_TRY(add_order(out[at], name[at], info, k, precision, curved,
                            k == order ? &options->kernels : &rule));
    }
    for (int pipelined = 0; pipelined < (multigrid ? 1 : 2); pipelined++) {
        SEDGE_TRY(sedge_text_create(&out[*count]));
        const int at = (*count)++;
        SEDGE_TRY(
            sedge_krylov_text(out[at], name[at], info, real_bytes, multigrid, pipelined == 1));
    }
    return SEDGE_OK;
}
