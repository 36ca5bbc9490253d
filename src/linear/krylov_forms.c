// One iteration of each form, as launches in the context's stream.
#include "linear/krylov_solver.h"

#include "base/file.h"

#include <math.h>
#include <string.h>

// ---- small things ------------------------------------------------------------------------------

static sedge_stream *stream_of(const sedge_krylov *krylov)
{
    return sedge_context_stream(krylov->context);
}

static sedge_argument vector(const sedge_krylov *krylov, krylov_vector which)
{
    return sedge_buffer_argument(krylov->vector[which]);
}

static sedge_argument state(const sedge_krylov *krylov, int which)
{
    return sedge_address_argument(sedge_buffer_address(krylov->states) +
                                  (uint64_t)which * STATE_ENTRIES * sizeof(double));
}

// The parts that the kernel of step `turn` leaves for group 0 (r.r), 1 (r.z) or 2.
static krylov_sum parts(const sedge_krylov *krylov, int64_t turn, int group)
{
    const uint64_t place = (uint64_t)(3 * (turn % 2) + group) * SEDGE_KRYLOV_SUMS;

    return (krylov_sum){sedge_buffer_address(krylov->parts) + place * sizeof(double),
                        krylov->kernels.blocks};
}

static sedge_argument at(krylov_sum sum)
{
    return sedge_address_argument(sum.address);
}

static sedge_argument rows_argument(const sedge_krylov *krylov)
{
    return sedge_int64_argument(krylov->kernels.rows);
}

static sedge_argument chunk_argument(const sedge_krylov *krylov)
{
    return sedge_int64_argument(krylov->kernels.chunk);
}

static sedge_argument diagonal(const sedge_krylov *krylov)
{
    return sedge_buffer_argument(krylov->preconditioner.diagonal);
}

// ---- operator, preconditioner, inner products --------------------------------------------------

static sedge_status dot(const sedge_krylov *krylov, const sedge_buffer *x, const sedge_buffer *y,
                        krylov_sum to)
{
    return SEDGE_LAUNCH(krylov->kernels.dot, stream_of(krylov), krylov->kernels.blocks,
                        sedge_buffer_argument(x), sedge_buffer_argument(y), at(to),
                        rows_argument(krylov), chunk_argument(krylov));
}

// y = A x with x.y in parts.
static sedge_status apply_dot(sedge_krylov *krylov, const sedge_buffer *x, sedge_buffer *y,
                              krylov_sum *sum)
{
    const sedge_krylov_operator *const op = &krylov->op;

    *sum = (krylov_sum){sedge_buffer_address(krylov->dots), krylov->kernels.blocks};
    if (op->apply_dot != NULL) {
        sum->count = op->sums_count;
        return op->apply_dot(op->context, stream_of(krylov), x, y, krylov->dots);
    }
    SEDGE_TRY(op->apply(op->context, stream_of(krylov), x, y));
    return dot(krylov, x, y, *sum);
}

// z = M r, a vector also where M is a diagonal.
static sedge_status precondition(const sedge_krylov *krylov, const sedge_buffer *r, sedge_buffer *z)
{
    const sedge_krylov_preconditioner *const with = &krylov->preconditioner;

    if (krylov->kind == KRYLOV_DIAGONAL) {
        return SEDGE_LAUNCH(krylov->kernels.scale, stream_of(krylov), krylov->kernels.blocks,
                            diagonal(krylov), sedge_buffer_argument(r), sedge_buffer_argument(z),
                            rows_argument(krylov), chunk_argument(krylov));
    }
    return with->apply(with->context, stream_of(krylov), r, z);
}

static sedge_status fold(const sedge_krylov *krylov, const krylov_sum *sums, int count)
{
    const krylov_sum *const last = &sums[count - 1];
    const krylov_sum *const second = count > 1 ? &sums[1] : last;

    return SEDGE_LAUNCH(krylov->kernels.fold, stream_of(krylov), 1, at(sums[0]), at(*second),
                        at(*last), sedge_buffer_argument(krylov->sums), sedge_int32_argument(count),
                        sedge_int32_argument(sums[0].count), sedge_int32_argument(second->count),
                        sedge_int32_argument(last->count));
}

// Put this rank's sums into pinned memory; done when the stream has come so far.
static sedge_status bring(const sedge_krylov *krylov, const krylov_sum *sums, int count)
{
    SEDGE_TRY(fold(krylov, sums, count));
    return sedge_buffer_download(krylov->sums, 0, krylov->pinned_sums,
                                 count * (int64_t)sizeof(double), stream_of(krylov));
}

// Bring the sums of all ranks back from pinned memory.
static sedge_status give_back(const sedge_krylov *krylov, krylov_sum *sums, int count)
{
    SEDGE_TRY(sedge_buffer_upload(krylov->sums, 0, krylov->pinned_sums,
                                  count * (int64_t)sizeof(double), stream_of(krylov)));
    for (int i = 0; i < count; i++) {
        sums[i] =
            (krylov_sum){sedge_buffer_address(krylov->sums) + (uint64_t)i * sizeof(double), 1};
    }
    return SEDGE_OK;
}

sedge_status sedge_krylov_reduce(sedge_krylov *krylov, krylov_sum *sums, int count, double *to)
{
    if (to == NULL && !krylov->is_many) return SEDGE_OK;
    SEDGE_TRY(bring(krylov, sums, count));
    SEDGE_TRY(sedge_stream_wait(stream_of(krylov)));
    sedge_comm_sum(krylov->comm, krylov->pinned_sums, count);
    if (to == NULL) return give_back(krylov, sums, count);
    memcpy(to, krylov->pinned_sums, (size_t)count * sizeof *to);
    return SEDGE_OK;
}

sedge_status sedge_krylov_residual(sedge_krylov *krylov, const sedge_buffer *b,
                                   const sedge_buffer *x, double *rr)
{
    const sedge_krylov_operator *const op = &krylov->op;
    sedge_buffer *const q = krylov->vector[VECTOR_Q];
    krylov_sum sum = parts(krylov, 0, 0);

    SEDGE_TRY(op->apply(op->context, stream_of(krylov), x, q));
    SEDGE_TRY(SEDGE_LAUNCH(krylov->kernels.residual, stream_of(krylov), krylov->kernels.blocks,
                           sedge_buffer_argument(b), sedge_buffer_argument(q),
                           vector(krylov, VECTOR_R), diagonal(krylov), at(sum),
                           at(parts(krylov, 0, 1)), rows_argument(krylov), chunk_argument(krylov)));
    if (rr == NULL) return SEDGE_OK;
    return sedge_krylov_reduce(krylov, &sum, 1, rr);
}

// ---- standard ----------------------------------------------------------------------------------

// r.r, and r.z where it is something else: over all ranks, r and, with `kind` VECTOR, z being new.
static sedge_status sum_residual(sedge_krylov *krylov, krylov_sum sums[2])
{
    sums[0] = parts(krylov, 0, 0);
    sums[1] = parts(krylov, 0, 1);
    if (krylov->kind == KRYLOV_VECTOR) {
        SEDGE_TRY(precondition(krylov, krylov->vector[VECTOR_R], krylov->vector[VECTOR_Z]));
        SEDGE_TRY(dot(krylov, krylov->vector[VECTOR_R], krylov->vector[VECTOR_Z], sums[1]));
    }
    if (krylov->kind == KRYLOV_NONE) {
        SEDGE_TRY(sedge_krylov_reduce(krylov, sums, 1, NULL));
        sums[1] = sums[0];
        return SEDGE_OK;
    }
    return sedge_krylov_reduce(krylov, sums, 2, NULL);
}

static sedge_status direct(const sedge_krylov *krylov, const krylov_sum sums[2], bool first,
                           const sedge_buffer *x)
{
    const krylov_vector z = krylov->kind == KRYLOV_VECTOR ? VECTOR_Z : VECTOR_R;

    return SEDGE_LAUNCH(krylov->kernels.direct, stream_of(krylov), krylov->kernels.blocks,
                        state(krylov, 1), state(krylov, 0), sedge_buffer_argument(krylov->ring),
                        at(sums[0]), at(sums[1]), sedge_int32_argument(sums[0].count),
                        sedge_int32_argument(sums[1].count), sedge_int32_argument(first),
                        sedge_buffer_argument(x), vector(krylov, VECTOR_P), vector(krylov, z),
                        diagonal(krylov), rows_argument(krylov), chunk_argument(krylov));
}

static sedge_status step_standard(sedge_krylov *krylov, const sedge_buffer *x)
{
    krylov_sum pq;
    krylov_sum sums[2];

    SEDGE_TRY(apply_dot(krylov, krylov->vector[VECTOR_P], krylov->vector[VECTOR_Q], &pq));
    SEDGE_TRY(sedge_krylov_reduce(krylov, &pq, 1, NULL));
    SEDGE_TRY(SEDGE_LAUNCH(krylov->kernels.update, stream_of(krylov), krylov->kernels.blocks,
                           state(krylov, 0), state(krylov, 1), at(pq),
                           sedge_int32_argument(pq.count), vector(krylov, VECTOR_Q),
                           vector(krylov, VECTOR_R), diagonal(krylov), at(parts(krylov, 0, 0)),
                           at(parts(krylov, 0, 1)), rows_argument(krylov), chunk_argument(krylov)));
    SEDGE_TRY(sum_residual(krylov, sums));
    return direct(krylov, sums, false, x);
}

// ---- single reduction --------------------------------------------------------------------------

// The vector that stands for M r.
static krylov_vector weighted(const sedge_krylov *krylov)
{
    return krylov->kind == KRYLOV_NONE ? VECTOR_R : VECTOR_Z;
}

static sedge_status step_single(sedge_krylov *krylov, int64_t index, const sedge_buffer *x)
{
    const int from = (int)(index % 2);
    const krylov_vector z = weighted(krylov);
    krylov_sum sums[3] = {parts(krylov, index, 0), parts(krylov, index, 1), {0, 0}};

    if (krylov->kind != KRYLOV_NONE) {
        SEDGE_TRY(precondition(krylov, krylov->vector[VECTOR_R], krylov->vector[VECTOR_Z]));
        SEDGE_TRY(dot(krylov, krylov->vector[VECTOR_R], krylov->vector[VECTOR_Z], sums[1]));
    } else {
        sums[1] = sums[0];
    }
    SEDGE_TRY(apply_dot(krylov, krylov->vector[z], krylov->vector[VECTOR_Q], &sums[2]));
    SEDGE_TRY(sedge_krylov_reduce(krylov, sums, 3, NULL));
    return SEDGE_LAUNCH(
        krylov->kernels.single, stream_of(krylov), krylov->kernels.blocks, state(krylov, from),
        state(krylov, 1 - from), sedge_buffer_argument(krylov->ring), at(sums[0]), at(sums[1]),
        at(sums[2]), sedge_int32_argument(sums[0].count), sedge_int32_argument(sums[1].count),
        sedge_int32_argument(sums[2].count), vector(krylov, z), vector(krylov, VECTOR_Q),
        vector(krylov, VECTOR_P), vector(krylov, VECTOR_S), sedge_buffer_argument(x),
        vector(krylov, VECTOR_R), at(parts(krylov, index + 1, 0)), rows_argument(krylov),
        chunk_argument(krylov));
}

// ---- pipelined ---------------------------------------------------------------------------------

// u = M r, w = A u and the three sums of the first step.
static sedge_status begin_pipelined(sedge_krylov *krylov)
{
    const sedge_krylov_operator *const op = &krylov->op;
    sedge_buffer *const z = krylov->vector[weighted(krylov)];
    sedge_buffer *const r = krylov->vector[VECTOR_R];

    if (krylov->kind != KRYLOV_NONE) {
        SEDGE_TRY(precondition(krylov, r, z));
        SEDGE_TRY(dot(krylov, r, z, parts(krylov, 0, 1)));
    }
    SEDGE_TRY(op->apply(op->context, stream_of(krylov), z, krylov->vector[VECTOR_Q]));
    return dot(krylov, z, krylov->vector[VECTOR_Q], parts(krylov, 0, 2));
}

// What the recurrences carry, computed again from x and the direction: residual replacement (Cools,
// Yetkin, Agullo, Giraud and Vanroose 2018), but at fixed intervals instead of where an estimate
// asks for it. Of an even step.
static sedge_status replace_pipelined(sedge_krylov *krylov, const sedge_buffer *x)
{
    const sedge_krylov_operator *const op = &krylov->op;
    const bool has_m = krylov->kind != KRYLOV_NONE;
    sedge_buffer *const s = krylov->vector[VECTOR_S];
    sedge_buffer *const q = has_m ? krylov->vector[VECTOR_MQ] : s;

    SEDGE_TRY(sedge_krylov_residual(krylov, krylov->right, x, NULL));
    SEDGE_TRY(begin_pipelined(krylov));
    SEDGE_TRY(op->apply(op->context, stream_of(krylov), krylov->vector[VECTOR_P], s));
    if (has_m) SEDGE_TRY(precondition(krylov, s, q));
    return op->apply(op->context, stream_of(krylov), q, krylov->vector[VECTOR_T]);
}

static sedge_status step_pipelined(sedge_krylov *krylov, int64_t index, const sedge_buffer *x)
{
    enum { REPLACE = 20 };
    const sedge_krylov_operator *const op = &krylov->op;
    const int from = (int)(index % 2);
    const bool has_m = krylov->kind != KRYLOV_NONE;
    sedge_buffer *const mw = krylov->vector[has_m ? VECTOR_M : VECTOR_Q];
    krylov_sum sums[3] = {parts(krylov, index, 0), parts(krylov, index, has_m ? 1 : 0),
                          parts(krylov, index, 2)};

    // On one rank steps are recorded as a graph, in which all are alike.
    if (krylov->is_many && index > 0 && index % REPLACE == 0)
        SEDGE_TRY(replace_pipelined(krylov, x));
    if (krylov->is_many) {
        SEDGE_TRY(bring(krylov, sums, 3));
        SEDGE_TRY(sedge_stream_wait(stream_of(krylov)));
        sedge_sum_start(krylov->pending, krylov->pinned_sums, 3);
    }
    if (has_m) SEDGE_TRY(precondition(krylov, krylov->vector[VECTOR_Q], mw));
    SEDGE_TRY(op->apply(op->context, stream_of(krylov), mw, krylov->vector[VECTOR_N]));
    if (krylov->is_many) {
        sedge_sum_wait(krylov->pending);
        SEDGE_TRY(give_back(krylov, sums, 3));
    }
    return SEDGE_LAUNCH(
        krylov->kernels.pipelined, stream_of(krylov), krylov->kernels.blocks, state(krylov, from),
        state(krylov, 1 - from), sedge_buffer_argument(krylov->ring), at(sums[0]), at(sums[1]),
        at(sums[2]), sedge_int32_argument(sums[0].count), sedge_int32_argument(sums[1].count),
        sedge_int32_argument(sums[2].count), vector(krylov, VECTOR_N), sedge_buffer_argument(mw),
        sedge_buffer_argument(x), vector(krylov, VECTOR_R), vector(krylov, weighted(krylov)),
        vector(krylov, VECTOR_Q), vector(krylov, VECTOR_P), vector(krylov, VECTOR_S),
        vector(krylov, VECTOR_MQ), vector(krylov, VECTOR_T), at(parts(krylov, index + 1, 0)),
        at(parts(krylov, index + 1, 1)), at(parts(krylov, index + 1, 2)), rows_argument(krylov),
        chunk_argument(krylov));
}

// ---- all forms ---------------------------------------------------------------------------------

sedge_status sedge_krylov_begin(sedge_krylov *krylov, sedge_krylov_form form, sedge_buffer *x)
{
    krylov_sum sums[2];

    switch (form) {
    case SEDGE_KRYLOV_AUTO:
    case SEDGE_KRYLOV_STANDARD:
        SEDGE_TRY(sum_residual(krylov, sums));
        return direct(krylov, sums, true, x);
    case SEDGE_KRYLOV_SINGLE:
    case SEDGE_KRYLOV_PERSISTENT:
        return SEDGE_OK;
    case SEDGE_KRYLOV_PIPELINED:
        return begin_pipelined(krylov);
    }
    return SEDGE_OK;
}

sedge_status sedge_krylov_step(sedge_krylov *krylov, sedge_krylov_form form, int64_t index,
                               sedge_buffer *x)
{
    switch (form) {
    case SEDGE_KRYLOV_AUTO:
    case SEDGE_KRYLOV_STANDARD:
        return step_standard(krylov, x);
    case SEDGE_KRYLOV_SINGLE:
        return step_single(krylov, index, x);
    case SEDGE_KRYLOV_PIPELINED:
        return step_pipelined(krylov, index, x);
    case SEDGE_KRYLOV_PERSISTENT:
        break;
    }
    // All iterations up to the next look.
    return index % krylov->check == 0 ? sedge_krylov_step_persistent(krylov, x) : SEDGE_OK;
}

double sedge_krylov_bytes(const sedge_krylov *krylov, sedge_krylov_form form)
{
    const bool has_m = krylov->kind != KRYLOV_NONE;
    const bool is_vector = krylov->kind == KRYLOV_VECTOR;
    const int dots = krylov->op.apply_dot == NULL ? 2 : 0;
    double words = 0.0; // beside the operator's

    if (krylov->op.bytes == 0.0 || (is_vector && krylov->preconditioner.bytes == 0.0)) return 0.0;
    switch (form) {
    case SEDGE_KRYLOV_AUTO:
    case SEDGE_KRYLOV_STANDARD:
        words = 8 + dots + (has_m ? 2 : 0); // the diagonal twice, or r and z for their product
        break;
    case SEDGE_KRYLOV_SINGLE:
    case SEDGE_KRYLOV_PERSISTENT: // if nothing were kept
        words = 9 + dots + (has_m ? 3 : 0);
        if (krylov->kind == KRYLOV_DIAGONAL) words += 3; // M r as a pass of its own
        break;
    case SEDGE_KRYLOV_PIPELINED:
        words = has_m ? 18 : 13;
        if (krylov->kind == KRYLOV_DIAGONAL) words += 3;
        break;
    }
    return krylov->op.bytes + (is_vector ? krylov->preconditioner.bytes : 0.0) +
           words * krylov->real_bytes * (double)krylov->rows;
}

// ---- which is fastest --------------------------------------------------------------------------

// Seconds of an iteration, of the slowest rank.
static sedge_status time_form(sedge_krylov *krylov, sedge_krylov_form form, const double *from,
                              double *seconds)
{
    enum { WARM = 2, TIMED = 6 };
    double began = 0.0;

    for (int which = 0; which < 2; which++) {
        SEDGE_TRY(sedge_buffer_upload(krylov->states, 8LL * which * STATE_ENTRIES, from,
                                      8LL * STATE_ENTRIES, NULL));
    }
    SEDGE_TRY(sedge_krylov_begin(krylov, form, krylov->vector[VECTOR_START]));
    for (int i = 0; i < WARM + TIMED; i++) {
        if (i == WARM) {
            SEDGE_TRY(sedge_stream_wait(stream_of(krylov)));
            sedge_comm_barrier(krylov->comm);
            began = sedge_clock();
        }
        SEDGE_TRY(sedge_krylov_step(krylov, form, i, krylov->vector[VECTOR_START]));
    }
    SEDGE_TRY(sedge_stream_wait(stream_of(krylov)));
    *seconds = (sedge_clock() - began) / TIMED;
    sedge_comm_max(krylov->comm, seconds, 1);
    return SEDGE_OK;
}

sedge_status sedge_krylov_choose(sedge_krylov *krylov, const double from[STATE_ENTRIES])
{
    static const sedge_krylov_form forms[] = {SEDGE_KRYLOV_STANDARD, SEDGE_KRYLOV_SINGLE,
                                              SEDGE_KRYLOV_PIPELINED};
    // The later ones are less exact, and times of a few iterations scatter: the standard form it is
    // but for a clear gain, most of all over the one that loses digits.
    static const double shares[] = {1.0, 0.8, 0.6};
    enum { FORMS = sizeof forms / sizeof forms[0], ROUNDS = 2 };
    double least[FORMS] = {(double)INFINITY, (double)INFINITY, (double)INFINITY};
    int chosen = 0;

    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < FORMS; i++) {
            double seconds = 0.0;
            SEDGE_TRY(time_form(krylov, forms[i], from, &seconds));
            least[i] = fmin(least[i], seconds);
        }
    }
    for (int i = 1; i < FORMS; i++)
        if (least[i] < shares[i] / shares[chosen] * least[chosen]) chosen = i;
    krylov->form = forms[chosen];
    return SEDGE_OK;
}
