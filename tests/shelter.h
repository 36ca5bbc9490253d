// Where others cannot come, nothing is refused for their sake: tests of that need another place.
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Can others come to the absolute `path`? Not where a folder on the way lets this user alone
// through, as a home folder may.
static inline bool others_come(const char *path)
{
    const mode_t others = S_IXGRP | S_IXOTH | S_IWGRP | S_IWOTH;
    char part[4096];
    struct stat about;

    (void)snprintf(part, sizeof part, "%s", path);
    while (strchr(part, '/') != NULL) {
        if (stat(part, &about) == 0 && S_ISDIR(about.st_mode) && about.st_uid == geteuid() &&
            (about.st_mode & others) == 0)
            return false;
        *strrchr(part, '/') = '\0';
    }
    return true;
}
