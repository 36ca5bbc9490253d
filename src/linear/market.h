// Matrix Market files, compressed by gzip or not: the text format in which collections publish
// sparse matrices and vectors.
//
// The first line names the format, the kind of numbers (real, integer, pattern: ones) and the
// symmetry; comments and the size line follow, then one entry a line. All of it is checked while it
// is read. A number may stand behind a "+": C's fscanf takes it, and so the format's own reader and
// CHOLMOD do; SciPy 1.17 does not. Failures are SEDGE_ERR_DATA, an entry's with its line.
#pragma once

#include "linear/matrix.h"

#include <zlib.h>

#define SEDGE_MARKET_BANNER "%%MatrixMarket"
#define SEDGE_MARKET_LINE   1100 // bytes of a line

typedef struct sedge_market_file {
    const char *path;
    gzFile compressed; // reads plain files as they are
} sedge_market_file;

// SEDGE_ERR_DATA where it cannot be opened. `path` must outlive it; the caller closes it.
SEDGE_MUST_USE
sedge_status sedge_market_open(sedge_market_file *out, const char *path);
void sedge_market_close(sedge_market_file *from);

// What reading has met so far: SEDGE_ERR_DATA where the file cannot be read, its compressed data
// are damaged (their checksum stands behind the last of them) or end before their end.
SEDGE_MUST_USE
sedge_status sedge_market_check_stream(const sedge_market_file *from);

// A square "coordinate" matrix. What is stored by one triangle becomes whole, entries that occur
// twice are added up in the file's order. The caller frees it.
SEDGE_MUST_USE
sedge_status sedge_market_read_matrix(sedge_matrix **out, const char *path);

// A vector of `size` numbers: "array", or "coordinate" with one column. The caller releases it.
SEDGE_MUST_USE
sedge_status sedge_market_read_vector(double **out, const char *path, int64_t size);
