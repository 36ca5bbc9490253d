#include "absorption.h"

#include "base/memory.h"
#include "monitor/output_describe.h"
#include "monitor/output_folder.h"
#include "monitor/vtk_mesh.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// What is being written at one frequency.
typedef struct density_writer {
    const sedge_absorption *absorption;
    const sedge_spectrum *spectrum;
    const sedge_vtk_mesh *mesh;
    double *matrix; // [lattice nodes][nodes]
    double *work;   // of sedge_absorption_density, then [lattice nodes]
    double factor;  // of code values
    int k;
} density_writer;

static void fill_points(const sedge_vtk *vtk, const void *from, int64_t first, int64_t count,
                        void *values)
{
    const density_writer *const writer = from;
    const int nodes = vtk->lattice->nodes;
    double *const density = writer->work + sedge_absorption_work(writer->spectrum);
    float *const block = values;

    for (int64_t e = 0; e < count; e++) {
        const int32_t row = writer->absorption->row_of[vtk->element[first + e]];
        double complex losses[SEDGE_MAX_FIELDS * SEDGE_MAX_FIELDS];

        if (row >= 0) {
            sedge_absorption_losses(writer->absorption, row, writer->k, losses);
            sedge_absorption_density(writer->absorption, writer->spectrum, row, writer->k, losses,
                                     writer->matrix, nodes, writer->work, density);
        }
        for (int n = 0; n < nodes; n++)
            block[e * nodes + n] = row >= 0 ? (float)(writer->factor * density[n]) : NAN;
    }
}

static void fill_cells(const sedge_vtk *vtk, const void *from, int64_t first, int64_t count,
                       void *values)
{
    const density_writer *const writer = from;
    const sedge_absorption *const absorption = writer->absorption;
    float *const block = values;

    for (int64_t e = 0; e < count; e++) {
        const int64_t row = absorption->row_of[vtk->element[first + e]];
        const int frequencies = writer->spectrum->frequencies->count;

        block[e] = NAN;
        if (row < 0) continue;
        block[e] = (float)(writer->factor * absorption->powers[row * frequencies + writer->k] /
                           absorption->volumes[row]);
    }
}

static sedge_vtk_column point_column(const sedge_vtk *vtk)
{
    return (sedge_vtk_column){"/VTKHDF/PointData/absorbed_density", SEDGE_H5_F32,
                              vtk->lattice->nodes, 1, fill_points};
}

static const sedge_vtk_column cell_column = {"/VTKHDF/CellData/mean_absorbed_density", SEDGE_H5_F32,
                                             1, 1, fill_cells};

// Root: everything but the values.
static sedge_status frame_file(const sedge_vtk *vtk, sedge_h5 *file, const void *what)
{
    const density_writer *const writer = what;
    const sedge_output_context *const context = vtk->context;
    const sedge_vtk_column points = point_column(vtk);
    const bool normalised = writer->spectrum->normalised;
    const double frequency =
        sedge_deck_frequency(context->deck, writer->spectrum->frequencies->value[writer->k]);

    SEDGE_TRY(sedge_vtk_write_head(vtk, file, "absorbed power"));
    SEDGE_TRY(
        sedge_h5_text(file, "/", "normalised_by", normalised ? "the sources' signal" : "nothing"));
    SEDGE_TRY(sedge_h5_real(file, "/", "frequency", frequency));
    SEDGE_TRY(sedge_h5_text(file, "/", "frequency_units", sedge_output_unit(context, "Hz")));
    SEDGE_TRY(sedge_vtk_mesh_link(writer->mesh, vtk, file));
    SEDGE_TRY(sedge_vtk_make_column(vtk, file, &points));
    SEDGE_TRY(sedge_vtk_make_column(vtk, file, &cell_column));
    const char *const unit = sedge_output_unit(context, normalised ? "W/m3" : "W s2/m3");
    SEDGE_TRY(sedge_h5_text(file, points.path, "units", unit));
    return sedge_h5_text(file, cell_column.path, "units", unit);
}

static sedge_status fill_file(const sedge_vtk *vtk, sedge_h5 *file, const void *what)
{
    const sedge_vtk_column points = point_column(vtk);

    SEDGE_TRY(sedge_vtk_fill_column(vtk, file, &points, what));
    return sedge_vtk_fill_column(vtk, file, &cell_column, what);
}

// The lattice's weights, a row for each of its nodes.
static sedge_status create_matrix(density_writer *writer, const sedge_lattice *lattice, int nodes)
{
    const int64_t work = sedge_absorption_work(writer->spectrum) + lattice->nodes;

    SEDGE_TRY(sedge_allocate(&writer->work, work, sizeof *writer->work));
    SEDGE_TRY(
        sedge_allocate(&writer->matrix, (int64_t)lattice->nodes * nodes, sizeof *writer->matrix));
    for (int64_t m = 0; m < lattice->nodes; m++) {
        for (int64_t n = 0; n < nodes; n++)
            writer->matrix[m * nodes + n] = lattice->weights[n * lattice->padded + m];
    }
    return SEDGE_OK;
}

sedge_status sedge_absorption_write_vtk(const sedge_absorption *absorption,
                                        const sedge_spectrum *spectrum, double signal_unit)
{
    const sedge_output_context *const context = absorption->context;
    const sedge_absorption_kind kind =
        spectrum->normalised ? SEDGE_ABSORBED_NORMALISED : SEDGE_ABSORBED_POWER;
    sedge_vtk vtk = {0};
    sedge_vtk_mesh mesh = {0};
    density_writer writer = {.absorption = absorption, .spectrum = spectrum, .mesh = &mesh};
    sedge_status status;

    if (absorption->groups == 0) return SEDGE_OK;
    SEDGE_TRY_GOTO(status, sedge_vtk_prepare(&vtk, context));
    SEDGE_TRY_GOTO(status, sedge_vtk_mesh_prepare(&mesh, &vtk, true));
    SEDGE_TRY_GOTO(status, sedge_vtk_mesh_complete(&mesh, true));
    SEDGE_TRY_GOTO(status, sedge_comm_agree(context->comm, create_matrix(&writer, vtk.lattice,
                                                                         context->element->nodes)));
    for (; writer.k < spectrum->frequencies->count; writer.k++) {
        char file[128];

        writer.factor = sedge_absorption_factor(absorption, spectrum, kind, signal_unit, writer.k) /
                        context->deck->copies;
        (void)snprintf(file, sizeof file, "absorption_%s_%06d.hdf", absorption->deck->name,
                       writer.k);
        SEDGE_TRY_GOTO(status, sedge_vtk_write(&vtk, file, frame_file, fill_file, &writer));
    }
done:
    sedge_vtk_clear(&vtk);
    sedge_release(writer.matrix);
    sedge_release(writer.work);
    return status;
}

bool sedge_absorption_owns_vtk(const char *name)
{
    static const char *const ends[] = {".hdf", ".hdf.tmp", NULL};
    const char *const last = strrchr(name, '_');

    return strncmp(name, "absorption_", 11) == 0 && last > name + 11 &&
           sedge_output_is_numbered(last, "_", "0123456789", 6, ends);
}
