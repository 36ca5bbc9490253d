#include "deck_tree.h"

#include "base/plain.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

void deck_print_number(char text[32], double value)
{
    char *exponent = NULL;

    if (value == floor(value) && fabs(value) < 1e7) {
        (void)sedge_plain_print(text, 32, "%.0f", value);
        return;
    }
    for (int digits = 1; digits <= 17; digits++) {
        (void)sedge_plain_print(text, 32, "%.*g", digits, value);
        if (sedge_plain_read(text, NULL) == value) break;
    }
    exponent = strchr(text, 'e');
    if (exponent == NULL) return;
    // "1e-09" and "1e+20" become "1e-9" and "1e20".
    char *to = exponent + 1;
    const char *from = exponent + 1;
    if (*from == '-') to++;
    from++;
    while (*from == '0') from++;
    memmove(to, from, strlen(from) + 1);
}

// May the text stand in YAML without quotes, as a text? Words that other readers of YAML take for
// something else ("no") are harmless here, but are quoted for them.
static bool is_word(const char *text)
{
    static const char *const taken[] = {"null", "true", "false", "yes", "no", "on", "off"};
    const char first = text[0];

    if (!((first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z') || first == '/' ||
          first == '.' || first == '_'))
        return false;
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++)
        if (strcmp(text, taken[i]) == 0) return false;
    return text[strspn(text,
                       "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./")] ==
               '\0' &&
           strstr(text, "...") == NULL;
}

// The code point at `*at` of valid UTF-8; moves on.
static uint32_t next_code_point(const unsigned char **at)
{
    const unsigned char c = *(*at)++;
    const int more = c < 0x80 ? 0 : c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;
    uint32_t code = more == 0 ? c : c & (0x3fU >> more);

    for (int i = 0; i < more; i++) code = code << 6 | (*(*at)++ & 0x3fU);
    return code;
}

// What YAML does not print is escaped.
sedge_status deck_write_quoted(sedge_text *out, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;

    SEDGE_TRY(sedge_text_add(out, "\""));
    while (*at != '\0') {
        const unsigned char *const begin = at;
        const uint32_t code = next_code_point(&at);

        if (code == '"' || code == '\\') {
            SEDGE_TRY(sedge_text_add(out, "\\%c", (int)code));
        } else if (code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x2028 ||
                   code == 0x2029 || code == 0xfeff || code == 0xfffe || code == 0xffff) {
            SEDGE_TRY(sedge_text_add(out, "\\u%04x", code));
        } else {
            SEDGE_TRY(sedge_text_add_bytes(out, (const char *)begin, (size_t)(at - begin)));
        }
    }
    return sedge_text_add(out, "\"");
}

static sedge_status write_scalar(sedge_text *out, const char *text, bool plain)
{
    if (plain || is_word(text)) return sedge_text_add(out, "%s", text);
    return deck_write_quoted(out, text);
}

static sedge_status write_children(sedge_text *out, const deck_node *node, int indent);

// Behind "key:" or "-": a value on the same line, or children on the following ones.
static sedge_status write_value(sedge_text *out, const deck_node *node, int indent)
{
    const char *separator = "";

    if (node->kind == DECK_SCALAR) {
        SEDGE_TRY(sedge_text_add(out, " "));
        SEDGE_TRY(write_scalar(out, node->text, node->plain));
        return sedge_text_add(out, "\n");
    }
    if (node->count == 0)
        return sedge_text_add(out, node->kind == DECK_MAPPING ? " {}\n" : " []\n");
    if (node->kind == DECK_SEQUENCE && node->first->kind == DECK_SCALAR) {
        SEDGE_TRY(sedge_text_add(out, " ["));
        for (const deck_node *child = node->first; child != NULL; child = child->next) {
            SEDGE_TRY(sedge_text_add(out, "%s", separator));
            SEDGE_TRY(write_scalar(out, child->text, child->plain));
            separator = ", ";
        }
        return sedge_text_add(out, "]\n");
    }
    SEDGE_TRY(sedge_text_add(out, "\n"));
    return write_children(out, node, indent + 2);
}

static sedge_status write_children(sedge_text *out, const deck_node *node, int indent)
{
    for (const deck_node *child = node->first; child != NULL; child = child->next) {
        SEDGE_TRY(sedge_text_add(out, "%*s", indent, ""));
        if (node->kind == DECK_MAPPING) {
            SEDGE_TRY(write_scalar(out, child->key, false));
            SEDGE_TRY(sedge_text_add(out, ":"));
        } else {
            SEDGE_TRY(sedge_text_add(out, "-"));
        }
        SEDGE_TRY(write_value(out, child, indent));
    }
    return SEDGE_OK;
}

sedge_status deck_tree_write(sedge_text *out, const deck_node *root)
{
    return write_children(out, root, 0);
}
