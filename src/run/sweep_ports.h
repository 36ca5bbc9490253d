// The S-matrix of a sweep: each run drives a port, and so gives a column. Root only.
//
// Runs whose values differ in the driven port alone (sources.0.surface) belong to one matrix. Other
// swept values give a matrix each. The sweep's folder gets ports.csv with all entries (network/
// table.h), with a column for each of the other values, and for each complete matrix a Touchstone
// file: ports.sNp, or with several matrices ports_001.sNp, by the folder of the matrix's first run.
#pragma once

#include "base/text.h"
#include "deck/deck_sweep.h"

#include <jansson.h>

// Write these files from `rows` (sweep_table.h), and append a table of |S| and what is missing to
// `text`. Nothing is written if no run has driven a port. SEDGE_ERR_USAGE: a file cannot be
// written; SEDGE_ERR_MEMORY.
SEDGE_MUST_USE
sedge_status sedge_sweep_ports_write(sedge_text *text, const json_t *rows,
                                     const sedge_sweep *sweep);
