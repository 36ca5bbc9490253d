#include "dg/reference.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "dg/cubature.h"
#include "dg/dense.h"
#include "dg/point.h"
#include "dg/reference/reference_internal.h"
#include "dg/response.h"
#include "dg/surface_field.h"
#include "time/integrator.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- set-up ------------------------------------------------------------------------------------

static sedge_status check_boundaries(const sedge_mesh *mesh, const sedge_problem *problem)
{
    for (int32_t i = 0; i < mesh->boundary_faces; i++) {
        const int group = mesh->trace_faces[mesh->halo_faces + i].group;
        if (group < 0 || group >= problem->surfaces || problem->boundaries[group].kind == NULL) {
            return SEDGE_FAIL(SEDGE_ERR_USAGE, "surface group %d has faces but no condition",
                              group);
        }
    }
    return sedge_problem_check_sides(problem, mesh);
}

static sedge_status create_exchange(sedge_reference *reference)
{
    const sedge_mesh *mesh = reference->mesh;
    const int64_t block =
        (int64_t)reference->problem->equation->fields * reference->element->face_nodes;
    int64_t *offsets = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&offsets, mesh->peers + 1, sizeof *offsets));
    for (int i = 0; i <= mesh->peers && mesh->peers > 0; i++)
        offsets[i] = mesh->peer_offsets[i] * block * (int64_t)sizeof(double);
    SEDGE_TRY_GOTO(status,
                   sedge_allocate(&reference->send, mesh->halo_faces * block, sizeof(double)));
    SEDGE_TRY_GOTO(status,
                   sedge_allocate(&reference->receive, mesh->halo_faces * block, sizeof(double)));
    SEDGE_TRY_GOTO(status, sedge_exchange_create(&reference->exchange, reference->comm, mesh->peers,
                                                 mesh->peer_ranks, offsets, offsets, NULL,
                                                 reference->send, reference->receive));
done:
    sedge_release(offsets);
    return status;
}

// shape / J, which is M_J^-1 M shape on a straight element.
static void divide_point(sedge_reference *reference, int32_t e, double *shape)
{
    if (sedge_mesh_curve(reference->mesh, e) >= 0) {
        sedge_cubature_jacobian(reference->cubature, reference->mesh, e, reference->jacobian);
        sedge_cubature_divide(reference->cubature, reference->jacobian, shape, reference->work);
        return;
    }
    for (int i = 0; i < reference->element->nodes; i++) shape[i] /= reference->geometry[e].jacobian;
}

// What the point sources add in the elements of this rank. Collective.
static sedge_status create_points(sedge_reference *reference)
{
    const sedge_problem *const problem = reference->problem;
    const sedge_element *const element = reference->element;
    const int nodes = element->nodes;
    sedge_points points;

    SEDGE_TRY(sedge_points_create(&points, reference->comm, element, reference->mesh, problem));
    sedge_status status = sedge_allocate(&reference->point, points.count, sizeof *reference->point);
    if (status == SEDGE_OK) {
        status = sedge_allocate(&reference->point_shape, (int64_t)points.count * nodes,
                                sizeof *reference->point_shape);
    }
    for (int i = 0; i < points.count && status == SEDGE_OK; i++) {
        const sedge_point_source *const source = &problem->point_sources[points.share[i].source];
        local_point *const point = &reference->point[reference->points++];
        double *const shape = reference->point_shape + (int64_t)i * nodes;

        point->element = points.share[i].element;
        point->signal = source->signal;
        source->kind->point(source->parameters,
                            problem->materials[reference->mesh->group[point->element]],
                            point->fields);
        sedge_response_multiply(problem, reference->mesh->group[point->element], point->fields);
        sedge_dense_multiply(shape, element->vandermonde, false, points.modes + (int64_t)i * nodes,
                             false, nodes, nodes, 1);
        divide_point(reference, point->element, shape);
    }
    sedge_points_clear(&points);
    return sedge_comm_agree(reference->comm, status);
}

static sedge_status allocate_arrays(sedge_reference *reference)
{
    const int64_t fields = reference->problem->equation->fields;
    const int64_t n = reference->element->nodes;
    const int64_t nf = reference->element->face_nodes;

    // Of it a reference alone needs few.
    SEDGE_TRY(sedge_allocate_thin(&reference->geometry, reference->mesh->elements,
                                  sizeof *reference->geometry));
    SEDGE_TRY(sedge_allocate(&reference->flux, 3 * fields * n, sizeof(double)));
    SEDGE_TRY(sedge_allocate(&reference->jump, fields * 4 * nf, sizeof(double)));
    return reference_curved_create(reference);
}

sedge_status sedge_reference_create(sedge_reference **out, const sedge_comm *comm,
                                    const sedge_element *element, const sedge_mesh *mesh,
                                    const sedge_problem *problem)
{
    sedge_status status;
    sedge_reference *reference = NULL;

    *out = NULL;
    status = sedge_allocate(&reference, 1, sizeof *reference);
    if (status == SEDGE_OK) {
        reference->comm = comm;
        reference->element = element;
        reference->mesh = mesh;
        reference->problem = problem;
        status = allocate_arrays(reference);
    }
    if (status == SEDGE_OK) status = reference_terms_create(reference);
    if (status == SEDGE_OK) status = check_boundaries(mesh, problem);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));

    for (int32_t e = 0; e < mesh->elements; e++)
        sedge_geometry_compute(&reference->geometry[e], mesh->corners[e]);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, create_exchange(reference)));
    SEDGE_TRY_GOTO(status, create_points(reference));
    *out = reference;
    reference = NULL;
done:
    sedge_reference_free(reference);
    return status;
}

sedge_status sedge_reference_create_alone(sedge_reference **out, const sedge_element *element,
                                          const sedge_mesh *mesh, const sedge_problem *problem)
{
    sedge_status status;
    sedge_reference *reference = NULL;

    *out = NULL;
    SEDGE_TRY_GOTO(status, sedge_allocate(&reference, 1, sizeof *reference));
    reference->element = element;
    reference->mesh = mesh;
    reference->problem = problem;
    SEDGE_TRY_GOTO(status, allocate_arrays(reference));
    SEDGE_TRY_GOTO(status, check_boundaries(mesh, problem));
    *out = reference;
    reference = NULL;
done:
    sedge_reference_free(reference);
    return status;
}

void sedge_reference_free(sedge_reference *reference)
{
    if (reference == NULL) return;
    sedge_exchange_free(reference->exchange);
    sedge_release(reference->send);
    sedge_release(reference->receive);
    if (reference->mesh != NULL) {
        sedge_release_thin(reference->geometry, reference->mesh->elements,
                           sizeof *reference->geometry);
    }
    sedge_release(reference->point);
    sedge_release(reference->point_shape);
    sedge_release(reference->flux);
    sedge_release(reference->jump);
    sedge_release(reference->residual);
    sedge_release(reference->rhs);
    reference_curved_free(reference);
    reference_terms_free(reference);
    reference_ader_free(reference);
    sedge_release(reference);
}

// ---- right-hand side ---------------------------------------------------------------------------

static void exchange_traces(sedge_reference *reference, const double *u)
{
    const sedge_mesh *mesh = reference->mesh;
    const sedge_element *element = reference->element;
    const int fields = reference->problem->equation->fields;
    const int nf = element->face_nodes;

    sedge_exchange_post_receives(reference->exchange);
    for (int32_t slot = 0; slot < mesh->halo_faces; slot++) {
        const sedge_trace_face *face = &mesh->trace_faces[slot];
        const int *node = element->face_node + (int64_t)face->face * nf;
        for (int k = 0; k < fields; k++) {
            const double *from = u + ((int64_t)face->element * fields + k) * element->nodes;
            double *to = reference->send + ((int64_t)slot * fields + k) * nf;
            for (int i = 0; i < nf; i++) to[i] = from[node[i]];
        }
    }
    sedge_exchange_start_sends(reference->exchange);
    sedge_exchange_wait(reference->exchange);
}

static inline void add_rows(double *sum, const double *weight, const double *rows, int count,
                            int fields)
{
    double added[SEDGE_MAX_FIELDS];

    for (int k = 0; k < fields; k++) added[k] = sum[k];
    for (int l = 0; l < count; l++)
        for (int k = 0; k < fields; k++) added[k] += weight[l] * rows[l * fields + k];
    for (int k = 0; k < fields; k++) sum[k] = added[k];
}

void reference_add_rows(double *sum, const double *weight, const double *rows, int count,
                        int fields)
{
    if (fields == 6) { // Maxwell's: the compiler keeps so many sums in registers
        add_rows(sum, weight, rows, count, 6);
    } else {
        add_rows(sum, weight, rows, count, fields);
    }
}

// rhs = -div F(u) in element e: -sum_j D_j (sum_d dr_j/dx_d F_d).
static void add_volume(sedge_reference *reference, int32_t e, const double *u, double *rhs)
{
    const sedge_element *element = reference->element;
    const sedge_equation *equation = reference->problem->equation;
    const sedge_geometry *geometry = &reference->geometry[e];
    const double *m = reference->problem->materials[reference->mesh->group[e]];
    const int n = element->nodes;
    const int fields = equation->fields;
    double *flux = reference->flux;

    for (int i = 0; i < n; i++) {
        double q[SEDGE_MAX_FIELDS];
        double F[3][SEDGE_MAX_FIELDS];
        for (int k = 0; k < fields; k++) q[k] = u[k * n + i];
        equation->flux(q, m, reference->problem->constants, F[0], F[1], F[2]);
        for (int j = 0; j < 3; j++) {
            for (int k = 0; k < fields; k++) {
                flux[(j * n + i) * fields + k] = geometry->metric[j][0] * F[0][k] +
                                                 geometry->metric[j][1] * F[1][k] +
                                                 geometry->metric[j][2] * F[2][k];
            }
        }
    }
    for (int i = 0; i < n; i++) {
        double sum[SEDGE_MAX_FIELDS] = {0.0};
        for (int j = 0; j < 3; j++) {
            reference_add_rows(sum, &element->derivative[j][(int64_t)i * n],
                               &flux[(int64_t)j * n * fields], n, fields);
        }
        for (int k = 0; k < fields; k++) rhs[k * n + i] = -sum[k];
    }
}

// The trace v at node i of a face, of the element or halo slot behind it, and the material there.
static const double *get_behind(const sedge_reference *reference, const sedge_face *face, int i,
                                const double *all, double *v)
{
    const sedge_element *element = reference->element;
    const sedge_mesh *mesh = reference->mesh;
    const sedge_problem *problem = reference->problem;
    const int nf = element->face_nodes;
    const int fields = problem->equation->fields;
    const int theirs = element->permuted[face->orientation * nf + i];

    if (face->neighbour >= 0) {
        const int node = element->face_node[face->face * nf + theirs];
        for (int k = 0; k < fields; k++)
            v[k] = all[((int64_t)face->neighbour * fields + k) * element->nodes + node];
        return problem->materials[mesh->group[face->neighbour]];
    }

    const int32_t slot = -1 - face->neighbour;
    for (int k = 0; k < fields; k++)
        v[k] = reference->halo[((int64_t)slot * fields + k) * nf + theirs];
    return problem->materials[mesh->trace_faces[slot].group];
}

// The trace v of the other side with the phase between both sides: a sum with that of the other
// copy, which has `other` in the twin's place.
static void turn(const sedge_reference *reference, const sedge_set_face *side,
                 const sedge_face *other, int i, const double *all, double *v)
{
    const sedge_set_face *const twin = sedge_mesh_find_side(
        reference->mesh, sedge_mesh_twin(side->element), side->face, side->group);
    const sedge_face behind = {.neighbour = twin->other >= 0 ? twin->other : -1 - twin->other_slot,
                               .face = other->face,
                               .orientation = other->orientation};
    double p[SEDGE_MAX_VALUES], w[SEDGE_MAX_FIELDS];

    (void)get_behind(reference, &behind, i, all, w);
    sedge_problem_side_parameters(p, reference->problem, side->group, side->second);
    for (int k = 0; k < reference->problem->equation->fields; k++)
        v[k] = p[SEDGE_TURN_COSINE] * v[k] + p[SEDGE_TURN_SINE] * w[k];
}

const double *reference_other_side(const sedge_reference *reference, const sedge_set_face *side,
                                   int i, const double *all, double *v)
{
    const sedge_face other = {.neighbour = side->other >= 0 ? side->other : -1 - side->other_slot,
                              .face = side->other_face,
                              .orientation = side->orientation};

    const double *const m = get_behind(reference, &other, i, all, v);
    if (reference->problem->boundaries[side->group].kind->turns)
        turn(reference, side, &other, i, all, v);
    return m;
}

// Node i of a boundary face: what is there, and where its memory is.
typedef struct face_node {
    const sedge_boundary *boundary;
    int64_t first; // its first number in face_memory; the next component is face_nodes further
    double x[3];
    double t;
    const double *u, *m, *normal; // the own side
} face_node;

// The other side's trace and material, where the condition is two-sided, and the memory are in the
// arguments of its function.
static void apply_kind(const sedge_reference *reference, const face_node *at, const double *w,
                       const double *mw, const double *p, double *v)
{
    const sedge_boundary_kind *const kind = at->boundary->kind;
    const double *const c = reference->problem->constants;
    const int width = reference->element->face_nodes;
    double memory[SEDGE_MAX_FACE_MEMORY] = {0.0};
    double rate[SEDGE_MAX_FACE_MEMORY] = {0.0};

    for (int k = 0; k < kind->memory && reference->face_memory != NULL; k++)
        memory[k] = reference->face_memory[at->first + (int64_t)k * width];
    if (kind->apply != NULL) {
        kind->apply(at->u, at->m, at->normal, at->x, at->t, p, c, v);
    } else if (kind->apply_two_sided != NULL) {
        kind->apply_two_sided(at->u, w, at->m, mw, at->normal, at->x, at->t, p, c, v);
    } else if (kind->apply_memory != NULL) {
        kind->apply_memory(at->u, at->m, at->normal, at->x, at->t, p, c, memory, v, rate);
    } else {
        kind->apply_two_sided_memory(at->u, w, at->m, mw, at->normal, at->x, at->t, p, c, memory, v,
                                     rate);
    }
    for (int k = 0; k < kind->memory && reference->face_memory != NULL; k++)
        reference->face_rate[at->first + (int64_t)k * width] = rate[k];
}

void reference_drive(const sedge_reference *reference, int32_t slot, const double x[3],
                     const double normal[3], double *v)
{
    const sedge_mesh *const mesh = reference->mesh;
    const sedge_problem *const problem = reference->problem;
    const sedge_trace_face *const face = &mesh->trace_faces[slot];
    const sedge_boundary *const boundary = reference->driven;
    double(*const corners)[3] = mesh->corners[face->element];
    const int *const vertices = sedge_face_vertices[face->face];
    double key[9];

    for (int k = 0; k < problem->equation->fields; k++) v[k] = 0.0;
    if (face->group != boundary->surface) return;
    const sedge_set_face *const side =
        sedge_mesh_find_side(mesh, face->element, face->face, face->group);
    sedge_surface_corners(key, corners[vertices[0]], corners[vertices[1]], corners[vertices[2]]);
    boundary->kind->drive(boundary, key, x, problem->materials[mesh->group[face->element]],
                          side->other_group >= 0 ? problem->materials[side->other_group] : NULL,
                          normal, problem->constants, v);
    if (!boundary->kind->phased || !mesh->twins) return;
    const double *const k = problem->wave_vector;
    const double phase = k[0] * x[0] + k[1] * x[1] + k[2] * x[2];
    const double factor = sedge_mesh_copy(mesh, face->element) == 0 ? cos(phase) : -sin(phase);
    for (int f = 0; f < problem->equation->fields; f++) v[f] *= factor;
}

void reference_apply_boundary(const sedge_reference *reference, int32_t slot, int i, double t,
                              const double *all, const double *u, double *v)
{
    const sedge_element *element = reference->element;
    const sedge_mesh *mesh = reference->mesh;
    const sedge_problem *problem = reference->problem;
    const sedge_trace_face *face = &mesh->trace_faces[slot];
    const int own = element->face_node[face->face * element->face_nodes + i];
    const double rst[3] = {element->r[own], element->s[own], element->t[own]};
    const int64_t components = sedge_problem_face_memory(problem);
    double p[SEDGE_MAX_VALUES], normal[3];
    face_node at = {.boundary = &problem->boundaries[face->group],
                    .first = (slot - mesh->halo_faces) * components * element->face_nodes + i,
                    .t = t,
                    .u = u,
                    .m = problem->materials[mesh->group[face->element]],
                    .normal = reference->geometry[face->element].normal[face->face]};

    sedge_mesh_place(mesh, face->element, rst, at.x);
    if (sedge_mesh_curve(mesh, face->element) >= 0) {
        (void)sedge_mesh_normal(mesh, face->element, face->face, rst, normal);
        at.normal = normal;
    }
    if (reference->driven != NULL) {
        reference_drive(reference, slot, at.x, at.normal, v);
        return;
    }
    if (!sedge_is_two_sided(at.boundary->kind)) {
        apply_kind(reference, &at, NULL, NULL, at.boundary->parameters, v);
        return;
    }
    const sedge_set_face *const side =
        sedge_mesh_find_side(mesh, face->element, face->face, face->group);
    double w[SEDGE_MAX_FIELDS];
    const double *const mw = reference_other_side(reference, side, i, all, w);
    sedge_problem_side_parameters(p, problem, face->group, side->second);
    apply_kind(reference, &at, w, mw, p, v);
}

int32_t reference_boundary_slot(const sedge_reference *reference, int32_t e, int f)
{
    const int32_t slot = -1 - reference->mesh->faces[e][f].neighbour;

    if (reference->closed) return -1;
    return slot >= reference->mesh->halo_faces ? slot : -1;
}

const double *reference_neighbour(const sedge_reference *reference, int32_t e, int f, int i,
                                  const double *all, double *v)
{
    const sedge_element *const element = reference->element;
    const int fields = reference->problem->equation->fields;
    const int own = element->face_node[f * element->face_nodes + i];

    if (!reference->closed) return get_behind(reference, &reference->mesh->faces[e][f], i, all, v);
    for (int k = 0; k < fields; k++) v[k] = all[((int64_t)e * fields + k) * element->nodes + own];
    return reference->problem->materials[reference->mesh->group[e]];
}

// rhs -= LIFT (sJ/J n.(F* - F(u))) over the four faces of element e.
static void add_surface(sedge_reference *reference, int32_t e, const double *all, double t,
                        double *rhs)
{
    const sedge_element *element = reference->element;
    const sedge_equation *equation = reference->problem->equation;
    const sedge_geometry *geometry = &reference->geometry[e];
    const double *m = reference->problem->materials[reference->mesh->group[e]];
    const int n = element->nodes;
    const int nf = element->face_nodes;
    const int fields = equation->fields;
    const double *own = all + (int64_t)e * fields * n;

    for (int f = 0; f < SEDGE_FACES; f++) {
        const int32_t slot = reference_boundary_slot(reference, e, f);
        for (int i = 0; i < nf; i++) {
            const int node = element->face_node[f * nf + i];
            const double *mv = m;
            double u[SEDGE_MAX_FIELDS], v[SEDGE_MAX_FIELDS], jump[SEDGE_MAX_FIELDS];
            for (int k = 0; k < fields; k++) u[k] = own[k * n + node];
            if (slot >= 0) {
                reference_apply_boundary(reference, slot, i, t, all, u, v);
            } else {
                mv = reference_neighbour(reference, e, f, i, all, v);
            }
            equation->surface(u, v, m, mv, geometry->normal[f], reference->problem->constants,
                              jump);
            for (int k = 0; k < fields; k++)
                reference->jump[(f * nf + i) * fields + k] = geometry->face_scale[f] * jump[k];
        }
    }
    for (int i = 0; i < n; i++) {
        double sum[SEDGE_MAX_FIELDS] = {0.0};
        reference_add_rows(sum, &element->lift[(int64_t)i * 4 * nf], reference->jump, 4 * nf,
                           fields);
        for (int k = 0; k < fields; k++) rhs[k * n + i] -= sum[k];
    }
}

static void add_source(const sedge_reference *reference, int32_t e, const double *u, double *rhs)
{
    const sedge_equation *equation = reference->problem->equation;
    const double *m = reference->problem->materials[reference->mesh->group[e]];
    const int n = reference->element->nodes;
    const int fields = equation->fields;

    if (!sedge_equation_has_source(equation, m)) return;
    for (int i = 0; i < n; i++) {
        double q[SEDGE_MAX_FIELDS];
        double s[SEDGE_MAX_FIELDS] = {0.0};
        for (int k = 0; k < fields; k++) q[k] = u[k * n + i];
        equation->source(q, m, reference->problem->constants, s);
        for (int k = 0; k < fields; k++) rhs[k * n + i] += s[k];
    }
}

static void add_points(const sedge_reference *reference, double t, double *rhs)
{
    const int n = reference->element->nodes;
    const int fields = reference->problem->equation->fields;

    for (int p = 0; p < reference->points; p++) {
        const local_point *point = &reference->point[p];
        const double *shape = reference->point_shape + (int64_t)p * n;
        const double strength = sedge_signal(point->signal, t);
        double *own = rhs + (int64_t)point->element * fields * n;
        for (int k = 0; k < fields; k++)
            for (int i = 0; i < n; i++) own[k * n + i] += point->fields[k] * strength * shape[i];
    }
}

// Without the equation's source, terms and point sources.
static void find_rhs(sedge_reference *reference, int32_t e, const double *u, double t, double *rhs)
{
    const double *const own =
        u + (int64_t)e * reference->problem->equation->fields * reference->element->nodes;

    if (sedge_mesh_curve(reference->mesh, e) >= 0) {
        if (sedge_cubature_is_covariant(reference->problem)) {
            reference_covariant_rhs(reference, e, u, t, rhs);
        } else {
            reference_curved_rhs(reference, e, u, t, rhs);
        }
    } else {
        add_volume(reference, e, own, rhs);
        add_surface(reference, e, u, t, rhs);
    }
}

void sedge_reference_rhs_of(sedge_reference *reference, int32_t e, const double *u,
                            const double *halo, double t, double *rhs)
{
    sedge_geometry_compute(&reference->geometry[e], reference->mesh->corners[e]);
    reference->halo = halo;
    find_rhs(reference, e, u, t, rhs);
}

// rhs of an element times the matrices of its terms.
static void multiply_rates(const sedge_reference *reference, int32_t e, double *rhs)
{
    const int n = reference->element->nodes;
    const int fields = reference->problem->equation->fields;

    for (int i = 0; i < n; i++) {
        double du[SEDGE_MAX_FIELDS];
        for (int k = 0; k < fields; k++) du[k] = rhs[k * n + i];
        sedge_response_multiply(reference->problem, reference->mesh->group[e], du);
        for (int k = 0; k < fields; k++) rhs[k * n + i] = du[k];
    }
}

void sedge_reference_driven_of(sedge_reference *reference, int32_t e,
                               const sedge_boundary *boundary, const double *u, const double *halo,
                               double *rhs)
{
    reference->driven = boundary;
    sedge_reference_rhs_of(reference, e, u, halo, 0.0, rhs);
    reference->driven = NULL;
    multiply_rates(reference, e, rhs);
}

void sedge_reference_local_of(sedge_reference *reference, int32_t e, const double *u,
                              const double *w, double *rhs, double *dw)
{
    const int n = reference->element->nodes;
    const int fields = reference->problem->equation->fields;

    sedge_geometry_compute(&reference->geometry[e], reference->mesh->corners[e]);
    reference->closed = true;
    find_rhs(reference, e, u, 0.0, rhs);
    reference->closed = false;
    sedge_reference_terms_of(reference, e, u + (int64_t)e * fields * n, w, rhs, dw);
}

void sedge_reference_outer(sedge_reference *reference, int32_t slot, const double *u,
                           const double *halo, double t, double *v)
{
    const sedge_element *element = reference->element;
    const sedge_trace_face *face = &reference->mesh->trace_faces[slot];
    const int fields = reference->problem->equation->fields;
    const double *from = u + (int64_t)face->element * fields * element->nodes;

    reference->halo = halo;
    sedge_geometry_compute(&reference->geometry[face->element],
                           reference->mesh->corners[face->element]);
    for (int i = 0; i < element->face_nodes; i++) {
        const int node = element->face_node[face->face * element->face_nodes + i];
        double own[SEDGE_MAX_FIELDS];
        for (int k = 0; k < fields; k++) own[k] = from[k * element->nodes + node];
        reference_apply_boundary(reference, slot, i, t, u, own, v + (int64_t)i * fields);
    }
}

int64_t reference_count(const sedge_reference *reference)
{
    return (int64_t)reference->mesh->elements * reference->problem->equation->fields *
           reference->element->nodes;
}

// Without point sources.
static void find_rates(sedge_reference *reference, const double *u, double t, double *rhs)
{
    const int64_t stride =
        (int64_t)reference->problem->equation->fields * reference->element->nodes;
    const double *const seen = reference_terms_drive(reference, u);

    for (int32_t e = 0; e < reference->mesh->elements; e++) {
        find_rhs(reference, e, u, t, rhs + e * stride);
        add_source(reference, e, seen + e * stride, rhs + e * stride);
    }
    reference_terms_add(reference, u, seen, t, rhs);
}

void reference_local(sedge_reference *reference, const double *u, double *rhs)
{
    reference->closed = true;
    find_rates(reference, u, 0.0, rhs);
    reference->closed = false;
}

void reference_local_slopes(sedge_reference *reference, int32_t e, const double *u, double *rhs)
{
    reference->closed = true;
    find_rhs(reference, e, u, 0.0, rhs);
    reference->closed = false;
    multiply_rates(reference, e, rhs);
}

sedge_status sedge_reference_rhs(sedge_reference *reference, const double *u, double t, double *rhs)
{
    exchange_traces(reference, u);
    reference->halo = reference->receive;
    find_rates(reference, u, t, rhs);
    add_points(reference, t, rhs);
    return SEDGE_OK;
}

sedge_status sedge_reference_step(sedge_reference *reference, double *u, double t, double dt)
{
    const sedge_integrator *method = reference->problem->integrator;
    const int64_t count = reference_count(reference);

    if (method->predictor) return reference_ader_step(reference, u, t, dt);
    if (reference->residual == NULL) { // those who never step do without
        sedge_status status = sedge_allocate(&reference->residual, count, sizeof(double));
        if (status == SEDGE_OK) status = sedge_allocate(&reference->rhs, count, sizeof(double));
        SEDGE_TRY(sedge_comm_agree(reference->comm, status));
    }
    memset(reference->residual, 0, (size_t)count * sizeof(double));
    for (int s = 0; s < method->stages; s++) {
        SEDGE_TRY(sedge_reference_rhs(reference, u, t + method->c[s] * dt, reference->rhs));
        for (int64_t i = 0; i < count; i++) {
            reference->residual[i] = method->a[s] * reference->residual[i] + dt * reference->rhs[i];
            u[i] += method->b[s] * reference->residual[i];
        }
        reference_terms_stage(reference, method->a[s], method->b[s], dt);
        reference_terms_exponential(reference, u, s, dt);
    }
    return SEDGE_OK;
}

// ---- energy and initial state ------------------------------------------------------------------

// 1/2 sum_fg w_fg int J u_f u_g over a curved element.
static double find_curved_energy(const sedge_reference *reference, int32_t e, const double *u,
                                 const double *weights)
{
    const int64_t n = reference->element->nodes;
    const int fields = reference->problem->equation->fields;
    double sum = 0.0;

    if (sedge_cubature_state_is_covariant(reference->problem)) {
        for (int64_t f = 0; f < fields; f += 3) { // no tensors, whose problems have another state
            const double squares[3] = {weights[f * (fields + 1)], weights[(f + 1) * (fields + 1)],
                                       weights[(f + 2) * (fields + 1)]};
            sum += reference_covariant_energy(reference, e, u + f * n, squares);
        }
        return sum;
    }
    sedge_cubature_jacobian(reference->cubature, reference->mesh, e, reference->jacobian);
    for (int i = 0; i < fields * fields; i++) {
        const double *const one = u + i / fields * n;
        const double *const other = u + i % fields * n;
        if (!(fabs(weights[i]) > 0.0)) continue;
        sum += weights[i] *
               sedge_cubature_product(reference->cubature, reference->jacobian, one, other);
    }
    return 0.5 * sum;
}

void sedge_reference_energy(const sedge_reference *reference, const double *u, double *energy)
{
    const sedge_element *element = reference->element;
    const sedge_problem *problem = reference->problem;
    const int n = element->nodes;
    const int fields = problem->equation->fields;

    for (int32_t e = 0; e < reference->mesh->elements; e++) {
        double weights[SEDGE_MAX_FIELDS * SEDGE_MAX_FIELDS];
        double sum = 0.0;
        sedge_response_energy(weights, problem, reference->mesh->group[e]);
        if (sedge_mesh_curve(reference->mesh, e) >= 0) {
            energy[e] = find_curved_energy(reference, e, u + (int64_t)e * fields * n, weights);
            continue;
        }
        for (int k = 0; k < fields * fields; k++) {
            const double *const one = u + ((int64_t)e * fields + k / fields) * n;
            const double *const other = u + ((int64_t)e * fields + k % fields) * n;
            if (!(fabs(weights[k]) > 0.0)) continue;
            for (int i = 0; i < n; i++) {
                for (int j = 0; j < n; j++)
                    sum += weights[k] * one[i] * element->mass[i * n + j] * other[j];
            }
        }
        energy[e] = 0.5 * reference->geometry[e].jacobian * sum;
    }
    reference_terms_energy(reference, energy);
}

// The initial state, on several threads.
typedef struct initial_job {
    const sedge_reference *reference;
    double t;
    double *u;
} initial_job;

static void fill_initial(void *context, int64_t first, int64_t end)
{
    const initial_job *const job = context;
    const sedge_reference *const reference = job->reference;
    const sedge_element *const element = reference->element;
    const sedge_problem *const problem = reference->problem;
    const int n = element->nodes;
    const int fields = problem->equation->fields;

    for (int64_t e = first; e < end; e++) {
        const double *const m = problem->materials[reference->mesh->group[e]];
        for (int i = 0; i < n; i++) {
            const double rst[3] = {element->r[i], element->s[i], element->t[i]};
            double x[3];
            double q[SEDGE_MAX_FIELDS];
            sedge_mesh_place(reference->mesh, (int32_t)e, rst, x);
            sedge_problem_start(problem, sedge_mesh_copy(reference->mesh, (int32_t)e), x, job->t, m,
                                q);
            for (int k = 0; k < fields; k++) job->u[(e * fields + k) * n + i] = q[k];
        }
    }
}

void sedge_reference_initial(const sedge_reference *reference, double t, int threads, double *u)
{
    initial_job job = {reference, t, u};

    sedge_parallel(threads, reference->mesh->elements, 1024, fill_initial, &job);
}
