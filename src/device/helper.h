// The helper: a process forked before MPI starts, which runs compilers on behalf of this one.
//
// Each command runs in a private temporary folder (mode 0700, below $TMPDIR or /tmp) that is
// removed afterwards, with that folder as its working directory, without a shell, with LC_ALL=C.
// Several threads may have commands run at once. A command is killed, with all processes that it
// started, if it exceeds its time limit or if the requesting process is gone. No command may write
// a file of more than 256 MiB.
#pragma once

#include "base/error.h"
#include "base/text.h"

#include <stddef.h>
#include <stdint.h>

typedef struct sedge_helper_command {
    const char *const *argv; // ends with NULL; argv[0] is an absolute path
    const char *input_name;  // a file put into the folder first; NULL: none
    const char *input;       // its text
    int64_t seconds;         // time limit; 0: a minute
    const char *output_name; // a file fetched afterwards, when the command ends well; NULL: none
} sedge_helper_command;

// Run one command and wait. `*exit_status` is as in a shell (128 + signal if the command was
// killed). The command's output is appended to `log`. `*out` gets `*length` bytes of the output
// file to release with sedge_release, or NULL. SEDGE_ERR_DEVICE when there is no helper, or the
// command cannot run; SEDGE_ERR_STOPPED when a signal ended the wait (sedge_device_stop_compilers).
SEDGE_MUST_USE
sedge_status sedge_helper_run(const sedge_helper_command *command, int *exit_status,
                              sedge_text *log, void **out, size_t *length);
