#define _GNU_SOURCE // flock
#include "codegen/wisdom.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "codegen/cache.h"
#include "codegen/folder.h"

#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

enum {
    LOCK_TRIES = 50, // of 10 ms; who waits in vain goes on, and may lose a line to the other
    DIGITS = 9,
};

sedge_status sedge_wisdom_need(const void *json)
{
    if (json == NULL) return SEDGE_FAIL(SEDGE_ERR_MEMORY, "out of memory for the tuner's wisdom");
    return SEDGE_OK;
}

// ---- keys --------------------------------------------------------------------------------------

static void hash_toolchain(char text[SEDGE_HASH_TEXT], const sedge_device *device)
{
    const char *const fields[] = {sedge_device_get_info(device)->compiler,
                                  sedge_device_compile_options(device)};
    const void *const pointers[] = {fields[0], fields[1]};
    const size_t lengths[] = {strlen(fields[0]), strlen(fields[1])};
    const sedge_hash hash = sedge_hash_fields(pointers, lengths, 2);

    sedge_hash_print(&hash, text);
}

sedge_status sedge_wisdom_key(json_t **key, const char *what, const sedge_device *device)
{
    const sedge_device_info *const info = sedge_device_get_info(device);
    char toolchain[SEDGE_HASH_TEXT];

    hash_toolchain(toolchain, device);
    *key = json_pack("{s:s, s:s, s:s, s:s, s:i, s:s}", "what", what, "kind", info->kind_name,
                     "device", info->name, "arch", info->arch, "multiprocessors",
                     info->multiprocessors, "toolchain", toolchain);
    return sedge_wisdom_need(*key);
}

sedge_status sedge_wisdom_hash(sedge_hash *hash, const json_t *key)
{
    char *const text = json_dumps(key, JSON_COMPACT | JSON_SORT_KEYS);

    SEDGE_TRY(sedge_wisdom_need(text));
    *hash = sedge_hash_bytes(text, strlen(text));
    free(text);
    return SEDGE_OK;
}

// ---- lines -------------------------------------------------------------------------------------

const json_t *sedge_wisdom_line_key(const json_t *line)
{
    return json_object_get(line, "key");
}

int sedge_wisdom_line_rigor(const json_t *line)
{
    return (int)json_integer_value(json_object_get(line, "rigor"));
}

const json_t *sedge_wisdom_find(const json_t *lines, const json_t *key, int rigor)
{
    for (size_t i = json_array_size(lines); i-- > 0;) {
        const json_t *const line = json_array_get(lines, i);
        if (json_equal(sedge_wisdom_line_key(line), key) && sedge_wisdom_line_rigor(line) >= rigor)
            return line;
    }
    return NULL;
}

static sedge_status add_lines(json_t *lines, const char *text, size_t length)
{
    const char *const end = text + length;

    while (text < end) {
        const char *const newline = memchr(text, '\n', (size_t)(end - text));
        const char *const stop = newline != NULL ? newline : end;
        json_t *const line = json_loadb(text, (size_t)(stop - text), JSON_REJECT_DUPLICATES, NULL);
        if (json_is_object(sedge_wisdom_line_key(line))) {
            if (json_array_append_new(lines, line) != 0) return sedge_wisdom_need(NULL);
        } else {
            json_decref(line);
        }
        text = stop + 1;
    }
    return SEDGE_OK;
}

static sedge_status read_own(json_t *lines, int directory)
{
    char *text = NULL;
    size_t length;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_cache_folder_read(directory, SEDGE_WISDOM_FILE, &text, &length));
    if (text != NULL) SEDGE_TRY_GOTO(status, add_lines(lines, text, length));
done:
    sedge_release(text);
    return status;
}

sedge_status sedge_wisdom_read(json_t **lines, const sedge_cache *cache)
{
    sedge_status status;
    int directory = -1;

    *lines = json_array();
    SEDGE_TRY_GOTO(status, sedge_wisdom_need(*lines));
    if (sedge_cache_folder_open(&directory, sedge_cache_folder(cache)) != SEDGE_OK) {
        sedge_error_clear(); // the cache has said it
        return SEDGE_OK;
    }
    SEDGE_TRY_GOTO(status, read_own(*lines, directory));
done:
    if (directory >= 0) (void)close(directory);
    if (status != SEDGE_OK) {
        json_decref(*lines);
        *lines = NULL;
    }
    return status;
}

// ---- writing -----------------------------------------------------------------------------------

// The lock ends with the descriptor. File systems without locks only lose lines now and then.
static void lock(int directory)
{
    const struct timespec pause = {.tv_nsec = 10000000};

    for (int i = 0; i < LOCK_TRIES && flock(directory, LOCK_EX | LOCK_NB) != 0; i++)
        (void)nanosleep(&pause, NULL);
}

static sedge_status replace_line(json_t *lines, json_t *line, bool replace)
{
    const json_t *const key = sedge_wisdom_line_key(line);

    for (size_t i = json_array_size(lines); i-- > 0;) {
        const json_t *const old = json_array_get(lines, i);
        if (json_equal(sedge_wisdom_line_key(old), key) &&
            (replace || sedge_wisdom_line_rigor(old) <= sedge_wisdom_line_rigor(line)))
            (void)json_array_remove(lines, i);
    }
    return sedge_wisdom_need(json_array_append(lines, line) == 0 ? line : NULL);
}

static int append_bytes(const char *bytes, size_t length, void *text)
{
    return sedge_text_add_bytes(text, bytes, length) == SEDGE_OK ? 0 : -1;
}

static sedge_status print_lines(sedge_text *text, const json_t *lines)
{
    for (size_t i = 0; i < json_array_size(lines); i++) {
        if (json_dump_callback(json_array_get(lines, i), append_bytes, text,
                               JSON_COMPACT | JSON_REAL_PRECISION(DIGITS)) != 0)
            return sedge_wisdom_need(NULL);
        SEDGE_TRY(sedge_text_add(text, "\n"));
    }
    return SEDGE_OK;
}

// The newest whole lines that fit.
static const char *choose_newest(const char *text, size_t length)
{
    if (length <= SEDGE_WISDOM_BYTES_MAX) return text;
    const char *const cut = text + (length - SEDGE_WISDOM_BYTES_MAX);
    const char *const newline = memchr(cut - 1, '\n', SEDGE_WISDOM_BYTES_MAX + 1);
    return newline != NULL ? newline + 1 : text + length;
}

static sedge_status merge(int directory, const char *folder, json_t *line, bool replace)
{
    sedge_status status;
    json_t *const lines = json_array();
    sedge_text *text = NULL;

    SEDGE_TRY_GOTO(status, sedge_wisdom_need(lines));
    SEDGE_TRY_GOTO(status, sedge_text_create(&text));
    SEDGE_TRY_GOTO(status, read_own(lines, directory));
    SEDGE_TRY_GOTO(status, replace_line(lines, line, replace));
    SEDGE_TRY_GOTO(status, print_lines(text, lines));
    const char *const all = sedge_text_get(text);
    const char *const newest = choose_newest(all, sedge_text_length(text));
    SEDGE_TRY_GOTO(status,
                   sedge_cache_folder_write(directory, folder, SEDGE_WISDOM_FILE, newest,
                                            sedge_text_length(text) - (size_t)(newest - all)));
done:
    sedge_text_free(text);
    json_decref(lines);
    return status;
}

void sedge_wisdom_write(sedge_cache *cache, json_t *line, bool replace)
{
    const char *const folder = sedge_cache_folder(cache);
    int directory = -1;

    if (sedge_cache_folder_open(&directory, folder) != SEDGE_OK) {
        sedge_cache_note_problem(cache);
        return;
    }
    lock(directory);
    if (merge(directory, folder, line, replace) != SEDGE_OK) sedge_cache_note_problem(cache);
    (void)close(directory);
}
