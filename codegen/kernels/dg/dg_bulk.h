// Copies between global memory and a block's: pieces by items, and from sm_90 on of NVIDIA's chips
// bulk copies by the copy engine, whose addresses and bytes are multiples of 16. SEDGE_BULK says
// whether there are any.
#pragma once

// What items copy at once: as many bytes as states are aligned to, on the host a value; or a word.
// On its way until SEDGE_COPY_WAIT, or SEDGE_COPY_WAIT_FIRST.
#if SEDGE_TARGET_HOST
typedef struct sedge_piece {
    sedge_value value;
} sedge_piece;
#else
typedef struct SEDGE_ALIGN(SEDGE_STATE_ALIGN) sedge_piece {
    char byte[SEDGE_STATE_ALIGN];
} sedge_piece;
#endif
#define SEDGE_PIECE_WORDS ((int)sizeof(sedge_piece) / (int)sizeof(sedge_value))

#if SEDGE_TARGET_CUDA && __CUDA_ARCH__ >= 800
SEDGE_FUNCTION void copy_piece(void *to, const void *from)
{
    asm volatile(
        "cp.async.ca.shared.global [%0], [%1], %2;" ::"r"((unsigned)__cvta_generic_to_shared(to)),
        "l"(from), "n"(SEDGE_STATE_ALIGN)
        : "memory");
}
SEDGE_FUNCTION void copy_word(void *to, const void *from)
{
    asm volatile(
        "cp.async.ca.shared.global [%0], [%1], %2;" ::"r"((unsigned)__cvta_generic_to_shared(to)),
        "l"(from), "n"(sizeof(sedge_value))
        : "memory");
}
#elif !SEDGE_TARGET_CUDA && !SEDGE_TARGET_OPENCL && !SEDGE_TARGET_HOST // prelude_random.h
SEDGE_FUNCTION void copy_piece(void *to, const void *from)
{
    sedge_copy_late(to, from, SEDGE_STATE_ALIGN);
}
SEDGE_FUNCTION void copy_word(void *to, const void *from)
{
    sedge_copy_late(to, from, (int)sizeof(sedge_value));
}
#else
SEDGE_FUNCTION void copy_piece(SEDGE_BLOCKWIDE sedge_value *to,
                               const SEDGE_GLOBAL sedge_value *from)
{
    *(SEDGE_BLOCKWIDE sedge_piece *)to = *(const SEDGE_GLOBAL sedge_piece *)from;
}
SEDGE_FUNCTION void copy_word(SEDGE_BLOCKWIDE sedge_value *to, const SEDGE_GLOBAL sedge_value *from)
{
    *to = *from;
}
#endif

#if SEDGE_TARGET_CUDA && __CUDA_ARCH__ >= 900
#define SEDGE_BULK 1
#else
#define SEDGE_BULK 0
#endif

#if SEDGE_BULK
// By one thread: `barrier` waits for `bytes` bytes of copies.
SEDGE_FUNCTION void expect_bulk(sedge_uint64 *barrier, unsigned bytes)
{
    const unsigned at = (unsigned)__cvta_generic_to_shared(barrier);

    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(at), "r"(bytes)
                 : "memory");
}

// By one thread: begin a copy into the block's memory, of which `barrier` is told.
SEDGE_FUNCTION void copy_bulk(void *to, const void *from, unsigned bytes, sedge_uint64 *barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], "
                 "%2, [%3];" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(from), "r"(bytes), "r"((unsigned)__cvta_generic_to_shared(barrier))
                 : "memory");
}

// Wait for all copies that `barrier` expects; behind a barrier of the block after expect_bulk.
SEDGE_FUNCTION void wait_for_bulk(sedge_uint64 *barrier)
{
    const unsigned at = (unsigned)__cvta_generic_to_shared(barrier);
    int done = 0;

    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; "
                     "selp.s32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(at)
                     : "memory");
}

// By each thread that has written what store_bulk reads, before the barrier of the block.
SEDGE_FUNCTION void publish_bulk(void)
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// By one thread: begin a copy out of the block's memory; and wait until all of its own have read
// it.
SEDGE_FUNCTION void store_bulk(void *to, const void *from, unsigned bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
                 "r"((unsigned)__cvta_generic_to_shared(from)), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

SEDGE_FUNCTION void wait_for_stores(void)
{
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

// Ask the L2 cache for what will be read; 16 divides `from` and `bytes`.
SEDGE_FUNCTION void ask(const void *from, unsigned bytes)
{
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(from), "r"(bytes) : "memory");
}

// Ask for the states and the geometry of `count` values from `first` on.
SEDGE_FUNCTION void ask_states(const sedge_state *u, const sedge_geometry *geometry,
                               sedge_int64 first, int count)
{
    ask(u + first * SEDGE_NODES_PADDED,
        (unsigned)count * SEDGE_NODES_PADDED * (unsigned)sizeof(sedge_state));
    ask(geometry + first, (unsigned)count * (unsigned)sizeof(sedge_geometry));
}

#ifdef SEDGE_EACH_TERM
// The same for words at any address: the range is widened to multiples of 16 bytes, which may lie
// up to 12 bytes beyond an array, but in the same line of the cache as its end.
SEDGE_FUNCTION void ask_words(const sedge_value *from, int words)
{
    const sedge_uint64 begin = (sedge_uint64)from / 16 * 16;
    const sedge_uint64 end = ((sedge_uint64)(from + words) + 15) / 16 * 16;

    ask((const void *)begin, (unsigned)(end - begin));
}

// Ask for a value's memory of all terms, and for what the residual before is found from: 1 the
// residual, 2 the memory before, 0 neither.
SEDGE_FUNCTION void ask_terms(sedge_int64 value,
                              int carried SEDGE_TERMS_LIST(SEDGE_COMMA_PARAMETER))
{
#define SEDGE_ASK_TERM(i)                                                   \
    if (SEDGE_TERM_WORDS_##i > 0 && term_places_##i[value] >= 0) {          \
        const int words = SEDGE_TERM_WORDS_##i * SEDGE_NODES_PADDED;        \
        const sedge_int64 at = (sedge_int64)term_places_##i[value] * words; \
        ask_words(term_memory_##i + at, words);                             \
        if (carried == 1) ask_words(term_residual_##i + at, words);         \
        if (carried == 2) ask_words(term_next_##i + at, words);             \
    }
    SEDGE_EACH_TERM(SEDGE_ASK_TERM)
}
#endif
#endif
