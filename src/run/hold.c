#define _DEFAULT_SOURCE // flock
#include "hold.h"

#include "base/file.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

struct sedge_hold {
    int folder; // its descriptor, which has the lock; -1: none
};

// Root.
static sedge_status take(sedge_hold *hold, const char *folder)
{
    if (sedge_folder_make(folder) != SEDGE_OK) {
        char reason[1024];

        (void)snprintf(reason, sizeof reason, "%s", sedge_error_message());
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "cannot write into output folder '%s': %s", folder,
                          reason);
    }
    hold->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (hold->folder < 0 || flock(hold->folder, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
        return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "another run writes into output folder '%s'; wait for its end, or give this "
                      "one a folder of its own (--output)",
                      folder);
}

sedge_status sedge_hold_create(sedge_hold **out, const sedge_comm *comm, const char *folder)
{
    sedge_hold *hold = NULL;

    *out = NULL;
    sedge_status status = sedge_allocate(&hold, 1, sizeof *hold);
    if (status == SEDGE_OK) {
        hold->folder = -1;
        if (sedge_comm_is_root(comm)) status = take(hold, folder);
    }
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    *out = hold;
    hold = NULL;
done:
    sedge_hold_free(hold);
    return status;
}

void sedge_hold_free(sedge_hold *hold)
{
    if (hold == NULL) return;
    if (hold->folder >= 0) (void)close(hold->folder);
    sedge_release(hold);
}
