// Inside the tuner: storing the result of a search, and reading the results of earlier searches.
#pragma once

#include "base/error.h"
#include "tune/tune_run.h"
#include "tune/wisdom.h"

// The wisdom's key of a task on a device, to be released with json_decref.
SEDGE_MUST_USE
sedge_status sedge_tune_key(json_t **key, const sedge_tune_task *task, const sedge_device *device);

// Fill `result` with choice, records and scores of the last search with this key and at least this
// level; false if there is none whose chosen candidate still exists.
bool sedge_tune_recall(sedge_tune_result *result, const sedge_tune_task *task, const json_t *lines,
                       const json_t *key, sedge_tune_level level);

// Collect what the lines say about the candidates. Release with sedge_tune_advice_free.
SEDGE_MUST_USE
sedge_status sedge_tune_advise(sedge_tune_advice *advice, const sedge_tune_task *task,
                               const json_t *lines, const json_t *key,
                               const sedge_tune_options *options);
void sedge_tune_advice_free(sedge_tune_advice *advice);

// Store the result of a search in the wisdom file.
SEDGE_MUST_USE
sedge_status sedge_tune_keep(const sedge_tune_run *run, json_t *key, sedge_tune_level level);
