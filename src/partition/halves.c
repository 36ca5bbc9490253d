#include "halves.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

// The work of each level.
typedef struct tally {
    double all[SEDGE_GRAPH_LEVELS];
    double first[SEDGE_GRAPH_LEVELS]; // on side 0
} tally;

// Vertices that may move wait in heaps by gain, one for each level and side: among those of a heap
// the balance prefers none (but for their work), so the best one is the one with most gain.
typedef struct refinement {
    const sedge_halves *halves;
    uint8_t *side; // [vertices]
    tally count;
    double cost;    // of the imbalance at present
    int32_t *gain;  // [vertices] faces less in the cut if the vertex changes sides
    int32_t *faces; // [vertices] all of the vertex: it is not at the cut if they are minus its gain
    int32_t *place; // [vertices] in its heap; -1: in none
    bool *moved;    // [vertices] in this pass
    int32_t *heap[2][SEDGE_GRAPH_LEVELS]; // [side][level][vertices of the level]
    int32_t waiting[2][SEDGE_GRAPH_LEVELS];
    int32_t *room; // [2 vertices] of all heaps
    int32_t *move; // [vertices] in the order of the moves
    int32_t moves;
} refinement;

// ---- cost --------------------------------------------------------------------------------------

static double price_imbalance(const tally *count, const sedge_halves *halves)
{
    const double f = halves->share;
    double all = 0.0;
    double first = 0.0;
    double path = 0.0;
    double mean = 0.0;
    double ticks = 1.0;

    for (int l = 0; l < halves->levels; l++) {
        all += count->all[l];
        first += count->first[l];
        if (l + 1 < halves->levels) ticks *= 0.5;
        path += ticks * fmax(first / f, (all - first) / (1.0 - f));
        mean += ticks * all;
    }
    const double whole = fmax(first / f, (all - first) / (1.0 - f)) / all - 1.0;
    return halves->price * (fmax(path / mean - 1.0 - SEDGE_HALVES_PATH, 0.0) +
                            fmax(whole - SEDGE_HALVES_WHOLE, 0.0));
}

static tally count_work(const sedge_level_graph *g, const uint8_t *side)
{
    tally out = {{0.0}, {0.0}};

    for (int32_t v = 0; v < g->vertices; v++) {
        out.all[g->level[v]] += g->work[v];
        if (side[v] == 0) out.first[g->level[v]] += g->work[v];
    }
    return out;
}

double sedge_halves_cost(const sedge_halves *halves, const uint8_t *side)
{
    const sedge_level_graph *const g = halves->graph;
    const tally count = count_work(g, side);
    double faces = 0.0; // both ways

    for (int32_t v = 0; v < g->vertices; v++) {
        for (int32_t i = g->offsets[v]; i < g->offsets[v + 1]; i++)
            if (side[g->neighbours[i]] != side[v]) faces += g->faces[i];
    }
    return 0.5 * faces + price_imbalance(&count, halves);
}

// What the imbalance costs more once v has changed sides.
static double price_move(const refinement *job, int32_t v)
{
    const sedge_level_graph *const g = job->halves->graph;
    tally count = job->count;

    count.first[g->level[v]] += job->side[v] == 0 ? -g->work[v] : g->work[v];
    return price_imbalance(&count, job->halves) - job->cost;
}

// ---- heaps -------------------------------------------------------------------------------------

static void put(refinement *job, int32_t *heap, int32_t place, int32_t v)
{
    heap[place] = v;
    job->place[v] = place;
}

// Move v, which is at `place` of a heap, to where its gain belongs.
static void sift(refinement *job, int32_t *heap, int32_t waiting, int32_t place, int32_t v)
{
    const int32_t gain = job->gain[v];

    while (place > 0 && job->gain[heap[(place - 1) / 2]] < gain) {
        put(job, heap, place, heap[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    for (;;) {
        int32_t child = 2 * place + 1;
        if (child >= waiting) break;
        if (child + 1 < waiting && job->gain[heap[child + 1]] > job->gain[heap[child]]) child++;
        if (job->gain[heap[child]] <= gain) break;
        put(job, heap, place, heap[child]);
        place = child;
    }
    put(job, heap, place, v);
}

static void insert(refinement *job, int32_t v)
{
    const int side = job->side[v];
    const int level = job->halves->graph->level[v];
    const int32_t place = job->waiting[side][level]++;

    sift(job, job->heap[side][level], place + 1, place, v);
}

static void take(refinement *job, int32_t v)
{
    const int side = job->side[v];
    const int level = job->halves->graph->level[v];
    int32_t *const heap = job->heap[side][level];
    const int32_t place = job->place[v];
    const int32_t last = --job->waiting[side][level];

    job->place[v] = -1;
    if (place != last) sift(job, heap, last, place, heap[last]);
}

// ---- passes ------------------------------------------------------------------------------------

// Change the side of v, and the gains around it.
static void change_side(refinement *job, int32_t v)
{
    const sedge_level_graph *const g = job->halves->graph;

    job->cost += price_move(job, v);
    job->count.first[g->level[v]] += job->side[v] == 0 ? -g->work[v] : g->work[v];
    job->side[v] ^= 1;
    job->gain[v] = -job->gain[v];
    for (int32_t i = g->offsets[v]; i < g->offsets[v + 1]; i++) {
        const int32_t n = g->neighbours[i];
        job->gain[n] += job->side[n] == job->side[v] ? -2 * g->faces[i] : 2 * g->faces[i];
    }
}

// The neighbours of a vertex that has moved wait with their new gains.
static void update_neighbours(refinement *job, int32_t v)
{
    const sedge_level_graph *const g = job->halves->graph;

    for (int32_t i = g->offsets[v]; i < g->offsets[v + 1]; i++) {
        const int32_t n = g->neighbours[i];
        if (job->moved[n]) continue;
        if (job->place[n] < 0) {
            insert(job, n);
            continue;
        }
        const int side = job->side[n];
        const int level = g->level[n];
        sift(job, job->heap[side][level], job->waiting[side][level], job->place[n], n);
    }
}

// The vertex whose move lowers the cost most or raises it least; -1: there is none.
static int32_t find_best(const refinement *job, double *lowers)
{
    int32_t best = -1;

    for (int l = 0; l < job->halves->levels; l++) {
        for (int s = 0; s < 2; s++) {
            if (job->waiting[s][l] == 0) continue;
            const int32_t v = job->heap[s][l][0];
            const double gain = job->gain[v] - price_move(job, v);
            if (best >= 0 && gain <= *lowers) continue;
            best = v;
            *lowers = gain;
        }
    }
    return best;
}

static void start_pass(refinement *job, bool anywhere)
{
    const int32_t vertices = job->halves->graph->vertices;

    memset(job->waiting, 0, sizeof job->waiting);
    memset(job->moved, 0, (size_t)vertices * sizeof *job->moved);
    job->moves = 0;
    for (int32_t v = 0; v < vertices; v++) {
        job->place[v] = -1;
        if (anywhere || job->gain[v] != -job->faces[v]) insert(job, v);
    }
}

// Move vertices one by one, the best one first, though it may raise the cost; then take back the
// moves behind the least cost. Returns by how much the cost is less.
static double run_pass(refinement *job, bool anywhere)
{
    const int32_t patience = 100 + job->halves->graph->vertices / 100;
    double sum = 0.0;
    double most = 0.0;
    int32_t kept = 0;

    start_pass(job, anywhere);
    while (job->moves < kept + patience) {
        double gain = 0.0;
        const int32_t v = find_best(job, &gain);
        if (v < 0) break;
        take(job, v);
        job->moved[v] = true;
        change_side(job, v);
        update_neighbours(job, v);
        job->move[job->moves++] = v;
        sum += gain;
        if (sum <= most + 1e-6) continue;
        most = sum;
        kept = job->moves;
    }
    while (job->moves > kept) change_side(job, job->move[--job->moves]);
    return most;
}

static void find_gains(refinement *job)
{
    const sedge_level_graph *const g = job->halves->graph;

    job->count = count_work(g, job->side);
    job->cost = price_imbalance(&job->count, job->halves);
    for (int32_t v = 0; v < g->vertices; v++) {
        for (int32_t i = g->offsets[v]; i < g->offsets[v + 1]; i++) {
            const bool is_cut = job->side[g->neighbours[i]] != job->side[v];
            job->gain[v] += is_cut ? g->faces[i] : -g->faces[i];
            job->faces[v] += g->faces[i];
        }
    }
}

static sedge_status prepare(refinement *job)
{
    const sedge_level_graph *const g = job->halves->graph;
    int32_t first[SEDGE_GRAPH_LEVELS + 1] = {0};

    SEDGE_TRY(sedge_allocate(&job->faces, g->vertices, sizeof *job->faces));
    SEDGE_TRY(sedge_allocate(&job->gain, g->vertices, sizeof *job->gain));
    SEDGE_TRY(sedge_allocate(&job->place, g->vertices, sizeof *job->place));
    SEDGE_TRY(sedge_allocate(&job->moved, g->vertices, sizeof *job->moved));
    SEDGE_TRY(sedge_allocate(&job->move, g->vertices, sizeof *job->move));
    SEDGE_TRY(sedge_allocate(&job->room, 2LL * g->vertices, sizeof *job->room));
    for (int32_t v = 0; v < g->vertices; v++) first[g->level[v] + 1]++;
    for (int l = 0; l < SEDGE_GRAPH_LEVELS; l++) {
        first[l + 1] += first[l];
        job->heap[0][l] = job->room + first[l];
        job->heap[1][l] = job->room + g->vertices + first[l];
    }
    find_gains(job);
    return SEDGE_OK;
}

sedge_status sedge_halves_refine(uint8_t *side, const sedge_halves *halves, bool anywhere,
                                 int passes)
{
    refinement job = {.halves = halves, .side = side};
    sedge_status status;

    SEDGE_TRY_GOTO(status, prepare(&job));
    for (int i = 0; i < passes && run_pass(&job, anywhere) > 0.0; i++) {
    }
done:
    sedge_release(job.gain);
    sedge_release(job.faces);
    sedge_release(job.place);
    sedge_release(job.moved);
    sedge_release(job.move);
    sedge_release(job.room);
    return status;
}
