// The dialect on OpenCL (OpenCL C 1.2, fp64 where the device has it). See
// codegen/kernels/README.md.
#define SEDGE_TARGET_CUDA   0
#define SEDGE_TARGET_OPENCL 1
#define SEDGE_TARGET_HOST   0

#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define half sedge_half // a type that the dialect has not, and a likely name

#define SEDGE_FUNCTION __attribute__((unused, always_inline)) static inline
// Address spaces, before the type that a pointer points to: the device's memory, the block's. A
// pointer without one points into the item's own memory.
#define SEDGE_GLOBAL    __global
#define SEDGE_BLOCKWIDE __local
typedef long sedge_int64;
typedef ulong sedge_uint64;

#define SEDGE_RESTRICT restrict
#define SEDGE_ALIGN(n) __attribute__((aligned(n)))
#define SEDGE_UNROLL   _Pragma("unroll")

// An unrolled loop: arrays indexed by i stay in registers.
#define SEDGE_EACH(i, count) SEDGE_UNROLL for (int i = 0; i < (count); i++)

// A kernel is given each argument with the bytes to add to it, for OpenCL hands over whole buffers
// (0 for numbers), and NULL as a pointer whose type tells the argument's size and kind: 1 a
// pointer, 2 an integer, 3 a floating point number, 4 another type
// (src/device/opencl/opencl_program.h).
#define SEDGE_PRELUDE_KIND(class)           ((class) == 5 ? 1 : (class) == 1 ? 2 : (class) == 8 ? 3 : 4)
#define SEDGE_PRELUDE_PARAMETER(type, name) , type name
#define SEDGE_PRELUDE_GIVEN(type, name) \
    , type name, long name##_offset,    \
        __global const char(            \
            *name##_type)[sizeof(type)][SEDGE_PRELUDE_KIND(__builtin_classify_type(*(type *)0))]
#define SEDGE_PRELUDE_SHIFT(type, name) \
    union {                             \
        type value;                     \
        size_t bits;                    \
    } name##_shifted = {.value = name}; \
    if (sizeof(type) >= sizeof(size_t)) name##_shifted.bits += name##_offset;
#define SEDGE_PRELUDE_PASS(type, name) , name##_shifted.value

// Memory of a block must be declared in the outermost braces of a kernel, and SEDGE_OUTER opens
// others: the kernel has it, and calls the body.
#define SEDGE_KERNEL(name, threads, LIST)                                                      \
    SEDGE_FUNCTION void name##_body(long sedge_blocks, __local int4 *sedge_dynamic,            \
                                    __local int4 *sedge_shared LIST(SEDGE_PRELUDE_PARAMETER)); \
    __kernel __attribute__((reqd_work_group_size(threads, 1, 1))) void name(                   \
        long sedge_blocks, __local int4 *sedge_dynamic LIST(SEDGE_PRELUDE_GIVEN))              \
    {                                                                                          \
        __local int4 sedge_shared[SEDGE_PRELUDE_SHARED_BYTES / 16];                            \
        LIST(SEDGE_PRELUDE_SHIFT)                                                              \
        name##_body(sedge_blocks, sedge_dynamic, sedge_shared LIST(SEDGE_PRELUDE_PASS));       \
    }                                                                                          \
    SEDGE_FUNCTION void name##_body(long sedge_blocks, __local int4 *sedge_dynamic,            \
                                    __local int4 *sedge_shared LIST(SEDGE_PRELUDE_PARAMETER))

#define SEDGE_KERNEL_RESIDENT(name, threads, resident, LIST) SEDGE_KERNEL(name, threads, LIST)
#define SEDGE_CLUSTER_OF(blocks)                             1
#define SEDGE_KERNEL_CLUSTER(name, threads, blocks, LIST)    SEDGE_KERNEL(name, threads, LIST)
#define SEDGE_CLUSTER_GET(at, block)                         (*(at))
#define SEDGE_CLUSTER_PUT(at, value, block)                  (*(at) = (value))
#define SEDGE_CLUSTER_BARRIER()                              SEDGE_BARRIER()

#define SEDGE_OUTER(b) const long b = (long)get_group_id(0);
#define SEDGE_THREAD   ((int)get_local_id(0))

#define SEDGE_LAST_BLOCK(ended) 0 // no other device reads what this one stores

#define SEDGE_ITEMS(g, groups, n, items, threads)                                  \
    for (int sedge_t = SEDGE_THREAD, g = sedge_t / (items), n = sedge_t % (items); \
         sedge_t < (groups) * (items);                                             \
         sedge_t += (threads), g = sedge_t / (items), n = sedge_t % (items))

#define SEDGE_ITEMS_1D(n, items, threads) for (int n = SEDGE_THREAD; n < (items); n += (threads))

#define SEDGE_COPY_PACK(to, from) (*(__local int4 *)(to) = *(__global const int4 *)(from))
#define SEDGE_COPY_WAIT()         (void)0
#define SEDGE_COPY_NEXT()         (void)0
#define SEDGE_COPY_WAIT_FIRST()   (void)0

// The block's memory, of a size that the launch gives; at most one a kernel.
#define SEDGE_SCRATCH(type, name, count) __local type *const name = (__local type *)sedge_dynamic
#define SEDGE_LOCAL_COPY(type, name, from) \
    const type name##_copy = *(from);      \
    const type *const name = &name##_copy
#define SEDGE_PRIVATE_COPY(type, name, from, count)                                             \
    type name##_copy[count];                                                                    \
    for (int sedge_i = 0; sedge_i < (count); sedge_i++) name##_copy[sedge_i] = (from)[sedge_i]; \
    const type *const name = name##_copy

// All SEDGE_SHARED of a kernel share SEDGE_PRELUDE_SHARED_BYTES bytes, one behind the other:
// sedge_used_K is the number of packs of 16 bytes that the program's K-th takes. Here it is 0;
// where that one is declared, another constant of the same name hides this. A program may ask for
// another number of bytes (shared_bytes in program/program.h), a multiple of 16.
#ifndef SEDGE_PRELUDE_SHARED_BYTES
#define SEDGE_PRELUDE_SHARED_BYTES 8192
#endif
enum {
    sedge_used_0 = 0,
    sedge_used_1 = 0,
    sedge_used_2 = 0,
    sedge_used_3 = 0,
    sedge_used_4 = 0,
    sedge_used_5 = 0,
    sedge_used_6 = 0,
    sedge_used_7 = 0,
    sedge_used_8 = 0,
    sedge_used_9 = 0,
    sedge_used_10 = 0,
    sedge_used_11 = 0,
    sedge_used_12 = 0,
    sedge_used_13 = 0,
    sedge_used_14 = 0,
    sedge_used_15 = 0
};
#define SEDGE_PRELUDE_USED                                                                       \
    (sedge_used_0 + sedge_used_1 + sedge_used_2 + sedge_used_3 + sedge_used_4 + sedge_used_5 +   \
     sedge_used_6 + sedge_used_7 + sedge_used_8 + sedge_used_9 + sedge_used_10 + sedge_used_11 + \
     sedge_used_12 + sedge_used_13 + sedge_used_14 + sedge_used_15)
#define SEDGE_SHARED(type, name, count) SEDGE_PRELUDE_SHARED(type, name, count, __COUNTER__)
#define SEDGE_PRELUDE_SHARED(type, name, count, number) \
    SEDGE_PRELUDE_PLACE(type, name, count, number)
#define SEDGE_PRELUDE_PLACE(type, name, count, number)                                        \
    enum { name##_place = SEDGE_PRELUDE_USED + sedge_used_##number };                         \
    enum { sedge_used_##number = (sizeof(type) * (count) + 15) / 16 };                        \
    typedef char name##_fits[SEDGE_PRELUDE_USED <= SEDGE_PRELUDE_SHARED_BYTES / 16 ? 1 : -1]; \
    __local type *const name = (__local type *)(sedge_shared + name##_place)

#define SEDGE_PRIVATE(type, name, items, count) type name[1][count]
#define SEDGE_MINE(name, item)                  name[0]
#define SEDGE_BARRIER()                         barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define SEDGE_KEEP_ORDER()                      (void)0

// OpenCL has no matrix instructions: their use does not compile.
#define SEDGE_MULTIPLY_FP64(c, a, b) sedge_has_no_matrix_instructions_on_opencl
#define SEDGE_MULTIPLY_TF32(c, a, b) sedge_has_no_matrix_instructions_on_opencl
