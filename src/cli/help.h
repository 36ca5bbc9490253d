// Prints the help texts of `--help`. Called on the root only.
#pragma once

#include "cli/command.h"

// All commands, options, exit codes, variables of the environment.
void sedge_help_print(void);

// One command and its options.
void sedge_help_print_command(const sedge_command *which);

// Every key of a deck; with a word the parts that have it, each below its heading.
// SEDGE_ERR_USAGE: none has it.
SEDGE_MUST_USE
sedge_status sedge_help_print_deck(const char *word);
