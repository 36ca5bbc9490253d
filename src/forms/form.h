// A form is one way to compute the stage. It is one file, form_NAME.c, and one row of
// SEDGE_OPERATOR_FORMS (form_list.h): all that other files know of a form stands in its descriptor.
// Programs, the hash of their sources, layouts, candidates, requests and the operators' tables go
// through the table, and no code compares forms.
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "forms/config.h"
#include "forms/form_list.h"
#include "forms/layout.h"
#include "forms/target.h"

struct operator_lister; // candidates.h

// Numbers that a user may ask for, as in sedge_operator_options; 0: not requested.
typedef struct operator_numbers {
    int block_elements;
    int item_nodes;
    int lift_nodes;
    int item_fields;
} operator_numbers;

// Real numbers that the kernels read.
typedef struct operator_table {
    int64_t count;
    double *values; // [count], to be released
} operator_table;

enum { OPERATOR_FORM_SOURCES = 6 }; // of a form, at most; one fewer than that, and NULL

typedef struct operator_form {
    const char *name; // the same as in SEDGE_OPERATOR_FORMS
    sedge_basis basis;
    bool matrix_units;      // matrix instructions do the products
    bool counts_are_bounds; // the operations counted for dense operators bound its time

    // Why it cannot run, as what it needs ("a linear equation"); NULL: it can. No function: it can
    // run everywhere.
    const char *(*refusal)(const operator_target *target);
    // Is it the default where it can run and fits? No function: only if no other one is.
    bool (*is_default)(const operator_target *target);

    // ---- configurations ----

    // Set the default's tunable numbers; the others are zero before.
    void (*choose)(operator_config *config, const operator_layout *layout,
                   const operator_target *target);
    // Set what follows from the tunable numbers.
    void (*derive)(operator_config *config, const operator_layout *layout,
                   const operator_target *target);
    // Write the tunable numbers behind the form's name: "b24 n2,4 r1024 p20".
    void (*describe)(char *text, size_t size, const operator_config *config,
                     const operator_layout *layout, const operator_target *target);
    // Set the requested numbers; SEDGE_ERR_USAGE for one that the form does not have.
    sedge_status (*request)(operator_config *config, const operator_layout *layout,
                            const operator_target *target, const operator_numbers *numbers);

    // ---- candidates of the tuner ----

    // Add configurations beside the default: operator_lister_add.
    void (*list)(struct operator_lister *list);
    // Registers that a thread keeps busy, or vector registers of the host: an estimate.
    int (*registers)(const operator_config *config, const operator_layout *layout,
                     const operator_target *target);
    // How promising a configuration is, 1 for the form's default `rule`: smaller is tried sooner.
    double (*prior)(const operator_config *config, const operator_config *rule,
                    const operator_layout *layout, const operator_target *target);
    // How many a search on a GPU takes, the most promising. Each is compiled for three chips in a
    // test. `alone`: no other form of its basis can run; `behind`: the layout is not the first one.
    int (*searched)(const operator_target *target, bool alone, bool behind);

    // ---- program ----

    // Its sources in codegen/kernels, behind those that all programs have; ends with NULL.
    const char *sources[OPERATOR_FORM_SOURCES];
    // Constants beside those that all programs have (program.h).
    sedge_status (*constants)(sedge_text *text, const operator_config *config,
                              const operator_layout *layout, const operator_target *target);
    // Write the source whose name in `sources` is `written`; NULL: all of them are files.
    const char *written;
    sedge_status (*write)(sedge_text *text, const operator_config *config,
                          const operator_target *target);

    // Make the operators' tables as its kernels read them: derivatives and lift. No function: its
    // kernels read none.
    sedge_status (*tables)(operator_table *deriv, operator_table *lift,
                           const operator_config *config, const operator_layout *layout,
                           const operator_target *target);
} operator_form;

#define OPERATOR_FORM_DECLARE(row, name, text) extern const operator_form operator_form_##row;
SEDGE_OPERATOR_FORMS(OPERATOR_FORM_DECLARE)
#undef OPERATOR_FORM_DECLARE

extern const operator_form *const operator_forms[]; // ends with NULL

// The form of this name; NULL: there is none.
const operator_form *operator_form_find(const char *name);

// What a form needs to run there; NULL: nothing that is missing.
const char *operator_form_refusal(const operator_form *form, const operator_target *target);

// The first form of a basis, which all other programs in the basis are written for.
const operator_form *operator_form_of_basis(sedge_basis basis);

// The default there, whether it fits or not.
const operator_form *operator_form_default(const operator_target *target);

// The default configuration in a layout; or that of a form that can run there.
void operator_config_choose(operator_config *config, const operator_layout *layout,
                            const operator_target *target);
void operator_config_choose_form(operator_config *config, const operator_form *form,
                                 const operator_layout *layout, const operator_target *target);

// Set what follows from the tunable numbers.
void operator_config_derive(operator_config *config, const operator_layout *layout,
                            const operator_target *target);

// Whether a block has few enough threads and little enough memory.
bool operator_config_fits(const operator_config *config, const sedge_device_info *info);

// "fused b24 n2,4 r1024 p20": unique in all layouts.
void operator_config_name(char name[SEDGE_CONFIG_NAME], const operator_config *config,
                          const operator_layout *layout, const operator_target *target);

// SEDGE_ERR_USAGE if nodes or fields of a work item are requested from a form that has none.
SEDGE_MUST_USE
sedge_status operator_request_no_items(const operator_numbers *numbers, const operator_form *form);
