#include "kit.h"

#include "kit_terms.h"

#include "base/file.h"
#include "base/memory.h"
#include "dg/random.h"
#include "monitor/sample.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static sedge_status open_device(kit_world *world)
{
    const char *const name = getenv("SEDGE_TEST_DEVICE");

    SEDGE_TRY(sedge_device_create(&world->device, name != NULL ? name : "host",
                                  sedge_comm_node_rank(world->comm),
                                  sedge_comm_node_size(world->comm)));
    return sedge_cache_create(&world->cache, NULL);
}

sedge_status kit_open(kit_world *world)
{
    memset(world, 0, sizeof *world);
    sedge_device_prepare_environment();
    SEDGE_TRY(sedge_device_start_helper()); // before MPI_Init: it forks
    SEDGE_TRY(sedge_comm_create(&world->comm, NULL));
    const sedge_status status = sedge_comm_agree(world->comm, open_device(world));
    if (status != SEDGE_OK) kit_close(world);
    return status;
}

void kit_close(kit_world *world)
{
    sedge_cache_free(world->cache);
    sedge_device_free(world->device);
    sedge_device_stop_helper();
    if (world->comm != NULL) sedge_comm_free(world->comm);
    memset(world, 0, sizeof *world);
}

kit_options kit_defaults(int order, int cells)
{
    return dg_case_defaults(sedge_equation_find("maxwell"), order, cells);
}

extern const char sedge_text_kit_terms_h[];

static double sum_parameters(const double *m, const double *p)
{
    return (1.0 + m[0]) * (1.0 + p[0] + 3.0 * p[1]);
}

static const sedge_parameter term_parameters[] = {{.name = "first", .text = "a rate"},
                                                  {.name = "second", .text = "another one"}};

const sedge_term_kind kit_relaxation = {.name = "relaxation",
                                        .equation = "maxwell",
                                        .text = "for tests",
                                        .parameters = term_parameters,
                                        .parameter_count = 2,
                                        .poles = 2,
                                        .memory = 4,
                                        .function = "kit_relaxation_local",
                                        .header = "kit_terms.h",
                                        .header_text = sedge_text_kit_terms_h,
                                        .local = kit_relaxation_local,
                                        .rate = sum_parameters,
                                        .linear = true};
const sedge_term_kind kit_saturation = {.name = "saturation",
                                        .equation = "maxwell",
                                        .text = "for tests",
                                        .parameters = term_parameters,
                                        .parameter_count = 2,
                                        .function = "kit_saturation_local",
                                        .header = "kit_terms.h",
                                        .header_text = sedge_text_kit_terms_h,
                                        .local = kit_saturation_local,
                                        .rate = sum_parameters};

const double kit_conductor[3] = {2.25, 1.5, 0.7};
const double kit_resin[3] = {1.3, 4.0, 0.0};
const kit_wall kit_all_walls[] = {
    {"xmin", "pec", 0.0},       {"xmax", "absorbing", 0.0}, {"ymin", "pmc", 0.0},
    {"ymax", "impedance", 0.6}, {"zmin", "impedance", 3.0}, {"zmax", "pec", 0.0},
    {NULL, NULL, 0.0},
};
// Direction, polarisation, origin, then the signal.
const double kit_pulse[15] = {1.0, 2.0, -0.5, 2.0, -1.0, 0.0, 0.2, 0.1, -0.3, SEDGE_SIGNAL_RICKER,
                              1.5, 0.9, 0.0,  0.4, 0.0};
const double kit_dipole[12] = {0.8, 0.78, 0.83, SEDGE_SIGNAL_RICKER, 1.0, 0.8, 0.5, 0.3, 0.0,
                               1.0, -2.0, 0.5};
const double kit_upwind[3] = {1.0, 0.0, 0.5};

kit_options kit_everything(int order, int cells, int split_axis)
{
    static const double dipole[12] = {
        0.31, 0.64, 0.57, SEDGE_SIGNAL_GAUSSIAN, 0.01, 0.8, 0.5, 0.3, 0.0, 1.0, -2.0, 0.5};
    static const kit_term terms[] = {{&kit_relaxation, "above", {2.5, 1.7}}, {NULL, NULL, {0.0}}};
    kit_options options = kit_defaults(order, cells);

    options.terms = terms;
    options.distort = 0.08;
    options.split_axis = split_axis;
    options.materials[0] = kit_conductor;
    options.materials[1] = kit_resin;
    options.flux_keys = &kit_upwind[order % 3];
    options.walls = kit_all_walls;
    options.dipole = dipole;
    return options;
}

// ---- the evolution -----------------------------------------------------------------------------

sedge_status kit_create(kit *k, const kit_world *world, const kit_options *options)
{
    memset(k, 0, sizeof *k);
    k->world = world;
    SEDGE_TRY(dg_case_create(&k->base, world->comm, options));
    SEDGE_TRY(sedge_allocate(&k->result, k->base.values, sizeof(double)));
    return sedge_allocate(&k->energy, k->base.mesh->elements, sizeof(double));
}

void kit_clear(kit *k)
{
    sedge_evolution_free(k->evolution);
    sedge_release(k->result);
    sedge_release(k->energy);
    dg_case_clear(&k->base);
    memset(k, 0, sizeof *k);
}

sedge_status kit_load(kit *k, sedge_precision precision, const sedge_operator_options *config)
{
    static const sedge_operator_options by_rule;

    sedge_evolution_free(k->evolution);
    k->evolution = NULL;
    k->op = NULL;
    k->base.problem.precision = precision;
    SEDGE_TRY(sedge_evolution_create(&k->evolution, k->world->comm, k->world->device,
                                     k->world->cache, k->base.element, k->base.mesh,
                                     &k->base.problem, config != NULL ? config : &by_rule));
    k->op = sedge_evolution_operator(k->evolution);
    return SEDGE_OK;
}

// ---- memory ---------------------------------------------------------------------------

// Known values of a term's memory, [elements][memory][nodes] of those that have it: linear in an
// element, so that coefficients of another basis are not much larger.
static void know_memory(const kit *k, const sedge_term *term, double *values)
{
    const sedge_mesh *const mesh = k->base.mesh;
    const sedge_element *const element = k->base.element;

    for (int32_t e = 0; e < mesh->elements; e++) {
        uint64_t seed = (uint64_t)mesh->global_ids[e];
        if (!term->present[mesh->group[e]]) continue;
        for (int c = 0; c < sedge_term_memory(term); c++) {
            double slope[4];
            for (int d = 0; d < 4; d++) slope[d] = random_value(&seed);
            for (int n = 0; n < element->nodes; n++) {
                *values++ = slope[0] + slope[1] * element->r[n] + slope[2] * element->s[n] +
                            slope[3] * element->t[n];
            }
        }
    }
}

void kit_start_memory(kit *k)
{
    for (int i = 0; i < k->base.problem.term_count; i++) {
        const sedge_term *const term = &k->base.problem.terms[i];
        know_memory(k, term, sedge_reference_memory(k->base.reference, i));
    }
}

static int64_t block_size(const sedge_block *block)
{
    return (int64_t)block->elements * block->components * block->nodes;
}

// Of the reference, as the block of faces has it.
static void gather_faces(const kit *k, const sedge_block *block, double *values)
{
    const double *const memory = sedge_reference_face_memory(k->base.reference);
    const int64_t size = (int64_t)block->components * block->nodes;

    for (int32_t i = 0; i < block->elements; i++) {
        const int64_t face = block->slot[i] - k->base.mesh->halo_faces;
        memcpy(values + i * size, memory + face * size, (size_t)size * sizeof *values);
    }
}

// The next term with memory, from `term` on: that of the next block.
static int next_term(const kit *k, int term)
{
    while (k->base.problem.terms[term].kind->memory == 0) term++;
    return term;
}

static sedge_status start(kit *k, const double *u)
{
    if (k->evolution == NULL) return SEDGE_FAIL(SEDGE_ERR_INTERNAL, "no operator: kit_load failed");
    SEDGE_TRY(sedge_evolution_set(k->evolution, u));
    for (int i = 1, term = 0; i < sedge_evolution_blocks(k->evolution); i++, term++) {
        const sedge_block *const block = sedge_evolution_block(k->evolution, i);
        double *values = NULL;
        SEDGE_TRY(sedge_allocate(&values, block_size(block), sizeof *values));
        if (block->slot == NULL) { // that of faces begins as zero
            term = next_term(k, term);
            know_memory(k, &k->base.problem.terms[term], values);
        }
        const sedge_status status = sedge_evolution_set_block(k->evolution, i, SEDGE_NODAL, values);
        sedge_release(values);
        SEDGE_TRY(status);
    }
    return SEDGE_OK;
}

// Add to largest: difference, value, 1 where something is not a number.
static sedge_status compare_memory(kit *k, int i, const double *wanted, double largest[3])
{
    const int64_t size = block_size(sedge_evolution_block(k->evolution, i));
    double *values = NULL;

    SEDGE_TRY(sedge_allocate(&values, size, sizeof *values));
    const sedge_status status = sedge_evolution_get_block(k->evolution, i, SEDGE_NODAL, values);
    for (int64_t j = 0; j < size; j++) {
        largest[0] = fmax(largest[0], fabs(values[j] - wanted[j]));
        largest[1] = fmax(largest[1], fabs(wanted[j]));
        if (!isfinite(values[j]) || !isfinite(wanted[j])) largest[2] = 1.0;
    }
    sedge_release(values);
    return status;
}

double kit_memory_difference(kit *k)
{
    const int blocks = k->evolution != NULL ? sedge_evolution_blocks(k->evolution) : 0;
    double largest[3] = {0.0};

    for (int i = 1, term = 0; i < blocks; i++, term++) {
        const sedge_block *const block = sedge_evolution_block(k->evolution, i);
        double *faces = NULL;
        if (block->slot == NULL) {
            term = next_term(k, term);
        } else if (sedge_allocate(&faces, block_size(block), sizeof *faces) == SEDGE_OK) {
            gather_faces(k, block, faces);
        }
        const double *const wanted =
            faces != NULL ? faces : sedge_reference_memory(k->base.reference, term);
        if (compare_memory(k, i, wanted, largest) != SEDGE_OK) largest[2] = 1.0;
        sedge_release(faces);
    }
    sedge_comm_max(k->world->comm, largest, 3);
    if (largest[2] > 0.0) return (double)NAN;
    return largest[1] > 0.0 ? largest[0] / largest[1] : 0.0;
}

// ---- time and norms ----------------------------------------------------------------------------

double kit_time_step(const kit *k, double cfl)
{
    int32_t element;
    double dt = sedge_problem_time_step(&k->base.problem, k->base.mesh, cfl, 1, &element);

    sedge_comm_min(k->world->comm, &dt, 1);
    return dt;
}

sedge_status kit_advance(kit *k, const double *u, double t, double dt, int steps)
{
    SEDGE_TRY(start(k, u));
    for (int i = 0; i < steps; i++) SEDGE_TRY(sedge_evolution_step(k->evolution, t + i * dt, dt));
    return sedge_evolution_get(k->evolution, k->result);
}

sedge_status kit_advance_unevenly(kit *k, double *out, int steps, int longer)
{
    const double dt = kit_time_step(k, 0.5);
    double t = 0.0;

    SEDGE_TRY(start(k, k->base.u));
    for (int i = 0; i < steps; i++) {
        const double step = i == longer || i == longer + 1 ? 1.25 * dt : dt;
        SEDGE_TRY(sedge_evolution_step(k->evolution, t, step));
        t += step;
    }
    return sedge_evolution_get(k->evolution, out);
}

sedge_status kit_solve(double *error, const kit_world *world, const kit_options *options,
                       const sedge_operator_options *config, double end, double cfl)
{
    sedge_status status;
    kit k;

    SEDGE_TRY_GOTO(status, kit_create(&k, world, options));
    SEDGE_TRY_GOTO(status, kit_load(&k, options->precision, config));
    dg_case_start(&k.base, 0.0);
    const int steps = (int)ceil(end / kit_time_step(&k, cfl));
    SEDGE_TRY_GOTO(status, kit_advance(&k, k.base.u, 0.0, end / steps, steps));
    memcpy(k.base.u, k.result, (size_t)k.base.values * sizeof *k.base.u);
    *error = dg_case_error(&k.base, end);
done:
    kit_clear(&k);
    return status;
}

double kit_difference(const kit *k, const double *a, const double *b)
{
    double largest[3] = {0.0}; // difference, value, 1 where something is not a number

    for (int64_t i = 0; i < k->base.values; i++) {
        largest[0] = fmax(largest[0], fabs(a[i] - b[i]));
        largest[1] = fmax(largest[1], fabs(b[i]));
        if (!isfinite(a[i]) || !isfinite(b[i])) largest[2] = 1.0;
    }
    sedge_comm_max(k->world->comm, largest, 3);
    return largest[2] > 0.0 ? (double)NAN : largest[0] / largest[1];
}

double kit_energy(kit *k)
{
    if (k->evolution == NULL || sedge_evolution_energy(k->evolution, k->energy) != SEDGE_OK)
        return (double)NAN;
    return sedge_sample_sum(k->world->comm, k->base.mesh->elements, k->energy);
}

double kit_rounding(sedge_precision precision)
{
    return precision == SEDGE_FP64 ? 0.5 * DBL_EPSILON : (double)(0.5F * FLT_EPSILON);
}

// ---- whole states in files ---------------------------------------------------------------------

// Sum over ranks of arrays that are zero where another rank has the element: the whole state, on
// every rank.
static sedge_status collect(const kit *k, const double *u, double **whole, int64_t *count)
{
    const int64_t block = k->base.element->nodes * (int64_t)k->base.problem.equation->fields;
    const sedge_mesh *const mesh = k->base.mesh;

    *count = mesh->global_elements * block;
    SEDGE_TRY(sedge_comm_agree(k->world->comm, sedge_allocate(whole, *count, sizeof **whole)));
    for (int32_t e = 0; e < mesh->elements; e++)
        memcpy(*whole + mesh->global_ids[e] * block, u + e * block, (size_t)block * sizeof **whole);
    sedge_comm_sum(k->world->comm, *whole, (int)*count);
    return SEDGE_OK;
}

sedge_status kit_write(const kit *k, const double *u, const char *path)
{
    sedge_status status;
    double *whole = NULL;
    int64_t count;

    SEDGE_TRY_GOTO(status, collect(k, u, &whole, &count));
    if (sedge_comm_is_root(k->world->comm))
        status = sedge_file_write(path, whole, (size_t)count * sizeof *whole);
    status = sedge_comm_agree(k->world->comm, status);
done:
    sedge_release(whole);
    return status;
}

sedge_status kit_read(const kit *k, double *u, const char *path)
{
    const int64_t block = k->base.element->nodes * (int64_t)k->base.problem.equation->fields;
    const sedge_mesh *const mesh = k->base.mesh;
    char *bytes = NULL;
    size_t length;

    SEDGE_TRY(sedge_file_read(&bytes, &length, path, SEDGE_ERR_DATA));
    if (length != (size_t)(mesh->global_elements * block) * sizeof *u) {
        sedge_release(bytes);
        return SEDGE_FAIL(SEDGE_ERR_DATA, "%s: another mesh or order", path);
    }
    for (int32_t e = 0; e < mesh->elements; e++) {
        memcpy(u + e * block, bytes + (size_t)(mesh->global_ids[e] * block) * sizeof *u,
               (size_t)block * sizeof *u);
    }
    sedge_release(bytes);
    return SEDGE_OK;
}
