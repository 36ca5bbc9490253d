// Inside src/linear: files, compressed by gzip or not, and what a Matrix Market one must be
// before CHOLMOD reads it, which guesses where it does not know.
#pragma once

#include "base/error.h"

#include <stdint.h>
#include <stdio.h>

#include <zlib.h>

#define SEDGE_MARKET_BANNER "%%MatrixMarket"
#define SEDGE_MARKET_LINE   1100 // bytes of a line; CHOLMOD takes 1030

typedef struct sedge_market_file {
    const char *path;
    gzFile compressed; // reads plain files as they are
    FILE *file;        // reads through it
} sedge_market_file;

// SEDGE_ERR_DATA where it cannot be opened. `path` must outlive it; the caller closes it.
SEDGE_MUST_USE
sedge_status sedge_market_open(sedge_market_file *out, const char *path);
void sedge_market_close(sedge_market_file *from);

// What reading has met so far: SEDGE_ERR_DATA where the file cannot be read, its compressed data
// are damaged (their checksum stands behind the last of them) or end before their end.
SEDGE_MUST_USE
sedge_status sedge_market_check_stream(const sedge_market_file *from);

// Whether the first line, the size line and every announced entry are what the format asks for, and
// numbers of the kind that the first line names: real, integer or pattern. A number may stand
// behind a "+": C's fscanf takes it, and so the format's own reader and CHOLMOD do; SciPy 1.17 does
// not. SEDGE_ERR_DATA, an entry's with its line. A file that ends too soon is CHOLMOD's to refuse.
// `size` tells the rows of a vector, 0 stands for a matrix.
SEDGE_MUST_USE
sedge_status sedge_market_check(const char *path, int64_t size);
