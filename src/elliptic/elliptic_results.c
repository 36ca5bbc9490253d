#include "elliptic.h"

#include "base/memory.h"
#include "dg/point.h"
#include "elliptic_results_curved.h"

#include <math.h>
#include <string.h>

#define BALL_STEPS 24 // sub-cells along an edge of an element that a ball meets

static void map_node(double x[3], const sedge_element *element, double corners[4][3], int n)
{
    sedge_geometry_map(corners, element->r[n], element->s[n], element->t[n], x);
}

// ---- sources -----------------------------------------------------------------------------------

// b += J M f, f at the nodes.
static void add_source(double *b, const sedge_element *element, const sedge_mesh *mesh,
                       const sedge_problem *problem, int32_t e, double *f)
{
    const int nodes = element->nodes;
    const double *const m = problem->materials[mesh->group[e]];
    sedge_geometry geometry;

    sedge_geometry_compute(&geometry, mesh->corners[e]);
    for (int n = 0; n < nodes; n++) {
        double x[3];
        map_node(x, element, mesh->corners[e], n);
        f[n] = problem->equation->elliptic->source(problem, m, x);
    }
    for (int n = 0; n < nodes; n++) {
        for (int i = 0; i < nodes; i++)
            b[n] += geometry.jacobian * element->mass[n * nodes + i] * f[i];
    }
}

static bool is_ball(const sedge_point_source *source)
{
    return source->parameters[4] > 0.0;
}

// The integrals of an element's nodal functions: l_n = sum_m V^-1[m][n] psi_m.
static void add_modes(double *b, const sedge_element *element, double factor, const double *modes)
{
    const int nodes = element->nodes;

    for (int n = 0; n < nodes; n++)
        for (int m = 0; m < nodes; m++) b[n] += factor * element->inverse[m * nodes + n] * modes[m];
}

// All sources of radius 0. Collective.
static sedge_status add_points(double *b, const sedge_comm *comm, const sedge_element *element,
                               const sedge_mesh *mesh, const sedge_problem *problem)
{
    sedge_problem own = *problem; // with these sources alone
    sedge_points points = {0};
    sedge_status status;

    own.point_source_count = 0;
    status =
        sedge_allocate(&own.point_sources, problem->point_source_count, sizeof *own.point_sources);
    SEDGE_TRY(sedge_comm_agree(comm, status));
    for (int i = 0; i < problem->point_source_count; i++) {
        if (!is_ball(&problem->point_sources[i]))
            own.point_sources[own.point_source_count++] = problem->point_sources[i];
    }
    SEDGE_TRY_GOTO(status, sedge_points_create(&points, comm, element, mesh, &own));
    for (int k = 0; k < points.count; k++) {
        add_modes(b + (int64_t)points.share[k].element * element->nodes, element,
                  own.point_sources[points.share[k].source].parameters[3],
                  points.modes + (int64_t)k * element->nodes);
    }
done:
    sedge_points_clear(&points);
    sedge_release(own.point_sources);
    return status;
}

static bool may_meet(const sedge_mesh *mesh, int32_t e, const double *centre, double radius)
{
    double low[3];
    double high[3];

    sedge_mesh_box(mesh, e, low, high);
    for (int d = 0; d < 3; d++)
        if (centre[d] < low[d] - radius || centre[d] > high[d] + radius) return false;
    return true;
}

// The volume of a sub-cell at r, s, t, by J there; `cell` is a straight element's.
static double cell_volume(const sedge_mesh *mesh, int32_t e, const double rst[3], double cell)
{
    double map[SEDGE_CURVE_TERMS][3];
    double dx[3][3];
    double cofactor[3][3];

    if (sedge_mesh_curve(mesh, e) < 0) return cell;
    sedge_mesh_expand(mesh, e, map);
    sedge_curve_tangents(map, rst, dx);
    return 4.0 / 3.0 * sedge_curve_cofactors(dx, cofactor) /
           ((double)BALL_STEPS * BALL_STEPS * BALL_STEPS);
}

// The integrals of the nodal functions over the part of a ball in element e, by sub-cells of equal
// volume in the reference element; returns that part's volume. `modes` [nodes].
static double add_ball_part(double *b, const sedge_element *element, const sedge_mesh *mesh,
                            int32_t e, const sedge_point_source *source, double *modes)
{
    const double radius = source->parameters[4];
    const double step = 1.0 / BALL_STEPS;
    const double straight = sedge_tet_volume(mesh->corners[e]) * step * step * step;
    double volume = 0.0;

    for (int k = 0; k < BALL_STEPS * BALL_STEPS * BALL_STEPS; k++) {
        // Cubes of the unit cube that are folded into the tetrahedron x + y + z < 1 by sorting.
        const int row = k / BALL_STEPS;
        const int layer = row / BALL_STEPS;
        double c[3] = {(k % BALL_STEPS + 0.5) * step, (row % BALL_STEPS + 0.5) * step,
                       (layer + 0.5) * step};
        double x[3];
        double square = 0.0;

        for (int pass = 0; pass < 3; pass++) {
            const int i = pass == 1;
            if (c[i] > c[i + 1]) {
                const double other = c[i];
                c[i] = c[i + 1];
                c[i + 1] = other;
            }
        }
        const double rst[3] = {2.0 * c[0] - 1.0, 2.0 * (c[1] - c[0]) - 1.0,
                               2.0 * (c[2] - c[1]) - 1.0};
        sedge_mesh_place(mesh, e, rst, x);
        for (int d = 0; d < 3; d++)
            square += (x[d] - source->position[d]) * (x[d] - source->position[d]);
        if (square > radius * radius) continue;
        const double cell = cell_volume(mesh, e, rst, straight);
        sedge_element_modes(element, rst[0], rst[1], rst[2], modes);
        for (int m = 0; m < element->nodes; m++) b[m] += cell * modes[m];
        volume += cell;
    }
    return volume;
}

// The amount over all of the ball's volume that lies in the mesh, so that all of it is there.
static sedge_status add_ball(double *b, const sedge_comm *comm, const sedge_element *element,
                             const sedge_mesh *mesh, const sedge_point_source *source, double *work)
{
    const int nodes = element->nodes;
    double volume = 0.0;
    double *modal = NULL;

    SEDGE_TRY(sedge_comm_agree(
        comm, sedge_allocate(&modal, (int64_t)mesh->elements * nodes, sizeof *modal)));
    for (int32_t e = 0; e < mesh->elements; e++) {
        if (!may_meet(mesh, e, source->position, source->parameters[4])) continue;
        volume += add_ball_part(modal + (int64_t)e * nodes, element, mesh, e, source, work);
    }
    sedge_comm_sum(comm, &volume, 1);
    for (int32_t e = 0; e < mesh->elements && volume > 0.0; e++) {
        add_modes(b + (int64_t)e * nodes, element, source->parameters[3] / volume,
                  modal + (int64_t)e * nodes);
    }
    sedge_release(modal);
    if (volume > 0.0) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "%s: a ball of radius %g at (%g, %g, %g) is too small for this mesh; give it "
                      "radius 0, a point",
                      source->kind->name, source->parameters[4], source->position[0],
                      source->position[1], source->position[2]);
}

// ---- conditions --------------------------------------------------------------------------------

// What a boundary face's condition adds: E M (2 tau sJ value) and -sum_j D_j^T of sJ k value along
// the normal, where u is fixed; E M sJ value elsewhere. `work` [2][nodes].
static void add_condition(double *b, const sedge_element *element, const sedge_mesh *mesh,
                          const sedge_problem *problem, const sedge_trace_face *trace,
                          const sedge_elliptic_face *form, double *work)
{
    const int nodes = element->nodes;
    const int nf = element->face_nodes;
    const int f = trace->face;
    double *const given = work;
    double *const slopes = work + nodes;
    sedge_geometry geometry;
    bool fixed = false;

    sedge_geometry_compute(&geometry, mesh->corners[trace->element]);
    const double area = geometry.face_scale[f] * geometry.jacobian;
    for (int k = 0; k < nf; k++) {
        double x[3];
        map_node(x, element, mesh->corners[trace->element], element->face_node[f * nf + k]);
        const sedge_condition condition =
            elliptic_condition(mesh, problem, trace, x, geometry.normal[f]);
        given[k] = condition.value;
        fixed = condition.fixed;
    }
    for (int n = 0; n < nodes; n++) slopes[n] = 0.0;
    for (int i = 0; i < nf; i++) {
        const int n = element->face_node[f * nf + i];
        double mass = 0.0;
        for (int k = 0; k < nf; k++) mass += area * element->face_mass[i * nf + k] * given[k];
        b[n] += (fixed ? 2.0 * form->tau : 1.0) * mass;
        slopes[n] = -2.0 * form->g * mass;
    }
    if (!fixed) return;
    for (int j = 0; j < 3; j++) {
        double across = 0.0; // n . grad r_j
        for (int d = 0; d < 3; d++) across += geometry.normal[f][d] * geometry.metric[j][d];
        for (int n = 0; n < nodes; n++) {
            for (int m = 0; m < nodes; m++)
                b[n] += across * element->derivative[j][m * nodes + n] * slopes[m];
        }
    }
}

// All points, then all balls: a ball's centre may lie outside. Collective.
static sedge_status add_charges(double *b, const sedge_comm *comm, const sedge_element *element,
                                const sedge_mesh *mesh, const sedge_problem *problem, double *work)
{
    const sedge_point_source *const sources = problem->point_sources;

    SEDGE_TRY(add_points(b, comm, element, mesh, problem));
    for (int i = 0; i < problem->point_source_count; i++)
        if (is_ball(&sources[i])) SEDGE_TRY(add_ball(b, comm, element, mesh, &sources[i], work));
    return SEDGE_OK;
}

// NULL where nothing is curved.
static sedge_status open_curved(elliptic_curved **out, const sedge_element *element,
                                const sedge_mesh *mesh)
{
    *out = NULL;
    return mesh->global_curved > 0 ? elliptic_curved_create(out, element, true) : SEDGE_OK;
}

sedge_status sedge_elliptic_right_hand_side(double *b, const sedge_comm *comm,
                                            const sedge_element *element, const sedge_mesh *mesh,
                                            const sedge_problem *problem)
{
    const int nodes = element->nodes;
    sedge_status status;
    sedge_elliptic_face *faces = NULL;
    elliptic_curved *curved = NULL;
    double *work = NULL;

    status = sedge_allocate(&work, 2 * (int64_t)nodes, sizeof *work);
    if (status == SEDGE_OK) status = open_curved(&curved, element, mesh);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    SEDGE_TRY_GOTO(status, sedge_elliptic_faces(&faces, comm, element, mesh, problem));
    memset(b, 0, (size_t)mesh->elements * (size_t)nodes * sizeof *b);
    for (int32_t e = 0; e < mesh->elements; e++) {
        if (sedge_mesh_curve(mesh, e) >= 0) {
            elliptic_curved_add_source(b + (int64_t)e * nodes, curved, mesh, problem, e);
        } else {
            add_source(b + (int64_t)e * nodes, element, mesh, problem, e, work);
        }
    }
    for (int32_t i = 0; i < mesh->boundary_faces; i++) {
        const sedge_trace_face *const trace = &mesh->trace_faces[mesh->halo_faces + i];
        double *const own = b + (int64_t)trace->element * nodes;
        const sedge_elliptic_face *const form = &faces[trace->element * SEDGE_FACES + trace->face];
        if (sedge_mesh_curve(mesh, trace->element) >= 0) {
            elliptic_curved_add_condition(own, curved, mesh, problem, trace, form);
        } else {
            add_condition(own, element, mesh, problem, trace, form, work);
        }
    }
    SEDGE_TRY_GOTO(status, add_charges(b, comm, element, mesh, problem, work));
done:
    elliptic_curved_free(curved);
    sedge_release(faces);
    sedge_release(work);
    return status;
}

// ---- results -----------------------------------------------------------------------------------

// grad r_j at node n of a curved element.
static void find_metric(double metric[3][3], const sedge_element *element, const sedge_mesh *mesh,
                        int32_t e, int n)
{
    const double rst[3] = {element->r[n], element->s[n], element->t[n]};
    double map[SEDGE_CURVE_TERMS][3];
    double dx[3][3];

    sedge_mesh_expand(mesh, e, map);
    sedge_curve_tangents(map, rst, dx);
    const double jacobian = sedge_curve_cofactors(dx, metric);
    for (int k = 0; k < 9; k++) metric[k / 3][k % 3] /= jacobian;
}

void sedge_elliptic_field(double *field, const sedge_element *element, const sedge_mesh *mesh,
                          const double *u)
{
    const int nodes = element->nodes;

    for (int32_t e = 0; e < mesh->elements; e++) {
        sedge_geometry geometry;
        sedge_geometry_compute(&geometry, mesh->corners[e]);
        for (int n = 0; n < nodes; n++) {
            double slope[3] = {0.0, 0.0, 0.0}; // d/dr, d/ds, d/dt
            if (sedge_mesh_curve(mesh, e) >= 0) find_metric(geometry.metric, element, mesh, e, n);
            for (int m = 0; m < nodes; m++) {
                for (int j = 0; j < 3; j++)
                    slope[j] += element->derivative[j][n * nodes + m] * u[(int64_t)e * nodes + m];
            }
            for (int d = 0; d < 3; d++) {
                field[((int64_t)e * 3 + d) * nodes + n] =
                    -(geometry.metric[0][d] * slope[0] + geometry.metric[1][d] * slope[1] +
                      geometry.metric[2][d] * slope[2]);
            }
        }
    }
}

// The integral of a straight element's grad u . grad u.
static double straight_energy(const sedge_element *element, const sedge_mesh *mesh, int32_t e,
                              const double *field)
{
    const int nodes = element->nodes;
    double sum = 0.0;

    for (int d = 0; d < 3; d++) {
        const double *const part = field + ((int64_t)e * 3 + d) * nodes;
        for (int n = 0; n < nodes; n++) {
            for (int m = 0; m < nodes; m++) sum += part[n] * element->mass[n * nodes + m] * part[m];
        }
    }
    return sum * 0.75 * sedge_tet_volume(mesh->corners[e]); // J = 3/4 volume
}

sedge_status sedge_elliptic_energy(double *energy, double *parts, const sedge_comm *comm,
                                   const sedge_element *element, const sedge_mesh *mesh,
                                   const sedge_problem *problem, const double *u,
                                   const double *field)
{
    sedge_status status;
    elliptic_curved *curved = NULL;
    double high = 0.0;
    double low = 0.0;

    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, open_curved(&curved, element, mesh)));
    for (int32_t e = 0; e < mesh->elements; e++) {
        const double k =
            problem->equation->elliptic->coefficient(problem->materials[mesh->group[e]]);
        const double sum =
            0.5 * k *
            (sedge_mesh_curve(mesh, e) >= 0
                 ? elliptic_curved_energy(curved, mesh, e, u + (int64_t)e * element->nodes)
                 : straight_energy(element, mesh, e, field));
        parts[e] = sum;
        const double total = high + sum; // keeps what is rounded away in `low`
        const double back = total - high;
        low += (high - (total - back)) + (sum - back);
        high = total;
    }
    *energy = sedge_comm_sum_exact(comm, high, low);
done:
    elliptic_curved_free(curved);
    return status;
}

// The integral of k du/dn - 2 tau (u - value), or of value - factor u, over one boundary face.
static double face_flux(const sedge_element *element, const sedge_mesh *mesh,
                        const sedge_problem *problem, const sedge_trace_face *trace,
                        const sedge_elliptic_face *form, const double *u, const double *field)
{
    const int nodes = element->nodes;
    const int nf = element->face_nodes;
    const int32_t e = trace->element;
    sedge_geometry geometry;
    double sum = 0.0;

    sedge_geometry_compute(&geometry, mesh->corners[e]);
    for (int k = 0; k < nf; k++) {
        const int n = element->face_node[trace->face * nf + k];
        double x[3];
        double weight = 0.0;
        double slope = 0.0;

        map_node(x, element, mesh->corners[e], n);
        const sedge_condition condition =
            elliptic_condition(mesh, problem, trace, x, geometry.normal[trace->face]);
        for (int i = 0; i < nf; i++) weight += element->face_mass[i * nf + k];
        for (int d = 0; d < 3; d++)
            slope -= geometry.normal[trace->face][d] * field[((int64_t)e * 3 + d) * nodes + n];
        const double value = u[(int64_t)e * nodes + n];
        sum += weight * (condition.fixed
                             ? 2.0 * form->g * slope - 2.0 * form->tau * (value - condition.value)
                             : condition.value - condition.factor * value);
    }
    return sum * geometry.face_scale[trace->face] * geometry.jacobian;
}

sedge_status sedge_elliptic_surface_flux(double *flux, const sedge_comm *comm,
                                         const sedge_element *element, const sedge_mesh *mesh,
                                         const sedge_problem *problem, const double *u,
                                         const double *field)
{
    sedge_status status;
    sedge_elliptic_face *faces = NULL;
    elliptic_curved *curved = NULL;

    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, open_curved(&curved, element, mesh)));
    SEDGE_TRY_GOTO(status, sedge_elliptic_faces(&faces, comm, element, mesh, problem));
    for (int s = 0; s < problem->surfaces; s++) flux[s] = 0.0;
    for (int32_t i = 0; i < mesh->boundary_faces; i++) {
        const sedge_trace_face *const trace = &mesh->trace_faces[mesh->halo_faces + i];
        const sedge_elliptic_face *const form = &faces[trace->element * SEDGE_FACES + trace->face];
        flux[trace->group] +=
            sedge_mesh_curve(mesh, trace->element) >= 0
                ? elliptic_curved_face_flux(curved, mesh, problem, trace, form,
                                            u + (int64_t)trace->element * element->nodes)
                : face_flux(element, mesh, problem, trace, form, u, field);
    }
    sedge_comm_sum(comm, flux, problem->surfaces);
done:
    elliptic_curved_free(curved);
    sedge_release(faces);
    return status;
}
