#include "linear/krylov_solver.h"

#include "base/memory.h"

#include <assert.h>
#include <float.h>
#include <string.h>

// ---- names -------------------------------------------------------------------------------------

const char *sedge_krylov_reason_name(sedge_krylov_reason reason)
{
    static const char *const names[] = {
#define REASON_NAME(value, name, text) [value] = name,
        SEDGE_KRYLOV_REASON_LIST(REASON_NAME)
#undef REASON_NAME
    };
    return names[reason];
}

const char *sedge_krylov_reason_text(sedge_krylov_reason reason)
{
    static const char *const texts[] = {
#define REASON_TEXT(value, name, text) [value] = text,
        SEDGE_KRYLOV_REASON_LIST(REASON_TEXT)
#undef REASON_TEXT
    };
    return texts[reason];
}

static const char *const form_names[] = {
    [SEDGE_KRYLOV_AUTO] = "auto",
    [SEDGE_KRYLOV_STANDARD] = "standard",
    [SEDGE_KRYLOV_SINGLE] = "single-reduction",
    [SEDGE_KRYLOV_PIPELINED] = "pipelined",
    [SEDGE_KRYLOV_PERSISTENT] = "persistent",
};

const char *sedge_krylov_form_name(sedge_krylov_form form)
{
    return form_names[form];
}

sedge_status sedge_krylov_form_parse(sedge_krylov_form *out, const char *name)
{
    for (size_t i = 0; i < sizeof form_names / sizeof form_names[0]; i++) {
        if (strcmp(name, form_names[i]) == 0) {
            *out = (sedge_krylov_form)i;
            return SEDGE_OK;
        }
    }
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "unknown form '%s' of conjugate gradients; allowed are auto, standard, "
                      "single-reduction, pipelined and persistent",
                      name);
}

sedge_krylov_options sedge_krylov_defaults(void)
{
    return (sedge_krylov_options){.tolerance = 1e-8, .iterations = 10000, .stagnation = 5000};
}

// ---- making ------------------------------------------------------------------------------------

static sedge_status check_options(const sedge_krylov *krylov)
{
    const sedge_krylov_options *const options = &krylov->options;

    if (!(options->tolerance >= 0.0 && options->tolerance <= DBL_MAX))
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "tolerance %g is not >= 0", options->tolerance);
    if (!(options->absolute >= 0.0 && options->absolute <= DBL_MAX))
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "absolute tolerance %g is not >= 0", options->absolute);
    if (options->iterations < 0 || options->iterations > INT64_C(1) << 40) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "%lld iterations are outside 0..2^40",
                          (long long)options->iterations);
    }
    if (options->check < 0 || options->check > KRYLOV_RING_MOST - 2) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "a look every %d iterations is outside 0..%d",
                          options->check, KRYLOV_RING_MOST - 2);
    }
    if (options->stagnation < 0) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "stagnation after %lld iterations is not >= 0",
                          (long long)options->stagnation);
    }
    return SEDGE_OK;
}

// Why the form of one kernel cannot be had; NULL: it can.
static const char *no_persistent(const sedge_krylov *krylov)
{
    if (krylov->is_many) return "there are several ranks";
    if (krylov->kind == KRYLOV_VECTOR) return "the preconditioner is not a diagonal";
    if (krylov->op.offsets == NULL) return "the operator has no matrix by rows";
    if (krylov->rows > INT32_MAX / 2) return "there are too many rows";
    return NULL;
}

// On one rank: one kernel where a cluster has room for all, and one with fewer kernels where
// launches count.
static sedge_status choose_form(sedge_krylov *krylov, sedge_krylov_form form)
{
    const sedge_device_info *const info =
        sedge_device_get_info(sedge_context_device(krylov->context));
    const char *const refused = no_persistent(krylov);
    const bool is_auto = form == SEDGE_KRYLOV_AUTO && !krylov->is_many;
    bool fits = false;

    krylov->form = form;
    if (form == SEDGE_KRYLOV_PERSISTENT && refused != NULL)
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "the persistent form needs more: %s", refused);
    if (form == SEDGE_KRYLOV_PERSISTENT ||
        (is_auto && refused == NULL && sedge_krylov_keep_blocks(info) > 1))
        SEDGE_TRY(sedge_krylov_plan_keep(krylov, &fits));
    if (form == SEDGE_KRYLOV_PERSISTENT && !fits) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "the persistent form keeps all in the memory of %d blocks, which has no "
                          "room for this matrix of %lld rows",
                          sedge_krylov_keep_blocks(info), (long long)krylov->rows);
    }
    if (!is_auto) return SEDGE_OK;
    const bool has_graphs = info->graphs && !krylov->op.waits;
    const bool is_small = krylov->rows * krylov->real_bytes <= KRYLOV_SINGLE_BYTES;
    krylov->form = fits                     ? SEDGE_KRYLOV_PERSISTENT
                   : has_graphs && is_small ? SEDGE_KRYLOV_SINGLE
                                            : SEDGE_KRYLOV_STANDARD;
    return SEDGE_OK;
}

// `bytes` of an iteration, on the rank that has most.
static sedge_status choose(sedge_krylov *krylov, const sedge_krylov_options *options, double bytes)
{
    const sedge_device_info *const info =
        sedge_device_get_info(sedge_context_device(krylov->context));

    SEDGE_TRY(check_options(krylov));
    SEDGE_TRY(choose_form(krylov, options->form));
    // So many that looking costs nothing, so few that little is done in vain: a millisecond's.
    krylov->check = options->check;
    if (krylov->check == 0) {
        const double seconds = bytes / (sedge_traits_of(info->kind)->gpu_rules ? 2e12 : 2e10);
        krylov->check = seconds > 0.25e-3 ? 4 : seconds < 2e-5 ? 50 : (int)(1e-3 / seconds);
        if (krylov->is_many && krylov->check > 10) krylov->check = 10;
        if (krylov->form == SEDGE_KRYLOV_PERSISTENT) krylov->check = KRYLOV_KEEP_CHECK;
    }
    // Two states take turns in the forms with one sum: a block of iterations ends as it began.
    if (krylov->form != SEDGE_KRYLOV_STANDARD && krylov->form != SEDGE_KRYLOV_PERSISTENT)
        krylov->check += krylov->check % 2;
    krylov->ring_entries = krylov->check + 2;
    return SEDGE_OK;
}

// Make what a form needs and has not yet.
static sedge_status prepare_form(sedge_krylov *krylov, sedge_krylov_form form)
{
    enum { ALWAYS = 1, SINGLE = 2, PIPELINED = 4, WITH_M = 8 };
    static const int needed[VECTORS] = {
        [VECTOR_R] = ALWAYS,
        [VECTOR_P] = ALWAYS,
        [VECTOR_Q] = ALWAYS,
        [VECTOR_Z] = WITH_M,
        [VECTOR_S] = SINGLE | PIPELINED,
        [VECTOR_N] = PIPELINED,
        [VECTOR_M] = PIPELINED | WITH_M,
        [VECTOR_T] = PIPELINED,
        [VECTOR_MQ] = PIPELINED | WITH_M,
        [VECTOR_START] = ALWAYS,
    };
    const bool has_m = krylov->kind != KRYLOV_NONE;
    const bool is_single = form == SEDGE_KRYLOV_SINGLE || form == SEDGE_KRYLOV_PERSISTENT;
    const int form_bit = is_single ? SINGLE : form == SEDGE_KRYLOV_PIPELINED ? PIPELINED : 0;

    for (int v = 0; v < VECTORS; v++) {
        const int forms = needed[v] & (SINGLE | PIPELINED);
        const bool requested = (needed[v] & ALWAYS) != 0 ||
                               ((forms == 0 || (forms & form_bit) != 0) &&
                                ((needed[v] & WITH_M) == 0 ||
                                 (has_m && (krylov->kind == KRYLOV_VECTOR || form_bit != 0))));
        if (!requested || krylov->vector[v] != NULL) continue;
        SEDGE_TRY(sedge_buffer_create(&krylov->vector[v], sedge_context_device(krylov->context),
                                      krylov->rows * krylov->real_bytes));
    }
    return SEDGE_OK;
}

static sedge_status make_buffers(sedge_krylov *krylov)
{
    sedge_device *const device = sedge_context_device(krylov->context);
    const int64_t number = (int64_t)sizeof(double);
    const int64_t look = (STATE_ENTRIES + 3L * krylov->ring_entries) * number;

    SEDGE_TRY(sedge_buffer_create(&krylov->states, device, 2L * STATE_ENTRIES * number));
    SEDGE_TRY(sedge_buffer_create(&krylov->parts, device, 6L * SEDGE_KRYLOV_SUMS * number));
    SEDGE_TRY(sedge_buffer_create(&krylov->dots, device, SEDGE_KRYLOV_SUMS * number));
    SEDGE_TRY(sedge_buffer_create(&krylov->sums, device, 3L * number));
    SEDGE_TRY(sedge_buffer_create(&krylov->ring, device, 3L * krylov->ring_entries * number));
    SEDGE_TRY(sedge_pinned_allocate(&krylov->pinned_sums, device, 3L * number));
    for (int i = 0; i < 2; i++) {
        SEDGE_TRY(sedge_pinned_allocate(&krylov->pinned_look[i], device, look));
        SEDGE_TRY(sedge_event_create(&krylov->looked[i], device));
    }
    SEDGE_TRY(sedge_sum_create(&krylov->pending, krylov->comm));
    if (krylov->form != SEDGE_KRYLOV_AUTO) return prepare_form(krylov, krylov->form);
    SEDGE_TRY(prepare_form(krylov, SEDGE_KRYLOV_STANDARD));
    SEDGE_TRY(prepare_form(krylov, SEDGE_KRYLOV_SINGLE));
    return prepare_form(krylov, SEDGE_KRYLOV_PIPELINED);
}

sedge_status sedge_krylov_create(sedge_krylov **out, sedge_context *context, const sedge_comm *comm,
                                 int real_bytes, int64_t rows, const sedge_krylov_operator *op,
                                 const sedge_krylov_preconditioner *preconditioner,
                                 const sedge_krylov_options *options)
{
    sedge_status status;
    sedge_krylov *krylov = NULL;
    int with = 0;

    assert(real_bytes == 4 || real_bytes == 8);
    assert(rows >= 0 && op->apply != NULL);
    *out = NULL;
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, sedge_allocate(&krylov, 1, sizeof *krylov)));
    krylov->context = context;
    krylov->comm = comm;
    krylov->op = *op;
    if (preconditioner != NULL) krylov->preconditioner = *preconditioner;
    krylov->kind = krylov->preconditioner.diagonal != NULL ? KRYLOV_DIAGONAL
                   : krylov->preconditioner.apply != NULL  ? KRYLOV_VECTOR
                                                           : KRYLOV_NONE;
    krylov->options = *options;
    krylov->real_bytes = real_bytes;
    krylov->rows = krylov->all_rows = rows;
    krylov->is_many = sedge_comm_size(comm) > 1;
    sedge_comm_sum_int(comm, &krylov->all_rows, 1);
    double bytes = 12.0 * real_bytes * (double)rows + op->bytes + krylov->preconditioner.bytes;
    sedge_comm_max(comm, &bytes, 1);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, choose(krylov, options, bytes)));
    if (krylov->form == SEDGE_KRYLOV_PERSISTENT) with |= KRYLOV_WITH_KEEP;
    if (krylov->form != SEDGE_KRYLOV_STANDARD && krylov->form != SEDGE_KRYLOV_PERSISTENT)
        with |= KRYLOV_WITH_SINGLE;
    SEDGE_TRY_GOTO(status, sedge_krylov_kernels_create(&krylov->kernels, context, comm, real_bytes,
                                                       rows, krylov->kind, with));
    if (krylov->form == SEDGE_KRYLOV_PERSISTENT)
        SEDGE_TRY_GOTO(status, sedge_kernel_set_scratch(krylov->kernels.keep, krylov->keep_bytes));
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, make_buffers(krylov)));
    *out = krylov;
    krylov = NULL;
done:
    sedge_krylov_free(krylov);
    return status;
}

void sedge_krylov_free(sedge_krylov *krylov)
{
    if (krylov == NULL) return;
    sedge_device *const device = sedge_context_device(krylov->context);
    sedge_graph_free(krylov->graph);
    sedge_sum_free(krylov->pending);
    for (int i = 0; i < 2; i++) {
        sedge_event_free(krylov->looked[i]);
        sedge_pinned_release(device, krylov->pinned_look[i]);
    }
    sedge_pinned_release(device, krylov->pinned_sums);
    sedge_buffer_free(krylov->ring);
    sedge_buffer_free(krylov->sums);
    sedge_buffer_free(krylov->dots);
    sedge_buffer_free(krylov->parts);
    sedge_buffer_free(krylov->states);
    for (int v = 0; v < VECTORS; v++) sedge_buffer_free(krylov->vector[v]);
    sedge_krylov_kernels_free(&krylov->kernels);
    sedge_release(krylov->history);
    sedge_release(krylov->coefficients);
    sedge_release(krylov);
}
