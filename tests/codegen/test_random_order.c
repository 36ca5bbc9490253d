// Random order on the host: a kernel that lacks a barrier gives the right answer in the usual form,
// because loops end where a barrier belongs, and a wrong one here; with the barrier both are right.
#define _DEFAULT_SOURCE // setenv
#include "own.h"

enum { THREADS = 64, BLOCKS = 7, N = THREADS * BLOCKS };

// BARRIER is SEDGE_BARRIER() or nothing.
static const char reverse[] =
    "#define REVERSE_LIST(X) X(const SEDGE_GLOBAL double *SEDGE_RESTRICT, from) \\\n"
    "                        X(SEDGE_GLOBAL double *SEDGE_RESTRICT, to)\n"
    "SEDGE_KERNEL(reverse, 64, REVERSE_LIST)\n"
    "{\n"
    "    SEDGE_OUTER (b) {\n"
    "        SEDGE_SHARED(double, tile, 64);\n"
    "        SEDGE_ITEMS (one, 1, i, 64, 64) tile[i + one] = from[b * 64 + i];\n"
    "        BARRIER;\n"
    "        SEDGE_ITEMS (one, 1, i, 64, 64) to[b * 64 + i] = tile[63 - i - one];\n"
    "    }\n"
    "}\n";

// Halves are added: the barrier is missing inside the loop. Every sum is written where an item of
// the next round reads, so that old values stand in place of sums, not only what was never written.
static const char sum[] = "#define SUM_LIST(X) X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, from) \\\n"
                          "                    X(SEDGE_GLOBAL int *SEDGE_RESTRICT, sums)\n"
                          "SEDGE_KERNEL(sum, 64, SUM_LIST)\n"
                          "{\n"
                          "    SEDGE_OUTER (b) {\n"
                          "        SEDGE_SCRATCH(int, part, 64);\n"
                          "        SEDGE_ITEMS_1D (i, 64, 64) part[i] = from[b * 64 + i];\n"
                          "        SEDGE_BARRIER();\n"
                          "        for (int left = 32; left > 0; left /= 2) {\n"
                          "            SEDGE_ITEMS_1D (i, left, 64) part[i] += part[i + left];\n"
                          "            BARRIER;\n"
                          "        }\n"
                          "        SEDGE_ITEMS_1D (i, 1, 64) sums[b] = part[i];\n"
                          "    }\n"
                          "}\n";

// Items 0 to 31 and the others: not the same way to the barrier. WAY 0: only some come to one.
static const char divergent[] =
    "#define DIVERGENT_LIST(X) X(SEDGE_GLOBAL int *SEDGE_RESTRICT, to)\n"
    "SEDGE_KERNEL(divergent, 64, DIVERGENT_LIST)\n"
    "{\n"
    "    SEDGE_OUTER (b) {\n"
    "        if (SEDGE_THREAD < 32) {\n"
    "            SEDGE_BARRIER();\n"
    "        } else {\n"
    "#if WAY\n"
    "            SEDGE_BARRIER();\n"
    "#endif\n"
    "        }\n"
    "        SEDGE_ITEMS (one, 1, i, 64, 64) to[b * 64 + i] = one;\n"
    "    }\n"
    "}\n";

// What SEDGE_COPY_PACK brings is there after the wait, not before; what SEDGE_COPY_WAIT_FIRST waits
// for is the first half.
static const char copies[] =
    "typedef struct SEDGE_ALIGN(16) pair { double v[2]; } pair;\n"
    "#define COPIES_LIST(X) X(const SEDGE_GLOBAL pair *SEDGE_RESTRICT, from) \\\n"
    "                       X(SEDGE_GLOBAL pair *SEDGE_RESTRICT, to)\n"
    "SEDGE_KERNEL(copies, 32, COPIES_LIST)\n"
    "{\n"
    "    SEDGE_OUTER (b) {\n"
    "        SEDGE_SHARED(pair, tile, 32);\n"
    "        SEDGE_ITEMS (one, 1, i, 16, 32) SEDGE_COPY_PACK(&tile[i + one], &from[b * 32 + i]);\n"
    "        SEDGE_COPY_NEXT();\n"
    "        SEDGE_ITEMS (one, 1, i, 16, 32)\n"
    "            SEDGE_COPY_PACK(&tile[16 + i + one], &from[b * 32 + 16 + i]);\n"
    "        WAIT;\n"
    "        SEDGE_BARRIER();\n"
    "        SEDGE_ITEMS (one, 1, i, 32, 32) to[b * 32 + i] = tile[31 - i - one];\n"
    "    }\n"
    "}\n";

// A private value, more items than threads, and a write to what another block reads.
static const char privates[] =
    "#define PRIVATES_LIST(X) X(SEDGE_GLOBAL int *SEDGE_RESTRICT, to)\n"
    "SEDGE_KERNEL(privates, 16, PRIVATES_LIST)\n"
    "{\n"
    "    SEDGE_OUTER (b) {\n"
    "        SEDGE_PRIVATE(int, mine, 16, 2);\n"
    "        SEDGE_ITEMS (g, 4, n, 4, 16) SEDGE_MINE(mine, g * 4 + n)[1] = 10 * g + n;\n"
    "        SEDGE_BARRIER();\n"
    "        SEDGE_ITEMS (g, 4, n, 4, 16)\n"
    "            to[b * 16 + g * 4 + n] = SEDGE_MINE(mine, g * 4 + n)[1];\n"
    "        SEDGE_ITEMS_1D (i, 50, 16) to[112 + b * 50 + i] = i;\n"
    "    }\n"
    "}\n";

static const char *const orders[] = {"fixed", "random:1", "random:2", "random"};
enum { ORDERS = sizeof orders / sizeof orders[0] };

// The number of wrong entries of what the kernel made in the order `order` under a line of
// `definitions`; -1: the launch failed and its message is the last error's.
static int count_wrong(own_world *world, const char *order, const char *name,
                       const char *definitions, const char *text, const void *from,
                       const void *wanted, int64_t bytes, int blocks)
{
    char whole[4096];
    sedge_program *program = NULL;
    const sedge_kernel *kernel = NULL;
    sedge_status status;
    int wrong = 0;
    char *found = calloc(1, (size_t)bytes);

    CHECK(setenv("SEDGE_ORDER", order, 1) == 0);
    CHECK_OK(sedge_device_create(&world->device, "host", 0, 1));
    CHECK(sedge_device_get_info(world->device)->random_order == (strcmp(order, "fixed") != 0));
    (void)snprintf(whole, sizeof whole, "%s\n%s", definitions, text);
    CHECK_OK(own_program(&program, world, "mine.c", whole));
    CHECK_OK(sedge_program_get(&kernel, program, name));
    sedge_buffer *const in = own_buffer(world, from, bytes);
    sedge_buffer *const out = own_buffer(world, found, bytes);
    if (sedge_kernel_signature(kernel)->count == 1) {
        status = SEDGE_LAUNCH(kernel, NULL, blocks, sedge_buffer_argument(out));
    } else {
        status = SEDGE_LAUNCH(kernel, NULL, blocks, sedge_buffer_argument(in),
                              sedge_buffer_argument(out));
    }
    CHECK_OK(sedge_buffer_download(out, 0, found, bytes, NULL));
    for (int64_t i = 0; i < bytes; i++) wrong += found[i] != ((const char *)wanted)[i];
    sedge_buffer_free(in);
    sedge_buffer_free(out);
    sedge_program_free(program);
    sedge_device_free(world->device);
    world->device = NULL;
    free(found);
    return status == SEDGE_OK ? wrong : -1;
}

static void test_reversal(own_world *world)
{
    double from[N];
    double wanted[N];

    for (int i = 0; i < N; i++) from[i] = 1.0 + i;
    for (int i = 0; i < N; i++) wanted[i] = from[i / THREADS * THREADS + THREADS - 1 - i % THREADS];
    for (int o = 0; o < ORDERS; o++) {
        CHECK(count_wrong(world, orders[o], "reverse", "#define BARRIER SEDGE_BARRIER()", reverse,
                          from, wanted, sizeof from, BLOCKS) == 0);
        const int wrong = count_wrong(world, orders[o], "reverse", "#define BARRIER (void)0",
                                      reverse, from, wanted, sizeof from, BLOCKS);
        // The first item of a block always reads what nobody has written.
        CHECK(o == 0 ? wrong == 0 : wrong >= BLOCKS);
    }
}

static void test_sum(own_world *world)
{
    int from[N];
    int wanted[N] = {0};

    for (int i = 0; i < N; i++) from[i] = 1 + i * i;
    for (int i = 0; i < N; i++) wanted[i / THREADS] += from[i];
    for (int o = 0; o < ORDERS; o++) {
        CHECK(count_wrong(world, orders[o], "sum", "#define BARRIER SEDGE_BARRIER()", sum, from,
                          wanted, sizeof from, BLOCKS) == 0);
        const int wrong = count_wrong(world, orders[o], "sum", "#define BARRIER (void)0", sum, from,
                                      wanted, sizeof from, BLOCKS);
        // Right by chance is one order of halves in many thousands, and that in each block.
        CHECK(o == 0 ? wrong == 0 : wrong >= BLOCKS);
    }
}

static void test_divergence(own_world *world)
{
    const int nothing[N] = {0};

    CHECK(count_wrong(world, "random:5", "divergent", "#define WAY 0", divergent, nothing, nothing,
                      sizeof nothing, BLOCKS) == -1);
    CHECK(strstr(sedge_error_message(), "kernel 'divergent' was stopped: block ") != NULL);
    CHECK(strstr(sedge_error_message(),
                 "its 64 items do not meet at one barrier: item 0 waits at mine.c:7, item 32 has "
                 "ended (SEDGE_ORDER=random:5)") != NULL);
    CHECK(count_wrong(world, "random:5", "divergent", "#define WAY 1", divergent, nothing, nothing,
                      sizeof nothing, BLOCKS) == -1);
    CHECK(strstr(sedge_error_message(), "item 0 waits at mine.c:7, item 32 waits at mine.c:10") !=
          NULL);
}

// A kernel with an item more than its array has room for.
static void test_end(own_world *world)
{
    static const char text[] =
        "#define BEHIND_LIST(X) X(SEDGE_GLOBAL int *, to)\n"
        "SEDGE_KERNEL(behind, 64, BEHIND_LIST)\n"
        "{\n"
        "    SEDGE_OUTER (b) {\n"
        "        SEDGE_ITEMS_1D (i, 64, 64)\n"
        "            if (b * 64 + i < COUNT) to[b * 64 + i] = (int)b * 64 + i;\n"
        "    }\n"
        "}\n";
    int wanted[N - 1];

    for (int i = 0; i < N - 1; i++) wanted[i] = i;
    CHECK(count_wrong(world, "random:5", "behind", "#define COUNT 447", text, wanted, wanted,
                      sizeof wanted, BLOCKS) == 0);
    CHECK(count_wrong(world, "random:5", "behind", "#define COUNT 448", text, wanted, wanted,
                      sizeof wanted, BLOCKS) == -1);
    CHECK(strstr(sedge_error_message(),
                 "kernel 'behind' was stopped: it wrote to an array of 1788 bytes behind its end, "
                 "at byte 1788 (SEDGE_ORDER=random:5)") != NULL);
}

static void test_copies(own_world *world)
{
    double from[N];
    double wanted[N];

    for (int i = 0; i < N; i++) from[i] = 1.0 + i;
    for (int i = 0; i < N; i++) wanted[i] = from[i / 64 * 64 + (31 - i / 2 % 32) * 2 + i % 2];
    for (int o = 0; o < ORDERS; o++) {
        CHECK(count_wrong(world, orders[o], "copies", "#define WAIT SEDGE_COPY_WAIT()", copies,
                          from, wanted, sizeof from, BLOCKS) == 0);
        CHECK(count_wrong(world, orders[o], "copies",
                          "#define WAIT SEDGE_COPY_WAIT_FIRST(); SEDGE_COPY_WAIT()", copies, from,
                          wanted, sizeof from, BLOCKS) == 0);
        const int wrong = count_wrong(world, orders[o], "copies", "#define WAIT (void)0", copies,
                                      from, wanted, sizeof from, BLOCKS);
        CHECK(o == 0 ? wrong == 0 : wrong == (int)sizeof from); // bytes: nothing has arrived
        const int half =
            count_wrong(world, orders[o], "copies", "#define WAIT SEDGE_COPY_WAIT_FIRST()", copies,
                        from, wanted, sizeof from, BLOCKS);
        CHECK(o == 0 ? half == 0 : half == (int)sizeof from / 2);
    }
}

static void test_private_values(own_world *world)
{
    int wanted[112 + 50 * BLOCKS];
    enum { COUNT = sizeof wanted / sizeof wanted[0] };

    for (int i = 0; i < 112; i++) wanted[i] = 10 * (i % 16 / 4) + i % 4;
    for (int i = 112; i < COUNT; i++) wanted[i] = (i - 112) % 50;
    for (int o = 0; o < ORDERS; o++) {
        CHECK(count_wrong(world, orders[o], "privates", "", privates, wanted, wanted, sizeof wanted,
                          BLOCKS) == 0);
    }
}

// Block memory holds nothing of the block before, in SEDGE_SHARED as in SEDGE_SCRATCH.
static void test_memory_starts_empty(own_world *world)
{
    double wanted[N];

    memset(wanted, 0xff, sizeof wanted);
    CHECK(isnan(wanted[0]));
    for (int o = 1; o < ORDERS; o++) {
        CHECK(count_wrong(world, orders[o], "empty", "",
                          "#define EMPTY_LIST(X) X(SEDGE_GLOBAL double *, to)\n"
                          "SEDGE_KERNEL(empty, 64, EMPTY_LIST)\n"
                          "{\n"
                          "    SEDGE_OUTER (b) {\n"
                          "        SEDGE_SHARED(double, one, 64); SEDGE_SCRATCH(double, two, 64);\n"
                          "        SEDGE_ITEMS (g, 1, i, 64, 64)\n"
                          "            to[b * 64 + i] = i % 2 ? one[i] : two[i];\n"
                          "        SEDGE_BARRIER();\n"
                          "        SEDGE_ITEMS (g, 1, i, 64, 64) one[i] = two[i] = 3.0;\n"
                          "    }\n"
                          "}\n",
                          wanted, wanted, sizeof wanted, BLOCKS) == 0);
    }
}

// Items write down who comes when, before and after a barrier: list[0] counts.
static void list_order(own_world *world, const char *order, int list[1 + 2 * N])
{
    sedge_program *program = NULL;
    const sedge_kernel *kernel = NULL;

    CHECK(setenv("SEDGE_ORDER", order, 1) == 0);
    CHECK_OK(sedge_device_create(&world->device, "host", 0, 1));
    memset(list, 0, (1 + 2 * N) * sizeof *list);
    sedge_buffer *const buffer = own_buffer(world, list, (1 + 2 * N) * (int)sizeof *list);
    CHECK_OK(own_program(&program, world, "mine.c",
                         "#define ORDER_LIST(X) X(SEDGE_GLOBAL int *, list)\n"
                         "SEDGE_KERNEL(order, 64, ORDER_LIST)\n"
                         "{\n"
                         "    SEDGE_OUTER (b) {\n"
                         "        list[++list[0]] = (int)b * 64 + SEDGE_THREAD;\n"
                         "        SEDGE_BARRIER();\n"
                         "        list[++list[0]] = (int)b * 64 + SEDGE_THREAD;\n"
                         "    }\n"
                         "}\n"));
    CHECK_OK(sedge_program_get(&kernel, program, "order"));
    CHECK_OK(SEDGE_LAUNCH(kernel, NULL, BLOCKS, sedge_buffer_argument(buffer)));
    CHECK_OK(sedge_buffer_download(buffer, 0, list, (1 + 2 * N) * (int)sizeof *list, NULL));
    sedge_buffer_free(buffer);
    sedge_program_free(program);
    sedge_device_free(world->device);
    world->device = NULL;
}

// Each item comes once to each side of the barrier, block after block; the order is the seed's, and
// another after the barrier. That two of them are the same by chance is one in 64!.
static void test_order_is_the_seeds(own_world *world)
{
    static int first[1 + 2 * N], again[1 + 2 * N], other[1 + 2 * N];
    int blocks_moved = 0;

    list_order(world, "random:21", first);
    list_order(world, "random:21", again);
    list_order(world, "random:22", other);
    CHECK(first[0] == 2 * N && memcmp(first, again, sizeof first) == 0);
    for (int part = 0; part < 2 * BLOCKS; part++) {
        const int *const items = first + 1 + part * THREADS;
        int seen[THREADS] = {0};
        int in_place = 0;
        for (int i = 0; i < THREADS; i++) {
            CHECK(items[i] / THREADS == items[0] / THREADS);
            seen[items[i] % THREADS]++;
            in_place += items[i] % THREADS == i;
        }
        for (int i = 0; i < THREADS; i++) CHECK(seen[i] == 1);
        CHECK(in_place < THREADS);
        CHECK(memcmp(items, other + 1 + part * THREADS, THREADS * sizeof *items) != 0);
        if (part % 2 == 1) CHECK(memcmp(items, items - THREADS, THREADS * sizeof *items) != 0);
        blocks_moved += items[0] / THREADS != part / 2;
    }
    CHECK(blocks_moved > 0);
}

// After a launch that was stopped the same device runs the next ones.
static void test_goes_on(own_world *world)
{
    sedge_program *program = NULL;
    const sedge_kernel *kernel = NULL;
    int values[64] = {0};

    CHECK(setenv("SEDGE_ORDER", "random:3", 1) == 0);
    CHECK_OK(sedge_device_create(&world->device, "host", 0, 1));
    sedge_buffer *const buffer = own_buffer(world, values, sizeof values);
    CHECK_OK(own_program(&program, world, "mine.c",
                         "#define MEET_LIST(X) X(SEDGE_GLOBAL int *, to) X(int, from)\n"
                         "SEDGE_KERNEL(meet, 64, MEET_LIST)\n"
                         "{\n"
                         "    SEDGE_OUTER (b) {\n"
                         "        if (SEDGE_THREAD >= from) SEDGE_BARRIER();\n"
                         "        to[SEDGE_THREAD] = (int)b + 1;\n"
                         "    }\n"
                         "}\n"));
    CHECK_OK(sedge_program_get(&kernel, program, "meet"));
    for (int round = 0; round < 3; round++) {
        CHECK_FAILS(SEDGE_LAUNCH(kernel, NULL, 1, sedge_buffer_argument(buffer),
                                 sedge_int32_argument(1 + round)),
                    SEDGE_ERR_DEVICE, "do not meet at one barrier");
        CHECK_OK(
            SEDGE_LAUNCH(kernel, NULL, 1, sedge_buffer_argument(buffer), sedge_int32_argument(0)));
    }
    CHECK_OK(sedge_buffer_download(buffer, 0, values, sizeof values, NULL));
    for (int i = 0; i < 64; i++) CHECK(values[i] == 1);
    sedge_buffer_free(buffer);
    sedge_program_free(program);
    sedge_device_free(world->device);
    world->device = NULL;
}

static void test_refusals(own_world *world)
{
    static const char *const wrong[] = {"Random",    "random:",  "random:-1",
                                        "random:1x", "random:0", "random:18446744073709551616"};
    sedge_program *program = NULL;

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char wanted[128];
        (void)snprintf(wanted, sizeof wanted,
                       "SEDGE_ORDER='%s' is not fixed, random or random:SEED", wrong[i]);
        CHECK(setenv("SEDGE_ORDER", wrong[i], 1) == 0);
        CHECK_FAILS(sedge_device_create(&world->device, "host", 0, 1), SEDGE_ERR_USAGE, wanted);
    }
    CHECK(setenv("SEDGE_ORDER", "random:1", 1) == 0);
    CHECK_OK(sedge_device_create(&world->device, "host", 0, 1));
    CHECK(setenv("SEDGE_ORDER", "fixed", 1) == 0);
    CHECK_FAILS(own_program(&program, world, "mine.c", "int a;\n"), SEDGE_ERR_USAGE,
                "SEDGE_ORDER was not random when this program was written and random when the "
                "device was opened");
    sedge_device_free(world->device);
    CHECK_OK(sedge_device_create(&world->device, "host", 0, 1));
    CHECK(setenv("SEDGE_ORDER", "random", 1) == 0);
    CHECK_FAILS(own_program(&program, world, "mine.c", "int a;\n"), SEDGE_ERR_USAGE,
                "SEDGE_ORDER was random when this program was written and not random");
    sedge_device_free(world->device);
    world->device = NULL;
}

int main(void)
{
    own_world world;

    if (!own_open(&world)) return 1;
    sedge_device_free(world.device);
    world.device = NULL;
    test_reversal(&world);
    test_sum(&world);
    test_divergence(&world);
    test_end(&world);
    test_copies(&world);
    test_private_values(&world);
    test_memory_starts_empty(&world);
    test_order_is_the_seeds(&world);
    test_goes_on(&world);
    test_refusals(&world);
    own_close(&world);
    return CHECK_END();
}
