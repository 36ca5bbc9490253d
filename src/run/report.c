#include "report.h"

#include "base/file.h"

#include <jansson.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

// JSON has no infinity and no not-a-number: they become null.
static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

// A number that is null where it was not measured.
static json_t *measured(double value)
{
    return value < 0.0 ? json_null() : number(value);
}

// Texts of drivers and decks that are no UTF-8 become null rather than spoil the report.
static json_t *text(const char *value)
{
    json_t *const string = value != NULL ? json_string(value) : NULL;

    return string != NULL ? string : json_null();
}

static json_t *kernels(const sedge_report *report)
{
    json_t *const list = json_array();

    for (int i = 0; i < report->kernels && i < SEDGE_REPORT_KERNELS; i++) {
        const sedge_report_kernel *const kernel = &report->kernel[i];

        (void)json_array_append_new(
            list, json_pack("{s:o, s:o, s:o, s:I, s:o, s:o, s:o}", "name", text(kernel->name),
                            "variant", text(kernel->variant), "seconds", measured(kernel->seconds),
                            "launches", (json_int_t)kernel->launches, "bytes",
                            number(kernel->bytes), "flops", number(kernel->flops),
                            "fraction_of_floor", measured(kernel->fraction_of_floor)));
    }
    return list;
}

// {field: error}; null without an exact solution.
static json_t *errors(const sedge_report *report, const double *values)
{
    if (report->fields == 0) return json_null();
    json_t *const object = json_object();

    for (int f = 0; f < report->fields; f++)
        (void)json_object_set_new(object, report->field_names[f], number(values[f]));
    return object;
}

static json_t *rate(const sedge_report *report)
{
    const double work =
        (double)report->dofs * report->stages * (double)(report->steps - report->steps_before);

    if (report->stages == 0 || !(report->loop_seconds > 0.0)) return json_null();
    return number(work / report->loop_seconds);
}

static json_t *setting(const sedge_report *report)
{
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:i, s:o, s:o, s:i, s:{s:o, s:o, s:i}}", "version",
        text(report->version), "deck", text(report->deck), "title", text(report->title), "equation",
        text(report->equation), "order", report->order, "precision", text(report->precision),
        "units", text(report->units), "ranks", report->ranks, "device", "kind",
        text(report->device_kind), "name", text(report->device_name), "threads", report->threads);
}

static json_t *outcome(const sedge_report *report)
{
    return json_pack("{s:o, s:i, s:I, s:I, s:I, s:I, s:o, s:i, s:i, s:o, s:o}", "outcome",
                     text(report->outcome), "exit_code", report->exit_code, "elements",
                     (json_int_t)report->elements, "dofs", (json_int_t)report->dofs, "steps",
                     (json_int_t)report->steps, "steps_before", (json_int_t)report->steps_before,
                     "restarted_from", text(report->restarted_from), "checkpoints",
                     report->checkpoints, "stages", report->stages, "dt", number(report->dt),
                     "time", number(report->time));
}

static json_t *costs(const sedge_report *report)
{
    return json_pack("{s:{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}, s:o, s:{s:o, s:i, s:o}, s:o, "
                     "s:{s:o, s:o, s:o},"
                     " s:{s:I, s:I}, s:{s:I, s:I}}",
                     "wall_seconds", "setup", number(report->setup_seconds), "mesh",
                     number(report->mesh_seconds), "tune", number(report->tune_seconds), "compile",
                     number(report->compile_seconds), "loop", number(report->loop_seconds),
                     "output", number(report->output_seconds), "checkpoint",
                     number(report->checkpoint_seconds), "total", number(report->total_seconds),
                     "dofs_per_second", rate(report), "tuning", "by", text(report->tuned_by),
                     "timed", report->tuned, "gain", measured(report->tuning_gain), "kernels",
                     kernels(report), "exchange", "transport", text(report->transport),
                     "bytes_per_step", number(report->exchange_bytes_per_step), "hidden",
                     measured(report->exchange_hidden), "cache", "hits",
                     (json_int_t)report->cache_hits, "misses", (json_int_t)report->cache_misses,
                     "memory", "host_peak", (json_int_t)report->memory_host_peak, "device_peak",
                     (json_int_t)report->memory_device_peak);
}

static json_t *results(const sedge_report *report)
{
    return json_pack("{s:{s:o, s:o, s:o}, s:o, s:o, s:o}", "energy", "initial",
                     number(report->energy_initial), "final", number(report->energy_final), "peak",
                     number(report->energy_peak), "l2_error", errors(report, report->l2_error),
                     "linf_error", errors(report, report->linf_error), "l2_error_relative",
                     measured(report->l2_error_relative));
}

static json_t *surfaces(const sedge_report_solve *solve)
{
    json_t *const object = json_object();

    for (int s = 0; s < solve->surfaces; s++)
        (void)json_object_set_new(object, solve->surface_names[s], number(solve->surface_flux[s]));
    return object;
}

static json_t *solving(const sedge_report *report)
{
    const sedge_report_solve *const solve = report->solve;

    if (solve == NULL) return json_object();
    return json_pack("{s:{s:o, s:o, s:I, s:i, s:I, s:o, s:o, s:o, s:i, s:i, s:I, s:o, s:o, s:o},"
                     " s:o}",
                     "solve", "reason", text(solve->reason), "preconditioner",
                     text(solve->preconditioner), "iterations", (json_int_t)solve->iterations,
                     "restarts", solve->restarts, "unknowns", (json_int_t)solve->unknowns,
                     "tolerance", number(solve->tolerance), "residual", number(solve->residual),
                     "imbalance", measured(solve->imbalance), "levels", solve->levels, "amg_levels",
                     solve->amg_levels, "vertices", (json_int_t)solve->vertices, "setup_seconds",
                     number(solve->setup_seconds), "seconds", number(solve->solve_seconds),
                     "amg_seconds", number(solve->amg_seconds), "surface_flux", surfaces(solve));
}

sedge_status sedge_report_write(const sedge_report *report, const char *path)
{
    json_t *const parts[] = {setting(report), outcome(report), costs(report), results(report),
                             solving(report)};
    json_t *const whole = json_object();
    int failed = whole == NULL;

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        failed |= parts[i] == NULL || json_object_update(whole, parts[i]) != 0;
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
