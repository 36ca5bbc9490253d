#include "sar.h"

#include "base/memory.h"
#include "monitor/sample.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#define CELLS_A_SIDE  8.0       // of the smaller cube in the heaviest tissue, by rule
#define CELLS_BY_RULE 4194304.0 // at most; with a spacing of the deck's:
#define CELLS_MOST    268435456.0
#define CHUNK         262144 // points that are looked for at once
#define LARGER        1.05   // than the smallest cube from a face, one that counts

const double sedge_sar_mass[SEDGE_SAR_MASSES] = {1e-3, 1e-2};
const char *const sedge_sar_names[SEDGE_SAR_MASSES] = {"1g", "10g"};

// A cell whose middle lies in tissue of this rank.
typedef struct sar_sample {
    int64_t cell;
    int32_t row;
    double rst[3];
} sar_sample;

// The cubes of one mass.
typedef struct sar_cube_set {
    double *half;  // [cells] half sides of valid cubes, in cells; 0: none
    bool *covered; // [cells] it lies in a valid cube
} sar_cube_set;

typedef struct sar_grid {
    sedge_sar *sar;
    const sedge_spectrum *spectrum;
    const sedge_comm *comm;
    int64_t cells;
    int64_t samples, room;
    sar_sample *sample; // [samples], with room for `room`
    double *values;     // [cells]
    sedge_cubes cubes;
    sar_cube_set set[SEDGE_SAR_MASSES];
} sar_grid;

// The mass density of a row's element; 0: it is no tissue.
static double find_density(const sedge_absorption *absorption, int64_t row)
{
    const int v = absorption->context->mesh->group[absorption->elements[row]];

    return absorption->mass_density[absorption->group_of[v]];
}

// Add `values` of all ranks. Collective.
static void sum_ranks(const sedge_comm *comm, double *values, int64_t count)
{
    for (int64_t i = 0; i < count; i += INT_MAX / 16) {
        const int64_t left = count - i;
        sedge_comm_sum(comm, values + i, (int)(left < INT_MAX / 16 ? left : INT_MAX / 16));
    }
}

// ---- elements and groups -----------------------------------------------------------------------

static sedge_status allocate_largest(sedge_sar_largest *out, int frequencies)
{
    SEDGE_TRY(sedge_allocate(&out->value, frequencies, sizeof *out->value));
    return sedge_allocate(&out->place, frequencies, sizeof *out->place);
}

static sedge_status allocate(sedge_sar *out)
{
    const int frequencies = out->absorption->deck->frequencies.count;

    SEDGE_TRY(sedge_allocate(&out->mean, (int64_t)frequencies * (out->absorption->groups + 1),
                             sizeof *out->mean));
    SEDGE_TRY(allocate_largest(&out->element, frequencies));
    for (int m = 0; m < SEDGE_SAR_MASSES; m++)
        SEDGE_TRY(allocate_largest(&out->average[m], frequencies));
    return SEDGE_OK;
}

void sedge_sar_clear(const sedge_sar *sar)
{
    sedge_release(sar->mean);
    sedge_release(sar->element.value);
    sedge_release(sar->element.place);
    for (int m = 0; m < SEDGE_SAR_MASSES; m++) {
        sedge_release(sar->average[m].value);
        sedge_release(sar->average[m].place);
    }
}

static void find_means(sedge_sar *out)
{
    const sedge_absorption *const absorption = out->absorption;
    const int count = absorption->deck->frequencies.count;
    double *const whole = out->mean + (ptrdiff_t)absorption->groups * count;

    for (int g = 0; g < absorption->groups; g++)
        out->mass += absorption->mass_density[g] * absorption->volume_of_group[g];
    for (int k = 0; k < count; k++) whole[k] = 0.0;
    for (int g = 0; g < absorption->groups; g++) {
        const double mass = absorption->mass_density[g] * absorption->volume_of_group[g];

        for (int k = 0; k < count; k++) {
            const ptrdiff_t at = (ptrdiff_t)g * count + k;
            out->mean[at] = mass > 0.0 ? absorption->power[at] / mass : (double)NAN;
            if (mass > 0.0) whole[k] += absorption->power[at] / out->mass;
        }
    }
}

// The largest value of all ranks, and of the equal ones that with the least number. Returns whether
// this rank has it. Collective.
static bool find_largest(const sedge_comm *comm, double *value, double *number)
{
    const double own = *value;
    const double mine = *number;

    sedge_comm_max(comm, value, 1);
    if (own < *value) *number = (double)INT64_MAX;
    sedge_comm_min(comm, number, 1);
    return !(own < *value) && !(mine > *number);
}

// Tell all ranks the place that one of them has. Collective.
static void share_place(const sedge_comm *comm, bool own, double place[3])
{
    for (int d = 0; d < 3 && !own; d++) place[d] = 0.0;
    sedge_comm_sum(comm, place, 3);
}

// The element with the largest rate at frequency k. Collective.
static void find_element(sedge_sar *out, int k)
{
    static const double middle[3] = {-0.5, -0.5, -0.5};
    const sedge_absorption *const absorption = out->absorption;
    const sedge_comm *const comm = absorption->context->comm;
    const int count = absorption->deck->frequencies.count;
    double value = -1.0;
    double number = (double)INT64_MAX;
    int64_t found = -1;

    for (int64_t row = 0; row < absorption->rows; row++) {
        const double mass = find_density(absorption, row) * absorption->volumes[row];
        const double rate = mass > 0.0 ? absorption->powers[row * count + k] / mass : -1.0;
        const double id = (double)absorption->ids[row];

        if (!(mass > 0.0) || rate < value || (rate <= value && id > number)) continue;
        value = rate;
        number = id;
        found = row;
    }
    const bool own = find_largest(comm, &value, &number) && found >= 0;
    if (own) {
        sedge_mesh_place(absorption->context->mesh, absorption->elements[found], middle,
                         out->element.place[k]);
    }
    share_place(comm, own, out->element.place[k]);
    out->element.value[k] = value;
}

// ---- the grid ----------------------------------------------------------------------------------

// The box around all tissue: minus its low corner, then its high one. Collective.
static void find_box(const sedge_absorption *absorption, double box[6])
{
    for (int c = 0; c < 6; c++) box[c] = -HUGE_VAL;
    for (int64_t row = 0; row < absorption->rows; row++) {
        double low[3], high[3];

        if (!(find_density(absorption, row) > 0.0)) continue;
        sedge_mesh_box(absorption->context->mesh, absorption->elements[row], low, high);
        for (int d = 0; d < 3; d++) {
            box[d] = fmax(box[d], -low[d]);
            box[3 + d] = fmax(box[3 + d], high[d]);
        }
    }
    sedge_comm_max(absorption->context->comm, box, 6);
}

// The spacing by rule for a box of this size.
static double choose_spacing(const sedge_absorption *absorption, const double size[3])
{
    double heaviest = 0.0;

    for (int g = 0; g < absorption->groups; g++)
        heaviest = fmax(heaviest, absorption->mass_density[g]);
    return fmax(cbrt(sedge_sar_mass[0] / heaviest) / CELLS_A_SIDE,
                cbrt(size[0] * size[1] * size[2] / CELLS_BY_RULE));
}

static sedge_status place_grid(sedge_sar *out)
{
    const sedge_absorption *const absorption = out->absorption;
    const sedge_output_context *const context = absorption->context;
    double box[6], size[3];
    double cells = 1.0;

    find_box(absorption, box);
    if (!(box[0] + box[3] > 0.0)) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s:%d: monitors.absorption.%s.mass_density: its volume groups have no "
                          "elements",
                          context->deck->path, absorption->deck->line, absorption->deck->name);
    }
    for (int d = 0; d < 3; d++) size[d] = box[3 + d] + box[d];
    const bool given = absorption->deck->grid > 0.0;
    out->spacing = given ? absorption->deck->grid : choose_spacing(absorption, size);
    for (int d = 0; d < 3; d++) {
        const sedge_mirror_plane *const plane = &context->problem->mirrors[d];
        const double near = 1e-6 * size[d];
        const double number = ceil(size[d] / out->spacing - 1e-6);
        const double half =
            0.5 * (number * out->spacing - size[d]); // beyond the tissue on each side
        const bool low = fabs(plane->position + box[d]) < near;

        out->mirrored[d] =
            plane->kind != SEDGE_MIRROR_NONE && (low || fabs(plane->position - box[3 + d]) < near);
        out->image_low[d] = low;
        out->origin[d] = -box[d] - half;
        if (out->mirrored[d]) {
            out->origin[d] = plane->position - number * out->spacing;
            cells *= 2.0;
        }
        cells *= number;
        out->count[d] = number < CELLS_MOST ? (int64_t)number * (out->mirrored[d] ? 2 : 1) : 0;
    }
    if (cells <= CELLS_MOST) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "%s:%d: monitors.absorption.%s.grid = %g m gives the tissue %.3g cells, more "
                      "than %.3g: take a larger spacing",
                      context->deck->path, absorption->deck->line, absorption->deck->name,
                      out->spacing, cells, CELLS_MOST);
}

// The cell's place on the grid, and the number of the cell at a place.
static void find_place(const sedge_sar *sar, int64_t cell, int64_t at[3])
{
    at[2] = cell % sar->count[2];
    at[1] = cell / sar->count[2] % sar->count[1];
    at[0] = cell / (sar->count[2] * sar->count[1]);
}

static int64_t number_cell(const sedge_sar *sar, const int64_t at[3])
{
    return (at[0] * sar->count[1] + at[1]) * sar->count[2] + at[2];
}

static void find_middle(const sedge_sar *sar, int64_t cell, double x[3])
{
    int64_t at[3];

    find_place(sar, cell, at);
    for (int d = 0; d < 3; d++) x[d] = sar->origin[d] + ((double)at[d] + 0.5) * sar->spacing;
}

// The cell of the mesh whose image the cell is; itself where it is none.
static int64_t find_original(const sedge_sar *sar, int64_t cell)
{
    int64_t at[3];

    find_place(sar, cell, at);
    for (int d = 0; d < 3; d++) {
        const bool low = 2 * at[d] < sar->count[d];
        if (sar->mirrored[d] && low == sar->image_low[d]) at[d] = sar->count[d] - 1 - at[d];
    }
    return number_cell(sar, at);
}

// Make room for `more` samples.
static sedge_status make_room(sar_grid *grid, int more)
{
    sar_sample *sample = NULL;

    if (grid->samples + more <= grid->room) return SEDGE_OK;
    const int64_t room = 2 * grid->room + more;
    SEDGE_TRY(sedge_allocate(&sample, room, sizeof *sample));
    if (grid->samples > 0) memcpy(sample, grid->sample, (size_t)grid->samples * sizeof *sample);
    sedge_release(grid->sample);
    grid->sample = sample;
    grid->room = room;
    return SEDGE_OK;
}

// Find the elements in which the middles of cells lie, some cells at a time. Collective.
static sedge_status find_samples(sar_grid *grid)
{
    const sedge_sar *const sar = grid->sar;
    const sedge_absorption *const absorption = sar->absorption;
    double(*point)[3] = NULL;
    double(*rst)[3] = NULL;
    int *owner = NULL;
    int32_t *element = NULL;
    sedge_status status = sedge_allocate(&point, CHUNK, sizeof *point);

    if (status == SEDGE_OK) status = sedge_allocate(&rst, CHUNK, sizeof *rst);
    if (status == SEDGE_OK) status = sedge_allocate(&owner, CHUNK, sizeof *owner);
    if (status == SEDGE_OK) status = sedge_allocate(&element, CHUNK, sizeof *element);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(grid->comm, status));
    for (int64_t first = 0; first < grid->cells; first += CHUNK) {
        const int count = (int)(grid->cells - first < CHUNK ? grid->cells - first : CHUNK);

        for (int i = 0; i < count; i++) find_middle(sar, first + i, point[i]);
        SEDGE_TRY_GOTO(status,
                       sedge_mesh_claim(owner, element, rst, grid->comm, absorption->context->mesh,
                                        (const double(*)[3])point, count));
        SEDGE_TRY_GOTO(status, sedge_comm_agree(grid->comm, make_room(grid, count)));
        for (int i = 0; i < count; i++) {
            const int32_t row = element[i] >= 0 ? absorption->row_of[element[i]] : -1;

            if (owner[i] != sedge_comm_rank(grid->comm) || row < 0 ||
                !(find_density(absorption, row) > 0.0) ||
                find_original(sar, first + i) != first + i)
                continue;
            sar_sample *const sample = &grid->sample[grid->samples++];
            *sample = (sar_sample){.cell = first + i, .row = row};
            memcpy(sample->rst, rst[i], sizeof sample->rst);
        }
    }
done:
    sedge_release(point);
    sedge_release(rst);
    sedge_release(owner);
    sedge_release(element);
    return status;
}

// Sum the cells' values over the ranks, each of which has those of its samples, and fill in the
// images. Collective.
static void complete_values(const sar_grid *grid)
{
    sum_ranks(grid->comm, grid->values, grid->cells);
    for (int64_t i = 0; i < grid->cells; i++) {
        const int64_t original = find_original(grid->sar, i);
        if (original != i) grid->values[i] = grid->values[original];
    }
}

// ---- cubes -------------------------------------------------------------------------------------

// This rank's share of the cells, whole rows along z: [range[0], range[1]).
static void share_cells(const sar_grid *grid, int64_t range[2])
{
    const int64_t ranks = sedge_comm_size(grid->comm);
    const int64_t rank = sedge_comm_rank(grid->comm);

    const int64_t row = grid->sar->count[2];
    const int64_t rows = grid->cells / row;

    range[0] = rows * rank / ranks * row;
    range[1] = rows * (rank + 1) / ranks * row;
}

static sedge_status create_set(sar_grid *grid, int m)
{
    const sar_cube_set *const set = &grid->set[m];
    double last = 0.0; // half side
    double without = 0.0;
    double tissue = 0.0;
    int64_t range[2];

    share_cells(grid, range);
    for (int64_t i = range[0]; i < range[1]; i++) {
        if (i % grid->sar->count[2] == 0) last = 0.0; // the same on any number of ranks
        set->half[i] = sedge_cubes_grow(&grid->cubes, i, sedge_sar_mass[m], last);
        if (set->half[i] > 0.0) last = set->half[i];
    }
    sum_ranks(grid->comm, set->half, grid->cells);
    SEDGE_TRY(
        sedge_comm_agree(grid->comm, sedge_cubes_cover(&grid->cubes, set->half, set->covered)));
    for (int64_t i = 0; i < grid->cells; i++) {
        tissue += grid->values[i]; // the masses
        without += set->covered[i] ? 0.0 : grid->values[i];
    }
    grid->sar->uncovered[m] = without / tissue;
    return SEDGE_OK;
}

// The masses of cells, and the cubes that follow from them. Collective.
static sedge_status create_grid(sar_grid *grid)
{
    const sedge_sar *const sar = grid->sar;
    const double volume = sar->spacing * sar->spacing * sar->spacing;
    sedge_status status;

    SEDGE_TRY(find_samples(grid));
    status = sedge_allocate(&grid->values, grid->cells, sizeof *grid->values);
    for (int m = 0; m < SEDGE_SAR_MASSES && status == SEDGE_OK; m++) {
        status = sedge_allocate(&grid->set[m].half, grid->cells, sizeof(double));
        if (status == SEDGE_OK)
            status = sedge_allocate(&grid->set[m].covered, grid->cells, sizeof(bool));
    }
    SEDGE_TRY(sedge_comm_agree(grid->comm, status));
    for (int64_t i = 0; i < grid->samples; i++) {
        grid->values[grid->sample[i].cell] =
            volume * find_density(sar->absorption, grid->sample[i].row);
    }
    complete_values(grid);
    SEDGE_TRY(
        sedge_comm_agree(grid->comm, sedge_cubes_create(&grid->cubes, sar->count, grid->values)));
    for (int m = 0; m < SEDGE_SAR_MASSES; m++) SEDGE_TRY(create_set(grid, m));
    return SEDGE_OK;
}

static void clear_grid(const sar_grid *grid)
{
    sedge_release(grid->sample);
    sedge_release(grid->values);
    sedge_cubes_clear(&grid->cubes);
    for (int m = 0; m < SEDGE_SAR_MASSES; m++) {
        sedge_release(grid->set[m].half);
        sedge_release(grid->set[m].covered);
    }
}

// The rate over the cubes from the faces of cell `i`, which is in no valid cube; -1: there are
// none.
static double find_from_faces(const sar_grid *grid, int64_t i, double mass, const double *powers)
{
    double side[6];
    double least = HUGE_VAL;
    double largest = -1.0;

    for (int f = 0; f < 6; f++) {
        side[f] = sedge_cubes_grow_from(&grid->cubes, i, f, mass);
        if (side[f] > 0.0) least = fmin(least, side[f]);
    }
    for (int f = 0; f < 6; f++) {
        double box[2][3];

        if (!(side[f] > 0.0) || pow(side[f] / least, 3.0) > LARGER) continue;
        sedge_cubes_from(&grid->cubes, i, f, side[f], box);
        largest = fmax(largest, sedge_cubes_within(&grid->cubes, powers, box) / mass);
    }
    return largest;
}

// The largest average over mass m at frequency k, from sums of the cells' powers. Collective.
static void find_average(const sar_grid *grid, int m, int k, const double *powers)
{
    const sar_cube_set *const set = &grid->set[m];
    sedge_sar_largest *const out = &grid->sar->average[m];
    double value = -1.0;
    double number = (double)INT64_MAX;
    int64_t range[2];

    share_cells(grid, range);
    for (int64_t i = range[0]; i < range[1]; i++) {
        double box[2][3];
        double rate = -1.0;

        if (find_original(grid->sar, i) != i) continue;
        if (set->half[i] > 0.0) {
            sedge_cubes_around(&grid->cubes, i, set->half[i], box);
            rate = sedge_cubes_within(&grid->cubes, powers, box) / sedge_sar_mass[m];
        } else if (!set->covered[i]) {
            sedge_cubes_around(&grid->cubes, i, 0.5, box);
            if (!(sedge_cubes_within(&grid->cubes, grid->cubes.tissue, box) > 0.5)) continue;
            rate = find_from_faces(grid, i, sedge_sar_mass[m], powers);
        }
        if (!(rate > value)) continue;
        value = rate;
        number = (double)i;
    }
    (void)find_largest(grid->comm, &value, &number);
    out->value[k] = value >= 0.0 ? value : (double)NAN;
    for (int d = 0; d < 3; d++) out->place[k][d] = (double)NAN;
    if (value >= 0.0) find_middle(grid->sar, (int64_t)number, out->place[k]);
}

// The powers of cells at frequency k, of this rank's samples. `room` has the numbers that
// sedge_absorption_density needs, then an element's nodes.
static sedge_status sample_powers(const sar_grid *grid, int k, double *room)
{
    const sedge_sar *const sar = grid->sar;
    const sedge_absorption *const absorption = sar->absorption;
    const sedge_element *const element = absorption->context->element;
    const int32_t *const group = absorption->context->mesh->group;
    double complex losses[SEDGE_MAX_FIELDS * SEDGE_MAX_FIELDS];
    int last = -1; // the volume group that these are of
    double *const weights = room + sedge_absorption_work(grid->spectrum);

    memset(grid->values, 0, (size_t)grid->cells * sizeof *grid->values);
    for (int64_t i = 0; i < grid->samples; i++) {
        const sar_sample *const sample = &grid->sample[i];
        double density;

        SEDGE_TRY(sedge_element_interpolate(element, sample->rst[0], sample->rst[1], sample->rst[2],
                                            weights));
        if (group[absorption->elements[sample->row]] != last) {
            last = group[absorption->elements[sample->row]];
            sedge_absorption_losses(absorption, sample->row, k, losses);
        }
        sedge_absorption_density(absorption, grid->spectrum, sample->row, k, losses, weights, 1,
                                 room, &density);
        grid->values[sample->cell] = density * sar->spacing * sar->spacing * sar->spacing;
    }
    return SEDGE_OK;
}

// Collective.
static sedge_status find_averages(const sar_grid *grid)
{
    const sedge_output_context *const context = grid->sar->absorption->context;
    const int64_t numbers = sedge_absorption_work(grid->spectrum) + context->element->nodes;
    double *room = NULL;
    sedge_status status = sedge_allocate(&room, numbers, sizeof *room);

    SEDGE_TRY_GOTO(status, sedge_comm_agree(grid->comm, status));
    for (int k = 0; k < grid->spectrum->frequencies->count; k++) {
        double *powers = NULL;

        SEDGE_TRY_GOTO(status, sedge_comm_agree(grid->comm, sample_powers(grid, k, room)));
        complete_values(grid);
        SEDGE_TRY_GOTO(status, sedge_comm_agree(grid->comm, sedge_cubes_sum(&powers, &grid->cubes,
                                                                            grid->values)));
        for (int m = 0; m < SEDGE_SAR_MASSES; m++) find_average(grid, m, k, powers);
        sedge_release(powers);
    }
done:
    sedge_release(room);
    return status;
}

sedge_status sedge_sar_create(sedge_sar *out, const sedge_absorption *absorption)
{
    *out = (sedge_sar){.absorption = absorption};
    SEDGE_TRY(sedge_comm_agree(absorption->context->comm, allocate(out)));
    return place_grid(out);
}

sedge_status sedge_sar_find(sedge_sar *sar, const sedge_spectrum *spectrum)
{
    const sedge_comm *const comm = sar->absorption->context->comm;
    sar_grid grid = {.sar = sar, .spectrum = spectrum, .comm = comm};
    sedge_status status;

    find_means(sar);
    for (int k = 0; k < spectrum->frequencies->count; k++) find_element(sar, k);
    grid.cells = sar->count[0] * sar->count[1] * sar->count[2];
    status = create_grid(&grid);
    if (status == SEDGE_OK) status = find_averages(&grid);
    clear_grid(&grid);
    return status;
}
