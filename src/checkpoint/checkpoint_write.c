// Writing a checkpoint, in three parts. sedge_checkpoint_begin makes the file with its structure,
// by HDF5 on the root. The writer's thread of each rank fills in the rank's rows, without HDF5 and
// MPI. When all ranks have done so, the root gives the file its name.
#define _DEFAULT_SOURCE
#include "checkpoint_arrays.h"
#include "checkpoint_file.h"
#include "checkpoint_header.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "io/h5.h"
#include "io/writer.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FRAME_BYTES 65536      // what describes the file, beside its header
#define PIECE_BYTES (16 << 20) // of values that are converted and written at once

bool sedge_checkpoint_is_requested(const sedge_deck *deck)
{
    return deck->checkpoint_steps > 0 || deck->checkpoint_time > 0.0 || deck->checkpoint_wall > 0.0;
}

int64_t sedge_checkpoint_bytes(const sedge_session *session)
{
    const sedge_problem *const problem = &session->problem;
    const sedge_mesh_groups *const groups = &session->mesh->groups;
    const int64_t number = (int64_t)sedge_real_bytes(problem->precision) * session->element->nodes;
    const int copies = sedge_mesh_copies(session->mesh);
    int64_t bytes =
        session->mesh->global_elements / copies * (problem->equation->fields * number + 24);

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
    return copies * bytes + FRAME_BYTES;
}

// A block on this rank.
typedef struct block_rows {
    int64_t first;                   // rows of lower ranks
    int64_t values;                  // of a row
    int64_t *ids, *sums;             // [rows]
    int64_t places[CHECKPOINT_SETS]; // of its datasets in the file
} block_rows;

struct sedge_checkpoint_writer {
    const sedge_session *session;
    sedge_writer *thread;
    const char *folder;
    int keep;                            // checkpoints that stay
    const sedge_checkpoint_state *state; // its blocks, not its values
    sedge_checkpoint_source source;
    json_t *facts;      // of the problem
    block_rows *blocks; // [state->count]
    double *energy;     // [elements]
    double *piece;      // room for PIECE_BYTES of values, and
    float *stored;      // as they are stored; fp64: NULL
    // Of the checkpoint on its way.
    bool begun;
    sedge_write to;
    char path[CHECKPOINT_PATH];
    int64_t energy_place;
    checkpoint_array *arrays; // [array_count]
    int array_count;
    int held;            // root: a removed checkpoint that the thread closes; -1: none
    sedge_write closing; // does it
};

// ---- the file's structure ----------------------------------------------------------------------

// What the root writes at the beginning.
typedef struct checkpoint_frame {
    const sedge_checkpoint_writer *writer;
    const sedge_checkpoint *checkpoint;
    char *header;
    int64_t *places; // [count of places] of the datasets
} checkpoint_frame;

// The energy's dataset, then those of blocks, then those of arrays.
static int64_t count_places(const sedge_checkpoint_writer *writer)
{
    return 1 + CHECKPOINT_SETS * ((int64_t)writer->state->count + writer->array_count);
}

// Attributes for people: a restart reads the header instead.
static sedge_status describe(const checkpoint_frame *frame, sedge_h5 *file)
{
    const sedge_deck *const deck = frame->writer->session->deck;
    const sedge_checkpoint *const checkpoint = frame->checkpoint;

    SEDGE_TRY(sedge_h5_text(file, "/", "content", "checkpoint"));
    SEDGE_TRY(sedge_h5_text(file, "/", "title", deck->title != NULL ? deck->title : ""));
    SEDGE_TRY(sedge_h5_text(file, "/", "deck", deck->path));
    SEDGE_TRY(sedge_h5_text(file, "/", "equation", deck->equation->name));
    SEDGE_TRY(sedge_h5_integer(file, "/", "order", deck->order));
    SEDGE_TRY(sedge_h5_text(file, "/", "units", deck->si ? "si" : "normalised"));
    SEDGE_TRY(sedge_h5_real(file, "/", "time", checkpoint->time * sedge_deck_time_unit(deck)));
    SEDGE_TRY(sedge_h5_text(file, "/", "time_units", deck->si ? "s" : "1"));
    SEDGE_TRY(sedge_h5_integer(file, "/", "step", checkpoint->step));
    SEDGE_TRY(sedge_h5_texts(file, "/fields", "fields", deck->equation->field_names,
                             deck->equation->fields));
    SEDGE_TRY(sedge_h5_text(file, "/fields", "basis", sedge_basis_name(checkpoint->basis)));
    return sedge_h5_text(file, "/", "version", "sedge " SEDGE_VERSION);
}

// Make the datasets of block `i`, and find their places.
static sedge_status make_datasets(const checkpoint_frame *frame, sedge_h5 *file, int i)
{
    const sedge_checkpoint_writer *const writer = frame->writer;
    const sedge_block *const block = &writer->state->block[i];
    const bool wide = writer->session->problem.precision == SEDGE_FP64;
    const int64_t shape[3] = {block->all, block->components, block->nodes};
    const checkpoint_paths paths = checkpoint_paths_of(i, block->name);
    int64_t *const places = frame->places + 1 + (ptrdiff_t)CHECKPOINT_SETS * i;
    char group[SEDGE_BLOCK_NAME + 32];

    (void)snprintf(group, sizeof group, "/blocks/%s", block->name);
    if (i > 0) SEDGE_TRY(sedge_h5_group(file, group));
    SEDGE_TRY(sedge_h5_dataset(file, paths.elements, SEDGE_H5_I64, 1, shape));
    if (i == 0) {
        SEDGE_TRY(sedge_h5_dataset(file, "/energy", SEDGE_H5_F64, 1, shape));
        SEDGE_TRY(sedge_h5_place(file, "/energy", frame->places));
    }
    SEDGE_TRY(sedge_h5_dataset(file, paths.checksums, SEDGE_H5_I64, 1, shape));
    SEDGE_TRY(sedge_h5_dataset(file, paths.values, wide ? SEDGE_H5_F64 : SEDGE_H5_F32, 3, shape));
    SEDGE_TRY(sedge_h5_place(file, paths.elements, &places[CHECKPOINT_IDS]));
    SEDGE_TRY(sedge_h5_place(file, paths.checksums, &places[CHECKPOINT_CHECKSUMS]));
    return sedge_h5_place(file, paths.values, &places[CHECKPOINT_VALUES]);
}

// Write everything but the values of elements and arrays.
static sedge_status write_frame(const checkpoint_frame *frame, sedge_h5 *file)
{
    const sedge_checkpoint_writer *const writer = frame->writer;
    const int64_t length = (int64_t)strlen(frame->header);
    const sedge_hash sum = sedge_hash_bytes(frame->header, (size_t)length);
    const int blocks = writer->state->count;
    char text[SEDGE_HASH_TEXT];

    sedge_hash_print(&sum, text);
    SEDGE_TRY(sedge_h5_put(file, "/header", SEDGE_H5_U8, 1, &length, frame->header));
    SEDGE_TRY(sedge_h5_text(file, "/header", "checksum", text));
    if (blocks > 1) SEDGE_TRY(sedge_h5_group(file, "/blocks"));
    for (int i = 0; i < blocks; i++) SEDGE_TRY(make_datasets(frame, file, i));
    SEDGE_TRY(checkpoint_arrays_make(file, writer->arrays, writer->array_count,
                                     frame->places + 1 + (ptrdiff_t)CHECKPOINT_SETS * blocks));
    return describe(frame, file);
}

// Make the file; the root does it. HDF5's newer format, which series need, has checksums of its own
// structures.
static sedge_status make_file(checkpoint_frame *frame)
{
    const sedge_checkpoint_writer *const writer = frame->writer;
    sedge_h5 *file = NULL;

    SEDGE_TRY(checkpoint_print(&frame->header, writer->session, frame->checkpoint, writer->state,
                               writer->facts));
    SEDGE_TRY(sedge_h5_create_series(&file, writer->to.path,
                                     (int64_t)strlen(frame->header) + FRAME_BYTES));
    return sedge_h5_close(file, write_frame(frame, file));
}

static void take_places(sedge_checkpoint_writer *writer, const int64_t *places)
{
    const size_t bytes = CHECKPOINT_SETS * sizeof *places;

    writer->energy_place = *places++;
    for (int i = 0; i < writer->state->count; i++, places += CHECKPOINT_SETS)
        memcpy(writer->blocks[i].places, places, bytes);
    for (int i = 0; i < writer->array_count; i++, places += CHECKPOINT_SETS)
        memcpy(writer->arrays[i].places, places, bytes);
}

// Make the file, and tell all ranks the places of its datasets. Collective.
static sedge_status place_file(sedge_checkpoint_writer *writer, const sedge_checkpoint *checkpoint)
{
    const sedge_comm *const comm = writer->session->comm;
    checkpoint_frame frame = {.writer = writer, .checkpoint = checkpoint};
    sedge_status status = sedge_comm_agree(
        comm, sedge_allocate(&frame.places, count_places(writer), sizeof *frame.places));

    if (status == SEDGE_OK)
        status = sedge_comm_agree(comm, sedge_comm_is_root(comm) ? make_file(&frame) : SEDGE_OK);
    if (status == SEDGE_OK) {
        sedge_comm_broadcast(comm, frame.places,
                             (size_t)count_places(writer) * sizeof *frame.places, 0);
        take_places(writer, frame.places);
    }
    free(frame.header);
    sedge_release(frame.places);
    return status;
}

// ---- the thread --------------------------------------------------------------------------------

// Rows [first, first + count) of block `i` in the precision of the file. Sets their checksums.
static sedge_status store_rows(const sedge_checkpoint_writer *writer, int i, int64_t first,
                               int64_t count, const void **stored)
{
    const block_rows *const block = &writer->blocks[i];
    const int64_t values = block->values;
    const bool wide = writer->stored == NULL;
    const size_t bytes = (size_t)values * (wide ? sizeof(double) : sizeof(float));

    SEDGE_TRY(writer->source.rows(writer->source.of, i, first, count, writer->piece));
    for (int64_t k = 0; k < count * values && !wide; k++)
        writer->stored[k] = (float)writer->piece[k];
    *stored = wide ? (const void *)writer->piece : (const void *)writer->stored;
    for (int64_t e = 0; e < count; e++) {
        block->sums[first + e] =
            checkpoint_sum(block->ids[first + e], i == 0 ? writer->energy[first + e] : 0.0,
                           (const char *)*stored + (size_t)e * bytes, bytes);
    }
    return SEDGE_OK;
}

static sedge_status fill_block(const sedge_checkpoint_writer *writer, const sedge_write *file,
                               int i)
{
    const block_rows *const block = &writer->blocks[i];
    const int64_t real = writer->stored == NULL ? sizeof(double) : sizeof(float);
    const int64_t piece = PIECE_BYTES / (int64_t)sizeof(double) / block->values;
    const int64_t rows = writer->state->block[i].elements;
    const int64_t number = sizeof(int64_t);

    for (int64_t e = 0; e < rows; e += piece) {
        const int64_t count = rows - e < piece ? rows - e : piece;
        const int64_t at = (block->first + e) * block->values * real;
        const void *stored;

        SEDGE_TRY(store_rows(writer, i, e, count, &stored));
        SEDGE_TRY(sedge_write_put(file, block->places[CHECKPOINT_VALUES] + at, stored,
                                  count * block->values * real));
    }
    SEDGE_TRY(sedge_write_put(file, block->places[CHECKPOINT_IDS] + block->first * number,
                              block->ids, rows * number));
    return sedge_write_put(file, block->places[CHECKPOINT_CHECKSUMS] + block->first * number,
                           block->sums, rows * number);
}

// This rank's part of the file. The files that the checkpoint tells of come first.
static sedge_status fill_file(void *of, const sedge_write *file)
{
    const sedge_checkpoint_writer *const writer = of;
    const int64_t number = sizeof(double);

    if (sedge_comm_is_root(writer->session->comm) && writer->source.sync != NULL)
        SEDGE_TRY(writer->source.sync(writer->source.of));
    for (int i = 0; i < writer->state->count; i++) SEDGE_TRY(fill_block(writer, file, i));
    SEDGE_TRY(sedge_write_put(file, writer->energy_place + writer->blocks[0].first * number,
                              writer->energy, writer->state->block[0].elements * number));
    return checkpoint_arrays_fill(writer->arrays, writer->array_count, file);
}

// ---- making ------------------------------------------------------------------------------------

static sedge_status make_rows(sedge_checkpoint_writer *writer)
{
    const sedge_session *const session = writer->session;

    for (int i = 0; i < writer->state->count; i++) {
        const sedge_block *const block = &writer->state->block[i];
        block_rows *const rows = &writer->blocks[i];

        rows->values = (int64_t)block->components * block->nodes;
        SEDGE_TRY(sedge_allocate(&rows->ids, block->elements, sizeof *rows->ids));
        SEDGE_TRY(sedge_allocate(&rows->sums, block->elements, sizeof *rows->sums));
        for (int32_t e = 0; e < block->elements; e++)
            rows->ids[e] = sedge_block_number(block, session->mesh, e);
    }
    SEDGE_TRY(sedge_allocate(&writer->energy, session->mesh->elements, sizeof *writer->energy));
    SEDGE_TRY(sedge_allocate(&writer->piece, PIECE_BYTES / sizeof(double), sizeof(double)));
    if (session->problem.precision == SEDGE_FP64) return SEDGE_OK;
    return sedge_allocate(&writer->stored, PIECE_BYTES / sizeof(double), sizeof(float));
}

sedge_status sedge_checkpoint_writer_create(sedge_checkpoint_writer **out,
                                            const sedge_session *session, sedge_writer *thread,
                                            const char *folder, int keep,
                                            const sedge_checkpoint_state *state,
                                            const sedge_checkpoint_source *source)
{
    const sedge_comm *const comm = session->comm;
    sedge_checkpoint_writer *writer = NULL;
    sedge_status status;

    *out = NULL;
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, sedge_allocate(&writer, 1, sizeof *writer)));
    *writer = (sedge_checkpoint_writer){.session = session,
                                        .thread = thread,
                                        .folder = folder,
                                        .keep = keep,
                                        .state = state,
                                        .source = *source,
                                        .held = -1};
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, sedge_allocate(&writer->blocks, state->count,
                                                                 sizeof *writer->blocks)));
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, make_rows(writer)));
    for (int i = 0; i < state->count; i++)
        writer->blocks[i].first = sedge_comm_scan(comm, state->block[i].elements);
    SEDGE_TRY_GOTO(status, checkpoint_facts(&writer->facts, session));
    *out = writer;
    writer = NULL;
done:
    sedge_checkpoint_writer_free(writer);
    return status;
}

// The checkpoint on its way is over, and its file is published or removed.
static void forget(sedge_checkpoint_writer *writer)
{
    checkpoint_arrays_release(writer->arrays, writer->array_count);
    writer->arrays = NULL;
    writer->array_count = 0;
    writer->begun = false;
}

static void discard(sedge_checkpoint_writer *writer)
{
    if (sedge_comm_is_root(writer->session->comm)) (void)unlink(writer->to.path);
    forget(writer);
}

void sedge_checkpoint_writer_free(sedge_checkpoint_writer *writer)
{
    if (writer == NULL) return;
    if (writer->begun) discard(writer);
    if (writer->held >= 0) (void)close(writer->held);
    for (int i = 0; i < writer->state->count && writer->blocks != NULL; i++) {
        sedge_release(writer->blocks[i].ids);
        sedge_release(writer->blocks[i].sums);
    }
    json_decref(writer->facts);
    sedge_release(writer->blocks);
    sedge_release(writer->energy);
    sedge_release(writer->piece);
    sedge_release(writer->stored);
    sedge_release(writer);
}

// ---- a checkpoint ------------------------------------------------------------------------------

sedge_status sedge_checkpoint_begin(sedge_checkpoint_writer *writer,
                                    const sedge_checkpoint *checkpoint, const double *energy)
{
    const int64_t elements = writer->session->mesh->elements;
    sedge_status status;

    assert(!writer->begun);
    checkpoint_path(writer->path, writer->folder, checkpoint->step, "");
    writer->to = (sedge_write){.fill = fill_file, .of = writer};
    checkpoint_path(writer->to.path, writer->folder, checkpoint->step, ".tmp");
    if (elements > 0) memcpy(writer->energy, energy, (size_t)elements * sizeof *energy);
    writer->begun = true;
    writer->array_count = checkpoint->array_count;
    SEDGE_TRY_GOTO(status, checkpoint_arrays_keep(&writer->arrays, writer->session->comm,
                                                  checkpoint->arrays, checkpoint->array_count));
    SEDGE_TRY_GOTO(status, place_file(writer, checkpoint));
    sedge_writer_add(writer->thread, &writer->to);
    return SEDGE_OK;
done:
    discard(writer);
    return status;
}

bool sedge_checkpoint_is_begun(const sedge_checkpoint_writer *writer)
{
    return writer->begun;
}

bool sedge_checkpoint_is_written(const sedge_checkpoint_writer *writer)
{
    return sedge_writer_is_done(writer->thread, &writer->to);
}

sedge_status sedge_checkpoint_wait(sedge_checkpoint_writer *writer, double *seconds)
{
    const sedge_status status =
        sedge_comm_agree(writer->session->comm, sedge_writer_finish(writer->thread, &writer->to));

    *seconds = writer->to.seconds;
    sedge_comm_max(writer->session->comm, seconds, 1);
    if (status != SEDGE_OK) discard(writer);
    return status;
}

static sedge_status close_held(void *of, const sedge_write *file)
{
    sedge_checkpoint_writer *const writer = of;

    (void)file;
    (void)close(writer->held);
    writer->held = -1;
    return SEDGE_OK;
}

// Give the complete file its name, and only then remove older ones; the root does it. The thread,
// which has closed the one held before, frees the pages of the one that is removed now.
static sedge_status publish(sedge_checkpoint_writer *writer)
{
    SEDGE_TRY(sedge_file_publish(writer->to.path, writer->path));
    SEDGE_TRY(checkpoint_remove_old(writer->folder, "", writer->keep, &writer->held));
    if (writer->held >= 0) {
        writer->closing = (sedge_write){.fill = close_held, .of = writer};
        (void)snprintf(writer->closing.path, sizeof writer->closing.path, "%s", writer->path);
        sedge_writer_add(writer->thread, &writer->closing);
    }
    return checkpoint_remove_old(writer->folder, ".tmp", 0, NULL);
}

sedge_status sedge_checkpoint_publish(sedge_checkpoint_writer *writer)
{
    const sedge_comm *const comm = writer->session->comm;
    const sedge_status status =
        sedge_comm_agree(comm, sedge_comm_is_root(comm) ? publish(writer) : SEDGE_OK);

    if (status == SEDGE_OK) {
        forget(writer);
    } else {
        discard(writer);
    }
    return status;
}
