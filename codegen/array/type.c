#include "array/type.h"

typedef struct type_row {
    const char *name;
    const char *word;
    int bytes;
} type_row;

static const type_row rows[SEDGE_TYPES] = {
#define TYPE_ROW(type, name, bytes, word) {name, word, bytes},
    SEDGE_TYPE_LIST(TYPE_ROW)
#undef TYPE_ROW
};

const char *sedge_type_name(sedge_type type)
{
    return rows[type].name;
}

const char *sedge_type_word(sedge_type type)
{
    return rows[type].word;
}

int sedge_type_bytes(sedge_type type)
{
    return rows[type].bytes;
}

bool sedge_type_is_complex(sedge_type type)
{
    return type >= SEDGE_COMPLEX64;
}

bool sedge_type_is_integer(sedge_type type)
{
    return type <= SEDGE_UINT64;
}

static bool is_signed_integer(sedge_type type)
{
    return type <= SEDGE_INT64;
}

// The smallest type that holds all values of both; 64 bits of either sign meet in float64.
static sedge_type promote_integers(sedge_type a, sedge_type b)
{
    if (is_signed_integer(a) == is_signed_integer(b)) return a > b ? a : b;
    const sedge_type with_sign = is_signed_integer(a) ? a : b;
    const sedge_type without = is_signed_integer(a) ? b : a;
    if (rows[with_sign].bytes > rows[without].bytes) return with_sign;
    return without == SEDGE_UINT64 ? SEDGE_FLOAT64
                                   : (sedge_type)(without - SEDGE_UINT8 + SEDGE_INT16);
}

// Whether the parts of the type, or its values, need a float64.
static bool is_wide(sedge_type type)
{
    if (sedge_type_is_integer(type)) return rows[type].bytes > 2;
    return type == SEDGE_FLOAT64 || type == SEDGE_COMPLEX128;
}

sedge_type sedge_type_promote(sedge_type a, sedge_type b)
{
    if (sedge_type_is_integer(a) && sedge_type_is_integer(b)) return promote_integers(a, b);
    const bool wide = is_wide(a) || is_wide(b);
    if (sedge_type_is_complex(a) || sedge_type_is_complex(b))
        return wide ? SEDGE_COMPLEX128 : SEDGE_COMPLEX64;
    return wide ? SEDGE_FLOAT64 : SEDGE_FLOAT32;
}
