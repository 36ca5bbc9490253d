// Finding and reading checkpoints. Each block of the state is read in equal shares: of P ranks,
// rank r reads the r-th part of its elements and sends each to the rank that has it in this run
// (checkpoint_directory.h). So the memory of a rank grows with its share alone.
#define _DEFAULT_SOURCE
#include "checkpoint_directory.h"
#include "checkpoint_file.h"
#include "checkpoint_header.h"

#include "base/hash.h"
#include "base/memory.h"
#include "io/h5.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADER_BYTES_MAX (64 << 20)
#define ROUND_BYTES      (32 << 20) // of rows that a rank reads and sends at once

// ---- header ------------------------------------------------------------------------------------

// Read the header's text and verify its checksum; the root does it.
static sedge_status load_header(char **text, int64_t *length, sedge_h5 *file, const char *path)
{
    char stored[SEDGE_HASH_TEXT];
    char found[SEDGE_HASH_TEXT];

    if (sedge_h5_shape(file, "/header", SEDGE_H5_U8, 1, length) != SEDGE_OK) {
        char reason[512];
        (void)snprintf(reason, sizeof reason, "%s", sedge_error_message());
        return SEDGE_FAIL(SEDGE_ERR_DATA, "'%s' is no checkpoint, or damaged: %s", path, reason);
    }
    if (*length > HEADER_BYTES_MAX) {
        return SEDGE_FAIL(SEDGE_ERR_DATA,
                          "checkpoint '%s' is damaged: its header has %lld bytes, not at most %d",
                          path, (long long)*length, HEADER_BYTES_MAX);
    }
    SEDGE_TRY(sedge_h5_read_text(file, "/header", "checksum", stored, sizeof stored));
    SEDGE_TRY(sedge_allocate(text, *length + 1, 1));
    SEDGE_TRY(sedge_h5_read(file, "/header", SEDGE_H5_U8, 0, *length, *text));
    const sedge_hash sum = sedge_hash_bytes(*text, (size_t)*length);
    sedge_hash_print(&sum, found);
    if (strcmp(found, stored) == 0) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_DATA,
                      "checkpoint '%s' is damaged: its header does not have its checksum", path);
}

// Check that the arrays are there and have the shapes that the header tells; the root does it.
static sedge_status check_arrays(sedge_h5 *file, const checkpoint_form *form, const char *path)
{
    const sedge_h5_type real = form->precision == SEDGE_FP64 ? SEDGE_H5_F64 : SEDGE_H5_F32;
    int64_t energies = 0;
    bool fits = true;

    SEDGE_TRY(sedge_h5_shape(file, "/energy", SEDGE_H5_F64, 1, &energies));
    for (int i = 0; i < form->blocks; i++) {
        const checkpoint_block_form *const block = &form->block[i];
        const checkpoint_paths paths = checkpoint_paths_of(i, block->name);
        int64_t shape[5] = {0};
        SEDGE_TRY(sedge_h5_shape(file, paths.values, real, 3, shape));
        SEDGE_TRY(sedge_h5_shape(file, paths.elements, SEDGE_H5_I64, 1, shape + 3));
        SEDGE_TRY(sedge_h5_shape(file, paths.checksums, SEDGE_H5_I64, 1, shape + 4));
        fits = fits && shape[0] == block->elements && shape[1] == block->components &&
               shape[2] == block->nodes && shape[3] == block->elements &&
               shape[4] == block->elements;
    }
    if (fits && energies == form->block[0].elements) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_DATA,
                      "checkpoint '%s' is damaged: its arrays have other lengths "
                      "than its header tells",
                      path);
}

// Read and check all of the file but the values of elements; the root does it.
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

// Give all ranks the header's text, which the caller releases in any case. Collective.
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

// ---- the elements of a block -------------------------------------------------------------------

// A block that is being read.
typedef struct checkpoint_reader {
    const sedge_session *session;
    const char *path;
    sedge_h5 *file;
    const checkpoint_form *form;
    const checkpoint_block_form *there;
    const sedge_block *block;
    double *state;  // what is filled, [block's elements][components][nodes]
    double *energy; // so is this [elements]; NULL: the block has none
    checkpoint_paths paths;
    int64_t first, count;     // elements of the file that this rank reads
    int64_t most;             // the largest count
    int64_t values;           // of an element
    size_t row_bytes;         // of its values in the file
    int64_t *own;             // [elements of this rank's] their numbers
    int64_t *ids;             // [count]
    double *energies;         // [count]
    int64_t *sums;            // [count]
    checkpoint_place *places; // [count]
    uint8_t *seen;            // [elements of this rank's]
    int64_t filled;           // of them
} checkpoint_reader;

// What travels with an element's values.
typedef struct row_head {
    double energy;
    int64_t element; // of the block, on the rank that gets it
} row_head;

static sedge_status allocate_columns(checkpoint_reader *reader)
{
    const int32_t elements = reader->block->elements;

    SEDGE_TRY(sedge_allocate(&reader->own, elements, sizeof *reader->own));
    SEDGE_TRY(sedge_allocate(&reader->ids, reader->count, sizeof *reader->ids));
    SEDGE_TRY(sedge_allocate(&reader->energies, reader->count, sizeof *reader->energies));
    SEDGE_TRY(sedge_allocate(&reader->sums, reader->count, sizeof *reader->sums));
    SEDGE_TRY(sedge_allocate(&reader->seen, elements, 1));
    return sedge_allocate(&reader->places, reader->count, sizeof *reader->places);
}

static void release_columns(const checkpoint_reader *reader)
{
    sedge_release(reader->own);
    sedge_release(reader->ids);
    sedge_release(reader->energies);
    sedge_release(reader->sums);
    sedge_release(reader->seen);
    sedge_release(reader->places);
}

static sedge_status check_ids(const checkpoint_reader *reader)
{
    for (int64_t i = 0; i < reader->count; i++) {
        if (reader->ids[i] < 0 ||
            reader->ids[i] >= sedge_block_numbers(reader->block, reader->session->mesh)) {
            return SEDGE_FAIL(
                SEDGE_ERR_DATA,
                "checkpoint '%s' is damaged: element %lld of '%s' has the number %lld",
                reader->path, (long long)(reader->first + i), reader->there->name,
                (long long)reader->ids[i]);
        }
    }
    return SEDGE_OK;
}

// Read the arrays with one number an element. Collective.
static sedge_status read_columns(checkpoint_reader *reader)
{
    const sedge_comm *const comm = reader->session->comm;
    const int64_t first = reader->first;
    const int64_t count = reader->count;

    SEDGE_TRY(sedge_comm_agree(comm, allocate_columns(reader)));
    for (int32_t i = 0; i < reader->block->elements; i++)
        reader->own[i] = sedge_block_number(reader->block, reader->session->mesh, i);
    SEDGE_TRY(sedge_comm_agree(comm, sedge_h5_read(reader->file, reader->paths.elements,
                                                   SEDGE_H5_I64, first, count, reader->ids)));
    if (reader->energy != NULL) {
        SEDGE_TRY(sedge_comm_agree(comm, sedge_h5_read(reader->file, "/energy", SEDGE_H5_F64, first,
                                                       count, reader->energies)));
    }
    SEDGE_TRY(sedge_comm_agree(comm, sedge_h5_read(reader->file, reader->paths.checksums,
                                                   SEDGE_H5_I64, first, count, reader->sums)));
    return sedge_comm_agree(comm, check_ids(reader));
}

// Find which ranks have the elements that this rank reads. Collective.
static sedge_status find_places(checkpoint_reader *reader)
{
    const sedge_comm *const comm = reader->session->comm;
    checkpoint_directory known = {0};
    sedge_status status;

    SEDGE_TRY_GOTO(status,
                   checkpoint_directory_create(
                       &known, comm, sedge_block_numbers(reader->block, reader->session->mesh),
                       reader->own, reader->block->elements));
    status = checkpoint_directory_ask(reader->places, &known, comm, reader->ids, reader->count);
done:
    checkpoint_directory_clear(&known);
    return status;
}

// Verify the rows from number `at` on, and address each to its rank: [head][values].
static sedge_status pack_rows(const checkpoint_reader *reader, int64_t at, const char *rows,
                              checkpoint_mail *packed)
{
    const size_t bytes = reader->row_bytes;

    for (int64_t i = 0; i < packed->count; i++) {
        const char *const row = rows + i * (int64_t)bytes;
        char *const to = packed->rows + i * (int64_t)packed->bytes;
        const checkpoint_place *const place = &reader->places[at + i];
        const row_head head = {reader->energies[at + i], place->element};

        if (checkpoint_sum(reader->ids[at + i], head.energy, row, bytes) != reader->sums[at + i]) {
            return SEDGE_FAIL(SEDGE_ERR_DATA,
                              "checkpoint '%s' is damaged: element %lld does not have its checksum",
                              reader->path, (long long)reader->ids[at + i]);
        }
        if (place->rank < 0) {
            return SEDGE_FAIL(SEDGE_ERR_DATA,
                              "checkpoint '%s' is damaged: element %lld, which does not have '%s' "
                              "here, has it there",
                              reader->path, (long long)reader->ids[at + i], reader->there->name);
        }
        memcpy(to, &head, sizeof head);
        memcpy(to + sizeof head, row, bytes);
        packed->to[i] = place->rank;
    }
    return SEDGE_OK;
}

// Store the rows that arrived.
static void unpack_rows(checkpoint_reader *reader, int64_t count, const char *packed)
{
    const int64_t values = reader->values;
    row_head head;

    for (int64_t i = 0; i < count; i++) {
        const char *const from = packed + i * (int64_t)(sizeof head + reader->row_bytes);

        memcpy(&head, from, sizeof head);
        assert(head.element >= 0 && head.element < reader->block->elements);
        double *const u = reader->state + head.element * values;
        reader->filled += reader->seen[head.element] == 0;
        reader->seen[head.element] = 1;
        if (reader->energy != NULL) reader->energy[head.element] = head.energy;
        if (reader->form->precision == SEDGE_FP64) {
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
    const sedge_h5_type type = reader->form->precision == SEDGE_FP64 ? SEDGE_H5_F64 : SEDGE_H5_F32;
    checkpoint_mail packed = {0};
    char *rows = NULL;
    char *received = NULL;
    int64_t got = 0;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, sedge_allocate(&rows, count, reader->row_bytes)));
    SEDGE_TRY_GOTO(
        status, checkpoint_mail_create(&packed, comm, count, sizeof(row_head) + reader->row_bytes));
    SEDGE_TRY_GOTO(status,
                   sedge_comm_agree(comm, sedge_h5_read(reader->file, reader->paths.values, type,
                                                        reader->first + at, count, rows)));
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, pack_rows(reader, at, rows, &packed)));
    SEDGE_TRY_GOTO(status, checkpoint_mail_deal(&packed, comm, &received, &got));
    unpack_rows(reader, got, received);
done:
    checkpoint_mail_clear(&packed);
    sedge_release(rows);
    sedge_release(received);
    return status;
}

// Check that every element arrived. The counts agree, so if one is missing another came twice.
static sedge_status check_complete(const checkpoint_reader *reader)
{
    if (reader->filled == reader->block->elements) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_DATA, "checkpoint '%s' is damaged: an element is in '%s' twice",
                      reader->path, reader->there->name);
}

// Read all elements of a block of the open file. Collective.
static sedge_status read_elements(checkpoint_reader *reader)
{
    const sedge_comm *const comm = reader->session->comm;
    const int64_t size = sedge_comm_size(comm);
    const int64_t rank = sedge_comm_rank(comm);
    const int64_t all = reader->there->elements;

    reader->first = all / size * rank + (rank < all % size ? rank : all % size);
    reader->count = all / size + (rank < all % size);
    reader->most = all / size + 1;
    reader->values = (int64_t)reader->there->components * reader->there->nodes;
    reader->row_bytes = (size_t)reader->values * (size_t)sedge_real_bytes(reader->form->precision);
    const int64_t round = ROUND_BYTES / (int64_t)reader->row_bytes + 1;

    SEDGE_TRY(read_columns(reader));
    SEDGE_TRY(find_places(reader));
    for (int64_t at = 0; at < reader->most; at += round) {
        const int64_t left = reader->count > at ? reader->count - at : 0;
        SEDGE_TRY(read_round(reader, at, left < round ? left : round));
    }
    return sedge_comm_agree(comm, check_complete(reader));
}

// ---- blocks ------------------------------------------------------------------------------------

// The place of the block with this name in the file; -1: the file has none.
static int find_block(const checkpoint_form *form, const char *name)
{
    for (int i = 0; i < form->blocks; i++)
        if (strcmp(form->block[i].name, name) == 0) return i;
    return -1;
}

// Compare a block of the run with that of the file.
static sedge_status check_block(const sedge_block *here, const checkpoint_block_form *there,
                                const char *path)
{
    if (there->components != here->components || there->nodes != here->nodes) {
        return SEDGE_FAIL(
            SEDGE_ERR_USAGE,
            "checkpoint '%s' does not fit the deck: its block '%s' has %d components at %d nodes, "
            "and that of this run has %d at %d: it was written by an earlier version of Sedge or "
            "for another deck; start again without --restart",
            path, here->name, there->components, there->nodes, here->components, here->nodes);
    }
    if (there->elements != here->all) {
        return SEDGE_FAIL(
            SEDGE_ERR_DATA,
            "checkpoint '%s' is damaged: its block '%s' has %lld rows, and the mesh has "
            "%lld of them",
            path, here->name, (long long)there->elements, (long long)here->all);
    }
    return SEDGE_OK;
}

// Check that run and file have the same blocks. All ranks find the same.
static sedge_status check_blocks(const sedge_checkpoint_state *state, const checkpoint_form *form,
                                 int nodes, const char *path)
{
    const checkpoint_block_form *const fields = &form->block[0];

    if (fields->components != state->block[0].components || form->nodes != nodes ||
        fields->elements != state->block[0].all) {
        return SEDGE_FAIL(SEDGE_ERR_DATA,
                          "checkpoint '%s' is damaged: its arrays do not fit "
                          "what its header says of the problem",
                          path);
    }
    for (int i = 1; i < state->count; i++) {
        const sedge_block *const block = &state->block[i];
        const int k = find_block(form, block->name);
        if (k < 0) {
            return SEDGE_FAIL(SEDGE_ERR_USAGE,
                              "checkpoint '%s' does not fit the deck: it does not have the memory "
                              "of '%s', which this run has",
                              path, block->name);
        }
        SEDGE_TRY(check_block(block, &form->block[k], path));
    }
    for (int k = 1; k < form->blocks; k++) {
        bool known = false;
        for (int i = 1; i < state->count; i++)
            known = known || strcmp(state->block[i].name, form->block[k].name) == 0;
        if (!known) {
            return SEDGE_FAIL(SEDGE_ERR_USAGE,
                              "checkpoint '%s' does not fit the deck: it has the memory of "
                              "'%s', which this run does not have",
                              path, form->block[k].name);
        }
    }
    return SEDGE_OK;
}

static sedge_status read_file(const sedge_session *session, const char *path,
                              const checkpoint_form *form, const sedge_checkpoint_state *state,
                              double *energy)
{
    const sedge_comm *const comm = session->comm;
    sedge_h5 *file = NULL;
    sedge_status status = sedge_comm_agree(comm, sedge_h5_open_read_shared(&file, path, comm));

    for (int i = 0; i < state->count && status == SEDGE_OK; i++) {
        const int k = find_block(form, state->block[i].name);
        checkpoint_reader reader = {.session = session,
                                    .path = path,
                                    .file = file,
                                    .form = form,
                                    .there = &form->block[k],
                                    .block = &state->block[i],
                                    .state = state->values[i],
                                    .energy = i == 0 ? energy : NULL,
                                    .paths = checkpoint_paths_of(k, state->block[i].name)};
        status = read_elements(&reader);
        release_columns(&reader);
    }
    return sedge_comm_agree(comm, sedge_h5_close(file, status));
}

// ---- one checkpoint ----------------------------------------------------------------------------

// Read a checkpoint if it fits the deck. Collective.
static sedge_status read_fitting(const sedge_session *session, const char *path, const json_t *here,
                                 sedge_checkpoint *out, const sedge_checkpoint_state *state,
                                 double *energy)
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
    SEDGE_TRY_GOTO(status, check_blocks(state, &form, session->element->nodes, path));
    SEDGE_TRY_GOTO(status, read_file(session, path, &form, state, energy));
    (void)snprintf(out->path, sizeof out->path, "%s", path);
done:
    out->monitors = status == SEDGE_OK ? json_incref(out->monitors) : NULL;
    json_decref(root);
    sedge_release(text);
    return status;
}

// Whether the file is in this folder.
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

// Give all ranks the steps of the folder's checkpoints, newest first. Collective.
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
                                const json_t *here, sedge_checkpoint *out, bool *found,
                                const sedge_checkpoint_state *state, double *energy)
{
    char path[CHECKPOINT_PATH];
    int64_t *steps = NULL;
    int count = 0;
    sedge_status status;

    SEDGE_TRY_GOTO(status, share_list(&steps, &count, session, folder));
    for (int i = 0; i < count && !*found; i++) {
        checkpoint_path(path, folder, steps[i], "");
        status = read_fitting(session, path, here, out, state, energy);
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
                                   const char *requested, sedge_checkpoint *out, bool *found,
                                   const sedge_checkpoint_state *state, double *energy)
{
    const sedge_comm *const comm = session->comm;
    json_t *here = NULL;
    sedge_status status;

    *found = false;
    memset(out, 0, sizeof *out);
    SEDGE_TRY_GOTO(status, checkpoint_facts(&here, session));
    if (strcmp(requested, "auto") == 0) {
        status = read_newest(session, folder, here, out, found, state, energy);
    } else {
        status = read_fitting(session, requested, here, out, state, energy);
        *found = status == SEDGE_OK;
    }
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    if (*found && sedge_comm_is_root(comm)) out->same_folder = lies_in(out->path, folder);
    sedge_comm_broadcast(comm, &out->same_folder, sizeof out->same_folder, 0);
done:
    json_decref(here);
    return status;
}

// The integrator's name in the header of a file; "": not known.
static void read_integrator(char name[64], const char *path)
{
    sedge_checkpoint checkpoint;
    checkpoint_form form;
    const json_t *facts = NULL;
    json_t *root = NULL;
    char *text = NULL;
    int64_t length = 0;

    sedge_status status = look_into(&text, &length, path);
    if (status == SEDGE_OK)
        status = checkpoint_parse(&root, &facts, &checkpoint, &form, text, (size_t)length, path);
    const char *const fact =
        status == SEDGE_OK ? json_string_value(json_object_get(facts, "integrator")) : NULL;
    if (fact != NULL) (void)snprintf(name, 64, "%s", fact);
    json_decref(root);
    sedge_release(text);
    if (status != SEDGE_OK) sedge_error_clear();
}

sedge_status sedge_checkpoint_integrator(const sedge_session *session, const sedge_integrator **out)
{
    const char *const requested = session->options->restart;
    const char *const folder = session->deck->output;
    const bool root = sedge_comm_is_root(session->comm);
    char name[64] = "";
    char path[CHECKPOINT_PATH];
    int64_t *steps = NULL;
    int count = 0;

    if (requested == NULL) return SEDGE_OK;
    if (root && strcmp(requested, "auto") != 0) {
        read_integrator(name, requested);
    } else if (root && checkpoint_list(&steps, &count, folder, "") != SEDGE_OK) {
        sedge_error_clear();
    }
    for (int i = 0; i < count && name[0] == '\0'; i++) {
        checkpoint_path(path, folder, steps[i], "");
        read_integrator(name, path);
    }
    sedge_release(steps);
    sedge_comm_broadcast(session->comm, name, sizeof name, 0);
    *out = sedge_integrator_find(name);
    return SEDGE_OK;
}
