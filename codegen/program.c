#include "codegen/program.h"

#include "base/file.h"
#include "base/memory.h"
#include "codegen/cache.h"

#include <stdlib.h>
#include <string.h>

struct sedge_program {
    sedge_module *module;
    sedge_text *log;
};

// A binary on its way: compiled or found by its owner, or received from it.
typedef struct program_binary {
    char *bytes;
    size_t length;
    char *log; // the compiler's, where it was sent
    size_t log_length;
} program_binary;

// Who has the same program: the owner is the lowest rank among them.
typedef struct program_sharing {
    int owner;
    bool all_same;
    sedge_hash *hashes; // of all ranks
} program_sharing;

// ---- the owner's part --------------------------------------------------------------------------

static bool is_debugging(void)
{
    const char *const value = getenv("SEDGE_DEBUG");

    return value != NULL && value[0] != '\0' && strcmp(value, "0") != 0;
}

// Compile, load, and keep in the cache what could be loaded.
static sedge_status compile(sedge_program *program, program_binary *binary, sedge_device *device,
                            sedge_cache *cache, const sedge_cache_key *key, const char *name)
{
    const double began = sedge_clock();
    void *bytes = NULL;

    SEDGE_TRY(
        sedge_device_compile(device, key->text, NULL, name, &bytes, &binary->length, program->log));
    binary->bytes = bytes;
    sedge_cache_count_miss(cache, sedge_clock() - began);
    SEDGE_TRY(sedge_module_load(&program->module, device, binary->bytes, binary->length));
    if (!is_debugging()) {
        sedge_cache_store(cache, key, name, binary->bytes, binary->length,
                          sedge_text_get(program->log));
    }
    return SEDGE_OK;
}

// Find in the cache and load. An entry that is whole and yet cannot be loaded is dropped: a miss.
static sedge_status find(sedge_program *program, program_binary *binary, sedge_device *device,
                         sedge_cache *cache, const sedge_cache_key *key)
{
    void *bytes = NULL;

    if (is_debugging()) return SEDGE_OK;
    SEDGE_TRY(sedge_cache_find(cache, key, &bytes, &binary->length, program->log));
    binary->bytes = bytes;
    if (bytes == NULL) return SEDGE_OK;
    if (sedge_module_load(&program->module, device, binary->bytes, binary->length) == SEDGE_OK) {
        sedge_cache_count_hit(cache);
        return SEDGE_OK;
    }
    sedge_error_clear();
    sedge_cache_drop(cache, key);
    sedge_release(binary->bytes);
    binary->bytes = NULL;
    sedge_text_free(program->log);
    program->log = NULL;
    return sedge_text_create(&program->log);
}

static sedge_status obtain(sedge_program *program, program_binary *binary, sedge_device *device,
                           sedge_cache *cache, const sedge_cache_key *key, const char *name)
{
    SEDGE_TRY(find(program, binary, device, cache, key));
    if (program->module != NULL) return SEDGE_OK;
    return compile(program, binary, device, cache, key, name);
}

// ---- between ranks -----------------------------------------------------------------------------

// Collective. The caller releases `hashes`.
static sedge_status find_owner(program_sharing *sharing, const sedge_comm *comm,
                               const sedge_hash *mine)
{
    const int ranks = sedge_comm_size(comm);
    sedge_hash *hashes = NULL;

    SEDGE_TRY(sedge_comm_agree(comm, sedge_allocate(&hashes, ranks, sizeof *hashes)));
    sedge_comm_all_gather(comm, mine, hashes, sizeof *mine);
    sharing->hashes = hashes;
    sharing->all_same = true;
    sharing->owner = ranks;
    for (int r = ranks - 1; r >= 0; r--) {
        if (memcmp(&hashes[r], mine, sizeof *mine) == 0) sharing->owner = r;
        if (memcmp(&hashes[r], &hashes[0], sizeof *mine) != 0) sharing->all_same = false;
    }
    return SEDGE_OK;
}

// Give bytes of the owner to the ranks that share with it. Collective.
static void give(const program_sharing *sharing, const sedge_comm *comm, void *bytes, size_t length)
{
    const int rank = sedge_comm_rank(comm);

    if (sharing->all_same) {
        sedge_comm_broadcast(comm, bytes, length, 0);
        return;
    }
    if (rank != sharing->owner) {
        sedge_comm_receive(comm, bytes, length, sharing->owner);
        return;
    }
    for (int r = rank + 1; r < sedge_comm_size(comm); r++) {
        if (memcmp(&sharing->hashes[r], &sharing->hashes[rank], sizeof *sharing->hashes) == 0)
            sedge_comm_send(comm, bytes, length, r);
    }
}

// Binary and log of the owner, on all ranks that share with it. Collective; fails on all or none.
static sedge_status share(const program_sharing *sharing, const sedge_comm *comm,
                          program_binary *binary, const sedge_text *log)
{
    const bool is_owner = sedge_comm_rank(comm) == sharing->owner;
    uint64_t lengths[2] = {binary->length, sedge_text_length(log)};
    sedge_status status;

    give(sharing, comm, lengths, sizeof lengths);
    binary->length = lengths[0];
    binary->log_length = lengths[1];
    status = sedge_allocate(&binary->log, (int64_t)lengths[1], 1);
    if (status == SEDGE_OK && is_owner) memcpy(binary->log, sedge_text_get(log), lengths[1]);
    if (status == SEDGE_OK && !is_owner)
        status = sedge_allocate(&binary->bytes, (int64_t)lengths[0], 1);
    SEDGE_TRY(sedge_comm_agree(comm, status));
    give(sharing, comm, binary->bytes, binary->length);
    give(sharing, comm, binary->log, binary->log_length);
    return SEDGE_OK;
}

// ---- programs ----------------------------------------------------------------------------------

static sedge_status load_received(sedge_program *program, const program_binary *binary,
                                  sedge_device *device)
{
    SEDGE_TRY(sedge_text_add_bytes(program->log, binary->log, binary->log_length));
    return sedge_module_load(&program->module, device, binary->bytes, binary->length);
}

// Collective, with agreement after each part in which one rank can fail alone.
static sedge_status build(sedge_program *program, const sedge_comm *comm, sedge_device *device,
                          sedge_cache *cache, const sedge_program_options *options,
                          const char *text)
{
    const sedge_cache_key key = sedge_cache_key_make(device, text);
    const sedge_hash hash = sedge_cache_key_hash(&key);
    program_sharing sharing = {.hashes = NULL};
    program_binary binary = {.bytes = NULL};
    sedge_status status;

    SEDGE_TRY(find_owner(&sharing, comm, &hash));
    status = SEDGE_OK;
    if (sharing.owner == sedge_comm_rank(comm))
        status = obtain(program, &binary, device, cache, &key, options->name);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    if (sedge_comm_size(comm) > 1)
        SEDGE_TRY_GOTO(status, share(&sharing, comm, &binary, program->log));
    if (program->module == NULL) status = load_received(program, &binary, device);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
done:
    sedge_release(sharing.hashes);
    sedge_release(binary.bytes);
    sedge_release(binary.log);
    return status;
}

static sedge_status prepare(sedge_program **out, sedge_text **text, const sedge_device *device,
                            const sedge_program_options *options)
{
    SEDGE_TRY(sedge_allocate(out, 1, sizeof **out));
    SEDGE_TRY(sedge_text_create(&(*out)->log));
    SEDGE_TRY(sedge_text_create(text));
    return sedge_program_write(*text, sedge_device_get_info(device)->kind, options);
}

sedge_status sedge_program_create(sedge_program **out, const sedge_comm *comm, sedge_device *device,
                                  sedge_cache *cache, const sedge_program_options *options)
{
    sedge_status status;
    sedge_program *program = NULL;
    sedge_text *text = NULL;

    *out = NULL;
    status = prepare(&program, &text, device, options);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    SEDGE_TRY_GOTO(status, build(program, comm, device, cache, options, sedge_text_get(text)));
    *out = program;
    program = NULL;
done:
    sedge_text_free(text);
    sedge_program_free(program);
    return status;
}

void sedge_program_free(sedge_program *program)
{
    if (program == NULL) return;
    sedge_module_free(program->module);
    sedge_text_free(program->log);
    sedge_release(program);
}

sedge_status sedge_program_get(const sedge_kernel **out, const sedge_program *program,
                               const char *name)
{
    return sedge_module_get(out, program->module, name);
}

const char *sedge_program_log(const sedge_program *program)
{
    return sedge_text_get(program->log);
}
