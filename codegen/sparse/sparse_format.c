// The table of formats.
#include "sparse/sparse_format.h"

#define ROW(format) &sedge_sparse_##format,

const sedge_sparse_format *const sedge_sparse_formats[] = {SEDGE_SPARSE_FORMATS(ROW) NULL};
