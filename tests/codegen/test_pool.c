// The context: its memory pool, what it remembers, its streams and kernels.
#include "array/shared.h"
#include "array_case.h"
#include "elementwise/copy.h"
#include "elementwise/expression.h"
#include "program/launch.h"

static void test_classes(sedge_context *context)
{
    const int64_t sizes[] = {1, 255, 256, 257, 1000, 4097, 65535, 65536, 1000003, 9999999};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        void *block;
        sedge_buffer *buffer;
        CHECK_OK(sedge_pool_take(sedge_context_memory(context), sizes[i], &block, &buffer));
        const int64_t bytes = sedge_buffer_bytes(buffer);
        CHECK(bytes >= sizes[i]);
        CHECK(sizes[i] < 256 || (double)(bytes - sizes[i]) <= 0.0625 * (double)sizes[i]);
        CHECK(sedge_buffer_address(buffer) % 16 == 0);
        CHECK(sedge_context_pool(context).active_bytes == bytes);
        sedge_pool_give(sedge_context_memory(context), block);
    }
    CHECK(sedge_context_pool(context).active_bytes == 0);
    CHECK_OK(sedge_context_trim(context));
    CHECK(sedge_context_pool(context).held_bytes == 0);
}

static void test_blocks_come_back(sedge_context *context)
{
    sedge_array *a = NULL;
    sedge_array *b = NULL;

    CHECK_OK(sedge_context_trim(context));
    const sedge_pool_statistics before = sedge_context_pool(context);
    CHECK_OK(sedge_array_vector(&a, context, SEDGE_FLOAT32, 1000));
    const uint64_t address = sedge_array_address(a);
    sedge_array_free(a);
    CHECK_OK(sedge_array_vector(&b, context, SEDGE_FLOAT32, 1001)); // the same class
    CHECK(sedge_array_address(b) == address);
    sedge_array_free(b);
    const sedge_pool_statistics after = sedge_context_pool(context);
    CHECK(after.requests == before.requests + 2);
    CHECK(after.hits == before.hits + 1);
    CHECK(after.held_bytes == before.held_bytes + 4096);
    CHECK(after.peak_bytes >= 4096);
    CHECK_OK(sedge_context_trim(context));
    CHECK_OK(sedge_array_vector(&b, context, SEDGE_FLOAT32, 10)); // less than before
    CHECK(sedge_context_pool(context).peak_bytes == after.peak_bytes);
    sedge_array_free(b);
}

// What the host has left, where a test says so; -1: what there is. The linker puts the function in
// the place of the host device's own.
static int64_t memory_left = -1;
static const sedge_device *limited;

int64_t count_really_left(void) __asm__("__real_sedge_cpu_memory_free");
int64_t count_left(void) __asm__("__wrap_sedge_cpu_memory_free");
int64_t count_left(void)
{
    return memory_left < 0 ? count_really_left() : memory_left - sedge_device_memory_now(limited);
}

// Whoever runs out of memory gets what pools of the device keep unused: arrays of the context, of
// another one, buffers, pinned memory.
static void test_pools_give_back(sedge_context *context)
{
    enum { SIZE = 1 << 20, LEFT = 1 << 16 };
    sedge_device *const device = sedge_context_device(context);
    sedge_context *other = NULL;

    limited = device;
    CHECK_OK(sedge_context_create(&other, device, sedge_context_cache(context)));
    for (int who = 0; who < 4; who++) {
        sedge_array *array = NULL;
        sedge_buffer *buffer = NULL;
        sedge_buffer *more = NULL;
        void *pinned = NULL;
        CHECK_OK(sedge_array_vector(&array, context, SEDGE_INT8, SIZE));
        sedge_array_free(array);
        array = NULL;
        const int64_t held = sedge_context_pool(context).held_bytes;
        CHECK(held >= SIZE);
        memory_left = sedge_device_memory_now(device) + LEFT;
        if (who == 0) CHECK_OK(sedge_array_vector(&array, context, SEDGE_INT8, SIZE + LEFT));
        if (who == 1) CHECK_OK(sedge_array_vector(&array, other, SEDGE_INT8, SIZE));
        if (who == 2) CHECK_OK(sedge_buffer_create(&buffer, device, SIZE + LEFT / 2));
        if (who == 3) CHECK_OK(sedge_pinned_allocate(&pinned, device, SIZE + LEFT / 2));
        CHECK(sedge_context_pool(context).held_bytes == 0);
        // Nothing is left that could be given back.
        CHECK_FAILS(sedge_buffer_create(&more, device, 2 * SIZE), SEDGE_ERR_MEMORY, "out of");
        memory_left = -1;
        sedge_array_free(array);
        sedge_buffer_free(buffer);
        sedge_pinned_release(device, pinned);
        CHECK_OK(sedge_context_trim(context));
        CHECK_OK(sedge_context_trim(other));
    }
    sedge_context_free(other);
}

// More than any machine has: what is unused is given back before the driver is asked again.
static void test_out_of_memory(sedge_context *context)
{
    sedge_array *array = NULL;

    CHECK_OK(sedge_array_vector(&array, context, SEDGE_FLOAT64, 1000));
    sedge_array_free(array);
    CHECK(sedge_context_pool(context).held_bytes > 0);
    CHECK_FAILS(sedge_array_vector(&array, context, SEDGE_FLOAT64, (int64_t)1 << 43),
                SEDGE_ERR_MEMORY, "out of");
    CHECK(array == NULL);
    CHECK(sedge_context_pool(context).held_bytes == 0);
    CHECK(sedge_context_pool(context).active_bytes == 0);
    CHECK_FAILS(sedge_array_vector(&array, context, SEDGE_FLOAT64, (int64_t)1 << 50),
                SEDGE_ERR_MEMORY, "outside 0..2^47");
    // Not only for arrays.
    sedge_buffer *buffer = NULL;
    CHECK_OK(sedge_array_vector(&array, context, SEDGE_FLOAT64, 1000));
    sedge_array_free(array);
    CHECK_FAILS(sedge_buffer_create(&buffer, sedge_context_device(context), (int64_t)1 << 46),
                SEDGE_ERR_MEMORY, "out of");
    CHECK(sedge_context_pool(context).held_bytes == 0);
}

static void test_cached_kernels(sedge_context *context)
{
    enum { KEYS = 1000 };
    unsigned char key[40] = {0};
    const sedge_cached_kernel *kept, *found = NULL;

    for (int k = 0; k < KEYS; k++) {
        const sedge_cached_kernel cached = {.items = k};
        memcpy(key + k % 32, &k, sizeof k);
        CHECK(sedge_cached_kernel_find(sedge_context_kernels(context), key, 36 + k % 4) == NULL);
        CHECK_OK(sedge_cached_kernel_keep(&kept, sedge_context_kernels(context), key, 36 + k % 4,
                                          &cached));
        CHECK(kept == sedge_cached_kernel_find(sedge_context_kernels(context), key, 36 + k % 4) &&
              kept->items == k);
        memset(key, 0, sizeof key);
    }
    for (int k = 0; k < KEYS; k++) {
        memcpy(key + k % 32, &k, sizeof k);
        found = sedge_cached_kernel_find(sedge_context_kernels(context), key, 36 + k % 4);
        CHECK(found != NULL && found->items == k);
        memset(key, 0, sizeof key);
    }
    CHECK(sedge_cached_kernel_find(sedge_context_kernels(context), key, 12) == NULL);
    // Another in its place: who holds the first one sees it.
    memcpy(key + (KEYS - 1) % 32, &(int){KEYS - 1}, sizeof(int));
    CHECK_OK(sedge_cached_kernel_keep(&kept, sedge_context_kernels(context), key,
                                      36 + (KEYS - 1) % 4, &(sedge_cached_kernel){.items = KEYS}));
    CHECK(kept == found && found->items == KEYS);
}

static const char twice_text[] = "#define LIST(X) X(SEDGE_GLOBAL float *, x)\n"
                                 "SEDGE_KERNEL(twice, 8, LIST)\n"
                                 "{\n"
                                 "    SEDGE_OUTER (b) {\n"
                                 "        SEDGE_ITEMS (g, 1, n, 8, 8) x[b * 8 + n + g] *= 2.0f;\n"
                                 "    }\n"
                                 "}\n";

static void test_own_kernel(sedge_context *context)
{
    sedge_array *const x = CASE_COUNT(context, SEDGE_FLOAT32, (8));
    const sedge_kernel *kernel = NULL;
    const sedge_kernel *again = NULL;

    CHECK_OK(sedge_context_kernel(context, &kernel, "twice", "twice.h", twice_text));
    CHECK_OK(sedge_context_kernel(context, &again, "twice", "twice.h", twice_text));
    CHECK(kernel == again); // the same program
    CHECK_OK(SEDGE_LAUNCH(kernel, sedge_context_stream(context), 1,
                          sedge_address_argument(sedge_array_address(x))));
    CHECK(CASE_EQUALS(x, 0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 14.0));
    CHECK_FAILS(sedge_context_kernel(context, &kernel, "thrice", "twice.h", twice_text),
                SEDGE_ERR_DEVICE, "thrice");
    sedge_array_free(x);
}

// Options that differ in one thing are two programs: no text is the embedded source of that name,
// and the block's memory is part of a program.
static void test_programs_differ(sedge_context *context)
{
    const sedge_source twice[] = {{"twice.h", twice_text},
                                  {"codegen/kernels/array/numbers.h", NULL}};
    const sedge_source empty[] = {{"twice.h", twice_text}, {"codegen/kernels/array/numbers.h", ""}};
    const sedge_program_options options[] = {
        {.name = "twice", .sources = twice, .count = 2},
        {.name = "twice", .sources = empty, .count = 2},
        {.name = "twice", .sources = twice, .count = 2, .shared_bytes = 1024},
        {.name = "twice", .constants = "#define ONE 1\n", .sources = twice, .count = 2},
        {.name = "twice", .sources = twice, .count = 1},
    };
    enum { OPTIONS = sizeof options / sizeof options[0] };
    const sedge_program *program[OPTIONS];
    const sedge_program *again = NULL;

    for (int k = 0; k < OPTIONS; k++) {
        CHECK_OK(sedge_context_program(context, &program[k], &options[k]));
        for (int other = 0; other < k; other++) CHECK(program[k] != program[other]);
    }
    CHECK_OK(sedge_context_program(context, &again, &options[0]));
    CHECK(again == program[0]);
}

static void test_streams(sedge_context *context)
{
    sedge_stream *const own = sedge_context_stream(context);
    sedge_stream *mine = NULL;
    sedge_array *const x = CASE_ARRAY(context, SEDGE_INT32, NULL, (1000));
    sedge_array *y = NULL;

    CHECK_OK(sedge_stream_create(&mine, sedge_context_device(context), false));
    CHECK_OK(sedge_array_fill(x, 3.0));
    sedge_context_set_stream(context, mine); // goes on after what was queued
    CHECK(sedge_context_stream(context) == mine);
    CHECK_OK(sedge_array_evaluate(&y, sedge_add(sedge_use(x), sedge_integer(1))));
    sedge_context_set_stream(context, NULL);
    CHECK(sedge_context_stream(context) == own);
    int32_t values[1000];
    CHECK_OK(sedge_array_get(y, values));
    CHECK(values[0] == 4 && values[999] == 4);
    sedge_array_free(x);
    sedge_array_free(y);
    sedge_stream_free(mine);
}

static void test_tuning_level(sedge_context *context)
{
    const sedge_tune_level before = sedge_context_tuning(context);

    sedge_context_set_tuning(context, SEDGE_TUNE_PATIENT);
    CHECK(sedge_context_tuning(context) == SEDGE_TUNE_PATIENT);
    sedge_context_set_tuning(context, before);
}

int main(void)
{
    sedge_context *const context = case_open();

    test_classes(context);
    test_blocks_come_back(context);
    test_out_of_memory(context);
    if (sedge_device_get_info(sedge_context_device(context))->kind == SEDGE_DEVICE_HOST)
        test_pools_give_back(context);
    test_cached_kernels(context);
    test_own_kernel(context);
    test_programs_differ(context);
    test_streams(context);
    test_tuning_level(context);
    case_close(context);
    return CHECK_END();
}
