// Modes are eigenvectors of the operator A^-1 M. Its greatest eigenvalues are those of the lowest
// modes.
#include "port_modes.h"

#include "base/memory.h"
#include "port_space.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define MOST_ENTRIES 3e7   // of a matrix: 240 MB, some seconds
#define SETTLED      1e-11 // residual of a function, by its eigenvalue
#define FIRST        16    // vectors beside twice those that are asked for: are they enough?
#define LEAST        1e-14 // of the greatest eigenvalue: rounding

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
static void apply_mass(const void *what, const double *x, double *y)
{
    const pencil *const of = what;
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
static sedge_status settle(port_space *in, int group[2], bool *found, int none, int asked,
                           double same, double shift)
{
    bool ended = false;
    int wait = 2 * asked + FIRST;

    while (in->panels < PORT_MOST_PANELS) {
        int known = 0, settled = 0;

        SEDGE_TRY(port_space_extend(in, &ended));
        if (!ended && in->panels * PORT_TILE < wait) continue;
        wait = in->panels * PORT_TILE + 2 * PORT_TILE;
        SEDGE_TRY(port_space_eigen(in));
        while (known < in->known && in->theta[known] > LEAST * in->theta[0]) known++;
        while (settled < known &&
               (ended || port_space_residual(in, settled) <= SETTLED * in->theta[settled]))
            settled++;
        for (int i = 0; i < known; i++) in->theta[i] = 1.0 / in->theta[i] - shift;
        *found = asked < settled;
        if (*found) find_group(group, in->theta, none, settled, asked, same);
        if (ended || (*found && group[1] + 1 < settled)) return SEDGE_OK;
    }
    return SEDGE_FAIL(SEDGE_ERR_COMPUTE, "the modes of the port were not found by %d vectors",
                      PORT_SPACE_MOST);
}

// Vectors `group` as functions.
static sedge_status take(port_modes *out, const pencil *of, const port_space *in,
                         const int group[2])
{
    const int64_t n = of->section->unknowns;

    out->count = group[1] + 1 - group[0];
    SEDGE_TRY(sedge_allocate(&out->values, out->count, sizeof *out->values));
    SEDGE_TRY(sedge_allocate(&out->functions, out->count * n, sizeof *out->functions));
    for (int i = 0; i < out->count; i++) {
        double *const function = out->functions + i * n;

        out->values[i] = in->theta[group[0] + i];
        for (int k = 0; k < in->known; k++) {
            const double part = in->z[(int64_t)k * in->known + group[0] + i];
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
    port_space in = {.panels = 0};
    port_operator of_space = {.definite = true, .multiply = apply_mass};
    bool found = false;
    int group[2] = {0, 0};
    sedge_status status;

    *out = (port_modes){.count = 0};
    SEDGE_TRY_GOTO(status, create_pencil(&of, section, fixed, shift, where));
    of_space.factor = &of.factor;
    of_space.rows = of.is.rows;
    of_space.of = &of;
    SEDGE_TRY_GOTO(status, port_space_create(&in, &of_space));
    SEDGE_TRY_GOTO(status, settle(&in, group, &found, none, asked, same, shift));
    if (!found) {
        status = SEDGE_FAIL(SEDGE_ERR_USAGE,
                            "%s: the port has %lld faces, which are too few for so many modes",
                            where, (long long)section->field->faces);
        goto done;
    }
    out->asked = asked - group[0];
    out->last = group[1] + 1 - none;
    out->next = group[1] + 1 < in.known ? in.theta[group[1] + 1] : 0.0;
    status = take(out, &of, &in, group);
done:
    port_space_clear(&in);
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
