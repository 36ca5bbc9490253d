// The terms of the slow reference (dg/term_kind.h), node by node, and the stages of all memory.
#include "dg/reference.h"

#include "base/memory.h"
#include "dg/exponential.h"
#include "dg/reference/reference_internal.h"
#include "dg/state_blocks.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static sedge_status create_term(reference_term *out, const sedge_reference *reference,
                                const sedge_term *term)
{
    const sedge_mesh *const mesh = reference->mesh;
    int32_t count = 0;

    out->term = term;
    for (int32_t e = 0; e < mesh->elements; e++) count += term->present[mesh->group[e]];
    SEDGE_TRY(sedge_allocate(&out->element, count, sizeof *out->element));
    for (int32_t e = 0; e < mesh->elements; e++)
        if (term->present[mesh->group[e]]) out->element[out->elements++] = e;
    out->values = (int64_t)count * sedge_term_memory(term) * reference->element->nodes;
    SEDGE_TRY(sedge_allocate(&out->memory, out->values, sizeof(double)));
    sedge_block_start(out->memory, term, reference->element, mesh, out->element, count);
    SEDGE_TRY(sedge_allocate(&out->residual, out->values, sizeof(double)));
    return sedge_allocate(&out->rate, out->values, sizeof(double));
}

int64_t reference_face_memory(const sedge_reference *reference)
{
    return (int64_t)sedge_problem_face_memory(reference->problem) *
           reference->mesh->boundary_faces * reference->element->face_nodes;
}

static sedge_status create_face_memory(sedge_reference *reference)
{
    const int64_t count = reference_face_memory(reference);

    if (count == 0) return SEDGE_OK;
    SEDGE_TRY(sedge_allocate(&reference->face_memory, count, sizeof(double)));
    SEDGE_TRY(sedge_allocate(&reference->face_residual, count, sizeof(double)));
    return sedge_allocate(&reference->face_rate, count, sizeof(double));
}

sedge_status reference_terms_create(sedge_reference *reference)
{
    const sedge_problem *const problem = reference->problem;

    SEDGE_TRY(create_face_memory(reference));
    SEDGE_TRY(sedge_allocate(&reference->terms, problem->term_count, sizeof *reference->terms));
    bool drives = false;
    for (int i = 0; i < problem->term_count; i++) {
        SEDGE_TRY(create_term(&reference->terms[i], reference, &problem->terms[i]));
        drives |= problem->terms[i].kind->drive_local != NULL;
    }
    if (!drives) return SEDGE_OK;
    return sedge_allocate(&reference->seen,
                          (int64_t)reference->mesh->elements * problem->equation->fields *
                              reference->element->nodes,
                          sizeof(double));
}

void reference_terms_free(sedge_reference *reference)
{
    for (int i = 0; reference->terms != NULL && i < reference->problem->term_count; i++) {
        sedge_release(reference->terms[i].element);
        sedge_release(reference->terms[i].memory);
        sedge_release(reference->terms[i].residual);
        sedge_release(reference->terms[i].rate);
    }
    sedge_release(reference->terms);
    sedge_release(reference->seen);
    sedge_release(reference->face_memory);
    sedge_release(reference->face_residual);
    sedge_release(reference->face_rate);
}

// In one element, the i-th that has the term: seen [fields][nodes].
static void drive_element(const sedge_reference *reference, const reference_term *of, int32_t i,
                          double *seen)
{
    const int64_t n = reference->element->nodes;
    const int fields = reference->problem->equation->fields;
    const int memory = of->term->kind->memory;
    const double *const p = sedge_term_pole(of->term, reference->mesh->group[of->element[i]], 0);

    for (int j = 0; j < n; j++) {
        double q[SEDGE_MAX_FIELDS], w[SEDGE_MAX_MEMORY];
        for (int k = 0; k < fields; k++) q[k] = seen[k * n + j];
        for (int k = 0; k < memory; k++) w[k] = of->memory[(i * memory + k) * n + j];
        of->term->kind->drive_local(w, p, q);
        for (int k = 0; k < fields; k++) seen[k * n + j] = q[k];
    }
}

const double *reference_terms_drive(sedge_reference *reference, const double *u)
{
    const int64_t stride =
        (int64_t)reference->problem->equation->fields * reference->element->nodes;

    if (reference->seen == NULL) return u;
    memcpy(reference->seen, u, (size_t)(reference->mesh->elements * stride) * sizeof(double));
    for (int k = 0; k < reference->problem->term_count; k++) {
        const reference_term *const of = &reference->terms[k];
        if (of->term->kind->drive_local == NULL) continue;
        for (int32_t i = 0; i < of->elements; i++)
            drive_element(reference, of, i, reference->seen + of->element[i] * stride);
    }
    return reference->seen;
}

// One element: rhs [fields][nodes].
static void multiply_element(const sedge_reference *reference, const reference_term *of,
                             int32_t element, double *rhs)
{
    const double *const p = sedge_term_pole(of->term, reference->mesh->group[element], 0);
    const int64_t n = reference->element->nodes;
    const int fields = reference->problem->equation->fields;

    for (int j = 0; j < n; j++) {
        double du[SEDGE_MAX_FIELDS];
        for (int k = 0; k < fields; k++) du[k] = rhs[k * n + j];
        of->term->kind->multiply_local(p, du);
        for (int k = 0; k < fields; k++) rhs[k * n + j] = du[k];
    }
}

// Add what a term makes of u and of its memory at a node to rate, both [fields], and store the
// memory's rates; w and dw [poles][memory] are `stride` apart.
static void act_at_node(const sedge_problem *problem, const sedge_term *term, int volume,
                        const double *u, const double *w, int64_t stride, double t, double *rate,
                        double *dw)
{
    const int memory = term->kind->memory;
    const int unknowns = sedge_term_unknowns(term) / term->poles;

    for (int pole = 0; pole < term->poles; pole++) {
        const int64_t first = (int64_t)pole * memory * stride;
        double du[SEDGE_MAX_FIELDS];
        double own[SEDGE_MAX_MEMORY], change[SEDGE_MAX_MEMORY];
        for (int k = 0; k < memory; k++) own[k] = w[first + k * stride];
        term->kind->local(u, own, problem->materials[volume], sedge_term_pole(term, volume, pole),
                          problem->constants, t, du, change);
        for (int k = 0; k < problem->equation->fields; k++) rate[k] += du[k];
        for (int k = 0; k < unknowns; k++) dw[first + k * stride] = change[k];
    }
}

// One element, the i-th that has the term: u and rhs [fields][nodes].
static void add_element(const sedge_reference *reference, reference_term *of, int32_t i,
                        const double *u, double t, double *rhs)
{
    const sedge_problem *const problem = reference->problem;
    const int volume = reference->mesh->group[of->element[i]];
    const int64_t n = reference->element->nodes;
    const int64_t first = i * n * sedge_term_memory(of->term);
    const int fields = problem->equation->fields;

    for (int64_t j = 0; j < n; j++) {
        double q[SEDGE_MAX_FIELDS], rate[SEDGE_MAX_FIELDS] = {0.0};
        for (int k = 0; k < fields; k++) {
            q[k] = u[k * n + j];
            rate[k] = rhs[k * n + j];
        }
        act_at_node(problem, of->term, volume, q, of->memory + first + j, n, t, rate,
                    of->rate + first + j);
        for (int k = 0; k < fields; k++) rhs[k * n + j] = rate[k];
    }
}

// At which turn a term acts: those that are driven, matrices, those that drive.
static int turn_of(const sedge_term *term)
{
    return term->kind->multiply_local != NULL ? 1 : term->kind->drive_local != NULL ? 2 : 0;
}

// All that acts at a node of a volume group, see sedge_reference_terms_of: w and dw are `stride`
// apart.
static void act_all(const sedge_problem *problem, int volume, const double *u, const double *w,
                    int64_t stride, double *rate, double *dw)
{
    const sedge_equation *const equation = problem->equation;
    double seen[SEDGE_MAX_FIELDS], source[SEDGE_MAX_FIELDS] = {0.0};
    int64_t rows = 0;

    for (int k = 0; k < equation->fields; k++) seen[k] = u[k];
    for (int i = 0; i < problem->term_count; i++) {
        const sedge_term *const term = &problem->terms[i];
        double own[SEDGE_MAX_MEMORY];
        const double *const from = w + rows * stride;
        rows += sedge_term_memory(term);
        if (!term->present[volume] || term->kind->drive_local == NULL) continue;
        for (int k = 0; k < term->kind->memory; k++) own[k] = from[k * stride];
        term->kind->drive_local(own, sedge_term_pole(term, volume, 0), seen);
    }
    if (sedge_equation_has_source(equation, problem->materials[volume]))
        equation->source(seen, problem->materials[volume], problem->constants, source);
    for (int k = 0; k < equation->fields; k++) rate[k] += source[k];
    for (int turn = 0; turn < 3; turn++) {
        rows = 0;
        for (int i = 0; i < problem->term_count; i++) {
            const sedge_term *const term = &problem->terms[i];
            const int64_t at = rows * stride;
            rows += sedge_term_memory(term);
            if (!term->present[volume] || term->exponential || turn != turn_of(term)) continue;
            if (turn == 1) {
                term->kind->multiply_local(sedge_term_pole(term, volume, 0), rate);
            } else {
                act_at_node(problem, term, volume, turn == 2 ? u : seen, w + at, stride, 0.0, rate,
                            dw + at);
            }
        }
    }
}

void sedge_reference_terms_of(const sedge_reference *reference, int32_t e, const double *u,
                              const double *w, double *rhs, double *dw)
{
    const int64_t n = reference->element->nodes;
    const int fields = reference->problem->equation->fields;

    for (int64_t j = 0; j < n; j++) {
        double own[SEDGE_MAX_FIELDS], rate[SEDGE_MAX_FIELDS] = {0.0};
        for (int k = 0; k < fields; k++) {
            own[k] = u[k * n + j];
            rate[k] = rhs[k * n + j];
        }
        act_all(reference->problem, reference->mesh->group[e], own, w + j, n, rate, dw + j);
        for (int k = 0; k < fields; k++) rhs[k * n + j] = rate[k];
    }
}

void reference_terms_add(sedge_reference *reference, const double *u, const double *seen, double t,
                         double *rhs)
{
    const int64_t stride =
        (int64_t)reference->problem->equation->fields * reference->element->nodes;

    for (int pass = 0; pass < 3; pass++) {
        for (int k = 0; k < reference->problem->term_count; k++) {
            reference_term *const of = &reference->terms[k];
            const bool now = pass == turn_of(of->term) && !of->term->exponential;
            for (int32_t i = 0; i < of->elements && now; i++) {
                const int64_t at = of->element[i] * stride;
                if (pass == 1) {
                    multiply_element(reference, of, of->element[i], rhs + at);
                } else {
                    add_element(reference, of, i, (pass == 2 ? u : seen) + at, t, rhs + at);
                }
            }
        }
    }
}

// Of one component of the memory in an element, w [nodes]: the integral of its square.
static double find_square(const sedge_reference *reference, int32_t element, const double *w)
{
    const int n = reference->element->nodes;
    double sum = 0.0;

    if (sedge_mesh_curve(reference->mesh, element) >= 0) {
        sedge_cubature_jacobian(reference->cubature, reference->mesh, element, reference->jacobian);
        return sedge_cubature_product(reference->cubature, reference->jacobian, w, w);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) sum += w[i] * reference->element->mass[i * n + j] * w[j];
    return reference->geometry[element].jacobian * sum;
}

enum { FACE_NODES_MOST = 66 }; // of order 10

// Of one component of the memory of a boundary face, w [face nodes]: the integral of the square of
// the polynomial that has the values w sqrt(surface Jacobian) at the nodes.
static double find_face_square(const sedge_reference *reference, const sedge_trace_face *face,
                               const double *w)
{
    const sedge_element *const element = reference->element;
    const int width = element->face_nodes;
    double root[FACE_NODES_MOST];
    double sum = 0.0;

    for (int k = 0; k < width; k++) {
        const int node = element->face_node[face->face * width + k];
        const double rst[3] = {element->r[node], element->s[node], element->t[node]};
        double normal[3];
        root[k] = sqrt(sedge_mesh_normal(reference->mesh, face->element, face->face, rst, normal));
    }
    for (int i = 0; i < width; i++) {
        for (int j = 0; j < width; j++)
            sum += root[i] * w[i] * element->face_mass[i * width + j] * root[j] * w[j];
    }
    return sum;
}

static void add_faces_energy(const sedge_reference *reference, double *energy)
{
    const sedge_problem *const problem = reference->problem;
    const sedge_mesh *const mesh = reference->mesh;
    const int components = sedge_problem_face_memory(problem);
    const int64_t width = reference->element->face_nodes;
    double weights[SEDGE_MAX_FACE_MEMORY];

    for (int32_t i = 0; i < mesh->boundary_faces && reference->face_memory != NULL; i++) {
        const sedge_trace_face *const face = &mesh->trace_faces[mesh->halo_faces + i];
        if (!sedge_problem_has_face_memory(problem, face->group)) continue;
        if (!sedge_problem_face_energy(weights, problem, face->group)) continue;
        for (int k = 0; k < components; k++) {
            const double *const w = reference->face_memory + (i * (int64_t)components + k) * width;
            if (!(weights[k] > 0.0)) continue;
            energy[face->element] += 0.5 * weights[k] * find_face_square(reference, face, w);
        }
    }
}

void reference_terms_energy(const sedge_reference *reference, double *energy)
{
    const int64_t n = reference->element->nodes;

    for (int k = 0; reference->terms != NULL && k < reference->problem->term_count; k++) {
        const reference_term *const of = &reference->terms[k];
        const int poles = of->term->poles;
        const int memory = of->term->kind->memory;
        for (int32_t i = 0; i < of->elements * poles && sedge_term_stores_energy(of->term); i++) {
            const int32_t e = of->element[i / poles];
            double weights[SEDGE_MAX_MEMORY];
            sedge_term_energy(weights, reference->problem, of->term, reference->mesh->group[e],
                              i % poles);
            const bool covariant = sedge_cubature_state_is_covariant(reference->problem) &&
                                   sedge_mesh_curve(reference->mesh, e) >= 0;
            for (int c = 0; c < memory; c += covariant ? 3 : 1) {
                const double *const w = of->memory + (i * memory + c) * n;
                energy[e] += covariant ? reference_covariant_energy(reference, e, w, weights + c)
                                       : 0.5 * weights[c] * find_square(reference, e, w);
            }
        }
    }
    add_faces_energy(reference, energy);
}

static void advance(double *memory, double *residual, const double *rate, int64_t count,
                    const double step[3])
{
    for (int64_t i = 0; i < count; i++) {
        residual[i] = step[0] * residual[i] + step[2] * rate[i];
        memory[i] += step[1] * residual[i];
    }
}

void reference_terms_stage(sedge_reference *reference, double a, double b, double dt)
{
    const double step[3] = {a, b, dt};

    for (int k = 0; k < reference->problem->term_count; k++) {
        reference_term *const of = &reference->terms[k];
        if (of->term->exponential) continue;
        advance(of->memory, of->residual, of->rate, of->values, step);
    }
    advance(reference->face_memory, reference->face_residual, reference->face_rate,
            reference_face_memory(reference), step);
}

// At a node of one element, the i-th that has the term, for one component of the field.
static void update_node(const reference_term *of, int64_t nodes, int64_t at, const double *numbers,
                        double *u, double r, const sedge_stage *stage)
{
    const int64_t n = sedge_exponential_size(of->term);
    double *const w = of->memory + at;
    const double rate = r - stage->a * of->rate[at];
    double y[SEDGE_EXPONENTIAL_SIZE];

    y[0] = *u - stage->b * r; // before the stage
    for (int64_t k = 1; k < n; k++) y[k] = w[3 * (k - 1) * nodes];
    of->rate[at] = r;
    for (int64_t k = 0; k < n; k++) {
        const double *const row = numbers + k * (n + 2);
        double sum = row[n] * r + row[n + 1] * rate;
        for (int j = 0; j < n; j++) sum += row[j] * y[j];
        *(k == 0 ? u : &w[3 * (k - 1) * nodes]) = sum;
    }
}

void reference_terms_exponential(sedge_reference *reference, double *u, int s, double dt)
{
    const sedge_stage stage = sedge_integrator_stage_kept(reference->problem->integrator, s, dt);
    const int64_t n = reference->element->nodes;
    const int fields = reference->problem->equation->fields;
    double numbers[SEDGE_EXPONENTIAL_SIZE * (SEDGE_EXPONENTIAL_SIZE + 2)];

    for (int k = 0; k < reference->problem->term_count; k++) {
        const reference_term *const of = &reference->terms[k];
        const int memory = sedge_term_memory(of->term);
        const int first = of->term->kind->field_triple - 1;
        for (int32_t i = 0; i < of->elements && of->term->exponential; i++) {
            const int32_t e = of->element[i];
            sedge_exponential_stage(numbers, reference->problem, of->term,
                                    reference->mesh->group[e], s, dt);
            for (int64_t j = 0; j < 3 * n; j++) { // components and nodes
                const int64_t field = ((int64_t)e * fields + first) * n + j;
                update_node(of, n, (int64_t)i * memory * n + j, numbers, u + field,
                            reference->residual[field], &stage);
            }
        }
    }
}

// At a node of one element in a step with a prediction, before it or `after` the stage.
static void step_node(const reference_term *of, int64_t nodes, int64_t at, const double *numbers,
                      bool after, double *u)
{
    const int64_t n = sedge_exponential_size(of->term);
    double *const w = of->memory + at;
    double y[SEDGE_EXPONENTIAL_SIZE];

    y[0] = after ? *u + of->residual[at] : *u;
    for (int64_t k = 1; k < n; k++) y[k] = w[3 * (k - 1) * nodes];
    for (int64_t k = 0; k < n; k++) {
        double sum = 0.0;
        for (int j = 0; j < n && !after; j++) sum += numbers[k * n + j] * y[j];
        if (after) sum = numbers[(n + 1) * n + k] * y[0] + (k > 0 ? y[k] : 0.0);
        *(k == 0 ? u : &w[3 * (k - 1) * nodes]) = sum;
    }
    of->residual[at] = 0.0;
    for (int j = 0; j < n && !after; j++) of->residual[at] += numbers[n * n + j] * y[j];
}

void reference_terms_step(sedge_reference *reference, double *u, bool after, int level, double dt)
{
    const int64_t n = reference->element->nodes;
    const int fields = reference->problem->equation->fields;
    double numbers[(SEDGE_EXPONENTIAL_SIZE + 2) * SEDGE_EXPONENTIAL_SIZE];

    for (int k = 0; k < reference->problem->term_count; k++) {
        const reference_term *const of = &reference->terms[k];
        const int64_t memory = sedge_term_memory(of->term);
        const int first = of->term->kind->field_triple - 1;
        for (int32_t i = 0; i < of->elements && of->term->exponential; i++) {
            const int32_t e = of->element[i];
            if (sedge_mesh_level(reference->mesh, e) != level) continue;
            sedge_exponential_step(numbers, reference->problem, of->term, reference->mesh->group[e],
                                   dt);
            double *const own = u + ((int64_t)e * fields + first) * n;
            for (int64_t j = 0; j < 3 * n; j++) // components and nodes
                step_node(of, n, i * memory * n + j, numbers, after, own + j);
        }
    }
}

double *sedge_reference_face_memory(sedge_reference *reference)
{
    return reference->face_memory;
}

double *sedge_reference_memory(sedge_reference *reference, int term)
{
    return reference->terms[term].memory;
}
