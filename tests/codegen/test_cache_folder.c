// The cache's folders: those that are not used, of other users, full ones; the site folder; which
// it is.
#define _DEFAULT_SOURCE // setenv, chown
#include "cache_case.h"

#include "base/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char folder[] = SEDGE_TEST_DIR "/cache-folder";

// A cache in `path` does nothing, says `why`, and breaks nothing.
static void check_unusable(const char *path, const char *why)
{
    const sedge_cache_key key = cache_key();
    sedge_cache *cache = NULL;
    int64_t removed = 0;

    CHECK_OK(sedge_cache_create(&cache, path));
    if (cache == NULL) return;
    const char *const problem = sedge_cache_problem(cache);
    CHECK(problem != NULL && strstr(problem, why) != NULL);
    cache_store(cache, &key, "binary");
    CHECK(!cache_finds(cache, &key, ""));
    CHECK_FAILS(sedge_cache_clear(cache, &removed), SEDGE_ERR_USAGE, why);
    CHECK_FAILS(sedge_cache_list(cache), SEDGE_ERR_USAGE, why);
    sedge_cache_free(cache);
}

static void test_unusable_folders(void)
{
    static const char open_one[] = SEDGE_TEST_DIR "/open-cache";
    static const char link_one[] = SEDGE_TEST_DIR "/link-cache";
    static const char file_one[] = SEDGE_TEST_DIR "/file-cache";

    CHECK_OK(sedge_folder_make(open_one));
    CHECK(chmod(open_one, 0777) == 0);
    check_unusable(open_one, "others may write to it");
    CHECK(chmod(open_one, 0770) == 0);
    check_unusable(open_one, "others may write to it");
    (void)unlink(link_one);
    CHECK(symlink(folder, link_one) == 0);
    check_unusable(link_one, "not a folder, or a link");
    check_unusable(SEDGE_TEST_DIR "/link-cache/", "not a folder, or a link");
    CHECK_OK(sedge_file_write(file_one, "x", 1));
    check_unusable(file_one, "not a folder, or a link");
    check_unusable(SEDGE_TEST_DIR "/file-cache/below", "");
}

// A folder of another user is refused; one that cannot be written gives what it has. As root both
// need another user: a child takes one. Paths are relative to the test's folder, which it may not
// be able to reach otherwise.
static void test_other_users_and_read_only(void)
{
    static const char read_only[] = SEDGE_TEST_DIR "/read-only-cache";
    const sedge_cache_key key = cache_key();
    sedge_cache *filled = NULL;
    sedge_cache_key other = key;
    char path[512];
    char copy[600];
    char name[512];
    int state = -1;
    const bool is_root = geteuid() == 0;
    const uid_t nobody = 65534;

    other.text = cache_text("int other;\n");
    (void)chmod(read_only, 0700);
    if (is_root) (void)!chown(read_only, 0, 0);
    CHECK_OK(sedge_cache_create(&filled, read_only));
    cache_store(filled, &key, "binary");
    CHECK(sedge_cache_problem(filled) == NULL);
    sedge_cache_free(filled);
    cache_path(path, folder, &key);
    (void)snprintf(name, sizeof name, "%s", strrchr(path, '/'));
    (void)snprintf(copy, sizeof copy, "%s%s", read_only, name);
    if (is_root) CHECK(chown(copy, nobody, nobody) == 0 && chown(read_only, nobody, nobody) == 0);
    CHECK(chmod(read_only, 0500) == 0);
    CHECK(chdir(SEDGE_TEST_DIR) == 0);
    CHECK_OK(sedge_folder_make("foreign-cache"));
    CHECK(chmod("foreign-cache", 0755) == 0);
    (void)fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        check_failures = 0;
        if (is_root) CHECK(setgid(nobody) == 0 && setuid(nobody) == 0);
        CHECK_OK(sedge_cache_create(&filled, "read-only-cache"));
        CHECK(filled != NULL && sedge_cache_problem(filled) == NULL);
        CHECK(cache_finds(filled, &key, "binary"));
        CHECK(!cache_finds(filled, &other, ""));
        cache_store(filled, &other, "other");
        CHECK(sedge_cache_problem(filled) != NULL &&
              strstr(sedge_cache_problem(filled), "Permission denied") != NULL);
        CHECK(!cache_finds(filled, &other, ""));
        sedge_cache_free(filled);
        if (is_root) check_unusable("foreign-cache", "belongs to another user");
        _exit(CHECK_END());
    }
    CHECK(waitpid(child, &state, 0) == child && WIFEXITED(state) && WEXITSTATUS(state) == 0);
    if (is_root) CHECK(chown(read_only, 0, 0) == 0);
}

static int count_files(const char *path)
{
    DIR *const list = opendir(path);
    int count = 0;

    if (list == NULL) return -1;
    for (const struct dirent *file = readdir(list); file != NULL; file = readdir(list))
        count += file->d_name[0] != '.';
    (void)closedir(list);
    return count;
}

// A disk that takes no more: said, nothing half-written stays, what was there is still there. A
// bound on the size of files stands for the disk; a child has it.
static void test_full_disk(void)
{
    static const char full[] = SEDGE_TEST_DIR "/full-cache";
    static char payload[50001];
    const sedge_cache_key key = cache_key();
    sedge_cache_key large = key;
    sedge_cache *cache = NULL;
    int64_t removed;
    int state = -1;

    large.text = cache_text("int large;\n");
    memset(payload, 'x', sizeof payload - 1);
    CHECK_OK(sedge_cache_create(&cache, full));
    CHECK_OK(sedge_cache_clear(cache, &removed));
    cache_store(cache, &key, "binary");
    (void)fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        const struct rlimit bound = {20000, 20000};
        check_failures = 0;
        CHECK(signal(SIGXFSZ, SIG_IGN) != SIG_ERR && setrlimit(RLIMIT_FSIZE, &bound) == 0);
        cache_store(cache, &large, payload);
        CHECK(sedge_cache_problem(cache) != NULL &&
              strstr(sedge_cache_problem(cache), "cannot write to the cache folder") != NULL &&
              strstr(sedge_cache_problem(cache), "File too large") != NULL);
        CHECK(!cache_finds(cache, &large, ""));
        CHECK(cache_finds(cache, &key, "binary"));
        _exit(CHECK_END());
    }
    CHECK(waitpid(child, &state, 0) == child && WIFEXITED(state) && WEXITSTATUS(state) == 0);
    CHECK(count_files(full) == 1);
    sedge_cache_free(cache);
}

// ---- the site folder ---------------------------------------------------------------------------

static const char site[] = SEDGE_TEST_DIR "/site-cache";

// The site folder with one entry, as its owner makes it: a cache like any other, then made readable
// for all.
static void fill_site(const sedge_cache_key *key, char path[600])
{
    sedge_cache *cache = NULL;
    char entry[512];
    int64_t removed;

    (void)chmod(site, 0700);
    if (geteuid() == 0) (void)!chown(site, 0, 0);
    CHECK_OK(sedge_cache_create(&cache, site));
    CHECK_OK(sedge_cache_clear(cache, &removed));
    cache_store(cache, key, "site binary");
    CHECK(sedge_cache_problem(cache) == NULL);
    sedge_cache_free(cache);
    cache_path(entry, folder, key);
    (void)snprintf(path, 600, "%s%s", site, strrchr(entry, '/'));
    CHECK(chmod(path, 0644) == 0 && chmod(site, 0755) == 0);
}

// Found there first, and never changed: neither its times, nor a damaged entry, nor by storing.
static void test_site_is_only_read(void)
{
    const sedge_cache_key key = cache_key();
    const struct timespec age[2] = {{1000, 0}, {1000, 0}};
    sedge_cache_key other = key;
    sedge_cache *cache = NULL;
    struct stat about;
    char path[600];
    int64_t removed;

    other.text = cache_text("int other;\n");
    fill_site(&key, path);
    CHECK(utimensat(AT_FDCWD, path, age, 0) == 0);
    CHECK(setenv("SEDGE_CACHE_SITE", site, 1) == 0);
    CHECK_OK(sedge_cache_create(&cache, folder));
    CHECK_OK(sedge_cache_clear(cache, &removed));
    CHECK(sedge_cache_site_problem(cache) == NULL && strcmp(sedge_cache_site(cache), site) == 0);
    CHECK(cache_finds_in(cache, SEDGE_CACHE_SITE, &key, "site binary"));
    CHECK(!cache_finds_in(cache, SEDGE_CACHE_SITE, &other, "") && !cache_finds(cache, &key, ""));
    CHECK(stat(path, &about) == 0 && about.st_mtim.tv_sec == 1000);
    cache_store(cache, &other, "binary");
    CHECK(cache_finds(cache, &other, "binary") && count_files(site) == 1);
    sedge_cache_drop(cache, SEDGE_CACHE_SITE, &key);
    CHECK(cache_finds_in(cache, SEDGE_CACHE_SITE, &key, "site binary"));
    cache_overwrite(path, -1, "Y", 1);
    CHECK(!cache_finds_in(cache, SEDGE_CACHE_SITE, &key, ""));
    CHECK_OK(sedge_cache_clear(cache, &removed));
    CHECK(removed == 1 && count_files(site) == 1);
    sedge_cache_free(cache);
    CHECK(unsetenv("SEDGE_CACHE_SITE") == 0);
}

// A site folder that is refused says why; the cache itself works on.
static void check_site_refused(const char *path, const char *why)
{
    const sedge_cache_key key = cache_key();
    sedge_cache *cache = NULL;

    CHECK(setenv("SEDGE_CACHE_SITE", path, 1) == 0);
    CHECK_OK(sedge_cache_create(&cache, folder));
    CHECK(sedge_cache_problem(cache) == NULL);
    CHECK(sedge_cache_site_problem(cache) != NULL &&
          strstr(sedge_cache_site_problem(cache), why) != NULL &&
          strstr(sedge_cache_site_problem(cache), "site cache folder") != NULL);
    CHECK(!cache_finds_in(cache, SEDGE_CACHE_SITE, &key, ""));
    cache_store(cache, &key, "binary");
    CHECK(cache_finds(cache, &key, "binary"));
    sedge_cache_free(cache);
    CHECK(unsetenv("SEDGE_CACHE_SITE") == 0);
}

static void test_site_refused(void)
{
    static const char linked[] = SEDGE_TEST_DIR "/site-link";
    static const char missing[] = SEDGE_TEST_DIR "/no-such-site";
    const sedge_cache_key key = cache_key();
    sedge_cache *cache = NULL;
    char path[600];

    fill_site(&key, path);
    CHECK(chmod(site, 0775) == 0);
    check_site_refused(site, "others may write to it");
    CHECK(chmod(site, 0755) == 0);
    (void)unlink(linked);
    CHECK(symlink(site, linked) == 0);
    check_site_refused(linked, "not a folder, or a link");
    check_site_refused(missing, "No such file");
    CHECK(access(missing, F_OK) != 0); // and is not made
    CHECK(setenv("SEDGE_CACHE_SITE", "", 1) == 0);
    CHECK_OK(sedge_cache_create(&cache, folder));
    CHECK(sedge_cache_site(cache) == NULL && sedge_cache_site_problem(cache) == NULL);
    sedge_cache_free(cache);
    // An entry that others may write to is none.
    CHECK(chmod(path, 0666) == 0 && setenv("SEDGE_CACHE_SITE", site, 1) == 0);
    CHECK_OK(sedge_cache_create(&cache, folder));
    CHECK(!cache_finds_in(cache, SEDGE_CACHE_SITE, &key, ""));
    CHECK(chmod(path, 0644) == 0);
    CHECK(cache_finds_in(cache, SEDGE_CACHE_SITE, &key, "site binary"));
    sedge_cache_free(cache);
    CHECK(unsetenv("SEDGE_CACHE_SITE") == 0);
}

// Root's folder serves everybody; a third user's serves nobody else, nor do his entries in root's.
static void test_site_owners(void)
{
    const sedge_cache_key key = cache_key();
    const uid_t nobody = 65534;
    const uid_t third = 65533;
    char path[600];
    int state = -1;

    if (geteuid() != 0) {
        (void)printf("owners of a site folder: not tried, only root can give folders away\n");
        return;
    }
    fill_site(&key, path);
    CHECK(chown(site, third, third) == 0);
    check_site_refused(site, "it belongs neither to root nor to this user");
    CHECK(chown(site, 0, 0) == 0 && chdir(SEDGE_TEST_DIR) == 0);
    (void)fflush(NULL);
    const pid_t child = fork(); // as nobody; paths are relative, for it may not reach the others
    if (child == 0) {
        sedge_cache *cache = NULL;
        check_failures = 0;
        CHECK(setgid(nobody) == 0 && setuid(nobody) == 0);
        CHECK(setenv("SEDGE_CACHE_SITE", "site-cache", 1) == 0);
        CHECK_OK(sedge_cache_create(&cache, "nobodys-cache"));
        CHECK(sedge_cache_site_problem(cache) == NULL);
        CHECK(cache_finds_in(cache, SEDGE_CACHE_SITE, &key, "site binary"));
        sedge_cache_free(cache);
        _exit(CHECK_END());
    }
    CHECK(waitpid(child, &state, 0) == child && WIFEXITED(state) && WEXITSTATUS(state) == 0);
    CHECK(chown(path, third, third) == 0);
    CHECK(setenv("SEDGE_CACHE_SITE", site, 1) == 0);
    sedge_cache *cache = NULL;
    CHECK_OK(sedge_cache_create(&cache, folder));
    CHECK(!cache_finds_in(cache, SEDGE_CACHE_SITE, &key, ""));
    sedge_cache_free(cache);
    CHECK(unsetenv("SEDGE_CACHE_SITE") == 0);
}

// Which folder: the argument, SEDGE_CACHE_DIR, XDG_CACHE_HOME, HOME.
static void test_choice_of_folder(void)
{
    static const char *const wanted[] = {SEDGE_TEST_DIR "/own", SEDGE_TEST_DIR "/xdg/sedge",
                                         SEDGE_TEST_DIR "/home/.cache/sedge"};
    static const char *const variables[] = {"SEDGE_CACHE_DIR", "XDG_CACHE_HOME", "HOME"};
    sedge_cache *cache = NULL;

    CHECK(setenv("SEDGE_CACHE_DIR", SEDGE_TEST_DIR "/own", 1) == 0);
    CHECK(setenv("XDG_CACHE_HOME", SEDGE_TEST_DIR "/xdg", 1) == 0);
    CHECK(setenv("HOME", SEDGE_TEST_DIR "/home", 1) == 0);
    for (int i = 0; i < 3; i++) {
        CHECK_OK(sedge_cache_create(&cache, NULL));
        CHECK(strcmp(sedge_cache_folder(cache), wanted[i]) == 0);
        CHECK(sedge_cache_problem(cache) == NULL);
        sedge_cache_free(cache);
        CHECK(unsetenv(variables[i]) == 0);
    }
    CHECK(setenv("XDG_CACHE_HOME", "relative", 1) == 0); // not to be used
    CHECK_OK(sedge_cache_create(&cache, NULL));
    CHECK(sedge_cache_problem(cache) != NULL &&
          strstr(sedge_cache_problem(cache), "are not set") != NULL);
    sedge_cache_free(cache);
}

// A slash at the end of its path changes nothing: the new folder is its owner's alone.
static void test_slash(void)
{
    static const char path[] = SEDGE_TEST_DIR "/slash-cache";
    sedge_cache *cache = NULL;
    struct stat about;

    (void)rmdir(path);
    CHECK_OK(sedge_cache_create(&cache, SEDGE_TEST_DIR "/slash-cache//"));
    CHECK(sedge_cache_problem(cache) == NULL && strcmp(sedge_cache_folder(cache), path) == 0);
    CHECK(stat(path, &about) == 0 && (about.st_mode & 0777) == 0700);
    sedge_cache_free(cache);
}

int main(void)
{
    sedge_cache *cache = NULL;

    CHECK_OK(sedge_cache_create(&cache, folder)); // the folder is there
    sedge_cache_free(cache);
    test_unusable_folders();
    test_other_users_and_read_only();
    test_full_disk();
    test_site_is_only_read();
    test_site_refused();
    test_site_owners();
    test_choice_of_folder();
    test_slash();
    return CHECK_END();
}
