// The places that a compiler's messages name.
#pragma once

#include "device/opencl/opencl_program.h"

// Add `log` to `out`, with places of the text as a whole, "<kernel>:LINE:", turned into the file
// and line that `source`'s #line directives give them: there are compilers that pass over those
// (NVIDIA's OpenCL). Everything else stays as it is. Errors: SEDGE_ERR_MEMORY.
sedge_status sedge_opencl_log_place(sedge_text *out, const char *source, const char *log);

// Add what the compiler said of `program`, made of `source`, so placed. Errors: SEDGE_ERR_DEVICE.
sedge_status sedge_opencl_log_read(sedge_text *out, const sedge_opencl_state *state,
                                   opencl_program *program, const char *source);
