#include "matrices.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "sparse/sparse_matrix.h"

#include <string.h>

enum { ROW_MOST = 64, GRAIN = 1 << 12 };

static uint64_t scramble(uint64_t i)
{
    uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

double bench_number(int64_t i)
{
    return (double)(scramble((uint64_t)i) >> 40) * 0x1p-23 - 1.0;
}

// ---- rows by formula ---------------------------------------------------------------------------

// Columns of a row, ascending, and its values; returns their number.
typedef struct formula {
    int64_t size;
    const int32_t *place, *node; // of a node in the order, and back; NULL: as they come
    int (*row)(const struct formula *f, int64_t row, int32_t *columns, double *values);
} formula;

static void sort(int32_t *columns, int count)
{
    for (int i = 1; i < count; i++) {
        const int32_t c = columns[i];
        int k = i;
        for (; k > 0 && columns[k - 1] > c; k--) columns[k] = columns[k - 1];
        columns[k] = c;
    }
}

// Neighbours of a grid point, of the differences in a table.
static int grid_row(const formula *f, int64_t row, const signed char (*steps)[3], int count,
                    int32_t *columns)
{
    const int64_t n = f->size, node = f->node != NULL ? f->node[row] : row;
    const int64_t at[3] = {node % n, node / n % n, node / n / n};
    int found = 0;

    for (int s = 0; s < count; s++) {
        const int64_t x = at[0] + steps[s][0], y = at[1] + steps[s][1], z = at[2] + steps[s][2];
        if (x < 0 || x >= n || y < 0 || y >= n || z < 0 || z >= n) continue;
        const int64_t other = x + n * (y + n * z);
        columns[found++] = f->place != NULL ? f->place[other] : (int32_t)other;
    }
    return found;
}

static int row_7(const formula *f, int64_t row, int32_t *columns, double *values)
{
    static const signed char steps[7][3] = {{0, 0, -1}, {0, -1, 0}, {-1, 0, 0}, {0, 0, 0},
                                            {1, 0, 0},  {0, 1, 0},  {0, 0, 1}};
    const int count = grid_row(f, row, steps, 7, columns);

    for (int k = 0; k < count; k++) values[k] = columns[k] == row ? 6.0 : -1.0;
    return count;
}

static int row_27(const formula *f, int64_t row, int32_t *columns, double *values)
{
    signed char steps[27][3];

    for (int s = 0; s < 27; s++) {
        steps[s][0] = (signed char)(s % 3 - 1);
        steps[s][1] = (signed char)(s / 3 % 3 - 1);
        steps[s][2] = (signed char)(s / 9 - 1);
    }
    const int count = grid_row(f, row, (const signed char(*)[3])steps, 27, columns);
    for (int k = 0; k < count; k++) values[k] = columns[k] == row ? 26.0 : -1.0;
    return count;
}

// Edges of Kuhn's tetrahedra: those of a cube along (1, 1, 1) and its faces' and edges' parts.
static int row_tets(const formula *f, int64_t row, int32_t *columns, double *values)
{
    static const signed char steps[15][3] = {{0, 0, 0},   {1, 0, 0}, {-1, 0, 0},  {0, 1, 0},
                                             {0, -1, 0},  {0, 0, 1}, {0, 0, -1},  {1, 1, 0},
                                             {-1, -1, 0}, {1, 0, 1}, {-1, 0, -1}, {0, 1, 1},
                                             {0, -1, -1}, {1, 1, 1}, {-1, -1, -1}};
    const int count = grid_row(f, row, steps, 15, columns);

    sort(columns, count);
    for (int k = 0; k < count; k++) values[k] = bench_number(row * 16 + k);
    return count;
}

static int row_banded(const formula *f, int64_t row, int32_t *columns, double *values)
{
    const int wanted = 5 + (int)(scramble((uint64_t)row) % 16);
    int count = 0;

    for (int k = 0; k < wanted; k++) {
        const int64_t c = row - 1000 + (int64_t)(scramble((uint64_t)(row * 32 + k)) % 2001);
        if (c >= 0 && c < f->size) columns[count++] = (int32_t)c;
    }
    sort(columns, count);
    int kept = 0;
    for (int k = 0; k < count; k++)
        if (k == 0 || columns[k] != columns[k - 1]) columns[kept++] = columns[k];
    for (int k = 0; k < kept; k++) values[k] = bench_number(row * 32 + k);
    return kept;
}

// The tetrahedra that share a face with tetrahedron `own` of size^3 cubes of 6, and itself. A
// tetrahedron is a cube c and an order (a, b, d) of the axes: its corners are c, c + a, c + a + b,
// c + a + b + d.
static int find_neighbours(int64_t size, int64_t own, int32_t *found)
{
    static const signed char orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                             {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    const int64_t cube = own / 6;
    const signed char *const o = orders[own % 6];
    const int64_t at[3] = {cube % size, cube / size % size, cube / size / size};
    const int64_t step[3] = {1, size, size * size};
    const signed char others[4][3] = {
        {o[1], o[0], o[2]}, {o[0], o[2], o[1]}, {o[1], o[2], o[0]}, {o[2], o[0], o[1]}};
    int count = 0;

    found[count++] = (int32_t)own;
    for (int k = 0; k < 4; k++) {
        int64_t other = cube;
        if (k == 2 && at[o[0]] + 1 == size) continue;
        if (k == 3 && at[o[2]] == 0) continue;
        if (k == 2) other += step[o[0]];
        if (k == 3) other -= step[o[2]];
        for (int p = 0; p < 6; p++)
            if (memcmp(orders[p], others[k], 3) == 0) found[count++] = (int32_t)(6 * other + p);
    }
    sort(found, count);
    return count;
}

static int row_dg(const formula *f, int64_t row, int block, int32_t *columns, double *values)
{
    int32_t found[5];
    const int count = find_neighbours(f->size, row / block, found);

    for (int k = 0; k < count * block; k++) {
        columns[k] = found[k / block] * block + k % block;
        values[k] = bench_number(row * ROW_MOST + k);
    }
    return count * block;
}

static int row_dg1(const formula *f, int64_t row, int32_t *columns, double *values)
{
    return row_dg(f, row, 4, columns, values);
}

static int row_dg2(const formula *f, int64_t row, int32_t *columns, double *values)
{
    return row_dg(f, row, 10, columns, values);
}

// ---- making ------------------------------------------------------------------------------------

typedef struct fill_job {
    const formula *f;
    bench_matrix *matrix;
} fill_job;

static void count_rows(void *context, int64_t first, int64_t end)
{
    const fill_job *const job = context;
    int32_t columns[ROW_MOST];
    double values[ROW_MOST];

    for (int64_t r = first; r < end; r++)
        job->matrix->offsets[r + 1] = job->f->row(job->f, r, columns, values);
}

static void fill_rows(void *context, int64_t first, int64_t end)
{
    const fill_job *const job = context;
    bench_matrix *const m = job->matrix;

    for (int64_t r = first; r < end; r++)
        (void)job->f->row(job->f, r, m->columns + m->offsets[r], m->values + m->offsets[r]);
}

static sedge_status make_entries(bench_matrix *matrix, int64_t rows)
{
    for (int64_t r = 0; r < rows; r++) matrix->offsets[r + 1] += matrix->offsets[r];
    SEDGE_TRY(sedge_allocate(&matrix->columns, matrix->offsets[rows], sizeof *matrix->columns));
    SEDGE_TRY(sedge_allocate(&matrix->values, matrix->offsets[rows], sizeof *matrix->values));
    matrix->csr = (sedge_csr){.rows = rows,
                              .columns = rows,
                              .offsets = matrix->offsets,
                              .columns32 = matrix->columns,
                              .values64 = matrix->values};
    return SEDGE_OK;
}

static sedge_status make_by_formula(bench_matrix *matrix, int64_t rows, const formula *f)
{
    fill_job job = {f, matrix};

    SEDGE_TRY(sedge_allocate(&matrix->offsets, rows + 1, sizeof *matrix->offsets));
    sedge_parallel(sedge_device_compilers(1), rows, GRAIN, count_rows, &job);
    SEDGE_TRY(make_entries(matrix, rows));
    sedge_parallel(sedge_device_compilers(1), rows, GRAIN, fill_rows, &job);
    return SEDGE_OK;
}

// Node at each place along a Morton curve (size a power of two), or in random order.
static void order_nodes(int32_t *node, int64_t size, bool shuffle)
{
    const int64_t count = size * size * size;

    for (int64_t p = 0; p < count; p++) {
        int64_t at[3] = {0, 0, 0};
        for (int bit = 0; bit < 10; bit++)
            for (int d = 0; d < 3; d++) at[d] |= (p >> (3 * bit + d) & 1) << bit;
        node[p] = (int32_t)(shuffle ? p : at[0] + size * (at[1] + size * at[2]));
    }
    for (int64_t p = count - 1; shuffle && p > 0; p--) {
        const int64_t other = (int64_t)(scramble((uint64_t)p) % (uint64_t)(p + 1));
        const int32_t was = node[p];
        node[p] = node[other];
        node[other] = was;
    }
}

static sedge_status make_tets(bench_matrix *matrix, int64_t size, bool shuffle)
{
    const int64_t count = size * size * size;
    sedge_status status;
    int32_t *node = NULL, *place = NULL;

    if ((size & (size - 1)) != 0)
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "size %lld is no power of two", (long long)size);
    SEDGE_TRY_GOTO(status, sedge_allocate(&node, count, sizeof *node));
    SEDGE_TRY_GOTO(status, sedge_allocate(&place, count, sizeof *place));
    order_nodes(node, size, shuffle);
    for (int64_t p = 0; p < count; p++) place[node[p]] = (int32_t)p;
    const formula f = {size, place, node, row_tets};
    SEDGE_TRY_GOTO(status, make_by_formula(matrix, count, &f));
done:
    sedge_release(place);
    sedge_release(node);
    return status;
}

// Edges of a recursive matrix (Chakrabarti, Zhan, Faloutsos 2004), parts 0.57, 0.19, 0.19, 0.05.
static void find_edge(int64_t edge, int64_t size, int64_t *row, int64_t *column)
{
    *row = *column = 0;
    for (int64_t half = size / 2, level = 0; half > 0; half /= 2, level++) {
        const uint64_t dice = scramble((uint64_t)(edge * 32 + level)) % 100;
        if (dice >= 76) *row += half;
        if ((dice >= 57 && dice < 76) || dice >= 95) *column += half;
    }
}

static sedge_status make_rmat(bench_matrix *matrix, int64_t size)
{
    const int64_t edges = 8 * size;
    int64_t *next = NULL;
    int64_t row, column;
    sedge_status status;

    if ((size & (size - 1)) != 0)
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "size %lld is no power of two", (long long)size);
    SEDGE_TRY_GOTO(status, sedge_allocate(&next, size, sizeof *next));
    SEDGE_TRY_GOTO(status, sedge_allocate(&matrix->offsets, size + 1, sizeof *matrix->offsets));
    for (int64_t e = 0; e < edges; e++) {
        find_edge(e, size, &row, &column);
        matrix->offsets[row + 1]++;
    }
    SEDGE_TRY_GOTO(status, make_entries(matrix, size));
    memcpy(next, matrix->offsets, (size_t)size * sizeof *next);
    for (int64_t e = 0; e < edges; e++) {
        find_edge(e, size, &row, &column);
        matrix->values[next[row]] = bench_number(e);
        matrix->columns[next[row]++] = (int32_t)column;
    }
done:
    sedge_release(next);
    return status;
}

static sedge_status make_arrow(bench_matrix *matrix, int64_t size)
{
    SEDGE_TRY(sedge_allocate(&matrix->offsets, size + 1, sizeof *matrix->offsets));
    for (int64_t r = 0; r < size; r++) matrix->offsets[r + 1] = r == 0 ? size : 2;
    SEDGE_TRY(make_entries(matrix, size));
    for (int64_t k = 0; k < matrix->offsets[size]; k++) {
        const int64_t row = k < size ? 0 : (k - size) / 2 + 1;
        matrix->columns[k] = (int32_t)(k < size ? k : (k - size) % 2 == 0 ? 0 : row);
        matrix->values[k] = bench_number(k);
    }
    return SEDGE_OK;
}

// ---- by name -----------------------------------------------------------------------------------

sedge_status bench_matrix_make(bench_matrix *matrix, const char *name, int64_t size)
{
    const int64_t cube = size * size * size;
    const struct {
        const char *name;
        int64_t rows;
        formula f;
    } formulas[] = {{"7-point", cube, {size, NULL, NULL, row_7}},
                    {"27-point", cube, {size, NULL, NULL, row_27}},
                    {"banded", size, {size, NULL, NULL, row_banded}},
                    {"dg-1", 24 * cube, {size, NULL, NULL, row_dg1}},
                    {"dg-2", 60 * cube, {size, NULL, NULL, row_dg2}}};

    memset(matrix, 0, sizeof *matrix);
    if (strcmp(name, "tets") == 0) return make_tets(matrix, size, false);
    if (strcmp(name, "shuffled") == 0) return make_tets(matrix, size, true);
    if (strcmp(name, "rmat") == 0) return make_rmat(matrix, size);
    if (strcmp(name, "arrow") == 0) return make_arrow(matrix, size);
    for (size_t i = 0; i < sizeof formulas / sizeof formulas[0]; i++) {
        if (strcmp(name, formulas[i].name) == 0)
            return make_by_formula(matrix, formulas[i].rows, &formulas[i].f);
    }
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "'%s' is no matrix of this benchmark", name);
}

void bench_matrix_clear(bench_matrix *matrix)
{
    sedge_release(matrix->values);
    sedge_release(matrix->columns);
    sedge_release(matrix->offsets);
    memset(matrix, 0, sizeof *matrix);
}
