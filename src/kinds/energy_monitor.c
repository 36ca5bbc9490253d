// energy.h5: the energy of the fields and of the media's poles over time, /time, /step, /energy.
// The root keeps some samples and then appends them.
#include "dg/monitor_kind.h"

#include "base/file.h"
#include "base/memory.h"
#include "monitor/output_describe.h"
#include "monitor/output_folder.h"
#include "monitor/series.h"

#define KEPT_SAMPLES 256
#define KEPT_SECONDS 5.0

typedef struct energy_monitor {
    const sedge_output_context *context;
    int64_t samples; // kept ones included
    int kept;
    double times[KEPT_SAMPLES]; // deck's units, as all below
    double energies[KEPT_SAMPLES];
    int64_t steps[KEPT_SAMPLES];
    double written; // clock of the last write
} energy_monitor;

static bool requested(const sedge_deck *deck)
{
    (void)deck;
    return true;
}

static sedge_status make_file(const void *what, sedge_h5 *file)
{
    const sedge_output_context *const context = what;

    SEDGE_TRY(sedge_output_describe(file, context, "energy"));
    SEDGE_TRY(sedge_h5_series(file, "/time", SEDGE_H5_F64, 0, NULL, 1024));
    SEDGE_TRY(sedge_h5_text(file, "/time", "units", sedge_output_unit(context, "s")));
    SEDGE_TRY(sedge_h5_series(file, "/step", SEDGE_H5_I64, 0, NULL, 1024));
    SEDGE_TRY(sedge_h5_series(file, "/energy", SEDGE_H5_F64, 0, NULL, 1024));
    return sedge_h5_text(file, "/energy", "units", sedge_output_unit(context, "J"));
}

static sedge_status create(void **out, const sedge_output_context *context,
                           const double *parameters, const struct json_t *memory)
{
    energy_monitor *monitor = NULL;
    sedge_status status = sedge_allocate(&monitor, 1, sizeof *monitor);

    (void)parameters;
    *out = NULL;
    if (status == SEDGE_OK) {
        monitor->context = context;
        monitor->written = sedge_clock();
        status = sedge_series_load(&monitor->samples, memory, "energy");
    }
    if (status == SEDGE_OK && sedge_comm_is_root(context->comm))
        status = sedge_series_make(context, "energy.h5", 0, monitor->samples, make_file, context);
    status = sedge_comm_agree(context->comm, status);
    if (status == SEDGE_OK) {
        *out = monitor;
    } else {
        sedge_release(monitor);
    }
    return status;
}

static bool due(const void *what, int64_t step)
{
    const sedge_output_context *const context = ((const energy_monitor *)what)->context;

    return step % context->deck->energy_every == 0 || step == context->first_step ||
           step == context->steps;
}

static sedge_status extend(const energy_monitor *monitor, sedge_h5 *file)
{
    SEDGE_TRY(sedge_h5_extend(file, "/energy", SEDGE_H5_F64, monitor->kept, monitor->energies));
    SEDGE_TRY(sedge_h5_extend(file, "/step", SEDGE_H5_I64, monitor->kept, monitor->steps));
    return sedge_h5_extend(file, "/time", SEDGE_H5_F64, monitor->kept, monitor->times);
}

// Root: append what is kept.
static sedge_status append(energy_monitor *monitor)
{
    char path[SEDGE_OUTPUT_PATH];
    sedge_h5 *file = NULL;

    if (monitor->kept == 0) return SEDGE_OK;
    sedge_output_path(path, monitor->context, "energy.h5");
    SEDGE_TRY(sedge_h5_open_series(&file, path, (int64_t)monitor->kept * 24, 3));
    const sedge_status status = sedge_h5_close(file, extend(monitor, file));
    monitor->kept = 0;
    monitor->written = sedge_clock();
    return status;
}

static sedge_status add(void *what, int64_t step, double time, double energy)
{
    energy_monitor *const monitor = what;
    const sedge_output_context *const context = monitor->context;
    sedge_status status = SEDGE_OK;

    monitor->samples++;
    if (sedge_comm_is_root(context->comm)) {
        const int i = monitor->kept++;

        monitor->times[i] = time * sedge_deck_time_unit(context->deck);
        monitor->energies[i] = energy * sedge_deck_energy_unit(context->deck);
        monitor->steps[i] = step;
        if (monitor->kept == KEPT_SAMPLES || sedge_clock() - monitor->written > KEPT_SECONDS)
            status = append(monitor);
    }
    return sedge_comm_agree(context->comm, status);
}

static sedge_status flush(void *what)
{
    energy_monitor *const monitor = what;
    const sedge_comm *const comm = monitor->context->comm;

    return sedge_comm_agree(comm, sedge_comm_is_root(comm) ? append(monitor) : SEDGE_OK);
}

static sedge_status save(const void *what, struct json_t *memory)
{
    return sedge_series_save(((const energy_monitor *)what)->samples, memory, "energy");
}

static void release(void *what)
{
    sedge_release(what);
}

extern const sedge_monitor_kind sedge_monitor_energy;
const sedge_monitor_kind sedge_monitor_energy = {
    .name = "energy",
    .twins = true,
    .text = "energy of the fields and of media's poles over time",
    .requested = requested,
    .create = create,
    .due = due,
    .energy = add,
    .flush = flush,
    .save = save,
    .free = release,
};
