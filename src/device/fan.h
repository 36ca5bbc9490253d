// Launches that need not wait for each other: with local time steps those of different levels, of
// which the small ones leave most of a GPU idle. They go into streams of their own, which the
// device runs beside each other.
#pragma once

#include "device/device.h"

#define SEDGE_FAN 4 // streams beside the one that the work belongs to

typedef struct sedge_fan {
    sedge_stream *stream[SEDGE_FAN]; // NULL: none, and all work stays in order
    sedge_event *ready, *done[SEDGE_FAN];
    sedge_stream *from; // while it is open
    bool in_order;
    int picked; // since it was opened
} sedge_fan;

// Not collective. Nothing but streams and events is made.
SEDGE_MUST_USE
sedge_status sedge_fan_create(sedge_fan *fan, sedge_device *device, bool high_priority);
void sedge_fan_clear(sedge_fan *fan);

// From here on work is independent: it may begin when that in `from` so far is done. With
// `in_order` all of it goes into `from`, so that each launch can be timed.
SEDGE_MUST_USE
sedge_status sedge_fan_open(sedge_fan *fan, sedge_stream *from, bool in_order);

// Where the next part of it goes: `from` and the streams of the fan by turns.
SEDGE_MUST_USE
sedge_status sedge_fan_pick(sedge_fan *fan, sedge_stream **out);

// What comes in `from` after this waits for all parts.
SEDGE_MUST_USE
sedge_status sedge_fan_close(sedge_fan *fan);
