// A whole matrix on the root becomes one part a rank, and vectors with it.
#include "linear/matrix.h"

#include "base/memory.h"
#include "petsc/petsc_library.h"
#include "petsc/petsc_partition.h"

#include <stdlib.h>
#include <string.h>

// The new order: rows of part 0 as they come, then those of part 1, ...
typedef struct order {
    int64_t *starts;   // [parts + 1]
    int64_t *original; // [size]: of a new row
    int64_t *place;    // [size]: of an original row
} order;

static void order_free(order *of)
{
    sedge_release(of->starts);
    sedge_release(of->original);
    sedge_release(of->place);
}

// The rows' parts: about equal numbers of rows, and few entries that connect two parts.
static sedge_status cut_graph(int32_t *part, const sedge_matrix *whole, int parts)
{
    const int64_t count = whole->offsets[whole->rows];
    sedge_status status;
    PetscInt *offsets = NULL;
    PetscInt *neighbours = NULL;
    PetscInt edges = 0;

    if (count >= PETSC_MAX_INT) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%lld entries are too many for the partitioner: use one rank",
                          (long long)count);
    }
    SEDGE_TRY_GOTO(status, sedge_allocate(&offsets, whole->rows + 1, sizeof *offsets));
    SEDGE_TRY_GOTO(status, sedge_allocate(&neighbours, count, sizeof *neighbours));
    for (int64_t i = 0; i < whole->rows; i++) {
        for (int64_t k = whole->offsets[i]; k < whole->offsets[i + 1]; k++)
            if (whole->columns[k] != i) neighbours[edges++] = (PetscInt)whole->columns[k];
        offsets[i + 1] = edges;
    }
    status = sedge_petsc_partition(part, whole->rows, offsets, neighbours, parts, NULL);
done:
    sedge_release(offsets);
    sedge_release(neighbours);
    return status;
}

static sedge_status order_make(order *out, const sedge_matrix *whole, int parts)
{
    sedge_status status;
    int32_t *part = NULL;

    *out = (order){NULL, NULL, NULL};
    SEDGE_TRY_GOTO(status, sedge_allocate(&part, whole->size, sizeof *part));
    SEDGE_TRY_GOTO(status, sedge_allocate(&out->starts, parts + 1LL, sizeof *out->starts));
    SEDGE_TRY_GOTO(status, sedge_allocate(&out->original, whole->size, sizeof *out->original));
    SEDGE_TRY_GOTO(status, sedge_allocate(&out->place, whole->size, sizeof *out->place));
    if (whole->size > 4LL * parts) {
        SEDGE_TRY_GOTO(status, cut_graph(part, whole, parts));
    } else { // too few to be worth a thought
        for (int64_t i = 0; i < whole->size; i++) part[i] = (int32_t)(i * parts / whole->size);
    }
    for (int64_t i = 0; i < whole->size; i++) out->starts[part[i] + 1]++;
    for (int p = 0; p < parts; p++) out->starts[p + 1] += out->starts[p];
    for (int64_t i = 0; i < whole->size; i++) {
        out->place[i] = out->starts[part[i]]++;
        out->original[out->place[i]] = i;
    }
    for (int p = parts; p > 0; p--) out->starts[p] = out->starts[p - 1];
    out->starts[0] = 0;
done:
    sedge_release(part);
    return status;
}

typedef struct entry {
    int64_t column;
    double value;
} entry;

static int compare_entries(const void *left, const void *right)
{
    const entry *const a = left, *const b = right;

    return (a->column > b->column) - (a->column < b->column);
}

// Rows [first, first + rows) of the new order.
static sedge_status cut_part(sedge_matrix **out, const sedge_matrix *whole, const order *of,
                             int64_t first, int64_t rows)
{
    sedge_status status;
    sedge_matrix *part = NULL;
    entry *sorted = NULL;
    int64_t count = 0;
    int64_t longest = 0;

    for (int64_t i = 0; i < rows; i++) {
        const int64_t *const window = whole->offsets + of->original[first + i];
        count += window[1] - window[0];
        if (window[1] - window[0] > longest) longest = window[1] - window[0];
    }
    SEDGE_TRY_GOTO(status, sedge_allocate(&sorted, longest, sizeof *sorted));
    SEDGE_TRY_GOTO(status, sedge_matrix_create(&part, whole->size, first, rows, count));
    SEDGE_TRY_GOTO(status, sedge_allocate(&part->original, rows, sizeof *part->original));
    for (int64_t i = 0; i < rows; i++) {
        const int64_t from = of->original[first + i];
        const int64_t length = whole->offsets[from + 1] - whole->offsets[from];
        const int64_t to = part->offsets[i];
        for (int64_t k = 0; k < length; k++) {
            const int64_t at = whole->offsets[from] + k;
            sorted[k] = (entry){of->place[whole->columns[at]], whole->values[at]};
        }
        qsort(sorted, (size_t)length, sizeof *sorted, compare_entries);
        for (int64_t k = 0; k < length; k++) {
            part->columns[to + k] = sorted[k].column;
            part->values[to + k] = sorted[k].value;
        }
        part->offsets[i + 1] = to + length;
        part->original[i] = from;
    }
    *out = part;
    part = NULL;
done:
    sedge_release(sorted);
    sedge_matrix_free(part);
    return status;
}

static void send_part(const sedge_comm *comm, const sedge_matrix *part, int to)
{
    const size_t rows = (size_t)part->rows;
    const size_t count = (size_t)part->offsets[part->rows];

    sedge_comm_send(comm, part->offsets, (rows + 1) * sizeof(int64_t), to);
    sedge_comm_send(comm, part->columns, count * sizeof(int64_t), to);
    sedge_comm_send(comm, part->values, count * sizeof(double), to);
    sedge_comm_send(comm, part->original, rows * sizeof(int64_t), to);
}

static void receive_part(const sedge_comm *comm, sedge_matrix *part)
{
    const size_t rows = (size_t)part->rows;

    sedge_comm_receive(comm, part->offsets, (rows + 1) * sizeof(int64_t), 0);
    const size_t count = (size_t)part->offsets[part->rows];
    sedge_comm_receive(comm, part->columns, count * sizeof(int64_t), 0);
    sedge_comm_receive(comm, part->values, count * sizeof(double), 0);
    sedge_comm_receive(comm, part->original, rows * sizeof(int64_t), 0);
}

static sedge_status copy_whole(sedge_matrix **out, const sedge_matrix *whole)
{
    const int64_t count = whole->offsets[whole->rows];

    SEDGE_TRY(sedge_matrix_create(out, whole->size, 0, whole->size, count));
    memcpy((*out)->offsets, whole->offsets, ((size_t)whole->size + 1) * sizeof(int64_t));
    memcpy((*out)->columns, whole->columns, (size_t)count * sizeof(int64_t));
    memcpy((*out)->values, whole->values, (size_t)count * sizeof(double));
    return SEDGE_OK;
}

// What each rank needs to make room: [ranks][4] size, first, rows, entries.
static void make_table(int64_t (*table)[4], const sedge_matrix *whole, const order *of, int ranks)
{
    for (int p = 0; p < ranks; p++) {
        table[p][0] = whole->size;
        table[p][1] = of->starts[p];
        table[p][2] = of->starts[p + 1] - of->starts[p];
        for (int64_t i = of->starts[p]; i < of->starts[p + 1]; i++)
            table[p][3] += whole->offsets[of->original[i] + 1] - whole->offsets[of->original[i]];
    }
}

// Every rank has room for its part; the root fills all of them, its own last. A word before each
// part says whether there is one: the root may run out of memory.
static sedge_status deal(sedge_matrix *mine, const sedge_comm *comm, const sedge_matrix *whole,
                         const order *of, int ranks)
{
    sedge_status status = SEDGE_OK;
    int64_t is_there = 0;

    if (!sedge_comm_is_root(comm)) {
        sedge_comm_receive(comm, &is_there, sizeof is_there, 0);
        if (is_there != 0) receive_part(comm, mine);
        return SEDGE_OK; // the root's failure is everyone's, by agreement
    }
    for (int p = ranks - 1; p >= 0; p--) {
        sedge_matrix *part = NULL;
        if (status == SEDGE_OK) {
            // The root has the order. NOLINTNEXTLINE(clang-analyzer-core.NullDereference)
            status = cut_part(&part, whole, of, of->starts[p], of->starts[p + 1] - of->starts[p]);
        }
        is_there = status == SEDGE_OK;
        if (p > 0) {
            sedge_comm_send(comm, &is_there, sizeof is_there, p);
            if (part != NULL) send_part(comm, part, p);
        } else if (part != NULL) {
            const sedge_matrix empty = *mine;
            *mine = *part;
            *part = empty;
        }
        sedge_matrix_free(part);
    }
    return status;
}

sedge_status sedge_matrix_spread(sedge_matrix **out, const sedge_comm *comm,
                                 const sedge_matrix *whole)
{
    const int ranks = sedge_comm_size(comm);
    const int rank = sedge_comm_rank(comm);
    bool has_petsc;
    sedge_status status = SEDGE_OK;
    sedge_matrix *mine = NULL;
    order of = {NULL, NULL, NULL};
    int64_t(*table)[4] = NULL;

    *out = NULL;
    if (ranks == 1) return copy_whole(out, whole);
    SEDGE_TRY(sedge_petsc_partition_enter(&has_petsc, comm, NULL));
    status = sedge_allocate(&table, ranks, sizeof *table);
    if (status == SEDGE_OK && whole != NULL) status = order_make(&of, whole, ranks);
    if (has_petsc) sedge_petsc_leave();
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    if (whole != NULL) make_table(table, whole, &of, ranks);
    sedge_comm_broadcast(comm, table, (size_t)ranks * sizeof *table, 0);
    status =
        sedge_matrix_create(&mine, table[rank][0], table[rank][1], table[rank][2], table[rank][3]);
    if (status == SEDGE_OK)
        status = sedge_allocate(&mine->original, mine->rows, sizeof *mine->original);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, deal(mine, comm, whole, &of, ranks)));
    *out = mine;
    mine = NULL;
done:
    order_free(&of);
    sedge_release(table);
    sedge_matrix_free(mine);
    return status;
}

// ---- vectors -----------------------------------------------------------------------------------

sedge_status sedge_matrix_scatter(const sedge_matrix *matrix, const sedge_comm *comm,
                                  const double *whole, double *part)
{
    sedge_status status = SEDGE_OK;
    double *all = NULL;

    if (matrix->original == NULL) {
        memcpy(part, whole, (size_t)matrix->rows * sizeof *part);
        return SEDGE_OK;
    }
    SEDGE_TRY(sedge_comm_agree(comm, sedge_allocate(&all, matrix->size, sizeof *all)));
    if (sedge_comm_is_root(comm)) memcpy(all, whole, (size_t)matrix->size * sizeof *all);
    sedge_comm_broadcast(comm, all, (size_t)matrix->size * sizeof *all, 0);
    for (int64_t i = 0; i < matrix->rows; i++) part[i] = all[matrix->original[i]];
    sedge_release(all);
    return status;
}

sedge_status sedge_matrix_gather(const sedge_matrix *matrix, const sedge_comm *comm,
                                 const double *part, double *whole)
{
    const int ranks = sedge_comm_size(comm);
    int64_t rows = matrix->rows;
    sedge_status status = SEDGE_OK;
    double *values = NULL;
    int64_t *places = NULL;

    if (matrix->original == NULL) {
        memcpy(whole, part, (size_t)rows * sizeof *part);
        return SEDGE_OK;
    }
    sedge_comm_max_int(comm, &rows, 1); // room for any rank's part
    status = sedge_allocate(&values, rows, sizeof *values);
    if (status == SEDGE_OK) status = sedge_allocate(&places, rows, sizeof *places);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    if (!sedge_comm_is_root(comm)) {
        sedge_comm_send(comm, &matrix->rows, sizeof matrix->rows, 0);
        sedge_comm_send(comm, part, (size_t)matrix->rows * sizeof *part, 0);
        sedge_comm_send(comm, matrix->original, (size_t)matrix->rows * sizeof(int64_t), 0);
        goto done;
    }
    for (int64_t i = 0; i < matrix->rows; i++) whole[matrix->original[i]] = part[i];
    for (int p = 1; p < ranks; p++) {
        int64_t count = 0;
        sedge_comm_receive(comm, &count, sizeof count, p);
        sedge_comm_receive(comm, values, (size_t)count * sizeof *values, p);
        sedge_comm_receive(comm, places, (size_t)count * sizeof *places, p);
        for (int64_t i = 0; i < count; i++) whole[places[i]] = values[i];
    }
done:
    sedge_release(values);
    sedge_release(places);
    return status;
}
