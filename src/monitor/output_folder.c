#define _DEFAULT_SOURCE // dirfd
#include "output_folder.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "dg/monitor_kind.h"
#include "io/folder_lock.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void sedge_output_path(char path[SEDGE_OUTPUT_PATH], const sedge_output_context *context,
                       const char *name)
{
    (void)snprintf(path, SEDGE_OUTPUT_PATH, "%s/%.200s", context->deck->output, name);
}

bool sedge_output_is_numbered(const char *name, const char *start, const char *characters,
                              size_t least, const char *const *ends)
{
    const size_t length = strlen(start);

    if (strncmp(name, start, length) != 0) return false;
    const size_t count = strspn(name + length, characters);
    if (count < least) return false;
    for (; *ends != NULL; ends++)
        if (strcmp(name + length + count, *ends) == 0) return true;
    return false;
}

// NAME.h5 in any of the forms that it has in a folder.
static bool is_series(const char *file, const char *name)
{
    static const char *const plain[] = {".h5", ".h5.tmp", NULL};
    static const char *const whole[] = {"", NULL};
    char before[128];

    (void)snprintf(before, sizeof before, "%.90s.h5.before-", name);
    return sedge_output_is_numbered(file, name, "", 0, plain) ||
           sedge_output_is_numbered(file, before, "0123456789", 1, whole);
}

static bool is_of_monitor(const char *name)
{
    for (int i = 0; sedge_monitor_kinds[i] != NULL; i++) {
        const sedge_monitor_kind *const kind = sedge_monitor_kinds[i];

        if (kind->owns != NULL ? kind->owns(name) : is_series(name, kind->name)) return true;
    }
    return false;
}

// A file of S-parameters, such as ports.s2p or ports_003.s2p.
static bool is_touchstone(const char *name)
{
    static const char start[] = "ports";
    static const char digits[] = "0123456789";
    static const char *const ends[] = {"p", NULL};

    if (strncmp(name, start, strlen(start)) != 0) return false;
    name += strlen(start);
    if (*name == '_') name += 1 + strspn(name + 1, digits);
    return sedge_output_is_numbered(name, ".s", digits, 1, ends);
}

bool sedge_output_is_of_sweep(const char *name, const void *what)
{
    (void)what;
    return strcmp(name, "sweep.json") == 0 || strcmp(name, "ports.csv") == 0 || is_touchstone(name);
}

// A file that sedge_file_write left when it was killed: a name that a run gives, with an ending.
static bool is_litter(const char *name, const void *what)
{
    static const char *const ends[] = {"", NULL};
    const char *ending = name;
    char base[256];

    (void)what;
    for (const char *next = name; (next = strstr(next, ".tmp.")) != NULL; next++) ending = next;
    const size_t length = (size_t)(ending - name);
    if (length == 0 || length >= sizeof base ||
        !sedge_output_is_numbered(ending, ".tmp.", "0123456789abcdef", 16, ends))
        return false;
    memcpy(base, name, length);
    base[length] = '\0';
    return strcmp(base, "report.json") == 0 || strcmp(base, "deck.yaml") == 0 ||
           sedge_output_is_of_sweep(base, NULL) || is_of_monitor(base);
}

// A file that an earlier run left and that would be taken for this run's. Files of others may lie
// beside it: a name must be one that sedge gives.
static bool is_old_output(const char *name, const void *what)
{
    return strcmp(name, "report.json") == 0 || sedge_output_is_of_sweep(name, NULL) ||
           is_of_monitor(name) || is_litter(name, what);
}

// Any name that a run gives.
static bool is_own_name(const char *name)
{
    static const char *const ends[] = {".h5", ".h5.tmp", ".h5.old", NULL};

    return strcmp(name, "deck.yaml") == 0 || is_old_output(name, NULL) ||
           sedge_output_is_numbered(name, "checkpoint-", "0123456789", 1, ends);
}

sedge_status sedge_output_spare(const char *folder, const char *what, const char *path)
{
    sedge_status status = SEDGE_OK;
    struct stat input;
    struct stat about;
    DIR *const files = path != NULL && stat(path, &input) == 0 ? opendir(folder) : NULL;

    if (files == NULL) return SEDGE_OK; // who reads the file, or makes the folder, says more
    for (const struct dirent *entry; status == SEDGE_OK && (entry = readdir(files)) != NULL;) {
        if (!is_own_name(entry->d_name) || fstatat(dirfd(files), entry->d_name, &about, 0) != 0 ||
            about.st_dev != input.st_dev || about.st_ino != input.st_ino)
            continue;
        status = SEDGE_FAIL(SEDGE_ERR_USAGE,
                            "the %s '%s' would be overwritten: the run writes a file '%s' into "
                            "output folder '%s'; give it another folder (--output)",
                            what, path, entry->d_name, folder);
    }
    (void)closedir(files);
    return status;
}

sedge_status sedge_output_check_report(const char *folder, const char *report)
{
    char own[SEDGE_OUTPUT_PATH];
    const char *const slash = strrchr(report, '/');
    const char *const name = slash != NULL ? slash + 1 : report;
    const char *what = NULL;

    (void)snprintf(own, sizeof own, "%.3840s/%.200s", folder, name);
    if (sedge_file_is_same(report, folder)) what = "the output folder";
    if (is_own_name(name) && strcmp(name, "report.json") != 0 && sedge_file_is_same(report, own))
        what = "a name that the run itself gives in its output folder";
    if (what == NULL) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "--report '%s' is %s; choose another name", report, what);
}

sedge_status sedge_output_remove(const char *folder, sedge_output_judge *is_old, const void *what)
{
    sedge_status status = SEDGE_OK;
    DIR *const files = opendir(folder);

    if (files == NULL) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "cannot read output folder '%s': %s", folder,
                          strerror(errno));
    }
    for (const struct dirent *entry; status == SEDGE_OK && (entry = readdir(files)) != NULL;) {
        if (!is_old(entry->d_name, what) || unlinkat(dirfd(files), entry->d_name, 0) == 0) continue;
        status = SEDGE_FAIL(SEDGE_ERR_USAGE, "cannot remove '%s/%s' of an earlier run: %s", folder,
                            entry->d_name, strerror(errno));
    }
    (void)closedir(files);
    return status;
}

// Root: take away what an earlier run left.
static sedge_status clear_folder(const sedge_output_context *context)
{
    char path[SEDGE_OUTPUT_PATH];

    if (!context->continues) return sedge_output_remove(context->deck->output, is_old_output, NULL);
    SEDGE_TRY(sedge_output_remove(context->deck->output, is_litter, NULL));
    sedge_output_path(path, context, "report.json"); // of the part before: it is not this run's
    if (unlink(path) != 0 && errno != ENOENT)
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "cannot remove '%s': %s", path, strerror(errno));
    return SEDGE_OK;
}

// Root: deck.yaml, the deck with all defaults.
static sedge_status write_deck(const sedge_output_context *context)
{
    char path[SEDGE_OUTPUT_PATH];
    sedge_text *text = NULL;
    sedge_status status;

    sedge_output_path(path, context, "deck.yaml");
    SEDGE_TRY_GOTO(status, sedge_text_create(&text));
    SEDGE_TRY_GOTO(status, sedge_deck_write(text, context->deck));
    SEDGE_TRY_GOTO(status, sedge_file_write(path, sedge_text_get(text), sedge_text_length(text)));
done:
    sedge_text_free(text);
    return status;
}

sedge_status sedge_output_prepare_folder(const sedge_output_context *context)
{
    const sedge_comm *const comm = context->comm;
    const bool root = sedge_comm_is_root(comm);

    if (strlen(context->deck->output) >= SEDGE_OUTPUT_PATH - 256) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "the output folder's path is too long: '%.100s...'",
                          context->deck->output);
    }
    SEDGE_TRY(sedge_output_folder_make(comm, context->deck->output));
    SEDGE_TRY(sedge_comm_agree(comm, root ? clear_folder(context) : SEDGE_OK));
    return sedge_comm_agree(comm, root ? write_deck(context) : SEDGE_OK);
}
