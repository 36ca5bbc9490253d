// The output folder of a run: deck.yaml, what was run; the files of its monitors; checkpoints
// (checkpoint/checkpoint.h); report.json (run/report.h), how it went. An earlier run's files are
// removed, the user's own stay: a file belongs to a run if it has one of the names that a run
// gives.
#pragma once

#include "base/error.h"
#include "monitor/output_context.h"

#include <stdbool.h>
#include <stddef.h>

// SEDGE_ERR_USAGE if a run into `folder` would replace or remove the file at `path`, which it reads
// as its `what` ("mesh"): if the file is one of the folder's files whose names the run uses for its
// results. Links are followed. `path` NULL: nothing to check. Not collective.
SEDGE_MUST_USE
sedge_status sedge_output_spare(const char *folder, const char *what, const char *path);

// SEDGE_ERR_USAGE if a report at the path `report` would replace the folder or one of the run's own
// files in it. Not collective.
SEDGE_MUST_USE
sedge_status sedge_output_check_report(const char *folder, const char *report);

// Make the folder, check that it can be written into, remove what an earlier run left there (where
// this one continues only what is neither a monitor's nor a checkpoint), write deck.yaml.
// SEDGE_ERR_USAGE: a folder that cannot be written into. Collective.
SEDGE_MUST_USE
sedge_status sedge_output_prepare_folder(const sedge_output_context *context);

// The path of `name` in the output folder.
void sedge_output_path(char path[SEDGE_OUTPUT_PATH], const sedge_output_context *context,
                       const char *name);

// True if `name` consists of `start`, at least `least` of `characters`, and one of `ends`, a list
// that ends with NULL. For recognising a monitor's files.
bool sedge_output_is_numbered(const char *name, const char *start, const char *characters,
                              size_t least, const char *const *ends);

// True if the file of this name is to be removed. `what` is the caller's pointer.
typedef bool sedge_output_judge(const char *name, const void *what);

// Remove the files in the output folder `folder` that `is_old` names. Called by the root.
SEDGE_MUST_USE
sedge_status sedge_output_remove(const char *folder, sedge_output_judge *is_old, const void *what);

// True if a file of this name is about all runs of a sweep (run/sweep.h); such files are in the
// folder above the runs' folders. `what` is not used.
bool sedge_output_is_of_sweep(const char *name, const void *what);
