// What `sedge solve` leaves: the report and the solution's file.
#include "solve/solve.h"

#include "base/file.h"
#include "io/h5.h"
#include "io/json.h"

#include <unistd.h>

static json_t *setting(const sedge_solve_record *record)
{
    return json_pack(
        "{s:o, s:o, s:o, s:I, s:I, s:o, s:i, s:{s:o, s:o, s:i}}", "version",
        sedge_json_text(SEDGE_VERSION), "matrix", sedge_json_text(record->options->matrix), "rhs",
        sedge_json_text(record->options->right), "rows", (json_int_t)record->rows, "entries",
        (json_int_t)record->entries, "precision", sedge_json_text(record->precision), "ranks",
        record->ranks, "device", "kind", sedge_json_text(record->device_kind), "name",
        sedge_json_text(record->device_name), "threads", record->threads);
}

static json_t *outcome(const sedge_solve_record *record)
{
    const sedge_krylov_result *const result = &record->result;
    const bool converged = result->reason == SEDGE_KRYLOV_CONVERGED;

    return json_pack(
        "{s:o, s:i, s:b, s:o, s:I, s:I, s:i, s:{s:o, s:o, s:o, s:o, s:o, s:o}}", "outcome",
        sedge_json_text(record->outcome), "exit_code", record->exit_code, "converged", converged,
        "reason", sedge_json_text(sedge_krylov_reason_name(result->reason)), "iterations",
        (json_int_t)result->iterations, "kept", (json_int_t)result->kept, "restarts",
        result->restarts, "residual", "tolerance", sedge_json_number(record->tolerance), "target",
        sedge_json_number(result->target), "right_hand_side",
        sedge_json_number(result->right_hand_side), "initial", sedge_json_number(result->initial),
        "recursive", sedge_json_number(result->recursive_residual), "true",
        sedge_json_number(result->true_residual));
}

static json_t *amg(const sedge_solve_record *record)
{
    if (record->amg.levels == 0) return json_null();
    return json_pack("{s:i, s:o, s:o, s:o, s:I}", "levels", record->amg.levels, "complexity",
                     sedge_json_number(record->amg.complexity), "setup_seconds",
                     sedge_json_number(record->amg.setup_seconds), "seconds",
                     sedge_json_number(record->amg.seconds), "calls",
                     (json_int_t)record->amg.calls);
}

// What ended the first form, or the first start, and was not believed.
static json_t *doubted(const sedge_krylov_result *result)
{
    if (result->doubted == SEDGE_KRYLOV_CONVERGED) return json_null();
    return json_pack("{s:o, s:I}", "reason",
                     sedge_json_text(sedge_krylov_reason_name(result->doubted)), "iterations",
                     (json_int_t)result->doubted_at);
}

static json_t *method(const sedge_solve_record *record)
{
    const sedge_krylov_result *const result = &record->result;
    const sedge_sparse_info *const local = record->matrix.local;
    const bool has_interval = record->interval[1] > 0.0;

    return json_pack(
        "{s:{s:o, s:i, s:o, s:o}, s:{s:o, s:o, s:o, s:i, s:b}, s:{s:o, s:o, s:o, s:o}}",
        "preconditioner", "name", sedge_json_text(record->preconditioner), "block", record->block,
        "interval",
        has_interval ? json_pack("[f, f]", record->interval[0], record->interval[1]) : json_null(),
        "amg", amg(record), "cg", "form", sedge_json_text(sedge_krylov_form_name(result->form)),
        "first_form", sedge_json_text(sedge_krylov_form_name(result->first_form)), "doubted",
        doubted(result), "check", result->check, "graphs", result->graphs, "product", "format",
        sedge_json_text(local->format), "kernel", sedge_json_text(local->kernel), "bytes",
        sedge_json_number(local->compulsory_bytes), "seconds",
        local->seconds > 0.0 ? sedge_json_number(local->seconds) : json_null());
}

static json_t *costs(const sedge_solve_record *record)
{
    const sedge_krylov_result *const result = &record->result;
    const bool has_rate = result->bytes > 0.0 && result->seconds > 0.0;

    return json_pack(
        "{s:{s:o, s:o, s:o, s:o}, s:o, s:{s:o, s:i, s:I, s:o, s:o}, s:{s:I, s:I}, s:{s:I, s:I}}",
        "wall_seconds", "read", sedge_json_number(record->read_seconds), "setup",
        sedge_json_number(record->setup_seconds), "solve", sedge_json_number(result->seconds),
        "output", sedge_json_number(record->output_seconds), "bytes_per_second",
        has_rate ? sedge_json_number(result->bytes / result->seconds) : json_null(), "exchange",
        "transport", sedge_json_text(record->matrix.transport), "peers", record->matrix.peers,
        "halo_rows", (json_int_t)record->matrix.halo_rows, "bytes_per_call",
        sedge_json_number(record->matrix.bytes_exchanged), "seconds_waited",
        sedge_json_number(record->matrix.seconds_waited), "cache", "hits",
        (json_int_t)record->cache_hits, "misses", (json_int_t)record->cache_misses, "memory",
        "host_peak", (json_int_t)record->memory_host_peak, "device_peak",
        (json_int_t)record->memory_device_peak);
}

sedge_status sedge_solve_report(const sedge_solve_record *record, const char *path)
{
    json_t *const parts[] = {setting(record), outcome(record), method(record), costs(record)};

    return sedge_json_write(parts, sizeof parts / sizeof parts[0], path);
}

// ---- the solution ------------------------------------------------------------------------------

static sedge_status write_attributes(sedge_h5 *file, const sedge_solve_record *record)
{
    const sedge_krylov_result *const result = &record->result;

    SEDGE_TRY(sedge_h5_text(file, "/", "sedge_version", SEDGE_VERSION));
    SEDGE_TRY(sedge_h5_text(file, "/", "matrix", record->options->matrix));
    if (record->options->right != NULL)
        SEDGE_TRY(sedge_h5_text(file, "/", "rhs", record->options->right));
    SEDGE_TRY(sedge_h5_text(file, "/", "precision", record->precision));
    SEDGE_TRY(sedge_h5_text(file, "/", "preconditioner", record->preconditioner));
    SEDGE_TRY(sedge_h5_text(file, "/", "reason", sedge_krylov_reason_name(result->reason)));
    SEDGE_TRY(sedge_h5_integer(file, "/", "iterations", result->iterations));
    SEDGE_TRY(sedge_h5_real(file, "/", "target", result->target));
    SEDGE_TRY(sedge_h5_real(file, "/", "right_hand_side", result->right_hand_side));
    SEDGE_TRY(sedge_h5_real(file, "/", "recursive_residual", result->recursive_residual));
    return sedge_h5_real(file, "/", "true_residual", result->true_residual);
}

// Write to a temporary name first and rename: there is never an incomplete file at `path`, and a
// link that somebody else put there is not followed.
sedge_status sedge_solve_write(const sedge_solve_record *record, const double *x, const char *path)
{
    const int64_t rows = record->rows;
    const int64_t steps = record->result.history_count;
    char temporary[SEDGE_PATH_BYTES];
    sedge_h5 *file = NULL;

    SEDGE_TRY(sedge_file_temporary(temporary, path));
    sedge_status status = sedge_h5_create(&file, temporary, 8 * (rows + steps) + 65536);
    if (status == SEDGE_OK) status = write_attributes(file, record);
    if (status == SEDGE_OK) status = sedge_h5_put(file, "/x", SEDGE_H5_F64, 1, &rows, x);
    if (status == SEDGE_OK)
        status = sedge_h5_put(file, "/history", SEDGE_H5_F64, 1, &steps, record->result.history);
    status = sedge_h5_close(file, status);
    if (status == SEDGE_OK) status = sedge_file_publish(temporary, path);
    if (status != SEDGE_OK) (void)unlink(temporary);
    return status;
}
