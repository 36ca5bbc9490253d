#include "port_meter.h"

#include "port_fit.h"
#include "port_whole.h"

#include "base/memory.h"
#include "dg/surface_field.h"
#include "monitor/face_points.h"
#include "monitor/sample.h"

#include <stdio.h>

// What a source on the surface, of this port's mode or of another one, adds to the state e* there.
typedef struct driving {
    const sedge_boundary *port;
    double adds[2]; // a signal of 1 to the voltage, and to that with the factors `within`
    double overlap; // port_meter_overlap; of this port itself 1
} driving;

struct port_meter {
    const sedge_output_context *context;
    const sedge_boundary *boundary;
    driving *driving; // [driving_count]
    int driving_count;
    sedge_face_points faces;
    // [sides][side_points] the fields for the voltage and for the current, which may be one
    double (*mode)[3], (*other)[3];
    double *of_e, *of_h; // factors of E.mode and (H x normal).mode in the voltage
    bool two;            // fields
    // Of ports with a layer behind, [sides]: Y of a side that is the structure's, else 0; and the
    // structure's Y at the face times the integral of the mode squared over the mesh's part.
    double *inside, *within;
    double *sums; // [sides]
};

// The integral of the mode squared over the mesh's part.
static double find_squares(const port_meter *one)
{
    return port_squares(one->boundary->parameters) / port_whole_parts(one->context->problem);
}

// Y of the media on the side and behind it.
static void find_admittances(double out[2], const port_meter *one, int32_t s)
{
    const sedge_mesh *const mesh = one->context->mesh;
    const sedge_problem *const problem = one->context->problem;
    const int32_t element = one->faces.elements[(int64_t)s * one->faces.side_points];
    const sedge_set_face *const side = sedge_mesh_find_side(
        mesh, element, (int32_t)(one->faces.ids[s] % SEDGE_FACES), one->boundary->surface);

    out[0] = problem->materials[mesh->group[element]][MAXWELL_Y];
    out[1] = side->other_group >= 0 ? problem->materials[side->other_group][MAXWELL_Y] : 0.0;
}

// The factors at the points of one side.
static void fill_side(port_meter *one, int32_t s)
{
    const double *const p = one->boundary->parameters;
    const int points = one->faces.side_points;
    double y[2];

    find_admittances(y, one, s);
    const double sum = y[0] + y[1] + p[PORT_CONDUCTANCE];
    const double *const into = p + GUIDE_DIRECTION;
    const double squares = find_squares(one);
    double along = 0.0; // from the port into the element

    for (int q = 0; q < points; q++) {
        const int64_t at = (int64_t)s * points + q;

        port_field_at(one->boundary, one->faces.corners[s], one->faces.place[at], one->mode[at]);
        if (one->two) {
            port_other_at(one->boundary, one->faces.corners[s], one->faces.place[at],
                          one->other[at]);
        }
        for (int d = 0; d < 3; d++) along -= into[d] * one->faces.normal[at][d];
        one->of_e[at] = one->faces.area[at] * y[0] / (sum * squares);
        one->of_h[at] = one->faces.area[at] / (sum * squares);
    }
    if (!port_is_guide(one->boundary->kind)) return;
    one->inside[s] = along > 0.0 ? y[0] : 0.0;
    one->within[s] = squares * (along > 0.0 ? y[0] : y[1]);
}

// Of one side the integrals of the products of another port's field and both fields of this one, by
// the square of this one's.
static void find_products(double out[2], const port_meter *one, int32_t s,
                          const sedge_boundary *port)
{
    const int points = one->faces.side_points;
    const double unit = one->faces.share[s] / find_squares(one);

    out[0] = out[1] = 0.0;
    for (int q = 0; q < points; q++) {
        const int64_t at = (int64_t)s * points + q;
        double field[3];

        port_field_at(port, one->faces.corners[s], one->faces.place[at], field);
        for (int d = 0; d < 3; d++) {
            out[0] += unit * one->faces.area[at] * field[d] * one->mode[at][d];
            out[1] += unit * one->faces.area[at] * field[d] * one->other[at][d];
        }
    }
}

double port_meter_overlap(const port_meter *meter, const sedge_boundary *other)
{
    for (int32_t s = 0; s < meter->faces.sides; s++) {
        double products[2];
        find_products(products, meter, s, other);
        meter->sums[s] = products[0];
    }
    return sedge_sample_sum(meter->context->comm, meter->faces.sides, meter->sums);
}

// What a signal of 1 of a port on the surface adds on one side, as `adds` has it.
static void find_driving(double adds[2], const port_meter *one, int32_t s,
                         const sedge_boundary *port)
{
    const double *const p = port->parameters;
    double y[2];

    find_admittances(y, one, s);
    const double unit = p[PORT_GAIN] / (y[0] + y[1] + p[PORT_CONDUCTANCE]);
    find_products(adds, one, s, port);
    adds[0] *= unit;
    adds[1] *= unit * one->within[s];
}

// Those of all sources on the surface. Collective.
static void find_drivings(port_meter *one)
{
    const sedge_problem *const problem = one->context->problem;

    for (int i = 0; i < problem->surface_source_count; i++) {
        const sedge_boundary *const port = problem->surface_sources[i].boundary;
        driving *const added = &one->driving[one->driving_count];

        if (port->surface != one->boundary->surface) continue;
        added->port = port;
        for (int k = 0; k < 2; k++) {
            for (int32_t s = 0; s < one->faces.sides; s++) {
                double adds[2];
                find_driving(adds, one, s, port);
                one->sums[s] = adds[k];
            }
            added->adds[k] = sedge_sample_sum(one->context->comm, one->faces.sides, one->sums);
        }
        added->adds[1] *= port_whole_parts(problem);
        added->overlap = port == one->boundary ? 1.0 : port_meter_overlap(one, port);
        one->driving_count++;
    }
}

// Room for all points.
static sedge_status allocate(port_meter *out)
{
    const int64_t points = (int64_t)out->faces.sides * out->faces.side_points;

    SEDGE_TRY(sedge_allocate(&out->mode, points, sizeof *out->mode));
    SEDGE_TRY(sedge_allocate(&out->of_e, points, sizeof *out->of_e));
    SEDGE_TRY(sedge_allocate(&out->of_h, points, sizeof *out->of_h));
    SEDGE_TRY(sedge_allocate(&out->inside, out->faces.sides, sizeof *out->inside));
    SEDGE_TRY(sedge_allocate(&out->within, out->faces.sides, sizeof *out->within));
    SEDGE_TRY(sedge_allocate(&out->driving, out->context->problem->surface_source_count,
                             sizeof *out->driving));
    if (out->two) SEDGE_TRY(sedge_allocate(&out->other, points, sizeof *out->other));
    if (!out->two) out->other = out->mode;
    return sedge_allocate(&out->sums, out->faces.sides, sizeof *out->sums);
}

// The points of its faces. Collective.
static sedge_status find_points(port_meter *out)
{
    const char *const name = out->context->mesh->groups.surface_names[out->boundary->surface];
    sedge_deck_surface given = {.own = true};
    char where[128];

    (void)snprintf(given.name, sizeof given.name, "%s", name);
    (void)snprintf(where, sizeof where, "monitors.ports: %s", name);
    return sedge_face_points_create(&out->faces, out->context, &given, where);
}

sedge_status port_meter_create(port_meter **out, const struct sedge_output_context *context,
                               const sedge_boundary *port)
{
    port_meter *meter = NULL;
    sedge_status status;

    *out = NULL;
    SEDGE_TRY(sedge_comm_agree(context->comm, sedge_allocate(&meter, 1, sizeof *meter)));
    meter->context = context;
    meter->boundary = port;
    meter->two = meter->boundary->field != NULL && meter->boundary->field->other != NULL;
    SEDGE_TRY_GOTO(status, find_points(meter));
    SEDGE_TRY_GOTO(status, sedge_comm_agree(context->comm, allocate(meter)));
    for (int32_t s = 0; s < meter->faces.sides; s++) fill_side(meter, s);
    find_drivings(meter);
    *out = meter;
    meter = NULL;
done:
    port_meter_free(meter);
    return status;
}

void port_meter_free(port_meter *meter)
{
    if (meter == NULL) return;
    sedge_face_points_clear(&meter->faces);
    if (meter->two) sedge_release(meter->other);
    sedge_release(meter->mode);
    sedge_release(meter->of_e);
    sedge_release(meter->of_h);
    sedge_release(meter->inside);
    sedge_release(meter->within);
    sedge_release(meter->sums);
    sedge_release(meter->driving);
    sedge_release(meter);
}

int64_t port_meter_points(const port_meter *meter, sedge_monitor_point *out)
{
    const sedge_face_points *const faces = &meter->faces;
    const int64_t count = (int64_t)faces->sides * faces->side_points;
    const int nodes = meter->context->element->nodes;

    for (int64_t k = 0; k < count && out != NULL; k++) {
        out[k] = (sedge_monitor_point){.element = faces->elements[k],
                                       .weights = faces->weights + k * nodes};
    }
    return count;
}

// int (Y e + g).fields dS of one side, both factors given, with g = H x normal. `u` is the side's.
static double sum_side(const port_meter *one, int32_t s, const double *u, const double (*fields)[3],
                       bool inside)
{
    const int points = one->faces.side_points;
    double sum = 0.0;

    for (int q = 0; q < points; q++, u += 6) {
        const int64_t at = (int64_t)s * points + q;
        const double *const n = one->faces.normal[at];
        const double *const mode = fields[at];
        double e = 0.0, g = 0.0;

        for (int i = 0; i < 3; i++) {
            const int j = (i + 1) % 3;
            const int k = (i + 2) % 3;
            e += u[i] * mode[i];
            g += (u[3 + j] * n[k] - u[3 + k] * n[j]) * mode[i];
        }
        sum += inside ? one->faces.area[at] * (one->inside[s] * e + g)
                      : one->of_e[at] * e + one->of_h[at] * g;
    }
    return sum;
}

void port_meter_read(double out[PORT_SERIES], const port_meter *meter, double time, const double *u)
{
    const sedge_output_context *const context = meter->context;
    const sedge_face_points *const faces = &meter->faces;
    const double *const p = meter->boundary->parameters;
    const int64_t stride = (int64_t)6 * faces->side_points;
    const double(*const mode)[3] = (const double(*)[3])meter->mode;
    const double(*const other)[3] = (const double(*)[3])meter->other;
    double source = 0.0, adds[2] = {0.0, 0.0}; // the part of its own field in what drives the sheet

    for (int i = 0; i < meter->driving_count; i++) {
        const driving *const one = &meter->driving[i];
        const double signal = sedge_signal(one->port->parameters + PORT_SIGNAL, time);

        source += one->overlap * signal;
        for (int k = 0; k < 2; k++) adds[k] += one->adds[k] * signal;
    }
    for (int32_t s = 0; s < faces->sides; s++)
        meter->sums[s] = sum_side(meter, s, u + s * stride, mode, false);
    out[PORT_VOLTAGE] = sedge_sample_sum(context->comm, faces->sides, meter->sums) + adds[0];
    if (!port_is_guide(meter->boundary->kind)) {
        out[PORT_CURRENT] =
            (2.0 * source - out[PORT_VOLTAGE]) * p[PORT_CONDUCTANCE] * port_squares(p);
        return;
    }
    for (int32_t s = 0; s < faces->sides; s++) {
        if (meter->two) meter->sums[s] = sum_side(meter, s, u + s * stride, other, false);
        meter->sums[s] *= meter->within[s];
        if (meter->inside[s] > 0.0)
            meter->sums[s] -= sum_side(meter, s, u + s * stride, other, true);
    }
    out[PORT_CURRENT] = port_whole_parts(context->problem) *
                            sedge_sample_sum(context->comm, faces->sides, meter->sums) +
                        adds[1];
}

double port_meter_flux(const port_meter *meter, const double *u)
{
    const sedge_output_context *const context = meter->context;
    const sedge_face_points *const faces = &meter->faces;

    for (int32_t s = 0; s < faces->sides; s++) {
        meter->sums[s] = 0.0;
        for (int q = 0; q < faces->side_points; q++, u += 6) {
            const int64_t at = (int64_t)s * faces->side_points + q;

            for (int i = 0; i < 3; i++) { // normals point from the element into the port
                const int j = (i + 1) % 3;
                const int k = (i + 2) % 3;
                meter->sums[s] -=
                    faces->area[at] * faces->normal[at][i] * (u[j] * u[3 + k] - u[k] * u[3 + j]);
            }
        }
    }
    return port_whole_parts(context->problem) *
           sedge_sample_sum(context->comm, faces->sides, meter->sums);
}
