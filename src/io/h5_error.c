// Why HDF5 failed, in one message.
#include "h5_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>

static _Thread_local char last_reason[512];

// Keeps the innermost description of HDF5's error stack, or the system's own words within it.
static herr_t keep_reason(unsigned level, const H5E_error2_t *error, void *client)
{
    static const char mark[] = "error message = '";

    (void)client;
    if (error->desc == NULL) return 0;
    const char *const words = strstr(error->desc, mark);
    if (words != NULL) {
        const char *const text = words + sizeof mark - 1;
        (void)snprintf(last_reason, sizeof last_reason, "%.*s", (int)strcspn(text, "'"), text);
    } else if (level == 0) {
        (void)snprintf(last_reason, sizeof last_reason, "%s", error->desc);
    }
    return 0;
}

// HDF5 calls this, in place of printing, when a call fails: the next call clears its stack.
static herr_t note_failure(hid_t stack, void *client)
{
    return H5Ewalk2(stack, H5E_WALK_UPWARD, keep_reason, client);
}

void h5_note_failures(void)
{
    (void)H5Eset_auto2(H5E_DEFAULT, note_failure, NULL);
    last_reason[0] = '\0';
}

void h5_keep_reason(const char *words)
{
    (void)snprintf(last_reason, sizeof last_reason, "%s", words);
}

sedge_status h5_failure(const char *what, const char *path)
{
    const char *const reason = last_reason[0] != '\0' ? last_reason : "HDF5 gives no reason";
    char folder[4096];
    struct statvfs space;
    struct rlimit limit;

    (void)snprintf(folder, sizeof folder, "%s", path);
    char *const slash = strrchr(folder, '/');
    if (slash != NULL) *slash = '\0';
    const char *const place = slash != NULL ? folder : ".";
    // A folder that has vanished: HDF5's own words for it ("can't retrieve stat info") help nobody.
    if (statvfs(place, &space) != 0) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "cannot %s '%s': folder '%s': %s", what, path, place,
                          strerror(errno));
    }
    if (strcmp(reason, strerror(EFBIG)) == 0 && getrlimit(RLIMIT_FSIZE, &limit) == 0) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "cannot %s '%s': %s (the limit of a file's size, ulimit -f, is %.2f MiB)",
                          what, path, reason, (double)limit.rlim_cur / 1048576.0);
    }
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "cannot %s '%s': %s (%.1f MiB are free on its file system)",
                      what, path, reason,
                      (double)space.f_bavail * (double)space.f_frsize / 1048576.0);
}

sedge_status h5_damage(const char *path)
{
    const bool foreign = strcmp(last_reason, "file signature not found") == 0; // HDF5's words
    const char *const reason = foreign ? "it is no HDF5 file" : last_reason;

    return SEDGE_FAIL(SEDGE_ERR_DATA, "cannot read '%s': %s", path,
                      reason[0] != '\0' ? reason : "HDF5 gives no reason");
}
