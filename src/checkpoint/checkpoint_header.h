// The header of a checkpoint: a JSON text with everything that is not an array over elements. It
// includes the facts about the problem that must be the same in the continued run. Only
// checkpoint*.c include this.
#pragma once

#include "checkpoint/checkpoint.h"

#include <jansson.h>

#include <stddef.h>
#include <stdint.h>

// A block of a file.
typedef struct checkpoint_block_form {
    char name[SEDGE_BLOCK_NAME];
    int components;
    int nodes; // of a row
    int64_t elements;
} checkpoint_block_form;

// What a restart must know of the file, beside sedge_checkpoint.
typedef struct checkpoint_form {
    int nodes;
    sedge_precision precision;
    int blocks;
    checkpoint_block_form block[SEDGE_MAX_KINDS + 2]; // [blocks], the fields first
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

// Compare the facts `there`, of the file at `path`, with the facts `here` of this run.
// SEDGE_ERR_USAGE names the facts that differ and must not. Facts that may differ are printed on
// the root, unless quiet.
SEDGE_MUST_USE
sedge_status checkpoint_compare(const sedge_session *session, const json_t *there,
                                const json_t *here, const char *path);
