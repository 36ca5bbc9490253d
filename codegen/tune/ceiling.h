// Ceilings: the highest rates that this device reaches in a measurement, in bytes copied and
// floating-point operations per second. From them follows the least time that a kernel's bytes and
// operations need. Reports compare the kernel's measured time with it.
//
// Copy: one vectorised kernel copies one array to another. On a GPU each array has 1 GiB. On the
// host each has four times the last-level cache, divided by the node's ranks, but at most 64 MiB
// per thread. If the device has too little memory, the size is halved, down to 16 MiB. The stores
// are ordinary ones, as in the DG stage.
//
// Operations: independent chains of multiply-adds in registers run on all multiprocessors or
// threads, in the requested precision, without tensor cores.
//
// The best of several runs counts; a first run is not counted.
//
// All ranks measure at the same time, so ranks that share a device, a socket or memory each measure
// their share. This takes less than 0.1 s on a GPU and 0.3 s on a host, plus compilation the first
// time. The results are stored in the wisdom file of the cache's folder.
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "device/device.h"
#include "par/comm.h"
#include "program/program.h"

#include <stdbool.h>

typedef struct sedge_ceilings {
    double copy;  // bytes read and written, a second
    double flops; // operations a second; a multiply-add counts two
} sedge_ceilings;

// Append the source of the program that measures a device with this `info`; the device need not be
// present. `*name` becomes the program's name, a string constant. Not collective.
SEDGE_MUST_USE
sedge_status sedge_ceilings_text(sedge_text *out, const char **name, const sedge_device_info *info,
                                 int real_bytes);

// Measure `device`, this rank's, with numbers of `real_bytes` bytes (4: fp32, 8: fp64). Collective
// (`comm` NULL: this process alone): all ranks fail with the worst one's status. Fails with
// SEDGE_ERR_DEVICE too when the kernels' results are wrong.
SEDGE_MUST_USE
sedge_status sedge_ceilings_measure(sedge_ceilings *out, const sedge_comm *comm,
                                    sedge_device *device, sedge_cache *cache, int real_bytes);

// Get the ceilings that were stored for the same kind of device, compiler and number of ranks on
// the node. If any rank finds none or sets `forget`, all ranks measure and store the result.
// Collective.
SEDGE_MUST_USE
sedge_status sedge_ceilings_get(sedge_ceilings *out, const sedge_comm *comm, sedge_device *device,
                                sedge_cache *cache, int real_bytes, bool forget);

// As sedge_ceilings_get, for a report at the end of a run, if it is `requested` on any rank. If it
// is not requested, or measuring fails, both ceilings are 0; that is no error. Collective.
void sedge_ceilings_try(sedge_ceilings *out, const sedge_comm *comm, sedge_device *device,
                        sedge_cache *cache, int real_bytes, bool requested);

// The least seconds for `bytes` and `flops`, which overlap: the larger of the two times. 0 where
// nothing was measured (all ceilings 0).
double sedge_ceilings_floor(const sedge_ceilings *ceilings, double bytes, double flops);

// The result of sedge_ceilings_floor divided by `seconds`, the measured time; -1 if either is not
// known.
double sedge_ceilings_fraction(const sedge_ceilings *ceilings, double bytes, double flops,
                               double seconds);
