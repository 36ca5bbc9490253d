#include "floquet.h"

#include "base/memory.h"
#include "incident.h"
#include "monitor/output_describe.h"
#include "radiation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

#define SAME 1e-6 // of lengths and angles that decks and mesh files give in decimals

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3;
        const int k = (i + 2) % 3;
        out[i] = a[j] * b[k] - a[k] * b[j];
    }
}

// ---- the cell ----------------------------------------------------------------------------------

void sedge_floquet_set_periods(sedge_floquet_cell *cell, double (*period)[3])
{
    double normal[3];

    cross(period[0], period[1], normal);
    cell->area = sqrt(dot(normal, normal));
    for (int i = 0; i < 2; i++) { // b_1 = 2 pi a_2 x N / (N.N), b_2 = 2 pi N x a_1 / (N.N)
        cross(i == 0 ? period[1] : normal, i == 0 ? normal : period[0], cell->reciprocal[i]);
        for (int d = 0; d < 3; d++) cell->reciprocal[i][d] *= 2.0 * PI / (cell->area * cell->area);
    }
    for (int d = 0; d < 3; d++) cell->normal[d] = normal[d] / cell->area;
}

// The square of the incident field for a signal of 1 at a wave number.
static bool find_strength(double *strength, sedge_incident_wave *wave,
                          const sedge_output_context *context, double wavenumber)
{
    *strength = 0.0;
    if (!sedge_incident_find(wave, context, wavenumber, NULL)) return false;
    for (int i = 0; i < 3; i++)
        *strength += creal(wave->polarisation[i] * conj(wave->polarisation[i]));
    return true;
}

// Do the waves of several sources add up to a power that depends on the frequency, because their
// origins differ along their direction?
static bool interferes(const sedge_output_context *context, double strength, double length)
{
    const double places[3] = {1.0, sqrt(2.0), sqrt(3.0)}; // a path has no whole waves at all three
    sedge_incident_wave wave;
    double other, most = 0.0;

    for (int i = 0; i < 3; i++) {
        if (find_strength(&other, &wave, context, places[i] / length))
            most = fmax(most, fabs(other - strength));
    }
    return most > SAME * strength;
}

// The sheet of current that drives the fields, if it is their only source; else NULL.
static const sedge_boundary *find_sheet(const sedge_problem *problem)
{
    if (problem->incident_count + problem->point_source_count > 0 ||
        problem->surface_source_count != 1)
        return NULL;
    const sedge_boundary *const sheet = problem->surface_sources[0].boundary;
    return sheet->kind->phased ? sheet : NULL;
}

// The volume group beside the sheet, if it is the same on all of it; else -1. Its greatest
// deviation from the cell's normal, `*turned`. Collective.
static int see_sheet(double *turned, const sedge_output_context *context,
                     const sedge_boundary *sheet, const double normal[3])
{
    const sedge_mesh *const mesh = context->mesh;
    const double middle[3] = {-1.0 / 3.0, -1.0 / 3.0, -1.0 / 3.0};
    int64_t most[2] = {-1, -mesh->groups.volumes}; // of the groups and their negatives

    *turned = 0.0;
    for (int32_t i = mesh->set_offsets[sheet->surface]; i < mesh->set_offsets[sheet->surface + 1];
         i++) {
        const sedge_set_face *const side = &mesh->set_faces[i];
        const int64_t group = mesh->group[side->element];
        double n[3];
        (void)sedge_mesh_normal(mesh, side->element, side->face, middle, n);
        *turned = fmax(*turned, 1.0 - fabs(dot(n, normal)));
        most[0] = group > most[0] ? group : most[0];
        most[1] = -group > most[1] ? -group : most[1];
    }
    sedge_comm_max_int(context->comm, most, 2);
    sedge_comm_max(context->comm, turned, 1);
    return most[0] == -most[1] ? (int)most[0] : -1;
}

// Of a sheet of current. Collective.
static bool find_sheet_cell(sedge_floquet_cell *out, const sedge_output_context *context,
                            const sedge_boundary *sheet)
{
    const sedge_problem *const problem = context->problem;
    const sedge_output_group *const groups = problem->equation->groups;
    const double *const k = problem->wave_vector;
    double weights[SEDGE_MAX_FIELDS], across[3], turned;

    sedge_floquet_set_periods(out, context->mesh->period);
    const int group = see_sheet(&turned, context, sheet, out->normal);
    if (group < 0 || !(turned < SAME) || sedge_problem_has_term(problem, group) ||
        sedge_problem_has_source(problem, group))
        return false;
    problem->equation->energy(problem->materials[group], weights); // 1/2 (epsilon E^2 + mu H^2)
    const double epsilon = weights[groups[0].first];
    const double mu = weights[groups[1].first];
    for (int d = 0; d < 3; d++) out->wave_vector[d] = k[d] - dot(k, out->normal) * out->normal[d];
    cross(out->normal, out->wave_vector, across);
    const double length = sqrt(dot(across, across));
    const double *const e = sheet->parameters;
    const double along = dot(e, out->normal);
    const double s = length > 0.0 ? dot(e, across) / length : 0.0;
    const double unit = 0.5 * out->area * sqrt(epsilon / mu);
    out->incident[0] = unit * (length > 0.0 ? s * s : dot(e, e) - along * along);
    out->incident[1] = unit * (length > 0.0 ? dot(e, e) - along * along - s * s : 0.0);
    out->slowness = sqrt(epsilon * mu);
    return out->incident[0] + out->incident[1] > 0.0;
}

bool sedge_floquet_cell_find(sedge_floquet_cell *out, const sedge_output_context *context)
{
    const sedge_problem *const problem = context->problem;
    const sedge_boundary *const sheet = find_sheet(problem);
    sedge_incident_wave wave;
    double epsilon, mu, strength;

    memset(out, 0, sizeof *out);
    if (context->mesh->periods == 2 && sheet != NULL) return find_sheet_cell(out, context, sheet);
    if (context->mesh->periods != 2 || sedge_problem_feeds(problem) == NULL ||
        !find_strength(&strength, &wave, context, 0.0))
        return false;
    sedge_floquet_set_periods(out, context->mesh->period);
    if (interferes(context, strength, sqrt(out->area))) return false;
    const double along =
        dot(out->normal, wave.direction) / sqrt(dot(wave.direction, wave.direction));
    if (!(fabs(along) > 1.0 - SAME)) return false;

    if (!sedge_incident_medium(&epsilon, &mu, context, wave.direction)) return false;
    for (int i = 0; i < 3 && along < 0.0; i++) out->normal[i] = -out->normal[i];
    out->incident[0] = 0.5 * out->area * sqrt(epsilon / mu) * strength;
    out->incident[1] = 0.0;
    out->slowness = sqrt(epsilon * mu);
    return strength > 0.0;
}

// The power of the wave through the cell at an angular frequency, for a signal of 1; not a number:
// it does not travel.
static double find_incident(const sedge_floquet_cell *cell, double omega)
{
    const double sine2 =
        dot(cell->wave_vector, cell->wave_vector) / pow(omega * cell->slowness, 2.0);

    if (!(sine2 < 1.0)) return (double)NAN;
    const double cosine = sqrt(1.0 - sine2);
    return cell->incident[0] / cosine + cell->incident[1] * cosine;
}

double sedge_floquet_wave_number(const sedge_output_context *context,
                                 const sedge_face_points *faces, double frequency)
{
    const sedge_problem *const problem = context->problem;
    double slowness = 0.0;

    for (int32_t s = 0; s < faces->sides; s++) {
        const int32_t element = faces->elements[(int64_t)s * faces->side_points];
        const double *const m = problem->materials[context->mesh->group[element]];
        slowness = fmax(slowness, 1.0 / problem->equation->speed(m, problem->constants));
    }
    sedge_comm_max(context->comm, &slowness, 1);
    return 2.0 * PI * frequency * slowness;
}

static double complex make_complex(double real, double imaginary)
{
    return real + imaginary * (double complex)_Complex_I;
}

// ---- sums over a surface -----------------------------------------------------------------------

// Sums of many numbers, none of which loses a digit, so that they are the same in any order.
typedef struct exact_sums {
    int count;
    double *high, *low; // [count]
} exact_sums;

static void add_to(const exact_sums *sums, int i, double value)
{
    const double next = sums->high[i] + value;
    const double part = next - sums->high[i];

    sums->low[i] += (sums->high[i] - (next - part)) + (value - part);
    sums->high[i] = next;
}

// Sums over all ranks, into `high`. Collective.
static void join(const exact_sums *sums, const sedge_comm *comm)
{
    for (int i = 0; i < sums->count; i++)
        sums->high[i] = sedge_comm_sum_exact(comm, sums->high[i], sums->low[i]);
}

static void clear_sums(const exact_sums *sums)
{
    sedge_release(sums->high);
    sedge_release(sums->low);
}

static sedge_status create_sums(exact_sums *sums, int count)
{
    sums->count = count;
    SEDGE_TRY(sedge_allocate(&sums->high, count, sizeof *sums->high));
    return sedge_allocate(&sums->low, count, sizeof *sums->low);
}

// Number c of E (0 to 2) and H (3 to 5) at a point and frequency.
static double complex get_field(const sedge_spectrum *spectrum, int64_t point, int c, int k)
{
    const double *const sum =
        spectrum->sums + 2 * ((6 * point + c) * spectrum->frequencies->count + k);

    return make_complex(sum[0], sum[1]);
}

// 1/2 Re n.(E x H*)
static double find_flux(const double n[3], const double complex field[6])
{
    double flux = 0.0;

    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3;
        const int k = (i + 2) % 3;
        flux += 0.5 * n[i] * creal(field[j] * conj(field[3 + k]) - field[k] * conj(field[3 + j]));
    }
    return flux;
}

// How the surface lies in the cell: its area seen along the cell's normal, with the sign of its own
// normals, and whether it is a plane across. Collective.
static double see_surface(bool *plane, const sedge_comm *comm, const sedge_floquet_cell *cell,
                          const sedge_face_points *faces)
{
    double turned = 0.0;
    double high = 0.0;
    double low = 0.0;
    const exact_sums seen = {1, &high, &low};

    for (int32_t s = 0; s < faces->sides; s++) {
        for (int p = 0; p < faces->side_points; p++) {
            const int64_t at = (int64_t)s * faces->side_points + p;
            const double along = dot(faces->normal[at], cell->normal);
            add_to(&seen, 0, faces->share[s] * faces->area[at] * along);
            turned = fmax(turned, 1.0 - fabs(along));
        }
    }
    join(&seen, comm);
    sedge_comm_max(comm, &turned, 1);
    *plane = turned < SAME;
    return high;
}

// ---- orders ------------------------------------------------------------------------------------

static void find_wave_vector(double K[3], const sedge_floquet_cell *cell, const int order[2])
{
    for (int d = 0; d < 3; d++) {
        K[d] = cell->wave_vector[d] + order[0] * cell->reciprocal[0][d] +
               order[1] * cell->reciprocal[1][d];
    }
}

typedef struct candidate {
    int order[2];
    double size; // |K|^2, of which the digits beyond 1e-9 are cut, so that equal ones are equal
} candidate;

static int compare_candidates(const void *a, const void *b)
{
    const candidate *const one = a;
    const candidate *const other = b;

    if (one->size != other->size) return one->size < other->size ? -1 : 1;
    for (int i = 0; i < 2; i++) {
        if (one->order[i] != other->order[i]) return one->order[i] > other->order[i] ? -1 : 1;
    }
    return 0;
}

// The orders with |K| < wave_number. With |K| <= W, |m_i| = |(K - k).a_i| / 2 pi is at most
// (W + |k|) |a_i| / 2 pi, and |a_1| = A |b_2| / 2 pi.
static sedge_status list_orders(sedge_floquet *out, const sedge_floquet_cell *cell,
                                double wave_number)
{
    const double *const b[2] = {cell->reciprocal[0], cell->reciprocal[1]};
    const double scale = dot(b[0], b[0]) + dot(b[1], b[1]);
    double most[2];
    candidate *found = NULL;
    int count = 0;
    sedge_status status;

    for (int i = 0; i < 2; i++) {
        const double a = cell->area * sqrt(dot(b[1 - i], b[1 - i])) / (2.0 * PI);
        const double reach = wave_number + sqrt(dot(cell->wave_vector, cell->wave_vector));
        most[i] = fmin(floor(reach * a / (2.0 * PI) * (1.0 + SAME)), 1000.0);
    }
    const int n[2] = {(int)most[0], (int)most[1]};
    SEDGE_TRY_GOTO(status,
                   sedge_allocate(&found, (2 * n[0] + 1) * (2 * (int64_t)n[1] + 1), sizeof *found));
    for (int i = -n[0]; i <= n[0]; i++) {
        for (int j = -n[1]; j <= n[1]; j++) {
            double K[3];

            find_wave_vector(K, cell, (int[2]){i, j});
            if ((i != 0 || j != 0) && dot(K, K) >= wave_number * wave_number) continue;
            found[count++] = (candidate){{i, j}, round(dot(K, K) / scale * 1e9)};
        }
    }
    qsort(found, (size_t)count, sizeof *found, compare_candidates);
    out->orders = count < SEDGE_FLOQUET_ORDERS ? count : SEDGE_FLOQUET_ORDERS;
    SEDGE_TRY_GOTO(status, sedge_allocate(&out->order, out->orders, sizeof *out->order));
    SEDGE_TRY_GOTO(status,
                   sedge_allocate(&out->wave_vector, out->orders, sizeof *out->wave_vector));
    for (int i = 0; i < out->orders; i++) {
        memcpy(out->order[i], found[i].order, sizeof out->order[i]);
        find_wave_vector(out->wave_vector[i], cell, out->order[i]);
    }
    status = SEDGE_OK;
done:
    sedge_release(found);
    return status;
}

// E_m and H_m of an order at all frequencies, real and imaginary: [frequencies][6][2] sums, which
// are 0 before. Collective.
static void project(const exact_sums *sums, const sedge_comm *comm, const sedge_floquet_cell *cell,
                    const sedge_face_points *faces, const sedge_spectrum *spectrum,
                    const double K[3])
{
    for (int32_t s = 0; s < faces->sides; s++) {
        for (int p = 0; p < faces->side_points; p++) {
            const int64_t at = (int64_t)s * faces->side_points + p;
            const double angle = dot(K, faces->place[at]);
            const double complex factor = make_complex(cos(angle), sin(angle)) *
                                          (faces->share[s] * faces->area[at] / cell->area);

            for (int i = 0; i < sums->count / 2; i++) {
                const double complex term = factor * get_field(spectrum, at, i % 6, i / 6);
                add_to(sums, 2 * i, creal(term));
                add_to(sums, 2 * i + 1, cimag(term));
            }
        }
    }
    join(sums, comm);
}

static sedge_status find_orders(sedge_floquet *out, const sedge_comm *comm,
                                const sedge_floquet_cell *cell, const sedge_face_points *faces,
                                const sedge_spectrum *spectrum, double sign)
{
    const double n[3] = {sign * cell->normal[0], sign * cell->normal[1], sign * cell->normal[2]};
    const int64_t count = out->frequencies;

    for (int m = 0; m < out->orders; m++) {
        exact_sums sums = {.count = 0};
        const sedge_status status = sedge_comm_agree(comm, create_sums(&sums, 12 * (int)count));

        if (status == SEDGE_OK) project(&sums, comm, cell, faces, spectrum, out->wave_vector[m]);
        for (int64_t k = 0; k < count && status == SEDGE_OK; k++) {
            const double *const of = sums.high + 12 * k;
            double complex field[6];

            for (int64_t c = 0; c < 6; c++) field[c] = make_complex(of[2 * c], of[2 * c + 1]);
            out->order_part[m * count + k] = cell->area * find_flux(n, field);
            for (int d = 0; d < 3; d++) out->field[m * count + k][d] = field[d];
        }
        clear_sums(&sums);
        SEDGE_TRY(status);
    }
    return SEDGE_OK;
}

// ---- parts -------------------------------------------------------------------------------------

static void find_powers(sedge_floquet *out, const exact_sums *sums, const sedge_comm *comm,
                        const sedge_face_points *faces, const sedge_spectrum *spectrum)
{
    for (int32_t s = 0; s < faces->sides; s++) {
        for (int p = 0; p < faces->side_points; p++) {
            const int64_t at = (int64_t)s * faces->side_points + p;

            for (int k = 0; k < out->frequencies; k++) {
                double complex field[6];

                for (int c = 0; c < 6; c++) field[c] = get_field(spectrum, at, c, k);
                add_to(sums, k,
                       faces->share[s] * faces->area[at] * find_flux(faces->normal[at], field));
            }
        }
    }
    join(sums, comm);
    for (int k = 0; k < out->frequencies; k++) out->part[k] = sums->high[k];
}

// Powers become parts of that of the incident wave, fields those for a signal of 1.
static void divide_by_incident(sedge_floquet *out, const sedge_floquet_cell *cell,
                               const sedge_spectrum *spectrum, double floor)
{
    double peak = 0.0;

    for (int64_t k = 0; k < out->frequencies; k++)
        peak = fmax(peak, hypot(spectrum->incident[2 * k], spectrum->incident[2 * k + 1]));
    for (int64_t k = 0; k < out->frequencies; k++) {
        const double complex signal =
            make_complex(spectrum->incident[2 * k], spectrum->incident[2 * k + 1]);
        const bool known = cabs(signal) >= floor * peak && cabs(signal) > 0.0;
        const double power = creal(signal * conj(signal)) *
                             find_incident(cell, 2.0 * PI * spectrum->frequencies->value[k]);

        out->part[k] = known ? out->part[k] / power : (double)NAN;
        for (int m = 0; m < out->orders; m++) {
            const int64_t at = m * (int64_t)out->frequencies + k;

            out->order_part[at] = known ? out->order_part[at] / power : (double)NAN;
            for (int d = 0; d < 3; d++)
                out->field[at][d] = known ? out->field[at][d] / signal : make_complex(NAN, NAN);
        }
    }
}

static sedge_status allocate(sedge_floquet *out, exact_sums *sums, const sedge_floquet_cell *cell,
                             bool plane, double wave_number)
{
    SEDGE_TRY(create_sums(sums, out->frequencies));
    SEDGE_TRY(sedge_allocate(&out->part, out->frequencies, sizeof *out->part));
    if (!plane) return SEDGE_OK;
    SEDGE_TRY(list_orders(out, cell, wave_number));
    const int64_t count = (int64_t)out->orders * out->frequencies;
    SEDGE_TRY(sedge_allocate(&out->order_part, count, sizeof *out->order_part));
    return sedge_allocate(&out->field, count, sizeof *out->field);
}

sedge_status sedge_floquet_find(sedge_floquet *out, const sedge_comm *comm,
                                const sedge_floquet_cell *cell, const sedge_face_points *faces,
                                const sedge_spectrum *spectrum, double wave_number, double floor)
{
    exact_sums sums = {.count = 0};
    bool plane;
    sedge_status status;

    *out = (sedge_floquet){.frequencies = spectrum->frequencies->count};
    const double seen = see_surface(&plane, comm, cell, faces);
    if (!(fabs(fabs(seen) - cell->area) <= SAME * cell->area)) return SEDGE_OK;
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, allocate(out, &sums, cell, plane, wave_number)));
    find_powers(out, &sums, comm, faces, spectrum);
    SEDGE_TRY_GOTO(status, find_orders(out, comm, cell, faces, spectrum, seen > 0.0 ? 1.0 : -1.0));
    divide_by_incident(out, cell, spectrum, floor);
done:
    clear_sums(&sums);
    return status;
}

void sedge_floquet_clear(const sedge_floquet *floquet)
{
    sedge_release(floquet->part);
    sedge_release(floquet->order);
    sedge_release(floquet->wave_vector);
    sedge_release(floquet->order_part);
    sedge_release(floquet->field);
}

// K_m in the file's units.
static sedge_status write_wave_vectors(const sedge_floquet *floquet,
                                       const sedge_output_context *context, sedge_h5 *file,
                                       const char *folder)
{
    const int64_t shape[2] = {floquet->orders, 3};
    const double unit = sedge_radiation_length_unit(context);
    double(*shown)[3] = NULL;
    char path[192];
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&shown, floquet->orders, sizeof *shown));
    for (int m = 0; m < floquet->orders; m++)
        for (int d = 0; d < 3; d++) shown[m][d] = floquet->wave_vector[m][d] / unit;
    (void)snprintf(path, sizeof path, "%s/order_k", folder);
    SEDGE_TRY_GOTO(status, sedge_h5_put(file, path, SEDGE_H5_F64, 2, shape, shown));
    status = sedge_h5_text(file, path, "units", sedge_output_unit(context, "1/m"));
done:
    sedge_release(shown);
    return status;
}

sedge_status sedge_floquet_write(const sedge_floquet *floquet, const sedge_output_context *context,
                                 sedge_h5 *file, const char *folder)
{
    const int64_t shape[3] = {floquet->orders, floquet->frequencies, 3};
    const int64_t pair[2] = {floquet->orders, 2};
    char path[192];

    if (floquet->part == NULL) return SEDGE_OK;
    (void)snprintf(path, sizeof path, "%s/part", folder);
    SEDGE_TRY(sedge_h5_put(file, path, SEDGE_H5_F64, 1, shape + 1, floquet->part));
    if (floquet->orders == 0) return SEDGE_OK;
    (void)snprintf(path, sizeof path, "%s/order", folder);
    SEDGE_TRY(sedge_h5_put(file, path, SEDGE_H5_I32, 2, pair, floquet->order));
    SEDGE_TRY(write_wave_vectors(floquet, context, file, folder));
    (void)snprintf(path, sizeof path, "%s/order_part", folder);
    SEDGE_TRY(sedge_h5_put(file, path, SEDGE_H5_F64, 2, shape, floquet->order_part));
    (void)snprintf(path, sizeof path, "%s/order_E", folder);
    return sedge_h5_put(file, path, SEDGE_H5_COMPLEX, 3, shape, floquet->field);
}
