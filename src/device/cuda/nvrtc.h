// NVIDIA's run-time compiler, loaded at run time.
#pragma once

#include "base/error.h"
#include "base/text.h"

#include <stddef.h>

// SEDGE_OK when NVRTC can be used, else SEDGE_ERR_DEVICE and the reason. The first call loads it:
// SEDGE_NVRTC (a path), else the loader's own search, else $CUDA_HOME, /usr/local/cuda.
SEDGE_MUST_USE
sedge_status sedge_nvrtc_load(void);

// sedge_nvrtc_identity appends NVRTC's version and the build ids of its libraries;
// sedge_nvrtc_options appends the compile options for `arch`.
SEDGE_MUST_USE
sedge_status sedge_nvrtc_identity(sedge_text *out);
SEDGE_MUST_USE
sedge_status sedge_nvrtc_options(const char *arch, sedge_text *out);

// The architecture to compile for on a device of compute capability major.minor: "sm_90" when NVRTC
// can write its code, else "compute_NN" of the newest older one, which the driver translates.
SEDGE_MUST_USE
sedge_status sedge_nvrtc_choose_arch(char *arch, size_t size, int major, int minor);

// As sedge_device_compile, for CUDA; `arch` is not NULL.
SEDGE_MUST_USE
sedge_status sedge_nvrtc_compile_named(const char *source, const char *arch, const char *keep_name,
                                       void **out, size_t *length, sedge_text *log);
