// Each array is written in the order of ranks, and read in equal shares: every rank reads a share
// of the rows and sends each to the rank that has its id now (checkpoint_directory.h).
#include "checkpoint_arrays.h"

#include "checkpoint_directory.h"
#include "checkpoint_file.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

#define ROUND_BYTES (32 << 20) // of rows that a rank writes, or reads and sends, at once

typedef struct array_paths {
    char group[192], ids[224], values[224], checksums[224];
} array_paths;

static array_paths find_paths(const sedge_named_array *named)
{
    array_paths paths;

    (void)snprintf(paths.group, sizeof paths.group, "/monitors/%.64s/%.63s", named->monitor,
                   named->array->name);
    (void)snprintf(paths.ids, sizeof paths.ids, "%s/ids", paths.group);
    (void)snprintf(paths.values, sizeof paths.values, "%s/values", paths.group);
    (void)snprintf(paths.checksums, sizeof paths.checksums, "%s/checksums", paths.group);
    return paths;
}

// ---- writing -----------------------------------------------------------------------------------

static sedge_status keep_values(checkpoint_array *array)
{
    const sedge_monitor_array *const from = array->named.array;
    const int64_t values = from->count * from->width;

    SEDGE_TRY(sedge_allocate(&array->values, values, sizeof *array->values));
    SEDGE_TRY(sedge_allocate(&array->sums, from->count, sizeof *array->sums));
    if (values > 0) memcpy(array->values, from->values, (size_t)values * sizeof *array->values);
    return SEDGE_OK;
}

sedge_status checkpoint_arrays_keep(checkpoint_array **out, const sedge_comm *comm,
                                    const sedge_named_array *arrays, int count)
{
    sedge_status status = sedge_allocate(out, count, sizeof **out);

    for (int i = 0; i < count && status == SEDGE_OK; i++) {
        (*out)[i].named = arrays[i];
        status = keep_values(&(*out)[i]);
    }
    SEDGE_TRY(sedge_comm_agree(comm, status));
    for (int i = 0; i < count; i++) {
        checkpoint_array *const array = &(*out)[i];

        array->all = array->named.array->count;
        array->first = sedge_comm_scan(comm, array->all);
        sedge_comm_sum_int(comm, &array->all, 1);
    }
    return SEDGE_OK;
}

void checkpoint_arrays_release(checkpoint_array *arrays, int count)
{
    for (int i = 0; i < count && arrays != NULL; i++) {
        sedge_release(arrays[i].values);
        sedge_release(arrays[i].sums);
    }
    sedge_release(arrays);
}

sedge_status checkpoint_arrays_make(sedge_h5 *file, const checkpoint_array *arrays, int count,
                                    int64_t *places)
{
    if (count > 0) SEDGE_TRY(sedge_h5_group(file, "/monitors"));
    for (int i = 0; i < count; i++, places += CHECKPOINT_SETS) {
        const sedge_named_array *const named = &arrays[i].named;
        const array_paths paths = find_paths(named);
        const int64_t shape[2] = {arrays[i].all, named->array->width};
        char monitor[128];

        (void)snprintf(monitor, sizeof monitor, "/monitors/%.64s", named->monitor);
        if (i == 0 || strcmp(arrays[i - 1].named.monitor, named->monitor) != 0)
            SEDGE_TRY(sedge_h5_group(file, monitor));
        SEDGE_TRY(sedge_h5_group(file, paths.group));
        SEDGE_TRY(sedge_h5_dataset(file, paths.ids, SEDGE_H5_I64, 1, shape));
        SEDGE_TRY(sedge_h5_dataset(file, paths.checksums, SEDGE_H5_I64, 1, shape));
        SEDGE_TRY(sedge_h5_dataset(file, paths.values, SEDGE_H5_F64, 2, shape));
        SEDGE_TRY(sedge_h5_place(file, paths.ids, &places[CHECKPOINT_IDS]));
        SEDGE_TRY(sedge_h5_place(file, paths.checksums, &places[CHECKPOINT_CHECKSUMS]));
        SEDGE_TRY(sedge_h5_place(file, paths.values, &places[CHECKPOINT_VALUES]));
    }
    return SEDGE_OK;
}

static sedge_status fill_array(const checkpoint_array *array, const sedge_write *file)
{
    const sedge_monitor_array *const from = array->named.array;
    const int64_t number = sizeof(int64_t);
    const int64_t row = from->width * (int64_t)sizeof(double);

    for (int64_t i = 0; i < from->count; i++) {
        array->sums[i] =
            checkpoint_sum(from->ids[i], 0.0, array->values + i * from->width, (size_t)row);
    }
    SEDGE_TRY(sedge_write_put(file, array->places[CHECKPOINT_IDS] + array->first * number,
                              from->ids, from->count * number));
    SEDGE_TRY(sedge_write_put(file, array->places[CHECKPOINT_CHECKSUMS] + array->first * number,
                              array->sums, from->count * number));
    return sedge_write_put(file, array->places[CHECKPOINT_VALUES] + array->first * row,
                           array->values, from->count * row);
}

sedge_status checkpoint_arrays_fill(const checkpoint_array *arrays, int count,
                                    const sedge_write *file)
{
    for (int i = 0; i < count; i++) SEDGE_TRY(fill_array(&arrays[i], file));
    return SEDGE_OK;
}

// ---- reading -----------------------------------------------------------------------------------

// An array that is being read.
typedef struct array_reader {
    const sedge_comm *comm;
    const char *path; // of the file, for messages
    sedge_h5 *file;
    const sedge_monitor_array *array;
    array_paths paths;
    int64_t first, count;     // rows of the file that this rank reads
    int64_t most;             // the largest count
    int64_t *ids;             // [count]
    int64_t *sums;            // [count]
    checkpoint_place *places; // [count]
    int64_t filled;           // rows of this rank that have arrived
} array_reader;

static sedge_status fail_damaged(const array_reader *reader, const char *what)
{
    return SEDGE_FAIL(SEDGE_ERR_DATA, "checkpoint '%s' is damaged: %s %s", reader->path,
                      reader->paths.group, what);
}

// This rank's share of the rows of the file.
static sedge_status find_share(array_reader *reader)
{
    const int64_t size = sedge_comm_size(reader->comm);
    const int64_t rank = sedge_comm_rank(reader->comm);
    int64_t shape[2];
    int64_t rows[3] = {reader->array->count, 0, 0};

    sedge_comm_sum_int(reader->comm, rows, 1);
    SEDGE_TRY(sedge_h5_shape(reader->file, reader->paths.values, SEDGE_H5_F64, 2, shape));
    SEDGE_TRY(sedge_h5_shape(reader->file, reader->paths.ids, SEDGE_H5_I64, 1, &rows[1]));
    SEDGE_TRY(sedge_h5_shape(reader->file, reader->paths.checksums, SEDGE_H5_I64, 1, &rows[2]));
    if (shape[0] != rows[0] || shape[1] != reader->array->width || rows[1] != rows[0] ||
        rows[2] != rows[0])
        return fail_damaged(reader, "has another shape than the monitor of this run");
    reader->first = rows[0] / size * rank + (rank < rows[0] % size ? rank : rows[0] % size);
    reader->count = rows[0] / size + (rank < rows[0] % size);
    reader->most = rows[0] / size + 1;
    SEDGE_TRY(sedge_allocate(&reader->ids, reader->count, sizeof *reader->ids));
    SEDGE_TRY(sedge_allocate(&reader->sums, reader->count, sizeof *reader->sums));
    return sedge_allocate(&reader->places, reader->count, sizeof *reader->places);
}

// Find which ranks have the rows that this rank reads. Collective.
static sedge_status find_places(array_reader *reader)
{
    const sedge_comm *const comm = reader->comm;
    const sedge_monitor_array *const array = reader->array;
    checkpoint_directory known = {0};
    bool fits = true;
    sedge_status status;

    SEDGE_TRY(sedge_comm_agree(comm, sedge_h5_read(reader->file, reader->paths.ids, SEDGE_H5_I64,
                                                   reader->first, reader->count, reader->ids)));
    SEDGE_TRY(
        sedge_comm_agree(comm, sedge_h5_read(reader->file, reader->paths.checksums, SEDGE_H5_I64,
                                             reader->first, reader->count, reader->sums)));
    for (int64_t i = 0; i < reader->count; i++)
        fits = fits && reader->ids[i] >= 0 && reader->ids[i] < array->limit;
    SEDGE_TRY(sedge_comm_agree(comm, fits ? SEDGE_OK : fail_damaged(reader, "has a wrong id")));
    SEDGE_TRY_GOTO(status, checkpoint_directory_create(&known, comm, array->limit, array->ids,
                                                       (int32_t)array->count));
    status = checkpoint_directory_ask(reader->places, &known, comm, reader->ids, reader->count);
done:
    checkpoint_directory_clear(&known);
    return status;
}

// Verify the rows from number `at` on, and address each to its rank: [place][values].
static sedge_status pack_rows(const array_reader *reader, int64_t at, const double *rows,
                              checkpoint_mail *packed)
{
    const size_t bytes = (size_t)reader->array->width * sizeof *rows;

    for (int64_t i = 0; i < packed->count; i++) {
        const double *const row = rows + i * reader->array->width;
        const checkpoint_place *const place = &reader->places[at + i];
        const int64_t element = place->element;
        char *const to = packed->rows + i * (int64_t)packed->bytes;

        if (checkpoint_sum(reader->ids[at + i], 0.0, row, bytes) != reader->sums[at + i])
            return fail_damaged(reader, "has a row without its checksum");
        if (place->rank < 0) return fail_damaged(reader, "has rows that this run does not have");
        memcpy(to, &element, sizeof element);
        memcpy(to + sizeof element, row, bytes);
        packed->to[i] = place->rank;
    }
    return SEDGE_OK;
}

// Read `count` rows from number `at` of this rank's on, and send them off. Collective.
static sedge_status read_round(array_reader *reader, int64_t at, int64_t count)
{
    const sedge_comm *const comm = reader->comm;
    const sedge_monitor_array *const array = reader->array;
    const size_t bytes = (size_t)array->width * sizeof(double);
    checkpoint_mail packed = {0};
    double *rows = NULL;
    char *received = NULL;
    int64_t got = 0;
    int64_t element;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, sedge_allocate(&rows, count, bytes)));
    SEDGE_TRY_GOTO(status, checkpoint_mail_create(&packed, comm, count, sizeof element + bytes));
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, sedge_h5_read(reader->file, reader->paths.values,
                                                                SEDGE_H5_F64, reader->first + at,
                                                                count, rows)));
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, pack_rows(reader, at, rows, &packed)));
    SEDGE_TRY_GOTO(status, checkpoint_mail_deal(&packed, comm, &received, &got));
    for (int64_t i = 0; i < got; i++) {
        const char *const from = received + i * (int64_t)(sizeof element + bytes);

        memcpy(&element, from, sizeof element);
        memcpy(array->values + element * array->width, from + sizeof element, bytes);
    }
    reader->filled += got;
done:
    checkpoint_mail_clear(&packed);
    sedge_release(rows);
    sedge_release(received);
    return status;
}

// Read the rows of one array. Collective.
static sedge_status read_array(array_reader *reader)
{
    const int64_t round = ROUND_BYTES / (reader->array->width * (int64_t)sizeof(double)) + 1;

    SEDGE_TRY(sedge_comm_agree(reader->comm, find_share(reader)));
    SEDGE_TRY(find_places(reader));
    for (int64_t at = 0; at < reader->most; at += round) {
        const int64_t left = reader->count > at ? reader->count - at : 0;
        SEDGE_TRY(read_round(reader, at, left < round ? left : round));
    }
    // The numbers of rows agree, so if one is missing another came twice.
    return sedge_comm_agree(reader->comm, reader->filled == reader->array->count
                                              ? SEDGE_OK
                                              : fail_damaged(reader, "has a row twice"));
}

sedge_status sedge_checkpoint_read_arrays(const sedge_session *session, const char *path,
                                          const sedge_named_array *arrays, int count)
{
    const sedge_comm *const comm = session->comm;
    sedge_h5 *file = NULL;
    bool any = false;

    for (int i = 0; i < count; i++) any = any || arrays[i].array->restore;
    if (!any) return SEDGE_OK;
    sedge_status status = sedge_comm_agree(comm, sedge_h5_open_read_shared(&file, path, comm));
    for (int i = 0; i < count && status == SEDGE_OK; i++) {
        array_reader reader = {.comm = comm, .path = path, .file = file, .array = arrays[i].array};

        if (!arrays[i].array->restore) continue;
        reader.paths = find_paths(&arrays[i]);
        status = read_array(&reader);
        sedge_release(reader.ids);
        sedge_release(reader.sums);
        sedge_release(reader.places);
    }
    return sedge_comm_agree(comm, sedge_h5_close(file, status));
}
