// Measured ceilings of a device: plausible, and kernels whose results are right.
#define _POSIX_C_SOURCE 200809L // setenv
#include "base/file.h"
#include "base/memory.h"
#include "tune/ceiling.h"

#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static sedge_comm *comm;
static sedge_device *device;

static void test_plausible(sedge_cache *cache, int real_bytes, sedge_ceilings *found)
{
    CHECK_OK(sedge_ceilings_measure(found, comm, device, cache, real_bytes));
    CHECK(found->copy > 1e6 && found->copy < 1e14); // memory of a tape to that of a hundred GPUs
    CHECK(found->flops > 1e6 && found->flops < 1e16);
}

// One multiply-add of a lane takes the same time in both precisions on every processor that has
// vectors, and there are twice as many lanes in fp32. Noise: half of that at least.
static void test_precisions(sedge_cache *cache)
{
    sedge_ceilings narrow;
    sedge_ceilings wide;

    test_plausible(cache, 4, &narrow);
    test_plausible(cache, 8, &wide);
    CHECK(narrow.flops > 0.25 * wide.flops);
}

// For a report: nothing where it is not wanted, and on all ranks where one wants it.
static void test_try(sedge_cache *cache)
{
    sedge_ceilings ceilings = {1.0, 1.0};

    sedge_ceilings_try(&ceilings, comm, device, cache, 4, false);
    CHECK(ceilings.copy == 0.0 && ceilings.flops == 0.0);
    sedge_ceilings_try(&ceilings, comm, device, cache, 4, sedge_comm_is_root(comm));
    CHECK(ceilings.copy > 0.0 && ceilings.flops > 0.0);
}

static bool is_close(double a, double b)
{
    return fabs(a - b) <= 1e-7 * fabs(b); // the file keeps nine digits
}

// A second start measures nothing: a measurement never gives the same digits twice.
static void test_wisdom(void)
{
    char folder[256];
    char path[300];
    sedge_cache *cache = NULL;
    sedge_ceilings first, second, again, wide, alone;

    (void)snprintf(folder, sizeof folder, "%s/ceiling-wisdom-%d", SEDGE_TEST_DIR,
                   sedge_comm_size(comm));
    (void)snprintf(path, sizeof path, "%s/wisdom.jsonl", folder);
    if (sedge_comm_is_root(comm)) (void)unlink(path);
    sedge_comm_barrier(comm);
    CHECK_OK(sedge_cache_create(&cache, folder));
    CHECK_OK(sedge_ceilings_get(&first, comm, device, cache, 4, false));
    CHECK_OK(sedge_ceilings_get(&second, comm, device, cache, 4, false));
    // All ranks of a kind use what their first one measured.
    double root[2] = {first.copy, first.flops};
    sedge_comm_broadcast(comm, root, sizeof root, 0);
    CHECK(is_close(second.copy, root[0]) && is_close(second.flops, root[1]));
    CHECK_OK(sedge_ceilings_get(&wide, comm, device, cache, 8, false));
    CHECK(!is_close(wide.flops, second.flops));
    CHECK_OK(sedge_ceilings_get(&again, comm, device, cache, 4, true));
    CHECK(!is_close(again.copy, second.copy) && !is_close(again.flops, second.flops));
    if (sedge_comm_is_root(comm)) { // without a communicator
        CHECK_OK(sedge_ceilings_get(&alone, NULL, device, cache, 4, false));
        CHECK(is_close(alone.flops, again.flops) == (sedge_comm_node_size(comm) == 1));
    }
    CHECK(sedge_cache_problem(cache) == NULL);
    sedge_cache_free(cache);
}

static void test_floor(void)
{
    const sedge_ceilings ceilings = {.copy = 100.0, .flops = 1000.0};
    const sedge_ceilings none = {0.0, 0.0};

    CHECK(sedge_ceilings_floor(&ceilings, 200.0, 500.0) == 2.0);
    CHECK(sedge_ceilings_floor(&ceilings, 20.0, 500.0) == 0.5);
    CHECK(sedge_ceilings_floor(&none, 20.0, 500.0) == 0.0);
    CHECK(sedge_ceilings_fraction(&ceilings, 200.0, 500.0, 8.0) == 0.25);
    CHECK(sedge_ceilings_fraction(&ceilings, 200.0, 500.0, 0.0) == -1.0);
    CHECK(sedge_ceilings_fraction(&none, 200.0, 500.0, 8.0) == -1.0);
}

// A kernel that does less than it should is found out, whichever of the kinds of devices it is for.
static void test_wrong_kernel(const char *from, const char *to, const char *message)
{
    const char *const folder = SEDGE_TEST_DIR "/ceiling-kernels";
    sedge_ceilings ceilings;
    sedge_cache *cache = NULL;
    char path[4096];
    char *text = NULL;
    size_t length;

    CHECK_OK(sedge_file_read(&text, &length, SEDGE_SOURCE_DIR "/codegen/kernels/tune/ceiling.h",
                             SEDGE_ERR_DATA));
    char *at = text != NULL ? strstr(text, from) : NULL;
    CHECK(at != NULL && strlen(from) == strlen(to));
    if (at != NULL) {
        for (; at != NULL; at = strstr(at, from))
            for (size_t i = 0; to[i] != '\0'; i++) at[i] = to[i]; // without the NUL
        CHECK_OK(sedge_cache_create(&cache, SEDGE_TEST_DIR "/ceiling-cache"));
        CHECK_OK(sedge_ceilings_get(&ceilings, comm, device, cache, 4, false));
        (void)snprintf(path, sizeof path, "%s-%d", folder, sedge_comm_rank(comm));
        CHECK_OK(sedge_folder_make(path));
        CHECK(setenv("SEDGE_KERNELS", path, 1) == 0);
        (void)snprintf(path, sizeof path, "%s-%d/ceiling.h", folder, sedge_comm_rank(comm));
        CHECK_OK(sedge_file_write(path, text, length));
        CHECK_FAILS(sedge_ceilings_measure(&ceilings, comm, device, cache, 4), SEDGE_ERR_DEVICE,
                    message);
        CHECK(ceilings.copy == 0.0 && ceilings.flops == 0.0);
        // What was measured with the right kernel is not remembered for this one.
        CHECK_FAILS(sedge_ceilings_get(&ceilings, comm, device, cache, 4, false), SEDGE_ERR_DEVICE,
                    message);
        CHECK(unsetenv("SEDGE_KERNELS") == 0);
        sedge_cache_free(cache);
    }
    sedge_release(text);
}

int main(void)
{
    const char *const kind = getenv("SEDGE_TEST_DEVICE");
    sedge_cache *cache = NULL;

    CHECK_OK(sedge_device_start_helper());
    CHECK_OK(sedge_comm_create(&comm, NULL));
    CHECK_OK(sedge_device_create(&device, kind != NULL ? kind : "host", sedge_comm_node_rank(comm),
                                 sedge_comm_node_size(comm)));
    CHECK_OK(sedge_cache_create(&cache, NULL));
    test_precisions(cache);
    test_try(cache);
    test_wisdom();
    test_floor();
    test_wrong_kernel("to[at] = from[at];", "to[at] = from[0]; ", "copy of");
    test_wrong_kernel("a[c] * factor + term", "a[c] * factor - term", "multiply-adds");
    sedge_cache_free(cache);
    sedge_device_free(device);
    sedge_device_stop_helper();
    sedge_comm_free(comm);
    return CHECK_END();
}
