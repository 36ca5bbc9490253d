// The names of checkpoint files in the output folder and of their datasets. Only checkpoint*.c
// include this.
#pragma once

#include "checkpoint/checkpoint.h"

#include <stddef.h>
#include <stdint.h>

#define CHECKPOINT_PATH 4096

// Steps of the folder's checkpoints with this suffix, newest first. A folder that is not there has
// none. The caller releases `*steps`.
SEDGE_MUST_USE
sedge_status checkpoint_list(int64_t **steps, int *count, const char *folder, const char *suffix);

void checkpoint_path(char path[CHECKPOINT_PATH], const char *folder, int64_t step,
                     const char *suffix);

// Remove all of the folder's checkpoints with this suffix but the newest `keep`. Of one rank. The
// system frees a file's pages, which takes 0.1 s for some hundred MiB, when it is removed and no
// process has it open. Where `held` is not NULL and `*held` is -1, the first file removed stays
// open there, and the caller closes it.
SEDGE_MUST_USE
sedge_status checkpoint_remove_old(const char *folder, const char *suffix, int keep, int *held);

// The datasets of a block or an array.
enum { CHECKPOINT_IDS, CHECKPOINT_CHECKSUMS, CHECKPOINT_VALUES, CHECKPOINT_SETS };

// The paths of a block's datasets.
typedef struct checkpoint_paths {
    char values[SEDGE_BLOCK_NAME + 32], elements[SEDGE_BLOCK_NAME + 32];
    char checksums[SEDGE_BLOCK_NAME + 32];
} checkpoint_paths;

// The paths of block `i`, whose name is `name`; block 0 is the fields.
checkpoint_paths checkpoint_paths_of(int i, const char *name);

// The checksum of an element: its number, energy and `bytes` bytes of values as they are stored.
int64_t checkpoint_sum(int64_t id, double energy, const void *values, size_t bytes);
