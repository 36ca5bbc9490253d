// A host device whose memory other processes can open: the peer transport, and with it the stores
// of the operator's kernels into other ranks' memory, without a GPU.
//
// The test is linked with --wrap=sedge_device_peer, so that halos ask this for a device's
// operations.
#pragma once

#include "device/peer.h"

// On the host device operations in memory that processes share, each done when its call returns; on
// others their own.
const sedge_peer *host_peer_get(const sedge_device *device, const char **why);
