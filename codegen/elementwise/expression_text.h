// The C text of an analysed expression.
#pragma once

#include "base/text.h"
#include "elementwise/expression_tree.h"

// Whether an operation can be written for numbers of `type`.
bool sedge_expression_has_form(sedge_operation operation, sedge_type type);

// Append the text of an analysed tree.
SEDGE_MUST_USE
sedge_status sedge_expression_write(sedge_text *out, const sedge_expression *expression);

// The C text that converts `value` (an expression of type `from`) to `to`, as numpy's astype.
SEDGE_MUST_USE
sedge_status sedge_conversion_write(sedge_text *out, const char *value, sedge_type from,
                                    sedge_type to);
