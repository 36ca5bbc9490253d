#include "driver_elliptic.h"

#include "array/context.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/print.h"
#include "elliptic/solve.h"
#include "io/folder_lock.h"
#include "monitor/monitors.h"
#include "monitor/output_folder.h"
#include "run/errors.h"
#include "run/finish.h"
#include "run/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FIELDS = 4 }; // that monitors get: u, -grad u

// Everything a solve owns, beside its session.
typedef struct elliptic_run {
    const sedge_session *session;
    sedge_device *device;
    sedge_cache *cache;
    sedge_context *context;
    sedge_folder_lock *lock; // of the output folder
    sedge_output_context output;
    sedge_sample_source source;
    sedge_sample *sample;
    sedge_monitors *monitors;
    double *u;        // [elements][nodes]
    double *field;    // [elements][3][nodes], -grad u
    double *fields;   // [elements][4][nodes], both as monitors get them
    double *energies; // [elements]
    double *surface_flux;
    sedge_elliptic_result result;
    bool has_ended; // the iteration, for whatever reason: `result` is filled
    bool is_found;  // the solution: energy and surface_flux, too
    double energy;
    sedge_stopwatch watch;
} elliptic_run;

static int64_t node_count(const elliptic_run *s)
{
    return (int64_t)s->session->mesh->elements * s->session->element->nodes;
}

// ---- set-up ------------------------------------------------------------------------------------

static sedge_status open_local(elliptic_run *s)
{
    SEDGE_TRY(sedge_context_create(&s->context, s->device, s->cache));
    SEDGE_TRY(sedge_allocate(&s->u, node_count(s), sizeof(double)));
    SEDGE_TRY(sedge_allocate(&s->field, 3 * node_count(s), sizeof(double)));
    SEDGE_TRY(sedge_allocate(&s->fields, 4 * node_count(s), sizeof(double)));
    SEDGE_TRY(sedge_allocate(&s->energies, s->session->mesh->elements, sizeof(double)));
    return sedge_allocate(&s->surface_flux, s->session->problem.surfaces, sizeof(double));
}

// All but what the end of a run needs. A second call does nothing.
static void release(void *of)
{
    elliptic_run *const s = of;

    sedge_monitors_free(s->monitors);
    sedge_sample_free(s->sample);
    sedge_context_free(s->context);
    sedge_cache_free(s->cache);
    sedge_device_free(s->device);
    s->monitors = NULL;
    s->sample = NULL;
    s->context = NULL;
    s->cache = NULL;
    s->device = NULL;
}

static void tear_down(elliptic_run *s)
{
    release(s);
    sedge_output_folder_unlock(s->lock);
    sedge_release(s->u);
    sedge_release(s->field);
    sedge_release(s->fields);
    sedge_release(s->energies);
    sedge_release(s->surface_flux);
}

static void show_progress(void *context, int64_t iteration, double residual, double target)
{
    (void)context;
    printf("  iteration %-8lld residual %.3e, to reach %.3e\n", (long long)iteration, residual,
           target);
    sedge_print_flush();
}

// ---- the solve ---------------------------------------------------------------------------------

static bool prints(const elliptic_run *s)
{
    return sedge_comm_is_root(s->session->comm) && !s->session->options->quiet;
}

static void print_balance(const elliptic_run *s)
{
    if (!s->result.singular || !prints(s)) return;
    printf("  note               no condition fixes the solution: its mean is made zero\n");
    // What rounding leaves of sums of about as many terms.
    if (s->result.imbalance > 1e-10) {
        printf("  warning            sources and given fluxes do not add up to zero: %.3e of their "
               "sum of absolute values is spread over the volume and taken away\n",
               s->result.imbalance);
    }
}

static sedge_status check_reason(const elliptic_run *s)
{
    const sedge_krylov_result *const krylov = &s->result.krylov;

    if (krylov->reason == SEDGE_KRYLOV_CONVERGED) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_COMPUTE,
                      "%s: no solution after %lld iterations: %s; residual %.3e, to reach %.3e",
                      s->session->deck->path, (long long)krylov->iterations,
                      sedge_krylov_reason_text(krylov->reason), krylov->true_residual,
                      krylov->target);
}

// Energy, surfaces, and the fields in the order of monitors. Collective.
static sedge_status find_results(elliptic_run *s)
{
    const sedge_session *const session = s->session;
    const int64_t nodes = session->element->nodes;

    sedge_elliptic_field(s->field, session->element, session->mesh, s->u);
    SEDGE_TRY(sedge_elliptic_energy(&s->energy, s->energies, session->comm, session->element,
                                    session->mesh, &session->problem, s->u, s->field));
    SEDGE_TRY(sedge_elliptic_surface_flux(s->surface_flux, session->comm, session->element,
                                          session->mesh, &session->problem, s->u, s->field));
    for (int64_t e = 0; e < session->mesh->elements; e++) {
        memcpy(s->fields + 4 * e * nodes, s->u + e * nodes, (size_t)nodes * sizeof(double));
        memcpy(s->fields + (4 * e + 1) * nodes, s->field + 3 * e * nodes,
               3 * (size_t)nodes * sizeof(double));
    }
    return SEDGE_OK;
}

sedge_elliptic_solve_options sedge_elliptic_run_options(const sedge_session *session)
{
    sedge_elliptic_solve_options options =
        sedge_elliptic_solve_defaults(session->problem.precision);

    options.tolerance = session->deck->tolerance;
    options.iterations = session->deck->iterations;
    if (!session->deck->multigrid) options.preconditioner = SEDGE_ELLIPTIC_NONE;
    return options;
}

// Collective.
static sedge_status solve(elliptic_run *s)
{
    const sedge_session *const session = s->session;
    sedge_elliptic_solve_options options = sedge_elliptic_run_options(session);

    if (prints(s) && session->options->verbose) options.progress = show_progress;
    SEDGE_TRY(sedge_elliptic_solve(s->u, &s->result, session->comm, s->context, session->element,
                                   session->mesh, &session->problem, &options));
    s->has_ended = true;
    print_balance(s);
    SEDGE_TRY(check_reason(s));
    SEDGE_TRY(find_results(s));
    s->is_found = true;
    return SEDGE_OK;
}

// ---- output ------------------------------------------------------------------------------------

// The sample's room for fields is s->fields, where they are.
static sedge_status get_fields(void *solver, double *u)
{
    (void)solver;
    (void)u;
    return SEDGE_OK;
}

static sedge_status get_energies(void *solver, double *energies)
{
    const elliptic_run *const s = solver;

    memcpy(energies, s->energies, (size_t)s->session->mesh->elements * sizeof *energies);
    return SEDGE_OK;
}

// Points of monitors. There is a single sample, of the solution.
typedef struct solved_points {
    const elliptic_run *run;
    int count;
    int32_t *elements, *rows; // [count]
    double *weights;          // [rows][nodes]
    double *values;           // [count][fields]
    int samples;              // recorded: 0 or 1
} solved_points;

static void free_points(void *points)
{
    solved_points *const p = points;

    if (p == NULL) return;
    sedge_release(p->elements);
    sedge_release(p->rows);
    sedge_release(p->weights);
    sedge_release(p->values);
    sedge_release(p);
}

static sedge_status create_points(void **points, void *solver, int count, const int32_t *elements,
                                  const int32_t *rows, int row_count, const double *weights,
                                  int capacity)
{
    const elliptic_run *const s = solver;
    const int64_t numbers = (int64_t)row_count * s->session->element->nodes;
    solved_points *p = NULL;
    sedge_status status;

    (void)capacity;
    *points = NULL;
    SEDGE_TRY_GOTO(status, sedge_allocate(&p, 1, sizeof *p));
    *p = (solved_points){.run = s, .count = count};
    SEDGE_TRY_GOTO(status, sedge_allocate(&p->elements, count, sizeof *p->elements));
    SEDGE_TRY_GOTO(status, sedge_allocate(&p->rows, count, sizeof *p->rows));
    SEDGE_TRY_GOTO(status, sedge_allocate(&p->weights, numbers, sizeof *p->weights));
    SEDGE_TRY_GOTO(status, sedge_allocate(&p->values, (int64_t)count * FIELDS, sizeof *p->values));
    for (int i = 0; i < count; i++) {
        p->elements[i] = elements[i];
        p->rows[i] = rows[i];
    }
    for (int64_t i = 0; i < numbers; i++) p->weights[i] = weights[i];
    *points = p;
    p = NULL;
done:
    free_points(p);
    return status;
}

static sedge_status record_points(void *points)
{
    solved_points *const p = points;
    const int nodes = p->run->session->element->nodes;

    if (p->samples > 0) return SEDGE_FAIL(SEDGE_ERR_INTERNAL, "a solution is sampled twice");
    for (int i = 0; i < p->count * FIELDS; i++) {
        const double *const weights = p->weights + (int64_t)p->rows[i / FIELDS] * nodes;
        const double *const nodal =
            p->run->fields + ((int64_t)p->elements[i / FIELDS] * FIELDS + i % FIELDS) * nodes;
        double sum = 0.0;

        for (int n = 0; n < nodes; n++) sum += weights[n] * nodal[n];
        p->values[i] = sum;
    }
    p->samples = 1;
    return SEDGE_OK;
}

static sedge_status fetch_points(void *points, double *values, int *samples)
{
    const solved_points *const p = points;

    *samples = p->samples;
    for (int i = 0; i < p->samples * p->count * FIELDS; i++) values[i] = p->values[i];
    return SEDGE_OK;
}

static void forget_points(void *points)
{
    solved_points *const p = points;

    p->samples = 0;
}

static sedge_status create_monitors(elliptic_run *s)
{
    const sedge_comm *const comm = s->session->comm;

    s->output = sedge_session_output(s->session, 0, false);
    s->source = (sedge_sample_source){.solver = s,
                                      .fields = get_fields,
                                      .energies = get_energies,
                                      .create_points = create_points,
                                      .free_points = free_points,
                                      .record_points = record_points,
                                      .fetch_points = fetch_points,
                                      .forget_points = forget_points};
    SEDGE_TRY(sedge_comm_agree(
        comm, sedge_sample_create(&s->sample, comm, s->session->mesh, &s->source, s->fields)));
    SEDGE_TRY(sedge_output_prepare_folder(&s->output));
    return sedge_monitors_create(&s->monitors, &s->output, s->sample, NULL);
}

static sedge_status write_output(elliptic_run *s)
{
    double energy;

    (void)sedge_stopwatch_enter(&s->watch, SEDGE_PHASE_OUTPUT);
    sedge_sample_begin(s->sample, 0.0, 0);
    SEDGE_TRY(sedge_monitors_record(s->monitors, s->sample));
    SEDGE_TRY(sedge_sample_energy(s->sample, &energy));
    SEDGE_TRY(sedge_monitors_energy(s->monitors, 0, 0.0, energy));
    SEDGE_TRY(sedge_monitors_sample(s->monitors, s->sample));
    SEDGE_TRY(sedge_monitors_flush(s->monitors));
    return sedge_monitors_settle(s->monitors, SEDGE_SETTLE_ALL);
}

// ---- report ------------------------------------------------------------------------------------

static void fill_solve(sedge_report_solve *out, const elliptic_run *s)
{
    const sedge_elliptic_result *const result = &s->result;
    const sedge_krylov_result *const krylov = &result->krylov;

    *out = (sedge_report_solve){
        .reason = s->has_ended ? sedge_krylov_reason_name(krylov->reason) : NULL,
        .preconditioner = s->session->deck->multigrid ? "multigrid" : "none",
        .iterations = krylov->iterations,
        .unknowns = result->unknowns,
        .vertices = result->multigrid.vertices,
        .restarts = krylov->restarts,
        .levels = result->multigrid.levels,
        .amg_levels = result->multigrid.amg_levels,
        .tolerance = s->session->deck->tolerance,
        .residual = !s->has_ended ? (double)NAN
                    : krylov->right_hand_side > 0.0
                        ? krylov->true_residual / krylov->right_hand_side
                        : krylov->true_residual,
        .imbalance = result->singular ? result->imbalance : -1.0,
        .setup_seconds = result->setup_seconds,
        .solve_seconds = result->solve_seconds,
        .amg_seconds = result->multigrid.amg_seconds,
        .surfaces = s->is_found ? s->session->problem.surfaces : 0,
        .surface_names = (const char(*)[64])s->session->mesh->groups.surface_names,
        .surface_flux = s->surface_flux,
    };
}

// Collective.
static void fill_report(const elliptic_run *s, sedge_report *report)
{
    const sedge_session *const session = s->session;
    const sedge_device_info *const info = sedge_device_get_info(s->device);

    sedge_report_describe(report, session, info);
    report->transport = s->result.cost.transport;
    sedge_report_count(report, session->comm, sedge_cache_get_counts(s->cache),
                       sedge_device_memory_peak(s->device));
    report->dofs = report->elements * session->element->nodes;
    report->tuned_by = "rule";
    report->tuning_gain = -1.0;
    report->energy_initial = s->is_found ? s->energy : (double)NAN;
    report->energy_final = report->energy_initial;
    report->energy_peak = report->energy_initial;
    report->exchange_hidden = -1.0;
}

static void print_summary(const void *run, const sedge_report *report)
{
    const elliptic_run *const s = run;
    const sedge_report_solve *const solve = report->solve;

    printf("\n  %-22s %lld iterations, %.2f s, %.2f s set-up, %.2f s output\n", "done",
           (long long)solve->iterations, solve->solve_seconds,
           report->watch.seconds[SEDGE_PHASE_SETUP], report->watch.seconds[SEDGE_PHASE_OUTPUT]);
    printf("  %-22s %.3e of the right-hand side\n", "residual", solve->residual);
    if (s->session->deck->multigrid) {
        printf("  %-22s %d orders, %lld vertices, %d algebraic levels\n", "multigrid",
               solve->levels, (long long)solve->vertices, solve->amg_levels);
    }
    printf("  %-22s %.10g%s\n", "energy", s->energy, sedge_deck_energy_suffix(s->session->deck));
    for (int i = 0; i < solve->surfaces; i++) {
        if (s->session->mesh->groups.surface_faces[i] == 0) continue;
        printf("  %-22s %.10g through '%s'\n", i == 0 ? "flux in" : "", solve->surface_flux[i],
               solve->surface_names[i]);
    }
}

// The report of a finished or failed solve; its own failure wins. Collective.
static sedge_status finish(elliptic_run *s, sedge_status outcome)
{
    sedge_report_solve solve_report;
    sedge_report report;
    char message[4096];

    memset(&report, 0, sizeof report);
    report.l2_error_relative = -1.0;
    (void)sedge_stopwatch_enter(&s->watch, SEDGE_PHASE_FINISH);
    // The solve's own set-up, which ends where its iteration begins.
    sedge_stopwatch_move(&s->watch, SEDGE_PHASE_LOOP, SEDGE_PHASE_SETUP, s->result.setup_seconds);
    if (outcome == SEDGE_OK) outcome = sedge_errors_fill(&report, s->session, s->fields, 0.0);
    sedge_finish_outcome(&report, message, outcome);
    fill_solve(&solve_report, s);
    fill_report(s, &report);
    report.solve = &solve_report;
    return sedge_finish(&report, s->session, &s->watch, outcome, SEDGE_OK, print_summary, release,
                        s);
}

sedge_status sedge_elliptic_run(sedge_session *session, sedge_stopwatch watch)
{
    elliptic_run s = {.session = session, .watch = watch};
    sedge_status status;

    if (session->options->restart != NULL) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s: equation '%s' has no time: nothing to --restart from",
                          session->deck->path, session->deck->equation->name);
    }
    if (!session->options->quiet) {
        sedge_session_print(session);
        sedge_session_print_two_sided(session);
    }
    sedge_stopwatch_begin(&s.watch, "device");
    SEDGE_TRY_GOTO(status, sedge_session_open_device(&s.device, &s.cache, session));
    SEDGE_TRY_GOTO(status, sedge_comm_agree(session->comm, open_local(&s)));
    if (!session->options->quiet) sedge_session_print_device(session, s.device, s.cache);
    SEDGE_TRY_GOTO(status, sedge_output_folder_lock(&s.lock, session->comm, session->deck->output));
    SEDGE_TRY_GOTO(status, create_monitors(&s));
    sedge_stopwatch_begin(&s.watch, "operators");
    (void)sedge_stopwatch_enter(&s.watch, SEDGE_PHASE_LOOP);
    status = solve(&s);
    if (status == SEDGE_OK) status = write_output(&s);
    status = finish(&s, status);
done:
    tear_down(&s);
    return status;
}

// ---- sedge check -------------------------------------------------------------------------------

void sedge_elliptic_print_sizes(const sedge_session *session)
{
    const sedge_mesh *const mesh = session->mesh;
    const int64_t nodes = session->element->nodes;
    const int64_t unknowns = mesh->global_elements * nodes;
    const int64_t real = sedge_real_bytes(session->problem.precision);
    int64_t bytes[2] = {8 * (int64_t)mesh->elements * nodes * real,
                        12 * (int64_t)mesh->elements * nodes * (int64_t)sizeof(double)};
    const double fields = 4.0 * 4.0 * (double)mesh->global_elements * (double)nodes;

    if (session->deck->multigrid) {
        bytes[0] += sedge_multigrid_memory(session->element->order, session->problem.precision,
                                           mesh->elements);
    }
    sedge_comm_max_int(session->comm, bytes, 2);
    if (!sedge_comm_is_root(session->comm)) return;
    printf("  unknowns           %lld, and %lld vertices on the continuous level\n",
           (long long)unknowns, (long long)mesh->global_vertices);
    printf("  memory             about %.1f MiB on the device, %.1f MiB on the host beside the "
           "mesh, a rank at most\n",
           (double)bytes[0] / 1048576.0, (double)bytes[1] / 1048576.0);
    printf("  output             %s: ", session->deck->output);
    if (session->deck->snapshots > 0) {
        printf("a field file of about %.1f MiB, ", fields / 1048576.0);
    } else {
        printf("no field file, ");
    }
    printf("%d probes\n", session->deck->probe_count);
}
