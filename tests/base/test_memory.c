// Arrays: zeroed, released, refused where they are not possible.
#include "base/memory.h"
#include "check.h"

#include <stdint.h>
#include <string.h>

// A value of each is read and written at both ends and in the middle.
static void test_thin(void)
{
    const int64_t count = (int64_t)1 << 32; // 32 GiB, of which three pages are touched
    const int64_t before = sedge_memory_peak();
    double *numbers = NULL;

    CHECK_OK(sedge_allocate_thin(&numbers, count, sizeof *numbers));
    if (numbers == NULL) return;
    for (int64_t at = 0; at < count; at += (count - 1) / 2) {
        CHECK(numbers[at] == 0.0);
        numbers[at] = 1.0 + (double)at;
    }
    for (int64_t at = 0; at < count; at += (count - 1) / 2) CHECK(numbers[at] == 1.0 + (double)at);
    CHECK(sedge_memory_peak() - before < (int64_t)16 << 20); // no huge pages, and their tables
    sedge_release_thin(numbers, count, sizeof *numbers);
    CHECK_OK(sedge_allocate_thin(&numbers, 0, sizeof *numbers));
    CHECK(numbers != NULL);
    sedge_release_thin(numbers, 0, sizeof *numbers);
    sedge_release_thin(NULL, count, sizeof *numbers);
}

static void test_plain(void)
{
    int32_t *numbers = NULL;

    for (int64_t count = 1; count < (int64_t)1 << 24; count *= 17) {
        int64_t wrong = 0;
        CHECK_OK(sedge_allocate(&numbers, count, sizeof *numbers));
        if (numbers == NULL) return;
        CHECK((uintptr_t)numbers % SEDGE_ALIGNMENT == 0);
        for (int64_t i = 0; i < count; i++) wrong += numbers[i] != 0;
        memset(numbers, 0xff, (size_t)count * sizeof *numbers);
        sedge_release(numbers);
        // Memory that was in use is zero again.
        CHECK_OK(sedge_allocate(&numbers, count, sizeof *numbers));
        if (numbers == NULL) return;
        for (int64_t i = 0; i < count; i++) wrong += numbers[i] != 0;
        CHECK(wrong == 0);
        sedge_release(numbers);
    }
}

static void test_refused(void)
{
    double *numbers = (double *)&numbers;

    CHECK_FAILS(sedge_allocate(&numbers, -1, sizeof *numbers), SEDGE_ERR_MEMORY, "-1 x 8 bytes");
    CHECK(numbers == NULL);
    CHECK_FAILS(sedge_allocate_thin(&numbers, INT64_MAX / 2, sizeof *numbers), SEDGE_ERR_MEMORY,
                "is not possible");
    CHECK(numbers == NULL);
    CHECK_FAILS(sedge_allocate_thin(&numbers, (int64_t)1 << 56, sizeof *numbers), SEDGE_ERR_MEMORY,
                "out of host memory");
}

int main(void)
{
    test_plain();
    test_thin();
    test_refused();
    return CHECK_END();
}
