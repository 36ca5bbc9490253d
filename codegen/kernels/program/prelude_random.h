// The dialect on the host with work items in random order (SEDGE_ORDER), to expose what a missing
// barrier spoils: the form of the GPUs, each item a fiber that runs the whole body. See
// codegen/kernels/README.md.
#define SEDGE_TARGET_CUDA   0
#define SEDGE_TARGET_OPENCL 0
#define SEDGE_TARGET_HOST   0 // code for whole blocks: the host's other form has it

#include <math.h>

#define SEDGE_FUNCTION __attribute__((unused, always_inline)) static inline
// Address spaces, before the type that a pointer points to: the device's memory, the block's.
#define SEDGE_GLOBAL
#define SEDGE_BLOCKWIDE
typedef long long sedge_int64;
typedef unsigned long long sedge_uint64;

#define SEDGE_RESTRICT restrict
#define SEDGE_ALIGN(n) __attribute__((aligned(n)))
#ifdef __clang__
#define SEDGE_UNROLL _Pragma("unroll")
#else
#define SEDGE_UNROLL _Pragma("GCC unroll 32")
#endif

// An unrolled loop: arrays indexed by i stay in registers.
#define SEDGE_EACH(i, count) SEDGE_UNROLL for (int i = 0; i < (count); i++)

// Who runs the items: src/device/host/host_order.c, where this structure stands a second time.
struct sedge_order {
    long long block; // of the item that runs now
    int item;
    void (*run)(struct sedge_order *order, void (*body)(long long, void **), void **arguments,
                long long blocks, int threads);
    void (*barrier)(struct sedge_order *order, const char *file, int line);
    void (*fill)(struct sedge_order *order, void *memory, long long bytes, long long *filled);
    void (*copy)(struct sedge_order *order, void *to, const void *from, int bytes);
    void (*next)(struct sedge_order *order);
    void (*wait_first)(struct sedge_order *order);
    void (*wait)(struct sedge_order *order);
};
static struct sedge_order *sedge_order;

void sedge_set_order(struct sedge_order *order)
{
    sedge_order = order;
}

// Beside a kernel NAME stands sedge_signature_NAME, which the device layer reads: the threads of a
// block, the number of parameters, size and kind of each (1 a pointer, 2 an integer, 3 a floating
// point number, 4 another type), then their types and names.
#define SEDGE_PRELUDE_KIND(class)       ((class) == 5 ? 1 : (class) == 1 ? 2 : (class) == 8 ? 3 : 4)
#define SEDGE_PRELUDE_COUNT(type, name) +1
#define SEDGE_PRELUDE_SIZE(type, name) \
    , (int)sizeof(type), SEDGE_PRELUDE_KIND(__builtin_classify_type(*(type *)0))
#define SEDGE_PRELUDE_TEXT(type, name) #type "\t" #name "\n"
#define SEDGE_PRELUDE_SIGNATURE(name, threads, LIST)                       \
    extern const struct sedge_signature_of_##name {                        \
        int numbers[2 + 2 * (0 LIST(SEDGE_PRELUDE_COUNT))];                \
        char text[sizeof("" LIST(SEDGE_PRELUDE_TEXT))];                    \
    } sedge_signature_##name;                                              \
    const struct sedge_signature_of_##name sedge_signature_##name = {      \
        {(threads), 0 LIST(SEDGE_PRELUDE_COUNT) LIST(SEDGE_PRELUDE_SIZE)}, \
        "" LIST(SEDGE_PRELUDE_TEXT)};

// NAME(blocks, arguments) lets every item of every block take the arguments out of the array and
// call the body.
#define SEDGE_PRELUDE_PARAMETER(type, name) , type name
#define SEDGE_PRELUDE_VARIABLE(type, name)  type name = *(type *)sedge_arguments[sedge_k++];
#define SEDGE_PRELUDE_PASS(type, name)      , name
#define SEDGE_KERNEL(name, threads, LIST)                                                     \
    SEDGE_PRELUDE_SIGNATURE(name, threads, LIST)                                              \
    static void name##_body(long long sedge_blocks LIST(SEDGE_PRELUDE_PARAMETER));            \
    static void name##_item(long long sedge_blocks, void **sedge_arguments)                   \
    {                                                                                         \
        int sedge_k = 0;                                                                      \
        LIST(SEDGE_PRELUDE_VARIABLE)                                                          \
        (void)sedge_k;                                                                        \
        name##_body(sedge_blocks LIST(SEDGE_PRELUDE_PASS));                                   \
    }                                                                                         \
    void name(long sedge_blocks, void **sedge_arguments)                                      \
    {                                                                                         \
        sedge_order->run(sedge_order, name##_item, sedge_arguments, sedge_blocks, (threads)); \
    }                                                                                         \
    static void name##_body(long long sedge_blocks LIST(SEDGE_PRELUDE_PARAMETER))

#define SEDGE_KERNEL_RESIDENT(name, threads, resident, LIST) SEDGE_KERNEL(name, threads, LIST)
#define SEDGE_CLUSTER_OF(blocks)                             1
#define SEDGE_KERNEL_CLUSTER(name, threads, blocks, LIST)    SEDGE_KERNEL(name, threads, LIST)
#define SEDGE_CLUSTER_GET(at, block)                         (*(at))
#define SEDGE_CLUSTER_PUT(at, value, block)                  (*(at) = (value))
#define SEDGE_CLUSTER_BARRIER()                              SEDGE_BARRIER()

#define SEDGE_OUTER(b) \
    for (long long b = sedge_order->block, sedge_once = 0; sedge_once == 0; sedge_once = 1)

#define SEDGE_THREAD (sedge_order->item)

#define SEDGE_LAST_BLOCK(ended) 0 // no other device reads what this one stores

#define SEDGE_ITEMS(g, groups, n, items, threads)                                  \
    for (int sedge_t = SEDGE_THREAD, g = sedge_t / (items), n = sedge_t % (items); \
         sedge_t < (groups) * (items);                                             \
         sedge_t += (threads), g = sedge_t / (items), n = sedge_t % (items))

#define SEDGE_ITEMS_1D(n, items, threads) for (int n = SEDGE_THREAD; n < (items); n += (threads))

// Some bytes, 16 in a pack, not there before the wait.
SEDGE_FUNCTION void sedge_copy_late(void *to, const void *from, int bytes)
{
    sedge_order->copy(sedge_order, to, from, bytes);
}
#define SEDGE_COPY_PACK(to, from) sedge_copy_late((to), (from), 16)
#define SEDGE_COPY_WAIT()         sedge_order->wait(sedge_order)
#define SEDGE_COPY_NEXT()         sedge_order->next(sedge_order)
#define SEDGE_COPY_WAIT_FIRST()   sedge_order->wait_first(sedge_order)

// The block's memory: one array for all blocks, filled with bytes 0xFF (not-a-number, -1) by the
// first item of each block that comes to it.
#define SEDGE_SHARED(type, name, count)                   \
    static type name[count] __attribute__((aligned(64))); \
    static long long name##_filled;                       \
    sedge_order->fill(sedge_order, name, sizeof name, &name##_filled)
#define SEDGE_SCRATCH(type, name, count) SEDGE_SHARED(type, name, count)
#define SEDGE_LOCAL_COPY(type, name, from) \
    const type name##_copy = *(from);      \
    const type *const name = &name##_copy
#define SEDGE_PRIVATE_COPY(type, name, from, count) const type *const name = (from)
#define SEDGE_PRIVATE(type, name, items, count)     type name[1][count]
#define SEDGE_MINE(name, item)                      name[0]
#define SEDGE_BARRIER()                             sedge_order->barrier(sedge_order, __FILE__, __LINE__)
#define SEDGE_KEEP_ORDER()                          (void)0

// Matrix instructions, by the book: each item lays open its numbers, all meet, each works out what
// it holds of the product. Two places by turns: one meeting a product is enough.
static struct {
    double a[4];
    double b[2];
} sedge_laid_open[2][1024];
static unsigned char sedge_turn[1024];

SEDGE_FUNCTION void sedge_lay_open(const double *a, const double *b, const char *file, int line)
{
    const int item = SEDGE_THREAD;

    sedge_turn[item] ^= 1;
    for (int i = 0; i < 4; i++) sedge_laid_open[sedge_turn[item]][item].a[i] = a[i];
    for (int i = 0; i < 2; i++) sedge_laid_open[sedge_turn[item]][item].b[i] = b[i];
    sedge_order->barrier(sedge_order, file, line);
}

// Row `row`, column `column` of the product of the item's warp.
SEDGE_FUNCTION double sedge_find_product(int row, int column)
{
    const int warp = SEDGE_THREAD / 32 * 32;
    const int turn = sedge_turn[SEDGE_THREAD];
    double sum = 0.0;

    for (int k = 0; k < 8; k++)
        sum += sedge_laid_open[turn][warp + row % 8 * 4 + k % 4].a[row / 8 + k / 4 * 2] *
               sedge_laid_open[turn][warp + column * 4 + k % 4].b[k / 4];
    return sum;
}

SEDGE_FUNCTION void sedge_multiply_fp64(double *c, const double *a, const double *b,
                                        const char *file, int line)
{
    const int row = SEDGE_THREAD % 32 / 4;
    const int column = SEDGE_THREAD % 4 * 2;

    sedge_lay_open(a, b, file, line);
    for (int i = 0; i < 4; i++) c[i] += sedge_find_product(row + i / 2 * 8, column + i % 2);
}

// A number's 11 leading bits; the others are cut off.
SEDGE_FUNCTION double sedge_keep_bits(float x)
{
    union {
        float number;
        unsigned bits;
    } both = {x};

    both.bits &= 0xffffe000u;
    return (double)both.number;
}

// As the chip does: of a and b the leading bits count; the sum is cut off, not rounded.
SEDGE_FUNCTION void sedge_multiply_tf32(float *c, const float *a, const float *b, const char *file,
                                        int line)
{
    const int row = SEDGE_THREAD % 32 / 4;
    const int column = SEDGE_THREAD % 4 * 2;
    double wide_a[4];
    double wide_b[2];

    for (int i = 0; i < 4; i++) wide_a[i] = sedge_keep_bits(a[i]);
    for (int i = 0; i < 2; i++) wide_b[i] = sedge_keep_bits(b[i]);
    sedge_lay_open(wide_a, wide_b, file, line);
    for (int i = 0; i < 4; i++) {
        const double sum = (double)c[i] + sedge_find_product(row + i / 2 * 8, column + i % 2);
        const float nearest = (float)sum;
        c[i] = fabs((double)nearest) > fabs(sum) ? nextafterf(nearest, 0.0f) : nearest;
    }
}

#define SEDGE_MULTIPLY_FP64(c, a, b) sedge_multiply_fp64((c), (a), (b), __FILE__, __LINE__)
#define SEDGE_MULTIPLY_TF32(c, a, b) sedge_multiply_tf32((c), (a), (b), __FILE__, __LINE__)
