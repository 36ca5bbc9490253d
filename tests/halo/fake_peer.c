#define _DEFAULT_SOURCE // usleep, ftruncate
#include "fake_peer.h"

#include "base/file.h"
#include "base/memory.h"
#include "halo_case.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { QUEUE = 1 << 14, MEMORIES = 64 };
#define LOST_SECONDS 30.0

typedef enum kind { COPY, WRITE, WAIT, CALL } kind;

typedef struct task {
    kind what;
    uint64_t to, from;
    int64_t bytes;
    uint32_t value;
    void (*function)(void *argument);
    void *argument;
} task;

struct fake_graph {
    int count;
    task tasks[QUEUE];
};

typedef struct memory {
    uint64_t address; // 0: free
    size_t bytes;
    char name[64]; // own only
} memory;

static struct {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    task tasks[QUEUE];
    int64_t put, done; // so far
    bool ends;
    uint32_t seed, pauses;
    int lost;
    fake_fault fault;
    fake_graph *recording;
    memory memories[MEMORIES];
    int made;
} fake;

// ---- the thread --------------------------------------------------------------------------------

// One pause in four is long enough for others to get far.
static void pause_a_little(void)
{
    const uint32_t random = halo_random(fake.seed, fake.pauses++);

    if (random % 4 == 0) (void)usleep(random / 4 % 300);
    if (random % 64 == 1) (void)usleep(2000);
}

static void wait_for(uint64_t flag, uint32_t value)
{
    const uint32_t *const at = (const uint32_t *)(uintptr_t)flag;
    const double began = sedge_clock();

    while (__atomic_load_n(at, __ATOMIC_ACQUIRE) != value) {
        (void)sched_yield();
        if (sedge_clock() - began < (fake.lost == 0 ? LOST_SECONDS : 0.1)) continue;
        fake.lost++;
        return;
    }
}

static void set_flag(uint64_t flag, uint32_t value)
{
    __atomic_store_n((uint32_t *)(uintptr_t)flag, value, __ATOMIC_RELEASE);
}

static bool is_foreign(uint64_t address)
{
    for (int i = 0; i < MEMORIES; i++) {
        const memory *const m = &fake.memories[i];
        if (m->address != 0 && address - m->address < m->bytes) return m->name[0] == '\0';
    }
    return false;
}

static void copy_bytes(const task *t)
{
    unsigned char *const to = (unsigned char *)(uintptr_t)t->to;

    memcpy(to, (const void *)(uintptr_t)t->from, (size_t)t->bytes);
    if (fake.fault == FAKE_WRONG && is_foreign(t->to)) to[t->bytes / 2] ^= 1;
}

static void run(const task *t)
{
    switch (t->what) {
    case COPY:
        copy_bytes(t);
        break;
    case WRITE:
        if (fake.fault == FAKE_SLOW) (void)usleep(50000);
        if (fake.fault != FAKE_SILENT || !is_foreign(t->to)) set_flag(t->to, t->value);
        break;
    case WAIT:
        wait_for(t->to, t->value);
        break;
    case CALL:
        t->function(t->argument);
        break;
    }
}

static void *work(void *unused)
{
    (void)unused;
    (void)pthread_mutex_lock(&fake.lock);
    while (!fake.ends || fake.done < fake.put) {
        if (fake.done == fake.put) {
            (void)pthread_cond_wait(&fake.changed, &fake.lock);
            continue;
        }
        const task next = fake.tasks[fake.done % QUEUE];
        (void)pthread_mutex_unlock(&fake.lock);
        pause_a_little();
        run(&next);
        (void)pthread_mutex_lock(&fake.lock);
        fake.done++;
        (void)pthread_cond_broadcast(&fake.changed);
    }
    (void)pthread_mutex_unlock(&fake.lock);
    return NULL;
}

static void put(task t)
{
    if (fake.recording != NULL) {
        fake.recording->tasks[fake.recording->count++] = t;
        return;
    }
    (void)pthread_mutex_lock(&fake.lock);
    while (fake.put - fake.done == QUEUE) (void)pthread_cond_wait(&fake.changed, &fake.lock);
    fake.tasks[fake.put++ % QUEUE] = t;
    (void)pthread_cond_broadcast(&fake.changed);
    (void)pthread_mutex_unlock(&fake.lock);
}

void fake_start(uint32_t seed)
{
    fake.seed = seed;
    (void)pthread_mutex_init(&fake.lock, NULL);
    (void)pthread_cond_init(&fake.changed, NULL);
    (void)pthread_create(&fake.thread, NULL, work, NULL);
}

void fake_stop(void)
{
    (void)pthread_mutex_lock(&fake.lock);
    fake.ends = true;
    (void)pthread_cond_broadcast(&fake.changed);
    (void)pthread_mutex_unlock(&fake.lock);
    (void)pthread_join(fake.thread, NULL);
}

void fake_set_fault(fake_fault fault)
{
    fake_wait();
    fake.fault = fault;
}

void fake_call(void (*function)(void *argument), void *argument)
{
    put((task){.what = CALL, .function = function, .argument = argument});
}

void fake_wait(void)
{
    (void)pthread_mutex_lock(&fake.lock);
    while (fake.done < fake.put) (void)pthread_cond_wait(&fake.changed, &fake.lock);
    (void)pthread_mutex_unlock(&fake.lock);
}

int fake_lost(void)
{
    return fake.lost;
}

void fake_record_begin(void)
{
    fake.recording = calloc(1, sizeof *fake.recording);
}

fake_graph *fake_record_end(void)
{
    fake_graph *const graph = fake.recording;

    fake.recording = NULL;
    return graph;
}

void fake_launch(const fake_graph *graph)
{
    for (int i = 0; i < graph->count; i++) put(graph->tasks[i]);
}

void fake_graph_free(fake_graph *graph)
{
    free(graph);
}

// ---- the operations ----------------------------------------------------------------------------

static memory *find_memory(uint64_t address)
{
    for (int i = 0; i < MEMORIES; i++)
        if (fake.memories[i].address == address) return &fake.memories[i];
    return NULL;
}

static sedge_status map(memory **out, const char *name, int flags, size_t bytes)
{
    struct stat about;
    memory *const m = find_memory(0);
    const int file = shm_open(name, flags, 0600);

    *out = m;
    if (file < 0 || m == NULL) return SEDGE_FAIL(SEDGE_ERR_MEMORY, "no shared memory '%s'", name);
    if (bytes > 0 && ftruncate(file, (off_t)bytes) != 0) bytes = 0;
    m->bytes = fstat(file, &about) == 0 ? (size_t)about.st_size : bytes;
    void *const at = mmap(NULL, m->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    (void)close(file);
    if (at == MAP_FAILED) return SEDGE_FAIL(SEDGE_ERR_MEMORY, "'%s' cannot be mapped", name);
    m->address = (uint64_t)(uintptr_t)at;
    return SEDGE_OK;
}

static void unmap(memory *m)
{
    (void)munmap((void *)(uintptr_t)m->address, m->bytes);
    if (m->name[0] != '\0') (void)shm_unlink(m->name);
    *m = (memory){.address = 0};
}

static sedge_status allocate(sedge_device *device, uint64_t *address, int64_t bytes)
{
    char name[64];
    memory *m;

    (void)device;
    (void)snprintf(name, sizeof name, "/sedge-halo-%d-%d", (int)getpid(), fake.made++);
    SEDGE_TRY(map(&m, name, O_RDWR | O_CREAT | O_EXCL, (size_t)bytes));
    memcpy(m->name, name, sizeof m->name);
    *address = m->address;
    return SEDGE_OK;
}

static void release(sedge_device *device, uint64_t address, int64_t bytes)
{
    (void)device;
    (void)bytes;
    unmap(find_memory(address));
}

static sedge_status share(sedge_device *device, sedge_peer_handle *out, uint64_t address)
{
    (void)device;
    memcpy(out->bytes, find_memory(address)->name, sizeof out->bytes);
    return SEDGE_OK;
}

static sedge_status open_memory(sedge_device *device, uint64_t *address,
                                const sedge_peer_handle *handle)
{
    char name[64];
    memory *m;

    (void)device;
    *address = 0;
    if (fake.fault == FAKE_CLOSED)
        return SEDGE_FAIL(SEDGE_ERR_DEVICE, "the fake's memory stays closed");
    memcpy(name, handle->bytes, sizeof name);
    SEDGE_TRY(map(&m, name, O_RDWR, 0));
    *address = m->address;
    return SEDGE_OK;
}

static void close_memory(sedge_device *device, uint64_t address)
{
    (void)device;
    unmap(find_memory(address));
}

static sedge_status copy(sedge_device *device, sedge_stream *stream, uint64_t to, uint64_t from,
                         int64_t bytes)
{
    (void)device;
    (void)stream;
    put((task){.what = COPY, .to = to, .from = from, .bytes = bytes});
    return SEDGE_OK;
}

static sedge_status queue_flags(sedge_device *device, sedge_stream *stream, const sedge_flag *list,
                                int count)
{
    (void)device;
    for (int i = 0; i < count; i++) {
        const kind what = list[i].wait ? WAIT : WRITE;
        if (stream == NULL && what == WRITE) {
            set_flag(list[i].address, list[i].value);
        } else {
            put((task){.what = what, .to = list[i].address, .value = list[i].value});
        }
    }
    return SEDGE_OK;
}

static sedge_status is_idle(sedge_device *device, sedge_stream *stream, bool *idle)
{
    (void)device;
    (void)stream;
    (void)pthread_mutex_lock(&fake.lock);
    *idle = fake.done == fake.put;
    (void)pthread_mutex_unlock(&fake.lock);
    return SEDGE_OK;
}

const sedge_peer fake_peer = {
    .allocate = allocate,
    .release = release,
    .share = share,
    .open = open_memory,
    .close = close_memory,
    .copy = copy,
    .flags = queue_flags,
    .idle = is_idle,
};
