// One solve: blocks of iterations, looks at what they came to, restarts, the true residual.
#include "linear/krylov_solver.h"

#include "base/file.h"
#include "base/memory.h"

#include <float.h>
#include <math.h>
#include <string.h>

// What a restart must gain to be followed by another.
#define RESTART_GAIN 0.9
// What it aims at, of the target: the true residual ends a little above the recursive one.
#define RESTART_AIM 0.5

typedef struct solving {
    sedge_krylov *krylov;
    sedge_krylov_form form;
    const sedge_buffer *b;
    sedge_buffer *x;
    double state[STATE_ENTRIES]; // as last seen
    double target;
    int64_t launched; // iterations since the last start
    double start[STATE_ENTRIES];
    double start_residual; // true
    bool is_again;         // the way is gone once more: no history, no progress
} solving;

static sedge_stream *stream_of(const sedge_krylov *krylov)
{
    return sedge_context_stream(krylov->context);
}

// ---- looking -----------------------------------------------------------------------------------

// Copy state and history into pinned memory, behind the work queued so far.
static sedge_status queue_look(const sedge_krylov *krylov, int which)
{
    const int64_t state_bytes = STATE_ENTRIES * (int64_t)sizeof(double);

    SEDGE_TRY(sedge_buffer_download(krylov->states, 0, krylov->pinned_look[which], state_bytes,
                                    stream_of(krylov)));
    SEDGE_TRY(sedge_buffer_download(krylov->ring, 0, krylov->pinned_look[which] + STATE_ENTRIES,
                                    3L * krylov->ring_entries * (int64_t)sizeof(double),
                                    stream_of(krylov)));
    return sedge_event_record(krylov->looked[which], stream_of(krylov));
}

static sedge_status grow(double **array, int64_t count, int64_t room)
{
    double *larger = NULL;

    SEDGE_TRY(sedge_allocate(&larger, room, sizeof *larger));
    if (count > 0) memcpy(larger, *array, (size_t)count * sizeof *larger);
    sedge_release(*array);
    *array = larger;
    return SEDGE_OK;
}

static sedge_status keep_history(sedge_krylov *krylov, const double *ring, int64_t known)
{
    if (known > krylov->history_room) {
        const int64_t room = known + known / 2 + 64;
        SEDGE_TRY(grow(&krylov->history, krylov->history_count, room));
        SEDGE_TRY(grow(&krylov->coefficients, 2 * krylov->history_count, 2 * room));
        krylov->history_room = room;
    }
    for (int64_t i = krylov->history_count; i < known; i++) {
        const double *const entry = ring + 3 * (i % krylov->ring_entries);
        krylov->history[i] = sqrt(entry[0]);
        krylov->coefficients[2 * i] = entry[1];
        krylov->coefficients[2 * i + 1] = entry[2];
    }
    krylov->history_count = known;
    return SEDGE_OK;
}

// Wait for a look that is under way, and take in what it shows.
static sedge_status take_look(solving *solve, int which)
{
    sedge_krylov *const krylov = solve->krylov;
    const double *const look = krylov->pinned_look[which];

    SEDGE_TRY(sedge_event_wait(krylov->looked[which]));
    memcpy(solve->state, look, sizeof solve->state);
    if (solve->is_again) return SEDGE_OK;
    SEDGE_TRY(keep_history(krylov, look + STATE_ENTRIES, (int64_t)look[STATE_KNOWN]));
    if (krylov->options.progress != NULL && krylov->history_count > 0) {
        krylov->options.progress(krylov->options.progress_context, krylov->history_count - 1,
                                 krylov->history[krylov->history_count - 1], solve->target);
    }
    return SEDGE_OK;
}

// ---- blocks of iterations ----------------------------------------------------------------------

static bool can_record(const solving *solve)
{
    const sedge_krylov *const krylov = solve->krylov;
    const sedge_device_info *const info =
        sedge_device_get_info(sedge_context_device(krylov->context));

    return info->graphs && !krylov->options.no_graphs && !krylov->is_many && solve->krylov->warm &&
           solve->form != SEDGE_KRYLOV_PERSISTENT && !krylov->op.waits &&
           !krylov->preconditioner.waits;
}

static sedge_status launch_block(solving *solve)
{
    const sedge_krylov *const krylov = solve->krylov;

    for (int i = 0; i < krylov->check; i++)
        SEDGE_TRY(sedge_krylov_step(solve->krylov, solve->form, solve->launched + i, solve->x));
    return SEDGE_OK;
}

static sedge_status record_block(solving *solve)
{
    sedge_krylov *const krylov = solve->krylov;
    sedge_graph *graph = NULL;

    sedge_graph_free(krylov->graph);
    krylov->graph = NULL;
    SEDGE_TRY(sedge_graph_begin(stream_of(krylov)));
    const sedge_status recorded = launch_block(solve);
    const sedge_status ended = sedge_graph_end(&graph, stream_of(krylov));
    if (recorded != SEDGE_OK || ended != SEDGE_OK) {
        sedge_graph_free(graph);
        return recorded != SEDGE_OK ? recorded : ended;
    }
    krylov->graph = graph;
    krylov->graph_x = sedge_buffer_address(solve->x);
    krylov->graph_form = solve->form;
    return SEDGE_OK;
}

static sedge_status run_block(solving *solve)
{
    sedge_krylov *const krylov = solve->krylov;

    if (!can_record(solve)) {
        SEDGE_TRY(launch_block(solve));
    } else {
        if (krylov->graph == NULL || krylov->graph_x != sedge_buffer_address(solve->x) ||
            krylov->graph_form != solve->form)
            SEDGE_TRY(record_block(solve));
        SEDGE_TRY(sedge_graph_launch(krylov->graph, stream_of(krylov)));
    }
    solve->launched += krylov->check;
    solve->krylov->warm = true;
    return SEDGE_OK;
}

// From the residual in r until there is a reason.
static sedge_status iterate(solving *solve)
{
    sedge_krylov *const krylov = solve->krylov;
    int which = 0;

    for (int i = 0; i < 2; i++) {
        SEDGE_TRY(sedge_buffer_upload(krylov->states,
                                      (int64_t)i * STATE_ENTRIES * (int64_t)sizeof(double),
                                      solve->state, sizeof solve->state, NULL));
    }
    solve->launched = 0;
    SEDGE_TRY(sedge_krylov_begin(krylov, solve->form, solve->x));
    if (solve->form == SEDGE_KRYLOV_STANDARD) {
        SEDGE_TRY(queue_look(krylov, which)); // a good guess needs no iteration
        SEDGE_TRY(take_look(solve, which));
        if (solve->state[STATE_REASON] != 0.0) return SEDGE_OK;
    }
    SEDGE_TRY(run_block(solve));
    SEDGE_TRY(queue_look(krylov, which));
    for (;;) { // the next block runs while this one's look is awaited
        SEDGE_TRY(run_block(solve));
        SEDGE_TRY(queue_look(krylov, 1 - which));
        SEDGE_TRY(take_look(solve, which));
        which = 1 - which;
        if (solve->state[STATE_REASON] != 0.0) break;
    }
    return sedge_stream_wait(stream_of(krylov));
}

// ---- before it ---------------------------------------------------------------------------------

// ||b||. Squares of doubles end at 1e-308 and 1e308: what lies outside cannot be told from 0.
static sedge_status measure(sedge_krylov *krylov, const sedge_buffer *b, double *norm)
{
    const uint64_t parts = sedge_buffer_address(krylov->parts);
    krylov_sum sums[2] = {{parts, krylov->kernels.blocks},
                          {parts + SEDGE_KRYLOV_SUMS * sizeof(double), krylov->kernels.blocks}};
    double values[2];

    SEDGE_TRY(SEDGE_LAUNCH(
        krylov->kernels.norm, stream_of(krylov), krylov->kernels.blocks, sedge_buffer_argument(b),
        sedge_address_argument(sums[0].address), sedge_address_argument(sums[1].address),
        sedge_int64_argument(krylov->kernels.rows), sedge_int64_argument(krylov->kernels.chunk)));
    SEDGE_TRY(sedge_krylov_reduce(krylov, sums, 2, values));
    *norm = sqrt(values[0]);
    const bool is_lost = isfinite(values[1]) && values[1] > 0.0 &&
                         (values[0] < 1e10 * DBL_MIN || !isfinite(values[0]));
    if (!is_lost) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_COMPUTE,
                      "the squares of the right-hand side's entries (their sizes add up to %g) are "
                      "outside of what double precision holds: scale it",
                      values[1]);
}

static void set_state(solving *solve)
{
    const sedge_krylov_options *const options = &solve->krylov->options;

    memset(solve->state, 0, sizeof solve->state);
    solve->state[STATE_BEST] = DBL_MAX;
    solve->state[STATE_TARGET] = solve->target * solve->target;
    solve->state[STATE_LIMIT] = (double)options->iterations;
    solve->state[STATE_WINDOW] = (double)options->stagnation;
    solve->state[STATE_FRESH] = 1.0;
    solve->state[STATE_RING] = solve->krylov->ring_entries;
}

// ---- starts ------------------------------------------------------------------------------------

static sedge_status copy_vector(const solving *solve, sedge_buffer *to, const sedge_buffer *from)
{
    const sedge_krylov *const krylov = solve->krylov;

    return sedge_buffer_copy(to, from, krylov->rows * krylov->real_bytes, stream_of(krylov));
}

// The true residual of x, left in r, and of which iteration x is.
static sedge_status measure_x(solving *solve, sedge_krylov_result *result, double iteration)
{
    double rr = 0.0;

    SEDGE_TRY(sedge_krylov_residual(solve->krylov, solve->b, solve->x, &rr));
    result->true_residual = sqrt(rr);
    result->kept = (int64_t)iteration;
    return SEDGE_OK;
}

// From x, whose residual is in r and `result`, until there is a reason.
static sedge_status run_from_x(solving *solve, sedge_krylov_result *result)
{
    solve->start_residual = result->true_residual;
    memcpy(solve->start, solve->state, sizeof solve->start);
    SEDGE_TRY(copy_vector(solve, solve->krylov->vector[VECTOR_START], solve->x));
    SEDGE_TRY(iterate(solve));
    const double made = solve->state[STATE_ITERATION] - solve->start[STATE_ITERATION];
    result->bytes += made * sedge_krylov_bytes(solve->krylov, solve->form);
    result->reason = (sedge_krylov_reason)(solve->state[STATE_REASON] - 1.0);
    result->recursive_residual = sqrt(solve->state[STATE_RR]);
    return measure_x(solve, result, solve->state[STATE_ITERATION]);
}

static sedge_status back_to_start(solving *solve, sedge_krylov_result *result)
{
    SEDGE_TRY(copy_vector(solve, solve->x, solve->krylov->vector[VECTOR_START]));
    return measure_x(solve, result, solve->start[STATE_ITERATION]);
}

// Make x what it was at the least residual since the start. Nothing was kept on the way: the same
// steps are made again, which on the device give the same bits, so that an iteration of a solve
// that goes well pays nothing.
static sedge_status back_to_best(solving *solve, sedge_krylov_result *result)
{
    double end[STATE_ENTRIES];

    memcpy(end, solve->state, sizeof end);
    SEDGE_TRY(back_to_start(solve, result));
    result->recursive_residual = sqrt(end[STATE_BEST]);
    if (end[STATE_BEST_AT] == solve->start[STATE_ITERATION]) return SEDGE_OK;
    memcpy(solve->state, solve->start, sizeof solve->state);
    solve->state[STATE_LIMIT] = end[STATE_BEST_AT];
    solve->is_again = true;
    SEDGE_TRY(iterate(solve));
    solve->is_again = false;
    memcpy(solve->state, end, sizeof end);
    SEDGE_TRY(measure_x(solve, result, end[STATE_BEST_AT]));
    return result->true_residual < solve->start_residual ? SEDGE_OK : back_to_start(solve, result);
}

static void prepare_restart(solving *solve, sedge_krylov_result *result)
{
    result->restarts++;
    solve->state[STATE_REASON] = 0.0;
    solve->state[STATE_FRESH] = 1.0;
    solve->krylov->history_count--; // the true residual takes the recursive one's place
}

// ---- what ended it -----------------------------------------------------------------------------

// May rounding alone have given this reason? The standard form computes p.Ap and r.Mr themselves,
// but far from its start r is not b - A x any more: once it starts again. The others compute them
// by recurrences, of which nothing is believed.
static bool is_doubtful(const solving *solve, const sedge_krylov_result *result)
{
    const bool is_standard = solve->form == SEDGE_KRYLOV_STANDARD;
    const bool is_far = solve->state[STATE_ITERATION] > solve->start[STATE_ITERATION];

    switch (result->reason) {
    case SEDGE_KRYLOV_CONVERGED:
    case SEDGE_KRYLOV_LIMIT:
        return false;
    case SEDGE_KRYLOV_CURVATURE:
    case SEDGE_KRYLOV_PRECONDITIONER:
        return !is_standard || (is_far && result->doubted == SEDGE_KRYLOV_CONVERGED);
    case SEDGE_KRYLOV_NAN:
        return !is_standard && isfinite(solve->start_residual);
    case SEDGE_KRYLOV_STAGNATION:
    case SEDGE_KRYLOV_APART:
    case SEDGE_KRYLOV_DIVERGED:
        return !is_standard;
    }
    return false;
}

// Go on in the standard form, from x if that is nearer than the start was.
static sedge_status take_over(solving *solve, sedge_krylov_result *result)
{
    if (!(result->true_residual < solve->start_residual)) SEDGE_TRY(back_to_start(solve, result));
    result->doubted = result->reason;
    result->doubted_at = (int64_t)solve->state[STATE_ITERATION];
    if (solve->form != SEDGE_KRYLOV_STANDARD) solve->krylov->warm = false; // kernels are new
    solve->form = SEDGE_KRYLOV_STANDARD;
    return SEDGE_OK;
}

// x as a solve that did not converge hands it back.
static sedge_status end_apart(solving *solve, sedge_krylov_result *result)
{
    const double best = solve->state[STATE_BEST];

    switch (result->reason) {
    case SEDGE_KRYLOV_CURVATURE:
    case SEDGE_KRYLOV_PRECONDITIONER:
    case SEDGE_KRYLOV_STAGNATION:
    case SEDGE_KRYLOV_DIVERGED:
        return solve->state[STATE_RR] > best ? back_to_best(solve, result) : SEDGE_OK;
    case SEDGE_KRYLOV_NAN:
    case SEDGE_KRYLOV_APART:
        if (!isfinite(solve->start_residual) || result->true_residual <= solve->start_residual)
            return SEDGE_OK;
        return back_to_start(solve, result);
    case SEDGE_KRYLOV_CONVERGED:
    case SEDGE_KRYLOV_LIMIT:
        break;
    }
    return SEDGE_OK;
}

// Iterate until the true residual is at the target, or there is a reason to believe.
static sedge_status solve_truly(solving *solve, sedge_krylov_result *result)
{
    double last = (double)INFINITY;

    for (;;) {
        SEDGE_TRY(run_from_x(solve, result));
        if (solve->krylov->starts_once) return SEDGE_OK;
        if (result->true_residual <= solve->target) {
            result->reason = SEDGE_KRYLOV_CONVERGED;
            return SEDGE_OK;
        }
        if (result->reason == SEDGE_KRYLOV_CONVERGED) { // so the recurrences believe
            const bool is_gaining = result->true_residual < RESTART_GAIN * last;
            result->reason =
                isfinite(result->true_residual) ? SEDGE_KRYLOV_APART : SEDGE_KRYLOV_NAN;
            if (is_gaining && solve->state[STATE_ITERATION] < solve->state[STATE_LIMIT]) {
                last = result->true_residual;
                prepare_restart(solve, result);
                solve->state[STATE_TARGET] = pow(RESTART_AIM * solve->target, 2.0);
                continue;
            }
            if (is_gaining && isfinite(result->true_residual)) { // with more iterations it might
                result->reason = SEDGE_KRYLOV_LIMIT;
                return SEDGE_OK;
            }
        }
        if (!is_doubtful(solve, result)) return end_apart(solve, result);
        if (solve->state[STATE_ITERATION] >= solve->state[STATE_LIMIT]) {
            SEDGE_TRY(end_apart(solve, result));
            result->reason = SEDGE_KRYLOV_LIMIT; // another form has no iteration left to say more
            return SEDGE_OK;
        }
        last = (double)INFINITY;
        SEDGE_TRY(take_over(solve, result));
        prepare_restart(solve, result);
    }
}

// ---- the whole ---------------------------------------------------------------------------------

// Time the forms on b - A x, without touching x.
static sedge_status choose_form(solving *solve)
{
    double state[STATE_ENTRIES];

    set_state(solve);
    memcpy(state, solve->state, sizeof state);
    state[STATE_TARGET] = 0.0;
    state[STATE_LIMIT] = 1e9;
    state[STATE_WINDOW] = 0.0;
    return sedge_krylov_choose(solve->krylov, state);
}

// A x = 0 has one solution, which no relative tolerance leads to.
static sedge_status solve_zero(sedge_krylov *krylov, sedge_buffer *x)
{
    const int64_t bytes = krylov->rows * krylov->real_bytes;
    sedge_status status;
    void *zeros = NULL;

    SEDGE_TRY(sedge_stream_wait(stream_of(krylov)));
    SEDGE_TRY(sedge_allocate(&zeros, bytes, 1));
    SEDGE_TRY_GOTO(status, sedge_buffer_upload(x, 0, zeros, bytes, NULL));
done:
    sedge_release(zeros);
    return status;
}

static sedge_status check_vector(const sedge_krylov *krylov, const sedge_buffer *vector,
                                 const char *name)
{
    if (sedge_buffer_bytes(vector) >= krylov->rows * krylov->real_bytes) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "%s has %lld bytes; %lld numbers of %d bytes are needed",
                      name, (long long)sedge_buffer_bytes(vector), (long long)krylov->rows,
                      krylov->real_bytes);
}

static sedge_status solve_all(sedge_krylov_result *result, sedge_krylov *krylov,
                              const sedge_buffer *b, sedge_buffer *x)
{
    const double began = sedge_clock();
    solving solve = {.krylov = krylov, .b = b, .x = x};
    double rr = 0.0;

    *result = (sedge_krylov_result){
        .reason = SEDGE_KRYLOV_CONVERGED, .form = krylov->form, .check = krylov->check};
    krylov->history_count = 0;
    krylov->right = b;
    SEDGE_TRY(check_vector(krylov, b, "the right-hand side"));
    SEDGE_TRY(check_vector(krylov, x, "the solution"));
    SEDGE_TRY(measure(krylov, b, &result->right_hand_side));
    if (result->right_hand_side == 0.0) {
        SEDGE_TRY(solve_zero(krylov, x));
        if (krylov->form == SEDGE_KRYLOV_AUTO) result->form = SEDGE_KRYLOV_STANDARD;
        result->first_form = result->form;
        result->seconds = sedge_clock() - began;
        return SEDGE_OK;
    }
    solve.target =
        fmax(krylov->options.tolerance * result->right_hand_side, krylov->options.absolute);
    result->target = solve.target;
    SEDGE_TRY(sedge_krylov_residual(krylov, b, x, &rr));
    result->initial = result->true_residual = sqrt(rr);
    if (krylov->form == SEDGE_KRYLOV_AUTO) {
        SEDGE_TRY(choose_form(&solve));
        SEDGE_TRY(sedge_krylov_residual(krylov, b, x, NULL));
    }
    result->first_form = solve.form = krylov->form;
    set_state(&solve);
    SEDGE_TRY(solve_truly(&solve, result));
    result->form = solve.form;
    result->iterations = (int64_t)solve.state[STATE_ITERATION];
    result->history = krylov->history;
    result->history_count = krylov->history_count;
    result->graphs = krylov->graph != NULL && can_record(&solve);
    result->seconds = sedge_clock() - began;
    return SEDGE_OK;
}

sedge_status sedge_krylov_solve(sedge_krylov_result *result, sedge_krylov *krylov,
                                const sedge_buffer *b, sedge_buffer *x)
{
    const sedge_status status = solve_all(result, krylov, b, x);

    // What the numbers are to blame for all ranks see alike, from the same sums.
    if (status == SEDGE_OK || status == SEDGE_ERR_COMPUTE || !krylov->is_many) return status;
    sedge_comm_end_alone(krylov->comm, status);
}
