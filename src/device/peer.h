// Memory that the processes of a node share on their devices, and flags in it for which streams
// wait: what an exchange between them without the host is made of (src/halo/peer_transport.c).
//
// A process allocates, and tells others by a handle; they open that memory under an address of
// their own. Copies, writes and waits are put into streams, and may be recorded in a graph. All of
// a stream's earlier work, also in other processes' memory, is visible to whoever has seen a value
// that the stream wrote after it.
#pragma once

#include "device/device.h"

typedef struct sedge_peer_handle {
    unsigned char bytes[64];
} sedge_peer_handle;

typedef struct sedge_peer {
    // `bytes` bytes of device memory that others may open, zeroed. SEDGE_ERR_MEMORY. Freed by
    // release, with the same number of bytes, once all others have closed it.
    sedge_status (*allocate)(sedge_device *device, uint64_t *address, int64_t bytes);
    void (*release)(sedge_device *device, uint64_t address, int64_t bytes);
    sedge_status (*share)(sedge_device *device, sedge_peer_handle *out, uint64_t address);

    // The memory of another process; closed once no queued work needs it.
    sedge_status (*open)(sedge_device *device, uint64_t *address, const sedge_peer_handle *handle);
    void (*close)(sedge_device *device, uint64_t address);

    // From and to addresses of this device's memory or of what was opened.
    sedge_status (*copy)(sedge_device *device, sedge_stream *stream, uint64_t to, uint64_t from,
                         int64_t bytes);

    // Flags are 4 bytes at a multiple of 4. `stream` NULL for write: done when the call returns.
    sedge_status (*write)(sedge_device *device, sedge_stream *stream, uint64_t flag,
                          uint32_t value);
    sedge_status (*wait)(sedge_device *device, sedge_stream *stream, uint64_t flag, uint32_t value);

    // `*idle` tells whether all work of the stream is done; does not wait.
    sedge_status (*idle)(sedge_device *device, sedge_stream *stream, bool *idle);
} sedge_peer;

// The device's own; NULL: it has none, and `*why` (not NULL) says so in words, as what follows
// "because". Not collective.
const sedge_peer *sedge_device_peer(const sedge_device *device, const char **why);
