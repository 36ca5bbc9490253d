#include "spectrum.h"

#include "base/memory.h"
#include "monitor/output_describe.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

sedge_status sedge_spectrum_create(sedge_spectrum *out, const sedge_output_context *context,
                                   const sedge_deck_frequencies *frequencies, const bool *requested,
                                   const sedge_sampling *sampling, int64_t rows, int row_points,
                                   const int64_t *ids)
{
    const sedge_equation *const equation = context->problem->equation;
    const int count = frequencies->count;

    *out = (sedge_spectrum){.frequencies = frequencies,
                            .rows = rows,
                            .parts = sedge_output_parts(context),
                            .row_points = row_points};
    if (sampling != NULL) {
        out->normalised = sampling->signal != NULL;
        out->signals = sampling->signals;
        memcpy(out->signal, sampling->each, sizeof out->signal);
    }
    for (int g = 0; g < equation->group_count; g++) {
        const sedge_output_group *const group = &equation->groups[g];
        for (int c = 0; c < group->count && requested[g]; c++)
            out->component[out->components++] = group->first + c;
    }
    const int64_t sums = context->checks ? 0 : rows * sedge_spectrum_width(out);
    sedge_status status = sedge_allocate(&out->sums, sums, sizeof *out->sums);
    if (status == SEDGE_OK) {
        status = sedge_allocate(&out->incident, sedge_spectrum_incident_numbers(out),
                                sizeof *out->incident);
    }
    if (status == SEDGE_OK)
        status = sedge_allocate(&out->phases, 2LL * SEDGE_POINT_BATCH * count, sizeof *out->phases);
    SEDGE_TRY(sedge_comm_agree(context->comm, status));
    return sedge_gather_create(&out->gather, context->comm, rows, ids);
}

void sedge_spectrum_clear(sedge_spectrum *spectrum)
{
    if (spectrum->on_device != NULL) spectrum->source->free_transform(spectrum->on_device);
    sedge_release(spectrum->sums);
    sedge_release(spectrum->incident);
    sedge_release(spectrum->phases);
    sedge_gather_clear(&spectrum->gather);
}

int64_t sedge_spectrum_width(const sedge_spectrum *spectrum)
{
    return 2LL * spectrum->parts * spectrum->row_points * spectrum->components *
           spectrum->frequencies->count;
}

int sedge_spectrum_incident_numbers(const sedge_spectrum *spectrum)
{
    return 2 * spectrum->frequencies->count * (spectrum->signals > 1 ? spectrum->signals : 1);
}

// ---- samples -----------------------------------------------------------------------------------

sedge_status sedge_spectrum_connect(sedge_spectrum *spectrum, const sedge_output_context *context,
                                    const sedge_point_recorder *recorder, int first)
{
    void *points;

    spectrum->source = sedge_point_recorder_source(recorder, &points);
    return sedge_comm_agree(context->comm,
                            spectrum->source->create_transform(
                                &spectrum->on_device, points, first,
                                (int)(spectrum->rows * spectrum->parts * spectrum->row_points),
                                spectrum->components, spectrum->component,
                                2 * spectrum->frequencies->count));
}

// The phases of a batch, in fp64 from the times themselves; and what the signals add.
static void compute_phases(sedge_spectrum *spectrum, int samples, const double *times,
                           double weight)
{
    const double pi = 3.14159265358979323846;
    const int64_t count = spectrum->frequencies->count;

    assert(samples <= SEDGE_POINT_BATCH);
    for (int s = 0; s < samples; s++) {
        double *const phases = spectrum->phases + 2 * count * s;
        for (int64_t k = 0; k < count; k++) {
            const double turns = fmod(spectrum->frequencies->value[k] * times[s], 1.0);
            phases[2 * k] = weight * cos(2.0 * pi * turns);
            phases[2 * k + 1] = -weight * sin(2.0 * pi * turns);
        }
        for (int i = 0; i < spectrum->signals; i++) {
            double *const incident = spectrum->incident + 2 * count * i;
            const double x = sedge_signal(spectrum->signal[i], times[s]);
            for (int64_t k = 0; k < 2 * count; k++) incident[k] += phases[k] * x;
        }
    }
}

sedge_status sedge_spectrum_add(sedge_spectrum *spectrum, int samples, const double *times,
                                double weight)
{
    compute_phases(spectrum, samples, times, weight);
    if (!spectrum->begun && spectrum->restored)
        SEDGE_TRY(spectrum->source->set_sums(spectrum->on_device, spectrum->sums));
    spectrum->begun = true;
    return spectrum->source->add_samples(spectrum->on_device, spectrum->phases);
}

sedge_status sedge_spectrum_fetch(const sedge_spectrum *spectrum)
{
    if (!spectrum->begun) return SEDGE_OK;
    return spectrum->source->get_sums(spectrum->on_device, spectrum->sums);
}

// Each row has the sums of the real part, then those of the imaginary part. Joined rows are half as
// long and lie one behind the other.
void sedge_spectrum_join(const sedge_spectrum *spectrum)
{
    const int64_t part = sedge_spectrum_width(spectrum) / 2; // numbers of a part
    double *const sums = spectrum->sums;

    if (spectrum->parts == 1) return;
    for (int64_t row = 0; row < spectrum->rows; row++) {
        const double *const u = sums + 2 * row * part;
        const double *const v = u + part;

        for (int64_t i = 0; i < part; i += 2) {
            const double both[2] = {u[i] - v[i + 1], u[i + 1] + v[i]};
            memcpy(sums + row * part + i, both, sizeof both);
        }
    }
}

// ---- description -------------------------------------------------------------------------------

sedge_status sedge_spectrum_describe(const sedge_spectrum *spectrum,
                                     const sedge_output_context *context,
                                     const sedge_sampling *sampling, sedge_h5 *file,
                                     const char *folder)
{
    const sedge_deck *const deck = context->deck;
    const int64_t count = spectrum->frequencies->count;
    const double factor = sampling->signal_unit * sedge_deck_time_unit(deck);
    double *numbers = NULL;
    char path[256];
    sedge_status status;

    SEDGE_TRY(sedge_h5_integer(file, folder, "begin_step", spectrum->begin));
    SEDGE_TRY(sedge_h5_integer(file, folder, "every", sampling->every));
    SEDGE_TRY_GOTO(status, sedge_allocate(&numbers, 2 * count, sizeof *numbers));
    for (int64_t k = 0; k < count; k++)
        numbers[k] = sedge_deck_frequency(deck, spectrum->frequencies->value[k]);
    (void)snprintf(path, sizeof path, "%s/frequency", folder);
    SEDGE_TRY_GOTO(status, sedge_h5_put(file, path, SEDGE_H5_F64, 1, &count, numbers));
    SEDGE_TRY_GOTO(status, sedge_h5_text(file, path, "units", sedge_output_unit(context, "Hz")));
    if (!spectrum->normalised) goto done;
    for (int64_t k = 0; k < 2 * count; k++) numbers[k] = spectrum->incident[k] * factor;
    (void)snprintf(path, sizeof path, "%s/incident", folder);
    SEDGE_TRY_GOTO(status, sedge_h5_put(file, path, SEDGE_H5_COMPLEX, 1, &count, numbers));
done:
    sedge_release(numbers);
    return status;
}

// ---- writing -----------------------------------------------------------------------------------

// What is being written.
typedef struct spectrum_writer {
    const sedge_spectrum *spectrum;
    const sedge_output_context *context;
    const sedge_spectrum_places *places;
    sedge_h5 *file;
    const char *folder;
    int64_t points;
    double peak;   // of the incident spectrum
    double *own;   // [rows][row_points][components][2] of one frequency
    double *all;   // root: the same of all ranks
    double *shown; // root: [points][components of a group][2], deck's units
} spectrum_writer;

// The transform's unit: that of the field times the second.
static const char *unit_of(const spectrum_writer *writer, const char *si, char text[32])
{
    (void)snprintf(text, 32, "%s s", si != NULL ? si : "1");
    return sedge_output_unit(writer->context, text);
}

static sedge_status make_group(const spectrum_writer *writer, const sedge_output_group *group,
                               const char *ending)
{
    const sedge_spectrum_places *const places = writer->places;
    int64_t shape[4] = {writer->spectrum->frequencies->count, places->shape[0], places->shape[1]};
    int rank = 1 + places->rank;
    char path[256];
    char unit[32];

    if (group->count > 1) shape[rank++] = group->count;
    (void)snprintf(path, sizeof path, "%s/%s%s", writer->folder, group->name, ending);
    SEDGE_TRY(sedge_h5_dataset(writer->file, path, SEDGE_H5_COMPLEX, rank, shape));
    SEDGE_TRY(sedge_h5_texts(writer->file, path, "fields",
                             writer->context->problem->equation->field_names + group->first,
                             group->count));
    if (ending[0] != '\0') return SEDGE_OK;
    return sedge_h5_text(writer->file, path, "units", unit_of(writer, group->unit_si, unit));
}

// Root: the values of one group at one frequency, from those of all ranks.
static void place_values(const spectrum_writer *writer, const sedge_output_group *group, int first)
{
    const sedge_spectrum *const spectrum = writer->spectrum;
    const sedge_spectrum_places *const places = writer->places;
    const int64_t width = 2LL * group->count;
    const int row_points = spectrum->row_points;
    const double factor = sedge_output_group_factor(writer->context, group) *
                          sedge_deck_time_unit(writer->context->deck);

    for (int64_t i = 0; i < writer->points * width; i++) writer->shown[i] = NAN;
    for (int pass = 0; pass < 2; pass++) { // points that have a row begin at 0
        for (int64_t i = 0; i < spectrum->gather.all * row_points; i++) {
            const int64_t row = i / row_points;
            const int64_t to = places->target != NULL ? places->target[i] : spectrum->gather.ids[i];
            const double share = factor * (places->share != NULL ? places->share[row] : 1.0);
            const double *const from = writer->all + 2 * (i * spectrum->components + first);
            double *const shown = writer->shown + to * width;

            for (int64_t c = 0; c < width; c++)
                shown[c] = pass == 0 ? 0.0 : shown[c] + share * from[c];
        }
    }
}

// Root: divide what is shown by the incident spectrum at frequency k; not-a-number where that is
// too small.
static void normalise(const spectrum_writer *writer, const sedge_sampling *sampling, int64_t k,
                      int64_t values)
{
    const sedge_deck *const deck = writer->context->deck;
    const double factor = sampling->signal_unit * sedge_deck_time_unit(deck);
    const double re = factor * writer->spectrum->incident[2 * k];
    const double im = factor * writer->spectrum->incident[2 * k + 1];
    const double square = re * re + im * im;
    const bool small = !(sqrt(square) >= deck->frequency_floor * factor * writer->peak);

    for (int64_t i = 0; i < values; i++) {
        double *const x = writer->shown + 2 * i;
        const double real = (x[0] * re + x[1] * im) / square;
        const double imaginary = (x[1] * re - x[0] * im) / square;

        x[0] = small ? (double)NAN : real;
        x[1] = small ? (double)NAN : imaginary;
    }
}

// Root: write the groups at frequency k.
static sedge_status write_groups(const spectrum_writer *writer, const sedge_sampling *sampling,
                                 const bool *requested, int k)
{
    const sedge_equation *const equation = writer->context->problem->equation;
    char path[256];
    int first = 0;

    for (int g = 0; g < equation->group_count; g++) {
        const sedge_output_group *const group = &equation->groups[g];
        if (!requested[g]) continue;
        place_values(writer, group, first);
        first += group->count;
        (void)snprintf(path, sizeof path, "%s/%s", writer->folder, group->name);
        SEDGE_TRY(sedge_h5_write(writer->file, path, SEDGE_H5_COMPLEX, k, 1, writer->shown));
        if (!writer->spectrum->normalised) continue;
        normalise(writer, sampling, k, writer->points * group->count);
        (void)snprintf(path, sizeof path, "%s/%s_normalised", writer->folder, group->name);
        SEDGE_TRY(sedge_h5_write(writer->file, path, SEDGE_H5_COMPLEX, k, 1, writer->shown));
    }
    return SEDGE_OK;
}

// Root: make all datasets.
static sedge_status make_datasets(const spectrum_writer *writer, const sedge_sampling *sampling,
                                  const bool *requested)
{
    const sedge_equation *const equation = writer->context->problem->equation;

    SEDGE_TRY(sedge_spectrum_describe(writer->spectrum, writer->context, sampling, writer->file,
                                      writer->folder));
    for (int g = 0; g < equation->group_count; g++) {
        if (!requested[g]) continue;
        SEDGE_TRY(make_group(writer, &equation->groups[g], ""));
        if (writer->spectrum->normalised)
            SEDGE_TRY(make_group(writer, &equation->groups[g], "_normalised"));
    }
    return SEDGE_OK;
}

static sedge_status allocate(spectrum_writer *writer)
{
    const sedge_spectrum *const spectrum = writer->spectrum;
    const int64_t width = 2LL * spectrum->row_points * spectrum->components;
    const bool root = sedge_comm_is_root(writer->context->comm);

    SEDGE_TRY(sedge_allocate(&writer->own, spectrum->rows * width, sizeof *writer->own));
    SEDGE_TRY(sedge_allocate(&writer->all, spectrum->gather.all * width, sizeof *writer->all));
    return sedge_allocate(&writer->shown, root ? writer->points * 6 : 0, sizeof *writer->shown);
}

// Bring the values of frequency k to the root. Collective.
static void bring_values(const spectrum_writer *writer, int k)
{
    const sedge_spectrum *const spectrum = writer->spectrum;
    const int64_t count = spectrum->frequencies->count;
    const int64_t width = (int64_t)spectrum->row_points * spectrum->components;

    for (int64_t i = 0; i < spectrum->rows * width; i++)
        memcpy(writer->own + 2 * i, spectrum->sums + 2 * (i * count + k), 2 * sizeof(double));
    sedge_gather_bring(&spectrum->gather, writer->context->comm, writer->own,
                       (size_t)width * 2 * sizeof(double), writer->all);
}

sedge_status sedge_spectrum_write(const sedge_spectrum *spectrum,
                                  const sedge_output_context *context,
                                  const sedge_sampling *sampling, const bool *requested,
                                  const sedge_spectrum_places *places, sedge_h5 *file,
                                  const char *folder)
{
    const bool root = sedge_comm_is_root(context->comm);
    spectrum_writer writer = {.spectrum = spectrum,
                              .context = context,
                              .places = places,
                              .file = file,
                              .folder = folder,
                              .points =
                                  places->shape[0] * (places->rank > 1 ? places->shape[1] : 1)};
    sedge_status status;

    for (int64_t k = 0; k < spectrum->frequencies->count; k++) {
        const double *const of = spectrum->incident + 2 * k;
        writer.peak = fmax(writer.peak, hypot(of[0], of[1]));
    }
    status = allocate(&writer);
    if (root && status == SEDGE_OK) status = make_datasets(&writer, sampling, requested);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(context->comm, status));
    for (int k = 0; k < spectrum->frequencies->count; k++) {
        bring_values(&writer, k);
        if (root && status == SEDGE_OK) status = write_groups(&writer, sampling, requested, k);
    }
    status = sedge_comm_agree(context->comm, status);
done:
    sedge_release(writer.own);
    sedge_release(writer.all);
    sedge_release(writer.shown);
    return status;
}
