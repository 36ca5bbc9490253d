// The tuner under MPI: ranks with the same key share one search, made by the lowest of them.
#include "base/memory.h"
#include "check.h"
#include "device/backend.h"
#include "tune/tune.h"
#include "tune_case.h"

enum { ATTEMPTS = 40 }; // one is enough where nothing disturbs

static sedge_comm *comm;
static sedge_device *device;
static char folder[512];
static int rank, size;
static int sharing; // the most ranks that shared processors when this rank asked for compilers

static const sedge_tune_options fast = {.level = SEDGE_TUNE_FAST, .budget = 60.0, .forget = true};

// The linker puts this in the place of sedge_device_compilers.
int count_sharing(int local_ranks) __asm__("__wrap_sedge_device_compilers");
int count_sharing(int local_ranks)
{
    if (local_ranks > sharing) sharing = local_ranks;
    return 1;
}

static sedge_cache *open_cache(const char *name)
{
    char own[64];
    sedge_cache *cache = NULL;

    (void)snprintf(own, sizeof own, "%s-np%d", name, size);
    if (rank == 0) tune_case_folder(folder, sizeof folder, own);
    sedge_comm_broadcast(comm, folder, sizeof folder, 0);
    CHECK_OK(sedge_cache_create(&cache, folder));
    return cache;
}

// Tune until all ranks have the choice that they want: on a busy machine a race may be disturbed.
// Counts are those of the last search.
static sedge_tune_result *tune(tune_case *c, sedge_cache *cache, int wanted)
{
    sedge_tune_result *result = NULL;
    int64_t missing = 1;

    for (int i = 0; i < ATTEMPTS && missing > 0; i++) {
        sedge_tune_result_free(result);
        tune_case_clear(c);
        CHECK_OK(sedge_tune(&result, comm, device, cache, &c->task, &fast));
        missing = result == NULL || result->choice != wanted;
        sedge_comm_max_int(comm, &missing, 1);
    }
    return result;
}

// Two groups: for one the last candidate is fastest, for the other the second. Only group owners
// measure. A rank alone is a group.
static void test_groups(bool two)
{
    const bool odd = two && rank % 2 == 1;
    const bool is_owner = rank == 0 || (two && rank == 1);
    const tune_case_candidate candidates[] = {
        {.name = "rule", .microseconds = 200.0},
        {.name = "second", .microseconds = odd ? 40.0 : 100.0},
        {.name = "third", .microseconds = odd ? 100.0 : 40.0},
    };
    sedge_cache *const cache = open_cache(two ? "groups" : "group");
    sedge_tune_result *result = NULL;
    tune_case c;

    CHECK_OK(tune_case_init(&c, device));
    tune_case_set(&c, "wait", candidates, 3);
    if (odd) c.task.size = "odd";
    result = tune(&c, cache, odd ? 1 : 2);
    CHECK(result != NULL && result->source == SEDGE_TUNE_BY_MEASUREMENT);
    CHECK(result != NULL && result->choice == (odd ? 1 : 2));
    CHECK(result != NULL && strcmp(result->records[result->choice].reason, "winner") == 0);
    CHECK((tune_case_sum(&c).launches > 0) == is_owner);
    CHECK((tune_case_sum(&c).texts > 0) == is_owner);
    CHECK(result != NULL && result->scores[0] > 20e-6);
    sedge_tune_result_free(result);
    // Then all find it, without a search.
    const sedge_tune_options off = {.level = SEDGE_TUNE_OFF};
    tune_case_clear(&c);
    CHECK_OK(sedge_tune(&result, comm, device, cache, &c.task, &off));
    CHECK(result != NULL && result->source == SEDGE_TUNE_BY_WISDOM);
    CHECK(result != NULL && result->choice == (odd ? 1 : 2) && result->records != NULL);
    CHECK(tune_case_sum(&c).texts == 0);
    sedge_tune_result_free(result);
    sedge_cache_free(cache);
    tune_case_free(&c);
}

// Owners on one device search one after the other, each with all processors of the node; owners on
// several devices of the node search at once and share its processors. Other ranks compile nothing.
static void test_compilers(bool two, bool several_devices)
{
    const tune_case_candidate candidates[] = {
        {.name = "rule", .microseconds = 50.0},
        {.name = "second", .microseconds = 40.0},
    };
    const bool is_owner = rank == 0 || (two && rank == 1);
    const int ordinal = device->info.ordinal;
    sedge_cache *const cache = open_cache("compilers");
    sedge_tune_result *result = NULL;
    tune_case c;

    CHECK_OK(tune_case_init(&c, device));
    tune_case_set(&c, "wait", candidates, 2);
    if (two && rank % 2 == 1) c.task.size = "odd";
    if (several_devices) device->info.ordinal = rank;
    sharing = 0;
    CHECK_OK(sedge_tune(&result, comm, device, cache, &c.task, &fast));
    CHECK(sharing == (!is_owner ? 0 : two && several_devices ? 2 : 1));
    device->info.ordinal = ordinal;
    sedge_tune_result_free(result);
    sedge_cache_free(cache);
    tune_case_free(&c);
}

// Idle ranks time nothing: the lowest other one does, for all of them. Where all of a group are
// idle they take the rule's choice.
static void test_idle(bool all)
{
    const tune_case_candidate candidates[] = {
        {.name = "rule", .microseconds = 200.0},
        {.name = "second", .microseconds = 40.0},
    };
    const bool measured = !all && size > 1;
    sedge_cache *const cache = open_cache(all ? "idle" : "idle-first");
    sedge_tune_result *result = NULL;
    tune_case c;

    CHECK_OK(tune_case_init(&c, device));
    tune_case_set(&c, "wait", candidates, 2);
    c.task.idle = all || rank == 0;
    result = tune(&c, cache, measured ? 1 : 0);
    CHECK(result != NULL && (result->source == SEDGE_TUNE_BY_MEASUREMENT) == measured);
    CHECK(result != NULL && (result->records != NULL) == measured);
    CHECK((tune_case_sum(&c).launches > 0) == (measured && rank == 1));
    sedge_tune_result_free(result);
    sedge_cache_free(cache);
    tune_case_free(&c);
}

// One group's failure is everybody's, with its message.
static void test_failure_is_shared(void)
{
    const bool fails = rank == size - 1;
    const tune_case_candidate candidates[] = {
        {.name = "rule", .microseconds = 100.0, .is_wrong = fails},
        {.name = "second", .microseconds = 50.0},
    };
    sedge_cache *const cache = open_cache("failure");
    sedge_tune_result *result = NULL;
    tune_case c;

    CHECK_OK(tune_case_init(&c, device));
    tune_case_set(&c, "wait", candidates, 2);
    if (fails) c.task.size = "last";
    CHECK_FAILS(sedge_tune(&result, comm, device, cache, &c.task, &fast), SEDGE_ERR_COMPUTE,
                "'rule' of wait, the rule's choice, is wrong: it only waits");
    CHECK(result == NULL);
    sedge_cache_free(cache);
    tune_case_free(&c);
}

int main(void)
{
    CHECK_OK(sedge_device_start_helper());
    CHECK_OK(sedge_comm_create(&comm, NULL));
    rank = sedge_comm_rank(comm);
    size = sedge_comm_size(comm);
    CHECK_OK(sedge_device_create(&device, "host", sedge_comm_node_rank(comm),
                                 sedge_comm_node_size(comm)));
    test_groups(false);
    test_groups(size > 1);
    test_compilers(false, true);
    test_compilers(size > 1, false);
    test_compilers(size > 1, true);
    test_idle(false);
    test_idle(true);
    test_failure_is_shared();
    sedge_device_free(device);
    sedge_device_stop_helper();
    sedge_comm_free(comm);
    return CHECK_END();
}
