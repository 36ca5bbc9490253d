#include "output.h"

#include "base/file.h"
#include "base/memory.h"
#include "monitors.h"
#include "output_folder.h"
#include "output_parts.h"

#include <stdio.h>
#include <unistd.h>

struct sedge_output {
    sedge_output_context context;
    sedge_fields *fields;
    sedge_energy_log *energy;
    sedge_probe_log *probes;
    sedge_slice_log *slices;
    sedge_monitors *monitors;
};

sedge_status sedge_output_continue(sedge_output **out, const sedge_comm *comm,
                                   const sedge_deck *deck, const sedge_mesh *mesh,
                                   const sedge_element *element, const sedge_problem *problem,
                                   const sedge_output_position *from)
{
    sedge_status status;
    sedge_output *output = NULL;

    *out = NULL;
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, sedge_allocate(&output, 1, sizeof *output)));
    sedge_output_context *const context = &output->context;
    context->comm = comm;
    context->deck = deck;
    context->mesh = mesh;
    context->element = element;
    context->problem = problem;
    context->from = from;
    if (snprintf(context->folder, sizeof context->folder, "%s", deck->output) >=
        (int)sizeof context->folder) {
        status = SEDGE_FAIL(SEDGE_ERR_USAGE, "the output folder's path is too long: '%.100s...'",
                            deck->output);
        goto done;
    }
    SEDGE_TRY_GOTO(status, sedge_output_prepare_folder(context));
    SEDGE_TRY_GOTO(status, sedge_energy_log_create(&output->energy, context));
    SEDGE_TRY_GOTO(status, sedge_probe_log_create(&output->probes, context));
    SEDGE_TRY_GOTO(status, sedge_slice_log_create(&output->slices, context));
    SEDGE_TRY_GOTO(status, sedge_fields_create(&output->fields, context));
    SEDGE_TRY_GOTO(status, sedge_monitors_create(&output->monitors, context));
    context->from = NULL;
    *out = output;
    output = NULL;
done:
    sedge_output_free(output);
    return status;
}

sedge_status sedge_output_create(sedge_output **out, const sedge_comm *comm, const sedge_deck *deck,
                                 const sedge_mesh *mesh, const sedge_element *element,
                                 const sedge_problem *problem)
{
    return sedge_output_continue(out, comm, deck, mesh, element, problem, NULL);
}

void sedge_output_free(sedge_output *output)
{
    if (output == NULL) return;
    sedge_fields_free(output->fields);
    sedge_energy_log_free(output->energy);
    sedge_probe_log_free(output->probes);
    sedge_slice_log_free(output->slices);
    sedge_monitors_free(output->monitors);
    sedge_release(output);
}

const char *sedge_output_folder(const sedge_output *output)
{
    return output->context.folder;
}

sedge_status sedge_output_snapshot(sedge_output *output, double time, int64_t step, const double *u)
{
    if (output->context.deck->snapshots > 0) {
        SEDGE_TRY(sedge_fields_prepare(output->fields));
        SEDGE_TRY(sedge_fields_write(output->fields, time, step, u));
    }
    SEDGE_TRY(sedge_slice_log_write(output->slices, time, step, u));
    return sedge_output_flush(output);
}

sedge_status sedge_output_last_snapshot(sedge_output *output, double time, int64_t step,
                                        const double *u)
{
    SEDGE_TRY(sedge_fields_prepare(output->fields));
    SEDGE_TRY(sedge_fields_write(output->fields, time, step, u));
    SEDGE_TRY(sedge_slice_log_write(output->slices, time, step, u));
    return sedge_output_flush(output);
}

sedge_status sedge_output_energy(sedge_output *output, double time, int64_t step, double energy)
{
    return sedge_energy_log_add(output->energy, time, step, energy);
}

const sedge_probe *sedge_output_probes(const sedge_output *output, int *count)
{
    return sedge_probe_log_owned(output->probes, count);
}

sedge_status sedge_output_append_probes(sedge_output *output, int samples, const double *times,
                                        const double *values)
{
    return sedge_probe_log_append(output->probes, samples, times, values);
}

bool sedge_output_due(const sedge_output *output, int64_t step)
{
    return sedge_monitors_due(output->monitors, step);
}

sedge_status sedge_output_sample(sedge_output *output, double time, int64_t step, const double *u)
{
    return sedge_monitors_sample(output->monitors, time, step, u);
}

sedge_status sedge_output_flush(sedge_output *output)
{
    SEDGE_TRY(sedge_energy_log_flush(output->energy));
    return sedge_monitors_flush(output->monitors);
}

// Root: bring NAME.h5 to the disk, if there is one.
static sedge_status sync_one(const sedge_output_context *context, const char *name)
{
    char path[SEDGE_OUTPUT_PATH];
    char file[128];

    (void)snprintf(file, sizeof file, "%.100s.h5", name);
    sedge_output_path(path, context, file);
    return access(path, F_OK) == 0 ? sedge_file_sync(path) : SEDGE_OK;
}

// Root.
static sedge_status sync_series(const sedge_output_context *context)
{
    static const char *const names[] = {"energy", "probes", "slices"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        SEDGE_TRY(sync_one(context, names[i]));
    for (int i = 0; i < context->deck->monitor_count; i++)
        SEDGE_TRY(sync_one(context, context->deck->monitors[i].kind->name));
    return SEDGE_OK;
}

sedge_status sedge_output_sync(sedge_output *output, int64_t step, sedge_output_position *out)
{
    const sedge_comm *const comm = output->context.comm;

    *out = (sedge_output_position){.energies = sedge_energy_log_count(output->energy),
                                   .probes = sedge_probe_log_count(output->probes),
                                   .slices = sedge_slice_log_count(output->slices),
                                   .fields = sedge_fields_count(output->fields),
                                   .step = step};
    SEDGE_TRY(sedge_output_flush(output));
    SEDGE_TRY(sedge_monitors_save(output->monitors, &out->monitors));
    return sedge_comm_agree(comm,
                            sedge_comm_is_root(comm) ? sync_series(&output->context) : SEDGE_OK);
}
