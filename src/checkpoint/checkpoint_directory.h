// A distributed directory that tells which rank has which element, and a way to send rows of bytes
// to these ranks. Elements are identified by their numbers in the mesh file. No rank knows all
// elements; the directory is divided among the ranks by element number.
#pragma once

#include "base/error.h"
#include "par/comm.h"

#include <stddef.h>
#include <stdint.h>

// Rows to be sent, each with its destination.
typedef struct checkpoint_mail {
    char *rows;  // [count][bytes]
    int32_t *to; // [count] rank
    int64_t count;
    size_t bytes;
} checkpoint_mail;

// Memory for `count` rows of `bytes` bytes. Clear it in any case. Collective.
SEDGE_MUST_USE
sedge_status checkpoint_mail_create(checkpoint_mail *out, const sedge_comm *comm, int64_t count,
                                    size_t bytes);
void checkpoint_mail_clear(const checkpoint_mail *given);

// Send the rows. `received` is the address of a pointer, which gets `*got` rows; the caller
// releases them. Collective.
SEDGE_MUST_USE
sedge_status checkpoint_mail_deal(const checkpoint_mail *given, const sedge_comm *comm,
                                  void *received, int64_t *got);

// Where an element is: `id` is its number in the mesh file.
typedef struct checkpoint_place {
    int64_t id;
    int32_t rank;    // -1: no rank has it
    int32_t element; // its place in the list that this rank gave
} checkpoint_place;

// This rank's share of the directory: the places of the elements with numbers [first, first +
// count).
typedef struct checkpoint_directory {
    int64_t share; // numbers a rank
    int64_t first;
    int64_t count;
    checkpoint_place *places; // [count]
} checkpoint_directory;

// Create the directory. Every rank gives the numbers `ids` [count] of its elements, which are below
// `all`; each number belongs to one rank only. Clear it in any case. Collective.
SEDGE_MUST_USE
sedge_status checkpoint_directory_create(checkpoint_directory *out, const sedge_comm *comm,
                                         int64_t all, const int64_t *ids, int32_t count);
void checkpoint_directory_clear(const checkpoint_directory *directory);

// Look the numbers `ids` [count], below `all`, up: fills places [count]. Collective.
SEDGE_MUST_USE
sedge_status checkpoint_directory_ask(checkpoint_place *places,
                                      const checkpoint_directory *directory, const sedge_comm *comm,
                                      const int64_t *ids, int64_t count);
