// Programs over ranks: each distinct one is compiled once, by ranks that want it in equal parts,
// and comes to all that want it; so do a compiler's messages.
#include "base/memory.h"
#include "check.h"
#include "program/program.h"
#include "program/share.h"

#include <stdlib.h>

enum { MOST = 12 };

typedef struct test_run {
    sedge_comm *comm;
    sedge_device *device;
    char folder[512];
    int rank, size;
} test_run;

typedef struct test_wish {
    char texts[MOST][128];
    char names[MOST][32];
    sedge_program_text list[MOST];
    int count;
} test_wish;

static void wish(test_wish *wishes, int value, const char *what)
{
    const int i = wishes->count++;

    (void)snprintf(wishes->names[i], sizeof wishes->names[i], "fill-%d", value);
    (void)snprintf(wishes->texts[i], sizeof wishes->texts[i],
                   "void fill(long blocks, void **a)\n{\n    (void)blocks;\n"
                   "    **(int **)a[0] = %d%s;\n}\n",
                   value, what);
    wishes->list[i] = (sedge_program_text){wishes->names[i], wishes->texts[i]};
}

static int value_of(const sedge_program *program)
{
    const sedge_kernel *kernel = NULL;
    int value = -1;
    int *pointer = &value;
    void *const arguments[] = {&pointer};

    if (program == NULL) return -1;
    CHECK_OK(sedge_program_get(&kernel, program, "fill"));
    CHECK_OK(sedge_kernel_launch(kernel, NULL, 1, 1, arguments, 1));
    return value;
}

// Make what this rank wishes; wished[i] has to write values[i]. Misses: of all ranks, and the most
// of one.
static void make(const test_run *run, const test_wish *wishes, const int *values, int64_t *hits,
                 int64_t *misses, int64_t *most)
{
    sedge_program *programs[MOST] = {NULL};
    sedge_cache *cache = NULL;

    CHECK_OK(sedge_cache_create(&cache, run->folder));
    CHECK_OK(sedge_programs_create(programs, NULL, run->comm, run->device, cache, wishes->list,
                                   wishes->count));
    for (int i = 0; i < wishes->count; i++) {
        CHECK(value_of(programs[i]) == values[i]);
        sedge_program_free(programs[i]);
    }
    const sedge_cache_counts counts = sedge_cache_get_counts(cache);
    int64_t sums[2] = {counts.hits, counts.misses};
    sedge_comm_sum_int(run->comm, sums, 2);
    *hits = sums[0];
    *misses = sums[1];
    *most = counts.misses;
    sedge_comm_max_int(run->comm, most, 1);
    sedge_cache_free(cache);
}

static void empty_cache(const test_run *run)
{
    sedge_cache *cache = NULL;
    int64_t removed;

    if (run->rank == 0) {
        CHECK_OK(sedge_cache_create(&cache, run->folder));
        CHECK_OK(sedge_cache_clear(cache, &removed));
        sedge_cache_free(cache);
    }
    sedge_comm_barrier(run->comm);
}

// Everybody wants the same eight, in another order: compiled eight times in all, as many by each.
static void test_all_want_all(const test_run *run)
{
    test_wish wishes = {.count = 0};
    int values[MOST] = {0};
    int64_t hits, misses, most;

    empty_cache(run);
    for (int i = 0; i < 8; i++) {
        values[i] = 100 + (i + run->rank) % 8;
        wish(&wishes, values[i], "");
    }
    make(run, &wishes, values, &hits, &misses, &most);
    CHECK(hits == 0 && misses == 8 && most == 8 / run->size);
    make(run, &wishes, values, &hits, &misses, &most);
    CHECK(hits == 8 && misses == 0);
}

// Each rank wants two of its own, one that it shares with its neighbour, and one that all want; the
// last rank wants nothing of its own.
static void test_different_wishes(const test_run *run)
{
    const bool last = run->size > 1 && run->rank == run->size - 1;
    test_wish wishes = {.count = 0};
    int values[MOST] = {0};
    int64_t hits, misses, most;

    empty_cache(run);
    values[0] = 1;
    wish(&wishes, 1, "");
    for (int k = 0; k < 3 && !last; k++) {
        values[wishes.count] = k < 2 ? 10 * run->rank + 10 + k : 1000 + run->rank / 2;
        wish(&wishes, values[wishes.count], "");
    }
    const int ranks = run->size > 1 ? run->size - 1 : 1;
    const int distinct = 1 + 2 * ranks + (ranks + 1) / 2;
    make(run, &wishes, values, &hits, &misses, &most);
    CHECK(hits == 0 && misses == distinct);
    make(run, &wishes, values, &hits, &misses, &most);
    CHECK(hits == distinct && misses == 0);
}

// Only one rank wants anything at all.
static void test_lonely_wish(const test_run *run)
{
    test_wish wishes = {.count = 0};
    int values[MOST] = {2000};
    int64_t hits, misses, most;

    if (run->rank == run->size - 1) wish(&wishes, 2000, "");
    make(run, &wishes, values, &hits, &misses, &most);
    CHECK(misses == 1);
}

// A program that does not compile leaves its message with all that want it, and with nobody else;
// the others are fine. Without places for messages all ranks fail.
static void test_messages(const test_run *run)
{
    test_wish wishes = {.count = 0};
    sedge_program *programs[MOST] = {NULL};
    char *messages[MOST] = {NULL};
    sedge_cache *cache = NULL;
    const bool wants = run->rank % 2 == 0;

    wish(&wishes, 3000, "");
    if (wants) wish(&wishes, 3001, " + nonsense");
    wish(&wishes, 3002, "");
    CHECK_OK(sedge_cache_create(&cache, run->folder));
    CHECK_OK(sedge_programs_create(programs, messages, run->comm, run->device, cache, wishes.list,
                                   wishes.count));
    CHECK(value_of(programs[0]) == 3000 && messages[0] == NULL);
    CHECK(value_of(programs[wishes.count - 1]) == 3002 && messages[wishes.count - 1] == NULL);
    if (wants) {
        CHECK(programs[1] == NULL && messages[1] != NULL);
        CHECK(messages[1] != NULL && strstr(messages[1], "nonsense") != NULL);
        CHECK(messages[1] != NULL && strstr(messages[1], "'fill-3001'") != NULL);
    }
    for (int i = 0; i < wishes.count; i++) {
        sedge_program_free(programs[i]);
        sedge_release(messages[i]);
    }
    CHECK_FAILS(sedge_programs_create(programs, NULL, run->comm, run->device, cache, wishes.list,
                                      wishes.count),
                SEDGE_ERR_DEVICE, "nonsense");
    for (int i = 0; i < wishes.count; i++) CHECK(programs[i] == NULL);
    sedge_cache_free(cache);
}

// Alone among many: nobody waits for the others.
static void test_without_comm(const test_run *run)
{
    test_wish wishes = {.count = 0};
    sedge_program *program = NULL;
    sedge_cache *cache = NULL;

    wish(&wishes, 4000 + run->rank, "");
    CHECK_OK(sedge_cache_create(&cache, run->folder));
    for (int i = 0; i <= run->rank; i++) {
        CHECK_OK(sedge_programs_create(&program, NULL, NULL, run->device, cache, wishes.list, 1));
        CHECK(value_of(program) == 4000 + run->rank);
        sedge_program_free(program);
    }
    CHECK(sedge_cache_get_counts(cache).hits + sedge_cache_get_counts(cache).misses ==
          run->rank + 1);
    sedge_cache_free(cache);
}

// The owners of 10000 random programs, each wanted by each rank with chance one half: everybody has
// an equal part to one in a hundred, and owns nothing that it does not want.
static void test_even_parts(const test_run *run)
{
    enum { PROGRAMS = 10000 };
    sedge_share share;
    sedge_hash *hashes = NULL;
    unsigned random = 12345;
    int count = 0;
    int64_t mine = 0;

    CHECK_OK(sedge_allocate(&hashes, PROGRAMS, sizeof *hashes));
    if (hashes == NULL) sedge_comm_abort(run->comm, 1);
    for (int i = 0; i < PROGRAMS; i++) {
        random = random * 1664525u + 1013904223u;
        const unsigned wanted = random >> 16;
        const bool always = i % run->size == run->rank; // somebody wants each
        if (!always && (wanted >> run->rank) % 2 == 0) continue;
        hashes[count++] = sedge_hash_bytes(&i, sizeof i);
    }
    CHECK_OK(sedge_share_create(&share, run->comm, hashes, count));
    CHECK(share.programs == PROGRAMS);
    for (int p = 0; p < share.programs; p++) {
        mine += share.owner[p] == run->rank;
        CHECK(share.owner[p] != run->rank || sedge_share_requests(&share, p));
    }
    CHECK_BOUND(fabs((double)mine * run->size / PROGRAMS - 1.0), 0.01);
    sedge_share_clear(&share);
    sedge_release(hashes);
}

int main(void)
{
    test_run run = {.size = 1};

    CHECK_OK(sedge_device_start_helper());
    CHECK_OK(sedge_comm_create(&run.comm, NULL));
    if (run.comm == NULL) return 1;
    run.rank = sedge_comm_rank(run.comm);
    run.size = sedge_comm_size(run.comm);
    (void)snprintf(run.folder, sizeof run.folder, "%s/share-%d", SEDGE_TEST_DIR, run.size);
    CHECK_OK(sedge_device_create(&run.device, "host", 0, run.size));
    if (run.device == NULL) sedge_comm_abort(run.comm, 1);
    test_all_want_all(&run);
    test_different_wishes(&run);
    test_lonely_wish(&run);
    test_messages(&run);
    test_without_comm(&run);
    test_even_parts(&run);
    sedge_device_free(run.device);
    sedge_comm_free(run.comm);
    sedge_device_stop_helper();
    return CHECK_END();
}
