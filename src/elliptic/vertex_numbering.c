#include "vertex_numbering.h"

#include "base/memory.h"
#include "elliptic_form.h"
#include "elliptic_sets.h"

#include <stdlib.h>
#include <string.h>

// ---- which corners are one vertex --------------------------------------------------------------

// The number of a corner in the whole mesh; a double holds it exactly.
static double corner_label(const sedge_mesh *mesh, int64_t corner)
{
    const int64_t element = corner / 4;

    return (double)(4 * mesh->global_ids[element] + corner % 4);
}

// Corner of face f's vertex i, and the neighbour's corner there.
static int32_t corner_of(int32_t e, int f, int i)
{
    return e * 4 + sedge_face_vertices[f][i];
}

static int32_t corner_behind(const sedge_face *face, int i)
{
    return corner_of(face->neighbour, face->face, sedge_face_permutations[face->orientation][i]);
}

// parent[corner]: afterwards the least corner of those joined by faces inside this rank.
static void join_corners(int32_t *parent, const sedge_mesh *mesh)
{
    for (int32_t i = 0; i < 4 * mesh->elements; i++) parent[i] = i;
    for (int32_t e = 0; e < mesh->elements; e++) {
        for (int f = 0; f < SEDGE_FACES; f++) {
            const sedge_face *const face = &mesh->faces[e][f];
            for (int i = 0; i < 3 && face->neighbour >= 0; i++) {
                const int32_t a = elliptic_root(parent, corner_of(e, f, i));
                const int32_t b = elliptic_root(parent, corner_behind(face, i));
                if (a < b) parent[b] = a;
                if (b < a) parent[a] = b;
            }
        }
    }
    for (int32_t i = 0; i < 4 * mesh->elements; i++) parent[i] = elliptic_root(parent, i);
}

// Let each vertex at a halo face take what the other side has for it, where that is less (`least`)
// or greater, until nothing changes on any rank. `value` [corners] counts at roots. Collective.
static sedge_status propagate(double *value, const int32_t *root, const sedge_comm *comm,
                              const sedge_mesh *mesh, bool least)
{
    sedge_status status;
    double *send = NULL;
    double *behind = NULL;
    int64_t changed = 1;

    status = sedge_allocate(&send, 3 * (int64_t)mesh->halo_faces, sizeof *send);
    if (status == SEDGE_OK)
        status = sedge_allocate(&behind, 3 * (int64_t)mesh->halo_faces, sizeof *behind);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    while (changed != 0) {
        changed = 0;
        for (int32_t k = 0; k < 3 * mesh->halo_faces; k++) {
            const sedge_trace_face *const face = &mesh->trace_faces[k / 3];
            send[k] = value[root[corner_of(face->element, face->face, k % 3)]];
        }
        SEDGE_TRY_GOTO(status, elliptic_exchange(behind, comm, mesh, send, 3));
        for (int32_t k = 0; k < 3 * mesh->halo_faces; k++) {
            const sedge_trace_face *const trace = &mesh->trace_faces[k / 3];
            const sedge_face *const face = &mesh->faces[trace->element][trace->face];
            const double other =
                behind[k / 3 * 3 + sedge_face_permutations[face->orientation][k % 3]];
            double *const mine = &value[root[corner_of(trace->element, trace->face, k % 3)]];
            if (least ? other < *mine : other > *mine) {
                *mine = other;
                changed = 1;
            }
        }
        sedge_comm_max_int(comm, &changed, 1);
    }
done:
    sedge_release(send);
    sedge_release(behind);
    return status;
}

// ---- numbers -----------------------------------------------------------------------------------

// A corner in the order of its vertex: own vertices by label, then others' by number.
typedef struct ranked {
    double key;
    int32_t corner;
} ranked;

static int compare_ranked(const void *left, const void *right)
{
    const ranked *const a = left, *const b = right;

    if (a->key != b->key) return a->key < b->key ? -1 : 1;
    return (a->corner > b->corner) - (a->corner < b->corner);
}

// Number what sorts by `key` among corners where `mine` is `requested`: fills `corner` from
// `vertices->count` on, which grows.
static sedge_status place_corners(sedge_vertices *vertices, const double *key, const bool *mine,
                                  bool requested)
{
    const int64_t corners = 4 * (int64_t)vertices->mesh->elements;
    ranked *list = NULL;
    int64_t count = 0;

    SEDGE_TRY(sedge_allocate(&list, corners, sizeof *list));
    for (int32_t i = 0; i < corners; i++)
        if (mine[i] == requested) list[count++] = (ranked){key[i], i};
    qsort(list, (size_t)count, sizeof *list, compare_ranked);
    for (int64_t k = 0; k < count; k++) {
        if (k == 0 || list[k].key != list[k - 1].key) vertices->count++;
        vertices->corner[list[k].corner] = vertices->count - 1;
    }
    sedge_release(list);
    return SEDGE_OK;
}

static int compare_doubles(const void *left, const void *right)
{
    const double *const a = left, *const b = right;

    return (*a > *b) - (*a < *b);
}

// Which corners' vertices belong here: some corner here has the label itself.
static sedge_status mark_own(bool *mine, const double *label, const sedge_mesh *mesh)
{
    const int64_t corners = 4 * (int64_t)mesh->elements;
    double *own = NULL;
    int64_t count = 0;

    SEDGE_TRY(sedge_allocate(&own, corners, sizeof *own));
    for (int64_t i = 0; i < corners; i++) {
        if (label[i] == corner_label(mesh, i)) own[count++] = label[i];
    }
    qsort(own, (size_t)count, sizeof *own, compare_doubles);
    for (int64_t i = 0; i < corners; i++) {
        mine[i] = count > 0 &&
                  bsearch(&label[i], own, (size_t)count, sizeof *own, compare_doubles) != NULL;
    }
    sedge_release(own);
    return SEDGE_OK;
}

// Labels and roots [corners]; key, mine [corners] are work. Collective.
static sedge_status number_vertices(sedge_vertices *vertices, int32_t *root, double *label,
                                    double *key, bool *mine)
{
    const sedge_mesh *const mesh = vertices->mesh;
    const sedge_comm *const comm = vertices->comm;
    const int64_t corners = 4 * (int64_t)mesh->elements;

    // A vertex is called after its least corner in the whole mesh, and belongs to that one's rank.
    join_corners(root, mesh);
    for (int64_t i = 0; i < corners; i++) label[i] = 1e300;
    for (int64_t i = 0; i < corners; i++) {
        const double own = corner_label(mesh, i);
        if (own < label[root[i]]) label[root[i]] = own;
    }
    SEDGE_TRY(propagate(label, root, comm, mesh, true));
    for (int64_t i = 0; i < corners; i++) { // joined beyond this rank: the same label
        key[i] = label[root[i]];
    }
    sedge_status status = mark_own(mine, key, mesh);
    if (status == SEDGE_OK) status = place_corners(vertices, key, mine, true);
    SEDGE_TRY(sedge_comm_agree(comm, status));
    vertices->owned = vertices->count;
    vertices->first = sedge_comm_scan(comm, vertices->owned);
    vertices->size = vertices->owned;
    sedge_comm_sum_int(comm, &vertices->size, 1);

    for (int64_t i = 0; i < corners; i++) label[i] = -1.0;
    for (int64_t i = 0; i < corners; i++)
        if (mine[i]) label[root[i]] = (double)(vertices->first + vertices->corner[i]);
    SEDGE_TRY(propagate(label, root, comm, mesh, false));
    for (int64_t i = 0; i < corners; i++) key[i] = label[root[i]];
    status = place_corners(vertices, key, mine, false);
    if (status == SEDGE_OK)
        status = sedge_allocate(&vertices->number, vertices->count, sizeof(int64_t));
    for (int64_t i = 0; i < corners && status == SEDGE_OK; i++)
        vertices->number[vertices->corner[i]] = (int64_t)key[i];
    return sedge_comm_agree(comm, status);
}

// ---- exchange of values ------------------------------------------------------------------------

// requested[i * ranks + j]: how many vertices of rank j rank i has.
static sedge_status count_requested(int64_t *requested, const sedge_vertices *vertices)
{
    const int ranks = sedge_comm_size(vertices->comm);
    sedge_status status;
    int64_t *firsts = NULL;
    int64_t *mine = NULL;
    int owner = 0;

    status = sedge_allocate(&firsts, ranks, sizeof *firsts);
    if (status == SEDGE_OK) status = sedge_allocate(&mine, ranks, sizeof *mine);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(vertices->comm, status));
    sedge_comm_all_gather(vertices->comm, &vertices->first, firsts, sizeof *firsts);
    for (int32_t i = vertices->owned; i < vertices->count; i++) { // by number, so by owner
        if (vertices->number[i] < firsts[owner]) owner = 0;
        while (owner + 1 < ranks && vertices->number[i] >= firsts[owner + 1]) owner++;
        mine[owner]++;
    }
    sedge_comm_all_gather(vertices->comm, mine, requested, (size_t)ranks * sizeof *mine);
done:
    sedge_release(firsts);
    sedge_release(mine);
    return status;
}

// A peer's window in both buffers holds first what the lesser rank wants of the greater one, then
// the reverse.
static sedge_status make_windows(sedge_vertices *vertices, const int64_t *requested)
{
    const int ranks = sedge_comm_size(vertices->comm);
    const int me = sedge_comm_rank(vertices->comm);
    int32_t ghost = vertices->owned;
    int64_t total = 0;

    SEDGE_TRY(sedge_allocate(&vertices->window, ranks, sizeof *vertices->window));
    for (int p = 0; p < ranks; p++) {
        const int64_t here = requested[(int64_t)me * ranks + p];
        const int64_t there = requested[(int64_t)p * ranks + me];
        if (here + there == 0) continue;
        vertices->window[vertices->peers++] =
            (elliptic_window){.rank = p,
                              .ghost = ghost,
                              .ghosts = (int32_t)here,
                              .shares = (int32_t)there,
                              .ghost_place = total + (me < p ? 0 : there),
                              .share_place = total + (me < p ? here : 0)};
        ghost += (int32_t)here;
        total += here + there;
    }
    SEDGE_TRY(sedge_allocate(&vertices->send, total, sizeof *vertices->send));
    SEDGE_TRY(sedge_allocate(&vertices->receive, total, sizeof *vertices->receive));
    return sedge_allocate(&vertices->share, total, sizeof *vertices->share);
}

static sedge_status make_exchange(sedge_vertices *vertices)
{
    sedge_status status;
    int *ranks = NULL;
    int64_t *offsets = NULL;

    SEDGE_TRY_GOTO(status, sedge_allocate(&ranks, vertices->peers, sizeof *ranks));
    SEDGE_TRY_GOTO(status, sedge_allocate(&offsets, vertices->peers + 1, sizeof *offsets));
    for (int i = 0; i < vertices->peers; i++) {
        const elliptic_window *const w = &vertices->window[i];
        ranks[i] = w->rank;
        offsets[i + 1] = offsets[i] + (w->ghosts + w->shares) * (int64_t)sizeof(double);
    }
    if (vertices->peers > 0) {
        status = sedge_exchange_create(&vertices->exchange, vertices->comm, vertices->peers, ranks,
                                       offsets, offsets, vertices->send, vertices->receive);
    }
done:
    sedge_release(ranks);
    sedge_release(offsets);
    return status;
}

static void exchange(sedge_vertices *vertices)
{
    if (vertices->exchange == NULL) return;
    sedge_exchange_post_receives(vertices->exchange);
    sedge_exchange_start_sends(vertices->exchange);
    sedge_exchange_wait(vertices->exchange);
}

// Tell owners which of their vertices are requested.
static void learn_shares(sedge_vertices *vertices)
{
    for (int i = 0; i < vertices->peers; i++) {
        const elliptic_window *const w = &vertices->window[i];
        for (int32_t k = 0; k < w->ghosts; k++)
            vertices->send[w->ghost_place + k] = (double)vertices->number[w->ghost + k];
    }
    exchange(vertices);
    for (int i = 0; i < vertices->peers; i++) {
        const elliptic_window *const w = &vertices->window[i];
        for (int32_t k = 0; k < w->shares; k++) {
            vertices->share[w->share_place + k] =
                (int32_t)((int64_t)vertices->receive[w->share_place + k] - vertices->first);
        }
    }
}

void sedge_vertices_sum(sedge_vertices *vertices, double *values)
{
    for (int i = 0; i < vertices->peers; i++) {
        const elliptic_window *const w = &vertices->window[i];
        memcpy(vertices->send + w->ghost_place, values + w->ghost,
               (size_t)w->ghosts * sizeof *values);
    }
    exchange(vertices);
    for (int i = 0; i < vertices->peers; i++) {
        const elliptic_window *const w = &vertices->window[i];
        for (int32_t k = 0; k < w->shares; k++)
            values[vertices->share[w->share_place + k]] += vertices->receive[w->share_place + k];
    }
}

void sedge_vertices_spread(sedge_vertices *vertices, double *values)
{
    for (int i = 0; i < vertices->peers; i++) {
        const elliptic_window *const w = &vertices->window[i];
        for (int32_t k = 0; k < w->shares; k++)
            vertices->send[w->share_place + k] = values[vertices->share[w->share_place + k]];
    }
    exchange(vertices);
    for (int i = 0; i < vertices->peers; i++) {
        const elliptic_window *const w = &vertices->window[i];
        memcpy(values + w->ghost, vertices->receive + w->ghost_place,
               (size_t)w->ghosts * sizeof *values);
    }
}

// ---- creation ----------------------------------------------------------------------------------

static sedge_status build(sedge_vertices *vertices)
{
    const int64_t corners = 4 * (int64_t)vertices->mesh->elements;
    const int64_t ranks = sedge_comm_size(vertices->comm);
    sedge_status status;
    int32_t *root = NULL;
    double *label = NULL;
    double *key = NULL;
    bool *mine = NULL;
    int64_t *requested = NULL;

    status = sedge_allocate(&root, corners, sizeof *root);
    if (status == SEDGE_OK) status = sedge_allocate(&label, corners, sizeof *label);
    if (status == SEDGE_OK) status = sedge_allocate(&key, corners, sizeof *key);
    if (status == SEDGE_OK) status = sedge_allocate(&mine, corners, sizeof *mine);
    if (status == SEDGE_OK) status = sedge_allocate(&requested, ranks * ranks, sizeof *requested);
    if (status == SEDGE_OK)
        status = sedge_allocate(&vertices->corner, corners, sizeof *vertices->corner);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(vertices->comm, status));
    SEDGE_TRY_GOTO(status, number_vertices(vertices, root, label, key, mine));
    SEDGE_TRY_GOTO(status, count_requested(requested, vertices));
    status = make_windows(vertices, requested);
    if (status == SEDGE_OK) status = make_exchange(vertices);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(vertices->comm, status));
    learn_shares(vertices);
done:
    sedge_release(root);
    sedge_release(label);
    sedge_release(key);
    sedge_release(mine);
    sedge_release(requested);
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
    sedge_exchange_free(vertices->exchange);
    sedge_release(vertices->window);
    sedge_release(vertices->share);
    sedge_release(vertices->send);
    sedge_release(vertices->receive);
    sedge_release(vertices->number);
    sedge_release(vertices->corner);
    sedge_release(vertices);
}

sedge_vertices_view sedge_vertices_get(const sedge_vertices *vertices)
{
    return (sedge_vertices_view){.size = vertices->size,
                                 .first = vertices->first,
                                 .owned = vertices->owned,
                                 .count = vertices->count,
                                 .number = vertices->number,
                                 .corner = vertices->corner};
}
