// Have S-parameters settled (time.stop.spectra), or the waves where there are none?
#include "ports.h"

#include "base/memory.h"
#include "monitor/settling.h"

#include <math.h>

// Does some port carry power at frequency k?
static bool is_carried(const ports_monitor *monitor, int k)
{
    for (int i = 0; i < monitor->count; i++)
        if (ports_impedance(monitor, i, ports_frequency(monitor, k)) > 0.0) return true;
    return false;
}

sedge_status ports_settling_create(ports_monitor *monitor, const struct json_t *memory)
{
    const bool root = sedge_comm_is_root(monitor->context->comm);
    sedge_status status;

    if (!(monitor->context->deck->stop_spectra > 0.0)) return SEDGE_OK;
    status = sedge_allocate(&monitor->carried, monitor->frequencies, sizeof *monitor->carried);
    for (int k = 0; k < monitor->frequencies && status == SEDGE_OK; k++)
        if (is_carried(monitor, k)) monitor->carried[monitor->carried_count++] = k;
    if (status == SEDGE_OK)
        status = sedge_allocate(&monitor->settling, 1, sizeof *monitor->settling);
    const int64_t waves = root ? 2LL * monitor->count : 0;
    if (status == SEDGE_OK) {
        status = sedge_allocate(&monitor->waves, waves * monitor->carried_count * 2,
                                sizeof *monitor->waves);
    }
    SEDGE_TRY(sedge_comm_agree(monitor->context->comm, status));
    SEDGE_TRY(sedge_settling_create(monitor->settling, monitor->context, waves,
                                    monitor->carried_count, monitor->restored, memory, "settling"));
    monitor->array[monitor->arrays++] =
        (sedge_monitor_array){.name = "before",
                              .restore = monitor->settling->restored,
                              .limit = monitor->count,
                              .count = waves / 2,
                              .ids = monitor->ids,
                              .width = 4LL * monitor->carried_count,
                              .values = monitor->settling->before};
    return SEDGE_OK;
}

void ports_settling_free(const ports_monitor *monitor)
{
    if (monitor->settling != NULL) sedge_settling_clear(monitor->settling);
    sedge_release(monitor->settling);
    sedge_release(monitor->carried);
    sedge_release(monitor->waves);
}

// Root: the waves at the frequencies that are carried, by that which drives, if there is one; 0
// where they are not known.
static void fill_waves(const ports_monitor *monitor)
{
    const int count = monitor->carried_count;

    if (monitor->driven >= 0) ports_find_parameters(monitor);
    for (int i = 0; i < monitor->count * count; i++) {
        const int k = monitor->carried[i % count];
        const int64_t at = (int64_t)k * monitor->count + i / count;
        double complex waves[2];

        if (monitor->driven >= 0) {
            waves[0] = monitor->incident[at];
            waves[1] = monitor->s[at];
        } else {
            ports_waves(waves, monitor, i / count, k);
        }
        for (int w = 0; w < 2; w++) {
            double *const out = monitor->waves + 2 * ((2LL * (i / count) + w) * count + i % count);
            const bool known = isfinite(creal(waves[w])) && isfinite(cimag(waves[w]));

            out[0] = known ? creal(waves[w]) : 0.0;
            out[1] = known ? cimag(waves[w]) : 0.0;
        }
    }
}

sedge_status ports_compare(void *what, int64_t window, bool measure, double *remains)
{
    ports_monitor *const monitor = what;
    sedge_settling *const settling = monitor->settling;

    if (measure) {
        if (sedge_comm_is_root(monitor->context->comm)) fill_waves(monitor);
        SEDGE_TRY(sedge_settling_measure(settling, monitor->context, monitor->waves, window));
    }
    *remains = fmax(settling->remains[0], settling->remains[1]);
    return SEDGE_OK;
}
