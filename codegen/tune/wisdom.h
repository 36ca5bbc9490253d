// Inside codegen: wisdom, the results of earlier measurements on a device, stored as JSON lines.
//
//     {"key": {"what": "tune", "device": "NVIDIA H200", ...}, "rigor": 1, ...}
//
// Two lines describe the same measurement if their keys are equal. The file may be long, so only
// lines that contain a given text (the name of a task) as a value are parsed. The user's file is
// wisdom.jsonl in the cache's folder; the file in the site folder (SEDGE_CACHE_SITE) is read before
// it. A line that is not an object with a key is skipped, and is dropped when the file is
// rewritten.
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

// The hash of a key, to compare keys between ranks.
SEDGE_MUST_USE
sedge_status sedge_wisdom_hash(sedge_hash *hash, const json_t *key);

// The array of the lines that hold `about`, oldest first, to be released with json_decref; empty if
// there is no file. Fails only if memory runs out.
SEDGE_MUST_USE
sedge_status sedge_wisdom_read(json_t **lines, const sedge_cache *cache, const char *about);

// A line's key, and its rigor (0 where it has none).
const json_t *sedge_wisdom_line_key(const json_t *line);
int sedge_wisdom_line_rigor(const json_t *line);

// The last line of exactly this key and at least this rigor; NULL: none. Borrowed from `lines`.
const json_t *sedge_wisdom_find(const json_t *lines, const json_t *key, int rigor);

// Add a line whose key contains `about`. It replaces the lines with the same key and at most the
// same rigor (with `replace`: any rigor). Beyond SEDGE_WISDOM_BYTES_MAX the oldest lines are
// removed. A failure is not returned; sedge_cache_problem reports it.
void sedge_wisdom_write(sedge_cache *cache, const char *about, const json_t *line, bool replace);

// SEDGE_ERR_MEMORY if `json`, a result of jansson, is NULL.
SEDGE_MUST_USE
sedge_status sedge_wisdom_need(const void *json);
