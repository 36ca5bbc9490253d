#define _GNU_SOURCE // syscall
// For LD_PRELOAD: files and folders are not brought to the disk, since no test loses power. A short
// run of the program asks for it some twenty times, and waits for the disk each time.
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name)
int fsync(int file)
{
    struct stat about;

    if (fstat(file, &about) == 0 && (S_ISREG(about.st_mode) || S_ISDIR(about.st_mode))) return 0;
    return (int)syscall(SYS_fsync, file);
}
