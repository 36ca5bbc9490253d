// Each rank makes the records of its slice and sends them to the owners. Before that it asks the
// owners for positions, and the ranks of the neighbours' slices where these go.
#include "deal.h"

#include "whole.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

// Where an element goes.
typedef struct address {
    int64_t id;
    int32_t rank;     // -1: the face in question is not that of the question
    int32_t position; // among the records of the rank
    int32_t group;
} address;

// A face, as seen by the element on one side of it.
typedef struct question {
    int64_t row, from; // of the element on the other side, of the one that asks
    int32_t surface;
    uint8_t face, from_face; // of the same elements
    uint8_t orientation;     // from the face that asks to the other
    bool second;             // the side that asks is the second one
} question;

typedef struct deal {
    const mesh_slice *slice;
    const int32_t *part;
    const bool *two_sided;
    int64_t elements; // of the whole mesh
    bool is_periodic; // both sides of a periodic face are first, in surfaces of their own
    const char *path;
    const sedge_comm *comm;
    int ranks;
    int64_t *to, *from; // [ranks] rows of an exchange
    int32_t *order;     // [count] the slice's elements, by part
    int64_t *to_part;   // [ranks] how many go to each
    int32_t *position;  // [count] of the slice's elements, in `order`
    int64_t *from_part; // [ranks] how many elements of this rank come from each slice
    int32_t *arrived;   // [sum of from_part] positions of the elements that come, by sender
    int64_t incoming;   // sum of from_part
    address *where;     // [count] of the slice's elements
} deal;

// ---- numbers -----------------------------------------------------------------------------------

// Mark the numbers of this rank's share, [first, end). Each must come once.
static sedge_status mark_numbers(const deal *d, const int64_t *numbers, int64_t count)
{
    const int rank = sedge_comm_rank(d->comm);
    const int64_t first = mesh_slice_first(d->elements, rank, d->ranks);
    const int64_t end = mesh_slice_first(d->elements, rank + 1, d->ranks);
    sedge_status status = SEDGE_OK;
    char *known;

    SEDGE_TRY(sedge_allocate(&known, end - first, 1));
    for (int64_t i = 0; i < count && status == SEDGE_OK; i++) {
        if (known[numbers[i] - first]) {
            status = mesh_whole_fail(d->path, "two elements have the number %lld",
                                     (long long)numbers[i]);
        }
        known[numbers[i] - first] = 1;
    }
    sedge_release(known);
    return status;
}

// Put the slice's numbers into the order of the ranks that they go to; to [ranks] counts them.
// next [ranks] is zero.
static void sort_numbers(const deal *d, int64_t *sorted, int64_t *next)
{
    const mesh_slice *const s = d->slice;

    for (int r = 0; r < d->ranks; r++) d->to[r] = 0;
    for (int32_t i = 0; i < s->count; i++)
        d->to[mesh_slice_home(d->elements, s->number[i], d->ranks)]++;
    for (int r = 1; r < d->ranks; r++) next[r] = next[r - 1] + d->to[r - 1];
    for (int32_t i = 0; i < s->count; i++)
        sorted[next[mesh_slice_home(d->elements, s->number[i], d->ranks)]++] = s->number[i];
}

// Each number from 0 to the number of elements must be that of one element. Collective.
static sedge_status check_numbers(const deal *d)
{
    int64_t *sorted = NULL;
    int64_t *next = NULL;
    int64_t *numbers = NULL;
    int64_t count = 0;
    sedge_status status = sedge_allocate(&sorted, d->slice->count, sizeof *sorted);

    if (status == SEDGE_OK) status = sedge_allocate(&next, d->ranks, sizeof *next);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(d->comm, status));
    sort_numbers(d, sorted, next);
    SEDGE_TRY_GOTO(
        status, sedge_comm_all_to_all(d->comm, sorted, d->to, sizeof *sorted, &numbers, d->from));
    for (int r = 0; r < d->ranks; r++) count += d->from[r];
    status = sedge_comm_agree(d->comm, mark_numbers(d, numbers, count));
done:
    sedge_release(sorted);
    sedge_release(next);
    sedge_release(numbers);
    return status;
}

// ---- positions ---------------------------------------------------------------------------------

static sedge_status sort_by_part(deal *d)
{
    const int32_t count = d->slice->count;
    int64_t *next;

    SEDGE_TRY(sedge_allocate(&next, d->ranks + 1LL, sizeof *next));
    for (int32_t i = 0; i < count; i++) d->to_part[d->part[i]]++;
    for (int p = 0; p < d->ranks; p++) next[p + 1] = next[p] + d->to_part[p];
    for (int32_t i = 0; i < count; i++) d->order[next[d->part[i]]++] = i;
    sedge_release(next);
    return SEDGE_OK;
}

typedef struct numbered {
    int64_t number;
    int64_t place;
} numbered;

static int compare_numbers(const void *left, const void *right)
{
    const numbered *const a = left, *const b = right;

    return (a->number > b->number) - (a->number < b->number);
}

// The positions of the elements that come to this rank: their ranks by number.
static sedge_status rank_numbers(deal *d, const int64_t *numbers)
{
    numbered *list;

    for (int r = 0; r < d->ranks; r++) d->incoming += d->from_part[r];
    if (d->incoming > INT32_MAX) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "%lld elements are too many for one rank: use more",
                          (long long)d->incoming);
    }
    SEDGE_TRY(sedge_allocate(&d->arrived, d->incoming, sizeof *d->arrived));
    SEDGE_TRY(sedge_allocate(&list, d->incoming, sizeof *list));
    for (int64_t i = 0; i < d->incoming; i++) list[i] = (numbered){numbers[i], i};
    qsort(list, (size_t)d->incoming, sizeof *list, compare_numbers);
    for (int64_t i = 0; i < d->incoming; i++) d->arrived[list[i].place] = (int32_t)i;
    sedge_release(list);
    return SEDGE_OK;
}

// Tell the owners which elements come, and learn their positions. Collective.
static sedge_status find_positions(deal *d)
{
    const int32_t count = d->slice->count;
    int64_t *mine = NULL;
    int64_t *numbers = NULL;
    sedge_status status = sedge_allocate(&mine, count, sizeof *mine);

    if (status == SEDGE_OK) status = sort_by_part(d);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(d->comm, status));
    for (int32_t i = 0; i < count; i++) mine[i] = d->slice->number[d->order[i]];
    SEDGE_TRY_GOTO(status, sedge_comm_all_to_all(d->comm, mine, d->to_part, sizeof *mine, &numbers,
                                                 d->from_part));
    SEDGE_TRY_GOTO(status, sedge_comm_agree(d->comm, rank_numbers(d, numbers)));
    SEDGE_TRY_GOTO(status, sedge_comm_all_to_all(d->comm, d->arrived, d->from_part,
                                                 sizeof *d->arrived, &d->position, d->to));
    for (int32_t k = 0; k < count; k++) {
        const int32_t i = d->order[k];
        d->where[i] =
            (address){d->slice->number[i], d->part[i], d->position[k], d->slice->group[i]};
    }
done:
    sedge_release(mine);
    sedge_release(numbers);
    return status;
}

// ---- neighbours --------------------------------------------------------------------------------

static bool is_inverse(int a, int b)
{
    bool inverse = true;

    for (int i = 0; i < 3; i++)
        inverse &= sedge_face_permutations[b][sedge_face_permutations[a][i]] == i;
    return inverse;
}

// Do both sides of a face see the same surface: none, the same one from different sides, or two
// that are periodic?
static bool is_same_surface(const deal *d, const question *q, int32_t surface, bool second)
{
    if (surface == q->surface) return surface < 0 || second != q->second;
    return d->is_periodic && surface >= 0 && q->surface >= 0 && !second && !q->second &&
           !d->two_sided[surface] && !d->two_sided[q->surface];
}

// Where the other element goes, if both see the same face.
static address answer(const deal *d, const question *q)
{
    const mesh_slice *const s = d->slice;
    const int64_t i = q->row - s->first;
    const uint8_t *const behind = s->behind[i][q->face];
    const bool agrees = s->neighbour[i][q->face] == q->from &&
                        behind[BEHIND_FACE] == q->from_face &&
                        is_inverse(behind[BEHIND_ORIENTATION], q->orientation) &&
                        is_same_surface(d, q, s->surface[i][q->face], behind[BEHIND_SECOND] != 0);
    address out = d->where[i];

    if (!agrees) out.rank = -1;
    return out;
}

// The questions of all faces with a neighbour, in the order of the ranks that are asked, and the
// place of each face's among them.
static void list_questions(deal *d, question *list, int32_t (*place)[SEDGE_FACES], int64_t *next)
{
    const mesh_slice *const s = d->slice;

    for (int r = 0; r < d->ranks; r++) d->to[r] = 0;
    for (int32_t i = 0; i < s->count; i++) {
        for (int f = 0; f < SEDGE_FACES; f++) {
            const int64_t row = s->neighbour[i][f];
            if (row >= 0) d->to[mesh_slice_home(d->elements, row, d->ranks)]++;
        }
    }
    for (int r = 1; r < d->ranks; r++) next[r] = next[r - 1] + d->to[r - 1];
    for (int32_t i = 0; i < s->count; i++) {
        for (int f = 0; f < SEDGE_FACES; f++) {
            const int64_t row = s->neighbour[i][f];
            const uint8_t *const behind = s->behind[i][f];
            if (row < 0) continue;
            int64_t *const at = &next[mesh_slice_home(d->elements, row, d->ranks)];
            place[i][f] = (int32_t)*at;
            list[(*at)++] = (question){.row = row,
                                       .from = s->first + i,
                                       .surface = s->surface[i][f],
                                       .face = behind[BEHIND_FACE],
                                       .from_face = (uint8_t)f,
                                       .orientation = behind[BEHIND_ORIENTATION],
                                       .second = behind[BEHIND_SECOND] != 0};
        }
    }
}

static sedge_status answer_all(address **out, const deal *d, const question *asked)
{
    int64_t count = 0;

    for (int r = 0; r < d->ranks; r++) count += d->from[r];
    SEDGE_TRY(sedge_allocate(out, count, sizeof **out));
    for (int64_t i = 0; i < count; i++) (*out)[i] = answer(d, &asked[i]);
    return SEDGE_OK;
}

static sedge_status allocate_questions(question **list, int32_t (**place)[SEDGE_FACES],
                                       int64_t **next, const deal *d)
{
    const int64_t count = d->slice->count;

    if (count > INT32_MAX / SEDGE_FACES) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "%lld elements are too many for one rank: use more",
                          (long long)count);
    }
    SEDGE_TRY(sedge_allocate(list, count * SEDGE_FACES, sizeof **list));
    SEDGE_TRY(sedge_allocate(place, count, sizeof **place));
    return sedge_allocate(next, d->ranks, sizeof **next);
}

// Ask for all neighbours. `*there` gets the answers, `*place` [count] which is each face's.
// Collective.
static sedge_status find_neighbours(address **there, int32_t (**place)[SEDGE_FACES], deal *d)
{
    question *list = NULL;
    question *asked = NULL;
    address *answers = NULL;
    int64_t *next = NULL;
    sedge_status status = allocate_questions(&list, place, &next, d);

    SEDGE_TRY_GOTO(status, sedge_comm_agree(d->comm, status));
    list_questions(d, list, *place, next);
    SEDGE_TRY_GOTO(status,
                   sedge_comm_all_to_all(d->comm, list, d->to, sizeof *list, &asked, d->from));
    SEDGE_TRY_GOTO(status, sedge_comm_agree(d->comm, answer_all(&answers, d, asked)));
    status = sedge_comm_all_to_all(d->comm, answers, d->from, sizeof *answers, there, d->to);
done:
    sedge_release(list);
    sedge_release(asked);
    sedge_release(answers);
    sedge_release(next);
    return status;
}

// ---- records -----------------------------------------------------------------------------------

static sedge_status fill_face(sedge_record_face *out, const deal *d, int32_t i, int f,
                              const address *there)
{
    const mesh_slice *const s = d->slice;
    const int32_t surface = s->surface[i][f];
    const uint8_t *const behind = s->behind[i][f];

    if (s->neighbour[i][f] < 0) {
        *out = (sedge_record_face){.neighbour = -1,
                                   .rank = -1,
                                   .position = -1,
                                   .group = -1,
                                   .surface = surface,
                                   .face = (int8_t)f,
                                   .boundary = true};
        return SEDGE_OK;
    }
    if (there->rank < 0) {
        return mesh_whole_fail(d->path,
                               "two neighbours do not agree on their common face (element %lld)",
                               (long long)s->number[i]);
    }
    *out = (sedge_record_face){.neighbour = there->id,
                               .rank = there->rank,
                               .position = there->position,
                               .group = there->group,
                               .surface = surface,
                               .face = (int8_t)behind[BEHIND_FACE],
                               .orientation = (int8_t)behind[BEHIND_ORIENTATION],
                               .boundary = surface >= 0 && d->two_sided[surface],
                               .second = surface >= 0 && behind[BEHIND_SECOND] != 0};
    return SEDGE_OK;
}

// The records of the slice, in `order`. The curved ones for a rank are numbered from 0; to [ranks]
// gets how many there are.
static sedge_status fill_records(sedge_record *out, deal *d, const address *there,
                                 int32_t (*place)[SEDGE_FACES])
{
    const mesh_slice *const s = d->slice;

    for (int r = 0; r < d->ranks; r++) d->to[r] = 0;
    for (int32_t k = 0; k < s->count; k++) {
        const int32_t i = d->order[k];
        sedge_record *const record = &out[k];
        record->id = s->number[i];
        record->group = s->group[i];
        record->curve = s->curve[i] >= 0 ? (int32_t)d->to[d->part[i]]++ : -1;
        memcpy(record->corners, s->corners[i], sizeof record->corners);
        if (s->planes != NULL) memcpy(record->plane, s->planes[i], sizeof record->plane);
        for (int f = 0; f < SEDGE_FACES; f++)
            SEDGE_TRY(fill_face(&record->faces[f], d, i, f, &there[place[i][f]]));
    }
    return SEDGE_OK;
}

static sedge_status make_records(sedge_record **out, deal *d, const address *there,
                                 int32_t (*place)[SEDGE_FACES])
{
    SEDGE_TRY(sedge_allocate(out, d->slice->count, sizeof **out));
    return fill_records(*out, d, there, place);
}

// The middles of the slice's curved elements, in `order`.
static sedge_status sort_middles(double (**out)[SEDGE_EDGES][3], const deal *d)
{
    const mesh_slice *const s = d->slice;
    int32_t curved = 0;

    SEDGE_TRY(sedge_allocate(out, s->curved, sizeof **out));
    for (int32_t k = 0; k < s->count; k++) {
        const int64_t row = s->curve[d->order[k]];
        if (row >= 0) memcpy((*out)[curved++], s->middles[row - s->first_curve], sizeof **out);
    }
    return SEDGE_OK;
}

// Number the curved elements of all senders one after the other. from [ranks]: how many of each
// sender's are curved.
static void number_curved(const deal *d, sedge_record *came)
{
    int64_t i = 0;
    int64_t curved = 0;

    for (int r = 0; r < d->ranks; r++) {
        for (int64_t k = 0; k < d->from_part[r]; k++, i++)
            if (came[i].curve >= 0) came[i].curve += (int32_t)curved;
        curved += d->from[r];
    }
}

// Put the records that came into the order of their positions, in place.
static void place_records(const deal *d, sedge_record *came)
{
    for (int64_t i = 0; i < d->incoming; i++) {
        while (d->arrived[i] != i) {
            const int32_t to = d->arrived[i];
            const sedge_record moved = came[to];
            came[to] = came[i];
            came[i] = moved;
            d->arrived[i] = d->arrived[to];
            d->arrived[to] = to;
        }
    }
}

// Collective.
static sedge_status send_records(sedge_record **records, double (**middles)[SEDGE_EDGES][3],
                                 deal *d, const sedge_record *mine, double (*bent)[SEDGE_EDGES][3])
{
    SEDGE_TRY(sedge_comm_all_to_all(d->comm, bent, d->to, sizeof *bent, middles, d->from));
    SEDGE_TRY(
        sedge_comm_all_to_all(d->comm, mine, d->to_part, sizeof *mine, records, d->from_part));
    number_curved(d, *records);
    place_records(d, *records);
    return SEDGE_OK;
}

static sedge_status start(deal *d)
{
    const int64_t count = d->slice->count;

    SEDGE_TRY(sedge_allocate(&d->to, d->ranks, sizeof *d->to));
    SEDGE_TRY(sedge_allocate(&d->from, d->ranks, sizeof *d->from));
    SEDGE_TRY(sedge_allocate(&d->to_part, d->ranks, sizeof *d->to_part));
    SEDGE_TRY(sedge_allocate(&d->from_part, d->ranks, sizeof *d->from_part));
    SEDGE_TRY(sedge_allocate(&d->order, count, sizeof *d->order));
    return sedge_allocate(&d->where, count, sizeof *d->where);
}

static void clear(deal *d)
{
    sedge_release(d->to);
    sedge_release(d->from);
    sedge_release(d->to_part);
    sedge_release(d->from_part);
    sedge_release(d->order);
    sedge_release(d->position);
    sedge_release(d->arrived);
    sedge_release(d->where);
}

// The records of the slice and their middles, as send_records sends them. Collective.
static sedge_status prepare(sedge_record **mine, double (**bent)[SEDGE_EDGES][3], deal *d)
{
    int32_t(*place)[SEDGE_FACES] = NULL;
    address *there = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_comm_agree(d->comm, start(d)));
    SEDGE_TRY_GOTO(status, check_numbers(d));
    SEDGE_TRY_GOTO(status, find_positions(d));
    SEDGE_TRY_GOTO(status, find_neighbours(&there, &place, d));
    status = make_records(mine, d, there, place);
    if (status == SEDGE_OK) status = sort_middles(bent, d);
    status = sedge_comm_agree(d->comm, status);
done:
    sedge_release(there);
    sedge_release(place);
    return status;
}

sedge_status mesh_deal(sedge_record **records, double (**middles)[SEDGE_EDGES][3], int32_t *count,
                       mesh_slice *slice, const int32_t *part, const bool *two_sided,
                       const sedge_mesh *mesh, const char *path, const sedge_comm *comm)
{
    deal d = {.slice = slice,
              .part = part,
              .two_sided = two_sided,
              .elements = mesh->global_elements,
              .is_periodic = mesh->periods > 0,
              .path = path,
              .comm = comm,
              .ranks = sedge_comm_size(comm)};
    sedge_record *mine = NULL;
    double(*bent)[SEDGE_EDGES][3] = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, prepare(&mine, &bent, &d));
    mesh_slice_release(slice);
    status = send_records(records, middles, &d, mine, bent);
    *count = (int32_t)d.incoming;
done:
    clear(&d);
    sedge_release(mine);
    sedge_release(bent);
    return status;
}
