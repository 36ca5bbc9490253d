// `$name$` substitution, the simplest of the three ways to make program source.
//
//     static const char text[] = "y[i] = $a$ * x[i];\n";
//     const sedge_binding values[] = {SEDGE_BIND_FLOAT("a", 1.5f)};
//     const sedge_pattern pattern = {
//         .name = "scale.c", .text = text, .bindings = values, .count = 1};
//     SEDGE_TRY(sedge_substitute(out, &pattern)); // y[i] = 0x1.8p+0f * x[i];
//
// `$$` is a dollar. A name stands in one line and has no blanks.
#pragma once

#include "text/pattern.h"

// Append the pattern's text with each name replaced by its value. Fails with SEDGE_ERR_USAGE, and
// names pattern, line and name, if a name has no value, a value is not used, or a `$` is not
// closed; `out` is then unchanged.
SEDGE_MUST_USE
sedge_status sedge_substitute(sedge_text *out, const sedge_pattern *pattern);
