// Several modes of one surface, each a port of its own: what lets them be together.
//
// A voltage is V = int E.f / F, a current I = int (H x n).g, with the fields f and g of the port
// (port_field_at and port_other_at). So the waves of two modes do not disturb each other's voltage
// and current if int g.f' = int g'.f = 0. That holds for modes of one medium, where f = g, and for
// modes of several media, where f is that of H and g that of E, at one frequency. Of lines with the
// voltages v and v' the integral is v C v', where C are their capacitances in vacuum.
#include "port_fit.h"

#include "base/memory.h"
#include "dg/quadrature.h"
#include "dg/surface_field.h"

#include <math.h>

#define DEGREE   12   // of the quadrature on a face of the port
#define APART    0.02 // of a wave's voltage: the most that another mode may see of it
#define SAME     1e-6 // of conductances
#define SAME_TWO 0.999

// Places and weights on a face of the mesh.
typedef struct places {
    sedge_quadrature rule;
    const sedge_mesh *mesh;
} places;

// The place of a point on a side, and its area.
static double find_place(double x[3], const places *at, const sedge_set_face *side, int point)
{
    static const double vertices[4][3] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
    const double r = at->rule.place[point][0], s = at->rule.place[point][1];
    const double shares[3] = {-0.5 * (r + s), 0.5 * (1.0 + r), 0.5 * (1.0 + s)};
    double rst[3] = {0.0, 0.0, 0.0}, normal[3];

    for (int k = 0; k < 3; k++) {
        const double *const vertex = vertices[sedge_face_vertices[side->face][k]];
        for (int d = 0; d < 3; d++) rst[d] += shares[k] * vertex[d];
    }
    sedge_mesh_place(at->mesh, side->element, rst, x);
    return at->rule.weight[point] *
           sedge_mesh_normal(at->mesh, side->element, side->face, rst, normal);
}

// Of two ports on one surface the integrals of the products g.f: both of the first, first and
// second, second and first, both of the second. Collective.
static void find_products(double out[4], const places *at, const sedge_comm *comm,
                          const sedge_boundary *const ports[2])
{
    const sedge_mesh *const mesh = at->mesh;
    const int s = ports[0]->surface;

    for (int k = 0; k < 4; k++) out[k] = 0.0;
    for (int32_t i = mesh->set_offsets[s]; i < mesh->set_offsets[s + 1]; i++) {
        const sedge_set_face *const side = &mesh->set_faces[i];
        const double(*const corners)[3] = (const double(*)[3])mesh->corners[side->element];
        const int *const vertices = sedge_face_vertices[side->face];
        double key[9];

        if (side->second) continue;
        sedge_surface_corners(key, corners[vertices[0]], corners[vertices[1]],
                              corners[vertices[2]]);
        for (int q = 0; q < at->rule.points; q++) {
            double x[3], f[2][3], g[2][3];
            const double area = find_place(x, at, side, q);

            for (int k = 0; k < 2; k++) {
                port_field_at(ports[k], key, x, f[k]);
                port_other_at(ports[k], key, x, g[k]);
            }
            for (int k = 0; k < 4; k++) {
                for (int d = 0; d < 3; d++) out[k] += area * g[k / 2][d] * f[k % 2][d];
            }
        }
    }
    sedge_comm_sum(comm, out, 4);
}

// Those of lines need not be orthogonal (ports_separate).
static bool is_line(const double *p)
{
    return port_is_line(p) || (int)p[PORT_PROFILE] == PORT_FOUND_TEM;
}

static sedge_status check_products(const places *at, const sedge_comm *comm,
                                   const sedge_boundary *first, const sedge_boundary *port)
{
    const sedge_boundary *const ports[2] = {first, port};
    double products[4];

    find_products(products, at, comm, ports);
    const double seen =
        fmax(fabs(products[1]), fabs(products[2])) / sqrt(products[0] * products[3]);
    if (seen <= (is_line(port->parameters) ? SAME_TWO : APART)) return SEDGE_OK;
    if (seen > SAME_TWO) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "boundaries.%s: it has the same mode as '%s' on the same surface: take "
                          "another mode, or, of modes with one cut-off or one index, another "
                          "'axis'; of several conductors other 'voltages'",
                          port->name, first->name);
    }
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "boundaries.%s: the fields of two modes on one surface must be orthogonal, "
                      "and the integral of the product of this one and that of '%s' is %.2g of "
                      "their sizes, not %g at most: of modes with one cut-off or one index take "
                      "an 'axis' at right angles to the other one's",
                      port->name, first->name, seen, APART);
}

// Both end the guide or the line alike, and send into the same part of the mesh.
static sedge_status check_law(const sedge_boundary *first, const sedge_boundary *port)
{
    const double *const p = port->parameters, *const q = first->parameters;
    double along = 0.0;

    for (int d = 0; d < 3 && port_is_guide(port->kind); d++)
        along += p[GUIDE_DIRECTION + d] * q[GUIDE_DIRECTION + d];
    if (along < 0.0) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "boundaries.%s: its direction is opposite to that of '%s', on the same "
                          "surface",
                          port->name, first->name);
    }
    if (fabs(p[PORT_CONDUCTANCE] - q[PORT_CONDUCTANCE]) <= SAME * q[PORT_CONDUCTANCE])
        return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "boundaries.%s: its resistance and that of '%s', on the same surface, end "
                      "the line differently: leave out 'resistance' of both, and each mode of the "
                      "line is matched",
                      port->name, first->name);
}

sedge_status port_check_together(const sedge_problem *problem, const sedge_comm *comm,
                                 const sedge_mesh *mesh, const sedge_boundary *port)
{
    places at = {.mesh = mesh};
    sedge_status status = SEDGE_OK;

    if (port == &problem->boundaries[port->surface]) return SEDGE_OK;
    status = sedge_comm_agree(comm, sedge_quadrature_triangle(&at.rule, DEGREE));
    for (int i = 0; i < problem->surfaces + problem->further_count && status == SEDGE_OK; i++) {
        const sedge_boundary *const first = sedge_problem_condition(problem, i);

        if (first == port) break;
        if (first->surface != port->surface) continue;
        status = check_law(first, port);
        if (status == SEDGE_OK) status = check_products(&at, comm, first, port);
    }
    sedge_quadrature_clear(&at.rule);
    return status;
}
