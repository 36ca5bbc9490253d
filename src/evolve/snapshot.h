// Snapshots: the fields as a file holds them (dg/field_layout.h), for output that does not stop
// the device. Taking one queues its conversion behind the steps so far and a copy to pinned memory
// of the host, which travels beside the steps that follow. There is one array on the device, and
// one on the host for each room: who takes a snapshot into a room no longer needs its last one.
#pragma once

#include "dg/field_layout.h"
#include "evolve/evolution.h"

typedef struct sedge_snapshot sedge_snapshot;

// Room for `rooms` snapshots. Keeps the evolution, and nothing of the layout. Not collective.
// SEDGE_ERR_MEMORY: there is no room on the device or the host.
SEDGE_MUST_USE
sedge_status sedge_snapshot_create(sedge_snapshot **out, sedge_evolution *evolution,
                                   const sedge_field_layout *layout, int rooms);
void sedge_snapshot_free(sedge_snapshot *snapshot);

// Take one of the state at the end of the queue. Does not wait.
SEDGE_MUST_USE
sedge_status sedge_snapshot_take(sedge_snapshot *snapshot, int room);

// Wait until a room has its values. Any thread may call it.
SEDGE_MUST_USE
sedge_status sedge_snapshot_wait(const sedge_snapshot *snapshot, int room);

// The values of a room, in the layout's order. Borrowed.
const float *sedge_snapshot_values(const sedge_snapshot *snapshot, int room);
