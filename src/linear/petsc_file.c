#define _POSIX_C_SOURCE 200809L // fileno
#include "linear/petsc_file.h"

#include "base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

typedef struct reader {
    FILE *file;
    const char *path;
} reader;

static sedge_status fail(const reader *from, const char *what)
{
    return SEDGE_FAIL(SEDGE_ERR_DATA, "cannot read '%s' as PETSc's binary form: %s", from->path,
                      what);
}

// The next `bytes` bytes as a number, most significant first.
static sedge_status read_word(uint64_t *out, const reader *from, size_t bytes)
{
    unsigned char got[8];

    if (fread(got, 1, bytes, from->file) != bytes)
        return fail(from, "it ends before all that its header announces");
    *out = 0;
    for (size_t i = 0; i < bytes; i++) *out = *out << 8 | got[i];
    return SEDGE_OK;
}

static sedge_status read_index(int64_t *out, const reader *from)
{
    uint64_t word;

    SEDGE_TRY(read_word(&word, from, 4));
    *out = (int64_t)word - (word > INT32_MAX ? (int64_t)1 << 32 : 0);
    return SEDGE_OK;
}

static sedge_status read_reals(double *values, const reader *from, int64_t count)
{
    for (int64_t k = 0; k < count; k++) {
        uint64_t word;
        SEDGE_TRY(read_word(&word, from, sizeof word));
        memcpy(&values[k], &word, sizeof word);
    }
    return SEDGE_OK;
}

// The first number tells what the file holds; memory is bounded by the file's bytes.
static sedge_status check_mark(const reader *from, int64_t mark, int64_t expected)
{
    if (mark == expected) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_DATA,
                      "cannot read '%s' as PETSc's binary form: it begins with the number %lld; a "
                      "%s begins with %lld (a compressed file is not read)",
                      from->path, (long long)mark,
                      expected == SEDGE_PETSC_MATRIX ? "matrix" : "vector", (long long)expected);
}

static sedge_status check_bytes(const reader *from, int64_t bytes)
{
    struct stat about;

    if (fstat(fileno(from->file), &about) == 0 && about.st_size >= bytes) return SEDGE_OK;
    return fail(from, "it ends before all that its header announces");
}

static sedge_status open_file(reader *out, const char *path)
{
    *out = (reader){.file = fopen(path, "rb"), .path = path};
    if (out->file != NULL) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_DATA, "cannot read '%s': %s", path, strerror(errno));
}

// ---- a matrix ----------------------------------------------------------------------------------

// Offsets from the lengths of rows, which add up to the entries.
static sedge_status read_offsets(sedge_matrix *matrix, const reader *from, int64_t count)
{
    int64_t sum = 0;

    for (int64_t i = 0; i < matrix->size; i++) {
        int64_t length;
        SEDGE_TRY(read_index(&length, from));
        sum += length;
        if (length < 0 || sum > count)
            return fail(from, "the lengths of its rows do not add up to its entries");
        matrix->offsets[i + 1] = sum;
    }
    if (sum == count) return SEDGE_OK;
    return fail(from, "the lengths of its rows do not add up to its entries");
}

// Columns ascend in a row, inside of the matrix.
static sedge_status read_columns(sedge_matrix *matrix, const reader *from)
{
    for (int64_t i = 0; i < matrix->size; i++) {
        int64_t before = -1;
        for (int64_t k = matrix->offsets[i]; k < matrix->offsets[i + 1]; k++) {
            const int64_t previous = before;
            SEDGE_TRY(read_index(&before, from));
            if (before <= previous || before >= matrix->size) {
                char what[128];
                (void)snprintf(what, sizeof what,
                               "column %lld of row %lld lies outside or out of order",
                               (long long)before, (long long)i);
                return fail(from, what);
            }
            matrix->columns[k] = before;
        }
    }
    return SEDGE_OK;
}

static sedge_status read_matrix(sedge_matrix **out, const reader *from)
{
    int64_t head[4]; // mark, rows, columns, entries

    for (int i = 0; i < 4; i++) SEDGE_TRY(read_index(&head[i], from));
    SEDGE_TRY(check_mark(from, head[0], SEDGE_PETSC_MATRIX));
    if (head[1] < 1 || head[2] < 1 || head[3] < 0)
        return fail(from, "its size is not that of a sparse matrix");
    if (head[1] != head[2]) {
        return SEDGE_FAIL(SEDGE_ERR_DATA, "'%s' has %lld rows and %lld columns: it is not square",
                          from->path, (long long)head[1], (long long)head[2]);
    }
    SEDGE_TRY(check_bytes(from, 16 + 4 * head[1] + (4 + (int64_t)sizeof(double)) * head[3]));
    SEDGE_TRY(sedge_matrix_create(out, head[1], 0, head[1], head[3]));
    SEDGE_TRY(read_offsets(*out, from, head[3]));
    SEDGE_TRY(read_columns(*out, from));
    return read_reals((*out)->values, from, head[3]);
}

sedge_status sedge_petsc_read_matrix(sedge_matrix **out, const char *path)
{
    reader from;

    *out = NULL;
    SEDGE_TRY(open_file(&from, path));
    const sedge_status status = read_matrix(out, &from);
    (void)fclose(from.file);
    return status;
}

// ---- a vector ----------------------------------------------------------------------------------

static sedge_status read_vector(double **out, const reader *from, int64_t size)
{
    int64_t head[2]; // mark, numbers

    for (int i = 0; i < 2; i++) SEDGE_TRY(read_index(&head[i], from));
    SEDGE_TRY(check_mark(from, head[0], SEDGE_PETSC_VECTOR));
    if (head[1] < 0) return fail(from, "it announces a negative count of numbers");
    if (head[1] != size) {
        return SEDGE_FAIL(SEDGE_ERR_DATA, "'%s' has %lld numbers: the matrix asks for %lld",
                          from->path, (long long)head[1], (long long)size);
    }
    SEDGE_TRY(check_bytes(from, 8 + (int64_t)sizeof(double) * size));
    SEDGE_TRY(sedge_allocate(out, size, sizeof **out));
    return read_reals(*out, from, size);
}

sedge_status sedge_petsc_read_vector(double **out, const char *path, int64_t size)
{
    reader from;

    *out = NULL;
    SEDGE_TRY(open_file(&from, path));
    const sedge_status status = read_vector(out, &from, size);
    (void)fclose(from.file);
    return status;
}
