// The environment variables that OpenCL reads: PoCL's, and PATH.
//
// They are set while OpenCL reads them, and restored afterwards, unless the program has set them
// for good (sedge_device_prepare_environment, device.h). PoCL reads POCL_CACHE_DIR,
// POCL_KERNEL_CACHE, POCL_MAX_PTHREAD_COUNT and the handlers' variables when it lists its devices,
// PATH when it starts the linker at the end of a build, and POCL_WORK_GROUP_SPECIALIZATION when it
// builds a program and when it launches a kernel for the first time. What the user has set is left
// alone; only folders of PATH in which everybody may create files are taken away.
//
// Handlers of signals that change meanwhile, because LLVM takes some over, are restored, too.
//
// The environment belongs to the whole process: no other thread of the program may read or change
// it meanwhile. In a program that has set PoCL's variables for good, only a PATH with such folders
// is changed here.
#pragma once

#include "base/error.h"

// Begin and end calls that read the variables. Each successful begin needs an end; several threads
// may be inside, and the last end restores. A begin without an end, because such a call was
// abandoned, keeps the variables set. SEDGE_ERR_MEMORY.
SEDGE_MUST_USE
sedge_status sedge_opencl_environment_begin(void);
void sedge_opencl_environment_end(void);
