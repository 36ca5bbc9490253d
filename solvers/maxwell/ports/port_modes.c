// Modes by the Lanczos method with eight vectors at once, so that it finds modes with the same k^2,
// for the operator A^-1 M. Its greatest eigenvalues are those of the lowest modes and are found
// first. All vectors are made orthogonal to each other.
#include "port_modes.h"

#include "base/memory.h"
#include "port_matrix.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define MOST_ENTRIES 3e7   // of a matrix: 240 MB, some seconds
#define SETTLED      1e-11 // residual of a function, by its eigenvalue
#define FIRST        16    // vectors beside twice those that are asked for: are they enough?
#define MOST_PANELS  64
#define LEAST        1e-14 // of the greatest eigenvalue: rounding
#define NOTHING      1e-20 // of a vector's square: what is left of one that the others give
#define DEPENDENT    1e-14 // of a vector's square: what another one of the same panel leaves of it

// Numbers of a tile.
enum { TILE = PORT_TILE * PORT_TILE };

// Those of the unknowns that are free: `place` [unknowns] is their number, -1 of others.
typedef struct freedom {
    int64_t rows;
    int64_t *place;
} freedom;

static sedge_status find_freedom(freedom *out, const port_section *section, bool fixed)
{
    SEDGE_TRY(sedge_allocate(&out->place, section->unknowns, sizeof *out->place));
    for (int64_t i = 0; i < section->unknowns; i++)
        out->place[i] = fixed && section->wall[i] >= 0 ? -1 : out->rows++;
    return SEDGE_OK;
}

// The first column of each row: the least of those that a face has in common with it.
static void find_first(int64_t *first, const freedom *is, const port_section *section)
{
    for (int64_t i = 0; i < is->rows; i++) first[i] = i;
    for (int64_t f = 0; f < section->field->faces; f++) {
        const int64_t *const of = section->of + f * section->local;
        int64_t least = is->rows;

        for (int k = 0; k < section->local; k++) {
            const int64_t row = is->place[of[k]];
            if (row >= 0 && row < least) least = row;
        }
        for (int k = 0; k < section->local; k++) {
            const int64_t row = is->place[of[k]];
            if (row >= 0 && least < first[row]) first[row] = least;
        }
    }
}

static sedge_status allocate_matrix(port_matrix *out, const freedom *is,
                                    const port_section *section, const char *where)
{
    int64_t *first = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&first, is->rows, sizeof *first));
    find_first(first, is, section);
    const double entries = port_matrix_entries(is->rows, first);
    if (entries > MOST_ENTRIES) {
        status = SEDGE_FAIL(SEDGE_ERR_USAGE,
                            "%s: the port has %lld faces, and at order %d its mode would take a "
                            "matrix of %.2g numbers, where %.2g are possible: let the mesh have "
                            "fewer and larger faces there, or a lower order",
                            where, (long long)section->field->faces, section->order - 1, entries,
                            MOST_ENTRIES);
        goto done;
    }
    status = port_matrix_create(out, is->rows, first);
done:
    sedge_release(first);
    return status;
}

// ---- the operator ------------------------------------------------------------------------------

typedef struct pencil {
    const port_section *section;
    freedom is;
    port_matrix factor; // of A = K + shift M, with the integrals of grad f . grad g and of f g
    double *mass;       // [faces][local][local] M
    double *work;       // [2][local][PORT_TILE]
} pencil;

static sedge_status create_pencil(pencil *out, const port_section *section, bool fixed,
                                  double shift, const char *where)
{
    const int local = section->local, square = local * local;
    const int64_t faces = section->field->faces;
    double *slopes = NULL;
    sedge_status status;

    out->section = section;
    SEDGE_TRY_GOTO(status, find_freedom(&out->is, section, fixed));
    SEDGE_TRY_GOTO(status, allocate_matrix(&out->factor, &out->is, section, where));
    SEDGE_TRY_GOTO(status, sedge_allocate(&out->mass, faces * square, sizeof *out->mass));
    SEDGE_TRY_GOTO(status, sedge_allocate(&out->work, 2LL * local * PORT_TILE, sizeof *out->work));
    SEDGE_TRY_GOTO(status, sedge_allocate(&slopes, square, sizeof *slopes));
    for (int64_t f = 0; f < faces; f++) {
        const int64_t *const of = section->of + f * local;
        double *const mass = out->mass + f * square;

        port_section_matrices(section, f, slopes, mass);
        for (int k = 0; k < square; k++) {
            const int64_t row = out->is.place[of[k / local]];
            const int64_t column = out->is.place[of[k % local]];
            if (column >= 0 && row >= column)
                *port_matrix_at(&out->factor, row, column) += slopes[k] + shift * mass[k];
        }
    }
    status = port_matrix_factor(&out->factor);
done:
    sedge_release(slopes);
    return status;
}

static void clear_pencil(const pencil *of)
{
    port_matrix_clear(&of->factor);
    sedge_release(of->is.place);
    sedge_release(of->mass);
    sedge_release(of->work);
}

// y = M x, of panels.
static void apply_mass(const pencil *of, const double *x, double *y)
{
    const int local = of->section->local;
    double *const in = of->work, *const out = in + (ptrdiff_t)local * PORT_TILE;

    memset(y, 0, (size_t)(of->factor.tiles * TILE) * sizeof *y);
    for (int64_t f = 0; f < of->section->field->faces; f++) {
        const int64_t *const unknown = of->section->of + f * local;
        const double *const mass = of->mass + f * local * local;

        for (int k = 0; k < local * PORT_TILE; k++) {
            const int64_t row = of->is.place[unknown[k / PORT_TILE]];
            in[k] = row >= 0 ? x[row * PORT_TILE + k % PORT_TILE] : 0.0;
            out[k] = 0.0;
        }
        for (int k = 0; k < local * local; k++) {
            for (int r = 0; r < PORT_TILE; r++)
                out[k / local * PORT_TILE + r] += mass[k] * in[k % local * PORT_TILE + r];
        }
        for (int k = 0; k < local * PORT_TILE; k++) {
            const int64_t row = of->is.place[unknown[k / PORT_TILE]];
            if (row >= 0) y[row * PORT_TILE + k % PORT_TILE] += out[k];
        }
    }
}

// ---- the space ---------------------------------------------------------------------------------

typedef struct space {
    const pencil *of;
    int panels;
    double *panel[MOST_PANELS + 1]; // of vectors whose M products are those of the unit matrix
    double *mass;                   // M times the last of them
    double *t;             // [MOST_PANELS * PORT_TILE][MOST_PANELS * PORT_TILE] A^-1 M in the space
    double leaves[TILE];   // the part of A^-1 M times the last panel but one that is the last one
    double *a, *theta, *z; // as `t`: its eigenvalues and vectors, of `width` numbers each
    int width;
} space;

enum { MOST = MOST_PANELS * PORT_TILE };

static sedge_status create_space(space *out, const pencil *of)
{
    out->of = of;
    SEDGE_TRY(sedge_allocate(&out->mass, of->factor.tiles * TILE, sizeof *out->mass));
    SEDGE_TRY(sedge_allocate(&out->t, (int64_t)MOST * MOST, sizeof *out->t));
    SEDGE_TRY(sedge_allocate(&out->a, (int64_t)MOST * MOST, sizeof *out->a));
    SEDGE_TRY(sedge_allocate(&out->z, (int64_t)MOST * MOST, sizeof *out->z));
    return sedge_allocate(&out->theta, MOST, sizeof *out->theta);
}

static void clear_space(const space *in)
{
    for (int i = 0; i <= MOST_PANELS; i++) sedge_release(in->panel[i]);
    sedge_release(in->mass);
    sedge_release(in->t);
    sedge_release(in->a);
    sedge_release(in->z);
    sedge_release(in->theta);
}

// The upper R of R^T R = g, in place, and its inverse, of the columns of a panel; both are 0 for
// columns that are less than `least` [PORT_TILE], or that the others give.
static void factor_products(double *g, double *inverse, const double *least)
{
    memset(inverse, 0, TILE * sizeof *inverse);
    for (int j = 0; j < PORT_TILE; j++) {
        double left = g[j * PORT_TILE + j];

        for (int i = 0; i < j; i++) {
            double sum = g[i * PORT_TILE + j];
            const double pivot = g[i * PORT_TILE + i];
            for (int k = 0; k < i; k++) sum -= g[k * PORT_TILE + i] * g[k * PORT_TILE + j];
            g[i * PORT_TILE + j] = pivot > 0.0 ? sum / pivot : 0.0;
            left -= g[i * PORT_TILE + j] * g[i * PORT_TILE + j];
        }
        const bool kept = left > fmax(least[j], DEPENDENT * g[j * PORT_TILE + j]);
        g[j * PORT_TILE + j] = kept ? sqrt(left) : 0.0;
        for (int k = 0; k < j; k++) g[j * PORT_TILE + k] = 0.0;
        if (!kept) continue;
        inverse[j * PORT_TILE + j] = 1.0 / g[j * PORT_TILE + j];
        for (int i = 0; i < j; i++) {
            double sum = 0.0;
            for (int k = i; k < j; k++) sum -= inverse[i * PORT_TILE + k] * g[k * PORT_TILE + j];
            inverse[i * PORT_TILE + j] = sum / g[j * PORT_TILE + j];
        }
    }
}

// x = x tile, of a panel.
static void turn_panel(double *x, int64_t tiles, const double *tile)
{
    for (int64_t i = 0; i < tiles * PORT_TILE; i++) {
        double row[PORT_TILE] = {0.0};

        for (int k = 0; k < PORT_TILE; k++) {
            for (int r = 0; r < PORT_TILE; r++)
                row[r] += x[i * PORT_TILE + k] * tile[k * PORT_TILE + r];
        }
        memcpy(x + i * PORT_TILE, row, sizeof row);
    }
}

// Make the columns of the panel x, with squares of `squares` [PORT_TILE] before the others were
// taken out of them, orthogonal and of length 1. True: something is left of x.
static bool normalise(space *in, double *x, const double *squares)
{
    const int64_t tiles = in->of->factor.tiles;
    double g[TILE], inverse[TILE], least[PORT_TILE];
    bool any = false;

    memset(in->leaves, 0, sizeof in->leaves);
    for (int k = 0; k < PORT_TILE; k++) {
        in->leaves[k * PORT_TILE + k] = 1.0;
        least[k] = NOTHING * squares[k];
    }
    for (int pass = 0; pass < 2; pass++) {
        double product[TILE] = {0.0};

        apply_mass(in->of, x, in->mass);
        port_panel_multiply(g, tiles, x, in->mass);
        factor_products(g, inverse, least);
        turn_panel(x, tiles, inverse);
        for (int k = 0; k < TILE * PORT_TILE; k++) {
            const int i = k / TILE, j = k / PORT_TILE % PORT_TILE, c = k % PORT_TILE;
            product[i * PORT_TILE + c] += g[i * PORT_TILE + j] * in->leaves[j * PORT_TILE + c];
        }
        memcpy(in->leaves, product, sizeof product);
        for (int k = 0; k < PORT_TILE; k++) least[k] = 0.0;
    }
    for (int k = 0; k < PORT_TILE; k++) any = any || in->leaves[k * PORT_TILE + k] > 0.0;
    apply_mass(in->of, x, in->mass);
    return any;
}

// Begin with numbers between -1 and 1, always the same ones.
static sedge_status begin(space *in)
{
    const pencil *const of = in->of;
    uint64_t state = 88172645463325252ULL;
    const double none[PORT_TILE] = {0.0};

    SEDGE_TRY(sedge_allocate(&in->panel[0], of->factor.tiles * TILE, sizeof *in->panel[0]));
    for (int64_t i = 0; i < of->is.rows * PORT_TILE; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        in->panel[0][i] = ldexp((double)(state >> 11), -52) - 1.0;
    }
    (void)normalise(in, in->panel[0], none);
    return SEDGE_OK;
}

// Take a panel more into the space. `*ended`: A^-1 M leads no further.
static sedge_status extend(space *in, bool *ended)
{
    const pencil *const of = in->of;
    const int64_t tiles = of->factor.tiles;
    const int last = in->panels;
    double *next = NULL, products[TILE], squares[PORT_TILE];

    SEDGE_TRY(sedge_allocate(&in->panel[last + 1], tiles * TILE, sizeof *next));
    next = in->panel[last + 1];
    memcpy(next, in->mass, (size_t)(tiles * TILE) * sizeof *next);
    port_matrix_solve(&of->factor, next);
    for (int pass = 0; pass < 2; pass++) {
        apply_mass(of, next, in->mass);
        if (pass == 0) {
            port_panel_multiply(products, tiles, next, in->mass);
            for (int k = 0; k < PORT_TILE; k++) squares[k] = products[k * PORT_TILE + k];
        }
        for (int i = 0; i <= last; i++) {
            port_panel_multiply(products, tiles, in->panel[i], in->mass);
            port_panel_subtract(next, tiles, in->panel[i], products);
            for (int k = 0; k < TILE; k++) {
                double *const row = in->t + ((int64_t)i * PORT_TILE + k / PORT_TILE) * MOST;
                row[last * PORT_TILE + k % PORT_TILE] += products[k];
            }
        }
    }
    *ended = !normalise(in, next, squares);
    in->panels++;
    return SEDGE_OK;
}

// Eigenvalues and vectors in the space.
static void find_eigen(space *in)
{
    const int n = in->panels * PORT_TILE;

    in->width = n;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = 0; k <= i; k++) {
            const bool beside = i / PORT_TILE == k / PORT_TILE; // there both halves are known
            const double upper = in->t[k * MOST + i];
            const double entry = beside ? 0.5 * (upper + in->t[i * MOST + k]) : upper;
            in->a[i * n + k] = in->a[k * n + i] = entry;
        }
    }
    port_matrix_eigen(n, in->a, in->theta, in->z);
}

// How far vector `i` is from one of A^-1 M.
static double find_residual(const space *in, int i)
{
    const double *const z = in->z + (int64_t)(in->width - PORT_TILE) * in->width + i;
    double square = 0.0;

    for (int k = 0; k < PORT_TILE; k++) {
        double sum = 0.0;
        for (int c = 0; c < PORT_TILE; c++)
            sum += in->leaves[k * PORT_TILE + c] * z[(int64_t)c * in->width];
        square += sum * sum;
    }
    return sqrt(square);
}

// ---- modes -------------------------------------------------------------------------------------

// The least and the greatest number of the vectors whose k^2 are nearly that of number `asked`, of
// `known` ones; those before `none` are not counted.
static void find_group(int group[2], const double *values, int none, int known, int asked,
                       double same)
{
    group[0] = group[1] = asked;
    while (group[0] > none && values[group[0]] <= (1.0 + same) * values[group[0] - 1]) group[0]--;
    while (group[1] + 1 < known && values[group[1] + 1] <= (1.0 + same) * values[group[1]])
        group[1]++;
}

// Extend the space until vector number `asked`, all before it, those of its group and the next one
// are known; their theta become k^2. `*found`: there are so many.
static sedge_status settle(space *in, int group[2], bool *found, int none, int asked, double same,
                           double shift)
{
    bool ended = false;
    int wait = 2 * asked + FIRST;

    while (in->panels < MOST_PANELS) {
        int known = 0, settled = 0;

        SEDGE_TRY(extend(in, &ended));
        if (!ended && in->panels * PORT_TILE < wait) continue;
        wait = in->panels * PORT_TILE + 2 * PORT_TILE;
        find_eigen(in);
        while (known < in->width && in->theta[known] > LEAST * in->theta[0]) known++;
        while (settled < known &&
               (ended || find_residual(in, settled) <= SETTLED * in->theta[settled]))
            settled++;
        for (int i = 0; i < known; i++) in->theta[i] = 1.0 / in->theta[i] - shift;
        *found = asked < settled;
        if (*found) find_group(group, in->theta, none, settled, asked, same);
        if (ended || (*found && group[1] + 1 < settled)) return SEDGE_OK;
    }
    return SEDGE_FAIL(SEDGE_ERR_COMPUTE, "the modes of the port were not found by %d vectors",
                      MOST);
}

// Vectors `group` as functions.
static sedge_status take(port_modes *out, const space *in, const int group[2])
{
    const pencil *const of = in->of;
    const int64_t n = of->section->unknowns;

    out->count = group[1] + 1 - group[0];
    SEDGE_TRY(sedge_allocate(&out->values, out->count, sizeof *out->values));
    SEDGE_TRY(sedge_allocate(&out->functions, out->count * n, sizeof *out->functions));
    for (int i = 0; i < out->count; i++) {
        double *const function = out->functions + i * n;

        out->values[i] = in->theta[group[0] + i];
        for (int k = 0; k < in->width; k++) {
            const double part = in->z[(int64_t)k * in->width + group[0] + i];
            const double *const panel = in->panel[k / PORT_TILE];
            for (int64_t u = 0; u < n; u++) {
                const int64_t row = of->is.place[u];
                if (row >= 0) function[u] += part * panel[row * PORT_TILE + k % PORT_TILE];
            }
        }
    }
    return SEDGE_OK;
}

sedge_status port_modes_find(port_modes *out, const port_section *section, bool fixed, int number,
                             double same, const char *where)
{
    const int none = fixed ? 0 : 1; // the constant function
    const int asked = number - 1 + none;
    const double shift = 1.0 / (section->size * section->size);
    pencil of = {.section = section};
    space in = {.panels = 0};
    bool found = false;
    int group[2] = {0, 0};
    sedge_status status;

    *out = (port_modes){.count = 0};
    SEDGE_TRY_GOTO(status, create_pencil(&of, section, fixed, shift, where));
    SEDGE_TRY_GOTO(status, create_space(&in, &of));
    SEDGE_TRY_GOTO(status, begin(&in));
    SEDGE_TRY_GOTO(status, settle(&in, group, &found, none, asked, same, shift));
    if (!found) {
        status = SEDGE_FAIL(SEDGE_ERR_USAGE,
                            "%s: the port has %lld faces, which are too few for so many modes",
                            where, (long long)section->field->faces);
        goto done;
    }
    out->asked = asked - group[0];
    status = take(out, &in, group);
done:
    clear_space(&in);
    clear_pencil(&of);
    return status;
}

void port_modes_clear(const port_modes *modes)
{
    sedge_release(modes->values);
    sedge_release(modes->functions);
}

// ---- lines -------------------------------------------------------------------------------------

sedge_status port_modes_potential(double *function, const port_section *section,
                                  const double *voltages, const char *where)
{
    const int local = section->local;
    pencil of = {.section = section};
    double *slopes = NULL, *x = NULL; // a panel, of which one column is used
    sedge_status status;

    SEDGE_TRY_GOTO(status, create_pencil(&of, section, true, 0.0, where));
    SEDGE_TRY_GOTO(status, sedge_allocate(&x, of.factor.tiles * TILE, sizeof *x));
    SEDGE_TRY_GOTO(status, sedge_allocate(&slopes, 2LL * local * local, sizeof *slopes));
    for (int64_t f = 0; f < section->field->faces; f++) {
        const int64_t *const unknown = section->of + f * local;

        port_section_matrices(section, f, slopes, slopes + (ptrdiff_t)local * local);
        for (int k = 0; k < local * local; k++) {
            const int64_t row = of.is.place[unknown[k / local]];
            const int wall = section->wall[unknown[k % local]];
            if (row >= 0 && wall >= 0) x[row * PORT_TILE] -= slopes[k] * voltages[wall];
        }
    }
    port_matrix_solve(&of.factor, x);
    for (int64_t i = 0; i < section->unknowns; i++) {
        const int64_t row = of.is.place[i];
        function[i] = row >= 0 ? x[row * PORT_TILE] : voltages[section->wall[i]];
    }
done:
    sedge_release(slopes);
    sedge_release(x);
    clear_pencil(&of);
    return status;
}
