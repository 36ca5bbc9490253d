#include "driver.h"

#include "base/text.h"
#include "checkpoint/checkpoint.h"
#include "device/cpu.h"
#include "device/device.h"
#include "elliptic/parts.h"
#include "image/image.h"
#include "monitor/monitors.h"
#include "monitor/sampling.h"
#include "operator/operator.h"
#include "operator/terms.h"
#include "run/driver_elliptic.h"
#include "run/ending.h"
#include "session/plausibility.h"
#include "session/refraction.h"
#include "session/resolution.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- cost --------------------------------------------------------------------------------------

// The largest over ranks of what the operator, the host copies and spectra will take.
// Warn if the ranks of this machine ask for more memory than it has.
static void print_shortage(double bytes)
{
    const double left = (double)sedge_cpu_memory_free();

    if (bytes <= left) return;
    printf(
        "  warning            the host's part, %.3g GB here, is more than the %.3g GB that this "
        "machine has free: ask for fewer frequencies or for fields in a smaller part of the mesh, "
        "or take more machines\n",
        1e-9 * bytes, 1e-9 * left);
}

static void print_memory(const sedge_session *session, const sedge_comm *comm)
{
    const sedge_mesh *const mesh = session->mesh;
    int64_t bytes[2] = {
        sedge_operator_memory(&session->problem, mesh),
        (int64_t)mesh->elements * session->problem.equation->fields * session->element->nodes *
            (int64_t)(2 * sizeof(double)),
    };

    const sedge_output_context context = sedge_session_output(session, 0, false);
    const sedge_sampling_memory spectra = sedge_sampling_bytes(&context);

    if (session->deck->snapshots > 0) { // converted to fp32 there (evolve/snapshot.h)
        bytes[0] += (int64_t)mesh->elements * session->problem.equation->fields *
                    session->element->nodes * (int64_t)sizeof(float);
    }
    if (sedge_checkpoint_is_requested(session->deck)) // a copy of the state (evolve/state_copy.h)
        bytes[0] += sedge_checkpoint_bytes(session) / mesh->global_elements * mesh->elements;
    sedge_comm_max_int(comm, bytes, 2);
    const sedge_point_memory points = sedge_sampling_point_bytes(&context);
    bytes[0] += (int64_t)(spectra.sums + spectra.samples + points.device);
    bytes[1] += (int64_t)(spectra.host + points.host);
    if (sedge_comm_is_root(comm)) {
        printf("  memory             %.1f MiB on the device, %.1f MiB on the host (at most, per "
               "rank, without the mesh)\n",
               (double)bytes[0] / 1048576.0, (double)bytes[1] / 1048576.0);
        print_shortage((double)bytes[1] * sedge_comm_node_size(comm));
    }
}

// What one step takes at least, over all ranks: the counts of report.json, times the stages and the
// steps that elements take in it.
static sedge_check_work find_step_work(const sedge_session *session)
{
    const double stages = session->problem.integrator->stages *
                          (double)session->mesh->global_elements *
                          sedge_levels_work(&session->levels);
    double bytes;
    double flops;

    sedge_operator_element_work(&session->problem, session->element, &bytes, &flops);
    return (sedge_check_work){1, stages * fmax(flops, 0.0), stages * bytes};
}

static void print_work(const sedge_session *session)
{
    const sedge_check_work work = find_step_work(session);

    if (work.flops > 0.0) {
        printf("  work               about %.3g Gflop and %.3g GB of memory traffic a step, %.3g "
               "Gflop in all\n",
               1e-9 * work.flops, 1e-9 * work.bytes, 1e-9 * work.flops * (double)session->steps);
    } else {
        printf("  work               about %.3g GB of memory traffic a step, %.3g GB in all\n",
               1e-9 * work.bytes, 1e-9 * work.bytes * (double)session->steps);
    }
}

// Field files hold four bytes a value.
static void print_output(const sedge_session *session)
{
    const sedge_deck *const deck = session->deck;
    const double bytes = 4.0 * (double)session->mesh->global_elements * session->element->nodes *
                         session->problem.equation->fields;
    const int64_t energies = (session->steps + deck->energy_every - 1) / deck->energy_every + 1;
    const int64_t samples = deck->probe_count > 0 ? session->steps / deck->probe_every + 1 : 0;

    printf("  output             %s: ", deck->output);
    if (deck->snapshots > 0) {
        printf("%d field files of about %.1f MiB, ", deck->snapshots + 1, bytes / 1048576.0);
    } else {
        printf("no field files, ");
    }
    printf("%lld energies, %lld samples of %d probes\n", (long long)energies, (long long)samples,
           deck->probe_count);
}

// The volume groups whose absorbed power an entry finds.
static void print_absorption(const sedge_output_context *context,
                             const sedge_deck_absorption *absorption)
{
    const sedge_mesh_groups *const groups = &context->mesh->groups;
    int shown = -1;

    printf("  absorption         %s:", absorption->name);
    for (int v = 0; v < groups->volumes; v++) {
        bool fields[SEDGE_MAX_FIELDS] = {false};

        if (!sedge_sampling_absorbs(fields, context, absorption, v) ||
            sedge_mesh_same_group(groups, v, shown))
            continue;
        printf("%s '%s'", shown >= 0 ? "," : " in", groups->volume_names[v]);
        shown = v;
    }
    for (int k = 0; k < absorption->surface_count; k++)
        printf("%s '%s'", k > 0 ? "," : " by", absorption->surfaces[k]);
    printf("\n");
}

// How often fields are sampled for Fourier transforms, and what these take.
static sedge_status print_spectra(const sedge_session *session)
{
    const sedge_deck *const deck = session->deck;
    const sedge_output_context context = sedge_session_output(session, 0, false);
    sedge_sampling sampling;

    if (sedge_sampling_entries(deck) == 0) return SEDGE_OK;
    SEDGE_TRY(sedge_sampling_plan(&sampling, &context));
    const sedge_sampling_memory bytes = sedge_sampling_bytes(&context);
    if (!sedge_comm_is_root(session->comm)) return SEDGE_OK;
    printf("  spectra            %d, %d of flux, %d of absorption, %d of far fields, a sample "
           "every %d "
           "steps (%.4g%s), %.1f MiB of sums and %.1f MiB of samples on the device\n",
           deck->spectrum_count, deck->flux_count, deck->absorption_count, deck->far_field_count,
           sampling.every, sampling.every * session->dt * sedge_deck_time_unit(deck),
           sedge_deck_unit(deck, SEDGE_TIME), bytes.sums / 1048576.0, bytes.samples / 1048576.0);
    for (int i = 0; i < deck->absorption_count; i++)
        print_absorption(&context, &deck->absorptions[i]);
    return SEDGE_OK;
}

static void print_checkpoints(const sedge_session *session)
{
    const sedge_deck *const deck = session->deck;
    const double unit = sedge_deck_time_unit(deck);

    printf("  checkpoints        ");
    if (deck->checkpoint_steps > 0) {
        printf("every %lld steps, ", (long long)deck->checkpoint_steps);
    } else if (deck->checkpoint_time > 0.0) {
        printf("every %g%s of simulated time, ", deck->checkpoint_time * unit,
               deck->si ? " s" : "");
    } else if (deck->checkpoint_wall > 0.0) {
        printf("every %g s of the wall clock, ", deck->checkpoint_wall);
    } else {
        printf("none at intervals; one would have about %.1f MiB\n",
               (double)sedge_checkpoint_bytes(session) / 1048576.0);
        return;
    }
    printf("about %.1f MiB each, the newest %d stay; written while the run goes on, from a copy of "
           "the state on the device; where that has no room the run waits\n",
           (double)sedge_checkpoint_bytes(session) / 1048576.0, deck->checkpoint_keep);
}

// ---- device ------------------------------------------------------------------------------------

// A GPU that is not here is no fault: decks are checked on login nodes.
static void print_device(const sedge_session *session)
{
    const bool is_opencl = strcmp(session->deck->device, "opencl") == 0;
    const char *const kind = is_opencl ? "OpenCL" : "CUDA";
    const char *why = NULL;
    const int devices = is_opencl ? sedge_device_count_opencl(&why) : sedge_device_count_cuda(&why);

    printf("  device             '%s' asked for; ", session->deck->device);
    if (devices > 0) {
        printf("%d %s device%s on this node\n", devices, kind, devices == 1 ? "" : "s");
    } else {
        printf("no %s device here: %s\n", kind, why != NULL ? why : "none found");
    }
}

// Are kernels requested that this device, order or equation cannot have? Of a device that is not
// here only its run can tell.
static sedge_status check_kernels(const sedge_session *session, const sedge_comm *comm)
{
    sedge_operator_options config;
    sedge_device *device = NULL;
    sedge_text *texts[SEDGE_OPERATOR_PROGRAMS] = {NULL};
    char names[SEDGE_OPERATOR_PROGRAMS][SEDGE_OPERATOR_NAME];
    sedge_status status;

    if (session->problem.equation->elliptic != NULL) return SEDGE_OK;
    SEDGE_TRY(sedge_session_kernels(&config, session));
    if (!sedge_operator_is_requested(&config)) return SEDGE_OK;
    if (sedge_device_create(&device, session->deck->device, sedge_comm_node_rank(comm),
                            sedge_comm_node_size(comm)) != SEDGE_OK) {
        sedge_error_clear();
        return SEDGE_OK;
    }
    for (int i = 0; i < SEDGE_OPERATOR_PROGRAMS; i++)
        SEDGE_TRY_GOTO(status, sedge_text_create(&texts[i]));
    SEDGE_TRY_GOTO(status, sedge_operator_texts(texts, names, sedge_device_get_info(device),
                                                session->element, &session->problem, &config));
done:
    for (int i = 0; i < SEDGE_OPERATOR_PROGRAMS; i++) sedge_text_free(texts[i]);
    sedge_device_free(device);
    return status;
}

// ---- mesh and deck -----------------------------------------------------------------------------

// What a surface group has from the deck; of a condition its name alone.
static const char *describe_condition(const sedge_session *session, int s)
{
    const sedge_deck *const deck = session->deck;
    const sedge_mesh_groups *const groups = &session->mesh->groups;

    for (int i = 0; i < deck->boundary_count; i++) {
        const sedge_deck_boundary *const boundary = &deck->boundaries[i];
        if (strcmp(boundary->name, groups->surface_names[s]) == 0)
            return boundary->kind != NULL ? boundary->kind->name : "periodic";
        if (boundary->kind == NULL && strcmp(boundary->partner, groups->surface_names[s]) == 0)
            return "periodic";
    }
    if (groups->surface_faces[s] > 0) return "NO CONDITION in the deck";
    for (int axis = 0; axis < 3 && deck->mesh.file == NULL; axis++) {
        const char wall[] = {"xyz"[axis], 'm', '\0'};
        if (deck->mesh.box_periodic[axis] && strncmp(groups->surface_names[s], wall, 2) == 0)
            return "periodic";
    }
    return "inside the mesh, needs no condition";
}

static bool has_material(const sedge_deck *deck, const char *name)
{
    for (int i = 0; i < deck->material_count; i++)
        if (strcmp(deck->materials[i].name, name) == 0) return true;
    return false;
}

// The memory that a term takes in volume group v over all ranks, in bytes, without what the layout
// on the device adds and what predictions need in curved elements (operator/terms.h); 0 in a
// session that did not open.
static int64_t find_memory(const sedge_session *session, const sedge_term *term, int v)
{
    const int64_t bytes = sedge_real_bytes(session->problem.precision);

    if (!term->present[v] || session->element == NULL) return 0;
    return bytes * operator_term_words(&session->problem, term) * session->element->nodes *
           session->mesh->groups.volume_elements[v] * sedge_mesh_copies(session->mesh);
}

static void print_bytes(const sedge_session *session, int64_t bytes)
{
    if (bytes == 0) return;
    printf(" (memory: %.2f MiB on the device%s)", (double)bytes / 1048576.0,
           sedge_comm_size(session->comm) > 1 ? "s" : "");
}

static void print_terms(const sedge_session *session, int v)
{
    const sedge_problem *const problem = &session->problem;
    const int parts = sedge_mesh_group_parts(&session->mesh->groups, v);

    for (int i = 0; i < problem->term_count; i++) {
        const sedge_term *const term = &problem->terms[i];
        if (!term->present[v]) continue;
        printf(", %s", term->kind->name);
        if (term->poles > 1) printf(" with %d poles", term->poles);
        int64_t bytes = 0;
        for (int part = 0; part < parts; part++) bytes += find_memory(session, term, v + part);
        print_bytes(session, bytes);
    }
}

// All groups of layers together: they continue the others.
static void print_layers(const sedge_session *session)
{
    const sedge_problem *const problem = &session->problem;
    const sedge_mesh_groups *const groups = &session->mesh->groups;
    int64_t elements = 0;
    int64_t bytes = 0;

    for (int v = 0; v < groups->volumes; v++) {
        if (groups->volume_axes[v] == 0) continue;
        elements += groups->volume_elements[v];
        for (int i = 0; i < problem->term_count; i++)
            bytes += find_memory(session, &problem->terms[i], v);
    }
    if (elements == 0) return;
    printf("    %-16s %lld elements: continue these", "layers", (long long)elements);
    print_bytes(session, bytes);
    printf("\n");
}

// What a condition's numbers follow from its parameters and the surface.
static void print_found(const sedge_session *session, const sedge_boundary *boundary)
{
    const sedge_equation *const equation = session->problem.equation;
    char text[160];

    if (boundary->kind->describe == NULL) return;
    boundary->kind->describe(text, boundary->parameters,
                             session->deck->si ? 1.0 / equation->si[SEDGE_FREQUENCY] : 0.0);
    printf(", %s", text);
}

// Further conditions of a surface, such as further modes of a port.
static void print_further(const sedge_session *session, int s)
{
    const sedge_problem *const problem = &session->problem;

    for (int i = 0; i < problem->further_count && session->element != NULL; i++) {
        const sedge_boundary *const one = &problem->further[i];

        if (one->surface != s) continue;
        printf("    %-16s the same surface: %s", one->name, one->kind->name);
        print_found(session, one);
        printf("\n");
    }
}

// What a condition with memory, or with numbers that follow from its parameters, is made of.
static void print_condition(const sedge_session *session, int s)
{
    const sedge_problem *const problem = &session->problem;
    const sedge_deck *const deck = session->deck;

    // Of a deck that does not fit the problem is empty, or not complete.
    if (problem->boundaries == NULL || problem->boundaries[s].kind == NULL) return;
    const sedge_boundary *const boundary = &problem->boundaries[s];
    if (boundary->kind->feed != NULL) printf(", incident waves: %d", problem->incident_count);
    if (session->element == NULL) return;
    print_found(session, boundary);
    const double step = sedge_problem_memory_step(problem, session->mesh, s);
    if (isfinite(step) && step < session->least_step / deck->cfl * 1.000001) {
        printf(", its memory limits the time step to %.4g%s",
               deck->cfl * step * sedge_deck_time_unit(deck), sedge_deck_unit(deck, SEDGE_TIME));
    }
}

// The least and the greatest of a group's numbers that vary in space.
static void print_grades(const sedge_session *session, int v)
{
    const sedge_mesh_groups *const groups = &session->mesh->groups;
    const sedge_deck *const deck = session->deck;
    const int parts = sedge_mesh_group_parts(groups, v);
    int place = 0;

    for (int i = 0; deck != NULL && i < deck->mesh.grids; i++) {
        const sedge_image_grid *const grid = &deck->grids[i];
        double least = HUGE_VAL, most = -HUGE_VAL;
        if (strcmp(grid->volume, groups->volume_names[v]) != 0) continue;
        for (int part = v; part < v + parts; part++) {
            least = fmin(least, groups->volume_values[part][place]);
            most = fmax(most, groups->volume_values[part][place]);
        }
        printf(", %s %.6g to %.6g", deck->equation->materials[grid->key].name, least / grid->unit,
               most / grid->unit);
        place++;
    }
    if (place > 0) printf(" in %d grade%s", parts, parts == 1 ? "" : "s");
}

// All groups of the mesh, and what the deck says about them.
static void print_groups(const sedge_session *session)
{
    const sedge_mesh_groups *const groups = &session->mesh->groups;

    printf("  materials\n");
    for (int v = 0, end; v < groups->volumes; v = end) {
        int64_t elements = 0;
        end = v + sedge_mesh_group_parts(groups, v);
        if (groups->volume_axes[v] != 0) continue;
        for (int part = v; part < end; part++) elements += groups->volume_elements[part];
        printf("    %-16s %lld elements: %s", groups->volume_names[v], (long long)elements,
               has_material(session->deck, groups->volume_names[v]) ? "given"
                                                                    : "NO MATERIAL in the deck");
        print_grades(session, v);
        print_terms(session, v);
        printf("\n");
    }
    print_layers(session);
    if (session->deck != NULL && session->deck->copies > 1) {
        printf(
            "  symmetry           the mesh is one of %d parts, which are mirror images: energies, "
            "fluxes and far fields are those of all\n",
            session->deck->copies);
    }
    printf("  boundaries\n");
    for (int s = 0; s < groups->surfaces; s++) {
        const int64_t two_sided = groups->surface_two_sided_faces[s];
        const int64_t inside = groups->surface_interior_faces[s];
        const int64_t faces = groups->surface_faces[s] - two_sided + inside;
        printf("    %-16s %lld faces: %s", groups->surface_names[s], (long long)faces,
               describe_condition(session, s));
        if (two_sided > 0) printf(", on both sides of %lld inside the mesh", (long long)two_sided);
        const sedge_mesh_enclosed *const enclosed = sedge_mesh_enclosed_by(session->mesh, s);
        if (enclosed != NULL) printf(", around %lld elements", (long long)enclosed->elements);
        print_condition(session, s);
        printf("\n");
        print_further(session, s);
    }
}

// The list would be of elements that are all as bad, and maybe not of all of these.
static void print_alike(const sedge_mesh_quality *quality, const sedge_mesh *mesh)
{
    const sedge_bad_element *const one = &quality->worst[0];

    if (quality->worst_alike * sedge_mesh_copies(mesh) == mesh->global_elements) {
        printf("  worst elements     none: all %lld have the same quality\n",
               (long long)quality->worst_alike);
        return;
    }
    printf("  worst elements     %lld have the least quality, %.3f, one of them at (%.4g, %.4g, "
           "%.4g) in '%s'\n",
           (long long)quality->worst_alike, one->quality, one->centroid[0], one->centroid[1],
           one->centroid[2], mesh->groups.volume_names[one->group]);
}

static sedge_status print_quality(const sedge_session *session, const sedge_comm *comm)
{
    const char *const metre = sedge_deck_unit(session->deck, SEDGE_LENGTH);
    sedge_mesh_quality quality;

    SEDGE_TRY(sedge_mesh_measure(&quality, comm, session->mesh));
    if (!sedge_comm_is_root(comm)) return SEDGE_OK;
    printf("  quality            least %.3f, mean %.3f (1: regular); inscribed radius %.4g%s to "
           "%.4g%s\n",
           quality.quality_min, quality.quality_mean, quality.inradius_min, metre,
           quality.inradius_max, metre);
    if (quality.worst_alike > 1 && quality.worst_alike >= quality.worst_count) {
        print_alike(&quality, session->mesh);
        return SEDGE_OK;
    }
    printf("  worst elements\n");
    for (int i = 0; i < quality.worst_count; i++) {
        const sedge_bad_element *const bad = &quality.worst[i];
        printf("    element %-9lld quality %.3f, inscribed radius %.4g%s, at (%.4g, %.4g, %.4g) in "
               "'%s'\n",
               (long long)bad->global_id, bad->quality, bad->inradius, metre, bad->centroid[0],
               bad->centroid[1], bad->centroid[2], session->mesh->groups.volume_names[bad->group]);
    }
    return SEDGE_OK;
}

static sedge_status print_deck(const sedge_session *session)
{
    sedge_text *text = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_text_create(&text));
    SEDGE_TRY_GOTO(status, sedge_deck_write(text, session->deck));
    printf("\n# resolved deck\n%s", sedge_text_get(text));
done:
    sedge_text_free(text);
    return status;
}

static sedge_status print_check(const sedge_session *session, const sedge_comm *comm)
{
    const bool root = sedge_comm_is_root(comm);

    if (session->problem.equation->elliptic != NULL)
        SEDGE_TRY(sedge_elliptic_check_parts(comm, session->mesh, &session->problem));
    sedge_session_print(session);
    SEDGE_TRY(sedge_resolution_print(session));
    sedge_plausibility_print(session);
    sedge_refraction_print(session);
    if (session->problem.equation->elliptic != NULL) {
        sedge_elliptic_print_sizes(session);
    } else {
        if (sedge_problem_frequency(&session->problem) <= 0.0 && root) {
            printf(
                "  wavelengths        the deck has no signal: nothing to compare the mesh with\n");
        }
        print_memory(session, comm);
        if (root) print_work(session);
        if (root) print_output(session);
        SEDGE_TRY(print_spectra(session));
        if (root) print_checkpoints(session);
    }
    if (root) print_device(session);
    SEDGE_TRY(print_quality(session, comm));
    if (root) print_groups(session);
    return sedge_comm_agree(comm, root ? print_deck(session) : SEDGE_OK);
}

// Quiet: what could fail, without its text.
static sedge_status check_session(const sedge_session *session, const sedge_comm *comm)
{
    const sedge_output_context context = sedge_session_output(session, 0, false);
    sedge_ending ending;

    SEDGE_TRY(sedge_ending_find(&ending, session));
    SEDGE_TRY(sedge_comm_agree(comm, check_kernels(session, comm)));
    SEDGE_TRY(sedge_monitors_check(&context));
    return session->options->quiet ? SEDGE_OK : print_check(session, comm);
}

sedge_status sedge_check(sedge_comm *comm, const sedge_run_options *options, sedge_check_work *work)
{
    sedge_session session;
    sedge_status status = sedge_session_open(&session, comm, options, true, NULL, NULL);

    if (status == SEDGE_OK) {
        status = check_session(&session, comm);
        if (session.problem.equation->elliptic == NULL) {
            const sedge_check_work step = find_step_work(&session);
            work->steps += session.steps;
            work->flops += (double)session.steps * step.flops;
            work->bytes += (double)session.steps * step.bytes;
        }
    } else if (session.deck != NULL && session.mesh != NULL && !options->quiet) {
        // Whatever of the deck does not fit the mesh: the message names one fault, this shows all.
        if (sedge_comm_is_root(comm)) print_groups(&session);
    }
    sedge_session_close(&session);
    return status;
}
