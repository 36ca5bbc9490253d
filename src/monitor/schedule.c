#include "schedule.h"

bool sedge_schedule_snapshot(const sedge_output_context *context, int64_t step)
{
    const int64_t snapshots = context->deck->snapshots;

    if (snapshots == 0) return false;
    if (step == context->first_step) return !context->continues;
    return step * snapshots / context->steps > (step - 1) * snapshots / context->steps;
}
