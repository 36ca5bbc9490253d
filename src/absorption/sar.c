#include "sar.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "monitor/plane.h"
#include "monitor/sample.h"

#include <limits.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define CELLS_A_SIDE  8.0       // of the smaller cube in the heaviest tissue, by rule
#define CELLS_BY_RULE 4194304.0 // at most; with a spacing of the deck's:
#define CELLS_MOST    268435456.0
_Static_assert(SEDGE_ORDER_MAX == 10, "NODES_MOST is that of order 10");
#define NODES_MOST 286  // of an element of order 10
#define LARGER     1.05 // than the smallest cube from a face, one that counts

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
    bool *covered; // [cells] a valid cube encloses it
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
    double value = -HUGE_VAL;
    double number = (double)INT64_MAX;
    int64_t found = -1;

    for (int64_t row = 0; row < absorption->rows; row++) {
        const double mass = find_density(absorption, row) * absorption->volumes[row];
        const double rate = mass > 0.0 ? absorption->powers[row * count + k] / mass : 0.0;
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

// The side of the smaller cube in the heaviest tissue.
static double find_side(const sedge_absorption *absorption)
{
    double heaviest = 0.0;

    for (int g = 0; g < absorption->groups; g++)
        heaviest = fmax(heaviest, absorption->mass_density[g]);
    return cbrt(sedge_sar_mass[0] / heaviest);
}

// Find the planes of symmetry at which the box ends; returns how many times the grid has the box.
static double find_images(sedge_sar *out, const double box[6])
{
    double copies = 1.0;

    for (int d = 0; d < 3; d++) {
        const sedge_mirror_plane *const plane = &out->absorption->context->problem->mirrors[d];
        const double near = 1e-6 * (box[3 + d] + box[d]);
        const bool low = fabs(plane->position + box[d]) < near;

        out->mirrored[d] =
            plane->kind != SEDGE_MIRROR_NONE && (low || fabs(plane->position - box[3 + d]) < near);
        out->image_low[d] = low;
        if (out->mirrored[d]) copies *= 2.0;
    }
    return copies;
}

static sedge_status fail(const sedge_absorption *absorption, const char *key, const char *text)
{
    char section[128];
    char origin[SEDGE_DECK_ORIGIN];

    (void)snprintf(section, sizeof section, "monitors.absorption.%s", absorption->deck->name);
    sedge_deck_origin(origin, absorption->context->deck, section, key);
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "%s: %s.%s%s", origin, section, key, text);
}

static sedge_status place_grid(sedge_sar *out)
{
    const sedge_absorption *const absorption = out->absorption;
    double box[6], size[3];
    char text[128];

    find_box(absorption, box);
    if (!(box[0] + box[3] > 0.0))
        return fail(absorption, "mass_density", ": its volume groups have no elements");
    for (int d = 0; d < 3; d++) size[d] = box[3 + d] + box[d];
    double cells = find_images(out, box);
    const double side = find_side(absorption);
    out->spacing = absorption->deck->grid;
    if (!(out->spacing > 0.0)) { // by rule
        out->spacing =
            fmax(side / CELLS_A_SIDE, cbrt(cells * size[0] * size[1] * size[2] / CELLS_BY_RULE));
    }
    if (out->spacing > side) {
        (void)snprintf(text, sizeof text,
                       " = %g m is more than the side of a cube of 1 g, %g m: give a smaller "
                       "spacing",
                       out->spacing, side);
        return fail(absorption, "grid", text);
    }
    for (int d = 0; d < 3; d++) {
        const double number = fmax(round(size[d] / out->spacing), 1.0);
        const double beyond = 0.5 * (number * out->spacing - size[d]); // the tissue on each side

        out->origin[d] = out->mirrored[d] ? absorption->context->problem->mirrors[d].position -
                                                number * out->spacing
                                          : -box[d] - beyond;
        out->count[d] = number < CELLS_MOST ? (int64_t)number * (out->mirrored[d] ? 2 : 1) : 0;
        cells *= number;
    }
    if (cells <= CELLS_MOST) return SEDGE_OK;
    (void)snprintf(text, sizeof text,
                   " = %g m gives the tissue %.3g cells, more than %.3g: take a larger spacing",
                   out->spacing, cells, CELLS_MOST);
    return fail(absorption, "grid", text);
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

// What to do with cell `cell`, whose middle is at `rst` in the element of row `row`.
typedef sedge_status cell_action(sar_grid *grid, int64_t cell, int64_t row, const double rst[3]);

// The cells along an axis whose middles may lie in [low, high]: from window[0] to window[1].
static void find_window(const sedge_sar *sar, int d, double low, double high, int64_t window[2])
{
    const double first = ceil((low - sar->origin[d]) / sar->spacing - 0.5 - 1e-6);
    const double last = floor((high - sar->origin[d]) / sar->spacing - 0.5 + 1e-6);

    window[0] = first > 0.0 ? (int64_t)first : 0;
    window[1] = last < (double)sar->count[d] ? (int64_t)last : sar->count[d] - 1;
}

// Do `action` with each cell whose middle lies in the element of a row.
static sedge_status each_cell_of(sar_grid *grid, int64_t row, cell_action *action)
{
    const sedge_sar *const sar = grid->sar;
    const sedge_mesh *const mesh = sar->absorption->context->mesh;
    const int32_t e = sar->absorption->elements[row];
    double low[3], high[3], x[3], rst[3];
    int64_t window[3][2], at[3];
    sedge_geometry map;

    sedge_mesh_box(mesh, e, low, high);
    sedge_geometry_compute(&map, mesh->corners[e]);
    for (int d = 0; d < 3; d++) find_window(sar, d, low[d], high[d], window[d]);
    for (at[0] = window[0][0]; at[0] <= window[0][1]; at[0]++) {
        for (at[1] = window[1][0]; at[1] <= window[1][1]; at[1]++) {
            for (at[2] = window[2][0]; at[2] <= window[2][1]; at[2]++) {
                const int64_t cell = number_cell(sar, at);

                find_middle(sar, cell, x);
                if (sedge_plane_find_inside(mesh, e, &map, x, rst) >= SEDGE_PLANE_INSIDE)
                    SEDGE_TRY(action(grid, cell, row, rst));
            }
        }
    }
    return SEDGE_OK;
}

// The number by which an element claims a cell: the largest has the least number in the mesh.
static double find_claim(const sar_grid *grid, int64_t row)
{
    const sedge_absorption *const absorption = grid->sar->absorption;

    return (double)(absorption->context->mesh->global_elements - absorption->ids[row]);
}

static sedge_status claim_cell(sar_grid *grid, int64_t cell, int64_t row, const double rst[3])
{
    (void)rst;
    grid->values[cell] = fmax(grid->values[cell], find_claim(grid, row));
    return SEDGE_OK;
}

static sedge_status add_sample(sar_grid *grid, int64_t cell, int64_t row, const double rst[3])
{
    const int64_t room = 2 * grid->room + 1024;
    sar_sample *sample = NULL;

    if (grid->values[cell] > find_claim(grid, row) || find_original(grid->sar, cell) != cell)
        return SEDGE_OK;
    if (grid->samples == grid->room) {
        SEDGE_TRY(sedge_allocate(&sample, room, sizeof *sample));
        if (grid->samples > 0) memcpy(sample, grid->sample, (size_t)grid->samples * sizeof *sample);
        sedge_release(grid->sample);
        grid->sample = sample;
        grid->room = room;
    }
    sample = &grid->sample[grid->samples++];
    *sample = (sar_sample){.cell = cell, .row = (int32_t)row};
    memcpy(sample->rst, rst, sizeof sample->rst);
    return SEDGE_OK;
}

static sedge_status each_cell(sar_grid *grid, cell_action *action)
{
    for (int64_t row = 0; row < grid->sar->absorption->rows; row++) {
        if (find_density(grid->sar->absorption, row) > 0.0)
            SEDGE_TRY(each_cell_of(grid, row, action));
    }
    return SEDGE_OK;
}

// Find the elements in which the middles of cells lie: where these are on a face, the same one on
// any number of ranks. Collective.
static sedge_status find_samples(sar_grid *grid)
{
    const int64_t most = INT_MAX / 16;
    sedge_status status = each_cell(grid, claim_cell);

    for (int64_t i = 0; i < grid->cells; i += most) {
        const int64_t left = grid->cells - i;
        sedge_comm_max(grid->comm, grid->values + i, (int)(left < most ? left : most));
    }
    if (status == SEDGE_OK) status = each_cell(grid, add_sample);
    memset(grid->values, 0, (size_t)grid->cells * sizeof *grid->values);
    return sedge_comm_agree(grid->comm, status);
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

// This rank's share of the rows of cells along z: [range[0], range[1]).
static void share_rows(const sar_grid *grid, int64_t range[2])
{
    const int64_t ranks = sedge_comm_size(grid->comm);
    const int64_t rank = sedge_comm_rank(grid->comm);
    const int64_t rows = grid->cells / grid->sar->count[2];

    range[0] = rows * rank / ranks;
    range[1] = rows * (rank + 1) / ranks;
}

// Let threads do `part` with this rank's rows.
typedef struct row_job {
    int64_t first;
    void (*part)(void *context, int64_t first, int64_t end);
    void *context;
} row_job;

static void do_rows(void *context, int64_t first, int64_t end)
{
    const row_job *const job = context;

    job->part(job->context, job->first + first, job->first + end);
}

static void each_row(const sar_grid *grid, void (*part)(void *, int64_t, int64_t), void *context)
{
    int64_t range[2];

    share_rows(grid, range);
    sedge_parallel(grid->sar->absorption->context->threads, range[1] - range[0], 4, do_rows,
                   &(row_job){.first = range[0], .part = part, .context = context});
}

// The cubes of mass m, and a frequency's sums of powers.
typedef struct cube_job {
    const sar_grid *grid;
    int m;
    const double *powers;
} cube_job;

// Half sides for some rows of cells. The same on any number of ranks and threads.
static void grow_rows(void *context, int64_t first, int64_t end)
{
    const cube_job *const job = context;
    const sar_grid *const grid = job->grid;
    const int64_t length = grid->sar->count[2];

    for (int64_t row = first; row < end; row++) {
        double last = 0.0;

        for (int64_t i = row * length; i < (row + 1) * length; i++) {
            const double half = sedge_cubes_grow(&grid->cubes, i, sedge_sar_mass[job->m], last);
            grid->set[job->m].half[i] = half;
            if (half > 0.0) last = half;
        }
    }
}

static sedge_status create_set(sar_grid *grid, int m)
{
    const sar_cube_set *const set = &grid->set[m];
    double without = 0.0;
    double tissue = 0.0;

    each_row(grid, grow_rows, &(cube_job){.grid = grid, .m = m});
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

    status = sedge_allocate(&grid->values, grid->cells, sizeof *grid->values);
    for (int m = 0; m < SEDGE_SAR_MASSES && status == SEDGE_OK; m++) {
        status = sedge_allocate(&grid->set[m].half, grid->cells, sizeof(double));
        if (status == SEDGE_OK)
            status = sedge_allocate(&grid->set[m].covered, grid->cells, sizeof(bool));
    }
    SEDGE_TRY(sedge_comm_agree(grid->comm, status));
    SEDGE_TRY(find_samples(grid));
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

// The rate over the cubes from the faces of cell `i`, which no valid cube encloses; -1: there are
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

// The rates over the cubes of some rows of cells, in place of the powers; -1: there is no cube.
static void rate_rows(void *context, int64_t first, int64_t end)
{
    const cube_job *const job = context;
    const sar_grid *const grid = job->grid;
    const sar_cube_set *const set = &grid->set[job->m];
    const double mass = sedge_sar_mass[job->m];

    for (int64_t i = first * grid->sar->count[2]; i < end * grid->sar->count[2]; i++) {
        double box[2][3];

        grid->values[i] = -1.0;
        if (find_original(grid->sar, i) != i) continue;
        if (set->half[i] > 0.0) {
            sedge_cubes_around(&grid->cubes, i, set->half[i], box);
            grid->values[i] = sedge_cubes_within(&grid->cubes, job->powers, box) / mass;
        } else if (!set->covered[i]) {
            sedge_cubes_around(&grid->cubes, i, 0.5, box);
            if (sedge_cubes_within(&grid->cubes, grid->cubes.tissue, box) > 0.5)
                grid->values[i] = find_from_faces(grid, i, mass, job->powers);
        }
    }
}

// The largest average over mass m at frequency k, from sums of the cells' powers. Collective.
static void find_average(const sar_grid *grid, int m, int k, const double *powers)
{
    sedge_sar_largest *const out = &grid->sar->average[m];
    double value = -1.0;
    double number = (double)INT64_MAX;
    int64_t range[2];

    each_row(grid, rate_rows, &(cube_job){.grid = grid, .m = m, .powers = powers});
    share_rows(grid, range);
    for (int64_t i = range[0] * grid->sar->count[2]; i < range[1] * grid->sar->count[2]; i++) {
        if (!(grid->values[i] > value)) continue;
        value = grid->values[i];
        number = (double)i;
    }
    (void)find_largest(grid->comm, &value, &number);
    out->value[k] = value >= 0.0 ? value : (double)NAN;
    for (int d = 0; d < 3; d++) out->place[k][d] = (double)NAN;
    if (value >= 0.0) find_middle(grid->sar, (int64_t)number, out->place[k]);
}

// The samples of one frequency.
typedef struct power_job {
    const sar_grid *grid;
    int k;
    atomic_bool failed;
} power_job;

// The powers of the cells of some samples.
static void sample_powers(void *context, int64_t first, int64_t end)
{
    power_job *const job = context;
    const sar_grid *const grid = job->grid;
    const sedge_absorption *const absorption = grid->sar->absorption;
    const sedge_element *const element = absorption->context->element;
    const int32_t *const group = absorption->context->mesh->group;
    const double spacing = grid->sar->spacing;
    double complex losses[SEDGE_MAX_FIELDS * SEDGE_MAX_FIELDS];
    double weights[NODES_MOST], work[2 * SEDGE_MAX_FIELDS], density;
    int last = -1; // the volume group that the losses are of

    for (int64_t i = first; i < end; i++) {
        const sar_sample *const sample = &grid->sample[i];
        const double *const at = sample->rst;

        if (group[absorption->elements[sample->row]] != last) {
            last = group[absorption->elements[sample->row]];
            sedge_absorption_losses(absorption, sample->row, job->k, losses);
        }
        if (sedge_element_interpolate(element, at[0], at[1], at[2], weights) != SEDGE_OK)
            atomic_store(&job->failed, true);
        sedge_absorption_density(absorption, grid->spectrum, sample->row, job->k, losses, weights,
                                 1, work, &density);
        grid->values[sample->cell] = density * spacing * spacing * spacing;
    }
}

// Sums of the cells' powers at frequency k. Collective.
static sedge_status sum_powers(double **powers, const sar_grid *grid, int k)
{
    power_job job = {.grid = grid, .k = k};

    memset(grid->values, 0, (size_t)grid->cells * sizeof *grid->values);
    atomic_init(&job.failed, false);
    sedge_parallel(grid->sar->absorption->context->threads, grid->samples, 256, sample_powers,
                   &job);
    sedge_status status = SEDGE_OK;
    if (atomic_load(&job.failed)) {
        status = SEDGE_FAIL(SEDGE_ERR_INTERNAL, "the middle of a cell has no finite coordinates");
    }
    SEDGE_TRY(sedge_comm_agree(grid->comm, status));
    complete_values(grid);
    return sedge_comm_agree(grid->comm, sedge_cubes_sum(powers, &grid->cubes, grid->values));
}

// Collective.
static sedge_status find_averages(const sar_grid *grid)
{
    for (int k = 0; k < grid->spectrum->frequencies->count; k++) {
        double *powers = NULL;

        SEDGE_TRY(sum_powers(&powers, grid, k));
        for (int m = 0; m < SEDGE_SAR_MASSES; m++) find_average(grid, m, k, powers);
        sedge_release(powers);
    }
    return SEDGE_OK;
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
