// Matrices and vectors from files: CHOLMOD reads Matrix Market, zlib what is compressed.
#include "linear/matrix.h"

#include "base/file.h"
#include "base/memory.h"
#include "linear/market.h"
#include "linear/petsc_io.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include <cholmod.h>

// What the file begins with: four bytes by which PETSc knows its own, most significant first, or
// Matrix Market's banner.
static sedge_status look_inside(bool *is_petsc, const char *path)
{
    unsigned char bytes[sizeof SEDGE_MARKET_BANNER] = {0};
    sedge_market_file from;

    SEDGE_TRY(sedge_file_check(path, SEDGE_ERR_DATA)); // it is opened three times
    SEDGE_TRY(sedge_market_open(&from, path));
    const int got = gzread(from.compressed, bytes, sizeof bytes - 1);
    const sedge_status status = got < 0 ? sedge_market_check_stream(&from) : SEDGE_OK;
    sedge_market_close(&from);
    SEDGE_TRY(status);
    if (got <= 0) return SEDGE_FAIL(SEDGE_ERR_DATA, "'%s' is empty", path);
    const uint32_t word = (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 |
                          (uint32_t)bytes[2] << 8 | (uint32_t)bytes[3];
    *is_petsc = word == SEDGE_PETSC_MATRIX || word == SEDGE_PETSC_VECTOR;
    if (*is_petsc || strcasecmp((const char *)bytes, SEDGE_MARKET_BANNER) == 0) return SEDGE_OK;
    // CHOLMOD would guess by its entries whether such a file means a symmetric matrix.
    return SEDGE_FAIL(SEDGE_ERR_DATA,
                      "'%s' is neither a Matrix Market file, which begins with %s, nor PETSc's "
                      "binary form",
                      path, SEDGE_MARKET_BANNER);
}

// ---- CHOLMOD -----------------------------------------------------------------------------------

static sedge_status explain(const sedge_market_file *from, const cholmod_common *common)
{
    SEDGE_TRY(sedge_market_check_stream(from));
    if (common->status == CHOLMOD_OUT_OF_MEMORY || common->status == CHOLMOD_TOO_LARGE) {
        return SEDGE_FAIL(SEDGE_ERR_DATA,
                          "'%s': out of memory for the matrix that its header announces",
                          from->path);
    }
    if (feof(from->file) != 0) {
        return SEDGE_FAIL(SEDGE_ERR_DATA,
                          "'%s' ends before all entries that its size line announces", from->path);
    }
    return SEDGE_FAIL(SEDGE_ERR_DATA, "CHOLMOD cannot read '%s': its status is %d", from->path,
                      common->status);
}

// CHOLMOD reads what the size line announces: behind it are comments and empty lines only, and the
// checksum of what was compressed.
static sedge_status check_rest(const sedge_market_file *from)
{
    char line[SEDGE_MARKET_LINE];

    while (fgets(line, sizeof line, from->file) != NULL) {
        const char first = line[strspn(line, " \t\r\n")];
        if (first == '\0' || first == '%') continue;
        line[strcspn(line, "\r\n")] = '\0';
        return SEDGE_FAIL(SEDGE_ERR_DATA,
                          "'%s' has more entries than its size line announces: '%.60s'", from->path,
                          line);
    }
    return sedge_market_check_stream(from);
}

// The file may have become another since it was looked through.
static sedge_status check_type(const sedge_market_file *from, const void *object, int kind)
{
    if (kind == CHOLMOD_TRIPLET) {
        const cholmod_triplet *const triplet = object;
        if (triplet->xtype != CHOLMOD_COMPLEX && triplet->xtype != CHOLMOD_ZOMPLEX) return SEDGE_OK;
    } else if (kind == CHOLMOD_DENSE) {
        const cholmod_dense *const dense = object;
        if (dense->xtype != CHOLMOD_COMPLEX && dense->xtype != CHOLMOD_ZOMPLEX) return SEDGE_OK;
    }
    return SEDGE_FAIL(SEDGE_ERR_DATA, "'%s' has complex numbers: real ones can be solved for",
                      from->path);
}

// A symmetric matrix stored by one triangle becomes whole, double entries are added up, columns
// sorted: CHOLMOD's columns are the rows of the transpose, which is wanted.
static cholmod_sparse *make_rows(cholmod_triplet *triplet, cholmod_common *common)
{
    cholmod_sparse *const columns = cholmod_l_triplet_to_sparse(triplet, 0, common);
    cholmod_sparse *const whole = columns != NULL ? cholmod_l_copy(columns, 0, 1, common) : NULL;
    cholmod_sparse *const rows = whole != NULL ? cholmod_l_transpose(whole, 1, common) : NULL;

    cholmod_sparse *used = columns;
    (void)cholmod_l_free_sparse(&used, common);
    used = whole;
    (void)cholmod_l_free_sparse(&used, common);
    return rows;
}

static sedge_status take_matrix(sedge_matrix **out, const sedge_market_file *from,
                                cholmod_triplet *triplet, cholmod_common *common)
{
    sedge_status status = SEDGE_OK;

    if (triplet->nrow != triplet->ncol) {
        return SEDGE_FAIL(SEDGE_ERR_DATA, "'%s' has %zu rows and %zu columns: it is not square",
                          from->path, triplet->nrow, triplet->ncol);
    }
    cholmod_sparse *rows = make_rows(triplet, common);
    if (rows == NULL) return explain(from, common);
    const int64_t size = (int64_t)rows->ncol;
    const SuiteSparse_long *const offsets = rows->p;
    const SuiteSparse_long *const columns = rows->i;
    const int64_t count = offsets[size];
    SEDGE_TRY_GOTO(status, sedge_matrix_create(out, size, 0, size, count));
    for (int64_t i = 0; i <= size; i++) (*out)->offsets[i] = offsets[i];
    for (int64_t k = 0; k < count; k++) (*out)->columns[k] = columns[k];
    memcpy((*out)->values, rows->x, (size_t)count * sizeof(double));
done:
    (void)cholmod_l_free_sparse(&rows, common);
    return status;
}

static sedge_status take_vector(double **out, const sedge_market_file *from, const void *object,
                                int kind, int64_t size)
{
    const cholmod_dense *const dense = kind == CHOLMOD_DENSE ? object : NULL;
    const cholmod_triplet *const triplet = kind == CHOLMOD_TRIPLET ? object : NULL;
    const size_t rows = dense != NULL ? dense->nrow : triplet->nrow;
    const size_t columns = dense != NULL ? dense->ncol : triplet->ncol;

    if (rows != (size_t)size || columns != 1) { // the file is not any more what was looked through
        return SEDGE_FAIL(SEDGE_ERR_DATA, "'%s' changes while it is read", from->path);
    }
    SEDGE_TRY(sedge_allocate(out, size, sizeof **out));
    if (dense != NULL) {
        memcpy(*out, dense->x, (size_t)size * sizeof **out);
    } else {
        const SuiteSparse_long *const row = triplet->i;
        const double *const value = triplet->x;
        for (size_t k = 0; k < triplet->nnz; k++) (*out)[row[k]] += value[k];
    }
    return SEDGE_OK;
}

// A matrix, its `size` 0, or with `vector` a vector of `size` numbers.
static sedge_status read_market(sedge_matrix **matrix, double **vector, const char *path,
                                int64_t size)
{
    cholmod_common common;
    sedge_market_file from;
    int kind = 0;
    sedge_status status = SEDGE_OK;

    SEDGE_TRY(sedge_market_check(path, size));
    SEDGE_TRY(sedge_market_open(&from, path));
    (void)cholmod_l_start(&common);
    common.print = 0; // errors are told here
    common.error_handler = NULL;
    common.prefer_binary = 1; // a pattern is of ones
    void *object = cholmod_l_read_matrix(from.file, 0, &kind, &common);
    if (object == NULL || (kind != CHOLMOD_TRIPLET && kind != CHOLMOD_DENSE)) {
        status = explain(&from, &common);
    } else {
        status = check_type(&from, object, kind);
        if (status == SEDGE_OK) status = check_rest(&from);
        if (status == SEDGE_OK && vector != NULL)
            status = take_vector(vector, &from, object, kind, size);
        if (status == SEDGE_OK && matrix != NULL && kind == CHOLMOD_DENSE) {
            status = SEDGE_FAIL(SEDGE_ERR_DATA,
                                "'%s' is a dense array: a sparse matrix is \"coordinate\"", path);
        }
        if (status == SEDGE_OK && matrix != NULL)
            status = take_matrix(matrix, &from, object, &common);
    }
    if (kind == CHOLMOD_TRIPLET) {
        cholmod_triplet *triplet = object;
        (void)cholmod_l_free_triplet(&triplet, &common);
    } else if (kind == CHOLMOD_DENSE) {
        cholmod_dense *dense = object;
        (void)cholmod_l_free_dense(&dense, &common);
    }
    (void)cholmod_l_finish(&common);
    sedge_market_close(&from);
    return status;
}

static sedge_status check_values(const sedge_matrix *matrix, const char *path)
{
    for (int64_t i = 0; i < matrix->rows; i++) {
        for (int64_t k = matrix->offsets[i]; k < matrix->offsets[i + 1]; k++) {
            if (isfinite(matrix->values[k])) continue;
            return SEDGE_FAIL(SEDGE_ERR_DATA,
                              "'%s': the entry in row %lld, column %lld is not a finite number",
                              path, (long long)i + 1, (long long)matrix->columns[k] + 1);
        }
    }
    return SEDGE_OK;
}

static sedge_status check_numbers(const double *values, int64_t size, const char *path)
{
    for (int64_t i = 0; i < size; i++) {
        if (isfinite(values[i])) continue;
        return SEDGE_FAIL(SEDGE_ERR_DATA, "'%s': number %lld is not a finite number", path,
                          (long long)i + 1);
    }
    return SEDGE_OK;
}

sedge_status sedge_matrix_read(sedge_matrix **out, const char *path)
{
    bool is_petsc = false;

    *out = NULL;
    SEDGE_TRY(look_inside(&is_petsc, path));
    sedge_status status =
        is_petsc ? sedge_petsc_read_matrix(out, path) : read_market(out, NULL, path, 0);
    if (status == SEDGE_OK) status = check_values(*out, path);
    if (status != SEDGE_OK) {
        sedge_matrix_free(*out);
        *out = NULL;
    }
    return status;
}

sedge_status sedge_matrix_read_vector(double **out, const char *path, int64_t size)
{
    bool is_petsc = false;

    *out = NULL;
    SEDGE_TRY(look_inside(&is_petsc, path));
    sedge_status status =
        is_petsc ? sedge_petsc_read_vector(out, path, size) : read_market(NULL, out, path, size);
    if (status == SEDGE_OK) status = check_numbers(*out, size, path);
    if (status != SEDGE_OK) {
        sedge_release(*out);
        *out = NULL;
    }
    return status;
}
