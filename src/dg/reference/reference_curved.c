// The slow reference in curved elements, by the two methods of dg/cubature.h.
#include "dg/reference/reference_internal.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

sedge_status reference_curved_create(sedge_reference *reference)
{
    const sedge_mesh *const mesh = reference->mesh;
    const int64_t fields = reference->problem->equation->fields;

    if (sedge_mesh_curved(mesh) == 0) return SEDGE_OK;
    SEDGE_TRY(sedge_cubature_create(
        &reference->cubature, reference->element,
        sedge_cubature_degree(reference->problem, reference->element->order)));
    const int64_t points = reference->cubature->volume.points;
    SEDGE_TRY(sedge_allocate(&reference->at_points, points * 3 * fields, sizeof(double)));
    SEDGE_TRY(sedge_allocate(&reference->at_faces,
                             (int64_t)SEDGE_FACES * reference->cubature->face.points * fields,
                             sizeof(double)));
    SEDGE_TRY(sedge_allocate(&reference->jacobian, points, sizeof(double)));
    SEDGE_TRY(sedge_allocate(&reference->work, points, sizeof(double)));
    SEDGE_TRY(
        sedge_allocate(&reference->covariant, fields * reference->element->nodes, sizeof(double)));
    return sedge_allocate(&reference->density, fields * reference->element->nodes, sizeof(double));
}

void reference_curved_free(sedge_reference *reference)
{
    sedge_cubature_free(reference->cubature);
    sedge_release(reference->at_points);
    sedge_release(reference->at_faces);
    sedge_release(reference->jacobian);
    sedge_release(reference->work);
    sedge_release(reference->covariant);
    sedge_release(reference->density);
}

// sum_d g_jd F_d(u) at the volume's points, and J.
static void find_fluxes(sedge_reference *reference, int32_t e, double c[SEDGE_CURVE_TERMS][3],
                        const double *own)
{
    const sedge_cubature *const cubature = reference->cubature;
    const sedge_equation *const equation = reference->problem->equation;
    const double *const m = reference->problem->materials[reference->mesh->group[e]];
    const int n = reference->element->nodes;
    const int fields = equation->fields;

    for (int q = 0; q < cubature->volume.points; q++) {
        double u[SEDGE_MAX_FIELDS] = {0.0};
        double F[3][SEDGE_MAX_FIELDS];
        double dx[3][3];
        double cofactor[3][3];
        for (int k = 0; k < fields; k++) {
            for (int i = 0; i < n; i++)
                u[k] += cubature->values[(int64_t)q * n + i] * own[(int64_t)k * n + i];
        }
        equation->flux(u, m, reference->problem->constants, F[0], F[1], F[2]);
        sedge_curve_tangents(c, cubature->volume.place[q], dx);
        reference->jacobian[q] = sedge_curve_cofactors(dx, cofactor);
        for (int j = 0; j < 3; j++) {
            for (int k = 0; k < fields; k++) {
                reference->at_points[((int64_t)q * 3 + j) * fields + k] =
                    cofactor[j][0] * F[0][k] + cofactor[j][1] * F[1][k] + cofactor[j][2] * F[2][k];
            }
        }
    }
}

// The entry of set_faces of face f, with boundary slot `slot`, if it has a two-sided condition;
// NULL: it has none.
static const sedge_set_face *find_side(const sedge_reference *reference, int32_t e, int f,
                                       int32_t slot)
{
    if (slot < 0) return NULL;
    const int surface = reference->mesh->trace_faces[slot].group;
    if (reference->problem->boundaries[surface].kind->apply_two_sided == NULL) return NULL;
    return sedge_mesh_find_side(reference->mesh, e, f, surface);
}

// Has face f memory? Its condition is applied at the nodes of the face, where the memory is.
static bool has_memory(const sedge_reference *reference, int32_t slot)
{
    return slot >= 0 && sedge_problem_has_face_memory(reference->problem,
                                                      reference->mesh->trace_faces[slot].group);
}

// u, and v unless the face is an outer boundary without memory, at point q of face f; the material
// behind it.
static const double *find_traces(const sedge_reference *reference, int32_t e, int f, int q,
                                 const double *all, double t, double *u, double *v)
{
    const sedge_element *const element = reference->element;
    const sedge_cubature *const cubature = reference->cubature;
    const int fields = reference->problem->equation->fields;
    const int32_t slot = reference_boundary_slot(reference, e, f);
    const sedge_set_face *const side = find_side(reference, e, f, slot);
    const double *const own = all + (int64_t)e * fields * element->nodes;
    const double *m = reference->problem->materials[reference->mesh->group[e]];

    memset(u, 0, (size_t)fields * sizeof *u);
    memset(v, 0, (size_t)fields * sizeof *v);
    for (int i = 0; i < element->face_nodes; i++) {
        const double weight = cubature->trace[(int64_t)q * element->face_nodes + i];
        const int node = element->face_node[f * element->face_nodes + i];
        double behind[SEDGE_MAX_FIELDS], inside[SEDGE_MAX_FIELDS];
        for (int k = 0; k < fields; k++) {
            inside[k] = own[(int64_t)k * element->nodes + node];
            u[k] += weight * inside[k];
        }
        if (has_memory(reference, slot)) {
            reference_apply_boundary(reference, slot, i, t, all, inside, behind);
        } else if (side != NULL) {
            m = reference_other_side(reference, side, i, all, behind);
        } else if (slot < 0) {
            m = reference_neighbour(reference, e, f, i, all, behind);
        } else {
            continue;
        }
        for (int k = 0; k < fields; k++) v[k] += weight * behind[k];
    }
    return m;
}

// sJ n.F*(u, v) at the points of the faces.
static void find_surface(sedge_reference *reference, int32_t e, double c[SEDGE_CURVE_TERMS][3],
                         const double *all, double t)
{
    const sedge_cubature *const cubature = reference->cubature;
    const sedge_problem *const problem = reference->problem;
    const sedge_mesh *const mesh = reference->mesh;
    const double *const m = problem->materials[mesh->group[e]];
    const int fields = problem->equation->fields;
    const int points = cubature->face.points;

    for (int p = 0; p < SEDGE_FACES * points; p++) {
        const int f = p / points;
        const int32_t slot = reference_boundary_slot(reference, e, f);
        double u[SEDGE_MAX_FIELDS], v[SEDGE_MAX_FIELDS], jump[SEDGE_MAX_FIELDS];
        double F[3][SEDGE_MAX_FIELDS];
        double dx[3][3], cofactor[3][3], n[3];
        const double *mv = find_traces(reference, e, f, p % points, all, t, u, v);
        sedge_curve_tangents(c, cubature->face_place[p], dx);
        sedge_curve_cofactors(dx, cofactor);
        sedge_curve_normal(cofactor, f, n);
        const double scale = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        for (int d = 0; d < 3; d++) n[d] /= scale;
        if (slot >= 0 && !has_memory(reference, slot)) {
            const sedge_boundary *const boundary =
                &problem->boundaries[mesh->trace_faces[slot].group];
            double x[3];
            sedge_curve_place(c, cubature->face_place[p], x);
            const sedge_set_face *const side = find_side(reference, e, f, slot);
            if (reference->driven != NULL) {
                reference_drive(reference, slot, x, n, v);
                mv = m;
            } else if (side != NULL) {
                double w[SEDGE_MAX_FIELDS], parameters[SEDGE_MAX_VALUES];
                memcpy(w, v, (size_t)fields * sizeof *w);
                sedge_problem_side_parameters(parameters, problem, side->group, side->second);
                boundary->kind->apply_two_sided(u, w, m, mv, n, x, t, parameters,
                                                problem->constants, v);
                mv = m;
            } else {
                boundary->kind->apply(u, m, n, x, t, boundary->parameters, problem->constants, v);
            }
        }
        problem->equation->surface(u, v, m, mv, n, problem->constants, jump);
        problem->equation->flux(u, m, problem->constants, F[0], F[1], F[2]);
        for (int k = 0; k < fields; k++) {
            reference->at_faces[(int64_t)p * fields + k] =
                scale * (jump[k] + n[0] * F[0][k] + n[1] * F[1][k] + n[2] * F[2][k]);
        }
    }
}

void reference_curved_rhs(sedge_reference *reference, int32_t e, const double *all, double t,
                          double *rhs)
{
    const sedge_cubature *const cubature = reference->cubature;
    const int n = reference->element->nodes;
    const int fields = reference->problem->equation->fields;
    const int points = cubature->volume.points;
    const int face_points = SEDGE_FACES * cubature->face.points;
    double c[SEDGE_CURVE_TERMS][3];

    sedge_mesh_expand(reference->mesh, e, c);
    find_fluxes(reference, e, c, all + (int64_t)e * fields * n);
    find_surface(reference, e, c, all, t);
    for (int k = 0; k < fields; k++) {
        double *const own = rhs + (int64_t)k * n;
        for (int i = 0; i < n; i++) {
            double sum = 0.0;
            for (int q = 0; q < points; q++) {
                for (int j = 0; j < 3; j++) {
                    sum += cubature->weak[j][(int64_t)i * points + q] *
                           reference->at_points[((int64_t)q * 3 + j) * fields + k];
                }
            }
            for (int p = 0; p < face_points; p++) {
                sum -= cubature->lift[(int64_t)i * face_points + p] *
                       reference->at_faces[(int64_t)p * fields + k];
            }
            own[i] = sum;
        }
        sedge_cubature_divide(cubature, reference->jacobian, own, reference->work);
    }
}

// ---- covariant components ----------------------------------------------------------------------

// The two tangents of face f are t_a = sum_j tangents_of[f][a][j] x_{r_j}.
static const int tangents_of[SEDGE_FACES][2][3] = {{{1, 0, 0}, {0, 1, 0}},
                                                   {{1, 0, 0}, {0, 0, 1}},
                                                   {{-1, 1, 0}, {-1, 0, 1}},
                                                   {{0, 1, 0}, {0, 0, 1}}};

// The plane that stands for a face.
typedef struct face_plane {
    double normal[3];  // outward unit normal
    double scale;      // its surface element relative to the reference triangle
    double dual[2][3]; // X^a
} face_plane;

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// c are the coefficients of the element's map.
static void find_plane(face_plane *out, double c[SEDGE_CURVE_TERMS][3], int face)
{
    static const double third = 1.0 / 3.0;
    static const double centre[SEDGE_FACES][3] = {{-third, -third, -1.0},
                                                  {-third, -1.0, -third},
                                                  {-third, -third, -third},
                                                  {-1.0, -third, -third}};
    double dx[3][3];
    double cofactor[3][3];
    double tangent[2][3];

    sedge_curve_tangents(c, centre[face], dx);
    (void)sedge_curve_cofactors(dx, cofactor);
    sedge_curve_normal(cofactor, face, out->normal);
    out->scale = sqrt(dot(out->normal, out->normal));
    for (int a = 0; a < 2; a++) {
        const int *const t = tangents_of[face][a];
        for (int d = 0; d < 3; d++)
            tangent[a][d] = t[0] * dx[0][d] + t[1] * dx[1][d] + t[2] * dx[2][d];
    }
    const double cross = dot(tangent[0], tangent[1]);
    const double square = out->scale * out->scale; // the determinant of the tangents' products
    const double first = dot(tangent[0], tangent[0]) / square;
    const double second = dot(tangent[1], tangent[1]) / square;
    for (int d = 0; d < 3; d++) {
        out->normal[d] /= out->scale;
        out->dual[0][d] = second * tangent[0][d] - cross / square * tangent[1][d];
        out->dual[1][d] = first * tangent[1][d] - cross / square * tangent[0][d];
    }
}

// Covariant components of a vector where the map's tangents are dx, and back.
static void to_covariant(double e[3], double dx[3][3], const double v[3])
{
    for (int j = 0; j < 3; j++) e[j] = dot(dx[j], v);
}

static void to_cartesian(double v[3], double dx[3][3], const double e[3])
{
    double cofactor[3][3];
    const double jacobian = sedge_curve_cofactors(dx, cofactor);

    for (int d = 0; d < 3; d++)
        v[d] = (cofactor[0][d] * e[0] + cofactor[1][d] * e[1] + cofactor[2][d] * e[2]) / jacobian;
}

// The place of a node and the map's tangents there.
static void find_tangents(const sedge_element *element, double c[SEDGE_CURVE_TERMS][3], int node,
                          double rst[3], double dx[3][3])
{
    rst[0] = element->r[node];
    rst[1] = element->s[node];
    rst[2] = element->t[node];
    sedge_curve_tangents(c, rst, dx);
}

// All vectors of u to covariant components.
static void take_covariant(double *e, double dx[3][3], const double *u, int fields)
{
    for (int k = 0; k < fields; k += 3) to_covariant(e + k, dx, u + k);
}

// density = from_curls of the curls of the covariant components: F is linear, and F_j of fields
// that are e at one node and zero elsewhere gives the terms with D_j.
static void find_curls(sedge_reference *reference, int32_t e)
{
    const sedge_element *const element = reference->element;
    const sedge_equation *const equation = reference->problem->equation;
    const double *const m = reference->problem->materials[reference->mesh->group[e]];
    const int n = element->nodes;
    const int fields = equation->fields;

    for (int node = 0; node < n; node++) {
        double u[SEDGE_MAX_FIELDS] = {0.0};
        double F[3][SEDGE_MAX_FIELDS];
        for (int k = 0; k < fields; k++) u[k] = reference->covariant[k * n + node];
        equation->flux(u, m, reference->problem->constants, F[0], F[1], F[2]);
        for (int j = 0; j < 3; j++) {
            memcpy(&reference->flux[((int64_t)j * n + node) * fields], F[j],
                   (size_t)fields * sizeof *F[j]);
        }
    }
    memset(reference->density, 0, (size_t)(fields * n) * sizeof(double));
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < 3; j++) {
            reference_add_rows(&reference->density[(int64_t)i * fields],
                               &element->derivative[j][(int64_t)i * n],
                               &reference->flux[(int64_t)j * n * fields], n, fields);
        }
    }
}

// The fields v behind node i of face f, where the own ones are u; returns the material there.
static const double *find_outer(const sedge_reference *reference, int32_t e, int f, int i,
                                const double *all, double t, const double *u, double *v)
{
    const int32_t slot = reference_boundary_slot(reference, e, f);

    if (slot < 0) return reference_neighbour(reference, e, f, i, all, v);
    reference_apply_boundary(reference, slot, i, t, all, u, v);
    return reference->problem->materials[reference->mesh->group[e]];
}

// Covariant components of vectors, at a node, to vectors in the face's plane.
static void flatten(double *flat, const face_plane *plane, int face, const double *e, int fields)
{
    const int(*const t)[3] = tangents_of[face];

    for (int k = 0; k < fields; k += 3) {
        double along[2];
        for (int a = 0; a < 2; a++)
            along[a] = t[a][0] * e[k] + t[a][1] * e[k + 1] + t[a][2] * e[k + 2];
        for (int d = 0; d < 3; d++)
            flat[k + d] = along[0] * plane->dual[0][d] + along[1] * plane->dual[1][d];
    }
}

// g = s X^a.jump, of which density gets the LIFT; one node of face f.
static void find_jump(double *g, const face_plane *plane, int f, const double *jump, int fields)
{
    for (int k = 0; k < fields; k += 3) {
        g[k] = g[k + 1] = g[k + 2] = 0.0;
        for (int a = 0; a < 2; a++) {
            const double *const dual = plane->dual[a];
            const double along =
                plane->scale * (dual[0] * jump[k] + dual[1] * jump[k + 1] + dual[2] * jump[k + 2]);
            for (int j = 0; j < 3; j++) g[k + j] += along * tangents_of[f][a][j];
        }
    }
}

static void add_faces(sedge_reference *reference, int32_t e, double c[SEDGE_CURVE_TERMS][3],
                      const double *all, double t)
{
    const sedge_element *const element = reference->element;
    const sedge_problem *const problem = reference->problem;
    const double *const m = problem->materials[reference->mesh->group[e]];
    const int n = element->nodes;
    const int nf = element->face_nodes;
    const int fields = problem->equation->fields;
    const double *const own = all + (int64_t)e * fields * n;

    for (int f = 0; f < SEDGE_FACES; f++) {
        face_plane plane;
        find_plane(&plane, c, f);
        for (int i = 0; i < nf; i++) {
            double u[SEDGE_MAX_FIELDS] = {0.0}, v[SEDGE_MAX_FIELDS] = {0.0};
            double inside[SEDGE_MAX_FIELDS], outside[SEDGE_MAX_FIELDS];
            double jump[SEDGE_MAX_FIELDS] = {0.0};
            double rst[3], dx[3][3];
            const int node = element->face_node[f * nf + i];
            for (int k = 0; k < fields; k++) u[k] = own[k * n + node];
            const double *const mv = find_outer(reference, e, f, i, all, t, u, v);
            find_tangents(element, c, node, rst, dx);
            take_covariant(jump, dx, u, fields);
            flatten(inside, &plane, f, jump, fields);
            take_covariant(jump, dx, v, fields);
            flatten(outside, &plane, f, jump, fields);
            problem->equation->surface(inside, outside, m, mv, plane.normal, problem->constants,
                                       jump);
            find_jump(&reference->jump[((int64_t)f * nf + i) * fields], &plane, f, jump, fields);
        }
    }
    for (int i = 0; i < n; i++) {
        reference_add_rows(&reference->density[(int64_t)i * fields],
                           &element->lift[(int64_t)i * SEDGE_FACES * nf], reference->jump,
                           SEDGE_FACES * nf, fields);
    }
}

// at_points [points][fields] = -G^T G / J of the density at the volume's points.
static void weigh(sedge_reference *reference, double c[SEDGE_CURVE_TERMS][3])
{
    const sedge_cubature *const cubature = reference->cubature;
    const int n = reference->element->nodes;
    const int fields = reference->problem->equation->fields;

    for (int q = 0; q < cubature->volume.points; q++) {
        double *const at = reference->at_points + (int64_t)q * fields;
        double dx[3][3], cofactor[3][3];
        double d[SEDGE_MAX_FIELDS] = {0.0};
        sedge_curve_tangents(c, cubature->volume.place[q], dx);
        const double jacobian = sedge_curve_cofactors(dx, cofactor);
        reference_add_rows(d, cubature->values + (int64_t)q * n, reference->density, n, fields);
        for (int k = 0; k < fields; k += 3) {
            double v[3] = {0.0};
            for (int j = 0; j < 3; j++)
                for (int x = 0; x < 3; x++) v[x] -= dx[j][x] * d[k + j] / jacobian;
            to_covariant(at + k, dx, v);
        }
    }
}

// reference->covariant from the fields of element e at its nodes.
static void find_covariant(sedge_reference *reference, int32_t e, double c[SEDGE_CURVE_TERMS][3],
                           const double *all)
{
    const sedge_element *const element = reference->element;
    const int n = element->nodes;
    const int fields = reference->problem->equation->fields;
    const double *const own = all + (int64_t)e * fields * n;
    double rst[3], dx[3][3];
    double u[SEDGE_MAX_FIELDS] = {0.0}, at[SEDGE_MAX_FIELDS] = {0.0};

    for (int i = 0; i < n; i++) {
        find_tangents(element, c, i, rst, dx);
        for (int k = 0; k < fields; k++) u[k] = own[k * n + i];
        take_covariant(at, dx, u, fields);
        for (int k = 0; k < fields; k++) reference->covariant[k * n + i] = at[k];
    }
}

// rhs [fields][nodes] at node i from covariant components.
static void put_cartesian(const sedge_element *element, double c[SEDGE_CURVE_TERMS][3], int i,
                          const double *at, int fields, double *rhs)
{
    double rst[3], dx[3][3];

    find_tangents(element, c, i, rst, dx);
    for (int k = 0; k < fields; k += 3) {
        double v[3];
        to_cartesian(v, dx, at + k);
        for (int d = 0; d < 3; d++) rhs[(k + d) * element->nodes + i] = v[d];
    }
}

void reference_covariant_rhs(sedge_reference *reference, int32_t e, const double *all, double t,
                             double *rhs)
{
    const sedge_cubature *const cubature = reference->cubature;
    const int n = reference->element->nodes;
    const int fields = reference->problem->equation->fields;
    const int points = cubature->volume.points;
    double c[SEDGE_CURVE_TERMS][3];

    sedge_mesh_expand(reference->mesh, e, c);
    find_covariant(reference, e, c, all);
    find_curls(reference, e);
    add_faces(reference, e, c, all, t);
    weigh(reference, c);
    for (int i = 0; i < n; i++) {
        double at[SEDGE_MAX_FIELDS] = {0.0};
        reference_add_rows(at, cubature->project + (int64_t)i * points, reference->at_points,
                           points, fields);
        put_cartesian(reference->element, c, i, at, fields, rhs);
    }
}

// -G^T G / J at the element's vertices.
static void find_vertex_metrics(double metric[4][3][3], double c[SEDGE_CURVE_TERMS][3])
{
    static const double vertex[4][3] = {
        {-1.0, -1.0, -1.0}, {1.0, -1.0, -1.0}, {-1.0, 1.0, -1.0}, {-1.0, -1.0, 1.0}};

    for (int v = 0; v < 4; v++) {
        double dx[3][3], cofactor[3][3];
        sedge_curve_tangents(c, vertex[v], dx);
        const double jacobian = sedge_curve_cofactors(dx, cofactor);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) metric[v][i][j] = -dot(dx[i], dx[j]) / jacobian;
    }
}

void reference_linear_rhs(sedge_reference *reference, int32_t e, const double *all, double *rhs)
{
    const sedge_element *const element = reference->element;
    const int fields = reference->problem->equation->fields;
    double c[SEDGE_CURVE_TERMS][3];
    double metric[4][3][3];

    sedge_mesh_expand(reference->mesh, e, c);
    find_covariant(reference, e, c, all);
    find_curls(reference, e);
    find_vertex_metrics(metric, c);
    for (int n = 0; n < element->nodes; n++) {
        const double *const d = reference->density + (int64_t)n * fields;
        const double r = element->r[n], s = element->s[n], t = element->t[n];
        const double part[4] = {-0.5 * (1.0 + r + s + t), 0.5 * (1.0 + r), 0.5 * (1.0 + s),
                                0.5 * (1.0 + t)};
        double at[SEDGE_MAX_FIELDS] = {0.0};
        for (int i = 0; i < 4 * fields * 3; i++) { // vertex, field, column
            const int v = i / (3 * fields), k = i / 3 % fields, j = i % 3;
            at[k] += part[v] * metric[v][k % 3][j] * d[k - k % 3 + j];
        }
        put_cartesian(element, c, n, at, fields, rhs);
    }
}

// ---- covariant states --------------------------------------------------------------------------

void reference_take_covariant(const sedge_reference *reference, int32_t e, double *u, bool back)
{
    double c[SEDGE_CURVE_TERMS][3];

    sedge_mesh_expand(reference->mesh, e, c);
    sedge_cubature_take_covariant(reference->element, c, u, back);
}

double reference_covariant_energy(const sedge_reference *reference, int32_t e, const double *u,
                                  const double weights[3])
{
    const sedge_cubature *const cubature = reference->cubature;
    const int n = reference->element->nodes;
    double *const covariant = reference->covariant;
    double c[SEDGE_CURVE_TERMS][3], dx[3][3], inverse[3][3], cofactor[3][3];
    double sum = 0.0;

    sedge_mesh_expand(reference->mesh, e, c);
    memcpy(covariant, u, 3 * (size_t)n * sizeof *covariant);
    sedge_cubature_take_covariant(reference->element, c, covariant, false);
    for (int q = 0; q < cubature->volume.points; q++) {
        double at[3] = {0.0};
        for (int k = 0; k < 3 * n; k++)
            at[k / n] += cubature->values[(int64_t)q * n + k % n] * covariant[k];
        sedge_curve_tangents(c, cubature->volume.place[q], dx);
        sedge_curve_inverse(dx, inverse);
        const double size = cubature->volume.weight[q] * sedge_curve_cofactors(dx, cofactor);
        for (int d = 0; d < 3; d++) {
            const double value =
                inverse[d][0] * at[0] + inverse[d][1] * at[1] + inverse[d][2] * at[2];
            sum += 0.5 * size * weights[d] * value * value;
        }
    }
    return sum;
}
