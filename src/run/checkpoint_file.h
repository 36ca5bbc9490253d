// The parts of checkpoints, one file each: writing and the folder (checkpoint_file.c), the header
// and the facts that must fit (checkpoint_header.c), reading (checkpoint_read.c). Only
// checkpoint*.c include this.
#pragma once

#include "io/h5.h"
#include "run/checkpoint.h"

#include <jansson.h>

#include <stddef.h>
#include <stdint.h>

#define CHECKPOINT_PATH 4096

// ---- names in the folder (checkpoint_file.c) ----------------------------------------------------

// Steps of the folder's checkpoints with this suffix, newest first. A folder that is not there has
// none. The caller releases `*steps`.
SEDGE_MUST_USE
sedge_status checkpoint_list(int64_t **steps, int *count, const char *folder, const char *suffix);

void checkpoint_path(char path[CHECKPOINT_PATH], const char *folder, int64_t step,
                     const char *suffix);

// ---- blocks in the file (checkpoint_file.c) -----------------------------------------------------

// The datasets of a block.
typedef struct checkpoint_paths {
    char values[SEDGE_BLOCK_NAME + 32], elements[SEDGE_BLOCK_NAME + 32];
    char checksums[SEDGE_BLOCK_NAME + 32];
} checkpoint_paths;

// Of block `i` of the file, which has this name.
checkpoint_paths checkpoint_paths_of(int i, const char *name);

// The checksum of an element: its number, energy and `bytes` bytes of values as they are stored.
int64_t checkpoint_sum(int64_t id, double energy, const void *values, size_t bytes);

// ---- header (checkpoint_header.c) --------------------------------------------------------------

// What a restart must know of the file beside sedge_checkpoint.
typedef struct checkpoint_block_form {
    char name[SEDGE_BLOCK_NAME];
    int components;
    int64_t elements;
} checkpoint_block_form;

typedef struct checkpoint_form {
    int nodes;
    sedge_precision precision;
    int blocks;
    checkpoint_block_form block[SEDGE_MAX_KINDS + 1]; // [blocks], the fields first
} checkpoint_form;

// What the problem is, in words: {"order": "3", ...}. NULL when out of memory. Collective.
SEDGE_MUST_USE
sedge_status checkpoint_facts(json_t **out, const sedge_session *session);

// The header as text, to be released by free(). Not collective.
SEDGE_MUST_USE
sedge_status checkpoint_print(char **text, const sedge_session *session,
                              const sedge_checkpoint *checkpoint,
                              const sedge_checkpoint_state *state, const json_t *facts);

// Read a header's text; `facts` of the file are borrowed from `*root`, which the caller releases.
// SEDGE_ERR_DATA: not a header of this version. Not collective.
SEDGE_MUST_USE
sedge_status checkpoint_parse(json_t **root, const json_t **facts, sedge_checkpoint *out,
                              checkpoint_form *form, const char *text, size_t length,
                              const char *path);

// SEDGE_ERR_USAGE if `there`, of the file at `path`, is another problem than `here`; says which
// facts differ. Prints those that may differ, on the root unless quiet.
SEDGE_MUST_USE
sedge_status checkpoint_compare(const sedge_session *session, const json_t *there,
                                const json_t *here, const char *path);
