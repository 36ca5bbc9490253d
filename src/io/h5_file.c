#define _GNU_SOURCE // fallocate, memfd_create, dup3
#include "h5_file.h"

#include "base/file.h"
#include "base/memory.h"
#include "par/watch.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

// The compound {r, i} of two numbers of a type. Made once a process, as HDF5's own types are.
static hid_t complex_type(hid_t *made, hid_t part)
{
    const size_t size = H5Tget_size(part);

    if (*made > 0) return *made;
    *made = H5Tcreate(H5T_COMPOUND, 2 * size);
    if (*made >= 0 && (H5Tinsert(*made, "r", 0, part) < 0 || H5Tinsert(*made, "i", size, part) < 0))
        *made = H5I_INVALID_HID;
    return *made;
}

hid_t h5_stored_type(sedge_h5_type type)
{
    static hid_t complex = 0;

    switch (type) {
    case SEDGE_H5_F32:
        return H5T_IEEE_F32LE;
    case SEDGE_H5_F64:
        return H5T_IEEE_F64LE;
    case SEDGE_H5_I32:
        return H5T_STD_I32LE;
    case SEDGE_H5_I64:
        return H5T_STD_I64LE;
    case SEDGE_H5_U8:
        return H5T_STD_U8LE;
    case SEDGE_H5_COMPLEX:
        return complex_type(&complex, H5T_IEEE_F64LE);
    }
    return H5I_INVALID_HID;
}

hid_t h5_memory_type(sedge_h5_type type)
{
    static hid_t complex = 0;

    switch (type) {
    case SEDGE_H5_F32:
        return H5T_NATIVE_FLOAT;
    case SEDGE_H5_F64:
        return H5T_NATIVE_DOUBLE;
    case SEDGE_H5_I32:
        return H5T_NATIVE_INT32;
    case SEDGE_H5_I64:
        return H5T_NATIVE_INT64;
    case SEDGE_H5_U8:
        return H5T_NATIVE_UINT8;
    case SEDGE_H5_COMPLEX:
        return complex_type(&complex, H5T_NATIVE_DOUBLE);
    }
    return H5I_INVALID_HID;
}

// ---- space -------------------------------------------------------------------------------------

#define SPARE_BYTES   65536 // what HDF5 itself needs in a file
#define DATASET_BYTES 65536 // of one dataset's partly filled chunk and its index

// Reserve the first `bytes` bytes of an open file without changing its length; `path` is for
// messages.
static sedge_status reserve_bytes(int file, const char *path, int64_t bytes)
{
    struct statvfs space;
    struct stat about;
    struct rlimit limit;

    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && (rlim_t)bytes > limit.rlim_cur) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "cannot write '%s': File too large (%.2f MiB are needed; the limit of a "
                          "file's size, ulimit -f, is %.2f)",
                          path, (double)bytes / 1048576.0, (double)limit.rlim_cur / 1048576.0);
    }
    if (fallocate(file, FALLOC_FL_KEEP_SIZE, 0, bytes) == 0) return SEDGE_OK;
    if (errno != EOPNOTSUPP && errno != ENOSYS) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "cannot write '%s': %s (%.2f MiB are needed)", path,
                          strerror(errno), (double)bytes / 1048576.0);
    }
    // The file system cannot reserve: at least there must be room now.
    if (fstat(file, &about) != 0 || fstatvfs(file, &space) != 0)
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "cannot write '%s': %s", path, strerror(errno));
    const double missing = (double)bytes - 512.0 * (double)about.st_blocks;
    const double free_bytes = (double)space.f_bavail * (double)space.f_frsize;
    if (missing > free_bytes) {
        return SEDGE_FAIL(
            SEDGE_ERR_USAGE,
            "cannot write '%s': No space left on device (%.2f MiB are needed, %.2f MiB "
            "are free)",
            path, missing / 1048576.0, free_bytes / 1048576.0);
    }
    return SEDGE_OK;
}

// Is there room for a new file? Tried beside it, as HDF5 would give back what the file itself has.
static sedge_status try_space(const char *path, int64_t bytes)
{
    char trial[4096];

    if (snprintf(trial, sizeof trial, "%s.trial", path) >= (int)sizeof trial)
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "path too long: '%s'", path);
    (void)unlink(trial); // of a run that was killed
    const int file = open(trial, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file < 0)
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "cannot write '%s': %s", path, strerror(errno));
    (void)unlink(trial); // now already: a kill must not leave it behind
    const sedge_status status = reserve_bytes(file, path, bytes + SPARE_BYTES);
    (void)close(file);
    return status;
}

// Reserve `more` bytes beyond the end of the file at `path`.
static sedge_status reserve_file(const char *path, int64_t more)
{
    struct stat about;
    const int file = open(path, O_RDWR | O_CLOEXEC);

    if (file < 0)
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "cannot write '%s': %s", path, strerror(errno));
    sedge_status status = SEDGE_OK;
    if (fstat(file, &about) != 0) {
        status = SEDGE_FAIL(SEDGE_ERR_USAGE, "cannot write '%s': %s", path, strerror(errno));
    } else {
        status = reserve_bytes(file, path, (int64_t)about.st_size + more);
    }
    (void)close(file);
    return status;
}

sedge_status sedge_h5_reserve(const char *path)
{
    return reserve_file(path, 0);
}

// ---- files -------------------------------------------------------------------------------------

// What a rank needs before the file is opened: all that can fail alone.
static sedge_status file_make(sedge_h5 **out, const char *path)
{
    sedge_h5 *file = NULL;

    *out = NULL;
    (void)H5dont_atexit(); // what a damaged file leaves open it cannot close at the end either
    h5_note_failures();
    SEDGE_TRY(sedge_allocate(&file, 1, sizeof *file));
    *out = file;
    file->id = H5I_INVALID_HID;
    file->access = H5Pcreate(H5P_FILE_ACCESS);
    file->transfer = H5Pcreate(H5P_DATASET_XFER);
    if (file->access < 0 || file->transfer < 0) return h5_failure("open", path);
    SEDGE_TRY(sedge_allocate(&file->path, (int64_t)strlen(path) + 1, 1));
    memcpy(file->path, path, strlen(path) + 1);
    return SEDGE_OK;
}

static sedge_status file_release(sedge_h5 *file, sedge_status status)
{
    if (file == NULL) return status;
    if (file->access >= 0) (void)H5Pclose(file->access);
    if (file->transfer >= 0) (void)H5Pclose(file->transfer);
    sedge_release(file->path);
    sedge_release(file);
    return status;
}

// Files of series: the format that ordered writing needs (HDF5 1.10), and no locks. We are the only
// writer: what cannot be read at once is damaged, and is not tried again for minutes.
static bool series_access(hid_t access)
{
    return H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110) >= 0 &&
           H5Pset_file_locking(access, 0, 1) >= 0 && H5Pset_metadata_read_attempts(access, 1) >= 0;
}

// Collective: HDF5 duplicates the communicator.
static bool shared_access(hid_t access, hid_t transfer, const sedge_comm *comm)
{
    MPI_Comm world;

    sedge_comm_native(comm, &world);
    return H5Pset_fapl_mpio(access, world, MPI_INFO_NULL) >= 0 &&
           H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE) >= 0;
}

typedef enum file_use {
    FILE_NEW,
    FILE_NEW_SERIES,
    FILE_SERIES,
    FILE_SHARED,
    FILE_READ,       // of one rank
    FILE_READ_SHARED // of all
} file_use;

static sedge_status open_failure(file_use use, const char *path)
{
    if (use == FILE_READ || use == FILE_READ_SHARED) return h5_damage(path);
    return h5_failure(use == FILE_NEW || use == FILE_NEW_SERIES ? "create" : "open", path);
}

// Collective over `comm`; NULL: of this rank alone.
static sedge_status file_open(sedge_h5 **out, const char *path, file_use use,
                              const sedge_comm *comm)
{
    const bool reads = use == FILE_READ || use == FILE_READ_SHARED;
    const bool series = use == FILE_NEW_SERIES || use == FILE_SERIES || use == FILE_READ;
    const bool shared = use == FILE_SHARED || use == FILE_READ_SHARED;
    const bool make = use == FILE_NEW || use == FILE_NEW_SERIES;
    const unsigned mode = reads ? H5F_ACC_RDONLY : H5F_ACC_RDWR;
    const unsigned ordered = series ? (reads ? H5F_ACC_SWMR_READ : H5F_ACC_SWMR_WRITE) : 0U;
    sedge_h5 *file = NULL;

    *out = NULL;
    sedge_status status = sedge_comm_agree(comm, file_make(&file, path));
    if (status != SEDGE_OK) return file_release(file, status);
    bool ready = !series || series_access(file->access);
    if (shared) ready = shared_access(file->access, file->transfer, comm);
    status = sedge_comm_agree(comm, ready ? SEDGE_OK : open_failure(use, path));
    if (status != SEDGE_OK) return file_release(file, status);
    file->reads = reads;
    file->id = make ? H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, file->access)
                    : H5Fopen(path, mode | ordered, file->access);
    (void)H5Pclose(file->access); // now: all ranks are here
    file->access = H5I_INVALID_HID;
    if (file->id < 0) return file_release(file, open_failure(use, path));
    *out = file;
    return SEDGE_OK;
}

sedge_status sedge_h5_create(sedge_h5 **out, const char *path, int64_t bytes)
{
    *out = NULL;
    SEDGE_TRY(try_space(path, bytes));
    return file_open(out, path, FILE_NEW, NULL);
}

sedge_status sedge_h5_create_series(sedge_h5 **out, const char *path, int64_t bytes)
{
    *out = NULL;
    SEDGE_TRY(try_space(path, bytes));
    return file_open(out, path, FILE_NEW_SERIES, NULL);
}

// A file that only some ranks see would leave them waiting for the others within MPI.
static sedge_status see_together(const char *path, bool reads, const sedge_comm *comm)
{
    struct stat about;
    const bool is_here = stat(path, &about) == 0;
    const char *const why = is_here ? "" : strerror(errno);
    int64_t all[2] = {is_here, !is_here};
    sedge_status status = SEDGE_OK;

    sedge_comm_max_int(comm, all, 2);
    if (all[0] == 0 || all[1] == 0) return SEDGE_OK; // all are of one mind
    if (!is_here) {
        status = SEDGE_FAIL(reads ? SEDGE_ERR_DATA : SEDGE_ERR_USAGE,
                            "rank %d does not see '%s', which others do (%s): it must lie on a "
                            "file system that all nodes share",
                            sedge_comm_rank(comm), path, why);
    }
    return sedge_comm_agree(comm, status);
}

// Not merely out of reach for a while.
static bool is_gone(const void *path)
{
    struct stat about;

    return stat(path, &about) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

// All ranks open one file: one that vanishes meanwhile must not leave them waiting. Without the
// watch, which may want a thread too many, it would.
static sedge_status open_together(sedge_h5 **out, const char *path, file_use use,
                                  const sedge_comm *comm)
{
    enum { PERIOD = 20000 }; // ms; stated in h5.h
    char gone[4096 + 128];
    const sedge_watch watch = {PERIOD, is_gone, path, SEDGE_ERR_USAGE, gone};
    sedge_watch_thread *thread = NULL;

    *out = NULL;
    (void)snprintf(gone, sizeof gone, "cannot open '%s': %s: it vanished while the ranks opened it",
                   path, strerror(ENOENT));
    SEDGE_TRY(see_together(path, use == FILE_READ_SHARED, comm));
    if (sedge_watch_start(&thread, &watch) != SEDGE_OK) sedge_error_clear();
    const sedge_status status = file_open(out, path, use, comm);
    sedge_watch_end(thread);
    return status;
}

sedge_status sedge_h5_open_shared(sedge_h5 **out, const char *path, const sedge_comm *comm)
{
    return open_together(out, path, FILE_SHARED, comm);
}

sedge_status sedge_h5_open_series(sedge_h5 **out, const char *path, int64_t bytes, int datasets)
{
    *out = NULL;
    SEDGE_TRY(reserve_file(path, bytes + SPARE_BYTES + (int64_t)datasets * DATASET_BYTES));
    return file_open(out, path, FILE_SERIES, NULL);
}

sedge_status sedge_h5_open_read(sedge_h5 **out, const char *path)
{
    *out = NULL;
    SEDGE_TRY(sedge_file_check(path, SEDGE_ERR_DATA));
    return file_open(out, path, FILE_READ, NULL);
}

sedge_status sedge_h5_open_read_shared(sedge_h5 **out, const char *path, const sedge_comm *comm)
{
    return open_together(out, path, FILE_READ_SHARED, comm);
}

// The descriptor of a file that is not shared; -1: it has none that we could use.
static int find_descriptor(const sedge_h5 *file)
{
    const hid_t access = H5Fget_access_plist(file->id);
    void *handle = NULL;
    int descriptor = -1;

    if (access >= 0 && H5Pget_driver(access) == H5FD_SEC2 &&
        H5Fget_vfd_handle(file->id, access, &handle) >= 0 && handle != NULL)
        descriptor = *(const int *)handle;
    if (access >= 0) (void)H5Pclose(access);
    return descriptor;
}

// Can the first byte be written, as closing will do?
static bool can_be_closed(int descriptor)
{
    char first;

    return descriptor < 0 || pread(descriptor, &first, 1, 0) != 1 ||
           pwrite(descriptor, &first, 1, 0) == 1;
}

// HDF5 1.10 keeps a file that it cannot close, tries again when MPI ends, and crashes. Let it close
// a copy in memory: what it still writes is lost with that.
static void detach(int descriptor)
{
    struct stat about;
    off_t at = 0;
    const int copy = descriptor >= 0 ? memfd_create("sedge-detached", MFD_CLOEXEC) : -1;

    if (copy < 0) return;
    while (fstat(descriptor, &about) == 0 && at < about.st_size)
        if (sendfile(copy, descriptor, &at, (size_t)(about.st_size - at)) <= 0) break;
    (void)dup3(copy, descriptor, O_CLOEXEC);
    (void)close(copy);
}

// Bring all to the disk that closing needs there; after a failure the file can be closed, too.
static sedge_status finish_writing(const sedge_h5 *file)
{
    const int descriptor = find_descriptor(file);
    const bool flushed = H5Fflush(file->id, H5F_SCOPE_LOCAL) >= 0;

    if (flushed && can_be_closed(descriptor)) return SEDGE_OK;
    if (flushed) h5_keep_reason(strerror(errno));
    const sedge_status status = h5_failure("write", file->path);
    detach(descriptor);
    return status;
}

sedge_status sedge_h5_close(sedge_h5 *file, sedge_status status)
{
    char first[4096]; // the message of the failure that came first

    if (file == NULL) return status;
    (void)snprintf(first, sizeof first, "%s", sedge_error_message());
    const sedge_status before = status;
    if (!file->reads) {
        const sedge_status written = finish_writing(file);
        if (written != SEDGE_OK) status = written;
    }
    if (H5Fclose(file->id) < 0 && status == SEDGE_OK) status = h5_failure("close", file->path);
    if (before != SEDGE_OK) {
        sedge_error_set(first);
        status = before;
    }
    return file_release(file, status);
}

// ---- groups, links, attributes -----------------------------------------------------------------

sedge_status sedge_h5_group(sedge_h5 *file, const char *path)
{
    const hid_t group = H5Gcreate2(file->id, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);

    if (group < 0 || H5Gclose(group) < 0) return h5_failure("write", file->path);
    return SEDGE_OK;
}

sedge_status sedge_h5_link(sedge_h5 *file, const char *path, const char *target_file,
                           const char *target_path)
{
    if (H5Lcreate_external(target_file, target_path, file->id, path, H5P_DEFAULT, H5P_DEFAULT) < 0)
        return h5_failure("write", file->path);
    return SEDGE_OK;
}

// Write an attribute of `stored` type: a scalar for count < 0. Closes `stored` if `owned`.
static sedge_status attribute(sedge_h5 *file, const char *object, const char *name, hid_t stored,
                              hid_t memory, int count, const void *data)
{
    const hsize_t length = (hsize_t)(count < 0 ? 1 : count);
    const hid_t space = count < 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &length, NULL);
    hid_t id = H5I_INVALID_HID;

    if (space >= 0) {
        id = H5Acreate_by_name(file->id, object, name, stored, space, H5P_DEFAULT, H5P_DEFAULT,
                               H5P_DEFAULT);
    }
    bool good = id >= 0 && H5Awrite(id, memory, data) >= 0;
    if (id >= 0) good = H5Aclose(id) >= 0 && good;
    if (space >= 0) (void)H5Sclose(space);
    return good ? SEDGE_OK : h5_failure("write", file->path);
}

static sedge_status text_attribute(sedge_h5 *file, const char *object, const char *name, int count,
                                   const char *const *texts)
{
    const hid_t type = H5Tcopy(H5T_C_S1);

    if (type < 0 || H5Tset_size(type, H5T_VARIABLE) < 0 || H5Tset_cset(type, H5T_CSET_UTF8) < 0)
        return h5_failure("write", file->path);
    const sedge_status status = attribute(file, object, name, type, type, count, texts);
    (void)H5Tclose(type);
    return status;
}

sedge_status sedge_h5_text(sedge_h5 *file, const char *object, const char *name, const char *text)
{
    return text_attribute(file, object, name, -1, &text);
}

sedge_status sedge_h5_texts(sedge_h5 *file, const char *object, const char *name,
                            const char *const *texts, int count)
{
    return text_attribute(file, object, name, count, texts);
}

sedge_status sedge_h5_ascii(sedge_h5 *file, const char *object, const char *name, const char *text)
{
    const hid_t type = H5Tcopy(H5T_C_S1);

    if (type < 0 || H5Tset_size(type, strlen(text)) < 0 || H5Tset_strpad(type, H5T_STR_NULLPAD) < 0)
        return h5_failure("write", file->path);
    const sedge_status status = attribute(file, object, name, type, type, -1, text);
    (void)H5Tclose(type);
    return status;
}

sedge_status sedge_h5_real(sedge_h5 *file, const char *object, const char *name, double value)
{
    return attribute(file, object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, -1, &value);
}

sedge_status sedge_h5_reals(sedge_h5 *file, const char *object, const char *name,
                            const double *values, int count)
{
    return attribute(file, object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, count, values);
}

sedge_status sedge_h5_integer(sedge_h5 *file, const char *object, const char *name, int64_t value)
{
    return attribute(file, object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, -1, &value);
}

sedge_status sedge_h5_integers(sedge_h5 *file, const char *object, const char *name,
                               const int64_t *values, int count)
{
    return attribute(file, object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, count, values);
}

// ---- datasets ----------------------------------------------------------------------------------

sedge_status sedge_h5_dataset(sedge_h5 *file, const char *path, sedge_h5_type type, int rank,
                              const int64_t *shape)
{
    hsize_t extent[SEDGE_H5_DIMENSIONS];
    hid_t id = H5I_INVALID_HID;

    assert(rank >= 1 && rank <= SEDGE_H5_DIMENSIONS);
    for (int d = 0; d < rank; d++) extent[d] = (hsize_t)shape[d];
    const hid_t space = H5Screate_simple(rank, extent, NULL);
    const hid_t create = H5Pcreate(H5P_DATASET_CREATE);
    // All of it is written later: filling it first would double the traffic.
    if (space >= 0 && create >= 0 && H5Pset_fill_time(create, H5D_FILL_TIME_NEVER) >= 0 &&
        H5Pset_alloc_time(create, H5D_ALLOC_TIME_EARLY) >= 0) {
        id = H5Dcreate2(file->id, path, h5_stored_type(type), space, H5P_DEFAULT, create,
                        H5P_DEFAULT);
    }
    if (create >= 0) (void)H5Pclose(create);
    if (space >= 0) (void)H5Sclose(space);
    if (id < 0 || H5Dclose(id) < 0) return h5_failure("write", file->path);
    return SEDGE_OK;
}

hid_t h5_select_rows(hid_t space, int rank, hsize_t *count, int64_t first, int64_t rows)
{
    hsize_t start[SEDGE_H5_DIMENSIONS] = {(hsize_t)first};

    count[0] = (hsize_t)rows;
    const hid_t memory = H5Screate_simple(rank, count, NULL);
    bool good = memory >= 0;
    if (rows > 0) {
        good = good && H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0;
    } else {
        good = good && H5Sselect_none(space) >= 0 && H5Sselect_none(memory) >= 0;
    }
    if (good) return memory;
    if (memory >= 0) (void)H5Sclose(memory);
    return H5I_INVALID_HID;
}

// Write rows [first, first + rows) of the open dataset `id`.
static bool write_rows(const sedge_h5 *file, hid_t id, sedge_h5_type type, int64_t first,
                       int64_t rows, const void *data)
{
    hsize_t count[SEDGE_H5_DIMENSIONS] = {0};
    const hid_t space = H5Dget_space(id);

    if (space < 0) return false;
    const int rank = H5Sget_simple_extent_dims(space, count, NULL);
    assert(rank >= 1 && rank <= SEDGE_H5_DIMENSIONS);
    const hid_t memory = h5_select_rows(space, rank, count, first, rows);
    const bool good =
        memory >= 0 && H5Dwrite(id, h5_memory_type(type), memory, space, file->transfer, data) >= 0;
    if (memory >= 0) (void)H5Sclose(memory);
    (void)H5Sclose(space);
    return good;
}

sedge_status sedge_h5_write(sedge_h5 *file, const char *path, sedge_h5_type type, int64_t first,
                            int64_t rows, const void *data)
{
    static const char nothing[8] = {0}; // HDF5 wants a buffer even for an empty selection
    const hid_t id = H5Dopen2(file->id, path, H5P_DEFAULT);

    if (id < 0) return h5_failure("write", file->path);
    const bool written = write_rows(file, id, type, first, rows, rows > 0 ? data : nothing);
    const sedge_status status = written ? SEDGE_OK : h5_failure("write", file->path);
    if (H5Dclose(id) < 0 && written) return h5_failure("write", file->path);
    return status;
}

sedge_status sedge_h5_put(sedge_h5 *file, const char *path, sedge_h5_type type, int rank,
                          const int64_t *shape, const void *data)
{
    SEDGE_TRY(sedge_h5_dataset(file, path, type, rank, shape));
    return sedge_h5_write(file, path, type, 0, shape[0], data);
}

sedge_status sedge_h5_series(sedge_h5 *file, const char *path, sedge_h5_type type, int rank,
                             const int64_t *shape, int64_t chunk_rows)
{
    hsize_t extent[SEDGE_H5_DIMENSIONS] = {0};
    hsize_t limit[SEDGE_H5_DIMENSIONS] = {H5S_UNLIMITED};
    hsize_t chunk[SEDGE_H5_DIMENSIONS] = {(hsize_t)chunk_rows};
    hid_t id = H5I_INVALID_HID;

    assert(rank >= 0 && rank < SEDGE_H5_DIMENSIONS);
    for (int d = 0; d < rank; d++) {
        extent[d + 1] = (hsize_t)shape[d];
        limit[d + 1] = extent[d + 1];
        chunk[d + 1] = extent[d + 1];
    }
    const hid_t space = H5Screate_simple(rank + 1, extent, limit);
    const hid_t create = H5Pcreate(H5P_DATASET_CREATE);
    if (space >= 0 && create >= 0 && H5Pset_chunk(create, rank + 1, chunk) >= 0) {
        id = H5Dcreate2(file->id, path, h5_stored_type(type), space, H5P_DEFAULT, create,
                        H5P_DEFAULT);
    }
    if (create >= 0) (void)H5Pclose(create);
    if (space >= 0) (void)H5Sclose(space);
    if (id < 0 || H5Dclose(id) < 0) return h5_failure("write", file->path);
    return SEDGE_OK;
}

sedge_status sedge_h5_extend(sedge_h5 *file, const char *path, sedge_h5_type type, int64_t rows,
                             const void *data)
{
    hsize_t extent[SEDGE_H5_DIMENSIONS];
    sedge_status status = SEDGE_OK;
    const hid_t id = H5Dopen2(file->id, path, H5P_DEFAULT);

    if (id < 0) return h5_failure("write", file->path);
    const hid_t space = H5Dget_space(id);
    bool good = space >= 0 && H5Sget_simple_extent_dims(space, extent, NULL) >= 1;
    if (space >= 0) (void)H5Sclose(space);
    if (good && rows > 0) {
        const int64_t first = (int64_t)extent[0];

        extent[0] += (hsize_t)rows;
        good = H5Dset_extent(id, extent) >= 0 && write_rows(file, id, type, first, rows, data);
    }
    if (!good) status = h5_failure("write", file->path);
    if (H5Dclose(id) < 0 && good) status = h5_failure("write", file->path);
    return status;
}
