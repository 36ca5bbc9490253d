// What `sedge solve` leaves: the report and the solution's file.
#include "run/solve.h"

#include "base/file.h"
#include "run/h5.h"

#include <jansson.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *text(const char *value)
{
    json_t *const string = value != NULL ? json_string(value) : NULL;

    return string != NULL ? string : json_null();
}

static json_t *setting(const sedge_solve_record *record)
{
    return json_pack("{s:o, s:o, s:o, s:I, s:I, s:o, s:i, s:{s:o, s:o, s:i}}", "version",
                     text(SEDGE_VERSION), "matrix", text(record->options->matrix), "rhs",
                     text(record->options->right), "rows", (json_int_t)record->rows, "entries",
                     (json_int_t)record->entries, "precision", text(record->precision), "ranks",
                     record->ranks, "device", "kind", text(record->device_kind), "name",
                     text(record->device_name), "threads", record->threads);
}

static json_t *outcome(const sedge_solve_record *record)
{
    const sedge_krylov_result *const result = &record->result;
    const bool converged = result->reason == SEDGE_KRYLOV_CONVERGED;

    return json_pack("{s:o, s:i, s:b, s:o, s:I, s:i, s:{s:o, s:o, s:o, s:o, s:o, s:o}}", "outcome",
                     text(record->outcome), "exit_code", record->exit_code, "converged", converged,
                     "reason", text(sedge_krylov_reason_name(result->reason)), "iterations",
                     (json_int_t)result->iterations, "restarts", result->restarts, "residual",
                     "tolerance", number(record->tolerance), "target", number(result->target),
                     "right_hand_side", number(result->right_hand_side), "initial",
                     number(result->initial), "recursive", number(result->recursive_residual),
                     "true", number(result->true_residual));
}

static json_t *amg(const sedge_solve_record *record)
{
    if (record->amg.levels == 0) return json_null();
    return json_pack("{s:i, s:o, s:o, s:o, s:I}", "levels", record->amg.levels, "complexity",
                     number(record->amg.complexity), "setup_seconds",
                     number(record->amg.setup_seconds), "seconds", number(record->amg.seconds),
                     "calls", (json_int_t)record->amg.calls);
}

static json_t *method(const sedge_solve_record *record)
{
    const sedge_krylov_result *const result = &record->result;
    const sedge_sparse_info *const local = record->matrix.local;
    const bool has_interval = record->interval[1] > 0.0;

    return json_pack(
        "{s:{s:o, s:i, s:o, s:o}, s:{s:o, s:i, s:b}, s:{s:o, s:o, s:o, s:o}}", "preconditioner",
        "name", text(record->preconditioner), "block", record->block, "interval",
        has_interval ? json_pack("[f, f]", record->interval[0], record->interval[1]) : json_null(),
        "amg", amg(record), "cg", "form", text(sedge_krylov_form_name(result->form)), "check",
        result->check, "graphs", result->graphs, "product", "format", text(local->format), "kernel",
        text(local->kernel), "bytes", number(local->compulsory_bytes), "seconds",
        local->seconds > 0.0 ? number(local->seconds) : json_null());
}

static json_t *costs(const sedge_solve_record *record)
{
    const sedge_krylov_result *const result = &record->result;
    const bool has_rate = result->bytes > 0.0 && result->seconds > 0.0;

    return json_pack(
        "{s:{s:o, s:o, s:o, s:o}, s:o, s:{s:i, s:I, s:o, s:o}, s:{s:I, s:I}, s:{s:I, s:I}}",
        "wall_seconds", "read", number(record->read_seconds), "setup",
        number(record->setup_seconds), "solve", number(result->seconds), "output",
        number(record->output_seconds), "bytes_per_second",
        has_rate ? number(result->bytes / result->seconds) : json_null(), "exchange", "peers",
        record->matrix.peers, "halo_rows", (json_int_t)record->matrix.halo_rows, "bytes_per_call",
        number(record->matrix.bytes_exchanged), "seconds_waited",
        number(record->matrix.seconds_waited), "cache", "hits", (json_int_t)record->cache_hits,
        "misses", (json_int_t)record->cache_misses, "memory", "host_peak",
        (json_int_t)record->memory_host_peak, "device_peak",
        (json_int_t)record->memory_device_peak);
}

sedge_status sedge_solve_report(const sedge_solve_record *record, const char *path)
{
    json_t *const parts[] = {setting(record), outcome(record), method(record), costs(record)};
    json_t *const whole = json_object();
    bool failed = whole == NULL;

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        failed = failed || parts[i] == NULL || json_object_update(whole, parts[i]) != 0;
        json_decref(parts[i]);
    }
    char *const bytes = failed ? NULL : json_dumps(whole, JSON_INDENT(2));
    json_decref(whole);
    if (bytes == NULL) return SEDGE_FAIL(SEDGE_ERR_MEMORY, "out of memory for '%s'", path);
    const size_t length = strlen(bytes);
    bytes[length] = '\n'; // in place of the NUL, which is not written
    const sedge_status status = sedge_file_write(path, bytes, length + 1);
    free(bytes);
    return status;
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

sedge_status sedge_solve_write(const sedge_solve_record *record, const double *x, const char *path)
{
    const int64_t rows = record->rows;
    const int64_t steps = record->result.history_count;
    sedge_h5 *file = NULL;

    SEDGE_TRY(sedge_h5_create(&file, path, 8 * (rows + steps) + 65536));
    sedge_status status = write_attributes(file, record);
    if (status == SEDGE_OK) status = sedge_h5_put(file, "/x", SEDGE_H5_F64, 1, &rows, x);
    if (status == SEDGE_OK)
        status = sedge_h5_put(file, "/history", SEDGE_H5_F64, 1, &steps, record->result.history);
    return sedge_h5_close(file, status);
}
