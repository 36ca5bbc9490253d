#include "monitors.h"

#include "base/memory.h"

#include <jansson.h>

struct sedge_monitors {
    const sedge_output_context *context;
    int count;
    void **each; // [count], of the kinds in context->deck->monitors
};

static const sedge_monitor_kind *kind_of(const sedge_monitors *monitors, int i)
{
    return monitors->context->deck->monitors[i].kind;
}

sedge_status sedge_monitors_create(sedge_monitors **out, const sedge_output_context *context)
{
    const sedge_deck *const deck = context->deck;
    const json_t *const memory = context->from != NULL ? context->from->monitors : NULL;
    sedge_monitors *monitors = NULL;

    *out = NULL;
    sedge_status status = sedge_allocate(&monitors, 1, sizeof *monitors);
    if (status == SEDGE_OK)
        status = sedge_allocate(&monitors->each, deck->monitor_count, sizeof *monitors->each);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(context->comm, status));
    monitors->context = context;
    for (int i = 0; i < deck->monitor_count; i++) {
        const sedge_monitor_kind *const kind = deck->monitors[i].kind;
        SEDGE_TRY_GOTO(status,
                       kind->create(&monitors->each[i], context, deck->monitors[i].parameters,
                                    json_object_get(memory, kind->name)));
        monitors->count++;
    }
    *out = monitors;
    monitors = NULL;
done:
    sedge_monitors_free(monitors);
    return status;
}

void sedge_monitors_free(sedge_monitors *monitors)
{
    if (monitors == NULL) return;
    for (int i = 0; i < monitors->count; i++) kind_of(monitors, i)->free(monitors->each[i]);
    sedge_release(monitors->each);
    sedge_release(monitors);
}

bool sedge_monitors_due(const sedge_monitors *monitors, int64_t step)
{
    for (int i = 0; i < monitors->count; i++)
        if (kind_of(monitors, i)->due(monitors->each[i], step)) return true;
    return false;
}

sedge_status sedge_monitors_sample(sedge_monitors *monitors, double time, int64_t step,
                                   const double *u)
{
    for (int i = 0; i < monitors->count; i++) {
        const sedge_monitor_kind *const kind = kind_of(monitors, i);

        if (kind->due(monitors->each[i], step))
            SEDGE_TRY(kind->sample(monitors->each[i], time, step, u));
    }
    return SEDGE_OK;
}

sedge_status sedge_monitors_flush(sedge_monitors *monitors)
{
    for (int i = 0; i < monitors->count; i++) {
        const sedge_monitor_kind *const kind = kind_of(monitors, i);

        if (kind->flush != NULL) SEDGE_TRY(kind->flush(monitors->each[i]));
    }
    return SEDGE_OK;
}

static sedge_status save_one(const sedge_monitors *monitors, int i, json_t *all)
{
    const sedge_monitor_kind *const kind = kind_of(monitors, i);
    json_t *const memory = json_object();

    if (json_object_set_new(all, kind->name, memory) != 0)
        return SEDGE_FAIL(SEDGE_ERR_MEMORY, "out of memory for the monitor '%s'", kind->name);
    return kind->save(monitors->each[i], memory);
}

sedge_status sedge_monitors_save(const sedge_monitors *monitors, json_t **out)
{
    sedge_status status = SEDGE_OK;

    *out = NULL;
    if (monitors->count == 0) return SEDGE_OK;
    json_t *all = json_object();
    for (int i = 0; i < monitors->count && status == SEDGE_OK; i++)
        status = save_one(monitors, i, all);
    if (status == SEDGE_OK) {
        *out = all;
        all = NULL;
    }
    json_decref(all);
    return status;
}
