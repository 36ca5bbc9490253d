#define _DEFAULT_SOURCE
#include "checkpoint_file.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FRAME_BYTES 65536      // what describes the file, beside its header
#define BLOCK_BYTES (64 << 20) // of fields that are written at once

// ---- the folder --------------------------------------------------------------------------------

// The step in "checkpoint-STEP.h5" + `suffix`; -1: another name.
static int64_t find_step(const char *name, const char *suffix)
{
    static const char start[] = "checkpoint-";
    char *end = NULL;

    if (strncmp(name, start, strlen(start)) != 0) return -1;
    const char *const digits = name + strlen(start);
    const size_t count = strspn(digits, "0123456789");
    if (count == 0 || count > 18) return -1;
    const long long step = strtoll(digits, &end, 10);
    if (strncmp(end, ".h5", 3) != 0 || strcmp(end + 3, suffix) != 0) return -1;
    return step;
}

void checkpoint_path(char path[CHECKPOINT_PATH], const char *folder, int64_t step,
                     const char *suffix)
{
    (void)snprintf(path, CHECKPOINT_PATH, "%s/checkpoint-%lld.h5%s", folder, (long long)step,
                   suffix);
}

static int newest_first(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left;
    const int64_t b = *(const int64_t *)right;

    return (a < b) - (a > b);
}

sedge_status checkpoint_list(int64_t **steps, int *count, const char *folder, const char *suffix)
{
    DIR *const files = opendir(folder);
    int most = 0;

    *steps = NULL;
    *count = 0;
    if (files == NULL && errno == ENOENT) return SEDGE_OK;
    if (files == NULL) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "cannot read output folder '%s': %s", folder,
                          strerror(errno));
    }
    for (const struct dirent *entry; (entry = readdir(files)) != NULL;)
        most += find_step(entry->d_name, suffix) >= 0;
    const sedge_status status = sedge_allocate(steps, most, sizeof **steps);
    rewinddir(files);
    for (const struct dirent *entry;
         status == SEDGE_OK && *count < most && (entry = readdir(files)) != NULL;) {
        const int64_t step = find_step(entry->d_name, suffix);
        if (step >= 0) (*steps)[(*count)++] = step;
    }
    (void)closedir(files);
    if (status == SEDGE_OK) qsort(*steps, (size_t)*count, sizeof **steps, newest_first);
    return status;
}

// Root: remove all with this suffix but the newest `keep`.
static sedge_status remove_old(const char *folder, const char *suffix, int keep)
{
    char path[CHECKPOINT_PATH];
    int64_t *steps = NULL;
    int count = 0;
    sedge_status status = checkpoint_list(&steps, &count, folder, suffix);

    for (int i = keep; i < count && status == SEDGE_OK; i++) {
        checkpoint_path(path, folder, steps[i], suffix);
        if (unlink(path) != 0 && errno != ENOENT)
            status = SEDGE_FAIL(SEDGE_ERR_USAGE, "cannot remove '%s': %s", path, strerror(errno));
    }
    sedge_release(steps);
    return status;
}

// Root.
static sedge_status set_aside(const char *folder, int64_t after)
{
    char path[CHECKPOINT_PATH];
    char aside[CHECKPOINT_PATH];
    int64_t *steps = NULL;
    int count = 0;
    sedge_status status;

    SEDGE_TRY_GOTO(status, checkpoint_list(&steps, &count, folder, ""));
    if (count > 0 && steps[0] > after && after < 0)
        SEDGE_TRY_GOTO(status, remove_old(folder, ".old", 0));
    for (int i = 0; i < count && steps[i] > after; i++) {
        checkpoint_path(path, folder, steps[i], "");
        checkpoint_path(aside, folder, steps[i], ".old");
        if (rename(path, aside) != 0) {
            status = SEDGE_FAIL(SEDGE_ERR_USAGE, "cannot rename '%s': %s", path, strerror(errno));
            goto done;
        }
    }
    SEDGE_TRY_GOTO(status, remove_old(folder, ".tmp", 0));
    if (count > 0) status = sedge_file_sync(folder);
done:
    sedge_release(steps);
    return status;
}

sedge_status sedge_checkpoint_set_aside(const sedge_session *session, const char *folder,
                                        int64_t step)
{
    const bool root = sedge_comm_is_root(session->comm);

    return sedge_comm_agree(session->comm, root ? set_aside(folder, step) : SEDGE_OK);
}

// ---- writing -----------------------------------------------------------------------------------

int64_t checkpoint_sum(int64_t id, double energy, const void *fields, size_t bytes)
{
    uint64_t sum = sedge_hash_quick(0, &id, sizeof id);
    int64_t out;

    sum = sedge_hash_quick(sum, &energy, sizeof energy);
    sum = sedge_hash_quick(sum, fields, bytes);
    memcpy(&out, &sum, sizeof out);
    return out;
}

int64_t sedge_checkpoint_bytes(const sedge_session *session)
{
    const int64_t real = session->problem.precision == SEDGE_FP64 ? 8 : 4;
    const int64_t row =
        (int64_t)session->problem.equation->fields * session->element->nodes * real + 24;

    return session->mesh->global_elements * row + FRAME_BYTES;
}

// One file on its way.
typedef struct checkpoint_writer {
    const sedge_session *session;
    const sedge_checkpoint *checkpoint;
    const double *u;
    const double *energy;
    int64_t first;  // elements of lower ranks
    int64_t most;   // elements of the largest rank
    int64_t values; // of an element
    int64_t block;  // elements a block
    void *rows;     // [block][values], as stored; fp64: NULL
    int64_t *sums;  // [elements]
    char *header;   // root only
} checkpoint_writer;

// For people; a restart reads the header alone.
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

// Root: everything but the elements' values.
static sedge_status write_frame(const checkpoint_writer *writer, sedge_h5 *file)
{
    const sedge_session *const session = writer->session;
    const int64_t length = (int64_t)strlen(writer->header);
    const int64_t shape[3] = {session->mesh->global_elements, session->problem.equation->fields,
                              session->element->nodes};
    const sedge_hash sum = sedge_hash_bytes(writer->header, (size_t)length);
    char text[SEDGE_HASH_TEXT];

    sedge_hash_print(&sum, text);
    SEDGE_TRY(sedge_h5_put(file, "/header", SEDGE_H5_U8, 1, &length, writer->header));
    SEDGE_TRY(sedge_h5_text(file, "/header", "checksum", text));
    SEDGE_TRY(sedge_h5_dataset(file, "/elements", SEDGE_H5_I64, 1, shape));
    SEDGE_TRY(sedge_h5_dataset(file, "/energy", SEDGE_H5_F64, 1, shape));
    SEDGE_TRY(sedge_h5_dataset(file, "/checksums", SEDGE_H5_I64, 1, shape));
    SEDGE_TRY(sedge_h5_dataset(
        file, "/fields", session->problem.precision == SEDGE_FP64 ? SEDGE_H5_F64 : SEDGE_H5_F32, 3,
        shape));
    return describe(writer, file);
}

// Root: make the file, its space reserved. In HDF5's newer format its own structures carry
// checksums.
static sedge_status make_file(const checkpoint_writer *writer, const char *path)
{
    sedge_h5 *file = NULL;

    SEDGE_TRY(sedge_h5_create_series(&file, path, (int64_t)strlen(writer->header) + FRAME_BYTES));
    SEDGE_TRY(sedge_h5_close(file, write_frame(writer, file)));
    return sedge_h5_reserve(path);
}

// Elements [first, first + count) of this rank as they are stored; sums them.
static const void *store_rows(const checkpoint_writer *writer, int64_t first, int64_t count)
{
    const sedge_mesh *const mesh = writer->session->mesh;
    const int64_t values = writer->values;
    const bool wide = writer->rows == NULL;
    const size_t bytes = (size_t)values * (wide ? sizeof(double) : sizeof(float));
    float *const narrow = writer->rows;

    for (int64_t e = first; e < first + count; e++) {
        const double *const u = writer->u + e * values;
        float *const row = wide ? NULL : narrow + (e - first) * values;

        for (int64_t i = 0; i < values && !wide; i++) row[i] = (float)u[i];
        writer->sums[e] = checkpoint_sum(mesh->global_ids[e], writer->energy[e],
                                         wide ? (const void *)u : (const void *)row, bytes);
    }
    return wide ? (const void *)(writer->u + first * values) : writer->rows;
}

// All ranks: the elements, fields block by block; as many rounds as the largest rank needs.
static sedge_status fill_file(const checkpoint_writer *writer, sedge_h5 *file)
{
    const sedge_comm *const comm = writer->session->comm;
    const sedge_mesh *const mesh = writer->session->mesh;
    const sedge_h5_type type = writer->rows == NULL ? SEDGE_H5_F64 : SEDGE_H5_F32;
    const struct {
        const char *path;
        sedge_h5_type type;
        const void *data;
    } columns[] = {{"/elements", SEDGE_H5_I64, mesh->global_ids},
                   {"/energy", SEDGE_H5_F64, writer->energy},
                   {"/checksums", SEDGE_H5_I64, writer->sums}};

    for (int64_t e = 0; e < writer->most; e += writer->block) {
        const int64_t left = mesh->elements > e ? mesh->elements - e : 0;
        const int64_t count = left < writer->block ? left : writer->block;
        const void *const rows = count > 0 ? store_rows(writer, e, count) : NULL;

        SEDGE_TRY(sedge_comm_agree(
            comm, sedge_h5_write(file, "/fields", type, writer->first + e, count, rows)));
    }
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        SEDGE_TRY(
            sedge_comm_agree(comm, sedge_h5_write(file, columns[i].path, columns[i].type,
                                                  writer->first, mesh->elements, columns[i].data)));
    }
    return SEDGE_OK;
}

static sedge_status prepare(checkpoint_writer *writer)
{
    const sedge_session *const session = writer->session;
    const sedge_comm *const comm = session->comm;
    json_t *facts = NULL;
    sedge_status status = SEDGE_OK;

    writer->values = (int64_t)session->problem.equation->fields * session->element->nodes;
    writer->first = sedge_comm_scan(comm, session->mesh->elements);
    writer->most = session->mesh->elements;
    sedge_comm_max_int(comm, &writer->most, 1);
    writer->block = BLOCK_BYTES / (8 * writer->values) + 1;
    if (writer->block > writer->most) writer->block = writer->most;
    SEDGE_TRY_GOTO(status, checkpoint_facts(&facts, session));
    if (sedge_comm_is_root(comm))
        status = checkpoint_print(&writer->header, session, writer->checkpoint, facts);
    if (status == SEDGE_OK && session->problem.precision != SEDGE_FP64)
        status = sedge_allocate(&writer->rows, writer->block * writer->values, sizeof(float));
    if (status == SEDGE_OK)
        status = sedge_allocate(&writer->sums, session->mesh->elements, sizeof *writer->sums);
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
    return sedge_comm_agree(comm, sedge_h5_close(file, status));
}

// Root: the file's name, and only then the older ones away.
static sedge_status publish(const char *temporary, const char *path, const char *folder, int keep)
{
    SEDGE_TRY(sedge_file_publish(temporary, path));
    SEDGE_TRY(remove_old(folder, "", keep));
    return remove_old(folder, ".tmp", 0);
}

sedge_status sedge_checkpoint_write(const sedge_session *session, const char *folder, int keep,
                                    const sedge_checkpoint *checkpoint, const double *u,
                                    const double *energy)
{
    const sedge_comm *const comm = session->comm;
    const bool root = sedge_comm_is_root(comm);
    checkpoint_writer writer = {
        .session = session, .checkpoint = checkpoint, .u = u, .energy = energy};
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
    sedge_release(writer.sums);
    return status;
}
