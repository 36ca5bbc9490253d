#include "operator/choice.h"

#include "base/file.h"
#include "operator/launch.h"
#include "operator/parts.h"
#include "tune/ceiling.h"

#include <math.h>

// An operator's choices may take a part of a run's time together, and at most these seconds;
// without a run (`sedge tune`) each of them. What is begun then may take a second more, on a host
// half of one. With less than the last two none is started, because some programs must be compiled.
#define PART       0.05
#define MOST_GPU   1.8
#define MOST_HOST  2.5
#define WORTH_GPU  0.5
#define WORTH_HOST 1.5

// ---- how long it may take ----------------------------------------------------------------------

// Seconds of a call by the rule, two of three: the first does not count.
static sedge_status time_call(double *seconds, operator_choice *choice)
{
    sedge_operator *const op = choice->op;
    sedge_event *const from = op->launcher.sample[0].from;
    sedge_event *const to = op->launcher.sample[0].to;

    for (int i = 0; i < 3; i++) {
        SEDGE_TRY(choice->run(choice->task.context, op->main));
        if (i == 0) SEDGE_TRY(sedge_event_record(from, op->main));
    }
    SEDGE_TRY(sedge_event_record(to, op->main));
    SEDGE_TRY(sedge_stream_wait(op->main));
    SEDGE_TRY(sedge_event_seconds(seconds, from, to));
    *seconds *= 0.5;
    return SEDGE_OK;
}

static bool is_on_host(const sedge_operator *op)
{
    return sedge_device_get_traits(op->device)->in_call;
}

// What a run that will have so many stages spares for tuning, less what earlier choices took; 0: it
// is not worth it. Leaves the rule's programs behind, if there was anything to spare. Collective.
static sedge_status find_budget(double *budget, operator_choice *choice, sedge_cache *cache,
                                int64_t stages)
{
    sedge_operator *const op = choice->op;
    double seconds = 0.0, spent = choice->spent;
    int64_t host = is_on_host(op); // or another rank's

    *budget = 0.0;
    sedge_comm_max(op->comm, &spent, 1);
    sedge_comm_max_int(op->comm, &host, 1);
    const double most = (host > 0 ? MOST_HOST : MOST_GPU) - spent;
    const double worth = host > 0 ? WORTH_HOST : WORTH_GPU;
    if (most < worth) return SEDGE_OK;
    if (choice->most > 0.0 && PART * choice->most * (double)stages < worth) return SEDGE_OK;
    SEDGE_TRY(choice->prepare(choice->task.context, cache));
    SEDGE_TRY(sedge_comm_agree(op->comm, time_call(&seconds, choice)));
    sedge_comm_max(op->comm, &seconds, 1);
    const double spared = fmin(most, PART * seconds * (double)stages);
    if (spared >= worth) *budget = spared;
    return SEDGE_OK;
}

// ---- choice ------------------------------------------------------------------------------------

static sedge_status run_tuner(operator_choice *choice, sedge_cache *cache,
                              const sedge_tune_options *options)
{
    sedge_operator *const op = choice->op;

    operator_choice_clear(choice);
    const double began = sedge_clock();
    const sedge_status status =
        sedge_tune(&choice->result, op->comm, op->device, cache, &choice->task, options);
    choice->spent += sedge_clock() - began;
    return status;
}

sedge_operator_options operator_choice_options(const sedge_comm *comm,
                                               const sedge_operator_options *options)
{
    sedge_operator_options shared = *options;

    sedge_comm_broadcast(comm, &shared.tune, sizeof shared.tune, 0);
    return shared;
}

sedge_status operator_choice_make(operator_choice *choice, sedge_cache *cache,
                                  const sedge_operator_options *options)
{
    const sedge_tune_options look = {.level = SEDGE_TUNE_OFF};
    sedge_tune_options measure = {.level = options->tune, .forget = options->forget};
    const sedge_operator *const op = choice->op;

    if (options->tune == SEDGE_TUNE_FAST && options->expected_stages > 0) {
        SEDGE_TRY(run_tuner(choice, cache, &look));
        // Ranks with different devices may know different things, and all go the same way.
        // Idle ones have nothing to know.
        int64_t unknown = !choice->task.idle &&
                          (options->forget || choice->result->source != SEDGE_TUNE_BY_WISDOM);
        sedge_comm_max_int(op->comm, &unknown, 1);
        if (unknown == 0) return SEDGE_OK;
        SEDGE_TRY(find_budget(&measure.budget, choice, cache, options->expected_stages));
        if (!(measure.budget > 0.0)) return SEDGE_OK;
    } else if (options->tune != SEDGE_TUNE_OFF) { // rates, to compare times with
        sedge_ceilings ceilings;
        sedge_ceilings_try(&ceilings, op->comm, op->device, cache, op->layout.real_bytes, true);
        measure.copy_rate = ceilings.copy;
        measure.flops = ceilings.flops;
        if (options->tune == SEDGE_TUNE_FAST)
            measure.budget = is_on_host(op) ? MOST_HOST : MOST_GPU;
    }
    return run_tuner(choice, cache, &measure);
}

void operator_choice_clear(operator_choice *choice)
{
    sedge_tune_result_free(choice->result);
    choice->result = NULL;
}

// ---- what came of it ---------------------------------------------------------------------------

const char *operator_choice_source(const operator_choice *choice)
{
    static const char *const names[] = {[SEDGE_TUNE_BY_RULE] = "rule",
                                        [SEDGE_TUNE_BY_WISDOM] = "wisdom",
                                        [SEDGE_TUNE_BY_MEASUREMENT] = "measurement"};

    return names[choice->result->source];
}

double operator_choice_gain(const operator_choice *choice)
{
    const sedge_tune_record *const records = choice->result->records;
    const int chosen = choice->result->choice;

    if (records == NULL || !(records[0].seconds > 0.0) || !(records[chosen].seconds > 0.0))
        return 0.0;
    return records[0].seconds / records[chosen].seconds;
}

int operator_choice_timed(const operator_choice *choice)
{
    const sedge_tune_result *const result = choice->result;
    int count = 0;

    for (int c = 0; c < choice->task.count && result->records != NULL; c++)
        count += result->records[c].seconds > 0.0;
    return count;
}
