// Ceilings: the highest rates that this device reaches, measured: bytes copied and floating-point
// operations a second. They give the least time that a kernel's bytes and operations need, with
// which its measured time is compared.
//
// Copy: one vectorised kernel over two arrays of 1 GiB each on a GPU, on the host of four times the
// last-level cache each (a node's ranks share that) but at most 64 MiB a thread; less, by halves
// down to 16 MiB, where the device has not that much memory left. Ordinary stores, as the stage's.
// Operations: chains of multiply-adds, independent and in registers, on all multiprocessors or
// threads, in the precision asked for; no tensor cores. Best of several runs, after a first one
// that is not counted.
//
// All ranks measure at the same time: ranks that share a device, a socket or memory get their
// share. Takes less than 0.1 s on a GPU and 0.3 s on a host, beside the compiler the first time;
// what was measured is kept in the wisdom file of the cache's folder.
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

// Append the text of the program that measures a device of this info, which need not be here, and
// tell its name, a constant. Not collective.
SEDGE_MUST_USE
sedge_status sedge_ceilings_text(sedge_text *out, const char **name, const sedge_device_info *info,
                                 int real_bytes);

// Measure `device`, this rank's, with numbers of `real_bytes` bytes (4: fp32, 8: fp64). Collective
// (`comm` NULL: this process alone): all ranks fail with the worst one's status. Fails with
// SEDGE_ERR_DEVICE too when the kernels' results are wrong.
SEDGE_MUST_USE
sedge_status sedge_ceilings_measure(sedge_ceilings *out, const sedge_comm *comm,
                                    sedge_device *device, sedge_cache *cache, int real_bytes);

// What was measured before on such a device, with such a compiler and as many ranks on the node;
// where any rank has nothing like that, and with `forget` on any rank, all measure, and the file
// keeps it. Collective.
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

// That floor as a part of the `seconds` that the work took; -1 where either is not known.
double sedge_ceilings_fraction(const sedge_ceilings *ceilings, double bytes, double flops,
                               double seconds);
