// Launching a kernel with arguments that are checked.
//
//     SEDGE_TRY(SEDGE_LAUNCH(kernel, stream, blocks, sedge_buffer_argument(x),
//                            sedge_float_argument(2.0f), sedge_int64_argument(count)));
//
// The number of arguments, and size and kind (pointer, integer, floating point) of each, are
// compared with the kernel's own list; a wrong call is SEDGE_ERR_USAGE, and the message names the
// kernel, the argument, the expected and the given type. A block has as many threads as the kernel
// was written with (SEDGE_KERNEL). A kernel that does not state this number is refused;
// sedge_kernel_launch can run it.
#pragma once

#include "base/error.h"
#include "device/device.h"

#include <stdint.h>

typedef struct sedge_argument {
    const char *type;      // "pointer", "int32", "float32", ...; for messages
    sedge_value_kind kind; // SEDGE_KIND_UNKNOWN matches any parameter of this size
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

// The function that SEDGE_LAUNCH calls. Not collective. With `stream` NULL the kernel has finished
// when the call returns. With 0 `blocks` nothing is done; a negative number is SEDGE_ERR_USAGE.
SEDGE_MUST_USE
sedge_status sedge_launch(const sedge_kernel *kernel, sedge_stream *stream, int64_t blocks,
                          const sedge_argument *arguments, int count);

#define SEDGE_LAUNCH(kernel, stream, blocks, ...)                               \
    sedge_launch((kernel), (stream), (blocks), (sedge_argument[]){__VA_ARGS__}, \
                 (int)(sizeof((sedge_argument[]){__VA_ARGS__}) / sizeof(sedge_argument)))

// Measure the seconds of one call of `launch(context, stream)`. After one call that is not timed,
// `rounds` (at least 1) batches of calls are timed between two events; the fastest batch counts. A
// batch has as many calls as take about 200 us, at least one. Waits; not collective. For tools that
// time one kernel; to compare several, use the tuner (tune/tune.h).
SEDGE_MUST_USE
sedge_status sedge_time(double *seconds, sedge_device *device, int rounds,
                        sedge_status (*launch)(void *context, sedge_stream *stream), void *context);
