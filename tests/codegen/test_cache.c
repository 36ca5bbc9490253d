// The cache: keys, entries, damage, bounds, many processes.
#define _DEFAULT_SOURCE // setenv, chown
#include "cache_case.h"

#include "base/file.h"
#include "cache/folder.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char folder[] = SEDGE_TEST_DIR "/cache";

static void test_round_trip(sedge_cache *cache)
{
    const sedge_cache_key key = cache_key();
    struct stat about;
    char path[512];
    int64_t removed = 0;

    CHECK_OK(sedge_cache_clear(cache, &removed));
    CHECK(!cache_finds(cache, &key, ""));
    cache_store(cache, &key, "binary");
    CHECK(cache_finds(cache, &key, "binary"));
    cache_store(cache, &key, "binary2"); // replaces
    CHECK(cache_finds(cache, &key, "binary2"));
    cache_path(path, folder, &key);
    CHECK(stat(path, &about) == 0 && (about.st_mode & 0777) == 0600);
    CHECK(stat(folder, &about) == 0 && (about.st_mode & 0777) == 0700);
    CHECK(sedge_cache_problem(cache) == NULL && strcmp(sedge_cache_folder(cache), folder) == 0);
    sedge_cache_drop(cache, SEDGE_CACHE_OWN, &key);
    CHECK(!cache_finds(cache, &key, ""));
}

// Each field decides, and none can be mistaken for its neighbour.
static void test_every_field_counts(void)
{
    const sedge_cache_key key = cache_key();
    sedge_cache_key others[8];
    sedge_hash hashes[8];

    for (int i = 0; i < 8; i++) others[i] = key;
    others[1].schema++;
    others[2].kind = "cuda";
    others[3].arch = "native: some chiq";
    others[4].compiler = "cc 1.0-";
    others[4].options = "O3"; // the same letters, cut elsewhere
    others[5].options = "-O2";
    others[6].text = cache_text("int x; \n");
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
    const sedge_cache_key key = cache_key();

    cache_store(cache, &key, "binary");
    for (int field = 0; field < 6; field++) {
        sedge_cache_key other = key;
        if (field == 0) other.schema++;
        if (field == 1) other.kind = "cuda";
        if (field == 2) other.arch = "native: another chip";
        if (field == 3) other.compiler = "cc 1.1";
        if (field == 4) other.options = "-O3 -g";
        if (field == 5) other.text = cache_text("int x; \n");
        CHECK(!cache_finds(cache, &other, ""));
        CHECK(cache_finds(cache, &key, "binary"));
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

// A damaged entry on disk is a miss, is removed, and can be written again.
static void test_damage_is_a_miss(sedge_cache *cache)
{
    const sedge_cache_key key = cache_key();
    sedge_cache_key newer = key;
    char path[512];
    char other[512];

    cache_path(path, folder, &key);
    for (int kind = 0; kind < 7; kind++) {
        cache_store(cache, &key, "binary");
        CHECK(cache_finds(cache, &key, "binary"));
        switch (kind) {
        case 0:
            CHECK(truncate(path, 100) == 0);
            break;
        case 1:
            CHECK(truncate(path, 0) == 0);
            break;
        case 2:
            cache_overwrite(path, -1, "Y", 1);
            break; // the payload's last byte
        case 3:
            cache_overwrite(path, 0, "nonsense nonsense", 17);
            break; // the magic
        case 4:    // a whole entry of another key under this name
            newer.text = cache_text("int y;\n");
            cache_store(cache, &newer, "other binary");
            cache_path(other, folder, &newer);
            CHECK(rename(other, path) == 0);
            break;
        case 5: // a whole entry of another schema under this name
            newer = key;
            newer.schema++;
            cache_store(cache, &newer, "newer binary");
            cache_path(other, folder, &newer);
            CHECK(rename(other, path) == 0);
            break;
        default: // the same with its own name: looked for, but of no use to this build
            newer = key;
            newer.schema++;
            cache_store(cache, &newer, "newer binary");
            CHECK(!cache_finds(cache, &newer, ""));
            CHECK(unlink(path) == 0);
            break;
        }
        CHECK(!cache_finds(cache, &key, ""));
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
    const sedge_cache_key key = cache_key();
    struct stat about;
    uint32_t state = 20251121;
    char path[512];
    char *bytes = NULL;
    size_t length = 0;

    for (int i = 0; i < BYTES; i++) payload[i] = (char)('a' + next_random(&state) % 26);
    cache_store(cache, &key, payload);
    cache_path(path, folder, &key);
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
            cache_overwrite(path, (long)place, &turned, 1);
        }
        CHECK(!cache_finds(cache, &key, ""));
        CHECK(stat(path, &about) != 0); // removed
    }
    CHECK_OK(sedge_file_write(path, bytes, length));
    CHECK(cache_finds(cache, &key, payload)); // it was the damage, not the file
    sedge_release(bytes);
}

// Links, foreign modes and other things in an entry's place are not read.
static void test_strange_files(sedge_cache *cache)
{
    const sedge_cache_key key = cache_key();
    char path[512];
    char aside[512];

    cache_path(path, folder, &key);
    (void)snprintf(aside, sizeof aside, "%s/aside", folder);
    cache_store(cache, &key, "binary");
    CHECK(rename(path, aside) == 0 && symlink(aside, path) == 0);
    CHECK(!cache_finds(cache, &key, ""));
    CHECK(unlink(path) == 0 && rename(aside, path) == 0);
    CHECK(cache_finds(cache, &key, "binary"));
    CHECK(chmod(path, 0666) == 0);
    CHECK(!cache_finds(cache, &key, ""));
    CHECK(unlink(path) == 0 && mkfifo(path, 0600) == 0);
    CHECK(!cache_finds(cache, &key, "")); // and does not wait for a writer
    CHECK(unlink(path) == 0 && mkdir(path, 0700) == 0);
    cache_store(cache, &key, "binary"); // cannot be put there: said, not fatal
    CHECK(sedge_cache_problem(cache) != NULL &&
          strstr(sedge_cache_problem(cache), "cannot write to the cache folder") != NULL);
    CHECK(rmdir(path) == 0);
}

static void test_bound(void)
{
    enum { ENTRIES = 5, BYTES = 300 * 1024 };
    static char payload[BYTES + 1];
    static char large[4 * BYTES + 1];
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
        keys[i] = cache_key();
        keys[i].text = cache_text(texts[i]);
    }
    for (int i = 0; i < 3; i++) {
        const struct timespec age[2] = {{1000 + i, 0}, {1000 + i, 0}};
        cache_store(cache, &keys[i], payload);
        cache_path(path, folder, &keys[i]);
        CHECK(utimensat(AT_FDCWD, path, age, 0) == 0);
    }
    CHECK(cache_finds(cache, &keys[0], payload)); // used: now the newest
    cache_store(cache, &keys[3], payload);        // 4 x 300 KiB > 1 MiB: entry 1 has to go
    CHECK(cache_finds(cache, &keys[0], payload) && !cache_finds(cache, &keys[1], ""));
    CHECK(cache_finds(cache, &keys[2], payload) && cache_finds(cache, &keys[3], payload));
    memset(large, 'x', sizeof large - 1); // above the bound alone: all others go, it stays
    cache_store(cache, &keys[4], large);
    CHECK(cache_finds(cache, &keys[4], large));
    CHECK_OK(sedge_cache_clear(cache, &removed));
    CHECK(removed == 1);
    sedge_cache_free(cache);
    CHECK(setenv("SEDGE_CACHE_MAX", "much", 1) == 0);
    CHECK_FAILS(sedge_cache_create(&cache, folder), SEDGE_ERR_USAGE,
                "SEDGE_CACHE_MAX='much' is not a number of MiB");
    CHECK(setenv("SEDGE_CACHE_MAX", "0", 1) == 0);
    CHECK_FAILS(sedge_cache_create(&cache, folder), SEDGE_ERR_USAGE,
                "SEDGE_CACHE_MAX='0' is not a number of MiB");
    CHECK(unsetenv("SEDGE_CACHE_MAX") == 0);
}

// All entries are removed, however many, and what processes that died left behind.
static void test_clear(void)
{
    enum { ENTRIES = 70 };
    static const char left[] = SEDGE_TEST_DIR "/cache/tmp-1-2";
    sedge_cache *cache = NULL;
    int64_t removed = 0;

    CHECK_OK(sedge_cache_create(&cache, folder));
    CHECK_OK(sedge_cache_clear(cache, &removed));
    for (int i = 0; i < ENTRIES; i++) {
        char path[512];
        (void)snprintf(path, sizeof path, "%s/%d" SEDGE_ENTRY_ENDING, folder, i);
        CHECK_OK(sedge_file_write(path, "x", 1));
    }
    CHECK_OK(sedge_file_write(left, "x", 1));
    CHECK_OK(sedge_cache_clear(cache, &removed));
    CHECK(removed == ENTRIES && access(left, F_OK) != 0);
    CHECK_OK(sedge_cache_clear(cache, &removed));
    CHECK(removed == 0);
    sedge_cache_free(cache);
}

// Of several kernels the most of each.
static void test_resources(void)
{
    const sedge_program_resources most =
        sedge_cache_resources("16 bytes spill stores\nUsed 40 registers, 840 bytes smem\n"
                              "8 bytes spill stores\nUsed 32 registers, 9 bytes smem\n");
    const sedge_program_resources none = sedge_cache_resources("Used 8 registers\n");

    CHECK(most.registers == 40 && most.shared == 840 && most.spilled == 16);
    CHECK(none.registers == 8 && none.shared == 0 && none.spilled == 0);
    CHECK(sedge_cache_resources("").registers == -1);
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
            sedge_cache_key key = cache_key();
            const int k = (round + p) % 3;
            key.text = cache_text(texts[k]);
            if (!cache_finds(cache, &key, payloads[k])) cache_store(cache, &key, payloads[k]);
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
        sedge_cache_key key = cache_key();
        key.text = cache_text(texts[k]);
        if (!cache_finds(cache, &key, payloads[k])) cache_store(cache, &key, payloads[k]);
        CHECK(cache_finds(cache, &key, payloads[k]));
    }
    CHECK_OK(sedge_cache_clear(cache, &removed));
    CHECK(removed == 3);
    sedge_cache_free(cache);
}

// One line an entry, damaged ones named as such. Reads what went to stdout.
static void test_list(void)
{
    static const char path[] = SEDGE_TEST_DIR "/listing";
    sedge_cache *cache = NULL;
    sedge_cache_key key = cache_key();
    char entry[512];
    char *text = NULL;
    size_t length = 0;
    int64_t removed = 0;

    CHECK_OK(sedge_cache_create(&cache, folder));
    CHECK_OK(sedge_cache_clear(cache, &removed));
    cache_store(cache, &key, "binary");
    key.text = cache_text("int y;\n");
    cache_store(cache, &key, "binary");
    cache_path(entry, folder, &key);
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
    test_clear();
    test_resources();
    test_many_processes();
    test_list();
    return CHECK_END();
}
