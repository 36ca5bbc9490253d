#include "absorption.h"

#include "base/memory.h"
#include "dg/cubature.h"
#include "dg/response.h"
#include "monitor/sample.h"
#include "monitor/sampling.h"
#include "radiation/floquet.h"
#include "radiation/incident.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PI 3.14159265358979323846

// ---- groups and elements -----------------------------------------------------------------------

// Has volume group `v` a response at all frequencies? Not for terms that are not linear.
static bool has_response(const sedge_absorption *absorption, int v)
{
    for (int k = 0; k < absorption->deck->frequencies.count; k++) {
        const double omega = 2.0 * PI * absorption->deck->frequencies.value[k];
        double complex losses[SEDGE_MAX_FIELDS * SEDGE_MAX_FIELDS];

        if (!sedge_response_losses(losses, absorption->context->problem, v, omega)) return false;
    }
    return true;
}

static sedge_status fail(const sedge_absorption *absorption, const char *text, int v)
{
    const sedge_deck *const deck = absorption->context->deck;
    char origin[SEDGE_DECK_ORIGIN];

    sedge_deck_origin(origin, deck, "monitors.absorption", absorption->deck->name);
    if (v < 0) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "%s: monitors.absorption.%s: %s", origin,
                          absorption->deck->name, text);
    }
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "%s: monitors.absorption.%s: the volume group '%s' %s",
                      origin, absorption->deck->name,
                      absorption->context->mesh->groups.volume_names[v], text);
}

// Number the groups: those that have losses.
static sedge_status find_groups(sedge_absorption *out)
{
    const sedge_mesh_groups *const groups = &out->context->mesh->groups;

    for (int v = 0; v < groups->volumes;) {
        const int parts = sedge_mesh_group_parts(groups, v);
        bool absorbs = false;
        bool lossy = false;

        for (int w = v; w < v + parts; w++) {
            bool fields[SEDGE_MAX_FIELDS] = {false};

            out->group_of[w] = -1;
            if (!sedge_sampling_absorbs(fields, out->context, out->deck, w)) continue;
            absorbs = true;
            if (!has_response(out, w)) {
                return fail(out,
                            "has a term that is not linear, whose losses are not known: leave "
                            "it out of 'groups'",
                            v);
            }
            for (int g = 0; g < out->context->problem->equation->group_count; g++) {
                lossy = lossy || fields[g];
                out->requested[g] = out->requested[g] || fields[g];
            }
        }
        if (absorbs && !lossy) {
            return fail(out,
                        "has no losses at these frequencies: leave it out of 'groups', or "
                        "give it a conductivity or poles with damping (input/materials.md)",
                        v);
        }
        for (int w = v; w < v + parts && absorbs; w++) out->group_of[w] = out->groups;
        if (absorbs) out->volume[out->groups++] = v;
        v += parts;
    }
    if (out->groups > 0) return SEDGE_OK;
    out->requested[0] = true; // at no node: an entry of surfaces alone
    if (out->deck->surface_count > 0) return SEDGE_OK;
    return fail(out,
                "no volume group has losses at these frequencies: remove it, give a material a "
                "conductivity or poles with damping (input/materials.md), or name surfaces with "
                "losses",
                -1);
}

// The deck's mass densities, by group.
static sedge_status find_masses(sedge_absorption *out)
{
    const sedge_mesh_groups *const groups = &out->context->mesh->groups;

    if (out->deck->mass_count == 0) return SEDGE_OK;
    SEDGE_TRY(sedge_comm_agree(out->context->comm, sedge_allocate(&out->mass_density, out->groups,
                                                                  sizeof *out->mass_density)));
    for (int i = 0; i < out->deck->mass_count; i++) {
        const sedge_deck_mass *const mass = &out->deck->masses[i];
        int g = 0;

        while (g < out->groups && strcmp(groups->volume_names[out->volume[g]], mass->group) != 0)
            g++;
        if (g == out->groups) {
            char section[128];
            char origin[SEDGE_DECK_ORIGIN];

            (void)snprintf(section, sizeof section, "monitors.absorption.%s.mass_density",
                           out->deck->name);
            sedge_deck_origin(origin, out->context->deck, section, mass->group);
            return SEDGE_FAIL(SEDGE_ERR_USAGE,
                              "%s: %s: '%s' is none of the volume groups whose absorption the "
                              "entry finds: they are in 'groups', or have losses",
                              origin, section, mass->group);
        }
        out->mass_density[g] = mass->density;
    }
    return SEDGE_OK;
}

static sedge_status find_elements(sedge_absorption *out)
{
    const sedge_mesh *const mesh = out->context->mesh;

    for (int32_t e = 0; e < mesh->elements; e++) {
        out->row_of[e] = -1;
        if (out->group_of[mesh->group[e]] < 0) continue;
        out->row_of[e] = (int32_t)out->rows;
        out->elements[out->rows] = e;
        out->volumes[out->rows] = fabs(sedge_mesh_volume(mesh, e));
        out->ids[out->rows++] = mesh->global_ids[e];
    }
    return SEDGE_OK;
}

static sedge_status allocate(sedge_absorption *out)
{
    const sedge_mesh *const mesh = out->context->mesh;
    const int volumes = mesh->groups.volumes;
    const int frequencies = out->deck->frequencies.count;

    SEDGE_TRY(sedge_allocate(&out->volume, volumes, sizeof *out->volume));
    SEDGE_TRY(sedge_allocate(&out->group_of, volumes, sizeof *out->group_of));
    SEDGE_TRY(sedge_allocate(&out->ids, mesh->elements, sizeof *out->ids));
    SEDGE_TRY(sedge_allocate(&out->elements, mesh->elements, sizeof *out->elements));
    SEDGE_TRY(sedge_allocate(&out->row_of, mesh->elements, sizeof *out->row_of));
    SEDGE_TRY(sedge_allocate(&out->volumes, mesh->elements, sizeof *out->volumes));
    SEDGE_TRY(sedge_allocate(&out->volume_of_group, volumes + 1LL, sizeof *out->volume_of_group));
    SEDGE_TRY(sedge_allocate(&out->surface, out->deck->surface_count, sizeof *out->surface));
    out->surfaces = out->deck->surface_count;
    return sedge_allocate(&out->power, (volumes + out->surfaces + 1LL) * frequencies,
                          sizeof *out->power);
}

sedge_status sedge_absorption_create(sedge_absorption *out, const sedge_output_context *context,
                                     const sedge_deck_absorption *deck)
{
    *out = (sedge_absorption){.deck = deck, .context = context};
    SEDGE_TRY(sedge_comm_agree(context->comm, allocate(out)));
    SEDGE_TRY(find_groups(out));
    SEDGE_TRY(find_masses(out));
    SEDGE_TRY(sedge_absorption_surfaces_create(out->surface, context, deck));
    if (context->deck->exact.layers > 0) SEDGE_TRY(sedge_exact_check(context));
    return find_elements(out);
}

void sedge_absorption_clear(const sedge_absorption *absorption)
{
    for (int i = 0; i < absorption->surfaces; i++)
        sedge_absorption_surface_clear(&absorption->surface[i]);
    sedge_release(absorption->surface);
    sedge_release(absorption->volume);
    sedge_release(absorption->group_of);
    sedge_release(absorption->ids);
    sedge_release(absorption->elements);
    sedge_release(absorption->row_of);
    sedge_release(absorption->volumes);
    sedge_release(absorption->mass_density);
    sedge_release(absorption->volume_of_group);
    sedge_release(absorption->powers);
    sedge_release(absorption->power);
    sedge_release(absorption->intensity);
    sedge_release(absorption->exact);
}

// ---- densities ---------------------------------------------------------------------------------

// 1/2 sum_fg conj(u_f) losses_fg u_g of the components u [components][2], real and imaginary parts,
// which are `stride` pairs apart.
static double find_loss(const sedge_spectrum *spectrum, const double complex *losses, int fields,
                        const double *u, int64_t stride)
{
    double sum = 0.0;

    for (int a = 0; a < spectrum->components; a++) {
        const int f = spectrum->component[a];
        const double *const x = u + 2 * stride * a;

        sum += creal(losses[f * fields + f]) * (x[0] * x[0] + x[1] * x[1]);
        for (int b = a + 1; b < spectrum->components; b++) {
            const double complex both = losses[f * fields + spectrum->component[b]];
            const double *const y = u + 2 * stride * b;

            // twice the real part of conj(x) both y
            sum += 2.0 * (creal(both) * (x[0] * y[0] + x[1] * y[1]) -
                          cimag(both) * (x[0] * y[1] - x[1] * y[0]));
        }
    }
    return 0.5 * sum;
}

int64_t sedge_absorption_work(const sedge_spectrum *spectrum)
{
    return 2LL * spectrum->components * spectrum->frequencies->count;
}

// The losses of a volume group at all frequencies: losses [frequencies][fields][fields].
static void find_losses(const sedge_absorption *absorption, int v, double complex *losses)
{
    const int fields = absorption->context->problem->equation->fields;

    for (int k = 0; k < absorption->deck->frequencies.count; k++) {
        (void)sedge_response_losses(losses + (ptrdiff_t)k * fields * fields,
                                    absorption->context->problem, v,
                                    2.0 * PI * absorption->deck->frequencies.value[k]);
    }
}

void sedge_absorption_losses(const sedge_absorption *absorption, int64_t row, int k,
                             double complex *losses)
{
    const sedge_output_context *const context = absorption->context;

    (void)sedge_response_losses(losses, context->problem,
                                context->mesh->group[absorption->elements[row]],
                                2.0 * PI * absorption->deck->frequencies.value[k]);
}

void sedge_absorption_density(const sedge_absorption *absorption, const sedge_spectrum *spectrum,
                              int64_t row, int k, const double complex *losses,
                              const double *matrix, int places, double *work, double *density)
{
    const int fields = absorption->context->problem->equation->fields;
    const int64_t count = spectrum->frequencies->count;
    const double *const sums = spectrum->sums + row * sedge_spectrum_width(spectrum) + 2LL * k;

    for (int p = 0; p < places; p++) {
        const double *const weights = matrix + (ptrdiff_t)p * spectrum->row_points;

        memset(work, 0, (size_t)spectrum->components * 2 * sizeof *work);
        for (int n = 0; n < spectrum->row_points; n++) {
            for (int c = 0; c < spectrum->components; c++) {
                const double *const x =
                    sums + 2 * ((ptrdiff_t)n * spectrum->components + c) * count;
                for (int part = 0; part < 2; part++) work[2 * c + part] += weights[n] * x[part];
            }
        }
        density[p] = find_loss(spectrum, losses, fields, work, 1);
    }
}

// ---- powers ------------------------------------------------------------------------------------

// What integrates over elements: the powers of values at some places, or of modes, times weights.
// An element of straight edges has one Jacobian, and the integral of a product is the sum over
// orthonormal modes; others have quadrature points.
typedef struct absorption_rule {
    sedge_quadrature quadrature;
    double *values;  // [quadrature.points][nodes]
    double *weights; // [quadrature.points] of the element; or [modes]
    double *work;
    double complex *losses; // [frequencies][fields][fields] of `volume`
    int volume;
} absorption_rule;

static sedge_status create_rule(absorption_rule *out, const sedge_absorption *absorption,
                                const sedge_spectrum *spectrum)
{
    const sedge_element *const element = absorption->context->element;
    const int fields = absorption->context->problem->equation->fields;
    const int places = 3 + 2 * element->order; // the Jacobian has degree three

    *out = (absorption_rule){.volume = -1};
    SEDGE_TRY(sedge_quadrature_tet(&out->quadrature, places));
    const int64_t points = out->quadrature.points;
    SEDGE_TRY(sedge_allocate(&out->values, points * element->nodes, sizeof *out->values));
    SEDGE_TRY(sedge_allocate(&out->weights, points + element->nodes, sizeof *out->weights));
    SEDGE_TRY(sedge_allocate(&out->work, sedge_absorption_work(spectrum), sizeof *out->work));
    SEDGE_TRY(sedge_allocate(&out->losses, (int64_t)spectrum->frequencies->count * fields * fields,
                             sizeof *out->losses));
    for (int64_t q = 0; q < points; q++) {
        const double *const at = out->quadrature.place[q];
        SEDGE_TRY(sedge_element_interpolate(element, at[0], at[1], at[2],
                                            out->values + q * element->nodes));
    }
    return SEDGE_OK;
}

static void clear_rule(absorption_rule *rule)
{
    sedge_quadrature_clear(&rule->quadrature);
    sedge_release(rule->values);
    sedge_release(rule->weights);
    sedge_release(rule->work);
    sedge_release(rule->losses);
}

// The rule's weights for an element; returns how many there are, and `*matrix` of them.
static int weigh(absorption_rule *rule, const sedge_absorption *absorption, int64_t row,
                 const double **matrix)
{
    const sedge_output_context *const context = absorption->context;
    const int32_t e = absorption->elements[row];
    double c[SEDGE_CURVE_TERMS][3];

    if (sedge_mesh_curve(context->mesh, e) < 0) { // the reference element has the volume 4/3
        for (int m = 0; m < context->element->nodes; m++)
            rule->weights[m] = 0.75 * absorption->volumes[row];
        *matrix = context->element->inverse;
        return context->element->nodes;
    }
    sedge_mesh_expand(context->mesh, e, c);
    for (int q = 0; q < rule->quadrature.points; q++) {
        double dx[3][3];
        double cofactor[3][3];

        sedge_curve_tangents(c, rule->quadrature.place[q], dx);
        rule->weights[q] = rule->quadrature.weight[q] * sedge_curve_cofactors(dx, cofactor);
    }
    *matrix = rule->values;
    return rule->quadrature.points;
}

// The power that an element absorbs at each frequency.
static void integrate(absorption_rule *rule, const sedge_absorption *absorption,
                      const sedge_spectrum *spectrum, int64_t row, double *power)
{
    const int fields = absorption->context->problem->equation->fields;
    const int count = spectrum->frequencies->count;
    const int64_t width = sedge_absorption_work(spectrum);
    const double *const sums = spectrum->sums + row * sedge_spectrum_width(spectrum);
    const int v = absorption->context->mesh->group[absorption->elements[row]];
    const double *matrix;
    const int places = weigh(rule, absorption, row, &matrix);

    if (v != rule->volume) find_losses(absorption, v, rule->losses);
    rule->volume = v;
    for (int k = 0; k < count; k++) power[k] = 0.0;
    for (int p = 0; p < places; p++) {
        double *const u = rule->work;

        memset(u, 0, (size_t)width * sizeof *u);
        for (int n = 0; n < spectrum->row_points; n++) {
            const double weight = matrix[(ptrdiff_t)p * spectrum->row_points + n];
            const double *const x = sums + n * width;
            for (int64_t i = 0; i < width; i++) u[i] += weight * x[i];
        }
        for (int k = 0; k < count; k++) {
            power[k] += rule->weights[p] * find_loss(spectrum,
                                                     rule->losses + (ptrdiff_t)k * fields * fields,
                                                     fields, u + 2 * (ptrdiff_t)k, count);
        }
    }
}

// Sum over the elements of each group, and over all. `room` [rows]. Collective.
static void sum_groups(const sedge_absorption *absorption, double *room, const double *values,
                       int stride, double *sums)
{
    const sedge_output_context *const context = absorption->context;

    for (int g = 0; g <= absorption->groups; g++) {
        for (int64_t row = 0; row < absorption->rows; row++) {
            const int v = context->mesh->group[absorption->elements[row]];
            const bool counts = g == absorption->groups || absorption->group_of[v] == g;
            room[row] = counts ? values[row * stride] : 0.0;
        }
        sums[(ptrdiff_t)g * stride] =
            sedge_sample_sum(context->comm, (int32_t)absorption->rows, room);
    }
}

static sedge_status find_powers(sedge_absorption *absorption, const sedge_spectrum *spectrum)
{
    const int count = spectrum->frequencies->count;
    absorption_rule rule;
    sedge_status status =
        sedge_allocate(&absorption->powers, absorption->rows * count, sizeof *absorption->powers);

    if (status == SEDGE_OK)
        status = sedge_allocate(&absorption->intensity, count, sizeof *absorption->intensity);
    if (status != SEDGE_OK) return status;
    status = create_rule(&rule, absorption, spectrum);
    for (int64_t row = 0; row < absorption->rows && status == SEDGE_OK; row++)
        integrate(&rule, absorption, spectrum, row, absorption->powers + row * count);
    clear_rule(&rule);
    return status;
}

// Put the surfaces' powers between those of the groups and the sum, and add them to it. Collective.
static sedge_status add_surfaces(const sedge_absorption *absorption, const sedge_spectrum *spectra)
{
    const int count = absorption->deck->frequencies.count;
    double *const first = absorption->power + (ptrdiff_t)absorption->groups * count;
    double *const sum = first + (ptrdiff_t)absorption->surfaces * count;

    if (absorption->surfaces > 0) memcpy(sum, first, (size_t)count * sizeof *sum);
    for (int i = 0; i < absorption->surfaces; i++) {
        double *const row = first + (ptrdiff_t)i * count;

        SEDGE_TRY(sedge_absorption_surface_powers(&absorption->surface[i], absorption->context,
                                                  &spectra[i], row));
        for (int k = 0; k < count; k++) sum[k] += row[k];
    }
    return SEDGE_OK;
}

sedge_status sedge_absorption_find(sedge_absorption *absorption, const sedge_spectrum *spectrum,
                                   const sedge_spectrum *surfaces)
{
    const sedge_output_context *const context = absorption->context;
    const int count = spectrum->frequencies->count;
    sedge_floquet_cell cell;
    double *room = NULL;
    sedge_status status = sedge_allocate(&room, absorption->rows, sizeof *room);

    if (status == SEDGE_OK) status = find_powers(absorption, spectrum);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(context->comm, status));
    sum_groups(absorption, room, absorption->volumes, 1, absorption->volume_of_group);
    for (int k = 0; k < count; k++)
        sum_groups(absorption, room, absorption->powers + k, count, absorption->power + k);
    SEDGE_TRY_GOTO(status, add_surfaces(absorption, surfaces));
    if (!sedge_incident_intensity(absorption->intensity, context, spectrum)) {
        sedge_release(absorption->intensity);
        absorption->intensity = NULL;
    }
    if (spectrum->normalised && sedge_floquet_cell_find(&cell, context))
        absorption->cell_power = cell.incident[0]; // fields with one part go straight on
    status = sedge_absorption_find_exact(absorption, spectrum);
done:
    sedge_release(room);
    return status;
}
