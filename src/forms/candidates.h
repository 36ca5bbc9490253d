// The configurations among which the tuner chooses.
#pragma once

#include "base/memory.h"
#include "forms/form.h"
#include "forms/layouts.h"

#define SEDGE_CANDIDATES 240 // of a layout, at most

// One way to run the stage.
typedef struct operator_candidate {
    char name[SEDGE_CONFIG_NAME]; // unique
    int layout;
    operator_config config;
    int registers; // of a thread, estimated; those above the limit are spilled
    double prior;  // smaller is tried sooner
} operator_candidate;

// All ways to run the stage there: those that the tuner searches, by layout, then those that are
// less promising and are run by name alone, by layout. The first of each layout is the default
// there, the first of all where there is no time to search.
typedef struct operator_choices {
    int layouts;
    operator_layout layout[SEDGE_LAYOUTS]; // without the rank's part
    int count;
    operator_candidate *candidate; // [count]
    int searched_layouts;          // the first of `layouts`, and
    int searched;                  // of `count`, that the tuner searches
} operator_choices;

// SEDGE_ERR_DEVICE if nothing fits there. Clear it in any case.
SEDGE_MUST_USE
sedge_status operator_choices_list(operator_choices *choices, const operator_target *target);
void operator_choices_clear(operator_choices *choices);

// The candidate of this name, borrowed; NULL: there is none.
const operator_candidate *operator_choices_find(const operator_choices *choices, const char *name);

// ---- for the rows of forms ---------------------------------------------------------------------

// The list to which a form adds its candidates of one layout.
typedef struct operator_lister {
    operator_choices *choices;
    const operator_target *target;
    const operator_layout *layout;
    operator_config rule; // the form's default in this layout
    int first;            // candidate of this layout
    int ruled;            // candidates that are the layout's default: 1, or 0 where it does not fit
} operator_lister;

// Add a configuration if it fits and is new.
void operator_lister_add(operator_lister *list, operator_config config);

#define OPERATOR_LEAST_REGISTERS 20 // of a thread, for addresses and counters

// Registers that a thread may have, or vector registers of the host.
int operator_register_limit(const operator_config *config, const operator_target *target);

// Registers needed beyond the limit, as a part of it; 0: none.
double operator_spilled(const operator_config *config, const operator_layout *layout,
                        const operator_target *target);

// The part of the work that is wasted if `count` things are divided into pieces of `size`.
double operator_waste(int count, int size);

// How many times one number is twice the other.
double operator_distance(int a, int b);

int operator_largest(int a, int b);
