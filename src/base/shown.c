#include "shown.h"

#include <stdint.h>
#include <stdio.h>

// Bytes of the UTF-8 character at `at`, and its number; 0: it is none. Shortest forms only, no
// surrogates (RFC 3629).
static size_t read_character(uint32_t *number, const unsigned char *at)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const size_t length = at[0] < 0x80             ? 1
                          : (at[0] & 0xe0) == 0xc0 ? 2
                          : (at[0] & 0xf0) == 0xe0 ? 3
                          : (at[0] & 0xf8) == 0xf0 ? 4
                                                   : 0;

    if (length < 2) {
        *number = at[0];
        return length;
    }
    *number = at[0] & (0x7fU >> length);
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80) return 0;
        *number = *number << 6 | (at[i] & 0x3fU);
    }
    const bool surrogate = *number >= 0xd800 && *number <= 0xdfff;
    return *number < least[length] || *number > 0x10ffff || surrogate ? 0 : length;
}

// Control characters of both sets; marks of direction; separators of lines and paragraphs.
static bool steers(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x061c || c == 0x200e || c == 0x200f ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

static bool ends_line(uint32_t c)
{
    return c == '\n' || c == '\t';
}

void sedge_shown(char *out, size_t size, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    size_t used = 0;

    if (size == 0) return;
    while (*at != '\0') {
        uint32_t character;
        size_t length = read_character(&character, at);
        const bool plain = length > 0 && (!steers(character) || ends_line(character));
        if (length == 0) length = 1;
        if (used + (plain ? length : 4 * length) >= size) break;
        for (size_t i = 0; i < length && plain; i++) out[used + i] = (char)at[i];
        for (size_t i = 0; i < length && !plain; i++)
            (void)snprintf(out + used + 4 * i, 5, "\\x%02x", (unsigned)at[i]);
        used += plain ? length : 4 * length;
        at += length;
    }
    out[used] = '\0';
}

bool sedge_is_shown(const char *text, bool lines)
{
    const unsigned char *at = (const unsigned char *)text;

    while (*at != '\0') {
        uint32_t character;
        const size_t length = read_character(&character, at);
        if (length == 0 || (steers(character) && !(lines && ends_line(character)))) return false;
        at += length;
    }
    return true;
}
