// Device memory that the processes of a node share, and flags in it for which streams can wait.
// With both, processes exchange data without the host (src/halo/peer_transport.c).
//
// One process allocates memory and sends a handle to others, which open the memory under an address
// of their own. Copies, writes and waits are queued in streams and may be recorded in a graph.
// Kernels may store into opened memory, too. Whoever sees a flag's value that a stream gave also
// sees all earlier work of that stream, in other processes' memory, too.
#pragma once

#include "device/device.h"

typedef struct sedge_peer_handle {
    unsigned char bytes[64];
} sedge_peer_handle;

// An operation on a flag, which is 4 bytes at a multiple of 4: wait until it has the value, or give
// it the value.
typedef struct sedge_flag {
    uint64_t address;
    uint32_t value;
    bool wait;
} sedge_flag;

typedef struct sedge_peer {
    // Allocate `bytes` zeroed bytes of device memory that other processes may open.
    // SEDGE_ERR_MEMORY. Free it with `release` and the same number of bytes, after all others have
    // closed it.
    sedge_status (*allocate)(sedge_device *device, uint64_t *address, int64_t bytes);
    void (*release)(sedge_device *device, uint64_t address, int64_t bytes);
    sedge_status (*share)(sedge_device *device, sedge_peer_handle *out, uint64_t address);

    // Open the memory of another process. Close it when no queued work needs it any more.
    sedge_status (*open)(sedge_device *device, uint64_t *address, const sedge_peer_handle *handle);
    void (*close)(sedge_device *device, uint64_t address);

    // Copy between addresses of this device's memory and of opened memory.
    sedge_status (*copy)(sedge_device *device, sedge_stream *stream, uint64_t to, uint64_t from,
                         int64_t bytes);

    // Queue operations on flags, which follow each other as in the list: together they are one
    // operation of the stream. `stream` NULL: done when the call returns.
    sedge_status (*flags)(sedge_device *device, sedge_stream *stream, const sedge_flag *list,
                          int count);

    // Kernels of this device can set flags themselves, as SEDGE_LAST_BLOCK of the prelude says.
    bool kernels_tell;

    // `*idle` tells whether all work of the stream is done; does not wait.
    sedge_status (*idle)(sedge_device *device, sedge_stream *stream, bool *idle);
} sedge_peer;

// The device's operations. NULL if the device has none; `*why` (not NULL) then gets the reason, as
// a phrase that follows "because". Not collective.
const sedge_peer *sedge_device_peer(const sedge_device *device, const char **why);
