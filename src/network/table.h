// A table of S-parameters as comma-separated values, a line for each entry and frequency.
#pragma once

#include "base/text.h"
#include "network/network.h"

// Append the head of a table to `text`: "frequency,port,driven,S_re,S_im,dB,degrees", and `more`,
// names of further columns that each begin with a comma, or "".
SEDGE_MUST_USE
sedge_status sedge_network_table_begin(sedge_text *text, const char *more);

// Append a line for each frequency and entry of the columns of S that have valid entries, with
// `more`, the values of the further columns. A number that is not valid is "nan".
SEDGE_MUST_USE
sedge_status sedge_network_table_add(sedge_text *text, const sedge_network *network,
                                     const char *more);

// Append a text as one field of a table: between quotation marks if it has commas, quotation marks
// or line ends.
SEDGE_MUST_USE
sedge_status sedge_network_table_field(sedge_text *text, const char *field);
