#include "case.h"

#include "base/memory.h"
#include "dg/cubature.h"
#include "dg/exponential.h"

#include "random.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

dg_case_options dg_case_defaults(const sedge_equation *equation, int order, int cells)
{
    return (dg_case_options){.equation = equation,
                             .order = order,
                             .precision = SEDGE_FP64,
                             .cells = {cells, cells, cells},
                             .split_axis = -1};
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
    const sedge_source_kind *kinds[SEDGE_MAX_KINDS];
    const int count = sedge_source_kinds_of(kinds, equation);

    for (int i = 0; i < count; i++)
        if (strcmp(kinds[i]->name, name) == 0) return kinds[i];
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

// The form that a file of first order has.
static void straighten(sedge_mesh *mesh)
{
    mesh->global_curved = 0;
    for (int r = 0; r < mesh->range_count; r++) mesh->ranges[r].curved = false;
}

// Levels by the element's centre; a box's x goes from 0 to 1, and layers behind it continue it.
static sedge_status set_levels(sedge_mesh *mesh, const sedge_comm *comm, const char *levels)
{
    const int cubes = (int)strlen(levels);
    uint8_t *level = NULL;

    SEDGE_TRY(sedge_comm_agree(comm, sedge_allocate(&level, mesh->elements, sizeof *level)));
    for (int32_t e = 0; e < mesh->elements; e++) {
        double x = 0.0;
        for (int v = 0; v < 4; v++) x += 0.25 * mesh->corners[e][v][0];
        const int cube = (int)floor(x * cubes);
        level[e] = (uint8_t)(levels[cube < 0 ? 0 : cube >= cubes ? cubes - 1 : cube] - '0');
    }
    const sedge_status status = sedge_mesh_set_levels(mesh, comm, level);
    sedge_release(level);
    return status;
}

// The volume groups in which the source acts, by the materials of find_material below.
static void list_sources(const char **classes, int *count, const dg_case_options *options)
{
    static const char *const names[2][3] = {{"domain", "below", "left"}, {"above", "right"}};
    const sedge_equation *const equation = options->equation;

    for (int i = 0; i < 2 && equation != NULL; i++) {
        double deck[SEDGE_MAX_VALUES];
        double m[SEDGE_MAX_MATERIALS] = {0.0};
        copy_parameters(deck, options->materials[i], equation->materials, equation->material_count);
        if (equation->derive != NULL) equation->derive(deck, m);
        if (!sedge_equation_has_source(equation, m)) continue;
        for (int k = 0; k < 3 && names[i][k] != NULL; k++) classes[(*count)++] = names[i][k];
    }
}

sedge_status dg_case_mesh(sedge_mesh **out, const sedge_comm *comm, const dg_case_options *options)
{
    sedge_mesh_options requested = sedge_mesh_defaults();
    const char *classes[SEDGE_MAX_KINDS] = {"above", "domain"};
    char path[4096];

    if (options->file != NULL) {
        (void)snprintf(path, sizeof path, "%s/meshes/%s", SEDGE_SOURCE_DIR, options->file);
        requested.file = path;
    }
    requested.boundary_last = options->boundary_last;
    requested.classes = options->classes ? 2 : 0;
    requested.class_volume = classes;
    if (!options->classes) list_sources(classes, &requested.classes, options);
    for (const dg_term *term = options->terms; term != NULL && term->kind != NULL; term++) {
        const bool pole = term > options->terms && strcmp(term[-1].volume, term->volume) == 0;
        if (!options->classes && !pole) classes[requested.classes++] = term->volume;
    }
    for (int d = 0; d < 3; d++) {
        requested.box_cells[d] = options->cells[d];
        requested.box_periodic[d] = options->periodic;
    }
    requested.box_split_axis = options->split_axis;
    requested.box_split = 0.5;
    requested.box_names[0] = options->split_axis >= 0 ? "below" : "domain";
    requested.box_names[1] = "above";
    requested.box_map = options->box_map;
    requested.extrude = options->extrude;
    if (options->enclosure != NULL) {
        requested.enclosures = requested.two_sided_surfaces = requested.linked_surfaces = 1;
        requested.enclosure = options->enclosure;
        requested.two_sided_surface = requested.linked_surface = &options->enclosure->name;
    }
    SEDGE_TRY(sedge_mesh_create(out, comm, &requested));
    if (options->levels != NULL) SEDGE_TRY(set_levels(*out, comm, options->levels));
    if (options->straight) straighten(*out);
    distort(*out, options->distort);
    for (int32_t e = 0; e < (*out)->elements && options->move != NULL; e++)
        for (int v = 0; v < 4; v++) options->move((*out)->corners[e][v]);
    return SEDGE_OK;
}

// Index in the options of volume group v.
static int find_material(const dg_case *c, int v)
{
    const char *const name = c->mesh->groups.volume_names[c->mesh->groups.volume_owner[v]];

    return strcmp(name, "above") == 0 || strcmp(name, "right") == 0;
}

static void set_materials(dg_case *c, const dg_case_options *options)
{
    const sedge_equation *const equation = options->equation;
    sedge_problem *const problem = &c->problem;

    for (int v = 0; v < problem->volumes && equation->derive != NULL; v++) {
        double deck[SEDGE_MAX_VALUES];
        copy_parameters(deck, options->materials[find_material(c, v)], equation->materials,
                        equation->material_count);
        equation->derive(deck, problem->materials[v]);
    }
}

static void set_walls(dg_case *c, const dg_case_options *options)
{
    sedge_problem *const problem = &c->problem;

    for (int s = 0; s < problem->surfaces; s++) {
        const char *const surface = c->mesh->groups.surface_names[s];
        sedge_boundary *const boundary = &problem->boundaries[s];
        if (options->wall != NULL || options->wall_kind != NULL) {
            boundary->kind = options->wall_kind;
            if (boundary->kind == NULL)
                boundary->kind = dg_find_boundary(options->equation, options->wall);
            copy_parameters(boundary->parameters, options->wall_parameters,
                            boundary->kind->parameters, boundary->kind->parameter_count);
        }
        for (const dg_wall *w = options->walls; w != NULL && w->surface != NULL; w++) {
            if (strcmp(surface, w->surface) != 0) continue;
            boundary->kind = dg_find_boundary(options->equation, w->kind);
            memset(boundary->parameters, 0, sizeof boundary->parameters);
            boundary->parameters[0] = w->parameter;
        }
        if (options->enclosure != NULL && strcmp(surface, options->enclosure->name) == 0) {
            boundary->kind = options->enclosure_kind;
            copy_parameters(boundary->parameters, options->enclosure_parameters,
                            boundary->kind->parameters, boundary->kind->parameter_count);
        }
    }
}

// Add the term that begins at row `first` to a volume group: rows of the same kind and group are
// its poles.
static sedge_status add_term(sedge_problem *problem, const dg_term *first, int volume)
{
    const int size = sedge_parameters_size(first->kind->parameters, first->kind->parameter_count);
    double parameters[SEDGE_MAX_POLES * 6];
    int poles = 0;

    for (const dg_term *row = first;
         row->kind == first->kind && strcmp(row->volume, first->volume) == 0; row++) {
        for (int i = 0; i < size; i++) parameters[poles * size + i] = row->parameters[i];
        poles++;
    }
    return sedge_problem_add_term(problem, first->kind, poles, volume, parameters);
}

static sedge_status set_terms(dg_case *c, const dg_case_options *options)
{
    sedge_problem *const problem = &c->problem;
    const dg_term *last = NULL;

    for (const dg_term *row = options->terms; row != NULL && row->kind != NULL; row++) {
        const bool more =
            last != NULL && last->kind == row->kind && strcmp(last->volume, row->volume) == 0;
        last = row;
        for (int v = 0; !more && v < problem->volumes; v++) {
            if (strcmp(c->mesh->groups.volume_names[v], row->volume) == 0)
                SEDGE_TRY(add_term(problem, row, v));
        }
    }
    return SEDGE_OK;
}

static void set_dipole(sedge_problem *problem, const double *parameters)
{
    sedge_point_source *const source = &problem->point_sources[0];

    if (parameters == NULL) return;
    source->kind = dg_find_source(problem->equation, "dipole");
    copy_parameters(source->parameters, parameters, source->kind->parameters,
                    source->kind->parameter_count);
    memcpy(source->position, source->parameters, sizeof source->position);
    memcpy(source->signal, source->parameters + 3, sizeof source->signal);
}

static void set_incident(sedge_problem *problem, const dg_case_options *options)
{
    const double *p = options->incident;

    if (p == NULL) return;
    problem->incident_count = options->incidents > 0 ? options->incidents : 1;
    for (int i = 0; i < problem->incident_count; i++) {
        const sedge_source_kind *const kind = dg_find_source(problem->equation, "plane-wave");
        const int size = sedge_parameters_size(kind->parameters, kind->parameter_count);
        problem->incidents[i].kind = kind;
        memcpy(problem->incidents[i].parameters, p, (size_t)size * sizeof *p);
        p += size;
    }
}

static sedge_status make_problem(dg_case *c, const dg_case_options *options)
{
    const sedge_equation *const equation = options->equation;
    sedge_problem *const problem = &c->problem;
    double keys[SEDGE_MAX_VALUES];

    SEDGE_TRY(sedge_problem_init(problem, equation, c->mesh->groups.volumes,
                                 c->mesh->groups.surfaces, options->dipole != NULL));
    problem->order = options->order;
    if (options->integrator != NULL) problem->integrator = options->integrator;
    problem->precision = options->precision;
    problem->curved = c->mesh->global_curved > 0;
    set_materials(c, options);
    copy_parameters(keys, options->flux_keys, equation->flux_keys, equation->flux_key_count);
    set_walls(c, options);
    set_incident(problem, options);
    equation->constants(keys, sedge_problem_feeds(problem) == NULL ? options->incident : NULL,
                        problem->constants);
    problem->initial =
        dg_find_initial(equation, options->initial != NULL ? options->initial : "zero");
    if (problem->initial != NULL) {
        copy_parameters(problem->initial_parameters, options->initial_parameters,
                        problem->initial->parameters, problem->initial->parameter_count);
    }
    set_dipole(problem, options->dipole);
    SEDGE_TRY(set_terms(c, options));
    int surface;
    SEDGE_TRY(sedge_problem_derive(problem, c->mesh, &surface));
    return sedge_problem_feed(problem, c->mesh);
}

sedge_status dg_case_create(dg_case *out, const sedge_comm *comm, const dg_case_options *options)
{
    sedge_status status;

    memset(out, 0, sizeof *out);
    out->comm = comm;
    SEDGE_TRY_GOTO(status, sedge_element_create(&out->element, options->order));
    SEDGE_TRY_GOTO(status, dg_case_mesh(&out->mesh, comm, options));
    SEDGE_TRY_GOTO(status, make_problem(out, options));
    if (options->exponential > 0.0)
        sedge_exponential_choose(&out->problem, out->mesh, options->exponential, 1, comm);
    SEDGE_TRY_GOTO(status, sedge_reference_create(&out->reference, comm, out->element, out->mesh,
                                                  &out->problem));
    if (out->mesh->global_curved > 0) {
        const int degree = sedge_cubature_degree(&out->problem, out->element->order);
        SEDGE_TRY_GOTO(status, sedge_cubature_create(&out->cubature, out->element, degree));
    }
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
    sedge_reference_initial(c->reference, t, 1, c->u);
}

sedge_status dg_case_run(dg_case *c, double end, double cfl)
{
    int32_t element;
    double dt = sedge_problem_time_step(&c->problem, c->mesh, cfl, 1, &element);

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
    sedge_reference_initial(c->reference, t, 1, c->exact);
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
