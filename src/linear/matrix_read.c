// Matrices and vectors from files: which format a file has, and whether its numbers are finite.
#include "linear/matrix.h"

#include "base/file.h"
#include "base/memory.h"
#include "linear/market.h"
#include "linear/petsc_file.h"

#include <math.h>
#include <strings.h>

// What the file begins with: four bytes by which PETSc knows its own, most significant first, or
// Matrix Market's banner.
static sedge_status look_inside(bool *is_petsc, const char *path)
{
    unsigned char bytes[sizeof SEDGE_MARKET_BANNER] = {0};
    sedge_market_file from;

    SEDGE_TRY(sedge_file_check(path, SEDGE_ERR_DATA)); // it is opened twice
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
    return SEDGE_FAIL(SEDGE_ERR_DATA,
                      "'%s' is neither a Matrix Market file, which begins with %s, nor PETSc's "
                      "binary form",
                      path, SEDGE_MARKET_BANNER);
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
        is_petsc ? sedge_petsc_read_matrix(out, path) : sedge_market_read_matrix(out, path);
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
    sedge_status status = is_petsc ? sedge_petsc_read_vector(out, path, size)
                                   : sedge_market_read_vector(out, path, size);
    if (status == SEDGE_OK) status = check_numbers(*out, size, path);
    if (status != SEDGE_OK) {
        sedge_release(*out);
        *out = NULL;
    }
    return status;
}
