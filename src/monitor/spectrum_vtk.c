#include "spectrum_vtk.h"

#include "base/memory.h"
#include "monitor/output_describe.h"
#include "monitor/output_folder.h"
#include "monitor/vtk_mesh.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PATH_IN_FILE 160

// What is being written at one frequency.
typedef struct volume_writer {
    const sedge_spectrum *spectrum;
    const sedge_sampling *sampling;
    const bool *requested;
    const int32_t *row_of;
    const sedge_vtk_mesh *mesh;
    double *nodal;   // [nodes]
    int64_t k;       // the frequency
    bool normalised; // of what is being written
    const sedge_output_group *group;
    int first; // of the group among the components of the spectrum
    int part;  // 0: real, 1: imaginary
} volume_writer;

// The factor of the transform to what is shown, complex: units and, where it is normalised, the
// incident spectrum.
static void find_factor(const volume_writer *writer, const sedge_output_context *context,
                        double factor[2])
{
    const sedge_deck *const deck = context->deck;
    const double time = sedge_deck_time_unit(deck);
    const double unit = sedge_output_group_factor(context, writer->group) * time;
    const double *const of = writer->spectrum->incident + 2 * writer->k;
    double peak = 0.0;

    factor[0] = unit;
    factor[1] = 0.0;
    if (!writer->normalised) return;
    for (int64_t i = 0; i < writer->spectrum->frequencies->count; i++) {
        const double *const at = writer->spectrum->incident + 2 * i;
        peak = fmax(peak, hypot(at[0], at[1]));
    }
    const double signal = writer->sampling->signal_unit * time;
    const double size = hypot(of[0], of[1]);
    const bool small = !(size >= deck->frequency_floor * peak);
    factor[0] = small ? (double)NAN : unit * of[0] / (signal * size * size);
    factor[1] = small ? (double)NAN : -unit * of[1] / (signal * size * size);
}

static void fill_values(const sedge_vtk *vtk, const void *from, int64_t first, int64_t count,
                        void *values)
{
    const volume_writer *const writer = from;
    const sedge_spectrum *const spectrum = writer->spectrum;
    const int nodes = vtk->lattice->nodes;
    const int width = writer->group->count;
    const int64_t frequencies = spectrum->frequencies->count;
    float *const block = values;
    double factor[2];

    find_factor(writer, vtk->context, factor);
    for (int64_t e = 0; e < count; e++) {
        const int32_t row = writer->row_of[vtk->element[first + e]];

        for (int c = 0; c < width; c++) {
            float *const out = block + e * nodes * width + c;
            for (int64_t n = 0; n < nodes; n++) {
                const int64_t at =
                    ((row * (int64_t)nodes + n) * spectrum->components + writer->first + c) *
                        frequencies +
                    writer->k;
                const double *const x = spectrum->sums + 2 * at;
                if (row < 0) {
                    out[n * width] = NAN;
                } else {
                    writer->nodal[n] = writer->part == 0 ? factor[0] * x[0] - factor[1] * x[1]
                                                         : factor[0] * x[1] + factor[1] * x[0];
                }
            }
            if (row >= 0) sedge_lattice_apply(vtk->lattice, writer->nodal, 1.0, out, width);
        }
    }
}

// Do `what` with each dataset of the file in turn.
typedef sedge_status column_action(const sedge_vtk *vtk, sedge_h5 *file,
                                   const sedge_vtk_column *column, const volume_writer *writer);

static sedge_status each_column(const sedge_vtk *vtk, sedge_h5 *file, const volume_writer *from,
                                column_action *action)
{
    static const char *const endings[2][2] = {{"_re", "_im"}, {"_normalised_re", "_normalised_im"}};
    const sedge_equation *const equation = vtk->context->problem->equation;
    volume_writer writer = *from;
    char path[PATH_IN_FILE];

    for (int which = 0; which < (from->spectrum->normalised ? 4 : 2); which++) {
        writer.part = which % 2;
        writer.normalised = which > 1;
        writer.first = 0;
        for (int g = 0; g < equation->group_count; g++) {
            if (!from->requested[g]) continue;
            writer.group = &equation->groups[g];
            (void)snprintf(path, sizeof path, "/VTKHDF/PointData/%s%s", writer.group->name,
                           endings[which / 2][which % 2]);
            const sedge_vtk_column column = {path, SEDGE_H5_F32, vtk->lattice->nodes,
                                             writer.group->count, fill_values};
            SEDGE_TRY(action(vtk, file, &column, &writer));
            writer.first += writer.group->count;
        }
    }
    return SEDGE_OK;
}

static sedge_status make_column(const sedge_vtk *vtk, sedge_h5 *file,
                                const sedge_vtk_column *column, const volume_writer *writer)
{
    (void)writer;
    return sedge_vtk_make_column(vtk, file, column);
}

static sedge_status fill_column(const sedge_vtk *vtk, sedge_h5 *file,
                                const sedge_vtk_column *column, const volume_writer *writer)
{
    return sedge_vtk_fill_column(vtk, file, column, writer);
}

// Root: everything but the values.
static sedge_status frame_file(const sedge_vtk *vtk, sedge_h5 *file, const void *what)
{
    const volume_writer *const writer = what;
    const sedge_output_context *const context = vtk->context;
    const double frequency =
        sedge_deck_frequency(context->deck, writer->spectrum->frequencies->value[writer->k]);

    SEDGE_TRY(sedge_vtk_write_head(vtk, file, "spectrum"));
    SEDGE_TRY(sedge_h5_text(file, "/", "phasor", "exp(+jwt)"));
    SEDGE_TRY(sedge_h5_real(file, "/", "frequency", frequency));
    SEDGE_TRY(sedge_h5_text(file, "/", "frequency_units", sedge_output_unit(context, "Hz")));
    SEDGE_TRY(sedge_vtk_mesh_link(writer->mesh, vtk, file));
    return each_column(vtk, file, writer, make_column);
}

static sedge_status fill_file(const sedge_vtk *vtk, sedge_h5 *file, const void *what)
{
    return each_column(vtk, file, what, fill_column);
}

sedge_status sedge_spectrum_write_vtk(const sedge_spectrum *spectrum,
                                      const sedge_output_context *context,
                                      const sedge_sampling *sampling, const bool *requested,
                                      const char *name, const int32_t *row_of)
{
    sedge_vtk vtk = {0};
    sedge_vtk_mesh mesh = {0};
    volume_writer writer = {.spectrum = spectrum,
                            .sampling = sampling,
                            .requested = requested,
                            .row_of = row_of,
                            .mesh = &mesh};
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_vtk_prepare(&vtk, context));
    SEDGE_TRY_GOTO(status, sedge_vtk_mesh_prepare(&mesh, &vtk, true));
    SEDGE_TRY_GOTO(status, sedge_vtk_mesh_complete(&mesh, true));
    SEDGE_TRY_GOTO(status, sedge_comm_agree(context->comm,
                                            sedge_allocate(&writer.nodal, context->element->nodes,
                                                           sizeof *writer.nodal)));
    for (; writer.k < spectrum->frequencies->count; writer.k++) {
        char file[128];

        (void)snprintf(file, sizeof file, "spectrum_%s_%06lld.hdf", name, (long long)writer.k);
        SEDGE_TRY_GOTO(status, sedge_vtk_write(&vtk, file, frame_file, fill_file, &writer));
    }
done:
    sedge_vtk_clear(&vtk);
    sedge_release(writer.nodal);
    return status;
}

bool sedge_spectrum_owns_vtk(const char *name)
{
    static const char *const ends[] = {".hdf", ".hdf.tmp", NULL};
    const char *const last = strrchr(name, '_');

    return strncmp(name, "spectrum_", 9) == 0 && last > name + 9 &&
           sedge_output_is_numbered(last, "_", "0123456789", 6, ends);
}
