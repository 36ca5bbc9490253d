// Writing a checkpoint.
#define _DEFAULT_SOURCE
#include "checkpoint_arrays.h"
#include "checkpoint_file.h"
#include "checkpoint_header.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "io/h5.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FRAME_BYTES 65536      // what describes the file, beside its header
#define PIECE_BYTES (64 << 20) // of values that are written at once

int64_t sedge_checkpoint_bytes(const sedge_session *session)
{
    const sedge_problem *const problem = &session->problem;
    const sedge_mesh_groups *const groups = &session->mesh->groups;
    const int64_t number = (problem->precision == SEDGE_FP64 ? 8LL : 4LL) * session->element->nodes;
    int64_t bytes =
        session->mesh->global_elements * (problem->equation->fields * number + 24) + FRAME_BYTES;

    for (int i = 0; i < problem->term_count; i++) {
        const sedge_term *const term = &problem->terms[i];
        for (int v = 0; v < groups->volumes; v++) {
            if (term->present[v] && term->kind->memory > 0)
                bytes += groups->volume_elements[v] * (sedge_term_memory(term) * number + 16);
        }
    }
    for (int s = 0; s < problem->surfaces; s++) {
        if (sedge_problem_has_face_memory(problem, s))
            bytes += groups->surface_faces[s] * (sedge_problem_face_memory(problem) * number + 16);
    }
    return bytes;
}

// A checkpoint that is being written.
typedef struct checkpoint_writer {
    const sedge_session *session;
    const sedge_checkpoint *checkpoint;
    const sedge_checkpoint_state *state;
    const double *energy;
    char *header;  // root only
    int64_t *rows; // [checkpoint->array_count] of all ranks
} checkpoint_writer;

// Attributes for people: a restart reads the header instead.
static sedge_status describe(const checkpoint_writer *writer, sedge_h5 *file)
{
    const sedge_deck *const deck = writer->session->deck;

    SEDGE_TRY(sedge_h5_text(file, "/", "content", "checkpoint"));
    SEDGE_TRY(sedge_h5_text(file, "/", "title", deck->title != NULL ? deck->title : ""));
    SEDGE_TRY(sedge_h5_text(file, "/", "deck", deck->path));
    SEDGE_TRY(sedge_h5_text(file, "/", "equation", deck->equation->name));
    SEDGE_TRY(sedge_h5_integer(file, "/", "order", deck->order));
    SEDGE_TRY(sedge_h5_text(file, "/", "units", deck->si ? "si" : "normalised"));
    SEDGE_TRY(
        sedge_h5_real(file, "/", "time", writer->checkpoint->time * sedge_deck_time_unit(deck)));
    SEDGE_TRY(sedge_h5_text(file, "/", "time_units", deck->si ? "s" : "1"));
    SEDGE_TRY(sedge_h5_integer(file, "/", "step", writer->checkpoint->step));
    SEDGE_TRY(sedge_h5_texts(file, "/fields", "fields", deck->equation->field_names,
                             deck->equation->fields));
    SEDGE_TRY(sedge_h5_text(file, "/fields", "basis", sedge_basis_name(writer->checkpoint->basis)));
    return sedge_h5_text(file, "/", "version", "sedge " SEDGE_VERSION);
}

// Make the datasets of block `i`; the root does it.
static sedge_status make_datasets(const checkpoint_writer *writer, sedge_h5 *file, int i)
{
    const sedge_session *const session = writer->session;
    const sedge_block *const block = &writer->state->block[i];
    const bool wide = session->problem.precision == SEDGE_FP64;
    const int64_t shape[3] = {block->all, block->components, block->nodes};
    const checkpoint_paths paths = checkpoint_paths_of(i, block->name);
    char group[SEDGE_BLOCK_NAME + 32];

    (void)snprintf(group, sizeof group, "/blocks/%s", block->name);
    if (i > 0) SEDGE_TRY(sedge_h5_group(file, group));
    SEDGE_TRY(sedge_h5_dataset(file, paths.elements, SEDGE_H5_I64, 1, shape));
    if (i == 0) SEDGE_TRY(sedge_h5_dataset(file, "/energy", SEDGE_H5_F64, 1, shape));
    SEDGE_TRY(sedge_h5_dataset(file, paths.checksums, SEDGE_H5_I64, 1, shape));
    return sedge_h5_dataset(file, paths.values, wide ? SEDGE_H5_F64 : SEDGE_H5_F32, 3, shape);
}

// Write everything but the values of elements; the root does it.
static sedge_status write_frame(const checkpoint_writer *writer, sedge_h5 *file)
{
    const int64_t length = (int64_t)strlen(writer->header);
    const sedge_hash sum = sedge_hash_bytes(writer->header, (size_t)length);
    char text[SEDGE_HASH_TEXT];

    sedge_hash_print(&sum, text);
    SEDGE_TRY(sedge_h5_put(file, "/header", SEDGE_H5_U8, 1, &length, writer->header));
    SEDGE_TRY(sedge_h5_text(file, "/header", "checksum", text));
    if (writer->state->count > 1) SEDGE_TRY(sedge_h5_group(file, "/blocks"));
    for (int i = 0; i < writer->state->count; i++) SEDGE_TRY(make_datasets(writer, file, i));
    SEDGE_TRY(checkpoint_arrays_make(file, writer->checkpoint->arrays, writer->rows,
                                     writer->checkpoint->array_count));
    return describe(writer, file);
}

// Make the file and reserve its disk space; the root does it. HDF5's newer format, which series
// need, has checksums of its own structures.
static sedge_status make_file(const checkpoint_writer *writer, const char *path)
{
    sedge_h5 *file = NULL;

    SEDGE_TRY(sedge_h5_create_series(&file, path, (int64_t)strlen(writer->header) + FRAME_BYTES));
    SEDGE_TRY(sedge_h5_close(file, write_frame(writer, file)));
    return sedge_h5_reserve(path);
}

// A block that is being written.
typedef struct block_writer {
    const sedge_block *block;
    const double *state;  // its values [elements][components][nodes]
    const double *energy; // [elements]; NULL: 0
    int64_t first;        // elements of lower ranks
    int64_t most;         // elements of the largest rank
    int64_t values;       // of an element
    int64_t piece;        // elements that are written at once
    float *rows;          // [piece][values], as stored; fp64: NULL
    int64_t *ids;         // [elements]
    int64_t *sums;        // [elements]
} block_writer;

// Elements [first, first + count) of this rank in the precision of the file. Sets their checksums.
static const void *store_rows(const block_writer *writer, int64_t first, int64_t count)
{
    const int64_t values = writer->values;
    const bool wide = writer->rows == NULL;
    const size_t bytes = (size_t)values * (wide ? sizeof(double) : sizeof(float));

    for (int64_t e = first; e < first + count; e++) {
        const double *const u = writer->state + e * values;
        float *const row = wide ? NULL : writer->rows + (e - first) * values;

        for (int64_t i = 0; i < values && !wide; i++) row[i] = (float)u[i];
        writer->sums[e] =
            checkpoint_sum(writer->ids[e], writer->energy != NULL ? writer->energy[e] : 0.0,
                           wide ? (const void *)u : (const void *)row, bytes);
    }
    return wide ? (const void *)(writer->state + first * values) : (const void *)writer->rows;
}

static sedge_status prepare_block(block_writer *writer, const checkpoint_writer *all, int i)
{
    const sedge_session *const session = all->session;
    const sedge_block *const block = &all->state->block[i];

    *writer = (block_writer){.block = block,
                             .state = all->state->values[i],
                             .energy = i == 0 ? all->energy : NULL,
                             .first = sedge_comm_scan(session->comm, block->elements),
                             .most = block->elements,
                             .values = (int64_t)block->components * block->nodes};
    sedge_comm_max_int(session->comm, &writer->most, 1);
    writer->piece = PIECE_BYTES / (8 * writer->values) + 1;
    if (writer->piece > writer->most) writer->piece = writer->most;
    sedge_status status = sedge_allocate(&writer->sums, block->elements, sizeof *writer->sums);
    if (status == SEDGE_OK)
        status = sedge_allocate(&writer->ids, block->elements, sizeof *writer->ids);
    if (status == SEDGE_OK && session->problem.precision != SEDGE_FP64)
        status = sedge_allocate(&writer->rows, writer->piece * writer->values + 1, sizeof(float));
    SEDGE_TRY(sedge_comm_agree(session->comm, status));
    for (int32_t e = 0; e < block->elements; e++)
        writer->ids[e] = sedge_block_number(block, session->mesh, e);
    return SEDGE_OK;
}

// Write the elements of a block piece by piece. All ranks make as many calls as the rank with the
// most elements needs. Collective.
static sedge_status fill_rows(const block_writer *writer, const sedge_comm *comm, sedge_h5 *file,
                              const checkpoint_paths *paths)
{
    const sedge_h5_type type = writer->rows == NULL ? SEDGE_H5_F64 : SEDGE_H5_F32;
    const int32_t elements = writer->block->elements;

    for (int64_t e = 0; e < writer->most; e += writer->piece) {
        const int64_t left = elements > e ? elements - e : 0;
        const int64_t count = left < writer->piece ? left : writer->piece;
        const void *const rows = count > 0 ? store_rows(writer, e, count) : NULL;

        SEDGE_TRY(sedge_comm_agree(
            comm, sedge_h5_write(file, paths->values, type, writer->first + e, count, rows)));
    }
    if (writer->energy != NULL) {
        SEDGE_TRY(sedge_comm_agree(comm, sedge_h5_write(file, "/energy", SEDGE_H5_F64,
                                                        writer->first, elements, writer->energy)));
    }
    SEDGE_TRY(sedge_comm_agree(comm, sedge_h5_write(file, paths->elements, SEDGE_H5_I64,
                                                    writer->first, elements, writer->ids)));
    return sedge_comm_agree(comm, sedge_h5_write(file, paths->checksums, SEDGE_H5_I64,
                                                 writer->first, elements, writer->sums));
}

// Write the elements of all blocks. Collective.
static sedge_status fill_file(const checkpoint_writer *writer, sedge_h5 *file)
{
    sedge_status status = SEDGE_OK;

    for (int i = 0; i < writer->state->count && status == SEDGE_OK; i++) {
        const checkpoint_paths paths = checkpoint_paths_of(i, writer->state->block[i].name);
        block_writer block;
        status = prepare_block(&block, writer, i);
        if (status == SEDGE_OK) status = fill_rows(&block, writer->session->comm, file, &paths);
        sedge_release(block.rows);
        sedge_release(block.ids);
        sedge_release(block.sums);
    }
    return status;
}

static sedge_status prepare(checkpoint_writer *writer)
{
    const sedge_comm *const comm = writer->session->comm;
    json_t *facts = NULL;
    sedge_status status = SEDGE_OK;

    SEDGE_TRY_GOTO(status, checkpoint_facts(&facts, writer->session));
    SEDGE_TRY_GOTO(status, checkpoint_arrays_count(&writer->rows, comm, writer->checkpoint->arrays,
                                                   writer->checkpoint->array_count));
    if (sedge_comm_is_root(comm)) {
        status = checkpoint_print(&writer->header, writer->session, writer->checkpoint,
                                  writer->state, facts);
    }
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
done:
    json_decref(facts);
    return status;
}

static sedge_status write_file(const checkpoint_writer *writer, const char *temporary)
{
    const sedge_comm *const comm = writer->session->comm;
    const bool root = sedge_comm_is_root(comm);
    sedge_h5 *file = NULL;

    SEDGE_TRY(sedge_comm_agree(comm, root ? make_file(writer, temporary) : SEDGE_OK));
    sedge_status status = sedge_comm_agree(comm, sedge_h5_open_shared(&file, temporary, comm));
    if (status == SEDGE_OK) status = fill_file(writer, file);
    if (status == SEDGE_OK) {
        status = checkpoint_arrays_fill(file, comm, writer->checkpoint->arrays,
                                        writer->checkpoint->array_count);
    }
    return sedge_comm_agree(comm, sedge_h5_close(file, status));
}

// Give the complete file its name, and only then remove older ones; the root does it.
static sedge_status publish(const char *temporary, const char *path, const char *folder, int keep)
{
    SEDGE_TRY(sedge_file_publish(temporary, path));
    SEDGE_TRY(checkpoint_remove_old(folder, "", keep));
    return checkpoint_remove_old(folder, ".tmp", 0);
}

sedge_status sedge_checkpoint_write(const sedge_session *session, const char *folder, int keep,
                                    const sedge_checkpoint *checkpoint,
                                    const sedge_checkpoint_state *state, const double *energy)
{
    const sedge_comm *const comm = session->comm;
    const bool root = sedge_comm_is_root(comm);
    checkpoint_writer writer = {
        .session = session, .checkpoint = checkpoint, .state = state, .energy = energy};
    char path[CHECKPOINT_PATH];
    char temporary[CHECKPOINT_PATH];
    sedge_status status;

    checkpoint_path(path, folder, checkpoint->step, "");
    checkpoint_path(temporary, folder, checkpoint->step, ".tmp");
    SEDGE_TRY_GOTO(status, prepare(&writer));
    SEDGE_TRY_GOTO(status, write_file(&writer, temporary));
    status = sedge_comm_agree(comm, root ? publish(temporary, path, folder, keep) : SEDGE_OK);
done:
    if (root && status != SEDGE_OK) (void)unlink(temporary);
    free(writer.header);
    sedge_release(writer.rows);
    return status;
}
