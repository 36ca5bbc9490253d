// A user's own kernels in tests: a device, and programs from strings on it.
#pragma once

#include "check.h"
#include "program/launch.h"
#include "program/program.h"

#include <stdlib.h>

typedef struct own_world {
    sedge_comm *comm;
    sedge_device *device;
    sedge_cache *cache;
} own_world;

// The device that SEDGE_TEST_DEVICE names, "host" without it. False: the test has failed.
static inline bool own_open(own_world *world)
{
    const char *const kind = getenv("SEDGE_TEST_DEVICE");

    *world = (own_world){.comm = NULL};
    sedge_device_prepare_environment();
    CHECK_OK(sedge_device_start_helper());
    CHECK_OK(sedge_comm_create(&world->comm, NULL));
    if (world->comm == NULL) return false;
    CHECK_OK(sedge_device_create(&world->device, kind != NULL ? kind : "host", 0, 1));
    CHECK_OK(sedge_cache_create(&world->cache, NULL));
    return world->device != NULL && world->cache != NULL;
}

static inline void own_close(own_world *world)
{
    sedge_cache_free(world->cache);
    sedge_device_free(world->device);
    sedge_comm_free(world->comm);
    sedge_device_stop_helper();
}

// A program of one source, which messages name `file`.
static inline sedge_status own_program(sedge_program **out, const own_world *world,
                                       const char *file, const char *text)
{
    const sedge_source source = {file, text};
    const sedge_program_options options = {
        .name = "own", .constants = "", .sources = &source, .count = 1};

    return sedge_program_create(out, world->comm, world->device, world->cache, &options);
}

static inline sedge_buffer *own_buffer(const own_world *world, const void *values, int64_t bytes)
{
    sedge_buffer *buffer = NULL;

    CHECK_OK(sedge_buffer_create(&buffer, world->device, bytes));
    CHECK_OK(sedge_buffer_upload(buffer, 0, values, bytes, NULL));
    return buffer;
}
