// Who could change what is opened: modes, owners, links, shelter.
#define _GNU_SOURCE
#include "base/file.h"
#include "base/memory.h"
#include "base/trust.h"
#include "check.h"
#include "shelter.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

static const uid_t third = 65533;

// The absolute path of the working directory of all tests here, which other users can reach: the
// build folder, or a new folder in /tmp where the build lies below a folder of this user alone, as
// Debian's /root is. Nothing in such a folder would be refused.
static char place[PATH_MAX];

static void choose_place(void)
{
    static const char reachable[] = "/tmp/sedge-trust-XXXXXX";

    (void)snprintf(place, sizeof place, "%s", SEDGE_TEST_DIR);
    if (!others_come(SEDGE_TEST_DIR)) {
        (void)snprintf(place, sizeof place, "%s", reachable);
        CHECK(mkdtemp(place) != NULL && chmod(place, 0755) == 0);
    }
    CHECK(chdir(place) == 0);
}

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *at)
{
    (void)about;
    (void)kind;
    (void)at;
    return remove(path);
}

static void leave_place(void)
{
    CHECK(chdir("/") == 0);
    if (strcmp(place, SEDGE_TEST_DIR) != 0)
        CHECK(nftw(place, remove_entry, 16, FTW_DEPTH | FTW_PHYS) == 0);
}

// The absolute path of `name`, which begins with a slash, in the place. Two can be in use at once.
static const char *at_place(const char *name)
{
    static char paths[2][2 * PATH_MAX];
    static int last;

    last = 1 - last;
    (void)snprintf(paths[last], sizeof paths[last], "%s%s", place, name);
    return paths[last];
}

// A fresh tree: top/way/folder/file; a link beside the folder, and one to the file.
static void make_tree(void)
{
    CHECK_OK(sedge_folder_make("top/way/folder"));
    CHECK(chmod("top", 0755) == 0 && chmod("top/way", 0755) == 0);
    CHECK(chmod("top/way/folder", 0755) == 0);
    if (geteuid() == 0) CHECK(chown("top", 0, 0) == 0 && chown("top/way", 0, 0) == 0);
    (void)unlink("top/way/folder/file");
    CHECK_OK(sedge_file_write("top/way/folder/file", "text", 4));
    CHECK(chmod("top/way/folder/file", 0644) == 0);
    (void)unlink("top/link");
    (void)unlink("top/way/folder/alias");
    CHECK(symlink("way", "top/link") == 0 && symlink("file", "top/way/folder/alias") == 0);
}

static void check_opens(const char *path)
{
    char *text = NULL;
    size_t length = 0;
    int file = -1;

    CHECK_OK(sedge_trust_open(&file, path));
    CHECK(file >= 0);
    if (file < 0) return;
    CHECK_OK(sedge_file_take(&text, &length, file, path, SEDGE_ERR_DATA));
    CHECK(length == 4 && text != NULL && strcmp(text, "text") == 0);
    sedge_release(text);
}

static void check_refused(const char *path, const char *why)
{
    int file = 7;

    CHECK_FAILS(sedge_trust_open(&file, path), SEDGE_ERR_USAGE, why);
    CHECK(file == -1);
}

static void test_good_ways(void)
{
    int file = 7;

    make_tree();
    check_opens("top/way/folder/file");
    check_opens(at_place("/top/way/../way/./folder//file"));
    check_opens("top/link/folder/file");
    check_opens("top/link/folder/alias");
    CHECK_OK(sedge_trust_open(&file, "top/way/folder/none"));
    CHECK(file == -1);
    check_refused("top/nowhere/file", "'./top/nowhere': No such file");
    check_refused("top/way/folder/file/x", "Not a directory");
    check_refused("top/way/folder", "not a regular file");
}

static void test_modes(void)
{
    make_tree();
    CHECK(chmod("top/way/folder/file", 0646) == 0);
    check_refused("top/way/folder/file", "others may write to it");
    check_refused("top/way/folder/alias", "others may write to it");
    make_tree();
    CHECK(chmod("top/way", 0777) == 0);
    check_refused("top/way/folder/file", "top/way': others may write to it, and it is not sticky");
    check_refused("top/link/folder/file", "not sticky");
    CHECK(chmod("top/way", 0775) == 0);
    if (geteuid() == 0) { // its own group is root's alone
        check_opens("top/way/folder/file");
        CHECK(chown("top/way", 0, third) == 0 && chmod("top/way", 0775) == 0);
        check_refused("top/way/folder/file", "others may write to it");
    }
    CHECK(chmod("top/way", 01777) == 0); // sticky: what lies in it stays its owner's
    check_opens("top/way/folder/file");
    // Below a folder that others cannot enter nothing can be reached.
    CHECK(chmod("top/way", 0777) == 0 && chmod("top", 0700) == 0);
    check_opens("top/way/folder/file");
    CHECK(chmod("top/way/folder/file", 0666) == 0);
    check_opens("top/way/folder/file");
    CHECK_OK(sedge_folder_make("outside")); // the way out of it again leaves the shelter
    CHECK(chmod("outside", 0777) == 0);
    check_refused("top/way/../../outside/file", "outside': others may write to it");
    CHECK(chmod("top", 0710) == 0);
    check_refused("top/way/folder/file", "others may write to it");
    make_tree();
}

// An entry of an access list: tag, rights, user or group.
typedef struct list_entry {
    uint16_t tag, rights;
    uint32_t id;
} list_entry;

enum { OWNER = 1, USER = 2, OWNING_GROUP = 4, GROUP = 8, MASK = 16, OTHERS = 32, NO_ID = -1 };

// Give `path` a list of these, in this order; 0 or the error.
static int set_list(const char *path, list_entry more, int group_rights, int mask)
{
    const list_entry entries[] = {
        {OWNER, 7, (uint32_t)NO_ID},
        more,
        {OWNING_GROUP, (uint16_t)group_rights, (uint32_t)NO_ID},
        {MASK, (uint16_t)mask, (uint32_t)NO_ID},
        {OTHERS, 5, (uint32_t)NO_ID},
    };
    const uint32_t version = 2;
    unsigned char list[sizeof version + sizeof entries];
    size_t used = sizeof version;

    memcpy(list, &version, sizeof version);
    for (int i = 0; i < 5; i++) { // a named group stands behind the owning one
        const int k = more.tag == GROUP && (i == 1 || i == 2) ? 3 - i : i;
        memcpy(list + used, &entries[k], sizeof *entries);
        used += sizeof *entries;
    }
    return setxattr(path, "system.posix_acl_access", list, used, 0) == 0 ? 0 : errno;
}

// With an access list the group's bits of the mode are its mask.
static void test_access_lists(void)
{
    const uint32_t self = (uint32_t)geteuid();

    make_tree();
    const int problem = set_list("top/way", (list_entry){USER, 7, third}, 5, 7);
    if (problem == EOPNOTSUPP) {
        printf("access lists: not tried, this file system has none\n");
        return;
    }
    CHECK(problem == 0);
    check_refused("top/way/folder/file", "top/way': others may write to it");
    CHECK(set_list("top/way", (list_entry){GROUP, 7, third}, 5, 7) == 0);
    check_refused("top/way/folder/file", "top/way': others may write to it");
    CHECK(set_list("top/way", (list_entry){USER, 7, third}, 5, 5) == 0); // masked
    check_opens("top/way/folder/file");
    CHECK(set_list("top/way", (list_entry){USER, 5, third}, 5, 7) == 0); // reads
    check_opens("top/way/folder/file");
    CHECK(set_list("top/way", (list_entry){USER, 7, self}, 5, 7) == 0);
    check_opens("top/way/folder/file");
    CHECK(set_list("top/way", (list_entry){USER, 5, self}, 7, 7) == 0);
    if (geteuid() == 0) { // the owning group: root's alone, then another one
        check_opens("top/way/folder/file");
        CHECK(chown("top/way", 0, third) == 0);
        check_refused("top/way/folder/file", "top/way': others may write to it");
    }
    CHECK(removexattr("top/way", "system.posix_acl_access") == 0);
    make_tree();
    CHECK(set_list("top/way/folder/file", (list_entry){USER, 6, third}, 4, 6) == 0);
    check_refused("top/way/folder/file", "others may write to it");
    CHECK(removexattr("top/way/folder/file", "system.posix_acl_access") == 0);
    make_tree();
}

// Open the file where `line` stands at the end of the list of users. 0: opened; 1: refused as
// writable by others; 77: no list of one's own here.
static int open_with_user(const char *line)
{
    int state = -1;
    const pid_t child = fork();

    if (child == 0) {
        char *text = NULL;
        size_t length = 0;
        int file = -1;
        if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
            _exit(77);
        if (sedge_file_read(&text, &length, "/etc/passwd", SEDGE_ERR_DATA) != SEDGE_OK) _exit(77);
        FILE *const list = fopen("users", "w");
        if (list == NULL || fwrite(text, 1, length, list) != length || fputs(line, list) < 0 ||
            fclose(list) != 0 || mount("users", "/etc/passwd", NULL, MS_BIND, NULL) != 0)
            _exit(77);
        const sedge_status status = sedge_trust_open(&file, "top/way/folder/file");
        if (status == SEDGE_OK) _exit(file >= 0 ? 0 : 2);
        _exit(strstr(sedge_error_message(), "top/way': others may write to it") != NULL ? 1 : 2);
    }
    CHECK(child > 0 && waitpid(child, &state, 0) == child && WIFEXITED(state));
    return WEXITSTATUS(state);
}

// A group's list does not name those whose primary group it is.
static void test_primary_group(void)
{
    if (geteuid() != 0) {
        printf("primary groups: not tried, it takes root\n");
        return;
    }
    make_tree();
    CHECK(chmod("top/way", 0775) == 0);
    const int plain = open_with_user("");
    if (plain == 77) {
        printf("primary groups: not tried, /etc/passwd cannot be covered here\n");
    } else {
        CHECK(plain == 0);
        CHECK(open_with_user("twin:x:65533:0::/:/bin/sh\n") == 1);
        CHECK(open_with_user("twin:x:65533:65533::/:/bin/sh\n") == 0);
    }
    make_tree();
}

static void test_links(void)
{
    make_tree();
    (void)unlink("top/loop");
    CHECK(symlink("loop", "top/loop") == 0);
    check_refused("top/loop/file", "too many links");
    // A link leads out of a good folder into one that others may write to.
    CHECK_OK(sedge_folder_make("open"));
    CHECK(chmod("open", 0777) == 0);
    (void)unlink("open/file");
    CHECK_OK(sedge_file_write("open/file", "text", 4));
    (void)unlink("top/way/folder/alias");
    CHECK(symlink("../../../open/file", "top/way/folder/alias") == 0);
    check_refused("top/way/folder/alias", "open': others may write to it");
}

static void test_owners(void)
{
    make_tree();
    if (geteuid() != 0) {
        printf("owners: not tried, only root can give files away\n");
        return;
    }
    CHECK(chown("top/way/folder/file", third, third) == 0);
    check_refused("top/way/folder/file", "belongs to another user");
    make_tree();
    CHECK(chown("top/way", third, third) == 0);
    check_refused("top/way/folder/file", "top/way': it belongs to another user");
    make_tree();
    CHECK(chmod("top", 01777) == 0 && lchown("top/link", third, third) == 0);
    check_refused("top/link/folder/file", "top/link': it is a link of another user");
    make_tree();
}

// Open the file in a container that knows this user alone (as Apptainer makes them), where root is
// "nobody", and so is everybody else. 0: opened; 1: refused with `why`; 77: no container here.
static int open_in_container(const char *why)
{
    int state = -1;
    const pid_t child = fork();

    if (child == 0) {
        int file = -1;
        if (unshare(CLONE_NEWUSER) != 0) _exit(77);
        const int map = open("/proc/self/uid_map", O_WRONLY);
        if (map < 0 || write(map, "0 0 1", 5) != 5 || close(map) != 0) _exit(77);
        const sedge_status status = sedge_trust_open(&file, "top/way/folder/file");
        if (status == SEDGE_OK) _exit(file >= 0 ? 0 : 2);
        _exit(strstr(sedge_error_message(), why) != NULL && file == -1 ? 1 : 2);
    }
    CHECK(child > 0 && waitpid(child, &state, 0) == child && WIFEXITED(state));
    return WEXITSTATUS(state);
}

static void test_container(void)
{
    static const char why[] = "top/way': it belongs to another user";

    if (geteuid() != 0) return; // it takes another user's folder
    make_tree();
    CHECK(chown("top/way", third, third) == 0);
    const int plain = open_in_container(why);
    if (plain == 77) {
        printf("containers: not tried, they cannot be made here\n");
    } else {
        CHECK(plain == 0); // root's, as far as can be seen
        CHECK(chmod("top", 01777) == 0);
        CHECK(open_in_container(why) == 1); // in a folder like /tmp anybody's
    }
    make_tree();
}

// The last part may be missing or a link: who asked for the folder decides.
static void test_parent(void)
{
    char name[SEDGE_TRUST_NAME];
    struct stat found;
    struct stat wanted;
    int folder = -1;

    make_tree();
    CHECK_OK(sedge_trust_parent(&folder, name, "top/link/none"));
    CHECK(strcmp(name, "none") == 0 && fstat(folder, &found) == 0);
    CHECK(stat("top/way", &wanted) == 0 && found.st_ino == wanted.st_ino);
    CHECK(close(folder) == 0);
    CHECK_OK(sedge_trust_parent(&folder, name, "top/link"));
    CHECK(strcmp(name, "link") == 0 && close(folder) == 0);
    CHECK_FAILS(sedge_trust_parent(&folder, name, "/"), SEDGE_ERR_USAGE, "without a name");
    CHECK(folder == -1);
}

static void test_temporary(void)
{
    const char *folder = NULL;

    make_tree();
    CHECK(unsetenv("TMPDIR") == 0);
    CHECK_OK(sedge_trust_temporary(&folder));
    CHECK(strcmp(folder, "/tmp") == 0);
    CHECK(setenv("TMPDIR", "relative", 1) == 0);
    CHECK_OK(sedge_trust_temporary(&folder));
    CHECK(strcmp(folder, "/tmp") == 0);
    CHECK(setenv("TMPDIR", at_place("/top/way"), 1) == 0);
    CHECK_OK(sedge_trust_temporary(&folder));
    CHECK(chmod("top/way", 0777) == 0);
    CHECK_FAILS(sedge_trust_temporary(&folder), SEDGE_ERR_USAGE, "TMPDIR");
    CHECK(strstr(sedge_error_message(), "not sticky") != NULL);
    CHECK(chmod("top/way", 01777) == 0);
    CHECK_OK(sedge_trust_temporary(&folder));
    CHECK(setenv("TMPDIR", at_place("/nowhere"), 1) == 0);
    CHECK_FAILS(sedge_trust_temporary(&folder), SEDGE_ERR_USAGE, "No such file");
    CHECK(unsetenv("TMPDIR") == 0);
}

// Software trees belong to their administrators and their groups; not to everybody.
static void test_program(void)
{
    make_tree();
    CHECK_OK(sedge_trust_program("/bin/sh"));
    CHECK_OK(sedge_trust_program("top/way/folder/none"));
    CHECK(chmod("top/way", 0775) == 0);
    CHECK_OK(sedge_trust_program("top/way/folder/file"));
    if (geteuid() == 0) CHECK(chown("top/way", third, third) == 0);
    CHECK_OK(sedge_trust_program("top/way/folder/file"));
    CHECK(chmod("top/way/folder/file", 0666) == 0);
    CHECK_FAILS(sedge_trust_program("top/way/folder/file"), SEDGE_ERR_USAGE, "everybody may write");
    make_tree();
    CHECK(chmod("top/way", 0777) == 0);
    CHECK_FAILS(sedge_trust_program("top/way/folder/file"), SEDGE_ERR_USAGE, "not sticky");
    make_tree();
}

// A search may go wherever a program may lie, but not where everybody can put one.
static void test_search(void)
{
    char given[8 * PATH_MAX];
    char kept[4 * PATH_MAX];
    char out[8 * PATH_MAX];

    (void)snprintf(given, sizeof given,
                   ":/usr/bin:%s/top:%s/top/way:top:%s/none:%s/top/way/folder:/bin", place, place,
                   place, place);
    make_tree();
    CHECK(chmod("top/way", 01777) == 0);
    sedge_trust_search(out, sizeof out, given);
    (void)snprintf(kept, sizeof kept, "/usr/bin:%s/top:%s/top/way/folder:/bin", place, place);
    CHECK(strcmp(out, kept) == 0);
    CHECK(chmod("top/way", 0777) == 0);
    sedge_trust_search(out, sizeof out, given);
    (void)snprintf(kept, sizeof kept, "/usr/bin:%s/top:/bin", place);
    CHECK(strcmp(out, kept) == 0);
    sedge_trust_search(out, 10, "/usr/bin:/usr/sbin:/bin");
    CHECK(strcmp(out, "/usr/bin") == 0);
    make_tree();
}

int main(void)
{
    choose_place();
    test_good_ways();
    test_primary_group(); // first: the answer for a group is kept
    test_modes();
    test_access_lists();
    test_links();
    test_owners();
    test_container();
    test_parent();
    test_temporary();
    test_program();
    test_search();
    leave_place();
    return CHECK_END();
}
