#include "dg/levels.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "dg/cubature.h"
#include "dg/predictor.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

// Two elements with the same level.
typedef struct level_pair {
    int32_t first, second;
} level_pair;

typedef struct level_job {
    const sedge_comm *comm;
    const sedge_mesh *mesh;
    int most;
    int threads;      // of this rank
    double *octaves;  // [elements] log2 of an element's step by the least one of the whole mesh
    uint8_t *level;   // [elements]
    uint8_t *mine;    // [halo_faces] levels, for the other ranks
    uint8_t *theirs;  // [halo_faces] levels of their elements: fetch_levels
    int64_t *cost;    // [elements] find_cost_of
    int64_t face;     // of a face between levels, in the same parts
    uint8_t *highest; // [elements] level that each may have: smooth_levels
    uint8_t *before;  // [elements] levels before a trial
    uint8_t *next;    // [elements] levels after a round: do_round
    bool *is_fixed;   // [elements] beside surfaces whose two sides have one level: not lowered more
    int32_t pairs;    // two sides of a surface, both on this rank
    level_pair *pair;
} level_job;

// ---- levels for one tick -----------------------------------------------------------------------

// The levels that the elements could have by themselves. A step that is as long as a level's but
// for rounding counts as such.
static void start_levels(level_job *job, double lambda)
{
    const double shift = log2(lambda) - 1e-9; // below 0, and octaves are not
    const double top = job->most - 1;

    for (int32_t e = 0; e < job->mesh->elements; e++) {
        const double level = job->octaves[e] - shift;
        job->level[e] = (uint8_t)(level < top ? level : top);
    }
}

// Both elements of each pair whose lower level is `level` get this level, and so on.
static void level_pairs(level_job *job, int level)
{
    bool again = job->pairs > 0;

    while (again) {
        again = false;
        for (int32_t i = 0; i < job->pairs; i++) {
            uint8_t *const a = &job->level[job->pair[i].first];
            uint8_t *const b = &job->level[job->pair[i].second];
            if (*a == *b || (*a < *b ? *a : *b) != level) continue;
            *a = *b = (uint8_t)level;
            again = true;
        }
    }
}

// Lower the neighbours of this rank's elements of a level to what these allow.
static void lower_neighbours(level_job *job, int level)
{
    const sedge_mesh *const mesh = job->mesh;

    for (int32_t e = 0; e < mesh->elements; e++) {
        for (int f = 0; f < SEDGE_FACES && job->level[e] == level; f++) {
            const int32_t neighbour = mesh->faces[e][f].neighbour;
            if (neighbour < 0 || job->level[neighbour] <= level + 1) continue;
            job->level[neighbour] = (uint8_t)(level + 1);
        }
    }
}

// Lower levels until the conditions hold between the elements of this rank. An element is lowered
// to a level only by elements of that level or of the level below, so each level is done once.
static void lower_here(level_job *job)
{
    for (int l = 0; l + 1 < job->most; l++) {
        level_pairs(job, l);
        lower_neighbours(job, l);
    }
}

// The present levels of other ranks' elements.
static sedge_status fetch_levels(level_job *job)
{
    const sedge_mesh *const mesh = job->mesh;

    for (int32_t i = 0; i < mesh->halo_faces; i++)
        job->mine[i] = job->level[mesh->trace_faces[i].element];
    sedge_release(job->theirs);
    return sedge_mesh_exchange(&job->theirs, mesh, job->comm, job->mine, sizeof *job->mine);
}

// A halo slot of a boundary face is that of a surface whose two sides have the same level.
static bool is_pair(const sedge_mesh *mesh, int32_t slot)
{
    const sedge_trace_face *const at = &mesh->trace_faces[slot];

    return mesh->faces[at->element][at->face].neighbour != -1 - slot;
}

// Lower levels to what those of other ranks' elements allow. Sets whether anything changed on any
// rank.
static sedge_status lower_by_halo(bool *changed, level_job *job)
{
    const sedge_mesh *const mesh = job->mesh;
    int64_t lowered = 0;

    SEDGE_TRY(fetch_levels(job));
    for (int32_t i = 0; i < mesh->halo_faces; i++) {
        uint8_t *const level = &job->level[mesh->trace_faces[i].element];
        const int most = job->theirs[i] + (is_pair(mesh, i) ? 0 : 1);
        if (*level <= most) continue;
        *level = (uint8_t)most;
        lowered++;
    }
    sedge_comm_sum_int(job->comm, &lowered, 1);
    *changed = lowered > 0;
    return SEDGE_OK;
}

// ---- what they cost ----------------------------------------------------------------------------

// Of the whole mesh: the elements of each level, what their steps cost, and what the faces cost
// behind which is the level below.
enum { ELEMENTS, COSTS, FACES, COUNTED };
typedef int64_t level_counts[COUNTED][SEDGE_LEVELS_MAX];

static sedge_pass_kind kind_of(const sedge_problem *problem, const sedge_mesh *mesh, int32_t e)
{
    const int volume = mesh->group[e];

    if (sedge_mesh_curve(mesh, e) >= 0 && !sedge_cubature_state_is_covariant(problem))
        return SEDGE_PASS_CURVED;
    if (sedge_mesh_curve(mesh, e) >= 0) {
        return sedge_predictor_is_plain(problem, volume) ? SEDGE_PASS_COVARIANT
                                                         : SEDGE_PASS_COVARIANT_TERMS;
    }
    const bool plain =
        !sedge_problem_has_term(problem, volume) &&
        (!problem->integrator->predictor || sedge_predictor_is_plain(problem, volume));
    const bool nodal = !problem->integrator->predictor && sedge_problem_varies(problem, -1);
    if (plain) return nodal ? SEDGE_PASS_NODAL : SEDGE_PASS_PLAIN;
    return sedge_problem_varies(problem, volume) ? SEDGE_PASS_NODES : SEDGE_PASS_TERMS;
}

// What a step of an element costs, in parts of the unit: integers, whose sums are the same for any
// number of ranks.
enum { PARTS = 1024 };

static int64_t find_cost_of(const sedge_problem *problem, const sedge_mesh *mesh, int32_t e,
                            sedge_levels_cost cost)
{
    int words = 0;

    for (int i = 0; i < problem->term_count; i++) {
        if (problem->terms[i].present[mesh->group[e]])
            words += sedge_term_memory(&problem->terms[i]);
    }
    const sedge_pass_kind kind = kind_of(problem, mesh, e);
    return llround(PARTS * cost(problem->integrator, problem->order, kind, words));
}

// An element's neighbours: how many have a lower level, the same, a higher one.
typedef struct level_sides {
    int lower, same, higher;
} level_sides;

static level_sides count_sides(const level_job *job, int32_t e)
{
    const sedge_mesh *const mesh = job->mesh;
    level_sides sides = {0};

    for (int f = 0; f < SEDGE_FACES; f++) {
        const int32_t neighbour = mesh->faces[e][f].neighbour;
        if (-1 - neighbour >= mesh->halo_faces) continue;
        const int level = neighbour >= 0 ? job->level[neighbour] : job->theirs[-1 - neighbour];
        sides.lower += level < job->level[e];
        sides.same += level == job->level[e];
        sides.higher += level > job->level[e];
    }
    return sides;
}

enum { GRAIN = 16384 }; // elements of a piece, for threads

typedef struct count_job {
    const level_job *job;
    _Atomic int64_t count[COUNTED][SEDGE_LEVELS_MAX];
} count_job;

static void count_some(void *context, int64_t first, int64_t end)
{
    count_job *const sum = context;
    const level_job *const job = sum->job;
    level_counts count = {{0}};

    for (int32_t e = (int32_t)first; e < end; e++) {
        count[ELEMENTS][job->level[e]]++;
        count[COSTS][job->level[e]] += job->cost[e];
        if (job->face > 0) count[FACES][job->level[e]] += job->face * count_sides(job, e).lower;
    }
    for (int i = 0; i < COUNTED; i++)
        for (int l = 0; l < SEDGE_LEVELS_MAX; l++) atomic_fetch_add(&sum->count[i][l], count[i][l]);
}

static void count_levels(level_counts count, const level_job *job)
{
    count_job sum = {.job = job};

    sedge_parallel(job->threads, job->mesh->elements, GRAIN, count_some, &sum);
    for (int i = 0; i < COUNTED; i++)
        for (int l = 0; l < SEDGE_LEVELS_MAX; l++) count[i][l] = sum.count[i][l];
    sedge_comm_sum_int(job->comm, &count[0][0], COUNTED * SEDGE_LEVELS_MAX);
}

// Steps of elements in a tick, in the mean, or their costs.
static double sum_steps(const int64_t count[SEDGE_LEVELS_MAX])
{
    double sum = 0.0;

    for (int l = 0; l < SEDGE_LEVELS_MAX; l++) sum += ldexp((double)count[l], -l);
    return sum;
}

// Of a tick, but for what it costs whatever its elements.
static double sum_costs(level_counts count)
{
    return (sum_steps(count[COSTS]) + sum_steps(count[FACES])) / PARTS;
}

// ---- fewer faces between levels ----------------------------------------------------------------

// All elements decide from the same levels, so that the result depends on neither their order nor
// the ranks. An element is lowered only if no neighbour is higher, and raised only if none is
// lower, so that neighbours still differ by one level at most.

typedef struct round_job {
    const level_job *job;
    _Atomic int64_t moved;
} round_job;

// Lower what has two lower neighbours or more.
static void lower_some(void *context, int64_t first, int64_t end)
{
    round_job *const with = context;
    const level_job *const job = with->job;
    int64_t moved = 0;

    for (int32_t e = (int32_t)first; e < end; e++) {
        job->next[e] = job->level[e];
        if (job->level[e] == 0 || job->is_fixed[e]) continue;
        const level_sides sides = count_sides(job, e);
        if (sides.lower < 2 || sides.higher > 0) continue;
        job->next[e]--;
        moved++;
    }
    atomic_fetch_add(&with->moved, moved);
}

// Raise each lowered element whose additional steps cost more than the faces between levels that it
// would have more one level higher.
static void raise_some(void *context, int64_t first, int64_t end)
{
    round_job *const with = context;
    const level_job *const job = with->job;
    int64_t moved = 0;

    for (int32_t e = (int32_t)first; e < end; e++) {
        job->next[e] = job->level[e];
        if (job->level[e] == job->highest[e]) continue;
        const level_sides sides = count_sides(job, e);
        if (sides.lower > 0 || job->cost[e] <= job->face * (sides.same - sides.higher)) continue;
        job->next[e]++;
        moved++;
    }
    atomic_fetch_add(&with->moved, moved);
}

// Sets whether anything moved on any rank.
static sedge_status do_round(bool *changed, level_job *job,
                             void (*move)(void *context, int64_t first, int64_t end))
{
    round_job with = {.job = job};
    uint8_t *const before = job->level;

    sedge_parallel(job->threads, job->mesh->elements, GRAIN, move, &with);
    job->level = job->next;
    job->next = before;
    int64_t moved = with.moved;
    sedge_comm_sum_int(job->comm, &moved, 1);
    *changed = moved > 0;
    return fetch_levels(job);
}

// In a mesh of 351 535 tetrahedra graded by two, order 4, the first trial saves 1.5 to 5.6 % of the
// cost, by lambda, the second 0.2 to 0.9 %, later ones less. One that saves less than this part of
// the cost is not worth other levels.
enum { TRIALS = 4 };
#define TRIAL_WORTH 1e-3

// Lower elements where the levels then cost less, and count these. One element with two lower
// neighbours of four saves no faces, but a row of such elements does; so all of them are lowered,
// and those raised again which do not pay.
static sedge_status smooth_levels(level_counts count, level_job *job, int trials)
{
    const size_t bytes = (size_t)job->mesh->elements;

    count_levels(count, job);
    if (job->face == 0 || job->most == 1) return SEDGE_OK;
    memcpy(job->highest, job->level, bytes);
    for (int i = 0; i < trials; i++) {
        level_counts trial;
        bool changed;
        memcpy(job->before, job->level, bytes);
        SEDGE_TRY(do_round(&changed, job, lower_some));
        while (changed) SEDGE_TRY(do_round(&changed, job, raise_some));
        count_levels(trial, job);
        if (sum_costs(trial) > (1.0 - TRIAL_WORTH) * sum_costs(count)) {
            memcpy(job->level, job->before, bytes);
            return fetch_levels(job);
        }
        memcpy(count, trial, sizeof trial);
    }
    return SEDGE_OK;
}

// ---- the least cost ----------------------------------------------------------------------------

// The levels for a tick of `lambda` times the least step. `trials` of smooth_levels at most: one
// has most of the gain, and is enough to choose lambda by.
static sedge_status find_levels(level_counts count, level_job *job, double lambda, int trials)
{
    bool changed = true;

    start_levels(job, lambda);
    while (changed) {
        lower_here(job);
        SEDGE_TRY(lower_by_halo(&changed, job));
    }
    return smooth_levels(count, job, trials);
}

// Join the levels from `levels` - 1 on. Lowering them later gives the same as lowering them first,
// but for elements that smooth_levels lowers.
static void cap(level_counts count, int levels)
{
    for (int l = levels; l < SEDGE_LEVELS_MAX; l++) {
        count[COSTS][levels - 1] += count[COSTS][l];
        count[COSTS][l] = count[FACES][l] = 0;
    }
}

// Of a tick.
static double find_cost(level_counts count, const sedge_levels_options *options)
{
    return options->tick_cost + sum_costs(count);
}

enum { LAMBDAS = 9 };

static double lambda_of(int i)
{
    return (100 - 5 * i) / 100.0;
}

// What each number of levels costs in the time of the least step, least[levels - 1], with the best
// lambda[levels - 1].
static sedge_status find_costs(double least[SEDGE_LEVELS_MAX], double lambda[SEDGE_LEVELS_MAX],
                               level_job *job, const sedge_levels_options *options)
{
    level_counts count;

    for (int l = 0; l < SEDGE_LEVELS_MAX; l++) {
        least[l] = HUGE_VAL;
        lambda[l] = 1.0;
    }
    for (int i = 0; i < LAMBDAS; i++) {
        SEDGE_TRY(find_levels(count, job, lambda_of(i), 1));
        for (int levels = job->most; levels >= 1; levels--) {
            cap(count, levels);
            const double cost = find_cost(count, options) / lambda_of(i);
            if (!(cost < least[levels - 1])) continue;
            least[levels - 1] = cost;
            lambda[levels - 1] = lambda_of(i);
        }
    }
    return SEDGE_OK;
}

// ---- all of it ---------------------------------------------------------------------------------

// The steps of elements by the least one of the whole mesh. Sets that one, with cfl 1.
static void find_octaves(level_job *job, double *step, const sedge_problem *problem, int threads)
{
    const int32_t elements = job->mesh->elements;
    double *const rates = job->octaves;
    double fastest = 0.0;

    sedge_problem_rates(rates, problem, job->mesh, threads);
    for (int32_t e = 0; e < elements; e++) fastest = fmax(fastest, rates[e]);
    sedge_comm_max(job->comm, &fastest, 1);
    *step = 1.0 / fastest;
    for (int32_t e = 0; e < elements; e++) job->octaves[e] = log2(fastest / rates[e]);
}

// The number of levels, at most `most`, that elements could have at the least lambda.
static int find_most(const level_job *job, int most)
{
    double longest = 0.0;

    for (int32_t e = 0; e < job->mesh->elements; e++) longest = fmax(longest, job->octaves[e]);
    sedge_comm_max(job->comm, &longest, 1);
    return (int)fmin(most, floor(longest - log2(lambda_of(LAMBDAS - 1))) + 1.0);
}

// The pairs of elements of this rank on the two sides of surfaces whose condition needs both.
static sedge_status list_pairs(level_job *job, const sedge_problem *problem)
{
    const sedge_mesh *const mesh = job->mesh;

    SEDGE_TRY(sedge_allocate(&job->pair, mesh->set_offsets[problem->surfaces], sizeof *job->pair));
    for (int s = 0; s < problem->surfaces; s++) {
        const sedge_boundary_kind *const kind = problem->boundaries[s].kind;
        if (kind == NULL || !sedge_is_two_sided(kind)) continue;
        for (int32_t i = mesh->set_offsets[s]; i < mesh->set_offsets[s + 1]; i++) {
            const sedge_set_face *const side = &mesh->set_faces[i];
            if (side->second || side->other < 0) continue;
            job->pair[job->pairs++] = (level_pair){side->element, side->other};
            job->is_fixed[side->element] = job->is_fixed[side->other] = true;
        }
    }
    for (int32_t i = 0; i < mesh->halo_faces; i++)
        job->is_fixed[mesh->trace_faces[i].element] |= is_pair(mesh, i);
    return SEDGE_OK;
}

static sedge_status prepare(level_job *job, const sedge_problem *problem,
                            const sedge_levels_options *options)
{
    const int32_t elements = job->mesh->elements;

    SEDGE_TRY(sedge_allocate(&job->octaves, elements, sizeof *job->octaves));
    SEDGE_TRY(sedge_allocate(&job->level, elements, sizeof *job->level));
    SEDGE_TRY(sedge_allocate(&job->mine, job->mesh->halo_faces, sizeof *job->mine));
    SEDGE_TRY(sedge_allocate(&job->cost, elements, sizeof *job->cost));
    SEDGE_TRY(sedge_allocate(&job->highest, elements, sizeof *job->highest));
    SEDGE_TRY(sedge_allocate(&job->before, elements, sizeof *job->before));
    SEDGE_TRY(sedge_allocate(&job->next, elements, sizeof *job->next));
    SEDGE_TRY(sedge_allocate(&job->is_fixed, elements, sizeof *job->is_fixed));
    for (int32_t e = 0; e < elements; e++)
        job->cost[e] = find_cost_of(problem, job->mesh, e, options->cost);
    job->face = llround(PARTS * options->face_cost);
    return list_pairs(job, problem);
}

static void release(level_job *job)
{
    sedge_release(job->octaves);
    sedge_release(job->level);
    sedge_release(job->mine);
    sedge_release(job->theirs);
    sedge_release(job->cost);
    sedge_release(job->highest);
    sedge_release(job->before);
    sedge_release(job->next);
    sedge_release(job->is_fixed);
    sedge_release(job->pair);
}

sedge_status sedge_levels_choose(sedge_levels *out, const sedge_comm *comm,
                                 const sedge_problem *problem, const sedge_mesh *mesh,
                                 const sedge_levels_options *options)
{
    level_job job = {
        .comm = comm, .mesh = mesh, .most = options->most, .threads = options->threads};
    level_counts count;
    double least[SEDGE_LEVELS_MAX];
    double lambda[SEDGE_LEVELS_MAX];
    double step; // the least one of the mesh, with cfl 1
    sedge_status status;

    memset(out, 0, sizeof *out);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, prepare(&job, problem, options)));
    find_octaves(&job, &step, problem, options->threads);
    job.most = find_most(&job, options->most);
    SEDGE_TRY_GOTO(status, find_costs(least, lambda, &job, options));
    double best = HUGE_VAL;
    for (int levels = 1; levels <= job.most; levels++) best = fmin(best, least[levels - 1]);
    while (least[out->levels] > best * (1.0 + SEDGE_LEVELS_WORTH)) out->levels++;
    out->levels++;
    job.most = out->levels;
    SEDGE_TRY_GOTO(status, find_levels(count, &job, lambda[out->levels - 1], TRIALS));
    memcpy(out->count, count[ELEMENTS], sizeof out->count);
    out->dt = options->cfl * lambda[out->levels - 1] * step;
    out->gain = lambda[out->levels - 1] * (double)mesh->global_elements / sum_steps(out->count);
    out->cost = find_cost(count, options) / out->dt;
    out->level = job.level;
    job.level = NULL; // now the caller's
done:
    release(&job);
    return status;
}

// Elements by how many times their steps are as long as the least one, in bins of a part of an
// octave; the last bin has all longer ones.
enum { BINS = 512, BINS_AN_OCTAVE = 16 };

double sedge_levels_pass(const sedge_comm *comm, const sedge_problem *problem,
                         const sedge_mesh *mesh, sedge_levels_cost cost)
{
    int64_t sum = 0;

    for (int32_t e = 0; e < mesh->elements; e++) sum += find_cost_of(problem, mesh, e, cost);
    sedge_comm_sum_int(comm, &sum, 1);
    return (double)sum / PARTS;
}

void sedge_levels_weigh(uint16_t *work, const sedge_problem *problem, const sedge_mesh *mesh,
                        sedge_levels_cost cost)
{
    const double plain = PARTS * cost(problem->integrator, problem->order, SEDGE_PASS_PLAIN, 0);

    for (int32_t e = 0; e < mesh->elements; e++) {
        const double eighths = round(8.0 / plain * (double)find_cost_of(problem, mesh, e, cost));
        work[e] = (uint16_t)fmax(1.0, fmin(eighths, SEDGE_MESH_WORK));
    }
}

sedge_status sedge_levels_least_cost(double *cost, const sedge_comm *comm,
                                     const sedge_problem *problem, const sedge_mesh *mesh,
                                     const sedge_levels_options *options)
{
    level_job job = {.comm = comm, .mesh = mesh};
    int64_t costs[BINS] = {0};
    double step;

    const sedge_status status = sedge_allocate(&job.octaves, mesh->elements, sizeof *job.octaves);
    *cost = 0.0;
    SEDGE_TRY(sedge_comm_agree(comm, status));
    find_octaves(&job, &step, problem, options->threads);
    for (int32_t e = 0; e < mesh->elements; e++) {
        const double bin = fmin(BINS_AN_OCTAVE * job.octaves[e], BINS - 1);
        costs[(int)bin] += find_cost_of(problem, mesh, e, options->cost);
    }
    sedge_release(job.octaves);
    sedge_comm_sum_int(comm, costs, BINS);
    for (int i = 0; i < BINS - 1; i++)
        *cost += exp2(-(i + 1.0) / BINS_AN_OCTAVE) / PARTS * (double)costs[i];
    *cost /= options->cfl * step;
    return SEDGE_OK;
}

double sedge_levels_work(const sedge_levels *levels)
{
    int64_t elements = 0;

    for (int l = 0; l < levels->levels; l++) elements += levels->count[l];
    if (elements == 0) return 1.0;
    return ldexp(sum_steps(levels->count), levels->levels - 1) / (double)elements;
}

void sedge_levels_clear(sedge_levels *levels)
{
    sedge_release(levels->level);
    memset(levels, 0, sizeof *levels);
}
