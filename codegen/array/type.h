// Element types of arrays, with numpy's rules of promotion.
#pragma once

#include <stdbool.h>

// Type, name as numpy's, bytes, type in kernels.
#define SEDGE_TYPE_LIST(X)                                \
    X(SEDGE_INT8, "int8", 1, "signed char")               \
    X(SEDGE_INT16, "int16", 2, "short")                   \
    X(SEDGE_INT32, "int32", 4, "int")                     \
    X(SEDGE_INT64, "int64", 8, "sedge_int64")             \
    X(SEDGE_UINT8, "uint8", 1, "unsigned char")           \
    X(SEDGE_UINT16, "uint16", 2, "unsigned short")        \
    X(SEDGE_UINT32, "uint32", 4, "unsigned")              \
    X(SEDGE_UINT64, "uint64", 8, "sedge_uint64")          \
    X(SEDGE_FLOAT32, "float32", 4, "float")               \
    X(SEDGE_FLOAT64, "float64", 8, "double")              \
    X(SEDGE_COMPLEX64, "complex64", 8, "sedge_complex64") \
    X(SEDGE_COMPLEX128, "complex128", 16, "sedge_complex128")

typedef enum sedge_type {
#define SEDGE_TYPE_ENUM(type, name, bytes, word) type,
    SEDGE_TYPE_LIST(SEDGE_TYPE_ENUM)
#undef SEDGE_TYPE_ENUM
        SEDGE_TYPES
} sedge_type;

const char *sedge_type_name(sedge_type type);
const char *sedge_type_word(sedge_type type); // in kernels
int sedge_type_bytes(sedge_type type);
bool sedge_type_is_complex(sedge_type type);
bool sedge_type_is_integer(sedge_type type);
sedge_type sedge_type_promote(sedge_type a, sedge_type b); // numpy.promote_types
