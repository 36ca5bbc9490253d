#include "dg/levels.h"

#include "base/memory.h"
#include "dg/cubature.h"
#include "dg/predictor.h"

#include <math.h>
#include <string.h>

// Two elements with the same level.
typedef struct level_pair {
    int32_t first, second;
} level_pair;

typedef struct level_job {
    const sedge_comm *comm;
    const sedge_mesh *mesh;
    int most;
    double *octaves; // [elements] log2 of an element's step by the least one of the whole mesh
    uint8_t *level;  // [elements]
    uint8_t *mine;   // [halo_faces] levels, for the other ranks
    int64_t *cost;   // [elements] find_cost_of
    int32_t pairs;   // two sides of a surface, both on this rank
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

// The same by the levels of other ranks' elements. A halo slot of a boundary face is that of a
// surface whose two sides have the same level. Sets whether anything changed on any rank.
static sedge_status lower_by_halo(bool *changed, level_job *job)
{
    const sedge_mesh *const mesh = job->mesh;
    uint8_t *theirs = NULL;
    int64_t lowered = 0;

    for (int32_t i = 0; i < mesh->halo_faces; i++)
        job->mine[i] = job->level[mesh->trace_faces[i].element];
    SEDGE_TRY(sedge_mesh_exchange(&theirs, mesh, job->comm, job->mine, sizeof *job->mine));
    for (int32_t i = 0; i < mesh->halo_faces; i++) {
        const sedge_trace_face *const at = &mesh->trace_faces[i];
        const bool is_pair = mesh->faces[at->element][at->face].neighbour != -1 - i;
        const int most = theirs[i] + (is_pair ? 0 : 1);
        if (job->level[at->element] <= most) continue;
        job->level[at->element] = (uint8_t)most;
        lowered++;
    }
    sedge_release(theirs);
    sedge_comm_sum_int(job->comm, &lowered, 1);
    *changed = lowered > 0;
    return SEDGE_OK;
}

// Of the whole mesh: the elements of each level, and what their steps cost.
enum { ELEMENTS, COSTS, COUNTED };
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
    const bool plain = problem->integrator->predictor ? sedge_predictor_is_plain(problem, volume)
                                                      : !sedge_problem_has_term(problem, volume);
    return plain ? SEDGE_PASS_PLAIN : SEDGE_PASS_TERMS;
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

// The levels for a tick of `lambda` times the least step.
static sedge_status find_levels(level_counts count, level_job *job, double lambda)
{
    bool changed = true;

    start_levels(job, lambda);
    while (changed) {
        lower_here(job);
        SEDGE_TRY(lower_by_halo(&changed, job));
    }
    memset(count, 0, sizeof(level_counts));
    for (int32_t e = 0; e < job->mesh->elements; e++) {
        count[ELEMENTS][job->level[e]]++;
        count[COSTS][job->level[e]] += job->cost[e];
    }
    sedge_comm_sum_int(job->comm, &count[0][0], COUNTED * SEDGE_LEVELS_MAX);
    return SEDGE_OK;
}

// ---- the least cost ----------------------------------------------------------------------------

// Join the levels from `levels` - 1 on. Lowering them later gives the same as lowering them first.
static void cap(int64_t count[SEDGE_LEVELS_MAX], int levels)
{
    for (int l = levels; l < SEDGE_LEVELS_MAX; l++) {
        count[levels - 1] += count[l];
        count[l] = 0;
    }
}

// Steps of elements in a tick, in the mean, or their costs.
static double sum_steps(const int64_t count[SEDGE_LEVELS_MAX])
{
    double sum = 0.0;

    for (int l = 0; l < SEDGE_LEVELS_MAX; l++) sum += ldexp((double)count[l], -l);
    return sum;
}

// Of a tick.
static double find_cost(level_counts count, const sedge_levels_options *options)
{
    return options->tick_cost + sum_steps(count[COSTS]) / PARTS;
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
        SEDGE_TRY(find_levels(count, job, lambda_of(i)));
        for (int levels = job->most; levels >= 1; levels--) {
            cap(count[COSTS], levels);
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
        }
    }
    return SEDGE_OK;
}

static sedge_status prepare(level_job *job, const sedge_problem *problem, sedge_levels_cost cost)
{
    SEDGE_TRY(sedge_allocate(&job->octaves, job->mesh->elements, sizeof *job->octaves));
    SEDGE_TRY(sedge_allocate(&job->level, job->mesh->elements, sizeof *job->level));
    SEDGE_TRY(sedge_allocate(&job->mine, job->mesh->halo_faces, sizeof *job->mine));
    SEDGE_TRY(sedge_allocate(&job->cost, job->mesh->elements, sizeof *job->cost));
    for (int32_t e = 0; e < job->mesh->elements; e++)
        job->cost[e] = find_cost_of(problem, job->mesh, e, cost);
    return list_pairs(job, problem);
}

sedge_status sedge_levels_choose(sedge_levels *out, const sedge_comm *comm,
                                 const sedge_problem *problem, const sedge_mesh *mesh,
                                 const sedge_levels_options *options)
{
    level_job job = {.comm = comm, .mesh = mesh, .most = options->most};
    level_counts count;
    double least[SEDGE_LEVELS_MAX];
    double lambda[SEDGE_LEVELS_MAX];
    double step; // the least one of the mesh, with cfl 1
    sedge_status status;

    memset(out, 0, sizeof *out);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, prepare(&job, problem, options->cost)));
    find_octaves(&job, &step, problem, options->threads);
    job.most = find_most(&job, options->most);
    SEDGE_TRY_GOTO(status, find_costs(least, lambda, &job, options));
    double best = HUGE_VAL;
    for (int levels = 1; levels <= job.most; levels++) best = fmin(best, least[levels - 1]);
    while (least[out->levels] > best * (1.0 + SEDGE_LEVELS_WORTH)) out->levels++;
    out->levels++;
    job.most = out->levels;
    SEDGE_TRY_GOTO(status, find_levels(count, &job, lambda[out->levels - 1]));
    memcpy(out->count, count[ELEMENTS], sizeof out->count);
    out->dt = options->cfl * lambda[out->levels - 1] * step;
    out->gain = lambda[out->levels - 1] * (double)mesh->global_elements / sum_steps(out->count);
    out->cost = find_cost(count, options) / out->dt;
    out->level = job.level;
    job.level = NULL; // now the caller's
done:
    sedge_release(job.octaves);
    sedge_release(job.level);
    sedge_release(job.mine);
    sedge_release(job.cost);
    sedge_release(job.pair);
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
