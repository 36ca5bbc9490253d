#define _DEFAULT_SOURCE
#include "print.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *sedge_print_failure(void)
{
    errno = 0;
    if (fflush(stdout) != 0) return strerror(errno);
    return ferror(stdout) != 0 ? "a part is lost" : NULL;
}

void sedge_print_flush(void)
{
    const char *const failure = sedge_print_failure();

    if (failure == NULL) return;
    if (errno == EAGAIN) { // a pipe that is full for the moment: the next time
        clearerr(stdout);
        return;
    }
    (void)fprintf(stderr,
                  "sedge: warning: cannot write to standard output: %s; it goes on without\n",
                  failure);
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere < 0) return;
    (void)dup2(nowhere, STDOUT_FILENO);
    (void)close(nowhere);
    clearerr(stdout);
}
