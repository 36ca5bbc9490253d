// The results of a sweep's runs side by side: sweep.json, and the table for the user. Root only.
#pragma once

#include "deck/deck_sweep.h"

#include <jansson.h>
#include <stdbool.h>

#define SEDGE_SWEEP_COLUMNS 5 // frequencies in tables for the user, at most

// The number of the frequency in column `column` of `columns` of such a table, of `count`
// frequencies: the first, the last, and some between.
int sedge_sweep_column(int column, int columns, int count);

// The name of run `i`, from 0, in the sweep's folder: "001".
void sedge_sweep_name(char name[32], int i);

// Does the report at `path` say that its run has ended well?
bool sedge_sweep_is_done(const char *path);

// Append to the array `rows` what the report.json of run `i` says; the run is done.
// SEDGE_ERR_USAGE: it cannot be read. SEDGE_ERR_MEMORY.
SEDGE_MUST_USE
sedge_status sedge_sweep_add_row(json_t *rows, const sedge_sweep *sweep, int i);

// Write `rows` to `path`, whole or not at all. `deck`: its path; `outcome`: "done", or the message.
SEDGE_MUST_USE
sedge_status sedge_sweep_write(const json_t *rows, const sedge_sweep *sweep, const char *deck,
                               const char *outcome, const char *path);

// Print a line for each run: cross-sections or directivities of far fields, else energies.
void sedge_sweep_print(const json_t *rows, const sedge_sweep *sweep);
