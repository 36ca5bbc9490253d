#include "device/fan.h"

sedge_status sedge_fan_create(sedge_fan *fan, sedge_device *device, bool high_priority)
{
    if (sedge_device_get_traits(device)->in_call) return SEDGE_OK;
    SEDGE_TRY(sedge_event_create(&fan->ready, device));
    for (int i = 0; i < SEDGE_FAN; i++) {
        SEDGE_TRY(sedge_event_create(&fan->done[i], device));
        SEDGE_TRY(sedge_stream_create(&fan->stream[i], device, high_priority));
    }
    return SEDGE_OK;
}

void sedge_fan_clear(sedge_fan *fan)
{
    for (int i = 0; i < SEDGE_FAN; i++) {
        if (fan->stream[i] != NULL) (void)!sedge_stream_wait(fan->stream[i]);
        sedge_event_free(fan->done[i]);
        sedge_stream_free(fan->stream[i]);
    }
    sedge_event_free(fan->ready);
    *fan = (sedge_fan){.picked = 0};
}

sedge_status sedge_fan_open(sedge_fan *fan, sedge_stream *from, bool in_order)
{
    fan->from = from;
    fan->picked = 0;
    fan->in_order = in_order || fan->stream[0] == NULL;
    return fan->in_order ? SEDGE_OK : sedge_event_record(fan->ready, from);
}

sedge_status sedge_fan_pick(sedge_fan *fan, sedge_stream **out)
{
    const int turn = fan->picked++;
    const int i = turn % (SEDGE_FAN + 1) - 1;

    *out = fan->from;
    if (i < 0 || fan->in_order) return SEDGE_OK;
    *out = fan->stream[i];
    return turn <= SEDGE_FAN ? sedge_stream_wait_event(fan->stream[i], fan->ready) : SEDGE_OK;
}

sedge_status sedge_fan_close(sedge_fan *fan)
{
    for (int i = 0; i < SEDGE_FAN && i + 1 < fan->picked && !fan->in_order; i++) {
        SEDGE_TRY(sedge_event_record(fan->done[i], fan->stream[i]));
        SEDGE_TRY(sedge_stream_wait_event(fan->from, fan->done[i]));
    }
    return SEDGE_OK;
}
