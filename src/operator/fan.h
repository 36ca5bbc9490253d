// Launches that need not wait for each other: with local time steps those of different levels, of
// which the small ones leave most of a GPU idle. They go into streams of their own, which the
// device runs beside each other.
#pragma once

#include "device/device.h"

#define OPERATOR_FAN 4 // streams beside the one that the work belongs to

typedef struct operator_fan {
    sedge_stream *stream[OPERATOR_FAN]; // NULL: none, and all work stays in order
    sedge_event *ready, *done[OPERATOR_FAN];
    sedge_stream *from; // while it is open
    bool in_order;
    int picked; // since it was opened
} operator_fan;

// Not collective. Nothing but streams and events is made.
SEDGE_MUST_USE
sedge_status operator_fan_create(operator_fan *fan, sedge_device *device, bool high_priority);
void operator_fan_clear(operator_fan *fan);

// From here on work is independent: it may begin when that in `from` so far is done. With
// `in_order` all of it goes into `from`, so that each launch can be timed.
SEDGE_MUST_USE
sedge_status operator_fan_open(operator_fan *fan, sedge_stream *from, bool in_order);

// Where the next part of it goes: `from` and the streams of the fan by turns.
SEDGE_MUST_USE
sedge_status operator_fan_pick(operator_fan *fan, sedge_stream **out);

// What comes in `from` after this waits for all parts.
SEDGE_MUST_USE
sedge_status operator_fan_close(operator_fan *fan);
