// The file format of a cache entry: the fields of its key, the compiler's log, and the binary.
//
//   8     magic "sedgebin"
//   8     schema                                   all numbers little endian
//   8 n   lengths of the SEDGE_ENTRY_FIELDS texts and of the payload
//   ...   the texts, one behind the other
//   32    SHA-256 of the payload
//   32    SHA-256 of everything before
//   ...   the payload
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Increase this number when the format of an entry or the meaning of a key changes.
#define SEDGE_CACHE_SCHEMA 1

typedef enum sedge_entry_field {
    SEDGE_ENTRY_KIND,
    SEDGE_ENTRY_ARCH,
    SEDGE_ENTRY_COMPILER,
    SEDGE_ENTRY_OPTIONS,
    SEDGE_ENTRY_TEXT_HASH, // of the program's source
    SEDGE_ENTRY_NAME,      // of the program; for people
    SEDGE_ENTRY_RESOURCES, // "registers 40, shared 840, spilled 0" or ""; for people
    SEDGE_ENTRY_LOG,       // the compiler's
    SEDGE_ENTRY_FIELDS
} sedge_entry_field;

typedef struct sedge_entry {
    uint64_t schema;
    const char *fields[SEDGE_ENTRY_FIELDS];
    size_t lengths[SEDGE_ENTRY_FIELDS];
    const void *payload;
    size_t payload_length;
} sedge_entry;

// Encode an entry into `*out`, to be released with sedge_release. The fields are NUL-terminated;
// this function sets `entry->lengths` from them.
SEDGE_MUST_USE
sedge_status sedge_entry_encode(sedge_entry *entry, void **out, size_t *length);

// Decode what sedge_entry_encode wrote. The pointers of `entry` point into `bytes`, and the fields
// are not NUL-terminated. Returns false if the bytes are damaged, incomplete or of another schema.
bool sedge_entry_decode(sedge_entry *entry, const void *bytes, size_t length);
