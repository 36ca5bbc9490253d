#include "report.h"

#include "base/memory.h"
#include "io/json.h"

#include <math.h>

// A number that is null where it was not measured.
static json_t *measured(double value)
{
    return value < 0.0 ? json_null() : sedge_json_number(value);
}

static json_t *kernels(const sedge_report *report)
{
    json_t *const list = json_array();

    for (int i = 0; i < report->kernels; i++) {
        const sedge_report_kernel *const kernel = &report->kernel[i];

        (void)json_array_append_new(
            list,
            json_pack("{s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:o}", "name",
                      sedge_json_text(kernel->name), "variant", sedge_json_text(kernel->variant),
                      "seconds", measured(kernel->seconds), "seconds_mean",
                      measured(kernel->seconds_mean), "launches", (json_int_t)kernel->launches,
                      "bytes", sedge_json_number(kernel->bytes), "flops", measured(kernel->flops),
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
        (void)json_object_set_new(object, report->field_names[f], sedge_json_number(values[f]));
    return object;
}

// {group: relative error}; null without an exact solution.
static json_t *group_errors(const sedge_report *report)
{
    if (report->groups == 0) return json_null();
    json_t *const object = json_object();

    for (int g = 0; g < report->groups; g++) {
        (void)json_object_set_new(object, report->group[g].name,
                                  sedge_json_number(report->l2_error_group[g]));
    }
    return object;
}

static json_t *rate(const sedge_report *report)
{
    const double work = (double)report->dofs * report->stages * sedge_levels_work(&report->levels) *
                        (double)(report->steps - report->steps_before);

    const double seconds = report->watch.seconds[SEDGE_PHASE_LOOP];

    if (report->stages == 0 || !(seconds > 0.0)) return json_null();
    return sedge_json_number(work / seconds);
}

static json_t *setting(const sedge_report *report)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:i, s:o, s:o, s:i, s:{s:o, s:o, s:i}}", "version",
                     sedge_json_text(report->version), "deck", sedge_json_text(report->deck),
                     "title", sedge_json_text(report->title), "equation",
                     sedge_json_text(report->equation), "order", report->order, "precision",
                     sedge_json_text(report->precision), "units", sedge_json_text(report->units),
                     "ranks", report->ranks, "device", "kind", sedge_json_text(report->device_kind),
                     "name", sedge_json_text(report->device_name), "threads", report->threads);
}

static json_t *outcome(const sedge_report *report)
{
    return json_pack("{s:o, s:i, s:I, s:I, s:I, s:I, s:o, s:i, s:{s:o, s:b}, s:i, s:o, s:o, s:o}",
                     "outcome", sedge_json_text(report->outcome), "exit_code", report->exit_code,
                     "elements", (json_int_t)report->elements, "dofs", (json_int_t)report->dofs,
                     "steps", (json_int_t)report->steps, "steps_before",
                     (json_int_t)report->steps_before, "restarted_from",
                     sedge_json_text(report->restarted_from), "checkpoints", report->checkpoints,
                     "checkpoint", "write_seconds", sedge_json_number(report->checkpoint_seconds),
                     "beside_steps", report->checkpoint_beside, "stages", report->stages,
                     "integrator", sedge_json_text(report->integrator), "dt",
                     sedge_json_number(report->dt), "time", sedge_json_number(report->time));
}

// The levels of local time steps, the finest first: the step and the number of elements. And how
// much more work one step for all elements would be.
static json_t *levels(const sedge_report *report)
{
    const sedge_levels *const from = &report->levels;
    json_t *const list = json_array();

    for (int l = 0; l < from->levels; l++) {
        const double dt = ldexp(report->dt, l + 1 - from->levels);
        (void)json_array_append_new(list, json_pack("{s:o, s:I}", "dt", sedge_json_number(dt),
                                                    "elements", (json_int_t)from->count[l]));
    }
    return json_pack("{s:o, s:o}", "levels", list, "levels_gain",
                     from->levels > 0 ? sedge_json_number(from->gain) : json_null());
}

// The phases and the total, which is not made of them: a test compares it with their sum.
static void put_phases(json_t *object, const sedge_stopwatch *watch, double before, double total)
{
    static const char *const names[SEDGE_PHASES] = {
        [SEDGE_PHASE_START] = "start",
        [SEDGE_PHASE_SETUP] = "setup",
        [SEDGE_PHASE_LOOP] = "loop",
        [SEDGE_PHASE_OUTPUT] = "output",
        [SEDGE_PHASE_CHECKPOINT] = "checkpoint",
        [SEDGE_PHASE_FINISH] = "finish",
        [SEDGE_PHASE_RELEASE] = "release",
    };

    for (int p = 0; p < SEDGE_PHASES; p++)
        (void)json_object_set_new(object, names[p], sedge_json_number(watch->seconds[p]));
    (void)json_object_set_new(object, "total", sedge_json_number(before + total));
}

// The phases and `before` add up to `total`; mesh, tune and compile are parts of setup.
static json_t *wall_seconds(const sedge_report *report)
{
    json_t *const object = json_pack(
        "{s:o, s:o, s:o, s:o}", "before", sedge_json_number(report->before_seconds), "mesh",
        sedge_json_number(report->mesh_seconds), "tune", sedge_json_number(report->tune_seconds),
        "compile", sedge_json_number(report->compile_seconds));

    put_phases(object, &report->watch, report->before_seconds, report->total_seconds);
    return object;
}

// The parts of the set-up, which add up to wall_seconds.setup.
static json_t *setup_seconds(const sedge_report *report)
{
    json_t *const object = json_object();

    for (int i = 0; i < report->watch.parts; i++) {
        (void)json_object_set_new(object, report->watch.part[i].name,
                                  sedge_json_number(report->watch.part[i].seconds));
    }
    return object;
}

// How kernels were chosen; those of families where there was something to choose.
static json_t *tuning(const sedge_report *report)
{
    static const char *const keys[SEDGE_FAMILIES] = {
        [SEDGE_FAMILY_CURVED] = "curved", [SEDGE_FAMILY_PREDICTION] = "prediction"};
    json_t *const object = json_pack("{s:o, s:i, s:o}", "by", sedge_json_text(report->tuned_by),
                                     "timed", report->tuned, "gain", measured(report->tuning_gain));

    for (int f = 0; f < SEDGE_FAMILIES; f++) {
        const sedge_family_tuning *const own = &report->family[f];
        if (own->variant == NULL) continue;
        (void)json_object_set_new(object, keys[f],
                                  json_pack("{s:o, s:o, s:i, s:o}", "variant",
                                            sedge_json_text(own->variant), "by",
                                            sedge_json_text(own->how), "timed", own->timed, "gain",
                                            measured(own->gain > 0.0 ? own->gain : -1.0)));
    }
    return object;
}

static json_t *costs(const sedge_report *report)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:{s:o, s:o, s:o}, s:{s:I, s:I},"
                     " s:{s:I, s:I}}",
                     "wall_seconds", wall_seconds(report), "setup_seconds", setup_seconds(report),
                     "dofs_per_second", rate(report), "tuning", tuning(report), "kernels",
                     kernels(report), "exchange", "transport", sedge_json_text(report->transport),
                     "bytes_per_step", sedge_json_number(report->exchange_bytes_per_step), "hidden",
                     measured(report->exchange_hidden), "cache", "hits",
                     (json_int_t)report->cache_hits, "misses", (json_int_t)report->cache_misses,
                     "memory", "host_peak", (json_int_t)report->memory_host_peak, "device_peak",
                     (json_int_t)report->memory_device_peak);
}

static json_t *results(const sedge_report *report)
{
    return json_pack(
        "{s:{s:o, s:o, s:o}, s:o, s:o, s:o, s:o, s:o, s:o}", "energy", "initial",
        sedge_json_number(report->energy_initial), "final", sedge_json_number(report->energy_final),
        "peak", sedge_json_number(report->energy_peak), "l2_error",
        errors(report, report->l2_error), "linf_error", errors(report, report->linf_error),
        "l2_error_relative", measured(report->l2_error_relative), "l2_error_relative_groups",
        group_errors(report), "ended_by", sedge_json_text(report->ended_by), "spectra_remain",
        measured(report->spectra_remain));
}

static json_t *surfaces(const sedge_report_solve *solve)
{
    json_t *const object = json_object();

    for (int s = 0; s < solve->surfaces; s++) {
        (void)json_object_set_new(object, solve->surface_names[s],
                                  sedge_json_number(solve->surface_flux[s]));
    }
    return object;
}

static json_t *solving(const sedge_report *report)
{
    const sedge_report_solve *const solve = report->solve;

    if (solve == NULL) return json_object();
    return json_pack(
        "{s:{s:o, s:o, s:I, s:i, s:I, s:o, s:o, s:o, s:i, s:i, s:I, s:o, s:o, s:o},"
        " s:o}",
        "solve", "reason", sedge_json_text(solve->reason), "preconditioner",
        sedge_json_text(solve->preconditioner), "iterations", (json_int_t)solve->iterations,
        "restarts", solve->restarts, "unknowns", (json_int_t)solve->unknowns, "tolerance",
        sedge_json_number(solve->tolerance), "residual", sedge_json_number(solve->residual),
        "imbalance", measured(solve->imbalance), "levels", solve->levels, "amg_levels",
        solve->amg_levels, "vertices", (json_int_t)solve->vertices, "setup_seconds",
        sedge_json_number(solve->setup_seconds), "seconds", sedge_json_number(solve->solve_seconds),
        "amg_seconds", sedge_json_number(solve->amg_seconds), "surface_flux", surfaces(solve));
}

static json_t *monitors(const sedge_report *report)
{
    if (report->monitors == NULL || report->output_seconds == NULL) return json_object();
    return json_pack("{s:O, s:O}", "monitors", report->monitors, "output_seconds",
                     report->output_seconds);
}

void sedge_report_count(sedge_report *report, const sedge_comm *comm, sedge_cache_counts counts,
                        int64_t device_peak)
{
    int64_t cache[2] = {counts.hits, counts.misses};
    int64_t memory[2] = {sedge_memory_peak(), device_peak};

    sedge_comm_sum_int(comm, cache, 2);
    sedge_comm_max_int(comm, memory, 2);
    sedge_comm_max(comm, &counts.compile_seconds, 1);
    report->cache_hits = cache[0];
    report->cache_misses = cache[1];
    report->memory_host_peak = memory[0];
    report->memory_device_peak = memory[1];
    report->compile_seconds = counts.compile_seconds;
}

sedge_status sedge_report_write(const sedge_report *report, const char *path)
{
    json_t *const parts[] = {setting(report), outcome(report), levels(report),  costs(report),
                             results(report), solving(report), monitors(report)};

    return sedge_json_write(parts, sizeof parts / sizeof parts[0], path);
}

sedge_status sedge_report_renew(const char *path, const sedge_stopwatch *watch,
                                double before_seconds, double total_seconds)
{
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error);
    json_t *const seconds = json_object_get(root, "wall_seconds");

    if (!json_is_object(seconds)) {
        json_decref(root);
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "cannot complete '%s': it is not the report any more",
                          path);
    }
    put_phases(seconds, watch, before_seconds, total_seconds);
    return sedge_json_write(&root, 1, path);
}

void sedge_report_describe(sedge_report *report, const sedge_session *session,
                           const sedge_device_info *info)
{
    const sedge_deck *const deck = session->deck;

    report->version = SEDGE_VERSION;
    report->deck = deck->path;
    report->title = deck->title;
    report->equation = deck->equation->name;
    report->precision = deck->precision == SEDGE_FP64 ? "fp64" : "fp32";
    report->units = deck->si ? "si" : "normalised";
    report->order = deck->order;
    report->spectra_remain = -1.0;
    report->ranks = sedge_comm_size(session->comm);
    report->device_kind = info->kind_name;
    report->device_name = info->name;
    report->threads = sedge_traits_of(info->kind)->in_call ? info->multiprocessors : 0;
    report->elements = session->mesh->global_elements;
    report->mesh_seconds = session->mesh_seconds;
}
