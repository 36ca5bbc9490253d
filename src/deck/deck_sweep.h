// The key `sweep`: one deck for several runs.
//
// `sweep: {KEY: [VALUE, ...], ...}`: run i has the i-th value of each key, as if the user had given
// it by --set. Keys are those of --set, such as sources.0.direction.
#pragma once

#include "base/error.h"

#include <stddef.h>

#define SEDGE_SWEEP_KEYS 16 // at most

typedef struct sedge_sweep {
    int runs; // 0: the deck has no sweep
    int keys;
    char **key;    // [keys]
    char **value;  // [runs][keys] YAML, which is JSON, too
    char **origin; // [runs][keys] where the deck has the value, "deck.yaml:12"
    char *output;  // the folder for the runs' folders
} sedge_sweep;

// Read the sweep of a deck; the arguments are those of sedge_deck_create. Of the deck's other keys
// only output.folder is looked at. SEDGE_ERR_USAGE: not YAML; a list that is empty, or has not as
// many values as another one; a key that contains another one, or that cannot be swept; a setting
// of a swept key. Clear it in any case. Not collective.
SEDGE_MUST_USE
sedge_status sedge_sweep_read(sedge_sweep *out, const char *path, const char *text, size_t length,
                              const char *const *settings, int count);
void sedge_sweep_clear(sedge_sweep *sweep);
