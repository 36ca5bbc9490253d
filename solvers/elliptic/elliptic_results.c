#include "elliptic_internal.h"

#include "base/memory.h"

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
        f[n] = problem->equation->steady->source(problem, m, x);
    }
    for (int n = 0; n < nodes; n++) {
        for (int i = 0; i < nodes; i++)
            b[n] += geometry.jacobian * element->mass[n * nodes + i] * f[i];
    }
}

// A point: its nodal functions' values in the element that holds it, if that is this rank's.
static sedge_status add_point(double *b, const sedge_element *element,
                              const sedge_point_source *source, const sedge_point_place *place,
                              double *weights)
{
    if (place->owner < 0) return sedge_problem_point_outside(source);
    if (place->element < 0) return SEDGE_OK;
    SEDGE_TRY(
        sedge_element_interpolate(element, place->rst[0], place->rst[1], place->rst[2], weights));
    for (int n = 0; n < element->nodes; n++)
        b[(int64_t)place->element * element->nodes + n] += source->parameters[3] * weights[n];
    return SEDGE_OK;
}

static bool may_meet(double corners[4][3], const double *centre, double radius)
{
    for (int d = 0; d < 3; d++) {
        double low = corners[0][d];
        double high = low;
        for (int v = 1; v < 4; v++) {
            low = fmin(low, corners[v][d]);
            high = fmax(high, corners[v][d]);
        }
        if (centre[d] < low - radius || centre[d] > high + radius) return false;
    }
    return true;
}

// The integrals of the nodal functions over the part of a ball in element e, by sub-cells of equal
// volume; returns that part's volume. `modes` [nodes].
static double add_ball_part(double *b, const sedge_element *element, double corners[4][3],
                            const sedge_point_source *source, double *modes)
{
    const double radius = source->parameters[4];
    const double step = 1.0 / BALL_STEPS;
    const double cell = sedge_tet_volume(corners) * step * step * step;
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
        const double r = 2.0 * c[0] - 1.0;
        const double s = 2.0 * (c[1] - c[0]) - 1.0;
        const double t = 2.0 * (c[2] - c[1]) - 1.0;
        sedge_geometry_map(corners, r, s, t, x);
        for (int d = 0; d < 3; d++)
            square += (x[d] - source->position[d]) * (x[d] - source->position[d]);
        if (square > radius * radius) continue;
        sedge_element_modes(element, r, s, t, modes);
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
        if (!may_meet(mesh->corners[e], source->position, source->parameters[4])) continue;
        volume +=
            add_ball_part(modal + (int64_t)e * nodes, element, mesh->corners[e], source, work);
    }
    sedge_comm_sum(comm, &volume, 1);
    for (int32_t e = 0; e < mesh->elements && volume > 0.0; e++) {
        for (int n = 0; n < nodes; n++) { // l_n = sum_m V^-1[m][n] psi_m
            for (int m = 0; m < nodes; m++) {
                b[(int64_t)e * nodes + n] += source->parameters[3] / volume *
                                             element->inverse[m * nodes + n] *
                                             modal[(int64_t)e * nodes + m];
            }
        }
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

static bool is_ball(const sedge_point_source *source)
{
    return source->parameters[4] > 0.0;
}

// All points, then all balls: a ball's centre may lie outside. Collective.
static sedge_status add_charges(double *b, const sedge_comm *comm, const sedge_element *element,
                                const sedge_mesh *mesh, const sedge_problem *problem, double *work)
{
    const sedge_point_source *const sources = problem->point_sources;
    sedge_status status = SEDGE_OK;
    sedge_point_place *places = NULL;

    SEDGE_TRY(sedge_problem_find_points(&places, comm, mesh, problem));
    for (int i = 0; i < problem->point_source_count && status == SEDGE_OK; i++)
        if (!is_ball(&sources[i])) status = add_point(b, element, &sources[i], &places[i], work);
    sedge_release(places);
    SEDGE_TRY(sedge_comm_agree(comm, status));
    for (int i = 0; i < problem->point_source_count; i++)
        if (is_ball(&sources[i])) SEDGE_TRY(add_ball(b, comm, element, mesh, &sources[i], work));
    return SEDGE_OK;
}

sedge_status sedge_elliptic_right_hand_side(double *b, const sedge_comm *comm,
                                            const sedge_element *element, const sedge_mesh *mesh,
                                            const sedge_problem *problem)
{
    const int nodes = element->nodes;
    sedge_status status;
    sedge_elliptic_face *faces = NULL;
    double *work = NULL;

    status = sedge_allocate(&work, 2 * (int64_t)nodes, sizeof *work);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    SEDGE_TRY_GOTO(status, sedge_elliptic_faces(&faces, comm, element, mesh, problem));
    memset(b, 0, (size_t)mesh->elements * (size_t)nodes * sizeof *b);
    for (int32_t e = 0; e < mesh->elements; e++)
        add_source(b + (int64_t)e * nodes, element, mesh, problem, e, work);
    for (int32_t i = 0; i < mesh->boundary_faces; i++) {
        const sedge_trace_face *const trace = &mesh->trace_faces[mesh->halo_faces + i];
        add_condition(b + (int64_t)trace->element * nodes, element, mesh, problem, trace,
                      &faces[trace->element * SEDGE_FACES + trace->face], work);
    }
    SEDGE_TRY_GOTO(status, add_charges(b, comm, element, mesh, problem, work));
done:
    sedge_release(faces);
    sedge_release(work);
    return status;
}

// ---- results -----------------------------------------------------------------------------------

void sedge_elliptic_field(double *field, const sedge_element *element, const sedge_mesh *mesh,
                          const double *u)
{
    const int nodes = element->nodes;

    for (int32_t e = 0; e < mesh->elements; e++) {
        sedge_geometry geometry;
        sedge_geometry_compute(&geometry, mesh->corners[e]);
        for (int n = 0; n < nodes; n++) {
            double slope[3] = {0.0, 0.0, 0.0}; // d/dr, d/ds, d/dt
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

double sedge_elliptic_energy(const sedge_comm *comm, const sedge_element *element,
                             const sedge_mesh *mesh, const sedge_problem *problem,
                             const double *field)
{
    const int nodes = element->nodes;
    double high = 0.0;
    double low = 0.0;

    for (int32_t e = 0; e < mesh->elements; e++) {
        const double k = problem->equation->steady->coefficient(problem->materials[mesh->group[e]]);
        double sum = 0.0;
        for (int d = 0; d < 3; d++) {
            const double *const part = field + ((int64_t)e * 3 + d) * nodes;
            for (int n = 0; n < nodes; n++) {
                for (int m = 0; m < nodes; m++)
                    sum += part[n] * element->mass[n * nodes + m] * part[m];
            }
        }
        sum *= 0.5 * k * 0.75 * sedge_tet_volume(mesh->corners[e]); // J = 3/4 volume
        const double total = high + sum; // keeps what is rounded away in `low`
        const double back = total - high;
        low += (high - (total - back)) + (sum - back);
        high = total;
    }
    return sedge_comm_sum_exact(comm, high, low);
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
    sedge_elliptic_face *faces = NULL;

    SEDGE_TRY(sedge_elliptic_faces(&faces, comm, element, mesh, problem));
    for (int s = 0; s < problem->surfaces; s++) flux[s] = 0.0;
    for (int32_t i = 0; i < mesh->boundary_faces; i++) {
        const sedge_trace_face *const trace = &mesh->trace_faces[mesh->halo_faces + i];
        flux[trace->group] +=
            face_flux(element, mesh, problem, trace,
                      &faces[trace->element * SEDGE_FACES + trace->face], u, field);
    }
    sedge_comm_sum(comm, flux, problem->surfaces);
    sedge_release(faces);
    return SEDGE_OK;
}
