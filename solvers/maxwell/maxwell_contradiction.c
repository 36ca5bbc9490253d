// What no single key can check: materials, boundaries, sources and initial state together.
#include "maxwell.h"

#include <math.h>
#include <string.h>

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Is `a` free of a part along `b`, but for rounding in the deck's digits?
static bool is_perpendicular(const double a[3], const double b[3])
{
    return fabs(dot(a, b)) <= 1e-6 * sqrt(dot(a, a) * dot(b, b));
}

static bool is_zero(const double a[3])
{
    return !(dot(a, a) > 0.0);
}

// Is the square of the length a number that can be divided by?
static bool has_length(const double a[3])
{
    return dot(a, a) >= 1e-300 && dot(a, a) <= 1e300;
}

static bool is_uniform(const sedge_problem *problem)
{
    for (int v = 1; v < problem->volumes; v++) {
        for (int i = 0; i < MAXWELL_MATERIAL_VALUES; i++)
            if (problem->materials[v][i] != problem->materials[0][i]) return false;
    }
    return true;
}

static bool is_lossless(const sedge_problem *problem)
{
    for (int v = 0; v < problem->volumes; v++)
        if (fabs(problem->materials[v][MAXWELL_DECAY]) > 0.0) return false;
    return true;
}

static bool starts_as(const sedge_problem *problem, const char *name)
{
    return problem->initial != NULL && strcmp(problem->initial->name, name) == 0;
}

// Is there a surface that the incident wave drives?
static bool has_scatterer(const sedge_problem *problem)
{
    for (int s = 0; s < problem->surfaces; s++) {
        const sedge_boundary_kind *kind = problem->boundaries[s].kind;
        if (kind != NULL && !kind->layers && strcmp(kind->name, "absorbing") != 0) return true;
    }
    return false;
}

// Has a material a term? Those of layers see the scattered fields alone, as they should.
static bool has_medium(const sedge_problem *problem)
{
    for (int i = 0; i < problem->term_count; i++)
        if (problem->terms[i].kind->layer == 0) return true;
    return false;
}

static sedge_contradiction make_finding(sedge_deck_place place, int index, const char *text)
{
    return (sedge_contradiction){text, place, index};
}

static sedge_contradiction check_incident(const sedge_problem *problem)
{
    for (int i = 0; i < problem->incident_count; i++) {
        const double *const p = problem->incidents[i].parameters;
        if (!has_length(p + WAVE_DIRECTION) || !has_length(p + WAVE_POLARISATION)) {
            return make_finding(SEDGE_AT_INCIDENT, i,
                                "the plane-wave source's direction or polarisation is too short or "
                                "too long: its length must be from 1e-150 to 1e150");
        }
        if (!is_perpendicular(p + WAVE_DIRECTION, p + WAVE_POLARISATION)) {
            return make_finding(SEDGE_AT_INCIDENT, i,
                                "the plane-wave source's polarisation is not perpendicular to its "
                                "direction");
        }
    }
    if (problem->incident_count > 0 && !starts_as(problem, "zero")) {
        return make_finding(SEDGE_AT_INITIAL, 0,
                            "a plane-wave source needs the initial state zero: the incident wave "
                            "comes from outside");
    }
    return (sedge_contradiction){.text = NULL};
}

// Without a surface through which the wave enters, the fields are the scattered ones everywhere.
static const char *check_scattered(const sedge_problem *problem)
{
    if (problem->incident_count == 0 || sedge_problem_feeds(problem) != NULL) return NULL;
    if (!is_uniform(problem)) {
        return "a plane-wave source needs the same material in every volume group: the fields are "
               "the scattered ones, and only surfaces scatter; for other scatterers give a closed "
               "surface around them the type total-field";
    }
    if (!is_lossless(problem))
        return "a plane-wave source needs conductivity 0: the incident wave travels undamped";
    if (has_medium(problem)) {
        return "a plane-wave source goes with no term of a material: the fields are the scattered "
               "ones, and a term does not see the incident wave; give a closed surface around "
               "such materials the type total-field";
    }
    if (!has_scatterer(problem)) {
        return "a plane-wave source acts on surfaces that scatter (pec, pmc, impedance, walls such "
               "as conductor, sheets), and there is none; around other scatterers give a closed "
               "surface the type total-field";
    }
    return NULL;
}

// Does volume group v have a term with one of these names?
static bool has_term(const sedge_problem *problem, int v, const char *name, const char *other)
{
    for (int i = 0; i < problem->term_count; i++) {
        const char *const own = problem->terms[i].kind->name;
        if (problem->terms[i].present[v] && (strcmp(own, name) == 0 || strcmp(own, other) == 0))
            return true;
    }
    return false;
}

// Is one of its materials' values a tensor that does not commute with the stretching of the layer?
// In one along axes diagonal ones do: the stretched tensor is Lambda times the medium's.
static bool is_oblique(const sedge_problem *problem, int v, int layer)
{
    for (int i = 0; i < problem->term_count; i++) {
        const sedge_term *const term = &problem->terms[i];
        if (!term->present[v] || term->kind->tensor == NULL) continue;
        if (layer > 3) return true;
        for (int k = 3; k < 6; k++) // yz, zx, xy
            if (fabs(sedge_term_pole(term, v, 0)[k]) > 0.0) return true;
    }
    return false;
}

// Where epsilon and mu are negative at one frequency, waves carry energy backwards, and every
// perfectly matched layer makes them grow (Cummer 2004; Becache, Joly, Vinoles 2018).
static sedge_contradiction check_layers(const sedge_problem *problem)
{
    for (int i = 0; i < problem->term_count; i++) {
        for (int v = 0; v < problem->volumes && problem->terms[i].kind->layer != 0; v++) {
            if (!problem->terms[i].present[v]) continue;
            if (is_oblique(problem, v, problem->terms[i].kind->layer)) {
                return make_finding(SEDGE_AT_MATERIAL, v,
                                    "a medium whose epsilon, mu or conductivity is a tensor "
                                    "reaches a surface with the type pml, which takes only "
                                    "diagonal tensors, on sides of a box; turn the axes, end the "
                                    "medium inside the box, or take the type absorbing");
            }
            if (has_term(problem, v, "magnetised_plasma", "ferrite")) {
                return make_finding(SEDGE_AT_MATERIAL, v,
                                    "a medium in a static magnetic field (magnetised_plasma or "
                                    "ferrite) reaches a surface with the type pml, which does not "
                                    "absorb such media; end the medium inside the box, or take the "
                                    "type absorbing");
            }
            if (has_term(problem, v, "drude", "lorentz") &&
                has_term(problem, v, "magnetic_drude", "magnetic_lorentz")) {
                return make_finding(SEDGE_AT_MATERIAL, v,
                                    "a medium with resonances of both epsilon and mu (drude or "
                                    "lorentz, and magnetic_drude or magnetic_lorentz) reaches a "
                                    "surface with the type pml: waves that run backwards in it "
                                    "would grow in the layer; end the medium inside the box, or "
                                    "take the type absorbing");
            }
        }
    }
    return (sedge_contradiction){.text = NULL};
}

// A direction whose square is 0, or not a number, gives no weights, or none that are numbers.
static sedge_contradiction check_points(const sedge_problem *problem)
{
    for (int i = 0; i < problem->point_source_count; i++) {
        const sedge_point_source *const source = &problem->point_sources[i];
        double weights[6] = {0.0};
        double sum = 0.0;

        source->kind->point(source->parameters, problem->materials[0], weights);
        for (int f = 0; f < 6; f++) sum += fabs(weights[f]);
        if (!(sum > 0.0) || isinf(sum)) {
            return make_finding(SEDGE_AT_POINT_SOURCE, i,
                                "a point source gives no current, or one that is not a number: "
                                "the square of its direction or axis is 0 or too large");
        }
    }
    return (sedge_contradiction){.text = NULL};
}

static const char *check_cavity(const double *p)
{
    double k[3], amplitude[3];
    int zeros = 0;
    double alive = 0.0; // a component needs the two other indices

    for (int i = 0; i < 3; i++)
        if (!(p[CAVITY_MODE + i] > 0.0)) zeros++;
    if (zeros > 1) return "a cavity-mode has at most one 0 in `mode`";
    if (!isfinite(dot(p + CAVITY_AMPLITUDE, p + CAVITY_AMPLITUDE)))
        return "the cavity-mode's amplitude is too large: its square is not a number any more";
    maxwell_cavity_amplitude(p, k, amplitude);
    for (int i = 0; i < 3; i++)
        if (zeros == 0 || !(p[CAVITY_MODE + i] > 0.0)) alive = fmax(alive, fabs(amplitude[i]));
    if (!(alive > 1e-9 * sqrt(dot(p + CAVITY_AMPLITUDE, p + CAVITY_AMPLITUDE)))) {
        return "the cavity-mode's amplitude has no part that its `mode` allows: it must not be "
               "along the wave vector, and with a 0 in `mode` only that component lives";
    }
    return NULL;
}

static const char *check_initial(const sedge_problem *problem)
{
    const double *p = problem->initial_parameters;

    if (starts_as(problem, "cavity-mode")) return check_cavity(p);
    if (starts_as(problem, "plane-wave")) {
        if (is_zero(p + WAVE_DIRECTION)) return "the initial plane-wave has a zero direction";
        if (!is_perpendicular(p + WAVE_DIRECTION, p + WAVE_POLARISATION))
            return "the initial plane-wave's polarisation is not perpendicular to its direction";
    }
    if (starts_as(problem, "periodic-wave")) {
        double k[3];
        for (int i = 0; i < 3; i++) k[i] = p[PERIODIC_WAVES + i] / p[PERIODIC_PERIOD + i];
        if (is_zero(k)) return "the periodic-wave's `waves` are all 0";
        if (!is_perpendicular(k, p + PERIODIC_POLARISATION)) {
            return "the periodic-wave's polarisation is not perpendicular to its wave vector "
                   "waves / period";
        }
    }
    return NULL;
}

// Errors against an exact solution mean something only where it solves the problem.
static const char *check_comparison(const sedge_problem *problem)
{
    if (!problem->compare) return NULL;
    if (problem->point_source_count > 0) {
        return "the initial state is no exact solution beside a point source: set "
               "initial.compare to false";
    }
    if (starts_as(problem, "layered-mode")) {
        for (int v = 0; v < problem->volumes; v++) {
            const double *m = problem->materials[v];
            const double epsilon = 1.0 / m[MAXWELL_INVERSE_EPSILON];
            const double *p = problem->initial_parameters;
            const double miss =
                fmin(fabs(epsilon - p[LAYERED_BELOW]), fabs(epsilon - p[LAYERED_ABOVE]));
            if (miss > 1e-9 * epsilon || m[MAXWELL_INVERSE_MU] != 1.0 || m[MAXWELL_DECAY] > 0.0) {
                return "the layered-mode is exact only where each volume group has one of its two "
                       "epsilons, mu 1 and no conductivity: set initial.compare to false";
            }
        }
        return NULL;
    }
    if (!is_uniform(problem)) {
        return "the initial state is an exact solution only with the same material in every volume "
               "group: set initial.compare to false";
    }
    if (!is_lossless(problem) && !starts_as(problem, "cavity-mode")) {
        return "the initial state is an exact solution only without conductivity: set "
               "initial.compare to false";
    }
    return NULL;
}

sedge_contradiction maxwell_contradiction(const sedge_problem *problem)
{
    sedge_contradiction found = check_incident(problem);

    if (found.text == NULL) found = make_finding(SEDGE_AT_INCIDENT, 0, check_scattered(problem));
    if (found.text == NULL) found = check_layers(problem);
    if (found.text == NULL) found = check_points(problem);
    if (found.text == NULL) found = make_finding(SEDGE_AT_INITIAL, 0, check_initial(problem));
    if (found.text == NULL) found = make_finding(SEDGE_AT_INITIAL, 0, check_comparison(problem));
    return found;
}
