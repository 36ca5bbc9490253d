// The cache of compiled programs on disk, so that no program is compiled twice.
//
// Each program is one file, whose name is the SHA-256 of everything that determines the binary
// (schema, target, architecture, compiler identity, options, text). The file repeats these fields
// and has checksums; a damaged file counts as a miss. A new file is written under a temporary name
// and then renamed, so that other processes never read half of it. Of several processes that want a
// program that is not there one compiles it, and the others wait: claims are locks in the file
// `.locks`.
//
// The folder is SEDGE_CACHE_DIR, else $XDG_CACHE_HOME/sedge, else ~/.cache/sedge, with mode 0700.
// It is refused if it belongs to another user or others may write to it; then the run goes on
// without a cache and says so. SEDGE_CACHE_MAX limits its size (MiB, 256 by default): the least
// recently used entries are removed first. A second folder, SEDGE_CACHE_SITE, is searched first and
// never changed; it and its entries may belong to root. With SEDGE_DEBUG=1 the cache is neither
// read nor written.
#pragma once

#include "base/error.h"

#include <stdint.h>

typedef struct sedge_cache sedge_cache;

// Open the cache in `folder` (NULL: the default folder). A folder that cannot be used is not an
// error: the cache then finds nothing, and sedge_cache_problem says why. It also reports an entry
// that cannot be written later. Fails with SEDGE_ERR_USAGE for a bad SEDGE_CACHE_MAX. Not
// collective: each rank has its own cache. The caller frees the cache; programs do not need it once
// they are created.
SEDGE_MUST_USE
sedge_status sedge_cache_create(sedge_cache **out, const char *folder);
void sedge_cache_free(sedge_cache *cache);
const char *sedge_cache_folder(const sedge_cache *cache);  // borrowed, as the next ones
const char *sedge_cache_problem(const sedge_cache *cache); // NULL: none

// The site folder, NULL when SEDGE_CACHE_SITE names none, and why it is not used, NULL when it is.
const char *sedge_cache_site(const sedge_cache *cache);
const char *sedge_cache_site_problem(const sedge_cache *cache);

// Counts of the rank that looked a program up or compiled it, the program's owner. Ranks that
// receive the program from its owner do not count it.
typedef struct sedge_cache_counts {
    int64_t hits;           // programs found on disk by this rank
    int64_t misses;         // programs this rank compiled
    double compile_seconds; // spent compiling
} sedge_cache_counts;

sedge_cache_counts sedge_cache_get_counts(const sedge_cache *cache);

// Remove all entries; `*removed` is their number. SEDGE_ERR_USAGE if the folder cannot be used.
SEDGE_MUST_USE
sedge_status sedge_cache_clear(sedge_cache *cache, int64_t *removed);

// Print one line per entry to stdout: start of its name, size, hours since its last use, target,
// program and resources. The entries of the site folder follow, under a line with its path.
// SEDGE_ERR_USAGE if the folder cannot be used.
SEDGE_MUST_USE
sedge_status sedge_cache_list(sedge_cache *cache);

// Resources of a program, from the compiler's log. -1: the log does not state them (host). Each
// field is the largest value of the program's kernels.
typedef struct sedge_program_resources {
    int registers; // per thread
    int shared;    // bytes per block
    int spilled;   // bytes per thread
} sedge_program_resources;
