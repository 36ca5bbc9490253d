// One choice that an operator leaves to the tuner, by wisdom, measurement or rule, and how long it
// may take: what the stages in straight and in curved elements have in common.
#pragma once

#include "operator/operator.h"

typedef struct operator_choice {
    sedge_operator *op;
    sedge_tune_task task;
    sedge_tune_result *result; // freed by operator_choice_clear; NULL: nothing was chosen
    double spent; // seconds of the operator's choices: before, of earlier ones; then of this, too
    double most;  // seconds that a call can take, about, where `prepare` is dear; 0: not known
    // Bring the rule's programs and data, with which the budget is found. Called with the task's
    // context; collective.
    sedge_status (*prepare)(void *context, sedge_cache *cache);
    // Put one call of the rule's choice into the stream. With the task's context.
    sedge_status (*run)(void *context, sedge_stream *stream);
} operator_choice;

// The options with rank 0's level: a variable of the environment may be set on some nodes only, and
// what is measured is collective. Collective.
sedge_operator_options operator_choice_options(const sedge_comm *comm,
                                               const sedge_operator_options *options);

// Choose: wisdom; or by measuring, if the run is worth it; or the rule. May leave the rule's
// programs behind. Collective.
SEDGE_MUST_USE
sedge_status operator_choice_make(operator_choice *choice, sedge_cache *cache,
                                  const sedge_operator_options *options);
void operator_choice_clear(operator_choice *choice);

// "rule", "wisdom", "measurement".
const char *operator_choice_source(const operator_choice *choice);

// The rule's time over the chosen one's; 0: not known.
double operator_choice_gain(const operator_choice *choice);

// Candidates that were timed, now or when the wisdom was found.
int operator_choice_timed(const operator_choice *choice);
