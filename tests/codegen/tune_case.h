// A task for the tuner whose candidates differ as a test wants: real kernels that do their work
// once or several times, or launches that only spend a given time.
#pragma once

#include "tune/tune.h"

#include <stdbool.h>

enum { TUNE_CASE_CANDIDATES = 64, TUNE_CASE_LAYOUTS = 3 };

typedef struct tune_case_candidate {
    const char *name;
    int layout;
    int repeat;          // of the kernel's work; 0: the launch spends `microseconds` instead
    double microseconds; // beside the kernel's
    bool is_wrong;       // its result
    bool is_broken;      // it does not compile
    bool cannot_launch;
    const char *refused;
    double prior, bound;
} tune_case_candidate;

typedef struct tune_case_counts {
    int texts, launches, verified;
} tune_case_counts;

typedef struct tune_case {
    sedge_device *device;
    sedge_buffer *x;
    sedge_tune_task task; // name, size, source_hash and layouts may be changed
    sedge_tune_candidate candidate[TUNE_CASE_CANDIDATES];
    tune_case_candidate wanted[TUNE_CASE_CANDIDATES];
    tune_case_counts counts[TUNE_CASE_CANDIDATES];
    int layout_uses[TUNE_CASE_LAYOUTS];
    int salt; // another number makes other programs
} tune_case;

// A task with one layout, without candidates. Freed with tune_case_free.
SEDGE_MUST_USE
sedge_status tune_case_init(tune_case *c, sedge_device *device);
void tune_case_free(tune_case *c);

// Set the candidates, which are copied, and what a call does; the names are not copied.
void tune_case_set(tune_case *c, const char *name, const tune_case_candidate *candidates,
                   int count);

// Forget what was counted; the sum over all candidates.
void tune_case_clear(tune_case *c);
tune_case_counts tune_case_sum(const tune_case *c);

// The path of a folder under the test's, of this name, for a cache; what is there is removed.
void tune_case_folder(char *folder, size_t size, const char *name);
