#include "operator/fan.h"

sedge_status operator_fan_create(operator_fan *fan, sedge_device *device, bool high_priority)
{
    if (sedge_device_get_traits(device)->in_call) return SEDGE_OK;
    SEDGE_TRY(sedge_event_create(&fan->ready, device));
    for (int i = 0; i < OPERATOR_FAN; i++) {
        SEDGE_TRY(sedge_event_create(&fan->done[i], device));
        SEDGE_TRY(sedge_stream_create(&fan->stream[i], device, high_priority));
    }
    return SEDGE_OK;
}

void operator_fan_clear(operator_fan *fan)
{
    for (int i = 0; i < OPERATOR_FAN; i++) {
        if (fan->stream[i] != NULL) (void)!sedge_stream_wait(fan->stream[i]);
        sedge_event_free(fan->done[i]);
        sedge_stream_free(fan->stream[i]);
    }
    sedge_event_free(fan->ready);
    *fan = (operator_fan){.picked = 0};
}

sedge_status operator_fan_open(operator_fan *fan, sedge_stream *from, bool in_order)
{
    fan->from = from;
    fan->picked = 0;
    fan->in_order = in_order || fan->stream[0] == NULL;
    return fan->in_order ? SEDGE_OK : sedge_event_record(fan->ready, from);
}

sedge_status operator_fan_pick(operator_fan *fan, sedge_stream **out)
{
    const int turn = fan->picked++;
    const int i = turn % (OPERATOR_FAN + 1) - 1;

    *out = fan->from;
    if (i < 0 || fan->in_order) return SEDGE_OK;
    *out = fan->stream[i];
    return turn <= OPERATOR_FAN ? sedge_stream_wait_event(fan->stream[i], fan->ready) : SEDGE_OK;
}

sedge_status operator_fan_close(operator_fan *fan)
{
    for (int i = 0; i < OPERATOR_FAN && i + 1 < fan->picked && !fan->in_order; i++) {
        SEDGE_TRY(sedge_event_record(fan->done[i], fan->stream[i]));
        SEDGE_TRY(sedge_stream_wait_event(fan->from, fan->done[i]));
    }
    return SEDGE_OK;
}
