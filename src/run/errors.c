#include "errors.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "device/cpu.h"
#include "dg/quadrature.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Elements whose errors one thread adds up, one after the other: sums do not depend on the threads.
enum { BLOCK = 256 };

typedef struct sums {
    double error[SEDGE_MAX_FIELDS], size[SEDGE_MAX_FIELDS]; // squares
    double linf[SEDGE_MAX_FIELDS];
} sums;

typedef struct comparison {
    const sedge_session *session;
    const double *u; // [elements][fields][nodes]
    double t;
    sedge_quadrature points;
    double *weights; // [nodes][points]: nodal functions at the points
    int64_t blocks;
    double *values; // [blocks][fields][points]
    sums *parts;    // [blocks]
    sums all;
} comparison;

static sedge_status open_comparison(comparison *c)
{
    const sedge_element *const element = c->session->element;
    const int fields = c->session->problem.equation->fields;
    sedge_status status;
    double *row = NULL;

    SEDGE_TRY(sedge_quadrature_tet(&c->points, 2 * element->order + 2));
    const int64_t points = c->points.points;
    SEDGE_TRY(sedge_allocate(&c->weights, element->nodes * points, sizeof(double)));
    c->blocks = (c->session->mesh->elements + BLOCK - 1) / BLOCK;
    SEDGE_TRY(sedge_allocate(&c->values, c->blocks * fields * points, sizeof(double)));
    SEDGE_TRY(sedge_allocate(&c->parts, c->blocks, sizeof *c->parts));
    SEDGE_TRY(sedge_allocate(&row, element->nodes, sizeof(double)));
    for (int64_t q = 0; q < points; q++) {
        const double *const at = c->points.place[q];
        SEDGE_TRY_GOTO(status, sedge_element_interpolate(element, at[0], at[1], at[2], row));
        for (int n = 0; n < element->nodes; n++) c->weights[n * points + q] = row[n];
    }
    status = SEDGE_OK;
done:
    sedge_release(row);
    return status;
}

static void close_comparison(comparison *c)
{
    sedge_quadrature_clear(&c->points);
    sedge_release(c->weights);
    sedge_release(c->values);
    sedge_release(c->parts);
}

static void find_exact(const comparison *c, int32_t e, const double rst[3],
                       double exact[SEDGE_MAX_FIELDS])
{
    const sedge_problem *const problem = &c->session->problem;
    const sedge_mesh *const mesh = c->session->mesh;
    double x[3];

    sedge_mesh_place(mesh, e, rst, x);
    sedge_problem_start(problem, sedge_mesh_copy(mesh, e), x, c->t,
                        problem->materials[mesh->group[e]], exact);
}

// u [fields][nodes] of an element at all points.
static void interpolate(const comparison *c, const double *u, double *values)
{
    const int fields = c->session->problem.equation->fields;
    const int nodes = c->session->element->nodes;
    const int points = c->points.points;

    memset(values, 0, (size_t)fields * (size_t)points * sizeof(double));
    for (int f = 0; f < fields; f++) {
        for (int n = 0; n < nodes; n++) {
            for (int q = 0; q < points; q++)
                values[f * points + q] += c->weights[n * points + q] * u[f * nodes + n];
        }
    }
}

static void add_element(sums *own, const comparison *c, int32_t e, double *values)
{
    const sedge_element *const element = c->session->element;
    const int fields = c->session->problem.equation->fields;
    const int points = c->points.points;
    const double *const u = c->u + (int64_t)e * fields * element->nodes;
    double exact[SEDGE_MAX_FIELDS];
    double map[SEDGE_CURVE_TERMS][3];

    interpolate(c, u, values);
    sedge_mesh_expand(c->session->mesh, e, map);
    for (int q = 0; q < points; q++) {
        double dx[3][3];
        double cofactor[3][3];
        sedge_curve_tangents(map, c->points.place[q], dx);
        const double size = c->points.weight[q] * sedge_curve_cofactors(dx, cofactor);
        find_exact(c, e, c->points.place[q], exact);
        for (int f = 0; f < fields; f++) {
            const double difference = values[f * points + q] - exact[f];
            own->error[f] += size * difference * difference;
            own->size[f] += size * exact[f] * exact[f];
        }
    }
    for (int n = 0; n < element->nodes; n++) {
        const double rst[3] = {element->r[n], element->s[n], element->t[n]};
        find_exact(c, e, rst, exact);
        for (int f = 0; f < fields; f++) {
            const double difference = fabs(u[f * element->nodes + n] - exact[f]);
            own->linf[f] = fmax(own->linf[f], difference);
        }
    }
}

static void add_blocks(void *context, int64_t first, int64_t end)
{
    const comparison *const c = context;
    const int64_t values = (int64_t)c->session->problem.equation->fields * c->points.points;

    for (int64_t b = first; b < end; b++) {
        const int64_t left = c->session->mesh->elements - b * BLOCK;
        for (int64_t e = 0; e < left && e < BLOCK; e++)
            add_element(&c->parts[b], c, (int32_t)(b * BLOCK + e), c->values + b * values);
    }
}

static void add_all(comparison *c)
{
    const sedge_comm *const comm = c->session->comm;
    const int fields = c->session->problem.equation->fields;

    sedge_parallel(sedge_cpu_share(sedge_comm_node_size(comm)), c->blocks, 1, add_blocks, c);
    for (int64_t b = 0; b < c->blocks; b++) {
        for (int f = 0; f < fields; f++) {
            c->all.error[f] += c->parts[b].error[f];
            c->all.size[f] += c->parts[b].size[f];
            c->all.linf[f] = fmax(c->all.linf[f], c->parts[b].linf[f]);
        }
    }
    sedge_comm_sum(comm, c->all.error, fields);
    sedge_comm_sum(comm, c->all.size, fields);
    sedge_comm_max(comm, c->all.linf, fields);
}

// Of `count` fields together.
static double find_relative(const comparison *c, int first, int count)
{
    double error = 0.0;
    double size = 0.0;

    for (int f = first; f < first + count; f++) {
        error += c->all.error[f];
        size += c->all.size[f];
    }
    return size > 0.0 ? sqrt(error / size) : sqrt(error);
}

static void fill(sedge_report *report, const comparison *c)
{
    const sedge_equation *const equation = c->session->problem.equation;

    report->fields = equation->fields;
    report->field_names = equation->field_names;
    report->groups = equation->group_count;
    report->group = equation->groups;
    for (int f = 0; f < equation->fields; f++) {
        // A largest number leaves out not-a-number, which a sum keeps: a node's is at all points.
        report->l2_error[f] = sqrt(c->all.error[f]);
        report->linf_error[f] = isnan(c->all.error[f]) ? c->all.error[f] : c->all.linf[f];
    }
    report->l2_error_relative =
        find_relative(c, 0, equation->elliptic != NULL ? 1 : equation->fields);
    for (int g = 0; g < equation->group_count; g++) {
        report->l2_error_group[g] =
            find_relative(c, equation->groups[g].first, equation->groups[g].count);
    }
}

sedge_status sedge_errors_fill(sedge_report *report, const sedge_session *session, const double *u,
                               double t)
{
    comparison c = {.session = session, .u = u, .t = t};
    sedge_status status;

    report->l2_error_relative = -1.0;
    if (!session->problem.compare) return SEDGE_OK;
    SEDGE_TRY_GOTO(status, sedge_comm_agree(session->comm, open_comparison(&c)));
    add_all(&c);
    fill(report, &c);
done:
    close_comparison(&c);
    return status;
}

void sedge_errors_print(const sedge_report *report)
{
    if (report->fields == 0) return;
    printf("  %-22s relative L2:", "error");
    for (int g = 0; g < report->groups; g++) {
        printf(" %.4e of %s%s", report->l2_error_group[g], report->group[g].name,
               g + 1 < report->groups ? "," : "\n");
    }
}
