// Finding and reading checkpoints. Rank r of P reads the r-th P-th of a file's elements and sends
// each to the rank that has it now; who that is, the ranks tell each other through a directory
// which is spread over them by element number. No rank holds more than its share, twice.
#define _DEFAULT_SOURCE
#include "checkpoint_file.h"

#include "base/hash.h"
#include "base/memory.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADER_BYTES_MAX (64 << 20)
#define ROUND_BYTES      (32 << 20) // of rows that a rank reads and sends at once

// ---- header ------------------------------------------------------------------------------------

// Root: the header's text from the file, its checksum verified.
static sedge_status load_header(char **text, int64_t *length, sedge_h5 *file, const char *path)
{
    char wanted[SEDGE_HASH_TEXT];
    char found[SEDGE_HASH_TEXT];

    SEDGE_TRY(sedge_h5_shape(file, "/header", SEDGE_H5_U8, 1, length));
    if (*length > HEADER_BYTES_MAX) {
        return SEDGE_FAIL(SEDGE_ERR_DATA,
                          "checkpoint '%s' is damaged: its header has %lld bytes, not at most %d",
                          path, (long long)*length, HEADER_BYTES_MAX);
    }
    SEDGE_TRY(sedge_h5_read_text(file, "/header", "checksum", wanted, sizeof wanted));
    SEDGE_TRY(sedge_allocate(text, *length + 1, 1));
    SEDGE_TRY(sedge_h5_read(file, "/header", SEDGE_H5_U8, 0, *length, *text));
    const sedge_hash sum = sedge_hash_bytes(*text, (size_t)*length);
    sedge_hash_print(&sum, found);
    if (strcmp(found, wanted) == 0) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_DATA,
                      "checkpoint '%s' is damaged: its header does not have its checksum", path);
}

// Root: the arrays are there and have the shapes that the header tells.
static sedge_status check_arrays(sedge_h5 *file, const checkpoint_form *form, const char *path)
{
    const sedge_h5_type real = form->precision == SEDGE_FP64 ? SEDGE_H5_F64 : SEDGE_H5_F32;
    int64_t shape[6] = {0};

    SEDGE_TRY(sedge_h5_shape(file, "/fields", real, 3, shape));
    SEDGE_TRY(sedge_h5_shape(file, "/elements", SEDGE_H5_I64, 1, shape + 3));
    SEDGE_TRY(sedge_h5_shape(file, "/energy", SEDGE_H5_F64, 1, shape + 4));
    SEDGE_TRY(sedge_h5_shape(file, "/checksums", SEDGE_H5_I64, 1, shape + 5));
    const bool fits = shape[0] == form->elements && shape[1] == form->fields &&
                      shape[2] == form->nodes && shape[3] == form->elements &&
                      shape[4] == form->elements && shape[5] == form->elements;
    if (fits) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_DATA,
                      "checkpoint '%s' is damaged: its arrays have other lengths "
                      "than its header tells",
                      path);
}

// Root: all of the file but the elements' values.
static sedge_status look_into(char **text, int64_t *length, const char *path)
{
    sedge_checkpoint checkpoint;
    checkpoint_form form;
    const json_t *facts = NULL;
    json_t *root = NULL;
    sedge_h5 *file = NULL;

    SEDGE_TRY(sedge_h5_open_read(&file, path));
    sedge_status status = load_header(text, length, file, path);
    if (status == SEDGE_OK)
        status = checkpoint_parse(&root, &facts, &checkpoint, &form, *text, (size_t)*length, path);
    if (status == SEDGE_OK) status = check_arrays(file, &form, path);
    json_decref(root);
    return sedge_h5_close(file, status);
}

// All ranks: the header's text. The caller releases it in any case.
static sedge_status share_header(char **text, int64_t *length, const sedge_comm *comm,
                                 const char *path)
{
    sedge_status status = SEDGE_OK;

    *length = 0;
    if (sedge_comm_is_root(comm)) status = look_into(text, length, path);
    SEDGE_TRY(sedge_comm_agree(comm, status));
    sedge_comm_broadcast(comm, length, sizeof *length, 0);
    if (!sedge_comm_is_root(comm)) status = sedge_allocate(text, *length + 1, 1);
    SEDGE_TRY(sedge_comm_agree(comm, status));
    sedge_comm_broadcast(comm, *text, (size_t)*length, 0);
    return SEDGE_OK;
}

// ---- who has which element ---------------------------------------------------------------------

// Where an element is: `id` is its number in the mesh file.
typedef struct element_place {
    int64_t id;
    int32_t rank;
    int32_t element; // there
} element_place;

// Numbers [first, first + count) of all, of which this rank knows the places.
typedef struct directory {
    int64_t share; // numbers a rank
    int64_t first;
    int64_t count;
    element_place *places; // [count]; rank -1: not told
} directory;

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

// Rows on their way.
typedef struct mail {
    char *rows;  // [count][bytes]
    int32_t *to; // [count] rank
    int64_t count;
    size_t bytes;
} mail;

// Collective.
static sedge_status mail_create(mail *out, const sedge_comm *comm, int64_t count, size_t bytes)
{
    out->count = count;
    out->bytes = bytes;
    sedge_status status = sedge_allocate(&out->rows, count, bytes);
    if (status == SEDGE_OK) status = sedge_allocate(&out->to, count, sizeof *out->to);
    return sedge_comm_agree(comm, status);
}

static void mail_clear(const mail *given)
{
    sedge_release(given->rows);
    sedge_release(given->to);
}

static void mail_put(mail *given, int64_t i, const void *row, int64_t to)
{
    memcpy(given->rows + i * (int64_t)given->bytes, row, given->bytes);
    given->to[i] = (int32_t)to;
}

// Send the rows; `*received` has `*got` of them and is to be released. Collective.
static sedge_status mail_deal(const mail *given, const sedge_comm *comm, void *received,
                              int64_t *got)
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

// Every rank tells where its elements are. Collective.
static sedge_status make_directory(directory *out, const sedge_session *session)
{
    const sedge_comm *const comm = session->comm;
    const sedge_mesh *const mesh = session->mesh;
    const int64_t ranks = sedge_comm_size(comm);
    element_place *told = NULL;
    mail telling = {0};
    int64_t count = 0;

    out->share = (mesh->global_elements + ranks - 1) / ranks;
    out->first = out->share * sedge_comm_rank(comm);
    out->count = out->share;
    sedge_status status = sedge_allocate(&out->places, out->count, sizeof *out->places);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    SEDGE_TRY_GOTO(status, mail_create(&telling, comm, mesh->elements, sizeof(element_place)));
    for (int64_t i = 0; i < out->count; i++) out->places[i].rank = -1;
    for (int32_t e = 0; e < mesh->elements; e++) {
        const element_place place = {mesh->global_ids[e], sedge_comm_rank(comm), e};
        mail_put(&telling, e, &place, place.id / out->share);
    }
    SEDGE_TRY_GOTO(status, mail_deal(&telling, comm, &told, &count));
    for (int64_t i = 0; i < count; i++) out->places[told[i].id - out->first] = told[i];
done:
    mail_clear(&telling);
    sedge_release(told);
    return status;
}

// Answer `count` questions: back goes who has the element, under the question's number. Collective.
static sedge_status answer(const directory *known, const sedge_comm *comm,
                           const element_place *asked, int64_t count, element_place **answered,
                           int64_t *answers)
{
    mail answering = {0};
    sedge_status status;

    SEDGE_TRY_GOTO(status, mail_create(&answering, comm, count, sizeof *asked));
    for (int64_t i = 0; i < count; i++) {
        const element_place *const place = &known->places[asked[i].id - known->first];
        const element_place row = {(int64_t)asked[i].element << 32 | place->element, place->rank,
                                   0};
        mail_put(&answering, i, &row, asked[i].rank);
    }
    SEDGE_TRY_GOTO(status, mail_deal(&answering, comm, answered, answers));
done:
    mail_clear(&answering);
    return status;
}

// Look the numbers `ids` [count] up: fills places [count], rank -1 where nobody has it. Collective.
static sedge_status ask_directory(element_place *places, const directory *known,
                                  const sedge_comm *comm, const int64_t *ids, int64_t count)
{
    mail asking = {0}; // `rank`: who asks; `element`: the number of the question
    element_place *asked = NULL;
    element_place *answered = NULL;
    int64_t questions = 0;
    int64_t answers = 0;
    sedge_status status;

    SEDGE_TRY_GOTO(status, mail_create(&asking, comm, count, sizeof *places));
    for (int64_t i = 0; i < count; i++) {
        const element_place question = {ids[i], sedge_comm_rank(comm), (int32_t)i};
        mail_put(&asking, i, &question, ids[i] / known->share);
    }
    SEDGE_TRY_GOTO(status, mail_deal(&asking, comm, &asked, &questions));
    SEDGE_TRY_GOTO(status, answer(known, comm, asked, questions, &answered, &answers));
    for (int64_t i = 0; i < answers; i++) {
        const int64_t number = answered[i].id >> 32;
        places[number] =
            (element_place){ids[number], answered[i].rank, (int32_t)(answered[i].id & INT32_MAX)};
    }
done:
    mail_clear(&asking);
    sedge_release(asked);
    sedge_release(answered);
    return status;
}

// ---- the elements ------------------------------------------------------------------------------

// One file being read.
typedef struct checkpoint_reader {
    const sedge_session *session;
    const char *path;
    sedge_h5 *file;
    checkpoint_form form;
    int64_t first, count;  // elements of the file that this rank reads
    int64_t most;          // the largest count
    int64_t values;        // of an element
    size_t row_bytes;      // of its fields in the file
    int64_t *ids;          // [count]
    double *energies;      // [count]
    int64_t *sums;         // [count]
    element_place *places; // [count]
    double *u;             // what is filled
    double *energy;
    uint8_t *seen;  // [elements of this rank]
    int64_t filled; // of them
} checkpoint_reader;

// What travels with an element's fields.
typedef struct row_head {
    double energy;
    int64_t element; // of the rank that gets it
} row_head;

static sedge_status allocate_columns(checkpoint_reader *reader)
{
    SEDGE_TRY(sedge_allocate(&reader->ids, reader->count, sizeof *reader->ids));
    SEDGE_TRY(sedge_allocate(&reader->energies, reader->count, sizeof *reader->energies));
    SEDGE_TRY(sedge_allocate(&reader->sums, reader->count, sizeof *reader->sums));
    SEDGE_TRY(sedge_allocate(&reader->seen, reader->session->mesh->elements, 1));
    return sedge_allocate(&reader->places, reader->count, sizeof *reader->places);
}

static sedge_status check_ids(const checkpoint_reader *reader)
{
    for (int64_t i = 0; i < reader->count; i++) {
        if (reader->ids[i] < 0 || reader->ids[i] >= reader->form.elements) {
            return SEDGE_FAIL(
                SEDGE_ERR_DATA, "checkpoint '%s' is damaged: its element %lld has the number %lld",
                reader->path, (long long)(reader->first + i), (long long)reader->ids[i]);
        }
    }
    return SEDGE_OK;
}

// The columns with one number an element. Collective.
static sedge_status read_columns(checkpoint_reader *reader)
{
    const sedge_comm *const comm = reader->session->comm;
    const int64_t first = reader->first;
    const int64_t count = reader->count;

    SEDGE_TRY(sedge_comm_agree(comm, allocate_columns(reader)));
    SEDGE_TRY(sedge_comm_agree(
        comm, sedge_h5_read(reader->file, "/elements", SEDGE_H5_I64, first, count, reader->ids)));
    SEDGE_TRY(sedge_comm_agree(comm, sedge_h5_read(reader->file, "/energy", SEDGE_H5_F64, first,
                                                   count, reader->energies)));
    SEDGE_TRY(sedge_comm_agree(
        comm, sedge_h5_read(reader->file, "/checksums", SEDGE_H5_I64, first, count, reader->sums)));
    return sedge_comm_agree(comm, check_ids(reader));
}

// Verify the rows from `at` on, and address each: [head][fields].
static sedge_status pack_rows(const checkpoint_reader *reader, int64_t at, const char *rows,
                              mail *packed)
{
    const size_t bytes = reader->row_bytes;

    for (int64_t i = 0; i < packed->count; i++) {
        const char *const row = rows + i * (int64_t)bytes;
        char *const to = packed->rows + i * (int64_t)packed->bytes;
        const element_place *const place = &reader->places[at + i];
        const row_head head = {reader->energies[at + i], place->element};

        if (checkpoint_sum(reader->ids[at + i], head.energy, row, bytes) != reader->sums[at + i] ||
            place->rank < 0) {
            return SEDGE_FAIL(SEDGE_ERR_DATA,
                              "checkpoint '%s' is damaged: element %lld does not have its checksum",
                              reader->path, (long long)reader->ids[at + i]);
        }
        memcpy(to, &head, sizeof head);
        memcpy(to + sizeof head, row, bytes);
        packed->to[i] = place->rank;
    }
    return SEDGE_OK;
}

// Put what came to where it belongs.
static void unpack_rows(checkpoint_reader *reader, int64_t count, const char *packed)
{
    const int64_t values = reader->values;
    row_head head;

    for (int64_t i = 0; i < count; i++) {
        const char *const from = packed + i * (int64_t)(sizeof head + reader->row_bytes);

        memcpy(&head, from, sizeof head);
        assert(head.element >= 0 && head.element < reader->session->mesh->elements);
        double *const u = reader->u + head.element * values;
        reader->filled += reader->seen[head.element] == 0;
        reader->seen[head.element] = 1;
        reader->energy[head.element] = head.energy;
        if (reader->form.precision == SEDGE_FP64) {
            memcpy(u, from + sizeof head, reader->row_bytes);
            continue;
        }
        for (int64_t k = 0; k < values; k++) {
            float value;
            memcpy(&value, from + sizeof head + (size_t)k * sizeof value, sizeof value);
            u[k] = (double)value;
        }
    }
}

// Read `count` elements from number `at` of this rank's on, and send them off. Collective.
static sedge_status read_round(checkpoint_reader *reader, int64_t at, int64_t count)
{
    const sedge_comm *const comm = reader->session->comm;
    const sedge_h5_type type = reader->form.precision == SEDGE_FP64 ? SEDGE_H5_F64 : SEDGE_H5_F32;
    mail packed = {0};
    char *rows = NULL;
    char *received = NULL;
    int64_t got = 0;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, sedge_allocate(&rows, count, reader->row_bytes)));
    SEDGE_TRY_GOTO(status, mail_create(&packed, comm, count, sizeof(row_head) + reader->row_bytes));
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, sedge_h5_read(reader->file, "/fields", type,
                                                                reader->first + at, count, rows)));
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, pack_rows(reader, at, rows, &packed)));
    SEDGE_TRY_GOTO(status, mail_deal(&packed, comm, &received, &got));
    unpack_rows(reader, got, received);
done:
    mail_clear(&packed);
    sedge_release(rows);
    sedge_release(received);
    return status;
}

// Every element came: a number that is twice in the file leaves another one out.
static sedge_status check_complete(const checkpoint_reader *reader)
{
    if (reader->filled == reader->session->mesh->elements) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_DATA, "checkpoint '%s' is damaged: an element is in it twice",
                      reader->path);
}

// All elements of the open file. Collective.
static sedge_status read_elements(checkpoint_reader *reader)
{
    const sedge_comm *const comm = reader->session->comm;
    const int64_t size = sedge_comm_size(comm);
    const int64_t rank = sedge_comm_rank(comm);
    const int64_t all = reader->form.elements;
    directory known = {0};
    sedge_status status;

    reader->first = all / size * rank + (rank < all % size ? rank : all % size);
    reader->count = all / size + (rank < all % size);
    reader->most = all / size + 1;
    reader->values = (int64_t)reader->form.fields * reader->form.nodes;
    reader->row_bytes =
        (size_t)reader->values * (reader->form.precision == SEDGE_FP64 ? 8 : sizeof(float));
    const int64_t round = ROUND_BYTES / (int64_t)reader->row_bytes + 1;

    SEDGE_TRY_GOTO(status, read_columns(reader));
    SEDGE_TRY_GOTO(status, make_directory(&known, reader->session));
    SEDGE_TRY_GOTO(status, ask_directory(reader->places, &known, comm, reader->ids, reader->count));
    for (int64_t at = 0; at < reader->most; at += round) {
        const int64_t left = reader->count > at ? reader->count - at : 0;
        SEDGE_TRY_GOTO(status, read_round(reader, at, left < round ? left : round));
    }
    status = sedge_comm_agree(comm, check_complete(reader));
done:
    sedge_release(known.places);
    return status;
}

static sedge_status read_file(const sedge_session *session, const char *path,
                              const checkpoint_form *form, double *u, double *energy)
{
    const sedge_comm *const comm = session->comm;
    checkpoint_reader reader = {
        .session = session, .path = path, .form = *form, .u = u, .energy = energy};
    sedge_status status =
        sedge_comm_agree(comm, sedge_h5_open_read_shared(&reader.file, path, comm));

    if (status == SEDGE_OK) status = read_elements(&reader);
    sedge_release(reader.ids);
    sedge_release(reader.energies);
    sedge_release(reader.sums);
    sedge_release(reader.seen);
    sedge_release(reader.places);
    return sedge_comm_agree(comm, sedge_h5_close(reader.file, status));
}

// ---- one checkpoint ----------------------------------------------------------------------------

// Fits the deck? Then all of it. Collective.
static sedge_status read_fitting(const sedge_session *session, const char *path, const json_t *here,
                                 sedge_checkpoint *out, double *u, double *energy)
{
    const sedge_comm *const comm = session->comm;
    checkpoint_form form;
    const json_t *there = NULL;
    json_t *root = NULL;
    char *text = NULL;
    int64_t length = 0;
    sedge_status status;

    SEDGE_TRY_GOTO(status, share_header(&text, &length, comm, path));
    status = checkpoint_parse(&root, &there, out, &form, text, (size_t)length, path);
    if (status == SEDGE_OK) status = checkpoint_compare(session, there, here, path);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    if (form.fields != session->problem.equation->fields || form.nodes != session->element->nodes ||
        form.elements != session->mesh->global_elements) {
        status = SEDGE_FAIL(SEDGE_ERR_DATA,
                            "checkpoint '%s' is damaged: its arrays do not fit "
                            "what its header says of the problem",
                            path);
        goto done;
    }
    SEDGE_TRY_GOTO(status, read_file(session, path, &form, u, energy));
    (void)snprintf(out->path, sizeof out->path, "%s", path);
done:
    out->monitors = status == SEDGE_OK ? json_incref(out->monitors) : NULL;
    json_decref(root);
    sedge_release(text);
    return status;
}

// Root: is the file in this folder?
static bool lies_in(const char *path, const char *folder)
{
    char parent[CHECKPOINT_PATH];

    (void)snprintf(parent, sizeof parent, "%s", path);
    char *const slash = strrchr(parent, '/');
    if (slash != NULL) slash[slash == parent ? 1 : 0] = '\0';
    char *const one = realpath(slash != NULL ? parent : ".", NULL);
    char *const other = realpath(folder, NULL);
    const bool same = one != NULL && other != NULL && strcmp(one, other) == 0;
    free(one);
    free(other);
    return same;
}

// ---- the newest whole one ----------------------------------------------------------------------

// All ranks: the steps of the folder's checkpoints, newest first.
static sedge_status share_list(int64_t **steps, int *count, const sedge_session *session,
                               const char *folder)
{
    const sedge_comm *const comm = session->comm;
    const bool root = sedge_comm_is_root(comm);

    *steps = NULL;
    *count = 0;
    SEDGE_TRY(sedge_comm_agree(comm, root ? checkpoint_list(steps, count, folder, "") : SEDGE_OK));
    sedge_comm_broadcast(comm, count, sizeof *count, 0);
    SEDGE_TRY(
        sedge_comm_agree(comm, root ? SEDGE_OK : sedge_allocate(steps, *count, sizeof **steps)));
    sedge_comm_broadcast(comm, *steps, (size_t)*count * sizeof **steps, 0);
    return SEDGE_OK;
}

static sedge_status read_newest(const sedge_session *session, const char *folder,
                                const json_t *here, sedge_checkpoint *out, bool *found, double *u,
                                double *energy)
{
    char path[CHECKPOINT_PATH];
    int64_t *steps = NULL;
    int count = 0;
    sedge_status status;

    SEDGE_TRY_GOTO(status, share_list(&steps, &count, session, folder));
    for (int i = 0; i < count && !*found; i++) {
        checkpoint_path(path, folder, steps[i], "");
        status = read_fitting(session, path, here, out, u, energy);
        *found = status == SEDGE_OK;
        if (status == SEDGE_OK) continue;
        if (status != SEDGE_ERR_DATA) goto done;
        if (sedge_comm_is_root(session->comm)) {
            (void)fprintf(stderr, "sedge: warning: passed over: %s\n", sedge_error_message());
            (void)fflush(stderr);
        }
    }
    if (count > 0 && !*found) {
        status = SEDGE_FAIL(SEDGE_ERR_DATA,
                            "none of the %d checkpoints in '%s' can be used; to begin anew, leave "
                            "out --restart",
                            count, folder);
    }
done:
    sedge_release(steps);
    return status;
}

sedge_status sedge_checkpoint_read(const sedge_session *session, const char *folder,
                                   const char *wanted, sedge_checkpoint *out, bool *found,
                                   double *u, double *energy)
{
    const sedge_comm *const comm = session->comm;
    json_t *here = NULL;
    sedge_status status;

    *found = false;
    memset(out, 0, sizeof *out);
    SEDGE_TRY_GOTO(status, checkpoint_facts(&here, session));
    if (strcmp(wanted, "auto") == 0) {
        status = read_newest(session, folder, here, out, found, u, energy);
    } else {
        status = read_fitting(session, wanted, here, out, u, energy);
        *found = status == SEDGE_OK;
    }
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    if (*found && sedge_comm_is_root(comm)) out->same_folder = lies_in(out->path, folder);
    sedge_comm_broadcast(comm, &out->same_folder, sizeof out->same_folder, 0);
done:
    json_decref(here);
    return status;
}
