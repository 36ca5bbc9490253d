// Steps of the slow reference by a predictor, with local time steps (dg/predictor.h).
#include "dg/reference.h"

#include "base/memory.h"
#include "dg/cubature.h"
#include "dg/exponential.h"
#include "dg/predictor.h"
#include "dg/reference/reference_internal.h"

#include <string.h>

#define MOST_MODES ((SEDGE_ORDER_MAX + 1) * (SEDGE_ORDER_MAX + 2) * (SEDGE_ORDER_MAX + 3) / 6)

// Arrays [elements][fields][nodes], and of the terms' memory as reference_term.memory.
struct reference_ader {
    double *mean;  // over the element's step
    double *half;  // over the first half of it
    double *pair;  // over the two steps in one of the next level
    double *seen;  // what the elements of one level see
    double *chain; // the last term of the series
    double *rate, *sum;
    int *second; // [levels] whether the level is in the second of such two steps
    struct {
        double *state, *mean;
    } * memory; // [terms]
    // Of the memory of all boundary faces: before a step, after it, its mean, the last term of its
    // series and the rates that it began with.
    double *face_before, *face_after, *face_mean, *face_term, *face_begin;
    double (*materials)[SEDGE_MAX_MATERIALS]; // [volumes] of predictions
};

static sedge_status create(struct reference_ader **out, const sedge_reference *reference)
{
    const int64_t count = reference_count(reference);
    const int terms = reference->problem->term_count;
    struct reference_ader *ader = NULL;

    SEDGE_TRY(sedge_allocate(&ader, 1, sizeof *ader));
    *out = ader;
    double **const arrays[] = {&ader->mean,  &ader->half, &ader->pair, &ader->seen,
                               &ader->chain, &ader->rate, &ader->sum};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        SEDGE_TRY(sedge_allocate(arrays[i], count, sizeof(double)));
    SEDGE_TRY(sedge_allocate(&ader->second, reference->mesh->levels, sizeof *ader->second));
    SEDGE_TRY(sedge_allocate(&ader->memory, terms, sizeof *ader->memory));
    for (int k = 0; k < terms; k++) {
        const int64_t values = reference->terms[k].values;
        SEDGE_TRY(sedge_allocate(&ader->memory[k].state, values, sizeof(double)));
        SEDGE_TRY(sedge_allocate(&ader->memory[k].mean, values, sizeof(double)));
    }
    double **const faces[] = {&ader->face_before, &ader->face_after, &ader->face_mean,
                              &ader->face_term, &ader->face_begin};
    for (size_t i = 0; i < sizeof faces / sizeof faces[0]; i++)
        SEDGE_TRY(sedge_allocate(faces[i], reference_face_memory(reference), sizeof(double)));
    return sedge_allocate(&ader->materials, reference->problem->volumes, sizeof *ader->materials);
}

void reference_ader_free(sedge_reference *reference)
{
    struct reference_ader *const ader = reference->ader;

    if (ader == NULL) return;
    double *const arrays[] = {ader->mean,      ader->half,       ader->pair,      ader->seen,
                              ader->chain,     ader->rate,       ader->sum,       ader->face_before,
                              ader->face_mean, ader->face_after, ader->face_term, ader->face_begin};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) sedge_release(arrays[i]);
    for (int k = 0; k < reference->problem->term_count && ader->memory != NULL; k++) {
        sedge_release(ader->memory[k].state);
        sedge_release(ader->memory[k].mean);
    }
    sedge_release(ader->memory);
    sedge_release(ader->second);
    sedge_release(ader->materials);
    sedge_release(ader);
}

// ---- prediction --------------------------------------------------------------------------------

// Whether number i of a term's memory changes with time (dg/problem.h, sedge_term_unknowns).
static bool is_unknown(const sedge_reference *reference, const reference_term *of, int64_t i)
{
    return i / reference->element->nodes % sedge_term_memory(of->term) <
           sedge_term_unknowns(of->term);
}

// chain = factor L chain, and its memory alike.
static void apply_local(sedge_reference *reference, double factor)
{
    struct reference_ader *const ader = reference->ader;
    const int64_t count = reference_count(reference);

    reference_local(reference, ader->chain, ader->rate);
    for (int64_t i = 0; i < count; i++) ader->chain[i] = factor * ader->rate[i];
    for (int k = 0; k < reference->problem->term_count; k++) {
        const reference_term *const of = &reference->terms[k];
        for (int64_t i = 0; i < of->values; i++)
            if (is_unknown(reference, of, i)) of->memory[i] = factor * of->rate[i];
    }
}

// The damping of each mode (dg/predictor.h); false where there is none.
static bool find_damping(double damping[MOST_MODES], int order)
{
    double weights[SEDGE_PREDICTOR_LOWERINGS + 1];
    int modes = 0;

    for (int i = 0; i <= order; i++) { // as dg/modes.h numbers them
        for (int j = 0; j <= order - i; j++) {
            for (int k = 0; k <= order - i - j; k++)
                damping[modes++] = sedge_predictor_damping(order, i + j + k);
        }
    }
    return sedge_predictor_lowerings(order, weights) > 0;
}

// out = Q u, nodal values.
static void damp_field(double *out, const sedge_element *element, const double damping[MOST_MODES],
                       const double *u)
{
    const int n = element->nodes;

    memset(out, 0, (size_t)n * sizeof *out);
    for (int mode = 0; mode < n; mode++) {
        double part = 0.0;
        if (!(damping[mode] < 0.0 || damping[mode] > 0.0)) continue;
        for (int i = 0; i < n; i++) part += element->inverse[mode * n + i] * u[i];
        for (int i = 0; i < n; i++)
            out[i] += damping[mode] * part * element->vandermonde[i * n + mode];
    }
}

// Q times `factor` times the rates of element e, to its means; those of the first half get `half`
// times that. In curved elements with covariant states Q damps covariant components.
static void damp_element(const sedge_reference *reference, int32_t e,
                         const double damping[MOST_MODES], double factor, double half)
{
    const struct reference_ader *const ader = reference->ader;
    const int n = reference->element->nodes;
    const int fields = reference->problem->equation->fields;
    const bool covariant = sedge_mesh_curve(reference->mesh, e) >= 0 &&
                           sedge_cubature_state_is_covariant(reference->problem);
    const int together = covariant ? 3 : 1;

    for (int f = 0; f < fields; f += together) {
        const int64_t at = ((int64_t)e * fields + f) * n;
        double rate[3 * MOST_MODES], damped[3 * MOST_MODES];
        memcpy(rate, ader->rate + at, (size_t)(together * n) * sizeof *rate);
        if (covariant) reference_take_covariant(reference, e, rate, false);
        for (ptrdiff_t k = 0; k < (ptrdiff_t)together * n; k += n)
            damp_field(damped + k, reference->element, damping, rate + k);
        if (covariant) reference_take_covariant(reference, e, damped, true);
        for (int i = 0; i < together * n; i++) {
            ader->mean[at + i] += factor * damped[i];
            ader->half[at + i] += factor * half * damped[i];
        }
    }
}

// Damp degrees in straight elements of level `level` by derivatives of the chain. Plain elements
// have this of the first term of the chain alone, which is u.
static void damp_straight(sedge_reference *reference, int level, bool first, double factor,
                          double half)
{
    struct reference_ader *const ader = reference->ader;
    const sedge_mesh *const mesh = reference->mesh;
    const int64_t stride =
        (int64_t)reference->element->nodes * reference->problem->equation->fields;
    double damping[MOST_MODES] = {0.0};

    if (!find_damping(damping, reference->element->order)) return;
    for (int32_t e = 0; e < mesh->elements; e++) {
        const bool done = !first && sedge_predictor_is_plain(reference->problem, mesh->group[e]);
        if (done || sedge_mesh_level(mesh, e) != level || sedge_mesh_curve(mesh, e) >= 0) continue;
        reference_local_slopes(reference, e, ader->chain, ader->rate + e * stride);
        damp_element(reference, e, damping, factor, half);
    }
}

// Damp degrees in curved elements, by L of the chain, which the rates are.
static void damp_curved(sedge_reference *reference, int level, double factor, double half)
{
    const sedge_mesh *const mesh = reference->mesh;
    double damping[MOST_MODES] = {0.0};

    if (!find_damping(damping, reference->element->order)) return;
    for (int32_t e = 0; e < mesh->elements; e++) {
        if (sedge_mesh_level(mesh, e) == level && sedge_mesh_curve(mesh, e) >= 0)
            damp_element(reference, e, damping, factor, half);
    }
}

// To the means of level `level`, those of the first half with another weight.
static void add_chain(sedge_reference *reference, int level, double weight, double half)
{
    struct reference_ader *const ader = reference->ader;
    const int64_t nodes = reference->element->nodes;
    const int64_t stride = nodes * reference->problem->equation->fields;

    for (int32_t e = 0; e < reference->mesh->elements; e++) {
        if (sedge_mesh_level(reference->mesh, e) != level) continue;
        for (int64_t i = e * stride; i < (e + 1) * stride; i++) {
            ader->mean[i] += weight * ader->chain[i];
            ader->half[i] += half * ader->chain[i];
        }
    }
    for (int k = 0; k < reference->problem->term_count; k++) {
        const reference_term *const of = &reference->terms[k];
        const int64_t each = sedge_term_memory(of->term) * nodes;
        for (int64_t i = 0; i < of->values; i++) {
            if (sedge_mesh_level(reference->mesh, of->element[i / each]) == level)
                ader->memory[k].mean[i] += weight * of->memory[i];
        }
    }
}

static void clear_means(sedge_reference *reference, int level)
{
    struct reference_ader *const ader = reference->ader;
    const int64_t nodes = reference->element->nodes;
    const int64_t stride = nodes * reference->problem->equation->fields;

    for (int32_t e = 0; e < reference->mesh->elements; e++) {
        if (sedge_mesh_level(reference->mesh, e) != level) continue;
        memset(ader->mean + e * stride, 0, (size_t)stride * sizeof(double));
        memset(ader->half + e * stride, 0, (size_t)stride * sizeof(double));
    }
    for (int k = 0; k < reference->problem->term_count; k++) {
        const reference_term *const of = &reference->terms[k];
        const int64_t each = sedge_term_memory(of->term) * nodes;
        for (int32_t i = 0; i < of->elements; i++) {
            if (sedge_mesh_level(reference->mesh, of->element[i]) == level)
                memset(ader->memory[k].mean + i * each, 0, (size_t)each * sizeof(double));
        }
    }
}

static void keep_memory(sedge_reference *reference)
{
    for (int k = 0; k < reference->problem->term_count; k++) {
        memcpy(reference->ader->memory[k].state, reference->terms[k].memory,
               (size_t)reference->terms[k].values * sizeof(double));
    }
}

static void restore_memory(sedge_reference *reference)
{
    for (int k = 0; k < reference->problem->term_count; k++) {
        memcpy(reference->terms[k].memory, reference->ader->memory[k].state,
               (size_t)reference->terms[k].values * sizeof(double));
    }
}

// The mean of int_0^s (s - r)^m / m! f(t + r) dr over a step of length dt: the weight of L^m g in
// the mean, where the source is g f.
static double find_weight(const double *signal, int m, int order, double t, double dt)
{
    double points[SEDGE_PREDICTOR_TIMES], weights[SEDGE_PREDICTOR_TIMES];
    const int times = sedge_predictor_times(order, points, weights);
    double sum = 0.0;

    for (int q = 0; q < times; q++) {
        double factor = weights[q] * sedge_signal(signal, t + points[q] * dt);
        for (int k = 1; k <= m + 1; k++) factor *= dt * (1.0 - points[q]) / k;
        sum += factor;
    }
    return sum;
}

// What a point source adds to the means of a level, in all its elements of that level at once: the
// one whose first part on this rank is `first`. The chain does not cross faces.
static void predict_point(sedge_reference *reference, int first, int level, double t, double dt,
                          int terms)
{
    struct reference_ader *const ader = reference->ader;
    const double *const signal = reference->point[first].signal;
    const int order = reference->element->order;
    const int64_t nodes = reference->element->nodes;
    const int fields = reference->problem->equation->fields;
    bool acts = false;

    memset(ader->chain, 0, (size_t)reference_count(reference) * sizeof(double));
    for (int p = first; p < reference->points; p++) {
        const local_point *const point = &reference->point[p];
        double *const own = ader->chain + (int64_t)point->element * fields * nodes;
        if (point->signal != signal || sedge_mesh_level(reference->mesh, point->element) != level)
            continue;
        for (int64_t i = 0; i < fields * nodes; i++)
            own[i] += point->fields[i / nodes] * reference->point_shape[p * nodes + i % nodes];
        acts = true;
    }
    if (!acts) return;
    for (int k = 0; k < reference->problem->term_count; k++) {
        const reference_term *const of = &reference->terms[k];
        for (int64_t i = 0; i < of->values; i++)
            if (is_unknown(reference, of, i)) of->memory[i] = 0.0;
    }
    for (int m = 0; m <= terms; m++) {
        add_chain(reference, level, find_weight(signal, m, order, t, dt),
                  find_weight(signal, m, order, t, dt / 2));
        apply_local(reference, 1.0);
    }
    restore_memory(reference);
}

// Has a point before p the same signal?
static bool is_known(const sedge_reference *reference, int p)
{
    for (int q = 0; q < p; q++)
        if (reference->point[q].signal == reference->point[p].signal) return true;
    return false;
}

// Does curved element e predict with the linear metric (dg/predictor.h)?
static bool has_brackets(const sedge_reference *reference, int32_t e)
{
    return sedge_mesh_curve(reference->mesh, e) >= 0 &&
           sedge_predictor_has_linear_metric(reference->problem, reference->mesh->group[e]);
}

// u + f_1 dt L v of an element into its chain, with v in brackets; its rates are L v. Only curved
// ones have the linear metric.
static void find_brackets(sedge_reference *reference, const double *u, int32_t e, double dt)
{
    struct reference_ader *const ader = reference->ader;
    const int order = reference->element->order;
    const bool curved = sedge_mesh_curve(reference->mesh, e) >= 0;
    const int64_t stride =
        (int64_t)reference->problem->equation->fields * reference->element->nodes;

    memcpy(ader->chain + e * stride, u + e * stride, (size_t)stride * sizeof(double));
    for (int k = sedge_predictor_terms(order, true); k > 0; k--) {
        const double step = dt * sedge_predictor_factor(order, k);
        if (k > 1 && curved) {
            reference_linear_rhs(reference, e, ader->chain, ader->rate + e * stride);
        } else {
            reference_local_slopes(reference, e, ader->chain, ader->rate + e * stride);
        }
        for (int64_t i = e * stride; i < (e + 1) * stride; i++)
            ader->chain[i] = u[i] + step * ader->rate[i];
    }
}

// Damp by L v of a curved element, whose rates it is, or by L u of a straight one.
static void damp_brackets(sedge_reference *reference, const double *u, int32_t e,
                          const double damping[MOST_MODES], double factor, double half)
{
    const int64_t stride =
        (int64_t)reference->problem->equation->fields * reference->element->nodes;

    if (sedge_mesh_curve(reference->mesh, e) < 0)
        reference_local_slopes(reference, e, u, reference->ader->rate + e * stride);
    damp_element(reference, e, damping, factor, half);
}

// The mean of an element over dt into its means, and over the first half into its halves.
static void predict_element(sedge_reference *reference, const double *u, int32_t e, double dt)
{
    struct reference_ader *const ader = reference->ader;
    const int64_t stride =
        (int64_t)reference->problem->equation->fields * reference->element->nodes;
    const size_t bytes = (size_t)stride * sizeof(double);
    double damping[MOST_MODES] = {0.0};
    const bool damps = find_damping(damping, reference->element->order);

    // What damping of the half adds to the mean goes when this is written.
    find_brackets(reference, u, e, 0.5 * dt);
    memcpy(ader->half + e * stride, ader->chain + e * stride, bytes);
    if (damps) damp_brackets(reference, u, e, damping, 0.5 * dt, 1.0);
    find_brackets(reference, u, e, dt);
    memcpy(ader->mean + e * stride, ader->chain + e * stride, bytes);
    if (damps) damp_brackets(reference, u, e, damping, dt, 0.0);
}

// The means of such elements of a level over the step, in place of what the chain has found.
static void predict_brackets(sedge_reference *reference, const double *u, int level, double dt)
{
    for (int32_t e = 0; e < reference->mesh->elements; e++) {
        if (sedge_mesh_level(reference->mesh, e) == level && has_brackets(reference, e))
            predict_element(reference, u, e, dt);
    }
}

sedge_status sedge_reference_predict_of(sedge_reference *reference, int32_t e, const double *u,
                                        double dt, double *mean, double *half)
{
    struct reference_ader *const before = reference->ader;
    struct reference_ader ader = {.mean = NULL};
    double **const arrays[] = {&ader.mean, &ader.half, &ader.chain, &ader.rate};
    const int64_t count = reference_count(reference);
    const int64_t stride =
        (int64_t)reference->problem->equation->fields * reference->element->nodes;
    sedge_status status = SEDGE_OK;

    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0] && status == SEDGE_OK; i++)
        status = sedge_allocate_thin(arrays[i], count, sizeof(double));
    if (status == SEDGE_OK) {
        sedge_geometry_compute(&reference->geometry[e], reference->mesh->corners[e]);
        reference->ader = &ader;
        predict_element(reference, u, e, dt);
        reference->ader = before;
        memcpy(mean, ader.mean + e * stride, (size_t)stride * sizeof *mean);
        memcpy(half, ader.half + e * stride, (size_t)stride * sizeof *half);
    }
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        sedge_release_thin(*arrays[i], count, sizeof(double));
    return status;
}

// The means of a level over the step from t.
static void predict_level(sedge_reference *reference, const double *u, int level, double t,
                          double dt)
{
    struct reference_ader *const ader = reference->ader;
    const int order = reference->element->order;
    const int terms = sedge_predictor_terms(order, true);
    const double first = sedge_predictor_factor(order, 1);
    double half = 1.0;

    keep_memory(reference);
    clear_means(reference, level);
    memcpy(ader->chain, u, (size_t)reference_count(reference) * sizeof(double));
    for (int k = 0; k <= terms; k++) {
        const double factor = k > 0 ? dt * sedge_predictor_factor(order, k) : 0.0;
        if (k > 0) {
            damp_straight(reference, level, k == 1, factor / first, half);
            apply_local(reference, factor);
            damp_curved(reference, level, factor / first, half);
        }
        add_chain(reference, level, 1.0, half);
        half *= 0.5;
    }
    restore_memory(reference);
    predict_brackets(reference, u, level, dt);
    for (int p = 0; p < reference->points; p++)
        if (!is_known(reference, p)) predict_point(reference, p, level, t, dt, terms);
}

// The same with the materials of predictions (sedge_exponential_materials).
static void predict(sedge_reference *reference, const double *u, int level, double t, double dt)
{
    const sedge_problem *const problem = reference->problem;
    sedge_problem slowed = *problem;

    slowed.materials = reference->ader->materials;
    for (int v = 0; v < problem->volumes; v++)
        sedge_exponential_materials(slowed.materials[v], problem, v, dt);
    reference->problem = &slowed;
    predict_level(reference, u, level, t, dt);
    reference->problem = problem;
}

// ---- step --------------------------------------------------------------------------------------

// What elements of level `level` see: of elements of other levels it is right at their faces only.
static void find_seen(sedge_reference *reference, int level)
{
    struct reference_ader *const ader = reference->ader;
    const int64_t stride =
        (int64_t)reference->problem->equation->fields * reference->element->nodes;

    for (int32_t e = 0; e < reference->mesh->elements; e++) {
        const int other = sedge_mesh_level(reference->mesh, e);
        for (int64_t i = e * stride; i < (e + 1) * stride; i++) {
            ader->seen[i] = other == level        ? ader->mean[i]
                            : other < level       ? ader->pair[i]
                            : ader->second[level] ? 2.0 * ader->mean[i] - ader->half[i]
                                                  : ader->half[i];
        }
    }
}

// Solve the memory of boundary faces over a step with the means that elements see: its mean takes
// the memory's place.
static sedge_status solve_faces(sedge_reference *reference, double t, double dt)
{
    struct reference_ader *const ader = reference->ader;
    const int64_t count = reference_face_memory(reference);
    double *const memory = reference->face_memory;

    // Where this rank has no such face, others may: they exchange traces.
    if (sedge_problem_face_memory(reference->problem) == 0) return SEDGE_OK;
    memcpy(ader->face_before, memory, (size_t)count * sizeof *memory);
    memcpy(ader->face_after, memory, (size_t)count * sizeof *memory);
    memcpy(ader->face_mean, memory, (size_t)count * sizeof *memory);
    for (int k = 1; k <= SEDGE_PREDICTOR_FACE_TERMS; k++) {
        SEDGE_TRY(sedge_reference_rhs(reference, ader->seen, t, ader->rate));
        const double *const rate = reference->face_rate;
        for (int64_t i = 0; i < count; i++) {
            if (k == 1) ader->face_begin[i] = rate[i];
            // The rates are linear in the memory: what the last term alone causes.
            ader->face_term[i] = dt / k * (k == 1 ? rate[i] : rate[i] - ader->face_begin[i]);
            ader->face_after[i] += ader->face_term[i];
            ader->face_mean[i] += ader->face_term[i] / (k + 1);
            memory[i] = ader->face_before[i] + ader->face_term[i];
        }
    }
    memcpy(memory, ader->face_mean, (size_t)count * sizeof *memory);
    return SEDGE_OK;
}

// The memory of boundary faces after a level's step; that of other levels is as before.
static void end_faces(sedge_reference *reference, int level)
{
    const sedge_mesh *const mesh = reference->mesh;
    const int64_t each =
        mesh->boundary_faces > 0 ? reference_face_memory(reference) / mesh->boundary_faces : 0;

    for (int32_t i = 0; i < mesh->boundary_faces && each > 0; i++) {
        const int32_t element = mesh->trace_faces[mesh->halo_faces + i].element;
        const double *const from = sedge_mesh_level(mesh, element) == level
                                       ? reference->ader->face_after
                                       : reference->ader->face_before;
        memcpy(reference->face_memory + i * each, from + i * each, (size_t)each * sizeof *from);
    }
}

// u and memory of a level at the end of its step from t.
static sedge_status correct(sedge_reference *reference, double *u, int level, double t, double dt)
{
    struct reference_ader *const ader = reference->ader;
    const int64_t nodes = reference->element->nodes;
    const int64_t stride = nodes * reference->problem->equation->fields;
    const int64_t count = reference_count(reference);
    double points[SEDGE_PREDICTOR_TIMES], weights[SEDGE_PREDICTOR_TIMES];
    const int times = sedge_predictor_times(reference->element->order, points, weights);

    find_seen(reference, level);
    keep_memory(reference);
    for (int k = 0; k < reference->problem->term_count; k++) {
        const reference_term *const of = &reference->terms[k];
        for (int64_t i = 0; i < of->values; i++)
            if (is_unknown(reference, of, i)) of->memory[i] = ader->memory[k].mean[i];
    }
    SEDGE_TRY(solve_faces(reference, t, dt));
    memset(ader->sum, 0, (size_t)count * sizeof(double));
    for (int q = 0; q < times; q++) {
        SEDGE_TRY(sedge_reference_rhs(reference, ader->seen, t + points[q] * dt, ader->rate));
        for (int64_t i = 0; i < count; i++) ader->sum[i] += weights[q] * ader->rate[i];
    }
    restore_memory(reference);
    end_faces(reference, level);
    for (int32_t e = 0; e < reference->mesh->elements; e++) {
        if (sedge_mesh_level(reference->mesh, e) != level) continue;
        for (int64_t i = e * stride; i < (e + 1) * stride; i++) u[i] += dt * ader->sum[i];
    }
    for (int k = 0; k < reference->problem->term_count; k++) {
        const reference_term *const of = &reference->terms[k];
        const int64_t each = sedge_term_memory(of->term) * nodes;
        for (int64_t i = 0; i < of->values; i++) {
            if (sedge_mesh_level(reference->mesh, of->element[i / each]) == level)
                of->memory[i] += dt * of->rate[i];
        }
    }
    return SEDGE_OK;
}

// The mean over two steps of a level, for the next one.
static void add_to_pair(sedge_reference *reference, int level)
{
    struct reference_ader *const ader = reference->ader;
    const int64_t stride =
        (int64_t)reference->problem->equation->fields * reference->element->nodes;

    for (int32_t e = 0; e < reference->mesh->elements; e++) {
        if (sedge_mesh_level(reference->mesh, e) != level) continue;
        for (int64_t i = e * stride; i < (e + 1) * stride; i++)
            ader->pair[i] = (ader->second[level] ? ader->pair[i] : 0.0) + 0.5 * ader->mean[i];
    }
}

// One step of `level` and the steps of finer levels within it.
static sedge_status advance(sedge_reference *reference, double *u, int level, double t, double dt)
{
    reference_terms_step(reference, u, false, level, dt);
    predict(reference, u, level, t, dt);
    add_to_pair(reference, level);
    for (int i = 0; i < 2 && level > 0; i++) {
        reference->ader->second[level - 1] = i;
        SEDGE_TRY(advance(reference, u, level - 1, t + i * dt / 2, dt / 2));
    }
    SEDGE_TRY(correct(reference, u, level, t, dt));
    reference_terms_step(reference, u, true, level, dt);
    return SEDGE_OK;
}

sedge_status reference_ader_step(sedge_reference *reference, double *u, double t, double dt)
{
    sedge_status status = SEDGE_OK;

    if (reference->ader == NULL) status = create(&reference->ader, reference);
    SEDGE_TRY(sedge_comm_agree(reference->comm, status));
    return advance(reference, u, reference->mesh->levels - 1, t, dt);
}
