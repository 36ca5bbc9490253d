// Programs: the source of the stage's kernels, and what all programs of an operator have in common.
#pragma once

#include "base/hash.h"
#include "forms/form.h"
#include "forms/layouts.h"
#include "program/program.h"

// "maxwell-n4-fp32"
void operator_name(char name[SEDGE_CONFIG_NAME], const sedge_problem *problem);

// Append a program: constants of the problem, the layout and the configuration, then `constants`,
// then the numbers of materials and the names of functions; the sources that all programs have,
// then `sources`. Without `physics` they can call no function of the equation, and the text depends
// on no value of a material and on no condition.
SEDGE_MUST_USE
sedge_status operator_program_write(sedge_text *text, const char *name,
                                    const operator_target *target, const operator_layout *layout,
                                    const operator_config *config, const sedge_text *constants,
                                    bool physics, const sedge_source *sources, int count);

// What the stage's program has beyond a form: constants, and sources before the form's.
typedef struct operator_addition {
    const char *name; // of the program, behind the form's: "terms"
    const char *constants;
    const sedge_source *sources; // [count]
    int count;
} operator_addition;

// Append the program of the stage's kernels, and set its name. `more` NULL: nothing but the form.
SEDGE_MUST_USE
sedge_status operator_stage_write(sedge_text *text, char name[SEDGE_OPERATOR_NAME],
                                  const operator_target *target, const operator_layout *layout,
                                  const operator_config *config, const operator_addition *more);

// A large device of the same kind as `info`, for hashes: what is tuned on one device may help on
// another.
sedge_device_info operator_nominal_device(const sedge_device_info *info);

// Hash a program as operator_program_write has it with `physics`, without the numbers in it that do
// not change what its code does: values of materials, parameters of the equation, conditions.
SEDGE_MUST_USE
sedge_status operator_program_hash(char hash[SEDGE_HASH_TEXT], const operator_target *target,
                                   const operator_layout *layout, const operator_config *config,
                                   const sedge_text *constants, const sedge_source *sources,
                                   int count);

// Hash the constants and sources of `forms` (operator_forms, which ends with NULL): all that
// decides how the stage's kernels run on devices of the target's kind, but for layout,
// configuration and size. Results of tuning count as long as the hash stays the same.
// SEDGE_ERR_INTERNAL for a form without sources.
SEDGE_MUST_USE
sedge_status operator_forms_hash(char hash[SEDGE_HASH_TEXT], const operator_form *const *forms,
                                 const operator_target *target);
