#define _GNU_SOURCE // flock, memmem
#include "tune/wisdom.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "cache/folder.h"
#include "cache/store.h"

#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

enum {
    LOCK_TRIES = 50, // of 10 ms; then it goes on without, and a line may be lost
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

// One line of a file, without its end.
typedef struct wisdom_line {
    const char *text;
    size_t length;
} wisdom_line;

// Take the next line off `*text`; false: there is none.
static bool next_line(wisdom_line *line, const char **text, const char *end)
{
    if (*text >= end) return false;
    const char *const newline = memchr(*text, '\n', (size_t)(end - *text));
    const char *const stop = newline != NULL ? newline : end;
    *line = (wisdom_line){.text = *text, .length = (size_t)(stop - *text)};
    *text = stop + 1;
    return true;
}

// `about` as it stands in a line, to be released with free.
static sedge_status make_mark(char **mark, const char *about)
{
    json_t *const text = json_string(about);

    *mark = json_dumps(text, JSON_ENCODE_ANY);
    json_decref(text);
    return sedge_wisdom_need(*mark);
}

static bool has_mark(const wisdom_line *line, const char *mark)
{
    return memmem(line->text, line->length, mark, strlen(mark)) != NULL;
}

// NULL: it is no object with a key.
static json_t *parse_line(const wisdom_line *line)
{
    json_t *const object = json_loadb(line->text, line->length, JSON_REJECT_DUPLICATES, NULL);

    if (json_is_object(sedge_wisdom_line_key(object))) return object;
    json_decref(object);
    return NULL;
}

static sedge_status add_lines(json_t *lines, const char *text, size_t length, const char *mark)
{
    const char *const end = text + length;
    wisdom_line line;

    while (next_line(&line, &text, end)) {
        json_t *const object = has_mark(&line, mark) ? parse_line(&line) : NULL;
        if (object != NULL && json_array_append_new(lines, object) != 0)
            return sedge_wisdom_need(NULL);
    }
    return SEDGE_OK;
}

static sedge_status read_own(json_t *lines, const sedge_cache *cache, const char *mark)
{
    char *text = NULL;
    size_t length;
    int directory = -1;
    sedge_status status;

    if (sedge_cache_folder_open(&directory, sedge_cache_folder(cache)) != SEDGE_OK) {
        sedge_error_clear(); // the cache has said it
        return SEDGE_OK;
    }
    SEDGE_TRY_GOTO(status, sedge_cache_folder_read(directory, SEDGE_WISDOM_FILE, &text, &length));
    if (text != NULL) SEDGE_TRY_GOTO(status, add_lines(lines, text, length, mark));
done:
    sedge_release(text);
    (void)close(directory);
    return status;
}

// The site folder's lines, where there is one that the cache uses.
static sedge_status read_site(json_t *lines, const sedge_cache *cache, const char *mark)
{
    const char *const site = sedge_cache_site(cache);
    char *text = NULL;
    size_t length;
    int directory = -1;
    sedge_status status;

    if (site == NULL || sedge_cache_site_problem(cache) != NULL) return SEDGE_OK;
    if (sedge_cache_folder_open_site(&directory, site) != SEDGE_OK) { // gone since
        sedge_error_clear();
        return SEDGE_OK;
    }
    SEDGE_TRY_GOTO(status,
                   sedge_cache_folder_read_site(directory, SEDGE_WISDOM_FILE, &text, &length));
    if (text != NULL) SEDGE_TRY_GOTO(status, add_lines(lines, text, length, mark));
done:
    sedge_release(text);
    (void)close(directory);
    return status;
}

sedge_status sedge_wisdom_read(json_t **lines, const sedge_cache *cache, const char *about)
{
    sedge_status status;
    char *mark = NULL;

    *lines = json_array();
    SEDGE_TRY_GOTO(status, sedge_wisdom_need(*lines));
    SEDGE_TRY_GOTO(status, make_mark(&mark, about));
    SEDGE_TRY_GOTO(status, read_site(*lines, cache, mark));
    SEDGE_TRY_GOTO(status, read_own(*lines, cache, mark));
done:
    free(mark);
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

// Does an old line stay beside the new one? Lines about other things are not parsed for that.
static bool stays(const wisdom_line *old, const char *mark, const json_t *line, bool replace)
{
    if (!has_mark(old, mark))
        return old->length > 1 && old->text[0] == '{' && old->text[old->length - 1] == '}';
    json_t *const object = parse_line(old);
    const bool is_same =
        json_equal(sedge_wisdom_line_key(object), sedge_wisdom_line_key(line)) != 0;
    const bool is_higher = sedge_wisdom_line_rigor(object) > sedge_wisdom_line_rigor(line);
    const bool kept = object != NULL && (!is_same || (is_higher && !replace));
    json_decref(object);
    return kept;
}

static int append_bytes(const char *bytes, size_t length, void *text)
{
    return sedge_text_add_bytes(text, bytes, length) == SEDGE_OK ? 0 : -1;
}

// The file's new text: old lines that stay, and the new one.
static sedge_status write_lines(sedge_text *text, const char *old, size_t length, const char *mark,
                                const json_t *line, bool replace)
{
    const char *const end = old + length;
    wisdom_line kept;

    while (next_line(&kept, &old, end)) {
        if (!stays(&kept, mark, line, replace)) continue;
        SEDGE_TRY(sedge_text_add_bytes(text, kept.text, kept.length));
        SEDGE_TRY(sedge_text_add(text, "\n"));
    }
    if (json_dump_callback(line, append_bytes, text, JSON_COMPACT | JSON_REAL_PRECISION(DIGITS)) !=
        0)
        return sedge_wisdom_need(NULL);
    return sedge_text_add(text, "\n");
}

// The newest whole lines that fit.
static const char *choose_newest(const char *text, size_t length)
{
    if (length <= SEDGE_WISDOM_BYTES_MAX) return text;
    const char *const cut = text + (length - SEDGE_WISDOM_BYTES_MAX);
    const char *const newline = memchr(cut - 1, '\n', SEDGE_WISDOM_BYTES_MAX + 1);
    return newline != NULL ? newline + 1 : text + length;
}

static sedge_status merge(int directory, const char *folder, const char *about, const json_t *line,
                          bool replace)
{
    sedge_status status;
    sedge_text *text = NULL;
    char *mark = NULL;
    char *old = NULL;
    size_t length = 0;

    SEDGE_TRY_GOTO(status, sedge_text_create(&text));
    SEDGE_TRY_GOTO(status, make_mark(&mark, about));
    SEDGE_TRY_GOTO(status, sedge_cache_folder_read(directory, SEDGE_WISDOM_FILE, &old, &length));
    SEDGE_TRY_GOTO(status, write_lines(text, old != NULL ? old : "", length, mark, line, replace));
    const char *const all = sedge_text_get(text);
    const char *const newest = choose_newest(all, sedge_text_length(text));
    SEDGE_TRY_GOTO(status,
                   sedge_cache_folder_write(directory, folder, SEDGE_WISDOM_FILE, newest,
                                            sedge_text_length(text) - (size_t)(newest - all)));
done:
    sedge_text_free(text);
    sedge_release(old);
    free(mark);
    return status;
}

void sedge_wisdom_write(sedge_cache *cache, const char *about, const json_t *line, bool replace)
{
    const char *const folder = sedge_cache_folder(cache);
    int directory = -1;

    if (sedge_cache_folder_open(&directory, folder) != SEDGE_OK) {
        sedge_cache_note_problem(cache);
        return;
    }
    lock(directory);
    if (merge(directory, folder, about, line, replace) != SEDGE_OK) sedge_cache_note_problem(cache);
    (void)close(directory);
}
