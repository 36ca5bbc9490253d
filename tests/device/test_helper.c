// The helper process: needed, restarted, not shared with children, gone with its parent.
#define _DEFAULT_SOURCE // setenv, kill
#include "base/file.h"
#include "base/memory.h"
#include "check.h"
#include "device/device.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char temporary[] = SEDGE_TEST_DIR "/helper-tmp";

static sedge_status compile_something(sedge_device *device)
{
    void *binary = NULL;
    size_t length;
    const sedge_status status =
        sedge_device_compile(device, "int x;\n", NULL, NULL, &binary, &length, NULL);

    sedge_release(binary);
    return status;
}

static void test_helper_is_needed(void)
{
    sedge_device *device = NULL;

    CHECK_FAILS(sedge_device_create(&device, "host", 0, 1), SEDGE_ERR_DEVICE,
                "must call sedge_device_start_helper before MPI starts");
}

static void test_start_and_stop(void)
{
    sedge_device *device = NULL;

    CHECK_OK(sedge_device_start_helper());
    CHECK_OK(sedge_device_start_helper());
    CHECK_OK(sedge_device_create(&device, "host", 0, 1));
    CHECK_OK(compile_something(device));
    sedge_device_stop_helper();
    sedge_device_stop_helper();
    CHECK_FAILS(compile_something(device), SEDGE_ERR_DEVICE, "helper is not running");
    CHECK_OK(sedge_device_start_helper());
    CHECK_OK(compile_something(device));
    sedge_device_free(device);
}

// A forked child must not talk over its parent's socket, and may start its own.
static void test_child_has_none(void)
{
    int state = -1;
    const pid_t child = fork();

    if (child == 0) {
        sedge_device *device = NULL;
        const sedge_status refused = sedge_device_create(&device, "host", 0, 1);
        const sedge_status started = sedge_device_start_helper();
        const sedge_status created = sedge_device_create(&device, "host", 0, 1);
        _exit(refused == SEDGE_ERR_DEVICE && started == SEDGE_OK && created == SEDGE_OK ? 0 : 1);
    }
    CHECK(waitpid(child, &state, 0) == child && WIFEXITED(state) && WEXITSTATUS(state) == 0);
}

static int count_files(const char *path)
{
    DIR *const folder = opendir(path);
    int count = 0;

    if (folder == NULL) return -1;
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder))
        if (entry->d_name[0] != '.') count++;
    (void)closedir(folder);
    return count;
}

static void test_nothing_left_behind(void)
{
    sedge_device *device = NULL;
    void *binary = NULL;
    size_t length;

    CHECK_OK(sedge_device_create(&device, "host", 0, 1));
    CHECK_OK(compile_something(device));
    CHECK_FAILS(sedge_device_compile(device, "wrong", NULL, NULL, &binary, &length, NULL),
                SEDGE_ERR_DEVICE, "error");
    CHECK(count_files(temporary) == 0);
    sedge_device_free(device);
}

// When the parent is killed while a compiler runs, the helper cleans up and goes too.
static void test_killed_parent(void)
{
    static const char slow[] = SEDGE_TEST_DIR "/slow-compiler";
    static const char text[] = "#!/bin/sh\n"
                               "case \"$*\" in *kernel.c*) sleep 1;; *) echo version 1;; esac\n";
    int state;

    CHECK_OK(sedge_file_write(slow, text, strlen(text)));
    CHECK(chmod(slow, 0700) == 0);
    const pid_t child = fork();
    if (child == 0) {
        sedge_device *device = NULL;
        (void)setenv("SEDGE_CC", slow, 1);
        if (sedge_device_start_helper() != SEDGE_OK) _exit(1);
        if (sedge_device_create(&device, "host", 0, 1) != SEDGE_OK) _exit(2);
        (void)!compile_something(device);
        _exit(3);
    }
    for (int i = 0; i < 100 && count_files(temporary) == 0; i++) usleep(20000);
    usleep(200000); // most likely in the slow part now; right either way
    CHECK(kill(child, SIGKILL) == 0);
    CHECK(waitpid(child, &state, 0) == child && WIFSIGNALED(state));
    for (int i = 0; i < 250 && count_files(temporary) > 0; i++) usleep(20000);
    CHECK(count_files(temporary) == 0);
}

static void test_interrupt_is_the_parents(void)
{
    sedge_device *device = NULL;

    CHECK_OK(sedge_device_create(&device, "host", 0, 1));
    CHECK(signal(SIGINT, SIG_IGN) != SIG_ERR && signal(SIGTERM, SIG_IGN) != SIG_ERR);
    CHECK(kill(0, SIGINT) == 0 && kill(0, SIGTERM) == 0); // the whole group, as ^C does
    usleep(50000);
    CHECK_OK(compile_something(device));
    sedge_device_free(device);
}

int main(void)
{
    if (setpgid(0, 0) != 0 && getpgrp() != getpid()) return 1; // a group of our own to signal
    CHECK_OK(sedge_folder_make(temporary));
    CHECK(setenv("TMPDIR", temporary, 1) == 0);
    test_helper_is_needed();
    test_start_and_stop();
    test_child_has_none();
    test_nothing_left_behind();
    test_killed_parent();
    test_interrupt_is_the_parents();
    sedge_device_stop_helper();
    return CHECK_END();
}
