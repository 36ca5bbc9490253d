#include "absorption.h"

#include "base/memory.h"
#include "base/text.h"
#include "io/json.h"
#include "monitor/output_describe.h"

#include <jansson.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SHOWN_LINES   8 // frequencies in the user's table
#define SHOWN_COLUMNS 6 // volume groups

const char *const sedge_absorption_names[SEDGE_ABSORBED_KINDS] = {"power", "power_normalised",
                                                                  "cross_section", "part"};

// ---- units -------------------------------------------------------------------------------------

// The absolute value of the sources' one signal at frequency k, code units; not-a-number where it
// is below the deck's floor.
static double find_signal(const sedge_absorption *absorption, const sedge_spectrum *spectrum, int k)
{
    const double *const of = spectrum->incident + 2LL * k;
    double peak = 0.0;

    for (int64_t i = 0; i < spectrum->frequencies->count; i++)
        peak = fmax(peak, hypot(spectrum->incident[2 * i], spectrum->incident[2 * i + 1]));
    const double size = hypot(of[0], of[1]);
    return size >= absorption->context->deck->frequency_floor * peak ? size : (double)NAN;
}

double sedge_absorption_factor(const sedge_absorption *absorption, const sedge_spectrum *spectrum,
                               sedge_absorption_kind kind, double signal_unit, int k)
{
    const sedge_output_context *const context = absorption->context;
    const sedge_output_group *const groups = context->problem->equation->groups;
    const double time = sedge_deck_time_unit(context->deck);
    const double power = context->deck->copies * time * time *
                         sedge_output_group_factor(context, &groups[0]) *
                         sedge_output_group_factor(context, &groups[1]);

    if (kind == SEDGE_ABSORBED_AREA) {
        return absorption->intensity != NULL ? context->deck->copies / absorption->intensity[k]
                                             : 0.0;
    }
    if (kind == SEDGE_ABSORBED_POWER) return power;
    if (!spectrum->normalised) return 0.0;
    const double signal = find_signal(absorption, spectrum, k);
    if (kind == SEDGE_ABSORBED_NORMALISED)
        return power / (signal * signal * signal_unit * signal_unit * time * time);
    return absorption->cell_power > 0.0 ? 1.0 / (signal * signal * absorption->cell_power) : 0.0;
}

static bool has_kind(const sedge_absorption *absorption, const sedge_spectrum *spectrum,
                     sedge_absorption_kind kind)
{
    return sedge_absorption_factor(absorption, spectrum, kind, 1.0, 0) !=
           0.0; // not-a-number is one
}

// The groups and surfaces, behind which `power` has the sum.
static int count_parts(const sedge_absorption *absorption)
{
    return absorption->groups + absorption->surfaces;
}

static const char *part_name(const sedge_absorption *absorption, int g)
{
    if (g < absorption->groups)
        return absorption->context->mesh->groups.volume_names[absorption->volume[g]];
    return g < count_parts(absorption) ? absorption->surface[g - absorption->groups].name : "total";
}

// ---- the file: groups --------------------------------------------------------------------------

// Root: the dataset of one kind, [groups + surfaces + 1][frequencies]. `values` has room for it.
static sedge_status write_kind(const sedge_absorption *absorption, const sedge_spectrum *spectrum,
                               sedge_absorption_kind kind, double signal_unit, sedge_h5 *file,
                               const char *folder, double *values)
{
    static const char *const units[SEDGE_ABSORBED_KINDS] = {"W s2", NULL, "m2", "1"};
    const sedge_output_context *const context = absorption->context;
    const int count = spectrum->frequencies->count;
    const int64_t shape[2] = {count_parts(absorption) + 1, count};
    const char **names = NULL;
    char path[256];
    sedge_status status;

    for (int k = 0; k < count; k++) {
        const double factor = sedge_absorption_factor(absorption, spectrum, kind, signal_unit, k);
        for (int64_t g = 0; g < shape[0]; g++)
            values[g * count + k] = factor * absorption->power[g * count + k];
    }
    (void)snprintf(path, sizeof path, "%s/%s", folder, sedge_absorption_names[kind]);
    SEDGE_TRY_GOTO(status, sedge_allocate(&names, shape[0], sizeof(const char *)));
    for (int g = 0; g < shape[0]; g++) names[g] = part_name(absorption, g);
    SEDGE_TRY_GOTO(status, sedge_h5_put(file, path, SEDGE_H5_F64, 2, shape, values));
    SEDGE_TRY_GOTO(status, sedge_h5_texts(file, path, "groups", names, (int)shape[0]));
    if (units[kind] != NULL)
        status = sedge_h5_text(file, path, "units", sedge_output_unit(context, units[kind]));
done:
    sedge_release(names);
    return status;
}

static sedge_status write_groups(const sedge_absorption *absorption, const sedge_spectrum *spectrum,
                                 double signal_unit, sedge_h5 *file, const char *folder)
{
    const int64_t groups = absorption->groups + 1;
    double *values = NULL;
    char path[256];
    sedge_status status;

    SEDGE_TRY_GOTO(status,
                   sedge_allocate(&values,
                                  (groups + absorption->surfaces) * spectrum->frequencies->count,
                                  sizeof *values));
    for (int kind = 0; kind < SEDGE_ABSORBED_KINDS; kind++) {
        if (!has_kind(absorption, spectrum, (sedge_absorption_kind)kind)) continue;
        SEDGE_TRY_GOTO(status, write_kind(absorption, spectrum, (sedge_absorption_kind)kind,
                                          signal_unit, file, folder, values));
    }
    if (absorption->exact != NULL) {
        const int64_t count = spectrum->frequencies->count;

        (void)snprintf(path, sizeof path, "%s/exact", folder);
        SEDGE_TRY_GOTO(status,
                       sedge_h5_put(file, path, SEDGE_H5_F64, 1, &count, absorption->exact));
        SEDGE_TRY_GOTO(status, sedge_h5_text(file, path, "units",
                                             sedge_output_unit(absorption->context, "m2")));
    }
    (void)snprintf(path, sizeof path, "%s/group_volume", folder);
    SEDGE_TRY_GOTO(status,
                   sedge_h5_put(file, path, SEDGE_H5_F64, 1, &groups, absorption->volume_of_group));
    status = sedge_h5_text(file, path, "units", sedge_output_unit(absorption->context, "m3"));
done:
    sedge_release(values);
    return status;
}

// ---- the file: elements ------------------------------------------------------------------------

// Elements of all ranks, in the order of their numbers in the mesh.
typedef struct element_writer {
    const sedge_absorption *absorption;
    const sedge_spectrum *spectrum;
    sedge_h5 *file; // root
    const char *folder;
    int64_t all;     // root
    int64_t *order;  // root: [all] the places of elements among the gathered ones
    double *own;     // [rows][3]
    double *brought; // root: [all][3]
    double *sorted;  // root: [all][3]
} element_writer;

typedef struct numbered {
    int64_t id, place;
} numbered;

static int by_id(const void *left, const void *right)
{
    const numbered *const a = left;
    const numbered *const b = right;

    return (a->id > b->id) - (a->id < b->id);
}

static sedge_status sort_elements(element_writer *writer)
{
    const sedge_gather *const gather = &writer->spectrum->gather;
    numbered *list = NULL;

    SEDGE_TRY(sedge_allocate(&list, gather->all, sizeof *list));
    for (int64_t i = 0; i < gather->all; i++) list[i] = (numbered){gather->ids[i], i};
    qsort(list, (size_t)gather->all, sizeof *list, by_id);
    for (int64_t i = 0; i < gather->all; i++) writer->order[i] = list[i].place;
    sedge_release(list);
    return SEDGE_OK;
}

static sedge_status create_writer(element_writer *writer)
{
    const int64_t rows = writer->absorption->rows;

    writer->all = writer->spectrum->gather.all;
    SEDGE_TRY(sedge_allocate(&writer->order, writer->all, sizeof *writer->order));
    SEDGE_TRY(sedge_allocate(&writer->own, 3 * rows, sizeof *writer->own));
    SEDGE_TRY(sedge_allocate(&writer->brought, 3 * writer->all, sizeof *writer->brought));
    SEDGE_TRY(sedge_allocate(&writer->sorted, 3 * writer->all, sizeof *writer->sorted));
    return sort_elements(writer);
}

// Bring `own` [rows][components] of all ranks to the root's `sorted`.
static void bring(const element_writer *writer, int components)
{
    sedge_gather_bring(&writer->spectrum->gather, writer->absorption->context->comm, writer->own,
                       (size_t)components * sizeof *writer->own, writer->brought);
    for (int64_t i = 0; i < writer->all; i++) {
        for (int c = 0; c < components; c++)
            writer->sorted[i * components + c] = writer->brought[writer->order[i] * components + c];
    }
}

// Root: what is brought becomes a dataset.
static sedge_status put(const element_writer *writer, const char *name, int components,
                        const char *unit)
{
    const int64_t shape[2] = {writer->all, components};
    char path[256];

    (void)snprintf(path, sizeof path, "%s/%s", writer->folder, name);
    SEDGE_TRY(sedge_h5_put(writer->file, path, SEDGE_H5_F64, components > 1 ? 2 : 1, shape,
                           writer->sorted));
    return sedge_h5_text(writer->file, path, "units",
                         sedge_output_unit(writer->absorption->context, unit));
}

// Root: numbers and groups of the elements.
static sedge_status put_numbers(const element_writer *writer)
{
    const int64_t *const ids = writer->spectrum->gather.ids;
    int64_t *numbers = NULL;
    char path[256];
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&numbers, writer->all, sizeof *numbers));
    for (int64_t i = 0; i < writer->all; i++) numbers[i] = ids[writer->order[i]];
    (void)snprintf(path, sizeof path, "%s/element", writer->folder);
    SEDGE_TRY_GOTO(status,
                   sedge_h5_put(writer->file, path, SEDGE_H5_I64, 1, &writer->all, numbers));
    for (int64_t i = 0; i < writer->all; i++) numbers[i] = (int64_t)writer->sorted[i];
    (void)snprintf(path, sizeof path, "%s/group", writer->folder);
    status = sedge_h5_put(writer->file, path, SEDGE_H5_I64, 1, &writer->all, numbers);
done:
    sedge_release(numbers);
    return status;
}

// Numbers, groups, places and volumes of the elements. Collective.
static sedge_status write_geometry(const element_writer *writer)
{
    static const double middle[3] = {-0.5, -0.5, -0.5};
    const sedge_absorption *const absorption = writer->absorption;
    const sedge_comm *const comm = absorption->context->comm;
    const sedge_mesh *const mesh = absorption->context->mesh;
    sedge_status status = SEDGE_OK;

    for (int64_t row = 0; row < absorption->rows; row++)
        writer->own[row] = absorption->group_of[mesh->group[absorption->elements[row]]];
    bring(writer, 1);
    if (writer->file != NULL) status = put_numbers(writer);
    SEDGE_TRY(sedge_comm_agree(comm, status));
    for (int64_t row = 0; row < absorption->rows; row++)
        sedge_mesh_place(mesh, absorption->elements[row], middle, writer->own + 3 * row);
    bring(writer, 3);
    if (writer->file != NULL) status = put(writer, "place", 3, "m");
    SEDGE_TRY(sedge_comm_agree(comm, status));
    for (int64_t row = 0; row < absorption->rows; row++)
        writer->own[row] = absorption->volumes[row];
    bring(writer, 1);
    if (writer->file != NULL) status = put(writer, "volume", 1, "m3");
    return sedge_comm_agree(comm, status);
}

// The mean density of the absorbed power in each element, [frequencies][elements]; `by_mass`: over
// its mass density, the rate of tissue, else not-a-number. Collective.
static sedge_status write_densities(const element_writer *writer, sedge_absorption_kind kind,
                                    double signal_unit, const char *name, bool by_mass)
{
    const sedge_absorption *const absorption = writer->absorption;
    const sedge_comm *const comm = absorption->context->comm;
    const int count = writer->spectrum->frequencies->count;
    const int64_t shape[2] = {count, writer->all};
    char path[256];
    sedge_status status = SEDGE_OK;

    (void)snprintf(path, sizeof path, "%s/%s", writer->folder, name);
    if (writer->file != NULL) status = sedge_h5_dataset(writer->file, path, SEDGE_H5_F64, 2, shape);
    SEDGE_TRY(sedge_comm_agree(comm, status));
    for (int k = 0; k < count; k++) {
        const double factor =
            sedge_absorption_factor(absorption, writer->spectrum, kind, signal_unit, k) /
            absorption->context->deck->copies;
        for (int64_t row = 0; row < absorption->rows; row++) {
            const int v = absorption->context->mesh->group[absorption->elements[row]];
            const double over = by_mass ? absorption->mass_density[absorption->group_of[v]] : 1.0;
            const double mean = absorption->powers[row * count + k] / absorption->volumes[row];
            writer->own[row] = over > 0.0 ? factor * mean / over : (double)NAN;
        }
        bring(writer, 1);
        if (writer->file != NULL)
            status = sedge_h5_write(writer->file, path, SEDGE_H5_F64, k, 1, writer->sorted);
        SEDGE_TRY(sedge_comm_agree(comm, status));
    }
    const char *const unit = by_mass ? "W/kg" : "W/m3";
    const char *const of_transforms = by_mass ? "W s2/kg" : "W s2/m3";
    if (writer->file != NULL) {
        status =
            sedge_h5_text(writer->file, path, "units",
                          sedge_output_unit(absorption->context,
                                            kind == SEDGE_ABSORBED_POWER ? of_transforms : unit));
    }
    return sedge_comm_agree(comm, status);
}

sedge_status sedge_absorption_write(const sedge_absorption *absorption,
                                    const sedge_spectrum *spectrum, double signal_unit,
                                    sedge_h5 *file, const char *folder)
{
    const sedge_comm *const comm = absorption->context->comm;
    element_writer writer = {
        .absorption = absorption, .spectrum = spectrum, .file = file, .folder = folder};
    sedge_status status = create_writer(&writer);

    if (status == SEDGE_OK && file != NULL)
        status = write_groups(absorption, spectrum, signal_unit, file, folder);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    SEDGE_TRY_GOTO(status, write_geometry(&writer));
    const sedge_absorption_kind kind =
        spectrum->normalised ? SEDGE_ABSORBED_NORMALISED : SEDGE_ABSORBED_POWER;
    SEDGE_TRY_GOTO(status,
                   write_densities(&writer, SEDGE_ABSORBED_POWER, signal_unit, "density", false));
    if (spectrum->normalised) {
        SEDGE_TRY_GOTO(status,
                       write_densities(&writer, kind, signal_unit, "density_normalised", false));
    }
    if (absorption->mass_density != NULL)
        status = write_densities(&writer, kind, signal_unit, "sar", true);
done:
    sedge_release(writer.order);
    sedge_release(writer.own);
    sedge_release(writer.brought);
    sedge_release(writer.sorted);
    return status;
}

// ---- the report --------------------------------------------------------------------------------

static double show_frequency(const sedge_absorption *absorption, int k)
{
    return sedge_deck_frequency(absorption->context->deck, absorption->deck->frequencies.value[k]);
}

// What the table shows: the last kind that there is.
static sedge_absorption_kind choose_kind(const sedge_absorption *absorption,
                                         const sedge_spectrum *spectrum)
{
    int kind = SEDGE_ABSORBED_KINDS - 1;

    while (kind > 0 && !has_kind(absorption, spectrum, (sedge_absorption_kind)kind)) kind--;
    return (sedge_absorption_kind)kind;
}

static sedge_status add_table(const sedge_absorption *absorption, const sedge_spectrum *spectrum,
                              double signal_unit, sedge_text *text)
{
    static const char *const titles[SEDGE_ABSORBED_KINDS] = {
        "absorbed power, of the fields' transforms", "absorbed power, for sources of amplitude 1",
        "absorption cross-sections: the absorbed power over the incident intensity",
        "absorbed parts of the incident power on the cell"};
    static const char *const units[SEDGE_ABSORBED_KINDS] = {", W s2", ", W", ", m2", ""};
    const sedge_absorption_kind kind = choose_kind(absorption, spectrum);
    const int count = spectrum->frequencies->count;
    const int lines = count < SHOWN_LINES ? count : SHOWN_LINES;
    const int groups = count_parts(absorption);
    const int columns = groups < SHOWN_COLUMNS ? groups : SHOWN_COLUMNS;

    SEDGE_TRY(sedge_text_add(text, "  %-22s %s%s\n    %12s", absorption->deck->name, titles[kind],
                             absorption->context->deck->si ? units[kind] : "", "frequency"));
    for (int g = 0; g < columns; g++)
        SEDGE_TRY(sedge_text_add(text, " %12s", part_name(absorption, g)));
    const bool beside = kind == SEDGE_ABSORBED_AREA && absorption->exact != NULL;
    SEDGE_TRY(sedge_text_add(text, " %12s", "total"));
    if (beside) SEDGE_TRY(sedge_text_add(text, " %12s", "exact"));
    SEDGE_TRY(sedge_text_add(text, "\n"));
    for (int line = 0; line < lines; line++) {
        const int last = lines > 1 ? lines - 1 : 1;
        const int k = (int)((int64_t)line * (count - 1) / last);
        const double factor = sedge_absorption_factor(absorption, spectrum, kind, signal_unit, k);

        SEDGE_TRY(sedge_text_add(text, "    %12.6g", show_frequency(absorption, k)));
        for (int g = 0; g <= columns; g++) {
            const ptrdiff_t at = (ptrdiff_t)(g < columns ? g : groups) * count + k;
            SEDGE_TRY(sedge_text_add(text, " %12.5g", factor * absorption->power[at]));
        }
        if (beside) SEDGE_TRY(sedge_text_add(text, " %12.5g", absorption->exact[k]));
        SEDGE_TRY(sedge_text_add(text, "\n"));
    }
    return SEDGE_OK;
}

// The values of a group at all frequencies.
static json_t *list_values(const sedge_absorption *absorption, const sedge_spectrum *spectrum,
                           sedge_absorption_kind kind, double signal_unit, int g)
{
    const int count = spectrum->frequencies->count;
    json_t *const list = json_array();

    for (int k = 0; k < count; k++) {
        const double factor = sedge_absorption_factor(absorption, spectrum, kind, signal_unit, k);
        (void)json_array_append_new(
            list, sedge_json_number(factor * absorption->power[(ptrdiff_t)g * count + k]));
    }
    return list;
}

sedge_status sedge_absorption_report(const sedge_absorption *absorption,
                                     const sedge_spectrum *spectrum, double signal_unit,
                                     sedge_text *text, json_t *json)
{
    json_t *const of = json_object();
    json_t *const frequency = json_array();

    (void)json_object_set_new(json, absorption->deck->name, of);
    (void)json_object_set_new(of, "frequency", frequency);
    for (int k = 0; k < spectrum->frequencies->count; k++)
        (void)json_array_append_new(frequency, sedge_json_number(show_frequency(absorption, k)));
    for (int i = 0; i < SEDGE_ABSORBED_KINDS; i++) {
        const sedge_absorption_kind kind = (sedge_absorption_kind)i;
        if (!has_kind(absorption, spectrum, kind)) continue;
        json_t *const groups = json_object();
        json_t *const surfaces = json_object();
        json_t *const all = json_object();
        (void)json_object_set_new(of, sedge_absorption_names[kind], all);
        (void)json_object_set_new(all, "groups", groups);
        (void)json_object_set_new(all, "surfaces", surfaces);
        for (int g = 0; g < count_parts(absorption); g++) {
            (void)json_object_set_new(g < absorption->groups ? groups : surfaces,
                                      part_name(absorption, g),
                                      list_values(absorption, spectrum, kind, signal_unit, g));
        }
        (void)json_object_set_new(
            all, "total",
            list_values(absorption, spectrum, kind, signal_unit, count_parts(absorption)));
    }
    if (absorption->exact != NULL) {
        json_t *const exact = json_array();
        for (int k = 0; k < spectrum->frequencies->count; k++)
            (void)json_array_append_new(exact, sedge_json_number(absorption->exact[k]));
        (void)json_object_set_new(of, "exact", exact);
    }
    return add_table(absorption, spectrum, signal_unit, text);
}
