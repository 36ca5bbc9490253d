// The commands of the command line: their names, options and functions.
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "par/comm.h"
#include "session/session.h"
#include "solve/solve.h"

// The parsed arguments of a command.
typedef struct sedge_arguments {
    int count; // words that are not options
    char **words;
    const char *deck; // of --deck; NULL: none
    sedge_run_options run;
    sedge_solve_options solve;
    sedge_text *composed[SEDGE_MAX_SETTINGS]; // settings made of --device and --output; else NULL
} sedge_arguments;

// Which options a command takes. Commands of SEDGE_FOR_WORK do more than print.
enum {
    SEDGE_FOR_ALL = 1,
    SEDGE_FOR_DECK = 2,
    SEDGE_FOR_RUN = 4,
    SEDGE_FOR_BUILD = 8,
    SEDGE_FOR_TUNE = 16,
    SEDGE_FOR_SOLVE = 32,
    SEDGE_FOR_MESH = 64,
    SEDGE_FOR_WORK = SEDGE_FOR_RUN | SEDGE_FOR_BUILD | SEDGE_FOR_TUNE | SEDGE_FOR_SOLVE
};

typedef struct sedge_command {
    const char *name;
    const char *usage;
    const char *text; // the list of all commands shows only its first line
    // Collective.
    sedge_status (*function)(sedge_comm *comm, const sedge_arguments *given);
    int words_min, words_max;
    int takes; // SEDGE_FOR_..., beside those for all
} sedge_command;

// All commands; `*count` of them.
const sedge_command *sedge_commands(int *count);

// NULL: there is none of this name.
const sedge_command *sedge_command_find(const char *name);

// The name that `word` is probably a slip of (base/near.h); NULL: none is near.
const char *sedge_command_near(const char *word);
