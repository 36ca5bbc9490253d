// Compilers within drivers: those that end in time, and one that does not.
#define _DEFAULT_SOURCE
#include "check.h"

#include "base/memory.h"
#include "device/device.h"
#include "device/limit.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct quick_call {
    int given, result;
    bool blocked; // signals are, in the thread
} quick_call;

static void work_quickly(void *argument)
{
    quick_call *const call = argument;
    sigset_t now;

    call->result = 2 * call->given;
    call->blocked = sigprocmask(SIG_BLOCK, NULL, &now) == 0 && sigismember(&now, SIGTERM) == 1;
}

static void work_for_ever(void *argument)
{
    (void)argument;
    for (;;) (void)pause();
}

static void test_quick(void)
{
    for (int i = 0; i < 100; i++) {
        quick_call call = {.given = i};
        CHECK_OK(sedge_limit_run("nobody", work_quickly, &call));
        CHECK(call.result == 2 * i && call.blocked);
    }
    CHECK(!sedge_device_is_left_busy());
}

static void test_seconds(void)
{
    int64_t seconds = 0;
    quick_call call = {.given = 1};

    CHECK(unsetenv("SEDGE_CC_SECONDS") == 0);
    CHECK_OK(sedge_compiler_seconds(&seconds));
    CHECK(seconds == 600);
    CHECK(setenv("SEDGE_CC_SECONDS", "7s", 1) == 0);
    CHECK_FAILS(sedge_limit_run("nobody", work_quickly, &call), SEDGE_ERR_USAGE,
                "SEDGE_CC_SECONDS='7s' is not a number of seconds in 1..86400");
    CHECK(call.result == 0);
}

static void stop_compilers(int number)
{
    (void)number;
    sedge_device_stop_compilers(true); // NOLINT(bugprone-signal-handler)
}

static void send_and_hang(void *argument)
{
    (void)kill(getpid(), SIGUSR1); // heard by the thread that waits
    work_for_ever(argument);
}

// A signal while one is at work: it is not waited for, nor any other; without that one that was
// asked for afterwards is.
static void test_stopped(void)
{
    quick_call call = {.given = 1};

    CHECK(setenv("SEDGE_CC_SECONDS", "100", 1) == 0);
    CHECK(signal(SIGUSR1, stop_compilers) != SIG_ERR);
    sedge_device_stop_compilers(true);
    CHECK_OK(sedge_limit_run("nobody", work_quickly, &call));
    CHECK(call.result == 2);
    sedge_device_stop_compilers(false);
    CHECK_FAILS(sedge_limit_run("the slow one", send_and_hang, NULL), SEDGE_ERR_STOPPED,
                "stopped by a signal while the slow one was at work, before the first step");
    CHECK(sedge_device_is_left_busy());
    CHECK_FAILS(sedge_limit_run("the next one", work_for_ever, NULL), SEDGE_ERR_STOPPED,
                "while the next one was at work");
    sedge_device_stop_compilers(false);
    CHECK_OK(sedge_limit_run("nobody", work_quickly, &call));
}

static void test_one_that_hangs(void)
{
    CHECK(setenv("SEDGE_CC_SECONDS", "1", 1) == 0);
    CHECK_FAILS(sedge_limit_run("the slow one", work_for_ever, NULL), SEDGE_ERR_DEVICE,
                "the slow one did not end within 1 s (SEDGE_CC_SECONDS)");
    CHECK(sedge_device_is_left_busy());
}

int main(void)
{
    test_quick();
    test_seconds();
    test_stopped();
    test_one_that_hangs();
    return CHECK_END();
}
