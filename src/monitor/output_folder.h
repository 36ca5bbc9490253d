// The output folder of a run, and whose the files in it are. The names that a run gives are known
// here: an earlier run's files are removed, the user's own stay.
#pragma once

#include "monitor/output_context.h"

// SEDGE_ERR_USAGE if a run into `folder` would replace or remove the file at `path`, which it reads
// as its `what` ("mesh"): if the file is one of the folder's files whose names the run uses for its
// results. Links are followed. `path` NULL: nothing to check. Not collective.
SEDGE_MUST_USE
sedge_status sedge_output_spare(const char *folder, const char *what, const char *path);

// SEDGE_ERR_USAGE if a report at the path `report` would replace the folder or one of the run's own
// files in it. Not collective.
SEDGE_MUST_USE
sedge_status sedge_output_check_report(const char *folder, const char *report);

// Make the folder, remove what an earlier run left there, write deck.yaml.
SEDGE_MUST_USE
sedge_status sedge_output_prepare_folder(const sedge_output_context *context);

// The path of `name` in the output folder.
void sedge_output_path(char path[SEDGE_OUTPUT_PATH], const sedge_output_context *context,
                       const char *name);

// Is the file of this name to be removed? `what` is the caller's.
typedef bool sedge_output_judge(const char *name, const void *what);

// Root: remove the files in the output folder that `is_old` names.
SEDGE_MUST_USE
sedge_status sedge_output_remove(const sedge_output_context *context, sedge_output_judge *is_old,
                                 const void *what);
