#define _GNU_SOURCE // O_PATH, getpwent_r
#include "trust.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <pthread.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { LINKS_MAX = 40, UNMAPPED = 65534 };

// ---- owners ------------------------------------------------------------------------------------

// In a container without a user for root, what is root's outside has the owner "nobody". So has
// what belongs to other users there.
static bool is_unmapped_root(uid_t owner)
{
    char line[128] = "";
    unsigned inside = 0;
    unsigned outside = 0;
    unsigned count = 0;

    if (owner != UNMAPPED) return false;
    FILE *const map = fopen("/proc/self/uid_map", "re");
    if (map == NULL) return false;
    const bool read =
        fgets(line, sizeof line, map) != NULL &&
        sscanf(line, "%u %u %u", &inside, &outside, &count) == 3; // NOLINT(cert-err34-c)
    (void)fclose(map);
    return read && count < UNMAPPED;
}

// Who owns a folder above this program can put another one into its place anyway.
static bool owns_program(uid_t owner)
{
    char path[PATH_MAX];
    struct stat about;
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);

    if (length <= 0) return false;
    path[length] = '\0';
    for (char *slash = strrchr(path, '/'); slash != NULL && slash > path;
         slash = strrchr(path, '/')) {
        *slash = '\0';
        if (stat(path, &about) == 0 && about.st_uid == owner) return true;
    }
    return false;
}

static bool is_trusted_owner(uid_t owner)
{
    return owner == 0 || owner == geteuid() || is_unmapped_root(owner) || owns_program(owner);
}

// ---- the way -----------------------------------------------------------------------------------

// A path that is being followed.
typedef struct trust_walk {
    int folder;          // reached so far
    bool sheltered;      // others cannot come here
    bool shared;         // all may make files here, as in /tmp
    bool any_owner;      // and any group: only what everybody may write to is refused
    int links;           // followed
    char done[PATH_MAX]; // for messages
    char left[PATH_MAX]; // to go
} trust_walk;

// Is it the primary group of another user? A group's list of members does not contain such users,
// so all users that the system lists are checked. If these are more than one machine has, as in the
// directory of a whole site, the group counts as shared.
static bool is_others_primary(gid_t group)
{
    enum { MOST = 10000 };
    char space[4096];
    struct passwd entry;
    struct passwd *found = NULL;
    int count = 0;
    bool others = false;

    setpwent();
    while (!others && getpwent_r(&entry, space, sizeof space, &found) == 0)
        others = ++count > MOST || (entry.pw_gid == group && entry.pw_uid != geteuid());
    endpwent();
    return others;
}

// The same, with the answer cached per group: a directory of users may be slow. All threads share
// the system's position in its list of users.
static bool is_shared_group(gid_t group)
{
    static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
    static bool is_known, answer;
    static gid_t known;

    (void)pthread_mutex_lock(&guard);
    if (!is_known || known != group) answer = is_others_primary(group);
    is_known = true;
    known = group;
    const bool shared = answer;
    (void)pthread_mutex_unlock(&guard);
    return shared;
}

// A group that has this user's name and nobody else in it, as some systems give to each user.
static bool is_private_group(gid_t group)
{
    char space[2][4096];
    struct passwd user;
    struct passwd *found_user = NULL;
    struct group entry;
    struct group *found = NULL;

    if (getpwuid_r(geteuid(), &user, space[0], sizeof space[0], &found_user) != 0 ||
        getgrgid_r(group, &entry, space[1], sizeof space[1], &found) != 0 || found_user == NULL ||
        found == NULL || user.pw_gid != group || strcmp(entry.gr_name, user.pw_name) != 0)
        return false;
    for (char **member = entry.gr_mem; *member != NULL; member++)
        if (strcmp(*member, user.pw_name) != 0) return false;
    return !is_shared_group(group);
}

// ---- access lists ------------------------------------------------------------------------------

// Linux's form of an access list: a version, then entries, little-endian.
typedef struct access_entry {
    uint16_t tag;
    uint16_t rights;
    uint32_t id;
} access_entry;

enum { ACCESS_VERSION = 2, ACCESS_WRITE = 2, LIST_ENTRIES = 512 };
enum { TAG_USER = 2, TAG_OWNING_GROUP = 4, TAG_GROUP = 8, TAG_MASK = 16 };

// To whom, beside the owner, the access list of an open file or folder grants write access.
typedef enum access_grant {
    GRANT_MODE,   // there is no list: the mode decides
    GRANT_NOBODY, // may write
    GRANT_GROUP,  // the owning group may
    GRANT_OTHERS  // other users or groups may, or the list cannot be read
} access_grant;

static access_grant judge_list(const unsigned char *list, size_t length)
{
    const size_t head = sizeof(uint32_t);
    const size_t count = length >= head ? (length - head) / sizeof(access_entry) : 0;
    access_grant grant = GRANT_NOBODY;
    unsigned mask = ACCESS_WRITE;
    uint32_t version = 0;

    if (length >= head) memcpy(&version, list, head);
    if (le32toh(version) != ACCESS_VERSION) return GRANT_OTHERS;
    for (size_t i = 0; i < count; i++) {
        access_entry entry;
        memcpy(&entry, list + head + i * sizeof entry, sizeof entry);
        const unsigned tag = le16toh(entry.tag);
        const uint32_t id = le32toh(entry.id);
        if (tag == TAG_MASK) mask = le16toh(entry.rights);
        if ((le16toh(entry.rights) & ACCESS_WRITE) == 0) continue;
        if (tag == TAG_OWNING_GROUP && grant == GRANT_NOBODY) grant = GRANT_GROUP;
        if ((tag == TAG_USER && id != 0 && id != geteuid()) ||
            (tag == TAG_GROUP && !is_private_group(id)))
            grant = GRANT_OTHERS;
    }
    return (mask & ACCESS_WRITE) != 0 ? grant : GRANT_NOBODY;
}

// If there is a list, the group bits of the mode are its mask. `name` lies in `folder`; NULL: the
// folder or file itself.
static access_grant find_grant(int folder, const char *name)
{
    unsigned char list[sizeof(uint32_t) + LIST_ENTRIES * sizeof(access_entry)];
    char path[64 + SEDGE_TRUST_NAME];

    // Attributes cannot be read from an O_PATH descriptor, but from its path in /proc they can.
    (void)snprintf(path, sizeof path, name != NULL ? "/proc/self/fd/%d/%s" : "/proc/self/fd/%d",
                   folder, name);
    const ssize_t length = getxattr(path, "system.posix_acl_access", list, sizeof list);
    if (length >= 0) return judge_list(list, (size_t)length);
    return errno == ENODATA || errno == EOPNOTSUPP ? GRANT_MODE : GRANT_OTHERS;
}

// What `about` tells of, which is `name` in `folder` (NULL: `folder` itself).
static bool others_write(const trust_walk *walk, const struct stat *about, int folder,
                         const char *name)
{
    if ((about->st_mode & S_IWOTH) != 0) return true;
    if ((about->st_mode & S_IWGRP) == 0 || walk->any_owner) return false;
    const access_grant grant = find_grant(folder, name);
    if (grant == GRANT_NOBODY || grant == GRANT_OTHERS) return grant == GRANT_OTHERS;
    return !is_private_group(about->st_gid);
}

static bool is_foreign(const trust_walk *walk, const struct stat *about)
{
    if (walk->sheltered || walk->any_owner) return false;
    // "Nobody" can be any user that a container does not know, who may have made this.
    if (walk->shared && is_unmapped_root(about->st_uid)) return true;
    return !is_trusted_owner(about->st_uid);
}

static sedge_status fail_at(const trust_walk *walk, const char *reason)
{
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "'%s': %s", walk->done[0] != '\0' ? walk->done : "/",
                      reason);
}

// Judge the folder that was reached.
static sedge_status judge_folder(trust_walk *walk)
{
    struct stat about;

    if (fstat(walk->folder, &about) != 0) return fail_at(walk, strerror(errno));
    if (walk->sheltered) return SEDGE_OK;
    if (is_foreign(walk, &about)) {
        char reason[96];
        (void)snprintf(reason, sizeof reason, "it belongs to another user (%lu)",
                       (unsigned long)about.st_uid);
        return fail_at(walk, reason);
    }
    const bool shared = others_write(walk, &about, walk->folder, NULL);
    if (shared && (about.st_mode & S_ISVTX) == 0) {
        return fail_at(walk, "others may write to it, and it is not sticky (chmod go-w or +t makes "
                             "it usable)");
    }
    walk->shared = shared;
    walk->sheltered =
        about.st_uid == geteuid() && (about.st_mode & (S_IXGRP | S_IXOTH | S_IWGRP | S_IWOTH)) == 0;
    return SEDGE_OK;
}

static sedge_status start(trust_walk *walk, bool at_root)
{
    if (walk->folder >= 0) (void)close(walk->folder);
    walk->sheltered = false;
    walk->shared = false;
    (void)snprintf(walk->done, sizeof walk->done, "%s", at_root ? "" : ".");
    walk->folder = open(at_root ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (walk->folder < 0) return fail_at(walk, strerror(errno));
    return judge_folder(walk);
}

// Take the next component off `left`; false: there is none.
static bool take(char name[SEDGE_TRUST_NAME], trust_walk *walk)
{
    const char *const at = walk->left + strspn(walk->left, "/");
    const size_t length = strcspn(at, "/");

    if (length == 0 || length >= SEDGE_TRUST_NAME) return false;
    memcpy(name, at, length);
    name[length] = '\0';
    memmove(walk->left, at + length, strlen(at + length) + 1);
    return true;
}

static bool is_last(const trust_walk *walk)
{
    return walk->left[strspn(walk->left, "/")] == '\0';
}

static void note_done(trust_walk *walk, const char *name)
{
    const size_t used = strlen(walk->done);

    (void)snprintf(walk->done + used, sizeof walk->done - used, "/%s", name);
}

// What a link says comes before what is left. A link belongs to whoever may steer us.
static sedge_status follow(trust_walk *walk, const char *name, const struct stat *about)
{
    char target[PATH_MAX];
    char rest[PATH_MAX];
    const ssize_t length = readlinkat(walk->folder, name, target, sizeof target - 1);

    note_done(walk, name);
    if (length <= 0) return fail_at(walk, strerror(errno));
    target[length] = '\0';
    if (++walk->links > LINKS_MAX) return fail_at(walk, "too many links");
    if (is_foreign(walk, about)) return fail_at(walk, "it is a link of another user");
    (void)snprintf(rest, sizeof rest, "%s", walk->left);
    if (snprintf(walk->left, sizeof walk->left, "%s/%s", target, rest) >= (int)sizeof walk->left)
        return fail_at(walk, strerror(ENAMETOOLONG));
    walk->done[strlen(walk->done) - strlen(name) - 1] = '\0';
    return target[0] == '/' ? start(walk, true) : SEDGE_OK;
}

static sedge_status enter(trust_walk *walk, const char *name)
{
    const int next = openat(walk->folder, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    note_done(walk, name);
    if (next < 0) return fail_at(walk, strerror(errno));
    (void)close(walk->folder);
    walk->folder = next;
    if (strcmp(name, "..") == 0) walk->sheltered = false;
    return judge_folder(walk);
}

// Follow the path up to its last component, whose name is `name`; of links that stand there, too,
// if `through`.
static sedge_status walk_to_parent(trust_walk *walk, char name[SEDGE_TRUST_NAME], bool through)
{
    struct stat about;

    SEDGE_TRY(start(walk, walk->left[0] == '/'));
    while (take(name, walk)) {
        const bool last = is_last(walk);
        const bool there = fstatat(walk->folder, name, &about, AT_SYMLINK_NOFOLLOW) == 0;
        if (there && S_ISLNK(about.st_mode) && (!last || through)) {
            SEDGE_TRY(follow(walk, name, &about));
        } else if (last) {
            return SEDGE_OK;
        } else if (strcmp(name, ".") != 0) {
            SEDGE_TRY(enter(walk, name));
        }
    }
    return fail_at(walk, "the path ends without a name, or has one that is too long");
}

// ---- what others call --------------------------------------------------------------------------

static sedge_status find_parent(trust_walk *walk, char name[SEDGE_TRUST_NAME], const char *path,
                                bool through)
{
    walk->folder = -1;
    if (snprintf(walk->left, sizeof walk->left, "%s", path) >= (int)sizeof walk->left)
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "path too long: '%.100s...'", path);
    const sedge_status status = walk_to_parent(walk, name, through);
    if (status != SEDGE_OK && walk->folder >= 0) (void)close(walk->folder);
    return status;
}

sedge_status sedge_trust_parent(int *folder, char name[SEDGE_TRUST_NAME], const char *path)
{
    trust_walk walk = {.folder = -1};

    *folder = -1;
    SEDGE_TRY(find_parent(&walk, name, path, false));
    *folder = walk.folder;
    return SEDGE_OK;
}

// Why the open file at the end of the way is not used; NULL: it is.
static const char *judge_file(const trust_walk *walk, int file)
{
    struct stat about;

    if (fstat(file, &about) != 0) return strerror(errno);
    if (!S_ISREG(about.st_mode)) return "it is not a regular file";
    if (is_foreign(walk, &about)) return "it belongs to another user";
    if (!walk->sheltered && others_write(walk, &about, file, NULL))
        return "others may write to it (chmod go-w makes it usable)";
    return NULL;
}

static sedge_status open_last(int *file, trust_walk *walk, const char *path)
{
    char name[SEDGE_TRUST_NAME];

    *file = -1;
    SEDGE_TRY(find_parent(walk, name, path, true));
    const int opened = openat(walk->folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    const int reason = errno;
    (void)close(walk->folder);
    if (opened < 0 && reason == ENOENT) return SEDGE_OK;
    if (opened < 0) return SEDGE_FAIL(SEDGE_ERR_USAGE, "'%s': %s", path, strerror(reason));
    const char *const why = judge_file(walk, opened);
    if (why != NULL) {
        (void)close(opened);
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "'%s' is not used: %s", path, why);
    }
    *file = opened;
    return SEDGE_OK;
}

sedge_status sedge_trust_open(int *file, const char *path)
{
    trust_walk walk = {.any_owner = false};

    return open_last(file, &walk, path);
}

sedge_status sedge_trust_program(const char *path)
{
    trust_walk walk = {.any_owner = true};
    char name[SEDGE_TRUST_NAME];
    struct stat about;

    SEDGE_TRY(find_parent(&walk, name, path, true));
    const bool writable = fstatat(walk.folder, name, &about, AT_SYMLINK_NOFOLLOW) == 0 &&
                          others_write(&walk, &about, walk.folder, name);
    (void)close(walk.folder);
    if (!writable) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "'%s' is not used: everybody may write to it", path);
}

// May programs be searched for in the folder? What others put into a sticky one is found there,
// too.
static bool may_search(const char *folder)
{
    trust_walk walk = {.any_owner = true};
    char name[SEDGE_TRUST_NAME];
    char inside[PATH_MAX];

    if (folder[0] != '/' || snprintf(inside, sizeof inside, "%s/x", folder) >= (int)sizeof inside ||
        find_parent(&walk, name, inside, true) != SEDGE_OK)
        return false;
    (void)close(walk.folder);
    return !walk.shared;
}

void sedge_trust_search(char *out, size_t size, const char *list)
{
    char folder[PATH_MAX];
    size_t used = 0;

    out[0] = '\0';
    for (size_t length; *list != '\0'; list += length + (list[length] == ':' ? 1 : 0)) {
        length = strcspn(list, ":");
        if (length == 0 || length >= sizeof folder || used + length + 2 > size) continue;
        memcpy(folder, list, length);
        folder[length] = '\0';
        if (!may_search(folder)) continue;
        used += (size_t)snprintf(out + used, size - used, "%s%s", used > 0 ? ":" : "", folder);
    }
}

sedge_status sedge_trust_temporary(const char **folder)
{
    const char *const wish = getenv("TMPDIR");
    trust_walk walk = {.folder = -1};
    char inside[PATH_MAX];
    char name[SEDGE_TRUST_NAME];
    char reason[1024];

    *folder = wish != NULL && wish[0] == '/' ? wish : "/tmp";
    // The folder itself must be fit for what would lie in it.
    if (snprintf(inside, sizeof inside, "%s/x", *folder) >= (int)sizeof inside)
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "TMPDIR: path too long: '%.100s...'", *folder);
    if (find_parent(&walk, name, inside, false) == SEDGE_OK) {
        (void)close(walk.folder);
        return SEDGE_OK;
    }
    (void)snprintf(reason, sizeof reason, "%s", sedge_error_message());
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "the temporary folder '%s' (TMPDIR) cannot take compiled code: %s", *folder,
                      reason);
}
