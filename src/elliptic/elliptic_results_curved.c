#include "elliptic_results_curved.h"

#include "elliptic_form.h"

#include <stddef.h>
#include <string.h>

static double value_at(const elliptic_curved *curved, int p, const double *u)
{
    const double *const row = curved->values + (int64_t)p * curved->nodes;
    double sum = 0.0;

    for (int n = 0; n < curved->nodes; n++) sum += row[n] * u[n];
    return sum;
}

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

void elliptic_curved_add_source(double *b, const elliptic_curved *curved, const sedge_mesh *mesh,
                                const sedge_problem *problem, int32_t e)
{
    const double *const m = problem->materials[mesh->group[e]];
    double map[SEDGE_CURVE_TERMS][3];

    sedge_mesh_expand(mesh, e, map);
    for (int p = 0; p < curved->points; p++) {
        elliptic_point at;
        elliptic_curved_point(&at, curved, map, p);
        const double f =
            at.weight * at.jacobian * problem->equation->elliptic->source(problem, m, at.x);
        for (int n = 0; n < curved->nodes; n++)
            b[n] += f * curved->values[(int64_t)p * curved->nodes + n];
    }
}

void elliptic_curved_add_condition(double *b, const elliptic_curved *curved, const sedge_mesh *mesh,
                                   const sedge_problem *problem, const sedge_trace_face *trace,
                                   const sedge_elliptic_face *form)
{
    double map[SEDGE_CURVE_TERMS][3];

    sedge_mesh_expand(mesh, trace->element, map);
    for (int q = 0; q < curved->face_points; q++) {
        const int p = curved->points + trace->face * curved->face_points + q;
        const double *const values = curved->values + (int64_t)p * curved->nodes;
        const double *const slopes = curved->slopes + (int64_t)p * curved->nodes * 3;
        elliptic_point at;
        double across[3] = {0.0, 0.0, 0.0}; // sJ n . grad r_j
        elliptic_curved_point(&at, curved, map, p);
        const sedge_condition condition = elliptic_condition(mesh, problem, trace, at.x, at.normal);
        const double value = at.weight * condition.value;
        if (condition.fixed) {
            for (int j = 0; j < 3; j++) {
                across[j] =
                    2.0 * form->g * at.surface * dot(at.normal, at.cofactor[j]) / at.jacobian;
            }
        }
        for (int n = 0; n < curved->nodes; n++) {
            b[n] += value * ((condition.fixed ? 2.0 * form->tau : at.surface) * values[n] -
                             dot(across, slopes + (ptrdiff_t)3 * n));
        }
    }
}

double elliptic_curved_energy(const elliptic_curved *curved, const sedge_mesh *mesh, int32_t e,
                              const double *u)
{
    double map[SEDGE_CURVE_TERMS][3];
    double sum = 0.0;

    sedge_mesh_expand(mesh, e, map);
    for (int p = 0; p < curved->points; p++) {
        elliptic_point at;
        double gradient[3];
        elliptic_curved_point(&at, curved, map, p);
        elliptic_curved_gradient(gradient, curved, &at, p, u);
        sum += at.weight * at.jacobian * dot(gradient, gradient);
    }
    return sum;
}

double elliptic_curved_face_flux(const elliptic_curved *curved, const sedge_mesh *mesh,
                                 const sedge_problem *problem, const sedge_trace_face *trace,
                                 const sedge_elliptic_face *form, const double *u)
{
    double map[SEDGE_CURVE_TERMS][3];
    double sum = 0.0;

    sedge_mesh_expand(mesh, trace->element, map);
    for (int q = 0; q < curved->face_points; q++) {
        const int p = curved->points + trace->face * curved->face_points + q;
        const double value = value_at(curved, p, u);
        elliptic_point at;
        double gradient[3];
        elliptic_curved_point(&at, curved, map, p);
        elliptic_curved_gradient(gradient, curved, &at, p, u);
        const sedge_condition condition = elliptic_condition(mesh, problem, trace, at.x, at.normal);
        sum += at.weight * (condition.fixed
                                ? 2.0 * form->g * at.surface * dot(at.normal, gradient) -
                                      2.0 * form->tau * (value - condition.value)
                                : at.surface * (condition.value - condition.factor * value));
    }
    return sum;
}

double elliptic_curved_integrals(double *out, const elliptic_curved *curved, const sedge_mesh *mesh,
                                 int32_t e)
{
    double map[SEDGE_CURVE_TERMS][3];
    double volume = 0.0;

    memset(out, 0, (size_t)curved->nodes * sizeof *out);
    sedge_mesh_expand(mesh, e, map);
    for (int p = 0; p < curved->points; p++) {
        elliptic_point at;
        elliptic_curved_point(&at, curved, map, p);
        volume += at.weight * at.jacobian;
        for (int n = 0; n < curved->nodes; n++)
            out[n] += at.weight * at.jacobian * curved->values[(int64_t)p * curved->nodes + n];
    }
    return volume;
}
