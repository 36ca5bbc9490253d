// Levels of local time steps from the deck to the session: the elements of the mesh lie by levels,
// steps are macro steps, and what the session holds by element numbers fits.
#include "session/session.h"

#include "check.h"
#include "session/levels_choice.h"
#include "time/pass_cost.h"

#include <stdio.h>

// Waves are four times as fast above the cut as below it; a source lies just above it.
static const char deck_text[] =
    "equation: maxwell\norder: 3\n"
    "mesh: {box: {cells: [8, 8, 8], split: {axis: z, at: 0.5, names: [low, high]}}}\n"
    "time: {end: 1, integrator: local, levels: auto}\n"
    "materials: {low: {epsilon: 16}, high: {}}\n"
    "boundaries: {xmin: {type: pec}, xmax: {type: pec}, ymin: {type: pec}, ymax: {type: pec},\n"
    "  zmin: {type: pec}, zmax: {type: pec}}\n"
    "sources: [{type: dipole, position: [0.4, 0.45, 0.6], direction: [1, 0, 0],\n"
    "  signal: {type: ricker, frequency: 1}}]\n";

typedef struct opened {
    char deck[512];
    sedge_run_options options;
    sedge_session session;
} opened;

static void open_session(opened *out, const sedge_comm *comm, const char *setting)
{
    memset(out, 0, sizeof *out);
    (void)snprintf(out->deck, sizeof out->deck, SEDGE_TEST_DIR "/levels-np%d.yaml",
                   sedge_comm_size(comm));
    if (sedge_comm_is_root(comm)) {
        FILE *const file = fopen(out->deck, "w");
        CHECK(file != NULL && fputs(deck_text, file) >= 0 && fclose(file) == 0);
    }
    sedge_comm_barrier(comm);
    out->options.deck = out->deck;
    out->options.quiet = true;
    if (setting != NULL) out->options.settings[out->options.setting_count++] = setting;
    CHECK_OK(sedge_session_open(&out->session, comm, &out->options, false, NULL, NULL));
}

// Each element on which the source acts reaches into its ball, and one holds its place.
static void check_points(const sedge_session *session)
{
    const sedge_mesh *const mesh = session->mesh;
    const double *const at = session->problem.point_sources[0].position;
    int64_t holders = 0;
    int bad = 0;
    double rst[3];

    const int32_t holder = sedge_mesh_locate(mesh, at, rst);
    for (int i = 0; i < session->points.count; i++) {
        const int32_t e = session->points.share[i].element;
        double square = 0.0;
        for (int d = 0; d < 3; d++) {
            double x = 0.0;
            for (int v = 0; v < 4; v++) x += 0.25 * mesh->corners[e][v][d];
            square += (x - at[d]) * (x - at[d]);
        }
        // A centre is less than an edge away from all points of its element, and the radius is half
        // of the longest edge.
        bad += sqrt(square) > 3.0 * session->points.radius[0];
        holders += e == holder;
    }
    sedge_comm_sum_int(session->comm, &holders, 1);
    CHECK(bad == 0 && holders >= 1);
}

// As in test_level_choice: above the cut all elements are on level 0; below it the two of each cell
// with a face on it are one level below the others.
static void test_levels(const sedge_comm *comm)
{
    static const int64_t expected[3] = {1536, 128, 1408};
    opened one, by_level;
    int64_t found[3] = {0, 0, 0};

    open_session(&one, comm, "time.levels=1");
    open_session(&by_level, comm, NULL);
    const sedge_session *const session = &by_level.session;
    const sedge_levels *const levels = &session->levels;
    CHECK(levels->levels == 3 && session->mesh->levels == 3 && levels->level == NULL);
    for (int32_t e = 0; e < session->mesh->elements; e++)
        found[sedge_mesh_level(session->mesh, e)]++;
    sedge_comm_sum_int(comm, found, 3);
    for (int l = 0; l < 3; l++) CHECK(found[l] == expected[l] && levels->count[l] == expected[l]);
    // 1e-14: rounding of a few operations.
    CHECK_BOUND(fabs(levels->gain - 3072.0 / (1536.0 + 64.0 + 352.0)), 1e-14);
    CHECK_BOUND(fabs(levels->dt / one.session.stable_dt - 1.0), 1e-14);
    // A tick, steps of elements, and faces at the cut, whose higher level is 1; others come on top.
    const double step = sedge_pass_cost(session->problem.integrator, 3, SEDGE_PASS_PLAIN, 0);
    const double tick = sedge_pass_launches(session->problem.integrator, false) *
                        sedge_levels_launch(comm, session->deck, &session->problem);
    CHECK(levels->cost * levels->dt > tick + 1952.0 * step + 128.0 / 2.0 * sedge_pass_face(3));
    CHECK(session->stable_dt == 4.0 * levels->dt);
    CHECK(session->least_step == one.session.stable_dt);
    CHECK(session->dt <= session->stable_dt);
    CHECK_BOUND(fabs(sedge_session_time(session, session->steps) - 1.0), 1e-14);
    CHECK(session->limit_place[2] > 0.5 && one.session.limit_place[2] > 0.5);
    check_points(session);

    CHECK(one.session.mesh->levels == 1 && one.session.levels.levels == 1);
    CHECK(one.session.levels.count[0] == 3072 && one.session.levels.gain == 1.0);
    CHECK(one.session.least_step == one.session.levels.dt);
    check_points(&one.session);
    sedge_session_close(&one.session);
    sedge_session_close(&by_level.session);
}

// An integrator without them takes one step for all elements where the deck leaves it the choice.
static void test_without(const sedge_comm *comm)
{
    opened out;

    open_session(&out, comm, "time.integrator=lsrk45");
    CHECK(out.session.mesh->levels == 1 && out.session.levels.levels == 1);
    CHECK(out.session.stable_dt == out.session.least_step);
    sedge_session_close(&out.session);
}

int main(void)
{
    sedge_comm *comm;

    if (sedge_comm_create(&comm, NULL) != SEDGE_OK) return 1;
    test_levels(comm);
    test_without(comm);
    sedge_comm_free(comm);
    return CHECK_END();
}
