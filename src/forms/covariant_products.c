#include "forms/covariant_products.h"

#include "base/memory.h"
#include "dg/dense.h"
#include "dg/predictor.h"

#include <math.h>
#include <stdbool.h>

#define SIGNS      SEDGE_ORBIT_POINTS
#define SAME       1e-9                                                // in reference coordinates
#define MOST_WIDTH ((SEDGE_ORDER_MAX + 1) * (SEDGE_ORDER_MAX + 2) / 2) // face nodes

// ---- orbits ------------------------------------------------------------------------------------

void operator_orbits_clear(operator_orbits *sets)
{
    sedge_orbits_clear(&sets->points);
    sedge_orbits_clear(&sets->nodes);
    sedge_orbits_clear(&sets->lower);
    sedge_orbits_clear(&sets->faces);
}

// The lattice points of order N - 1.
static void place_lower(double (*place)[3], int order)
{
    const double step = order > 1 ? 2.0 / (order - 1) : 0.0;

    if (order == 1) {
        for (int d = 0; d < 3; d++) place[0][d] = -0.5;
        return;
    }
    for (int k = 0; k < order; k++) {
        for (int j = 0; j < order - k; j++) {
            for (int i = 0; i < order - k - j; i++) {
                double *const at = place[sedge_bernstein_number(order - 1, i, j, k)];
                at[0] = step * i - 1.0;
                at[1] = step * j - 1.0;
                at[2] = step * k - 1.0;
            }
        }
    }
}

// The face node of `face` that is volume node `node`, or -1.
static int find_face_node(const sedge_element *element, int face, int node)
{
    for (int i = 0; i < element->face_nodes; i++)
        if (element->face_node[face * element->face_nodes + i] == node) return i;
    return -1;
}

static int find_node_at(const sedge_element *element, const double place[3])
{
    for (int n = 0; n < element->nodes; n++) {
        if (fabs(element->r[n] - place[0]) <= SAME && fabs(element->s[n] - place[1]) <= SAME &&
            fabs(element->t[n] - place[2]) <= SAME)
            return n;
    }
    return -1;
}

// Place j of an orbit is on the face opposite to vertex 3 ^ j.
static sedge_status find_face_images(sedge_orbits *out, const sedge_element *element)
{
    SEDGE_TRY(sedge_allocate(&out->image, out->count, sizeof *out->image));
    for (int i = 0; i < out->count * SIGNS; i++) {
        const int z = i % SIGNS;
        const int node = element->face_node[out->member[i / SIGNS][0]];
        const int face = sedge_orbits_face(sedge_orbits_partner(z) == 3 ? 3 : 0);
        const double place[3] = {element->r[node], element->s[node], element->t[node]};
        double image[3];

        sedge_orbits_reflect(image, place, z);
        const int there = find_face_node(element, face, find_node_at(element, image));
        if (there < 0) {
            return SEDGE_FAIL(SEDGE_ERR_INTERNAL, "face node %d has no image at pattern %d",
                              i / SIGNS, z);
        }
        out->image[i / SIGNS][z] = sedge_orbits_find(out, face * element->face_nodes + there, z);
    }
    return SEDGE_OK;
}

// The faces are images of each other: orbit k has face node k of face 0.
static sedge_status find_face_orbits(sedge_orbits *out, const sedge_orbits *nodes,
                                     const sedge_element *element)
{
    SEDGE_TRY(sedge_allocate(&out->member, element->face_nodes, sizeof *out->member));
    out->count = element->face_nodes;
    for (int i = 0; i < nodes->count * SIGNS; i++) { // place `first` of an orbit
        const int *const member = nodes->member[i / SIGNS];
        const int first = i % SIGNS;
        const int k = find_face_node(element, 0, member[first]);
        for (int j = 0; j < SIGNS && k >= 0; j++) {
            const int face = sedge_orbits_face(j);
            out->member[k][j] =
                face * element->face_nodes + find_face_node(element, face, member[first ^ j]);
        }
    }
    return find_face_images(out, element);
}

static sedge_status find_element_orbits(operator_orbits *sets, const sedge_element *element)
{
    const int lower = element->nodes - element->face_nodes;
    double(*place)[3] = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&place, element->nodes, sizeof *place));
    for (int n = 0; n < element->nodes; n++) {
        place[n][0] = element->r[n];
        place[n][1] = element->s[n];
        place[n][2] = element->t[n];
    }
    SEDGE_TRY_GOTO(status, sedge_orbits_create(&sets->nodes, place, element->nodes));
    place_lower(place, element->order);
    SEDGE_TRY_GOTO(status, sedge_orbits_create(&sets->lower, place, lower));
    status = find_face_orbits(&sets->faces, &sets->nodes, element);
done:
    sedge_release(place);
    return status;
}

sedge_status operator_orbits_create(operator_orbits *sets, const sedge_element *element,
                                    const sedge_quadrature *volume)
{
    *sets = (operator_orbits){0};
    if (volume != NULL)
        SEDGE_TRY(sedge_orbits_create(&sets->points, volume->place, volume->points));
    return find_element_orbits(sets, element);
}

// ---- matrices ----------------------------------------------------------------------------------

static int larger(int a, int b)
{
    return a > b ? a : b;
}

// N/2 times the Bernstein polynomials of order N - 1 at the points, [points][lower].
static void evaluate_lower(double *out, const sedge_quadrature *volume, int order, int lower)
{
    for (int q = 0; q < volume->points; q++) {
        const double *const at = volume->place[q];
        const double l[4] = {-0.5 * (1.0 + at[0] + at[1] + at[2]), 0.5 * (1.0 + at[0]),
                             0.5 * (1.0 + at[1]), 0.5 * (1.0 + at[2])};
        for (int k = 0; k < order; k++) {
            for (int j = 0; j < order - k; j++) {
                for (int i = 0; i < order - k - j; i++) {
                    const int power[4] = {order - 1 - i - j - k, i, j, k};
                    double value = 0.5 * order * tgamma(order);
                    for (int v = 0; v < 4; v++)
                        value *= pow(l[v], power[v]) / tgamma(power[v] + 1.0);
                    out[(int64_t)q * lower + sedge_bernstein_number(order - 1, i, j, k)] = value;
                }
            }
        }
    }
}

// The lift from coefficients of faces: what takes nodal values of faces, [points][4 face nodes],
// times the matrix that makes these of coefficients.
static void take_face_coefficients(double *lift, const sedge_bernstein *basis, int points,
                                   int width)
{
    double row[MOST_WIDTH];

    for (int64_t block = 0; block < (int64_t)SEDGE_FACES * points; block++) {
        double *const own = lift + block * width;
        for (int c = 0; c < width; c++) {
            row[c] = 0.0;
            for (int k = 0; k < width; k++) row[c] += own[k] * basis->face_to_nodal[k * width + c];
        }
        for (int c = 0; c < width; c++) own[c] = row[c];
    }
}

// V' and L as the columns of one matrix for each sign, [signs][point orbits][lower orbits, face
// nodes]; with `basis` L takes coefficients. `work` and `reduced` have room for
// [points][4 face nodes] and for a reduced matrix.
static void build_sum(double *out, const sedge_cubature *cubature, const sedge_element *element,
                      const operator_orbits *sets, const sedge_bernstein *basis, double *work,
                      double *reduced)
{
    const int points = cubature->volume.points;
    const int around = SEDGE_FACES * element->face_nodes;
    const int lower = element->nodes - element->face_nodes;
    const int columns = sets->lower.count + sets->faces.count;
    const int64_t rows = (int64_t)SIGNS * sets->points.count;

    evaluate_lower(work, &cubature->volume, element->order, lower);
    sedge_orbits_reduce(reduced, work, lower, &sets->points, &sets->lower);
    for (int64_t i = 0; i < rows * sets->lower.count; i++)
        out[i / sets->lower.count * columns + i % sets->lower.count] = reduced[i];
    sedge_dense_multiply(work, cubature->values, false, element->lift, false, points,
                         element->nodes, around);
    if (basis != NULL) take_face_coefficients(work, basis, points, element->face_nodes);
    sedge_orbits_reduce(reduced, work, around, &sets->points, &sets->faces);
    for (int64_t i = 0; i < rows * sets->faces.count; i++) {
        out[i / sets->faces.count * columns + sets->lower.count + i % sets->faces.count] =
            reduced[i];
    }
}

// D of dg_covariant_predict.h, [nodes][nodes], in coefficients; `work` has room for as many
void operator_damping_build(double *out, const sedge_element *element, const sedge_bernstein *basis,
                            double *work)
{
    const int n = element->nodes, order = element->order;
    const double factor = sedge_predictor_factor(order, 1);
    int mode = 0;

    for (int i = 0; i <= order; i++) { // as dg/modes.h numbers them
        for (int j = 0; j <= order - i; j++) {
            for (int k = 0; k <= order - i - j; k++, mode++) {
                const double part = sedge_predictor_damping(order, i + j + k) / factor;
                for (int m = 0; m < n; m++)
                    work[mode * n + m] = part * element->inverse[mode * n + m];
            }
        }
    }
    sedge_dense_multiply(out, element->vandermonde, false, work, false, n, n, n);
    sedge_dense_multiply(work, out, false, basis->to_nodal, false, n, n, n);
    sedge_dense_multiply(out, basis->from_nodal, false, work, false, n, n, n);
}

// Room for matrices: before they are reduced to sign patterns, and after.
typedef struct product_room {
    double *work, *reduced, *sum;
} product_room;

// The columns are those of `from`, then of `then` if there are any.
static operator_product make_product(const char *name, const double *matrix, const sedge_orbits *to,
                                     const sedge_orbits *from, const sedge_orbits *then)
{
    const int columns = from->count + (then == NULL ? 0 : then->count);

    return (operator_product){name, matrix, SIGNS, to->count, columns, to, {from, then}};
}

// Those of dg_covariant_predict.h.
static sedge_status list_predictions(const product_room *room, const operator_orbits *sets,
                                     const sedge_cubature *cubature, const sedge_element *element,
                                     const sedge_bernstein *basis, operator_product_visit *visit,
                                     void *context)
{
    const int nodes = element->nodes;
    const int lower = nodes - element->face_nodes;
    const operator_product curls =
        make_product("covariant_lower", room->reduced, &sets->points, &sets->lower, NULL);
    const operator_product mean =
        make_product("covariant_mean", room->reduced, &sets->nodes, &sets->points, NULL);

    evaluate_lower(room->work, &cubature->volume, element->order, lower);
    sedge_orbits_reduce(room->reduced, room->work, lower, &sets->points, &sets->lower);
    SEDGE_TRY(visit(context, &curls));
    operator_damping_build(room->sum, element, basis, room->work);
    for (int n = 0; n < nodes; n++) room->sum[n * nodes + n] += 1.0;
    sedge_dense_multiply(room->work, room->sum, false, basis->from_nodal, false, nodes, nodes,
                         nodes);
    sedge_dense_multiply(room->sum, room->work, false, cubature->project, false, nodes, nodes,
                         cubature->volume.points);
    sedge_orbits_reduce(room->reduced, room->sum, cubature->volume.points, &sets->nodes,
                        &sets->points);
    return visit(context, &mean);
}

bool operator_products_predict(const sedge_problem *problem, sedge_basis state)
{
    return problem->integrator->predictor && state != SEDGE_NODAL &&
           sedge_cubature_state_is_covariant(problem);
}

static sedge_status list_products(const product_room *room, const operator_orbits *sets,
                                  const sedge_cubature *cubature, const sedge_element *element,
                                  const sedge_bernstein *basis, const sedge_problem *problem,
                                  sedge_basis state, operator_product_visit *visit, void *context)
{
    const bool covariant = sedge_cubature_state_is_covariant(problem);
    const int nodes = element->nodes;
    const int width = element->face_nodes;
    operator_product square =
        make_product("covariant_coefficients", room->reduced, &sets->nodes, &sets->nodes, NULL);
    const operator_product sum =
        make_product("covariant_sum", room->sum, &sets->points, &sets->lower, &sets->faces);
    const operator_product project =
        make_product("covariant_project", room->reduced, &sets->nodes, &sets->points, NULL);
    const operator_product face = {"covariant_face", basis->face_to_nodal, 1, width, width, NULL,
                                   {NULL, NULL}};

    const bool coefficients = covariant && state != SEDGE_NODAL;

    if (!covariant) {
        sedge_orbits_reduce(room->reduced, basis->from_nodal, nodes, &sets->nodes, &sets->nodes);
        SEDGE_TRY(visit(context, &square));
    }
    build_sum(room->sum, cubature, element, sets, coefficients ? basis : NULL, room->work,
              room->reduced);
    SEDGE_TRY(visit(context, &sum));
    if (coefficients) {
        sedge_dense_multiply(room->work, basis->from_nodal, false, cubature->project, false, nodes,
                             nodes, cubature->volume.points);
    }
    sedge_orbits_reduce(room->reduced, coefficients ? room->work : cubature->project,
                        cubature->volume.points, &sets->nodes, &sets->points);
    SEDGE_TRY(visit(context, &project));
    if (operator_products_predict(problem, state))
        return list_predictions(room, sets, cubature, element, basis, visit, context);
    if (coefficients || (state == SEDGE_NODAL && !covariant)) return SEDGE_OK;
    if (covariant) {
        sedge_orbits_reduce(room->reduced, basis->from_nodal, nodes, &sets->nodes, &sets->nodes);
        return visit(context, &square);
    }
    square.name = "covariant_nodal";
    sedge_orbits_reduce(room->reduced, basis->to_nodal, nodes, &sets->nodes, &sets->nodes);
    SEDGE_TRY(visit(context, &square));
    return visit(context, &face);
}

sedge_status operator_products_list(const operator_orbits *sets, const sedge_cubature *cubature,
                                    const sedge_element *element, const sedge_bernstein *basis,
                                    const sedge_problem *problem, sedge_basis state,
                                    operator_product_visit *visit, void *context)
{
    const int64_t points = cubature->volume.points;
    const int64_t columns = element->nodes + (int64_t)SEDGE_FACES * element->face_nodes;
    const int64_t rows = (int64_t)SIGNS * larger(sets->points.count, sets->nodes.count);
    const int64_t most = larger(sets->points.count, larger(sets->nodes.count, sets->faces.count));
    product_room room = {NULL, NULL, NULL};
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&room.work, points * columns, sizeof *room.work));
    SEDGE_TRY_GOTO(status, sedge_allocate(&room.reduced, rows * most, sizeof *room.reduced));
    SEDGE_TRY_GOTO(status, sedge_allocate(&room.sum, rows * columns, sizeof *room.sum));
    status = list_products(&room, sets, cubature, element, basis, problem, state, visit, context);
done:
    sedge_release(room.work);
    sedge_release(room.reduced);
    sedge_release(room.sum);
    return status;
}

// ---- code --------------------------------------------------------------------------------------

#define NOTHING 1e-13 // of entries of order one: what rounding leaves of zeros

// A reflection takes rows to rows and columns to columns (dg/orbits.h). Two columns c and c' that
// are images of each other enter as their sum x_c + sign x_c' and their difference x_c - sign x_c'.
// A row is its even part, from sums, plus its odd part, from differences; its image has their
// difference, times the sign: about half of the multiply-adds. Where the image is not known a row
// or column is its own.
static bool has_images(const operator_product *product)
{
    return product->to != NULL && product->to->image != NULL && product->from[0]->image != NULL &&
           (product->from[1] == NULL || product->from[1]->image != NULL);
}

static sedge_orbit_image find_row_image(const operator_product *product, int r, int z)
{
    return has_images(product) ? product->to->image[r][z] : (sedge_orbit_image){r, 1};
}

static sedge_orbit_image find_column_image(const operator_product *product, int c, int z)
{
    sedge_orbit_image image = {c, 1};

    if (!has_images(product)) return image;
    const int first = product->from[0]->count;
    if (c < first) return product->from[0]->image[c][z];
    image = product->from[1]->image[c - first][z];
    image.orbit += first;
    return image;
}

// The even (+1) or odd (-1) part of a row.
static sedge_status write_part(sedge_text *text, const operator_product *product, int z, int row,
                               int parity)
{
    const double *const own =
        product->matrix + ((int64_t)z * product->rows + row) * product->columns;
    const char pair = parity > 0 ? 's' : 'd';
    bool any = false;

    for (int c = 0; c < product->columns; c++) {
        const sedge_orbit_image image = find_column_image(product, c, z);
        const bool alone = image.orbit == c;
        double entry = own[c];
        if (!alone) entry = 0.5 * (entry + parity * image.sign * own[image.orbit]);
        if (image.orbit < c || (alone && image.sign != parity) || fabs(entry) <= NOTHING) continue;
        SEDGE_TRY(sedge_text_add(text, "%sSEDGE_R(%a) * %c%d", any ? " + " : "", entry,
                                 alone ? 'x' : pair, c));
        any = true;
    }
    return sedge_text_add(text, any ? ";\n" : "SEDGE_SPLAT(0.0);\n");
}

static sedge_status write_columns(sedge_text *text, const operator_product *product, int z)
{
    for (int c = 0; c < product->columns; c++) {
        SEDGE_TRY(sedge_text_add(
            text, "    const sedge_value x%d = from[%d * SEDGE_PRODUCT_STEP];\n", c, c));
    }
    for (int c = 0; c < product->columns; c++) {
        const sedge_orbit_image image = find_column_image(product, c, z);
        if (image.orbit <= c) continue;
        SEDGE_TRY(sedge_text_add(text,
                                 "    const sedge_value s%d = x%d %c x%d;\n"
                                 "    const sedge_value d%d = x%d %c x%d;\n",
                                 c, c, image.sign > 0 ? '+' : '-', image.orbit, c, c,
                                 image.sign > 0 ? '-' : '+', image.orbit));
    }
    return SEDGE_OK;
}

// A row and its image.
static sedge_status write_rows(sedge_text *text, const operator_product *product, int z, int row)
{
    const sedge_orbit_image image = find_row_image(product, row, z);

    if (image.orbit < row) return SEDGE_OK;
    if (image.orbit == row) {
        SEDGE_TRY(sedge_text_add(text, "    to[%d * SEDGE_PRODUCT_STEP] = ", row));
        return write_part(text, product, z, row, image.sign);
    }
    SEDGE_TRY(sedge_text_add(text, "    const sedge_value even%d = ", row));
    SEDGE_TRY(write_part(text, product, z, row, 1));
    SEDGE_TRY(sedge_text_add(text, "    const sedge_value odd%d = ", row));
    SEDGE_TRY(write_part(text, product, z, row, -1));
    return sedge_text_add(text,
                          "    to[%d * SEDGE_PRODUCT_STEP] = even%d + odd%d;\n"
                          "    to[%d * SEDGE_PRODUCT_STEP] = %s%d - %s%d;\n",
                          row, row, row, image.orbit, image.sign > 0 ? "even" : "odd", row,
                          image.sign > 0 ? "odd" : "even", row);
}

// One sign pattern: all columns are read before the first row is written.
static sedge_status write_pattern(sedge_text *text, const operator_product *product, int z)
{
    SEDGE_TRY(sedge_text_add(text,
                             "SEDGE_FUNCTION void %s_%d(SEDGE_BLOCKWIDE sedge_value *to,\n"
                             "    const SEDGE_BLOCKWIDE sedge_value *from)\n{\n",
                             product->name, z));
    SEDGE_TRY(write_columns(text, product, z));
    for (int r = 0; r < product->rows; r++) SEDGE_TRY(write_rows(text, product, z, r));
    return sedge_text_add(text, "}\n");
}

static sedge_status write_product(void *context, const operator_product *product)
{
    sedge_text *const text = context;

    for (int z = 0; z < product->signs; z++) SEDGE_TRY(write_pattern(text, product, z));
    SEDGE_TRY(sedge_text_add(text,
                             "SEDGE_FUNCTION void %s(SEDGE_BLOCKWIDE sedge_value *to,\n"
                             "    const SEDGE_BLOCKWIDE sedge_value *from, int z)\n{\n",
                             product->name));
    for (int z = 0; z < product->signs; z++) {
        SEDGE_TRY(sedge_text_add(text, "    if (z %% %d == %d) %s_%d(to, from);\n", product->signs,
                                 z, product->name, z));
    }
    return sedge_text_add(text, "}\n");
}

sedge_status operator_products_write(sedge_text *text, const sedge_problem *problem,
                                     const sedge_element *element, sedge_basis state)
{
    operator_orbits sets = {0};
    sedge_cubature *cubature = NULL;
    sedge_bernstein *basis = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_cubature_create(&cubature, element,
                                                 sedge_cubature_degree(problem, element->order)));
    SEDGE_TRY_GOTO(status, sedge_bernstein_create(&basis, element));
    SEDGE_TRY_GOTO(status, operator_orbits_create(&sets, element, &cubature->volume));
    SEDGE_TRY_GOTO(status, sedge_text_add(text, "// Written by src/forms/covariant_products.c.\n"));
    status = operator_products_list(&sets, cubature, element, basis, problem, state, write_product,
                                    text);
done:
    operator_orbits_clear(&sets);
    sedge_cubature_free(cubature);
    sedge_bernstein_free(basis);
    return status;
}
