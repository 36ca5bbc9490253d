#include "text.h"

#include "plain.h"

#include <stdlib.h>
#include <string.h>

struct sedge_text {
    char *bytes;
    size_t length;
    size_t capacity;
};

static sedge_status reserve(sedge_text *text, size_t more)
{
    const size_t needed = text->length + more + 1;

    if (needed <= text->capacity) return SEDGE_OK;
    size_t capacity = text->capacity;
    while (capacity < needed) capacity *= 2;
    char *const grown = realloc(text->bytes, capacity);
    if (grown == NULL)
        return SEDGE_FAIL(SEDGE_ERR_MEMORY, "out of memory for %zu bytes of text", needed);
    text->bytes = grown;
    text->capacity = capacity;
    return SEDGE_OK;
}

sedge_status sedge_text_create(sedge_text **out)
{
    sedge_text *const text = calloc(1, sizeof *text);

    *out = NULL;
    if (text == NULL) return SEDGE_FAIL(SEDGE_ERR_MEMORY, "out of memory for a text");
    text->capacity = 256;
    text->bytes = calloc(1, text->capacity);
    if (text->bytes == NULL) {
        free(text);
        return SEDGE_FAIL(SEDGE_ERR_MEMORY, "out of memory for a text");
    }
    *out = text;
    return SEDGE_OK;
}

void sedge_text_free(sedge_text *text)
{
    if (text == NULL) return;
    free(text->bytes);
    free(text);
}

sedge_status sedge_text_add(sedge_text *text, const char *format, ...)
{
    va_list args;
    va_list again;

    va_start(args, format);
    va_copy(again, args);
    const int length = sedge_plain_print_list(NULL, 0, format, args);
    va_end(args);
    if (length < 0) {
        va_end(again);
        return SEDGE_FAIL(SEDGE_ERR_INTERNAL, "text cannot be formatted by '%s'", format);
    }
    const sedge_status status = reserve(text, (size_t)length);
    if (status == SEDGE_OK) {
        (void)sedge_plain_print_list(text->bytes + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
    return status;
}

sedge_status sedge_text_add_bytes(sedge_text *text, const char *bytes, size_t length)
{
    SEDGE_TRY(reserve(text, length));
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = '\0';
    return SEDGE_OK;
}

const char *sedge_text_get(const sedge_text *text)
{
    return text->bytes;
}

size_t sedge_text_length(const sedge_text *text)
{
    return text->length;
}
