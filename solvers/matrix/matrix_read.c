// Matrices and vectors from files: CHOLMOD reads Matrix Market, zlib what is compressed.
#define _GNU_SOURCE // fopencookie
#include "matrix/matrix.h"

#include "base/memory.h"
#include "matrix/petsc_io.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include <cholmod.h>
#include <zlib.h>

// ---- opening -----------------------------------------------------------------------------------

static ssize_t read_some(void *cookie, char *to, size_t bytes)
{
    const int got = gzread(cookie, to, bytes < 1u << 30 ? (unsigned)bytes : 1u << 30);

    return got;
}

typedef struct source {
    const char *path;
    gzFile compressed; // reads plain files as they are
    FILE *file;
} source;

static const char banner[] = "%%MatrixMarket";

enum { LINE_MAX_BYTES = 1100 }; // CHOLMOD takes 1030

static sedge_status open_source(source *out, const char *path)
{
    const cookie_io_functions_t functions = {.read = read_some};

    *out = (source){.path = path};
    errno = 0;
    out->compressed = gzopen(path, "rb");
    if (out->compressed == NULL) {
        return SEDGE_FAIL(SEDGE_ERR_DATA, "cannot read '%s': %s", path,
                          errno != 0 ? strerror(errno) : "out of memory");
    }
    out->file = fopencookie(out->compressed, "r", functions);
    if (out->file != NULL) return SEDGE_OK;
    (void)gzclose(out->compressed);
    return SEDGE_FAIL(SEDGE_ERR_MEMORY, "cannot read '%s': out of memory", path);
}

static void close_source(source *from)
{
    if (from->file != NULL) (void)fclose(from->file);
    if (from->compressed != NULL) (void)gzclose(from->compressed);
}

// What the file begins with: four bytes by which PETSc knows its own, most significant first, or
// Matrix Market's banner.
static sedge_status look_inside(bool *is_petsc, const char *path)
{
    unsigned char bytes[sizeof banner] = {0};
    source from;

    SEDGE_TRY(open_source(&from, path));
    errno = 0;
    const int got = gzread(from.compressed, bytes, sizeof bytes - 1);
    const int error = errno;
    close_source(&from);
    if (got < 0) {
        return SEDGE_FAIL(SEDGE_ERR_DATA, "cannot read '%s': %s", path,
                          error != 0 ? strerror(error) : "its compressed data are damaged");
    }
    if (got == 0) return SEDGE_FAIL(SEDGE_ERR_DATA, "'%s' is empty", path);
    const uint32_t word = (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 |
                          (uint32_t)bytes[2] << 8 | (uint32_t)bytes[3];
    *is_petsc = word == SEDGE_PETSC_MATRIX || word == SEDGE_PETSC_VECTOR;
    if (*is_petsc || strcasecmp((const char *)bytes, banner) == 0) return SEDGE_OK;
    // CHOLMOD would guess by its entries whether such a file means a symmetric matrix.
    return SEDGE_FAIL(SEDGE_ERR_DATA,
                      "'%s' is neither a Matrix Market file, which begins with %s, nor PETSc's "
                      "binary form",
                      path, banner);
}

// A whole number without sign; false: there is none.
static bool take_count(int64_t *out, const char **at)
{
    char *end = NULL;

    *at += strspn(*at, " \t");
    if (**at < '0' || **at > '9') return false;
    errno = 0;
    *out = strtoll(*at, &end, 10);
    *at = end;
    return errno == 0 && (*end == '\0' || isspace((unsigned char)*end));
}

// The next line without its end. False: there is none, or it holds a NUL or is too long.
static bool take_line(const source *from, char line[LINE_MAX_BYTES])
{
    memset(line, 1, LINE_MAX_BYTES);
    if (gzgets(from->compressed, line, LINE_MAX_BYTES) == NULL) return false;
    const size_t length = strcspn(line, "\r\n");
    if (line[length] == '\0' && gzeof(from->compressed) == 0) return false;
    line[length] = '\0';
    return true;
}

// Is `word` the next one of `*at`? It is taken then.
static bool take_word(const char **at, const char *word)
{
    const size_t length = strlen(word);

    *at += strspn(*at, " \t");
    if (strncasecmp(*at, word, length) != 0) return false;
    if ((*at)[length] != '\0' && !isspace((unsigned char)(*at)[length])) return false;
    *at += length;
    return true;
}

static bool take_one_of(const char **at, const char *const words[4])
{
    for (int i = 0; i < 4; i++)
        if (take_word(at, words[i])) return true;
    return false;
}

// CHOLMOD guesses where it does not know a word: `*is_array`, or "coordinate".
static bool is_banner(const char *line, bool *is_array)
{
    static const char *const numbers[4] = {"real", "integer", "pattern", "complex"};
    static const char *const forms[4] = {"general", "symmetric", "skew-symmetric", "hermitian"};
    const char *at = line;

    if (!take_word(&at, banner) || !take_word(&at, "matrix")) return false;
    *is_array = take_word(&at, "array");
    if (!*is_array && !take_word(&at, "coordinate")) return false;
    if (!take_one_of(&at, numbers) || !take_one_of(&at, forms)) return false;
    return at[strspn(at, " \t")] == '\0';
}

// Entries that the file could hold at most: of two bytes each, and compressed as gzip can at best.
static double find_room(const source *from)
{
    enum { BEST_RATIO = 1032, LEAST_BYTES = 2 };
    struct stat about;

    if (stat(from->path, &about) != 0) return 0.0;
    return (double)about.st_size * (gzdirect(from->compressed) != 0 ? 1 : BEST_RATIO) / LEAST_BYTES;
}

static sedge_status check_vector_size(const source *from, int64_t rows, int64_t columns,
                                      int64_t size)
{
    if (rows == size && columns == 1) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_DATA,
                      "'%s' has %lld rows and %lld columns: the matrix asks for %lld and 1",
                      from->path, (long long)rows, (long long)columns, (long long)size);
}

// The size line: rows, columns and, of "coordinate", entries. CHOLMOD believes what stands there,
// and returns what is no object for numbers beyond its own. Memory is bounded by the file: in a
// matrix that can be solved for every row has an entry, of which a triangle may be stored. Of a
// vector `size` tells the rows, 0 stands for a matrix.
static sedge_status check_size_line(const source *from, const char *line, bool is_array,
                                    int64_t size)
{
    int64_t counts[3] = {0};
    int found = 0;
    const char *at = line;

    while (found < 3 && take_count(&counts[found], &at)) found++;
    if (found != (is_array ? 2 : 3) || at[strspn(at, " \t")] != '\0') {
        return SEDGE_FAIL(SEDGE_ERR_DATA, "'%s': the size line '%.60s' is not of %s whole numbers",
                          from->path, line, is_array ? "two" : "three");
    }
    if (counts[0] < 1 || counts[1] < 1) {
        return SEDGE_FAIL(SEDGE_ERR_DATA, "'%s' has %lld rows and %lld columns", from->path,
                          (long long)counts[0], (long long)counts[1]);
    }
    const double entries = is_array ? (double)counts[0] * (double)counts[1] : (double)counts[2];
    if (entries > find_room(from)) {
        return SEDGE_FAIL(SEDGE_ERR_DATA,
                          "'%s' ends before all entries that its size line announces, %.0f",
                          from->path, entries);
    }
    if (size > 0) return check_vector_size(from, counts[0], counts[1], size);
    if (!is_array && (counts[0] - 1) / 2 > counts[2]) {
        return SEDGE_FAIL(SEDGE_ERR_DATA,
                          "'%s' has %lld rows, but %lld entries only: it is singular", from->path,
                          (long long)counts[0], (long long)counts[2]);
    }
    return SEDGE_OK;
}

static sedge_status check_head(const source *from, int64_t size)
{
    char line[LINE_MAX_BYTES];
    bool is_array = false;

    if (!take_line(from, line) || !is_banner(line, &is_array)) {
        return SEDGE_FAIL(SEDGE_ERR_DATA,
                          "'%s': the first line is not \"%s matrix\" with \"coordinate\" or "
                          "\"array\", a kind of numbers and a symmetry",
                          from->path, banner);
    }
    do {
        if (!take_line(from, line)) {
            return SEDGE_FAIL(SEDGE_ERR_DATA, "'%s' ends before its size line, or is damaged",
                              from->path);
        }
    } while (line[0] == '%' || line[strspn(line, " \t")] == '\0');
    return check_size_line(from, line, is_array, size);
}

static sedge_status look_at_head(const char *path, int64_t size)
{
    source from;

    SEDGE_TRY(open_source(&from, path));
    const sedge_status status = check_head(&from, size);
    close_source(&from);
    return status;
}

// ---- CHOLMOD -----------------------------------------------------------------------------------

static sedge_status explain(const source *from, const cholmod_common *common)
{
    int code = Z_OK;
    const char *const reason = gzerror(from->compressed, &code);

    if (code != Z_OK && code != Z_STREAM_END) {
        return SEDGE_FAIL(SEDGE_ERR_DATA, "cannot read '%s': %s", from->path,
                          code == Z_ERRNO ? strerror(errno) : reason);
    }
    if (common->status == CHOLMOD_OUT_OF_MEMORY || common->status == CHOLMOD_TOO_LARGE) {
        return SEDGE_FAIL(SEDGE_ERR_DATA,
                          "'%s': out of memory for the matrix that its header announces",
                          from->path);
    }
    if (feof(from->file) != 0) {
        return SEDGE_FAIL(SEDGE_ERR_DATA,
                          "'%s' ends before all entries that its size line announces", from->path);
    }
    return SEDGE_FAIL(SEDGE_ERR_DATA,
                      "'%s': a line after the banner is no size or entry, or an index lies outside "
                      "of the matrix",
                      from->path);
}

// CHOLMOD reads what the size line announces: behind it are comments and empty lines only.
static sedge_status check_rest(const source *from)
{
    char line[LINE_MAX_BYTES];

    while (fgets(line, sizeof line, from->file) != NULL) {
        const char first = line[strspn(line, " \t\r\n")];
        if (first == '\0' || first == '%') continue;
        line[strcspn(line, "\r\n")] = '\0';
        return SEDGE_FAIL(SEDGE_ERR_DATA,
                          "'%s' has more entries than its size line announces: '%.60s'", from->path,
                          line);
    }
    return SEDGE_OK;
}

// The file's banner and size line against what can be used, before memory is taken for it.
static sedge_status check_type(const source *from, const void *object, int kind)
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

static sedge_status take_matrix(sedge_matrix **out, const source *from, cholmod_triplet *triplet,
                                cholmod_common *common)
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

static sedge_status take_vector(double **out, const source *from, const void *object, int kind,
                                int64_t size)
{
    const cholmod_dense *const dense = kind == CHOLMOD_DENSE ? object : NULL;
    const cholmod_triplet *const triplet = kind == CHOLMOD_TRIPLET ? object : NULL;
    const size_t rows = dense != NULL ? dense->nrow : triplet->nrow;
    const size_t columns = dense != NULL ? dense->ncol : triplet->ncol;

    SEDGE_TRY(check_vector_size(from, (int64_t)rows, (int64_t)columns, size));
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
    source from;
    int kind = 0;
    sedge_status status = SEDGE_OK;

    SEDGE_TRY(look_at_head(path, size));
    SEDGE_TRY(open_source(&from, path));
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
    close_source(&from);
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
