// Modes are eigenvectors of the operator (A + s B)^-1 B, with the greatest eigenvalues for those
// with beta^2 next below s. For s above omega^2 epsilon mu of all media, A + s B is positive
// definite in w and negative definite in f, so that it is factored in any order of the unknowns,
// and B is a positive definite matrix times the same signs.
#include "port_hybrid.h"

#include "base/memory.h"
#include "port_space.h"

#include <math.h>
#include <string.h>

#define MOST_ENTRIES 3e7   // of a matrix: 240 MB, some seconds
#define ABOVE        1.05  // s by the greatest omega^2 epsilon mu
#define SETTLED      1e-10 // residual of a vector, by its eigenvalue
#define FIRST        40    // vectors beside twice those that are asked for: are they enough?
#define STEP         24    // vectors until the next look
#define NOTHING      1e-6  // beta^2 by the greatest omega^2 epsilon mu: those of 0 are no modes
#define ROUNDING     1e-14 // of the square of the greatest wave number, order^2 by the shortest edge
#define LOUDEST      0.1   // rounding, by the greatest omega^2 epsilon mu
#define LONGEST      2.0   // edge, in wavelengths by 2 pi and by the order of the field

// ---- media -------------------------------------------------------------------------------------

void port_medium_principal(double out[3], const port_medium *medium)
{
    const double *const e = medium->epsilon;
    const double mean = 0.5 * (e[PORT_UU] + e[PORT_VV]);
    const double half = hypot(0.5 * (e[PORT_UU] - e[PORT_VV]), e[PORT_UV]);

    out[0] = mean + half;
    out[1] = mean - half;
    out[2] = e[PORT_ALONG];
}

double port_medium_greatest(const port_medium *medium)
{
    double epsilon[3];

    port_medium_principal(epsilon, medium);
    return fmax(epsilon[0], epsilon[2]) * medium->mu;
}

// ---- unknowns ----------------------------------------------------------------------------------

// A function of w in a face: number `k` of the basis times the covariant vector `along`. It belongs
// to place `at` of an edge of the face, or to the face alone: edge -1.
typedef struct vector {
    int k, edge, at;
    double along[2];
} vector;

// The two functions of number k. What an edge's functions have in common on both of its sides is
// the component along the edge, from the lower corner to the higher one.
static void find_vectors(vector out[2], int order, int k)
{
    int at[3];

    port_section_exponents(at, order, k);
    out[0] = (vector){k, -1, 0, {1.0, 0.0}};
    out[1] = (vector){k, -1, 0, {0.0, 1.0}};
    if (at[2] == 0) {
        out[0].edge = 0;
        out[0].at = at[1];
    }
    if (at[1] == 0) {
        out[1].edge = 1;
        out[1].at = at[2];
    }
    if (at[0] > 0) return;
    // On the third edge the component along it is the second minus the first.
    out[0].along[1] = 1.0;
    out[1].edge = 2;
    out[1].at = at[2];
    if (at[1] > 0) return;
    out[0].edge = 1;
    out[0].at = at[2];
    out[1].along[0] = -1.0;
    out[1].along[1] = 0.0;
}

// The unknown of a function of a face, before they are ranked; -1: it is 0 on a wall.
static int64_t find_unknown(const port_hybrid *h, int64_t face, int i)
{
    const port_section *const s = h->section;
    const int order = s->field->order;
    const int64_t edges = s->edges * (order + 1), faces = s->field->faces * h->vectors;
    vector pair[2];

    if (i >= h->vectors) {
        const int64_t u = s->of[face * s->local + i - h->vectors];
        return s->wall[u] >= 0 ? -1 : edges + faces + u;
    }
    find_vectors(pair, order, i / 2);
    const vector *const one = &pair[i % 2];
    if (one->edge < 0) return edges + face * h->vectors + i;
    const int64_t edge = s->edge[3 * face + one->edge];
    return s->wall_edge[edge] ? -1 : edge * (order + 1) + one->at;
}

// Where along the longer side the function has its place.
static double find_place(const port_hybrid *h, int64_t face, int i, const double axis[3])
{
    const sedge_surface_field *const field = h->section->field;
    const int order = i < h->vectors ? field->order : h->section->order;
    double place = 0.0;
    int at[3];

    port_section_exponents(at, order, i < h->vectors ? i / 2 : i - h->vectors);
    for (int k = 0; k < 9; k++) {
        const int v = k / 3;
        place += at[v] * axis[k % 3] * field->corners[face][k] / order;
    }
    return place;
}

static sedge_status number_rows(port_hybrid *h, double **sign)
{
    const int64_t count = h->section->field->faces * h->local;
    const int64_t all = h->section->edges * (h->section->field->order + 1) +
                        h->section->field->faces * h->vectors + h->section->unknowns;
    const double *const axis = h->section->axes[h->section->longer];
    int64_t *row = NULL, known = 0;
    port_ranked *rows = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&row, all, sizeof *row));
    SEDGE_TRY_GOTO(status, sedge_allocate(&rows, all, sizeof *rows));
    SEDGE_TRY_GOTO(status, sedge_allocate(sign, all, sizeof **sign));
    for (int64_t u = 0; u < all; u++) row[u] = -1;
    for (int64_t i = 0; i < count; i++) {
        const int64_t u = find_unknown(h, i / h->local, (int)(i % h->local));
        if (u < 0 || row[u] >= 0) continue;
        row[u] = 0;
        rows[known++] = (port_ranked){find_place(h, i / h->local, (int)(i % h->local), axis), u};
    }
    port_section_rank(rows, known);
    for (int64_t r = 0; r < known; r++) {
        row[rows[r].unknown] = r;
        (*sign)[r] = rows[r].unknown < all - h->section->unknowns ? 1.0 : -1.0;
    }
    for (int64_t i = 0; i < count; i++) {
        const int64_t u = find_unknown(h, i / h->local, (int)(i % h->local));
        h->of[i] = u < 0 ? -1 : row[u];
    }
    h->rows = known;
done:
    sedge_release(row);
    sedge_release(rows);
    return status;
}

// ---- integrals ---------------------------------------------------------------------------------

// The functions of a face at a place: their covariant components, those of f's gradient, curl of w
// and value of f.
typedef struct values {
    double (*vector)[2]; // [local]
    double *scalar;      // [local] curl w, or f
    double *work;        // of the basis
} values;

static sedge_status create_values(values *out, const port_hybrid *h)
{
    SEDGE_TRY(sedge_allocate(&out->vector, h->local, sizeof *out->vector));
    SEDGE_TRY(sedge_allocate(&out->scalar, h->local, sizeof *out->scalar));
    return sedge_allocate(&out->work, 3LL * h->vectors, sizeof *out->work);
}

static void clear_values(const values *at)
{
    sedge_release(at->vector);
    sedge_release(at->scalar);
    sedge_release(at->work);
}

// A place of a face: its weight, and the vectors along the axes whose covariant components are
// (1, 0) and (0, 1).
typedef struct metric {
    double weight;
    double vector[2][2];
    double area; // of the map
} metric;

static const double unit[PORT_TENSOR] = {1.0, 0.0, 1.0, 1.0};

static metric find_metric(const port_section *s, int64_t face, int q)
{
    double place[2], t[2][2];
    metric out = {.weight = port_section_map(s, face, q, place, t)};
    const double determinant = t[0][0] * t[1][1] - t[0][1] * t[1][0];

    out.area = determinant;
    out.vector[0][0] = t[1][1] / determinant;
    out.vector[0][1] = -t[1][0] / determinant;
    out.vector[1][0] = -t[0][1] / determinant;
    out.vector[1][1] = t[0][0] / determinant;
    return out;
}

// a . tensor b of covariant components, across the guide.
static double multiply(const metric *m, const double tensor[PORT_TENSOR], const double a[2],
                       const double b[2])
{
    double x[2], y[2];

    for (int c = 0; c < 2; c++) {
        x[c] = a[0] * m->vector[0][c] + a[1] * m->vector[1][c];
        y[c] = b[0] * m->vector[0][c] + b[1] * m->vector[1][c];
    }
    return tensor[PORT_UU] * x[0] * y[0] + tensor[PORT_UV] * (x[0] * y[1] + x[1] * y[0]) +
           tensor[PORT_VV] * x[1] * y[1];
}

static void find_values(const values *out, const port_hybrid *h, const metric *m, int q)
{
    const port_section *const s = h->section;
    const int order = s->field->order, count = h->vectors / 2;
    double *const value = out->work, *const slope = value + count;

    port_section_basis(order, s->shares + 3L * q, value, slope);
    for (int k = 0; k < count; k++) {
        vector pair[2];

        find_vectors(pair, order, k);
        for (int i = 0; i < 2; i++) {
            const double *const along = pair[i].along;
            out->vector[2 * k + i][0] = along[0] * value[k];
            out->vector[2 * k + i][1] = along[1] * value[k];
            out->scalar[2 * k + i] = (along[1] * slope[k] - along[0] * slope[count + k]) / m->area;
        }
    }
    for (int k = 0; k < s->local; k++) {
        out->vector[h->vectors + k][0] = s->slope[2LL * q * s->local + k];
        out->vector[h->vectors + k][1] = s->slope[(2LL * q + 1) * s->local + k];
        out->scalar[h->vectors + k] = s->value[(int64_t)q * s->local + k];
    }
}

// The parts of a face in A + shift B and in B, without the sign of f, both [local][local].
static void find_matrices(double *a, double *b, const port_hybrid *h, const values *at,
                          int64_t face, double shift)
{
    const int n = h->local;
    const port_medium *const medium = &h->media->face[face];
    const double square = h->media->omega * h->media->omega, mu = medium->mu;
    const double along = square * medium->epsilon[PORT_ALONG];

    memset(a, 0, sizeof *a * (size_t)n * (size_t)n);
    memset(b, 0, sizeof *b * (size_t)n * (size_t)n);
    for (int q = 0; q < h->section->points; q++) {
        const metric m = find_metric(h->section, face, q);

        find_values(at, h, &m, q);
        for (int i = 0; i < n * n; i++) {
            const int r = i / n, c = i % n;
            const bool f_row = r >= h->vectors, f_column = c >= h->vectors;
            const double *const x = at->vector[r], *const y = at->vector[c];
            const double across = m.weight * square * multiply(&m, medium->epsilon, x, y);
            const double scalars = m.weight * at->scalar[r] * at->scalar[c];

            if (f_row != f_column) {
                a[i] += across;
            } else if (f_row) {
                a[i] -= across + shift * along * scalars;
                b[i] += along * scalars;
            } else {
                const double vectors = m.weight * multiply(&m, unit, x, y) / mu;
                a[i] += scalars / mu + shift * vectors - across;
                b[i] += vectors;
            }
        }
    }
}

// ---- the operator ------------------------------------------------------------------------------

typedef struct pencil {
    const port_hybrid *h;
    port_matrix factor; // of A + shift B
    double *b;          // [faces][local][local]
    double *work;       // [2][local][PORT_TILE]
} pencil;

// The first column of each row: the least of those that a face has in common with it.
static void find_first(int64_t *first, const port_hybrid *h)
{
    for (int64_t i = 0; i < h->rows; i++) first[i] = i;
    for (int64_t f = 0; f < h->section->field->faces; f++) {
        const int64_t *const of = h->of + f * h->local;
        int64_t least = h->rows;

        for (int k = 0; k < h->local; k++)
            if (of[k] >= 0 && of[k] < least) least = of[k];
        for (int k = 0; k < h->local; k++)
            if (of[k] >= 0 && least < first[of[k]]) first[of[k]] = least;
    }
}

static sedge_status allocate_matrix(port_matrix *out, const port_hybrid *h, const double *sign,
                                    const char *where)
{
    int64_t *first = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&first, h->rows, sizeof *first));
    find_first(first, h);
    const double entries = port_matrix_entries(h->rows, first);
    if (entries > MOST_ENTRIES) {
        status = SEDGE_FAIL(SEDGE_ERR_USAGE,
                            "%s: the port has %lld faces, and at order %d its mode would take a "
                            "matrix of %.2g numbers, where %.2g are possible: let the mesh have "
                            "fewer and larger faces there, or a lower order",
                            where, (long long)h->section->field->faces, h->section->field->order,
                            entries, MOST_ENTRIES);
        goto done;
    }
    SEDGE_TRY_GOTO(status, port_matrix_create(out, h->rows, first));
    memcpy(out->sign, sign, (size_t)h->rows * sizeof *sign);
done:
    sedge_release(first);
    return status;
}

static sedge_status create_pencil(pencil *out, const port_hybrid *h, const double *sign,
                                  double shift, const char *where)
{
    const int local = h->local, square = local * local;
    const int64_t faces = h->section->field->faces;
    values at = {0};
    double *a = NULL;
    sedge_status status;

    out->h = h;
    SEDGE_TRY_GOTO(status, allocate_matrix(&out->factor, h, sign, where));
    SEDGE_TRY_GOTO(status, sedge_allocate(&out->b, faces * square, sizeof *out->b));
    SEDGE_TRY_GOTO(status, sedge_allocate(&out->work, 2LL * local * PORT_TILE, sizeof *out->work));
    SEDGE_TRY_GOTO(status, sedge_allocate(&a, square, sizeof *a));
    SEDGE_TRY_GOTO(status, create_values(&at, h));
    for (int64_t f = 0; f < faces; f++) {
        const int64_t *const of = h->of + f * local;

        find_matrices(a, out->b + f * square, h, &at, f, shift);
        for (int k = 0; k < square; k++) {
            const int64_t row = of[k / local], column = of[k % local];
            if (column >= 0 && row >= column) *port_matrix_at(&out->factor, row, column) += a[k];
        }
    }
    status = port_matrix_factor(&out->factor);
done:
    clear_values(&at);
    sedge_release(a);
    return status;
}

static void clear_pencil(const pencil *of)
{
    port_matrix_clear(&of->factor);
    sedge_release(of->b);
    sedge_release(of->work);
}

// y = B x without signs, of panels.
static void apply(const void *what, const double *x, double *y)
{
    const pencil *const of = what;
    const int local = of->h->local;
    double *const in = of->work, *const out = in + (int64_t)local * PORT_TILE;

    memset(y, 0, (size_t)(of->factor.tiles * PORT_TILE * PORT_TILE) * sizeof *y);
    for (int64_t f = 0; f < of->h->section->field->faces; f++) {
        const int64_t *const row = of->h->of + f * local;
        const double *const b = of->b + f * local * local;

        for (int k = 0; k < local * PORT_TILE; k++) {
            const int64_t r = row[k / PORT_TILE];
            in[k] = r >= 0 ? x[r * PORT_TILE + k % PORT_TILE] : 0.0;
            out[k] = 0.0;
        }
        for (int k = 0; k < local * local; k++) {
            for (int r = 0; r < PORT_TILE; r++)
                out[k / local * PORT_TILE + r] += b[k] * in[k % local * PORT_TILE + r];
        }
        for (int k = 0; k < local * PORT_TILE; k++) {
            const int64_t r = row[k / PORT_TILE];
            if (r >= 0) y[r * PORT_TILE + k % PORT_TILE] += out[k];
        }
    }
}

// ---- modes -------------------------------------------------------------------------------------

// The first and the last of the modes whose beta^2 are near that of number `asked`, of `count`
// ones; both are `count` if there are not so many.
static void find_group(int group[2], const double *squares, int count, int asked, double near)
{
    group[0] = group[1] = asked < count ? asked : count;
    if (asked >= count) return;
    while (group[0] > 0 && squares[group[0] - 1] <= (1.0 + near) * squares[asked]) group[0]--;
    while (group[1] + 1 < count && squares[group[1] + 1] >= (1.0 - near) * squares[asked])
        group[1]++;
}

// Extend the space until the modes `group` are known, or all with beta^2 above `least`, of which
// there are `*guided`; their theta become beta^2.
static sedge_status settle(port_space *in, int group[2], int *guided, int asked, double near,
                           double shift, double least)
{
    bool ended = false;
    int wait = 2 * asked + FIRST;

    while (in->panels < PORT_MOST_PANELS) {
        int settled = 0;

        SEDGE_TRY(port_space_extend(in, &ended));
        if (!ended && in->panels * PORT_TILE < wait) continue;
        wait = in->panels * PORT_TILE + STEP;
        SEDGE_TRY(port_space_eigen(in));
        while (settled < in->known && in->theta[settled] > 0.0 &&
               (ended || port_space_residual(in, settled) <= SETTLED * in->theta[settled])) {
            in->theta[settled] = shift - 1.0 / in->theta[settled];
            settled++;
        }
        *guided = 0;
        while (*guided < settled && in->theta[*guided] > least) ++*guided;
        find_group(group, in->theta, *guided, asked, near);
        if (ended || *guided < settled || group[1] + 1 < *guided) return SEDGE_OK;
    }
    return SEDGE_FAIL(SEDGE_ERR_COMPUTE, "the modes of the port were not found by %d vectors",
                      PORT_SPACE_MOST);
}

// Take vectors of the space as modes, and make B of two of them 0, of each 1.
static sedge_status take(port_hybrid *h, const pencil *of, const port_space *in, int first)
{
    const int n = in->panels * PORT_TILE;
    double *x = NULL, *y = NULL; // panels
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&h->modes, h->count * h->rows, sizeof *h->modes));
    SEDGE_TRY_GOTO(status, sedge_allocate(&x, of->factor.tiles * PORT_TILE * PORT_TILE, sizeof *x));
    SEDGE_TRY_GOTO(status, sedge_allocate(&y, of->factor.tiles * PORT_TILE * PORT_TILE, sizeof *y));
    for (int i = 0; i < h->count; i++) {
        double *const mode = h->modes + i * h->rows;
        double square = 0.0;

        for (int k = 0; k < n; k++) {
            const double part = in->z[(int64_t)k * n + first + i];
            const double *const panel = in->panel[k / PORT_TILE];
            for (int64_t r = 0; r < h->rows; r++)
                mode[r] += part * panel[r * PORT_TILE + k % PORT_TILE];
        }
        // y has B times the modes before.
        for (int k = 0; k < i; k++) {
            double sum = 0.0;
            for (int64_t r = 0; r < h->rows; r++) sum += y[r * PORT_TILE + k] * mode[r];
            for (int64_t r = 0; r < h->rows; r++) mode[r] -= sum * h->modes[k * h->rows + r];
        }
        for (int64_t r = 0; r < h->rows; r++) x[r * PORT_TILE + i] = mode[r];
        apply(of, x, y);
        for (int64_t r = 0; r < h->rows; r++) {
            for (int k = 0; k <= i; k++) y[r * PORT_TILE + k] *= of->factor.sign[r];
            square += y[r * PORT_TILE + i] * mode[r];
        }
        if (!(square > 0.0)) {
            status = SEDGE_FAIL(SEDGE_ERR_USAGE, "the mode carries its power backwards, against "
                                                 "the direction of its phase: take another mode");
            goto done;
        }
        for (int64_t r = 0; r < h->rows; r++) {
            mode[r] /= sqrt(square);
            x[r * PORT_TILE + i] = mode[r];
            y[r * PORT_TILE + i] /= sqrt(square);
        }
    }
done:
    sedge_release(x);
    sedge_release(y);
    return status;
}

// The longest edge of a face times k there, the shortest edge, and the greatest epsilon mu.
static double find_longest(const port_section *s, const port_media *media, double *shortest,
                           double *greatest)
{
    double longest = 0.0;

    *shortest = HUGE_VAL;
    for (int64_t f = 0; f < s->field->faces; f++) {
        const double square = port_medium_greatest(&media->face[f]);

        *greatest = fmax(*greatest, square);
        for (int v = 0; v < 3; v++) {
            const double *const a = s->field->corners[f] + 3L * v;
            const double *const b = s->field->corners[f] + 3L * ((v + 1) % 3);
            const double length = hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
            longest = fmax(longest, media->omega * length * sqrt(square));
            *shortest = fmin(*shortest, length);
        }
    }
    return longest;
}

// The faces are neither too large for the wavelength nor too small: rounding moves the squares of
// wave numbers by about ROUNDING of the greatest one that faces have, which becomes `*noise`.
static sedge_status check_edges(double *noise, double *slowness, const port_section *section,
                                const port_media *media, const char *where)
{
    const int order = section->field->order;
    const double turn = 6.283185307179586;
    double shortest;
    const double longest = find_longest(section, media, &shortest, slowness);
    const double least = media->omega * shortest * sqrt(*slowness);
    const double highest = (double)order * order / shortest;

    *noise = ROUNDING * highest * highest;
    if (longest > LONGEST * order) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s: an edge of the port's faces is as long as %.3g wavelengths in the "
                          "medium there at 'frequency', and the mode needs edges of %.3g at most: "
                          "take smaller elements, or a lower frequency",
                          where, longest / turn, LONGEST * order / turn);
    }
    if (*noise <= LOUDEST * media->omega * media->omega * *slowness) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "%s: an edge of the port's faces is only %.2g wavelengths long at "
                      "'frequency', so short that rounding hides the mode: take a higher "
                      "frequency (is its unit right?), or larger elements",
                      where, least / turn);
}

sedge_status port_hybrid_find(port_hybrid *out, const port_section *section,
                              const port_media *media, double least, int number, double near,
                              const char *where)
{
    const int vectors = 2 * sedge_triangle_count(section->field->order);
    double slowness = 0.0, noise = 0.0, *sign = NULL;
    pencil of = {.h = NULL};
    port_space in = {.panels = 0};
    port_operator of_space = {.multiply = apply, .of = &of, .factor = &of.factor};
    int group[2] = {0, 0};
    sedge_status status;

    *out = (port_hybrid){
        .section = section, .media = media, .vectors = vectors, .local = vectors + section->local};
    SEDGE_TRY(check_edges(&noise, &slowness, section, media, where));
    const double greatest = media->omega * media->omega * slowness;
    const double shift = ABOVE * greatest;
    out->greatest = slowness;
    SEDGE_TRY_GOTO(status,
                   sedge_allocate(&out->of, section->field->faces * out->local, sizeof *out->of));
    SEDGE_TRY_GOTO(status, number_rows(out, &sign));
    SEDGE_TRY_GOTO(status, create_pencil(&of, out, sign, shift, where));
    of_space.rows = out->rows;
    SEDGE_TRY_GOTO(status, port_space_create(&in, &of_space));
    SEDGE_TRY_GOTO(status, settle(&in, group, &out->guided, number - 1, near, shift,
                                  fmax(least, fmax(NOTHING * greatest, noise))));
    if (group[0] == out->guided) goto done;
    if (group[1] - group[0] >= PORT_MOST_NEAR) {
        status =
            SEDGE_FAIL(SEDGE_ERR_USAGE, "%s: more than %d modes have nearly the index of this one",
                       where, PORT_MOST_NEAR);
        goto done;
    }
    out->count = group[1] + 1 - group[0];
    out->asked = number - 1 - group[0];
    out->square = in.theta[number - 1];
    memcpy(out->squares, in.theta + group[0], (size_t)out->count * sizeof *out->squares);
    status = take(out, &of, &in, group[0]);
done:
    port_space_clear(&in);
    clear_pencil(&of);
    sedge_release(sign);
    return status;
}

void port_hybrid_clear(const port_hybrid *hybrid)
{
    sedge_release(hybrid->of);
    sedge_release(hybrid->modes);
}

// ---- fields ------------------------------------------------------------------------------------

// The unknowns of a face of the sum of modes.
static void find_sum(double *out, const port_hybrid *h, const double *parts, int64_t face)
{
    for (int i = 0; i < h->local; i++) {
        const int64_t row = h->of[face * h->local + i];

        out[i] = 0.0;
        for (int k = 0; k < h->count && row >= 0; k++)
            out[i] += parts[k] * h->modes[k * h->rows + row];
    }
}

// Integrals over the section, of E = E_t + i z f and H.
typedef struct sums {
    double square;           // E_t^2
    double power, inside;    // E_t . G; that in the media with the greatest epsilon mu
    double of_e[2], of_h[2]; // twice the energies of E and H, across and along the guide
} sums;

static void add_place(sums *to, const port_hybrid *h, const values *at, const metric *m,
                      const double *x, int64_t face)
{
    const port_medium *const medium = &h->media->face[face];
    const double omega = h->media->omega, mu = medium->mu, beta = sqrt(h->square);
    double w[2] = {0.0, 0.0}, e[2], curl = 0.0, f = 0.0, slope[2] = {0.0, 0.0};

    for (int i = 0; i < h->local; i++) {
        double *const vector_of = i < h->vectors ? w : slope;
        for (int c = 0; c < 2; c++) vector_of[c] += x[i] * at->vector[i][c];
        *(i < h->vectors ? &curl : &f) += x[i] * at->scalar[i];
    }
    for (int c = 0; c < 2; c++) e[c] = (w[c] - slope[c]) / beta;
    const double along = curl / (beta * omega * mu);
    const double power = m->weight * multiply(m, unit, e, w) / (omega * mu);

    to->square += m->weight * multiply(m, unit, e, e);
    to->power += power;
    to->of_e[0] += m->weight * multiply(m, medium->epsilon_group, e, e);
    to->of_e[1] += m->weight * medium->epsilon_group[PORT_ALONG] * f * f;
    to->of_h[0] +=
        medium->mu_group * m->weight * multiply(m, unit, w, w) / (omega * omega * mu * mu);
    to->of_h[1] += medium->mu_group * m->weight * along * along;
    if (port_medium_greatest(medium) >= (1.0 - 1e-9) * h->greatest) to->inside += power;
}

// Set both fields on a face from its unknowns, with the factors of each.
static void set_face(const port_hybrid *h, const double *x, int64_t face, double of_e, double of_g,
                     sedge_surface_field *e, sedge_surface_field *g)
{
    const port_section *const s = h->section;
    const int order = e->order, count = sedge_triangle_count(order);
    const double *const f = x + h->vectors;

    for (int k = 0; k < count; k++) {
        double w[2] = {0.0, 0.0}, by[3];
        vector pair[2];
        int at[3];

        find_vectors(pair, order, k);
        for (int i = 0; i < 4; i++) w[i % 2] += x[2 * k + i / 2] * pair[i / 2].along[i % 2];
        port_section_exponents(at, order, k);
        for (int v = 0; v < 3; v++) {
            by[v] =
                s->order * f[sedge_triangle_index(s->order, at[1] + (v == 1), at[2] + (v == 2))];
        }
        for (int c = 0; c < 2; c++) {
            e->values[face * count + k][c] = of_e * (w[c] - by[c + 1] + by[0]);
            g->values[face * count + k][c] = of_g * w[c] / h->media->face[face].mu;
        }
    }
}

sedge_status port_hybrid_fields(port_hybrid_numbers *out, const port_hybrid *hybrid,
                                const double *parts, sedge_surface_field *e, sedge_surface_field *g,
                                double *along)
{
    const port_section *const s = hybrid->section;
    const double omega = hybrid->media->omega, beta = sqrt(hybrid->square);
    sums sum = {0};
    values at = {0};
    double *x = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&x, hybrid->local, sizeof *x));
    SEDGE_TRY_GOTO(status, create_values(&at, hybrid));
    for (int64_t f = 0; f < s->field->faces; f++) {
        find_sum(x, hybrid, parts, f);
        for (int q = 0; q < s->points; q++) {
            const metric m = find_metric(s, f, q);

            find_values(&at, hybrid, &m, q);
            add_place(&sum, hybrid, &at, &m, x, f);
        }
    }
    out->index = beta / omega;
    out->group = 0.5 * (sum.of_e[0] + sum.of_e[1] + sum.of_h[0] + sum.of_h[1]) / sum.power;
    out->impedance = sum.square / sum.power;
    out->slope =
        0.5 * (sum.of_h[0] - sum.of_h[1] - sum.of_e[0] + sum.of_e[1]) / (out->index * sum.power);
    out->inside = sum.inside / sum.power;
    for (int64_t f = 0; f < s->field->faces; f++) {
        find_sum(x, hybrid, parts, f);
        set_face(hybrid, x, f, 1.0 / (beta * sqrt(sum.square)),
                 out->impedance / (omega * sqrt(sum.square)), e, g);
        for (int k = 0; k < s->local && along != NULL; k++)
            along[f * s->local + k] = x[hybrid->vectors + k] / sqrt(sum.square);
    }
done:
    clear_values(&at);
    sedge_release(x);
    return status;
}
