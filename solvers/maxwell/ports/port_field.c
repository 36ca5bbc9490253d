// The field of a port's mode on its surface: by a formula, of rectangles, discs and rings, or found
// by finite elements, of any other shape.
#include "port_field.h"

#include "port_fit.h"

#include "maxwell/sections/port_modes.h"
#include "port_whole.h"

#include "base/memory.h"
#include "dg/response.h"
#include "dg/surface_field.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define PI 3.14159265358979323846

#define SAME_CUTOFF 1e-3 // by which cut-offs that count as one differ
#define FLAT        1e-6 // of the port's size: the digits of mesh files

// ---- on the surface ----------------------------------------------------------------------------

void port_field_at(const sedge_boundary *port, const double corners[9], const double x[3],
                   double e[3])
{
    if (port->field == NULL) {
        maxwell_port_mode(x, port->parameters, e);
        return;
    }
    const int64_t face = sedge_surface_field_find(port->field, corners);
    for (int d = 0; d < 3; d++) e[d] = 0.0;
    if (face >= 0) sedge_surface_field_at(port->field, face, x, e);
}

void port_other_at(const sedge_boundary *port, const double corners[9], const double x[3],
                   double e[3])
{
    const sedge_surface_field *const other = port->field != NULL ? port->field->other : NULL;
    const int64_t face = other != NULL ? sedge_surface_field_find(other, corners) : -1;

    port_field_at(port, corners, x, e);
    if (face >= 0) sedge_surface_field_at(other, face, x, e);
}

void port_drive(const sedge_boundary *port, const double corners[9], const double x[3],
                const double *mu, const double *mw, const double *n, const double *c, double *v)
{
    const double *const p = port->parameters;
    const double y = mu[MAXWELL_Y] + (mw != NULL ? mw[MAXWELL_Y] : 0.0) + p[PORT_CONDUCTANCE];
    const double zero[6] = {0.0};
    double field[3], state[3];

    port_field_at(port, corners, x, field);
    for (int d = 0; d < 3; d++) state[d] = p[PORT_GAIN] * field[d] / y;
    sheet_trace(zero, zero, state, mu, n, c, v);
}

// ---- integrals ---------------------------------------------------------------------------------

// The integral of the field squared.
static double find_squares(const port_section *section, const sedge_surface_field *field)
{
    double sum = 0.0;

    for (int64_t i = 0; i < field->faces * section->points; i++) {
        const int64_t f = i / section->points;
        const int q = (int)(i % section->points);
        double place[2], slopes[2][2], e[3];

        sedge_surface_field_value(field, f, section->shares + (ptrdiff_t)3 * q, e);
        sum += port_section_map(section, f, q, place, slopes) *
               (e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
    }
    return sum;
}

// Means of the field, in units of the root of the area: of its component along the first axis, then
// of that along the second, each with the weights 1, -s, -q and s q, where s and q are coordinates
// from the middle along the axes by half the greatest width.
enum { WEIGHTS = 4, MEANS = 2 * WEIGHTS };

static void find_means(double means[MEANS], const port_section *section,
                       const sedge_surface_field *field)
{
    memset(means, 0, MEANS * sizeof *means);
    for (int64_t i = 0; i < field->faces * section->points; i++) {
        const int64_t f = i / section->points;
        const int point = (int)(i % section->points);
        double e[3], place[2], slopes[2][2], along[2] = {0.0, 0.0};

        sedge_surface_field_value(field, f, section->shares + (ptrdiff_t)3 * point, e);
        const double unit = port_section_map(section, f, point, place, slopes);
        for (int k = 0; k < 6; k++) along[k / 3] += section->axes[k / 3][k % 3] * e[k % 3];
        const double s = 2.0 * (place[0] - section->middle[0]) / section->size;
        const double q = 2.0 * (place[1] - section->middle[1]) / section->size;
        const double weights[WEIGHTS] = {1.0, -s, -q, s * q};
        for (int k = 0; k < MEANS; k++)
            means[k] += unit * along[k / WEIGHTS] * weights[k % WEIGHTS] / sqrt(section->area);
    }
}

// ---- modes -------------------------------------------------------------------------------------

// A mode without any mean has the sign that the greatest one gives it.
double port_field_sign(const port_section *section, const sedge_surface_field *field)
{
    static const int order[MEANS] = {0, WEIGHTS, WEIGHTS + 1, WEIGHTS + 2, WEIGHTS + 3, 1, 2, 3};
    double means[MEANS], most = 0.0;

    find_means(means, section, field);
    for (int k = 0; k < MEANS && !(fabs(most) > PORT_CLEAR); k++)
        if (fabs(means[order[k]]) > fabs(most)) most = means[order[k]];
    return most < 0.0 ? -1.0 : 1.0;
}

void port_field_means(double out[2], const port_section *section, const sedge_surface_field *field)
{
    double means[MEANS];

    find_means(means, section, field);
    out[0] = means[0];
    out[1] = means[WEIGHTS];
}

static void choose_sign(sedge_surface_field *field, const port_section *section)
{
    const int64_t count = 2 * field->faces * sedge_triangle_count(field->order);
    const double sign = port_field_sign(section, field);

    for (int64_t i = 0; i < count; i++) field->values[i / 2][i % 2] *= sign;
}

// Fill `field` with the mode. Of several with one cut-off fill it with their sum that has the
// greatest mean along the first axis.
static sedge_status combine(sedge_surface_field *field, const port_section *section,
                            const port_modes *modes)
{
    const int64_t count = field->faces * sedge_triangle_count(field->order);
    double *parts = NULL, means[MEANS], square = 0.0;

    SEDGE_TRY(sedge_allocate(&parts, modes->count, sizeof *parts));
    for (int k = 0; k < modes->count && modes->count > 1; k++) {
        memset(field->values, 0, (size_t)count * sizeof *field->values);
        port_section_slope(section, modes->functions + k * section->unknowns,
                           1.0 / sqrt(modes->values[k]), field);
        find_means(means, section, field);
        parts[k] = means[0];
        square += means[0] * means[0];
    }
    if (modes->count == 1) parts[0] = square = 1.0;
    memset(field->values, 0, (size_t)count * sizeof *field->values);
    for (int k = 0; k < modes->count && square > 0.0; k++) {
        port_section_slope(section, modes->functions + k * section->unknowns,
                           parts[k] / sqrt(square * modes->values[k]), field);
    }
    sedge_release(parts);
    if (sqrt(square) > PORT_CLEAR) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "the mode is one of %d whose cut-offs are the same to a thousandth, and "
                      "none of them has a mean field along 'axis' (%.4g, %.4g, %.4g) by which "
                      "it could be chosen: take another mode, another axis, or 'm' and 'n' of a "
                      "rectangular or round guide",
                      modes->count, section->axes[0][0], section->axes[0][1], section->axes[0][2]);
}

// The mode that p asks for, and its numbers.
static sedge_status find_mode(double *p, sedge_surface_field *field, const port_section *section,
                              const char *where)
{
    const bool te = (int)p[PORT_PROFILE] == PORT_FOUND_TE;
    const int mode = (int)p[GUIDE_MODE];
    port_modes modes;
    sedge_status status;

    SEDGE_TRY_GOTO(status, port_modes_find(&modes, section, !te, mode, 2.0 * SAME_CUTOFF, where));
    p[PORT_KU] = sqrt(modes.values[modes.asked]);
    p[FOUND_LAST] = modes.last;
    p[FOUND_NEXT] = sqrt(modes.next);
    status = combine(field, section, &modes);
    if (status == SEDGE_ERR_USAGE)
        status = SEDGE_FAIL(SEDGE_ERR_USAGE, "%s: %s", where, sedge_error_message());
    if (status == SEDGE_OK && modes.count == 1) choose_sign(field, section);
done:
    port_modes_clear(&modes);
    return status;
}

// A port: its section, where it is, its faces, and how messages begin.
typedef struct site {
    const port_section *section;
    const sedge_problem *problem;
    const sedge_comm *comm;
    const sedge_mesh *mesh;
    const sedge_surface_shape *shape;
    const char *where;
    const shape_edge *magnetic; // edges on magnetic walls, of a mode-port
    int64_t magnetic_count;
} site;

// The field between conductors at their voltages.
static sedge_status find_line(sedge_surface_field *field, const port_section *section,
                              const double *voltages, const char *where)
{
    double *potential = NULL;

    SEDGE_TRY(sedge_allocate(&potential, section->unknowns, sizeof *potential));
    const sedge_status status = port_modes_potential(potential, section, voltages, where);
    if (status == SEDGE_OK) port_section_slope(section, potential, -1.0, field);
    sedge_release(potential);
    return status;
}

double port_line_epsilon(const sedge_problem *problem, int volume)
{
    const double epsilon = 1.0 / problem->materials[volume][MAXWELL_INVERSE_EPSILON];
    double complex factors[SEDGE_MAX_FIELDS];
    double band[2];

    sedge_problem_band(band, problem);
    const double omega = PI * (band[0] + band[1]);
    if (!(omega > 0.0) || !sedge_response_find(factors, problem, volume, omega)) return epsilon;
    return epsilon * creal(factors[0]);
}

// The integral of epsilon |grad f|^2 of the potential f in the media beside the port.
static sedge_status find_capacity(double *out, const site *at, const double *voltages)
{
    const sedge_surface_shape *const shape = at->shape;
    port_section section = *at->section;
    double *epsilon = NULL, *potential = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&epsilon, section.field->faces, sizeof *epsilon));
    SEDGE_TRY_GOTO(status, sedge_allocate(&potential, section.unknowns, sizeof *potential));
    for (int64_t i = 0; i < shape->count; i++) {
        const double *const x = shape->triangles[i];
        double corners[9];

        sedge_surface_corners(corners, x, x + 3, x + 6);
        epsilon[sedge_surface_field_find(section.field, corners)] =
            port_line_epsilon(at->problem, shape->volumes[i][0]);
    }
    section.epsilon = epsilon;
    SEDGE_TRY_GOTO(status, port_modes_potential(potential, &section, voltages, at->where));
    status = port_section_energy(out, &section, potential);
done:
    sedge_release(epsilon);
    sedge_release(potential);
    return status;
}

// A port's numbers that follow from F = int |grad f|^2 of vacuum and C of find_capacity: those of a
// line that goes on behind it (line_port_face.c), and those of a resistor.
static void set_open_line(double *p, const sedge_problem *problem, double squares, double capacity)
{
    const double mu = 1.0 / problem->materials[(int)p[PORT_VOLUME]][MAXWELL_INVERSE_MU];

    p[PORT_SQUARES] = squares;
    p[PORT_LINE] = sqrt(mu / (squares * capacity));
    p[PORT_INDEX] = sqrt(mu * capacity / squares);
    p[PORT_GAIN] = 2.0 / (p[PORT_LINE] * squares); // half of the current goes either way
}

static void set_line(double *p, const sedge_problem *problem, double squares)
{
    if (!(p[TEM_RESISTANCE] > 0.0))
        p[TEM_RESISTANCE] = problem->materials[(int)p[PORT_VOLUME]][MAXWELL_Z] / squares;
    port_set_resistor(p, p[TEM_RESISTANCE], squares);
}

static sedge_status check_section(const port_section *section, const double normal[3],
                                  const char *where)
{
    const sedge_surface_field *const field = section->field;

    if (section->parts != 1) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s: the port must be one connected surface, and it has %d parts", where,
                          section->parts);
    }
    if (section->pinched) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s: the outline of the port touches itself in the corner (%.6g, %.6g, "
                          "%.6g): let there be a gap, or a wider passage",
                          where, section->touch[0], section->touch[1], section->touch[2]);
    }
    for (int64_t i = 0; i < 3 * field->faces; i++) {
        const double *const x = field->middles[i / 3] + i % 3 * 3, *const c = field->corners[i / 3];
        const double off =
            (x[0] - c[0]) * normal[0] + (x[1] - c[1]) * normal[1] + (x[2] - c[2]) * normal[2];
        if (fabs(off) <= FLAT * section->size) continue;
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s: the surface must be flat, and the node (%.6g, %.6g, %.6g) of a "
                          "curved edge is %.3g away from the plane of the others",
                          where, x[0], x[1], x[2], fabs(off));
    }
    return SEDGE_OK;
}

// The field of the port whose section it is. The root finds it for all ranks. Collective.
static sedge_status find(sedge_surface_field *field, const site *at, double *p)
{
    const port_section *const section = at->section;
    const int profile = (int)p[PORT_PROFILE];
    const bool open = profile == PORT_FOUND_LINE, line = open || profile == PORT_FOUND_TEM;
    const int64_t numbers = field->faces * sedge_triangle_count(field->order);
    double *voltages = NULL, capacity = 0.0;
    sedge_status status = sedge_allocate(&voltages, section->walls, sizeof *voltages);

    SEDGE_TRY_GOTO(status, sedge_comm_agree(at->comm, status));
    if (line) {
        SEDGE_TRY_GOTO(status, port_conductors_find(
                                   voltages, section, at->problem, at->comm, at->mesh,
                                   p + (open ? LINE_VOLTAGES : TEM_VOLTAGES), !open, at->where));
    }
    if (sedge_comm_is_root(at->comm) && profile == PORT_FOUND_HYBRID) {
        status = port_hybrid_field_fill(field, p, section, at->problem, at->shape, at->magnetic,
                                        at->magnetic_count, at->where);
    } else if (sedge_comm_is_root(at->comm)) {
        status = line ? find_line(field, section, voltages, at->where)
                      : find_mode(p, field, section, at->where);
        if (status == SEDGE_OK && open) status = find_capacity(&capacity, at, voltages);
    }
    SEDGE_TRY_GOTO(status, sedge_comm_agree(at->comm, status));
    sedge_comm_broadcast(at->comm, field->values, (size_t)numbers * sizeof *field->values, 0);
    if (field->other != NULL) {
        sedge_comm_broadcast(at->comm, field->other->values,
                             (size_t)numbers * sizeof *field->values, 0);
    }
    sedge_comm_broadcast(at->comm, p, SEDGE_MAX_VALUES * sizeof *p, 0);
    sedge_comm_broadcast(at->comm, &capacity, sizeof capacity, 0);
    if (open) {
        set_open_line(p, at->problem, find_squares(section, field), capacity);
    } else if (line) {
        set_line(p, at->problem, find_squares(section, field));
    }
done:
    sedge_release(voltages);
    return status;
}

// Collective.
static sedge_status fill(sedge_surface_field *field, const site *at, double *p)
{
    const double *const u = p + PORT_U, *const v = p + PORT_V;
    const int profile = (int)p[PORT_PROFILE];
    double product[3];
    port_section section = {.field = NULL};
    shape_edge *walls = NULL, *magnetic = NULL;
    int64_t wall_count = 0, magnetic_count = 0;
    sedge_status status = SEDGE_OK;

    for (int d = 0; d < 3; d++)
        product[d] = u[(d + 1) % 3] * v[(d + 2) % 3] - u[(d + 2) % 3] * v[(d + 1) % 3];
    // Of a resistor V is the normal, and the product an axis.
    const bool resistor = profile == PORT_FOUND_TEM;
    if (port_is_open(p)) {
        SEDGE_TRY_GOTO(status, port_find_walls(&walls, &wall_count, at->problem, at->comm, at->mesh,
                                               field, false));
        SEDGE_TRY_GOTO(status, port_find_walls(&magnetic, &magnetic_count, at->problem, at->comm,
                                               at->mesh, field, true));
    }
    if (profile == PORT_FOUND_TE) memcpy(field->normal, product, sizeof product);
    status = port_section_create(&section, field, u, resistor ? product : v, walls, wall_count);
    const site here = {&section,  at->problem, at->comm, at->mesh,
                       at->shape, at->where,   magnetic, magnetic_count};
    if (status == SEDGE_OK) status = check_section(&section, resistor ? v : product, at->where);
    status = sedge_comm_agree(at->comm, status);
    if (status == SEDGE_OK) status = find(field, &here, p);
done:
    port_section_clear(&section);
    sedge_release(walls);
    sedge_release(magnetic);
    return status;
}

// The order of the field: the mode of a mode-port needs two.
static int find_order(const sedge_problem *problem, const double *p)
{
    return (int)p[PORT_PROFILE] == PORT_FOUND_HYBRID && problem->order < 2 ? 2 : problem->order;
}

sedge_status port_find_field(const sedge_problem *problem, const sedge_comm *comm,
                             const sedge_mesh *mesh, const char *surface,
                             const sedge_surface_shape *shape, double *p,
                             struct sedge_surface_field **field)
{
    char where[128];
    port_whole whole;
    const site at = {NULL, problem, comm, mesh, &whole.shape, where, NULL, 0};

    *field = NULL;
    if ((int)p[PORT_PROFILE] < PORT_FOUND_TE) return SEDGE_OK;
    (void)snprintf(where, sizeof where, "boundaries.%s", surface);
    sedge_status status = port_whole_create(&whole, problem, surface, shape);
    if (status == SEDGE_OK)
        status = sedge_surface_field_create(field, find_order(problem, p), &whole.shape);
    if (status == SEDGE_OK && (int)p[PORT_PROFILE] == PORT_FOUND_HYBRID)
        status = sedge_surface_field_create(&(*field)->other, (*field)->order, &whole.shape);
    status = sedge_comm_agree(comm, status);
    if (status == SEDGE_OK) status = fill(*field, &at, p);
    port_whole_clear(&whole);
    if (status == SEDGE_OK) return SEDGE_OK;
    sedge_surface_field_free(*field);
    *field = NULL;
    return status;
}
