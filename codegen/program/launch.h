// Launching a kernel with arguments that are checked.
//
//     SEDGE_TRY(SEDGE_LAUNCH(kernel, stream, blocks, sedge_buffer_argument(x),
//                            sedge_float_argument(2.0f), sedge_int64_argument(count)));
//
// The number of arguments, and size and kind (pointer, integer, floating point) of each, are
// compared with the kernel's own list; a wrong call is SEDGE_ERR_USAGE and names kernel, argument,
// what it takes and what it was given. The block's threads are those the kernel was written with
// (SEDGE_KERNEL); a kernel that does not tell them is refused: sedge_kernel_launch runs it.
#pragma once

#include "base/error.h"
#include "device/device.h"

#include <stdint.h>

typedef struct sedge_argument {
    const char *type;      // "pointer", "int32", "float32", ...; for messages
    sedge_value_kind kind; // SEDGE_KIND_UNKNOWN goes with any parameter of this size
    int bytes;
    union {
        uint64_t address;
        int32_t int32;
        int64_t int64;
        float float32;
        double float64;
        unsigned char bytes[16];
    } value;
} sedge_argument;

sedge_argument sedge_buffer_argument(const sedge_buffer *buffer); // NULL: a null pointer
sedge_argument sedge_address_argument(uint64_t address);          // of device memory
sedge_argument sedge_int32_argument(int32_t value);
sedge_argument sedge_int64_argument(int64_t value);
sedge_argument sedge_float_argument(float value);
sedge_argument sedge_double_argument(double value);
// Any other type of 1 to 16 bytes, e.g. a complex number. Only the size is compared; a launch
// refuses an argument of another size.
sedge_argument sedge_bytes_argument(const void *value, int bytes);

// Behind SEDGE_LAUNCH. Not collective. `stream` NULL: done when the call returns. `blocks` 0 does
// nothing, less than 0 is SEDGE_ERR_USAGE.
SEDGE_MUST_USE
sedge_status sedge_launch(const sedge_kernel *kernel, sedge_stream *stream, int64_t blocks,
                          const sedge_argument *arguments, int count);

#define SEDGE_LAUNCH(kernel, stream, blocks, ...)                               \
    sedge_launch((kernel), (stream), (blocks), (sedge_argument[]){__VA_ARGS__}, \
                 (int)(sizeof((sedge_argument[]){__VA_ARGS__}) / sizeof(sedge_argument)))

// Seconds of one call of `launch(context, stream)`, the least of `rounds` batches between two
// events; a batch has as many calls as take about 200 us (at least one), after one call that is not
// counted. `rounds` is at least 1. Waits; not collective. For tools that time one thing; the tuner
// compares many (tune/tune.h).
SEDGE_MUST_USE
sedge_status sedge_time(double *seconds, sedge_device *device, int rounds,
                        sedge_status (*launch)(void *context, sedge_stream *stream), void *context);
