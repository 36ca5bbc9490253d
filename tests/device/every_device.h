// Checks that every kind of device must pass: of its memory, and of its compiler's messages.
#pragma once

#include "base/memory.h"
#include "check.h"
#include "device/device.h"

// New buffers are zero, each keeps its own bytes, what lies outside is refused, and all is counted.
// `too_large` bytes are more than there are, `words` say how many.
static inline void check_memory(sedge_device *device, int64_t too_large, const char *words)
{
    const int64_t before = sedge_device_memory_now(device);
    const int64_t bytes = (int64_t)5 << 20; // more than what gets pages of its own
    sedge_buffer *many[100];
    sedge_buffer *large = NULL;
    sedge_buffer *empty = NULL;
    unsigned char *pinned = NULL;
    unsigned char back[48] = {1};
    int wrong = 0;

    CHECK_OK(sedge_buffer_create(&large, device, bytes + 1));
    CHECK_OK(sedge_buffer_create(&empty, device, 0));
    CHECK(sedge_device_memory_now(device) == before + bytes + 1);
    CHECK(sedge_buffer_bytes(large) == bytes + 1 && sedge_buffer_address(empty) != 0);
    CHECK_OK(sedge_buffer_download(large, bytes - 47, back, 48, NULL));
    for (int i = 0; i < 48; i++) wrong += back[i] != 0;
    CHECK_OK(sedge_pinned_allocate(&pinned, device, 100));
    for (int i = 0; i < 100; i++) wrong += pinned[i] != 0;
    for (int i = 0; i < 100; i++) {
        CHECK_OK(sedge_buffer_create(&many[i], device, 48));
        memset(pinned, i, 48);
        CHECK_OK(sedge_buffer_upload(many[i], 0, pinned, 48, NULL));
    }
    sedge_pinned_release(device, pinned);
    // Freed in another order.
    for (int i = 0; i < 100; i += 3) sedge_buffer_free(many[i]);
    CHECK_OK(sedge_buffer_copy(many[1], many[97], 5, NULL));
    CHECK_FAILS(sedge_buffer_upload(many[1], 47, back, 2, NULL), SEDGE_ERR_INTERNAL,
                "2 bytes at offset 47 lie outside a buffer of 48 bytes");
    CHECK_FAILS(sedge_buffer_download(many[1], -1, back, 1, NULL), SEDGE_ERR_INTERNAL, "offset -1");
    CHECK_FAILS(sedge_buffer_copy(many[1], large, 49, NULL), SEDGE_ERR_INTERNAL, "49 bytes");
    for (int i = 0; i < 100; i++) {
        if (i % 3 == 0) continue;
        CHECK_OK(sedge_buffer_download(many[i], 0, back, 48, NULL));
        for (int k = 0; k < 48; k++) wrong += back[k] != (i == 1 && k < 5 ? 97 : i);
        sedge_buffer_free(many[i]);
    }
    CHECK(wrong == 0);
    sedge_buffer_free(large);
    sedge_buffer_free(empty);
    CHECK(sedge_device_memory_peak(device) >= before + bytes + 1);
    CHECK_FAILS(sedge_buffer_create(&large, device, too_large), SEDGE_ERR_MEMORY, words);
    CHECK(large == NULL && sedge_device_memory_now(device) == before);
    CHECK_FAILS(sedge_buffer_create(&large, device, -8), SEDGE_ERR_INTERNAL, "-8 bytes");
}

// Messages name the place in the user's own text, and the text; nothing is left of what fails.
static inline void check_messages(sedge_device *device)
{
    void *binary = NULL;
    size_t length = 0;
    sedge_text *log = NULL;

    CHECK_OK(sedge_text_create(&log));
    CHECK_FAILS(sedge_device_compile(device,
                                     "#line 41 \"codegen/kernels/flux.h\"\n"
                                     "void f(void)\n{\n    undeclared_thing = 1;\n}\n",
                                     NULL, "broken", &binary, &length, log),
                SEDGE_ERR_DEVICE, "codegen/kernels/flux.h:43");
    CHECK(strstr(sedge_error_message(), "'broken'") != NULL);
    CHECK(strstr(sedge_error_message(), "undeclared_thing") != NULL);
    CHECK(strstr(sedge_text_get(log), "undeclared_thing") != NULL);
    CHECK(binary == NULL && length == 0);
    CHECK_FAILS(sedge_device_compile(device, "int x;\n", "sm_90", NULL, &binary, &length, NULL),
                SEDGE_ERR_INTERNAL, "not for 'sm_90'");
    sedge_text_free(log);
}

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
