// The tuner under MPI: one rank of each group searches, or finds the choice in the wisdom, and all
// ranks of the group get its result.
#define _DEFAULT_SOURCE // gethostname
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "device/range.h"
#include "tune/group.h"
#include "tune/tune.h"
#include "tune/tune_search.h"
#include "tune/tune_select.h"
#include "tune/tune_wisdom.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// ---- results -----------------------------------------------------------------------------------

static sedge_status create_result(sedge_tune_result **out, const sedge_tune_task *task)
{
    sedge_status status;
    sedge_tune_result *result = NULL;

    *out = NULL;
    SEDGE_TRY_GOTO(status, sedge_allocate(&result, 1, sizeof *result));
    SEDGE_TRY_GOTO(status, sedge_allocate(&result->scores, task->layouts, sizeof *result->scores));
    SEDGE_TRY_GOTO(status, sedge_allocate(&result->records, task->count, sizeof *result->records));
    for (int c = 0; c < task->count; c++)
        result->records[c] = (sedge_tune_record){.registers = -1, .spilled = -1};
    result->choice = sedge_tune_rule(task, 0);
    *out = result;
    result = NULL;
done:
    sedge_tune_result_free(result);
    return status;
}

void sedge_tune_result_free(sedge_tune_result *result)
{
    if (result == NULL) return;
    sedge_release(result->scores);
    sedge_release(result->records);
    sedge_release(result);
}

// ---- one rank ----------------------------------------------------------------------------------

// The rule's choice, which must be able to run.
static sedge_status check_rule(const sedge_tune_task *task, const sedge_device_info *info)
{
    const int rule = sedge_tune_rule(task, 0);
    sedge_tune_record record;

    assert(rule >= 0);
    if (sedge_tune_is_refused(info, &task->candidates[rule], &record)) {
        return SEDGE_FAIL(SEDGE_ERR_DEVICE, "'%s' of %s, the rule's choice, cannot run: %s",
                          task->candidates[rule].name, task->operation, record.reason);
    }
    return SEDGE_OK;
}

// Search, and keep what was found.
static sedge_status measure(sedge_tune_result *result, sedge_device *device, sedge_cache *cache,
                            const sedge_tune_task *task, const sedge_tune_options *options,
                            const json_t *lines, json_t *key, uint64_t seed, int compilers)
{
    sedge_tune_advice advice;
    sedge_tune_run run = {.device = device,
                          .cache = cache,
                          .task = task,
                          .options = options,
                          .advice = &advice,
                          .result = result,
                          .seed = seed,
                          .compilers = compilers};
    sedge_status status;

    SEDGE_TRY(sedge_tune_advise(&advice, task, lines, key, options));
    SEDGE_TRY_GOTO(status, sedge_tune_search(&run));
    if (run.measured || !run.incomplete) {
        const sedge_tune_level rigor = advice.retime > 0 && options->level != SEDGE_TUNE_EXHAUSTIVE
                                           ? (sedge_tune_level)advice.retime
                                           : options->level;
        SEDGE_TRY_GOTO(status, sedge_tune_keep(&run, key, rigor));
    }
done:
    sedge_tune_advice_free(&advice);
    return status;
}

static sedge_status tune_here(sedge_tune_result *result, sedge_device *device, sedge_cache *cache,
                              const sedge_tune_task *task, const sedge_tune_options *options,
                              json_t *key, const sedge_hash *hash, int compilers)
{
    const double began = sedge_clock();
    json_t *lines = NULL;
    bool found = false;
    uint64_t seed;
    sedge_status status = SEDGE_OK;

    SEDGE_TRY(check_rule(task, sedge_device_get_info(device)));
    SEDGE_TRY(sedge_wisdom_read(&lines, cache, task->name));
    if (!options->forget || options->level == SEDGE_TUNE_OFF)
        found = sedge_tune_recall(result, task, lines, key, options->level);
    memcpy(&seed, hash->bytes, sizeof seed);
    if (!found && options->level != SEDGE_TUNE_OFF && !task->idle) {
        sedge_range_begin("tune");
        status = measure(result, device, cache, task, options, lines, key, seed, compilers);
        sedge_range_end();
        if (status != SEDGE_OK) goto done;
    }
    result->seconds = sedge_clock() - began;
done:
    json_decref(lines);
    return status;
}

// ---- ranks -------------------------------------------------------------------------------------

// A rank's node and device, by hash: two owners that search on one device would disturb each
// other's timing, and all that search on one node at once share its processors.
typedef struct tune_place {
    uint64_t node, device;
    int64_t turn; // of an owner; -1: the rank does not search
} tune_place;

static tune_place find_place(const sedge_device *device, bool is_owner)
{
    const sedge_device_info *const info = sedge_device_get_info(device);
    char name[320] = "";
    tune_place place = {.turn = is_owner ? 0 : -1};

    if (gethostname(name, 256) != 0) name[0] = '\0';
    name[256] = '\0';
    const sedge_hash node = sedge_hash_bytes(name, strlen(name));
    memcpy(&place.node, node.bytes, sizeof place.node);
    (void)snprintf(name + strlen(name), 64, ":%s:%d", info->kind_name, info->ordinal);
    const sedge_hash hash = sedge_hash_bytes(name, strlen(name));
    memcpy(&place.device, hash.bytes, sizeof place.device);
    return place;
}

// When this rank searches: after the owners of lower rank that have the same device. `*turns` is
// the largest number of turns on any device; `*compilers` is this rank's share of its node's
// processors, which it divides with the ranks that search there at the same turn. Collective.
static sedge_status find_turn(const sedge_group *group, const sedge_device *device, int *turn,
                              int *turns, int *compilers)
{
    const sedge_comm *const comm = group->comm;
    tune_place mine = find_place(device, group->is_owner);
    int at_once = 0;
    sedge_status status;
    tune_place *places = NULL;

    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, sedge_allocate(&places, sedge_comm_size(comm),
                                                                 sizeof *places)));
    sedge_comm_all_gather(comm, &mine, places, sizeof mine);
    *turn = 0;
    for (int r = 0; r < sedge_comm_rank(comm); r++)
        if (places[r].turn >= 0 && places[r].device == mine.device) (*turn)++;
    if (group->is_owner) mine.turn = *turn;
    sedge_comm_all_gather(comm, &mine, places, sizeof mine);
    for (int r = 0; r < sedge_comm_size(comm); r++)
        at_once += places[r].turn == *turn && places[r].node == mine.node;
    *compilers = group->is_owner ? sedge_device_compilers(at_once) : 0;
    int64_t most = group->is_owner ? *turn : 0;
    sedge_comm_max_int(comm, &most, 1);
    *turns = (int)most + 1;
done:
    sedge_release(places);
    return status;
}

// The owner's result to the other ranks of its group. Collective.
static void share_result(const sedge_group *group, const sedge_tune_task *task,
                         sedge_tune_result *result)
{
    double numbers[5] = {(double)result->source, (double)result->layout, result->seconds,
                         (double)result->compiled, (double)result->choice};

    sedge_group_give(group, numbers, sizeof numbers);
    result->source = (sedge_tune_source)numbers[0];
    result->layout = (int)numbers[1];
    result->seconds = numbers[2];
    result->compiled = (int)numbers[3];
    result->choice = (int)numbers[4];
    sedge_group_give(group, result->scores, (size_t)task->layouts * sizeof *result->scores);
    sedge_group_give(group, result->records, (size_t)task->count * sizeof *result->records);
}

// The key's hash, with the candidates' names: ranks of a group share indices.
static sedge_status hash_task(sedge_hash *hash, const sedge_tune_task *task, const json_t *key)
{
    sedge_status status;
    sedge_text *text = NULL;

    SEDGE_TRY(sedge_wisdom_hash(hash, key));
    SEDGE_TRY(sedge_text_create(&text));
    SEDGE_TRY_GOTO(status,
                   sedge_text_add_bytes(text, (const char *)hash->bytes, sizeof hash->bytes));
    SEDGE_TRY_GOTO(status, sedge_text_add(text, "\n%s:%d", task->operation, task->count));
    for (int c = 0; c < task->count; c++)
        SEDGE_TRY_GOTO(status, sedge_text_add(text, "\n%s", task->candidates[c].name));
    *hash = sedge_hash_bytes(sedge_text_get(text), sedge_text_length(text));
done:
    sedge_text_free(text);
    return status;
}

static sedge_status prepare(sedge_tune_result **result, json_t **key, sedge_hash *hash,
                            const sedge_tune_task *task, const sedge_device *device)
{
    assert(task->layouts > 0);
    SEDGE_TRY(create_result(result, task));
    SEDGE_TRY(sedge_tune_key(key, task, device));
    return hash_task(hash, task, *key);
}

sedge_status sedge_tune(sedge_tune_result **out, const sedge_comm *comm, sedge_device *device,
                        sedge_cache *cache, const sedge_tune_task *task,
                        const sedge_tune_options *options)
{
    sedge_tune_result *result = NULL;
    sedge_group group = {.hashes = NULL};
    sedge_hash hash = {{0}};
    json_t *key = NULL;
    sedge_status status;
    int turn, turns, compilers;

    *out = NULL;
    status = prepare(&result, &key, &hash, task, device);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    SEDGE_TRY_GOTO(status, sedge_group_init(&group, comm, &hash, !task->idle));
    SEDGE_TRY_GOTO(status, find_turn(&group, device, &turn, &turns, &compilers));
    for (int t = 0; t < turns; t++) {
        if (group.is_owner && t == turn)
            status = tune_here(result, device, cache, task, options, key, &hash, compilers);
        if (t + 1 < turns) sedge_comm_barrier(comm);
    }
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    share_result(&group, task, result);
    const bool tried = options->level != SEDGE_TUNE_OFF && group.is_able;
    if (result->source == SEDGE_TUNE_BY_RULE && !tried) {
        sedge_release(result->records);
        result->records = NULL;
    }
    *out = result;
    result = NULL;
done:
    sedge_group_free(&group);
    json_decref(key);
    sedge_tune_result_free(result);
    return status;
}
