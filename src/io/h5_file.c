#define _GNU_SOURCE // fallocate, memfd_create, dup3
#include "h5_file.h"

#include "base/file.h"
#include "base/memory.h"
#include "par/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

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

// Where ulimit -f limits the size of files, it limits copies in memory, too.
static atomic_bool left_open;

bool sedge_h5_is_left_open(void)
{
    return atomic_load(&left_open);
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
    if (H5Fclose(file->id) < 0) {
        if (!file->reads) atomic_store(&left_open, true);
        if (status == SEDGE_OK) status = h5_failure("close", file->path);
    }
    if (before != SEDGE_OK) {
        sedge_error_set(first);
        status = before;
    }
    return file_release(file, status);
}
