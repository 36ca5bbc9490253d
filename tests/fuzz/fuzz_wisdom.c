// Any bytes as wisdom.jsonl: what the tuner takes from it is within its tables, and a new line is
// there after it was written.
#define _POSIX_C_SOURCE 200809L
#include "fuzz.h"

#include "base/file.h"
#include "base/memory.h"
#include "tune/tune_wisdom.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BYTES_MAX = 65536, CANDIDATES = 3, LAYOUTS = 2 };

static const char folder_start[] = "/tmp/sedge-fuzz-wisdom-XXXXXX";
static const char *const layout_names[LAYOUTS] = {"plain", "packed"};
static const sedge_tune_candidate stage[CANDIDATES] = {
    {.name = "b32", .layout = 0}, {.name = "b64", .layout = 0}, {.name = "p32", .layout = 1}};
static const sedge_tune_task task = {.name = "task",
                                     .size = "2^9",
                                     .source_hash = "abc",
                                     .layouts = LAYOUTS,
                                     .layout_names = layout_names,
                                     .operation = "stage",
                                     .count = CANDIDATES,
                                     .candidates = stage};
static const char key_text[] =
    "{\"what\":\"tune\",\"kind\":\"host\",\"device\":\"d\",\"arch\":\"a\","
    "\"multiprocessors\":2,\"toolchain\":\"t\",\"task\":\"task\","
    "\"source\":\"abc\",\"size\":\"2^9\"}";

// A private folder for the life of this process; it is made in /tmp and removed at the end.
static char folder[sizeof folder_start];

static void remove_folder(void)
{
    char path[128];

    (void)snprintf(path, sizeof path, "%s/" SEDGE_WISDOM_FILE, folder);
    (void)unlink(path);
    (void)rmdir(folder);
}

static void write_file(const uint8_t *data, size_t size)
{
    char path[128];

    if (folder[0] == '\0') {
        (void)snprintf(folder, sizeof folder, "%s", folder_start);
        FUZZ_CHECK(mkdtemp(folder) != NULL && atexit(remove_folder) == 0);
    }
    (void)snprintf(path, sizeof path, "%s/" SEDGE_WISDOM_FILE, folder);
    FILE *const file = fopen(path, "wb");
    FUZZ_CHECK(file != NULL && fwrite(data, 1, size, file) == size && fclose(file) == 0);
    FUZZ_CHECK(chmod(path, 0600) == 0);
}

static void recall(const json_t *lines, const json_t *key, sedge_tune_level level)
{
    double scores[LAYOUTS] = {0.0};
    sedge_tune_record records[CANDIDATES] = {{.seconds = 0.0}};
    sedge_tune_result result = {.scores = scores, .records = records};

    if (!sedge_tune_recall(&result, &task, lines, key, level)) return;
    FUZZ_CHECK(result.choice >= 0 && result.choice < CANDIDATES);
    FUZZ_CHECK(stage[result.choice].layout == result.layout);
    FUZZ_CHECK(stage[result.choice].refused == NULL);
    for (int c = 0; c < CANDIDATES; c++)
        FUZZ_CHECK(memchr(records[c].reason, '\0', sizeof records[c].reason) != NULL);
}

static void advise(const json_t *lines, const json_t *key)
{
    const sedge_tune_options options = {.level = SEDGE_TUNE_FAST};
    sedge_tune_advice advice;

    FUZZ_CHECK(sedge_tune_advise(&advice, &task, lines, key, &options) == SEDGE_OK);
    for (int c = 0; c < CANDIDATES; c++) FUZZ_CHECK(advice.hints[c].distance <= SEDGE_TUNE_UNKNOWN);
    sedge_tune_advice_free(&advice);
}

static void check_written(sedge_cache *cache, const json_t *key)
{
    json_t *const line = json_pack("{s:O, s:i}", "key", key, "rigor", 1);
    json_t *lines = NULL;

    FUZZ_CHECK(line != NULL);
    sedge_wisdom_write(cache, "task", line, true);
    FUZZ_CHECK(sedge_cache_problem(cache) == NULL);
    FUZZ_CHECK(sedge_wisdom_read(&lines, cache, "task") == SEDGE_OK);
    FUZZ_CHECK(sedge_wisdom_find(lines, key, 1) != NULL);
    json_decref(lines);
    json_decref(line);
}

int FUZZ_ONE(const uint8_t *data, size_t size)
{
    static unsigned calls = 0;
    sedge_cache *cache = NULL;
    json_t *lines = NULL;

    if (size > BYTES_MAX) return 0;
    write_file(data, size);
    json_t *const key = json_loads(key_text, 0, NULL);
    FUZZ_CHECK(key != NULL && sedge_cache_create(&cache, folder) == SEDGE_OK);
    FUZZ_CHECK(sedge_cache_problem(cache) == NULL);
    FUZZ_CHECK(sedge_wisdom_read(&lines, cache, "task") == SEDGE_OK);
    recall(lines, key, SEDGE_TUNE_OFF);
    recall(lines, key, SEDGE_TUNE_PATIENT);
    advise(lines, key);
    // It waits for the disk: not every time.
    if (calls++ % 64 == 0) check_written(cache, key);
    json_decref(lines);
    json_decref(key);
    sedge_cache_free(cache);
    return 0;
}
