// The folder in which PoCL compiles.
//
// PoCL, the OpenCL of machines without a GPU, compiles in a folder. By default all processes of a
// user share it, and ranks overwrite each other's files. Therefore each process gets a folder of
// its own. The folder keeps nothing between runs; sedge's cache does that. It exists while a device
// is open, and the process holds a lock on it. A folder without a lock was left by a killed
// process; the next process that opens a device removes it. All functions here are thread-safe.
#pragma once

#include "base/error.h"

#include <stdbool.h>

// Choose the folder's name, unless the user has chosen another (POCL_CACHE_DIR). The helper process
// inherits it and removes the folder of a killed parent; so sedge_device_start_helper calls this. A
// forked child gets a folder of its own. opencl_environment.h tells PoCL the name.
void sedge_opencl_choose_folder(void);

// The folder's name; "" if the user has chosen another.
const char *sedge_opencl_folder_path(void);

// Make the folder, accessible to this user alone, unless it exists. Each successful enter needs a
// leave; the last leave removes the folder. SEDGE_ERR_DEVICE: the folder cannot be made.
// SEDGE_ERR_USAGE: the temporary folder is not trusted (base/trust.h).
SEDGE_MUST_USE
sedge_status sedge_opencl_folder_enter(void);
void sedge_opencl_folder_leave(void);

// Remove the folder of this process; in the helper, that of its parent. False: it is in use.
bool sedge_opencl_folder_remove(void);
