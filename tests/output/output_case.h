// What the tests of output share: a made-up equation with a vector and a scalar, a box of Kuhn
// tets, a deck in memory, fields that are polynomials of the elements' degree.
#pragma once

#include "check.h"

#include "base/memory.h"
#include "deck/deck.h"
#include "dg/element.h"
#include "mesh/mesh.h"
#include "monitor/monitors.h"
#include "monitor/output_folder.h"
#include "par/comm.h"

#include <jansson.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CASE_FIELDS 4
#define CASE_E_SI   2.5
#define CASE_P_SI   4.0
#define CASE_STEPS  40 // of a run

static const char *const case_field_names[CASE_FIELDS] = {"Ex", "Ey", "Ez", "p"};
static const sedge_output_group case_groups[] = {{"E", 0, 3, "V/m", CASE_E_SI},
                                                 {"p", 3, 1, "Pa", CASE_P_SI}};
static const double case_si[SEDGE_DIMENSIONS] = {[SEDGE_TIME] = 4e8};
static const sedge_equation case_equation = {.name = "made-up",
                                             .fields = CASE_FIELDS,
                                             .field_names = case_field_names,
                                             .groups = case_groups,
                                             .group_count = 2,
                                             .si = case_si,
                                             .energy_si = 8.0};

// A deck of an equation that exists; what output reads of it is replaced by case_make.
static const char case_deck[] = "equation: maxwell\n"
                                "order: 2\n"
                                "mesh: {box: {}}\n"
                                "time: {steps: 5}\n"
                                "materials: {domain: {mu: 1}}\n";

typedef struct output_case {
    const sedge_comm *comm;
    sedge_mesh *mesh;
    sedge_element *element;
    sedge_problem problem;
    sedge_deck *base; // owns what `deck` borrows
    sedge_deck deck;
    char folder[512];
    char path[600]; // of the file asked for last
    char title[32], deck_path[32];
    sedge_output_context output;
    sedge_sample_source source;
    sedge_sample *sample;
    sedge_monitors *monitors;
    double *u;     // [elements][fields][nodes]
    double *room;  // of the sample, as u
    double energy; // of the whole mesh, on the root's first element
    int fetched;   // how often the fields were
} output_case;

// Field f at x: a polynomial of degree `order`, different in each field, of size about 1 in the
// box, with terms of all mixed degrees. A permuted node gives errors of order one.
__attribute__((unused)) static double case_value(int order, int f, const double x[3])
{
    static const double slopes[CASE_FIELDS][3] = {
        {0.9, -0.4, 0.3}, {-0.2, 0.8, 0.5}, {0.5, 0.3, -0.7}, {0.4, 0.6, 0.35}};
    const double *const a = slopes[f];

    return pow(0.2 + a[0] * x[0] + a[1] * x[1] + a[2] * x[2], order);
}

// u = scale times the polynomials.
__attribute__((unused)) static void case_fill(output_case *c, double scale)
{
    const int nodes = c->element->nodes;

    for (int32_t e = 0; e < c->mesh->elements; e++) {
        for (int f = 0; f < CASE_FIELDS; f++) {
            for (int n = 0; n < nodes; n++) {
                double x[3];

                sedge_geometry_map(c->mesh->corners[e], c->element->r[n], c->element->s[n],
                                   c->element->t[n], x);
                c->u[((int64_t)e * CASE_FIELDS + f) * nodes + n] =
                    scale * case_value(c->element->order, f, x);
            }
        }
    }
}

// Path of a file in the case's folder; valid until the next call.
__attribute__((unused)) static const char *case_path(output_case *c, const char *name)
{
    (void)snprintf(c->path, sizeof c->path, "%s/%s", c->folder, name);
    return c->path;
}

// A box [0,1] x [0,0.5] x [-0.5,0.5] + shift, 2 x 1 x 2 cells; a deck that writes into `name`.
__attribute__((unused)) static void case_make(output_case *c, const sedge_comm *comm, int order,
                                              const char *name, double shift)
{
    sedge_mesh_options options = sedge_mesh_defaults();
    const double low[3] = {shift, shift, shift - 0.5};
    const double high[3] = {shift + 1.0, shift + 0.5, shift + 0.5};
    const int cells[3] = {2, 1, 2};

    memset(c, 0, sizeof *c);
    c->comm = comm;
    for (int d = 0; d < 3; d++) {
        options.box_min[d] = low[d];
        options.box_max[d] = high[d];
        options.box_cells[d] = cells[d];
    }
    CHECK_OK(sedge_mesh_create(&c->mesh, comm, &options));
    CHECK_OK(sedge_element_create(&c->element, order));
    (void)snprintf(c->folder, sizeof c->folder, "%s/%s-np%d", SEDGE_TEST_DIR, name,
                   sedge_comm_size(comm));
    (void)snprintf(c->title, sizeof c->title, "%s", "A case of polynomials");
    (void)snprintf(c->deck_path, sizeof c->deck_path, "%s", "made/up.yaml");
    c->problem.equation = &case_equation;
    c->problem.order = order;
    CHECK_OK(sedge_deck_create(&c->base, "made/up.yaml", case_deck, strlen(case_deck), NULL, 0));
    if (c->base != NULL) c->deck = *c->base;
    c->deck.path = c->deck_path;
    c->deck.title = c->title;
    c->deck.equation = &case_equation;
    c->deck.order = order;
    c->deck.output = c->folder;
    c->deck.snapshots = 2;
    const int64_t values = (int64_t)c->mesh->elements * CASE_FIELDS * c->element->nodes;
    CHECK_OK(sedge_allocate(&c->u, values, sizeof *c->u));
    CHECK_OK(sedge_allocate(&c->room, values, sizeof *c->room));
}

static sedge_status case_get_fields(void *solver, double *u)
{
    output_case *const c = solver;

    c->fetched++;
    memcpy(u, c->u,
           (size_t)c->mesh->elements * CASE_FIELDS * (size_t)c->element->nodes * sizeof *u);
    return SEDGE_OK;
}

static sedge_status case_get_energies(void *solver, double *energies)
{
    const output_case *const c = solver;

    memset(energies, 0, (size_t)c->mesh->elements * sizeof *energies);
    if (sedge_comm_is_root(c->comm)) energies[0] = c->energy;
    return SEDGE_OK;
}

// Points of monitors, interpolated when they are recorded.
typedef struct case_points {
    const output_case *of;
    int count, samples;
    int32_t *elements, *rows; // [count]
    double *weights;          // [rows][nodes]
    double *values;           // [capacity][count][fields]
} case_points;

static void case_free_points(void *points)
{
    case_points *const p = points;

    if (p == NULL) return;
    sedge_release(p->elements);
    sedge_release(p->rows);
    sedge_release(p->weights);
    sedge_release(p->values);
    sedge_release(p);
}

static sedge_status case_create_points(void **points, void *solver, int count,
                                       const int32_t *elements, const int32_t *rows, int row_count,
                                       const double *weights, int capacity)
{
    const output_case *const c = solver;
    const int64_t numbers = (int64_t)row_count * c->element->nodes;
    case_points *p = NULL;

    SEDGE_TRY(sedge_allocate(&p, 1, sizeof *p));
    *points = p;
    *p = (case_points){.of = c, .count = count};
    SEDGE_TRY(sedge_allocate(&p->elements, count, sizeof *p->elements));
    SEDGE_TRY(sedge_allocate(&p->rows, count, sizeof *p->rows));
    SEDGE_TRY(sedge_allocate(&p->weights, numbers, sizeof *p->weights));
    SEDGE_TRY(
        sedge_allocate(&p->values, (int64_t)capacity * count * CASE_FIELDS, sizeof *p->values));
    for (int i = 0; i < count; i++) {
        p->elements[i] = elements[i];
        p->rows[i] = rows[i];
    }
    for (int64_t i = 0; i < numbers; i++) p->weights[i] = weights[i];
    return SEDGE_OK;
}

static sedge_status case_record_points(void *points)
{
    case_points *const p = points;
    const int nodes = p->of->element->nodes;
    double *const values = p->values + (int64_t)p->samples++ * p->count * CASE_FIELDS;

    for (int i = 0; i < p->count * CASE_FIELDS; i++) {
        const int point = i / CASE_FIELDS;
        const double *const nodal =
            p->of->u + ((int64_t)p->elements[point] * CASE_FIELDS + i % CASE_FIELDS) * nodes;

        values[i] = 0.0;
        for (int n = 0; n < nodes; n++)
            values[i] += p->weights[(int64_t)p->rows[point] * nodes + n] * nodal[n];
    }
    return SEDGE_OK;
}

static sedge_status case_fetch_points(void *points, double *values, int *samples)
{
    const case_points *const p = points;
    const int64_t numbers = (int64_t)p->samples * p->count * CASE_FIELDS;

    *samples = p->samples;
    for (int64_t i = 0; i < numbers; i++) values[i] = p->values[i];
    return SEDGE_OK;
}

static void case_forget_points(void *points)
{
    case_points *const p = points;

    p->samples = 0;
}

// Make the case's folder and monitors; `memory` NULL: a new run.
__attribute__((unused)) static sedge_status case_try(output_case *c, json_t *memory)
{
    c->source = (sedge_sample_source){.solver = c,
                                      .fields = case_get_fields,
                                      .energies = case_get_energies,
                                      .create_points = case_create_points,
                                      .free_points = case_free_points,
                                      .record_points = case_record_points,
                                      .fetch_points = case_fetch_points,
                                      .forget_points = case_forget_points};
    c->output = (sedge_output_context){.comm = c->comm,
                                       .deck = &c->deck,
                                       .mesh = c->mesh,
                                       .element = c->element,
                                       .problem = &c->problem,
                                       .steps = CASE_STEPS,
                                       .first_step = memory != NULL ? 1 : 0,
                                       .continues = memory != NULL};
    SEDGE_TRY(sedge_output_prepare_folder(&c->output));
    SEDGE_TRY(sedge_sample_create(&c->sample, c->comm, c->mesh, &c->source, c->room));
    return sedge_monitors_create(&c->monitors, &c->output, c->sample, memory);
}

__attribute__((unused)) static void case_close(output_case *c)
{
    sedge_monitors_free(c->monitors);
    sedge_sample_free(c->sample);
    c->monitors = NULL;
    c->sample = NULL;
}

__attribute__((unused)) static void case_open(output_case *c)
{
    CHECK_OK(case_try(c, NULL));
}

// The fields c->u and the energy c->energy are those at the end of `step`.
__attribute__((unused)) static sedge_status case_sample(output_case *c, double time, int64_t step)
{
    double energy;

    sedge_sample_begin(c->sample, time, step);
    SEDGE_TRY(sedge_monitors_record(c->monitors, c->sample));
    SEDGE_TRY(sedge_sample_energy(c->sample, &energy));
    SEDGE_TRY(sedge_monitors_energy(c->monitors, step, time, energy));
    SEDGE_TRY(sedge_monitors_sample(c->monitors, c->sample));
    return sedge_monitors_settle(c->monitors, SEDGE_SETTLE_ALL);
}

__attribute__((unused)) static void case_free(output_case *c)
{
    case_close(c);
    sedge_release(c->u);
    sedge_release(c->room);
    sedge_element_free(c->element);
    sedge_mesh_free(c->mesh);
    sedge_deck_free(c->base);
}
