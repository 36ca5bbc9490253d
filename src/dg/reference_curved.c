#include "reference_internal.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

sedge_status reference_curved_create(sedge_reference *reference)
{
    const sedge_mesh *const mesh = reference->mesh;
    const int64_t fields = reference->problem->equation->fields;

    if (sedge_mesh_curved(mesh) == 0) return SEDGE_OK;
    SEDGE_TRY(sedge_cubature_create(&reference->cubature, reference->element));
    const int64_t points = reference->cubature->volume.points;
    SEDGE_TRY(sedge_allocate(&reference->at_points, points * 3 * fields, sizeof(double)));
    SEDGE_TRY(sedge_allocate(&reference->at_faces,
                             (int64_t)SEDGE_FACES * reference->cubature->face.points * fields,
                             sizeof(double)));
    SEDGE_TRY(sedge_allocate(&reference->jacobian, points, sizeof(double)));
    return sedge_allocate(&reference->work, points, sizeof(double));
}

void reference_curved_free(sedge_reference *reference)
{
    sedge_cubature_free(reference->cubature);
    sedge_release(reference->at_points);
    sedge_release(reference->at_faces);
    sedge_release(reference->jacobian);
    sedge_release(reference->work);
}

// sum_d g_jd F_d(u) at the volume's points, and J.
static void find_fluxes(sedge_reference *reference, int32_t e, double c[SEDGE_CURVE_TERMS][3],
                        const double *own)
{
    const sedge_cubature *const cubature = reference->cubature;
    const sedge_equation *const equation = reference->problem->equation;
    const double *const m = reference->problem->materials[reference->mesh->group[e]];
    const int n = reference->element->nodes;
    const int fields = equation->fields;

    for (int q = 0; q < cubature->volume.points; q++) {
        double u[SEDGE_MAX_FIELDS] = {0.0};
        double F[3][SEDGE_MAX_FIELDS];
        double dx[3][3];
        double cofactor[3][3];
        for (int k = 0; k < fields; k++) {
            for (int i = 0; i < n; i++)
                u[k] += cubature->values[(int64_t)q * n + i] * own[(int64_t)k * n + i];
        }
        equation->flux(u, m, reference->problem->constants, F[0], F[1], F[2]);
        sedge_curve_tangents(c, cubature->volume.place[q], dx);
        reference->jacobian[q] = sedge_curve_cofactors(dx, cofactor);
        for (int j = 0; j < 3; j++) {
            for (int k = 0; k < fields; k++) {
                reference->at_points[((int64_t)q * 3 + j) * fields + k] =
                    cofactor[j][0] * F[0][k] + cofactor[j][1] * F[1][k] + cofactor[j][2] * F[2][k];
            }
        }
    }
}

// The side of face f, with boundary slot `slot`, that has a two-sided condition; NULL: another one.
static const sedge_set_face *find_side(const sedge_reference *reference, int32_t e, int f,
                                       int32_t slot)
{
    if (slot < 0) return NULL;
    const int surface = reference->mesh->trace_faces[slot].group;
    if (reference->problem->boundaries[surface].kind->apply_two_sided == NULL) return NULL;
    return sedge_mesh_find_side(reference->mesh, e, f, surface);
}

// Has face f memory? Its condition is applied at the nodes of the face, where the memory is.
static bool has_memory(const sedge_reference *reference, int32_t slot)
{
    return slot >= 0 && sedge_problem_has_face_memory(reference->problem,
                                                      reference->mesh->trace_faces[slot].group);
}

// u, and v unless the face is an outer boundary without memory, at point q of face f; the material
// behind it.
static const double *find_traces(const sedge_reference *reference, int32_t e, int f, int q,
                                 const double *all, double t, double *u, double *v)
{
    const sedge_element *const element = reference->element;
    const sedge_cubature *const cubature = reference->cubature;
    const int fields = reference->problem->equation->fields;
    const int32_t slot = reference_boundary_slot(reference, e, f);
    const sedge_set_face *const side = find_side(reference, e, f, slot);
    const double *const own = all + (int64_t)e * fields * element->nodes;
    const double *m = reference->problem->materials[reference->mesh->group[e]];

    memset(u, 0, (size_t)fields * sizeof *u);
    memset(v, 0, (size_t)fields * sizeof *v);
    for (int i = 0; i < element->face_nodes; i++) {
        const double weight = cubature->trace[(int64_t)q * element->face_nodes + i];
        const int node = element->face_node[f * element->face_nodes + i];
        double behind[SEDGE_MAX_FIELDS], inside[SEDGE_MAX_FIELDS];
        for (int k = 0; k < fields; k++) {
            inside[k] = own[(int64_t)k * element->nodes + node];
            u[k] += weight * inside[k];
        }
        if (has_memory(reference, slot)) {
            reference_apply_boundary(reference, slot, i, t, all, inside, behind);
        } else if (side != NULL) {
            m = reference_other_side(reference, side, i, all, behind);
        } else if (slot < 0) {
            m = reference_neighbour(reference, e, f, i, all, behind);
        } else {
            continue;
        }
        for (int k = 0; k < fields; k++) v[k] += weight * behind[k];
    }
    return m;
}

// sJ n.F*(u, v) at the points of the faces.
static void find_surface(sedge_reference *reference, int32_t e, double c[SEDGE_CURVE_TERMS][3],
                         const double *all, double t)
{
    const sedge_cubature *const cubature = reference->cubature;
    const sedge_problem *const problem = reference->problem;
    const sedge_mesh *const mesh = reference->mesh;
    const double *const m = problem->materials[mesh->group[e]];
    const int fields = problem->equation->fields;
    const int points = cubature->face.points;

    for (int p = 0; p < SEDGE_FACES * points; p++) {
        const int f = p / points;
        const int32_t slot = reference_boundary_slot(reference, e, f);
        double u[SEDGE_MAX_FIELDS], v[SEDGE_MAX_FIELDS], jump[SEDGE_MAX_FIELDS];
        double F[3][SEDGE_MAX_FIELDS];
        double dx[3][3], cofactor[3][3], n[3];
        const double *mv = find_traces(reference, e, f, p % points, all, t, u, v);
        sedge_curve_tangents(c, cubature->face_place[p], dx);
        sedge_curve_cofactors(dx, cofactor);
        sedge_curve_normal(cofactor, f, n);
        const double scale = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        for (int d = 0; d < 3; d++) n[d] /= scale;
        if (slot >= 0 && !has_memory(reference, slot)) {
            const sedge_boundary *const boundary =
                &problem->boundaries[mesh->trace_faces[slot].group];
            double x[3];
            sedge_curve_place(c, cubature->face_place[p], x);
            const sedge_set_face *const side = find_side(reference, e, f, slot);
            if (side != NULL) {
                double w[SEDGE_MAX_FIELDS], parameters[SEDGE_MAX_VALUES];
                memcpy(w, v, (size_t)fields * sizeof *w);
                sedge_problem_side_parameters(parameters, problem, side->group, side->second);
                boundary->kind->apply_two_sided(u, w, m, mv, n, x, t, parameters,
                                                problem->constants, v);
                mv = m;
            } else {
                boundary->kind->apply(u, m, n, x, t, boundary->parameters, problem->constants, v);
            }
        }
        problem->equation->surface(u, v, m, mv, n, problem->constants, jump);
        problem->equation->flux(u, m, problem->constants, F[0], F[1], F[2]);
        for (int k = 0; k < fields; k++) {
            reference->at_faces[(int64_t)p * fields + k] =
                scale * (jump[k] + n[0] * F[0][k] + n[1] * F[1][k] + n[2] * F[2][k]);
        }
    }
}

void reference_curved_rhs(sedge_reference *reference, int32_t e, const double *all, double t,
                          double *rhs)
{
    const sedge_cubature *const cubature = reference->cubature;
    const int n = reference->element->nodes;
    const int fields = reference->problem->equation->fields;
    const int points = cubature->volume.points;
    const int face_points = SEDGE_FACES * cubature->face.points;
    double c[SEDGE_CURVE_TERMS][3];

    sedge_mesh_expand(reference->mesh, e, c);
    find_fluxes(reference, e, c, all + (int64_t)e * fields * n);
    find_surface(reference, e, c, all, t);
    for (int k = 0; k < fields; k++) {
        double *const own = rhs + (int64_t)k * n;
        for (int i = 0; i < n; i++) {
            double sum = 0.0;
            for (int q = 0; q < points; q++) {
                for (int j = 0; j < 3; j++) {
                    sum += cubature->weak[j][(int64_t)i * points + q] *
                           reference->at_points[((int64_t)q * 3 + j) * fields + k];
                }
            }
            for (int p = 0; p < face_points; p++) {
                sum -= cubature->lift[(int64_t)i * face_points + p] *
                       reference->at_faces[(int64_t)p * fields + k];
            }
            own[i] = sum;
        }
        sedge_cubature_divide(cubature, reference->jacobian, own, reference->work);
    }
}
