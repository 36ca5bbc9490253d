#include "growth.h"

#include "base/parallel.h"
#include "device/cpu.h"
#include "dg/response.h"
#include "par/comm.h"

#include <math.h>

#define SLACK_KNOWN   10.0
#define SLACK_UNKNOWN 1e30

// What the sums over the mesh and its materials find; of all ranks.
typedef struct extremes {
    double radius;   // smallest inscribed
    double smallest; // volume
    double volume;   // of all
    double weight;   // largest of an energy's
    double speed;    // of the fastest wave
} extremes;

// The same pieces for any number of threads, so that sums are the same.
enum { PIECES = 16, LARGE = 65536 };

typedef struct extremes_job {
    const sedge_mesh *mesh;
    extremes piece[PIECES]; // radius, smallest, volume
} extremes_job;

static void measure_pieces(void *context, int64_t first, int64_t end)
{
    extremes_job *const job = context;
    const int64_t elements = job->mesh->elements;

    for (int64_t i = first; i < end; i++) {
        extremes of = {.radius = (double)INFINITY, .smallest = (double)INFINITY};
        for (int64_t e = elements * i / PIECES; e < elements * (i + 1) / PIECES; e++) {
            const double volume = sedge_mesh_volume(job->mesh, (int32_t)e);
            of.radius = fmin(of.radius, sedge_mesh_inradius(job->mesh, (int32_t)e));
            of.smallest = fmin(of.smallest, volume);
            of.volume += volume;
        }
        job->piece[i] = of;
    }
}

static void find_extremes(extremes *out, const sedge_session *session)
{
    const sedge_mesh *const mesh = session->mesh;
    const sedge_problem *const problem = &session->problem;
    const sedge_equation *const equation = problem->equation;
    double least[2] = {(double)INFINITY, (double)INFINITY};
    double weights[SEDGE_MAX_FIELDS * SEDGE_MAX_FIELDS] = {0.0};

    *out = (extremes){.volume = 0.0};
    extremes_job job = {.mesh = mesh};
    sedge_parallel(mesh->elements < LARGE ? 1
                                          : sedge_cpu_share(sedge_comm_node_size(session->comm)),
                   PIECES, 1, measure_pieces, &job);
    for (int i = 0; i < PIECES; i++) {
        least[0] = fmin(least[0], job.piece[i].radius);
        least[1] = fmin(least[1], job.piece[i].smallest);
        out->volume += job.piece[i].volume;
    }
    sedge_comm_min(session->comm, least, 2);
    sedge_comm_sum(session->comm, &out->volume, 1);
    out->radius = least[0];
    out->smallest = least[1];
    for (int v = 0; v < problem->volumes; v++) {
        sedge_response_energy(weights, problem, v);
        for (int f = 0; f < equation->fields; f++) { // no eigenvalue is above the sum of a row
            double row = 0.0;
            for (int g = 0; g < equation->fields; g++)
                row += fabs(weights[f * equation->fields + g]);
            out->weight = fmax(out->weight, row);
        }
        out->speed = fmax(out->speed, equation->speed(problem->materials[v], problem->constants));
    }
}

// The largest field that parameters `p` can mean: an amplitude, times what has no unit.
static double largest_field(const sedge_parameter *parameters, int count, const double *p)
{
    double amplitude = 0.0;
    double factor = 1.0;

    for (int i = 0; i < count; i++) {
        const int size = sedge_parameter_size(&parameters[i]);
        if (parameters[i].type == SEDGE_PARAMETER_SIGNAL) {
            amplitude = fmax(amplitude, fabs(p[1]));
        } else if (parameters[i].dimension == 0) {
            for (int k = 0; k < size; k++) factor = fmax(factor, fabs(p[k]));
        }
        p += size;
    }
    return amplitude * factor;
}

static double largest_number(const sedge_boundary *boundary)
{
    const sedge_boundary_kind *const kind = boundary->kind;
    const int count =
        kind != NULL ? sedge_parameters_size(kind->parameters, kind->parameter_count) : 0;
    double most = 0.0;

    for (int i = 0; i < count; i++) most = fmax(most, fabs(boundary->parameters[i]));
    return most;
}

// |b| of a field of this size that comes through faces.
static double through_faces(const extremes *found, const sedge_problem *problem, double field)
{
    const double n = problem->order;
    const double data = field * sqrt(found->weight * problem->equation->fields * 3.0 *
                                     found->volume / found->radius);

    return 2.0 * found->speed * data * sqrt((n + 1.0) * (n + 3.0) / found->radius);
}

// |b| of a point source of density d, int |d| = weight, in whichever material is the worst; its
// signal is 1 at most, times the amplitude.
static double of_point(const extremes *found, const sedge_problem *problem,
                       const sedge_point_source *source, double weight)
{
    const sedge_equation *const equation = problem->equation;
    const double n = problem->order;
    double most = 0.0;

    for (int v = 0; v < problem->volumes; v++) {
        double parts[SEDGE_MAX_FIELDS] = {0.0};
        double weights[SEDGE_MAX_FIELDS] = {0.0};
        double sum = 0.0;

        source->kind->point(source->parameters, problem->materials[v], parts);
        equation->energy(problem->materials[v], weights);
        for (int f = 0; f < equation->fields; f++) sum += weights[f] * parts[f] * parts[f];
        most = fmax(most, sum);
    }
    return fabs(source->signal[1]) * weight * sqrt(most / found->smallest) * (n + 1.0) * (n + 2.0) *
           (n + 3.0) / 6.0;
}

// |S(0)|
static double of_constants(const extremes *found, const sedge_problem *problem)
{
    const sedge_equation *const equation = problem->equation;
    double most = 0.0;

    if (equation->source == NULL) return 0.0;
    for (int v = 0; v < problem->volumes; v++) {
        const double zero[SEDGE_MAX_FIELDS] = {0.0};
        double constant[SEDGE_MAX_FIELDS] = {0.0};
        double sum = 0.0;

        equation->source(zero, problem->materials[v], problem->constants, constant);
        for (int f = 0; f < equation->fields; f++) sum += constant[f] * constant[f];
        most = fmax(most, sum);
    }
    return sqrt(most * found->weight * found->volume);
}

void sedge_growth_create(sedge_growth *out, const sedge_session *session)
{
    const sedge_problem *const problem = &session->problem;
    const sedge_equation *const equation = problem->equation;
    const bool known = equation->quiet != NULL && sedge_problem_is_passive(problem);
    extremes found;

    find_extremes(&found, session);
    *out = (sedge_growth){.slack = known ? SLACK_KNOWN : SLACK_UNKNOWN};
    for (int v = 0; v < problem->volumes && equation->decay != NULL; v++)
        out->gain = fmax(out->gain, -equation->decay(problem->materials[v]));
    for (int i = 0; i < problem->point_source_count; i++) {
        out->strength +=
            of_point(&found, problem, &problem->point_sources[i], session->points.weight[i]);
    }
    for (int i = 0; i < problem->incident_count; i++) {
        const sedge_source_kind *const kind = problem->incidents[i].kind;
        const double field = largest_field(kind->parameters, kind->parameter_count,
                                           problem->incidents[i].parameters);
        out->strength += through_faces(&found, problem, field);
    }
    for (int i = 0; i < problem->surface_source_count; i++) {
        // A voltage is across an edge at least, which is longer than two radii. A field is times
        // the numbers of the sheet.
        const sedge_surface_source *const source = &problem->surface_sources[i];
        const double *const signal = sedge_source_signal(source->kind, source->parameters, NULL);
        const double scale =
            source->boundary->kind->phased ? largest_number(source->boundary) : 1.0 / found.radius;
        out->strength += through_faces(&found, problem, 4.0 * fabs(signal[1]) * scale);
    }
    for (int s = 0; s < problem->surfaces && !known; s++)
        out->strength += through_faces(&found, problem, largest_number(&problem->boundaries[s]));
    out->strength += of_constants(&found, problem);
}

double sedge_growth_bound(const sedge_growth *growth, double energy, double since)
{
    const double size = sqrt(2.0 * energy) + growth->strength * since;

    if (!(size > 0.0)) return (double)INFINITY;
    return exp(2.0 * growth->gain * since) * 0.5 * size * size;
}

double sedge_growth_limit(const sedge_growth *growth, double energy, double since)
{
    return growth->slack * sedge_growth_bound(growth, energy, since);
}
