#include "cubature.h"

#include "base/memory.h"

#include "dense.h"
#include "modes.h"
#include "response.h"

// Reference coordinates of the vertices.
static const double vertex[4][3] = {
    {-1.0, -1.0, -1.0}, {1.0, -1.0, -1.0}, {-1.0, 1.0, -1.0}, {-1.0, -1.0, 1.0}};

void sedge_cubature_place_faces(double (*place)[3], const sedge_quadrature *face)
{
    const int points = face->points;

    for (int f = 0; f < SEDGE_FACES; f++) {
        for (int q = 0; q < points; q++) {
            const double *const at = face->place[q];
            const double l[3] = {-0.5 * (at[0] + at[1]), 0.5 * (1.0 + at[0]), 0.5 * (1.0 + at[1])};
            for (int d = 0; d < 3; d++) {
                double *const x = &place[f * points + q][d];
                *x = 0.0;
                for (int v = 0; v < 3; v++) *x += l[v] * vertex[sedge_face_vertices[f][v]][d];
            }
        }
    }
}

// V_q; and with M^-1 = V V^T the operators M^-1 V_q^T W and M^-1 D_j^T V_q^T W. The latter are
// V (V^-1 V_j)^T (V_q V)^T W = V V_j^T V^-T psi_q^T W: the weak derivative after the projection.
static sedge_status build_volume(sedge_cubature *cubature, const sedge_element *element)
{
    const int n = element->nodes;
    const int points = cubature->volume.points;
    double *modes = NULL; // [points][modes]
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&modes, (int64_t)points * n, sizeof *modes));
    for (int q = 0; q < points; q++) {
        const double *const at = cubature->volume.place[q];
        sedge_element_modes(element, at[0], at[1], at[2], modes + (int64_t)q * n);
    }
    sedge_dense_multiply(cubature->values, modes, false, element->inverse, false, points, n, n);
    sedge_dense_multiply(cubature->project, element->vandermonde, false, modes, true, n, n, points);
    for (int i = 0; i < n; i++) {
        for (int q = 0; q < points; q++)
            cubature->project[(int64_t)i * points + q] *= cubature->volume.weight[q];
    }
    for (int j = 0; j < 3; j++) {
        // weak = M^-1 D^T M, project = M^-1 V_q^T W.
        sedge_dense_multiply(cubature->weak[j], element->weak[j], false, cubature->project, false,
                             n, n, points);
    }
done:
    sedge_release(modes);
    return status;
}

static sedge_status build_faces(sedge_cubature *cubature, const sedge_element *element)
{
    const int n = element->nodes;
    const int nf = element->face_nodes;
    const int points = cubature->face.points;
    double *at_nodes = NULL;  // [face_nodes][modes]
    double *inverse = NULL;   // [modes][face_nodes]
    double *at_points = NULL; // [points][modes]
    double *scattered = NULL; // [nodes][4 points]
    double *modal = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&at_nodes, (int64_t)nf * nf, sizeof(double)));
    SEDGE_TRY_GOTO(status, sedge_allocate(&inverse, (int64_t)nf * nf, sizeof(double)));
    SEDGE_TRY_GOTO(status, sedge_allocate(&at_points, (int64_t)points * nf, sizeof(double)));
    SEDGE_TRY_GOTO(status, sedge_allocate(&scattered, (int64_t)n * 4 * points, sizeof(double)));
    SEDGE_TRY_GOTO(status, sedge_allocate(&modal, (int64_t)n * 4 * points, sizeof(double)));
    for (int i = 0; i < nf; i++) {
        const int node = element->face_node[i]; // face 0: (r,s) are its coordinates
        sedge_modes_triangle(element->order, element->r[node], element->s[node],
                             at_nodes + (int64_t)i * nf);
    }
    for (int q = 0; q < points; q++) {
        sedge_modes_triangle(element->order, cubature->face.place[q][0], cubature->face.place[q][1],
                             at_points + (int64_t)q * nf);
    }
    SEDGE_TRY_GOTO(status, sedge_dense_invert(inverse, at_nodes, nf));
    sedge_dense_multiply(cubature->trace, at_points, false, inverse, false, points, nf, nf);
    for (int f = 0; f < SEDGE_FACES; f++) {
        for (int i = 0; i < nf; i++) {
            for (int q = 0; q < points; q++) {
                scattered[((int64_t)element->face_node[f * nf + i] * 4 + f) * points + q] =
                    cubature->trace[(int64_t)q * nf + i] * cubature->face.weight[q];
            }
        }
    }
    sedge_dense_multiply(modal, element->vandermonde, true, scattered, false, n, n, 4 * points);
    sedge_dense_multiply(cubature->lift, element->vandermonde, false, modal, false, n, n,
                         4 * points);
done:
    sedge_release(modal);
    sedge_release(scattered);
    sedge_release(at_points);
    sedge_release(inverse);
    sedge_release(at_nodes);
    return status;
}

static sedge_status allocate_arrays(sedge_cubature *cubature)
{
    const int64_t n = cubature->nodes;
    const int64_t points = cubature->volume.points;
    const int64_t face_points = cubature->face.points;

    SEDGE_TRY(sedge_allocate(&cubature->face_place, 4 * face_points, sizeof(double[3])));
    SEDGE_TRY(sedge_allocate(&cubature->values, points * n, sizeof(double)));
    SEDGE_TRY(sedge_allocate(&cubature->project, points * n, sizeof(double)));
    for (int j = 0; j < 3; j++)
        SEDGE_TRY(sedge_allocate(&cubature->weak[j], points * n, sizeof(double)));
    SEDGE_TRY(sedge_allocate(&cubature->trace, face_points * cubature->face_nodes, sizeof(double)));
    SEDGE_TRY(sedge_allocate(&cubature->lift, 4 * face_points * n, sizeof(double)));
    return SEDGE_OK;
}

bool sedge_cubature_is_covariant(const sedge_problem *problem)
{
    const sedge_equation *const equation = problem->equation;

    return equation->linear && equation->curls && equation->tangential &&
           !sedge_response_multiplies(problem);
}

bool sedge_cubature_state_is_covariant(const sedge_problem *problem)
{
    for (int i = 0; i < problem->term_count; i++) {
        const sedge_term_kind *const kind = problem->terms[i].kind;
        const bool elsewhere = kind->layer != 0; // no deck has layers in curved elements
        if (kind->field_triple % 3 != 1 && !elsewhere) return false;
    }
    return problem->curved && problem->equation->fields % 6 == 0 &&
           sedge_cubature_is_covariant(problem);
}

void sedge_cubature_take_covariant(const sedge_element *element, double (*c)[3], double *u,
                                   bool back)
{
    const int n = element->nodes;
    double dx[3][3], inverse[3][3];

    for (int i = 0; i < n; i++) {
        const double place[3] = {element->r[i], element->s[i], element->t[i]};
        const double old[3] = {u[i], u[n + i], u[2 * n + i]};
        sedge_curve_tangents(c, place, dx);
        if (back) sedge_curve_inverse(dx, inverse);
        for (int j = 0; j < 3; j++) {
            const double *const row = back ? inverse[j] : dx[j];
            u[j * n + i] = row[0] * old[0] + row[1] * old[1] + row[2] * old[2];
        }
    }
}

int sedge_cubature_degree(const sedge_problem *problem, int order)
{
    return sedge_cubature_is_covariant(problem) ? 2 * order : SEDGE_CUBATURE_DEGREE(order);
}

static sedge_status make_points(sedge_quadrature *volume, sedge_quadrature *face, int order,
                                int degree)
{
    SEDGE_TRY(sedge_quadrature_tet(volume, degree));
    return sedge_quadrature_triangle(face, 2 * order + 2);
}

sedge_status sedge_cubature_sizes(int *points, int *face_points, int order, int degree)
{
    sedge_quadrature volume = {0};
    sedge_quadrature face = {0};
    const sedge_status status = make_points(&volume, &face, order, degree);

    *points = volume.points;
    *face_points = face.points;
    sedge_quadrature_clear(&volume);
    sedge_quadrature_clear(&face);
    return status;
}

sedge_status sedge_cubature_create(sedge_cubature **out, const sedge_element *element, int degree)
{
    sedge_cubature *cubature = NULL;
    sedge_status status;

    *out = NULL;
    SEDGE_TRY_GOTO(status, sedge_allocate(&cubature, 1, sizeof *cubature));
    cubature->nodes = element->nodes;
    cubature->face_nodes = element->face_nodes;
    SEDGE_TRY_GOTO(status, make_points(&cubature->volume, &cubature->face, element->order, degree));
    SEDGE_TRY_GOTO(status, allocate_arrays(cubature));
    sedge_cubature_place_faces(cubature->face_place, &cubature->face);
    SEDGE_TRY_GOTO(status, build_volume(cubature, element));
    SEDGE_TRY_GOTO(status, build_faces(cubature, element));
    *out = cubature;
    cubature = NULL; // now the caller's
done:
    sedge_cubature_free(cubature);
    return status;
}

void sedge_cubature_free(sedge_cubature *cubature)
{
    if (cubature == NULL) return;
    sedge_quadrature_clear(&cubature->volume);
    sedge_quadrature_clear(&cubature->face);
    sedge_release(cubature->face_place);
    sedge_release(cubature->values);
    sedge_release(cubature->project);
    for (int j = 0; j < 3; j++) sedge_release(cubature->weak[j]);
    sedge_release(cubature->trace);
    sedge_release(cubature->lift);
    sedge_release(cubature);
}

void sedge_cubature_jacobian(const sedge_cubature *cubature, const sedge_mesh *mesh,
                             int32_t element, double *jacobian)
{
    double c[SEDGE_CURVE_TERMS][3];

    sedge_mesh_expand(mesh, element, c);
    for (int q = 0; q < cubature->volume.points; q++) {
        double dx[3][3];
        double cofactor[3][3];
        sedge_curve_tangents(c, cubature->volume.place[q], dx);
        jacobian[q] = sedge_curve_cofactors(dx, cofactor);
    }
}

static double value_at(const sedge_cubature *cubature, int q, const double *x)
{
    double sum = 0.0;

    for (int i = 0; i < cubature->nodes; i++)
        sum += cubature->values[(int64_t)q * cubature->nodes + i] * x[i];
    return sum;
}

void sedge_cubature_divide(const sedge_cubature *cubature, const double *jacobian, double *x,
                           double *work)
{
    const int points = cubature->volume.points;

    for (int q = 0; q < points; q++) work[q] = value_at(cubature, q, x) / jacobian[q];
    for (int i = 0; i < cubature->nodes; i++) {
        x[i] = 0.0;
        for (int q = 0; q < points; q++)
            x[i] += cubature->project[(int64_t)i * points + q] * work[q];
    }
}

double sedge_cubature_product(const sedge_cubature *cubature, const double *jacobian,
                              const double *a, const double *b)
{
    double sum = 0.0;

    for (int q = 0; q < cubature->volume.points; q++) {
        sum += cubature->volume.weight[q] * jacobian[q] * value_at(cubature, q, a) *
               value_at(cubature, q, b);
    }
    return sum;
}
