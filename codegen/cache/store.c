#define _DEFAULT_SOURCE // PATH_MAX
#include "cache/store.h"

#include "base/memory.h"
#include "cache/entry.h"
#include "cache/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct sedge_cache {
    char folder[SEDGE_CACHE_PLACES][PATH_MAX];        // "": none
    char problem[SEDGE_CACHE_PLACES][PATH_MAX + 256]; // "": none
    int directory[SEDGE_CACHE_PLACES];                // open folder; -1: not usable
    int locks; // of the own folder: each claim locks a byte; -1: not usable
    int64_t bytes_max;
    sedge_cache_counts counts;
};

// ---- keys --------------------------------------------------------------------------------------

sedge_cache_key sedge_cache_key_make(const sedge_device *device, const char *text)
{
    const sedge_device_info *const info = sedge_device_get_info(device);

    return (sedge_cache_key){.schema = SEDGE_CACHE_SCHEMA,
                             .kind = info->kind_name,
                             .arch = info->arch,
                             .compiler = info->compiler,
                             .options = sedge_device_compile_options(device),
                             .text = sedge_hash_bytes(text, strlen(text))};
}

sedge_hash sedge_cache_key_hash(const sedge_cache_key *key)
{
    char schema[32];
    char text[SEDGE_HASH_TEXT];
    const char *const texts[] = {schema, key->kind, key->arch, key->compiler, key->options, text};
    enum { COUNT = sizeof texts / sizeof *texts };
    const void *fields[COUNT];
    size_t lengths[COUNT];

    (void)snprintf(schema, sizeof schema, "sedge-cache-%llu", (unsigned long long)key->schema);
    sedge_hash_print(&key->text, text);
    for (int i = 0; i < COUNT; i++) {
        fields[i] = texts[i];
        lengths[i] = strlen(texts[i]);
    }
    return sedge_hash_fields(fields, lengths, COUNT);
}

static void make_entry_name(char name[SEDGE_ENTRY_NAME_MAX], const sedge_cache_key *key)
{
    const sedge_hash hash = sedge_cache_key_hash(key);
    char text[SEDGE_HASH_TEXT];

    sedge_hash_print(&hash, text);
    (void)snprintf(name, SEDGE_ENTRY_NAME_MAX, "%s" SEDGE_ENTRY_ENDING, text);
}

// ---- opening -----------------------------------------------------------------------------------

static sedge_status set_folder(sedge_cache *cache, sedge_cache_place place, const char *path,
                               const char *below)
{
    char *const folder = cache->folder[place];
    int length = snprintf(folder, PATH_MAX, "%s%s", path, below);

    if (length >= PATH_MAX)
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "the cache folder's path is too long");
    // A slash at the end would let open follow a link.
    while (length > 1 && folder[length - 1] == '/') folder[--length] = '\0';
    return SEDGE_OK;
}

static sedge_status choose_folder(sedge_cache *cache, const char *folder)
{
    const char *const own = getenv("SEDGE_CACHE_DIR");
    const char *const user = getenv("XDG_CACHE_HOME");
    const char *const home = getenv("HOME");

    if (folder == NULL && own != NULL && own[0] != '\0') folder = own;
    if (folder != NULL) return set_folder(cache, SEDGE_CACHE_OWN, folder, "");
    if (user != NULL && user[0] == '/') // the specification: a relative path is to be ignored
        return set_folder(cache, SEDGE_CACHE_OWN, user, "/sedge");
    if (home != NULL && home[0] != '\0')
        return set_folder(cache, SEDGE_CACHE_OWN, home, "/.cache/sedge");
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "no cache folder: SEDGE_CACHE_DIR, XDG_CACHE_HOME and HOME are not set");
}

static sedge_status open_own(sedge_cache *cache, const char *folder)
{
    SEDGE_TRY(choose_folder(cache, folder));
    return sedge_cache_folder_open(&cache->directory[SEDGE_CACHE_OWN],
                                   cache->folder[SEDGE_CACHE_OWN]);
}

static sedge_status open_site(sedge_cache *cache)
{
    const char *const site = getenv("SEDGE_CACHE_SITE");

    if (site == NULL || site[0] == '\0') return SEDGE_OK;
    SEDGE_TRY(set_folder(cache, SEDGE_CACHE_SITE, site, ""));
    return sedge_cache_folder_open_site(&cache->directory[SEDGE_CACHE_SITE],
                                        cache->folder[SEDGE_CACHE_SITE]);
}

static sedge_status read_bound(int64_t *bytes)
{
    const char *const setting = getenv("SEDGE_CACHE_MAX");
    char *end = NULL;

    *bytes = (int64_t)256 << 20;
    if (setting == NULL || setting[0] == '\0') return SEDGE_OK;
    const long mebibytes = strtol(setting, &end, 10);
    if (*end != '\0' || mebibytes < 1 || mebibytes > 1 << 20) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "SEDGE_CACHE_MAX='%s' is not a number of MiB in 1..%d",
                          setting, 1 << 20);
    }
    *bytes = (int64_t)mebibytes << 20;
    return SEDGE_OK;
}

static void note_problem(sedge_cache *cache, sedge_cache_place place)
{
    (void)snprintf(cache->problem[place], sizeof cache->problem[place], "%s",
                   sedge_error_message());
    sedge_error_clear();
}

void sedge_cache_note_problem(sedge_cache *cache)
{
    note_problem(cache, SEDGE_CACHE_OWN);
}

sedge_status sedge_cache_create(sedge_cache **out, const char *folder)
{
    sedge_cache *cache = NULL;
    int64_t bound;

    *out = NULL;
    SEDGE_TRY(read_bound(&bound));
    SEDGE_TRY(sedge_allocate(&cache, 1, sizeof *cache));
    for (int k = 0; k < SEDGE_CACHE_PLACES; k++) cache->directory[k] = -1;
    cache->locks = -1;
    cache->bytes_max = bound;
    if (open_own(cache, folder) != SEDGE_OK) note_problem(cache, SEDGE_CACHE_OWN);
    if (cache->directory[SEDGE_CACHE_OWN] >= 0)
        cache->locks = sedge_cache_folder_open_locks(cache->directory[SEDGE_CACHE_OWN]);
    if (open_site(cache) != SEDGE_OK) note_problem(cache, SEDGE_CACHE_SITE);
    *out = cache;
    return SEDGE_OK;
}

void sedge_cache_free(sedge_cache *cache)
{
    if (cache == NULL) return;
    for (int k = 0; k < SEDGE_CACHE_PLACES; k++)
        if (cache->directory[k] >= 0) (void)close(cache->directory[k]);
    if (cache->locks >= 0) (void)close(cache->locks);
    sedge_release(cache);
}

const char *sedge_cache_folder(const sedge_cache *cache)
{
    return cache->folder[SEDGE_CACHE_OWN];
}

const char *sedge_cache_problem(const sedge_cache *cache)
{
    const char *const problem = cache->problem[SEDGE_CACHE_OWN];

    return problem[0] != '\0' ? problem : NULL;
}

const char *sedge_cache_site(const sedge_cache *cache)
{
    const char *const folder = cache->folder[SEDGE_CACHE_SITE];

    return folder[0] != '\0' ? folder : NULL;
}

const char *sedge_cache_site_problem(const sedge_cache *cache)
{
    const char *const problem = cache->problem[SEDGE_CACHE_SITE];

    return problem[0] != '\0' ? problem : NULL;
}

sedge_cache_counts sedge_cache_get_counts(const sedge_cache *cache)
{
    return cache->counts;
}

void sedge_cache_count_hit(sedge_cache *cache)
{
    cache->counts.hits++;
}

void sedge_cache_count_misses(sedge_cache *cache, int misses, double seconds)
{
    cache->counts.misses += misses;
    cache->counts.compile_seconds += seconds;
}

// ---- finding -----------------------------------------------------------------------------------

static bool is_field(const sedge_entry *entry, sedge_entry_field field, const char *expected)
{
    return entry->lengths[field] == strlen(expected) &&
           memcmp(entry->fields[field], expected, entry->lengths[field]) == 0;
}

static bool is_of_key(const sedge_entry *entry, const sedge_cache_key *key)
{
    char text[SEDGE_HASH_TEXT];

    sedge_hash_print(&key->text, text);
    return entry->schema == key->schema && is_field(entry, SEDGE_ENTRY_KIND, key->kind) &&
           is_field(entry, SEDGE_ENTRY_ARCH, key->arch) &&
           is_field(entry, SEDGE_ENTRY_COMPILER, key->compiler) &&
           is_field(entry, SEDGE_ENTRY_OPTIONS, key->options) &&
           is_field(entry, SEDGE_ENTRY_TEXT_HASH, text);
}

static sedge_status read_file(const sedge_cache *cache, sedge_cache_place place, const char *name,
                              char **bytes, size_t *length)
{
    const int directory = cache->directory[place];

    return place == SEDGE_CACHE_SITE ? sedge_cache_folder_read_site(directory, name, bytes, length)
                                     : sedge_cache_folder_read(directory, name, bytes, length);
}

sedge_status sedge_cache_find(sedge_cache *cache, sedge_cache_place place,
                              const sedge_cache_key *key, void **bytes, size_t *length,
                              sedge_text *log)
{
    sedge_status status = SEDGE_OK;
    char name[SEDGE_ENTRY_NAME_MAX];
    char *file = NULL;
    char *payload = NULL;
    size_t file_length;
    sedge_entry entry;

    *bytes = NULL;
    *length = 0;
    if (cache->directory[place] < 0) return SEDGE_OK;
    make_entry_name(name, key);
    SEDGE_TRY_GOTO(status, read_file(cache, place, name, &file, &file_length));
    if (file == NULL) goto done;
    if (!sedge_entry_decode(&entry, file, file_length) || !is_of_key(&entry, key)) {
        sedge_cache_drop(cache, place, key);
        goto done;
    }
    SEDGE_TRY_GOTO(status, sedge_allocate(&payload, (int64_t)entry.payload_length, 1));
    memcpy(payload, entry.payload, entry.payload_length);
    SEDGE_TRY_GOTO(status, sedge_text_add_bytes(log, entry.fields[SEDGE_ENTRY_LOG],
                                                entry.lengths[SEDGE_ENTRY_LOG]));
    if (place == SEDGE_CACHE_OWN) sedge_cache_folder_touch(cache->directory[place], name);
    *bytes = payload;
    *length = entry.payload_length;
    payload = NULL;
done:
    sedge_release(file);
    sedge_release(payload);
    return status;
}

// ---- storing -----------------------------------------------------------------------------------

// The largest number right before `words` in a compiler's log, over all kernels; -1: none. ptxas
// writes "Used 40 registers", "840 bytes smem", "16 bytes spill stores".
static int find_largest(const char *log, const char *words)
{
    long largest = -1;

    for (const char *at = strstr(log, words); at != NULL; at = strstr(at + 1, words)) {
        const char *digit = at;
        while (digit > log && digit[-1] >= '0' && digit[-1] <= '9') digit--;
        if (digit == at) continue;
        const long value = strtol(digit, NULL, 10);
        if (value > largest) largest = value;
    }
    return largest < INT_MAX ? (int)largest : INT_MAX;
}

sedge_program_resources sedge_cache_resources(const char *log)
{
    sedge_program_resources resources = {.registers = find_largest(log, " registers"),
                                         .shared = find_largest(log, " bytes smem"),
                                         .spilled = find_largest(log, " bytes spill stores")};

    // ptxas leaves out what is zero; the host's compiler says nothing at all.
    if (resources.registers >= 0 && resources.shared < 0) resources.shared = 0;
    if (resources.registers >= 0 && resources.spilled < 0) resources.spilled = 0;
    return resources;
}

static void summarise(char *summary, size_t size, const char *log)
{
    const sedge_program_resources resources = sedge_cache_resources(log);

    summary[0] = '\0';
    if (resources.registers < 0) return;
    (void)snprintf(summary, size, "registers %d, shared %d, spilled %d", resources.registers,
                   resources.shared, resources.spilled);
}

void sedge_cache_store(sedge_cache *cache, const sedge_cache_key *key, const char *name,
                       const void *bytes, size_t length, const char *log)
{
    const int directory = cache->directory[SEDGE_CACHE_OWN];
    char file_name[SEDGE_ENTRY_NAME_MAX];
    char text[SEDGE_HASH_TEXT];
    char resources[128];
    void *file = NULL;
    size_t file_length = 0;

    if (directory < 0) return;
    sedge_hash_print(&key->text, text);
    summarise(resources, sizeof resources, log);
    make_entry_name(file_name, key);
    sedge_entry entry = {
        .schema = key->schema,
        .fields = {key->kind, key->arch, key->compiler, key->options, text, name, resources, log},
        .payload = bytes,
        .payload_length = length};
    if (sedge_entry_encode(&entry, &file, &file_length) != SEDGE_OK ||
        sedge_cache_folder_write(directory, cache->folder[SEDGE_CACHE_OWN], file_name, file,
                                 file_length) != SEDGE_OK)
        note_problem(cache, SEDGE_CACHE_OWN);
    sedge_release(file);
    sedge_cache_folder_shrink(directory, cache->bytes_max, file_name);
}

void sedge_cache_drop(sedge_cache *cache, sedge_cache_place place, const sedge_cache_key *key)
{
    char name[SEDGE_ENTRY_NAME_MAX];

    if (place == SEDGE_CACHE_SITE || cache->directory[place] < 0) return;
    make_entry_name(name, key);
    sedge_cache_folder_remove(cache->directory[place], name);
}

// ---- claims ------------------------------------------------------------------------------------

// Lock or unlock the byte whose place the entry's name gives. Such a lock is the process's own:
// whatever it starts does not have it.
static bool set_lock(const sedge_cache *cache, const sedge_cache_key *key, short type)
{
    const sedge_hash hash = sedge_cache_key_hash(key);
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_len = 1};
    uint64_t place = 0;

    if (cache->locks < 0) return true;
    memcpy(&place, &hash, sizeof place);
    lock.l_start = (off_t)(place >> 2);
    return fcntl(cache->locks, F_SETLK, &lock) == 0 || (errno != EACCES && errno != EAGAIN);
}

bool sedge_cache_claim(const sedge_cache *cache, const sedge_cache_key *key)
{
    return set_lock(cache, key, F_WRLCK);
}

void sedge_cache_unclaim(const sedge_cache *cache, const sedge_cache_key *key)
{
    (void)set_lock(cache, key, F_UNLCK);
}

// ---- for people --------------------------------------------------------------------------------

static sedge_status need_own(const sedge_cache *cache)
{
    if (cache->directory[SEDGE_CACHE_OWN] >= 0) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "%s", cache->problem[SEDGE_CACHE_OWN]);
}

sedge_status sedge_cache_clear(sedge_cache *cache, int64_t *removed)
{
    *removed = 0;
    SEDGE_TRY(need_own(cache));
    return sedge_cache_folder_clear(cache->directory[SEDGE_CACHE_OWN],
                                    cache->folder[SEDGE_CACHE_OWN], removed);
}

static void print_entry(const sedge_cache_file *file, const sedge_entry *entry)
{
    const double hours = (double)(time(NULL) - file->seconds) / 3600.0;

    (void)printf("%.16s  %8.1f KiB  %7.1f h", file->name, (double)file->bytes / 1024.0, hours);
    if (entry == NULL) {
        (void)printf("  (damaged)\n");
        return;
    }
    (void)printf("  %.*s  %.*s", (int)entry->lengths[SEDGE_ENTRY_KIND],
                 entry->fields[SEDGE_ENTRY_KIND], (int)entry->lengths[SEDGE_ENTRY_NAME],
                 entry->fields[SEDGE_ENTRY_NAME]);
    if (entry->lengths[SEDGE_ENTRY_RESOURCES] > 0) {
        (void)printf("  (%.*s)", (int)entry->lengths[SEDGE_ENTRY_RESOURCES],
                     entry->fields[SEDGE_ENTRY_RESOURCES]);
    }
    (void)printf("\n");
}

static sedge_status print_place(const sedge_cache *cache, sedge_cache_place place)
{
    const int directory = cache->directory[place];
    sedge_status status;
    sedge_cache_file *files = NULL;
    int count = 0;

    SEDGE_TRY_GOTO(status, sedge_cache_folder_scan(directory, &files, &count));
    for (int i = 0; i < count; i++) {
        sedge_entry entry;
        char *bytes = NULL;
        size_t length = 0;
        SEDGE_TRY_GOTO(status, read_file(cache, place, files[i].name, &bytes, &length));
        const bool whole = bytes != NULL && sedge_entry_decode(&entry, bytes, length);
        print_entry(&files[i], whole ? &entry : NULL);
        sedge_release(bytes);
    }
done:
    sedge_release(files);
    return status;
}

sedge_status sedge_cache_list(sedge_cache *cache)
{
    SEDGE_TRY(need_own(cache));
    SEDGE_TRY(print_place(cache, SEDGE_CACHE_OWN));
    if (cache->directory[SEDGE_CACHE_SITE] < 0) return SEDGE_OK;
    (void)printf("site folder %s (read only)\n", cache->folder[SEDGE_CACHE_SITE]);
    return print_place(cache, SEDGE_CACHE_SITE);
}
