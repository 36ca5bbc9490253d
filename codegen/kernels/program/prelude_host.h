// The dialect on the host: generated C for the system compiler (gcc or clang, gnu11). See
// codegen/kernels/README.md.
#define SEDGE_TARGET_CUDA   0
#define SEDGE_TARGET_OPENCL 0
#define SEDGE_TARGET_HOST   1

#include <math.h>

#define SEDGE_FUNCTION __attribute__((unused, always_inline)) static inline
// Address spaces, before the type that a pointer points to: the device's memory, the block's.
#define SEDGE_GLOBAL
#define SEDGE_BLOCKWIDE
typedef long long sedge_int64;
typedef unsigned long long sedge_uint64;

#define SEDGE_RESTRICT restrict
#define SEDGE_ALIGN(n)
#ifdef __clang__
#define SEDGE_UNROLL _Pragma("unroll")
#else
#define SEDGE_UNROLL _Pragma("GCC unroll 32")
#endif

// An unrolled loop: arrays indexed by i stay in registers.
#define SEDGE_EACH(i, count) SEDGE_UNROLL for (int i = 0; i < (count); i++)

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

// NAME(blocks, arguments) takes the arguments out of the array and calls the body.
#define SEDGE_PRELUDE_PARAMETER(type, name) , type name
#define SEDGE_PRELUDE_VARIABLE(type, name)  type name = *(type *)sedge_arguments[sedge_k++];
#define SEDGE_PRELUDE_PASS(type, name)      , name
#define SEDGE_KERNEL(name, threads, LIST)                                          \
    SEDGE_PRELUDE_SIGNATURE(name, threads, LIST)                                   \
    static void name##_body(long long sedge_blocks LIST(SEDGE_PRELUDE_PARAMETER)); \
    void name(long sedge_blocks, void **sedge_arguments)                           \
    {                                                                              \
        int sedge_k = 0;                                                           \
        LIST(SEDGE_PRELUDE_VARIABLE)                                               \
        (void)sedge_k;                                                             \
        name##_body(sedge_blocks LIST(SEDGE_PRELUDE_PASS));                        \
    }                                                                              \
    static void name##_body(long long sedge_blocks LIST(SEDGE_PRELUDE_PARAMETER))

#define SEDGE_KERNEL_RESIDENT(name, threads, resident, LIST) SEDGE_KERNEL(name, threads, LIST)
#define SEDGE_CLUSTER_OF(blocks)                             1
#define SEDGE_KERNEL_CLUSTER(name, threads, blocks, LIST)    SEDGE_KERNEL(name, threads, LIST)
#define SEDGE_CLUSTER_GET(at, block)                         (*(at))
#define SEDGE_CLUSTER_PUT(at, value, block)                  (*(at) = (value))
#define SEDGE_CLUSTER_BARRIER()                              SEDGE_BARRIER()

// Number of threads of these kernels. The calling program's own OpenMP settings are not changed.
static int sedge_team = 1;

void sedge_set_threads(int threads)
{
    sedge_team = threads;
}

#define SEDGE_PRELUDE_PARALLEL \
    _Pragma("omp parallel for schedule(static) if (sedge_blocks > 1) num_threads(sedge_team)")
#define SEDGE_OUTER(b) SEDGE_PRELUDE_PARALLEL for (long long b = 0; b < sedge_blocks; b++)

#define SEDGE_LAST_BLOCK(ended) 0 // no other device reads what this one stores

#define SEDGE_ITEMS(g, groups, n, items, threads) \
    for (int g = 0; g < (groups); g++)            \
        for (int n = 0; n < (items); n++)

#define SEDGE_ITEMS_1D(n, items, threads) for (int n = 0; n < (items); n++)

#define SEDGE_COPY_PACK(to, from) (*(to) = *(from))
#define SEDGE_COPY_WAIT()         (void)0
#define SEDGE_COPY_NEXT()         (void)0
#define SEDGE_COPY_WAIT_FIRST()   (void)0

#define SEDGE_SCRATCH(type, name, count)            type name[count]
#define SEDGE_LOCAL_COPY(type, name, from)          const type *const name = (from)
#define SEDGE_PRIVATE_COPY(type, name, from, count) const type *const name = (from)
#define SEDGE_SHARED(type, name, count)             type name[count]
#define SEDGE_PRIVATE(type, name, items, count)     type name[items][count]
#define SEDGE_MINE(name, item)                      name[item]
#define SEDGE_BARRIER()                             (void)0
#define SEDGE_KEEP_ORDER()                          (void)0

// Items have no warps here: the use of these words does not compile.
#define SEDGE_MULTIPLY_FP64(c, a, b) sedge_has_no_matrix_instructions_on_the_host
#define SEDGE_MULTIPLY_TF32(c, a, b) sedge_has_no_matrix_instructions_on_the_host
