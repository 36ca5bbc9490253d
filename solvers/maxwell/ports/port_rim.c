// Does the port of a waveguide reach the guide's walls all around, and do they conduct?
#include "port_fit.h"

#include <math.h>
#include <string.h>

#define PI     3.14159265358979323846
#define OFF    1e-6 // of the port's size: the digits of mesh files
#define OFF_R  1e-4 // of a round port's radius
#define ENOUGH 0.9  // of the circle: its chords are shorter

// A rectangle or a circle in the plane of a port.
typedef struct rim {
    const double *p;
    double normal[3];
    double size[2]; // sides along U and V; of a circle the radius, twice
    bool round;
} rim;

// A place in the coordinates of the port: along U, along V, across.
static void find_place(double out[3], const rim *r, const double x[3])
{
    out[0] = out[1] = out[2] = 0.0;
    for (int d = 0; d < 3; d++) {
        const double from = x[d] - r->p[PORT_ORIGIN + d];
        out[0] += from * r->p[PORT_U + d];
        out[1] += from * r->p[PORT_V + d];
        out[2] += from * r->normal[d];
    }
}

static const double *corner_of(const sedge_mesh *mesh, const sedge_set_face *side, int k)
{
    return mesh->corners[side->element][sedge_face_vertices[side->face][k]];
}

// Collective.
static void find_rim(rim *r, const sedge_problem *problem, const sedge_comm *comm,
                     const sedge_mesh *mesh, int surface)
{
    *r = (rim){.p = problem->boundaries[surface].parameters};
    r->round = (int)r->p[PORT_PROFILE] >= PORT_ROUND_TE;
    port_normal(&problem->boundaries[surface], r->normal);
    for (int32_t i = mesh->set_offsets[surface]; i < mesh->set_offsets[surface + 1]; i++) {
        for (int k = 0; k < 3; k++) {
            double at[3];

            find_place(at, r, corner_of(mesh, &mesh->set_faces[i], k));
            for (int c = 0; c < 2; c++)
                r->size[c] = fmax(r->size[c], r->round ? hypot(at[0], at[1]) : at[c]);
        }
    }
    sedge_comm_max(comm, r->size, 2);
}

static bool is_on_line(const double a[3], const double b[3], int c, double place, double slack)
{
    return fabs(a[c] - place) <= slack && fabs(b[c] - place) <= slack;
}

// The length of the edge from a to b if it lies in the rim, else 0.
static double find_length(const rim *r, const double a[3], const double b[3])
{
    const double slack = OFF * fmax(r->size[0], r->size[1]);
    bool lies = false;

    if (!is_on_line(a, b, 2, 0.0, slack)) return 0.0;
    if (r->round) {
        lies = fabs(hypot(a[0], a[1]) - r->size[0]) <= OFF_R * r->size[0] &&
               fabs(hypot(b[0], b[1]) - r->size[0]) <= OFF_R * r->size[0];
    }
    for (int c = 0; c < 2 && !r->round; c++) {
        lies = lies || is_on_line(a, b, c, 0.0, slack) || is_on_line(a, b, c, r->size[c], slack);
    }
    return lies ? hypot(a[0] - b[0], a[1] - b[1]) : 0.0;
}

static bool conducts(const sedge_boundary_kind *kind)
{
    static const char *const names[] = {"pec", "conductor", "impedance", "rational"};

    for (size_t i = 0; kind != NULL && i < sizeof names / sizeof *names; i++)
        if (strcmp(kind->name, names[i]) == 0) return true;
    return false;
}

sedge_status port_check_rim(const sedge_problem *problem, const sedge_comm *comm,
                            const sedge_mesh *mesh, int surface, const char *deck)
{
    double length = 0.0;
    rim r;

    find_rim(&r, problem, comm, mesh, surface);
    for (int32_t i = 0; i < mesh->set_offsets[problem->surfaces]; i++) {
        const sedge_set_face *const side = &mesh->set_faces[i];
        double at[3][3];

        if (!conducts(problem->boundaries[side->group].kind)) continue;
        for (int k = 0; k < 3; k++) find_place(at[k], &r, corner_of(mesh, side, k));
        for (int k = 0; k < 3; k++) length += 0.5 * find_length(&r, at[k], at[(k + 1) % 3]);
    }
    sedge_comm_sum(comm, &length, 1); // of walls on both sides of the plane: each edge twice
    const double whole = r.round ? 2.0 * PI * r.size[0] * ENOUGH : 2.0 * (r.size[0] + r.size[1]);
    if (length >= whole * (1.0 - OFF)) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "%s: boundaries.%s: the port must be all of the guide's cross-section, with "
                      "conducting walls around it, and only %.4g of its rim of %.4g is on walls of "
                      "type pec, conductor, impedance or rational",
                      deck, mesh->groups.surface_names[surface], length,
                      r.round ? 2.0 * PI * r.size[0] : whole);
}
