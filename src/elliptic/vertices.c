#include "vertices.h"

#include "base/memory.h"
#include "joined.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct sedge_vertices {
    const sedge_comm *comm;
    const sedge_mesh *mesh;
    int64_t *firsts; // [ranks + 1]
    int32_t owned, count;
    int64_t *number; // [count]
    int32_t *corner; // [elements][4]

    // Ghosts are other ranks' vertices in the list here, shares own ones in lists of other ranks;
    // both are in the order of those ranks.
    int64_t shares;
    int64_t *share; // [shares] the number of each
    double *ghost_values, *share_values;
    sedge_exchange *to_owners, *from_owners; // NULL: there is one rank
};

// ---- numbers -----------------------------------------------------------------------------------

// The number of a corner in the whole mesh; a double holds it exactly.
static double corner_label(const sedge_mesh *mesh, int64_t corner)
{
    const int64_t element = corner / 4;

    return (double)(4 * mesh->global_ids[element] + corner % 4);
}

typedef struct keyed_corner {
    double key; // of its vertex
    int32_t corner;
} keyed_corner;

static int compare_corners(const void *left, const void *right)
{
    const keyed_corner *const a = left, *const b = right;

    if (a->key != b->key) return a->key < b->key ? -1 : 1;
    return (a->corner > b->corner) - (a->corner < b->corner);
}

// Sort corners by the keys of their sets, value[root]. `list` [corners] is the result.
static void sort_corners(keyed_corner *list, const double *value, const int32_t *root,
                         int32_t corners)
{
    for (int32_t i = 0; i < corners; i++) list[i] = (keyed_corner){value[root[i]], i};
    qsort(list, (size_t)corners, sizeof *list, compare_corners);
}

// Append vertices to the list, in the order of `sorted`, where all corners of a vertex lie
// together: the own ones, of which some corner here has the label that is the key; or those that
// are not in the list yet.
static void append_vertices(sedge_vertices *vertices, const keyed_corner *sorted, bool own)
{
    const int32_t corners = 4 * vertices->mesh->elements;
    int32_t end = 0;

    for (int32_t first = 0; first < corners; first = end) {
        bool chosen = !own && vertices->corner[sorted[first].corner] < 0;
        for (end = first; end < corners && sorted[end].key == sorted[first].key; end++)
            chosen |= own && sorted[end].key == corner_label(vertices->mesh, sorted[end].corner);
        for (int32_t i = first; i < end && chosen; i++)
            vertices->corner[sorted[i].corner] = vertices->count;
        vertices->count += chosen;
    }
}

// A vertex is called after its least corner in the whole mesh and belongs to that corner's rank.
// root, value and sorted [corners] are work. Collective.
static sedge_status number_vertices(sedge_vertices *vertices, int32_t *root, double *value,
                                    keyed_corner *sorted)
{
    const sedge_mesh *const mesh = vertices->mesh;
    const sedge_comm *const comm = vertices->comm;
    const int32_t corners = 4 * mesh->elements;
    const int ranks = sedge_comm_size(comm);

    elliptic_find_roots(root, mesh, ELLIPTIC_CORNERS);
    for (int32_t i = 0; i < corners; i++) value[i] = -HUGE_VAL;
    for (int32_t i = 0; i < corners; i++)
        value[root[i]] = fmax(value[root[i]], -corner_label(mesh, i));
    SEDGE_TRY(elliptic_spread_largest(value, root, comm, mesh, ELLIPTIC_CORNERS));
    for (int32_t i = 0; i < corners; i++) {
        value[i] = -value[i];
        vertices->corner[i] = -1;
    }
    sort_corners(sorted, value, root, corners);
    append_vertices(vertices, sorted, true);
    vertices->owned = vertices->count;
    const int64_t owned = vertices->owned;
    sedge_comm_all_gather(comm, &owned, vertices->firsts + 1, sizeof owned);
    for (int r = 0; r < ranks; r++) vertices->firsts[r + 1] += vertices->firsts[r];

    const int64_t first = vertices->firsts[sedge_comm_rank(comm)];
    for (int32_t i = 0; i < corners; i++) value[i] = -1.0;
    for (int32_t i = 0; i < corners; i++)
        if (vertices->corner[i] >= 0) value[root[i]] = (double)(first + vertices->corner[i]);
    SEDGE_TRY(elliptic_spread_largest(value, root, comm, mesh, ELLIPTIC_CORNERS));
    sort_corners(sorted, value, root, corners);
    append_vertices(vertices, sorted, false);
    SEDGE_TRY(sedge_comm_agree(
        comm, sedge_allocate(&vertices->number, vertices->count, sizeof *vertices->number)));
    for (int32_t i = 0; i < corners; i++)
        vertices->number[vertices->corner[i]] = (int64_t)value[root[i]];
    return SEDGE_OK;
}

// ---- exchange of values ------------------------------------------------------------------------

static sedge_status make_buffers(sedge_vertices *vertices, const int64_t *ghosts,
                                 const int64_t *shares)
{
    const int ranks = sedge_comm_size(vertices->comm);
    const int64_t ghost_count = vertices->count - vertices->owned;
    sedge_status status;
    int *rank = NULL;
    int64_t *from = NULL; // in bytes
    int64_t *to = NULL;

    SEDGE_TRY_GOTO(status, sedge_allocate(&vertices->ghost_values, ghost_count, sizeof(double)));
    SEDGE_TRY_GOTO(status,
                   sedge_allocate(&vertices->share_values, vertices->shares, sizeof(double)));
    SEDGE_TRY_GOTO(status, sedge_allocate(&rank, ranks, sizeof *rank));
    SEDGE_TRY_GOTO(status, sedge_allocate(&from, ranks + 1, sizeof *from));
    SEDGE_TRY_GOTO(status, sedge_allocate(&to, ranks + 1, sizeof *to));
    for (int r = 0; r < ranks; r++) {
        rank[r] = r;
        from[r + 1] = from[r] + ghosts[r] * (int64_t)sizeof(double);
        to[r + 1] = to[r] + shares[r] * (int64_t)sizeof(double);
    }
    if (ranks == 1) goto done;
    SEDGE_TRY_GOTO(status,
                   sedge_exchange_create(&vertices->to_owners, vertices->comm, ranks, rank, from,
                                         to, NULL, vertices->ghost_values, vertices->share_values));
    SEDGE_TRY_GOTO(status, sedge_exchange_create(&vertices->from_owners, vertices->comm, ranks,
                                                 rank, to, from, NULL, vertices->share_values,
                                                 vertices->ghost_values));
done:
    sedge_release(rank);
    sedge_release(from);
    sedge_release(to);
    return status;
}

// Tell the owners of ghosts that they are here, and learn the shares. Collective.
static sedge_status make_exchange(sedge_vertices *vertices)
{
    const int ranks = sedge_comm_size(vertices->comm);
    sedge_status status;
    int64_t *counts = NULL; // [2][ranks] of ghosts, of shares
    int owner = 0;

    SEDGE_TRY_GOTO(status,
                   sedge_comm_agree(vertices->comm,
                                    sedge_allocate(&counts, 2 * (int64_t)ranks, sizeof *counts)));
    for (int32_t i = vertices->owned; i < vertices->count; i++) {
        while (vertices->number[i] >= vertices->firsts[owner + 1]) owner++;
        counts[owner]++;
    }
    SEDGE_TRY_GOTO(status, sedge_comm_all_to_all(vertices->comm, vertices->number + vertices->owned,
                                                 counts, sizeof *vertices->number, &vertices->share,
                                                 counts + ranks));
    for (int r = 0; r < ranks; r++) vertices->shares += counts[ranks + r];
    status = sedge_comm_agree(vertices->comm, make_buffers(vertices, counts, counts + ranks));
done:
    sedge_release(counts);
    return status;
}

static void exchange(sedge_exchange *exchange)
{
    if (exchange == NULL) return;
    sedge_exchange_post_receives(exchange);
    sedge_exchange_start_sends(exchange);
    sedge_exchange_wait(exchange);
}

// The value of share k.
static double *get_share(const sedge_vertices *vertices, double *values, int64_t k)
{
    return &values[vertices->share[k] - vertices->firsts[sedge_comm_rank(vertices->comm)]];
}

void sedge_vertices_sum(sedge_vertices *vertices, double *values)
{
    const size_t ghosts = (size_t)(vertices->count - vertices->owned);

    memcpy(vertices->ghost_values, values + vertices->owned, ghosts * sizeof *values);
    exchange(vertices->to_owners);
    for (int64_t k = 0; k < vertices->shares; k++)
        *get_share(vertices, values, k) += vertices->share_values[k];
}

void sedge_vertices_spread(sedge_vertices *vertices, double *values)
{
    const size_t ghosts = (size_t)(vertices->count - vertices->owned);

    for (int64_t k = 0; k < vertices->shares; k++)
        vertices->share_values[k] = *get_share(vertices, values, k);
    exchange(vertices->from_owners);
    memcpy(values + vertices->owned, vertices->ghost_values, ghosts * sizeof *values);
}

// ---- creation ----------------------------------------------------------------------------------

static sedge_status build(sedge_vertices *vertices)
{
    const int64_t corners = 4 * (int64_t)vertices->mesh->elements;
    sedge_status status;
    int32_t *root = NULL;
    double *value = NULL;
    keyed_corner *sorted = NULL;

    status = sedge_allocate(&root, corners, sizeof *root);
    if (status == SEDGE_OK) status = sedge_allocate(&value, corners, sizeof *value);
    if (status == SEDGE_OK) status = sedge_allocate(&sorted, corners, sizeof *sorted);
    if (status == SEDGE_OK)
        status = sedge_allocate(&vertices->corner, corners, sizeof *vertices->corner);
    if (status == SEDGE_OK) {
        status = sedge_allocate(&vertices->firsts, sedge_comm_size(vertices->comm) + 1LL,
                                sizeof *vertices->firsts);
    }
    SEDGE_TRY_GOTO(status, sedge_comm_agree(vertices->comm, status));
    SEDGE_TRY_GOTO(status, number_vertices(vertices, root, value, sorted));
    status = make_exchange(vertices);
done:
    sedge_release(root);
    sedge_release(value);
    sedge_release(sorted);
    return status;
}

sedge_status sedge_vertices_create(sedge_vertices **out, const sedge_comm *comm,
                                   const sedge_mesh *mesh)
{
    sedge_status status;
    sedge_vertices *vertices = NULL;

    *out = NULL;
    SEDGE_TRY(sedge_comm_agree(comm, sedge_allocate(&vertices, 1, sizeof *vertices)));
    vertices->comm = comm;
    vertices->mesh = mesh;
    SEDGE_TRY_GOTO(status, build(vertices));
    *out = vertices;
    vertices = NULL;
done:
    sedge_vertices_free(vertices);
    return status;
}

void sedge_vertices_free(sedge_vertices *vertices)
{
    if (vertices == NULL) return;
    sedge_exchange_free(vertices->to_owners);
    sedge_exchange_free(vertices->from_owners);
    sedge_release(vertices->share);
    sedge_release(vertices->ghost_values);
    sedge_release(vertices->share_values);
    sedge_release(vertices->firsts);
    sedge_release(vertices->number);
    sedge_release(vertices->corner);
    sedge_release(vertices);
}

sedge_vertices_view sedge_vertices_get(const sedge_vertices *vertices)
{
    return (sedge_vertices_view){.size = vertices->firsts[sedge_comm_size(vertices->comm)],
                                 .firsts = vertices->firsts,
                                 .owned = vertices->owned,
                                 .count = vertices->count,
                                 .number = vertices->number,
                                 .corner = vertices->corner};
}
