// The options of the command line. Parser and help texts are made from one table.
#pragma once

#include "cli/command.h"

typedef struct sedge_option {
    const char *name;
    int code;          // below 256: the short form's letter
    const char *value; // NULL: takes none
    int takers;        // SEDGE_FOR_...
    const char *text;
} sedge_option;

// All options; `*count` of them.
const sedge_option *sedge_options(int *count);

// Parse the arguments of the command `which`. argv[0] is the command's name; `given` points into
// argv. `*help`: the user requests the command's help instead. SEDGE_ERR_USAGE names the wrong
// option or says how many words are missing. Clear `given` in any case. Not collective.
SEDGE_MUST_USE
sedge_status sedge_options_read(sedge_arguments *given, bool *help, const sedge_command *which,
                                int argc, char **argv);
void sedge_options_clear(sedge_arguments *given);
