#define _GNU_SOURCE    // MAP_ANONYMOUS, MAP_NORESERVE
#undef _FORTIFY_SOURCE // some compilers set it: longjmp would end the program at a change of stacks
#include "device/host/host_order.h"

#include "base/memory.h"

#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

// AddressSanitizer has to know on which stack the program runs.
#if defined(__SANITIZE_ADDRESS__)
#define ORDER_TELLS_STACKS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ORDER_TELLS_STACKS 1
#endif
#endif
#ifndef ORDER_TELLS_STACKS
#define ORDER_TELLS_STACKS 0
#endif
#if ORDER_TELLS_STACKS
#include <sanitizer/common_interface_defs.h>
#endif

// A stack's address space; only what is touched becomes memory. Below it lies a page that cannot be
// touched, so that an overflow is a crash and not a wrong answer.
#define STACK_BYTES ((size_t)512 << 10)
#define GUARD_BYTES ((size_t)64 << 10) // a page of any machine

// What lies behind each array.
#define BEHIND_BYTES ((int64_t)16 << 10)
#define BEHIND_VALUE 0xa5

typedef struct order_place {
    const char *file; // NULL: not at a barrier
    int line;
} order_place;

// A copy on its way: SEDGE_COPY_PACK, pieces and words.
typedef struct order_copy {
    void *to;
    const void *from;
    int bytes;
    int next; // of the same item; -1: none
} order_copy;

// A buffer's memory, behind which are BEHIND_BYTES more.
typedef struct order_array {
    unsigned char *memory;
    int64_t bytes;
} order_array;

// A stack to switch to or from.
typedef struct order_stack {
    ucontext_t context;
    jmp_buf place; // where to go on, if `left`
    bool left;
    const void *bottom;
    size_t size;
    void *fake; // AddressSanitizer's second stack, while this one is not in use
} order_stack;

typedef struct order_fiber {
    order_stack stack;
    order_place at;
    bool ended;
    int copies; // the newest one on its way; -1: none
    int first;  // the newest one that SEDGE_COPY_WAIT_FIRST waits for; -1: none
} order_fiber;

typedef struct order_state {
    sedge_order calls; // first: the prelude has its address
    uint64_t seed, random;
    long long blocks_done; // counts all blocks of all launches, from 1 for the first
    char problem[768];

    void (*body)(long long, void **);
    void **arguments;
    long long blocks;

    order_stack caller;
    order_fiber *fibers;
    int *turn; // the fibers in the order of a phase
    int fiber_count;
    char *stacks;
    size_t stacks_bytes;

    order_copy *copies;
    int copy_count, copy_room;

    order_array *arrays;
    int array_count, array_room;
} order_state;

static order_state *state_of(sedge_order *order)
{
    return (order_state *)order;
}

// ---- chance ------------------------------------------------------------------------------------

// The generator "splitmix64".
static uint64_t draw(order_state *state)
{
    uint64_t z = state->random += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static void shuffle(order_state *state, int *list, int count)
{
    for (int i = count - 1; i > 0; i--) {
        const int k = (int)(draw(state) % (uint64_t)(i + 1));
        const int swap = list[i];
        list[i] = list[k];
        list[k] = swap;
    }
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

// ---- problems ----------------------------------------------------------------------------------

__attribute__((format(printf, 2, 3))) static void report(order_state *state, const char *format,
                                                         ...)
{
    va_list args;

    va_start(args, format);
    const int length = vsnprintf(state->problem, sizeof state->problem, format, args);
    va_end(args);
    if (length > 0 && length < (int)sizeof state->problem) {
        (void)snprintf(state->problem + length, sizeof state->problem - (size_t)length,
                       " (SEDGE_ORDER=random:%llu)", (unsigned long long)state->seed);
    }
}

const char *sedge_order_problem(const sedge_order *order)
{
    const order_state *const state = (const order_state *)order;

    return state->problem[0] != '\0' ? state->problem : NULL;
}

// ---- arrays ------------------------------------------------------------------------------------

static sedge_status grow_arrays(order_state *state)
{
    const int room = state->array_room > 0 ? 2 * state->array_room : 64;
    order_array *grown = NULL;

    SEDGE_TRY(sedge_allocate(&grown, room, sizeof *grown));
    if (state->array_count > 0)
        memcpy(grown, state->arrays, (size_t)state->array_count * sizeof *grown);
    sedge_release(state->arrays);
    state->arrays = grown;
    state->array_room = room;
    return SEDGE_OK;
}

sedge_status sedge_order_allocate(sedge_order *order, void **memory, int64_t bytes)
{
    order_state *const state = state_of(order);
    unsigned char *array = NULL;

    *memory = NULL;
    if (state->array_count == state->array_room) SEDGE_TRY(grow_arrays(state));
    SEDGE_TRY(sedge_allocate(&array, bytes + BEHIND_BYTES, 1));
    memset(array + bytes, BEHIND_VALUE, (size_t)BEHIND_BYTES);
    state->arrays[state->array_count++] = (order_array){array, bytes};
    *memory = array;
    return SEDGE_OK;
}

void sedge_order_release(sedge_order *order, void *memory)
{
    order_state *const state = state_of(order);
    int i = 0;

    while (state->arrays[i].memory != memory) i++;
    state->arrays[i] = state->arrays[--state->array_count];
    sedge_release(memory);
}

// Report a write behind the end of an array, unless something is reported already; restore the
// bytes there.
static void check_ends(order_state *state)
{
    for (int i = 0; i < state->array_count; i++) {
        unsigned char *const end = state->arrays[i].memory + state->arrays[i].bytes;
        int64_t at = 0;

        if (end[0] == BEHIND_VALUE && memcmp(end, end + 1, (size_t)BEHIND_BYTES - 1) == 0) continue;
        while (end[at] == BEHIND_VALUE) at++;
        at += state->arrays[i].bytes;
        if (state->problem[0] == '\0') {
            report(state, "it wrote to an array of %lld bytes behind its end, at byte %lld",
                   (long long)state->arrays[i].bytes, (long long)at);
        }
        memset(end, BEHIND_VALUE, (size_t)BEHIND_BYTES);
    }
}

// ---- fibers ------------------------------------------------------------------------------------

// When this returns, the program has come back from `to`. swapcontext makes a system call for the
// signal mask, which is the same on all stacks: so a stack is entered once by setcontext and then
// by longjmp, ten times as fast. AddressSanitizer knows swapcontext alone.
static void switch_stacks(order_stack *from, order_stack *to)
{
#if ORDER_TELLS_STACKS
    __sanitizer_start_switch_fiber(&from->fake, to->bottom, to->size);
    (void)swapcontext(&from->context, &to->context);
    __sanitizer_finish_switch_fiber(from->fake, &to->bottom, &to->size);
#else
    from->left = true;
    if (_setjmp(from->place) != 0) return;
    if (to->left) _longjmp(to->place, 1);
    (void)setcontext(&to->context);
#endif
}

// A fiber's whole life: a block after the other. The state's address comes in two halves.
static void live(unsigned high, unsigned low)
{
    order_state *const state = (order_state *)((uintptr_t)high << 32 | (uintptr_t)low);
    order_fiber *const fiber = &state->fibers[state->calls.item];

#if ORDER_TELLS_STACKS
    __sanitizer_finish_switch_fiber(NULL, &state->caller.bottom, &state->caller.size);
#endif
    for (;;) {
        state->body(state->blocks, state->arguments);
        fiber->ended = true;
        switch_stacks(&fiber->stack, &state->caller);
    }
}

static void free_fibers(order_state *state)
{
    if (state->stacks != NULL) (void)munmap(state->stacks, state->stacks_bytes);
    sedge_release(state->fibers);
    sedge_release(state->turn);
    state->stacks = NULL;
    state->fibers = NULL;
    state->turn = NULL;
    state->fiber_count = 0;
}

static bool map_stacks(order_state *state, int count)
{
    state->stacks_bytes = (size_t)count * (GUARD_BYTES + STACK_BYTES);
    char *const memory = mmap(NULL, state->stacks_bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED) return false;
    state->stacks = memory;
    for (int i = 0; i < count; i++) {
        char *const guard = memory + (size_t)i * (GUARD_BYTES + STACK_BYTES);
        if (mprotect(guard, GUARD_BYTES, PROT_NONE) != 0) return false;
    }
    return true;
}

static void start_fiber(order_state *state, int i)
{
    const uintptr_t address = (uintptr_t)state;
    order_fiber *const fiber = &state->fibers[i];
    char *const bottom = state->stacks + (size_t)i * (GUARD_BYTES + STACK_BYTES) + GUARD_BYTES;

    fiber->stack.bottom = bottom;
    fiber->stack.size = STACK_BYTES;
    (void)getcontext(&fiber->stack.context);
    fiber->stack.context.uc_stack.ss_sp = bottom;
    fiber->stack.context.uc_stack.ss_size = STACK_BYTES;
    fiber->stack.context.uc_link = NULL;
    makecontext(&fiber->stack.context, (void (*)(void))live, 2, (unsigned)(address >> 32),
                (unsigned)(address & UINT_MAX));
}

static bool make_fibers(order_state *state, int count)
{
    if (state->fiber_count >= count) return true;
    free_fibers(state);
    if (sedge_allocate(&state->fibers, count, sizeof *state->fibers) == SEDGE_OK &&
        sedge_allocate(&state->turn, count, sizeof *state->turn) == SEDGE_OK &&
        map_stacks(state, count)) {
        state->fiber_count = count;
        for (int i = 0; i < count; i++) start_fiber(state, i);
        return true;
    }
    sedge_error_clear();
    free_fibers(state);
    report(state, "no memory for the stacks of %d items, %zu KiB each: %s", count,
           (GUARD_BYTES + STACK_BYTES) >> 10, strerror(errno));
    return false;
}

// ---- blocks ------------------------------------------------------------------------------------

static void describe(char *text, size_t size, const order_fiber *fiber)
{
    if (fiber->ended) {
        (void)snprintf(text, size, "has ended");
    } else {
        (void)snprintf(text, size, "waits at %s:%d", fiber->at.file, fiber->at.line);
    }
}

static bool same_place(const order_fiber *a, const order_fiber *b)
{
    if (a->ended || b->ended) return a->ended == b->ended;
    return a->at.line == b->at.line && strcmp(a->at.file, b->at.file) == 0;
}

// All items stand at the same barrier, or all have ended.
static bool check_meeting(order_state *state, int threads)
{
    char one[256];
    char other[256];

    for (int i = 1; i < threads; i++) {
        if (same_place(&state->fibers[0], &state->fibers[i])) continue;
        describe(one, sizeof one, &state->fibers[0]);
        describe(other, sizeof other, &state->fibers[i]);
        report(state, "block %lld: its %d items do not meet at one barrier: item 0 %s, item %d %s",
               state->calls.block, threads, one, i, other);
        return false;
    }
    return true;
}

static bool run_block(order_state *state, int threads)
{
    state->blocks_done++;
    state->copy_count = 0;
    for (int i = 0; i < threads; i++) {
        state->fibers[i].ended = false;
        state->fibers[i].copies = state->fibers[i].first = -1;
        state->turn[i] = i;
    }
    while (!state->fibers[0].ended) {
        shuffle(state, state->turn, threads);
        for (int i = 0; i < threads; i++) {
            state->calls.item = state->turn[i];
            switch_stacks(&state->caller, &state->fibers[state->turn[i]].stack);
            if (state->problem[0] != '\0') return false;
        }
        if (!check_meeting(state, threads)) return false;
    }
    return true;
}

// Blocks in an order of chance: steps of a length that has no divisor with their number.
static void run(sedge_order *order, void (*body)(long long, void **), void **arguments,
                long long blocks, int threads)
{
    order_state *const state = state_of(order);
    uint64_t step;

    state->problem[0] = '\0';
    if (blocks < 1 || !make_fibers(state, threads)) return;
    state->body = body;
    state->arguments = arguments;
    state->blocks = blocks;
    do {
        step = 1 + draw(state) % (uint64_t)blocks;
    } while (common_divisor(step, (uint64_t)blocks) != 1);
    uint64_t block = draw(state) % (uint64_t)blocks;
    for (long long i = 0; i < blocks; i++) {
        state->calls.block = (long long)block;
        if (!run_block(state, threads)) {
            free_fibers(state); // they stand in the middle of the kernel
            break;
        }
        block = (block + step) % (uint64_t)blocks;
    }
    check_ends(state);
}

// ---- called by items ---------------------------------------------------------------------------

static void barrier(sedge_order *order, const char *file, int line)
{
    order_state *const state = state_of(order);
    order_fiber *const fiber = &state->fibers[state->calls.item];

    fiber->at = (order_place){file, line};
    switch_stacks(&fiber->stack, &state->caller);
}

// Block memory holds nothing of the block before: whoever comes to it first fills it with bytes
// that are not-a-number in every precision.
static void fill(sedge_order *order, void *memory, long long bytes, long long *filled)
{
    const order_state *const state = state_of(order);

    if (*filled == state->blocks_done) return;
    *filled = state->blocks_done;
    memset(memory, 0xff, (size_t)bytes);
}

static bool grow_copies(order_state *state)
{
    const int room = state->copy_room > 0 ? 2 * state->copy_room : 1024;
    order_copy *grown = NULL;

    if (sedge_allocate(&grown, room, sizeof *grown) != SEDGE_OK) {
        sedge_error_clear();
        report(state, "no memory for %d copies on their way", room);
        return false;
    }
    if (state->copy_count > 0)
        memcpy(grown, state->copies, (size_t)state->copy_count * sizeof *grown);
    sedge_release(state->copies);
    state->copies = grown;
    state->copy_room = room;
    return true;
}

static void copy(sedge_order *order, void *to, const void *from, int bytes)
{
    order_state *const state = state_of(order);
    order_fiber *const fiber = &state->fibers[state->calls.item];

    if (state->copy_count == state->copy_room && !grow_copies(state)) return;
    state->copies[state->copy_count] = (order_copy){to, from, bytes, fiber->copies};
    fiber->copies = state->copy_count++;
}

// The copies begun so far are the first ones, those after it are not.
static void begin_next(sedge_order *order)
{
    order_state *const state = state_of(order);
    order_fiber *const fiber = &state->fibers[state->calls.item];

    fiber->first = fiber->copies;
}

// From the list's end at *from on.
static void bring(order_state *state, int *from)
{
    for (int k = *from; k >= 0; k = state->copies[k].next)
        memcpy(state->copies[k].to, state->copies[k].from, (size_t)state->copies[k].bytes);
    *from = -1;
}

static void wait_for_first(sedge_order *order)
{
    order_state *const state = state_of(order);
    order_fiber *const fiber = &state->fibers[state->calls.item];
    int *end = &fiber->copies;

    while (*end != fiber->first) end = &state->copies[*end].next;
    bring(state, end);
    fiber->first = -1;
}

static void wait_for_copies(sedge_order *order)
{
    order_state *const state = state_of(order);
    order_fiber *const fiber = &state->fibers[state->calls.item];

    bring(state, &fiber->copies);
    fiber->first = -1;
}

// ---- making ------------------------------------------------------------------------------------

sedge_status sedge_order_create(sedge_order **out, uint64_t seed)
{
    order_state *state = NULL;

    *out = NULL;
    SEDGE_TRY(sedge_allocate(&state, 1, sizeof *state));
    state->calls.run = run;
    state->calls.barrier = barrier;
    state->calls.fill = fill;
    state->calls.copy = copy;
    state->calls.next = begin_next;
    state->calls.wait_first = wait_for_first;
    state->calls.wait = wait_for_copies;
    state->seed = seed;
    state->random = seed;
    *out = &state->calls;
    return SEDGE_OK;
}

void sedge_order_free(sedge_order *order)
{
    order_state *const state = order != NULL ? state_of(order) : NULL;

    if (state == NULL) return;
    free_fibers(state);
    sedge_release(state->copies);
    sedge_release(state->arrays);
    sedge_release(state);
}
