// What cannot be written is said: folder, file, reason, the same on every rank, and nothing stays
// behind that looks complete.
#define _GNU_SOURCE // O_DIRECTORY, flock
#include "output_case.h"
#include "shelter.h"

#include "base/file.h"
#include "io/folder_lock.h"
#include "io/h5.h"
#include "io/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static sedge_status try_open(output_case *c)
{
    case_close(c);
    return case_try(c, NULL);
}

// Root may write anywhere, so the folder lies below a regular file, and in a file system of none.
static void test_folder(const sedge_comm *comm)
{
    output_case c;
    char file[600];

    case_make(&c, comm, 1, "errors", 0.0);
    (void)snprintf(file, sizeof file, "%s-file", c.folder);
    if (sedge_comm_is_root(comm)) CHECK_OK(sedge_file_write(file, "x", 1));
    sedge_comm_barrier(comm);
    (void)snprintf(c.folder, sizeof c.folder, "%.500s/out", file);
    CHECK_FAILS(try_open(&c), SEDGE_ERR_USAGE, "cannot write into output folder '");
    CHECK_FAILS(try_open(&c), SEDGE_ERR_USAGE, "errors-np");
    CHECK(c.monitors == NULL);
    c.deck.output = file; // a regular file itself
    CHECK_FAILS(try_open(&c), SEDGE_ERR_USAGE, "cannot write into output folder '");
    (void)strcpy(c.folder, "/proc");
    c.deck.output = c.folder;
    CHECK_FAILS(try_open(&c), SEDGE_ERR_USAGE, "cannot write into output folder '/proc': ");
    CHECK(c.monitors == NULL);
    case_free(&c);
}

// A user who is not root: "Permission denied" in so many words. Skipped for root, who may.
static void test_permission(const sedge_comm *comm)
{
    output_case c;

    if (geteuid() == 0) return;
    case_make(&c, comm, 1, "locked", 0.0);
    if (sedge_comm_is_root(comm)) {
        (void)mkdir(c.folder, 0777);
        CHECK(chmod(c.folder, 0555) == 0);
    }
    sedge_comm_barrier(comm);
    CHECK_FAILS(try_open(&c), SEDGE_ERR_USAGE, "': Permission denied");
    case_free(&c);
}

// The folder vanishes during the run: every monitor says which file it cannot write, on all ranks.
// Slices come before snapshots, whose mesh file a thread writes: it may be done or not.
static void test_folder_lost(const sedge_comm *comm, int slices)
{
    output_case c;
    sedge_deck_slice cut = {.name = "cut", .axis = 0, .position = 0.3, .resolution = 8};
    sedge_deck_probe probe = {.name = "p", .position = {0.3, 0.2, 0.1}};
    char moved[700];

    case_make(&c, comm, 2, "lost", 0.0);
    case_fill(&c, 1.0);
    c.deck.slices = &cut;
    c.deck.slice_count = slices;
    c.deck.probes = &probe;
    c.deck.probe_count = 1;
    case_open(&c);
    (void)snprintf(moved, sizeof moved, "%s-moved", c.folder);
    if (sedge_comm_is_root(comm)) CHECK(rename(c.folder, moved) == 0);
    sedge_comm_barrier(comm);
    sedge_sample_begin(c.sample, 0.0, 0);
    CHECK_OK(sedge_monitors_record(c.monitors, c.sample));
    CHECK_FAILS(sedge_monitors_flush(c.monitors), SEDGE_ERR_USAGE,
                "probes.h5': No such file or directory");
    if (slices > 0) {
        CHECK_FAILS(sedge_monitors_flush(c.monitors), SEDGE_ERR_USAGE,
                    "slices.h5': No such file or directory");
    }
    CHECK_OK(sedge_monitors_energy(c.monitors, 0, 0.0, 1.0));
    CHECK_FAILS(sedge_monitors_sample(c.monitors, c.sample), SEDGE_ERR_USAGE,
                ".hdf.tmp': No such file or directory");
    CHECK_FAILS(sedge_monitors_flush(c.monitors), SEDGE_ERR_USAGE,
                "energy.h5': No such file or directory");
    sedge_comm_barrier(comm);
    if (sedge_comm_is_root(comm)) CHECK(rename(moved, c.folder) == 0);
    case_free(&c);
}

// The folder may be the one that meshes and notes lie in: only what sedge itself names goes.
static void test_neighbours(const sedge_comm *comm)
{
    static const char *const theirs[] = {
        "mesh-fine.msh",  "mesh-.hdf",      "mesh-0123.hdf",      "energy.h5.bak",
        "probes.h5.old",  "fields_1.hdf",   "fields_000000.hdfx", "energy.h5.before-noon",
        "deck.yaml.tmp.", "report.json.bak"};
    static const char *const ours[] = {"mesh-0123456789abcdef.hdf",
                                       "mesh-0123456789abcdef.hdf.tmp",
                                       "energy.h5.tmp",
                                       "slices.h5.before-12",
                                       "fields_000007.hdf",
                                       "fields_1000000.hdf.tmp",
                                       "deck.yaml.tmp.0123456789abcdef",
                                       "fields.hdf.series.tmp.0123456789abcdef",
                                       "report.json.tmp.0123456789abcdef",
                                       "report.json"};
    output_case c;

    case_make(&c, comm, 1, "neighbours", 0.0);
    if (sedge_comm_is_root(comm)) {
        (void)mkdir(c.folder, 0777);
        for (size_t i = 0; i < sizeof theirs / sizeof *theirs; i++)
            CHECK_OK(sedge_file_write(case_path(&c, theirs[i]), "x", 1));
        for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
            CHECK_OK(sedge_file_write(case_path(&c, ours[i]), "x", 1));
    }
    sedge_comm_barrier(comm);
    case_open(&c);
    for (size_t i = 0; i < sizeof theirs / sizeof *theirs; i++)
        CHECK(access(case_path(&c, theirs[i]), F_OK) == 0);
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        CHECK(access(case_path(&c, ours[i]), F_OK) != 0);
    case_free(&c);
}

// A file of series that was cut short is refused, not appended to.
static void test_series_damaged(const sedge_comm *comm)
{
    output_case c;

    case_make(&c, comm, 1, "damaged", 0.0);
    case_open(&c);
    if (sedge_comm_is_root(comm)) CHECK(truncate(case_path(&c, "energy.h5"), 40) == 0);
    CHECK_FAILS(case_sample(&c, 0.0, 0), SEDGE_ERR_USAGE, "cannot open '");
    case_free(&c);
}

// The descriptor under which this process has `path` open; -1: none.
static int find_descriptor(const char *path)
{
    struct stat wanted;
    struct stat about;

    if (stat(path, &wanted) != 0) return -1;
    for (int file = 3; file < 256; file++) {
        if (fstat(file, &about) == 0 && about.st_ino == wanted.st_ino &&
            about.st_dev == wanted.st_dev)
            return file;
    }
    return -1;
}

// A device that fails in the middle of writing. HDF5 keeps a file that it cannot close, tries again
// when MPI ends, and crashes: the test's own exit code shows it.
static void test_write_failing(const sedge_comm *comm)
{
    const char *path = NULL;
    sedge_h5 *file = NULL;
    output_case c;

    case_make(&c, comm, 1, "failing", 0.0);
    case_open(&c);
    path = case_path(&c, "energy.h5");
    if (sedge_comm_is_root(comm)) {
        CHECK_OK(sedge_h5_open_series(&file, path, 4096, 1));
        const int descriptor = find_descriptor(path);
        const int full = open("/dev/full", O_RDWR);
        CHECK(descriptor >= 0 && full >= 0 && dup2(full, descriptor) == descriptor);
        (void)close(full);
        CHECK_FAILS(sedge_h5_close(file, SEDGE_OK), SEDGE_ERR_USAGE, "No space left on device");
        CHECK(find_descriptor(path) < 0);
    }
    sedge_comm_barrier(comm);
    case_free(&c);
}

// A full disk, where a small one can be mounted: the message says so, what is listed is complete,
// nothing half-written stays. All sizes from nothing to enough, so that every part is hit.
static void test_disk_full(const sedge_comm *comm)
{
    static const int kibibytes[] = {4, 80, 140, 200, 300, 500, 700, 900, 1200};
    output_case c;

    case_make(&c, comm, 6, "full", 0.0);
    c.deck.snapshots = 20;
    case_fill(&c, 1.0);
    for (size_t i = 0; i < sizeof kibibytes / sizeof *kibibytes; i++) {
        int64_t mounted = 0;
        int written = 0;

        if (sedge_comm_is_root(comm)) {
            char size[32];

            (void)snprintf(size, sizeof size, "size=%dk", kibibytes[i]);
            (void)mkdir(c.folder, 0777);
            mounted = mount("none", c.folder, "tmpfs", 0, size) == 0;
        }
        sedge_comm_max_int(comm, &mounted, 1);
        if (mounted == 0) break; // not allowed here
        sedge_status status = try_open(&c);
        for (int k = 0; k < 20 && status == SEDGE_OK; k++) {
            status = case_sample(&c, k, k * CASE_STEPS / 20);
            if (status == SEDGE_OK) written++;
        }
        CHECK(status == SEDGE_ERR_USAGE);
        CHECK(strstr(sedge_error_message(), "No space left on device") != NULL);
        case_close(&c);
        if (sedge_comm_is_root(comm)) {
            char name[64];

            (void)snprintf(name, sizeof name, "fields_%06d.hdf.tmp", written);
            CHECK(access(case_path(&c, name), F_OK) != 0);
            CHECK(umount2(c.folder, MNT_DETACH) == 0);
        }
    }
    case_free(&c);
}

// ---- the writer --------------------------------------------------------------------------------

static sedge_status fail_copy(void *of)
{
    return SEDGE_FAIL(SEDGE_ERR_DEVICE, "%s", (const char *)of);
}

// What is added is written in order, each part at its place; what fails says why and what comes
// after it is still written.
static void test_writer(const sedge_comm *comm)
{
    static const char text[] = "0123456789";
    static char why[] = "the copy is lost";
    char path[600], *read = NULL;
    sedge_writer *writer = NULL;
    sedge_write writes[4] = {{.count = 1, .part = {{0, 10, text}}},
                             {.count = 1, .part = {{1, 2, text}}, .wait = fail_copy, .of = why},
                             {.count = 1, .part = {{0, 1, text}}},
                             {.count = 3, .part = {{3, 2, text + 8}, {0, 0, NULL}, {12, 1, text}}}};
    size_t length = 0;

    (void)snprintf(path, sizeof path, "%s/written-%d-%d", SEDGE_TEST_DIR, sedge_comm_size(comm),
                   sedge_comm_rank(comm));
    CHECK_OK(sedge_file_write(path, "", 0));
    CHECK_OK(sedge_writer_create(&writer));
    if (writer == NULL) return;
    for (int i = 0; i < 4; i++) {
        (void)snprintf(writes[i].path, sizeof writes[i].path, "%s", i == 2 ? "/dev/full" : path);
        sedge_writer_add(writer, &writes[i]);
    }
    CHECK_OK(sedge_writer_finish(writer, &writes[3]));
    for (int i = 0; i < 4; i++) CHECK(sedge_writer_is_done(writer, &writes[i]));
    CHECK_OK(sedge_writer_finish(writer, &writes[0]));
    CHECK_FAILS(sedge_writer_finish(writer, &writes[1]), SEDGE_ERR_DEVICE, why);
    CHECK_FAILS(sedge_writer_finish(writer, &writes[2]), SEDGE_ERR_USAGE,
                "cannot write '/dev/full': No space left on device");
    (void)strcpy(writes[2].path, "/none/here");
    sedge_writer_add(writer, &writes[2]);
    sedge_writer_free(writer); // when all is done
    CHECK(writes[2].done && strstr(writes[2].message, "'/none/here': No such file") != NULL);
    CHECK_OK(sedge_file_read(&read, &length, path, SEDGE_ERR_DATA));
    CHECK(length == 13 && read != NULL && memcmp(read, "0128956789\0\0000", 13) == 0);
    sedge_release(read);
}

// A process of another user that holds what it can open of the folder, says so, and ends when
// `ends[1]` closes.
static pid_t start_other(const char *folder, const char *lock, const int ends[2])
{
    const pid_t child = fork();
    char byte;

    if (child != 0) return child;
    (void)close(ends[1]);
    if (setgid(65534) != 0 || setuid(65534) != 0) _exit(1);
    const int held = open(folder, O_RDONLY | O_DIRECTORY);
    if (held < 0 || flock(held, LOCK_EX | LOCK_NB) != 0) _exit(2);
    if (open(lock, O_RDONLY) >= 0 || errno != EACCES) _exit(3);
    (void)!write(ends[0], "x", 1);
    (void)!read(ends[0], &byte, 1);
    _exit(0);
}

// A folder takes one run at a time, which others who may read the folder cannot prevent.
static void test_hold(const sedge_comm *comm)
{
    const bool is_root = sedge_comm_is_root(comm);
    const bool tries_others = is_root && geteuid() == 0 && others_come(SEDGE_TEST_DIR);
    sedge_folder_lock *first = NULL;
    sedge_folder_lock *second = NULL;
    char folder[256];
    char lock[300];
    int ends[2];
    int state = -1;
    pid_t other = 0;
    char byte;

    (void)snprintf(folder, sizeof folder, "%s/lock-%d", SEDGE_TEST_DIR, sedge_comm_size(comm));
    (void)snprintf(lock, sizeof lock, "%s/.sedge-run", folder);
    if (is_root) { // what a killed run left
        CHECK_OK(sedge_folder_make(folder));
        CHECK_OK(sedge_file_write(lock, "", 0));
        CHECK(chmod(folder, 0755) == 0 && chmod(lock, 0600) == 0);
        CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    }
    if (tries_others) {
        other = start_other(folder, lock, ends);
        CHECK(other > 0 && close(ends[0]) == 0 && read(ends[1], &byte, 1) == 1);
    } else if (is_root) {
        printf(
            "locks of other users: not tried, it takes root and a build folder that they reach\n");
    }
    CHECK_OK(sedge_output_folder_lock(&first, comm, folder));
    CHECK_FAILS(sedge_output_folder_lock(&second, comm, folder), SEDGE_ERR_USAGE,
                "another run writes into output folder '");
    sedge_output_folder_unlock(first);
    sedge_comm_barrier(comm);
    if (is_root) CHECK(access(lock, F_OK) != 0); // nothing stays behind
    sedge_comm_barrier(comm);
    CHECK_OK(sedge_output_folder_lock(&first, comm, folder));
    if (is_root) { // somebody removed it: the next run takes a new one, and this one leaves that
                   // alone
        CHECK(unlink(lock) == 0);
        CHECK_OK(sedge_file_write(lock, "", 0));
    }
    sedge_output_folder_unlock(first);
    if (is_root) CHECK(access(lock, F_OK) == 0 && close(ends[1]) == 0);
    if (tries_others) {
        CHECK(waitpid(other, &state, 0) == other && WIFEXITED(state) && WEXITSTATUS(state) == 0);
        CHECK(chmod(folder, 0777) == 0 && chmod(lock, 0600) == 0 && seteuid(65534) == 0);
    }
    int64_t tried = tries_others;
    sedge_comm_max_int(comm, &tried, 1);
    if (tried != 0) {
        CHECK_FAILS(sedge_output_folder_lock(&second, comm, folder), SEDGE_ERR_USAGE,
                    "/.sedge-run', which belongs to a run of another user");
    }
    if (tries_others) CHECK(seteuid(0) == 0);
}

int main(void)
{
    sedge_comm *comm = NULL;

    CHECK_OK(sedge_comm_create(&comm, NULL));
    test_folder(comm);
    test_permission(comm);
    test_folder_lost(comm, 1);
    test_folder_lost(comm, 0);
    test_neighbours(comm);
    test_series_damaged(comm);
    test_write_failing(comm);
    test_disk_full(comm);
    test_writer(comm);
    test_hold(comm);
    sedge_comm_free(comm);
    return CHECK_END();
}
