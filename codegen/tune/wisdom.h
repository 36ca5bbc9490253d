// Inside codegen: wisdom, which is what was measured once on a device, as JSON lines.
//
//     {"key": {"what": "tune", "device": "NVIDIA H200", ...}, "rigor": 1, ...}
//
// Lines speak of the same thing when their keys are equal. Only lines in which a given text (the
// name of a task) stands as a value are looked into: the file may be long. Own wisdom is
// wisdom.jsonl in the cache's folder; that of the site's folder (SEDGE_CACHE_SITE) is read before
// it. A line that is no object with a key is skipped, and not written again.
#pragma once

#include "base/error.h"
#include "base/hash.h"
#include "device/device.h"
#include "program/program.h"

#include <jansson.h>

#include <stdbool.h>

#define SEDGE_WISDOM_FILE      "wisdom.jsonl"
#define SEDGE_WISDOM_BYTES_MAX ((size_t)4 << 20)

// A new key with the fields "what", "kind", "device", "arch", "multiprocessors" and "toolchain" (a
// hash of the compiler's identity and options). The caller adds others and releases it with
// json_decref.
SEDGE_MUST_USE
sedge_status sedge_wisdom_key(json_t **key, const char *what, const sedge_device *device);

// A key in short, to compare it between ranks.
SEDGE_MUST_USE
sedge_status sedge_wisdom_hash(sedge_hash *hash, const json_t *key);

// The array of the lines that hold `about`, oldest first, to be released with json_decref; empty
// where there is no file. Fails only for want of memory.
SEDGE_MUST_USE
sedge_status sedge_wisdom_read(json_t **lines, const sedge_cache *cache, const char *about);

// A line's key, and its rigor (0 where it has none).
const json_t *sedge_wisdom_line_key(const json_t *line);
int sedge_wisdom_line_rigor(const json_t *line);

// The last line of exactly this key and at least this rigor; NULL: none. Borrowed from `lines`.
const json_t *sedge_wisdom_find(const json_t *lines, const json_t *key, int rigor);

// Add a line that holds `about` in its key. It takes the place of those of the same key whose rigor
// is not higher (`replace`: of any); beyond SEDGE_WISDOM_BYTES_MAX the oldest lines go. What does
// not work is no failure: sedge_cache_problem says it.
void sedge_wisdom_write(sedge_cache *cache, const char *about, const json_t *line, bool replace);

// What jansson gave, or SEDGE_ERR_MEMORY for NULL.
SEDGE_MUST_USE
sedge_status sedge_wisdom_need(const void *json);
