// Gives each named file, or each file of a named folder, to a fuzzer: the kept corpus as a test.
#define _POSIX_C_SOURCE 200809L
#include "base/file.h"
#include "base/memory.h"
#include "fuzz.h"

#include <dirent.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

static int replay_file(const char *path)
{
    char *bytes = NULL;
    size_t length = 0;

    if (sedge_file_read(&bytes, &length, path, SEDGE_ERR_DATA) != SEDGE_OK) {
        (void)fprintf(stderr, "%s\n", sedge_error_message());
        return -1;
    }
    // A block of exactly this size: a sanitizer sees a read behind its end.
    uint8_t *const exact = malloc(length > 0 ? length : 1);
    if (exact == NULL) return -1;
    memcpy(exact, bytes, length);
    sedge_release(bytes);
    (void)FUZZ_ONE(exact, length);
    free(exact);
    return 1;
}

static int replay_folder(const char *path)
{
    struct dirent **entries = NULL;
    const int count = scandir(path, &entries, NULL, alphasort);
    int done = 0;

    for (int i = 0; i < count; i++) {
        char file[PATH_MAX];
        (void)snprintf(file, sizeof file, "%s/%s", path, entries[i]->d_name);
        const int one = entries[i]->d_name[0] != '.' && done >= 0 ? replay_file(file) : 0;
        done = one < 0 ? one : done + one;
        free(entries[i]);
    }
    free(entries);
    return done;
}

int main(int argc, char **argv)
{
    int files = 0;

    for (int i = 1; i < argc; i++) {
        struct stat about;
        const bool folder = stat(argv[i], &about) == 0 && S_ISDIR(about.st_mode);
        const int done = folder ? replay_folder(argv[i]) : replay_file(argv[i]);
        if (done <= 0) {
            (void)fprintf(stderr, "nothing was read from '%s'\n", argv[i]);
            return 1;
        }
        files += done;
    }
    printf("%d inputs\n", files);
    return files > 0 ? 0 : 1;
}
