#define _DEFAULT_SOURCE
#include "checkpoint_file.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- the folder --------------------------------------------------------------------------------

// The step of a file "checkpoint-STEP.h5" + `suffix`; -1: the file has another name.
static int64_t find_step(const char *name, const char *suffix)
{
    static const char start[] = "checkpoint-";
    char *end = NULL;

    if (strncmp(name, start, strlen(start)) != 0) return -1;
    const char *const digits = name + strlen(start);
    const size_t count = strspn(digits, "0123456789");
    if (count == 0 || count > 18) return -1;
    const long long step = strtoll(digits, &end, 10);
    if (strncmp(end, ".h5", 3) != 0 || strcmp(end + 3, suffix) != 0) return -1;
    return step;
}

void checkpoint_path(char path[CHECKPOINT_PATH], const char *folder, int64_t step,
                     const char *suffix)
{
    (void)snprintf(path, CHECKPOINT_PATH, "%s/checkpoint-%lld.h5%s", folder, (long long)step,
                   suffix);
}

static int newest_first(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left;
    const int64_t b = *(const int64_t *)right;

    return (a < b) - (a > b);
}

sedge_status checkpoint_list(int64_t **steps, int *count, const char *folder, const char *suffix)
{
    DIR *const files = opendir(folder);
    int most = 0;

    *steps = NULL;
    *count = 0;
    if (files == NULL && errno == ENOENT) return SEDGE_OK;
    if (files == NULL) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "cannot read output folder '%s': %s", folder,
                          strerror(errno));
    }
    for (const struct dirent *entry; (entry = readdir(files)) != NULL;)
        most += find_step(entry->d_name, suffix) >= 0;
    const sedge_status status = sedge_allocate(steps, most, sizeof **steps);
    rewinddir(files);
    for (const struct dirent *entry;
         status == SEDGE_OK && *count < most && (entry = readdir(files)) != NULL;) {
        const int64_t step = find_step(entry->d_name, suffix);
        if (step >= 0) (*steps)[(*count)++] = step;
    }
    (void)closedir(files);
    if (status == SEDGE_OK) qsort(*steps, (size_t)*count, sizeof **steps, newest_first);
    return status;
}

sedge_status checkpoint_remove_old(const char *folder, const char *suffix, int keep, int *held)
{
    char path[CHECKPOINT_PATH];
    int64_t *steps = NULL;
    int count = 0;
    sedge_status status = checkpoint_list(&steps, &count, folder, suffix);

    for (int i = keep; i < count && status == SEDGE_OK; i++) {
        checkpoint_path(path, folder, steps[i], suffix);
        if (held != NULL && *held < 0) *held = open(path, O_RDONLY | O_CLOEXEC);
        if (unlink(path) != 0 && errno != ENOENT)
            status = SEDGE_FAIL(SEDGE_ERR_USAGE, "cannot remove '%s': %s", path, strerror(errno));
    }
    sedge_release(steps);
    return status;
}

// The root's part of sedge_checkpoint_set_aside.
static sedge_status set_aside(const char *folder, int64_t after)
{
    char path[CHECKPOINT_PATH];
    char aside[CHECKPOINT_PATH];
    int64_t *steps = NULL;
    int count = 0;
    sedge_status status;

    SEDGE_TRY_GOTO(status, checkpoint_list(&steps, &count, folder, ""));
    if (count > 0 && steps[0] > after && after < 0)
        SEDGE_TRY_GOTO(status, checkpoint_remove_old(folder, ".old", 0, NULL));
    for (int i = 0; i < count && steps[i] > after; i++) {
        checkpoint_path(path, folder, steps[i], "");
        checkpoint_path(aside, folder, steps[i], ".old");
        if (rename(path, aside) != 0) {
            status = SEDGE_FAIL(SEDGE_ERR_USAGE, "cannot rename '%s': %s", path, strerror(errno));
            goto done;
        }
    }
    SEDGE_TRY_GOTO(status, checkpoint_remove_old(folder, ".tmp", 0, NULL));
    if (count > 0) status = sedge_file_sync(folder);
done:
    sedge_release(steps);
    return status;
}

sedge_status sedge_checkpoint_set_aside(const sedge_session *session, const char *folder,
                                        int64_t step)
{
    const bool root = sedge_comm_is_root(session->comm);

    return sedge_comm_agree(session->comm, root ? set_aside(folder, step) : SEDGE_OK);
}

// ---- the file ----------------------------------------------------------------------------------

checkpoint_paths checkpoint_paths_of(int i, const char *name)
{
    checkpoint_paths paths = {"/fields", "/elements", "/checksums"};

    if (i == 0) return paths;
    (void)snprintf(paths.values, sizeof paths.values, "/blocks/%s/values", name);
    (void)snprintf(paths.elements, sizeof paths.elements, "/blocks/%s/elements", name);
    (void)snprintf(paths.checksums, sizeof paths.checksums, "/blocks/%s/checksums", name);
    return paths;
}

int64_t checkpoint_sum(int64_t id, double energy, const void *values, size_t bytes)
{
    uint64_t sum = sedge_hash_quick(0, &id, sizeof id);
    int64_t out;

    sum = sedge_hash_quick(sum, &energy, sizeof energy);
    sum = sedge_hash_quick(sum, values, bytes);
    memcpy(&out, &sum, sizeof out);
    return out;
}
