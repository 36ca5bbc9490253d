#include "problem.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "dg/signal.h"
#include "dg/surface_field.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

// C_N, measured: the largest stable dt c / r_in of LSRK4(5) with upwind fluxes on regular cells.
static const double stable_number[] = {0.0, 1.055, 0.631, 0.462, 0.323, 0.256, 0.195, 0.160, 0.130};
#define STABLE_NUMBERS ((int)(sizeof stable_number / sizeof *stable_number))

// LSRK4(5) is stable for y' = -d y up to dt d = 4.657.
#define STABLE_DECAY 4.6

// The part of its step that a predictor takes beside exponential terms: a field that hardly moves
// does not average what the flux takes from jumps of the other one. 0.89 of cfl 0.85 is below the
// limit of any tetrahedron by a bound for each alone (benchmarks/MEASUREMENTS.md, "ADER beside
// stiff poles").
#define SLOWED 0.89

#define MEDIA_COUNTED 16 // up to so many media their number is told exactly

double sedge_stable_number(int order)
{
    if (order < STABLE_NUMBERS) return stable_number[order];
    return 8.4 * 1.5 / ((order + 1.0) * (order + 3.0));
}

int sedge_term_memory(const sedge_term *term)
{
    return term->poles * term->kind->memory;
}

int sedge_term_unknowns(const sedge_term *term)
{
    const int frame = term->kind->layer == SEDGE_LAYER_KINDS ? SEDGE_LAYER_FRAME : 0;

    return sedge_term_memory(term) - frame;
}

bool sedge_term_varies(const sedge_term *term)
{
    return sedge_term_unknowns(term) < sedge_term_memory(term);
}

int sedge_real_bytes(sedge_precision precision)
{
    return precision == SEDGE_FP64 ? 8 : 4;
}

bool sedge_problem_exponential(const sedge_problem *problem)
{
    for (int i = 0; i < problem->term_count; i++)
        if (problem->terms[i].exponential) return true;
    return false;
}

bool sedge_problem_slows(const sedge_problem *problem)
{
    return problem->integrator->predictor && sedge_problem_exponential(problem);
}

bool sedge_problem_finds(const sedge_problem *problem)
{
    return !problem->integrator->predictor && !sedge_problem_exponential(problem);
}

int sedge_term_parameters(const sedge_term *term)
{
    return term->poles * sedge_parameters_size(term->kind->parameters, term->kind->parameter_count);
}

const double *sedge_term_pole(const sedge_term *term, int volume, int pole)
{
    const int64_t all = sedge_term_parameters(term);

    return term->parameters + volume * all + pole * (all / term->poles);
}

// The sum over the poles of a term's rates, or of the squares of its oscillations; that of one pole
// if it is not a finite number of at least 0.
static double sum_poles(const sedge_problem *problem, const sedge_term *term, int volume,
                        double (*find)(const double *m, const double *p), bool square)
{
    double sum = 0.0;

    for (int i = 0; i < term->poles && find != NULL; i++) {
        const double one = find(problem->materials[volume], sedge_term_pole(term, volume, i));
        if (!(one >= 0.0)) return one;
        sum += square ? one * one : one;
    }
    return sum;
}

// The rate of a term in a volume group, of all its poles and their oscillations together. If the
// rate of one pole is negative or not finite, so is the result.
static double find_term_rate(const sedge_problem *problem, const sedge_term *term, int volume)
{
    const double decay = sum_poles(problem, term, volume, term->kind->rate, false);
    const double square = sum_poles(problem, term, volume, term->kind->oscillation, true);

    if (!(decay >= 0.0)) return decay;
    if (!(square >= 0.0)) return square;
    return decay + problem->integrator->oscillation * sqrt(square);
}

// The rates of the equation's source and of the terms in a volume group.
static double find_decay(const sedge_problem *problem, int volume)
{
    const double *const m = problem->materials[volume];
    // Growth is no matter of stability, but must be resolved as decay must.
    double rate = problem->equation->decay != NULL ? fabs(problem->equation->decay(m)) : 0.0;
    double square = 0.0;

    for (int i = 0; i < problem->term_count; i++) {
        const sedge_term *const term = &problem->terms[i];
        if (!term->present[volume] || term->exponential) continue;
        rate += sum_poles(problem, term, volume, term->kind->rate, false);
        square += sum_poles(problem, term, volume, term->kind->oscillation, true);
    }
    return rate + problem->integrator->oscillation * sqrt(square);
}

static bool has_exponential(const sedge_problem *problem, int volume)
{
    for (int i = 0; i < problem->term_count; i++)
        if (problem->terms[i].exponential && problem->terms[i].present[volume]) return true;
    return false;
}

double sedge_problem_rate(const sedge_problem *problem, const sedge_mesh *mesh, int32_t element)
{
    const sedge_equation *const equation = problem->equation;
    const double *const m = problem->materials[mesh->group[element]];
    const double size = fmin(problem->integrator->radius * sedge_mesh_inradius(mesh, element),
                             problem->integrator->height * sedge_mesh_height(mesh, element));
    double rate =
        equation->speed(m, problem->constants) / (sedge_stable_number(problem->order) * size);

    if (sedge_problem_slows(problem) && has_exponential(problem, mesh->group[element]))
        rate /= SLOWED;
    rate += find_decay(problem, mesh->group[element]) / STABLE_DECAY;
    return rate / problem->integrator->stability;
}

double sedge_problem_decay_step(const sedge_problem *problem, int volume)
{
    const double rate = find_decay(problem, volume);

    return rate > 0.0 ? STABLE_DECAY * problem->integrator->stability / rate : HUGE_VAL;
}

double sedge_term_step(const sedge_problem *problem, const sedge_term *term, int volume)
{
    const double rate = find_term_rate(problem, term, volume);

    return rate > 0.0 ? STABLE_DECAY * problem->integrator->stability / rate : HUGE_VAL;
}

double sedge_problem_decay_part(const sedge_problem *problem, const sedge_mesh *mesh,
                                int32_t element)
{
    return find_decay(problem, mesh->group[element]) / STABLE_DECAY /
           problem->integrator->stability / sedge_problem_rate(problem, mesh, element);
}

// 1/dt that the memory of a boundary face allows with cfl 1; 0: it has none.
static double find_face_rate(const sedge_problem *problem, const sedge_mesh *mesh,
                             const sedge_trace_face *face)
{
    if (!sedge_problem_has_face_memory(problem, face->group)) return 0.0;
    const sedge_boundary *const boundary = &problem->boundaries[face->group];
    const double *const m = problem->materials[mesh->group[face->element]];
    return boundary->kind->rate(m, boundary->parameters) / STABLE_DECAY /
           problem->integrator->stability;
}

double sedge_problem_memory_step(const sedge_problem *problem, const sedge_mesh *mesh, int surface)
{
    double fastest = 0.0;

    for (int32_t i = mesh->halo_faces; i < mesh->halo_faces + mesh->boundary_faces; i++) {
        if (mesh->trace_faces[i].group == surface)
            fastest = fmax(fastest, find_face_rate(problem, mesh, &mesh->trace_faces[i]));
    }
    return fastest > 0.0 ? 1.0 / fastest : HUGE_VAL;
}

enum { PIECES = 16, LARGE = 65536 };

typedef struct rate_job {
    const sedge_problem *problem;
    const sedge_mesh *mesh;
    double rate[PIECES];     // the largest in each piece of the elements
    int32_t element[PIECES]; // the first that has it
} rate_job;

static void find_rates(void *context, int64_t first, int64_t end)
{
    rate_job *const job = context;
    const int64_t elements = job->mesh->elements;

    for (int64_t i = first; i < end; i++) {
        const int32_t last = (int32_t)(elements * (i + 1) / PIECES);
        for (int32_t e = (int32_t)(elements * i / PIECES); e < last; e++) {
            const double rate = sedge_problem_rate(job->problem, job->mesh, e);
            if (!(rate > job->rate[i])) continue;
            job->rate[i] = rate;
            job->element[i] = e;
        }
    }
}

double sedge_problem_time_step(const sedge_problem *problem, const sedge_mesh *mesh, double cfl,
                               int threads, int32_t *element)
{
    double fastest = 0.0; // of the rates 1/dt
    rate_job job = {.problem = problem, .mesh = mesh};

    *element = -1;
    sedge_parallel(mesh->elements < LARGE ? 1 : threads, PIECES, 1, find_rates, &job);
    for (int i = 0; i < PIECES; i++) {
        if (job.rate[i] > fastest) {
            fastest = job.rate[i];
            *element = job.element[i];
        }
    }
    for (int32_t i = mesh->halo_faces; i < mesh->halo_faces + mesh->boundary_faces; i++) {
        const double rate = find_face_rate(problem, mesh, &mesh->trace_faces[i]);
        if (rate > fastest) {
            fastest = rate;
            *element = mesh->trace_faces[i].element;
        }
    }
    return fastest > 0.0 ? cfl / fastest : HUGE_VAL;
}

typedef struct list_job {
    const sedge_problem *problem;
    const sedge_mesh *mesh;
    double *rates;
} list_job;

static void list_rates(void *context, int64_t first, int64_t end)
{
    const list_job *const job = context;

    for (int64_t e = first; e < end; e++)
        job->rates[e] = sedge_problem_rate(job->problem, job->mesh, (int32_t)e);
}

void sedge_problem_rates(double *rates, const sedge_problem *problem, const sedge_mesh *mesh,
                         int threads)
{
    list_job job = {.problem = problem, .mesh = mesh, .rates = rates};

    sedge_parallel(threads, mesh->elements, LARGE / PIECES, list_rates, &job);
    for (int32_t i = mesh->halo_faces; i < mesh->halo_faces + mesh->boundary_faces; i++) {
        const sedge_trace_face *const face = &mesh->trace_faces[i];
        rates[face->element] = fmax(rates[face->element], find_face_rate(problem, mesh, face));
    }
}

sedge_status sedge_problem_check_rates(const sedge_problem *problem, const sedge_mesh *mesh)
{
    for (int i = 0; i < problem->term_count; i++) {
        const sedge_term *const term = &problem->terms[i];

        for (int v = 0; v < problem->volumes; v++) {
            if (!term->present[v]) continue;
            const double rate = find_term_rate(problem, term, v);
            if (isfinite(rate) && rate >= 0.0) continue;
            return SEDGE_FAIL(SEDGE_ERR_USAGE,
                              "no time step: the term '%s' of volume group '%s' gives the rate %g, "
                              "and not a finite number of at least 0; mend its parameters there, "
                              "or the function 'rate' of its kind",
                              term->kind->name, mesh->groups.volume_names[v], rate);
        }
    }
    return SEDGE_OK;
}

sedge_status sedge_problem_init(sedge_problem *problem, const sedge_equation *equation, int volumes,
                                int surfaces, int point_sources)
{
    sedge_status status;

    memset(problem, 0, sizeof *problem);
    problem->equation = equation;
    problem->integrator = &sedge_integrator_lsrk45;
    problem->volumes = volumes;
    problem->surfaces = surfaces;
    problem->point_source_count = point_sources;
    SEDGE_TRY_GOTO(status,
                   sedge_allocate(&problem->materials, volumes, sizeof *problem->materials));
    SEDGE_TRY_GOTO(status,
                   sedge_allocate(&problem->boundaries, surfaces, sizeof *problem->boundaries));
    SEDGE_TRY_GOTO(status, sedge_allocate(&problem->point_sources, point_sources,
                                          sizeof *problem->point_sources));
    for (int s = 0; s < surfaces; s++) problem->boundaries[s].surface = s;
    return SEDGE_OK;
done:
    sedge_problem_clear(problem);
    return status;
}

void sedge_problem_clear(sedge_problem *problem)
{
    sedge_release(problem->materials);
    for (int i = 0; problem->boundaries != NULL && i < problem->surfaces; i++)
        sedge_surface_field_free(problem->boundaries[i].field);
    for (int i = 0; i < problem->further_count; i++)
        sedge_surface_field_free(problem->further[i].field);
    sedge_release(problem->boundaries);
    sedge_release(problem->further);
    sedge_release(problem->point_sources);
    sedge_release(problem->surface_sources);
    for (int i = 0; i < problem->term_count; i++) {
        sedge_release(problem->terms[i].present);
        sedge_release(problem->terms[i].parameters);
    }
    sedge_release(problem->terms);
    memset(problem, 0, sizeof *problem);
}

double sedge_problem_shown(const sedge_problem *problem, sedge_dimension dimension, double value)
{
    return problem->si ? value / problem->equation->si[dimension] : value;
}

const char *sedge_problem_unit(const sedge_problem *problem, sedge_dimension dimension)
{
    return problem->si ? sedge_dimension_suffix(dimension) : "";
}

// Append a term that no group has yet.
static sedge_status append_term(sedge_problem *problem, const sedge_term_kind *kind, int poles)
{
    sedge_term term = {.kind = kind, .poles = poles};
    sedge_term *terms = NULL;
    sedge_status status;

    if (problem->term_count == SEDGE_MAX_KINDS) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "the volume groups have more than %d different terms (kinds, and numbers "
                          "of poles of a kind)",
                          SEDGE_MAX_KINDS);
    }
    (void)snprintf(term.name, sizeof term.name, poles > 1 ? "%.59s-%d" : "%s", kind->name, poles);
    SEDGE_TRY_GOTO(status, sedge_allocate(&terms, problem->term_count + 1, sizeof *terms));
    SEDGE_TRY_GOTO(status, sedge_allocate(&term.present, problem->volumes, sizeof *term.present));
    SEDGE_TRY_GOTO(status, sedge_allocate(&term.parameters,
                                          (int64_t)problem->volumes * sedge_term_parameters(&term),
                                          sizeof *term.parameters));
    for (int i = 0; i < problem->term_count; i++) terms[i] = problem->terms[i];
    terms[problem->term_count++] = term;
    sedge_release(problem->terms);
    problem->terms = terms;
    return SEDGE_OK;
done:
    sedge_release(term.present);
    sedge_release(terms);
    return status;
}

sedge_status sedge_problem_add_term(sedge_problem *problem, const sedge_term_kind *kind, int poles,
                                    int volume, const double *parameters)
{
    int i = 0;

    while (i < problem->term_count &&
           (problem->terms[i].kind != kind || problem->terms[i].poles != poles))
        i++;
    if (i == problem->term_count) SEDGE_TRY(append_term(problem, kind, poles));
    sedge_term *const term = &problem->terms[i];
    const int64_t size = sedge_term_parameters(term);
    term->present[volume] = true;
    for (int64_t k = 0; k < size; k++) term->parameters[volume * size + k] = parameters[k];
    return SEDGE_OK;
}

bool sedge_problem_has_term(const sedge_problem *problem, int volume)
{
    for (int i = 0; i < problem->term_count; i++)
        if (problem->terms[i].present[volume]) return true;
    return false;
}

bool sedge_problem_has_staged_term(const sedge_problem *problem, int volume)
{
    for (int i = 0; i < problem->term_count; i++) {
        const sedge_term *const term = &problem->terms[i];
        if (term->present[volume] && !term->exponential) return true;
    }
    return false;
}

bool sedge_problem_varies(const sedge_problem *problem, int volume)
{
    for (int i = 0; i < problem->term_count; i++) {
        const sedge_term *const term = &problem->terms[i];
        if (sedge_term_varies(term) && (volume < 0 || term->present[volume])) return true;
    }
    return false;
}

bool sedge_problem_has_source(const sedge_problem *problem, int volume)
{
    for (int v = 0; v < problem->volumes; v++) {
        if (volume >= 0 && v != volume) continue;
        if (sedge_equation_has_source(problem->equation, problem->materials[v])) return true;
    }
    return false;
}

bool sedge_term_stores_energy(const sedge_term *term)
{
    return term->kind->energy != NULL && term->kind->memory > 0;
}

void sedge_term_energy(double weights[SEDGE_MAX_MEMORY], const sedge_problem *problem,
                       const sedge_term *term, int volume, int pole)
{
    term->kind->energy(problem->materials[volume], sedge_term_pole(term, volume, pole), weights);
}

bool sedge_problem_face_energy(double weights[SEDGE_MAX_FACE_MEMORY], const sedge_problem *problem,
                               int surface)
{
    const sedge_boundary *const boundary = &problem->boundaries[surface];

    for (int k = 0; k < SEDGE_MAX_FACE_MEMORY; k++) weights[k] = 0.0;
    if (boundary->kind == NULL || boundary->kind->energy == NULL) return false;
    boundary->kind->energy(boundary->parameters, weights);
    return true;
}

bool sedge_problem_stores_face_energy(const sedge_problem *problem)
{
    for (int i = 0; i < problem->surfaces; i++) {
        const sedge_boundary_kind *const kind = problem->boundaries[i].kind;
        if (kind != NULL && kind->energy != NULL) return true;
    }
    return false;
}

bool sedge_problem_is_passive(const sedge_problem *problem)
{
    for (int i = 0; i < problem->term_count; i++) {
        const sedge_term_kind *const kind = problem->terms[i].kind;
        if (kind->layer == 0 && kind->energy == NULL && kind->multiply == NULL) return false;
    }
    for (int i = 0; i < problem->surfaces; i++) {
        const sedge_boundary_kind *const kind = problem->boundaries[i].kind;
        if (kind != NULL && kind->memory > 0 && kind->energy == NULL) return false;
    }
    return true;
}

bool sedge_problem_has_layers(const sedge_problem *problem)
{
    for (int i = 0; i < problem->term_count; i++)
        if (problem->terms[i].kind->layer != 0) return true;
    return false;
}

static bool is_two_sided(const sedge_boundary *boundary)
{
    return boundary->kind != NULL && sedge_is_two_sided(boundary->kind);
}

int sedge_problem_kind_number(const sedge_problem *problem, const sedge_boundary_kind *kind)
{
    const sedge_equation *const equation = problem->equation;
    int first = 0;

    for (int i = 0; i < equation->boundary_count; i++)
        if (kind == &equation->boundaries[i]) return i;
    while (first < problem->surfaces && problem->boundaries[first].kind != kind) first++;
    return equation->boundary_count + first;
}

int sedge_problem_media(const sedge_problem *problem)
{
    const size_t bytes =
        (size_t)problem->equation->material_values * sizeof problem->materials[0][0];

    const int least = sedge_problem_slows(problem) ? 2 : 1;
    bool same = true;
    int media = least;

    for (int v = 1; v < problem->volumes; v++)
        same = same && memcmp(problem->materials[v], problem->materials[0], bytes) == 0;
    if (same) return least;
    while (media < problem->volumes) media *= 2;
    return problem->volumes <= MEDIA_COUNTED ? problem->volumes : media;
}

bool sedge_problem_is_two_sided(const sedge_problem *problem)
{
    bool any = false;

    for (int i = 0; i < problem->surfaces; i++) any |= is_two_sided(&problem->boundaries[i]);
    return any;
}

bool sedge_problem_turns(const sedge_problem *problem)
{
    bool any = false;

    for (int i = 0; i < problem->surfaces; i++) {
        const sedge_boundary_kind *const kind = problem->boundaries[i].kind;
        any |= kind != NULL && kind->turns;
    }
    return any;
}

static bool has_memory(const sedge_boundary *boundary)
{
    return boundary->kind != NULL && boundary->kind->memory > 0;
}

int sedge_problem_face_memory(const sedge_problem *problem)
{
    int most = 0;

    for (int i = 0; i < problem->surfaces; i++) {
        const sedge_boundary *const boundary = &problem->boundaries[i];
        if (has_memory(boundary) && boundary->kind->memory > most) most = boundary->kind->memory;
    }
    return most;
}

bool sedge_problem_has_face_memory(const sedge_problem *problem, int surface)
{
    return surface >= 0 && surface < problem->surfaces && has_memory(&problem->boundaries[surface]);
}

sedge_status sedge_problem_derive(sedge_problem *problem, const sedge_mesh *mesh, int *surface)
{
    for (int s = 0; s < problem->surfaces; s++) {
        sedge_boundary *const boundary = &problem->boundaries[s];
        *surface = s;
        if (boundary->kind == NULL || boundary->kind->derive == NULL) continue;
        SEDGE_TRY(
            boundary->kind->derive(problem, mesh->groups.surface_names[s], boundary->parameters));
    }
    return SEDGE_OK;
}

sedge_status sedge_problem_check_sides(const sedge_problem *problem, const sedge_mesh *mesh)
{
    for (int s = 0; s < problem->surfaces; s++) {
        if (!is_two_sided(&problem->boundaries[s])) continue;
        const char *const kind = problem->boundaries[s].kind->name;
        const char *const surface = mesh->groups.surface_names[s];
        for (int32_t i = mesh->set_offsets[s]; i < mesh->set_offsets[s + 1]; i++) {
            const sedge_set_face *const side = &mesh->set_faces[i];
            if (side->other < 0 && side->other_slot < 0) {
                return SEDGE_FAIL(SEDGE_ERR_USAGE,
                                  "surface '%s' has a face on the outside of the mesh; the "
                                  "condition '%s' is for surfaces inside, with an element on "
                                  "either side of each face",
                                  surface, kind);
            }
        }
    }
    return SEDGE_OK;
}

// Extend `band` by the spectra of the signals in a list of parameters.
static void extend_band(double band[2], const sedge_parameter *parameters, int count,
                        const double *values)
{
    for (int i = 0; i < count; i++) {
        if (parameters[i].type == SEDGE_PARAMETER_SIGNAL) {
            const sedge_signal_kind *const kind = sedge_signal_kind_of(values);
            band[0] = fmin(band[0], kind->lowest(values));
            band[1] = fmax(band[1], kind->frequency(values));
        }
        values += sedge_parameter_size(&parameters[i]);
    }
}

sedge_boundary *sedge_problem_condition(const sedge_problem *problem, int i)
{
    return i < problem->surfaces ? &problem->boundaries[i]
                                 : &problem->further[i - problem->surfaces];
}

sedge_any_source sedge_problem_source(const sedge_problem *problem, int i)
{
    if (i < problem->incident_count) {
        const sedge_incident *const source = &problem->incidents[i];
        return (sedge_any_source){source->kind, source->parameters};
    }
    i -= problem->incident_count;
    if (i < problem->point_source_count) {
        const sedge_point_source *const source = &problem->point_sources[i];
        return (sedge_any_source){source->kind, source->parameters};
    }
    i -= problem->point_source_count;
    if (i < problem->surface_source_count) {
        const sedge_surface_source *const source = &problem->surface_sources[i];
        return (sedge_any_source){source->kind, source->parameters};
    }
    return (sedge_any_source){NULL, NULL};
}

void sedge_problem_start(const sedge_problem *problem, int copy, const double x[3], double t,
                         const double *m, double *u)
{
    problem->initial->apply(x, t, m,
                            copy == 0 ? problem->initial_parameters : problem->initial_twin,
                            problem->constants, u);
}

const double *sedge_source_signal(const sedge_source_kind *kind, const double *parameters,
                                  sedge_dimension *dimension)
{
    for (int i = 0; i < kind->parameter_count; i++) {
        if (kind->parameters[i].type == SEDGE_PARAMETER_SIGNAL) {
            if (dimension != NULL) *dimension = kind->parameters[i].dimension;
            return parameters;
        }
        parameters += sedge_parameter_size(&kind->parameters[i]);
    }
    return NULL;
}

void sedge_problem_band(double band[2], const sedge_problem *problem)
{
    band[0] = HUGE_VAL;
    band[1] = 0.0;
    if (problem->equation->elliptic == NULL) {
        extend_band(band, problem->initial->parameters, problem->initial->parameter_count,
                    problem->initial_parameters);
        for (int i = 0; sedge_problem_source(problem, i).kind != NULL; i++) {
            const sedge_any_source source = sedge_problem_source(problem, i);
            extend_band(band, source.kind->parameters, source.kind->parameter_count,
                        source.parameters);
        }
    }
    if (band[0] > band[1]) band[0] = 0.0; // no signal
}

double sedge_problem_frequency(const sedge_problem *problem)
{
    double band[2];

    sedge_problem_band(band, problem);
    return band[1];
}
