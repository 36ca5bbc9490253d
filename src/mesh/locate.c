#include "global.h"
#include "mesh.h"

#include "base/memory.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// A point outside by this fraction of an element still counts as inside, so that rounding leaves no
// gap between elements.
static const double tolerance = 1e-9;

// FEW points: to look at every element takes no longer than to make a locator.
enum { LEAF_ELEMENTS = 8, DEEPEST = 64, FEW = 4 };

typedef struct span {
    double low[3], high[3];
} span;

// Along a Hilbert curve a run of elements is compact. A complete binary tree of boxes over runs of
// LEAF_ELEMENTS; node n has the children 2n and 2n + 1, the root is 1.
struct sedge_locator {
    const sedge_mesh *mesh;
    int32_t *order; // [elements] along the curve
    int64_t leaves; // a power of two
    span *boxes;    // [2 leaves]; those of unused nodes are empty
};

// The element that holds the point best so far.
typedef struct best {
    int32_t element;
    double least;
    double rst[3];
} best;

static void try_element(best *found, const sedge_mesh *mesh, int32_t e, const double point[3])
{
    double rst[3];
    const double least = sedge_mesh_coordinates(mesh, e, point, rst);

    // The least global number wins where two hold the point equally well.
    if (!(least >= -tolerance) || least < found->least) return;
    if (least == found->least && found->element >= 0 &&
        mesh->global_ids[found->element] < mesh->global_ids[e])
        return;
    found->element = e;
    found->least = least;
    memcpy(found->rst, rst, sizeof rst);
}

static int32_t report(const best *found, double rst[3])
{
    if (found->element >= 0) memcpy(rst, found->rst, sizeof found->rst);
    return found->element;
}

static void clear(span *box)
{
    for (int d = 0; d < 3; d++) {
        box->low[d] = DBL_MAX;
        box->high[d] = -DBL_MAX;
    }
}

static void join(span *box, const double low[3], const double high[3])
{
    for (int d = 0; d < 3; d++) {
        if (low[d] < box->low[d]) box->low[d] = low[d];
        if (high[d] > box->high[d]) box->high[d] = high[d];
    }
}

// The box of an element and of the points that the tolerance lets in.
static span find_box(const sedge_mesh *mesh, int32_t e)
{
    span own;

    sedge_mesh_box(mesh, e, own.low, own.high);
    for (int d = 0; d < 3; d++) {
        const double margin = 4.0 * tolerance * (own.high[d] - own.low[d]) +
                              8.0 * DBL_EPSILON * fmax(fabs(own.low[d]), fabs(own.high[d]));
        own.low[d] -= margin;
        own.high[d] += margin;
    }
    return own;
}

static bool holds(const span *box, const double point[3])
{
    for (int d = 0; d < 3; d++)
        if (point[d] < box->low[d] || point[d] > box->high[d]) return false;
    return true;
}

static best look_at_all(const sedge_mesh *mesh, const double point[3])
{
    best found = {.element = -1, .least = -DBL_MAX};

    for (int32_t e = 0; e < mesh->elements; e++) {
        const span box = find_box(mesh, e);
        if (holds(&box, point)) try_element(&found, mesh, e, point);
    }
    return found;
}

int32_t sedge_mesh_locate(const sedge_mesh *mesh, const double point[3], double rst[3])
{
    const best found = look_at_all(mesh, point);

    return report(&found, rst);
}

static sedge_status find_order(int32_t *order, const sedge_mesh *mesh)
{
    double bounds[2][3];
    sedge_hilbert_place *list;

    memcpy(bounds, mesh->bounds, sizeof bounds);
    SEDGE_TRY(sedge_allocate(&list, mesh->elements, sizeof *list));
    for (int32_t e = 0; e < mesh->elements; e++) {
        double x[3] = {0.0, 0.0, 0.0};
        for (int v = 0; v < 4; v++)
            for (int d = 0; d < 3; d++) x[d] += 0.25 * mesh->corners[e][v][d];
        list[e] = (sedge_hilbert_place){sedge_hilbert_key(x, bounds), e};
    }
    const sedge_status status = sedge_hilbert_sort(list, mesh->elements);
    for (int32_t i = 0; i < mesh->elements; i++) order[i] = list[i].element;
    sedge_release(list);
    return status;
}

sedge_status sedge_locator_create(sedge_locator **out, const sedge_mesh *mesh)
{
    sedge_locator *locator = NULL;
    sedge_status status;

    *out = NULL;
    SEDGE_TRY_GOTO(status, sedge_allocate(&locator, 1, sizeof *locator));
    locator->mesh = mesh;
    locator->leaves = 1;
    while (locator->leaves * LEAF_ELEMENTS < mesh->elements) locator->leaves *= 2;
    SEDGE_TRY_GOTO(status,
                   sedge_allocate(&locator->boxes, 2 * locator->leaves, sizeof *locator->boxes));
    SEDGE_TRY_GOTO(status, sedge_allocate(&locator->order, mesh->elements, sizeof *locator->order));
    SEDGE_TRY_GOTO(status, find_order(locator->order, mesh));
    for (int64_t n = 0; n < 2 * locator->leaves; n++) clear(&locator->boxes[n]);
    for (int32_t i = 0; i < mesh->elements; i++) {
        const span own = find_box(mesh, locator->order[i]);
        join(&locator->boxes[locator->leaves + i / LEAF_ELEMENTS], own.low, own.high);
    }
    for (int64_t n = locator->leaves - 1; n > 0; n--) {
        for (int64_t child = 2 * n; child <= 2 * n + 1; child++)
            join(&locator->boxes[n], locator->boxes[child].low, locator->boxes[child].high);
    }
    *out = locator;
    locator = NULL; // now the caller's
done:
    sedge_locator_free(locator);
    return status;
}

void sedge_locator_free(sedge_locator *locator)
{
    if (locator == NULL) return;
    sedge_release(locator->boxes);
    sedge_release(locator->order);
    sedge_release(locator);
}

static best search(const sedge_locator *locator, const double point[3])
{
    const sedge_mesh *const mesh = locator->mesh;
    best found = {.element = -1, .least = -DBL_MAX};
    int64_t stack[DEEPEST];
    int height = 0;

    stack[height++] = 1;
    while (height > 0) {
        const int64_t n = stack[--height];
        if (!holds(&locator->boxes[n], point)) continue;
        if (n < locator->leaves) {
            stack[height++] = 2 * n;
            stack[height++] = 2 * n + 1;
            continue;
        }
        const int32_t first = (int32_t)(n - locator->leaves) * LEAF_ELEMENTS;
        for (int32_t i = first; i < mesh->elements && i < first + LEAF_ELEMENTS; i++)
            try_element(&found, mesh, locator->order[i], point);
    }
    return found;
}

int32_t sedge_locator_find(const sedge_locator *locator, const double point[3], double rst[3])
{
    const best found = search(locator, point);

    return report(&found, rst);
}

// ---- one rank a point --------------------------------------------------------------------------

// What this rank has found becomes the owner of each point. `deepest` and `number` [count] are to
// work with. Collective.
static void settle(int *owners, const best *found, int count, const sedge_comm *comm,
                   const sedge_mesh *mesh, double *deepest, int64_t *number)
{
    for (int i = 0; i < count; i++) deepest[i] = found[i].least;
    sedge_comm_max(comm, deepest, count);
    for (int i = 0; i < count; i++) {
        const bool is_deepest = found[i].element >= 0 && found[i].least == deepest[i];
        number[i] = is_deepest ? -mesh->global_ids[found[i].element] : INT64_MIN;
        owners[i] = is_deepest ? sedge_comm_rank(comm) : -1;
    }
    sedge_comm_max_int(comm, number, count);
    for (int i = 0; i < count; i++) {
        const bool is_mine = owners[i] >= 0 && number[i] == -mesh->global_ids[found[i].element];
        number[i] = is_mine ? owners[i] : -1;
    }
    sedge_comm_max_int(comm, number, count);
    for (int i = 0; i < count; i++) owners[i] = (int)number[i];
}

sedge_status sedge_mesh_claim(int *owners, int32_t *elements, double (*rst)[3],
                              const sedge_comm *comm, const sedge_mesh *mesh,
                              const double (*points)[3], int count)
{
    sedge_status status;
    sedge_locator *locator = NULL;
    best *found = NULL;
    double *deepest = NULL;
    int64_t *number = NULL;

    if (count == 0) return SEDGE_OK;
    status = sedge_allocate(&found, count, sizeof *found);
    if (status == SEDGE_OK) status = sedge_allocate(&deepest, count, sizeof *deepest);
    if (status == SEDGE_OK) status = sedge_allocate(&number, count, sizeof *number);
    if (status == SEDGE_OK && count > FEW) status = sedge_locator_create(&locator, mesh);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    for (int i = 0; i < count; i++)
        found[i] = locator != NULL ? search(locator, points[i]) : look_at_all(mesh, points[i]);
    settle(owners, found, count, comm, mesh, deepest, number);
    for (int i = 0; i < count; i++)
        elements[i] = owners[i] == sedge_comm_rank(comm) ? report(&found[i], rst[i]) : -1;
done:
    sedge_locator_free(locator);
    sedge_release(found);
    sedge_release(deepest);
    sedge_release(number);
    return status;
}
