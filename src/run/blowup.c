#include "blowup.h"

#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- what went wrong where ---------------------------------------------------------------------

// When it was seen, and what is told beside it.
typedef struct fault {
    const char *what;
    double time;
    int64_t step;
    const double *history; // [samples]
    int samples;
} fault;

// Where a search is: the element found and its rank in the search, the highest wins.
typedef struct suspect {
    int32_t element; // -1: none
    double score;
} suspect;

// Take element `e` if its score is higher, or the same and its global number less.
static void compare_suspect(suspect *best, const sedge_mesh *mesh, int32_t e, double score)
{
    const bool tie = best->element >= 0 && score >= best->score;

    if (best->element >= 0 && !(score > best->score) &&
        !(tie && mesh->global_ids[e] < mesh->global_ids[best->element]))
        return;
    *best = (suspect){e, score};
}

static sedge_status add_causes(sedge_text *text, const sedge_session *session, int32_t e)
{
    const sedge_mesh *const mesh = session->mesh;
    const sedge_problem *const problem = &session->problem;
    const double *const m = problem->materials[mesh->group[e]];
    const double decay = problem->equation->decay != NULL ? problem->equation->decay(m) : 0.0;

    if (decay < 0.0) {
        SEDGE_TRY(sedge_text_add(text, ", a medium with gain, growth rate %.4g",
                                 -decay / sedge_deck_time_unit(session->deck)));
    }
    if (sedge_mesh_curve(mesh, e) >= 0) {
        SEDGE_TRY(sedge_text_add(text,
                                 ", curved: its Jacobian changes by a factor of %.3g, and strongly "
                                 "curved elements can need a smaller time.cfl",
                                 sedge_mesh_bending(mesh, e)));
    }
    for (int f = 0; f < SEDGE_FACES; f++) {
        const int32_t slot = -1 - mesh->faces[e][f].neighbour;
        if (slot < mesh->halo_faces) continue;
        const int group = mesh->trace_faces[slot].group;
        const sedge_boundary_kind *const kind = problem->boundaries[group].kind;
        SEDGE_TRY(sedge_text_add(text, ", at boundary '%s' (%s)", mesh->groups.surface_names[group],
                                 kind != NULL ? kind->name : "no condition"));
    }
    return SEDGE_OK;
}

// The step that the element takes.
static double find_step(const sedge_session *session, int32_t e)
{
    return ldexp(session->dt, sedge_mesh_level(session->mesh, e) + 1 - session->mesh->levels);
}

static sedge_status describe(const sedge_session *session, int32_t e, const fault *seen)
{
    const sedge_mesh *const mesh = session->mesh;
    const char *const metre = sedge_deck_unit(session->deck, SEDGE_LENGTH);
    double place[3] = {0.0};
    sedge_text *text = NULL;
    sedge_status status;

    for (int d = 0; d < 3; d++)
        for (int v = 0; v < 4; v++) place[d] += 0.25 * mesh->corners[e][v][d];
    SEDGE_TRY_GOTO(status, sedge_text_create(&text));
    SEDGE_TRY_GOTO(
        status,
        sedge_text_add(
            text,
            "%s at step %lld, t = %.6g%s, in element %lld at (%.6g, %.6g, %.6g), material "
            "'%s', inscribed radius %.4g%s, least height %.4g%s, local CFL number %.3g of %.3g "
            "allowed",
            seen->what, (long long)seen->step, seen->time * sedge_deck_time_unit(session->deck),
            sedge_deck_unit(session->deck, SEDGE_TIME),
            (long long)mesh->global_ids[e - sedge_mesh_copy(mesh, e)], place[0], place[1], place[2],
            mesh->groups.volume_names[mesh->group[e]], sedge_mesh_inradius(mesh, e), metre,
            sedge_mesh_height(mesh, e), metre,
            find_step(session, e) * sedge_problem_rate(&session->problem, mesh, e),
            SEDGE_CFL_STABLE));
    SEDGE_TRY_GOTO(status, add_causes(text, session, e));
    SEDGE_TRY_GOTO(status, sedge_text_add(text, "; last energies:"));
    for (int i = seen->samples > 5 ? seen->samples - 5 : 0; i < seen->samples; i++)
        SEDGE_TRY_GOTO(status, sedge_text_add(text, " %.6g", seen->history[i]));
    SEDGE_TRY_GOTO(status, sedge_text_add(text, "%s", sedge_deck_energy_suffix(session->deck)));
    status = SEDGE_FAIL(SEDGE_ERR_COMPUTE, "%s", sedge_text_get(text));
done:
    sedge_text_free(text);
    return status;
}

// The rank with the best suspect of all describes it. Collective.
static sedge_status accuse(const sedge_session *session, const suspect *best, const fault *seen)
{
    double highest = best->element >= 0 ? best->score : -(double)INFINITY;
    sedge_status status = SEDGE_OK;

    sedge_comm_max(session->comm, &highest, 1);
    // Global numbers are exact in a double: no mesh has 2^53 elements.
    const bool candidate = best->element >= 0 && best->score >= highest;
    const double mine =
        candidate ? (double)session->mesh->global_ids[best->element] : (double)INFINITY;
    double least = mine;
    sedge_comm_min(session->comm, &least, 1);
    if (candidate && mine <= least) status = describe(session, best->element, seen);
    return sedge_comm_agree(session->comm, status);
}

sedge_status sedge_blowup_check(const sedge_session *session, const double *energy,
                                const double *before, double time, int64_t step,
                                const double *history, int samples)
{
    const sedge_mesh *const mesh = session->mesh;
    suspect worst = {-1, 0.0};

    for (int32_t e = 0; e < mesh->elements; e++) {
        if (isfinite(energy[e])) continue;
        compare_suspect(&worst, mesh, e, before[e] / sedge_mesh_volume(mesh, e));
    }
    return accuse(session, &worst,
                  &(fault){"the field is not a number any more", time, step, history, samples});
}

double sedge_blowup_quiet(const sedge_session *session)
{
    const sedge_problem *const problem = &session->problem;

    if (problem->equation->quiet == NULL || !sedge_problem_is_passive(problem))
        return (double)INFINITY;
    return problem->equation->quiet(problem, session->mesh->bounds);
}

sedge_status sedge_blowup_grown(const sedge_session *session, const char *how, const double *energy,
                                const double *before, double limit, double time, int64_t step,
                                const double *history, int samples)
{
    const sedge_mesh *const mesh = session->mesh;
    suspect worst = {-1, 0.0};
    char what[128];

    for (int32_t e = 0; e < mesh->elements; e++) {
        compare_suspect(&worst, mesh, e, (energy[e] - before[e]) / sedge_mesh_volume(mesh, e));
    }
    (void)snprintf(what, sizeof what, "%s, above %.6g%s,", how,
                   limit * sedge_deck_energy_unit(session->deck),
                   sedge_deck_energy_suffix(session->deck));
    return accuse(session, &worst, &(fault){what, time, step, history, samples});
}
