// Matrix Market files, compressed by gzip or not: the text format in which collections publish
// sparse matrices and vectors.
//
// The first line names the format, the kind of numbers (real, integer, pattern: ones) and the
// symmetry; comments and the size line follow, then one entry a line. All of it is checked while it
// is read. A number may have a leading "+", which C's fscanf, the format's own reader and CHOLMOD
// accept, but SciPy 1.17 does not. Failures are SEDGE_ERR_DATA; the message about an entry names
// its line.
#pragma once

#include "linear/matrix.h"

#include <zlib.h>

#define SEDGE_MARKET_BANNER "%%MatrixMarket"
#define SEDGE_MARKET_LINE   1100 // bytes of a line

typedef struct sedge_market_file {
    const char *path;
    gzFile compressed; // reads plain files as they are
} sedge_market_file;

// SEDGE_ERR_DATA if the file cannot be opened. `path` must outlive `out`, which the caller closes.
SEDGE_MUST_USE
sedge_status sedge_market_open(sedge_market_file *out, const char *path);
void sedge_market_close(sedge_market_file *from);

// Check for errors of reading so far. SEDGE_ERR_DATA: the file cannot be read, or its compressed
// data are damaged or truncated. The checksum of compressed data follows the last of them.
SEDGE_MUST_USE
sedge_status sedge_market_check_stream(const sedge_market_file *from);

// Read a square "coordinate" matrix. If the file stores one triangle, the other is filled in.
// Entries that occur twice are added up in the file's order. The caller frees the result.
SEDGE_MUST_USE
sedge_status sedge_market_read_matrix(sedge_matrix **out, const char *path);

// A vector of `size` numbers: "array", or "coordinate" with one column. The caller releases it.
SEDGE_MUST_USE
sedge_status sedge_market_read_vector(double **out, const char *path, int64_t size);
