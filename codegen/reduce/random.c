// Random numbers into arrays.
#include "reduce/random.h"

#include "array/iteration.h"
#include "array/pattern_program.h"
#include "array/shared.h"
#include "array/strided.h"
#include "elementwise/elementwise.h"
#include "program/launch.h"
#include "reduce/random_kernel.h"

#include <string.h>

enum { RANDOM_THREADS = 256, RANDOM_ITEMS = 1024 }; // of a block: threads, counters

static bool takes_two_words(sedge_type type)
{
    const int bytes = sedge_type_bytes(type);
    return sedge_type_is_complex(type) ? bytes == 16 : bytes == 8;
}

static int parts_of(sedge_type type)
{
    return sedge_type_is_complex(type) ? 2 : 1;
}

// Elements that a counter's four words make.
static int elements_of(sedge_type type)
{
    return (takes_two_words(type) ? 2 : 4) / parts_of(type);
}

// ---- programs ----------------------------------------------------------------------------------

enum { RANDOM_VALUES = 8 };

static sedge_pattern_program describe(sedge_binding values[RANDOM_VALUES],
                                      const sedge_random_shape *shape)
{
    static const char *const names[] = {"random-bits", "random-uniform", "random-normal"};
    const sedge_type type = (sedge_type)shape->type;
    const sedge_type part = type == SEDGE_COMPLEX64    ? SEDGE_FLOAT32
                            : type == SEDGE_COMPLEX128 ? SEDGE_FLOAT64
                                                       : type;

    values[0] = SEDGE_BIND_TEXT("real", sedge_type_word(part));
    values[1] = SEDGE_BIND_INTEGER("kind", shape->kind);
    values[2] = SEDGE_BIND_INTEGER("two_words", takes_two_words(type));
    values[3] = SEDGE_BIND_INTEGER("parts", parts_of(type));
    values[4] = SEDGE_BIND_INTEGER("elements", elements_of(type));
    values[5] = SEDGE_BIND_INTEGER("threads", RANDOM_THREADS);
    values[6] = SEDGE_BIND_INTEGER("items", RANDOM_ITEMS);
    values[7] = SEDGE_BIND_INTEGER("dimensions", shape->dimensions);
    return (sedge_pattern_program){.name = names[shape->kind],
                                   .types = {.name = "codegen/kernels/reduce/random_types.h",
                                             .bindings = values,
                                             .count = RANDOM_VALUES},
                                   .kernels = "codegen/kernels/reduce/philox.h"};
}

sedge_status sedge_random_program_write(sedge_text *out, sedge_device_kind kind,
                                        const sedge_random_shape *shape)
{
    sedge_binding values[RANDOM_VALUES];
    const sedge_pattern_program made = describe(values, shape);

    return sedge_pattern_program_write(out, kind, &made);
}

static sedge_status make_kernel(sedge_cached_kernel *cached, sedge_context *context,
                                const sedge_random_shape *shape)
{
    sedge_binding values[RANDOM_VALUES];
    const sedge_pattern_program made = describe(values, shape);
    const sedge_program *program;

    SEDGE_TRY(sedge_pattern_program_get(&program, context, &made));
    return sedge_program_get(&cached->kernel[0], program, "sedge_random");
}

static sedge_status get_kernel(const sedge_cached_kernel **out, sedge_context *context,
                               const sedge_random_shape *shape)
{
    static const char tag[6] = {'r', 'a', 'n', 'd', 'o', 'm'};
    unsigned char key[sizeof tag + sizeof *shape];

    memcpy(key, tag, sizeof tag);
    memcpy(key + sizeof tag, shape, sizeof *shape);
    *out = sedge_cached_kernel_find(sedge_context_kernels(context), key, (int)sizeof key);
    if (*out != NULL) return SEDGE_OK;

    sedge_cached_kernel cached = {.threads = RANDOM_THREADS,
                                  .items =
                                      (int64_t)RANDOM_ITEMS * elements_of((sedge_type)shape->type)};
    SEDGE_TRY(make_kernel(&cached, context, shape));
    return sedge_cached_kernel_keep(out, sedge_context_kernels(context), key, (int)sizeof key,
                                    &cached);
}

// ---- calls -------------------------------------------------------------------------------------

static sedge_status fill(sedge_array *array, sedge_random *random, sedge_random_kind kind)
{
    const sedge_array *const arrays[1] = {array};
    const int64_t size = sedge_array_size(array);
    const int per = elements_of(array->type);
    const uint64_t skipped = random->offset % (uint64_t)per;
    const uint64_t address = sedge_array_address(array);
    const bool packed =
        skipped == 0 && address % (uint64_t)(per * sedge_type_bytes(array->type)) == 0;
    sedge_random_shape shape = {.type = (int)array->type, .kind = (int)kind};
    sedge_argument arguments[7 + 2 * SEDGE_ARRAY_DIMENSIONS];
    const sedge_cached_kernel *cached;
    sedge_iteration iteration;
    int count = 0;

    SEDGE_TRY(sedge_target_check(array, array->dimensions, array->shape));
    if (size == 0) return SEDGE_OK;
    sedge_iteration_make(&iteration, array->dimensions, array->shape, 1, arrays);
    if (!sedge_array_is_contiguous(array)) shape.dimensions = iteration.dimensions;
    SEDGE_TRY(get_kernel(&cached, array->context, &shape));
    arguments[count++] = sedge_address_argument(address);
    arguments[count++] = sedge_int64_argument(size);
    arguments[count++] = sedge_int64_argument((int64_t)(random->offset / (uint64_t)per));
    arguments[count++] = sedge_int64_argument((int64_t)skipped);
    arguments[count++] = sedge_int64_argument(packed && shape.dimensions == 0);
    arguments[count++] = sedge_int32_argument((int32_t)(uint32_t)random->seed);
    arguments[count++] = sedge_int32_argument((int32_t)(uint32_t)(random->seed >> 32));
    for (int d = 0; d < shape.dimensions; d++) {
        arguments[count++] = sedge_int64_argument(iteration.shape[d]);
        arguments[count++] = sedge_int64_argument(iteration.stride[0][d]);
    }
    const int64_t blocks = (size + (int64_t)skipped + cached->items - 1) / cached->items;
    SEDGE_TRY(sedge_launch(cached->kernel[0], sedge_context_stream(array->context), blocks,
                           arguments, count));
    random->offset += (uint64_t)size;
    return SEDGE_OK;
}

sedge_status sedge_array_random_bits(sedge_array *array, sedge_random *random)
{
    if (!sedge_type_is_integer(array->type)) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "random bits for %s: an integer type is needed",
                          sedge_type_name(array->type));
    }
    return fill(array, random, SEDGE_RANDOM_BITS);
}

sedge_status sedge_array_random_uniform(sedge_array *array, sedge_random *random)
{
    if (sedge_type_is_integer(array->type)) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "uniform random numbers for %s: a floating-point or complex type is "
                          "needed",
                          sedge_type_name(array->type));
    }
    return fill(array, random, SEDGE_RANDOM_UNIFORM);
}

sedge_status sedge_array_random_normal(sedge_array *array, sedge_random *random)
{
    if (sedge_type_is_integer(array->type)) {
        return SEDGE_FAIL(
            SEDGE_ERR_USAGE,
            "normal random numbers for %s: a floating-point or complex type is needed",
            sedge_type_name(array->type));
    }
    return fill(array, random, SEDGE_RANDOM_NORMAL);
}
