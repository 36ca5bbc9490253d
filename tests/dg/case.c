#include "case.h"

#include "base/memory.h"

#include "random.h"

#include <math.h>
#include <string.h>

dg_case_options dg_case_defaults(const sedge_equation *equation, int order, int cells)
{
    const dg_case_options options = {
        .equation = equation, .order = order, .cells = {cells, cells, cells}, .split_axis = -1};

    return options;
}

const sedge_boundary_kind *dg_find_boundary(const sedge_equation *equation, const char *name)
{
    for (int i = 0; i < equation->boundary_count; i++)
        if (strcmp(equation->boundaries[i].name, name) == 0) return &equation->boundaries[i];
    return NULL;
}

const sedge_initial_kind *dg_find_initial(const sedge_equation *equation, const char *name)
{
    for (int i = 0; i < equation->initial_count; i++)
        if (strcmp(equation->initials[i].name, name) == 0) return &equation->initials[i];
    return NULL;
}

const sedge_source_kind *dg_find_source(const sedge_equation *equation, const char *name)
{
    for (int i = 0; i < equation->source_count; i++)
        if (strcmp(equation->sources[i].name, name) == 0) return &equation->sources[i];
    return NULL;
}

void dg_fill_defaults(const sedge_parameter *parameters, int count, double *values)
{
    for (int i = 0; i < count; i++) {
        const int size = sedge_parameter_size(&parameters[i]);
        for (int k = 0; k < size; k++) *values++ = k < 3 ? parameters[i].fallback[k] : 0.0;
    }
}

static void copy_parameters(double *to, const double *from, const sedge_parameter *parameters,
                            int count)
{
    if (from == NULL) {
        dg_fill_defaults(parameters, count, to);
    } else {
        memcpy(to, from, (size_t)sedge_parameters_size(parameters, count) * sizeof *to);
    }
}

// Inner vertices move smoothly; sides and periodic images stay where they are.
static void distort(sedge_mesh *mesh, double amount)
{
    const double pi = 3.14159265358979323846;

    for (int32_t e = 0; e < mesh->elements; e++) {
        for (int v = 0; v < 4; v++) {
            double *x = mesh->corners[e][v];
            const double bump =
                amount * sin(2.0 * pi * x[0]) * sin(2.0 * pi * x[1]) * sin(2.0 * pi * x[2]);
            const double lift = amount * sin(pi * x[0]) * sin(pi * x[1]) * sin(pi * x[2]);
            x[0] += bump + lift;
            x[1] += 0.7 * lift;
            x[2] -= 0.8 * bump;
        }
    }
}

static sedge_status make_mesh(dg_case *c, const dg_case_options *options)
{
    sedge_mesh_options box = sedge_mesh_defaults();

    for (int d = 0; d < 3; d++) {
        box.box_cells[d] = options->cells[d];
        box.box_periodic[d] = options->periodic;
    }
    box.box_split_axis = options->split_axis;
    box.box_split = 0.5;
    box.box_names[0] = "below";
    box.box_names[1] = "above";
    box.box_map = options->box_map;
    SEDGE_TRY(sedge_mesh_create(&c->mesh, c->comm, &box));
    distort(c->mesh, options->distort);
    return SEDGE_OK;
}

static sedge_status make_problem(dg_case *c, const dg_case_options *options)
{
    const sedge_equation *equation = options->equation;
    sedge_problem *problem = &c->problem;
    double deck[SEDGE_MAX_VALUES];
    double keys[SEDGE_MAX_VALUES];

    SEDGE_TRY(sedge_problem_init(problem, equation, c->mesh->groups.volumes,
                                 c->mesh->groups.surfaces, options->point != NULL));
    problem->order = options->order;
    problem->precision = SEDGE_FP64;
    problem->curved = c->mesh->global_curved > 0;
    for (int v = 0; v < problem->volumes && equation->derive != NULL; v++) {
        const bool above = strcmp(c->mesh->groups.volume_names[v], "above") == 0;
        copy_parameters(deck, options->materials[above], equation->materials,
                        equation->material_count);
        equation->derive(deck, problem->materials[v]);
    }
    copy_parameters(keys, options->flux_keys, equation->flux_keys, equation->flux_key_count);
    equation->constants(keys, options->incident_parameters, problem->constants);
    if (options->term != NULL) {
        double numbers[SEDGE_MAX_VALUES];
        copy_parameters(numbers, options->term_parameters, options->term->parameters,
                        options->term->parameter_count);
        SEDGE_TRY(sedge_problem_add_term(problem, options->term, problem->volumes - 1, numbers));
    }
    for (int s = 0; s < problem->surfaces && options->boundary != NULL; s++) {
        const sedge_boundary_kind *kind = dg_find_boundary(equation, options->boundary);
        problem->boundaries[s].kind = kind;
        copy_parameters(problem->boundaries[s].parameters, options->boundary_parameters,
                        kind->parameters, kind->parameter_count);
    }
    problem->initial =
        dg_find_initial(equation, options->initial != NULL ? options->initial : "zero");
    if (problem->initial != NULL) {
        copy_parameters(problem->initial_parameters, options->initial_parameters,
                        problem->initial->parameters, problem->initial->parameter_count);
    }
    if (options->point != NULL) {
        sedge_point_source *source = &problem->point_sources[0];
        source->kind = dg_find_source(equation, options->point);
        copy_parameters(source->parameters, options->point_parameters, source->kind->parameters,
                        source->kind->parameter_count);
        memcpy(source->position, source->parameters, sizeof source->position);
        memcpy(source->signal, source->parameters + 3, sizeof source->signal);
    }
    return SEDGE_OK;
}

sedge_status dg_case_create(dg_case *out, const sedge_comm *comm, const dg_case_options *options)
{
    sedge_status status;

    memset(out, 0, sizeof *out);
    out->comm = comm;
    SEDGE_TRY_GOTO(status, sedge_element_create(&out->element, options->order));
    SEDGE_TRY_GOTO(status, make_mesh(out, options));
    SEDGE_TRY_GOTO(status, make_problem(out, options));
    SEDGE_TRY_GOTO(status, sedge_reference_create(&out->reference, comm, out->element, out->mesh,
                                                  &out->problem));
    if (out->mesh->global_curved > 0)
        SEDGE_TRY_GOTO(status, sedge_cubature_create(&out->cubature, out->element));
    out->values = (int64_t)out->mesh->elements * options->equation->fields * out->element->nodes;
    SEDGE_TRY_GOTO(status, sedge_allocate(&out->u, out->values, sizeof(double)));
    SEDGE_TRY_GOTO(status, sedge_allocate(&out->rhs, out->values, sizeof(double)));
    SEDGE_TRY_GOTO(status, sedge_allocate(&out->exact, out->values, sizeof(double)));
    return SEDGE_OK;
done:
    dg_case_clear(out);
    return status;
}

void dg_case_clear(dg_case *c)
{
    sedge_release(c->u);
    sedge_release(c->rhs);
    sedge_release(c->exact);
    sedge_reference_free(c->reference);
    sedge_cubature_free(c->cubature);
    sedge_problem_clear(&c->problem);
    sedge_mesh_free(c->mesh);
    sedge_element_free(c->element);
    memset(c, 0, sizeof *c);
}

void dg_case_start(dg_case *c, double t)
{
    sedge_reference_initial(c->reference, t, c->u);
}

sedge_status dg_case_run(dg_case *c, double end, double cfl)
{
    int32_t element;
    double dt = sedge_problem_time_step(&c->problem, c->mesh, cfl, &element);

    sedge_comm_min(c->comm, &dt, 1);
    const int steps = (int)ceil(end / dt);
    for (int i = 0; i < steps; i++)
        SEDGE_TRY(sedge_reference_step(c->reference, c->u, end * i / steps, end / steps));
    return SEDGE_OK;
}

// sum_f int J w_f a_f b_f over a curved element; weights NULL: ones.
static double find_curved_product(const dg_case *c, int32_t e, const double *a, const double *b,
                                  const double *weights)
{
    const int n = c->element->nodes;
    const int fields = c->problem.equation->fields;
    double *jacobian = NULL;
    double sum = 0.0;

    if (sedge_allocate(&jacobian, c->cubature->volume.points, sizeof(double)) != SEDGE_OK)
        return (double)NAN;
    sedge_cubature_jacobian(c->cubature, c->mesh, e, jacobian);
    for (int k = 0; k < fields; k++) {
        const int64_t at = ((int64_t)e * fields + k) * n;
        sum += (weights != NULL ? weights[k] : 1.0) *
               sedge_cubature_product(c->cubature, jacobian, a + at, b + at);
    }
    sedge_release(jacobian);
    return sum;
}

static double find_product(const dg_case *c, const double *a, const double *b, bool weighted)
{
    const int n = c->element->nodes;
    const int fields = c->problem.equation->fields;
    double total = 0.0;

    for (int32_t e = 0; e < c->mesh->elements; e++) {
        double weights[SEDGE_MAX_FIELDS];
        double sum = 0.0;
        sedge_geometry geometry;
        sedge_geometry_compute(&geometry, c->mesh->corners[e]);
        c->problem.equation->energy(c->problem.materials[c->mesh->group[e]], weights);
        if (sedge_mesh_curve(c->mesh, e) >= 0) {
            total += find_curved_product(c, e, a, b, weighted ? weights : NULL);
            continue;
        }
        for (int k = 0; k < fields; k++) {
            const double *x = a + ((int64_t)e * fields + k) * n;
            const double *y = b + ((int64_t)e * fields + k) * n;
            for (int i = 0; i < n; i++) {
                for (int j = 0; j < n; j++) {
                    sum +=
                        (weighted ? weights[k] : 1.0) * x[i] * c->element->mass[i * n + j] * y[j];
                }
            }
        }
        total += geometry.jacobian * sum;
    }
    sedge_comm_sum(c->comm, &total, 1);
    return total;
}

double dg_case_product(const dg_case *c, const double *a, const double *b)
{
    return find_product(c, a, b, true);
}

double dg_case_norm(const dg_case *c, const double *a, const double *b)
{
    double *difference = NULL;
    double norm = (double)NAN;

    if (b == NULL) return sqrt(find_product(c, a, a, false));
    if (sedge_allocate(&difference, c->values, sizeof(double)) == SEDGE_OK) {
        for (int64_t i = 0; i < c->values; i++) difference[i] = a[i] - b[i];
        norm = sqrt(find_product(c, difference, difference, false));
    }
    sedge_release(difference);
    return norm;
}

double dg_case_error(dg_case *c, double t)
{
    sedge_reference_initial(c->reference, t, c->exact);
    return dg_case_norm(c, c->u, c->exact) / dg_case_norm(c, c->exact, NULL);
}

void dg_case_random(const dg_case *c, double *u)
{
    const int block = c->problem.equation->fields * c->element->nodes;

    for (int32_t e = 0; e < c->mesh->elements; e++) {
        uint64_t seed = 1000003u * (uint64_t)c->mesh->global_ids[e] + 17u;
        for (int i = 0; i < block; i++) u[(int64_t)e * block + i] = random_value(&seed);
    }
}
