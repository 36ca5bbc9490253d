// Levels of local time steps: known histograms, the conditions between neighbours, the costs, and
// the same answer on any number of ranks.
#include "dg/levels.h"

#include "base/memory.h"
#include "check.h"

static const sedge_comm *comm;

static double speed(const double *m, const double *c)
{
    (void)c;
    return m[0];
}

static const sedge_equation equation = {.name = "test", .fields = 1, .speed = speed};

static void apply_two_sided(const double *u, const double *w, const double *mu, const double *mw,
                            const double *n, const double *x, double t, const double *p,
                            const double *c, double *v)
{
    (void)u, (void)w, (void)mu, (void)mw, (void)n, (void)x, (void)t, (void)p, (void)c, (void)v;
}

static const sedge_boundary_kind sheet = {.name = "sheet", .apply_two_sided = apply_two_sided};

// ---- a box whose upper part has slower waves ---------------------------------------------------

typedef struct slow_box {
    int cells[3];
    double split;            // coordinate z of the cut
    double ratio;            // the waves below are faster by this factor
    bool periodic;           // along z: the cut, and the ends of the box
    bool sheet;              // the cut is a surface whose condition needs both sides
    void (*move)(double *x); // of the corners; NULL: none
    double bent;             // the elements below this z are curved; 0: none
    int pattern;             // above 0: waves are slow in elements of is_slow, too
} slow_box;

static double bent_below; // of the present box

static void bend(const double x[3], double moved[3])
{
    const double z = x[2] / bent_below;

    memcpy(moved, x, 3 * sizeof *x);
    if (z < 1.0) moved[2] += 0.1 * z * (1.0 - z) * x[0];
}

enum { LONE = 1, LONE_BELOW = 6 * 4 * 4 * 2 }; // a pattern, and behind its last element

// Is the element with this number in the box slow in this pattern? LONE: one of each cell near the
// box's lower end, no two of which are neighbours; in other patterns about half of them.
static bool is_slow(int64_t id, int pattern)
{
    const uint32_t mixed = (uint32_t)(id * 7919 + pattern * 104729) * 2654435761U;

    return pattern == LONE ? id % 6 == 0 && id < LONE_BELOW : (mixed >> 16) % 2 != 0;
}

static void make(sedge_mesh **mesh, sedge_problem *problem, const sedge_comm *of,
                 const slow_box *box)
{
    static const char *const below = "below";
    const sedge_mesh_enclosure cut = {
        .name = "cut", .shape = SEDGE_ENCLOSURE_GROUPS, .volumes = 1, .volume = &below};
    sedge_mesh_options options = sedge_mesh_defaults();

    for (int d = 0; d < 3; d++) {
        options.box_cells[d] = box->cells[d];
        options.box_max[d] = box->cells[d];
    }
    options.box_periodic[2] = box->periodic;
    options.box_split_axis = 2;
    options.box_split = box->split;
    options.box_names[0] = "below";
    options.box_names[1] = "above";
    if (box->bent > 0.0) options.box_map = bend;
    bent_below = box->bent;
    if (box->sheet) {
        options.enclosures = options.two_sided_surfaces = options.linked_surfaces = 1;
        options.enclosure = &cut;
        options.two_sided_surface = options.linked_surface = &cut.name;
    }
    CHECK_OK(sedge_mesh_create(mesh, of, &options));
    const sedge_mesh_groups *const groups = &(*mesh)->groups;
    CHECK_OK(sedge_problem_init(problem, &equation, groups->volumes, groups->surfaces, 0));
    problem->order = 3;
    for (int v = 0; v < groups->volumes; v++)
        problem->materials[v][0] = strcmp(groups->volume_names[v], "below") == 0 ? box->ratio : 1.0;
    for (int s = 0; s < groups->surfaces; s++)
        if (strcmp(groups->surface_names[s], "cut") == 0) problem->boundaries[s].kind = &sheet;
    for (int32_t e = 0; e < (*mesh)->elements && box->move != NULL; e++)
        for (int v = 0; v < 4; v++) box->move((*mesh)->corners[e][v]);
    const int above = strcmp(groups->volume_names[0], "above") == 0 ? 0 : 1;
    for (int32_t e = 0; e < (*mesh)->elements && box->pattern > 0; e++)
        if (is_slow((*mesh)->global_ids[e], box->pattern)) (*mesh)->group[e] = above;
}

static double cost_one(const sedge_integrator *integrator, int order, sedge_pass_kind kind,
                       int words)
{
    (void)integrator, (void)order, (void)kind, (void)words;
    return 1.0;
}

static double cost_curved(const sedge_integrator *integrator, int order, sedge_pass_kind kind,
                          int words)
{
    (void)integrator, (void)order, (void)words;
    return kind == SEDGE_PASS_CURVED ? 1000.0 : 1.0;
}

// Ticks cost next to nothing.
static const sedge_levels_options options = {
    .cfl = 0.5, .most = 8, .threads = 2, .tick_cost = 1e-6, .cost = cost_one};

// The step of the box's elements, all alike, where the waves have the speed 1: inscribed radius
// 0.5 / (1 + sqrt(2)) of a Kuhn cell.
static double unit_step(const sedge_levels_options *with)
{
    return with->cfl * sedge_stable_number(3) * 0.5 / (1.0 + sqrt(2.0));
}

// ---- conditions --------------------------------------------------------------------------------

// By the mesh's own ranges after the renumbering, which refuses neighbours that are too far apart.
static void set_levels(sedge_mesh *mesh, const sedge_levels *levels)
{
    CHECK_OK(sedge_mesh_set_levels(mesh, comm, levels->level));
    CHECK(mesh->levels == levels->levels);
}

static int own_level(const sedge_mesh *mesh, const sedge_problem *problem, int32_t e,
                     const sedge_levels *levels)
{
    const double step = options.cfl / sedge_problem_rate(problem, mesh, e);

    return (int)fmin(floor(log2(step / levels->dt) + 1e-9), levels->levels - 1);
}

// Each element has the highest level that it may have: its own, or one more than the lowest of its
// neighbours. (That has one solution only, because a level that is not the element's own comes from
// a lower one.) Where faces between levels cost, or the two sides of the sheet have the same level,
// it may have a lower one. The cost is that of the levels, element by element, and of the faces.
static void check_conditions(sedge_mesh *mesh, const sedge_problem *problem,
                             const sedge_levels *levels, const sedge_levels_options *with,
                             bool has_sheet)
{
    double sum = 0.0;
    int bad = 0;

    set_levels(mesh, levels);
    for (int32_t e = 0; e < mesh->elements; e++) {
        const int own = sedge_mesh_level(mesh, e);
        const sedge_pass_kind kind =
            sedge_mesh_curve(mesh, e) >= 0 ? SEDGE_PASS_CURVED : SEDGE_PASS_PLAIN;
        int expected = own_level(mesh, problem, e, levels);
        double cost = with->cost(problem->integrator, problem->order, kind, 0);
        const double step = cost;
        int lower = 0, more = 0; // neighbours; faces between levels that one level higher has more
        for (int f = 0; f < SEDGE_FACES; f++) {
            const int32_t neighbour = mesh->faces[e][f].neighbour;
            const int32_t slot = -1 - neighbour;
            int level = levels->levels;
            if (neighbour >= 0) level = sedge_mesh_level(mesh, neighbour);
            if (neighbour < 0 && slot < mesh->halo_faces) level = mesh->halo_level[slot];
            if (level + 1 < expected) expected = level + 1;
            if (level < own) cost += with->face_cost;
            if (level == levels->levels) continue; // there is no neighbour
            lower += level < own;
            more += (level == own) - (level == own + 1);
        }
        bad += has_sheet || with->face_cost > 0.0 ? own > expected : own != expected;
        // One level higher it would cost half of its step less and half of those faces more.
        bad += !has_sheet && own < expected && lower == 0 && step > 1.001 * with->face_cost * more;
        sum += ldexp(cost, -own);
    }
    for (int32_t i = 0; i < mesh->set_offsets[mesh->groups.surfaces] && has_sheet; i++) {
        const sedge_set_face *const side = &mesh->set_faces[i];
        const int level = sedge_mesh_level(mesh, side->element);
        if (problem->boundaries[side->group].kind == NULL) continue;
        if (side->other >= 0) bad += sedge_mesh_level(mesh, side->other) != level;
        if (side->other_slot >= 0) bad += mesh->halo_level[side->other_slot] != level;
    }
    CHECK(bad == 0);
    sedge_comm_sum(comm, &sum, 1);
    // Costs are kept in parts of 1 / 1024, and these tests' are whole but for faces'. 1e-13:
    // rounding of a few hundred additions.
    const double parts = 1024.0 * with->face_cost;
    const double most = parts == floor(parts) ? 1e-13 : 1e-3;
    CHECK_BOUND(fabs(levels->cost * levels->dt / (with->tick_cost + sum) - 1.0), most);
}

// The levels of this mesh on all ranks and, of the same one, on one rank.
static sedge_levels choose(const slow_box *box, const sedge_levels_options *with)
{
    sedge_mesh *mesh = NULL;
    sedge_problem problem;
    sedge_levels levels, alone;

    make(&mesh, &problem, comm, box);
    CHECK_OK(sedge_levels_choose(&levels, comm, &problem, mesh, with));
    int64_t digest = 0; // of the level of each element
    for (int32_t e = 0; e < mesh->elements; e++)
        digest += (mesh->global_ids[e] + 1) * (mesh->global_ids[e] + 7) * levels.level[e];
    sedge_comm_sum_int(comm, &digest, 1);
    double least = 0.0, least_alone = 0.0;
    CHECK_OK(sedge_levels_least_cost(&least, comm, &problem, mesh, with));
    CHECK(least > 0.0 && least < levels.cost);
    check_conditions(mesh, &problem, &levels, with, box->sheet);
    sedge_problem_clear(&problem);
    sedge_mesh_free(mesh);
    make(&mesh, &problem, NULL, box);
    CHECK_OK(sedge_levels_choose(&alone, NULL, &problem, mesh, with));
    CHECK(alone.levels == levels.levels && alone.dt == levels.dt && alone.gain == levels.gain);
    CHECK_OK(sedge_levels_least_cost(&least_alone, NULL, &problem, mesh, with));
    CHECK(alone.cost == levels.cost && least_alone == least);
    CHECK(memcmp(alone.count, levels.count, sizeof alone.count) == 0);
    for (int32_t e = 0; e < mesh->elements; e++)
        digest -= (mesh->global_ids[e] + 1) * (mesh->global_ids[e] + 7) * alone.level[e];
    CHECK(digest == 0);
    sedge_levels_clear(&alone);
    sedge_problem_clear(&problem);
    sedge_mesh_free(mesh);
    return levels;
}

static void check_counts(const sedge_levels *levels, int count, const int64_t *expected)
{
    CHECK(levels->levels == count);
    for (int l = 0; l < SEDGE_LEVELS_MAX; l++)
        CHECK(levels->count[l] == (l < count ? expected[l] : 0));
}

// ---- known cases -------------------------------------------------------------------------------

// Waves are 4 times as fast below the cut. Above it the elements with a face on it, two a cell, are
// one level below the others.
static void test_two_speeds(void)
{
    const slow_box box = {.cells = {3, 2, 6}, .split = 2.0, .ratio = 4.0};
    const int64_t expected[3] = {6LL * 6 * 2, 6LL * 2, 6LL * 24 - 12};
    sedge_levels levels = choose(&box, &options);

    check_counts(&levels, 3, expected);
    // 1e-14: rounding of a few operations.
    CHECK_BOUND(fabs(levels.dt * 4.0 / unit_step(&options) - 1.0), 1e-14);
    const double steps = 72.0 + 12.0 / 2.0 + 132.0 / 4.0;
    CHECK_BOUND(fabs(levels.gain - 216.0 / steps), 1e-14);
    CHECK_BOUND(fabs(sedge_levels_work(&levels) - 4.0 * steps / 216.0), 1e-14);
    sedge_levels_clear(&levels);
}

// With the ends of the box joined there are two such cuts.
static void test_periodic(void)
{
    const slow_box box = {.cells = {3, 2, 6}, .split = 2.0, .ratio = 4.0, .periodic = true};
    const int64_t expected[3] = {6LL * 6 * 2, 6LL * 4, 6LL * 24 - 24};
    sedge_levels levels = choose(&box, &options);

    check_counts(&levels, 3, expected);
    sedge_levels_clear(&levels);
}

// Across the cut lies a surface whose two sides have the same level, and are no neighbours: the
// elements with a face on it, two a cell, have level 0 above, too.
static void test_sheet(void)
{
    const slow_box box = {.cells = {4, 3, 6}, .split = 2.0, .ratio = 4.0, .sheet = true};
    sedge_levels levels = choose(&box, &options);

    CHECK(levels.levels == 3 && levels.count[0] == 12LL * (12 + 2));
    CHECK(levels.count[1] > 0 && levels.count[2] > 0);
    sedge_levels_clear(&levels);
}

// A ratio of 1.9 is not enough for a level, but a tick that is 0.95 times as long makes it 2.
static void test_lambda(void)
{
    const slow_box box = {.cells = {2, 2, 9}, .split = 3.0, .ratio = 1.9};
    const int64_t expected[2] = {6LL * 12, 6LL * 24};
    sedge_levels levels = choose(&box, &options);

    check_counts(&levels, 2, expected);
    CHECK_BOUND(fabs(levels.dt * 1.9 / (0.95 * unit_step(&options)) - 1.0), 1e-14);
    CHECK_BOUND(fabs(levels.gain - 0.95 * 216.0 / (72.0 + 144.0 / 2.0)), 1e-14);
    sedge_levels_clear(&levels);
}

// The cost is that of a tick and of the steps of elements: with ticks that cost nothing three
// levels, with ones that cost more than all else one; at most as many as the caller wants. One
// level is all that a mesh of equal elements needs.
static void test_costs(void)
{
    const slow_box box = {.cells = {3, 2, 6}, .split = 2.0, .ratio = 4.0};
    const slow_box equal = {.cells = {3, 2, 6}, .split = 2.0, .ratio = 1.0};
    const int64_t three[3] = {72, 12, 132}, two[2] = {72, 144}, one[1] = {216};
    sedge_levels_options with = options;
    sedge_levels levels;

    levels = choose(&box, &with);
    check_counts(&levels, 3, three);
    sedge_levels_clear(&levels);
    // 216 element steps or 144 or 111 a tick: three levels cost less by 33 of 111 + t elements, and
    // one is within a hundredth of them from t = 10389 elements on.
    with.tick_cost = 10380.0;
    levels = choose(&box, &with);
    check_counts(&levels, 2, two);
    sedge_levels_clear(&levels);
    with.tick_cost = 10400.0;
    levels = choose(&box, &with);
    check_counts(&levels, 1, one);
    CHECK(levels.gain == 1.0);
    sedge_levels_clear(&levels);
    with.tick_cost = 1e-6;
    with.face_cost = 50.0; // the 12 faces at the cut cost more than levels save
    levels = choose(&box, &with);
    check_counts(&levels, 1, one);
    sedge_levels_clear(&levels);
    with.face_cost = 0.0;
    with.most = 2;
    levels = choose(&box, &with);
    check_counts(&levels, 2, two);
    sedge_levels_clear(&levels);
    with.most = 8;
    levels = choose(&equal, &with);
    check_counts(&levels, 1, one);
    CHECK_BOUND(fabs(levels.dt / unit_step(&options) - 1.0), 1e-14);
    sedge_levels_clear(&levels);
}

// Cells that become thinner towards the ends: six levels or more.
static void grade(double *x)
{
    x[2] = x[2] < 8.0 ? 8.0 * pow(0.5, 8.0 - x[2]) - 8.0 : 8.0 - 8.0 * pow(0.5, x[2] - 8.0);
}

// One corner near the middle of an opposite face makes the elements around it thin.
static void pull(double *x)
{
    if (x[0] == 2.0 && x[1] == 2.0 && x[2] == 2.0) x[0] = 2.96;
}

// Conditions of check_conditions on meshes without a formula for the histogram.
static void test_graded(void)
{
    const slow_box graded = {.cells = {2, 3, 16}, .split = 8.0, .ratio = 1.0, .move = grade};
    const slow_box pulled = {.cells = {4, 4, 4}, .split = 2.0, .ratio = 1.0, .move = pull};
    const slow_box both = {
        .cells = {2, 3, 16}, .split = 8.0, .ratio = 3.0, .sheet = true, .move = grade};
    sedge_levels levels = choose(&graded, &options);
    CHECK(levels.levels >= 5 && levels.gain > 2.0);
    sedge_levels_clear(&levels);
    levels = choose(&pulled, &options);
    CHECK(levels.levels >= 3 && levels.gain > 3.0);
    sedge_levels_clear(&levels);
    levels = choose(&both, &options);
    CHECK(levels.levels >= 5);
    sedge_levels_clear(&levels);
}

// ---- faces between levels ----------------------------------------------------------------------

// Slow elements alone among fast ones: a step of level 0 costs one of them half of its step more in
// a tick, and each face to its neighbours half of a face. At the box's sides they have fewer.
static void test_lone(void)
{
    const slow_box box = {.cells = {4, 4, 6}, .split = 3.0, .ratio = 2.0, .pattern = LONE};
    const double face_costs[4] = {0.0, 0.24, 0.3, 0.6};
    int64_t lone[4];

    for (int i = 0; i < 4; i++) {
        sedge_levels_options with = options;
        with.face_cost = face_costs[i];
        sedge_levels levels = choose(&box, &with);
        CHECK(levels.levels == 2);
        lone[i] = levels.count[1] - 6LL * 4 * 4 * 3;
        sedge_levels_clear(&levels);
    }
    CHECK(lone[0] == LONE_BELOW / 6 && lone[1] == lone[0]);
    CHECK(lone[2] > 0 && lone[2] < lone[0]); // four faces cost more than an element, three less
    CHECK(lone[3] == 0);                     // two faces cost more
}

// The same levels by any number of threads: the elements of one rank are two pieces and more.
static void test_threads(void)
{
    const slow_box box = {.cells = {18, 18, 18}, .split = 9.0, .ratio = 2.0, .pattern = LONE + 1};
    sedge_mesh *mesh = NULL;
    sedge_problem problem;
    sedge_levels levels[2];

    make(&mesh, &problem, NULL, &box);
    for (int i = 0; i < 2; i++) {
        sedge_levels_options with = options;
        with.face_cost = 1.5;
        with.threads = 1 + 2 * i;
        CHECK_OK(sedge_levels_choose(&levels[i], NULL, &problem, mesh, &with));
    }
    CHECK(levels[0].levels == 2 && levels[0].count[0] > levels[0].count[1] / 8);
    CHECK(levels[1].levels == 2 && levels[0].cost == levels[1].cost);
    CHECK(memcmp(levels[0].count, levels[1].count, sizeof levels[0].count) == 0);
    CHECK(memcmp(levels[0].level, levels[1].level, (size_t)mesh->elements) == 0);
    for (int i = 0; i < 2; i++) sedge_levels_clear(&levels[i]);
    sedge_problem_clear(&problem);
    sedge_mesh_free(mesh);
}

enum { FEW = 24, PATTERNS = 10 };

// Of a tick of a small box whose slow elements have any of levels 0 and 1.
typedef struct tick_costs {
    double least;   // of all choices
    double highest; // all slow elements have level 1
} tick_costs;

static tick_costs find_costs(const sedge_mesh *mesh, const sedge_problem *problem,
                             const sedge_levels_options *with)
{
    tick_costs out = {.least = HUGE_VAL};
    int slow[FEW], count = 0;

    for (int e = 0; e < FEW; e++)
        if (problem->materials[mesh->group[e]][0] == 1.0) slow[count++] = e;
    for (int choice = 0; choice < 1 << count; choice++) {
        bool lifted[FEW] = {false};
        double cost = with->tick_cost + FEW;
        for (int i = 0; i < count; i++) lifted[slow[i]] = (choice >> i & 1) != 0;
        for (int e = 0; e < FEW; e++) {
            if (!lifted[e]) continue;
            cost -= 0.5;
            for (int f = 0; f < SEDGE_FACES; f++) {
                const int32_t neighbour = mesh->faces[e][f].neighbour;
                if (neighbour >= 0 && !lifted[neighbour]) cost += 0.5 * with->face_cost;
            }
        }
        out.least = fmin(out.least, cost);
        out.highest = cost; // in the last one all are lifted
    }
    return out;
}

// Slow and fast elements mixed at random: the cost is next to the least one of all choices, which
// is less than that of the highest levels and of one level.
static void test_mixed(void)
{
    sedge_levels_options with = options;
    double sum = 0.0, least = 0.0, highest = 0.0;

    with.face_cost = 1.5;
    for (int pattern = LONE + 1; pattern <= LONE + PATTERNS; pattern++) {
        const slow_box box = {.cells = {1, 1, 4}, .split = 2.0, .ratio = 2.0, .pattern = pattern};
        sedge_mesh *mesh = NULL;
        sedge_problem problem;
        sedge_levels levels = choose(&box, &with);
        make(&mesh, &problem, NULL, &box);
        const tick_costs costs = find_costs(mesh, &problem, &with);
        CHECK_BOUND(costs.least / (levels.cost * levels.dt) - 1.0, 1e-13); // rounding
        sum += levels.cost * levels.dt;
        least += costs.least;
        highest += costs.highest;
        sedge_problem_clear(&problem);
        sedge_mesh_free(mesh);
        sedge_levels_clear(&levels);
    }
    CHECK(least < 0.95 * highest && least < 0.95 * PATTERNS * FEW);
    CHECK(sum < 1.02 * least);
}

// Cells that become larger with z, and corners that are moved about.
static void shake(double *x)
{
    const double phase = 12.9 * x[0] + 78.2 * x[1] + 37.7 * x[2];
    const double larger = 1.0 + 0.25 * x[2];

    for (int d = 0; d < 3; d++) x[d] = larger * (x[d] + 0.17 * sin(phase * (1.0 + d)));
}

// The conditions where several levels meet in many places, and where two sides of a surface have
// the same one.
static void test_rough(void)
{
    sedge_levels_options with = options;

    with.face_cost = 1.5;
    for (int i = 0; i < 8; i++) {
        const slow_box box = {.cells = {5, 5, 8},
                              .split = 4.0,
                              .ratio = 1.0 + 0.3 * i,
                              .sheet = i % 2 == 1,
                              .move = shake,
                              .pattern = i < 4 ? 0 : LONE + i};
        sedge_levels levels = choose(&box, &with);
        CHECK(levels.levels >= 3);
        sedge_levels_clear(&levels);
    }
}

// Curved elements on the finest level, each of which costs as much as many others: the cost is next
// to that of these alone, and levels are worth little. Bound and cost count them as such.
static void test_curved(void)
{
    const slow_box box = {.cells = {3, 2, 6}, .split = 1.0, .ratio = 4.0, .bent = 1.0};
    sedge_levels_options with = options;
    sedge_levels cheap = choose(&box, &with);

    with.cost = cost_curved;
    sedge_levels costly = choose(&box, &with);
    CHECK(cheap.gain > 2.0 && cheap.levels >= 3);
    CHECK(costly.cost * costly.dt > 36.0 * 1000.0);
    CHECK(costly.levels == 1); // the others together are less than SEDGE_LEVELS_WORTH of the cost
    sedge_levels_clear(&cheap);
    sedge_levels_clear(&costly);
}

// Curved elements on both sides of the cut have levels like straight ones.
static void test_curved_levels(void)
{
    const slow_box box = {.cells = {3, 2, 6}, .split = 2.0, .ratio = 5.0, .bent = 4.0};
    sedge_levels levels = choose(&box, &options);
    int64_t curved[3] = {0};
    sedge_mesh *mesh = NULL;
    sedge_problem problem;

    CHECK(levels.levels == 3);
    sedge_levels_clear(&levels);
    make(&mesh, &problem, comm, &box);
    CHECK_OK(sedge_levels_choose(&levels, comm, &problem, mesh, &options));
    for (int32_t e = 0; e < mesh->elements && levels.levels == 3; e++)
        curved[levels.level[e]] += sedge_mesh_curve(mesh, e) >= 0;
    sedge_comm_sum_int(comm, curved, 3);
    CHECK(curved[0] > 0 && curved[1] > 0 && curved[2] > 0);
    sedge_levels_clear(&levels);
    sedge_problem_clear(&problem);
    sedge_mesh_free(mesh);
}

int main(void)
{
    sedge_comm *world;

    if (sedge_comm_create(&world, NULL) != SEDGE_OK) return 1;
    comm = world;
    test_two_speeds();
    test_periodic();
    test_sheet();
    test_lambda();
    test_costs();
    test_graded();
    test_lone();
    test_mixed();
    if (sedge_comm_is_root(world)) test_threads();
    test_rough();
    test_curved();
    test_curved_levels();
    sedge_comm_free(world);
    return CHECK_END();
}
