#include "checkpoint_directory.h"

#include "base/memory.h"

#include <string.h>

// Order `count` rows by the rank that `ranks` gives each: fills counts [ranks] and `order`, the
// place of each row among the ordered ones.
static void order_by_rank(const int32_t *ranks, int64_t count, int size, int64_t *counts,
                          int64_t *order)
{
    int64_t start = 0;

    memset(counts, 0, (size_t)size * sizeof *counts);
    for (int64_t i = 0; i < count; i++) order[i] = counts[ranks[i]]++;
    for (int r = 0; r < size; r++) { // `counts` becomes where each begins, for a moment
        const int64_t own = counts[r];
        counts[r] = start;
        start += own;
    }
    for (int64_t i = 0; i < count; i++) order[i] += counts[ranks[i]];
    for (int r = 0; r + 1 < size; r++) counts[r] = counts[r + 1] - counts[r];
    counts[size - 1] = count - counts[size - 1];
}

sedge_status checkpoint_mail_create(checkpoint_mail *out, const sedge_comm *comm, int64_t count,
                                    size_t bytes)
{
    out->count = count;
    out->bytes = bytes;
    sedge_status status = sedge_allocate(&out->rows, count, bytes);
    if (status == SEDGE_OK) status = sedge_allocate(&out->to, count, sizeof *out->to);
    return sedge_comm_agree(comm, status);
}

void checkpoint_mail_clear(const checkpoint_mail *given)
{
    sedge_release(given->rows);
    sedge_release(given->to);
}

static void put_row(checkpoint_mail *given, int64_t i, const void *row, int64_t to)
{
    memcpy(given->rows + i * (int64_t)given->bytes, row, given->bytes);
    given->to[i] = (int32_t)to;
}

sedge_status checkpoint_mail_deal(const checkpoint_mail *given, const sedge_comm *comm,
                                  void *received, int64_t *got)
{
    const int size = sedge_comm_size(comm);
    const int64_t bytes = (int64_t)given->bytes;
    char *ordered = NULL;
    int64_t *order = NULL;
    int64_t *counts = NULL; // sent, then received
    void *nothing = NULL;

    *got = 0;
    memcpy(received, &nothing, sizeof nothing);
    sedge_status status = sedge_allocate(&ordered, given->count, given->bytes);
    if (status == SEDGE_OK) status = sedge_allocate(&order, given->count, sizeof *order);
    if (status == SEDGE_OK) status = sedge_allocate(&counts, 2LL * size, sizeof *counts);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    order_by_rank(given->to, given->count, size, counts, order);
    for (int64_t i = 0; i < given->count; i++)
        memcpy(ordered + order[i] * bytes, given->rows + i * bytes, given->bytes);
    SEDGE_TRY_GOTO(status, sedge_comm_all_to_all(comm, ordered, counts, given->bytes, received,
                                                 counts + size));
    for (int r = 0; r < size; r++) *got += counts[size + r];
done:
    sedge_release(ordered);
    sedge_release(order);
    sedge_release(counts);
    return status;
}

sedge_status checkpoint_directory_create(checkpoint_directory *out, const sedge_comm *comm,
                                         int64_t all, const int64_t *ids, int32_t count)
{
    const int64_t ranks = sedge_comm_size(comm);
    checkpoint_place *told = NULL;
    checkpoint_mail telling = {0};
    int64_t got = 0;

    out->share = (all + ranks - 1) / ranks;
    out->first = out->share * sedge_comm_rank(comm);
    out->count = out->share;
    sedge_status status = sedge_allocate(&out->places, out->count, sizeof *out->places);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    SEDGE_TRY_GOTO(status, checkpoint_mail_create(&telling, comm, count, sizeof *told));
    for (int64_t i = 0; i < out->count; i++) out->places[i].rank = -1;
    for (int32_t i = 0; i < count; i++) {
        const checkpoint_place place = {ids[i], sedge_comm_rank(comm), i};
        put_row(&telling, i, &place, place.id / out->share);
    }
    SEDGE_TRY_GOTO(status, checkpoint_mail_deal(&telling, comm, &told, &got));
    for (int64_t i = 0; i < got; i++) out->places[told[i].id - out->first] = told[i];
done:
    checkpoint_mail_clear(&telling);
    sedge_release(told);
    return status;
}

void checkpoint_directory_clear(const checkpoint_directory *directory)
{
    sedge_release(directory->places);
}

// Answer `count` questions: back goes who has the element, under the question's number. Collective.
static sedge_status answer(const checkpoint_directory *directory, const sedge_comm *comm,
                           const checkpoint_place *asked, int64_t count,
                           checkpoint_place **answered, int64_t *answers)
{
    checkpoint_mail answering = {0};
    sedge_status status;

    SEDGE_TRY_GOTO(status, checkpoint_mail_create(&answering, comm, count, sizeof *asked));
    for (int64_t i = 0; i < count; i++) {
        const checkpoint_place *const place = &directory->places[asked[i].id - directory->first];
        const checkpoint_place row = {(int64_t)asked[i].element << 32 | place->element, place->rank,
                                      0};
        put_row(&answering, i, &row, asked[i].rank);
    }
    SEDGE_TRY_GOTO(status, checkpoint_mail_deal(&answering, comm, answered, answers));
done:
    checkpoint_mail_clear(&answering);
    return status;
}

sedge_status checkpoint_directory_ask(checkpoint_place *places,
                                      const checkpoint_directory *directory, const sedge_comm *comm,
                                      const int64_t *ids, int64_t count)
{
    checkpoint_mail asking = {0}; // `rank`: who asks; `element`: the number of the question
    checkpoint_place *asked = NULL;
    checkpoint_place *answered = NULL;
    int64_t questions = 0;
    int64_t answers = 0;
    sedge_status status;

    SEDGE_TRY_GOTO(status, checkpoint_mail_create(&asking, comm, count, sizeof *places));
    for (int64_t i = 0; i < count; i++) {
        const checkpoint_place question = {ids[i], sedge_comm_rank(comm), (int32_t)i};
        put_row(&asking, i, &question, ids[i] / directory->share);
    }
    SEDGE_TRY_GOTO(status, checkpoint_mail_deal(&asking, comm, &asked, &questions));
    SEDGE_TRY_GOTO(status, answer(directory, comm, asked, questions, &answered, &answers));
    for (int64_t i = 0; i < answers; i++) {
        const int64_t number = answered[i].id >> 32;
        places[number] = (checkpoint_place){ids[number], answered[i].rank,
                                            (int32_t)(answered[i].id & INT32_MAX)};
    }
done:
    checkpoint_mail_clear(&asking);
    sedge_release(asked);
    sedge_release(answered);
    return status;
}
