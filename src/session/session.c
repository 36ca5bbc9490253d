#include "session.h"

#include "base/file.h"
#include "base/memory.h"
#include "deck/deck_tree.h"
#include "device/cpu.h"
#include "dg/exponential.h"
#include "io/folder_lock.h"
#include "meshfile/mesh_file.h"
#include "monitor/output_folder.h"
#include "monitor/sampling.h"
#include "session/integrator_choice.h"
#include "session/levels_choice.h"
#include "session/places.h"
#include "session/symmetry.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A curved element whose inscribed radius is below this part of that with straight edges is told
// of.
#define BENT_FAR 0.25

// What rank 0 needs at most for a tetrahedron of a box: 457 bytes were measured at 6 million.
#define BOX_BYTES 450.0

sedge_status sedge_session_read_text(char **out, size_t *length, const sedge_comm *comm,
                                     const char *path)
{
    sedge_status status = SEDGE_OK;
    char *text = NULL;
    uint64_t shared_length = 0;

    *out = NULL;
    *length = 0;
    if (sedge_comm_is_root(comm)) status = sedge_file_read(&text, length, path, SEDGE_ERR_USAGE);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    shared_length = *length;
    sedge_comm_broadcast(comm, &shared_length, sizeof shared_length, 0);
    *length = (size_t)shared_length;
    if (!sedge_comm_is_root(comm)) status = sedge_allocate(&text, (int64_t)*length + 1, 1);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    sedge_comm_broadcast(comm, text, *length, 0);
    *out = text;
    text = NULL;
done:
    sedge_release(text);
    return status;
}

// All ranks parse the same text, so that all find the same faults.
static sedge_status read_deck(sedge_session *session)
{
    const sedge_comm *const comm = session->comm;
    const sedge_run_options *const options = session->options;
    sedge_status status = SEDGE_OK;
    char *text = NULL;
    size_t length = options->text_length;

    if (options->text == NULL)
        SEDGE_TRY_GOTO(status, sedge_session_read_text(&text, &length, comm, options->deck));
    // Ranks may have been started with different settings.
    status = sedge_deck_create(&session->deck, options->deck, text != NULL ? text : options->text,
                               length, options->settings, options->setting_count);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
done:
    sedge_release(text);
    return status;
}

// Steps from the origin to the deck's end: dt, and the number of the last one.
static sedge_status plan_steps(sedge_session *session)
{
    const sedge_deck *const deck = session->deck;
    const double unit = sedge_deck_time_unit(deck);
    const char *const second = sedge_deck_unit(deck, SEDGE_TIME);

    session->steps = deck->steps;
    session->dt = session->stable_dt;
    if (deck->steps == 0) { // whole steps that end at end_time
        const double rest = deck->end_time - session->origin_time;
        const double count = ceil(rest / session->stable_dt * (1.0 - 1e-12));
        if (count > 1e15) {
            return SEDGE_FAIL(
                SEDGE_ERR_USAGE,
                "%s: time.end %.4g%s needs %.3g steps of dt = %.4g%s, and 1e15 are the most: "
                "end the run earlier, or make the mesh coarser where `sedge check` "
                "finds the limit of dt",
                deck->path, deck->end_time * unit, second, count, session->stable_dt * unit,
                second);
        }
        session->steps = session->origin_step + (int64_t)count;
        session->dt = rest / count;
    }
    return SEDGE_OK;
}

static sedge_mesh_options request_mesh(const sedge_session *session)
{
    const sedge_deck *const deck = session->deck;
    sedge_mesh_options options = deck->mesh;

    options.tell = session->options->quiet ? NULL : sedge_mesh_say;
    options.watch = session->watch;
    options.threads = sedge_cpu_share(sedge_comm_node_size(session->comm));
    // For parts of equal work. A partitioner that the deck names has the last word.
    options.keep_whole = options.partitioner == NULL && deck->equation->elliptic == NULL;
    return options;
}

// A box that does not fit into the memory would be ended by the system, without a message.
static sedge_status check_box(const sedge_deck *deck)
{
    const int *const cells = deck->mesh.box_cells;
    const double count = 6.0 * cells[0] * cells[1] * cells[2];
    const double left = (double)sedge_cpu_memory_free();

    if (deck->mesh.file != NULL || count * BOX_BYTES < left) return SEDGE_OK;
    return deck_fail(deck->path, deck_child(deck_child(deck->tree, "mesh"), "box"),
                     "mesh.box of %.0f tetrahedra takes about %.3g GB while it is made, and this "
                     "machine has %.3g GB free: take fewer cells",
                     count, 1e-9 * count * BOX_BYTES, 1e-9 * left);
}

// The smallest time step over ranks, and where it comes from; levels of local ones.
static sedge_status find_time_step(sedge_session *session)
{
    const sedge_deck *const deck = session->deck;
    int32_t element = 0;

    const int threads = sedge_cpu_share(sedge_comm_node_size(session->comm));
    const double mine =
        sedge_problem_time_step(&session->problem, session->mesh, deck->cfl, threads, &element);
    double least = mine;
    double owner;

    sedge_comm_min(session->comm, &least, 1);
    if (!(least > 0.0) || !isfinite(least)) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s: no time step: the fastest wave and decay give dt = %g; is the wave "
                          "speed 0 everywhere?",
                          deck->path, least);
    }
    owner = mine <= least ? sedge_comm_rank(session->comm) : sedge_comm_size(session->comm);
    sedge_comm_min(session->comm, &owner, 1);
    if (sedge_comm_rank(session->comm) == (int)owner) {
        for (int d = 0; d < 3; d++) {
            session->limit_place[d] = 0.0;
            for (int v = 0; v < 4; v++)
                session->limit_place[d] += 0.25 * session->mesh->corners[element][v][d];
        }
        session->limit_inradius = sedge_mesh_inradius(session->mesh, element);
        session->limit_straight = sedge_tet_inradius(session->mesh->corners[element]);
        session->limit_height = sedge_mesh_height(session->mesh, element);
        session->limit_decay = sedge_problem_decay_part(&session->problem, session->mesh, element);
        session->limit_group = session->mesh->group[element];
    }
    sedge_comm_broadcast(session->comm, session->limit_place, sizeof session->limit_place,
                         (int)owner);
    sedge_comm_broadcast(session->comm, &session->limit_inradius, sizeof session->limit_inradius,
                         (int)owner);
    sedge_comm_broadcast(session->comm, &session->limit_straight, sizeof session->limit_straight,
                         (int)owner);
    sedge_comm_broadcast(session->comm, &session->limit_height, sizeof session->limit_height,
                         (int)owner);
    sedge_comm_broadcast(session->comm, &session->limit_decay, sizeof session->limit_decay,
                         (int)owner);
    sedge_comm_broadcast(session->comm, &session->limit_group, sizeof session->limit_group,
                         (int)owner);
    session->stable_dt = session->least_step = least;
    const sedge_mesh_options options = request_mesh(session);
    SEDGE_TRY(sedge_levels_apply(&session->levels, &session->stable_dt, session->comm,
                                 session->deck, &session->problem, session->mesh, &options));
    return plan_steps(session);
}

// ---- open and close ----------------------------------------------------------------------------

// The report must not be the input at `path`, which may be NULL.
static sedge_status spare_input(const sedge_run_options *options, const char *what,
                                const char *path)
{
    if (path == NULL || !sedge_file_is_same(options->report, path)) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "--report '%s' is the %s itself; choose another name",
                      options->report, what);
}

// Check the places of the results before any work: each must be writable and must not be an input.
static sedge_status try_places(const sedge_session *session)
{
    const sedge_run_options *const options = session->options;
    const char *const folder = session->deck->output;
    const bool takes_one = options->restart != NULL && strcmp(options->restart, "auto") != 0;
    const struct {
        const char *what, *path;
    } inputs[] = {{"deck", options->deck},
                  {"mesh", session->deck->mesh.file},
                  {"checkpoint", takes_one ? options->restart : NULL}};
    const int count = (int)(sizeof inputs / sizeof inputs[0]);

    SEDGE_TRY(sedge_output_folder_check(folder));
    SEDGE_TRY(sedge_output_spare(folder, inputs[0].what, inputs[0].path));
    SEDGE_TRY(sedge_output_spare(folder, inputs[1].what, inputs[1].path));
    for (int i = 0; sedge_deck_image_file(session->deck, i) != NULL; i++)
        SEDGE_TRY(sedge_output_spare(folder, "image", sedge_deck_image_file(session->deck, i)));
    if (options->report == NULL) return SEDGE_OK;
    SEDGE_TRY(sedge_file_try(options->report));
    for (int i = 0; i < count; i++) SEDGE_TRY(spare_input(options, inputs[i].what, inputs[i].path));
    for (int i = 0; sedge_deck_image_file(session->deck, i) != NULL; i++)
        SEDGE_TRY(spare_input(options, "image", sedge_deck_image_file(session->deck, i)));
    return sedge_output_check_report(folder, options->report);
}

// A run that goes on keeps the integrator of the run before.
static sedge_status choose_integrator(sedge_session *session, sedge_session_before *before)
{
    const sedge_comm *const comm = session->comm;
    const sedge_deck *const deck = session->deck;
    sedge_problem *const problem = &session->problem;
    const sedge_integrator *known = NULL;

    if (before != NULL) SEDGE_TRY(before(session, &known));
    if (known != NULL) {
        problem->integrator = known;
        return SEDGE_OK;
    }
    sedge_exponential_choose(problem, session->mesh, deck->cfl,
                             sedge_cpu_share(sedge_comm_node_size(comm)), comm);
    problem->integrator = sedge_integrator_choose(comm, deck, problem, session->mesh);
    return sedge_local_steps_choose(&session->local, &session->levels, comm, deck, problem,
                                    session->mesh);
}

sedge_status sedge_session_open(sedge_session *session, const sedge_comm *comm,
                                const sedge_run_options *options, bool writes,
                                sedge_stopwatch *watch, sedge_session_before *before)
{
    memset(session, 0, sizeof *session);
    session->watch = watch;
    sedge_stopwatch_begin(watch, "deck");
    session->comm = comm;
    session->options = options;
    SEDGE_TRY(read_deck(session));
    const bool tries = sedge_comm_is_root(comm) && writes;
    SEDGE_TRY(sedge_comm_agree(comm, tries ? try_places(session) : SEDGE_OK));
    const bool makes = sedge_comm_is_root(comm);
    SEDGE_TRY(sedge_comm_agree(comm, makes ? check_box(session->deck) : SEDGE_OK));
    const double start = sedge_clock();
    const sedge_mesh_options mesh_options = request_mesh(session);
    SEDGE_TRY(sedge_mesh_open(&session->mesh, comm, &mesh_options));
    session->mesh_seconds = sedge_clock() - start;
    sedge_stopwatch_begin(watch, "problem");
    SEDGE_TRY(sedge_comm_agree(
        comm, sedge_deck_problem(&session->problem, session->deck, session->mesh)));
    SEDGE_TRY(sedge_comm_agree(comm, sedge_problem_check_sides(&session->problem, session->mesh)));
    SEDGE_TRY(sedge_symmetry_find(comm, session->deck, session->mesh, &session->problem));
    SEDGE_TRY(sedge_deck_fit(&session->problem, comm, session->deck, session->mesh));
    SEDGE_TRY(sedge_places_check(comm, session->deck, session->mesh));
    SEDGE_TRY(
        sedge_comm_agree(comm, sedge_element_create(&session->element, session->deck->order)));
    if (session->problem.equation->elliptic != NULL) return SEDGE_OK;
    SEDGE_TRY(sedge_problem_check_rates(&session->problem, session->mesh));
    if (session->deck->integrator == NULL) SEDGE_TRY(choose_integrator(session, before));
    sedge_exponential_choose(&session->problem, session->mesh, session->deck->cfl,
                             sedge_cpu_share(sedge_comm_node_size(comm)), comm);
    SEDGE_TRY(sedge_integrator_check(session->deck, &session->problem));
    SEDGE_TRY(find_time_step(session));
    if (session->deck->turns) {
        SEDGE_TRY(sedge_comm_agree(comm, sedge_mesh_add_twins(session->mesh)));
        for (int l = 0; l < session->levels.levels; l++) session->levels.count[l] *= 2;
    }
    // From here on the elements keep their numbers.
    SEDGE_TRY(sedge_points_create(&session->points, comm, session->element, session->mesh,
                                  &session->problem));
    SEDGE_TRY(sedge_places_check_balls(comm, &session->points, session->deck, session->mesh));
    sedge_places_find_cancelled(&session->cancelled, &session->cancelled_by, comm,
                                &session->problem, session->mesh);
    SEDGE_TRY(sedge_places_find_cut(&session->cut, comm, &session->points, session->deck,
                                    &session->problem, session->mesh));
    SEDGE_TRY(sedge_places_find_beside(&session->beside, comm, &session->points, session->deck,
                                       &session->problem, session->mesh));
    const sedge_output_context context = sedge_session_output(session, 0, false);
    sedge_sampling sampling; // refuses what the time step or the mesh does not resolve
    return sedge_sampling_plan(&sampling, &context);
}

void sedge_session_close(sedge_session *session)
{
    sedge_element_free(session->element);
    sedge_points_clear(&session->points);
    sedge_levels_clear(&session->levels);
    sedge_problem_clear(&session->problem);
    sedge_mesh_free(session->mesh);
    sedge_deck_free(session->deck);
}

sedge_status sedge_session_continue(sedge_session *session, double origin_time, int64_t origin_step,
                                    double dt, int64_t step, const char *path)
{
    const sedge_deck *const deck = session->deck;
    const double unit = sedge_deck_time_unit(deck);
    const char *const second = sedge_deck_unit(deck, SEDGE_TIME);

    session->origin_time = origin_time;
    session->origin_step = origin_step;
    if (deck->steps > 0 || deck->end_time > origin_time) SEDGE_TRY(plan_steps(session));
    const bool same = session->dt == dt;
    session->dt = dt;
    const double time = sedge_session_time(session, step);
    if (deck->steps > 0 ? step > deck->steps : time > deck->end_time * (1.0 + 1e-9)) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "checkpoint '%s' is at step %lld, t = %.9g%s: beyond the end of the run, "
                          "which the deck sets at %s %.9g%s",
                          path, (long long)step, time * unit, second,
                          deck->steps > 0 ? "step" : "t =",
                          deck->steps > 0 ? (double)deck->steps : deck->end_time * unit,
                          deck->steps > 0 ? "" : second);
    }
    if (same) return SEDGE_OK;
    session->origin_time = time;
    session->origin_step = step;
    if (deck->steps > 0 || deck->end_time > time * (1.0 + 1e-12)) return plan_steps(session);
    session->steps = step; // there already
    return SEDGE_OK;
}

sedge_output_context sedge_session_output(const sedge_session *session, int64_t first_step,
                                          bool continues)
{
    return (sedge_output_context){.comm = session->comm,
                                  .deck = session->deck,
                                  .mesh = session->mesh,
                                  .element = session->element,
                                  .problem = &session->problem,
                                  .threads = sedge_cpu_share(sedge_comm_node_size(session->comm)),
                                  .dt = session->dt,
                                  .steps = session->steps > 0 ? session->steps : 1,
                                  .first_step = first_step,
                                  .first_time = sedge_session_time(session, first_step),
                                  .continues = continues};
}

double sedge_session_time(const sedge_session *session, int64_t step)
{
    return session->origin_time + session->dt * (double)(step - session->origin_step);
}

sedge_status sedge_session_kernels(sedge_operator_options *out, const sedge_session *session)
{
    const sedge_deck *const deck = session->deck;
    const char *const graphs = getenv("SEDGE_GRAPHS");
    const bool singly = graphs != NULL && strcmp(graphs, "0") == 0;

    if (graphs != NULL && !singly && strcmp(graphs, "1") != 0)
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "SEDGE_GRAPHS='%s' is not 0 or 1", graphs);
    *out = (sedge_operator_options){.variant = deck->variant,
                                    .watch = session->watch,
                                    .launch_singly = singly,
                                    .block_elements = deck->kernel_numbers[0],
                                    .item_nodes = deck->kernel_numbers[1],
                                    .lift_nodes = deck->kernel_numbers[2],
                                    .item_fields = deck->kernel_numbers[3]};
    if (deck->tune[0] != '\0') return sedge_tune_level_parse(&out->tune, deck->tune);
    return sedge_tune_level_default(&out->tune, SEDGE_TUNE_FAST);
}

// ---- what will happen --------------------------------------------------------------------------

// Print the groups whose fields grow by themselves.
static void print_gain(const sedge_session *session)
{
    const sedge_problem *const problem = &session->problem;
    const sedge_mesh_groups *const groups = &session->mesh->groups;

    for (int g = 0, end; g < problem->volumes && problem->equation->decay != NULL; g = end) {
        double decay = HUGE_VAL;
        end = g + sedge_mesh_group_parts(groups, g);
        for (int part = g; part < end; part++)
            decay = fmin(decay, problem->equation->decay(problem->materials[part]));
        if (decay < 0.0) {
            printf("  warning            material '%s' has gain: fields grow in it, as fast as "
                   "exp(%.4g t)\n",
                   groups->volume_names[g], -decay / sedge_deck_time_unit(session->deck));
        }
    }
}

// Print the phases between periodic sides, if there are any.
static void print_wave_vector(const sedge_session *session)
{
    const sedge_mesh *const mesh = session->mesh;
    const double *const k = session->problem.wave_vector;

    if (!mesh->twins) return;
    printf("  wave vector        fields have a real and an imaginary part, and after");
    for (int i = 0; i < mesh->periods; i++) {
        double a[3], phase = 0.0;
        for (int d = 0; d < 3; d++) { // but for rounding
            const double length = mesh->bounds[1][d] - mesh->bounds[0][d];
            a[d] = fabs(mesh->period[i][d]) > 1e-9 * length ? mesh->period[i][d] : 0.0;
            phase -= k[d] * a[d];
        }
        printf("%s (%.4g, %.4g, %.4g)%s the phase %.4g degrees", i > 0 ? "," : "", a[0], a[1], a[2],
               sedge_deck_unit(session->deck, SEDGE_LENGTH), phase * 45.0 / atan(1.0));
    }
    printf("\n");
}

// Print to what the deck's entries `default` apply, if it has any.
static void print_defaults(const sedge_session *session)
{
    const sedge_mesh_groups *const groups = &session->mesh->groups;
    const double *const x = groups->groupless_place;

    if (session->deck->mesh.default_volume) {
        printf("  materials.default  for %lld elements in no volume group of the mesh\n",
               (long long)groups->groupless_elements);
    }
    if (!session->deck->mesh.default_surface) return;
    printf("  boundaries.default for %lld outer faces in no surface group of the mesh",
           (long long)groups->groupless_faces);
    if (groups->groupless_faces > 0) printf(", one at (%.4g, %.4g, %.4g)", x[0], x[1], x[2]);
    printf("\n");
}

// The distance of a probe from the nearest source, in units of the distance that the source's field
// needs. Sets the source's index.
static double nearest_source(const sedge_session *session, const double place[3], int *nearest)
{
    double least = HUGE_VAL;

    for (int i = 0; i < session->problem.point_source_count; i++) {
        const double *const x = session->problem.point_sources[i].position;
        const double near = SEDGE_POINT_NEAR * session->points.radius[i];
        const double distance =
            sqrt((x[0] - place[0]) * (x[0] - place[0]) + (x[1] - place[1]) * (x[1] - place[1]) +
                 (x[2] - place[2]) * (x[2] - place[2]));
        if (distance / near >= least) continue;
        least = distance / near;
        *nearest = i;
    }
    return least;
}

static void print_cut(const sedge_session *session)
{
    const char *const metre = sedge_deck_unit(session->deck, SEDGE_LENGTH);
    const sedge_places_cut *const cut = &session->cut;
    const sedge_deck_far_field *const far = &session->deck->far_fields[cut->far_field];
    const sedge_point_source *const one = &session->problem.point_sources[cut->source];

    printf("  warning            the %s at (%g, %g, %g) is %.3g%s away from the surface '%s' of "
           "monitors.far-field.%s, and spread over a ball of radius %.3g%s: the part beyond the "
           "surface is missing there; take a larger surface, or refine the mesh at the source\n",
           one->kind->name, one->position[0], one->position[1], one->position[2], cut->distance,
           metre, cut->input ? far->input.name : far->surface.name, far->name,
           session->points.radius[cut->source], metre);
}

static void print_beside(const sedge_session *session)
{
    const char *const metre = sedge_deck_unit(session->deck, SEDGE_LENGTH);
    const sedge_places_beside *const beside = &session->beside;
    const sedge_point_source *const one = &session->problem.point_sources[beside->source];

    printf(
        "  warning            the %s at (%g, %g, %g) is %.3g%s away from the periodic side '%s', "
        "which cuts the ball of radius %.3g%s that it is spread over: the field near it is less "
        "accurate; move it away from the side, or refine the mesh there\n",
        one->kind->name, one->position[0], one->position[1], one->position[2], beside->distance,
        metre, session->mesh->groups.surface_names[beside->surface],
        session->points.radius[beside->source], metre);
}

// Print the radii of the point sources' balls, and a warning for the probe nearest to a source.
static void print_points(const sedge_session *session)
{
    const sedge_deck *const deck = session->deck;
    const char *const metre = sedge_deck_unit(deck, SEDGE_LENGTH);
    const double *const radius = session->points.radius;
    double least = HUGE_VAL;
    double most = 0.0;
    double nearest = 1.0;
    int probe = -1;
    int source = 0;
    int too_near = 0;

    if (radius == NULL) return; // no sources, or without time
    for (int i = 0; i < session->problem.point_source_count; i++) {
        least = fmin(least, radius[i]);
        most = fmax(most, radius[i]);
    }
    printf("  point sources      spread over balls of radius %.3g%s", least, metre);
    if (most > 1.005 * least) printf(" to %.3g%s", most, metre); // by the digits shown
    printf("; fields at %.3g times the radius and beyond are those of point sources\n",
           SEDGE_POINT_NEAR);
    if (session->cancelled >= 0) {
        const sedge_point_source *const one = &session->problem.point_sources[session->cancelled];
        printf("  warning            the %s at (%g, %g, %g) lies on '%s', which is '%s': its image "
               "cancels it, but at edges; turn it, or move it off the surface by %.3g%s or more\n",
               one->kind->name, one->position[0], one->position[1], one->position[2],
               session->mesh->groups.surface_names[session->cancelled_by],
               session->problem.boundaries[session->cancelled_by].kind->name,
               radius[session->cancelled], metre);
    }
    if (session->cut.source >= 0) print_cut(session);
    if (session->beside.source >= 0) print_beside(session);
    for (int i = 0; i < deck->probe_count; i++) {
        int which = 0;
        const double far = nearest_source(session, deck->probes[i].position, &which);
        too_near += far < 1.0;
        if (far >= nearest) continue;
        nearest = far;
        probe = i;
        source = which;
    }
    if (probe < 0) return;
    const double near = SEDGE_POINT_NEAR * radius[source];
    printf("  warning            probe '%s' is at distance %.3g%s from a %s source: it does not "
           "record "
           "the field of a point source, which needs a distance of %.3g%s%s\n",
           deck->probes[probe].name, nearest * near, metre,
           session->problem.point_sources[source].kind->name, near, metre,
           too_near > 1 ? "; other probes are too near, too" : "");
}

static void print_layer(const sedge_session *session)
{
    const sedge_deck *const deck = session->deck;
    const sedge_mesh *const mesh = session->mesh;
    const double time_unit = sedge_deck_time_unit(deck);
    const int layers = mesh->extruded.layers;
    sedge_deck_layer layer;
    int64_t elements = 0;

    if (deck->layer == NULL) return;
    for (int v = 0; v < mesh->groups.volumes; v++)
        if (mesh->groups.volume_axes[v] != 0) elements += mesh->groups.volume_elements[v];
    sedge_deck_find_layer(&layer, deck, mesh, &session->problem);
    char name[96] = "volume groups of the mesh, at least";
    char around[64] = "";
    if (mesh->extruded.sphere) {
        (void)snprintf(around, sizeof around, " around a sphere");
    } else if (mesh->extruded.radius > 0.0) {
        (void)snprintf(around, sizeof around, " along rays, up to %.0f degrees off the normals",
                       acos(mesh->extruded.steepest) * 45.0 / atan(1.0));
    }
    if (layers > 0) {
        (void)snprintf(name, sizeof name, "%d layer%s%s, together", layers, layers == 1 ? "" : "s",
                       around);
    }
    char near[160] = "";
    if (layer.near != NULL) {
        (void)snprintf(near, sizeof near,
                       " (weak, since '%s' is %.2g wavelengths of the lowest recorded frequency "
                       "away)",
                       layer.near, layer.waves);
    }
    printf("  %-18s %s %.4g%s thick, of %lld tetrahedra; reflects %.2g at a right angle%s, %.2g at "
           "the lowest frequency; sigma %.4g%s, alpha %.3g%s\n",
           deck->layer->kind->name, name, mesh->extruded.thickness,
           sedge_deck_unit(deck, SEDGE_LENGTH), (long long)elements, layer.reflection, near,
           layer.reflection_lowest, layer.sigma / time_unit, deck->si ? " /s" : "",
           layer.alpha / time_unit, deck->si ? " /s" : "");
}

// Print the element that limits the time step, and what to do where that is because it is bent.
static void print_limit(const sedge_session *session)
{
    const char *const metre = sedge_deck_unit(session->deck, SEDGE_LENGTH);

    printf("  dt is limited      near (%.4g, %.4g, %.4g), inscribed radius %.4g%s, least height "
           "%.4g%s\n",
           session->limit_place[0], session->limit_place[1], session->limit_place[2],
           session->limit_inradius, metre, session->limit_height, metre);
    if (session->limit_inradius > BENT_FAR * session->limit_straight) return;
    printf("  note               this element is bent so far that dt is small: with straight edges "
           "its inscribed radius would be %.4g%s; in Gmsh, Mesh.HighOrderOptimize = 1 with "
           "Mesh.HighOrderThresholdMin = 0.5 bends such elements less, or refine the mesh there\n",
           session->limit_straight, metre);
}

void sedge_session_print(const sedge_session *session)
{
    const sedge_deck *const deck = session->deck;
    const double time_unit = sedge_deck_time_unit(deck);
    const int fields =
        session->problem.equation->elliptic != NULL ? 1 : session->problem.equation->fields;
    const int64_t dofs = session->mesh->global_elements * session->element->nodes * fields;
    int64_t halo[2] = {session->mesh->halo_faces, session->mesh->elements};

    sedge_comm_max_int(session->comm, halo, 2);
    if (sedge_comm_is_root(session->comm)) {
        printf("%s: %s, order %d, %s, %s units\n", deck->path, deck->equation->name, deck->order,
               deck->precision == SEDGE_FP64 ? "fp64" : "fp32", deck->si ? "SI" : "normalised");
        const int copies = sedge_mesh_copies(session->mesh);
        printf("  mesh               %lld tetrahedra%s, %lld unknowns, %d rank%s"
               " (at most %lld elements, %lld halo faces a rank)\n",
               (long long)session->mesh->global_elements / copies,
               copies > 1 ? ", each of them twice" : "", (long long)dofs,
               sedge_comm_size(session->comm), sedge_comm_size(session->comm) == 1 ? "" : "s",
               (long long)halo[1], (long long)halo[0]);
        if (session->mesh->straightened) {
            printf("  note               the file has elements of third or higher order; their "
                   "straight-sided form is used; for curved surfaces save it with second order "
                   "(gmsh -order 2)\n");
        }
        if (session->mesh->global_curved > 0) {
            printf("  curved             %lld tetrahedra of second order\n",
                   (long long)session->mesh->global_curved / copies);
        }
        print_wave_vector(session);
        print_defaults(session);
        print_layer(session);
        sedge_mesh_print_shape(session->mesh, "  note               ");
    }
    if (sedge_comm_is_root(session->comm) && session->problem.equation->elliptic == NULL) {
        printf("  time               %lld steps of dt = %.6g%s to t = %.6g%s (cfl %.3g, %s)\n",
               (long long)session->steps, session->dt * time_unit, deck->si ? " s" : "",
               sedge_session_time(session, session->steps) * time_unit, deck->si ? " s" : "",
               deck->cfl, session->problem.integrator->name);
        sedge_levels_print(&session->levels, deck, &session->problem, session->dt);
        sedge_local_steps_print(&session->local);
        if (deck->cfl > SEDGE_CFL_STABLE) {
            printf("  warning            time.cfl %.3g is above %.3g, up to which all orders were "
                   "stable: the fields may grow without end\n",
                   deck->cfl, SEDGE_CFL_STABLE);
        }
        print_gain(session);
        print_limit(session);
    }
    if (sedge_comm_is_root(session->comm)) print_points(session);
}

void sedge_session_print_two_sided(const sedge_session *session)
{
    const sedge_mesh_groups *const groups = &session->mesh->groups;

    for (int g = 0; g < groups->surfaces && sedge_comm_is_root(session->comm); g++) {
        const sedge_boundary_kind *const kind = session->problem.boundaries[g].kind;
        if (groups->surface_two_sided_faces[g] == 0 || kind == NULL) continue;
        printf("  %-18s %s, on both sides of %lld faces inside the mesh\n",
               groups->surface_names[g], kind->name, (long long)groups->surface_two_sided_faces[g]);
    }
}

// ---- the device --------------------------------------------------------------------------------

static sedge_status open_device(sedge_device **device, sedge_cache **cache,
                                const sedge_session *session)
{
    const sedge_comm *const comm = session->comm;

    *device = NULL;
    *cache = NULL;
    SEDGE_TRY(sedge_device_create(device, session->deck->device, sedge_comm_node_rank(comm),
                                  sedge_comm_node_size(comm)));
    SEDGE_TRY(sedge_device_make_current(*device));
    return sedge_cache_create(cache, NULL);
}

sedge_status sedge_session_open_device(sedge_device **device, sedge_cache **cache,
                                       const sedge_session *session)
{
    return sedge_comm_agree(session->comm, open_device(device, cache, session));
}

void sedge_session_print_device(const sedge_session *session, const sedge_device *device,
                                const sedge_cache *cache)
{
    const sedge_device_info *const info = sedge_device_get_info(device);
    const int ranks = sedge_comm_node_size(session->comm);

    if (!sedge_comm_is_root(session->comm)) return;
    printf("  device             %s: %s (%s)", info->kind_name, info->name, info->arch);
    if (sedge_traits_of(info->kind)->in_call) {
        printf(", %d thread%s a rank\n", info->multiprocessors,
               info->multiprocessors == 1 ? "" : "s");
    } else {
        printf(", %d on this node for %d rank%s\n", info->devices_on_node, ranks,
               ranks == 1 ? "" : "s");
        if (ranks > info->devices_on_node)
            printf("  warning            more ranks than devices on this node: they share\n");
    }
    if (sedge_cache_problem(cache) != NULL) {
        printf("  warning            no kernel cache: %s (SEDGE_CACHE_DIR names another folder)\n",
               sedge_cache_problem(cache));
    }
    if (sedge_cache_site_problem(cache) != NULL)
        printf("  warning            no site cache: %s\n", sedge_cache_site_problem(cache));
}
