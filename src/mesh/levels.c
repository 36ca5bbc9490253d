// Ranges of elements by levels of the time step: the elements of a mesh numbered anew.
#include "local.h"
#include "mesh.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

int sedge_mesh_level(const sedge_mesh *mesh, int32_t element)
{
    return sedge_mesh_range(mesh, element)->level;
}

int sedge_mesh_slot_level(const sedge_mesh *mesh, int32_t slot)
{
    const int own = sedge_mesh_level(mesh, mesh->trace_faces[slot].element);

    return own < mesh->halo_level[slot] ? own : mesh->halo_level[slot];
}

sedge_status sedge_mesh_exchange(void *theirs, const sedge_mesh *mesh, const sedge_comm *comm,
                                 const void *mine, size_t bytes)
{
    const int ranks = sedge_comm_size(comm);
    int64_t *counts = NULL; // rows for each rank, then rows from each

    memset(theirs, 0, sizeof(void *));
    sedge_status status = sedge_allocate(&counts, 2LL * ranks, sizeof *counts);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    for (int p = 0; p < mesh->peers; p++)
        counts[mesh->peer_ranks[p]] = mesh->peer_offsets[p + 1] - mesh->peer_offsets[p];
    // Peers come by their ranks, so the rows that arrive are in the order of the slots.
    status = sedge_comm_all_to_all(comm, mine, counts, bytes, theirs, counts + ranks);
done:
    sedge_release(counts);
    return status;
}

// ---- the order of the elements -----------------------------------------------------------------

enum { LAYERS = 1 + SEDGE_LAYER_KINDS }; // values of a range's `layer`

typedef struct renumbering {
    const sedge_mesh *mesh;
    const uint8_t *level;
    uint8_t *halo_level; // [halo_faces]
    int32_t *slot;       // [halo_faces] the new one
    int levels;          // over all ranks
    int classes;         // values of a range's `class`
    int32_t *key;        // [elements] properties as one number: ranges lie in their order
    int32_t *number;     // [elements] the new one
    int32_t *order;      // [elements] the present number of each new one
} renumbering;

static int count_keys(const renumbering *job)
{
    return 4 * job->levels * 4 * LAYERS * job->classes;
}

static int make_key(const sedge_range *range, int level, bool finer, const renumbering *job)
{
    const int place = (range->halo * 2 + range->curved) * job->levels + level;
    const int flags = (place * 2 + finer) * 2 + range->boundary;

    return (flags * LAYERS + range->layer) * job->classes + range->class;
}

// The properties that make_key made a key of.
static sedge_range split_key(int key, const renumbering *job)
{
    const int flags = key / job->classes / LAYERS;
    const int place = flags / 4 / job->levels;

    return (sedge_range){.halo = (place & 2) != 0,
                         .curved = (place & 1) != 0,
                         .level = flags / 4 % job->levels,
                         .finer = (flags & 2) != 0,
                         .boundary = (flags & 1) != 0,
                         .layer = key / job->classes % LAYERS,
                         .class = key % job->classes};
}

static sedge_status check_step(const sedge_mesh *mesh, int32_t e, int own, int other)
{
    if (abs(own - other) <= 1) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_INTERNAL,
                      "element %lld has level %d of the time step and its neighbour level %d: they "
                      "differ by more than one",
                      (long long)mesh->global_ids[e], own, other);
}

// The key of each element, from its present range and its neighbours' levels.
static sedge_status find_keys(renumbering *job)
{
    const sedge_mesh *const mesh = job->mesh;
    const uint8_t *const level = job->level;
    bool *finer = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&finer, mesh->elements, sizeof *finer));
    for (int32_t i = 0; i < mesh->halo_faces; i++) {
        const int32_t e = mesh->trace_faces[i].element;
        SEDGE_TRY_GOTO(status, check_step(mesh, e, level[e], job->halo_level[i]));
        finer[e] |= job->halo_level[i] < level[e];
    }
    for (int32_t e = 0; e < mesh->elements; e++) {
        for (int f = 0; f < SEDGE_FACES; f++) {
            const int32_t neighbour = mesh->faces[e][f].neighbour;
            if (neighbour < 0) continue;
            SEDGE_TRY_GOTO(status, check_step(mesh, e, level[e], level[neighbour]));
            finer[e] |= level[neighbour] < level[e];
        }
    }
    for (int r = 0; r < mesh->range_count; r++) {
        const sedge_range *const range = &mesh->ranges[r];
        for (int32_t e = range->first; e < range->first + range->count; e++)
            job->key[e] = make_key(range, level[e], finer[e], job);
    }
done:
    sedge_release(finer);
    return status;
}

// The new ranges, and with them `number` and `order`.
static sedge_status order_elements(sedge_mesh *fresh, renumbering *job)
{
    const int keys = count_keys(job);
    int32_t *next = NULL; // [keys] counts, then the number of the next element
    int32_t first = 0;
    sedge_status status;

    fresh->range_count = 0;
    SEDGE_TRY_GOTO(status, sedge_allocate(&next, keys, sizeof *next));
    SEDGE_TRY_GOTO(status, sedge_allocate(&fresh->ranges, keys, sizeof *fresh->ranges));
    for (int32_t e = 0; e < fresh->elements; e++) next[job->key[e]]++;
    for (int key = 0; key < keys; key++) {
        sedge_range *const range = &fresh->ranges[fresh->range_count];
        const int32_t count = next[key];
        next[key] = first;
        if (count == 0) continue;
        *range = split_key(key, job);
        range->first = first;
        range->count = count;
        first += count;
        fresh->range_count++;
    }
    for (int32_t e = 0; e < fresh->elements; e++) {
        job->number[e] = next[job->key[e]]++;
        job->order[job->number[e]] = e;
    }
done:
    sedge_release(next);
    return status;
}

// ---- members of the mesh -----------------------------------------------------------------------

// Set `*out` to a copy of `rows` [elements] of `bytes` bytes in the new order; NULL stays NULL.
static sedge_status permute(void *out, const void *rows, size_t bytes, const renumbering *job)
{
    const int32_t elements = job->mesh->elements;
    char *copy = NULL;

    if (rows != NULL) {
        SEDGE_TRY(sedge_allocate(&copy, elements, bytes));
        for (int32_t e = 0; e < elements; e++) {
            memcpy(copy + (size_t)e * bytes, (const char *)rows + (size_t)job->order[e] * bytes,
                   bytes);
        }
    }
    memcpy(out, &copy, sizeof(void *));
    return SEDGE_OK;
}

static sedge_status permute_middles(sedge_mesh *fresh, const renumbering *job)
{
    const sedge_mesh *const mesh = job->mesh;
    int32_t next = 0;

    SEDGE_TRY(sedge_allocate(&fresh->middles, sedge_mesh_curved(mesh), sizeof *fresh->middles));
    for (int r = 0; r < fresh->range_count; r++) {
        const sedge_range *const range = &fresh->ranges[r];
        for (int32_t e = range->first; range->curved && e < range->first + range->count; e++) {
            memcpy(fresh->middles[next++], mesh->middles[sedge_mesh_curve(mesh, job->order[e])],
                   sizeof *fresh->middles);
        }
    }
    return SEDGE_OK;
}

static int find_lower_level(const renumbering *job, int32_t slot)
{
    const int own = job->level[job->mesh->trace_faces[slot].element];
    const int behind = job->halo_level[slot];

    return own < behind ? own : behind;
}

// Halo slots of each window by the lower level of both sides, which both ranks find: so the traces
// that change in a tick of the macro step are the first of each window.
static void order_slots(const renumbering *job)
{
    const sedge_mesh *const mesh = job->mesh;
    int32_t next = 0;

    for (int p = 0; p < mesh->peers; p++) {
        for (int level = 0; level < job->levels; level++) {
            for (int32_t i = mesh->peer_offsets[p]; i < mesh->peer_offsets[p + 1]; i++)
                if (find_lower_level(job, i) == level) job->slot[i] = next++;
        }
    }
}

static sedge_status permute_halo_levels(sedge_mesh *fresh, const renumbering *job)
{
    const int32_t count = fresh->halo_faces;

    SEDGE_TRY(sedge_allocate(&fresh->halo_level, count, sizeof *fresh->halo_level));
    for (int32_t i = 0; i < count; i++) fresh->halo_level[job->slot[i]] = job->halo_level[i];
    return SEDGE_OK;
}

// Neighbours and trace slots: those of the boundary follow the elements.
static sedge_status renumber_faces(sedge_mesh *fresh, const renumbering *job)
{
    const sedge_mesh *const mesh = job->mesh;
    const int32_t slots = mesh->halo_faces + mesh->boundary_faces;
    int32_t slot = mesh->halo_faces;

    SEDGE_TRY(sedge_allocate(&fresh->trace_faces, slots, sizeof *fresh->trace_faces));
    for (int32_t i = 0; i < mesh->halo_faces; i++) {
        sedge_trace_face *const face = &fresh->trace_faces[job->slot[i]];
        *face = mesh->trace_faces[i];
        face->element = job->number[face->element];
    }
    for (int32_t e = 0; e < mesh->elements; e++) {
        for (int f = 0; f < SEDGE_FACES; f++) {
            sedge_face *const face = &fresh->faces[e][f];
            if (face->neighbour >= 0) {
                face->neighbour = job->number[face->neighbour];
            } else if (-1 - face->neighbour < mesh->halo_faces) {
                face->neighbour = -1 - job->slot[-1 - face->neighbour];
            } else {
                fresh->trace_faces[slot] = mesh->trace_faces[-1 - face->neighbour];
                fresh->trace_faces[slot].element = e;
                face->neighbour = -1 - slot++;
            }
        }
    }
    return SEDGE_OK;
}

static int compare_sides(const void *left, const void *right)
{
    const sedge_set_face *const a = left, *const b = right;

    if (a->element != b->element) return a->element < b->element ? -1 : 1;
    return a->face - b->face;
}

static sedge_status renumber_sides(sedge_mesh *fresh, const renumbering *job)
{
    const sedge_mesh *const mesh = job->mesh;
    const int32_t count = mesh->set_offsets[mesh->groups.surfaces];

    SEDGE_TRY(sedge_allocate(&fresh->set_faces, count, sizeof *fresh->set_faces));
    for (int32_t i = 0; i < count; i++) {
        sedge_set_face *const side = &fresh->set_faces[i];
        *side = mesh->set_faces[i];
        side->element = job->number[side->element];
        if (side->other >= 0) side->other = job->number[side->other];
        if (side->other_slot >= 0) side->other_slot = job->slot[side->other_slot];
        if (side->slot >= 0) side->slot = -1 - fresh->faces[side->element][side->face].neighbour;
    }
    for (int s = 0; s < mesh->groups.surfaces; s++) {
        const int32_t first = mesh->set_offsets[s];
        qsort(fresh->set_faces + first, (size_t)(mesh->set_offsets[s + 1] - first),
              sizeof *fresh->set_faces, compare_sides);
    }
    return SEDGE_OK;
}

// The members that depend on the numbering, in the new one.
static sedge_status renumber(sedge_mesh *fresh, renumbering *job)
{
    const sedge_mesh *const mesh = job->mesh;

    SEDGE_TRY(order_elements(fresh, job));
    SEDGE_TRY(permute(&fresh->corners, mesh->corners, sizeof *mesh->corners, job));
    SEDGE_TRY(permute_middles(fresh, job));
    SEDGE_TRY(permute(&fresh->planes, mesh->planes, sizeof *mesh->planes, job));
    SEDGE_TRY(permute(&fresh->global_ids, mesh->global_ids, sizeof *mesh->global_ids, job));
    SEDGE_TRY(permute(&fresh->group, mesh->group, sizeof *mesh->group, job));
    SEDGE_TRY(permute(&fresh->faces, mesh->faces, sizeof *mesh->faces, job));
    SEDGE_TRY(renumber_faces(fresh, job));
    return renumber_sides(fresh, job);
}

// ---- all of it ---------------------------------------------------------------------------------

// The levels of the elements behind halo faces.
static sedge_status exchange_levels(renumbering *job, const sedge_comm *comm)
{
    const sedge_mesh *const mesh = job->mesh;
    uint8_t *mine = NULL;

    sedge_status status = sedge_allocate(&mine, mesh->halo_faces, sizeof *mine);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    for (int32_t i = 0; i < mesh->halo_faces; i++)
        mine[i] = job->level[mesh->trace_faces[i].element];
    status = sedge_mesh_exchange(&job->halo_level, mesh, comm, mine, sizeof *mine);
done:
    sedge_release(mine);
    return status;
}

static sedge_status prepare(sedge_mesh *fresh, renumbering *job)
{
    const sedge_mesh *const mesh = job->mesh;

    SEDGE_TRY(sedge_allocate(&job->key, mesh->elements, sizeof *job->key));
    SEDGE_TRY(sedge_allocate(&job->number, mesh->elements, sizeof *job->number));
    SEDGE_TRY(sedge_allocate(&job->order, mesh->elements, sizeof *job->order));
    SEDGE_TRY(sedge_allocate(&job->slot, mesh->halo_faces, sizeof *job->slot));
    SEDGE_TRY(find_keys(job));
    order_slots(job);
    SEDGE_TRY(permute_halo_levels(fresh, job));
    return renumber(fresh, job);
}

sedge_status sedge_mesh_set_levels(sedge_mesh *mesh, const sedge_comm *comm, const uint8_t *level)
{
    renumbering job = {.mesh = mesh, .level = level, .classes = 1};
    sedge_mesh fresh = *mesh;
    int64_t highest = 0;
    sedge_status status;

    sedge_mesh_forget_numbered(&fresh);
    fresh.ranges = NULL;
    for (int32_t e = 0; e < mesh->elements; e++)
        if (level[e] > highest) highest = level[e];
    sedge_comm_max_int(comm, &highest, 1);
    fresh.levels = job.levels = 1 + (int)highest;
    for (int r = 0; r < mesh->range_count; r++)
        if (mesh->ranges[r].class >= job.classes) job.classes = mesh->ranges[r].class + 1;
    SEDGE_TRY_GOTO(status, exchange_levels(&job, comm));
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, prepare(&fresh, &job)));
    sedge_mesh_release_numbered(mesh);
    sedge_release(mesh->ranges);
    *mesh = fresh;
    sedge_mesh_forget_numbered(&fresh); // now the mesh's
    fresh.ranges = NULL;
done:
    sedge_mesh_release_numbered(&fresh);
    sedge_release(fresh.ranges);
    sedge_release(job.halo_level);
    sedge_release(job.slot);
    sedge_release(job.key);
    sedge_release(job.number);
    sedge_release(job.order);
    return status;
}
