#define _GNU_SOURCE // setenv, strdup
#include "device/opencl_environment.h"

#include "base/memory.h"
#include "base/trust.h"
#include "device/cpu.h"
#include "device/device.h"
#include "device/opencl_folder.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { POCL = 6, SEARCH = POCL, TOPOLOGY, VARIABLES };

#define SIGNALS 32 // that LLVM may handle are below it

// A variable that was changed, and its value before; NULL: it was not set.
typedef struct change {
    const char *name; // NULL: not changed
    char *before;     // owned
} change;

// Of this process, by nature.
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static change changes[VARIABLES];
static struct sigaction handlers[SIGNALS]; // before the first of the calls
static int users;                          // calls between begin and end
static pid_t owner;                        // whose calls they are: a forked child has none
static pid_t prepared;                     // the process that has set its environment for good

// "": PoCL decides.
static void write_threads(char text[16])
{
    const char *const given = getenv("SEDGE_THREADS");
    const int most = sedge_cpu_share(1);
    int threads;

    text[0] = '\0';
    if (given == NULL || given[0] == '\0') return;
    if (sedge_cpu_threads(&threads, 1) != SEDGE_OK) { // refused when a device is opened
        sedge_error_clear();
        return;
    }
    (void)snprintf(text, 16, "%d", threads < most ? threads : most);
}

// PoCL leaves this set when it lists its devices, so that hwloc loads no plugins.
static sedge_status keep_topology(change *kept)
{
    static const char name[] = "HWLOC_PLUGINS_PATH";
    const char *const now = getenv(name);
    char *const before = now != NULL ? strdup(now) : NULL;

    if (now != NULL && before == NULL)
        return SEDGE_FAIL(SEDGE_ERR_MEMORY, "out of memory for %s", name);
    *kept = (change){name, before};
    return SEDGE_OK;
}

// Set a variable, and remember in `kept`, unless that is NULL, what it was. "": it is not to be
// set.
static sedge_status set(change *kept, const char *name, const char *value)
{
    const char *const now = getenv(name);
    char *before = NULL;

    if (value[0] == '\0' || (now != NULL && strcmp(now, value) == 0)) return SEDGE_OK;
    if (kept != NULL && now != NULL && (before = strdup(now)) == NULL)
        return SEDGE_FAIL(SEDGE_ERR_MEMORY, "out of memory for %s", name);
    if (setenv(name, value, 1) != 0) {
        free(before);
        return SEDGE_FAIL(SEDGE_ERR_MEMORY, "out of memory for %s", name);
    }
    if (kept != NULL) *kept = (change){name, before};
    return SEDGE_OK;
}

static sedge_status set_search(change *kept)
{
    const char *const given = getenv("PATH");
    char *folders = NULL;

    if (given == NULL) return SEDGE_OK; // a system's own list
    const size_t size = strlen(given) + 2;
    SEDGE_TRY(sedge_allocate(&folders, (int64_t)size, 1));
    sedge_trust_search(folders, size, given);
    const sedge_status status = set(kept, "PATH", folders[0] != '\0' ? folders : "/usr/bin:/bin");
    sedge_release(folders);
    return status;
}

// Set PoCL's variables, except those that the user has set. `kept` is NULL: for good.
static sedge_status set_all(change kept[POCL])
{
    const char *const folder = sedge_opencl_folder_path();
    char threads[16];

    write_threads(threads);
    const struct {
        const char *name;
        const char *value;
    } rows[] = {
        {"POCL_CACHE_DIR", folder},          {"POCL_KERNEL_CACHE", folder[0] != '\0' ? "0" : ""},
        {"POCL_MAX_PTHREAD_COUNT", threads}, {"POCL_SIGFPE_HANDLER", "0"},
        {"POCL_SIGUSR2_HANDLER", "0"},       {"POCL_WORK_GROUP_SPECIALIZATION", "0"}};

    for (int i = 0; i < POCL; i++) {
        // A folder of ours that is there already may be a parent's.
        if (i > 0 && getenv(rows[i].name) != NULL) continue;
        SEDGE_TRY(set(kept != NULL ? &kept[i] : NULL, rows[i].name, rows[i].value));
    }
    return SEDGE_OK;
}

static void keep_handlers(void)
{
    for (int s = 1; s < SIGNALS; s++) (void)sigaction(s, NULL, &handlers[s]);
}

// LLVM, which compiles for PoCL, takes over signals that end a program, to remove its files.
static void restore_handlers(void)
{
    for (int s = 1; s < SIGNALS; s++) {
        struct sigaction now;
        if (sigaction(s, NULL, &now) == 0 && now.sa_handler != handlers[s].sa_handler)
            (void)sigaction(s, &handlers[s], NULL);
    }
}

static void restore(void)
{
    for (int i = 0; i < VARIABLES; i++) {
        change *const one = &changes[i];
        if (one->name == NULL) continue;
        if (one->before != NULL) {
            (void)setenv(one->name, one->before, 1);
        } else {
            (void)unsetenv(one->name);
        }
        free(one->before);
        *one = (change){NULL, NULL};
    }
}

void sedge_device_prepare_environment(void)
{
    sedge_opencl_choose_folder();
    (void)pthread_mutex_lock(&guard);
    if (prepared != getpid()) {
        prepared = getpid();
        if (set_all(NULL) != SEDGE_OK) sedge_error_clear(); // opening a device tries again
    }
    (void)pthread_mutex_unlock(&guard);
}

sedge_status sedge_opencl_environment_begin(void)
{
    sedge_status status = SEDGE_OK;

    sedge_opencl_choose_folder();
    (void)pthread_mutex_lock(&guard);
    if (owner != getpid()) {
        owner = getpid();
        users = 0;
    }
    if (users == 0) {
        status = set_all(changes);
        if (status == SEDGE_OK) status = set_search(&changes[SEARCH]);
        if (status == SEDGE_OK) status = keep_topology(&changes[TOPOLOGY]);
        if (status != SEDGE_OK) restore();
        if (status == SEDGE_OK) keep_handlers();
    }
    if (status == SEDGE_OK) users++;
    (void)pthread_mutex_unlock(&guard);
    return status;
}

void sedge_opencl_environment_end(void)
{
    (void)pthread_mutex_lock(&guard);
    if (--users == 0) {
        restore_handlers();
        restore();
    }
    (void)pthread_mutex_unlock(&guard);
}
