#define _DEFAULT_SOURCE // nanosleep
#include "program/batch.h"

#include "base/file.h"
#include "base/memory.h"
#include "cache/store.h"
#include "program/compile.h"
#include "program/share.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_SECONDS = 600 }; // to wait for another process that compiles a program

// Programs that are made together. `items` and `modules` have a place for each distinct program of
// all ranks; a module is there where this rank has loaded the program as its owner.
typedef struct program_batch {
    sedge_device *device;
    sedge_cache *cache;
    const sedge_program_text *texts;
    int count;
    bool loads;    // else the cache is filled, and that is all
    bool searches; // nothing is compiled
    int compilers; // of this rank, at once
    sedge_cache_key *keys;
    sedge_share share;
    sedge_share_item *items;
    sedge_module **modules;
    int *text_of; // [programs]: one of this rank's sources; 0 if it requests none
} program_batch;

bool sedge_program_debugging(void)
{
    const char *const value = getenv("SEDGE_DEBUG");

    return value != NULL && value[0] != '\0' && strcmp(value, "0") != 0;
}

static sedge_status copy_bytes(char **out, const char *bytes, size_t length)
{
    SEDGE_TRY(sedge_allocate(out, (int64_t)length + 1, 1));
    memcpy(*out, bytes, length);
    return SEDGE_OK;
}

// ---- the owner's part --------------------------------------------------------------------------

// Take what the cache or the compiler gave: the binary is the item's, also after a failure.
static sedge_status set_item(sedge_share_item *item, void **binary, size_t length,
                             const sedge_text *log)
{
    item->part[SEDGE_SHARE_BINARY] = *binary;
    *binary = NULL;
    item->length[SEDGE_SHARE_BINARY] = length;
    SEDGE_TRY(
        copy_bytes(&item->part[SEDGE_SHARE_LOG], sedge_text_get(log), sedge_text_length(log)));
    item->length[SEDGE_SHARE_LOG] = sedge_text_length(log);
    return SEDGE_OK;
}

static void clear_item(sedge_share_item *item)
{
    for (int k = 0; k < SEDGE_SHARE_PARTS; k++) sedge_release(item->part[k]);
    memset(item, 0, sizeof *item);
}

// Look in one place. An intact entry that cannot be loaded is dropped and counts as a miss.
static sedge_status find_in(program_batch *batch, int p, sedge_cache_place place)
{
    const sedge_cache_key *const key = &batch->keys[batch->text_of[p]];
    sedge_share_item *const item = &batch->items[p];
    sedge_status loaded = SEDGE_OK;
    sedge_status status;
    sedge_text *log = NULL;
    void *binary = NULL;
    size_t length;

    SEDGE_TRY_GOTO(status, sedge_text_create(&log));
    SEDGE_TRY_GOTO(status, sedge_cache_find(batch->cache, place, key, &binary, &length, log));
    if (binary == NULL) goto done;
    SEDGE_TRY_GOTO(status, set_item(item, &binary, length, log));
    if (batch->loads) {
        loaded = sedge_module_load(&batch->modules[p], batch->device,
                                   item->part[SEDGE_SHARE_BINARY], length);
    }
    if (loaded == SEDGE_ERR_MEMORY) SEDGE_TRY_GOTO(status, loaded); // the entry may be good
    item->found = loaded == SEDGE_OK;
    if (!item->found) {
        sedge_error_clear();
        sedge_cache_drop(batch->cache, place, key);
        clear_item(item);
    }
done:
    sedge_release(binary);
    sedge_text_free(log);
    return status;
}

static sedge_status find(program_batch *batch, int p)
{
    if (sedge_program_debugging()) return SEDGE_OK;
    SEDGE_TRY(find_in(batch, p, SEDGE_CACHE_SITE));
    if (!batch->items[p].found) SEDGE_TRY(find_in(batch, p, SEDGE_CACHE_OWN));
    if (batch->items[p].found) sedge_cache_count_hit(batch->cache);
    return SEDGE_OK;
}

static void unclaim(const program_batch *batch, int p)
{
    if (!sedge_program_debugging())
        sedge_cache_unclaim(batch->cache, &batch->keys[batch->text_of[p]]);
}

// A program is compiled: load it, keep in the cache what could be loaded.
static void settle(void *context, sedge_compile_job *job)
{
    program_batch *const batch = context;
    const int p = job->number;
    sedge_share_item *const item = &batch->items[p];

    item->seconds = job->seconds;
    if (job->status == SEDGE_OK && batch->loads) {
        const sedge_status loaded =
            sedge_module_load(&batch->modules[p], batch->device, job->binary, job->length);
        if (loaded != SEDGE_OK) sedge_compile_fail(job, loaded);
    }
    if (job->status == SEDGE_OK && !sedge_program_debugging()) {
        sedge_cache_store(batch->cache, &batch->keys[batch->text_of[p]], job->name, job->binary,
                          job->length, sedge_text_get(job->log));
    }
    if (job->status == SEDGE_OK) {
        const sedge_status kept = set_item(item, &job->binary, job->length, job->log);
        if (kept != SEDGE_OK) sedge_compile_fail(job, kept);
    }
    unclaim(batch, p);
    item->status = job->status != SEDGE_OK && job->message == NULL ? SEDGE_ERR_MEMORY : job->status;
    item->part[SEDGE_SHARE_MESSAGE] = job->message;
    item->length[SEDGE_SHARE_MESSAGE] = job->message != NULL ? strlen(job->message) : 0;
    job->message = NULL;
}

// Compile what was not found.
static sedge_status compile(program_batch *batch, const int *missing, int count)
{
    sedge_status status;
    sedge_compile_job *jobs = NULL;
    const double began = sedge_clock();

    if (count == 0) return SEDGE_OK;
    SEDGE_TRY_GOTO(status, sedge_allocate(&jobs, count, sizeof *jobs));
    for (int i = 0; i < count; i++) {
        const sedge_program_text *const text = &batch->texts[batch->text_of[missing[i]]];
        jobs[i].number = missing[i];
        jobs[i].name = text->name;
        jobs[i].text = text->text;
        SEDGE_TRY_GOTO(status, sedge_text_create(&jobs[i].log));
    }
    SEDGE_TRY_GOTO(status,
                   sedge_compile_jobs(jobs, count, batch->device, batch->compilers, settle, batch));
    sedge_cache_count_misses(batch->cache, count, sedge_clock() - began);
done:
    for (int i = 0; i < count && jobs != NULL; i++) {
        sedge_text_free(jobs[i].log);
        sedge_release(jobs[i].binary);
        sedge_release(jobs[i].message);
    }
    sedge_release(jobs);
    return status;
}

// Find a program. If it is not there claim it, and look again: it may have come in between.
// `*claimed` is false if another process is compiling it.
static sedge_status find_or_claim(program_batch *batch, int p, bool *claimed)
{
    *claimed = true;
    SEDGE_TRY(find(batch, p));
    if (batch->items[p].found || batch->searches || sedge_program_debugging()) return SEDGE_OK;
    *claimed = sedge_cache_claim(batch->cache, &batch->keys[batch->text_of[p]]);
    if (*claimed) SEDGE_TRY(find(batch, p));
    if (batch->items[p].found) unclaim(batch, p);
    return SEDGE_OK;
}

// A program that another process was compiling: wait for it, and compile it here if that process
// did not keep it, or takes too long.
static sedge_status await(program_batch *batch, int p)
{
    const struct timespec pause = {.tv_nsec = 20000000}; // a claim takes the hash of the text
    const sedge_cache_key *const key = &batch->keys[batch->text_of[p]];
    const double began = sedge_clock();
    sedge_status status;

    while (!sedge_cache_claim(batch->cache, key) && sedge_clock() - began < MOST_SECONDS)
        (void)nanosleep(&pause, NULL);
    status = find(batch, p);
    if (status == SEDGE_OK && !batch->items[p].found) status = compile(batch, &p, 1);
    unclaim(batch, p);
    return status;
}

// Find or compile the programs that this rank owns. It waits for other processes when it has
// compiled all that it claimed, so that no two wait for each other.
static sedge_status obtain(program_batch *batch)
{
    sedge_status status = SEDGE_OK;
    int *missing = NULL, *elsewhere = NULL;
    int count = 0, others = 0;

    SEDGE_TRY_GOTO(status, sedge_allocate(&missing, batch->share.programs, sizeof *missing));
    SEDGE_TRY_GOTO(status, sedge_allocate(&elsewhere, batch->share.programs, sizeof *elsewhere));
    for (int p = 0; p < batch->share.programs; p++) {
        bool claimed;

        if (batch->share.owner[p] != batch->share.rank) continue;
        SEDGE_TRY_GOTO(status, find_or_claim(batch, p, &claimed));
        if (batch->items[p].found) continue;
        if (claimed) {
            missing[count++] = p;
        } else {
            elsewhere[others++] = p;
        }
    }
    if (batch->searches) goto done;
    SEDGE_TRY_GOTO(status, compile(batch, missing, count)); // each claim ends when it is done
    for (int i = 0; i < others; i++) SEDGE_TRY_GOTO(status, await(batch, elsewhere[i]));
done:
    for (int i = 0; i < count && !batch->searches; i++) unclaim(batch, missing[i]);
    sedge_release(missing);
    sedge_release(elsewhere);
    return status;
}

// ---- a batch -----------------------------------------------------------------------------------

static sedge_status prepare_batch(program_batch *batch, sedge_hash **hashes)
{
    SEDGE_TRY(sedge_allocate(&batch->keys, batch->count, sizeof *batch->keys));
    SEDGE_TRY(sedge_allocate(hashes, batch->count, sizeof **hashes));
    for (int i = 0; i < batch->count; i++) {
        batch->keys[i] = sedge_cache_key_make(batch->device, batch->texts[i].text);
        (*hashes)[i] = sedge_cache_key_hash(&batch->keys[i]);
    }
    return SEDGE_OK;
}

static sedge_status allocate_items(program_batch *batch)
{
    const int programs = batch->share.programs;

    SEDGE_TRY(sedge_allocate(&batch->text_of, programs, sizeof *batch->text_of));
    SEDGE_TRY(sedge_allocate(&batch->modules, programs, sizeof(sedge_module *)));
    SEDGE_TRY(sedge_allocate(&batch->items, programs, sizeof *batch->items));
    for (int i = batch->count - 1; i >= 0; i--) batch->text_of[batch->share.mine[i]] = i;
    return SEDGE_OK;
}

static void clear_batch(program_batch *batch)
{
    for (int p = 0; p < batch->share.programs && batch->modules != NULL; p++)
        sedge_module_free(batch->modules[p]);
    sedge_share_release(batch->items, batch->share.programs);
    sedge_release(batch->modules);
    sedge_release(batch->text_of);
    sedge_release(batch->keys);
    sedge_share_clear(&batch->share);
}

// Find or compile every program and send it to the ranks that request it. Collective; a failure of
// the compiler is in the item.
static sedge_status make_batch(program_batch *batch, const sedge_comm *comm)
{
    sedge_status status;
    sedge_hash *hashes = NULL;

    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, prepare_batch(batch, &hashes)));
    SEDGE_TRY_GOTO(status, sedge_share_create(&batch->share, comm, hashes, batch->count));
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, allocate_items(batch)));
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, obtain(batch)));
    for (int p = 0; p < batch->share.programs && !batch->loads; p++) {
        sedge_release(batch->items[p].part[SEDGE_SHARE_BINARY]);
        batch->items[p].part[SEDGE_SHARE_BINARY] = NULL;
        batch->items[p].length[SEDGE_SHARE_BINARY] = 0;
    }
    SEDGE_TRY_GOTO(status, sedge_share_send(&batch->share, batch->items));
done:
    sedge_release(hashes);
    return status;
}

// The item's failure as this thread's.
static sedge_status raise_item(const sedge_share_item *item)
{
    const char *const message = item->part[SEDGE_SHARE_MESSAGE];

    sedge_error_set(message != NULL ? message : "out of host memory");
    return item->status;
}

// ---- programs ----------------------------------------------------------------------------------

static sedge_status load_programs(sedge_program **out, char **messages, program_batch *batch)
{
    for (int i = 0; i < batch->count; i++) {
        const int p = batch->share.mine[i];
        const sedge_share_item *const item = &batch->items[p];
        if (batch->searches && !item->found) continue;
        if (item->status == SEDGE_OK) {
            SEDGE_TRY(sedge_program_load(
                &out[i], &batch->modules[p], batch->device, item->part[SEDGE_SHARE_BINARY],
                item->length[SEDGE_SHARE_BINARY], item->part[SEDGE_SHARE_LOG]));
        } else if (item->status != SEDGE_ERR_DEVICE || messages == NULL) {
            return raise_item(item);
        } else {
            SEDGE_TRY(copy_bytes(&messages[i], item->part[SEDGE_SHARE_MESSAGE],
                                 item->length[SEDGE_SHARE_MESSAGE]));
        }
    }
    return SEDGE_OK;
}

// Make the batch and clear it.
static sedge_status create_programs(sedge_program **out, char **messages, const sedge_comm *comm,
                                    program_batch *batch)
{
    sedge_status status;

    for (int i = 0; i < batch->count; i++) {
        out[i] = NULL;
        if (messages != NULL) messages[i] = NULL;
    }
    SEDGE_TRY_GOTO(status, make_batch(batch, comm));
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, load_programs(out, messages, batch)));
done:
    for (int i = 0; i < batch->count && status != SEDGE_OK; i++) {
        sedge_program_free(out[i]);
        out[i] = NULL;
        if (messages == NULL) continue;
        sedge_release(messages[i]);
        messages[i] = NULL;
    }
    clear_batch(batch);
    return status;
}

// The compilers of a rank while all ranks of the node compile.
static int share_compilers(const sedge_comm *comm)
{
    return sedge_device_compilers(sedge_comm_node_size(comm));
}

sedge_status sedge_programs_create(sedge_program **out, char **messages, const sedge_comm *comm,
                                   sedge_device *device, sedge_cache *cache,
                                   const sedge_program_text *texts, int count)
{
    program_batch batch = {.device = device,
                           .cache = cache,
                           .texts = texts,
                           .count = count,
                           .loads = true,
                           .compilers = share_compilers(comm)};

    return create_programs(out, messages, comm, &batch);
}

sedge_status sedge_programs_create_here(sedge_program **out, char **messages, sedge_device *device,
                                        sedge_cache *cache, const sedge_program_text *texts,
                                        int count, int compilers)
{
    program_batch batch = {.device = device,
                           .cache = cache,
                           .texts = texts,
                           .count = count,
                           .loads = true,
                           .compilers = compilers};

    return create_programs(out, messages, NULL, &batch);
}

sedge_status sedge_programs_find(sedge_program **out, sedge_device *device, sedge_cache *cache,
                                 const sedge_program_text *texts, int count)
{
    program_batch batch = {.device = device,
                           .cache = cache,
                           .texts = texts,
                           .count = count,
                           .loads = true,
                           .searches = true};

    return create_programs(out, NULL, NULL, &batch);
}

static void fill_record(sedge_program_record *record, const sedge_share_item *item)
{
    record->found = item->found;
    record->seconds = item->seconds;
    record->resources = sedge_cache_resources(item->part[SEDGE_SHARE_LOG]);
}

sedge_status sedge_programs_build(int *compiled, sedge_program_record *records,
                                  const sedge_comm *comm, sedge_device *device, sedge_cache *cache,
                                  const sedge_program_text *texts, int count)
{
    program_batch batch = {.device = device,
                           .cache = cache,
                           .texts = texts,
                           .count = count,
                           .compilers = share_compilers(comm)};
    sedge_status status;

    *compiled = 0;
    SEDGE_TRY_GOTO(status, make_batch(&batch, comm));
    for (int p = 0; p < batch.share.programs; p++) {
        if (status == SEDGE_OK && batch.items[p].status != SEDGE_OK &&
            sedge_share_requests(&batch.share, p))
            status = raise_item(&batch.items[p]);
        *compiled += !batch.items[p].found;
    }
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    for (int i = 0; i < count && records != NULL; i++)
        fill_record(&records[i], &batch.items[batch.share.mine[i]]);
done:
    clear_batch(&batch);
    return status;
}
