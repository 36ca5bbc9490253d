#include "operator/cost.h"

#include "dg/predictor.h"
#include "layout/mesh_upload.h"
#include "operator/curved.h"
#include "operator/launch.h"
#include "operator/parts.h"
#include "operator/program.h"
#include "operator/seams.h"
#include "operator/terms.h"

#include <math.h>
#include <string.h>

// The peers' counts (benchmarks/README.md, "Stage"), so that rates can be compared. If an equation
// does not count its operations, none are reported.
typedef struct element_work {
    double states;          // bytes of what a stage reads and writes of states and residuals
    double fixed;           // bytes of geometry and connectivity
    double volume, surface; // operations; 0: not counted
} element_work;

static element_work count_element(const sedge_problem *problem, const sedge_element *element)
{
    const sedge_equation *const equation = problem->equation;
    const double np = element->nodes;
    const double nfp = element->face_nodes;
    const double fields = equation->fields;
    const double real = sedge_real_bytes(problem->precision);
    element_work work = {.states = operator_states(problem) * fields * np * real,
                         .fixed = SEDGE_GEOMETRY_WORDS * real + 32.0};

    if (!(equation->face_flops > 0.0)) return work;
    work.volume = 6.0 * fields * np * np + equation->node_flops * np;
    work.surface = SEDGE_FACES * equation->face_flops * nfp + np * (8.0 * fields * nfp + fields) +
                   4.0 * fields * np;
    return work;
}

void sedge_operator_element_work(const sedge_problem *problem, const sedge_element *element,
                                 double *bytes, double *flops)
{
    const element_work work = count_element(problem, element);

    *bytes = work.states + work.fixed;
    *flops = work.volume + work.surface;
}

void operator_count(const sedge_operator *op, operator_kernel kernel, double *bytes, double *flops)
{
    const element_work work = count_element(op->problem, op->element);
    const double straight = op->mesh->elements - sedge_mesh_curved(op->mesh);
    const double some = operator_terms_in_stage(op->problem) ? op->terms.straight_elements : 0.0;
    const double elements = kernel == KERNEL_STAGE_TERMS ? some : straight - some;

    *bytes = 0.0;
    *flops = 0.0;
    if (kernel == KERNEL_STAGE || kernel == KERNEL_STAGE_TERMS) {
        *bytes = elements * (work.states + work.fixed);
        *flops = elements * (work.surface + work.volume);
        if (kernel == KERNEL_STAGE_TERMS && !op->problem->integrator->predictor)
            *bytes += operator_terms_bytes(op->problem, op->mesh, op->element->nodes, false);
    } else if (kernel == KERNEL_CURVED) {
        operator_curved_count(op, bytes, flops);
        *bytes += operator_terms_bytes(op->problem, op->mesh, op->element->nodes, true);
        if (!(op->problem->equation->face_flops > 0.0)) *flops = 0.0;
    }
}

_Static_assert((int)KERNELS == SEDGE_OPERATOR_KERNELS,
               "each kind of kernel has a place in the cost");

// The part of this rank's elements that goes through a stage, in the mean: with local time steps a
// stage is for those levels whose steps end.
static double find_active_part(const sedge_mesh *mesh)
{
    double steps = 0.0;

    for (int r = 0; r < mesh->range_count; r++)
        steps += ldexp(mesh->ranges[r].count, -mesh->ranges[r].level);
    return mesh->elements > 0 ? steps / mesh->elements : 1.0;
}

// What this rank sends in a step: of local time steps, the faces where a step begins.
static double count_sent(const sedge_operator *op, int stages)
{
    const sedge_mesh *const mesh = op->mesh;
    const double all = (double)sedge_buffer_bytes(op->exchange.packed);
    double faces = 0.0;

    if (mesh->levels == 1) return all * stages;
    for (int32_t i = 0; i < mesh->halo_faces; i++)
        faces += ldexp(1.0, -sedge_mesh_slot_level(mesh, i));
    return all * stages * faces / mesh->halo_faces;
}

// The name of the configuration by which a kernel is launched.
static const char *find_variant(const sedge_operator *op, operator_kernel kernel)
{
    const char *family = "";

    if (kernel == KERNEL_CURVED || kernel == KERNEL_PREDICT_CURVED)
        family = op->family_variant[SEDGE_FAMILY_CURVED];
    if (kernel == KERNEL_PREDICT) family = op->family_variant[SEDGE_FAMILY_PREDICTION];
    return family[0] != '\0' ? family : op->variant;
}

void sedge_operator_get_cost(const sedge_operator *op, sedge_operator_cost *out)
{
    const sedge_integrator *const integrator = op->problem->integrator;
    const double part = find_active_part(op->mesh);
    const int stages = integrator->predictor ? 1 << (op->mesh->levels - 1) : integrator->stages;

    memset(out, 0, sizeof *out);
    out->variant = op->variant;
    double other;
    double bytes;
    operator_count(op, KERNEL_STAGE, &out->bytes, &out->flops);
    for (int k = 0; k < KERNELS; k++) {
        if (k != KERNEL_STAGE_TERMS && k != KERNEL_CURVED) continue;
        operator_count(op, (operator_kernel)k, &bytes, &other);
        out->bytes += bytes;
        out->flops += other;
    }
    out->bytes *= part;
    out->flops *= part;
    out->stages = op->stages;
    out->exchange_seconds = op->exchange.seconds;
    out->exposed_seconds = op->exchange.exposed_seconds;
    out->exchanges_timed = op->exchange.timed;
    if (op->exchange.packed != NULL) out->exchange_bytes_per_step = count_sent(op, stages);
    for (int k = 0; k < KERNELS; k++) {
        out->kernel[k].name = operator_kernel_name((operator_kernel)k);
        out->kernel[k].variant = find_variant(op, (operator_kernel)k);
        out->kernel[k].launches = op->launcher.launches[k];
        if (op->launcher.launches[k] == 0) continue;
        const double stages_a_launch = part * (double)op->stages / (double)op->launcher.launches[k];
        operator_count(op, (operator_kernel)k, &bytes, &other);
        out->kernel[k].bytes = bytes * stages_a_launch;
        out->kernel[k].flops = other * stages_a_launch;
        if (op->launcher.sampled_launches[k] > 0) {
            out->kernel[k].seconds = op->launcher.sampled_seconds[k] /
                                     (double)op->launcher.sampled_launches[k] *
                                     (double)op->launcher.launches[k];
        }
    }
}

// Bytes of the memory of this rank's boundary faces, of its residual, of their normals, and of what
// its energy needs (evolve/face_energy.c).
static int64_t face_memory_bytes(const sedge_problem *problem, const sedge_mesh *mesh,
                                 int64_t face_nodes, int64_t real)
{
    int64_t faces = 0;

    for (int32_t i = 0; i < mesh->boundary_faces; i++) {
        const int group = mesh->trace_faces[mesh->halo_faces + i].group;
        faces += sedge_problem_has_face_memory(problem, group);
    }
    const int64_t energy = sedge_problem_stores_face_energy(problem) ? 8 : 0;
    return faces * face_nodes *
           (real * (2 * sedge_problem_face_memory(problem) + (problem->curved ? 3 : 0)) + energy);
}

// Curved elements whose means over the first half of a step are kept for a while (curved.c).
static int64_t count_halves(const sedge_problem *problem, const sedge_mesh *mesh)
{
    int64_t count = 0;

    for (int r = 0; r < mesh->range_count; r++) {
        const sedge_range *const range = &mesh->ranges[r];
        if (!range->curved || !range->finer || range->count == 0) continue;
        if (sedge_predictor_has_linear_metric(problem, mesh->group[range->first])) continue;
        count += range->count;
    }
    return count;
}

int64_t sedge_operator_memory(const sedge_problem *problem, const sedge_mesh *mesh)
{
    const int64_t order = problem->order;
    const int64_t nodes = (order + 1) * (order + 2) * (order + 3) / 6;
    const int64_t face_nodes = (order + 1) * (order + 2) / 2;
    const int64_t real = sedge_real_bytes(problem->precision);
    const int64_t fields = problem->equation->fields;
    const int64_t trace_faces = (int64_t)mesh->halo_faces + mesh->boundary_faces;
    // Where other ranks store straight into this one's memory there are two more of all traces.
    const int64_t level_faces = sedge_count_level_faces(mesh);
    const int64_t stored_faces = mesh->halo_faces > 0 ? 2 * (trace_faces + level_faces) : 0;
    const bool closes = problem->curved && problem->integrator->predictor;
    const int64_t geometry =
        SEDGE_GEOMETRY_WORDS + (problem->equation->curls ? SEDGE_JACOBIAN_WORDS : 0);

    return mesh->elements *
               (3 * nodes * fields * real + geometry * real + 8 * (int64_t)SEDGE_FACES + 20) +
           trace_faces * face_nodes * (fields * real + 3 * (int64_t)sizeof(double)) +
           stored_faces * face_nodes * fields * real +
           level_faces * (face_nodes * fields * real + 20) +
           (closes ? (int64_t)mesh->elements * 8 * SEDGE_FACES : 0) +
           count_halves(problem, mesh) * nodes * fields * real +
           nodes * (4 * nodes + 4 * face_nodes) * real +
           operator_terms_memory(problem, mesh, (int)nodes) +
           face_memory_bytes(problem, mesh, face_nodes, real) +
           operator_seams_memory(problem, mesh, face_nodes, real);
}
