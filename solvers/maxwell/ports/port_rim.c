// Is the port of a waveguide in the right place: does it reach the guide's walls all around, and do
// they conduct? Does no other surface cross it? Does its direction point into the structure? Do the
// ends of a lumped port lie on conductors? Do planes of symmetry cut the port as they should?
#include "port_fit.h"

#include "port_whole.h"

#include "base/memory.h"
#include "dg/surface_field.h"

#include <math.h>
#include <string.h>

#define PI     3.14159265358979323846
#define OFF    1e-6 // of the port's size: the digits of mesh files
#define OFF_R  1e-4 // of a round port's radius
#define ENOUGH 0.9  // of the circle: its chords are shorter
#define INSIDE 1e-3 // of its size: what is nearer to the rim is a wall of the guide
#define COPIES 8    // of a mesh with planes of symmetry across all axes
#define ALIKE  1e-4 // of a mode's power: how far it may be from its mirror image

// A rectangle, a circle or an outline of any shape in the plane of a port.
typedef struct rim {
    const double *p;
    double normal[3];
    double across[3]; // normal x U, which is V but for lines
    double size[2]; // sides along U and across it; of a circle the radius, twice; of an outline the
                    // greatest distances from its origin
    bool round;
    int parts;           // of which the mesh has one
    shape_edge *outline; // [edges]; NULL: a rectangle or a circle
    int64_t edges;
} rim;

// A place in the coordinates of the port: along U, across it in the plane, out of the plane.
static void find_place(double out[3], const rim *r, const double x[3])
{
    out[0] = out[1] = out[2] = 0.0;
    for (int d = 0; d < 3; d++) {
        const double from = x[d] - r->p[PORT_ORIGIN + d];
        out[0] += from * r->p[PORT_U + d];
        out[1] += from * r->across[d];
        out[2] += from * r->normal[d];
    }
}

static const double *corner_of(const sedge_mesh *mesh, const sedge_set_face *side, int k)
{
    return mesh->corners[side->element][sedge_face_vertices[side->face][k]];
}

// The outline of a port's field.
static sedge_status find_outline(shape_edge **out, int64_t *count, const sedge_surface_field *field)
{
    const sedge_surface_shape shape = {.count = field->faces,
                                       .triangles = (const double(*)[9])field->corners};

    return shape_find_outline(out, count, &shape);
}

// The rim of the whole port. The caller releases the outline. Collective.
static sedge_status find_rim(rim *r, const sedge_problem *problem, const sedge_comm *comm,
                             const sedge_mesh *mesh, const sedge_boundary *port)
{
    const sedge_surface_field *const field = port->field;
    const int surface = port->surface, mask = port_whole_mask(problem);
    sedge_status status = SEDGE_OK;

    *r = (rim){.p = port->parameters, .parts = port_whole_parts(problem)};
    r->round = field == NULL && (int)r->p[PORT_PROFILE] >= PORT_ROUND_TE;
    if (field != NULL) status = find_outline(&r->outline, &r->edges, field);
    SEDGE_TRY(sedge_comm_agree(comm, status));
    port_normal(port, r->normal);
    for (int d = 0; d < 3; d++) {
        const int e = (d + 1) % 3, f = (d + 2) % 3;
        r->across[d] = r->normal[e] * r->p[PORT_U + f] - r->normal[f] * r->p[PORT_U + e];
    }
    for (int32_t i = mesh->set_offsets[surface]; i < mesh->set_offsets[surface + 1]; i++) {
        for (int k = 0; k < 3 * COPIES; k++) {
            double x[3], at[3];

            if ((k / 3 & mask) != k / 3) continue;
            port_whole_mirror(x, corner_of(mesh, &mesh->set_faces[i], k % 3), problem, k / 3, 0.0);
            find_place(at, r, x);
            for (int c = 0; c < 2; c++)
                r->size[c] = fmax(r->size[c], r->round ? hypot(at[0], at[1]) : fabs(at[c]));
        }
    }
    sedge_comm_max(comm, r->size, 2);
    return SEDGE_OK;
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

bool port_conducts(const sedge_boundary_kind *kind)
{
    static const char *const names[] = {"pec", "conductor", "impedance", "rational"};

    for (size_t i = 0; kind != NULL && i < sizeof names / sizeof *names; i++)
        if (strcmp(kind->name, names[i]) == 0) return true;
    return false;
}

// The length of the rectangle's or the circle's rim that is on conductors, and the rim's.
// Collective.
static void measure_rim(double length[2], const rim *r, const sedge_problem *problem,
                        const sedge_comm *comm, const sedge_mesh *mesh)
{
    length[0] = 0.0;
    for (int32_t i = 0; i < mesh->set_offsets[problem->surfaces]; i++) {
        const sedge_set_face *const side = &mesh->set_faces[i];
        double at[3][3];

        if (!port_conducts(problem->boundaries[side->group].kind)) continue;
        for (int k = 0; k < 3; k++) find_place(at[k], r, corner_of(mesh, side, k));
        for (int k = 0; k < 3; k++) length[0] += 0.5 * find_length(r, at[k], at[(k + 1) % 3]);
    }
    sedge_comm_sum(comm, length, 1); // of walls on both sides of the plane: each edge twice
    length[0] *= r->parts;
    length[1] = r->round ? 2.0 * PI * r->size[0] : 2.0 * (r->size[0] + r->size[1]);
}

// A side without a condition, or in a plane of symmetry, whose condition the whole does not have.
static bool is_passed(const sedge_problem *problem, const sedge_mesh *mesh,
                      const sedge_set_face *side)
{
    const sedge_boundary_kind *const kind = problem->boundaries[side->group].kind;

    for (int d = 0; d < 3 && kind != NULL; d++) {
        const sedge_mirror_plane *const mirror = &problem->mirrors[d];
        const double size = mesh->bounds[1][d] - mesh->bounds[0][d];
        bool lies = mirror->kind != SEDGE_MIRROR_NONE && mirror->kind == kind->mirror;

        for (int k = 0; k < 3; k++)
            lies = lies && fabs(corner_of(mesh, side, k)[d] - mirror->position) <= OFF * size;
        if (lies) return true;
    }
    return kind == NULL;
}

static bool is_magnetic(const sedge_boundary_kind *kind)
{
    return kind != NULL && strcmp(kind->name, "pmc") == 0;
}

// Which of the edges are on walls: 1. Where `whole`, also on their mirror images, and not in planes
// of symmetry. Collective.
static void mark_walls(double *found, const shape_edge *edges, int64_t count,
                       const sedge_problem *problem, const sedge_comm *comm, const sedge_mesh *mesh,
                       bool whole, bool is_wall(const sedge_boundary_kind *))
{
    const double(*const bounds)[3] = mesh->bounds;
    const double size = fmax(fmax(bounds[1][0] - bounds[0][0], bounds[1][1] - bounds[0][1]),
                             bounds[1][2] - bounds[0][2]);
    const int mask = whole ? port_whole_mask(problem) : 0;

    for (int32_t i = 0; i < 3 * COPIES * mesh->set_offsets[problem->surfaces]; i++) {
        const sedge_set_face *const side = &mesh->set_faces[i / (3 * COPIES)];
        const int k = i % 3, image = i / 3 % COPIES;
        double a[3], b[3];

        if ((image & mask) != image || !is_wall(problem->boundaries[side->group].kind) ||
            (whole && is_passed(problem, mesh, side)))
            continue;
        port_whole_mirror(a, corner_of(mesh, side, k), problem, image, size);
        port_whole_mirror(b, corner_of(mesh, side, (k + 1) % 3), problem, image, size);
        const int64_t edge = shape_find_edge(edges, count, a, b);
        if (edge >= 0) found[edge] = 1.0;
    }
    sedge_comm_max(comm, found, (int)count);
}

sedge_status port_find_walls(shape_edge **out, int64_t *count, const sedge_problem *problem,
                             const sedge_comm *comm, const sedge_mesh *mesh,
                             const sedge_surface_field *field, bool magnetic)
{
    const sedge_surface_shape shape = {.count = field->faces,
                                       .triangles = (const double(*)[9])field->corners};
    double *found = NULL;
    int64_t all = 0;

    *out = NULL;
    *count = 0;
    sedge_status status = shape_find_edges(out, &all, &shape);
    if (status == SEDGE_OK) status = sedge_allocate(&found, all, sizeof *found);
    status = sedge_comm_agree(comm, status);
    if (status == SEDGE_OK) {
        mark_walls(found, *out, all, problem, comm, mesh, true,
                   magnetic ? is_magnetic : port_conducts);
        for (int64_t i = 0; i < all; i++)
            if (found[i] > 0.0) (*out)[(*count)++] = (*out)[i];
    }
    sedge_release(found);
    return status;
}

// The same of an outline. Collective.
static sedge_status measure_outline(double length[2], const rim *r, const sedge_problem *problem,
                                    const sedge_comm *comm, const sedge_mesh *mesh)
{
    double *found = NULL; // [edges] 1: on a conductor

    length[0] = length[1] = 0.0;
    SEDGE_TRY(sedge_comm_agree(comm, sedge_allocate(&found, r->edges, sizeof *found)));
    mark_walls(found, r->outline, r->edges, problem, comm, mesh, false, port_conducts);
    for (int64_t i = 0; i < r->edges; i++) {
        const double *const a = r->outline[i].ends, *const b = a + 3;
        const double one = hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);

        length[0] += r->parts * found[i] * one;
        length[1] += one;
    }
    sedge_release(found);
    return SEDGE_OK;
}

// Does a place lie within the outline, and farther from it than `slack`?
static bool is_within(const rim *r, const double at[3], double slack)
{
    bool within = false;

    for (int64_t i = 0; i < r->edges; i++) {
        double a[3], b[3];

        find_place(a, r, r->outline[i].ends);
        find_place(b, r, r->outline[i].ends + 3);
        const double s = b[0] - a[0], q = b[1] - a[1];
        const double part = ((at[0] - a[0]) * s + (at[1] - a[1]) * q) / (s * s + q * q);
        const double nearest = fmin(fmax(part, 0.0), 1.0);
        if (hypot(at[0] - a[0] - nearest * s, at[1] - a[1] - nearest * q) < slack) return false;
        // A line from the place along U crosses the outline an odd number of times.
        if ((a[1] > at[1]) != (b[1] > at[1]) && a[0] + (at[1] - a[1]) / q * s > at[0])
            within = !within;
    }
    return within;
}

static bool is_across(const rim *r, const double at[3])
{
    const double slack = INSIDE * fmax(r->size[0], r->size[1]);

    if (r->outline != NULL) return is_within(r, at, slack);
    if (r->round) return hypot(at[0], at[1]) < r->size[0] - slack;
    return at[0] > slack && at[0] < r->size[0] - slack && at[1] > slack &&
           at[1] < r->size[1] - slack;
}

// Does an edge between two places lie in the port's plane and, but for its ends, within the port?
static bool crosses(const rim *r, const double a[3], const double b[3])
{
    const double middle[3] = {0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]), 0.0};

    if (!is_on_line(a, b, 2, 0.0, OFF * fmax(r->size[0], r->size[1]))) return false;
    if (r->round && find_length(r, a, b) > 0.0) return false; // a chord, which is a wall
    return is_across(r, middle);
}

// A surface with a condition has edges within the port, whose mode does not know of it: that of a
// line knows of conductors. Collective.
static sedge_status check_crossing(const rim *r, const sedge_problem *problem,
                                   const sedge_comm *comm, const sedge_mesh *mesh,
                                   const sedge_boundary *port)
{
    double found = -1.0; // number of the surface

    for (int32_t i = 0; i < mesh->set_offsets[problem->surfaces]; i++) {
        const sedge_set_face *const side = &mesh->set_faces[i];
        double at[3][3];

        if (side->group == port->surface || is_passed(problem, mesh, side) ||
            (port_is_open(r->p) && port_conducts(problem->boundaries[side->group].kind)))
            continue;
        for (int k = 0; k < 3; k++) find_place(at[k], r, corner_of(mesh, side, k));
        for (int k = 0; k < 3; k++)
            if (crosses(r, at[k], at[(k + 1) % 3])) found = fmax(found, side->group);
    }
    sedge_comm_max(comm, &found, 1);
    if (found < 0.0) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "boundaries.%s: the surface '%s' crosses the port, whose field is that of "
                      "a cross-section without it%s: let the surface end before the port",
                      port->name, mesh->groups.surface_names[(int)found],
                      port_is_open(r->p) ? ", since it is no conductor" : "");
}

static sedge_status check_rim(const sedge_problem *problem, const sedge_comm *comm,
                              const sedge_mesh *mesh, const sedge_boundary *port)
{
    double length[2];
    rim r;

    SEDGE_TRY(find_rim(&r, problem, comm, mesh, port));
    sedge_status status = SEDGE_OK;
    if (r.outline == NULL) {
        measure_rim(length, &r, problem, comm, mesh);
    } else {
        status = measure_outline(length, &r, problem, comm, mesh);
    }
    if (status == SEDGE_OK) status = check_crossing(&r, problem, comm, mesh, port);
    sedge_release(r.outline);
    SEDGE_TRY(status);
    if (port_is_open(r.p) || length[0] >= length[1] * (r.round ? ENOUGH : 1.0) * (1.0 - OFF))
        return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "boundaries.%s: the port must be all of the guide's or the line's "
                      "cross-section, with conducting walls around it, and only %.4g of its rim of "
                      "%.4g is on walls of type pec, conductor, impedance or rational",
                      port->name, length[0], length[1]);
}

// ---- the direction ----------------------------------------------------------------------------

// Distances to the nearest surfaces with a condition that a port's cross-section meets, in front
// of the port and behind it: those that are open, and others. Negative, so that the greatest is
// that of all ranks.
enum { FRONT, BEHIND, SIDES };
enum { OPEN, OTHER, SORTS };

static bool is_open(const sedge_boundary_kind *kind)
{
    return strcmp(kind->name, "pml") == 0 || strcmp(kind->name, "absorbing") == 0;
}

static sedge_status check_direction(const sedge_problem *problem, const sedge_comm *comm,
                                    const sedge_mesh *mesh, const sedge_boundary *port)
{
    double near[SIDES * SORTS] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    double into = 0.0;
    rim r;

    SEDGE_TRY(find_rim(&r, problem, comm, mesh, port));
    for (int d = 0; d < 3; d++) into += r.p[GUIDE_DIRECTION + d] * r.normal[d];
    for (int32_t i = 0; i < mesh->set_offsets[problem->surfaces]; i++) {
        const sedge_set_face *const side = &mesh->set_faces[i];
        const sedge_boundary_kind *const kind = problem->boundaries[side->group].kind;
        double centre[3] = {0.0, 0.0, 0.0}, at[3];

        if (side->group == port->surface || is_passed(problem, mesh, side)) continue;
        for (int k = 0; k < 3; k++)
            for (int d = 0; d < 3; d++) centre[d] += corner_of(mesh, side, k)[d] / 3.0;
        find_place(at, &r, centre);
        if (!is_across(&r, at)) continue;
        double *const to = &near[((at[2] > 0.0) == (into > 0.0) ? FRONT : BEHIND) * SORTS +
                                 (is_open(kind) ? OPEN : OTHER)];
        *to = fmax(*to, -fabs(at[2]));
    }
    sedge_release(r.outline);
    sedge_comm_max(comm, near, SIDES * SORTS);
    const bool wrong = near[FRONT * SORTS + OPEN] > near[FRONT * SORTS + OTHER] &&
                       near[BEHIND * SORTS + OTHER] > near[BEHIND * SORTS + OPEN];
    if (!wrong) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "boundaries.%s: `direction` points to the open end of the guide, and the "
                      "structure is behind the port: it must point from the port into the "
                      "structure, so reverse it",
                      port->name);
}

// ---- the ends of a lumped port ----------------------------------------------------------------

// A surface on which a lumped port cannot end.
static bool ends_nowhere(const sedge_boundary_kind *kind)
{
    return kind == NULL || is_open(kind) || port_is(kind) || strcmp(kind->name, "pmc") == 0 ||
           strcmp(kind->name, "total-field") == 0;
}

// A place in the coordinates of a lumped port: along its direction, 0 to 1; across it in its plane,
// and out of its plane, both by its length.
static void find_lumped_place(double out[3], const double *p, const double x[3])
{
    const double *const u = p + PORT_U, *const v = p + PORT_V;
    const double unit = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);

    out[0] = out[1] = out[2] = 0.0;
    for (int d = 0; d < 3; d++) {
        const int e = (d + 1) % 3, f = (d + 2) % 3;
        const double from = x[d] - p[PORT_ORIGIN + d];
        out[0] += from * u[d];
        out[1] += from * (v[e] * u[f] - v[f] * u[e]);
        out[2] += from * v[d] * unit;
    }
}

// Edges of the side that lie in an end of the port: found[end] becomes 1. `box` has minus the
// least and the greatest places, along and across.
static void find_ends(double found[2], const double *p, double box[2][2], const sedge_mesh *mesh,
                      const sedge_set_face *side)
{
    double at[3][3];

    for (int k = 0; k < 3; k++) find_lumped_place(at[k], p, corner_of(mesh, side, k));
    for (int k = 0; k < 6; k++) {
        const double *const a = at[k % 3], *const b = at[(k + 1) % 3];
        const double end = k < 3 ? -box[0][0] : box[0][1];
        const bool lies = is_on_line(a, b, 0, end, OFF_R) && is_on_line(a, b, 2, 0.0, OFF_R) &&
                          fmin(a[1], b[1]) >= -box[1][0] - OFF_R &&
                          fmax(a[1], b[1]) <= box[1][1] + OFF_R;
        if (lies) found[k / 3] = 1.0;
    }
}

static sedge_status check_ends(const sedge_problem *problem, const sedge_comm *comm,
                               const sedge_mesh *mesh, const sedge_boundary *port)
{
    const double *const p = port->parameters;
    const int surface = port->surface;
    double box[2][2] = {{-HUGE_VAL, -HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL}};
    double found[2] = {0.0, 0.0};

    for (int32_t i = mesh->set_offsets[surface]; i < mesh->set_offsets[surface + 1]; i++) {
        for (int k = 0; k < 3; k++) {
            double at[3];

            find_lumped_place(at, p, corner_of(mesh, &mesh->set_faces[i], k));
            for (int c = 0; c < 2; c++) {
                box[c][0] = fmax(box[c][0], -at[c]);
                box[c][1] = fmax(box[c][1], at[c]);
            }
        }
    }
    sedge_comm_max(comm, &box[0][0], 4);
    for (int32_t i = 0; i < mesh->set_offsets[problem->surfaces]; i++) {
        const sedge_set_face *const side = &mesh->set_faces[i];

        if (!ends_nowhere(problem->boundaries[side->group].kind))
            find_ends(found, p, box, mesh, side);
    }
    sedge_comm_max(comm, found, 2);
    if (found[0] > 0.0 && found[1] > 0.0) return SEDGE_OK;
    return SEDGE_FAIL(
        SEDGE_ERR_USAGE,
        "boundaries.%s: along `direction` a lumped port goes from one conductor "
        "to another, and at %s of its ends there is no conductor: turn the direction, "
        "or give the surfaces beside the port a condition such as pec",
        port->name, found[0] + found[1] > 0.0 ? "one" : "both");
}

// ---- planes of symmetry -----------------------------------------------------------------------

// At the middle of a face of the port: the square of the field, and of its difference to the mirror
// image that it should be of the field behind the plane across axis d.
static void compare_field(double squares[2], const sedge_boundary *port,
                          const sedge_problem *problem, const sedge_mesh *mesh,
                          const sedge_set_face *side, int d)
{
    // On an electric plane the tangential field changes its sign behind the plane, on a magnetic
    // one the normal field does.
    const double sign = problem->mirrors[d].kind == SEDGE_MIRROR_ELECTRIC ? -1.0 : 1.0;
    const double size = mesh->bounds[1][d] - mesh->bounds[0][d];
    double own[9], image[9], here[3], there[3], x[2][3] = {{0.0}};
    double corner[3][3];

    for (int k = 0; k < 3; k++) {
        port_whole_mirror(corner[k], corner_of(mesh, side, k), problem, 1 << d, size);
        for (int i = 0; i < 3; i++) {
            x[0][i] += corner_of(mesh, side, k)[i] / 3.0;
            x[1][i] += corner[k][i] / 3.0;
        }
    }
    sedge_surface_corners(own, corner_of(mesh, side, 0), corner_of(mesh, side, 1),
                          corner_of(mesh, side, 2));
    sedge_surface_corners(image, corner[0], corner[1], corner[2]);
    port_field_at(port, own, x[0], here);
    port_field_at(port, image, x[1], there);
    for (int i = 0; i < 3; i++) {
        const double off = there[i] - (i == d ? -sign : sign) * here[i];
        squares[0] += here[i] * here[i];
        squares[1] += off * off;
    }
}

// The port's field is its own mirror image in each plane of symmetry. Collective.
static sedge_status check_images(const sedge_problem *problem, const sedge_comm *comm,
                                 const sedge_mesh *mesh, const sedge_boundary *port)
{
    const int surface = port->surface;

    for (int d = 0; d < 3; d++) {
        const sedge_mirror_plane *const mirror = &problem->mirrors[d];
        const bool electric = mirror->kind == SEDGE_MIRROR_ELECTRIC;
        double squares[2] = {0.0, 0.0};

        if (mirror->kind == SEDGE_MIRROR_NONE) continue;
        for (int32_t i = mesh->set_offsets[surface]; i < mesh->set_offsets[surface + 1]; i++)
            compare_field(squares, port, problem, mesh, &mesh->set_faces[i], d);
        sedge_comm_sum(comm, squares, 2);
        if (squares[1] <= ALIKE * squares[0]) continue;
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "boundaries.%s: the field of the port is not its own mirror image in the "
                          "plane of symmetry %c = %.6g of type %s, %s: take %s there, or another "
                          "mode, or model the whole structure",
                          port->name, 'x' + d, mirror->position, electric ? "pec" : "pmc",
                          electric ? "on which it would be perpendicular to the plane"
                                   : "on which it would lie in the plane",
                          electric ? "pmc" : "pec");
    }
    return SEDGE_OK;
}

sedge_status port_check(const sedge_problem *problem, const sedge_comm *comm,
                        const sedge_mesh *mesh, const sedge_boundary *port)
{
    const bool guide = port_is_guide(port->kind);

    if ((int)port->parameters[PORT_PROFILE] == PORT_UNIFORM)
        return check_ends(problem, comm, mesh, port);
    SEDGE_TRY(check_images(problem, comm, mesh, port));
    if (guide || port->field != NULL) SEDGE_TRY(check_rim(problem, comm, mesh, port));
    if (guide) SEDGE_TRY(check_direction(problem, comm, mesh, port));
    return port_check_together(problem, comm, mesh, port);
}
