// The integrator of a deck that gives none: ADER with local time steps where they pay, else a
// Runge-Kutta method, the same on any number of ranks. And when a run on such a mesh ends by
// itself.
#include "session/session.h"

#include "check.h"
#include "run/ending.h"

#include <stdio.h>
#include <unistd.h>

// Waves are a hundred times as fast in the lowest of eight layers of cells: all but its elements
// can take longer steps, and most of them sixteen times as long ones.
static const char deck_text[] =
    "equation: maxwell\norder: 3\ndevice: host\n"
    "mesh: {box: {cells: [4, 4, 16], split: {axis: z, at: 0.06, names: [low, high]}}}\n"
    "time: {end: 2}\n"
    "materials: {low: {}, high: {epsilon: 10000}}\n"
    "boundaries: {xmin: {type: pec}, xmax: {type: pec}, ymin: {type: pec}, ymax: {type: pec},\n"
    "  zmin: {type: pec}, zmax: {type: pec}}\n"
    "sources: [{type: dipole, position: [0.4, 0.45, 0.6], direction: [1, 0, 0],\n"
    "  signal: {type: ricker, frequency: 0.5}}]\n";

static const char open_text[] =
    "boundaries={xmin: {type: absorbing}, xmax: {type: absorbing}, ymin: {type: absorbing}, "
    "ymax: {type: absorbing}, zmin: {type: absorbing}, zmax: {type: absorbing}}";

typedef struct opened {
    char deck[512];
    sedge_run_options options;
    sedge_session session;
} opened;

static void open_session(opened *out, const sedge_comm *comm, const char *setting,
                         const char *other_setting, sedge_session_before *before)
{
    memset(out, 0, sizeof *out);
    // Ranks that open it alone have a file each.
    (void)snprintf(out->deck, sizeof out->deck, SEDGE_TEST_DIR "/auto-np%d-%d.yaml",
                   sedge_comm_size(comm), comm == NULL ? (int)getpid() : 0);
    if (sedge_comm_is_root(comm)) {
        FILE *const file = fopen(out->deck, "w");
        CHECK(file != NULL && fputs(deck_text, file) >= 0 && fclose(file) == 0);
    }
    sedge_comm_barrier(comm);
    out->options.deck = out->deck;
    out->options.quiet = true;
    if (setting != NULL) out->options.settings[out->options.setting_count++] = setting;
    if (other_setting != NULL) out->options.settings[out->options.setting_count++] = other_setting;
    CHECK_OK(sedge_session_open(&out->session, comm, &out->options, false, NULL, before));
}

// Does a run with these settings take local time steps? Sets what was found, and checks that it
// fits the session.
static bool is_taken(sedge_local_steps *found, const sedge_comm *comm, const char *setting,
                     const char *other_setting)
{
    opened out;

    open_session(&out, comm, setting, other_setting, NULL);
    const sedge_session *const session = &out.session;
    *found = session->local;
    CHECK(found->taken == (session->mesh->levels > 1));
    CHECK(found->taken == session->problem.integrator->predictor);
    CHECK(!found->taken || found->gain > SEDGE_LOCAL_STEPS_WORTH * found->penalty);
    sedge_session_close(&out.session);
    return found->taken;
}

static void test_graded(const sedge_comm *comm)
{
    sedge_local_steps found, alone;

    CHECK(is_taken(&found, comm, NULL, NULL));
    CHECK(found.gain > 2.0 && !found.bound && found.obstacle[0] == '\0');
    // Nothing lets waves out: until the end at 2 they take as many periods of the highest
    // frequency, 2.5 times the Ricker pulse's.
    CHECK_BOUND(fabs(found.wavelengths / 2.5 - 1.0), 0.1);
    CHECK(is_taken(&alone, NULL, NULL, NULL));
    CHECK(alone.gain == found.gain && alone.penalty == found.penalty &&
          alone.wavelengths == found.wavelengths);
    // Open on all sides: across the diagonal, in the mean element at a speed of 0.01 in 15 of 16 of
    // them. Open on one side only: four times the volume over its area, which is more.
    const double slowness = (15.0 * 100.0 + 1.0) / 16.0;
    CHECK(is_taken(&found, comm, open_text, "time.end=1000"));
    CHECK_BOUND(fabs(found.wavelengths / (1.25 * sqrt(3.0) * slowness) - 1.0), 0.1);
    is_taken(&found, comm, "boundaries.zmax={type: absorbing}", "time.end=1000");
    CHECK_BOUND(fabs(found.wavelengths / (1.25 * 4.0 * slowness) - 1.0), 0.1);
    is_taken(&alone, NULL, "boundaries.zmax={type: absorbing}", "time.end=1000");
    CHECK(alone.wavelengths == found.wavelengths);
}

// Of what is the same everywhere, for a run so long that ADER's waves are too wrong, on a device
// whose launches take longer than all elements, which then gain little, and if the user wants one
// step for all.
static void test_not(const sedge_comm *comm)
{
    sedge_local_steps found;

    CHECK(!is_taken(&found, comm, "materials.high={epsilon: 1}", NULL));
    CHECK(found.gain < SEDGE_LOCAL_STEPS_WORTH);
    CHECK(!is_taken(&found, comm, "time.end=100000", NULL));
    CHECK(found.gain > 2.0 && found.penalty > found.gain);
    CHECK(!is_taken(&found, comm, "device=cuda", NULL));
    CHECK(found.gain < 1.5);
    CHECK(!is_taken(&found, comm, "time.levels=1", NULL));
    CHECK(found.integrator == NULL);
    CHECK(!is_taken(&found, comm, "time.integrator=lsrk45", NULL));
    CHECK(found.integrator == NULL);
}

// What ADER cannot do is a reason to keep the Runge-Kutta method, not a fault.
static void test_obstacles(const sedge_comm *comm)
{
    static const struct {
        const char *setting, *words;
    } cases[] = {
        {"flux={upwind: 0.5}", "upwind fluxes"},
        {"time={steps: 20}", "counts steps"},
        {"sources=[]", "no signal"},
    };
    sedge_local_steps found;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK(!is_taken(&found, comm, cases[i].setting, NULL));
        CHECK(found.gain > SEDGE_LOCAL_STEPS_WORTH);
        CHECK(strstr(found.obstacle, cases[i].words) != NULL);
    }
    // A pole where the source is.
    CHECK(is_taken(&found, comm,
                   "materials.high={epsilon: 10000, debye: {strength: 1, relaxation_time: 0.1}}",
                   NULL));
}

// 10 poles are taken. The memory of 100, 600 numbers a node, still has room in the prediction's
// kernel, but costs too much there; 1200 numbers have none.
static void test_many_poles(const sedge_comm *comm)
{
    sedge_local_steps found;
    char poles[8192] = "";
    char setting[20000];

    for (int i = 0; i < 100; i++) {
        (void)strcat(poles, "{strength: 0.01, frequency: 0.01, damping: 0}, ");
        if (i != 9) continue;
        (void)snprintf(setting, sizeof setting, "materials.low={lorentz: [%s]}", poles);
        CHECK(is_taken(&found, comm, setting, NULL));
    }
    (void)snprintf(setting, sizeof setting, "materials.low={lorentz: [%s]}", poles);
    CHECK(!is_taken(&found, comm, setting, NULL));
    CHECK(found.obstacle[0] == '\0' && found.gain < 1.0);
    (void)snprintf(setting, sizeof setting, "materials.low={lorentz: [%s], magnetic_lorentz: [%s]}",
                   poles, poles);
    CHECK(!is_taken(&found, comm, setting, NULL));
    CHECK(strstr(found.obstacle, "'ader' cannot do so many poles at this order") != NULL);
}

static sedge_status was_lsrk45(const sedge_session *session, const sedge_integrator **out)
{
    (void)session;
    *out = &sedge_integrator_lsrk45;
    return SEDGE_OK;
}

// Each rank has its share of the poles: an element of the upper half, with 20 of them, takes as
// long as 22 others (src/time/pass_cost.c). Were it as long as one, ranks would wait 1.7 times as
// long.
static void test_balance_of_poles(const sedge_comm *comm)
{
    char setting[2048] = "materials={low: {}, high: {lorentz: [";
    const int ranks = sedge_comm_size(comm);
    opened out;

    for (int i = 0; i < 20; i++)
        (void)strcat(setting, "{strength: 0.01, frequency: 0.01, damping: 0}, ");
    (void)strcat(setting, "]}}");
    open_session(&out, comm,
                 "mesh.box={cells: [4, 4, 16], max: [1, 1, 4], split: {axis: z, at: "
                 "2, names: [low, high]}}",
                 setting, was_lsrk45);
    const sedge_mesh *const mesh = out.session.mesh;
    double most = 0.0;
    for (int32_t e = 0; e < mesh->elements; e++)
        most += out.session.problem.terms[0].present[mesh->group[e]] ? 21.8 : 1.0;
    sedge_comm_max(comm, &most, 1);
    CHECK_BOUND(most * ranks / (768.0 * 22.8), 1.05);
    sedge_session_close(&out.session);
}

// Macro steps are at most a tenth of a period of the highest frequency, 2.5 times the pulse's.
static void test_period(const sedge_comm *comm)
{
    opened fine, coarse;

    open_session(&coarse, comm, NULL, NULL, NULL);
    open_session(&fine, comm, "sources.0.signal.frequency=2", NULL, NULL);
    CHECK(coarse.session.local.taken && fine.session.local.taken);
    CHECK(coarse.session.dt > 0.1 / 4.5);
    CHECK(fine.session.dt < 0.1 / 4.5 && fine.session.mesh->levels < coarse.session.mesh->levels);
    sedge_session_close(&coarse.session);
    sedge_session_close(&fine.session);
}

static sedge_status was_ader(const sedge_session *session, const sedge_integrator **out)
{
    (void)session;
    *out = sedge_integrator_find("ader");
    return SEDGE_OK;
}

// A run that goes on keeps its integrator, whatever would be chosen.
static void test_restart(const sedge_comm *comm)
{
    opened out;

    open_session(&out, comm, NULL, NULL, was_lsrk45);
    CHECK(out.session.problem.integrator == &sedge_integrator_lsrk45);
    CHECK(out.session.mesh->levels == 1);
    sedge_session_close(&out.session);
    open_session(&out, comm, "time={steps: 20}", NULL, was_ader);
    CHECK(out.session.problem.integrator->predictor && out.session.mesh->levels > 1);
    sedge_session_close(&out.session);
}

// A run that ends by itself goes on after the end of its source until the slowest wave has crossed
// the mesh, and compares spectra after ten periods of the highest frequency, or twice the time
// of crossing if that is longer.
static void test_ending(const sedge_comm *comm)
{
    static const char *const spectra[] = {"monitors={spectra: {s: {points: {p: [0.2, 0.3, 0.5]}, "
                                          "frequencies: {list: [0.01, 0.02]}}}}",
                                          "monitors={spectra: {s: {points: {p: [0.2, 0.3, 0.5]}, "
                                          "frequencies: {list: [0.04, 0.035]}}}}"};
    const double transit = sqrt(3.0) * 100.0; // in the upper medium
    const double windows[] = {10.0 / 0.02, 2.0 * transit};

    for (int i = 0; i < 2; i++) {
        opened out;
        sedge_ending ending;
        open_session(&out, comm, "time.stop={energy: 0.1, spectra: 0.1}", spectra[i], NULL);
        const sedge_session *const session = &out.session;
        const sedge_problem *const problem = &session->problem;
        CHECK_OK(sedge_ending_find(&ending, session));
        const double quiet = problem->equation->quiet(problem, session->mesh->bounds);
        CHECK(quiet > 0.0 && quiet < 10.0);
        CHECK_BOUND(fabs(ending.earliest - quiet - transit), 1e-9);
        const double steps = windows[i] / session->dt;
        CHECK((double)ending.window >= steps - 1e-6 && (double)ending.window < steps + 1.0);
        sedge_session_close(&out.session);
    }
}

int main(void)
{
    sedge_comm *comm;

    if (sedge_comm_create(&comm, NULL) != SEDGE_OK) return 1;
    test_graded(comm);
    test_not(comm);
    test_obstacles(comm);
    test_many_poles(comm);
    test_balance_of_poles(comm);
    test_period(comm);
    test_restart(comm);
    test_ending(comm);
    sedge_comm_free(comm);
    return CHECK_END();
}
