#include "kit.h"

#include "base/memory.h"
#include "device/device.h"
#include "dg/cubature.h"

#include "dg/case.h"
#include "dg/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sedge_status open_device(elliptic_world *world)
{
    const char *const requested = getenv("SEDGE_TEST_DEVICE");

    SEDGE_TRY(sedge_device_create(&world->device, requested != NULL ? requested : "host",
                                  sedge_comm_node_rank(world->comm),
                                  sedge_comm_node_size(world->comm)));
    SEDGE_TRY(sedge_cache_create(&world->cache, NULL));
    return sedge_context_create(&world->context, world->device, world->cache);
}

sedge_status elliptic_open(elliptic_world *world)
{
    memset(world, 0, sizeof *world);
    sedge_device_prepare_environment();
    SEDGE_TRY(sedge_device_start_helper());
    SEDGE_TRY(sedge_comm_create(&world->comm, NULL));
    const sedge_status status = sedge_comm_agree(world->comm, open_device(world));
    if (status != SEDGE_OK) elliptic_close(world);
    return status;
}

void elliptic_close(elliptic_world *world)
{
    sedge_context_free(world->context);
    sedge_cache_free(world->cache);
    sedge_device_free(world->device);
    sedge_comm_free(world->comm);
    memset(world, 0, sizeof *world);
}

elliptic_options elliptic_defaults(int order)
{
    elliptic_options options = {
        .order = order,
        .precision = SEDGE_FP64,
        .cells = {2, 2, 2},
        .distort = 0.05,
        .sides = {"dirichlet", "dirichlet", "dirichlet", "dirichlet", "dirichlet", "dirichlet"}};

    return options;
}

// Inner vertices move smoothly; sides stay where they are.
static void distort(sedge_mesh *mesh, double amount)
{
    const double pi = 3.14159265358979323846;

    for (int32_t e = 0; e < mesh->elements; e++) {
        for (int v = 0; v < 4; v++) {
            double *x = mesh->corners[e][v];
            const double lift = amount * sin(pi * x[0]) * sin(pi * x[1]) * sin(pi * x[2]) *
                                (x[2] == 0.5 ? 0.0 : 1.0);
            x[0] += lift;
            x[1] += 0.7 * lift;
            x[2] -= 0.8 * lift;
        }
    }
}

static sedge_status make_mesh(elliptic_case *c, const elliptic_options *options)
{
    dg_case_options mesh = dg_case_defaults(NULL, options->order, 0);

    memcpy(mesh.cells, options->cells, sizeof mesh.cells);
    mesh.file = options->file;
    mesh.periodic = options->periodic;
    mesh.split_axis = options->epsilon > 0.0 ? 2 : -1;
    mesh.box_map = options->map;
    SEDGE_TRY(dg_case_mesh(&c->mesh, c->world->comm, &mesh));
    if (options->map == NULL && options->file == NULL) distort(c->mesh, options->distort);
    return SEDGE_OK;
}

static sedge_status make_problem(elliptic_case *c, const elliptic_options *options)
{
    static const char *const names[6] = {"xmin", "xmax", "ymin", "ymax", "zmin", "zmax"};
    const sedge_equation *const equation = sedge_equation_find("poisson");
    const sedge_mesh_groups *const groups = &c->mesh->groups;
    sedge_problem *const problem = &c->problem;
    const double penalty = 1.0;

    SEDGE_TRY(sedge_problem_init(problem, equation, groups->volumes, groups->surfaces, 0));
    problem->order = options->order;
    problem->precision = options->precision;
    problem->curved = c->mesh->global_curved > 0;
    equation->constants(&penalty, NULL, problem->constants);
    for (int v = 0; v < groups->volumes; v++) {
        const bool above = strcmp(groups->volume_names[v], "above") == 0;
        const double deck[2] = {above ? options->epsilon : 1.0, 0.0};
        equation->derive(deck, problem->materials[v]);
    }
    for (int s = 0; s < groups->surfaces; s++) {
        int side = 0;
        for (int i = 0; i < 6; i++)
            if (strcmp(groups->surface_names[s], names[i]) == 0) side = i;
        problem->boundaries[s].kind = dg_find_boundary(equation, options->sides[side]);
        memcpy(problem->boundaries[s].parameters, options->side_values,
               sizeof options->side_values);
    }
    problem->initial = dg_find_initial(equation, options->known != NULL ? options->known : "zero");
    memcpy(problem->initial_parameters, options->known_parameters,
           sizeof options->known_parameters);
    return SEDGE_OK;
}

sedge_status elliptic_case_create(elliptic_case *out, const elliptic_world *world,
                                  const elliptic_options *options)
{
    memset(out, 0, sizeof *out);
    out->world = world;
    SEDGE_TRY(sedge_element_create(&out->element, options->order));
    SEDGE_TRY(make_mesh(out, options));
    out->values = (int64_t)out->mesh->elements * out->element->nodes;
    return make_problem(out, options);
}

void elliptic_case_clear(elliptic_case *c)
{
    sedge_problem_clear(&c->problem);
    sedge_mesh_free(c->mesh);
    sedge_element_free(c->element);
    memset(c, 0, sizeof *c);
}

void elliptic_random(const elliptic_case *c, uint64_t seed, double *u)
{
    const int nodes = c->element->nodes;

    for (int32_t e = 0; e < c->mesh->elements; e++) {
        uint64_t state = 1000003u * (uint64_t)c->mesh->global_ids[e] + seed;
        for (int i = 0; i < nodes; i++) u[(int64_t)e * nodes + i] = random_value(&state);
    }
}

void elliptic_known(const elliptic_case *c, double *u)
{
    const sedge_element *const element = c->element;

    for (int32_t e = 0; e < c->mesh->elements; e++) {
        for (int n = 0; n < element->nodes; n++) {
            double x[3];
            double fields[4];
            const double rst[3] = {element->r[n], element->s[n], element->t[n]};
            sedge_mesh_place(c->mesh, e, rst, x);
            c->problem.initial->apply(x, 0.0, c->problem.materials[c->mesh->group[e]],
                                      c->problem.initial_parameters, c->problem.constants, fields);
            u[(int64_t)e * element->nodes + n] = fields[0];
        }
    }
}

double elliptic_dot(const elliptic_case *c, const double *a, const double *b)
{
    double sum = 0.0;

    for (int64_t i = 0; i < c->values; i++) sum += a[i] * b[i];
    sedge_comm_sum(c->world->comm, &sum, 1);
    return sum;
}

double elliptic_largest(const elliptic_case *c, const double *a, const double *b)
{
    double largest = 0.0;

    for (int64_t i = 0; i < c->values; i++) {
        const double value = fabs(a[i] - (b != NULL ? b[i] : 0.0));
        largest = value <= largest ? largest : value; // not-a-number stays
    }
    sedge_comm_max(c->world->comm, &largest, 1);
    return largest;
}

// The square of the norm over the curved elements.
static double curved_square(const elliptic_case *c, const double *a, const double *b)
{
    const int nodes = c->element->nodes;
    sedge_cubature *cubature = NULL;
    double *work = NULL;
    double sum = 0.0;

    if (sedge_cubature_create(&cubature, c->element, SEDGE_CUBATURE_DEGREE(c->element->order)) !=
            SEDGE_OK ||
        sedge_allocate(&work, cubature->volume.points + nodes, sizeof *work) != SEDGE_OK)
        return (double)NAN;
    double *const difference = work + cubature->volume.points;
    for (int32_t e = 0; e < c->mesh->elements; e++) {
        const int64_t base = (int64_t)e * nodes;
        if (sedge_mesh_curve(c->mesh, e) < 0) continue;
        for (int n = 0; n < nodes; n++)
            difference[n] = a[base + n] - (b != NULL ? b[base + n] : 0.0);
        sedge_cubature_jacobian(cubature, c->mesh, e, work);
        sum += sedge_cubature_product(cubature, work, difference, difference);
    }
    sedge_cubature_free(cubature);
    sedge_release(work);
    return sum;
}

double elliptic_norm(const elliptic_case *c, const double *a, const double *b)
{
    const int nodes = c->element->nodes;
    double sum = c->mesh->global_curved > 0 ? curved_square(c, a, b) : 0.0;

    for (int32_t e = 0; e < c->mesh->elements; e++) {
        if (sedge_mesh_curve(c->mesh, e) >= 0) continue;
        const double jacobian = 0.75 * sedge_tet_volume(c->mesh->corners[e]);
        const int64_t base = (int64_t)e * nodes;
        for (int n = 0; n < nodes; n++) {
            const double dn = a[base + n] - (b != NULL ? b[base + n] : 0.0);
            for (int m = 0; m < nodes; m++) {
                const double dm = a[base + m] - (b != NULL ? b[base + m] : 0.0);
                sum += jacobian * dn * c->element->mass[n * nodes + m] * dm;
            }
        }
    }
    sedge_comm_sum(c->world->comm, &sum, 1);
    return sqrt(sum);
}
