#include "problem.h"

#include "base/memory.h"
#include "device/cpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

sedge_status bench_mesh_create(sedge_mesh **out, const sedge_comm *comm, const char *file,
                               int cells, sedge_numbering numbering, bool boundary_last)
{
    sedge_mesh_options options = sedge_mesh_defaults();

    options.file = file;
    options.default_volume = options.default_surface = true;
    options.numbering = numbering;
    options.boundary_last = boundary_last;
    options.threads = sedge_cpu_share(sedge_comm_node_size(comm));
    for (int d = 0; d < 3; d++) options.box_cells[d] = cells;
    return sedge_mesh_create(out, comm, &options);
}

int bench_cells(int64_t elements)
{
    const int cells = (int)lround(cbrt((double)elements / 6.0));

    return cells > 1 ? cells : 1;
}

static const sedge_boundary_kind *find_conductor(const sedge_equation *equation)
{
    for (int i = 0; i < equation->boundary_count; i++)
        if (strcmp(equation->boundaries[i].name, "pec") == 0) return &equation->boundaries[i];
    return NULL;
}

sedge_status bench_problem_init(sedge_problem *problem, const sedge_mesh *mesh, int order,
                                sedge_precision precision)
{
    static const double vacuum[] = {1.0, 1.0, 0.0}; // epsilon, mu, conductivity
    static const double upwind[] = {1.0};
    const sedge_equation *const equation = sedge_equation_find("maxwell");
    const sedge_boundary_kind *conductor = NULL;

    memset(problem, 0, sizeof *problem);
    if (equation != NULL) conductor = find_conductor(equation);
    if (conductor == NULL) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "this build has no equation 'maxwell' with a boundary 'pec'");
    }
    SEDGE_TRY(
        sedge_problem_init(problem, equation, mesh->groups.volumes, mesh->groups.surfaces, 0));
    problem->order = order;
    problem->precision = precision;
    problem->curved = mesh->global_curved > 0;
    for (int v = 0; v < problem->volumes; v++) equation->derive(vacuum, problem->materials[v]);
    for (int s = 0; s < problem->surfaces; s++) problem->boundaries[s].kind = conductor;
    equation->constants(upwind, NULL, problem->constants);
    return SEDGE_OK;
}

// Terms, whose rates are far below those of the elements: they do not shorten the step.
static const struct {
    const char *name;
    const char *kind;
    double parameters[5];
} terms[] = {
    {"layer", "pml-lossless-side", {1.0, 0.1, 0.0, 0.0, 1.0}}, // sigma, alpha, normal
    {"debye", "debye", {1.0, 1.0}},                            // strength, time
    {"drude", "drude", {0.5, 0.1}},                            // plasma frequency, damping
    {"lorentz", "lorentz", {1.0, 0.5, 0.1}},                   // strength, resonance, damping
};

sedge_status bench_problem_add_term(sedge_problem *problem, const char *name)
{
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++) {
        if (strcmp(name, terms[i].name) != 0) continue;
        for (int k = 0; sedge_term_kinds[k] != NULL; k++) {
            const sedge_term_kind *const kind = sedge_term_kinds[k];
            if (strcmp(kind->name, terms[i].kind) != 0) continue;
            for (int v = 0; v < problem->volumes; v++)
                SEDGE_TRY(sedge_problem_add_term(problem, kind, 1, v, terms[i].parameters));
            return SEDGE_OK;
        }
    }
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "--term: '%s' is not layer, debye, drude or lorentz", name);
}

// E vanishes along the walls of a box; x, y, z in [0, 1].
static void set_fields(const double x[3], double u[6])
{
    const double bump[3] = {x[0] * (1.0 - x[0]), x[1] * (1.0 - x[1]), x[2] * (1.0 - x[2])};

    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3;
        const int k = (i + 2) % 3;
        u[i] = bump[j] * bump[k];
        u[3 + i] = bump[i] * (1.0 - 2.0 * x[j]) * x[k];
    }
}

sedge_status bench_state_create(double **out, const sedge_mesh *mesh, const sedge_element *element)
{
    const int nodes = element->nodes;

    SEDGE_TRY(sedge_allocate(out, (int64_t)mesh->elements * 6 * nodes, sizeof **out));
    for (int32_t e = 0; e < mesh->elements; e++) {
        double *const own = *out + (int64_t)e * 6 * nodes;
        for (int n = 0; n < nodes; n++) {
            double x[3];
            double u[6];
            sedge_geometry_map(mesh->corners[e], element->r[n], element->s[n], element->t[n], x);
            for (int d = 0; d < 3; d++)
                x[d] = (x[d] - mesh->bounds[0][d]) / (mesh->bounds[1][d] - mesh->bounds[0][d]);
            set_fields(x, u);
            for (int f = 0; f < 6; f++) own[f * nodes + n] = u[f];
        }
    }
    return SEDGE_OK;
}

double bench_time_step(const sedge_comm *comm, const sedge_problem *problem, const sedge_mesh *mesh)
{
    int32_t element;
    double dt = sedge_problem_time_step(problem, mesh, 0.8, 1, &element);

    sedge_comm_min(comm, &dt, 1);
    return dt;
}

sedge_status bench_energy(double *out, const sedge_comm *comm, sedge_evolution *evolution,
                          const sedge_mesh *mesh)
{
    sedge_status status;
    double *energy = NULL;

    *out = 0.0;
    status = sedge_allocate(&energy, mesh->elements, sizeof *energy);
    if (status == SEDGE_OK) status = sedge_evolution_energy(evolution, energy);
    for (int32_t e = 0; status == SEDGE_OK && e < mesh->elements; e++) *out += energy[e];
    sedge_release(energy);
    SEDGE_TRY(sedge_comm_agree(comm, status));
    sedge_comm_sum(comm, out, 1);
    return SEDGE_OK;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;

    return (x > y) - (x < y);
}

double bench_median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare);
    return count % 2 == 1 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}
