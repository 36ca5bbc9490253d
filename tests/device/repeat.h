// What sedge_buffer_repeat makes, on any device.
#pragma once

#include "base/memory.h"
#include "check.h"
#include "device/device.h"

// A pattern whose length divides nothing, in buffers shorter and longer than a single copy is.
static inline void check_repeat(sedge_device *device)
{
    enum { PATTERN = 7001, LONG = (40 << 20) + 5 };
    const int64_t sizes[] = {PATTERN, PATTERN + 1, 2 * PATTERN, LONG};
    unsigned char *bytes = NULL;
    sedge_buffer *buffer = NULL;
    int64_t wrong = 0;

    CHECK_OK(sedge_allocate(&bytes, LONG, 1));
    for (int s = 0; s < 4; s++) {
        for (int i = 0; i < PATTERN; i++) bytes[i] = (unsigned char)(i * 31 % 251);
        CHECK_OK(sedge_buffer_create(&buffer, device, sizes[s]));
        CHECK_OK(sedge_buffer_upload(buffer, 0, bytes, PATTERN, NULL));
        CHECK_OK(sedge_buffer_repeat(buffer, PATTERN, NULL));
        CHECK_OK(sedge_buffer_download(buffer, 0, bytes, sizes[s], NULL));
        for (int64_t i = 0; i < sizes[s]; i++)
            wrong += bytes[i] != (unsigned char)(i % PATTERN * 31 % 251);
        CHECK_FAILS(sedge_buffer_repeat(buffer, 0, NULL), SEDGE_ERR_INTERNAL, "0 bytes");
        CHECK_FAILS(sedge_buffer_repeat(buffer, sizes[s] + 1, NULL), SEDGE_ERR_INTERNAL, "outside");
        sedge_buffer_free(buffer);
    }
    CHECK(wrong == 0);
    CHECK_OK(sedge_buffer_create(&buffer, device, 0));
    CHECK_OK(sedge_buffer_repeat(buffer, 0, NULL));
    sedge_buffer_free(buffer);
    sedge_release(bytes);
}
