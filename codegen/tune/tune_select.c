#include "tune/tune_select.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

// What a multiprocessor has, for an estimate of occupancy that only compares candidates: the same
// for compute capabilities 7.0 to 12.0, but for the threads of some.
enum {
    GPU_THREADS = 2048,
    GPU_BLOCKS = 32,
    GPU_REGISTERS = 65536,
    GPU_RESERVED = 1024, // bytes of shared memory that a block takes beside its own
    BLOCK_THREADS = 1024,
    WISE = 3, // candidates of one kind of wisdom that are tried
};

static double find_least(const sedge_tune_options *options, const sedge_tune_task *task,
                         const sedge_tune_candidate *candidate, bool with_flops)
{
    double bound = 0.0;

    if (candidate->bound > 0.0) return candidate->bound;
    if (options->copy_rate > 0.0) bound = task->bytes / options->copy_rate;
    if (with_flops && options->flops > 0.0) bound = fmax(bound, task->flops / options->flops);
    return bound;
}

double sedge_tune_bound(const sedge_tune_options *options, const sedge_tune_task *task,
                        const sedge_tune_candidate *candidate)
{
    return find_least(options, task, candidate, !candidate->fewer);
}

double sedge_tune_floor(const sedge_tune_options *options, const sedge_tune_task *task,
                        const sedge_tune_candidate *candidate)
{
    return find_least(options, task, candidate, true);
}

// ---- what cannot run ---------------------------------------------------------------------------

bool sedge_tune_is_refused(const sedge_device_info *info, const sedge_tune_candidate *candidate,
                           sedge_tune_record *record)
{
    sedge_tune_record unused;
    sedge_tune_record *const to = record != NULL ? record : &unused;

    if (candidate->refused != NULL) {
        sedge_tune_reason(to, "%s", candidate->refused);
        return true;
    }
    if (sedge_traits_of(info->kind)->in_call) return false;
    if (candidate->threads > BLOCK_THREADS) {
        sedge_tune_reason(to, "needs %d threads, a block has at most %d", candidate->threads,
                          BLOCK_THREADS);
        return true;
    }
    if (candidate->shared_bytes > info->shared_bytes_block) {
        sedge_tune_reason(to, "needs %lld bytes of shared memory, a block has at most %lld",
                          (long long)candidate->shared_bytes, (long long)info->shared_bytes_block);
        return true;
    }
    return false;
}

// Part of a multiprocessor's threads that are resident; 1 where it is not known.
static double estimate_occupancy(const sedge_device_info *info,
                                 const sedge_tune_candidate *candidate, bool with_registers)
{
    const int64_t shared = info->shared_bytes_block + GPU_RESERVED; // of a multiprocessor
    const int64_t threads = (int64_t)((candidate->threads + 31) / 32) * 32;
    int64_t blocks = GPU_BLOCKS;

    if (threads == 0) return 1.0;
    if (GPU_THREADS / threads < blocks) blocks = GPU_THREADS / threads;
    if (shared / (candidate->shared_bytes + GPU_RESERVED) < blocks)
        blocks = shared / (candidate->shared_bytes + GPU_RESERVED);
    const int64_t registers = (int64_t)((candidate->registers + 7) / 8) * 8 * threads;
    if (with_registers && registers > 0 && GPU_REGISTERS / registers < blocks)
        blocks = GPU_REGISTERS / registers;
    return (double)(blocks * threads) / GPU_THREADS;
}

// Take those out of `list` whose occupancy is below half of the best; the rule's choice stays.
static void reject_occupancy(const sedge_tune_run *run, int rule, int *list, int *count)
{
    const sedge_tune_task *const task = run->task;
    bool with_registers = true;
    double best = 0.0;
    int left = 0;

    if (sedge_traits_of(run->info->kind)->in_call) return;
    for (int i = 0; i < *count; i++)
        with_registers = with_registers && task->candidates[list[i]].registers > 0;
    for (int i = 0; i < *count; i++) {
        const sedge_tune_candidate *const one = &task->candidates[list[i]];
        best = fmax(best, estimate_occupancy(run->info, one, with_registers));
    }
    for (int i = 0; i < *count; i++) {
        const int c = list[i];
        const double mine = estimate_occupancy(run->info, &task->candidates[c], with_registers);
        if (c == rule || mine >= 0.5 * best) {
            list[left++] = c;
        } else {
            sedge_tune_reason(&run->result->records[c],
                              "estimated occupancy %.2f, the best has %.2f", mine, best);
        }
    }
    *count = left;
}

// ---- order -------------------------------------------------------------------------------------

// splitmix64
static uint64_t draw(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15u;
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

// Candidates that wait in `list`, and those already put in `order`.
typedef struct select_lists {
    const sedge_tune_candidate *candidates;
    const sedge_tune_hint *hints;
    int *list;
    int waiting;
    int *order;
    int chosen;
} select_lists;

static void choose(select_lists *lists, int at)
{
    lists->order[lists->chosen++] = lists->list[at];
    lists->waiting--;
    memmove(&lists->list[at], &lists->list[at + 1],
            (size_t)(lists->waiting - at) * sizeof *lists->list);
}

// Up to `most` that were fastest in wisdom of this distance.
static void choose_wise(select_lists *lists, sedge_tune_distance distance, int most)
{
    while (most-- > 0) {
        int best = -1;
        for (int i = 0; i < lists->waiting; i++) {
            const sedge_tune_hint *const hint = &lists->hints[lists->list[i]];
            if (hint->distance != distance) continue;
            if (best < 0 || hint->seconds < lists->hints[lists->list[best]].seconds) best = i;
        }
        if (best < 0) return;
        choose(lists, best);
    }
}

// Those with the smallest prior; without one they come last, as they are listed.
static void choose_prior(select_lists *lists, int most)
{
    while (most-- > 0 && lists->waiting > 0) {
        double least = HUGE_VAL;
        int best = 0;
        for (int i = 0; i < lists->waiting; i++) {
            const double prior = lists->candidates[lists->list[i]].prior;
            if (prior > 0.0 && prior < least) {
                least = prior;
                best = i;
            }
        }
        choose(lists, best);
    }
}

static void choose_random(select_lists *lists, int most, uint64_t seed)
{
    while (most-- > 0 && lists->waiting > 0)
        choose(lists, (int)(draw(&seed) % (uint64_t)lists->waiting));
}

// How many may be chosen beside those already in the order; the rest is told why not.
static void choose_all(const sedge_tune_run *run, select_lists *lists, int layout)
{
    const int limit = sedge_tune_rigor_of(run->options->level)->candidates;
    const bool everything = run->options->level == SEDGE_TUNE_EXHAUSTIVE;
    const char *reason = "not tried: enough others";

    if (run->advice->retime > 0 && !everything) {
        choose_wise(lists, SEDGE_TUNE_OTHER_SOURCE, WISE);
        reason = "not timed again: not of the best three";
    } else {
        const int most = limit > 0 ? limit : lists->waiting + lists->chosen;
        for (int d = SEDGE_TUNE_SAME; d < SEDGE_TUNE_UNKNOWN; d++) {
            const int room = most - lists->chosen;
            choose_wise(lists, (sedge_tune_distance)d, room < WISE ? room : WISE);
        }
        const int random = lists->chosen + lists->waiting > most ? most / 4 : 0;
        choose_prior(lists, most - random - lists->chosen);
        choose_random(lists, most - lists->chosen, run->seed + (uint64_t)layout);
    }
    for (int i = 0; i < lists->waiting; i++)
        sedge_tune_reason(&run->result->records[lists->list[i]], "%s", reason);
}

sedge_status sedge_tune_select(const sedge_tune_run *run, int layout, int *order, int *count)
{
    const sedge_tune_task *const task = run->task;
    const int rule = sedge_tune_rule(task, layout);
    int *list = NULL;
    int waiting = 0;

    SEDGE_TRY(sedge_allocate(&list, task->count, sizeof *list));
    for (int c = 0; c < task->count; c++) {
        if (task->candidates[c].layout == layout &&
            !sedge_tune_is_refused(run->info, &task->candidates[c], &run->result->records[c]))
            list[waiting++] = c;
    }
    if (run->options->level != SEDGE_TUNE_EXHAUSTIVE) reject_occupancy(run, rule, list, &waiting);
    select_lists lists = {.candidates = task->candidates,
                          .hints = run->advice->hints,
                          .list = list,
                          .waiting = waiting,
                          .order = order};
    if (waiting > 0 && list[0] == rule) choose(&lists, 0);
    choose_all(run, &lists, layout);
    *count = lists.chosen;
    sedge_release(list);
    return SEDGE_OK;
}
