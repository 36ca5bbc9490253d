#include "solve/solve.h"

#include "array/context.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/near.h"
#include "base/plain.h"
#include "base/print.h"
#include "linear/chebyshev.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ASYMMETRY 1e-10 // by the rows' scale: rounding of those who assembled the matrix

typedef struct solve_state {
    const sedge_solve_options *options;
    sedge_comm *comm;
    sedge_solve_kind kind;
    int real_bytes, block;
    sedge_krylov_options how;
    sedge_tune_level tune;

    sedge_device *device;
    sedge_cache *cache;
    sedge_context *context;
    sedge_matrix *whole; // root
    double *right;       // root, [size]
    sedge_matrix *matrix;
    sedge_matrix_device *product;
    sedge_jacobi *jacobi;
    sedge_chebyshev *chebyshev;
    sedge_amg *amg;
    sedge_amg_device *amg_device;
    sedge_krylov *krylov;
    sedge_buffer *b, *x;
    double *solution; // root, [size]
    double printed;   // when progress was last shown
    sedge_solve_record record;
} solve_state;

// ---- options -----------------------------------------------------------------------------------

static sedge_status parse_number(double *out, const char *option, const char *text)
{
    char *end = NULL;

    if (text == NULL) return SEDGE_OK;
    errno = 0;
    *out = sedge_plain_read(text, &end);
    if (end != text && *end == '\0' && *out >= 0.0 && isfinite(*out)) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "--%s '%s' is not a number >= 0", option, text);
}

static sedge_status parse_count(int64_t *out, const char *option, const char *text, int64_t least,
                                int64_t most)
{
    char *end = NULL;

    if (text == NULL) return SEDGE_OK;
    errno = 0;
    *out = strtoll(text, &end, 10);
    if (end != text && *end == '\0' && errno == 0 && *out >= least && *out <= most) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "--%s '%s' is not a whole number from %lld to %lld", option,
                      text, (long long)least, (long long)most);
}

// The place of a word in a list.
static sedge_status parse_word(int *out, const char *option, const char *text,
                               const char *const *words, int count)
{
    char all[128] = "";

    for (int i = 0; i < count; i++) {
        if (text == NULL) return SEDGE_OK;
        if (strcmp(text, words[i]) == 0) {
            *out = i;
            return SEDGE_OK;
        }
        (void)snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s",
                       i == 0          ? ""
                       : i + 1 < count ? ", "
                                       : " and ",
                       words[i]);
    }
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "--%s '%s' is not known; allowed are %s", option, text, all);
}

static const char *const kind_names[] = {"none", "jacobi", "block-jacobi", "chebyshev", "amg"};
static const char *const precision_names[] = {"fp64", "fp32"};
static const char *const tune_names[] = {"off", "fast", "patient"}; // as for the other commands

static sedge_status parse(solve_state *solve)
{
    const sedge_solve_options *const options = solve->options;
    int kind = SEDGE_SOLVE_JACOBI;
    int precision = 0;
    int tune = 0;
    int64_t block = 0;

    solve->how = sedge_krylov_defaults();
    SEDGE_TRY(parse_number(&solve->how.tolerance, "tolerance", options->tolerance));
    if (solve->how.tolerance >= 1.0) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "--tolerance '%s' is not below 1: x = 0 would do",
                          options->tolerance);
    }
    SEDGE_TRY(parse_number(&solve->how.absolute, "absolute", options->absolute));
    SEDGE_TRY(
        parse_count(&solve->how.iterations, "iterations", options->iterations, 0, 1000000000));
    SEDGE_TRY(parse_count(&block, "block", options->block, 1, 64));
    SEDGE_TRY(parse_word(&kind, "preconditioner", options->preconditioner, kind_names, 5));
    SEDGE_TRY(parse_word(&precision, "precision", options->precision, precision_names, 2));
    if (options->form != NULL) SEDGE_TRY(sedge_krylov_form_parse(&solve->how.form, options->form));
    SEDGE_TRY(sedge_tune_level_default(&solve->tune, SEDGE_TUNE_FAST));
    if (options->tune != NULL) {
        SEDGE_TRY(parse_word(&tune, "tune", options->tune, tune_names, 3));
        solve->tune = (sedge_tune_level)tune;
    }
    if (block > 0 && kind != SEDGE_SOLVE_BLOCK_JACOBI && kind != SEDGE_SOLVE_CHEBYSHEV) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "--block goes with --preconditioner block-jacobi or chebyshev");
    }
    solve->kind = (sedge_solve_kind)kind;
    solve->real_bytes = precision == 0 ? 8 : 4;
    solve->block = (int)block;
    solve->record.precision = precision_names[precision];
    solve->record.preconditioner = kind_names[kind];
    solve->record.tolerance = solve->how.tolerance;
    return SEDGE_OK;
}

// ---- reading -----------------------------------------------------------------------------------

static sedge_status check_symmetry(const sedge_matrix *whole, const char *path)
{
    sedge_matrix_symmetry found;

    SEDGE_TRY(sedge_matrix_measure(&found, whole));
    if (!(found.ratio > ASYMMETRY)) return SEDGE_OK;
    return SEDGE_FAIL(
        SEDGE_ERR_DATA,
        "'%s' is %s: |a_ij - a_ji| is %g for row %lld, column %lld, %g times the scale of "
        "these rows; conjugate gradients need a symmetric positive definite matrix",
        path, found.is_skew ? "skew-symmetric" : "not symmetric", found.difference,
        (long long)found.row + 1, (long long)found.column + 1, found.ratio);
}

// Neither infinite in fp32 nor, where it is divided by, without an inverse there.
static bool fits_single(double value, bool is_divisor)
{
    const double size = fabs(value);

    return size <= (double)FLT_MAX && (!is_divisor || size == 0.0 || size >= (double)FLT_MIN);
}

static sedge_status check_single(const solve_state *solve)
{
    static const char advice[] = "does not fit fp32, 1.2e-38 to 3.4e38: use --precision fp64";
    const sedge_solve_options *const options = solve->options;
    const sedge_matrix *const whole = solve->whole;

    for (int64_t i = 0; i < whole->size; i++) {
        for (int64_t k = whole->offsets[i]; k < whole->offsets[i + 1]; k++) {
            if (fits_single(whole->values[k], whole->columns[k] == i)) continue;
            return SEDGE_FAIL(SEDGE_ERR_DATA, "'%s': the entry %g in row %lld, column %lld %s",
                              options->matrix, whole->values[k], (long long)i + 1,
                              (long long)whole->columns[k] + 1, advice);
        }
    }
    int64_t largest = 0;
    for (int64_t i = 1; i < whole->size; i++)
        if (fabs(solve->right[i]) > fabs(solve->right[largest])) largest = i;
    if (fits_single(solve->right[largest], true)) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_DATA, "'%s': number %lld, %g, the largest, %s", options->right,
                      (long long)largest + 1, solve->right[largest], advice);
}

// Of the root: what cannot be written in the end is not worth a solve, nor what cannot be read
// after a large matrix.
static sedge_status try_places(const sedge_solve_options *options)
{
    const char *const results[] = {options->output, options->report};
    const char *const names[] = {"output", "report"};
    const char *const inputs[] = {options->matrix, options->right};
    const char *const what[] = {"matrix", "right-hand side"};

    for (int i = 0; i < 2; i++) {
        if (results[i] == NULL) continue;
        SEDGE_TRY(sedge_file_try(results[i]));
        for (int k = 0; k < 2; k++) {
            if (inputs[k] == NULL || !sedge_file_is_same(results[i], inputs[k])) continue;
            return SEDGE_FAIL(SEDGE_ERR_USAGE, "--%s '%s' is the %s itself; choose another name",
                              names[i], results[i], what[k]);
        }
    }
    if (results[0] != NULL && results[1] != NULL && sedge_file_is_same(results[0], results[1])) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "--output and --report are both '%s': give them two names", results[1]);
    }
    SEDGE_TRY(sedge_file_check(options->matrix, SEDGE_ERR_DATA));
    return options->right != NULL ? sedge_file_check(options->right, SEDGE_ERR_DATA) : SEDGE_OK;
}

// Of the root.
static sedge_status read_files(solve_state *solve)
{
    const sedge_solve_options *const options = solve->options;

    SEDGE_TRY(sedge_matrix_read(&solve->whole, options->matrix));
    const int64_t size = solve->whole->size;
    SEDGE_TRY(check_symmetry(solve->whole, options->matrix));
    if (options->right != NULL) {
        SEDGE_TRY(sedge_matrix_read_vector(&solve->right, options->right, size));
    } else {
        SEDGE_TRY(sedge_allocate(&solve->right, size, sizeof *solve->right));
        for (int64_t i = 0; i < size; i++) solve->right[i] = 1.0;
    }
    if (solve->real_bytes == 4) SEDGE_TRY(check_single(solve));
    SEDGE_TRY(sedge_allocate(&solve->solution, size, sizeof *solve->solution));
    if (solve->block == 0) {
        solve->block =
            solve->kind == SEDGE_SOLVE_BLOCK_JACOBI ? sedge_matrix_find_block(solve->whole) : 1;
    }
    solve->record.rows = size;
    solve->record.entries = solve->whole->offsets[size];
    return SEDGE_OK;
}

static sedge_status read_and_spread(solve_state *solve)
{
    const double began = sedge_clock();
    sedge_status status = SEDGE_OK;
    int64_t facts[3];

    if (sedge_comm_is_root(solve->comm)) status = read_files(solve);
    SEDGE_TRY(sedge_comm_agree(solve->comm, status));
    facts[0] = solve->block;
    facts[1] = solve->record.rows;
    facts[2] = solve->record.entries;
    sedge_comm_broadcast(solve->comm, facts, sizeof facts, 0);
    solve->block = (int)facts[0];
    solve->record.rows = facts[1];
    solve->record.entries = facts[2];
    SEDGE_TRY(sedge_matrix_spread(&solve->matrix, solve->comm, solve->whole));
    sedge_matrix_free(solve->whole);
    solve->whole = NULL;
    solve->record.read_seconds = sedge_clock() - began;
    return SEDGE_OK;
}

// ---- setting up --------------------------------------------------------------------------------

static sedge_status open_device(solve_state *solve)
{
    const char *const kind = solve->options->device;

    SEDGE_TRY(sedge_device_create(&solve->device, kind != NULL ? kind : "auto",
                                  sedge_comm_node_rank(solve->comm),
                                  sedge_comm_node_size(solve->comm)));
    SEDGE_TRY(sedge_device_make_current(solve->device));
    SEDGE_TRY(sedge_cache_create(&solve->cache, NULL));
    return sedge_context_create(&solve->context, solve->device, solve->cache);
}

static sedge_status make_preconditioner(solve_state *solve, sedge_krylov_preconditioner *out)
{
    const sedge_krylov_operator op = sedge_matrix_device_operator(solve->product);
    const int64_t rows = solve->matrix->rows;

    *out = (sedge_krylov_preconditioner){0};
    if (solve->kind == SEDGE_SOLVE_NONE) return SEDGE_OK;
    if (solve->kind == SEDGE_SOLVE_AMG) {
        SEDGE_TRY(sedge_amg_create(&solve->amg, solve->comm, solve->matrix));
        SEDGE_TRY(sedge_comm_agree(solve->comm, sedge_amg_device_create(&solve->amg_device,
                                                                        solve->amg, solve->context,
                                                                        solve->real_bytes, rows)));
        *out = sedge_amg_device_preconditioner(solve->amg_device);
        return SEDGE_OK;
    }
    SEDGE_TRY(sedge_jacobi_create(&solve->jacobi, solve->context, solve->comm, solve->matrix,
                                  solve->real_bytes, solve->block));
    *out = sedge_jacobi_preconditioner(solve->jacobi);
    if (solve->kind != SEDGE_SOLVE_CHEBYSHEV) return SEDGE_OK;
    const sedge_chebyshev_options options = sedge_chebyshev_defaults();
    const sedge_krylov_preconditioner inner = *out;
    SEDGE_TRY(sedge_chebyshev_create(&solve->chebyshev, solve->context, solve->comm,
                                     solve->real_bytes, rows, &op, &inner, &options));
    sedge_chebyshev_interval(solve->chebyshev, &solve->record.interval[0],
                             &solve->record.interval[1]);
    *out = sedge_chebyshev_preconditioner(solve->chebyshev);
    return SEDGE_OK;
}

static sedge_status upload_right(solve_state *solve, const double *part)
{
    const int64_t rows = solve->matrix->rows;
    sedge_status status;
    float *narrow = NULL;

    SEDGE_TRY(sedge_buffer_create(&solve->b, solve->device, rows * solve->real_bytes));
    SEDGE_TRY(sedge_buffer_create(&solve->x, solve->device, rows * solve->real_bytes));
    if (solve->real_bytes == 8) return sedge_buffer_upload(solve->b, 0, part, rows * 8, NULL);
    SEDGE_TRY(sedge_allocate(&narrow, rows, sizeof *narrow));
    for (int64_t i = 0; i < rows; i++) narrow[i] = (float)part[i];
    status = sedge_buffer_upload(solve->b, 0, narrow, rows * 4, NULL);
    sedge_release(narrow);
    return status;
}

// Progress of the iterations: rewritten in place on a terminal, else a line now and then.
static void show_progress(void *context, int64_t iteration, double residual, double target)
{
    solve_state *const solve = context;
    const double now = sedge_clock();

    if (now - solve->printed < (solve->options->terminal ? 0.2 : 5.0)) return;
    solve->printed = now;
    printf("%siteration %-9lld residual %.3e of %.3e%s", solve->options->terminal ? "\r" : "",
           (long long)iteration, residual, target, solve->options->terminal ? "" : "\n");
    sedge_print_flush();
}

static sedge_status set_up(solve_state *solve)
{
    const double began = sedge_clock();
    sedge_krylov_preconditioner preconditioner;
    sedge_status status;
    double *part = NULL;

    SEDGE_TRY(sedge_matrix_device_create(&solve->product, solve->context, solve->comm,
                                         solve->matrix, solve->real_bytes, solve->tune));
    SEDGE_TRY(make_preconditioner(solve, &preconditioner));
    const sedge_krylov_operator op = sedge_matrix_device_operator(solve->product);
    if (sedge_comm_is_root(solve->comm) && !solve->options->quiet) {
        solve->how.progress = show_progress;
        solve->how.progress_context = solve;
    }
    SEDGE_TRY(sedge_krylov_create(&solve->krylov, solve->context, solve->comm, solve->real_bytes,
                                  solve->matrix->rows, &op, &preconditioner, &solve->how));
    SEDGE_TRY(
        sedge_comm_agree(solve->comm, sedge_allocate(&part, solve->matrix->rows, sizeof *part)));
    SEDGE_TRY_GOTO(status, sedge_matrix_scatter(solve->matrix, solve->comm, solve->right, part));
    SEDGE_TRY_GOTO(status, sedge_comm_agree(solve->comm, upload_right(solve, part)));
    solve->record.setup_seconds = sedge_clock() - began;
done:
    sedge_release(part);
    return status;
}

// ---- results -----------------------------------------------------------------------------------

static sedge_status fetch(solve_state *solve)
{
    const int64_t rows = solve->matrix->rows;
    sedge_status status;
    double *part = NULL;
    float *narrow = NULL;

    status = sedge_allocate(&part, rows, sizeof *part);
    if (status == SEDGE_OK) status = sedge_allocate(&narrow, rows, sizeof *narrow);
    if (status == SEDGE_OK) {
        status = sedge_buffer_download(solve->x, 0, solve->real_bytes == 8 ? (void *)part : narrow,
                                       rows * solve->real_bytes, NULL);
    }
    SEDGE_TRY_GOTO(status, sedge_comm_agree(solve->comm, status));
    if (solve->real_bytes == 4)
        for (int64_t i = 0; i < rows; i++) part[i] = (double)narrow[i];
    status = sedge_matrix_gather(solve->matrix, solve->comm, part, solve->solution);
done:
    sedge_release(part);
    sedge_release(narrow);
    return status;
}

// What befell the solve on its way.
static void print_doubt(const sedge_krylov_result *result)
{
    const char *const reason = sedge_krylov_reason_name(result->doubted);
    const char *const first = sedge_krylov_form_name(result->first_form);

    if (result->doubted != SEDGE_KRYLOV_CONVERGED && result->first_form == result->form) {
        printf("started again after %lld iterations, from the true residual, to make sure of: %s\n",
               (long long)result->doubted_at, reason);
    } else if (result->doubted != SEDGE_KRYLOV_CONVERGED && result->doubted == result->reason) {
        printf("went on in the standard form after %lld iterations, which confirms what the %s "
               "form said: %s\n",
               (long long)result->doubted_at, first, reason);
    } else if (result->doubted != SEDGE_KRYLOV_CONVERGED) {
        printf("went on in the standard form after %lld iterations: the %s form lost its digits "
               "(%s)\n",
               (long long)result->doubted_at, first, reason);
    }
    if (result->kept != result->iterations) {
        printf("the solution is that of iteration %lld, the best\n", (long long)result->kept);
    }
}

static void print_result(const solve_state *solve)
{
    const sedge_krylov_result *const result = &solve->record.result;
    const sedge_sparse_info *const local = solve->record.matrix.local;

    if (solve->options->terminal) printf("\r%*s\r", 70, "");
    printf("%s: %lld rows, %lld entries, %s\n", solve->options->matrix,
           (long long)solve->record.rows, (long long)solve->record.entries,
           solve->record.precision);
    printf("%s (%s), %d rank%s; product: %s; preconditioner: %s", solve->record.device_name,
           solve->record.device_kind, solve->record.ranks, solve->record.ranks == 1 ? "" : "s",
           local->kernel, solve->record.preconditioner);
    if (solve->kind == SEDGE_SOLVE_BLOCK_JACOBI) printf(", blocks of %d", solve->block);
    if (solve->kind == SEDGE_SOLVE_BLOCK_JACOBI && solve->block == 1 &&
        solve->options->block == NULL)
        printf(": the matrix shows no larger ones, so this is jacobi; --block ROWS makes some");
    if (solve->kind == SEDGE_SOLVE_AMG) {
        printf(", %d levels, %.2f s to set up, %.2f s of the solve on the host",
               solve->record.amg.levels, solve->record.amg.setup_seconds,
               solve->record.amg.seconds);
    }
    printf("\n%s after %lld iterations (%s form, %d restart%s) in %.3f s\n",
           sedge_krylov_reason_name(result->reason), (long long)result->iterations,
           sedge_krylov_form_name(result->form), result->restarts, result->restarts == 1 ? "" : "s",
           result->seconds);
    print_doubt(result);
    printf("residual %.3e, recursive %.3e, target %.3e, right-hand side %.3e\n",
           result->true_residual, result->recursive_residual, result->target,
           result->right_hand_side);
}

static void fill_record(solve_state *solve)
{
    const sedge_device_info *const info = sedge_device_get_info(solve->device);
    const sedge_cache_counts counts = sedge_cache_get_counts(solve->cache);
    sedge_solve_record *const record = &solve->record;

    record->options = solve->options;
    record->ranks = sedge_comm_size(solve->comm);
    record->block = solve->block;
    record->device_kind = info->kind_name;
    record->device_name = info->name;
    record->threads = sedge_traits_of(info->kind)->in_call ? info->multiprocessors : 1;
    record->matrix = sedge_matrix_device_get_info(solve->product);
    if (solve->amg != NULL) record->amg = sedge_amg_get_counts(solve->amg);
    record->cache_hits = counts.hits;
    record->cache_misses = counts.misses;
    int64_t memory[2] = {sedge_memory_peak(), sedge_device_memory_peak(solve->device)};
    sedge_comm_max_int(solve->comm, memory, 2);
    record->memory_host_peak = memory[0];
    record->memory_device_peak = memory[1];
}

// Output, report and what is printed, of the root; gives the solve's own outcome.
static sedge_status tell(solve_state *solve)
{
    sedge_solve_record *const record = &solve->record;
    const sedge_krylov_result *const result = &record->result;
    const double began = sedge_clock();
    char message[4096] = "done";
    sedge_status outcome = SEDGE_OK;

    if (!solve->options->quiet) print_result(solve);
    if (result->reason != SEDGE_KRYLOV_CONVERGED) {
        outcome = SEDGE_ERR_COMPUTE;
        (void)snprintf(message, sizeof message,
                       "'%s' is not solved: %s (%s); %lld iterations, residual %.3e, target %.3e",
                       solve->options->matrix, sedge_krylov_reason_name(result->reason),
                       sedge_krylov_reason_text(result->reason), (long long)result->iterations,
                       result->true_residual, result->target);
    }
    if (solve->options->output != NULL)
        SEDGE_TRY(sedge_solve_write(record, solve->solution, solve->options->output));
    record->output_seconds = sedge_clock() - began;
    record->outcome = message;
    record->exit_code = sedge_status_exit_code(outcome);
    const sedge_status reported = solve->options->report != NULL
                                      ? sedge_solve_report(record, solve->options->report)
                                      : SEDGE_OK;
    record->outcome = NULL;
    SEDGE_TRY(reported);
    return outcome == SEDGE_OK ? SEDGE_OK : SEDGE_FAIL(outcome, "%s", message);
}

// ---- the command -------------------------------------------------------------------------------

static void close_state(solve_state *solve)
{
    sedge_krylov_free(solve->krylov);
    sedge_amg_device_free(solve->amg_device);
    sedge_amg_free(solve->amg);
    sedge_chebyshev_free(solve->chebyshev);
    sedge_jacobi_free(solve->jacobi);
    sedge_matrix_device_free(solve->product);
    sedge_buffer_free(solve->b);
    sedge_buffer_free(solve->x);
    sedge_matrix_free(solve->matrix);
    sedge_matrix_free(solve->whole);
    sedge_release(solve->right);
    sedge_release(solve->solution);
    sedge_context_free(solve->context);
    sedge_cache_free(solve->cache);
    sedge_device_free(solve->device);
}

sedge_status sedge_solve(sedge_comm *comm, const sedge_solve_options *options)
{
    solve_state solve = {.options = options, .comm = comm};
    sedge_status status;

    // Ranks may have been started with different words and variables.
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, parse(&solve)));
    if (sedge_comm_is_root(comm)) status = try_places(options);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, open_device(&solve)));
    SEDGE_TRY_GOTO(status, read_and_spread(&solve));
    SEDGE_TRY_GOTO(status, set_up(&solve));
    SEDGE_TRY_GOTO(status,
                   sedge_krylov_solve(&solve.record.result, solve.krylov, solve.b, solve.x));
    SEDGE_TRY_GOTO(status, fetch(&solve));
    fill_record(&solve);
    if (sedge_comm_is_root(comm)) status = tell(&solve);
    status = sedge_comm_agree(comm, status);
done:
    close_state(&solve);
    return status;
}
