// The cache: keys, entries, damage, folders, bounds, many processes.
#define _DEFAULT_SOURCE // setenv, chown
#include "base/file.h"
#include "base/memory.h"
#include "check.h"
#include "codegen/cache.h"
#include "codegen/entry.h"
#include "codegen/folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char folder[] = SEDGE_TEST_DIR "/cache";

static sedge_cache_key some_key(void)
{
    return (sedge_cache_key){.schema = SEDGE_CACHE_SCHEMA,
                             .kind = "host",
                             .arch = "native: some chip",
                             .compiler = "cc 1.0",
                             .options = "-O3",
                             .text = "int x;\n"};
}

static void path_of(char path[512], const sedge_cache_key *key)
{
    const sedge_hash hash = sedge_cache_key_hash(key);
    char text[SEDGE_HASH_TEXT];

    sedge_hash_print(&hash, text);
    (void)snprintf(path, 512, "%s/%s.sedge", folder, text);
}

// Is there an entry with exactly these bytes? Anything else found is a failure.
static bool finds_in(sedge_cache *cache, sedge_cache_place place, const sedge_cache_key *key,
                     const char *wanted)
{
    void *bytes = NULL;
    size_t length = 0;
    sedge_text *log = NULL;

    CHECK_OK(sedge_text_create(&log));
    CHECK_OK(sedge_cache_find(cache, place, key, &bytes, &length, log));
    const bool found = bytes != NULL;
    if (found) {
        CHECK(length == strlen(wanted) && memcmp(bytes, wanted, length) == 0);
        CHECK(strcmp(sedge_text_get(log), "the log: 12 registers\n") == 0);
    } else {
        CHECK(length == 0 && sedge_text_length(log) == 0);
    }
    sedge_release(bytes);
    sedge_text_free(log);
    return found;
}

static bool finds(sedge_cache *cache, const sedge_cache_key *key, const char *wanted)
{
    return finds_in(cache, SEDGE_CACHE_OWN, key, wanted);
}

static void store(sedge_cache *cache, const sedge_cache_key *key, const char *bytes)
{
    sedge_cache_store(cache, key, "demo", bytes, strlen(bytes), "the log: 12 registers\n");
}

static void test_round_trip(sedge_cache *cache)
{
    const sedge_cache_key key = some_key();
    struct stat about;
    char path[512];
    int64_t removed = 0;

    CHECK_OK(sedge_cache_clear(cache, &removed));
    CHECK(!finds(cache, &key, ""));
    store(cache, &key, "binary");
    CHECK(finds(cache, &key, "binary"));
    store(cache, &key, "binary2"); // replaces
    CHECK(finds(cache, &key, "binary2"));
    path_of(path, &key);
    CHECK(stat(path, &about) == 0 && (about.st_mode & 0777) == 0600);
    CHECK(stat(folder, &about) == 0 && (about.st_mode & 0777) == 0700);
    CHECK(sedge_cache_problem(cache) == NULL && strcmp(sedge_cache_folder(cache), folder) == 0);
    sedge_cache_drop(cache, SEDGE_CACHE_OWN, &key);
    CHECK(!finds(cache, &key, ""));
}

// Each field decides, and none can be mistaken for its neighbour.
static void test_every_field_counts(void)
{
    const sedge_cache_key key = some_key();
    sedge_cache_key others[8];
    sedge_hash hashes[8];

    for (int i = 0; i < 8; i++) others[i] = key;
    others[1].schema++;
    others[2].kind = "cuda";
    others[3].arch = "native: some chiq";
    others[4].compiler = "cc 1.0-";
    others[4].options = "O3"; // the same letters, cut elsewhere
    others[5].options = "-O2";
    others[6].text = "int x; \n";
    others[7].compiler = "cc 1.1";
    for (int i = 0; i < 8; i++) hashes[i] = sedge_cache_key_hash(&others[i]);
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < i; k++) CHECK(memcmp(&hashes[i], &hashes[k], sizeof *hashes) != 0);
    const sedge_hash again = sedge_cache_key_hash(&key);
    CHECK(memcmp(&again, &hashes[0], sizeof again) == 0);
}

// With one entry in the folder, a key that differs in any field finds nothing, and the entry stays.
static void test_every_field_misses(sedge_cache *cache)
{
    const sedge_cache_key key = some_key();

    store(cache, &key, "binary");
    for (int field = 0; field < 6; field++) {
        sedge_cache_key other = key;
        if (field == 0) other.schema++;
        if (field == 1) other.kind = "cuda";
        if (field == 2) other.arch = "native: another chip";
        if (field == 3) other.compiler = "cc 1.1";
        if (field == 4) other.options = "-O3 -g";
        if (field == 5) other.text = "int x; \n";
        CHECK(!finds(cache, &other, ""));
        CHECK(finds(cache, &key, "binary"));
    }
}

// Any one changed byte, and any shorter or longer file, is noticed.
static void test_every_byte_counts(void)
{
    sedge_entry entry = {.schema = SEDGE_CACHE_SCHEMA,
                         .fields = {"host", "chip", "cc", "-O3", "hash", "demo", "", "log"},
                         .payload = "payload",
                         .payload_length = 7};
    sedge_entry read;
    void *bytes = NULL;
    unsigned char *changed = NULL;
    size_t length = 0;

    CHECK_OK(sedge_entry_encode(&entry, &bytes, &length));
    CHECK_OK(sedge_allocate(&changed, (int64_t)length + 1, 1));
    memcpy(changed, bytes, length);
    CHECK(sedge_entry_decode(&read, changed, length));
    CHECK(read.payload_length == 7 && memcmp(read.payload, "payload", 7) == 0);
    CHECK(read.lengths[SEDGE_ENTRY_LOG] == 3 && read.lengths[SEDGE_ENTRY_RESOURCES] == 0);
    for (size_t i = 0; i < length; i++) {
        for (int bit = 0; bit < 8; bit++) {
            changed[i] ^= (unsigned char)(1 << bit);
            CHECK(!sedge_entry_decode(&read, changed, length));
            changed[i] ^= (unsigned char)(1 << bit);
        }
        CHECK(!sedge_entry_decode(&read, changed, i));
    }
    CHECK(!sedge_entry_decode(&read, changed, length + 1));
    CHECK(sedge_entry_decode(&read, changed, length));
    // A huge length must not lead outside the bytes.
    memset(changed + 16, 0xff, 8);
    CHECK(!sedge_entry_decode(&read, changed, length));
    sedge_release(changed);
    sedge_release(bytes);
}

static void overwrite(const char *path, long offset, const char *bytes, size_t length)
{
    FILE *const file = fopen(path, "r+b");

    CHECK(file != NULL);
    if (file == NULL) return;
    CHECK(fseek(file, offset, offset < 0 ? SEEK_END : SEEK_SET) == 0);
    CHECK(fwrite(bytes, 1, length, file) == length);
    CHECK(fclose(file) == 0);
}

// A damaged entry on disk is a miss, is removed, and can be written again.
static void test_damage_is_a_miss(sedge_cache *cache)
{
    const sedge_cache_key key = some_key();
    sedge_cache_key newer = key;
    char path[512];
    char other[512];

    path_of(path, &key);
    for (int kind = 0; kind < 7; kind++) {
        store(cache, &key, "binary");
        CHECK(finds(cache, &key, "binary"));
        switch (kind) {
        case 0:
            CHECK(truncate(path, 100) == 0);
            break;
        case 1:
            CHECK(truncate(path, 0) == 0);
            break;
        case 2:
            overwrite(path, -1, "Y", 1);
            break; // the payload's last byte
        case 3:
            overwrite(path, 0, "nonsense nonsense", 17);
            break; // the magic
        case 4:    // a whole entry of another key under this name
            newer.text = "int y;\n";
            store(cache, &newer, "other binary");
            path_of(other, &newer);
            CHECK(rename(other, path) == 0);
            break;
        case 5: // a whole entry of another schema under this name
            newer = key;
            newer.schema++;
            store(cache, &newer, "newer binary");
            path_of(other, &newer);
            CHECK(rename(other, path) == 0);
            break;
        default: // the same with its own name: looked for, but of no use to this build
            newer = key;
            newer.schema++;
            store(cache, &newer, "newer binary");
            CHECK(!finds(cache, &newer, ""));
            CHECK(unlink(path) == 0);
            break;
        }
        CHECK(!finds(cache, &key, ""));
        CHECK(access(path, F_OK) != 0);
    }
    CHECK(sedge_cache_problem(cache) == NULL);
}

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

// The same by chance, on disk: cut at any length, or with one bit turned anywhere, a whole file of
// realistic size is a miss, and never a crash or another binary.
static void test_random_damage(sedge_cache *cache)
{
    enum { BYTES = 9000, ROUNDS = 300 };
    static char payload[BYTES + 1];
    const sedge_cache_key key = some_key();
    struct stat about;
    uint32_t state = 20251121;
    char path[512];
    char *bytes = NULL;
    size_t length = 0;

    for (int i = 0; i < BYTES; i++) payload[i] = (char)('a' + next_random(&state) % 26);
    store(cache, &key, payload);
    path_of(path, &key);
    CHECK_OK(sedge_file_read(&bytes, &length, path, SEDGE_ERR_DATA));
    CHECK(length > BYTES);
    for (int round = 0; round < ROUNDS && bytes != NULL; round++) {
        const size_t at = next_random(&state) % length;
        const char bit = (char)(1 << next_random(&state) % 8);
        // The first tenth of the file, with all its lengths and texts, gets half of the hits.
        const size_t place = round % 2 == 0 ? at : at / 10;
        CHECK_OK(sedge_file_write(path, bytes, round % 3 == 0 ? place : length));
        if (round % 3 != 0) {
            const char turned = (char)(bytes[place] ^ bit);
            overwrite(path, (long)place, &turned, 1);
        }
        CHECK(!finds(cache, &key, ""));
        CHECK(stat(path, &about) != 0); // removed
    }
    CHECK_OK(sedge_file_write(path, bytes, length));
    CHECK(finds(cache, &key, payload)); // it was the damage, not the file
    sedge_release(bytes);
}

// Links, foreign modes and other things in an entry's place are not read.
static void test_strange_files(sedge_cache *cache)
{
    const sedge_cache_key key = some_key();
    char path[512];
    char aside[512];

    path_of(path, &key);
    (void)snprintf(aside, sizeof aside, "%s/aside", folder);
    store(cache, &key, "binary");
    CHECK(rename(path, aside) == 0 && symlink(aside, path) == 0);
    CHECK(!finds(cache, &key, ""));
    CHECK(unlink(path) == 0 && rename(aside, path) == 0);
    CHECK(finds(cache, &key, "binary"));
    CHECK(chmod(path, 0666) == 0);
    CHECK(!finds(cache, &key, ""));
    CHECK(unlink(path) == 0 && mkfifo(path, 0600) == 0);
    CHECK(!finds(cache, &key, "")); // and does not wait for a writer
    CHECK(unlink(path) == 0 && mkdir(path, 0700) == 0);
    store(cache, &key, "binary"); // cannot be put there: said, not fatal
    CHECK(sedge_cache_problem(cache) != NULL &&
          strstr(sedge_cache_problem(cache), "cannot write to the cache folder") != NULL);
    CHECK(rmdir(path) == 0);
}

static void test_bound(void)
{
    enum { ENTRIES = 5, BYTES = 300 * 1024 };
    static char payload[BYTES + 1];
    sedge_cache *cache = NULL;
    sedge_cache_key keys[ENTRIES];
    static const char *const texts[ENTRIES] = {"0", "1", "2", "3", "4"};
    char path[512];
    int64_t removed = 0;

    CHECK(setenv("SEDGE_CACHE_MAX", "1", 1) == 0);
    CHECK_OK(sedge_cache_create(&cache, folder));
    CHECK_OK(sedge_cache_clear(cache, &removed));
    memset(payload, 'x', BYTES);
    for (int i = 0; i < ENTRIES; i++) {
        keys[i] = some_key();
        keys[i].text = texts[i];
    }
    for (int i = 0; i < 3; i++) {
        const struct timespec age[2] = {{1000 + i, 0}, {1000 + i, 0}};
        store(cache, &keys[i], payload);
        path_of(path, &keys[i]);
        CHECK(utimensat(AT_FDCWD, path, age, 0) == 0);
    }
    CHECK(finds(cache, &keys[0], payload)); // used: now the newest
    store(cache, &keys[3], payload);        // 4 x 300 KiB > 1 MiB: entry 1 has to go
    CHECK(finds(cache, &keys[0], payload) && !finds(cache, &keys[1], ""));
    CHECK(finds(cache, &keys[2], payload) && finds(cache, &keys[3], payload));
    CHECK_OK(sedge_cache_clear(cache, &removed));
    CHECK(removed == 3);
    sedge_cache_free(cache);
    CHECK(setenv("SEDGE_CACHE_MAX", "much", 1) == 0);
    CHECK_FAILS(sedge_cache_create(&cache, folder), SEDGE_ERR_USAGE,
                "SEDGE_CACHE_MAX='much' is not a number of MiB");
    CHECK(unsetenv("SEDGE_CACHE_MAX") == 0);
}

// A cache in `path` does nothing, says `why`, and breaks nothing.
static void check_unusable(const char *path, const char *why)
{
    const sedge_cache_key key = some_key();
    sedge_cache *cache = NULL;
    int64_t removed = 0;

    CHECK_OK(sedge_cache_create(&cache, path));
    if (cache == NULL) return;
    const char *const problem = sedge_cache_problem(cache);
    CHECK(problem != NULL && strstr(problem, why) != NULL);
    store(cache, &key, "binary");
    CHECK(!finds(cache, &key, ""));
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
    const sedge_cache_key key = some_key();
    sedge_cache *filled = NULL;
    sedge_cache_key other = key;
    char path[512];
    char copy[600];
    char name[512];
    int state = -1;
    const bool is_root = geteuid() == 0;
    const uid_t nobody = 65534;

    other.text = "int other;\n";
    (void)chmod(read_only, 0700);
    if (is_root) (void)!chown(read_only, 0, 0);
    CHECK_OK(sedge_cache_create(&filled, read_only));
    store(filled, &key, "binary");
    CHECK(sedge_cache_problem(filled) == NULL);
    sedge_cache_free(filled);
    path_of(path, &key);
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
        CHECK(finds(filled, &key, "binary"));
        CHECK(!finds(filled, &other, ""));
        store(filled, &other, "other");
        CHECK(sedge_cache_problem(filled) != NULL &&
              strstr(sedge_cache_problem(filled), "Permission denied") != NULL);
        CHECK(!finds(filled, &other, ""));
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
    const sedge_cache_key key = some_key();
    sedge_cache_key large = key;
    sedge_cache *cache = NULL;
    int64_t removed;
    int state = -1;

    large.text = "int large;\n";
    memset(payload, 'x', sizeof payload - 1);
    CHECK_OK(sedge_cache_create(&cache, full));
    CHECK_OK(sedge_cache_clear(cache, &removed));
    store(cache, &key, "binary");
    (void)fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        const struct rlimit bound = {20000, 20000};
        check_failures = 0;
        CHECK(signal(SIGXFSZ, SIG_IGN) != SIG_ERR && setrlimit(RLIMIT_FSIZE, &bound) == 0);
        store(cache, &large, payload);
        CHECK(sedge_cache_problem(cache) != NULL &&
              strstr(sedge_cache_problem(cache), "cannot write to the cache folder") != NULL &&
              strstr(sedge_cache_problem(cache), "File too large") != NULL);
        CHECK(!finds(cache, &large, ""));
        CHECK(finds(cache, &key, "binary"));
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
    store(cache, key, "site binary");
    CHECK(sedge_cache_problem(cache) == NULL);
    sedge_cache_free(cache);
    path_of(entry, key);
    (void)snprintf(path, 600, "%s%s", site, strrchr(entry, '/'));
    CHECK(chmod(path, 0644) == 0 && chmod(site, 0755) == 0);
}

// Found there first, and never changed: neither its times, nor a damaged entry, nor by storing.
static void test_site_is_only_read(void)
{
    const sedge_cache_key key = some_key();
    const struct timespec age[2] = {{1000, 0}, {1000, 0}};
    sedge_cache_key other = key;
    sedge_cache *cache = NULL;
    struct stat about;
    char path[600];
    int64_t removed;

    other.text = "int other;\n";
    fill_site(&key, path);
    CHECK(utimensat(AT_FDCWD, path, age, 0) == 0);
    CHECK(setenv("SEDGE_CACHE_SITE", site, 1) == 0);
    CHECK_OK(sedge_cache_create(&cache, folder));
    CHECK_OK(sedge_cache_clear(cache, &removed));
    CHECK(sedge_cache_site_problem(cache) == NULL && strcmp(sedge_cache_site(cache), site) == 0);
    CHECK(finds_in(cache, SEDGE_CACHE_SITE, &key, "site binary"));
    CHECK(!finds_in(cache, SEDGE_CACHE_SITE, &other, "") && !finds(cache, &key, ""));
    CHECK(stat(path, &about) == 0 && about.st_mtim.tv_sec == 1000);
    store(cache, &other, "binary");
    CHECK(finds(cache, &other, "binary") && count_files(site) == 1);
    sedge_cache_drop(cache, SEDGE_CACHE_SITE, &key);
    CHECK(finds_in(cache, SEDGE_CACHE_SITE, &key, "site binary"));
    overwrite(path, -1, "Y", 1);
    CHECK(!finds_in(cache, SEDGE_CACHE_SITE, &key, ""));
    CHECK_OK(sedge_cache_clear(cache, &removed));
    CHECK(removed == 1 && count_files(site) == 1);
    sedge_cache_free(cache);
    CHECK(unsetenv("SEDGE_CACHE_SITE") == 0);
}

// A site folder that is refused says why; the cache itself works on.
static void check_site_refused(const char *path, const char *why)
{
    const sedge_cache_key key = some_key();
    sedge_cache *cache = NULL;

    CHECK(setenv("SEDGE_CACHE_SITE", path, 1) == 0);
    CHECK_OK(sedge_cache_create(&cache, folder));
    CHECK(sedge_cache_problem(cache) == NULL);
    CHECK(sedge_cache_site_problem(cache) != NULL &&
          strstr(sedge_cache_site_problem(cache), why) != NULL &&
          strstr(sedge_cache_site_problem(cache), "site cache folder") != NULL);
    CHECK(!finds_in(cache, SEDGE_CACHE_SITE, &key, ""));
    store(cache, &key, "binary");
    CHECK(finds(cache, &key, "binary"));
    sedge_cache_free(cache);
    CHECK(unsetenv("SEDGE_CACHE_SITE") == 0);
}

static void test_site_refused(void)
{
    static const char linked[] = SEDGE_TEST_DIR "/site-link";
    static const char missing[] = SEDGE_TEST_DIR "/no-such-site";
    const sedge_cache_key key = some_key();
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
    CHECK(!finds_in(cache, SEDGE_CACHE_SITE, &key, ""));
    CHECK(chmod(path, 0644) == 0);
    CHECK(finds_in(cache, SEDGE_CACHE_SITE, &key, "site binary"));
    sedge_cache_free(cache);
    CHECK(unsetenv("SEDGE_CACHE_SITE") == 0);
}

// Root's folder serves everybody; a third user's serves nobody else, nor do his entries in root's.
static void test_site_owners(void)
{
    const sedge_cache_key key = some_key();
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
        CHECK(finds_in(cache, SEDGE_CACHE_SITE, &key, "site binary"));
        sedge_cache_free(cache);
        _exit(CHECK_END());
    }
    CHECK(waitpid(child, &state, 0) == child && WIFEXITED(state) && WEXITSTATUS(state) == 0);
    CHECK(chown(path, third, third) == 0);
    CHECK(setenv("SEDGE_CACHE_SITE", site, 1) == 0);
    sedge_cache *cache = NULL;
    CHECK_OK(sedge_cache_create(&cache, folder));
    CHECK(!finds_in(cache, SEDGE_CACHE_SITE, &key, ""));
    sedge_cache_free(cache);
    CHECK(unsetenv("SEDGE_CACHE_SITE") == 0);
}

// Processes that look, store and drop the same entries at once see whole ones or none.
static void test_many_processes(void)
{
    enum { PROCESSES = 8, ROUNDS = 60 };
    static char payloads[3][20001];
    static const char *const texts[3] = {"a", "b", "c"};
    sedge_cache *cache = NULL;
    int64_t removed = 0;
    pid_t children[PROCESSES];

    for (int k = 0; k < 3; k++) memset(payloads[k], 'a' + k, 20000);
    CHECK_OK(sedge_cache_create(&cache, folder));
    CHECK_OK(sedge_cache_clear(cache, &removed));
    (void)fflush(NULL);
    for (int p = 0; p < PROCESSES; p++) {
        children[p] = fork();
        if (children[p] != 0) continue;
        check_failures = 0;
        for (int round = 0; round < ROUNDS; round++) {
            sedge_cache_key key = some_key();
            const int k = (round + p) % 3;
            key.text = texts[k];
            if (!finds(cache, &key, payloads[k])) store(cache, &key, payloads[k]);
            if ((round + p) % 7 == 0) sedge_cache_drop(cache, SEDGE_CACHE_OWN, &key);
            CHECK(sedge_cache_problem(cache) == NULL);
        }
        _exit(CHECK_END());
    }
    for (int p = 0; p < PROCESSES; p++) {
        int state = -1;
        CHECK(waitpid(children[p], &state, 0) == children[p]);
        CHECK(WIFEXITED(state) && WEXITSTATUS(state) == 0);
    }
    for (int k = 0; k < 3; k++) {
        sedge_cache_key key = some_key();
        key.text = texts[k];
        if (!finds(cache, &key, payloads[k])) store(cache, &key, payloads[k]);
        CHECK(finds(cache, &key, payloads[k]));
    }
    CHECK_OK(sedge_cache_clear(cache, &removed));
    CHECK(removed == 3);
    sedge_cache_free(cache);
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
    CHECK_OK(sedge_cache_create(&cache, NULL));
    CHECK(sedge_cache_problem(cache) != NULL &&
          strstr(sedge_cache_problem(cache), "are not set") != NULL);
    sedge_cache_free(cache);
}

// One line an entry, damaged ones named as such. Reads what went to stdout.
static void test_list(void)
{
    static const char path[] = SEDGE_TEST_DIR "/listing";
    sedge_cache *cache = NULL;
    sedge_cache_key key = some_key();
    char entry[512];
    char *text = NULL;
    size_t length = 0;
    int64_t removed = 0;

    CHECK_OK(sedge_cache_create(&cache, folder));
    CHECK_OK(sedge_cache_clear(cache, &removed));
    store(cache, &key, "binary");
    key.text = "int y;\n";
    store(cache, &key, "binary");
    path_of(entry, &key);
    CHECK(truncate(entry, 50) == 0);
    (void)fflush(stdout);
    const int out = dup(1);
    CHECK(freopen(path, "w", stdout) != NULL);
    CHECK_OK(sedge_cache_list(cache));
    (void)fflush(stdout);
    CHECK(dup2(out, 1) == 1);
    CHECK_OK(sedge_file_read(&text, &length, path, SEDGE_ERR_DATA));
    if (text != NULL) {
        CHECK(strstr(text, "host  demo  (registers 12, shared 0, spilled 0)\n") != NULL);
        CHECK(strstr(text, "(damaged)\n") != NULL);
    }
    sedge_release(text);
    sedge_cache_free(cache);
}

int main(void)
{
    sedge_cache *cache = NULL;

    CHECK_OK(sedge_cache_create(&cache, folder));
    if (cache == NULL) return 1;
    test_round_trip(cache);
    test_every_field_counts();
    test_every_field_misses(cache);
    test_every_byte_counts();
    test_damage_is_a_miss(cache);
    test_random_damage(cache);
    test_strange_files(cache);
    sedge_cache_free(cache);
    test_bound();
    test_unusable_folders();
    test_other_users_and_read_only();
    test_full_disk();
    test_site_is_only_read();
    test_site_refused();
    test_site_owners();
    test_many_processes();
    test_choice_of_folder();
    test_list();
    return CHECK_END();
}
