#define _DEFAULT_SOURCE // sched_yield
#include "host_peer.h"

#include "fake_peer.h"

#include <sched.h>
#include <stdint.h>
#include <string.h>

// What --wrap makes of the names.
const sedge_peer *host_peer_wrapped(const sedge_device *device,
                                    const char **why) __asm__("__wrap_sedge_device_peer");
const sedge_peer *host_peer_real(const sedge_device *device,
                                 const char **why) __asm__("__real_sedge_device_peer");

static sedge_status copy(sedge_device *device, sedge_stream *stream, uint64_t to, uint64_t from,
                         int64_t bytes)
{
    (void)device;
    (void)stream;
    memcpy((void *)(uintptr_t)to, (const void *)(uintptr_t)from, (size_t)bytes);
    return SEDGE_OK;
}

static sedge_status do_flags(sedge_device *device, sedge_stream *stream, const sedge_flag *list,
                             int count)
{
    (void)device;
    (void)stream;
    for (int i = 0; i < count; i++) {
        uint32_t *const at = (uint32_t *)(uintptr_t)list[i].address;
        if (!list[i].wait) __atomic_store_n(at, list[i].value, __ATOMIC_RELEASE);
        while (list[i].wait && __atomic_load_n(at, __ATOMIC_ACQUIRE) != list[i].value)
            (void)sched_yield();
    }
    return SEDGE_OK;
}

static sedge_status is_idle(sedge_device *device, sedge_stream *stream, bool *idle)
{
    (void)device;
    (void)stream;
    *idle = true;
    return SEDGE_OK;
}

const sedge_peer *host_peer_get(const sedge_device *device, const char **why)
{
    static sedge_peer peer;

    if (sedge_device_get_info(device)->kind != SEDGE_DEVICE_HOST)
        return host_peer_real(device, why);
    peer = fake_peer; // its memory
    peer.copy = copy;
    peer.flags = do_flags;
    peer.idle = is_idle;
    *why = NULL;
    return &peer;
}

const sedge_peer *host_peer_wrapped(const sedge_device *device, const char **why)
{
    return host_peer_get(device, why);
}
