// PoCL's environment, and the folder in which it compiles.
//
// PoCL, the OpenCL of machines without a GPU, compiles in a folder that all processes of a user
// share by default, where ranks trip over each other's files: each process gets one of its own. It
// keeps nothing between runs, which is the work of sedge's cache. The folder is there while a
// device is open, and its process holds a lock on it; what a killed process left is found by the
// lock that nobody holds, and removed by the next process that opens a device. Any thread may call
// these.
#pragma once

#include "base/error.h"

#include <stdbool.h>

// Choose the folder's name and set what PoCL reads when it is loaded, which MPI may do: so this is
// called before MPI starts, by sedge_device_start_helper. PoCL would also compile each kernel a
// second time, at its first launch, for the size of its blocks, which is already in the binary:
// that is off. And it has at most as many threads as a good SEDGE_THREADS says, and as there are
// processors: it wakes all of them for each kernel, and thousands never end. What the user has set
// stays. A forked child gets a folder of its own.
void sedge_opencl_prepare(void);

// The folder is there, for this user alone. Each enter that succeeds needs a leave; the last leave
// removes the folder. SEDGE_ERR_DEVICE, SEDGE_ERR_USAGE for a temporary folder that is not trusted.
SEDGE_MUST_USE
sedge_status sedge_opencl_folder_enter(void);
void sedge_opencl_folder_leave(void);

// Remove the folder of this process, or of the parent in the helper. False: it is in use.
bool sedge_opencl_folder_remove(void);
