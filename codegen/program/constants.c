#include "program/constants.h"

#include "base/memory.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct constants_macro {
    const char *name;
    size_t name_length;
    const char *line; // with the lines that a backslash continues
    size_t line_length;
    bool mentioned;
} constants_macro;

enum { SHAPES = 1024 };

typedef struct constants_macros {
    constants_macro *rows; // [count], by name
    int count;
    bool known[SHAPES]; // whether a name of this shape is among them
} constants_macros;

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// The length of the line and of those that it continues in, with the last newline.
static size_t whole_line(const char *line)
{
    size_t length = strcspn(line, "\n");

    while (line[length] == '\n' && length > 0 && line[length - 1] == '\\')
        length += 1 + strcspn(line + length + 1, "\n");
    return length + (line[length] == '\n' ? 1 : 0);
}

// The macro that this line defines; its name's length is 0 for any other line.
static constants_macro find_macro(const char *line)
{
    const char *at = line + strspn(line, " \t");
    constants_macro macro = {.line = line, .line_length = whole_line(line)};

    if (*at != '#') return macro;
    at += 1 + strspn(at + 1, " \t");
    if (strncmp(at, "define", 6) != 0 || is_word(at[6])) return macro;
    at += 6;
    at += strspn(at, " \t");
    macro.name = at;
    while (is_word(at[macro.name_length])) macro.name_length++;
    return macro;
}

// A number that equal names share. Most words of a program have another one than all macros, and
// are not looked for.
static unsigned find_shape(const char *name, size_t length)
{
    const unsigned first = (unsigned char)name[0];
    const unsigned last = (unsigned char)name[length - 1];

    return (first * 31 + last * 7 + (unsigned)length) % SHAPES;
}

static int compare_names(const char *a, size_t a_length, const char *b, size_t b_length)
{
    const int order = memcmp(a, b, a_length < b_length ? a_length : b_length);

    return order != 0 ? order : (a_length > b_length) - (a_length < b_length);
}

static int compare_macros(const void *a, const void *b)
{
    const constants_macro *const x = a;
    const constants_macro *const y = b;

    return compare_names(x->name, x->name_length, y->name, y->name_length);
}

static sedge_status list_macros(constants_macros *macros, const char *constants)
{
    int lines = 1;

    for (const char *at = constants; *at != '\0'; at++) lines += *at == '\n';
    SEDGE_TRY(sedge_allocate(&macros->rows, lines, sizeof *macros->rows));
    for (const char *at = constants; *at != '\0';) {
        const constants_macro macro = find_macro(at);
        if (macro.name_length > 0) {
            macros->rows[macros->count++] = macro;
            macros->known[find_shape(macro.name, macro.name_length)] = true;
        }
        at += macro.line_length;
    }
    qsort(macros->rows, (size_t)macros->count, sizeof *macros->rows, compare_macros);
    return SEDGE_OK;
}

// ---- what is mentioned -------------------------------------------------------------------------

static void mention_all(constants_macros *macros)
{
    for (int i = 0; i < macros->count; i++) macros->rows[i].mentioned = true;
}

static void scan(constants_macros *macros, const char *text, size_t length);

static void mention_row(constants_macros *macros, constants_macro *row)
{
    if (row->mentioned) return;
    row->mentioned = true;
    scan(macros, row->line, row->line_length);
}

// All macros of this name, since a name may be defined twice, and those that their lines mention.
static void mention(constants_macros *macros, const char *name, size_t length)
{
    int low = 0;
    int high = macros->count;

    if (!macros->known[find_shape(name, length)]) return;
    while (low < high) {
        const int middle = (low + high) / 2;
        const constants_macro *const row = &macros->rows[middle];
        if (compare_names(row->name, row->name_length, name, length) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (; low < macros->count; low++) {
        constants_macro *const row = &macros->rows[low];
        if (compare_names(row->name, row->name_length, name, length) != 0) return;
        mention_row(macros, row);
    }
}

// One part of a name that ## puts together: all macros whose name has it.
static void mention_part(constants_macros *macros, const char *part, size_t length)
{
    for (int i = 0; i < macros->count; i++) {
        constants_macro *const row = &macros->rows[i];
        for (size_t k = 0; k + length <= row->name_length; k++)
            if (memcmp(row->name + k, part, length) == 0) mention_row(macros, row);
    }
}

// ---- reading text ------------------------------------------------------------------------------

// Whether the word is a parameter of the macro whose lines hold `at`; `start`: of the code.
static bool is_parameter(const char *start, const char *at, const char *word, size_t length)
{
    const char *line = at;

    while (line > start && (line[-1] != '\n' || (line - start > 1 && line[-2] == '\\'))) line--;
    const constants_macro macro = find_macro(line);
    const char *list = macro.name_length > 0 ? macro.name + macro.name_length : "";
    if (*list != '(') return false;
    for (list++; *list != ')' && *list != '\0'; list++) {
        size_t size = 0;
        while (is_word(list[size])) size++;
        if (size > 0 && size == length && memcmp(list, word, length) == 0) return true;
        list += size > 0 ? size - 1 : 0;
    }
    return false;
}

// `at`: at ##.
static void scan_join(constants_macros *macros, const char *start, const char *at, const char *end)
{
    const char *before = at;
    const char *after = at + 2;

    while (before > start && isspace((unsigned char)before[-1])) before--;
    const char *const before_end = before;
    while (before > start && is_word(before[-1])) before--;
    while (after < end && isspace((unsigned char)*after)) after++;
    const char *after_end = after;
    while (after_end < end && is_word(*after_end)) after_end++;
    const size_t before_length = (size_t)(before_end - before);
    const size_t after_length = (size_t)(after_end - after);
    const bool spelled[2] = {
        before_length > 0 && !is_parameter(start, at, before, before_length),
        after_length > 0 && !is_parameter(start, at, after, after_length),
    };
    if (!spelled[0] && !spelled[1]) mention_all(macros);
    if (spelled[0]) mention_part(macros, before, before_length);
    if (spelled[1]) mention_part(macros, after, after_length);
}

// The end of what begins at `at` and mentions nothing: a comment, or a character, which may be a
// quotation mark; `at` where neither begins. Names in strings count, since _Pragma reads them.
static const char *skip_quiet(const char *at, const char *end, bool in_string)
{
    if (in_string || end - at < 3) return at;
    if (at[0] == '\'') {
        const int characters = at[1] == '\\' ? 2 : 1;
        return end - at > characters + 1 && at[characters + 1] == '\'' ? at + characters + 2 : at;
    }
    if (at[0] == '/' && at[1] == '/') {
        const char *const newline = memchr(at, '\n', (size_t)(end - at));
        at = newline != NULL ? newline : end;
    } else if (at[0] == '/' && at[1] == '*') {
        for (at += 2; end - at > 2 && (at[0] != '*' || at[1] != '/'); at++) continue;
        at += 2;
    }
    return at;
}

static void scan(constants_macros *macros, const char *text, size_t length)
{
    const char *const end = text + length;
    bool in_string = false;

    for (const char *at = text; at < end;) {
        const char *const next = skip_quiet(at, end, in_string);
        if (next > at) {
            at = next;
        } else if (is_word(*at)) {
            const char *const word = at;
            while (at < end && is_word(*at)) at++;
            mention(macros, word, (size_t)(at - word));
        } else {
            if (at[0] == '#' && end - at > 1 && at[1] == '#') scan_join(macros, text, at++, end);
            if (*at == '\n') in_string = false;
            if (*at == '"') in_string = !in_string;
            at += in_string && *at == '\\' && end - at > 1 ? 2 : 1;
        }
    }
}

// ---- the whole ---------------------------------------------------------------------------------

static sedge_status add_lines(sedge_text *out, const constants_macros *macros,
                              const char *constants)
{
    for (const char *at = constants; *at != '\0';) {
        const constants_macro macro = find_macro(at);
        bool mentioned = macro.name_length == 0;
        for (int i = 0; i < macros->count; i++)
            mentioned |= macros->rows[i].line == at && macros->rows[i].mentioned;
        if (mentioned) SEDGE_TRY(sedge_text_add_bytes(out, at, macro.line_length));
        at += macro.line_length;
    }
    return SEDGE_OK;
}

sedge_status sedge_constants_write(sedge_text *out, const char *constants, const char *const *texts,
                                   int count)
{
    constants_macros macros = {.rows = NULL};

    SEDGE_TRY(list_macros(&macros, constants));
    for (int i = 0; i < count; i++) scan(&macros, texts[i], strlen(texts[i]));
    for (const char *at = constants; *at != '\0';) {
        const constants_macro macro = find_macro(at);
        if (macro.name_length == 0) scan(&macros, at, macro.line_length);
        at += macro.line_length;
    }
    const sedge_status status = add_lines(out, &macros, constants);
    sedge_release(macros.rows);
    return status;
}
