// The dialect on CUDA (compiled by NVRTC as C++17, no headers). See codegen/kernels/README.md.
#define SEDGE_TARGET_CUDA   1
#define SEDGE_TARGET_OPENCL 0
#define SEDGE_TARGET_HOST   0

#define SEDGE_FUNCTION static __device__ __forceinline__
// Address spaces, before the type that a pointer points to: the device's memory, the block's.
#define SEDGE_GLOBAL
#define SEDGE_BLOCKWIDE
typedef long long sedge_int64;
typedef unsigned long long sedge_uint64;

#define SEDGE_RESTRICT __restrict__
#define SEDGE_ALIGN(n) __align__(n)
#define SEDGE_UNROLL   _Pragma("unroll")

// An unrolled loop: arrays indexed by i stay in registers.
#define SEDGE_EACH(i, count) SEDGE_UNROLL for (int i = 0; i < (count); i++)

// Beside a kernel NAME stands sedge_signature_NAME, which the device layer reads: the threads of a
// block, the number of parameters, size and kind of each (1 a pointer, 2 an integer, 3 a floating
// point number, 4 another type), then their types and names.
template <class T> struct sedge_kind {
    enum { code = __is_class(T) || __is_union(T) ? 4 : 2 };
};
template <class T> struct sedge_kind<const T> : sedge_kind<T> {
};
template <> struct sedge_kind<float> {
    enum { code = 3 };
};
template <> struct sedge_kind<double> : sedge_kind<float> {
};
template <class T> struct sedge_kind<T *> {
    enum { code = 1 };
};
template <class T> struct sedge_kind<T *__restrict__> : sedge_kind<T *> {
};

#define SEDGE_PRELUDE_COUNT(type, name) +1
#define SEDGE_PRELUDE_SIZE(type, name)  , (int)sizeof(type), sedge_kind<type>::code
#define SEDGE_PRELUDE_TEXT(type, name)  #type "\t" #name "\n"
#define SEDGE_PRELUDE_SIGNATURE(name, threads, LIST)                                               \
    extern "C" __device__ const struct {                                                           \
        int numbers[2 + 2 * (0 LIST(SEDGE_PRELUDE_COUNT))];                                        \
        char text[sizeof("" LIST(SEDGE_PRELUDE_TEXT))];                                            \
    } sedge_signature_##name = {{(threads), 0 LIST(SEDGE_PRELUDE_COUNT) LIST(SEDGE_PRELUDE_SIZE)}, \
                                "" LIST(SEDGE_PRELUDE_TEXT)};

// Wait until all earlier work of the stream is done; then the number of the block. From sm_90 on a
// kernel's blocks may begin before that (launch_early in src/device/cuda/cuda.c), so every kernel
// of the dialect calls this first. Only programs whose kernels wait have the variable sedge_waits;
// the device layer looks for it before it allows an early launch. Wait and number are one
// statement, so that no load whose address depends on the number comes before the wait. Other loads
// stay behind it because it is volatile and says that it changes memory (looked at in the machine
// code for sm_90).
#if __CUDA_ARCH__ >= 900
extern "C" __device__ const int sedge_waits = 1;
#endif
SEDGE_FUNCTION unsigned sedge_begin_block()
{
#if __CUDA_ARCH__ >= 900
    unsigned block;
    asm volatile("griddepcontrol.wait;\n\tmov.u32 %0, %%ctaid.x;" : "=r"(block)::"memory");
    return block;
#else
    return blockIdx.x;
#endif
}

// A kernel waits and calls the function that holds its text. References, so that nothing is copied.
#define SEDGE_PRELUDE_BODY(name)            name##_body
#define SEDGE_PRELUDE_PARAMETER(type, name) , type name
#define SEDGE_PRELUDE_GIVEN(type, name)     , type &name
#define SEDGE_PRELUDE_PASS(type, name)      , name
#define SEDGE_PRELUDE_KERNEL(name, threads, bounds, LIST)                                          \
    SEDGE_PRELUDE_SIGNATURE(name, threads, LIST)                                                   \
    SEDGE_FUNCTION void SEDGE_PRELUDE_BODY(name)(long long sedge_block LIST(SEDGE_PRELUDE_GIVEN)); \
    extern "C" __global__ void __launch_bounds__ bounds name(                                      \
        long long sedge_blocks LIST(SEDGE_PRELUDE_PARAMETER))                                      \
    {                                                                                              \
        SEDGE_PRELUDE_BODY(name)(sedge_begin_block() LIST(SEDGE_PRELUDE_PASS));                    \
    }                                                                                              \
    SEDGE_FUNCTION void SEDGE_PRELUDE_BODY(name)(long long sedge_block LIST(SEDGE_PRELUDE_GIVEN))

// What a kernel is called in the binary. Where several programs are compiled as one
// (program/combine.h), each of them has another one.
#define SEDGE_PRELUDE_NAMED(name) name
#define SEDGE_KERNEL(name, threads, LIST) \
    SEDGE_PRELUDE_KERNEL(SEDGE_PRELUDE_NAMED(name), threads, (threads), LIST)

// The same where registers are limited so that about `resident` threads fit into a multiprocessor.
#define SEDGE_KERNEL_RESIDENT(name, threads, resident, LIST) \
    SEDGE_PRELUDE_KERNEL(SEDGE_PRELUDE_NAMED(name), threads, \
                         (threads, (resident) > (threads) ? (resident) / (threads) : 1), LIST)

// The same whose `blocks` blocks, which are all that are launched, run side by side and may wait
// for each other. Chips before sm_90 cannot: one block there.
#if __CUDA_ARCH__ >= 900
#define SEDGE_CLUSTER_OF(blocks) blocks
#define SEDGE_KERNEL_CLUSTER(name, threads, blocks, LIST)    \
    SEDGE_PRELUDE_KERNEL(SEDGE_PRELUDE_NAMED(name), threads, \
                         (threads) __attribute__((cluster_dims(blocks, 1, 1))), LIST)
#define SEDGE_CLUSTER_BARRIER()                              \
    asm volatile("barrier.cluster.arrive.release.aligned;\n" \
                 "barrier.cluster.wait.acquire.aligned;" ::  \
                     : "memory")
// Numbers in the memory of block `block` of the cluster: what stands there at the place that `at`
// is here.
SEDGE_FUNCTION unsigned sedge_cluster_place(const void *at, int block)
{
    unsigned place;
    asm("mapa.shared::cluster.u32 %0, %1, %2;"
        : "=r"(place)
        : "r"((unsigned)__cvta_generic_to_shared(at)), "r"(block));
    return place;
}
SEDGE_FUNCTION double sedge_cluster_get(const double *at, int block)
{
    double value;
    asm volatile("ld.shared::cluster.f64 %0, [%1];"
                 : "=d"(value)
                 : "r"(sedge_cluster_place(at, block)));
    return value;
}
SEDGE_FUNCTION float sedge_cluster_get(const float *at, int block)
{
    float value;
    asm volatile("ld.shared::cluster.f32 %0, [%1];"
                 : "=f"(value)
                 : "r"(sedge_cluster_place(at, block)));
    return value;
}
SEDGE_FUNCTION void sedge_cluster_put(double *at, double value, int block)
{
    asm volatile("st.shared::cluster.f64 [%0], %1;" ::"r"(sedge_cluster_place(at, block)),
                 "d"(value)
                 : "memory");
}
#define SEDGE_CLUSTER_GET(at, block)        sedge_cluster_get((at), (block))
#define SEDGE_CLUSTER_PUT(at, value, block) sedge_cluster_put((at), (value), (block))
#else
#define SEDGE_CLUSTER_GET(at, block)                      (*(at))
#define SEDGE_CLUSTER_PUT(at, value, block)               (*(at) = (value))
#define SEDGE_CLUSTER_OF(blocks)                          1
#define SEDGE_KERNEL_CLUSTER(name, threads, blocks, LIST) SEDGE_KERNEL(name, threads, LIST)
#define SEDGE_CLUSTER_BARRIER()                           SEDGE_BARRIER()
#endif

#define SEDGE_OUTER(b) \
    for (long long b = sedge_block, sedge_once = 0; sedge_once == 0; sedge_once = 1)
#define SEDGE_THREAD ((int)threadIdx.x)

// At the end of a kernel, whether this is the first thread of the block that comes here last.
// Whoever sees what that thread stores from now on also sees what all blocks have stored before, in
// the memory of other devices, too. `ended` counts blocks in global memory; 0 before and after.
#define SEDGE_LAST_BLOCK(ended) sedge_is_last_block(ended)
SEDGE_FUNCTION bool sedge_is_last_block(int *ended)
{
    __syncthreads();
    if (threadIdx.x != 0) return false;
    __threadfence_system();
    if (atomicAdd(ended, 1) != (int)gridDim.x - 1) return false;
    *ended = 0;
    __threadfence_system();
    return true;
}

#define SEDGE_ITEMS(g, groups, n, items, threads)                                      \
    for (int sedge_t = (int)threadIdx.x, g = sedge_t / (items), n = sedge_t % (items); \
         sedge_t < (groups) * (items);                                                 \
         sedge_t += (threads), g = sedge_t / (items), n = sedge_t % (items))

// With at most `threads` items the compiler sees that the loop runs once.
#define SEDGE_ITEMS_1D(n, items, threads)                                     \
    for (int n = (int)threadIdx.x, sedge_more = 1; sedge_more && n < (items); \
         n += (threads), sedge_more = (threads) < (items))

// 16 bytes from global memory into the block's, on their way until SEDGE_COPY_WAIT.
#if __CUDA_ARCH__ >= 800
#define SEDGE_COPY_PACK(to, from)                                                                  \
    asm volatile(                                                                                  \
        "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), \
        "l"(from)                                                                                  \
        : "memory")
#define SEDGE_COPY_WAIT() asm volatile("cp.async.wait_all;" ::: "memory")
// What is copied later is not waited for by the one SEDGE_COPY_WAIT_FIRST that follows.
#define SEDGE_COPY_NEXT() asm volatile("cp.async.commit_group;" ::: "memory")
#define SEDGE_COPY_WAIT_FIRST() \
    asm volatile("cp.async.commit_group;\n\tcp.async.wait_group 1;" ::: "memory")
#else
#define SEDGE_COPY_PACK(to, from) (*(int4 *)(to) = *(const int4 *)(from))
#define SEDGE_COPY_WAIT()         (void)0
#define SEDGE_COPY_NEXT()         (void)0
#define SEDGE_COPY_WAIT_FIRST()   (void)0
#endif

// The block's memory, of a size that the launch gives; at most one a kernel.
#define SEDGE_SCRATCH(type, name, count)                           \
    extern __shared__ __align__(16) unsigned char sedge_scratch[]; \
    type *const name = (type *)sedge_scratch
#define SEDGE_LOCAL_COPY(type, name, from) \
    const type name##_copy = *(from);      \
    const type *const name = &name##_copy
#define SEDGE_PRIVATE_COPY(type, name, from, count) const type *const name = (from)
#define SEDGE_SHARED(type, name, count)             __shared__ type name[count]
#define SEDGE_PRIVATE(type, name, items, count)     type name[1][count]
#define SEDGE_MINE(name, item)                      name[0]
#define SEDGE_BARRIER()                             __syncthreads()

// Loads are not moved across it, and what was loaded before it is loaded again rather than kept, so
// that an item needs fewer registers.
#define SEDGE_KEEP_ORDER() asm volatile("" ::: "memory")

// Small products of matrices by the 32 items of a warp together, where the chip can (README.md).
#if __CUDA_ARCH__ >= 800
SEDGE_FUNCTION void sedge_multiply_fp64(double *c, const double *a, const double *b)
{
#if __CUDA_ARCH__ >= 900
    asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
        : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
#else
    SEDGE_EACH (i, 4) // upper and lower rows, first and second half of the sum
        asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
            : "+d"(c[i % 2 * 2]), "+d"(c[i % 2 * 2 + 1])
            : "d"(a[i]), "d"(b[i / 2]));
#endif
}

SEDGE_FUNCTION void sedge_multiply_tf32(float *c, const float *a, const float *b)
{
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])), "r"(__float_as_uint(a[2])),
          "r"(__float_as_uint(a[3])), "r"(__float_as_uint(b[0])), "r"(__float_as_uint(b[1])));
}
#endif
#define SEDGE_MULTIPLY_FP64(c, a, b) sedge_multiply_fp64((c), (a), (b))
#define SEDGE_MULTIPLY_TF32(c, a, b) sedge_multiply_tf32((c), (a), (b))
