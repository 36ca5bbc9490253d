// Source positions in the messages of an OpenCL compiler.
#pragma once

#include "device/opencl/opencl_program.h"

// Append `log` to `out`. NVIDIA's OpenCL compiler ignores #line directives and gives positions in
// the whole code, "<kernel>:LINE:"; these are replaced by the file and line that the #line
// directives of `source` give. Everything else is unchanged. Errors: SEDGE_ERR_MEMORY.
sedge_status sedge_opencl_log_place(sedge_text *out, const char *source, const char *log);

// Append the compiler's log of `program`, which was built from `source`, with positions replaced in
// this way. Errors: SEDGE_ERR_DEVICE.
sedge_status sedge_opencl_log_read(sedge_text *out, const sedge_opencl_state *state,
                                   opencl_program *program, const char *source);
